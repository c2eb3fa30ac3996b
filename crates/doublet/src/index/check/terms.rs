//! Terms: documents that share a heavy enough term are compared by all their terms.

use std::ops::Range;

use super::super::Index;
use super::passages::{Characters, runs, united};
use super::{Answer, CheckOptions, CheckScratch, FoundSource};
use crate::batch::learn_terms_of;
use crate::error::Result;
use crate::explain::explain_terms;
use crate::fingerprint::hash::hash_bytes;
use crate::options::{NormalizeOptions, TermOptions};
use crate::terms::{Language, Lexicon, Scratch, TermSegmenter};
use crate::threshold::Threshold;
use crate::verify::{Metric, Scores};

/// Texts that are looked at together.
const TOGETHER: usize = 1024;

/// What cuts texts into terms, and what those weigh.
#[derive(Debug)]
pub(crate) struct TermTexts {
    segmenter: TermSegmenter,
    options: TermOptions,
}

impl TermTexts {
    /// Terms of texts that are in `fallback` where they do not tell.
    pub(crate) fn new(
        normalize: &NormalizeOptions,
        options: TermOptions,
        fallback: Language,
    ) -> Self {
        let segmenter = TermSegmenter::with_fallback(normalize, &options, fallback);
        Self { segmenter, options }
    }

    /// The hashes of the terms of a text, in order.
    pub(crate) fn hashes(&self, text: &str, scratch: &mut Scratch, hashes: &mut Vec<u64>) {
        hashes.clear();
        self.segmenter.terms(text, scratch, |term| {
            hashes.push(hash_bytes(term.form.as_bytes()))
        });
    }

    /// The hashes of the terms of a text with where they stand, in order.
    fn places(&self, text: &str) -> (Vec<u64>, Vec<Range<usize>>) {
        let (mut hashes, mut places) = (Vec::new(), Vec::new());
        self.segmenter.terms(text, &mut Scratch::default(), |term| {
            hashes.push(hash_bytes(term.form.as_bytes()));
            places.push(term.start..term.end);
        });
        (hashes, places)
    }

    fn lexicon(&self, texts: &[&str]) -> Result<Lexicon> {
        learn_terms_of(&self.segmenter, texts, &self.options)
    }
}

impl Index {
    pub(super) fn check_terms(
        &self,
        terms: &TermTexts,
        text: &str,
        options: &CheckOptions,
        scratch: &mut CheckScratch,
    ) -> Result<Answer> {
        let candidates = self.sharing_terms(terms, text, options.threshold, scratch)?;
        let metric = self.options.metric;
        let mut found: Vec<(u64, Scores)> = Vec::new();
        for group in candidates.chunks(TOGETHER) {
            let mut others = Vec::with_capacity(group.len());
            for &source in group {
                others.push(self.text_of(source, &mut scratch.texts)?.to_owned());
            }
            let texts: Vec<&str> = std::iter::once(text)
                .chain(others.iter().map(String::as_str))
                .collect();
            let lexicon = terms.lexicon(&texts)?;
            for (&source, other) in group.iter().zip(&others) {
                let scores = explain_terms(&terms.segmenter, &lexicon, text, other).scores;
                if scores.reaches(metric, options.threshold) {
                    found.push((source, scores));
                }
            }
        }
        found.sort_by(|x, y| {
            let order = y.1.score(metric).total_cmp(&x.1.score(metric));
            order.then(x.0.cmp(&y.0))
        });
        self.answer_terms(terms, text, &found, options, scratch)
    }

    /// Documents that share one of the rarest terms, in order. What a copy shares weighs the threshold's share of the text at
    /// least; so it shares one of any terms without which the others weigh less.
    fn sharing_terms(
        &self,
        terms: &TermTexts,
        text: &str,
        threshold: Threshold,
        scratch: &mut CheckScratch,
    ) -> Result<Vec<u64>> {
        let lexicon = terms.lexicon(&[text])?;
        let mut order = Vec::with_capacity(lexicon.len());
        let mut rest = 0u64;
        for rank in 0..lexicon.len() as u32 {
            let weight = match self.options.metric {
                Metric::Degree => lexicon.weight(rank),
                _ => 1,
            };
            rest = rest.saturating_add(weight);
            let hash = lexicon.hash(rank);
            let count = self.find(u128::from(hash), &mut scratch.ranges)?;
            order.push((count, hash, weight));
        }
        order.sort_unstable();
        let needed = threshold.least(rest);
        let mut sources = Vec::new();
        for (_, hash, weight) in order {
            if rest < needed {
                break;
            }
            self.find(u128::from(hash), &mut scratch.ranges)?;
            self.for_each_live(&scratch.ranges, |source, _| {
                sources.push(source);
                true
            })?;
            rest -= weight.min(rest);
        }
        sources.sort_unstable();
        sources.dedup();
        Ok(sources)
    }

    fn answer_terms(
        &self,
        terms: &TermTexts,
        text: &str,
        found: &[(u64, Scores)],
        options: &CheckOptions,
        scratch: &mut CheckScratch,
    ) -> Result<Answer> {
        let (mut covered, mut sources) = (Vec::new(), Vec::new());
        let (hashes, places) = terms.places(text);
        let span = |places: &[Range<usize>], units: &Range<usize>| {
            places[units.start].start..places[units.end - 1].end
        };
        for (rank, (source, scores)) in found.iter().enumerate() {
            let other = self.text_of(*source, &mut scratch.texts)?;
            let (other_hashes, other_places) = terms.places(other);
            let named = options.sources.wants(rank, || true);
            let (mut passages, mut characters) = (Vec::new(), Characters::new(other));
            for run in runs(&hashes, &other_hashes) {
                let here = run.here.start as usize..run.here.end as usize;
                let there = run.there as usize..run.there as usize + here.len();
                if named {
                    let (here, there) = (span(&places, &here), span(&other_places, &there));
                    passages.push(characters.passage(here, there));
                }
                covered.push(here);
            }
            if named {
                sources.push(FoundSource {
                    id: self.id_of(*source)?,
                    score: scores.score(self.options.metric),
                    sentences: None,
                    scores: Some(*scores),
                    passages,
                });
            }
        }
        Ok(Answer {
            duplicate: !found.is_empty(),
            share: match hashes.len() {
                0 => 0.0,
                all => united(covered) as f64 / all as f64,
            },
            sentences: None,
            boilerplate: 0,
            found: found.len(),
            sources,
        })
    }
}
