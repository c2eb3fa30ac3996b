//! The join over sentences against a plain reference: a map of strings, every pair.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use doublet::batch::JoinOptions;
use doublet::method::Method;
use doublet::method::sentences::common::{CommonWords, Cutoff};
use doublet::method::sentences::{CopyRule, SentenceOptions};
use doublet::scores::{Metric, Scores};
use proptest::prelude::*;

use crate::harness::{Texts, options};

const COMMON: [&str; 2] = ["the", "some"];

fn sentence_options(threshold: &str) -> JoinOptions {
    let mut options = options(Metric::ContainmentCoverage, threshold, 5);
    options.matching.method = Method::Sentences;
    let common = COMMON.map(str::to_owned).to_vec();
    options.matching.sentences = SentenceOptions {
        common: Some(Arc::new(CommonWords::new(common))),
        least: 1,
        ..SentenceOptions::default()
    };
    options
}

/// The words of a text's sentences as one string each, with the number of words; and all words.
struct Reference {
    sentences: Vec<(String, u32)>,
    words: Vec<String>,
}

impl Reference {
    fn new(text: &str, options: &JoinOptions) -> Self {
        let (mut sentences, mut words) = (Vec::new(), Vec::new());
        let units: Vec<&str> = match options.matching.method {
            Method::Imatch => vec![text],
            _ => text.split('.').collect(),
        };
        for sentence in units {
            let sentence = sentence.replace('.', " ").to_lowercase();
            let all: Vec<&str> = sentence.split_whitespace().collect();
            words.extend(all.iter().map(|word| (*word).to_owned()));
            let mut kept: Vec<&str> = all
                .iter()
                .copied()
                .filter(|word| !COMMON.contains(word))
                .collect();
            if options.matching.sentences.reorder {
                kept.sort_unstable();
            }
            let least = match options.matching.method {
                Method::Imatch => 1,
                _ => options.matching.sentences.least,
            };
            let enough = kept.len() >= least;
            if options.matching.method == Method::Imatch {
                kept.dedup();
            }
            if enough {
                sentences.push((kept.join(" "), all.len() as u32));
            }
        }
        Self { sentences, words }
    }

    fn keys(&self) -> BTreeSet<&str> {
        self.sentences.iter().map(|(key, _)| key.as_str()).collect()
    }

    /// Words that count: those of boilerplate do not, unless there are no others.
    fn counted(&self, counts: &dyn Fn(&&str) -> bool) -> u32 {
        let left_out = self
            .sentences
            .iter()
            .filter(|(key, _)| !counts(&key.as_str()));
        let all = self.words.len() as u32;
        match all - left_out.map(|(_, words)| words).sum::<u32>() {
            0 => all,
            counted => counted,
        }
    }

    fn covered(&self, common: &BTreeSet<&str>) -> u32 {
        let copied = self
            .sentences
            .iter()
            .filter(|(key, _)| common.contains(key.as_str()));
        copied.map(|(_, words)| words).sum()
    }
}

fn brute_force(
    input: &[String],
    references: &[String],
    options: &JoinOptions,
) -> Vec<(u32, u32, Scores)> {
    let all: Vec<Reference> = input
        .iter()
        .chain(references)
        .map(|text| Reference::new(text, options))
        .collect();
    let across = options.across_only;
    let mut occurrences: BTreeMap<&str, u64> = BTreeMap::new();
    let sources = if across {
        &all[input.len()..]
    } else {
        &all[..]
    };
    for (key, _) in sources.iter().flat_map(|text| &text.sentences) {
        *occurrences.entry(key).or_default() += 1;
    }
    let rule = options.matching.sentences.rule;
    let counts = |key: &&str| occurrences.get(key).is_none_or(|count| *count <= rule.most);
    let mut pairs = Vec::new();
    for a in 0..all.len() {
        for b in a + 1..all.len() {
            let (reference_a, reference_b) = (a >= input.len(), b >= input.len());
            let wanted = if across {
                reference_a != reference_b
            } else {
                !(reference_a && reference_b)
            };
            if !wanted || all[a].words.is_empty() || all[b].words.is_empty() {
                continue;
            }
            let (keys_a, keys_b) = (all[a].keys(), all[b].keys());
            let common: BTreeSet<&str> = keys_a
                .intersection(&keys_b)
                .copied()
                .filter(counts)
                .collect();
            let mut scores = Scores {
                common: common.len() as u32,
                // A text without a sentence of its own counts as one: copies of it share it.
                distinct_a: keys_a.len().max(1) as u32,
                distinct_b: keys_b.len().max(1) as u32,
                covered_a: all[a].covered(&common),
                covered_b: all[b].covered(&common),
                tokens_a: all[a].counted(&counts),
                tokens_b: all[b].counted(&counts),
                ..Scores::default()
            };
            let same = all[a].words == all[b].words;
            if same {
                scores = Scores::identical(scores.distinct_a, scores.tokens_a, 0);
            }
            let threshold = options.matching.threshold.value();
            let reaches = |part: u32, whole: u32| {
                part > 0 && f64::from(part) >= threshold * f64::from(whole) - 1e-9
            };
            let enough = rule.sentences.is_some_and(|least| scores.common >= least);
            let share = reaches(scores.covered_a, scores.tokens_a)
                || (!across && reaches(scores.covered_b, scores.tokens_b));
            if same || enough || share {
                pairs.push((a as u32, b as u32, scores));
            }
        }
    }
    pairs
}

fn sentence() -> impl Strategy<Value = String> {
    let first = prop::sample::select(vec!["Kilometre", "Limestone", "The", "漢字"]);
    let word = prop::sample::select(vec![
        "kilometre",
        "limestone",
        "the",
        "some",
        "microbe",
        "12",
    ]);
    (first, prop::collection::vec(word, 0..3))
        .prop_map(|(first, words)| format!("{first} {} again. ", words.join(" ")))
}

/// Texts of few distinct sentences, which repeat and are copied whole or in part.
fn texts(most: usize) -> impl Strategy<Value = Vec<String>> {
    let text = prop::collection::vec(sentence(), 0..6).prop_map(|sentences| sentences.concat());
    prop::collection::vec(text, 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_pair_is_found_with_its_scores(
        input in texts(10),
        references in texts(6),
        with_references: bool,
        across: bool,
        imatch: bool,
        reorder: bool,
        words in 1usize..4,
        least in prop::option::of(1u32..4),
        most in prop::sample::select(vec![1u64, 2, 5, 300]),
        threshold in prop::sample::select(vec!["0.1", "0.5", "0.75", "1"]),
        threads in 1usize..4,
    ) {
        let mut options = sentence_options(threshold);
        options.matching.sentences.rule = CopyRule { sentences: least, most };
        options.matching.sentences.reorder = reorder || imatch;
        options.matching.sentences.least = words;
        if imatch {
            options.matching.method = Method::Imatch;
        }
        let references = if with_references { references } else { Vec::new() };
        options.across_only = across && with_references;
        options.resources.threads = threads;
        options.resources.memory = if threads == 1 { 1 } else { 1 << 30 };
        let expected = brute_force(&input, &references, &options);
        let found = Texts::new(&input, &references).pairs(&options);
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn common_words_are_learned_from_enough_texts() {
    let mut texts: Vec<String> = (0..1200)
        .map(|n| format!("The report of item {n} was filed. Nothing more."))
        .collect();
    texts.push("Report: item 7 filed.".to_owned());
    let mut options = sentence_options("0.5");
    options.matching.sentences.common = None;
    let pairs = |texts: &[String], options: &JoinOptions| {
        let found = Texts::new(texts, &[]).pairs(options);
        found.iter().map(|(a, b, _)| (*a, *b)).collect::<Vec<_>>()
    };
    // All that is left of a report is its number.
    assert_eq!(pairs(&texts, &options), [(7, 1200)]);
    // Fewer texts have their function words left out, and more is left.
    assert_eq!(pairs(&texts[1000..], &options), []);
    options.matching.sentences.cutoff = Some(Cutoff::Count(100));
    assert_eq!(pairs(&texts[1000..], &options), []);
    options.matching.sentences.cutoff = Some(Cutoff::Off);
    assert_eq!(pairs(&texts, &options), []);
}

#[test]
fn pairs_and_repeats_are_the_same_for_any_memory() {
    let texts: Vec<String> = (0..2000)
        .map(|n| {
            let sentence = |k: usize| {
                let number = (n * k + n / 3) % 150;
                format!("Clause {number} of section {k} is copied word for word. ")
            };
            (1..8).map(sentence).collect()
        })
        .collect();
    let texts = Texts::new(&texts, &[]);
    for method in [Method::Sentences, Method::Imatch] {
        let run = |threads: usize, memory: u64| {
            let mut options = sentence_options("0.4");
            options.matching.method = method;
            options.repeats = method == Method::Sentences;
            options.resources.threads = threads;
            options.resources.memory = memory;
            texts.pairs(&options)
        };
        let plenty = run(1, 1 << 30);
        assert!(!plenty.is_empty());
        for (threads, memory) in [(1, 0), (3, 64 << 10), (2, 1 << 20)] {
            let found = run(threads, memory);
            assert!(
                found == plenty,
                "{method:?}, {threads} threads, {memory} bytes"
            );
        }
    }
}
