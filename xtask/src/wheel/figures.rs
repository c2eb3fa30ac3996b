//! `cargo xtask wheel-figures`: a table in memory beside the same texts on the command line, and the time that `import doublet` takes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{figure, python, told};
use crate::bench::measure::median;
use crate::bench::{make, record};
use crate::corpus::Kind;
use crate::doublet::{self, Doublet};

/// Starts of Python, with the import and without.
const STARTS: usize = 21;
const THRESHOLD: &str = "0.7";

/// What to measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Documents of the table
    #[arg(long, default_value_t = 1_000_000)]
    documents: usize,
    /// Methods
    #[arg(long, value_delimiter = ',', default_value = "minhash,shingles")]
    methods: Vec<String>,
    /// Runs of each; medians are reported
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Text for the collection, as for `cargo xtask corpus`
    #[arg(long, num_args = 1.., value_name = "FILE|DIR")]
    from: Vec<PathBuf>,
    #[command(flatten)]
    doublet: doublet::Args,
}

/// Measure, print, keep the record.
pub(crate) fn run(args: &Args) -> Result<()> {
    ensure!(args.runs > 0, "`--runs` must be at least 1");
    let folder = args.doublet.folder()?;
    let doublet = Doublet::find(&args.doublet)?;
    let python = python(&folder)?;
    let corpus = make(&folder, Kind::Documents, args.documents, &args.from)?;
    let mut rows = vec![import(&python)?];
    for method in &args.methods {
        rows.push(beside(args, method, &python, &doublet, &corpus.path)?);
    }
    show(&rows);
    let path = record::write("wheel", &rows, args.doublet.threads)?;
    println!("Kept in {}", path.display());
    Ok(())
}

/// How much longer Python takes to start when it imports the package: the medians of many starts, in turn.
fn import(python: &Path) -> Result<Value> {
    let start = |code: &str| -> Result<f64> {
        let begin = Instant::now();
        let status = Command::new(python).args(["-c", code]).status()?;
        ensure!(status.success(), "`{code}` failed with {status}");
        Ok(begin.elapsed().as_secs_f64())
    };
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        without.push(start("pass")?);
        with.push(start("import doublet")?);
    }
    let milliseconds = 1000.0 * (median(with)? - median(without)?);
    Ok(json!({ "experiment": "import", "milliseconds": milliseconds }))
}

/// A table in memory, and the command line with and without writing what it keeps, in turn.
fn beside(
    args: &Args,
    method: &str,
    python: &Path,
    doublet: &Doublet,
    corpus: &Path,
) -> Result<Value> {
    let output = args.doublet.folder()?.join("wheel-dedup");
    let options = ["--method", method, "--threshold", THRESHOLD, "--force"];
    let dry_run = [&options[..], &["--dry-run"]].concat();
    let threads = args.doublet.threads.to_string();
    let [program, texts] = [python, corpus].map(|path| path.display().to_string());
    let script = [
        &program,
        "benchmarks/wheel/table.py",
        &texts,
        method,
        THRESHOLD,
        &threads,
        &doublet.memory,
    ];
    let (mut whole, mut dry, mut table, mut kept) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for _ in 0..args.runs {
        let measure =
            |options: &[&str]| doublet.program("dedup", corpus, &output, options).measure();
        whole.push(measure(&options)?.wall_seconds);
        dry.push(measure(&dry_run)?.wall_seconds);
        let found = told(&script)?;
        table.push(figure(&found, "seconds")?);
        kept = found["kept"].as_u64().context("no `kept`")?;
    }
    let summary = std::fs::read(output.join("summary.json"))?;
    let summary: Value = serde_json::from_slice(&summary)?;
    let stay = summary["kept"].as_u64().zip(summary["empty"].as_u64());
    let stay = stay.map(|(kept, empty)| kept + empty);
    ensure!(
        stay == Some(kept),
        "the table keeps {kept}, the command line {stay:?}"
    );
    let (whole, dry, table) = (median(whole)?, median(dry)?, median(table)?);
    std::fs::remove_dir_all(&output)?;
    Ok(json!({
        "experiment": "table",
        "method": method,
        "documents": args.documents,
        "command_line_seconds": whole,
        "dry_run_seconds": dry,
        "python_seconds": table,
        "ratio": table / whole,
        "ratio_to_dry_run": table / dry,
        "kept": kept,
    }))
}

fn show(rows: &[Value]) {
    for row in rows {
        let number = |name: &str| row[name].as_f64().unwrap_or(f64::NAN);
        match row["experiment"].as_str() {
            Some("import") => println!("import doublet: {:.0} ms", number("milliseconds")),
            _ => println!(
                "{}: {:.2} s as a table in Python, {:.2} s on the command line ({:.2} times), {:.2} s without writing what is kept ({:.2} times)",
                row["method"].as_str().unwrap_or_default(),
                number("python_seconds"),
                number("command_line_seconds"),
                number("ratio"),
                number("dry_run_seconds"),
                number("ratio_to_dry_run"),
            ),
        }
    }
}
