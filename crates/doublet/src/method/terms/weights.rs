//! What a term weighs: equations 1 and 2 of the paper on SimFinder, in whole billionths.
//!
//! Every group of terms has an interval `[a, b]`. A term's place in it follows its frequency in the background between the
//! least and the most frequent term of its group, and its length multiplies it: W(t) = ((b − a)(F(t) − F′)/(F − F′) + a)·|t|.
//! Whole numbers add up to the same sum in every order, so scores and thresholds are exact.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, io_error};
use crate::files;
use crate::names::named;
use crate::segment::terms::Group;

/// One, in the units of a weight.
pub const UNIT: u64 = 1_000_000_000;
/// The largest end of an interval.
const MOST: f64 = 100.0;

/// Which terms of a group weigh more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weighting {
    /// The frequent ones, as equation 1 has it.
    #[default]
    Frequency,
    /// The rare ones: the same interval, run through in the other direction.
    Idf,
    /// The rare ones by ln(1 + F/F(t)), F being the frequency of the most frequent term of all: no intervals, no lengths.
    Log,
}

named!(Weighting: Frequency = "frequency", Idf = "idf", Log = "log");

/// The least and the largest weight of a character, in billionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    a: u64,
    b: u64,
}

impl Interval {
    /// The interval from `a` to `b`; `None` unless 0 < a ≤ b ≤ 100.
    pub fn new(a: f64, b: f64) -> Option<Self> {
        let scale = |value: f64| (value * UNIT as f64).round() as u64;
        let interval = Self {
            a: scale(a),
            b: scale(b),
        };
        (interval.a > 0 && a <= b && b <= MOST).then_some(interval)
    }

    /// The least weight.
    pub fn a(self) -> f64 {
        self.a as f64 / UNIT as f64
    }

    /// The largest weight.
    pub fn b(self) -> f64 {
        self.b as f64 / UNIT as f64
    }
}

/// The intervals of all groups, and the direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeightOptions {
    /// Which terms weigh more.
    pub weighting: Weighting,
    intervals: [Interval; Group::ALL.len()],
}

/// The intervals unless a file says otherwise, in the order of [`Group::ALL`]: tuned on labelled pairs, see `docs/terms.md`.
const DEFAULT: [(f64, f64); Group::ALL.len()] = [
    (0.9, 1.0),  // noun
    (0.9, 1.0),  // proper noun
    (0.8, 0.9),  // verb
    (0.8, 0.9),  // adjective
    (0.5, 0.6),  // adverb
    (0.5, 0.6),  // pronoun
    (0.5, 0.6),  // numeral
    (0.3, 0.4),  // connective
    (0.2, 0.3),  // interjection
    (0.05, 0.1), // url
    (0.05, 0.1), // mention
    (0.9, 1.0),  // hashtag
    (0.2, 0.3),  // emoji
    (0.8, 0.9),  // other
];

impl Default for WeightOptions {
    fn default() -> Self {
        let scaled = |(a, b): (f64, f64)| Interval {
            a: (a * UNIT as f64).round() as u64,
            b: (b * UNIT as f64).round() as u64,
        };
        Self {
            weighting: Weighting::Frequency,
            intervals: DEFAULT.map(scaled),
        }
    }
}

impl WeightOptions {
    /// The interval of a group.
    pub fn interval(&self, group: Group) -> Interval {
        self.intervals[group as usize]
    }

    /// What a character weighs at least and at most, in billionths, whatever its term; nothing where lengths do not count.
    pub(crate) fn extremes(&self) -> Option<(u64, u64)> {
        let least = self.intervals.iter().map(|interval| interval.a).min();
        let most = self.intervals.iter().map(|interval| interval.b).max();
        match self.weighting {
            Weighting::Frequency | Weighting::Idf => least.zip(most),
            Weighting::Log => None,
        }
    }

    /// Gives a group another interval.
    pub fn set(&mut self, group: Group, interval: Interval) {
        self.intervals[group as usize] = interval;
    }

    /// Takes the intervals that a TOML file names: `noun = [0.9, 1.0]`, one line a group. The others stay as they are.
    ///
    /// # Errors
    /// When the file cannot be read, is no TOML, names no group, or an interval is out of range.
    pub fn read(&mut self, path: &Path) -> Result<()> {
        let text = files::read_to_string(path).map_err(io_error("read", path))?;
        self.parse(&text).map_err(|reason| Error::BadFile {
            path: path.to_owned(),
            reason,
        })
    }

    fn parse(&mut self, text: &str) -> Result<(), String> {
        let table: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
        for (name, value) in &table {
            let names = || Group::ALL.map(Group::name).join(", ");
            let group = Group::from_name(name).ok_or_else(|| {
                format!("`{name}` is no group of terms; the groups are {}", names())
            })?;
            let interval = interval(value).ok_or_else(|| {
                format!("`{name} = {value}`: give two numbers such as [0.2, 0.5], the first above 0 and at most the second, which is at most {MOST}")
            })?;
            self.set(group, interval);
        }
        Ok(())
    }
}

fn interval(value: &toml::Value) -> Option<Interval> {
    let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|n| n as f64));
    match value.as_array()?.as_slice() {
        [a, b] => Interval::new(number(a)?, number(b)?),
        _ => None,
    }
}

/// The frequencies of the most and of the least frequent term of a group; both 0 for a group without terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrequencyRange {
    /// F: of the most frequent term.
    pub max: u64,
    /// F′: of the least frequent one.
    pub min: u64,
}

impl FrequencyRange {
    /// Takes in the frequency of one more term.
    pub fn add(&mut self, frequency: u64) {
        if self.max == 0 {
            self.min = frequency;
        }
        self.max = self.max.max(frequency);
        self.min = self.min.min(frequency);
    }
}

/// What a term of `length` characters weighs. A term that the background does not know counts as its group's rarest.
pub fn weight(
    options: &WeightOptions,
    group: Group,
    ranges: &[FrequencyRange; Group::ALL.len()],
    frequency: u64,
    length: u64,
) -> u64 {
    let range = ranges[group as usize];
    let Interval { a, b } = options.interval(group);
    let frequency = frequency.clamp(range.min, range.max);
    let (part, whole) = match options.weighting {
        Weighting::Frequency => (frequency - range.min, range.max - range.min),
        Weighting::Idf => (range.max - frequency, range.max - range.min),
        Weighting::Log => {
            let most = ranges.iter().map(|range| range.max).max().unwrap_or(0);
            return log_weight(most, frequency);
        }
    };
    let share = match whole {
        0 => 0,
        whole => (u128::from(b - a) * u128::from(part) + u128::from(whole) / 2) / u128::from(whole),
    };
    (a + share as u64).saturating_mul(length)
}

/// ln(1 + most/frequency), in whole millionths so that it is the same on every machine.
fn log_weight(most: u64, frequency: u64) -> u64 {
    let rarity = most.max(1) as f64 / frequency.max(1) as f64;
    (rarity.ln_1p() * 1e6).round() as u64 * (UNIT / 1_000_000)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn options(a: f64, b: f64) -> WeightOptions {
        let mut options = WeightOptions::default();
        options.set(Group::Noun, Interval::new(a, b).unwrap());
        options
    }

    fn noun(options: &WeightOptions, range: (u64, u64), frequency: u64, length: u64) -> f64 {
        let mut ranges = [FrequencyRange::default(); Group::ALL.len()];
        ranges[Group::Noun as usize] = FrequencyRange {
            min: range.0,
            max: range.1,
        };
        weight(options, Group::Noun, &ranges, frequency, length) as f64 / UNIT as f64
    }

    #[test]
    fn equations_by_hand() {
        let options = options(2.0, 4.0);
        // Equation 1: (4 − 2)(30 − 10)/(50 − 10) + 2 = 3.
        assert_eq!(noun(&options, (10, 50), 30, 1), 3.0);
        assert_eq!(noun(&options, (10, 50), 10, 1), 2.0);
        assert_eq!(noun(&options, (10, 50), 50, 1), 4.0);
        // Equation 2: the same times the length.
        assert_eq!(noun(&options, (10, 50), 30, 4), 12.0);
        // (4 − 2)(11 − 10)/(13 − 10) + 2, thirds.
        assert!((noun(&options, (10, 13), 11, 1) - 8.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_group_of_one_frequency_and_unknown_terms_weigh_a() {
        let options = options(2.0, 4.0);
        assert_eq!(noun(&options, (7, 7), 7, 3), 6.0);
        assert_eq!(noun(&options, (0, 0), 0, 3), 6.0);
        assert_eq!(noun(&options, (10, 50), 0, 1), 2.0);
    }

    #[test]
    fn idf_runs_the_other_way() {
        let mut options = options(2.0, 4.0);
        options.weighting = Weighting::Idf;
        assert_eq!(noun(&options, (10, 50), 10, 1), 4.0);
        assert_eq!(noun(&options, (10, 50), 50, 1), 2.0);
        assert_eq!(noun(&options, (10, 50), 20, 1), 3.5);
        assert_eq!(noun(&options, (7, 7), 7, 1), 2.0);
    }

    #[test]
    fn logarithms_know_no_interval_and_no_length() {
        let mut options = options(2.0, 4.0);
        options.weighting = Weighting::Log;
        let least = (std::f64::consts::LN_2 * 1e6).round() / 1e6;
        assert_eq!(noun(&options, (1, 100), 100, 1), least);
        assert_eq!(noun(&options, (1, 100), 1, 7), 4.615_121);
        assert_eq!(noun(&options, (0, 0), 0, 7), least);
    }

    #[test]
    fn files_change_what_they_name() {
        let mut options = WeightOptions::default();
        options
            .parse("noun = [3, 5]\n# less\nproper-noun = [0.5, 0.5]\n")
            .unwrap();
        assert_eq!(options.interval(Group::Noun).b(), 5.0);
        assert_eq!(options.interval(Group::ProperNoun).a(), 0.5);
        let verb = WeightOptions::default().interval(Group::Verb);
        assert_eq!(options.interval(Group::Verb), verb);
    }

    #[test]
    fn bad_files_say_what_is_wrong() {
        for (text, part) in [
            ("nouns = [1, 2]", "`nouns` is no group"),
            ("noun = [2, 1]", "the first above 0"),
            ("noun = [0, 1]", "the first above 0"),
            ("noun = [-1, 1]", "the first above 0"),
            ("noun = [1, nan]", "the first above 0"),
            ("noun = [1, 2000]", "at most 100"),
            ("noun = 3", "give two numbers"),
            ("noun = [1, 2", "line 1"),
        ] {
            let error = WeightOptions::default().parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn weights_follow_the_formula(
            a in 0.001f64..50.0, more in 0.0f64..50.0, min in 0u64..1000, span in 0u64..1000, above in 0u64..1000, length in 1u64..100,
        ) {
            let b = a + more;
            let frequency = min + above.min(span);
            let found = noun(&options(a, b), (min, min + span), frequency, length);
            let place = if span == 0 { 0.0 } else { (frequency - min) as f64 / span as f64 };
            let expected = ((b - a) * place + a) * length as f64;
            prop_assert!((found - expected).abs() <= 2e-9 * length as f64 * (1.0 + b), "{found} {expected}");
        }
    }
}
