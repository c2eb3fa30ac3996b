//! Every format: its records, its line endings, its bad inputs.

use super::*;
use crate::error::Error;

#[test]
fn json_lines_end_at_lf_alone() {
    let all = read_as(
        Format::JsonLines,
        "\u{feff}{\"id\":1,\"text\":\"a\u{2028}b\u{85}c\\fd\"}\r\n\n  \t\r\n{\"text\":\"e\",\"id\":\"x\"}".as_bytes(),
    );
    assert_eq!(texts(&all), ["a\u{2028}b\u{85}c\u{c}d", "e"]);
    assert_eq!(all[0].key.as_deref(), Some("1"));
    assert_eq!(all[1].key.as_deref(), Some("\"x\""));
    assert_eq!((all[0].place.line, all[1].place.line), (1, 4));
    assert_eq!(all[0].place.offset, 3);
    assert!(read_as(Format::JsonLines, b"").is_empty());
    assert!(read_as(Format::JsonLines, b"\n\n").is_empty());
}

#[test]
fn ids_are_kept_as_they_stand() {
    let ids = [
        "1.0",
        "true",
        "-7",
        "1e400",
        "\"\\u00e4\"",
        "12345678901234567890123",
    ];
    for id in ids {
        let all = read_as(
            Format::JsonLines,
            format!("{{\"text\":\"\",\"id\": {id} }}").as_bytes(),
        );
        assert_eq!(all[0].key.as_deref(), Some(id));
    }
    let none = read_as(
        Format::JsonLines,
        b"{\"text\":\"\",\"id\":null}\n{\"text\":\"\"}",
    );
    assert!(
        none.iter()
            .all(|seen| seen.key.is_none() && seen.reason.is_none())
    );
    let bad = read_as(
        Format::JsonLines,
        b"{\"text\":\"\",\"id\":[1]}\n{\"text\":\"\",\"id\":{}}",
    );
    assert!(reason(&bad[0]).contains("an array"), "{bad:?}");
    assert!(reason(&bad[1]).contains("an object"), "{bad:?}");
    let renumber = ReadOptions {
        renumber: true,
        ..ReadOptions::default()
    };
    assert_eq!(read(b"{\"text\":\"\",\"id\":5}", &renumber)[0].key, None);
}

#[test]
fn dotted_paths_and_ranks() {
    let options = ReadOptions {
        text_field: "doc.body".to_owned(),
        id_field: "doc.meta.id".to_owned(),
        rank_field: Some("doc.meta.score".to_owned()),
        ..ReadOptions::default()
    };
    let all = read(
        b"{\"doc\":{\"body\":\"x\",\"meta\":{\"id\":3,\"score\":0.50,\"z\":[{}]}}}\n\
          {\"doc.body\":\"lit\",\"doc\":{\"meta.id\":\"k\"}}\n\
          {\"doc\":\"flat\",\"other\":1}\n{\"doc\":{\"body\":7}}",
        &options,
    );
    assert_eq!(texts(&all[..2]), ["x", "lit"]);
    assert_eq!(all[0].key.as_deref(), Some("3"));
    assert_eq!(all[0].rank.as_deref(), Some("0.50"));
    assert_eq!(all[1].key.as_deref(), Some("\"k\""));
    assert_eq!(
        reason(&all[2]),
        "no text field `doc.body`: the fields are `doc`, `other`"
    );
    assert_eq!(
        reason(&all[3]),
        "text field `doc.body` holds a number, not a string"
    );
    let one = ReadOptions {
        text_field: "id".to_owned(),
        rank_field: Some("id".to_owned()),
        ..ReadOptions::default()
    };
    let all = read(b"{\"id\":\"a\\nb\"}", &one);
    assert_eq!(all[0].text, "a\nb");
    assert_eq!(all[0].key, all[0].rank);
}

#[test]
fn bad_json_is_told() {
    let deep = "[".repeat(100_000);
    let lines = [
        "{\"id\":1}",
        "{\"text\":null}",
        "{\"text\":\"a\"",
        "{\"text\":\"a\"} x",
        "[1]",
        "17",
        "{\"text\":\"\\ud800\"}",
        &format!("{{\"text\":\"\",\"x\":{deep}"),
        "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1}",
        "{}",
    ]
    .join("\n");
    let all = read_as(Format::JsonLines, lines.as_bytes());
    let expected = [
        "no text field `text`: the fields are `id`",
        "text field `text` holds null, not a string",
        "broken JSON at column 11: EOF while parsing an object",
        "broken JSON at column 14: trailing characters",
        "expected a JSON object, found an array",
        "expected a JSON object, found a number",
        "broken JSON at column ",
        "broken JSON at column ",
        "the fields are `a`, `b`, `c`, `d`, `e`, `f`, `g`, `h`, …",
        "there is no field at all",
    ];
    for (seen, part) in all.iter().zip(expected) {
        assert!(reason(seen).contains(part), "{seen:?}");
    }
    assert_eq!(all.len(), expected.len());
    let twice = read_as(Format::JsonLines, b"{\"text\":1,\"text\":\"b\"}");
    assert_eq!(texts(&twice), ["b"]);
    let raw = read_as(
        Format::JsonLines,
        b"{\"text\":\"ok\"}\n{\"text\":\"\xff\"}\n{\"text\":\"ok\"}",
    );
    assert_eq!(reason(&raw[1]), "not UTF-8: byte 0xff at offset 9");
    assert_eq!(
        (raw[0].reason.is_none(), raw[2].reason.is_none()),
        (true, true)
    );
}

#[test]
fn long_lines_make_long_blocks() {
    let long = "x".repeat(5 << 20);
    let lines = format!("{{\"text\":\"a\"}}\n{{\"text\":\"{long}\"}}\n{{\"text\":\"b\"}}\n");
    let all = read_as(Format::JsonLines, lines.as_bytes());
    assert_eq!(all.len(), 3);
    assert_eq!(all[1].text.len(), 5 << 20);
    assert_eq!(all[2].place.line, 3);
}

#[test]
fn plain_lines() {
    let all = read_as(
        Format::Lines,
        "\u{feff}a\r\n\nb\u{c}c\r\r\n\u{2028}d".as_bytes(),
    );
    assert_eq!(texts(&all), ["a", "", "b\u{c}c\r", "\u{2028}d"]);
    assert!(all.iter().all(|seen| seen.key.is_none()));
    assert!(read_as(Format::Lines, b"").is_empty());
    assert_eq!(
        reason(&read_as(Format::Lines, b"a\n\xe9\n")[1]),
        "not UTF-8: byte 0xe9 at offset 0"
    );
}

#[test]
fn comma_separated_rows() {
    let all = read_as(
        Format::Csv,
        b"\xef\xbb\xbfid,text,\"more\"\r\n1,\"a \"\"b\"\"\nc, d\",x\r\n\r\n2,e \"f\",\n3,g\n4,\"h\"i,\xff\n,\"\",\n\"open,\n",
    );
    assert_eq!(texts(&all), ["a \"b\"\nc, d", "e \"f\"", "", "hi", "", ""]);
    let lines: Vec<u64> = all.iter().map(|seen| seen.place.line).collect();
    assert_eq!(lines, [2, 5, 6, 7, 8, 9]);
    assert_eq!(all[0].key.as_deref(), Some("\"1\""));
    assert_eq!(reason(&all[2]), "the row has 2 fields, the header row 3");
    assert_eq!((&all[4].key, &all[4].reason), (&None, &None));
    assert!(reason(&all[5]).contains("never closed"), "{:?}", all[5]);
    assert_eq!(texts(&read_as(Format::Tsv, b"text\tn\na,b\t1\n")), ["a,b"]);
    assert!(read_as(Format::Csv, b"").is_empty());
    assert!(read_as(Format::Csv, b"text\n").is_empty());
}

#[test]
fn a_missing_column_is_an_error_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.csv");
    std::fs::write(&path, "key,body\n1,2\n").unwrap();
    let input = [path.to_string_lossy().into_owned()];
    let error = Collection::open(&input, &ReadOptions::default(), dir.path()).unwrap_err();
    assert!(matches!(error, Error::BadFile { .. }));
    let message = error.to_string();
    assert!(
        message.contains("no column `text`: the columns are `key`, `body`"),
        "{message}"
    );
    std::fs::write(&path, "[{\"text\":1}]").unwrap();
    let error =
        Collection::open(&input, &options(Some(Format::JsonLines)), dir.path()).unwrap_err();
    assert!(error.to_string().contains("JSON array"), "{error}");
    std::fs::write(&path, "no parquet").unwrap();
    let error = Collection::open(&input, &options(Some(Format::Parquet)), dir.path()).unwrap_err();
    assert!(matches!(error, Error::BadFile { .. }));
}

#[test]
fn a_file_is_a_text() {
    let all = read_as(Format::Text, "\u{feff}one\r\ntwo\n".as_bytes());
    assert_eq!(texts(&all), ["one\r\ntwo\n"]);
    assert!(all[0].key.as_deref().unwrap().ends_with("input\""));
    assert_eq!(texts(&read_as(Format::Text, b"")), [""]);
    assert!(reason(&read_as(Format::Text, b"ab\xc3\x28")[0]).contains("offset 2"));
    assert!(reason(&read_as(Format::Text, b"\xff\xfeA\0")[0]).contains("UTF-16LE"));
    assert_eq!(texts(&read_as(Format::Html, b"<p>a</p><p>b")), ["a\nb"]);
    let latin = b"<meta charset=iso-8859-1><p>caf\xe9";
    assert_eq!(texts(&read_as(Format::Html, latin)), ["caf\u{e9}"]);
    assert!(reason(&read_as(Format::Html, b"<p>caf\xe9")[0]).contains("0xe9"));
    assert_eq!(texts(&read_as(Format::Xml, b"<t>x</t>")), ["x\n"]);
    let latin = b"<?xml version='1.0' encoding='iso-8859-1'?><t>\xe9</t>";
    assert_eq!(texts(&read_as(Format::Xml, latin)), ["\u{e9}\n"]);
    assert!(reason(&read_as(Format::Xml, b"<a>")[0]).contains("malformed XML"));
}

pub(super) fn archive() -> Vec<Vec<u8>> {
    let record = |kind: &str, media: &str, body: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:{}>\r\nContent-Type: {media}\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
            body.len(),
            body.len()
        )
        .into_bytes()
    };
    let http = "application/http; msgtype=response";
    vec![
        record("warcinfo", "application/warc-fields", "software: x\r\n"),
        record(
            "request",
            "application/http; msgtype=request",
            "GET / HTTP/1.1\r\n\r\n",
        ),
        record(
            "response",
            http,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page",
        ),
        record(
            "response",
            http,
            "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\u{0}\u{1}WARC/1.0\r\n",
        ),
        record("conversion", "text/plain", "converted"),
    ]
}

#[test]
fn archives_hold_pages() {
    let mut bytes = archive().concat();
    let all = read_as(Format::Warc, &bytes);
    assert_eq!(texts(&all), ["page", "converted"]);
    assert_eq!(all[1].key.as_deref(), Some("\"urn:9\""));
    assert_eq!((all[0].place.line, all[1].place.line), (3, 5));
    bytes.truncate(bytes.len() - 8);
    let cut = read_as(Format::Warc, &bytes);
    assert_eq!(reason(&cut[1]), "the archive ends in this record");
    let mut stray = b"garbage\n".to_vec();
    stray.extend(archive().concat());
    let all = read_as(Format::Warc, &stray);
    assert!(reason(&all[0]).contains("expected `WARC/`"));
    assert_eq!(all[1].text, "page");
}
