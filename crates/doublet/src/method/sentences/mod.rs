//! Sentences as fingerprints, after Yoon et al.: a text copied in part shares some of them.
//!
//! A text is split into sentences, each sentence loses its common words, the others are put in order, and what is left is hashed
//! to 128 bits. Any fixed order serves; words are ordered by their hashes, which is the same for every spelling and faster than the
//! alphabet. A sentence that loses all its words has no fingerprint, and one that keeps but a word or two counts only as part of
//! a longer passage.

pub mod align;
pub mod common;
pub(crate) mod compare;
mod fitted;
pub mod verdict;
pub mod words;

use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use serde::{Deserialize, Serialize};

use crate::hash::HASH_VERSION;
use crate::method::Method;
use crate::normalize::signature;
use crate::options::NormalizeOptions;
use crate::segment::sentences::{SPLITTER_VERSION, SentenceSplitter};
use crate::segment::terms::{Language, detect, frequent_languages};
use common::{CommonWords, Cutoff};
pub use fitted::Fitted;
use words::{Word, WordCutter, WordScratch};

/// Version of the fingerprints: a change of it is a change of format.
pub const SENTENCE_VERSION: u32 = 1;

/// Seeds that keep the identity of a whole text apart from the fingerprint of a sentence of the same words.
const SENTENCE: u64 = 0;
const WHOLE_TEXT: u64 = 1;

/// What one fingerprint stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// A sentence.
    #[default]
    Sentence,
    /// The distinct words of a whole text: I-Match (Chowdhury et al. 2002).
    Text,
}

/// How texts become sentences and fingerprints, and when a text is a copy.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentenceOptions {
    /// Which words are common; `None` for the default: by document frequency if there are texts enough to count, function words
    /// otherwise.
    pub cutoff: Option<Cutoff>,
    /// The common words, where they are known already: from a table, or from an index.
    #[serde(skip)]
    pub common: Option<Arc<CommonWords>>,
    /// Whether the order of the words counts for nothing.
    pub reorder: bool,
    /// A sentence of which fewer words are left counts only next to a copied one, for others have the same by chance.
    pub least: usize,
    /// When a text is a copy.
    pub rule: CopyRule,
}

impl Default for SentenceOptions {
    fn default() -> Self {
        Self {
            cutoff: None,
            common: None,
            reorder: true,
            least: 3,
            rule: CopyRule::default(),
        }
    }
}

impl SentenceOptions {
    /// What makes fingerprints without these common words.
    pub fn fingerprinter(
        &self,
        method: Method,
        normalize: &NormalizeOptions,
        common: Arc<CommonWords>,
    ) -> Fingerprinter {
        let unit = method.unit().unwrap_or_default();
        Fingerprinter::new(normalize, unit, self, common)
    }

    /// The common words of a few texts, where they are not known: none, or the function words of their languages.
    pub fn common_of_texts(
        &self,
        normalize: &NormalizeOptions,
        texts: &[&str],
    ) -> Arc<CommonWords> {
        match (&self.common, self.cutoff) {
            (Some(common), _) => Arc::clone(common),
            (None, Some(Cutoff::Off)) => Arc::default(),
            (None, _) => {
                let languages: Vec<Language> = texts.iter().map(|text| detect(text)).collect();
                let languages = frequent_languages(&languages);
                Arc::new(CommonWords::function_words(normalize, &languages))
            }
        }
    }
}

/// When a text is a copy, besides the share that the threshold asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyRule {
    /// So many distinct sentences found elsewhere make a text a copy, whatever their share; `None`: the share alone decides.
    pub sentences: Option<u32>,
    /// A sentence that occurs more often than this among the sources is boilerplate and counts for nothing.
    pub most: u64,
}

/// Words that count: those of boilerplate do not, unless there are no others.
pub(crate) fn counted(words: u32, boilerplate: u32) -> u32 {
    match words.saturating_sub(boilerplate) {
        0 => words,
        counted => counted,
    }
}

impl Default for CopyRule {
    fn default() -> Self {
        Self {
            sentences: Some(3),
            most: 300,
        }
    }
}

/// Texts from which document frequencies are believed; fewer have their function words left out instead.
pub const ENOUGH_TEXTS: u64 = 1000;

/// The options that decide what words a text has, in words: tables of counts go together only when these are the same.
pub fn word_signature(normalize: &NormalizeOptions) -> String {
    format!(
        "words of sentences {SENTENCE_VERSION}, splitter {SPLITTER_VERSION}, hash {HASH_VERSION}, {}",
        signature(normalize)
    )
}

/// One sentence of a text that has a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// First byte in the text.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// Its words, common ones too.
    pub words: u32,
    /// Whether so few words are left of it that others have the same by chance.
    pub short: bool,
    /// Its fingerprint.
    pub key: u128,
}

/// The sentences of a text. Reused from text to text.
#[derive(Debug, Default)]
pub struct Sentences {
    /// Those that have a fingerprint, in order.
    pub list: Vec<Sentence>,
    /// All words of the text.
    pub words: u32,
    /// Equal for texts of the same words.
    pub identity: u128,
    scratch: WordScratch,
    all: Vec<u64>,
    kept: Vec<u64>,
}

impl Sentences {
    /// Calls `each` with every distinct fingerprint, the words of all its sentences and how many those are, and returns the number
    /// of fingerprints. A text with words in no such sentence counts as one: copies of it share it. `order` is scratch.
    pub(crate) fn try_for_each_distinct<E>(
        &self,
        order: &mut Vec<(u128, u32)>,
        mut each: impl FnMut(u128, u32, u32) -> Result<(), E>,
    ) -> Result<u32, E> {
        order.clear();
        order.extend(self.list.iter().map(|s| (s.key, s.words)));
        order.sort_unstable();
        let mut distinct = 0;
        for group in order.chunk_by(|x, y| x.0 == y.0) {
            let words = group.iter().map(|(_, words)| words).sum();
            each(group[0].0, words, group.len() as u32)?;
            distinct += 1;
        }
        Ok(distinct.max(u32::from(self.words > 0)))
    }
}

/// Turns texts into sentences with fingerprints.
#[derive(Clone, Debug)]
pub struct Fingerprinter {
    splitter: SentenceSplitter,
    cutter: WordCutter,
    common: Arc<CommonWords>,
    unit: Unit,
    reorder: bool,
    /// Words that are left of a sentence that is not short.
    least: usize,
}

impl Fingerprinter {
    /// A fingerprinter that leaves out these common words.
    pub fn new(
        normalize: &NormalizeOptions,
        unit: Unit,
        options: &SentenceOptions,
        common: Arc<CommonWords>,
    ) -> Self {
        let SentenceOptions { reorder, least, .. } = *options;
        Self {
            splitter: SentenceSplitter::new(),
            cutter: WordCutter::new(normalize),
            common,
            unit,
            // The distinct words of a text have no order.
            reorder: reorder || unit == Unit::Text,
            least: match unit {
                Unit::Sentence => least.max(1),
                Unit::Text => 1,
            },
        }
    }

    /// The words it leaves out.
    pub fn common(&self) -> &CommonWords {
        &self.common
    }

    /// Splits a text and fingerprints its sentences.
    pub fn fingerprint(&self, text: &str, found: &mut Sentences) {
        found.list.clear();
        found.all.clear();
        match self.unit {
            Unit::Sentence => self
                .splitter
                .sentences(text, |range| self.push(text, range, found)),
            Unit::Text => self.push(text, 0..text.len(), found),
        }
        found.words = u32::try_from(found.all.len()).unwrap_or(u32::MAX);
        found.identity = hash_words(&mut found.all, WHOLE_TEXT);
    }

    /// The same without short sentences: for whoever compares texts without regard to where sentences stand.
    pub fn fingerprint_long(&self, text: &str, found: &mut Sentences) {
        self.fingerprint(text, found);
        found.list.retain(|sentence| !sentence.short);
    }

    fn push(&self, text: &str, range: Range<usize>, found: &mut Sentences) {
        let Sentences {
            list,
            scratch,
            all,
            kept,
            ..
        } = found;
        kept.clear();
        let before = all.len();
        self.cutter.words(&text[range.clone()], scratch, |word| {
            all.push(word.hash);
            if !self.common.contains(word.hash) {
                kept.push(word.hash);
            }
        });
        let left = kept.len();
        if let Some(key) = self.key(kept) {
            list.push(Sentence {
                start: range.start,
                end: range.end,
                words: u32::try_from(all.len() - before).unwrap_or(u32::MAX),
                short: left < self.least,
                key,
            });
        }
    }

    /// The fingerprint of the words that are left of a sentence, which are put in order.
    fn key(&self, words: &mut Vec<u64>) -> Option<u128> {
        if words.is_empty() {
            return None;
        }
        if self.reorder {
            words.sort_unstable();
        }
        if self.unit == Unit::Text {
            words.dedup();
        }
        Some(hash_words(words, SENTENCE))
    }

    /// Calls `each` with every sentence of a text, also those without a fingerprint, and the words that are left of it, in the
    /// order that a person expects: as they stand, or by the alphabet.
    pub fn explain(
        &self,
        text: &str,
        mut each: impl FnMut(Range<usize>, Vec<String>, Option<u128>),
    ) {
        let mut ranges = Vec::new();
        match self.unit {
            Unit::Sentence => self.splitter.sentences(text, |range| ranges.push(range)),
            Unit::Text => ranges.push(0..text.len()),
        }
        let mut scratch = WordScratch::default();
        for range in ranges {
            let (mut forms, mut hashes) = (Vec::new(), Vec::new());
            self.cutter
                .words(&text[range.clone()], &mut scratch, |word: &Word<'_>| {
                    if !self.common.contains(word.hash) {
                        let mut form = Vec::new();
                        word.push_form(&mut form);
                        forms.push(String::from_utf8_lossy(&form).into_owned());
                        hashes.push(word.hash);
                    }
                });
            if self.reorder {
                forms.sort_unstable();
            }
            if self.unit == Unit::Text {
                forms.dedup();
            }
            each(range, forms, self.key(&mut hashes));
        }
    }

    /// The same sentences as a plain reader would find them: slow, for tests.
    #[cfg(test)]
    fn reference(&self, text: &str) -> Vec<(Range<usize>, Vec<String>)> {
        let mut found = Vec::new();
        self.explain(text, |range, words, _| {
            if !words.is_empty() {
                found.push((range, words));
            }
        });
        found
    }
}

/// The fingerprint of a list of words; the same on every machine.
fn hash_words(words: &mut [u64], seed: u64) -> u128 {
    words.iter_mut().for_each(|word| *word = word.to_le());
    xxh3_128_with_seed(bytemuck::cast_slice(words), seed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::method::terms::Language;

    fn fingerprinter(options: &SentenceOptions) -> Fingerprinter {
        fingerprinter_of(Unit::Sentence, options)
    }

    fn fingerprinter_of(unit: Unit, options: &SentenceOptions) -> Fingerprinter {
        let normalize = NormalizeOptions {
            numbers: crate::options::Numbers::Keep,
            ..NormalizeOptions::default()
        };
        let common = match options.cutoff {
            Some(Cutoff::Off) => CommonWords::default(),
            _ => CommonWords::function_words(&normalize, &[Language::English]),
        };
        Fingerprinter::new(&normalize, unit, options, Arc::new(common))
    }

    fn keys(fingerprinter: &Fingerprinter, text: &str) -> Vec<u128> {
        let mut found = Sentences::default();
        fingerprinter.fingerprint(text, &mut found);
        found.list.iter().map(|sentence| sentence.key).collect()
    }

    /// Figure 4 of the paper.
    #[test]
    fn three_titles_meet_in_one_fingerprint() {
        let titles = [
            "U.S. to Reveal Some Rules on Security for Internet",
            "U.S. to Reveal Security Rules for Internet",
            "U.S. to Reveal Rules on Internet Security",
        ];
        let ours = fingerprinter(&SentenceOptions::default());
        let found = titles.map(|title| keys(&ours, title));
        assert_eq!(found[0].len(), 1);
        assert!(found.iter().all(|keys| *keys == found[0]));
        let mut words = Vec::new();
        ours.explain(titles[0], |_, kept, _| words.push(kept.join(" ")));
        // `s` is the end of a contraction, too.
        assert_eq!(words, ["internet reveal rules security u"]);

        let ordered = SentenceOptions {
            reorder: false,
            ..SentenceOptions::default()
        };
        let ordered = fingerprinter(&ordered);
        let mut words = Vec::new();
        for title in titles {
            ordered.explain(title, |_, kept, _| words.push(kept.join(" ")));
        }
        assert_eq!(
            words,
            [
                "u reveal rules security internet",
                "u reveal security rules internet",
                "u reveal rules internet security"
            ]
        );
        let exact = fingerprinter(&SentenceOptions {
            reorder: false,
            cutoff: Some(Cutoff::Off),
            ..SentenceOptions::default()
        });
        for other in [&ordered, &exact] {
            let found = titles.map(|title| keys(other, title));
            assert_ne!(found[0], found[1]);
            assert_ne!(found[1], found[2]);
            assert_ne!(found[0], found[2]);
        }
    }

    #[test]
    fn fingerprints_are_pinned() {
        let ours = fingerprinter(&SentenceOptions::default());
        let found = keys(&ours, "Ein Satz mit fünf Wörtern. 今天天气很好。");
        let found: Vec<String> = found.iter().map(|key| format!("{key:032x}")).collect();
        insta::assert_snapshot!(found.join("\n"));
    }

    #[test]
    fn a_text_of_common_words_has_no_fingerprint_but_an_identity() {
        let ours = fingerprinter(&SentenceOptions::default());
        let mut found = Sentences::default();
        ours.fingerprint("To be or to be.", &mut found);
        assert!(found.list.is_empty());
        assert_eq!(found.words, 5);
        let identity = found.identity;
        ours.fingerprint("to be, or to be", &mut found);
        assert_eq!(found.identity, identity);
        ours.fingerprint("", &mut found);
        assert_eq!((found.words, found.list.len()), (0, 0));
    }

    #[test]
    fn imatch_takes_the_distinct_words_of_a_text() {
        let imatch = fingerprinter_of(Unit::Text, &SentenceOptions::default());
        let found = keys(&imatch, "Rain fell. Rain fell on the town.");
        assert_eq!(found.len(), 1);
        assert_eq!(found, keys(&imatch, "The town: fell rain"));
        assert_ne!(found, keys(&imatch, "The town: rain"));
    }

    fn awkward() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-c]{1,2}",
            "the",
            "to",
            "漢字",
            "かな",
            "é",
            "e\u{301}",
            "👍",
            "12",
            "\\. ",
            "\\? ",
            "。",
            "\r\n",
            " ",
            "\n\n",
            "\\PC"
        ];
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn equal_fingerprints_are_equal_words(a in awkward(), b in awkward(), reorder: bool, filter: bool) {
            let options = SentenceOptions {
                reorder,
                cutoff: (!filter).then_some(Cutoff::Off),
                ..SentenceOptions::default()
            };
            let ours = fingerprinter(&options);
            let mut found = [Sentences::default(), Sentences::default()];
            let mut seen = Vec::new();
            for (text, found) in [&a, &b].into_iter().zip(&mut found) {
                ours.fingerprint(text, found);
                let reference = ours.reference(text);
                let ranges: Vec<_> = found.list.iter().map(|s| s.start..s.end).collect();
                prop_assert_eq!(&ranges, &reference.iter().map(|(range, _)| range.clone()).collect::<Vec<_>>());
                seen.extend(found.list.iter().map(|s| s.key).zip(reference.into_iter().map(|(_, words)| words)));
            }
            for (x, y) in seen.iter().flat_map(|x| seen.iter().map(move |y| (x, y))) {
                prop_assert_eq!(x.0 == y.0, x.1 == y.1, "{:?} {:?}", x, y);
            }
            let words = |text: &str| {
                let (mut all, mut scratch) = (Vec::new(), WordScratch::default());
                ours.splitter.sentences(text, |range| {
                    ours.cutter.words(&text[range], &mut scratch, |word| {
                        let mut form = Vec::new();
                        word.push_form(&mut form);
                        all.push(form);
                    });
                });
                all
            };
            prop_assert_eq!(found[0].identity == found[1].identity, words(&a) == words(&b));
        }
    }
}
