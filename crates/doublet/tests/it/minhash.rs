//! Sketches find what they promise, and every pair they report is true.

use doublet::batch::JoinOptions;
use doublet::method::Method;
use doublet::options::FingerprintKind;
use doublet::report::summary::SketchSummary;
use doublet::scores::{Metric, Scores};
use doublet::sketch::{MeetBy, SketchKind, SketchOptions};
use proptest::prelude::*;

use crate::harness::{Texts, brute_force, collection, options, word};

/// A thousand pairs of texts with a resemblance of exactly `common / (2 * size - common)`: each pair has its own words.
pub(crate) fn pairs_of(common: usize, size: usize, count: usize) -> Vec<String> {
    let mut texts = Vec::new();
    for pair in 0..count {
        let name =
            |side: &str, place: usize| format!("{side}{}{}", word(pair as u64), word(place as u64));
        let shared: Vec<String> = (0..common).map(|place| name("s", place)).collect();
        for side in ["a", "b"] {
            let own = (common..size).map(|place| name(side, place));
            let words: Vec<String> = shared.iter().cloned().chain(own).collect();
            texts.push(words.join(" "));
        }
    }
    texts
}

pub(crate) fn minhash(threshold: &str, size: usize) -> JoinOptions {
    let mut options = options(Metric::Resemblance, threshold, size);
    options.matching.method = Method::Minhash;
    options
}

fn with(sketches: SketchOptions, options: &JoinOptions) -> JoinOptions {
    let mut options = options.clone();
    options.matching.sketches = sketches;
    options
}

/// Every way to bring texts together.
fn ways(recall: f64) -> [SketchOptions; 4] {
    let permutations = SketchOptions::new(SketchKind::Permutations);
    [
        permutations,
        SketchOptions {
            meet_by: MeetBy::Values,
            ..permutations
        },
        SketchOptions::new(SketchKind::Smallest),
        SketchOptions {
            size: 2,
            ..SketchOptions::new(SketchKind::Modulo)
        },
    ]
    .map(|options| SketchOptions { recall, ..options })
}

#[test]
fn the_recall_is_reached_at_the_threshold() {
    // 14 of 20 words: 14 / 26 = 7 / 13. With one word a shingle the words are the shingles.
    let input = pairs_of(14, 20, 1000);
    let threshold = format!("{:.9}", 7.0 / 13.0 - 1e-9);
    let texts = Texts::new(&input, &[]);
    for recall in [0.9, 0.99] {
        for sketches in ways(recall) {
            let found = texts.pairs(&with(sketches, &minhash(&threshold, 1)));
            // 4 standard deviations below the promise.
            let least = 1000.0 * recall - 4.0 * (1000.0 * recall * (1.0 - recall)).sqrt();
            assert!(found.len() as f64 >= least, "{} {sketches:?}", found.len());
        }
    }
}

#[test]
fn a_low_recall_is_a_low_recall() {
    // The bands are as few as the promise allows, so that it is met and not much more.
    let input = pairs_of(14, 20, 1000);
    let threshold = format!("{:.9}", 7.0 / 13.0 - 1e-9);
    let sketches = SketchOptions {
        recall: 0.5,
        ..SketchOptions::default()
    };
    let found = Texts::new(&input, &[]).pairs(&with(sketches, &minhash(&threshold, 1)));
    assert!((430..=800).contains(&found.len()), "{}", found.len());
}

#[test]
fn estimates_are_unbiased() {
    let input = pairs_of(14, 20, 1000);
    let texts = Texts::new(&input, &[]);
    for sketches in ways(0.99) {
        let mut options = with(sketches, &minhash("0.000001", 1));
        options.matching.metric = Metric::Agreement;
        // All that share any value.
        options.matching.sketches.meet_by = MeetBy::Values;
        options.matching.sketches.least = Some(1);
        let found = texts.pairs(&options);
        let score = |(_, _, scores): &(u32, u32, Scores)| scores.score(Metric::Agreement);
        let mean = found.iter().map(score).sum::<f64>() / 1000.0;
        // Spread of one estimate below 0.15: 4 standard deviations of the mean are 0.02.
        assert!((mean - 7.0 / 13.0).abs() < 0.02, "{mean} {sketches:?}");
    }
}

#[test]
fn estimates_at_the_threshold_are_in() {
    // Of the same shingles in another order: not identical, and all values agree.
    let input = ["a b", "b a"].map(str::to_owned);
    let mut options = minhash("1", 1);
    options.matching.metric = Metric::Agreement;
    let found = Texts::new(&input, &[]).pairs(&options);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].2.fraction(Metric::Agreement), (200, 200));
}

#[test]
fn another_seed_finds_other_pairs() {
    let input = pairs_of(10, 20, 300);
    let texts = Texts::new(&input, &[]);
    let found = |seed| {
        let sketches = SketchOptions {
            seed,
            recall: 0.5,
            ..SketchOptions::default()
        };
        texts.pairs(&with(sketches, &minhash("0.33", 1)))
    };
    assert_eq!(found(1), found(1));
    assert_ne!(found(1), found(2));
}

#[test]
fn the_seven_steps_are_counted() {
    // Two pairs that share 9 of 10 words, one copy, one stranger.
    let mut input = pairs_of(9, 10, 2);
    input.push(input[0].clone());
    input.push("nobody else says this".to_owned());
    let sketches = SketchOptions::new(SketchKind::Smallest);
    let joined = Texts::new(&input, &[]).join(&with(sketches, &minhash("0.8", 1)));
    let steps = joined.figures.sketches.unwrap();
    let (pairs, matches) = (joined.figures.added_up, joined.matches.distinct_pairs());
    assert_eq!(steps.texts, 5);
    assert_eq!(steps.values, 44);
    assert_eq!((steps.distinct, steps.shared), (26, 18));
    assert_eq!((steps.triplets, pairs, matches), (18, 2, 2));
}

/// Texts that have half of their words in common, and are yet no match.
fn with_a_common_passage(count: u64) -> Vec<String> {
    let run = |from: u64| (from..from + 40).map(word).collect::<Vec<_>>().join(" ");
    let text = |number: u64| format!("{} {}", run(0), run(100 + 40 * number));
    (0..count).map(text).collect()
}

#[test]
fn sketches_that_give_way_say_so() {
    let mut options = minhash("0.5", 2);
    let texts = Texts::new(&with_a_common_passage(80), &[]);
    let told = |options: &JoinOptions| {
        let joined = texts.join(options);
        SketchSummary::new(&joined, options, 0).unwrap()
    };
    let by_bands = told(&options);
    assert!(!by_bands.complete && by_bands.recall.unwrap() < 1.0);
    options.many = 0;
    let complete = told(&options);
    assert!(complete.complete);
    assert_eq!(complete.recall, Some(1.0));
    let curve = complete.curve.iter().filter(|(at, _)| *at >= 0.5);
    assert!(curve.clone().count() > 5 && curve.clone().all(|(_, share)| *share == 1.0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_pair_is_true_and_identical_texts_are_found(
        input in collection(24),
        references in collection(8),
        threshold in prop::sample::select(vec![("0.3", (3, 10)), ("0.5", (1, 2)), ("0.8", (4, 5)), ("1", (1, 1))]),
        size in 1usize..6,
        way in 0usize..4,
        rabin: bool,
        across_only: bool,
    ) {
        let mut options = with(ways(0.99)[way], &minhash(threshold.0, size));
        options.across_only = across_only;
        if rabin {
            options.matching.shingle.fingerprint = FingerprintKind::Rabin;
        }
        let texts = Texts::new(&input, &references);
        let found = texts.pairs(&options);
        let all = brute_force(&input, &references, across_only, Metric::Resemblance, threshold.1, size);
        for pair in &found {
            prop_assert!(all.contains(pair), "{:?}", pair);
        }
        let same = |pair: &&(u32, u32, Scores)| pair.2.common == pair.2.distinct_a && pair.2.common == pair.2.distinct_b;
        // Texts of the same shingles have the same sketch; of a modulo none may be left.
        if way < 3 {
            for pair in all.iter().filter(same) {
                prop_assert!(found.contains(pair), "{:?}", pair);
            }
        }
    }

    #[test]
    fn very_many_pairs_are_found_no_less(input in collection(24)) {
        let mut options = minhash("0.4", 2);
        let texts = Texts::new(&input, &[]);
        let few = texts.pairs(&options);
        let all = brute_force(&input, &[], false, Metric::Resemblance, (2, 5), 2);
        options.many = 0;
        let found = texts.pairs(&options);
        prop_assert!(found.iter().all(|pair| all.contains(pair)));
        prop_assert!(few.iter().all(|pair| found.contains(pair)));
        prop_assert_eq!(texts.handed_on(&options).unwrap().pairs, found);
    }

    #[test]
    fn neither_threads_nor_memory_change_the_result(
        input in collection(24),
        way in 0usize..4,
        estimate: bool,
        threads in 1usize..4,
        memory in prop::sample::select(vec![0u64, 1 << 12, 1 << 20]),
    ) {
        let mut options = with(ways(0.9)[way], &minhash("0.4", 2));
        if estimate {
            options.matching.metric = Metric::Agreement;
        }
        let texts = Texts::new(&input, &[]);
        let expected = texts.pairs(&options);
        options.resources.threads = threads;
        options.resources.memory = memory;
        prop_assert_eq!(texts.pairs(&options), expected);
    }

    #[test]
    fn a_full_sketch_is_the_set(input in collection(24), size in 1usize..4) {
        // Texts have fewer shingles than 200 values: the m smallest are all of them, and modulo 1 leaves all.
        for sketches in [SketchOptions::new(SketchKind::Smallest), SketchOptions { size: 1, ..SketchOptions::new(SketchKind::Modulo) }] {
            let exact = with(SketchOptions { least: Some(1), ..sketches }, &minhash("0.5", size));
            let mut estimate = exact.clone();
            estimate.matching.metric = Metric::Agreement;
            let texts = Texts::new(&input, &[]);
            let score = |metric| move |(a, b, scores): (u32, u32, Scores)| (a, b, scores.fraction(metric));
            let exact: Vec<_> = texts.pairs(&exact).into_iter().map(score(Metric::Resemblance)).collect();
            let estimate: Vec<_> = texts.pairs(&estimate).into_iter().map(score(Metric::Agreement)).collect();
            prop_assert_eq!(exact, estimate);
        }
    }
}
