//! Lines of several series over one axis.

use super::Axis;
use super::layout::Layout;
use super::svg::drawable;
use crate::report::html::numbers::score;

/// Width of a chart that stands alone or on a wide page.
pub(super) const WIDE: f64 = 720.0;
/// Width of a chart for a phone.
const NARROW: f64 = 360.0;
/// Series drawn.
const SERIES: usize = 6;
/// Points drawn.
const POINTS: usize = 1000;
/// Points said in words.
const SAID: usize = 40;

/// Several series over one axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart {
    /// What is shown.
    pub title: String,
    /// What runs along.
    pub x: Axis,
    /// What runs upward.
    pub y_name: String,
    /// From where to where it runs.
    pub y_range: YRange,
    /// The lines; six at most are drawn.
    pub series: Vec<Series>,
    /// Which of them is drawn as the main one.
    pub main: usize,
    /// The point to mark.
    pub best: Option<BestPoint>,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// A value for each place of the axis. Where it is no number, the line has a gap.
    pub values: Vec<f64>,
    /// Low and high end of an interval for each place; may be empty.
    pub band: Vec<(f64, f64)>,
}

/// A point that is marked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BestPoint {
    /// Which series.
    pub series: usize,
    /// Which place of the axis.
    pub point: usize,
    /// What to say of it.
    pub label: String,
}

/// From where to where an axis of scores runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum YRange {
    /// From 0 to 1, and further if the values do.
    #[default]
    Whole,
    /// As far as the values go, to the next 0.1.
    Zoomed,
}

impl LineChart {
    /// The chart as a file of its own.
    pub fn svg(&self) -> String {
        Layout::of(self, WIDE).draw().file()
    }

    /// The chart as a part of a page, once for a wide one and once for a phone: the style sheet shows one of them.
    pub(in crate::report) fn inline(&self, id: &str) -> String {
        let wide = Layout::of(self, WIDE).draw();
        let narrow = Layout::of(self, NARROW).draw();
        wide.inline(id, "for-wide") + &narrow.inline(&format!("{id}-narrow"), "for-narrow")
    }

    pub(super) fn shown(&self) -> &[Series] {
        &self.series[..self.series.len().min(SERIES)]
    }

    pub(super) fn points(&self) -> usize {
        self.x.values.len().min(POINTS)
    }

    /// The look of a series: 0 is the main one's.
    pub(super) fn look(&self, series: usize) -> usize {
        match series.cmp(&self.main) {
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Less => series + 1,
            std::cmp::Ordering::Greater => series,
        }
        .min(SERIES - 1)
    }

    /// The low and the high end of the axis of scores.
    pub(super) fn range(&self) -> (f64, f64) {
        let values = self.shown().iter().flat_map(|s| {
            let band = s.band.iter().flat_map(|(low, high)| [low, high]);
            s.values.iter().chain(band)
        });
        let drawn = values.filter_map(|v| drawable(Some(v)));
        let ends = drawn.fold(None, |ends: Option<(f64, f64)>, v| {
            let (low, high) = ends.unwrap_or((v, v));
            Some((low.min(v), high.max(v)))
        });
        // A hair's breadth, so that 0.7 (which is 6.999… tenths) ends at 0.7.
        let tenths = ends.map(|(low, high)| {
            let (low, high) = ((low * 10.0 + 1e-9).floor(), (high * 10.0 - 1e-9).ceil());
            (low / 10.0, high.max(low + 1.0) / 10.0)
        });
        match (tenths, self.y_range) {
            (Some(ends), YRange::Zoomed) => ends,
            (Some((low, high)), YRange::Whole) => (low.min(0.0), high.max(1.0)),
            (None, _) => (0.0, 1.0),
        }
    }

    pub(super) fn words(&self) -> String {
        let best = match &self.best {
            Some(best) if !best.label.is_empty() => format!(" Marked: {}.", best.label),
            _ => String::new(),
        };
        let count = self.points();
        let stride = count.div_ceil(SAID).max(1);
        let points: Vec<String> = (0..count)
            .step_by(stride)
            .map(|i| format!("{} {}: {}", self.x.name, self.x.values[i], self.point(i)))
            .collect();
        let some = if stride > 1 {
            format!(" One point in {stride} is told.")
        } else {
            String::new()
        };
        let names: Vec<&str> = self.shown().iter().map(|s| s.name.as_str()).collect();
        format!(
            "Line chart of {} by {}.{best}{some} {}.",
            names.join(", "),
            self.x.name,
            points.join("; ")
        )
    }

    fn point(&self, at: usize) -> String {
        let values: Vec<String> = self
            .shown()
            .iter()
            .filter_map(|s| Some((s, drawable(s.values.get(at))?)))
            .map(|(s, value)| format!("{} {}", s.name, score(value)))
            .collect();
        match values.is_empty() {
            true => "no value".to_owned(),
            false => values.join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_series_has_the_first_look() {
        let chart = LineChart {
            main: 2,
            ..LineChart::default()
        };
        assert_eq!([0, 1, 2, 3].map(|s| chart.look(s)), [1, 2, 0, 3]);
    }

    #[test]
    fn zooming_ends_at_tenths() {
        let chart = |values: &[f64], y_range| LineChart {
            y_range,
            series: vec![Series {
                values: values.to_vec(),
                ..Series::default()
            }],
            ..LineChart::default()
        };
        assert_eq!(chart(&[0.72, 0.9], YRange::Zoomed).range(), (0.7, 0.9));
        assert_eq!(chart(&[0.7, 0.7], YRange::Zoomed).range(), (0.7, 0.8));
        assert_eq!(chart(&[0.72, f64::NAN], YRange::Whole).range(), (0.0, 1.0));
        assert_eq!(chart(&[-0.12], YRange::Whole).range(), (-0.2, 1.0));
        assert_eq!(chart(&[f64::INFINITY], YRange::Zoomed).range(), (0.0, 1.0));
    }
}
