//! A text made ready to be compared with many others, and the comparison.

use std::collections::HashMap;

use super::Scores;
use crate::prepare::Tokens;

/// A text ready to be compared: its shingles by fingerprint, and its words to make sure.
#[derive(Clone, Debug)]
pub struct VerifyText {
    size: usize,
    tokens: u32,
    distinct: u32,
    /// Fingerprint and position of every shingle, sorted.
    shingles: Vec<(u64, u32)>,
    forms: Vec<u8>,
    bounds: Vec<u32>,
    /// Two different shingles of this text share a fingerprint: only the words tell.
    ambiguous: bool,
}

impl VerifyText {
    /// Takes a text's tokens, made with shingles of `size` words.
    pub fn new(tokens: Tokens, size: usize) -> Self {
        let positions = tokens.shingles.iter().zip(0u32..);
        let mut shingles: Vec<(u64, u32)> = positions.map(|(&f, position)| (f, position)).collect();
        shingles.sort_unstable();
        let mut text = Self {
            size,
            tokens: tokens.spans.len() as u32,
            distinct: 0,
            shingles,
            forms: tokens.forms,
            bounds: tokens.bounds,
            ambiguous: false,
        };
        let runs = text.shingles.chunk_by(|a, b| a.0 == b.0);
        text.distinct = runs.clone().count() as u32;
        let differ = |run: &[(u64, u32)]| {
            let mut words = run.iter().map(|&(_, position)| text.words(position));
            let first = words.next();
            words.any(|other| Some(other) != first)
        };
        text.ambiguous = { runs }.any(differ);
        text
    }

    /// Bytes this text takes in memory, about.
    pub fn memory(&self) -> usize {
        self.shingles.capacity() * 16 + self.forms.capacity() + self.bounds.capacity() * 4 + 120
    }

    /// The words of the shingle at a position, as one string of bytes.
    fn words(&self, position: u32) -> &[u8] {
        let first = position as usize;
        let last = (first + self.size).min(self.tokens as usize);
        &self.forms[self.bounds[first] as usize..self.bounds[last] as usize]
    }

    /// The exact counts of this text against another.
    pub fn compare(&self, other: &Self) -> Scores {
        let (mut here, mut there) = (Covered::default(), Covered::default());
        let common = self.common(other, &mut here, &mut there);
        Scores {
            common,
            distinct_a: self.distinct_shingles(),
            distinct_b: other.distinct_shingles(),
            covered_a: here.count(self.size, self.tokens),
            covered_b: there.count(self.size, other.tokens),
            tokens_a: self.tokens,
            tokens_b: other.tokens,
        }
    }

    /// The positions of the shingles each text shares with the other, in rising order.
    pub fn shared_positions(&self, other: &Self) -> (Vec<u32>, Vec<u32>) {
        let (mut here, mut there) = (Covered::default(), Covered::default());
        self.common(other, &mut here, &mut there);
        here.0.sort_unstable();
        there.0.sort_unstable();
        (here.0, there.0)
    }

    /// Distinct shingles, by their words.
    fn distinct_shingles(&self) -> u32 {
        if self.ambiguous {
            self.by_words().len() as u32
        } else {
            self.distinct
        }
    }

    fn common(&self, other: &Self, here: &mut Covered, there: &mut Covered) -> u32 {
        if !self.ambiguous && !other.ambiguous {
            if let Some(common) = self.merge(other, here, there) {
                return common;
            }
            here.0.clear();
            there.0.clear();
        }
        self.common_by_words(other, here, there)
    }

    /// Merges the two sorted lists. `None` when a fingerprint is shared by different words.
    fn merge(&self, other: &Self, here: &mut Covered, there: &mut Covered) -> Option<u32> {
        let (a, b) = (&self.shingles[..], &other.shingles[..]);
        let (mut i, mut j, mut common) = (0, 0, 0);
        while i < a.len() && j < b.len() {
            let (x, y) = (a[i].0, b[j].0);
            if x != y {
                i += usize::from(x < y);
                j += usize::from(y < x);
                continue;
            }
            if self.words(a[i].1) != other.words(b[j].1) {
                return None;
            }
            common += 1;
            while i < a.len() && a[i].0 == x {
                here.0.push(a[i].1);
                i += 1;
            }
            while j < b.len() && b[j].0 == x {
                there.0.push(b[j].1);
                j += 1;
            }
        }
        Some(common)
    }

    fn by_words(&self) -> HashMap<&[u8], Vec<u32>> {
        let mut words: HashMap<&[u8], Vec<u32>> = HashMap::new();
        for &(_, position) in &self.shingles {
            words.entry(self.words(position)).or_default().push(position);
        }
        words
    }

    fn common_by_words(&self, other: &Self, here: &mut Covered, there: &mut Covered) -> u32 {
        let mine = self.by_words();
        let theirs = other.by_words();
        let mut common = 0;
        #[expect(clippy::iter_over_hash_type, reason = "counts and sorted positions only")]
        for (words, positions) in &mine {
            if let Some(others) = theirs.get(words) {
                common += 1;
                here.0.extend(positions);
                there.0.extend(others);
            }
        }
        common
    }
}

/// Positions of shingles that the other text has too.
#[derive(Default)]
struct Covered(Vec<u32>);

impl Covered {
    /// Tokens that the shingles at these positions cover.
    fn count(&mut self, size: usize, tokens: u32) -> u32 {
        self.0.sort_unstable();
        let size = (size as u32).min(tokens);
        let mut end = 0;
        let mut covered = 0;
        for &position in &self.0 {
            let stop = position + size;
            covered += stop - end.max(position);
            end = stop;
        }
        covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{NormalizeOptions, ShingleOptions};
    use crate::prepare::Preparer;

    fn text(text: &str, size: usize) -> VerifyText {
        let shingle = ShingleOptions {
            size,
            ..ShingleOptions::default()
        };
        let preparer = Preparer::new(&NormalizeOptions::default(), &shingle).unwrap();
        VerifyText::new(preparer.tokens(text), size)
    }

    #[test]
    fn a_rose_is_a_rose() {
        let rose = text("a rose is a rose is a rose", 4);
        assert_eq!(rose.compare(&rose), Scores::identical(3, 8));
    }

    #[test]
    fn shared_fingerprints_of_different_words_do_not_count() {
        let (mut a, mut b) = (text("one two three", 1), text("one four three", 1));
        for side in [&mut a, &mut b] {
            for shingle in &mut side.shingles {
                shingle.0 = 7;
            }
            side.ambiguous = true;
        }
        let scores = a.compare(&b);
        assert_eq!((scores.common, scores.covered_a, scores.covered_b), (2, 2, 2));
        assert_eq!((scores.distinct_a, scores.distinct_b), (3, 3));
    }
}
