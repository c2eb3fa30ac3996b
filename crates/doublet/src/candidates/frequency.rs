//! How often shingles occur, roughly: what makes filters sharp, never what makes them right.
//!
//! [`FrequencySample`] counts a part of the collection; the [`FrequencyClasses`] it leaves stay in the cache and put the
//! frequent shingles last in the order of the prefix filter. [`SharedShingles`] sees every shingle and can say for sure that one stands
//! in a single text only; where two shingles share a cell it errs on the side of "perhaps in several".

use std::sync::atomic::{AtomicU64, Ordering};

const COUNTER_BITS: u32 = 4;
const PER_WORD: u64 = 64 / COUNTER_BITS as u64;
const LARGEST: u64 = (1 << COUNTER_BITS) - 1;
/// Bits of the number of a counter, at most.
const MOST_BITS: u32 = 25;
/// The count from which a shingle is frequent: more than the copies of a text, or a cell that two shingles share.
const FREQUENT: u64 = 3;
/// Bits of the filters that say which shingles are frequent and which are very frequent. The first stays in the cache of a
/// core, and most look-ups end there.
const FREQUENT_BITS: u32 = 22;
const VERY_FREQUENT_BITS: u32 = 19;

/// Counts a sample's shingles.
#[derive(Debug)]
pub(crate) struct FrequencySample {
    words: Vec<AtomicU64>,
    bits: u32,
}

impl FrequencySample {
    /// A table for about so many shingles, at most 16 MiB.
    pub(crate) fn new(shingles: u64) -> Self {
        let counters = shingles.clamp(1 << 12, 1 << MOST_BITS).next_power_of_two();
        Self {
            words: zeroed(counters / PER_WORD),
            bits: counters.trailing_zeros(),
        }
    }

    /// Counts a shingle.
    pub(crate) fn add(&self, fingerprint: u64) {
        self.add_cell(cell(fingerprint, self.bits));
    }

    /// Counts a shingle by what [`sample_cell`] made of it.
    pub(crate) fn add_sampled(&self, sampled: u32) {
        self.add_cell(u64::from(sampled) >> (MOST_BITS - self.bits));
    }

    fn add_cell(&self, counter: u64) {
        let bit = counter % PER_WORD * u64::from(COUNTER_BITS);
        let more = |value: u64| (value >> bit & LARGEST < LARGEST).then(|| value + (1 << bit));
        let word = &self.words[(counter / PER_WORD) as usize];
        let _saturated = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// How frequent a shingle is in the sample: 0 for what is no news, up to 13.
    #[inline(always)]
    pub(crate) fn level(&self, fingerprint: u64) -> u32 {
        let counter = cell(fingerprint, self.bits);
        let word = self.words[(counter / PER_WORD) as usize].load(Ordering::Relaxed);
        let count = word >> (counter % PER_WORD * u64::from(COUNTER_BITS)) & LARGEST;
        count.saturating_sub(FREQUENT - 1) as u32
    }

    /// The counters.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> {
        self.words.iter().map(|word| word.load(Ordering::Relaxed))
    }

    /// The sample of such counters; `None` if there are not as many as a table has.
    pub(crate) fn of_words(words: Vec<u64>) -> Option<Self> {
        let counters = words.len() as u64 * PER_WORD;
        counters.is_power_of_two().then(|| Self {
            words: words.into_iter().map(AtomicU64::new).collect(),
            bits: counters.trailing_zeros(),
        })
    }

    /// What was learnt, without the counters: coarser, and small enough for the cache.
    pub(crate) fn finish(self) -> FrequencyClasses {
        FrequencyClasses {
            frequent: self.filter(FREQUENT, FREQUENT_BITS.min(self.bits)),
            very_frequent: self.filter(LARGEST, VERY_FREQUENT_BITS.min(self.bits)),
        }
    }

    /// A filter of `bits` bits with those set whose cells hold a counter of at least `count`.
    fn filter(&self, count: u64, bits: u32) -> Filter {
        let mut words = vec![0; 1 << (bits - 6)];
        let counters = 0..self.words.len() as u64 * PER_WORD;
        for counter in counters {
            let word = self.words[(counter / PER_WORD) as usize].load(Ordering::Relaxed);
            if word >> (counter % PER_WORD * u64::from(COUNTER_BITS)) & LARGEST >= count {
                let bit = counter >> (self.bits - bits);
                words[(bit / 64) as usize] |= 1 << (bit % 64);
            }
        }
        Filter { words, bits }
    }
}

/// What is left of a shingle that is counted elsewhere: enough for a table of any size.
pub(crate) fn sample_cell(fingerprint: u64) -> u32 {
    cell(fingerprint, MOST_BITS) as u32
}

/// Which shingles a sample found frequent.
#[derive(Debug)]
pub(crate) struct FrequencyClasses {
    frequent: Filter,
    very_frequent: Filter,
}

impl FrequencyClasses {
    /// Number of classes.
    pub(crate) const COUNT: usize = 3;

    /// The bits of both filters.
    pub(crate) fn words(&self) -> [&[u64]; 2] {
        [&self.frequent.words, &self.very_frequent.words]
    }

    /// Those of such bits; `None` if there are not as many as a filter has.
    pub(crate) fn of_words([frequent, very_frequent]: [Vec<u64>; 2]) -> Option<Self> {
        Some(Self {
            frequent: Filter::of_words(frequent)?,
            very_frequent: Filter::of_words(very_frequent)?,
        })
    }

    /// 0 for a shingle that is rare, as far as the sample tells; 1 for a frequent one, 2 for a very frequent one.
    #[inline(always)]
    pub(crate) fn of(&self, fingerprint: u64) -> u32 {
        if !self.frequent.has(fingerprint) {
            return 0;
        }
        1 + u32::from(self.very_frequent.has(fingerprint))
    }
}

/// The cell of a shingle in a table of 2^bits. The high bits of fingerprints choose partitions and stay in the order of the
/// prefix filter; they are mixed, so that the cells do not follow it.
#[inline(always)]
fn cell(fingerprint: u64, bits: u32) -> u64 {
    fingerprint.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)
}

/// One bit a cell.
#[derive(Debug)]
struct Filter {
    words: Vec<u64>,
    bits: u32,
}

impl Filter {
    fn of_words(words: Vec<u64>) -> Option<Self> {
        let bits = words
            .len()
            .is_power_of_two()
            .then(|| words.len().ilog2() + 6)?;
        Some(Self { words, bits })
    }

    #[inline(always)]
    fn has(&self, fingerprint: u64) -> bool {
        let bit = cell(fingerprint, self.bits);
        self.words[(bit / 64) as usize] >> (bit % 64) & 1 != 0
    }
}

/// Which shingles may stand in several texts: two cells of two bits a shingle, both in one word.
pub(crate) struct SharedShingles {
    words: Vec<AtomicU64>,
    mask: u64,
}

impl SharedShingles {
    /// A table of at most `bytes` bytes for about so many shingles.
    pub(crate) fn new(shingles: u64, bytes: u64) -> Self {
        let wanted = (shingles / 3).clamp(1 << 10, 1 << 31).next_power_of_two();
        let most = 1u64 << (bytes / 8).max(1 << 10).ilog2();
        let words = wanted.min(most);
        Self {
            words: zeroed(words),
            mask: words - 1,
        }
    }

    /// The word, and a one in the low bit of each of the shingle's two cells.
    #[inline(always)]
    fn cells(&self, fingerprint: u64) -> (&AtomicU64, u64) {
        let mixed = fingerprint.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let word = &self.words[((mixed >> 20) & self.mask) as usize];
        let first = mixed >> 59;
        let second = (first + 1 + (mixed >> 54 & 31) % 31) % 32;
        (word, 1 << (2 * first) | 1 << (2 * second))
    }

    /// Records that one text has these shingles, which are distinct. `waiting` is scratch.
    pub(crate) fn add_all(&self, fingerprints: &[u64], waiting: &mut Vec<u64>) {
        // An atomic update waits for its memory, plain loads wait together: so look first, update what needs it.
        waiting.clear();
        waiting.extend(fingerprints.iter().copied().filter(|&fingerprint| {
            let (word, ones) = self.cells(fingerprint);
            let value = word.load(Ordering::Relaxed);
            after(value, ones) != value
        }));
        for &fingerprint in waiting.iter() {
            let (word, ones) = self.cells(fingerprint);
            let more = |value: u64| Some(after(value, ones)).filter(|next| *next != value);
            let _known = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        }
    }

    /// Whether several texts may have the shingle. `false` is certain.
    #[inline(always)]
    pub(crate) fn may_be_shared(&self, fingerprint: u64) -> bool {
        let (word, ones) = self.cells(fingerprint);
        let several = ones << 1;
        word.load(Ordering::Relaxed) & several == several
    }
}

/// A word after one more text has the shingle with these cells: the low bit of a cell says "in one text", the high bit "in
/// several".
#[inline(always)]
fn after(value: u64, ones: u64) -> u64 {
    value | ones | (value & ones) << 1
}

fn zeroed(words: u64) -> Vec<AtomicU64> {
    // Zero pages come from the system when first touched, so a large table costs what is used of it.
    bytemuck::zeroed_vec(words as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::hash_bytes;

    #[test]
    fn a_shared_shingle_is_never_denied() {
        let table = SharedShingles::new(2000, 1 << 20);
        let fingerprints: Vec<u64> = (0..2000u32).map(|n| hash_bytes(&n.to_le_bytes())).collect();
        table.add_all(&fingerprints, &mut Vec::new());
        let alone = fingerprints
            .iter()
            .filter(|&&f| !table.may_be_shared(f))
            .count();
        assert!(alone > 1700, "{alone} of 2000 known to stand alone");
        table.add_all(&fingerprints[..500], &mut Vec::new());
        assert!(fingerprints[..500].iter().all(|&f| table.may_be_shared(f)));
    }

    #[test]
    fn frequent_shingles_get_higher_classes() {
        let sample = FrequencySample::new(1000);
        for _ in 0..40 {
            sample.add(1);
        }
        (0..5).for_each(|_| sample.add(2));
        sample.add(3);
        let classes = sample.finish();
        assert_eq!([1, 2, 3].map(|f| classes.of(f)), [2, 1, 0]);
    }
}
