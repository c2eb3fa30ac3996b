//! Laws of the formats: that of readers, and what each format promises besides.

use std::io::Read;

use doublet::options::{Format, ReadOptions};
use serde_json::Value;

use crate::reading::{
    Seen, mark, nothing_between, open, pass, read, read_packed, stand_in_place, write,
};

fn options(format: Format) -> ReadOptions {
    ReadOptions {
        format: Some(format),
        rank_field: Some("rank".to_owned()),
        ..ReadOptions::default()
    }
}

/// JSON lines: whatever serde_json reads of a line is what the reader finds there.
pub fn json_lines(data: &[u8]) {
    let options = ReadOptions {
        text_field: if data.len() % 4 == 3 {
            "a.text"
        } else {
            "text"
        }
        .to_owned(),
        ..options(Format::JsonLines)
    };
    let Some(all) = read(data, &options) else {
        return;
    };
    stand_in_place(data, &all, true);
    nothing_between(data, &all, mark(data), |byte| byte.is_ascii_whitespace());
    read_packed(data, &options, &all);
    for seen in &all {
        let line = raw_of(data, seen);
        match serde_json::from_slice::<Value>(line) {
            // An object may have a field twice, of which a table has one.
            Ok(Value::Object(object)) if is_plain(line, object.len()) => {
                let text = object.get("text").filter(|_| options.text_field == "text");
                let nested = object.get("a").and_then(|value| value.get("text"));
                let text = text.or(nested.filter(|_| options.text_field == "a.text"));
                if let Some(Value::String(text)) = text {
                    assert!(seen.reason.is_some() || seen.text == *text, "another text");
                }
                let is_text = matches!(text, Some(Value::String(_)));
                assert!(is_text || seen.reason.is_some(), "a text out of nothing");
            }
            Ok(Value::Object(_)) => {}
            Ok(_) | Err(_) => assert!(seen.reason.is_some() || !is_json(line), "no object is read"),
        }
    }
}

/// Whether a line has no field twice, as far as the number of its quotes tells.
fn is_plain(line: &[u8], fields: usize) -> bool {
    let colons = line.iter().filter(|byte| **byte == b':').count();
    colons == fields && !line.contains(&b'\\')
}

/// Numbers beyond those of serde_json's tables are JSON all the same.
fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<&serde_json::value::RawValue>(line).is_err()
}

fn raw_of<'a>(data: &'a [u8], seen: &Seen) -> &'a [u8] {
    let place = seen.place();
    &data[place.offset as usize..place.offset as usize + place.length as usize]
}

/// CSV and TSV: rows are those of another reader, where quotes are as the standard has them.
pub fn delimited(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else {
        return;
    };
    let (format, delimiter) = match choice % 2 {
        0 => (Format::Csv, b','),
        _ => (Format::Tsv, b'\t'),
    };
    // Most inputs need a header to get anywhere.
    let mut bytes = match choice / 2 % 4 {
        0 => Vec::new(),
        1 => b"text\n".to_vec(),
        2 => [b"id", &[delimiter][..], b"text\n"].concat(),
        _ => [
            b"rank",
            &[delimiter][..],
            b"text",
            &[delimiter][..],
            b"id\r\n",
        ]
        .concat(),
    };
    let made = bytes.len();
    bytes.extend_from_slice(rest);
    let options = options(format);
    let Some(all) = read(&bytes, &options) else {
        return;
    };
    stand_in_place(&bytes, &all, true);
    if made > 0 {
        nothing_between(&bytes, &all, made, |byte| matches!(byte, b'\r' | b'\n'));
        read_as_others(&bytes, delimiter, &all);
    }
    read_packed(&bytes, &options, &all);
}

/// Where every quote stands as the standard has it, the texts are those that the crate `csv` reads.
fn read_as_others(bytes: &[u8], delimiter: u8, all: &[Seen]) {
    // The other reader ends a row at a lone CR, takes quotes within a field for text, and passes over a byte order mark.
    let lone = bytes
        .windows(2)
        .any(|pair| pair[0] == b'\r' && pair[1] != b'\n');
    if lone || bytes.ends_with(b"\r") || bytes.contains(&b'"') || bytes.contains(&0xef) {
        return;
    }
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(bytes);
    let headers: Vec<String> = match reader.headers() {
        Ok(headers) => headers.iter().map(str::to_owned).collect(),
        Err(_) => return,
    };
    let column = headers.iter().position(|name| name == "text");
    let rows: Vec<csv::ByteRecord> = reader.byte_records().flatten().collect();
    assert_eq!(rows.len(), all.len(), "another number of rows");
    for (row, seen) in rows.iter().zip(all) {
        let text = column
            .and_then(|column| row.get(column))
            .unwrap_or_default();
        match std::str::from_utf8(text) {
            Ok(text) if row.len() == headers.len() => {
                assert!(seen.reason.is_some() || seen.text == text, "another text");
            }
            _ => assert!(seen.reason.is_some(), "a bad row is read: {row:?}"),
        }
    }
}

/// Plain text, by the line and by the file: texts are the bytes, if they are UTF-8.
pub fn plain(data: &[u8]) {
    let lines = options(Format::Lines);
    let all = read(data, &lines).expect("any bytes are lines");
    stand_in_place(data, &all, true);
    nothing_between(data, &all, mark(data), |byte| matches!(byte, b'\r' | b'\n'));
    let without_mark = &data[mark(data)..];
    let mut expected: Vec<&[u8]> = without_mark.split(|byte| *byte == b'\n').collect();
    if expected.last().is_some_and(|last| last.is_empty()) {
        expected.pop();
    }
    assert_eq!(all.len(), expected.len(), "another number of lines");
    for (seen, line) in all.iter().zip(expected) {
        is_text_of(seen, line.strip_suffix(b"\r").unwrap_or(line));
    }
    read_packed(data, &lines, &all);
    let whole = options(Format::Text);
    let all = read(data, &whole).expect("any bytes are a text");
    assert_eq!(all.len(), 1, "a file is one text");
    is_text_of(&all[0], without_mark);
    read_packed(data, &whole, &all);
}

/// That a record is these bytes, or rejected where they are no text.
fn is_text_of(seen: &Seen, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => assert!(seen.reason.is_none() && seen.text == text, "another text"),
        Err(_) => assert!(seen.reason.is_some(), "bytes that are no text are read"),
    }
}

/// Web archives: records stand apart, and an archive is read the same in pieces of any size.
pub fn warc(data: &[u8]) {
    let options = options(Format::Warc);
    let all = read(data, &options).expect("any bytes are an archive");
    stand_in_place(data, &all, false);
    read_packed(data, &options, &all);
}

/// Parquet: a file is refused, or read twice the same; whatever its bytes are, nothing panics past the reader.
pub fn parquet(data: &[u8]) {
    read(data, &options(Format::Parquet));
}

/// Packed files that may be damaged: read to their end, or refused in every pass; a spool never gives other bytes than the pass.
pub fn packed(data: &[u8]) {
    let path = write("packed", data);
    let options = options(Format::Lines);
    let Ok(collection) = open(&path, &options) else {
        return;
    };
    let first = pass(&collection);
    let second = pass(&collection);
    assert_eq!(first.is_ok(), second.is_ok(), "one pass of two is whole");
    let (Ok(first), Ok(second)) = (first, second) else {
        return;
    };
    assert_eq!(first, second, "the second pass differs");
    let Some(whole) = unpacked(data) else {
        return;
    };
    let expected = read(&whole, &options).expect("any bytes are lines");
    let texts =
        |all: &[Seen]| -> Vec<String> { all.iter().map(|seen| seen.text.clone()).collect() };
    assert_eq!(texts(&first), texts(&expected), "unpacked differently");
}

/// What other code unpacks of the bytes, if it is not too much.
fn unpacked(data: &[u8]) -> Option<Vec<u8>> {
    const MOST: u64 = 1 << 20;
    let mut whole = Vec::new();
    let read = match data {
        [0x1f, 0x8b, ..] => flate2::read::MultiGzDecoder::new(data)
            .take(MOST)
            .read_to_end(&mut whole),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => zstd::Decoder::new(data)
            .ok()?
            .take(MOST)
            .read_to_end(&mut whole),
        _ => return Some(data.to_vec()),
    };
    (read.is_ok() && (whole.len() as u64) < MOST).then_some(whole)
}
