//! Chinese words and their groups: jieba's dictionary cuts a run of characters, and says what each word is.
//!
//! The dictionary is written in simplified characters, so that a run with traditional ones is cut by a simplified copy, character
//! for character and byte for byte; the words keep the writing of the text. A word's group depends on the word alone and is asked
//! for once as long as a [`Memo`] keeps it: cutting is twice as fast as tagging.

use std::sync::LazyLock;

use jieba_rs::Jieba;

use super::group::Group;
use crate::hash::MULTIPLIER;

static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);
static SIMPLIFIED: LazyLock<Simplified> = LazyLock::new(Simplified::new);

/// Buffers and the groups of words met lately, for one thread.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    copy: String,
    groups: GroupMemo,
}

/// Calls `each` with start, end and group of every word of a run of Chinese characters, in order.
pub(super) fn cut(run: &str, memo: &mut Memo, mut each: impl FnMut(usize, usize, Group)) {
    let Memo { copy, groups } = memo;
    let run = SIMPLIFIED.copy(run, copy);
    for token in JIEBA.cut(run, true) {
        each(token.byte_start, token.byte_end, groups.group(token.word));
    }
}

/// Whether a run has but characters that every normal form keeps as they are.
pub(super) fn is_common(run: &str) -> bool {
    let (characters, rest) = run.as_bytes().as_chunks::<3>();
    rest.is_empty() && characters.iter().all(|c| (0xE4..=0xE9).contains(&c[0]))
}

/// Modal particles, many of which the dictionary has for adjectives or verbs.
const PARTICLES: [&str; 12] = [
    "吗", "吧", "呢", "嘛", "啦", "呀", "哇", "呗", "啰", "喽", "咯", "么",
];
/// Interjections and laughter, which it has for adjectives, verbs or nouns.
const INTERJECTIONS: [&str; 18] = [
    "啊",
    "哦",
    "喔",
    "噢",
    "哈",
    "嗯",
    "哟",
    "唉",
    "哎",
    "嘿",
    "嗨",
    "嘻",
    "呵呵",
    "哈哈",
    "嘿嘿",
    "嘻嘻",
    "哈哈哈",
    "呵呵呵",
];

/// What the dictionary says of a word; of one that it does not have, what its characters suggest.
#[cold]
fn dictionary_group(word: &str) -> Group {
    if PARTICLES.contains(&word) {
        return Group::Connective;
    }
    if INTERJECTIONS.contains(&word) {
        return Group::Interjection;
    }
    let tags = JIEBA.tag(word, true);
    let last = tags.last();
    last.map_or(Group::Other, |tag| Group::from_jieba(tag.tag))
}

/// Groups of words. A slot holds a whole word and its group, so that what was asked before never shows.
#[derive(Debug, Default)]
struct GroupMemo {
    /// A word's [`key`] and below it its group plus one; 0 in an empty slot.
    slots: Vec<u64>,
}

impl GroupMemo {
    const SLOT_BITS: u32 = 17;

    #[inline]
    fn group(&mut self, word: &str) -> Group {
        let Some(key) = key(word) else {
            return dictionary_group(word);
        };
        if self.slots.is_empty() {
            self.slots.resize(1 << Self::SLOT_BITS, 0);
        }
        let place = (key.wrapping_mul(MULTIPLIER) >> (u64::BITS - Self::SLOT_BITS)) as usize;
        for slot in [self.slots[place], self.slots[place ^ 1]] {
            let group = (slot & 15) as usize;
            if slot >> 4 == key && group != 0 {
                return Group::ALL[group - 1];
            }
        }
        let group = dictionary_group(word);
        // The neighbour keeps what stood here, so that a rare word does not push out a frequent one at once.
        self.slots[place ^ 1] = self.slots[place];
        self.slots[place] = key << 4 | (group as u64 + 1);
        group
    }
}

/// A number of 60 bits for a word of up to four common characters: 15 bits for each.
#[inline]
fn key(word: &str) -> Option<u64> {
    let (characters, rest) = word.as_bytes().as_chunks::<3>();
    if characters.len() > 4 || !rest.is_empty() {
        return None;
    }
    let mut key = 0;
    for &[first, second, third] in characters {
        if first < 0xE3 {
            return None;
        }
        let code =
            u64::from(first & 15) << 12 | u64::from(second & 63) << 6 | u64::from(third & 63);
        let number = code.wrapping_sub(u64::from(FIRST)) + 1;
        if number >= 1 << 15 {
            return None;
        }
        key = key << 15 | number;
    }
    Some(key)
}

/// The first character that has a number.
const FIRST: u32 = 0x3400;

/// From traditional characters to simplified ones.
struct Simplified {
    /// A bit for each character from [`FIRST`] on: whether only traditional text has it.
    traditional: Vec<u64>,
    /// The characters of those bits, in order, with the simplified ones.
    sure: Vec<(char, char)>,
    /// Characters that simplified text has too, with those that they stand for elsewhere.
    either: Vec<(char, char)>,
}

impl Simplified {
    fn new() -> Self {
        let lines = include_str!("traditional.txt").lines();
        let mut lines = lines.filter(|line| !line.starts_with('#'));
        let first = lines.by_ref().take_while(|line| *line != "~");
        let sure: Vec<(char, char)> = first.flat_map(pairs).collect();
        let mut traditional = vec![0; (0x1_0000 - FIRST as usize) / 64];
        for (from, _) in &sure {
            let place = *from as usize - FIRST as usize;
            traditional[place / 64] |= 1 << (place % 64);
        }
        Self {
            traditional,
            sure,
            either: lines.flat_map(pairs).collect(),
        }
    }

    #[inline]
    fn is_traditional(&self, c: char) -> bool {
        let place = (c as usize).wrapping_sub(FIRST as usize);
        let bits = self.traditional.get(place / 64);
        bits.is_some_and(|bits| bits & (1 << (place % 64)) != 0)
    }

    fn of(&self, c: char) -> char {
        match self.sure.binary_search_by_key(&c, |pair| pair.0) {
            Ok(place) => self.sure[place].1,
            Err(_) => c,
        }
    }

    /// The run itself if it is not traditional, otherwise its copy, which is as long.
    fn copy<'a>(&self, run: &'a str, copy: &'a mut String) -> &'a str {
        if !run.chars().any(|c| self.is_traditional(c)) {
            return run;
        }
        copy.clear();
        copy.extend(run.chars().map(|c| self.of(c)));
        for (place, c) in run.char_indices() {
            if let Some((_, other)) = self.either.iter().find(|pair| pair.0 == c) {
                replace_unless_word(copy, place, *other);
            }
        }
        copy
    }
}

/// Puts `other` in the place of a character, unless the dictionary has a word of the character and one beside it, such as `著名`.
fn replace_unless_word(copy: &mut String, place: usize, other: char) {
    let end = place + other.len_utf8();
    let before = copy[..place].char_indices().next_back();
    let after = copy[end..].chars().next();
    let is_word = before.is_some_and(|(start, _)| JIEBA.has_word(&copy[start..end]))
        || after.is_some_and(|c| JIEBA.has_word(&copy[place..end + c.len_utf8()]));
    if !is_word {
        copy.replace_range(place..end, other.encode_utf8(&mut [0; 4]));
    }
}

fn pairs(line: &str) -> impl Iterator<Item = (char, char)> {
    line.split(' ').filter_map(|pair| {
        let mut pair = pair.chars();
        Some((pair.next()?, pair.next()?))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::normalize::class::{Class, ClassTable};
    use crate::normalize::form::normal_form;
    use crate::options::NormalizeOptions;

    fn words(run: &str) -> String {
        let mut words = Vec::new();
        cut(run, &mut Memo::default(), |start, end, group| {
            words.push(format!("{}/{}", &run[start..end], group.name()));
        });
        words.join(" ")
    }

    #[test]
    fn simplified_and_traditional_are_cut_alike() {
        for (simplified, traditional) in [
            ("我们明天去图书馆看书", "我們明天去圖書館看書"),
            ("这家餐厅的服务员态度很好", "這家餐廳的服務員態度很好"),
            ("干净的衣服和头发", "乾淨的衣服和頭髮"),
            ("他看着台湾的著名风景", "他看著台灣的著名風景"),
        ] {
            let mut memo = Memo::default();
            let mut ends = |run: &str| {
                let mut ends = Vec::new();
                cut(run, &mut memo, |_, end, group| ends.push((end, group)));
                ends
            };
            assert_eq!(ends(simplified), ends(traditional), "{traditional}");
        }
    }

    #[test]
    fn characters_of_both_writings_stay_in_simplified_text() {
        assert_eq!(words("著名"), "著名/adjective");
        assert_eq!(words("乾隆皇帝"), "乾隆皇帝/proper-noun");
    }

    #[test]
    fn every_pair_keeps_its_length() {
        let table = Simplified::new();
        assert!(table.sure.len() > 2900 && table.either.len() > 5);
        assert!(table.sure.is_sorted());
        for &(from, to) in table.sure.iter().chain(&table.either) {
            assert_eq!((from.len_utf8(), to.len_utf8()), (3, 3), "{from}");
        }
    }

    #[test]
    fn common_characters_are_their_own_form() {
        let (classes, mut form) = (ClassTable::get(), String::new());
        let options = NormalizeOptions {
            fold_accents: true,
            ..NormalizeOptions::default()
        };
        for c in '\u{2000}'..='\u{FFFF}' {
            let run = c.to_string();
            if is_common(&run) && !matches!(classes.of(c), Class::Boundary) {
                normal_form(&run, &options, classes, &mut form);
                assert_eq!(form, run);
            }
        }
        assert!(
            is_common("一鿿") && !is_common("一a") && !is_common("㐀") && !is_common("\u{F900}")
        );
    }

    #[test]
    fn words_have_keys_of_their_own() {
        let mut keys: Vec<u64> = ["一", "一一", "一二", "二一", "㐀", "㐀㐀", "鿿鿿鿿鿿", "〇"]
            .iter()
            .filter_map(|word| key(word))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 7);
        assert!(keys.iter().all(|key| *key > 0 && *key < 1 << 60));
        for word in ["一二三四五", "a", "abc", "a一", "𠀀", "한"] {
            assert_eq!(key(word), None, "{word}");
        }
    }

    proptest! {
        #[test]
        fn words_cover_the_run(run in "[一-鿿𠀀-𠀿〇々㐀-㐿]{0,20}") {
            let (mut last, mut memo) = (0, Memo::default());
            cut(&run, &mut memo, |start, end, _| {
                assert_eq!(start, last);
                assert!(run.is_char_boundary(end));
                last = end;
            });
            prop_assert_eq!(last, run.len());
        }
    }
}
