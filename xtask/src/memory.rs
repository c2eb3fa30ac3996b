//! `cargo xtask memory`: the peak memory of every method at several limits, and whether it keeps to them.
//!
//! A limit is kept if the peak is at most a fifth and 100 MB above it.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::bench::{make, record};
use crate::corpus::Kind;
use crate::doublet::{self, Doublet, most_bytes};
use crate::stress::Way;

/// What to measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Documents of the collection
    #[arg(long, default_value_t = 1_000_000)]
    documents: usize,
    /// Limits
    #[arg(long, value_delimiter = ',', default_value = "256M,1G,4G")]
    limits: Vec<String>,
    /// Methods [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    methods: Vec<Way>,
    /// Text for the collection, as for `cargo xtask corpus`
    #[arg(long, num_args = 1.., value_name = "FILE|DIR")]
    from: Vec<PathBuf>,
    /// The record is benchmarks/record/DATE-NAME.json
    #[arg(long, default_value = "memory")]
    name: String,
    #[command(flatten)]
    doublet: doublet::Args,
}

/// Measure, print, keep the record; fail if a limit is not kept.
pub(crate) fn run(args: &Args) -> Result<()> {
    let doublet = Doublet::find(&args.doublet)?;
    let folder = args.doublet.folder()?;
    let corpus = make(&folder, Kind::Documents, args.documents, &args.from)?;
    let output = folder.join("memory-dedup");
    let mut rows = Vec::new();
    println!("| method | limit | peak MB | of what is let pass | wall s | kept |");
    println!("|---|---:|---:|---:|---:|---:|");
    for way in Way::all(&args.methods) {
        for limit in &args.limits {
            let limited = doublet.limited(limit);
            let found = limited.dedup(&corpus.path, &output, way.options())?;
            let row = json!({
                "method": way.name(),
                "limit": limit,
                "most_bytes": most_bytes(limit)?,
                "documents": args.documents,
                "kept": found.count("kept")?,
                "usage": found.usage.to_json(),
            });
            println!("{}", line(&row)?);
            rows.push(row);
            // What is there so far: a run of all takes an hour.
            record::write(&args.name, &rows, args.doublet.threads)?;
        }
    }
    doublet::clear(&output)?;
    let over = rows
        .iter()
        .filter(|row| share(row).is_none_or(|share| share > 1.0));
    let over = over.count();
    ensure!(
        over == 0,
        "{over} runs of {} went over their limit",
        rows.len()
    );
    Ok(())
}

/// The peak as a share of what is let pass.
fn share(row: &Value) -> Option<f64> {
    Some(row["usage"]["peak_bytes"].as_f64()? / row["most_bytes"].as_f64()?)
}

fn line(row: &Value) -> Result<String> {
    let peak = row["usage"]["peak_bytes"].as_f64().context("no peak")?;
    Ok(format!(
        "| {} | {} | {:.0} | {:.0} % | {:.1} | {} |",
        row["method"].as_str().unwrap_or_default(),
        row["limit"].as_str().unwrap_or_default(),
        peak / 1e6,
        100.0 * share(row).context("no limit")?,
        row["usage"]["wall_seconds"].as_f64().unwrap_or_default(),
        row["kept"],
    ))
}
