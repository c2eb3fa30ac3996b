//! Measures against hand-made tables, against values of scikit-learn, and against counting pair by pair.

use std::collections::BTreeSet;

use doublet::Error;
use doublet::batch::{JoinOptions, Joined, find_matches};
use doublet::cluster::{ClusterOptions, Keep, Linkage};
use doublet::eval::{
    CheckedTarget, Cut, ForeignPairs, Half, Judge, JudgeOptions, Measures, TargetJudge, Truth,
    TruthOptions, Unlabelled,
};
use doublet::matches::{Match, Source};
use doublet::options::ReadOptions;
use doublet::progress::Silent;
use doublet::read::Collection;
use doublet::scores::Metric;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::harness::options;

/// Texts by their numbers from 0, as ids; every third id is a number, the others are strings.
struct Place {
    directory: TempDir,
    source: Source,
}

impl Place {
    fn new(texts: &[String]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let line = |(id, text): (usize, &String)| match id % 3 {
            0 => serde_json::json!({"id": id, "text": text}).to_string(),
            _ => serde_json::json!({"id": id.to_string(), "text": text}).to_string(),
        };
        let lines: Vec<String> = texts.iter().enumerate().map(line).collect();
        let path = directory.path().join("texts.jsonl");
        std::fs::write(&path, lines.join("\n")).unwrap();
        let path = path.to_str().unwrap().to_owned();
        let input = Collection::open(&[path], &ReadOptions::default(), directory.path()).unwrap();
        Self {
            directory,
            source: Source {
                input,
                references: None,
            },
        }
    }

    /// Texts that are copies where the numbers are the same.
    fn of_clusters(clusters: &[usize]) -> Self {
        let text = |cluster: &usize| {
            format!(
                "w{}",
                "abcdefghijklmnop".get(*cluster..cluster + 1).unwrap()
            )
        };
        Self::new(&clusters.iter().map(text).collect::<Vec<_>>())
    }

    fn write(&self, name: &str, content: &str) -> std::path::PathBuf {
        let path = self.directory.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn truth(&self, name: &str, content: &str) -> Truth {
        Truth::read(&self.write(name, content), &TruthOptions::default()).unwrap()
    }

    fn join(&self, options: &JoinOptions) -> Joined {
        find_matches(&self.source, options, &Silent).unwrap()
    }

    fn judge(&self, joined: &Joined, truth: &Truth, options: JudgeOptions) -> Result<Judge, Error> {
        Judge::new(truth, &joined.documents, &self.source, options)
    }
}

fn clustering() -> ClusterOptions {
    ClusterOptions {
        linkage: Linkage::Connected,
        keep: Keep::First,
        metric: Metric::Resemblance,
        removal: None,
    }
}

fn measure(place: &Place, truth: &Truth, unlabelled: Option<Unlabelled>) -> Measures {
    let options = options(Metric::Resemblance, "0.8", 1);
    let joined = place.join(&options);
    let judging = JudgeOptions {
        unlabelled,
        ..JudgeOptions::default()
    };
    let judge = place.judge(&joined, truth, judging).unwrap();
    let cut = Cut::new(
        &joined.documents,
        &joined.matches,
        &options,
        Some(&clustering()),
    );
    judge.measure(&cut.found(&joined.documents), None)
}

fn clusters_csv(clusters: &[usize]) -> String {
    let rows = clusters
        .iter()
        .enumerate()
        .map(|(id, cluster)| format!("{id},c{cluster}\n"));
    std::iter::once("id,cluster\n".to_owned())
        .chain(rows)
        .collect()
}

fn close(found: Option<f64>, expected: f64) {
    assert!(
        (found.unwrap() - expected).abs() < 1e-12,
        "{found:?} {expected}"
    );
}

#[test]
fn clusters_as_scikit_learn_has_them() {
    // True and found clusters, ARI, counts, precision with recall and F1: adjusted_rand_score, pair_confusion_matrix and precision_recall_fscore_support of scikit-learn 1.9.1.
    type Case<'a> = (&'a [usize], &'a [usize], f64, [u64; 3], [f64; 3]);
    let cases: [Case<'_>; 2] = [
        (
            &[0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4, 5],
            &[0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 5],
            0.357_976_653_696_498_06,
            [4, 4, 6],
            [0.5, 0.4, 0.444_444_444_444_444_4],
        ),
        (
            &[4, 2, 2, 4, 0, 3, 1, 0, 1, 0, 2, 3, 1, 3, 4, 0, 4, 1, 0, 1],
            &[3, 2, 1, 3, 1, 0, 1, 4, 4, 3, 1, 1, 0, 0, 1, 1, 1, 1, 2, 2],
            -0.055_911_081_172_111_82,
            [6, 40, 26],
            [0.130_434_782_608_695_65, 0.1875, 0.153_846_153_846_153_85],
        ),
    ];
    for (truth, found, ari, [hits, wrong, missed], [precision, recall, f1]) in cases {
        let place = Place::of_clusters(found);
        let truth = place.truth("truth.csv", &clusters_csv(truth));
        let measures = measure(&place, &truth, None);
        let clusters = measures.clusters.unwrap();
        close(clusters.whole.unwrap().ari.value, ari);
        for quality in [measures.pairs, clusters.pairs] {
            let counts = [
                quality.true_positives,
                quality.false_positives,
                quality.false_negatives,
            ];
            assert_eq!(counts, [hits, wrong, missed]);
            close(quality.precision.value, precision);
            close(quality.recall.value, recall);
            close(quality.f1.value, f1);
        }
    }
}

#[test]
fn clusters_by_hand() {
    // Found {0 1 2} {3 4} {5}; true {0 1} {2 3 4} {5}.
    let place = Place::of_clusters(&[0, 0, 0, 1, 1, 2]);
    let truth = place.truth("truth.csv", &clusters_csv(&[0, 0, 1, 1, 1, 2]));
    let whole = measure(&place, &truth, None)
        .clusters
        .unwrap()
        .whole
        .unwrap();
    // 0 and 1: 2/3 each; 2: 1/3; 3 and 4: 1 each; 5: 1.
    close(
        whole.b3_precision.value,
        (2.0 / 3.0 * 2.0 + 1.0 / 3.0 + 3.0) / 6.0,
    );
    // 0 and 1: 1 each; 2: 1/3; 3 and 4: 2/3 each; 5: 1.
    close(
        whole.b3_recall.value,
        (2.0 + 1.0 / 3.0 + 4.0 / 3.0 + 1.0) / 6.0,
    );
    close(whole.set_accuracy.value, 1.0 / 6.0);
    assert!(whole.ari.low.unwrap() <= whole.ari.value.unwrap());
    assert!(whole.ari.high.unwrap() >= whole.ari.value.unwrap());
}

#[test]
fn extremes_of_the_rand_index() {
    let ari = |truth: &[usize], found: &[usize]| {
        let place = Place::of_clusters(found);
        let truth = place.truth("truth.csv", &clusters_csv(truth));
        measure(&place, &truth, None)
            .clusters
            .unwrap()
            .whole
            .unwrap()
            .ari
            .value
    };
    close(ari(&[0, 0, 1, 1], &[0, 1, 0, 1]), -0.5);
    close(ari(&[0, 0, 0, 0], &[0, 1, 2, 3]), 0.0);
    close(ari(&[0, 1, 2, 2], &[0, 1, 2, 2]), 1.0);
    close(ari(&[0, 0], &[0, 0]), 1.0);
}

#[test]
fn pairs_of_duplicates_alone_make_all_others_different() {
    let place = Place::of_clusters(&[0, 0, 0, 1, 1]);
    let text = "{\"a\": 0, \"b\": \"1\"}\n{\"a\": \"4\", \"b\": 3}\n";
    let truth = place.truth("truth.jsonl", text);
    let pairs = measure(&place, &truth, None).pairs;
    let counts = [
        pairs.true_positives,
        pairs.false_positives,
        pairs.false_negatives,
    ];
    assert_eq!((counts, pairs.true_negatives), ([2, 2, 0], None));
    let ignored = measure(&place, &truth, Some(Unlabelled::Ignore)).pairs;
    let counts = [
        ignored.true_positives,
        ignored.false_positives,
        ignored.false_negatives,
    ];
    assert_eq!((counts, ignored.true_negatives), ([2, 0, 0], Some(0)));
}

#[test]
fn unknown_ids_are_left_out_and_told() {
    let place = Place::of_clusters(&[0, 0, 1]);
    let options = options(Metric::Resemblance, "0.8", 1);
    let joined = place.join(&options);
    let truth = place.truth("truth.csv", "a,b,label\n0,1,1\n0,77,1\n1,2,0\n");
    let facts = place
        .judge(&joined, &truth, JudgeOptions::default())
        .unwrap();
    let facts = facts.facts();
    assert_eq!(
        (facts.unknown, facts.duplicates, facts.different),
        (1, 1, Some(1))
    );
    assert_eq!(facts.first_unknown, Some(("77".to_owned(), 3)));
    let strict = JudgeOptions {
        strict: true,
        ..JudgeOptions::default()
    };
    let error = place
        .judge(&joined, &truth, strict)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("line 3: no record has the id `77`"),
        "{error}"
    );
    for (text, part) in [
        (
            "a,b,label\n7,8,1\n",
            "no row is about texts of the input (line 2 has `7`)",
        ),
        ("a,b,label\n0,1,0\n", "it knows no duplicate"),
        ("id,cluster\n0,1\n1,2\n", "no cluster has two texts"),
    ] {
        let truth = place.truth("other.csv", text);
        let error = place.judge(&joined, &truth, JudgeOptions::default());
        let error = error.unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn an_id_as_number_and_as_string_is_one_text() {
    let place = Place::of_clusters(&[0, 0, 1, 2]);
    let joined = place.join(&options(Metric::Resemblance, "0.8", 1));
    let judge = |text: &str| {
        let truth = place.truth("truth.jsonl", text);
        place.judge(&joined, &truth, JudgeOptions::default())
    };
    let twice = "{\"a\": 0, \"b\": 1, \"label\": 1}\n{\"a\": \"1\", \"b\": \"0\", \"label\": 1}\n{\"a\": 0, \"b\": \"0\", \"label\": 1}\n";
    let facts = judge(twice).unwrap();
    let facts = facts.facts();
    assert_eq!(
        (facts.duplicates, facts.repeated, facts.with_itself),
        (1, 1, 1)
    );
    let against =
        "{\"a\": 0, \"b\": 1, \"label\": 1}\n{\"a\": \"0\", \"b\": \"1\", \"label\": 0}\n";
    let error = judge(against).unwrap_err().to_string();
    assert!(
        error.contains("line 2") && error.contains("line 1"),
        "{error}"
    );
    let clusters = "{\"id\": 0, \"cluster\": 1}\n{\"id\": \"0\", \"cluster\": 2}\n{\"id\": 1, \"cluster\": 1}\n";
    let error = judge(clusters).unwrap_err().to_string();
    assert!(
        error.contains("line 2: this text is in another cluster"),
        "{error}"
    );
}

#[test]
fn scores_are_seen_from_the_first_text() {
    // 0 and 3 are copies, so that the pair of 1 and 3 is computed as that of 0 and 1.
    let texts = ["a b c d e f", "a b c", "x y", "a b c d e f"].map(str::to_owned);
    let place = Place::new(&texts);
    let own = options(Metric::ContainmentCoverage, "0.1", 1);
    let joined = place.join(&own);
    let pairs = [(1, 3), (0, 1), (3, 1)].map(|(a, b)| (doublet::DocId(a), doublet::DocId(b)));
    let scores =
        doublet::batch::score_between(&place.source, &joined, &own, &pairs, &Silent).unwrap();
    let sides = scores
        .iter()
        .map(|scores| scores.unwrap())
        .map(|scores| (scores.tokens_a, scores.tokens_b));
    assert_eq!(sides.collect::<Vec<_>>(), [(3, 6), (6, 3), (6, 3)]);
}

#[test]
fn pairs_of_another_tool_are_judged_by_their_scores() {
    let place = Place::of_clusters(&[0, 1, 2, 3]);
    let mut own = options(Metric::Resemblance, "1", 1);
    let mut joined = place.join(&own);
    let path = place.write(
        "found.tsv",
        "1\t0\t0.9\n2\t3\t0.5\n0\t1\t0.3\n9\t1\t1\n2\t2\t1\n",
    );
    let found = ForeignPairs::read(&path, &joined.documents, &place.source).unwrap();
    assert_eq!((found.count(), found.unknown), (2, 1));
    joined.matches = found.matches(&joined.documents);
    own.matching.metric = Metric::Agreement;
    let truth = place.truth("truth.csv", "a,b\n0,1\n");
    let judge = place
        .judge(&joined, &truth, JudgeOptions::default())
        .unwrap();
    for (threshold, wrong) in [("0.5", 1), ("0.500001", 0)] {
        own.matching.threshold = threshold.parse().unwrap();
        let cut = Cut::new(&joined.documents, &joined.matches, &own, None);
        let pairs = judge.measure(&cut.found(&joined.documents), None).pairs;
        assert_eq!((pairs.true_positives, pairs.false_positives), (1, wrong));
    }
    let path = place.write("bad.csv", "a,b,score\n1,0,many\n");
    let error = ForeignPairs::read(&path, &joined.documents, &place.source).unwrap_err();
    assert!(
        error.to_string().contains("line 2: the score `many`"),
        "{error}"
    );
}

#[test]
fn copies_are_judged_with_their_sources() {
    let place = Place::of_clusters(&[0]);
    let truth = place.truth("truth.csv", "target,source\nx,s\ny,s\nz,\nw,\n");
    let judge = TargetJudge::new(&truth, None, 1).unwrap();
    let text = |id: &str, duplicate, source: Option<&str>| CheckedTarget {
        id: id.to_owned(),
        duplicate,
        share: 0.5,
        source: source.map(str::to_owned),
    };
    let checked = [
        text("x", true, Some("s")),
        text("y", true, Some("other")),
        text("z", true, Some("s")),
        text("w", false, None),
        text("unlisted", true, None),
    ];
    let found = judge.measure(&checked, None);
    let counts = [
        found.texts.true_positives,
        found.texts.false_positives,
        found.texts.false_negatives,
    ];
    assert_eq!((counts, found.texts.true_negatives), ([2, 1, 0], Some(1)));
    close(found.first_source.value, 0.5);
    assert_eq!(judge.facts(&checked, true).unwrap().documents, 5);
    assert!(judge.facts(&checked[1..], true).is_err());
    assert!(judge.facts(&[text("unlisted", true, None)], false).is_err());
}

/// What the truth of a property test says.
#[derive(Clone, Debug)]
enum Said {
    Clusters(Vec<Option<usize>>),
    Pairs(Vec<(usize, usize, bool)>),
}

fn said(texts: usize) -> impl Strategy<Value = Said> {
    let clusters = prop::collection::vec(prop::option::of(0..texts.div_ceil(2).max(1)), texts);
    let pairs = prop::collection::vec((0..texts, 0..texts, any::<bool>()), 1..20);
    prop_oneof![
        clusters.prop_map(Said::Clusters),
        pairs.prop_map(Said::Pairs)
    ]
}

fn collection() -> impl Strategy<Value = (Vec<String>, Said)> {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "猫", "😀", "é"]);
    let text = prop::collection::vec(word, 0..5).prop_map(|words| words.join(" "));
    prop::collection::vec(text, 2..12).prop_flat_map(|texts| {
        let said = said(texts.len());
        (Just(texts), said)
    })
}

/// The truth as a file, and what it comes to: texts that are judged, pairs of duplicates, pairs known to be different.
struct Slow {
    csv: String,
    judged: Vec<bool>,
    duplicates: BTreeSet<(usize, usize)>,
    different: Option<BTreeSet<(usize, usize)>>,
}

impl Slow {
    fn new(said: &Said, texts: usize) -> Self {
        let pairs = || (0..texts).flat_map(|a| (a + 1..texts).map(move |b| (a, b)));
        match said {
            Said::Clusters(of) => Self {
                csv: of
                    .iter()
                    .enumerate()
                    .filter_map(|(id, cluster)| Some(format!("{id},{}\n", (*cluster)?)))
                    .fold("id,cluster\n".to_owned(), |csv, row| csv + &row),
                judged: of.iter().map(Option::is_some).collect(),
                duplicates: pairs()
                    .filter(|&(a, b)| of[a].is_some() && of[a] == of[b])
                    .collect(),
                different: None,
            },
            Said::Pairs(rows) => {
                let mut csv = "a,b,label\n".to_owned();
                let mut all: BTreeSet<(usize, usize, bool)> = BTreeSet::new();
                for &(a, b, label) in rows {
                    let (x, y) = (a.min(b), a.max(b));
                    if x != y && !all.contains(&(x, y, !label)) && all.insert((x, y, label)) {
                        csv += &format!("{a},{b},{}\n", u8::from(label));
                    }
                }
                let of = |label: bool| -> BTreeSet<(usize, usize)> {
                    let some = all.iter().filter(|row| row.2 == label);
                    some.map(|row| (row.0, row.1)).collect()
                };
                let different = Some(of(false)).filter(|different| !different.is_empty());
                Self {
                    csv,
                    judged: vec![true; texts],
                    duplicates: of(true),
                    different,
                }
            }
        }
    }

    fn counts(&self, found: &BTreeSet<(usize, usize)>) -> [usize; 3] {
        let judged = |pair: &&(usize, usize)| match &self.different {
            Some(different) => different.contains(pair) || self.duplicates.contains(pair),
            None => self.judged[pair.0] && self.judged[pair.1],
        };
        let hits = found.intersection(&self.duplicates).count();
        let all = found.iter().filter(judged).count();
        [hits, all - hits, self.duplicates.len() - hits]
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn counts_are_those_of_counting_pair_by_pair((texts, said) in collection()) {
        let slow = Slow::new(&said, texts.len());
        let place = Place::new(&texts);
        let low = options(Metric::Resemblance, "0.2", 1);
        let joined = place.join(&low);
        let read = Truth::read(&place.write("truth.csv", &slow.csv), &TruthOptions::default());
        let judge = read.and_then(|truth| place.judge(&joined, &truth, JudgeOptions::default()));
        prop_assert_eq!(judge.is_ok(), !slow.duplicates.is_empty());
        let Ok(judge) = judge else { return Ok(()) };
        for threshold in ["0.2", "0.5", "0.75", "1"] {
            // A cut of the lowest join is a join at the threshold.
            let at = options(Metric::Resemblance, threshold, 1);
            let separate = place.join(&at);
            let mut found = BTreeSet::new();
            separate.matches.for_each(&separate.documents, |pair: Match| {
                found.insert((pair.a.index(), pair.b.index()));
                Ok::<(), ()>(())
            }).unwrap();
            let cut = Cut::new(&joined.documents, &joined.matches, &at, Some(&clustering()));
            let measures = judge.measure(&cut.found(&joined.documents), None);
            let own = Cut::new(&separate.documents, &separate.matches, &at, Some(&clustering()));
            prop_assert_eq!(measures, judge.measure(&own.found(&separate.documents), None));
            let pairs = measures.pairs;
            let counts = [pairs.true_positives, pairs.false_positives, pairs.false_negatives];
            prop_assert_eq!(counts.map(|count| count as usize), slow.counts(&found));
            // No duplicate is lost between the halves.
            let halves = [Half::Chosen, Half::HeldOut].map(|half| judge.measure(&cut.found(&joined.documents), Some(half)).pairs);
            let sum = |of: fn(&doublet::eval::Quality) -> u64| halves.iter().map(of).sum::<u64>();
            prop_assert_eq!(sum(|pairs| pairs.true_positives), pairs.true_positives);
            prop_assert_eq!(sum(|pairs| pairs.false_negatives), pairs.false_negatives);
            prop_assert!(sum(|pairs| pairs.false_positives) <= pairs.false_positives);
        }
    }

    #[test]
    fn clusters_are_judged_as_by_looking_at_every_text(
        clusters in prop::collection::vec((0usize..5, 0usize..5), 2..14),
    ) {
        let (truth, found): (Vec<usize>, Vec<usize>) = clusters.iter().copied().unzip();
        let place = Place::of_clusters(&found);
        let read = Truth::read(&place.write("truth.csv", &clusters_csv(&truth)), &TruthOptions::default()).unwrap();
        let own = options(Metric::Resemblance, "0.8", 1);
        let joined = place.join(&own);
        let Ok(judge) = place.judge(&joined, &read, JudgeOptions::default()) else { return Ok(()) };
        let cut = Cut::new(&joined.documents, &joined.matches, &own, Some(&clustering()));
        let whole = judge.measure(&cut.found(&joined.documents), None).clusters.unwrap().whole.unwrap();
        let (mut precision, mut recall, mut same) = (0.0, 0.0, 0.0);
        for text in 0..truth.len() {
            let set = |of: &[usize]| -> BTreeSet<usize> { (0..of.len()).filter(|&other| of[other] == of[text]).collect() };
            let (own, real) = (set(&found), set(&truth));
            let both = own.intersection(&real).count() as f64;
            precision += both / own.len() as f64;
            recall += both / real.len() as f64;
            same += f64::from(u8::from(own == real));
        }
        let count = truth.len() as f64;
        for (measure, expected) in [(whole.b3_precision, precision), (whole.b3_recall, recall), (whole.set_accuracy, same)] {
            prop_assert!((measure.value.unwrap() - expected / count).abs() < 1e-12);
        }
    }
}
