//! The method `terms` measured, after the experiments of the paper behind it (Gong et al., "Detecting Near-Duplicates
//! in Large-Scale Short Text Databases").
//!
//! `scaling` is figures 7 to 10, `figures` is figures 1 to 6 and the two counts about transitivity. `texts` prepares
//! the collections, `finder` runs the tool on them, `recall`, `transitivity` and `precision` compute, `draw` draws.

mod draw;
pub(crate) mod figures;
mod finder;
mod precision;
mod recall;
pub(crate) mod scaling;
mod texts;
mod transitivity;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace;

/// Where drawings go.
const DRAWINGS: &str = "docs";

fn drawing(name: &str) -> Result<PathBuf> {
    let folder = workspace::root().join(DRAWINGS);
    std::fs::create_dir_all(&folder)?;
    Ok(folder.join(name))
}

/// The rows of a record.
fn read_record(path: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let record: Value = serde_json::from_slice(&text)?;
    let rows = record["rows"].as_array();
    Ok(rows.context("a record without rows")?.clone())
}
