//! `minhash` beside `shingles` on growing collections: time, memory, and how many of the pairs sketches find.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::figures::Args;
use crate::bench::contender::{self, Contender};
use crate::bench::peers::Pythons;
use crate::bench::record::{self, Row};
use crate::bench::rounds::{self, Setting, Tools};
use crate::bench::{self, Findings};
use crate::corpus::Kind;
use crate::doublet::Doublet;
use crate::draw::{self, Axis, Corner, Line, Panel};

pub(super) const EXPERIMENT: &str = "scaling";
const METHODS: [&str; 2] = ["shingles", "minhash"];
const THRESHOLD: f64 = 0.7;
/// Collections up to this size run within the common memory limit, larger ones within `LARGE_LIMIT`.
const USUAL: usize = 1_000_000;
const LARGE_LIMIT: &str = "4G";
/// What `minhash` has to do with in another run on the largest usual collection.
const SMALL_LIMIT: &str = "512M";
/// Within this factor the two are called even; chosen, not measured.
const EVEN: f64 = 1.02;

/// Both methods on each collection, and what was wrong with the pairs of `minhash`.
pub(super) fn measure(args: &Args) -> Result<(Vec<Value>, Vec<Findings>)> {
    let folder = args.doublet.folder()?;
    let doublet = Doublet::find(&args.doublet)?;
    let sizes = sizes(args.largest)?;
    let limited = sizes.iter().copied().filter(|&size| size <= USUAL).max();
    let setting = Setting {
        runs: args.runs,
        threads: args.doublet.threads,
        threshold: THRESHOLD,
        check: false,
        limit: Duration::MAX,
        compare_answers: false,
    };
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    for size in sizes {
        let collection = bench::make(&folder, Kind::Documents, size, &args.from)?;
        let contenders =
            contender::minhash(THRESHOLD, (Some(size) == limited).then_some(SMALL_LIMIT));
        let tools = Tools {
            doublet: Some(if size > USUAL {
                doublet.limited(LARGE_LIMIT)
            } else {
                doublet.clone()
            }),
            pythons: Pythons::new(),
            folder: folder.clone(),
        };
        let (more, findings) = rounds::measure(&setting, &tools, &contenders, &collection)?;
        for (contender, row) in contenders.iter().zip(&more) {
            let row = described(contender, row, &rows)?;
            println!("{}", line(&row));
            rows.push(row);
        }
        wrong.extend(findings);
    }
    Ok((rows, wrong))
}

/// Those of `bench --scaling` below the largest, and that.
fn sizes(largest: usize) -> Result<Vec<usize>> {
    ensure!(largest > 0, "`--largest` must be at least 1");
    let below = bench::SCALING_SIZES
        .into_iter()
        .filter(|&size| size < largest);
    Ok(below.chain([largest]).collect())
}

/// The row of the record, with its costs beside those of the smallest collection.
fn described(contender: &Contender, row: &Row, before: &[Value]) -> Result<Value> {
    let mut row = row.to_json();
    row["experiment"] = json!(EXPERIMENT);
    row["has_own_limit"] = json!(contender.memory().is_some());
    let first = before.iter().find(|other| other["method"] == row["method"]);
    row["cost_per_document"] = record::cost(&row, first.unwrap_or(&row))?;
    row["microseconds_per_document"] = json!({
        "wall": microseconds(&row, "wall_seconds")?,
        "cpu": microseconds(&row, "cpu_seconds")?,
    });
    Ok(row)
}

fn microseconds(row: &Value, figure: &str) -> Result<f64> {
    let seconds = row["median"][figure].as_f64();
    let both = seconds.zip(row["documents"].as_f64());
    let (seconds, documents) = both.with_context(|| format!("a row without `{figure}`"))?;
    Ok((seconds / documents * 1e7).round() / 10.0)
}

/// Print the table, say which method wins where, and draw.
pub(super) fn show(rows: &[&Value]) -> Result<()> {
    println!("\n{}\n", table(rows));
    let plain: Vec<&Value> = rows
        .iter()
        .copied()
        .filter(|row| row["has_own_limit"] == false)
        .collect();
    for verdict in verdicts(&plain) {
        println!("{verdict}");
    }
    draw(&plain)
}

fn table(rows: &[&Value]) -> String {
    let mut lines = vec![
        "| documents | method | memory limit | wall s | CPU s | peak MB | wall µs a document | CPU µs a document | CPU a document, × the smallest | pairs | recall |".to_owned(),
        "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|".to_owned(),
    ];
    lines.extend(rows.iter().map(|row| line(row)));
    lines.join("\n")
}

fn line(row: &Value) -> String {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let word = |name: &str| row[name].as_str().unwrap_or("–").to_owned();
    let (median, each) = (&row["median"], &row["microseconds_per_document"]);
    format!(
        "| {} | {} | {} | {:.2} | {:.2} | {:.0} | {:.1} | {:.1} | ×{:.2} | {} | {:.2} % |",
        row["documents"],
        word("method"),
        word("memory_limit"),
        number(&median["wall_seconds"]),
        number(&median["cpu_seconds"]),
        number(&median["peak_bytes"]) / 1e6,
        number(&each["wall"]),
        number(&each["cpu"]),
        number(&row["cost_per_document"]["cpu"]),
        row["pairs"],
        number(&row["recall"]) * 100.0,
    )
}

/// Which method takes less on each collection that both ran on.
fn verdicts(rows: &[&Value]) -> Vec<String> {
    let of = |method: &'static str| rows.iter().filter(move |row| row["method"] == method);
    let mut lines = Vec::new();
    for shingles in of(METHODS[0]) {
        let documents = &shingles["documents"];
        if let Some(minhash) = of(METHODS[1]).find(|row| row["documents"] == *documents) {
            let by = |name: &str, figure: &str| winner(shingles, minhash, name, figure);
            let figures = [
                by("CPU", "cpu_seconds"),
                by("wall", "wall_seconds"),
                by("memory", "peak_bytes"),
            ];
            lines.push(format!("{documents} documents: {}", figures.join(", ")));
        }
    }
    lines
}

fn winner(shingles: &Value, minhash: &Value, name: &str, figure: &str) -> String {
    let number = |row: &Value| row["median"][figure].as_f64().unwrap_or(f64::NAN);
    let (a, b) = (number(shingles), number(minhash));
    let ratio = a.max(b) / a.min(b);
    if ratio < EVEN {
        return format!("even by {name}");
    }
    let winner = if a < b { METHODS[0] } else { METHODS[1] };
    format!("{winner} wins by {name} (the other takes ×{ratio:.2})")
}

fn draw(rows: &[&Value]) -> Result<()> {
    let mut lines = Vec::new();
    for (method, colour) in METHODS.into_iter().zip([draw::BLUE, draw::ORANGE]) {
        let own = || rows.iter().filter(|row| row["method"] == method);
        let points = |figure: &str| -> Result<Vec<(f64, f64)>> {
            let point = |row: &&Value| {
                let documents = row["documents"].as_f64();
                Some((
                    documents?,
                    row["microseconds_per_document"][figure].as_f64()?,
                ))
            };
            let points: Option<Vec<_>> = own().map(point).collect();
            points.context("a row without time for a document")
        };
        let (cpu, wall) = (format!("{method}, CPU"), format!("{method}, wall"));
        lines.push(Line::new(&cpu, colour, points("cpu")?));
        lines.push(Line::new(&wall, colour, points("wall")?).dashed());
    }
    let (least, most) = (draw::least(&lines, |p| p.0), draw::most(&lines, |p| p.0));
    let panel = Panel {
        title: "Time for a document as collections grow, resemblance ≥ 0.7",
        x: Axis::logarithmic("documents", least * 0.8..most * 1.25),
        y: Axis::linear(
            "microseconds a document",
            0.0..draw::most(&lines, |p| p.1) * 1.3,
        ),
        lines: &lines,
        legend: Some(Corner::UpperLeft),
    };
    let path = draw::path("minhash-scaling.svg")?;
    draw::draw(&[panel], &path)?;
    println!("drew {}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_the_last() {
        assert_eq!(sizes(30_000).expect("sizes"), [10_000, 30_000]);
        assert_eq!(sizes(500).expect("sizes"), [500]);
        let all = sizes(10_000_000).expect("sizes");
        assert_eq!((all.len(), all[5]), (6, 10_000_000));
        assert!(sizes(0).is_err());
    }

    #[test]
    fn the_winner_takes_less() {
        let row = |method: &str, cpu: f64, wall: f64| {
            json!({"method": method, "documents": 1000, "median":
                {"cpu_seconds": cpu, "wall_seconds": wall, "peak_bytes": 5}})
        };
        let (shingles, minhash) = (row("shingles", 3.0, 1.0), row("minhash", 1.5, 2.0));
        assert_eq!(
            verdicts(&[&shingles, &minhash]),
            [
                "1000 documents: minhash wins by CPU (the other takes ×2.00), \
              shingles wins by wall (the other takes ×2.00), even by memory"
            ]
        );
        assert_eq!(
            microseconds(&minhash, "cpu_seconds").expect("a time"),
            1500.0
        );
    }
}
