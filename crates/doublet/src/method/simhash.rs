//! One fingerprint of 64 bits a text (Charikar, *Similarity estimation techniques from rounding algorithms*, 2002).
//!
//! Every distinct feature of a text has a hash of 64 bits and votes with its weight on every bit: for 1 where its hash has a 1, for 0
//! where it has a 0. A bit of the fingerprint is 1 if at least half of the weight votes for it, so that a tie gives 1, as in the
//! paper. Texts that share most of their weight have fingerprints that differ in few bits. The features are the shingles of the text,
//! of one vote each, or its weighted terms. A text without features, or whose features weigh nothing, has no fingerprint.
//!
//! All 64 sums are counted at once, bit by bit of the sums instead of sum by sum, and exactly for any weights.

use std::sync::Arc;

use serde_json::{Value, json};

use serde::{Deserialize, Serialize};

use crate::fingerprint::distinct::DistinctSet;
use crate::hash::finish;
use crate::method::fitted::{
    Beside, Comparer, Detail, Explanation, Fields, FittedMethod, Inspector,
};
use crate::method::shingles::{Prepared, Preparer, Tokens};
use crate::method::terms::{self, Lexicon, Scratch};
use crate::method::{MatchOptions, TextCounts};
use crate::names::named;
use crate::read::CodePoints;
use crate::scores::Scores;
use crate::threshold::Threshold;

/// Bits of a fingerprint.
pub const BITS: u32 = 64;
/// Bits of a sum: weights below 2⁶⁴ of fewer than 2³² features.
const PLANES: usize = 96;

/// Whose votes make a fingerprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Voters {
    /// The distinct shingles of a text, each with one vote.
    #[default]
    Shingles,
    /// Its distinct terms, each with its weight.
    Terms,
}

named!(Voters: Shingles = "shingles", Terms = "terms");

/// How fingerprints of 64 bits are made.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct SimhashOptions {
    /// Whose votes count.
    pub voters: Voters,
}

/// The most bits in which the fingerprints of a match differ: ⌊64·(1 − threshold)⌋.
pub fn most_distance(threshold: Threshold) -> u32 {
    BITS - threshold.least(u64::from(BITS)) as u32
}

/// Bits in which two fingerprints differ.
#[inline(always)]
pub fn distance(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}

/// The scores of two texts by their fingerprints; all 0 where one has none.
pub fn scores(a: Option<u64>, b: Option<u64>) -> Scores {
    match (a, b) {
        (Some(a), Some(b)) => Scores::of_sketches(BITS - distance(a, b), BITS),
        _ => Scores::default(),
    }
}

/// The hash that a feature votes with. Hashes of single words, and Rabin's fingerprints of short shingles, are not spread over
/// all bits, and are so by this.
#[inline(always)]
pub fn ballot(hash: u64) -> u64 {
    finish(hash)
}

/// The votes of a text on the bits of its fingerprint. Plane `k` holds bit `k` of each of the 64 sums.
#[derive(Clone, Debug)]
pub struct Votes {
    planes: [u64; PLANES],
    total: u128,
}

impl Default for Votes {
    fn default() -> Self {
        Self {
            planes: [0; PLANES],
            total: 0,
        }
    }
}

impl Votes {
    /// Forgets all votes.
    pub fn clear(&mut self) {
        let used = self.used();
        self.planes[..used].fill(0);
        self.total = 0;
    }

    /// Takes the votes of a feature of this hash and weight.
    pub fn add(&mut self, hash: u64, weight: u64) {
        self.total += u128::from(weight);
        let ballot = ballot(hash);
        let (mut rest, mut carry) = (weight, 0);
        for plane in &mut self.planes {
            if rest == 0 && carry == 0 {
                break;
            }
            let addend = ballot & (rest & 1).wrapping_neg();
            (*plane, carry) = add3(*plane, addend, carry);
            rest >>= 1;
        }
    }

    /// Takes one vote of each feature. Eight at a time are added up before anything is carried on.
    pub fn add_all(&mut self, hashes: &[u64]) {
        self.total += hashes.len() as u128;
        let (groups, rest) = hashes.as_chunks::<8>();
        let [mut ones, mut twos, mut fours] = [self.planes[0], self.planes[1], self.planes[2]];
        for group in groups {
            let votes = group.map(ballot);
            let (sum, two_a) = add3(ones, votes[0], votes[1]);
            let (sum, two_b) = add3(sum, votes[2], votes[3]);
            let (sum, two_c) = add3(sum, votes[4], votes[5]);
            let (sum, two_d) = add3(sum, votes[6], votes[7]);
            ones = sum;
            let (sum, four_a) = add3(twos, two_a, two_b);
            let (sum, four_b) = add3(sum, two_c, two_d);
            twos = sum;
            let (sum, eight) = add3(fours, four_a, four_b);
            fours = sum;
            self.carry(3, eight);
        }
        self.planes[..3].copy_from_slice(&[ones, twos, fours]);
        for &hash in rest {
            self.carry(0, ballot(hash));
        }
    }

    /// Adds one to the sums of these bits, from a plane on.
    #[inline(always)]
    fn carry(&mut self, from: usize, mut bits: u64) {
        for plane in &mut self.planes[from..] {
            if bits == 0 {
                break;
            }
            (*plane, bits) = (*plane ^ bits, *plane & bits);
        }
    }

    /// Planes that may not be empty.
    fn used(&self) -> usize {
        ((u128::BITS - self.total.leading_zeros()) as usize).min(PLANES)
    }

    /// The fingerprint: 1 wherever at least half of the votes are for it. Nothing if there was no vote.
    pub fn fingerprint(&self) -> Option<u64> {
        let half = self.total.div_ceil(2);
        let (mut more, mut equal) = (0, u64::MAX);
        for (place, plane) in self.planes[..self.used()].iter().enumerate().rev() {
            let bit = ((half >> place) as u64 & 1).wrapping_neg();
            more |= equal & plane & !bit;
            equal &= !(plane ^ bit);
        }
        (self.total > 0).then_some(more | equal)
    }
}

/// The sums of three bits each, and what they carry.
#[inline(always)]
fn add3(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}

/// What makes the fingerprint of a text.
#[derive(Debug)]
pub enum Simhasher {
    /// By its shingles.
    Shingles(Arc<Preparer>),
    /// By its terms, those the lexicon knows.
    Terms(Arc<terms::Fitted>),
}

/// Buffers of one thread.
#[derive(Default)]
pub(crate) struct VoteScratch {
    votes: Votes,
    prepared: Prepared,
    set: DistinctSet,
    distinct: Vec<u64>,
    terms: Scratch,
    ranks: Vec<u32>,
    hashes: Vec<u64>,
}

impl Simhasher {
    /// What votes by shingles.
    pub fn of_shingles(preparer: Preparer) -> Self {
        Self::Shingles(Arc::new(preparer))
    }

    /// What votes by terms.
    pub(crate) fn of_terms(fitted: terms::Fitted) -> Self {
        Self::Terms(Arc::new(fitted))
    }

    /// The fingerprint of a text, if it has one.
    pub fn fingerprint(&self, text: &str) -> Option<u64> {
        self.vote(text, &mut VoteScratch::default()).1
    }

    /// The same, with what the text counts.
    pub(crate) fn vote(&self, text: &str, scratch: &mut VoteScratch) -> (TextCounts, Option<u64>) {
        let VoteScratch {
            votes,
            prepared,
            set,
            distinct,
            terms,
            ranks,
            hashes,
        } = scratch;
        votes.clear();
        let counts = match self {
            Self::Shingles(preparer) => {
                preparer.prepare(text, prepared);
                set.distinct(&prepared.shingles, distinct);
                votes.add_all(distinct);
                TextCounts {
                    tokens: prepared.tokens,
                    distinct: distinct.len() as u32,
                    identity: prepared.identity(),
                }
            }
            Self::Terms(fitted) => {
                ranks.clear();
                hashes.clear();
                let lexicon = &fitted.lexicon;
                fitted.segmenter.terms(text, terms, |term| {
                    if let Some(rank) = lexicon.rank(term.form) {
                        ranks.push(rank);
                        hashes.push(lexicon.hash(rank));
                    }
                });
                TextCounts {
                    tokens: hashes.len() as u32,
                    distinct: votes.add_terms(lexicon, ranks),
                    identity: terms::identity(hashes),
                }
            }
        };
        (counts, votes.fingerprint())
    }

    /// What the texts are compared by besides.
    fn texts(&self) -> Arc<dyn FittedMethod> {
        match self {
            Self::Shingles(preparer) => preparer.clone(),
            Self::Terms(fitted) => fitted.clone(),
        }
    }
}

impl FittedMethod for Simhasher {
    fn comparer(self: Arc<Self>) -> Box<dyn Comparer> {
        Box::new(Fingerprinted {
            hasher: self,
            scratch: VoteScratch::default(),
            texts: Vec::new(),
        })
    }

    fn beside(self: Arc<Self>, text: &str) -> Box<dyn Beside> {
        self.texts().beside(text)
    }

    fn explain(&self, a: &str, b: &str) -> Explanation {
        self.texts().explain(a, b)
    }

    fn details(&self, a: &str, b: &str) -> Vec<Detail> {
        let bits = Detail::Bits(self.fingerprint(a), self.fingerprint(b));
        let mut details = self.texts().details(a, b);
        details.push(bits);
        details
    }

    fn inspector(self: Arc<Self>, _: &MatchOptions) -> Box<dyn Inspector> {
        Box::new(VoteInspector(self))
    }
}

/// Fingerprints of texts side by side.
struct Fingerprinted {
    hasher: Arc<Simhasher>,
    scratch: VoteScratch,
    texts: Vec<Option<u64>>,
}

impl Comparer for Fingerprinted {
    fn clear(&mut self) {
        self.texts.clear();
    }

    fn push(&mut self, text: &str, _: Option<u32>) -> u32 {
        let (counts, fingerprint) = self.hasher.vote(text, &mut self.scratch);
        self.texts.push(fingerprint);
        counts.tokens
    }

    fn score(&mut self, a: usize, b: usize) -> Scores {
        scores(self.texts[a], self.texts[b])
    }
}

/// Shows the fingerprint of a text, and the features that voted for it.
struct VoteInspector(Arc<Simhasher>);

impl Inspector for VoteInspector {
    fn text(&self, text: &str, _: &mut CodePoints<'_>) -> Fields {
        let features = match &*self.0 {
            Simhasher::Shingles(preparer) => voting_shingles(preparer, &preparer.tokens(text)),
            Simhasher::Terms(fitted) => voting_terms(fitted, text),
        };
        vec![
            ("fingerprint", self.0.fingerprint(text).map(hex).into()),
            ("features", features.into()),
        ]
    }
}

/// A fingerprint as people read it.
pub fn hex(fingerprint: u64) -> String {
    format!("{fingerprint:016x}")
}

/// The distinct shingles, in the order of the text, each with the bits it votes for.
fn voting_shingles(preparer: &Preparer, tokens: &Tokens) -> Vec<Value> {
    let mut seen = std::collections::HashSet::new();
    let first = |(_, hash): &(usize, &u64)| seen.insert(**hash);
    let distinct = tokens.shingles.iter().enumerate().filter(first);
    let described = distinct.map(|(start, &hash)| {
        let end = (start + preparer.shingle_size()).min(tokens.len());
        let words: Vec<&str> = (start..end).map(|token| tokens.form(token)).collect();
        json!({"shingle": words.join(" "), "weight": 1, "hash": hex(ballot(hash))})
    });
    described.collect()
}

/// The distinct terms, the heaviest first, each with the bits it votes for.
fn voting_terms(fitted: &terms::Fitted, text: &str) -> Vec<Value> {
    let described = fitted.distinct(text).into_iter().map(|rank| {
        let mut term = fitted.describe(rank);
        term["hash"] = hex(ballot(fitted.lexicon.hash(rank))).into();
        term
    });
    described.collect()
}

impl Votes {
    /// Takes the votes of terms, each once, and says how many they are. The ranks are sorted and each left once.
    pub(crate) fn add_terms(&mut self, lexicon: &Lexicon, ranks: &mut Vec<u32>) -> u32 {
        ranks.sort_unstable();
        ranks.dedup();
        for &rank in ranks.iter() {
            self.add(lexicon.hash(rank), lexicon.weight(rank));
        }
        ranks.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::options::{FingerprintKind, NormalizeOptions, ShingleOptions};

    /// One sum a bit, as the paper has it.
    fn slow(features: &[(u64, u64)]) -> Option<u64> {
        let total: u128 = features.iter().map(|feature| u128::from(feature.1)).sum();
        let bit = |bit: u32| {
            let sum: i128 = features
                .iter()
                .map(|&(hash, weight)| match ballot(hash) >> bit & 1 {
                    1 => i128::from(weight),
                    _ => -i128::from(weight),
                })
                .sum();
            u64::from(sum >= 0) << bit
        };
        (total > 0).then(|| (0..BITS).map(bit).sum())
    }

    fn preparer(size: usize, fingerprint: FingerprintKind) -> Preparer {
        let shingle = ShingleOptions {
            size,
            fingerprint,
            ..ShingleOptions::default()
        };
        Preparer::new(&NormalizeOptions::default(), &shingle).unwrap()
    }

    #[test]
    fn golden_values() {
        let texts = [
            "doublet",
            "the quick brown fox jumps over the lazy dog",
            "the quick brown fox jumps over the lazy cat",
            "漢字かな交じり文 und Wörter",
        ];
        let golden = [
            (2, FingerprintKind::Fold),
            (5, FingerprintKind::Fold),
            (1, FingerprintKind::Rabin),
        ]
        .map(|(size, kind)| {
            let hasher = Simhasher::of_shingles(preparer(size, kind));
            texts.map(|text| hex(hasher.fingerprint(text).unwrap()))
        });
        insta::assert_debug_snapshot!(golden);
    }

    #[test]
    fn one_feature_is_the_fingerprint_and_a_tie_is_one() {
        let mut votes = Votes::default();
        assert_eq!(votes.fingerprint(), None);
        votes.add_all(&[7]);
        assert_eq!(votes.fingerprint(), Some(ballot(7)));
        votes.add_all(&[8]);
        assert_eq!(votes.fingerprint(), Some(ballot(7) | ballot(8)));
        votes.clear();
        votes.add(9, 0);
        assert_eq!(votes.fingerprint(), None);
    }

    #[test]
    fn the_distance_of_a_threshold_is_exact() {
        for most in 0..BITS {
            let share = f64::from(BITS - most) / f64::from(BITS);
            let threshold = Threshold::new(share).unwrap();
            assert_eq!(most_distance(threshold), most);
            assert!(scores(Some(0), Some((1 << most) - 1)).reaches_at(threshold));
        }
        assert_eq!(most_distance("0.95".parse().unwrap()), 3);
        assert_eq!(most_distance("0.9531250".parse().unwrap()), 3);
        assert_eq!(most_distance("0.9531251".parse().unwrap()), 2);
        assert_eq!(most_distance("1".parse().unwrap()), 0);
    }

    impl Scores {
        fn reaches_at(&self, threshold: Threshold) -> bool {
            self.reaches(crate::scores::Metric::Agreement, threshold)
        }
    }

    proptest! {
        #[test]
        fn votes_are_those_of_64_sums(
            features in prop::collection::vec((any::<u64>(), prop_oneof![0u64..4, any::<u64>(), Just(u64::MAX)]), 0..60),
        ) {
            let mut votes = Votes::default();
            for _ in 0..2 {
                votes.clear();
                features.iter().for_each(|&(hash, weight)| votes.add(hash, weight));
                prop_assert_eq!(votes.fingerprint(), slow(&features));
            }
        }

        #[test]
        fn single_votes_count_like_weights_of_one(hashes in prop::collection::vec(any::<u64>(), 0..300), cut: prop::sample::Index) {
            let features: Vec<(u64, u64)> = hashes.iter().map(|&hash| (hash, 1)).collect();
            let (first, second) = hashes.split_at(cut.index(hashes.len() + 1));
            let mut votes = Votes::default();
            votes.add_all(&[1, 2, 3]);
            votes.clear();
            votes.add_all(first);
            votes.add_all(second);
            prop_assert_eq!(votes.fingerprint(), slow(&features));
        }

        #[test]
        fn repeated_and_reordered_features_change_nothing(words in prop::collection::vec("[abc漢é]{1,2}", 1..30)) {
            let hasher = Simhasher::of_shingles(preparer(1, FingerprintKind::Fold));
            let hash = |words: &[String]| hasher.fingerprint(&words.join(" "));
            let mut turned = words.clone();
            turned.reverse();
            turned.extend_from_slice(&words);
            prop_assert_eq!(hash(&words), hash(&turned));
        }
    }
}
