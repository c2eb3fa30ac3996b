//! `cargo xtask fuzz`: bytes that a fuzzer makes up, against the laws in `crates/doublet-laws`.
//!
//! Builds the targets in `fuzz/` by cargo-fuzz, lets each run for a while from its seeds, its findings and the corpus of earlier
//! runs, and prints what each did. `run` is one target, `figures` what it said. A broken law fails the command and leaves the
//! input behind.

mod figures;
mod run;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use anyhow::{Context, Result, bail, ensure};

use crate::bench::record;
use crate::workspace;
use figures::Figures;

/// Seconds of a target with `--quick`.
const QUICK: u64 = 60;

/// What to run, and for how long.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Targets [default: all]
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
    /// Seconds a target
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3600,
        conflicts_with = "quick"
    )]
    seconds: u64,
    /// A minute a target
    #[arg(long)]
    quick: bool,
    /// Targets that run at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Add the figures to the record benchmarks/record/DATE-NAME.json
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// Build the targets, run them, print the table, and fail if a law was broken.
pub(crate) fn run(args: &Args) -> Result<()> {
    let fuzz = workspace::root().join("fuzz");
    let targets = chosen(&all_targets(&fuzz)?, &args.targets)?;
    let seconds = if args.quick { QUICK } else { args.seconds };
    let binaries = build(&fuzz, &targets)?;
    let results = run_all(&fuzz, &binaries, &targets, seconds, args.jobs.max(1))?;
    print(&results);
    if let Some(name) = &args.name {
        keep(name, &results, args.jobs)?;
    }
    let found: Vec<&Figures> = results.iter().filter(|one| one.is_finding()).collect();
    for figures in &found {
        println!("\n{}", figures.told());
    }
    ensure!(
        found.is_empty(),
        "{} of {} targets found something: see above, and CONTRIBUTING.md on keeping a finding",
        found.len(),
        results.len()
    );
    Ok(())
}

/// The targets there are: a file each.
fn all_targets(fuzz: &Path) -> Result<Vec<String>> {
    let directory = fuzz.join("fuzz_targets");
    let entries = std::fs::read_dir(&directory);
    let entries = entries.with_context(|| format!("cannot read {}", directory.display()))?;
    let name = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        name.strip_suffix(".rs").map(str::to_owned)
    };
    let mut targets: Vec<String> = entries.flatten().filter_map(name).collect();
    targets.sort();
    Ok(targets)
}

/// Those that were asked for.
fn chosen(all: &[String], asked: &[String]) -> Result<Vec<String>> {
    for name in asked {
        ensure!(
            all.contains(name),
            "there is no target `{name}`: the targets are {}",
            all.join(", ")
        );
    }
    Ok(match asked {
        [] => all.to_vec(),
        _ => asked.to_vec(),
    })
}

/// Build the targets, and say where they are.
fn build(fuzz: &Path, targets: &[String]) -> Result<PathBuf> {
    let mut version = Command::new("cargo");
    version
        .args(["fuzz", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if !version.status().is_ok_and(|status| status.success()) {
        bail!("cargo-fuzz is missing: install it by `cargo install cargo-fuzz --locked`");
    }
    let mut command = Command::new("cargo");
    // Nearly all of the code is safe, so that a sanitizer would find little; overflows are checked.
    command.args(["fuzz", "build", "--sanitizer", "none", "--debug-assertions"]);
    command.args(["--codegen-units", "16"]);
    if let [one] = targets {
        command.arg(one);
    }
    // Coverage is no stable feature of the compiler.
    command
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(workspace::root());
    println!(
        "$ RUSTC_BOOTSTRAP=1 cargo fuzz build --sanitizer none --debug-assertions --codegen-units 16"
    );
    let status = command.status().context("cannot start `cargo fuzz`")?;
    ensure!(status.success(), "`cargo fuzz build` failed with {status}");
    Ok(fuzz.join("target").join(host()?).join("release"))
}

/// What the compiler calls this machine.
fn host() -> Result<String> {
    let said = workspace::output_of(&["rustc", "-vV"])?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` names no host")
}

/// Run the targets, `jobs` at a time.
fn run_all(
    fuzz: &Path,
    binaries: &Path,
    targets: &[String],
    seconds: u64,
    jobs: usize,
) -> Result<Vec<Figures>> {
    let next = Mutex::new(targets.iter());
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let target = next.lock().map(|mut next| next.next()).ok().flatten();
                let Some(target) = target else { return };
                println!("{target}: {seconds} s");
                let result = run::run(fuzz, binaries, target, seconds);
                if let Ok(mut done) = done.lock() {
                    done.push(result);
                }
            }
        };
        for _ in 0..jobs.min(targets.len()) {
            scope.spawn(work);
        }
    });
    let done = done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut results = done.into_iter().collect::<Result<Vec<Figures>>>()?;
    results.sort_by(|a, b| a.target.cmp(&b.target));
    Ok(results)
}

/// Write the record of today, with what earlier runs of the same targets added up.
fn keep(name: &str, results: &[Figures], jobs: usize) -> Result<()> {
    let mut rows = record::today_rows(name)?;
    for one in results {
        let known = rows.iter().position(|row| row["target"] == *one.target);
        let before = known.map(|known| rows.remove(known));
        rows.push(one.to_json(before.as_ref()));
    }
    rows.sort_by(|a, b| a["target"].as_str().cmp(&b["target"].as_str()));
    let path = record::write(name, &rows, jobs)?;
    println!("\nrecord: {}", path.display());
    Ok(())
}

fn print(results: &[Figures]) {
    println!(
        "\n{:<18} {:>8} {:>12} {:>9} {:>9} {:>8} {:>9}",
        "target", "seconds", "executions", "a second", "coverage", "corpus", "findings"
    );
    for one in results {
        println!(
            "{:<18} {:>8} {:>12} {:>9} {:>9} {:>8} {:>9}",
            one.target,
            one.seconds,
            one.executions,
            one.executions / one.seconds.max(1),
            one.coverage,
            one.corpus,
            u64::from(one.is_finding()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_chosen_by_name() {
        let all = ["a", "b"].map(str::to_owned);
        assert_eq!(chosen(&all, &[]).unwrap(), all);
        assert_eq!(chosen(&all, &["b".to_owned()]).unwrap(), ["b"]);
        let error = chosen(&all, &["c".to_owned()]).unwrap_err().to_string();
        assert_eq!(error, "there is no target `c`: the targets are a, b");
    }
}
