//! What sampled texts are compared by: the same numbers and weights as the method that is going to be advised.

use crate::error::Result;
use crate::fingerprint::distinct::DistinctSet;
use crate::hash::hash_bytes;
use crate::method::shingles::{Prepared, Preparer};
use crate::method::terms::weights::{FrequencyRange, weight};
use crate::method::terms::{Group, Lexicon, Scratch, TermOptions, TermSegmenter, learn_terms_of};
use crate::options::{NormalizeOptions, ShingleOptions};
use crate::scores::Metric;

/// Shingles of a text that are compared at least, on average, where only some are.
const ENOUGH: f64 = 1000.0;

/// What the scores are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Shingles of five words.
    Shingles,
    /// Weighted terms.
    Terms,
}

impl Compared {
    /// The metric that the scores are of.
    pub fn metric(self) -> Metric {
        match self {
            Self::Shingles => Metric::Resemblance,
            Self::Terms => Metric::Degree,
        }
    }
}

/// Makes the features of texts.
#[derive(Debug)]
pub(super) enum Featurer {
    Shingles {
        preparer: Preparer,
        /// Of long texts, shingles are compared whose fingerprint ends in so many zero bits.
        level: u32,
    },
    Terms {
        segmenter: Box<TermSegmenter>,
        lexicon: Box<Lexicon>,
        options: Box<TermOptions>,
    },
}

/// One thread's buffers, and the features of the text at hand.
#[derive(Default)]
pub(super) struct Features {
    prepared: Prepared,
    set: DistinctSet,
    distinct: Vec<u64>,
    scratch: Scratch,
    /// Each different feature with its weight.
    pub(super) list: Vec<(u64, u64)>,
}

impl Features {
    /// The weight of all.
    pub(super) fn total(&self) -> u64 {
        self.list.iter().map(|(_, weight)| weight).sum()
    }
}

impl Featurer {
    /// For these texts of so many words on average.
    pub(super) fn new(compared: Compared, texts: &[String], mean_words: f64) -> Result<Self> {
        match compared {
            Compared::Shingles => {
                let normalize = NormalizeOptions::default();
                let level = (mean_words / ENOUGH).max(1.0).log2() as u32;
                let preparer = Preparer::new(&normalize, &ShingleOptions::default())?;
                Ok(Self::Shingles { preparer, level })
            }
            Compared::Terms => {
                let normalize = NormalizeOptions::default();
                let options = TermOptions::default();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let segmenter = TermSegmenter::for_texts(&normalize, &options, &texts);
                let lexicon = learn_terms_of(&segmenter, &texts, &options)?;
                Ok(Self::Terms {
                    segmenter: Box::new(segmenter),
                    lexicon: Box::new(lexicon),
                    options: Box::new(options),
                })
            }
        }
    }

    /// How many shingles one that is compared stands for.
    pub(super) fn scale(&self) -> u64 {
        match self {
            Self::Shingles { level, .. } => 1 << level,
            Self::Terms { .. } => 1,
        }
    }

    /// Finds the features of a text.
    pub(super) fn find(&self, text: &str, found: &mut Features) {
        found.list.clear();
        match self {
            Self::Shingles { preparer, level } => {
                preparer.prepare(text, &mut found.prepared);
                found
                    .set
                    .distinct(&found.prepared.shingles, &mut found.distinct);
                let kept = found.distinct.iter();
                let kept = kept.filter(|shingle| shingle.trailing_zeros() >= *level);
                found.list.extend(kept.map(|shingle| (*shingle, 1)));
            }
            Self::Terms {
                segmenter,
                lexicon,
                options,
            } => {
                let Features { list, scratch, .. } = found;
                segmenter.terms(text, scratch, |term| {
                    // A term that no sampled text has weighs what the rarest of its group do.
                    let weight = match lexicon.rank(term.form) {
                        Some(rank) => lexicon.weight(rank),
                        None => weight(
                            &options.weights,
                            term.group,
                            &[FrequencyRange::default(); Group::ALL.len()],
                            0,
                            term.form.chars().count() as u64,
                        ),
                    };
                    list.push((hash_bytes(term.form.as_bytes()), weight));
                });
                list.sort_unstable();
                list.dedup_by_key(|(feature, _)| *feature);
            }
        }
    }
}
