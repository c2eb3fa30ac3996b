//! The options of an index, as its manifest keeps them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::fingerprint::hash::HASH_VERSION;
use crate::method::Method;
use crate::options::{FingerprintKind, NormalizeOptions, Numbers, ShingleOptions, TermOptions};
use crate::segment::sentences::SPLITTER_VERSION;
use crate::sentences::common::Cutoff;
use crate::sentences::{CopyRule, SENTENCE_VERSION, SentenceOptions};
use crate::terms::Language;
use crate::terms::SEGMENT_VERSION;
use crate::terms::segment::Group;
use crate::terms::weights::{Interval, Weighting};
use crate::threshold::Threshold;
use crate::verify::Metric;

/// How the texts of an index are seen, and what makes one a copy. Fixed when the index is made.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// How copies are found.
    pub method: Method,
    /// What similarity means.
    pub metric: Metric,
    /// The least score of a copy, unless another is asked for.
    pub threshold: Threshold,
    /// How texts are normalised.
    pub normalize: NormalizeOptions,
    /// How shingles are made.
    pub shingle: ShingleOptions,
    /// How terms are made and weighed.
    pub terms: TermOptions,
    /// How sentences are made, and how many make a copy unless another number is asked for.
    pub sentences: SentenceOptions,
    /// Whether the texts of the sources are kept.
    pub texts: bool,
}

impl IndexOptions {
    /// That an index can be made like this.
    ///
    /// # Errors
    /// When the method has no such metric, or needs the texts.
    pub fn check(&self) -> Result<()> {
        self.method.expect_metric(self.metric)?;
        self.terms.check()?;
        let own = self.method.metrics()[0];
        if self.method.unit().is_some() && self.metric != own {
            return Err(Error::Option {
                option: "metric",
                value: self.metric.to_string(),
                expected: format!("an index of `{}` answers by {own}", self.method),
            });
        }
        if !self.texts && self.method.unit().is_none() {
            return Err(Error::Option {
                option: "no-texts",
                value: self.method.to_string(),
                expected: "this method reads the texts again to be sure of its scores; only `sentences` and `imatch` do without them"
                    .to_owned(),
            });
        }
        Ok(())
    }
}

/// The options in words and numbers. Names and words are part of the format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredOptions {
    method: String,
    metric: String,
    threshold: f64,
    texts: bool,
    numbers: String,
    fold_case: bool,
    fold_accents: bool,
    ascii: bool,
    stop_words: Vec<String>,
    shingle: usize,
    fingerprint: String,
    fingerprint_bits: u32,
    lang: String,
    /// The language of texts that do not tell theirs; settled by the first texts.
    pub(crate) fallback: Option<String>,
    fold_elongation: bool,
    /// Weight intervals by group.
    weights: Vec<(String, f64, f64)>,
    weighting: String,
    df_cutoff: Option<String>,
    reorder: bool,
    min_words: usize,
    min_sentences: Option<u32>,
    max_occurrences: u64,
    versions: Versions,
}

/// Versions of everything that decides what fingerprints a text has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Versions {
    hash: u32,
    splitter: u32,
    sentences: u32,
    segmenter: u32,
}

impl Versions {
    const NOW: Self = Self {
        hash: HASH_VERSION,
        splitter: SPLITTER_VERSION,
        sentences: SENTENCE_VERSION,
        segmenter: SEGMENT_VERSION,
    };
}

const NUMBERS: [(Numbers, &str); 3] = [
    (Numbers::Token, "token"),
    (Numbers::Keep, "keep"),
    (Numbers::Drop, "drop"),
];
const FINGERPRINTS: [(FingerprintKind, &str); 2] = [
    (FingerprintKind::Fold, "fold"),
    (FingerprintKind::Rabin, "rabin"),
];
const WEIGHTINGS: [(Weighting, &str); 2] =
    [(Weighting::Frequency, "frequency"), (Weighting::Idf, "idf")];

fn word<T: PartialEq>(words: &[(T, &str)], value: &T) -> String {
    let found = words.iter().find(|(other, _)| other == value);
    found.map_or("", |(_, word)| word).to_owned()
}

fn value<T: Copy>(words: &[(T, &str)], word: &str) -> Option<T> {
    let found = words.iter().find(|(_, other)| *other == word);
    found.map(|(value, _)| *value)
}

impl StoredOptions {
    pub(crate) fn new(options: &IndexOptions) -> Self {
        let weights = Group::ALL.into_iter().map(|group| {
            let interval = options.terms.weights.interval(group);
            (group.name().to_owned(), interval.a(), interval.b())
        });
        Self {
            method: options.method.to_string(),
            metric: options.metric.to_string(),
            threshold: options.threshold.value(),
            texts: options.texts,
            numbers: word(&NUMBERS, &options.normalize.numbers),
            fold_case: options.normalize.fold_case,
            fold_accents: options.normalize.fold_accents,
            ascii: options.normalize.ascii,
            stop_words: options.normalize.stop_words.clone(),
            shingle: options.shingle.size,
            fingerprint: word(&FINGERPRINTS, &options.shingle.fingerprint),
            fingerprint_bits: options.shingle.bits,
            lang: options.terms.language.code().to_owned(),
            fallback: None,
            fold_elongation: options.terms.fold_elongation,
            weights: weights.collect(),
            weighting: word(&WEIGHTINGS, &options.terms.weights.weighting),
            df_cutoff: options.sentences.cutoff.map(|cutoff| cutoff.to_string()),
            reorder: options.sentences.reorder,
            min_words: options.sentences.least,
            min_sentences: options.sentences.rule.sentences,
            max_occurrences: options.sentences.rule.most,
            versions: Versions::NOW,
        }
    }

    /// The options, or what is wrong with them.
    pub(crate) fn resolve(&self) -> std::result::Result<IndexOptions, String> {
        if self.versions != Versions::NOW {
            return Err(
                "the texts of the index were cut and hashed by another version of doublet: make the index anew from its sources"
                    .to_owned(),
            );
        }
        self.resolve_words()
            .ok_or_else(|| "the options are not those of this version of doublet: use the one that made the index, or a newer one".to_owned())
    }

    fn resolve_words(&self) -> Option<IndexOptions> {
        let mut terms = TermOptions {
            language: Language::from_code(&self.lang)?,
            fold_elongation: self.fold_elongation,
            ..TermOptions::default()
        };
        for (group, a, b) in &self.weights {
            let interval = Interval::new(*a, *b)?;
            terms.weights.set(Group::from_name(group)?, interval);
        }
        terms.weights.weighting = value(&WEIGHTINGS, &self.weighting)?;
        let cutoff: Option<Cutoff> = match &self.df_cutoff {
            Some(cutoff) => Some(cutoff.parse().ok()?),
            None => None,
        };
        Some(IndexOptions {
            method: Method::from_name(&self.method)?,
            metric: self.metric.parse().ok()?,
            threshold: Threshold::new(self.threshold).ok()?,
            normalize: NormalizeOptions {
                numbers: value(&NUMBERS, &self.numbers)?,
                fold_case: self.fold_case,
                fold_accents: self.fold_accents,
                ascii: self.ascii,
                stop_words: self.stop_words.clone(),
            },
            shingle: ShingleOptions {
                size: self.shingle,
                fingerprint: value(&FINGERPRINTS, &self.fingerprint)?,
                bits: self.fingerprint_bits,
            },
            terms,
            sentences: SentenceOptions {
                cutoff,
                common: None::<Arc<_>>,
                reorder: self.reorder,
                least: self.min_words,
                rule: CopyRule {
                    sentences: self.min_sentences,
                    most: self.max_occurrences,
                },
            },
            texts: self.texts,
        })
    }

    /// The options as JSON, for people and programs.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}
