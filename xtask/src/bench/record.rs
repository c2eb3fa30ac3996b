//! What was measured, kept: one dated file of JSON a run of the benchmark, and a table for the reader.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::measure::Usage;
use super::pairs::Quality;
use crate::corpus::Kind;
use crate::{doublet, workspace};

const FOLDER: &str = "benchmarks/record";

/// A collection that was measured on.
#[derive(Clone, Debug)]
pub(crate) struct Collection {
    pub(crate) path: PathBuf,
    pub(crate) documents: usize,
    pub(crate) words: usize,
    pub(crate) bytes: u64,
    /// None if it was not made here.
    pub(crate) kind: Option<Kind>,
}

/// One tool on one collection.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) tool: String,
    pub(crate) is_peer: bool,
    pub(crate) version: String,
    /// doublet's method.
    pub(crate) method: Option<&'static str>,
    /// The command of the tool, where it has several that answer.
    pub(crate) command: Option<&'static str>,
    /// doublet's memory limit.
    pub(crate) memory_limit: Option<String>,
    pub(crate) metric: String,
    /// None for a program that only does a part of the work.
    pub(crate) threshold: Option<f64>,
    pub(crate) collection: Collection,
    pub(crate) runs: Vec<Usage>,
    pub(crate) usage: Usage,
    pub(crate) pairs: Option<usize>,
    pub(crate) quality: Option<Quality>,
}

impl Row {
    pub(crate) fn to_json(&self) -> Value {
        let runs: Vec<Value> = self.runs.iter().map(|run| run.to_json()).collect();
        json!({
            "tool": self.tool,
            "version": self.version,
            "method": self.method,
            "command": self.command,
            "memory_limit": self.memory_limit,
            "metric": self.metric,
            "threshold": self.threshold,
            "kind": self.collection.kind.map(Kind::name),
            "documents": self.collection.documents,
            "words": self.collection.words,
            "bytes": self.collection.bytes,
            "median": self.usage.to_json(),
            "busy_cores": (self.usage.busy_cores() * 100.0).round() / 100.0,
            "pairs": self.pairs,
            "recall": self.quality.map(|quality| quality.recall),
            "precision": self.quality.map(|quality| quality.precision),
            "runs": runs,
        })
    }
}

/// Write the record and say where.
pub(crate) fn write(name: &str, rows: &[Value], threads: usize) -> Result<PathBuf> {
    write_into(&workspace::root().join(FOLDER), name, rows, threads)
}

/// Write the record into a folder and say where.
pub(crate) fn write_into(
    folder: &Path,
    name: &str,
    rows: &[Value],
    threads: usize,
) -> Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let date = today();
    let path = folder.join(format!("{date}-{name}.json"));
    let record = json!({
        "date": date,
        "name": name,
        "machine": machine(threads),
        "rows": rows,
    });
    std::fs::write(&path, format!("{record:#}\n"))?;
    Ok(path)
}

/// The rows of the record that was written today under a name; none if there is no such record.
pub(crate) fn today_rows(name: &str) -> Result<Vec<Value>> {
    let path = workspace::root()
        .join(FOLDER)
        .join(format!("{}-{name}.json", today()));
    match path.exists() {
        true => read(&path),
        false => Ok(Vec::new()),
    }
}

/// The rows of a record.
pub(crate) fn read(path: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let record: Value = serde_json::from_slice(&text)?;
    let rows = record["rows"].as_array();
    Ok(rows.context("a record without rows")?.clone())
}

/// Time and memory for a text, as multiples of what it took in the smallest collection.
pub(crate) fn cost(row: &Value, first: &Value) -> Result<Value> {
    let relative = |figure: &str| {
        let each = |row: &Value| Some(row["median"][figure].as_f64()? / row["documents"].as_f64()?);
        let both = each(row).zip(each(first));
        let (here, there) = both.with_context(|| format!("a row without `{figure}`"))?;
        anyhow::Ok((here / there * 1000.0).round() / 1000.0)
    };
    Ok(json!({
        "wall": relative("wall_seconds")?,
        "cpu": relative("cpu_seconds")?,
        "memory": relative("peak_bytes")?,
    }))
}

/// What it ran on.
pub(crate) fn machine(threads: usize) -> Value {
    json!({
        "cpu": field("/proc/cpuinfo", "model name"),
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "threads": threads,
        "memory": field("/proc/meminfo", "MemTotal"),
        "kernel": std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim(),
        "rustc": first_line("rustc", &["--version"]),
        "python": first_line("python3", &["--version"]),
        "commit": first_line("git", &["rev-parse", "--short", "HEAD"]),
    })
}

/// The value of the first line of this name in a `name : value` file of the system.
fn field(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The first line that a program prints; none if it cannot be run.
pub(crate) fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(workspace::root())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next().map(str::to_owned)
}

/// Today in UTC, as YYYY-MM-DD.
pub(crate) fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs());
    date(seconds / 86_400)
}

/// The date so many days after 1970-01-01, by Hinnant's reckoning in eras of 400 years that begin in March.
fn date(days: u64) -> String {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The rows as a Markdown table; factors say how many times the fastest peer's time is this one's.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "| documents | tool | metric | wall s | CPU s | busy cores | peak MB | pairs | recall | precision | wall × | CPU × |".to_owned(),
        "|---:|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|".to_owned(),
    ];
    lines.extend(rows.iter().map(|row| line(row, rows)));
    lines.join("\n")
}

fn line(row: &Row, rows: &[Row]) -> String {
    let percent =
        |share: Option<f64>| share.map_or("–".to_owned(), |s| format!("{:.2} %", s * 100.0));
    let usage = row.usage;
    let method = row.method.map_or(String::new(), |m| format!(" {m}"));
    let command = row.command.map_or(String::new(), |c| format!("{c}: "));
    let threshold = row.threshold.map_or(String::new(), |t| format!(" ≥ {t}"));
    let limit = row.memory_limit.as_deref();
    let limit = limit.filter(|&limit| limit != doublet::MEMORY);
    let limit = limit.map_or(String::new(), |limit| format!(" in {limit}"));
    let kind = match row.collection.kind {
        None | Some(Kind::Documents) => String::new(),
        Some(kind) => format!(" {}", kind.name()),
    };
    format!(
        "| {}{kind} | {}{method} {} | {command}{}{threshold}{limit} | {:.2} | {:.2} | {:.2} | {:.0} | {} | {} | {} | {} | {} |",
        row.collection.documents,
        row.tool,
        row.version,
        row.metric,
        usage.wall_seconds,
        usage.cpu_seconds,
        usage.busy_cores(),
        usage.peak_bytes as f64 / 1e6,
        row.pairs.map_or("–".to_owned(), |pairs| pairs.to_string()),
        percent(row.quality.map(|quality| quality.recall)),
        percent(row.quality.map(|quality| quality.precision)),
        factor(row, rows, |usage| usage.wall_seconds),
        factor(row, rows, |usage| usage.cpu_seconds),
    )
}

/// How many times faster than the fastest peer on the same collection.
fn factor(row: &Row, rows: &[Row], figure: fn(&Usage) -> f64) -> String {
    rows.iter()
        .filter(|other| other.is_peer && other.collection.path == row.collection.path)
        .map(|other| figure(&other.usage))
        .min_by(f64::total_cmp)
        .map_or("–".to_owned(), |best| {
            format!("{:.2}", best / figure(&row.usage))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_453), "2025-12-31");
        assert_eq!(date(20_454), "2026-01-01");
    }

    fn row(tool: &str, is_peer: bool, wall_seconds: f64) -> Row {
        let usage = Usage {
            wall_seconds,
            cpu_seconds: 2.0 * wall_seconds,
            peak_bytes: 5_000_000,
        };
        Row {
            tool: tool.to_owned(),
            is_peer,
            version: "1".to_owned(),
            method: (!is_peer).then_some("shingles"),
            command: None,
            memory_limit: (!is_peer).then(|| "512M".to_owned()),
            metric: "resemblance".to_owned(),
            threshold: Some(0.7),
            collection: Collection {
                path: "c.jsonl".into(),
                documents: 10,
                words: 100,
                bytes: 1000,
                kind: None,
            },
            runs: vec![usage],
            usage,
            pairs: Some(3),
            quality: None,
        }
    }

    #[test]
    fn factors_are_against_the_fastest_peer() {
        let rows = [
            row("ours", false, 1.0),
            row("slow", true, 24.0),
            row("fast", true, 12.0),
        ];
        assert_eq!(factor(&rows[0], &rows, |usage| usage.wall_seconds), "12.00");
        assert_eq!(factor(&rows[1], &rows, |usage| usage.wall_seconds), "0.50");
        assert!(table(&rows).contains("| 10 | ours shingles 1 | resemblance ≥ 0.7 in 512M | 1.00 | 2.00 | 2.00 | 5 | 3 | – | – | 12.00 | 12.00 |"));
    }

    fn grown(documents: u64, wall: f64, peak: u64) -> Value {
        json!({"documents": documents, "median":
            {"wall_seconds": wall, "cpu_seconds": 2.0 * wall, "peak_bytes": peak}})
    }

    #[test]
    fn cost_is_by_the_text() {
        let cost = cost(&grown(4000, 12.0, 2000), &grown(1000, 2.0, 1000)).expect("good rows");
        assert_eq!(cost, json!({"wall": 1.5, "cpu": 1.5, "memory": 0.5}));
        assert!(super::cost(&json!({}), &grown(1, 1.0, 1)).is_err());
    }
}
