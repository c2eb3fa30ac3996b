//! V_n: those values of a text's shingles, under one permutation of the 64-bit numbers, that n divides.
//!
//! Every shingle is in or out by itself, wherever it stands: about one in n. Of two texts the sketches have what is in of their
//! intersection and union, and the ratio of the two counts is an unbiased estimate of the resemblance as long as anything is in.

use std::num::NonZeroU64;

use super::merge::common_of_union;
use super::shuffle::Shuffle;

/// A permutation, and a divisor.
#[derive(Clone, Copy, Debug)]
pub struct Modulo {
    divisor: Divisor,
    shuffle: Shuffle,
}

impl Modulo {
    /// Keeps the values that `n` divides under the permutation of a seed. With n = 1 all are kept, and the estimate is exact.
    pub fn new(n: NonZeroU64, seed: u64) -> Self {
        Self {
            divisor: Divisor::new(n),
            shuffle: Shuffle::new(seed),
        }
    }

    /// Puts the sketch into `out` in place of what it held: sorted, without repeats, empty if no shingle is in.
    pub fn sketch(&self, shingles: &[u64], out: &mut Vec<u64>) {
        let kept = |value| self.divisor.divides(value);
        self.shuffle.select(shingles, out, kept);
    }
}

/// Resemblance as a fraction, from two sketches: the sizes of their intersection and union. 0 of 0 says nothing.
pub fn estimate(a: &[u64], b: &[u64]) -> (u32, u32) {
    common_of_union(a, b, usize::MAX)
}

/// Tells multiples of a number without dividing: to multiply by the inverse of its odd part and rotate its powers of two away
/// takes multiples, and only them, to the smallest numbers (Granlund and Montgomery 1994, section 9).
#[derive(Clone, Copy, Debug)]
struct Divisor {
    inverse: u64,
    twos: u32,
    largest: u64,
}

impl Divisor {
    fn new(n: NonZeroU64) -> Self {
        let twos = n.trailing_zeros();
        let odd = n.get() >> twos;
        // An odd number is its own inverse modulo 8, and each step of Newton's doubles the bits that are right.
        let mut inverse = odd;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        Self {
            inverse,
            twos,
            largest: u64::MAX / n,
        }
    }

    #[inline(always)]
    fn divides(self, value: u64) -> bool {
        value.wrapping_mul(self.inverse).rotate_right(self.twos) <= self.largest
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::trials::{Trials, golden_text};
    use super::*;

    fn modulo(n: u64, seed: u64) -> Modulo {
        Modulo::new(NonZeroU64::new(n).unwrap(), seed)
    }

    /// Sketch into a buffer that holds something else.
    fn sketch(modulo: &Modulo, shingles: &[u64]) -> Vec<u64> {
        let mut out = vec![0, 0, 7];
        modulo.sketch(shingles, &mut out);
        out
    }

    /// The definition.
    fn brute_force(n: u64, seed: u64, shingles: &[u64]) -> BTreeSet<u64> {
        let shuffle = Shuffle::new(seed);
        let values = shingles.iter().map(|&shingle| shuffle.apply(shingle));
        values.filter(|value| value % n == 0).collect()
    }

    /// Mean of the variance over the sizes that the sample of a union may have, unless it has none: each shingle is in with
    /// probability 1 / n.
    fn theory(trials: &Trials, n: f64) -> f64 {
        let (union, odds) = (trials.union as f64, 1.0 / (n - 1.0));
        let mut probability = (1.0 - 1.0 / n).powf(union);
        let something = 1.0 - probability;
        let mut sum = 0.0;
        for size in 1..=trials.union {
            let size = size as f64;
            probability *= (union - size + 1.0) / size * odds;
            sum += probability * trials.sample_variance(size);
        }
        sum / something
    }

    #[test]
    fn golden() {
        // Computed a second time in Python, from the descriptions.
        let expected = [
            0x984A_2F64_7AEE_EC74_u64,
            0xBA92_6976_E8A1_BE0C,
            0xD220_4415_4E41_BD5C,
            0xE1BB_A07C_E641_28F4,
        ];
        assert_eq!(sketch(&modulo(20, 7), &golden_text()), expected);
    }

    #[test]
    fn nothing_has_an_empty_sketch() {
        assert!(sketch(&modulo(1, 7), &[]).is_empty());
        assert_eq!(estimate(&[], &[]), (0, 0));
        assert_eq!(estimate(&[], &[3, 4]), (0, 2));
    }

    #[test]
    fn estimate_follows_theory() {
        for (common, union, n) in [(7, 10, 4), (60, 200, 2), (700, 1000, 10), (950, 1000, 8)] {
            let trials = Trials {
                common,
                union,
                count: 4000,
            };
            let modulo = modulo(n, 5);
            trials.check(theory(&trials, n as f64), |a, b| {
                estimate(&sketch(&modulo, a), &sketch(&modulo, b))
            });
        }
    }

    proptest! {
        #[test]
        fn divides_as_division_does(n in 1..u64::MAX, small in 1..100_u64, shift in 0..64_u32, value in any::<u64>()) {
            for n in [n, small, 1 << shift, u64::MAX] {
                let divisor = Divisor::new(NonZeroU64::new(n).unwrap());
                for value in [value, value / n * n, 0, n, n - 1, u64::MAX] {
                    prop_assert_eq!(divisor.divides(value), value % n == 0, "{} by {}", value, n);
                }
            }
        }

        #[test]
        fn is_the_multiples(mut shingles in vec(any::<u64>(), 0..200), n in 1..20_u64, seed in any::<u64>()) {
            shingles.extend_from_within(shingles.len() / 2..);
            let expected = Vec::from_iter(brute_force(n, seed, &shingles));
            prop_assert_eq!(sketch(&modulo(n, seed), &shingles), expected);
        }

        #[test]
        fn estimate_counts_intersection_and_union(all in vec(any::<u64>(), 0..60), x in 0..60_usize, y in 0..60_usize, n in 1..4_u64) {
            let (a, b) = (&all[..x.min(all.len())], &all[y.min(all.len())..]);
            let (a_set, b_set) = (brute_force(n, 3, a), brute_force(n, 3, b));
            let expected = (a_set.intersection(&b_set).count() as u32, a_set.union(&b_set).count() as u32);
            let (a, b) = (sketch(&modulo(n, 3), a), sketch(&modulo(n, 3), b));
            prop_assert_eq!(estimate(&a, &b), expected);
            prop_assert_eq!(estimate(&b, &a), expected);
            prop_assert_eq!(estimate(&a, &a), (a.len() as u32, a.len() as u32));
        }

        #[test]
        fn exact_if_n_is_one(all in vec(any::<u64>(), 0..60), x in 0..60_usize, y in 0..60_usize) {
            let (a, b) = (&all[..x.min(all.len())], &all[y.min(all.len())..]);
            let (a_set, b_set) = (BTreeSet::from_iter(a), BTreeSet::from_iter(b));
            let expected = (a_set.intersection(&b_set).count() as u32, a_set.union(&b_set).count() as u32);
            prop_assert_eq!(estimate(&sketch(&modulo(1, 3), a), &sketch(&modulo(1, 3), b)), expected);
        }
    }
}
