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
    let commit = record::first_line("git", &["rev-parse", "--short", "HEAD"]);
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
                if !args.quick {
                    keep(args, &row, commit.as_deref())?;
                }
                rows.push(row);
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

/// Keep a row, in place of an earlier one of the day about the same: a run of all takes hours, and is made in parts.
fn keep(args: &Args, row: &Value, commit: Option<&str>) -> Result<()> {
    let memory = args.doublet.memory.as_deref().unwrap_or(doublet::MEMORY);
    let mut row = row.clone();
    row["memory_limit"] = json!(memory);
    row["commit"] = json!(commit);
    let mut rows = record::today_rows(&args.name)?;
    replace(&mut rows, row);
    record::write(&args.name, &rows, args.doublet.threads)?;
    Ok(())
}

/// Puts a row where an earlier one stands about the same, or at the end.
fn replace(rows: &mut Vec<Value>, row: Value) {
    let same = |other: &Value| {
        let same = |field: &str| other[field] == row[field];
        ["collection", "records", "method", "command", "memory_limit"]
            .into_iter()
            .all(same)
    };
    match rows.iter().position(same) {
        Some(at) => rows[at] = row,
        None => rows.push(row),
    }
}

fn remove(path: &Path) -> Result<()> {
    Ok(std::fs::remove_file(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stands_for_the_last_run() {
        let row = |command: &str, result: &str| json!({"collection": "tiny", "records": 50, "method": "terms", "command": command, "result": result});
        let mut rows = Vec::new();
        for row in [
            row("dedup", "slow"),
            row("pairs", "3 pairs"),
            row("dedup", "fast"),
        ] {
            replace(&mut rows, row);
        }
        assert_eq!(rows, [row("dedup", "fast"), row("pairs", "3 pairs")]);
    }
}
