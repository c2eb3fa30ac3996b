//! A soak: minutes of additions, removals and checks, with merges as they come. Memory must stay flat and the index whole.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use super::load::{self, Lane, Pace, Seen};
use super::{Bench, run_tool, show};
use crate::doublet;

/// Additions and removals a second, and checks.
const CHANGES: f64 = 300.0;
const CHECKS: f64 = 3_000.0;
/// Documents that stay before the first is removed.
const STAY: u64 = 6_000;
/// Seconds between two looks at the memory.
const EVERY: u64 = 10;

pub(super) fn run(bench: &Bench<'_>, minutes: f64) -> Result<Vec<Value>> {
    let copy = bench.copy()?;
    let service = bench.serve(&copy)?;
    bench.warm(&service)?;
    // What is removed later must be there first.
    let stay = Duration::from_secs_f64(STAY as f64 / CHANGES);
    let changes = |name, first, connections| Lane {
        name,
        connections,
        pace: Pace::Open(CHANGES),
        first,
        make: bench.texts.adds(),
    };
    println!("{STAY} additions first");
    let before = load::run(
        service.address,
        &[changes("additions", 0, 32)],
        stay,
        |_| Ok(()),
    )?;
    let lanes = [
        changes("additions", before[0].next, 32),
        Lane {
            make: bench.texts.removals(),
            ..changes("removals", 0, 32)
        },
        bench.check_lane("checks", 32, Pace::Open(CHECKS)),
    ];
    service.reset_peak()?;
    let (mut samples, mut last) = (Vec::new(), 0);
    let duration = Duration::from_secs_f64(60.0 * minutes);
    let seen = load::run(service.address, &lanes, duration, |elapsed| {
        let seconds = elapsed.as_secs();
        if seconds >= last + EVERY {
            last = seconds;
            let memory = service.memory()?;
            println!(
                "  {seconds:>5} s  {:>7.1} MB, {:.1} MB of its own",
                memory.resident as f64 / 1e6,
                memory.own as f64 / 1e6
            );
            samples.push((seconds, memory));
        }
        Ok(())
    })?;
    for lane in &seen {
        println!("  soak: {}", show::line(lane));
    }
    let peak = service.memory()?.peak;
    service.stop()?;
    let name = copy.display().to_string();
    run_tool(bench.doublet, &["index", "verify", &name])?;
    doublet::clear(&copy)?;
    let own: Vec<f64> = samples
        .iter()
        .map(|(_, memory)| memory.own as f64)
        .collect();
    Ok(vec![json!({
        "experiment": "soak",
        "minutes": minutes,
        "lanes": seen.iter().map(Seen::to_json).collect::<Vec<_>>(),
        "service": {"memory": {"peak_bytes": peak}},
        "samples": samples.iter().map(|(seconds, memory)| {
            let mut sample = memory.to_json();
            sample["seconds"] = json!(seconds);
            sample
        }).collect::<Vec<_>>(),
        "own_bytes_by_thirds": thirds(&own),
        "index": "whole",
    })])
}

/// The mean of each third.
fn thirds(figures: &[f64]) -> Vec<f64> {
    let size = figures.len().div_ceil(3).max(1);
    let mean = |part: &[f64]| (part.iter().sum::<f64>() / part.len() as f64).round();
    figures.chunks(size).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_have_means() {
        assert_eq!(thirds(&[1.0, 3.0, 2.0, 4.0, 9.0, 9.0]), [2.0, 3.0, 9.0]);
        assert_eq!(thirds(&[]), [0.0; 0]);
    }
}
