//! Candidates for resemblance: the prefix filter, over one order of the shingles that needs no counting.
//!
//! Order all shingles in any one way. Two sets whose resemblance reaches t share a shingle within the first |x| − ⌈t·|x|⌉ + 1
//! of each (Chaudhuri 2006, Bayardo 2007). The order is by fingerprint, with the shingles that a sample found frequent last,
//! so one reading of the texts is enough. What two texts have in common lies in both prefixes or behind the prefix that ends
//! first, and behind the prefix of x there are ⌈t·|x|⌉ − 1 shingles; so the pair must share at least
//! ⌈t/(1+t)·(|x|+|y|)⌉ − ⌈t·|x|⌉ + 1 within the prefixes: a tenth of a text for texts of like length. Counting that is cheap
//! and leaves few false candidates.

use std::cmp::Ordering;

use super::frequency::FrequencyClasses;
use super::lists::{PostingFeeder, Rule};
use crate::error::Result;
use crate::threshold::Threshold;

/// Buckets of the highest fingerprint bits among the rare shingles when a prefix is selected.
const RARE_BUCKETS: usize = 64;
const BUCKETS: usize = RARE_BUCKETS + FrequencyClasses::COUNT - 1;

/// Postings there may be for so many shingles in all.
pub(crate) fn expected_postings(shingles: u64, threshold: Threshold) -> u64 {
    (shingles as f64 * (1.0 - threshold.value())) as u64
}

/// Which texts share enough of their prefixes. A size is a number of distinct shingles.
pub(crate) struct PrefixRule {
    pub(crate) threshold: Threshold,
    /// Where in the order of the shingles the prefix of each text ends.
    pub(crate) ends: Vec<u32>,
}

impl Rule for PrefixRule {
    fn largest(&self, size: u32) -> u64 {
        self.threshold.largest(u64::from(size))
    }

    /// What is common lies in both prefixes or behind the one that ends first.
    fn least(&self, (a, size_a): (u32, u32), (b, size_b): (u32, u32)) -> u32 {
        let rest = |size: u32| self.threshold.least(u64::from(size)) - 1;
        let rest = match self.ends[a as usize].cmp(&self.ends[b as usize]) {
            Ordering::Less => rest(size_a),
            Ordering::Greater => rest(size_b),
            Ordering::Equal => rest(size_a).max(rest(size_b)),
        };
        let overlap = self
            .threshold
            .least_overlap(u64::from(size_a) + u64::from(size_b));
        overlap.saturating_sub(rest).max(1) as u32
    }
}

/// Selects prefixes and writes their postings, for one worker.
pub(crate) struct PrefixWriter<'a> {
    feeder: PostingFeeder<'a>,
    threshold: Threshold,
    classes: &'a FrequencyClasses,
    buckets: [u32; BUCKETS],
    bucket_of: Vec<u8>,
    selected: Vec<u64>,
    boundary: Vec<u64>,
    /// Texts, and where their prefixes end.
    ends: Vec<(u32, u32)>,
}

impl<'a> PrefixWriter<'a> {
    /// A writer for one worker.
    pub(crate) fn new(
        feeder: PostingFeeder<'a>,
        threshold: Threshold,
        classes: &'a FrequencyClasses,
    ) -> Self {
        Self {
            feeder,
            threshold,
            classes,
            buckets: [0; BUCKETS],
            bucket_of: Vec::new(),
            selected: Vec::new(),
            boundary: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds a text by its distinct shingles.
    pub(crate) fn add(&mut self, text: u32, distinct: &[u64]) -> Result<()> {
        let size = distinct.len() as u64;
        if size == 0 {
            return Ok(());
        }
        let prefix = (size - self.threshold.least(size) + 1) as usize;
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
            self.feeder.push(text, fingerprint)?;
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
