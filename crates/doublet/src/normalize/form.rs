//! The normal form of one word: NFKC, case folded, and on demand without accents or without letters outside ASCII.
//!
//! Two spellings that a reader takes for the same word (composed or not, full width or not, `STRASSE` or `Straße`) have one
//! normal form, and the normal form of a normal form is itself.

use std::sync::LazyLock;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfkc_quick};

use super::class::{Class, ClassTable};
use crate::options::NormalizeOptions;

/// Writes the normal form of `word` into `out`, which is cleared first. It may be empty.
pub fn normal_form(word: &str, options: &NormalizeOptions, classes: ClassTable, out: &mut String) {
    out.clear();
    if options.ascii {
        let letters = word.chars().filter(char::is_ascii_alphanumeric);
        out.extend(letters.map(|c| fold_ascii(c, options.fold_case)));
        return;
    }
    if !options.fold_accents && push_simple(word, options.fold_case, out) {
        return;
    }
    out.clear();
    if is_nfkc_quick(word.chars()) == IsNormalized::Yes {
        push_folded(word.chars(), options, classes, out);
    } else {
        push_folded(word.nfkc(), options, classes, out);
    }
    if options.fold_accents {
        let bare: String = out
            .nfd()
            .filter(|&c| !is_accent(c))
            .flat_map(plain_letter)
            .collect();
        *out = bare;
    }
    if is_nfc_quick(out.chars()) != IsNormalized::Yes {
        *out = out.nfkc().collect();
    }
    // Signs that stand first may have changed places with the marks after them.
    let marks = out.len()
        - out
            .trim_start_matches(|c| classes.of(c) == Class::Mark)
            .len();
    out.drain(..marks);
}

/// Writes the normal form of a run of characters, punctuation included, into `out`, which is cleared first. What has no width and
/// controls is left out; it may be empty.
pub fn printed_form(run: &str, options: &NormalizeOptions, classes: ClassTable, out: &mut String) {
    out.clear();
    if run.bytes().all(|byte| byte.is_ascii_graphic()) {
        out.extend(run.chars().map(|c| fold_ascii(c, options.fold_case)));
        return;
    }
    // Some signs are a space and a mark in NFKC.
    let is_seen = |c: &char| {
        let has_width = *c != '\u{200B}' && classes.of(*c) != Class::Ignorable;
        has_width && !c.is_control() && !c.is_whitespace()
    };
    for c in run.nfkc().filter(is_seen) {
        if options.fold_case {
            out.extend(fold(c));
        } else {
            out.push(c);
        }
    }
    if options.fold_accents {
        let bare: String = out
            .nfd()
            .filter(|&c| !is_accent(c))
            .flat_map(plain_letter)
            .collect();
        *out = bare;
    }
    if options.ascii {
        out.retain(|c| c.is_ascii());
    } else if is_nfc_quick(out.chars()) != IsNormalized::Yes {
        *out = out.nfkc().collect();
    }
}

/// For each character of the basic plane that stands for itself in NFKC and folds to one such character: that one. 0: the
/// long way is needed.
static SIMPLE: LazyLock<Box<[u16]>> = LazyLock::new(|| {
    let classes = ClassTable::get();
    let inert = |c: char| is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes;
    let simple = |c: char| {
        let token = matches!(
            classes.of(c),
            Class::Letter | Class::Ideograph | Class::Number
        );
        let mut folded = fold(c);
        match (folded.next(), folded.next()) {
            (Some(one), None) if token && inert(c) && inert(one) => u16::try_from(one as u32).ok(),
            _ => None,
        }
    };
    (0..=0xFFFFu32)
        .map(|code| char::from_u32(code).and_then(simple).unwrap_or(0))
        .collect()
});

/// Appends the normal form if every character is a simple one.
fn push_simple(word: &str, fold_case: bool, out: &mut String) -> bool {
    let table = &*SIMPLE;
    for c in word.chars() {
        match table.get(c as usize) {
            Some(0) | None => return false,
            Some(_) if !fold_case => out.push(c),
            Some(&folded) => out.push(char::from_u32(u32::from(folded)).unwrap_or(c)),
        }
    }
    true
}

fn fold_ascii(c: char, fold_case: bool) -> char {
    if fold_case { c.to_ascii_lowercase() } else { c }
}

/// Upper case then lower case is full case folding in all that matters here: `ß` and `SS`, final sigma, ligatures. `ẞ` is the one
/// letter that is large already and small in another way than its small letter is.
fn fold(c: char) -> impl Iterator<Item = char> {
    let letter = if c == 'ẞ' { 'ß' } else { c };
    letter.to_uppercase().flat_map(char::to_lowercase)
}

fn push_folded(
    chars: impl Iterator<Item = char>,
    options: &NormalizeOptions,
    classes: ClassTable,
    out: &mut String,
) {
    for c in chars {
        match classes.of(c) {
            Class::Boundary | Class::Ignorable => {}
            // What the segmenter would not start a token with, a normal form does not start with.
            Class::Mark if out.is_empty() => {}
            _ if !options.fold_case => out.push(c),
            // One mark has a large letter: the iota below a Greek vowel, which folds to `ι` within the vowel as well.
            Class::Letter | Class::Mark => out.extend(fold(c)),
            _ => out.push(c),
        }
    }
}

/// Marks that write accents, harakat and points; vowel signs of Indic scripts are letters to their readers and stay.
fn is_accent(c: char) -> bool {
    matches!(c as u32,
        0x0300..=0x036F | 0x0483..=0x0487 | 0x0591..=0x05BD | 0x05BF | 0x05C1..=0x05C2 | 0x05C4..=0x05C5 | 0x05C7
        | 0x0610..=0x061A | 0x064B..=0x065F | 0x0670 | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF)
}

/// Letters whose stroke or ligature is not a combining mark.
fn plain_letter(c: char) -> impl Iterator<Item = char> {
    let plain = match c {
        'ø' => "o",
        'Ø' => "O",
        'ł' => "l",
        'Ł' => "L",
        'đ' | 'ð' => "d",
        'Đ' | 'Ð' => "D",
        'ħ' => "h",
        'Ħ' => "H",
        'ı' => "i",
        'æ' => "ae",
        'Æ' => "AE",
        'œ' => "oe",
        'Œ' => "OE",
        'ß' => "ss",
        'ẞ' => "SS",
        'þ' => "th",
        'Þ' => "TH",
        _ => "",
    };
    plain.chars().chain(plain.is_empty().then_some(c))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn form(word: &str, options: &NormalizeOptions) -> String {
        let mut out = String::new();
        normal_form(word, options, ClassTable::get(), &mut out);
        out
    }

    #[test]
    fn spellings_of_one_word_meet() {
        let fold = NormalizeOptions::default();
        for (a, b) in [
            ("Straße", "STRASSE"),
            ("STRAẞE", "straße"),
            ("é", "e\u{301}"),
            ("ＡＢＣ", "abc"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("ﬁn", "FIN"),
            ("co\u{AD}operate", "cooperate"),
            ("ω\u{AD}\u{345}", "ῳ"),
            ("한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}"),
        ] {
            assert_eq!(form(a, &fold), form(b, &fold), "{a} {b}");
        }
    }

    #[test]
    fn folding_a_folded_letter_changes_nothing() {
        for c in '\0'..=char::MAX {
            let once: String = fold(c).collect();
            let twice: String = once.chars().flat_map(fold).collect();
            assert_eq!(once, twice, "U+{:04X}", c as u32);
        }
    }

    #[test]
    fn what_composes_does_so_across_a_soft_hyphen() {
        let every = [(false, false), (false, true), (true, false), (true, true)];
        for options in every.map(|(fold_case, fold_accents)| NormalizeOptions {
            fold_case,
            fold_accents,
            ..NormalizeOptions::default()
        }) {
            let marks = ('\u{300}'..='\u{36F}').chain('\u{3099}'..='\u{309A}');
            for (mark, c) in marks.flat_map(|mark| ('A'..='\u{FFFF}').map(move |c| (mark, c))) {
                if unicode_normalization::char::compose(c, mark).is_none() {
                    continue;
                }
                let apart = form(&format!("{c}\u{AD}{mark}"), &options);
                assert_eq!(form(&apart, &options), apart, "{c} {mark:?}");
                assert_eq!(form(&format!("{c}{mark}"), &options), apart, "{c} {mark:?}");
            }
        }
    }

    #[test]
    fn no_form_begins_with_a_mark() {
        let options = NormalizeOptions::default();
        assert_eq!(form("\u{17D2}\u{FF9E}한", &options), "\u{17D2}한");
        let bare = NormalizeOptions {
            fold_accents: true,
            ..options
        };
        assert_eq!(form("\u{17D2}\u{93C}한", &bare), "\u{17D2}한");
    }

    #[test]
    fn accents_fold_only_on_demand() {
        let bare = NormalizeOptions {
            fold_accents: true,
            ..NormalizeOptions::default()
        };
        assert_eq!(form("Ångström", &bare), "angstrom");
        assert_eq!(form("Łódź", &bare), "lodz");
        assert_eq!(form("مُحَمَّد", &bare), "محمد");
        assert_eq!(form("हिन्दी", &bare), "हिन्दी");
        assert_eq!(form("Ångström", &NormalizeOptions::default()), "ångström");
    }

    #[test]
    fn ascii_deletes_other_letters() {
        let ascii = NormalizeOptions {
            ascii: true,
            ..NormalizeOptions::default()
        };
        assert_eq!(form("für", &ascii), "fr");
        assert_eq!(form("漢", &ascii), "");
    }

    #[test]
    fn the_short_way_equals_the_long_one() {
        let options = NormalizeOptions::default();
        for c in ('\0'..='\u{FFFF}').filter(|&c| SIMPLE[c as usize] != 0) {
            let word = c.to_string();
            let mut long = String::new();
            push_folded(word.nfkc(), &options, ClassTable::get(), &mut long);
            assert_eq!(
                form(&word, &options),
                long.nfkc().collect::<String>(),
                "U+{:04X}",
                c as u32
            );
        }
    }

    proptest! {
        #[test]
        fn twice_is_once(word in "(\\PC|[α-ωᾀ-ῼ\u{AD}\u{300}-\u{345}]){0,12}", accents: bool, case: bool) {
            let options = NormalizeOptions { fold_accents: accents, fold_case: case, ..NormalizeOptions::default() };
            let once = form(&word, &options);
            prop_assert_eq!(form(&once, &options), once);
        }
    }
}
