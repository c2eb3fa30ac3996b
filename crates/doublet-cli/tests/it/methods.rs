//! One whole run of every method: what `cargo xtask test --quick` includes besides unit tests.

use serde_json::Value;

use crate::harness::{Place, sample};

/// `dedup` of the samples by a method: the counts, and that every removed text is accounted for.
#[track_caller]
fn check(options: &str, removed: usize) {
    let place = Place::new();
    let collection = sample("collection.jsonl").display().to_string();
    place
        .run(&format!("dedup {collection} -o out -q {options}"))
        .ok();
    let summary = place.summary("out");
    let count = |field: &str| summary[field].as_u64().unwrap();
    let fates = count("kept") + count("removed") + count("empty") + count("rejected");
    assert_eq!((count("read"), fates), (127, 127), "{options}");
    let lines = place.lines("out/removed.jsonl");
    assert_eq!(
        (count("removed"), lines.len()),
        (removed as u64, removed),
        "{options}"
    );
    // Empty texts are kept too.
    let kept: Vec<Value> = place.lines("out/kept.jsonl");
    assert_eq!(
        kept.len() as u64,
        count("kept") + count("empty"),
        "{options}"
    );
    let is_kept = |id: &Value| kept.iter().any(|record| record["id"] == *id);
    for line in &lines {
        assert!(is_kept(&line["representative"]), "{options}: {line}");
        assert!(!is_kept(&line["id"]), "{options}: {line}");
        let score = line["score"].as_f64().unwrap();
        assert!(
            score >= summary["options"]["threshold"].as_f64().unwrap(),
            "{options}: {line}"
        );
    }
}

#[test]
fn shingles() {
    check("", 18);
    check("--metric coverage", 24);
}

#[test]
fn minhash() {
    check("--method minhash", 18);
}

#[test]
fn simhash() {
    check("--method simhash", 9);
}

#[test]
fn terms() {
    check("--method terms", 25);
}

#[test]
fn sentences() {
    check("--method sentences", 20);
}

#[test]
fn imatch() {
    check("--method imatch", 9);
}
