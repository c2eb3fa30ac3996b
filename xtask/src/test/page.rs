//! The web page in a headless browser: the tests in `tests/page`.

use std::path::Path;

use anyhow::{Context, Result};

use super::python;
use crate::workspace;

pub(super) fn run(doublet: &Path) -> Result<()> {
    let browser = python::browser().context("there is no browser: install chromium")?;
    let doublet = format!("DOUBLET={}", doublet.display());
    let browser = format!("CHROMIUM={}", browser.display());
    let python = python::SERVICE.program("python")?;
    workspace::run_command(&[
        "env",
        &doublet,
        &browser,
        &python,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/page",
    ])
}
