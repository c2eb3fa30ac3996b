//! The tool itself, as a program that the other commands run.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::bench::measure::Program;
use crate::bench::{self, record};
use crate::workspace;

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
    doublet: Option<PathBuf>,
}

/// A doublet that is there.
#[derive(Clone, Debug)]
pub(crate) struct Doublet {
    binary: PathBuf,
    pub(crate) version: String,
    threads: usize,
    pub(crate) memory: String,
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
        })
    }

    /// The same within another memory limit.
    pub(crate) fn limited(&self, memory: &str) -> Self {
        Self {
            memory: memory.to_owned(),
            ..self.clone()
        }
    }

    /// Where the program is.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// A run with these arguments that may use all threads and memory.
    pub(crate) fn work(&self, arguments: &[&str]) -> Program {
        let mut line = vec![self.binary.display().to_string()];
        line.extend(arguments.iter().map(|&argument| argument.to_owned()));
        line.extend(["--threads".to_owned(), self.threads.to_string()]);
        line.extend(["--memory".to_owned(), self.memory.clone()]);
        line.push("--quiet".to_owned());
        Program {
            line,
            threads: self.threads,
            folder: bench::folder(),
        }
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

fn build() -> Result<PathBuf> {
    workspace::run_command(&["cargo", "build", "--release", "--package", "doublet-cli"])?;
    Ok(workspace::root().join("target/release/doublet"))
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
