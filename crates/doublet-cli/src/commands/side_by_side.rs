//! Two texts side by side in the terminal, what they share in colour.

use std::io::Write;
use std::ops::Range;

use anyhow::Result;

use crate::display::{BOLD, DIM, SHARED, clean};

/// Prints two texts in columns, each under its name and with what it shares, at most so many lines of them.
pub(super) fn side_by_side(
    out: &mut impl Write,
    (name_a, a, shared_a): (&str, &str, &[Range<usize>]),
    (name_b, b, shared_b): (&str, &str, &[Range<usize>]),
    most: usize,
) -> Result<()> {
    let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0));
    let column = (width.clamp(40, 200) - 3) / 2;
    let left = layout(a, shared_a, column);
    let right = layout(b, shared_b, column);
    let head = |name: &str| clean(name).chars().take(column).collect::<String>();
    writeln!(
        out,
        "{BOLD}{:column$}{BOLD:#} │ {BOLD}{}{BOLD:#}",
        head(name_a),
        head(name_b)
    )?;
    writeln!(out, "{}┼{}", "─".repeat(column + 1), "─".repeat(column + 1))?;
    let rows = left.len().max(right.len());
    for row in 0..rows.min(most) {
        let empty = Line::default();
        let (l, r) = (
            left.get(row).unwrap_or(&empty),
            right.get(row).unwrap_or(&empty),
        );
        let line = format!(
            "{}{} │ {}",
            l.styled,
            " ".repeat(column - l.width),
            r.styled
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    if rows > most {
        let more = |lines: usize| if lines > most { "…" } else { "" };
        let (l, r) = (more(left.len()), more(right.len()));
        writeln!(out, "{DIM}{l:column$} │ {r}{DIM:#}")?;
    }
    Ok(())
}

#[derive(Default)]
struct Line {
    styled: String,
    width: usize,
}

/// Breaks a text into lines of at most `column` cells, shared passages in colour.
fn layout(text: &str, shared: &[Range<usize>], column: usize) -> Vec<Line> {
    let text = text.trim_end();
    let mut lines = vec![Line::default()];
    let mut passages = shared.iter().peekable();
    for (start, word) in words(text) {
        let width: usize = word.chars().map(cell_width).sum();
        let breaks = |line: &Line| line.width > 0 && line.width + width > column;
        if lines.last().is_some_and(breaks) && !word.trim().is_empty() {
            lines.push(Line::default());
        }
        for (offset, c) in word.char_indices() {
            let at = start + offset;
            while passages.next_if(|range| range.end <= at).is_some() {}
            let marked = passages.peek().is_some_and(|range| range.start <= at);
            push_char(&mut lines, c, marked, column);
        }
    }
    lines
}

fn push_char(lines: &mut Vec<Line>, c: char, marked: bool, column: usize) {
    let width = cell_width(c);
    let full = lines.last().is_none_or(|line| line.width + width > column);
    if c == '\n' || full {
        lines.push(Line::default());
    }
    let Some(line) = lines.last_mut() else { return };
    if c.is_control() || (line.width == 0 && c == ' ') {
        return;
    }
    if marked && !c.is_whitespace() {
        line.styled += &format!("{SHARED}{c}{SHARED:#}");
    } else {
        line.styled.push(c);
    }
    line.width += width;
}

/// Words with the space before them, and where each starts.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &text[start..];
        let first = rest.chars().next()?;
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(_, c)| c.is_whitespace() != first.is_whitespace())
            .map_or(rest.len(), |(at, _)| at);
        let word = (start, &rest[..end]);
        start += end;
        Some(word)
    })
}

/// Cells a character takes on a terminal.
fn cell_width(c: char) -> usize {
    unicode_width::UnicodeWidthChar::width(c).unwrap_or(0)
}
