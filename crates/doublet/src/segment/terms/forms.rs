//! The normal forms of terms: of words as everywhere in the library, of numbers, addresses and emoji in their own way.

use crate::normalize::class::ClassTable;
use crate::normalize::form::normal_form;
use crate::options::{NormalizeOptions, Numbers};
use crate::segment::NUMBER;

/// Writes normal forms as options say.
#[derive(Clone, Debug)]
pub(super) struct Forms {
    options: NormalizeOptions,
    classes: ClassTable,
    fold_elongation: bool,
    /// Whether forms are those in which function words are listed.
    pub(super) listed: bool,
    /// Whether common Chinese characters are their own form.
    pub(super) keeps_han: bool,
}

impl Forms {
    pub(super) fn new(options: &NormalizeOptions, fold_elongation: bool) -> Self {
        Self {
            options: options.clone(),
            classes: ClassTable::get(),
            fold_elongation,
            listed: options.fold_case && !options.fold_accents && !options.ascii,
            keeps_han: !options.ascii && !fold_elongation,
        }
    }

    /// Writes the form of a word into `form`, which is cleared first, as by all of these.
    pub(super) fn word(&self, word: &str, form: &mut String) {
        if word.is_ascii() {
            form.clear();
            self.push_ascii(word, form);
        } else {
            normal_form(word, &self.options, self.classes, form);
            if self.fold_elongation {
                fold_elongation(form, 0);
            }
        }
    }

    /// Appends the form of a word to `forms`. `buffer` is for its use.
    #[inline]
    pub(super) fn push_word(&self, word: &str, buffer: &mut String, forms: &mut String) {
        if word.is_ascii() {
            self.push_ascii(word, forms);
        } else {
            self.word(word, buffer);
            forms.push_str(buffer);
        }
    }

    /// Of an ASCII word nothing but letters and digits stays.
    #[inline]
    fn push_ascii(&self, word: &str, forms: &mut String) {
        let start = forms.len();
        if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            forms.push_str(word);
        } else {
            forms.extend(word.chars().filter(char::is_ascii_alphanumeric));
        }
        if self.options.fold_case {
            forms[start..].make_ascii_lowercase();
        }
        if self.fold_elongation {
            fold_elongation(forms, start);
        }
    }

    /// Writes the form in which a word is looked up among function words.
    pub(super) fn listed_word(&self, word: &str, form: &mut String) {
        normal_form(word, &NormalizeOptions::default(), self.classes, form);
        if self.fold_elongation {
            fold_elongation(form, 0);
        }
    }

    /// Writes the form of a number; it is empty if numbers are dropped.
    pub(super) fn number(&self, number: &str, form: &mut String) {
        form.clear();
        match self.options.numbers {
            Numbers::Drop => {}
            Numbers::Token => form.push_str(NUMBER),
            Numbers::Keep => self.digits(number, form),
        }
    }

    /// Writes a number with the marks between its digits, which tell 1.50 from 150; a comma before three digits parts thousands
    /// and goes.
    fn digits(&self, number: &str, form: &mut String) {
        const MARKS: [char; 4] = ['.', ',', ':', '/'];
        let (mut part, mut mark) = (String::new(), None);
        for piece in number.split_inclusive(MARKS) {
            let digits = piece.strip_suffix(MARKS).unwrap_or(piece);
            normal_form(digits, &self.options, self.classes, &mut part);
            let thousands = mark == Some(',') && part.chars().count() == 3;
            if !part.is_empty() && !form.is_empty() && !thousands {
                form.extend(mark);
            }
            form.push_str(&part);
            mark = piece.chars().next_back().filter(|c| MARKS.contains(c));
        }
    }

    /// Writes the form of an address: without scheme, `www.` and a slash at its end, which change between copies of a text.
    pub(super) fn url(&self, url: &str, form: &mut String) {
        form.clear();
        let mut rest = url;
        for opening in ["https://", "http://", "www."] {
            let open = rest.get(..opening.len());
            if open.is_some_and(|open| open.eq_ignore_ascii_case(opening)) {
                rest = &rest[opening.len()..];
            }
        }
        let kept = rest.strip_suffix('/').unwrap_or(rest).chars();
        let kept = kept.filter(|c| !self.options.ascii || c.is_ascii());
        if self.options.fold_case {
            form.extend(kept.flat_map(char::to_lowercase));
        } else {
            form.extend(kept);
        }
    }

    /// Writes the form of a mention or a hashtag: the sign, which tells it from the plain word, and the form of the word.
    pub(super) fn tag(&self, sign: char, word: &str, form: &mut String) {
        self.word(word, form);
        if !form.is_empty() {
            form.insert(0, sign);
        }
    }

    /// Writes the form of an emoji: without variation selectors, which change nothing but its look.
    pub(super) fn emoji(&self, emoji: &str, form: &mut String) {
        form.clear();
        if !self.options.ascii {
            form.extend(
                emoji
                    .chars()
                    .filter(|c| !matches!(c, '\u{FE0E}' | '\u{FE0F}')),
            );
        }
    }
}

/// Makes every letter of `form` that stands three times or more in a row, from `start` on, one.
fn fold_elongation(form: &mut String, start: usize) {
    if !has_elongation(&form[start..]) {
        return;
    }
    let long = form.split_off(start);
    let mut rest = long.chars().peekable();
    while let Some(c) = rest.next() {
        let mut count = 1;
        while rest.next_if_eq(&c).is_some() {
            count += 1;
        }
        let count = if count >= 3 && c.is_alphabetic() {
            1
        } else {
            count
        };
        form.extend(std::iter::repeat_n(c, count));
    }
}

fn has_elongation(form: &str) -> bool {
    let mut last = ['\0', '\0'];
    form.chars().any(|c| {
        let elongated = last == [c, c] && c.is_alphabetic();
        last = [last[1], c];
        elongated
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn form(write: impl Fn(&Forms, &mut String), fold_elongation: bool) -> String {
        let mut form = "before".to_owned();
        write(
            &Forms::new(&NormalizeOptions::default(), fold_elongation),
            &mut form,
        );
        form
    }

    #[test]
    fn long_drawn_words_fold() {
        for (word, short) in [
            ("soooo", "so"),
            ("Coool", "col"),
            ("cool", "cool"),
            ("ㅋㅋㅋㅋ", "\u{110F}"),
            ("neeeéé", "neéé"),
            ("a1000", "a1000"),
        ] {
            assert_eq!(form(|forms, out| forms.word(word, out), true), short);
        }
        assert_eq!(form(|forms, out| forms.word("soooo", out), false), "soooo");
    }

    #[test]
    fn numbers_keep_the_marks_that_tell_them_apart() {
        let options = NormalizeOptions {
            numbers: Numbers::Keep,
            ..NormalizeOptions::default()
        };
        let forms = Forms::new(&options, false);
        for (number, expected) in [
            ("3.14", "3.14"),
            ("314", "314"),
            ("1,000", "1000"),
            ("1,000,000.50", "1000000.50"),
            ("3,5", "3,5"),
            ("10:30", "10:30"),
            ("12.5%", "12.5"),
            ("３.５", "3.5"),
            (".5", "5"),
        ] {
            let mut form = String::new();
            forms.number(number, &mut form);
            assert_eq!(form, expected);
        }
    }

    #[test]
    fn addresses_and_emoji() {
        for (url, short) in [
            ("https://www.Example.com/", "example.com"),
            ("http://t.cn/AbC?x=1", "t.cn/abc?x=1"),
            ("a.b@c.de", "a.b@c.de"),
        ] {
            assert_eq!(form(|forms, out| forms.url(url, out), false), short);
        }
        assert_eq!(form(|forms, out| forms.emoji("❤\u{FE0F}", out), false), "❤");
    }

    proptest! {
        #[test]
        fn a_word_has_the_form_of_the_library(word in "[ -~]{0,12}|\\PC{0,8}", case: bool, ascii: bool) {
            let options = NormalizeOptions { fold_case: case, ascii, ..NormalizeOptions::default() };
            let forms = Forms::new(&options, false);
            let (mut ours, mut buffer, mut theirs) = (String::new(), String::new(), String::new());
            forms.push_word(&word, &mut buffer, &mut ours);
            normal_form(&word, &options, ClassTable::get(), &mut theirs);
            prop_assert_eq!(&ours, &theirs);
            forms.word(&word, &mut ours);
            prop_assert_eq!(&ours, &theirs);
        }
    }
}
