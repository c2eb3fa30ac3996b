//! The tool itself, as a program that the other commands run.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::bench::measure::{Program, Usage};
use crate::bench::record;
use crate::workspace;

/// Where collections are made and answers written unless another is given.
const FOLDER: &str = "target/bench";
/// The profile of what is published and measured.
pub(crate) const PROFILE: &str = "dist";
/// The memory limit unless another is given.
pub(crate) const MEMORY: &str = "8G";

/// How to run it.
#[derive(clap::Args, Clone, Debug)]
#[group(id = "tool")]
pub(crate) struct Args {
    /// Threads for every tool that can use them
    #[arg(long, default_value_t = 2)]
    pub(crate) threads: usize,
    /// doublet's memory limit [default: 8G]; `bench --method minhash` adds a run within it to those within 8G
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
    /// A doublet to use instead of building one
    #[arg(long, value_name = "PATH")]
    pub(crate) doublet: Option<PathBuf>,
    /// Where collections are made and answers written [default: target/bench]
    #[arg(long, value_name = "DIR")]
    pub(crate) work: Option<PathBuf>,
}

impl Args {
    /// The folder for everything that is made on the way, which is there then.
    pub(crate) fn folder(&self) -> Result<PathBuf> {
        let given = self.work.as_deref().unwrap_or(Path::new(FOLDER));
        let folder = workspace::root().join(given);
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make `{}`", folder.display()))?;
        Ok(folder)
    }
}

/// A doublet that is there.
#[derive(Clone, Debug)]
pub(crate) struct Doublet {
    binary: PathBuf,
    pub(crate) version: String,
    threads: usize,
    pub(crate) memory: String,
    /// Where it runs.
    folder: PathBuf,
}

impl Doublet {
    /// The one given, or one that is built now.
    pub(crate) fn find(args: &Args) -> Result<Self> {
        let binary = match &args.doublet {
            Some(path) => path
                .canonicalize()
                .with_context(|| format!("`{}` does not exist", path.display()))?,
            None => build()?,
        };
        let version = record::first_line(&binary.display().to_string(), &["--version"]);
        Ok(Self {
            binary,
            version: version
                .unwrap_or_default()
                .replace("doublet", "")
                .trim()
                .to_owned(),
            threads: args.threads,
            memory: args.memory.clone().unwrap_or_else(|| MEMORY.to_owned()),
            folder: args.folder()?,
        })
    }

    /// The same within another memory limit.
    pub(crate) fn limited(&self, memory: &str) -> Self {
        Self {
            memory: memory.to_owned(),
            ..self.clone()
        }
    }

    /// The same on other threads.
    pub(crate) fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Where the program is.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// A run with these arguments and no others.
    pub(crate) fn bare(&self, arguments: &[&str]) -> Program {
        let mut line = vec![self.binary.display().to_string()];
        line.extend(arguments.iter().map(|&argument| argument.to_owned()));
        Program {
            line,
            threads: self.threads,
            folder: self.folder.clone(),
        }
    }

    /// A run with these arguments that may use all threads and memory.
    pub(crate) fn work(&self, arguments: &[&str]) -> Program {
        let threads = self.threads.to_string();
        let resources = ["--threads", &threads, "--memory", &self.memory, "--quiet"];
        self.bare(&[arguments, &resources].concat())
    }

    /// A run of a command that reads `corpus` and writes `output`.
    pub(crate) fn program(
        &self,
        command: &str,
        corpus: &Path,
        output: &Path,
        options: &[&str],
    ) -> Program {
        let (corpus, output) = (corpus.display().to_string(), output.display().to_string());
        let arguments = [&[command, &corpus], options, &["-o", &output]].concat();
        self.work(&arguments)
    }
}

/// What a run of `dedup` used and counted.
pub(crate) struct Deduped {
    pub(crate) usage: Usage,
    /// Its `summary.json`.
    pub(crate) summary: Value,
}

impl Deduped {
    /// A count of the summary.
    pub(crate) fn count(&self, field: &str) -> Result<u64> {
        let count = self.summary[field].as_u64();
        count.with_context(|| format!("summary.json has no `{field}`"))
    }
}

impl Doublet {
    /// `dedup --dry-run` of a collection into a folder, which is emptied before.
    pub(crate) fn dedup(&self, corpus: &Path, output: &Path, options: &[&str]) -> Result<Deduped> {
        clear(output)?;
        let options = [options, &["--dry-run"]].concat();
        let usage = self.program("dedup", corpus, output, &options).measure()?;
        Ok(Deduped {
            usage,
            summary: summary(output)?,
        })
    }
}

/// The bytes of a limit such as `512M` or `8G`.
fn bytes_of(limit: &str) -> Result<u64> {
    let (number, scale) = match limit.char_indices().next_back() {
        Some((at, 'K')) => (&limit[..at], 1 << 10),
        Some((at, 'M')) => (&limit[..at], 1 << 20),
        Some((at, 'G')) => (&limit[..at], 1 << 30),
        _ => (limit, 1),
    };
    let number: u64 = number
        .parse()
        .with_context(|| format!("`{limit}` is no size such as 512M or 8G"))?;
    Ok(number * scale)
}

/// The most memory that a run within a limit may take: a fifth and 100 MB above it.
pub(crate) fn most_bytes(limit: &str) -> Result<u64> {
    let bytes = bytes_of(limit)?;
    Ok(bytes + bytes / 5 + 100_000_000)
}

pub(crate) fn build() -> Result<PathBuf> {
    let line = [
        "cargo",
        "build",
        "--profile",
        PROFILE,
        "--package",
        "doublet-cli",
    ];
    workspace::run_command(&line)?;
    Ok(workspace::root()
        .join("target")
        .join(PROFILE)
        .join("doublet"))
}

/// Remove what a run wrote, file or folder: `dedup` writes into empty folders only.
pub(crate) fn clear(output: &Path) -> Result<()> {
    let removed = if output.is_dir() {
        std::fs::remove_dir_all(output)
    } else {
        std::fs::remove_file(output)
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove `{}`", output.display()))
        }
        _ => Ok(()),
    }
}

/// The counts that `dedup` left in its folder.
pub(crate) fn summary(output: &Path) -> Result<Value> {
    let path = output.join("summary.json");
    let text = std::fs::read(&path)
        .with_context(|| format!("`doublet dedup` wrote no `{}`", path.display()))?;
    Ok(serde_json::from_slice(&text)?)
}
