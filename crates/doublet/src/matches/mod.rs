//! The matches of a run: pairs of distinct texts, and groups of identical ones that stand in for all their pairs.

mod documents;
mod pair;

use std::ops::Range;

use hashbrown::HashMap;

use crate::document::DocId;
use crate::scores::{Scores, Weights};
pub(crate) use documents::{BlockRows, Row, Strings};
pub use documents::{Documents, Rank, RankBy, Source, State};
pub use pair::CandidatePair;
pub(crate) use pair::Wanted;

/// Two texts whose score reaches the threshold; `a` stands before `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// The text that stands first.
    pub a: DocId,
    /// The other.
    pub b: DocId,
    /// The counts behind every score.
    pub scores: Scores,
}

/// In how many parts the score of another tool's pair is counted.
const FOREIGN_SCALE: u32 = 1_000_000_000;

/// A match between the first texts of two groups, by its counts; the others are in the table of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Verified {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) common: u32,
    pub(crate) covered_a: u32,
    pub(crate) covered_b: u32,
    /// Values that were compared, if sketches were.
    pub(crate) compared: u32,
    /// What the shared terms weigh, if terms have weights.
    pub(crate) weight: u64,
}

impl Verified {
    /// The match of two texts of these scores.
    pub(crate) fn new(a: u32, b: u32, scores: &Scores) -> Self {
        Self {
            a,
            b,
            common: scores.common,
            covered_a: scores.covered_a,
            covered_b: scores.covered_b,
            compared: scores.compared,
            weight: scores.weights.common,
        }
    }

    /// All counts of the pair.
    pub(crate) fn scores(&self, documents: &Documents) -> Scores {
        let (a, b) = (self.a as usize, self.b as usize);
        Scores {
            common: self.common,
            distinct_a: documents.distinct[a],
            distinct_b: documents.distinct[b],
            covered_a: self.covered_a,
            covered_b: self.covered_b,
            tokens_a: documents.counted(self.a),
            tokens_b: documents.counted(self.b),
            compared: self.compared,
            weights: Weights {
                common: self.weight,
                a: documents.weight(self.a),
                b: documents.weight(self.b),
            },
        }
    }
}

/// Groups of identical texts. Texts of the input and references are grouped apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identical {
    /// The first text of each text's group.
    pub(crate) first: Vec<u32>,
    /// The texts of all groups of several, group by group.
    texts: Vec<u32>,
    /// Where the texts of each such group stand, by its first.
    groups: HashMap<u32, Range<u32>>,
}

impl Identical {
    /// Groups told by the first text of each text's group.
    pub(crate) fn of_firsts(first: Vec<u32>) -> Self {
        let copies = (0..).zip(&first).filter(|(text, first)| text != *first);
        let mut order: Vec<(u32, u32)> = copies.map(|(text, &first)| (first, text)).collect();
        order.sort_unstable();
        let (mut texts, mut groups) = (Vec::new(), HashMap::new());
        for group in order.chunk_by(|x, y| x.0 == y.0) {
            let start = texts.len() as u32;
            texts.push(group[0].0);
            texts.extend(group.iter().map(|(_, text)| *text));
            groups.insert(group[0].0, start..texts.len() as u32);
        }
        Self {
            first,
            texts,
            groups,
        }
    }

    /// Finds the groups, after which the identities of the texts go.
    pub(crate) fn take(documents: &mut Documents) -> Self {
        let groups = Self::find(documents);
        documents.identities = Vec::new();
        groups
    }

    /// Finds the groups.
    pub(crate) fn find(documents: &Documents) -> Self {
        let identity = |text: u32| documents.identities[text as usize];
        // Half of an identity tells nearly all texts apart, and takes half of the room.
        let mut order: Vec<(u64, u32)> = (0..documents.len() as u32)
            .filter(|&text| documents.states[text as usize] == State::Text)
            .map(|text| (identity(text) as u64, text))
            .collect();
        order.sort_unstable();
        let mut first: Vec<u32> = (0..documents.len() as u32).collect();
        let is_reference = |text: u32| text >= documents.references();
        for alike in order.chunk_by_mut(|x, y| x.0 == y.0) {
            alike.sort_unstable_by_key(|&(_, text)| (identity(text), text));
            let same = |x: &(u64, u32), y: &(u64, u32)| {
                identity(x.1) == identity(y.1) && is_reference(x.1) == is_reference(y.1)
            };
            for group in alike.chunk_by(same) {
                for &(_, text) in group {
                    first[text as usize] = group[0].1;
                }
            }
        }
        drop(order);
        Self::of_firsts(first)
    }

    /// Number of pairs of copies among the input, given the number of the first reference.
    pub(crate) fn pairs(&self, references: u32) -> u64 {
        // A sum: the order does not show.
        let groups = self.groups.iter().filter(|(first, _)| **first < references);
        let sizes = groups.map(|(_, group)| group.len() as u64);
        sizes.map(|size| size * (size - 1) / 2).sum()
    }

    /// The first texts of the groups of several, in no particular order.
    pub(crate) fn firsts_of_several(&self) -> impl Iterator<Item = u32> {
        self.groups.keys().copied()
    }

    /// How many texts each group has, by the number of its first; 0 for the others.
    pub(crate) fn copies(&self) -> Vec<u32> {
        let mut copies = vec![0; self.first.len()];
        for &first in &self.first {
            copies[first as usize] += 1;
        }
        copies
    }

    /// Distinct shingles of each text that is the first of its group; 0 for the others.
    pub(crate) fn sizes(&self, documents: &Documents) -> Vec<u32> {
        let texts = 0..documents.len() as u32;
        let size = |text: u32| match self.is_first(text) {
            true => documents.distinct[text as usize],
            false => 0,
        };
        texts.map(size).collect()
    }

    /// Whether a text is the first of its group.
    pub(crate) fn is_first(&self, text: u32) -> bool {
        self.first[text as usize] == text
    }

    /// All texts of the group whose first text this is.
    pub(crate) fn group<'a>(&'a self, first: &'a u32) -> &'a [u32] {
        match self.groups.get(first) {
            Some(group) => &self.texts[group.start as usize..group.end as usize],
            None => std::slice::from_ref(first),
        }
    }
}

/// All matches of a run.
#[derive(Debug)]
pub struct Matches {
    pub(crate) identical: Identical,
    /// Sorted by `a`, then `b`.
    pub(crate) verified: Vec<Verified>,
    /// The same matches seen from `b`: indices into `verified`, sorted by `b`, then `a`.
    from_b: Vec<u32>,
    pub(crate) wanted: Wanted,
}

impl Matches {
    pub(crate) fn new(identical: Identical, mut verified: Vec<Verified>, wanted: Wanted) -> Self {
        verified.sort_unstable();
        let mut from_b: Vec<u32> = (0..verified.len() as u32).collect();
        from_b.sort_unstable_by_key(|&index| {
            let pair = &verified[index as usize];
            (pair.b, pair.a)
        });
        Self {
            identical,
            verified,
            from_b,
            wanted,
        }
    }

    /// Pairs that another tool found among so many texts, with their scores from 0 to 1, as values of sketches that agree.
    pub(crate) fn of_foreign(documents: &Documents, pairs: &[(u32, u32, f64)]) -> Self {
        let pair = |&(a, b, score): &(u32, u32, f64)| Verified {
            a,
            b,
            common: (score * f64::from(FOREIGN_SCALE)).round() as u32,
            covered_a: 0,
            covered_b: 0,
            compared: FOREIGN_SCALE,
            weight: 0,
        };
        Self::alone(documents, pairs.iter().map(pair).collect())
    }

    /// These pairs of texts and no other; copies are pairs only if they are among them.
    pub(crate) fn of_scored(documents: &Documents, pairs: &[(u32, u32, Scores)]) -> Self {
        let pair = |(a, b, scores): &(u32, u32, Scores)| Verified::new(*a, *b, scores);
        Self::alone(documents, pairs.iter().map(pair).collect())
    }

    /// Pairs of texts of which none counts as a copy of another.
    fn alone(documents: &Documents, pairs: Vec<Verified>) -> Self {
        let wanted = Wanted {
            references: documents.references(),
            across_only: false,
        };
        let alone = Identical::of_firsts((0..documents.len() as u32).collect());
        Self::new(alone, pairs, wanted)
    }

    /// The pairs whose counts are good enough, and all copies.
    pub fn retained(
        &self,
        documents: &Documents,
        mut is_good: impl FnMut(&Scores) -> bool,
    ) -> Self {
        let pairs = self.verified.iter();
        let good = pairs.filter(|pair| is_good(&pair.scores(documents)));
        Self::new(self.identical.clone(), good.copied().collect(), self.wanted)
    }

    /// Number of pairs, those among identical texts included.
    pub fn count(&self) -> u64 {
        let across: u64 = self.verified.iter().map(|pair| self.weight(pair)).sum();
        let within = if self.wanted.across_only {
            0
        } else {
            self.identical.pairs(self.wanted.references)
        };
        across + within
    }

    /// Number of pairs between distinct texts, each standing for those of its copies.
    pub fn distinct_pairs(&self) -> u64 {
        self.verified.len() as u64
    }

    /// The match of two groups, by their first texts.
    pub(crate) fn find(&self, pair: CandidatePair) -> Option<&Verified> {
        let order = |verified: &Verified| (verified.a, verified.b);
        let found = self.verified.binary_search_by_key(&(pair.a, pair.b), order);
        found.ok().map(|index| &self.verified[index])
    }

    /// Pairs that a verified pair stands for.
    pub(crate) fn weight(&self, pair: &Verified) -> u64 {
        let size = |text: &u32| self.identical.group(text).len() as u64;
        size(&pair.a) * size(&pair.b)
    }

    /// The matches between the first texts of groups of identical ones.
    pub fn between_distinct_texts<'a>(
        &'a self,
        documents: &'a Documents,
    ) -> impl Iterator<Item = Match> + 'a {
        self.verified.iter().map(|pair| Match {
            a: DocId(pair.a),
            b: DocId(pair.b),
            scores: pair.scores(documents),
        })
    }

    /// A few pairs that connect all that is connected: those between distinct texts, and each copy with the first of its
    /// group. In input order.
    pub fn spanning(&self, documents: &Documents) -> Vec<Match> {
        let mut pairs: Vec<Match> = self.between_distinct_texts(documents).collect();
        for (text, &first) in self.identical.first.iter().enumerate() {
            if first as usize != text && self.wanted.pair(first, text as u32) {
                let scores = documents.identical_scores(text as u32);
                pairs.push(Match {
                    a: DocId(first),
                    b: DocId(text as u32),
                    scores,
                });
            } else if first as usize != text {
                pairs.extend(self.by_partner(first, text as u32, documents));
            }
        }
        pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
        pairs
    }

    /// A copy of a reference is no pair with it, but with what that one matches: the first such text.
    fn by_partner(&self, first: u32, copy: u32, documents: &Documents) -> Option<Match> {
        let partners = self.of(first, documents).into_iter();
        let (partner, scores) = partners.min_by_key(|(partner, _)| *partner)?;
        Some(Match {
            a: DocId(partner),
            b: DocId(copy),
            scores: scores.swapped(),
        })
    }

    /// The matches of a group's first text, each as the other text and the counts seen from this one.
    pub(crate) fn of(&self, first: u32, documents: &Documents) -> Vec<(u32, Scores)> {
        let seen = |(other, place): (u32, usize)| {
            let scores = self.verified[place].scores(documents);
            match first < other {
                true => (other, scores),
                false => (other, scores.swapped()),
            }
        };
        self.places_of(first).map(seen).collect()
    }

    /// The matches of a group's first text, each as the other text and its place among the verified pairs.
    pub(crate) fn places_of(&self, first: u32) -> impl Iterator<Item = (u32, usize)> + '_ {
        let after = self.verified.partition_point(|pair| pair.a < first);
        let pair_at = |index: &u32| &self.verified[*index as usize];
        let before = self
            .from_b
            .partition_point(|index| pair_at(index).b < first);
        self.places_from(first, (after, before))
    }

    /// The same, given where its matches begin, seen from `a` and from `b`.
    pub(crate) fn places_from(
        &self,
        first: u32,
        (after, before): (usize, usize),
    ) -> impl Iterator<Item = (u32, usize)> + '_ {
        let after = (after..self.verified.len()).map(|place| (&self.verified[place], place));
        let after = after.take_while(move |(pair, _)| pair.a == first);
        let pair_at = |index: u32| &self.verified[index as usize];
        let before = self.from_b[before..].iter();
        let before = before.map(move |&index| (pair_at(index), index as usize));
        let before = before.take_while(move |(pair, _)| pair.b == first);
        let after = after.map(|(pair, place)| (pair.b, place));
        after.chain(before.map(|(pair, place)| (pair.a, place)))
    }

    /// Where the matches of some texts begin, for [`Self::places_from`]. The texts rise.
    pub(crate) fn starts(&self, texts: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
        let (mut after, mut before) = (0, 0);
        let starts = texts.map(|text| {
            let ends = |pair: Option<u32>| pair.is_none_or(|other| other >= text);
            while !ends(self.verified.get(after).map(|pair| pair.a)) {
                after += 1;
            }
            let second = |index: &u32| self.verified[*index as usize].b;
            while !ends(self.from_b.get(before).map(second)) {
                before += 1;
            }
            (after as u32, before as u32)
        });
        starts.collect()
    }

    /// Calls `each` with every pair, in input order of the first text, then of the second; stops at the first error.
    pub fn for_each<E>(
        &self,
        documents: &Documents,
        mut each: impl FnMut(Match) -> Result<(), E>,
    ) -> Result<(), E> {
        self.for_each_from(0..documents.len() as u32, documents, &mut each)
    }

    /// The same for some first texts.
    pub(crate) fn for_each_from<E>(
        &self,
        texts: Range<u32>,
        documents: &Documents,
        each: &mut dyn FnMut(Match) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut partners = Vec::new();
        for a in texts {
            if documents.states[a as usize] != State::Text {
                continue;
            }
            self.partners_after(a, documents, &mut partners);
            for &(b, scores) in &partners {
                each(Match {
                    a: DocId(a),
                    b: DocId(b),
                    scores,
                })?;
            }
        }
        Ok(())
    }

    /// The partners of a text that stand after it, sorted.
    fn partners_after(&self, a: u32, documents: &Documents, partners: &mut Vec<(u32, Scores)>) {
        partners.clear();
        let first = self.identical.first[a as usize];
        for (other, scores) in self.of(first, documents) {
            let group = self.identical.group(&other).iter();
            partners.extend(group.filter(|b| **b > a).map(|&b| (b, scores)));
        }
        let identical = documents.identical_scores(a);
        let same = self.identical.group(&first).iter();
        let same = same.filter(|b| **b > a && self.wanted.pair(a, **b));
        partners.extend(same.map(|&b| (b, identical)));
        partners.sort_unstable_by_key(|(b, _)| *b);
    }
}
