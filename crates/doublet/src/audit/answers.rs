//! The answers: a file of labels that `eval` reads too, replaced as a whole after every answer.

use std::path::{Path, PathBuf};

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Question;
use crate::error::{Error, Result, clip, io_error};
use crate::files;
use crate::files::output::replace;

/// The file in the results directory.
pub const ANSWERS: &str = "audit.jsonl";
/// The label of a removal that a reviewer could not decide.
const UNSURE: &str = "unsure";

/// What a reviewer says of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The texts are duplicates: it was right to remove one.
    Right,
    /// The removed text should have been kept.
    Wrong,
    /// Undecided.
    Unsure,
}

impl Verdict {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Unsure => UNSURE,
        }
    }

    /// The label of the pair, as `eval` takes it.
    pub fn label(self) -> Value {
        match self {
            Self::Right => 1.into(),
            Self::Wrong => 0.into(),
            Self::Unsure => UNSURE.into(),
        }
    }

    fn of_label(label: &Value) -> Option<Self> {
        match label {
            Value::String(word) if word == UNSURE => Some(Self::Unsure),
            label => match label.as_f64()? {
                1.0 => Some(Self::Right),
                0.0 => Some(Self::Wrong),
                _ => None,
            },
        }
    }
}

/// The fields of a line that are read.
#[derive(Deserialize)]
struct ReadLine<'a> {
    #[serde(borrow)]
    b: &'a RawValue,
    label: Value,
    run: String,
    seed: u64,
}

/// The fields after the label: why the question was asked, and which sample it belongs to.
#[derive(Serialize)]
struct Tail<'a> {
    stratum: &'a str,
    score: Option<f64>,
    lost: u64,
    cluster: Option<u64>,
    run: &'a str,
    seed: u64,
}

/// Which removals were sampled: those of one run, by one seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) run: String,
    pub(super) seed: u64,
}

/// The line of an answer, split at its label: the two ids come before it, the other fields follow.
pub(super) fn parts(question: &Question, sample: &Sample) -> (String, String) {
    let removed = &question.removed;
    let tail = Tail {
        stratum: question.stratum.name(),
        score: removed.score,
        lost: removed.lost,
        cluster: removed.cluster,
        run: &sample.run,
        seed: sample.seed,
    };
    let tail = serde_json::to_string(&tail).unwrap_or_default();
    let head = format!(
        "{{\"a\":{},\"b\":{},\"label\":",
        removed.representative, removed.id
    );
    (head, tail.replacen('{', ",", 1))
}

/// The answers so far, in the order in which they were first given.
#[derive(Debug)]
pub struct Answers {
    path: PathBuf,
    lines: Vec<Answer>,
    /// By the removed text's id.
    by_id: HashMap<String, usize>,
    /// What they are answers about, if there are any.
    sample: Option<Sample>,
    /// The file as it is on disk.
    on_disk: Option<Vec<u8>>,
}

#[derive(Debug)]
struct Answer {
    verdict: Verdict,
    /// As it is in the file.
    text: String,
}

impl Answers {
    /// The answers in a results directory; none if there is no file yet.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of_directory(directory: &Path) -> Result<Self> {
        let path = directory.join(ANSWERS);
        match path.exists() {
            true => Self::read(path),
            false => Ok(Self {
                path,
                lines: Vec::new(),
                by_id: HashMap::new(),
                sample: None,
                on_disk: None,
            }),
        }
    }

    /// The answers in a file.
    pub(super) fn read(path: PathBuf) -> Result<Self> {
        let bytes = files::read(&path).map_err(io_error("read", &path))?;
        let mut answers = Self {
            lines: Vec::new(),
            by_id: HashMap::new(),
            sample: None,
            on_disk: None,
            path,
        };
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            if !line.trim_ascii().is_empty() {
                answers.read_line(number, line)?;
            }
        }
        answers.on_disk = Some(bytes);
        Ok(answers)
    }

    fn read_line(&mut self, number: usize, line: &[u8]) -> Result<()> {
        let bad = |reason: String| Error::BadFile {
            path: self.path.clone(),
            reason: format!("line {number}: {reason}"),
        };
        let row: ReadLine<'_> = serde_json::from_slice(line)
            .map_err(|error| bad(format!("not an answer of `doublet audit` ({error})")))?;
        let verdict = Verdict::of_label(&row.label).ok_or_else(|| {
            let label = row.label.to_string();
            bad(format!(
                "the label is {}: give 1, 0 or \"{UNSURE}\"",
                clip(&label)
            ))
        })?;
        let sample = Sample {
            run: row.run,
            seed: row.seed,
        };
        if self.sample.as_ref().is_some_and(|other| *other != sample) {
            return Err(bad(
                "an answer about another run or with another seed than those before it".to_owned(),
            ));
        }
        let text = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        let id = row.b.get().to_owned();
        self.sample = Some(sample);
        self.set(id, verdict, text);
        Ok(())
    }

    /// The seed of the sample that the answers are about.
    pub fn seed(&self) -> Option<u64> {
        self.sample.as_ref().map(|sample| sample.seed)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The answer about a removed text, by its id as JSON.
    pub(super) fn verdict(&self, id: &str) -> Option<Verdict> {
        self.by_id.get(id).map(|&at| self.lines[at].verdict)
    }

    /// That they are about this sample.
    pub(super) fn expect(&self, sample: &Sample) -> Result<()> {
        let Some(own) = self.sample.as_ref().filter(|own| *own != sample) else {
            return Ok(());
        };
        let reason = match own.run == sample.run {
            true => format!(
                "its answers are about the sample of `--seed {}`, not {}: give that seed, or move the file away to start a new audit",
                own.seed, sample.seed
            ),
            false => "its answers are about another run of `doublet dedup`: give the directory of that run, or move the file away to start a new audit".to_owned(),
        };
        Err(Error::BadFile {
            path: self.path.clone(),
            reason,
        })
    }

    /// Takes an answer; it is not saved yet.
    pub(super) fn give(&mut self, question: &Question, sample: &Sample, verdict: Verdict) {
        let (head, tail) = parts(question, sample);
        let text = format!("{head}{}{tail}", verdict.label());
        self.sample = Some(sample.clone());
        self.set(question.removed.id.clone(), verdict, text);
    }

    /// Takes all answers of another file, and says how many are new or differ.
    pub(super) fn take(&mut self, others: &Self) -> usize {
        let mut changed = 0;
        let mut ids: Vec<(&String, &usize)> = others.by_id.iter().collect();
        ids.sort_unstable_by_key(|(_, at)| **at);
        for (id, at) in ids {
            let answer = &others.lines[*at];
            if self.verdict(id) != Some(answer.verdict) {
                changed += 1;
                self.set(id.clone(), answer.verdict, answer.text.clone());
            }
        }
        self.sample = self.sample.take().or_else(|| others.sample.clone());
        changed
    }

    fn set(&mut self, id: String, verdict: Verdict, text: String) {
        let answer = Answer { verdict, text };
        let at = *self.by_id.entry(id).or_insert(self.lines.len());
        match self.lines.get_mut(at) {
            Some(line) => *line = answer,
            None => self.lines.push(answer),
        }
    }

    /// Puts the file on disk in place of the one that is there.
    ///
    /// # Errors
    /// When it cannot be written, or another program has written it.
    pub(super) fn save(&mut self) -> Result<()> {
        let there = match self.path.exists() {
            true => Some(files::read(&self.path).map_err(io_error("read", &self.path))?),
            false => None,
        };
        if there != self.on_disk {
            return Err(Error::BadFile {
                path: self.path.clone(),
                reason: "another program has written to it: end the other `doublet audit`, and start this one again".to_owned(),
            });
        }
        let mut bytes = Vec::new();
        for answer in &self.lines {
            bytes.extend_from_slice(answer.text.as_bytes());
            bytes.push(b'\n');
        }
        let new = self.path.with_extension("jsonl.new");
        replace(&self.path, &new, &bytes)?;
        self.on_disk = Some(bytes);
        Ok(())
    }
}
