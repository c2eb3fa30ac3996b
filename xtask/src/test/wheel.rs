//! The Python package: its wheel built, installed, and tested by `crates/doublet-python/tests` beside the doublet of the command line.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Build, profiles, python};
use crate::doublet;
use crate::workspace;

const MANIFEST: &str = "crates/doublet-python/Cargo.toml";
const TESTS: &str = "crates/doublet-python/tests";

pub(super) fn run(profile: Build, doublet: &Path) -> Result<()> {
    let wheel = build(profile)?;
    // The version stays the same from build to build: install it whatever is there.
    let install = ["--force-reinstall", "--no-deps"];
    let wheel = wheel.display().to_string();
    python::PACKAGE.install(&[&install[..], &[&wheel]].concat())?;
    let doublet = format!("DOUBLET={}", doublet.display());
    let python = python::PACKAGE.program("python")?;
    workspace::run_command(&[
        "env",
        "PYTHONDONTWRITEBYTECODE=1",
        &doublet,
        &python,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        TESTS,
    ])
}

/// The wheel of what is in the workspace now.
fn build(profile: Build) -> Result<PathBuf> {
    let folder = profiles()?.join("wheel-test");
    doublet::clear(&folder)?;
    let (maturin, name) = (
        python::PACKAGE.program("maturin")?,
        folder.display().to_string(),
    );
    workspace::run_command(&[
        &maturin,
        "build",
        "--profile",
        profile.profile(),
        "--manifest-path",
        MANIFEST,
        "--out",
        &name,
    ])?;
    let made = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot read `{}`", folder.display()))?;
    let wheel = made
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|ending| ending == "whl"));
    wheel.with_context(|| format!("maturin made no wheel in `{}`", folder.display()))
}
