//! When a text may be removed for another that it matches.
//!
//! A match is not always enough: with a one-sided metric a text also matches a much longer one that contains it, and the longer
//! one must not be removed for it. And a removal may lose words: those of the removed text outside the passages that the kept
//! text shares.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::method::Decision;
use crate::names::written_as_given;
use crate::scores::Scores;
use crate::threshold::Threshold;

/// When a text may be removed for another that it matches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemovalRule {
    /// What makes a match. With a one-sided metric, the kept text must contain enough of the removed one.
    pub decision: Decision,
    /// How much the removal may lose; `None`: any number of words.
    pub most_lost: Option<MostLost>,
}

impl RemovalRule {
    /// Whether one text of a match may be removed, given the counts seen from the other, which is kept.
    pub fn allows(&self, scores: &Scores) -> bool {
        self.decision.allows_removal(scores)
            && self
                .most_lost
                .is_none_or(|most| most.allows_removal(scores))
    }

    /// Whether a match alone is not enough.
    pub(crate) fn asks_more_than_a_match(&self) -> bool {
        self.decision.metric.is_one_sided() || self.most_lost.is_some()
    }
}

/// The words of a removed text that are in no passage shared with the kept text, given the counts seen from the kept one.
/// `None` when only sketches or fingerprints were compared.
pub fn lost_words(scores: &Scores) -> Option<u32> {
    (scores.compared == 0).then(|| scores.tokens_b.saturating_sub(scores.covered_b))
}

/// How much a removal may lose at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MostLost {
    /// A number of words.
    Words(u32),
    /// A share of the words of the removed text.
    Share(Threshold),
}

written_as_given!(MostLost);

impl MostLost {
    /// Whether a text of `words` words may be removed when it loses `lost` of them.
    pub fn allows(self, lost: u32, words: u32) -> bool {
        match self {
            Self::Words(most) => lost <= most,
            Self::Share(most) => !most.exceeded(lost.into(), words.into()),
        }
    }

    /// Whether a text may be removed, given the counts seen from the kept one, as far as these tell.
    pub(crate) fn allows_removal(self, scores: &Scores) -> bool {
        lost_words(scores).is_none_or(|lost| self.allows(lost, scores.tokens_b))
    }
}

impl FromStr for MostLost {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let words = text.parse().ok().map(Self::Words);
        // 1.0 could be meant as a word or as the whole text.
        let share = || {
            let share: Threshold = text.parse().ok()?;
            (text.contains(['.', 'e']) && share.value() < 1.0).then_some(Self::Share(share))
        };
        let zero = || (text.parse() == Ok(0.0)).then_some(Self::Words(0));
        words
            .or_else(zero)
            .or_else(share)
            .ok_or_else(|| Error::Option {
                option: "max-lost",
                value: text.to_owned(),
                expected: "give a number of words, such as 10, or a share of the removed text below 1, such as 0.05".to_owned(),
            })
    }
}

impl fmt::Display for MostLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(most) => most.fmt(f),
            // With a point, so that it is read as a share again.
            Self::Share(most) => write!(f, "{:?}", most.value()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_shares_are_told_apart_by_the_point() {
        let parse = |text: &str| text.parse::<MostLost>().unwrap();
        assert_eq!(parse("0"), MostLost::Words(0));
        assert_eq!(parse("0.0"), MostLost::Words(0));
        assert_eq!(parse("12"), MostLost::Words(12));
        assert_eq!(
            parse("0.05"),
            MostLost::Share(Threshold::new(0.05).unwrap())
        );
        for text in ["", "-1", "1.0", "1.5", "many", "5%"] {
            assert!(text.parse::<MostLost>().is_err(), "{text}");
        }
        for text in ["0", "12", "0.05"] {
            assert_eq!(parse(text).to_string(), text);
        }
    }

    #[test]
    fn a_share_is_of_the_removed_text() {
        let share = MostLost::Share(Threshold::new(0.1).unwrap());
        assert!(share.allows(2, 20));
        assert!(!share.allows(3, 20));
        assert!(MostLost::Words(0).allows(0, 20));
        assert!(!MostLost::Words(0).allows(1, 2000));
    }
}
