//! Shingles: documents that share enough of them are compared word by word, so that every score is exact.

use super::super::Index;
use super::super::model::ShingleFacts;
use super::passages::Units;
use super::{Answer, CheckOptions, CheckScratch, part_and_document};
use crate::error::Result;
use crate::prepare::{Preparer, Tokens};
use crate::threshold::Threshold;
use crate::verify::{Metric, VerifyTexts};

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
    /// A text of these tokens and so many distinct shingles.
    pub(super) fn new(tokens: &Tokens, distinct: usize, preparer: &Preparer) -> Self {
        Self {
            tokens: tokens.len() as u64,
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
        let tokens = preparer.tokens(text);
        let mut order = tokens.shingles.clone();
        order.sort_unstable();
        let distinct = order.chunk_by(|x, y| x == y).count();
        let asked = Asked::new(&tokens, distinct, preparer);
        let shared = self.shared_shingles(&order, &asked, options.threshold, scratch)?;
        let candidates = self.candidates(&asked, shared.into_iter(), options.threshold)?;
        self.compare_words(preparer, (text, &tokens), &candidates, options, scratch)
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
            if self.can_match(asked, shared, self.options.metric, threshold)? {
                candidates.push(shared.source);
            }
        }
        Ok(candidates)
    }

    /// What is said of a text by the candidates that reach the threshold, compared word by word.
    pub(super) fn compare_words(
        &self,
        preparer: &Preparer,
        (text, tokens): (&str, &Tokens),
        candidates: &[u64],
        options: &CheckOptions,
        scratch: &mut CheckScratch,
    ) -> Result<Answer> {
        let mut texts = VerifyTexts::default();
        let mut found =
            self.score_sources((candidates, TOGETHER), &mut scratch.texts, |others| {
                texts.clear();
                texts.push(preparer, text, None);
                for other in others {
                    texts.push(preparer, other, None);
                }
                let numbers = 1..=others.len();
                Ok(numbers
                    .map(|number| texts.compare(preparer, 0, number))
                    .collect())
            })?;
        found.retain(|(_, scores)| scores.reaches(self.options.metric, options.threshold));
        let asked = units(tokens, preparer);
        self.answer(&asked, found, options, scratch, |other| {
            units(&preparer.tokens(other), preparer)
        })
    }

    /// Documents that share a shingle, in order. For resemblance the rarest shingles are enough: of a text that shares ⌈t·n⌉ of n,
    /// at least one is among any n − ⌈t·n⌉ + 1.
    fn shared_shingles(
        &self,
        order: &[u64],
        asked: &Asked,
        threshold: Threshold,
        scratch: &mut CheckScratch,
    ) -> Result<Vec<Shared>> {
        let mut shingles = Vec::with_capacity(asked.distinct as usize);
        for run in order.chunk_by(|x, y| x == y) {
            let count = self.find(u128::from(run[0]), &mut scratch.ranges)?;
            shingles.push((count, run[0], run.len() as u64));
        }
        let prefix = self.options.metric == Metric::Resemblance;
        if prefix {
            shingles.sort_unstable();
            let most = asked.distinct - threshold.least(asked.distinct) + 1;
            shingles.truncate(most as usize);
        }
        let mut hits = Vec::new();
        for (_, shingle, occurrences) in shingles {
            self.find(u128::from(shingle), &mut scratch.ranges)?;
            self.for_each_live(&scratch.ranges, |source, _| {
                hits.push((source, occurrences));
                true
            })?;
        }
        hits.sort_unstable();
        let groups = hits.chunk_by(|x, y| x.0 == y.0);
        let shared = groups.map(|group| match prefix {
            // From a prefix nothing follows about the rest.
            true => asked.all_of(group[0].0),
            false => Shared {
                source: group[0].0,
                common: group.len() as u64,
                occurrences: group.iter().map(|(_, occurrences)| occurrences).sum(),
            },
        });
        Ok(shared.collect())
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

fn units(tokens: &Tokens, preparer: &Preparer) -> Units {
    let spans = tokens.spans.iter();
    Units {
        keys: tokens.shingles.clone(),
        words: spans
            .map(|&(start, end)| start as usize..end as usize)
            .collect(),
        size: preparer.shingle_size(),
    }
}
