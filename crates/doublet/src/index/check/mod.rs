//! Asks an index about a text: is it a copy, of what, and in which parts.

mod bands;
mod collection;
mod passages;
mod sentences;
mod shingles;
mod terms;

use std::ops::Range;

use super::model::Model;
use super::part::TextScratch;
use super::{Index, IndexOptions};
use crate::error::{Error, Result};
use crate::method::Decision;
use crate::method::sentences::verdict::Hit;
use crate::method::sentences::{CopyRule, Sentences};
use crate::method::shingles::Prepared;
use crate::scores::Scores;
use crate::threshold::Threshold;

pub(super) use bands::BandTexts;
pub use collection::{CheckedRecord, Checking, check_collection};
pub(super) use terms::TermTexts;

/// Shingles of a text whose room is kept for the next.
const MOST_KEPT: usize = if cfg!(test) { 16 } else { 1 << 20 };

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct CheckOptions {
    /// The least score, or for sentences the least share of a text, that makes it a copy.
    pub threshold: Threshold,
    /// For sentences: how many make a text a copy, and which count.
    pub rule: CopyRule,
    /// Which sources to name.
    pub sources: Named,
}

/// Which sources of a text are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// All that have anything of it.
    All,
    /// The best so many.
    Best(usize),
    /// The best so many, and every other that alone would make the text a copy, up to a hundred times as many.
    Telling(usize),
}

impl Named {
    /// Whether a source of this rank is named.
    fn wants(self, rank: usize, alone: impl FnOnce() -> bool) -> bool {
        match self {
            Self::All => true,
            Self::Best(most) => rank < most,
            Self::Telling(most) => rank < most || (rank < self.most() && alone()),
        }
    }

    /// The most that can be named.
    fn most(self) -> usize {
        match self {
            Self::All => usize::MAX,
            Self::Best(most) => most.max(1),
            Self::Telling(most) => 100 * most.max(1),
        }
    }
}

impl CheckOptions {
    /// As the index was made for.
    pub fn of(options: &IndexOptions) -> Self {
        Self {
            threshold: options.matching.threshold,
            rule: options.matching.sentences.rule,
            sources: Named::All,
        }
    }

    /// What makes a text a copy, or two texts a match, for an index of these options.
    pub fn decision(&self, options: &IndexOptions) -> Decision {
        let decision = options.matching.decision(false);
        Decision {
            threshold: self.threshold,
            copies: decision.copies.map(|_| self.rule),
            ..decision
        }
    }
}

/// What an index says of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Whether the text is a copy.
    pub duplicate: bool,
    /// The share of its words that stands in some source.
    pub share: f64,
    /// For sentences: its distinct sentences that stand in some source, and all of them.
    pub sentences: Option<(u32, u32)>,
    /// For sentences: those of the text that are boilerplate, and count for nothing.
    pub boilerplate: u32,
    /// Number of all sources found.
    pub found: usize,
    /// The sources, best first.
    pub sources: Vec<FoundSource>,
}

/// A document that a text was copied from, at least in part.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSource {
    /// Its id as JSON.
    pub id: String,
    /// The score under the metric of the index; for sentences the share of the text's words that stands in this source.
    pub score: f64,
    /// For sentences: distinct sentences of the text that stand in it, and the share of the text that is put down to this
    /// source when every sentence is put down to one.
    pub sentences: Option<(u32, f64)>,
    /// The counts behind all scores, for methods that compare whole texts.
    pub scores: Option<Scores>,
    /// What stands where.
    pub passages: Vec<Passage>,
}

/// A stretch of the text that stands in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Where in the text, in bytes.
    pub here: Range<usize>,
    /// Where in the source, in characters.
    pub there: Range<u64>,
}

/// Asks an index about texts, one after the other.
#[derive(Debug)]
pub struct Checker<'a> {
    index: &'a Index,
    scratch: CheckScratch,
}

/// Buffers, reused from text to text.
#[derive(Debug, Default)]
pub struct CheckScratch {
    found: Sentences,
    hits: Vec<Hit>,
    /// Sentences that occur too often to count.
    boilerplate: Vec<u32>,
    ranges: Vec<(usize, Range<u64>)>,
    /// The sketch of a text.
    minima: Vec<u32>,
    prepared: Prepared,
    texts: TextScratch,
}

impl CheckScratch {
    /// Keeps the room of a prepared text for the next, unless it is very large.
    fn keep(&mut self, prepared: Prepared) {
        if prepared.shingles.capacity() <= MOST_KEPT {
            self.prepared = prepared;
        }
    }
}

impl<'a> Checker<'a> {
    /// Asks this index.
    pub fn new(index: &'a Index) -> Self {
        Self {
            index,
            scratch: CheckScratch::default(),
        }
    }

    /// What the index says of a text.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn check(&mut self, text: &str, options: &CheckOptions) -> Result<Answer> {
        self.index.check(text, options, &mut self.scratch)
    }
}

/// A document of an index, by its part and its number there: the order in which documents were added.
fn source(part: usize, document: u32) -> u64 {
    (part as u64) << 32 | u64::from(document)
}

fn part_and_document(source: u64) -> (usize, u32) {
    ((source >> 32) as usize, source as u32)
}

impl Index {
    /// What it says of a text.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn check(
        &self,
        text: &str,
        options: &CheckOptions,
        scratch: &mut CheckScratch,
    ) -> Result<Answer> {
        match &*self.model {
            Model::Sentences(fitted) => {
                self.check_sentences(&fitted.fingerprinter, text, options, scratch)
            }
            Model::Shingles(preparer) => self.check_shingles(preparer, text, options, scratch),
            Model::Bands(bands) => self.check_bands(bands, text, options, scratch),
            Model::Terms(terms) => self.check_terms(terms, text, options, scratch),
        }
    }

    fn id_of(&self, source: u64) -> Result<String> {
        let (part, document) = part_and_document(source);
        Ok(self.parts[part].part.document(document)?.id.to_owned())
    }

    /// The text of a document of an index that keeps texts.
    fn text_of<'s>(&self, source: u64, texts: &'s mut TextScratch) -> Result<&'s str> {
        let (part, document) = part_and_document(source);
        let part = &self.parts[part].part;
        let text = part.text(document, texts)?;
        text.ok_or_else(|| part.damaged("it keeps no texts"))
    }

    /// The scores of some sources of a text. `same` gives those of the text itself, `score` those of several others, at most so
    /// many. Of sources with the same text that stand in a row one is scored.
    fn score_sources(
        &self,
        text: &str,
        (sources, most): (&[u64], usize),
        texts: &mut TextScratch,
        same: impl FnOnce() -> Scores,
        mut score: impl FnMut(&[String]) -> Result<Vec<Scores>>,
    ) -> Result<Vec<(u64, Scores)>> {
        let mut found = Vec::with_capacity(sources.len());
        let mut copies = Vec::new();
        let mut different: Vec<String> = Vec::new();
        // Sources, and the place of the text of each.
        let mut waiting: Vec<(u64, usize)> = Vec::new();
        for &source in sources {
            let other = self.text_of(source, texts)?;
            if other == text {
                copies.push(source);
                continue;
            }
            if different.last().is_none_or(|last| last != other) {
                if different.len() == most {
                    let scores = score(&different)?;
                    found.extend(waiting.drain(..).map(|(source, at)| (source, scores[at])));
                    different.clear();
                }
                different.push(other.to_owned());
            }
            waiting.push((source, different.len() - 1));
        }
        if !waiting.is_empty() {
            let scores = score(&different)?;
            found.extend(waiting.into_iter().map(|(source, at)| (source, scores[at])));
        }
        if !copies.is_empty() {
            let same = same();
            found.extend(copies.into_iter().map(|source| (source, same)));
        }
        Ok(found)
    }

    fn damaged(&self, source: u64, what: &str) -> Error {
        self.parts[part_and_document(source).0].part.damaged(what)
    }

    /// Adds the postings of a key to `ranges`, by part, and gives their number.
    fn find(&self, key: u128, ranges: &mut Vec<(usize, Range<u64>)>) -> Result<u64> {
        ranges.clear();
        let mut count = 0;
        for (number, part) in self.parts.iter().enumerate() {
            let range = part.part.find(key)?;
            if range.start < range.end {
                count += range.end - range.start;
                ranges.push((number, range));
            }
        }
        Ok(count)
    }

    /// Calls `each` with the live documents of postings and their places, until it says that it has enough.
    fn for_each_live(
        &self,
        ranges: &[(usize, Range<u64>)],
        mut each: impl FnMut(u64, u32) -> bool,
    ) -> Result<()> {
        for (number, range) in ranges {
            let part = &self.parts[*number];
            for posting in part.part.postings_in(range.clone()) {
                let posting = posting?;
                if !part.is_dead(posting.document)
                    && !each(source(*number, posting.document), posting.position)
                {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
