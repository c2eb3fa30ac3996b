//! How an index sees a text: the keys by which it is found, and the facts that are kept of it.

use std::ops::Range;

use super::check::{BandTexts, TermTexts};
use super::part::Width;
use super::stored::IndexOptions;
use crate::error::Result;
use crate::fingerprint::distinct::DistinctSet;
use crate::method::sentences::{self, Sentences};
use crate::method::shingles::{Prepared, Preparer};
use crate::method::terms::Scratch;
use crate::read::{CodePoints, Record};

/// Stands for the place of a whole text among its sentences.
pub(crate) const WHOLE: u32 = u32::MAX;

/// What turns texts into keys.
#[derive(Debug)]
pub(crate) enum Model {
    Sentences(sentences::Fitted),
    Shingles(Preparer),
    Bands(Box<BandTexts>),
    Terms(Box<TermTexts>),
}

/// The keys and facts of one text. Reused from text to text.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    /// What it is found by.
    pub(crate) keys: Keys,
    /// What is kept of the text.
    pub(crate) facts: Vec<u8>,
    /// Whether the text has no word.
    pub(crate) empty: bool,
    /// Sentences that have a key.
    pub(crate) sentences: u64,
    found: Sentences,
    prepared: Prepared,
    set: DistinctSet,
    distinct: Vec<u64>,
    minima: Vec<u32>,
    scratch: Scratch,
}

/// The keys of a text.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    /// Those with a place in the text.
    placed: Vec<(u128, u32)>,
    /// Those of methods that keep no places.
    plain: Vec<u64>,
}

impl Keys {
    /// All of them, with their places, or 0.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u128, u32)> {
        let plain = self.plain.iter().map(|&key| (u128::from(key), 0));
        self.placed.iter().copied().chain(plain)
    }

    /// Gives back the room of keys that came twice.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.placed.shrink_to_fit();
        self.plain.shrink_to_fit();
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.placed.as_slice()) + size_of_val(self.plain.as_slice())
    }
}

/// Bytes of a text whose keys take so much memory that it is given back.
const LARGE: usize = if cfg!(test) { 64 } else { 16 << 20 };

impl Entries {
    /// The distinct shingles of a text, and what is kept of it.
    fn shingles(&mut self, preparer: &Preparer, text: &str) {
        let Self {
            prepared, distinct, ..
        } = self;
        preparer.prepare(text, prepared);
        self.set.distinct(&prepared.shingles, distinct);
        self.empty = prepared.tokens == 0;
        push_number(u64::from(prepared.tokens), &mut self.facts);
        push_number(prepared.shingles.len() as u64, &mut self.facts);
        push_number(distinct.len() as u64, &mut self.facts);
    }

    /// Gives back what a very long text took.
    pub(crate) fn end_text(&mut self, text: &str) {
        if text.len() > LARGE {
            *self = Self::default();
        }
    }
}

impl Model {
    /// What is kept of a posting.
    pub(crate) fn width(options: &IndexOptions) -> Width {
        match options.matching.method.unit() {
            Some(_) => Width::Full,
            None => Width::Short,
        }
    }

    /// The keys and facts of a record.
    pub(crate) fn entries(
        &self,
        record: &Record<'_>,
        raw: &[u8],
        entries: &mut Entries,
    ) -> Result<()> {
        let Keys { placed, plain } = &mut entries.keys;
        placed.clear();
        plain.clear();
        entries.facts.clear();
        entries.sentences = 0;
        match self {
            Self::Sentences(fitted) => {
                fitted
                    .fingerprinter
                    .fingerprint(&record.text, &mut entries.found);
                let found = &entries.found;
                placed.extend((0..).zip(&found.list).map(|(place, s)| (s.key, place)));
                if found.words > 0 {
                    placed.push((found.identity, WHOLE));
                }
                entries.empty = found.words == 0;
                entries.sentences = found.list.len() as u64;
                write_sentences(found, CodePoints::new(record, raw), &mut entries.facts);
            }
            Self::Shingles(preparer) => {
                entries.shingles(preparer, &record.text);
                std::mem::swap(&mut entries.distinct, &mut entries.keys.plain);
            }
            Self::Bands(bands) => {
                entries.shingles(bands.preparer(), &record.text);
                let keys = bands.keys(&mut entries.distinct, &mut entries.minima);
                entries.keys.plain.extend(keys);
            }
            Self::Terms(terms) => {
                terms.hashes(&record.text, &mut entries.scratch, plain);
                entries.empty = plain.is_empty();
                plain.sort_unstable();
                plain.dedup();
            }
        }
        Ok(())
    }
}

/// Words of the text; then for each sentence the characters since the one before, its characters and its words.
fn write_sentences(found: &Sentences, mut points: CodePoints<'_>, facts: &mut Vec<u8>) {
    push_number(u64::from(found.words), facts);
    let mut last = 0;
    for sentence in &found.list {
        let start = points.start(sentence.start) as u64;
        let end = points.end(sentence.end) as u64;
        // Pieces of markup may overlap at their ends.
        let start = start.max(last);
        let end = end.max(start);
        push_number(start - last, facts);
        push_number(end - start, facts);
        push_number(u64::from(sentence.words), facts);
        last = end;
    }
}

/// What is kept of a text of sentences.
#[derive(Debug, Default)]
pub(crate) struct SentenceFacts {
    /// Where each sentence stands, in characters.
    pub(crate) places: Vec<Range<u64>>,
}

impl SentenceFacts {
    /// Whether the text has a word, common or not.
    pub(crate) fn has_words(mut facts: &[u8]) -> bool {
        take_number(&mut facts).is_some_and(|words| words > 0)
    }

    /// Reads them; nothing if they are not such facts.
    pub(crate) fn read(mut facts: &[u8]) -> Option<Self> {
        let mut found = Self::default();
        take_number(&mut facts)?;
        let mut last = 0u64;
        while !facts.is_empty() {
            let start = last.checked_add(take_number(&mut facts)?)?;
            last = start.checked_add(take_number(&mut facts)?)?;
            take_number(&mut facts)?;
            found.places.push(start..last);
        }
        Some(found)
    }
}

/// What is kept of a text of shingles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShingleFacts {
    pub(crate) tokens: u64,
    pub(crate) shingles: u64,
    pub(crate) distinct: u64,
}

impl ShingleFacts {
    /// Reads them; nothing if they are not such facts.
    pub(crate) fn read(mut facts: &[u8]) -> Option<Self> {
        Some(Self {
            tokens: take_number(&mut facts)?,
            shingles: take_number(&mut facts)?,
            distinct: take_number(&mut facts)?,
        })
    }
}

/// Appends a number in seven bits a byte, low bits first.
fn push_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the front.
fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 127).checked_shl(shift)?;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [
            0,
            1,
            127,
            128,
            16_383,
            16_384,
            u64::from(u32::MAX),
            u64::MAX,
        ] {
            let mut bytes = Vec::new();
            push_number(number, &mut bytes);
            let mut rest = bytes.as_slice();
            assert_eq!(take_number(&mut rest), Some(number));
            assert!(rest.is_empty());
            assert_eq!(take_number(&mut &bytes[..bytes.len() - 1]), None);
        }
    }
}
