//! A drawing made of boxes, lines and words, on white, so that it can be read in dark themes too.

use std::fmt::Write;

pub(crate) const BLUE: &str = "#005aaa";
pub(crate) const PALE_BLUE: &str = "#d6e6f5";
pub(crate) const ORANGE: &str = "#c85000";
pub(crate) const PALE_ORANGE: &str = "#fae3d0";
pub(crate) const GREEN: &str = "#147d3c";
pub(crate) const GREY: &str = "#5a5a5a";
pub(crate) const PALE_GREY: &str = "#dddddd";
pub(crate) const BLACK: &str = "#1a1a1a";

/// Where words stand by their place.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

pub(crate) struct Drawing {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

impl Drawing {
    /// The title is what is read aloud in the place of the picture.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Self {
        Self {
            width,
            height,
            title: title.to_owned(),
            body: String::new(),
        }
    }

    pub(crate) fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        let _ignored = writeln!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\" fill=\"{fill}\"/>"
        );
    }

    pub(crate) fn line(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let points: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let _ignored = writeln!(
            self.body,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>",
            points.join(" ")
        );
    }

    /// A band between two upright stretches.
    pub(crate) fn ribbon(&mut self, left: (f64, f64, f64), right: (f64, f64, f64), colour: &str) {
        let ((x, top, bottom), (other, up, down)) = (left, right);
        let middle = f64::midpoint(x, other);
        let _ignored = writeln!(
            self.body,
            "<path d=\"M{x:.1},{top:.1} C{middle:.1},{top:.1} {middle:.1},{up:.1} {other:.1},{up:.1} L{other:.1},{down:.1} C{middle:.1},{down:.1} \
             {middle:.1},{bottom:.1} {x:.1},{bottom:.1} Z\" fill=\"{colour}\" fill-opacity=\"0.35\"/>"
        );
    }

    pub(crate) fn words(
        &mut self,
        (x, y): (f64, f64),
        anchor: Anchor,
        (size, colour): (f64, &str),
        words: &str,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let words = words.replace('&', "&amp;").replace('<', "&lt;");
        let _ignored = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-family=\"sans-serif\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{words}</text>"
        );
    }

    pub(crate) fn finish(self) -> String {
        let Self {
            width,
            height,
            title,
            body,
        } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
             <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }
}
