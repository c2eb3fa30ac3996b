//! The terms of all texts as sorted ranks, and the scores of two of them by merging.

use std::cmp::Ordering;

use crate::hash;
use crate::method::terms::Lexicon;
use crate::scores::{Metric, Scores, Weights};
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

    /// How many texts there are.
    pub(crate) fn count(&self) -> u32 {
        self.starts.len().saturating_sub(1) as u32
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

/// A few words about a text, to turn most pairs down by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sketch {
    /// What its terms weigh, or how many they are.
    pub(crate) size: u64,
    /// What each of the heaviest weighs at least.
    light: u64,
    /// A bit for each of the heaviest terms, and for each term; several may share one.
    heavy: u64,
    all: u64,
}

impl Sketch {
    /// The sketch of a text. Its heaviest terms are those that exceed the threshold's share of it.
    pub(crate) fn new(lexicon: &Lexicon, ranks: &[u32], bar: Bar) -> Self {
        let weigh = |rank: u32| bar.weight(lexicon, rank);
        let size = distinct(ranks).map(weigh).fold(0, u64::saturating_add);
        let mut sketch = Self {
            size,
            ..Self::default()
        };
        let mut sum = 0u64;
        for rank in distinct(ranks) {
            let (bit, weight) = (1 << (hash::finish(lexicon.hash(rank)) >> 58), weigh(rank));
            sketch.all |= bit;
            if !bar.threshold.exceeded(sum, size) {
                sum = sum.saturating_add(weight);
                sketch.heavy |= bit;
                sketch.light = weight;
            }
        }
        sketch
    }

    /// Its four numbers, the size first.
    pub(crate) fn to_array(self) -> [u64; 4] {
        [self.size, self.light, self.heavy, self.all]
    }

    /// The sketch of four numbers.
    pub(crate) fn of_array([size, light, heavy, all]: [u64; 4]) -> Self {
        Self {
            size,
            light,
            heavy,
            all,
        }
    }

    /// The least that a text weighs which the other does not have.
    fn unshared(&self, other: &Self) -> u64 {
        let missing = (self.heavy & !other.all).count_ones();
        self.light.saturating_mul(u64::from(missing))
    }
}

impl Bar {
    /// What counts of a term: its weight, or one.
    fn weight(self, lexicon: &Lexicon, rank: u32) -> u64 {
        match self.metric {
            Metric::Degree => lexicon.weight(rank),
            _ => 1,
        }
    }

    /// Whether texts of these sketches can be a match at all.
    #[inline]
    pub(crate) fn can_match(self, a: &Sketch, b: &Sketch) -> bool {
        let sum = a.size.saturating_add(b.size);
        // By multiplication: this is asked of most pairs that share a key.
        let enough = |x: &Sketch, y: &Sketch| {
            let unshared = if x.size == u64::MAX { 0 } else { x.unshared(y) };
            let most_shared = x.size.checked_sub(unshared);
            most_shared.is_some_and(|shared| self.threshold.is_overlap(shared, sum))
        };
        enough(a, b) && enough(b, a)
    }

    /// Whether two texts, given as sorted terms and their size, are a match. Heavy terms come first, and it ends as soon as too
    /// much of either text is not shared.
    pub(crate) fn is_match(
        self,
        lexicon: &Lexicon,
        (a, size_a): (&[u32], u64),
        (b, size_b): (&[u32], u64),
    ) -> bool {
        let needed = self.threshold.least_overlap(size_a.saturating_add(size_b));
        if size_a < needed || size_b < needed {
            return false;
        }
        // What of each text may still go unshared.
        let (mut spare_a, mut spare_b) = (size_a - needed, size_b - needed);
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            let (x, y) = (a[i], b[j]);
            match x.cmp(&y) {
                Ordering::Equal => {
                    i = after(a, i);
                    j = after(b, j);
                }
                Ordering::Less => {
                    let Some(left) = spare_a.checked_sub(self.weight(lexicon, x)) else {
                        return false;
                    };
                    spare_a = left;
                    i = after(a, i);
                }
                Ordering::Greater => {
                    let Some(left) = spare_b.checked_sub(self.weight(lexicon, y)) else {
                        return false;
                    };
                    spare_b = left;
                    j = after(b, j);
                }
            }
        }
        let rest = distinct(&a[i..]).map(|rank| self.weight(lexicon, rank));
        rest.fold(0, u64::saturating_add) <= spare_a
    }
}

/// The place after all that are equal to the one at `at`.
#[inline]
fn after(ranks: &[u32], at: usize) -> usize {
    let mut next = at + 1;
    while next < ranks.len() && ranks[next] == ranks[at] {
        next += 1;
    }
    next
}
