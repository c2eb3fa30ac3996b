//! The counts behind a pair's scores, and the metrics over them.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::names::named;
use crate::threshold::Threshold;

/// What similarity means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Shared shingles among all shingles of the two texts.
    Resemblance,
    /// Tokens of the two texts that shared shingles cover, among all their tokens.
    Coverage,
    /// Shared shingles among those of one text; the larger of the two directions counts.
    Containment,
    /// Covered tokens among those of one text; the larger of the two directions counts.
    ContainmentCoverage,
    /// The duplicate degree: the weight of the shared terms among that of all terms of the two texts.
    Degree,
    /// The values of the two sketches, or the bits, that agree: an estimate, not a count of what the texts share.
    Agreement,
}

impl Metric {
    /// Whether a text that another contains matches it, however much longer that one is.
    pub fn is_one_sided(self) -> bool {
        matches!(self, Self::Containment | Self::ContainmentCoverage)
    }
}

named!(Metric:
    Resemblance = "resemblance",
    Coverage = "coverage",
    Containment = "containment",
    ContainmentCoverage = "containment-coverage",
    Degree = "degree",
    Agreement = "agreement",
);

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Metric {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let names = || Self::NAMES.iter().map(|(_, name)| *name);
        Self::from_name(text).ok_or_else(|| Error::Option {
            option: "metric",
            value: text.to_owned(),
            expected: format!("give one of {}", names().collect::<Vec<_>>().join(", ")),
        })
    }
}

/// The counts from which all scores of a pair follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// Distinct shingles in both texts.
    pub common: u32,
    /// Distinct shingles of the first text.
    pub distinct_a: u32,
    /// Distinct shingles of the second text.
    pub distinct_b: u32,
    /// Tokens of the first text that common shingles cover.
    pub covered_a: u32,
    /// Tokens of the second text that common shingles cover.
    pub covered_b: u32,
    /// Tokens of the first text.
    pub tokens_a: u32,
    /// Tokens of the second text.
    pub tokens_b: u32,
    /// Values of the two sketches that were compared, of which `common` agree; 0 where the texts were compared themselves.
    pub compared: u32,
    /// What the terms weigh; nothing for methods without weights.
    pub weights: Weights,
}

/// The weights behind the duplicate degree, in billionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// Of the shared terms.
    pub common: u64,
    /// Of the distinct terms of the first text.
    pub a: u64,
    /// Of the distinct terms of the second text.
    pub b: u64,
}

impl Scores {
    /// The scores of two identical texts of so many distinct shingles, tokens, and of such a weight.
    pub fn identical(distinct: u32, tokens: u32, weight: u64) -> Self {
        Self {
            common: distinct,
            distinct_a: distinct,
            distinct_b: distinct,
            covered_a: tokens,
            covered_b: tokens,
            tokens_a: tokens,
            tokens_b: tokens,
            compared: 0,
            weights: Weights {
                common: weight,
                a: weight,
                b: weight,
            },
        }
    }

    /// The same pair with its texts in the other order.
    pub fn swapped(self) -> Self {
        Self {
            common: self.common,
            distinct_a: self.distinct_b,
            distinct_b: self.distinct_a,
            covered_a: self.covered_b,
            covered_b: self.covered_a,
            tokens_a: self.tokens_b,
            tokens_b: self.tokens_a,
            compared: self.compared,
            weights: Weights {
                common: self.weights.common,
                a: self.weights.b,
                b: self.weights.a,
            },
        }
    }

    /// The score under a metric as a fraction: part and whole.
    pub fn fraction(&self, metric: Metric) -> (u64, u64) {
        match metric {
            Metric::Resemblance => fraction(
                self.common,
                // Sketches may agree in more values than the texts have shingles.
                (u64::from(self.distinct_a) + u64::from(self.distinct_b))
                    .saturating_sub(u64::from(self.common)),
            ),
            Metric::Coverage => (
                u64::from(self.covered_a) + u64::from(self.covered_b),
                u64::from(self.tokens_a) + u64::from(self.tokens_b),
            ),
            Metric::Containment => larger(
                fraction(self.common, self.distinct_a),
                fraction(self.common, self.distinct_b),
            ),
            Metric::ContainmentCoverage => larger(
                fraction(self.covered_a, self.tokens_a),
                fraction(self.covered_b, self.tokens_b),
            ),
            Metric::Degree => {
                let Weights { common, a, b } = self.weights;
                (common, (a - common).saturating_add(b))
            }
            // Of texts that were compared themselves the sketches need no estimate.
            Metric::Agreement if self.compared == 0 => self.fraction(Metric::Resemblance),
            Metric::Agreement => fraction(self.common, self.compared),
        }
    }

    /// The score that counts when the second text is removed for the first, as a fraction. With a one-sided metric that is the
    /// share of the second text that the first contains, whichever direction is larger.
    pub fn removal_fraction(&self, metric: Metric) -> (u64, u64) {
        match metric {
            Metric::Containment => fraction(self.common, self.distinct_b),
            Metric::ContainmentCoverage => fraction(self.covered_b, self.tokens_b),
            Metric::Resemblance | Metric::Coverage | Metric::Degree | Metric::Agreement => {
                self.fraction(metric)
            }
        }
    }

    /// The score that counts when the second text is removed for the first.
    pub fn removal_score(&self, metric: Metric) -> f64 {
        quotient(self.removal_fraction(metric))
    }

    /// The scores of two sketches of which so many values agree.
    pub fn of_sketches(agreeing: u32, compared: u32) -> Self {
        Self {
            common: agreeing,
            compared,
            ..Self::default()
        }
    }

    /// The score under a metric; 0 for texts without tokens.
    pub fn score(&self, metric: Metric) -> f64 {
        quotient(self.fraction(metric))
    }

    /// Shared shingles among those of the first and of the second text.
    pub fn containment(&self) -> (f64, f64) {
        (
            quotient(fraction(self.common, self.distinct_a)),
            quotient(fraction(self.common, self.distinct_b)),
        )
    }

    /// Covered tokens among those of the first and of the second text.
    pub fn one_sided_coverage(&self) -> (f64, f64) {
        (
            quotient(fraction(self.covered_a, self.tokens_a)),
            quotient(fraction(self.covered_b, self.tokens_b)),
        )
    }

    /// Whether the terms behind the scores have weights.
    pub fn is_weighted(&self) -> bool {
        self.weights.a > 0 || self.weights.b > 0
    }

    /// Whether the pair is a match.
    pub fn reaches(&self, metric: Metric, threshold: Threshold) -> bool {
        let (part, whole) = self.fraction(metric);
        part > 0 && threshold.reached(part, whole)
    }
}

fn fraction(part: u32, whole: impl Into<u64>) -> (u64, u64) {
    (u64::from(part), whole.into())
}

fn larger(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    if u128::from(a.0) * u128::from(b.1) >= u128::from(b.0) * u128::from(a.1) {
        a
    } else {
        b
    }
}

fn quotient((part, whole): (u64, u64)) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
