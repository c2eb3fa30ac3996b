//! Charts of lines, one or two beside each other, in the manner of `cargo xtask plot`.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;

use crate::workspace;

/// Where drawings go.
const FOLDER: &str = "docs";

const PANEL: (u32, u32) = (900, 560);
/// The width of each of two.
const HALF: u32 = 640;

pub(crate) const BLUE: RGBColor = RGBColor(0, 90, 170);
pub(crate) const ORANGE: RGBColor = RGBColor(200, 80, 0);
pub(crate) const GREEN: RGBColor = RGBColor(20, 125, 60);
pub(crate) const GREY: RGBColor = RGBColor(90, 90, 90);
/// One colour a collection.
pub(crate) const COLOURS: [RGBColor; 5] = [BLUE, ORANGE, GREEN, RGBColor(130, 60, 150), GREY];

/// A line with a dot at each point.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Empty: not in the legend.
    pub(crate) label: String,
    pub(crate) colour: RGBColor,
    pub(crate) points: Vec<(f64, f64)>,
    dashed: bool,
    stroke: bool,
    dots: bool,
    /// How far a bar at each point reaches up and down; empty without bars.
    bars: Vec<f64>,
}

impl Line {
    pub(crate) fn new(label: &str, colour: RGBColor, points: Vec<(f64, f64)>) -> Self {
        Self {
            label: label.to_owned(),
            colour,
            points,
            dashed: false,
            stroke: true,
            dots: true,
            bars: Vec::new(),
        }
    }

    pub(crate) fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }

    /// Dots alone, which nothing connects.
    pub(crate) fn unconnected(mut self) -> Self {
        self.stroke = false;
        self
    }

    /// With a bar at each point that reaches so far up and down.
    pub(crate) fn with_bars(mut self, bars: Vec<f64>) -> Self {
        self.bars = bars;
        self
    }

    pub(crate) fn without_dots(mut self) -> Self {
        self.dots = false;
        self
    }
}

/// The largest of a figure over all points.
pub(crate) fn most(lines: &[Line], figure: fn(&(f64, f64)) -> f64) -> f64 {
    let figures = lines.iter().flat_map(|line| &line.points).map(figure);
    figures.fold(0.0, f64::max)
}

/// The least of a figure over all points.
pub(crate) fn least(lines: &[Line], figure: fn(&(f64, f64)) -> f64) -> f64 {
    let figures = lines.iter().flat_map(|line| &line.points).map(figure);
    figures.fold(f64::INFINITY, f64::min)
}

/// An axis: what it shows, from where to where, and how its marks are written.
pub(crate) struct Axis<'a> {
    label: &'a str,
    range: Range<f64>,
    logarithmic: bool,
    /// About so many marks.
    marks: usize,
    written: fn(f64) -> String,
}

impl<'a> Axis<'a> {
    pub(crate) fn linear(label: &'a str, range: Range<f64>) -> Self {
        Self {
            label,
            range,
            logarithmic: false,
            marks: 10,
            written: plain,
        }
    }

    pub(crate) fn logarithmic(label: &'a str, range: Range<f64>) -> Self {
        Self {
            logarithmic: true,
            ..Self::linear(label, range)
        }
    }

    /// With about so many marks.
    pub(crate) fn marks(self, marks: usize) -> Self {
        Self { marks, ..self }
    }

    /// With marks written in another way.
    pub(crate) fn written(self, written: fn(f64) -> String) -> Self {
        Self { written, ..self }
    }
}

/// Where the legend stands.
#[derive(Clone, Copy)]
pub(crate) enum Corner {
    UpperLeft,
    UpperRight,
    LowerRight,
}

/// One chart.
pub(crate) struct Panel<'a> {
    pub(crate) title: &'a str,
    pub(crate) x: Axis<'a>,
    pub(crate) y: Axis<'a>,
    pub(crate) lines: &'a [Line],
    /// None: lines are those of another panel.
    pub(crate) legend: Option<Corner>,
}

/// The path of a drawing.
pub(crate) fn path(name: &str) -> Result<PathBuf> {
    let folder = workspace::root().join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    Ok(folder.join(name))
}

/// Draw the panels from left to right into one file.
pub(crate) fn draw(panels: &[Panel<'_>], path: &Path) -> Result<()> {
    let width = if panels.len() > 1 {
        HALF * panels.len() as u32
    } else {
        PANEL.0
    };
    let root = SVGBackend::new(path, (width, PANEL.1)).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, panel) in root.split_evenly((1, panels.len())).iter().zip(panels) {
        draw_panel(area, panel)?;
    }
    root.present()?;
    Ok(())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, X, Y> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>;

fn draw_panel<'a>(area: &Area<'a>, panel: &Panel<'_>) -> Result<()> {
    let mut builder = ChartBuilder::on(area);
    builder
        .caption(panel.title, ("sans-serif", 22))
        .margin(15)
        .margin_right(25)
        .x_label_area_size(50)
        .y_label_area_size(80);
    let (x, y) = (panel.x.range.clone(), panel.y.range.clone());
    match (panel.x.logarithmic, panel.y.logarithmic) {
        (false, false) => fill(&mut builder.build_cartesian_2d(x, y)?, panel),
        (false, true) => fill(&mut builder.build_cartesian_2d(x, y.log_scale())?, panel),
        (true, false) => fill(&mut builder.build_cartesian_2d(x.log_scale(), y)?, panel),
        (true, true) => {
            let mut chart = builder.build_cartesian_2d(x.log_scale(), y.log_scale())?;
            fill(&mut chart, panel)
        }
    }
}

fn fill<'a, X, Y>(chart: &mut Chart<'a, X, Y>, panel: &Panel<'_>) -> Result<()>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .x_desc(panel.x.label)
        .y_desc(panel.y.label)
        .x_labels(panel.x.marks)
        .y_labels(panel.y.marks)
        .x_label_formatter(&|value| (panel.x.written)(*value))
        .y_label_formatter(&|value| (panel.y.written)(*value))
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 16))
        .bold_line_style(BLACK.mix(0.15))
        .light_line_style(TRANSPARENT)
        .draw()?;
    for line in panel.lines {
        draw_line(chart, line)?;
    }
    match panel.legend {
        Some(corner) => draw_legend(chart, corner),
        None => Ok(()),
    }
}

fn draw_line<'a, X, Y>(chart: &mut Chart<'a, X, Y>, line: &Line) -> Result<()>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    if line.stroke {
        draw_stroke(chart, line)?;
    }
    if line.dots {
        let dot = |&point| Circle::new(point, 4, line.colour.filled());
        let series = chart.draw_series(line.points.iter().map(dot))?;
        if !line.stroke && !line.label.is_empty() {
            let colour = line.colour;
            series
                .label(&line.label)
                .legend(move |(x, y)| Circle::new((x + 12, y), 4, colour.filled()));
        }
    }
    let bars = line.points.iter().zip(&line.bars);
    let bar = |(&(x, y), reach): (&(f64, f64), &f64)| {
        PathElement::new(
            [(x, y - reach), (x, y + reach)],
            line.colour.stroke_width(1),
        )
    };
    chart.draw_series(bars.map(bar))?;
    Ok(())
}

fn draw_stroke<'a, X, Y>(chart: &mut Chart<'a, X, Y>, line: &Line) -> Result<()>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let style = line.colour.stroke_width(2);
    let points = line.points.iter().copied();
    let series = if line.dashed {
        chart.draw_series(DashedLineSeries::new(points, 7, 5, style))?
    } else {
        chart.draw_series(LineSeries::new(points, style))?
    };
    if !line.label.is_empty() {
        let gap = if line.dashed { 6 } else { 0 };
        series.label(&line.label).legend(move |(x, y)| {
            EmptyElement::at((x, y))
                + PathElement::new([(0, 0), (12 - gap / 2, 0)], style)
                + PathElement::new([(12 + gap / 2, 0), (24, 0)], style)
        });
    }
    Ok(())
}

fn draw_legend<'a, X, Y>(chart: &mut Chart<'a, X, Y>, corner: Corner) -> Result<()>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let position = match corner {
        Corner::UpperLeft => SeriesLabelPosition::UpperLeft,
        Corner::UpperRight => SeriesLabelPosition::UpperRight,
        Corner::LowerRight => SeriesLabelPosition::LowerRight,
    };
    chart
        .configure_series_labels()
        .position(position)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.4))
        .label_font(("sans-serif", 15))
        .legend_area_size(34)
        .draw()?;
    Ok(())
}

/// A number without superfluous zeros, in thousands or millions if it is large.
pub(crate) fn plain(number: f64) -> String {
    let trimmed = |number: f64| format!("{}", (number * 1000.0).round() / 1000.0);
    match number.abs() {
        size if size >= 1e6 => format!("{} M", trimmed(number / 1e6)),
        size if size >= 1e4 => format!("{} k", trimmed(number / 1e3)),
        _ => trimmed(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written = [0.95, 3.0, 5000.0, 20_000.0, 1.5e6].map(plain);
        assert_eq!(written, ["0.95", "3", "5000", "20 k", "1.5 M"]);
    }

    #[test]
    fn the_extremes_are_those_of_all_lines() {
        let line = |points: &[(f64, f64)]| Line::new("", BLUE, points.to_vec());
        let lines = [line(&[(1.0, 5.0), (2.0, 3.0)]), line(&[(4.0, 4.0)])];
        assert_eq!((most(&lines, |p| p.0), most(&lines, |p| p.1)), (4.0, 5.0));
        assert_eq!(least(&lines, |p| p.1), 3.0);
    }
}
