//! Two texts side by side in the terminal, what they share in colour.

use std::io::Write;
use std::ops::Range;

use anyhow::Result;

use crate::display::{BOLD, DIM, SHARED, clean};

/// Cells of the narrowest terminal that two columns fit into …
const NARROWEST: usize = 9;
/// … and of the widest that they fill.
const WIDEST: usize = 200;

/// A name, its text, and what the text shares.
type Side<'a> = (&'a str, &'a str, &'a [Range<usize>]);

/// Prints two texts in columns, each under its name and with what it shares, at most so many lines of them.
pub(super) fn side_by_side(
    out: &mut impl Write,
    left: Side<'_>,
    right: Side<'_>,
    most: usize,
) -> Result<()> {
    let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0));
    columns(out, width, (left, right), most)
}

/// The same in so many cells.
fn columns(
    out: &mut impl Write,
    width: usize,
    ((name_a, a, shared_a), (name_b, b, shared_b)): (Side<'_>, Side<'_>),
    most: usize,
) -> Result<()> {
    let column = (width.clamp(NARROWEST, WIDEST) - 3) / 2;
    let left = layout(a, shared_a, column);
    let right = layout(b, shared_b, column);
    let (head, gap) = heading(name_a, column);
    let (other, _) = heading(name_b, column);
    writeln!(out, "{BOLD}{head}{BOLD:#}{gap} │ {BOLD}{other}{BOLD:#}")?;
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

/// A name as far as it fits, and the space behind it.
fn heading(name: &str, column: usize) -> (String, String) {
    let mut left = column;
    let fits = |c: &char| match left.checked_sub(cell_width(*c)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let head = clean(name).chars().take_while(fits).collect();
    (head, " ".repeat(left))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_columns_keep_to_the_width() {
        let a = "short and averyverylongwordthatfitsnowhere 重复的文本很多";
        let b = "another one\nwith\tlines";
        let shared = [0..5, 6..9];
        let (left, right) = (("文本文本文本.txt", a, &shared[..]), ("b", b, &[][..]));
        for width in NARROWEST..120 {
            let mut out = anstream::StripStream::new(Vec::new());
            columns(&mut out, width, (left, right), usize::MAX).unwrap();
            let shown = String::from_utf8(out.into_inner()).unwrap();
            for line in shown.lines() {
                let cells: usize = line.chars().map(cell_width).sum();
                assert!(cells <= width, "{width}: {line}");
                let before = line.split(['│', '┼']).next().unwrap();
                let place: usize = before.chars().map(cell_width).sum();
                assert_eq!(place, (width - 3) / 2 + 1, "{width}: {line}");
            }
        }
    }
}
