//! Results on their way out: files of JSON lines as Arrow.
//!
//! Columns take their kinds from what stands in them: whole numbers, numbers, strings, booleans, lists, objects. A column that has
//! several kinds (ids may) has each value as JSON.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, ListArray, NullArray,
    RecordBatch, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use arrow_schema::{Field, Fields, Schema, SchemaRef};
use doublet::files::File;
use doublet::report::pairs::SCORES;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::errors;

/// Whether a column is of numbers, which may all be whole.
fn is_score(name: &str) -> bool {
    matches!(name, "score" | "weakest") || SCORES.contains(&name)
}

/// Record batches that Python takes over by the C stream interface.
#[pyclass(frozen, module = "doublet._native")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Table { schema, batches }
    }
}

#[pymethods]
impl Table {
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let batches = self.batches.clone().into_iter();
        let arrays = batches.map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
        let field = Field::new_struct("", self.schema.fields().clone(), false);
        let reader = ArrayIterator::new(arrays, Arc::new(field));
        Ok(to_stream_pycapsule(py, Box::new(reader), requested_schema)?)
    }
}

/// A file of JSON lines that a command wrote.
#[pyfunction]
pub(crate) fn table(py: Python<'_>, path: String) -> PyResult<Table> {
    py.detach(|| read(Path::new(&path)))
        .map_err(|error| errors::of_error(py, error))
}

fn read(path: &Path) -> doublet::Result<Table> {
    let failed = |cause| doublet::Error::Io {
        doing: "read",
        path: path.to_owned(),
        cause,
    };
    let bad = |reason: String| doublet::Error::BadFile {
        path: path.to_owned(),
        reason,
    };
    let mut lines = BufReader::with_capacity(1 << 18, File::open(path).map_err(failed)?);
    let mut rows = Objects::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(failed)? == 0 {
            break;
        }
        let row: Row = serde_json::from_slice(&line).map_err(|error| bad(error.to_string()))?;
        rows.push(Some(row.0));
    }
    let name = path.file_name().and_then(|name| name.to_str());
    if rows.len == 0 {
        rows.columns = name.map(columns_of).unwrap_or_default();
    }
    rows.into_table().map_err(|error| bad(error.to_string()))
}

/// One line: names and values as they stand.
struct Row(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RowVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Row;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row, A::Error> {
        let mut row = Vec::with_capacity(map.size_hint().unwrap_or(12));
        while let Some(entry) = map.next_entry()? {
            row.push(entry);
        }
        Ok(Row(row))
    }
}

/// The columns of a file in which nothing stands.
fn columns_of(name: &str) -> Vec<(String, Column)> {
    let texts = || Column::Texts(Vec::new());
    let numbers = || Column::Whole(Vec::new());
    let scores = || Column::Numbers(Vec::new());
    let member = Objects {
        columns: vec![("id".to_owned(), texts()), ("score".to_owned(), scores())],
        ..Objects::default()
    };
    let columns = match name {
        "pairs.jsonl" => vec![
            ("a", texts()),
            ("b", texts()),
            ("score", scores()),
            ("metric", texts()),
        ],
        "clusters.jsonl" => vec![
            ("cluster", numbers()),
            ("representative", texts()),
            ("size", numbers()),
            ("weakest", scores()),
            (
                "members",
                Column::Lists(Lists {
                    values: Box::new(Column::Objects(member)),
                    ..Lists::default()
                }),
            ),
        ],
        "removed.jsonl" => vec![
            ("id", texts()),
            ("representative", texts()),
            ("score", scores()),
            ("lost", numbers()),
            ("cluster", numbers()),
            ("file", texts()),
            ("line", numbers()),
        ],
        "rejected.jsonl" => vec![("file", texts()), ("line", numbers()), ("reason", texts())],
        _ => Vec::new(),
    };
    let columns = columns.into_iter();
    columns
        .map(|(name, column)| (name.to_owned(), column))
        .collect()
}

/// The values of a column so far.
enum Column {
    /// None but null.
    Nulls(usize),
    Booleans(Vec<Option<bool>>),
    Whole(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
    /// Values of several kinds, as JSON.
    Json(Vec<Option<String>>),
    Lists(Lists),
    Objects(Objects),
}

#[derive(Default)]
struct Lists {
    ends: Vec<i32>,
    valid: Vec<bool>,
    values: Box<Column>,
}

#[derive(Default)]
struct Objects {
    columns: Vec<(String, Column)>,
    valid: Vec<bool>,
    len: usize,
}

impl Default for Column {
    fn default() -> Self {
        Column::Nulls(0)
    }
}

impl Column {
    fn push(&mut self, value: Value) {
        if !self.takes(&value) {
            self.change(&value);
        }
        match (self, value) {
            (Column::Nulls(count), _) => *count += 1,
            (Column::Booleans(values), value) => values.push(value.as_bool()),
            (Column::Whole(values), value) => values.push(value.as_i64()),
            (Column::Numbers(values), value) => values.push(value.as_f64()),
            (Column::Texts(values), Value::String(text)) => values.push(Some(text)),
            (Column::Texts(values), _) => values.push(None),
            (Column::Json(values), Value::Null) => values.push(None),
            (Column::Json(values), value) => values.push(Some(value.to_string())),
            (Column::Lists(lists), value) => lists.push(value),
            (Column::Objects(objects), Value::Object(object)) => objects.push(Some(object)),
            (Column::Objects(objects), _) => objects.push(None::<Vec<_>>),
        }
    }

    /// Whether a value is of the column's kind.
    fn takes(&self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null)
            | (Column::Json(_), _)
            | (Column::Booleans(_), Value::Bool(_))
            | (Column::Numbers(_), Value::Number(_))
            | (Column::Texts(_), Value::String(_))
            | (Column::Lists(_), Value::Array(_))
            | (Column::Objects(_), Value::Object(_)) => true,
            (Column::Whole(_), Value::Number(number)) => number.is_i64(),
            _ => false,
        }
    }

    /// Becomes a column that takes the value too.
    fn change(&mut self, value: &Value) {
        *self = match (std::mem::take(self), value) {
            (Column::Nulls(count), value) => Column::of(value, count),
            (Column::Whole(values), Value::Number(number)) if number.is_f64() => {
                let numbers = values.into_iter();
                Column::Numbers(
                    numbers
                        .map(|value| value.map(|value| value as f64))
                        .collect(),
                )
            }
            (other, _) => Column::Json(other.into_json()),
        };
    }

    /// A column for a first value, after so many that are null.
    fn of(value: &Value, nulls: usize) -> Self {
        match value {
            Value::Null => Column::Nulls(nulls),
            Value::Bool(_) => Column::Booleans(vec![None; nulls]),
            Value::Number(number) if number.is_i64() => Column::Whole(vec![None; nulls]),
            Value::Number(number) if number.is_f64() => Column::Numbers(vec![None; nulls]),
            Value::Number(_) => Column::Json(vec![None; nulls]),
            Value::String(_) => Column::Texts(vec![None; nulls]),
            Value::Array(_) => {
                let mut lists = Lists::default();
                (0..nulls).for_each(|_| lists.push(Value::Null));
                Column::Lists(lists)
            }
            Value::Object(_) => {
                let mut objects = Objects::default();
                (0..nulls).for_each(|_| objects.push(None::<Vec<_>>));
                Column::Objects(objects)
            }
        }
    }

    fn into_json(self) -> Vec<Option<String>> {
        fn each<T: Into<Value>>(values: Vec<Option<T>>) -> Vec<Option<String>> {
            let json = |value: T| -> String { value.into().to_string() };
            values.into_iter().map(|value| value.map(json)).collect()
        }
        match self {
            Column::Nulls(count) => vec![None; count],
            Column::Booleans(values) => each(values),
            Column::Whole(values) => each(values),
            Column::Numbers(values) => each(values),
            Column::Texts(values) => each(values),
            Column::Json(values) => values,
            // Nothing that is written has lists or objects beside something else.
            Column::Lists(lists) => vec![None; lists.valid.len()],
            Column::Objects(objects) => vec![None; objects.len],
        }
    }

    fn into_array(self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Column::Nulls(count) => Arc::new(NullArray::new(count)),
            Column::Booleans(values) => Arc::new(BooleanArray::from(values)),
            Column::Whole(values) => Arc::new(Int64Array::from(values)),
            Column::Numbers(values) => Arc::new(Float64Array::from(values)),
            Column::Texts(values) | Column::Json(values) => Arc::new(strings(&values)),
            Column::Lists(lists) => {
                let values = lists.values.into_array()?;
                let field = Field::new("item", values.data_type().clone(), true);
                let starts = std::iter::once(0).chain(lists.ends).collect::<Vec<i32>>();
                let offsets = OffsetBuffer::new(ScalarBuffer::from(starts));
                let nulls = NullBuffer::from(lists.valid);
                let list = ListArray::try_new(Arc::new(field), offsets, values, Some(nulls))?;
                Arc::new(list)
            }
            Column::Objects(objects) => {
                let (len, nulls) = (objects.len, NullBuffer::from(objects.valid.clone()));
                let (fields, arrays) = objects.into_arrays()?;
                match fields.is_empty() {
                    true => Arc::new(StructArray::new_empty_fields(len, Some(nulls))),
                    false => Arc::new(StructArray::try_new(fields, arrays, Some(nulls))?),
                }
            }
        })
    }
}

fn strings(values: &[Option<String>]) -> LargeStringArray {
    let bytes = values.iter().flatten().map(String::len).sum();
    let mut builder = LargeStringBuilder::with_capacity(values.len(), bytes);
    values
        .iter()
        .for_each(|value| builder.append_option(value.as_deref()));
    builder.finish()
}

impl Lists {
    fn push(&mut self, value: Value) {
        let end = self.ends.last().copied().unwrap_or(0);
        let Value::Array(values) = value else {
            self.valid.push(false);
            self.ends.push(end);
            return;
        };
        self.valid.push(true);
        self.ends
            .push(end.saturating_add(i32::try_from(values.len()).unwrap_or(i32::MAX)));
        values.into_iter().for_each(|value| self.values.push(value));
    }
}

impl Objects {
    fn push(&mut self, row: Option<impl IntoIterator<Item = (String, Value)>>) {
        self.valid.push(row.is_some());
        let mut at = 0;
        for (name, value) in row.into_iter().flatten() {
            // The names stand in the same order in every row.
            let same = self
                .columns
                .get(at)
                .is_some_and(|(other, _)| *other == name);
            let place = match same {
                true => Some(at),
                false => self.columns.iter().position(|(other, _)| *other == name),
            };
            let place = place.unwrap_or_else(|| {
                let column = match is_score(&name) {
                    true => Column::Numbers(vec![None; self.len]),
                    false => Column::Nulls(self.len),
                };
                self.columns.push((name, column));
                self.columns.len() - 1
            });
            self.columns[place].1.push(value);
            at = place + 1;
        }
        self.len += 1;
        for (_, column) in &mut self.columns {
            if column.len() < self.len {
                column.push(Value::Null);
            }
        }
    }

    fn into_arrays(self) -> Result<(Fields, Vec<ArrayRef>), ArrowError> {
        let mut fields = Vec::new();
        let mut arrays = Vec::new();
        for (name, column) in self.columns {
            let array = column.into_array()?;
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        Ok((fields.into(), arrays))
    }

    fn into_table(self) -> Result<Table, ArrowError> {
        let (fields, arrays) = self.into_arrays()?;
        let schema = Arc::new(Schema::new(fields));
        if arrays.is_empty() {
            return Ok(Table::new(schema, Vec::new()));
        }
        let batch = RecordBatch::try_new(schema.clone(), arrays)?;
        Ok(Table::new(schema, vec![batch]))
    }
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::Nulls(count) => *count,
            Column::Booleans(values) => values.len(),
            Column::Whole(values) => values.len(),
            Column::Numbers(values) => values.len(),
            Column::Texts(values) | Column::Json(values) => values.len(),
            Column::Lists(lists) => lists.valid.len(),
            Column::Objects(objects) => objects.len,
        }
    }
}
