//! What came of it, told: `docs/labelled.md`.

use std::fmt::Write;

use super::choose::{self, Choice};
use super::sets::Kind;
use super::{Outcome, Reached, Tool};

const HEAD: &str = "\
# Who tells duplicates best

Written by `cargo xtask labelled`; the record is `benchmarks/record/DATE-labelled.json`. doublet and five peers on sets with labels.
Each set is split into two halves. A tool's setting and threshold are those with the best F1 on one half; what counts is F1 on the other. Both halves have their
turn, and *F1* in the first table is over both together, each judged by what was chosen on the other.

- All tools get the same texts, and `doublet eval` judges all of them by the same code: pairs that a tool found by `--pairs`; doublet itself, where pairs have labels, by `--labelled-only`, which for a complete search comes to the same. Intervals are those of `doublet eval`: 95 of 100 draws lie within.
- rensa, gaoya and datasketch estimate a score, and every threshold in steps of 0.02 may be chosen. Their bands have one row, so that none of their pairs is lost to bands.
  They cut at white space or into characters, as told.
- text-dedup and datatrove have no scores: bands and rows are their threshold. text-dedup joins what met into clusters, and all pairs of a cluster are its answer.
- *choices* counts settings, and settings times thresholds. A peer has at least as many settings as doublet. Of equals the first is chosen, and the middle of a run of equal thresholds.
- doublet's list of settings was drawn up with all labels of these sets known, so it is not blind to the held-out halves; what is chosen from it is. The peers' lists are plain: all the usual sizes.
- One run of each; nothing is random from run to run but the order of work. A peer's figures hang on the seed of its sketches, which is its default.
";

/// The whole page.
pub(crate) fn page(outcomes: &[Outcome], seconds: f64) -> String {
    let mut text = format!("{HEAD}\n{}\n{}", summary(outcomes), verdicts(outcomes));
    for outcome in outcomes {
        let _ = write!(text, "\n{}", section(outcome));
    }
    let _ = write!(text, "\nAll of it took {:.0} minutes.\n", seconds / 60.0);
    text
}

/// F1 of all tools on all sets.
pub(crate) fn summary(outcomes: &[Outcome]) -> String {
    let Some(first) = outcomes.first() else {
        return String::new();
    };
    let names = first.reached.iter().map(|reached| reached.tool.name());
    let mut text = format!("| F1 | {} |\n", names.collect::<Vec<_>>().join(" | "));
    text += &format!("|---|{}\n", "---:|".repeat(first.reached.len()));
    for outcome in outcomes {
        let best = best(outcome.reached.iter());
        let cells = outcome.reached.iter().map(|reached| {
            let f1 = thousandths(choose::both(&reached.choices));
            if f1 == thousandths(best) {
                format!("**{f1}**")
            } else {
                f1
            }
        });
        let cells: Vec<String> = cells.collect();
        text += &format!("| {} | {} |\n", outcome.set.name, cells.join(" | "));
    }
    text
}

fn best<'a>(reached: impl Iterator<Item = &'a Reached>) -> f64 {
    let f1 = reached.map(|reached| choose::both(&reached.choices));
    f1.fold(0.0, f64::max)
}

/// One line a set: who is ahead, by how much, and whether the halves agree.
fn verdicts(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        let (ours, peers): (Vec<_>, Vec<_>) = outcome
            .reached
            .iter()
            .partition(|reached| reached.tool == Tool::Doublet);
        let (Some(ours), Some(peer)) = (
            ours.first(),
            peers
                .iter()
                .max_by(|a, b| choose::both(&a.choices).total_cmp(&choose::both(&b.choices))),
        ) else {
            continue;
        };
        let _ = writeln!(text, "- **{}**: {}", outcome.set.name, verdict(ours, peer));
        if outcome.set.name == "mrpc" {
            let _ = writeln!(text, "  {}", about_mrpc(outcome));
        }
    }
    text
}

fn verdict(ours: &Reached, peer: &Reached) -> String {
    let (our, their) = (choose::both(&ours.choices), choose::both(&peer.choices));
    let wins = ours.choices.iter().zip(&peer.choices);
    let wins = wins
        .filter(|(our, their)| our.held_out.f1.value > their.held_out.f1.value)
        .count();
    let who = match our.total_cmp(&their) {
        std::cmp::Ordering::Greater => "doublet is ahead of",
        std::cmp::Ordering::Equal => "doublet is even with",
        std::cmp::Ordering::Less => "doublet is behind",
    };
    let overlap = ours.choices.iter().zip(&peer.choices).any(|(our, their)| {
        let (our, their) = (our.held_out.f1, their.held_out.f1);
        our.low <= their.high && their.low <= our.high
    });
    let close = if overlap {
        "; the intervals overlap, so another draw of texts may turn it round"
    } else {
        "; the intervals do not overlap"
    };
    format!(
        "{who} {}, the best of the peers, {} to {}, and better on {wins} of the 2 halves{close}.",
        peer.tool.name(),
        thousandths(our),
        thousandths(their)
    )
}

/// What calling every labelled pair a duplicate would reach.
fn about_mrpc(outcome: &Outcome) -> String {
    let [duplicates, different] = outcome.halves.iter().fold([0, 0], |sum, half| {
        [
            sum[0] + half.duplicates as u64,
            sum[1] + half.different as u64,
        ]
    });
    let all = choose::f1([duplicates, different, 0]);
    let tops = outcome
        .reached
        .iter()
        .map(|reached| choose::both(&reached.choices));
    let top = tops.fold(0.0, f64::max);
    format!(
        "Lexical methods are weak here: many paraphrases share few words, and many pairs that share most words say different things. \
        Calling every labelled pair a duplicate has F1 {}, and the best tool {}. Choose none of them for paraphrases.",
        thousandths(all),
        thousandths(top)
    )
}

/// One set.
pub(crate) fn section(outcome: &Outcome) -> String {
    let [first, second] = &outcome.halves;
    let judged = match outcome.set.kind {
        Kind::Duplicates => "Every pair that is not listed counts as different.",
        Kind::Sides => {
            "Only pairs of a text of one source and one of the other are judged; those that are not listed count as different."
        }
        Kind::Labels => "Only labelled pairs are judged.",
        Kind::Pages => {
            "Tags are taken off for all tools. Duplicates are pages of the same place whose resemblance of 5 words is at least 0.5; \
            every other pair counts as different. The labels lean on doublet's measure of resemblance."
        }
    };
    let mut text = format!(
        "## {}\n\n{} and {} texts, {} and {} duplicates{}. {judged}\n\n",
        outcome.set.name,
        first.documents,
        second.documents,
        first.duplicates,
        second.duplicates,
        different(first.different, second.different),
    );
    text += "| tool | choices | chosen on | setting | F1 there | F1 on the other half | precision | recall |\n\
        |---|---:|---:|---|---:|---|---:|---:|\n";
    for reached in &outcome.reached {
        for (half, choice) in reached.choices.iter().enumerate() {
            text += &row(reached, half, choice);
        }
    }
    text
}

fn different(first: usize, second: usize) -> String {
    if first + second == 0 {
        String::new()
    } else {
        format!(", {first} and {second} labelled pairs that are none")
    }
}

fn row(reached: &Reached, half: usize, choice: &Choice) -> String {
    let (tool, choices) = if half == 0 {
        let choices = format!("{}, {}", reached.settings.len(), reached.tried);
        (reached.tool.name(), choices)
    } else {
        ("", String::new())
    };
    let name = &reached.settings[choice.setting].name;
    let setting = match (reached.tool, choice.chosen.threshold) {
        (Tool::Doublet, Some(threshold)) => format!("`{name} --threshold {threshold:.2}`"),
        (_, Some(threshold)) => format!("{name}, from {threshold:.2}"),
        (_, None) => name.clone(),
    };
    let held_out = &choice.held_out;
    format!(
        "| {tool} | {choices} | {} | {setting} | {} | {} ({} to {}) | {} | {} |\n",
        half + 1,
        thousandths(choice.chosen.f1.value),
        thousandths(held_out.f1.value),
        thousandths(held_out.f1.low),
        thousandths(held_out.f1.high),
        thousandths(held_out.precision.value),
        thousandths(held_out.recall.value),
    )
}

fn thousandths(value: f64) -> String {
    format!("{value:.3}")
}

#[cfg(test)]
mod tests {
    use super::super::choose::tests::verdict as at;
    use super::super::grid::Setting;
    use super::*;
    use crate::bench::peers::Peer;

    fn reached(tool: Tool, f1: f64, counts: [u64; 3]) -> Reached {
        let mut verdict = at(0.5, f1);
        verdict.counts = counts;
        let choice = Choice {
            setting: 0,
            chosen: verdict.clone(),
            held_out: verdict,
        };
        Reached {
            tool,
            version: "1".to_owned(),
            settings: vec![Setting {
                name: "--shingle 1".to_owned(),
                options: Vec::new(),
                lowest: 0.1,
                has_scores: true,
            }],
            tried: 9,
            choices: [choice.clone(), choice],
            seconds: 0.0,
        }
    }

    #[test]
    fn who_is_behind_is_said_so() {
        let ours = reached(Tool::Doublet, 0.7, [7, 3, 3]);
        let theirs = reached(Tool::Peer(Peer::Rensa), 0.8, [8, 2, 2]);
        let told = verdict(&ours, &theirs);
        assert!(told.contains("doublet is behind rensa"), "{told}");
        assert!(told.contains(
            "0.700 to 0.800, and better on 0 of the 2 halves; the intervals do not overlap"
        ));
    }

    #[test]
    fn a_row_has_the_setting_with_its_threshold() {
        let ours = reached(Tool::Doublet, 0.7, [7, 3, 3]);
        let told = row(&ours, 0, &ours.choices[0]);
        assert_eq!(
            told,
            "| doublet | 1, 9 | 1 | `--shingle 1 --threshold 0.50` | 0.700 | 0.700 (0.700 to 0.700) | 0.700 | 0.700 |\n"
        );
    }
}
