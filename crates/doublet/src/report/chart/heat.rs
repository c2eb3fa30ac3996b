//! A heat map: one figure for each pair of values of two swept options.

use super::Axis;
use super::axis::Labels;
use super::svg::{self, Anchor, Drawing, LETTER, drawable, width_of};
use crate::report::html::escape::clipped;
use crate::report::html::numbers::score;

/// Steps of the ramp of colours.
const STEPS: usize = 12;
/// Values drawn along each axis.
const VALUES: usize = 60;
/// Columns up to which cells are wide enough for three decimals.
const FEW: usize = 10;
/// Cells said in words, one by one.
const SAID: usize = 64;
/// Characters of a label shown.
const LABEL_CHARS: usize = 18;
/// Characters of a name shown.
const NAME_CHARS: usize = 40;
/// The least width, which the scale needs.
const LEAST: f64 = 340.0;
/// Height of the scale and the room below it.
const SCALE: f64 = 34.0;

/// One figure for each pair of values of two swept options.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// What is shown.
    pub title: String,
    /// What the figure is called, for example `F1`.
    pub name: String,
    /// What runs along.
    pub columns: Axis,
    /// What runs down.
    pub rows: Axis,
    /// The figures, row by row. What is missing or no number is an empty cell.
    pub values: Vec<Vec<f64>>,
    /// Row and column of the cell to mark.
    pub best: Option<(usize, usize)>,
}

impl HeatMap {
    /// The map as a file of its own.
    pub fn svg(&self) -> String {
        self.draw().file()
    }

    /// The map as a part of a page. It keeps its size, for its letters are to be read: let it scroll.
    pub(in crate::report) fn inline(&self, id: &str) -> String {
        self.draw().inline(id, "heat")
    }

    fn size(&self) -> (usize, usize) {
        (
            self.rows.values.len().min(VALUES),
            self.columns.values.len().min(VALUES),
        )
    }

    fn value(&self, row: usize, column: usize) -> Option<f64> {
        drawable(self.values.get(row)?.get(column))
    }

    /// All figures with their cells.
    fn cells(&self) -> Vec<(usize, usize, f64)> {
        let (rows, columns) = self.size();
        let cells = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
        cells
            .filter_map(|(r, c)| Some((r, c, self.value(r, c)?)))
            .collect()
    }

    /// Where the ramp begins and ends: at tenths around the figures.
    fn range(&self) -> (f64, f64) {
        let ends = self
            .cells()
            .iter()
            .fold(None, |ends: Option<(f64, f64)>, (_, _, v)| {
                let (low, high) = ends.unwrap_or((*v, *v));
                Some((low.min(*v), high.max(*v)))
            });
        let Some((low, high)) = ends else {
            return (0.0, 1.0);
        };
        let (low, high) = ((low * 10.0 + 1e-9).floor(), (high * 10.0 - 1e-9).ceil());
        (low / 10.0, high.max(low + 1.0) / 10.0)
    }

    fn draw(&self) -> Drawing {
        let grid = Grid::of(self);
        let mut body = String::new();
        self.scale(&mut body, &grid);
        for row in 0..grid.rows {
            for column in 0..grid.columns {
                self.cell(&mut body, &grid, row, column);
            }
        }
        self.mark(&mut body, &grid);
        self.names(&mut body, &grid);
        Drawing {
            title: self.title.clone(),
            words: self.words(),
            width: grid.width,
            height: grid.bottom() + grid.labels.height + 28.0,
            body,
        }
    }

    /// What the colours mean.
    fn scale(&self, out: &mut String, grid: &Grid) {
        let (low, high) = grid.range;
        let name = clipped(&self.name, LABEL_CHARS);
        let mut x = grid.left;
        svg::text(out, "name", x, 16.0, Anchor::Start, &name);
        x += width_of(&name, LETTER) + 10.0;
        let ends = [format!("{low:.1}"), format!("{high:.1}")];
        svg::text(out, "tick", x, 16.0, Anchor::Start, &ends[0]);
        x += width_of(&ends[0], LETTER) + 6.0;
        for step in 0..STEPS {
            let corner = (x + step as f64 * 10.0, 5.0);
            svg::rect(out, &format!("h{step}"), corner, (10.5, 13.0));
        }
        x += STEPS as f64 * 10.0 + 7.0;
        svg::text(out, "tick", x, 16.0, Anchor::Start, &ends[1]);
    }

    fn cell(&self, out: &mut String, grid: &Grid, row: usize, column: usize) {
        let (x, y) = grid.corner(row, column);
        let middle = (x + grid.cell.0 / 2.0, y + grid.cell.1 / 2.0 + 4.5);
        let inner = (grid.cell.0 - 1.0, grid.cell.1 - 1.0);
        let Some(value) = self.value(row, column) else {
            svg::rect(
                out,
                "none",
                (x + 0.5, y + 0.5),
                (inner.0 - 1.0, inner.1 - 1.0),
            );
            svg::text(out, "cell tick", middle.0, middle.1, Anchor::Middle, "–");
            return;
        };
        let (low, high) = grid.range;
        let step = ((value - low) / (high - low) * STEPS as f64) as usize;
        let step = step.min(STEPS - 1);
        svg::rect(out, &format!("h{step}"), (x, y), inner);
        // Which ink is read on a step differs between light and dark; the style sheet knows.
        let ink = match step {
            0..=5 => "low",
            6..=7 => "mid",
            _ => "high",
        };
        let best = if self.best == Some((row, column)) {
            " best-value"
        } else {
            ""
        };
        let class = format!("cell {ink}{best}");
        svg::text(
            out,
            &class,
            middle.0,
            middle.1,
            Anchor::Middle,
            &grid.shown(value),
        );
    }

    fn mark(&self, out: &mut String, grid: &Grid) {
        let Some((row, column)) = self.best else {
            return;
        };
        if row < grid.rows && column < grid.columns {
            let (x, y) = grid.corner(row, column);
            let corner = (x - 1.0, y - 1.0);
            let size = (grid.cell.0 + 1.0, grid.cell.1 + 1.0);
            svg::rect(out, "best-halo", corner, size);
            svg::rect(out, "best-cell", corner, size);
        }
    }

    fn names(&self, out: &mut String, grid: &Grid) {
        for (row, label) in self.rows.values.iter().take(grid.rows).enumerate() {
            let (_, y) = grid.corner(row, 0);
            let label = clipped(label, LABEL_CHARS);
            svg::text(
                out,
                "tick",
                grid.left - 7.0,
                y + grid.cell.1 / 2.0 + 4.5,
                Anchor::End,
                &label,
            );
        }
        grid.labels.draw(out, grid.bottom());
        let middle = grid.left + grid.cell.0 * grid.columns as f64 / 2.0;
        let name = clipped(&self.columns.name, NAME_CHARS);
        // A long name over few columns still has to begin inside.
        let middle = middle.max(width_of(&name, LETTER) / 2.0 + 4.0);
        let under = grid.bottom() + grid.labels.height + 18.0;
        svg::text(out, "name", middle, under, Anchor::Middle, &name);
        let place = (16.0, (grid.top + grid.bottom()) / 2.0, -90.0);
        let name = clipped(&self.rows.name, NAME_CHARS);
        svg::turned(out, "name", place, Anchor::Middle, &name);
    }

    fn said(&self, (row, column, value): (usize, usize, f64)) -> String {
        format!(
            "{} at {} {} and {} {}",
            score(value),
            self.rows.name,
            self.rows.values[row],
            self.columns.name,
            self.columns.values[column],
        )
    }

    fn words(&self) -> String {
        let (rows, columns) = self.size();
        let cells = self.cells();
        let by_value = |a: &&(usize, usize, f64), b: &&(usize, usize, f64)| a.2.total_cmp(&b.2);
        let mut words = format!(
            "Heat map of {} by {} ({rows} rows) and {} ({columns} columns).",
            self.name, self.rows.name, self.columns.name,
        );
        let marked = |c: &&(usize, usize, f64)| self.best == Some((c.0, c.1));
        let mut say = |what: &str, cell: Option<&(usize, usize, f64)>| {
            if let Some(cell) = cell {
                words += &format!(" {what}: {}.", self.said(*cell));
            }
        };
        say("Marked as best", cells.iter().find(marked));
        say("Highest", cells.iter().max_by(by_value));
        say("Lowest", cells.iter().min_by(by_value));
        if cells.len() <= SAID && !cells.is_empty() {
            let all: Vec<String> = cells.iter().map(|c| self.said(*c)).collect();
            words += &format!(" All: {}.", all.join("; "));
        }
        words
    }
}

/// Where the cells stand, in pixels.
struct Grid {
    rows: usize,
    columns: usize,
    cell: (f64, f64),
    left: f64,
    top: f64,
    width: f64,
    labels: Labels,
    /// Where the ramp begins and ends.
    range: (f64, f64),
}

impl Grid {
    fn of(map: &HeatMap) -> Self {
        let (rows, columns) = map.size();
        let cell = if columns <= FEW {
            (56.0, 30.0)
        } else {
            (33.0, 24.0)
        };
        let longest = map
            .rows
            .values
            .iter()
            .take(rows)
            .map(|v| width_of(&clipped(v, LABEL_CHARS), LETTER))
            .fold(0.0, f64::max);
        let mut left = 28.0 + longest + 8.0;
        let places = |left: f64| -> Vec<f64> {
            (0..columns)
                .map(|c| left + (c as f64 + 0.5) * cell.0)
                .collect()
        };
        let slanted = Labels::fit(&map.columns, &places(left)).left;
        left = left.max(slanted - cell.0 / 2.0 + 6.0);
        Self {
            rows,
            columns,
            cell,
            left,
            top: SCALE,
            width: (left + columns as f64 * cell.0 + 8.0).max(LEAST),
            labels: Labels::fit(&map.columns, &places(left)),
            range: map.range(),
        }
    }

    fn bottom(&self) -> f64 {
        self.top + self.rows as f64 * self.cell.1
    }

    fn corner(&self, row: usize, column: usize) -> (f64, f64) {
        (
            self.left + column as f64 * self.cell.0,
            self.top + row as f64 * self.cell.1,
        )
    }

    /// A figure in as many characters as a cell holds: `0.931`, or `.93` where there are many.
    fn shown(&self, value: f64) -> String {
        if self.columns <= FEW {
            return format!("{value:.3}");
        }
        let shown = format!("{value:.2}");
        match shown.strip_prefix("0.") {
            Some(decimals) => format!(".{decimals}"),
            None => shown,
        }
    }
}
