//! Places along an axis, and the labels that fit there.

use super::Axis;
use super::svg::{self, Anchor, LETTER, width_of};
use crate::report::html::escape::clipped;

/// Characters of a label shown.
const LABEL_CHARS: usize = 18;
/// Room between two labels.
const GAP: f64 = 8.0;
/// Height of a line of labels.
const LINE: f64 = 22.0;
/// Slope of labels that do not fit side by side, in degrees.
const SLOPE: f64 = -40.0;
/// Distances that differ by this factor leave some points in a heap.
const UNEVEN: f64 = 8.0;
/// Strides at which labels may be left out, times powers of ten.
const STRIDES: [usize; 3] = [1, 2, 5];

/// How values become places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// At equal distances, for they are words.
    Even,
    /// At their distances.
    Linear,
    /// By their orders of magnitude.
    Logarithmic,
}

/// The share of the axis, from 0 to 1, at which each value stands.
pub(super) fn places(axis: &Axis) -> (Vec<f64>, Scale) {
    let count = axis.values.len();
    let (places, scale) = match numbers(axis) {
        Some(values) if logarithmic(&values) => {
            let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
            (shares(&logs), Scale::Logarithmic)
        }
        Some(values) => (shares(&values), Scale::Linear),
        None => {
            let last = count.saturating_sub(1).max(1) as f64;
            let even = (0..count).map(|i| i as f64 / last).collect();
            (even, Scale::Even)
        }
    };
    match count {
        1 => (vec![0.5], scale),
        _ => (places, scale),
    }
}

/// The values as numbers, if they are such and stand in order.
fn numbers(axis: &Axis) -> Option<Vec<f64>> {
    let values: Option<Vec<f64>> = axis
        .values
        .iter()
        .map(|v| v.trim().parse().ok().filter(|v: &f64| v.is_finite()))
        .collect();
    values.filter(|v| v.is_sorted_by(|a, b| a < b) || v.is_sorted_by(|a, b| a > b))
}

/// Where that spaces the points far more evenly: 16, 32, 64, 128.
fn logarithmic(values: &[f64]) -> bool {
    if values.len() < 4 || values.iter().any(|v| *v <= 0.0) {
        return false;
    }
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let plain = unevenness(values);
    plain >= UNEVEN && unevenness(&logs) < plain / 4.0
}

/// The largest distance between neighbours by the smallest.
fn unevenness(values: &[f64]) -> f64 {
    let gaps = values.windows(2).map(|w| (w[1] - w[0]).abs());
    let (least, most) = gaps.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), gap| {
        (least.min(gap), most.max(gap))
    });
    most / least
}

fn shares(values: &[f64]) -> Vec<f64> {
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return Vec::new();
    };
    // Halves, so that the distance between the largest numbers is still one.
    let whole = (last / 2.0 - first / 2.0).abs();
    let share = |v: &f64| (v / 2.0 - first / 2.0).abs() / whole;
    values.iter().map(share).collect()
}

/// The labels under an axis.
pub(super) struct Labels {
    /// Place in pixels, and letters.
    shown: Vec<(f64, String)>,
    slanted: bool,
    /// Room they take below the axis.
    pub(super) height: f64,
    /// Room that the first takes left of its place.
    pub(super) left: f64,
}

impl Labels {
    /// The labels of these values at these places in pixels: all if they fit side by side, otherwise slanted if they
    /// are words, otherwise every second, fifth, tenth.
    pub(super) fn fit(axis: &Axis, places: &[f64]) -> Self {
        let all: Vec<(f64, String)> = places
            .iter()
            .zip(&axis.values)
            .map(|(x, v)| (*x, clipped(v, LABEL_CHARS).into_owned()))
            .collect();
        let wide = |label: &str| width_of(label, LETTER) + GAP;
        let slanted = numbers(axis).is_none() && thinned(&all, 1, wide).is_none();
        let strides = (0..6).flat_map(|power| STRIDES.map(|s| s * 10usize.pow(power)));
        let room = |label: &str| if slanted { LETTER + 5.0 } else { wide(label) };
        let shown = strides
            .into_iter()
            .find_map(|stride| thinned(&all, stride, room))
            .unwrap_or_default();
        let longest = shown
            .iter()
            .map(|(_, label)| width_of(label, LETTER))
            .fold(0.0, f64::max);
        let (sin, cos) = SLOPE.abs().to_radians().sin_cos();
        let first = shown.first().map_or(0.0, |(_, l)| width_of(l, LETTER));
        Self {
            shown,
            slanted,
            height: if slanted { LINE + longest * sin } else { LINE },
            left: if slanted { first * cos } else { first / 2.0 },
        }
    }

    /// Draws them below `y`.
    pub(super) fn draw(&self, out: &mut String, y: f64) {
        for (x, label) in &self.shown {
            match self.slanted {
                true => svg::turned(out, "tick", (x + 4.0, y + 15.0, SLOPE), Anchor::End, label),
                false => svg::text(out, "tick", *x, y + 17.0, Anchor::Middle, label),
            }
        }
    }

    /// The places that have a label.
    pub(super) fn places(&self) -> impl Iterator<Item = f64> {
        self.shown.iter().map(|(x, _)| *x)
    }
}

/// Every so many labels, if they stand apart.
fn thinned(
    all: &[(f64, String)],
    stride: usize,
    room: impl Fn(&str) -> f64,
) -> Option<Vec<(f64, String)>> {
    let kept: Vec<(f64, String)> = all.iter().step_by(stride).cloned().collect();
    let apart =
        |w: &[(f64, String)]| (w[1].0 - w[0].0).abs() >= (room(&w[0].1) + room(&w[1].1)) / 2.0;
    kept.windows(2).all(apart).then_some(kept)
}

/// Ticks from `low` to `high`, at most about `most`, at steps of 1, 2 or 5 times a power of ten.
pub(super) fn ticks(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let span = high - low;
    let rough = span / most.max(1) as f64;
    if !(rough.is_finite() && rough > 0.0) {
        return Vec::new();
    }
    let power = rough.log10().floor();
    let unit = 10f64.powf(power);
    let step = [1.0, 2.0, 5.0, 10.0]
        .iter()
        .map(|m| m * unit)
        .find(|s| *s >= rough * 0.999)
        .unwrap_or(10.0 * unit);
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let first = (low / step - 1e-6).ceil() as i64;
    let last = (high / step + 1e-6).floor() as i64;
    (first..=last)
        .map(|n| {
            let value = n as f64 * step;
            (value, format!("{value:.decimals$}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(values: &[&str]) -> Axis {
        Axis {
            name: "x".into(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
        }
    }

    #[test]
    fn numbers_stand_at_their_distances() {
        assert_eq!(places(&axis(&["0", "1", "4"])).0, [0.0, 0.25, 1.0]);
        assert_eq!(places(&axis(&["4", "1", "0"])).0, [0.0, 0.75, 1.0]);
        assert_eq!(places(&axis(&["a", "1", "0"])).0, [0.0, 0.5, 1.0]);
        assert_eq!(places(&axis(&["1", "inf", "0"])).0, [0.0, 0.5, 1.0]);
        assert_eq!(places(&axis(&["7"])).0, [0.5]);
        assert!(places(&axis(&[])).0.is_empty());
        let (powers, scale) = places(&axis(&["16", "32", "64", "128", "256", "512"]));
        assert_eq!(scale, Scale::Logarithmic);
        assert!((powers[1] - 0.2).abs() < 1e-9, "{powers:?}");
        let (_, scale) = places(&axis(&["0.01", "0.2", "0.4", "0.6", "0.8"]));
        assert_eq!(scale, Scale::Linear);
        let (huge, _) = places(&axis(&["-1.7e308", "0", "1.7e308"]));
        assert_eq!(huge, [0.0, 0.5, 1.0]);
    }

    #[test]
    fn labels_stand_apart() {
        let values: Vec<String> = (0..101)
            .map(|i| format!("{:.2}", i as f64 / 100.0))
            .collect();
        let axis = Axis {
            name: "threshold".into(),
            values,
        };
        let places: Vec<f64> = (0..101).map(|i| f64::from(i) * 5.0).collect();
        let labels = Labels::fit(&axis, &places);
        let shown: Vec<&str> = labels.shown.iter().map(|(_, l)| l.as_str()).collect();
        assert_eq!(
            shown,
            [
                "0.00", "0.10", "0.20", "0.30", "0.40", "0.50", "0.60", "0.70", "0.80", "0.90",
                "1.00"
            ]
        );
        assert!(!labels.slanted);
    }

    #[test]
    fn words_are_slanted_before_they_are_left_out() {
        let names = axis(&["shingles", "sentences", "imatch", "simhash"]);
        assert!(!Labels::fit(&names, &[0.0, 100.0, 200.0, 300.0]).slanted);
        let close = Labels::fit(&names, &[0.0, 30.0, 60.0, 90.0]);
        assert!(close.slanted && close.shown.len() == 4);
    }

    #[test]
    fn ticks_are_round() {
        let shown = |low, high, most| -> Vec<String> {
            ticks(low, high, most).into_iter().map(|t| t.1).collect()
        };
        assert_eq!(
            shown(0.0, 1.0, 5),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            shown(0.9, 1.0, 6),
            ["0.90", "0.92", "0.94", "0.96", "0.98", "1.00"]
        );
        assert!(shown(1.0, 1.0, 5).is_empty() && shown(0.0, f64::NAN, 5).is_empty());
    }
}
