//! Figures as they are written, and what lines and curves fit them.

use serde_json::Value;

/// A number of a row; not a number if it has none.
pub(super) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// The rows of one experiment.
pub(super) fn of<'a>(rows: &'a [Value], experiment: &str) -> Vec<&'a Value> {
    let own = rows.iter().filter(|row| row["experiment"] == experiment);
    own.collect()
}

/// A text of a row.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("–")
}

/// A whole number with commas.
pub(super) fn count(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let digits = format!("{:.0}", value.abs());
    let mut written = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    if value < 0.0 {
        written.insert(0, '−');
    }
    written
}

/// A share in percent, with so many digits.
pub(super) fn percent(share: f64, digits: usize) -> String {
    if share.is_finite() {
        signed(format!("{:.digits$} %", share * 100.0))
    } else {
        "–".to_owned()
    }
}

/// With so many digits.
pub(super) fn decimal(value: f64, digits: usize) -> String {
    if value.is_finite() {
        signed(format!("{value:.digits$}"))
    } else {
        "–".to_owned()
    }
}

/// With a minus for a hyphen.
fn signed(number: String) -> String {
    number.replace('-', "−")
}

/// A duration in words that suit its length.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() || s < 0.0 => "–".to_owned(),
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 600.0 => format!("{s:.0} s"),
        s => format!(
            "{:.0} h {:02.0} min",
            (s / 3600.0).floor(),
            (s % 3600.0) / 60.0
        ),
    }
}

/// Bytes in megabytes.
pub(super) fn megabytes(bytes: f64) -> String {
    if bytes.is_finite() {
        format!("{} MB", count(bytes / 1e6))
    } else {
        "–".to_owned()
    }
}

/// From the least to the largest of some figures, or the one that all are.
pub(super) fn span(figures: &[f64], written: impl Fn(f64) -> String) -> String {
    if figures.is_empty() {
        return "–".to_owned();
    }
    let least = figures.iter().copied().fold(f64::INFINITY, f64::min);
    let most = figures.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (least, most) = (written(least), written(most));
    if least == most {
        least
    } else {
        format!("{least} to {most}")
    }
}

/// Each name with its figure.
pub(super) fn list<'a>(entries: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let entries = entries.into_iter();
    let entries: Vec<String> = entries
        .map(|(name, figure)| format!("{name} {figure}"))
        .collect();
    if entries.is_empty() {
        "–".to_owned()
    } else {
        entries.join("; ")
    }
}

/// How two figures go together, by Pearson's coefficient: 1 is a straight line. Of fewer than two points it is 1.
pub(super) fn correlation(points: &[(f64, f64)]) -> f64 {
    let size = points.len().max(1) as f64;
    let mean = |figure: fn(&(f64, f64)) -> f64| points.iter().map(figure).sum::<f64>() / size;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |product: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(product).sum::<f64>();
    let both = sum(&|p| (p.0 - x) * (p.1 - y));
    let spread = sum(&|p| (p.0 - x).powi(2)) * sum(&|p| (p.1 - y).powi(2));
    if spread == 0.0 {
        1.0
    } else {
        both / spread.sqrt()
    }
}

/// The a and b for which a·x² + b·x lies nearest to the points, by least squares of what is off in proportion: large
/// collections would outweigh all others. None of fewer than two points.
pub(super) fn quadratic(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    // Divided by y: 1 = a·x²/y + b·x/y. In millions, or the squares lose digits.
    let scaled = points.iter().map(|&(x, y)| {
        let x = x / 1e6;
        (x * x / y, x / y)
    });
    let (mut pp, mut pq, mut qq, mut p1, mut q1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (p, q) in scaled {
        pp += p * p;
        pq += p * q;
        qq += q * q;
        p1 += p;
        q1 += q;
    }
    let determinant = pp * qq - pq * pq;
    if points.len() < 2 || determinant.abs() < f64::EPSILON * pp * qq {
        return None;
    }
    let a = (p1 * qq - q1 * pq) / determinant;
    let b = (q1 * pp - p1 * pq) / determinant;
    Some((a / 1e12, b / 1e6))
}

/// Whether figures never rise, or never fall, by more than a hair.
pub(super) fn falls(figures: &[f64]) -> bool {
    figures
        .windows(2)
        .all(|two| two[1] <= two[0] * (1.0 + 1e-9))
}

/// Whether figures never fall.
pub(super) fn rises(figures: &[f64]) -> bool {
    figures
        .windows(2)
        .all(|two| two[1] >= two[0] * (1.0 - 1e-9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_for_readers() {
        assert_eq!(count(642_404_813.0), "642,404,813");
        assert_eq!(
            [count(0.0), count(999.0), count(-1000.0)],
            ["0", "999", "−1,000"]
        );
        assert_eq!([percent(0.12345, 1), percent(f64::NAN, 1)], ["12.3 %", "–"]);
        assert_eq!([percent(-0.12, 0), decimal(-0.5, 1)], ["−12 %", "−0.5"]);
        assert_eq!(
            [duration(1.234), duration(61.0), duration(4980.0)],
            ["1.23 s", "61 s", "1 h 23 min"]
        );
        assert_eq!(span(&[3.0, 1.0], count), "1 to 3");
        assert_eq!([span(&[3.0], count), span(&[], count)], ["3", "–"]);
        assert_eq!(
            list([("a", "1".to_owned()), ("b", "2".to_owned())]),
            "a 1; b 2"
        );
    }

    #[test]
    fn a_straight_line_has_correlation_one() {
        let line: Vec<(f64, f64)> = (1..5).map(|x| (f64::from(x), 3.0 * f64::from(x))).collect();
        assert!((correlation(&line) - 1.0).abs() < 1e-12);
        assert_eq!(correlation(&[(1.0, 1.0), (2.0, 0.0)]), -1.0);
        assert_eq!(correlation(&[]), 1.0);
    }

    #[test]
    fn a_parabola_is_found_again() {
        let curve = |x: f64| 8.3e-14 * x * x + 16e-6 * x;
        let points = [1e6, 5e6, 2e7, 1.7e8].map(|x| (x, curve(x)));
        let (a, b) = quadratic(&points).expect("enough points");
        assert!((a / 8.3e-14 - 1.0).abs() < 1e-6, "{a}");
        assert!((b / 16e-6 - 1.0).abs() < 1e-6, "{b}");
        assert_eq!(quadratic(&points[..1]), None);
    }

    #[test]
    fn steps_go_up_or_down() {
        assert!(falls(&[3.0, 2.0, 2.0]) && !falls(&[1.0, 2.0]));
        assert!(rises(&[1.0, 1.0, 2.0]) && !rises(&[2.0, 1.0]));
    }
}
