//! The tables and drawings of `cargo xtask terms-figures`, from the rows of a record.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::figures::THRESHOLD;
use crate::draw::{self, Axis, Corner, Line, Panel};

/// The rows of one experiment.
pub(crate) fn of<'a>(rows: &'a [Value], experiment: &'a str) -> impl Iterator<Item = &'a Value> {
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

pub(super) fn print_tables(rows: &[Value]) {
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
pub(crate) fn collections<'a>(rows: &'a [Value], experiment: &'a str) -> Vec<&'a str> {
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
pub(crate) fn step_name(experiment: &str) -> fn(f64) -> String {
    if experiment.starts_with("gram") {
        return |step| format!("{step:.0}");
    }
    |step| match step.round() {
        0.0 => "k".to_owned(),
        more => format!("k+{more:.0}"),
    }
}

/// Recall on the left, whole lines against the base line and dashed ones against all pairs; comparisons on the right.
pub(crate) fn draw_steps(rows: &[Value], experiment: &str, path: &Path) -> Result<()> {
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
    draw::draw(&panels, path)?;
    println!("drew {}", path.display());
    Ok(())
}

/// Precision by band of these collections: a colour each, whole lines for equation 4, dashed ones for equation 3. Says whether
/// there was anything to draw.
pub(crate) fn draw_precision(rows: &[Value], shown: &[&str], path: &Path) -> Result<bool> {
    let names = collections(rows, "precision");
    let drawn = of(rows, "precision").filter(|row| shown.contains(&text(&row["collection"])));
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
        return Ok(false);
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
    draw::draw(&[panel], path)?;
    println!("drew {}", path.display());
    Ok(true)
}

/// The bands that hold a pair.
fn band_points(row: &Value) -> Vec<(f64, f64)> {
    let bands = row["bands"].as_array().map_or(&[][..], Vec::as_slice);
    let point = |band: &Value| band["upper"].as_f64().zip(band["precision"].as_f64());
    bands.iter().filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
