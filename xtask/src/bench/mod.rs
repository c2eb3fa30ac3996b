//! `cargo xtask bench`: doublet and its peers on the same collections, side by side.
//!
//! `collections` makes what is measured on, `contender` says who takes part in what, `rounds` runs them, `measure` runs one
//! program and says what it used, `peers` knows the other tools, `pairs` reads and compares answers, `judge` says what is right,
//! `check` looks at the exact answer independently, `record` keeps and prints the result. `tree` looks at a program's processes. `side` is
//! the whole side by side with all peers, which `--peers` without a list asks for. Everything made on the way lies under `target/bench/`.

pub(crate) mod check;
mod collections;
pub(crate) mod contender;
mod judge;
pub(crate) mod measure;
mod pairs;
pub(crate) mod peers;
pub(crate) mod record;
pub(crate) mod rounds;
mod side;
mod tree;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::corpus::Kind;
use crate::doublet::{self, Doublet};
use crate::serve;
pub(crate) use check::Findings;
use collections::Size;
pub(crate) use collections::{describe, make};
use contender::{Contender, Method};
use peers::Peer;
use record::{Collection, Row};
use rounds::{Setting, Tools};

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
    /// Tools to compare with [default: rensa,gaoya,datasketch; for terms rensa, or jieba-cut if there is Chinese]; without a
    /// list the whole side by side, all peers on generated documents and on real text, into docs/peers.md
    #[arg(long, value_enum, value_delimiter = ',', num_args = 0..=1, value_name = "LIST")]
    peers: Option<Vec<Peer>>,
    /// Minutes after which a run of a peer is stopped
    #[arg(long, default_value_t = 3.0, value_name = "MINUTES")]
    limit: f64,
    #[command(flatten)]
    side: side::Args,
    #[command(flatten)]
    service: serve::ServeArgs,
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
    /// The record is benchmarks/record/DATE-NAME.json [default: peers, terms-peers, minhash-peers, scaling, peers-all, peers-part, serve or serve-soak]
    #[arg(long)]
    name: Option<String>,
}

/// Measure, print the table, keep the record.
pub(crate) fn run(args: &Args) -> Result<()> {
    ensure!(args.runs > 0, "`--runs` must be at least 1");
    ensure!(
        args.limit > 0.0 && args.limit < 1e6,
        "`--limit` must be a number of minutes"
    );
    if args.peers.as_ref().is_some_and(Vec::is_empty) {
        return side::run(args);
    }
    if args.service.serve {
        return serve::run(
            &args.service,
            &args.doublet,
            &args.from,
            args.name.as_deref(),
        );
    }
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
        let peers = args.peers.as_deref().unwrap_or(default);
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
        limit: Duration::from_secs_f64(args.limit * 60.0),
        compare_answers: false,
    }
}

fn prepare(args: &Args, plan: &[(Collection, Vec<Contender>)]) -> Result<Tools> {
    let folder = args.doublet.folder()?;
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
    let peers = plan.iter().flat_map(|(_, who)| who);
    let peers: Vec<Peer> = peers.filter_map(Contender::python_peer).collect();
    let pythons = peers::environments(&folder, &peers)?;
    Ok(Tools {
        doublet,
        pythons,
        folder,
    })
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
    let folder = args.doublet.folder()?;
    let made = |size: &Size| make(&folder, size.kind, size.documents, &args.from);
    sizes.iter().map(made).collect()
}
