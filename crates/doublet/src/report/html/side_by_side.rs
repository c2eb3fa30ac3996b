//! Two texts side by side, with what they share marked.

use super::clip::{self, Piece, Run};
use super::data::{PairView, ReportPage, SideText, ViewSection};
use super::escape::{clipped, escape, inline, prose};
use super::numbers;

/// Sections shown.
const SECTIONS: usize = 4;
/// Pairs shown in a section.
const VIEWS: usize = 20;
/// Pairs that are unfolded from the start in a section.
const OPEN: usize = 3;
/// Scores shown of a pair.
const SCORES: usize = 12;
/// Characters of a text shown while its pair is folded up.
const BEGIN_CHARS: usize = 60;
/// Characters of a key or a heading shown.
const KEY_CHARS: usize = 120;
/// Characters of a note shown.
const NOTE_CHARS: usize = 600;

/// What a reader has to know before looking at pairs.
pub(in crate::report) const HOW_TO_READ: &str = "What two texts share is <mark>marked like this</mark>; what is not \
    marked stands in one of them only. Long texts are shortened, and say by how much. <span class=\"screen\">Click on a \
    pair to open or close it; open ones are printed.</span>";

/// Whether there is a pair to show.
pub(in crate::report) fn has_any(views: &[ViewSection]) -> bool {
    views.iter().any(|s| !s.views.is_empty())
}

/// All pairs in their sections; nothing without pairs.
pub(super) fn section(page: &ReportPage) -> String {
    if !has_any(&page.views) {
        return String::new();
    }
    format!(
        "<section id=\"pairs\">\n<h2>Side by side</h2>\n\
         <p class=\"note\">{HOW_TO_READ} More pairs are in <code>pairs.jsonl</code>.</p>\n{}</section>\n",
        sections(&page.views, page.counts.removed > 0),
    )
}

/// The pairs under their headings, as far as the limits go. `badges`: whether each text says if it was removed.
pub(in crate::report) fn sections(views: &[ViewSection], badges: bool) -> String {
    views
        .iter()
        .filter(|s| !s.views.is_empty())
        .take(SECTIONS)
        .map(|s| view_section(s, badges))
        .collect()
}

fn view_section(section: &ViewSection, badges: bool) -> String {
    let views: String = section
        .views
        .iter()
        .take(VIEWS)
        .enumerate()
        .map(|(i, view)| pair(view, i < OPEN, badges))
        .collect();
    let shown = match section.views.len() {
        n if n > VIEWS => format!(" {VIEWS} of {} shown.", numbers::count(n as u64)),
        _ => String::new(),
    };
    let note = prose(&section.note, NOTE_CHARS) + &shown;
    let note = match note.trim() {
        "" => String::new(),
        note => format!("<p class=\"note\">{note}</p>\n"),
    };
    format!(
        "<div class=\"views\">\n<h3>{}</h3>\n{note}{views}</div>\n",
        escape(&clipped(&section.heading, KEY_CHARS)),
    )
}

fn pair(view: &PairView, open: bool, badges: bool) -> String {
    let a = clip::runs(&view.a.text, &view.a.shared);
    let b = clip::runs(&view.b.text, &view.b.shared);
    let (allowance_a, allowance_b) = same_cuts(clip::allowance(&a), clip::allowance(&b));
    let open = if open { " open" } else { "" };
    format!(
        "<details class=\"pair\"{open}>\n<summary><span class=\"score\">{}</span> <span class=\"metric\">{}</span> \
         <span class=\"keys\">{} <span class=\"muted\">and</span> {}</span> \
         {}<span class=\"begins\">{}</span></summary>\n{}<div class=\"sides\">\n{}{}</div>\n</details>\n",
        numbers::score(view.score),
        inline(&view.metric, KEY_CHARS),
        inline(&view.a.key, KEY_CHARS),
        inline(&view.b.key, KEY_CHARS),
        about(view),
        inline(&view.a.text, BEGIN_CHARS),
        scores(view),
        side("A", &view.a, &a, allowance_a, badges),
        side("B", &view.b, &b, allowance_b, badges),
    )
}

/// What the caller says of the pair.
fn about(view: &PairView) -> String {
    match view.note.as_str() {
        "" => String::new(),
        note => format!("<span class=\"about\">{}</span> ", prose(note, KEY_CHARS)),
    }
}

/// When both texts are cut, the same passage is cut to the same length in both.
fn same_cuts(a: Option<usize>, b: Option<usize>) -> (Option<usize>, Option<usize>) {
    let both = a.zip(b).map(|(a, b)| a.min(b));
    (both.or(a), both.or(b))
}

/// The scores that the headline of a pair does not give.
fn scores(view: &PairView) -> String {
    let items: String = view
        .scores
        .iter()
        .filter(|(name, _)| *name != view.metric)
        .take(SCORES)
        .map(|(name, score)| {
            let name = inline(&score_name(name), KEY_CHARS);
            format!("<li>{name} <b>{}</b></li>\n", numbers::score(*score))
        })
        .collect();
    if items.is_empty() {
        return items;
    }
    format!("<ul class=\"scores\" aria-label=\"Other scores\">\n{items}</ul>\n")
}

/// `containment_a` as `containment of A`, which is how the two sides are called.
fn score_name(name: &str) -> String {
    let spaced = name.replace('_', " ");
    match spaced
        .strip_suffix(" a")
        .map(|n| (n, "A"))
        .or(spaced.strip_suffix(" b").map(|n| (n, "B")))
    {
        Some((name, side)) => format!("{name} of {side}"),
        None => spaced,
    }
}

fn side(
    name: &str,
    side: &SideText,
    runs: &[Run<'_>],
    allowance: Option<usize>,
    badges: bool,
) -> String {
    let badge = match (badges, side.removed) {
        (false, _) => "",
        (true, true) => " <span class=\"badge removed\">removed</span>",
        (true, false) => " <span class=\"badge kept\">kept</span>",
    };
    let (chars, shared) = clip::lengths(runs);
    let text: String = clip::pieces(runs, allowance).iter().map(piece).collect();
    format!(
        "<div class=\"side\">\n<p class=\"who\"><span class=\"muted\">{name}</span> <b class=\"key\">{}</b>{badge} \
         <span class=\"muted length\">{}, {} shared</span></p>\n\
         <div class=\"text\" dir=\"auto\" lang=\"\">{text}</div>\n</div>\n",
        inline(&side.key, KEY_CHARS),
        numbers::counted(chars as u64, "character"),
        numbers::percent(shared as u64, chars as u64),
    )
}

fn piece(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Shared(text) => format!("<mark>{}</mark>", escape(text)),
        Piece::Plain(text) => escape(text).to_string(),
        Piece::Cut(n) => format!(
            "<span class=\"cut\" dir=\"ltr\" lang=\"en\">… {} …</span>",
            numbers::counted(*n as u64, "character")
        ),
    }
}
