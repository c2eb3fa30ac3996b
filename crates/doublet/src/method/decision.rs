//! When a pair is a match, and when a text is a copy: decided here, and nowhere else.

use serde::{Deserialize, Serialize};

use super::sentences::CopyRule;
use crate::scores::{Metric, Scores};
use crate::threshold::Threshold;

/// What makes two texts a match.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// What the score is.
    pub metric: Metric,
    /// The least score of a match.
    pub threshold: Threshold,
    /// Where sentences are compared: how many of them make a match, whatever the score.
    pub copies: Option<CopyRule>,
    /// Whether only the share of the first text counts, because texts are compared with references.
    pub one_way: bool,
}

impl Decision {
    /// Whether two texts of these scores are a match.
    pub fn is_match(&self, scores: &Scores) -> bool {
        let share = match self.one_way {
            true => (scores.covered_a.into(), scores.tokens_a.into()),
            false => scores.fraction(self.metric),
        };
        self.is_met(scores.common, share)
    }

    /// Whether enough of the second text is in the first for its removal. With a one-sided metric a match is not always enough.
    pub fn allows_removal(&self, scores: &Scores) -> bool {
        !self.metric.is_one_sided()
            || self.is_met(scores.common, scores.removal_fraction(self.metric))
    }

    /// Whether a text is a copy of which this many distinct sentences, with this share of the words that count, were found.
    pub fn is_copy(&self, sentences: u32, share: (u64, u64)) -> bool {
        self.is_met(sentences, share)
    }

    /// Whether this number of common sentences is enough, whatever the score.
    pub fn is_enough(&self, common: u32) -> bool {
        let least = self.copies.and_then(|rule| rule.sentences);
        least.is_some_and(|least| common >= least)
    }

    /// The least score that a match can have.
    pub fn least_score(&self) -> f64 {
        match self.copies.and_then(|rule| rule.sentences) {
            Some(_) => 0.0,
            None => self.threshold.value(),
        }
    }

    fn is_met(&self, common: u32, (part, whole): (u64, u64)) -> bool {
        self.is_enough(common) || (part > 0 && self.threshold.reached(part, whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(metric: Metric, sentences: Option<u32>, one_way: bool) -> Decision {
        Decision {
            metric,
            threshold: Threshold::new(0.5).unwrap(),
            copies: Some(CopyRule {
                sentences,
                ..CopyRule::default()
            }),
            one_way,
        }
    }

    /// A short text within one five times as long.
    const WITHIN: Scores = Scores {
        common: 2,
        distinct_a: 10,
        distinct_b: 2,
        covered_a: 20,
        covered_b: 20,
        tokens_a: 100,
        tokens_b: 20,
        compared: 0,
        weights: crate::scores::Weights {
            common: 0,
            a: 0,
            b: 0,
        },
    };

    #[test]
    fn the_larger_direction_matches_and_the_kept_text_must_contain_the_removed_one() {
        for metric in [Metric::Containment, Metric::ContainmentCoverage] {
            let decision = decide(metric, None, false);
            assert!(decision.is_match(&WITHIN) && decision.is_match(&WITHIN.swapped()));
            assert!(decision.allows_removal(&WITHIN));
            assert!(!decision.allows_removal(&WITHIN.swapped()));
        }
        let coverage = decide(Metric::Coverage, None, false);
        assert!(!coverage.is_match(&WITHIN) && coverage.allows_removal(&WITHIN));
    }

    #[test]
    fn against_references_only_the_share_of_the_text_counts() {
        let decision = decide(Metric::ContainmentCoverage, None, true);
        assert!(!decision.is_match(&WITHIN));
        assert!(decision.is_match(&WITHIN.swapped()));
    }

    #[test]
    fn enough_sentences_match_whatever_their_share() {
        let decision = decide(Metric::Resemblance, Some(2), false);
        assert!(decision.is_match(&WITHIN));
        assert_eq!(decision.least_score(), 0.0);
        let more = decide(Metric::Resemblance, Some(3), false);
        assert!(!more.is_match(&WITHIN) && more.is_enough(3));
        assert_eq!(decide(Metric::Resemblance, None, false).least_score(), 0.5);
        assert!(!decide(Metric::Resemblance, None, false).is_match(&Scores::default()));
    }
}
