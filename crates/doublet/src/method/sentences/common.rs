//! Common words: those that stand in so many texts that they say nothing about a sentence.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::hash::hash_bytes;
use crate::method::sentences::ENOUGH_TEXTS;
use crate::method::sentences::words::{WordCutter, WordScratch};
use crate::method::terms::background::documents_of_words;
use crate::method::terms::vocabulary::{Counted, merge};
use crate::names::written_as_given;
use crate::options::NormalizeOptions;
use crate::segment::WordSet;
use crate::segment::terms::{Language, frequent_languages, function_words};

/// Megabytes of a collection that are read to count words, about.
const COUNTED: u64 = 64;

/// From which document frequency on a word is common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cutoff {
    /// Above this share of the texts.
    Share(f64),
    /// Above this number of texts.
    Count(u64),
    /// None is.
    Off,
}

written_as_given!(Cutoff);

impl Default for Cutoff {
    fn default() -> Self {
        Self::Share(0.2)
    }
}

impl Cutoff {
    /// One part in so many of a collection of so many bytes is counted.
    pub(crate) fn every(given: Option<Self>, bytes: u64) -> u64 {
        match given {
            // A sample is too coarse for a small number of texts.
            Some(Self::Count(_)) => 1,
            _ => ((bytes >> 20) / COUNTED).max(1),
        }
    }

    /// Whether a word of so many out of all texts is common.
    pub fn exceeded(self, documents: u64, texts: u64) -> bool {
        match self {
            Self::Share(share) => documents as f64 > share * texts as f64,
            Self::Count(count) => documents > count,
            Self::Off => false,
        }
    }
}

impl FromStr for Cutoff {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refuse = || {
            Error::Option {
            option: "df-cutoff",
            value: text.to_owned(),
            expected: "give a share of the texts below 1 such as 0.05, a number of texts such as 5000, or off"
                .to_owned(),
        }
        };
        if text == "off" {
            return Ok(Self::Off);
        }
        if let Ok(count @ 1..) = text.parse() {
            return Ok(Self::Count(count));
        }
        match text.parse() {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Self::Share(share)),
            _ => Err(refuse()),
        }
    }
}

impl fmt::Display for Cutoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(share) => write!(f, "{share}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Off => f.write_str("off"),
        }
    }
}

/// Words that turn a sentence into its opposite, in the languages that have lists of function words.
const NEGATIONS: [&str; 48] = [
    "no", "not", "nor", "never", "none", "without", "cannot", "nicht", "kein", "keine", "keinen",
    "keiner", "keinem", "nie", "ohne", "ne", "pas", "jamais", "sans", "sin", "nunca", "não", "nem",
    "sem", "niet", "geen", "nooit", "zonder", "non", "mai", "senza", "не", "нет", "ни", "без",
    "nie", "bez", "inte", "ikke", "ej", "ei", "değil", "不", "没", "没有", "不是", "안", "못",
];

/// The common words, by their normal forms.
#[derive(Clone, Debug, Default)]
pub struct CommonWords {
    forms: Vec<String>,
    set: WordSet,
}

impl CommonWords {
    /// These words, which are normal forms already, but for numbers and negations: without them a sentence says something else.
    pub fn new(mut forms: Vec<String>) -> Self {
        let is_number = |form: &str| form.starts_with(char::is_numeric);
        forms.retain(|form| !is_number(form) && !NEGATIONS.contains(&form.as_str()));
        forms.sort_unstable();
        forms.dedup();
        let hashes = forms.iter().map(|form| hash_bytes(form.as_bytes()));
        Self {
            set: WordSet::new(hashes.collect()),
            forms,
        }
    }

    /// The function words of these languages; for collections too small to count.
    pub fn function_words(normalize: &NormalizeOptions, languages: &[Language]) -> Self {
        let cutter = WordCutter::new(normalize);
        let (mut forms, mut scratch) = (Vec::new(), WordScratch::default());
        for word in languages
            .iter()
            .flat_map(|&language| function_words(language))
        {
            let start = forms.len();
            cutter.words(word, &mut scratch, |word| {
                let mut form = Vec::new();
                word.push_form(&mut form);
                forms.push(String::from_utf8_lossy(&form).into_owned());
            });
            // Of a contraction only the short part is common: the `t` of `won't`, not the `won`.
            if forms.len() > start + 1 {
                let parts = forms.split_off(start);
                forms.extend(parts.into_iter().filter(|part| part.chars().count() <= 2));
            }
        }
        Self::new(forms)
    }

    /// The words that were counted in more texts than the cut-off allows.
    pub fn of_counted(parts: &[Counted], cutoff: Cutoff) -> Self {
        let texts = parts.iter().map(|part| part.texts).sum();
        let orders: Vec<Vec<u32>> = parts.iter().map(Counted::sorted).collect();
        let mut forms = Vec::new();
        merge(parts, &orders, |form, _, documents, _, _| {
            if cutoff.exceeded(documents, texts) {
                forms.push(form.to_owned());
            }
        });
        Self::new(forms)
    }

    /// The common words of texts that were counted, given the languages of some: those above the cut-off; without one, texts too
    /// few to count have their function words for common ones.
    pub(crate) fn learned(
        parts: &[Counted],
        languages: &[Language],
        normalize: &NormalizeOptions,
        cutoff: Option<Cutoff>,
    ) -> Self {
        let texts: u64 = parts.iter().map(|part| part.texts).sum();
        if cutoff.is_none() && texts < ENOUGH_TEXTS {
            return Self::function_words(normalize, &frequent_languages(languages));
        }
        Self::of_counted(parts, cutoff.unwrap_or_default())
    }

    /// The words that a table made by `doublet background --method sentences` has in more texts than the cut-off allows.
    ///
    /// # Errors
    /// When the table cannot be read, is damaged, or was made with other options.
    pub fn of_table(path: &Path, options: &str, cutoff: Cutoff) -> Result<Self> {
        let mut forms = Vec::new();
        let mut counts = Vec::new();
        let totals = documents_of_words(path, options, |form, documents| {
            // The total is known at the end only; a word of one text is never common.
            if documents > 1 && cutoff != Cutoff::Off {
                forms.push(form.to_owned());
                counts.push(documents);
            }
        })?;
        let common = forms.into_iter().zip(counts);
        let common = common.filter(|(_, documents)| cutoff.exceeded(*documents, totals.texts));
        Ok(Self::new(common.map(|(form, _)| form).collect()))
    }

    /// Whether the word of this hash is one of them.
    #[inline(always)]
    pub fn contains(&self, hash: u64) -> bool {
        self.set.contains(hash)
    }

    /// The words, in order.
    pub fn forms(&self) -> &[String] {
        &self.forms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutoffs_are_shares_or_counts() {
        assert_eq!("0.05".parse::<Cutoff>().unwrap(), Cutoff::Share(0.05));
        assert_eq!("5000".parse::<Cutoff>().unwrap(), Cutoff::Count(5000));
        assert_eq!("off".parse::<Cutoff>().unwrap(), Cutoff::Off);
        for bad in ["", "0", "-1", "1.5", "nan", "many", "0.0"] {
            assert!(bad.parse::<Cutoff>().is_err(), "{bad}");
        }
        assert!(Cutoff::Share(0.6).exceeded(61, 100) && !Cutoff::Share(0.6).exceeded(60, 100));
        assert!(Cutoff::Count(3).exceeded(4, 4) && !Cutoff::Count(3).exceeded(3, 4));
    }

    #[test]
    fn function_words_are_common_and_others_are_not() {
        let languages = [Language::English, Language::German, Language::Chinese];
        let words = CommonWords::function_words(&NormalizeOptions::default(), &languages);
        let contains = |word: &str| words.contains(hash_bytes(word.as_bytes()));
        for word in ["to", "some", "on", "for", "der", "und", "的", "t"] {
            assert!(contains(word), "{word}");
        }
        for word in [
            "reveal", "rules", "security", "internet", "u", "haus", "not", "kein", "不", "3",
        ] {
            assert!(!contains(word), "{word}");
        }
    }
}
