//! `cargo xtask sentences-figures`: what the paper measures of its method and of two others, measured again.
//!
//! On the collection that `cargo xtask corpus --kind sentences` makes: size, time and quality of three methods (table
//! 2), common words and entries by the cut-off of the document frequency (figure 5), quality by the cut-off (figure 6)
//! and by the number of sentences that collide (figure 7), and how often the sources named are the true ones. On real
//! answers of students: how well what is copied is told from what is not. One row of the record is one point.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use serde_json::{Value, json};

use super::quality::{Quality, Truth, rounded};
use super::tool::{Answer, Built, Times, Tool};
use super::{plagiarism, show};
use crate::bench::measure::{Usage, median};
use crate::bench::record;
use crate::corpus::{self, Kind};
use crate::{doublet, draw, workspace};

/// The methods of table 2, with their options.
const METHODS: [(&str, &[&str]); 4] = [
    ("imatch", &["--method", "imatch", "--no-texts"]),
    (
        "exact sentences",
        &[
            "--method",
            "sentences",
            "--df-cutoff",
            "off",
            "--reorder",
            "off",
            "--min-words",
            "1",
            "--no-texts",
        ],
    ),
    (OURS, &["--method", "sentences", "--no-texts"]),
    ("sentences, texts kept", &["--method", "sentences"]),
];
/// The one whose figures are drawn.
const OURS: &str = "sentences";
/// Shares of the texts in which a word may stand.
pub(super) const CUTOFFS: [&str; 10] = [
    "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.3", "0.5", "0.7", "off",
];
/// The paper's number of collisions.
const COLLISIONS: u64 = 3;
const MOST_COLLISIONS: u64 = 8;
/// Runs of the whole tool with one text.
const OPENINGS: usize = 20;
const SEED: u64 = 1;

/// What to measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Sources [default: 432162, as in the paper]
    #[arg(long)]
    pub(crate) sources: Option<usize>,
    /// Targets [default: 19076, or in proportion to the sources]
    #[arg(long)]
    pub(crate) targets: Option<usize>,
    /// Measure only this
    #[arg(long, value_enum)]
    pub(crate) only: Option<Part>,
    /// Runs of building and of checking for the table; medians are reported
    #[arg(long, default_value_t = 3)]
    pub(crate) runs: usize,
    /// Text for the collection, as for `cargo xtask corpus`
    #[arg(long, num_args = 1.., value_name = "FILE|DIR")]
    pub(crate) from: Vec<PathBuf>,
    /// The folder with plagiarism_short [default: ../shared/data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The record is benchmarks/record/DATE-NAME.json [default: sentences-figures, or sentences-only-PART]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Measure nothing, print and draw this record again
    #[arg(long, value_name = "RECORD")]
    pub(crate) redraw: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) doublet: doublet::Args,
}

/// The parts of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// By cut-off and by collisions
    Figures,
    /// Size, time and quality of the methods
    Table,
    /// Answers of students
    Plagiarism,
}

/// Measure, keep the record, print the tables, draw.
pub(crate) fn run(args: &Args) -> Result<()> {
    let rows = match &args.redraw {
        Some(record) => record::read(record)?,
        None => {
            let rows = measure(args)?;
            let path = record::write(&record_name(args), &rows, args.doublet.threads)?;
            println!("record: {}", path.display());
            rows
        }
    };
    show::print(&rows);
    let files = [
        draw::path("sentences-resources.svg")?,
        draw::path("sentences-cutoff.svg")?,
        draw::path("sentences-collisions.svg")?,
    ];
    show::draw(&rows, files.each_ref().map(PathBuf::as_path))
}

/// One row for each point of the figures, each method of the table, and each score of the students' answers; those only if
/// the answers are there, unless they alone were asked for.
pub(crate) fn measure(args: &Args) -> Result<Vec<Value>> {
    ensure!(args.runs > 0, "`--runs` must be at least 1");
    let is_wanted = |part| args.only.is_none_or(|only| only == part);
    let tool = Tool::new(&args.doublet)?;
    let mut rows = Vec::new();
    if is_wanted(Part::Plagiarism) {
        let data = args
            .data
            .clone()
            .unwrap_or_else(|| workspace::root().join(corpus::DATA));
        if args.only.is_some() || plagiarism::is_there(&data) {
            rows.extend(plagiarism::measure(&tool, &data)?);
        } else {
            println!(
                "no {} in `{}`: left out",
                plagiarism::FOLDER,
                data.display()
            );
        }
    }
    if is_wanted(Part::Table) || is_wanted(Part::Figures) {
        let collection = Collection::make(args)?;
        rows.push(collection.row());
        if is_wanted(Part::Table) {
            rows.extend(measure_table(args, &tool, &collection)?);
        }
        if is_wanted(Part::Figures) {
            rows.extend(measure_figures(&tool, &collection)?);
        }
        tool.clear()?;
    }
    Ok(rows)
}

fn record_name(args: &Args) -> String {
    let name = match args.only {
        None => "sentences-figures",
        Some(Part::Figures) => "sentences-only-figures",
        Some(Part::Table) => "sentences-only-table",
        Some(Part::Plagiarism) => "sentences-only-plagiarism",
    };
    args.name.clone().unwrap_or_else(|| name.to_owned())
}

/// Sources, targets, and what is known about them.
struct Collection {
    sources: PathBuf,
    targets: PathBuf,
    info: Value,
    targets_info: Value,
    truth: Truth,
}

impl Collection {
    /// The one that lies there if it has these sizes, or a new one.
    fn make(args: &Args) -> Result<Self> {
        let sources = make_sources(args.sources, args.targets, &args.from, &args.doublet)?;
        let targets = corpus::sentences::targets_path(&sources);
        Ok(Self {
            info: corpus::info(&sources),
            targets_info: corpus::info(&targets),
            truth: Truth::read(&sources, &targets)?,
            sources,
            targets,
        })
    }

    /// The paper's table 1.
    fn row(&self) -> Value {
        json!({"experiment": "collection", "sources": self.info, "targets": self.targets_info})
    }
}

/// The collection's sources and its targets, made unless they are there.
pub(crate) fn sources_and_targets(
    sources: Option<usize>,
    from: &[PathBuf],
    tool: &doublet::Args,
) -> Result<(PathBuf, PathBuf)> {
    let sources = make_sources(sources, None, from, tool)?;
    let targets = corpus::sentences::targets_path(&sources);
    Ok((sources, targets))
}

/// The sources that lie there if they have these sizes, or new ones.
fn make_sources(
    sources: Option<usize>,
    targets: Option<usize>,
    from: &[PathBuf],
    tool: &doublet::Args,
) -> Result<PathBuf> {
    let (documents, targets) = corpus::sentences::sizes(sources, targets);
    let output = tool.folder()?.join(format!("sentences-{documents}.jsonl"));
    let info = corpus::info(&output);
    let is_there = info["kind"] == Kind::Sentences.name()
        && info["targets"] == targets
        && info["seed"] == SEED;
    if !is_there {
        corpus::run(&corpus::Args {
            documents: Some(documents),
            targets: Some(targets),
            words: None,
            kind: Kind::Sentences,
            from: from.to_vec(),
            seed: SEED,
            stats: false,
            output: output.clone(),
        })?;
    }
    Ok(output)
}

fn measure_table(args: &Args, tool: &Tool, collection: &Collection) -> Result<Vec<Value>> {
    let one = first_line(&collection.targets, &tool.file("one.jsonl"))?;
    let mut rows = Vec::new();
    for (name, options) in METHODS {
        println!("{name}:");
        let mut builds = Vec::new();
        for _ in 0..args.runs {
            builds.push(tool.build(&collection.sources, options)?);
        }
        let mut checks = Vec::new();
        for _ in 0..args.runs {
            checks.push(tool.check(&collection.targets)?);
        }
        let openings = (0..OPENINGS)
            .map(|_| tool.time_check(&one))
            .collect::<Result<Vec<f64>>>()?;
        let mut row = table_row(collection, &builds, &checks, median(openings)?)?;
        row["method"] = json!(name);
        row["options"] = json!(options.join(" "));
        row["version"] = json!(tool.doublet.version);
        rows.push(row);
        if name == OURS {
            let mut row = collection.truth.judge_sources(&checks[0].0)?.to_json();
            row["experiment"] = json!("division");
            rows.push(row);
        }
    }
    Ok(rows)
}

fn table_row(
    collection: &Collection,
    builds: &[Built],
    checks: &[(Vec<Answer>, Times)],
    opening_ms: f64,
) -> Result<Value> {
    let usages: Vec<Usage> = builds.iter().map(|built| built.usage).collect();
    let usage = Usage::median(&usages)?;
    let built = builds.first().context("no index was built")?;
    let (bytes, entries) = (built.number("bytes")?, built.number("entries")?);
    let sentences = collection.info["sentences"].as_f64().unwrap_or(0.0);
    let time =
        |figure: fn(&Times) -> f64| median(checks.iter().map(|(_, times)| figure(times)).collect());
    let answers = &checks.first().context("nothing was checked")?.0;
    let quality = collection
        .truth
        .judge(answers, |answer| answer.is_duplicate)?;
    let by_collisions = collection
        .truth
        .judge(answers, |answer| answer.sentences >= COLLISIONS)?;
    Ok(json!({
        "experiment": "table",
        "bytes": bytes,
        "entries": entries,
        "bytes_per_entry": rounded(bytes / entries.max(1.0)),
        "build": usage.to_json(),
        "sentences_per_second": (sentences / usage.wall_seconds).round(),
        "opening_ms": rounded(opening_ms),
        "open_ms": rounded(time(|times| times.open_ms)?),
        "request_us": {
            "median": rounded(time(|times| times.median_us)?),
            "p99": rounded(time(|times| times.p99_us)?),
            "mean": rounded(time(|times| times.mean_us)?),
        },
        "quality": quality.to_json(),
        "quality_by_three_sentences": by_collisions.to_json(),
        "info": built.info,
    }))
}

/// The first record of a collection, in a file of its own.
fn first_line(collection: &Path, output: &Path) -> Result<PathBuf> {
    let mut line = String::new();
    BufReader::new(File::open(collection)?).read_line(&mut line)?;
    std::fs::write(output, line)?;
    Ok(output.to_owned())
}

/// Figures 5 and 6, an index for each cut-off, and 7, as the tool does by default.
fn measure_figures(tool: &Tool, collection: &Collection) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    for (step, cutoff) in CUTOFFS.into_iter().enumerate() {
        let options = ["--method", "sentences", "--no-texts", "--df-cutoff", cutoff];
        let built = tool.build(&collection.sources, &options)?;
        let (answers, times) = tool.check(&collection.targets)?;
        let quality = at_least(collection, &answers, COLLISIONS)?;
        rows.push(json!({
            "experiment": "cutoff",
            "step": step,
            "cutoff": cutoff,
            "common_words": built.number("common_words")?,
            "entries": built.number("entries")?,
            "bytes": built.number("bytes")?,
            "request_us": rounded(times.median_us),
            "quality": quality.to_json(),
            "collisions": by_collisions(collection, &answers)?,
        }));
    }
    let built = tool.build(
        &collection.sources,
        &["--method", "sentences", "--no-texts"],
    )?;
    let (answers, _) = tool.check(&collection.targets)?;
    rows.push(json!({
        "experiment": "collisions",
        "info": built.info,
        "collisions": by_collisions(collection, &answers)?,
    }));
    Ok(rows)
}

/// Quality if so many sentences make a copy, from one on.
fn by_collisions(collection: &Collection, answers: &[Answer]) -> Result<Vec<Value>> {
    let row = |collisions: u64| {
        let mut row = at_least(collection, answers, collisions)?.to_json();
        row["step"] = json!(collisions);
        Ok(row)
    };
    (1..=MOST_COLLISIONS).map(row).collect()
}

fn at_least(collection: &Collection, answers: &[Answer], collisions: u64) -> Result<Quality> {
    collection
        .truth
        .judge(answers, |answer| answer.sentences >= collisions)
}
