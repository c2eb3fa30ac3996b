//! Laws of normalising and cutting into tokens: as a slow walk over the characters has it, whatever stands around.

use doublet::hash::hash_bytes;
use doublet::normalize::class::{Class, ClassTable};
use doublet::normalize::form::{normal_form, printed_form};
use doublet::options::{NormalizeOptions, Numbers, TokenKind};
use doublet::segment::{NUMBER, Segmenter};
use unicode_segmentation::UnicodeSegmentation;

/// A token: where it stands, and its normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    start: usize,
    end: usize,
    form: String,
}

/// Options by the bits of a byte.
pub(crate) fn options_of(bits: u8) -> NormalizeOptions {
    NormalizeOptions {
        tokens: TokenKind::Words,
        numbers: [Numbers::Token, Numbers::Keep, Numbers::Drop, Numbers::Token]
            [usize::from(bits % 4)],
        fold_case: bits & 4 == 0,
        fold_accents: bits & 8 != 0,
        ascii: bits & 16 != 0,
        stop_words: match bits & 32 {
            0 => Vec::new(),
            _ => vec!["the".to_owned(), "UND".to_owned(), "é".to_owned()],
        },
    }
}

/// Normal forms and tokens of a text.
pub fn normalize(data: &[u8]) {
    let Some((bits, rest)) = data.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(rest);
    let options = options_of(*bits);
    forms(&text, &options);
    for kind in [TokenKind::Words, TokenKind::Spaces, TokenKind::Characters] {
        let options = NormalizeOptions {
            tokens: kind,
            ..options.clone()
        };
        let segmenter = Segmenter::new(&options);
        let found = tokens(&segmenter, &text);
        stand_apart(&text, &found);
        if kind == TokenKind::Words && options.stop_words.is_empty() {
            assert_eq!(found, slow(&text, &options), "a slow walk finds others");
        }
        if kind != TokenKind::Characters {
            whatever_stands_around(&segmenter, &text, &found);
        }
        if options.fold_case {
            let large = tokens(&segmenter, &text.to_ascii_uppercase());
            assert!(
                large
                    .iter()
                    .map(|token| &token.form)
                    .eq(found.iter().map(|token| &token.form)),
                "case makes a difference: {large:?} and {found:?}"
            );
        }
    }
}

/// That the normal form of a normal form is itself.
fn forms(text: &str, options: &NormalizeOptions) {
    let classes = ClassTable::get();
    let (mut once, mut twice) = (String::new(), String::new());
    for word in text.split(' ') {
        normal_form(word, options, classes, &mut once);
        normal_form(&once, options, classes, &mut twice);
        assert_eq!(once, twice, "the normal form of a normal form of {word:?}");
        printed_form(word, options, classes, &mut once);
        printed_form(&once, options, classes, &mut twice);
        assert_eq!(
            once, twice,
            "the printed form of a printed form of {word:?}"
        );
    }
}

fn tokens(segmenter: &Segmenter, text: &str) -> Vec<Seen> {
    let mut found = Vec::new();
    segmenter.tokens(text, |token| {
        let mut form = Vec::new();
        token.push_form(&mut form);
        assert_eq!(token.hash, hash_bytes(&form), "the hash of {form:?}");
        found.push(Seen {
            start: token.start,
            end: token.end,
            form: String::from_utf8(form).expect("a normal form is text"),
        });
    });
    found
}

/// That tokens stand in order and apart, at the borders of characters, and have a form.
fn stand_apart(text: &str, found: &[Seen]) {
    let mut last = 0;
    for token in found {
        assert!(
            last <= token.start && token.start < token.end,
            "out of order: {token:?}"
        );
        assert!(
            text.get(token.start..token.end).is_some(),
            "within a character: {token:?}"
        );
        assert!(!token.form.is_empty(), "no form: {token:?}");
        last = token.end;
    }
}

/// Tokens by the classes of characters, one after the other.
fn slow(text: &str, options: &NormalizeOptions) -> Vec<Seen> {
    let classes = ClassTable::get();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let run = |belongs: &[Class]| {
            let end = rest.find(|c| !belongs.contains(&classes.of(c)));
            end.unwrap_or(rest.len())
        };
        let class = classes.of(first);
        let length = match class {
            Class::Letter => run(&[Class::Letter, Class::Mark, Class::Ignorable]),
            Class::Number => run(&[Class::Number]),
            Class::Ideograph | Class::Cluster => rest.graphemes(true).next().map_or(0, str::len),
            Class::Boundary | Class::Mark | Class::Ignorable => 0,
        };
        let mut form = String::new();
        match (class, options.numbers) {
            (Class::Number, Numbers::Token) => form.push_str(NUMBER),
            (Class::Number, Numbers::Drop) => {}
            _ => normal_form(&rest[..length], options, classes, &mut form),
        }
        if length > 0 && !form.is_empty() {
            let (start, end) = (at, at + length);
            found.push(Seen { start, end, form });
        }
        at += length.max(first.len_utf8());
    }
    found
}

/// That the tokens of a text are the same behind others and before others: masks of 64 bytes have no borders to be seen.
fn whatever_stands_around(segmenter: &Segmenter, text: &str, found: &[Seen]) {
    let before = "x\n".repeat(1 + text.len() % 40);
    let joined = format!("{before}{text}\n{text}");
    let own = tokens(segmenter, &before).len();
    let all = tokens(segmenter, &joined);
    let moved = |by: usize| {
        found.iter().map(move |token| Seen {
            start: token.start + by,
            end: token.end + by,
            form: token.form.clone(),
        })
    };
    let second = before.len() + text.len() + 1;
    let expected: Vec<Seen> = moved(before.len()).chain(moved(second)).collect();
    assert_eq!(all[own..], expected, "others among others");
}
