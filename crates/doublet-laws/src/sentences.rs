//! Laws of sentences: they cover the text, in order and apart, and a blank line parts them from all that stands around.

use std::ops::Range;

use doublet::method::sentences::words::{WordCutter, WordScratch};
use doublet::segment::sentences::SentenceSplitter;

use crate::words::options_of;

/// Sentences of a text, and the words in them.
pub fn sentences(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let found = split(&text);
    cover(&text, &found);
    let longer = split(&format!("{text} \n"));
    assert_eq!(longer, found, "white space at the end");
    among_others(&text, &found);
    for range in &found {
        words(&text[range.clone()], data.len() as u8);
    }
}

/// That a text is cut the same between paragraphs: one that goes on in small letters, and itself.
fn among_others(text: &str, found: &[Range<usize>]) {
    let (before, between) = ("One. Two\n\n", "\n\nand so on\n\n");
    let first = before.len();
    let middle = first + text.len() + 2;
    let second = first + text.len() + between.len();
    let moved = |by: usize| {
        let ranges = found.iter();
        ranges.map(move |range| range.start + by..range.end + by)
    };
    let mut expected = vec![0..4, 5..8];
    expected.extend(moved(first));
    expected.push(middle..middle + 9);
    expected.extend(moved(second));
    let joined = format!("{before}{text}{between}{text}");
    assert_eq!(split(&joined), expected, "cut otherwise among others");
}

fn split(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    SentenceSplitter::new().sentences(text, |range| found.push(range));
    found
}

fn cover(text: &str, found: &[Range<usize>]) {
    let mut last = 0;
    for range in found {
        let between = text.get(last..range.start);
        let between = between.unwrap_or_else(|| panic!("out of order: {found:?}"));
        assert!(between.trim().is_empty(), "no sentence has {between:?}");
        let sentence = text.get(range.clone());
        let sentence = sentence.unwrap_or_else(|| panic!("within a character: {range:?}"));
        assert!(
            !sentence.is_empty() && sentence.trim() == sentence,
            "not trimmed: {sentence:?}"
        );
        last = range.end;
    }
    assert!(
        text[last..].trim().is_empty(),
        "no sentence has {:?}",
        &text[last..]
    );
}

/// That words stand in order and apart, and are the same whatever was cut before.
fn words(sentence: &str, bits: u8) {
    let cutter = WordCutter::new(&options_of(bits));
    let cut = |scratch: &mut WordScratch| {
        let mut found = Vec::new();
        cutter.words(sentence, scratch, |word| {
            let mut form = Vec::new();
            word.push_form(&mut form);
            found.push((word.start, word.end, word.hash, form));
        });
        found
    };
    let mut scratch = WordScratch::default();
    let first = cut(&mut scratch);
    assert_eq!(cut(&mut scratch), first, "cut otherwise the second time");
    let mut last = 0;
    for (start, end, _, form) in &first {
        assert!(
            last <= *start && start < end,
            "out of order: {start}..{end}"
        );
        assert!(
            sentence.get(*start..*end).is_some(),
            "within a character: {start}..{end}"
        );
        assert!(!form.is_empty(), "a word without a form");
        last = *end;
    }
}
