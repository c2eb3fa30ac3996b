//! Texts of sentences: compared, explained and shown.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};

use super::common::CommonWords;
use super::compare::SentenceText;
use super::{Fingerprinter, Sentences};
use crate::method::MatchOptions;
use crate::method::fitted::{Beside, Comparer, Explanation, Fields, FittedMethod, Inspector};
use crate::read::CodePoints;
use crate::scores::Scores;

/// What makes fingerprints of sentences, and which of them do not count.
#[derive(Debug)]
pub struct Fitted {
    /// What makes the fingerprints.
    pub(crate) fingerprinter: Fingerprinter,
    /// Fingerprints that occur too often to count, in order. No texts share them, unless they are the same.
    pub(crate) boilerplate: Vec<u128>,
}

impl Fitted {
    /// Sentences without these common words, all of which count.
    pub(crate) fn new(options: &MatchOptions, common: Arc<CommonWords>) -> Self {
        let MatchOptions {
            method, normalize, ..
        } = options;
        Self {
            fingerprinter: options.sentences.fingerprinter(*method, normalize, common),
            boilerplate: Vec::new(),
        }
    }

    fn counts(&self, key: &u128) -> bool {
        self.boilerplate.binary_search(key).is_err()
    }
}

impl FittedMethod for Fitted {
    fn comparer(self: Arc<Self>) -> Box<dyn Comparer> {
        Box::new(Sentenced {
            fitted: self,
            found: Sentences::default(),
            texts: Vec::new(),
        })
    }

    fn beside(self: Arc<Self>, text: &str) -> Box<dyn Beside> {
        let mut found = Sentences::default();
        Box::new(SentencesBeside {
            text: SentenceText::new(&self.fingerprinter, text, &mut found),
            fitted: self,
        })
    }

    fn explain(&self, a: &str, b: &str) -> Explanation {
        let mut found = [Sentences::default(), Sentences::default()];
        let [list_a, list_b] = &mut found;
        let text_a = SentenceText::new(&self.fingerprinter, a, list_a);
        let text_b = SentenceText::new(&self.fingerprinter, b, list_b);
        let scores = text_a.compare(&text_b, &self.boilerplate);
        if text_a.is_same(&text_b) {
            return Explanation {
                scores,
                passages_a: vec![trimmed(a)],
                passages_b: vec![trimmed(b)],
            };
        }
        Explanation {
            scores,
            passages_a: shared_sentences(&found[0], &|key| text_b.has(key) && self.counts(key)),
            passages_b: shared_sentences(&found[1], &|key| text_a.has(key) && self.counts(key)),
        }
    }

    fn inspector(self: Arc<Self>, _: &MatchOptions) -> Box<dyn Inspector> {
        Box::new(SentenceInspector(self))
    }
}

/// Sentences of texts side by side.
struct Sentenced {
    fitted: Arc<Fitted>,
    found: Sentences,
    texts: Vec<SentenceText>,
}

impl Comparer for Sentenced {
    fn clear(&mut self) {
        self.texts.clear();
    }

    fn push(&mut self, text: &str, _: Option<u32>) -> u32 {
        let text = SentenceText::new(&self.fitted.fingerprinter, text, &mut self.found);
        self.texts.push(text);
        self.found.words
    }

    fn score(&mut self, a: usize, b: usize) -> Scores {
        self.texts[a].compare(&self.texts[b], &self.fitted.boilerplate)
    }
}

/// A text that others are laid beside.
struct SentencesBeside {
    fitted: Arc<Fitted>,
    text: SentenceText,
}

impl Beside for SentencesBeside {
    fn passages_of(&mut self, other: &str) -> Vec<Range<usize>> {
        let mut found = Sentences::default();
        let laid = SentenceText::new(&self.fitted.fingerprinter, other, &mut found);
        if self.text.is_same(&laid) {
            return vec![trimmed(other)];
        }
        shared_sentences(&found, &|key| self.text.has(key) && self.fitted.counts(key))
    }
}

/// Shows every sentence with the words that are left of it and their fingerprint, if it has one.
struct SentenceInspector(Arc<Fitted>);

impl Inspector for SentenceInspector {
    fn text(&self, text: &str, points: &mut CodePoints<'_>) -> Fields {
        let mut sentences = Vec::new();
        let fingerprinter = &self.0.fingerprinter;
        fingerprinter.explain(text, |range, words, key| {
            let start = points.start(range.start);
            sentences.push(json!({
                "text": &text[range.clone()],
                "start": start,
                "end": points.end(range.end),
                "words": words,
                "fingerprint": key.map(|key| format!("{key:032x}")),
            }));
        });
        vec![("sentences", Value::Array(sentences))]
    }
}

/// The text without the white space around it.
fn trimmed(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// Stretches of text of sentences that are shared; neighbours are one.
fn shared_sentences(text: &Sentences, shared: &dyn Fn(&u128) -> bool) -> Vec<Range<usize>> {
    let runs = text.list.chunk_by(|x, y| shared(&x.key) == shared(&y.key));
    runs.filter(|run| shared(&run[0].key))
        .map(|run| run[0].start..run[run.len() - 1].end)
        .collect()
}
