//! How a method finds pairs: what makes the keys of its texts, as far as it is learnt.

use std::sync::Arc;

use super::model::{Model, damaged};
use super::refuse;
use super::survey::SurveyKind;
use crate::candidates::frequency::{FrequencyClasses, FrequencySample};
use crate::error::{Error, Result};
use crate::method::minhash::keys::{LeastKeys, SketchKeys};
use crate::method::sentences::common::CommonWords;
use crate::method::shingles::Preparer;
use crate::method::terms::{Language, Lexicon, TermSegmenter};
use crate::method::{Fitted, MatchOptions, Method, minhash, sentences, terms};
use crate::scores::Metric;
use crate::sketch::{Banding, MeetBy};

/// How a method finds pairs.
#[derive(Debug)]
pub(super) enum Plan {
    /// Shingles of prefixes, for resemblance.
    Prefixes {
        preparer: Arc<Preparer>,
        classes: Option<FrequencyClasses>,
    },
    /// All shingles, some of which probe, for the one-sided metrics.
    Probes {
        preparer: Arc<Preparer>,
        sample: Option<FrequencySample>,
    },
    /// Bands or values of sketches.
    Sketches {
        fitted: Arc<minhash::Fitted>,
        keys: Option<SketchKeys>,
    },
    /// Features or prefixes of terms: first the language is learnt, then the weights.
    Terms(Option<TermSegmenter>),
    Weighed(Arc<terms::Fitted>),
    /// Fingerprints of sentences.
    Sentences(Option<Arc<sentences::Fitted>>),
}

impl Plan {
    /// The plan of these options, with what the model has learnt.
    pub(super) fn new(options: &MatchOptions, model: &Model) -> Result<Self> {
        let preparer = || Preparer::new(&options.normalize, &options.shingle);
        let learnt = model.head.learnt;
        Ok(match options.method {
            Method::Shingles if options.metric == Metric::Resemblance => Self::Prefixes {
                preparer: Arc::new(preparer()?),
                classes: learnt.then(|| classes(model)).transpose()?,
            },
            Method::Shingles => Self::Probes {
                preparer: Arc::new(preparer()?),
                sample: learnt.then(|| sample(model)).transpose()?,
            },
            Method::Minhash => Self::Sketches {
                fitted: Arc::new(minhash::Fitted::new(Arc::new(preparer()?), options)),
                keys: sketch_keys(options, model),
            },
            Method::Terms => Self::of_terms(options, model)?,
            Method::Sentences | Method::Imatch => Self::of_sentences(options, model)?,
            Method::Simhash => return Err(without_kernel(options.method)),
            #[cfg(test)]
            Method::Dummy => return Err(without_kernel(options.method)),
        })
    }

    fn of_terms(options: &MatchOptions, model: &Model) -> Result<Self> {
        let fallback = match (options.terms.language, &model.head.language) {
            (Language::Auto, None) => return Ok(Self::Terms(None)),
            (Language::Auto, Some(code)) => Language::from_code(code).ok_or_else(damaged)?,
            (given, _) => given,
        };
        let (normalize, terms) = (&options.normalize, &options.terms);
        let segmenter = TermSegmenter::with_fallback(normalize, terms, fallback);
        if !model.head.learnt {
            return Ok(Self::Terms(Some(segmenter)));
        }
        let lexicon = lexicon(model)?;
        Ok(Self::Weighed(Arc::new(terms::Fitted {
            segmenter,
            lexicon,
        })))
    }

    fn of_sentences(options: &MatchOptions, model: &Model) -> Result<Self> {
        let Some(forms) = &model.head.common else {
            return Ok(Self::Sentences(None));
        };
        let common = Arc::new(CommonWords::new(forms.clone()));
        let mut fitted = sentences::Fitted::new(options, common);
        if !model.columns.is_empty() {
            fitted.boilerplate = model.column(0)?;
        }
        Ok(Self::Sentences(Some(Arc::new(fitted))))
    }

    /// What compares the texts, once it is learnt.
    pub(super) fn fitted(&self) -> Option<Fitted> {
        Some(match self {
            Self::Prefixes { preparer, .. } | Self::Probes { preparer, .. } => {
                Fitted::Shingles(preparer.clone())
            }
            Self::Sketches { fitted, .. } => Fitted::Minhash(fitted.clone()),
            Self::Terms(_) => return None,
            Self::Weighed(fitted) => Fitted::Terms(fitted.clone()),
            Self::Sentences(fitted) => Fitted::Sentences(fitted.clone()?),
        })
    }

    /// What a survey gives that is to be made next.
    pub(super) fn survey_kind(&self) -> Option<SurveyKind> {
        match self {
            Self::Prefixes { classes, .. } => classes.is_none().then_some(SurveyKind::Parts),
            Self::Probes { sample, .. } => sample.is_none().then_some(SurveyKind::Parts),
            Self::Sketches { keys, .. } => keys.is_none().then_some(SurveyKind::Parts),
            Self::Terms(_) => Some(SurveyKind::Counts),
            Self::Weighed(_) => None,
            Self::Sentences(fitted) => fitted.is_none().then_some(SurveyKind::Counts),
        }
    }

    /// The bands of sketches, if texts meet by them.
    pub(super) fn banding(&self) -> Option<Banding> {
        match self {
            Self::Sketches { keys, .. } => keys.as_ref()?.banding(),
            Self::Prefixes { .. }
            | Self::Probes { .. }
            | Self::Terms(_)
            | Self::Weighed(_)
            | Self::Sentences(_) => None,
        }
    }

    /// Keys that a pair of sketches must share.
    pub(super) fn least_keys(&self, options: &MatchOptions) -> Result<LeastKeys> {
        LeastKeys::new(&options.sketches, options.threshold, self.banding())
    }
}

fn without_kernel(method: Method) -> Error {
    let known = Method::names(|info| info.has_kernel);
    let expected =
        format!("a cluster knows {known}; `doublet dedup` on one machine knows all methods");
    refuse("method", method.name(), &expected)
}

fn classes(model: &Model) -> Result<FrequencyClasses> {
    FrequencyClasses::of_words([model.column(0)?, model.column(1)?]).ok_or_else(damaged)
}

fn sample(model: &Model) -> Result<FrequencySample> {
    FrequencySample::of_words(model.column(0)?).ok_or_else(damaged)
}

fn sketch_keys(options: &MatchOptions, model: &Model) -> Option<SketchKeys> {
    let sketches = &options.sketches;
    match sketches.meet_by {
        MeetBy::Values => Some(SketchKeys::of_values(sketches)),
        MeetBy::Bands => {
            let banding = model.head.bands?;
            Some(SketchKeys::of_bands(banding, sketches.seed))
        }
    }
}

fn lexicon(model: &Model) -> Result<Lexicon> {
    let forms = String::from_utf8(model.column(0)?).map_err(|_| damaged())?;
    let lexicon = Lexicon::of_columns(forms, model.column(1)?, model.column(2)?, model.column(3)?);
    lexicon.ok_or_else(damaged)
}
