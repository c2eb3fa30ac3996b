//! Sets of pairs, as the tools write them, and how one set compares with another.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// Pairs of ids, the smaller first, each with its score if the file has one.
pub(crate) type Pairs = BTreeMap<(String, String), Option<f64>>;

/// Read `a<TAB>b<TAB>score` lines, with or without the score.
pub(crate) fn read_tsv(path: &Path) -> Result<Pairs> {
    read(path, parse_tsv)
}

fn parse_tsv(line: &str) -> Option<(String, String, Option<f64>)> {
    let mut fields = line.split('\t');
    let (a, b) = (fields.next()?, fields.next()?);
    let score = match fields.next() {
        Some(score) => Some(score.parse().ok()?),
        None => None,
    };
    Some((a.to_owned(), b.to_owned(), score))
}

/// Read lines of JSON with `a`, `b` and perhaps `score`.
pub(crate) fn read_jsonl(path: &Path) -> Result<Pairs> {
    read(path, |line| {
        let row: Value = serde_json::from_str(line).ok()?;
        let id = |field: &str| row[field].as_str().map(str::to_owned);
        Some((id("a")?, id("b")?, row["score"].as_f64()))
    })
}

/// How many lines a file of pairs has.
pub(crate) fn count(path: &Path) -> Result<usize> {
    let file = BufReader::with_capacity(1 << 20, open(path)?);
    Ok(file.split(b'\n').count())
}

fn open(path: &Path) -> Result<File> {
    File::open(path).with_context(|| format!("cannot read `{}`", path.display()))
}

fn read(
    path: &Path,
    parse: impl Fn(&str) -> Option<(String, String, Option<f64>)>,
) -> Result<Pairs> {
    let mut pairs = Pairs::new();
    for (number, line) in BufReader::new(open(path)?).lines().enumerate() {
        let (a, b, score) = parse(&line?)
            .with_context(|| format!("`{}`, line {}: no pair", path.display(), number + 1))?;
        pairs.insert(ordered(a, b), score);
    }
    Ok(pairs)
}

fn ordered(a: String, b: String) -> (String, String) {
    if a <= b { (a, b) } else { (b, a) }
}

/// How good an answer is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quality {
    pub(crate) recall: f64,
    pub(crate) precision: f64,
}

/// Compare an answer with the exact one. Of nothing, everything was found.
pub(crate) fn quality(found: &Pairs, exact: &Pairs) -> Quality {
    let right = found.keys().filter(|pair| exact.contains_key(pair)).count();
    let share = |whole: usize| {
        if whole == 0 {
            1.0
        } else {
            right as f64 / whole as f64
        }
    };
    Quality {
        recall: share(exact.len()),
        precision: share(found.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Pairs {
        let own = |&(a, b): &(&str, &str)| (ordered(a.to_owned(), b.to_owned()), None);
        pairs.iter().map(own).collect()
    }

    #[test]
    fn quality_counts_what_was_found_and_what_was_right() {
        let exact = pairs(&[("a", "b"), ("a", "c"), ("b", "c"), ("d", "e")]);
        let found = pairs(&[("b", "a"), ("x", "y")]);
        let quality = quality(&found, &exact);
        assert_eq!((quality.recall, quality.precision), (0.25, 0.5));
    }

    #[test]
    fn a_line_may_have_a_score() {
        let pair = |score| Some(("a".to_owned(), "b".to_owned(), score));
        assert_eq!(parse_tsv("a\tb"), pair(None));
        assert_eq!(parse_tsv("a\tb\t0.75"), pair(Some(0.75)));
        assert_eq!(parse_tsv("a\tb\thigh"), None);
        assert_eq!(parse_tsv("a"), None);
    }

    #[test]
    fn nothing_to_find_is_found() {
        let quality = quality(&Pairs::new(), &Pairs::new());
        assert_eq!((quality.recall, quality.precision), (1.0, 1.0));
    }
}
