//! `cargo xtask test`: every test of the project, one command after the other.
//!
//! To add a step, add a line to `STEPS`.

use anyhow::Result;

use crate::workspace;

/// Each step is a program and its arguments, run in the workspace root.
const STEPS: &[&[&str]] = &[&["cargo", "test", "--workspace"]];

/// Run all steps; the first failure ends the run.
pub(crate) fn run() -> Result<()> {
    for step in STEPS {
        workspace::run_command(step)?;
    }
    Ok(())
}
