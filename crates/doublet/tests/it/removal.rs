//! The promise of `dedup`: every removed text is a match of the text that is kept for it, by every method.
//!
//! Each run is held against all pairs of the same join, found without a shortcut.

mod by_hand;

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
