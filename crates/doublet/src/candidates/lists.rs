//! Which texts have a key, and which pairs of texts share enough keys.
//!
//! A key is a number by which texts meet: a shingle of a prefix, a band of a sketch, a value of it. Postings are shared out by the
//! high bits of their keys, sorted, and those of a key that one text has alone are dropped.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::pairs::{Limits, PairSink, Round, count_pairs};
use super::partition::{Feeder, Partitions};
use super::{CandidatePair, Wanted};
use crate::error::Result;
use crate::parallel;

/// Postings in one partition, for the sort to stay within the cache.
const PER_PARTITION: u64 = 1 << 16;
const MOST_PARTITIONS: u64 = 2048;

/// The postings of all texts, by the high bits of their keys.
#[derive(Debug)]
pub(crate) struct Postings {
    partitions: Partitions,
    bits: u32,
}

impl Postings {
    /// For about so many postings, of which `budget` bytes stay in memory.
    pub(crate) fn new(expected: u64, budget: u64, directory: &Path) -> Self {
        let count = (expected / PER_PARTITION)
            .clamp(1, MOST_PARTITIONS)
            .next_power_of_two();
        Self::of(Partitions::new(count as usize, budget, directory))
    }

    /// Those in these partitions, whose number is a power of two.
    pub(crate) fn of(partitions: Partitions) -> Self {
        Self {
            bits: partitions.count().trailing_zeros(),
            partitions,
        }
    }

    /// Where they are.
    pub(crate) fn partitions(&self) -> &Partitions {
        &self.partitions
    }

    /// A way in for one worker.
    pub(crate) fn feeder(&self) -> PostingFeeder<'_> {
        PostingFeeder {
            feeder: self.partitions.feeder(),
            bits: self.bits,
        }
    }

    /// Groups the postings by key, for texts of such sizes; those of size 0 are left out.
    pub(crate) fn group(self, sizes: Vec<u32>, limits: &Limits<'_>) -> Result<Lists> {
        let shared: Vec<AtomicU32> = bytemuck::zeroed_vec(sizes.len());
        let parts = parallel::map(limits.threads, self.partitions.count(), |part| {
            let mut postings = self.partitions.take(part)?;
            postings.retain(|&posting| sizes[posting as u32 as usize] > 0);
            postings.sort_unstable();
            let mut counts = KeyCounts {
                postings: postings.len() as u64,
                ..KeyCounts::default()
            };
            let kept = keep_shared(&mut postings, &shared, &mut counts);
            self.partitions.append(part, &postings[..kept])?;
            (limits.tick)()?;
            Ok(counts)
        })?;
        let mut counts = KeyCounts::default();
        parts.iter().for_each(|part| counts.add(part));
        Ok(Lists {
            shared: shared.into_iter().map(AtomicU32::into_inner).collect(),
            postings: self,
            sizes,
            counts,
        })
    }
}

/// Moves the postings of keys that several texts have to the front and counts them for each text. Gives their number.
fn keep_shared(postings: &mut [u64], shared: &[AtomicU32], counts: &mut KeyCounts) -> usize {
    let (mut kept, mut start) = (0, 0);
    while start < postings.len() {
        let key = postings[start] >> 32;
        let mut end = start + 1;
        while end < postings.len() && postings[end] >> 32 == key {
            end += 1;
        }
        let count = end - start;
        counts.keys += 1;
        if count > 1 {
            for &posting in &postings[start..end] {
                shared[posting as u32 as usize].fetch_add(1, Relaxed);
            }
            postings.copy_within(start..end, kept);
            kept += count;
            counts.shared_keys += 1;
            counts.pairs += (count as u64) * (count as u64 - 1) / 2;
        }
        start = end;
    }
    kept
}

/// One worker's way into the postings. [`PostingFeeder::finish`] must be called at the end.
pub(crate) struct PostingFeeder<'a> {
    feeder: Feeder<'a>,
    bits: u32,
}

impl PostingFeeder<'_> {
    /// Adds a key of a text. Kept are the bits that choose the partition and the 32 behind them.
    #[inline(always)]
    pub(crate) fn push(&mut self, text: u32, key: u64) -> Result<()> {
        let part = key.checked_shr(64 - self.bits).unwrap_or(0) as usize;
        let rest = key << self.bits >> 32;
        self.feeder.push(part, rest << 32 | u64::from(text))
    }

    /// Hands on what is held back.
    pub(crate) fn finish(self) -> Result<()> {
        self.feeder.finish()
    }
}

/// When two texts share enough keys.
pub(crate) trait Rule: Sync {
    /// The largest size of a text that one of this size, and no larger, can match.
    fn largest(&self, size: u32) -> u64;

    /// Keys that a pair must share; texts come with their sizes.
    fn least(&self, a: (u32, u32), b: (u32, u32)) -> u32;
}

/// What the keys of a run come to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyCounts {
    /// Postings: a key of a text.
    pub(crate) postings: u64,
    /// Distinct keys.
    pub(crate) keys: u64,
    /// Keys that several texts have.
    pub(crate) shared_keys: u64,
    /// Pairs of texts for each of those.
    pub(crate) pairs: u64,
}

impl KeyCounts {
    fn add(&mut self, other: &Self) {
        self.postings += other.postings;
        self.keys += other.keys;
        self.shared_keys += other.shared_keys;
        self.pairs += other.pairs;
    }
}

/// The texts of each key that several have.
#[derive(Debug)]
pub(crate) struct Lists {
    postings: Postings,
    sizes: Vec<u32>,
    /// Keys of each text that another has too.
    shared: Vec<u32>,
    counts: KeyCounts,
}

impl Lists {
    /// What the keys come to.
    pub(crate) fn counts(&self) -> KeyCounts {
        self.counts
    }

    /// The candidates of a round under a rule.
    pub(crate) fn candidates(
        &self,
        rule: &impl Rule,
        wanted: Wanted,
        round: Round<'_>,
        limits: &Limits<'_>,
    ) -> Result<Vec<CandidatePair>> {
        let walk = Walk {
            lists: self,
            rule,
            wanted,
            round,
        };
        let each_part = |part: usize, sink: &mut dyn PairSink| {
            let mut texts = Vec::new();
            let postings = self.postings.partitions.copy(part)?;
            let mut groups = postings.chunk_by(|x, y| x >> 32 == y >> 32);
            groups.try_for_each(|group| walk.push_pairs(group, &mut texts, sink))
        };
        let accept = |a: u32, b: u32, count: u32| count >= round.least(walk.least(a, b));
        count_pairs(
            self.sizes.len() as u32,
            self.postings.partitions.count(),
            self.counts.pairs,
            limits,
            &each_part,
            &accept,
        )
    }
}

/// One look for candidates.
struct Walk<'a, R> {
    lists: &'a Lists,
    rule: &'a R,
    wanted: Wanted,
    round: Round<'a>,
}

impl<R: Rule> Walk<'_, R> {
    fn least(&self, a: u32, b: u32) -> u32 {
        let sizes = &self.lists.sizes;
        self.rule
            .least((a, sizes[a as usize]), (b, sizes[b as usize]))
    }

    /// Pushes the pairs of one key's texts.
    fn push_pairs(
        &self,
        group: &[u64],
        texts: &mut Vec<(u32, u32)>,
        sink: &mut dyn PairSink,
    ) -> Result<()> {
        let round = self.round;
        if round.is_done(group.iter().map(|&posting| posting as u32)) {
            return Ok(());
        }
        texts.clear();
        texts.extend(group.iter().map(|&posting| {
            let text = posting as u32;
            (self.lists.sizes[text as usize], text)
        }));
        if let Round::All(Some(sets)) = round {
            let set = |&(_, text): &(u32, u32)| sets[text as usize];
            texts.sort_unstable_by_key(|text| (set(text), *text));
            // What is in one set already is not looked at, however much it is.
            let mut rest = &texts[..];
            while let Some(first) = rest.first() {
                let (own, others) =
                    rest.split_at(rest.partition_point(|text| set(text) == set(first)));
                for other in others.chunk_by(|x, y| set(x) == set(y)) {
                    own.iter()
                        .try_for_each(|text| self.push_larger(*text, other, sink))?;
                    other.iter().try_for_each(|text| {
                        let from = own.partition_point(|(size, _)| *size <= text.0);
                        self.push_larger(*text, &own[from..], sink)
                    })?;
                }
                rest = others;
            }
            return Ok(());
        }
        texts.sort_unstable();
        for (place, &text) in texts.iter().enumerate() {
            self.push_larger(text, &texts[place + 1..], sink)?;
        }
        Ok(())
    }

    /// Pushes the pairs of a text with others, which are in order of their size, as far as they are no smaller.
    fn push_larger(
        &self,
        (size, text): (u32, u32),
        others: &[(u32, u32)],
        sink: &mut dyn PairSink,
    ) -> Result<()> {
        let shared = &self.lists.shared;
        let own = shared[text as usize];
        let largest = self.rule.largest(size);
        let from = others.partition_point(|(other, _)| *other < size);
        for &(other_size, other) in &others[from..] {
            if u64::from(other_size) > largest {
                break;
            }
            let least = self.rule.least((text, size), (other, other_size));
            if own.min(shared[other as usize]) >= least
                && text != other
                && self.wanted.pair(text, other)
            {
                sink.push(text.min(other), text.max(other))?;
                if matches!(self.round, Round::Neighbours) {
                    break;
                }
            }
        }
        Ok(())
    }
}
