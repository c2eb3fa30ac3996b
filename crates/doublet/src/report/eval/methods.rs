//! Several methods in one table: how good each is, and what it costs.

use super::data::{EvalPage, MethodRow};
use super::spans;
use crate::report::html::escape::{inline, prose};
use crate::report::html::numbers;

/// Methods listed.
const ROWS: usize = 40;
/// Characters of a name shown.
const NAME_CHARS: usize = 120;
/// Characters of a note shown.
const NOTE_CHARS: usize = 300;

const HEAD: &str = "<thead role=\"rowgroup\"><tr role=\"row\">\
    <th role=\"columnheader\" scope=\"col\">Method</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">Threshold</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">Precision</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">Recall</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">F1</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"scale\"><span class=\"ends\"><span>0</span><span>1</span></span></th>\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">Time</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">Processor</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">Memory</th></tr></thead>";

/// The section of the methods; nothing without.
pub(super) fn section(page: &EvalPage) -> String {
    if page.methods.is_empty() {
        return String::new();
    }
    let times = page.methods.iter().map(|m| m.seconds);
    let most_time = times.filter(|s| s.is_finite()).fold(0.0, f64::max);
    let most_memory = page.methods.iter().map(|m| m.peak_memory).max();
    let most = (most_time, most_memory.unwrap_or(0) as f64);
    let rows: String = page
        .methods
        .iter()
        .take(ROWS)
        .enumerate()
        .map(|(i, method)| row(method, page.best_method == Some(i), most))
        .collect();
    format!(
        "<section id=\"methods\">\n<h2>Methods</h2>\n{}\
         <p class=\"note\">The same texts, judged by the same truth. Time is from start to end, processor time over all cores, \
         memory the most held at once; their bars compare the methods with one another.</p>\n\
         <table class=\"stacks methods\" role=\"table\" aria-label=\"Methods\">\n{HEAD}\n\
         <tbody role=\"rowgroup\">\n{rows}</tbody>\n</table>\n</section>\n",
        best(page),
    )
}

fn best(page: &EvalPage) -> String {
    let best = page.best_method.and_then(|best| page.methods.get(best));
    best.map_or(String::new(), |method| {
        format!(
            "<p>The best F1 is that of <strong>{}</strong>: {}.</p>\n",
            inline(&method.name, NAME_CHARS),
            spans::with_interval(method.f1, method.f1_low, method.f1_high),
        )
    })
}

fn row(method: &MethodRow, best: bool, most: (f64, f64)) -> String {
    let badge = if best {
        " <span class=\"badge best\">best</span>"
    } else {
        ""
    };
    let note = match method.note.as_str() {
        "" => String::new(),
        note => format!("<p class=\"members\">{}</p>", prose(note, NOTE_CHARS)),
    };
    let class = if best { " class=\"best\"" } else { "" };
    let cell = |name: &str, value: String| {
        format!("<td role=\"cell\" class=\"number\" data-label=\"{name}\">{value}</td>")
    };
    let interval = match spans::letters(method.f1_low, method.f1_high).as_str() {
        "" => String::new(),
        interval => format!("<br><span class=\"muted\">{interval}</span>"),
    };
    let memory = match method.peak_memory {
        0 => "–".to_owned(),
        n => numbers::bytes(n) + &spans::cost(n as f64, most.1),
    };
    [
        format!(
            "<tr role=\"row\"{class}><th role=\"rowheader\" scope=\"row\">{}{badge}{note}</th>",
            inline(&method.name, NAME_CHARS)
        ),
        cell(
            "Threshold",
            method.threshold.map_or("–".to_owned(), numbers::plain),
        ),
        cell("Precision", numbers::score(method.precision)),
        cell("Recall", numbers::score(method.recall)),
        cell(
            "F1",
            format!("<b>{}</b>{interval}", numbers::score(method.f1)),
        ),
        format!(
            "<td role=\"cell\" class=\"scale\">{}</td>",
            spans::bar(method.f1, method.f1_low, method.f1_high)
        ),
        cell(
            "Time",
            numbers::seconds(method.seconds) + &spans::cost(method.seconds, most.0),
        ),
        cell(
            "Processor",
            method.cpu_seconds.map_or("–".to_owned(), numbers::seconds),
        ),
        cell("Memory", memory),
        "</tr>\n".to_owned(),
    ]
    .concat()
}
