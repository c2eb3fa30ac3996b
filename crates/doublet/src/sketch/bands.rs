//! Which values of a sketch bring texts together: bands × rows, chosen for a threshold and a recall at the least cost.
//!
//! Texts meet in a band when they agree in all its rows, which happens with probability sʳ for texts of resemblance s. A pair
//! is proposed when it meets in at least `least` bands. More rows keep strangers apart but take more bands to reach the recall;
//! to ask for two bands instead of one keeps them apart as well. What is cheapest depends on how alike the texts of the
//! collection are, so a sample of it is asked.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::threshold::Threshold;

/// Most rows of a band that are thought of.
const MOST_ROWS: u32 = 16;
/// Most values of a sketch.
pub(super) const MOST_VALUES: u32 = 10_000;
/// Most bands that a pair may be asked to share.
const MOST_LEAST: u32 = 3;

/// How values are grouped, and in how many groups a pair must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Banding {
    /// Groups of values.
    pub bands: u32,
    /// Values in a group.
    pub rows: u32,
    /// Groups in which a pair must agree.
    pub least: u32,
}

impl Banding {
    /// The probability that a pair of this resemblance is proposed.
    pub fn found(&self, resemblance: f64) -> f64 {
        at_least(self.bands, resemblance.powi(self.rows as i32), self.least)
    }

    /// Bands, rows, and bands to share.
    pub fn to_array(self) -> [u32; 3] {
        [self.bands, self.rows, self.least]
    }

    /// Values of a sketch that the bands use.
    pub fn values(&self) -> usize {
        self.bands as usize * self.rows as usize
    }

    /// The probability of being proposed at resemblances from 0.05 to 1.
    pub fn curve(&self) -> Vec<(f64, f64)> {
        let steps = (1..=20).map(|step| f64::from(step) / 20.0);
        steps.map(|at| (at, self.found(at))).collect()
    }

    /// The fewest bands for each number of rows, and of bands to share, that reach the recall at the threshold with at most
    /// `values` values.
    ///
    /// # Errors
    /// When there are not enough values for it.
    pub fn choices(threshold: Threshold, recall: f64, values: usize) -> Result<Vec<Self>> {
        let shapes =
            (1..=MOST_ROWS).flat_map(|rows| (1..=MOST_LEAST).map(move |least| (rows, least)));
        let choice = |shape| Self::of_shape(shape, threshold, recall, values);
        let choices: Vec<Self> = shapes.filter_map(choice).collect();
        match choices.is_empty() {
            true => Err(too_few(threshold, recall, values)),
            false => Ok(choices),
        }
    }

    /// Of [`Self::choices`] the one with the most rows by which a pair is proposed that shares one band: where there is no
    /// sample to ask, the bands that keep strangers furthest apart.
    ///
    /// # Errors
    /// When there are not enough values for any.
    pub fn sharpest(threshold: Threshold, recall: f64, values: usize) -> Result<Self> {
        (1..=MOST_ROWS)
            .rev()
            .find_map(|rows| Self::of_shape((rows, 1), threshold, recall, values))
            .ok_or_else(|| too_few(threshold, recall, values))
    }

    /// Single values as bands of one row, as many of which are to be shared as the recall leaves, or as are given.
    ///
    /// # Errors
    /// When there are not enough values for the recall, and no number is given.
    pub fn of_values(
        threshold: Threshold,
        recall: f64,
        values: usize,
        given: Option<u32>,
    ) -> Result<Self> {
        let bands = values as u32;
        let least = given.unwrap_or_else(|| likely_hits(bands, threshold.value(), recall));
        let all = Self {
            bands,
            rows: 1,
            least,
        };
        match given.is_some() || all.found(threshold.value()) >= recall {
            true => Ok(all),
            false => Err(too_few(threshold, recall, values)),
        }
    }

    /// The fewest bands of so many rows, of which so many are to be shared, that reach the recall at the threshold.
    fn of_shape(
        (rows, least): (u32, u32),
        threshold: Threshold,
        recall: f64,
        values: usize,
    ) -> Option<Self> {
        let most = values as u32 / rows;
        let choice = |bands| Self { bands, rows, least };
        let reaches = |bands: u32| choice(bands).found(threshold.value()) >= recall;
        (most >= least && reaches(most)).then(|| choice(fewest(least, most, reaches)))
    }
}

impl fmt::Display for Banding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.bands, self.rows)?;
        match self.least {
            1 => Ok(()),
            least => write!(f, "x{least}"),
        }
    }
}

impl FromStr for Banding {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers: Option<Vec<u32>> = text.split('x').map(|part| part.parse().ok()).collect();
        let banding = match numbers.as_deref() {
            Some(&[bands, rows]) => Some((bands, rows, 1)),
            Some(&[bands, rows, least]) => Some((bands, rows, least)),
            _ => None,
        };
        // More values than any sketch has need not be multiplied.
        let sound = |&(bands, rows, least): &(u32, u32, u32)| {
            (1..=MOST_VALUES).contains(&bands)
                && (1..=MOST_VALUES).contains(&rows)
                && (1..=bands).contains(&least)
        };
        match banding.filter(sound) {
            Some((bands, rows, least)) => Ok(Self { bands, rows, least }),
            None => Err(Error::Option {
                option: "bands",
                value: text.to_owned(),
                expected: "give bands and rows, such as 26x5, and how many bands a pair must share where it is more than one: 40x4x2".to_owned(),
            }),
        }
    }
}

/// That no bands of so many values reach the recall.
fn too_few(threshold: Threshold, recall: f64, values: usize) -> Error {
    let most = Banding {
        bands: values as u32,
        rows: 1,
        least: 1,
    };
    Error::Option {
        option: "recall",
        value: recall.to_string(),
        expected: format!(
            "{values} values find {:.6} of the pairs at the threshold {threshold} at most: give a larger `--sketch-size`, or use `--method shingles`, which finds all",
            most.found(threshold.value())
        ),
    }
}

/// The least number from `low` to `high` that `reaches`, as `high` and all above the least do.
fn fewest(mut low: u32, mut high: u32, reaches: impl Fn(u32) -> bool) -> u32 {
    while low < high {
        let middle = low + (high - low) / 2;
        if reaches(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    high
}

/// The probability of at least `least` hits in `trials` independent trials that each hit with `probability`.
pub fn at_least(trials: u32, probability: f64, least: u32) -> f64 {
    if least == 0 {
        return 1.0;
    }
    if least > trials || probability <= 0.0 {
        return 0.0;
    }
    if probability >= 1.0 {
        return 1.0;
    }
    // From one number of hits to the next, in logarithms: the first may be too small for a float.
    let odds = (probability / (1.0 - probability)).ln();
    let mut term = f64::from(trials) * (-probability).ln_1p();
    let mut fewer = term.exp();
    for hits in 1..least {
        term += (f64::from(trials - hits + 1) / f64::from(hits)).ln() + odds;
        fewer += term.exp();
    }
    (1.0 - fewer).clamp(0.0, 1.0)
}

/// Trials from which on a bound takes the place of the sum.
const MANY_TRIALS: u32 = 1000;

/// The largest number of hits that `trials` reach with at least the probability `recall`, and at least 1; of very many trials
/// somewhat fewer, by Hoeffding's inequality.
pub fn likely_hits(trials: u32, probability: f64, recall: f64) -> u32 {
    if trials > MANY_TRIALS {
        let trials = f64::from(trials);
        let margin = (trials * -(1.0 - recall).ln() / 2.0).sqrt();
        return (trials * probability - margin).floor().max(1.0) as u32;
    }
    let enough = |least: u32| at_least(trials, probability, least) < recall;
    fewest(1, trials + 1, enough).saturating_sub(1).max(1)
}

/// The fewest values of a sketch by which a pair at the threshold is found with the probability `recall`.
pub fn fewest_values(threshold: Threshold, recall: f64) -> u32 {
    fewest(1, u32::MAX, |values| {
        at_least(values, threshold.value(), 1) >= recall
    })
}

/// What was seen of the texts of a sample, for all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Texts.
    pub texts: f64,
    /// Meetings in a band.
    pub meetings: f64,
    /// Pairs that would be proposed.
    pub candidates: f64,
}

/// Nanoseconds that a value, a band of a text, a meeting and a proposed pair take, about; measured on texts of 190 words.
const VALUE: f64 = 6.0;
const BAND: f64 = 60.0;
const MEETING: f64 = 30.0;
const CANDIDATE: f64 = 7_000.0;

impl Banding {
    /// What making the sketches and writing the bands costs, in nanoseconds.
    pub fn least_cost(&self, texts: f64) -> f64 {
        texts * (self.values() as f64 * VALUE + f64::from(self.bands) * BAND)
    }

    /// What all of it costs, in nanoseconds.
    pub fn cost(&self, expected: &Expected) -> f64 {
        self.least_cost(expected.texts)
            + expected.meetings * MEETING
            + expected.candidates * CANDIDATE
    }

    /// The cheapest of several for so many texts, of which `look` says what to expect.
    pub fn cheapest(mut choices: Vec<Self>, texts: f64, look: impl Fn(&Self) -> Expected) -> Self {
        let order = |x: &Self, y: &Self| x.least_cost(texts).total_cmp(&y.least_cost(texts));
        choices.sort_by(order);
        let mut best = (f64::INFINITY, choices[0]);
        for choice in choices {
            if choice.least_cost(texts) >= best.0 {
                break;
            }
            let cost = choice.cost(&look(&choice));
            if cost < best.0 {
                best = (cost, choice);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn threshold(value: f64) -> Threshold {
        Threshold::new(value).unwrap()
    }

    #[test]
    fn one_band_is_the_formula_everybody_knows() {
        let banding = Banding {
            bands: 20,
            rows: 5,
            least: 1,
        };
        for step in 0..=100 {
            let s = f64::from(step) / 100.0;
            let known = 1.0 - (1.0 - s.powi(5)).powi(20);
            assert!((banding.found(s) - known).abs() < 1e-12, "{s}");
        }
    }

    #[test]
    fn the_fewest_bands_that_reach_the_recall() {
        let choices = Banding::choices(threshold(0.7), 0.99, 200).unwrap();
        let bands = |rows, least| {
            let found = choices.iter().find(|c| c.rows == rows && c.least == least);
            found.map(|choice| choice.bands)
        };
        assert_eq!(bands(1, 1), Some(4));
        assert_eq!(bands(4, 1), Some(17));
        assert_eq!(bands(5, 1), Some(26));
        // 37 bands of 6 are 222 values.
        assert_eq!(bands(6, 1), None);
    }

    #[test]
    fn bands_are_written_and_read() {
        for (text, array) in [
            ("26x5", [26, 5, 1]),
            ("40x4x2", [40, 4, 2]),
            ("1x1", [1, 1, 1]),
        ] {
            let banding: Banding = text.parse().unwrap();
            assert_eq!(banding.to_array(), array);
            assert_eq!(banding.to_string(), text);
        }
        for wrong in [
            "", "5", "0x5", "5x0", "5x4x6", "5x4x0", "5x4x1x1", "-1x2", "99999x1", "5 x 4",
        ] {
            let error = wrong.parse::<Banding>().unwrap_err();
            assert!(error.to_string().contains("26x5"), "{wrong}: {error}");
        }
    }

    #[test]
    fn too_few_values_are_an_error() {
        let error = Banding::choices(threshold(0.02), 0.99, 200).unwrap_err();
        assert!(error.to_string().contains("--sketch-size"), "{error}");
        assert!(Banding::choices(threshold(1.0), 0.999_999, 1).is_ok());
        let error = Banding::sharpest(threshold(0.02), 0.99, 200).unwrap_err();
        assert!(error.to_string().contains("--sketch-size"), "{error}");
    }

    #[test]
    fn the_sharpest_bands_have_the_most_rows() {
        let sharpest = |t, values| {
            let found = Banding::sharpest(threshold(t), 0.99, values).unwrap();
            (found.bands, found.rows, found.least)
        };
        assert_eq!(sharpest(0.7, 200), (26, 5, 1));
        assert_eq!(sharpest(0.8, 200), (20, 7, 1));
        assert_eq!(sharpest(1.0, 200), (1, 16, 1));
        assert_eq!(sharpest(1.0, 3), (1, 3, 1));
    }

    proptest! {
        #[test]
        fn every_choice_reaches_the_recall_and_one_band_less_does_not(t in 0.05f64..1.0, recall in 0.5f64..0.9999) {
            let t = threshold(t);
            for choice in Banding::choices(t, recall, 400).unwrap_or_default() {
                prop_assert!(choice.found(t.value()) >= recall);
                prop_assert!(choice.values() <= 400);
                let fewer = Banding { bands: choice.bands - 1, ..choice };
                prop_assert!(fewer.found(t.value()) < recall);
            }
        }

        #[test]
        fn hits_are_counted_as_by_hand(trials in 1u32..12, probability in 0.01f64..0.99, least in 0u32..13) {
            // Every outcome of the trials, one by one.
            let mut sum = 0.0;
            for outcome in 0u32..1 << trials {
                let hits = outcome.count_ones();
                if hits >= least {
                    sum += probability.powi(hits as i32) * (1.0 - probability).powi((trials - hits) as i32);
                }
            }
            prop_assert!((at_least(trials, probability, least) - sum).abs() < 1e-9);
        }

        #[test]
        fn values_reach_the_recall_or_are_too_few(t in 0.05f64..1.0, recall in 0.5f64..0.9999, values in 1usize..300) {
            let t = threshold(t);
            let fewest = fewest_values(t, recall) as usize;
            match Banding::of_values(t, recall, values, None) {
                Ok(all) => prop_assert!(all.found(t.value()) >= recall && values >= fewest),
                Err(_) => prop_assert!(values < fewest),
            }
        }

        #[test]
        fn likely_hits_are_likely_and_one_more_is_not(trials in 1u32..300, probability in 0.01f64..0.99) {
            let hits = likely_hits(trials, probability, 0.99);
            prop_assert!(hits == 1 || at_least(trials, probability, hits) >= 0.99);
            prop_assert!(at_least(trials, probability, hits + 1) < 0.99);
        }
    }
}
