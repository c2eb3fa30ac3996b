//! `eval.html`: how good the matches are, on one page that a person can judge by.
//!
//! In comes an [`EvalPage`], plain data that the caller has filled in; out goes one self-contained HTML file, made like
//! that of [`super::html`] and with its style. A section without data is not there. Nothing is measured here, and no
//! figure is computed but differences and ratios of those that are given.

mod baseline;
mod data;
mod head;
pub mod meaning;
mod measures;
mod methods;
mod spans;
mod sweep;

pub use data::{
    Baseline, BaselineSide, Confusion, EvalPage, Given, Headline, HeldOut, MeasureGroup,
    MeasureRow, MethodRow, Sweep, SweepRow,
};

use crate::report::chart;
use crate::report::html::{SCRIPT, Sheet, details, links_to, side_by_side, words};

/// The page as one HTML document. The same data gives the same bytes.
pub fn render(page: &EvalPage) -> String {
    let body = [
        head::judged(page),
        measures::section(page),
        sweep::section(page),
        methods::section(page),
        baseline::section(page),
        errors(page),
        run(page),
    ]
    .concat();
    Sheet {
        kind: "evaluation",
        title: &page.title,
        version: &page.version,
        style: &[chart::STYLE, include_str!("style.css")].concat(),
        lede: &head::lede(page),
        warnings: &page.warnings,
        contents: &contents(page),
        body: &body,
        script: SCRIPT,
    }
    .fill()
}

/// The chart of a sweep as an SVG file of its own: lines for one option, a heat map for two; nothing for more.
pub fn sweep_svg(sweep: &Sweep) -> Option<String> {
    sweep::svg(sweep)
}

fn contents(page: &EvalPage) -> String {
    links_to(&[
        (head::has_any(page), "judged", "What was judged"),
        (measures::has_any(page), "measures", "Measures"),
        (sweep::has_any(page), "sweep", "Settings"),
        (!page.methods.is_empty(), "methods", "Methods"),
        (page.baseline.is_some(), "baseline", "Complete join"),
        (side_by_side::has_any(&page.views), "errors", "Errors"),
        (has_run(page), "run", "How it was run"),
    ])
}

/// Pairs that were judged wrong, side by side.
fn errors(page: &EvalPage) -> String {
    if !side_by_side::has_any(&page.views) {
        return String::new();
    }
    let view = page.views.iter().flat_map(|s| &s.views).next();
    let score = view.and_then(|v| words::metric_meaning(&v.metric));
    let score = score.map_or(String::new(), |meaning| {
        format!("<p class=\"note\"><b>How to read a score.</b> {meaning}</p>\n")
    });
    let disagree = match (&page.headline, &page.baseline) {
        (None, Some(_)) => "Where the setting and the complete join disagree.",
        _ => "Where the matches and the truth disagree. Some of these may be errors of the truth.",
    };
    format!(
        "<section id=\"errors\">\n<h2>Errors to look at</h2>\n\
         <p class=\"note\">{disagree} {}</p>\n\
         {score}{}</section>\n",
        side_by_side::HOW_TO_READ,
        side_by_side::sections(&page.views, false),
    )
}

fn has_run(page: &EvalPage) -> bool {
    !page.command.is_empty() || !page.options.is_empty()
}

fn run(page: &EvalPage) -> String {
    match has_run(page) {
        true => details::run_section(&page.command, &page.options, ""),
        false => String::new(),
    }
}

#[cfg(test)]
mod tests;
