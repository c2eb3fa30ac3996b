//! The search: one interval after the other is moved a little, as long as that is worth its price.
//!
//! What is sought is the best smooth F1 less a price for every step away from the weights that there were. So an interval moves
//! only where enough pairs say so, and the price decides how many are enough. Every search is one thread's; the same labels
//! give the same weights.

use super::objective::{Histogram, bin};
use super::sums::{GROUPS, Intervals, PairSums, Sums, degree};
use crate::hash;

/// By how much an interval is moved, from coarse to fine.
const STEPS: [f64; 5] = [0.4, 0.2, 0.1, 0.05, 0.025];
/// Times all groups are gone through with one step, at most.
const ROUNDS: usize = 20;
/// A gain below this is none.
const LEAST_GAIN: f64 = 1e-9;

/// Pairs to search over, by groups.
pub(super) struct Rows {
    labels: Vec<bool>,
    /// Of each group the pairs that have terms of it.
    columns: [Vec<(u32, Sums)>; GROUPS],
}

impl Rows {
    /// Some pairs and their labels.
    pub(super) fn new(sums: &PairSums, pairs: impl Iterator<Item = (usize, bool)>) -> Self {
        let mut rows = Self {
            labels: Vec::new(),
            columns: std::array::from_fn(|_| Vec::new()),
        };
        for (pair, duplicate) in pairs {
            let row = rows.labels.len() as u32;
            rows.labels.push(duplicate);
            for &(group, sums) in sums.of(pair) {
                rows.columns[group as usize].push((row, sums));
            }
        }
        rows
    }

    /// The scores of all pairs under intervals, by bins.
    pub(super) fn histogram(&self, intervals: &Intervals) -> Histogram {
        State::new(self, *intervals).histogram
    }
}

/// Where the search may go.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The weights that there were.
    pub(super) origin: Intervals,
    /// Whether enough pairs have something to say about a group.
    pub(super) free: [bool; GROUPS],
    /// The least and the largest end of an interval.
    pub(super) bounds: (f64, f64),
}

impl Field {
    /// How far intervals are from where they were.
    pub(super) fn distance(&self, intervals: &Intervals) -> f64 {
        let pairs = self.origin.iter().zip(intervals);
        pairs.map(|(from, to)| distance(*from, *to)).sum()
    }

    /// All groups that may move alike: as heavy as the heaviest was.
    pub(super) fn alike(&self) -> Intervals {
        let heavier = |x: (f64, f64), y: (f64, f64)| if y.1 > x.1 { y } else { x };
        let heaviest = self.origin.into_iter().fold((0.0, 0.0), heavier);
        self.placed(|_| heaviest)
    }

    /// Intervals of which those that may move are chosen.
    fn placed(&self, choose: impl Fn(usize) -> (f64, f64)) -> Intervals {
        std::array::from_fn(|group| match self.free[group] {
            true => choose(group),
            false => self.origin[group],
        })
    }

    /// Where searches start: at the weights that there were, with all groups alike, and at some that are drawn.
    pub(super) fn starts(&self, seed: u64, drawn: u64) -> Vec<Intervals> {
        let mut starts = vec![self.origin, self.alike()];
        for draw in 0..drawn {
            starts.push(self.placed(|group| {
                // Up to ten steps of 0.1 from where it was, as far as there is room.
                let random = hash::finish(hash::step(hash::step(seed, draw), group as u64));
                let by = ((random % 21) as f64 - 10.0) * 0.1;
                let from = self.origin[group];
                self.moved(from, by, by).unwrap_or(from)
            }));
        }
        starts
    }

    /// An interval whose ends are moved; `None` where there is no room.
    fn moved(&self, (a, b): (f64, f64), by_a: f64, by_b: f64) -> Option<(f64, f64)> {
        let (least, most) = self.bounds;
        let to = (tidy(a + by_a), tidy(b + by_b));
        (to.0 >= least && to.0 <= to.1 && to.1 <= most).then_some(to)
    }
}

/// Without what adding leaves in the last digits.
fn tidy(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// What an interval moved: its middle and its width.
fn distance(from: (f64, f64), to: (f64, f64)) -> f64 {
    let middle = |(a, b): (f64, f64)| (a + b) / 2.0;
    let width = |(a, b): (f64, f64)| b - a;
    (middle(to) - middle(from)).abs() + (width(to) - width(from)).abs()
}

/// What a search ended at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ended {
    pub(super) intervals: Intervals,
    /// Smooth F1 less the price.
    value: f64,
    /// Weightings that were tried.
    pub(super) tried: u64,
}

impl Ended {
    /// The weights that there were.
    pub(super) fn unmoved(field: &Field) -> Self {
        Self {
            intervals: field.origin,
            value: f64::NEG_INFINITY,
            tried: 0,
        }
    }

    /// The best of several ends, the first of equal ones; all that was tried counts.
    pub(super) fn best(ends: impl Iterator<Item = Self>) -> Option<Self> {
        ends.reduce(|best, ended| {
            let tried = best.tried + ended.tried;
            let better = ended.value > best.value + LEAST_GAIN;
            let best = if better { ended } else { best };
            Self { tried, ..best }
        })
    }
}

/// Searches from a start. `price` is what a step of 1 costs in F1.
pub(super) fn search(rows: &Rows, field: &Field, start: &Intervals, price: f64) -> Ended {
    let mut state = State::new(rows, *start);
    let mut value = state.histogram.best().0 - price * field.distance(start);
    let mut tried = 1;
    for step in STEPS {
        for _ in 0..ROUNDS {
            let before = value;
            for group in (0..GROUPS).filter(|&group| field.free[group]) {
                let from = state.intervals[group];
                let paid = price
                    * (field.distance(&state.intervals) - distance(field.origin[group], from));
                let mut best = (value + LEAST_GAIN, from);
                for to in moves(field, group, from, step) {
                    let gain = state.value_with(group, to);
                    let value = gain - paid - price * distance(field.origin[group], to);
                    tried += 1;
                    if value > best.0 {
                        best = (value, to);
                    }
                }
                if best.1 != from {
                    state.set(group, best.1);
                    value = best.0;
                }
            }
            if value <= before {
                break;
            }
        }
    }
    Ended {
        intervals: state.intervals,
        value,
        tried,
    }
}

/// Where an interval may go in one step: both ends, either end, and back to where it was.
fn moves(
    field: &Field,
    group: usize,
    from: (f64, f64),
    step: f64,
) -> impl Iterator<Item = (f64, f64)> {
    let ends = [
        (step, step),
        (-step, -step),
        (-step, 0.0),
        (step, 0.0),
        (0.0, step),
        (0.0, -step),
    ];
    let moved = ends.map(|(by_a, by_b)| field.moved(from, by_a, by_b));
    let back = Some(field.origin[group]).filter(|origin| *origin != from);
    moved.into_iter().flatten().chain(back)
}

/// Pairs under intervals, kept so that another interval of one group touches only the pairs that have it.
struct State<'a> {
    rows: &'a Rows,
    intervals: Intervals,
    /// What the shared terms and all terms of each pair weigh.
    weights: Vec<(f64, f64)>,
    bins: Vec<u16>,
    histogram: Histogram,
}

impl<'a> State<'a> {
    fn new(rows: &'a Rows, intervals: Intervals) -> Self {
        let mut weights = vec![(0.0, 0.0); rows.labels.len()];
        for (column, interval) in rows.columns.iter().zip(&intervals) {
            for (row, sums) in column {
                let (shared, all) = sums.weigh(*interval);
                let weight = &mut weights[*row as usize];
                *weight = (weight.0 + shared, weight.1 + all);
            }
        }
        let bins = weights.iter().map(|&weight| bin(degree(weight)));
        let bins: Vec<u16> = bins.collect();
        let labels = rows.labels.iter().copied();
        Self {
            rows,
            intervals,
            histogram: Histogram::new(bins.iter().copied().zip(labels)),
            weights,
            bins,
        }
    }

    /// Calls `each` with the pairs that have a group, and what they weigh with another interval of it.
    fn with(&self, group: usize, to: (f64, f64), mut each: impl FnMut(usize, (f64, f64))) {
        let from = self.intervals[group];
        // What a sum is multiplied by may be negative here: the difference of two intervals.
        let change = (to.0 - from.0, to.1 - from.1);
        for (row, sums) in &self.rows.columns[group] {
            let row = *row as usize;
            let (shared, all) = sums.weigh(change);
            let weight = self.weights[row];
            each(row, (weight.0 + shared, weight.1 + all));
        }
    }

    fn value_with(&self, group: usize, to: (f64, f64)) -> f64 {
        let mut histogram = self.histogram.clone();
        self.with(group, to, |row, weight| {
            let bin = bin(degree(weight));
            histogram.shift(self.bins[row], bin, self.rows.labels[row]);
        });
        histogram.best().0
    }

    fn set(&mut self, group: usize, to: (f64, f64)) {
        let mut changed = Vec::with_capacity(self.rows.columns[group].len());
        self.with(group, to, |row, weight| changed.push((row, weight)));
        for (row, weight) in changed {
            let bin = bin(degree(weight));
            self.histogram
                .shift(self.bins[row], bin, self.rows.labels[row]);
            self.bins[row] = bin;
            self.weights[row] = weight;
        }
        self.intervals[group] = to;
    }
}
