//! The words of a sentence: tokens as everywhere, but words instead of characters where a script has no spaces.
//!
//! A bag of single Chinese characters would say little about a sentence. Runs of such characters are cut by a dictionary, each
//! run by itself, so that a sentence has the same words wherever it stands.

use crate::hash::hash_bytes;
use crate::normalize::class::{Class, ClassTable};
use crate::options::NormalizeOptions;
use crate::segment::terms::{RunMemo, cut_run};
use crate::segment::{Segmenter, Token};

/// A word of a text.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    /// First byte in the text.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// Hash of the normal form.
    pub hash: u64,
    form: WordForm<'a>,
}

#[derive(Clone, Copy, Debug)]
enum WordForm<'a> {
    Token(&'a Token<'a>),
    Joined(&'a [u8]),
}

impl Word<'_> {
    /// Appends the normal form to `out`.
    pub fn push_form(&self, out: &mut Vec<u8>) {
        match self.form {
            WordForm::Token(token) => token.push_form(out),
            WordForm::Joined(form) => out.extend_from_slice(form),
        }
    }
}

/// Cuts texts into words.
#[derive(Clone, Debug)]
pub struct WordCutter {
    segmenter: Segmenter,
    classes: ClassTable,
}

/// Buffers of one thread. They hold nothing that changes a result.
#[derive(Debug, Default)]
pub struct WordScratch {
    run: Run,
    memo: RunMemo,
    ends: Vec<usize>,
    form: Vec<u8>,
}

/// Tokens of a script without spaces that stand side by side.
#[derive(Debug, Default)]
struct Run {
    tokens: Vec<RunToken>,
    forms: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct RunToken {
    start: usize,
    end: usize,
    hash: u64,
    /// End of its form among the forms.
    form: usize,
}

impl Run {
    fn push(&mut self, token: &Token<'_>) {
        token.push_form(&mut self.forms);
        self.tokens.push(RunToken {
            start: token.start,
            end: token.end,
            hash: token.hash,
            form: self.forms.len(),
        });
    }

    fn end(&self) -> Option<usize> {
        self.tokens.last().map(|token| token.end)
    }
}

impl WordCutter {
    /// A cutter for texts that are normalised like this.
    pub fn new(normalize: &NormalizeOptions) -> Self {
        Self {
            segmenter: Segmenter::new(normalize),
            classes: ClassTable::get(),
        }
    }

    /// Calls `sink` with each word of `text`, in order.
    #[inline]
    pub fn words(&self, text: &str, scratch: &mut WordScratch, mut sink: impl FnMut(&Word<'_>)) {
        self.segmenter.tokens(text, |token| {
            if text.as_bytes()[token.start] >= 128 && self.is_spaceless(text, token.start) {
                if scratch.run.end().is_some_and(|end| end != token.start) {
                    cut(text, scratch, &mut sink);
                }
                scratch.run.push(token);
                return;
            }
            if !scratch.run.tokens.is_empty() {
                cut(text, scratch, &mut sink);
            }
            sink(&Word {
                start: token.start,
                end: token.end,
                hash: token.hash,
                form: WordForm::Token(token),
            });
        });
        if !scratch.run.tokens.is_empty() {
            cut(text, scratch, &mut sink);
        }
    }

    fn is_spaceless(&self, text: &str, start: usize) -> bool {
        let first = text[start..].chars().next();
        let class = first.map(|c| self.classes.of(c));
        matches!(class, Some(Class::Ideograph | Class::Cluster))
    }
}

/// Sends the words of the run and empties it. A token goes with the word that its first byte lies in.
fn cut(text: &str, scratch: &mut WordScratch, sink: &mut impl FnMut(&Word<'_>)) {
    let WordScratch {
        run,
        memo,
        ends,
        form,
    } = scratch;
    let (Some(first), Some(last)) = (run.tokens.first(), run.end()) else {
        return;
    };
    let start = first.start;
    ends.clear();
    cut_run(&text[start..last], memo, |end| ends.push(start + end));
    let (mut next, mut form_start) = (0, 0);
    for &end in ends.iter() {
        let until = run.tokens[next..].partition_point(|token| token.start < end);
        let tokens = &run.tokens[next..next + until];
        next += until;
        let [first, rest @ ..] = tokens else { continue };
        let last = rest.last().unwrap_or(first);
        form.clear();
        form.extend_from_slice(&run.forms[form_start..last.form]);
        form_start = last.form;
        sink(&Word {
            start: first.start,
            end: last.end,
            hash: if rest.is_empty() {
                first.hash
            } else {
                hash_bytes(form)
            },
            form: WordForm::Joined(form),
        });
    }
    run.tokens.clear();
    run.forms.clear();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        let cutter = WordCutter::new(&NormalizeOptions::default());
        let mut words = Vec::new();
        cutter.words(text, &mut WordScratch::default(), |word| {
            let mut form = Vec::new();
            word.push_form(&mut form);
            assert_eq!(word.hash, hash_bytes(&form));
            assert!(word.start < word.end);
            words.push(String::from_utf8(form).unwrap());
        });
        words
    }

    #[test]
    fn scripts_without_spaces_have_words() {
        assert_eq!(
            words("我们爱北京，ABC 天安门。"),
            ["我们", "爱", "北京", "abc", "天安门"]
        );
        assert_eq!(words("私は学校に行く"), ["私", "は", "学校", "に", "行く"]);
        assert_eq!(words("한국어 텍스트, now"), ["한국어", "텍스트", "now"]);
        assert_eq!(words("สวัสดีครับ"), ["สวัสดี", "ครับ"]);
    }

    proptest! {
        #[test]
        fn words_are_the_tokens_joined(text in "([ab漢字北京かなกาé1]|[ ,.。]|\\PC){0,40}") {
            let mut tokens = Vec::new();
            Segmenter::new(&NormalizeOptions::default()).tokens(&text, |token| token.push_form(&mut tokens));
            prop_assert_eq!(words(&text).concat().into_bytes(), tokens);
        }
    }
}
