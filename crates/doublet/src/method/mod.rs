//! The methods: what each learns of a collection, how it turns a text into keys, and how it compares two texts.

mod decision;
pub mod explain;
pub(crate) mod minhash;
pub mod sentences;
pub mod shingles;
pub mod simhash;
pub mod terms;

use std::fmt;

use crate::error::{Error, Result};
use crate::method::sentences::Unit;
use crate::scores::Metric;
pub use decision::Decision;

/// How duplicates are found. A closed set: each method has its arm in [`crate::batch::find_matches`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// The complete similarity matrix over word shingles (Kupietz 2005). Candidates by prefix filter or probing, scores
    /// exact.
    #[default]
    Shingles,
    /// Sketches of the shingle sets, for collections of web size (Broder; Radinsky, Manning and Raghavan). Candidates by bands that
    /// reach a stated recall, scores exact unless those of the sketches are asked for.
    Minhash,
    /// One fingerprint of 64 bits a text, compared bit by bit (Charikar 2002, Manku et al. 2007).
    Simhash,
    /// Weighted terms of short texts (Gong et al. 2008). Candidates by features, or complete by prefix filter; scores exact.
    Terms,
    /// Sentences as fingerprints, for texts that are copied in part (Yoon et al. 2012).
    Sentences,
    /// One fingerprint of the distinct words of a text that are not common (Chowdhury et al. 2002).
    Imatch,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 6] = [
        Self::Shingles,
        Self::Minhash,
        Self::Simhash,
        Self::Terms,
        Self::Sentences,
        Self::Imatch,
    ];

    /// The method of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The metrics that the method can find duplicates by, its own first.
    pub fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Shingles => &[
                Metric::Resemblance,
                Metric::Coverage,
                Metric::Containment,
                Metric::ContainmentCoverage,
            ],
            Self::Minhash => &[Metric::Resemblance, Metric::Agreement],
            Self::Simhash => &[Metric::Agreement],
            Self::Terms => &[Metric::Degree, Metric::Resemblance],
            Self::Sentences | Self::Imatch => &[
                Metric::ContainmentCoverage,
                Metric::Coverage,
                Metric::Containment,
                Metric::Resemblance,
            ],
        }
    }

    /// That a metric is one of the method's.
    ///
    /// # Errors
    /// When it is not.
    pub fn expect_metric(self, metric: Metric) -> Result<()> {
        let metrics = self.metrics();
        if metrics.contains(&metric) {
            return Ok(());
        }
        let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
        Err(Error::Option {
            option: "metric",
            value: metric.to_string(),
            expected: format!("the method `{self}` knows {}", names.join(", ")),
        })
    }

    /// The threshold unless another is given.
    pub fn threshold(self) -> f64 {
        match self {
            Self::Shingles | Self::Minhash => 0.8,
            // 3 of 64 bits may differ.
            Self::Simhash => 61.0 / 64.0,
            Self::Terms => 0.65,
            Self::Sentences | Self::Imatch => 0.7,
        }
    }

    /// Whether words in another order make another text.
    pub fn compares_order(self) -> bool {
        match self {
            Self::Shingles | Self::Minhash => true,
            Self::Simhash | Self::Terms | Self::Sentences | Self::Imatch => false,
        }
    }

    /// What one fingerprint stands for, if the method compares sentences by their fingerprints.
    pub fn unit(self) -> Option<Unit> {
        match self {
            Self::Sentences => Some(Unit::Sentence),
            Self::Imatch => Some(Unit::Text),
            Self::Shingles | Self::Minhash | Self::Simhash | Self::Terms => None,
        }
    }

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shingles => "shingles",
            Self::Minhash => "minhash",
            Self::Simhash => "simhash",
            Self::Terms => "terms",
            Self::Sentences => "sentences",
            Self::Imatch => "imatch",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
