//! What a person reads: errors, notes, the summary of a run.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use doublet::batch::{JoinOptions, Joined};
use doublet::matches::Documents;
use doublet::method::terms::Candidates;
use doublet::read::Rejection;
use doublet::report::summary::{SketchSummary, Summary, TermSearchSummary};
use doublet::scores::Metric;

use crate::console::Console;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const SHARED: Style = AnsiColor::Green.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Prints an error with what led to it.
pub(crate) fn error(error: &anyhow::Error) {
    let _ignored = writeln!(anstream::stderr(), "{ERROR}error{ERROR:#}: {error:#}");
}

/// A name without what would move the cursor or change colours.
pub(crate) fn clean(name: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{FFFD}' } else { c };
    name.chars().map(shown).collect()
}

/// Whether the reader of our output went away, which is no error.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| {
        let own = cause.downcast_ref::<doublet::Error>();
        let inner = match own {
            Some(doublet::Error::Io { cause, .. }) => Some(cause),
            _ => cause.downcast_ref::<std::io::Error>(),
        };
        inner.is_some_and(broken)
    })
}

/// Tells of records that could not be read, the first few by name.
pub(crate) fn rejections(console: &Console, documents: &Documents) {
    let rejections: Vec<&Rejection> = documents.rejections().iter().map(|(_, r)| r).collect();
    rejection_list(console, &rejections);
}

/// Tells of records that could not be read, the first few by name.
pub(crate) fn rejection_list<R: std::borrow::Borrow<Rejection>>(
    console: &Console,
    rejections: &[R],
) {
    if rejections.is_empty() {
        return;
    }
    let plural = if rejections.len() == 1 {
        "record was"
    } else {
        "records were"
    };
    let all = count(rejections.len() as u64);
    let mut text = format!("{all} {plural} rejected:");
    for rejection in rejections.iter().take(5) {
        text += &format!("\n  {}", rejection.borrow());
    }
    if rejections.len() > 5 {
        text += &format!("\n  and {} more", count(rejections.len() as u64 - 5));
    }
    console.warning(&text);
}

/// Prints what a run did.
pub(crate) fn summary(console: &Console, summary: &Summary, directory: &std::path::Path) {
    let mut out = console.err();
    let mut row = |name: &str, value: u64, whole: u64, note: &str| {
        let share = match whole {
            0 => 0.0,
            whole => 100.0 * value as f64 / whole as f64,
        };
        let _ignored = writeln!(
            out,
            "{name:>10} {BOLD}{:>12}{BOLD:#} {DIM}{share:>6.2} %{DIM:#}  {note}",
            count(value)
        );
    };
    let read = summary.read;
    row("read", read, read, "records");
    row("kept", summary.kept, read, &shortened(summary));
    row(
        "removed",
        summary.removed,
        read,
        &format!(
            "{} in {}",
            plural(summary.pairs, "pair"),
            plural(summary.clusters, "cluster")
        ),
    );
    if summary.below_threshold > 0 {
        row(
            "of these",
            summary.below_threshold,
            summary.removed,
            "score below the threshold against the kept text",
        );
    }
    row(
        "empty",
        summary.empty,
        read,
        if summary.empty > 0 {
            "no word in them; kept unless --drop-empty"
        } else {
            ""
        },
    );
    row(
        "rejected",
        summary.rejected,
        read,
        if summary.rejected > 0 {
            "see rejected.jsonl"
        } else {
            ""
        },
    );
    losses(console, summary);
    how(console, summary);
    let memory = match summary.peak_memory {
        0 => String::new(),
        bytes => format!(", {} of memory at most", indicatif::HumanBytes(bytes)),
    };
    let _ignored = writeln!(
        out,
        "\n{} in {:.1} s{memory}",
        indicatif::HumanBytes(summary.bytes),
        summary.seconds
    );
    let page = directory.join("report.html");
    let _ignored = writeln!(
        out,
        "Results are in {BOLD}{}{BOLD:#}; open {} to look at them.",
        directory.display(),
        page.display()
    );
    for text in &summary.warnings {
        console.warning(text);
    }
}

/// Says what the removed texts lose.
fn losses(console: &Console, summary: &Summary) {
    let mut lines = Vec::new();
    if summary.words_lost > 0 {
        let lost = plural(summary.words_lost, "word");
        lines.push(format!(
            "{lost} lost: outside the passages that the kept texts share (`lost` in removed.jsonl)"
        ));
    }
    if let Some(kept @ 1..) = summary.kept_for_loss {
        let kept = plural(kept, "text");
        lines.push(format!("{kept} kept because of --max-lost"));
    }
    if !lines.is_empty() {
        let _ignored = writeln!(console.err(), "\n{}", lines.join("\n"));
    }
}

/// Says how the pairs of some methods were found.
fn how(console: &Console, summary: &Summary) {
    if summary.comparisons_saved > 0 {
        let transitive = summary.options.get("transitivity") == Some(&"on".into());
        let why = match transitive {
            true => "the texts are copies or already in one cluster",
            false => "the texts are copies",
        };
        let _ignored = writeln!(
            console.err(),
            "\n{} made, {} skipped: {why}",
            plural(summary.verifications, "comparison"),
            count(summary.comparisons_saved)
        );
    }
    if let Some(search) = &summary.term_search {
        term_search(console, search);
    }
    if let Some(figures) = &summary.sketches {
        let threshold = summary.options.get("threshold");
        let threshold = threshold.and_then(serde_json::Value::as_f64);
        let estimate = summary.options.get("metric") == Some(&Metric::Agreement.name().into());
        let _ignored = writeln!(console.err());
        sketches(console, figures, threshold.unwrap_or(0.0), estimate);
    }
    if let Some(blocks) = &summary.blocks {
        let _ignored = writeln!(
            console.err(),
            "\n{} of fingerprints, {} with {} bits alike",
            plural(summary.verifications, "comparison"),
            plural(blocks.tables, "table"),
            blocks.bits
        );
    }
}

/// Says what share of the pairs a search by terms finds that does not find all.
fn term_search(console: &Console, search: &TermSearchSummary) {
    if search.candidates == Candidates::Exact.name() {
        return;
    }
    let recall = match search.recall {
        Some(recall) => format!("estimated recall {} (from a sample)", percent(recall)),
        None => "recall unknown".to_owned(),
    };
    let _ignored = writeln!(
        console.err(),
        "\nCandidates by {}: {recall}; `--candidates exact` finds all pairs",
        search.candidates
    );
}

/// Tells how sketches were brought together, and what is found that way.
///
/// An estimate of the sketches decides once more about what they brought together.
pub(crate) fn sketches(console: &Console, figures: &SketchSummary, threshold: f64, estimate: bool) {
    let by = match figures.bands {
        Some([bands, rows, least]) => {
            let bands = plural(u64::from(bands), "band");
            let rows = plural(u64::from(rows), "row");
            match least {
                1 => format!("{bands} of {rows}"),
                least => format!("{bands} of {rows}, {least} to be shared"),
            }
        }
        None => format!("Values of sketches ({})", figures.sketch),
    };
    if figures.complete {
        let _ignored = writeln!(
            console.err(),
            "{by} bring far too many texts together that are not alike: the complete search took their place, and all pairs at the threshold are found"
        );
        return;
    }
    let near = |at: &f64| (*at - threshold).abs() < 0.225;
    let near = figures.curve.iter().filter(|(at, _)| near(at));
    let shares = near.map(|(at, share)| format!("{} at {at:.2}", percent(*share)));
    let shares = shares.collect::<Vec<_>>().join(", ");
    let found = if estimate { "compared" } else { "found" };
    if let Some(recall) = figures.recall {
        let _ignored = writeln!(
            console.err(),
            "{by}: {} of the pairs at the threshold are {found} ({shares})",
            percent(recall)
        );
    }
    if figures.short_sketches > 0 {
        console.warning(&format!(
            "{} with too few values in the sketch may be missed more often than `--recall` says: give a smaller `--sketch-size`, or `--sketch permutations`",
            plural(figures.short_sketches, "text")
        ));
    }
}

/// A share in percent; what is not all of it is not 100.
fn percent(share: f64) -> String {
    match share {
        0.9995..1.0 => "over 99.9 %".to_owned(),
        share => format!("{:.1} %", 100.0 * share),
    }
}

/// How the pairs were found, for a command that writes no summary.
pub(crate) fn search_of(console: &Console, joined: &Joined, options: &JoinOptions) {
    if let Some(search) = joined.figures.term_search {
        term_search(console, &TermSearchSummary::of(search));
    }
    if let Some(figures) = SketchSummary::new(joined, options, 0) {
        let estimate = options.matching.metric == Metric::Agreement;
        sketches(
            console,
            &figures,
            options.matching.threshold.value(),
            estimate,
        );
    }
}

/// What texts that stay have lost.
fn shortened(summary: &Summary) -> String {
    if summary.shortened == 0 {
        return String::new();
    }
    format!(
        "{} shortened by {}: {}, {}",
        count(summary.shortened),
        plural(summary.passages, "passage"),
        plural(summary.sentences_removed, "sentence"),
        plural(summary.characters_removed, "character")
    )
}

/// A number with its thousands apart.
pub(crate) fn count(value: u64) -> String {
    indicatif::HumanCount(value).to_string()
}

/// A number of bytes in a fitting unit.
pub(crate) fn bytes(value: u64) -> String {
    indicatif::HumanBytes(value).to_string()
}

/// A number and what it counts.
pub(crate) fn plural(value: u64, what: &str) -> String {
    format!(
        "{} {what}{}",
        count(value),
        if value == 1 { "" } else { "s" }
    )
}
