//! What all drawings have in common: the frame, letters and numbers.

use std::fmt::Write;

use crate::report::html::escape::{clipped, escape};

/// Size of the letters, in pixels.
pub(super) const LETTER: f64 = 13.0;
/// Characters of a heading shown.
const TITLE_CHARS: usize = 120;
/// Height of the heading of a file of its own.
const HEADING: f64 = 34.0;
/// Figures larger than this are no scores; drawing them would say nothing.
const LARGEST: f64 = 1e9;

/// A drawing and the words for it.
pub(super) struct Drawing {
    /// Its name.
    pub(super) title: String,
    /// Its figures in words.
    pub(super) words: String,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The markup inside.
    pub(super) body: String,
}

impl Drawing {
    /// A file that stands alone: with its namespace, its style, paper and a heading to see.
    pub(super) fn file(&self) -> String {
        let (width, height) = (at(self.width), at(self.height + HEADING));
        let title = clipped(&self.title, TITLE_CHARS);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" aria-labelledby=\"title words\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
             <title id=\"title\">{title}</title>\n<desc id=\"words\">{}</desc>\n<style>\n{}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n\
             <text class=\"heading\" x=\"12\" y=\"24\">{title}</text>\n\
             <g transform=\"translate(0 {})\">\n{}</g>\n</svg>\n",
            escape(&self.words),
            super::STYLE,
            at(HEADING),
            self.body,
            title = escape(&title),
        )
    }

    /// A part of a page. `id` makes its names its own; `class` is added to its classes.
    pub(super) fn inline(&self, id: &str, class: &str) -> String {
        let (width, height) = (at(self.width), at(self.height));
        format!(
            "<svg class=\"plot {class}\" role=\"img\" aria-labelledby=\"{id}-title {id}-words\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
             <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-words\">{}</desc>\n{}</svg>\n",
            escape(&clipped(&self.title, TITLE_CHARS)),
            escape(&self.words),
            self.body,
        )
    }
}

/// A coordinate to a tenth of a pixel, in as few characters as that takes.
pub(super) fn at(value: f64) -> String {
    // No coordinate should be anything but a number; if one is, the drawing is off but still a drawing.
    let value = if value.is_finite() { value } else { 0.0 };
    let shown = format!("{value:.1}");
    match shown.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => shown,
    }
}

/// The value if it can be drawn.
pub(super) fn drawable(value: Option<&f64>) -> Option<f64> {
    value
        .copied()
        .filter(|v| v.is_finite() && v.abs() < LARGEST)
}

/// How wide these letters come out at `size`, generously.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' => 0.34,
        'm' | 'w' | 'M' | 'W' => 0.9,
        c if c.is_ascii_uppercase() => 0.7,
        c if (c as u32) < 0x1100 => 0.59,
        _ => 1.05,
    };
    text.chars().map(em).sum::<f64>() * size
}

/// Where `text` stands relative to its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// Adds letters.
pub(super) fn text(out: &mut String, class: &str, x: f64, y: f64, anchor: Anchor, letters: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>",
        at(x),
        at(y),
        anchor.word(),
        escape(letters),
    );
}

/// Adds letters turned by so many degrees around their place.
pub(super) fn turned(
    out: &mut String,
    class: &str,
    (x, y, degrees): (f64, f64, f64),
    anchor: Anchor,
    letters: &str,
) {
    let (x, y) = (at(x), at(y));
    let _ = writeln!(
        out,
        "<text class=\"{class}\" transform=\"translate({x} {y}) rotate({})\" text-anchor=\"{}\">{}</text>",
        at(degrees),
        anchor.word(),
        escape(letters),
    );
}

/// Adds a straight line.
pub(super) fn line(out: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
        at(from.0),
        at(from.1),
        at(to.0),
        at(to.1),
    );
}

/// Adds a box.
pub(super) fn rect(out: &mut String, class: &str, corner: (f64, f64), size: (f64, f64)) {
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        at(corner.0),
        at(corner.1),
        at(size.0),
        at(size.1),
    );
}
