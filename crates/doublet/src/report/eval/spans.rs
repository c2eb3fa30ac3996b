//! Figures with their intervals, as letters and as a small drawing.

use crate::report::html::numbers;

/// `0.918–0.942`, or nothing if either end is not known.
pub(super) fn letters(low: Option<f64>, high: Option<f64>) -> String {
    match ends(low, high) {
        Some((low, high)) => format!("{}–{}", numbers::score(low), numbers::score(high)),
        None => String::new(),
    }
}

/// A figure with its interval after it: `0.931 (0.918–0.942)`.
pub(super) fn with_interval(value: f64, low: Option<f64>, high: Option<f64>) -> String {
    let value = numbers::score(value);
    match letters(low, high).as_str() {
        "" => value,
        interval => format!("{value} ({interval})"),
    }
}

/// A bar from 0 to `value` with the interval across its end. The letters beside it say the same.
pub(super) fn bar(value: f64, low: Option<f64>, high: Option<f64>) -> String {
    let per_cent = |v: f64| 100.0 * v.clamp(0.0, 1.0);
    let filled = if value.is_finite() {
        format!(
            "<rect class=\"fill\" y=\"25%\" width=\"{:.1}%\" height=\"50%\"/>",
            per_cent(value)
        )
    } else {
        String::new()
    };
    let interval = ends(low, high).map_or(String::new(), |(low, high)| {
        let (low, high) = (per_cent(low), per_cent(high));
        format!(
            "<line x1=\"{low:.1}%\" x2=\"{high:.1}%\" y1=\"50%\" y2=\"50%\"/>\
             <line x1=\"{low:.1}%\" x2=\"{low:.1}%\" y1=\"20%\" y2=\"80%\"/>\
             <line x1=\"{high:.1}%\" x2=\"{high:.1}%\" y1=\"20%\" y2=\"80%\"/>"
        )
    });
    format!(
        "<svg class=\"span\" aria-hidden=\"true\"><rect class=\"track\" y=\"25%\" width=\"100%\" height=\"50%\"/>{filled}{interval}</svg>"
    )
}

/// A thin bar for an amount that is the better the smaller it is.
pub(super) fn cost(amount: f64, most: f64) -> String {
    let share = amount / most;
    if !share.is_finite() {
        return String::new();
    }
    format!(
        "<svg class=\"cost\" aria-hidden=\"true\"><rect class=\"fill\" width=\"{:.1}%\" height=\"100%\"/></svg>",
        100.0 * share.clamp(0.0, 1.0)
    )
}

fn ends(low: Option<f64>, high: Option<f64>) -> Option<(f64, f64)> {
    low.zip(high)
        .filter(|(low, high)| low.is_finite() && high.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_need_both_ends() {
        assert_eq!(
            with_interval(0.5, Some(0.25), Some(0.75)),
            "0.500 (0.250–0.750)"
        );
        assert_eq!(with_interval(0.5, Some(0.25), None), "0.500");
        assert_eq!(with_interval(f64::NAN, Some(f64::NAN), Some(1.0)), "–");
    }

    #[test]
    fn odd_figures_draw_no_odd_numbers() {
        let odd = [f64::NAN, f64::INFINITY, -1.0, 2.0];
        for value in odd {
            let drawn =
                bar(value, Some(value), Some(value)) + &cost(value, 0.0) + &cost(1.0, value);
            assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        }
    }
}
