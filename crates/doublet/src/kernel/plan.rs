//! How a method finds pairs: what makes the keys of its texts, as far as it is learnt.

use std::sync::Arc;

use super::model::{Model, damaged};
use super::survey::SurveyKind;
use super::{by_sketches, refuse};
use crate::batch::JoinOptions;
use crate::candidates::frequency::{FrequencyClasses, FrequencySample};
use crate::error::Result;
use crate::method::Method;
use crate::method::minhash::keys::{LeastKeys, SketchKeys};
use crate::method::sentences::Fingerprinter;
use crate::method::sentences::common::CommonWords;
use crate::method::shingles::Preparer;
use crate::method::terms::{Language, Lexicon, TermSegmenter};
use crate::scores::Metric;
use crate::sketch::{Banding, MeetBy};

/// How a method finds pairs.
#[derive(Debug)]
pub(super) enum Plan {
    Prefixes(PrefixPlan),
    Probes(ProbePlan),
    Sketches(SketchPlan),
    Terms(Box<TermPlan>),
    Sentences(Box<SentencePlan>),
}

/// Shingles of prefixes, for resemblance.
#[derive(Debug)]
pub(super) struct PrefixPlan {
    pub(super) preparer: Preparer,
    pub(super) classes: Option<FrequencyClasses>,
}

/// All shingles, some of which probe, for the one-sided metrics.
#[derive(Debug)]
pub(super) struct ProbePlan {
    pub(super) preparer: Preparer,
    pub(super) sample: Option<FrequencySample>,
}

/// Bands or values of sketches.
#[derive(Debug)]
pub(super) struct SketchPlan {
    pub(super) preparer: Preparer,
    pub(super) keys: Option<SketchKeys>,
}

/// Features or prefixes of terms.
#[derive(Debug)]
pub(super) struct TermPlan {
    pub(super) segmenter: Option<TermSegmenter>,
    pub(super) lexicon: Option<Lexicon>,
}

/// Fingerprints of sentences.
#[derive(Debug)]
pub(super) struct SentencePlan {
    pub(super) fingerprinter: Option<Fingerprinter>,
    /// Those that occur too often to count, in order.
    pub(super) boilerplate: Vec<u128>,
}

impl Plan {
    /// The plan of these options, with what the model has learnt.
    pub(super) fn new(options: &JoinOptions, model: &Model) -> Result<Self> {
        let preparer = || Preparer::new(&options.normalize, &options.shingle);
        let learnt = model.head.learnt;
        Ok(match (options.method, options.metric) {
            (Method::Shingles, Metric::Resemblance) => Self::Prefixes(PrefixPlan {
                preparer: preparer()?,
                classes: learnt.then(|| classes(model)).transpose()?,
            }),
            (Method::Shingles, _) => Self::Probes(ProbePlan {
                preparer: preparer()?,
                sample: learnt.then(|| sample(model)).transpose()?,
            }),
            (Method::Minhash, _) => Self::Sketches(SketchPlan {
                preparer: preparer()?,
                keys: sketch_keys(options, model),
            }),
            (Method::Terms, _) => Self::Terms(Box::new(TermPlan::new(options, model)?)),
            (Method::Sentences | Method::Imatch, _) => {
                Self::Sentences(Box::new(SentencePlan::new(options, model)?))
            }
            (Method::Simhash, _) => {
                let known = Method::names(|info| info.has_kernel);
                return Err(refuse(
                    "method",
                    options.method.name(),
                    &format!(
                        "a cluster knows {known}; `doublet dedup` on one machine knows all methods"
                    ),
                ));
            }
        })
    }

    /// What a survey gives that is to be made next.
    pub(super) fn survey_kind(&self) -> Option<SurveyKind> {
        match self {
            Self::Prefixes(plan) => plan.classes.is_none().then_some(SurveyKind::Parts),
            Self::Probes(plan) => plan.sample.is_none().then_some(SurveyKind::Parts),
            Self::Sketches(plan) => plan.keys.is_none().then_some(SurveyKind::Parts),
            Self::Terms(plan) => plan.lexicon.is_none().then_some(SurveyKind::Counts),
            Self::Sentences(plan) => plan.fingerprinter.is_none().then_some(SurveyKind::Counts),
        }
    }

    /// The bands of sketches, if texts meet by them.
    pub(super) fn banding(&self) -> Option<Banding> {
        match self {
            Self::Sketches(plan) => plan.keys.as_ref()?.banding(),
            _ => None,
        }
    }
}

impl SketchPlan {
    /// Keys that a pair must share.
    pub(super) fn least(&self, options: &JoinOptions) -> Result<LeastKeys> {
        let banding = self.keys.as_ref().and_then(SketchKeys::banding);
        LeastKeys::new(&options.sketches, options.threshold, banding)
    }

    /// Whether texts of which one has too few shingles for the other cannot match.
    pub(super) fn sizes_tell(options: &JoinOptions) -> bool {
        !by_sketches(options)
    }
}

fn classes(model: &Model) -> Result<FrequencyClasses> {
    FrequencyClasses::of_words([model.column(0)?, model.column(1)?]).ok_or_else(damaged)
}

fn sample(model: &Model) -> Result<FrequencySample> {
    FrequencySample::of_words(model.column(0)?).ok_or_else(damaged)
}

fn sketch_keys(options: &JoinOptions, model: &Model) -> Option<SketchKeys> {
    let sketches = &options.sketches;
    match sketches.meet_by {
        MeetBy::Values => Some(SketchKeys::of_values(sketches)),
        MeetBy::Bands => {
            let banding = model.head.bands?;
            Some(SketchKeys::of_bands(banding, sketches.seed))
        }
    }
}

impl TermPlan {
    fn new(options: &JoinOptions, model: &Model) -> Result<Self> {
        let fallback = match (options.terms.language, &model.head.language) {
            (Language::Auto, None) => None,
            (Language::Auto, Some(code)) => Some(Language::from_code(code).ok_or_else(damaged)?),
            (given, _) => Some(given),
        };
        let segmenter = fallback.map(|fallback| {
            TermSegmenter::with_fallback(&options.normalize, &options.terms, fallback)
        });
        let learnt = model.head.learnt;
        Ok(Self {
            segmenter,
            lexicon: learnt.then(|| lexicon(model)).transpose()?,
        })
    }
}

fn lexicon(model: &Model) -> Result<Lexicon> {
    let forms = String::from_utf8(model.column(0)?).map_err(|_| damaged())?;
    let lexicon = Lexicon::of_columns(forms, model.column(1)?, model.column(2)?, model.column(3)?);
    lexicon.ok_or_else(damaged)
}

impl SentencePlan {
    fn new(options: &JoinOptions, model: &Model) -> Result<Self> {
        let fingerprinter = model.head.common.as_ref().map(|forms| {
            let common = Arc::new(CommonWords::new(forms.clone()));
            let sentences = &options.sentences;
            sentences.fingerprinter(options.method, &options.normalize, common)
        });
        let boilerplate = match model.columns.is_empty() {
            true => Vec::new(),
            false => model.column(0)?,
        };
        Ok(Self {
            fingerprinter,
            boilerplate,
        })
    }
}
