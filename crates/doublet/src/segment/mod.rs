//! Stage 3, segment: from a text to its tokens, each with its place in the original and its normal form.
//!
//! A word is a run of letters and marks; a run of numeric characters is one token; in scripts written without spaces every
//! grapheme cluster is a token; everything else lies between tokens. Runs of ASCII are found 64 bytes at a time and hashed
//! where they stand, only other characters are decoded and normalised. A segmenter never changes or adds text.
//!
//! Where punctuation matters, in code or in records of a few words, a token may instead be whatever stands between white space, or a
//! character.

pub(crate) mod masks;
pub mod sentences;
pub mod terms;

use unicode_segmentation::UnicodeSegmentation;

use crate::hash::{hash_ascii_word, hash_bytes};
use crate::normalize::class::{Class, ClassTable};
use crate::normalize::form::{normal_form, printed_form};
use crate::options::{NormalizeOptions, Numbers, TokenKind};
use masks::Runs;

/// Normal form of every number when numbers become one token.
pub const NUMBER: &str = "0";

/// A token as the segmenter hands it on.
#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    /// First byte in the text.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// Hash of the normal form.
    pub hash: u64,
    form: Form<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    /// ASCII letters as they stand, each to be or-ed with the byte.
    Ascii(&'a [u8], u8),
    Ready(&'a str),
}

impl Token<'_> {
    /// Appends the normal form to `out`.
    pub fn push_form(&self, out: &mut Vec<u8>) {
        match self.form {
            Form::Ascii(word, case) => out.extend(word.iter().map(|byte| byte | case)),
            Form::Ready(form) => out.extend_from_slice(form.as_bytes()),
        }
    }
}

/// Cuts texts into tokens, as its options say.
#[derive(Clone, Debug)]
pub struct Segmenter {
    options: NormalizeOptions,
    classes: ClassTable,
    case: u8,
    stop: WordSet,
}

impl Segmenter {
    /// A segmenter; the stop words are normalised as the texts will be.
    pub fn new(options: &NormalizeOptions) -> Self {
        let mut segmenter = Self {
            options: options.clone(),
            classes: ClassTable::get(),
            case: if options.fold_case { 0x20 } else { 0 },
            stop: WordSet::default(),
        };
        let words = options.stop_words.iter();
        let hashes = words
            .filter_map(|word| segmenter.only_token(word))
            .collect();
        segmenter.stop = WordSet::new(hashes);
        segmenter
    }

    /// Hash of the token of `word` when it is just one; a list's word of several tokens can stop none of them.
    fn only_token(&self, word: &str) -> Option<u64> {
        let (mut hash, mut count) = (0, 0);
        self.tokens(word, |token| (hash, count) = (token.hash, count + 1));
        (count == 1).then_some(hash)
    }

    /// Calls `sink` with each token of `text`, in order.
    #[inline]
    pub fn tokens(&self, text: &str, mut sink: impl FnMut(&Token<'_>)) {
        match self.options.tokens {
            TokenKind::Words => self.words(text, sink),
            TokenKind::Spaces => self.between_spaces(text, &mut sink),
            TokenKind::Characters => self.characters(text, &mut sink),
        }
    }

    /// Runs of what is no white space.
    fn between_spaces(&self, text: &str, sink: &mut impl FnMut(&Token<'_>)) {
        let mut form = String::new();
        for run in text.split_whitespace() {
            let start = run.as_ptr() as usize - text.as_ptr() as usize;
            printed_form(run, &self.options, self.classes, &mut form);
            self.emit(start, start + run.len(), &form, sink);
        }
    }

    /// Characters as readers see them; white space between two is one character, at the ends it is none.
    fn characters(&self, text: &str, sink: &mut impl FnMut(&Token<'_>)) {
        let mut form = String::new();
        let mut space: Option<usize> = None;
        let mut is_first = true;
        for (start, cluster) in text.grapheme_indices(true) {
            if cluster.chars().all(char::is_whitespace) {
                space.get_or_insert(start);
                continue;
            }
            printed_form(cluster, &self.options, self.classes, &mut form);
            if form.is_empty() {
                continue;
            }
            if let Some(before) = space.take().filter(|_| !is_first) {
                self.emit(before, start, " ", sink);
            }
            is_first = false;
            space = None;
            self.emit(start, start + cluster.len(), &form, sink);
        }
    }

    #[inline]
    fn words(&self, text: &str, mut sink: impl FnMut(&Token<'_>)) {
        let bytes = text.as_bytes();
        let mut form = String::new();
        let mut at = 0;
        while at < bytes.len() {
            at = match Runs::new(bytes, at) {
                Runs::Ascii(mut runs) => {
                    for _ in 0..runs.count() {
                        let (start, end) = runs.next();
                        self.ascii_token(text, start, end, &mut form, &mut sink);
                    }
                    runs.end()
                }
                Runs::Long(end) => {
                    self.ascii_token(text, at, end, &mut form, &mut sink);
                    end
                }
                Runs::Wide => {
                    let mut end = self.wide(text, at, &mut form, &mut sink);
                    while bytes.get(end).is_some_and(|byte| *byte >= 128) {
                        end = self.wide(text, end, &mut form, &mut sink);
                    }
                    end
                }
            };
        }
    }

    #[inline(always)]
    fn ascii_token(
        &self,
        text: &str,
        start: usize,
        end: usize,
        form: &mut String,
        sink: &mut impl FnMut(&Token<'_>),
    ) {
        if text.as_bytes()[start] >= b'A' {
            self.ascii_word(text.as_bytes(), start, end, sink);
        } else {
            self.number(text, start, end, form, sink);
        }
    }

    #[inline(always)]
    fn ascii_word(
        &self,
        bytes: &[u8],
        start: usize,
        end: usize,
        sink: &mut impl FnMut(&Token<'_>),
    ) {
        let hash = hash_ascii_word(bytes, start, end, self.case);
        if !self.stop.contains(hash) {
            let form = Form::Ascii(&bytes[start..end], self.case);
            sink(&Token {
                start,
                end,
                hash,
                form,
            });
        }
    }

    /// The token at `start`, where a character outside ASCII has its part, and the end of it.
    fn wide(
        &self,
        text: &str,
        start: usize,
        form: &mut String,
        sink: &mut impl FnMut(&Token<'_>),
    ) -> usize {
        let Some(first) = text[start..].chars().next() else {
            return text.len();
        };
        match self.classes.of(first) {
            Class::Letter => {
                let end = self.run(text, start, |class| {
                    matches!(class, Class::Letter | Class::Mark | Class::Ignorable)
                });
                self.word(text, start, end, form, sink);
                end
            }
            Class::Number => {
                let end = self.run(text, start, |class| class == Class::Number);
                self.number(text, start, end, form, sink);
                end
            }
            Class::Ideograph | Class::Cluster => {
                let end = start + self.cluster(&text[start..], first);
                self.word(text, start, end, form, sink);
                end
            }
            Class::Boundary | Class::Mark | Class::Ignorable => start + first.len_utf8(),
        }
    }

    fn run(&self, text: &str, start: usize, belongs: impl Fn(Class) -> bool) -> usize {
        text[start..]
            .char_indices()
            .find(|&(_, c)| !belongs(self.classes.of(c)))
            .map_or(text.len(), |(length, _)| start + length)
    }

    /// Bytes of the grapheme cluster that opens `text`.
    fn cluster(&self, text: &str, first: char) -> usize {
        let alone = first.len_utf8();
        let next = text[alone..].chars().next();
        let simple = self.classes.of(first) == Class::Ideograph
            && next.is_none_or(|c| {
                let class = self.classes.of(c);
                // Half-width voicing marks, joiners, skin tones and tags go on with the character before them.
                !matches!(class, Class::Mark | Class::Ignorable | Class::Cluster)
                    && !matches!(c, '\u{FF9E}' | '\u{FF9F}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0020}'..='\u{E007F}')
            });
        if simple {
            return alone;
        }
        text.graphemes(true).next().map_or(alone, str::len)
    }

    fn word(
        &self,
        text: &str,
        start: usize,
        end: usize,
        form: &mut String,
        sink: &mut impl FnMut(&Token<'_>),
    ) {
        normal_form(&text[start..end], &self.options, self.classes, form);
        self.emit(start, end, form, sink);
    }

    fn number(
        &self,
        text: &str,
        start: usize,
        end: usize,
        form: &mut String,
        sink: &mut impl FnMut(&Token<'_>),
    ) {
        match self.options.numbers {
            Numbers::Drop => {}
            Numbers::Token => self.emit(start, end, NUMBER, sink),
            Numbers::Keep => self.word(text, start, end, form, sink),
        }
    }

    fn emit(&self, start: usize, end: usize, form: &str, sink: &mut impl FnMut(&Token<'_>)) {
        if form.is_empty() {
            return;
        }
        let hash = hash_bytes(form.as_bytes());
        if !self.stop.contains(hash) {
            sink(&Token {
                start,
                end,
                hash,
                form: Form::Ready(form),
            });
        }
    }
}

/// A set of words by their hashes: a filter of one look-up, then the sorted list.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordSet {
    filter: Vec<u64>,
    hashes: Vec<u64>,
}

impl WordSet {
    const FILTER_BITS: u64 = 4096;

    pub(crate) fn new(mut hashes: Vec<u64>) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        let mut filter = vec![0; (Self::FILTER_BITS / 64) as usize];
        for hash in &hashes {
            let bit = hash % Self::FILTER_BITS;
            filter[(bit / 64) as usize] |= 1 << (bit % 64);
        }
        Self { filter, hashes }
    }

    #[inline(always)]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        if self.hashes.is_empty() {
            return false;
        }
        let bit = hash % Self::FILTER_BITS;
        self.filter[(bit / 64) as usize] & (1 << (bit % 64)) != 0
            && self.hashes.binary_search(&hash).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn forms(text: &str, options: &NormalizeOptions) -> Vec<String> {
        let mut forms = Vec::new();
        Segmenter::new(options).tokens(text, |token| {
            let mut form = Vec::new();
            token.push_form(&mut form);
            assert_eq!(token.hash, hash_bytes(&form));
            assert!(text.is_char_boundary(token.start) && text.is_char_boundary(token.end));
            forms.push(String::from_utf8(form).unwrap());
        });
        forms
    }

    fn check(text: &str, expected: &str) {
        let found = forms(text, &NormalizeOptions::default()).join(" ");
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_numbers_and_boundaries() {
        check("Hello, World! Don't.", "hello world don t");
        check("3.14 and 1,000", "3 14 and 1 000");
        check("B2B e-mail_x", "b 2 b e mail x");
        check("Straße für Größe", "strasse für grösse");
        check("cafe\u{301} café", "café café");
        check("a\u{AD}b \u{FEFF}c", "ab c");
        check("1️⃣ 👍🏽 ok", "1 ok");
        check("", "");
        check("\u{301}\u{200D}", "");
    }

    #[test]
    fn scripts_without_spaces_give_a_token_a_character() {
        check("漢字かなカナ、ー", "漢 字 か な カ ナ ー");
        check("か\u{3099}", "が");
        check("ｶﾞ", "ガ");
        check("ที่นี่", "ที่ นี่");
        check("中文ABC中", "中 文 abc 中");
        check("한국어 텍스트", "한국어 텍스트");
        check("हिन्दी में", "हिन्दी में");
        check("１２３年", "123 年");
    }

    #[test]
    fn options_change_what_is_seen() {
        let mut options = NormalizeOptions {
            numbers: Numbers::Token,
            ..NormalizeOptions::default()
        };
        assert_eq!(forms("A 12 ３", &options), ["a", "0", "0"]);
        options.numbers = Numbers::Drop;
        options.fold_case = false;
        assert_eq!(forms("A 12 b", &options), ["A", "b"]);
        options.stop_words = vec!["b".to_owned(), "É".to_owned()];
        assert_eq!(forms("A b é É c", &options), ["A", "é", "c"]);
        options.ascii = true;
        assert_eq!(forms("für 漢 x", &options), ["fr", "x"]);
    }

    #[test]
    fn other_tokens_see_punctuation() {
        let with = |tokens: TokenKind, text: &str| {
            forms(
                text,
                &NormalizeOptions {
                    tokens,
                    ..NormalizeOptions::default()
                },
            )
        };
        let spaces = |text: &str| with(TokenKind::Spaces, text);
        assert_eq!(
            spaces(" A::b  x>=1,\r\ny\u{3000}Straße\u{AD} "),
            ["a::b", "x>=1,", "y", "strasse"]
        );
        assert_eq!(spaces("cafe\u{301} ﬁ \u{200B}"), ["café", "fi"]);
        assert!(spaces(" \n\u{200D}").is_empty());
        assert_eq!(spaces("a´b ¯"), ["\u{E1}b", "\u{304}"]);
        let characters = |text: &str| with(TokenKind::Characters, text).concat();
        assert_eq!(characters("  Ab\t\n c. "), "ab c.");
        assert_eq!(
            with(TokenKind::Characters, "e\u{301}👍🏽字"),
            ["é", "👍🏽", "字"]
        );
        assert_eq!(characters("\u{0}\u{7}a \u{200B} b"), "a b");
    }

    proptest! {
        #[test]
        fn other_tokens_stand_in_order(text in "\\PC{0,60}", kind in prop::sample::select(vec![TokenKind::Spaces, TokenKind::Characters])) {
            let options = NormalizeOptions { tokens: kind, ..NormalizeOptions::default() };
            let mut last = 0;
            Segmenter::new(&options).tokens(&text, |token| {
                assert!(last <= token.start && token.start < token.end && token.end <= text.len());
                last = token.end;
            });
            for form in forms(&text, &options) {
                let is_space = kind == TokenKind::Characters && form == " ";
                prop_assert!(is_space || !form.is_empty() && !form.contains(char::is_whitespace));
            }
        }

        #[test]
        fn tokens_stand_in_order_and_survive_a_second_pass(text in "\\PC{0,80}") {
            let segmenter = Segmenter::new(&NormalizeOptions::default());
            let mut last = 0;
            segmenter.tokens(&text, |token| {
                assert!(last <= token.start && token.start < token.end && token.end <= text.len());
                last = token.end;
            });
            // A compatibility character may stand for several clusters, so tokens may part, but no letter changes.
            let once = forms(&text, &NormalizeOptions::default());
            let twice = forms(&once.join(" "), &NormalizeOptions::default());
            prop_assert_eq!(twice.concat(), once.concat());
        }
    }
}
