//! Parts that run beside each other: the Python package, which mostly waits for Spark, and all others.
//!
//! Each part is a process of its own, this very program with `--only PART`. Its output goes to a file, and is printed as a whole when it
//! ends, so that the parts do not mix.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};

use super::{Args, Outcome, Part, profiles};
use crate::workspace;

/// Runs the parts, and gives their outcomes in the order of the parts.
pub(super) fn run(parts: &[Part], args: &Args) -> Result<Vec<Outcome>> {
    let folder = profiles()?.join("test-output");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make the directory `{}`", folder.display()))?;
    println!(
        "running {} parts; the output of each is in {}, and is printed when it ends",
        parts.len(),
        folder.display()
    );
    let is_waiting = |part: &&Part| **part == Part::Python;
    let (waiting, computing): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(is_waiting);
    let outcomes = Mutex::new(Vec::new());
    let run_lane = |lane: Vec<&Part>| {
        for &part in lane {
            let outcome = run_part(part, args, folder.join(format!("{}.txt", part.name())));
            let mut outcomes = outcomes
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            outcomes.push((part, outcome));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| run_lane(waiting));
        run_lane(computing);
    });
    let outcomes = outcomes.into_inner();
    let mut outcomes = outcomes.unwrap_or_else(std::sync::PoisonError::into_inner);
    outcomes.sort_by_key(|(part, _)| parts.iter().position(|other| other == part));
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

/// Runs a part, and prints what it printed.
fn run_part(part: Part, args: &Args, path: PathBuf) -> Outcome {
    println!("== {} begins", part.name());
    let start = Instant::now();
    let error = execute(part, args, &path).err();
    let output = std::fs::read(&path).unwrap_or_default();
    let result = if error.is_some() { "FAILED" } else { "passed" };
    // In one piece: another part may end at the same time.
    println!(
        "{}== {} {result}",
        String::from_utf8_lossy(&output),
        part.name()
    );
    Outcome {
        name: part.name(),
        time: start.elapsed(),
        error,
    }
}

fn execute(part: Part, args: &Args, path: &PathBuf) -> Result<()> {
    let output =
        File::create(path).with_context(|| format!("cannot write `{}`", path.display()))?;
    let errors = output
        .try_clone()
        .context("cannot duplicate the handle of the output file")?;
    let xtask = std::env::current_exe().context("cannot find the running program")?;
    let options = [("--install", args.install), ("--release", args.release)];
    let options = options.into_iter().filter(|(_, given)| *given);
    let status = Command::new(xtask)
        .args(["test", "--only", part.name()])
        .args(options.map(|(option, _)| option))
        .current_dir(workspace::root())
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .status()
        .context("cannot run a part of the tests")?;
    match status.success() {
        true => Ok(()),
        false => Err(anyhow!("see its output above, or `{}`", path.display())),
    }
}
