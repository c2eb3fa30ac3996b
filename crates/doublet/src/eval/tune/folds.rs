//! How far a search may be trusted: what it finds on most of the pairs is judged on the rest of them.
//!
//! The tuning half is cut into folds several times over. Each search leaves one fold out, and is judged by it. The price of a step
//! whose searches do best that way is taken, if they do better than the weights that there were by more than chance would have it;
//! otherwise nothing is to be changed.

use super::objective::Found;
use super::search::{Ended, Field, Rows, search};
use super::sums::{Intervals, PairSums};
use crate::error::Result;
use crate::parallel;

/// Parts that pairs are cut into.
pub(super) const FOLDS: usize = 5;
/// Times they are cut.
const CUTS: usize = 2;
/// Searches that are shared out: one fold left out, at all prices.
pub(super) const TASKS: usize = CUTS * FOLDS;
/// What a step of 1 costs in F1, from dear to cheap.
const PRICES: [f64; 6] = [0.1, 0.03, 0.01, 0.003, 0.001, 0.0003];
/// Standard errors that a gain has to exceed.
const ERRORS: f64 = 1.0;

/// What was chosen.
pub(super) struct Choice {
    /// The price of a step; `None` if nothing is to be changed.
    pub(super) price: Option<f64>,
    /// Weightings that were tried on the way.
    pub(super) tried: u64,
}

/// What a left-out fold says: of the weights that there were, and of those found at each price.
struct Fold {
    unmoved: Found,
    moved: Vec<Found>,
    tried: u64,
}

/// Chooses the price. `pairs` are in an order that was drawn.
pub(super) fn choose_price(
    (sums, pairs): (&PairSums, &[(usize, bool)]),
    field: &Field,
    (threads, tick): (usize, &(dyn Fn() -> Result<()> + Sync)),
) -> Result<Choice> {
    let folds = parallel::map(threads, TASKS, |task| {
        let (cut, left_out) = (task / FOLDS, task % FOLDS);
        let numbers = fold_numbers(pairs, cut);
        let side = |out: bool| {
            let chosen = pairs.iter().zip(&numbers);
            let chosen = chosen.filter(|(_, fold)| (**fold == left_out) == out);
            Rows::new(sums, chosen.map(|(pair, _)| *pair))
        };
        let fold = leave_out(&side(false), &side(true), field);
        tick()?;
        Ok(fold)
    })?;
    let gain = |price: usize| {
        let gains: Vec<f64> = folds
            .iter()
            .map(|fold| fold.moved[price].f1() - fold.unmoved.f1())
            .collect();
        let mean = gains.iter().sum::<f64>() / gains.len() as f64;
        let squares = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>();
        // The cuts are of the same pairs, so that they count as one.
        let error = (squares / gains.len() as f64 / (FOLDS - 1) as f64).sqrt();
        (mean, error)
    };
    let mut best = None;
    for (price, &value) in PRICES.iter().enumerate() {
        let (mean, error) = gain(price);
        if mean > ERRORS * error && best.is_none_or(|(most, _)| mean > most) {
            best = Some((mean, value));
        }
    }
    Ok(Choice {
        price: best.map(|(_, price)| price),
        tried: folds.iter().map(|fold| fold.tried).sum(),
    })
}

/// The fold of each pair: of either label as many in each, as far as that goes.
fn fold_numbers(pairs: &[(usize, bool)], cut: usize) -> Vec<usize> {
    let mut seen = [0usize; 2];
    let number = |&(_, duplicate): &(usize, bool)| {
        let place = &mut seen[usize::from(duplicate)];
        let number = match cut {
            0 => *place % FOLDS,
            // Pairs that were together are apart.
            _ => (*place / FOLDS + *place * cut) % FOLDS,
        };
        *place += 1;
        number
    };
    pairs.iter().map(number).collect()
}

fn leave_out(train: &Rows, test: &Rows, field: &Field) -> Fold {
    // The threshold is chosen where the weights are.
    let judge = |intervals: &Intervals| {
        let (_, threshold) = train.histogram(intervals).best();
        test.histogram(intervals).at(threshold)
    };
    let (mut tried, mut from) = (0, field.origin);
    let moved = PRICES.map(|price| {
        // Cheaper steps lead on from where dearer ones ended; one search more starts elsewhere.
        let ends = [from, field.alike()].map(|start| search(train, field, &start, price));
        let best = Ended::best(ends.into_iter()).unwrap_or(Ended::unmoved(field));
        tried += best.tried;
        from = best.intervals;
        judge(&best.intervals)
    });
    Fold {
        unmoved: judge(&field.origin),
        moved: moved.to_vec(),
        tried,
    }
}
