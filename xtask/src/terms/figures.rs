//! `cargo xtask terms-figures`: precision, recall and comparisons, after the paper's figures 1 to 6.
//!
//! Recall and comparisons by gram size and by number of features, what transitivity saves and how often it is
//! wrong, on real messages without identical copies (transitivity also with them); precision by score of equations 3 (`resemblance`) and 4
//! (`degree`), where it is known which pairs are right. One row of the record is one point of a figure.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::finder::{Answer, Finder};
use super::precision::{self, Band, Truth};
use super::texts::{Copies, Source, Texts};
use super::{recall, transitivity};
use crate::bench::{self, record};
use crate::corpus::{self, Kind};
use crate::draw::{self, Axis, Corner, Line, Panel};
use crate::{doublet, workspace};

/// The paper's threshold, and the gram size it decides for.
const THRESHOLD: f64 = 0.65;
const GRAM: &str = "3";
const GRAMS: [&str; 5] = ["1", "2", "3", "4", "5"];
/// Features beyond the k of inequality 5.
const BEYOND: std::ops::RangeInclusive<usize> = 0..=6;
/// Potential pairs to look at, and what they are drawn by.
const POTENTIAL: usize = 10_000;
const SEED: u64 = 1;
const METRICS: [&str; 2] = ["degree", "resemblance"];
/// Pairs of the stored texts that were judged.
const LABELS: &str = "benchmarks/labels/terms.jsonl";

/// What to measure.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// JSON lines for recall and transitivity [default: nus_sms in both languages and zh_reviews of the data folder]
    #[arg(long, num_args = 1.., value_name = "FILE")]
    from: Vec<PathBuf>,
    /// The folder with nus_sms, zh_reviews and mrpc [default: ../shared/data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Take only so many texts of each collection
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    limit: usize,
    /// Messages in each collection that is made for precision
    #[arg(long, default_value_t = 100_000)]
    documents: usize,
    /// The record is benchmarks/record/DATE-NAME.json
    #[arg(long, default_value = "terms-figures")]
    name: String,
    /// Measure nothing, draw this record again
    #[arg(long, value_name = "RECORD")]
    redraw: Option<PathBuf>,
    #[command(flatten)]
    doublet: doublet::Args,
}

/// Measure, print the tables, keep the record, draw.
pub(crate) fn run(args: &Args) -> Result<()> {
    let rows = match &args.redraw {
        Some(record) => record::read(record)?,
        None => measure(args)?,
    };
    print_tables(&rows);
    draw_steps(&rows, "gram", "terms-gram.svg")?;
    draw_steps(&rows, "features", "terms-features.svg")?;
    draw_steps(&rows, "gram-alone", "terms-gram-alone.svg")?;
    draw_steps(&rows, "features-alone", "terms-features-alone.svg")?;
    draw_precision(&rows)
}

fn measure(args: &Args) -> Result<Vec<Value>> {
    let folder = bench::folder().join("figures");
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
    let path = record::write(&args.name, &rows, args.doublet.threads)?;
    println!("record: {}", path.display());
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
    let data = data(args);
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
            let output = bench::folder()
                .join("figures")
                .join(format!("{name}-labelled.jsonl"));
            let texts = Texts::select(&source, Copies::Leave, usize::MAX, &output)?;
            let truth = texts.labels_of(name, &labels)?;
            judged.push((texts, truth));
        }
    }
    let from = ["nus_sms", "zh_reviews"].map(|name| data.join(name));
    let from: Vec<PathBuf> = from.into_iter().filter(|folder| folder.is_dir()).collect();
    for (kind, name) in [
        (Kind::Short, "made, English"),
        (Kind::ShortZh, "made, Chinese"),
    ] {
        let collection = bench::make(kind, args.documents, &from)?;
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
    // As it is by default, and the paper's features alone.
    for (short, ending) in [("8", ""), ("0", "-alone")] {
        let common = ["--transitivity", "off", "--short", short];
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
        let options = ["--linkage", "connected", "--transitivity", transitivity];
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

/// The rows of one experiment.
fn of<'a>(rows: &'a [Value], experiment: &'a str) -> impl Iterator<Item = &'a Value> {
    rows.iter()
        .filter(move |row| row["experiment"] == experiment)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("–")
}

fn percent(value: &Value) -> String {
    let share = value.as_f64();
    share.map_or("–".to_owned(), |share| format!("{:.2} %", share * 100.0))
}

fn print_tables(rows: &[Value]) {
    println!("\n| collection | texts | candidates | comparisons | pairs | duplicates |");
    println!("|---|---:|---|---:|---:|---:|");
    for row in of(rows, "reference") {
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            text(&row["collection"]),
            row["texts"],
            text(&row["candidates"]),
            row["comparisons"],
            row["pairs"],
            row["duplicates"]
        );
    }
    for (experiment, heading) in [
        ("gram", "N"),
        ("features", "features"),
        ("gram-alone", "N, features alone"),
        ("features-alone", "features alone"),
    ] {
        print_steps(rows, experiment, heading);
    }
    print_transitivity(rows);
    print_precision(rows);
}

fn print_steps(rows: &[Value], experiment: &str, heading: &str) {
    println!(
        "\n| collection | {heading} | comparisons | recall | of pairs | against exact | of pairs |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for row in of(rows, experiment) {
        let step = row["step"].as_f64().unwrap_or(0.0);
        println!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            text(&row["collection"]),
            step_name(experiment)(step),
            row["comparisons"],
            percent(&row["recall"]),
            percent(&row["pair_recall"]),
            percent(&row["recall_exact"]),
            percent(&row["pair_recall_exact"])
        );
    }
}

fn print_transitivity(rows: &[Value]) {
    println!(
        "\n| collection | texts | identical copies | plain comparisons | of distinct texts | with transitivity | potential pairs | wrong |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|");
    for row in of(rows, "transitivity") {
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} ({:.2} %) |",
            text(&row["collection"]),
            row["texts"],
            if row["identical_copies"] == true {
                "with"
            } else {
                "without"
            },
            row["comparisons_plain"],
            row["comparisons_off"],
            row["comparisons_on"],
            row["potential_pairs"],
            row["wrong"],
            row["wrong_percent"].as_f64().unwrap_or(f64::NAN)
        );
    }
}

fn print_precision(rows: &[Value]) {
    println!("\nPrecision of the pairs with a score of up to …, and at {THRESHOLD} or above:\n");
    println!(
        "| collection | metric | 0.55 | 0.60 | 0.65 | 0.70 | 0.75 | 0.80 | 0.85 | 0.90 | 0.95 | 1.00 | precision | recall | F1 |"
    );
    println!("|---|---|{}", "---:|".repeat(13));
    for row in of(rows, "precision") {
        let bands = row["bands"].as_array().cloned().unwrap_or_default();
        let bands: Vec<String> = bands
            .iter()
            .map(|band| percent(&band["precision"]))
            .collect();
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            text(&row["collection"]),
            text(&row["metric"]),
            bands.join(" | "),
            percent(&row["precision"]),
            percent(&row["recall"]),
            percent(&row["f1"])
        );
    }
}

/// The collections of an experiment, in the order of their rows.
fn collections<'a>(rows: &'a [Value], experiment: &'a str) -> Vec<&'a str> {
    let mut names: Vec<&str> = of(rows, experiment)
        .map(|row| text(&row["collection"]))
        .collect();
    names.dedup();
    names
}

/// A line a collection: some figure over the steps of an experiment.
fn step_lines(rows: &[Value], experiment: &str, figure: &str) -> Result<Vec<Line>> {
    let line = |(number, name): (usize, &str)| {
        let own = of(rows, experiment).filter(|row| row["collection"] == name);
        let points: Option<Vec<(f64, f64)>> = own
            .map(|row| row["step"].as_f64().zip(row[figure].as_f64()))
            .collect();
        let points = points.with_context(|| format!("a row without `{figure}`"))?;
        let colour = draw::COLOURS[number % draw::COLOURS.len()];
        Ok(Line::new(name, colour, points))
    };
    let names = collections(rows, experiment).into_iter().enumerate();
    names.map(line).collect()
}

/// How a step is written.
fn step_name(experiment: &str) -> fn(f64) -> String {
    if experiment.starts_with("gram") {
        return |step| format!("{step:.0}");
    }
    |step| match step.round() {
        0.0 => "k".to_owned(),
        more => format!("k+{more:.0}"),
    }
}

/// Recall on the left, whole lines against the base line and dashed ones against all pairs; comparisons on the right.
fn draw_steps(rows: &[Value], experiment: &str, file: &str) -> Result<()> {
    let mut recall = step_lines(rows, experiment, "recall")?;
    let exact = step_lines(rows, experiment, "recall_exact")?;
    recall.extend(exact.into_iter().map(Line::dashed));
    let comparisons = step_lines(rows, experiment, "comparisons")?;
    ensure!(
        !recall.is_empty(),
        "the record has no experiment `{experiment}`"
    );
    let label = match experiment {
        "gram" | "gram-alone" => "gram size N",
        _ => "features λ (N = 3)",
    };
    let (first, last) = (draw::least(&recall, |p| p.0), draw::most(&recall, |p| p.0));
    // More marks would fall between the steps.
    let axis = || Axis::linear(label, first - 0.4..last + 0.4).marks(8);
    let x = || axis().written(step_name(experiment));
    let bottom = (draw::least(&recall, |p| p.1) * 20.0).floor() / 20.0 - 0.05;
    let top = draw::most(&recall, |p| p.1).max(1.0) + 0.02;
    let fewest = draw::least(&comparisons, |p| p.1).max(1.0);
    let most = draw::most(&comparisons, |p| p.1).max(2.0);
    // Room for the legend, however steep the lines are.
    let most = most * (most / fewest).powf(0.3).max(3.0);
    let panels = [
        Panel {
            title: "Recall: against the base line, and (dashed) all pairs",
            x: x(),
            y: Axis::linear("recall", bottom.max(0.0)..top),
            lines: &recall,
            legend: None,
        },
        Panel {
            title: "Comparisons",
            x: x(),
            y: Axis::logarithmic("comparisons", fewest * 0.5..most),
            lines: &comparisons,
            legend: Some(Corner::UpperRight),
        },
    ];
    let path = draw::path(file)?;
    draw::draw(&panels, &path)?;
    println!("drew {}", path.display());
    Ok(())
}

/// Precision by band: a colour a collection, whole lines for equation 4, dashed ones for equation 3.
fn draw_precision(rows: &[Value]) -> Result<()> {
    // The table has all; made collections and those with few labels would hide the rest.
    let is_drawn = |name: &str| {
        name == "mrpc" || name == "nus_sms, labelled" || name == "zh_reviews, labelled"
    };
    let names = collections(rows, "precision");
    let drawn = of(rows, "precision").filter(|row| is_drawn(text(&row["collection"])));
    let lines = drawn.map(|row| {
        let name = text(&row["collection"]);
        let number = names.iter().position(|other| *other == name).unwrap_or(0);
        let colour = draw::COLOURS[number % draw::COLOURS.len()];
        let metric = text(&row["metric"]);
        let line = Line::new(&format!("{name}, {metric}"), colour, band_points(row));
        if metric == "degree" {
            line
        } else {
            line.dashed()
        }
    });
    let lines: Vec<Line> = lines.collect();
    if lines.is_empty() {
        println!("nothing with labels to draw: docs/terms-precision.svg is left as it is");
        return Ok(());
    }
    // Room for the legend below the lines.
    let bottom = (draw::least(&lines, |p| p.1) * 10.0).floor() / 10.0 - 0.3;
    let panel = Panel {
        title: "Precision by score: degree (equation 4) and resemblance (equation 3)",
        x: Axis::linear("score, from 0.05 less up to", 0.53..1.02).marks(12),
        y: Axis::linear("precision", bottom.max(0.0)..1.03),
        lines: &lines,
        legend: Some(Corner::LowerRight),
    };
    let path = draw::path("terms-precision.svg")?;
    draw::draw(&[panel], &path)?;
    println!("drew {}", path.display());
    Ok(())
}

/// The bands that hold a pair.
fn band_points(row: &Value) -> Vec<(f64, f64)> {
    let bands = row["bands"].as_array().map_or(&[][..], Vec::as_slice);
    let point = |band: &Value| band["upper"].as_f64().zip(band["precision"].as_f64());
    bands.iter().filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Value> {
        let row = |name: &str, step: u32| json!({"experiment": "gram", "collection": name, "step": step, "recall": 0.5});
        vec![row("a", 1), row("a", 2), row("b", 1)]
    }

    #[test]
    fn a_line_is_a_collection() {
        let lines = step_lines(&rows(), "gram", "recall").expect("good rows");
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].points, [(1.0, 0.5), (2.0, 0.5)]);
        assert!(step_lines(&rows(), "gram", "comparisons").is_err());
    }

    #[test]
    fn empty_bands_are_left_out() {
        let row = json!({"bands": [{"upper": 0.55, "precision": null}, {"upper": 0.6, "precision": 0.9}]});
        assert_eq!(band_points(&row), [(0.6, 0.9)]);
    }

    #[test]
    fn steps_have_names() {
        assert_eq!(step_name("gram")(3.0), "3");
        assert_eq!(step_name("features")(0.0), "k");
        assert_eq!(step_name("features")(2.0), "k+2");
    }
}
