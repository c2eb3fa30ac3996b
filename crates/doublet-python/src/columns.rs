//! Columns of a table from lists of Python: strings, numbers, booleans.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, RecordBatch,
};
use arrow_schema::{Field, Schema};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

use crate::errors;
use crate::table::Table;

/// What the values of a column are.
#[derive(Clone, Copy, Default)]
struct Kinds {
    texts: bool,
    whole: bool,
    floats: bool,
    booleans: bool,
}

impl Kinds {
    fn see(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if value.is_none() {
        } else if value.is_instance_of::<PyString>() {
            self.texts = true;
        } else if value.is_instance_of::<PyBool>() {
            self.booleans = true;
        } else if value.is_instance_of::<PyInt>() {
            self.whole = true;
        } else if value.is_instance_of::<PyFloat>() {
            self.floats = true;
        } else {
            let kind = value.get_type();
            return Err(PyTypeError::new_err(format!(
                "a value of {kind} is no string, number or boolean"
            )));
        }
        Ok(())
    }
}

/// A table of columns of one length: strings, whole numbers, numbers or booleans, `None` among them. Values of several kinds in
/// one column become JSON.
#[pyfunction]
pub(crate) fn columns(py: Python<'_>, columns: &Bound<'_, PyDict>) -> PyResult<Table> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (name, values) in columns {
        let name: String = name.extract()?;
        let values: Vec<Bound<'_, PyAny>> = values.try_iter()?.collect::<PyResult<_>>()?;
        if arrays
            .first()
            .is_some_and(|first| first.len() != values.len())
        {
            return Err(PyValueError::new_err("the columns differ in length"));
        }
        let (array, json) = column(py, &name, &values)?;
        let mut field = Field::new(name, array.data_type().clone(), true);
        if json {
            field.set_metadata(HashMap::from([("doublet".to_owned(), "json".to_owned())]));
        }
        fields.push(field);
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let rows = arrays.first().map_or(0, |array| array.len());
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(schema.clone(), arrays, &options);
    let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(Table::new(schema, vec![batch]))
}

/// The array of a column, and whether its values are JSON.
fn column(py: Python<'_>, name: &str, values: &[Bound<'_, PyAny>]) -> PyResult<(ArrayRef, bool)> {
    let mut kinds = Kinds::default();
    values.iter().try_for_each(|value| kinds.see(value))?;
    let Kinds {
        texts: has_texts,
        whole,
        floats,
        booleans,
    } = kinds;
    let array: ArrayRef = match (has_texts, whole, floats, booleans) {
        (false, false, false, false) => Arc::new(LargeStringArray::new_null(values.len())),
        (true, false, false, false) => texts(py, name, values)?,
        (false, true, false, false) => match extracted(values) {
            Ok(numbers) => Arc::new(Int64Array::from(numbers)),
            // Longer than 64 bits.
            Err(_) => return Ok((as_json(py, values)?, true)),
        },
        (false, false, true, false) => Arc::new(Float64Array::from(extracted(values)?)),
        (false, false, false, true) => Arc::new(BooleanArray::from(extracted(values)?)),
        // Whole numbers among others stay what they are.
        _ => return Ok((as_json(py, values)?, true)),
    };
    Ok((array, false))
}

fn extracted<'py, T>(values: &[Bound<'py, PyAny>]) -> PyResult<Vec<Option<T>>>
where
    Option<T>: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    values.iter().map(|value| value.extract()).collect()
}

fn texts(py: Python<'_>, name: &str, values: &[Bound<'_, PyAny>]) -> PyResult<ArrayRef> {
    let mut builder = LargeStringBuilder::with_capacity(values.len(), 0);
    for (row, value) in values.iter().enumerate() {
        match value.cast::<PyString>() {
            Err(_) => builder.append_null(),
            Ok(text) => match text.to_str() {
                Ok(text) => builder.append_value(text),
                Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(py) => {
                    let message = format!("row {row} of `{name}`: a lone surrogate is no text");
                    return Err(errors::bad_data(py, message));
                }
                Err(error) => return Err(error),
            },
        }
    }
    Ok(Arc::new(builder.finish()))
}

/// Values of several kinds, each as JSON.
fn as_json(py: Python<'_>, values: &[Bound<'_, PyAny>]) -> PyResult<ArrayRef> {
    let dumps = py.import("json")?.getattr("dumps")?;
    let options = PyDict::new(py);
    options.set_item("ensure_ascii", false)?;
    options.set_item("allow_nan", false)?;
    let mut builder = LargeStringBuilder::new();
    for value in values {
        if value.is_none() {
            builder.append_null();
        } else {
            let json = dumps.call((value,), Some(&options))?;
            builder.append_value(json.cast::<PyString>()?.to_str()?);
        }
    }
    Ok(Arc::new(builder.finish()))
}
