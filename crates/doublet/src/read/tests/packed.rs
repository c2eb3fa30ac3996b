//! What is unpacked first: gzip, zstd, Parquet, standard input; and files that break off.

use std::io::Write;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int64Array, LargeStringArray, RecordBatch,
    StringArray, StringViewArray, StructArray,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;

use super::*;

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn lines(count: usize) -> String {
    let line = |i: usize| {
        format!(
            "{{\"id\":{i},\"text\":\"text {} of {i}\"}}\n",
            i * 7919 % 1000
        )
    };
    (0..count).map(line).collect()
}

#[test]
fn members_and_frames_are_joined() {
    let plain = read_as(Format::JsonLines, lines(40).as_bytes());
    let all = lines(40);
    let (a, b) = all.split_at(333);
    let packed = [gzip(a.as_bytes()), gzip(b.as_bytes())].concat();
    assert_eq!(read_as(Format::JsonLines, &packed), plain);
    let frames = [
        zstd::encode_all(a.as_bytes(), 3).unwrap(),
        zstd::encode_all(b.as_bytes(), 3).unwrap(),
    ]
    .concat();
    assert_eq!(read_as(Format::JsonLines, &frames), plain);
    let csv = b"text,id\na,1\nb,2\n";
    assert_eq!(read_as(Format::Csv, &gzip(csv)), read_as(Format::Csv, csv));
    let pages: Vec<u8> = formats::archive()
        .iter()
        .flat_map(|record| gzip(record))
        .collect();
    assert_eq!(texts(&read_as(Format::Warc, &pages)), ["page", "converted"]);
}

#[test]
fn a_stream_that_breaks_off_ends_in_one_rejection() {
    for packed in [
        gzip(lines(60_000).as_bytes()),
        zstd::encode_all(lines(60_000).as_bytes(), 3).unwrap(),
    ] {
        let cut = &packed[..packed.len() / 2];
        let all = read_as(Format::JsonLines, cut);
        let (last, whole) = all.split_last().unwrap();
        assert!(
            reason(last)
                .contains("stream ends early; the file is truncated or damaged: fetch it again")
        );
        assert!(whole.len() > 100, "{}", whole.len());
        assert!(
            whole.iter().all(|seen| seen.reason.is_none()),
            "{:?}",
            whole.iter().find(|seen| seen.reason.is_some())
        );
        assert_eq!(last.place.line as usize, all.len());
        let text = read_as(Format::Text, cut);
        assert_eq!(text.len(), 1);
        assert!(reason(&text[0]).contains("stream ends early"));
        let mut corrupt = packed.clone();
        let middle = corrupt.len() / 2;
        for byte in &mut corrupt[middle..middle + 16] {
            *byte ^= 0x5a;
        }
        let all = read_as(Format::JsonLines, &corrupt);
        let bad = all.iter().filter(|seen| seen.reason.is_some()).count();
        assert!(bad >= 1 && all.last().unwrap().reason.is_some(), "{bad}");
    }
}

fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns
            .into_iter()
            .map(|(name, column)| (name, column, true)),
    )
    .unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn columns_of_any_text_type() {
    let values = vec![Some("a \"q\"\n"), None, Some("\u{1f600}")];
    let columns: [ArrayRef; 4] = [
        Arc::new(StringArray::from(values.clone())),
        Arc::new(LargeStringArray::from(values.clone())),
        Arc::new(StringViewArray::from(values.clone())),
        Arc::new(
            values
                .iter()
                .copied()
                .collect::<DictionaryArray<Int32Type>>(),
        ),
    ];
    for text in columns {
        let id: ArrayRef = Arc::new(Int64Array::from(vec![Some(7), Some(8), None]));
        let all = read_as(
            Format::Parquet,
            &parquet(vec![("other", id.clone()), ("text", text), ("id", id)]),
        );
        assert_eq!(texts(&all), ["a \"q\"\n", "", "\u{1f600}"]);
        assert_eq!(
            reason(&all[1]),
            "text field `text` holds null, not a string"
        );
        assert_eq!(
            (all[0].key.as_deref(), all[2].key.as_deref()),
            (Some("7"), None)
        );
        assert_eq!(all[2].place.line, 3);
    }
}

#[test]
fn columns_inside_structs() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x", "y"]));
    let score: ArrayRef = Arc::new(Float64Array::from(vec![0.5, f64::NAN]));
    let doc = StructArray::from(vec![
        (Arc::new(Field::new("body", DataType::Utf8, true)), text),
        (
            Arc::new(Field::new("score", DataType::Float64, true)),
            score,
        ),
    ]);
    let bytes = parquet(vec![("doc", Arc::new(doc))]);
    let options = ReadOptions {
        text_field: "doc.body".to_owned(),
        rank_field: Some("doc.score".to_owned()),
        ..ReadOptions::default()
    };
    let all = read(&bytes, &options);
    assert_eq!(texts(&all), ["x", "y"]);
    assert_eq!(
        (all[0].rank.as_deref(), all[1].rank.as_deref()),
        (Some("0.5"), Some("\"NaN\""))
    );
}

#[test]
fn standard_input_is_copied() {
    let dir = tempfile::tempdir().unwrap();
    let open = |bytes: &[u8]| {
        let mut input = bytes;
        let inputs = ["-".to_owned()];
        Collection::open_with(
            &inputs,
            &ReadOptions::default(),
            dir.path(),
            (&Tables::new(), 0),
            &mut input,
        )
        .unwrap()
    };
    let json = open(b"{\"text\":\"a\"}\n");
    assert_eq!(json.files()[0].format(), Format::JsonLines);
    assert_eq!(texts(&pass(&json)), ["a"]);
    let lines = open(b"a\nb\n");
    assert_eq!(texts(&pass(&lines)), ["a", "b"]);
    assert_eq!(lines.name_of(&pass(&lines)[1].place), "-:2");
    assert_eq!(texts(&pass(&open(&gzip(b"packed")))), ["packed"]);
    drop((json, lines));
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        0,
        "copies are removed"
    );
}

#[test]
fn samples_are_spread() {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("a.jsonl", lines(4000).into_bytes()),
        ("b.jsonl.gz", gzip(lines(4000).as_bytes())),
    ] {
        std::fs::write(dir.path().join(name), bytes).unwrap();
    }
    let mut collection = open(dir.path(), &ReadOptions::default(), dir.path());
    collection.block_size = 4096;
    let sample = |collection: &Collection| {
        let mut reader = collection.sample_blocks(10).unwrap();
        let mut count = [0, 0];
        while let Some(block) = reader.next_block().unwrap() {
            assert!((0..block.len()).all(|i| block.decode(i).is_ok()));
            count[block.file() as usize] += block.len();
        }
        count
    };
    for _ in 0..2 {
        let [plain, packed] = sample(&collection);
        assert!(
            (300..600).contains(&plain) && (300..600).contains(&packed),
            "{plain} {packed}"
        );
    }
    collection.block_size = 1 << 20;
    assert!(sample(&collection)[0] > 0);
}
