//! Laws of the text of markup: no more than the source has, in its order, and every character leads back to where it stands.

use doublet::options::{Format, ReadOptions};
use doublet::read::OffsetMap;
use doublet::read::inside::{html_text, xml_text};

use crate::reading::{read, read_packed};

/// HTML: any page has a text; the page of that text, escaped, has the same.
pub fn html(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let (text, map) = html_text(&source);
    leads_back(&source, &text, &map);
    assert!(
        !has_markup(&text, &source, &map),
        "markup in the text: {text:?}"
    );
    let page = format!("<pre>{}</pre>", escaped(&text));
    let (again, map) = html_text(&page);
    leads_back(&page, &again, &map);
    assert_eq!(words(&again), words(&text), "another text of the same page");
    as_file(data, Format::Html);
}

/// XML: refused with its place, or a text that is that of a document of the text alone.
pub fn xml(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    match xml_text(&source) {
        Ok((text, map)) => {
            leads_back(&source, &text, &map);
            let document = format!("<t>{}</t>", escaped(&text));
            let again = xml_text(&document).map(|(text, _)| text);
            let again = again.unwrap_or_else(|error| panic!("a text is no XML: {error}"));
            assert_eq!(
                words(&again),
                words(&text),
                "another text of the same document"
            );
        }
        Err(reason) => {
            assert!(
                reason.starts_with("malformed XML at line "),
                "no place: {reason}"
            );
        }
    }
    as_file(data, Format::Xml);
}

fn as_file(data: &[u8], format: Format) {
    let options = ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    };
    let all = read(data, &options).expect("any bytes are a file of markup");
    assert_eq!(all.len(), 1, "a file is one text");
    read_packed(data, &options, &all);
}

/// That every character of the text stands in the source where the map says, in order.
fn leads_back(source: &str, text: &str, map: &OffsetMap) {
    let mut last = 0;
    for (at, c) in text.char_indices() {
        let (start, end) = (map.source(at), map.source_end(at + c.len_utf8()));
        assert!(last <= start, "places fall: {last} and {start}");
        assert!(
            start <= end && end <= source.len(),
            "a place outside: {start}..{end}"
        );
        let place = source.get(start..end);
        let place = place.unwrap_or_else(|| panic!("within a character: {start}..{end}"));
        // A character stands for itself, for a reference, or for white space.
        let itself = place.chars().eq([c]);
        let reference = place.starts_with('&');
        let blank = c.is_ascii_whitespace() && place.bytes().all(|byte| byte.is_ascii_whitespace());
        assert!(itself || reference || blank, "{c:?} stands for {place:?}");
        last = start;
    }
    // A reference of two characters, `&ngE;`, stands for six bytes.
    assert!(
        text.len() <= 2 * source.len() + 1,
        "a text longer than its source"
    );
}

/// Whether the text has a tag, although nothing in the source stands for `<`.
fn has_markup(text: &str, source: &str, map: &OffsetMap) -> bool {
    let plain = !source.contains('&') && !source.contains("<!") && !source.contains("<?");
    let raw = [
        "title",
        "textarea",
        "plaintext",
        "xmp",
        "iframe",
        "noembed",
        "noframes",
    ];
    let small = source.to_ascii_lowercase();
    let plain = plain && raw.iter().all(|name| !small.contains(name));
    // In the source as well: what stood before and behind another tag is none.
    let tag = |at: usize| {
        let rest = text.as_bytes().get(at + 1..).unwrap_or_default();
        let behind = source.as_bytes().get(map.source(at) + 1);
        behind.is_some_and(u8::is_ascii_alphabetic) && rest.contains(&b'>')
    };
    plain && text.match_indices('<').any(|(at, _)| tag(at))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The text but for how its white space is written, of which markup makes no difference, and for what no page can hold.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_ascii_whitespace() || c == '\0')
        .filter(|word| !word.is_empty())
        .collect()
}
