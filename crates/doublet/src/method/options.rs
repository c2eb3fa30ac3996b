//! What makes two texts duplicates: the method, and how it sees and compares texts.

use serde::{Deserialize, Serialize};

use super::sentences::SentenceOptions;
use super::simhash::{SimhashOptions, Voters};
use super::terms::TermOptions;
use super::{Decision, Method};
use crate::error::Result;
use crate::options::{NormalizeOptions, Numbers, ShingleOptions};
use crate::scores::Metric;
use crate::sketch::SketchOptions;
use crate::threshold::Threshold;

/// What makes two texts duplicates. The same for a whole collection, an index, a cluster and two texts side by side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchOptions {
    /// How duplicates are found.
    pub method: Method,
    /// What similarity means.
    pub metric: Metric,
    /// The least score of a match.
    pub threshold: Threshold,
    /// How texts are normalised.
    pub normalize: NormalizeOptions,
    /// How shingles are made.
    pub shingle: ShingleOptions,
    /// How terms are made, weighed and brought together.
    pub terms: TermOptions,
    /// How sketches are made and brought together.
    pub sketches: SketchOptions,
    /// How sentences become fingerprints, and how many make a copy.
    pub sentences: SentenceOptions,
    /// How fingerprints of 64 bits are made.
    pub simhash: SimhashOptions,
}

impl Default for MatchOptions {
    fn default() -> Self {
        Self::new(Method::default())
    }
}

impl MatchOptions {
    /// A method with its own metric, threshold and defaults.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            metric: method.metrics()[0],
            threshold: method.threshold(),
            normalize: NormalizeOptions::default(),
            shingle: ShingleOptions::default(),
            terms: TermOptions::default(),
            sketches: SketchOptions::default(),
            sentences: SentenceOptions::default(),
            simhash: SimhashOptions::default(),
        }
    }

    /// That texts can be compared like this.
    ///
    /// # Errors
    /// When an option is out of range, or does not go with another.
    pub fn check(&self) -> Result<()> {
        self.method.expect_metric(self.metric)?;
        self.shingle.check()?;
        self.terms.check()?;
        if self.method.info().has_sketches {
            self.sketches.check()?;
            self.sketches.values(self.threshold)?;
        }
        Ok(())
    }

    /// What makes two texts a match. `one_way`: texts are compared with references, and only what they have of those counts.
    pub fn decision(&self, one_way: bool) -> Decision {
        let has_sentences = self.method.unit().is_some();
        Decision {
            metric: self.metric,
            threshold: self.threshold,
            copies: has_sentences.then_some(self.sentences.rule),
            one_way: one_way && has_sentences && self.metric == self.method.metrics()[0],
        }
    }

    /// Whether only the sketches of two texts are compared.
    pub(crate) fn by_sketches(&self) -> bool {
        self.method.info().has_sketches && self.metric == Metric::Agreement
    }

    /// The same for removing whole texts: none is removed for a few of its sentences, however small their share.
    #[must_use]
    pub fn for_removal(mut self) -> Self {
        self.sentences.rule.sentences = None;
        self
    }

    /// Whether a match may be a short text within a longer one.
    pub fn finds_parts(&self) -> bool {
        self.method.finds_parts(self.metric)
    }

    /// Whether texts are seen as weighted terms.
    pub fn weighs_terms(&self) -> bool {
        let info = self.method.info();
        info.weighs_terms || (info.has_voters && self.simhash.voters == Voters::Terms)
    }

    /// Words of the shortest text that can match in part.
    pub(crate) fn shortest_text(&self) -> usize {
        match self.method.info().has_shingles && !self.weighs_terms() {
            true => self.shingle.size,
            false => 1,
        }
    }

    /// Whether scores by words count every word that a text has, so that they say what a removal loses.
    pub(crate) fn counts_every_word(&self) -> bool {
        let leaves_out = self.normalize.numbers != Numbers::Keep
            || self.normalize.ascii
            || !self.normalize.stop_words.is_empty();
        self.method.unit().is_none() && !leaves_out
    }
}
