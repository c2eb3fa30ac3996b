//! Laws of sentences: they cover the text, in order and apart, and a blank line parts them from all that stands around.

use std::ops::Range;

use doublet::segment::sentences::SentenceSplitter;
use doublet::sentences::words::{WordCutter, WordScratch};

use crate::words::options_of;

/// Sentences of a text, and the words in them.
pub fn sentences(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    cover(&text, &split(&text));
    // The last signs of a text may be judged by what follows, even beyond a blank line, so that the same always does here.
    let text = format!("{text}\n\nEnd.\n\n");
    let found = split(&text);
    cover(&text, &found);
    assert_eq!(
        split(&format!("{text} \n")),
        found,
        "white space at the end"
    );
    let around = "One. Two\n\n";
    let moved = |by: usize| {
        let ranges = found.iter();
        ranges.map(move |range| range.start + by..range.end + by)
    };
    let all = moved(around.len()).chain(moved(around.len() + text.len()));
    let expected: Vec<Range<usize>> = [0..4, 5..8].into_iter().chain(all).collect();
    let joined = format!("{around}{text}{text}");
    assert_eq!(split(&joined), expected, "cut otherwise among others");
    for range in &found {
        words(&text[range.clone()], data.len() as u8);
    }
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
