//! The tools we compare with, in a Python environment of their own.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use super::measure::Program;
use crate::workspace;

const SCRIPTS: &str = "benchmarks/peers";

/// A tool to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Peer {
    Rensa,
    Gaoya,
    Datasketch,
    /// Cutting Chinese into words and nothing else, the least that any method has to do
    JiebaCut,
}

impl Peer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rensa => "rensa",
            Self::Gaoya => "gaoya",
            Self::Datasketch => "datasketch",
            Self::JiebaCut => "jieba-cut",
        }
    }

    /// The largest collection it is run on unless asked: beyond, a run takes many minutes.
    pub(crate) fn most_documents(self) -> usize {
        match self {
            Self::Rensa | Self::Gaoya | Self::JiebaCut => usize::MAX,
            Self::Datasketch => 100_000,
        }
    }

    /// Whether it looks for pairs, which the scripts in Python do.
    pub(crate) fn finds_pairs(self) -> bool {
        self != Self::JiebaCut
    }

    /// The run on a corpus; a script writes `a<TAB>b` lines to `output`.
    pub(crate) fn script(
        self,
        python: &Path,
        corpus: &Path,
        output: &Path,
        threshold: f64,
        threads: usize,
    ) -> Program {
        let script = workspace::root()
            .join(SCRIPTS)
            .join(format!("{}_run.py", self.name()));
        let line = vec![
            python.display().to_string(),
            script.display().to_string(),
            corpus.display().to_string(),
            output.display().to_string(),
            threshold.to_string(),
            threads.to_string(),
        ];
        Program {
            line,
            threads,
            folder: workspace::root(),
        }
    }

    /// The version pinned in the requirements, or locked.
    pub(crate) fn version(self) -> Result<String> {
        if self == Self::JiebaCut {
            return locked_version("jieba-rs");
        }
        let pins = std::fs::read_to_string(requirements())?;
        let version = pins
            .lines()
            .filter_map(|line| line.split_once("=="))
            .find(|(name, _)| *name == self.name());
        let (_, version) = version.with_context(|| format!("{} is not pinned", self.name()))?;
        Ok(version.trim().to_owned())
    }
}

/// The version of a crate by the workspace's lock file.
fn locked_version(name: &str) -> Result<String> {
    let lock = std::fs::read_to_string(workspace::root().join("Cargo.lock"))?;
    let mut lines = lock.lines();
    let header = format!("name = \"{name}\"");
    lines
        .find(|line| **line == header)
        .and_then(|_| lines.next()?.strip_prefix("version = "))
        .map(|version| version.trim_matches('"').to_owned())
        .with_context(|| format!("`{name}` is not in Cargo.lock"))
}

fn requirements() -> PathBuf {
    workspace::root().join(SCRIPTS).join("requirements.txt")
}

/// Make the environment if it is missing, install what is pinned, and give its Python.
pub(crate) fn environment(folder: &Path) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    if !python.exists() {
        run("python3", &["-m", "venv", &folder.display().to_string()])?;
    }
    let pins = requirements().display().to_string();
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
        &pins,
    ];
    run(&python.display().to_string(), &install)?;
    Ok(python)
}

fn run(program: &str, arguments: &[&str]) -> Result<()> {
    println!("$ {program} {}", arguments.join(" "));
    let status = Command::new(program).args(arguments).status();
    let status = status.with_context(|| format!("cannot start `{program}`"))?;
    ensure!(status.success(), "`{program}` failed with {status}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_has_a_version() {
        for peer in Peer::value_variants() {
            let version = peer.version().expect("a version");
            assert!(version.starts_with(|c: char| c.is_ascii_digit()));
        }
    }
}
