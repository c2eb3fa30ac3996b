//! The contenders on one collection, run in rounds.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::check::Findings;
use super::contender::{self, Contender};
use super::measure::{Program, Usage};
use super::peers::Peer;
use super::record::{Collection, Row};
use super::{folder, judge};
use crate::doublet::{self, Doublet};

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
    /// Whether slow peers run on large collections too.
    pub(crate) slow_peers: bool,
}

/// A contender on a collection, as a program with an output.
pub(super) struct Entry {
    pub(super) contender: Contender,
    program: Program,
    pub(super) output: PathBuf,
    pub(super) runs: Vec<Usage>,
    /// doublet's memory limit.
    pub(super) memory: Option<String>,
}

/// What is needed to start the contenders.
pub(crate) struct Tools {
    pub(crate) doublet: Option<Doublet>,
    pub(crate) python: Option<PathBuf>,
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
    let mut entries = Vec::new();
    for contender in contenders {
        if setting.slow_peers || !is_too_slow(contender, collection) {
            entries.push(entry(setting, tools, contender, collection)?);
        }
    }
    // Rounds rather than blocks: a busy moment of the machine does not hit one tool only.
    for round in 1..=setting.runs {
        for entry in &mut entries {
            doublet::clear(&entry.output)?;
            let usage = entry.program.measure()?;
            let (name, wall) = (entry.contender.label(), usage.wall_seconds);
            println!(
                "  run {round}: {name} {wall:.2} s wall, {:.2} s CPU",
                usage.cpu_seconds
            );
            entry.runs.push(usage);
        }
    }
    judge::judge(setting, tools, collection, &entries)
}

fn is_too_slow(contender: &Contender, collection: &Collection) -> bool {
    match contender {
        Contender::Peer(peer) => collection.documents > peer.most_documents(),
        _ => false,
    }
}

fn entry(
    setting: &Setting,
    tools: &Tools,
    contender: &Contender,
    collection: &Collection,
) -> Result<Entry> {
    let output = folder().join(contender.output());
    let corpus = &collection.path;
    let (threshold, threads) = (setting.threshold, setting.threads);
    let mut memory = None;
    let program = match contender {
        Contender::Peer(Peer::JiebaCut) => contender::segmentation(corpus, threads)?,
        Contender::Peer(peer) => {
            let python = tools.python.as_ref().context("no Python")?;
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
        memory,
    })
}
