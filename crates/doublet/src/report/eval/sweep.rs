//! Several settings compared: a chart, what the best one reaches where it was not chosen, and all of them as a table.

use super::data::{EvalPage, Given, HeldOut, Sweep, SweepRow};
use super::spans;
use crate::report::chart::{Axis, BestPoint, HeatMap, LineChart, Series, YRange};
use crate::report::html::escape::inline;
use crate::report::html::numbers;

/// Settings listed.
const ROWS: usize = 500;
/// Settings up to which the table is open from the start.
const OPEN: usize = 24;
/// Further columns shown.
const MORE: usize = 8;
/// Characters of a name or a value shown.
const CELL_CHARS: usize = 80;
/// Characters of a sentence's setting shown.
const SETTING_CHARS: usize = 300;
/// Scores that span no more than this are drawn larger: from their own lowest, not from 0.
const CLOSE: f64 = 0.4;

/// Whether there is a setting to show.
pub(super) fn has_any(page: &EvalPage) -> bool {
    page.sweep.as_ref().is_some_and(|s| !s.rows.is_empty())
}

/// The section of the settings; nothing without.
pub(super) fn section(page: &EvalPage) -> String {
    let Some(sweep) = page.sweep.as_ref().filter(|s| !s.rows.is_empty()) else {
        return String::new();
    };
    format!(
        "<section id=\"sweep\">\n<h2>Settings</h2>\n{}{}{}{}</section>\n",
        best(sweep),
        sweep.held_out.as_ref().map_or(String::new(), held_out),
        chart(sweep),
        table(sweep),
    )
}

/// The chart as a file of its own, if there is one.
pub(super) fn svg(sweep: &Sweep) -> Option<String> {
    match &sweep.axes[..] {
        _ if sweep.rows.is_empty() => None,
        [axis] => Some(lines(sweep, axis).svg()),
        [rows, columns] => Some(map(sweep, rows, columns).svg()),
        _ => None,
    }
}

fn chart(sweep: &Sweep) -> String {
    let (class, drawn) = match &sweep.axes[..] {
        [axis] => ("lines", lines(sweep, axis).inline("sweep-chart")),
        [rows, columns] => ("wide", map(sweep, rows, columns).inline("sweep-chart")),
        _ => return String::new(),
    };
    // What is wider than a phone scrolls; whoever has no mouse must be able to get there.
    let focus = match class {
        "wide" => " tabindex=\"0\" role=\"group\" aria-label=\"Heat map, scrolls sideways\"",
        _ => "",
    };
    let note = match class {
        "wide" => "F1 of each setting; the chosen one is outlined.",
        _ if has_intervals(sweep) => "The shaded band is the interval of F1.",
        _ => "",
    };
    format!(
        "<figure class=\"sweep\">\n<figcaption><p class=\"muted\">{note}</p></figcaption>\n\
         <div class=\"{class}\"{focus}>\n{drawn}</div>\n</figure>\n"
    )
}

fn has_intervals(sweep: &Sweep) -> bool {
    sweep
        .rows
        .iter()
        .any(|r| r.f1_low.is_some() && r.f1_high.is_some())
}

/// What the sweep is called.
fn title(sweep: &Sweep) -> String {
    let names: Vec<&str> = sweep.axes.iter().map(|a| a.name.as_str()).collect();
    match sweep.axes.len() {
        1 => format!("Precision, recall and F1 by {}", names.join("")),
        _ => format!("F1 by {}", names.join(" and ")),
    }
}

fn lines(sweep: &Sweep, axis: &Axis) -> LineChart {
    // Rows may come in any order, and not for every value.
    let row = |at: usize| sweep.rows.iter().find(|r| r.at.first() == Some(&at));
    let series = |name: &str, value: fn(&SweepRow) -> f64| Series {
        name: name.to_owned(),
        values: (0..axis.values.len())
            .map(|i| row(i).map_or(f64::NAN, value))
            .collect(),
        band: Vec::new(),
    };
    let mut f1 = series("F1", |r| r.f1);
    if has_intervals(sweep) {
        let ends = |r: &SweepRow| r.f1_low.zip(r.f1_high);
        f1.band = (0..axis.values.len())
            .map(|i| row(i).and_then(ends).unwrap_or((f64::NAN, f64::NAN)))
            .collect();
    }
    let all = [
        series("Precision", |r| r.precision),
        series("Recall", |r| r.recall),
        f1,
    ];
    let best = best_row(sweep);
    LineChart {
        title: title(sweep),
        x: axis.clone(),
        y_name: "Score".to_owned(),
        y_range: range(&all),
        series: all.into(),
        main: 2,
        best: best.and_then(|row| {
            Some(BestPoint {
                series: 2,
                point: *row.at.first()?,
                label: format!(
                    "chosen: F1 {} at {}",
                    numbers::score(row.f1),
                    setting(sweep, row)
                ),
            })
        }),
    }
}

fn range(series: &[Series]) -> YRange {
    let values = || {
        series
            .iter()
            .flat_map(|s| &s.values)
            .filter(|v| v.is_finite())
    };
    let low = values().copied().fold(f64::INFINITY, f64::min);
    let high = values().copied().fold(f64::NEG_INFINITY, f64::max);
    match high - low <= CLOSE {
        true => YRange::Zoomed,
        false => YRange::Whole,
    }
}

fn map(sweep: &Sweep, rows: &Axis, columns: &Axis) -> HeatMap {
    let mut values = vec![vec![f64::NAN; columns.values.len()]; rows.values.len()];
    for row in &sweep.rows {
        if let [r, c] = row.at[..]
            && let Some(cell) = values.get_mut(r).and_then(|v| v.get_mut(c))
        {
            *cell = row.f1;
        }
    }
    HeatMap {
        title: title(sweep),
        name: "F1".to_owned(),
        columns: columns.clone(),
        rows: rows.clone(),
        values,
        best: best_row(sweep).and_then(|row| match row.at[..] {
            [r, c] => Some((r, c)),
            _ => None,
        }),
    }
}

fn best_row(sweep: &Sweep) -> Option<&SweepRow> {
    sweep.rows.get(sweep.best?)
}

/// A setting in words: `threshold 0.75, width 5`.
fn setting(sweep: &Sweep, row: &SweepRow) -> String {
    let values: Vec<String> = sweep
        .axes
        .iter()
        .zip(&row.at)
        .filter_map(|(axis, at)| Some(format!("{} {}", axis.name, axis.values.get(*at)?)))
        .collect();
    values.join(", ")
}

fn best(sweep: &Sweep) -> String {
    let tried = numbers::counted(sweep.rows.len() as u64, "setting");
    let Some(row) = best_row(sweep) else {
        return format!("<p>{tried} tried.</p>\n");
    };
    format!(
        "<p>Of {tried}, <strong>{}</strong> is chosen. By all of the truth its F1 is {}, precision {}, recall {}.</p>\n",
        inline(&setting(sweep, row), SETTING_CHARS),
        spans::with_interval(row.f1, row.f1_low, row.f1_high),
        numbers::score(row.precision),
        numbers::score(row.recall),
    )
}

/// What the best setting reaches on truth that had no say in choosing it.
fn held_out(held: &HeldOut) -> String {
    format!(
        "<p class=\"held-out\">Chosen on one half of the truth, <strong>{}</strong> is best there with F1 {}. On the other half, \
         which had no say in the choice, it reaches <strong>{}</strong>{}.</p>\n",
        inline(&held.setting, SETTING_CHARS),
        numbers::score(held.chosen_f1),
        spans::with_interval(held.f1, held.low, held.high),
        held.given
            .as_ref()
            .map_or(String::new(), |given| gain(held.f1, given)),
    )
}

/// How much better it is than the setting that was given.
fn gain(f1: f64, given: &Given) -> String {
    let gain = f1 - given.f1;
    let setting = inline(&given.setting, SETTING_CHARS);
    let other = numbers::score(given.f1);
    if !gain.is_finite() {
        return format!("; {setting} reaches {other}");
    }
    let shown = numbers::score(gain.abs());
    let compared = match shown.as_str() {
        "0.000" => "as much as".to_owned(),
        _ if gain > 0.0 => format!("{shown} more than"),
        _ => format!("{shown} less than"),
    };
    let chance = match given.gain_low.zip(given.gain_high) {
        Some((low, high)) if low.is_finite() && high.is_finite() => format!(
            ". The difference lies between {} and {}{}",
            signed(low),
            signed(high),
            if low <= 0.0 && high >= 0.0 {
                ": it may be chance"
            } else {
                ""
            },
        ),
        _ => String::new(),
    };
    format!(", {compared} {setting} ({other}){chance}")
}

fn signed(value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    format!("{sign}{}", numbers::score(value.abs()))
}

fn table(sweep: &Sweep) -> String {
    let axes: String = sweep
        .axes
        .iter()
        .map(|a| format!("<th scope=\"col\">{}</th>", inline(&a.name, CELL_CHARS)))
        .collect();
    let more: String = sweep
        .more
        .iter()
        .take(MORE)
        .map(|name| {
            format!(
                "<th scope=\"col\" class=\"number\">{}</th>",
                inline(name, CELL_CHARS)
            )
        })
        .collect();
    let rows: String = (0..sweep.rows.len().min(ROWS))
        .map(|i| row(sweep, i))
        .collect();
    let left_out = match sweep.rows.len().saturating_sub(ROWS) {
        0 => String::new(),
        n => format!(
            "<p class=\"note\">{} more are left out.</p>\n",
            numbers::count(n as u64)
        ),
    };
    let open = if sweep.rows.len() <= OPEN {
        " open"
    } else {
        ""
    };
    format!(
        "<details class=\"all\"{open}>\n<summary>All {}</summary>\n<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"All settings\">\
         <table class=\"settings\" aria-label=\"All settings\">\n<thead><tr>{axes}<th scope=\"col\" class=\"number\">Precision</th>\
         <th scope=\"col\" class=\"number\">Recall</th><th scope=\"col\" class=\"number\">F1</th>\
         <th scope=\"col\" class=\"number\">Interval of F1</th>{more}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n{left_out}</details>\n",
        numbers::counted(sweep.rows.len() as u64, "setting"),
    )
}

/// What a setting is besides, said beside its first value.
fn marks(sweep: &Sweep, number: usize) -> &'static str {
    let at = |which: Option<usize>| which == Some(number);
    match (at(sweep.best), at(sweep.given)) {
        (true, true) => {
            " <span class=\"badge best\">chosen</span><span class=\"badge\">given</span>"
        }
        (true, false) => " <span class=\"badge best\">chosen</span>",
        (false, true) => " <span class=\"badge\">given</span>",
        (false, false) => "",
    }
}

fn row(sweep: &Sweep, number: usize) -> String {
    let row = &sweep.rows[number];
    let value = |(i, axis): (usize, &Axis)| {
        let value = row.at.get(i).and_then(|at| axis.values.get(*at));
        let value = value.map_or("–".to_owned(), |v| inline(v, CELL_CHARS));
        let marks = if i == 0 { marks(sweep, number) } else { "" };
        format!("<td>{value}{marks}</td>")
    };
    let values: String = sweep.axes.iter().enumerate().map(value).collect();
    let more: String = (0..sweep.more.len().min(MORE))
        .map(|i| {
            let value = row.more.get(i).map_or("–", String::as_str);
            format!("<td class=\"number\">{}</td>", inline(value, CELL_CHARS))
        })
        .collect();
    let class = if sweep.best == Some(number) {
        " class=\"best\""
    } else {
        ""
    };
    format!(
        "<tr{class}>{values}<td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number strong\">{}</td>\
         <td class=\"number\">{}</td>{more}</tr>\n",
        numbers::score(row.precision),
        numbers::score(row.recall),
        numbers::score(row.f1),
        spans::letters(row.f1_low, row.f1_high),
    )
}
