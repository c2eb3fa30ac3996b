//! Doors for the laws in `crates/doublet-laws`, which read arguments without running a command. No promise is made about them.

use std::ffi::OsString;

use crate::Failure;

/// The arguments of any command as they are understood, in words.
///
/// # Errors
/// When they are no command line.
pub fn understood(arguments: &[OsString]) -> Result<String, Failure> {
    crate::parse(arguments).map(|arguments| format!("{arguments:?}"))
}
