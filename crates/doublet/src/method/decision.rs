//! When a pair is a match, and when a text is a copy: decided here, and nowhere else.

use super::sentences::CopyRule;
use crate::scores::{Metric, Scores};
use crate::threshold::Threshold;

/// What makes two texts a match.
#[derive(Clone, Copy, Debug, PartialEq)]
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
