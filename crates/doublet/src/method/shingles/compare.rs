//! Texts made ready to be compared, many at a time, and the comparison.
//!
//! The words and fingerprints of all texts lie one behind the other. To compare, one text's shingles go into a small table,
//! which stays while that text is compared with others, and the other text walks over it.

use std::collections::HashMap;
use std::ops::Range;

use crate::method::shingles::{Preparer, TokenBuffer};
use crate::scores::{Scores, Weights};

/// Texts ready to be compared.
#[derive(Debug, Default)]
pub struct VerifyTexts {
    /// The texts, one behind the other.
    bytes: String,
    /// Where each word of each text stands in it.
    spans: Vec<(u32, u32)>,
    /// Fingerprint at each position of each text.
    shingles: Vec<u64>,
    texts: Vec<Extent>,
    buffer: TokenBuffer,
    /// The text that is compared with others.
    table: ShingleTable,
    /// The text that was added last.
    added: ShingleTable,
}

/// Where the parts of one text lie.
#[derive(Clone, Debug)]
struct Extent {
    /// Where the text starts in `bytes`.
    start: usize,
    spans: Range<usize>,
    shingles: Range<usize>,
    distinct: u32,
    size: u32,
    /// Two different shingles of this text share a fingerprint: only the words tell.
    ambiguous: bool,
}

impl Extent {
    fn tokens(&self) -> u32 {
        self.spans.len() as u32
    }
}

impl VerifyTexts {
    /// Forgets all texts, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
        self.shingles.clear();
        self.texts.clear();
        self.table.text = None;
    }

    /// Forgets all texts but the first ones.
    pub(crate) fn truncate(&mut self, count: usize) {
        let Some(first) = self.texts.get(count) else {
            return;
        };
        self.bytes.truncate(first.start);
        self.spans.truncate(first.spans.start);
        self.shingles.truncate(first.shingles.start);
        self.texts.truncate(count);
        if self.table.text.is_some_and(|text| text >= count) {
            self.table.text = None;
        }
    }

    /// Adds a text; its number is the count of texts before it. `distinct` is the number of its distinct fingerprints, if
    /// known. Gives the number of its tokens.
    pub fn push(&mut self, preparer: &Preparer, text: &str, distinct: Option<u32>) -> u32 {
        let (spans, shingles) = (self.spans.len(), self.shingles.len());
        let start = self.bytes.len();
        preparer.spans(text, &mut self.buffer, &mut self.spans, &mut self.shingles);
        self.bytes.push_str(text);
        let mut extent = Extent {
            start,
            spans: spans..self.spans.len(),
            shingles: shingles..self.shingles.len(),
            distinct: (self.shingles.len() - shingles) as u32,
            size: preparer.shingle_size() as u32,
            ambiguous: false,
        };
        let number = self.texts.len();
        self.texts.push(extent.clone());
        // Where no fingerprint repeats, none can stand for two shingles.
        if distinct != Some(extent.distinct) {
            let mut table = std::mem::take(&mut self.added);
            table.load(number, &self.shingles[extent.shingles.clone()]);
            extent.distinct = table.distinct;
            let differ = |(x, y)| !self.same_shingle(preparer, (number, x), (number, y));
            extent.ambiguous = table.repeats().any(differ);
            if extent.ambiguous {
                extent.distinct = self.by_words(preparer, number).len() as u32;
            }
            self.added = table;
            self.texts[number] = extent;
        }
        self.texts[number].tokens()
    }

    /// Where a word stands in the bytes of all texts.
    #[inline]
    fn place(&self, text: usize, token: usize) -> Range<usize> {
        let extent = &self.texts[text];
        let (start, end) = self.spans[extent.spans.start + token];
        extent.start + start as usize..extent.start + end as usize
    }

    /// The text of a word as it was given.
    fn word(&self, text: usize, token: usize) -> &str {
        &self.bytes[self.place(text, token)]
    }

    /// Whether two words are the same: to the letter, or in their normal form.
    #[inline]
    fn same_word(&self, preparer: &Preparer, a: (usize, usize), b: (usize, usize)) -> bool {
        let bytes = self.bytes.as_bytes();
        bytes[self.place(a.0, a.1)] == bytes[self.place(b.0, b.1)]
            || preparer.same_form(self.word(a.0, a.1), self.word(b.0, b.1))
    }

    /// Whether the shingles at two places have the same words.
    fn same_shingle(&self, preparer: &Preparer, a: (usize, u32), b: (usize, u32)) -> bool {
        let length = |text: usize| self.texts[text].size.min(self.texts[text].tokens());
        let word = |(text, position): (usize, u32), word: u32| (text, (position + word) as usize);
        length(a.0) == length(b.0)
            && (0..length(a.0)).all(|at| self.same_word(preparer, word(a, at), word(b, at)))
    }

    fn fingerprints(&self, text: usize) -> &[u64] {
        &self.shingles[self.texts[text].shingles.clone()]
    }

    /// The exact counts of two texts.
    pub fn compare(&mut self, preparer: &Preparer, a: usize, b: usize) -> Scores {
        let mut table = std::mem::take(&mut self.table);
        self.mark(preparer, a, b, &mut table);
        let (x, y) = (&self.texts[a], &self.texts[b]);
        let scores = Scores {
            common: table.common,
            distinct_a: x.distinct,
            distinct_b: y.distinct,
            covered_a: covered(&table.here, x.size, x.tokens()),
            covered_b: covered(&table.there, y.size, y.tokens()),
            tokens_a: x.tokens(),
            tokens_b: y.tokens(),
            compared: 0,
            weights: Weights::default(),
        };
        self.table = table;
        scores
    }

    /// The positions of the shingles that each of two texts shares with the other, in rising order.
    pub fn shared_positions(
        &mut self,
        preparer: &Preparer,
        a: usize,
        b: usize,
    ) -> (Vec<u32>, Vec<u32>) {
        let mut table = std::mem::take(&mut self.table);
        self.mark(preparer, a, b, &mut table);
        let shared = (table.here.clone(), table.there.clone());
        self.table = table;
        shared
    }

    /// Finds the shared positions of both texts.
    fn mark(&self, preparer: &Preparer, a: usize, b: usize, table: &mut ShingleTable) {
        if table.text != Some(a) {
            table.load(a, self.fingerprints(a));
        }
        let certain = !self.texts[a].ambiguous && !self.texts[b].ambiguous;
        let mut last = None;
        let agree = |x: u32, y: u32| {
            // In a run of shared shingles only the last word is new.
            let follows = x > 0 && y > 0 && last == Some((x - 1, y - 1));
            last = Some((x, y));
            if follows {
                let ahead = self.texts[a].size - 1;
                self.same_word(
                    preparer,
                    (a, (x + ahead) as usize),
                    (b, (y + ahead) as usize),
                )
            } else {
                self.same_shingle(preparer, (a, x), (b, y))
            }
        };
        if !(certain && table.walk(self.fingerprints(b), agree)) {
            self.mark_by_words(preparer, a, b, table);
        }
    }

    /// The positions of each shingle by its words in normal form.
    fn by_words(&self, preparer: &Preparer, text: usize) -> HashMap<Vec<u8>, Vec<u32>> {
        let extent = &self.texts[text];
        let size = extent.size.min(extent.tokens());
        let mut words: HashMap<Vec<u8>, Vec<u32>> = HashMap::new();
        for position in 0..extent.shingles.len() as u32 {
            let mut form = Vec::new();
            for token in position..position + size {
                preparer.push_form(self.word(text, token as usize), &mut form);
            }
            words.entry(form).or_default().push(position);
        }
        words
    }

    fn mark_by_words(&self, preparer: &Preparer, a: usize, b: usize, table: &mut ShingleTable) {
        let (mine, theirs) = (self.by_words(preparer, a), self.by_words(preparer, b));
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
    fn walk(&mut self, others: &[u64], mut agree: impl FnMut(u32, u32) -> bool) -> bool {
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

    fn check(texts: [&str; 2], size: usize, change: impl Fn(&mut VerifyTexts), expected: Scores) {
        let shingle = ShingleOptions {
            size,
            ..ShingleOptions::default()
        };
        let preparer = Preparer::new(&NormalizeOptions::default(), &shingle).unwrap();
        let mut ready = VerifyTexts::default();
        for text in texts {
            ready.push(&preparer, text, None);
        }
        ready.table.text = None;
        change(&mut ready);
        assert_eq!(ready.compare(&preparer, 0, 1), expected);
        assert_eq!(ready.compare(&preparer, 1, 0), expected.swapped());
    }

    #[test]
    fn a_rose_is_a_rose() {
        let rose = "a rose is a rose is a rose";
        check(
            [rose, "A rose is a ROSE, is a rose."],
            4,
            |_| {},
            Scores::identical(3, 8, 0),
        );
    }

    #[test]
    fn shared_fingerprints_of_different_words_do_not_count() {
        let texts = ["one two three", "One four three"];
        let expected = Scores {
            common: 2,
            covered_a: 2,
            covered_b: 2,
            ..Scores::identical(3, 3, 0)
        };
        // `two` and `four` collide.
        check(
            texts,
            1,
            |ready| ready.shingles[1] = ready.shingles[4],
            expected,
        );
        let all_collide = |ready: &mut VerifyTexts| {
            ready.shingles.fill(7);
            ready
                .texts
                .iter_mut()
                .for_each(|text| text.ambiguous = true);
        };
        check(texts, 1, all_collide, expected);
    }
}
