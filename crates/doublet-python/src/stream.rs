//! Arrow data that Python hands over, by the C stream interface: nothing is copied.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ArrowError;
use doublet::read::{Tables, write_parquet};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatchReader;

use crate::errors;

/// The tables of a run, by their names.
pub(crate) fn tables(py: Python<'_>, data: Option<&Bound<'_, PyDict>>) -> PyResult<Tables> {
    let mut tables = Tables::new();
    for (name, stream) in data.into_iter().flatten() {
        let name: String = name.extract()?;
        let reader = stream.extract::<PyRecordBatchReader>()?.into_reader()?;
        let schema = reader.schema();
        // Whoever makes the batches may need the lock of the interpreter, from another thread too.
        let batches = py.detach(|| reader.collect::<Result<Vec<RecordBatch>, ArrowError>>());
        let batches =
            batches.map_err(|error| errors::bad_data(py, format!("`{name}`: {error}")))?;
        let table = doublet::read::Table::new(schema, batches);
        tables.insert(name, Arc::new(table));
    }
    Ok(tables)
}

/// Writes a stream into a Parquet file, batch by batch, and gives the number of rows.
#[pyfunction]
pub(crate) fn spool(py: Python<'_>, stream: PyRecordBatchReader, path: String) -> PyResult<u64> {
    let reader = stream.into_reader()?;
    let written = py.detach(|| {
        let schema = reader.schema();
        let mut raised = None;
        let batches = reader.map(|batch| {
            let signals = Python::attach(|py| py.check_signals());
            signals.map_err(|error| {
                raised = Some(error);
                ArrowError::ComputeError("interrupted".to_owned())
            })?;
            batch
        });
        let written = write_parquet(schema, batches, Path::new(&path));
        (written, raised)
    });
    match written {
        (_, Some(raised)) => Err(raised),
        (written, None) => written.map_err(|error| errors::of_error(py, error)),
    }
}
