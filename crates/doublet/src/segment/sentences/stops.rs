//! Judges a full stop, a question mark or any other stop: whether a sentence ends there, and with which closing quotes.

use super::chars::{
    char_at, char_before, is_attached, is_cased, is_closer, is_continuing, is_dash,
    is_either_quote, is_hangul, is_mark, is_opener, is_picture, is_quote, is_stop, is_strong_stop,
    is_thai_or_lao, is_unspaced,
};
use super::words::{
    Before, Kind, after_determiner, is_address, is_casual_starter, is_counted, is_roman,
    is_shouted, is_starter, word_at,
};
use super::{Gap, Verdict, gap, lines};

/// Stops that stand together, and what closes after them.
#[derive(Clone, Copy, Debug)]
struct Run {
    end: usize,
    /// Whether it holds a stop that ends sentences whatever follows.
    strong: bool,
    /// Whether it holds an exclamation or question mark of scripts with spaces.
    mark: bool,
    /// Whether it is one full stop, apart from what closes.
    single: bool,
    /// Whether a quote or bracket closes.
    closed: bool,
}

impl Run {
    /// Notes what more belongs to the run.
    fn add(&mut self, more: &str) {
        for c in more.chars() {
            self.single &= !is_stop(c);
            self.strong |= is_strong_stop(c);
            self.mark |= is_mark(c);
            self.closed |= is_closer(c) || is_either_quote(c);
        }
    }
}

/// What comes after a stop and white space.
#[derive(Clone, Copy, Debug)]
pub(super) struct After {
    pub(super) kind: Next,
    /// Where the first letter or digit stands.
    pub(super) word: usize,
    /// Whether a quote opens before it.
    quote: bool,
}

/// What the next word begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Lower,
    Upper,
    /// A letter of a script without case.
    Caseless,
    Digit,
    /// Something that carries on: a comma, say.
    Continuing,
    Other,
}

/// Judges the stop `first` at `at`, in the sentence that begins at `start`.
pub(super) fn judge(text: &str, start: usize, at: usize, first: char) -> Verdict {
    if first == ';' {
        return judge_greek(text, at);
    }
    let run = take_run(text, at, first);
    let gap = gap(text, run.end);
    let go_on = Verdict {
        end: None,
        resume: run.end,
        line: None,
    };
    let cut = Verdict {
        end: Some(run.end),
        resume: gap.next,
        line: gap.line,
    };
    if gap.ends || gap.next >= text.len() {
        return cut;
    }
    let ends = if gap.next == run.end {
        ends_without_space(text, at, first, run)
    } else {
        ends_before_space(text, start, at, run, gap)
    };
    match (ends, gap.line) {
        (true, _) => cut,
        // The line end needs no look of its own, unless an item begins after it.
        (false, Some(_)) if !lines::is_item(text, gap.next) => Verdict { end: None, ..cut },
        (false, _) => go_on,
    }
}

/// A semicolon is a question mark between Greek words.
fn judge_greek(text: &str, at: usize) -> Verdict {
    let is_greek = |c: char| matches!(c, '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}');
    let mut end = at + 1;
    while let Some(c) = char_at(text, end).filter(|&c| is_closer(c) || is_either_quote(c)) {
        end += c.len_utf8();
    }
    let gap = gap(text, end);
    let ends = char_before(text, at).is_some_and(is_greek)
        && gap.next > end
        && after(text, gap.next).kind == Next::Upper;
    Verdict {
        end: ends.then_some(end),
        resume: if ends { gap.next } else { at + 1 },
        line: gap.line.filter(|_| ends),
    }
}

/// The stops from `at` on, with everything that belongs to them.
fn take_run(text: &str, at: usize, first: char) -> Run {
    let mut run = Run {
        end: at + first.len_utf8(),
        strong: is_strong_stop(first),
        mark: is_mark(first),
        single: first == '.',
        closed: false,
    };
    while let Some(c) = char_at(text, run.end) {
        if is_stop(c) {
            run.add(c.encode_utf8(&mut [0; 4]));
        } else if is_closer(c) || (is_either_quote(c) && !opens(text, run.end + c.len_utf8())) {
            run.closed = true;
        } else if c == ' ' || c == '\u{A0}' {
            match attached_after_space(text, run.end + c.len_utf8()) {
                Some(end) => {
                    run.add(&text[run.end..end]);
                    run.end = end;
                    continue;
                }
                None => break,
            }
        } else if let Some(end) = footnote(text, run.end) {
            run.end = end;
            continue;
        } else if !is_attached(c) && !is_picture(c) {
            break;
        }
        run.end += c.len_utf8();
    }
    run
}

/// Whether a quote that may open or close opens: a letter or digit stands at `at`, right after it, that is no particle of
/// Korean reported speech.
fn opens(text: &str, at: usize) -> bool {
    char_at(text, at).is_some_and(|c| {
        c.is_alphanumeric() && !matches!(c, '고' | '라' | '며' | '면' | '는' | '란')
    })
}

/// The end of what belongs to a stop though a space is between: more stops, a quote that closes, pictures, a smiley.
fn attached_after_space(text: &str, at: usize) -> Option<usize> {
    let first = char_at(text, at)?;
    let mut end = at;
    if is_stop(first) {
        end = text.len() - text[at..].trim_start_matches(is_stop).len();
    } else if is_picture(first) {
        end = text.len()
            - text[at..]
                .trim_start_matches(|c| is_picture(c) || is_attached(c))
                .len();
    } else if is_closer(first) || matches!(first, '"' | '\'' | '»') {
        end = text.len()
            - text[at..]
                .trim_start_matches(|c| is_closer(c) || matches!(c, '"' | '\'' | '»'))
                .len();
    } else if matches!(first, ':' | ';' | '=') {
        let rest = &text[at + 1..];
        let face = rest.strip_prefix(['-', '\'']).unwrap_or(rest);
        let after =
            face.trim_start_matches([')', '(', 'D', 'P', 'p', '/', '|', '*', '3', '>', '<']);
        if after.len() < face.len() {
            end = text.len() - after.len();
        }
    }
    let apart = char_at(text, end).is_none_or(|c| c.is_whitespace() || is_closer(c));
    // Tibetan writes a second shad before the next word.
    let shad = matches!(first, '།' | '༎');
    (end > at && (apart || shad)).then_some(end)
}

/// The end of a footnote's number in brackets at `at`.
fn footnote(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].strip_prefix('[')?;
    let digits = rest.bytes().take(4).take_while(u8::is_ascii_digit).count();
    (digits > 0 && rest.as_bytes().get(digits) == Some(&b']')).then_some(at + digits + 2)
}

/// What stands at `at`, past quotes, brackets and dashes, but not beyond an empty line.
pub(super) fn after(text: &str, at: usize) -> After {
    let mut after = After {
        kind: Next::Other,
        word: at,
        quote: false,
    };
    let mut dashed = false;
    for (offset, c) in text[at..].char_indices().take(8) {
        after.word = at + offset;
        after.kind = if c.is_lowercase() {
            if is_like_capital(&text[after.word..]) {
                Next::Upper
            } else {
                Next::Lower
            }
        } else if c.is_uppercase() {
            Next::Upper
        } else if c.is_numeric() {
            Next::Digit
        } else if c.is_alphabetic() {
            Next::Caseless
        } else if offset == 0 && text[at..].starts_with(",,") {
            // Two commas open a quote in Dutch.
            after.quote = true;
            continue;
        } else if is_continuing(c) && offset == 0 {
            Next::Continuing
        } else if is_opener(c) || is_quote(c) || (c == ',' && after.quote) {
            after.quote |= is_quote(c);
            continue;
        } else if is_dash(c) || is_attached(c) || matches!(c, '*' | '_' | '#' | '@') {
            dashed = true;
            continue;
        } else if c.is_whitespace() && dashed && !gap(text, after.word).ends {
            continue;
        } else {
            Next::Other
        };
        break;
    }
    after
}

/// Whether a word that begins with a small letter begins sentences as it is: `iPhone`, `eBay`, an address.
fn is_like_capital(rest: &str) -> bool {
    rest.chars().nth(1).is_some_and(char::is_uppercase) || is_address(rest)
}

fn ends_without_space(text: &str, at: usize, first: char, run: Run) -> bool {
    let Some(next) = char_at(text, run.end) else {
        return true;
    };
    let before = char_before(text, at);
    if run.strong {
        return ends_strongly(text, at, first, run, next);
    }
    if next.is_ascii() && !next.is_ascii_uppercase() && !is_opener(next) && !is_either_quote(next) {
        return false;
    }
    let spaceless = |c: char| is_hangul(c) || is_unspaced(c);
    if before.is_some_and(spaceless) {
        // Korean reported speech goes on right after the quote.
        return !run.closed
            && (run.single || run.mark)
            && (spaceless(next) || is_opener(next) || is_quote(next) || next.is_ascii_uppercase());
    }
    (run.single || run.mark) && !run.closed && is_missing_space(text, at, run.end)
}

/// Whether only a space is missing: `end.The man`, of plain words on both sides.
fn is_missing_space(text: &str, at: usize, next: usize) -> bool {
    let before = Before::new(text, at);
    let word = word_at(text, next);
    let mut letters = word.chars();
    let rest = &text[next + word.len()..];
    before.plain
        && before.kind == Kind::Word
        && at - before.start >= 3
        && text[before.start..at]
            .chars()
            .skip(1)
            .all(char::is_lowercase)
        && letters.next().is_some_and(char::is_uppercase)
        && letters.all(|c| c.is_lowercase() || c == '\'')
        && (word.len() > 1 || word == "I" || word == "A")
        && rest
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || c == ',')
}

/// Stops of scripts without spaces, and others that have no other use.
fn ends_strongly(text: &str, at: usize, first: char, run: Run, next: char) -> bool {
    if is_continuing(next) {
        return false;
    }
    if first == '．' {
        let numeric = |c: Option<char>| c.is_some_and(|c| c.is_numeric() || is_cased(c));
        return !(numeric(char_before(text, at)) && numeric(Some(next)));
    }
    let rest = &text[run.end..];
    if run.closed {
        return !goes_on_after_quote(rest);
    }
    let quoting = rest.starts_with('と') || rest.starts_with("って");
    !(quoting && matches!(first, '！' | '？'))
}

/// Whether the text after a closed quote belongs to the sentence around it: a particle in Japanese, in Chinese who said it.
fn goes_on_after_quote(rest: &str) -> bool {
    let mut chars = rest.chars();
    let Some(first) = chars.next() else {
        return false;
    };
    if matches!(
        first,
        'と' | 'っ'
            | 'の'
            | 'を'
            | 'は'
            | 'が'
            | 'も'
            | 'に'
            | 'で'
            | 'へ'
            | 'や'
            | 'か'
            | 'だ'
            | '的'
    ) {
        return true;
    }
    if rest.starts_with("など") || rest.starts_with("らし") || rest.starts_with("なん") {
        return true;
    }
    let speech = |c: char| matches!(c, '说' | '說' | '道' | '问' | '問' | '答' | '喊' | '叫');
    chars.take(4).take_while(|&c| is_unspaced(c)).any(speech)
}

fn ends_before_space(text: &str, start: usize, at: usize, run: Run, gap: Gap) -> bool {
    let after = after(text, gap.next);
    if after.kind == Next::Continuing {
        return false;
    }
    if run.strong {
        return !(run.closed && goes_on_after_quote(&text[gap.next..]));
    }
    if run.single {
        return full_stop_ends(text, start, at, run, after);
    }
    if after.kind == Next::Lower {
        return !run.closed && lower_after(text, at, run, after);
    }
    true
}

/// Whether a mark or several stops end a sentence though a small letter follows. After a capital a mark may belong to a name:
/// `Yahoo! is`. Dots alone are a pause.
fn lower_after(text: &str, at: usize, run: Run, after: After) -> bool {
    let before = Before::new(text, at);
    if before
        .last
        .is_some_and(|c| c.is_alphabetic() && !is_cased(c))
    {
        return true;
    }
    run.mark
        && (!text[before.start..].starts_with(char::is_uppercase)
            || is_casual_starter(word_at(text, after.word)))
}

fn full_stop_ends(text: &str, start: usize, at: usize, run: Run, after: After) -> bool {
    let before = Before::new(text, at);
    let word = || word_at(text, after.word);
    if before.last.is_some_and(is_thai_or_lao) {
        return false;
    }
    let lower = after.kind == Next::Lower;
    let mut kind = before.kind;
    // What is written in capitals among other words stands for itself: `PR.`, `60 MW.`
    if matches!(kind, Kind::Never | Kind::Maybe)
        && is_shouted(&text[before.start..at])
        && !is_shouted(word())
    {
        kind = Kind::Word;
    }
    match kind {
        Kind::Word if lower => lower_after_word(text, at, before, run, after),
        Kind::Word => true,
        _ if lower => false,
        Kind::Never => false,
        Kind::Number => {
            !(after.kind == Next::Digit
                || is_roman(word())
                || (word().len() == 1 && word() != "I" && word() != "A"))
        }
        Kind::Maybe => after.quote || is_starter(word()),
        Kind::Initial => before.start > start && is_starter(word()),
        Kind::Ordinal => !is_listed(text, start, before.start) && ordinal_ends(text, before, after),
        Kind::Digits => {
            !(after.kind == Next::Digit
                && is_date(&text[before.start..at], word(), text, after.word))
        }
    }
}

/// Whether a full stop after an ordinary word ends a sentence though a small letter follows.
fn lower_after_word(text: &str, at: usize, before: Before, run: Run, after: After) -> bool {
    if before
        .last
        .is_some_and(|c| c.is_alphabetic() && !is_cased(c))
    {
        return true;
    }
    let word = &text[before.start..at];
    let letters = word.chars().count();
    !run.closed
        && before.plain
        && word.starts_with(char::is_lowercase)
        && (letters >= 4 || letters >= 2 && is_casual_starter(word_at(text, after.word)))
}

/// Whether the number at `at` counts an item: first in its sentence, or after a colon, quote or bracket.
fn is_listed(text: &str, start: usize, at: usize) -> bool {
    let before = text[start..at].trim_end_matches(' ');
    before
        .chars()
        .next_back()
        .is_none_or(|c| c == ':' || is_opener(c) || is_quote(c) || is_dash(c))
}

/// Whether a number with a full stop ends its sentence, rather than being an ordinal.
fn ordinal_ends(text: &str, before: Before, after: After) -> bool {
    let word = word_at(text, after.word);
    match after.kind {
        Next::Digit => !is_date("", word, text, after.word),
        Next::Caseless => !is_last_of_date(text, before.start),
        Next::Upper => {
            is_starter(word) || !(is_counted(word) || after_determiner(text, before.start))
        }
        _ => true,
    }
}

/// Whether the number at `at` follows another with a full stop, as the day does in `2020. 1. 5.`
fn is_last_of_date(text: &str, at: usize) -> bool {
    let before = text[..at].strip_suffix(". ").unwrap_or_default();
    before.ends_with(|c: char| c.is_ascii_digit())
}

/// Whether a number and the next are parts of a date: `1. 1. 2020`, `2020. 1. 5.`
fn is_date(number: &str, next: &str, text: &str, at: usize) -> bool {
    let stop = text.as_bytes().get(at + next.len()) == Some(&b'.');
    let year = |word: &str| word.len() == 4;
    (next.len() <= 2 && stop && (number.is_empty() || year(number)))
        || (number.is_empty() && year(next))
}
