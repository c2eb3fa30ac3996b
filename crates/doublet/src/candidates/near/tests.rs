//! The search against comparing all with all.

use super::*;
use crate::method::simhash::distance;

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// `value` with up to so many bits turned.
    fn near(&mut self, value: u64, most: u64) -> u64 {
        let turns = self.next() % (most + 1);
        (0..turns).fold(value, |value, _| value ^ 1 << (self.next() % 64))
    }
}

/// Different fingerprints, many of them near to others.
fn planted(count: usize, most: u32, seed: u64) -> Vec<u64> {
    let mut numbers = Numbers(seed);
    let mut values: Vec<u64> = Vec::new();
    while values.len() < count {
        let fresh = values.is_empty() || numbers.next().is_multiple_of(4);
        let value = match fresh {
            true => numbers.next(),
            false => {
                let old = values[numbers.next() as usize % values.len()];
                numbers.near(old, u64::from(most) + 1)
            }
        };
        values.push(value);
    }
    values.sort_unstable();
    values.dedup();
    values
}

fn slow(values: &[u64], most: u32, wanted: &dyn Fn(u32, u32) -> bool) -> Vec<CandidatePair> {
    let mut pairs = Vec::new();
    for (a, &x) in (0..).zip(values) {
        for (b, &y) in (0..).zip(values).skip(a as usize + 1) {
            if distance(x, y) <= most && wanted(a, b) {
                pairs.push(CandidatePair { a, b });
            }
        }
    }
    pairs
}

/// The set of each number.
fn sets(count: usize, pairs: &[CandidatePair]) -> Vec<u32> {
    let mut union = UnionFind::new(count);
    pairs.iter().for_each(|pair| {
        union.union(pair.a, pair.b);
    });
    (0..count as u32).map(|place| union.find(place)).collect()
}

fn with_search<T>(
    values: &[u64],
    plan: BlockPlan,
    wanted: &(dyn Fn(u32, u32) -> bool + Sync),
    (threads, budget): (usize, u64),
    run: impl FnOnce(&NearSearch<'_>) -> T,
) -> T {
    let directory = tempfile::tempdir().unwrap();
    run(&NearSearch {
        fingerprints: values,
        plan,
        weight: &|a, b| u64::from(wanted(a, b)),
        limits: &Limits {
            most_matches: u64::MAX,
            too_many: &crate::error::Error::TooManyPairs,
            added_up: &std::sync::atomic::AtomicU64::new(0),
            threads,
            budget,
            directory: directory.path(),
            tick: &|| Ok(()),
        },
    })
}

fn check(values: &[u64], plan: BlockPlan, wanted: &(dyn Fn(u32, u32) -> bool + Sync)) {
    let expected = slow(values, plan.distance, wanted);
    let mut before = None;
    for resources in [(1, u64::MAX), (3, 0)] {
        with_search(values, plan, wanted, resources, |search| {
            let mut all = search.all(0, u64::MAX).unwrap().unwrap();
            all.pairs.sort_unstable();
            assert_eq!(all.pairs, expected, "{plan:?}");
            let few = expected.len() as u64;
            assert!(search.all(0, few).unwrap().is_some());
            assert!(few == 0 || search.all(1, few).unwrap().is_none());
            let found = search.connecting().unwrap();
            let connected = sets(values.len(), &found.pairs);
            assert_eq!(connected, sets(values.len(), &expected), "{plan:?}");
            let roots = (0..).zip(&connected).filter(|(place, set)| place == *set);
            assert_eq!(found.pairs.len() + roots.count(), values.len());
            // The same work and the same pairs for any threads and memory.
            let this = (all.compared, found);
            assert!(before.is_none() || before.as_ref() == Some(&this));
            before = Some(this);
        });
    }
}

#[test]
fn every_distance_is_complete() {
    for most in 0..=16 {
        let values = planted(300, most, u64::from(most));
        check(&values, BlockPlan::new(most, values.len()), &|_, _| true);
        for agreeing in 1..=3.min(5 - most.min(12) / 4) {
            let plan = BlockPlan {
                distance: most,
                blocks: most + agreeing,
                agreeing,
            };
            check(&values, plan, &|_, _| true);
        }
    }
}

#[test]
fn what_is_not_asked_for_connects_nothing() {
    for most in [1, 3, 6] {
        let values = planted(400, most, 77);
        // Two references are no pair.
        let wanted = |a: u32, b: u32| a.is_multiple_of(3) || b.is_multiple_of(3);
        check(&values, BlockPlan::new(most, 1_000_000), &wanted);
    }
}

#[test]
fn long_runs_are_compared_by_all_threads() {
    // All agree in the upper half.
    let values: Vec<u64> = planted(16_000, 2, 5)
        .iter()
        .map(|value| value >> 32)
        .collect();
    let mut values: Vec<u64> = values.into_iter().map(|value| value | 7 << 32).collect();
    values.sort_unstable();
    values.dedup();
    assert!(values.len() > LONG);
    let plan = BlockPlan {
        distance: 2,
        blocks: 4,
        agreeing: 2,
    };
    check(&values, plan, &|_, _| true);
}
