//! The degree of a pair as a function of the intervals: four sums a group.
//!
//! A term of length |t| at the place p of its group's frequencies weighs (a + (b − a)·p)·|t|. So of all terms of a group together only
//! Σ|t| and Σp·|t| matter, of those shared and of all: the degree under any other intervals follows from them, without the
//! texts.

use crate::batch::{Joined, TermStore};
use crate::error::Result;
use crate::matches::CandidatePair;
use crate::method::terms::compare::distinct;
use crate::method::terms::weights::{WeightOptions, Weighting};
use crate::method::terms::{self, Group, Lexicon};
use crate::parallel;

use super::LabelledPair;

/// Number of groups.
pub(super) const GROUPS: usize = Group::ALL.len();
/// Pairs that a thread takes at a time.
const CHUNK: usize = 4096;

/// The ends of the interval of each group, by the group's number.
pub(super) type Intervals = [(f64, f64); GROUPS];

/// The intervals of weights.
pub(super) fn intervals(weights: &WeightOptions) -> Intervals {
    Group::ALL.map(|group| {
        let interval = weights.interval(group);
        (interval.a(), interval.b())
    })
}

/// Of the terms of a group in a pair: their length, and their length times their place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    shared_length: f32,
    shared_place: f32,
    all_length: f32,
    all_place: f32,
}

impl Sums {
    /// What the shared terms and what all terms weigh.
    #[inline]
    pub(super) fn weigh(&self, (a, b): (f64, f64)) -> (f64, f64) {
        let weigh = |length: f32, place: f32| a * f64::from(length) + (b - a) * f64::from(place);
        (
            weigh(self.shared_length, self.shared_place),
            weigh(self.all_length, self.all_place),
        )
    }

    /// Whether some of the terms stand in one text alone.
    pub(super) fn differ(&self) -> bool {
        self.shared_length < self.all_length
    }
}

/// The sums of many pairs, each by the groups that it has.
#[derive(Debug, Default, PartialEq)]
pub(super) struct PairSums {
    groups: Vec<(Group, Sums)>,
    /// Where those of each pair end.
    ends: Vec<usize>,
}

impl PairSums {
    /// The groups of a pair that have terms, in their order.
    pub(super) fn of(&self, pair: usize) -> &[(Group, Sums)] {
        let start = pair.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.groups[start..self.ends[pair]]
    }

    /// The degree of a pair under intervals; 0 without terms.
    pub(super) fn degree(&self, pair: usize, intervals: &Intervals) -> f64 {
        let mut sum = (0.0, 0.0);
        for (group, sums) in self.of(pair) {
            let (shared, all) = sums.weigh(intervals[*group as usize]);
            sum = (sum.0 + shared, sum.1 + all);
        }
        degree(sum)
    }

    fn append(&mut self, other: Self) {
        let before = self.groups.len();
        self.groups.extend(other.groups);
        self.ends
            .extend(other.ends.into_iter().map(|end| before + end));
    }

    /// Adds a pair by the sorted terms of its texts.
    fn push(&mut self, places: &Places<'_>, a: &[u32], b: &[u32]) {
        let mut sums = [[0.0f64; 4]; GROUPS];
        let (mut a, mut b) = (distinct(a).peekable(), distinct(b).peekable());
        loop {
            let (x, y) = (a.peek().copied(), b.peek().copied());
            let term = match (x, y) {
                (Some(x), Some(y)) => x.min(y),
                (Some(term), None) | (None, Some(term)) => term,
                (None, None) => break,
            };
            let in_both = a.next_if_eq(&term).is_some() & b.next_if_eq(&term).is_some();
            let (group, length, place) = places.of(term);
            let [shared_length, shared_place, all_length, all_place] = &mut sums[group as usize];
            *all_length += length;
            *all_place += place * length;
            if in_both {
                *shared_length += length;
                *shared_place += place * length;
            }
        }
        for (group, sums) in Group::ALL.into_iter().zip(sums) {
            let [shared_length, shared_place, all_length, all_place] = sums.map(|sum| sum as f32);
            if all_length > 0.0 {
                let sums = Sums {
                    shared_length,
                    shared_place,
                    all_length,
                    all_place,
                };
                self.groups.push((group, sums));
            }
        }
        self.ends.push(self.groups.len());
    }
}

/// Shared weight over all of it.
#[inline]
pub(super) fn degree((shared, all): (f64, f64)) -> f64 {
    if all > 0.0 { shared / all } else { 0.0 }
}

/// Where terms stand among the frequencies of their groups.
struct Places<'a> {
    lexicon: &'a Lexicon,
    weighting: Weighting,
}

impl Places<'_> {
    /// A term's group, its length, and its place from 0, for a, to 1, for b: as [`crate::method::terms::weights::weight`] has it.
    fn of(&self, term: u32) -> (Group, f64, f64) {
        let group = self.lexicon.group(term);
        let range = self.lexicon.range(group);
        let frequency = self.lexicon.frequency(term).clamp(range.min, range.max);
        let part = match self.weighting {
            Weighting::Frequency => frequency - range.min,
            Weighting::Idf => range.max - frequency,
            // Refused: it has no intervals.
            Weighting::Log => 0,
        };
        let place = match range.max - range.min {
            0 => 0.0,
            whole => part as f64 / whole as f64,
        };
        (group, self.lexicon.form(term).chars().count() as f64, place)
    }
}

/// The sums of labelled pairs of a run.
pub(super) fn gather(
    joined: &Joined,
    (fitted, store): (&terms::Fitted, &TermStore),
    weighting: Weighting,
    pairs: &[LabelledPair],
    threads: usize,
) -> Result<PairSums> {
    let places = Places {
        lexicon: &fitted.lexicon,
        weighting,
    };
    let first = |document: crate::DocId| joined.matches.identical.first[document.index()];
    let chunks: Vec<&[LabelledPair]> = pairs.chunks(CHUNK).collect();
    let parts = parallel::map(threads, chunks.len(), |chunk| {
        let pairs = chunks[chunk].iter().map(|pair| {
            let (a, b) = (first(pair.a), first(pair.b));
            CandidatePair {
                a: a.min(b),
                b: a.max(b),
            }
        });
        let pairs: Vec<CandidatePair> = pairs.collect();
        let mut sums = PairSums::default();
        store.for_each_pair(&joined.documents, &pairs, |_, a, b| {
            sums.push(&places, a, b);
        })?;
        Ok(sums)
    })?;
    let mut all = PairSums::default();
    parts.into_iter().for_each(|part| all.append(part));
    Ok(all)
}
