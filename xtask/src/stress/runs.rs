//! One run over a hostile collection: what is run, and what must hold of it.

use std::collections::HashSet;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde_json::{Value, json};

use super::collections::{Hostile, Known, Near};
use crate::bench::check::TOLERANCE;
use crate::bench::measure::{Outcome, Program, Usage};
use crate::doublet::{self, Doublet};

/// Pairs after which `pairs` is told to stop.
const MOST_PAIRS: &str = "1000000";
/// Texts that `check` asks about: each may have all others as its sources.
const ASKED: usize = 10;
/// The exit status of an error.
const FAILED: i32 = 2;

/// A method, and a metric where it has several ways to join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Way {
    Shingles,
    Coverage,
    Minhash,
    Simhash,
    Terms,
    Sentences,
    Imatch,
}

impl Way {
    /// Those chosen, or all there are.
    pub(crate) fn all(chosen: &[Self]) -> Vec<Self> {
        super::all(chosen)
    }

    pub(crate) fn options(self) -> &'static [&'static str] {
        match self {
            Self::Shingles => &["--method", "shingles"],
            Self::Coverage => &["--method", "shingles", "--metric", "coverage"],
            Self::Minhash => &["--method", "minhash"],
            Self::Simhash => &["--method", "simhash"],
            Self::Terms => &["--method", "terms"],
            Self::Sentences => &["--method", "sentences"],
            Self::Imatch => &["--method", "imatch"],
        }
    }

    /// Whether an index is made for it.
    fn has_index(self) -> bool {
        !matches!(self, Self::Simhash | Self::Coverage)
    }

    pub(crate) fn name(self) -> String {
        name(&self)
    }
}

/// What is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ask {
    Dedup,
    /// `dedup --keep longest`
    Longest,
    /// `dedup --linkage complete`
    Complete,
    Clusters,
    Pairs,
    /// `index create` and `index add`
    Index,
    /// `check` against that index
    Check,
}

impl Ask {
    /// Whether tests ask it of this method: what several share is asked of one.
    pub(crate) fn is_quick(self, way: Way) -> bool {
        match self {
            Self::Dedup | Self::Pairs => true,
            Self::Clusters | Self::Longest | Self::Complete => way == Way::Shingles,
            Self::Index | Self::Check => matches!(way, Way::Minhash | Way::Sentences),
        }
    }
}

fn name(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// A run to be made.
pub(crate) struct Run<'a> {
    pub(crate) doublet: &'a Doublet,
    pub(crate) corpus: &'a Path,
    /// Where it writes.
    pub(crate) folder: &'a Path,
    pub(crate) hostile: Hostile,
    pub(crate) known: Known,
    pub(crate) way: Way,
    pub(crate) ask: Ask,
    pub(crate) limit: Duration,
    /// Also on one thread and little memory, for the same result.
    pub(crate) twice: bool,
}

/// How a run went.
struct Went {
    usage: Option<Usage>,
    /// What came of it, for people.
    result: String,
    /// What did not hold.
    broken: Vec<String>,
    /// Bytes of files that are mapped: they count as memory of the process, but the system takes them back when it needs them.
    mapped: u64,
}

impl Run<'_> {
    /// Runs it, and says how it went in a row of the record.
    pub(crate) fn row(&self) -> Result<Value> {
        let went = match self.ask {
            Ask::Index | Ask::Check if !self.way.has_index() => Went {
                usage: None,
                result: "no index by this".to_owned(),
                broken: Vec::new(),
                mapped: 0,
            },
            Ask::Dedup => self.dedup(&[])?,
            Ask::Longest => self.dedup(&["--keep", "longest"])?,
            Ask::Complete => self.dedup(&["--linkage", "complete"])?,
            Ask::Clusters => self.clusters()?,
            Ask::Pairs => self.pairs()?,
            Ask::Index => self.index()?,
            Ask::Check => self.check()?,
        };
        let mut broken = went.broken;
        if let Some(usage) = went.usage
            && usage.peak_bytes > doublet::most_bytes(&self.doublet.memory)? + went.mapped
        {
            broken.push(format!(
                "{} MB of memory within {}",
                usage.peak_bytes / 1_000_000,
                self.doublet.memory
            ));
        }
        Ok(json!({
            "collection": self.hostile.name(),
            "records": self.known.records,
            "bytes": std::fs::metadata(self.corpus)?.len(),
            "method": self.way.name(),
            "command": name(&self.ask),
            "usage": went.usage.map(Usage::to_json),
            "mapped_bytes": went.mapped,
            "result": went.result,
            "broken": (!broken.is_empty()).then_some(broken),
        }))
    }

    fn output(&self, name: &str) -> PathBuf {
        self.folder.join(format!("out-{name}"))
    }

    /// A run of a command within the limit; what it wrote before goes.
    fn attempt(&self, command: &str, output: &Path, more: &[&str]) -> Result<Attempt> {
        doublet::clear(output)?;
        let options = [self.way.options(), more].concat();
        self.limited(&self.doublet.program(command, self.corpus, output, &options))
    }

    /// A run within the limit.
    fn limited(&self, program: &Program) -> Result<Attempt> {
        Ok(match program.attempt(Some(self.limit))? {
            Outcome::Used(usage) => Attempt::Done(usage),
            Outcome::Ended(FAILED, usage) => Attempt::Refused(usage),
            // `check` tells by it that there is no copy.
            Outcome::Ended(_, usage) => Attempt::Done(usage),
            Outcome::OverLimit => Attempt::Broken(format!("over {} s", self.limit.as_secs())),
            Outcome::Failed(reason) => Attempt::Broken(reason),
        })
    }

    fn dedup(&self, more: &[&str]) -> Result<Went> {
        let output = self.output("dedup");
        let usage = match self.attempt("dedup", &output, more)? {
            Attempt::Done(usage) => usage,
            // It needs every pair, and says when there are too many.
            Attempt::Refused(usage) if self.ask == Ask::Complete && !output.exists() => {
                return Attempt::Done(usage).went(|| Ok("too many pairs".to_owned()));
            }
            other => return other.went(|| Ok(String::new())),
        };
        let summary = doublet::summary(&output)?;
        let count = |field: &str| summary[field].as_u64().context("a summary without counts");
        let (kept, removed) = (count("kept")?, count("removed")?);
        let (empty, rejected) = (count("empty")?, count("rejected")?);
        let mut broken = Vec::new();
        if kept + removed + empty + rejected != self.known.records {
            broken.push(format!(
                "{kept} kept, {removed} removed, {empty} empty and {rejected} rejected of {} records",
                self.known.records
            ));
        }
        if rejected > 0 {
            broken.push(format!("{rejected} rejected"));
        }
        let expected = self.kept_by_rule().filter(|_| self.ask == Ask::Dedup);
        if expected.is_some_and(|expected| kept != expected) {
            broken.push(format!(
                "{kept} kept instead of {}",
                expected.unwrap_or_default()
            ));
        }
        broken.extend(unsafe_removals(&output, &summary)?);
        if self.twice {
            broken.extend(self.dedup_again(&output, more)?);
        }
        doublet::clear(&output)?;
        Ok(Went {
            usage: Some(usage),
            result: format!("{kept} kept, {removed} removed, {empty} empty"),
            broken,
            mapped: 0,
        })
    }

    /// What must be kept, where that is known.
    fn kept_by_rule(&self) -> Option<u64> {
        let Known {
            records,
            empty,
            distinct,
            near,
        } = self.known;
        if empty == records {
            return Some(0);
        }
        let complete = matches!(self.way, Way::Shingles);
        match near {
            Near::Nothing if complete || distinct == 1 => Some(distinct),
            // A text of the chain and its two neighbours.
            Near::Chain if complete => Some(distinct.div_ceil(3)),
            _ => None,
        }
    }

    /// The same on one thread within little memory; what differs.
    fn dedup_again(&self, output: &Path, more: &[&str]) -> Result<Option<String>> {
        let again = self.output("again");
        let slow = self.doublet.limited("64M").with_threads(1);
        let run = Run {
            doublet: &slow,
            ..*self
        };
        match run.attempt("dedup", &again, more)? {
            Attempt::Done(_) => {}
            _ => return Ok(Some("it fails on one thread within 64M".to_owned())),
        }
        for name in [
            "kept.jsonl",
            "removed.jsonl",
            "pairs.jsonl",
            "clusters.jsonl",
        ] {
            if std::fs::read(output.join(name))? != std::fs::read(again.join(name))? {
                return Ok(Some(format!("{name} differs on one thread within 64M")));
            }
        }
        doublet::clear(&again)?;
        Ok(None)
    }

    fn clusters(&self) -> Result<Went> {
        let output = self.output("clusters.jsonl");
        self.attempt("clusters", &output, &[])?
            .went(|| Ok(format!("{} clusters", lines(&output)?)))
    }

    /// All pairs, or the word that there are too many, and then nothing else.
    fn pairs(&self) -> Result<Went> {
        let output = self.output("pairs.jsonl");
        match self.attempt("pairs", &output, &["--max-pairs", MOST_PAIRS])? {
            Attempt::Refused(usage) if !output.exists() => {
                Attempt::Done(usage).went(|| Ok("more than 1,000,000 pairs".to_owned()))
            }
            other => other.went(|| Ok(format!("{} pairs", lines(&output)?))),
        }
    }

    fn index(&self) -> Result<Went> {
        let directory = self.output("index");
        doublet::clear(&directory)?;
        let index = directory.display().to_string();
        let create = [&["index", "create", &index], self.way.options()].concat();
        self.doublet.bare(&create).measure()?;
        let corpus = self.corpus.display().to_string();
        self.limited(&self.doublet.work(&["index", "add", &index, &corpus]))?
            .went(|| Ok(format!("{} MB", size_of(&directory)? / 1_000_000)))
    }

    fn check(&self) -> Result<Went> {
        let (index, stats) = (self.output("index"), self.output("stats.json"));
        if !index.is_dir() {
            self.index()?;
        }
        let asked = self.folder.join("asked.jsonl");
        copy_some(self.corpus, &asked)?;
        let [index_name, asked_name, stats_name] =
            [&index, &asked, &stats].map(|path| path.display().to_string());
        let arguments = [
            "check",
            &asked_name,
            "--index",
            &index_name,
            "--stats",
            &stats_name,
        ];
        let went = self
            .limited(&self.doublet.work(&arguments))?
            .went(|| answers(&stats))?;
        let mapped = size_of(&index)?;
        doublet::clear(&index)?;
        Ok(Went { mapped, ..went })
    }
}

/// Removals that a run must not make: of a text that scores below the threshold against the text kept for it, or for a text that
/// is removed itself.
fn unsafe_removals(output: &Path, summary: &Value) -> Result<Vec<String>> {
    let options = &summary["options"];
    // Enough sentences make a copy, whatever their share.
    let threshold = match options["min-sentences"].is_u64() {
        true => 0.0,
        false => options["threshold"].as_f64().unwrap_or_default(),
    };
    let (mut removed, mut kept) = (HashSet::new(), HashSet::new());
    let mut below = 0;
    let file = std::fs::File::open(output.join("removed.jsonl"))?;
    for line in std::io::BufReader::new(file).lines() {
        let line: Value = serde_json::from_str(&line?)?;
        below += u64::from(line["score"].as_f64().unwrap_or_default() + TOLERANCE < threshold);
        let key = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
        removed.insert(key("id"));
        kept.insert(key("representative"));
    }
    let mut broken = Vec::new();
    if below > 0 || summary["below_threshold"] != 0 {
        let told = &summary["below_threshold"];
        broken.push(format!(
            "{below} removals below the threshold, {told} by the summary"
        ));
    }
    let gone = kept.intersection(&removed).count();
    if gone > 0 {
        broken.push(format!(
            "{gone} texts are removed for one that is removed itself"
        ));
    }
    Ok(broken)
}

/// How a run ended.
enum Attempt {
    Done(Usage),
    /// With an error, as it may.
    Refused(Usage),
    Broken(String),
}

impl Attempt {
    /// How it went, if it must not be refused; `result` says what came of it.
    fn went(self, result: impl FnOnce() -> Result<String>) -> Result<Went> {
        Ok(match self {
            Self::Done(usage) => Went {
                usage: Some(usage),
                result: result()?,
                broken: Vec::new(),
                mapped: 0,
            },
            Self::Refused(usage) => Went {
                usage: Some(usage),
                result: String::new(),
                broken: vec!["it failed".to_owned()],
                mapped: 0,
            },
            Self::Broken(reason) => Went {
                usage: None,
                result: String::new(),
                broken: vec![reason],
                mapped: 0,
            },
        })
    }
}

/// The first records.
fn copy_some(from: &Path, to: &Path) -> Result<()> {
    use std::io::{BufRead, BufReader, BufWriter, Write};
    let mut reader = BufReader::new(std::fs::File::open(from)?);
    let mut writer = BufWriter::new(std::fs::File::create(to)?);
    let mut line = Vec::new();
    for _ in 0..ASKED {
        line.clear();
        reader.read_until(b'\n', &mut line)?;
        writer.write_all(&line)?;
    }
    Ok(writer.flush()?)
}

fn lines(path: &Path) -> Result<usize> {
    use std::io::{BufRead, BufReader};
    let mut reader = BufReader::with_capacity(1 << 20, std::fs::File::open(path)?);
    let mut count = 0;
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(count);
        }
        count += bytes.iter().filter(|byte| **byte == b'\n').count();
        let length = bytes.len();
        reader.consume(length);
    }
}

fn size_of(directory: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(directory)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// Above the lines.
pub(crate) const HEAD: &str =
    "| collection | records | MB | method | command | wall s | CPU s | peak MB | result | holds |
|---|---:|---:|---|---|---:|---:|---:|---|---|";

/// A row for people.
pub(crate) fn line(row: &Value) -> String {
    let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
    let usage = |field: &str, scale: f64, digits: usize| {
        let figure = row["usage"][field].as_f64();
        figure.map_or("–".to_owned(), |figure| {
            format!("{:.digits$}", figure / scale)
        })
    };
    let broken: Vec<&str> = row["broken"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    format!(
        "| {} | {} | {:.0} | {} | {} | {} | {} | {} | {} | {} |",
        text("collection"),
        row["records"],
        row["bytes"].as_f64().unwrap_or_default() / 1e6,
        text("method"),
        text("command"),
        usage("wall_seconds", 1.0, 1),
        usage("cpu_seconds", 1.0, 1),
        usage("peak_bytes", 1e6, 0),
        text("result"),
        if broken.is_empty() {
            "yes".to_owned()
        } else {
            format!("no: {}", broken.join("; "))
        },
    )
}

/// What `check` counted.
fn answers(stats: &Path) -> Result<String> {
    let stats: Value = serde_json::from_slice(&std::fs::read(stats)?)?;
    Ok(format!(
        "{} copies of {}",
        stats["duplicates"], stats["texts"]
    ))
}
