//! Stage 1, read: rows that are in memory already.
//!
//! In: record batches, and the wanted columns (dotted paths walk into structs). Out: blocks of rows whose texts are the bytes of
//! the batches themselves; nothing is copied, and a row is fetched again by its number. The same rows in a Parquet file give the
//! same records and rejections.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, RecordBatch, StructArray,
};
use arrow_cast::cast;
use arrow_cast::display::FormatOptions;
use arrow_schema::ArrowError;
use arrow_schema::{DataType, Field, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

use super::block::Block;
use super::columnar::{Scalars, check_text, find_column, find_field};
use super::cut::{MAX_RECORD, too_long};
use super::decode::Fields;
use super::source::SourceFile;
use super::{Place, Record, Rejection, encoding};
use crate::document::Key;
use crate::error::{Error, Result, io_error};
use crate::files::File;

/// Rows of Parquet are written in groups of so many bytes, about: writers and readers hold a group in memory.
pub(crate) const GROUP: usize = 16 << 20;

/// A column of strings whose metadata says so holds values as JSON.
const JSON: (&str, &str) = ("doublet", "json");

/// What a row counts beside the bytes of its text when a block is measured, so that a block of short texts ends too.
const ROW: usize = 16;

/// Record batches of one schema.
#[derive(Clone, Debug)]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

/// Tables by the names under which they stand among the inputs.
pub type Tables = BTreeMap<String, Arc<Table>>;

impl Table {
    /// A table of these batches, which have the schema.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Table { schema, batches }
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The batches, in order.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// Writes the table into a Parquet file.
    ///
    /// # Errors
    /// As [`write_parquet`].
    pub fn write(&self, path: &Path) -> Result<u64> {
        let batches = self.batches.iter().cloned().map(Ok);
        write_parquet(self.schema.clone(), batches, path)
    }
}

/// Writes batches into a Parquet file as they come, and gives the number of rows.
///
/// # Errors
/// When the file cannot be written, a batch is an error, or a column is of a kind that Parquet does not have.
pub fn write_parquet(
    schema: SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    path: &Path,
) -> Result<u64> {
    let bad = |error: String| Error::BadFile {
        path: path.to_owned(),
        reason: error,
    };
    let file = File::create(path).map_err(io_error("write", path))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    let mut writer = ArrowWriter::try_new(file, schema, Some(properties))
        .map_err(|error| bad(error.to_string()))?;
    let mut rows = 0;
    for batch in batches {
        let batch = batch.map_err(|error| bad(error.to_string()))?;
        writer
            .write(&batch)
            .map_err(|error| bad(error.to_string()))?;
        if writer.in_progress_size() > GROUP {
            writer.flush().map_err(|error| bad(error.to_string()))?;
        }
        rows += batch.num_rows() as u64;
    }
    writer.close().map_err(|error| bad(error.to_string()))?;
    Ok(rows)
}

/// A table, and where in it the wanted columns are.
#[derive(Debug)]
pub(super) struct TableRows {
    name: String,
    fields: Arc<Fields>,
    chunks: Vec<Chunk>,
    /// The number that the first row has where rows are numbered.
    first_number: u64,
    rows: u64,
    /// Bytes of all texts.
    pub(super) bytes: u64,
}

/// The wanted columns of one batch.
#[derive(Debug)]
struct Chunk {
    /// Number of the first row.
    first: u64,
    rows: usize,
    text: Texts,
    id: Option<Values>,
    rank: Option<Values>,
}

impl TableRows {
    /// Finds the columns. Rows of a table without ids are numbered from `first_number` on.
    pub(super) fn new(
        name: &str,
        table: &Table,
        fields: &Arc<Fields>,
        first_number: u64,
    ) -> Result<Self> {
        let bad = |reason: String| Error::BadFile {
            path: PathBuf::from(name),
            reason,
        };
        check_text(table.schema.fields(), &fields.text).map_err(bad)?;
        let mut rows = TableRows {
            name: name.to_owned(),
            fields: fields.clone(),
            chunks: Vec::with_capacity(table.batches.len()),
            first_number,
            rows: 0,
            bytes: 0,
        };
        for batch in table.batches.iter().filter(|batch| batch.num_rows() > 0) {
            let chunk = Chunk::new(batch, fields, rows.rows);
            let chunk = chunk.map_err(|error| bad(error.to_string()))?;
            rows.rows += chunk.rows as u64;
            rows.bytes += chunk.text.bytes(chunk.rows);
            rows.chunks.push(chunk);
        }
        Ok(rows)
    }

    /// Number of rows.
    pub(super) fn len(&self) -> u64 {
        self.rows
    }

    /// The chunk of a row, and where the row is in it.
    fn find(&self, row: u64) -> Option<(&Chunk, usize)> {
        let after = self.chunks.partition_point(|chunk| chunk.first <= row);
        let chunk = self.chunks.get(after.checked_sub(1)?)?;
        let index = usize::try_from(row - chunk.first).ok()?;
        (index < chunk.rows).then_some((chunk, index))
    }

    /// The bytes of a text; none where it is null.
    pub(super) fn raw(&self, row: u64) -> &[u8] {
        let found = self.find(row);
        found
            .and_then(|(chunk, index)| chunk.text.get(index))
            .unwrap_or_default()
    }

    /// Where a row stands: it is found again by its number.
    pub(super) fn place(&self, file: u32, row: u64) -> Place {
        Place {
            file,
            length: u32::try_from(self.raw(row).len()).unwrap_or(u32::MAX),
            offset: row,
            line: row + 1,
        }
    }

    /// The record of a row.
    pub(super) fn decode(&self, row: u64) -> Result<Record<'_>, Rejection> {
        self.record(row).map_err(|reason| Rejection {
            file: self.name.clone(),
            line: row + 1,
            reason,
        })
    }

    fn record(&self, row: u64) -> Result<Record<'_>, String> {
        let Some((chunk, index)) = self.find(row) else {
            return Err(format!("there is no row {row}"));
        };
        let Some(raw) = chunk.text.get(index) else {
            let field = &self.fields.text;
            return Err(format!("text field `{field}` holds null, not a string"));
        };
        if raw.len() as u64 > MAX_RECORD {
            return Err(too_long());
        }
        let key = match &chunk.id {
            _ if self.fields.renumber => None,
            Some(id) => id.json(index)?.map(|json| Key(Cow::Owned(json))),
            None => Some(Key(Cow::Owned((self.first_number + row).to_string()))),
        };
        let rank = match &chunk.rank {
            Some(rank) => rank.json(index)?.map(Cow::Owned),
            None => None,
        };
        Ok(Record {
            key,
            text: Cow::Borrowed(encoding::utf8(raw)?),
            rank,
            origin: None,
        })
    }
}

impl Chunk {
    fn new(batch: &RecordBatch, fields: &Fields, first: u64) -> Result<Self, ArrowError> {
        let whole = StructArray::from(batch.clone());
        let text = find_column(&whole, &fields.text)
            .ok_or_else(|| ArrowError::SchemaError("the text column is gone".to_owned()))?;
        let values = |path: &String| {
            let json = find_field(whole.fields(), path).is_some_and(is_json);
            let values = |column| Values::new(column, json);
            find_column(&whole, path).map(values).transpose()
        };
        Ok(Chunk {
            first,
            rows: batch.num_rows(),
            text: Texts::new(&text)?,
            id: values(&fields.id)?,
            rank: fields.rank.as_ref().map(values).transpose()?.flatten(),
        })
    }
}

fn is_json(field: &Field) -> bool {
    let said = field.metadata().get(JSON.0);
    said.is_some_and(|said| said == JSON.1)
}

/// Strings of a column, as bytes: what another library hands over may not be UTF-8.
#[derive(Debug)]
enum Texts {
    Short(BinaryArray),
    Long(LargeBinaryArray),
    Views(BinaryViewArray),
}

impl Texts {
    /// The strings of a column. Those of a dictionary become views of it.
    fn new(column: &ArrayRef) -> Result<Self, ArrowError> {
        Ok(match column.data_type() {
            DataType::Utf8 => Texts::Short(column.as_string::<i32>().clone().into()),
            DataType::LargeUtf8 => Texts::Long(column.as_string::<i64>().clone().into()),
            DataType::Utf8View => Texts::Views(column.as_string_view().clone().to_binary_view()),
            _ => {
                let views = cast(column, &DataType::Utf8View)?;
                Texts::Views(views.as_string_view().clone().to_binary_view())
            }
        })
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Texts::Short(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Texts::Long(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Texts::Views(texts) => texts.is_valid(row).then(|| texts.value(row)),
        }
    }

    fn len_of(&self, row: usize) -> usize {
        self.get(row).map_or(0, <[u8]>::len)
    }

    fn bytes(&self, rows: usize) -> u64 {
        (0..rows).map(|row| self.len_of(row) as u64).sum()
    }
}

/// A column whose values become JSON scalars, as those of Parquet do.
#[derive(Debug)]
enum Values {
    Texts(Texts),
    /// Strings that are JSON already.
    Json(Texts),
    /// Numbers of 64 bits.
    Whole(ArrayRef),
    Other(ArrayRef),
}

impl Values {
    fn new(column: ArrayRef, json: bool) -> Result<Self, ArrowError> {
        let kind = match column.data_type() {
            DataType::Dictionary(_, values) => values,
            kind => kind,
        };
        Ok(match kind {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if json => {
                Values::Json(Texts::new(&column)?)
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                Values::Texts(Texts::new(&column)?)
            }
            kind if kind.is_integer() && *kind != DataType::UInt64 => {
                Values::Whole(cast(&column, &DataType::Int64)?)
            }
            _ => Values::Other(column),
        })
    }

    /// A value as JSON; nothing where it is null. The error is the reason for rejecting the row.
    fn json(&self, row: usize) -> Result<Option<String>, String> {
        match self {
            Values::Texts(texts) => match texts.get(row) {
                Some(raw) => {
                    let text = encoding::utf8(raw)?;
                    let json = serde_json::to_string(text);
                    json.map(Some).map_err(|error| error.to_string())
                }
                None => Ok(None),
            },
            Values::Json(texts) => match texts.get(row) {
                Some(raw) => match serde_json::from_slice(raw) {
                    Ok(Value::Null) => Ok(None),
                    Ok(Value::Array(_) | Value::Object(_)) => Err(format!(
                        "{} is no string, number or boolean",
                        encoding::utf8(raw)?
                    )),
                    Ok(_) => encoding::utf8(raw).map(|json| Some(json.trim().to_owned())),
                    Err(error) => Err(format!("not JSON: {error}")),
                },
                None => Ok(None),
            },
            Values::Whole(column) => {
                let numbers = column.as_primitive::<Int64Type>();
                let number = numbers.is_valid(row).then(|| numbers.value(row));
                Ok(number.map(|number| number.to_string()))
            }
            Values::Other(column) => scalar(column, row),
        }
    }
}

fn scalar(column: &ArrayRef, row: usize) -> Result<Option<String>, String> {
    let options = FormatOptions::default();
    let scalars = Scalars::new(column, &options).map_err(|error| error.to_string())?;
    let mut json = Vec::new();
    let written = scalars.write(row, &mut json);
    written.map_err(|error| error.to_string())?;
    let json = String::from_utf8(json).map_err(|error| error.to_string())?;
    Ok(Some(json).filter(|json| json != "null"))
}

/// A pass over the rows of a table.
pub(super) struct RowCursor<'a> {
    pub(super) source: &'a SourceFile,
    rows: &'a Arc<TableRows>,
    number: u32,
    /// The next row: its chunk, and where it is there.
    chunk: usize,
    row: usize,
    pub(super) used: u64,
}

impl<'a> RowCursor<'a> {
    pub(super) fn new(source: &'a SourceFile, rows: &'a Arc<TableRows>, number: u32) -> Self {
        RowCursor {
            source,
            rows,
            number,
            chunk: 0,
            row: 0,
            used: 0,
        }
    }

    /// The next block, or `None` at the end of the table. A block lies within a batch.
    pub(super) fn next(&mut self, block_size: usize) -> Option<Block> {
        let chunk = self.rows.chunks.get(self.chunk)?;
        let from = self.row;
        let (mut bytes, mut weight) = (0, 0);
        while self.row < chunk.rows && weight < block_size {
            let len = chunk.text.len_of(self.row);
            bytes += len;
            weight += len + ROW;
            self.row += 1;
        }
        let count = self.row - from;
        let first = chunk.first + from as u64;
        self.used += bytes as u64;
        self.step();
        let decoder = &self.source.decoder;
        let rows = self.rows.clone();
        Some(Block::of_rows(
            self.number,
            rows,
            first,
            (count, bytes),
            decoder,
        ))
    }

    /// Passes over rows of `skip` bytes. Returns what is left to be passed over in the next file.
    pub(super) fn pass_over(&mut self, mut skip: u64) -> u64 {
        while skip > 0
            && let Some(chunk) = self.rows.chunks.get(self.chunk)
        {
            let len = chunk.text.len_of(self.row) as u64;
            self.used += len;
            self.row += 1;
            skip = skip.saturating_sub(len);
            self.step();
        }
        skip
    }

    fn step(&mut self) {
        let chunk = self.rows.chunks.get(self.chunk);
        if chunk.is_some_and(|chunk| self.row >= chunk.rows) {
            self.chunk += 1;
            self.row = 0;
        }
    }
}
