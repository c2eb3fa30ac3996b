//! `doublet compare`: two texts side by side in the terminal.

use std::io::Write;
use std::ops::Range;

use anyhow::{Result, bail};
use doublet::method::{Explanation, Fitted};
use doublet::options::Format;
use doublet::report::pairs::named_scores;
use doublet::scores::{Metric, Scores};
use doublet::threshold::Threshold;
use serde_json::{Value, json};

use super::details::{self, degree_detail};
use super::side_by_side::side_by_side;
use super::{BadData, spool_directory};
use crate::Status;
use crate::args::CompareArguments;
use crate::console::Console;
use crate::display::{BOLD, DIM};

pub(crate) fn run(arguments: &CompareArguments, console: &Console) -> Result<Status> {
    let matching = &arguments.matching;
    let (metric, threshold) = (matching.metric(), matching.threshold()?);
    matching.method().expect_metric(metric)?;
    if arguments.a == "-" && arguments.b == "-" {
        return Err(doublet::Error::SecondStandardInput.into());
    }
    let a = read_one(console, &arguments.a, arguments)?;
    let b = read_one(console, &arguments.b, arguments)?;
    let options = matching.options(false)?;
    let decision = options.decision(false);
    let fitted = Fitted::of_texts(&options, &[&a, &b])?;
    let found = fitted.explain(&a, &b);
    let details = fitted.details(&a, &b);
    let decisive = fitted.decide(&a, &b);
    let duplicate = decision.is_match(&decisive);
    if arguments.json {
        let mut line = describe(arguments, &found, duplicate, (&a, &b));
        details::describe(&details, &found.scores, &mut line);
        line["score"] = decisive.score(metric).into();
        writeln!(console.out(), "{line}")?;
    } else {
        let mut out = console.styled();
        let left = (arguments.a.as_str(), a.as_str(), &found.passages_a[..]);
        let right = (arguments.b.as_str(), b.as_str(), &found.passages_b[..]);
        side_by_side(&mut out, left, right, usize::MAX)?;
        scores(&mut out, arguments, &found)?;
        details::print(&details, &mut out)?;
        verdict(&mut out, &decisive, metric, threshold)?;
        let common = found.scores.common;
        if decision.is_enough(common) {
            let why = "common sentences make it a copy, whatever their share";
            writeln!(out, "{common} {why}")?;
        }
    }
    Ok(if duplicate {
        Status::Done
    } else {
        Status::NotFound
    })
}

/// Says whether the score is high enough.
fn verdict(
    out: &mut impl Write,
    scores: &Scores,
    metric: Metric,
    threshold: Threshold,
) -> Result<()> {
    let reached = scores.reaches(metric, threshold);
    let verdict = if reached { "at or above" } else { "below" };
    let score = scores.score(metric);
    Ok(writeln!(
        out,
        "\n{metric} {BOLD}{score:.6}{BOLD:#} is {verdict} the threshold of {threshold}"
    )?)
}

/// The one text of a file.
fn read_one(console: &Console, name: &str, arguments: &CompareArguments) -> Result<String> {
    let spool = spool_directory(None)?;
    let mut options = arguments.read.resolve(None);
    if name == "-" && options.format.is_none() {
        options.format = Some(Format::Text);
    }
    let collection = console.open(&[name.to_owned()], &options, spool.path())?;
    let mut blocks = collection.blocks()?;
    let mut texts = Vec::new();
    while let Some(block) = blocks.next_block()? {
        for index in 0..block.len() {
            let record = block.decode(index);
            let record = record.map_err(|bad| BadData::of(&bad))?;
            texts.push(record.text.into_owned());
            if texts.len() > 1 {
                bail!(BadData(format!(
                    "`{name}` holds several texts; `compare` takes two single ones, `doublet pairs` compares a collection"
                )));
            }
        }
    }
    texts
        .pop()
        .ok_or_else(|| BadData(format!("`{name}` holds no text")).into())
}

/// Everything as one object of JSON.
fn describe(
    arguments: &CompareArguments,
    found: &Explanation,
    duplicate: bool,
    (a, b): (&str, &str),
) -> Value {
    let metric = arguments.matching.metric();
    let passages = |text: &str, ranges: &[Range<usize>]| {
        let count = |end: usize| text[..end].chars().count();
        let one =
            |range: &Range<usize>| json!({"start": count(range.start), "end": count(range.end)});
        ranges.iter().map(one).collect::<Vec<_>>()
    };
    let counts = &found.scores;
    let mut line = json!({
        "a": arguments.a,
        "b": arguments.b,
        "score": counts.score(metric),
        "metric": metric.name(),
        "duplicate": duplicate,
        "common": counts.common,
        "distinct_a": counts.distinct_a,
        "distinct_b": counts.distinct_b,
        "covered_a": counts.covered_a,
        "covered_b": counts.covered_b,
        "tokens_a": counts.tokens_a,
        "tokens_b": counts.tokens_b,
        "passages_a": passages(a, &found.passages_a),
        "passages_b": passages(b, &found.passages_b),
    });
    for (name, value) in named_scores(counts, of_texts(metric)) {
        line[name] = value.into();
    }
    line
}

/// The metric by which the scores of the texts themselves are listed.
fn of_texts(metric: Metric) -> Metric {
    match metric {
        Metric::Agreement => Metric::Resemblance,
        other => other,
    }
}

fn scores(out: &mut impl Write, arguments: &CompareArguments, found: &Explanation) -> Result<()> {
    let (counts, metric) = (&found.scores, of_texts(arguments.matching.metric()));
    let union = counts.distinct_a + counts.distinct_b - counts.common;
    let unit = arguments.matching.word_method().info().unit_name;
    let tokens = arguments.matching.token_word();
    let detail = |name: &str| match name {
        "resemblance" => format!("{} of {union} distinct {unit}s are common", counts.common),
        "coverage" => format!(
            "{} of {} {tokens} lie under common {unit}s",
            counts.covered_a + counts.covered_b,
            counts.tokens_a + counts.tokens_b
        ),
        "containment_a" => format!("{} of {} {unit}s of A", counts.common, counts.distinct_a),
        "containment_b" => format!("{} of {} {unit}s of B", counts.common, counts.distinct_b),
        "degree" => degree_detail(found),
        "coverage_a" => format!("{} of {} {tokens} of A", counts.covered_a, counts.tokens_a),
        _ => format!("{} of {} {tokens} of B", counts.covered_b, counts.tokens_b),
    };
    writeln!(out)?;
    for (name, value) in named_scores(counts, metric) {
        writeln!(
            out,
            "{name:>14}  {BOLD}{value:.6}{BOLD:#}  {DIM}{}{DIM:#}",
            detail(name)
        )?;
    }
    Ok(())
}
