//! How fast texts are prepared and sketched on one thread, by the library's example of that name.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::corpus::Kind;
use crate::{bench, workspace};

pub(super) const EXPERIMENT: &str = "signing";
/// Texts that are signed, of a collection of so many.
const TEXTS: usize = 50_000;
const DOCUMENTS: usize = 100_000;

/// Run the example: a row for each job.
pub(super) fn measure(folder: &Path, from: &[PathBuf]) -> Result<Vec<Value>> {
    let collection = bench::make(folder, Kind::Documents, DOCUMENTS, from)?;
    let (file, count) = (collection.path.display().to_string(), TEXTS.to_string());
    let line = "cargo run --profile dist --package doublet --example signing --";
    let mut line: Vec<&str> = line.split(' ').collect();
    line.extend([file.as_str(), &count]);
    rows(&serde_json::from_str(&workspace::output_of(&line)?)?)
}

/// A row for each job of what the example prints, with what they have in common.
fn rows(printed: &Value) -> Result<Vec<Value>> {
    let jobs = printed["jobs"].as_array();
    let jobs = jobs.context("`signing` printed no jobs")?.iter();
    let row = |job: &Value| {
        json!({
            "experiment": EXPERIMENT,
            "job": job["job"],
            "texts": printed["texts"],
            "bytes": printed["bytes"],
            "rounds": printed["rounds"],
            "megabytes_per_second": {"best": job["best"], "median": job["median"]},
        })
    };
    Ok(jobs.map(row).collect())
}

/// Print the speeds.
pub(super) fn show(rows: &[&Value]) -> Result<()> {
    println!("\n{}\n", table(rows));
    Ok(())
}

fn table(rows: &[&Value]) -> String {
    let mut lines = vec![
        "| one thread | MB of text a second, median | best |".to_owned(),
        "|---|---:|---:|".to_owned(),
    ];
    let line = |row: &&Value| {
        let speed = &row["megabytes_per_second"];
        let number = |name: &str| speed[name].as_f64().unwrap_or(f64::NAN);
        let job = row["job"].as_str().unwrap_or_default();
        format!(
            "| {job} | {:.0} | {:.0} |",
            number("median"),
            number("best")
        )
    };
    lines.extend(rows.iter().map(line));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_job_is_a_row() {
        let printed = json!({"texts": 2, "bytes": 10, "rounds": 5,
            "jobs": [{"job": "F_200", "best": 120.4, "median": 119.6}]});
        let rows = rows(&printed).expect("good output");
        assert_eq!(rows[0]["texts"], 2);
        let table = table(&[&rows[0]]);
        assert!(table.ends_with("| F_200 | 120 | 120 |"), "{table}");
        assert!(super::rows(&json!({})).is_err());
    }
}
