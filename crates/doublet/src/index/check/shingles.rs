//! Shingles: documents that share enough of them are compared word by word, so that every score is exact.

use super::super::Index;
use super::super::model::ShingleFacts;
use super::passages::{Cut, Units, Words};
use super::{Answer, CheckOptions, CheckScratch, part_and_document};
use crate::error::Result;
use crate::method::shingles::{Prepared, Preparer, TokenBuffer, VerifyTexts};
use crate::scores::{Metric, Scores};
use crate::threshold::Threshold;

/// Sources that are compared together, the text made ready once for them.
const TOGETHER: usize = 64;

/// A text, as far as candidates can be told from it.
pub(super) struct Asked {
    tokens: u64,
    distinct: u64,
    /// Words that a shingle covers.
    size: u64,
}

impl Asked {
    /// A prepared text, its shingles in order.
    pub(super) fn new(prepared: &Prepared, preparer: &Preparer) -> Self {
        let distinct = prepared.shingles.chunk_by(|x, y| x == y).count();
        Self {
            tokens: u64::from(prepared.tokens),
            distinct: distinct as u64,
            size: preparer.shingle_size() as u64,
        }
    }

    /// The most that a document can share with it.
    pub(super) fn all_of(&self, source: u64) -> Shared {
        Shared {
            source,
            common: self.distinct,
            occurrences: self.tokens,
        }
    }
}

/// What a document shares with it.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    source: u64,
    /// Distinct shingles.
    common: u64,
    /// Shingles of the text, each time one occurs.
    occurrences: u64,
}

impl Index {
    pub(super) fn check_shingles(
        &self,
        preparer: &Preparer,
        text: &str,
        options: &CheckOptions,
        scratch: &mut CheckScratch,
    ) -> Result<Answer> {
        let mut prepared = std::mem::take(&mut scratch.prepared);
        preparer.prepare(text, &mut prepared);
        prepared.shingles.sort_unstable();
        let asked = Asked::new(&prepared, preparer);
        let shared =
            self.shared_shingles(&prepared.shingles, &asked, options.threshold, scratch)?;
        scratch.keep(prepared);
        let candidates = self.candidates(&asked, shared.into_iter(), options.threshold)?;
        self.compare_words(preparer, (text, &asked), &candidates, options, scratch)
    }

    /// Those of some documents that can reach the threshold.
    pub(super) fn candidates(
        &self,
        asked: &Asked,
        shared: impl Iterator<Item = Shared>,
        threshold: Threshold,
    ) -> Result<Vec<u64>> {
        let mut candidates = Vec::new();
        for shared in shared {
            if self.can_match(asked, shared, self.options.matching.metric, threshold)? {
                candidates.push(shared.source);
            }
        }
        Ok(candidates)
    }

    /// What is said of a text by the candidates that reach the threshold, compared word by word.
    pub(super) fn compare_words(
        &self,
        preparer: &Preparer,
        (text, asked): (&str, &Asked),
        candidates: &[u64],
        options: &CheckOptions,
        scratch: &mut CheckScratch,
    ) -> Result<Answer> {
        let same = || Scores::identical(asked.distinct as u32, asked.tokens as u32, 0);
        let mut texts = VerifyTexts::default();
        let mut found = self.score_sources(
            text,
            (candidates, TOGETHER),
            &mut scratch.texts,
            same,
            |others| {
                texts.clear();
                texts.push(preparer, text, None);
                for other in others {
                    texts.push(preparer, other, None);
                }
                let numbers = 1..=others.len();
                Ok(numbers
                    .map(|number| texts.compare(preparer, 0, number))
                    .collect())
            },
        )?;
        let decision = options.decision(&self.options);
        found.retain(|(_, scores)| decision.is_match(scores));
        self.answer(text, found, options, scratch, preparer)
    }

    /// Documents that share a shingle, in order. `order` has the shingles of the text, sorted.
    fn shared_shingles(
        &self,
        order: &[u64],
        asked: &Asked,
        threshold: Threshold,
        scratch: &mut CheckScratch,
    ) -> Result<Vec<Shared>> {
        let mut hits = Hits::default();
        if self.options.matching.metric != Metric::Resemblance {
            for run in order.chunk_by(|x, y| x == y) {
                self.add_hits(run[0], run.len() as u64, &mut hits, scratch)?;
            }
            return Ok(hits.finish());
        }
        for (_, shingle) in self.rarest(order, asked, threshold, scratch)? {
            self.add_hits(shingle, 1, &mut hits, scratch)?;
        }
        // From some of the shingles nothing follows about the rest.
        let sources = hits.finish().into_iter().map(|shared| shared.source);
        Ok(sources.map(|source| asked.all_of(source)).collect())
    }

    /// The shingles that few documents have, with their number: enough for resemblance. Of a text that shares ⌈t·n⌉ of n, at
    /// least one is among any n − ⌈t·n⌉ + 1.
    fn rarest(
        &self,
        order: &[u64],
        asked: &Asked,
        threshold: Threshold,
        scratch: &mut CheckScratch,
    ) -> Result<Vec<(u32, u64)>> {
        let mut shingles = Vec::with_capacity(asked.distinct as usize);
        for run in order.chunk_by(|x, y| x == y) {
            let count = self.find(u128::from(run[0]), &mut scratch.ranges)?;
            shingles.push((u32::try_from(count).unwrap_or(u32::MAX), run[0]));
        }
        shingles.sort_unstable();
        let most = asked.distinct - threshold.least(asked.distinct) + 1;
        shingles.truncate(most as usize);
        Ok(shingles)
    }

    /// Adds the documents of a shingle that occurs so often in the text.
    fn add_hits(
        &self,
        shingle: u64,
        occurrences: u64,
        hits: &mut Hits,
        scratch: &mut CheckScratch,
    ) -> Result<()> {
        self.find(u128::from(shingle), &mut scratch.ranges)?;
        self.for_each_live(&scratch.ranges, |source, _| {
            hits.push(Shared {
                source,
                common: 1,
                occurrences,
            });
            true
        })
    }

    /// Whether a document that shares this much can reach the threshold.
    fn can_match(
        &self,
        asked: &Asked,
        shared: Shared,
        metric: Metric,
        threshold: Threshold,
    ) -> Result<bool> {
        let (part, document) = part_and_document(shared.source);
        let facts = self.parts[part].part.document(document)?.facts;
        let facts = ShingleFacts::read(facts)
            .ok_or_else(|| self.damaged(shared.source, "what it keeps of a document"))?;
        let common = shared.common.min(facts.distinct);
        // What shared shingles cover at most: each occurrence its words.
        let covered = asked.tokens.min(asked.size * shared.occurrences);
        let repeats = facts.shingles - facts.distinct.min(facts.shingles);
        let covered_there = facts.tokens.min(asked.size * (common + repeats));
        let reached = |part, whole| threshold.reached(part, whole);
        Ok(match metric {
            Metric::Resemblance => reached(
                common,
                asked.distinct + facts.distinct - common.min(asked.distinct),
            ),
            Metric::Containment => {
                reached(common, asked.distinct) || reached(common, facts.distinct)
            }
            Metric::Coverage => reached(covered + covered_there, asked.tokens + facts.tokens),
            Metric::ContainmentCoverage => {
                reached(covered, asked.tokens) || reached(covered_there, facts.tokens)
            }
            Metric::Degree | Metric::Agreement => true,
        })
    }
}

/// What documents share with a text, added up now and then, so that it takes the room of the documents and not of the shingles.
#[derive(Default)]
struct Hits {
    list: Vec<Shared>,
    /// Documents when it was last added up.
    documents: usize,
}

impl Hits {
    /// Hits beyond the documents that are let stand.
    const MANY: usize = if cfg!(test) { 8 } else { 1 << 20 };

    fn push(&mut self, shared: Shared) {
        self.list.push(shared);
        if self.list.len() > 2 * self.documents + Self::MANY {
            self.add_up();
        }
    }

    fn add_up(&mut self) {
        self.list.sort_unstable_by_key(|shared| shared.source);
        self.list.dedup_by(|next, sum| {
            let same = next.source == sum.source;
            if same {
                sum.common += next.common;
                sum.occurrences += next.occurrences;
            }
            same
        });
        self.documents = self.list.len();
    }

    /// One for each document, in order.
    fn finish(mut self) -> Vec<Shared> {
        self.add_up();
        self.list
    }
}

impl Cut for Preparer {
    fn units(&self, text: &str) -> Units {
        let (mut spans, mut keys) = (Vec::new(), Vec::new());
        self.spans(text, &mut TokenBuffer::default(), &mut spans, &mut keys);
        Units {
            keys,
            words: spans,
            size: self.shingle_size(),
        }
    }

    fn words(&self, text: &str) -> Words {
        let mut words = Words::default();
        self.for_each_span(text, |span| words.push(span));
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_of_a_document_add_up() {
        let mut hits = Hits::default();
        for number in 0..100u64 {
            hits.push(Shared {
                source: number * 7 % 5,
                common: 1,
                occurrences: number,
            });
        }
        assert!(hits.list.len() <= 2 * 5 + Hits::MANY);
        let sums: Vec<(u64, u64)> = (0..5)
            .map(|source| {
                let its = (0..100).filter(|number| number * 7 % 5 == source);
                its.fold((0, 0), |(count, sum), number| (count + 1, sum + number))
            })
            .collect();
        let found = hits.finish();
        let found: Vec<(u64, u64)> = found
            .iter()
            .map(|shared| (shared.common, shared.occurrences))
            .collect();
        assert_eq!(found, sums);
    }
}
