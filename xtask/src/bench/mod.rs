//! `cargo xtask bench`: doublet and its peers on the same collections, side by side.
//!
//! `collections` makes what is measured on, `contender` says who takes part in what, `rounds` runs them, `measure` runs one
//! program and says what it used, `peers` knows the other tools, `pairs` reads and compares answers, `judge` says what is right,
//! `check` looks at the exact answer independently, `record` keeps and prints the result. Everything made on the way lies under `target/bench/`.

mod check;
mod collections;
pub(crate) mod contender;
mod judge;
pub(crate) mod measure;
mod pairs;
mod peers;
pub(crate) mod record;
pub(crate) mod rounds;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::corpus::Kind;
use crate::doublet::{self, Doublet};
use crate::workspace;
pub(crate) use check::Findings;
use collections::Size;
pub(crate) use collections::{describe, make};
use contender::{Contender, Method};
use peers::Peer;
use record::{Collection, Row};
use rounds::{Setting, Tools};

const FOLDER: &str = "target/bench";
pub(crate) const SCALING_SIZES: [usize; 5] = [10_000, 30_000, 100_000, 300_000, 1_000_000];
/// The paper's run on about a million texts and 170 million tokens, in seconds.
const PAPER: &str = "The paper's run, almost 1,000,000 texts and 170 million tokens on two CPUs: \
    resemblance 1 h 23 min (4,980 s), coverage 2 h 9 min (7,740 s).";

/// What to measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Collections to make and measure: numbers of documents, or short:N, short-zh:N, messages:N for messages
    #[arg(long, value_delimiter = ',', default_value = "100000,1000000")]
    sizes: Vec<Size>,
    /// Measure on these JSON lines instead
    #[arg(long, num_args = 1.., value_name = "FILE")]
    corpus: Vec<PathBuf>,
    /// Text for the collections, as for `cargo xtask corpus`
    #[arg(long, num_args = 1.., value_name = "FILE|DIR")]
    from: Vec<PathBuf>,
    /// doublet's method [default: terms for messages made here, shingles for anything else]
    #[arg(long, value_enum)]
    method: Option<Method>,
    /// Tools to compare with [default: rensa,gaoya,datasketch; for terms rensa, or jieba-cut if there is Chinese]
    #[arg(long, value_enum, value_delimiter = ',')]
    peers: Vec<Peer>,
    /// Run slow peers on large collections too
    #[arg(long)]
    slow_peers: bool,
    /// Leave doublet out
    #[arg(long)]
    peers_only: bool,
    /// Leave the peers out
    #[arg(long, conflicts_with = "peers_only")]
    doublet_only: bool,
    /// What shingles compute: metrics, each with a threshold of its own if written metric@threshold
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "resemblance,coverage@0.9,coverage"
    )]
    metrics: Vec<String>,
    /// The least similarity of a pair [default: 0.7, and 0.65 for terms]
    #[arg(long)]
    threshold: Option<f64>,
    /// Runs of each tool; medians are reported
    #[arg(long, default_value_t = 3)]
    runs: usize,
    #[command(flatten)]
    doublet: doublet::Args,
    /// Compute the resemblance of every proposed pair again and compare with doublet's answer
    #[arg(long)]
    check: bool,
    /// Only doublet, resemblance and coverage, from 10,000 to 1,000,000 documents: for `cargo xtask plot`
    #[arg(long, conflicts_with_all = ["peers_only", "sizes", "corpus", "metrics", "method"])]
    scaling: bool,
    /// The record is benchmarks/record/DATE-NAME.json [default: peers, terms-peers, minhash-peers, or scaling]
    #[arg(long)]
    name: Option<String>,
}

/// Measure, print the table, keep the record.
pub(crate) fn run(args: &Args) -> Result<()> {
    ensure!(args.runs > 0, "`--runs` must be at least 1");
    let plan = plan(args)?;
    let tools = prepare(args, &plan)?;
    let setting = setting(args);
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for (collection, contenders) in &plan {
        let (more, findings) = rounds::measure(&setting, &tools, contenders, collection)?;
        rows.extend(more);
        println!("\n{}\n", record::table(&rows));
        wrong.extend(findings.into_iter().filter(|findings| !findings.is_clean()));
    }
    if args.scaling {
        println!("{PAPER}");
    }
    let name = args.name.as_deref().unwrap_or(default_name(args, &plan));
    let rows: Vec<Value> = rows.iter().map(Row::to_json).collect();
    let path = record::write(name, &rows, args.doublet.threads)?;
    println!("record: {}", path.display());
    ensure!(wrong.is_empty(), "the check found errors, see above");
    Ok(())
}

/// A name of its own for each kind of run, or one of a day would overwrite another.
fn default_name(args: &Args, plan: &[(Collection, Vec<Contender>)]) -> &'static str {
    let has = |method| {
        let mut contenders = plan.iter().flat_map(|(_, who)| who);
        contenders.any(|contender| contender.method() == Some(method))
    };
    if args.scaling {
        "scaling"
    } else if has(Method::Terms) {
        "terms-peers"
    } else if has(Method::Minhash) {
        "minhash-peers"
    } else {
        "peers"
    }
}

/// The collections, each with those who take part on it.
fn plan(args: &Args) -> Result<Vec<(Collection, Vec<Contender>)>> {
    let with_contenders = |collection: Collection| {
        let contenders = contenders(args, collection.kind)?;
        Ok((collection, contenders))
    };
    collections(args)?
        .into_iter()
        .map(with_contenders)
        .collect()
}

fn contenders(args: &Args, kind: Option<Kind>) -> Result<Vec<Contender>> {
    let method = args.method.unwrap_or_else(|| Method::for_kind(kind));
    let mut contenders = Vec::new();
    if !args.peers_only {
        contenders.extend(match method {
            Method::Terms => contender::terms(args.threshold),
            Method::Shingles => shingles(args)?,
            Method::Minhash => contender::minhash(threshold(args), args.doublet.memory.as_deref()),
        });
    }
    if !args.doublet_only && !args.scaling {
        let default = method.peers(kind);
        let peers = if args.peers.is_empty() {
            default
        } else {
            &args.peers[..]
        };
        contenders.extend(peers.iter().map(|&peer| Contender::Peer(peer)));
    }
    ensure!(
        !args.check || method != Method::Terms,
        "`--check` computes the metrics of shingles: add `--method shingles` or `minhash`"
    );
    Ok(contenders)
}

fn shingles(args: &Args) -> Result<Vec<Contender>> {
    if args.scaling {
        let metrics = ["resemblance", "coverage"].into_iter();
        return metrics
            .map(|metric| contender::shingles(metric, threshold(args)))
            .collect();
    }
    let metrics = args.metrics.iter();
    metrics
        .map(|metric| contender::shingles(metric, threshold(args)))
        .collect()
}

/// The threshold of shingles, of sketches and of the peers.
fn threshold(args: &Args) -> f64 {
    args.threshold.unwrap_or(0.7)
}

fn setting(args: &Args) -> Setting {
    Setting {
        runs: args.runs,
        threads: args.doublet.threads,
        threshold: threshold(args),
        check: args.check,
        slow_peers: args.slow_peers,
    }
}

fn prepare(args: &Args, plan: &[(Collection, Vec<Contender>)]) -> Result<Tools> {
    std::fs::create_dir_all(folder())?;
    let is_any = |of: fn(&Contender) -> bool| plan.iter().flat_map(|(_, who)| who).any(of);
    let doublet = if is_any(Contender::is_doublet) {
        let doublet = Doublet::find(&args.doublet)?;
        // There a limit is for one contender, the others run as they do without.
        let is_limited = args.method != Some(Method::Minhash);
        Some(if is_limited {
            doublet
        } else {
            doublet.limited(doublet::MEMORY)
        })
    } else {
        None
    };
    let python = if is_any(Contender::needs_python) {
        Some(peers::environment(&folder().join("venv"))?)
    } else {
        None
    };
    Ok(Tools { doublet, python })
}

/// Where everything lies that is made on the way.
pub(crate) fn folder() -> PathBuf {
    workspace::root().join(FOLDER)
}

fn collections(args: &Args) -> Result<Vec<Collection>> {
    if !args.corpus.is_empty() {
        return args.corpus.iter().map(|path| describe(path)).collect();
    }
    let scaling = SCALING_SIZES.map(|documents| Size {
        kind: Kind::Documents,
        documents,
    });
    let sizes = if args.scaling {
        &scaling[..]
    } else {
        &args.sizes
    };
    let made = |size: &Size| make(size.kind, size.documents, &args.from);
    sizes.iter().map(made).collect()
}
