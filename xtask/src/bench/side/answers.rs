//! How right each answer is: against doublet's complete join, and against the same join over a peer's own words.
//!
//! Peers cut texts in their own ways, so a pair that doublet has and a peer has not may be a matter of opinion. A collection written again
//! in the words of a peer (`own_words.py`) and joined completely says what the peer should have found by its own lights.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::super::contender::{Contender, Method};
use super::super::judge;
use super::super::measure::Usage;
use super::super::pairs::{self, Pairs, Quality};
use super::super::peers::{self, Peer};
use super::super::rounds::{Entry, Setting, Tools};
use super::texts::{self, Text};
use crate::doublet;

/// Larger collections are not written again: it takes minutes, and generated ones are alike in all sizes.
const MOST_DOCUMENTS: usize = 200_000;

/// A row for each contender; an error if `minhash` has a pair that the complete join has not.
pub(super) fn rows(
    setting: &Setting,
    tools: &Tools,
    text: &Text,
    entries: &[Entry],
) -> Result<Vec<Value>> {
    let is_exact = |entry: &&Entry| entry.contender.method() == Some(Method::Shingles);
    let exact = entries.iter().find(is_exact).context("no exact answer")?;
    let exact = pairs::read_jsonl(&exact.output)?;
    let own = own_answers(setting, tools, text, entries)?;
    let row = |entry: &Entry| {
        let answer = answer(entry)?;
        if entry.contender.method() == Some(Method::Minhash) {
            let answer = answer.as_ref().context("minhash has no answer")?;
            let findings = judge::report_sketched("minhash", answer, &exact);
            ensure!(findings.is_clean(), "minhash has wrong pairs, see above");
        }
        row(setting, tools, text, entry, answer.as_ref(), &exact, &own)
    };
    entries.iter().map(row).collect()
}

fn answer(entry: &Entry) -> Result<Option<Pairs>> {
    match &entry.contender {
        _ if entry.stopped.is_some() => Ok(None),
        Contender::Peer(_) => pairs::read_tsv(&entry.output).map(Some),
        _ => pairs::read_jsonl(&entry.output).map(Some),
    }
}

/// The exact answers by the words of the peers, by the name of the words.
fn own_answers(
    setting: &Setting,
    tools: &Tools,
    text: &Text,
    entries: &[Entry],
) -> Result<BTreeMap<&'static str, Pairs>> {
    let mut answers = BTreeMap::new();
    if text.collection.documents > MOST_DOCUMENTS {
        return Ok(answers);
    }
    for entry in entries.iter().filter(|entry| entry.stopped.is_none()) {
        if let Contender::Peer(peer) = entry.contender
            && !answers.contains_key(peer.words())
        {
            answers.insert(peer.words(), own_answer(setting, tools, text, peer)?);
        }
    }
    Ok(answers)
}

fn own_answer(setting: &Setting, tools: &Tools, text: &Text, peer: Peer) -> Result<Pairs> {
    let python = tools.pythons.get(peer.environment()).context("no Python")?;
    let corpus = &text.collection.path;
    let words = tools
        .folder
        .join(format!("{}.{}.jsonl", text.name, peer.words()));
    if !texts::is_newer(&words, std::slice::from_ref(corpus)) {
        peers::own_words(python, peer.words(), corpus, &words)?;
    }
    let output = tools
        .folder
        .join(format!("pairs-own-{}.jsonl", peer.words()));
    complete(setting, tools, &words, &output)?;
    pairs::read_jsonl(&output)
}

/// doublet's complete join.
fn complete(setting: &Setting, tools: &Tools, corpus: &Path, output: &Path) -> Result<()> {
    let contender = Contender::Shingles {
        metric: "resemblance".to_owned(),
        threshold: setting.threshold,
    };
    let (command, options) = contender.arguments();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let doublet = tools.doublet.as_ref().context("no doublet")?;
    doublet::clear(output)?;
    doublet
        .program(command, corpus, output, &options)
        .measure()?;
    Ok(())
}

fn row(
    setting: &Setting,
    tools: &Tools,
    text: &Text,
    entry: &Entry,
    answer: Option<&Pairs>,
    exact: &Pairs,
    own: &BTreeMap<&'static str, Pairs>,
) -> Result<Value> {
    let (tool, version, words) = match &entry.contender {
        Contender::Peer(peer) => (peer.name(), peer.version()?, Some(peer.words())),
        _ => {
            let doublet = tools.doublet.as_ref().context("no doublet")?;
            ("doublet", doublet.version.clone(), None)
        }
    };
    let quality = answer.map(|answer| pairs::quality(answer, exact));
    let own = words.and_then(|words| Some((words, own.get(words)?)));
    let own = answer.zip(own).map(|(answer, (words, exact))| {
        let Quality { recall, precision } = pairs::quality(answer, exact);
        json!({"words": words, "pairs": exact.len(), "recall": recall, "precision": precision})
    });
    let usage = Usage::median(&entry.runs).ok().map(Usage::to_json);
    let spread = Usage::spread(&entry.runs);
    let runs: Vec<Value> = entry.runs.iter().map(|run| run.to_json()).collect();
    Ok(json!({
        "collection": text.name,
        "documents": text.collection.documents,
        "words": text.collection.words,
        "bytes": text.collection.bytes,
        "tool": tool,
        "version": version,
        "method": entry.contender.method().map(Method::name),
        "memory_limit": entry.memory,
        "metric": "resemblance",
        "threshold": setting.threshold,
        "median": usage,
        "least": spread.map(|(least, _)| least.to_json()),
        "most": spread.map(|(_, most)| most.to_json()),
        "runs": runs,
        "stopped": entry.stopped,
        "same_answer": entry.answers.windows(2).all(|two| two[0] == two[1]),
        "pairs": answer.map(Pairs::len),
        "recall": quality.map(|quality| quality.recall),
        "precision": quality.map(|quality| quality.precision),
        "own_words": own,
    }))
}
