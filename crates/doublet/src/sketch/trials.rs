//! Simulated pairs of texts, for the tests of the estimators' laws.
//!
//! The seed of a sketch stays as it is and the fingerprints are drawn anew, for that is what happens in use: one seed, many
//! texts. Fixed seeds make every run the same.

use super::shuffle::Stream;

/// The text of the golden values: 100 multiples of the golden ratio.
pub(super) fn golden_text() -> Vec<u64> {
    (1..=100_u64)
        .map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .collect()
}

/// Pairs of texts with so many shingles in common, of so many in either.
pub(super) struct Trials {
    pub(super) common: usize,
    pub(super) union: usize,
    pub(super) count: usize,
}

impl Trials {
    /// The true resemblance of every pair.
    pub(super) fn resemblance(&self) -> f64 {
        self.common as f64 / self.union as f64
    }

    /// Variance of the share of common shingles in a sample of `size` drawn from the union without putting back.
    pub(super) fn sample_variance(&self, size: f64) -> f64 {
        let (j, union) = (self.resemblance(), self.union as f64);
        j * (1.0 - j) / size * (union - size) / (union - 1.0)
    }

    /// Estimates the resemblance of all pairs, and demands that the mean lies within four standard errors of the truth and
    /// the variance within 15 % of theory. Pairs without an estimate do not count.
    pub(super) fn check(
        &self,
        theory: f64,
        mut estimate: impl FnMut(&[u64], &[u64]) -> (u32, u32),
    ) {
        let mut stream = Stream::new(0xD0B1E7);
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for _ in 0..self.count {
            let shingles: Vec<u64> = (0..self.union).map(|_| stream.next()).collect();
            let split = self.common + (self.union - self.common) / 2;
            let b: Vec<u64> = [&shingles[..self.common], &shingles[split..]].concat();
            let (common, all) = estimate(&shingles[..split], &b);
            if all > 0 {
                let error = f64::from(common) / f64::from(all) - self.resemblance();
                (count, sum, squares) = (count + 1.0, sum + error, squares + error * error);
            }
        }
        let bias: f64 = sum / count;
        let variance = squares / count - bias * bias;
        let allowed = 4.0 * (theory / count).sqrt();
        assert!(bias.abs() <= allowed, "bias {bias}, allowed {allowed}");
        let ratio = variance / theory;
        assert!(
            (0.85..=1.15).contains(&ratio),
            "variance {variance}, theory {theory}"
        );
    }
}
