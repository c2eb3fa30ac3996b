//! A question on the terminal: the two texts in columns, or one below the other where there is no room for columns.

use std::io::Write;

use anstyle::{AnsiColor, Effects, Style};
use anyhow::Result;
use doublet::audit::{Audit, Extent, Piece, Question, Side, plain};
use doublet::report::is_below;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::display::{BOLD, DIM, WARNING, clean, count, plural};

/// Cells of the narrowest terminal with two columns.
const COLUMNS: usize = 80;
/// Cells that are used of a wide terminal.
const WIDEST: usize = 200;
/// Cells where the width is unknown.
const USUAL: usize = 100;
/// Rows of a question besides its texts.
const FRAME: usize = 9;
/// Words that only the removed text has.
const LOST: Style = AnsiColor::Red
    .on_default()
    .effects(Effects::BOLD.insert(Effects::UNDERLINE));
/// Words that only the kept text has.
const KEPT: Style = AnsiColor::Cyan.on_default();
/// How much of the texts is shown; the first that fits the screen.
const EXTENTS: [Extent; 5] = [
    Extent {
        shared: 60,
        own: 150,
    },
    Extent {
        shared: 25,
        own: 80,
    },
    Extent {
        shared: 12,
        own: 40,
    },
    Extent { shared: 6, own: 20 },
    Extent { shared: 3, own: 10 },
];

/// What questions are drawn on.
pub(super) struct Screen {
    is_terminal: bool,
}

/// A screen at one moment, and how much is shown on it.
pub(super) struct View {
    width: usize,
    /// Rows for texts.
    rows: usize,
    whole: bool,
    /// Whether words are marked by colours, or else by brackets.
    colours: bool,
}

impl Screen {
    pub(super) fn new(is_terminal: bool) -> Self {
        Self { is_terminal }
    }

    /// As it is now; with all of the texts if `whole`.
    pub(super) fn now(&self, whole: bool) -> View {
        let size = terminal_size::terminal_size().filter(|_| self.is_terminal);
        let (width, height) = size.map_or((USUAL, usize::MAX), |(width, height)| {
            (usize::from(width.0), usize::from(height.0))
        });
        let choice = anstream::AutoStream::choice(&std::io::stdout());
        View {
            width: width.clamp(20, WIDEST),
            rows: height.saturating_sub(FRAME).max(6),
            whole,
            colours: self.is_terminal && choice != anstream::ColorChoice::Never,
        }
    }

    /// Clears the terminal.
    pub(super) fn clear(&self) -> Result<()> {
        if self.is_terminal {
            let mut out = std::io::stdout();
            out.write_all(b"\x1b[H\x1b[2J")?;
            out.flush()?;
        }
        Ok(())
    }
}

/// Draws a question.
pub(super) fn question(audit: &Audit, at: usize, view: &View, out: &mut Vec<u8>) -> Result<()> {
    let question = &audit.questions()[at];
    let pair = audit.pair(at)?;
    let place = format!(
        "{} of {}",
        count(at as u64 + 1),
        count(audit.questions().len() as u64)
    );
    let facts = facts(audit, question);
    writeln!(
        out,
        "{BOLD}{place}{BOLD:#}  {DIM}{}{DIM:#}",
        question.stratum.words()
    )?;
    writeln!(out, "{facts}\n")?;
    let kept = Column::new(
        "kept",
        &question.removed.representative,
        &pair.kept,
        KEPT,
        ["{+", "+}"],
    );
    let removed = Column::new(
        "removed",
        &question.removed.id,
        &pair.removed,
        LOST,
        ["[-", "-]"],
    );
    let drawn = draw(&kept, &removed, view);
    for line in &drawn.lines {
        writeln!(out, "{}", line.trim_end())?;
    }
    if drawn.is_cut {
        writeln!(out, "{DIM}… more: v{DIM:#}")?;
    }
    Ok(writeln!(out)?)
}

/// What is known about a removal.
fn facts(audit: &Audit, question: &Question) -> String {
    let mut facts = Vec::new();
    if let Some(score) = question.removed.score {
        let metric = audit.run().option("metric").unwrap_or("score");
        let threshold = audit.run().number("threshold");
        let below = threshold.is_some_and(|threshold| is_below(score, threshold));
        let note = match threshold {
            Some(threshold) if below => {
                format!(" {WARNING}below the threshold of {threshold}{WARNING:#}")
            }
            Some(threshold) => format!(" (threshold {threshold})"),
            None => String::new(),
        };
        facts.push(format!("{metric} {BOLD}{score:.3}{BOLD:#}{note}"));
    }
    facts.push(format!("cluster of {}", count(question.cluster_size)));
    facts.push(match question.removed.lost {
        0 => "no word lost".to_owned(),
        lost => format!("{BOLD}{}{BOLD:#} lost", plural(lost, "word")),
    });
    facts.join(" · ")
}

/// One of the two texts.
struct Column<'a> {
    name: &'static str,
    id: String,
    side: &'a Side,
    /// How words are marked that the other text does not have: by a style, or by brackets.
    style: Style,
    brackets: [&'static str; 2],
}

impl<'a> Column<'a> {
    fn new(
        name: &'static str,
        id: &str,
        side: &'a Side,
        style: Style,
        brackets: [&'static str; 2],
    ) -> Self {
        Self {
            name,
            id: clean(&plain(id)),
            side,
            style,
            brackets,
        }
    }

    fn lines(&self, width: usize, extent: Extent, view: &View) -> Vec<Line> {
        let mut page = Page::new(width);
        for piece in self.side.pieces(extent) {
            match piece {
                Piece::Shared(text) => page.text(&text, Style::new()),
                Piece::Own(text) if view.colours => page.text(&text, self.style),
                Piece::Own(text) => {
                    let [open, close] = self.brackets;
                    page.text(&format!("{open}{text}{close}"), Style::new());
                }
                Piece::Cut(words) => {
                    page.text(&format!(" … {} … ", plural(words as u64, "word")), DIM);
                }
            }
        }
        page.finish()
    }

    /// Its name, and as much of its id as there is room for.
    fn heading(&self, width: usize) -> Line {
        let mut line = Line::default();
        line.push_word(&format!("{} ", self.name), DIM, width);
        line.push_word(&self.id, BOLD, width);
        line
    }
}

/// What a question's texts take.
struct Drawn {
    lines: Vec<String>,
    /// Whether lines are left out.
    is_cut: bool,
}

/// The texts, as much of them as there is room for.
fn draw(kept: &Column<'_>, removed: &Column<'_>, view: &View) -> Drawn {
    let beside = view.width >= COLUMNS;
    let width = if beside {
        (view.width - 3) / 2
    } else {
        view.width
    };
    let at = |extent| [kept, removed].map(|column| column.lines(width, extent, view));
    let rows = |lines: &[Vec<Line>; 2]| match beside {
        true => lines[0].len().max(lines[1].len()) + 2,
        false => lines[0].len() + lines[1].len() + 3,
    };
    if view.whole {
        return arrange(kept, removed, at(Extent::WHOLE), width, beside);
    }
    let mut lines = at(EXTENTS[0]);
    for extent in &EXTENTS[1..] {
        if rows(&lines) <= view.rows {
            break;
        }
        lines = at(*extent);
    }
    let most = match beside {
        true => view.rows - 2,
        false => (view.rows - 3) / 2,
    };
    let fits = rows(&lines) <= view.rows;
    if !fits {
        lines.iter_mut().for_each(|lines| lines.truncate(most));
    }
    let drawn = arrange(kept, removed, lines, width, beside);
    Drawn {
        is_cut: !fits,
        ..drawn
    }
}

fn arrange(
    kept: &Column<'_>,
    removed: &Column<'_>,
    [left, right]: [Vec<Line>; 2],
    width: usize,
    beside: bool,
) -> Drawn {
    let mut lines = Vec::new();
    let rule = |cells: usize| format!("{DIM}{}{DIM:#}", "─".repeat(cells));
    let headings = [kept.heading(width), removed.heading(width)];
    if beside {
        let [a, b] = &headings;
        lines.push(beside_each_other(a, b, width));
        lines.push(format!("{DIM}{0}┼{0}{DIM:#}", "─".repeat(width + 1)));
        let empty = Line::default();
        for row in 0..left.len().max(right.len()) {
            let line = |side: &[Line]| side.get(row).cloned();
            let (a, b) = (line(&left), line(&right));
            let (a, b) = (a.as_ref().unwrap_or(&empty), b.as_ref().unwrap_or(&empty));
            lines.push(beside_each_other(a, b, width));
        }
    } else {
        let [a, b] = headings;
        lines.push(a.styled);
        lines.extend(left.into_iter().map(|line| line.styled));
        lines.push(rule(width));
        lines.push(b.styled);
        lines.extend(right.into_iter().map(|line| line.styled));
    }
    Drawn {
        lines,
        is_cut: false,
    }
}

fn beside_each_other(a: &Line, b: &Line, width: usize) -> String {
    let gap = " ".repeat(width - a.width.min(width));
    format!("{}{gap} {DIM}│{DIM:#} {}", a.styled, b.styled)
}

/// A row of cells.
#[derive(Clone, Debug, Default)]
struct Line {
    styled: String,
    width: usize,
}

impl Line {
    /// Adds characters in one style, as many as there is room for. Gives the rest.
    fn push_word<'a>(&mut self, word: &'a str, style: Style, most: usize) -> &'a str {
        let mut end = word.len();
        for (at, c) in word.char_indices() {
            let cells = c.width().unwrap_or(0);
            if self.width + cells > most {
                end = at;
                break;
            }
            self.width += cells;
        }
        if end > 0 {
            let text = &word[..end];
            self.styled += &format!("{style}{text}{style:#}");
        }
        &word[end..]
    }
}

/// Text that is broken into lines, between words where that is possible.
struct Page {
    most: usize,
    lines: Vec<Line>,
    /// Whether white space precedes the next word.
    space: bool,
    /// The last word, which may go on in another style.
    open: Vec<(String, Style)>,
}

impl Page {
    fn new(most: usize) -> Self {
        Self {
            most,
            lines: vec![Line::default()],
            space: false,
            open: Vec::new(),
        }
    }

    fn text(&mut self, text: &str, style: Style) {
        let mut word = String::new();
        for c in text.chars() {
            if !c.is_whitespace() {
                if !c.is_control() {
                    word.push(c);
                }
                continue;
            }
            self.end_word(&mut word, style);
            self.place();
            match c {
                '\n' => self.break_line(),
                _ => self.space = true,
            }
        }
        self.end_word(&mut word, style);
    }

    fn end_word(&mut self, word: &mut String, style: Style) {
        if !word.is_empty() {
            self.open.push((std::mem::take(word), style));
        }
    }

    /// Ends a line of the text itself. Several empty lines in a row become one.
    fn break_line(&mut self) {
        self.space = false;
        let empty = self.lines.iter().rev().take_while(|line| line.width == 0);
        if empty.count() < 2 {
            self.lines.push(Line::default());
        }
    }

    /// Places the last word, which is complete now.
    fn place(&mut self) {
        let word = std::mem::take(&mut self.open);
        let cells: usize = word.iter().map(|(text, _)| text.width()).sum();
        if cells == 0 {
            return;
        }
        let space = std::mem::take(&mut self.space);
        let used = self.lines.last().map_or(0, |line| line.width);
        if used > 0 && used + usize::from(space) + cells > self.most {
            self.lines.push(Line::default());
        } else if space && used > 0 {
            self.push(" ", Style::new());
        }
        for (text, style) in word {
            self.push(&text, style);
        }
    }

    fn push(&mut self, text: &str, style: Style) {
        let mut rest = text;
        while let Some(line) = self.lines.last_mut() {
            rest = line.push_word(rest, style, self.most);
            if rest.is_empty() {
                break;
            }
            self.lines.push(Line::default());
        }
    }

    fn finish(mut self) -> Vec<Line> {
        self.place();
        while self.lines.last().is_some_and(|line| line.width == 0) {
            self.lines.pop();
        }
        let empty = self.lines.iter().take_while(|line| line.width == 0);
        self.lines.drain(..empty.count());
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of a text without styles, `width` cells wide.
    fn lines(text: &str, width: usize) -> Vec<String> {
        let mut page = Page::new(width);
        page.text(text, Style::new());
        page.finish().into_iter().map(|line| line.styled).collect()
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(
            lines("one two  three\nfour", 9),
            ["one two", "three", "four"]
        );
        assert_eq!(lines("\n\n a\n\n\n\nb \n", 9), ["a", "", "b"]);
        assert_eq!(lines("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(lines("重复的文本", 5), ["重复", "的文", "本"]);
        assert_eq!(lines("\u{1b}[31mred\0", 20), ["[31mred"]);
        assert_eq!(lines("", 9), Vec::<String>::new());
    }

    #[test]
    fn a_word_of_two_styles_stays_whole() {
        let mut page = Page::new(8);
        page.text("some pre", Style::new());
        page.text("fix end", BOLD);
        let lines = page.finish();
        let plain: Vec<String> = lines
            .iter()
            .map(|line| anstream::adapter::strip_str(&line.styled).to_string())
            .collect();
        assert_eq!(plain, ["some", "prefix", "end"]);
    }

    #[test]
    fn no_line_is_wider_than_the_screen() {
        let text = "words and averyverylongwordthatfitsnowhere 重复的文本很多\n".repeat(4);
        for width in 2..60 {
            let mut page = Page::new(width);
            page.text(&text, Style::new());
            for line in page.finish() {
                assert!(line.width <= width, "{width}: {line:?}");
                assert_eq!(
                    anstream::adapter::strip_str(&line.styled)
                        .to_string()
                        .width(),
                    line.width
                );
            }
        }
    }
}
