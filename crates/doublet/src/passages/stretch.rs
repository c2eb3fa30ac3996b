//! Which bytes leave a text together with some of its sentences.
//!
//! White space that stood between two sentences must not stand twice where they are gone, nor must what remains run together. So
//! one side's white space goes along, and the side that parts more lines stays.

use std::ops::Range;

use unicode_segmentation::GraphemeCursor;

/// Whether a place lies between two characters as people see them.
pub(super) fn is_boundary(text: &str, at: usize) -> bool {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    cursor.is_boundary(text, 0).unwrap_or(false)
}

/// The bytes that leave with the sentences in `sentences`, which is trimmed of white space; `None` where what remains could not be
/// joined: words would run together, or a character and its mark be parted.
pub(super) fn stretch(text: &str, sentences: Range<usize>) -> Option<Range<usize>> {
    let Range { start, end } = sentences;
    let left = text[..start].trim_end().len();
    let right = text.len() - text[end..].trim_start().len();
    let (before, after) = (&text[left..start], &text[end..right]);
    let leaving = if left == 0 || (right < text.len() && stays_before(before, after)) {
        start..right
    } else {
        left..end
    };
    let joined = start - left + right - end == leaving.len() - (end - start);
    if joined && run_together(&text[..leaving.start], &text[leaving.end..]) {
        return None;
    }
    let whole = is_boundary(text, leaving.start) && is_boundary(text, leaving.end);
    whole.then_some(leaving)
}

/// Whether of the white space before and after a cut the former stays.
fn stays_before(before: &str, after: &str) -> bool {
    let (lines_before, lines_after) = (line_ends(before), line_ends(after));
    after.is_empty() || (lines_before > 0 && lines_before >= lines_after)
}

fn line_ends(space: &str) -> usize {
    let ends = |c: &char| {
        matches!(
            c,
            '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let pairs = space.matches("\r\n").count();
    space.chars().filter(ends).count() - pairs
}

/// Whether the words on both sides would become one, with nothing between them.
fn run_together(left: &str, right: &str) -> bool {
    let last = left.chars().next_back();
    let first = right.chars().next();
    // A full stop parts words only with a space behind it.
    let open = |c: char| c.is_alphanumeric() || c.is_ascii_punctuation();
    last.is_some_and(open) && first.is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What remains when the part between the brackets is cut.
    fn cut(marked: &str) -> Option<String> {
        let (before, rest) = marked.split_once('[').unwrap();
        let (inside, after) = rest.split_once(']').unwrap();
        let text = [before, inside, after].concat();
        let leaving = stretch(&text, before.len()..before.len() + inside.len())?;
        assert!(leaving.start <= before.len() && leaving.end >= before.len() + inside.len());
        Some(format!(
            "{}{}",
            &text[..leaving.start],
            &text[leaving.end..]
        ))
    }

    #[test]
    fn what_remains_is_joined_as_it_stood() {
        for (marked, expected) in [
            ("One. [Two.] Three.", "One. Three."),
            ("One.\n\n[Two.] Three.", "One.\n\nThree."),
            ("One. [Two.]\n\nThree.", "One.\n\nThree."),
            ("One.\n[Two.]\n\nThree.", "One.\n\nThree."),
            ("One.\r\n[Two.]\r\nThree.", "One.\r\nThree."),
            ("One.\r\n\r\n[Two.]\r\nThree.", "One.\r\n\r\nThree."),
            (" [One.] Two.\n", " Two.\n"),
            ("One.\n[Two.]", "One."),
            ("One. [Two.]\n", "One.\n"),
            ("一。[二。]三。", "一。三。"),
            ("One. [二。]Three.", "One. Three."),
            ("一。[Two.] 三。", "一。 三。"),
            ("[One.]", ""),
        ] {
            assert_eq!(cut(marked).as_deref(), Some(expected), "{marked:?}");
        }
    }

    #[test]
    fn what_cannot_be_joined_stays() {
        assert_eq!(cut("Version 3.[二。]5 is out."), None);
        assert_eq!(cut("a[b]c"), None);
        // A mark that stands on the space before it.
        assert_eq!(cut("\n[One.] \u{301}a"), None);
    }
}
