//! Function words of many languages, found by one look-up of a word's hash: which languages have it in their list.
//!
//! They tell languages apart, together with the frequent words of [`super::frequent_words`], and where a language has no tagger they tell connectives from other words. The lists are those of
//! the crate `stop-words`: NLTK's where there is one, ISO's otherwise.

use std::sync::LazyLock;

use super::frequent_words::{FREQUENT, MISLEADING};
use super::language::Language;
use crate::hash::hash_bytes;
use crate::normalize::class::ClassTable;
use crate::normalize::form::normal_form;
use crate::options::NormalizeOptions;

static TABLE: LazyLock<FunctionWords> = LazyLock::new(FunctionWords::new);

/// The languages that a word belongs to, one bit each (see [`Language::bit`]).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Belongs {
    /// Those that have it in their list of function words.
    pub(super) listed: u64,
    /// Those in which it is frequent.
    pub(super) frequent: u64,
}

/// From a word's hash to the languages that it belongs to.
#[derive(Debug)]
pub(super) struct FunctionWords {
    /// One bit a slot of a bigger table: most words are in no list, and this part stays in the cache.
    filter: Vec<u64>,
    slots: Vec<(u64, Belongs)>,
}

impl FunctionWords {
    const FILTER_BITS: u64 = 1 << 17;

    /// The table; built on first use.
    pub(super) fn get() -> &'static Self {
        &TABLE
    }

    /// The languages of the word with this hash, which is that of the normal form with case folded.
    #[inline]
    pub(super) fn belongs(&self, hash: u64) -> Belongs {
        let bit = hash % Self::FILTER_BITS;
        if self.filter[(bit / 64) as usize] & (1 << (bit % 64)) == 0 {
            return Belongs::default();
        }
        self.slots[self.slot(hash)].1
    }

    fn slot(&self, hash: u64) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = (hash >> 40) as usize & last;
        while self.slots[slot].0 != hash && !self.slots[slot].1.is_empty() {
            slot = (slot + 1) & last;
        }
        slot
    }

    fn new() -> Self {
        let mut words = Vec::new();
        let mut form = String::new();
        for &language in Language::ALL {
            let listed = function_words(language);
            let (listed_bit, frequent_bit) =
                (Belongs::listed(language), Belongs::frequent(language));
            words.extend(listed.filter_map(|word| Some((key(word, &mut form)?, listed_bit))));
            let frequent = words_of(FREQUENT, language);
            let keys = frequent.iter().filter_map(|word| key(word, &mut form));
            words.extend(keys.map(|key| (key, frequent_bit)));
        }
        Self::of_words(&words)
    }

    fn of_words(words: &[(u64, Belongs)]) -> Self {
        let mut table = Self {
            filter: vec![0; (Self::FILTER_BITS / 64) as usize],
            slots: vec![(0, Belongs::default()); (words.len() * 2).next_power_of_two()],
        };
        for &(hash, belongs) in words {
            let bit = hash % Self::FILTER_BITS;
            table.filter[(bit / 64) as usize] |= 1 << (bit % 64);
            let slot = table.slot(hash);
            table.slots[slot].0 = hash;
            table.slots[slot].1.listed |= belongs.listed;
            table.slots[slot].1.frequent |= belongs.frequent;
        }
        table
    }
}

impl Belongs {
    fn listed(language: Language) -> Self {
        Self {
            listed: language.bit(),
            frequent: 0,
        }
    }

    fn frequent(language: Language) -> Self {
        Self {
            listed: 0,
            frequent: language.bit(),
        }
    }

    fn is_empty(self) -> bool {
        self.listed | self.frequent == 0
    }
}

/// The words in a language's list, but for those that mislead.
pub(crate) fn function_words(language: Language) -> impl Iterator<Item = &'static str> {
    let list = stop_words::lookup(language.code()).unwrap_or_default();
    let misleading = words_of(MISLEADING, language);
    let words = list.iter().copied();
    words.filter(move |word| !misleading.contains(word))
}

/// The hash under which a word is found; none for a phrase.
fn key(word: &str, form: &mut String) -> Option<u64> {
    normal_form(word, &NormalizeOptions::default(), ClassTable::get(), form);
    (!form.is_empty() && !word.contains(' ')).then(|| hash_bytes(form.as_bytes()))
}

fn words_of(lists: &[(Language, &'static str)], language: Language) -> Vec<&'static str> {
    let own = lists.iter().filter(|(of, _)| *of == language);
    own.flat_map(|(_, words)| words.split(' ')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_in_the_lists_of_their_languages() {
        let languages = |word: &str| {
            FunctionWords::get()
                .belongs(hash_bytes(word.as_bytes()))
                .listed
        };
        for (word, language) in [
            ("the", Language::English),
            ("dont", Language::English),
            ("und", Language::German),
            ("für", Language::German),
            ("и", Language::Russian),
            ("και", Language::Greek),
            ("और", Language::Hindi),
        ] {
            assert_ne!(languages(word) & language.bit(), 0, "{word}");
        }
        assert_eq!(languages("zebra"), 0);
        assert_eq!(languages(""), 0);
    }
}
