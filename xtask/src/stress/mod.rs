//! `cargo xtask stress`: hostile collections through every method and command, with time, peak memory and what came of it.
//!
//! Each run has to end within its limit, stay within its memory (and a fifth of it, and 100 MB), keep count of every record, and find
//! what is known of the collection beforehand. With `--quick` the collections are a small part of their size, and `dedup` has to write the
//! same bytes on one thread and little memory: that is part of `cargo xtask test`.

mod collections;
mod runs;

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use serde_json::{Value, json};

use crate::bench::record;
use crate::doublet::{self, Doublet};
use collections::Hostile;
pub(crate) use runs::Way;
use runs::{Ask, Run};

/// One part of the full size in so many, for tests.
const QUICK: u64 = 2_000;

/// What to put it through.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Collections [default: all]
    #[arg(value_enum)]
    collections: Vec<Hostile>,
    /// Methods [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    methods: Vec<Way>,
    /// Commands [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    commands: Vec<Ask>,
    /// A two-thousandth of the size, and not every command by every method, for tests; nothing is kept
    #[arg(long)]
    quick: bool,
    /// Divide the sizes by this
    #[arg(long, default_value_t = 1, conflicts_with = "quick")]
    share: u64,
    /// Seconds that a run may take
    #[arg(long, default_value_t = 900)]
    limit: u64,
    /// The record is benchmarks/record/DATE-NAME.json
    #[arg(long, default_value = "stress")]
    name: String,
    #[command(flatten)]
    doublet: doublet::Args,
}

/// Run all, print a table, keep it; fail if anything did not hold.
pub(crate) fn run(args: &Args) -> Result<()> {
    let doublet = Doublet::find(&args.doublet)?;
    let folder = args.doublet.folder()?.join("stress");
    std::fs::create_dir_all(&folder)?;
    let share = if args.quick { QUICK } else { args.share.max(1) };
    let mut rows = Vec::new();
    println!("{}", runs::HEAD);
    for hostile in all(&args.collections) {
        let (path, known) = hostile.make(&folder, share)?;
        for way in all(&args.methods) {
            for ask in all(&args.commands) {
                if args.quick && !ask.is_quick(way) {
                    continue;
                }
                let run = Run {
                    doublet: &doublet,
                    corpus: &path,
                    folder: &folder,
                    hostile,
                    known,
                    way,
                    ask,
                    limit: Duration::from_secs(args.limit),
                    twice: args.quick,
                };
                let row = run.row()?;
                println!("{}", runs::line(&row));
                rows.push(row);
                if !args.quick {
                    keep(args, &rows)?;
                }
            }
        }
        remove(&path)?;
    }
    std::fs::remove_dir_all(&folder)?;
    let broken = rows.iter().filter(|row| row["broken"].is_array()).count();
    ensure!(broken == 0, "{broken} runs of {} did not hold", rows.len());
    Ok(())
}

/// Those chosen, or all there are.
fn all<T: ValueEnum + Clone>(chosen: &[T]) -> Vec<T> {
    match chosen {
        [] => T::value_variants().to_vec(),
        some => some.to_vec(),
    }
}

/// Keep what is there so far: a run of all takes hours.
fn keep(args: &Args, rows: &[Value]) -> Result<()> {
    let memory = args.doublet.memory.as_deref().unwrap_or(doublet::MEMORY);
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let mut row = row.clone();
            row["memory_limit"] = json!(memory);
            row
        })
        .collect();
    record::write(&args.name, &rows, args.doublet.threads)?;
    Ok(())
}

fn remove(path: &Path) -> Result<()> {
    Ok(std::fs::remove_file(path)?)
}
