//! Stage 1, read: bytes to text.
//!
//! Text is UTF-8. Markup may say otherwise (a byte order mark, `<meta charset>`, `<?xml encoding>`, an HTTP header) and is
//! then transcoded; plain text that is not UTF-8 is rejected with the offset of the first bad byte, since a guess would
//! quietly make two copies of a text differ.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

/// The bytes as text, or why they are none.
pub(super) fn utf8(raw: &[u8]) -> Result<&str, String> {
    simdutf8::basic::from_utf8(raw).map_err(|_| not_utf8(raw))
}

fn not_utf8(raw: &[u8]) -> String {
    if let Some(name) = utf16_mark(raw) {
        return format!("the text is {name} by its byte order mark: convert it to UTF-8");
    }
    let offset = simdutf8::compat::from_utf8(raw)
        .err()
        .map_or(0, |error| error.valid_up_to());
    let byte = raw.get(offset).copied().unwrap_or_default();
    format!("not UTF-8: byte 0x{byte:02x} at offset {offset}")
}

fn utf16_mark(raw: &[u8]) -> Option<&'static str> {
    match raw {
        [0xff, 0xfe, ..] => Some("UTF-16LE"),
        [0xfe, 0xff, ..] => Some("UTF-16BE"),
        _ => None,
    }
}

/// Text that was decoded from markup.
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    /// Whether offsets in the text are offsets in the bytes.
    pub(super) same_offsets: bool,
}

/// Decodes markup. `label` is the declared encoding; with `lossy`, broken characters are replaced and not rejected.
pub(super) fn markup<'a>(
    raw: &'a [u8],
    label: Option<&str>,
    lossy: bool,
) -> Result<Decoded<'a>, String> {
    let declared = label.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let marked = utf16_mark(raw).and_then(|name| Encoding::for_label(name.as_bytes()));
    if let Ok(text) = simdutf8::basic::from_utf8(raw)
        && marked.is_none()
        && declared.is_none_or(ascii_compatible)
        && (declared.is_none_or(|encoding| encoding == UTF_8) || raw.is_ascii())
    {
        return Ok(Decoded {
            text: Cow::Borrowed(text),
            same_offsets: true,
        });
    }
    match marked.or(declared).filter(|encoding| *encoding != UTF_8) {
        // A page that can be read as text at all holds ASCII markup, whatever its label says.
        Some(encoding) => transcode(raw, encoding, lossy),
        None if lossy => transcode(raw, UTF_8, true),
        None => Err(not_utf8(raw)),
    }
}

fn ascii_compatible(encoding: &'static Encoding) -> bool {
    encoding.is_ascii_compatible()
}

fn transcode<'a>(
    raw: &'a [u8],
    encoding: &'static Encoding,
    lossy: bool,
) -> Result<Decoded<'a>, String> {
    let (text, used, broken) = encoding.decode(raw);
    if broken && !lossy {
        return Err(format!("not {}, which it says it is", used.name()));
    }
    Ok(Decoded {
        text: Cow::Owned(text.into_owned()),
        same_offsets: false,
    })
}

/// The encoding that an HTML page declares in a `<meta>` within its first kilobyte.
pub(super) fn html_charset(raw: &[u8]) -> Option<String> {
    let head = raw.get(..raw.len().min(1024))?.to_ascii_lowercase();
    let at = memchr::memmem::find(&head, b"charset=")? + b"charset=".len();
    label_at(&head, at)
}

/// The encoding that an XML declaration names.
pub(super) fn xml_encoding(raw: &[u8]) -> Option<String> {
    let head = raw.get(..raw.len().min(256))?;
    let declaration = &head[..memchr::memmem::find(head, b"?>")?];
    let at = memchr::memmem::find(declaration, b"encoding")? + b"encoding".len();
    let equals = memchr::memchr(b'=', &declaration[at..])?;
    label_at(declaration, at + equals + 1)
}

fn label_at(bytes: &[u8], at: usize) -> Option<String> {
    let label: Vec<u8> = bytes
        .get(at..)?
        .iter()
        .copied()
        .skip_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\''))
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte))
        .collect();
    String::from_utf8(label)
        .ok()
        .filter(|label| !label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_text_is_named_by_its_byte() {
        let reason = utf8(b"caf\xe9 au lait").unwrap_err();
        assert_eq!(reason, "not UTF-8: byte 0xe9 at offset 3");
        let reason = utf8(b"\xff\xfea\0").unwrap_err();
        assert!(reason.contains("UTF-16LE"), "{reason}");
    }

    #[test]
    fn declared_encodings_are_found() {
        let meta = br#"<html><head><META http-equiv=x content="text/html; charset=ISO-8859-1">"#;
        assert_eq!(html_charset(meta).as_deref(), Some("iso-8859-1"));
        assert_eq!(
            html_charset(b"<meta charset='utf-8'>").as_deref(),
            Some("utf-8")
        );
        let declaration = b"<?xml version='1.0' encoding = 'windows-1252' ?><a/>";
        assert_eq!(xml_encoding(declaration).as_deref(), Some("windows-1252"));
        assert_eq!(xml_encoding(b"<?xml version='1.0'?>"), None);
    }

    #[test]
    fn markup_is_transcoded() {
        let decoded = markup(b"caf\xe9", Some("latin1"), false).unwrap();
        assert_eq!(decoded.text, "caf\u{e9}");
        assert!(!decoded.same_offsets);
        assert!(markup(b"caf\xe9", None, false).is_err());
        assert_eq!(markup(b"caf\xe9", None, true).unwrap().text, "caf\u{fffd}");
        assert!(markup(b"cafe", Some("latin1"), false).unwrap().same_offsets);
    }
}
