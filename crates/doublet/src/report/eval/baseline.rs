//! An approximate setting against the complete join: what it finds, and how much it compares.

use super::data::{Baseline, BaselineSide, EvalPage};
use super::spans;
use crate::report::html::escape::inline;
use crate::report::html::numbers;

/// Characters of a name shown.
const NAME_CHARS: usize = 160;

/// The section of the complete join; nothing without.
pub(super) fn section(page: &EvalPage) -> String {
    let Some(baseline) = &page.baseline else {
        return String::new();
    };
    format!(
        "<section id=\"baseline\">\n<h2>Against the complete join</h2>\n\
         <p class=\"note\">The complete join misses no pair at or above the threshold, so no labels are needed to judge by it. \
         {} texts make {} pairs.</p>\n{}{}</section>\n",
        numbers::count(baseline.documents),
        numbers::count(baseline.all_pairs),
        shares(baseline),
        table(baseline),
    )
}

fn shares(baseline: &Baseline) -> String {
    let fact = |name: &str, value: f64, meaning: &str| {
        format!(
            "<div><dt>{name}</dt><dd>{}{}</dd><dd class=\"small muted\">{meaning}</dd></div>\n",
            numbers::share(value),
            spans::bar(value, None, None),
        )
    };
    format!(
        "<dl class=\"facts\">\n{}{}</dl>\n",
        fact(
            "Recall",
            baseline.recall,
            "of the complete join’s pairs are found"
        ),
        fact(
            "Precision",
            baseline.precision,
            "of the pairs found are the complete join’s too"
        ),
    )
}

fn table(baseline: &Baseline) -> String {
    let (setting, complete) = (&baseline.setting, &baseline.complete);
    let all = baseline.all_pairs;
    let rows = [
        counts(
            "Pairs found",
            Some(setting.pairs),
            Some(complete.pairs),
            all,
        ),
        counts(
            "Candidates, by fingerprints alone",
            setting.candidates,
            complete.candidates,
            all,
        ),
        counts(
            "Verified, by their texts",
            setting.verifications,
            complete.verifications,
            all,
        ),
        times(setting, complete),
        memory(setting, complete),
    ]
    .concat();
    let name = |side: &BaselineSide, otherwise: &str| match side.name.as_str() {
        "" => otherwise.to_owned(),
        name => inline(name, NAME_CHARS),
    };
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Comparisons made\"><table aria-label=\"Comparisons made\">\n\
         <thead><tr><th scope=\"col\"></th><th scope=\"col\" class=\"number\">{}</th><th scope=\"col\" class=\"number\">{}</th>\
         <th scope=\"col\" class=\"number\">Ratio</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        name(setting, "This setting"),
        name(complete, "Complete join"),
    )
}

/// Counts on both sides with their share of all pairs; nothing where neither is known.
fn counts(name: &str, setting: Option<u64>, complete: Option<u64>, all: u64) -> String {
    if setting.or(complete).is_none() {
        return String::new();
    }
    let shown = |n: Option<u64>| {
        n.map_or("–".to_owned(), |n| {
            format!("{}{}", numbers::count(n), one_in(n, all))
        })
    };
    let ratio = match (setting, complete) {
        (Some(a), Some(b)) => ratio(a as f64, b as f64),
        _ => "–".to_owned(),
    };
    line(name, &shown(setting), &shown(complete), &ratio)
}

/// The share of all pairs, as few words as it takes.
fn one_in(n: u64, all: u64) -> String {
    if n == 0 || n >= all {
        return String::new();
    }
    format!(
        "<br><span class=\"muted\">1 in {} pairs</span>",
        numbers::count(all / n)
    )
}

fn times(setting: &BaselineSide, complete: &BaselineSide) -> String {
    line(
        "Time",
        &numbers::seconds(setting.seconds),
        &numbers::seconds(complete.seconds),
        &ratio(setting.seconds, complete.seconds),
    )
}

fn memory(setting: &BaselineSide, complete: &BaselineSide) -> String {
    if setting.peak_memory == 0 && complete.peak_memory == 0 {
        return String::new();
    }
    let shown = |n: u64| match n {
        0 => "–".to_owned(),
        n => numbers::bytes(n),
    };
    let ratio = match setting.peak_memory.min(complete.peak_memory) {
        0 => "–".to_owned(),
        _ => ratio(setting.peak_memory as f64, complete.peak_memory as f64),
    };
    line(
        "Memory",
        &shown(setting.peak_memory),
        &shown(complete.peak_memory),
        &ratio,
    )
}

/// `a` by `b`: `0.42×`, `3.1×`, `120×`.
fn ratio(a: f64, b: f64) -> String {
    let ratio = a / b;
    match ratio {
        r if !r.is_finite() || r < 0.0 => "–".to_owned(),
        r if r >= 99.5 => format!("{}×", numbers::count(r.round() as u64)),
        r if r >= 9.95 => format!("{r:.0}×"),
        r if r >= 0.995 => format!("{r:.1}×"),
        r if r > 0.0 && r < 0.001 => "under 0.001×".to_owned(),
        r if r < 0.1 => format!("{r:.3}×"),
        r => format!("{r:.2}×"),
    }
}

fn line(name: &str, setting: &str, complete: &str, ratio: &str) -> String {
    format!(
        "<tr><th scope=\"row\">{name}</th><td class=\"number\">{setting}</td><td class=\"number\">{complete}</td>\
         <td class=\"number\">{ratio}</td></tr>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_short_and_never_no_numbers() {
        let shown = [
            (1.0, 3.0),
            (1.0, 1.0),
            (31.0, 10.0),
            (1e6, 3.0),
            (1.0, 1e9),
            (0.0, 0.0),
            (1.0, 0.0),
            (2.0, 100.0),
        ];
        let want = [
            "0.33×",
            "1.0×",
            "3.1×",
            "333,333×",
            "under 0.001×",
            "–",
            "–",
            "0.020×",
        ];
        assert_eq!(shown.map(|(a, b)| ratio(a, b)), want);
    }
}
