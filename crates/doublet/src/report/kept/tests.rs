//! What is kept, format by format.

use std::io::{Read, Write};

use super::*;
use crate::options::ReadOptions;

/// Writes the files, keeps the records whose numbers are given, and returns what was written, by name.
fn kept(
    files: &[(&str, &[u8])],
    format: Option<Format>,
    numbers: &[u32],
) -> Vec<(String, Vec<u8>)> {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("in");
    for (name, bytes) in files {
        let path = input.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let out = dir.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let options = ReadOptions {
        format,
        ..ReadOptions::default()
    };
    let inputs = [input.to_string_lossy().into_owned()];
    let collection = Collection::open(&inputs, &options, dir.path()).unwrap();
    let written = write_kept(&collection, &out, &|doc| numbers.contains(&doc.0)).unwrap();
    assert!(written.iter().all(|path| path.exists()));
    let mut all: Vec<(String, Vec<u8>)> = walkdir::WalkDir::new(&out)
        .into_iter()
        .filter_map(|entry| entry.ok().filter(|entry| entry.file_type().is_file()))
        .map(|entry| {
            let name = entry.path().strip_prefix(&out).unwrap();
            let bytes = std::fs::read(entry.path()).unwrap();
            (name.to_string_lossy().into_owned(), bytes)
        })
        .collect();
    all.sort();
    all
}

fn file(name: &str, bytes: &[u8]) -> (String, Vec<u8>) {
    (name.to_owned(), bytes.to_vec())
}

#[test]
fn lines_stay_byte_for_byte() {
    let a = b"\xef\xbb\xbf{\"text\": \"a\"}\r\n\n{\"text\":\"b\"}\n";
    let b = b"{\"text\":\"c\",  \"x\":1}";
    let files: [(&str, &[u8]); 2] = [("a.jsonl", a), ("b.jsonl", b)];
    let expected = b"{\"text\": \"a\"}\r\n{\"text\":\"c\",  \"x\":1}\n";
    assert_eq!(kept(&files, None, &[0, 2]), [file("kept.jsonl", expected)]);
    assert_eq!(kept(&files, None, &[]), [file("kept.jsonl", b"")]);
    let lines: [(&str, &[u8]); 1] = [("a", b"x\ny\n\nz")];
    let expected = [file("kept.txt", b"x\n\nz\n")];
    assert_eq!(kept(&lines, Some(Format::Lines), &[0, 2, 3]), expected);
}

#[test]
fn rows_follow_their_header() {
    let files: [(&str, &[u8]); 3] = [
        ("a.csv", b"id,text\n1,\"a\nb\"\n2,c\n"),
        ("b.csv", b"id,text\r\n3,d"),
        ("c.csv", b"text\ne\n"),
    ];
    let expected = [
        file("kept-2.csv", b"text\ne\n"),
        file("kept.csv", b"id,text\n1,\"a\nb\"\n3,d\n"),
    ];
    assert_eq!(kept(&files, None, &[0, 2, 3]), expected);
}

#[test]
fn packing_is_kept() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed
        .write_all(b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n")
        .unwrap();
    let packed = packed.finish().unwrap();
    let frame = zstd::encode_all(&b"{\"text\":\"c\"}\n"[..], 3).unwrap();
    let all = kept(
        &[("a.jsonl.gz", &packed), ("b.jsonl.zst", &frame)],
        None,
        &[1, 2],
    );
    assert_eq!(all.len(), 2);
    assert_eq!(
        (&*all[0].0, &*all[1].0),
        ("kept.jsonl.gz", "kept.jsonl.zst")
    );
    let mut text = String::new();
    let mut reader = flate2::read::MultiGzDecoder::new(&*all[0].1);
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "{\"text\":\"b\"}\n");
    assert_eq!(zstd::decode_all(&*all[1].1).unwrap(), b"{\"text\":\"c\"}\n");
}

#[test]
fn texts_keep_their_names() {
    let files: [(&str, &[u8]); 3] = [
        ("a.txt", b"\xef\xbb\xbfx"),
        ("s/a.txt", b"y"),
        ("s/b.html", b"<p>z"),
    ];
    let expected = [
        file("kept/a.txt", b"\xef\xbb\xbfx"),
        file("kept/s/b.html", b"<p>z"),
    ];
    assert_eq!(kept(&files, None, &[0, 2]), expected);
}

#[test]
fn archives_keep_their_records() {
    let record = |text: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
            text.len()
        )
    };
    let all = [record("one"), record("two")].concat();
    let expected = record("two");
    let written = kept(&[("a.warc", all.as_bytes())], None, &[1]);
    assert_eq!(written, [file("kept.warc", expected.as_bytes())]);
}

#[test]
fn parquet_keeps_its_schema() {
    use arrow::array::{ArrayRef, AsArray, Int32Array, LargeStringArray, RecordBatch};
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use std::sync::Arc;

    let text: ArrayRef = Arc::new(LargeStringArray::from(vec![Some("a"), None, Some("c")]));
    let other: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let columns = [("text", text, true), ("other", other, true)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let written = kept(
        &[("a.parquet", &bytes), ("b.parquet", &bytes)],
        None,
        &[2, 3],
    );
    assert_eq!(written.len(), 1);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    std::fs::write(&path, &written[0].1).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    assert_eq!(reader.schema(), &batch.schema());
    let mut kept = Vec::new();
    for batch in reader.build().unwrap() {
        let batch = batch.unwrap();
        kept.extend_from_slice(
            batch
                .column(1)
                .as_primitive::<arrow::datatypes::Int32Type>()
                .values(),
        );
    }
    assert_eq!(kept, [3, 1]);
}
