//! The end of the page: records that could not be read, and how the run was made.

use super::charts;
use super::data::{RejectedRow, ReportPage};
use super::escape::{clipped, escape, inline, prose};
use super::numbers;

/// Rejected records listed.
const REJECTED: usize = 50;
/// Options listed.
const OPTIONS: usize = 200;
/// Characters of one entry shown.
const CELL_CHARS: usize = 600;
/// Characters of the command shown.
const COMMAND_CHARS: usize = 4000;

/// Whether records were rejected.
pub(super) fn has_rejected(page: &ReportPage) -> bool {
    page.counts.rejected > 0 || !page.rejected.is_empty()
}

/// Records that could not be read; nothing if all could.
pub(super) fn rejected(page: &ReportPage) -> String {
    if !has_rejected(page) {
        return String::new();
    }
    let all = page.counts.rejected.max(page.rejected.len() as u64);
    let were = if all == 1 { "was" } else { "were" };
    format!(
        "<section id=\"rejected\">\n<h2>Rejected records</h2>\n\
         <p class=\"note\">{} could not be read and {were} left out. {} of {} shown; all are in \
         <code>rejected.jsonl</code>.</p>\n{}</section>\n",
        numbers::counted(all, "record"),
        numbers::count(page.rejected.len().min(REJECTED) as u64),
        numbers::count(all),
        rejected_table(&page.rejected),
    )
}

fn rejected_table(rejected: &[RejectedRow]) -> String {
    if rejected.is_empty() {
        return String::new();
    }
    let rows: String = rejected.iter().take(REJECTED).map(rejected_row).collect();
    format!(
        "<div class=\"wide\"><table aria-label=\"Rejected records\">\n<thead><tr><th scope=\"col\">File</th>\
         <th scope=\"col\" class=\"number\">Line</th><th scope=\"col\">What is wrong</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn rejected_row(row: &RejectedRow) -> String {
    let line = match row.line {
        0 => "–".to_owned(),
        line => numbers::count(line),
    };
    format!(
        "<tr><td>{}</td><td class=\"number\">{line}</td><td dir=\"auto\">{}</td></tr>\n",
        inline(&row.file, CELL_CHARS),
        prose(&row.reason, CELL_CHARS),
    )
}

/// What was asked for, the options in force and the time that each stage took.
pub(super) fn run(page: &ReportPage) -> String {
    run_section(&page.command, &page.options, &charts::stages(page))
}

/// The same from its parts: the command, the options, and what stands beside them.
pub(in crate::report) fn run_section(
    command: &str,
    options: &[(String, String)],
    beside: &str,
) -> String {
    let command = match command {
        "" => String::new(),
        command => format!(
            "<p class=\"command\" dir=\"auto\">{}</p>\n",
            escape(&clipped(command, COMMAND_CHARS))
        ),
    };
    format!(
        "<section id=\"run\">\n<h2>How it was run</h2>\n{command}<div class=\"figures\">\n{}{beside}</div>\n</section>\n",
        options_table(options),
    )
}

fn options_table(options: &[(String, String)]) -> String {
    if options.is_empty() {
        return String::new();
    }
    let rows: String = options
        .iter()
        .take(OPTIONS)
        .map(|(name, value)| {
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                inline(name, CELL_CHARS),
                inline(value, CELL_CHARS),
            )
        })
        .collect();
    format!(
        "<div class=\"wide\"><h3>Options</h3>\n<table class=\"options\" aria-label=\"Options\">\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}
