//! Stage 1, read: Parquet as lines of JSON.
//!
//! In: a Parquet file and the wanted columns (dotted paths walk into structs). Out: a stream of bytes, one line of JSON a
//! row, that holds those columns under the names they were asked for. Rows are then cut, spooled, decoded and fetched like
//! any line of JSON; a row has no bytes of its own in a file that is stored by columns.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, RecordBatch, StructArray};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field, Fields as ArrowFields};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::Length;

use super::decode::Fields;
use super::json::listing;
use super::parquet_file::ParquetFile;
use crate::error::{Error, Result};

/// Rows that are turned into lines at a time.
pub(crate) const ROWS: usize = 256;

/// The rows of one file, as lines of JSON.
pub(super) struct Rows {
    batches: ParquetRecordBatchReader,
    file: ParquetFile,
    fields: Arc<Fields>,
    lines: Vec<u8>,
    given: usize,
    rows_done: u64,
    rows: u64,
    packed: u64,
    used: Arc<AtomicU64>,
    /// Whether the disk failed.
    failed: Arc<AtomicBool>,
}

impl Rows {
    /// Opens a file and checks that it has the text column.
    pub(super) fn open(path: &Path, fields: &Arc<Fields>) -> Result<Self> {
        let file = ParquetFile::open(path)?;
        let packed = file.len();
        let bad = |reason: String| Error::BadFile {
            path: path.to_owned(),
            reason,
        };
        let damaged = |error: ParquetError| {
            file.error(path, || format!("not a readable Parquet file: {error}"))
        };
        // The Arrow schema that writers embed tells nothing that we need, and its reader panics when it is damaged.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let builder = guarded(|| {
            ParquetRecordBatchReaderBuilder::try_new_with_options(file.clone(), options)
        })
        .map_err(damaged)?;
        let schema = builder.schema().clone();
        check_text(schema.fields(), &fields.text).map_err(bad)?;
        let wanted = [Some(&fields.text), Some(&fields.id), fields.rank.as_ref()];
        let roots: Vec<usize> = (0..schema.fields().len())
            .filter(|index| {
                let name = schema.field(*index).name();
                wanted.iter().flatten().any(|path| begins(path, name))
            })
            .collect();
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let builder = builder.with_projection(mask).with_batch_size(ROWS);
        let batches = guarded(|| builder.build()).map_err(damaged)?;
        Ok(Rows {
            batches,
            file,
            fields: fields.clone(),
            lines: Vec::new(),
            given: 0,
            rows_done: 0,
            rows,
            packed,
            used: Arc::default(),
            failed: Arc::default(),
        })
    }

    /// Set when it is not the file but the disk that fails.
    pub(super) fn failed(&self) -> Arc<AtomicBool> {
        self.failed.clone()
    }

    /// Bytes of the file that count as used up, going by rows.
    pub(super) fn used(&self) -> Arc<AtomicU64> {
        self.used.clone()
    }

    /// Turns the next batch into lines; false at the end.
    fn advance(&mut self) -> std::io::Result<bool> {
        self.lines.clear();
        self.given = 0;
        let batch = guarded(|| self.batches.next().transpose().map_err(Into::into));
        let batch = batch.map_err(|error| match self.file.failure() {
            Some(cause) => {
                self.failed.store(true, Ordering::Relaxed);
                cause
            }
            None => std::io::Error::other(error),
        })?;
        let Some(batch) = batch else {
            return Ok(false);
        };
        write_lines(&batch, &self.fields, &mut self.lines)?;
        self.rows_done += batch.num_rows() as u64;
        let share = self.rows_done as f64 / self.rows.max(1) as f64;
        let used = (share * self.packed as f64) as u64;
        self.used.store(used.min(self.packed), Ordering::Relaxed);
        Ok(true)
    }
}

impl Read for Rows {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.given == self.lines.len() {
            if !self.advance()? {
                return Ok(0);
            }
        }
        let rest = &self.lines[self.given..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}

/// Runs a step of the Parquet reader, which panics on some damaged files.
pub(crate) fn guarded<T>(
    step: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(step))
        .unwrap_or_else(|_| Err(ParquetError::General("the file is damaged".to_owned())))
}

/// Whether a dotted path is, or starts with, the field `name`.
fn begins(path: &str, name: &str) -> bool {
    path.strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

pub(super) fn check_text(fields: &ArrowFields, path: &str) -> Result<(), String> {
    let Some(field) = find_field(fields, path) else {
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let columns = listing(&names).replace("fields", "columns");
        return Err(format!(
            "no column `{path}`: {columns}; name the one with the text by `--text-field`"
        ));
    };
    let kind = match field.data_type() {
        DataType::Dictionary(_, values) => values,
        kind => kind,
    };
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(()),
        other => Err(format!("column `{path}` holds {other}, not text")),
    }
}

pub(super) fn find_field<'f>(fields: &'f ArrowFields, path: &str) -> Option<&'f Field> {
    for field in fields.iter().filter(|field| begins(path, field.name())) {
        match (
            path[field.name().len()..].strip_prefix('.'),
            field.data_type(),
        ) {
            (None, _) => return Some(field),
            (Some(rest), DataType::Struct(inner)) => {
                if let Some(found) = find_field(inner, rest) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// The column at a dotted path. A struct that is null makes all it holds null.
pub(super) fn find_column(batch: &StructArray, path: &str) -> Option<ArrayRef> {
    for (field, column) in batch.fields().iter().zip(batch.columns()) {
        if !begins(path, field.name()) {
            continue;
        }
        match path[field.name().len()..].strip_prefix('.') {
            None => return Some(column.clone()),
            Some(rest) => {
                let Some(inner) = column.as_struct_opt() else {
                    continue;
                };
                if let Some(found) = find_column(inner, rest) {
                    return mask_nulls(&found, inner);
                }
            }
        }
    }
    None
}

fn mask_nulls(column: &ArrayRef, parent: &StructArray) -> Option<ArrayRef> {
    match parent.nulls() {
        None => Some(column.clone()),
        Some(nulls) => {
            let absent = arrow_array::BooleanArray::new(!nulls.inner(), None);
            arrow_select::nullif::nullif(column, &absent).ok()
        }
    }
}

/// A batch in which the texts of the column at a dotted path are changed: `change` gives the new text of a row, or `None` for one
/// that stays as it is. `None` where there is no such column.
pub(crate) fn map_texts(
    batch: &RecordBatch,
    path: &str,
    change: &mut dyn FnMut(usize, &str) -> Option<String>,
) -> Result<Option<RecordBatch>, arrow_schema::ArrowError> {
    let whole = StructArray::from(batch.clone());
    let Some(changed) = map_struct(&whole, path, change)? else {
        return Ok(None);
    };
    RecordBatch::try_new(batch.schema(), changed.columns().to_vec()).map(Some)
}

fn map_struct(
    whole: &StructArray,
    path: &str,
    change: &mut dyn FnMut(usize, &str) -> Option<String>,
) -> Result<Option<StructArray>, arrow_schema::ArrowError> {
    for (index, (field, column)) in whole.fields().iter().zip(whole.columns()).enumerate() {
        if !begins(path, field.name()) {
            continue;
        }
        let changed: Option<ArrayRef> = match path[field.name().len()..].strip_prefix('.') {
            None => Some(map_column(column, change)?),
            Some(rest) => match column.as_struct_opt() {
                Some(inner) => map_struct(inner, rest, change)?.map(|inner| Arc::new(inner) as _),
                None => None,
            },
        };
        if let Some(changed) = changed {
            let mut columns = whole.columns().to_vec();
            columns[index] = changed;
            let fields = whole.fields().clone();
            return StructArray::try_new(fields, columns, whole.nulls().cloned()).map(Some);
        }
    }
    Ok(None)
}

fn map_column(
    column: &ArrayRef,
    change: &mut dyn FnMut(usize, &str) -> Option<String>,
) -> Result<ArrayRef, arrow_schema::ArrowError> {
    let texts = cast(column, &DataType::LargeUtf8)?;
    let texts: &LargeStringArray = texts.as_string();
    let changed: LargeStringArray = (0..texts.len())
        .map(|row| {
            let text = texts.is_valid(row).then(|| texts.value(row))?;
            Some(change(row, text).map_or(Cow::Borrowed(text), Cow::Owned))
        })
        .collect();
    cast(&changed, column.data_type())
}

fn write_lines(batch: &RecordBatch, fields: &Fields, lines: &mut Vec<u8>) -> std::io::Result<()> {
    let whole = StructArray::from(batch.clone());
    let text = find_column(&whole, &fields.text)
        .ok_or_else(|| std::io::Error::other("the text column is gone"))?;
    let text = cast(&text, &DataType::LargeUtf8).map_err(std::io::Error::other)?;
    let text: &LargeStringArray = text.as_string();
    let options = FormatOptions::default();
    let mut others = Vec::new();
    for name in [Some(&fields.id), fields.rank.as_ref()]
        .into_iter()
        .flatten()
    {
        if let Some(column) = find_column(&whole, name) {
            others.push((name, column));
        }
    }
    let others: Vec<(&String, Scalars<'_>)> = others
        .iter()
        .map(|(name, column)| Ok((*name, Scalars::new(column, &options)?)))
        .collect::<Result<_, arrow_schema::ArrowError>>()
        .map_err(std::io::Error::other)?;
    for row in 0..batch.num_rows() {
        lines.push(b'{');
        for (name, scalars) in &others {
            if *name != &fields.text {
                serde_json::to_writer(&mut *lines, name)?;
                lines.push(b':');
                scalars.write(row, lines)?;
                lines.push(b',');
            }
        }
        serde_json::to_writer(&mut *lines, &fields.text)?;
        lines.push(b':');
        let value = text.is_valid(row).then(|| text.value(row));
        serde_json::to_writer(&mut *lines, &value)?;
        lines.extend_from_slice(b"}\n");
    }
    Ok(())
}

/// A column whose values become JSON scalars: numbers and booleans as they are, everything else as a string.
pub(super) struct Scalars<'a> {
    column: &'a ArrayRef,
    format: ArrayFormatter<'a>,
    bare: bool,
}

impl<'a> Scalars<'a> {
    pub(super) fn new(
        column: &'a ArrayRef,
        options: &FormatOptions<'a>,
    ) -> Result<Self, arrow_schema::ArrowError> {
        let kind = match column.data_type() {
            DataType::Dictionary(_, values) => values,
            kind => kind,
        };
        Ok(Scalars {
            format: ArrayFormatter::try_new(column, options)?,
            bare: kind.is_integer() || kind.is_floating() || *kind == DataType::Boolean,
            column,
        })
    }

    pub(super) fn write(&self, row: usize, lines: &mut Vec<u8>) -> std::io::Result<()> {
        if self.column.is_null(row) {
            lines.extend_from_slice(b"null");
            return Ok(());
        }
        let value = self.format.value(row).try_to_string();
        let value = value.map_err(std::io::Error::other)?;
        // JSON has no infinities; such a value is written as a string.
        if self.bare && serde_json::from_str::<serde::de::IgnoredAny>(&value).is_ok() {
            lines.extend_from_slice(value.as_bytes());
            return Ok(());
        }
        serde_json::to_writer(lines, &value).map_err(Into::into)
    }
}
