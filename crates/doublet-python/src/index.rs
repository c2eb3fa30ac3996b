//! An index at one commit, asked from any number of threads at once.

use std::ffi::OsString;
use std::path::PathBuf;

use doublet_cli::Console;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::run::{Ran, watched};
use crate::{errors, stream};

/// A snapshot of an index.
#[pyclass(frozen, module = "doublet._native")]
pub(crate) struct Index {
    directory: PathBuf,
    index: doublet::index::Index,
}

#[pymethods]
impl Index {
    /// Opens an index as it is now.
    #[staticmethod]
    fn open(py: Python<'_>, directory: PathBuf) -> PyResult<Self> {
        let index = py.detach(|| doublet::index::Index::open(&directory));
        let index = index.map_err(|error| errors::of_error(py, error))?;
        Ok(Index { directory, index })
    }

    /// What stands behind `doublet check`, asked of this snapshot.
    #[pyo3(signature = (arguments, data=None, progress=None))]
    fn check(
        &self,
        py: Python<'_>,
        arguments: Vec<OsString>,
        data: Option<&Bound<'_, PyDict>>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Ran> {
        let mut line: Vec<OsString> = vec!["check".into(), "--index".into()];
        line.push(self.directory.clone().into());
        line.extend(arguments);
        let tables = stream::tables(py, data)?;
        let console = Console::memory(Vec::new(), line, tables);
        watched(
            py,
            console.with_index(self.index.clone()),
            progress.as_ref(),
        )
    }

    /// What `doublet index info --json` says of this snapshot.
    fn info(&self, py: Python<'_>) -> PyResult<String> {
        let mut line: Vec<OsString> = ["index", "info", "--json", "--"].map(Into::into).into();
        line.push(self.directory.clone().into());
        let console = Console::memory(Vec::new(), line, doublet::read::Tables::new());
        let console = console.with_index(self.index.clone());
        let ran = py.detach(|| doublet_cli::run(&console));
        ran.map_err(|failure| errors::of_failure(py, &failure))?;
        Ok(String::from_utf8_lossy(&console.take().output).into_owned())
    }
}
