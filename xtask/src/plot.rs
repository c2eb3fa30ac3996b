//! `cargo xtask plot`: run time and memory against tokens, after the paper's figure 1.
//!
//! In comes a record of `cargo xtask bench --scaling`; out come `docs/run-time.svg` and `docs/memory.svg`. The
//! run times stand beside those of the paper, its two regression curves and its two measured points,
//! on logarithmic axes: they lie too far apart for any other.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use plotters::prelude::*;
use serde_json::Value;

use crate::workspace;

const RECORDS: &str = "benchmarks/record";
const SIZE: (u32, u32) = (900, 560);
const RESEMBLANCE: RGBColor = RGBColor(0, 90, 170);
const COVERAGE: RGBColor = RGBColor(200, 80, 0);

/// What to draw.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A record of `cargo xtask bench --scaling` [default: the latest]
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Where the drawings go
    #[arg(short, long, default_value = "docs", value_name = "DIR")]
    output: PathBuf,
}

/// What was measured for one metric, by rising number of tokens.
#[derive(Debug, PartialEq)]
struct Curve {
    metric: &'static str,
    colour: RGBColor,
    points: Vec<Point>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    tokens: f64,
    seconds: f64,
    megabytes: f64,
}

/// Seconds for n tokens by the paper's regression for resemblance. It prints the linear coefficient as
/// 16e-5, which would make over eight hours of its 1 h 23 min; with 16e-6 they fit.
pub(crate) fn paper_resemblance(tokens: f64) -> f64 {
    8.30e-14 * tokens * tokens + 16e-6 * tokens
}

/// Seconds for n tokens by the paper's regression for coverage.
pub(crate) fn paper_coverage(tokens: f64) -> f64 {
    2.18e-13 * tokens * tokens + 9e-6 * tokens
}

/// The paper's measured runs: tokens and seconds.
pub(crate) const PAPER_RESEMBLANCE: (f64, f64) = (170e6, 4_980.0);
pub(crate) const PAPER_COVERAGE: (f64, f64) = (170e6, 7_740.0);

/// One of the paper's two curves.
struct Paper {
    metric: &'static str,
    colour: RGBColor,
    seconds: fn(f64) -> f64,
    measured: (f64, f64),
    /// The measured time in words, and how far from its cross it stands, in pixels.
    note: (&'static str, (i32, i32)),
}

const PAPER: [Paper; 2] = [
    Paper {
        metric: "resemblance",
        colour: RESEMBLANCE,
        seconds: paper_resemblance,
        measured: PAPER_RESEMBLANCE,
        note: ("1 h 23 min", (-10, 12)),
    },
    Paper {
        metric: "coverage",
        colour: COVERAGE,
        seconds: paper_coverage,
        measured: PAPER_COVERAGE,
        note: ("2 h 9 min", (-80, -16)),
    },
];

/// Draw both.
pub(crate) fn run(args: &Args) -> Result<()> {
    let path = match &args.record {
        Some(path) => path.clone(),
        None => latest_record()?,
    };
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read `{}`", path.display()))?;
    let record: Value = serde_json::from_str(&text)?;
    let rows = record["rows"].as_array().context("a record without rows")?;
    let folder = workspace::root().join(&args.output);
    std::fs::create_dir_all(&folder)?;
    let (time, memory) = (folder.join("run-time.svg"), folder.join("memory.svg"));
    draw(rows, [&time, &memory])?;
    println!("drew run-time.svg and memory.svg from {}", path.display());
    Ok(())
}

/// Run time of the rows of a scaling run into the first file, peak memory into the second.
pub(crate) fn draw(rows: &[Value], [time, memory]: [&Path; 2]) -> Result<()> {
    let curves = curves(rows)?;
    draw_run_time(&curves, time)?;
    draw_memory(&curves, memory)
}

/// The newest record of the scaling run: names begin with the date.
fn latest_record() -> Result<PathBuf> {
    let folder = workspace::root().join(RECORDS);
    let mut records = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let entry = entry?;
        if is_scaling_record(&entry.file_name().to_string_lossy()) {
            records.push(entry.path());
        }
    }
    records.sort();
    records
        .pop()
        .context("no record yet: run `cargo xtask bench --scaling` first")
}

/// DATE-scaling.json and no other, such as DATE-terms-scaling.json.
fn is_scaling_record(name: &str) -> bool {
    let date = name.strip_suffix("-scaling.json");
    date.is_some_and(|date| !date.contains(char::is_alphabetic))
}

fn curves(rows: &[Value]) -> Result<Vec<Curve>> {
    let mut curves = Vec::new();
    for (metric, colour) in [("resemblance", RESEMBLANCE), ("coverage", COVERAGE)] {
        let own = rows
            .iter()
            .filter(|row| row["tool"] == "doublet" && row["metric"] == metric);
        let mut points = own.map(point).collect::<Result<Vec<_>>>()?;
        points.sort_by(|a, b| a.tokens.total_cmp(&b.tokens));
        if !points.is_empty() {
            curves.push(Curve {
                metric,
                colour,
                points,
            });
        }
    }
    ensure!(!curves.is_empty(), "the record holds no run of doublet");
    Ok(curves)
}

fn point(row: &Value) -> Result<Point> {
    let number = |value: &Value, name: &str| {
        let number = value.as_f64().filter(|&number| number > 0.0);
        number.with_context(|| format!("a row without `{name}`"))
    };
    let median = &row["median"];
    Ok(Point {
        tokens: number(&row["words"], "words")?,
        seconds: number(&median["wall_seconds"], "wall_seconds")?,
        megabytes: number(&median["peak_bytes"], "peak_bytes")? / 1e6,
    })
}

/// The range of tokens shown: what was measured, with a margin, and the paper's run.
fn token_range(curves: &[Curve]) -> (f64, f64) {
    let tokens = || {
        curves
            .iter()
            .flat_map(|c| c.points.iter().map(|p| p.tokens))
    };
    let least = tokens().fold(f64::INFINITY, f64::min);
    let most = tokens().fold(PAPER_COVERAGE.0, f64::max);
    (least * 0.8, most * 1.25)
}

fn draw_run_time(curves: &[Curve], path: &Path) -> Result<()> {
    let (least, most) = token_range(curves);
    let seconds = curves
        .iter()
        .flat_map(|c| c.points.iter().map(|p| p.seconds));
    let fastest = seconds.fold(f64::INFINITY, f64::min);
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(
            "Run time of the complete similarity matrix",
            ("sans-serif", 22),
        )
        .margin(15)
        .x_label_area_size(50)
        .y_label_area_size(75)
        .build_cartesian_2d(
            (least..most).log_scale(),
            (fastest * 0.5..paper_coverage(most) * 2.0).log_scale(),
        )?;
    draw_mesh(&mut chart, "run time (s)")?;
    for curve in curves {
        let points = curve.points.iter().map(|p| (p.tokens, p.seconds));
        draw_curve(&mut chart, curve, points.collect())?;
    }
    for paper in &PAPER {
        draw_paper(&mut chart, paper, (least, most))?;
    }
    draw_legend(&mut chart)?;
    root.present()?;
    Ok(())
}

fn draw_memory(curves: &[Curve], path: &Path) -> Result<()> {
    let (least, most) = token_range(curves);
    let megabytes = || {
        curves
            .iter()
            .flat_map(|c| c.points.iter().map(|p| p.megabytes))
    };
    let smallest = megabytes().fold(f64::INFINITY, f64::min);
    let largest = megabytes().fold(0.0, f64::max);
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("Peak memory", ("sans-serif", 22))
        .margin(15)
        .x_label_area_size(50)
        .y_label_area_size(75)
        .build_cartesian_2d(
            (least..most).log_scale(),
            (smallest * 0.5..largest * 2.0).log_scale(),
        )?;
    draw_mesh(&mut chart, "peak memory (MB)")?;
    for curve in curves {
        let points = curve.points.iter().map(|p| (p.tokens, p.megabytes));
        draw_curve(&mut chart, curve, points.collect())?;
    }
    draw_legend(&mut chart)?;
    root.present()?;
    Ok(())
}

type LogChart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<LogCoord<f64>, LogCoord<f64>>>;

fn draw_mesh<'a>(chart: &mut LogChart<'a>, title: &str) -> Result<()> {
    chart
        .configure_mesh()
        .x_desc("tokens (millions)")
        .x_labels(8)
        .y_desc(title)
        .x_label_formatter(&|tokens| plain(tokens / 1e6))
        .y_label_formatter(&|value| plain(*value))
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 16))
        .bold_line_style(BLACK.mix(0.15))
        .light_line_style(TRANSPARENT)
        .draw()?;
    Ok(())
}

fn draw_curve<'a>(chart: &mut LogChart<'a>, curve: &Curve, points: Vec<(f64, f64)>) -> Result<()> {
    let colour = curve.colour;
    let dots = points.clone();
    chart
        .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
        .label(format!("doublet, {}", curve.metric))
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(2)));
    chart.draw_series(
        dots.into_iter()
            .map(|dot| Circle::new(dot, 4, colour.filled())),
    )?;
    Ok(())
}

fn draw_paper<'a>(
    chart: &mut LogChart<'a>,
    paper: &Paper,
    (least, most): (f64, f64),
) -> Result<()> {
    const STEPS: i32 = 120;
    let at = |step: i32| least * (most / least).powf(f64::from(step) / f64::from(STEPS));
    let points = (0..=STEPS).map(|step| (at(step), (paper.seconds)(at(step))));
    let style = paper.colour.mix(0.6).stroke_width(2);
    chart
        .draw_series(DashedLineSeries::new(points, 7, 5, style))?
        .label(format!("Kupietz, {} (regression and run)", paper.metric))
        .legend(move |(x, y)| {
            EmptyElement::at((x, y))
                + PathElement::new([(0, 0), (8, 0)], style)
                + PathElement::new([(14, 0), (24, 0)], style)
        });
    let (text, place) = paper.note;
    let font = ("sans-serif", 14).into_font().color(&paper.colour);
    chart.draw_series([EmptyElement::at(paper.measured)
        + Cross::new((0, 0), 6, paper.colour.stroke_width(2))
        + Text::new(text, place, font)])?;
    Ok(())
}

fn draw_legend<'a>(chart: &mut LogChart<'a>) -> Result<()> {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.4))
        .label_font(("sans-serif", 15))
        .legend_area_size(34)
        .draw()?;
    Ok(())
}

/// A number without superfluous zeros.
fn plain(number: f64) -> String {
    if number >= 10.0 {
        format!("{number:.0}")
    } else {
        format!("{}", (number * 1000.0).round() / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rows() -> Vec<Value> {
        let row = |metric: &str, words: u64, seconds: f64| {
            json!({"tool": "doublet", "metric": metric, "words": words,
                "median": {"wall_seconds": seconds, "peak_bytes": words * 4}})
        };
        vec![
            row("resemblance", 190_000_000, 8.0),
            row("resemblance", 1_900_000, 0.1),
            row("coverage", 1_900_000, 0.3),
            row("coverage", 190_000_000, 30.0),
            json!({"tool": "gaoya", "metric": "resemblance"}),
        ]
    }

    #[test]
    fn curves_rise_with_the_tokens() {
        let curves = curves(&rows()).expect("good rows");
        assert_eq!(curves.len(), 2);
        assert_eq!(curves[0].points[0].tokens, 1.9e6);
        assert_eq!(curves[1].points[1].seconds, 30.0);
        assert!(super::curves(&[]).is_err());
    }

    #[test]
    fn only_its_own_records_are_drawn() {
        assert!(is_scaling_record("2026-01-31-scaling.json"));
        assert!(!is_scaling_record("2026-01-31-terms-scaling.json"));
        assert!(!is_scaling_record("2026-01-31-peers.json"));
    }

    #[test]
    fn the_regressions_meet_the_runs_they_describe() {
        let near = |formula: f64, run: f64| (formula / run - 1.0).abs() < 0.04;
        assert!(near(
            paper_resemblance(PAPER_RESEMBLANCE.0),
            PAPER_RESEMBLANCE.1
        ));
        assert!(near(paper_coverage(PAPER_COVERAGE.0), PAPER_COVERAGE.1));
    }
}
