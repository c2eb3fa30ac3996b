//! The top of the page: the result in one sentence, what looks wrong, and the main figures.

use super::data::{Counts, ReportPage};
use super::escape::{inline, prose};
use super::{charts, numbers, passages, words};

/// Warnings shown.
const WARNINGS: usize = 20;
/// Characters of a warning or of a name shown.
const LINE_CHARS: usize = 600;

/// The result in a sentence or two.
pub(super) fn lede(page: &ReportPage) -> String {
    let sentence = match page {
        p if p.counts.read == 0 => {
            "No text was read, so there was nothing to compare. Are the inputs the ones you meant?"
                .to_owned()
        }
        p if p.passages.is_some() => cut(p),
        p if p.pairs == 0 && p.counts.removed == 0 => no_pairs(p),
        p if p.counts.removed == 0 => format!(
            "Among {} there {} of texts that are alike{}.",
            numbers::counted(p.counts.read, "text"),
            are(p.pairs, "pair"),
            in_clusters(p.clusters),
        ),
        p => removed(p),
    };
    format!("<p class=\"lede\">{sentence}</p>")
}

fn no_pairs(page: &ReportPage) -> String {
    let threshold = numbers::plain(page.threshold);
    format!(
        "<strong>No duplicates found.</strong> No two of the {} are alike at {threshold} or above, so nothing \
         had to go. If you expected duplicates, try a lower threshold than {threshold}, or the metric \
         <em>containment</em>, which finds short texts inside long ones.",
        numbers::counted(page.counts.read, "text"),
    )
}

fn removed(page: &ReportPage) -> String {
    let Counts {
        read,
        kept,
        removed,
        ..
    } = page.counts;
    let because = if removed == 1 {
        "it repeats another"
    } else {
        "they repeat others"
    };
    let found = match page.pairs {
        0 => String::new(),
        n => format!(" There {}{}.", are(n, "pair"), in_clusters(page.clusters)),
    };
    let lost = match page.words_lost {
        0 => String::new(),
        n => format!(
            " {} of {} {} outside the passages shared with the kept texts.",
            numbers::counted(n, "word"),
            if removed == 1 {
                "the removed text"
            } else {
                "the removed texts"
            },
            if n == 1 { "is" } else { "are" },
        ),
    };
    let below = match page.below_threshold {
        0 => String::new(),
        n => format!(
            " <strong>{} of them {} below the threshold</strong> against the text kept for {}.",
            numbers::count(n),
            if n == 1 { "scores" } else { "score" },
            if n == 1 { "it" } else { "them" },
        ),
    };
    format!(
        "Of {}, <strong>{} kept</strong> and <strong>{} removed</strong> ({}) because {because}.{below}{found}{lost}",
        numbers::counted(read, "text"),
        was(kept),
        was(removed),
        numbers::percent(removed, read),
    )
}

/// Where passages are cut, and not only whole texts removed.
fn cut(page: &ReportPage) -> String {
    let Some(cut) = page.passages.as_ref() else {
        return String::new();
    };
    let Counts {
        read,
        kept,
        removed,
        ..
    } = page.counts;
    if cut.texts == 0 && removed == 0 {
        return format!(
            "<strong>Nothing was cut.</strong> None of the {} repeats enough of the texts before it.",
            numbers::counted(read, "text"),
        );
    }
    let shortened = match cut.texts {
        0 => String::new(),
        _ => format!(" {}", passages::sentence(cut)),
    };
    format!(
        "Of {}, <strong>{} kept</strong>, {} of them shortened, and <strong>{} removed</strong> as a whole.{shortened}",
        numbers::counted(read, "text"),
        was(kept),
        numbers::count(cut.texts),
        was(removed),
    )
}

fn was(n: u64) -> String {
    format!(
        "{} {}",
        numbers::count(n),
        if n == 1 { "was" } else { "were" }
    )
}

fn are(n: u64, noun: &str) -> String {
    format!(
        "{} {}",
        if n == 1 { "is" } else { "are" },
        numbers::counted(n, noun)
    )
}

fn in_clusters(clusters: u64) -> String {
    match clusters {
        0 => String::new(),
        n => format!(" in {}", numbers::counted(n, "cluster")),
    }
}

/// What looks wrong, if anything does.
pub(in crate::report) fn warnings(warnings: &[String]) -> String {
    if warnings.is_empty() {
        return String::new();
    }
    let items: String = warnings
        .iter()
        .take(WARNINGS)
        .map(|w| format!("<li dir=\"auto\">{}</li>\n", prose(w, LINE_CHARS)))
        .collect();
    let more = match warnings.len().saturating_sub(WARNINGS) {
        0 => String::new(),
        n => format!("<p>And {} more.</p>\n", numbers::count(n as u64)),
    };
    format!(
        "<section class=\"warnings\" aria-labelledby=\"warnings\">\n\
         <h2 id=\"warnings\">Please look at this first</h2>\n<ul>\n{items}</ul>\n{more}</section>"
    )
}

/// The main figures.
pub(super) fn section(page: &ReportPage) -> String {
    format!(
        "<section id=\"overview\">\n<h2>Overview</h2>\n{}<dl class=\"facts\">\n{}</dl>\n{}</section>\n",
        records(&page.counts),
        facts(page),
        meaning(page),
    )
}

/// What became of the records, as one bar and its legend.
fn records(counts: &Counts) -> String {
    if counts.read == 0 {
        return String::new();
    }
    let parts = [
        ("kept", counts.kept, "kept"),
        ("removed", counts.removed, "removed as duplicates"),
        ("empty", counts.empty, "empty"),
        ("rejected", counts.rejected, "rejected"),
    ];
    let legend: String = parts
        .iter()
        .filter(|(class, n, _)| *n > 0 || matches!(*class, "kept" | "removed"))
        .map(|(class, n, name)| {
            format!(
                "<li><svg class=\"swatch\" aria-hidden=\"true\">\
                 <rect class=\"{class}\" width=\"100%\" height=\"100%\"/></svg>\
                 <span><b>{}</b> {name} <span class=\"muted\">{}</span></span></li>\n",
                numbers::count(*n),
                numbers::percent(*n, counts.read),
            )
        })
        .collect();
    let bar = charts::stacked(&parts.map(|(class, n, _)| (class, n)));
    format!("{bar}<ul class=\"legend\" aria-label=\"What became of the texts\">\n{legend}</ul>\n")
}

fn facts(page: &ReportPage) -> String {
    let mut facts = vec![
        ("Texts read", numbers::count(page.counts.read)),
        ("Pairs found", numbers::count(page.pairs)),
        ("Clusters", numbers::count(page.clusters)),
        ("Method", inline(&page.method, LINE_CHARS)),
        ("Metric", inline(&page.metric, LINE_CHARS)),
        ("Threshold", numbers::plain(page.threshold)),
        ("Data read", numbers::bytes(page.bytes)),
        ("Time", numbers::seconds(page.seconds)),
    ];
    if let Some(cut) = &page.passages {
        facts.push(("Texts shortened", numbers::count(cut.texts)));
        facts.push(("Passages cut", numbers::count(cut.passages)));
        facts.push(("Sentences cut", numbers::count(cut.sentences)));
        facts.push(("Characters cut", numbers::count(cut.characters)));
    }
    if let Some(rate) = numbers::rate(page.counts.read, page.seconds) {
        facts.push(("Texts a second", numbers::count(rate)));
    }
    if page.peak_memory > 0 {
        facts.push(("Most memory used", numbers::bytes(page.peak_memory)));
    }
    facts
        .iter()
        .map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n"))
        .collect()
}

fn meaning(page: &ReportPage) -> String {
    let Some(meaning) = words::metric_meaning(&page.metric) else {
        return String::new();
    };
    format!(
        "<p class=\"note\"><b>How to read a score.</b> {meaning} Pairs score {} or more.</p>\n",
        numbers::plain(page.threshold),
    )
}
