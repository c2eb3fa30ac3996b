//! `cargo xtask bench`: doublet and its peers on the same collections, side by side.
//!
//! `contender` says who takes part in what, `measure` runs a program and says what it used, `peers` knows the
//! other tools, `pairs` reads and compares answers, `check` looks at the exact answer independently,
//! `record` keeps and prints the result. Everything made on the way lies under `target/bench/`.

mod check;
mod contender;
pub(crate) mod measure;
mod pairs;
mod peers;
pub(crate) mod record;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::ValueEnum;
use serde_json::Value;

use crate::corpus::{self, Kind, stats};
use crate::doublet::{self, Doublet};
use crate::workspace;
use check::Findings;
use contender::{Contender, Method};
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
    #[arg(long, conflicts_with_all = ["peers_only", "sizes", "corpus", "metrics"])]
    scaling: bool,
    /// The record is benchmarks/record/DATE-NAME.json [default: peers, terms-peers, or scaling]
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
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (kind, number) = text.split_once(':').unwrap_or(("documents", text));
        let kind = Kind::from_str(kind, false)
            .map_err(|_| anyhow!("`{text}`: write N, short:N, short-zh:N or messages:N"))?;
        let number = number.replace('_', "").parse();
        Ok(Self {
            kind,
            documents: number.with_context(|| format!("`{text}`: no number of texts"))?,
        })
    }
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
    doublet: Option<Doublet>,
    python: Option<PathBuf>,
}

/// Measure, print the table, keep the record.
pub(crate) fn run(args: &Args) -> Result<()> {
    ensure!(args.runs > 0, "`--runs` must be at least 1");
    let plan = plan(args)?;
    let tools = prepare(args, &plan)?;
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for (collection, contenders) in &plan {
        let (more, findings) = measure_collection(args, &tools, contenders, collection)?;
        rows.extend(more);
        println!("\n{}\n", record::table(&rows));
        wrong.extend(findings.filter(|findings| !findings.is_clean()));
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
    let is_terms = |contender: &Contender| matches!(contender, Contender::Terms { .. });
    if args.scaling {
        "scaling"
    } else if plan.iter().flat_map(|(_, who)| who).any(is_terms) {
        "terms-peers"
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
        !args.check || method == Method::Shingles,
        "`--check` computes the metrics of shingles: add `--method shingles`"
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

/// The threshold of shingles and of the peers.
fn threshold(args: &Args) -> f64 {
    args.threshold.unwrap_or(0.7)
}

fn prepare(args: &Args, plan: &[(Collection, Vec<Contender>)]) -> Result<Tools> {
    std::fs::create_dir_all(folder())?;
    let is_any = |of: fn(&Contender) -> bool| plan.iter().flat_map(|(_, who)| who).any(of);
    let doublet = if is_any(Contender::is_doublet) {
        Some(Doublet::find(&args.doublet)?)
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

/// The collection of a size, made unless it is there.
pub(crate) fn make(kind: Kind, documents: usize, from: &[PathBuf]) -> Result<Collection> {
    let output = folder().join(format!("{}-{documents}.jsonl", kind.name()));
    // What does not say its kind is incomplete, or was made by other rules.
    if corpus::info(&output)["kind"] != kind.name() {
        corpus::run(&corpus::Args {
            documents: Some(documents),
            targets: None,
            words: None,
            kind,
            from: from.to_vec(),
            seed: 1,
            stats: false,
            output: output.clone(),
        })?;
    }
    Ok(Collection {
        kind: Some(kind),
        ..describe(&output)?
    })
}

/// A collection with its counts, from the file beside it or counted.
pub(crate) fn describe(path: &Path) -> Result<Collection> {
    let path = path
        .canonicalize()
        .with_context(|| format!("`{}` does not exist", path.display()))?;
    let bytes = std::fs::metadata(&path)?.len();
    let info = corpus::info(&path);
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
        kind: None,
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
            doublet::clear(&entry.output)?;
            let usage = entry.program.measure()?;
            let (name, wall) = (entry.contender.label(), usage.wall_seconds);
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
        _ => false,
    }
}

fn entry(
    args: &Args,
    tools: &Tools,
    contender: &Contender,
    collection: &Collection,
) -> Result<Entry> {
    let output = folder().join(contender.output());
    let corpus = &collection.path;
    let threads = args.doublet.threads;
    let program = match contender {
        Contender::Peer(Peer::JiebaCut) => contender::segmentation(corpus, threads)?,
        Contender::Peer(peer) => {
            let python = tools.python.as_ref().context("no Python")?;
            peer.script(python, corpus, &output, threshold(args), threads)
        }
        _ => {
            let (command, options) = contender.arguments();
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            let doublet = tools.doublet.as_ref().context("no doublet")?;
            doublet.program(command, corpus, &output, &options)
        }
    };
    Ok(Entry {
        contender: contender.clone(),
        program,
        output,
        runs: Vec::new(),
    })
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
        matches!(entry.contender, Contender::Shingles { .. })
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

/// The pairs of those who looked for resemblance at the common threshold; others are only counted, and so
/// are all where doublet looked for something else.
fn answers(args: &Args, entries: &[Entry]) -> Result<Vec<Option<Pairs>>> {
    let is_terms = |entry: &Entry| matches!(entry.contender, Contender::Terms { .. });
    if entries.iter().any(is_terms) {
        return Ok(entries.iter().map(|_| None).collect());
    }
    let read = |entry: &Entry| match &entry.contender {
        Contender::Peer(peer) if peer.finds_pairs() => pairs::read_tsv(&entry.output).map(Some),
        Contender::Shingles {
            metric,
            threshold: own,
        } if metric == "resemblance" && *own == threshold(args) => {
            pairs::read_jsonl(&entry.output).map(Some)
        }
        _ => Ok(None),
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
    check::verified(&collection.path, &proposed, threshold(args))
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
    let (tool, version) = match &entry.contender {
        Contender::Peer(peer) => (peer.name(), peer.version()?),
        _ => {
            let doublet = tools.doublet.as_ref().context("no doublet")?;
            ("doublet", doublet.version.clone())
        }
    };
    let (metric, threshold) = entry.contender.criterion(threshold(args));
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
        is_peer: !entry.contender.is_doublet(),
        version,
        command: entry.contender.command(),
        metric: metric.to_owned(),
        threshold,
        collection: collection.clone(),
        runs: entry.runs.clone(),
        usage,
        pairs: count_pairs(entry)?,
        quality,
    })
}

/// How many pairs were found, by the file of them or by the summary; none of a program that looks for none.
fn count_pairs(entry: &Entry) -> Result<Option<usize>> {
    if entry.contender == Contender::Peer(Peer::JiebaCut) {
        return Ok(None);
    }
    if entry.output.is_dir() {
        let summary = doublet::summary(&entry.output)?;
        return Ok(summary["pairs"].as_u64().map(|pairs| pairs as usize));
    }
    pairs::count(&entry.output).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_of_documents_or_short_messages() {
        let size: Size = "short:1_000".parse().expect("a size");
        assert_eq!((size.kind, size.documents), (Kind::Short, 1000));
        let size: Size = "20000".parse().expect("a size");
        assert_eq!((size.kind, size.documents), (Kind::Documents, 20_000));
        let size: Size = "short-zh:5".parse().expect("a size");
        assert_eq!((size.kind, size.documents), (Kind::ShortZh, 5));
        assert!("many".parse::<Size>().is_err());
        assert!("long:5".parse::<Size>().is_err());
    }
}
