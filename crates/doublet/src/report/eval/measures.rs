//! The measures with their intervals, and the counts that they come from.

use super::data::{Confusion, EvalPage, MeasureGroup, MeasureRow};
use super::spans;
use crate::report::html::escape::{clipped, escape, inline, prose};
use crate::report::html::numbers;

/// Groups shown.
const GROUPS: usize = 12;
/// Measures shown of a group.
const ROWS: usize = 40;
/// Characters of a name shown.
const NAME_CHARS: usize = 120;
/// Characters of a meaning shown.
const MEANING_CHARS: usize = 600;

const HEAD: &str = "<thead role=\"rowgroup\"><tr role=\"row\">\
    <th role=\"columnheader\" scope=\"col\">Measure</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">Value</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">Interval</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"scale\"><span class=\"ends\"><span>0</span><span>1</span></span></th>\
    <th role=\"columnheader\" scope=\"col\">What it says</th></tr></thead>";

/// Whether there is something to show.
pub(super) fn has_any(page: &EvalPage) -> bool {
    page.counts.is_some() || page.measures.iter().any(|g| !g.rows.is_empty())
}

/// All measures; nothing without.
pub(super) fn section(page: &EvalPage) -> String {
    if !has_any(page) {
        return String::new();
    }
    let groups: String = page
        .measures
        .iter()
        .filter(|g| !g.rows.is_empty())
        .take(GROUPS)
        .map(group)
        .collect();
    let table = match groups.as_str() {
        "" => String::new(),
        groups => format!(
            "<table class=\"stacks measures\" role=\"table\" aria-label=\"Measures\">\n{HEAD}\n{groups}</table>\n"
        ),
    };
    let intervals = match page.intervals.as_str() {
        "" => String::new(),
        sentence => format!("<p class=\"note\">{}</p>\n", prose(sentence, MEANING_CHARS)),
    };
    let counts = page.counts.as_ref().map_or(String::new(), confusion);
    format!("<section id=\"measures\">\n<h2>Measures</h2>\n{intervals}{table}{counts}</section>\n")
}

fn group(group: &MeasureGroup) -> String {
    let rows: String = group.rows.iter().take(ROWS).map(row).collect();
    format!(
        "<tbody role=\"rowgroup\">\n<tr role=\"row\" class=\"group\"><th role=\"rowheader\" scope=\"rowgroup\" colspan=\"5\">{}</th></tr>\n\
         {rows}</tbody>\n",
        inline(&group.name, NAME_CHARS),
    )
}

fn row(row: &MeasureRow) -> String {
    format!(
        "<tr role=\"row\"><th role=\"rowheader\" scope=\"row\">{}</th>\
         <td role=\"cell\" class=\"number strong\">{}</td>\
         <td role=\"cell\" class=\"number\">{}</td>\
         <td role=\"cell\" class=\"scale\">{}</td>\
         <td role=\"cell\" class=\"meaning\">{}</td></tr>\n",
        inline(&row.name, NAME_CHARS),
        numbers::score(row.value),
        spans::letters(row.low, row.high),
        spans::bar(row.value, row.low, row.high),
        prose(&row.meaning, MEANING_CHARS),
    )
}

/// What was found against what is true.
fn confusion(counts: &Confusion) -> String {
    let things = match counts.things.as_str() {
        "" => "pairs".to_owned(),
        things => escape(&clipped(things, NAME_CHARS)).to_string(),
    };
    let cell = |class: &str, n: Option<u64>, name: &str| {
        let n = n.map_or("–".to_owned(), numbers::count);
        format!("<td class=\"{class}\"><b>{n}</b> <span class=\"muted\">{name}</span></td>")
    };
    let unknown = match counts.true_negatives {
        Some(_) => "rightly passed over",
        None => "not counted",
    };
    format!(
        "<h3 class=\"apart\">Counts of {things}</h3>\n<div class=\"wide\"><table class=\"confusion\" aria-label=\"Counts of {things}\">\n\
         <thead><tr><td></td><th scope=\"col\">Truth: duplicates</th><th scope=\"col\">Truth: different</th></tr></thead>\n<tbody>\n\
         <tr><th scope=\"row\">Found</th>{}{}</tr>\n<tr><th scope=\"row\">Not found</th>{}{}</tr>\n</tbody>\n</table></div>\n",
        cell("right", Some(counts.true_positives), "right"),
        cell("wrong", Some(counts.false_positives), "false alarms"),
        cell("wrong", Some(counts.false_negatives), "missed"),
        cell("right", counts.true_negatives, unknown),
    )
}
