//! The join over fingerprints of 64 bits against a plain reference: sets of strings, one sum a bit, every pair.

use std::collections::BTreeMap;

use doublet::DocId;
use doublet::batch::{JoinOptions, Joined, scores_with_representatives};
use doublet::cluster::{ClusterOptions, Keep, Linkage, cluster};
use doublet::hash::hash_bytes;
use doublet::method::Method;
use doublet::method::shingles::Preparer;
use doublet::method::simhash::{Voters, ballot};
use doublet::options::{NormalizeOptions, ShingleOptions};
use doublet::progress::Silent;
use doublet::scores::{Metric, Scores};
use proptest::prelude::*;

use crate::harness::{Texts, options};
use crate::terms::Reference;

fn simhash_options(distance: u32, size: usize) -> JoinOptions {
    let threshold = (f64::from(64 - distance) / 64.0).to_string();
    let mut options = options(Metric::Agreement, &threshold, size);
    options.matching.method = Method::Simhash;
    options
}

fn term_options(distance: u32) -> JoinOptions {
    let mut options = simhash_options(distance, 5);
    options.matching.simhash.voters = Voters::Terms;
    options
}

/// A fingerprint by 64 sums.
fn slow_fingerprint(features: &BTreeMap<u64, u64>) -> Option<u64> {
    let bit = |bit: u32| {
        let votes = features.iter().map(|(&hash, &weight)| {
            let weight = i128::from(weight);
            match ballot(hash) >> bit & 1 {
                1 => weight,
                _ => -weight,
            }
        });
        u64::from(votes.sum::<i128>() >= 0) << bit
    };
    let weighs = features.values().any(|&weight| weight > 0);
    weighs.then(|| (0..64).map(bit).sum())
}

/// The tokens of each text, and its fingerprint.
type Seen = Vec<(Vec<String>, Option<u64>)>;

fn seen_by_shingles(texts: &[&String], size: usize) -> Seen {
    let shingle = ShingleOptions {
        size,
        ..ShingleOptions::default()
    };
    let preparer = Preparer::new(&NormalizeOptions::default(), &shingle).unwrap();
    let see = |text: &&String| {
        let tokens = preparer.tokens(text);
        let features = tokens.shingles.iter().map(|&hash| (hash, 1)).collect();
        let forms = (0..tokens.len()).map(|token| tokens.form(token).to_owned());
        (forms.collect(), slow_fingerprint(&features))
    };
    texts.iter().map(see).collect()
}

fn seen_by_terms(texts: &[&String], options: &JoinOptions) -> Seen {
    let texts: Vec<String> = texts.iter().map(|text| (*text).clone()).collect();
    let reference = Reference::new(&texts, options);
    let see = |terms: &Vec<String>| {
        let features = terms
            .iter()
            .map(|term| (hash_bytes(term.as_bytes()), reference.weights[term]))
            .collect();
        (terms.clone(), slow_fingerprint(&features))
    };
    reference.texts.iter().map(see).collect()
}

/// Every pair within the distance, by comparing all with all.
fn slow_pairs(seen: &Seen, input: usize, across: bool, most: u32) -> Vec<(u32, u32, u32)> {
    let mut pairs = Vec::new();
    for (b, (tokens_b, y)) in seen.iter().enumerate() {
        for (a, (tokens_a, x)) in seen[..b].iter().enumerate() {
            let wanted = if across {
                a < input && b >= input
            } else {
                a < input
            };
            let copies = tokens_a == tokens_b && !tokens_a.is_empty();
            let distance = match (x, y) {
                (Some(x), Some(y)) => (x ^ y).count_ones(),
                _ if copies => 0,
                _ => continue,
            };
            if wanted && distance <= most {
                pairs.push((a as u32, b as u32, 64 - distance));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The agreeing bits of each pair that a join finds.
fn found_pairs(texts: &Texts, options: &JoinOptions) -> Vec<(u32, u32, u32)> {
    let agreeing = |scores: Scores| match scores.compared {
        0 => 64,
        _ => scores.common,
    };
    let pairs = texts.pairs(options).into_iter();
    pairs
        .map(|(a, b, scores)| (a, b, agreeing(scores)))
        .collect()
}

/// Texts of few words, so that shingles repeat and texts are near, identical, empty or shorter than a shingle.
fn collection(most: usize) -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec![
        "a",
        "b",
        "fox",
        "Fox",
        "jumps",
        "12",
        "7",
        "漢字",
        "かな",
        "e\u{301}te",
        "\u{e9}te",
        "ก",
        "😀",
        "👩‍🚀",
        "—",
        "Straße",
        "the",
        "over",
    ]);
    let text = prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "));
    let long = prop::collection::vec(0usize..40, 1..3).prop_map(|turns| {
        let mut words: Vec<String> = (0..40).map(|word| format!("w{word}x")).collect();
        for turn in turns {
            words[turn].push('y');
        }
        words.join(" ")
    });
    prop::collection::vec(prop_oneof![text, long], 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn equals_brute_force(
        input in collection(20),
        references in collection(6),
        across: bool,
        most in 0u32..40,
        size in 1usize..6,
        threads in 1usize..4,
        little: bool,
    ) {
        let mut options = simhash_options(most, size);
        options.across_only = across && !references.is_empty();
        options.resources.threads = threads;
        if little {
            options.resources.memory = 0;
        }
        let all: Vec<&String> = input.iter().chain(&references).collect();
        let seen = seen_by_shingles(&all, size);
        let expected = slow_pairs(&seen, input.len(), options.across_only, most);
        prop_assert_eq!(found_pairs(&Texts::new(&input, &references), &options), expected);
    }

    #[test]
    fn terms_vote_with_their_weights(
        input in collection(16),
        references in collection(4),
        most in 0u32..40,
        threads in 1usize..3,
    ) {
        let mut options = term_options(most);
        options.resources.threads = threads;
        let all: Vec<&String> = input.iter().chain(&references).collect();
        let seen = seen_by_terms(&all, &options);
        let expected = slow_pairs(&seen, input.len(), false, most);
        prop_assert_eq!(found_pairs(&Texts::new(&input, &references), &options), expected);
    }

    #[test]
    fn passing_over_pairs_connects_the_same_texts(
        input in collection(24),
        references in collection(8),
        most in 0u32..24,
        spanning in 0u64..6,
    ) {
        let mut options = simhash_options(most, 2);
        let texts = Texts::new(&input, &references);
        let all = clusters(&texts, &texts.join(&options), &options);
        options.spanning = Some(spanning);
        let joined = texts.join(&options);
        prop_assert_eq!(clusters(&texts, &joined, &options), all);
        let few = joined.matches.between_distinct_texts(&joined.documents).count();
        prop_assert!(!joined.figures.spanning || few < input.len() + references.len());
    }
}

/// The members of each cluster, whose scores against the representative are those of their fingerprints.
fn clusters(texts: &Texts, joined: &Joined, options: &JoinOptions) -> Vec<Vec<DocId>> {
    let how = ClusterOptions {
        linkage: Linkage::Connected,
        keep: Keep::First,
        metric: options.matching.metric,
        removal: None,
    };
    let mut found = cluster(&joined.documents, &joined.matches, &how);
    let scores =
        scores_with_representatives(&texts.source, joined, options, &mut found, &Silent).unwrap();
    for (cluster, scores) in found.0.iter().zip(&scores) {
        let own = cluster
            .members
            .iter()
            .position(|m| *m == cluster.representative);
        let score = scores[own.unwrap()].score(Metric::Agreement);
        assert!((score - 1.0).abs() < 1e-12);
        assert!(
            scores
                .iter()
                .all(|scores| scores.score(Metric::Agreement) <= 1.0)
        );
    }
    found.0.into_iter().map(|cluster| cluster.members).collect()
}

#[test]
fn very_many_texts_of_one_fingerprint_are_connected_by_few_pairs() {
    // One shingle repeated more or less often: different texts, the same features.
    let input: Vec<String> = (1..=3000)
        .map(|count| "ha ".repeat(count % 100 + count / 100 * 100))
        .collect();
    let mut options = simhash_options(3, 1);
    options.spanning = Some(100_000);
    let texts = Texts::new(&input, &[]);
    let joined = texts.join(&options);
    assert!(joined.figures.spanning);
    let pairs = joined.matches.between_distinct_texts(&joined.documents);
    assert_eq!(pairs.count(), input.len() - 1);
    options.spanning = None;
    assert_eq!(texts.join(&options).matches.count(), 3000 * 2999 / 2);
}

#[test]
fn texts_without_a_word_match_nothing() {
    let input: Vec<String> = ["", "—", "", "word", "word"].map(str::to_owned).to_vec();
    for options in [simhash_options(63, 5), term_options(63)] {
        assert_eq!(
            found_pairs(&Texts::new(&input, &[]), &options),
            [(3, 4, 64)]
        );
    }
}

/// A word made of letters only.
fn word(number: usize) -> String {
    let digits = format!("{number:03}");
    let letters = digits.bytes().map(|digit| char::from(digit - b'0' + b'a'));
    letters.chain(['x']).collect()
}

#[test]
fn near_texts_have_near_fingerprints() {
    let words: Vec<String> = (0..400).map(|place| word(place * 7919 % 1000)).collect();
    let text = |turned: usize| {
        let mut words = words.clone();
        for turn in 0..turned {
            words[turn * 397 % 400] = format!("other{}", word(turn));
        }
        words.join(" ")
    };
    let input: Vec<String> = [0, 1, 10, 100, 400].map(text).to_vec();
    let all: Vec<&String> = input.iter().collect();
    let prints: Vec<u64> = seen_by_shingles(&all, 1)
        .into_iter()
        .map(|seen| seen.1.unwrap())
        .collect();
    let distances: Vec<u32> = prints
        .iter()
        .map(|other| (prints[0] ^ other).count_ones())
        .collect();
    assert!(distances[1] <= 4 && distances[2] <= 12, "{distances:?}");
    assert!(distances[4] >= 20, "{distances:?}");
    assert!(distances.is_sorted(), "{distances:?}");
}
