//! Features of a word: what it says of its own tag and of those of its neighbours.
//!
//! A feature is a number of 32 bits, the hash of a template and a piece of the word in lower case with all digits made 0.
//! Words longer than [`LONGEST`] bytes are seen by their two ends only.

use crate::hash::{finish, hash_bytes};

/// Rows a word has: for itself, for the word after it, for the word before it.
pub(super) const PLACES: usize = 3;
/// The word's own row.
pub(super) const OWN: usize = 0;
/// What a word says of the next word, which has it on the left.
pub(super) const LEFT: usize = 1;
/// What a word says of the word before.
pub(super) const RIGHT: usize = 2;

/// No word has more features.
pub(super) const MOST_FEATURES: usize = 32;

/// Bytes of a word that are looked at as a whole.
const LONGEST: usize = 96;

// Templates: a number for each kind of feature. Those of a place lie together.
const IDENTITY: u64 = 1;
const SUFFIX: u64 = 2;
const PREFIX: u64 = 8;
const SHAPE: u64 = 12;
const LENGTH: u64 = 13;
const HANGUL: u64 = 14;
const CASED_IDENTITY: u64 = 16;
const CASED_SUFFIX: u64 = 17;
const OF_LEFT: u64 = 32;
const OF_RIGHT: u64 = 64;
const BOUNDARY: u64 = 96;
const TRANSITION: u64 = 98;

#[inline]
fn feature(template: u64, piece: u64) -> u32 {
    (finish(piece ^ template.wrapping_mul(0xD6E8_FEB8_6659_FD93)) >> 32) as u32
}

/// Feature of the edge of a text: 0 its start, 1 its end.
pub(super) fn boundary(edge: usize) -> u32 {
    feature(BOUNDARY + edge as u64, 0)
}

/// Features of the tags before a word, each counted from 1, 0 before the first.
pub(super) fn transition(last: usize, last_but_one: usize) -> [u32; 2] {
    [
        feature(TRANSITION, last as u64),
        feature(TRANSITION + 1, (last_but_one * 32 + last) as u64),
    ]
}

/// Calls `sink` with place and feature of all that `word` says. `first` tells the first word of a text, whose capital says
/// less. `buffer` is room to work in.
pub(super) fn word_features(
    word: &str,
    first: bool,
    buffer: &mut String,
    sink: &mut impl FnMut(usize, u32),
) {
    let shape = fold_word(word, buffer);
    let folded = buffer.as_str();
    let identity = hash_bytes(folded.as_bytes());
    let case = u64::from(shape.case) * 2 + u64::from(first);
    let shape_piece = shape.piece() * 2 + u64::from(first);

    sink(OWN, feature(IDENTITY, identity));
    sink(OWN, feature(CASED_IDENTITY, identity ^ case));
    sink(OWN, feature(SHAPE, shape_piece));
    sink(OWN, feature(LENGTH, u64::from(shape.length)));
    sink(LEFT, feature(OF_LEFT + IDENTITY, identity));
    sink(RIGHT, feature(OF_RIGHT + IDENTITY, identity));
    sink(LEFT, feature(OF_LEFT + SHAPE, shape.piece()));
    sink(RIGHT, feature(OF_RIGHT + SHAPE, shape.piece()));

    for (count, (at, _)) in folded.char_indices().rev().take(5).enumerate() {
        let (count, suffix) = (count as u64, hash_bytes(&folded.as_bytes()[at..]));
        sink(OWN, feature(SUFFIX + count, suffix));
        if count == 2 {
            sink(OWN, feature(CASED_SUFFIX, suffix ^ case));
        }
        if (1..3).contains(&count) {
            sink(LEFT, feature(OF_LEFT + SUFFIX + count, suffix));
            sink(RIGHT, feature(OF_RIGHT + SUFFIX + count, suffix));
        }
    }
    for (count, (at, character)) in folded.char_indices().take(3).enumerate() {
        let prefix = hash_bytes(&folded.as_bytes()[..at + character.len_utf8()]);
        sink(OWN, feature(PREFIX + count as u64, prefix));
    }
    if let Some(last @ '가'..='힣') = folded.chars().next_back() {
        let rhyme = (last as u64 - '가' as u64) % (21 * 28);
        sink(OWN, feature(HANGUL, rhyme));
        sink(OWN, feature(HANGUL + 1, rhyme % 28));
    }
}

/// How a word is written.
#[derive(Clone, Copy, Default)]
struct Shape {
    /// 0 none, 1 first letter only, 2 all, 3 some other capitals.
    case: u8,
    /// Digits: 0 none, 1 some, 2 nothing else.
    digits: u8,
    apostrophe: bool,
    /// Other marks inside: a full stop, a hyphen.
    mark: bool,
    script: u8,
    /// Characters, at most 9.
    length: u8,
}

impl Shape {
    fn piece(self) -> u64 {
        let marks = u64::from(self.apostrophe) * 2 + u64::from(self.mark);
        ((u64::from(self.case) * 4 + u64::from(self.digits)) * 4 + marks) * 16
            + u64::from(self.script)
    }
}

/// Writes the folded form of `word` to `buffer` and gives its shape.
fn fold_word(word: &str, buffer: &mut String) -> Shape {
    buffer.clear();
    let mut shape = Shape::default();
    let (mut letters, mut capitals, mut digits, mut count) = (0_u32, 0_u32, 0_u32, 0_usize);
    let mut starts_with_capital = false;
    let (head, tail) = ends(word);
    for character in head.chars().chain(tail.chars()) {
        let mut capital = false;
        match character {
            'a'..='z' => {
                letters += 1;
                buffer.push(character);
            }
            'A'..='Z' => {
                letters += 1;
                capital = true;
                buffer.push(character.to_ascii_lowercase());
            }
            '0'..='9' => {
                digits += 1;
                buffer.push('0');
            }
            '\'' | '’' => {
                shape.apostrophe = true;
                buffer.push('\'');
            }
            // Kana, Han and Hangul have no case.
            '\u{3041}'..='\u{D7A3}' => {
                letters += 1;
                shape.script = shape.script.max(script(character));
                buffer.push(character);
            }
            // Letters of Latin, Greek and Cyrillic.
            '\u{C0}'..='\u{52F}' => {
                letters += 1;
                shape.script = shape.script.max(script(character));
                capital = push_lower(character, buffer);
            }
            _ if character.is_numeric() => {
                digits += 1;
                buffer.push('0');
            }
            _ => {
                if character.is_alphabetic() {
                    letters += 1;
                } else {
                    shape.mark = true;
                }
                shape.script = shape.script.max(script(character));
                capital = push_lower(character, buffer);
            }
        }
        capitals += u32::from(capital);
        starts_with_capital |= capital && count == 0;
        count += 1;
    }
    shape.case = match capitals {
        0 => 0,
        1 if starts_with_capital => 1,
        _ if capitals == letters => 2,
        _ => 3,
    };
    shape.digits = match (digits, letters) {
        (0, _) => 0,
        (_, 0) => 2,
        _ => 1,
    };
    shape.length = count.min(9) as u8;
    shape
}

/// Appends the character in lower case and tells whether that is another.
fn push_lower(character: char, buffer: &mut String) -> bool {
    let lower = character.to_lowercase();
    buffer.extend(lower.clone());
    lower.ne([character])
}

/// The word whole, or its two ends when it is very long.
fn ends(word: &str) -> (&str, &str) {
    if word.len() <= LONGEST {
        return (word, "");
    }
    let head = word.floor_char_boundary(LONGEST / 2);
    let tail = word.ceil_char_boundary(word.len() - LONGEST / 2);
    (&word[..head], &word[tail..])
}

fn script(character: char) -> u8 {
    match character as u32 {
        0..0x250 => 0,
        0x370..0x400 => 1,
        0x400..0x530 => 2,
        0x3040..0x30A0 => 3,
        0x30A0..0x3100 | 0xFF66..0xFFA0 => 4,
        0x3400..0xA000 | 0xF900..0xFB00 | 0x20000..0x32000 => 5,
        0x1100..0x1200 | 0x3130..0x3190 | 0xA960..0xA980 | 0xAC00..0xD800 => 6,
        _ => 7,
    }
}
