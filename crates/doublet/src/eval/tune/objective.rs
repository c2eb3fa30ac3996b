//! What the search makes as large as it can: F1 at its best threshold, made smooth.
//!
//! F1 at one threshold jumps with every pair that crosses it, so that a search would fit single pairs. Here found and wrong pairs are
//! averaged over all thresholds near the one in question: a pair far from it counts in full, one near it in part. Scores are
//! counted by bins, and all sums are of whole numbers.

/// Bins of scores from 0 to 1.
const BINS: usize = 500;
/// Bins on either side of a threshold that are averaged over: 0.05.
const NEAR: usize = 25;
/// Thresholds that are averaged over.
const WINDOW: u64 = 2 * NEAR as u64 + 1;

/// The bin of a score. What rounding may have taken from it is given back.
#[inline]
pub(super) fn bin(score: f64) -> u16 {
    (score * BINS as f64 + 1e-3).min(BINS as f64) as u16
}

/// How many pairs of either kind have their scores in each bin.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    /// Others, and duplicates.
    counts: [[u32; 2]; BINS + 1],
    duplicates: u64,
}

/// Pairs at or above thresholds, averaged over those near one: so many times [`WINDOW`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    others: u64,
    right: u64,
    duplicates: u64,
}

impl Found {
    /// F1, made smooth.
    pub(super) fn f1(self) -> f64 {
        match self.right + self.others + self.duplicates {
            0 => 0.0,
            all => 2.0 * self.right as f64 / all as f64,
        }
    }
}

impl Histogram {
    /// Of pairs given by bin and label.
    pub(super) fn new(pairs: impl Iterator<Item = (u16, bool)>) -> Self {
        let mut histogram = Self {
            counts: [[0; 2]; BINS + 1],
            duplicates: 0,
        };
        for (bin, duplicate) in pairs {
            histogram.counts[usize::from(bin)][usize::from(duplicate)] += 1;
            histogram.duplicates += u64::from(duplicate);
        }
        histogram
    }

    /// Moves a pair to another bin.
    #[inline]
    pub(super) fn shift(&mut self, from: u16, to: u16, duplicate: bool) {
        self.counts[usize::from(from)][usize::from(duplicate)] -= 1;
        self.counts[usize::from(to)][usize::from(duplicate)] += 1;
    }

    /// The best smooth F1, and the bin of its threshold.
    pub(super) fn best(&self) -> (f64, usize) {
        let mut best = (f64::NEG_INFINITY, BINS);
        self.each_threshold(|threshold, found| {
            let value = found.f1();
            if value > best.0 {
                best = (value, threshold);
            }
        });
        best
    }

    /// What is found near a threshold.
    pub(super) fn at(&self, threshold: usize) -> Found {
        let mut at = Found::default();
        self.each_threshold(|step, found| {
            if step == threshold {
                at = found;
            }
        });
        at
    }

    /// Goes through the thresholds from 1 down to the first bin above 0.
    fn each_threshold(&self, mut each: impl FnMut(usize, Found)) {
        // Pairs at or above each bin; none above the last, and below the first as many as there.
        let mut above = [[0u64; 2]; BINS + NEAR + 2];
        let add = |sum: &mut [u64; 2], more: [u64; 2]| {
            sum[0] += more[0];
            sum[1] += more[1];
        };
        let mut sum = [0u64; 2];
        for (step, counts) in self.counts.iter().enumerate().rev() {
            add(&mut sum, counts.map(u64::from));
            above[step] = sum;
        }
        let at = |step: isize| above[step.max(0) as usize];
        let mut sum = [0u64; 2];
        for found in &above[BINS - NEAR..=BINS + NEAR] {
            add(&mut sum, *found);
        }
        for threshold in (1..=BINS).rev() {
            let found = Found {
                others: sum[0],
                right: sum[1],
                duplicates: WINDOW * self.duplicates,
            };
            each(threshold, found);
            add(&mut sum, at(threshold as isize - 1 - NEAR as isize));
            let gone = above[threshold + NEAR];
            sum[0] -= gone[0];
            sum[1] -= gone[1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by its definition.
    fn slow(pairs: &[(u16, bool)], threshold: usize) -> Found {
        let mut found = Found::default();
        for near in threshold as i64 - NEAR as i64..=threshold as i64 + NEAR as i64 {
            for &(bin, duplicate) in pairs {
                let above = i64::from(bin) >= near;
                found.right += u64::from(above && duplicate);
                found.others += u64::from(above && !duplicate);
                found.duplicates += u64::from(duplicate);
            }
        }
        found
    }

    #[test]
    fn sums_are_those_of_all_near_thresholds() {
        let pairs: Vec<(u16, bool)> = (0..200u16)
            .map(|n| ((n * 37) % 501, (n * 7) % 3 == 0))
            .chain([(0, true), (500, true), (500, false)])
            .collect();
        let histogram = Histogram::new(pairs.iter().copied());
        for threshold in [1, 2, NEAR, 100, 250, 475, 499, BINS] {
            assert_eq!(histogram.at(threshold), slow(&pairs, threshold));
        }
        let values = (1..=BINS).map(|threshold| slow(&pairs, threshold).f1());
        let best = values.fold(0.0, f64::max);
        assert_eq!(histogram.best().0, best);
    }

    #[test]
    fn bins_of_scores() {
        assert_eq!((bin(0.0), bin(0.65), bin(1.0)), (0, 325, 500));
        assert_eq!(bin(0.649_999_99), 325);
    }
}
