//! How well scores tell duplicates from others: F1 at a threshold, and average precision.

/// Thresholds are tried in steps of one of so many.
const STEPS: usize = 1000;
/// What a score may lack of a threshold, for it is a quotient of rounded sums.
const TOLERANCE: f64 = 1e-6;

/// How well scores do on some labelled pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Judged {
    /// The share of duplicates among the pairs at or above the threshold; 1 where there is no such pair.
    pub precision: f64,
    /// The share of the duplicates that are at or above the threshold.
    pub recall: f64,
    /// The harmonic mean of the two.
    pub f1: f64,
    /// The mean of the precision at each duplicate, pairs by falling score: it needs no threshold.
    pub average_precision: f64,
}

/// Labelled pairs by their scores.
pub(super) type Scored = [(f64, bool)];

/// Whether a score reaches a threshold.
pub(super) fn reaches(score: f64, threshold: f64) -> bool {
    score > 0.0 && score + TOLERANCE >= threshold
}

/// The threshold, in thousandths, at which F1 is best. Of several the middle one of the longest run: it lies farthest from
/// the scores on either side.
pub(super) fn best_threshold(scored: &Scored) -> f64 {
    let mut counts = [[0u32; 2]; STEPS + 1];
    for &(score, duplicate) in scored.iter().filter(|(score, _)| *score > 0.0) {
        let step = ((score + TOLERANCE) * STEPS as f64) as usize;
        counts[step.min(STEPS)][usize::from(duplicate)] += 1;
    }
    let duplicates = scored.iter().filter(|(_, duplicate)| *duplicate).count() as u32;
    let (mut others, mut found) = (0, 0);
    // F1 is 2·found / (found + others + duplicates); compared as a fraction, so that equal is equal.
    let mut runs: Vec<((u32, u32), usize, usize)> = Vec::new();
    for step in (1..=STEPS).rev() {
        others += counts[step][0];
        found += counts[step][1];
        let value = (found, found + others + duplicates);
        match runs.last_mut() {
            Some((same, from, _)) if compare(*same, value).is_eq() => *from = step,
            _ => runs.push((value, step, step)),
        }
    }
    let best = runs.into_iter().max_by(|x, y| {
        let lengths = (x.2 - x.1).cmp(&(y.2 - y.1));
        compare(x.0, y.0).then(lengths).then(y.1.cmp(&x.1))
    });
    best.map_or(1.0, |(_, from, to)| {
        (from + to).div_ceil(2) as f64 / STEPS as f64
    })
}

fn compare(x: (u32, u32), y: (u32, u32)) -> std::cmp::Ordering {
    let product = |part: u32, whole: u32| u64::from(part) * u64::from(whole);
    product(x.0, y.1).cmp(&product(y.0, x.1))
}

/// How well scores do at a threshold.
pub(super) fn judge(scored: &Scored, threshold: f64) -> Judged {
    let duplicates = scored.iter().filter(|pair| pair.1).count();
    let above = scored.iter().filter(|pair| reaches(pair.0, threshold));
    let all = above.clone().count();
    let found = above.filter(|pair| pair.1).count();
    let share = |part: usize, whole: usize, of_none: f64| match whole {
        0 => of_none,
        whole => part as f64 / whole as f64,
    };
    Judged {
        precision: share(found, all, 1.0),
        recall: share(found, duplicates, 0.0),
        f1: share(2 * found, all + duplicates, 0.0),
        average_precision: average_precision(scored),
    }
}

/// The precision at each duplicate, averaged; pairs of one score count together.
fn average_precision(scored: &Scored) -> f64 {
    let mut order = scored.to_vec();
    order.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    let (mut seen, mut found, mut sum) = (0, 0, 0.0);
    for same in order.chunk_by(|x, y| x.0 == y.0) {
        let right = same.iter().filter(|pair| pair.1).count();
        seen += same.len();
        found += right;
        sum += right as f64 * found as f64 / seen as f64;
    }
    if found == 0 { 0.0 } else { sum / found as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let scored = [(0.9, true), (0.8, false), (0.7, true), (0.2, false)];
        let judged = judge(&scored, 0.75);
        assert_eq!(
            (judged.precision, judged.recall, judged.f1),
            (0.5, 0.5, 0.5)
        );
        // 1 at the first duplicate, 2/3 at the second.
        assert!((judged.average_precision - (1.0 + 2.0 / 3.0) / 2.0).abs() < 1e-12);
        // All from 0.7 down to above 0.2 do equally well: F1 is 4/5.
        let threshold = best_threshold(&scored);
        assert!((threshold - 0.451).abs() < 1e-9, "{threshold}");
        assert!((judge(&scored, threshold).f1 - 0.8).abs() < 1e-12);
    }

    #[test]
    fn equal_scores_count_together() {
        let scored = [(0.5, true), (0.5, false), (0.5, false), (0.5, true)];
        assert_eq!(judge(&scored, 0.5).average_precision, 0.5);
    }

    #[test]
    fn nothing_shared_is_never_found() {
        let scored = [(0.0, true), (0.0, false)];
        assert_eq!(judge(&scored, 0.001).recall, 0.0);
        assert_eq!(judge(&scored, best_threshold(&scored)).f1, 0.0);
    }

    #[test]
    fn one_is_reached_by_one() {
        let scored = [(1.0, true), (0.9995, false)];
        assert_eq!(judge(&scored, best_threshold(&scored)).f1, 1.0);
    }
}
