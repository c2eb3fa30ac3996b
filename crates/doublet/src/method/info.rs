//! What each method has: one row a method. Everything that asks "does this method …" asks here.

use super::Method;
use super::sentences::Unit;
use crate::error::{Error, Result};
use crate::method::terms::Candidates;
use crate::names::written_by_name;
use crate::scores::Metric;
use crate::sketch::MeetBy;
use crate::threshold::Threshold;

/// What a method has.
#[derive(Debug)]
pub struct MethodInfo {
    /// The name, as on the command line.
    pub name: &'static str,
    /// The metrics that it can find duplicates by, its own first.
    pub metrics: &'static [Metric],
    /// The threshold unless another is given.
    pub threshold: Threshold,
    /// What texts are compared by, in the singular.
    pub unit_name: &'static str,
    /// What one fingerprint covers, where fingerprints of sentences are compared.
    pub unit: Option<Unit>,
    /// Whether it makes shingles, of words, of what is between spaces, or of characters.
    pub has_shingles: bool,
    /// Whether it makes sketches of shingles.
    pub has_sketches: bool,
    /// Whether shingles or terms vote, as the options say.
    pub has_voters: bool,
    /// Whether it weighs terms, whatever the options.
    pub weighs_terms: bool,
    /// Whether it compares whole texts word by word and misses none, unless told to.
    pub is_exact: bool,
    /// Whether words in another order make another text.
    pub compares_order: bool,
    /// Whether there are indexes of it.
    pub has_index: bool,
    /// Whether it runs on a cluster.
    pub has_kernel: bool,
    /// Whether an interrupted run can be resumed.
    pub resumes: bool,
    /// The ways to look for pairs that it has and some other method has not.
    pub candidates: &'static [&'static str],
    /// The options that it has and some other method has not.
    pub options: &'static [&'static str],
}

impl MethodInfo {
    /// Whether it has an option that some other method has not.
    pub fn has_option(&self, name: &str) -> bool {
        self.options.contains(&name)
    }
}

/// The options by which terms are weighed.
const WEIGHTS: [&str; 3] = ["background", "weights", "weighting"];

const SHINGLES: MethodInfo = MethodInfo {
    name: "shingles",
    metrics: &[
        Metric::Resemblance,
        Metric::Coverage,
        Metric::Containment,
        Metric::ContainmentCoverage,
    ],
    threshold: Threshold::of_billionths(800_000_000),
    unit_name: "shingle",
    unit: None,
    has_shingles: true,
    has_sketches: false,
    has_voters: false,
    weighs_terms: false,
    is_exact: true,
    compares_order: true,
    has_index: true,
    has_kernel: true,
    resumes: true,
    candidates: &[],
    options: &[],
};
const MINHASH: MethodInfo = MethodInfo {
    name: "minhash",
    metrics: &[Metric::Resemblance, Metric::Agreement],
    has_sketches: true,
    is_exact: false,
    candidates: &[MeetBy::Bands.name(), MeetBy::Values.name()],
    options: &[
        "sketch",
        "sketch-size",
        "recall",
        "bands",
        "min-common",
        "estimate",
    ],
    ..SHINGLES
};
const SIMHASH: MethodInfo = MethodInfo {
    name: "simhash",
    metrics: &[Metric::Agreement],
    has_voters: true,
    is_exact: false,
    // 3 of 64 bits may differ.
    threshold: Threshold::of_billionths(953_125_000),
    compares_order: false,
    has_index: false,
    has_kernel: false,
    options: &["distance", "voters"],
    ..SHINGLES
};
const TERMS: MethodInfo = MethodInfo {
    name: "terms",
    metrics: &[Metric::Degree, Metric::Resemblance],
    has_shingles: false,
    weighs_terms: true,
    threshold: Threshold::of_billionths(650_000_000),
    unit_name: "term",
    compares_order: false,
    resumes: false,
    candidates: &[
        Candidates::Auto.name(),
        Candidates::Exact.name(),
        Candidates::Features.name(),
        Candidates::Baseline.name(),
    ],
    options: &[
        "background",
        "weights",
        "weighting",
        "transitivity",
        "features",
        "gram",
        "short",
    ],
    ..SHINGLES
};
const SENTENCES: MethodInfo = MethodInfo {
    name: "sentences",
    metrics: &[
        Metric::ContainmentCoverage,
        Metric::Coverage,
        Metric::Containment,
        Metric::Resemblance,
    ],
    threshold: Threshold::of_billionths(700_000_000),
    unit_name: "sentence",
    unit: Some(Unit::Sentence),
    has_shingles: false,
    is_exact: false,
    compares_order: false,
    options: &[
        "background",
        "df-cutoff",
        "min-sentences",
        "min-share",
        "max-occurrences",
        "reorder",
        "min-words",
    ],
    ..SHINGLES
};
const IMATCH: MethodInfo = MethodInfo {
    name: "imatch",
    unit_name: "fingerprint",
    unit: Some(Unit::Text),
    options: &[
        "background",
        "df-cutoff",
        "min-sentences",
        "min-share",
        "max-occurrences",
    ],
    ..SENTENCES
};
#[cfg(test)]
const DUMMY: MethodInfo = MethodInfo {
    name: "dummy",
    metrics: &[Metric::Resemblance],
    unit_name: "letter",
    compares_order: false,
    has_index: false,
    has_kernel: false,
    resumes: false,
    ..SHINGLES
};

written_by_name!(Method);

impl Method {
    /// What it has.
    pub const fn info(self) -> &'static MethodInfo {
        match self {
            Self::Shingles => &SHINGLES,
            Self::Minhash => &MINHASH,
            Self::Simhash => &SIMHASH,
            Self::Terms => &TERMS,
            Self::Sentences => &SENTENCES,
            Self::Imatch => &IMATCH,
            #[cfg(test)]
            Self::Dummy => &DUMMY,
        }
    }

    /// The method of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The name, as on the command line.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The metrics that it can find duplicates by, its own first.
    pub fn metrics(self) -> &'static [Metric] {
        self.info().metrics
    }

    /// The threshold unless another is given.
    pub fn threshold(self) -> Threshold {
        self.info().threshold
    }

    /// What one fingerprint covers, where fingerprints of sentences are compared.
    pub fn unit(self) -> Option<Unit> {
        self.info().unit
    }

    /// Whether a match by a metric may be a short text within a longer one.
    pub fn finds_parts(self, metric: Metric) -> bool {
        self.unit().is_some() || metric.is_one_sided()
    }

    /// The names of the methods that have something, for a message.
    pub(crate) fn names(has: impl Fn(&MethodInfo) -> bool) -> String {
        let having = Self::ALL.into_iter().filter(|method| has(method.info()));
        having.map(Self::name).collect::<Vec<_>>().join(", ")
    }

    /// Refuses a metric that the method does not have.
    ///
    /// # Errors
    /// When the metric is none of its own.
    pub fn expect_metric(self, metric: Metric) -> Result<()> {
        if self.metrics().contains(&metric) {
            return Ok(());
        }
        let names: Vec<&str> = self.metrics().iter().map(|metric| metric.name()).collect();
        Err(Error::Option {
            option: "metric",
            value: metric.to_string(),
            expected: format!("the method `{self}` knows {}", names.join(", ")),
        })
    }

    /// Refuses a way to look for pairs that the method does not know.
    ///
    /// # Errors
    /// When it is one of another method.
    pub fn expect_candidates(self, name: &str) -> Result<()> {
        let knows = |method: &Self| method.info().candidates.contains(&name);
        // Any method can be asked to miss nothing; how sketches meet is checked with their other options.
        if knows(&self) || name == Candidates::Exact.name() || self.info().has_sketches {
            return Ok(());
        }
        match Self::ALL.iter().find(|method| knows(method)) {
            None => Ok(()),
            Some(owner) => Err(Error::UnusedOption {
                option: format!("candidates {name}").into(),
                owner: owner.name(),
                method: self.name(),
            }),
        }
    }

    /// Refuses options that were given and do nothing for this method. `weighs_terms`: it weighs terms, whatever its name.
    ///
    /// # Errors
    /// When an option belongs to other methods only.
    pub fn expect_options(self, weighs_terms: bool, given: impl Fn(&str) -> bool) -> Result<()> {
        let own = self.info();
        let has =
            |option: &str| own.has_option(option) || (weighs_terms && WEIGHTS.contains(&option));
        for other in Self::ALL {
            let options = other.info().options.iter();
            if let Some(option) = options
                .into_iter()
                .find(|option| given(option) && !has(option))
            {
                return Err(Error::UnusedOption {
                    option: (*option).into(),
                    owner: other.name(),
                    method: self.name(),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_other_methods_is_refused() {
        for method in Method::ALL {
            for other in Method::ALL {
                for option in other.info().options {
                    let refused = method
                        .expect_options(false, |given| given == *option)
                        .is_err();
                    assert_eq!(
                        refused,
                        !method.info().options.contains(option),
                        "{method} {option}"
                    );
                }
            }
        }
    }

    #[test]
    fn ways_to_look_for_pairs_of_other_methods_are_refused() {
        for method in Method::ALL {
            for other in Method::ALL {
                for name in other.info().candidates {
                    let knows = method.info().candidates.contains(name);
                    let says_itself = *name == "exact" || method.info().has_sketches;
                    let refused = method.expect_candidates(name).is_err();
                    assert_eq!(refused, !knows && !says_itself, "{method} {name}");
                }
            }
        }
        let refused = Method::Shingles.expect_candidates("bands").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "`--candidates bands` goes with `--method minhash`; the method is `shingles`"
        );
    }

    #[test]
    fn a_method_that_weighs_terms_has_their_weights() {
        let weights = |given: &str| given == "weights";
        assert!(Method::Simhash.expect_options(true, weights).is_ok());
        let refused = Method::Simhash.expect_options(false, weights).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "`--weights` goes with `--method terms`; the method is `simhash`"
        );
    }
}
