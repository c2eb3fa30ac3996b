//! What a method has learnt of some texts: how it sees a text, and how it compares two. Scores depend on nothing else.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::{MatchOptions, Method, minhash, sentences, shingles, simhash, terms};
use crate::error::Result;
use crate::read::CodePoints;
use crate::scores::Scores;

/// What a method has learnt of some texts. It does not change, and all threads share it.
#[derive(Clone, Debug)]
pub enum Fitted {
    /// Runs of tokens. The options say all.
    Shingles(Arc<shingles::Preparer>),
    /// Sketches of such runs. The options say all.
    Minhash(Arc<minhash::Fitted>),
    /// Fingerprints of 64 bits, and the shingles or terms that vote for them.
    Simhash(Arc<simhash::Simhasher>),
    /// Terms with their weights.
    Terms(Arc<terms::Fitted>),
    /// Sentences without common words, and those that occur too often to count.
    Sentences(Arc<sentences::Fitted>),
    /// Letters, for tests.
    #[cfg(test)]
    Dummy(Arc<super::dummy::Fitted>),
}

/// Two texts side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The counts behind every score.
    pub scores: Scores,
    /// Shared passages of the first text, in bytes, in order, apart.
    pub passages_a: Vec<Range<usize>>,
    /// Shared passages of the second text.
    pub passages_b: Vec<Range<usize>>,
}

/// What a method knows of two texts besides the words they share.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// Their terms.
    Terms(terms::Sides),
    /// Their fingerprints of 64 bits, where they have one.
    Bits(Option<u64>, Option<u64>),
    /// How many values of their sketches agree, and how many were compared.
    Sketch(u32, u32),
}

/// How a text is seen, as names and values.
pub type Fields = Vec<(&'static str, Value)>;

/// What every fitted method can do.
pub(crate) trait FittedMethod: Send + Sync {
    /// Holds texts to compare.
    fn comparer(self: Arc<Self>) -> Box<dyn Comparer>;

    /// A text, prepared once, to find what many others share with it.
    fn beside(self: Arc<Self>, text: &str) -> Box<dyn Beside>;

    /// Scores two texts by their words and finds what they share.
    fn explain(&self, a: &str, b: &str) -> Explanation;

    /// What else there is to show of two texts.
    fn details(&self, _a: &str, _b: &str) -> Vec<Detail> {
        Vec::new()
    }

    /// Shows how texts are seen.
    fn inspector(self: Arc<Self>, options: &MatchOptions) -> Box<dyn Inspector>;
}

/// Texts side by side, for many comparisons.
pub(crate) trait Comparer: Send + Sync {
    /// Forgets all texts.
    fn clear(&mut self);

    /// Adds a text; its number is the count of texts before it. `distinct` is the number of its distinct units, if known. Gives the
    /// number of its tokens.
    fn push(&mut self, text: &str, distinct: Option<u32>) -> u32;

    /// The scores of two texts, by their numbers.
    fn score(&mut self, a: usize, b: usize) -> Scores;
}

/// A text that others are laid beside.
pub(crate) trait Beside {
    /// The passages of another text that this one shares, as [`Explanation::passages_b`].
    fn passages_of(&mut self, other: &str) -> Vec<Range<usize>>;
}

/// Shows how texts are seen, one after the other.
pub trait Inspector {
    /// What there is to say of all texts.
    fn head(&self) -> Option<Value> {
        None
    }

    /// What there is to say of a text; `points` counts its characters.
    fn text(&self, text: &str, points: &mut CodePoints<'_>) -> Fields;
}

/// What is still to be learnt of the texts.
pub(crate) enum Fit {
    /// Nothing.
    Done(Fitted),
    /// Their terms, which vote for fingerprints.
    Votes,
    /// Their terms.
    Terms,
    /// The words of their sentences.
    Words,
}

impl Fit {
    /// What a method has to learn of texts.
    pub(crate) fn begin(options: &MatchOptions) -> Result<Self> {
        let preparer = || shingles::Preparer::new(&options.normalize, &options.shingle);
        Ok(match options.method {
            Method::Shingles => Self::Done(preparer()?.into()),
            Method::Minhash => {
                Self::Done(minhash::Fitted::new(Arc::new(preparer()?), options).into())
            }
            Method::Simhash if options.weighs_terms() => Self::Votes,
            Method::Simhash => Self::Done(simhash::Simhasher::of_shingles(preparer()?).into()),
            Method::Terms => Self::Terms,
            Method::Sentences | Method::Imatch => Self::Words,
            #[cfg(test)]
            Method::Dummy => Self::Done(Fitted::Dummy(Arc::new(super::dummy::Fitted))),
        })
    }
}

impl Fitted {
    /// What a method learns of a few texts.
    ///
    /// # Errors
    /// When an option is out of range.
    pub fn of_texts(options: &MatchOptions, texts: &[&str]) -> Result<Self> {
        options.check()?;
        let terms = || terms::Fitted::of_texts(&options.normalize, &options.terms, texts);
        Ok(match Fit::begin(options)? {
            Fit::Done(fitted) => fitted,
            Fit::Votes => simhash::Simhasher::of_terms(terms()?).into(),
            Fit::Terms => terms()?.into(),
            Fit::Words => {
                let common = options.sentences.common_of_texts(&options.normalize, texts);
                sentences::Fitted::new(options, common).into()
            }
        })
    }

    fn as_dyn(&self) -> Arc<dyn FittedMethod> {
        match self {
            Self::Shingles(preparer) => preparer.clone(),
            Self::Minhash(fitted) => fitted.clone(),
            Self::Simhash(hasher) => hasher.clone(),
            Self::Terms(fitted) => fitted.clone(),
            Self::Sentences(fitted) => fitted.clone(),
            #[cfg(test)]
            Self::Dummy(fitted) => fitted.clone(),
        }
    }

    /// Scores two texts by their words and finds what they share.
    pub fn explain(&self, a: &str, b: &str) -> Explanation {
        self.as_dyn().explain(a, b)
    }

    /// The scores that decide about two texts.
    pub fn decide(&self, a: &str, b: &str) -> Scores {
        let mut texts = self.comparer();
        texts.push(a, None);
        texts.push(b, None);
        texts.score(0, 1)
    }

    /// What else there is to show of two texts.
    pub fn details(&self, a: &str, b: &str) -> Vec<Detail> {
        self.as_dyn().details(a, b)
    }

    /// Shows how texts are seen, as these options say.
    pub fn inspector(&self, options: &MatchOptions) -> Box<dyn Inspector> {
        self.as_dyn().inspector(options)
    }

    pub(crate) fn comparer(&self) -> Box<dyn Comparer> {
        self.as_dyn().comparer()
    }

    pub(crate) fn beside(&self, text: &str) -> Box<dyn Beside> {
        self.as_dyn().beside(text)
    }
}

macro_rules! fitted {
    ($($variant:ident of $type:ty),+ $(,)?) => {
        $(impl From<$type> for Fitted {
            fn from(fitted: $type) -> Self {
                Self::$variant(Arc::new(fitted))
            }
        })+
    };
}

fitted!(
    Shingles of shingles::Preparer,
    Minhash of minhash::Fitted,
    Simhash of simhash::Simhasher,
    Terms of terms::Fitted,
    Sentences of sentences::Fitted,
);
