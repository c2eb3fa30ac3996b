//! The kernels of a cluster find what the join on one machine finds, however rows are dealt out.

mod engine;

use std::sync::Arc;

use doublet::batch::{CountOptions, JoinOptions, write_background};
use doublet::cluster::{ClusterOptions, Keep, Linkage, cluster};
use doublet::kernel::Kernel;
use doublet::matches::Rank;
use doublet::method::sentences::common::Cutoff;
use doublet::method::terms::background::Background;
use doublet::method::terms::{Candidates, segment_signature};
use doublet::method::{MatchOptions, Method};
use doublet::progress::Silent;
use doublet::scores::Metric;
use doublet::sketch::{MeetBy, SketchKind, SketchOptions};
use proptest::prelude::*;

use crate::harness::{Texts, collection, options, word};
use engine::Engine;

fn cluster_options(options: &JoinOptions, linkage: Linkage, keep: Keep) -> ClusterOptions {
    ClusterOptions {
        linkage,
        keep,
        metric: options.matching.metric,
        removal: Some(options.removal_rule(None)),
    }
}

/// Holds a run of the kernels against the join.
fn check(texts: &[String], options: &JoinOptions, clusters: &ClusterOptions, seed: u64) {
    let mut options = options.clone();
    options.rank = clusters.keep.rank_by();
    let tasks = 1 + seed % 5;
    let mut engine = Engine::new(texts, &options, clusters, (seed, tasks));
    let matches = engine.matches();
    let collection = Texts::new(texts, &[]);
    let expected = collection.pairs(&options);
    let expected: Vec<engine::Pair> = expected
        .into_iter()
        .map(|(a, b, scores)| (a as usize, b as usize, scores))
        .collect();
    assert_eq!(engine.all_pairs(&matches), expected);

    let joined = collection.join(&options);
    let expected = cluster(&joined.documents, &joined.matches, clusters).0;
    let expected: Vec<_> = expected
        .into_iter()
        .map(|cluster| {
            let members = cluster.members.iter().map(|text| text.index());
            (cluster.representative.index(), members.collect::<Vec<_>>())
        })
        .collect();
    let ranks: Vec<Option<Rank>> = texts
        .iter()
        .map(|text| {
            let by_length = clusters.keep == Keep::Longest;
            by_length.then(|| Rank::Number(text.chars().count() as f64))
        })
        .collect();
    assert_eq!(engine.clusters(&matches, &ranks), expected);
}

fn linkages() -> impl Strategy<Value = (Linkage, Keep)> {
    let linkage = prop::sample::select(vec![Linkage::Connected, Linkage::Star, Linkage::Complete]);
    let keep = prop::sample::select(vec![Keep::Central, Keep::First, Keep::Last, Keep::Longest]);
    (linkage, keep)
}

/// Texts of a few sentences, which repeat within and between them.
fn sentence_collection() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["the", "a", "red", "fox", "runs", "far", "7"]);
    let sentence = prop::collection::vec(word, 1..5).prop_map(|words| words.join(" "));
    let text = prop::collection::vec(sentence, 0..6).prop_map(|all| {
        let all = all.into_iter().map(|sentence| sentence + ". ");
        all.collect::<String>()
    });
    let copy = (any::<prop::sample::Index>(), any::<bool>());
    let copies = prop::collection::vec(copy, 0..3);
    (prop::collection::vec(text, 1..14), copies).prop_map(|(mut texts, copies)| {
        for (of, joined) in copies {
            let copy = texts[of.index(texts.len())].clone();
            // The same words may be other sentences.
            texts.push(if joined {
                copy.replace(". ", " ")
            } else {
                copy
            });
        }
        texts
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn shingles_are_complete(
        texts in collection(16), seed in any::<u64>(), size in 1usize..4, bits in prop::sample::select(vec![16u32, 20, 64]),
        threshold in prop::sample::select(vec!["0.3", "0.5", "0.8", "1"]), (linkage, keep) in linkages(),
    ) {
        let mut options = options(Metric::Resemblance, threshold, size);
        options.matching.shingle.bits = bits;
        check(&texts, &options, &cluster_options(&options, linkage, keep), seed);
    }

    #[test]
    fn one_sided_metrics_are_complete(
        texts in collection(14), seed in any::<u64>(), size in 1usize..4, bits in prop::sample::select(vec![16u32, 64]),
        threshold in prop::sample::select(vec!["0.3", "0.6", "0.9"]),
        metric in prop::sample::select(vec![Metric::Coverage, Metric::Containment, Metric::ContainmentCoverage]),
        (linkage, keep) in linkages(),
    ) {
        let mut options = options(metric, threshold, size);
        options.matching.shingle.bits = bits;
        check(&texts, &options, &cluster_options(&options, linkage, keep), seed);
    }

    #[test]
    fn sketches_find_the_same(
        texts in collection(16), seed in any::<u64>(), size in 1usize..4, way in 0usize..4, estimate in any::<bool>(),
        threshold in prop::sample::select(vec!["0.4", "0.7"]), (linkage, keep) in linkages(),
    ) {
        let metric = if estimate { Metric::Agreement } else { Metric::Resemblance };
        let mut options = options(metric, threshold, size);
        options.matching.method = Method::Minhash;
        let permutations = SketchOptions { size: 60, ..SketchOptions::new(SketchKind::Permutations) };
        options.matching.sketches = [
            SketchOptions { bands: Some("12x3x2".parse().unwrap()), ..permutations },
            SketchOptions { meet_by: MeetBy::Values, ..permutations },
            SketchOptions { size: 10, recall: 0.9, ..SketchOptions::new(SketchKind::Smallest) },
            SketchOptions { size: 2, ..SketchOptions::new(SketchKind::Modulo) },
        ][way];
        check(&texts, &options, &cluster_options(&options, linkage, keep), seed);
    }

    #[test]
    fn terms_find_the_same(
        texts in collection(14), seed in any::<u64>(), threshold in prop::sample::select(vec!["0.3", "0.65", "0.9"]),
        candidates in prop::sample::select(vec![Candidates::Features, Candidates::Exact, Candidates::Baseline]),
        metric in prop::sample::select(vec![Metric::Degree, Metric::Resemblance]), (linkage, keep) in linkages(),
    ) {
        let mut options = options(metric, threshold, 5);
        options.matching.method = Method::Terms;
        options.matching.terms.candidates = candidates;
        check(&texts, &options, &cluster_options(&options, linkage, keep), seed);
    }

    #[test]
    fn sentences_find_the_same(
        texts in sentence_collection(), seed in any::<u64>(), threshold in prop::sample::select(vec!["0.3", "0.7", "1"]),
        method in prop::sample::select(vec![Method::Sentences, Method::Imatch]), most in 1u64..12,
        least in prop::option::of(1u32..3), cutoff in prop::sample::select(vec![None, Some(Cutoff::Share(0.5)), Some(Cutoff::Count(2)), Some(Cutoff::Off)]),
        metric in prop::sample::select(Method::Sentences.metrics().to_vec()), (linkage, keep) in linkages(),
    ) {
        let mut options = options(metric, threshold, 5);
        options.matching.method = method;
        options.matching.sentences.cutoff = cutoff;
        options.matching.sentences.least = 1;
        options.matching.sentences.rule.most = most;
        options.matching.sentences.rule.sentences = least;
        check(&texts, &options, &cluster_options(&options, linkage, keep), seed);
    }
}

/// Texts of which many share a passage, as on pages of one site.
fn site(count: u64) -> Vec<String> {
    let passage: Vec<String> = (0..12).map(|place| word(place + 5000)).collect();
    let text = |number: u64| {
        let own = (0..30).map(|place| word(number / 2 * 40 + place));
        let mut words: Vec<String> = own.collect();
        if number.is_multiple_of(3) {
            words.extend_from_slice(&passage);
        }
        if number % 2 == 1 {
            words.push(word(number));
        }
        words.join(" ")
    };
    (0..count).map(text).collect()
}

#[test]
fn bands_follow_from_a_sample_whatever_its_order() {
    let texts = site(300);
    let mut options = options(Metric::Resemblance, "0.8", 3);
    options.matching.method = Method::Minhash;
    let clusters = cluster_options(&options, Linkage::Connected, Keep::First);
    let bands = [(3, 1), (3, 4), (3, 7)].map(|dealt| {
        let engine = Engine::new(&texts, &options, &clusters, dealt);
        engine.kernel.describe()["bands"]
            .as_str()
            .unwrap()
            .to_owned()
    });
    assert_eq!(bands[0], bands[1]);
    assert_eq!(bands[0], bands[2]);
    options.matching.sketches.bands = Some(bands[0].parse().unwrap());
    check(&texts, &options, &clusters, 11);
}

#[test]
fn a_passage_of_many_texts_loses_no_pair() {
    let texts = site(120);
    for method in [Method::Shingles, Method::Terms] {
        let mut options = options(method.metrics()[0], "0.7", 2);
        options.matching.method = method;
        let clusters = cluster_options(&options, Linkage::Connected, Keep::First);
        check(&texts, &options, &clusters, 4);
    }
}

/// What options say that came from files is in the model from the first.
#[test]
fn tasks_need_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("weights.toml");
    std::fs::write(&path, "noun = [3, 5]\nother = [0.1, 0.2]\n").unwrap();
    let texts = site(60);
    let mut options = options(Metric::Degree, "0.6", 5);
    options.matching.method = Method::Terms;
    let table = directory.path().join("table");
    let background = Texts::new(&site(90), &[]);
    let counting = CountOptions {
        method: Method::Terms,
        normalize: options.matching.normalize.clone(),
        terms: options.matching.terms.clone(),
        resources: options.resources.clone(),
        strict: false,
    };
    write_background(
        Some(&background.source.input),
        &[],
        &table,
        &counting,
        &Silent,
    )
    .unwrap();
    let clusters = cluster_options(&options, Linkage::Connected, Keep::First);
    let signature = segment_signature(&options.matching.normalize, &options.matching.terms);
    options.matching.terms.background =
        Some(Arc::new(Background::read(&table, &signature).unwrap()));
    options.matching.terms.weights.read(&path).unwrap();
    options.matching.normalize.stop_words = vec![word(1), word(5001)];
    check(&texts, &options, &clusters, 9);
    let first = Kernel::new(options.matching.clone(), clusters.clone()).unwrap();
    let model = first.model().unwrap();
    let task = Kernel::of_model(&model).unwrap();
    assert_eq!(task.model().unwrap(), model);
    let learnt = Engine::of_kernel(&texts, task, (9, 3));
    let expected = Engine::new(&texts, &options, &clusters, (9, 3));
    assert_eq!(
        learnt.kernel.model().unwrap(),
        expected.kernel.model().unwrap()
    );
}

#[test]
fn much_is_handed_on_bit_by_bit() {
    let texts: Vec<String> = (0..700)
        .map(|n| format!("same words {}", word(n)))
        .collect();
    let options = options(Metric::Resemblance, "0.3", 1);
    let clusters = cluster_options(&options, Linkage::Connected, Keep::First);
    let engine = Engine::new(&texts, &options, &clusters, (1, 1));
    let met = engine.meet();
    assert_eq!(met.len(), 700 * 699 / 2);
    assert!(met.iter().all(|row| row.count >= row.least));
}

#[test]
fn a_model_is_whole() {
    let options = options(Metric::Resemblance, "0.8", 3);
    let clusters = cluster_options(&options, Linkage::Connected, Keep::First);
    let texts = site(40);
    let engine = Engine::new(&texts, &options, &clusters, (1, 2));
    let model = engine.kernel.model().unwrap();
    let refused = |model: &[u8]| Kernel::of_model(model).unwrap_err().to_string();
    for broken in [&model[..model.len() / 2], b"no model", b""] {
        assert!(refused(broken).contains("damaged"));
    }
    let simhash = Kernel::new(MatchOptions::new(Method::Simhash), clusters);
    let refused = simhash.unwrap_err().to_string();
    assert!(refused.contains("a cluster knows shingles"));
}
