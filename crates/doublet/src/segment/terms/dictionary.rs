//! Scripts without spaces (Japanese, Thai, Lao, Khmer, Burmese): their words are cut by the dictionaries of ICU.

use std::sync::OnceLock;

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

/// Calls `each` with start and end of every word of a run of such a script, in order. The words cover the run.
pub(super) fn cut(run: &str, each: &mut dyn FnMut(usize, usize)) {
    static SEGMENTER: OnceLock<WordSegmenterBorrowed<'static>> = OnceLock::new();
    let segmenter = SEGMENTER
        .get_or_init(|| WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()));
    let mut start = 0;
    for end in segmenter.segment_str(run) {
        if end > start {
            each(start, end);
            start = end;
        }
    }
    if start < run.len() {
        each(start, run.len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(run: &str) -> Vec<&str> {
        let mut words = Vec::new();
        cut(run, &mut |start, end| words.push(&run[start..end]));
        words
    }

    #[test]
    fn words_of_the_dictionary() {
        assert_eq!(words("私は学校に行く"), ["私", "は", "学校", "に", "行く"]);
        assert_eq!(words("東京"), ["東京"]);
        assert!(words("").is_empty());
    }

    proptest! {
        #[test]
        fn words_cover_the_run(run in "[ぁ-ヿ一-鿿]{0,40}|\\PC{0,40}|(?s).{0,20}") {
            prop_assert_eq!(words(&run).concat(), run.clone());
            prop_assert!(words(&run).iter().all(|word| !word.is_empty()));
        }
    }
}
