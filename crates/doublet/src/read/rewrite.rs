//! Stage 1, read: a record with parts of its text taken out, every other byte as it stood.
//!
//! In: the raw record and ranges of its decoded text. Out: the record without them. JSON is cut in the string as it is spelled, so
//! that the escapes of what stays are those that were there; a field of CSV or TSV is quoted if it was, or if it has to be now.

use std::ops::Range;

use super::decode::Fields;
use super::delimited::{self, Header};
use super::json;

/// The bytes without those in `parts`, which are in order and apart.
pub(crate) fn without(bytes: &[u8], parts: &[Range<usize>]) -> Vec<u8> {
    let mut rest = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for part in parts {
        rest.extend_from_slice(bytes.get(from..part.start).unwrap_or_default());
        from = part.end;
    }
    rest.extend_from_slice(bytes.get(from..).unwrap_or_default());
    rest
}

/// A line of JSON whose text field loses these parts.
pub(super) fn json(raw: &[u8], fields: &Fields, parts: &[Range<usize>]) -> Option<Vec<u8>> {
    let (start, value) = json::raw_text(raw, fields)?;
    let inside = value.strip_prefix('"')?.strip_suffix('"')?;
    let spelled = spelled_parts(inside, parts)?;
    let at = start + 1;
    let cut: Vec<Range<usize>> = spelled
        .into_iter()
        .map(|part| at + part.start..at + part.end)
        .collect();
    Some(without(raw, &cut))
}

/// Where parts of a text stand in its JSON spelling.
fn spelled_parts(spelling: &str, parts: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
    let bounds = parts.iter().flat_map(|part| [part.start, part.end]);
    let mut found = Vec::with_capacity(2 * parts.len());
    let (mut spelled, mut decoded) = (0, 0);
    for bound in bounds {
        while decoded < bound {
            let (long, bytes) = next_character(spelling.get(spelled..)?)?;
            spelled += long;
            decoded += bytes;
        }
        if decoded != bound {
            return None;
        }
        found.push(spelled);
    }
    Some(found.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect())
}

/// Bytes of the first character of a JSON string, as it is spelled and in the text.
fn next_character(spelling: &str) -> Option<(usize, usize)> {
    let unit = |at: usize| u16::from_str_radix(spelling.get(at..at + 4)?, 16).ok();
    let mut characters = spelling.chars();
    let first = characters.next()?;
    if first != '\\' {
        return Some((first.len_utf8(), first.len_utf8()));
    }
    if characters.next()? != 'u' {
        return Some((2, 1));
    }
    let high = unit(2)?;
    if let Some(character) = char::from_u32(u32::from(high)) {
        return Some((6, character.len_utf8()));
    }
    // Two escapes for one character beyond the first plane.
    let low = unit(8)?;
    let character = char::decode_utf16([high, low]).next()?.ok()?;
    Some((12, character.len_utf8()))
}

/// A row of CSV or TSV whose text field loses these parts.
pub(super) fn delimited(raw: &[u8], header: &Header, parts: &[Range<usize>]) -> Option<Vec<u8>> {
    let place = delimited::text_place(raw, header)?;
    let field = raw.get(place.clone())?;
    let text = delimited::field_text(field, header.delimiter)?;
    let rest = without(text.as_bytes(), parts);
    let special = |byte: &u8| *byte == header.delimiter || matches!(byte, b'\n' | b'\r');
    // A row of nothing at all would be a blank line, which is no row.
    let blank = rest.is_empty() && field.len() == raw.len();
    let quoted = blank
        || field.first() == Some(&b'"')
        || rest.first() == Some(&b'"')
        || rest.iter().any(special);
    let mut row = raw[..place.start].to_vec();
    if quoted {
        push_quoted(&rest, &mut row);
    } else {
        row.extend_from_slice(&rest);
    }
    row.extend_from_slice(&raw[place.end..]);
    Some(row)
}

fn push_quoted(text: &[u8], row: &mut Vec<u8>) {
    row.push(b'"');
    for &byte in text {
        if byte == b'"' {
            row.push(b'"');
        }
        row.push(byte);
    }
    row.push(b'"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::options::ReadOptions;

    fn fields(text: &str) -> Fields {
        Fields::new(&ReadOptions {
            text_field: text.to_owned(),
            ..ReadOptions::default()
        })
    }

    fn in_json(line: &str, field: &str, parts: &[Range<usize>]) -> String {
        String::from_utf8(json(line.as_bytes(), &fields(field), parts).unwrap()).unwrap()
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one part is one range")]
    fn json_keeps_every_other_byte() {
        let line = r#" {"b" : 1,  "text":"One. \"Two.\" Three." , "a": [1.50, "\/"] }"#;
        let expected = r#" {"b" : 1,  "text":"One. Three." , "a": [1.50, "\/"] }"#;
        assert_eq!(in_json(line, "text", &[5..12]), expected);
        // The escapes of what stays are as they were.
        let line = r#"{"a":{"text":"x"},"text":"\u00e4\ud83d\udc4d\/\n. Out. \u00E4"}"#;
        let expected = r#"{"a":{"text":"x"},"text":"\u00e4\ud83d\udc4d\/\n. \u00E4"}"#;
        assert_eq!(in_json(line, "text", &[10..15]), expected);
        let line = r#"{"a":{"x":"Out. In.","text":"y"},"a.x":1}"#;
        assert_eq!(
            in_json(r#"{"a":{"x":"Out. In.","text":"y"}}"#, "a.x", &[0..5]),
            r#"{"a":{"x":"In.","text":"y"}}"#
        );
        assert_eq!(json(line.as_bytes(), &fields("a.x"), &[0..5]), None);
        // The last of two fields of one name is the text.
        let line = r#"{"text":"Out. In.","text":"Out. In."}"#;
        assert_eq!(
            in_json(line, "text", &[0..5]),
            r#"{"text":"Out. In.","text":"In."}"#
        );
    }

    fn in_row(header: &str, row: &str, delimiter: u8, parts: &[Range<usize>]) -> String {
        let header = Header::parse(header.as_bytes(), delimiter, &fields("text"));
        let header = header.unwrap().unwrap();
        String::from_utf8(delimited(row.as_bytes(), &header, parts).unwrap()).unwrap()
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one part is one range")]
    fn rows_are_quoted_as_before_or_if_need_be() {
        let row = "1,\"One, \"\"a\"\".\n\nTwo.\nThree.\",\"x\"";
        let expected = "1,\"One, \"\"a\"\".\n\nThree.\",\"x\"";
        assert_eq!(in_row("id,text,n\n", row, b',', &[11..16]), expected);
        assert_eq!(in_row("text\n", "One. Two.", b',', &[0..5]), "Two.");
        let quoted = in_row("text\tid\n", "One. \"Two\" \"2\".\t7", b'\t', &[0..5]);
        assert_eq!(quoted, "\"\"\"Two\"\" \"\"2\"\".\"\t7");
        let inner = in_row("id\ttext\n", "7\tOne. A 5\" disk. Two.", b'\t', &[0..5]);
        assert_eq!(inner, "7\tA 5\" disk. Two.");
    }

    proptest! {
        #[test]
        fn what_is_left_reads_as_the_text_without_the_parts(
            text in "([ab\"\\\\,\t\r\né漢👍\u{1}]){0,20}",
            ends in prop::collection::vec(0usize..60, 0..6),
            escape: bool,
        ) {
            let mut bounds: Vec<usize> = ends.into_iter().filter(|&at| text.is_char_boundary(at)).collect();
            bounds.sort_unstable();
            bounds.dedup();
            let parts: Vec<Range<usize>> = bounds.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect();
            let expected = String::from_utf8(without(text.as_bytes(), &parts)).unwrap();

            let mut spelling = serde_json::to_string(&text).unwrap();
            if escape {
                let units = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
                spelling = spelling.chars().map(|c| if c.is_ascii() { c.to_string() } else { units(c) }).collect();
            }
            let line = format!("{{\"id\":1,\"text\": {spelling} }}");
            let cut = json(line.as_bytes(), &fields("text"), &parts).unwrap();
            let read = json::decode(&cut, &fields("text")).unwrap();
            prop_assert_eq!(&read.text, &expected);

            for delimiter in [b',', b'\t'] {
                let separator = char::from(delimiter);
                let header = Header::parse(format!("id{separator}text{separator}n\n").as_bytes(), delimiter, &fields("text"));
                let header = header.unwrap().unwrap();
                let row = format!("1{separator}\"{}\"{separator}2", text.replace('"', "\"\""));
                let cut = delimited(row.as_bytes(), &header, &parts).unwrap();
                let read = delimited::decode(&cut, &header, &fields("text")).unwrap();
                prop_assert_eq!(&read.text, &expected);
            }
        }
    }
}
