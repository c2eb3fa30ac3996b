//! The contenders on one collection, run in rounds.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::check::Findings;
use super::contender::{self, Contender};
use super::judge;
use super::measure::{Outcome, Program, Usage};
use super::peers::{Peer, Pythons};
use super::record::{Collection, Row};
use crate::doublet::{self, Doublet};

/// A peer whose first run takes longer is run once.
pub(crate) const SLOW: Duration = Duration::from_secs(120);

/// How contenders are run and judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// Runs of each.
    pub(crate) runs: usize,
    pub(crate) threads: usize,
    /// The threshold of shingles, of sketches and of the peers.
    pub(crate) threshold: f64,
    /// Whether every proposed pair is computed again.
    pub(crate) check: bool,
    /// How long a run of a peer may take.
    pub(crate) limit: Duration,
    /// Whether to look if a tool gives the same answer in every run.
    pub(crate) compare_answers: bool,
}

/// A contender on a collection, as a program with an output.
pub(super) struct Entry {
    pub(super) contender: Contender,
    program: Program,
    pub(super) output: PathBuf,
    pub(super) runs: Vec<Usage>,
    /// A hash of each run's answer.
    pub(super) answers: Vec<u64>,
    /// Why a peer has no answer.
    pub(super) stopped: Option<String>,
    /// doublet's memory limit.
    pub(super) memory: Option<String>,
}

/// What is needed to start the contenders.
pub(crate) struct Tools {
    pub(crate) doublet: Option<Doublet>,
    pub(crate) pythons: Pythons,
    /// Where answers go.
    pub(crate) folder: PathBuf,
}

/// Every contender on one collection: the rows, and what is wrong with doublet's answers.
pub(crate) fn measure(
    setting: &Setting,
    tools: &Tools,
    contenders: &[Contender],
    collection: &Collection,
) -> Result<(Vec<Row>, Vec<Findings>)> {
    println!(
        "{} documents, {} words",
        collection.documents, collection.words
    );
    let mut entries = run(setting, tools, contenders, collection)?;
    for entry in &entries {
        if let Some(reason) = &entry.stopped {
            println!("  {}: no row, {reason}", entry.contender.label());
        }
    }
    entries.retain(|entry| entry.stopped.is_none());
    judge::judge(setting, tools, collection, &entries)
}

/// Run every contender on one collection.
pub(super) fn run(
    setting: &Setting,
    tools: &Tools,
    contenders: &[Contender],
    collection: &Collection,
) -> Result<Vec<Entry>> {
    let entries = contenders.iter();
    let entries = entries.map(|contender| entry(setting, tools, contender, collection));
    let mut entries = entries.collect::<Result<Vec<Entry>>>()?;
    // Rounds rather than blocks: a busy moment of the machine does not hit one tool only.
    for round in 1..=setting.runs {
        for entry in entries.iter_mut().filter(|entry| !entry.is_done()) {
            entry.run(setting, round)?;
        }
    }
    Ok(entries)
}

impl Entry {
    /// Whether it is not run again: it was stopped, or takes too long to be.
    fn is_done(&self) -> bool {
        let first = self.runs.first();
        let is_slow = first.is_some_and(|run| run.wall_seconds > SLOW.as_secs_f64());
        self.stopped.is_some() || !self.contender.is_doublet() && is_slow
    }

    fn run(&mut self, setting: &Setting, round: usize) -> Result<()> {
        doublet::clear(&self.output)?;
        let name = self.contender.label();
        let is_peer = !self.contender.is_doublet();
        let limit = is_peer.then_some(setting.limit);
        let outcome = match self.program.attempt(limit)? {
            Outcome::Ended(status, _) => Outcome::Failed(self.program.ended(status)),
            other => other,
        };
        let usage = match outcome {
            Outcome::Used(usage) | Outcome::Ended(_, usage) => usage,
            Outcome::Failed(reason) if !is_peer => bail!(reason),
            Outcome::Failed(reason) => {
                println!("  {reason}");
                return self.stop(round, "failed");
            }
            Outcome::OverLimit => return self.stop(round, &over(setting.limit)),
        };
        println!(
            "  run {round}: {name} {:.2} s wall, {:.2} s CPU",
            usage.wall_seconds, usage.cpu_seconds
        );
        self.runs.push(usage);
        if setting.compare_answers {
            self.answers.push(hash(&self.output)?);
        }
        Ok(())
    }

    /// Half an answer is none; nor is what a script left on its way.
    fn stop(&mut self, round: usize, reason: &str) -> Result<()> {
        println!("  run {round}: {} {reason}", self.contender.label());
        doublet::clear(&self.output)?;
        doublet::clear(&self.output.with_added_extension("work"))?;
        self.runs.clear();
        self.stopped = Some(reason.to_owned());
        Ok(())
    }
}

fn hash(path: &Path) -> Result<u64> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    Ok(hasher.finish())
}

/// What is said of a run that took too long.
pub(crate) fn over(limit: Duration) -> String {
    format!("over {} min", (limit.as_secs_f64() / 6.0).round() / 10.0)
}

fn entry(
    setting: &Setting,
    tools: &Tools,
    contender: &Contender,
    collection: &Collection,
) -> Result<Entry> {
    let output = tools.folder.join(contender.output());
    let corpus = &collection.path;
    let (threshold, threads) = (setting.threshold, setting.threads);
    let mut memory = None;
    let program = match contender {
        Contender::Peer(Peer::JiebaCut) => contender::segmentation(corpus, threads)?,
        Contender::Peer(peer) => {
            let python = tools.pythons.get(peer.environment()).context("no Python")?;
            peer.script(python, corpus, &output, threshold, threads)
        }
        _ => {
            let (command, options) = contender.arguments();
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            let doublet = tools.doublet.as_ref().context("no doublet")?;
            let doublet = match contender.memory() {
                Some(limit) => &doublet.limited(limit),
                None => doublet,
            };
            memory = Some(doublet.memory.clone());
            doublet.program(command, corpus, &output, &options)
        }
    };
    Ok(Entry {
        contender: contender.clone(),
        program,
        output,
        runs: Vec::new(),
        answers: Vec::new(),
        stopped: None,
        memory,
    })
}
