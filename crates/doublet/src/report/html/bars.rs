//! Draws a bar chart as inline SVG.
//!
//! Bars lie on their side, one a row, between a label and an amount. Lengths are per cent of the room between the two
//! and everything else is in `em`: a chart fills whatever column it stands in while its letters keep the size of the
//! page's. Colours come from the style sheet, so that both colour schemes work.

use super::escape::{clipped, escape};
use super::numbers;

/// Bars drawn in one chart.
pub(super) const BARS: usize = 60;
/// Characters of a label shown.
const LABEL_CHARS: usize = 20;
/// Height of a row, in em.
const ROW: f64 = 1.65;
/// Width of a character, in em: a generous mean for digits and small letters.
const CHAR: f64 = 0.57;
/// Counts that span more than this are drawn on a logarithmic scale: the small ones would be invisible on a linear one.
const LINEAR_SPAN: f64 = 50.0;
/// Where a logarithmic scale begins: a count of 1 is a short bar, not none.
const LOG_START: f64 = 0.5;

/// One bar.
pub(super) struct Bar {
    /// What it stands for.
    pub(super) label: String,
    /// Its length.
    pub(super) amount: f64,
    /// The amount in words.
    pub(super) shown: String,
}

impl Bar {
    /// A bar for a count.
    pub(super) fn count(label: String, n: u64) -> Self {
        Self {
            label,
            amount: n as f64,
            shown: numbers::count(n),
        }
    }
}

/// How an amount becomes a length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// In proportion.
    Linear { most: f64 },
    /// By its order of magnitude.
    Log { most: f64 },
}

impl Scale {
    /// Lengths in proportion to the amounts.
    pub(super) fn linear(bars: &[Bar]) -> Self {
        Self::Linear { most: most(bars) }
    }

    /// Logarithmic if the counts differ much.
    pub(super) fn for_counts(bars: &[Bar]) -> Self {
        let most = most(bars);
        let amounts = bars.iter().map(|b| b.amount);
        let least = amounts.filter(|a| *a > 0.0).fold(most, f64::min);
        if most > LINEAR_SPAN * least {
            Self::Log { most }
        } else {
            Self::Linear { most }
        }
    }

    /// The share of the full length, in per cent.
    fn share(self, amount: f64) -> f64 {
        let share = match self {
            Self::Linear { most } => amount / most,
            Self::Log { most } => (amount / LOG_START).log10() / (most / LOG_START).log10(),
        };
        if share.is_finite() {
            100.0 * share.clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// Powers of ten to draw lines at; every other one if they would crowd.
    fn lines(self) -> Vec<u64> {
        let Self::Log { most } = self else {
            return Vec::new();
        };
        let decades = most.log10() as u32;
        let step = if decades > 5 { 2 } else { 1 };
        (0..=decades)
            .step_by(step)
            .filter_map(|d| 10u64.checked_pow(d))
            .collect()
    }
}

fn most(bars: &[Bar]) -> f64 {
    let amounts = bars.iter().map(|b| b.amount);
    amounts.filter(|a| a.is_finite()).fold(0.0, f64::max)
}

/// The chart. Its name and all its amounts are there for those who listen to the page, too.
pub(super) fn chart(name: &str, bars: &[Bar], scale: Scale) -> String {
    let bars = &bars[..bars.len().min(BARS)];
    let lines = scale.lines();
    let top = if lines.is_empty() { 0.0 } else { ROW };
    let height = top + ROW * bars.len() as f64;
    let mut drawn = String::new();
    for line in lines {
        drawn += &grid_line(line, scale.share(line as f64), height);
    }
    for (i, bar) in bars.iter().enumerate() {
        drawn += &row(bar, scale, top + ROW * i as f64);
    }
    format!(
        "<svg class=\"chart\" role=\"img\" height=\"{height:.2}em\" \
         style=\"padding:0 {:.1}em 0 {:.1}em\" aria-label=\"{}\">\n{drawn}</svg>\n",
        room(bars, |b| &b.shown),
        room(bars, |b| &b.label),
        escape(&in_words(name, bars)),
    )
}

/// Width to leave beside the bars for these letters, in em.
fn room(bars: &[Bar], letters: fn(&Bar) -> &str) -> f64 {
    let longest = bars.iter().map(|b| letters(b).chars().count()).max();
    longest.unwrap_or(0).min(LABEL_CHARS + 1) as f64 * CHAR + 0.7
}

fn row(bar: &Bar, scale: Scale, y: f64) -> String {
    let share = scale.share(bar.amount);
    let text = y + 1.15;
    let rect = if share > 0.0 {
        let y = y + 0.25;
        format!("<rect y=\"{y:.2}em\" width=\"{share:.2}%\" height=\"1.15em\"/>")
    } else {
        String::new()
    };
    format!(
        "<text x=\"0\" y=\"{text:.2}em\" dx=\"-.6em\" text-anchor=\"end\">{}</text>{rect}\
         <text x=\"{share:.2}%\" y=\"{text:.2}em\" dx=\".45em\">{}</text>\n",
        escape(&clipped(&bar.label, LABEL_CHARS)),
        escape(&bar.shown),
    )
}

fn grid_line(value: u64, x: f64, height: f64) -> String {
    format!(
        "<line x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"{ROW}em\" y2=\"{height:.2}em\"/>\
         <text x=\"{x:.2}%\" y=\"1.05em\" text-anchor=\"middle\" class=\"tick\">{}</text>\n",
        compact(value),
    )
}

/// A power of ten in few letters: `100`, `10k`, `1M`.
fn compact(n: u64) -> String {
    match n {
        n if n >= 1_000_000_000 => format!("{}G", numbers::count(n / 1_000_000_000)),
        n if n >= 1_000_000 => format!("{}M", n / 1_000_000),
        n if n >= 1_000 => format!("{}k", n / 1_000),
        n => n.to_string(),
    }
}

fn in_words(name: &str, bars: &[Bar]) -> String {
    let row = |b: &Bar| {
        let label = clipped(&b.label, LABEL_CHARS).replace('–', " to ");
        format!("{label}: {}", b.shown)
    };
    let rows: Vec<String> = bars.iter().map(row).collect();
    format!("Bar chart, {name}. {}.", rows.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(counts: &[u64]) -> Scale {
        let bars: Vec<Bar> = counts
            .iter()
            .map(|n| Bar::count(String::new(), *n))
            .collect();
        Scale::for_counts(&bars)
    }

    #[test]
    fn counts_that_differ_much_are_logarithmic() {
        assert_eq!(scale(&[1, 50, 0]), Scale::Linear { most: 50.0 });
        let log = scale(&[1, 101, 0]);
        assert_eq!(log, Scale::Log { most: 101.0 });
        assert_eq!(log.lines(), [1, 10, 100]);
        assert_eq!(log.share(0.0), 0.0);
        assert!(log.share(1.0) > 0.0 && log.share(10.0) < log.share(101.0));
        assert_eq!(log.share(101.0), 100.0);
    }

    #[test]
    fn odd_amounts_draw_no_odd_numbers() {
        for amounts in [
            vec![],
            vec![0.0],
            vec![f64::NAN, -1.0],
            vec![1e19, 1.0],
            vec![f64::INFINITY, 3.0],
        ] {
            let bar = |amount: &f64| Bar {
                label: String::new(),
                amount: *amount,
                shown: String::new(),
            };
            let bars: Vec<Bar> = amounts.iter().map(bar).collect();
            for scale in [Scale::linear(&bars), Scale::for_counts(&bars)] {
                let drawn = chart("odd", &bars, scale);
                assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
            }
        }
    }
}
