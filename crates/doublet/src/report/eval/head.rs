//! The top of the page: the result in one sentence, and what was judged.

use super::data::{Baseline, EvalPage, Headline};
use crate::report::html::escape::{escape, inline, prose};
use crate::report::html::numbers;

/// Files named.
const FILES: usize = 20;
/// Facts shown.
const FACTS: usize = 40;
/// Notes shown.
const NOTES: usize = 20;
/// Characters of a name or a value shown.
const LINE_CHARS: usize = 600;

/// The result in a sentence or two.
pub(super) fn lede(page: &EvalPage) -> String {
    let sentence = match (&page.headline, &page.baseline) {
        (Some(headline), _) => result(headline),
        (None, Some(baseline)) => against_complete(baseline),
        (None, None) => return String::new(),
    };
    format!("<p class=\"lede\">{sentence}</p>")
}

fn result(headline: &Headline) -> String {
    let things = match headline.things.as_str() {
        "" => "duplicates".to_owned(),
        things => escape(things).to_string(),
    };
    let found = match headline.recall {
        r if !r.is_finite() => {
            format!("The truth names no {things}, so nothing can be said of recall")
        }
        r => format!(
            "Finds <strong>{}</strong> of the {things}",
            numbers::share(r)
        ),
    };
    let right = match headline.precision {
        p if !p.is_finite() => "nothing that could be judged was found".to_owned(),
        p => format!(
            "<strong>{}</strong> of what it finds is right",
            numbers::share(p)
        ),
    };
    let f1 = match headline.f1 {
        f1 if f1.is_finite() => format!(" F1 is {}.", numbers::score(f1)),
        _ => String::new(),
    };
    format!("{found}; {right}.{f1}")
}

fn against_complete(baseline: &Baseline) -> String {
    if !baseline.recall.is_finite() {
        return "The complete join finds no pair, so there is nothing to compare with.".to_owned();
    }
    let right = match baseline.precision {
        p if p.is_finite() => format!(
            "; <strong>{}</strong> of what it finds is found there too",
            numbers::share(p)
        ),
        _ => String::new(),
    };
    format!(
        "Finds <strong>{}</strong> of what the complete join finds{right}.",
        numbers::share(baseline.recall),
    )
}

/// Whether something is known of what was judged.
pub(super) fn has_any(page: &EvalPage) -> bool {
    !(page.input.is_empty() && page.truth.is_empty() && page.notes.is_empty())
}

/// The input, the truth, and how it was taken.
pub(super) fn judged(page: &EvalPage) -> String {
    if !has_any(page) {
        return String::new();
    }
    let facts: String = page
        .truth
        .iter()
        .take(FACTS)
        .map(|(name, value)| fact(name, &inline(value, LINE_CHARS)))
        .collect();
    let notes: String = page
        .notes
        .iter()
        .take(NOTES)
        .map(|note| format!("<li dir=\"auto\">{}</li>\n", prose(note, LINE_CHARS)))
        .collect();
    let notes = match notes.as_str() {
        "" => String::new(),
        notes => format!("<ul class=\"notes\">\n{notes}</ul>\n"),
    };
    let facts = match files(page) + &facts {
        facts if facts.is_empty() => facts,
        facts => format!("<dl class=\"facts\">\n{facts}</dl>\n"),
    };
    format!("<section id=\"judged\">\n<h2>What was judged</h2>\n{facts}{notes}</section>\n")
}

fn files(page: &EvalPage) -> String {
    if page.input.is_empty() {
        return String::new();
    }
    let mut names: Vec<String> = page
        .input
        .iter()
        .take(FILES)
        .map(|file| inline(file, LINE_CHARS))
        .collect();
    match page.input.len().saturating_sub(FILES) {
        0 => {}
        more => names.push(format!("and {} more", numbers::count(more as u64))),
    }
    fact("Input", &names.join("<br>"))
}

fn fact(name: &str, value: &str) -> String {
    format!(
        "<div><dt>{}</dt><dd>{value}</dd></div>\n",
        inline(name, LINE_CHARS)
    )
}
