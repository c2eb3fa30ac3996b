//! The options of `terms`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::background::Background;
use super::features::FeatureOptions;
use super::weights::WeightOptions;
use crate::error::{Error, Result};
use crate::names::named;
use crate::segment::terms::Language;

/// How pairs of texts of terms are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Candidates {
    /// Texts that share a term of their prefixes, which misses nothing; where a sample says that this costs far too much, by
    /// features, and the run says which recall to expect.
    #[default]
    Auto,
    /// Texts that share a fingerprint of their features: the paper's way; misses pairs as the threshold falls.
    Features,
    /// Texts that share a term of their prefixes: misses nothing.
    Exact,
    /// Texts that share two words in a row: the paper's baseline.
    Baseline,
}

named!(Candidates:
    Auto = "auto",
    Features = "features",
    Exact = "exact",
    Baseline = "baseline",
);

/// How texts become weighted terms, and how those are compared. See [`crate::method::terms`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TermOptions {
    /// The language of the texts, if it is one and known.
    pub language: Language,
    /// Whether a letter that stands three times or more in a row is one.
    pub fold_elongation: bool,
    /// What terms weigh.
    pub weights: WeightOptions,
    /// Frequencies and groups of terms; `None`: those of the collection itself.
    #[serde(skip)]
    pub background: Option<Arc<Background>>,
    /// Which terms are features, and how many make a fingerprint.
    pub features: FeatureOptions,
    /// How pairs are found.
    pub candidates: Candidates,
    /// Whether to skip comparisons of texts that are already in the same cluster.
    pub transitivity: bool,
}

impl TermOptions {
    /// That every option is in range.
    ///
    /// # Errors
    /// When one is not.
    pub fn check(&self) -> Result<()> {
        let FeatureOptions { gram, short, .. } = self.features;
        let refuse = |option, value: usize, expected: &str| {
            Err(Error::Option {
                option,
                value: value.to_string(),
                expected: expected.to_owned(),
            })
        };
        if !(1..=1000).contains(&gram) {
            return refuse("gram", gram, "give 1 to 1000 features");
        }
        if short > 64 {
            return refuse("short", short, "give 0 to 64 terms");
        }
        Ok(())
    }
}

impl Default for TermOptions {
    fn default() -> Self {
        Self {
            language: Language::Auto,
            fold_elongation: false,
            weights: WeightOptions::default(),
            background: None,
            features: FeatureOptions::default(),
            candidates: Candidates::default(),
            transitivity: false,
        }
    }
}
