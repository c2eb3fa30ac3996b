//! The features of a text, and the fingerprints made of them.
//!
//! Features are a text's heaviest terms. Inequality 5 of the paper: k is the least number of them whose weight exceeds the
//! threshold's share of the whole text's; λ = k + N features are used, and each N of them in a row make one fingerprint. A text
//! with fewer than N features has one fingerprint, of all of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::hash;
use crate::names::written_as_given;
use crate::threshold::Threshold;

/// How many features a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureCount {
    /// So many.
    Fixed(usize),
    /// k by inequality 5, and so many more.
    Beyond(usize),
    /// k by inequality 5, and as many more as a fingerprint has.
    BeyondGram,
}

written_as_given!(FeatureCount);

impl FromStr for FeatureCount {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let number = |text: &str| text.parse().ok().filter(|n| *n <= MOST_FEATURES);
        let found = match text.strip_prefix('k') {
            Some("") => Some(Self::Beyond(0)),
            Some("+N") => Some(Self::BeyondGram),
            Some(rest) => rest.strip_prefix('+').and_then(number).map(Self::Beyond),
            None => number(text).filter(|n| *n > 0).map(Self::Fixed),
        };
        found.ok_or_else(|| Error::Option {
            option: "features",
            value: text.to_owned(),
            expected: format!("give a number from 1 to {MOST_FEATURES}, or k+3 for three more than inequality 5 asks for"),
        })
    }
}

const MOST_FEATURES: usize = 1_000_000;

impl fmt::Display for FeatureCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(count) => write!(f, "{count}"),
            Self::Beyond(more) => write!(f, "k+{more}"),
            Self::BeyondGram => f.write_str("k+N"),
        }
    }
}

/// How fingerprints are made of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureOptions {
    /// λ: the features of a text.
    pub count: FeatureCount,
    /// N: the features in a fingerprint.
    pub gram: usize,
    /// Texts of at most so many distinct terms also meet by pairs of terms, so that no pair of two such texts is missed.
    pub short: usize,
}

impl Default for FeatureOptions {
    fn default() -> Self {
        Self {
            count: FeatureCount::BeyondGram,
            gram: 3,
            short: 8,
        }
    }
}

impl FeatureOptions {
    /// λ for a text whose distinct terms have these falling weights.
    pub fn features(&self, weights: &[u64], threshold: Threshold) -> usize {
        let more = match self.count {
            FeatureCount::Fixed(count) => return count.min(weights.len()),
            FeatureCount::Beyond(more) => more,
            FeatureCount::BeyondGram => self.gram,
        };
        (least_features(weights, threshold) + more).min(weights.len())
    }

    /// Calls `each` with the fingerprint of every `gram` features in a row, given the hashes of all features.
    pub fn fingerprints(&self, features: &[u64], mut each: impl FnMut(u64)) {
        if features.len() <= self.gram {
            if !features.is_empty() {
                each(fingerprint(features));
            }
            return;
        }
        features
            .windows(self.gram)
            .for_each(|gram| each(fingerprint(gram)));
    }
}

/// k of inequality 5: the least number of the heaviest terms whose weight exceeds the threshold's share; all, if none does.
fn least_features(weights: &[u64], threshold: Threshold) -> usize {
    let total = weights.iter().copied().fold(0, u64::saturating_add);
    let mut sum = 0u64;
    let exceeds = |weight: &u64| {
        sum = sum.saturating_add(*weight);
        threshold.exceeded(sum, total)
    };
    let last = weights.iter().position(exceeds);
    last.map_or(weights.len(), |index| index + 1)
}

/// The fingerprint of terms in a row, of their hashes.
pub fn fingerprint(hashes: &[u64]) -> u64 {
    let state = hash::start(8 * hashes.len());
    hash::finish(
        hashes
            .iter()
            .fold(state, |state, &term| hash::step(state, term)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threshold(text: &str) -> Threshold {
        text.parse().unwrap()
    }

    fn features(options: &str, gram: usize, weights: &[u64]) -> usize {
        let options = FeatureOptions {
            count: options.parse().unwrap(),
            gram,
            ..FeatureOptions::default()
        };
        options.features(weights, threshold("0.65"))
    }

    #[test]
    fn inequality_5_by_hand() {
        // 5 of 10 is half, 8 of 10 exceeds 0.65: k = 2.
        assert_eq!(features("k+N", 3, &[5, 3, 1, 1]), 4);
        assert_eq!(features("k+1", 3, &[5, 3, 1, 1]), 3);
        assert_eq!(features("k", 3, &[5, 3, 1, 1]), 2);
        // 13 of 20 is 0.65 and does not exceed it.
        assert_eq!(features("k", 3, &[13, 4, 3]), 2);
        assert_eq!(features("k", 3, &[14, 4, 2]), 1);
        assert_eq!(features("7", 3, &[5, 3, 1, 1]), 4);
        assert_eq!(features("1", 3, &[5, 3, 1, 1]), 1);
        assert_eq!(features("k+N", 3, &[]), 0);
    }

    #[test]
    fn a_threshold_of_one_takes_all_terms() {
        let options = FeatureOptions::default();
        assert_eq!(options.features(&[3, 2, 1], threshold("1")), 3);
    }

    #[test]
    fn fingerprints_of_grams_in_a_row() {
        let options = FeatureOptions::default();
        let of = |features: &[u64]| {
            let mut found = Vec::new();
            options.fingerprints(features, |f| found.push(f));
            found
        };
        assert!(of(&[]).is_empty());
        assert_eq!(of(&[1]), [fingerprint(&[1])]);
        assert_eq!(of(&[1, 2]), [fingerprint(&[1, 2])]);
        assert_eq!(of(&[1, 2, 3]), [fingerprint(&[1, 2, 3])]);
        assert_eq!(
            of(&[1, 2, 3, 4]),
            [fingerprint(&[1, 2, 3]), fingerprint(&[2, 3, 4])]
        );
        assert_ne!(fingerprint(&[1, 2]), fingerprint(&[2, 1]));
    }

    #[test]
    fn counts_are_read_as_written() {
        for text in ["k+3", "k+0", "12", "k+N"] {
            assert_eq!(text.parse::<FeatureCount>().unwrap().to_string(), text);
        }
        for text in ["0", "-1", "k-1", "x", "", "k+", "99999999"] {
            assert!(text.parse::<FeatureCount>().is_err(), "{text}");
        }
    }
}
