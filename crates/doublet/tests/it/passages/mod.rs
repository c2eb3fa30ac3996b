//! Removing passages against a plain reference: the texts in order, and a set of the sentences seen so far, as strings.

mod check;
mod reference;

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use doublet::batch::JoinOptions;
use doublet::cluster::{ClusterOptions, Keep, Linkage};
use doublet::dedup::{DedupOptions, Remove, dedup};
use doublet::matches::Source;
use doublet::method::Method;
use doublet::method::sentences::CopyRule;
use doublet::method::sentences::common::CommonWords;
use doublet::options::ReadOptions;
use doublet::progress::Silent;
use doublet::read::Collection;
use doublet::report::summary::Summary;
use doublet::scores::Metric;
use proptest::prelude::*;
use serde_json::Value;

use crate::harness::{Texts, options};
use check::check;
use reference::Reader;

fn join_options(threshold: &str) -> JoinOptions {
    let mut options = options(Metric::ContainmentCoverage, threshold, 5);
    options.matching.method = Method::Sentences;
    let common = ["the", "some"].map(str::to_owned).to_vec();
    options.matching.sentences.common = Some(Arc::new(CommonWords::new(common)));
    options
}

fn dedup_options(join: JoinOptions, directory: &Path) -> DedupOptions {
    DedupOptions {
        cluster: ClusterOptions {
            linkage: Linkage::Connected,
            keep: Keep::First,
            metric: join.matching.metric,
            removal: None,
        },
        remove: Remove::Passages,
        ..DedupOptions::new(join, directory.to_owned())
    }
}

/// What a run wrote.
struct Ran {
    summary: Summary,
    kept: Vec<String>,
    removed: Vec<Value>,
}

fn run(input: &[String], references: &[String], mut join: JoinOptions) -> Ran {
    let texts = Texts::new(input, references);
    let out = tempfile::tempdir().unwrap();
    // Ids are numbers: those of the references go on from the input's.
    join.renumber = true;
    let options = dedup_options(join, &out.path().join("out"));
    let summary = dedup(&texts.source, &options, &Silent).unwrap();
    let read = |name: &str| std::fs::read_to_string(out.path().join("out").join(name)).unwrap();
    let lines = |text: &str| -> Vec<Value> {
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    };
    let text = |line: &Value| line["text"].as_str().unwrap().to_owned();
    let mut removed = lines(&read("removed.jsonl"));
    for line in &mut removed {
        // The input lies in a directory of another name each time.
        line.as_object_mut().unwrap().remove("file");
    }
    Ran {
        summary,
        kept: lines(&read("kept.jsonl")).iter().map(text).collect(),
        removed,
    }
}

fn sentence(awkward: bool) -> impl Strategy<Value = &'static str> {
    let mut pool = vec![
        "Alpha beta gamma delta.",
        "Gamma delta alpha beta!",
        "The river rose quickly tonight?",
        "Kilometre limestone microbe harvest.",
        "Some the some.",
        "Profits halved.",
        "今天我们一起去公园散步。",
        "E\u{301}tude nai\u{308}ve cafe\u{301} tre\u{300}s bon.",
        "Great work everyone today 👨\u{200d}👩\u{200d}👧!",
        "Короткое русское предложение здесь.",
        "Invoice 12 was paid on Monday.",
    ];
    if awkward {
        pool.extend([
            "\u{301}Mark begins this sentence here.",
            "...",
            "lower case goes on here",
            "The",
        ]);
    }
    prop::sample::select(pool)
}

fn text(awkward: bool) -> impl Strategy<Value = String> {
    let mut spaces = vec![" ", "\n", "\n\n", "\r\n", "\r\n\r\n", "  ", "\n \n"];
    if awkward {
        spaces.extend(["", "\u{3000}", "\u{2029}", "\t"]);
    }
    let piece = (sentence(awkward), prop::sample::select(spaces))
        .prop_map(|(sentence, space)| format!("{sentence}{space}"));
    let start = prop::sample::select(vec!["", "", " ", "\r\n"]);
    let text = prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat());
    (start, text, any::<bool>()).prop_map(|(start, text, trim)| {
        let text = format!("{start}{text}");
        if trim {
            text.trim_end().to_owned()
        } else {
            text
        }
    })
}

/// Texts, some of them glued from others.
fn texts(awkward: bool, most: usize) -> impl Strategy<Value = Vec<String>> {
    let glue = prop::collection::vec((0usize..20, 0usize..20), 0..4);
    (prop::collection::vec(text(awkward), 1..most), glue).prop_map(|(mut texts, glue)| {
        for (a, b) in glue {
            let glued = format!("{}\n\n{}", texts[a % texts.len()], texts[b % texts.len()]);
            texts.push(glued);
        }
        texts
    })
}

fn rule() -> impl Strategy<Value = (CopyRule, &'static str)> {
    let least = prop::option::of(1u32..4);
    let most = prop::sample::select(vec![1u64, 3, 8, 300]);
    let threshold = prop::sample::select(vec!["0.1", "0.5", "0.75", "1"]);
    (least, most, threshold)
        .prop_map(|(sentences, most, threshold)| (CopyRule { sentences, most }, threshold))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn later_texts_lose_what_earlier_ones_have(
        input in texts(false, 8),
        references in prop::option::of(texts(false, 4)),
        (rule, threshold) in rule(),
    ) {
        let mut join = join_options(threshold);
        join.matching.sentences.rule = rule;
        check(&input, &references.unwrap_or_default(), &join, true);
    }

    #[test]
    fn a_second_run_finds_no_more_passages(
        input in texts(false, 8),
        references in prop::option::of(texts(false, 4)),
        (mut rule, threshold) in rule(),
    ) {
        let references = references.unwrap_or_default();
        let mut join = join_options(threshold);
        // What is boilerplate may be none once copies are gone.
        rule.most = u64::MAX;
        join.matching.sentences.rule = rule;
        let first = run(&input, &references, join.clone());
        let second = run(&first.kept, &references, join);
        // Texts of which nothing but common words remained may be the same now, and go as a whole.
        prop_assert_eq!(second.summary.passages, 0);
        let words = |id: usize| Reader::new(&join_options("1")).see(&first.kept[id]);
        for line in &second.removed {
            let seen = words(line["id"].as_u64().unwrap() as usize);
            prop_assert!(seen.sentences.iter().all(|(_, key, _)| key.is_none()), "{}", line);
        }
    }

    #[test]
    fn awkward_texts_lose_whole_sentences_or_none(
        input in texts(true, 8),
        references in prop::option::of(texts(true, 4)),
        (rule, threshold) in rule(),
    ) {
        let mut join = join_options(threshold);
        join.matching.sentences.rule = rule;
        check(&input, &references.unwrap_or_default(), &join, false);
    }
}

const PARAGRAPHS: [&str; 4] = [
    "The bridge was opened on Monday. Hundreds of people came to see it. The mayor spoke for an hour.",
    "Rain had fallen for three days before. Nobody expected the sun.",
    "Trains stopped at the new station. Tickets were cheaper than before. The old line was closed.",
    "An engineer explained the cables. Each carries forty tonnes.",
];

fn glued(parts: &[usize]) -> String {
    parts
        .iter()
        .map(|&part| PARAGRAPHS[part])
        .collect::<Vec<_>>()
        .join("\n\n")
}

#[test]
fn neighbours_are_put_down_to_one_source() {
    let input = [
        glued(&[0]),
        glued(&[2]),
        glued(&[0, 2]),
        glued(&[1, 0, 2, 3]),
    ];
    let mut join = join_options("1");
    join.matching.sentences.rule.sentences = Some(7);
    let ran = run(&input[..3], &[], join.clone());
    // Both paragraphs of the third text are elsewhere, and it goes as a whole.
    assert_eq!((ran.summary.removed, ran.summary.shortened), (1, 0));
    assert_eq!(ran.removed[0]["cluster"], 0);

    join.matching.sentences.rule.sentences = Some(3);
    let ran = run(&[input[0].clone(), input[3].clone()], &[], join.clone());
    assert_eq!(ran.kept[1], glued(&[1, 2, 3]));
    let line = &ran.removed[0];
    assert_eq!(
        (&line["id"], &line["source"], &line["sentences"]),
        (&1.into(), &0.into(), &3.into())
    );
    assert_eq!(
        (&line["source_start"], &line["source_end"]),
        (&0.into(), &PARAGRAPHS[0].len().into())
    );

    // Of two texts that keep a sentence, the one that has its neighbours too.
    let both = format!("{} Nothing else was known.", glued(&[0, 1]));
    join.matching.sentences.rule.sentences = Some(5);
    let last = format!("{} It has an end of its own.", glued(&[0, 1]));
    let ran = run(&[glued(&[0]), both, last], &[], join);
    let lines: Vec<_> = ran
        .removed
        .iter()
        .map(|line| (line["id"].as_u64(), line["source"].as_u64()))
        .collect();
    assert_eq!(lines, [(Some(2), Some(1))]);
    assert_eq!(ran.kept[2], "It has an end of its own.");
}

#[test]
fn a_copy_that_goes_as_a_whole_is_no_source() {
    let (two, one) = (
        "Red green blue yellow. Big small tall short.",
        "Red green blue yellow big small tall short.",
    );
    let last = format!("{one} Something of its own follows.");
    let mut join = join_options("1");
    join.matching.sentences.rule.sentences = Some(1);
    let ran = run(&[two.to_owned(), one.to_owned(), last.clone()], &[], join);
    // The second has the words of the first, and its one sentence is nowhere else than in the third.
    assert_eq!(ran.kept, [two.to_owned(), last]);
    assert_eq!(ran.removed.len(), 1);
}

#[test]
fn a_second_run_removes_nothing_more() {
    let mut input: Vec<String> = (0..4).map(|part| glued(&[part])).collect();
    for parts in [[0, 1], [1, 2], [3, 0], [2, 3]] {
        input.push(format!(
            "{} Text {parts:?} has a sentence of its own here.",
            glued(&parts)
        ));
    }
    input.push(input[4].clone());
    let join = join_options("0.5");
    let first = run(&input, &[], join.clone());
    assert_eq!((first.summary.removed, first.summary.shortened), (1, 4));
    let second = run(&first.kept, &[], join);
    assert_eq!(second.removed, Vec::<Value>::new());
    assert_eq!(second.kept, first.kept);
}

#[test]
fn packed_inputs_stay_packed() {
    let line = |text: &str| serde_json::json!({ "text": text }).to_string() + "\n";
    let own = "An own sentence stands at the end.";
    let lines = line(&glued(&[0])) + &line(&format!("{}\n\n{own}", glued(&[0])));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(lines.as_bytes()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("in.jsonl.gz");
    std::fs::write(&path, packed.finish().unwrap()).unwrap();
    let inputs = [path.to_str().unwrap().to_owned()];
    let source = Source {
        input: Collection::open(&inputs, &ReadOptions::default(), directory.path()).unwrap(),
        references: None,
    };
    let out = directory.path().join("out");
    dedup(&source, &dedup_options(join_options("0.5"), &out), &Silent).unwrap();
    let mut text = String::new();
    let file = std::fs::File::open(out.join("kept.jsonl.gz")).unwrap();
    let mut reader = flate2::read::MultiGzDecoder::new(file);
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, line(&glued(&[0])) + &line(own));
}

#[test]
fn what_passages_cannot_be_removed_by_is_refused() {
    let texts = Texts::new(&["One.".to_owned()], &[]);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let refused = |change: &dyn Fn(&mut DedupOptions)| {
        let mut options = dedup_options(join_options("0.5"), &out);
        change(&mut options);
        let error = dedup(&texts.source, &options, &Silent)
            .unwrap_err()
            .to_string();
        assert!(!out.exists(), "{error}");
        error
    };
    let method = refused(&|options| options.join.matching.method = Method::Imatch);
    assert!(method.contains("--method sentences"), "{method}");
    let keep = refused(&|options| options.cluster.keep = Keep::Longest);
    assert!(
        keep.contains("--keep longest") && keep.contains("order"),
        "{keep}"
    );
    let linkage = refused(&|options| options.cluster.linkage = Linkage::Star);
    assert!(linkage.contains("--linkage star"), "{linkage}");
}
