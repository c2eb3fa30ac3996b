//! Repeated passages: what leaves a text of which earlier texts have a part, and which of them keeps it.
//!
//! In: a text and its repeated sentences with their sources (`batch::repeats`). Out: the stretches that leave it, each put down to
//! one source. Sentences leave whole, and nothing between them but white space. `stretch` decides about the white space around,
//! `sources` about who is named.

mod sources;
mod stretch;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::batch::repeats::Repeated;
use crate::error::Result;
use crate::matches::{Documents, Source};
use crate::method::FittedMethod;
use crate::method::sentences::{Fitted, Sentence, Sentences};
use crate::read::without;
use crate::scores::Metric;
use crate::segment::sentences::SentenceSplitter;
use sources::{SourceCache, share_out};
use stretch::{is_boundary, stretch};

/// A passage that leaves a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Its bytes, white space that goes along included. Passages that touch were neighbours.
    pub(crate) bytes: Range<usize>,
    /// The same in characters.
    pub(crate) here: Range<u64>,
    /// Its sentences.
    pub(crate) sentences: u64,
    /// The text that keeps it.
    pub(crate) source: u32,
    /// Where it stands there, in characters.
    pub(crate) there: Range<u64>,
    /// What leaves.
    pub(crate) text: String,
}

/// What becomes of a text.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// These passages leave it; none, and it stays as it is.
    Shortened(Vec<Passage>),
    /// No word would remain: it leaves as a whole.
    Emptied {
        /// The text that has most of it.
        representative: u32,
        /// The score of both.
        score: f64,
    },
}

/// Cuts repeated passages out of texts.
pub(crate) struct PassageCutter<'a> {
    found: &'a Fitted,
    sources: SourceCache<'a>,
    metric: Metric,
}

impl<'a> PassageCutter<'a> {
    pub(crate) fn new(
        source: &'a Source,
        documents: &'a Documents,
        found: &'a Fitted,
        metric: Metric,
    ) -> Self {
        Self {
            found,
            sources: SourceCache::new(source, documents, &found.fingerprinter),
            metric,
        }
    }

    /// Decides about a text, given its repeated sentences in order of their fingerprints.
    ///
    /// # Errors
    /// When a text cannot be read again.
    pub(crate) fn cut(&self, document: u32, repeated: &[Repeated]) -> Result<Outcome> {
        let text = self.sources.text(document)?;
        let mut sentences = Sentences::default();
        self.found
            .fingerprinter
            .fingerprint_long(&text, &mut sentences);
        let list = &sentences.list;
        let sources: Vec<&[u32]> = list
            .iter()
            .map(|sentence| sources_of(&text, sentence, repeated))
            .collect();
        let mut passages = Vec::new();
        let mut left = sources.iter().any(|sources| sources.is_empty());
        for run in runs(&text, list, &sources) {
            let place = list[run.start].start..list[run.end - 1].end;
            match stretch(&text, place) {
                Some(leaving) => {
                    self.put_down(&list[run.clone()], &sources[run], leaving, &mut passages)?;
                }
                None => left = true,
            }
        }
        if !left && self.is_without_words(&text, &passages, &mut sentences) {
            return self.emptied(&text, &passages);
        }
        describe(&text, &mut passages);
        Ok(Outcome::Shortened(passages))
    }

    /// Puts neighbouring sentences down to sources. Their passages share `leaving` out among them.
    fn put_down(
        &self,
        list: &[Sentence],
        sources: &[&[u32]],
        leaving: Range<usize>,
        passages: &mut Vec<Passage>,
    ) -> Result<()> {
        let before = passages.len();
        for (part, source) in share_out(sources) {
            let known = self.sources.get(source)?;
            for (here, there) in known.runs(&list[part.clone()]) {
                let start = list[part.start + here.start].start;
                passages.push(Passage {
                    bytes: start..leaving.end,
                    here: 0..0,
                    sentences: 0,
                    source,
                    there,
                    text: String::new(),
                });
            }
        }
        let added = &mut passages[before..];
        if let Some(first) = added.first_mut() {
            first.bytes.start = leaving.start;
        }
        for index in 1..added.len() {
            added[index - 1].bytes.end = added[index].bytes.start;
        }
        Ok(())
    }

    fn is_without_words(&self, text: &str, passages: &[Passage], scratch: &mut Sentences) -> bool {
        let parts: Vec<Range<usize>> = passages.iter().map(|p| p.bytes.clone()).collect();
        let rest = without(text.as_bytes(), &parts);
        let rest = String::from_utf8_lossy(&rest);
        self.found.fingerprinter.fingerprint_long(&rest, scratch);
        scratch.words == 0
    }

    fn emptied(&self, text: &str, passages: &[Passage]) -> Result<Outcome> {
        let mut bytes: BTreeMap<u32, usize> = BTreeMap::new();
        for passage in passages {
            *bytes.entry(passage.source).or_default() += passage.bytes.len();
        }
        let most = bytes.values().max();
        let has_most = |passage: &&Passage| bytes.get(&passage.source) == most;
        let representative = passages.iter().find(has_most).map_or(0, |p| p.source);
        let other = self.sources.text(representative)?;
        Ok(Outcome::Emptied {
            representative,
            score: self.found.explain(text, &other).scores.score(self.metric),
        })
    }
}

/// The sources of a sentence that can leave; none for one that stays.
fn sources_of<'a>(text: &str, sentence: &Sentence, repeated: &'a [Repeated]) -> &'a [u32] {
    let found = repeated.binary_search_by_key(&sentence.key, |other| other.key);
    let can_leave = || is_boundary(text, sentence.start) && is_boundary(text, sentence.end);
    match found {
        Ok(index) if can_leave() => &repeated[index].sources,
        _ => &[],
    }
}

/// Neighbouring sentences that have sources. What stands between two and has no fingerprint, or is short, parts them: it stays.
fn runs(text: &str, list: &[Sentence], sources: &[&[u32]]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for index in (0..list.len()).filter(|&index| !sources[index].is_empty()) {
        let beside = |last: &Range<usize>| {
            let between = || &text[list[index - 1].end..list[index].start];
            last.end == index && between().trim().is_empty()
        };
        match found.last_mut() {
            Some(last) if beside(last) => last.end = index + 1,
            _ => found.push(index..index + 1),
        }
    }
    found
}

/// Fills in what passages hold, in characters and sentences.
fn describe(text: &str, passages: &mut [Passage]) {
    let mut starts = Vec::new();
    SentenceSplitter::new().sentences(text, |range| starts.push(range.start));
    let (mut byte, mut characters) = (0, 0);
    let mut count = |to: usize| {
        characters += text[byte..to].chars().count() as u64;
        byte = to;
        characters
    };
    for passage in passages {
        let bytes = passage.bytes.clone();
        passage.here = count(bytes.start)..count(bytes.end);
        let before = |at: usize| starts.partition_point(|start| *start < at) as u64;
        passage.sentences = before(bytes.end) - before(bytes.start);
        passage.text = text[bytes].to_owned();
    }
}
