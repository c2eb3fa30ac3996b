//! What a character is to the segmenter.
//!
//! One table look-up a character for the basic plane; everything beyond it is Han, rare letters or emoji and is asked of the
//! standard library directly.

use std::sync::LazyLock;

use unicode_normalization::char::is_combining_mark;

/// The part a character plays in cutting a text into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// White space, punctuation, symbols, emoji, controls: between tokens.
    Boundary,
    /// A letter of a script that separates words.
    Letter,
    /// A combining mark: goes on with the token before it, never starts one.
    Mark,
    /// A digit or other numeric character.
    Number,
    /// Han, Kana, Bopomofo: a token by itself.
    Ideograph,
    /// Thai, Lao, Khmer, Burmese letters and signs: each grapheme cluster is a token.
    Cluster,
    /// Soft hyphen, joiners, variation selectors: dropped, and no boundary.
    Ignorable,
}

const CLASSES: [Class; 7] = [
    Class::Boundary,
    Class::Letter,
    Class::Mark,
    Class::Number,
    Class::Ideograph,
    Class::Cluster,
    Class::Ignorable,
];

static BASIC_PLANE: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    (0..=0xFFFFu32)
        .map(|code| char::from_u32(code).map_or(Class::Boundary, classify) as u8)
        .collect()
});

/// The classes of all characters, looked up once and held by a segmenter.
#[derive(Clone, Copy, Debug)]
pub struct ClassTable(&'static [u8]);

impl ClassTable {
    /// The table; built on first use.
    pub fn get() -> Self {
        Self(&BASIC_PLANE)
    }

    /// The class of a character.
    pub fn of(self, c: char) -> Class {
        match self.0.get(c as usize) {
            Some(&class) => CLASSES[class as usize],
            None => classify(c),
        }
    }
}

fn classify(c: char) -> Class {
    match c as u32 {
        0xAD | 0x034F | 0x180B..=0x180F | 0x200C | 0x200D | 0x2060..=0x2064 | 0xFEFF => {
            Class::Ignorable
        }
        0xFE00..=0xFE0F | 0xE0100..=0xE01EF => Class::Ignorable,
        _ if is_ideograph(c) => Class::Ideograph,
        _ if is_cluster_script(c) && (c.is_alphabetic() || is_combining_mark(c)) => Class::Cluster,
        _ if is_combining_mark(c) => Class::Mark,
        _ if c.is_numeric() => Class::Number,
        _ if c.is_alphabetic() => Class::Letter,
        _ => Class::Boundary,
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c as u32,
        0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3038..=0x303B
        | 0x3041..=0x3096 | 0x309D..=0x309F | 0x30A1..=0x30FA | 0x30FC..=0x312F
        | 0x31A0..=0x31BF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF | 0xFF66..=0xFF9D | 0x1B000..=0x1B16F | 0x20000..=0x3FFFD)
        && (c.is_alphabetic() || c == '\u{3007}')
}

fn is_cluster_script(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0xA9E0..=0xA9FF | 0xAA60..=0xAA7F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_fall_into_their_classes() {
        let table = ClassTable::get();
        for (c, class) in [
            ('a', Class::Letter),
            ('ß', Class::Letter),
            ('я', Class::Letter),
            ('ع', Class::Letter),
            ('한', Class::Letter),
            ('\u{301}', Class::Mark),
            ('\u{94D}', Class::Mark),
            ('7', Class::Number),
            ('٣', Class::Number),
            ('½', Class::Number),
            ('漢', Class::Ideograph),
            ('𠀀', Class::Ideograph),
            ('々', Class::Ideograph),
            ('〇', Class::Ideograph),
            ('か', Class::Ideograph),
            ('ー', Class::Ideograph),
            ('・', Class::Boundary),
            ('ก', Class::Cluster),
            ('ខ', Class::Cluster),
            ('က', Class::Cluster),
            ('๓', Class::Number),
            ('\u{AD}', Class::Ignorable),
            ('\u{FE0F}', Class::Ignorable),
            ('👍', Class::Boundary),
            ('\u{200B}', Class::Boundary),
            ('。', Class::Boundary),
            ('_', Class::Boundary),
        ] {
            assert_eq!(table.of(c), class, "U+{:04X}", c as u32);
        }
    }
}
