//! How many pairs have which score, and where the valley is between texts that have something in common and those that say the
//! same.

/// Steps of the histogram, 0.02 each.
pub(super) const BINS: usize = 50;
/// Weights by which neighbouring steps are averaged.
const SMOOTHING: [f64; 5] = [1.0, 2.0, 3.0, 2.0, 1.0];
/// A valley lies at this score or above, and below one that the method sets …
const LOWEST: f64 = 0.3;
/// … has a hill on either side that is higher by this factor …
const FACTOR: f64 = 1.5;
/// … and by more than chance, in standard deviations of a count.
const DEVIATIONS: f64 = 2.0;
/// Steps that are lower than the hills by this share of the depth are the bottom of the valley, of which the middle is taken.
const BOTTOM: f64 = 0.9;

/// A step of the histogram: scores from `from` up to `to`, which is excluded but for the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// The least score.
    pub from: f64,
    /// The score above.
    pub to: f64,
    /// Pairs of different texts in the whole collection, reckoned from those that were seen.
    pub pairs: f64,
    /// Sampled texts whose best score with another is in here.
    pub texts: u64,
}

/// The valley of a histogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Valley {
    /// The score in its middle.
    pub at: f64,
    /// What the lower of the two hills beside it has, for each that the valley has.
    pub depth: f64,
}

/// The step that a score belongs to.
pub(super) fn bin_of(part: u64, whole: u64) -> usize {
    let bin = u128::from(part) * BINS as u128 / u128::from(whole.max(1));
    (bin as usize).min(BINS - 1)
}

/// The steps of the pairs by score and the best scores of sampled texts.
pub(super) fn bins(pairs: &[f64], best: &[f64]) -> Vec<Bin> {
    let mut bins: Vec<Bin> = (0..BINS)
        .map(|bin| Bin {
            from: bin as f64 / BINS as f64,
            to: (bin + 1) as f64 / BINS as f64,
            pairs: pairs.get(bin).copied().unwrap_or(0.0),
            texts: 0,
        })
        .collect();
    for score in best.iter().filter(|score| **score > 0.0) {
        let bin = (score * BINS as f64) as usize;
        bins[bin.min(BINS - 1)].texts += 1;
    }
    bins
}

/// The valley of counts by score, up to a highest one, if there is one that chance does not make. Of several, the one of the lowest
/// score: what lies above it has more in common than chance gives.
pub(super) fn valley(counts: &[f64], most: f64) -> Option<Valley> {
    let smooth = smoothed(counts);
    let score = |bin: f64| (bin + 0.5) / counts.len() as f64;
    let inside = |bin: &usize| (LOWEST..=most).contains(&score(*bin as f64));
    let highest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    // The hills are looked for from half of the lowest score on: below, everything has something in common with everything.
    let from = (LOWEST / 2.0 * counts.len() as f64) as usize;
    let hill = |bin: usize| highest(&smooth[from..bin]).min(highest(&smooth[bin + 1..]));
    let is_low = |bin: &usize| {
        let (hill, ground) = (hill(*bin), smooth[*bin]);
        hill >= FACTOR * ground && hill - ground >= DEVIATIONS * (hill + 1.0).sqrt()
    };
    let inner = (from + 1..counts.len().saturating_sub(1)).filter(inside);
    let first = inner.skip_while(|bin| !is_low(bin)).take_while(is_low);
    let first: Vec<usize> = first.collect();
    let lower = |best: usize, bin: usize| {
        if smooth[bin] < smooth[best] {
            bin
        } else {
            best
        }
    };
    let deepest = first.iter().copied().reduce(lower)?;
    let (hill, ground) = (hill(deepest), smooth[deepest]);
    let is_bottom = |bin: &&usize| hill - smooth[**bin] >= BOTTOM * (hill - ground);
    let left = first.iter().rev().skip_while(|bin| **bin > deepest);
    let left = left.take_while(is_bottom).last();
    let right = first.iter().skip_while(|bin| **bin < deepest);
    let right = right.take_while(is_bottom).last();
    let middle = (*left.unwrap_or(&deepest) + *right.unwrap_or(&deepest)) as f64 / 2.0;
    Some(Valley {
        at: score(middle),
        depth: hill / ground.max(1e-3),
    })
}

/// Averages of neighbours; at the ends, of those that there are.
fn smoothed(counts: &[f64]) -> Vec<f64> {
    let half = SMOOTHING.len() / 2;
    let average = |bin: usize| {
        let around = SMOOTHING.iter().enumerate().filter_map(|(at, weight)| {
            let count = counts.get((bin + at).checked_sub(half)?)?;
            Some((count * weight, weight))
        });
        let (sum, weights) = around.fold((0.0, 0.0), |(s, w), (count, weight)| {
            (s + count, w + weight)
        });
        sum / f64::max(weights, 1.0)
    };
    (0..counts.len()).map(average).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Hills: where they are, how wide, how many there are in each.
    fn hills(hills: &[(f64, f64, f64)]) -> Vec<f64> {
        let at = |bin: usize| (bin as f64 + 0.5) / BINS as f64;
        let height = |bin: usize, (middle, width, count): (f64, f64, f64)| {
            let away = (at(bin) - middle) / width;
            count * (-away * away / 2.0).exp() / (width * BINS as f64 * 2.507)
        };
        let sum = |bin: usize| hills.iter().map(|hill| height(bin, *hill)).sum::<f64>();
        (0..BINS).map(|bin| sum(bin).round()).collect()
    }

    #[test]
    fn the_valley_is_between_two_hills() {
        for (low, high, from, to) in [
            (0.25, 0.95, 0.45, 0.75),
            (0.4, 0.9, 0.55, 0.75),
            (0.2, 0.75, 0.35, 0.6),
        ] {
            let counts = hills(&[(low, 0.08, 5000.0), (high, 0.06, 800.0)]);
            let found = valley(&counts, 0.86).unwrap();
            assert!((from..to).contains(&found.at), "{low} {high}: {found:?}");
            assert!(found.depth > 2.0);
        }
    }

    #[test]
    fn of_several_valleys_the_lowest_is_taken() {
        let counts = hills(&[
            (0.1, 0.1, 90_000.0),
            (0.7, 0.05, 3000.0),
            (0.96, 0.02, 2000.0),
        ]);
        let found = valley(&counts, 0.86).unwrap();
        assert!((0.4..0.65).contains(&found.at), "{found:?}");
    }

    #[test]
    fn one_hill_has_no_valley() {
        assert_eq!(valley(&hills(&[(0.2, 0.1, 5000.0)]), 0.86), None);
        assert_eq!(valley(&hills(&[(0.9, 0.1, 5000.0)]), 0.86), None);
        assert_eq!(valley(&hills(&[(0.5, 0.3, 5000.0)]), 0.86), None);
        let falling: Vec<f64> = (0..BINS)
            .map(|bin| 10_000.0 * 0.8f64.powi(bin as i32))
            .collect();
        assert_eq!(valley(&falling, 0.86), None);
        assert_eq!(valley(&[0.0; BINS], 0.86), None);
        assert_eq!(valley(&[7.0; BINS], 0.86), None);
    }

    #[test]
    fn a_handful_of_pairs_makes_no_valley() {
        let mut counts = [0.0; BINS];
        counts[10] = 3.0;
        counts[45] = 2.0;
        assert_eq!(valley(&counts, 0.86), None);
    }

    #[test]
    fn steps_by_exact_fractions() {
        assert_eq!(bin_of(0, 7), 0);
        assert_eq!(bin_of(1, 2), 25);
        assert_eq!(bin_of(4, 5), 40);
        assert_eq!(bin_of(7, 7), BINS - 1);
        assert_eq!(bin_of(0, 0), 0);
        assert_eq!(bin_of(u64::MAX - 1, u64::MAX), BINS - 1);
    }

    proptest! {
        #[test]
        fn any_counts_will_do(counts in prop::collection::vec(0.0f64..1e6, 0..80)) {
            if let Some(found) = valley(&counts, 0.86) {
                prop_assert!((LOWEST..=0.86).contains(&found.at));
                prop_assert!(found.depth >= FACTOR);
            }
        }
    }
}
