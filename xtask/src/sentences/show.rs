//! The tables and drawings of `cargo xtask sentences-figures`, from the rows of a record.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::figures::CUTOFFS;
use super::plagiarism::LEVELS;
use crate::draw::{self, Axis, Corner, Line, Panel};

/// The lines of a drawing of quality: field, name, colour.
const QUALITIES: [(&str, &str, plotters::style::RGBColor); 3] = [
    ("precision", "precision", draw::BLUE),
    ("recall", "recall", draw::ORANGE),
    ("f1", "F1", draw::GREEN),
];

/// The rows of one experiment.
fn of<'a>(rows: &'a [Value], experiment: &'a str) -> impl Iterator<Item = &'a Value> {
    rows.iter()
        .filter(move |row| row["experiment"] == experiment)
}

/// The list under a name; empty if there is none.
fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[][..], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("–")
}

fn number(value: &Value, digits: usize) -> String {
    let number = value.as_f64();
    number.map_or("–".to_owned(), |number| format!("{number:.digits$}"))
}

fn percent(value: &Value) -> String {
    let share = value.as_f64();
    share.map_or("–".to_owned(), |share| format!("{:.2} %", share * 100.0))
}

fn qualities(quality: &Value) -> String {
    QUALITIES
        .map(|(field, ..)| percent(&quality[field]))
        .join(" | ")
}

/// All tables that there are rows for.
pub(super) fn print(rows: &[Value]) {
    for (experiment, print) in [
        ("collection", print_collection as fn(&[Value])),
        ("table", print_table),
        ("division", print_division),
        ("cutoff", print_cutoffs),
        ("collisions", print_collisions),
        ("plagiarism", print_plagiarism),
    ] {
        if of(rows, experiment).next().is_some() {
            println!();
            print(rows);
        }
    }
    println!();
}

fn print_collection(rows: &[Value]) {
    println!("| | texts | copies | sentences a text | words a sentence |");
    println!("|---|---:|---:|---:|---:|");
    for row in of(rows, "collection") {
        for name in ["sources", "targets"] {
            let info = &row[name];
            println!(
                "| {name} | {} | {} | {} | {} |",
                info["documents"],
                number(&info["duplicates"], 0),
                number(&info["sentences_per_text"], 2),
                number(&info["words_per_sentence"], 2)
            );
        }
    }
}

fn print_table(rows: &[Value]) {
    println!(
        "| method | MB | entries | bytes an entry | build s | sentences/s | opening ms | request µs | 99 % µs | precision | recall | F1 |"
    );
    println!("|---|{}", "---:|".repeat(11));
    for row in of(rows, "table") {
        let megabytes = row["bytes"].as_f64().unwrap_or(f64::NAN) / 1e6;
        println!(
            "| {} | {megabytes:.1} | {} | {} | {} | {} | {} | {} | {} | {} |",
            text(&row["method"]),
            number(&row["entries"], 0),
            number(&row["bytes_per_entry"], 1),
            number(&row["build"]["wall_seconds"], 1),
            number(&row["sentences_per_second"], 0),
            number(&row["opening_ms"], 2),
            number(&row["request_us"]["median"], 1),
            number(&row["request_us"]["p99"], 1),
            qualities(&row["quality"])
        );
    }
    println!("\nFound of each kind:\n");
    for row in of(rows, "table") {
        let kinds = row["quality"]["found_of_kind"].as_object();
        let kind =
            |(name, counts): (&String, &Value)| format!("{name} {} of {}", counts[0], counts[1]);
        let kinds: Vec<String> = kinds.into_iter().flatten().map(kind).collect();
        println!("- {}: {}", text(&row["method"]), kinds.join(", "));
    }
}

fn print_division(rows: &[Value]) {
    println!(
        "| copies found | first source right | source precision | source recall | of several sources | all named |"
    );
    println!("|---:|---:|---:|---:|---:|---:|");
    for row in of(rows, "division") {
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            row["texts"],
            percent(&row["first_right"]),
            percent(&row["source_precision"]),
            percent(&row["source_recall"]),
            row["texts_of_several"],
            percent(&row["several_complete"])
        );
    }
}

fn print_cutoffs(rows: &[Value]) {
    println!("| cut-off | common words | entries | precision | recall | F1 |");
    println!("|---:|---:|---:|---:|---:|---:|");
    for row in of(rows, "cutoff") {
        println!(
            "| {} | {} | {} | {} |",
            text(&row["cutoff"]),
            number(&row["common_words"], 0),
            number(&row["entries"], 0),
            qualities(&row["quality"])
        );
    }
}

fn print_collisions(rows: &[Value]) {
    println!("| sentences | precision | recall | F1 |");
    println!("|---:|---:|---:|---:|");
    for row in of(rows, "collisions").flat_map(|row| list(row, "collisions")) {
        println!("| {} | {} |", row["step"], qualities(row));
    }
}

fn print_plagiarism(rows: &[Value]) {
    println!("Area under the curve, not copied against:\n");
    println!("| method | score | {} | all |", LEVELS.join(" | "));
    println!("|---|---|{}", "---:|".repeat(LEVELS.len() + 1));
    for row in of(rows, "plagiarism") {
        let areas = LEVELS.map(|level| number(&row[level], 3)).join(" | ");
        println!(
            "| {} | {} | {areas} | {} |",
            text(&row["method"]),
            text(&row["score"]),
            number(&row["all"], 3)
        );
    }
}

/// The drawings that there are rows for: common words and entries, quality by the cut-off, quality by sentences.
pub(crate) fn draw(rows: &[Value], [resources, cutoff, sentences]: [&Path; 3]) -> Result<()> {
    let cutoffs: Vec<&Value> = of(rows, "cutoff").collect();
    if !cutoffs.is_empty() {
        draw_resources(&cutoffs, resources)?;
        let x = || cutoff_axis("words in more than this share of the sources are left out");
        let points = |field: &str| points(&cutoffs, |row| &row["quality"][field]);
        draw_quality(
            "Quality by the cut-off of the document frequency",
            x(),
            points,
            cutoff,
        )?;
    }
    let collisions: Vec<&Value> = of(rows, "collisions")
        .flat_map(|row| list(row, "collisions"))
        .collect();
    if !collisions.is_empty() {
        let x = Axis::linear("sentences that make a copy, at least", 0.6..8.4).marks(8);
        let points = |field: &str| points(&collisions, |row| &row[field]);
        draw_quality(
            "Quality by the number of sentences in common",
            x,
            points,
            sentences,
        )?;
    }
    Ok(())
}

/// A figure of each row over its step.
fn points<'a>(
    rows: &[&'a Value],
    figure: impl Fn(&'a Value) -> &'a Value,
) -> Result<Vec<(f64, f64)>> {
    let point = |&row: &&'a Value| row["step"].as_f64().zip(figure(row).as_f64());
    let points: Option<Vec<_>> = rows.iter().map(point).collect();
    points.context("a row without a figure to draw")
}

fn cutoff_axis(label: &str) -> Axis<'_> {
    let last = CUTOFFS.len() as f64 - 1.0;
    Axis::linear(label, -0.4..last + 0.4)
        .marks(CUTOFFS.len())
        .written(cutoff_name)
}

/// How a step of the cut-off is written; nothing between two of them.
fn cutoff_name(step: f64) -> String {
    let is_step = (step - step.round()).abs() < 0.01 && step > -0.5;
    let name = CUTOFFS
        .get(step.round().max(0.0) as usize)
        .filter(|_| is_step);
    name.map_or(String::new(), |name| (*name).to_owned())
}

/// Common words on the left, entries on the right.
fn draw_resources(rows: &[&Value], path: &Path) -> Result<()> {
    let line = |colour, points: Vec<(f64, f64)>| [Line::new("", colour, points)];
    let mut common = points(rows, |row| &row["common_words"])?;
    // A logarithmic axis knows no zero.
    common.retain(|&(_, words)| words > 0.0);
    let common = line(draw::BLUE, common);
    let entries = line(draw::ORANGE, points(rows, |row| &row["entries"])?);
    let panels = [
        Panel {
            title: "Common words",
            x: cutoff_axis("cut-off, share of the sources"),
            y: Axis::logarithmic(
                "words left out",
                0.8..draw::most(&common, |p| p.1).max(2.0) * 2.0,
            ),
            lines: &common,
            legend: None,
        },
        Panel {
            title: "Entries of the index",
            x: cutoff_axis("cut-off, share of the sources"),
            y: Axis::linear("entries", 0.0..draw::most(&entries, |p| p.1).max(1.0) * 1.1),
            lines: &entries,
            legend: None,
        },
    ];
    save(&panels, path)
}

fn draw_quality(
    title: &str,
    x: Axis<'_>,
    points: impl Fn(&str) -> Result<Vec<(f64, f64)>>,
    path: &Path,
) -> Result<()> {
    let line = |(field, name, colour)| Ok(Line::new(name, colour, points(field)?));
    let lines = QUALITIES
        .into_iter()
        .map(line)
        .collect::<Result<Vec<Line>>>()?;
    let bottom = (draw::least(&lines, |p| p.1) * 10.0).floor() / 10.0;
    let panel = Panel {
        title,
        x,
        y: Axis::linear("", bottom.max(0.0)..1.02),
        lines: &lines,
        legend: Some(Corner::LowerRight),
    };
    save(&[panel], path)
}

fn save(panels: &[Panel<'_>], path: &Path) -> Result<()> {
    draw::draw(panels, path)?;
    println!("drew {}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_of_the_cut_off_have_names() {
        assert_eq!(cutoff_name(0.0), "0.005");
        assert_eq!(cutoff_name(9.0), "off");
        assert_eq!(
            [cutoff_name(0.5), cutoff_name(10.0), cutoff_name(-1.0)],
            [""; 3]
        );
    }

    #[test]
    fn a_point_is_a_row() {
        let rows = [
            json!({"step": 1, "f1": 0.5}),
            json!({"step": 2, "f1": 0.75}),
        ];
        let rows: Vec<&Value> = rows.iter().collect();
        assert_eq!(
            points(&rows, |row| &row["f1"]).expect("good rows"),
            [(1.0, 0.5), (2.0, 0.75)]
        );
        assert!(points(&rows, |row| &row["recall"]).is_err());
    }

    #[test]
    fn what_is_missing_is_a_dash() {
        assert_eq!(
            (number(&Value::Null, 1), percent(&Value::Null)),
            ("–".to_owned(), "–".to_owned())
        );
        assert_eq!(
            qualities(&json!({"precision": 0.5, "recall": 1, "f1": 0.25})),
            "50.00 % | 100.00 % | 25.00 %"
        );
    }
}
