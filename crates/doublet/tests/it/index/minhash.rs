//! An index of sketches finds what it promises, and what it says is true.

use doublet::index::{CheckOptions, Checker, Index, IndexOptions, IndexWriter};
use doublet::method::Method;
use doublet::options::FingerprintKind;
use doublet::scores::{Metric, Scores};
use doublet::sketch::{Banding, MeetBy, SketchKind, SketchOptions};
use proptest::prelude::*;

use super::batch::{Pairs, awkward, collections, fill, joined, number};
use super::{Place, add, check, index_options, numbered};
use serde_json::json;

use crate::harness::{Texts, collection, options};
use crate::minhash::{minhash, pairs_of};

/// What an index says of texts.
fn found(index: &Index, input: &[String]) -> Pairs<Scores> {
    let mut found = Pairs::new();
    for (number_here, text) in input.iter().enumerate() {
        let answer = check(index, text).unwrap();
        assert_eq!(answer.duplicate, !answer.sources.is_empty());
        for source in answer.sources {
            let scores = source.scores.unwrap();
            assert_eq!(source.score, scores.score(Metric::Resemblance));
            found.insert((number_here, number(&source.id)), scores);
        }
    }
    found
}

/// Every other text, and those between.
fn halves(texts: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (even, odd): (Vec<_>, Vec<_>) = (0..).zip(texts).partition(|(n, _)| n % 2 == 0);
    let texts = |half: Vec<(u32, String)>| half.into_iter().map(|(_, text)| text).collect();
    (texts(even), texts(odd))
}

#[test]
fn the_recall_is_reached_at_the_threshold() {
    // 14 of 20 words: 14 / 26 = 7 / 13. With one word a shingle the words are the shingles.
    let (input, references) = halves(pairs_of(14, 20, 1000));
    let threshold = format!("{:.9}", 7.0 / 13.0 - 1e-9);
    for recall in [0.5, 0.9, 0.99] {
        let mut options = minhash(&threshold, 1);
        options.matching.sketches.recall = recall;
        let options = index_options(&options, true);
        let place = Place::with(&options, &numbered(&references));
        let index = place.open();
        let chance = index
            .options()
            .chance(options.matching.threshold)
            .unwrap()
            .unwrap();
        assert!(chance >= recall);
        let count = found(&index, &input).len() as f64;
        // 4 standard deviations around what the bands promise.
        let (mean, spread) = (1000.0 * chance, (1000.0 * chance * (1.0 - chance)).sqrt());
        assert!(
            (count - mean).abs() <= 4.0 * spread,
            "{count} of {mean} at {recall}"
        );
    }
}

#[test]
fn a_lower_threshold_finds_less_than_was_promised_and_a_higher_one_no_less() {
    let (mut input, mut references) = halves(pairs_of(14, 20, 300));
    let (more, others) = halves(pairs_of(19, 20, 310).split_off(600));
    input.extend(more);
    references.extend(others);
    let options = index_options(&minhash("0.9", 1), true);
    let place = Place::with(&options, &numbered(&references));
    let index = place.open();
    let count = |threshold: &str| {
        let mut asked = CheckOptions::of(index.options());
        asked.threshold = threshold.parse().unwrap();
        let mut checker = Checker::new(&index);
        let answers = input.iter().map(|text| checker.check(text, &asked));
        answers
            .filter(|answer| answer.as_ref().unwrap().duplicate)
            .count()
    };
    // 19 / 21 is above 0.9, 14 / 26 above 0.5.
    let high = count("0.9");
    let low = count("0.5");
    assert!((9..=10).contains(&high), "{high}");
    assert!((high..300).contains(&low), "{low}");
    assert_eq!(count("0.95"), 0);
    let chance = |t: &str| index.options().chance(t.parse().unwrap()).unwrap().unwrap();
    assert!(chance("0.5") < 0.9 && chance("0.9") >= 0.99 && chance("1") == 1.0);
}

#[test]
fn the_bands_travel_with_the_index() {
    let mut options = minhash("0.7", 3);
    options.matching.sketches = SketchOptions {
        size: 150,
        seed: 77,
        recall: 0.95,
        ..SketchOptions::default()
    };
    let mut options = index_options(&options, true);
    let sharpest = Banding::sharpest(options.matching.threshold, 0.95, 150).unwrap();
    let place = Place::with(&options, &[]);
    let opened = place.open();
    let expected = SketchOptions {
        bands: Some(sharpest),
        ..options.matching.sketches
    };
    assert_eq!(opened.options().matching.sketches, expected);
    let said = opened.info().options;
    for (name, value) in [
        ("bands", json!(sharpest.bands)),
        ("rows", json!(sharpest.rows)),
        ("seed", json!(77)),
        ("sketch_size", json!(150)),
        ("recall", json!(0.95)),
    ] {
        assert_eq!(said[name], value, "{name}");
    }
    // Others can be given.
    let given = Banding {
        bands: 3,
        rows: 2,
        least: 1,
    };
    options.matching.sketches.bands = Some(given);
    let place = Place::with(&options, &numbered(&["some words here".to_owned()]));
    assert_eq!(place.open().options().matching.sketches.bands, Some(given));
    assert_eq!(place.open().info().entries, 3);
}

#[test]
fn another_seed_finds_other_pairs_and_the_same_seed_the_same() {
    let (input, references) = halves(pairs_of(10, 20, 300));
    let found = |seed| {
        let mut options = minhash("0.33", 1);
        options.matching.sketches.recall = 0.5;
        options.matching.sketches.seed = seed;
        let place = Place::with(&index_options(&options, true), &numbered(&references));
        found(&place.open(), &input)
    };
    assert_eq!(found(1), found(1));
    assert_ne!(found(1), found(2));
}

#[test]
fn what_an_index_of_sketches_cannot_keep_is_refused() {
    let refused = |change: &dyn Fn(&mut IndexOptions)| {
        let mut options = index_options(&minhash("0.8", 5), true);
        change(&mut options);
        let place = Place::new();
        let error = IndexWriter::create(&place.index(), &options, None).unwrap_err();
        assert!(!place.index().exists());
        error.to_string()
    };
    let metric = refused(&|options| options.matching.metric = Metric::Agreement);
    assert!(metric.contains("answers by resemblance"), "{metric}");
    let kind = |kind| {
        move |options: &mut IndexOptions| options.matching.sketches = SketchOptions::new(kind)
    };
    for kind in [SketchKind::Smallest, SketchKind::Modulo].map(kind) {
        let error = refused(&kind);
        assert!(error.contains("made of permutations"), "{error}");
    }
    let values = refused(&|options| options.matching.sketches.meet_by = MeetBy::Values);
    assert!(values.contains("one of bands"), "{values}");
    let least = refused(&|options| options.matching.sketches.least = Some(2));
    assert!(least.contains("--candidates values"), "{least}");
    let few = refused(&|options| options.matching.sketches.size = 1);
    assert!(few.contains("--sketch-size"), "{few}");
    let texts = refused(&|options| options.texts = false);
    assert!(texts.contains("reads the texts again"), "{texts}");
}

/// Texts of the same shingles.
fn same(scores: &Scores) -> bool {
    scores.common == scores.distinct_a && scores.common == scores.distinct_b
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_source_is_true_and_identical_texts_are_found(
        (input, references) in collections(prop_oneof![awkward(), collection(2).prop_map(|mut texts| texts.remove(0))]),
        threshold in prop::sample::select(vec!["0.1", "0.3", "0.5", "0.8", "1"]),
        size in prop::sample::select(vec![1usize, 2, 3, 5]),
        rabin: bool,
        cut in 0usize..8,
    ) {
        let mut options = options(Metric::Resemblance, threshold, size);
        if rabin {
            options.matching.shingle.fingerprint = FingerprintKind::Rabin;
        }
        let exact = joined(&input, &references, &options);
        options.matching.method = Method::Minhash;
        let place = Place::new();
        let mut writer = IndexWriter::create(&place.index(), &index_options(&options, true), None).unwrap();
        fill(&mut writer, &place, &references, cut);
        let before = found(&place.open(), &input);
        for (pair, scores) in &before {
            prop_assert_eq!(exact.get(pair), Some(scores));
        }
        for (pair, scores) in exact.iter().filter(|(_, scores)| same(scores)) {
            prop_assert_eq!(before.get(pair), Some(scores));
        }
        // Neither parts nor how often a text was written change what is found.
        add(&mut writer, &place, &numbered(&references)).unwrap();
        writer.compact(&doublet::progress::Silent).unwrap();
        place.verify().unwrap();
        prop_assert_eq!(found(&place.open(), &input), before);
    }
    /// A run chooses its bands by a sample; an index of the same ones finds the same.
    #[test]
    fn the_same_bands_find_the_same(
        (input, references) in collections(awkward()),
        threshold in prop::sample::select(vec!["0.3", "0.5", "0.8"]),
        recall in prop::sample::select(vec![0.3, 0.9, 0.99]),
        seed in 0u64..1000,
        rabin: bool,
    ) {
        let mut options = minhash(threshold, 2);
        options.matching.sketches.recall = recall;
        options.matching.sketches.seed = seed;
        if rabin {
            options.matching.shingle.fingerprint = FingerprintKind::Rabin;
        }
        let run = Texts::new(&input, &references).join(&options);
        let banding = run.figures.sketches.unwrap().banding.unwrap();
        let mut of_index = index_options(&options, true);
        of_index.matching.sketches.bands = Some(Banding { least: 1, ..banding });
        let place = Place::with(&of_index, &numbered(&references));
        let (found, run) = (found(&place.open(), &input), joined(&input, &references, &options));
        if banding.least == 1 {
            prop_assert_eq!(found, run);
        } else {
            // An index asks for one common band.
            prop_assert!(run.iter().all(|(pair, scores)| found.get(pair) == Some(scores)));
        }
    }
}
