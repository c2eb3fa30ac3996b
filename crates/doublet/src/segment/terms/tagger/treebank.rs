//! Treebanks as training sentences: cut into words as the segmenter cuts texts, each with its tag.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::Tag;
use crate::segment::terms::{dictionary, korean};

/// The words of a sentence as the segmenter cuts them, with their tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    /// Words as written.
    pub words: Vec<String>,
    /// One for each word.
    pub tags: Vec<Tag>,
}

/// Reads a treebank: for each sentence a line `# ` with its text and a line for each token, form and tag, then an empty line.
/// Words are cut as the taggers will meet them. A word has the tag of the first token in it that is no punctuation, in
/// Japanese of the token that shares most with it. A sentence whose tokens are not found in its text is left out.
pub fn read_treebank(text: &str, language: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let (mut raw, mut tokens) = ("", Vec::new());
    for line in text.lines().chain([""]) {
        if let Some(sentence) = line.strip_prefix("# ").filter(|_| tokens.is_empty()) {
            raw = sentence;
        } else if let Some((form, tags)) = line.split_once('\t') {
            let first = tags.split('+').next().unwrap_or(tags);
            tokens.push((form, Tag::from_name(first).unwrap_or(Tag::X)));
        } else if line.is_empty() {
            sentences.extend(aligned(raw, &tokens, language).filter(|s| !s.words.is_empty()));
            (raw, tokens) = ("", Vec::new());
        }
    }
    sentences
}

fn aligned(raw: &str, tokens: &[(&str, Tag)], language: &str) -> Option<Sentence> {
    let places = places(raw, tokens)?;
    let mut sentence = Sentence::default();
    for word in words(raw, language) {
        let overlaps = tokens.iter().zip(&places).filter_map(|((_, tag), place)| {
            let shared = word
                .end
                .min(place.end)
                .saturating_sub(word.start.max(place.start));
            (shared > 0 && *tag != Tag::Punct).then_some((shared, *tag))
        });
        let found = if language == "ja" {
            overlaps.rev().max_by_key(|(shared, _)| *shared)
        } else {
            { overlaps }.next()
        };
        let mut tag = found.map_or(Tag::X, |(_, tag)| tag);
        if language == "ko" {
            tag = korean_tag(&raw[word.clone()], tag);
        }
        sentence.words.push(raw[word].to_owned());
        sentence.tags.push(tag);
    }
    Some(sentence)
}

/// Korean conjunctions and adverbs that end like a noun with a particle.
const KOREAN_CONJUNCTIONS: &str = "그러나 그리고 그런데 그렇지만 그래서 그리하여 그러면 그러므로 하지만 따라서 왜냐하면 즉 및 또한 또 또는 혹은 \
    내지 한편 요컨대 와 과";
const KOREAN_ADVERBS: &str = "바로 서로 실제로 때로 때때로 별로 따로 새로 새로이 제대로 그대로 이대로 앞으로 주로 절로 \
    저절로 억지로 함부로 수시로 진실로 참으로 대체로 스스로 도로 동시에 때문에 단번에 한꺼번에 아직도 아마도 그래도 너무나 너무도 \
    언제나 혹시나 더구나 누구나 그나마 의외로 날로 홀로 실로 정말로 진짜로 대신에 일제히 그토록 이토록 다시는 때로는 무척이나 \
    이미 오히려 일단은 사실은 보다 게다가 거꾸로 나중에 처음으로 하더라도 필요로 그만큼 이만큼 얼마나 고로 이로써 갑자기";
/// Korean pronouns that take particles.
const KOREAN_PRONOUNS: &str = "나 너 저 내 네 제 그 이 우리 저희 너희 그들 이들 자기 자신 당신 누구 무엇 뭐 그것 이것 저것 여기 거기 저기 \
    이곳 그곳 그녀 모두";

/// One scheme for the Korean treebanks, which differ from each other and tag a noun by the role that its particle gives it, an
/// adverb in 학교에서 and a conjunction in 미국과. Here a noun with a particle is a noun, a verb with an ending is a verb.
fn korean_tag(word: &str, tag: Tag) -> Tag {
    let listed = |list: &str| list.split_whitespace().any(|entry| entry == word);
    if !matches!(tag, Tag::Adv | Tag::Cconj | Tag::Sconj) {
        return tag;
    }
    if listed(KOREAN_CONJUNCTIONS) {
        return Tag::Cconj;
    }
    if listed(KOREAN_ADVERBS) {
        return Tag::Adv;
    }
    let stem = &word[..korean::stem(word, Tag::Noun)];
    let noun = match (tag, &word[stem.len()..]) {
        (Tag::Adv, particle) => {
            !matches!(particle, "" | "이" | "들" | "나") && !word.ends_with("적으로")
        }
        (Tag::Cconj, particle) => {
            particle.chars().nth(1).is_some() || word.ends_with(['와', '과', '나', '랑'])
        }
        _ => false,
    };
    if noun {
        let pronoun = KOREAN_PRONOUNS
            .split_whitespace()
            .any(|entry| entry == stem);
        return if pronoun { Tag::Pron } else { Tag::Noun };
    }
    if tag == Tag::Adv || word.ends_with(['게', '이', '히', '리', '듯']) {
        return Tag::Adv;
    }
    Tag::Verb
}

/// Where in the text each token stands, white space aside.
fn places(raw: &str, tokens: &[(&str, Tag)]) -> Option<Vec<Range<usize>>> {
    let mut characters = raw.char_indices().filter(|(_, c)| !c.is_whitespace());
    let mut places = Vec::with_capacity(tokens.len());
    for (form, _) in tokens {
        let mut place: Option<Range<usize>> = None;
        for expected in form.chars().filter(|c| !c.is_whitespace()) {
            let (at, _) = characters.next().filter(|(_, found)| *found == expected)?;
            let start = place.map_or(at, |place| place.start);
            place = Some(start..at + expected.len_utf8());
        }
        places.push(place.unwrap_or(0..0));
    }
    Some(places)
}

fn words(raw: &str, language: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut run: Option<Range<usize>> = None;
    for (at, piece) in raw.split_word_bound_indices().chain([(raw.len(), "")]) {
        if language == "ja" && piece.starts_with(is_japanese) {
            let start = run.map_or(at, |run| run.start);
            run = Some(start..at + piece.len());
            continue;
        }
        if let Some(run) = run.take() {
            let start = run.start;
            dictionary::cut(&raw[run], &mut |from, to| {
                words.push(start + from..start + to)
            });
        }
        if piece.contains(char::is_alphanumeric) {
            words.push(at..at + piece.len());
        }
    }
    words
}

fn is_japanese(character: char) -> bool {
    matches!(character, '々' | '〆' | '\u{3041}'..='\u{30FA}' | 'ー'..='ヿ' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9F}' | '\u{20000}'..='\u{323AF}')
        && character.is_alphanumeric()
}

/// A treebank for tests.
#[cfg(test)]
pub(super) const EXAMPLE: &str = "# The U.S. can't buy 3.14 books!\nThe\tDET\nU.S.\tPROPN\ncan't\tAUX+PART\nbuy\tVERB\n3.14\tNUM\nbooks\tNOUN\n!\tPUNCT\n\n\
    # :-)\n:-)\tSYM\n\n\
    # the tokens are elsewhere\nnot\tPART\n\n\
    # well-known men\nwell-known\tADJ\nmen\tNOUN\n";

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(sentence: &Sentence) -> String {
        let pairs = sentence.words.iter().zip(&sentence.tags);
        let pairs: Vec<String> = pairs
            .map(|(word, tag)| format!("{word}/{}", tag.name()))
            .collect();
        pairs.join(" ")
    }

    #[test]
    fn treebank_words_are_those_of_the_segmenter() {
        let sentences = read_treebank(EXAMPLE, "en");
        let found: Vec<String> = sentences.iter().map(shown).collect();
        assert_eq!(
            found,
            [
                "The/DET U.S/PROPN can't/AUX buy/VERB 3.14/NUM books/NOUN",
                "well/ADJ known/ADJ men/NOUN"
            ]
        );
        assert!(read_treebank("", "en").is_empty());
    }

    #[test]
    fn japanese_words_take_the_tag_they_share_most_with() {
        let text = "# 私は、東京タワーに行った。\n私\tPRON\nは\tADP\n、\tPUNCT\n東京\tPROPN\nタワー\tNOUN\nに\tADP\n行っ\tVERB\nた\tAUX\n。\tPUNCT\n";
        let sentences = read_treebank(text, "ja");
        assert!(
            shown(&sentences[0]).starts_with("私/PRON は/ADP 東京"),
            "{}",
            shown(&sentences[0])
        );
    }

    #[test]
    fn korean_nouns_are_nouns_with_any_particle() {
        for (word, tag, expected) in [
            ("학교에서", Tag::Adv, Tag::Noun),
            ("미국과", Tag::Cconj, Tag::Noun),
            ("우리에게", Tag::Adv, Tag::Pron),
            ("바로", Tag::Adv, Tag::Adv),
            ("그리고", Tag::Adv, Tag::Cconj),
            ("적극적으로", Tag::Adv, Tag::Adv),
            ("위해", Tag::Sconj, Tag::Verb),
            ("크게", Tag::Sconj, Tag::Adv),
            ("학교는", Tag::Noun, Tag::Noun),
        ] {
            assert_eq!(korean_tag(word, tag), expected, "{word}");
        }
    }
}
