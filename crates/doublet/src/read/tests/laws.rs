//! Laws: no bytes make a reader panic, block sizes change nothing, and rows are split as another reader splits them.

use proptest::prelude::*;

use super::*;

const FORMATS: [Format; 8] = [
    Format::JsonLines,
    Format::Csv,
    Format::Tsv,
    Format::Text,
    Format::Lines,
    Format::Html,
    Format::Xml,
    Format::Warc,
];

/// Bytes with a taste for what the formats are made of.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..8),
        prop::sample::select(vec![
            "{\"text\":\"",
            "\"}",
            "\n",
            "\r\n",
            "\"",
            ",",
            "\t",
            "<p>",
            "</p>",
            "<a",
            ">",
            "&amp;",
            "&#",
            "<!--",
            "-->",
            "<![CDATA[",
            "]]>",
            "<script>",
            "WARC/1.0\r\n",
            "WARC-Type: response\r\n",
            "Content-Length: 3\r\n",
            "\r\n\r\n",
            "WARC-Type: conversion\r\n",
            "Content-Type: text/plain\r\n",
            "\u{feff}",
            "\u{e4}",
            "HTTP/1.1 200\r\n",
        ])
        .prop_map(|piece| piece.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[test]
fn readers_go_between_threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<Collection>();
    shared::<super::super::Block>();
    sent::<super::super::BlockReader<'_>>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in bytes()) {
        for format in FORMATS {
            let mut input = bytes.clone();
            match format {
                Format::Csv | Format::Tsv => drop(input.splice(0..0, *b"text\n")),
                // An array of objects is refused as a whole.
                Format::JsonLines => drop(input.splice(0..0, *b"{}\n")),
                _ => {}
            }
            read_as(format, &input);
        }
    }

    #[test]
    fn offsets_rise_and_stay_inside(bytes in bytes()) {
        let source = String::from_utf8_lossy(&bytes);
        let page = super::super::html::extract(&source);
        let mut last = 0;
        for (at, c) in page.text.char_indices() {
            let (start, end) = (page.map.source(at), page.map.source_end(at + c.len_utf8()));
            prop_assert!(last <= start && start <= end && end <= source.len());
            prop_assert!(source.is_char_boundary(start) && source.is_char_boundary(end));
            if c.is_alphanumeric() && !source.contains('&') {
                prop_assert!(source[start..end].chars().eq([c]));
            }
            last = start;
        }
    }

    #[test]
    fn damaged_columns_do_not_panic(at in 0usize..400, byte in any::<u8>()) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.parquet");
        let text: arrow_array::ArrayRef =
            std::sync::Arc::new(arrow_array::StringArray::from(vec!["a", "b"]));
        let batch = arrow_array::RecordBatch::try_from_iter([("text", text)]).unwrap();
        let mut bytes = Vec::new();
        let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let at = at % bytes.len();
        bytes[at] = byte;
        std::fs::write(&path, bytes).unwrap();
        let inputs = [path.to_string_lossy().into_owned()];
        if let Ok(collection) = Collection::open(&inputs, &ReadOptions::default(), dir.path())
            && let Ok(mut blocks) = collection.blocks() {
            while let Ok(Some(block)) = blocks.next_block() {
                for i in 0..block.len() {
                    let _ = block.decode(i);
                }
            }
        }
    }

    #[test]
    fn rows_are_split_as_others_do(rows in prop::collection::vec(("[a-c\", \n;\u{e4}]{0,9}", "[a-z\"\n]{0,5}"), 0..9)) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["text", "id"]).unwrap();
        for (text, id) in &rows {
            writer.write_record([text, id]).unwrap();
        }
        let all = read_as(Format::Csv, &writer.into_inner().unwrap());
        let expected: Vec<&str> = rows.iter().map(|(text, _)| text.as_str()).collect();
        prop_assert_eq!(texts(&all), expected);
        prop_assert!(all.iter().all(|seen| seen.reason.is_none()));
    }
}
