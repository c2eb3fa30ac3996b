//! The samples and their truth: each label is found at the thresholds that `samples/README.md` names.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Place, json_lines, sample};

type Pair = (String, String);

fn truth(labels: &[&str]) -> BTreeSet<Pair> {
    let text = std::fs::read_to_string(sample("truth.jsonl")).unwrap();
    let pairs = json_lines(&text)
        .into_iter()
        .filter(|pair| labels.iter().any(|label| pair["label"] == *label));
    pairs.map(|pair| ends(&pair)).collect()
}

fn ends(pair: &Value) -> Pair {
    (pair["a"].to_string(), pair["b"].to_string())
}

fn found(options: &str) -> BTreeSet<Pair> {
    let place = Place::new();
    let collection = sample("collection.jsonl");
    let ran = place
        .run(&format!("pairs {} --quiet {options}", collection.display()))
        .ok();
    ran.json().iter().map(ends).collect()
}

#[test]
fn labels_are_found_at_their_thresholds() {
    let found = |options: &str| found(&format!("--numbers token {options}"));
    assert_eq!(found("--threshold 1"), truth(&["exact"]));
    assert_eq!(found("--threshold 0.5"), truth(&["exact", "near"]));
    assert_eq!(
        found("--metric coverage --threshold 0.8"),
        truth(&["exact", "near"])
    );
    assert_eq!(
        found("--metric containment --threshold 0.5"),
        truth(&["exact", "near", "partial"])
    );
}

#[test]
fn texts_that_differ_in_numbers_are_no_copies() {
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let apart = BTreeSet::from([pair("\"en-009\"", "2024"), pair("\"zh-003\"", "\"zh-008\"")]);
    assert_eq!(&found("--threshold 1") | &apart, truth(&["exact"]));
    assert!(found("--threshold 1").is_disjoint(&apart));
}

#[test]
fn the_width_of_fingerprints_changes_nothing() {
    let expected = found("--threshold 0.3 --metric coverage");
    for options in [
        "--fingerprint-bits 16",
        "--fingerprint-bits 40",
        "--fingerprint rabin",
        "--fingerprint rabin --fingerprint-bits 16",
    ] {
        assert_eq!(
            found(&format!("--threshold 0.3 --metric coverage {options}")),
            expected,
            "{options}"
        );
    }
}
