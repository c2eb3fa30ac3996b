//! Sentences: where each begins and ends in a text of any language.
//!
//! `scan` finds the few characters at which a sentence can end. `stops` judges a full stop or other mark by the word before it
//! (`words`, with the lists of `abbreviations` and `starters`) and by what follows; `lines` judges a line end. No language is
//! asked for: scripts have rules of their own, and the lists are those of all languages together. A judgement looks at a few
//! words around the place, or at the two lines that a line end parts, so that a copied sentence is cut as its original was.

mod abbreviations;
mod chars;
mod lines;
mod scan;
mod starters;
mod stops;
#[cfg(test)]
mod tests;
mod words;

use std::ops::Range;

use chars::{char_at, is_line_end};
use lines::Line;
use scan::Candidates;

/// Number of the rules. It changes whenever a text may be cut in another way than before.
pub const SPLITTER_VERSION: u32 = 2;

/// Cuts texts into sentences.
#[derive(Clone, Copy, Debug, Default)]
pub struct SentenceSplitter;

/// What was found out about a candidate.
#[derive(Clone, Copy, Debug)]
struct Verdict {
    /// Where the sentence ends, if it ends here.
    end: Option<usize>,
    /// Where to go on.
    resume: usize,
    /// Where the line begins in which `resume` lies, if another than before.
    line: Option<usize>,
}

impl SentenceSplitter {
    /// A splitter. It has no options and no state.
    pub fn new() -> Self {
        Self
    }

    /// Calls `sink` with the place of each sentence in `text`, in order.
    ///
    /// Places are ranges of bytes that begin and end at character boundaries, do not overlap, are trimmed of white space and
    /// never empty. What is not white space lies in one of them. Takes time linear in the length of the text.
    pub fn sentences(&self, text: &str, mut sink: impl FnMut(Range<usize>)) {
        let mut candidates = Candidates::new(text);
        let first = gap(text, 0);
        let mut start = first.next;
        let mut from = start;
        let mut line = first.line.unwrap_or(0);
        while let Some(at) = candidates.next(from) {
            let verdict = match char_at(text, at) {
                Some(c) if is_line_end(c) => lines::judge(
                    text,
                    Line {
                        start: line,
                        sentence: start,
                        end: at,
                    },
                ),
                Some(c) => stops::judge(text, start, at, c),
                None => break,
            };
            from = verdict.resume;
            if let Some(begin) = verdict.line {
                line = begin;
            }
            if let Some(end) = verdict.end {
                emit(text, start..end, &mut sink);
                start = from;
            }
        }
        emit(text, start..text.len(), &mut sink);
    }
}

fn emit(text: &str, range: Range<usize>, sink: &mut impl FnMut(Range<usize>)) {
    let end = range.start + text[range.clone()].trim_end().len();
    if range.start < end {
        sink(range.start..end);
    }
}

/// White space at a place.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Where it ends.
    next: usize,
    /// Where the last line begins that it reaches into, if it holds a line end.
    line: Option<usize>,
    /// Whether it holds an empty line, a form feed or a paragraph separator, which end any sentence.
    ends: bool,
}

/// The white space at `at`, which may be none.
#[inline]
fn gap(text: &str, at: usize) -> Gap {
    let bytes = text.as_bytes();
    // One space is what stands between sentences nearly always.
    if bytes.get(at) == Some(&b' ') && bytes.get(at + 1).is_some_and(u8::is_ascii_graphic) {
        return Gap {
            next: at + 1,
            line: None,
            ends: false,
        };
    }
    if bytes.get(at) == Some(&b'\n') && bytes.get(at + 1).is_some_and(u8::is_ascii_graphic) {
        return Gap {
            next: at + 1,
            line: Some(at + 1),
            ends: false,
        };
    }
    if bytes.get(at).is_some_and(u8::is_ascii_graphic) {
        return Gap {
            next: at,
            line: None,
            ends: false,
        };
    }
    long_gap(text, at)
}

fn long_gap(text: &str, at: usize) -> Gap {
    let mut gap = Gap {
        next: text.len(),
        line: None,
        ends: false,
    };
    let mut last = ' ';
    for (offset, c) in text[at..].char_indices() {
        if !c.is_whitespace() {
            gap.next = at + offset;
            break;
        }
        if is_line_end(c) {
            let pair = last == '\r' && c == '\n';
            gap.ends |= matches!(c, '\u{C}' | '\u{2029}') || (gap.line.is_some() && !pair);
            gap.line = Some(at + offset + c.len_utf8());
        }
        last = c;
    }
    gap
}
