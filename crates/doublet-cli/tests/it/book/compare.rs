//! Whether what a command printed is what the page shows: a line `…` stands for any lines, `[..]` for anything within a line.

/// Any lines, or none.
pub(crate) const LINES: &str = "…";
const WITHIN: &str = "[..]";

pub(crate) fn same(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&LINES, rest)) => (0..=printed.len()).any(|from| same(rest, &printed[from..])),
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| same_line(line, first) && same(rest, others)),
    }
}

/// Whether anything in it stands for something else.
pub(crate) fn has_gaps(shown: &[&str]) -> bool {
    shown
        .iter()
        .any(|line| *line == LINES || line.contains(WITHIN))
}

fn same_line(shown: &str, printed: &str) -> bool {
    let printed = printed.trim_end();
    let Some((before, after)) = shown.split_once(WITHIN) else {
        return shown == printed;
    };
    let Some(rest) = printed.strip_prefix(before) else {
        return false;
    };
    let mut starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    starts.any(|from| same_line(after, &rest[from..]))
}

#[test]
fn gaps_stand_for_anything_and_the_rest_for_itself() {
    assert!(same(&["a", "…", "z"], &["a", "b", "c", "z"]));
    assert!(same(&["a", "…"], &["a"]));
    assert!(!same(&["a", "…", "z"], &["a", "b"]));
    assert!(!same(&[], &["a"]));
    assert!(same(&["took [..] s"], &["took 0.5 s"]));
    assert!(!same(&["took [..] s"], &["took 0.5 ms or so"]));
    assert!(has_gaps(&["took [..] s"]) && !has_gaps(&["took 1 s"]));
}
