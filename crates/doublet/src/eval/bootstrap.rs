//! How sure a measure is: the spread of its value when the units it rests on are drawn again.
//!
//! A unit is what is drawn: a labelled pair, a labelled text, or all texts of one true cluster. Each unit has a few numbers, and
//! a measure is computed from their sums. Every unit is drawn a number of times that follows the Poisson distribution of mean 1,
//! which for many units is drawing with replacement. Units of the same numbers are drawn together.

use serde::Serialize;

use hashbrown::HashMap;

use crate::random::Random;

/// Numbers of a unit.
pub(super) const COLUMNS: usize = 11;
/// How often all is drawn.
const DRAWS: usize = 1000;
/// The share of the draws that lies within the interval.
const WITHIN: f64 = 0.95;

/// The numbers of a unit, or their sums.
pub(super) type Numbers = [f64; COLUMNS];

/// A measure with the interval that 95 of 100 draws lie in; nothing where it has no value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Measure {
    /// The measure.
    pub value: Option<f64>,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// The sums of all units.
pub(super) fn sums(units: &[Numbers]) -> Numbers {
    let mut sums = [0.0; COLUMNS];
    for unit in units {
        add(&mut sums, unit, 1.0);
    }
    sums
}

fn add(sums: &mut Numbers, unit: &Numbers, times: f64) {
    for (sum, number) in sums.iter_mut().zip(unit) {
        *sum += number * times;
    }
}

/// Each measure of the units with its interval.
pub(super) fn measures<const N: usize>(
    units: &[Numbers],
    seed: u64,
    of: [fn(&Numbers) -> Option<f64>; N],
) -> [Measure; N] {
    let mut counts: HashMap<[u64; COLUMNS], u64> = HashMap::new();
    for unit in units {
        *counts.entry(unit.map(f64::to_bits)).or_default() += 1;
    }
    let mut kinds: Vec<([u64; COLUMNS], u64)> = counts.into_iter().collect();
    kinds.sort_unstable();
    let kinds = kinds.into_iter();
    let kinds = kinds.map(|(bits, count)| (bits.map(f64::from_bits), count));
    let kinds: Vec<(Numbers, u64)> = kinds.collect();
    let all = sums(units);
    let mut drawn: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(DRAWS));
    let mut random = Random::new(seed);
    for _ in 0..DRAWS {
        let mut sums = [0.0; COLUMNS];
        for (unit, count) in &kinds {
            add(&mut sums, unit, random.poisson(*count as f64));
        }
        for (values, measure) in drawn.iter_mut().zip(of) {
            values.extend(measure(&sums));
        }
    }
    let mut of = of.into_iter();
    drawn.map(|values| {
        let value = of.next().and_then(|measure| measure(&all));
        interval(value, values)
    })
}

fn interval(value: Option<f64>, mut drawn: Vec<f64>) -> Measure {
    if value.is_none() || drawn.is_empty() {
        return Measure {
            value,
            ..Measure::default()
        };
    }
    drawn.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| drawn[(share * (drawn.len() - 1) as f64).round() as usize];
    Measure {
        value,
        low: Some(at((1.0 - WITHIN) / 2.0)),
        high: Some(at((1.0 + WITHIN) / 2.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(hit: f64) -> Numbers {
        let mut unit = [0.0; COLUMNS];
        (unit[0], unit[1]) = (hit, 1.0);
        unit
    }

    fn share(sums: &Numbers) -> Option<f64> {
        (sums[1] > 0.0).then(|| sums[0] / sums[1])
    }

    #[test]
    fn intervals_are_as_wide_as_theory_says() {
        // A share of 0.8 among 400: its standard error is 0.02.
        let units: Vec<Numbers> = (0..400)
            .map(|at| unit(f64::from(u8::from(at % 5 != 0))))
            .collect();
        let [found] = measures(&units, 1, [share]);
        assert_eq!(found.value, Some(0.8));
        let (low, high) = (found.low.unwrap(), found.high.unwrap());
        assert!((low - (0.8 - 1.96 * 0.02)).abs() < 0.008, "{low}");
        assert!((high - (0.8 + 1.96 * 0.02)).abs() < 0.008, "{high}");
    }

    #[test]
    fn nothing_to_measure_has_no_value() {
        let [found] = measures(&[], 1, [share]);
        assert_eq!(found, Measure::default());
        let [sure] = measures(&[unit(1.0); 30], 1, [share]);
        assert_eq!(
            (sure.value, sure.low, sure.high),
            (Some(1.0), Some(1.0), Some(1.0))
        );
    }
}
