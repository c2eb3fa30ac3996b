//! `cargo xtask terms-figures`: precision, recall and comparisons, after the paper's figures 1 to 6.
//!
//! Recall and comparisons by gram size and by number of features, what transitivity saves and how often it is
//! wrong, on real messages without identical copies (transitivity also with them); precision by score of equations 3 (`resemblance`) and 4
//! (`degree`), where it is known which pairs are right. One row of the record is one point of a figure.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::finder::{Answer, Finder};
use super::precision::{self, Band, Truth};
use super::texts::{Copies, Source, Texts};
use super::{recall, show, transitivity};
use crate::bench::{self, record};
use crate::corpus::{self, Kind};
use crate::{doublet, draw, workspace};

/// The paper's threshold, and the gram size it decides for.
pub(crate) const THRESHOLD: f64 = 0.65;
const GRAM: &str = "3";
pub(crate) const GRAMS: [&str; 5] = ["1", "2", "3", "4", "5"];
/// Features beyond the k of inequality 5.
pub(crate) const BEYOND: std::ops::RangeInclusive<usize> = 0..=6;
/// Potential pairs to look at, and what they are drawn by.
const POTENTIAL: usize = 10_000;
const SEED: u64 = 1;
pub(crate) const METRICS: [&str; 2] = ["degree", "resemblance"];
/// Pairs of the stored texts that were judged.
const LABELS: &str = "benchmarks/labels/terms.jsonl";

/// What to measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// JSON lines for recall and transitivity [default: nus_sms in both languages and zh_reviews of the data folder]
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub(crate) from: Vec<PathBuf>,
    /// The folder with nus_sms, zh_reviews and mrpc [default: ../shared/data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Take only so many texts of each collection
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    pub(crate) limit: usize,
    /// Messages in each collection that is made for precision
    #[arg(long, default_value_t = 100_000)]
    pub(crate) documents: usize,
    /// The record is benchmarks/record/DATE-NAME.json
    #[arg(long, default_value = "terms-figures")]
    pub(crate) name: String,
    /// Measure nothing, draw this record again
    #[arg(long, value_name = "RECORD")]
    pub(crate) redraw: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) doublet: doublet::Args,
}

/// Measure, print the tables, keep the record, draw.
pub(crate) fn run(args: &Args) -> Result<()> {
    let rows = match &args.redraw {
        Some(record) => record::read(record)?,
        None => {
            let rows = measure(args)?;
            let path = record::write(&args.name, &rows, args.doublet.threads)?;
            println!("record: {}", path.display());
            rows
        }
    };
    show::print_tables(&rows);
    for (experiment, file) in [
        ("gram", "terms-gram.svg"),
        ("features", "terms-features.svg"),
        ("gram-alone", "terms-gram-alone.svg"),
        ("features-alone", "terms-features-alone.svg"),
    ] {
        show::draw_steps(&rows, experiment, &draw::path(file)?)?;
    }
    // The tables have all; made collections and those with few labels would hide the rest.
    let shown = ["mrpc", "nus_sms, labelled", "zh_reviews, labelled"];
    let path = draw::path("terms-precision.svg")?;
    if !show::draw_precision(&rows, &shown, &path)? {
        println!(
            "nothing with labels to draw: {} is left as it is",
            path.display()
        );
    }
    Ok(())
}

/// One row for each point of the figures, and for each count.
pub(crate) fn measure(args: &Args) -> Result<Vec<Value>> {
    let folder = args.doublet.folder()?.join("figures");
    std::fs::create_dir_all(&folder)?;
    let finder = Finder::new(&args.doublet)?;
    let mut rows = Vec::new();
    for source in sources(args)? {
        let name = source.name.replace(' ', "-");
        let distinct = folder.join(format!("{name}-distinct.jsonl"));
        let texts = Texts::select(&source, Copies::Leave, args.limit, &distinct)?;
        println!("{}: {} texts without copies", texts.name, texts.len());
        rows.extend(measure_recall(&finder, &texts)?);
        let all = folder.join(format!("{name}.jsonl"));
        let texts = Texts::select(&source, Copies::Take, args.limit, &all)?;
        println!("{}: {} texts with copies", texts.name, texts.len());
        let exact = complete(&finder, &texts, "exact")?;
        rows.push(measure_transitivity(&finder, &texts, &exact, Copies::Take)?);
    }
    for (texts, truth) in judged(args)? {
        println!("{}: {} texts", texts.name, texts.len());
        for metric in METRICS {
            rows.push(measure_precision(&finder, &texts, &truth, metric)?);
        }
        if matches!(truth, Truth::Families(_)) {
            let exact = complete(&finder, &texts, "exact")?;
            rows.push(measure_transitivity(&finder, &texts, &exact, Copies::Take)?);
        }
    }
    Ok(rows)
}

fn data(args: &Args) -> PathBuf {
    let default = || workspace::root().join(corpus::DATA);
    args.data.clone().unwrap_or_else(default)
}

/// Where the texts for recall come from.
fn sources(args: &Args) -> Result<Vec<Source>> {
    let data = data(args);
    let stored = |name: &str, folder: &str, language| Source {
        name: name.to_owned(),
        path: data.join(folder).join("texts.jsonl.zst"),
        language,
    };
    let sources = if args.from.is_empty() {
        vec![
            stored("nus_sms English", "nus_sms", Some("en")),
            stored("nus_sms Chinese", "nus_sms", Some("zh")),
            stored("zh_reviews", "zh_reviews", None),
        ]
    } else {
        args.from.iter().map(|path| given(path)).collect()
    };
    for source in &sources {
        ensure!(
            source.path.is_file(),
            "`{}` does not exist: say where the data is with `--data`, or name files with `--from`",
            source.path.display()
        );
    }
    Ok(sources)
}

fn given(path: &Path) -> Source {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split(".jsonl").next().unwrap_or_default();
    Source {
        name: name.to_owned(),
        path: path.to_owned(),
        language: None,
    }
}

/// The collections of which the right pairs are known: judged by people if there are any, and made.
fn judged(args: &Args) -> Result<Vec<(Texts, Truth)>> {
    let (data, folder) = (data(args), args.doublet.folder()?);
    let mrpc = data.join("mrpc");
    let mut judged = Vec::new();
    if mrpc.is_dir() {
        let texts = Texts::read("mrpc", &mrpc.join("texts.jsonl.zst"))?;
        let truth = texts.labels(&mrpc.join("truth.jsonl"))?;
        judged.push((texts, truth));
    }
    let labels = workspace::root().join(LABELS);
    for name in ["nus_sms", "zh_reviews", "ko_headlines", "germeval_tweets"] {
        let path = data.join(name).join("texts.jsonl.zst");
        if path.is_file() {
            let source = Source {
                name: format!("{name}, labelled"),
                path,
                language: None,
            };
            let output = folder.join(format!("figures/{name}-labelled.jsonl"));
            let texts = Texts::select(&source, Copies::Leave, usize::MAX, &output)?;
            let truth = texts.labels_of(name, &labels)?;
            judged.push((texts, truth));
        }
    }
    let from = ["nus_sms", "zh_reviews"].map(|name| data.join(name));
    let mut from: Vec<PathBuf> = from.into_iter().filter(|folder| folder.is_dir()).collect();
    if from.is_empty() {
        from.push(corpus::sample());
    }
    for (kind, name) in [
        (Kind::Short, "made, English"),
        (Kind::ShortZh, "made, Chinese"),
    ] {
        let collection = bench::make(&folder, kind, args.documents, &from)?;
        let texts = Texts::read(name, &collection.path)?;
        let truth = texts.families()?;
        judged.push((texts, truth));
    }
    Ok(judged)
}

/// Everything about one collection but precision.
fn measure_recall(finder: &Finder, texts: &Texts) -> Result<Vec<Value>> {
    let baseline = complete(finder, texts, "baseline")?;
    let exact = complete(finder, texts, "exact")?;
    let references = References { baseline, exact };
    let mut rows = vec![
        reference_row(texts, "baseline", &references.baseline),
        reference_row(texts, "exact", &references.exact),
    ];
    // Features with pairs of terms for short texts, and the paper's features alone.
    for (short, ending) in [("8", ""), ("0", "-alone")] {
        let common = [
            "--candidates",
            "features",
            "--transitivity",
            "off",
            "--short",
            short,
        ];
        for gram in GRAMS {
            let answer = finder.dedup(texts, &[&common[..], &["--gram", gram]].concat())?;
            let step = gram.parse().unwrap_or(0);
            let experiment = format!("gram{ending}");
            rows.push(step_row(texts, &experiment, step, &answer, &references));
        }
        for beyond in BEYOND {
            let features = format!("k+{beyond}");
            let options = ["--gram", GRAM, "--features", &features];
            let answer = finder.dedup(texts, &[&common[..], &options].concat())?;
            let experiment = format!("features{ending}");
            rows.push(step_row(texts, &experiment, beyond, &answer, &references));
        }
    }
    let exact = &references.exact;
    rows.push(measure_transitivity(finder, texts, exact, Copies::Leave)?);
    Ok(rows)
}

fn complete(finder: &Finder, texts: &Texts, candidates: &str) -> Result<Answer> {
    finder.dedup(
        texts,
        &["--transitivity", "off", "--candidates", candidates],
    )
}

/// What features are measured against.
struct References {
    /// Texts with two words in a row in common were compared.
    baseline: Answer,
    /// All pairs.
    exact: Answer,
}

fn reference_row(texts: &Texts, candidates: &str, answer: &Answer) -> Value {
    json!({
        "experiment": "reference",
        "collection": texts.name,
        "texts": texts.len(),
        "candidates": candidates,
        "comparisons": answer.comparisons,
        "pairs": answer.pairs.len(),
        "duplicates": recall::duplicates(&answer.pairs),
        "wall_seconds": answer.wall_seconds,
    })
}

fn step_row(
    texts: &Texts,
    experiment: &str,
    step: usize,
    answer: &Answer,
    references: &References,
) -> Value {
    let baseline = recall::recall(&answer.pairs, &references.baseline.pairs);
    let exact = recall::recall(&answer.pairs, &references.exact.pairs);
    json!({
        "experiment": experiment,
        "collection": texts.name,
        "texts": texts.len(),
        "step": step,
        "comparisons": answer.comparisons,
        "pairs": answer.pairs.len(),
        "duplicates": recall::duplicates(&answer.pairs),
        "recall": baseline.texts,
        "pair_recall": baseline.pairs,
        "recall_exact": exact.texts,
        "pair_recall_exact": exact.pairs,
        "wall_seconds": answer.wall_seconds,
    })
}

/// What transitivity saves, and a sample of what it would say, against the complete answer.
fn measure_transitivity(
    finder: &Finder,
    texts: &Texts,
    exact: &Answer,
    copies: Copies,
) -> Result<Value> {
    let with = |transitivity| {
        let options = [
            "--candidates",
            "features",
            "--linkage",
            "connected",
            "--transitivity",
            transitivity,
        ];
        finder.dedup(texts, &options)
    };
    let (on, off) = (with("on")?, with("off")?);
    let check = transitivity::check(&exact.pairs, POTENTIAL, SEED);
    Ok(json!({
        "experiment": "transitivity",
        "collection": texts.name,
        "identical_copies": copies == Copies::Take,
        "texts": texts.len(),
        "comparisons_on": on.comparisons,
        "comparisons_off": off.comparisons,
        // What a plain procedure compares: copies are texts of their own.
        "comparisons_plain": off.comparisons + off.saved,
        "saved": on.saved,
        "clusters_on": on.clusters,
        "clusters_off": off.clusters,
        "potential_pairs": check.potential,
        "wrong": check.wrong,
        "wrong_percent": 100.0 * check.wrong as f64 / check.potential.max(1) as f64,
    }))
}

fn measure_precision(finder: &Finder, texts: &Texts, truth: &Truth, metric: &str) -> Result<Value> {
    let options = [
        "--candidates",
        "exact",
        "--threshold",
        "0.5",
        "--metric",
        metric,
    ];
    let pairs = finder.pairs(texts, &options)?;
    let quality = precision::quality(&pairs, truth, THRESHOLD);
    let band = |band: Band| json!({"upper": band.upper, "pairs": band.pairs, "right": band.right, "precision": band.precision()});
    let bands: Vec<Value> = precision::bands(&pairs, truth)
        .into_iter()
        .map(band)
        .collect();
    Ok(json!({
        "experiment": "precision",
        "collection": texts.name,
        "texts": texts.len(),
        "metric": metric,
        "bands": bands,
        "threshold": THRESHOLD,
        "precision": quality.precision,
        "recall": quality.recall,
        "f1": quality.f1(),
    }))
}
