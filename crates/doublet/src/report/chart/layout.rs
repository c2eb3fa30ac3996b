//! Where the parts of a line chart stand, and how they are drawn.

use std::fmt::Write;

use super::axis::{self, Labels, Scale};
use super::line::{LineChart, WIDE};
use super::svg::{self, Anchor, Drawing, LETTER, at, drawable, width_of};
use crate::report::html::escape::clipped;

/// Characters of a name shown.
const NAME_CHARS: usize = 24;
/// Characters of the label of the best point shown.
const LABEL_CHARS: usize = 60;
/// Height of a line of the legend.
const LEGEND: f64 = 19.0;
/// Length of the stroke that stands for a series in the legend.
const STROKE: f64 = 26.0;
/// Distance that two markers of a line keep.
const MARKERS: f64 = 14.0;

/// Where everything stands, in pixels.
pub(super) struct Layout<'a> {
    chart: &'a LineChart,
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    low: f64,
    high: f64,
    /// Place of each point along the axis.
    x: Vec<f64>,
    labels: Labels,
    /// The lines of a legend on top: in each, the series and where they begin. Without, names stand at the line ends.
    legend: Vec<Vec<(usize, f64)>>,
}

impl<'a> Layout<'a> {
    /// The layout of a chart of this width.
    pub(super) fn of(chart: &'a LineChart, width: f64) -> Self {
        let names = chart.shown().iter();
        let longest = names
            .map(|s| width_of(&clipped(&s.name, NAME_CHARS), LETTER))
            .fold(0.0, f64::max);
        let at_ends = width >= WIDE && longest <= 170.0;
        let (left, margin) = (
            58.0,
            if at_ends {
                longest + STROKE + 26.0
            } else {
                14.0
            },
        );
        let right = width - margin;
        let legend = if at_ends {
            Vec::new()
        } else {
            legend_lines(chart, left, right)
        };
        let best = if chart.best.is_some() { 24.0 } else { 6.0 };
        let top = 8.0 + legend.len() as f64 * LEGEND + best;
        let (left, x, labels) = along(chart, left, right);
        let plot = if width >= WIDE { 280.0 } else { 230.0 };
        let (low, high) = chart.range();
        Self {
            chart,
            width,
            height: top + plot + labels.height + 28.0,
            left,
            right,
            top,
            bottom: top + plot,
            low,
            high,
            x,
            labels,
            legend,
        }
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.bottom - share.clamp(0.0, 1.0) * (self.bottom - self.top)
    }

    /// The chart.
    pub(super) fn draw(&self) -> Drawing {
        let mut body = String::new();
        self.axes(&mut body);
        let series = self.chart.shown();
        // The main line last, so that it lies on top.
        let mut order: Vec<usize> = (0..series.len()).collect();
        order.sort_by_key(|s| *s == self.chart.main);
        for &number in &order {
            self.band(&mut body, number);
        }
        self.best_line(&mut body);
        for &number in &order {
            self.line(&mut body, number);
        }
        self.best_label(&mut body);
        match self.legend.is_empty() {
            true => self.names_at_ends(&mut body),
            false => self.legend(&mut body),
        }
        Drawing {
            title: self.chart.title.clone(),
            words: self.chart.words(),
            width: self.width,
            height: self.height,
            body,
        }
    }

    fn axes(&self, out: &mut String) {
        for (value, label) in axis::ticks(self.low, self.high, 6) {
            let y = self.y(value);
            svg::line(out, "grid", (self.left, y), (self.right, y));
            svg::text(out, "tick", self.left - 8.0, y + 4.5, Anchor::End, &label);
        }
        svg::line(
            out,
            "base",
            (self.left, self.bottom),
            (self.right, self.bottom),
        );
        for x in self.labels.places() {
            svg::line(out, "base", (x, self.bottom), (x, self.bottom + 5.0));
        }
        self.labels.draw(out, self.bottom + 2.0);
        let middle = (self.left + self.right) / 2.0;
        let under = self.bottom + self.labels.height + 20.0;
        let scale = match axis::places(&self.chart.x).1 {
            Scale::Logarithmic => " (logarithmic)",
            Scale::Even | Scale::Linear => "",
        };
        let name = format!("{}{scale}", clipped(&self.chart.x.name, LABEL_CHARS));
        svg::text(out, "name", middle, under, Anchor::Middle, &name);
        let place = (16.0, (self.top + self.bottom) / 2.0, -90.0);
        let name = clipped(&self.chart.y_name, NAME_CHARS);
        svg::turned(out, "name", place, Anchor::Middle, &name);
    }

    /// The points of a series that can be drawn, cut where some cannot.
    fn runs<T: Copy>(&self, value: impl Fn(usize) -> Option<T>) -> Vec<Vec<(f64, T)>> {
        let mut runs = vec![Vec::new()];
        for (i, x) in self.x.iter().enumerate() {
            match (value(i), runs.last_mut()) {
                (Some(value), Some(run)) => run.push((*x, value)),
                _ => runs.push(Vec::new()),
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }

    fn band(&self, out: &mut String, number: usize) {
        let (series, look) = (&self.chart.series[number], self.chart.look(number));
        let ends = |i: usize| {
            let (low, high) = series.band.get(i)?;
            Some((drawable(Some(low))?, drawable(Some(high))?))
        };
        for run in self.runs(ends) {
            if let [(x, (low, high))] = run[..] {
                let class = format!("whisker l{look}");
                svg::line(out, &class, (x, self.y(low)), (x, self.y(high)));
                continue;
            }
            let high = run.iter().map(|(x, ends)| (*x, self.y(ends.1)));
            let low = run.iter().rev().map(|(x, ends)| (*x, self.y(ends.0)));
            let points: Vec<(f64, f64)> = high.chain(low).collect();
            let _ = writeln!(
                out,
                "<path class=\"band f{look}\" d=\"{}Z\"/>",
                path(&points)
            );
        }
    }

    fn line(&self, out: &mut String, number: usize) {
        let (series, look) = (&self.chart.series[number], self.chart.look(number));
        let main = if look == 0 { " main" } else { "" };
        let runs = self.runs(|i| drawable(series.values.get(i)));
        for run in &runs {
            let points: Vec<(f64, f64)> = run.iter().map(|(x, v)| (*x, self.y(*v))).collect();
            if points.len() > 1 {
                let _ = writeln!(
                    out,
                    "<path class=\"line l{look}{main}\" d=\"{}\"/>",
                    path(&points)
                );
            }
        }
        let mut last = f64::NEG_INFINITY;
        for (x, value) in runs.iter().flatten() {
            if x - last >= MARKERS {
                marker(out, look, *x, self.y(*value));
                last = *x;
            }
        }
    }

    /// The place of the best point, if it can be drawn.
    fn best(&self) -> Option<(f64, f64, &str)> {
        let best = self.chart.best.as_ref()?;
        let series = self.chart.shown().get(best.series)?;
        let value = drawable(series.values.get(best.point))?;
        Some((*self.x.get(best.point)?, self.y(value), &best.label))
    }

    fn best_line(&self, out: &mut String) {
        if let Some((x, _, _)) = self.best() {
            svg::line(out, "best-line", (x, self.top - 6.0), (x, self.bottom));
        }
    }

    fn best_label(&self, out: &mut String) {
        let Some((x, y, label)) = self.best() else {
            return;
        };
        let _ = writeln!(
            out,
            "<circle class=\"best-ring\" cx=\"{}\" cy=\"{}\" r=\"8\"/>",
            at(x),
            at(y)
        );
        let label = clipped(label, LABEL_CHARS);
        // Bold letters are a little wider.
        let half = width_of(&label, LETTER) * 0.53;
        let least = half + 4.0;
        let most = (self.width - half - 4.0).max(least);
        let x = x.clamp(least, most);
        svg::text(
            out,
            "best-label",
            x,
            self.top - 12.0,
            Anchor::Middle,
            &label,
        );
    }

    /// The name of each series at the end of its line, moved apart where they would meet.
    fn names_at_ends(&self, out: &mut String) {
        let mut ends: Vec<(f64, f64, usize)> = Vec::new();
        for (number, series) in self.chart.shown().iter().enumerate() {
            let last = self.x.iter().enumerate().rev();
            let drawn = last
                .filter_map(|(i, x)| Some((drawable(series.values.get(i))?, *x)))
                .next();
            if let Some((value, x)) = drawn {
                ends.push((self.y(value), x, number));
            }
        }
        ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        let places = apart(
            &ends.iter().map(|e| e.0).collect::<Vec<_>>(),
            self.top,
            self.bottom,
        );
        for ((end, last, number), y) in ends.into_iter().zip(places) {
            let x = self.right + 12.0;
            svg::line(out, "leader", (last + 7.0, end), (x - 3.0, y));
            self.name(out, number, x, y);
        }
    }

    fn legend(&self, out: &mut String) {
        for (row, line) in self.legend.iter().enumerate() {
            for (number, x) in line {
                self.name(out, *number, *x, 12.0 + row as f64 * LEGEND);
            }
        }
    }

    /// A stroke of the line with its marker, and the name.
    fn name(&self, out: &mut String, number: usize, x: f64, y: f64) {
        let look = self.chart.look(number);
        let main = if look == 0 { " main" } else { "" };
        let class = format!("line l{look}{main}");
        svg::line(out, &class, (x, y), (x + STROKE, y));
        marker(out, look, x + STROKE / 2.0, y);
        let name = clipped(&self.chart.series[number].name, NAME_CHARS);
        svg::text(
            out,
            "entry",
            x + STROKE + 6.0,
            y + 4.5,
            Anchor::Start,
            &name,
        );
    }
}

/// The left end of the plot, moved if the first label needs it, the place of each point, and the labels.
fn along(chart: &LineChart, left: f64, right: f64) -> (f64, Vec<f64>, Labels) {
    let (mut shares, scale) = axis::places(&chart.x);
    shares.truncate(chart.points());
    let count = shares.len().max(1) as f64;
    let ends = [chart.x.values.first(), chart.x.values.last()];
    let widest = ends
        .into_iter()
        .flatten()
        .map(|v| width_of(v, LETTER))
        .fold(0.0, f64::max);
    let fit = |left: f64| {
        let plot = right - left;
        // Words stand in the middle of their share, numbers as far from the ends as half of their label.
        let inside = match scale {
            Scale::Even => plot / (2.0 * count),
            Scale::Linear | Scale::Logarithmic => (widest / 2.0).min(plot / 4.0).max(14.0),
        };
        let place = |share: &f64| left + inside + share * (plot - 2.0 * inside);
        let x: Vec<f64> = shares.iter().map(place).collect();
        let labels = Labels::fit(&chart.x, &x);
        (x, labels)
    };
    let (x, labels) = fit(left);
    let missing = labels.left + 4.0 - x.first().copied().unwrap_or(left);
    if missing <= 0.0 {
        return (left, x, labels);
    }
    let left = left + missing;
    let (x, labels) = fit(left);
    (left, x, labels)
}

/// The series in lines of a legend: which, and where each begins.
fn legend_lines(chart: &LineChart, left: f64, right: f64) -> Vec<Vec<(usize, f64)>> {
    let mut lines: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut x = f64::INFINITY;
    for (number, series) in chart.shown().iter().enumerate() {
        let width = STROKE + 6.0 + width_of(&clipped(&series.name, NAME_CHARS), LETTER);
        if x + width > right {
            lines.push(Vec::new());
            x = left;
        }
        if let Some(line) = lines.last_mut() {
            line.push((number, x));
        }
        x += width + 14.0;
    }
    lines
}

/// Places in order, moved as little as needed to stand a line apart within `top` and `bottom`.
fn apart(places: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut moved: Vec<f64> = Vec::with_capacity(places.len());
    for place in places {
        let least = moved.last().map_or(top, |last| last + LEGEND);
        moved.push(place.max(least));
    }
    let mut most = bottom;
    for place in moved.iter_mut().rev() {
        *place = place.min(most);
        most = *place - LEGEND;
    }
    moved
}

fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(
            path,
            "{}{} {}",
            if i == 0 { "M" } else { "L" },
            at(*x),
            at(*y)
        );
    }
    path
}

/// A marker of the look's own shape.
fn marker(out: &mut String, look: usize, x: f64, y: f64) {
    let shape = |points: &[(f64, f64)]| {
        let moved: Vec<(f64, f64)> = points.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        format!("<path class=\"dot f{look}\" d=\"{}Z\"/>", path(&moved))
    };
    let drawn = match look {
        1 => shape(&[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)]),
        2 => shape(&[(0.0, -5.5), (5.0, 4.0), (-5.0, 4.0)]),
        3 => shape(&[(0.0, -5.5), (5.5, 0.0), (0.0, 5.5), (-5.5, 0.0)]),
        4 => shape(&[(0.0, 5.5), (5.0, -4.0), (-5.0, -4.0)]),
        _ => format!(
            "<circle class=\"dot f{look}\" cx=\"{}\" cy=\"{}\" r=\"4.5\"/>",
            at(x),
            at(y)
        ),
    };
    *out += &drawn;
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_meet_move_apart() {
        assert_eq!(apart(&[10.0, 50.0], 0.0, 100.0), [10.0, 50.0]);
        assert_eq!(apart(&[50.0, 50.0, 50.0], 0.0, 200.0), [50.0, 69.0, 88.0]);
        assert_eq!(apart(&[95.0, 96.0], 0.0, 100.0), [81.0, 100.0]);
    }
}
