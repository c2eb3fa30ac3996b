//! Texts that share sentences: what each pair has in common, and what occurs too often to count.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::meet::{MOST_PAIRS, MeetRow, Met, MetKind};
use crate::method::sentences::counted;
use crate::scores::{Scores, Weights};

/// The sentences of the key at hand, and pairs of all keys so far.
#[derive(Debug)]
pub(super) struct SentenceGroups {
    /// A sentence that occurs more often counts for nothing.
    most: u64,
    /// By the second half of their keys.
    sentences: BTreeMap<u64, Sentence>,
    /// Sentences that pairs share, and their words in each text.
    pairs: HashMap<(i64, i64), (u32, u64, u64)>,
}

#[derive(Debug, Default)]
struct Sentence {
    /// Occurrences in all texts so far.
    occurrences: u64,
    /// Texts with the words of the sentence in each; none once it occurs too often.
    texts: Vec<(i64, u32)>,
}

impl SentenceGroups {
    pub(super) fn new(most: u64) -> Self {
        Self {
            most,
            sentences: BTreeMap::new(),
            pairs: HashMap::new(),
        }
    }

    pub(super) fn push(&mut self, row: &MeetRow, out: &mut Vec<Met>) {
        let own = &row.sentence;
        let sentence = self.sentences.entry(own.rest).or_default();
        let was_common = sentence.occurrences > self.most;
        sentence.occurrences += u64::from(own.occurrences);
        sentence.texts.push((row.doc, own.words));
        if sentence.occurrences > self.most {
            let words = |(doc, words): (i64, u32)| Met {
                kind: MetKind::Words,
                a: doc,
                b: doc,
                count: 0,
                least: 0,
                words: (u64::from(words), 0),
            };
            out.extend(sentence.texts.drain(..).map(words));
            if !was_common {
                out.push(Met {
                    kind: MetKind::Boilerplate,
                    a: row.key as i64,
                    b: own.rest as i64,
                    count: 0,
                    least: 0,
                    words: (0, 0),
                });
            }
        }
    }

    pub(super) fn end_group(&mut self, out: &mut Vec<Met>) {
        for mut sentence in std::mem::take(&mut self.sentences).into_values() {
            sentence.texts.sort_unstable();
            for (place, &(a, words_a)) in sentence.texts.iter().enumerate() {
                for &(b, words_b) in &sentence.texts[place + 1..] {
                    if a != b {
                        let sums = self.pairs.entry((a, b)).or_default();
                        sums.0 += 1;
                        sums.1 += u64::from(words_a);
                        sums.2 += u64::from(words_b);
                    }
                }
                if self.pairs.len() >= MOST_PAIRS {
                    self.hand_on(out);
                }
            }
        }
    }

    pub(super) fn hand_on(&mut self, out: &mut Vec<Met>) {
        let start = out.len();
        let pairs = self.pairs.drain();
        out.extend(pairs.map(|((a, b), (count, words_a, words_b))| Met {
            kind: MetKind::Pair,
            a,
            b,
            count,
            least: 0,
            words: (words_a, words_b),
        }));
        out[start..].sort_unstable();
    }
}

/// What one text of a pair counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextSums {
    /// Words of the shared sentences.
    pub covered: u64,
    /// Distinct sentences.
    pub distinct: u32,
    /// All words.
    pub tokens: u32,
    /// Words of sentences that occur too often to count.
    pub boilerplate: u64,
}

impl TextSums {
    fn counted(&self) -> u32 {
        counted(self.tokens, narrow(self.boilerplate))
    }
}

/// The scores of two texts that share so many sentences.
pub fn scores_of_sums(common: u64, a: &TextSums, b: &TextSums) -> Scores {
    Scores {
        common: narrow(common),
        distinct_a: a.distinct,
        distinct_b: b.distinct,
        covered_a: narrow(a.covered),
        covered_b: narrow(b.covered),
        tokens_a: a.counted(),
        tokens_b: b.counted(),
        compared: 0,
        weights: Weights::default(),
    }
}

/// The scores of a text with a copy of itself.
pub fn scores_of_copy(text: &TextSums, weight: u64) -> Scores {
    Scores::identical(text.distinct, text.counted(), weight)
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
