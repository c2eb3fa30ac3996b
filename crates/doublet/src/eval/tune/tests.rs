//! Tuning as a whole: the linear form against real weights, planted weights found again, what is refused.

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::batch::find_matches;
use crate::matches::{CandidatePair, Source};
use crate::method::MatchOptions;
use crate::method::Method;
use crate::method::terms::weights::Weighting;
use crate::options::{ReadOptions, Resources};
use crate::progress::Silent;
use crate::read::Collection;

pub(super) fn join_options(weights: &WeightOptions) -> JoinOptions {
    let mut matching = MatchOptions::new(Method::Terms);
    matching.terms.weights = weights.clone();
    let resources = Resources {
        threads: 1,
        memory: 1 << 30,
        temp_dir: std::env::temp_dir(),
    };
    JoinOptions::new(matching, resources)
}

pub(super) fn join(texts: &[String], options: &JoinOptions) -> Joined {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("texts.jsonl");
    let lines = texts
        .iter()
        .map(|text| serde_json::json!({ "text": text }).to_string() + "\n");
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let path = path.to_str().unwrap().to_owned();
    let input = Collection::open(&[path], &ReadOptions::default(), directory.path()).unwrap();
    let source = Source {
        input,
        references: None,
    };
    find_matches(&source, options, &Silent).unwrap()
}

/// Words of many groups.
const WORDS: [&str; 24] = [
    "house",
    "river",
    "Berlin",
    "walks",
    "sings",
    "green",
    "quickly",
    "she",
    "17",
    "2041",
    "and",
    "of",
    "ouch",
    "@anna",
    "@bertram",
    "#spring",
    "#rain",
    "😀",
    "🚀",
    "https://example.org/a",
    "www.example.com",
    "zxqv",
    "brmpf",
    "they",
];

fn pair(a: u32, b: u32, duplicate: bool) -> LabelledPair {
    LabelledPair {
        a: DocId(a),
        b: DocId(b),
        duplicate,
        tuning: true,
    }
}

fn any_weights() -> impl Strategy<Value = WeightOptions> {
    let interval = (0.025f64..2.0, 0.0f64..2.0);
    let intervals = proptest::collection::vec(interval, GROUPS);
    (intervals, any::<bool>()).prop_map(|(intervals, idf)| {
        let mut weights = WeightOptions::default();
        for (group, (a, more)) in Group::ALL.into_iter().zip(intervals) {
            weights.set(group, Interval::new(a, a + more).unwrap());
        }
        if idf {
            weights.weighting = Weighting::Idf;
        }
        weights
    })
}

fn any_texts() -> impl Strategy<Value = Vec<String>> {
    let word = proptest::sample::select(&WORDS[..]);
    let text = proptest::collection::vec(word, 0..9).prop_map(|words| words.join(" "));
    proptest::collection::vec(text, 2..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sums_give_the_degree_of_any_weights(texts in any_texts(), weights in any_weights(), small in any::<bool>()) {
        let mut gathered = WeightOptions::default();
        gathered.weighting = weights.weighting;
        gathered.set(Group::Noun, Interval::new(0.1, 0.7).unwrap());
        let mut options = join_options(&gathered);
        // So little memory that terms go to a file.
        options.resources.memory = if small { 0 } else { 1 << 30 };
        let joined = join(&texts, &options);
        let count = texts.len() as u32;
        let pairs: Vec<LabelledPair> = (0..count)
            .flat_map(|a| (0..count).map(move |b| pair(a, b, false)))
            .collect();
        let terms = joined.terms().unwrap();
        let sums = gather(&joined, terms, weights.weighting, &pairs, 2).unwrap();
        // The real weights, by another run.
        let real = join(&texts, &join_options(&weights));
        let first = |text: DocId| real.matches.identical.first[text.index()];
        for (index, pair) in pairs.iter().enumerate() {
            let (a, b) = (first(pair.a), first(pair.b));
            let candidate = [CandidatePair { a: a.min(b), b: a.max(b) }];
            let (fitted, store) = real.terms().unwrap();
            let scored = store.score_pairs(&fitted.lexicon, &real.documents, &candidate).unwrap();
            let expected = scored[0].1.score(Metric::Degree);
            let found = sums.degree(index, &intervals(&weights));
            prop_assert!((found - expected).abs() < 1e-6, "{} {}", found, expected);
        }
    }

    #[test]
    fn files_are_read_back(weights in any_weights()) {
        let mut tuned = unchanged();
        tuned.groups = groups(&WeightOptions::default(), &weights, &[12; GROUPS]);
        tuned.weights = weights.clone();
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("weights.toml");
        std::fs::write(&path, toml(&tuned)).unwrap();
        let mut read = WeightOptions::default();
        read.weighting = weights.weighting;
        read.read(&path).unwrap();
        prop_assert_eq!(read, weights);
    }
}

fn unchanged() -> Tuned {
    let quality = Quality {
        threshold: 0.65,
        tuned_on: Judged::default(),
        held_out: Judged::default(),
    };
    let weights = WeightOptions::default();
    Tuned {
        groups: groups(&weights, &weights, &[12; GROUPS]),
        weights,
        before: quality,
        after: quality,
        tuned_on: Counts::default(),
        held_out: Counts::default(),
        mended: 0,
        broken: 0,
        steps: 0,
    }
}

/// Numbers that follow one another like random ones.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 += 1;
        (hash::finish(hash::step(hash::start(1), self.0)) % end as u64) as usize
    }
}

/// Texts 2i and 2i + 1 are pairs that differ in some words.
fn made_texts(pairs: usize) -> Vec<String> {
    let mut draws = Draws(7);
    let mut texts = Vec::new();
    for _ in 0..pairs {
        let length = 4 + draws.below(6);
        let one: Vec<&str> = (0..length).map(|_| WORDS[draws.below(24)]).collect();
        let mut other = one.clone();
        for _ in 0..1 + draws.below(4) {
            let place = draws.below(other.len());
            other[place] = WORDS[draws.below(24)];
        }
        texts.extend([one.join(" "), other.join(" ")]);
    }
    texts
}

/// Pairs that are duplicates if they are under other weights: addresses count, numbers hardly do.
fn planted(count: usize) -> (Joined, Vec<LabelledPair>) {
    let texts = made_texts(count);
    let mut weights = WeightOptions::default();
    for (group, a, b) in [
        (Group::Url, 1.0, 1.0),
        (Group::Numeral, 0.05, 0.05),
        (Group::Mention, 1.5, 1.5),
        (Group::Noun, 0.2, 0.2),
    ] {
        weights.set(group, Interval::new(a, b).unwrap());
    }
    let joined = join(&texts, &join_options(&WeightOptions::default()));
    let ids = 0..count as u32;
    let mut pairs: Vec<LabelledPair> = ids.map(|id| pair(2 * id, 2 * id + 1, false)).collect();
    let terms = joined.terms().unwrap();
    let sums = gather(&joined, terms, weights.weighting, &pairs, 1).unwrap();
    for (index, pair) in pairs.iter_mut().enumerate() {
        pair.duplicate = sums.degree(index, &intervals(&weights)) >= 0.6;
    }
    split(&mut pairs, 3);
    (joined, pairs)
}

fn run(joined: &Joined, options: &JoinOptions, pairs: &[LabelledPair]) -> Result<Tuned> {
    tune(joined, options, pairs, &TuneOptions::default(), &Silent)
}

#[test]
fn planted_weights_are_found_again() {
    let (joined, pairs) = planted(800);
    let tuned = run(&joined, &join_options(&WeightOptions::default()), &pairs).unwrap();
    let (before, after) = (tuned.before.held_out, tuned.after.held_out);
    assert!(tuned.helped() && tuned.is_changed(), "{}", tuned.verdict());
    assert!(after.f1 > before.f1 + 0.05, "{before:?} {after:?}");
    assert!(after.average_precision > before.average_precision);
    assert!(tuned.mended > tuned.broken);
    let heavier = |group: Group| {
        let (from, to) = (WeightOptions::default(), &tuned.weights);
        to.interval(group).b() > 2.0 * from.interval(group).b()
    };
    let shown = toml(&tuned);
    assert!(heavier(Group::Url) && heavier(Group::Mention), "{shown}");
    assert!(tuned.verdict().starts_with("tuning helped"));
}

#[test]
fn threads_and_order_do_not_show() {
    let (joined, mut pairs) = planted(200);
    let mut options = join_options(&WeightOptions::default());
    let one = run(&joined, &options, &pairs).unwrap();
    options.resources.threads = 3;
    pairs.reverse();
    for pair in &mut pairs {
        std::mem::swap(&mut pair.a, &mut pair.b);
    }
    let other = run(&joined, &options, &pairs).unwrap();
    assert_eq!(one, other);
    assert_eq!(toml(&one), toml(&other));
    assert!(one.steps > 1000);
}

#[test]
fn the_scale_of_the_weights_does_not_matter() {
    let (joined, pairs) = planted(300);
    let one = run(&joined, &join_options(&WeightOptions::default()), &pairs).unwrap();
    let mut ten_times = WeightOptions::default();
    for group in Group::ALL {
        let interval = ten_times.interval(group);
        let scaled = Interval::new(interval.a() * 10.0, interval.b() * 10.0);
        ten_times.set(group, scaled.unwrap());
    }
    let other = run(&joined, &join_options(&ten_times), &pairs).unwrap();
    for group in Group::ALL {
        let (one, other) = (one.weights.interval(group), other.weights.interval(group));
        assert!((one.a() * 10.0 - other.a()).abs() < 1e-6, "{group:?}");
        assert!((one.b() * 10.0 - other.b()).abs() < 1e-6, "{group:?}");
    }
}

#[test]
fn labels_without_a_pattern_change_nothing() {
    let (joined, mut pairs) = planted(300);
    let mut draws = Draws(99);
    for pair in &mut pairs {
        pair.duplicate = draws.below(2) == 0;
    }
    split(&mut pairs, 3);
    let options = join_options(&WeightOptions::default());
    let tuned = run(&joined, &options, &pairs).unwrap();
    assert!(!tuned.is_changed(), "{}", tuned.verdict());
    assert_eq!(tuned.weights, options.matching.terms.weights);
    assert_eq!(tuned.before, tuned.after);
    assert_eq!((tuned.mended, tuned.broken), (0, 0));
    assert!(tuned.verdict().starts_with("nothing was changed"));
}

#[test]
fn groups_without_evidence_keep_their_interval() {
    let (joined, pairs) = planted(400);
    let tuned = run(&joined, &join_options(&WeightOptions::default()), &pairs).unwrap();
    let silent = tuned.groups.iter().filter(|group| !group.is_free());
    assert!(silent.clone().count() > 0);
    for group in silent {
        assert_eq!(group.before, group.after);
        let kept = format!("kept: {} pairs differ in it, fewer", group.evidence);
        assert!(toml(&tuned).contains(&kept), "{}", toml(&tuned));
    }
}

#[test]
fn halves_have_their_share_of_each_label() {
    let (_, mut pairs) = planted(101);
    split(&mut pairs, 5);
    let (one, other) = (counts(&pairs, true), counts(&pairs, false));
    assert!(one.duplicates.abs_diff(other.duplicates) <= 1);
    assert!(one.others.abs_diff(other.others) <= 1);
    let mut again = pairs.clone();
    again.reverse();
    split(&mut again, 5);
    again.reverse();
    assert_eq!(pairs, again);
    split(&mut again, 6);
    assert_ne!(pairs, again);
}

#[test]
fn what_cannot_be_tuned_is_refused() {
    let (joined, pairs) = planted(100);
    let options = join_options(&WeightOptions::default());
    let says = |options: &JoinOptions, pairs: &[LabelledPair], part: &str| {
        let error = run(&joined, options, pairs).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    says(&options, &pairs[..10], "10 labelled pairs are too few");
    let mut one_kind = pairs.clone();
    one_kind.iter_mut().for_each(|pair| pair.duplicate = true);
    says(&options, &one_kind, "0 labelled pairs are none");
    let mut one_half = pairs.clone();
    one_half.iter_mut().for_each(|pair| pair.tuning = true);
    says(
        &options,
        &one_half,
        "held out 0 labelled pairs are duplicates",
    );
    let mut unweighted = options.clone();
    unweighted.matching.metric = Metric::Resemblance;
    says(&unweighted, &pairs, "`--metric degree`");
}
