//! The Python package, measured: `cargo xtask wheel-figures` beside the command line, `cargo xtask spark-figures` on Spark beside other tools.
//!
//! Both install the package as it stands into an environment of their own, built for release.

pub(crate) mod figures;
mod model;
pub(crate) mod spark;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace;

const REQUIREMENTS: &str = "benchmarks/wheel/requirements.txt";
const PACKAGE: &str = "crates/doublet-python";

/// The Python of an environment with the package, built now.
fn python(folder: &Path) -> Result<PathBuf> {
    let environment = folder.join("venv-wheel");
    let python = environment.join("bin/python");
    if !python.exists() {
        let environment = environment.display().to_string();
        workspace::run_command(&["python3", "-m", "venv", &environment])?;
    }
    let program = python.display().to_string();
    let install = [
        program.as_str(),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    workspace::run_command(&[&install[..], &["-r", REQUIREMENTS]].concat())?;
    // Without isolation it is built in the workspace's own folder, and most of it only once.
    let package = [
        "--no-build-isolation",
        "--no-deps",
        "--force-reinstall",
        PACKAGE,
    ];
    workspace::run_command(&[&install[..], &package].concat())?;
    Ok(python)
}

/// The last line that a program prints, which is JSON.
fn told(line: &[&str]) -> Result<Value> {
    let output = workspace::output_of(line)?;
    let last = output.lines().next_back().unwrap_or_default();
    serde_json::from_str(last).with_context(|| format!("`{}` told no figures", line.join(" ")))
}

/// A figure of what a program told.
fn figure(told: &Value, name: &str) -> Result<f64> {
    told[name]
        .as_f64()
        .with_context(|| format!("no `{name}` among the figures"))
}
