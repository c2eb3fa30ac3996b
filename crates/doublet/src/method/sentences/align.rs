//! Passages: which stretch of one text stands where in the other.
//!
//! Works on units of any kind, sentences, shingles or terms, by their places: unit `i` of the first text stands at some places of
//! the second. Runs that go on in both texts are one passage.

use std::ops::Range;

/// Places tried for the start of a run; a unit that stands in more is taken at the first ones.
pub const TRIED: usize = 16;

/// Units of the first text and the same units of the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Units of the first text.
    pub here: Range<u32>,
    /// First unit of the second.
    pub there: u32,
}

/// Covers every unit of the first text that stands somewhere in the second, from left to right, each by the longest run that starts
/// there; of runs as long, the first in the second text. `places` gives the places of a unit, in order.
pub fn align<'a>(count: u32, places: impl Fn(u32) -> &'a [u32]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut unit = 0;
    while unit < count {
        let mut best: Option<Run> = None;
        for &there in places(unit).iter().take(TRIED) {
            let length = run_length(unit, there, count, &places);
            if best
                .as_ref()
                .is_none_or(|best| length > best.here.len() as u32)
            {
                best = Some(Run {
                    here: unit..unit + length,
                    there,
                });
            }
        }
        unit = best.as_ref().map_or(unit + 1, |run| run.here.end);
        runs.extend(best);
    }
    runs
}

fn run_length<'a>(unit: u32, there: u32, count: u32, places: impl Fn(u32) -> &'a [u32]) -> u32 {
    let goes_on = |step: &u32| {
        let place = there.checked_add(*step);
        place.is_some_and(|place| places(unit + step).binary_search(&place).is_ok())
    };
    1 + (1..count - unit).take_while(goes_on).count() as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn aligned(a: &str, b: &str) -> Vec<(Range<u32>, u32)> {
        let places: Vec<Vec<u32>> = a
            .bytes()
            .map(|unit| {
                (0..)
                    .zip(b.bytes())
                    .filter(|(_, other)| *other == unit)
                    .map(|(at, _)| at)
                    .collect()
            })
            .collect();
        let runs = align(a.len() as u32, |unit| places[unit as usize].as_slice());
        runs.into_iter().map(|run| (run.here, run.there)).collect()
    }

    #[test]
    fn runs_go_on_in_both_texts() {
        assert_eq!(aligned("xabcy", "zabc"), [(1..4, 1)]);
        assert_eq!(aligned("abcd", "cdab"), [(0..2, 2), (2..4, 0)]);
        assert_eq!(aligned("ab", "aab"), [(0..2, 1)]);
        assert_eq!(aligned("", "a"), []);
    }

    proptest! {
        #[test]
        fn every_shared_unit_is_covered_once(a in "[a-d]{0,20}", b in "[a-d]{0,20}") {
            let runs = aligned(&a, &b);
            let mut covered = vec![false; a.len()];
            for (here, there) in runs {
                for step in 0..here.len() {
                    let at = here.start as usize + step;
                    prop_assert!(!covered[at]);
                    covered[at] = true;
                    prop_assert_eq!(a.as_bytes()[at], b.as_bytes()[there as usize + step]);
                }
            }
            for (at, unit) in a.bytes().enumerate() {
                prop_assert_eq!(covered[at], b.bytes().any(|other| other == unit));
            }
        }
    }
}
