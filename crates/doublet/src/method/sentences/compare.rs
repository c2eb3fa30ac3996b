//! The distinct sentences of a text, and the scores of two of them.

use std::convert::Infallible;

use crate::method::sentences::{Fingerprinter, Sentences, counted};
use crate::scores::Scores;

/// The sentences of a text, without regard to where they stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentenceText {
    /// Each fingerprint with the words of its sentences, in order.
    entries: Vec<(u128, u32)>,
    /// How many these are; 1 for a text that has words and none of them.
    distinct: u32,
    /// All words of the text.
    words: u32,
    identity: u128,
}

impl SentenceText {
    /// The sentences of a text; `found` is scratch, and has them all.
    pub(crate) fn new(fingerprinter: &Fingerprinter, text: &str, found: &mut Sentences) -> Self {
        fingerprinter.fingerprint_long(text, found);
        let mut entries = Vec::new();
        let Ok(distinct) = found.try_for_each_distinct(&mut Vec::new(), |key, words, _| {
            entries.push((key, words));
            Ok::<(), Infallible>(())
        });
        Self {
            entries,
            distinct,
            words: found.words,
            identity: found.identity,
        }
    }

    /// Whether it has the sentence of this fingerprint.
    pub(crate) fn has(&self, key: &u128) -> bool {
        self.entries
            .binary_search_by_key(key, |(key, _)| *key)
            .is_ok()
    }

    /// Whether another has the same words.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.identity == other.identity && self.words > 0
    }

    /// Words that count.
    fn counted(&self, counts: &impl Fn(&u128) -> bool) -> u32 {
        let left_out = self.entries.iter().filter(|(key, _)| !counts(key));
        counted(self.words, left_out.map(|(_, words)| words).sum())
    }

    /// The scores of two texts. Sentences of the fingerprints in `boilerplate`, which are in order, are shared by none, unless the
    /// texts are the same.
    pub(crate) fn compare(&self, other: &Self, boilerplate: &[u128]) -> Scores {
        let counts = |key: &u128| boilerplate.binary_search(key).is_err();
        let (tokens_a, tokens_b) = (self.counted(&counts), other.counted(&counts));
        if self.is_same(other) {
            return Scores::identical(self.distinct, tokens_a, 0);
        }
        let shared = |own: &Self, other: &Self| {
            let shared = own.entries.iter();
            let shared = shared.filter(|(key, _)| other.has(key) && counts(key));
            shared.fold((0, 0), |(count, sum), (_, words)| (count + 1, sum + words))
        };
        let (common, covered_a) = shared(self, other);
        let (_, covered_b) = shared(other, self);
        Scores {
            common,
            distinct_a: self.distinct,
            distinct_b: other.distinct,
            covered_a,
            covered_b,
            tokens_a,
            tokens_b,
            ..Scores::default()
        }
    }
}
