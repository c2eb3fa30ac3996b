//! How often a score is right: precision in bands of the score, and at the threshold.

use std::collections::HashMap;

use super::finder::Pair;

/// The paper's bands: twentieths from 0.5 to 1.
const BANDS: usize = 10;
/// Scores are printed with six digits and may lie that far above a bound.
const TOLERANCE: f64 = 1e-6;

/// What is known about pairs.
pub(crate) enum Truth {
    /// Some pairs were judged; of others nothing is known.
    Labels(HashMap<(u32, u32), bool>),
    /// Texts of the same family are duplicates, others not.
    Families(Vec<u32>),
}

impl Truth {
    /// Whether a pair is right, if that is known.
    fn judge(&self, pair: &Pair) -> Option<bool> {
        match self {
            Self::Labels(labels) => labels.get(&pair.key()).copied(),
            Self::Families(families) => {
                Some(families[pair.a as usize] == families[pair.b as usize])
            }
        }
    }

    /// How many pairs are right.
    fn right_pairs(&self) -> usize {
        match self {
            Self::Labels(labels) => labels.values().filter(|&&right| right).count(),
            Self::Families(families) => {
                let mut sizes: HashMap<u32, usize> = HashMap::new();
                for &family in families {
                    *sizes.entry(family).or_default() += 1;
                }
                sizes.values().map(|size| size * (size - 1) / 2).sum()
            }
        }
    }
}

/// Pairs with a score above `upper` - 0.05 and not above `upper`; 0.5 is in the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Band {
    pub(crate) upper: f64,
    pub(crate) pairs: usize,
    pub(crate) right: usize,
}

impl Band {
    /// None of no pairs.
    pub(crate) fn precision(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.right as f64 / self.pairs as f64)
    }
}

/// The pairs that were judged, by bands of their score from 0.55 to 1.
pub(crate) fn bands(pairs: &[Pair], truth: &Truth) -> Vec<Band> {
    let mut bands: Vec<Band> = (1..=BANDS)
        .map(|band| Band {
            upper: (50 + 5 * band) as f64 / 100.0,
            pairs: 0,
            right: 0,
        })
        .collect();
    for pair in pairs {
        let band = bands
            .iter_mut()
            .find(|band| pair.score <= band.upper + TOLERANCE);
        if let Some((band, right)) = band.zip(truth.judge(pair)) {
            band.pairs += 1;
            band.right += usize::from(right);
        }
    }
    bands
}

/// How good an answer is at a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quality {
    pub(crate) precision: f64,
    pub(crate) recall: f64,
}

impl Quality {
    pub(crate) fn f1(&self) -> f64 {
        let sum = self.precision + self.recall;
        if sum == 0.0 {
            0.0
        } else {
            2.0 * self.precision * self.recall / sum
        }
    }
}

/// Precision and recall of the pairs at or above the threshold, among those that were judged.
pub(crate) fn quality(pairs: &[Pair], truth: &Truth, threshold: f64) -> Quality {
    let found = pairs
        .iter()
        .filter(|pair| pair.score >= threshold - TOLERANCE);
    let judged: Vec<bool> = found.filter_map(|pair| truth.judge(pair)).collect();
    let right = judged.iter().filter(|&&right| right).count() as f64;
    Quality {
        precision: right / judged.len().max(1) as f64,
        recall: right / truth.right_pairs().max(1) as f64,
    }
}

/// The family of each of so many texts: those joined by links, directly or not. It is named by its first text.
pub(crate) fn families(texts: usize, links: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..texts as u32).collect();
    for (a, b) in links {
        let (a, b) = (root(&mut parents, a), root(&mut parents, b));
        parents[a.max(b) as usize] = a.min(b);
    }
    (0..texts as u32)
        .map(|text| root(&mut parents, text))
        .collect()
}

fn root(parents: &mut [u32], text: u32) -> u32 {
    let mut text = text;
    while parents[text as usize] != text {
        parents[text as usize] = parents[parents[text as usize] as usize];
        text = parents[text as usize];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs() -> Vec<Pair> {
        [
            (0, 1, 0.5),
            (0, 2, 0.55),
            (1, 2, 0.551),
            (3, 4, 0.65),
            (0, 3, 1.0),
        ]
        .map(|(a, b, score)| Pair::new(a, b, score))
        .to_vec()
    }

    #[test]
    fn bands_count_what_is_right() {
        let truth = Truth::Families(families(5, [(0, 1), (1, 2), (3, 4)].into_iter()));
        let bands = bands(&pairs(), &truth);
        let counts: Vec<(usize, usize)> = bands.iter().map(|b| (b.pairs, b.right)).collect();
        assert_eq!(counts[..4], [(2, 2), (1, 1), (1, 1), (0, 0)]);
        assert_eq!((counts[9], bands[9].upper), ((1, 0), 1.0));
        assert_eq!(bands[9].precision(), Some(0.0));
        assert_eq!(bands[3].precision(), None);
    }

    #[test]
    fn only_labelled_pairs_count() {
        let truth = Truth::Labels([((3, 4), true), ((0, 3), false), ((1, 4), true)].into());
        let quality = quality(&pairs(), &truth, 0.65);
        assert_eq!((quality.precision, quality.recall), (0.5, 0.5));
        assert_eq!(quality.f1(), 0.5);
        let counted: usize = bands(&pairs(), &truth).iter().map(|band| band.pairs).sum();
        assert_eq!(counted, 2);
    }

    #[test]
    fn families_hold_together_over_copies_of_copies() {
        let families = families(6, [(4, 5), (1, 4), (0, 2)].into_iter());
        assert_eq!(families, [0, 1, 0, 3, 1, 1]);
        assert_eq!(Truth::Families(families).right_pairs(), 4);
    }
}
