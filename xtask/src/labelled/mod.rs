//! `cargo xtask labelled`: who tells duplicates best, on sets with labels, at settings chosen on one half and judged on the other.
//!
//! `sets` splits the sets, `strip` takes tags off pages, `grid` lists the settings, `tools` runs them, `judge` asks `doublet eval`, `choose`
//! chooses, `page` writes `docs/labelled.md`. Everything made on the way lies under `target/bench/labelled/`.

mod choose;
mod grid;
mod judge;
mod page;
mod sets;
mod strip;
mod tools;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::bench::peers::{self, Peer, Pythons};
use crate::bench::record;
use crate::corpus::DATA;
use crate::doublet::{self, Doublet};
use crate::workspace;
use choose::{Choice, Worth};
use grid::Setting;
use judge::Verdict;
use sets::{Half, SETS, Set};

const FOLDER: &str = "labelled";
const PAGE: &str = "docs/labelled.md";

/// What to compare.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Sets to compare on [default: all]; with fewer the page is not written
    #[arg(long, value_delimiter = ',')]
    sets: Vec<String>,
    /// Tools to compare with
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["rensa", "gaoya", "datasketch", "text-dedup", "datatrove"])]
    peers: Vec<Peer>,
    /// The folder with the sets [default: ../shared/data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    doublet: doublet::Args,
}

/// A tool that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Doublet,
    Peer(Peer),
}

impl Tool {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Doublet => "doublet",
            Self::Peer(peer) => peer.name(),
        }
    }
}

/// What a tool reached on a set.
pub(crate) struct Reached {
    pub(crate) tool: Tool,
    pub(crate) version: String,
    pub(crate) settings: Vec<Setting>,
    /// Settings times their thresholds.
    pub(crate) tried: usize,
    /// What was chosen on the first half, and on the second.
    pub(crate) choices: [Choice; 2],
    pub(crate) seconds: f64,
}

/// A set, and what all tools reached on it.
pub(crate) struct Outcome {
    pub(crate) set: Set,
    pub(crate) halves: [Half; 2],
    pub(crate) reached: Vec<Reached>,
}

/// Everything that tools need.
pub(crate) struct Workshop {
    pub(crate) doublet: Doublet,
    pub(crate) pythons: Pythons,
    pub(crate) folder: PathBuf,
}

/// Compare, print, keep the record and write the page.
pub(crate) fn run(args: &Args) -> Result<()> {
    let sets = chosen_sets(&args.sets)?;
    let made = args.doublet.folder()?;
    let folder = made.join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    let workshop = Workshop {
        doublet: Doublet::find(&args.doublet)?,
        pythons: peers::environments(&made, &args.peers)?,
        folder,
    };
    let data = args.data.clone();
    let data = data.unwrap_or_else(|| workspace::root().join(DATA));
    let tools = std::iter::once(Tool::Doublet).chain(args.peers.iter().copied().map(Tool::Peer));
    let tools: Vec<Tool> = tools.collect();
    let started = Instant::now();
    let mut results = Vec::new();
    for set in sets {
        let halves = sets::prepare(&set, &data, &workshop.folder, &workshop.doublet)?;
        let reached = tools
            .iter()
            .map(|&tool| reach(&workshop, tool, &set, &halves));
        let reached = reached.collect::<Result<_>>()?;
        let result = Outcome {
            set,
            halves,
            reached,
        };
        println!("\n{}", page::section(&result));
        results.push(result);
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{}\n{seconds:.0} s", page::summary(&results));
    let rows: Vec<Value> = results.iter().flat_map(rows).collect();
    let path = record::write("labelled", &rows, args.doublet.threads)?;
    println!("record: {}", path.display());
    if results.len() == SETS.len() && args.peers.len() == Peer::ALL.len() {
        std::fs::write(workspace::root().join(PAGE), page::page(&results, seconds))?;
        println!("page: {PAGE}");
    }
    Ok(())
}

fn chosen_sets(names: &[String]) -> Result<Vec<Set>> {
    for name in names {
        ensure!(
            SETS.iter().any(|set| set.name == name),
            "there is no set `{name}`; there are {}",
            SETS.map(|set| set.name).join(", ")
        );
    }
    let is_chosen = |set: &Set| names.is_empty() || names.iter().any(|name| name == set.name);
    Ok(SETS.into_iter().filter(is_chosen).collect())
}

/// Run all settings of a tool on both halves, and let it choose.
fn reach(workshop: &Workshop, tool: Tool, set: &Set, halves: &[Half; 2]) -> Result<Reached> {
    let started = Instant::now();
    let (settings, version) = match tool {
        Tool::Doublet => (grid::doublet(set), workshop.doublet.version.clone()),
        Tool::Peer(peer) => (grid::peer(set, peer), peer.version()?),
    };
    let worth: Vec<Result<Worth>> = std::thread::scope(|scope| {
        let workers = halves.each_ref().map(|half| {
            let settings = &settings;
            scope.spawn(move || tools::worth(workshop, tool, set, half, settings))
        });
        let ends = workers.map(std::thread::ScopedJoinHandle::join);
        ends.map(|end| end.unwrap_or_else(|_| Err(anyhow::anyhow!("a worker panicked"))))
            .into()
    });
    let worth = worth.into_iter().collect::<Result<Vec<Worth>>>()?;
    let [first, second] = [&worth[0], &worth[1]];
    let nothing = || format!("{} has no settings on {}", tool.name(), set.name);
    let choices = [
        choose::choose(first, second).with_context(nothing)?,
        choose::choose(second, first).with_context(nothing)?,
    ];
    let seconds = started.elapsed().as_secs_f64();
    println!("{}: {} in {seconds:.0} s", set.name, tool.name());
    Ok(Reached {
        tool,
        version,
        tried: first.iter().map(Vec::len).sum(),
        settings,
        choices,
        seconds,
    })
}

/// A row of the record for each tool and half.
fn rows(result: &Outcome) -> Vec<Value> {
    let mut rows = Vec::new();
    for reached in &result.reached {
        for (half, choice) in reached.choices.iter().enumerate() {
            rows.push(json!({
                "set": result.set.name,
                "tool": reached.tool.name(),
                "version": reached.version,
                "settings": reached.settings.len(),
                "settings_and_thresholds": reached.tried,
                "chosen_on": half + 1,
                "setting": reached.settings[choice.setting].name,
                "threshold": choice.chosen.threshold,
                "chosen": figures(&choice.chosen),
                "held_out": figures(&choice.held_out),
                "f1_both": choose::both(&reached.choices),
                "seconds": reached.seconds.round(),
            }));
        }
    }
    rows
}

fn figures(verdict: &Verdict) -> Value {
    let figure = |figure: judge::Figure| json!({"value": figure.value, "low": figure.low, "high": figure.high});
    json!({
        "precision": figure(verdict.precision),
        "recall": figure(verdict.recall),
        "f1": figure(verdict.f1),
        "true_positives": verdict.counts[0],
        "false_positives": verdict.counts[1],
        "false_negatives": verdict.counts[2],
    })
}
