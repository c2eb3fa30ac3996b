//! `cargo xtask test`: every test of the project.
//!
//! The parts: the tests of Rust, those of this crate, the service from outside (`api`), its page in a browser (`page`), the Python package (`wheel`), all three from
//! environments that `python` makes, the papers on small collections, and hostile collections. Several parts run beside each other
//! (`lanes`). A part that fails does not hide the others: all run, and a table at the end shows the result and the time of each.

mod api;
mod lanes;
mod page;
mod python;
mod wheel;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;

use crate::workspace;

/// The end-to-end run of every method, which `--quick` includes.
const ONE_RUN_PER_METHOD: &str = "methods::";

/// All crates but this one, always together, so that features, and with them what is compiled, are the same in all parts.
const PRODUCT: [&str; 3] = ["--workspace", "--exclude", "xtask"];

/// Which tests to run.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Skip these parts
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "PART",
        conflicts_with = "only"
    )]
    skip: Vec<Part>,
    /// Run only these parts
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Unit tests, doctests and one end-to-end run of every method: a few minutes, needs only Rust
    #[arg(long, conflicts_with_all = ["skip", "only"])]
    quick: bool,
    /// Run the parts one after the other, and stop at the first that fails
    #[arg(long)]
    fail_fast: bool,
    /// Install the system packages that are missing with `sudo apt-get` (as root they are installed without this option)
    #[arg(long)]
    install: bool,
    /// Test release builds
    #[arg(long)]
    release: bool,
}

/// The parts of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// `cargo test` of all crates but `xtask`
    Cargo,
    /// The tests of `cargo xtask` itself
    Xtask,
    /// The service, tested from its OpenAPI description (needs Python)
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

/// How the programs under test are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Build {
    Dev,
    Release,
}

impl Build {
    /// The profile of Cargo.
    fn profile(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Release => "release",
        }
    }

    /// The folder of the profile among what is built.
    fn folder(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Release => "release",
        }
    }

    /// Runs `cargo` with these arguments and this profile.
    fn cargo(self, command: &str, arguments: &[&str]) -> Result<()> {
        let head = ["cargo", command, "--profile", self.profile()];
        workspace::run_command(&[&head, arguments].concat())
    }
}

/// A part that was run.
struct Outcome {
    name: &'static str,
    time: Duration,
    error: Option<anyhow::Error>,
}

/// Runs the chosen parts, prints a line about each, and fails if one of them failed.
pub(crate) fn run(args: &Args) -> Result<()> {
    let build = match args.release {
        true => Build::Release,
        false => Build::Dev,
    };
    if args.quick {
        return summarize(&quick(build, args.fail_fast));
    }
    let wanted = |part: &Part| {
        !args.skip.contains(part) && (args.only.is_empty() || args.only.contains(part))
    };
    let parts: Vec<Part> = Part::value_variants().to_vec();
    let parts: Vec<Part> = parts.into_iter().filter(wanted).collect();
    match &parts[..] {
        // In this process, so that its output is seen while it is made.
        [part] => {
            let outcome = timed(part.name(), &|| part.run(build, args.install));
            summarize(&[outcome])
        }
        _ if args.fail_fast => {
            let mut outcomes = Vec::new();
            for part in parts {
                outcomes.push(timed(part.name(), &|| part.run(build, args.install)));
                if outcomes.iter().any(|outcome| outcome.error.is_some()) {
                    break;
                }
            }
            summarize(&outcomes)
        }
        _ => summarize(&lanes::run(&parts, args)?),
    }
}

/// What `--quick` runs.
fn quick(build: Build, fail_fast: bool) -> Vec<Outcome> {
    let parts: [(&'static str, &[&str]); 3] = [
        ("unit", &["--lib", "--bins"]),
        ("doc", &["--doc"]),
        ("methods", &["--test", "it", ONE_RUN_PER_METHOD]),
    ];
    let mut outcomes = Vec::new();
    for (name, arguments) in parts {
        outcomes.push(timed(name, &|| cargo_test(build, arguments)));
        if fail_fast && outcomes.iter().any(|outcome| outcome.error.is_some()) {
            break;
        }
    }
    outcomes
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Xtask => "xtask",
            Self::Api => "api",
            Self::Page => "page",
            Self::Python => "python",
            Self::Papers => "papers",
            Self::Stress => "stress",
        }
    }

    /// Prepares what it needs, and runs it.
    fn run(self, build: Build, may_install: bool) -> Result<()> {
        let needs = python::Needs {
            browser: self == Self::Page,
            java: self == Self::Python,
        };
        match self {
            Self::Api | Self::Page => python::SERVICE.prepare(&needs, may_install)?,
            Self::Python => python::PACKAGE.prepare(&needs, may_install)?,
            Self::Cargo | Self::Xtask | Self::Papers | Self::Stress => {}
        }
        match self {
            Self::Cargo => cargo_test(build, &[]),
            Self::Xtask => Build::Dev.cargo("test", &["--package", "xtask"]),
            Self::Api => api::run(&built(build)?),
            Self::Page => page::run(&built(build)?),
            Self::Python => wheel::run(build, &built(build)?),
            Self::Papers => again("papers", &built(build)?),
            Self::Stress => again("stress", &built(build)?),
        }
    }
}

/// Some tests of all crates but this one.
fn cargo_test(build: Build, arguments: &[&str]) -> Result<()> {
    build.cargo(
        "test",
        &[&PRODUCT[..], &["--no-fail-fast"], arguments].concat(),
    )
}

/// Runs a part, and prints its error at once.
fn timed(name: &'static str, part: &dyn Fn() -> Result<()>) -> Outcome {
    println!("\n== {name}");
    let start = Instant::now();
    let error = part().err();
    if let Some(error) = &error {
        println!("== {name} failed: {error:#}");
    }
    Outcome {
        name,
        time: start.elapsed(),
        error,
    }
}

/// Prints a line about each part.
fn summarize(outcomes: &[Outcome]) -> Result<()> {
    println!("\n== summary");
    for Outcome { name, time, error } in outcomes {
        let result = match error {
            None => "passed".to_owned(),
            Some(error) => format!("FAILED: {error:#}"),
        };
        let seconds = time.as_secs();
        println!(
            "{name:>8} {:>3}:{:02}  {result}",
            seconds / 60,
            seconds % 60
        );
    }
    let failed = outcomes.iter().filter(|outcome| outcome.error.is_some());
    let failed: Vec<&str> = failed.map(|outcome| outcome.name).collect();
    if !failed.is_empty() {
        bail!(
            "{} of {} parts failed: {}",
            failed.len(),
            outcomes.len(),
            failed.join(", ")
        );
    }
    Ok(())
}

/// The doublet under test, built now. It is built as the tests of Rust build it, with one test that needs the program, so that nothing is
/// compiled twice.
fn built(build: Build) -> Result<PathBuf> {
    let targets = ["--no-run", "--test", "faults"];
    build.cargo("test", &[&PRODUCT[..], &targets].concat())?;
    let doublet = profiles()?.join(build.folder()).join("doublet");
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
    let profiles = profiles.context("`cargo xtask` does not run from a target directory")?;
    Ok(profiles.to_owned())
}

/// A command of `cargo xtask`, quick, by this very program: another build would take longer than the run.
fn again(command: &str, doublet: &Path) -> Result<()> {
    let xtask = std::env::current_exe().context("cannot find the running program")?;
    let [xtask, doublet] = [&xtask, doublet].map(|path| path.display().to_string());
    workspace::run_command(&[&xtask, command, "--quick", "--doublet", &doublet])
}
