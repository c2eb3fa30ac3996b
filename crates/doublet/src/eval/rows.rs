//! Rows of a small table (labels, or pairs of another tool) as JSON objects, whatever the format.
//!
//! JSON lines, CSV and TSV with a header row, Parquet; the first three also packed by gzip or zstd. The ending decides.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use serde_json::{Map, Value};

use crate::error::{Error, Result, io_error};
use crate::files::File;
use crate::read::{ParquetFile, guarded};

/// A row, by the names of its columns; an empty cell is null.
pub(super) type Row = Map<String, Value>;

/// The formats, by the ending without `.gz` and `.zst`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    JsonLines,
    Delimited(u8),
    Parquet,
}

impl Format {
    fn of(name: &str) -> Option<Self> {
        let ending = name.rsplit('.').next()?;
        match ending {
            "jsonl" | "ndjson" | "json" => Some(Self::JsonLines),
            "csv" => Some(Self::Delimited(b',')),
            "tsv" | "tab" => Some(Self::Delimited(b'\t')),
            "parquet" | "pq" => Some(Self::Parquet),
            _ => None,
        }
    }
}

/// That a file is not what it should be, and where.
pub(super) fn bad(path: &Path, line: u64, reason: impl std::fmt::Display) -> Error {
    Error::BadFile {
        path: path.to_owned(),
        reason: format!("line {line}: {reason}"),
    }
}

/// Calls `each` with every row and the line it stands on (in Parquet its number), from 1. A table without a header row is given
/// one by `header`, unless its first cell is one of these names.
///
/// # Errors
/// When the file cannot be read, is of no known format, or a row is no row; and what `each` returns.
pub(super) fn each_row(
    path: &Path,
    header: &[&str],
    mut each: impl FnMut(u64, Row) -> Result<()>,
) -> Result<()> {
    if path.as_os_str() == "-" {
        return Err(Error::BadFile {
            path: path.to_owned(),
            reason: "this file cannot come from standard input: give a file".to_owned(),
        });
    }
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    let (plain, packing) = match name.rsplit_once('.') {
        Some((plain, "gz")) => (plain, Some("gz")),
        Some((plain, "zst" | "zstd")) => (plain, Some("zst")),
        _ => (name.as_str(), None),
    };
    let Some(format) = Format::of(plain) else {
        return Err(Error::BadFile {
            path: path.to_owned(),
            reason: "give a file of JSON lines (.jsonl), .csv, .tsv or .parquet; all but the last also as .gz or .zst".to_owned(),
        });
    };
    if format == Format::Parquet {
        return each_parquet_row(path, each);
    }
    let file = File::open(path).map_err(io_error("open", path))?;
    let unpacked: Box<dyn Read> = match packing {
        Some("gz") => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Some(_) => Box::new(zstd::Decoder::new(file).map_err(io_error("unpack", path))?),
        None => Box::new(file),
    };
    let mut reader = BufReader::with_capacity(1 << 16, unpacked);
    match format {
        Format::Delimited(delimiter) => {
            each_delimited_row(path, reader, (delimiter, header), &mut each)
        }
        _ => each_json_row(path, &mut reader, &mut each),
    }
}

fn each_json_row(
    path: &Path,
    reader: &mut impl BufRead,
    each: &mut impl FnMut(u64, Row) -> Result<()>,
) -> Result<()> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if reader
            .read_until(b'\n', &mut line)
            .map_err(io_error("read", path))?
            == 0
        {
            break;
        }
        let text = line.trim_ascii();
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        if text.is_empty() {
            continue;
        }
        match serde_json::from_slice(text) {
            Ok(Value::Object(row)) => each(number, row)?,
            Ok(_) => return Err(bad(path, number, "not a JSON object")),
            Err(error) => return Err(bad(path, number, format!("not JSON: {error}"))),
        }
    }
    Ok(())
}

fn each_delimited_row(
    path: &Path,
    reader: impl Read,
    (delimiter, header): (u8, &[&str]),
    each: &mut impl FnMut(u64, Row) -> Result<()>,
) -> Result<()> {
    let mut records = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(reader);
    let mut names: Vec<String> = Vec::new();
    let mut record = csv::StringRecord::new();
    loop {
        let more = records.read_record(&mut record);
        let line = record.position().map_or(1, csv::Position::line);
        if !more.map_err(|error| bad(path, line, error))? {
            return Ok(());
        }
        if names.is_empty() {
            let first = record.get(0).unwrap_or("").trim_start_matches('\u{feff}');
            let is_header = header.is_empty() || header.contains(&first);
            if is_header {
                names = record.iter().map(str::to_owned).collect();
                first.clone_into(&mut names[0]);
                continue;
            }
            names = header.iter().map(|&name| name.to_owned()).collect();
        }
        let cell = |at: usize| match record.get(at) {
            None | Some("") => Value::Null,
            Some(text) => Value::String(text.to_owned()),
        };
        let row = names.iter().cloned().enumerate();
        let row = row.map(|(at, name)| (name, cell(at)));
        each(line, row.collect())?;
    }
}

fn each_parquet_row(path: &Path, mut each: impl FnMut(u64, Row) -> Result<()>) -> Result<()> {
    let file = ParquetFile::open(path)?;
    let damaged = |error: &dyn std::fmt::Display| {
        file.error(path, || format!("not a readable Parquet file: {error}"))
    };
    // The Arrow schema that writers embed tells nothing that we need, and its reader panics when it is damaged.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let mut batches = guarded(|| {
        ParquetRecordBatchReaderBuilder::try_new_with_options(file.clone(), options)?.build()
    })
    .map_err(|error| damaged(&error))?;
    let mut number = 0;
    while let Some(batch) = guarded(|| batches.next().transpose().map_err(Into::into))
        .map_err(|error| damaged(&error))?
    {
        for row in 0..batch.num_rows() {
            number += 1;
            each(
                number,
                parquet_row(&batch, row).map_err(|error| damaged(&error))?,
            )?;
        }
    }
    Ok(())
}

fn parquet_row(batch: &RecordBatch, row: usize) -> Result<Row, arrow_schema::ArrowError> {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns());
    let mut cells = Row::new();
    for (field, column) in columns {
        cells.insert(field.name().clone(), cell(column, row)?);
    }
    Ok(cells)
}

fn cell(column: &ArrayRef, row: usize) -> Result<Value, arrow_schema::ArrowError> {
    if column.is_null(row) {
        return Ok(Value::Null);
    }
    let list = match column.data_type() {
        DataType::List(_) => Some(column.as_list::<i32>().value(row)),
        DataType::LargeList(_) => Some(column.as_list::<i64>().value(row)),
        _ => None,
    };
    if let Some(list) = list {
        let cells = (0..list.len()).map(|at| cell(&list, at));
        return Ok(Value::Array(cells.collect::<Result<_, _>>()?));
    }
    let shown = ArrayFormatter::try_new(column, &FormatOptions::default())?;
    let shown = shown.value(row).try_to_string()?;
    let is_plain = column.data_type().is_numeric() || *column.data_type() == DataType::Boolean;
    Ok(match serde_json::from_str(&shown) {
        Ok(value) if is_plain => value,
        _ => Value::String(shown),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn rows(name: &str, bytes: &[u8], header: &[&str]) -> Result<Vec<(u64, Value)>> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let mut found = Vec::new();
        each_row(&path, header, |line, row| {
            found.push((line, Value::Object(row)));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn json_csv_and_packed_rows_are_the_same() {
        let json = b"\xef\xbb\xbf{\"a\": \"x\", \"b\": \"y\"}\r\n\n{\"a\": \"\xe2\x80\xa8\", \"b\": \"1\"}";
        let expected = rows("t.jsonl", json, &[]).unwrap();
        assert_eq!(expected.len(), 2);
        assert_eq!(expected[1].0, 3);
        let csv = b"\xef\xbb\xbfa,b\nx,y\n\n\"\xe2\x80\xa8\",1\n";
        assert_eq!(rows("t.csv", csv, &[]).unwrap()[1].1, expected[1].1);
        let tsv = b"x\ty\n\xe2\x80\xa8\t1\n";
        let found = rows("t.tsv", tsv, &["a", "b"]).unwrap();
        assert_eq!(found[0].1, expected[0].1);
        assert_eq!(found[1].1, expected[1].1);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(json).unwrap();
        assert_eq!(
            rows("t.jsonl.gz", &packed.finish().unwrap(), &[]).unwrap(),
            expected
        );
        let packed = zstd::encode_all(&json[..], 1).unwrap();
        assert_eq!(rows("T.JSONL.ZST", &packed, &[]).unwrap(), expected);
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        let says = |name: &str, bytes: &[u8], part: &str| {
            let error = rows(name, bytes, &[]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        says("t.jsonl", b"{}\n[1]\n", "line 2: not a JSON object");
        says("t.jsonl", b"{}\n{\n", "line 2: not JSON");
        says("t.csv", b"a,b\nx,\xff\n", "line 2");
        says("t.txt", b"", "give a file of JSON lines");
        says("t.parquet", b"PAR1 no", "not a readable Parquet file");
    }
}
