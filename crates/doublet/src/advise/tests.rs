//! Whole collections, made so that a rule applies, and brute force on small ones.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::method::shingles::Preparer;
use crate::method::terms::Language;
use crate::method::{Fitted, MatchOptions, Method};
use crate::options::{NormalizeOptions, Numbers, ReadOptions, ShingleOptions};
use crate::progress::Silent;
use crate::scores::Metric;

fn examined(lines: &[String], threads: usize, sample: usize) -> Findings {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("texts.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    let options = AdviseOptions {
        resources: Resources {
            threads,
            memory: 1 << 28,
            temp_dir: directory.path().to_owned(),
        },
        strict: false,
        seed: 1,
        sample,
    };
    let inputs = [path.display().to_string()];
    let collection = Collection::open(&inputs, &ReadOptions::default(), directory.path()).unwrap();
    examine(&collection, &options, &Silent).unwrap()
}

fn lines<T: AsRef<str>>(texts: &[T]) -> Vec<String> {
    let line = |text: &T| json!({"text": text.as_ref()}).to_string();
    texts.iter().map(line).collect()
}

fn advised<T: AsRef<str>>(texts: &[T]) -> (Findings, Advice) {
    let findings = examined(&lines(texts), 2, 4000);
    let advice = recommend(&findings);
    (findings, advice)
}

fn chosen(advice: &Advice) -> &Recommendation {
    advice.recommendation.as_ref().unwrap()
}

fn says(advice: &Advice, words: &str) -> bool {
    advice.reasons.iter().any(|reason| reason.contains(words))
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    }

    /// A word of letters.
    fn word(&mut self) -> String {
        let number = self.next(5000);
        let letter = |n: u64| char::from(b'a' + (n % 26) as u8);
        [number, number / 26, number / 676, number * 7]
            .map(letter)
            .iter()
            .collect()
    }

    fn words(&mut self, count: u64) -> Vec<String> {
        (0..count).map(|_| self.word()).collect()
    }

    fn text(&mut self, count: u64) -> String {
        self.words(count).join(" ")
    }
}

/// Texts of so many words, and of each one in four a copy with a few words changed.
fn near_duplicates(texts: u64, words: u64) -> Vec<String> {
    let mut random = Random(7);
    let mut all = Vec::new();
    for number in 0..texts {
        let text = random.words(words);
        if number % 4 == 0 {
            let mut copy = text.clone();
            copy[random.next(words) as usize] = "changed".to_owned();
            all.push(copy.join(" "));
        }
        all.push(text.join(" "));
    }
    all
}

#[test]
fn long_texts_go_by_shingles() {
    let (findings, advice) = advised(&near_duplicates(200, 150));
    assert_eq!(chosen(&advice).method, Method::Shingles);
    assert_eq!(chosen(&advice).metric, Metric::Resemblance);
    assert_eq!(chosen(&advice).command, "dedup");
    // One word changed of 150 leaves 0.93; nothing else has anything in common.
    let pairs = findings.pairs.unwrap();
    assert!(pairs.valley.is_none());
    assert_eq!(chosen(&advice).threshold, 0.8);
    assert_eq!(
        pairs
            .histogram
            .iter()
            .map(|bin| bin.pairs.round())
            .sum::<f64>(),
        50.0
    );
    assert_eq!(findings.words.median, 150);
}

#[test]
fn short_texts_go_by_terms() {
    let mut texts = near_duplicates(200, 9);
    texts.extend((0..100).map(|n| format!("See you at the old pier, my friend {n}")));
    let (findings, advice) = advised(&texts);
    assert_eq!(chosen(&advice).method, Method::Terms);
    assert_eq!(findings.pairs.unwrap().compared, Compared::Terms);
    assert!(says(&advice, "half of the texts have at most"));
}

#[test]
fn very_many_texts_go_by_sketches() {
    let findings = Findings {
        records: 2_000_000,
        words: Quantiles {
            median: 200,
            ..Quantiles::default()
        },
        copies: Copies {
            distinct: 1_900_000.0,
            ..Copies::default()
        },
        bytes: 2_400_000_000,
        ..Findings::default()
    };
    let advice = recommend(&findings);
    assert_eq!(chosen(&advice).method, Method::Minhash);
    assert!(says(&advice, "1,900,000"));
    assert!(advice.estimate.unwrap().cpu_seconds > 10.0);
}

#[test]
fn texts_within_others_go_by_containment() {
    let mut random = Random(3);
    let mut texts = Vec::new();
    for _ in 0..100 {
        let part = random.text(60);
        texts.push(format!("{} {part} {}", random.text(100), random.text(100)));
        texts.push(part);
    }
    let (findings, advice) = advised(&texts);
    assert_eq!(findings.pairs.unwrap().within, 1.0);
    assert_eq!(chosen(&advice).metric, Metric::Containment);
    assert_eq!(chosen(&advice).command, "pairs");
    assert!(advice.estimate.is_some());
    let other = &advice.alternatives[0].recommendation;
    assert_eq!((other.method, other.command), (Method::Shingles, "dedup"));
}

#[test]
fn shared_passages_go_by_sentences() {
    let mut random = Random(4);
    let mut texts = Vec::new();
    for _ in 0..100 {
        let passage = random.text(70);
        for _ in 0..2 {
            texts.push(format!(
                "{} {passage} {}",
                random.text(150),
                random.text(100)
            ));
        }
    }
    let (findings, advice) = advised(&texts);
    let pairs = findings.pairs.unwrap();
    assert_eq!((pairs.passages, pairs.within), (1.0, 0.0));
    assert_eq!(chosen(&advice).method, Method::Sentences);
    assert!(says(&advice, "share a passage"));
}

#[test]
fn boilerplate_is_told() {
    let mut random = Random(5);
    let footer = random.text(40);
    let texts: Vec<String> = (0..300)
        .map(|_| format!("{} {footer}", random.text(60)))
        .collect();
    let (findings, advice) = advised(&texts);
    let pairs = findings.pairs.unwrap();
    assert!((0.3..0.5).contains(&pairs.boilerplate), "{pairs:?}");
    assert_eq!((pairs.passages, pairs.within), (0.0, 0.0));
    assert!(says(&advice, "boilerplate"));
    let other = &advice.alternatives[0].recommendation;
    assert!(
        other
            .options
            .contains(&("remove", Some("passages".to_owned())))
    );
}

#[test]
fn numbers_are_kept_where_nothing_else_differs() {
    let mut random = Random(6);
    let form = random.text(40);
    let mut texts: Vec<String> = (0..50).map(|n| format!("Invoice {n} {form}")).collect();
    texts.extend((0..50).map(|_| random.text(40)));
    let (findings, advice) = advised(&texts);
    assert_eq!(findings.copies.words, 0.0);
    assert_eq!(findings.copies.but_for_numbers, 0.49);
    assert!(
        chosen(&advice)
            .options
            .iter()
            .all(|(name, _)| *name != "numbers")
    );
    let told =
        |reason: &String| reason.starts_with("numbers:") && reason.contains("--numbers token");
    assert!(advice.reasons.iter().any(told));
    assert_eq!(findings.pairs.unwrap().compared, Compared::Shingles);
}

#[test]
fn markup_is_told() {
    let mut random = Random(8);
    let text = |random: &mut Random| format!("<p>{}</p><br>", random.text(40));
    let texts: Vec<String> = (0..20).map(|_| text(&mut random)).collect();
    let (findings, advice) = advised(&texts);
    assert_eq!(findings.markup, 1.0);
    assert!(says(&advice, "have tags in them"));
}

#[test]
fn the_language_of_short_texts_is_given() {
    let texts: Vec<String> = (0..30)
        .map(|n| format!("Wir kommen heute um {n} Uhr nicht mehr zu dir nach Hause"))
        .collect();
    let (findings, advice) = advised(&texts);
    assert_eq!(findings.languages[0].language, Language::German);
    assert!(
        chosen(&advice)
            .options
            .contains(&("lang", Some("de".to_owned())))
    );
    let chinese = ["今天天气很好我们去公园吧"; 3];
    let (findings, advice) = advised(&chinese);
    assert_eq!(findings.languages[0].language, Language::Chinese);
    assert!(chosen(&advice).options.is_empty());
}

#[test]
fn copies_alone_are_told() {
    let mut random = Random(9);
    let mut texts: Vec<String> = (0..40).map(|_| random.text(50)).collect();
    texts.extend(texts[..10].to_vec());
    let (findings, advice) = advised(&texts);
    assert_eq!(findings.copies.bytes, 0.2);
    assert!(
        says(&advice, "what there is are exact copies"),
        "{advice:?}"
    );
}

#[test]
fn little_or_nothing_is_advised_on() {
    let (_, advice) = advised::<&str>(&[]);
    assert!(advice.recommendation.is_none() && says(&advice, "--text-field"));
    let (findings, advice) = advised(&["...", "", "👍"]);
    assert_eq!((findings.empty, findings.texts()), (3, 0));
    assert!(advice.recommendation.is_none());
    let (_, advice) = advised(&["one text only, of a few words"]);
    assert!(says(&advice, "one text only"));
    let (findings, advice) = advised(&["All the same!", "all the same", "ALL THE SAME"]);
    assert!(says(&advice, "all texts are the same"));
    assert_eq!(findings.copies.bytes, 0.0);
    assert_eq!(findings.copies.words, 2.0 / 3.0);
}

#[test]
fn bad_records_and_repeated_ids_are_told() {
    let lines = [
        r#"{"id": 1, "text": "the first text of a few words"}"#,
        r#"{"id": 1, "text": "another text of a few words"}"#,
        "not json",
        r#"{"id": 2}"#,
        r#"{"id": 3, "text": ""}"#,
    ]
    .map(str::to_owned);
    let findings = examined(&lines, 1, 10);
    assert_eq!(
        (findings.records, findings.empty, findings.rejected),
        (5, 1, 2)
    );
    assert_eq!(findings.rejections[0].line, 3);
    assert!(findings.repeated_ids);
    let advice = recommend(&findings);
    assert!(chosen(&advice).options.contains(&("renumber", None)));
    assert!(
        chosen(&advice)
            .arguments()
            .contains(&"--renumber".to_owned())
    );
}

/// All pairs of different texts that have something in common, by score.
fn all_pairs(texts: &[String], fraction: impl Fn(&str, &str) -> (u64, u64)) -> Vec<u64> {
    let mut counts = vec![0; histogram::BINS];
    for (at, a) in texts.iter().enumerate() {
        for b in &texts[at + 1..] {
            let (common, whole) = fraction(a, b);
            if common > 0 {
                counts[histogram::bin_of(common, whole)] += 1;
            }
        }
    }
    counts
}

/// Texts without copies, each of words of a small vocabulary.
fn texts_of_few_words(words: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["red", "blue", "the", "sea", "runs", "deep", "tonight"]);
    let text = prop::collection::vec(word, words).prop_map(|words| words.join(" "));
    prop::collection::btree_set(text, 2..25).prop_map(|texts| texts.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn scores_of_shingles_are_those_of_all_pairs(texts in texts_of_few_words(30..45), copies in 1usize..3, threads in 1usize..3) {
        let repeated: Vec<String> = texts.iter().flat_map(|text| vec![text.clone(); copies]).collect();
        let found = examined(&lines(&repeated), threads, 100);
        prop_assert_eq!(found.copies.distinct, texts.len() as f64);
        let pairs = found.pairs.unwrap();
        prop_assert_eq!(pairs.compared, Compared::Shingles);
        let preparer = Preparer::new(&NormalizeOptions::default(), &ShingleOptions::default()).unwrap();
        let expected = all_pairs(&texts, |a, b| preparer.explain(a, b).scores.fraction(Metric::Resemblance));
        let counts: Vec<u64> = pairs.histogram.iter().map(|bin| bin.pairs.round() as u64).collect();
        prop_assert_eq!(counts, expected);
    }

    #[test]
    fn scores_of_terms_are_those_of_all_pairs(texts in texts_of_few_words(1..8)) {
        let found = examined(&lines(&texts), 2, 100);
        let pairs = found.pairs.unwrap();
        prop_assert_eq!(pairs.compared, Compared::Terms);
        let normalize = NormalizeOptions { numbers: Numbers::Keep, ..NormalizeOptions::default() };
        let options = MatchOptions { normalize, ..MatchOptions::new(Method::Terms) };
        let all: Vec<&str> = texts.iter().map(String::as_str).collect();
        let fitted = Fitted::of_texts(&options, &all).unwrap();
        let expected = all_pairs(&texts, |a, b| fitted.explain(a, b).scores.fraction(Metric::Degree));
        let counts: Vec<u64> = pairs.histogram.iter().map(|bin| bin.pairs.round() as u64).collect();
        prop_assert_eq!(counts, expected);
    }

    #[test]
    fn awkward_texts_do_no_harm(texts in prop::collection::vec("[a一 👍\r\n<>.5é\u{301}ก한]{0,40}", 0..30)) {
        let lines = lines(&texts);
        let (one, two) = (examined(&lines, 1, 5), examined(&lines, 2, 5));
        prop_assert_eq!(format!("{one:?}"), format!("{two:?}"));
        let advice = recommend(&one);
        let distinct: BTreeSet<&String> = texts.iter().filter(|text| text.chars().any(char::is_alphanumeric)).collect();
        prop_assert_eq!(advice.recommendation.is_none(), distinct.is_empty());
        for threshold in advice.recommendation.iter().map(|chosen| chosen.threshold) {
            prop_assert!((0.5..=0.9).contains(&threshold));
        }
    }
}

#[test]
fn a_sample_of_the_pairs_is_fair() {
    let texts = near_duplicates(2000, 30);
    let all = examined(&lines(&texts), 2, 10_000).pairs.unwrap();
    let some = examined(&lines(&texts), 2, 500).pairs.unwrap();
    let pairs = |found: &PairFindings| found.histogram.iter().map(|bin| bin.pairs).sum::<f64>();
    assert_eq!(some.sampled, 500);
    assert!((pairs(&all) - 500.0).abs() < 10.0, "{}", pairs(&all));
    assert!(
        (pairs(&some) / pairs(&all) - 1.0).abs() < 0.3,
        "{}",
        pairs(&some)
    );
}
