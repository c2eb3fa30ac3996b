//! The options of an index, as its manifest keeps them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::hash::HASH_VERSION;
use crate::method::sentences::common::Cutoff;
use crate::method::sentences::{CopyRule, SENTENCE_VERSION, SentenceOptions};
use crate::method::simhash::SimhashOptions;
use crate::method::terms::weights::{Interval, Weighting};
use crate::method::terms::{Language, SEGMENT_VERSION, TermOptions};
use crate::method::{MatchOptions, Method};
use crate::options::{FingerprintKind, NormalizeOptions, Numbers, ShingleOptions, TokenKind};
use crate::segment::sentences::SPLITTER_VERSION;
use crate::segment::terms::Group;
use crate::sketch::{Banding, MeetBy, SKETCH_VERSION, SketchKind, SketchOptions};
use crate::threshold::Threshold;

/// The options that are settled when an index is made, by their names on the command line.
pub const SETTLED: [&str; 31] = [
    "method",
    "metric",
    "shingle",
    "tokens",
    "fingerprint",
    "fingerprint-bits",
    "numbers",
    "case",
    "accents",
    "ascii",
    "stop-words",
    "lang",
    "fold-elongation",
    "candidates",
    "transitivity",
    "background",
    "weights",
    "weighting",
    "features",
    "gram",
    "short",
    "seed",
    "sketch",
    "sketch-size",
    "recall",
    "bands",
    "min-common",
    "estimate",
    "df-cutoff",
    "reorder",
    "min-words",
];

/// How the texts of an index are seen, and what makes one a copy. Fixed when the index is made.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// What makes two texts a match; the bands of sketches are the sharpest unless others are given.
    pub matching: MatchOptions,
    /// Whether the texts of the sources are kept.
    pub texts: bool,
}

impl IndexOptions {
    /// That an index can be made like this.
    ///
    /// # Errors
    /// When the method has no such metric, or needs the texts.
    pub fn check(&self) -> Result<()> {
        let MatchOptions { method, metric, .. } = self.matching;
        let info = method.info();
        if !info.has_index {
            return Err(Error::Option {
                option: "method",
                value: method.to_string(),
                expected: format!(
                    "an index is of one of {}",
                    Method::names(|info| info.has_index)
                ),
            });
        }
        method.expect_metric(metric)?;
        self.matching.terms.check()?;
        if info.has_sketches {
            check_sketches(&self.matching.sketches)?;
        }
        let own = method.metrics()[0];
        let one_metric = method.unit().is_some() || info.has_sketches;
        if one_metric && metric != own {
            return Err(Error::Option {
                option: "metric",
                value: metric.to_string(),
                expected: format!("an index of `{method}` answers by {own}"),
            });
        }
        if !self.texts && method.unit().is_none() {
            return Err(Error::Option {
                option: "no-texts",
                value: method.to_string(),
                expected: "this method reads the texts again to be sure of its scores; only `sentences` and `imatch` do without them"
                    .to_owned(),
            });
        }
        Ok(())
    }

    /// The bands of its sketches.
    ///
    /// # Errors
    /// When the sketches have too few values for the recall.
    pub(crate) fn banding(&self) -> Result<Banding> {
        self.matching.sketches.sharpest(self.matching.threshold)
    }

    /// The probability that a source of this resemblance is found, where sketches decide about it; other methods miss none.
    ///
    /// # Errors
    /// When the sketches have too few values for the recall.
    pub fn chance(&self, resemblance: Threshold) -> Result<Option<f64>> {
        if !self.matching.method.info().has_sketches {
            return Ok(None);
        }
        Ok(Some(self.banding()?.found(resemblance.value())))
    }
}

/// That an index can keep such sketches: by the bands of permutations.
fn check_sketches(sketches: &SketchOptions) -> Result<()> {
    sketches.check()?;
    let refuse = |option, value: String, expected: &str| {
        Err(Error::Option {
            option,
            value,
            expected: expected.to_owned(),
        })
    };
    if sketches.kind != SketchKind::Permutations {
        let expected = "an index of `minhash` is one of bands, and those are made of permutations";
        return refuse("sketch", sketches.kind.name().to_owned(), expected);
    }
    if sketches.meet_by != MeetBy::Bands {
        let expected = "an index of `minhash` is one of bands";
        return refuse("candidates", sketches.meet_by.name().to_owned(), expected);
    }
    if let Some(bands) = sketches.bands.filter(|bands| bands.least > 1) {
        let expected = "in an index one shared band is enough: leave out the third number";
        return refuse("bands", bands.to_string(), expected);
    }
    Ok(())
}

/// What is wrong with an index of a method that has none.
pub(crate) fn no_index(method: Method) -> String {
    let methods = Method::names(|info| info.has_index);
    format!("an index cannot be of `{method}`: make it anew from its sources, by one of {methods}")
}

/// The options in words and numbers. Names and words are part of the format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredOptions {
    method: String,
    metric: String,
    threshold: f64,
    texts: bool,
    /// Not there for words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<String>,
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
    /// Only where the method is `minhash`.
    #[serde(flatten)]
    sketches: Option<StoredSketches>,
    versions: Versions,
}

/// Sketches by which texts meet in bands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StoredSketches {
    sketch: String,
    sketch_size: usize,
    sketch_version: u32,
    seed: u64,
    recall: f64,
    bands: u32,
    rows: u32,
}

impl StoredSketches {
    fn new(options: &SketchOptions, banding: Banding) -> Self {
        Self {
            sketch: options.kind.name().to_owned(),
            sketch_size: options.size,
            sketch_version: SKETCH_VERSION,
            seed: options.seed,
            recall: options.recall,
            bands: banding.bands,
            rows: banding.rows,
        }
    }

    fn resolve(&self) -> Option<SketchOptions> {
        let options = SketchOptions {
            size: self.sketch_size,
            seed: self.seed,
            recall: self.recall,
            bands: Some(Banding {
                bands: self.bands,
                rows: self.rows,
                least: 1,
            }),
            ..SketchOptions::new(SketchKind::Permutations)
        };
        let values = u64::from(self.bands) * u64::from(self.rows);
        let sound = self.sketch == options.kind.name()
            && options.check().is_ok()
            && (1..=options.size as u64).contains(&values);
        sound.then_some(options)
    }
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

    /// Whether all that an index of this method depends on is as it is now.
    fn suit(&self, method: Method) -> bool {
        let (was, now, info) = (self, Self::NOW, method.info());
        let sentences = was.splitter == now.splitter && was.sentences == now.sentences;
        was.hash == now.hash
            && (info.unit.is_none() || sentences)
            && (!info.weighs_terms || was.segmenter == now.segmenter)
    }
}

impl StoredOptions {
    /// The options of a new index.
    ///
    /// # Errors
    /// When the sketches have too few values for the recall.
    pub(crate) fn new(options: &IndexOptions) -> Result<Self> {
        let texts = options.texts;
        let sketches = match options.matching.method.info().has_sketches {
            true => {
                let banding = options.banding()?;
                Some(StoredSketches::new(&options.matching.sketches, banding))
            }
            false => None,
        };
        let options = &options.matching;
        let weights = Group::ALL.into_iter().map(|group| {
            let interval = options.terms.weights.interval(group);
            (group.name().to_owned(), interval.a(), interval.b())
        });
        Ok(Self {
            method: options.method.to_string(),
            metric: options.metric.to_string(),
            threshold: options.threshold.value(),
            texts,
            tokens: (options.normalize.tokens != TokenKind::Words)
                .then(|| options.normalize.tokens.name().to_owned()),
            numbers: options.normalize.numbers.name().to_owned(),
            fold_case: options.normalize.fold_case,
            fold_accents: options.normalize.fold_accents,
            ascii: options.normalize.ascii,
            stop_words: options.normalize.stop_words.clone(),
            shingle: options.shingle.size,
            fingerprint: options.shingle.fingerprint.name().to_owned(),
            fingerprint_bits: options.shingle.bits,
            lang: options.terms.language.code().to_owned(),
            fallback: None,
            fold_elongation: options.terms.fold_elongation,
            weights: weights.collect(),
            weighting: options.terms.weights.weighting.name().to_owned(),
            df_cutoff: options.sentences.cutoff.map(|cutoff| cutoff.to_string()),
            reorder: options.sentences.reorder,
            min_words: options.sentences.least,
            min_sentences: options.sentences.rule.sentences,
            max_occurrences: options.sentences.rule.most,
            sketches,
            versions: Versions::NOW,
        })
    }

    /// The options, or what is wrong with them.
    pub(crate) fn resolve(&self) -> std::result::Result<IndexOptions, String> {
        let sketches = self.sketches.as_ref();
        let other_sketches = sketches.is_some_and(|known| known.sketch_version != SKETCH_VERSION);
        let method = Method::from_name(&self.method);
        if let Some(method) = method.filter(|method| !method.info().has_index) {
            return Err(no_index(method));
        }
        if method.is_some_and(|method| !self.versions.suit(method)) || other_sketches {
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
        terms.weights.weighting = Weighting::from_name(&self.weighting)?;
        let cutoff: Option<Cutoff> = match &self.df_cutoff {
            Some(cutoff) => Some(cutoff.parse().ok()?),
            None => None,
        };
        let method = Method::from_name(&self.method)?;
        let sketches = match method.info().has_sketches {
            true => self.sketches.as_ref()?.resolve()?,
            false => SketchOptions::default(),
        };
        let matching = MatchOptions {
            method,
            metric: self.metric.parse().ok()?,
            threshold: Threshold::new(self.threshold).ok()?,
            normalize: NormalizeOptions {
                tokens: match &self.tokens {
                    Some(tokens) => TokenKind::from_name(tokens)?,
                    None => TokenKind::Words,
                },
                numbers: Numbers::from_name(&self.numbers)?,
                fold_case: self.fold_case,
                fold_accents: self.fold_accents,
                ascii: self.ascii,
                stop_words: self.stop_words.clone(),
            },
            shingle: ShingleOptions {
                size: self.shingle,
                fingerprint: FingerprintKind::from_name(&self.fingerprint)?,
                bits: self.fingerprint_bits,
            },
            terms,
            sketches,
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
            simhash: SimhashOptions::default(),
        };
        Some(IndexOptions {
            matching,
            texts: self.texts,
        })
    }

    /// The options as JSON, for people and programs.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_a_method_without_one_is_refused() {
        let options = IndexOptions {
            matching: MatchOptions::default(),
            texts: true,
        };
        let mut stored = StoredOptions::new(&options).unwrap();
        assert!(stored.resolve().is_ok());
        stored.method = "simhash".to_owned();
        let refused = stored.resolve().unwrap_err();
        assert!(refused.contains("cannot be of `simhash`"), "{refused}");
    }
}
