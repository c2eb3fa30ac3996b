//! Terms: the words of a short text, each with its place, its normal form and its part-of-speech group.
//!
//! `scan` cuts a text into pieces, `language` finds out what it is written in, and `cut` makes words of the pieces, in each
//! language's own way: jieba for Chinese, ICU's dictionary for Japanese and the scripts of South-East Asia, particles apart in
//! Korean. A [`tagger`] then says what each word is, or for languages without one a list of function words. Everything is a
//! pure function of text and options; texts that were cut before leave no trace.

mod chinese;
mod cut;
mod dictionary;
mod elision;
mod forms;
mod frequent_words;
mod function_words;
mod group;
mod kind;
mod korean;
mod language;
mod scan;
mod shapes;
pub mod tagger;
mod tagging;
#[cfg(test)]
mod tests;

use crate::hash::hash_bytes;
use crate::options::NormalizeOptions;
use cut::{Cutter, Shape, Token};
use forms::Forms;
use kind::KindTable;
use scan::{Piece, scan};
use tagging::{Tagging, tag_words};

pub(crate) use chinese::Memo as RunMemo;
pub(crate) use function_words::function_words;
pub use group::Group;
pub(crate) use language::most_frequent;
pub use language::{Language, detect, frequent_languages, majority};

/// Bytes past which a text is taken in parts.
const PART: usize = 1 << 20;

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// First byte in the text.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// What kind of word it is.
    pub group: Group,
    /// The normal form, never empty. Addresses have no scheme; mentions and hashtags keep their sign.
    pub form: &'a str,
}

/// How texts are cut into terms.
#[derive(Clone, Debug, Default)]
pub struct SegmentOptions {
    /// The language of all texts, or [`Language::Auto`] to find out that of each.
    pub language: Language,
    /// The language of texts that do not tell theirs, such as the [`majority`] of a collection.
    pub fallback: Language,
    /// Whether a letter that stands three times or more in a row counts as one: `soooo` as `so`.
    pub fold_elongation: bool,
}

/// Cuts texts into terms, as its options say.
#[derive(Clone, Debug)]
pub struct TermSegmenter {
    options: SegmentOptions,
    forms: Forms,
    kinds: KindTable,
    /// Hashes of the forms to leave out, in order.
    stop: Vec<u64>,
}

/// Buffers of one thread. They hold nothing that changes a result.
#[derive(Debug, Default)]
pub struct Scratch {
    pieces: Vec<Piece>,
    cutter: Cutter,
    tagging: Tagging,
    form: String,
}

/// Calls `each` with the end of every word of a run of characters of a script without spaces, in order. The run alone
/// decides: one of Chinese characters only is taken for Chinese.
pub(crate) fn cut_run(run: &str, memo: &mut RunMemo, mut each: impl FnMut(usize)) {
    if chinese::is_common(run) {
        chinese::cut(run, memo, |_, end, _| each(end));
    } else {
        dictionary::cut(run, &mut |_, end| each(end));
    }
}

/// A text up to the first white space past the size of a part, or the first stop that needs none; a text of less as it is.
fn first_part(text: &str) -> &str {
    if text.len() <= PART {
        return text;
    }
    let start = text.floor_char_boundary(PART);
    let mut rest = text[start..].char_indices();
    let end = rest.find(|(_, c)| c.is_whitespace() || *c == '。');
    end.map_or(text, |(at, c)| &text[..start + at + c.len_utf8()])
}

impl TermSegmenter {
    /// A segmenter; the stop words are normalised as the texts will be.
    pub fn new(normalize: &NormalizeOptions, options: &SegmentOptions) -> Self {
        let forms = Forms::new(normalize, options.fold_elongation);
        let mut form = String::new();
        let mut hash = |word: &String| {
            forms.word(word, &mut form);
            hash_bytes(form.as_bytes())
        };
        let mut stop: Vec<u64> = normalize.stop_words.iter().map(&mut hash).collect();
        stop.sort_unstable();
        Self {
            options: options.clone(),
            forms,
            kinds: KindTable::get(),
            stop,
        }
    }

    /// The parts in which a text is taken, in order: one, unless it is very long. The terms of a part are the same by itself.
    pub(crate) fn parts(text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let (part, after) = rest.split_at(first_part(rest).len());
            rest = after;
            (!part.is_empty()).then_some(part)
        })
    }

    /// Calls `sink` with each term of `text`, in order. Terms do not overlap, and their ends are character boundaries. A very long
    /// text is taken in parts, each in a language of its own.
    pub fn terms(&self, text: &str, scratch: &mut Scratch, mut sink: impl FnMut(&Term<'_>)) {
        let mut base = 0;
        for part in Self::parts(text) {
            self.terms_of_part(part, scratch, |term| {
                sink(&Term {
                    start: base + term.start,
                    end: base + term.end,
                    ..*term
                });
            });
            base += part.len();
        }
    }

    fn terms_of_part(&self, text: &str, scratch: &mut Scratch, mut sink: impl FnMut(&Term<'_>)) {
        let Scratch {
            pieces,
            cutter,
            tagging,
            form,
        } = scratch;
        let scripts = scan(text, self.kinds, pieces);
        if pieces.is_empty() {
            return;
        }
        cutter.cut(text, pieces, &scripts, &self.options, &self.forms);
        tag_words(text, &mut cutter.tokens, tagging);
        for token in &cutter.tokens {
            self.emit(text, token, &cutter.forms, form, &mut sink);
        }
    }

    #[inline]
    fn emit(
        &self,
        text: &str,
        token: &Token,
        ready: &str,
        form: &mut String,
        sink: &mut impl FnMut(&Term<'_>),
    ) {
        let Token {
            start, end, group, ..
        } = *token;
        match token.shape {
            Shape::Ready(from, to) => self.send(start, end, group, &ready[from..to], sink),
            Shape::Text => self.send(start, end, group, &text[start..end], sink),
            _ => self.emit_written(text, token, form, sink),
        }
    }

    /// Emits a token whose form is still to be written, and the particle after it.
    fn emit_written(
        &self,
        text: &str,
        token: &Token,
        form: &mut String,
        sink: &mut impl FnMut(&Term<'_>),
    ) {
        let Token {
            start,
            end,
            stem,
            group,
            ..
        } = *token;
        self.write_form(token.shape, &text[start..stem], form);
        self.send(start, stem, group, form, sink);
        if stem < end {
            self.forms.word(&text[stem..end], form);
            self.send(stem, end, Group::Connective, form, sink);
        }
    }

    fn write_form(&self, shape: Shape, term: &str, form: &mut String) {
        match shape {
            Shape::Ready(..) | Shape::Text | Shape::Word => self.forms.word(term, form),
            Shape::Number => self.forms.number(term, form),
            Shape::Url => self.forms.url(term, form),
            Shape::Emoji => self.forms.emoji(term, form),
            Shape::Tag(sign) => self.forms.tag(sign, term, form),
        }
    }

    #[inline]
    fn send(
        &self,
        start: usize,
        end: usize,
        group: Group,
        form: &str,
        sink: &mut impl FnMut(&Term<'_>),
    ) {
        let stopped = || {
            !self.stop.is_empty()
                && self
                    .stop
                    .binary_search(&hash_bytes(form.as_bytes()))
                    .is_ok()
        };
        if !form.is_empty() && !stopped() {
            sink(&Term {
                start,
                end,
                group,
                form,
            });
        }
    }
}
