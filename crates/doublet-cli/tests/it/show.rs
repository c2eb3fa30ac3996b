//! `doublet compare` and `doublet inspect`.

use serde_json::json;

use crate::harness::{Place, sample};

fn rulff(options: &str) -> String {
    format!(
        "compare {} {} --stop-words de {options}",
        sample("rulff-a.txt").display(),
        sample("rulff-b.txt").display()
    )
}

#[test]
fn the_worked_example_of_the_paper() {
    let place = Place::new();
    let ran = place.run(&rulff("--metric coverage --json"));
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let found = &ran.json()[0];
    for (name, expected) in [
        ("common", 8),
        ("distinct_a", 18),
        ("distinct_b", 18),
        ("covered_a", 20),
        ("covered_b", 20),
        ("tokens_a", 22),
        ("tokens_b", 22),
    ] {
        assert_eq!(found[name], expected, "{name}");
    }
    assert!((found["resemblance"].as_f64().unwrap() - 8.0 / 28.0).abs() < 1e-9);
    assert!((found["coverage"].as_f64().unwrap() - 40.0 / 44.0).abs() < 1e-9);
    let below = place.run(&rulff(""));
    assert_eq!(below.status, 1);
    assert!(
        below.stdout.contains("0.285714") && below.stdout.contains("0.909091"),
        "{}",
        below.stdout
    );
}

#[test]
fn compare_shows_the_texts_side_by_side() {
    let place = Place::new();
    place
        .write("a.txt", "Eins zwei drei vier fünf sechs.")
        .write("b.txt", "eins zwei drei vier fünf 漢字\nneue Zeile");
    let ran = place.run("compare a.txt b.txt --threshold 0.1").ok();
    insta::assert_snapshot!("compare", ran.stdout);
}

#[test]
fn compare_takes_single_texts() {
    let place = Place::new();
    place
        .write("a.jsonl", "{\"text\": \"x\"}\n{\"text\": \"y\"}\n")
        .write("b.txt", "x");
    let ran = place.run("compare a.jsonl b.txt");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("several texts"), "{}", ran.stderr);
}

#[test]
fn inspect_counts_code_points_of_the_original() {
    let place = Place::new();
    place.write(
        "page.html",
        "<p>Gr\u{f6}\u{df}e &amp; <b>M</b>a\u{df} 12</p>",
    );
    let ran = place.run("inspect page.html --shingle 2").ok();
    let seen = &ran.json()[0];
    assert_eq!(seen["id"], "page.html");
    assert_eq!(
        seen["tokens"],
        json!([
            {"text": "grösse", "start": 3, "end": 8},
            {"text": "mass", "start": 18, "end": 25},
            {"text": "12", "start": 26, "end": 28},
        ])
    );
    assert_eq!(seen["shingles"], json!({"count": 2, "distinct": 2}));
    assert!(
        seen["fingerprints"]
            .as_array()
            .unwrap()
            .iter()
            .all(|f| f.as_str().unwrap().len() == 16)
    );
}
