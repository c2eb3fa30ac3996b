//! Who is right: `doublet eval --pairs` judges every tool's pairs, doublet's too, by the same code.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::sets::{Half, Kind, Set};
use crate::doublet::Doublet;

/// The highest threshold that is tried, and the step between two.
const HIGHEST: f64 = 0.99;
const STEP: f64 = 0.02;

/// A figure, and between which values it lies in 95 of 100 draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// What the pairs of one setting at one threshold are worth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Verdict {
    /// None where pairs have no scores.
    pub(crate) threshold: Option<f64>,
    pub(crate) precision: Figure,
    pub(crate) recall: Figure,
    pub(crate) f1: Figure,
    /// True and false positives, false negatives.
    pub(crate) counts: [u64; 3],
}

/// What is judged.
#[derive(Clone, Copy)]
pub(crate) enum Judged<'a> {
    /// Pairs that a tool found.
    Pairs(&'a Path),
    /// doublet with these options; the labelled pairs alone, or a low threshold would bring half of all pairs.
    Options(&'a [String]),
}

/// The verdicts for all thresholds from `lowest` up, or the one for pairs without scores. `told` is a folder for what is not wanted.
pub(crate) fn judge(
    doublet: &Doublet,
    set: &Set,
    half: &Half,
    (judged, told): (Judged<'_>, &Path),
    lowest: Option<f64>,
) -> Result<Vec<Verdict>> {
    let unlabelled = match set.kind {
        Kind::Labels => "ignore",
        Kind::Duplicates | Kind::Sides | Kind::Pages => "different",
    };
    let mut command = Command::new(doublet.binary());
    command.arg("eval").arg(&half.texts);
    command.arg("--truth").arg(&half.truth);
    match judged {
        Judged::Pairs(pairs) => command.arg("--pairs").arg(pairs),
        Judged::Options(options) => command.args(options).arg("--labelled-only"),
    };
    command.args(["--unlabelled", unlabelled, "--errors", "0"]);
    command.args(["--json", "--quiet"]);
    if let Some(lowest) = lowest {
        command.arg("--sweep");
        command.arg(format!("threshold={lowest:.2}..{HIGHEST}:{STEP}"));
        command.arg("-o").arg(told);
        crate::doublet::clear(told)?;
    }
    let output = command.output().context("cannot start doublet")?;
    ensure!(
        output.status.success(),
        "`doublet eval` failed on `{}`: {}",
        half.texts.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    crate::doublet::clear(told)?;
    let name = half.texts.display();
    let told: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("`doublet eval` of `{name}` prints no JSON"))?;
    verdicts(&told).with_context(|| format!("`doublet eval` of `{name}` misses figures"))
}

fn verdicts(told: &Value) -> Option<Vec<Verdict>> {
    match told["sweep"]["rows"].as_array() {
        Some(rows) => rows
            .iter()
            .map(|row| verdict(&row["pairs"], number(&row["options"]["threshold"])))
            .collect(),
        None => Some(vec![verdict(&told["pairs"], None)?]),
    }
}

/// A number, also where it is written as text.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

fn verdict(pairs: &Value, threshold: Option<f64>) -> Option<Verdict> {
    // Where nothing is found there is no precision.
    let figure = |name: &str| {
        let of = |part: &str| pairs[name][part].as_f64().unwrap_or(0.0);
        Figure {
            value: of("value"),
            low: of("low"),
            high: of("high"),
        }
    };
    let count = |name: &str| pairs[name].as_u64();
    Some(Verdict {
        threshold,
        precision: figure("precision"),
        recall: figure("recall"),
        f1: figure("f1"),
        counts: [
            count("true_positives")?,
            count("false_positives")?,
            count("false_negatives")?,
        ],
    })
}

/// Bring pairs into the one form, `a<TAB>b<TAB>score`, and leave out those within a source where only pairs between
/// two are judged.
pub(crate) fn tidy(found: &Path, half: &Half, tidied: &Path) -> Result<()> {
    let file =
        File::open(found).with_context(|| format!("`{}` was not written", found.display()))?;
    let mut out = BufWriter::new(File::create(tidied)?);
    for line in BufReader::new(file).lines() {
        let line = line?;
        let pair =
            pair(&line).with_context(|| format!("`{}`: not a pair: {line}", found.display()))?;
        if is_judged(&half.sides, &pair.0, &pair.1) {
            writeln!(out, "{}\t{}\t{}", pair.0, pair.1, pair.2)?;
        }
    }
    Ok(out.flush()?)
}

/// A line of JSON, or of tabs.
fn pair(line: &str) -> Option<(String, String, f64)> {
    if line.starts_with('{') {
        let row: Value = serde_json::from_str(line).ok()?;
        let id = |field: &str| row[field].as_str().map(str::to_owned);
        return Some((id("a")?, id("b")?, row["score"].as_f64()?));
    }
    let mut fields = line.split('\t');
    let (a, b) = (fields.next()?, fields.next()?);
    let score = fields
        .next()
        .map_or(Some(1.0), |score| score.parse().ok())?;
    Some((a.to_owned(), b.to_owned(), score))
}

fn is_judged(sides: &HashMap<String, String>, a: &str, b: &str) -> bool {
    sides.is_empty() || sides.get(a) != sides.get(b)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_of_all_tools_are_read() {
        let expected = Some(("x".to_owned(), "y".to_owned(), 0.5));
        assert_eq!(pair("x\ty\t0.5"), expected);
        assert_eq!(pair(r#"{"a": "x", "b": "y", "score": 0.5}"#), expected);
        assert_eq!(pair("x\ty").map(|pair| pair.2), Some(1.0));
        assert_eq!(pair("x"), None);
    }

    #[test]
    fn pairs_within_a_source_are_not_judged() {
        let side = |id: &str, side: &str| (id.to_owned(), side.to_owned());
        let sides = HashMap::from([side("a1", "A"), side("a2", "A"), side("b1", "B")]);
        assert!(is_judged(&sides, "a1", "b1"));
        assert!(!is_judged(&sides, "a1", "a2"));
        assert!(is_judged(&HashMap::new(), "a1", "a2"));
    }

    #[test]
    fn rows_of_a_sweep_are_read() {
        let figure = json!({"value": 0.5, "low": 0.4, "high": 0.6});
        let pairs = json!({"precision": figure, "recall": figure, "f1": figure,
            "true_positives": 1, "false_positives": 1, "false_negatives": 1});
        let told = json!({"sweep": {"rows": [{"options": {"threshold": "0.3"}, "pairs": pairs}]}});
        let verdicts = verdicts(&told).expect("verdicts");
        assert_eq!(verdicts[0].threshold, Some(0.3));
        assert_eq!((verdicts[0].f1.high, verdicts[0].counts), (0.6, [1, 1, 1]));
    }
}
