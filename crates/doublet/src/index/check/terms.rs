//! Terms: documents that share a heavy enough term are compared by all their terms.

use super::super::Index;
use super::passages::{Cut, Units, Words};
use super::{Answer, CheckOptions, CheckScratch};
use crate::batch::learn_terms_of;
use crate::error::Result;
use crate::explain::{Explanation, explain_terms};
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

    fn lexicon(&self, texts: &[&str]) -> Result<Lexicon> {
        learn_terms_of(&self.segmenter, texts, &self.options)
    }
}

impl Cut for TermTexts {
    fn units(&self, text: &str) -> Units {
        let mut units = Units {
            keys: Vec::new(),
            words: Vec::new(),
            size: 1,
        };
        self.segmenter.terms(text, &mut Scratch::default(), |term| {
            units.keys.push(hash_bytes(term.form.as_bytes()));
            units.words.push((term.start as u32, term.end as u32));
        });
        units
    }

    fn words(&self, text: &str) -> Words {
        let mut words = Words::default();
        self.segmenter.terms(text, &mut Scratch::default(), |term| {
            words.push((term.start as u32, term.end as u32));
        });
        words
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
        let lexicon = terms.lexicon(&[text])?;
        let candidates = self.sharing_terms(&lexicon, options.threshold, scratch)?;
        let metric = self.options.metric;
        let same = || Ok(identical_scores(&lexicon, terms.words(text).count()));
        let mut found = self.score_sources(
            text,
            (&candidates, TOGETHER),
            &mut scratch.texts,
            same,
            |others| {
                let others = others.iter().map(String::as_str);
                let texts: Vec<&str> = std::iter::once(text).chain(others).collect();
                let lexicon = terms.lexicon(&texts)?;
                let scores = texts[1..]
                    .iter()
                    .map(|other| explain_terms(&terms.segmenter, &lexicon, text, other).scores);
                Ok(scores.collect())
            },
        )?;
        found.retain(|(_, scores)| scores.reaches(metric, options.threshold));
        self.answer(text, found, options, scratch, terms)
    }

    /// Documents that share one of the rarest terms of a text, in order; the lexicon is that of the text. What a copy shares weighs the threshold's share of the text at
    /// least; so it shares one of any terms without which the others weigh less.
    fn sharing_terms(
        &self,
        lexicon: &Lexicon,
        threshold: Threshold,
        scratch: &mut CheckScratch,
    ) -> Result<Vec<u64>> {
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

/// The scores of a text of so many terms, whose lexicon this is, with a copy of itself.
fn identical_scores(lexicon: &Lexicon, terms: usize) -> Scores {
    let distinct = lexicon.len() as u32;
    let weights = (0..distinct).map(|rank| lexicon.weight(rank));
    Scores::identical(distinct, terms as u32, weights.fold(0, u64::saturating_add))
}
