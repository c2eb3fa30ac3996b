//! What a character is to the scan for terms: the word-break classes of UAX #29, split by script where scripts differ.
//!
//! One look-up a character for the basic plane, as in [`crate::normalize::class`], from which most of it follows.

use std::sync::LazyLock;

use unicode_segmentation::UnicodeSegmentation;

use crate::normalize::class::{Class, ClassTable};

macro_rules! kinds {
    ($($kind:ident $what:literal)*) => {
        /// The part a character plays in the scan.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub(super) enum Kind {
            $(#[doc = $what] $kind,)*
        }

        const KINDS: &[Kind] = &[$(Kind::$kind),*];
    };
}

// The letters come first, so that a comparison finds them.
kinds! {
    Latin "A Latin letter."
    Cyrillic "A Cyrillic letter."
    Greek "A Greek letter."
    Hebrew "A Hebrew letter; quotes stand inside its words."
    Arabic "An Arabic letter."
    Devanagari "A Devanagari letter."
    Hangul "A Hangul syllable or letter."
    Letter "A letter of another script that separates words."
    Digit "A decimal digit of any script."
    Join "The underscore and its like, part of the word they touch."
    Extend "A mark, joiner or format character: goes on with what stands before it."
    MidLetter "Inside a word between letters: `:`."
    MidNumber "Inside a number between digits: `,`."
    MidBoth "Inside a word or a number: `.` and `’`."
    Quote "The straight single quote: as `MidBoth`."
    DoubleQuote "Inside a word between Hebrew letters."
    Number "A numeric character that is no digit: `½`."
    Han "A Chinese character."
    Kana "A Japanese syllable."
    Complex "A letter or sign of Thai, Lao, Khmer or Burmese."
    Picture "A character that can start an emoji."
    Symbol "A character that starts an emoji if a variation selector says so."
    Flag "Half of a flag."
    At "The sign of mentions."
    Hash "The sign of hashtags."
    Break "White space, punctuation, everything else."
}

impl Kind {
    /// Whether it is a letter of a script that separates words.
    pub(super) fn is_letter(self) -> bool {
        self <= Self::Letter
    }
}

static BASIC_PLANE: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    let classes = ClassTable::get();
    (0..=0xFFFF_u32)
        .map(|code| char::from_u32(code).map_or(Kind::Break, |c| classify(c, classes)) as u8)
        .collect()
});

/// The kinds of all characters, looked up once and held by a segmenter.
#[derive(Clone, Copy, Debug)]
pub(super) struct KindTable {
    basic: &'static [u8],
    classes: ClassTable,
}

impl KindTable {
    /// The table; built on first use.
    pub(super) fn get() -> Self {
        Self {
            basic: &BASIC_PLANE,
            classes: ClassTable::get(),
        }
    }

    /// The kind of a character.
    #[inline]
    pub(super) fn of(self, c: char) -> Kind {
        match self.basic.get(c as usize) {
            Some(&kind) => KINDS[kind as usize],
            None => classify(c, self.classes),
        }
    }

    /// The kind of an ASCII byte.
    #[inline]
    pub(super) fn of_ascii(self, byte: u8) -> Kind {
        KINDS[self.basic[byte as usize] as usize]
    }
}

fn classify(c: char, classes: ClassTable) -> Kind {
    let symbol = classes.of(c) == Class::Boundary || c as u32 > 0xFFFF;
    if let Some(kind) = joining_punctuation(c).or_else(|| picture(c).filter(|_| symbol)) {
        return kind;
    }
    match classes.of(c) {
        Class::Letter => script(c),
        Class::Ideograph if is_kana(c) => Kind::Kana,
        Class::Ideograph => Kind::Han,
        Class::Cluster => Kind::Complex,
        Class::Mark | Class::Ignorable => Kind::Extend,
        Class::Number if is_digit(c) => Kind::Digit,
        // The Roman numerals are letters to UAX #29.
        Class::Number if c.is_alphabetic() => Kind::Latin,
        Class::Number => Kind::Number,
        Class::Boundary if is_format(c) => Kind::Extend,
        Class::Boundary => Kind::Break,
    }
}

/// Punctuation that stands inside words and numbers, and the signs that open mentions and hashtags.
fn joining_punctuation(c: char) -> Option<Kind> {
    Some(match c {
        ':' | '\u{B7}' | '\u{387}' | '\u{55F}' | '\u{5F4}' | '\u{2027}' | '\u{FE13}'
        | '\u{FE55}' | '\u{FF1A}' => Kind::MidLetter,
        ',' | ';' | '\u{37E}' | '\u{589}' | '\u{60C}' | '\u{60D}' | '\u{66C}' | '\u{7F8}'
        | '\u{2044}' | '\u{FE10}' | '\u{FE14}' | '\u{FE50}' | '\u{FE54}' | '\u{FF0C}'
        | '\u{FF1B}' => Kind::MidNumber,
        '.' | '\u{2018}' | '\u{2019}' | '\u{2024}' | '\u{FE52}' | '\u{FF07}' | '\u{FF0E}' => {
            Kind::MidBoth
        }
        '\'' => Kind::Quote,
        '"' => Kind::DoubleQuote,
        '_'
        | '\u{202F}'
        | '\u{203F}'
        | '\u{2040}'
        | '\u{2054}'
        | '\u{FE33}'
        | '\u{FE34}'
        | '\u{FE4D}'..='\u{FE4F}'
        | '\u{FF3F}' => Kind::Join,
        '@' | '\u{FF20}' => Kind::At,
        '#' | '\u{FF03}' => Kind::Hash,
        '\u{66B}' => Kind::Digit,
        _ => return None,
    })
}

fn picture(c: char) -> Option<Kind> {
    match c as u32 {
        0x1F1E6..=0x1F1FF => Some(Kind::Flag),
        0x1F3FB..=0x1F3FF => Some(Kind::Extend),
        0x1F170..=0x1F171 | 0x1F17E..=0x1F17F | 0x1F18E | 0x1F191..=0x1F19A => Some(Kind::Picture),
        0x1F000..=0x1F0FF | 0x1F200..=0x1FAFF => Some(Kind::Picture),
        // Weather, hands, hearts and faces of the old symbol blocks; stars and check marks drawn with the text are not meant.
        0x2600..=0x27BF if is_pictographic(c) && !is_dingbat(c) => Some(Kind::Picture),
        0x2B50 | 0x2B55 | 0x231A..=0x231B | 0x23E9..=0x23F3 => Some(Kind::Picture),
        0xA9 | 0xAE | 0x2000..=0x33FF if is_pictographic(c) => Some(Kind::Symbol),
        _ => None,
    }
}

/// The rule that joins emoji with a zero-width joiner holds for pictographic characters only.
fn is_pictographic(c: char) -> bool {
    let joined = String::from_iter([c, '\u{200D}', c]);
    joined.graphemes(true).nth(1).is_none()
}

fn is_dingbat(c: char) -> bool {
    matches!(c as u32, 0x2605 | 0x2606 | 0x2713..=0x2718 | 0x271A..=0x2726 | 0x2729..=0x2730 | 0x2776..=0x2793)
}

fn is_kana(c: char) -> bool {
    matches!(c as u32, 0x3041..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9D | 0x1B000..=0x1B16F)
}

/// Format characters: direction marks, invisible operators. They never end a word.
fn is_format(c: char) -> bool {
    matches!(c as u32,
        0x0600..=0x0605 | 0x061C | 0x06DD | 0x070F | 0x08E2 | 0x180E | 0x200E | 0x200F | 0x202A..=0x202E
        | 0x2060..=0x206F | 0xFF9E | 0xFF9F | 0xFFF9..=0xFFFB | 0xE0001 | 0xE0020..=0xE007F)
}

fn script(c: char) -> Kind {
    match c as u32 {
        0x41..=0x24F | 0x1E00..=0x1EFF | 0x2C60..=0x2C7F | 0xA720..=0xA7FF | 0xAB30..=0xAB64 => {
            Kind::Latin
        }
        0x250..=0x2FF | 0xFB00..=0xFB06 | 0xFF21..=0xFF5A | 0x1D400..=0x1D7CB => Kind::Latin,
        0x370..=0x3FF | 0x1F00..=0x1FFF => Kind::Greek,
        0x400..=0x52F | 0x1C80..=0x1C8F | 0x2DE0..=0x2DFF | 0xA640..=0xA69F => Kind::Cyrillic,
        0x5D0..=0x5F2 | 0xFB1D..=0xFB4F => Kind::Hebrew,
        0x600..=0x6FF | 0x750..=0x77F | 0x8A0..=0x8FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFF => {
            Kind::Arabic
        }
        0x900..=0x97F | 0xA8E0..=0xA8FF => Kind::Devanagari,
        0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF | 0xFFA0..=0xFFDC => {
            Kind::Hangul
        }
        _ => Kind::Letter,
    }
}

/// The zeros of the scripts that have decimal digits.
const ZEROS: &[u32] = &[
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66,
    0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16A60, 0x16AC0,
    0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E950,
    0x1FBF0,
];

fn is_digit(c: char) -> bool {
    let code = c as u32;
    let before = ZEROS.partition_point(|zero| *zero <= code);
    before > 0 && code - ZEROS[before - 1] < 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_fall_into_their_kinds() {
        let table = KindTable::get();
        for (c, kind) in [
            ('a', Kind::Latin),
            ('ß', Kind::Latin),
            ('ª', Kind::Latin),
            ('я', Kind::Cyrillic),
            ('ע', Kind::Hebrew),
            ('ع', Kind::Arabic),
            ('ह', Kind::Devanagari),
            ('한', Kind::Hangul),
            ('ㅋ', Kind::Hangul),
            ('ა', Kind::Letter),
            ('𝓱', Kind::Latin),
            ('7', Kind::Digit),
            ('٣', Kind::Digit),
            ('७', Kind::Digit),
            ('７', Kind::Digit),
            ('½', Kind::Number),
            ('②', Kind::Number),
            ('Ⅷ', Kind::Latin),
            ('漢', Kind::Han),
            ('〇', Kind::Han),
            ('𠀀', Kind::Han),
            ('か', Kind::Kana),
            ('ー', Kind::Kana),
            ('ﾊ', Kind::Kana),
            ('ก', Kind::Complex),
            ('\u{301}', Kind::Extend),
            ('\u{20E3}', Kind::Extend),
            ('\u{200D}', Kind::Extend),
            ('\u{200F}', Kind::Extend),
            ('’', Kind::MidBoth),
            ('😀', Kind::Picture),
            ('❤', Kind::Picture),
            ('☺', Kind::Picture),
            ('★', Kind::Break),
            ('©', Kind::Symbol),
            ('™', Kind::Symbol),
            ('🇩', Kind::Flag),
            ('＠', Kind::At),
            ('。', Kind::Break),
            (' ', Kind::Break),
            ('\u{FFFD}', Kind::Break),
        ] {
            assert_eq!(table.of(c), kind, "{c} U+{:04X}", c as u32);
        }
    }
}
