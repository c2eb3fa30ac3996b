//! Stage 1, read: the text of an XML or TEI document, with offsets.
//!
//! In: the document. Out: its character data, entities and CDATA decoded, the TEI header dropped. The border of an element
//! ends the line, except of elements that stand inside a word or a sentence (`hi`, `emph`, `w`, …) and of breaks that say
//! `break="no"`. A document that is not well-formed is rejected with the line and column.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::html;
use super::offsets::Extract;

/// Elements that do not end a word: those of TEI, and those of HTML that mean the same here (`s` and `u` do not).
const INLINE: [&str; 55] = [
    "a",
    "abbr",
    "add",
    "b",
    "big",
    "c",
    "choice",
    "code",
    "corr",
    "damage",
    "date",
    "del",
    "distinct",
    "em",
    "emph",
    "ex",
    "expan",
    "font",
    "foreign",
    "forename",
    "g",
    "geogName",
    "gloss",
    "hi",
    "i",
    "kbd",
    "m",
    "measure",
    "mentioned",
    "name",
    "num",
    "orgName",
    "orig",
    "pc",
    "persName",
    "placeName",
    "ref",
    "reg",
    "rs",
    "seg",
    "sic",
    "small",
    "soCalled",
    "span",
    "strong",
    "sub",
    "subst",
    "sup",
    "supplied",
    "surname",
    "term",
    "title",
    "tt",
    "unclear",
    "w",
];

/// Takes the text out of a document. The error says what is wrong with it, and where.
pub(super) fn extract(source: &str) -> Result<Extract, String> {
    // The reader passes over a byte order mark and does not count it.
    let document = source.trim_start_matches('\u{feff}');
    let before = source.len() - document.len();
    let mut reader = Reader::from_str(document);
    reader.config_mut().allow_dangling_amp = true;
    let mut walk = Walk::default();
    let position = |offset: u64| {
        usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .saturating_add(before)
    };
    loop {
        let start = position(reader.buffer_position());
        match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(event) => {
                let end = position(reader.buffer_position());
                walk.event(source, event, start, end);
            }
            Err(error) => {
                let at = position(reader.error_position());
                return Err(malformed(source, at, &error.to_string()));
            }
        }
    }
    walk.finish(source)
}

fn malformed(source: &str, at: usize, reason: &str) -> String {
    let before = source.as_bytes().get(..at).unwrap_or(source.as_bytes());
    let line = 1 + memchr::memchr_iter(b'\n', before).count();
    let column = 1 + before.len() - memchr::memrchr(b'\n', before).map_or(0, |lf| lf + 1);
    format!("malformed XML at line {line}, column {column}: {reason}")
}

#[derive(Default)]
struct Walk {
    out: Extract,
    /// Names of the open elements that matter: how deep we are, and how deep in a TEI header.
    depth: usize,
    header: usize,
    /// Whether there has been an element at all.
    rooted: bool,
}

impl Walk {
    fn event(&mut self, source: &str, event: Event<'_>, start: usize, end: usize) {
        match event {
            Event::Start(tag) => self.open(&tag, start),
            Event::End(tag) => self.close(tag.name().as_ref(), start),
            Event::Empty(tag) => {
                self.rooted = true;
                self.border(&tag, start);
            }
            _ if self.header > 0 || self.depth == 0 => {}
            Event::Text(_) => self.text(source, start, end),
            Event::CData(_) => self.cdata(source, start, end),
            Event::GeneralRef(_) => self.reference(source, start, end),
            _ => {}
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>, at: usize) {
        self.rooted = true;
        self.depth += 1;
        if self.header > 0 || local(tag.name().as_ref()) == "teiHeader" {
            self.header += 1;
        }
        self.border(tag, at);
    }

    fn close(&mut self, name: &str, at: usize) {
        self.depth = self.depth.saturating_sub(1);
        if self.header > 0 {
            self.header -= 1;
        } else if !is_inline(local(name)) {
            self.out.line_break(at);
        }
    }

    fn border(&mut self, tag: &BytesStart<'_>, at: usize) {
        if self.header == 0 && !is_inline(local(tag.name().as_ref())) && !joins(tag) {
            self.out.line_break(at);
        }
    }

    fn text(&mut self, source: &str, start: usize, end: usize) {
        if let Some(text) = source.get(start..end) {
            self.out.push(text, start, false);
        }
    }

    fn cdata(&mut self, source: &str, start: usize, end: usize) {
        let (start, end) = (start + "<![CDATA[".len(), end.saturating_sub("]]>".len()));
        self.text(source, start, end);
    }

    fn reference(&mut self, source: &str, start: usize, end: usize) {
        let Some(reference) = source.get(start..end) else {
            return;
        };
        match decoded(reference) {
            Some(text) => self.out.push_replaced(&text, start, reference.len()),
            None => self.out.push(reference, start, false),
        }
    }

    fn finish(self, source: &str) -> Result<Extract, String> {
        if self.depth > 0 {
            return Err(malformed(
                source,
                source.len(),
                "an element is never closed",
            ));
        }
        if !self.rooted {
            return Err(malformed(source, 0, "there is no element"));
        }
        Ok(self.out)
    }
}

/// What a reference stands for. Names that a DTD would define are looked up among those of HTML.
fn decoded(reference: &str) -> Option<String> {
    if reference == "&apos;" {
        return Some("'".to_owned());
    }
    html::entity(reference)
}

/// The name without its namespace prefix.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

fn is_inline(name: &str) -> bool {
    INLINE.binary_search(&name).is_ok()
}

/// Whether a break (`<lb break="no"/>`) stands inside a word.
fn joins(tag: &BytesStart<'_>) -> bool {
    let mut attributes = tag.attributes();
    attributes.any(|attribute| {
        attribute.is_ok_and(|pair| {
            let value: &str = pair.value.as_ref();
            pair.key.as_ref() == "break" && value == "no"
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> String {
        extract(source).unwrap().text
    }

    #[test]
    fn byte_order_marks_are_passed_over() {
        for marks in ["", "\u{feff}", "\u{feff}\u{feff}"] {
            let found = extract(&format!("{marks}<t>one &amp; two</t>")).unwrap();
            assert_eq!(found.text, "one & two\n");
            let start = marks.len() + "<t>".len();
            assert_eq!(
                (found.map.source(0), found.map.source(6)),
                (start, start + 10)
            );
        }
    }

    #[test]
    fn character_data_comes_out() {
        assert_eq!(text("<t><p>one</p><p>tw<hi>o</hi></p></t>"), "one\ntwo\n");
        assert_eq!(
            text("<t>x &amp; &#228;&auml; &apos;<![CDATA[<b>]]></t>"),
            "x & \u{e4}\u{e4} '<b>\n"
        );
        assert_eq!(text("<p><s>One.</s><s>Two.</s></p>"), "One.\nTwo.\n");
        let tei = "<TEI><teiHeader><title>no</title><p>no</p></teiHeader><text>ja<lb break=\"no\"/>wohl<lb/>da</text></TEI>";
        assert_eq!(text(tei), "jawohl\nda\n");
        assert_eq!(text("<?xml version='1.0'?><!DOCTYPE a><!-- c --><a/>"), "");
    }

    #[test]
    fn what_is_malformed_is_told_with_its_place() {
        for bad in ["<a>\n<b></a>", "<a>", "no element", "<a", "<a>&</b>", ""] {
            let reason = extract(bad).err().unwrap_or_else(|| panic!("{bad}"));
            assert!(reason.starts_with("malformed XML at line "), "{reason}");
        }
        let reason = extract("<a>\n <b></a>").err().unwrap();
        assert!(reason.contains("line 2"), "{reason}");
    }

    #[test]
    fn every_word_is_cut_from_the_source_by_the_map() {
        let source = "<t><p>Ein <hi rend='b'>gro\u{df}er</hi> Baum\n steht</p><l>im <![CDATA[Wald]]></l></t>";
        let document = extract(source).unwrap();
        for word in document.text.split_whitespace() {
            let at = word.as_ptr() as usize - document.text.as_ptr() as usize;
            let range = document.map.source(at)..document.map.source_end(at + word.len());
            assert_eq!(&source[range], word);
        }
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let deep = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
        assert_eq!(text(&deep), "");
    }

    #[test]
    fn the_list_of_inline_elements_is_sorted() {
        assert!(INLINE.is_sorted());
    }
}
