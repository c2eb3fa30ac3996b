//! Judges a line end: whether text was wrapped there, or a title or an item stands alone on its line.
//!
//! An empty line always ends a sentence. Otherwise a line that has no stop goes on in the next if that begins with a small
//! letter, or if the line is about as long as wrapped lines are and the next word would not have fitted on it.

use super::chars::{
    char_at, columns, is_cased, is_closer, is_continuing, is_dash, is_hangul, is_opener, is_quote,
    is_stop, is_unspaced,
};
use super::stops::{Next, after};
use super::words::{is_address, is_hanging, is_starter, word_at};
use super::{Verdict, gap};

/// Nobody wraps lines longer than this, in columns: where there is such a line, every line is a paragraph.
const LONGEST_WRAP: usize = 120;
/// Nobody wraps lines shorter than this.
const SHORTEST_WRAP: usize = 40;
/// How much longer the next line must be than this one with the first word of the next, to show that this was not wrapped.
const RAGGED: usize = 12;
/// Bytes of a line that are looked at.
const REACH: usize = 512;

/// A line end, and the line before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) start: usize,
    /// Where the sentence begins.
    pub(super) sentence: usize,
    /// Where the line ends.
    pub(super) end: usize,
}

/// Judges the line end at `line.end`.
pub(super) fn judge(text: &str, line: Line) -> Verdict {
    let gap = gap(text, line.end);
    let ends = gap.ends || gap.next >= text.len() || ends_sentence(text, line, gap.next);
    Verdict {
        end: ends.then_some(line.end),
        resume: gap.next,
        line: gap.line,
    }
}

fn ends_sentence(text: &str, line: Line, next: usize) -> bool {
    // Most wrapped lines begin with two small letters.
    if let Some([first, second, ..]) = text.as_bytes().get(next..)
        && first.is_ascii_lowercase()
        && second.is_ascii_lowercase()
        && !is_address(&text[next..])
    {
        return false;
    }
    let begin = line.start.max(line.end.saturating_sub(REACH));
    let begin = text.ceil_char_boundary(begin);
    let this = text[begin..line.end].trim();
    let Some(last) = this.chars().next_back() else {
        return true;
    };
    if is_item(text, next) {
        return item_ends(text, this, last, next);
    }
    let after = after(text, next);
    if matches!(after.kind, Next::Lower | Next::Continuing) || is_hanging_sign(last) {
        return false;
    }
    // An address stands on a line of its own, unless it was wrapped within a sentence.
    if is_address(&text[next..]) {
        return !last.is_lowercase();
    }
    let that = next_line(text, next);
    let (width, next_width) = (width(this), width(that));
    if width > LONGEST_WRAP || next_width > LONGEST_WRAP {
        return true;
    }
    if is_cased(last) && is_hanging(last_word(this)) {
        return false;
    }
    if is_shouted(this) && !is_shouted(that) {
        return true;
    }
    if after.kind == Next::Digit {
        return false;
    }
    if is_hangul(last) && matches!(last, '다' | '요' | '까' | '죠') {
        return true;
    }
    // Once wrapped text has begun, only a line much too short can be its last.
    let (shortest, ragged) =
        if line.sentence >= line.start && line.sentence < line.end && starts_line(text, line) {
            (SHORTEST_WRAP, RAGGED)
        } else {
            (SHORTEST_WRAP / 2, 2 * RAGGED)
        };
    let first = if is_unspaced(last) {
        2
    } else {
        1 + self::width(first_word(that))
    };
    if is_name_broken(this, that) && width >= SHORTEST_WRAP / 2 && next_width >= SHORTEST_WRAP {
        return false;
    }
    width < shortest || width + first + ragged <= next_width
}

/// Whether a name may go over the line end, in newswire whose first line is short: capitals on both sides, the next word none
/// that begins sentences, and no stop at the end of the next line.
fn is_name_broken(this: &str, that: &str) -> bool {
    let capital = |word: &str| word.starts_with(|c: char| c.is_uppercase());
    let first = first_word(that);
    let has_small = |line: &str| line.chars().any(char::is_lowercase);
    capital(last_word(this))
        && capital(first)
        && !is_starter(word_at(first, 0))
        && has_small(this)
        && !that.ends_with(|c: char| is_stop(c) || is_quote(c))
}

/// Whether the sentence is the first of its line.
fn starts_line(text: &str, line: Line) -> bool {
    text[line.start..line.sentence].len() <= 8 && text[line.start..line.sentence].trim().is_empty()
}

/// Whether an item of a list begins at `at`, with a bullet, a number or a letter.
pub(super) fn is_item(text: &str, at: usize) -> bool {
    mark_end(text, at).is_some()
}

/// The end of the bullet at `at`, and of the space after it, if there is any.
fn mark_end(text: &str, at: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[at..];
    let first = char_at(text, at)?;
    let open = usize::from(first == '(');
    let length = match first {
        '•' | '·' | '‣' | '▪' | '■' | '●' | '○' | '◦' | '►' | '▶' | '➢' | '✓' | '*' | '+' => {
            first.len_utf8()
        }
        _ if is_dash(first) => first.len_utf8(),
        _ => {
            let rest = bytes.get(open..)?;
            let digits = rest
                .iter()
                .take(4)
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let letter =
                usize::from(digits == 0 && rest.first().is_some_and(u8::is_ascii_alphabetic));
            let body = digits + letter;
            let closes = match rest.get(body) {
                Some(b')') => true,
                Some(b'.') => open == 0 && digits > 0 && digits <= 2,
                _ => false,
            };
            if body == 0 || digits > 3 || !closes {
                return None;
            }
            open + body + 1
        }
    };
    let end = at + length;
    match char_at(text, end) {
        Some(next) => next.is_whitespace().then_some(end + next.len_utf8()),
        None => Some(end),
    }
}

/// Whether a sentence ends before the item at `next`. A dash or a number can stand first in a wrapped line by chance.
fn item_ends(text: &str, this: &str, last: char, next: usize) -> bool {
    let Some(body) = mark_end(text, next) else {
        return false;
    };
    let sure = is_item(this, 0)
        || matches!(last, ':' | '.' | '!' | '?' | ';')
        || width(this) < SHORTEST_WRAP;
    sure || !(after(text, body).kind == Next::Lower
        || is_hanging_sign(last)
        || is_hanging(last_word(this)))
}

/// Whether a line that ends with `last` goes on.
fn is_hanging_sign(last: char) -> bool {
    (is_continuing(last) && !matches!(last, ':' | '：' | '%')) || is_dash(last) || is_opener(last)
}

fn next_line(text: &str, at: usize) -> &str {
    let end = text.floor_char_boundary((at + REACH).min(text.len()));
    let rest = &text[at..end];
    let end = rest.find(super::chars::is_line_end).unwrap_or(rest.len());
    rest[..end].trim_end()
}

fn width(line: &str) -> usize {
    if line.is_ascii() {
        return line.len();
    }
    line.chars().map(columns).sum()
}

fn first_word(line: &str) -> &str {
    line.split(char::is_whitespace).next().unwrap_or(line)
}

fn last_word(line: &str) -> &str {
    let word = line.rsplit(char::is_whitespace).next().unwrap_or(line);
    let word = word.trim_matches(|c| is_quote(c) || is_closer(c) || is_opener(c));
    word_at(word, 0)
}

/// Whether a line has words in capitals and none in small letters.
fn is_shouted(line: &str) -> bool {
    let mut capitals = 0;
    for c in line.chars() {
        if c.is_lowercase() {
            return false;
        }
        capitals += usize::from(c.is_uppercase());
    }
    capitals >= 4
}
