//! What a program uses: wall time, processor time, peak memory.
//!
//! The system adds up usage over all children a process has waited for, so each program gets a process
//! of its own for a parent: this very binary, as `xtask measure`, which starts it, waits, asks for
//! the usage of its children (`getrusage`), and prints one line of JSON. Processor time is user and
//! system time of the program and of every process that it or one of those started. Peak memory is the larger of two figures: the largest
//! resident size that any *one* of those processes reached, and the most that all of them were seen to take together (see `tree`).

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::{Value, json};

use super::tree::{self, Watch};

/// The hidden command's arguments.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Stop it after so many seconds
    #[arg(long)]
    limit: Option<f64>,
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

    /// The least of each figure, and the most.
    pub(crate) fn spread(runs: &[Self]) -> Option<(Self, Self)> {
        let fold = |of: fn(f64, f64) -> f64, pick: fn(u64, u64) -> u64| {
            runs.iter().copied().reduce(|a, b| Self {
                wall_seconds: of(a.wall_seconds, b.wall_seconds),
                cpu_seconds: of(a.cpu_seconds, b.cpu_seconds),
                peak_bytes: pick(a.peak_bytes, b.peak_bytes),
            })
        };
        fold(f64::min, u64::min).zip(fold(f64::max, u64::max))
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

/// How a run ended.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Used(Usage),
    /// It was stopped at the limit.
    OverLimit,
    /// It ended with another status than 0, and what it used.
    Ended(i32, Usage),
    /// It failed, and how.
    Failed(String),
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
    /// Run it once, through a process of its own; it has to succeed.
    pub(crate) fn measure(&self) -> Result<Usage> {
        match self.attempt(None)? {
            Outcome::Used(usage) => Ok(usage),
            Outcome::OverLimit => bail!("stopped without a limit"),
            Outcome::Ended(status, _) => bail!(self.ended(status)),
            Outcome::Failed(reason) => bail!(reason),
        }
    }

    /// Run it once; stop it if it takes longer than the limit.
    pub(crate) fn attempt(&self, limit: Option<Duration>) -> Result<Outcome> {
        let xtask = std::env::current_exe().context("cannot find the running program")?;
        let mut command = Command::new(xtask);
        command.arg("measure");
        if let Some(limit) = limit {
            command.args(["--limit", &limit.as_secs_f64().to_string()]);
        }
        let output = command
            .arg("--")
            .args(&self.line)
            .current_dir(&self.folder)
            .env("RAYON_NUM_THREADS", self.threads.to_string())
            .env("OMP_NUM_THREADS", self.threads.to_string())
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            let line = self.line.join(" ");
            return Ok(Outcome::Failed(format!(
                "`{line}` failed with {}",
                output.status
            )));
        }
        let value: Value = serde_json::from_slice(&output.stdout)?;
        if value["over_limit"] == true {
            return Ok(Outcome::OverLimit);
        }
        let usage = Usage::from_json(&value).context("a measurement without figures")?;
        Ok(match value["status"].as_i64() {
            Some(status) => Outcome::Ended(status as i32, usage),
            None => Outcome::Used(usage),
        })
    }

    /// What is said of a program that ended with another status than 0.
    pub(crate) fn ended(&self, status: i32) -> String {
        format!("`{}` ended with status {status}", self.line.join(" "))
    }
}

/// The hidden command: run the program, print its usage.
pub(crate) fn run(args: &Args) -> Result<()> {
    let (program, arguments) = args.command.split_first().context("an empty command")?;
    tree::adopt_orphans()?;
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start `{program}`"))?;
    let watch = Watch::start(args.limit.map(Duration::from_secs_f64));
    let (status, end) = tree::wait(&mut child)?;
    let seen = watch.finish()?;
    if seen.is_over {
        writeln!(std::io::stdout(), "{}", json!({"over_limit": true}))?;
        return Ok(());
    }
    let status = status.code();
    ensure!(status.is_some(), "`{program}` was ended by a signal");
    let used = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let cpu = used.user_time() + used.system_time();
    // Linux counts in kilobytes.
    let largest = used.max_rss() as u64 * 1024;
    let usage = Usage {
        wall_seconds: (end - start).as_secs_f64(),
        cpu_seconds: cpu.num_microseconds() as f64 / 1e6,
        peak_bytes: largest.max(seen.peak_bytes),
    };
    let mut told = usage.to_json();
    if let Some(status) = status.filter(|status| *status != 0) {
        told["status"] = json!(status);
    }
    writeln!(std::io::stdout(), "{told}")?;
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

    #[test]
    fn the_spread_is_that_of_each_figure() {
        let usage = |wall_seconds, cpu_seconds, peak_bytes| Usage {
            wall_seconds,
            cpu_seconds,
            peak_bytes,
        };
        let runs = [usage(1.0, 5.0, 7), usage(2.0, 4.0, 9), usage(3.0, 6.0, 8)];
        let (least, most) = Usage::spread(&runs).expect("runs");
        assert_eq!((least.wall_seconds, most.wall_seconds), (1.0, 3.0));
        assert_eq!((least.cpu_seconds, most.cpu_seconds), (4.0, 6.0));
        assert_eq!((least.peak_bytes, most.peak_bytes), (7, 9));
        assert!(Usage::spread(&[]).is_none());
    }
}
