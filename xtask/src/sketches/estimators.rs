//! Bias and spread of the sketches' estimates against theory, by the library's example of that name.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::draw::{self, Axis, COLOURS, Corner, Line, Panel};
use crate::workspace;

/// Trials a point.
pub(crate) const TRIALS: u32 = 10_000;
pub(crate) const EXPERIMENT: &str = "estimators";
const SKETCHES: [&str; 3] = ["permutations", "smallest", "modulo"];
/// How many standard errors a bias may be without meaning anything.
const ERRORS: f64 = 4.0;
/// How far the spread may be from theory's, as a share of it.
const DEVIATION: f64 = 0.05;
/// Bars reach so many standard errors up and down.
const BARS: f64 = 2.0;
/// How far apart the sketches' points are drawn, which all have the same similarities.
const APART: f64 = 0.01;

/// Run the example, so many trials a point: a row for each sketch and similarity. An example that was built beside the doublet
/// given is taken as it is.
pub(crate) fn measure(doublet: Option<&Path>, trials: u32) -> Result<Vec<Value>> {
    let trials = trials.to_string();
    let built = doublet
        .and_then(Path::parent)
        .map(|folder| folder.join("examples/estimators"))
        .filter(|path| path.is_file());
    let text = match built {
        Some(path) => workspace::output_of(&[&path.display().to_string(), &trials])?,
        None => {
            let line = "cargo run --profile dist --package doublet --example estimators --";
            let line: Vec<&str> = line.split(' ').chain([trials.as_str()]).collect();
            workspace::output_of(&line)?
        }
    };
    rows(&text)
}

/// The lines of CSV that the example prints.
fn rows(text: &str) -> Result<Vec<Value>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines
        .next()
        .context("`estimators` printed nothing")?
        .split(',')
        .collect();
    lines.map(|line| row(&names, line)).collect()
}

fn row(names: &[&str], line: &str) -> Result<Value> {
    let mut row = json!({"experiment": EXPERIMENT});
    for (&name, field) in names.iter().zip(line.split(',')) {
        row[name] = match field.parse::<f64>() {
            Ok(number) => json!(number),
            Err(_) => json!(field),
        };
    }
    let point = Point::read(&row)?;
    row["bias_agrees"] = json!(point.errors() <= ERRORS);
    row["spread_agrees"] = json!(point.deviation() <= DEVIATION);
    Ok(row)
}

/// One sketch at one similarity.
#[derive(Clone, Copy)]
struct Point {
    similarity: f64,
    bias: f64,
    standard_error: f64,
    spread: f64,
    theory: f64,
}

impl Point {
    fn read(row: &Value) -> Result<Self> {
        let number = |name: &str| {
            let number = row[name].as_f64();
            number.with_context(|| format!("a row of `estimators` without `{name}`"))
        };
        Ok(Self {
            similarity: number("similarity")?,
            bias: number("bias")?,
            standard_error: number("standard_error")?,
            spread: number("spread")?,
            theory: number("theory")?,
        })
    }

    /// The bias in standard errors.
    fn errors(&self) -> f64 {
        share(self.bias.abs(), self.standard_error)
    }

    /// How far the spread is from theory's, as a share of it.
    fn deviation(&self) -> f64 {
        share((self.spread - self.theory).abs(), self.theory)
    }
}

/// Nothing is no share of anything, not even of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}

/// Say whether each sketch agrees with theory, and draw.
pub(crate) fn show(rows: &[&Value], path: &Path) -> Result<()> {
    let sketches = sketches(rows)?;
    for (name, points) in &sketches {
        println!("{}", Agreement::new(name, points).verdict());
    }
    draw(&sketches, path)
}

/// How each sketch agrees with theory.
pub(crate) fn agreements(rows: &[&Value]) -> Result<Vec<Agreement>> {
    let agreement = |(name, points): &(&'static str, Vec<Point>)| Agreement::new(name, points);
    Ok(sketches(rows)?.iter().map(agreement).collect())
}

fn sketches(rows: &[&Value]) -> Result<Vec<(&'static str, Vec<Point>)>> {
    let points = |name: &'static str| {
        let own = rows.iter().filter(|row| row["sketch"] == name);
        let points = own.map(|row| Point::read(row)).collect::<Result<_>>()?;
        Ok((name, points))
    };
    SKETCHES.into_iter().map(points).collect()
}

/// One sketch beside theory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreement {
    pub(crate) sketch: &'static str,
    similarities: usize,
    /// The largest bias, in standard errors.
    pub(crate) errors: f64,
    /// How far the spread is from theory's at most, as a share of it.
    pub(crate) deviation: f64,
}

impl Agreement {
    fn new(sketch: &'static str, points: &[Point]) -> Self {
        let most = |figure: fn(&Point) -> f64| points.iter().map(figure).fold(0.0, f64::max);
        Self {
            sketch,
            similarities: points.len(),
            errors: most(Point::errors),
            deviation: most(Point::deviation),
        }
    }

    pub(crate) fn is_right(&self) -> bool {
        self.similarities > 0 && self.errors <= ERRORS && self.deviation <= DEVIATION
    }

    fn verdict(&self) -> String {
        let verdict = if self.is_right() {
            "agrees with theory"
        } else {
            "DOES NOT AGREE with theory"
        };
        format!(
            "{} {verdict} at {} similarities: bias up to {:.1} standard errors (at most {ERRORS}), \
             spread up to {:.1} % from theory's (at most {} %)",
            self.sketch,
            self.similarities,
            self.errors,
            self.deviation * 100.0,
            DEVIATION * 100.0
        )
    }
}

fn draw(sketches: &[(&str, Vec<Point>)], path: &Path) -> Result<()> {
    let (mut biases, mut spreads) = (Vec::new(), Vec::new());
    for (number, (name, points)) in sketches.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let all = |y: fn(&Point) -> f64, shift: f64| {
            let points = points.iter();
            points.map(|p| (p.similarity + shift, y(p))).collect()
        };
        let shift = (number as f64 - 1.0) * APART;
        let bars = points.iter().map(|p| BARS * p.standard_error).collect();
        let bias = Line::new(name, colour, all(|p| p.bias, shift)).unconnected();
        biases.push(bias.with_bars(bars));
        let theory = Line::new("", colour, all(|p| p.theory, 0.0));
        spreads.push(theory.dashed().without_dots());
        spreads.push(Line::new("", colour, all(|p| p.spread, 0.0)).unconnected());
    }
    let points = || sketches.iter().flat_map(|(_, points)| points);
    let reach = points().map(|p| p.bias.abs() + BARS * p.standard_error);
    let reach = reach.fold(f64::MIN_POSITIVE, f64::max) * 1.3;
    let panels = [
        Panel {
            title: "Bias, ± 2 standard errors",
            x: Axis::linear("similarity", 0.0..1.05),
            y: Axis::linear("mean estimate − similarity", -reach..reach).written(fine),
            lines: &biases,
            legend: Some(Corner::UpperRight),
        },
        Panel {
            title: "Spread: measured (dots), theory (lines)",
            x: Axis::linear("similarity", 0.0..1.05),
            y: Axis::linear(
                "standard deviation of the estimate",
                0.0..draw::most(&spreads, |point| point.1) * 1.1,
            ),
            lines: &spreads,
            legend: None,
        },
    ];
    draw::draw(&panels, path)?;
    println!("drew {}", path.display());
    Ok(())
}

/// A small number without superfluous zeros.
fn fine(number: f64) -> String {
    // Adding zero makes -0 of what rounds to it 0.
    format!("{}", (number * 1e5).round() / 1e5 + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "sketch,similarity,trials,mean,bias,standard_error,spread,theory\n";

    fn check(line: &str, expected: (bool, bool)) {
        let rows = rows(&format!("{HEADER}{line}\n")).expect("a good line");
        let agrees = |name: &str| rows[0][name].as_bool().expect("a verdict");
        let found = (agrees("bias_agrees"), agrees("spread_agrees"));
        assert_eq!(found, expected, "{line}");
        let point = Point::read(&rows[0]).expect("a point");
        let verdict = Agreement::new("modulo", &[point]).verdict();
        let is_right = verdict.starts_with("modulo agrees");
        assert_eq!(is_right, expected.0 && expected.1, "{verdict}");
    }

    #[test]
    fn estimates_agree_with_theory_or_not() {
        check(
            "modulo,0.05,100,0.05,+0.00030,0.00010,0.0100,0.0101",
            (true, true),
        );
        check(
            "modulo,0.05,100,0.05,-0.00050,0.00010,0.0100,0.0101",
            (false, true),
        );
        check(
            "modulo,0.05,100,0.05,+0.00010,0.00010,0.0120,0.0101",
            (true, false),
        );
        check("modulo,1.00,100,1.0,+0.0,0.0,0.0,0.0", (true, true));
        check("modulo,1.00,100,1.0,+0.1,0.0,0.1,0.0", (false, false));
    }

    #[test]
    fn nothing_measured_agrees_with_nothing() {
        assert!(Agreement::new("modulo", &[]).verdict().contains("DOES NOT"));
        assert!(rows("sketch,similarity\nmodulo,0.5\n").is_err());
    }
}
