//! F_m: the m smallest values of a text's shingles under one permutation of the 64-bit numbers.
//!
//! The m smallest values of two texts together are a random sample of their union, drawn without putting back; the share of
//! it that stands in both texts is an unbiased estimate of the resemblance.

use super::merge::common_of_union;
use super::shuffle::Shuffle;

/// A permutation, and how many of the smallest values to keep.
#[derive(Clone, Copy, Debug)]
pub struct Smallest {
    most: usize,
    shuffle: Shuffle,
}

impl Smallest {
    /// Keeps the `m` smallest values under the permutation of a seed.
    pub fn new(m: usize, seed: u64) -> Self {
        Self {
            most: m,
            shuffle: Shuffle::new(seed),
        }
    }

    /// Puts the sketch into `out` in place of what it held: sorted, without repeats, fewer than m values if the text has fewer
    /// distinct shingles.
    ///
    /// Only values up to a limit are sorted, one that m values and some more should pass. If repeats leave fewer than m, the limit
    /// is raised and the shingles are scanned again.
    pub fn sketch(&self, shingles: &[u64], out: &mut Vec<u64>) {
        let mut limit = self.first_limit(shingles.len());
        loop {
            let low = |value| value <= limit;
            self.shuffle.select(shingles, out, low);
            if out.len() >= self.most || limit == u64::MAX {
                break;
            }
            limit = limit.saturating_mul(4);
        }
        out.truncate(self.most);
    }

    /// A limit that about m + 4√m of `count` distinct shingles pass, so that fewer than m pass once in thirty thousand texts.
    fn first_limit(&self, count: usize) -> u64 {
        let more = 4 * self.most.isqrt() + 8;
        let wanted = self.most.saturating_add(more);
        if wanted >= count {
            return u64::MAX;
        }
        u64::MAX / count as u64 * wanted as u64
    }
}

/// Resemblance as a fraction, from two sketches of at most `m` values: how many of the m smallest values of both together stand
/// in both, and how many those are (fewer than m if the texts have fewer; none if both are empty).
pub fn estimate(a: &[u64], b: &[u64], m: usize) -> (u32, u32) {
    common_of_union(a, b, m)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::trials::{Trials, golden_text};
    use super::*;

    /// Sketch into a buffer that holds something else.
    fn sketch(smallest: &Smallest, shingles: &[u64]) -> Vec<u64> {
        let mut out = vec![0, 0, 7];
        smallest.sketch(shingles, &mut out);
        out
    }

    fn permuted(seed: u64, shingles: &[u64]) -> BTreeSet<u64> {
        let shuffle = Shuffle::new(seed);
        shingles
            .iter()
            .map(|&shingle| shuffle.apply(shingle))
            .collect()
    }

    /// Shingles of which some stand more than once.
    fn with_repeats() -> impl Strategy<Value = Vec<u64>> {
        (vec(any::<u64>(), 0..40), vec(any::<usize>(), 0..600)).prop_map(|(distinct, places)| {
            let repeats = places
                .iter()
                .filter_map(|place| distinct.get(place % distinct.len().max(1)));
            distinct.iter().chain(repeats).copied().collect()
        })
    }

    #[test]
    fn golden() {
        // Computed a second time in Python, from the descriptions.
        let expected = [
            0x010D_BC23_2504_9DBB_u64,
            0x0328_6E38_20E4_3013,
            0x0332_786C_6ADE_B110,
            0x04E7_49DD_4BCC_114E,
            0x067F_0194_97D3_B1ED,
        ];
        assert_eq!(sketch(&Smallest::new(5, 7), &golden_text()), expected);
    }

    #[test]
    fn nothing_has_an_empty_sketch() {
        assert!(sketch(&Smallest::new(5, 7), &[]).is_empty());
        assert!(sketch(&Smallest::new(0, 7), &golden_text()).is_empty());
        assert_eq!(estimate(&[], &[], 5), (0, 0));
        assert_eq!(estimate(&[], &[3, 4], 5), (0, 2));
    }

    #[test]
    fn any_m_will_do() {
        assert_eq!(
            sketch(&Smallest::new(usize::MAX, 7), &golden_text()).len(),
            100
        );
    }

    #[test]
    fn a_limit_that_repeats_make_too_low_is_raised() {
        let shingles: Vec<u64> = golden_text()
            .iter()
            .copied()
            .cycle()
            .take(100_000)
            .collect();
        let smallest = Smallest::new(60, 1);
        assert!(smallest.first_limit(shingles.len()) < u64::MAX / 1000);
        let expected: Vec<u64> = permuted(1, &shingles).into_iter().take(60).collect();
        assert_eq!(sketch(&smallest, &shingles), expected);
    }

    #[test]
    fn estimate_follows_theory() {
        for (common, union) in [(60, 200), (700, 1000), (950, 1000)] {
            let trials = Trials {
                common,
                union,
                count: 3000,
            };
            let smallest = Smallest::new(100, 5);
            trials.check(trials.sample_variance(100.0), |a, b| {
                estimate(&sketch(&smallest, a), &sketch(&smallest, b), 100)
            });
        }
    }

    proptest! {
        #[test]
        fn is_the_first_of_all_sorted(shingles in with_repeats(), m in 0..60_usize, seed in any::<u64>()) {
            let expected: Vec<u64> = permuted(seed, &shingles).into_iter().take(m).collect();
            prop_assert_eq!(sketch(&Smallest::new(m, seed), &shingles), expected);
        }

        #[test]
        fn long_texts_too(shingles in vec(any::<u64>(), 500..3000), m in 1..300_usize) {
            let expected: Vec<u64> = permuted(1, &shingles).into_iter().take(m).collect();
            prop_assert_eq!(sketch(&Smallest::new(m, 1), &shingles), expected);
        }

        #[test]
        fn estimate_is_the_slides_formula(all in vec(any::<u64>(), 0..60), x in 0..60_usize, y in 0..60_usize, m in 0..50_usize) {
            let (a, b) = (&all[..x.min(all.len())], &all[y.min(all.len())..]);
            let smallest = Smallest::new(m, 3);
            let (a, b) = (sketch(&smallest, a), sketch(&smallest, b));
            let (a_set, b_set) = (BTreeSet::from_iter(a.clone()), BTreeSet::from_iter(b.clone()));
            let union: BTreeSet<u64> = a_set.union(&b_set).copied().take(m).collect();
            let common = union.iter().filter(|value| a_set.contains(value) && b_set.contains(value)).count();
            prop_assert_eq!(estimate(&a, &b, m), (common as u32, union.len() as u32));
            prop_assert_eq!(estimate(&b, &a, m), (common as u32, union.len() as u32));
        }

        #[test]
        fn a_set_resembles_itself(shingles in with_repeats(), m in 0..60_usize) {
            let mut other = shingles.clone();
            other.reverse();
            let smallest = Smallest::new(m, 3);
            let (a, b) = (sketch(&smallest, &shingles), sketch(&smallest, &other));
            prop_assert_eq!(estimate(&a, &b, m), (a.len() as u32, a.len() as u32));
        }

        #[test]
        fn exact_if_m_is_no_less_than_the_union(all in vec(any::<u64>(), 0..60), x in 0..60_usize, y in 0..60_usize) {
            let (a, b) = (&all[..x.min(all.len())], &all[y.min(all.len())..]);
            let (a_set, b_set) = (permuted(3, a), permuted(3, b));
            let expected = (a_set.intersection(&b_set).count() as u32, a_set.union(&b_set).count() as u32);
            let smallest = Smallest::new(60, 3);
            prop_assert_eq!(estimate(&sketch(&smallest, a), &sketch(&smallest, b), 60), expected);
        }
    }
}
