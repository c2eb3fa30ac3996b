//! The columns of record batches: those of a task's input by their names, and those of its output.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Float64Array, Int8Array, Int32Array, Int64Array,
    LargeBinaryArray, RecordBatch,
};
use arrow_cast::cast;
use arrow_schema::DataType;
use doublet::{Error, Result};

/// Rows of an output batch, about.
pub(crate) const ROWS: usize = 1 << 14;

/// The error of a batch that is not what a stage takes.
pub(crate) fn misfit(message: String) -> Error {
    Error::Task(message)
}

fn find<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef> {
    batch.column_by_name(name).ok_or_else(|| {
        let schema = batch.schema();
        let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
        misfit(format!(
            "there is no column `{name}` among {}",
            names.join(", ")
        ))
    })
}

/// A column as another type.
fn as_type(batch: &RecordBatch, name: &str, wanted: &DataType) -> Result<ArrayRef> {
    let column = find(batch, name)?;
    if column.data_type() == wanted {
        return Ok(Arc::clone(column));
    }
    cast(column, wanted)
        .map_err(|_| misfit(format!("the column `{name}` is {}", column.data_type())))
}

fn whole(column: &dyn Array, name: &str) -> Result<()> {
    match column.null_count() {
        0 => Ok(()),
        _ => Err(misfit(format!("the column `{name}` has nulls"))),
    }
}

/// A column of whole numbers without nulls.
pub(crate) fn numbers(batch: &RecordBatch, name: &str) -> Result<Int64Array> {
    let column = as_type(batch, name, &DataType::Int64)?;
    whole(&column, name)?;
    Ok(column.as_primitive::<Int64Type>().clone())
}

/// A column of whole numbers where a missing one, or a missing column, is another number.
pub(crate) fn numbers_or(batch: &RecordBatch, name: &str, other: i64) -> Result<Vec<i64>> {
    if batch.column_by_name(name).is_none() {
        return Ok(vec![other; batch.num_rows()]);
    }
    let column = as_type(batch, name, &DataType::Int64)?;
    let column = column.as_primitive::<Int64Type>();
    Ok(column.iter().map(|value| value.unwrap_or(other)).collect())
}

/// A column of numbers; missing ones are `None`.
pub(crate) fn scores(batch: &RecordBatch, name: &str) -> Result<Float64Array> {
    let column = as_type(batch, name, &DataType::Float64)?;
    Ok(column.as_primitive::<Float64Type>().clone())
}

/// A column of yes and no without nulls.
pub(crate) fn flags(batch: &RecordBatch, name: &str) -> Result<BooleanArray> {
    let column = as_type(batch, name, &DataType::Boolean)?;
    whole(&column, name)?;
    Ok(column.as_boolean().clone())
}

/// A column of texts, as bytes: nobody has looked whether they are text.
pub(crate) enum Texts {
    Small(BinaryArray),
    Large(LargeBinaryArray),
}

impl Texts {
    pub(crate) fn of(batch: &RecordBatch, name: &str) -> Result<Self> {
        let column = find(batch, name)?;
        let column = match column.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => {
                Arc::clone(column)
            }
            _ => as_type(batch, name, &DataType::Utf8)?,
        };
        Ok(match column.data_type() {
            DataType::LargeUtf8 | DataType::LargeBinary => {
                let column = cast_bytes(&column, &DataType::LargeBinary)?;
                Self::Large(column.as_binary::<i64>().clone())
            }
            _ => {
                let column = cast_bytes(&column, &DataType::Binary)?;
                Self::Small(column.as_binary::<i32>().clone())
            }
        })
    }

    /// A text; `None` for a missing one, and for bytes that are no text.
    pub(crate) fn get(&self, row: usize) -> Option<&str> {
        let bytes = match self {
            Self::Small(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Self::Large(texts) => texts.is_valid(row).then(|| texts.value(row)),
        };
        std::str::from_utf8(bytes?).ok()
    }
}

/// A column of texts as bytes, which costs nothing.
fn cast_bytes(column: &ArrayRef, wanted: &DataType) -> Result<ArrayRef> {
    cast(column, wanted).map_err(|error| misfit(error.to_string()))
}

/// A column of bytes.
pub(crate) fn bytes(batch: &RecordBatch, name: &str) -> Result<BinaryArray> {
    let column = as_type(batch, name, &DataType::Binary)?;
    whole(&column, name)?;
    Ok(column.as_binary::<i32>().clone())
}

/// Whether a column is of numbers.
pub(crate) fn is_number(batch: &RecordBatch, name: &str) -> bool {
    let column = batch.column_by_name(name);
    column.is_some_and(|column| column.data_type().is_numeric())
}

/// The columns of an output, in order.
pub(crate) type Columns = Vec<(&'static str, ArrayRef)>;

/// A batch of these columns.
pub(crate) fn batch(columns: Columns) -> Result<RecordBatch> {
    RecordBatch::try_from_iter(columns).map_err(|error| misfit(error.to_string()))
}

pub(crate) fn longs(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

pub(crate) fn ints(values: impl Iterator<Item = u32>) -> ArrayRef {
    // Numbers of 32 bits as they are: what they mean is known to whoever takes them.
    Arc::new(Int32Array::from_iter_values(values.map(u32::cast_signed)))
}

pub(crate) fn bytes_of_one(values: impl Iterator<Item = u8>) -> ArrayRef {
    Arc::new(Int8Array::from_iter_values(values.map(u8::cast_signed)))
}

pub(crate) fn doubles(values: impl Iterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}
