//! What the Python package of doublet does not do in Python: the commands, the kernels of a cluster, and Arrow data on its way in and out.
//!
//! `run` runs a command line with data in memory in the place of files, `stream` and `columns` bring data in, `table` hands results
//! out, `index` is a snapshot that is asked from many threads, `kernel` is what the tasks of a cluster run, `errors` turns failures into
//! exceptions.

mod columns;
mod errors;
mod index;
mod kernel;
mod run;
mod stream;
mod table;

use doublet::report::pairs::SCORES;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The native module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("SCORES", PyTuple::new(module.py(), SCORES)?)?;
    module.add_class::<run::Ran>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<index::Index>()?;
    module.add_class::<kernel::Kernel>()?;
    module.add_class::<kernel::Batches>()?;
    module.add_class::<kernel::Batch>()?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(run::main, module)?)?;
    module.add_function(wrap_pyfunction!(stream::spool, module)?)?;
    module.add_function(wrap_pyfunction!(table::table, module)?)?;
    module.add_function(wrap_pyfunction!(columns::columns, module)?)?;
    module.add_function(wrap_pyfunction!(kernel::contract, module)?)?;
    module.add_function(wrap_pyfunction!(kernel::components, module)?)
}
