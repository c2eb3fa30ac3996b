//! Where a source has its sentences, and which source a stretch of sentences is put down to.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;

use crate::document::DocId;
use crate::error::Result;
use crate::matches::{Documents, Source};
use crate::method::sentences::align::{Run, align};
use crate::method::sentences::{Fingerprinter, Sentence, Sentences};
use crate::read::CodePoints;

/// Sentences of sources that are remembered.
const REMEMBERED: usize = 1 << 18;

/// The sentences of a source, by fingerprint.
#[derive(Debug)]
pub(super) struct SourceSentences {
    keys: Vec<u128>,
    /// The number of the sentence of each key.
    numbers: Vec<u32>,
    /// Where each sentence stands, in characters of the text as given.
    spans: Vec<Range<u64>>,
}

impl SourceSentences {
    fn new(list: &[Sentence], mut points: CodePoints<'_>) -> Self {
        let mut order: Vec<(u128, u32)> = list.iter().map(|s| s.key).zip(0..).collect();
        order.sort_unstable();
        let spans = list
            .iter()
            .map(|s| points.start(s.start) as u64..points.end(s.end) as u64)
            .collect();
        Self {
            keys: order.iter().map(|(key, _)| *key).collect(),
            numbers: order.iter().map(|(_, number)| *number).collect(),
            spans,
        }
    }

    fn places(&self, key: u128) -> &[u32] {
        let start = self.keys.partition_point(|other| *other < key);
        let end = self.keys.partition_point(|other| *other <= key);
        &self.numbers[start..end]
    }

    /// The sentences of another text that go on here, as runs; and where each stands.
    pub(super) fn runs(&self, sentences: &[Sentence]) -> Vec<(Range<usize>, Range<u64>)> {
        let places = |unit: u32| self.places(sentences[unit as usize].key);
        let runs = align(sentences.len() as u32, places);
        runs.into_iter().map(|run| self.place(run)).collect()
    }

    fn place(&self, run: Run) -> (Range<usize>, Range<u64>) {
        let (first, length) = (run.there as usize, run.here.len());
        let there = self.spans[first].start..self.spans[first + length - 1].end;
        (run.here.start as usize..run.here.end as usize, there)
    }
}

/// Splits neighbouring sentences so that each stretch has one source: from the left, the one that has most of what follows; of
/// several, the first. `sources` has those of each sentence, in order.
pub(super) fn share_out(sources: &[&[u32]]) -> Vec<(Range<usize>, u32)> {
    let mut shares = Vec::new();
    let mut at = 0;
    while let Some(here) = sources.get(at) {
        let reach = |source: u32| {
            let following = sources[at..].iter();
            following
                .take_while(|others| others.contains(&source))
                .count()
        };
        let mut best = (0, 0);
        for &source in *here {
            let length = reach(source);
            if length > best.0 {
                best = (length, source);
            }
        }
        let end = at + best.0.max(1);
        if best.0 > 0 {
            shares.push((at..end, best.1));
        }
        at = end;
    }
    shares
}

/// Reads sources again, each once while it is in use.
pub(super) struct SourceCache<'a> {
    pub(super) source: &'a Source,
    pub(super) documents: &'a Documents,
    pub(super) fingerprinter: &'a Fingerprinter,
    remembered: Mutex<Remembered>,
}

#[derive(Default)]
struct Remembered {
    texts: HashMap<u32, Arc<SourceSentences>>,
    sentences: usize,
}

impl<'a> SourceCache<'a> {
    pub(super) fn new(
        source: &'a Source,
        documents: &'a Documents,
        fingerprinter: &'a Fingerprinter,
    ) -> Self {
        Self {
            source,
            documents,
            fingerprinter,
            remembered: Mutex::default(),
        }
    }

    /// The sentences of a source.
    pub(super) fn get(&self, text: u32) -> Result<Arc<SourceSentences>> {
        let lock = || {
            self.remembered
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(found) = lock().texts.get(&text) {
            return Ok(Arc::clone(found));
        }
        let read = Arc::new(self.read(text)?);
        let mut remembered = lock();
        if remembered.sentences > REMEMBERED {
            *remembered = Remembered::default();
        }
        remembered.sentences += read.keys.len();
        remembered.texts.insert(text, Arc::clone(&read));
        Ok(read)
    }

    fn read(&self, text: u32) -> Result<SourceSentences> {
        let document = DocId(text);
        let place = self.documents.place(document);
        let collection = self.source.collection(document, self.documents);
        let mut buffer = Vec::new();
        let (record, raw) = collection.fetch_with_raw(&place, &mut buffer)?;
        let mut sentences = Sentences::default();
        self.fingerprinter
            .fingerprint_long(&record.text, &mut sentences);
        let points = CodePoints::new(&record, raw);
        Ok(SourceSentences::new(&sentences.list, points))
    }

    /// A text, read again.
    pub(super) fn text(&self, text: u32) -> Result<String> {
        self.source.text(DocId(text), self.documents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_go_to_one_source_that_has_them_all() {
        let sources: [&[u32]; 5] = [&[1, 7], &[2, 7], &[7], &[3], &[3, 7]];
        assert_eq!(share_out(&sources), [(0..3, 7), (3..5, 3)]);
        let first: [&[u32]; 2] = [&[4, 5], &[4, 5]];
        assert_eq!(share_out(&first), [(0..2, 4)]);
        assert_eq!(share_out(&[]), []);
    }
}
