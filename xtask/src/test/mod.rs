//! `cargo xtask test`: every test of the project, one command after the other.
//!
//! First those of Rust, then the service from outside (`api`), its page in a browser (`page`) and the Python package (`wheel`), all from environments
//! that `python` makes, and last the papers, redone on small collections, and hostile collections. All but the first use the doublet that the first has built.

mod api;
mod page;
mod python;
mod wheel;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use crate::workspace;

/// Which tests to run.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Leave these out
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    skip: Vec<Part>,
}

/// The parts of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// `cargo test --workspace`
    Cargo,
    /// The service by its description, from Python
    Api,
    /// The web page in a headless browser, from Python
    Page,
    /// The Python package, and Spark
    Python,
    /// The papers on small collections
    Papers,
    /// Hostile collections, small
    Stress,
}

/// Run all parts; the first failure ends the run.
pub(crate) fn run(args: &Args) -> Result<()> {
    let is_wanted = |part| !args.skip.contains(&part);
    // What is missing is told before an hour of tests, not after.
    prepare(is_wanted)?;
    if is_wanted(Part::Cargo) {
        workspace::run_command(&["cargo", "test", "--workspace"])?;
    } else {
        workspace::run_command(&["cargo", "build", "--package", "doublet-cli"])?;
    }
    let doublet = built()?;
    if is_wanted(Part::Api) {
        api::run(&doublet)?;
    }
    if is_wanted(Part::Page) {
        page::run(&doublet)?;
    }
    if is_wanted(Part::Python) {
        wheel::run(&doublet)?;
    }
    if is_wanted(Part::Papers) {
        again("papers", &doublet)?;
    }
    if is_wanted(Part::Stress) {
        again("stress", &doublet)?;
    }
    Ok(())
}

/// Make the environments of the parts that run in Python.
fn prepare(is_wanted: impl Fn(Part) -> bool) -> Result<()> {
    let (page, package) = (is_wanted(Part::Page), is_wanted(Part::Python));
    let service = page || is_wanted(Part::Api);
    if !service && !package {
        return Ok(());
    }
    python::prepare(&python::Needs {
        browser: page,
        java: package,
    })?;
    if service {
        python::SERVICE.make()?;
    }
    if package {
        python::PACKAGE.make()?;
    }
    Ok(())
}

/// The doublet that the tests have built.
fn built() -> Result<PathBuf> {
    let doublet = profiles()?.join("debug/doublet");
    ensure!(
        doublet.is_file(),
        "`{}` was not built by the tests",
        doublet.display()
    );
    Ok(doublet)
}

/// The folder of what is built: that of this very program.
fn profiles() -> Result<PathBuf> {
    let xtask = std::env::current_exe().context("cannot find the running program")?;
    let profiles = xtask.ancestors().nth(2);
    let profiles = profiles.context("a program outside of a target folder")?;
    Ok(profiles.to_owned())
}

/// A command of `cargo xtask`, quick, by this very program: another build would take longer than the run.
fn again(command: &str, doublet: &Path) -> Result<()> {
    let xtask = std::env::current_exe().context("cannot find the running program")?;
    let [xtask, doublet] = [&xtask, doublet].map(|path| path.display().to_string());
    workspace::run_command(&[&xtask, command, "--quick", "--doublet", &doublet])
}
