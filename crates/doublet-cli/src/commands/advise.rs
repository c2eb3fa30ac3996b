//! `doublet advise`: what a collection looks like, and what goes with it.

use std::io::Write;

use anstyle::Style;
use anyhow::{Result, ensure};
use doublet::advise::{
    Advice, AdviseOptions, Bin, Findings, LanguageShare, PairFindings, Quantiles, Recommendation,
    examine, recommend,
};
use doublet::method::terms::Language;
use serde_json::{Map, Value, json};

use super::spool_directory;
use crate::Status;
use crate::args::AdviseArguments;
use crate::console::Console;
use crate::display::{BOLD, DIM, SHARED, bytes, count, plural};

/// Steps of the histogram that make one line.
const STEPS: usize = 2;
/// Characters of the longest bar.
const BAR: usize = 40;
/// Languages that are told.
const LANGUAGES: usize = 5;

pub(crate) fn run(arguments: &AdviseArguments, console: &Console) -> Result<Status> {
    ensure!(
        (2..=100_000).contains(&arguments.sample),
        "`--sample {}`: give 2 to 100000 texts",
        arguments.sample
    );
    console.watch(arguments.resources.quiet);
    let spool = spool_directory(arguments.resources.temp_dir.as_deref())?;
    let mut options = AdviseOptions {
        resources: arguments.resources.resolve()?,
        strict: arguments.read.resolve(None).strict,
        seed: arguments.seed,
        sample: arguments.sample,
    };
    options.resources.temp_dir = spool.path().to_owned();
    let read = arguments.read.resolve(None);
    let collection = console.open(&arguments.inputs, &read, spool.path())?;
    let findings = examine(&collection, &options, console);
    console.finish();
    let findings = findings?;
    let advice = recommend(&findings);
    let command = |advised: &Recommendation| arguments.command(advised);
    let mut out = console.styled();
    if arguments.json {
        writeln!(out, "{:#}", as_json(&findings, &advice, &command))
    } else {
        show(&findings, &advice, &command, &mut out)
    }?;
    if console.speaks(arguments.resources.quiet) {
        rejections(console, &findings);
    }
    Ok(match advice.recommendation {
        Some(_) => Status::Done,
        None => Status::NotFound,
    })
}

/// Tells of records that could not be read, the first by name.
fn rejections(console: &Console, findings: &Findings) {
    if let Some(first) = findings.rejections.first() {
        console.warning(&format!(
            "{} cannot be read; the first is {first}",
            plural(findings.rejected, "record")
        ));
    }
}

/// The report for a person.
fn show(
    findings: &Findings,
    advice: &Advice,
    command: &dyn Fn(&Recommendation) -> String,
    out: &mut impl Write,
) -> std::io::Result<()> {
    table(findings, out)?;
    if let Some(pairs) = &findings.pairs {
        histogram(pairs, advice, out)?;
    }
    if let Some(advised) = &advice.recommendation {
        writeln!(
            out,
            "\n{BOLD}Advice{BOLD:#}\n\n  {SHARED}{}{SHARED:#}\n",
            command(advised)
        )?;
    } else {
        writeln!(out)?;
    }
    for reason in &advice.reasons {
        writeln!(out, "  - {reason}")?;
    }
    if let Some(estimate) = advice.estimate {
        writeln!(
            out,
            "  - it would take about {} of processor time and {} of memory, going by the runs in docs/choosing.md",
            seconds(estimate.cpu_seconds),
            bytes(estimate.memory as u64)
        )?;
    }
    for other in &advice.alternatives {
        writeln!(
            out,
            "\nOr, {}:\n\n  {}",
            other.purpose,
            command(&other.recommendation)
        )?;
    }
    Ok(())
}

/// What was found, a line each.
fn table(findings: &Findings, out: &mut impl Write) -> std::io::Result<()> {
    let mut row = |name: &str, value: String| writeln!(out, "{name:>12}  {value}");
    let size = bytes(findings.bytes);
    row("records", format!("{}, {size}", count(findings.records)))?;
    if findings.empty + findings.rejected > 0 {
        let (empty, rejected) = (count(findings.empty), count(findings.rejected));
        row(
            "",
            format!("{empty} without a word, {rejected} that cannot be read"),
        )?;
    }
    if findings.texts() == 0 {
        return Ok(());
    }
    row("words", quantiles(&findings.words))?;
    row("characters", quantiles(&findings.characters))?;
    row("languages", languages(&findings.languages))?;
    let copies = &findings.copies;
    let about = if copies.estimated { ", about" } else { "" };
    row(
        "copies",
        format!(
            "{} repeat an earlier text byte by byte, {} word by word, {} but for numbers{about}",
            percent(copies.bytes),
            percent(copies.words),
            percent(copies.but_for_numbers)
        ),
    )?;
    if findings.markup > 0.0 {
        row(
            "markup",
            format!("{} have tags in them", percent(findings.markup)),
        )?;
    }
    if let Some(pairs) = &findings.pairs {
        row(
            "passages",
            format!(
                "{} share one with a text that is otherwise another, {} lie within one or have one in them",
                percent(pairs.passages),
                percent(pairs.within)
            ),
        )?;
        row(
            "boilerplate",
            format!("{} of what they say", percent(pairs.boilerplate)),
        )?;
    }
    Ok(())
}

/// The pairs by score as bars, with the valley and the threshold.
fn histogram(pairs: &PairFindings, advice: &Advice, out: &mut impl Write) -> std::io::Result<()> {
    let metric = pairs.compared.metric();
    writeln!(
        out,
        "\n{BOLD}Scores{BOLD:#} ({metric}): {} compared with {}; the best score of each, and pairs in all",
        plural(pairs.sampled, "text"),
        count(pairs.others as u64)
    )?;
    let lines: Vec<&[Bin]> = pairs.histogram.chunks(STEPS).collect();
    let texts = |bins: &[Bin]| bins.iter().map(|bin| bin.texts).sum::<u64>();
    let longest = lines
        .iter()
        .map(|bins| texts(bins))
        .max()
        .unwrap_or(0)
        .max(1);
    let threshold = advice.recommendation.as_ref();
    let threshold = threshold.filter(|advised| advised.metric == metric);
    for bins in lines {
        let [first, .., last] = bins else { continue };
        let (from, to) = (first.from, last.to);
        let found = texts(bins);
        let sum: f64 = bins.iter().map(|bin| bin.pairs).sum();
        let inside = |score: f64| score >= from - 1e-9 && score < to - 1e-9;
        let mut marks = String::new();
        if pairs.valley.is_some_and(|valley| inside(valley.at)) {
            marks += " ← valley";
        }
        if threshold.is_some_and(|advised| inside(advised.threshold)) {
            marks += " ← threshold";
        }
        let style = match threshold {
            Some(advised) if from >= advised.threshold - 1e-9 => SHARED,
            _ => Style::new(),
        };
        let bar = bar(found as f64 / longest as f64);
        writeln!(
            out,
            "  {from:.2} {:>7} {style}{bar:<BAR$}{style:#} {DIM}{:>12}{DIM:#}{BOLD}{marks}{BOLD:#}",
            count(found),
            count(sum.round() as u64),
        )?;
    }
    Ok(())
}

/// A bar of eighths; what is there is seen.
fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share * (BAR * 8) as f64).round() as usize;
    let eighths = eighths.max(usize::from(share > 0.0));
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

fn quantiles(found: &Quantiles) -> String {
    let [least, tenth, median, ninetieth, most] = [
        found.least,
        found.tenth,
        found.median,
        found.ninetieth,
        found.most,
    ]
    .map(count);
    format!(
        "{median} in the middle, {tenth} to {ninetieth} in most texts, {least} to {most} in all"
    )
}

fn languages(found: &[LanguageShare]) -> String {
    let name = |found: &LanguageShare| match found.language {
        Language::Auto => "not told".to_owned(),
        language => language.code().to_owned(),
    };
    let told = found.iter().take(LANGUAGES);
    let mut told: Vec<String> = told
        .map(|found| format!("{} {}", name(found), percent(found.share)))
        .collect();
    if found.len() > LANGUAGES {
        told.push("others".to_owned());
    }
    told.join(", ")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn seconds(seconds: f64) -> String {
    match seconds {
        ..1.0 => "a second".to_owned(),
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.0} hours", seconds / 3600.0),
    }
}

/// The same for programs.
fn as_json(
    findings: &Findings,
    advice: &Advice,
    command: &dyn Fn(&Recommendation) -> String,
) -> Value {
    let pairs = findings.pairs.as_ref();
    let bins = pairs.map_or(&[][..], |pairs| &pairs.histogram);
    let recommendation = advice.recommendation.as_ref();
    let alternatives = advice.alternatives.iter().map(|other| {
        let mut value = recommendation_json(&other.recommendation, command);
        value["purpose"] = other.purpose.clone().into();
        value
    });
    json!({
        "documents": {
            "records": findings.records,
            "texts": findings.texts(),
            "empty": findings.empty,
            "rejected": findings.rejected,
            "bytes": findings.bytes,
        },
        "lengths": {
            "words": quantiles_json(&findings.words),
            "characters": quantiles_json(&findings.characters),
        },
        "languages": findings.languages.iter().map(|found| json!({
            "language": match found.language {
                Language::Auto => Value::Null,
                language => language.code().into(),
            },
            "share": share(found.share),
        })).collect::<Vec<_>>(),
        "copies": {
            "bytes": share(findings.copies.bytes),
            "words": share(findings.copies.words),
            "but_for_numbers": share(findings.copies.but_for_numbers),
            "distinct_texts": findings.copies.distinct as u64,
            "estimated": findings.copies.estimated,
        },
        "repeated_ids": findings.repeated_ids,
        "markup": share(findings.markup),
        "partial": pairs.map(|pairs| json!({
            "passages": share(pairs.passages),
            "within": share(pairs.within),
            "boilerplate": share(pairs.boilerplate),
        })),
        "compared": pairs.map(|pairs| json!({
            "metric": pairs.compared.metric().name(),
            "sampled": pairs.sampled,
            "with": pairs.others,
        })),
        "histogram": bins.iter().map(|bin| json!({
            "from": bin.from,
            "to": bin.to,
            "pairs": bin.pairs.round() as u64,
            "texts": bin.texts,
        })).collect::<Vec<_>>(),
        "valley": pairs.and_then(|pairs| pairs.valley).map(|valley| share(valley.at)),
        "recommendation": recommendation.map(|advised| recommendation_json(advised, command)),
        "estimate": advice.estimate.map(|estimate| json!({
            "cpu_seconds": (10.0 * estimate.cpu_seconds).round() / 10.0,
            "memory": estimate.memory.round() as u64,
        })),
        "reasons": advice.reasons,
        "alternatives": alternatives.collect::<Vec<_>>(),
    })
}

fn recommendation_json(
    advised: &Recommendation,
    command: &dyn Fn(&Recommendation) -> String,
) -> Value {
    let options = advised.options.iter().map(|(name, value)| {
        let value = value.clone().map_or(Value::Bool(true), Value::String);
        ((*name).to_owned(), value)
    });
    json!({
        "method": advised.method.name(),
        "metric": advised.metric.name(),
        "threshold": advised.threshold,
        "options": options.collect::<Map<_, _>>(),
        "command": command(advised),
    })
}

fn quantiles_json(found: &Quantiles) -> Value {
    json!({
        "min": found.least,
        "p10": found.tenth,
        "median": found.median,
        "p90": found.ninetieth,
        "max": found.most,
        "mean": (10.0 * found.mean).round() / 10.0,
    })
}

/// A share with six digits, as scores have them.
fn share(share: f64) -> f64 {
    (1e6 * share).round() / 1e6
}
