//! The word before a full stop: whether it is short for something, a number or a word that a sentence can end with.

use super::abbreviations::{CAPITAL, MAYBE, NEVER, NUMBER};
use super::chars::char_before;
use super::starters::{BEFORE_ORDINAL, CASUAL, COUNTED, HANGING, STARTERS};

/// Longest word, in bytes, that is looked at; no list has a longer one.
const LONGEST: usize = 40;

/// Longest word of small ASCII letters, without inner stops, in any list.
const LONGEST_PLAIN: usize = 7;

/// A bit for each listed word, by a small hash; most other words end their search here.
static FILTER: [u64; 128] = {
    let mut filter = [0; 128];
    let lists = [NEVER, NUMBER, MAYBE];
    let mut list = 0;
    while list < lists.len() {
        let mut word = 0;
        while word < lists[list].len() {
            let bit = filter_bit(lists[list][word].as_bytes());
            filter[bit / 64] |= 1 << (bit % 64);
            word += 1;
        }
        list += 1;
    }
    filter
};

const fn filter_bit(word: &[u8]) -> usize {
    let mut sum = word.len();
    let mut at = 0;
    while at < word.len() {
        sum = (sum * 31 + word[at] as usize) & 0xFFFF;
        at += 1;
    }
    sum % 8192
}

/// What a full stop after a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An ordinary word, or none.
    Word,
    /// Short for something; a sentence does not end here.
    Never,
    /// Short for something that a number follows.
    Number,
    /// Short for something, perhaps at the end of a sentence.
    Maybe,
    /// A single letter, perhaps of a name.
    Initial,
    /// A number that may be an ordinal or count items.
    Ordinal,
    /// Digits otherwise.
    Digits,
}

/// The word that ends at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) kind: Kind,
    /// Where it begins.
    pub(super) start: usize,
    /// Its last character, if it has any.
    pub(super) last: Option<char>,
    /// Whether it is made of letters alone, the first of which may be a capital.
    pub(super) plain: bool,
}

impl Before {
    /// Looks at the word that ends at `at`.
    pub(super) fn new(text: &str, at: usize) -> Self {
        let start = token_start(text, at);
        let token = &text[start..at];
        // Most sentences end with a word that is too long for the lists.
        if token.len() > LONGEST_PLAIN && token.bytes().all(|byte| byte.is_ascii_lowercase()) {
            let street = token.ends_with("str");
            return Self {
                kind: if street { Kind::Number } else { Kind::Word },
                start,
                last: token.chars().next_back(),
                plain: begins_plainly(text, start),
            };
        }
        let last = token.chars().next_back();
        let plain = last.is_some_and(char::is_alphabetic) && token.chars().all(char::is_alphabetic);
        Self {
            kind: kind(token),
            start,
            last,
            plain: plain && begins_plainly(text, start),
        }
    }
}

/// Whether nothing but white space, a quote or a bracket stands before the word at `start`.
fn begins_plainly(text: &str, start: usize) -> bool {
    let opens =
        |c: char| c.is_whitespace() || super::chars::is_opener(c) || super::chars::is_quote(c);
    char_before(text, start).is_none_or(opens)
}

/// Where the run of letters, digits, inner stops and hyphens begins that ends at `at`.
fn token_start(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut start = at;
    let floor = at.saturating_sub(LONGEST);
    while start > floor {
        let byte = bytes[start - 1];
        if byte < 0x80 {
            if !byte.is_ascii_alphanumeric() && !matches!(byte, b'.' | b'-' | b'\'' | b'/') {
                break;
            }
            start -= 1;
        } else {
            match char_before(text, start) {
                Some(c)
                    if c.is_alphanumeric()
                        || matches!(c, '’' | '№' | '§')
                        || super::chars::is_attached(c) =>
                {
                    start -= c.len_utf8();
                }
                _ => break,
            }
        }
    }
    start
}

fn kind(token: &str) -> Kind {
    if token.is_empty() {
        return Kind::Word;
    }
    if token.as_bytes()[0].is_ascii_digit()
        && token
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return if token.len() <= 3 {
            Kind::Ordinal
        } else {
            Kind::Digits
        };
    }
    let listed = listed(token);
    if listed != Kind::Word {
        return listed;
    }
    // What stands before a hyphen or an apostrophe does not count: `d'U.S.`, `Jean-J.`
    let word = token.rsplit(['-', '\'', '’', '/']).next().unwrap_or(token);
    if word.len() < token.len() {
        let part = self::listed(word);
        if part != Kind::Word {
            return part;
        }
    }
    let piece = word.rsplit('.').next().unwrap_or(word);
    let mut letters = piece.chars();
    match (letters.next(), letters.next()) {
        (Some(c), None) if super::chars::is_cased(c) => {
            return if word.len() == piece.len() {
                Kind::Initial
            } else {
                Kind::Maybe
            };
        }
        _ => {}
    }
    let short = |piece: &str| piece.chars().count() <= 2 && piece.chars().all(char::is_alphabetic);
    if piece.len() < word.len() && word.split('.').all(short) {
        return Kind::Maybe;
    }
    if is_roman(word) {
        return Kind::Ordinal;
    }
    // German street names.
    if word.len() > 5 && (word.ends_with("str") || word.ends_with("Str")) {
        return Kind::Number;
    }
    Kind::Word
}

fn listed(word: &str) -> Kind {
    let mut buffer = [0; LONGEST];
    let Some(folded) = fold(word, &mut buffer) else {
        return Kind::Word;
    };
    let bit = filter_bit(folded.as_bytes());
    if FILTER[bit / 64] >> (bit % 64) & 1 == 0 {
        return Kind::Word;
    }
    let kind = if contains(NEVER, folded) {
        Kind::Never
    } else if contains(NUMBER, folded) {
        Kind::Number
    } else if contains(MAYBE, folded) {
        Kind::Maybe
    } else {
        return Kind::Word;
    };
    if word.starts_with(char::is_lowercase) && contains(CAPITAL, folded) {
        return Kind::Word;
    }
    kind
}

/// The word in lower case, or none if it is longer than any in a list.
fn fold<'a>(word: &str, buffer: &'a mut [u8; LONGEST]) -> Option<&'a str> {
    if word.is_ascii() {
        let folded = buffer.get_mut(..word.len())?;
        folded.copy_from_slice(word.as_bytes());
        folded.make_ascii_lowercase();
        return std::str::from_utf8(folded).ok();
    }
    let mut length = 0;
    for c in word.chars().flat_map(char::to_lowercase) {
        let c = if c == '’' { '\'' } else { c };
        c.encode_utf8(buffer.get_mut(length..length + c.len_utf8())?);
        length += c.len_utf8();
    }
    std::str::from_utf8(&buffer[..length]).ok()
}

fn contains(list: &[&str], word: &str) -> bool {
    list.binary_search(&word).is_ok()
}

fn is_in(list: &[&str], word: &str) -> bool {
    let mut buffer = [0; LONGEST];
    fold(word, &mut buffer).is_some_and(|folded| contains(list, folded))
}

/// The word that begins at `at`: letters and inner apostrophes.
pub(super) fn word_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let end = rest
        .char_indices()
        .take(LONGEST)
        .find(|&(_, c)| !is_part(c));
    let end = end.map_or_else(
        || {
            rest.char_indices()
                .nth(LONGEST)
                .map_or(rest.len(), |(end, _)| end)
        },
        |(end, _)| end,
    );
    &rest[..end]
}

/// Whether a word has two letters or more, all capitals.
pub(super) fn is_shouted(word: &str) -> bool {
    word.len() > 1 && word.chars().all(char::is_uppercase)
}

/// Whether a web address begins the text.
pub(super) fn is_address(text: &str) -> bool {
    text.starts_with("http") || text.starts_with("www.")
}

/// Whether a word often begins sentences and is no part of a name.
pub(super) fn is_starter(word: &str) -> bool {
    is_in(STARTERS, word)
}

/// Whether a word in lower case begins a sentence among people who write no capitals.
pub(super) fn is_casual_starter(word: &str) -> bool {
    is_in(CASUAL, word)
}

/// Whether a word needs another after it.
pub(super) fn is_hanging(word: &str) -> bool {
    is_in(HANGING, word)
}

/// Whether a word follows ordinals in German.
pub(super) fn is_counted(word: &str) -> bool {
    is_in(COUNTED, word)
}

/// Whether the word before the number that begins at `at` is one that German has before ordinals.
pub(super) fn after_determiner(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\u{A0}', '\n', '\r']);
    let start = token_start(text, before.len());
    before.len() < at && is_in(BEFORE_ORDINAL, &before[start..])
}

/// Whether a word is a Roman number of two letters or more, in capitals.
pub(super) fn is_roman(word: &str) -> bool {
    (2..=7).contains(&word.len()) && word.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X'))
}
