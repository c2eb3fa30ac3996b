//! The join misses nothing and invents nothing: against brute force, for each metric, threshold, width, thread and memory.

use doublet::method::Method;
use doublet::options::FingerprintKind;
use doublet::scores::{Metric, Scores};
use proptest::prelude::*;

use crate::harness::{Texts, brute_force, collection, options, word};

/// Thresholds as written and as exact fractions.
const THRESHOLDS: [(&str, (u64, u64)); 10] = [
    ("0.1", (1, 10)),
    ("0.2", (1, 5)),
    ("0.25", (1, 4)),
    ("0.3", (3, 10)),
    ("0.5", (1, 2)),
    ("0.6", (3, 5)),
    ("0.7", (7, 10)),
    ("0.8", (4, 5)),
    ("0.9", (9, 10)),
    ("1", (1, 1)),
];

fn metric() -> impl Strategy<Value = Metric> {
    prop::sample::select(Method::Shingles.metrics())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn equals_brute_force(
        input in collection(24),
        metric in metric(),
        threshold in prop::sample::select(THRESHOLDS.to_vec()),
        size in 1usize..6,
        bits in prop::sample::select(vec![16, 17, 24, 64]),
        rabin: bool,
    ) {
        let mut options = options(metric, threshold.0, size);
        options.matching.shingle.bits = bits;
        if rabin {
            options.matching.shingle.fingerprint = FingerprintKind::Rabin;
        }
        let found = Texts::new(&input, &[]).pairs(&options);
        prop_assert_eq!(found, brute_force(&input, &[], false, metric, threshold.1, size));
    }

    #[test]
    fn passing_over_pairs_connects_the_same_texts(
        input in collection(30),
        metric in metric(),
        threshold in prop::sample::select(THRESHOLDS.to_vec()),
        size in 1usize..4,
    ) {
        let mut options = options(metric, threshold.0, size);
        options.spanning = Some(0);
        let all = brute_force(&input, &[], false, metric, threshold.1, size);
        let found = Texts::new(&input, &[]).pairs(&options);
        prop_assert_eq!(connected(input.len(), &found), connected(input.len(), &all));
        prop_assert!(found.iter().all(|pair| all.contains(pair)));
    }

    #[test]
    fn handing_on_very_many_pairs_equals_brute_force(
        input in collection(24),
        references in collection(6),
        across_only: bool,
        metric in metric(),
        threshold in prop::sample::select(THRESHOLDS.to_vec()),
        size in 1usize..4,
        many in 0u64..40,
        most in 0u64..60,
    ) {
        let mut options = options(metric, threshold.0, size);
        (options.many, options.across_only) = (many, across_only);
        let texts = Texts::new(&input, &references);
        let expected = brute_force(&input, &references, across_only, metric, threshold.1, size);
        let taken = texts.handed_on(&options).unwrap();
        prop_assert_eq!(&taken.pairs, &expected);
        let told = taken.expected.unwrap();
        prop_assert!(!told.exact || told.pairs == expected.len() as u64);
        options.most_pairs = Some(most);
        let limited = texts.handed_on(&options);
        prop_assert_eq!(limited.is_ok(), expected.len() as u64 <= most);
    }

    #[test]
    fn equals_brute_force_against_references(
        input in collection(14),
        references in collection(14),
        across_only: bool,
        metric in metric(),
        threshold in prop::sample::select(THRESHOLDS.to_vec()),
        size in 1usize..4,
    ) {
        let mut options = options(metric, threshold.0, size);
        options.across_only = across_only;
        let found = Texts::new(&input, &references).pairs(&options);
        prop_assert_eq!(found, brute_force(&input, &references, across_only, metric, threshold.1, size));
    }
}

/// The smallest text that each text is connected with.
fn connected(count: usize, pairs: &[(u32, u32, Scores)]) -> Vec<u32> {
    let mut roots: Vec<u32> = (0..count as u32).collect();
    loop {
        let before = roots.clone();
        for &(a, b, _) in pairs {
            let root = roots[a as usize].min(roots[b as usize]);
            roots[a as usize] = root;
            roots[b as usize] = root;
        }
        if roots == before {
            return roots;
        }
    }
}

/// Pseudo-random words, the same on every machine.
struct Words(u64);

impl Words {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn text(&mut self, length: u64, vocabulary: u64) -> Vec<String> {
        (0..length).map(|_| word(self.below(vocabulary))).collect()
    }
}

/// Texts of natural length with boilerplate, copies with edits and exact copies.
fn larger_collection(count: usize) -> Vec<String> {
    let mut words = Words(7);
    let boilerplate = words.text(30, 300);
    let mut texts: Vec<Vec<String>> = Vec::new();
    for number in 0..count {
        let length = 20 + words.below(80);
        let mut text = words.text(length, 2000);
        match number % 5 {
            1 => text = texts[words.below(number as u64) as usize].clone(),
            2 | 3 => {
                text = texts[words.below(number as u64) as usize].clone();
                for _ in 0..words.below(8) {
                    let at = words.below(text.len() as u64) as usize;
                    text[at] = word(words.below(2000));
                }
            }
            4 => text.splice(0..0, boilerplate.clone()).for_each(drop),
            _ => {}
        }
        texts.push(text);
    }
    texts.iter().map(|text| text.join(" ")).collect()
}

#[test]
fn the_result_is_the_same_for_any_threads_and_memory() {
    let input = larger_collection(3000);
    let texts = Texts::new(&input, &[]);
    for &metric in Method::Shingles.metrics() {
        let mut options = options(metric, "0.6", 3);
        let expected = texts.pairs(&options);
        assert!(expected.len() > 1000, "{metric}: {} pairs", expected.len());
        for (threads, memory) in [(2, 1 << 30), (8, 64 << 10), (1, 0), (2, 1 << 20)] {
            options.resources.threads = threads;
            options.resources.memory = memory;
            assert_eq!(
                texts.pairs(&options),
                expected,
                "{metric}, {threads} threads, {memory} bytes"
            );
        }
    }
}

#[test]
fn clusters_are_the_same_for_any_threads_and_memory_when_pairs_are_passed_over() {
    let input = larger_collection(1500);
    let texts = Texts::new(&input, &[]);
    for metric in [Metric::Resemblance, Metric::Coverage] {
        let mut options = options(metric, "0.6", 3);
        let expected = connected(input.len(), &texts.pairs(&options));
        options.spanning = Some(0);
        for (threads, memory) in [(1, 1 << 30), (2, 0), (8, 64 << 10)] {
            options.resources.threads = threads;
            options.resources.memory = memory;
            let found = texts.pairs(&options);
            assert_eq!(
                connected(input.len(), &found),
                expected,
                "{metric}, {threads} threads, {memory} bytes"
            );
        }
    }
}

#[test]
fn a_larger_collection_equals_brute_force() {
    let input = larger_collection(120);
    let texts = Texts::new(&input, &[]);
    for &metric in Method::Shingles.metrics() {
        for (threshold, fraction) in [("0.3", (3, 10)), ("0.7", (7, 10)), ("0.9", (9, 10))] {
            let found = texts.pairs(&options(metric, threshold, 4));
            assert_eq!(
                found,
                brute_force(&input, &[], false, metric, fraction, 4),
                "{metric} at {threshold}"
            );
        }
    }
}

#[test]
fn no_temporary_file_is_left_behind() {
    let place = tempfile::tempdir().unwrap();
    let texts = Texts::new(&larger_collection(500), &[]);
    for metric in [Metric::Resemblance, Metric::Coverage] {
        let mut options = options(metric, "0.5", 2);
        options.resources.memory = 0;
        options.resources.temp_dir = place.path().to_owned();
        texts.pairs(&options);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
}

#[test]
fn texts_without_tokens_match_nothing_and_short_ones_only_themselves() {
    let input: Vec<String> = ["", "...", "one two", "two one", "One, two!", "👍", "three"]
        .map(str::to_owned)
        .to_vec();
    let found = Texts::new(&input, &[]).pairs(&options(Metric::Resemblance, "0.1", 5));
    assert_eq!(found, [(2, 4, Scores::identical(1, 2, 0))]);
}

/// A passage in all texts, with so many words of each text's own, of which some are copied from the text before.
fn around_a_passage(count: usize, own: u64) -> Vec<String> {
    let mut words = Words(11);
    let passage = words.text(40, 5000).join(" ");
    let mut before = String::new();
    let mut texts = Vec::new();
    for number in 0..count {
        let copied = number % 3 == 1;
        let text = if copied {
            before.clone()
        } else {
            words.text(own, 5000).join(" ")
        };
        texts.push(format!("{text} {} {passage}", word(number as u64 % 7)));
        before = text;
    }
    texts
}

#[test]
fn a_passage_in_every_text_changes_no_result() {
    // Below and above what the passage alone makes two texts resemble.
    for (own, threshold) in [
        (12, ("0.5", (1, 2))),
        (12, ("0.7", (7, 10))),
        (40, ("0.3", (3, 10))),
    ] {
        let input = around_a_passage(200, own);
        let all = brute_force(&input, &[], false, Metric::Resemblance, threshold.1, 3);
        let texts = Texts::new(&input, &[]);
        let mut options = options(Metric::Resemblance, threshold.0, 3);
        assert_eq!(texts.pairs(&options), all, "{own} {threshold:?}");
        options.many = 100;
        assert_eq!(texts.handed_on(&options).unwrap().pairs, all);
        options.spanning = Some(0);
        let found = texts.pairs(&options);
        assert_eq!(connected(input.len(), &found), connected(input.len(), &all));
    }
}
