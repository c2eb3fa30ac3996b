//! Candidates for resemblance: the prefix filter, over one order of the shingles that needs no counting.
//!
//! Order all shingles in any one way. Two sets whose resemblance reaches t share a shingle within the first |x| − ⌈t·|x|⌉ + 1
//! of each (Chaudhuri 2006, Bayardo 2007). The order is by fingerprint, with the shingles that a sample found frequent last,
//! so one reading of the texts is enough. What two texts have in common lies in both prefixes or behind the prefix that ends
//! first, and behind the prefix of x there are ⌈t·|x|⌉ − 1 shingles; so the pair must share at least
//! ⌈t/(1+t)·(|x|+|y|)⌉ − ⌈t·|x|⌉ + 1 within the prefixes: a tenth of a text for texts of like length. Counting that is cheap
//! and leaves few false candidates.

use std::cmp::Ordering;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::frequency::FrequencyClasses;
use super::pairs::{Limits, PairSink, Round, count_pairs};
use super::partition::{Feeder, Partitions};
use super::{CandidatePair, Wanted};
use crate::error::Result;
use crate::parallel;
use crate::threshold::Threshold;

/// Postings in one partition, for the sort to stay within the cache.
const PER_PARTITION: u64 = 1 << 16;
/// Buckets of the highest fingerprint bits among the rare shingles when a prefix is selected.
const RARE_BUCKETS: usize = 64;
const BUCKETS: usize = RARE_BUCKETS + FrequencyClasses::COUNT - 1;

/// Prefix postings of all texts, by the high bits of their fingerprints.
pub(crate) struct PrefixIndex {
    postings: Partitions,
    bits: u32,
    threshold: Threshold,
}

impl PrefixIndex {
    /// For about `shingles` shingles in all.
    pub(crate) fn new(shingles: u64, threshold: Threshold, budget: u64, directory: &Path) -> Self {
        let postings = (shingles as f64 * (1.0 - threshold.value())) as u64;
        let count = (postings / PER_PARTITION)
            .clamp(1, 2048)
            .next_power_of_two();
        Self {
            postings: Partitions::new(count as usize, budget, directory),
            bits: count.trailing_zeros(),
            threshold,
        }
    }

    /// A writer for one worker.
    pub(crate) fn writer<'a>(&'a self, classes: &'a FrequencyClasses) -> PrefixWriter<'a> {
        PrefixWriter {
            feeder: self.postings.feeder(),
            index: self,
            classes,
            buckets: [0; BUCKETS],
            bucket_of: Vec::new(),
            selected: Vec::new(),
            boundary: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Groups the postings by shingle, for texts with so many distinct shingles each (0: not to be joined) and such ends of
    /// their prefixes.
    pub(crate) fn group(
        self,
        (sizes, ends): (Vec<u32>, Vec<u32>),
        wanted: Wanted,
        limits: &Limits<'_>,
    ) -> Result<PrefixLists> {
        let shared: Vec<AtomicU32> = bytemuck::zeroed_vec(sizes.len());
        let pairs = parallel::map(limits.threads, self.postings.count(), |part| {
            let mut postings = self.postings.take(part)?;
            postings.retain(|&posting| sizes[posting as u32 as usize] > 0);
            postings.sort_unstable();
            let (kept, pairs) = keep_shared(&mut postings, &shared);
            self.postings.append(part, &postings[..kept])?;
            (limits.tick)()?;
            Ok(pairs)
        })?;
        Ok(PrefixLists {
            shared: shared.into_iter().map(AtomicU32::into_inner).collect(),
            postings: self.postings,
            threshold: self.threshold,
            sizes,
            ends,
            wanted,
            expected: pairs.into_iter().sum(),
        })
    }
}

/// Moves the postings of shingles that several texts have to the front and counts them for each text. Gives their number and
/// the number of pairs they make.
fn keep_shared(postings: &mut [u64], shared: &[AtomicU32]) -> (usize, u64) {
    let (mut kept, mut pairs, mut start) = (0, 0, 0);
    while start < postings.len() {
        let key = postings[start] >> 32;
        let mut end = start + 1;
        while end < postings.len() && postings[end] >> 32 == key {
            end += 1;
        }
        let count = end - start;
        if count > 1 {
            for &posting in &postings[start..end] {
                shared[posting as u32 as usize].fetch_add(1, Relaxed);
            }
            postings.copy_within(start..end, kept);
            kept += count;
            pairs += (count as u64) * (count as u64 - 1) / 2;
        }
        start = end;
    }
    (kept, pairs)
}

/// The texts of each shingle that several prefixes have.
pub(crate) struct PrefixLists {
    postings: Partitions,
    threshold: Threshold,
    sizes: Vec<u32>,
    /// Where in the order of the shingles the prefix of each text ends.
    ends: Vec<u32>,
    /// Prefix shingles of each text that another text's prefix has too.
    shared: Vec<u32>,
    wanted: Wanted,
    expected: u64,
}

impl PrefixLists {
    /// The most pairs that the shingles can make.
    pub(crate) fn expected(&self) -> u64 {
        self.expected
    }

    /// The candidates of a round.
    pub(crate) fn candidates(
        &self,
        round: Round<'_>,
        limits: &Limits<'_>,
    ) -> Result<Vec<CandidatePair>> {
        let walk = |part: usize, sink: &mut dyn PairSink| {
            let mut texts = Vec::new();
            let postings = self.postings.copy(part)?;
            for group in postings.chunk_by(|x, y| x >> 32 == y >> 32) {
                self.push_pairs(group, round, &mut texts, sink)?;
            }
            Ok(())
        };
        let accept = |a: u32, b: u32, count: u32| count >= round.least(self.least_shared(a, b));
        let texts = self.sizes.len() as u32;
        count_pairs(
            texts,
            self.postings.count(),
            self.expected,
            limits,
            &walk,
            &accept,
        )
    }

    /// Pushes the pairs of one shingle's texts.
    fn push_pairs(
        &self,
        group: &[u64],
        round: Round<'_>,
        texts: &mut Vec<(u32, u32)>,
        sink: &mut dyn PairSink,
    ) -> Result<()> {
        if round.is_done(group.iter().map(|&posting| posting as u32)) {
            return Ok(());
        }
        texts.clear();
        texts.extend(group.iter().map(|&posting| {
            let text = posting as u32;
            (self.sizes[text as usize], text)
        }));
        texts.sort_unstable();
        for (i, &(size, text)) in texts.iter().enumerate() {
            let largest = self.threshold.largest(u64::from(size));
            let shared = self.shared[text as usize];
            for &(other_size, other) in &texts[i + 1..] {
                if u64::from(other_size) > largest {
                    break;
                }
                let least = self.least_shared(text, other);
                if shared.min(self.shared[other as usize]) >= least
                    && text != other
                    && self.wanted.pair(text, other)
                    && round.wants(text, other)
                {
                    sink.push(text.min(other), text.max(other))?;
                    if matches!(round, Round::Neighbours) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Prefix shingles that a pair must share: what is common lies in both prefixes or behind the one that ends first.
    fn least_shared(&self, a: u32, b: u32) -> u32 {
        let size = |text: u32| u64::from(self.sizes[text as usize]);
        let rest = |text: u32| self.threshold.least(size(text)) - 1;
        let rest = match self.ends[a as usize].cmp(&self.ends[b as usize]) {
            Ordering::Less => rest(a),
            Ordering::Greater => rest(b),
            Ordering::Equal => rest(a).max(rest(b)),
        };
        let overlap = self.threshold.least_overlap(size(a) + size(b));
        overlap.saturating_sub(rest).max(1) as u32
    }
}

/// Selects prefixes and writes their postings, for one worker.
pub(crate) struct PrefixWriter<'a> {
    feeder: Feeder<'a>,
    index: &'a PrefixIndex,
    classes: &'a FrequencyClasses,
    buckets: [u32; BUCKETS],
    bucket_of: Vec<u8>,
    selected: Vec<u64>,
    boundary: Vec<u64>,
    /// Texts, and where their prefixes end.
    ends: Vec<(u32, u32)>,
}

impl PrefixWriter<'_> {
    /// Adds a text by its distinct shingles.
    pub(crate) fn add(&mut self, text: u32, distinct: &[u64]) -> Result<()> {
        let size = distinct.len() as u64;
        if size == 0 {
            return Ok(());
        }
        let prefix = (size - self.index.threshold.least(size) + 1) as usize;
        let (boundary, mut room) = self.find_boundary(distinct, prefix);
        self.boundary.clear();
        self.selected.resize(distinct.len(), 0);
        let mut selected = 0;
        for (&fingerprint, &bucket) in distinct.iter().zip(&self.bucket_of) {
            // Without a branch: which shingle is selected cannot be foreseen.
            self.selected[selected] = fingerprint;
            selected += usize::from((bucket as usize) < boundary);
            if bucket as usize == boundary {
                self.boundary.push(fingerprint);
            }
        }
        self.boundary.sort_unstable();
        room = room.min(self.boundary.len());
        let last = self.boundary[..room].last().copied().unwrap_or(u64::MAX);
        self.ends
            .push((text, order_key(self.classes.of(last), last)));
        let selected = self.selected[..selected].iter();
        for &fingerprint in selected.chain(&self.boundary[..room]) {
            push(&mut self.feeder, self.index.bits, text, fingerprint)?;
        }
        Ok(())
    }

    /// The bucket in which a prefix of this length ends, and how many shingles it takes from there.
    fn find_boundary(&mut self, distinct: &[u64], prefix: usize) -> (usize, usize) {
        self.buckets.fill(0);
        self.bucket_of.clear();
        for &fingerprint in distinct {
            let bucket = match self.classes.of(fingerprint) {
                0 => (fingerprint >> (64 - RARE_BUCKETS.trailing_zeros())) as usize,
                class => RARE_BUCKETS - 1 + class as usize,
            };
            self.buckets[bucket] += 1;
            self.bucket_of.push(bucket as u8);
        }
        let mut room = prefix;
        for (bucket, &count) in self.buckets.iter().enumerate() {
            if room <= count as usize {
                return (bucket, room);
            }
            room -= count as usize;
        }
        (self.buckets.len(), 0)
    }

    /// Hands on what is held back, and gives the texts with the ends of their prefixes.
    pub(crate) fn finish(self) -> Result<Vec<(u32, u32)>> {
        self.feeder.finish()?;
        Ok(self.ends)
    }
}

/// The place of a shingle in the order, as far as 32 bits tell.
fn order_key(class: u32, fingerprint: u64) -> u32 {
    class << 30 | (fingerprint >> 34) as u32
}

/// A posting: 32 bits of the fingerprint behind those that choose the partition, and the text.
#[inline(always)]
fn push(feeder: &mut Feeder<'_>, bits: u32, text: u32, fingerprint: u64) -> Result<()> {
    let part = fingerprint.checked_shr(64 - bits).unwrap_or(0) as usize;
    let key = fingerprint << bits >> 32;
    feeder.push(part, key << 32 | u64::from(text))
}
