//! doublet run on a collection, and the pairs it found.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use super::texts::Texts;
use crate::doublet::{self, Doublet};

/// Two texts by number, the smaller first, and their score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) score: f64,
}

impl Pair {
    pub(crate) fn new(a: u32, b: u32, score: f64) -> Self {
        Self {
            a: a.min(b),
            b: a.max(b),
            score,
        }
    }

    pub(crate) fn key(&self) -> (u32, u32) {
        (self.a, self.b)
    }
}

/// What a run found and what it took.
pub(crate) struct Answer {
    pub(crate) pairs: Vec<Pair>,
    /// Comparisons made, and spared by transitivity.
    pub(crate) comparisons: u64,
    pub(crate) saved: u64,
    pub(crate) clusters: u64,
    pub(crate) wall_seconds: f64,
}

/// Runs doublet.
pub(crate) struct Finder {
    doublet: Doublet,
    /// Where it writes.
    output: PathBuf,
}

impl Finder {
    pub(crate) fn new(args: &doublet::Args) -> Result<Self> {
        Ok(Self {
            doublet: Doublet::find(args)?,
            output: args.folder()?.join("terms-figures.out"),
        })
    }

    /// `doublet dedup --method terms --dry-run` with these options.
    pub(crate) fn dedup(&self, texts: &Texts, options: &[&str]) -> Result<Answer> {
        let options = [&["--method", "terms"], options].concat();
        println!("  dedup {}: {}", options.join(" "), texts.name);
        let run = self.doublet.dedup(&texts.path, &self.output, &options)?;
        let answer = Answer {
            pairs: read_pairs(&self.output.join("pairs.jsonl"), texts)?,
            comparisons: run.count("verifications")?,
            saved: run.count("comparisons_saved")?,
            clusters: run.count("clusters")?,
            wall_seconds: run.usage.wall_seconds,
        };
        doublet::clear(&self.output)?;
        Ok(answer)
    }

    /// `doublet pairs --method terms` with these options.
    pub(crate) fn pairs(&self, texts: &Texts, options: &[&str]) -> Result<Vec<Pair>> {
        let options = [&["--method", "terms"], options].concat();
        println!("  pairs {}: {}", options.join(" "), texts.name);
        let output = self.output.with_extension("jsonl");
        let program = self
            .doublet
            .program("pairs", &texts.path, &output, &options);
        program.measure()?;
        let pairs = read_pairs(&output, texts)?;
        doublet::clear(&output)?;
        Ok(pairs)
    }
}

pub(crate) fn read_pairs(path: &Path, texts: &Texts) -> Result<Vec<Pair>> {
    let file = File::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let mut pairs = Vec::new();
    for (number, line) in BufReader::with_capacity(1 << 20, file).lines().enumerate() {
        let pair = parse_pair(&line?, texts);
        let pair =
            pair.with_context(|| format!("`{}`, line {}: no pair", path.display(), number + 1));
        pairs.push(pair?);
    }
    Ok(pairs)
}

fn parse_pair(line: &str, texts: &Texts) -> Option<Pair> {
    let row: Value = serde_json::from_str(line).ok()?;
    let text = |field: &str| texts.number(row[field].as_str()?);
    Some(Pair::new(text("a")?, text("b")?, row["score"].as_f64()?))
}
