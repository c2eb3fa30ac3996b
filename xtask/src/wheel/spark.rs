//! `cargo xtask spark-figures`: `doublet.spark` beside the command line, Spark ML's MinHashLSH and text-dedup on Spark, and what a terabyte would take by that.
//!
//! Sessions are `local[2]` with one JVM for everybody; the event log says what was shuffled.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{model, python, told};
use crate::bench::peers::{self, Peer};
use crate::bench::{make, record};
use crate::corpus::Kind;
use crate::doublet::{self, Doublet};

const THRESHOLD: &str = "0.7";

/// What to measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Documents of the collections for doublet
    #[arg(long, value_delimiter = ',', default_value = "100000,1000000")]
    sizes: Vec<usize>,
    /// Documents of the collection for everybody
    #[arg(long, default_value_t = 100_000)]
    side_by_side: usize,
    /// Methods of doublet
    #[arg(long, value_delimiter = ',', default_value = "minhash,shingles")]
    methods: Vec<String>,
    /// Minutes after which another tool is given up
    #[arg(long, default_value_t = 10)]
    limit: u32,
    /// Text for the collections, as for `cargo xtask corpus`
    #[arg(long, num_args = 1.., value_name = "FILE|DIR")]
    from: Vec<PathBuf>,
    /// Measure nothing, print this record again
    #[arg(long, value_name = "RECORD")]
    reprint: Option<PathBuf>,
    #[command(flatten)]
    doublet: doublet::Args,
}

/// Measure, keep the record, print.
pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(record) = &args.reprint {
        let rows = record::read(record)?;
        show(&rows);
        return model::show(&rows);
    }
    let folder = args.doublet.folder()?;
    let doublet = Doublet::find(&args.doublet)?;
    let python = python(&folder)?;
    let mut rows = Vec::new();
    for &documents in &args.sizes {
        let corpus = make(&folder, Kind::Documents, documents, &args.from)?;
        let parquet = parquet(&python, &corpus.path)?;
        for method in &args.methods {
            let options = ["--method", method, "--threshold", THRESHOLD];
            let deduped = doublet.dedup(&corpus.path, &folder.join("spark-dedup"), &options)?;
            rows.push(json!({
                "tool": format!("doublet dedup {method}"),
                "documents": documents,
                "bytes": corpus.bytes,
                "seconds": deduped.usage.wall_seconds,
                "cpu_seconds": deduped.usage.cpu_seconds,
            }));
            let script = Script {
                python: &python,
                name: "doublet_run.py",
                method,
                limit: 0,
            };
            rows.push(script.run(&parquet, &folder, (documents, corpus.bytes))?);
        }
    }
    let corpus = make(&folder, Kind::Documents, args.side_by_side, &args.from)?;
    let parquet = parquet(&python, &corpus.path)?;
    let of = (args.side_by_side, corpus.bytes);
    let ml = Script {
        python: &python,
        name: "spark_ml.py",
        method: "minhash",
        limit: args.limit,
    };
    rows.push(ml.run(&parquet, &folder, of)?);
    let pythons = peers::environments(&folder, &[Peer::TextDedup])?;
    let other = pythons
        .get(Peer::TextDedup.environment())
        .context("no environment")?;
    let text_dedup = Script {
        python: other,
        name: "text_dedup_spark.py",
        method: "minhash",
        limit: args.limit,
    };
    rows.push(text_dedup.run(&parquet, &folder, of)?);
    let path = record::write("spark", &rows, args.doublet.threads)?;
    println!("Kept in {}", path.display());
    show(&rows);
    model::show(&rows)
}

/// The collection as Parquet, made once.
fn parquet(python: &Path, corpus: &Path) -> Result<PathBuf> {
    let path = corpus.with_extension("parquet");
    if !path.exists() {
        let [python, corpus, path] = [python, corpus, &path].map(|path| path.display().to_string());
        crate::workspace::run_command(&[&python, "benchmarks/spark/parquet.py", &corpus, &path])?;
    }
    Ok(path)
}

/// A program of `benchmarks/spark`.
struct Script<'a> {
    python: &'a Path,
    name: &'a str,
    method: &'a str,
    /// Minutes after which it is given up; 0 for never.
    limit: u32,
}

impl Script<'_> {
    fn run(
        &self,
        parquet: &Path,
        folder: &Path,
        (documents, bytes): (usize, u64),
    ) -> Result<Value> {
        let script = format!("benchmarks/spark/{}", self.name);
        let limit = self.limit.to_string();
        let output = folder.join("spark-output");
        let [python, parquet, output] =
            [self.python, parquet, &output].map(|path| path.display().to_string());
        let line = [
            &python,
            &script,
            &parquet,
            &output,
            "--threshold",
            THRESHOLD,
            "--method",
            self.method,
            "--limit",
            &limit,
        ];
        let mut row = told(&line)?;
        if row["over_limit"] == true {
            row["tool"] = format!("{}, given up", self.name).into();
        }
        row["documents"] = documents.into();
        row["bytes"] = bytes.into();
        let part = |row: &Value, name: &str| row[name].as_f64().unwrap_or(0.0);
        let cpu = part(&row, "task_cpu_seconds") + part(&row, "python_cpu_seconds");
        row["cpu_seconds"] = cpu.into();
        if let Some(kernels) = row["kernel_cpu_seconds"].as_f64() {
            row["kernel_share"] = (kernels / cpu).into();
        }
        Ok(row)
    }
}

fn show(rows: &[Value]) {
    println!(
        "| tool | documents | s | CPU s | of which kernels | CPU s a GB | shuffled bytes a document |"
    );
    println!("|---|---|---|---|---|---|---|");
    for row in rows {
        let number = |name: &str| row[name].as_f64().unwrap_or(f64::NAN);
        let cell = |value: f64| {
            if value.is_nan() {
                String::new()
            } else {
                format!("{value:.0}")
            }
        };
        println!(
            "| {} | {} | {:.1} | {:.1} | {} | {} | {} |",
            row["tool"].as_str().unwrap_or_default(),
            row["documents"],
            number("seconds"),
            number("cpu_seconds"),
            match row["kernel_share"].as_f64() {
                Some(share) => format!("{:.0} %", 100.0 * share),
                None => String::new(),
            },
            cell(number("cpu_seconds") / number("bytes") * 1e9),
            cell(number("shuffle_bytes") / number("documents")),
        );
    }
}
