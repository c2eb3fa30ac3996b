//! The choice: the setting and threshold with the best F1 on one half, and what they are worth on the other.

use super::judge::Verdict;

/// All that a tool's settings are worth on one half: a list of thresholds for each.
pub(crate) type Worth = Vec<Vec<Verdict>>;

/// What was chosen on one half, on both.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The number of the setting.
    pub(crate) setting: usize,
    pub(crate) chosen: Verdict,
    pub(crate) held_out: Verdict,
}

/// The best setting and threshold of one half, and their verdict on the other. Of equals the first setting, and of a run of equal thresholds
/// the middle, which stands farthest from where it would be worse.
pub(crate) fn choose(here: &Worth, there: &Worth) -> Option<Choice> {
    let mut best: Option<(usize, usize)> = None;
    for (setting, verdicts) in here.iter().enumerate() {
        for (place, verdict) in verdicts.iter().enumerate() {
            let is_better = best.is_none_or(|(s, p)| verdict.f1.value > here[s][p].f1.value);
            if is_better {
                best = Some((setting, place));
            }
        }
    }
    let (setting, first) = best?;
    let place = middle(&here[setting], first);
    let chosen = here[setting][place].clone();
    let held_out = there
        .get(setting)?
        .iter()
        .find(|verdict| verdict.threshold == chosen.threshold)?
        .clone();
    Some(Choice {
        setting,
        chosen,
        held_out,
    })
}

fn middle(verdicts: &[Verdict], first: usize) -> usize {
    let best = verdicts[first].f1.value;
    let run = verdicts[first..].iter();
    let length = run.take_while(|verdict| verdict.f1.value == best).count();
    first + (length - 1) / 2
}

/// F1 of counts added up: true and false positives, false negatives.
pub(crate) fn f1(counts: [u64; 3]) -> f64 {
    let [right, wrong, missed] = counts.map(|count| count as f64);
    if right == 0.0 {
        return 0.0;
    }
    2.0 * right / (2.0 * right + wrong + missed)
}

/// F1 on both halves together, each by what was chosen on the other.
pub(crate) fn both(choices: &[Choice; 2]) -> f64 {
    let [a, b] = choices.each_ref().map(|choice| choice.held_out.counts);
    f1([a[0] + b[0], a[1] + b[1], a[2] + b[2]])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::judge::Figure;
    use super::*;

    pub(crate) fn verdict(threshold: f64, f1: f64) -> Verdict {
        let figure = Figure {
            value: f1,
            low: f1,
            high: f1,
        };
        Verdict {
            threshold: Some(threshold),
            precision: figure,
            recall: figure,
            f1: figure,
            counts: [1, 2, 3],
        }
    }

    #[test]
    fn the_best_of_one_half_is_looked_up_on_the_other() {
        let here = vec![
            vec![verdict(0.1, 0.5), verdict(0.2, 0.6)],
            vec![
                verdict(0.1, 0.7),
                verdict(0.2, 0.8),
                verdict(0.3, 0.8),
                verdict(0.4, 0.8),
                verdict(0.5, 0.1),
            ],
        ];
        let there = vec![
            vec![verdict(0.2, 0.9)],
            vec![verdict(0.2, 0.2), verdict(0.3, 0.3)],
        ];
        let choice = choose(&here, &there).expect("a choice");
        assert_eq!((choice.setting, choice.chosen.threshold), (1, Some(0.3)));
        assert_eq!(choice.held_out.f1.value, 0.3);
        assert!(choose(&Worth::new(), &Worth::new()).is_none());
    }

    #[test]
    fn counts_make_f1() {
        assert_eq!(f1([0, 0, 5]), 0.0);
        assert_eq!(f1([2, 1, 1]), 2.0 / 3.0);
    }
}
