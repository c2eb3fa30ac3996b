//! What is kept, format by format.

use std::io::{Read, Write};

use super::*;
use crate::options::ReadOptions;
use crate::progress::Silent;

/// Writes the files, keeps the records whose numbers are given, and returns what was written, by name.
fn kept(
    files: &[(&str, &[u8])],
    format: Option<Format>,
    numbers: &[u32],
) -> Vec<(String, Vec<u8>)> {
    kept_without(files, format, numbers, &[])
}

/// The same of a field of any name.
fn kept_field(
    files: &[(&str, &[u8])],
    field: &str,
    numbers: &[u32],
    cuts: &[(u32, u32, u32)],
) -> Vec<(String, Vec<u8>)> {
    let options = ReadOptions {
        text_field: field.to_owned(),
        ..ReadOptions::default()
    };
    kept_by(files, &options, numbers, cuts)
}

/// The same, with parts of some texts cut out.
fn kept_without(
    files: &[(&str, &[u8])],
    format: Option<Format>,
    numbers: &[u32],
    cuts: &[(u32, u32, u32)],
) -> Vec<(String, Vec<u8>)> {
    let options = ReadOptions {
        format,
        ..ReadOptions::default()
    };
    kept_by(files, &options, numbers, cuts)
}

fn kept_by(
    files: &[(&str, &[u8])],
    options: &ReadOptions,
    numbers: &[u32],
    cuts: &[(u32, u32, u32)],
) -> Vec<(String, Vec<u8>)> {
    let cuts = cuts
        .iter()
        .map(|&(doc, start, end)| (DocId(doc), start, end));
    let cuts = Cuts(cuts.collect());
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("in");
    for (name, bytes) in files {
        let path = input.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let out = dir.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let inputs = [input.to_string_lossy().into_owned()];
    let collection = Collection::open(&inputs, options, dir.path()).unwrap();
    let written = write_kept(
        &collection,
        &out,
        &|doc| numbers.contains(&doc.0),
        &cuts,
        &Silent,
    )
    .unwrap();
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
    use arrow_array::cast::AsArray;
    use arrow_array::{ArrayRef, Int32Array, LargeStringArray, RecordBatch};
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
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path).unwrap()).unwrap();
    assert_eq!(reader.schema(), &batch.schema());
    let mut kept = Vec::new();
    for batch in reader.build().unwrap() {
        let batch = batch.unwrap();
        kept.extend_from_slice(
            batch
                .column(1)
                .as_primitive::<arrow_array::types::Int32Type>()
                .values(),
        );
    }
    assert_eq!(kept, [3, 1]);
}

#[test]
fn shortened_records_keep_everything_else() {
    let a = b"\xef\xbb\xbf{\"text\": \"Out. In.\", \"n\" : 1}\r\n\n{\"text\":\"b\"}\n";
    let files: [(&str, &[u8]); 2] = [("a.jsonl", a), ("b.jsonl", b"{\"text\":\"\\u00e9. Out.\"}")];
    let expected = b"{\"text\": \"In.\", \"n\" : 1}\r\n{\"text\":\"b\"}\n{\"text\":\"\\u00e9.\"}\n";
    let cuts = [(0, 0, 5), (2, 3, 8)];
    assert_eq!(
        kept_without(&files, None, &[0, 1, 2], &cuts),
        [file("kept.jsonl", expected)]
    );

    let rows: [(&str, &[u8]); 1] = [("a.csv", b"id,text\r\n1,\"a\nOut.\nb, \"\"c\"\"\"\r\n2,c\n")];
    let expected = b"id,text\n1,\"a\nb, \"\"c\"\"\"\r\n2,c\n";
    assert_eq!(
        kept_without(&rows, None, &[0, 1], &[(0, 2, 7)]),
        [file("kept.csv", expected)]
    );

    let lines: [(&str, &[u8]); 1] = [("a", b"x. y.\r\nz\n")];
    let expected = [file("kept.txt", b"y.\r\nz\n")];
    assert_eq!(
        kept_without(&lines, Some(Format::Lines), &[0, 1], &[(0, 0, 3)]),
        expected
    );

    let texts: [(&str, &[u8]); 2] = [("a.txt", b"\xef\xbb\xbfx.\r\ny."), ("b.txt", b"x. y. z.")];
    let expected = [
        file("kept/a.txt", b"\xef\xbb\xbfx."),
        file("kept/b.txt", b"y."),
    ];
    let cuts = [(0, 2, 6), (1, 0, 3), (1, 5, 8)];
    assert_eq!(kept_without(&texts, None, &[0, 1], &cuts), expected);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn gunzip(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut reader = flate2::read::MultiGzDecoder::new(bytes);
    reader.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn shortened_records_keep_their_packing() {
    let (lines, text) = (
        gzip(b"{\"text\":\"Out. In.\"}\n"),
        gzip(b"\xef\xbb\xbfOut. In.\n"),
    );
    let frame = zstd::encode_all(&b"text\tid\nOut. In.\t1\n"[..], 3).unwrap();
    let files: [(&str, &[u8]); 3] = [
        ("a.jsonl.gz", &lines),
        ("b.tsv.zst", &frame),
        ("c.txt.gz", &text),
    ];
    let all = kept_without(&files, None, &[0, 1, 2], &[(0, 0, 5), (1, 0, 5), (2, 0, 5)]);
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["kept.jsonl.gz", "kept.tsv.zst", "kept/c.txt.gz"]);
    assert_eq!(gunzip(&all[0].1), "{\"text\":\"In.\"}\n");
    assert_eq!(zstd::decode_all(&*all[1].1).unwrap(), b"text\tid\nIn.\t1\n");
    assert_eq!(gunzip(&all[2].1), "\u{feff}In.\n");
}

#[test]
fn shortened_rows_keep_their_types() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use arrow_array::{
        Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray, StringViewArray,
        StructArray,
    };
    use arrow_schema::{DataType, Field, Fields};
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use std::sync::Arc;

    let values = [Some("Out. In."), Some("b"), None, Some("In. Out.")];
    let plain: ArrayRef = Arc::new(StringArray::from(values.to_vec()));
    let views: ArrayRef = Arc::new(StringViewArray::from(values.to_vec()));
    let dictionary: ArrayRef = Arc::new(values.into_iter().collect::<DictionaryArray<Int32Type>>());
    for column in [plain, views, dictionary] {
        let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4]));
        let inner = Fields::from(vec![
            Field::new("text", column.data_type().clone(), true),
            Field::new("n", DataType::Int32, false),
        ]);
        let nested: ArrayRef =
            Arc::new(StructArray::new(inner, vec![column.clone(), numbers], None));
        let batch = RecordBatch::try_from_iter_with_nullable([
            ("text", column, true),
            ("doc", nested, true),
        ])
        .unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let files: [(&str, &[u8]); 1] = [("a.parquet", &bytes)];
        for field in ["text", "doc.text"] {
            let written = kept_field(&files, field, &[0, 1, 3], &[(0, 0, 5), (3, 3, 8)]);
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("x");
            std::fs::write(&path, &written[0].1).unwrap();
            let reader =
                ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path).unwrap())
                    .unwrap();
            assert_eq!(reader.schema(), &batch.schema());
            let read = reader.build().unwrap().next().unwrap().unwrap();
            let texts = |column: &ArrayRef| {
                let column = arrow_cast::cast(column, &DataType::Utf8).unwrap();
                let column = column.as_string::<i32>();
                (0..column.len())
                    .map(|row| column.value(row).to_owned())
                    .collect::<Vec<_>>()
            };
            let (cut, whole) = (["In.", "b", "In."], ["Out. In.", "b", "In. Out."]);
            let doc = read.column(1).as_struct();
            let expected = if field == "text" {
                (cut, whole)
            } else {
                (whole, cut)
            };
            assert_eq!(
                (texts(read.column(0)), texts(doc.column(0))),
                (
                    expected.0.map(str::to_owned).to_vec(),
                    expected.1.map(str::to_owned).to_vec()
                )
            );
            assert_eq!(
                doc.column(1).as_primitive::<Int32Type>().values(),
                &[1, 2, 4]
            );
        }
    }
}
