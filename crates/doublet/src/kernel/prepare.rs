//! One text to its counts and keys: a pure function of the text, the options and the model.

use super::plan::Plan;
use super::{Kernel, misfit};
use crate::batch::first_pass::Reading;
use crate::candidates::frequency::FrequencySample;
use crate::candidates::prefix::PrefixSelector;
use crate::candidates::probe::{Counted, ProbeRule, ProbeSelector, Probes};
use crate::error::{Error, Result};
use crate::fingerprint::truncate;
use crate::method::minhash::keys::SketchScratch;
use crate::method::sentences::{self, Sentences};
use crate::method::shingles::Preparer;
use crate::method::terms;
use crate::method::terms::Candidates;
use crate::method::terms::compare::{Bar, Sketch, distinct, total_weight};
use crate::method::terms::keys::{
    FeatureKeys, FeatureScratch, PrefixKeys, TermKeys, TermOrder, Terms, WordPairKeys,
};
use crate::scores::Metric;

/// What is left of a text. Reused from text to text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextKeys {
    /// Equal for texts that are the same; 0 for one without a token.
    pub identity: u128,
    /// Tokens, terms or words.
    pub tokens: u32,
    /// Distinct shingles, terms or sentences.
    pub distinct: u32,
    /// What its terms weigh.
    pub weight: u64,
    /// What goes with each key, by [`Kernel::traits`].
    pub traits: [u64; 4],
    /// The keys by which it meets others.
    pub keys: Vec<u64>,
    /// So many of them, the first, it probes with, where texts meet with a direction.
    pub probes: usize,
    /// Its distinct sentences, where those are the keys.
    pub sentences: Vec<SentenceKey>,
}

/// A distinct sentence of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SentenceKey {
    /// Its fingerprint.
    pub key: u128,
    /// Words of all its occurrences.
    pub words: u32,
    /// How often it stands in the text.
    pub occurrences: u32,
}

/// Buffers of one task. They hold nothing that changes a result.
#[derive(Default)]
pub struct PrepareScratch {
    reading: Reading,
    prefixes: PrefixSelector,
    probes: ProbeSelector,
    sketches: SketchScratch,
    sentences: Sentences,
    order: Vec<(u128, u32)>,
    terms: TermScratch,
}

/// Buffers for terms.
#[derive(Default)]
struct TermScratch {
    scratch: terms::Scratch,
    hashes: Vec<u64>,
    /// The terms by rank, in the order of the text.
    ordered: Vec<u32>,
    /// The same, sorted.
    ranks: Vec<u32>,
    features: FeatureScratch,
    prefix: TermOrder,
}

impl Kernel {
    /// Prepares a text.
    ///
    /// # Errors
    /// When what has to be learnt before is not.
    pub fn prepare(
        &self,
        text: &str,
        scratch: &mut PrepareScratch,
        found: &mut TextKeys,
    ) -> Result<()> {
        found.traits = [0; 4];
        found.keys.clear();
        found.sentences.clear();
        (found.probes, found.weight) = (0, 0);
        match &self.plan {
            Plan::Prefixes { preparer, classes } => {
                let classes = classes.as_ref().ok_or_else(not_learnt)?;
                let reading = &mut scratch.reading;
                reading.prepare(preparer, text);
                count_shingles(reading, found);
                let bits = self.options.shingle.bits;
                for fingerprint in &mut reading.distinct {
                    *fingerprint = truncate(*fingerprint, bits);
                }
                let threshold = self.options.threshold;
                let prefix = scratch
                    .prefixes
                    .select(&reading.distinct, threshold, classes);
                if let Some(prefix) = prefix {
                    found.traits[1] = u64::from(prefix.end);
                    found.keys.extend(prefix.shingles);
                }
            }
            Plan::Probes { preparer, sample } => {
                let sample = sample.as_ref().ok_or_else(not_learnt)?;
                self.prepare_probes((preparer, sample), text, scratch, found);
            }
            Plan::Sketches { fitted, keys } => {
                let keys = keys.as_ref().ok_or_else(not_learnt)?;
                let preparer = fitted.preparer();
                let reading = &mut scratch.reading;
                reading.prepare(preparer, text);
                count_shingles(reading, found);
                if found.tokens > 0 {
                    let shingles = preparer.mix(&mut reading.prepared);
                    let own = &mut found.keys;
                    let push = |key| {
                        own.push(key);
                        Ok(())
                    };
                    let size = keys.try_for_each(shingles, &mut scratch.sketches, push)?;
                    found.traits[1] = u64::from(size);
                }
            }
            Plan::Terms(_) => return Err(not_learnt()),
            Plan::Weighed(fitted) => self.prepare_terms(fitted, text, &mut scratch.terms, found),
            Plan::Sentences(fitted) => {
                let fitted = fitted.as_ref().ok_or_else(not_learnt)?;
                prepare_sentences(fitted, text, scratch, found)?;
            }
        }
        if found.tokens == 0 {
            found.identity = 0;
        }
        Ok(())
    }

    fn prepare_probes(
        &self,
        (preparer, sample): (&Preparer, &FrequencySample),
        text: &str,
        scratch: &mut PrepareScratch,
        found: &mut TextKeys,
    ) {
        let options = &self.options;
        let rule = ProbeRule {
            counted: Counted::by(options.metric),
            threshold: options.threshold,
            size: options.shingle.size,
            bits: options.shingle.bits,
            // To know which shingles stand in one text only, all would have to be brought together.
            shared: None,
            sample,
        };
        let reading = &mut scratch.reading;
        reading.prepare(preparer, text);
        count_shingles(reading, found);
        let prepared = &reading.prepared;
        let tokens = prepared.tokens as usize;
        let Probes {
            least,
            probes,
            others,
        } = scratch.probes.select(&rule, tokens, &prepared.shingles);
        found.traits[0] = u64::from(least);
        found.keys.extend(probes);
        found.keys.extend(others);
        found.probes = probes.len();
    }

    fn prepare_terms(
        &self,
        fitted: &terms::Fitted,
        text: &str,
        scratch: &mut TermScratch,
        found: &mut TextKeys,
    ) {
        let terms::Fitted { segmenter, lexicon } = fitted;
        let TermScratch {
            scratch,
            hashes,
            ordered,
            ranks,
            features,
            prefix,
        } = scratch;
        hashes.clear();
        ordered.clear();
        // A term that was not counted is passed over.
        segmenter.terms(text, scratch, |term| {
            if let Some(rank) = lexicon.rank(term.form) {
                ordered.push(rank);
                hashes.push(lexicon.hash(rank));
            }
        });
        ranks.clone_from(ordered);
        ranks.sort_unstable();
        found.tokens = ranks.len() as u32;
        found.distinct = distinct(ranks).count() as u32;
        found.weight = total_weight(lexicon, ranks);
        found.identity = terms::identity(hashes);
        found.traits = Sketch::new(lexicon, ranks, self.bar()).to_array();
        let options = &self.options.terms;
        let terms = Terms {
            lexicon,
            weighted: self.options.metric == Metric::Degree,
            threshold: self.options.threshold,
        };
        let keys = &mut found.keys;
        match options.candidates {
            Candidates::Features => {
                let maker = FeatureKeys {
                    terms,
                    options: options.features,
                };
                maker.keys(ranks, features, keys);
            }
            // A task sees too few texts to judge the cost.
            Candidates::Auto | Candidates::Exact => PrefixKeys(terms).keys(ranks, prefix, keys),
            Candidates::Baseline => WordPairKeys { lexicon }.keys(ordered, &mut (), keys),
        }
        keys.sort_unstable();
        keys.dedup();
    }

    /// What makes two texts of terms a match.
    pub(super) fn bar(&self) -> Bar {
        Bar {
            metric: self.options.metric,
            threshold: self.options.threshold,
        }
    }
}

/// What the shingles of a text count.
fn count_shingles(reading: &Reading, found: &mut TextKeys) {
    found.identity = reading.prepared.identity();
    found.tokens = reading.prepared.tokens;
    found.distinct = reading.distinct.len() as u32;
    found.traits[0] = u64::from(found.distinct);
}

fn prepare_sentences(
    fitted: &sentences::Fitted,
    text: &str,
    scratch: &mut PrepareScratch,
    found: &mut TextKeys,
) -> Result<()> {
    let sentences = &mut scratch.sentences;
    fitted.fingerprinter.fingerprint_long(text, sentences);
    found.tokens = sentences.words;
    found.identity = sentences.identity;
    let keys = &mut found.sentences;
    let push = |key, words, occurrences| {
        keys.push(SentenceKey {
            key,
            words,
            occurrences,
        });
        Ok::<(), Error>(())
    };
    found.distinct = match sentences.words {
        0 => 0,
        _ => sentences.try_for_each_distinct(&mut scratch.order, push)?,
    };
    Ok(())
}

pub(super) fn not_learnt() -> Error {
    misfit("the model is not learnt yet: survey the texts first")
}
