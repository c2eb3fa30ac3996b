//! Chinese for the generator: texts cut into clauses, clauses into words, and words joined again.
//!
//! Marks belong to the word before them, as they do in scripts with spaces. Quotes and brackets
//! are left out: half of each pair would be lost in the walk. Words come from jieba's dictionary, without its model for
//! unknown words.

use jieba_rs::Jieba;

/// What ends a clause. A full stop or a comma between digits does not.
const MARKS: &str = "，。！？；：、…～,!?;:~.";
/// What a message does not end with.
const LOOSE_ENDS: [char; 8] = ['，', '、', ',', '：', ':', '；', ';', ' '];
const BRACKETS: &str = "“”‘’\"'（）()《》〈〉【】[]『』「」<>{}｛｝＂\u{feff}";

/// Cuts clauses into words.
pub(crate) struct Cutter(Jieba);

impl Cutter {
    pub(crate) fn new() -> Self {
        Self(Jieba::new())
    }

    /// The words of a clause, each with the marks after it.
    pub(crate) fn words(&self, clause: &str) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for token in self.0.cut(clause, false) {
            let piece: String = token.word.chars().filter(|&c| is_kept(c)).collect();
            if piece.chars().any(char::is_alphanumeric) {
                words.push(piece);
            } else if let Some(before) = words.last_mut() {
                before.push_str(&piece);
            }
        }
        words
    }
}

fn is_kept(character: char) -> bool {
    !character.is_whitespace() && !BRACKETS.contains(character)
}

/// The clauses of a text, each with the marks that end it.
pub(crate) fn clauses(text: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let mut start = 0;
    let mut ended = false;
    let mut before = ' ';
    let mut characters = text.char_indices().peekable();
    while let Some((place, character)) = characters.next() {
        let after = characters.peek().map_or(' ', |&(_, next)| next);
        let in_number = before.is_ascii_digit() && after.is_ascii_digit();
        let ends = character == '\n' || (MARKS.contains(character) && !in_number);
        if ended && !ends {
            clauses.push(&text[start..place]);
            start = place;
        }
        (ended, before) = (ends, character);
    }
    clauses.push(&text[start..]);
    clauses.retain(|clause| clause.contains(char::is_alphanumeric));
    clauses
}

/// What stands between two words: nothing, unless letters or digits of other scripts would run together.
pub(crate) fn joint(before: &str, after: &str) -> &'static str {
    let foreign = |c: char| c.is_ascii_alphanumeric();
    if before.ends_with(foreign) && after.starts_with(foreign) {
        " "
    } else {
        ""
    }
}

/// Take the comma off that a text ends with when it ends in the middle of a sentence.
pub(crate) fn close(text: &mut String) {
    text.truncate(text.trim_end_matches(LOOSE_ENDS).len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_ends_at_its_marks() {
        assert_eq!(
            clauses("你好，我是3.5折！！！好\n的"),
            ["你好，", "我是3.5折！！！", "好\n", "的"]
        );
        assert!(clauses("……").is_empty());
    }

    #[test]
    fn marks_stay_with_the_word_before() {
        let words = Cutter::new().words("“我们”明天 去北京大学吧！");
        assert_eq!(words, ["我们", "明天", "去", "北京大学", "吧！"]);
    }

    #[test]
    fn only_foreign_words_are_kept_apart() {
        assert_eq!(joint("手机", "很"), "");
        assert_eq!(joint("iPhone", "4S"), " ");
        assert_eq!(joint("用", "iPhone"), "");
    }

    #[test]
    fn a_text_does_not_end_with_a_comma() {
        let mut text = "很好，".to_owned();
        close(&mut text);
        assert_eq!(text, "很好");
        let mut text = "很好。".to_owned();
        close(&mut text);
        assert_eq!(text, "很好。");
    }
}
