//! Which answers are right: each beside the exact one, and what is wrong with doublet's own.

use anyhow::{Context, Result, bail};

use super::check::{self, Findings};
use super::contender::{Contender, Method};
use super::measure::Usage;
use super::pairs::{self, Pairs};
use super::peers::Peer;
use super::record::{Collection, Row};
use super::rounds::{Entry, Setting, Tools};
use crate::{corpus, doublet};

/// Read the answers, compare them with the exact one, and make the rows.
pub(super) fn judge(
    setting: &Setting,
    tools: &Tools,
    collection: &Collection,
    entries: &[Entry],
) -> Result<(Vec<Row>, Vec<Findings>)> {
    let answers = answers(setting, entries)?;
    let ours = entries.iter().zip(&answers).find_map(|(entry, answer)| {
        matches!(entry.contender, Contender::Shingles { .. })
            .then_some(answer.as_ref())
            .flatten()
    });
    let verified = if setting.check {
        Some(verify(setting, collection, &answers)?)
    } else {
        None
    };
    let mut findings = Vec::new();
    if let Some(ours) = ours {
        findings.extend(verified.iter().map(|exact| report_check(ours, exact)));
        findings.extend(sketched(entries, &answers, ours));
    }
    let exact = verified.as_ref().or(ours);
    let rows = entries
        .iter()
        .zip(&answers)
        .map(|(entry, answer)| row(setting, tools, collection, entry, answer.as_ref(), exact))
        .collect::<Result<Vec<Row>>>()?;
    Ok((rows, findings))
}

/// The pairs of those who looked for resemblance at the common threshold; others are only counted, and so
/// are all where doublet looked for something else.
fn answers(setting: &Setting, entries: &[Entry]) -> Result<Vec<Option<Pairs>>> {
    let is_terms = |entry: &Entry| matches!(entry.contender, Contender::Terms { .. });
    if entries.iter().any(is_terms) {
        return Ok(entries.iter().map(|_| None).collect());
    }
    let read = |entry: &Entry| match &entry.contender {
        Contender::Peer(peer) if peer.finds_pairs() => pairs::read_tsv(&entry.output).map(Some),
        Contender::Shingles {
            metric,
            threshold: own,
        } if metric == "resemblance" && *own == setting.threshold => {
            pairs::read_jsonl(&entry.output).map(Some)
        }
        Contender::Minhash { .. } => pairs::read_jsonl(&entry.output).map(Some),
        _ => Ok(None),
    };
    entries.iter().map(read).collect()
}

fn verify(setting: &Setting, collection: &Collection, answers: &[Option<Pairs>]) -> Result<Pairs> {
    let truth_path = corpus::truth_path(&collection.path);
    let truth = if truth_path.exists() {
        pairs::read_jsonl(&truth_path)?
    } else {
        Pairs::new()
    };
    let mut proposed: Vec<&Pairs> = answers.iter().flatten().collect();
    proposed.push(&truth);
    check::verified(&collection.path, &proposed, setting.threshold)
}

fn report_check(ours: &Pairs, verified: &Pairs) -> Findings {
    let findings = check::compare(ours, verified, check::TOLERANCE);
    println!(
        "check: {} pairs verified; doublet lacks {}, has {} below the threshold, {} with a wrong score",
        verified.len(),
        findings.missing.len(),
        findings.below.len(),
        findings.wrong_score.len()
    );
    findings.print();
    findings
}

/// What sketches found that the complete search did not, or with another score. They may miss pairs; what they find is
/// compared in full, by the same code, so that every digit has to be the same.
fn sketched(entries: &[Entry], answers: &[Option<Pairs>], complete: &Pairs) -> Vec<Findings> {
    let own = |(entry, answer): (&Entry, &Option<Pairs>)| {
        let answer = answer.as_ref()?;
        let label = entry.contender.label();
        matches!(entry.contender, Contender::Minhash { .. })
            .then(|| report_sketched(&label, answer, complete))
    };
    entries.iter().zip(answers).filter_map(own).collect()
}

pub(super) fn report_sketched(label: &str, answer: &Pairs, complete: &Pairs) -> Findings {
    let findings = Findings {
        missing: Vec::new(),
        ..check::compare(answer, complete, 0.0)
    };
    println!(
        "{label}: {} pairs; {} are not in the complete answer, {} have another score there",
        answer.len(),
        findings.below.len(),
        findings.wrong_score.len()
    );
    findings.print();
    findings
}

fn row(
    setting: &Setting,
    tools: &Tools,
    collection: &Collection,
    entry: &Entry,
    answer: Option<&Pairs>,
    exact: Option<&Pairs>,
) -> Result<Row> {
    let (tool, version) = match &entry.contender {
        Contender::Peer(peer) => (peer.name(), peer.version()?),
        _ => {
            let doublet = tools.doublet.as_ref().context("no doublet")?;
            ("doublet", doublet.version.clone())
        }
    };
    let (metric, threshold) = entry.contender.criterion(setting.threshold);
    let quality = match (answer, exact) {
        (Some(answer), Some(exact)) => Some(pairs::quality(answer, exact)),
        _ => None,
    };
    let usage = Usage::median(&entry.runs)?;
    if usage.wall_seconds <= 0.0 {
        bail!("{tool} took no time at all");
    }
    Ok(Row {
        tool: tool.to_owned(),
        is_peer: !entry.contender.is_doublet(),
        version,
        method: entry.contender.method().map(Method::name),
        command: entry.contender.command(),
        memory_limit: entry.memory.clone(),
        metric: metric.to_owned(),
        threshold,
        collection: collection.clone(),
        runs: entry.runs.clone(),
        usage,
        pairs: count_pairs(entry)?,
        quality,
    })
}

/// How many pairs were found, by the file of them or by the summary; none of a program that looks for none.
fn count_pairs(entry: &Entry) -> Result<Option<usize>> {
    if entry.contender == Contender::Peer(Peer::JiebaCut) {
        return Ok(None);
    }
    if entry.output.is_dir() {
        let summary = doublet::summary(&entry.output)?;
        return Ok(summary["pairs"].as_u64().map(|pairs| pairs as usize));
    }
    pairs::count(&entry.output).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sketches_may_miss_pairs_and_nothing_else() {
        let pair = |a: &str, score| ((a.to_owned(), "z".to_owned()), Some(score));
        let complete = Pairs::from([pair("a", 0.8), pair("b", 0.75)]);
        let check = |answer: Pairs| report_sketched("minhash", &answer, &complete);
        assert!(check(Pairs::from([pair("a", 0.8)])).is_clean());
        assert_eq!(check(Pairs::from([pair("c", 0.8)])).below.len(), 1);
        let close = check(Pairs::from([pair("a", 0.800_000_1)]));
        assert_eq!(close.wrong_score.len(), 1);
    }
}
