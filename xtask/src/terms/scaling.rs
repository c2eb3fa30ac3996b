//! `cargo xtask terms-scaling`: run time and memory on growing collections, after the paper's figures 7 to 10.
//!
//! One collection of messages is made in the largest size; smaller ones are its first lines. Each is put
//! through `doublet dedup --method terms`, by transitivity, as the paper does it.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::bench::measure::Usage;
use crate::bench::{self, record};
use crate::corpus::Kind;
use crate::doublet::{self, Doublet};
use crate::draw::{self, Axis, Line, Panel};

/// What to measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Numbers of messages
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1000000,2000000,4000000,8000000,12000000"
    )]
    pub(crate) sizes: Vec<usize>,
    /// What the collection consists of: messages or titles
    #[arg(long, value_enum, default_value_t = Kind::Messages)]
    pub(crate) kind: Kind,
    /// Text for the collection, as for `cargo xtask corpus`
    #[arg(long, num_args = 1.., value_name = "FILE|DIR")]
    pub(crate) from: Vec<PathBuf>,
    /// Runs of each size; medians are reported
    #[arg(long, default_value_t = 1)]
    pub(crate) runs: usize,
    /// The record is benchmarks/record/DATE-NAME.json
    #[arg(long, default_value = "terms-scaling")]
    pub(crate) name: String,
    /// Measure nothing, draw this record again
    #[arg(long, value_name = "RECORD")]
    pub(crate) redraw: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) doublet: doublet::Args,
}

/// Measure, print the table, keep the record, draw.
pub(crate) fn run(args: &Args) -> Result<()> {
    let rows = match &args.redraw {
        Some(record) => record::read(record)?,
        None => {
            let rows = measure(args)?;
            let path = record::write(&args.name, &rows, args.doublet.threads)?;
            println!("record: {}", path.display());
            rows
        }
    };
    println!("\n{}\n", table(&rows));
    let rows: Vec<&Value> = rows.iter().collect();
    let (time, memory) = (
        draw::path("terms-run-time.svg")?,
        draw::path("terms-memory.svg")?,
    );
    draw(&rows, "messages", [&time, &memory])
}

/// A row for each size.
pub(crate) fn measure(args: &Args) -> Result<Vec<Value>> {
    ensure!(args.runs > 0, "`--runs` must be at least 1");
    let mut sizes = args.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let most = *sizes.last().context("`--sizes` is empty")?;
    ensure!(sizes[0] > 0, "`--sizes` must be at least 1 each");
    let doublet = Doublet::find(&args.doublet)?;
    let whole = bench::make(&args.doublet.folder()?, args.kind, most, &args.from)?.path;
    let mut rows = Vec::new();
    for size in sizes {
        let mut row = measure_size(args, &doublet, &whole, (size, most))?;
        row["cost_per_message"] = record::cost(&row, rows.first().unwrap_or(&row))?;
        println!("{}", line(&row));
        rows.push(row);
    }
    Ok(rows)
}

/// One size: the whole collection, or its first lines, put into a file for as long as it takes.
fn measure_size(
    args: &Args,
    doublet: &Doublet,
    whole: &Path,
    (size, most): (usize, usize),
) -> Result<Value> {
    if size == most {
        return measure_file(args, doublet, whole, size);
    }
    let part = args
        .doublet
        .folder()?
        .join(format!("{}-first-{size}.jsonl", args.kind.name()));
    copy_lines(whole, &part, size)?;
    let row = measure_file(args, doublet, &part, size);
    doublet::clear(&part)?;
    row
}

fn measure_file(args: &Args, doublet: &Doublet, file: &Path, size: usize) -> Result<Value> {
    let output = args.doublet.folder()?.join("terms-scaling");
    let program = doublet.program(
        "dedup",
        file,
        &output,
        &[
            "--method",
            "terms",
            "--candidates",
            "features",
            "--linkage",
            "connected",
        ],
    );
    let mut runs = Vec::new();
    let mut summary = Value::Null;
    for _ in 0..args.runs {
        doublet::clear(&output)?;
        runs.push(program.measure()?);
        summary = doublet::summary(&output)?;
    }
    doublet::clear(&output)?;
    let usage = Usage::median(&runs)?;
    let runs: Vec<Value> = runs.iter().map(|run| run.to_json()).collect();
    Ok(json!({
        "tool": "doublet",
        "version": doublet.version,
        "command": "dedup",
        "method": "terms",
        "kind": args.kind.name(),
        "documents": size,
        "bytes": std::fs::metadata(file)?.len(),
        "median": usage.to_json(),
        "busy_cores": (usage.busy_cores() * 100.0).round() / 100.0,
        "runs": runs,
        "comparisons": summary["verifications"],
        "comparisons_saved": summary["comparisons_saved"],
        "candidates": summary["candidates"],
        "pairs": summary["pairs"],
        "clusters": summary["clusters"],
        "removed": summary["removed"],
        "stages": summary["stages"],
    }))
}

/// The first so many lines of a file.
fn copy_lines(from: &Path, to: &Path, lines: usize) -> Result<()> {
    let open = File::open(from).with_context(|| format!("cannot read `{}`", from.display()))?;
    let mut reader = BufReader::with_capacity(1 << 20, open);
    let create = File::create(to).with_context(|| format!("cannot write `{}`", to.display()))?;
    let mut writer = BufWriter::with_capacity(1 << 20, create);
    let mut line = Vec::new();
    for number in 0..lines {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        ensure!(
            read > 0,
            "`{}` has only {number} lines: delete it",
            from.display()
        );
        writer.write_all(&line)?;
    }
    writer.flush()?;
    Ok(())
}

fn table(rows: &[Value]) -> String {
    let mut lines = vec![
        "| messages | MB | wall s | CPU s | peak MB | comparisons | saved | clusters | removed | CPU a message | memory a message |".to_owned(),
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|".to_owned(),
    ];
    lines.extend(rows.iter().map(line));
    lines.join("\n")
}

fn line(row: &Value) -> String {
    let median = &row["median"];
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let cost = &row["cost_per_message"];
    format!(
        "| {} | {:.0} | {:.2} | {:.2} | {:.0} | {} | {} | {} | {} | ×{:.2} | ×{:.2} |",
        row["documents"],
        number(&row["bytes"]) / 1e6,
        number(&median["wall_seconds"]),
        number(&median["cpu_seconds"]),
        number(&median["peak_bytes"]) / 1e6,
        row["comparisons"],
        row["comparisons_saved"],
        row["clusters"],
        row["removed"],
        number(&cost["cpu"]),
        number(&cost["memory"]),
    )
}

/// Run time into the first file, peak memory into the second.
pub(crate) fn draw(rows: &[&Value], texts: &str, [time, memory]: [&Path; 2]) -> Result<()> {
    let points = |figure: &str, unit: f64| -> Result<Vec<(f64, f64)>> {
        let point = |row: &&Value| {
            let messages = row["documents"].as_f64()? / 1e6;
            Some((messages, row["median"][figure].as_f64()? / unit))
        };
        let points: Option<Vec<_>> = rows.iter().map(point).collect();
        points.with_context(|| format!("a row without `{figure}`"))
    };
    let times = [
        Line::new("wall", draw::BLUE, points("wall_seconds", 1.0)?),
        Line::new(
            "CPU, all threads",
            draw::ORANGE,
            points("cpu_seconds", 1.0)?,
        ),
    ];
    let title = "Run time of dedup --method terms";
    draw_growth((title, texts, "seconds"), &times, time)?;
    let peaks = [Line::new(
        "peak memory",
        draw::BLUE,
        points("peak_bytes", 1e6)?,
    )];
    let title = "Peak memory of dedup --method terms";
    draw_growth((title, texts, "megabytes"), &peaks, memory)?;
    println!("drew {} and {}", time.display(), memory.display());
    Ok(())
}

/// Lines over the number of texts, each with the straight line from the origin through its first point.
fn draw_growth(
    (title, texts, unit): (&str, &str, &str),
    lines: &[Line],
    path: &Path,
) -> Result<()> {
    let label = format!("{texts} (millions)");
    let mut all = lines.to_vec();
    let end = draw::most(lines, |point| point.0);
    for (number, line) in lines.iter().enumerate() {
        let Some(&(messages, figure)) = line.points.first() else {
            continue;
        };
        let straight = vec![(0.0, 0.0), (end, figure / messages * end)];
        let name = if number == 0 {
            "in proportion to the first"
        } else {
            ""
        };
        all.push(
            Line::new(name, line.colour, straight)
                .dashed()
                .without_dots(),
        );
    }
    let top = draw::most(&all, |point| point.1) * 1.1;
    let panel = Panel {
        title,
        x: Axis::linear(&label, 0.0..end * 1.04),
        y: Axis::linear(unit, 0.0..top),
        lines: &all,
        legend: Some(draw::Corner::UpperLeft),
    };
    draw::draw(&[panel], path)
}
