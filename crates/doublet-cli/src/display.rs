//! What a person reads: errors, notes, the summary of a run.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use doublet::batch::Documents;
use doublet::read::Rejection;
use doublet::report::summary::Summary;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const SHARED: Style = AnsiColor::Green.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Prints an error with what led to it.
pub(crate) fn error(error: &anyhow::Error) {
    let _ignored = writeln!(anstream::stderr(), "{ERROR}error{ERROR:#}: {error:#}");
}

/// Prints a warning.
pub(crate) fn warning(text: &str) {
    let _ignored = writeln!(anstream::stderr(), "{WARNING}warning{WARNING:#}: {text}");
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
pub(crate) fn rejections(documents: &Documents) {
    let rejections: Vec<&Rejection> = documents.rejections().iter().map(|(_, r)| r).collect();
    rejection_list(&rejections);
}

/// Tells of records that could not be read, the first few by name.
pub(crate) fn rejection_list<R: std::borrow::Borrow<Rejection>>(rejections: &[R]) {
    if rejections.is_empty() {
        return;
    }
    let plural = if rejections.len() == 1 {
        "record was"
    } else {
        "records were"
    };
    warning(&format!(
        "{} {plural} rejected:",
        count(rejections.len() as u64)
    ));
    for rejection in rejections.iter().take(5) {
        let rejection = rejection.borrow();
        let line = format!(
            "  {}:{}: {}",
            rejection.file, rejection.line, rejection.reason
        );
        let _ignored = writeln!(anstream::stderr(), "{line}");
    }
    if rejections.len() > 5 {
        let _ignored = writeln!(
            anstream::stderr(),
            "  and {} more",
            count(rejections.len() as u64 - 5)
        );
    }
}

/// Prints what a run did.
pub(crate) fn summary(summary: &Summary, directory: &std::path::Path) {
    let mut out = anstream::stderr();
    let mut row = |name: &str, value: u64, note: &str| {
        let share = match summary.read {
            0 => 0.0,
            read => 100.0 * value as f64 / read as f64,
        };
        let _ignored = writeln!(
            out,
            "{name:>10} {BOLD}{:>12}{BOLD:#} {DIM}{share:>6.2} %{DIM:#}  {note}",
            count(value)
        );
    };
    row("read", summary.read, "records");
    row("kept", summary.kept, &shortened(summary));
    row(
        "removed",
        summary.removed,
        &format!(
            "{} in {}",
            plural(summary.pairs, "pair"),
            plural(summary.clusters, "cluster")
        ),
    );
    row(
        "empty",
        summary.empty,
        if summary.empty > 0 {
            "no word in them; kept unless --drop-empty"
        } else {
            ""
        },
    );
    row(
        "rejected",
        summary.rejected,
        if summary.rejected > 0 {
            "see rejected.jsonl"
        } else {
            ""
        },
    );
    if summary.comparisons_saved > 0 {
        let _ignored = writeln!(
            out,
            "\n{}, {} saved because the texts are copies or hung together already",
            plural(summary.verifications, "comparison"),
            count(summary.comparisons_saved)
        );
    }
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
        warning(text);
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

/// A number and what it counts.
pub(crate) fn plural(value: u64, what: &str) -> String {
    format!(
        "{} {what}{}",
        count(value),
        if value == 1 { "" } else { "s" }
    )
}
