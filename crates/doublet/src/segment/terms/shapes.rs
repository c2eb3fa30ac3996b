//! Pieces that are known by their shape: web and e-mail addresses, mentions, hashtags, emoji.
//!
//! Each function looks at one place of a text and says where the shape that starts there ends. None looks further than a fixed
//! length past what it accepts, so that a long text takes linear time.

use unicode_segmentation::UnicodeSegmentation;

use super::kind::{Kind, KindTable};

/// Longest host name, in bytes.
const LONGEST_HOST: usize = 253;
/// Longest part of an e-mail address before the `@`.
const LONGEST_LOCAL: usize = 64;
/// Longest topic between two `#`, in characters.
const LONGEST_TOPIC: usize = 40;

/// Endings that make an address of a bare host name.
const SURE_ENDINGS: &[&str] = &[
    "com", "net", "org", "edu", "gov", "mil", "biz", "io", "cn", "jp", "kr", "ru", "nl", "uk",
    "eu", "xyz",
];

/// Endings that make an address when a path follows.
const ENDINGS: &[&str] = &[
    "ac", "ae", "ai", "app", "ar", "at", "au", "be", "bg", "br", "ca", "cc", "ch", "cl", "co",
    "cz", "de", "dev", "dk", "es", "fi", "fm", "fr", "gd", "gl", "gr", "hk", "hu", "id", "ie",
    "il", "im", "in", "info", "ir", "it", "la", "link", "live", "ly", "me", "mx", "my", "name",
    "no", "nz", "online", "ph", "pl", "pt", "ro", "se", "sg", "sh", "shop", "site", "so", "st",
    "store", "th", "tk", "to", "top", "tr", "tv", "tw", "ua", "us", "vip", "vn", "ws", "za",
];

/// The end of an address that says by `http://`, `https://` or `www.` that it is one.
#[inline]
pub(super) fn web_address(text: &str, start: usize, kinds: KindTable) -> Option<usize> {
    match text.as_bytes()[start] | 0x20 {
        b'h' | b'w' => marked_address(text, start, kinds),
        _ => None,
    }
}

fn marked_address(text: &str, start: usize, kinds: KindTable) -> Option<usize> {
    let bytes = &text.as_bytes()[start..];
    let marks: [&[u8]; 3] = [b"https://", b"http://", b"www."];
    let mark = marks.into_iter().find(|mark| {
        bytes
            .get(..mark.len())
            .is_some_and(|open| open.eq_ignore_ascii_case(mark))
    })?;
    let host = start + mark.len();
    // Only a host is followed to its end, so that no stretch of text is gone through twice.
    let opens = kinds.of(text[host..].chars().next()?);
    if !opens.is_letter() && opens != Kind::Digit {
        return None;
    }
    let end = address_end(text, host, kinds);
    (end > host).then_some(end)
}

/// The end of a host name, with what follows it, or of an e-mail address, if one starts at `start`.
#[inline(never)]
pub(super) fn bare_address(text: &str, start: usize, kinds: KindTable) -> Option<usize> {
    let bytes = text.as_bytes();
    let local = run(bytes, start, LONGEST_LOCAL, |byte| {
        byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte)
    });
    if local > start && bytes.get(local) == Some(&b'@') {
        let end = host_end(bytes, local + 1);
        let ending = ending(&text[local + 1..end])?;
        let whole = ending.len() >= 2 && ending.bytes().all(|byte| byte.is_ascii_alphabetic());
        return whole.then_some(end);
    }
    let end = host_end(bytes, start);
    let ending = ending(&text[start..end])?;
    let among = |endings: &[&str]| endings.iter().any(|e| e.eq_ignore_ascii_case(ending));
    let sure = among(SURE_ENDINGS);
    let opens_path = match bytes.get(end) {
        Some(b'/') => bytes
            .get(end + 1)
            .is_none_or(|next| !next.is_ascii_punctuation()),
        Some(b':') => sure && bytes.get(end + 1).is_some_and(u8::is_ascii_digit),
        Some(b'?') => sure && bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric),
        _ => false,
    };
    match opens_path && (sure || among(ENDINGS)) {
        true => Some(address_end(text, end, kinds)),
        false => sure.then_some(end),
    }
}

/// The last label of a host name of at least two.
fn ending(host: &str) -> Option<&str> {
    let (before, ending) = host.rsplit_once('.')?;
    (!before.is_empty() && !before.ends_with('.')).then_some(ending)
}

/// The end of the labels that start at `start`; no dot or hyphen ends them.
fn host_end(bytes: &[u8], start: usize) -> usize {
    let end = run(bytes, start, LONGEST_HOST, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-'
    });
    let host = &bytes[start..end];
    let dots = host
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b'.' | b'-'));
    end - dots.count()
}

fn run(bytes: &[u8], start: usize, longest: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = &bytes[start..bytes.len().min(start + longest)];
    let length = rest.iter().position(|byte| !belongs(*byte));
    start + length.unwrap_or(rest.len())
}

/// The end of an address from a place inside it on: it stops at white space, quotes, brackets that it did not open, and
/// scripts that are written without spaces; punctuation that ends it belongs to the sentence.
fn address_end(text: &str, start: usize, kinds: KindTable) -> usize {
    let stops = |c: char| match c {
        '\0'..=' ' | '<' | '>' | '"' | '{' | '}' | '|' | '\\' | '^' | '`' | '\u{7F}' => true,
        '\u{80}'.. => !matches!(kinds.of(c), kind if kind.is_letter() || kind == Kind::Digit),
        _ => false,
    };
    let length = text[start..].find(stops);
    let end = length.map_or(text.len(), |length| start + length);
    let mut address = &text[start..end];
    let mut open = address.matches('(').count();
    let mut closed = address.matches(')').count();
    while let Some(last) = address.bytes().next_back() {
        match last {
            b')' if closed > open => closed -= 1,
            b'(' => open -= 1,
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' | b'_' | b'~' | b'[' | b']'
            | b'&' => {}
            _ => break,
        }
        address = &address[..address.len() - 1];
    }
    start + address.len()
}

/// The end of the mention whose sign stands at `start`.
pub(super) fn mention(text: &str, start: usize, kinds: KindTable) -> Option<usize> {
    let name = after_sign(text, start);
    let end = tag_end(text, name, kinds);
    (end > name).then_some(end)
}

/// The end of the hashtag whose sign stands at `start`: a word with a letter, or a topic between two signs.
pub(super) fn hashtag(text: &str, start: usize, kinds: KindTable) -> Option<usize> {
    let tag = after_sign(text, start);
    if let Some(end) = topic_end(text, tag, kinds) {
        return Some(end);
    }
    let end = tag_end(text, tag, kinds);
    let is_letter = |c: char| matches!(kinds.of(c), kind if kind.is_letter() || matches!(kind, Kind::Han | Kind::Kana | Kind::Complex));
    text[tag..end].contains(is_letter).then_some(end)
}

fn after_sign(text: &str, start: usize) -> usize {
    start + text[start..].chars().next().map_or(0, char::len_utf8)
}

fn tag_end(text: &str, start: usize, kinds: KindTable) -> usize {
    let belongs = |c: char| {
        let kind = kinds.of(c);
        kind <= Kind::Extend || matches!(kind, Kind::Han | Kind::Kana | Kind::Complex)
    };
    let opens = text[start..].chars().next().map(|c| kinds.of(c));
    if opens.is_none_or(|kind| kind == Kind::Extend) {
        return start;
    }
    text[start..]
        .find(|c| !belongs(c))
        .map_or(text.len(), |length| start + length)
}

/// The end of a topic as `#话题#` writes it, the closing sign included. It holds a character of a script without spaces or
/// Hangul, so that two hashtags in a row are not taken for one.
fn topic_end(text: &str, start: usize, kinds: KindTable) -> Option<usize> {
    let mut eastern = false;
    let mut last = ' ';
    for (place, c) in text[start..].char_indices().take(LONGEST_TOPIC + 1) {
        let kind = kinds.of(c);
        match kind {
            Kind::Hash => {
                let closes = eastern && !last.is_whitespace();
                return closes.then_some(start + place + c.len_utf8());
            }
            Kind::Break if c.is_control() || (place == 0 && c.is_whitespace()) => return None,
            Kind::Han | Kind::Kana | Kind::Hangul => eastern = true,
            _ => {}
        }
        last = c;
    }
    None
}

/// The end of the grapheme cluster that starts at `start`: one emoji with all that belongs to it.
pub(super) fn cluster(text: &str, start: usize) -> usize {
    let first = text[start..].graphemes(true).next();
    start + first.map_or(1, str::len)
}
