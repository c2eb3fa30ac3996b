//! The tools we compare with, in Python environments of their own.

use std::collections::BTreeMap;
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
    TextDedup,
    Datatrove,
    /// Cutting Chinese into words and nothing else, the least that any method has to do
    JiebaCut,
}

/// A Python for each environment, by its name.
pub(crate) type Pythons = BTreeMap<&'static str, PathBuf>;

impl Peer {
    /// Those of the whole side by side.
    pub(crate) const ALL: [Self; 5] = [
        Self::Rensa,
        Self::Gaoya,
        Self::Datasketch,
        Self::TextDedup,
        Self::Datatrove,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rensa => "rensa",
            Self::Gaoya => "gaoya",
            Self::Datasketch => "datasketch",
            Self::TextDedup => "text-dedup",
            Self::Datatrove => "datatrove",
            Self::JiebaCut => "jieba-cut",
        }
    }

    /// The environment it runs in: one of its own if it asks for other versions than the rest.
    pub(crate) fn environment(self) -> &'static str {
        match self {
            Self::TextDedup => "venv-text-dedup",
            Self::Datatrove => "venv-datatrove",
            Self::Rensa | Self::Gaoya | Self::Datasketch | Self::JiebaCut => "venv",
        }
    }

    /// How it cuts a text into words, as `own_words.py` calls it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Gaoya | Self::TextDedup | Self::Datatrove => self.name(),
            Self::Rensa | Self::Datasketch | Self::JiebaCut => "spaces",
        }
    }

    /// Whether it looks for pairs, which the scripts in Python do.
    pub(crate) fn finds_pairs(self) -> bool {
        self != Self::JiebaCut
    }

    /// The run on a corpus; a script writes `a<TAB>b<TAB>score` lines to `output`.
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
            .join(format!("{}_run.py", self.name().replace('-', "_")));
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
        let pins = std::fs::read_to_string(requirements(self.environment()))?;
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

fn requirements(environment: &str) -> PathBuf {
    let name = environment.replacen("venv", "requirements", 1) + ".txt";
    workspace::root().join(SCRIPTS).join(name)
}

/// The script that writes a corpus in a peer's own words.
pub(crate) fn own_words(python: &Path, how: &str, corpus: &Path, output: &Path) -> Result<()> {
    let script = workspace::root().join(SCRIPTS).join("own_words.py");
    let [script, corpus, output] =
        [&script, corpus, output].map(|path: &Path| path.display().to_string());
    run(
        &python.display().to_string(),
        &[&script, how, &corpus, &output],
    )
}

/// Make the environments of some peers if they are missing, install what is pinned, and give their Pythons.
pub(crate) fn environments(folder: &Path, peers: &[Peer]) -> Result<Pythons> {
    let mut pythons = Pythons::new();
    for name in peers.iter().map(|peer| peer.environment()) {
        if !pythons.contains_key(name) {
            pythons.insert(name, environment(&folder.join(name), &requirements(name))?);
        }
    }
    Ok(pythons)
}

fn environment(folder: &Path, pins: &Path) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    if !python.exists() {
        run("python3", &["-m", "venv", &folder.display().to_string()])?;
    }
    let pins = pins.display().to_string();
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

    #[test]
    fn whatever_is_required_is_pinned() {
        for peer in Peer::ALL {
            let path = requirements(peer.environment());
            let text = std::fs::read_to_string(&path).expect("requirements");
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            for line in lines {
                let (name, version) = line.split_once("==").expect("a pin");
                assert!(
                    !name.is_empty() && !version.contains(['*', ',', ' ']),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn every_peer_has_a_script() {
        for peer in Peer::ALL {
            let nowhere = Path::new("");
            let program = peer.script(nowhere, nowhere, nowhere, 0.7, 2);
            assert!(Path::new(&program.line[1]).exists(), "{:?}", program.line);
        }
    }
}
