//! The terms of all texts as sorted ranks, and the scores of two of them by merging.

use std::cmp::Ordering;

use super::{Metric, Scores, Weights};
use crate::terms::Lexicon;
use crate::threshold::Threshold;

/// The terms of each text, by rank, repeated ones repeated.
#[derive(Debug, Default)]
pub(crate) struct TermLists {
    ranks: Vec<u32>,
    /// Where the terms of each text start, and the end of the last.
    starts: Vec<u64>,
}

impl TermLists {
    /// Room for the terms of so many texts.
    pub(crate) fn with_capacity(texts: usize, terms: usize) -> Self {
        let mut starts = Vec::with_capacity(texts + 1);
        starts.push(0);
        Self {
            ranks: Vec::with_capacity(terms),
            starts,
        }
    }

    /// Adds the next text.
    pub(crate) fn push(&mut self, ranks: &[u32]) {
        self.ranks.extend_from_slice(ranks);
        self.starts.push(self.ranks.len() as u64);
    }

    /// The terms of a text.
    #[inline]
    pub(crate) fn of(&self, text: u32) -> &[u32] {
        let text = text as usize;
        &self.ranks[self.starts[text] as usize..self.starts[text + 1] as usize]
    }
}

/// What the terms of a text weigh together, each counted once.
pub(crate) fn total_weight(lexicon: &Lexicon, ranks: &[u32]) -> u64 {
    distinct(ranks)
        .map(|rank| lexicon.weight(rank))
        .fold(0, u64::saturating_add)
}

/// The distinct terms of a sorted list.
pub(crate) fn distinct(ranks: &[u32]) -> impl Iterator<Item = u32> + Clone {
    ranks.chunk_by(|x, y| x == y).map(|run| run[0])
}

/// The scores of two texts, given their sorted terms and what those weigh.
pub(crate) fn compare(
    lexicon: &Lexicon,
    (a, weight_a): (&[u32], u64),
    (b, weight_b): (&[u32], u64),
) -> Scores {
    let mut scores = Scores {
        tokens_a: a.len() as u32,
        tokens_b: b.len() as u32,
        weights: Weights {
            common: 0,
            a: weight_a,
            b: weight_b,
        },
        ..Scores::default()
    };
    let run = |list: &[u32], at: usize| {
        let same = list[at..].iter().take_while(|rank| **rank == list[at]);
        same.count()
    };
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = |list: &[u32], at: usize| list.get(at).copied().unwrap_or(u32::MAX);
        let (x, y) = (next(a, i), next(b, j));
        let (runs_a, runs_b) = (
            if x <= y { run(a, i) } else { 0 },
            if y <= x { run(b, j) } else { 0 },
        );
        scores.distinct_a += u32::from(runs_a > 0);
        scores.distinct_b += u32::from(runs_b > 0);
        if x == y {
            scores.common += 1;
            scores.covered_a += runs_a as u32;
            scores.covered_b += runs_b as u32;
            let weights = &mut scores.weights;
            weights.common = weights.common.saturating_add(lexicon.weight(x));
        }
        i += runs_a;
        j += runs_b;
    }
    scores
}

/// What makes two texts a match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    pub(crate) metric: Metric,
    pub(crate) threshold: Threshold,
}

impl Bar {
    /// What counts of a text: its weight, or its number of distinct terms.
    fn size(self, distinct: u32, weight: u64) -> u64 {
        match self.metric {
            Metric::Degree => weight,
            _ => u64::from(distinct),
        }
    }

    /// Whether texts of these distinct terms and weights can be a match at all: the lighter one is at most shared whole.
    pub(crate) fn can_match(self, a: (u32, u64), b: (u32, u64)) -> bool {
        let (x, y) = (self.size(a.0, a.1), self.size(b.0, b.1));
        self.threshold.reached(x.min(y), x.max(y))
    }

    /// Whether two texts, given as sorted terms, distinct ones and weight, are a match. Heavy terms come first, and it ends as
    /// soon as too much of either text is not shared.
    pub(crate) fn is_match(
        self,
        lexicon: &Lexicon,
        (a, distinct_a, weight_a): (&[u32], u32, u64),
        (b, distinct_b, weight_b): (&[u32], u32, u64),
    ) -> bool {
        let (x, y) = (
            self.size(distinct_a, weight_a),
            self.size(distinct_b, weight_b),
        );
        let needed = self.threshold.least_overlap(x.saturating_add(y));
        if x < needed || y < needed {
            return false;
        }
        let weigh = |rank: u32| self.size(1, lexicon.weight(rank));
        // What of each text may still go unshared.
        let (mut spare_a, mut spare_b) = (x - needed, y - needed);
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            match a[i].cmp(&b[j]) {
                Ordering::Equal => {
                    let rank = a[i];
                    i = after(a, i, rank);
                    j = after(b, j, rank);
                }
                Ordering::Less => {
                    let weight = weigh(a[i]);
                    if weight > spare_a {
                        return false;
                    }
                    spare_a -= weight;
                    i = after(a, i, a[i]);
                }
                Ordering::Greater => {
                    let weight = weigh(b[j]);
                    if weight > spare_b {
                        return false;
                    }
                    spare_b -= weight;
                    j = after(b, j, b[j]);
                }
            }
        }
        let rest: u64 = distinct(&a[i..]).map(weigh).fold(0, u64::saturating_add);
        // Of a sum that is past counting the parts are, too.
        rest <= spare_a || x == u64::MAX
    }
}

/// The place after all of `rank` at `at`.
#[inline]
fn after(ranks: &[u32], mut at: usize, rank: u32) -> usize {
    at += 1;
    while at < ranks.len() && ranks[at] == rank {
        at += 1;
    }
    at
}
