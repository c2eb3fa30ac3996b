//! One fingerprint of 64 bits a text (Charikar, *Similarity estimation techniques from rounding algorithms*, 2002).
//!
//! Every distinct feature of a text has a hash of 64 bits and votes with its weight on every bit: for 1 where its hash has a 1, for 0
//! where it has a 0. A bit of the fingerprint is 1 if at least half of the weight votes for it, so that a tie gives 1, as in the
//! paper. Texts that share most of their weight have fingerprints that differ in few bits. The features are the shingles of the text,
//! of one vote each, or its weighted terms. A text without features, or whose features weigh nothing, has no fingerprint.
//!
//! All 64 sums are counted at once, bit by bit of the sums instead of sum by sum, and exactly for any weights.

use crate::fingerprint::distinct::DistinctSet;
use crate::hash::finish;
use crate::method::explain::seen_terms;
use crate::method::shingles::{Prepared, Preparer};
use crate::method::terms::{Lexicon, TermSegmenter};
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

/// How fingerprints of 64 bits are made.
#[derive(Clone, Copy, Debug, Default)]
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
#[derive(Clone, Copy, Debug)]
pub enum Simhasher<'a> {
    /// By its shingles.
    Shingles(&'a Preparer),
    /// By its terms, those the lexicon knows.
    Terms(&'a TermSegmenter, &'a Lexicon),
}

impl Simhasher<'_> {
    /// The fingerprint of a text, if it has one.
    pub fn fingerprint(self, text: &str) -> Option<u64> {
        let mut votes = Votes::default();
        match self {
            Self::Shingles(preparer) => {
                let (mut prepared, mut distinct) = (Prepared::default(), Vec::new());
                preparer.prepare(text, &mut prepared);
                DistinctSet::default().distinct(&prepared.shingles, &mut distinct);
                votes.add_all(&distinct);
            }
            Self::Terms(segmenter, lexicon) => {
                let seen = seen_terms(segmenter, lexicon, text);
                let mut ranks: Vec<u32> = seen.iter().map(|term| term.rank).collect();
                votes.add_terms(lexicon, &mut ranks);
            }
        }
        votes.fingerprint()
    }
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
            let preparer = preparer(size, kind);
            texts.map(|text| {
                let found = Simhasher::Shingles(&preparer).fingerprint(text);
                format!("{:016x}", found.unwrap())
            })
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
            let preparer = preparer(1, FingerprintKind::Fold);
            let hash = |words: &[String]| Simhasher::Shingles(&preparer).fingerprint(&words.join(" "));
            let mut turned = words.clone();
            turned.reverse();
            turned.extend_from_slice(&words);
            prop_assert_eq!(hash(&words), hash(&turned));
        }
    }
}
