//! An index says of a text what a run against the same references says.

use std::collections::BTreeMap;
use std::sync::Arc;

use doublet::batch::{CountOptions, JoinOptions, write_background};
use doublet::index::{CheckOptions, Checker, IndexWriter};
use doublet::method::Method;
use doublet::method::sentences::common::CommonWords;
use doublet::method::sentences::{CopyRule, SentenceOptions};
use doublet::method::terms::background::Background;
use doublet::method::terms::{Candidates, Language, segment_signature};
use doublet::progress::Silent;
use doublet::scores::{Metric, Scores};
use proptest::prelude::*;
use proptest::sample::Index as Pick;

use super::{Place, adding, index_options, numbered};
use crate::harness::{Texts, options};

/// Pairs of an input text and a reference.
pub(super) type Pairs<T> = BTreeMap<(usize, usize), T>;

/// What a run finds across.
pub(super) fn joined(
    input: &[String],
    references: &[String],
    options: &JoinOptions,
) -> Pairs<Scores> {
    let mut options = options.clone();
    options.across_only = true;
    let pairs = Texts::new(input, references).pairs(&options).into_iter();
    pairs
        .map(|(a, b, scores)| ((a as usize, b as usize - input.len()), scores))
        .collect()
}

/// Adds references in two goes, so that an index has parts.
pub(super) fn fill(writer: &mut IndexWriter, place: &Place, references: &[String], cut: usize) {
    let records = numbered(references);
    let (first, second) = records.split_at(cut.min(records.len()));
    for records in [first, second] {
        if !records.is_empty() {
            writer
                .add(&place.collection(records), &adding(), &Silent)
                .unwrap();
        }
    }
}

pub(super) fn number(id: &str) -> usize {
    id.trim_matches('"').parse().unwrap()
}

/// Pieces of texts in several scripts and spellings, whole sentences among them.
pub(super) fn awkward() -> impl Strategy<Value = String> + Clone {
    let piece = prop::sample::select(vec![
        "kilometre ",
        "limestone ",
        "The ",
        "some ",
        "é ",
        "e\u{301} ",
        "12 ",
        "漢字",
        "北京",
        "かな",
        "กา",
        "👍",
        "👩\u{200d}👩\u{200d}👧 ",
        ". ",
        "。",
        "?\r\n",
        "\r\n\r\n",
        "  ",
        "Microbes live in limestone. ",
        "They live there for long. ",
        "Ein Satz mit fünf Wörtern. ",
        "今天天气很好。",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// Texts to ask about and references: some of either are copies of references, whole, cut or glued.
pub(super) fn collections(
    text: impl Strategy<Value = String> + Clone,
) -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let change = (any::<Pick>(), any::<Pick>(), 0..4);
    let changes = || prop::collection::vec(change.clone(), 0..6);
    let texts = prop::collection::vec(text.clone(), 1..8);
    let others = prop::collection::vec(text, 1..4);
    (texts, others, changes(), changes()).prop_map(|(mut references, mut input, copied, added)| {
        let changed = |from: &[String], (pick, other, kind): &(Pick, Pick, i32)| {
            let text: &String = pick.get(from);
            let half = text.chars().count() / 2;
            match kind {
                0 => text.clone(),
                1 => text.chars().take(half).collect(),
                2 => text.chars().skip(half).collect(),
                _ => format!("{text}{}", other.get(from)),
            }
        };
        let copies: Vec<String> = added
            .iter()
            .map(|change| changed(&references, change))
            .collect();
        references.extend(copies);
        input.extend(copied.iter().map(|change| changed(&references, change)));
        (input, references)
    })
}

fn thresholds() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["0.1", "0.3", "0.5", "0.8", "1"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn shingles(
        (input, references) in collections(awkward()),
        metric in prop::sample::select(Method::Shingles.metrics()),
        threshold in thresholds(),
        size in prop::sample::select(vec![1usize, 2, 3, 5]),
        cut in 0usize..8,
    ) {
        let options = options(metric, threshold, size);
        let place = Place::new();
        let mut writer = IndexWriter::create(&place.index(), &index_options(&options, true), None).unwrap();
        fill(&mut writer, &place, &references, cut);
        let index = place.open();
        let mut found = Pairs::new();
        for (number_here, text) in input.iter().enumerate() {
            let answer = super::check(&index, text).unwrap();
            prop_assert_eq!(answer.duplicate, !answer.sources.is_empty());
            prop_assert!((0.0..=1.0).contains(&answer.share));
            let scores: Vec<f64> = answer.sources.iter().map(|source| source.score).collect();
            prop_assert!(scores.is_sorted_by(|x, y| x >= y));
            for source in answer.sources {
                let scores = source.scores.unwrap();
                prop_assert_eq!(source.score, scores.score(metric));
                found.insert((number_here, number(&source.id)), scores);
                let there = &references[number(&source.id)];
                for passage in source.passages {
                    prop_assert!(text.get(passage.here).is_some());
                    prop_assert!(passage.there.end as usize <= there.chars().count());
                }
            }
        }
        prop_assert_eq!(found, joined(&input, &references, &options));
    }

    /// A run finds the pairs that make a copy; an index names every source of a sentence.
    #[test]
    fn sentences(
        (input, references) in collections(awkward()),
        imatch: bool,
        reorder: bool,
        words in 1usize..4,
        least in prop::option::of(1u32..4),
        most in prop::sample::select(vec![1u64, 2, 300]),
        threshold in thresholds(),
        keep: bool,
        cut in 0usize..8,
    ) {
        let mut options = options(Metric::ContainmentCoverage, threshold, 5);
        options.matching.method = if imatch { Method::Imatch } else { Method::Sentences };
        let common = ["the", "some", "in", "mit"].map(str::to_owned).to_vec();
        options.matching.sentences = SentenceOptions {
            common: Some(Arc::new(CommonWords::new(common))),
            reorder: reorder || imatch,
            least: words,
            rule: CopyRule { sentences: least, most },
            ..SentenceOptions::default()
        };
        let place = Place::new();
        let mut writer = IndexWriter::create(&place.index(), &index_options(&options, keep), None).unwrap();
        fill(&mut writer, &place, &references, cut);
        let index = place.open();
        let mut checker = Checker::new(&index);
        let asked = CheckOptions::of(index.options());
        let copies = joined(&input, &references, &options);
        options.matching.sentences.rule.sentences = Some(1);
        let share = |scores: &Scores| f64::from(scores.covered_a) / f64::from(scores.tokens_a);
        let related = joined(&input, &references, &options);
        let related: Pairs<f64> = related.iter().map(|(pair, scores)| (*pair, share(scores))).collect();
        let mut found = Pairs::new();
        for (number_here, text) in input.iter().enumerate() {
            let answer = checker.check(text, &asked).unwrap();
            let copied = copies.range((number_here, 0)..(number_here + 1, 0)).next().is_some();
            prop_assert!(answer.duplicate || !copied, "{}", text);
            found.extend(answer.sources.iter().map(|source| ((number_here, number(&source.id)), source.score)));
        }
        prop_assert!(found.keys().eq(related.keys()));
        // A run takes no notice of where sentences stand, so that short ones count for nothing there.
        if imatch || words == 1 {
            prop_assert_eq!(found, related);
        }
    }
}

/// Words of several groups and scripts. All of them stand in the first reference: the group of a term that the table does not
/// know is that of the texts at hand, which are two for an index and all for a run.
const TERMS: [&str; 24] = [
    "meeting", "tomorrow", "office", "see", "you", "at", "the", "big", "house", "3", "12", "and",
    "runs", "Berlin", "ok", "haha", "🙂", "🎉", "#party", "@anna", "明天", "公司", "开会", "Café",
];

fn terms_text() -> impl Strategy<Value = String> + Clone {
    let words = prop::sample::select(TERMS.to_vec());
    prop::collection::vec(words, 0..9).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn terms(
        input in prop::collection::vec(terms_text(), 1..6),
        mut references in prop::collection::vec(terms_text(), 1..10),
        copies in prop::collection::vec(any::<Pick>(), 0..4),
        metric in prop::sample::select(Method::Terms.metrics()),
        threshold in thresholds(),
        learned: bool,
    ) {
        let mut options = options(metric, threshold, 5);
        options.matching.method = Method::Terms;
        options.matching.terms.language = Language::English;
        options.matching.terms.candidates = Candidates::Exact;
        references.insert(0, TERMS.join(" "));
        let mut input = input;
        input.extend(copies.iter().map(|pick| pick.get(&references).clone()));
        let place = Place::new();
        let collection = place.collection(&numbered(&references));
        let counting = CountOptions {
            method: options.matching.method,
            normalize: options.matching.normalize.clone(),
            terms: options.matching.terms.clone(),
            resources: options.resources.clone(),
            strict: false,
        };
        let path = place.0.path().join("table");
        write_background(Some(&collection), &[], &path, &counting, &Silent).unwrap();
        let table = (!learned).then_some(path.as_path());
        let mut writer = IndexWriter::create(&place.index(), &index_options(&options, true), table).unwrap();
        writer.add(&collection, &adding(), &Silent).unwrap();
        let index = place.open();
        let signature = segment_signature(&options.matching.normalize, &options.matching.terms);
        options.matching.terms.background = Some(Arc::new(Background::read(&path, &signature).unwrap()));
        let joined = joined(&input, &references, &options);
        let joined: Pairs<f64> = joined.iter().map(|(pair, scores)| (*pair, scores.score(metric))).collect();
        let mut found = Pairs::new();
        for (number_here, text) in input.iter().enumerate() {
            let answer = super::check(&index, text).unwrap();
            found.extend(answer.sources.iter().map(|source| ((number_here, number(&source.id)), source.score)));
        }
        prop_assert_eq!(found, joined);
    }
}
