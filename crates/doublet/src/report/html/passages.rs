//! The longest passages that were cut out of texts, as a table.

use super::data::{CutPassages, PassageRow, ReportPage};
use super::escape::{clipped, escape, inline};
use super::numbers;

/// Passages listed.
const ROWS: usize = 20;
/// Characters of an excerpt shown.
const EXCERPT_CHARS: usize = 280;
/// Characters of a key shown.
const KEY_CHARS: usize = 120;

/// Whether any passage was cut.
pub(super) fn has_any(page: &ReportPage) -> bool {
    let cut = page.passages.as_ref();
    cut.is_some_and(|cut| !cut.longest.is_empty())
}

/// What was cut, in one sentence.
pub(super) fn sentence(cut: &CutPassages) -> String {
    format!(
        "{} lost {} that an earlier text has: {} and {} in all.",
        numbers::counted(cut.texts, "text"),
        numbers::counted(cut.passages, "passage"),
        numbers::counted(cut.sentences, "sentence"),
        numbers::counted(cut.characters, "character"),
    )
}

/// The section of the longest passages; nothing where none was cut.
pub(super) fn section(page: &ReportPage) -> String {
    let Some(cut) = page.passages.as_ref().filter(|_| has_any(page)) else {
        return String::new();
    };
    let rows: String = cut.longest.iter().take(ROWS).map(row).collect();
    format!(
        "<section id=\"passages\">\n<h2>Longest passages cut</h2>\n\
         <p class=\"note\">{} Each stays in the first text that has it. {} of {} shown; all are in \
         <code>removed.jsonl</code>.</p>\n\
         <div class=\"wide\"><table aria-label=\"Longest passages cut\">\n<thead><tr>\
         <th scope=\"col\" class=\"number\">Characters</th><th scope=\"col\" class=\"number\">Sentences</th>\
         <th scope=\"col\">Cut out of</th><th scope=\"col\">Kept in</th><th scope=\"col\">How it begins</th>\
         </tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n</section>\n",
        sentence(cut),
        numbers::count(cut.longest.len().min(ROWS) as u64),
        numbers::count(cut.passages),
    )
}

fn row(row: &PassageRow) -> String {
    format!(
        "<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td>\
         <td dir=\"auto\" lang=\"\">{}</td></tr>\n",
        numbers::count(row.characters),
        numbers::count(row.sentences),
        inline(&row.key, KEY_CHARS),
        inline(&row.source, KEY_CHARS),
        escape(&clipped(&row.excerpt, EXCERPT_CHARS)),
    )
}
