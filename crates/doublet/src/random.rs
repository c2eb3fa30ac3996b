//! Random numbers that are the same on every machine: SplitMix64, and the distributions that estimates are drawn from.

use std::f64::consts::TAU;

/// Variance above which a binomial number is drawn from the normal distribution, which then is as good.
const NORMAL: f64 = 30.0;

/// Random numbers (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Above 0 and at most 1.
    pub(crate) fn share(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// A number of the standard normal distribution.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.share().ln()).sqrt();
        radius * (TAU * self.share()).cos()
    }

    /// A number of the Poisson distribution of this mean; past 50 by the normal one, which then is as good.
    pub(crate) fn poisson(&mut self, mean: f64) -> f64 {
        if mean > 50.0 {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0);
        }
        let least = (-mean).exp();
        let (mut product, mut count) = (self.share(), 0.0);
        while product > least {
            product *= self.share();
            count += 1.0;
        }
        count
    }

    /// A number of the gamma distribution of this shape, at least 1, and scale 1 (Marsaglia and Tsang, 2000).
    fn gamma(&mut self, shape: f64) -> f64 {
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.share().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }

    /// A number of the beta distribution of these whole parameters; with a parameter of 0, the end that it degenerates to.
    pub(crate) fn beta(&mut self, a: u64, b: u64) -> f64 {
        match (a, b) {
            (0, _) => 0.0,
            (_, 0) => 1.0,
            (a, b) => {
                let x = self.gamma(a as f64);
                x / (x + self.gamma(b as f64))
            }
        }
    }

    /// Successes in `trials` trials that each succeed with probability `share`.
    pub(crate) fn binomial(&mut self, trials: u64, share: f64) -> u64 {
        if share > 0.5 {
            return trials - self.binomial(trials, 1.0 - share);
        }
        if share <= 0.0 || trials == 0 {
            return 0;
        }
        let mean = trials as f64 * share;
        let variance = mean * (1.0 - share);
        if variance > NORMAL {
            let drawn = mean + variance.sqrt() * self.normal();
            return (drawn.round().max(0.0) as u64).min(trials);
        }
        // From success to success, over the failures in between.
        let failure = (-share).ln_1p();
        let (mut at, mut count) = (0.0, 0);
        loop {
            at += (self.share().ln() / failure).floor() + 1.0;
            if at > trials as f64 {
                return count;
            }
            count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of what is drawn.
    fn moments(draw: impl FnMut() -> f64) -> (f64, f64) {
        let drawn: Vec<f64> = std::iter::repeat_with(draw).take(20_000).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let squares = drawn.iter().map(|x| (x - mean).powi(2));
        (mean, squares.sum::<f64>() / drawn.len() as f64)
    }

    #[test]
    fn poisson_numbers_have_mean_and_variance_alike() {
        let mut random = Random::new(7);
        for mean in [0.5, 1.0, 20.0, 200.0] {
            let (average, variance) = moments(|| random.poisson(mean));
            assert!((average / mean - 1.0).abs() < 0.03, "{mean}: {average}");
            assert!((variance / mean - 1.0).abs() < 0.06, "{mean}: {variance}");
        }
    }

    #[test]
    fn beta_numbers_have_the_mean_and_variance_of_theory() {
        let mut random = Random::new(7);
        for (a, b) in [(1, 1), (1, 20), (3, 7), (40, 2), (500, 500)] {
            let (mean, variance) = moments(|| random.beta(a, b));
            let (a, b) = (a as f64, b as f64);
            let (m, v) = (a / (a + b), a * b / ((a + b).powi(2) * (a + b + 1.0)));
            assert!((mean / m - 1.0).abs() < 0.03, "{a} {b}: {mean} {m}");
            assert!((variance / v - 1.0).abs() < 0.06, "{a} {b}: {variance} {v}");
        }
        assert_eq!((random.beta(0, 3), random.beta(3, 0)), (0.0, 1.0));
    }

    #[test]
    fn binomial_numbers_have_the_mean_and_variance_of_theory() {
        let mut random = Random::new(7);
        for (n, p) in [(10, 0.3), (1000, 0.002), (1000, 0.4), (50, 0.95)] {
            let (mean, variance) = moments(|| random.binomial(n, p) as f64);
            let (m, v) = (n as f64 * p, n as f64 * p * (1.0 - p));
            assert!((mean / m - 1.0).abs() < 0.03, "{n} {p}: {mean} {m}");
            assert!((variance / v - 1.0).abs() < 0.06, "{n} {p}: {variance} {v}");
        }
        assert_eq!(random.binomial(5, 0.0), 0);
        assert_eq!(random.binomial(5, 1.0), 5);
    }
}
