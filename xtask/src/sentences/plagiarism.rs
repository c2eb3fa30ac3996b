//! Answers by students, some copied from an encyclopedia: how well the share that is copied tells them from the others.
//!
//! The collection (`plagiarism_short` of the data folder) has five originals and 95 answers: written without the
//! original, cut from it, lightly revised, heavily revised. Measured is the area under the curve.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::quality::{area, rounded};
use super::tool::{Tool, each_line};
use crate::doublet;

pub(crate) const FOLDER: &str = "plagiarism_short";
/// The levels of what was copied, and of what was not.
pub(crate) const LEVELS: [&str; 3] = ["cut", "light", "heavy"];
const NONE: &str = "non";
const SHINGLES: [&str; 2] = ["5", "3"];
/// Scores of `doublet pairs`: names, and the fields that hold them. The input is `a`, so `_a` is the answer's own share.
const SCORES: [(&str, &str); 3] = [
    ("coverage", "coverage"),
    ("containment of the answer", "containment_a"),
    ("coverage of the answer", "coverage_a"),
];

/// The collection, in two files.
struct Texts {
    answers: PathBuf,
    originals: PathBuf,
    /// Answer, original, level.
    pairs: Vec<(String, String, String)>,
}

/// Whether a data folder has the collection.
pub(crate) fn is_there(data: &Path) -> bool {
    data.join(FOLDER).join("texts.jsonl.zst").is_file()
}

/// A row for each score.
pub(crate) fn measure(tool: &Tool, data: &Path) -> Result<Vec<Value>> {
    let texts = read(tool, &data.join(FOLDER))?;
    println!("{FOLDER}: {} answers", texts.pairs.len());
    let mut rows = Vec::new();
    let shares = tool.check_against(&texts.answers, &texts.originals)?;
    let shares: HashMap<&str, f64> = shares.iter().map(|a| (a.id.as_str(), a.share)).collect();
    rows.push(row(
        "sentences",
        "share of words copied",
        &texts,
        |answer, _| shares.get(answer).copied(),
    ));
    for shingle in SHINGLES {
        let pairs = pairs(tool, &texts, shingle)?;
        for (name, field) in SCORES {
            let score = |answer: &str, original: &str| {
                let pair = pairs.get(&(answer.to_owned(), original.to_owned()))?;
                pair[field].as_f64()
            };
            rows.push(row(&format!("shingles of {shingle}"), name, &texts, score));
        }
    }
    Ok(rows)
}

/// Split the collection into answers and originals.
fn read(tool: &Tool, folder: &Path) -> Result<Texts> {
    let path = folder.join("texts.jsonl.zst");
    ensure!(
        path.is_file(),
        "`{}` does not exist: say where the data is with `--data`",
        path.display()
    );
    let mut pairs = Vec::new();
    each_line(&folder.join("truth.jsonl"), |row| {
        let text = |field: &str| row[field].as_str().map(str::to_owned);
        pairs.push((text("b")?, text("a")?, text("level")?));
        Some(())
    })?;
    let (answers, originals) = (
        tool.file("answers-of-students.jsonl"),
        tool.file("originals.jsonl"),
    );
    let mut writers = [
        BufWriter::new(File::create(&answers)?),
        BufWriter::new(File::create(&originals)?),
    ];
    each_line(&path, |row| {
        let is_original = pairs.iter().any(|(_, original, _)| row["id"] == **original);
        writeln!(writers[usize::from(is_original)], "{row}").ok()
    })?;
    writers.iter_mut().try_for_each(Write::flush)?;
    Ok(Texts {
        answers,
        originals,
        pairs,
    })
}

type Pairs = HashMap<(String, String), Value>;

/// All pairs of an answer and an original that have a shingle in common.
fn pairs(tool: &Tool, texts: &Texts, shingle: &str) -> Result<Pairs> {
    let output = tool.file("pairs.jsonl");
    let originals = texts.originals.display().to_string();
    let options = [
        "--against",
        &originals,
        "--threshold",
        "0.000001",
        "--metric",
        "containment",
        "--shingle",
        shingle,
    ];
    tool.doublet
        .program("pairs", &texts.answers, &output, &options)
        .measure()?;
    let mut pairs = HashMap::new();
    each_line(&output, |row| {
        let id = |field: &str| row[field].as_str().map(str::to_owned);
        pairs.insert((id("a")?, id("b")?), row.clone());
        Some(())
    })?;
    doublet::clear(&output).context("the pairs cannot be removed")?;
    Ok(pairs)
}

/// The areas for one score. An answer that shares nothing with its original has none.
fn row(
    method: &str,
    name: &str,
    texts: &Texts,
    score: impl Fn(&str, &str) -> Option<f64>,
) -> Value {
    let of = |wanted: &[&str]| -> Vec<f64> {
        let own = texts
            .pairs
            .iter()
            .filter(|(_, _, level)| wanted.contains(&level.as_str()));
        own.map(|(answer, original, _)| score(answer, original).unwrap_or(0.0))
            .collect()
    };
    let none = of(&[NONE]);
    let against = |levels: &[&str]| rounded(area(&of(levels), &none));
    let mut row = json!({
        "experiment": "plagiarism",
        "method": method,
        "score": name,
        "answers": texts.pairs.len(),
        "all": against(&LEVELS),
    });
    for level in LEVELS {
        row[level] = json!(against(&[level]));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_set_against_what_was_not_copied() {
        let pair =
            |answer: &str, level: &str| (answer.to_owned(), "o".to_owned(), level.to_owned());
        let texts = Texts {
            answers: PathBuf::new(),
            originals: PathBuf::new(),
            pairs: vec![
                pair("a", "non"),
                pair("b", "cut"),
                pair("c", "light"),
                pair("d", "heavy"),
                pair("e", "non"),
            ],
        };
        let scores = HashMap::from([("a", 0.2), ("b", 0.9), ("c", 0.1), ("d", 0.2)]);
        let row = row("m", "s", &texts, |answer, _| scores.get(answer).copied());
        assert_eq!(
            (&row["cut"], &row["light"], &row["heavy"]),
            (&json!(1.0), &json!(0.5), &json!(0.75))
        );
        assert_eq!(row["all"], json!(0.75));
    }
}
