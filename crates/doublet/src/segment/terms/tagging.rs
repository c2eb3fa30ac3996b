//! From words to groups: the tagger of each language sees its words together, in order.

use super::cut::Token;
use super::group::Group;
use super::korean;
use super::language::Language;
use super::tagger::{Memo, Tag, Tagger};

/// Buffers for the taggers.
#[derive(Debug, Default)]
pub(super) struct Tagging {
    memo: Memo,
    /// Empty between texts.
    words: Vec<&'static str>,
    places: Vec<usize>,
    tags: Vec<Tag>,
}

/// Gives the tokens that wait for a tagger their groups, and Korean ones their stems.
pub(super) fn tag_words(text: &str, tokens: &mut [Token], tagging: &mut Tagging) {
    let mut waiting = tokens
        .iter()
        .fold(0, |set, token| set | token.language.bit());
    while waiting != 0 {
        let language = Language::of_bit(waiting.trailing_zeros());
        waiting &= waiting - 1;
        if let Some(tagger) = Tagger::of(language.code()) {
            tag_language(text, tokens, language, tagger, tagging);
        }
    }
}

fn tag_language(
    text: &str,
    tokens: &mut [Token],
    language: Language,
    tagger: &Tagger,
    tagging: &mut Tagging,
) {
    let mut words = recycled(std::mem::take(&mut tagging.words));
    tagging.places.clear();
    for (place, token) in tokens.iter().enumerate() {
        if token.language == language {
            words.push(&text[token.start..token.end]);
            tagging.places.push(place);
        }
    }
    tagger.tag(&words, &mut tagging.memo, &mut tagging.tags);
    for ((place, tag), word) in tagging.places.iter().zip(&tagging.tags).zip(&words) {
        let token = &mut tokens[*place];
        if token.group == Group::Numeral {
            continue;
        }
        token.group = Group::from(*tag);
        if language == Language::Korean {
            token.stem = token.start + korean::stem(word, *tag);
        }
    }
    tagging.words = recycled(words);
}

/// The same memory for words of another text.
fn recycled<'a>(mut words: Vec<&str>) -> Vec<&'a str> {
    words.clear();
    words.into_iter().map(|_| "").collect()
}
