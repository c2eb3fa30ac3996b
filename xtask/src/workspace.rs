//! Where the workspace is, and how commands are run in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The folder of the workspace's manifest.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable for the running program, so a moved checkout is found again; the
    // compiled-in value serves when the binary is started by hand.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest
        .parent()
        .map_or_else(|| manifest.clone(), Path::to_path_buf)
}

/// Print a command, run it in the workspace root, and fail if it fails.
pub(crate) fn run_command(line: &[&str]) -> Result<()> {
    let (program, arguments) = line.split_first().context("an empty command")?;
    println!("$ {}", line.join(" "));
    let status = Command::new(program)
        .args(arguments)
        .current_dir(root())
        .status()
        .with_context(|| format!("cannot start `{program}`"))?;
    ensure!(
        status.success(),
        "`{}` failed with {status}",
        line.join(" ")
    );
    Ok(())
}
