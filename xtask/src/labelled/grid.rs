//! The settings that each tool may choose from. doublet has those that one would try after reading its documentation, the peers at least as many.

use super::sets::{Kind, Set};
use crate::bench::peers::Peer;

/// A way to run a tool; its thresholds come on top.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    /// What the tables call it.
    pub(crate) name: String,
    /// Options of doublet, or the one word of a peer.
    pub(crate) options: Vec<String>,
    pub(crate) lowest: f64,
    /// Whether pairs have scores, so that one run serves all thresholds.
    pub(crate) has_scores: bool,
}

/// doublet's: shingles of words, of what stands between spaces and of characters, and terms by three weightings.
pub(crate) fn doublet(set: &Set) -> Vec<Setting> {
    let characters = match set.kind {
        Kind::Pages => [(5, "resemblance"), (9, "resemblance"), (12, "resemblance")],
        Kind::Labels => [(2, "resemblance"), (4, "resemblance"), (4, "containment")],
        Kind::Duplicates | Kind::Sides => {
            [(4, "resemblance"), (3, "containment"), (4, "containment")]
        }
    };
    let mut shingles = vec![
        ("words", 1, "resemblance"),
        ("words", 2, "resemblance"),
        ("words", 3, "resemblance"),
        ("words", 5, "resemblance"),
        ("words", 3, "coverage"),
        ("words", 5, "coverage"),
        ("words", 1, "containment"),
        ("words", 3, "containment"),
        ("spaces", 3, "resemblance"),
        ("spaces", 5, "resemblance"),
    ];
    shingles.extend(characters.map(|(size, metric)| ("characters", size, metric)));
    let mut settings: Vec<Setting> = shingles
        .into_iter()
        .map(|(tokens, size, metric)| {
            let tokens_option = match tokens {
                "words" => "--numbers keep".to_owned(),
                _ => format!("--tokens {tokens}"),
            };
            let lowest = set.lowest_of(tokens != "characters", size);
            // Coverage and containment are never below resemblance, and mostly far above.
            let factor = if metric == "resemblance" { 1.0 } else { 2.0 };
            let options = format!("--shingle {size} {tokens_option} --metric {metric}");
            ours(&options, (lowest * factor).min(0.8))
        })
        .collect();
    let terms = ["", " --weighting idf", " --weighting log"];
    settings.extend(terms.map(|weighting| {
        let options = format!("--method terms --candidates exact{weighting}");
        ours(&options, set.lowest_of(true, 1))
    }));
    settings
}

fn ours(options: &str, lowest: f64) -> Setting {
    Setting {
        name: options.to_owned(),
        options: options.split(' ').map(str::to_owned).collect(),
        lowest,
        has_scores: true,
    }
}

/// A peer's: shingles of words and, where it can, of characters, each with sketches or bands of several sizes.
pub(crate) fn peer(set: &Set, peer: Peer) -> Vec<Setting> {
    let is_long = set.kind == Kind::Pages;
    let (words, chars): (&[usize], &[usize]) = match set.kind {
        Kind::Pages => (&[1, 2, 3, 5, 8], &[5, 9, 12]),
        Kind::Labels => (&[1, 2, 3, 5], &[2, 3, 4, 5, 6, 8]),
        Kind::Duplicates | Kind::Sides => (&[1, 2, 3, 5], &[3, 4, 5, 6, 8]),
    };
    let has_scores = !matches!(peer, Peer::TextDedup | Peer::Datatrove);
    // The threshold of bands and rows is about the rows-th root of 1 / bands: 0.13 to 0.97.
    let sizes: &[&str] = match (has_scores, is_long) {
        (true, _) => &["128", "256"],
        (false, false) => &["64x2", "42x3", "32x4", "20x6", "12x10", "8x16"],
        (false, true) => &["20x6", "16x8", "12x10", "8x16", "5x25", "3x42"],
    };
    let mut units: Vec<(&str, usize)> = words.iter().map(|&size| ("words", size)).collect();
    if peer != Peer::TextDedup {
        units.extend(chars.iter().map(|&size| ("chars", size)));
    }
    if peer == Peer::Datatrove {
        // Each of its settings is a run of four stages; one or two sizes of characters must do.
        units.retain(|(unit, size)| *unit == "words" || [4, 5].contains(size));
    }
    let mut settings = Vec::new();
    for (unit, shingle) in units {
        let lowest = set.lowest_of(unit == "words", shingle);
        settings.extend(sizes.iter().map(|size| {
            let word = format!("{unit}-{shingle}-{size}");
            Setting {
                name: in_words(unit, shingle, size),
                options: vec![word],
                lowest,
                has_scores,
            }
        }));
    }
    settings
}

fn in_words(unit: &str, shingle: usize, size: &str) -> String {
    match size.split_once('x') {
        Some((bands, rows)) => format!("{shingle} {unit}, {bands} bands of {rows}"),
        None => format!("{shingle} {unit}, {size} permutations"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sets::SETS;
    use super::*;

    #[test]
    fn no_peer_has_fewer_settings_than_doublet() {
        for set in &SETS {
            let ours = doublet(set).len();
            for other in Peer::ALL {
                assert!(peer(set, other).len() >= ours, "{} {other:?}", set.name);
            }
        }
    }

    #[test]
    fn settings_of_a_tool_have_different_names() {
        for other in Peer::ALL {
            let settings = peer(&SETS[0], other);
            let mut names: Vec<_> = settings.iter().map(|setting| &setting.name).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), settings.len());
        }
    }
}
