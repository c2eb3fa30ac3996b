//! One file a command: resolve the arguments, call the library, show what came of it.

pub(crate) mod clusters;
pub(crate) mod compare;
pub(crate) mod dedup;
pub(crate) mod inspect;
pub(crate) mod pairs;

use std::path::Path;

use anyhow::{Context, Result};

/// A directory for what a command must spool; removed when dropped.
fn spool_directory(temp_dir: Option<&Path>) -> Result<tempfile::TempDir> {
    let place = temp_dir.map_or_else(std::env::temp_dir, Path::to_path_buf);
    tempfile::Builder::new()
        .prefix("doublet-")
        .tempdir_in(&place)
        .with_context(|| {
            format!(
                "cannot make a temporary directory in `{}`: choose another with `--temp-dir`",
                place.display()
            )
        })
}
