//! `doublet advise`.

use serde_json::{Value, json};

use crate::harness::{FIVE, Place, sample};

fn advice(place: &Place, arguments: &str) -> Value {
    let ran = place.run(&format!("advise {arguments} --json -q")).ok();
    assert_eq!(ran.stderr, "");
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn what_is_advised_can_be_run() {
    let place = Place::new();
    let collection = sample("collection.jsonl").display().to_string();
    let found = advice(&place, &collection);
    let advised = &found["recommendation"];
    let command = advised["command"].as_str().unwrap();
    assert!(command.starts_with(&format!("doublet dedup {collection} --method")));
    place.run(command.strip_prefix("doublet ").unwrap()).ok();
    let summary = place.summary("clean");
    assert_eq!(summary["options"]["method"], advised["method"]);
    assert_eq!(summary["options"]["metric"], advised["metric"]);
    assert_eq!(summary["options"]["threshold"], advised["threshold"]);
    for other in found["alternatives"].as_array().unwrap() {
        let command = other["command"].as_str().unwrap();
        let command = command.strip_prefix("doublet ").unwrap();
        place
            .run(&format!("{command} --force").replace("pairs.jsonl --force", "pairs.jsonl"))
            .ok();
    }
}

#[test]
fn json_has_everything() {
    let place = Place::new();
    place.write("five.jsonl", FIVE);
    let found = advice(&place, "five.jsonl");
    let documents = &found["documents"];
    assert_eq!(
        (
            &documents["records"],
            &documents["texts"],
            &documents["empty"]
        ),
        (&json!(5), &json!(4), &json!(1))
    );
    assert_eq!(found["copies"]["words"], 0.25);
    assert_eq!(found["copies"]["bytes"], 0.0);
    assert_eq!(found["lengths"]["words"]["median"], 12);
    assert_eq!(found["languages"][0]["language"], "en");
    let histogram = found["histogram"].as_array().unwrap();
    assert_eq!(histogram.len(), 50);
    assert_eq!(histogram[1]["from"], 0.02);
    assert_eq!(found["valley"], Value::Null);
    assert_eq!(found["recommendation"]["method"], "terms");
    assert_eq!(found["recommendation"]["threshold"], 0.65);
    assert!(!found["reasons"].as_array().unwrap().is_empty());
}

#[test]
fn the_same_whatever_threads_and_memory() {
    let place = Place::new();
    let collection = sample("collection.jsonl").display().to_string();
    let run = |more: &str| {
        place
            .run(&format!("advise {collection} --json -q {more}"))
            .ok()
            .stdout
    };
    let one = run("--threads 1 --memory 64M");
    assert_eq!(one, run("--threads 3"));
    assert_eq!(one, run("--memory 4G"));
    let few = run("--sample 20");
    assert_eq!(few, run("--sample 20 --threads 2"));
    assert_ne!(few, run("--sample 20 --seed 2"));
}

#[test]
fn a_person_reads_a_report() {
    let place = Place::new();
    place.write("five.jsonl", FIVE);
    let ran = place.run("advise five.jsonl").ok();
    for words in [
        "records  5",
        "Scores",
        "Advice",
        "doublet dedup five.jsonl --method terms --threshold 0.65",
        "  - terms: ",
    ] {
        assert!(ran.stdout.contains(words), "{words} in {}", ran.stdout);
    }
}

#[test]
fn reading_options_stand_in_the_command() {
    let place = Place::new();
    place.write(
        "my posts.csv",
        "key,body\n1,the first post of a few words\n1,another post about the sea\n",
    );
    let ran = place
        .command("advise --json -q --text-field body --id-field key")
        .arg("my posts.csv")
        .output()
        .unwrap();
    let found: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let command = found["recommendation"]["command"].as_str().unwrap();
    assert!(
        command.starts_with(
            "doublet dedup 'my posts.csv' --text-field body --id-field key --method terms"
        ),
        "{command}"
    );
    assert!(command.ends_with("--renumber -o clean"), "{command}");
    assert_eq!(found["recommendation"]["options"]["renumber"], true);
}

#[test]
fn all_formats_and_standard_input() {
    let place = Place::new();
    let ran = place.run_with("advise - --json -q", FIVE.as_bytes()).ok();
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["documents"]["records"], 5);
    place
        .write("t/a.txt", "a text about the sea")
        .write("t/b.html", "<p>a page about the sea")
        .write("t/c.xml", "<d>a record about the sea</d>");
    let found = advice(&place, "t");
    assert_eq!(found["documents"]["texts"], 3);
}

#[test]
fn nothing_to_advise_on() {
    let place = Place::new();
    place
        .write("empty.jsonl", "")
        .write("dots.jsonl", "{\"text\": \"...\"}\n");
    for file in ["empty.jsonl", "dots.jsonl"] {
        let ran = place.run(&format!("advise {file} -q"));
        assert_eq!(ran.status, 1, "{}", ran.stderr);
        assert!(
            ran.stdout.contains("no record has a text"),
            "{}",
            ran.stdout
        );
        let ran = place.run(&format!("advise {file} -q --json"));
        let found: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(found["recommendation"], Value::Null);
    }
}

#[test]
fn errors_name_the_thing() {
    let place = Place::new();
    place.write("bad.jsonl", "{\"text\": \"good one\"}\nnonsense\n");
    let ran = place.run("advise bad.jsonl").ok();
    assert!(
        ran.stderr
            .contains("1 record cannot be read; the first is bad.jsonl:2"),
        "{}",
        ran.stderr
    );
    let ran = place.run("advise bad.jsonl --strict");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("bad.jsonl:2"), "{}", ran.stderr);
    let ran = place.run("advise missing.jsonl");
    assert_eq!(ran.status, 2);
    let ran = place.run("advise bad.jsonl --sample 1");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("2 to 100000"), "{}", ran.stderr);
}
