//! Terms: documents that share a heavy enough term are compared by all their terms.

use super::super::Index;
use super::passages::Units;
use super::{Answer, CheckOptions, CheckScratch};
use crate::batch::learn_terms_of;
use crate::error::Result;
use crate::explain::{Explanation, explain_terms};
use crate::fingerprint::hash::hash_bytes;
use crate::options::{NormalizeOptions, TermOptions};
use crate::terms::{Language, Lexicon, Scratch, TermSegmenter};
use crate::threshold::Threshold;
use crate::verify::Metric;

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

    /// How terms are made and weighed, with the table of the index.
    pub(crate) fn options(&self) -> &TermOptions {
        &self.options
    }

    /// Two texts side by side.
    pub(crate) fn explain(&self, a: &str, b: &str) -> Result<Explanation> {
        Ok(explain_terms(
            &self.segmenter,
            &self.lexicon(&[a, b])?,
            a,
            b,
        ))
    }

    fn units(&self, text: &str) -> Units {
        let mut units = Units {
            keys: Vec::new(),
            words: Vec::new(),
            size: 1,
        };
        self.segmenter.terms(text, &mut Scratch::default(), |term| {
            units.keys.push(hash_bytes(term.form.as_bytes()));
            units.words.push(term.start..term.end);
        });
        units
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
        let mut found =
            self.score_sources((&candidates, TOGETHER), &mut scratch.texts, |others| {
                let others = others.iter().map(String::as_str);
                let texts: Vec<&str> = std::iter::once(text).chain(others).collect();
                let lexicon = terms.lexicon(&texts)?;
                let scores = texts[1..]
                    .iter()
                    .map(|other| explain_terms(&terms.segmenter, &lexicon, text, other).scores);
                Ok(scores.collect())
            })?;
        found.retain(|(_, scores)| scores.reaches(metric, options.threshold));
        let asked = terms.units(text);
        self.answer(&asked, found, options, scratch, |other| terms.units(other))
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
}
