//! An evaluation in the terminal.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::Result;
use doublet::error::clip;
use doublet::eval::{Facts, Measure, Quality};
use serde_json::Value;

use super::super::side_by_side::side_by_side;
use super::outcome::{Outcome, ShownError, SweepOutcome, Told, in_words};
use crate::console::Console;
use crate::display::{self, BOLD, DIM, count, plural};

/// Lines of two texts side by side.
const LINES: usize = 8;
/// Settings that a table lists; the plot and the files have all.
const LISTED: usize = 40;

/// Prints JSON.
pub(super) fn json(console: &Console, told: &Value) -> Result<()> {
    Ok(writeln!(console.out(), "{told}")?)
}

/// Prints everything for a person.
pub(super) fn tell(console: &Console, outcome: &Outcome, errors: usize) -> Result<()> {
    for text in &outcome.warnings {
        console.warning(text);
    }
    let mut out = BufWriter::new(console.styled());
    Telling { outcome, errors }.all(&mut out)?;
    Ok(out.flush()?)
}

/// Tells which files were written.
pub(super) fn files(console: &Console, files: &[PathBuf]) {
    let names: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    console.remark(&format!("Written: {}", names.join(", ")));
}

/// How the truth was taken, in sentences.
pub(super) fn notes(facts: &Facts, labelled_only: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let documents = plural(facts.documents, "text");
    notes.push(match (facts.kind, labelled_only) {
        ("pairs", true) if facts.different == Some(0) => {
            "Only the labelled pairs are judged, and all are duplicates: there is no precision to measure.".to_owned()
        }
        ("pairs", true) => "Only the labelled pairs are judged.".to_owned(),
        ("targets", true) => "Only the labelled texts are judged.".to_owned(),
        ("targets", false) => "Texts that the truth does not name are no copies.".to_owned(),
        ("baseline", _) => "What the complete join finds is true, all else is not.".to_owned(),
        ("clusters", _) => format!("All pairs among {documents} are judged."),
        _ => format!("All pairs among {documents} are judged: those that the truth does not name are different."),
    });
    let mut left_out = |number: u64, what: &str, why: &str| {
        if number > 0 {
            notes.push(format!("{} left out: {why}.", plural(number, what)));
        }
    };
    left_out(facts.repeated, "row", "said before");
    left_out(facts.unsure, "row", "labelled as unsure");
    left_out(facts.with_itself, "row", "a text with itself");
    left_out(
        facts.not_looked_for,
        "row",
        "beside references, only pairs of a text and a reference are looked for",
    );
    notes
}

/// What in the truth should make a person look again.
pub(super) fn warnings(facts: &Facts) -> Vec<String> {
    let Some((id, line)) = &facts.first_unknown else {
        return Vec::new();
    };
    vec![format!(
        "{} of the truth with an id that is not in the input, the first on line {line} (`{}`): left out; `--strict` makes it an error",
        plural(facts.unknown, "row"),
        clip(id)
    )]
}

/// A measure, or a dash.
fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"))
}

fn interval(measure: &Measure) -> String {
    match (measure.low, measure.high) {
        (Some(low), Some(high)) => format!("{low:.3} – {high:.3}"),
        _ => String::new(),
    }
}

struct Telling<'a> {
    outcome: &'a Outcome,
    errors: usize,
}

impl Telling<'_> {
    fn all(&self, out: &mut impl Write) -> Result<()> {
        let outcome = self.outcome;
        if !outcome.methods.is_empty() {
            return methods(outcome, out);
        }
        let facts = &outcome.facts;
        let what = match facts.kind {
            "targets" => (("copy", "copies"), "no copies"),
            _ => (("duplicate", "duplicates"), "different"),
        };
        let different = facts
            .different
            .map(|n| format!(", {} {}", count(n), what.1));
        let (one, several) = what.0;
        writeln!(
            out,
            "Judged by {BOLD}{}{BOLD:#}: {} {}{}",
            outcome.truth,
            count(facts.duplicates),
            if facts.duplicates == 1 { one } else { several },
            different.unwrap_or_default()
        )?;
        for note in &outcome.notes {
            writeln!(out, "{DIM}{note}{DIM:#}")?;
        }
        if let Some(sweep) = &outcome.sweep {
            swept(sweep, out)?;
        }
        if let Some(measures) = &outcome.measures {
            if let Some(sweep) = &outcome.sweep {
                let setting = in_words(&sweep.rows[sweep.best].setting);
                writeln!(out, "\n{BOLD}{setting}{BOLD:#}, by all of the truth")?;
            }
            self.measures(measures, out)?;
        }
        self.baseline(out)?;
        if let Some(tuned) = &outcome.tuned {
            writeln!(out)?;
            for line in &tuned.lines {
                writeln!(out, "{line}")?;
            }
        }
        self.errors(out)?;
        let seconds = outcome.seconds - outcome.judging_seconds;
        writeln!(
            out,
            "\n{DIM}{seconds:.1} s to find, {:.1} s to judge{DIM:#}",
            outcome.judging_seconds
        )?;
        Ok(())
    }

    fn measures(&self, measures: &Told, out: &mut impl Write) -> Result<()> {
        writeln!(out, "\n{DIM}{:>22}  {:>7}  95 % interval{DIM:#}", "", "")?;
        match measures {
            Told::Pairs(measures) => {
                let words = ["pairs found are right", "duplicates were found"];
                quality("pairs", words, &measures.pairs, out)?;
                let Some(clusters) = &measures.clusters else {
                    return Ok(());
                };
                let linkage = self.outcome.options.get("linkage").and_then(Value::as_str);
                let name = format!("clusters, {}", linkage.unwrap_or("connected"));
                let words = [
                    "pairs in one cluster are right",
                    "duplicates are in one cluster",
                ];
                quality(&name, words, &clusters.pairs, out)?;
                if let Some(whole) = &clusters.whole {
                    row(
                        "ARI",
                        &whole.ari,
                        "1 is a perfect fit, 0 what chance gives",
                        out,
                    )?;
                    row("B³ precision", &whole.b3_precision, "", out)?;
                    row("B³ recall", &whole.b3_recall, "", out)?;
                    row("B³ F1", &whole.b3_f1, "", out)?;
                    let sets = "texts whose duplicates are just the true ones";
                    row("set accuracy", &whole.set_accuracy, sets, out)?;
                }
            }
            Told::Documents { documents: found } => {
                let words = ["texts found are copies", "copies were found"];
                quality("texts", words, &found.texts, out)?;
                let first = "copies found whose first source is right";
                row("first source", &found.first_source, first, out)?;
            }
        }
        Ok(())
    }

    fn baseline(&self, out: &mut impl Write) -> Result<()> {
        let Some(baseline) = &self.outcome.baseline else {
            return Ok(());
        };
        let documents = baseline.documents;
        let all = documents * documents.saturating_sub(1) / 2;
        writeln!(
            out,
            "\n{DIM}{:>22}  {:>14}  {:>14}  {:>14}{DIM:#}",
            "", "this setting", "complete join", "all pairs"
        )?;
        let mut line = |name: &str, of: fn(&super::outcome::Work) -> u64, all: &str| {
            let (setting, complete) = (of(&baseline.setting), of(&baseline.complete));
            writeln!(
                out,
                "{name:>22}  {:>14}  {:>14}  {all:>14}",
                count(setting),
                count(complete)
            )
        };
        line("pairs found", |work| work.pairs, "")?;
        line("candidates", |work| work.candidates, "")?;
        line("comparisons", |work| work.verifications, &count(all))?;
        writeln!(
            out,
            "{:>22}  {:>14.2}  {:>14.2}",
            "seconds", baseline.setting.seconds, baseline.complete.seconds
        )?;
        writeln!(out, "{DIM}The complete join is {}.{DIM:#}", baseline.name)?;
        Ok(())
    }

    fn errors(&self, out: &mut impl Write) -> Result<()> {
        let outcome = self.outcome;
        let kinds = [
            ("Strongest pairs that are wrong", &outcome.false_positives),
            (
                "Weakest duplicates that were not found",
                &outcome.false_negatives,
            ),
        ];
        for (heading, errors) in kinds {
            if !errors.is_empty() && self.errors > 0 {
                writeln!(out, "\n{BOLD}{heading}{BOLD:#}")?;
            }
            for error in errors.iter().take(self.errors) {
                self.error(error, out)?;
            }
        }
        if outcome.not_scored > 0 {
            writeln!(
                out,
                "\n{DIM}Of the missed duplicates {} were not looked at.{DIM:#}",
                count(outcome.not_scored)
            )?;
        }
        let texts = outcome.texts.iter();
        for (is_copy, heading) in [
            (false, "Texts that are no copies"),
            (true, "Copies that were not found"),
        ] {
            let mut some = texts
                .clone()
                .filter(|text| text.is_copy == is_copy)
                .take(self.errors)
                .peekable();
            if some.peek().is_some() {
                writeln!(out, "\n{BOLD}{heading}{BOLD:#}")?;
            }
            for text in some {
                let source = text
                    .source
                    .as_deref()
                    .map(|source| format!("  {DIM}{source}{DIM:#}"));
                writeln!(
                    out,
                    "  {:>5.1} %  {}{}",
                    100.0 * text.share,
                    text.id,
                    source.unwrap_or_default()
                )?;
            }
        }
        Ok(())
    }

    fn error(&self, error: &ShownError, out: &mut impl Write) -> Result<()> {
        let place = match error.line {
            None => String::new(),
            Some(line) => format!("  {DIM}{}, line {line}{DIM:#}", self.outcome.truth),
        };
        writeln!(out, "\nscore {BOLD}{:.4}{BOLD:#}{place}", error.score)?;
        match &error.view {
            Some(view) => side_by_side(
                out,
                (&view.a.key, &view.a.text, &view.a.shared),
                (&view.b.key, &view.b.text, &view.b.shared),
                LINES,
            ),
            None => Ok(writeln!(
                out,
                "{} and {}, too long to show",
                display::clean(&error.a),
                display::clean(&error.b)
            )?),
        }
    }
}

/// Precision, recall and F1, with words for the counts behind the first two.
fn quality(name: &str, words: [&str; 2], found: &Quality, out: &mut impl Write) -> Result<()> {
    let hits = found.true_positives;
    let (all_found, all_true) = (hits + found.false_positives, hits + found.false_negatives);
    let of = |whole: u64, words: &str| format!("{} of {} {words}", count(hits), count(whole));
    writeln!(out, "{BOLD}{name}{BOLD:#}")?;
    row("precision", &found.precision, &of(all_found, words[0]), out)?;
    row("recall", &found.recall, &of(all_true, words[1]), out)?;
    row("F1", &found.f1, "", out)
}

fn row(name: &str, measure: &Measure, note: &str, out: &mut impl Write) -> Result<()> {
    let (value, interval) = (shown(measure.value), interval(measure));
    write!(out, "{name:>22}  {BOLD}{value:>7}{BOLD:#}")?;
    match note {
        "" => Ok(writeln!(out, "  {interval}")?),
        note => Ok(writeln!(out, "  {interval:<15}  {DIM}{note}{DIM:#}")?),
    }
}

/// The table of all settings, the best marked, and what it is worth.
fn swept(sweep: &SweepOutcome, out: &mut impl Write) -> Result<()> {
    let value = |row: &super::outcome::SweepRow, name: &str| {
        let found = row.setting.iter().find(|(own, _)| own == name);
        found.map_or_else(String::new, |(_, value)| value.clone())
    };
    let widths: Vec<(&str, usize)> = sweep
        .axes
        .iter()
        .map(|axis| {
            let lengths = axis.values.iter().map(|value| value.chars().count());
            (
                axis.name.as_str(),
                lengths.chain([axis.name.len()]).max().unwrap_or(0),
            )
        })
        .collect();
    let head = widths
        .iter()
        .map(|(name, width)| format!("{name:>width$}  "));
    let head: String = head.collect();
    writeln!(
        out,
        "\n{DIM}{head}precision  recall      F1  95 % interval{DIM:#}"
    )?;
    for (at, row) in sweep.rows.iter().enumerate().take(LISTED) {
        let (found, best) = (row.all.main(), at == sweep.best);
        let cells = widths
            .iter()
            .map(|(name, width)| format!("{:>width$}  ", value(row, name)));
        let cells: String = cells.collect();
        let style = if best { BOLD } else { anstyle::Style::new() };
        writeln!(
            out,
            "{style}{cells}{:>9}  {:>6}  {:>6}  {}{}{style:#}",
            shown(found.precision.value),
            shown(found.recall.value),
            shown(found.f1.value),
            interval(&found.f1),
            if best { "  chosen" } else { "" }
        )?;
    }
    if sweep.rows.len() > LISTED {
        writeln!(
            out,
            "{DIM}and {} more{DIM:#}",
            count((sweep.rows.len() - LISTED) as u64)
        )?;
    }
    writeln!(out)?;
    for line in worth(sweep) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Which setting is best, and by how much, on the half that it was not chosen on.
pub(super) fn worth(sweep: &SweepOutcome) -> Vec<String> {
    let best = &sweep.rows[sweep.best];
    let mut lines = vec![format!(
        "Best on one half of the truth: {} (F1 {:.4}). {}",
        in_words(&best.setting),
        best.chosen_f1,
        match best.held_out.f1.value {
            Some(value) => format!(
                "On the other half its F1 is {value:.4} ({}).",
                interval(&best.held_out.f1)
            ),
            None => "The other half has no duplicate to measure by: give more labels.".to_owned(),
        }
    )];
    if let (Some((words, given)), Some(own)) = (&sweep.given, best.held_out.f1.value) {
        let other = given.f1.value.unwrap_or(0.0);
        let gain = own - other;
        lines.push(match gain {
            _ if gain.abs() < 5e-5 => format!("As given ({words}) it is the same."),
            _ if gain > 0.0 => format!("As given ({words}) it is {other:.4}: {gain:.4} less."),
            _ => format!("As given ({words}) it is {other:.4}: {:.4} more. The half to choose on is too small, or too unlike the other.", -gain),
        });
    }
    lines
}

/// The table of methods.
fn methods(outcome: &Outcome, out: &mut impl Write) -> Result<()> {
    writeln!(out, "Judged by {BOLD}{}{BOLD:#}\n", outcome.truth)?;
    writeln!(
        out,
        "{DIM}{:>10}  precision  recall      F1  95 % interval   {:>9}  {:>10}  setting{DIM:#}",
        "method", "seconds", "memory"
    )?;
    let best = best_method(outcome);
    for (at, method) in outcome.methods.iter().enumerate() {
        match &method.told {
            Err(reason) => writeln!(out, "{:>10}  {reason}", method.name)?,
            Ok(told) => {
                let cells = MethodCells::of(told);
                let style = if best == Some(at) {
                    BOLD
                } else {
                    anstyle::Style::new()
                };
                let memory = indicatif::HumanBytes(told["peak_memory"].as_u64().unwrap_or(0));
                writeln!(
                    out,
                    "{style}{:>10}  {:>9}  {:>6}  {:>6}  {:<15} {:>9.2}  {:>10}  {}{style:#}",
                    method.name,
                    shown(cells.precision),
                    shown(cells.recall),
                    shown(cells.f1.value),
                    interval(&cells.f1),
                    cells.seconds,
                    memory.to_string(),
                    cells.setting
                )?;
            }
        }
    }
    let swept = outcome.methods.iter().any(|method| {
        method
            .told
            .as_ref()
            .is_ok_and(|told| told.get("sweep").is_some())
    });
    if swept {
        writeln!(
            out,
            "\n{DIM}Each at its best setting, chosen on one half of the truth; the figures are those of the other half.{DIM:#}"
        )?;
    }
    Ok(())
}

/// What a table says of a method.
pub(super) struct MethodCells {
    pub(super) precision: Option<f64>,
    pub(super) recall: Option<f64>,
    pub(super) f1: Measure,
    /// Its threshold, and what else was chosen.
    pub(super) setting: String,
    /// What finding took, judging left out.
    pub(super) seconds: f64,
}

impl MethodCells {
    /// From what its own run told: with a sweep, of the best setting on the held-out half.
    pub(super) fn of(told: &Value) -> Self {
        let best = &told["sweep"]["best"];
        let (part, setting) = match best.is_null() {
            true => {
                let documents = &told["documents"];
                let part = if documents.is_null() {
                    &told["pairs"]
                } else {
                    documents
                };
                let threshold = &told["options"]["threshold"];
                (part, format!("threshold {threshold}"))
            }
            false => {
                let options = best["options"].as_object().into_iter().flatten();
                let words = options.map(|(name, value)| format!("{name} {value}"));
                (&best["held_out"], words.collect::<Vec<_>>().join(", "))
            }
        };
        let f1 = &part["f1"];
        Self {
            precision: part["precision"]["value"].as_f64(),
            recall: part["recall"]["value"].as_f64(),
            f1: Measure {
                value: f1["value"].as_f64(),
                low: f1["low"].as_f64(),
                high: f1["high"].as_f64(),
            },
            setting,
            seconds: told["seconds"].as_f64().unwrap_or(0.0)
                - told["judging_seconds"].as_f64().unwrap_or(0.0),
        }
    }
}

/// The method with the best F1.
pub(super) fn best_method(outcome: &Outcome) -> Option<usize> {
    let f1 = |at: usize| {
        let told = outcome.methods[at].told.as_ref().ok()?;
        MethodCells::of(told).f1.value
    };
    let methods = (0..outcome.methods.len()).filter(|&at| f1(at).is_some());
    methods.max_by(|&x, &y| {
        f1(x)
            .unwrap_or(0.0)
            .total_cmp(&f1(y).unwrap_or(0.0))
            .then(y.cmp(&x))
    })
}
