//! The weights as a TOML file that `--weights` reads, with how well they did as comments.

use std::fmt::Write;

use super::{Counts, GroupTuned, Judged, LEAST_EVIDENCE, Quality, Tuned};
use crate::method::terms::weights::Weighting;

/// The file: every group, and why its interval is as it is.
pub fn toml(tuned: &Tuned) -> String {
    let mut text =
        String::from("# Weights of terms, fitted to labelled pairs: `--weights THIS_FILE`");
    let threshold = tuned.after.threshold;
    let _ = write!(text, " with `--threshold {threshold}`");
    if tuned.weights.weighting == Weighting::Idf {
        text.push_str(" and `--weighting idf`");
    }
    text.push_str(".\n#\n");
    let count = |Counts { duplicates, others }: Counts| {
        format!("{duplicates} duplicates and {others} others")
    };
    let (tuned_on, held_out) = (count(tuned.tuned_on), count(tuned.held_out));
    let _ = writeln!(text, "# Tuned on {tuned_on}; held out were {held_out}.");
    for (name, quality) in [("before", &tuned.before), ("after", &tuned.after)] {
        line(&mut text, name, quality);
    }
    let _ = writeln!(text, "# {}.\n", capital(&tuned.verdict()));
    for group in &tuned.groups {
        let (a, b) = (group.after.a(), group.after.b());
        let what = remark(group);
        // With a point in any case, so that both are numbers of one kind.
        let _ = writeln!(text, "{} = [{a:?}, {b:?}] # {what}", group.group.name());
    }
    text
}

fn line(text: &mut String, name: &str, quality: &Quality) {
    let figures = |judged: &Judged| {
        let Judged {
            f1,
            average_precision,
            ..
        } = judged;
        format!("F1 {f1:.4}, average precision {average_precision:.4}")
    };
    let (tuned_on, held_out) = (figures(&quality.tuned_on), figures(&quality.held_out));
    let threshold = quality.threshold;
    let _ = writeln!(
        text,
        "# {name:6} at {threshold:.3}: tuned on {tuned_on}; held out {held_out}"
    );
}

fn remark(group: &GroupTuned) -> String {
    let pairs = group.evidence;
    if !group.is_free() {
        return format!("kept: {pairs} pairs differ in it, fewer than {LEAST_EVIDENCE}");
    }
    let (a, b) = (group.before.a(), group.before.b());
    match group.before == group.after {
        true => format!("kept; {pairs} pairs differ in it"),
        false => format!("was [{a:?}, {b:?}]; {pairs} pairs differ in it"),
    }
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|letter| letter.to_uppercase());
    first.into_iter().flatten().chain(letters).collect()
}
