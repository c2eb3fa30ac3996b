//! Stop-word lists that come with the library, by language code.

use crate::error::{Error, Result};

macro_rules! lists {
    ($($code:literal)*) => {
        /// The languages that have a list, by ISO 639-1 code.
        pub const LANGUAGES: &[&str] = &[$($code),*];

        fn list(code: &str) -> Option<&'static str> {
            match code {
                $($code => Some(include_str!(concat!("stop_words/", $code, ".txt"))),)*
                _ => None,
            }
        }
    };
}

lists! { "ar" "de" "en" "es" "fr" "hi" "it" "ja" "ko" "nl" "pl" "pt" "ru" "sv" "tr" "zh" }

/// The words of a language's list.
///
/// # Errors
/// When there is no list for `code`; the error names those there are.
pub fn stop_words(code: &str) -> Result<Vec<String>> {
    match list(code) {
        Some(text) => Ok(parse(text)),
        None => Err(Error::Option {
            option: "stop-words",
            value: code.to_owned(),
            expected: format!(
                "give a file with one word a line, or one of {}",
                LANGUAGES.join(", ")
            ),
        }),
    }
}

/// The words of a list in a file: one a line; blank lines and lines that start with `#` do not count.
pub fn parse(text: &str) -> Vec<String> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_distinct_words() {
        for code in LANGUAGES {
            let mut words = stop_words(code).unwrap();
            let count = words.len();
            words.sort();
            words.dedup();
            assert_eq!(words.len(), count, "{code} repeats a word");
            assert!(count >= 15, "{code} has {count} words");
        }
    }

    #[test]
    fn the_german_list_has_the_fifty_words_of_the_paper() {
        let words = stop_words("de").unwrap();
        assert_eq!(words.len(), 50);
        assert!(!words.contains(&"und".to_owned()));
    }

    #[test]
    fn an_unknown_language_names_the_known_ones() {
        let message = stop_words("xx").unwrap_err().to_string();
        assert!(message.contains("ar, de, en"), "{message}");
    }
}
