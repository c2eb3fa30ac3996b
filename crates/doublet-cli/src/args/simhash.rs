//! The arguments of `simhash`, and what they come to.

use anyhow::Result;
use clap::Args;
use doublet::method::simhash::{BITS, SimhashOptions, Voters, most_distance};
use doublet::method::{MatchOptions, Method};
use doublet::threshold::Threshold;
use serde_json::{Value, json};

use super::MatchArguments;
use super::choices::one_of;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Sketches")]
pub(crate) struct SimhashArguments {
    /// Bits in which the fingerprints of two duplicates may differ, 0 to 63: the threshold of simhash by another name
    /// [default: 3]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(..64))]
    distance: Option<u32>,
    /// Whose votes make a fingerprint of simhash: the shingles of a text, one vote each, or its terms with their weights
    /// [default: shingles]
    #[arg(long, value_parser = one_of(Voters::NAMES), value_name = "FEATURES")]
    voters: Option<Voters>,
}

impl SimhashArguments {
    /// The threshold that a distance comes to.
    fn threshold(&self) -> Result<Option<Threshold>> {
        let share = |distance| f64::from(BITS - distance) / f64::from(BITS);
        let threshold = self.distance.map(share).map(Threshold::new);
        Ok(threshold.transpose()?)
    }
}

impl MatchArguments {
    /// The threshold by its other name, if it was given by that.
    pub(super) fn distance(&self) -> Result<Option<Threshold>> {
        let given = self.simhash.threshold()?;
        if let (Some(distance), Some(threshold), Some(other)) =
            (self.simhash.distance, self.threshold, given)
            && threshold != other
        {
            anyhow::bail!(
                "`--threshold {threshold}` and `--distance {distance}` are the same thing, and {distance} bits are {other}: give one of them"
            );
        }
        Ok(given)
    }

    /// The options of `simhash`.
    pub(crate) fn simhash(&self) -> SimhashOptions {
        SimhashOptions {
            voters: self.simhash.voters.unwrap_or_default(),
        }
    }

    /// Adds what is in force to the options of a run.
    pub(super) fn describe_simhash(&self, join: &MatchOptions, options: &mut Value) {
        options["distance"] = most_distance(join.threshold).into();
        options["voters"] = join.simhash.voters.name().into();
        if join.simhash.voters == Voters::Terms {
            let given = &self.terms;
            options["fold-elongation"] = join.terms.fold_elongation.into();
            options["background"] = json!(given.background);
            options["weights"] = json!(given.weights);
            options["weighting"] = join.terms.weights.weighting.name().into();
        }
    }

    /// Whether fingerprints of 64 bits are made of terms.
    pub(crate) fn terms_vote(&self) -> bool {
        self.method().info().has_voters && self.simhash.voters == Some(Voters::Terms)
    }

    /// The method that decides what a word is.
    pub(crate) fn word_method(&self) -> Method {
        match self.terms_vote() {
            true => Method::Terms,
            false => self.method(),
        }
    }
}
