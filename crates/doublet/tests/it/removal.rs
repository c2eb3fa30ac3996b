//! The promise of `dedup`: every removed text is a match of the text that is kept for it, by every method.
//!
//! Each run is held against all pairs of the same join, found without a shortcut.

use std::collections::{BTreeMap, BTreeSet};
use std::slice::from_ref;

use doublet::DocId;
use doublet::batch::{JoinOptions, score_between};
use doublet::cluster::{ClusterOptions, Keep, Linkage, MostLost};
use doublet::dedup::{DedupOptions, dedup};
use doublet::method::Method;
use doublet::method::terms::Candidates;
use doublet::progress::Silent;
use doublet::report::summary::Summary;
use doublet::scores::{Metric, Scores};
use proptest::prelude::*;
use serde_json::Value;

use crate::harness::{Texts, collection, options, word};

/// A method with a metric, as users name them.
const WAYS: [(Method, Metric); 10] = [
    (Method::Shingles, Metric::Resemblance),
    (Method::Shingles, Metric::Coverage),
    (Method::Shingles, Metric::Containment),
    (Method::Shingles, Metric::ContainmentCoverage),
    (Method::Minhash, Metric::Resemblance),
    (Method::Minhash, Metric::Agreement),
    (Method::Simhash, Metric::Agreement),
    (Method::Terms, Metric::Degree),
    (Method::Sentences, Metric::ContainmentCoverage),
    (Method::Imatch, Metric::ContainmentCoverage),
];

fn join_options((method, metric): (Method, Metric), threshold: &str) -> JoinOptions {
    let mut join = options(metric, threshold, 2);
    join.matching.method = method;
    if method == Method::Simhash {
        join.matching.threshold = "0.8".parse().unwrap();
    }
    join.matching.metric = match method.metrics().contains(&metric) {
        true => metric,
        false => method.metrics()[0],
    };
    join
}

/// What a run of `dedup` wrote.
struct Ran {
    summary: Summary,
    /// Each removed text: the text kept for it, the score, and the words lost.
    removed: BTreeMap<u32, (u32, f64, u64)>,
    clusters: Vec<Value>,
}

fn run(texts: &Texts, join: &JoinOptions, cluster: ClusterOptions) -> Ran {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("out");
    let options = DedupOptions {
        join: JoinOptions {
            rank: cluster.keep.rank_by(),
            ..join.clone()
        },
        most_lost: most_lost(&cluster),
        cluster,
        ..DedupOptions::new(join.clone(), directory.clone())
    };
    let summary = dedup(&texts.source, &options, &Silent).unwrap();
    let lines = |name: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(directory.join(name)).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let input = texts.source.input.files()[0].name().to_owned();
    let removed = lines("removed.jsonl");
    let number = |key: &Value| number(key, &input, summary.read as u32);
    Ran {
        removed: removed
            .iter()
            .map(|line| {
                let lost = line["lost"].as_u64().unwrap();
                let score = line["score"].as_f64().unwrap();
                (
                    number(&line["id"]),
                    (number(&line["representative"]), score, lost),
                )
            })
            .collect(),
        clusters: lines("clusters.jsonl"),
        summary,
    }
}

/// How much removals may lose.
fn most_lost(cluster: &ClusterOptions) -> Option<MostLost> {
    cluster.removal.and_then(|rule| rule.most_lost)
}

/// The number of a text by its key, `FILE:LINE`; references come after the input.
fn number(key: &Value, input: &str, texts: u32) -> u32 {
    let (file, line) = key.as_str().unwrap().rsplit_once(':').unwrap();
    let line: u32 = line.parse().unwrap();
    match file == input {
        true => line - 1,
        false => texts + line - 1,
    }
}

fn keeps() -> impl Strategy<Value = Keep> {
    // No text has the field: then the first stays.
    let field = Keep::Field {
        name: "rank".to_owned(),
        smallest: false,
    };
    let others = [Keep::Central, Keep::First, Keep::Last, Keep::Longest];
    prop::sample::select([&others[..], &[field]].concat())
}

fn linkages() -> impl Strategy<Value = Linkage> {
    prop::sample::select(vec![Linkage::Star, Linkage::Complete, Linkage::Connected])
}

fn losses() -> impl Strategy<Value = Option<MostLost>> {
    let words = ["0", "1", "4", "0.1", "0.5"].map(|most| most.parse().ok());
    prop_oneof![2 => Just(None), 1 => prop::sample::select(words.to_vec())]
}

/// Pairs by their texts, seen from the first.
type Pairs = BTreeMap<(u32, u32), Scores>;

/// The pairs that a join finds.
fn found_pairs(texts: &Texts, join: &JoinOptions) -> Pairs {
    let pairs = texts.pairs(join).into_iter();
    pairs.map(|(a, b, scores)| ((a, b), scores)).collect()
}

/// All pairs of which the scores make a match, whether the join finds them or not, and those it finds.
fn all_pairs(texts: &Texts, join: &JoinOptions) -> Pairs {
    let joined = texts.join(join);
    let count = joined.documents.len() as u32;
    let pairs: Vec<(DocId, DocId)> = (0..count)
        .flat_map(|a| (a + 1..count).map(move |b| (DocId(a), DocId(b))))
        .collect();
    let scores = score_between(&texts.source, &joined, join, &pairs, &Silent).unwrap();
    let scored = pairs.iter().zip(scores);
    let matching = scored.filter_map(|((a, b), scores)| Some(((a.0, b.0), scores?)));
    let mut all: Pairs = matching
        .filter(|(_, scores)| join.decision().is_match(scores))
        .collect();
    all.extend(found_pairs(texts, join));
    all
}

/// Holds what a run removed against all pairs.
fn check(texts: &Texts, join: &JoinOptions, cluster: &ClusterOptions) {
    let pairs = all_pairs(texts, join);
    let ran = run(texts, join, cluster.clone());
    let told = format!(
        "{:?} {} {cluster:?}",
        join.matching.method, join.matching.metric
    );
    let mut below = 0;
    for (&text, &(kept, score, lost)) in &ran.removed {
        assert!(
            !ran.removed.contains_key(&kept),
            "{told}: {kept} is removed itself"
        );
        assert!(
            text < ran.summary.read as u32,
            "{told}: {text} is a reference"
        );
        let Some(scores) = seen_from(kept, text, &pairs) else {
            below += 1;
            continue;
        };
        assert!(
            (scores.removal_score(join.matching.metric) - score).abs() < 1e-6,
            "{told}: {text} for {kept}"
        );
        below += u64::from(!join.removal_rule(None).allows(&scores));
        check_lost(texts, join, (text, kept, lost), &scores);
        let words = texts.all[text as usize].split_whitespace().count();
        let most = most_lost(cluster);
        let is_allowed = most.is_none_or(|most| most.allows(lost as u32, words as u32));
        assert!(is_allowed, "{told}: {text} loses {lost} words");
    }
    assert_eq!(ran.summary.below_threshold, below, "{told}");
    assert!(
        below == 0 || cluster.linkage == Linkage::Connected,
        "{told}: {below} below"
    );
    let lost: u64 = ran.removed.values().map(|(.., lost)| lost).sum();
    assert_eq!(ran.summary.words_lost, lost, "{told}");
    assert_eq!(ran.summary.removed, ran.removed.len() as u64, "{told}");
    check_clusters(&ran, &told);
    if cluster.linkage == Linkage::Star && most_lost(cluster).is_none() {
        check_kept(&found_pairs(texts, join), &ran, join, cluster);
    }
}

/// The scores of a pair, seen from the kept text, if it is among these.
fn seen_from(kept: u32, removed: u32, pairs: &Pairs) -> Option<Scores> {
    let scores = pairs.get(&(kept.min(removed), kept.max(removed)))?;
    Some(match kept < removed {
        true => *scores,
        false => scores.swapped(),
    })
}

/// What a removal loses: at least the words that the kept text does not have, and what the scores say where they count all words.
fn check_lost(
    texts: &Texts,
    join: &JoinOptions,
    (text, kept, lost): (u32, u32, u64),
    scores: &Scores,
) {
    let told = format!(
        "{:?} {}: {text} for {kept}",
        join.matching.method, join.matching.metric
    );
    let words = |text: u32| texts.all[text as usize].split_whitespace();
    let known: BTreeSet<&str> = words(kept).collect();
    let unknown = words(text).filter(|word| !known.contains(word)).count();
    assert!(lost >= unknown as u64, "{told}: {lost} of {unknown} words");
    if scores.compared == 0
        && join.matching.method.unit().is_none()
        && join.matching.normalize.stop_words.is_empty()
    {
        let uncovered = scores.tokens_b - scores.covered_b;
        assert_eq!(lost, u64::from(uncovered), "{told}");
    }
}

/// The weakest of a cluster is the lowest score of a member against the representative.
fn check_clusters(ran: &Ran, told: &str) {
    for cluster in &ran.clusters {
        let members = cluster["members"].as_array().unwrap();
        assert!(
            members.len() > 1 && cluster["size"] == members.len(),
            "{told}: {cluster}"
        );
        let scores = members
            .iter()
            .map(|member| member["score"].as_f64().unwrap());
        assert_eq!(
            cluster["weakest"].as_f64(),
            scores.reduce(f64::min),
            "{told}: {cluster}"
        );
    }
}

/// Of two kept texts that match, neither could have been removed for the other. Where one may be contained in the other, this
/// holds in the order of the input alone: other texts decide which of them is a representative.
fn check_kept(pairs: &Pairs, ran: &Ran, join: &JoinOptions, cluster: &ClusterOptions) {
    if join.matching.metric.is_one_sided() && cluster.keep != Keep::First {
        return;
    }
    let texts = ran.summary.read as u32;
    let rule = join.removal_rule(None);
    for (&(a, b), scores) in pairs {
        let is_gone = ran.removed.contains_key(&a) || ran.removed.contains_key(&b);
        // References are last, and come first.
        let is_allowed = match b >= texts {
            true => rule.allows(&scores.swapped()),
            false => rule.allows(scores),
        };
        assert!(
            is_gone || !is_allowed,
            "{:?} {} {cluster:?}: {a} and {b} match and are both kept",
            join.matching.method,
            join.matching.metric
        );
    }
}

fn clustering(join: &JoinOptions, linkage: Linkage, keep: Keep) -> ClusterOptions {
    ClusterOptions {
        linkage,
        keep,
        metric: join.matching.metric,
        removal: Some(join.removal_rule(None)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn removed_texts_match_the_text_kept_for_them(
        texts in collection(16),
        references in prop_oneof![Just(Vec::new()), collection(6)],
        way in prop::sample::select(WAYS.to_vec()),
        linkage in linkages(),
        keep in keeps(),
        most_lost in losses(),
        threshold in prop::sample::select(vec!["0.3", "0.5", "0.8", "1"]),
        stop_words in prop::sample::select(vec![vec![], vec!["a"], vec!["a", "b", "c"]]),
        transitivity in any::<bool>(),
    ) {
        let mut join = join_options(way, threshold);
        join.matching.terms.transitivity = transitivity && way.0 == Method::Terms && linkage != Linkage::Complete;
        join.matching.normalize.stop_words = stop_words.into_iter().map(str::to_owned).collect();
        let texts = Texts::new(&texts, &references);
        let cluster = ClusterOptions { removal: Some(join.removal_rule(most_lost)), ..clustering(&join, linkage, keep) };
        check(&texts, &join, &cluster);
    }

    #[test]
    fn they_do_where_pairs_are_passed_over(
        texts in collection(24),
        references in prop_oneof![Just(Vec::new()), collection(6)],
        way in prop::sample::select(WAYS.to_vec()),
        keep in keeps(),
        threads in 1usize..3,
    ) {
        let mut join = join_options(way, "0.4");
        let texts = Texts::new(&texts, &references);
        let pairs = all_pairs(&texts, &join);
        join.spanning = Some(0);
        join.resources.threads = threads;
        let cluster = clustering(&join, Linkage::Star, keep);
        let ran = run(&texts, &join, cluster.clone());
        for (&text, &(kept, score, _)) in &ran.removed {
            let scores = seen_from(kept, text, &pairs).unwrap();
            prop_assert!((scores.removal_score(join.matching.metric) - score).abs() < 1e-6, "{text} for {kept}");
            prop_assert!(join.removal_rule(None).allows(&scores), "{text} for {kept}");
        }
        prop_assert_eq!(ran.summary.below_threshold, 0);
        // The components are small, so that all pairs within them are compared.
        join.spanning = None;
        check_kept(&found_pairs(&texts, &join), &ran, &join, &cluster);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// So many texts are connected that not all pairs of them are compared.
    #[test]
    fn they_do_in_large_components_where_pairs_are_passed_over(
        texts in collection(100),
        references in prop_oneof![Just(Vec::new()), collection(10)],
        way in prop::sample::select(WAYS.to_vec()),
        keep in keeps(),
        most_lost in losses(),
        threshold in prop::sample::select(vec!["0.1", "0.25"]),
    ) {
        let mut join = join_options(way, threshold);
        let texts = Texts::new(&texts, &references);
        let pairs = all_pairs(&texts, &join);
        join.spanning = Some(0);
        let cluster = ClusterOptions { removal: Some(join.removal_rule(most_lost)), ..clustering(&join, Linkage::Star, keep) };
        let ran = run(&texts, &join, cluster.clone());
        for (&text, &(kept, score, _)) in &ran.removed {
            let scores = seen_from(kept, text, &pairs).unwrap();
            prop_assert!((scores.removal_score(join.matching.metric) - score).abs() < 1e-6, "{text} for {kept}");
            prop_assert!(join.removal_rule(most_lost).allows(&scores), "{text} for {kept}");
            prop_assert!(!ran.removed.contains_key(&kept));
        }
        prop_assert_eq!(ran.summary.below_threshold, 0);
        check_clusters(&ran, join.matching.method.name());
        let is_partly_compared = ran.summary.warnings.iter().any(|text| text.contains("compared with only some"));
        if most_lost.is_none() && !is_partly_compared {
            join.spanning = None;
            check_kept(&found_pairs(&texts, &join), &ran, &join, &cluster);
        }
    }
}

/// A chain of texts of which only neighbours match.
fn chain(length: u64) -> Vec<String> {
    let text = |from: u64| (from..from + 20).map(|n| word(n) + " ").collect();
    (0..length).map(|n| text(3 * n)).collect()
}

#[test]
fn a_long_chain_is_cut_where_texts_do_not_match() {
    let texts = Texts::new(&chain(400), &[]);
    let mut join = options(Metric::Resemblance, "0.6", 1);
    for spanning in [None, Some(0)] {
        join.spanning = spanning;
        let star = run(
            &texts,
            &join,
            clustering(&join, Linkage::Star, Keep::Central),
        );
        assert_eq!(star.summary.below_threshold, 0);
        let connected = run(
            &texts,
            &join,
            clustering(&join, Linkage::Connected, Keep::First),
        );
        assert_eq!(connected.summary.removed, 399);
        assert!(connected.summary.below_threshold > 390);
        let told = |ran: &Ran| {
            ran.summary
                .warnings
                .iter()
                .any(|text| text.contains("below the threshold"))
        };
        assert!(
            told(&connected) && !told(&star),
            "{:?}",
            connected.summary.warnings
        );
        let is_partly_compared = star
            .summary
            .warnings
            .iter()
            .any(|text| text.contains("only some of its representatives"));
        assert_eq!(is_partly_compared, spanning.is_some());
        // A representative and its two neighbours: about every third text is kept.
        assert!(
            (130..=140).contains(&star.summary.kept),
            "{}",
            star.summary.kept
        );
    }
}

/// More references are in one component than it has comparisons for.
#[test]
fn matches_with_references_count_where_comparisons_end() {
    let texts = chain(400);
    let references: Vec<String> = (0..30).map(|n| texts[13 * n].clone() + "more").collect();
    let texts = Texts::new(&texts, &references);
    let mut join = options(Metric::Resemblance, "0.6", 1);
    join.spanning = Some(0);
    let ran = run(
        &texts,
        &join,
        clustering(&join, Linkage::Star, Keep::Central),
    );
    let kept: BTreeSet<u32> = ran.removed.values().map(|(kept, ..)| *kept).collect();
    let references = kept.iter().filter(|kept| **kept >= 400).count();
    assert_eq!(references, 30);
    assert_eq!(ran.summary.below_threshold, 0);
}

#[test]
fn representatives_that_most_match_leave_fewer_texts() {
    // The first text of each five matches the other four, which do not match one another.
    let five = |n: u64| {
        let words = |range: std::ops::Range<u64>| {
            range
                .map(|own| word(100 * n + own) + " ")
                .collect::<String>()
        };
        let hub = words(0..20);
        let spokes = (0..4).map(move |spoke| {
            words(spoke * 5..20) + &words(0..spoke * 5) + &words(40 + 6 * spoke..46 + 6 * spoke)
        });
        spokes.chain([hub]).collect::<Vec<_>>()
    };
    let texts: Vec<String> = (0..20).flat_map(five).collect();
    let texts = Texts::new(&texts, &[]);
    let join = options(Metric::Resemblance, "0.7", 1);
    let kept = |keep| {
        run(&texts, &join, clustering(&join, Linkage::Star, keep))
            .summary
            .kept
    };
    assert_eq!(kept(Keep::Central), 20);
    assert_eq!(kept(Keep::First), 80);
}

#[test]
fn only_what_the_kept_text_contains_is_removed() {
    let long: String = (0..20).map(|n| word(n) + " ").collect();
    let clipped: String = (0..17).map(|n| word(n) + " ").collect();
    let extended = format!("{long}and a word");
    let texts = Texts::new(&[clipped, long, extended], &[]);
    let join = options(Metric::Resemblance, "0.6", 1);
    let cluster = ClusterOptions {
        removal: Some(join.removal_rule("0".parse().ok())),
        ..clustering(&join, Linkage::Star, Keep::Central)
    };
    let ran = run(&texts, &join, cluster);
    let kept: Vec<u32> = ran.removed.values().map(|(kept, ..)| *kept).collect();
    assert_eq!(ran.removed.keys().copied().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(kept, [2, 2], "the longest contains both");
}

#[test]
fn texts_kept_for_their_words_are_counted() {
    let text = |from: u64| (from..from + 20).map(|n| word(n) + " ").collect::<String>();
    // Each pair shares 18 of its 20 words.
    let texts: Vec<String> = (0..6)
        .flat_map(|n| [text(100 * n), text(100 * n + 2)])
        .collect();
    let texts = Texts::new(&texts, &[]);
    let join = options(Metric::Resemblance, "0.5", 1);
    for linkage in [Linkage::Star, Linkage::Connected, Linkage::Complete] {
        for (most_lost, removed) in [(None, 6), (Some("2"), 6), (Some("1"), 0), (Some("0.05"), 0)] {
            let cluster = ClusterOptions {
                removal: Some(join.removal_rule(most_lost.map(|most| most.parse().unwrap()))),
                ..clustering(&join, linkage, Keep::First)
            };
            let summary = run(&texts, &join, cluster).summary;
            assert_eq!(
                (summary.removed, summary.kept_for_loss),
                (removed, Some(6 - removed)),
                "{linkage:?} {most_lost:?}"
            );
        }
    }
}

#[test]
fn copies_are_removed_though_another_text_may_not_be() {
    let texts = [
        "a price of 12 euros",
        "a price of 13 euros",
        "a price of 13 euros",
        "A price of 13 euros.",
    ];
    let texts = Texts::new(&texts.map(str::to_owned), &[]);
    let mut join = options(Metric::Resemblance, "0.9", 2);
    join.matching.normalize.numbers = doublet::options::Numbers::Token;
    for (linkage, keep) in [
        (Linkage::Star, Keep::Central),
        (Linkage::Connected, Keep::First),
    ] {
        let cluster = ClusterOptions {
            removal: Some(join.removal_rule("0".parse().ok())),
            ..clustering(&join, linkage, keep)
        };
        let ran = run(&texts, &join, cluster);
        let kept: Vec<(u32, u32)> = ran
            .removed
            .iter()
            .map(|(text, (kept, ..))| (*text, *kept))
            .collect();
        assert_eq!(kept, [(2, 1), (3, 1)]);
        assert_eq!(
            (ran.summary.kept_for_loss, ran.summary.differ_in_numbers),
            (Some(1), 0)
        );
        assert_eq!(ran.clusters.len(), 1);
        check_clusters(&ran, "copies");
    }
}

#[test]
fn only_numbers_are_told_of_where_other_words_are_left_out_too() {
    let texts = [
        "a price of 12 euros",
        "the price of 12 euros",
        "a price of 13 euros",
    ];
    let texts = Texts::new(&texts.map(str::to_owned), &[]);
    let mut join = options(Metric::Resemblance, "0.9", 2);
    join.matching.normalize.numbers = doublet::options::Numbers::Token;
    join.matching.normalize.stop_words = vec!["a".to_owned(), "the".to_owned()];
    let ran = run(&texts, &join, clustering(&join, Linkage::Star, Keep::First));
    assert_eq!((ran.summary.removed, ran.summary.differ_in_numbers), (2, 1));
}

#[test]
fn references_are_no_cluster_when_the_text_is_kept_for_its_words() {
    let texts = Texts::new(
        &["a price of 12 euros".to_owned()],
        &[
            "a price of 13 euros".to_owned(),
            "a price of 13 euros".to_owned(),
        ],
    );
    let mut join = options(Metric::Resemblance, "0.9", 2);
    join.matching.normalize.numbers = doublet::options::Numbers::Token;
    let cluster = ClusterOptions {
        removal: Some(join.removal_rule("0".parse().ok())),
        ..clustering(&join, Linkage::Star, Keep::Central)
    };
    let ran = run(&texts, &join, cluster);
    assert_eq!(
        (
            ran.summary.removed,
            ran.summary.kept_for_loss,
            ran.summary.clusters
        ),
        (0, Some(1), 0)
    );
    assert!(ran.clusters.is_empty());
}

#[test]
fn no_text_is_removed_for_one_that_it_contains() {
    let words = |from: u64, count: u64| (from..from + count).map(|n| word(n) + " ").collect();
    let quoted: String = words(0, 12);
    let article: String = words(100, 60) + &quoted + &words(200, 60);
    let spam = quoted.repeat(40);
    assert!(spam.len() > article.len());
    for metric in [Metric::Containment, Metric::ContainmentCoverage] {
        let join = options(metric, "0.8", 3);
        for linkage in [Linkage::Star, Linkage::Complete] {
            for keep in [Keep::Central, Keep::First, Keep::Last, Keep::Longest] {
                let cluster = || clustering(&join, linkage, keep.clone());
                let against = Texts::new(from_ref(&article), from_ref(&quoted));
                let ran = run(&against, &join, cluster());
                assert_eq!(ran.summary.removed, 0, "{metric} {linkage:?} {keep}");
                let together = Texts::new(&[article.clone(), spam.clone()], &[]);
                let ran = run(&together, &join, cluster());
                let article_is_gone = ran.removed.contains_key(&0);
                assert!(!article_is_gone, "{metric} {linkage:?} {keep}");
            }
            let reversed = Texts::new(from_ref(&quoted), from_ref(&article));
            let ran = run(&reversed, &join, clustering(&join, linkage, Keep::First));
            assert_eq!(ran.removed[&0].1, 1.0, "the article contains it");
        }
    }
    let join = options(Metric::Containment, "0.8", 3);
    let chained = Texts::new(&[quoted, article], &[]);
    let ran = run(
        &chained,
        &join,
        clustering(&join, Linkage::Connected, Keep::First),
    );
    assert_eq!((ran.summary.removed, ran.summary.below_threshold), (1, 1));
}

#[test]
fn words_that_the_method_leaves_out_are_lost_too() {
    let check = |texts: [&str; 2], join: &JoinOptions, lost: u64| {
        let texts = Texts::new(&texts.map(str::to_owned), &[]);
        let cluster = clustering(join, Linkage::Star, Keep::First);
        let ran = run(&texts, join, cluster.clone());
        let losses: Vec<u64> = ran.removed.values().map(|(.., lost)| *lost).collect();
        assert_eq!(losses, [lost], "{:?}", join.matching.method);
        let strict = ClusterOptions {
            removal: Some(join.removal_rule("0".parse().ok())),
            ..cluster
        };
        assert_eq!(run(&texts, join, strict).summary.removed, 0);
    };
    let mut join = options(Metric::Resemblance, "0.9", 2);
    join.matching.normalize.stop_words = vec!["not".to_owned()];
    check(
        ["you should take this drug", "you should not take this drug"],
        &join,
        1,
    );
    let mut join = options(Metric::Resemblance, "0.9", 2);
    join.matching.normalize.numbers = doublet::options::Numbers::Token;
    check(
        ["a price of 12 and 13 euros", "a price of 99 and 14 euros"],
        &join,
        2,
    );
}

#[test]
fn references_alone_are_no_cluster() {
    let text = |from: u64| (from..from + 20).map(|n| word(n) + " ").collect::<String>();
    let texts = Texts::new(&[text(0), text(50)], &[text(100), text(100), text(0)]);
    let join = options(Metric::Resemblance, "0.8", 2);
    for linkage in [Linkage::Star, Linkage::Connected, Linkage::Complete] {
        let ran = run(&texts, &join, clustering(&join, linkage, Keep::Central));
        assert_eq!(
            (ran.clusters.len(), ran.summary.removed),
            (1, 1),
            "{linkage:?}"
        );
    }
}

#[test]
fn numbers_tell_texts_apart() {
    let texts = ["Apple iPhone 12 64GB", "Apple iPhone 13 128GB"].map(str::to_owned);
    let texts = Texts::new(&texts, &[]);
    for way in WAYS.map(|(method, _)| (method, method.metrics()[0])) {
        let mut join = join_options(way, "0.8");
        join.matching.terms.candidates = Candidates::default();
        assert!(texts.pairs(&join).is_empty(), "{}", way.0);
    }
}

#[test]
fn a_warning_tells_of_removals_that_differ_in_numbers_only() {
    let texts = [
        "M1 rose 12 million in the week of May 7",
        "M1 rose 9 million in the week of May 14",
        "M1 rose",
    ];
    let texts = Texts::new(&texts.map(str::to_owned), &[]);
    let mut join = options(Metric::Containment, "0.9", 2);
    join.matching.normalize.numbers = doublet::options::Numbers::Token;
    let ran = run(
        &texts,
        &join,
        clustering(&join, Linkage::Star, Keep::Longest),
    );
    assert_eq!((ran.summary.removed, ran.summary.differ_in_numbers), (2, 1));
    let warnings = ran.summary.warnings;
    assert!(
        warnings.iter().any(|text| text.contains("only in numbers")),
        "{warnings:?}"
    );
}
