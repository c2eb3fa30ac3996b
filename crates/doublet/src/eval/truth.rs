//! What people know about a collection: labelled pairs, clusters, or copied texts with their sources.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use hashbrown::HashMap;
use serde_json::Value;

use super::rows::{Row, bad, each_row};
use crate::error::{Error, Result, clip};

/// Words that say that two texts are duplicates, unless others are given.
const YES: [&str; 11] = [
    "1",
    "true",
    "yes",
    "y",
    "duplicate",
    "same",
    "match",
    "positive",
    "exact",
    "near",
    "partial",
];
/// Words that say that they are not.
const NO: [&str; 10] = [
    "0",
    "false",
    "no",
    "n",
    "different",
    "distinct",
    "unique",
    "negative",
    "none",
    "non",
];

/// A label that says that the reviewer could not decide; the row is left out.
const UNSURE: &str = "unsure";
/// The column that `doublet audit` writes; its labels are those of a sample.
const STRATUM: &str = "stratum";

/// How a file of labels is read.
#[derive(Clone, Debug)]
pub struct TruthOptions {
    /// The column of the label.
    pub label_field: String,
    /// The labels that mean a duplicate; none: the usual words.
    pub positive: Vec<String>,
}

impl Default for TruthOptions {
    fn default() -> Self {
        Self {
            label_field: "label".to_owned(),
            positive: Vec::new(),
        }
    }
}

/// An id as a file of labels has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Id {
    /// Its content.
    pub(super) text: String,
    /// It as JSON, where the file tells strings and numbers apart.
    pub(super) json: Option<String>,
}

/// Ids, each with a number.
#[derive(Debug, Default)]
pub(super) struct Ids {
    pub(super) list: Vec<Id>,
    numbers: HashMap<String, u32>,
}

impl Ids {
    /// The number of an id, a new one if need be.
    pub(super) fn number(&mut self, text: String, json: Option<String>) -> u32 {
        let name = json.clone().unwrap_or_else(|| text.clone());
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.list.push(Id { text, json });
        }
        number
    }
}

/// Two texts and what is known of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LabelledPair {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) duplicate: bool,
    pub(super) line: u64,
}

/// A text and the group it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Membership {
    pub(super) id: u32,
    pub(super) cluster: u32,
    pub(super) line: u64,
}

/// A text that may be a copy, and of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) id: u32,
    pub(super) duplicate: bool,
    pub(super) sources: Vec<u32>,
    pub(super) line: u64,
}

/// The rows of a file of labels, each said once; ids are numbers into `ids`.
#[derive(Clone, Debug)]
pub(super) enum Labels {
    Pairs(Vec<LabelledPair>),
    Clusters(Vec<Membership>),
    Targets(Vec<Target>),
}

/// A file of labels, read and looked through.
#[derive(Clone, Debug)]
pub struct Truth {
    pub(super) path: PathBuf,
    pub(super) ids: Vec<Id>,
    pub(super) labels: Labels,
    /// Rows that say again what another said.
    pub repeated: u64,
    /// Rows whose label says that it is unsure.
    pub unsure: u64,
    /// Whether the pairs are a sample of what was found, so that nothing follows about those it does not name.
    pub is_sample: bool,
}

/// What the rows of a file are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pairs,
    Clusters,
    Targets,
}

impl Kind {
    fn of(row: &Row) -> Option<Self> {
        let has = |name: &str| row.contains_key(name);
        if has("a") && has("b") {
            Some(Self::Pairs)
        } else if has("id") && has("cluster") {
            Some(Self::Clusters)
        } else if has("target") || has("id") && (has("duplicate") || has("sources")) {
            Some(Self::Targets)
        } else {
            None
        }
    }
}

impl Truth {
    /// Reads a file of labels: JSON lines, CSV, TSV or Parquet, told by its ending; what its rows are is told by their columns.
    ///
    /// # Errors
    /// When the file cannot be read, a row lacks a column or has a label of unknown meaning, or two rows contradict each other.
    pub fn read(path: &Path, options: &TruthOptions) -> Result<Self> {
        let mut reading = Reading::new(path, options);
        each_row(path, &[], |line, row| reading.row(line, &row))?;
        reading.finish()
    }

    /// What the rows are, in a word.
    pub fn kind(&self) -> &'static str {
        match self.labels {
            Labels::Pairs(_) => "pairs",
            Labels::Clusters(_) => "clusters",
            Labels::Targets(_) => "targets",
        }
    }

    /// Whether it tells copied texts and their sources.
    pub fn has_targets(&self) -> bool {
        matches!(self.labels, Labels::Targets(_))
    }

    /// Rows that say something of their own.
    pub fn rows(&self) -> usize {
        match &self.labels {
            Labels::Pairs(pairs) => pairs.len(),
            Labels::Clusters(members) => members.len(),
            Labels::Targets(targets) => targets.len(),
        }
    }
}

/// A file on its way.
struct Reading<'a> {
    path: &'a Path,
    options: &'a TruthOptions,
    kind: Option<Kind>,
    ids: Ids,
    clusters: HashMap<String, u32>,
    /// Which row told a pair, or of a text, first.
    pairs: HashMap<(u32, u32), usize>,
    texts: HashMap<u32, usize>,
    labelled: Vec<LabelledPair>,
    members: Vec<Membership>,
    targets: Vec<Target>,
    repeated: u64,
    unsure: u64,
    is_sample: bool,
    /// Whether rows have labels, by the first.
    has_labels: Option<bool>,
}

impl<'a> Reading<'a> {
    fn new(path: &'a Path, options: &'a TruthOptions) -> Self {
        Self {
            path,
            options,
            kind: None,
            ids: Ids::default(),
            clusters: HashMap::new(),
            pairs: HashMap::new(),
            texts: HashMap::new(),
            labelled: Vec::new(),
            members: Vec::new(),
            targets: Vec::new(),
            repeated: 0,
            unsure: 0,
            is_sample: false,
            has_labels: None,
        }
    }

    fn row(&mut self, line: u64, row: &Row) -> Result<()> {
        let kind = match self.kind {
            Some(kind) => kind,
            None => {
                let known = Kind::of(row);
                let kind = known.ok_or_else(|| self.no_columns(line, row))?;
                *self.kind.insert(kind)
            }
        };
        match kind {
            Kind::Pairs => self.pair(line, row),
            Kind::Clusters => self.member(line, row),
            Kind::Targets => self.target(line, row),
        }
    }

    fn no_columns(&self, line: u64, row: &Row) -> Error {
        let names: Vec<&str> = row.keys().map(String::as_str).collect();
        let reason = format!(
            "the columns are {}; give `a`, `b` and `label` for pairs, `id` and `cluster` for clusters, `target` and `source` for copies",
            names.join(", ")
        );
        bad(self.path, line, reason)
    }

    fn pair(&mut self, line: u64, row: &Row) -> Result<()> {
        self.is_sample |= row.contains_key(STRATUM);
        if self.is_unsure(row) {
            self.unsure += 1;
            return Ok(());
        }
        let (a, b) = (self.id(line, row, "a")?, self.id(line, row, "b")?);
        let duplicate = self.pair_label(line, row)?;
        let pair = LabelledPair {
            a,
            b,
            duplicate,
            line,
        };
        let first = *self
            .pairs
            .entry((a.min(b), a.max(b)))
            .or_insert(self.labelled.len());
        match self.labelled.get(first) {
            None => self.labelled.push(pair),
            Some(other) if other.duplicate == duplicate => self.repeated += 1,
            Some(other) => {
                let word = |duplicate| if duplicate { "duplicates" } else { "different" };
                let reason = format!(
                    "`{}` and `{}` are {} here and {} on line {}: keep one of the two rows",
                    self.shown(a),
                    self.shown(b),
                    word(duplicate),
                    word(other.duplicate),
                    other.line
                );
                return Err(bad(self.path, line, reason));
            }
        }
        Ok(())
    }

    /// Whether the label of a row says that it is none.
    fn is_unsure(&self, row: &Row) -> bool {
        let label = row.get(&self.options.label_field).and_then(Value::as_str);
        let is_positive = |label: &str| self.options.positive.iter().any(|other| other == label);
        label.is_some_and(|label| label.trim().eq_ignore_ascii_case(UNSURE) && !is_positive(label))
    }

    /// Whether a pair is a duplicate. Where no row has a label, all are.
    fn pair_label(&mut self, line: u64, row: &Row) -> Result<bool> {
        let field = &self.options.label_field;
        let label = row.get(field).filter(|label| !label.is_null());
        let is_asked_for = *field != TruthOptions::default().label_field
            || !self.options.positive.is_empty()
            || row.contains_key(field);
        let has_labels = *self
            .has_labels
            .get_or_insert(is_asked_for || label.is_some());
        match label {
            Some(label) if has_labels => self.label(line, label),
            None if !has_labels => Ok(true),
            Some(_) => Err(bad(
                self.path,
                line,
                format!("a `{field}`, which the rows before it do not have: give all rows one"),
            )),
            None => {
                let names: Vec<&str> = row.keys().map(String::as_str).collect();
                let reason = format!(
                    "no `{field}`: give 1 or 0, or leave the row out; the columns are {} (`--label-field` names that of the label)",
                    names.join(", ")
                );
                Err(bad(self.path, line, reason))
            }
        }
    }

    fn member(&mut self, line: u64, row: &Row) -> Result<()> {
        let id = self.id(line, row, "id")?;
        let name = row.get("cluster").and_then(scalar);
        let name = name.ok_or_else(|| self.missing(line, "cluster"))?;
        let next = self.clusters.len() as u32;
        let cluster = *self.clusters.entry(name).or_insert(next);
        let first = *self.texts.entry(id).or_insert(self.members.len());
        match self.members.get(first) {
            None => self.members.push(Membership { id, cluster, line }),
            Some(other) if other.cluster == cluster => self.repeated += 1,
            Some(other) => {
                let reason = format!(
                    "`{}` is in another cluster on line {}: a text belongs to one cluster, keep one of the two rows",
                    self.shown(id),
                    other.line
                );
                return Err(bad(self.path, line, reason));
            }
        }
        Ok(())
    }

    fn target(&mut self, line: u64, row: &Row) -> Result<()> {
        let column = if row.contains_key("target") {
            "target"
        } else {
            "id"
        };
        let id = self.id(line, row, column)?;
        let mut named: Vec<String> = Vec::new();
        for column in ["source", "sources"] {
            match row.get(column) {
                Some(Value::Array(all)) => named.extend(all.iter().filter_map(scalar)),
                Some(one) => named.extend(scalar(one)),
                None => {}
            }
        }
        let sources: Vec<u32> = named
            .into_iter()
            .filter(|name| !name.is_empty())
            .map(|name| self.ids.number(name, None))
            .collect();
        let label = row.get("duplicate").or(row.get(&self.options.label_field));
        let said = match label.filter(|label| !label.is_null()) {
            Some(label) => Some(self.label(line, label)?),
            None => None,
        };
        let duplicate = said.unwrap_or(!sources.is_empty());
        if !duplicate && !sources.is_empty() {
            let text = self.shown(id);
            return Err(bad(
                self.path,
                line,
                format!("`{text}` is no duplicate, but has sources: take them out, or label it 1"),
            ));
        }
        let first = *self.texts.entry(id).or_insert(self.targets.len());
        let Some(other) = self.targets.get_mut(first) else {
            self.targets.push(Target {
                id,
                duplicate,
                sources,
                line,
            });
            return Ok(());
        };
        if other.duplicate != duplicate {
            let text = clip(&self.ids.list[id as usize].text);
            let reason = format!(
                "`{text}` is told otherwise on line {}: keep one of the two rows",
                other.line
            );
            return Err(bad(self.path, line, reason));
        }
        let new = sources
            .iter()
            .filter(|source| !other.sources.contains(source));
        let new: Vec<u32> = new.copied().collect();
        self.repeated += u64::from(new.is_empty());
        other.sources.extend(new);
        Ok(())
    }

    /// An id as a message shows it.
    fn shown(&self, id: u32) -> Cow<'_, str> {
        clip(&self.ids.list[id as usize].text)
    }

    fn missing(&self, line: u64, column: &str) -> Error {
        bad(self.path, line, format!("no `{column}`"))
    }

    fn id(&mut self, line: u64, row: &Row, column: &str) -> Result<u32> {
        let value = row.get(column).ok_or_else(|| self.missing(line, column))?;
        if value.is_null() {
            return Err(self.missing(line, column));
        }
        let text = scalar(value).filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| {
            bad(
                self.path,
                line,
                format!("`{column}` is no string and no number"),
            )
        })?;
        Ok(self.ids.number(text, Some(value.to_string())))
    }

    fn label(&self, line: u64, label: &Value) -> Result<bool> {
        let word = scalar(label).unwrap_or_default().trim().to_lowercase();
        if !self.options.positive.is_empty() {
            let mut positive = self.options.positive.iter();
            return Ok(positive.any(|other| other.trim().to_lowercase() == word));
        }
        let number = word.parse::<f64>().ok();
        if YES.contains(&word.as_str()) || number == Some(1.0) {
            return Ok(true);
        }
        if NO.contains(&word.as_str()) || number == Some(0.0) {
            return Ok(false);
        }
        let reason = format!(
            "the label `{}` may mean anything: give 1 and 0, or say which labels mean a duplicate by `--positive LABEL,…`",
            clip(&word)
        );
        Err(bad(self.path, line, reason))
    }

    fn finish(self) -> Result<Truth> {
        let Some(kind) = self.kind else {
            return Err(Error::BadFile {
                path: self.path.to_owned(),
                reason: "there is no row in it".to_owned(),
            });
        };
        Ok(Truth {
            path: self.path.to_owned(),
            ids: self.ids.list,
            labels: match kind {
                Kind::Pairs => Labels::Pairs(self.labelled),
                Kind::Clusters => Labels::Clusters(self.members),
                Kind::Targets => Labels::Targets(self.targets),
            },
            repeated: self.repeated,
            unsure: self.unsure,
            is_sample: self.is_sample,
        })
    }
}

/// A JSON scalar as text.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
