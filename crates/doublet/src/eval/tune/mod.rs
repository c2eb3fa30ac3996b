//! Fits the weight intervals of [`terms`](crate::method::terms) to labelled pairs.
//!
//! In come the terms of a run and pairs of its texts with labels, each in the half to tune on or in the half held out. Out come
//! weights, the threshold that goes with them, and how well both halves do before and after. `sums` makes the degree of each pair a function
//! of the intervals, `objective` says what is good, `search` finds it, `folds` finds out within the tuning half how far the search
//! may be trusted, and `file` writes what was found. The held-out half is only scored.

mod file;
mod folds;
mod objective;
mod quality;
mod search;
mod sums;
#[cfg(test)]
mod tests;

pub use file::toml;
pub use quality::Judged;

use crate::batch::{JoinOptions, Joined};
use crate::document::DocId;
use crate::error::{Error, Result};
use crate::hash;
use crate::method::terms::Group;
use crate::method::terms::weights::{Interval, WeightOptions, Weighting};
use crate::parallel;
use crate::progress::{self, Observer, Unit};
use crate::scores::Metric;
use folds::{Choice, FOLDS, choose_price};
use quality::{best_threshold, judge, reaches};
use search::{Ended, Field, Rows, search};
use sums::{GROUPS, Intervals, PairSums, gather, intervals};

/// The fewest labelled pairs that can be tuned on.
pub const LEAST_PAIRS: usize = 20;
/// The fewest duplicates, and the fewest others, in the half that is tuned on.
pub const LEAST_OF_A_KIND: usize = FOLDS;
/// The interval of a group stays unless so many pairs of the tuning half differ in terms of it.
pub const LEAST_EVIDENCE: usize = 10;
/// Pairs that are searched over; of more, so many are drawn.
const MOST_ROWS: usize = 20_000;
/// How heavy a term may become where the heaviest weighed 1, and how light.
const BOUNDS: (f64, f64) = (0.025, 2.0);
/// The largest end that an interval may have.
const LARGEST: f64 = 100.0;
/// Starts of a search that are drawn, besides those that are not.
const DRAWN: u64 = 2;

/// Two texts of a run and whether they are duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelledPair {
    /// One text.
    pub a: DocId,
    /// The other.
    pub b: DocId,
    /// Whether one is a duplicate of the other.
    pub duplicate: bool,
    /// Whether the pair is in the half that is tuned on; otherwise it is held out.
    pub tuning: bool,
}

/// How to tune.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TuneOptions {
    /// What is drawn at random follows from this.
    pub seed: u64,
}

impl Default for TuneOptions {
    fn default() -> Self {
        Self { seed: 1 }
    }
}

/// How well weights do, at the threshold that is best on the tuning half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// The threshold, in thousandths.
    pub threshold: f64,
    /// On the half that was tuned on: flattering.
    pub tuned_on: Judged,
    /// On the half that was held out: what counts.
    pub held_out: Judged,
}

/// Labelled pairs by label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of duplicates.
    pub duplicates: usize,
    /// Pairs that are none.
    pub others: usize,
}

/// What became of the interval of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupTuned {
    /// The group.
    pub group: Group,
    /// Pairs of the tuning half of which one text has a term of the group that the other does not have.
    pub evidence: usize,
    /// The interval that it had.
    pub before: Interval,
    /// The interval that it has now.
    pub after: Interval,
}

impl GroupTuned {
    /// Whether enough pairs differ in its terms for the interval to be moved.
    pub fn is_free(&self) -> bool {
        self.evidence >= LEAST_EVIDENCE
    }
}

/// What tuning found.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The weights.
    pub weights: WeightOptions,
    /// How well the weights do that there were.
    pub before: Quality,
    /// How well these do; the same where nothing was worth a change.
    pub after: Quality,
    /// Every group, in their order.
    pub groups: Vec<GroupTuned>,
    /// The pairs that were tuned on.
    pub tuned_on: Counts,
    /// The pairs that were held out.
    pub held_out: Counts,
    /// Pairs held out that were judged wrong and are now judged right, each at its threshold.
    pub mended: usize,
    /// Pairs held out that were judged right and are now judged wrong.
    pub broken: usize,
    /// Weightings that were tried.
    pub steps: u64,
}

impl Tuned {
    /// Whether any interval changed.
    pub fn is_changed(&self) -> bool {
        self.groups.iter().any(|group| group.before != group.after)
    }

    /// Whether the held-out half does better by F1 than before.
    pub fn helped(&self) -> bool {
        self.after.held_out.f1 > self.before.held_out.f1
    }

    /// What came of it, in a sentence.
    pub fn verdict(&self) -> String {
        let (before, after) = (self.before.held_out.f1, self.after.held_out.f1);
        if !self.is_changed() {
            return format!(
                "nothing was changed: within the tuning half no other weights did reliably better (F1 held out {before:.3})"
            );
        }
        let word = match after.total_cmp(&before) {
            std::cmp::Ordering::Greater => "tuning helped",
            std::cmp::Ordering::Equal => "tuning made no difference",
            std::cmp::Ordering::Less => "tuning did not help: keep the weights that you have",
        };
        format!(
            "{word}: F1 held out {before:.3} before, {after:.3} after; {} pairs mended, {} broken",
            self.mended, self.broken
        )
    }
}

/// Puts one half of the duplicates and one half of the others into the tuning half, drawn by `seed`; in any order of the pairs
/// the same ones.
pub fn split(pairs: &mut [LabelledPair], seed: u64) {
    for duplicate in [false, true] {
        let mut order: Vec<usize> = (0..pairs.len())
            .filter(|&pair| pairs[pair].duplicate == duplicate)
            .collect();
        order.sort_by_key(|&pair| shuffled(&pairs[pair], seed));
        for (place, pair) in order.into_iter().enumerate() {
            pairs[pair].tuning = place.is_multiple_of(2);
        }
    }
}

/// The place of a pair in an order drawn by `seed`; it does not matter which of the two texts is named first.
fn shuffled(pair: &LabelledPair, seed: u64) -> (u64, u32, u32) {
    let (a, b) = (pair.a.0.min(pair.b.0), pair.a.0.max(pair.b.0));
    let both = u64::from(a) << 32 | u64::from(b);
    let state = hash::step(hash::step(hash::start(2), seed), both);
    (hash::finish(state), a, b)
}

/// Fits the intervals of `options` to the pairs of the tuning half. The same for any number of threads, and for any order of the
/// pairs.
///
/// # Errors
/// When the run is not one of terms compared by their degree, when there are too few labels, or when the observer cancels.
pub fn tune(
    joined: &Joined,
    options: &JoinOptions,
    pairs: &[LabelledPair],
    tuning: &TuneOptions,
    observer: &dyn Observer,
) -> Result<Tuned> {
    let terms = match joined.terms() {
        Some(terms) if options.matching.metric == Metric::Degree => terms,
        _ => {
            return refuse(
                "weights are those of `--method terms` with `--metric degree`: give these",
            );
        }
    };
    let weights = &options.matching.terms.weights;
    if weights.weighting == Weighting::Log {
        return refuse("`--weighting log` has no intervals to fit: leave it out");
    }
    let (tuned_on, held_out) = (counts(pairs, true), counts(pairs, false));
    check(tuned_on, held_out)?;
    let mut pairs = pairs.to_vec();
    pairs.sort_by_key(|pair| (shuffled(pair, tuning.seed), pair.duplicate));
    let threads = options.resources.threads;
    let sums = gather(joined, terms, weights.weighting, &pairs, threads)?;
    let found = Labelled { pairs, sums };
    let evidence = found.evidence();
    let scale = Scale::new(weights);
    let field = scale.field(weights, &evidence);
    let ended = fit(&found, &field, tuning, (threads, observer))?;
    let weights_after = scale.weights(weights, &field.origin, &ended.intervals);
    let before = found.quality(&intervals(weights));
    let after = found.quality(&intervals(&weights_after));
    let (mended, broken) = found.turned((weights, &before), (&weights_after, &after));
    Ok(Tuned {
        groups: groups(weights, &weights_after, &evidence),
        weights: weights_after,
        before,
        after,
        tuned_on,
        held_out,
        mended,
        broken,
        steps: ended.tried,
    })
}

fn refuse<T>(expected: impl Into<String>) -> Result<T> {
    Err(Error::Option {
        option: "tune",
        value: "weights".to_owned(),
        expected: expected.into(),
    })
}

fn counts(pairs: &[LabelledPair], tuning: bool) -> Counts {
    let half = pairs.iter().filter(|pair| pair.tuning == tuning);
    let duplicates = half.clone().filter(|pair| pair.duplicate).count();
    Counts {
        duplicates,
        others: half.count() - duplicates,
    }
}

/// That there are labels enough to tune on and to judge by.
fn check(tuned_on: Counts, held_out: Counts) -> Result<()> {
    let all = tuned_on.duplicates + tuned_on.others + held_out.duplicates + held_out.others;
    if all < LEAST_PAIRS {
        return refuse(format!(
            "{all} labelled pairs are too few: give at least {LEAST_PAIRS}, better some hundreds"
        ));
    }
    for (name, half, least) in [
        ("tuned on", tuned_on, LEAST_OF_A_KIND),
        ("held out", held_out, 1),
    ] {
        for (count, kind) in [
            (half.duplicates, "are duplicates"),
            (half.others, "are none"),
        ] {
            if count < least {
                return refuse(format!(
                    "in the half that is {name} {count} labelled pairs {kind}, and at least {least} have to: give more labels, of both kinds"
                ));
            }
        }
    }
    Ok(())
}

/// Labelled pairs, in an order that was drawn, and their sums.
struct Labelled {
    pairs: Vec<LabelledPair>,
    sums: PairSums,
}

impl Labelled {
    fn half(&self, tuning: bool) -> impl Iterator<Item = (usize, bool)> + Clone {
        let pairs = self.pairs.iter().enumerate();
        pairs
            .filter(move |(_, pair)| pair.tuning == tuning)
            .map(|(index, pair)| (index, pair.duplicate))
    }

    /// The pairs to search over: those of the tuning half, or as many of each label as their share is of those that there is room for.
    fn drawn(&self) -> Vec<(usize, bool)> {
        let of_label = |label: bool| self.half(true).filter(move |pair| pair.1 == label);
        let all = self.half(true).count();
        let mut drawn = Vec::new();
        for label in [false, true] {
            let count = of_label(label).count();
            let room = match all > MOST_ROWS {
                true => (count * MOST_ROWS).div_ceil(all).max(LEAST_OF_A_KIND),
                false => count,
            };
            drawn.extend(of_label(label).take(room));
        }
        drawn
    }

    /// Of each group, how many pairs of the tuning half differ in terms of it.
    fn evidence(&self) -> [usize; GROUPS] {
        let mut evidence = [0; GROUPS];
        for (pair, _) in self.half(true) {
            for (group, sums) in self.sums.of(pair) {
                evidence[*group as usize] += usize::from(sums.differ());
            }
        }
        evidence
    }

    fn scored(&self, tuning: bool, intervals: &Intervals) -> Vec<(f64, bool)> {
        let half = self.half(tuning);
        half.map(|(pair, duplicate)| (self.sums.degree(pair, intervals), duplicate))
            .collect()
    }

    fn quality(&self, intervals: &Intervals) -> Quality {
        let tuned_on = self.scored(true, intervals);
        let threshold = best_threshold(&tuned_on);
        Quality {
            threshold,
            tuned_on: judge(&tuned_on, threshold),
            held_out: judge(&self.scored(false, intervals), threshold),
        }
    }

    /// Pairs held out that are judged right only after, and only before.
    fn turned(
        &self,
        (before, quality_before): (&WeightOptions, &Quality),
        (after, quality_after): (&WeightOptions, &Quality),
    ) -> (usize, usize) {
        let right = |weights: &WeightOptions, threshold: f64| -> Vec<bool> {
            let scored = self.scored(false, &intervals(weights)).into_iter();
            scored
                .map(|(score, duplicate)| reaches(score, threshold) == duplicate)
                .collect()
        };
        let before = right(before, quality_before.threshold);
        let after = right(after, quality_after.threshold);
        let turned = |from: bool| {
            let both = before.iter().zip(&after);
            both.filter(|(x, y)| **x == from && **y != from).count()
        };
        (turned(false), turned(true))
    }
}

/// Weights are relative: the search has the heaviest weigh 1.
struct Scale(f64);

impl Scale {
    fn new(weights: &WeightOptions) -> Self {
        let ends = intervals(weights).into_iter().map(|(_, b)| b);
        Self(ends.fold(0.0, f64::max))
    }

    fn field(&self, weights: &WeightOptions, evidence: &[usize; GROUPS]) -> Field {
        Field {
            origin: intervals(weights).map(|(a, b)| (a / self.0, b / self.0)),
            free: evidence.map(|pairs| pairs >= LEAST_EVIDENCE),
            bounds: (BOUNDS.0, BOUNDS.1.min(LARGEST / self.0)),
        }
    }

    /// Weights whose groups that moved have the intervals found.
    fn weights(&self, before: &WeightOptions, from: &Intervals, to: &Intervals) -> WeightOptions {
        let mut weights = before.clone();
        for group in Group::ALL {
            let (from, to) = (from[group as usize], to[group as usize]);
            let tidy = |value: f64| (value * self.0 * 1e6).round() / 1e6;
            if let Some(interval) = Interval::new(tidy(to.0), tidy(to.1))
                && from != to
            {
                weights.set(group, interval);
            }
        }
        weights
    }
}

fn groups(
    before: &WeightOptions,
    after: &WeightOptions,
    evidence: &[usize; GROUPS],
) -> Vec<GroupTuned> {
    let groups = Group::ALL.into_iter().map(|group| GroupTuned {
        group,
        evidence: evidence[group as usize],
        before: before.interval(group),
        after: after.interval(group),
    });
    groups.collect()
}

/// Chooses the price of a step within the tuning half, and searches with it over the whole of the half.
fn fit(
    found: &Labelled,
    field: &Field,
    tuning: &TuneOptions,
    (threads, observer): (usize, &dyn Observer),
) -> Result<Ended> {
    let drawn = found.drawn();
    let starts = field.starts(tuning.seed, DRAWN);
    let total = (folds::TASKS + starts.len()) as u64;
    progress::begin(observer, "tuning", Some(total), Unit::Count("searches"))?;
    let tick = || progress::advance(observer, 1);
    let choice = choose_price((&found.sums, &drawn), field, (threads, &tick))?;
    let rows = Rows::new(&found.sums, drawn.iter().copied());
    let Choice { price, tried } = choice;
    let mut ended = Ended::unmoved(field);
    if let Some(price) = price {
        let ends = parallel::map(threads, starts.len(), |start| {
            let ended = search(&rows, field, &starts[start], price);
            tick()?;
            Ok(ended)
        })?;
        ended = Ended::best(ends.into_iter()).unwrap_or(ended);
    }
    ended.tried += tried;
    Ok(ended)
}
