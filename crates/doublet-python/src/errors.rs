//! Failures as exceptions of `doublet.errors`.

use doublet_cli::{Failure, FailureKind};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

/// The exception for a command that failed.
pub(crate) fn of_failure(py: Python<'_>, failure: &Failure) -> PyErr {
    let class = match failure.kind() {
        FailureKind::Options => "OptionError",
        FailureKind::Input => "InputError",
        FailureKind::File => "FileError",
        FailureKind::Index => "IndexDamagedError",
        FailureKind::Service => "DoubletError",
        FailureKind::Interrupted => return PyKeyboardInterrupt::new_err(()),
    };
    new(py, class, failure.to_string())
}

/// The exception for an error of the library.
pub(crate) fn of_error(py: Python<'_>, error: doublet::Error) -> PyErr {
    of_failure(py, &Failure::Run(error.into()))
}

/// Data that cannot be used.
pub(crate) fn bad_data(py: Python<'_>, message: String) -> PyErr {
    new(py, "InputError", message)
}

/// A mistake of ours.
pub(crate) fn panicked(py: Python<'_>, panic: &(dyn std::any::Any + Send)) -> PyErr {
    let words = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no more is known");
    let message = format!("a mistake in doublet, please report it: {words}");
    new(py, "DoubletError", message)
}

fn new(py: Python<'_>, class: &str, message: String) -> PyErr {
    let made = py
        .import("doublet.errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1((message.clone(),)));
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(_) => PyRuntimeError::new_err(message),
    }
}
