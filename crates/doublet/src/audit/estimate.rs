//! The share of wrong removals, with an interval, from the answers about a stratified sample.
//!
//! A stratum whose wrong removals make up the share `p` of its sample counts `p` times its size. The interval combines one
//! distribution for each stratum: after `k` wrong of `n`, the rate follows Beta(k, n − k), and the unjudged removals are
//! wrong at that rate, so that a stratum of which everything was judged adds no uncertainty. One more wrong answer makes the upper
//! distribution, and one more right answer the lower, each in the stratum where it changes the estimate most. With a single
//! stratum these are the exact limits (Clopper and Pearson; hypergeometric where the sample is a large part); with several, what
//! Fay and Feuer (1997) do for rates, where the same stratum serves both ends: shares have an upper limit too, and of a stratum
//! with only wrong answers only one more right answer shows how little is known. The ends are the 2.5 % and 97.5 % quantiles of
//! both together, which is the mid-P correction: with no wrong answer among `n`, the upper end is 3/n.

use crate::random::Random;

/// Draws from each of the two distributions.
const DRAWS: usize = if cfg!(test) { 1000 } else { 20_000 };
/// The share of the draws that lies within the interval.
const WITHIN: f64 = 0.95;
/// The random seed: the same answers give the same interval.
const SEED: u64 = 95;

/// The answers about one stratum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Removals in the stratum.
    pub removals: u64,
    /// Sampled ones that were right to remove.
    pub right: u64,
    /// Sampled ones that were wrong to remove.
    pub wrong: u64,
    /// Sampled ones that the reviewer could not decide. The estimate leaves them out.
    pub unsure: u64,
}

impl Tally {
    /// Answers that are right or wrong.
    pub fn judged(&self) -> u64 {
        self.right + self.wrong
    }

    /// The same, had every undecided removal been wrong.
    pub fn with_unsure_wrong(self) -> Self {
        Self {
            wrong: self.wrong + self.unsure,
            unsure: 0,
            ..self
        }
    }

    /// The same, had every undecided removal been right.
    pub fn with_unsure_right(self) -> Self {
        Self {
            right: self.right + self.unsure,
            unsure: 0,
            ..self
        }
    }

    /// Removals not judged.
    fn unseen(&self) -> u64 {
        self.removals.saturating_sub(self.judged())
    }

    /// How much the estimate changes with one more wrong answer, or with one more right one.
    fn effect(&self, is_wrong: bool) -> f64 {
        let others = if is_wrong { self.right } else { self.wrong };
        let judged = self.judged() as f64;
        match self.judged() {
            0 => 0.0,
            _ => self.unseen() as f64 * others as f64 / (judged * (judged + 1.0)),
        }
    }
}

/// A share of the removals with its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// The estimate.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The share of wrong removals among all removals of these strata and some more that are known to be right; nothing without an
/// answer.
///
/// A stratum of which nothing was judged counts as the average of the others; its removals may be all right or all wrong.
pub fn wrong_share(strata: &[Tally], known_right: u64) -> Option<Share> {
    let open: u64 = strata.iter().map(|stratum| stratum.removals).sum();
    if open == 0 && known_right > 0 {
        return Some(Share::default());
    }
    let removals = (open + known_right) as f64;
    let value = point(strata)? * open as f64 / removals;
    if strata.iter().all(|stratum| stratum.unseen() == 0) {
        let (low, high) = (value, value);
        return Some(Share { value, low, high });
    }
    let mut random = Random::new(SEED);
    let added = [false, true].map(|is_wrong| most_effective(strata, is_wrong));
    let mut drawn = Vec::with_capacity(2 * DRAWS);
    for _ in 0..DRAWS {
        for is_upper in [false, true] {
            let added = added[usize::from(is_upper)];
            let wrong = draw(strata, added, is_upper, &mut random);
            drawn.push(wrong as f64 / removals);
        }
    }
    drawn.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| drawn[(share * (drawn.len() - 1) as f64).round() as usize];
    Some(Share {
        value,
        low: at((1.0 - WITHIN) / 2.0).min(value),
        high: at((1.0 + WITHIN) / 2.0).max(value),
    })
}

/// The estimate without its interval.
fn point(strata: &[Tally]) -> Option<f64> {
    let (mut wrong, mut removals) = (0.0, 0.0);
    for stratum in strata.iter().filter(|stratum| stratum.judged() > 0) {
        let size = stratum.removals as f64;
        wrong += size * stratum.wrong as f64 / stratum.judged() as f64;
        removals += size;
    }
    (removals > 0.0).then(|| wrong / removals)
}

/// The stratum in which one more answer changes the estimate most, if it does in any.
fn most_effective(strata: &[Tally], is_wrong: bool) -> Option<usize> {
    let effect = |at: usize| strata[at].effect(is_wrong);
    let open = (0..strata.len()).filter(|&at| effect(at) > 0.0);
    open.max_by(|&a, &b| effect(a).total_cmp(&effect(b)))
}

/// A number of wrong removals, drawn from the upper or the lower distribution.
fn draw(strata: &[Tally], added: Option<usize>, is_upper: bool, random: &mut Random) -> u64 {
    let mut all = 0;
    for (at, stratum) in strata.iter().enumerate() {
        let (wrong, right) = match added == Some(at) {
            true if is_upper => (stratum.wrong + 1, stratum.right),
            true => (stratum.wrong, stratum.right + 1),
            false => (stratum.wrong, stratum.right),
        };
        all += match stratum.judged() {
            0 if is_upper => stratum.removals,
            0 => 0,
            _ => {
                let rate = random.beta(wrong, right);
                stratum.wrong + random.binomial(stratum.unseen(), rate)
            }
        };
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tally(removals: u64, right: u64, wrong: u64) -> Tally {
        Tally {
            removals,
            right,
            wrong,
            unsure: 0,
        }
    }

    /// Wrong ones in a sample without replacement.
    fn sampled(random: &mut Random, size: u64, wrong: u64, sample: u64) -> u64 {
        let (mut left, mut bad, mut found) = (size, wrong, 0);
        for _ in 0..sample {
            let hit = random.share() * left as f64 <= bad as f64;
            found += u64::from(hit);
            bad -= u64::from(hit);
            left -= 1;
        }
        found
    }

    /// How often the interval holds the true share when strata of (removals, wrong, sampled) are sampled again and again.
    fn coverage(strata: &[(u64, u64, u64)], rounds: u32) -> f64 {
        let mut random = Random::new(3);
        let size: u64 = strata.iter().map(|stratum| stratum.0).sum();
        let wrong: u64 = strata.iter().map(|stratum| stratum.1).sum();
        let truth = wrong as f64 / size as f64;
        let mut held = 0;
        for _ in 0..rounds {
            let tallies: Vec<Tally> = strata
                .iter()
                .map(|&(size, wrong, sample)| {
                    let found = sampled(&mut random, size, wrong, sample);
                    tally(size, sample - found, found)
                })
                .collect();
            let share = wrong_share(&tallies, 0).unwrap();
            let within = share.low - 1e-9 <= truth && truth <= share.high + 1e-9;
            held += u32::from(within);
        }
        f64::from(held) / f64::from(rounds)
    }

    #[test]
    fn the_interval_holds_the_true_share_in_95_of_100_samples() {
        let mut shares = Vec::new();
        for strata in [
            // Few are wrong, most of them where they are looked for.
            &[(400, 20, 20), (400, 4, 20), (400, 0, 20), (800, 0, 40)][..],
            &[(400, 8, 20), (400, 8, 20), (400, 8, 20), (800, 16, 40)],
            // None where they are looked for.
            &[(2000, 0, 20), (2000, 0, 20), (2000, 0, 20), (4000, 160, 40)],
            // Many.
            &[(400, 240, 20), (400, 120, 20), (400, 40, 20), (800, 40, 40)],
            &[
                (400, 200, 20),
                (400, 200, 20),
                (400, 200, 20),
                (800, 400, 40),
            ],
            // Nearly all.
            &[
                (400, 380, 20),
                (400, 380, 20),
                (400, 380, 20),
                (800, 760, 40),
            ],
            // Samples that are most of it, and one that is all of it.
            &[(30, 3, 20), (30, 3, 20), (30, 3, 20), (60, 6, 40)],
            &[(50, 15, 8), (5, 2, 5), (200, 10, 20), (745, 8, 67)],
            // Nearly all of one stratum, hardly any of the others; and the reverse.
            &[(99, 94, 20), (99, 2, 20), (30, 0, 7), (264, 2, 53)],
            &[(99, 96, 20), (99, 0, 20), (30, 0, 7), (264, 0, 53)],
            &[(99, 97, 20), (99, 97, 20), (30, 1, 7), (264, 1, 53)],
            &[(99, 5, 20), (99, 97, 20), (30, 30, 7), (264, 262, 53)],
            &[(99, 0, 20), (99, 0, 20), (30, 0, 7), (264, 8, 53)],
            // One stratum, and a small sample.
            &[(1000, 50, 100)],
            &[(1000, 50, 8), (1000, 50, 8), (2000, 100, 16)],
        ] {
            let found = coverage(strata, 300);
            // Two standard errors of 300 rounds below 0.95 are 0.925.
            assert!(found > 0.915, "{found} {strata:?}");
            shares.push(found);
        }
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        assert!((0.94..0.99).contains(&mean), "{mean}: {shares:?}");
    }

    #[test]
    fn with_no_wrong_answer_the_upper_end_is_three_by_n() {
        let one = wrong_share(&[tally(100_000, 100, 0)], 0).unwrap();
        assert_eq!((one.value, one.low), (0.0, 0.0));
        assert!((0.027..0.033).contains(&one.high), "{one:?}");
        let strata = [20, 20, 20, 40].map(|sample| tally(1000 * sample, sample, 0));
        let four = wrong_share(&strata, 0).unwrap();
        assert_eq!((four.value, four.low), (0.0, 0.0));
        assert!((0.025..0.033).contains(&four.high), "{four:?}");
        // Half of the removals are known to be right.
        let half = wrong_share(&[tally(100_000, 100, 0)], 100_000).unwrap();
        assert!((half.high - one.high / 2.0).abs() < 0.002, "{half:?}");
    }

    #[test]
    fn one_stratum_has_the_limits_of_the_textbook() {
        // Mid-P limits of 5 of 100: 0.0185 and 0.1081.
        let share = wrong_share(&[tally(10_000_000, 95, 5)], 0).unwrap();
        assert!((share.low - 0.0185).abs() < 0.003, "{share:?}");
        assert!((share.high - 0.1081).abs() < 0.006, "{share:?}");
    }

    #[test]
    fn what_was_all_judged_is_known() {
        let share = wrong_share(&[tally(10, 8, 2), tally(10, 10, 0)], 0).unwrap();
        assert_eq!((share.value, share.low, share.high), (0.1, 0.1, 0.1));
        assert_eq!(wrong_share(&[], 0), None);
        assert_eq!(wrong_share(&[tally(10, 0, 0)], 90), None);
    }

    #[test]
    fn a_stratum_without_an_answer_may_be_all_right_or_all_wrong() {
        let share = wrong_share(&[tally(800, 600, 200), tally(100, 0, 0)], 100).unwrap();
        assert_eq!((share.value, share.low, share.high), (0.225, 0.2, 0.3));
    }

    #[test]
    fn undecided_removals_lie_between_right_and_wrong() {
        let stratum = Tally {
            unsure: 10,
            ..tally(1000, 85, 5)
        };
        let value = |tally| wrong_share(&[tally], 0).unwrap().value;
        assert!(value(stratum.with_unsure_right()) < value(stratum));
        assert!(value(stratum) < value(stratum.with_unsure_wrong()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_estimate_lies_in_its_interval(
            strata in proptest::collection::vec((0u64..500, 0u64..30, 0u64..30, 0u64..5), 1..6),
        ) {
            let tallies: Vec<Tally> = strata
                .iter()
                .map(|&(more, right, wrong, unsure)| Tally {
                    removals: right + wrong + unsure + more,
                    right,
                    wrong,
                    unsure,
                })
                .collect();
            if let Some(share) = wrong_share(&tallies, 0) {
                prop_assert!(0.0 <= share.low && share.low <= share.value);
                prop_assert!(share.value <= share.high && share.high <= 1.0);
                prop_assert_eq!(wrong_share(&tallies, 0), Some(share));
            }
        }
    }
}
