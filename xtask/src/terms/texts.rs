//! The collections that the figures are taken on, and what is known about their pairs.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::precision::{Truth, families};
use crate::corpus;

/// A collection whose texts are known by number.
pub(crate) struct Texts {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    numbers: HashMap<String, u32>,
    /// The ids that selected texts had, unless an id came twice.
    originals: HashMap<String, Option<u32>>,
}

impl Texts {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(crate) fn number(&self, id: &str) -> Option<u32> {
        self.numbers.get(id).copied()
    }

    /// A collection as it is.
    pub(crate) fn read(name: &str, path: &Path) -> Result<Self> {
        let mut numbers = HashMap::new();
        each_record(path, |record| {
            let number = numbers.len() as u32;
            numbers.insert(id(record)?, number);
            Ok(())
        })?;
        Ok(Self {
            name: name.to_owned(),
            path: path.to_owned(),
            numbers,
            originals: HashMap::new(),
        })
    }

    /// The texts of a file, or those in one language, written to `output`, the first `limit` of them. They get ids of their
    /// own: those of some files come twice.
    pub(crate) fn select(
        source: &Source,
        copies: Copies,
        limit: usize,
        output: &Path,
    ) -> Result<Self> {
        let create = File::create(output);
        let create = create.with_context(|| format!("cannot write `{}`", output.display()))?;
        let mut writer = BufWriter::new(create);
        let mut seen = HashSet::new();
        let mut numbers = HashMap::new();
        let mut originals = HashMap::new();
        each_record(&source.path, |record| {
            let text = record["text"].as_str().unwrap_or("");
            let wanted = source
                .language
                .is_none_or(|language| record["lang"] == language);
            let mut is_new = || copies == Copies::Take || seen.insert(spaces_and_case_folded(text));
            if wanted && numbers.len() < limit && is_new() {
                let number = numbers.len() as u32;
                let id = format!("t{number}");
                writeln!(writer, "{}", json!({"id": id, "text": text}))?;
                numbers.insert(id, number);
                let original = record["id"].as_str().unwrap_or_default().to_owned();
                let known = originals
                    .entry(original)
                    .and_modify(|number| *number = None);
                known.or_insert(Some(number));
            }
            Ok(())
        })?;
        writer.flush()?;
        ensure!(
            !numbers.is_empty(),
            "`{}` has no text for `{}`",
            source.path.display(),
            source.name
        );
        Ok(Self {
            name: source.name.clone(),
            path: output.to_owned(),
            numbers,
            originals,
        })
    }

    /// The labels of a truth file, of pairs of these texts.
    pub(crate) fn labels(&self, truth: &Path) -> Result<Truth> {
        let mut labels = HashMap::new();
        each_record(truth, |row| {
            if let Some(((a, b), label)) = self.link(row).zip(row["label"].as_u64()) {
                labels.insert((a.min(b), a.max(b)), label == 1);
            }
            Ok(())
        })?;
        Ok(Truth::Labels(labels))
    }

    /// The labels that a file has for pairs of selected texts of a source, by the ids they had.
    pub(crate) fn labels_of(&self, source: &str, file: &Path) -> Result<Truth> {
        let mut labels = HashMap::new();
        each_record(file, |row| {
            let number = |field: &str| *self.originals.get(row[field].as_str()?)?;
            let pair = number("a").zip(number("b"));
            if let Some(((a, b), label)) = pair.zip(row["label"].as_u64())
                && row["source"] == source
            {
                labels.insert((a.min(b), a.max(b)), label == 1);
            }
            Ok(())
        })?;
        Ok(Truth::Labels(labels))
    }

    /// How many there are, and how many of them are equal to another but for case and spaces.
    pub(crate) fn identical(&self) -> Result<(usize, usize)> {
        let mut counts: HashMap<String, usize> = HashMap::new();
        each_record(&self.path, |record| {
            let text = spaces_and_case_folded(record["text"].as_str().unwrap_or(""));
            *counts.entry(text).or_default() += 1;
            Ok(())
        })?;
        let repeated = counts.values().filter(|&&count| count > 1).sum();
        Ok((counts.values().sum(), repeated))
    }

    /// The families of a generated collection: originals with their copies, and texts with the same letters, for
    /// short ones meet by chance.
    pub(crate) fn families(&self) -> Result<Truth> {
        let mut links = Vec::new();
        each_record(&corpus::truth_path(&self.path), |row| {
            links.extend(self.link(row));
            Ok(())
        })?;
        let mut first: HashMap<String, u32> = HashMap::new();
        each_record(&self.path, |record| {
            let number = self
                .number(&id(record)?)
                .context("an id that comes and goes")?;
            let letters = letters_folded(record["text"].as_str().unwrap_or(""));
            links.push((*first.entry(letters).or_insert(number), number));
            Ok(())
        })?;
        Ok(Truth::Families(families(self.len(), links.into_iter())))
    }

    /// The texts that a row with `a` and `b` speaks of.
    fn link(&self, row: &Value) -> Option<(u32, u32)> {
        let number = |field: &str| self.number(row[field].as_str()?);
        number("a").zip(number("b"))
    }
}

/// What becomes of texts that are equal but for case and spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    Take,
    /// All but the first.
    Leave,
}

/// Where texts come from.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) language: Option<&'static str>,
}

/// Visit every line of a file of JSON lines; Zstandard is understood.
pub(crate) fn each_record(path: &Path, mut visit: impl FnMut(&Value) -> Result<()>) -> Result<()> {
    let reader = corpus::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    for (number, line) in reader.lines().enumerate() {
        let record = serde_json::from_str(&line?).map_err(anyhow::Error::from);
        record
            .and_then(|record| visit(&record))
            .with_context(|| format!("`{}`, line {}", path.display(), number + 1))?;
    }
    Ok(())
}

fn id(record: &Value) -> Result<String> {
    let id = record["id"].as_str().context("a record without `id`")?;
    Ok(id.to_owned())
}

fn spaces_and_case_folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

fn letters_folded(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_leaves_what_counts() {
        assert_eq!(spaces_and_case_folded(" Ok  La\n"), "ok la");
        assert_eq!(letters_folded("Ok, la... 好的！"), "okla好的");
    }
}
