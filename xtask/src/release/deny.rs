//! `cargo xtask deny`: whether licences, sources, duplicates and known advisories are as `deny.toml` wants them.

use anyhow::{Context, Result};

use crate::workspace;

/// The version of cargo-deny that `deny.toml` is written for.
const VERSION: &str = "0.20.2";
/// Where it is installed, so that nothing outside the checkout changes.
const TOOLS: &str = "target/tools";

/// What to check.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Leave out the advisories, whose database is fetched
    #[arg(long)]
    offline: bool,
}

/// Installs cargo-deny if it is missing, and asks it.
pub(crate) fn run(args: &Args) -> Result<()> {
    let tools = workspace::root().join(TOOLS);
    let program = tools.join("bin/cargo-deny");
    let program = program
        .to_str()
        .context("the path of the checkout is no text")?;
    let installed = std::process::Command::new(program)
        .arg("--version")
        .output();
    let expected = format!("cargo-deny {VERSION}");
    if !installed.is_ok_and(|output| output.stdout.starts_with(expected.as_bytes())) {
        workspace::run_command(&[
            "cargo",
            "install",
            "cargo-deny",
            "--locked",
            "--version",
            VERSION,
            "--root",
            TOOLS,
        ])?;
    }
    let mut line = vec![program, "--locked", "check"];
    line.extend(["licenses", "bans", "sources"]);
    if !args.offline {
        line.push("advisories");
    }
    workspace::run_command(&line)
}
