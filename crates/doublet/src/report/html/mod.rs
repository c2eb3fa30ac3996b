//! `report.html`: one page that shows a person what a run found, and lets them judge it.
//!
//! In comes a [`ReportPage`], plain data that the caller has filled in; out goes one self-contained HTML file. It loads
//! nothing from anywhere, says everything without JavaScript (a few lines of it only filter and unfold), fits a phone
//! and a sheet of paper, and follows the reader's light or dark colours.
//!
//! The page stays small whatever comes in: every list has a limit, long texts are cut around what they share
//! (`clip.rs`), and where something is left out the page says how much and where all of it stands.

mod bars;
mod charts;
mod clip;
mod clusters;
mod data;
pub(in crate::report) mod details;
pub(in crate::report) mod escape;
pub(in crate::report) mod numbers;
pub(in crate::report) mod overview;
mod passages;
pub(in crate::report) mod side_by_side;
mod template;
pub(in crate::report) mod words;

pub use data::{
    ClusterRow, Counts, CutPassages, PairView, PassageRow, RejectedRow, ReportPage, SideText,
    ViewSection,
};

use escape::{clipped, escape};

/// What the pages of a run and of an evaluation do beyond being read.
pub(in crate::report) const SCRIPT: &str = include_str!("script.js");
/// Characters of the title shown.
const TITLE_CHARS: usize = 200;

/// The page as one HTML document. The same data gives the same bytes.
pub fn render(page: &ReportPage) -> String {
    let body = [
        overview::section(page),
        passages::section(page),
        charts::section(page),
        clusters::section(page),
        side_by_side::section(page),
        details::rejected(page),
        details::run(page),
        words::section(),
    ]
    .concat();
    Sheet {
        kind: "report",
        title: &page.title,
        version: &page.version,
        style: "",
        lede: &overview::lede(page),
        warnings: &page.warnings,
        contents: &contents(page),
        body: &body,
        script: SCRIPT,
    }
    .fill()
}

/// What makes one page different from another. `lede`, `contents` and `body` are HTML already.
pub(in crate::report) struct Sheet<'a> {
    /// What sort of page it is, in one word.
    pub(in crate::report) kind: &'a str,
    pub(in crate::report) title: &'a str,
    pub(in crate::report) version: &'a str,
    /// Rules besides those that all pages have.
    pub(in crate::report) style: &'a str,
    pub(in crate::report) lede: &'a str,
    pub(in crate::report) warnings: &'a [String],
    pub(in crate::report) contents: &'a str,
    pub(in crate::report) body: &'a str,
    pub(in crate::report) script: &'a str,
}

impl Sheet<'_> {
    /// The page.
    pub(in crate::report) fn fill(&self) -> String {
        let title = clipped(self.title, TITLE_CHARS);
        template::fill(&[
            ("kind", self.kind),
            ("title", &escape(&title).to_string()),
            ("version", &escape(self.version).to_string()),
            ("style", &[include_str!("style.css"), self.style].concat()),
            ("lede", self.lede),
            ("warnings", &overview::warnings(self.warnings)),
            ("contents", self.contents),
            ("body", self.body),
            ("script", self.script),
        ])
    }
}

/// The links at the top, to the sections that are there.
fn contents(page: &ReportPage) -> String {
    let links = [
        (true, "overview", "Overview"),
        (passages::has_any(page), "passages", "Longest passages cut"),
        (charts::has_any(page), "figures", "Figures"),
        (!page.largest.is_empty(), "clusters", "Largest clusters"),
        (side_by_side::has_any(&page.views), "pairs", "Side by side"),
        (details::has_rejected(page), "rejected", "Rejected records"),
        (true, "run", "How it was run"),
        (true, "words", "What the words mean"),
    ];
    links_to(&links)
}

/// Links to those sections that are there: whether, its id, its name.
pub(in crate::report) fn links_to(sections: &[(bool, &str, &str)]) -> String {
    sections
        .iter()
        .filter(|(there, _, _)| *there)
        .map(|(_, id, name)| format!("<li><a href=\"#{id}\">{name}</a></li>\n"))
        .collect()
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "one passage is one range")]
mod tests;
