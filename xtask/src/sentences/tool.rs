//! The tool as it is run for the figures: an index of the sources, and targets checked against it.

use std::fs::File;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::bench::measure::Usage;
use crate::corpus;
use crate::doublet::{self, Doublet};

/// What the tool says about one text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) id: String,
    pub(crate) is_duplicate: bool,
    /// Of its words, how many are copied.
    pub(crate) share: f64,
    /// Zero for methods that look at whole texts.
    pub(crate) sentences: u64,
    /// The ids of its sources, in the tool's order.
    pub(crate) sources: Vec<String>,
}

impl Answer {
    fn parse(row: &Value) -> Option<Self> {
        let sources = row["sources"].as_array().map_or(&[][..], Vec::as_slice);
        let id = |row: &Value| row["id"].as_str().map(str::to_owned);
        Some(Self {
            id: id(row)?,
            is_duplicate: row["duplicate"].as_bool()?,
            share: row["share"].as_f64().unwrap_or(0.0),
            sentences: row["sentences"].as_u64().unwrap_or(0),
            sources: sources.iter().map(id).collect::<Option<_>>()?,
        })
    }
}

/// How long requests took, in microseconds, and opening, in milliseconds, as the tool says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Times {
    pub(crate) open_ms: f64,
    pub(crate) median_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) mean_us: f64,
}

impl Times {
    fn parse(stats: &Value) -> Option<Self> {
        let request = &stats["request_us"];
        Some(Self {
            open_ms: stats["open_ms"].as_f64()?,
            median_us: request["median"].as_f64()?,
            p99_us: request["p99"].as_f64()?,
            mean_us: request["mean"].as_f64()?,
        })
    }
}

/// What building an index took, and what is in it.
pub(crate) struct Built {
    pub(crate) usage: Usage,
    /// What `index info` says.
    pub(crate) info: Value,
}

impl Built {
    /// A number of the info.
    pub(crate) fn number(&self, name: &str) -> Result<f64> {
        let number = self.info[name].as_f64();
        number.with_context(|| format!("`doublet index info` says no `{name}`"))
    }
}

/// The tool, and the folder for what it writes.
pub(crate) struct Tool {
    pub(crate) doublet: Doublet,
    folder: PathBuf,
}

impl Tool {
    pub(crate) fn new(args: &doublet::Args) -> Result<Self> {
        let folder = args.folder()?.join("sentences");
        std::fs::create_dir_all(&folder)?;
        Ok(Self {
            doublet: Doublet::find(args)?,
            folder,
        })
    }

    /// A file of the folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn index(&self) -> PathBuf {
        self.file("index")
    }

    /// An index of the sources, with these options, in the place of the one before.
    pub(crate) fn build(&self, sources: &Path, options: &[&str]) -> Result<Built> {
        let index = self.index();
        doublet::clear(&index)?;
        let name = index.display().to_string();
        println!("  index create {}", options.join(" "));
        self.run(&[&["index", "create", &name], options].concat(), None)?;
        let input = sources.display().to_string();
        let add = self.doublet.work(&["index", "add", &name, &input]);
        let usage = add.measure()?;
        let output = self.file("info.json");
        self.run(&["index", "info", &name, "--json"], Some(&output))?;
        let info = serde_json::from_slice(&std::fs::read(&output)?);
        Ok(Built {
            usage,
            info: info.context("`doublet index info --json` wrote no JSON")?,
        })
    }

    /// Remove the index.
    pub(crate) fn clear(&self) -> Result<()> {
        doublet::clear(&self.index())
    }

    /// The targets checked against the index, on one thread.
    pub(crate) fn check(&self, targets: &Path) -> Result<(Vec<Answer>, Times)> {
        let (index, stats) = (self.index(), self.file("stats.json"));
        let where_to = [
            "--index",
            &index.display().to_string(),
            "--stats",
            &stats.display().to_string(),
        ];
        let answers = self.answers(targets, &where_to)?;
        let stats: Value = serde_json::from_slice(&std::fs::read(&stats)?)?;
        Ok((
            answers,
            Times::parse(&stats).context("`--stats` wrote no times")?,
        ))
    }

    /// Texts checked against others, without an index.
    pub(crate) fn check_against(&self, texts: &Path, references: &Path) -> Result<Vec<Answer>> {
        self.answers(texts, &["--against", &references.display().to_string()])
    }

    fn answers(&self, texts: &Path, options: &[&str]) -> Result<Vec<Answer>> {
        let output = self.file("answers.jsonl");
        let texts = texts.display().to_string();
        let line = [&["check", &texts], options, &["--threads", "1", "--json"]].concat();
        self.run(&line, Some(&output))?;
        let mut answers = Vec::new();
        each_line(&output, |row| {
            answers.push(Answer::parse(row)?);
            Some(())
        })?;
        Ok(answers)
    }

    /// The wall time of a whole run with these texts, in milliseconds.
    pub(crate) fn time_check(&self, texts: &Path) -> Result<f64> {
        let (index, output) = (self.index().display().to_string(), self.file("one.out"));
        let texts = texts.display().to_string();
        let start = Instant::now();
        self.run(
            &[
                "check",
                &texts,
                "--index",
                &index,
                "--threads",
                "1",
                "--json",
            ],
            Some(&output),
        )?;
        Ok(start.elapsed().as_secs_f64() * 1000.0)
    }

    /// Run the tool; nothing found (exit status 1) is no failure.
    fn run(&self, line: &[&str], output: Option<&Path>) -> Result<()> {
        let stdout = match output {
            Some(path) => File::create(path)
                .with_context(|| format!("cannot write `{}`", path.display()))?
                .into(),
            None => Stdio::null(),
        };
        let mut command = Command::new(self.doublet.binary());
        let status = command
            .args(line)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(stdout)
            .status()?;
        let is_check = line.first() == Some(&"check");
        ensure!(
            status.success() || is_check && status.code() == Some(1),
            "`doublet {}` failed with {status}",
            line.join(" ")
        );
        Ok(())
    }
}

/// Visit every line of a file of JSON lines; a visit that says nothing is a mistake in the file.
pub(crate) fn each_line(path: &Path, mut visit: impl FnMut(&Value) -> Option<()>) -> Result<()> {
    let reader = corpus::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    for (number, line) in reader.lines().enumerate() {
        let row = serde_json::from_str(&line?).ok();
        let place = || {
            format!(
                "`{}`, line {}: not what is expected there",
                path.display(),
                number + 1
            )
        };
        row.and_then(|row| visit(&row)).with_context(place)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_are_read() {
        let row = json!({"id": "t1", "duplicate": true, "share": 0.25, "sentences": 3, "of": 12,
            "sources": [{"id": "s7", "score": 2.0, "sentences": 2, "passages": []}, {"id": "s1", "score": 1.0}]});
        let answer = Answer::parse(&row).expect("a good row");
        assert_eq!(
            (answer.is_duplicate, answer.share, answer.sentences),
            (true, 0.25, 3)
        );
        assert_eq!(answer.sources, ["s7", "s1"]);
        let row = json!({"id": "t2", "duplicate": false, "sources": []});
        assert_eq!(Answer::parse(&row).map(|answer| answer.sentences), Some(0));
        assert_eq!(Answer::parse(&json!({"id": "t3"})), None);
    }

    #[test]
    fn times_are_read() {
        let stats = json!({"texts": 2, "duplicates": 1, "open_ms": 1.5,
            "request_us": {"median": 20.0, "p99": 90.5, "mean": 25}});
        let times = Times::parse(&stats).expect("good stats");
        assert_eq!(
            (times.open_ms, times.median_us, times.p99_us, times.mean_us),
            (1.5, 20.0, 90.5, 25.0)
        );
        assert_eq!(Times::parse(&json!({"open_ms": 1})), None);
    }
}
