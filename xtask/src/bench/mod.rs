//! `cargo xtask bench`: doublet and its peers on the same collections, side by side.
//!
//! `measure` runs a program and says what it used, `peers` knows the other tools, `pairs` reads and
//! compares answers, `check` looks at the exact answer independently, `record` keeps and prints the
//! result. Everything made on the way lies under `target/bench/`.

mod check;
pub(crate) mod measure;
mod pairs;
mod peers;
mod record;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::corpus::{self, Kind, stats};
use crate::workspace;
use check::Findings;
use measure::{Program, Usage};
use pairs::Pairs;
use peers::Peer;
use record::{Collection, Row};

const FOLDER: &str = "target/bench";
const SCALING_SIZES: [usize; 5] = [10_000, 30_000, 100_000, 300_000, 1_000_000];
/// The paper's run on about a million texts and 170 million tokens, in seconds.
const PAPER: &str = "The paper's run, almost 1,000,000 texts and 170 million tokens on two CPUs: \
    resemblance 1 h 23 min (4,980 s), coverage 2 h 9 min (7,740 s).";

/// What to measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Collections to make and measure: numbers of documents, or short:N for short messages
    #[arg(long, value_delimiter = ',', default_value = "100000,1000000")]
    sizes: Vec<Size>,
    /// Measure on these JSON lines instead
    #[arg(long, num_args = 1.., value_name = "FILE")]
    corpus: Vec<PathBuf>,
    /// Text for the collections, as for `cargo xtask corpus`
    #[arg(long, num_args = 1.., value_name = "FILE|DIR")]
    from: Vec<PathBuf>,
    /// Tools to compare with
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "rensa,gaoya,datasketch"
    )]
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
    /// What doublet computes: metrics, each with a threshold of its own if written metric@threshold
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "resemblance,coverage@0.9,coverage"
    )]
    metrics: Vec<String>,
    /// The least similarity of a pair
    #[arg(long, default_value_t = 0.7)]
    threshold: f64,
    /// Runs of each tool; medians are reported
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Threads for every tool that can use them
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// doublet's memory limit
    #[arg(long, default_value = "8G")]
    memory: String,
    /// A doublet to use instead of building one
    #[arg(long, value_name = "PATH")]
    doublet: Option<PathBuf>,
    /// Compute the resemblance of every proposed pair again and compare with doublet's answer
    #[arg(long)]
    check: bool,
    /// Only doublet, resemblance and coverage, from 10,000 to 1,000,000 documents: for `cargo xtask plot`
    #[arg(long, conflicts_with_all = ["peers_only", "sizes", "corpus", "metrics"])]
    scaling: bool,
    /// The record is benchmarks/record/DATE-NAME.json [default: peers, or scaling]
    #[arg(long)]
    name: Option<String>,
}

/// A collection to make.
#[derive(Clone, Copy, Debug)]
struct Size {
    kind: Kind,
    documents: usize,
}

impl FromStr for Size {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, number) = match text.strip_prefix("short:") {
            Some(number) => (Kind::Short, number),
            None => (Kind::Documents, text),
        };
        Ok(Self {
            kind,
            documents: number.replace('_', "").parse()?,
        })
    }
}

/// One way to look for pairs.
#[derive(Clone, Debug)]
enum Contender {
    Doublet { metric: String, threshold: f64 },
    Peer(Peer),
}

/// A contender on a collection, as a program with an output.
struct Entry {
    contender: Contender,
    program: Program,
    output: PathBuf,
    runs: Vec<Usage>,
}

/// What is needed to start the contenders.
struct Tools {
    doublet: Option<PathBuf>,
    doublet_version: String,
    python: Option<PathBuf>,
}

/// Measure, print the table, keep the record.
pub(crate) fn run(args: &Args) -> Result<()> {
    ensure!(args.runs > 0, "`--runs` must be at least 1");
    let contenders = contenders(args)?;
    let tools = prepare(args, &contenders)?;
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for collection in collections(args)? {
        let (more, findings) = measure_collection(args, &tools, &contenders, &collection)?;
        rows.extend(more);
        println!("\n{}\n", record::table(&rows));
        wrong.extend(findings.filter(|findings| !findings.is_clean()));
    }
    if args.scaling {
        println!("{PAPER}");
    }
    let default = if args.scaling { "scaling" } else { "peers" };
    let name = args.name.as_deref().unwrap_or(default);
    let path = record::write(name, &rows, args.threads)?;
    println!("record: {}", path.display());
    ensure!(wrong.is_empty(), "the check found errors, see above");
    Ok(())
}

fn contenders(args: &Args) -> Result<Vec<Contender>> {
    let mut contenders = Vec::new();
    if args.scaling {
        for metric in ["resemblance", "coverage"] {
            contenders.push(doublet_contender(metric, args.threshold)?);
        }
        return Ok(contenders);
    }
    if !args.peers_only {
        for metric in &args.metrics {
            contenders.push(doublet_contender(metric, args.threshold)?);
        }
    }
    if !args.doublet_only {
        contenders.extend(args.peers.iter().map(|&peer| Contender::Peer(peer)));
    }
    Ok(contenders)
}

/// `metric` or `metric@threshold`.
fn doublet_contender(text: &str, default: f64) -> Result<Contender> {
    let (metric, threshold) = match text.split_once('@') {
        Some((metric, threshold)) => {
            let threshold = threshold.parse();
            (
                metric,
                threshold.with_context(|| format!("`{text}`: no such threshold"))?,
            )
        }
        None => (text, default),
    };
    Ok(Contender::Doublet {
        metric: metric.to_owned(),
        threshold,
    })
}

fn prepare(args: &Args, contenders: &[Contender]) -> Result<Tools> {
    std::fs::create_dir_all(folder())?;
    let needs_peers = contenders.iter().any(|c| matches!(c, Contender::Peer(_)));
    let needs_doublet = contenders
        .iter()
        .any(|c| matches!(c, Contender::Doublet { .. }));
    let doublet = if needs_doublet {
        Some(find_doublet(args)?)
    } else {
        None
    };
    let python = if needs_peers {
        Some(peers::environment(&folder().join("venv"))?)
    } else {
        None
    };
    let version = doublet
        .as_ref()
        .and_then(|path| record::first_line(&path.display().to_string(), &["--version"]))
        .unwrap_or_default();
    Ok(Tools {
        doublet,
        doublet_version: version.replace("doublet", "").trim().to_owned(),
        python,
    })
}

fn folder() -> PathBuf {
    workspace::root().join(FOLDER)
}

fn find_doublet(args: &Args) -> Result<PathBuf> {
    if let Some(path) = &args.doublet {
        return path
            .canonicalize()
            .with_context(|| format!("`{}` does not exist", path.display()));
    }
    workspace::run_command(&["cargo", "build", "--release", "--package", "doublet-cli"])?;
    Ok(workspace::root().join("target/release/doublet"))
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
    sizes.iter().map(|size| make(args, size)).collect()
}

/// The collection of a size, made unless it is there.
fn make(args: &Args, size: &Size) -> Result<Collection> {
    let name = match size.kind {
        Kind::Documents => "documents",
        Kind::Short => "short",
    };
    let output = folder().join(format!("{name}-{}.jsonl", size.documents));
    // The counts are written last: without them the collection is incomplete.
    if !corpus::info_path(&output).exists() {
        corpus::run(&corpus::Args {
            documents: size.documents,
            words: None,
            kind: size.kind,
            from: args.from.clone(),
            seed: 1,
            stats: false,
            output: output.clone(),
        })?;
    }
    describe(&output)
}

/// A collection with its counts, from the file beside it or counted.
fn describe(path: &Path) -> Result<Collection> {
    let path = path
        .canonicalize()
        .with_context(|| format!("`{}` does not exist", path.display()))?;
    let bytes = std::fs::metadata(&path)?.len();
    let info = std::fs::read(corpus::info_path(&path)).unwrap_or_default();
    let info: Value = serde_json::from_slice(&info).unwrap_or_default();
    let field = |name: &str| info[name].as_u64().map(|number| number as usize);
    let (documents, words) = match (field("documents"), field("words")) {
        (Some(documents), Some(words)) => (documents, words),
        _ => count(&path)?,
    };
    Ok(Collection {
        path,
        documents,
        words,
        bytes,
    })
}

fn count(path: &Path) -> Result<(usize, usize)> {
    let (mut documents, mut words) = (0, 0);
    stats::each_text(path, |_, text| {
        documents += 1;
        words += stats::words(text).len();
    })?;
    Ok((documents, words))
}

/// Every contender on one collection: the rows, and what the check found.
fn measure_collection(
    args: &Args,
    tools: &Tools,
    contenders: &[Contender],
    collection: &Collection,
) -> Result<(Vec<Row>, Option<Findings>)> {
    println!(
        "{} documents, {} words",
        collection.documents, collection.words
    );
    let mut entries = Vec::new();
    for contender in contenders {
        if !is_too_slow(args, contender, collection) {
            entries.push(entry(args, tools, contender, collection)?);
        }
    }
    // Rounds rather than blocks: a busy moment of the machine does not hit one tool only.
    for round in 1..=args.runs {
        for entry in &mut entries {
            let usage = entry.program.measure()?;
            let (name, wall) = (label(&entry.contender), usage.wall_seconds);
            println!(
                "  run {round}: {name} {wall:.2} s wall, {:.2} s CPU",
                usage.cpu_seconds
            );
            entry.runs.push(usage);
        }
    }
    judge(args, tools, collection, &entries)
}

fn is_too_slow(args: &Args, contender: &Contender, collection: &Collection) -> bool {
    match contender {
        Contender::Peer(peer) => !args.slow_peers && collection.documents > peer.most_documents(),
        Contender::Doublet { .. } => false,
    }
}

fn label(contender: &Contender) -> String {
    match contender {
        Contender::Doublet { metric, threshold } => format!("doublet-{metric}-{threshold}"),
        Contender::Peer(peer) => peer.name().to_owned(),
    }
}

fn entry(
    args: &Args,
    tools: &Tools,
    contender: &Contender,
    collection: &Collection,
) -> Result<Entry> {
    let ending = match contender {
        Contender::Doublet { .. } => "jsonl",
        Contender::Peer(_) => "tsv",
    };
    let output = folder().join(format!("pairs-{}.{ending}", label(contender)));
    let program = match contender {
        Contender::Doublet { metric, threshold } => {
            let binary = tools.doublet.as_ref().context("no doublet")?;
            doublet_program(args, binary, metric, *threshold, &collection.path, &output)
        }
        Contender::Peer(peer) => {
            let python = tools.python.as_ref().context("no Python")?;
            let (threshold, threads) = (args.threshold, args.threads);
            peer.program(python, &collection.path, &output, threshold, threads)
        }
    };
    Ok(Entry {
        contender: contender.clone(),
        program,
        output,
        runs: Vec::new(),
    })
}

fn doublet_program(
    args: &Args,
    binary: &Path,
    metric: &str,
    threshold: f64,
    corpus: &Path,
    output: &Path,
) -> Program {
    let (binary, corpus, output) = (binary.display(), corpus.display(), output.display());
    let line = [
        binary.to_string(),
        "pairs".to_owned(),
        corpus.to_string(),
        "--metric".to_owned(),
        metric.to_owned(),
        "--threshold".to_owned(),
        threshold.to_string(),
        "--threads".to_owned(),
        args.threads.to_string(),
        "--memory".to_owned(),
        args.memory.clone(),
        "-o".to_owned(),
        output.to_string(),
        "--quiet".to_owned(),
    ];
    Program {
        line: line.to_vec(),
        threads: args.threads,
        folder: folder(),
    }
}

/// Read the answers, compare them with the exact one, and make the rows.
fn judge(
    args: &Args,
    tools: &Tools,
    collection: &Collection,
    entries: &[Entry],
) -> Result<(Vec<Row>, Option<Findings>)> {
    let answers = answers(args, entries)?;
    let ours = entries.iter().zip(&answers).find_map(|(entry, answer)| {
        matches!(entry.contender, Contender::Doublet { .. })
            .then_some(answer.as_ref())
            .flatten()
    });
    let verified = if args.check {
        Some(verify(args, collection, &answers)?)
    } else {
        None
    };
    let findings = match (ours, &verified) {
        (Some(ours), Some(verified)) => Some(report_check(ours, verified)),
        _ => None,
    };
    let exact = verified.as_ref().or(ours);
    let rows = entries
        .iter()
        .zip(&answers)
        .map(|(entry, answer)| row(args, tools, collection, entry, answer.as_ref(), exact))
        .collect::<Result<Vec<Row>>>()?;
    Ok((rows, findings))
}

/// The pairs of those who looked for resemblance at the common threshold; others are only counted.
fn answers(args: &Args, entries: &[Entry]) -> Result<Vec<Option<Pairs>>> {
    let read = |entry: &Entry| match &entry.contender {
        Contender::Peer(_) => pairs::read_tsv(&entry.output).map(Some),
        Contender::Doublet { metric, threshold }
            if metric == "resemblance" && *threshold == args.threshold =>
        {
            pairs::read_jsonl(&entry.output).map(Some)
        }
        Contender::Doublet { .. } => Ok(None),
    };
    entries.iter().map(read).collect()
}

fn verify(args: &Args, collection: &Collection, answers: &[Option<Pairs>]) -> Result<Pairs> {
    let truth_path = corpus::truth_path(&collection.path);
    let truth = if truth_path.exists() {
        pairs::read_jsonl(&truth_path)?
    } else {
        Pairs::new()
    };
    let mut proposed: Vec<&Pairs> = answers.iter().flatten().collect();
    proposed.push(&truth);
    check::verified(&collection.path, &proposed, args.threshold)
}

fn report_check(ours: &Pairs, verified: &Pairs) -> Findings {
    let findings = check::compare(ours, verified);
    println!(
        "check: {} pairs verified; doublet lacks {}, has {} below the threshold, {} with a wrong score",
        verified.len(),
        findings.missing.len(),
        findings.below.len(),
        findings.wrong_score.len()
    );
    for (kind, pairs) in [
        ("missing", &findings.missing),
        ("below", &findings.below),
        ("wrong score", &findings.wrong_score),
    ] {
        for (a, b) in pairs.iter().take(10) {
            println!("  {kind}: {a} {b}");
        }
    }
    findings
}

fn row(
    args: &Args,
    tools: &Tools,
    collection: &Collection,
    entry: &Entry,
    answer: Option<&Pairs>,
    exact: Option<&Pairs>,
) -> Result<Row> {
    let (tool, version, metric, threshold) = match &entry.contender {
        Contender::Doublet { metric, threshold } => {
            let version = tools.doublet_version.clone();
            ("doublet", version, metric.as_str(), *threshold)
        }
        Contender::Peer(peer) => (peer.name(), peer.version()?, "resemblance", args.threshold),
    };
    let quality = match (answer, exact) {
        (Some(answer), Some(exact)) => Some(pairs::quality(answer, exact)),
        _ => None,
    };
    let usage = Usage::median(&entry.runs)?;
    if usage.wall_seconds <= 0.0 {
        bail!("{tool} took no time at all");
    }
    Ok(Row {
        tool: tool.to_owned(),
        is_peer: matches!(entry.contender, Contender::Peer(_)),
        version,
        metric: metric.to_owned(),
        threshold,
        collection: collection.clone(),
        runs: entry.runs.clone(),
        usage,
        pairs: pairs::count(&entry.output)?,
        quality,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_may_bring_its_threshold() {
        let check = |text: &str, expected: (&str, f64)| match doublet_contender(text, 0.7) {
            Ok(Contender::Doublet { metric, threshold }) => {
                assert_eq!((metric.as_str(), threshold), expected);
            }
            other => panic!("{other:?}"),
        };
        check("coverage@0.9", ("coverage", 0.9));
        check("resemblance", ("resemblance", 0.7));
        assert!(doublet_contender("coverage@high", 0.7).is_err());
    }

    #[test]
    fn sizes_are_of_documents_or_short_messages() {
        let size: Size = "short:1_000".parse().expect("a size");
        assert_eq!((size.kind, size.documents), (Kind::Short, 1000));
        let size: Size = "20000".parse().expect("a size");
        assert_eq!((size.kind, size.documents), (Kind::Documents, 20_000));
        assert!("many".parse::<Size>().is_err());
    }
}
