//! Laws of terms: in every language they stand in order and apart, and nothing that was cut before makes a difference.

use doublet::method::terms::{Group, Language, Scratch, TermSegmenter};
use doublet::options::NormalizeOptions;
use doublet::segment::terms::tagger::model::Model;
use doublet::segment::terms::tagger::{Memo, Tagger};
use doublet::segment::terms::{SegmentOptions, detect};

use crate::words::options_of;

/// Terms of a text in one language, or in the one that it tells.
pub fn terms(data: &[u8]) {
    let [bits, language, rest @ ..] = data else {
        return;
    };
    let text = String::from_utf8_lossy(rest);
    let all = Language::ALL;
    let of = |byte: u8| all.get(usize::from(byte) % (all.len() + 1)).copied();
    let options = SegmentOptions {
        language: of(*language).unwrap_or(Language::Auto),
        fallback: of(language.wrapping_add(bits >> 6)).unwrap_or(Language::Auto),
        fold_elongation: bits & 64 != 0,
    };
    let normalize = options_of(*bits);
    let segmenter = TermSegmenter::new(&normalize, &options);
    let mut used = Scratch::default();
    segmenter.terms(
        "他说 you're 안녕하세요 ありがとう @du #x soooo 3.5 :-)",
        &mut used,
        |_| {},
    );
    let found = cut(&segmenter, &text, &mut used);
    assert_eq!(
        cut(&segmenter, &text, &mut Scratch::default()),
        found,
        "what was cut before shows"
    );
    stand_apart(&text, &found, &normalize);
    assert_eq!(
        detect(&text),
        detect(&text),
        "another language the second time"
    );
    tags(&text, *language);
}

type Seen = (usize, usize, Group, String);

fn cut(segmenter: &TermSegmenter, text: &str, scratch: &mut Scratch) -> Vec<Seen> {
    let mut found = Vec::new();
    segmenter.terms(text, scratch, |term| {
        found.push((term.start, term.end, term.group, term.form.to_owned()));
    });
    found
}

fn stand_apart(text: &str, found: &[Seen], options: &NormalizeOptions) {
    let mut last = 0;
    for (start, end, _, form) in found {
        assert!(
            last <= *start && start < end,
            "out of order: {start}..{end} {form:?}"
        );
        let term = text.get(*start..*end);
        let term = term.unwrap_or_else(|| panic!("within a character: {start}..{end}"));
        assert!(!form.is_empty(), "{term:?} has no form");
        let capital = |c: char| c.is_ascii_uppercase();
        assert!(
            !options.fold_case || !form.contains(capital),
            "case is kept: {form:?} of {term:?}"
        );
        last = *end;
    }
}

/// That a tagger gives each word one tag, whatever it tagged before.
fn tags(text: &str, choice: u8) {
    let languages: Vec<&str> = Tagger::languages().collect();
    let language = languages.get(usize::from(choice) % languages.len().max(1));
    let tagger = language.and_then(|language| Tagger::of(language));
    let tagger = tagger.expect("every language that is listed has a tagger");
    let words: Vec<&str> = text.split_whitespace().collect();
    let (mut memo, mut first, mut again) = (Memo::default(), Vec::new(), Vec::new());
    tagger.tag(&["a", "word", "Zürich", "한국"], &mut memo, &mut again);
    tagger.tag(&words, &mut memo, &mut again);
    tagger.tag(&words, &mut Memo::default(), &mut first);
    assert_eq!(first.len(), words.len(), "a word without a tag");
    assert_eq!(first, again, "what was tagged before shows");
}

/// Models of taggers: bytes are refused, or a model that is written as the same bytes and tags every word.
pub fn tagger_model(data: &[u8]) {
    let sealed = [data, &doublet::hash::hash_bytes(data).to_le_bytes()].concat();
    for bytes in [data, &sealed] {
        let Ok(model) = Model::from_bytes(bytes) else {
            continue;
        };
        let again = Model::from_bytes(&model.to_bytes());
        let again = again.expect("a model that was written is read");
        assert_eq!(again.to_bytes(), model.to_bytes(), "another model");
        assert_eq!(
            again.features(),
            model.features(),
            "another number of features"
        );
        let words = ["The", "bridges", "were", "closed", "2024", "—"];
        let (mut tags, mut memo) = (Vec::new(), Memo::default());
        Tagger::new(model).tag(&words, &mut memo, &mut tags);
        assert_eq!(tags.len(), words.len(), "a word without a tag");
    }
}
