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

    fn least(&self, (a, size_a): (u32, u32), (b, size_b): (u32, u32)) -> u32 {
        let end = |text: u32| self.ends[text as usize];
        least_shared(self.threshold, (size_a, end(a)), (size_b, end(b)))
    }

    fn floor(&self, size_a: u32, size_b: u32) -> u32 {
        // Where both prefixes end at one place, the larger rest counts.
        least_shared(self.threshold, (size_a, 0), (size_b, 0))
    }
}

/// Keys that two texts must share, given their sizes and where their prefixes end. What is common lies in both prefixes or behind
/// the one that ends first.
pub(crate) fn least_shared(
    threshold: Threshold,
    (size_a, end_a): (u32, u32),
    (size_b, end_b): (u32, u32),
) -> u32 {
    let rest = |size: u32| threshold.least(u64::from(size)) - 1;
    let rest = match end_a.cmp(&end_b) {
        Ordering::Less => rest(size_a),
        Ordering::Greater => rest(size_b),
        Ordering::Equal => rest(size_a).max(rest(size_b)),
    };
    let overlap = threshold.least_overlap(u64::from(size_a) + u64::from(size_b));
    overlap.saturating_sub(rest).max(1) as u32
}

/// Selects prefixes and writes their postings, for one worker.
pub(crate) struct PrefixWriter<'a> {
    feeder: PostingFeeder<'a>,
    threshold: Threshold,
    classes: &'a FrequencyClasses,
    selector: PrefixSelector,
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
            selector: PrefixSelector::default(),
            ends: Vec::new(),
        }
    }

    /// Adds a text by its distinct shingles.
    pub(crate) fn add(&mut self, text: u32, distinct: &[u64]) -> Result<()> {
        let prefix = self.selector.select(distinct, self.threshold, self.classes);
        let Some(mut prefix) = prefix else {
            return Ok(());
        };
        self.ends.push((text, prefix.end));
        prefix
            .shingles
            .try_for_each(|fingerprint| self.feeder.push(text, fingerprint))
    }

    /// Hands on what is held back, and gives the texts with the ends of their prefixes.
    pub(crate) fn finish(self) -> Result<Vec<(u32, u32)>> {
        self.feeder.finish()?;
        Ok(self.ends)
    }
}

/// Selects the prefixes of texts, one after the other.
pub(crate) struct PrefixSelector {
    buckets: [u32; BUCKETS],
    bucket_of: Vec<u8>,
    selected: Vec<u64>,
    boundary: Vec<u64>,
}

impl Default for PrefixSelector {
    fn default() -> Self {
        Self {
            buckets: [0; BUCKETS],
            bucket_of: Vec::new(),
            selected: Vec::new(),
            boundary: Vec::new(),
        }
    }
}

/// The prefix of a text.
pub(crate) struct Prefix<I> {
    /// Where it ends in the order of the shingles.
    pub(crate) end: u32,
    /// Its shingles, in no particular order.
    pub(crate) shingles: I,
}

impl PrefixSelector {
    /// The prefix of a text of these distinct shingles; `None` if there are none.
    pub(crate) fn select<'s>(
        &'s mut self,
        distinct: &[u64],
        threshold: Threshold,
        classes: &FrequencyClasses,
    ) -> Option<Prefix<impl Iterator<Item = u64> + use<'s>>> {
        let size = distinct.len() as u64;
        if size == 0 {
            return None;
        }
        let prefix = (size - threshold.least(size) + 1) as usize;
        let (boundary, mut room) = self.find_boundary(distinct, prefix, classes);
        self.boundary.clear();
        // Fewer than the prefix lie before the boundary, and one more is written and left.
        self.selected.resize(prefix, 0);
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
        let selected = self.selected[..selected].iter();
        Some(Prefix {
            end: order_key(classes.of(last), last),
            shingles: selected.chain(&self.boundary[..room]).copied(),
        })
    }

    /// The bucket in which a prefix of this length ends, and how many shingles it takes from there.
    fn find_boundary(
        &mut self,
        distinct: &[u64],
        prefix: usize,
        classes: &FrequencyClasses,
    ) -> (usize, usize) {
        self.buckets.fill(0);
        self.bucket_of.clear();
        for &fingerprint in distinct {
            let bucket = match classes.of(fingerprint) {
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
}

/// The place of a shingle in the order, as far as 32 bits tell.
fn order_key(class: u32, fingerprint: u64) -> u32 {
    class << 30 | (fingerprint >> 34) as u32
}
