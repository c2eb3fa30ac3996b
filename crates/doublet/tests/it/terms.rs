//! The join over weighted terms against a plain reference: maps of strings, floating point, every pair.

mod by_hand;

use std::collections::{BTreeMap, BTreeSet};

use doublet::batch::JoinOptions;
use doublet::method::Method;
use doublet::method::terms::features::{FeatureCount, FeatureOptions};
use doublet::method::terms::weights::{Interval, UNIT, Weighting};
use doublet::method::terms::{Candidates, Group, Scratch, TermOptions, TermSegmenter};
use doublet::scores::Metric;
use proptest::prelude::*;

use crate::harness::{Texts, options, word};

/// Scores this near to the threshold may go either way in floating point.
const NEAR: f64 = 1e-7;

fn term_options(metric: Metric, threshold: &str, candidates: Candidates) -> JoinOptions {
    let mut options = options(metric, threshold, 5);
    options.matching.method = Method::Terms;
    options.matching.terms.candidates = candidates;
    options
}

/// What the reference knows of a collection.
pub(crate) struct Reference {
    /// The terms of each text, in order.
    pub(crate) texts: Vec<Vec<String>>,
    /// In whole billionths.
    pub(crate) weights: BTreeMap<String, u64>,
}

impl Reference {
    pub(crate) fn new(texts: &[String], options: &JoinOptions) -> Self {
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        let segmenter =
            TermSegmenter::for_texts(&options.matching.normalize, &options.matching.terms, &refs);
        let mut votes: BTreeMap<String, BTreeMap<Group, u64>> = BTreeMap::new();
        let mut sequences = Vec::new();
        for text in texts {
            let mut sequence = Vec::new();
            segmenter.terms(text, &mut Scratch::default(), |term| {
                sequence.push(term.form.to_owned());
                let groups = votes.entry(term.form.to_owned()).or_default();
                *groups.entry(term.group).or_default() += 1;
            });
            sequences.push(sequence);
        }
        let elect = |votes: &BTreeMap<Group, u64>| {
            let most = votes.values().copied().max().unwrap_or(0);
            let group = votes.iter().find(|(_, count)| **count == most).unwrap().0;
            (*group, votes.values().sum::<u64>())
        };
        let terms: BTreeMap<&String, (Group, u64)> = votes
            .iter()
            .map(|(form, votes)| (form, elect(votes)))
            .collect();
        let weight = |form: &str, (group, frequency): (Group, u64)| {
            let frequencies = || {
                terms
                    .values()
                    .filter(|term| term.0 == group)
                    .map(|term| term.1)
            };
            let (max, min) = (frequencies().max().unwrap(), frequencies().min().unwrap());
            let interval = options.matching.terms.weights.interval(group);
            if options.matching.terms.weights.weighting == Weighting::Log {
                let most = terms.values().map(|term| term.1).max().unwrap();
                let weight = (1.0 + most as f64 / frequency as f64).ln();
                return (weight * 1e6).round() as u64 * (UNIT / 1_000_000);
            }
            let place = match (max - min, options.matching.terms.weights.weighting) {
                (0, _) => 0.0,
                (span, Weighting::Frequency) => (frequency - min) as f64 / span as f64,
                (span, _) => (max - frequency) as f64 / span as f64,
            };
            let share = (interval.b() - interval.a()) * place + interval.a();
            (share * UNIT as f64).round() as u64 * form.chars().count() as u64
        };
        let weights = terms
            .iter()
            .map(|(form, term)| ((*form).clone(), weight(form, *term)))
            .collect();
        Self {
            texts: sequences,
            weights,
        }
    }

    fn set(&self, text: usize) -> BTreeSet<&String> {
        self.texts[text].iter().collect()
    }

    fn weigh<'a>(&self, terms: impl IntoIterator<Item = &'a String>) -> u64 {
        terms.into_iter().map(|term| self.weights[term]).sum()
    }

    fn score(&self, metric: Metric, a: usize, b: usize) -> f64 {
        let (a, b) = (self.set(a), self.set(b));
        let (common, all) = (a.intersection(&b), a.union(&b));
        match metric {
            Metric::Degree => self.weigh(common.copied()) as f64 / self.weigh(all.copied()) as f64,
            _ => common.count() as f64 / all.count() as f64,
        }
    }

    /// Whether the two are copies of each other.
    fn identical(&self, a: usize, b: usize) -> bool {
        self.texts[a] == self.texts[b]
    }

    /// The features of a text by the paper: terms by falling weight, k by inequality 5, `more` beyond.
    fn features(&self, text: usize, threshold: f64, more: usize) -> Vec<String> {
        let mut terms: Vec<String> = self.set(text).into_iter().cloned().collect();
        terms.sort_by(|x, y| self.weights[y].cmp(&self.weights[x]).then(x.cmp(y)));
        let total = u128::from(self.weigh(&terms));
        let billionths = (threshold * 1e9).round() as u128;
        let exceeds =
            |k: &usize| u128::from(self.weigh(&terms[..*k])) * 1_000_000_000 > total * billionths;
        let least = (1..=terms.len()).find(exceeds).unwrap_or(terms.len());
        terms.truncate(least + more);
        terms
    }

    /// The grams of a text's features.
    fn grams(&self, text: usize, threshold: f64, gram: usize) -> BTreeSet<Vec<String>> {
        let features = self.features(text, threshold, gram);
        if features.len() <= gram {
            return [features]
                .into_iter()
                .filter(|gram| !gram.is_empty())
                .collect();
        }
        features.windows(gram).map(<[String]>::to_vec).collect()
    }

    fn word_pairs(&self, text: usize) -> BTreeSet<&[String]> {
        self.texts[text].windows(2).collect()
    }
}

/// Words of several groups and scripts, so that texts share some.
fn words() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "meeting",
        "tomorrow",
        "office",
        "see",
        "you",
        "at",
        "the",
        "big",
        "house",
        "3",
        "12",
        "and",
        "runs",
        "running",
        "Berlin",
        "ok",
        "haha",
        "🙂",
        "🎉",
        "#party",
        "@anna",
        "http://a.io/x",
        "明天",
        "公司",
        "开会",
        "的",
        "了",
        "三",
        "soooo",
        "das",
        "Haus",
        "ist",
        "groß",
        "회사에서",
        "会議",
    ])
}

fn collections() -> impl Strategy<Value = Vec<String>> {
    let text = prop::collection::vec(words(), 0..9).prop_map(|words| words.join(" "));
    let again = (text, 0usize..3).prop_map(|(text, times)| vec![text; times + 1]);
    prop::collection::vec(again, 0..14).prop_map(|texts| texts.concat())
}

fn thresholds() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["0.1", "0.3", "0.5", "0.65", "0.8", "1"])
}

fn metrics() -> impl Strategy<Value = Metric> {
    prop::sample::select(Method::Terms.metrics())
}

/// Checks that the pairs are those for which `meets` holds among those at or above the threshold.
fn check(
    texts: &[String],
    references: &[String],
    options: &JoinOptions,
    meets: impl Fn(&Reference, usize, usize) -> bool,
) -> Result<(), TestCaseError> {
    let all: Vec<String> = texts.iter().chain(references).cloned().collect();
    let reference = Reference::new(&all, options);
    let threshold = options.matching.threshold.value();
    let found: BTreeMap<(u32, u32), f64> = Texts::new(texts, references)
        .pairs(options)
        .into_iter()
        .map(|(a, b, scores)| ((a, b), scores.score(options.matching.metric)))
        .collect();
    for a in 0..all.len() {
        for b in a + 1..all.len() {
            let pair = found.get(&(a as u32, b as u32));
            if reference.texts[a].is_empty() || reference.texts[b].is_empty() || a >= texts.len() {
                prop_assert!(pair.is_none());
                continue;
            }
            if options.across_only && b < texts.len() {
                prop_assert!(pair.is_none());
                continue;
            }
            let score = reference.score(options.matching.metric, a, b);
            if let Some(found) = pair {
                prop_assert!(
                    (found - score).abs() < NEAR,
                    "{:?} {:?}: {found}, not {score}",
                    all[a],
                    all[b]
                );
            }
            if (score - threshold).abs() > NEAR {
                let expected =
                    score > threshold && (reference.identical(a, b) || meets(&reference, a, b));
                prop_assert_eq!(
                    pair.is_some(),
                    expected,
                    "{:?} {:?}: {}",
                    &all[a],
                    &all[b],
                    score
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_exact_join_equals_brute_force(
        texts in collections(), references in collections(), across in any::<bool>(), metric in metrics(), threshold in thresholds(),
        weighting in prop::sample::select(vec![Weighting::Frequency, Weighting::Idf, Weighting::Log]),
        threads in 1usize..4, small in any::<bool>(),
    ) {
        let mut options = term_options(metric, threshold, Candidates::Exact);
        options.across_only = across && !references.is_empty();
        options.resources.threads = threads;
        options.resources.memory = if small { 1 } else { 1 << 30 };
        options.matching.terms.weights.weighting = weighting;
        check(&texts, &references, &options, |_, _, _| true)?;
    }

    #[test]
    fn features_find_the_pairs_that_share_a_gram(
        texts in collections(), metric in metrics(), threshold in thresholds(), gram in 1usize..5, short in prop::sample::select(vec![0, 3, 8]),
    ) {
        let mut options = term_options(metric, threshold, Candidates::Features);
        options.matching.terms.features = FeatureOptions { count: FeatureCount::BeyondGram, gram, short };
        let value = options.matching.threshold.value();
        check(&texts, &[], &options, |reference, a, b| {
            let is_short = |text| reference.set(text).len() <= short;
            let grams = |text| reference.grams(text, value, gram);
            (is_short(a) && is_short(b)) || grams(a).intersection(&grams(b)).next().is_some()
        })?;
    }

    #[test]
    fn the_baseline_finds_the_pairs_that_share_two_words_in_a_row(
        texts in collections(), metric in metrics(), threshold in thresholds(),
    ) {
        let options = term_options(metric, threshold, Candidates::Baseline);
        check(&texts, &[], &options, |reference, a, b| {
            let (a, b) = (reference.word_pairs(a), reference.word_pairs(b));
            a.intersection(&b).next().is_some()
        })?;
    }

    #[test]
    fn transitivity_connects_the_same_texts_with_no_more_comparisons(
        texts in collections(), threshold in thresholds(), threads in 1usize..4,
        candidates in prop::sample::select(vec![Candidates::Features, Candidates::Exact, Candidates::Baseline]),
    ) {
        let mut options = term_options(Metric::Degree, threshold, candidates);
        let input = Texts::new(&texts, &[]);
        let all = input.join(&options);
        options.matching.terms.transitivity = true;
        options.resources.threads = threads;
        let few = input.join(&options);
        prop_assert!(few.figures.verifications <= all.figures.verifications);
        prop_assert_eq!(connected(&few, texts.len()), connected(&all, texts.len()));
        let one = Texts::new(&texts, &[]);
        options.resources.threads = 1;
        let alone = one.join(&options);
        let list = |joined: &doublet::batch::Joined| {
            joined.matches.spanning(&joined.documents).iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>()
        };
        prop_assert_eq!(list(&few), list(&alone));
        prop_assert_eq!(few.figures.verifications, alone.figures.verifications);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn transitivity_connects_the_same_texts_with_references(texts in collections(), references in collections(), threshold in thresholds()) {
        let mut options = term_options(Metric::Degree, threshold, Candidates::Exact);
        let input = Texts::new(&texts, &references);
        let all = input.join(&options);
        options.matching.terms.transitivity = true;
        let few = input.join(&options);
        let count = texts.len() + references.len();
        prop_assert_eq!(connected(&few, count), connected(&all, count));
    }

    #[test]
    fn the_baseline_finds_copies_among_references(texts in collections(), references in collections()) {
        let options = term_options(Metric::Degree, "1", Candidates::Baseline);
        check(&texts, &references, &options, |reference, a, b| {
            reference.word_pairs(a).intersection(&reference.word_pairs(b)).next().is_some()
        })?;
    }
}

/// The first text that each is connected with.
fn connected(joined: &doublet::batch::Joined, count: usize) -> Vec<usize> {
    let mut set_of: Vec<usize> = (0..count).collect();
    for pair in joined.matches.spanning(&joined.documents) {
        let (a, b) = (set_of[pair.a.index()], set_of[pair.b.index()]);
        let sets = set_of.iter_mut().filter(|set| **set == b);
        sets.for_each(|set| *set = a);
    }
    let first = |set: &usize| set_of.iter().position(|other| other == set).unwrap();
    set_of.iter().map(first).collect()
}

#[test]
fn many_texts_in_one_bucket_are_the_same_for_any_threads_and_memory() {
    // Families around shared words: large buckets, some of one group, some of many.
    let texts: Vec<String> = (0..6000)
        .map(|n| {
            let family = n % 40;
            format!(
                "parcel waiting office family{family} code {} street{}",
                n % 7,
                n % (3 + family)
            )
        })
        .collect();
    let run = |threads: usize, memory: u64, transitivity: bool| {
        let mut options = term_options(Metric::Degree, "0.65", Candidates::Features);
        options.resources.threads = threads;
        options.resources.memory = memory;
        options.matching.terms.transitivity = transitivity;
        let joined = Texts::new(&texts, &[]).join(&options);
        let pairs = joined.matches.spanning(&joined.documents);
        let ends: Vec<_> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
        (ends, joined.figures.verifications, joined.figures.saved)
    };
    let one = run(1, 1 << 30, true);
    assert_eq!(run(3, 1 << 30, true), one);
    assert_eq!(run(2, 1, true), one);
    let all = run(1, 1 << 30, false);
    assert_eq!(run(3, 1, false), all);
    assert!(one.1 < all.1);
}

/// Messages of a few families, some of them long, with copies.
fn families(count: usize, salt: usize) -> Vec<String> {
    (0..count)
        .map(|n| {
            let (family, n) = (n % 23, n * 7 + salt);
            let long = if n.is_multiple_of(11) { 60 } else { 0 };
            let tail: String = (0..long)
                .map(|k| format!(" part{}", (k * n) % 97))
                .collect();
            format!(
                "parcel waiting office family{family} code {} street{} gate{}{tail}",
                n % 7,
                n % (3 + family),
                n % 29
            )
        })
        .collect()
}

#[test]
fn pairs_scores_and_counts_are_the_same_for_any_memory() {
    let (input, references) = (families(1500, 0), families(300, 5));
    let plain = Texts::new(&input, &[]);
    let with_references = Texts::new(&input, &references);
    let ways = [
        (Candidates::Features, false),
        (Candidates::Features, true),
        (Candidates::Exact, true),
        (Candidates::Baseline, false),
        (Candidates::Baseline, true),
    ];
    for ((candidates, transitivity), across) in ways.into_iter().zip([false, true].repeat(3)) {
        let texts = if across { &with_references } else { &plain };
        let run = |threads: usize, memory: u64| {
            let mut options = term_options(Metric::Degree, "0.75", candidates);
            options.resources.threads = threads;
            options.resources.memory = memory;
            options.matching.terms.transitivity = transitivity;
            options.across_only = across;
            let joined = texts.join(&options);
            let pairs = joined.matches.between_distinct_texts(&joined.documents);
            let pairs: Vec<_> = pairs.collect();
            let figures = &joined.figures;
            (pairs, figures.verifications, figures.saved)
        };
        let plenty = run(1, 1 << 30);
        assert!(plenty.1 > 1000);
        // From everything on disk to lists in memory without keys.
        for (threads, memory) in [
            (1, 0),
            (3, 64 << 10),
            (2, 256 << 10),
            (1, 1 << 20),
            (3, 1 << 21),
        ] {
            let found = run(threads, memory);
            assert!(
                found == plenty,
                "{candidates:?}, transitivity {transitivity}, {threads} threads, {memory} bytes"
            );
        }
    }
}
