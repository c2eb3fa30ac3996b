//! Where the workspace is, and how commands are run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

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

/// Print a command, run it in the workspace root, and give what it prints; fail if it fails.
pub(crate) fn output_of(line: &[&str]) -> Result<String> {
    let output = start(line)?.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot start `{}`", line.join(" ")))?;
    succeeded(line, output.status)?;
    String::from_utf8(output.stdout).with_context(|| format!("`{}` prints no text", line.join(" ")))
}

/// Print a command, run it in the workspace root, and fail if it fails.
pub(crate) fn run_command(line: &[&str]) -> Result<()> {
    let status = start(line)?.status();
    let status = status.with_context(|| format!("cannot start `{}`", line.join(" ")))?;
    succeeded(line, status)
}

fn start(line: &[&str]) -> Result<Command> {
    let (program, arguments) = line.split_first().context("an empty command")?;
    println!("$ {}", line.join(" "));
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    Ok(command)
}

fn succeeded(line: &[&str], status: ExitStatus) -> Result<()> {
    ensure!(
        status.success(),
        "`{}` failed with {status}",
        line.join(" ")
    );
    Ok(())
}
