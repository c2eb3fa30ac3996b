//! `--method simhash` on the command line.

use serde_json::Value;

use crate::harness::{Place, sample};

/// A word made of letters only.
fn word(number: usize) -> String {
    let digits = format!("{number:03}");
    let letters = digits.bytes().map(|digit| char::from(digit - b'0' + b'a'));
    letters.chain(['x']).collect()
}

/// Two near texts, one of the same words with a copy, one far from them, and one without a word.
fn place() -> Place {
    let place = Place::new();
    let words: Vec<String> = (0..300).map(|place| word(place * 7919 % 1000)).collect();
    let near = words[..299].join(" ") + " other";
    let far = "nothing of this stands in the others at all";
    let lines: Vec<String> = [
        words.join(" "),
        near,
        far.to_owned(),
        far.to_uppercase(),
        "—".to_owned(),
    ]
    .iter()
    .enumerate()
    .map(|(id, text)| serde_json::json!({"id": id, "text": text}).to_string())
    .collect();
    place.write("texts.jsonl", lines.join("\n"));
    place
}

fn ends(pair: &Value) -> (u64, u64) {
    (pair["a"].as_u64().unwrap(), pair["b"].as_u64().unwrap())
}

#[test]
fn pairs_have_their_agreement_and_nothing_else() {
    let place = place();
    let pairs = place
        .run("pairs texts.jsonl --method simhash --distance 6")
        .ok()
        .json();
    assert_eq!(pairs.iter().map(ends).collect::<Vec<_>>(), [(0, 1), (2, 3)]);
    for pair in &pairs {
        assert_eq!(pair["metric"], "agreement");
        assert_eq!(pair["score"], pair["agreement"]);
        assert!(pair.get("resemblance").is_none());
    }
    assert_eq!(pairs[1]["score"], 1.0);
    let differing = 64.0 * (1.0 - pairs[0]["score"].as_f64().unwrap());
    assert!(differing > 0.0 && (differing - differing.round()).abs() < 1e-4);
    // One bit less does not do, and the threshold is the same by its other name.
    let (most, least) = (differing.round() as u32, 64.0 - differing.round());
    let count = |more: &str| {
        place
            .run(&format!("pairs texts.jsonl --method simhash {more}"))
            .ok()
            .json()
            .len()
    };
    assert_eq!(count(&format!("--distance {most}")), 2);
    assert_eq!(count(&format!("--threshold {}", least / 64.0)), 2);
    assert_eq!(count(&format!("--distance {}", most - 1)), 1);
}

#[test]
fn a_run_says_how_it_searched() {
    let place = place();
    let ran = place
        .run("dedup texts.jsonl --method simhash --distance 6 -o out")
        .ok();
    assert!(ran.stderr.contains("of fingerprints"), "{}", ran.stderr);
    let summary = place.summary("out");
    assert_eq!(summary["blocks"]["distance"], 6);
    assert_eq!(summary["options"]["distance"], 6);
    assert_eq!(summary["options"]["voters"], "shingles");
    assert_eq!(summary["options"]["metric"], "agreement");
    let count = |name: &str| summary[name].as_u64().unwrap();
    assert_eq!((count("kept"), count("removed"), count("empty")), (2, 2, 1));
    let removed = place.lines("out/removed.jsonl");
    assert_eq!(removed.len(), 2);
    assert_eq!(place.lines("out/pairs.jsonl").len(), 2);
    assert!(place.read("out/report.html").contains("resemblance"));
    assert!(
        place
            .run("dedup texts.jsonl -o other")
            .ok()
            .stderr
            .find("of fingerprints")
            .is_none()
    );
    assert!(place.summary("other").get("blocks").is_none());
}

#[test]
fn results_are_the_same_bytes_for_any_threads_and_memory() {
    let place = Place::new();
    let input = sample("collection.jsonl");
    for voters in ["shingles", "terms"] {
        let run = |name: &str, more: &str| {
            let arguments = format!(
                "dedup {} --method simhash --voters {voters} --distance 8 -o {voters}-{name} {more}",
                input.display()
            );
            place.run(&arguments).ok();
            [
                "kept.jsonl",
                "removed.jsonl",
                "pairs.jsonl",
                "clusters.jsonl",
            ]
            .map(|file| place.read(&format!("{voters}-{name}/{file}")))
        };
        let one = run("one", "--threads 1 --memory 1G");
        assert_eq!(run("more", "--threads 3 --memory 1M"), one);
        assert!(!one[2].is_empty());
    }
}

#[test]
fn references_stay_and_are_no_pairs() {
    let place = place();
    let against =
        place.run("pairs texts.jsonl --against texts.jsonl --method simhash --distance 6");
    let pairs: Vec<_> = against.ok().json().iter().map(ends).collect();
    // Each text with its own copy, and the two near pairs both ways.
    assert_eq!(pairs.len(), 4 + 4);
}

#[test]
fn a_text_is_shown_with_its_fingerprint_and_features() {
    let place = place();
    for voters in ["shingles", "terms"] {
        let arguments = format!("inspect texts.jsonl --method simhash --voters {voters}");
        let lines = place.run(&arguments).ok().json();
        assert_eq!(lines[2]["fingerprint"], lines[3]["fingerprint"]);
        assert_eq!(lines[2]["fingerprint"].as_str().unwrap().len(), 16);
        assert_eq!(lines[4]["fingerprint"], Value::Null);
        let features = lines[2]["features"].as_array().unwrap();
        assert!(
            features
                .iter()
                .all(|feature| feature["weight"].as_f64().unwrap() > 0.0)
        );
        let name = &voters[..voters.len() - 1];
        assert!(features.iter().all(|feature| feature[name].is_string()));
    }
    // One shingle is its own fingerprint.
    let ran = place
        .run_with(
            "inspect - --method simhash --format text",
            b"Ein kurzer Text",
        )
        .ok()
        .json();
    assert_eq!(ran[0]["features"][0]["shingle"], "ein kurzer text");
    assert_eq!(ran[0]["features"][0]["hash"], ran[0]["fingerprint"]);
}

#[test]
fn two_texts_are_compared_by_their_fingerprints() {
    let place = place();
    place.write("a.txt", "the quick brown fox jumps over the lazy dog");
    place.write("b.txt", "the quick brown fox jumps over the lazy cat");
    place.write("none.txt", "—");
    let json = |arguments: &str| {
        let ran = place.run(&format!("compare {arguments} --method simhash --json"));
        (
            ran.status,
            serde_json::from_str::<Value>(&ran.stdout).unwrap(),
        )
    };
    let (status, found) = json("a.txt b.txt");
    assert_eq!((status, &found["duplicate"]), (1, &Value::Bool(false)));
    let distance = found["distance"].as_u64().unwrap();
    assert_eq!(found["score"], (64 - distance) as f64 / 64.0);
    assert_eq!(found["score"], found["agreement"]);
    assert_eq!(found["resemblance"].as_f64().unwrap(), 4.0 / 6.0);
    let (status, found) = json(&format!("a.txt b.txt --distance {distance}"));
    assert_eq!((status, &found["duplicate"]), (0, &Value::Bool(true)));
    let (status, found) = json("none.txt none.txt --distance 63");
    assert_eq!((status, &found["fingerprint_a"]), (1, &Value::Null));
    assert_eq!(json("a.txt a.txt --voters terms").0, 0);
    let shown = place
        .run("compare a.txt b.txt --method simhash --distance 63")
        .ok()
        .stdout;
    assert!(shown.contains(&format!("{distance} of 64 bits")), "{shown}");
    assert!(shown.contains("agreement"), "{shown}");
    assert!(shown.contains("resemblance"), "{shown}");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let place = place();
    for (arguments, expected) in [
        (
            "--method simhash --distance 3 --threshold 0.9",
            "the same thing",
        ),
        ("--distance 3", "`--distance` goes with `--method simhash`"),
        (
            "--method terms --voters terms",
            "`--voters` goes with `--method simhash`",
        ),
        (
            "--method simhash --weighting idf",
            "`--weighting` goes with",
        ),
        (
            "--method simhash --voters terms --gram 2",
            "`--gram` goes with",
        ),
        ("--method simhash --metric coverage", "knows agreement"),
        ("--method simhash --distance 64", "64 is not in"),
    ] {
        let ran = place.run(&format!("pairs texts.jsonl {arguments}"));
        assert_eq!(ran.status, 2, "{arguments}");
        assert!(ran.stderr.contains(expected), "{arguments}: {}", ran.stderr);
    }
    place
        .run("pairs texts.jsonl --method simhash --distance 3 --threshold 0.953125")
        .ok();
}

#[test]
fn a_background_decides_what_terms_weigh() {
    let place = place();
    place.write("background.txt", "all all all others stands stands nothing");
    place
        .run("background background.txt -o table.background")
        .ok();
    let fingerprint = |more: &str| {
        let arguments = format!("inspect texts.jsonl --method simhash --voters terms {more}");
        let lines = place.run(&arguments).ok().json();
        lines[2]["features"].clone()
    };
    assert_ne!(
        fingerprint("--background table.background"),
        fingerprint("")
    );
    assert_ne!(fingerprint("--weighting idf"), fingerprint(""));
    place
        .run("pairs texts.jsonl --method simhash --voters terms --background table.background")
        .ok();
}
