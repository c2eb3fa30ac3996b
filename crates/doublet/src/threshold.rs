//! Thresholds as exact fractions, so that a pair at exactly the threshold is in, whatever binary floating point makes of it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;

const SCALE: u64 = 1_000_000_000;

/// A threshold from 0 (excluded) to 1, in billionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Threshold(u64);

impl TryFrom<f64> for Threshold {
    type Error = Error;

    fn try_from(value: f64) -> Result<Self, Error> {
        Self::new(value)
    }
}

impl From<Threshold> for f64 {
    fn from(threshold: Threshold) -> Self {
        threshold.value()
    }
}

impl Threshold {
    /// The threshold nearest to `value`.
    ///
    /// # Errors
    /// When it is not above 0 and at most 1.
    pub fn new(value: f64) -> Result<Self, Error> {
        let scaled = (value * SCALE as f64).round();
        if scaled >= 1.0 && scaled <= SCALE as f64 {
            Ok(Self(scaled as u64))
        } else {
            Err(Error::Option {
                option: "threshold",
                value: value.to_string(),
                expected: "give a number above 0 and at most 1, such as 0.8".to_owned(),
            })
        }
    }

    /// The threshold of a number of billionths, above 0.
    pub(crate) const fn of_billionths(billionths: u64) -> Self {
        assert!(billionths > 0 && billionths <= SCALE);
        Self(billionths)
    }

    /// The threshold as a number.
    pub fn value(self) -> f64 {
        self.0 as f64 / SCALE as f64
    }

    /// Whether `part / whole` reaches the threshold.
    pub fn reached(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(SCALE) >= u128::from(whole) * u128::from(self.0)
    }

    /// Whether `part / whole` lies above the threshold.
    pub fn exceeded(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(SCALE) > u128::from(whole) * u128::from(self.0)
    }

    /// The least part of `whole` that reaches the threshold: ⌈t·whole⌉.
    pub fn least(self, whole: u64) -> u64 {
        (u128::from(whole) * u128::from(self.0)).div_ceil(u128::from(SCALE)) as u64
    }

    /// The threshold's share of `whole`, rounded down: ⌊t·whole⌋.
    pub fn floor(self, whole: u64) -> u64 {
        (u128::from(whole) * u128::from(self.0) / u128::from(SCALE)) as u64
    }

    /// The least overlap of two sets with `sum` elements together whose resemblance reaches the threshold: ⌈t/(1+t)·sum⌉.
    pub fn least_overlap(self, sum: u64) -> u64 {
        (u128::from(sum) * u128::from(self.0)).div_ceil(u128::from(SCALE + self.0)) as u64
    }

    /// Whether `overlap` is at least [`Self::least_overlap`] of `sum`.
    pub fn is_overlap(self, overlap: u64, sum: u64) -> bool {
        u128::from(overlap) * u128::from(SCALE + self.0) >= u128::from(sum) * u128::from(self.0)
    }

    /// The largest whole of which `part` reaches the threshold: ⌊part/t⌋.
    pub fn largest(self, part: u64) -> u64 {
        let largest = u128::from(part) * u128::from(SCALE) / u128::from(self.0);
        u64::try_from(largest).unwrap_or(u64::MAX)
    }
}

impl FromStr for Threshold {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::new(text.parse().unwrap_or(f64::NAN)).map_err(|_| Error::Option {
            option: "threshold",
            value: text.to_owned(),
            expected: "give a number above 0 and at most 1, such as 0.8".to_owned(),
        })
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_ratios_are_in() {
        for (text, part, whole) in [
            ("0.8", 4, 5),
            ("0.7", 7, 10),
            ("0.1", 1, 10),
            ("0.3", 3, 10),
            ("1", 5, 5),
        ] {
            let threshold: Threshold = text.parse().unwrap();
            assert!(threshold.reached(part, whole));
            assert!(!threshold.reached(part * 1000 - 1, whole * 1000));
            assert_eq!(threshold.least(whole), part);
            assert_eq!(threshold.largest(part), whole);
        }
    }

    #[test]
    fn an_overlap_is_large_enough_from_the_least_one_on() {
        for text in ["0.65", "0.1", "0.333333333", "0.999999999", "1"] {
            let threshold: Threshold = text.parse().unwrap();
            for sum in [0, 1, 2, 3, 7, 1000, 999_999_937, u64::MAX / 2, u64::MAX] {
                let least = threshold.least_overlap(sum);
                assert!(threshold.is_overlap(least, sum), "{text} {sum}");
                let less = least.checked_sub(1);
                assert!(
                    less.is_none_or(|less| !threshold.is_overlap(less, sum)),
                    "{text} {sum}"
                );
            }
        }
        let threshold: Threshold = "0.5".parse().unwrap();
        assert_eq!(threshold.largest(u64::MAX), u64::MAX);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["0", "-1", "1.01", "nan", "abc", ""] {
            assert!(text.parse::<Threshold>().is_err(), "{text}");
        }
    }
}
