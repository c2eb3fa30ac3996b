//! A small random number generator of our own, so that a seed gives the same bytes on every machine.
//!
//! xoshiro256++, seeded through splitmix64 as its authors advise. Everything is integer arithmetic or
//! IEEE addition, multiplication and division: no library function whose last digit may differ.

/// One stream of random numbers.
pub(crate) struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream number `stream` of a seed; two streams are independent of each other.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut mixer = mix(seed).wrapping_add(stream);
        let mut next = || {
            mixer = mixer.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mix(mixer)
        };
        Self {
            state: [next(), next(), next(), next()],
        }
    }

    pub(crate) fn next(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `bound`; 0 if the bound is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 to 1, 1 excluded.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Nearly normal, mean 0 and deviation 1: the sum of twelve uniform numbers, less six.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// Log-normal with the given mean; `sigma` is the deviation of the logarithm.
    pub(crate) fn log_normal(&mut self, mean: f64, sigma: f64) -> f64 {
        mean * exp(sigma * self.normal() - sigma * sigma / 2.0)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// The splitmix64 finaliser.
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// e to the power of x by repeated squaring: near enough, and the same on every machine.
fn exp(x: f64) -> f64 {
    let mut power = 1.0 + x / 65536.0;
    for _ in 0..16 {
        power *= power;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        let mut random = Random::new(1, 2);
        let again = Random::new(1, 2).next();
        assert_eq!(random.next(), again);
        assert_ne!(Random::new(1, 3).next(), again);
        assert_ne!(Random::new(2, 2).next(), again);
    }

    #[test]
    fn log_normal_has_the_mean_asked_for() {
        let mut random = Random::new(7, 0);
        let sum: f64 = (0..20_000).map(|_| random.log_normal(190.0, 0.5)).sum();
        let mean = sum / 20_000.0;
        assert!((mean - 190.0).abs() < 3.0, "{mean}");
    }

    #[test]
    fn below_stays_below() {
        let mut random = Random::new(3, 0);
        assert!((0..1000).all(|_| random.below(7) < 7));
        assert_eq!(random.below(0), 0);
    }
}
