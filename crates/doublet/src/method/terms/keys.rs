//! The keys by which texts of terms meet: fingerprints of their features, the terms of a prefix, or pairs of words.

use crate::hash::finish;
use crate::method::terms::Lexicon;
use crate::method::terms::compare::distinct;
use crate::method::terms::features::{FeatureOptions, fingerprint};
use crate::threshold::Threshold;

/// A way to make the keys of a text.
pub(crate) trait TermKeys: Sync {
    /// Scratch of one thread.
    type Scratch: Default;

    /// Appends the keys of a text, given its terms: by rank, or for word pairs as they stand in it.
    fn keys(&self, terms: &[u32], scratch: &mut Self::Scratch, keys: &mut Vec<u64>);

    /// Appends other keys, of which any two texts that match share one, given its terms by rank. None where its keys are such.
    fn complete(&self, _ranks: &[u32], _scratch: &mut Self::Scratch, _keys: &mut Vec<u64>) {}
}

/// The fingerprints of the features: the paper's way, which may miss pairs; for texts of few terms [`TermOrder::pairs`] besides,
/// for N-grams of few terms miss most.
pub(crate) struct FeatureKeys<'a> {
    pub(crate) terms: Terms<'a>,
    pub(crate) options: FeatureOptions,
}

/// Scratch for the keys of features.
#[derive(Default)]
pub(crate) struct FeatureScratch {
    weights: Vec<u64>,
    hashes: Vec<u64>,
    order: TermOrder,
}

impl TermKeys for FeatureKeys<'_> {
    type Scratch = FeatureScratch;

    fn keys(&self, ranks: &[u32], scratch: &mut Self::Scratch, keys: &mut Vec<u64>) {
        let Terms {
            lexicon, threshold, ..
        } = self.terms;
        let FeatureScratch {
            weights,
            hashes,
            order,
        } = scratch;
        let terms = distinct(ranks);
        weights.clear();
        weights.extend(terms.clone().map(|rank| lexicon.weight(rank)));
        let features = self.options.features(weights, threshold);
        hashes.clear();
        hashes.extend(terms.take(features).map(|rank| lexicon.hash(rank)));
        self.options.fingerprints(hashes, |key| keys.push(key));
        if weights.len() <= self.options.short {
            order.fill(&self.terms, ranks);
            order.pairs(threshold, keys);
        }
    }

    fn complete(&self, ranks: &[u32], scratch: &mut Self::Scratch, keys: &mut Vec<u64>) {
        scratch.order.fill(&self.terms, ranks);
        scratch.order.prefix(self.terms.threshold, keys);
    }
}

/// The terms of a prefix, see [`TermOrder::prefix`]: no pair is missed.
pub(crate) struct PrefixKeys<'a>(pub(crate) Terms<'a>);

impl TermKeys for PrefixKeys<'_> {
    type Scratch = TermOrder;

    fn keys(&self, ranks: &[u32], order: &mut Self::Scratch, keys: &mut Vec<u64>) {
        order.fill(&self.0, ranks);
        order.prefix(self.0.threshold, keys);
    }
}

/// The terms of a run, and what counts for a match.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) lexicon: &'a Lexicon,
    /// Whether terms count by weight, or one each.
    pub(crate) weighted: bool,
    pub(crate) threshold: Threshold,
}

/// Tells the keys of pairs from fingerprints of two features.
const PAIR: u64 = 0x9216_D5D9_8979_FB1B;

/// The distinct terms of a text in an order that is the same for all texts, rare ones first.
///
/// What two texts at or above the threshold share weighs at least the threshold's share t of either text, W. So on either side
/// the terms from the first shared one on weigh t·W at least, and so do those from the second shared one on together with
/// the first.
#[derive(Default)]
pub(crate) struct TermOrder {
    /// Texts that have the term, and its rank.
    terms: Vec<(u32, u32)>,
    /// Weight and hash.
    weighed: Vec<(u64, u64)>,
    total: u64,
}

impl TermOrder {
    fn fill(&mut self, terms: &Terms<'_>, ranks: &[u32]) {
        let lexicon = terms.lexicon;
        self.terms.clear();
        self.terms
            .extend(distinct(ranks).map(|rank| (lexicon.documents(rank), rank)));
        self.terms.sort_unstable();
        self.weighed.clear();
        self.weighed.extend(self.terms.iter().map(|&(_, rank)| {
            let weight = if terms.weighted {
                lexicon.weight(rank)
            } else {
                1
            };
            (weight, lexicon.hash(rank))
        }));
        let weights = self.weighed.iter().map(|(weight, _)| *weight);
        self.total = weights.fold(0, u64::saturating_add);
    }

    /// The terms that can be the first shared one: two texts at or above the threshold have one of them in common.
    fn prefix(&self, threshold: Threshold, keys: &mut Vec<u64>) {
        let mut rest = self.total;
        for &(weight, hash) in &self.weighed {
            if !threshold.reached(rest, self.total) {
                break;
            }
            keys.push(finish(hash));
            rest = rest.saturating_sub(weight);
        }
    }

    /// The pairs of terms that can be the first two shared ones, and the terms that can be the only one: two texts at or above
    /// the threshold have one of these in common.
    fn pairs(&self, threshold: Threshold, keys: &mut Vec<u64>) {
        let enough = |weight: u64| threshold.reached(weight, self.total);
        let mut rest = self.total;
        for (index, &(weight, hash)) in self.weighed.iter().enumerate() {
            if !enough(rest) {
                break;
            }
            rest = rest.saturating_sub(weight);
            if enough(weight) {
                keys.push(finish(hash));
            }
            let mut behind = rest;
            for &(next, other) in &self.weighed[index + 1..] {
                if !enough(weight.saturating_add(behind)) {
                    break;
                }
                keys.push(fingerprint(&[PAIR, hash, other]));
                behind = behind.saturating_sub(next);
            }
        }
    }
}

/// Every two words in a row: the paper's baseline.
pub(crate) struct WordPairKeys<'a> {
    pub(crate) lexicon: &'a Lexicon,
}

impl TermKeys for WordPairKeys<'_> {
    type Scratch = ();

    fn keys(&self, terms: &[u32], (): &mut (), keys: &mut Vec<u64>) {
        // A text of one word can only meet its copies among the references.
        if let &[only] = terms {
            keys.push(finish(self.lexicon.hash(only)));
        }
        let pairs = terms.windows(2);
        keys.extend(
            pairs
                .map(|pair| fingerprint(&[self.lexicon.hash(pair[0]), self.lexicon.hash(pair[1])])),
        );
    }
}
