//! What every test needs: a collection in a file, a run over it, and a slow and obvious reference.

use std::collections::{BTreeMap, BTreeSet};

use doublet::batch::{Expected, JoinOptions, Joined, MatchSink, find_matches, for_each_match};
use doublet::matches::{Documents, Match, Source};
use doublet::method::MatchOptions;
use doublet::options::{ReadOptions, Resources, ShingleOptions};
use doublet::progress::Silent;
use doublet::read::Collection;
use doublet::scores::{Metric, Scores, Weights};
use proptest::prelude::*;
use tempfile::TempDir;

pub(crate) fn options(metric: Metric, threshold: &str, size: usize) -> JoinOptions {
    let matching = MatchOptions {
        metric,
        threshold: threshold.parse().unwrap(),
        shingle: ShingleOptions {
            size,
            ..ShingleOptions::default()
        },
        ..MatchOptions::default()
    };
    let resources = Resources {
        threads: 1,
        memory: 1 << 30,
        temp_dir: std::env::temp_dir(),
    };
    JoinOptions::new(matching, resources)
}

/// Pairs that were handed on.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) pairs: Vec<(u32, u32, Scores)>,
    pub(crate) expected: Option<Expected>,
}

impl MatchSink for Taken {
    fn announce(&mut self, _: &Documents, expected: Expected) -> doublet::Result<()> {
        assert!(self.expected.is_none() && self.pairs.is_empty());
        self.expected = Some(expected);
        Ok(())
    }

    fn take(&mut self, _: &Documents, found: &Match) -> doublet::Result<()> {
        assert!(self.expected.is_some());
        self.pairs.push((found.a.0, found.b.0, found.scores));
        Ok(())
    }
}

/// Texts in files, ready to be joined.
pub(crate) struct Texts {
    pub(crate) source: Source,
    /// The texts, those of the input first.
    pub(crate) all: Vec<String>,
    _directory: TempDir,
}

impl Texts {
    pub(crate) fn new(input: &[String], references: &[String]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let open = |name: &str, texts: &[String]| {
            let lines: String = texts
                .iter()
                .map(|text| serde_json::json!({ "text": text }).to_string() + "\n")
                .collect();
            let path = directory.path().join(name);
            std::fs::write(&path, lines).unwrap();
            let path = path.to_str().unwrap().to_owned();
            Collection::open(&[path], &ReadOptions::default(), directory.path()).unwrap()
        };
        let source = Source {
            input: open("input.jsonl", input),
            references: (!references.is_empty()).then(|| open("references.jsonl", references)),
        };
        Self {
            source,
            all: [input, references].concat(),
            _directory: directory,
        }
    }

    pub(crate) fn join(&self, options: &JoinOptions) -> Joined {
        find_matches(&self.source, options, &Silent).unwrap()
    }

    /// All pairs that are handed on, in that order, and what was expected.
    pub(crate) fn handed_on(&self, options: &JoinOptions) -> doublet::Result<Taken> {
        let mut taken = Taken::default();
        for_each_match(&self.source, options, &Silent, &mut taken)?;
        Ok(taken)
    }

    /// All pairs that a join finds.
    pub(crate) fn pairs(&self, options: &JoinOptions) -> Vec<(u32, u32, Scores)> {
        let joined = self.join(options);
        let mut pairs = Vec::new();
        let mut push = |pair: Match| {
            pairs.push((pair.a.0, pair.b.0, pair.scores));
            Ok::<(), ()>(())
        };
        joined
            .matches
            .for_each(&joined.documents, &mut push)
            .unwrap();
        assert_eq!(joined.matches.count(), pairs.len() as u64);
        pairs
    }
}

/// The counts of two texts of space-separated lower-case words, by sets of strings.
pub(crate) fn reference_scores(a: &str, b: &str, size: usize) -> Scores {
    let (a, b) = (Reference::new(a, size), Reference::new(b, size));
    let common: BTreeSet<_> = a
        .shingles
        .keys()
        .filter(|s| b.shingles.contains_key(*s))
        .collect();
    Scores {
        common: common.len() as u32,
        distinct_a: a.shingles.len() as u32,
        distinct_b: b.shingles.len() as u32,
        covered_a: a.covered(&common),
        covered_b: b.covered(&common),
        tokens_a: a.tokens as u32,
        tokens_b: b.tokens as u32,
        compared: 0,
        weights: Weights::default(),
    }
}

struct Reference {
    tokens: usize,
    /// Each shingle with the positions it covers.
    shingles: BTreeMap<Vec<String>, BTreeSet<usize>>,
}

impl Reference {
    fn new(text: &str, size: usize) -> Self {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let size = size.min(words.len());
        let mut shingles: BTreeMap<Vec<String>, BTreeSet<usize>> = BTreeMap::new();
        if size > 0 {
            for start in 0..=words.len() - size {
                let shingle = words[start..start + size].to_vec();
                shingles
                    .entry(shingle)
                    .or_default()
                    .extend(start..start + size);
            }
        }
        Self {
            tokens: words.len(),
            shingles,
        }
    }

    fn covered(&self, common: &BTreeSet<&Vec<String>>) -> u32 {
        let covered: BTreeSet<usize> = common
            .iter()
            .filter_map(|shingle| self.shingles.get(*shingle))
            .flatten()
            .copied()
            .collect();
        covered.len() as u32
    }
}

/// Every pair at or above the threshold, by comparing all with all. The threshold is `part / whole`.
pub(crate) fn brute_force(
    input: &[String],
    references: &[String],
    across_only: bool,
    metric: Metric,
    (part, whole): (u64, u64),
    size: usize,
) -> Vec<(u32, u32, Scores)> {
    let all: Vec<&String> = input.iter().chain(references).collect();
    let mut pairs = Vec::new();
    for a in 0..all.len() {
        for b in a + 1..all.len() {
            let (reference_a, reference_b) = (a >= input.len(), b >= input.len());
            let wanted = if across_only {
                reference_a != reference_b
            } else {
                !(reference_a && reference_b)
            };
            if !wanted {
                continue;
            }
            let scores = reference_scores(all[a], all[b], size);
            let directions = match metric {
                Metric::Resemblance => {
                    vec![(
                        scores.common,
                        scores.distinct_a + scores.distinct_b - scores.common,
                    )]
                }
                Metric::Coverage => {
                    vec![(
                        scores.covered_a + scores.covered_b,
                        scores.tokens_a + scores.tokens_b,
                    )]
                }
                Metric::Containment => {
                    vec![
                        (scores.common, scores.distinct_a),
                        (scores.common, scores.distinct_b),
                    ]
                }
                Metric::ContainmentCoverage => {
                    vec![
                        (scores.covered_a, scores.tokens_a),
                        (scores.covered_b, scores.tokens_b),
                    ]
                }
                Metric::Degree | Metric::Agreement => unreachable!("no metric of shingles"),
            };
            let reaches =
                |&(x, y): &(u32, u32)| x > 0 && u64::from(x) * whole >= u64::from(y) * part;
            if directions.iter().any(reaches) {
                pairs.push((a as u32, b as u32, scores));
            }
        }
    }
    pairs
}

/// Texts over few words, so that shingles repeat within and between them: empty, short, and copies with edits.
pub(crate) fn collection(most: usize) -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "g", "h"]);
    let fresh = prop::collection::vec(word, 0..30);
    let edit = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0..5u8,
    );
    let texts = prop::collection::vec(
        (
            fresh,
            prop::option::of((
                any::<prop::sample::Index>(),
                prop::collection::vec(edit, 0..4),
            )),
        ),
        1..most,
    );
    texts.prop_map(|plans| {
        let mut texts: Vec<Vec<&str>> = Vec::new();
        for (fresh, copy) in plans {
            let text = match copy {
                Some((of, edits)) if !texts.is_empty() => {
                    let mut text = texts[of.index(texts.len())].clone();
                    for (at, with, kind) in edits {
                        apply(&mut text, &fresh, at, with, kind);
                    }
                    text
                }
                _ => fresh,
            };
            texts.push(text);
        }
        texts.into_iter().map(|words| words.join(" ")).collect()
    })
}

fn apply<'a>(
    text: &mut Vec<&'a str>,
    fresh: &[&'a str],
    at: prop::sample::Index,
    with: prop::sample::Index,
    kind: u8,
) {
    if text.is_empty() || fresh.is_empty() {
        return;
    }
    let (place, word) = (at.index(text.len()), fresh[with.index(fresh.len())]);
    match kind {
        0 => text[place] = word,
        1 => text.insert(place, word),
        2 => {
            text.remove(place);
        }
        3 => text.truncate(place),
        _ => text.extend_from_slice(fresh),
    }
}

/// A word for a number, of letters alone.
pub(crate) fn word(number: u64) -> String {
    let letter = |n: u64| char::from(b'a' + (n % 26) as u8);
    [
        letter(number),
        letter(number / 26),
        letter(number / 676),
        'x',
    ]
    .iter()
    .collect()
}
