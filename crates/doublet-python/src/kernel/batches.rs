//! Batches in from an iterable, and out one by one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::Field;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyTuple};
use pyo3_arrow::ffi::{to_array_pycapsules, to_schema_pycapsule};
use pyo3_arrow::{PyRecordBatch, PyRecordBatchReader};

use super::stages::Stage;
use crate::errors;

/// A batch of rows, for whoever takes Arrow.
#[pyclass(frozen, module = "doublet._native")]
pub(crate) struct Batch(RecordBatch);

#[pymethods]
impl Batch {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let schema = self.0.schema();
        let field = Field::new_struct("", schema.fields().clone(), false);
        let array: Arc<dyn Array> = Arc::new(StructArray::from(self.0.clone()));
        Ok(to_array_pycapsules(
            py,
            field.into(),
            &array,
            requested_schema,
        )?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.0.schema().as_ref())?)
    }

    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }
}

/// What a stage makes of the batches of an iterable, one by one.
#[pyclass(module = "doublet._native")]
pub(crate) struct Batches {
    source: Py<PyIterator>,
    work: Mutex<Work>,
}

struct Work {
    /// None once it is done.
    stage: Option<Box<dyn Stage>>,
    /// The batch at hand, and the row to go on with.
    input: Option<(RecordBatch, usize)>,
    ready: VecDeque<RecordBatch>,
}

impl Work {
    /// Does the next piece: some rows of the batch at hand, or without one what is left at the end.
    fn step(&mut self) -> doublet::Result<()> {
        let Some(stage) = &mut self.stage else {
            return Ok(());
        };
        let mut out = Vec::new();
        match self.input.take() {
            Some((batch, from)) => {
                let next = stage.push(&batch, from, &mut out)?;
                self.input = (next < batch.num_rows()).then_some((batch, next));
            }
            None => {
                if stage.finish(&mut out)? {
                    self.stage = None;
                }
            }
        }
        self.ready.extend(out);
        Ok(())
    }
}

impl Batches {
    pub(crate) fn new(source: &Bound<'_, PyAny>, stage: impl Stage + 'static) -> PyResult<Self> {
        Ok(Self {
            source: source.try_iter()?.unbind(),
            work: Mutex::new(Work {
                stage: Some(Box::new(stage)),
                input: None,
                ready: VecDeque::new(),
            }),
        })
    }
}

#[pymethods]
impl Batches {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let work = self.work.get_mut();
        let work = work.unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(batch) = work.ready.pop_front() {
                return Ok(Some(Batch(batch)));
            }
            if work.stage.is_none() {
                return Ok(None);
            }
            if work.input.is_none()
                && let Some(next) = self.source.bind(py).clone().next()
            {
                let batch = next?.extract::<PyRecordBatch>()?.into_inner();
                work.input = Some((batch, 0));
            }
            let done = py.detach(|| work.step());
            if let Err(error) = done {
                work.stage = None;
                work.ready.clear();
                return Err(errors::of_error(py, error));
            }
        }
    }
}

/// Calls `each` with the batches of an iterable, or of anything that has an Arrow stream.
pub(crate) fn for_each_batch(
    rows: &Bound<'_, PyAny>,
    mut each: impl FnMut(&RecordBatch) -> doublet::Result<()> + Send,
) -> PyResult<()> {
    let py = rows.py();
    let mut each = |batch: &RecordBatch| {
        py.detach(|| each(batch))
            .map_err(|error| errors::of_error(py, error))
    };
    if rows.hasattr("__arrow_c_stream__")? {
        let reader = rows.extract::<PyRecordBatchReader>()?.into_reader()?;
        for batch in reader {
            let batch = batch.map_err(|error| errors::bad_data(py, error.to_string()))?;
            each(&batch)?;
        }
        return Ok(());
    }
    for item in rows.try_iter()? {
        each(&item?.extract::<PyRecordBatch>()?.into_inner())?;
    }
    Ok(())
}
