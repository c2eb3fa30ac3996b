//! What a program uses: wall time, processor time, peak memory.
//!
//! The system adds up usage over all children a process has waited for, so each program gets a process
//! of its own for a parent: this very binary, as `xtask measure`, which starts it, waits, asks for
//! the usage of its children (`getrusage`), and prints one line of JSON. Processor time is user and
//! system time of the program and of every process that it waited for. Peak memory is the largest
//! resident size that any *one* of those processes reached.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::{Value, json};

/// The hidden command's arguments.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<String>,
}

/// What one run used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) wall_seconds: f64,
    pub(crate) cpu_seconds: f64,
    pub(crate) peak_bytes: u64,
}

impl Usage {
    /// The median of each figure over some runs.
    pub(crate) fn median(runs: &[Self]) -> Result<Self> {
        let of = |figure: fn(&Self) -> f64| median(runs.iter().map(figure).collect());
        Ok(Self {
            wall_seconds: of(|run| run.wall_seconds)?,
            cpu_seconds: of(|run| run.cpu_seconds)?,
            peak_bytes: of(|run| run.peak_bytes as f64)? as u64,
        })
    }

    /// How many cores were busy on average.
    pub(crate) fn busy_cores(&self) -> f64 {
        self.cpu_seconds / self.wall_seconds
    }

    pub(crate) fn to_json(self) -> Value {
        json!({
            "wall_seconds": round(self.wall_seconds),
            "cpu_seconds": round(self.cpu_seconds),
            "peak_bytes": self.peak_bytes,
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            wall_seconds: value["wall_seconds"].as_f64()?,
            cpu_seconds: value["cpu_seconds"].as_f64()?,
            peak_bytes: value["peak_bytes"].as_u64()?,
        })
    }
}

fn round(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// The middle one, or the mean of the two in the middle.
pub(crate) fn median(mut figures: Vec<f64>) -> Result<f64> {
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    let upper = *figures.get(middle).context("no run to take a median of")?;
    let lower = figures[(figures.len() - 1) / 2];
    Ok(f64::midpoint(lower, upper))
}

/// A program to measure.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) line: Vec<String>,
    pub(crate) threads: usize,
    /// Where it runs.
    pub(crate) folder: PathBuf,
}

impl Program {
    /// Run it once, through a process of its own.
    pub(crate) fn measure(&self) -> Result<Usage> {
        let xtask = std::env::current_exe().context("cannot find the running program")?;
        let output = Command::new(xtask)
            .args(["measure", "--"])
            .args(&self.line)
            .current_dir(&self.folder)
            .env("RAYON_NUM_THREADS", self.threads.to_string())
            .env("OMP_NUM_THREADS", self.threads.to_string())
            .stderr(Stdio::inherit())
            .output()?;
        ensure!(
            output.status.success(),
            "`{}` failed with {}",
            self.line.join(" "),
            output.status
        );
        let value: Value = serde_json::from_slice(&output.stdout)?;
        Usage::from_json(&value).context("a measurement without figures")
    }
}

/// The hidden command: run the program, print its usage.
pub(crate) fn run(args: &Args) -> Result<()> {
    let (program, arguments) = args.command.split_first().context("an empty command")?;
    let start = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{program}`"))?;
    let wall_seconds = start.elapsed().as_secs_f64();
    ensure!(status.success(), "`{program}` failed with {status}");
    let used = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let cpu = used.user_time() + used.system_time();
    let usage = Usage {
        wall_seconds,
        cpu_seconds: cpu.num_microseconds() as f64 / 1e6,
        // Linux counts in kilobytes.
        peak_bytes: used.max_rss() as u64 * 1024,
    };
    writeln!(std::io::stdout(), "{}", usage.to_json())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]).expect("figures"), 2.0);
        assert_eq!(median(vec![4.0, 1.0]).expect("figures"), 2.5);
        assert!(median(Vec::new()).is_err());
    }
}
