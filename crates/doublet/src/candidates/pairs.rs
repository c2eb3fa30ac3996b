//! Counts how many selected shingles each pair of texts shares.
//!
//! Pairs arrive one shared shingle at a time, are partitioned by their first text, sorted and counted.

use std::path::PathBuf;

use super::CandidatePair;
use super::partition::{Feeder, Partitions};
use crate::error::Result;
use crate::parallel;

/// Pairs in one partition that are sorted well within the cache.
const PER_PARTITION: u64 = 1 << 17;

/// The pairs seen so far.
pub(crate) struct PairCounts {
    partitions: Partitions,
    texts_per_partition: u32,
}

impl PairCounts {
    /// For pairs whose first text is below `texts`, about `expected` in number.
    pub(crate) fn new(texts: u32, expected: u64, budget: u64, path: PathBuf) -> Self {
        let count = (expected / PER_PARTITION).clamp(1, 1024) as u32;
        let texts_per_partition = texts.div_ceil(count).max(1);
        let count = texts.div_ceil(texts_per_partition).max(1);
        Self {
            partitions: Partitions::new(count as usize, budget, path),
            texts_per_partition,
        }
    }

    /// A way in for one worker.
    pub(crate) fn feeder(&self) -> PairFeeder<'_> {
        PairFeeder {
            feeder: self.partitions.feeder(),
            texts_per_partition: self.texts_per_partition,
        }
    }

    /// The pairs that `accept` takes, given the number of times each was pushed, in order of the first text, then the second.
    pub(crate) fn candidates(
        self,
        threads: usize,
        accept: impl Fn(u32, u32, u32) -> bool + Sync,
    ) -> Result<Vec<CandidatePair>> {
        let parts = parallel::map(threads, self.partitions.count(), |part| {
            let mut pairs = self.partitions.take(part)?;
            pairs.sort_unstable();
            let runs = pairs.chunk_by(|x, y| x == y);
            let accepted = runs.filter_map(|run| {
                let (a, b) = ((run[0] >> 32) as u32, run[0] as u32);
                accept(a, b, run.len() as u32).then_some(CandidatePair { a, b })
            });
            Ok(accepted.collect::<Vec<_>>())
        })?;
        Ok(parts.concat())
    }
}

/// One worker's way into the counts.
pub(crate) struct PairFeeder<'a> {
    feeder: Feeder<'a>,
    texts_per_partition: u32,
}

impl PairFeeder<'_> {
    /// Counts one shared shingle of the pair in the given order.
    #[inline(always)]
    pub(crate) fn push(&mut self, a: u32, b: u32) -> Result<()> {
        let part = (a / self.texts_per_partition) as usize;
        self.feeder.push(part, u64::from(a) << 32 | u64::from(b))
    }

    /// Hands on what is held back.
    pub(crate) fn finish(self) -> Result<()> {
        self.feeder.finish()
    }
}
