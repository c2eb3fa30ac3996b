//! Doors for tests: for the laws in `crates/doublet-laws`, which read arguments without running a command, and for those that send
//! signals. No promise is made about them.

use std::ffi::OsString;

use crate::{Console, Failure};

/// The arguments of any command as they are understood, in words.
///
/// # Errors
/// When they are no command line.
pub fn understood(arguments: &[OsString]) -> Result<String, Failure> {
    crate::parse(arguments).map(|arguments| format!("{arguments:?}"))
}

/// Whether a request to end is left to the run that is under way. Any other one ends the process at once.
pub fn is_orderly(console: &Console) -> bool {
    console.is_orderly()
}
