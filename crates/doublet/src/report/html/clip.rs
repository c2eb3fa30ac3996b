//! Long texts cut around what they share.
//!
//! A text is a row of runs, shared with the other text or not, in turn. When it is too long for the page, its long
//! runs lose their middle: every run gets the same allowance, as large as the budget permits, so that all places where
//! the two texts part and meet again stay in view. Unshared runs at either end keep only what is next to the passage.

use std::ops::Range;

use super::escape::{end_before, start_after};

/// Characters of a text shown, about.
const BUDGET: usize = 2000;
/// A text longer than the budget by no more than this is shown whole.
const SLACK: usize = 200;
/// Characters kept of an unshared run at either end of a text that is cut.
const OUTER: usize = 300;
/// The least allowance of a run: shorter scraps say nothing. What then goes over the budget is cut off at the end.
const SCRAP: usize = 60;

/// A stretch of a text, wholly shared or wholly not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run<'a> {
    text: &'a str,
    chars: usize,
    shared: bool,
}

/// What is shown of a text, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// The other text has this too.
    Shared(&'a str),
    /// The other text does not have this.
    Plain(&'a str),
    /// So many characters are left out, one at least.
    Cut(usize),
}

/// The runs of `text`. Ranges may come in any order, overlap, split a character or reach past the end.
pub(super) fn runs<'a>(text: &'a str, shared: &[Range<usize>]) -> Vec<Run<'a>> {
    let mut runs = Vec::new();
    let mut push = |range: Range<usize>, shared| {
        if let Some(text) = text.get(range).filter(|t| !t.is_empty()) {
            let chars = text.chars().count();
            runs.push(Run {
                text,
                chars,
                shared,
            });
        }
    };
    let mut end = 0;
    for range in tidy(text, shared) {
        push(end..range.start, false);
        end = range.end;
        push(range, true);
    }
    push(end..text.len(), false);
    runs
}

/// Sorted, apart from one another, inside the text and made of whole characters.
fn tidy(text: &str, shared: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = shared
        .iter()
        .filter(|r| r.start < r.end && r.start < text.len())
        .map(|r| text.floor_char_boundary(r.start)..text.ceil_char_boundary(r.end))
        .collect();
    ranges.sort_by_key(|r| (r.start, r.end));
    let mut tidied: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match tidied.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => tidied.push(range),
        }
    }
    tidied
}

/// Characters in all, and how many of them are shared.
pub(super) fn lengths(runs: &[Run<'_>]) -> (usize, usize) {
    let shared = runs.iter().filter(|r| r.shared).map(|r| r.chars).sum();
    (runs.iter().map(|r| r.chars).sum(), shared)
}

/// The allowance of a run that brings these into the budget; `None` if they fit as they are.
pub(super) fn allowance(runs: &[Run<'_>]) -> Option<usize> {
    if lengths(runs).0 <= BUDGET + SLACK {
        return None;
    }
    let mut wanted: Vec<usize> = (0..runs.len()).map(|i| wanted(runs, i)).collect();
    wanted.sort_unstable();
    let mut left = BUDGET;
    for (i, want) in wanted.iter().enumerate() {
        let each = left / (wanted.len() - i);
        if *want > each {
            return Some(each.max(SCRAP));
        }
        left -= want;
    }
    // Only the outer runs are too long.
    wanted.last().copied()
}

/// What run `i` would take if it could.
fn wanted(runs: &[Run<'_>], i: usize) -> usize {
    match end_of(runs, i) {
        End::None => runs[i].chars,
        _ => runs[i].chars.min(OUTER),
    }
}

/// Which end of the text an unshared run stands at, if there is a shared one for it to lead to.
enum End {
    None,
    First,
    Last,
}

fn end_of(runs: &[Run<'_>], i: usize) -> End {
    match i {
        _ if runs[i].shared || runs.len() == 1 => End::None,
        0 => End::First,
        i if i + 1 == runs.len() => End::Last,
        _ => End::None,
    }
}

/// The pieces to show when each run may take `allowance` characters; all of it when `None`.
pub(super) fn pieces<'a>(runs: &[Run<'a>], allowance: Option<usize>) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut shown = 0;
    for (i, run) in runs.iter().enumerate() {
        if allowance.is_some() && shown >= BUDGET {
            cut(&mut pieces, runs[i..].iter().map(|r| r.chars).sum());
            break;
        }
        let allowed = allowance.map_or(run.chars, |a| a.min(wanted(runs, i)));
        let (head, tail) = ends(run, allowed, &end_of(runs, i), runs.len() == 1);
        shown += allowed;
        keep(&mut pieces, run, head, tail);
    }
    pieces
}

/// How many characters of a run to keep at its beginning and at its end.
fn ends(run: &Run<'_>, allowed: usize, end: &End, alone: bool) -> (usize, usize) {
    // Leaving out a few letters would save no room.
    if run.chars <= allowed + SCRAP / 2 {
        return (run.chars, 0);
    }
    match end {
        End::First => (0, allowed),
        End::Last => (allowed, 0),
        End::None if alone && !run.shared => (allowed, 0),
        End::None => (allowed.div_ceil(2), allowed / 2),
    }
}

/// Adds the beginning and the end of `run`, and a cut for what stands between.
fn keep<'a>(pieces: &mut Vec<Piece<'a>>, run: &Run<'a>, head: usize, tail: usize) {
    let text = run.text;
    let head_end = match text.char_indices().nth(head) {
        Some((at, _)) if head > 0 => end_before(text, at),
        Some(_) => 0,
        None => text.len(),
    };
    let tail_start = match tail {
        0 => text.len(),
        n => text
            .char_indices()
            .rev()
            .nth(n - 1)
            .map_or(0, |(at, _)| start_after(text, at)),
    };
    let piece = |text| {
        if run.shared {
            Piece::Shared(text)
        } else {
            Piece::Plain(text)
        }
    };
    let tail_start = tail_start.max(head_end);
    if head_end > 0 {
        pieces.push(piece(&text[..head_end]));
    }
    cut(pieces, text[head_end..tail_start].chars().count());
    if tail_start < text.len() {
        pieces.push(piece(&text[tail_start..]));
    }
}

/// Adds a cut, together with one that stands there already.
fn cut(pieces: &mut Vec<Piece<'_>>, chars: usize) {
    match pieces.last_mut() {
        _ if chars == 0 => {}
        Some(Piece::Cut(before)) => *before += chars,
        _ => pieces.push(Piece::Cut(chars)),
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "one passage is one range")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain_and_shared(text: &str, shared: &[Range<usize>]) -> Vec<(String, bool)> {
        let runs = runs(text, shared);
        runs.iter().map(|r| (r.text.to_owned(), r.shared)).collect()
    }

    fn shown(pieces: &[Piece<'_>]) -> usize {
        let text = |p: &Piece<'_>| match p {
            Piece::Shared(t) | Piece::Plain(t) => t.chars().count(),
            Piece::Cut(_) => 0,
        };
        pieces.iter().map(text).sum()
    }

    #[test]
    fn runs_alternate() {
        let want = [
            ("ab".to_owned(), false),
            ("cd".to_owned(), true),
            ("e".to_owned(), false),
        ];
        assert_eq!(plain_and_shared("abcde", &[2..4]), want);
        assert_eq!(plain_and_shared("abc", &[]), [("abc".to_owned(), false)]);
        assert_eq!(plain_and_shared("", &[0..1]), []);
    }

    #[test]
    fn bad_ranges_are_put_right() {
        // Splits é, runs backwards, overlaps, reaches past the end, lies outside.
        #[expect(clippy::reversed_empty_ranges, reason = "a caller could hand one in")]
        let bad = [4..99, 1..2, 3..1, 4..6, 50..60, usize::MAX..usize::MAX];
        let want = [
            ("é".to_owned(), true),
            ("ab".to_owned(), false),
            ("cde".to_owned(), true),
        ];
        assert_eq!(plain_and_shared("éabcde", &bad), want);
    }

    #[test]
    fn a_long_text_is_cut_around_its_passage() {
        let text = "before ".repeat(3000) + "the shared passage" + &" after".repeat(3000);
        let runs = runs(&text, &[21000..21018]);
        let pieces = pieces(&runs, allowance(&runs));
        let [
            Piece::Cut(_),
            Piece::Plain(before),
            Piece::Shared("the shared passage"),
            Piece::Plain(after),
            Piece::Cut(_),
        ] = pieces.as_slice()
        else {
            panic!("{pieces:?}");
        };
        assert!(before.ends_with("before ") && after.starts_with(" after"));
        assert!(before.len() <= OUTER && after.len() <= OUTER);
    }

    #[test]
    fn every_difference_stays_in_view() {
        let mut text = String::new();
        let mut shared = Vec::new();
        for i in 0..6 {
            let start = text.len();
            text += &"same words again ".repeat(100);
            shared.push(start..text.len());
            text += &format!("differs{i} ");
        }
        let runs = runs(&text, &shared);
        let pieces = pieces(&runs, allowance(&runs));
        for i in 0..6 {
            assert!(
                pieces.contains(&Piece::Plain(&format!("differs{i} "))),
                "{i}: {pieces:?}"
            );
        }
        assert!(
            (BUDGET - 300..=BUDGET).contains(&shown(&pieces)),
            "{}",
            shown(&pieces)
        );
    }

    proptest! {
        #[test]
        fn any_text_and_ranges_fit_and_lose_nothing(
            words in proptest::collection::vec("[a-z🇩🇪é\u{301}中\n ]{0,9}", 0..900),
            ranges in proptest::collection::vec((0usize..9000, 0usize..400), 0..200),
        ) {
            let text = words.concat();
            let shared: Vec<_> = ranges.iter().map(|(start, len)| *start..start + len).collect();
            let runs = runs(&text, &shared);
            prop_assert_eq!(runs.iter().map(|r| r.text).collect::<String>(), text.as_str());
            prop_assert!(runs.windows(2).all(|w| w[0].shared != w[1].shared));
            let pieces = pieces(&runs, allowance(&runs));
            let cut: usize = pieces.iter().map(|p| if let Piece::Cut(n) = p { *n } else { 0 }).sum();
            prop_assert_eq!(shown(&pieces) + cut, text.chars().count());
            prop_assert!(shown(&pieces) <= 2 * BUDGET);
        }
    }
}
