//! How long the texts are.

use hashbrown::HashMap;

use crate::normalize::class::{Class, ClassTable};

/// Characters of Han or Kana in a word, about: a Chinese word has one or two.
const IDEOGRAPHS_A_WORD: u64 = 2;
/// Characters of Thai and the like in a word, about.
const SIGNS_A_WORD: u64 = 4;

/// The lengths of all texts, each with its number of texts. Different lengths are few: a million words make at most 1,414 of them.
#[derive(Debug, Default)]
pub(super) struct Lengths(HashMap<u64, u64>);

/// What the lengths of texts come to. A tenth of the texts have at most `tenth`, and so on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quantiles {
    /// The shortest text.
    pub least: u64,
    /// A tenth of the texts have at most this.
    pub tenth: u64,
    /// Half of them do.
    pub median: u64,
    /// Nine tenths do.
    pub ninetieth: u64,
    /// The longest text.
    pub most: u64,
    /// The mean.
    pub mean: f64,
}

impl Lengths {
    pub(super) fn add(&mut self, length: u64) {
        *self.0.entry(length).or_insert(0) += 1;
    }

    pub(super) fn merge(&mut self, other: Self) {
        // A sum: the order does not show.
        let counts = other.0.into_iter();
        counts.for_each(|(length, texts)| *self.0.entry(length).or_insert(0) += texts);
    }

    pub(super) fn quantiles(&self) -> Quantiles {
        let mut counts: Vec<(u64, u64)> = self.0.iter().map(|(&l, &texts)| (l, texts)).collect();
        counts.sort_unstable();
        let texts: u64 = counts.iter().map(|(_, texts)| texts).sum();
        let (Some(least), Some(most)) = (counts.first(), counts.last()) else {
            return Quantiles::default();
        };
        let at = |percent: u64| {
            let mut left = (texts * percent).div_ceil(100);
            let reached = counts.iter().find(|(_, texts)| {
                let here = left <= *texts;
                left = left.saturating_sub(*texts);
                here
            });
            reached.map_or(0, |(length, _)| *length)
        };
        let sum: u128 = counts
            .iter()
            .map(|(l, n)| u128::from(*l) * u128::from(*n))
            .sum();
        Quantiles {
            least: least.0,
            tenth: at(10),
            median: at(50),
            ninetieth: at(90),
            most: most.0,
            mean: sum as f64 / texts as f64,
        }
    }
}

/// The words of a text, and its characters. Where words are not apart, their number is reckoned from the characters.
pub(super) fn words_and_characters(text: &str, tokens: u32) -> (u64, u64) {
    if text.is_ascii() {
        return (u64::from(tokens), text.len() as u64);
    }
    let table = ClassTable::get();
    let (mut words, mut ideographs, mut signs, mut characters) = (0, 0, 0, 0);
    let mut before = Class::Boundary;
    for c in text.chars() {
        characters += 1;
        let class = table.of(c);
        match class {
            Class::Ignorable => continue,
            Class::Ideograph => ideographs += 1,
            Class::Cluster => signs += 1,
            Class::Letter | Class::Number if class != before => words += 1,
            _ => {}
        }
        // A mark goes on with what is before it.
        if class != Class::Mark {
            before = class;
        }
    }
    let unspaced =
        u64::div_ceil(ideographs, IDEOGRAPHS_A_WORD) + u64::div_ceil(signs, SIGNS_A_WORD);
    (words + unspaced, characters)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_list(mut lengths in prop::collection::vec(0u64..40, 1..200), cut in 0usize..200) {
            let (a, b) = lengths.split_at(cut.min(lengths.len()));
            let [mut all, other] = [a, b].map(|part| {
                let mut tally = Lengths::default();
                part.iter().for_each(|length| tally.add(*length));
                tally
            });
            all.merge(other);
            let found = all.quantiles();
            lengths.sort_unstable();
            let at = |percent: usize| lengths[(lengths.len() * percent).div_ceil(100) - 1];
            prop_assert_eq!(found.least, lengths[0]);
            prop_assert_eq!(found.tenth, at(10));
            prop_assert_eq!(found.median, at(50));
            prop_assert_eq!(found.ninetieth, at(90));
            prop_assert_eq!(found.most, lengths[lengths.len() - 1]);
        }

        #[test]
        fn any_text_has_a_length(text in "\\PC*") {
            let (_, characters) = words_and_characters(&text, 0);
            prop_assert_eq!(characters, text.chars().count() as u64);
        }
    }

    #[test]
    fn words_of_all_kinds() {
        for (text, words) in [
            ("", 0),
            ("Straße 17, groß", 3),
            ("今天天气很好", 3),
            ("é\r\nö", 2),
            ("e\u{301}e\u{301} o", 2),
            ("สวัสดีครับ", 3),
            ("👍👍", 0),
        ] {
            assert_eq!(words_and_characters(text, 0).0, words, "{text}");
        }
        assert_eq!(words_and_characters("plain words", 2), (2, 11));
    }
}
