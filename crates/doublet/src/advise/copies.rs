//! How many texts repeat an earlier one.
//!
//! Texts are told apart by a hash. Where there are too many different ones to keep them all, those are kept whose hash ends in
//! so many zero bits: of every text all copies are counted or none, so that the share of copies stays a fair estimate, and the
//! outcome depends on neither the order of the texts nor the number of threads.

use hashbrown::HashMap;

/// Different texts that are counted at most.
const MOST: usize = 1 << 20;

/// Counts how often each hash occurs.
#[derive(Debug)]
pub(super) struct CopyCounter {
    counts: HashMap<u64, u32>,
    /// Zero bits that a hash must end in.
    level: u32,
    most: usize,
}

impl Default for CopyCounter {
    fn default() -> Self {
        Self::with_most(MOST)
    }
}

impl CopyCounter {
    fn with_most(most: usize) -> Self {
        Self {
            counts: HashMap::new(),
            level: 0,
            most,
        }
    }

    pub(super) fn add(&mut self, hash: u64) {
        self.add_times(hash, 1);
    }

    fn add_times(&mut self, hash: u64, times: u32) {
        if !is_kept(hash, self.level) {
            return;
        }
        let count = self.counts.entry(hash).or_insert(0);
        *count = count.saturating_add(times);
        while self.counts.len() > self.most && self.level < 63 {
            self.raise(self.level + 1);
        }
    }

    fn raise(&mut self, level: u32) {
        self.level = level;
        self.counts.retain(|hash, _| is_kept(*hash, level));
    }

    /// Takes in what another thread counted.
    pub(super) fn merge(&mut self, other: Self) {
        if other.level > self.level {
            self.raise(other.level);
        }
        // A sum: the order does not show.
        let counts = other.counts.into_iter();
        counts.for_each(|(hash, count)| self.add_times(hash, count));
    }

    /// How often a hash occurred; `None` when it was not counted.
    pub(super) fn count(&self, hash: u64) -> Option<u32> {
        self.counts.get(&hash).copied()
    }

    /// Share of what was counted that repeats something before it.
    pub(super) fn repeated_share(&self) -> f64 {
        match self.total() {
            0 => 0.0,
            total => (total - self.counts.len() as u64) as f64 / total as f64,
        }
    }

    /// Different hashes there are, about; exactly, unless only some were counted.
    pub(super) fn distinct(&self) -> f64 {
        self.counts.len() as f64 * (1u64 << self.level) as f64
    }

    /// Whether only some were counted.
    pub(super) fn is_sample(&self) -> bool {
        self.level > 0
    }

    fn total(&self) -> u64 {
        self.counts.values().map(|count| u64::from(*count)).sum()
    }
}

fn is_kept(hash: u64, level: u32) -> bool {
    hash.trailing_zeros() >= level
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn hash(number: u64) -> u64 {
        xxh3_64(&number.to_le_bytes())
    }

    proptest! {
        #[test]
        fn all_are_counted_where_they_fit(texts in prop::collection::vec(0u64..50, 0..300), cut in 0usize..300) {
            let mut seen = std::collections::BTreeSet::new();
            let repeated = texts.iter().filter(|text| !seen.insert(**text)).count();
            let (a, b) = texts.split_at(cut.min(texts.len()));
            let mut counters = [a, b].map(|part| {
                let mut counter = CopyCounter::default();
                part.iter().for_each(|text| counter.add(hash(*text)));
                counter
            });
            let [mut counter, other] = std::mem::take(&mut counters);
            counter.merge(other);
            let share = repeated as f64 / texts.len().max(1) as f64;
            prop_assert_eq!(counter.repeated_share(), share);
            prop_assert_eq!(counter.distinct(), seen.len() as f64);
            for text in seen {
                let times = texts.iter().filter(|other| **other == text).count();
                prop_assert_eq!(counter.count(hash(text)), Some(times as u32));
            }
        }

        #[test]
        fn a_sample_does_not_depend_on_who_counted(texts in prop::collection::vec(0u64..500, 0..900), threads in 1usize..5) {
            let count = |threads: usize| {
                let mut counters: Vec<CopyCounter> = (0..threads).map(|_| CopyCounter::with_most(64)).collect();
                for (at, text) in texts.iter().enumerate() {
                    counters[at % threads].add(hash(*text));
                }
                let mut all = CopyCounter::with_most(64);
                counters.into_iter().for_each(|counter| all.merge(counter));
                all
            };
            let (one, several) = (count(1), count(threads));
            prop_assert_eq!(one.level, several.level);
            prop_assert_eq!(one.repeated_share(), several.repeated_share());
        }
    }

    #[test]
    fn a_sample_is_fair() {
        let mut counter = CopyCounter::with_most(2000);
        // 100,000 texts, one in four of them twice.
        for text in 0..100_000u64 {
            counter.add(hash(text));
            if text % 4 == 0 {
                counter.add(hash(text));
            }
        }
        assert!(counter.is_sample());
        assert!((counter.repeated_share() - 0.2).abs() < 0.03);
        assert!((counter.distinct() / 100_000.0 - 1.0).abs() < 0.1);
    }
}
