//! Texts made ready to be compared, many at a time, and the comparison.
//!
//! The words and fingerprints of all texts lie one behind the other. To compare, one text's shingles go into a small table,
//! which stays while that text is compared with others, and the other text walks over it.

use std::collections::HashMap;
use std::ops::Range;

use super::Scores;
use crate::prepare::{Preparer, TokenBuffer};

/// Texts ready to be compared.
#[derive(Debug, Default)]
pub struct VerifyTexts {
    /// Normal forms of all words, each followed by a zero byte.
    forms: Vec<u8>,
    /// Start of each word in `forms`; one more a text, for the end of its last.
    bounds: Vec<u32>,
    /// Fingerprint at each position of each text.
    shingles: Vec<u64>,
    texts: Vec<Extent>,
    buffer: TokenBuffer,
    table: ShingleTable,
}

/// Where the parts of one text lie.
#[derive(Clone, Debug)]
struct Extent {
    bounds: Range<usize>,
    shingles: Range<usize>,
    distinct: u32,
    size: u32,
    /// Two different shingles of this text share a fingerprint: only the words tell.
    ambiguous: bool,
}

impl Extent {
    fn tokens(&self) -> u32 {
        self.bounds.len() as u32 - 1
    }
}

impl VerifyTexts {
    /// Forgets all texts, keeps the memory.
    pub fn clear(&mut self) {
        self.forms.clear();
        self.bounds.clear();
        self.shingles.clear();
        self.texts.clear();
    }

    /// Adds a text; its number is the count of texts before it.
    pub fn push(&mut self, preparer: &Preparer, text: &str) {
        let (bounds, shingles) = (self.bounds.len(), self.shingles.len());
        preparer.words(
            text,
            &mut self.buffer,
            &mut self.forms,
            &mut self.bounds,
            &mut self.shingles,
        );
        let mut extent = Extent {
            bounds: bounds..self.bounds.len(),
            shingles: shingles..self.shingles.len(),
            distinct: 0,
            size: preparer.shingle_size() as u32,
            ambiguous: false,
        };
        let number = self.texts.len();
        self.texts.push(extent.clone());
        let mut table = std::mem::take(&mut self.table);
        table.load(number, &self.shingles[extent.shingles.clone()]);
        extent.distinct = table.distinct;
        extent.ambiguous = table
            .repeats()
            .any(|(x, y)| self.words(number, x) != self.words(number, y));
        if extent.ambiguous {
            extent.distinct = self.by_words(number).len() as u32;
        }
        self.table = table;
        self.texts[number] = extent;
    }

    /// The words of the shingle at a position, as one string of bytes.
    fn words(&self, text: usize, position: u32) -> &[u8] {
        let extent = &self.texts[text];
        let bounds = &self.bounds[extent.bounds.clone()];
        let last = (position + extent.size).min(extent.tokens());
        &self.forms[bounds[position as usize] as usize..bounds[last as usize] as usize]
    }

    fn fingerprints(&self, text: usize) -> &[u64] {
        &self.shingles[self.texts[text].shingles.clone()]
    }

    /// The exact counts of two texts.
    pub fn compare(&mut self, a: usize, b: usize) -> Scores {
        let mut table = std::mem::take(&mut self.table);
        self.mark(a, b, &mut table);
        let (x, y) = (&self.texts[a], &self.texts[b]);
        let scores = Scores {
            common: table.common,
            distinct_a: x.distinct,
            distinct_b: y.distinct,
            covered_a: covered(&table.here, x.size, x.tokens()),
            covered_b: covered(&table.there, y.size, y.tokens()),
            tokens_a: x.tokens(),
            tokens_b: y.tokens(),
        };
        self.table = table;
        scores
    }

    /// The positions of the shingles that each of two texts shares with the other, in rising order.
    pub fn shared_positions(&mut self, a: usize, b: usize) -> (Vec<u32>, Vec<u32>) {
        let mut table = std::mem::take(&mut self.table);
        self.mark(a, b, &mut table);
        let shared = (table.here.clone(), table.there.clone());
        self.table = table;
        shared
    }

    /// Finds the shared positions of both texts.
    fn mark(&self, a: usize, b: usize, table: &mut ShingleTable) {
        if table.text != Some(a) {
            table.load(a, self.fingerprints(a));
        }
        let certain = !self.texts[a].ambiguous && !self.texts[b].ambiguous;
        let agree = |x, y| self.words(a, x) == self.words(b, y);
        if !(certain && table.walk(self.fingerprints(b), agree)) {
            self.mark_by_words(a, b, table);
        }
    }

    fn by_words(&self, text: usize) -> HashMap<&[u8], Vec<u32>> {
        let mut words: HashMap<&[u8], Vec<u32>> = HashMap::new();
        for position in 0..self.texts[text].shingles.len() as u32 {
            words
                .entry(self.words(text, position))
                .or_default()
                .push(position);
        }
        words
    }

    fn mark_by_words(&self, a: usize, b: usize, table: &mut ShingleTable) {
        let (mine, theirs) = (self.by_words(a), self.by_words(b));
        table.start();
        #[expect(
            clippy::iter_over_hash_type,
            reason = "counts and sorted positions only"
        )]
        for (words, positions) in &mine {
            if let Some(others) = theirs.get(words) {
                table.common += 1;
                table.here.extend(positions);
                table.there.extend(others);
            }
        }
        table.here.sort_unstable();
        table.there.sort_unstable();
    }
}

/// Tokens that shingles of `size` words at these rising positions cover.
fn covered(positions: &[u32], size: u32, tokens: u32) -> u32 {
    let size = size.min(tokens);
    let (mut end, mut covered) = (0, 0);
    for &position in positions {
        let stop = position + size;
        covered += stop - end.max(position);
        end = stop;
    }
    covered
}

const NONE: u32 = u32::MAX;

/// The shingles of one text by fingerprint, and what the last walk over them found.
#[derive(Debug, Default)]
struct ShingleTable {
    /// The text that is loaded.
    text: Option<usize>,
    /// First position of the fingerprint in each slot, or `NONE`.
    slots: Vec<u32>,
    fingerprints: Vec<u64>,
    /// For each position: the next one with the same fingerprint, or `NONE`.
    next: Vec<u32>,
    /// For each first position: whether the walk found it.
    found: Vec<bool>,
    distinct: u32,
    common: u32,
    here: Vec<u32>,
    there: Vec<u32>,
}

impl ShingleTable {
    fn load(&mut self, text: usize, fingerprints: &[u64]) {
        self.text = Some(text);
        self.fingerprints.clear();
        self.fingerprints.extend_from_slice(fingerprints);
        let size = (fingerprints.len() * 2).next_power_of_two().max(16);
        self.slots.clear();
        self.slots.resize(size, NONE);
        self.next.clear();
        self.next.resize(fingerprints.len(), NONE);
        self.distinct = 0;
        for position in (0..fingerprints.len()).rev() {
            let slot = self.slot(fingerprints[position]);
            self.next[position] = self.slots[slot];
            self.distinct += u32::from(self.slots[slot] == NONE);
            self.slots[slot] = position as u32;
        }
    }

    #[inline(always)]
    fn slot(&self, fingerprint: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = fingerprint as usize & mask;
        while self.slots[slot] != NONE
            && self.fingerprints[self.slots[slot] as usize] != fingerprint
        {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Pairs of neighbouring positions that have one fingerprint.
    fn repeats(&self) -> impl Iterator<Item = (u32, u32)> {
        let pairs = (0..).zip(self.next.iter().copied());
        pairs.filter(|(_, next)| *next != NONE)
    }

    fn start(&mut self) {
        self.common = 0;
        self.here.clear();
        self.there.clear();
    }

    /// Finds the shingles of another text. `false` when a fingerprint is shared by different words.
    fn walk(&mut self, others: &[u64], agree: impl Fn(u32, u32) -> bool) -> bool {
        self.start();
        self.found.clear();
        self.found.resize(self.fingerprints.len(), false);
        for (&fingerprint, other) in others.iter().zip(0..) {
            let first = self.slots[self.slot(fingerprint)];
            if first == NONE {
                continue;
            }
            if !agree(first, other) {
                return false;
            }
            self.there.push(other);
            self.found[first as usize] = true;
        }
        for first in 0..self.found.len() {
            if self.found[first] {
                self.common += 1;
                let mut position = first as u32;
                while position != NONE {
                    self.here.push(position);
                    position = self.next[position as usize];
                }
            }
        }
        if self.here.len() > self.common as usize {
            self.here.sort_unstable();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{NormalizeOptions, ShingleOptions};

    fn texts(texts: &[&str], size: usize) -> VerifyTexts {
        let shingle = ShingleOptions {
            size,
            ..ShingleOptions::default()
        };
        let preparer = Preparer::new(&NormalizeOptions::default(), &shingle).unwrap();
        let mut ready = VerifyTexts::default();
        texts.iter().for_each(|text| ready.push(&preparer, text));
        ready
    }

    #[test]
    fn a_rose_is_a_rose() {
        let mut rose = texts(&["a rose is a rose is a rose"], 4);
        assert_eq!(rose.compare(0, 0), Scores::identical(3, 8));
    }

    #[test]
    fn shared_fingerprints_of_different_words_do_not_count() {
        for ambiguous in [false, true] {
            let mut ready = texts(&["one two three", "one four three"], 1);
            ready.table.text = None;
            if ambiguous {
                ready.shingles.fill(7);
                ready
                    .texts
                    .iter_mut()
                    .for_each(|text| text.ambiguous = true);
            } else {
                // `two` and `four` collide.
                ready.shingles[1] = ready.shingles[4];
            }
            let scores = ready.compare(0, 1);
            assert_eq!(
                (scores.common, scores.covered_a, scores.covered_b),
                (2, 2, 2)
            );
            assert_eq!((scores.distinct_a, scores.distinct_b), (3, 3));
        }
    }
}
