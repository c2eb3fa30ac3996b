//! `cargo xtask test`: every test of the project, one command after the other.
//!
//! To add a step, add a line to `STEPS`. The papers are redone last, on small collections, with the doublet that the tests have built.

use anyhow::{Context, Result, ensure};

use crate::workspace;

/// Each step is a program and its arguments, run in the workspace root.
const STEPS: &[&[&str]] = &[&["cargo", "test", "--workspace"]];

/// Run all steps; the first failure ends the run.
pub(crate) fn run() -> Result<()> {
    for step in STEPS {
        workspace::run_command(step)?;
    }
    redo_papers()
}

/// `cargo xtask papers --quick` by this very program: another build would take longer than the run.
fn redo_papers() -> Result<()> {
    let xtask = std::env::current_exe().context("cannot find the running program")?;
    let profiles = xtask
        .ancestors()
        .nth(2)
        .context("a program outside of a target folder")?;
    let doublet = profiles.join("debug/doublet");
    ensure!(
        doublet.is_file(),
        "`{}` was not built by the tests",
        doublet.display()
    );
    let [xtask, doublet] = [&xtask, &doublet].map(|path| path.display().to_string());
    workspace::run_command(&[&xtask, "papers", "--quick", "--doublet", &doublet])
}
