//! `cargo xtask sketch-figures`: bias and spread of the sketches, speed of making them, and `minhash` beside `shingles`
//! on growing collections. One row of the record is one point, told apart by `experiment`.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::{estimators, scaling, signing};
use crate::bench::record;
use crate::{doublet, draw};

/// What to measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Measure bias and spread of the sketches' estimates [default: all three parts]
    #[arg(long)]
    estimators: bool,
    /// Measure how fast texts are prepared and sketched
    #[arg(long)]
    signing: bool,
    /// Measure shingles and minhash on growing collections
    #[arg(long)]
    scaling: bool,
    /// The largest collection of the scaling; more than 1000000 documents run within 4G (10000000 take 12 GB of disk)
    #[arg(long, default_value_t = 1_000_000, value_name = "DOCUMENTS")]
    pub(super) largest: usize,
    /// Runs of each tool on each collection; medians are reported
    #[arg(long, default_value_t = 1)]
    pub(super) runs: usize,
    /// Text for the collections, as for `cargo xtask corpus`
    #[arg(long, num_args = 1.., value_name = "FILE|DIR")]
    pub(super) from: Vec<PathBuf>,
    /// The record is benchmarks/record/DATE-NAME.json [default: sketch-figures, or sketch-only-PARTS]
    #[arg(long)]
    name: Option<String>,
    /// Measure nothing, print and draw this record again
    #[arg(long, value_name = "RECORD")]
    redraw: Option<PathBuf>,
    #[command(flatten)]
    pub(super) doublet: doublet::Args,
}

/// Measure, keep the record, print the tables, draw.
pub(crate) fn run(args: &Args) -> Result<()> {
    let (rows, is_right) = match &args.redraw {
        Some(record) => (record::read(record)?, true),
        None => measure(args)?,
    };
    show(&rows, estimators::EXPERIMENT, |rows| {
        estimators::show(rows, &draw::path("estimators.svg")?)
    })?;
    show(&rows, signing::EXPERIMENT, signing::show)?;
    show(&rows, scaling::EXPERIMENT, scaling::show)?;
    ensure!(is_right, "minhash gave wrong pairs or scores, see above");
    Ok(())
}

/// Print and draw the rows of a part, if there are any.
fn show(rows: &[Value], experiment: &str, show: fn(&[&Value]) -> Result<()>) -> Result<()> {
    let own = rows.iter().filter(|row| row["experiment"] == experiment);
    let own: Vec<&Value> = own.collect();
    if own.is_empty() { Ok(()) } else { show(&own) }
}

/// The rows, and whether all that `minhash` found was right.
fn measure(args: &Args) -> Result<(Vec<Value>, bool)> {
    ensure!(args.runs > 0, "`--runs` must be at least 1");
    let parts = parts(args);
    let (mut rows, mut is_right) = (Vec::new(), true);
    if parts.contains(&"estimators") {
        rows.extend(estimators::measure(
            args.doublet.doublet.as_deref(),
            estimators::TRIALS,
        )?);
    }
    if parts.contains(&"signing") {
        rows.extend(signing::measure(&args.doublet.folder()?, &args.from)?);
    }
    if parts.contains(&"scaling") {
        let (more, findings) = scaling::measure(args)?;
        rows.extend(more);
        is_right = findings.iter().all(|findings| findings.is_clean());
    }
    let path = record::write(&record_name(args), &rows, args.doublet.threads)?;
    println!("record: {}", path.display());
    Ok((rows, is_right))
}

/// The parts that were asked for, or all.
fn parts(args: &Args) -> Vec<&'static str> {
    let all = [
        ("estimators", args.estimators),
        ("signing", args.signing),
        ("scaling", args.scaling),
    ];
    let is_any = all.iter().any(|(_, is_wanted)| *is_wanted);
    let wanted = all.iter().filter(|(_, is_wanted)| *is_wanted || !is_any);
    wanted.map(|(name, _)| *name).collect()
}

/// A name of its own for a part, or it would overwrite the whole of the same day.
fn record_name(args: &Args) -> String {
    let parts = parts(args);
    let name = match parts.len() {
        3 => "sketch-figures".to_owned(),
        _ => format!("sketch-only-{}", parts.join("-")),
    };
    args.name.clone().unwrap_or(name)
}
