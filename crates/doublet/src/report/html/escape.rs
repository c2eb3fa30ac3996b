//! Foreign text made harmless: nothing that a text holds can become markup, in HTML or in SVG.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};

use unicode_segmentation::GraphemeCursor;

/// Text that displays as HTML or XML, good for content and for quoted attributes.
pub(in crate::report) struct Escaped<'a>(&'a str);

/// `text` for content or quoted attributes. Control characters other than tab and line ends
/// show as U+FFFD, and so does what XML does not allow.
pub(in crate::report) fn escape(text: &str) -> Escaped<'_> {
    Escaped(text)
}

impl Display for Escaped<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                '\'' => out.write_str("&#39;")?,
                '\t' | '\n' | '\r' => out.write_char(c)?,
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                    out.write_char(char::REPLACEMENT_CHARACTER)?
                }
                c => out.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A sentence of ours or of a caller's, at most so long; what stands between `backticks` becomes code.
pub(in crate::report) fn prose(text: &str, chars: usize) -> String {
    let text = clipped(text, chars);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(&text).to_string();
    }
    let part = |(i, part): (usize, &&str)| match i % 2 {
        0 => escape(part).to_string(),
        _ => format!("<code>{}</code>", escape(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

/// A foreign word within a sentence of ours: its direction of writing stays its own.
pub(in crate::report) fn inline(text: &str, chars: usize) -> String {
    format!("<bdi lang=\"\">{}</bdi>", escape(&clipped(text, chars)))
}

/// The first `chars` characters, and an ellipsis if there are more.
pub(in crate::report) fn clipped(text: &str, chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(chars) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text[..end_before(text, end)].trim_end())),
    }
}

/// How far to look for white space to cut at.
const REACH: usize = 16;

/// Where to end a piece of `text` at or shortly before the character boundary `at`: after white space if some is near,
/// otherwise between two characters as a reader sees them.
pub(super) fn end_before(text: &str, at: usize) -> usize {
    let near = text[..at].char_indices().rev().take(REACH);
    if let Some((start, space)) = near.into_iter().find(|(_, c)| c.is_whitespace()) {
        return start + space.len_utf8();
    }
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
        _ => at,
    }
}

/// Where to begin a piece of `text` at or shortly after the character boundary `at`, as [`end_before`] ends one.
pub(super) fn start_after(text: &str, at: usize) -> usize {
    let near = text[at..].char_indices().take(REACH);
    if let Some((start, space)) = near.into_iter().find(|(_, c)| c.is_whitespace()) {
        return at + start + space.len_utf8();
    }
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor
            .next_boundary(text, 0)
            .ok()
            .flatten()
            .unwrap_or(text.len()),
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_controls_are_harmless() {
        let nasty = "</script><img src=x onerror='alert(1)'>\0\u{1b}[31m\u{85}\t\"&amp;\n";
        assert_eq!(
            escape(nasty).to_string(),
            "&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;\u{fffd}\u{fffd}[31m\u{fffd}\t&quot;&amp;amp;\n"
        );
    }

    #[test]
    fn clips_between_words_or_visible_characters() {
        assert_eq!(clipped("short", 10), "short");
        assert_eq!(clipped("one two three", 9), "one two…");
        assert_eq!(clipped("重复的文本很多", 3), "重复的…");
        // Five code points make one family; it stays whole or goes.
        assert_eq!(clipped("ab👨‍👩‍👧cd", 4), "ab…");
        assert_eq!(clipped("", 0), "");
        assert_eq!(clipped("x", 0), "…");
    }

    #[test]
    fn backticks_make_code_when_they_pair_up() {
        assert_eq!(
            prose("try `a<b` or `c`", 99),
            "try <code>a&lt;b</code> or <code>c</code>"
        );
        assert_eq!(prose("it`s <fine>", 99), "it`s &lt;fine&gt;");
    }

    #[test]
    fn cuts_stay_on_character_boundaries() {
        let text = "e\u{301}a नमस्ते 🇩🇪🇫🇷 לבן";
        for (at, _) in text.char_indices() {
            assert!(end_before(text, at) <= at && text.is_char_boundary(end_before(text, at)));
            assert!(start_after(text, at) >= at && text.is_char_boundary(start_after(text, at)));
        }
    }
}
