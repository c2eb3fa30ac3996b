//! What is drawn: pairs by score, clusters by size, time by stage, and what became of the records.

use super::bars::{BARS, Bar, Scale, chart};
use super::data::ReportPage;
use super::numbers;

/// Whether there is a histogram to draw.
pub(super) fn has_any(page: &ReportPage) -> bool {
    !(page.score_histogram.is_empty() && page.size_histogram.is_empty())
}

/// The two histograms, those that have bars.
pub(super) fn section(page: &ReportPage) -> String {
    if !has_any(page) {
        return String::new();
    }
    let scores = histogram(
        "Pairs by score",
        "pairs",
        &score_bars(&page.score_histogram),
    );
    let sizes = histogram(
        "Clusters by size",
        "clusters",
        &size_bars(&page.size_histogram),
    );
    format!(
        "<section id=\"figures\">\n<h2>Figures</h2>\n<div class=\"figures\">\n{scores}{sizes}</div>\n</section>\n"
    )
}

/// Seconds of each stage; nothing without stages.
pub(super) fn stages(page: &ReportPage) -> String {
    if page.stages.is_empty() {
        return String::new();
    }
    let bar = |(name, seconds): &(String, f64)| Bar {
        label: name.clone(),
        amount: *seconds,
        shown: numbers::seconds(*seconds),
    };
    let bars: Vec<Bar> = page.stages.iter().map(bar).collect();
    let drawn = chart("time by stage", &bars, Scale::linear(&bars));
    format!("<figure>\n<figcaption><h3>Time by stage</h3></figcaption>\n{drawn}</figure>\n")
}

/// One bar cut into parts of these classes and amounts.
pub(super) fn stacked(parts: &[(&str, u64)]) -> String {
    let whole: f64 = parts.iter().map(|(_, n)| *n as f64).sum();
    let mut x = 0.0;
    let mut rects = String::new();
    for (class, n) in parts.iter().filter(|(_, n)| *n > 0) {
        let width = 100.0 * *n as f64 / whole;
        rects += &format!(
            "<rect class=\"{class}\" x=\"{x:.2}%\" width=\"{width:.2}%\" height=\"100%\"/>\n"
        );
        x += width;
    }
    format!("<svg class=\"stacked\" aria-hidden=\"true\">\n{rects}</svg>\n")
}

/// A chart of counts with its caption; nothing without bars.
fn histogram(caption: &str, unit: &str, bars: &[Bar]) -> String {
    if bars.is_empty() {
        return String::new();
    }
    let scale = Scale::for_counts(bars);
    let note = match scale {
        Scale::Log { .. } => format!("Number of {unit}, on a logarithmic scale."),
        Scale::Linear { .. } => format!("Number of {unit}."),
    };
    let left_out = match bars.len().saturating_sub(BARS) {
        0 => String::new(),
        n => format!(" The last {} bars are left out.", numbers::count(n as u64)),
    };
    format!(
        "<figure>\n<figcaption><h3>{caption}</h3>\n<p class=\"muted\">{note}{left_out}</p></figcaption>\n{}</figure>\n",
        chart(&caption.to_lowercase(), bars, scale),
    )
}

fn score_bars(histogram: &[(f64, f64, u64)]) -> Vec<Bar> {
    let decimals = (2..4).find(|d| all_fit(histogram, *d)).unwrap_or(4);
    let label = |from: f64, to: f64| match from == to {
        true => format!("exactly {from}"),
        false => format!("{from:.decimals$}–{to:.decimals$}"),
    };
    histogram
        .iter()
        .map(|(from, to, n)| Bar::count(label(*from, *to), *n))
        .collect()
}

/// Whether so many decimals show every edge as it is.
fn all_fit(histogram: &[(f64, f64, u64)], decimals: usize) -> bool {
    let unit = 10f64.powi(decimals as i32);
    let fits = |edge: f64| ((edge * unit).round() / unit - edge).abs() < 1e-9;
    histogram
        .iter()
        .all(|(from, to, _)| fits(*from) && fits(*to))
}

fn size_bars(histogram: &[(u64, u64, u64)]) -> Vec<Bar> {
    let label = |from: u64, to: u64| match from == to {
        true => numbers::count(from),
        false => format!("{}–{}", numbers::count(from), numbers::count(to)),
    };
    histogram
        .iter()
        .map(|(from, to, n)| Bar::count(label(*from, *to), *n))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_as_many_decimals_as_they_need() {
        let labels = |h: &[(f64, f64, u64)]| {
            score_bars(h)
                .into_iter()
                .map(|b| b.label)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            labels(&[(0.8, 0.9, 1), (0.9, 1.0, 2), (1.0, 1.0, 3)]),
            ["0.80–0.90", "0.90–1.00", "exactly 1"]
        );
        assert_eq!(labels(&[(0.8, 0.825, 1)]), ["0.800–0.825"]);
    }

    #[test]
    fn histograms_without_counts_are_drawn_too() {
        let page = ReportPage {
            size_histogram: vec![(2, 2, 0), (3, u64::MAX, 0)],
            ..ReportPage::default()
        };
        let drawn = section(&page);
        assert!(
            drawn.contains(">2</text>") && !drawn.contains("NaN"),
            "{drawn}"
        );
    }
}
