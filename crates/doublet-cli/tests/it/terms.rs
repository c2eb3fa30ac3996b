//! `--method terms` on the command line.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::harness::{Place, json_lines, sample};

fn messages() -> String {
    sample("messages.jsonl").display().to_string()
}

/// The pairs of the truth file of the messages.
fn truth() -> BTreeSet<(String, String)> {
    let text = std::fs::read_to_string(sample("messages-truth.jsonl")).unwrap();
    json_lines(&text).iter().map(ends).collect()
}

fn ends(pair: &Value) -> (String, String) {
    let key = |name: &str| pair[name].as_str().unwrap().to_owned();
    (key("a"), key("b"))
}

#[test]
fn the_messages_have_the_pairs_of_their_truth_file() {
    let place = Place::new();
    for candidates in ["features", "exact", "baseline"] {
        let arguments = format!(
            "pairs {} --method terms --candidates {candidates}",
            messages()
        );
        let pairs = place.run(&arguments).ok().json();
        let found: BTreeSet<_> = pairs.iter().map(ends).collect();
        assert_eq!(found, truth(), "{candidates}");
        for pair in pairs {
            assert_eq!(pair["metric"], "degree");
            assert_eq!(pair["score"], pair["degree"]);
        }
    }
}

#[test]
fn one_of_each_pair_is_kept() {
    let place = Place::new();
    let arguments = format!("dedup {} --method terms -o out", messages());
    let ran = place.run(&arguments).ok();
    assert!(
        ran.stderr.contains("words lost: outside the passages"),
        "{}",
        ran.stderr
    );
    let summary = place.summary("out");
    assert_eq!(summary["term_search"]["candidates"], "exact");
    let clusters = place.lines("out/clusters.jsonl");
    let count = |name: &str| summary[name].as_u64().unwrap();
    assert_eq!(
        count("kept") + count("removed") + count("empty"),
        count("read")
    );
    assert_eq!(count("empty"), 1);
    let members: u64 = clusters
        .iter()
        .map(|cluster| cluster["size"].as_u64().unwrap())
        .sum();
    assert_eq!(members - clusters.len() as u64, count("removed"));
    let pairs: BTreeSet<_> = place.lines("out/pairs.jsonl").iter().map(ends).collect();
    assert!(pairs.is_subset(&truth()));
    assert!(place.read("out/report.html").contains("degree"));
    assert_eq!(summary["options"]["transitivity"], "off");
    assert_eq!(summary["options"]["threshold"], 0.65);
    assert_eq!(summary["options"]["numbers"], "keep");
}

#[test]
fn results_are_the_same_bytes_for_any_threads_and_memory() {
    let place = Place::new();
    let run = |name: &str, more: &str| {
        let arguments = format!("dedup {} --method terms -o {name} {more}", messages());
        place.run(&arguments).ok();
        [
            "kept.jsonl",
            "removed.jsonl",
            "pairs.jsonl",
            "clusters.jsonl",
        ]
        .map(|file| place.read(&format!("{name}/{file}")))
    };
    let one = run("one", "--threads 1");
    assert_eq!(run("three", "--threads 3"), one);
    assert_eq!(run("small", "--threads 2 --memory 1M"), one);
}

/// Checks the lines of `inspect` against the formulas they must follow, and the texts.
fn check_inspect(lines: &[Value], texts: &BTreeMap<String, String>, gram: usize) {
    let groups = lines[0]["groups"].as_object().unwrap();
    assert_eq!(groups.len(), 14);
    for line in &lines[1..] {
        let text: Vec<char> = texts[line["id"].as_str().unwrap()].chars().collect();
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        for term in line["terms"].as_array().unwrap() {
            let number = |name: &str| term[name].as_f64().unwrap();
            let form = term["term"].as_str().unwrap();
            let group = &groups[term["group"].as_str().unwrap()];
            let (a, b) = (group["a"].as_f64().unwrap(), group["b"].as_f64().unwrap());
            let (max, min) = (
                group["max"].as_f64().unwrap(),
                group["min"].as_f64().unwrap(),
            );
            let share = if max > min {
                (number("frequency") - min) / (max - min)
            } else {
                0.0
            };
            let expected = ((b - a) * share + a) * form.chars().count() as f64;
            assert!((number("weight") - expected).abs() < 1e-6, "{term}");
            weights.insert(form.to_owned(), number("weight"));
            let (start, end) = (number("start") as usize, number("end") as usize);
            let place: String = text[start..end].iter().collect();
            assert!(
                !place.trim().is_empty() && place.trim() == place,
                "{term} in {place:?}"
            );
        }
        let mut order: Vec<(&String, f64)> = weights.iter().map(|(form, w)| (form, *w)).collect();
        order.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(y.0)));
        let features: Vec<&str> = line["features"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f.as_str().unwrap())
            .collect();
        let total: f64 = weights.values().sum();
        let mut sum = 0.0;
        let exceeds = |(_, weight): &(&String, f64)| {
            sum += weight;
            sum / total > 0.65
        };
        let least = order.iter().position(exceeds).map_or(0, |at| at + 1);
        let expected: Vec<&str> = order
            .iter()
            .take(least + gram)
            .map(|(form, _)| form.as_str())
            .collect();
        assert_eq!(features, expected);
        let fingerprints = line["fingerprints"].as_array().unwrap();
        let grams = match features.len() {
            0 => 0,
            count if count <= gram => 1,
            count => count - gram + 1,
        };
        assert_eq!(fingerprints.len(), grams, "{line}");
    }
}

#[test]
fn inspect_shows_terms_weights_features_and_fingerprints() {
    let place = Place::new();
    let collection = std::fs::read_to_string(sample("messages.jsonl")).unwrap();
    let texts: BTreeMap<String, String> = json_lines(&collection)
        .iter()
        .map(|line| {
            (
                line["id"].as_str().unwrap().to_owned(),
                line["text"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let arguments = format!("inspect {} --method terms", messages());
    let lines = place.run(&arguments).ok().json();
    assert_eq!(lines.len(), texts.len() + 1);
    check_inspect(&lines, &texts, 3);
    let lines = place.run(&format!("{arguments} --gram 2")).ok().json();
    check_inspect(&lines, &texts, 2);
    let lines = place.run(&format!("{arguments} --features 2")).ok().json();
    assert!(
        lines[1..]
            .iter()
            .all(|line| line["features"].as_array().unwrap().len() <= 2)
    );
}

#[test]
fn every_language_has_its_terms_and_groups() {
    let place = Place::new();
    let terms = |text: &str| {
        let line = serde_json::json!({ "id": 1, "text": text }).to_string();
        place.write("one.jsonl", line);
        let lines = place.run("inspect one.jsonl --method terms").ok().json();
        let terms = lines[1]["terms"].as_array().unwrap().clone();
        let text: Vec<char> = text.chars().collect();
        let show = |term: &Value| {
            let (start, end) = (
                term["start"].as_u64().unwrap(),
                term["end"].as_u64().unwrap(),
            );
            let place: String = text[start as usize..end as usize].iter().collect();
            format!("{place}/{}", term["group"].as_str().unwrap())
        };
        terms.iter().map(show).collect::<Vec<_>>().join(" ")
    };
    insta::assert_debug_snapshot!([
        terms("The children are playing in the garden with 3 dogs"),
        terms("Die Kinder spielen im großen Garten"),
        terms("我们明天去图书馆看书"),
        terms("我們明天去圖書館看書"),
        terms("私は明日図書館で本を読みます"),
        terms("나는 내일 도서관에서 책을 읽습니다"),
        terms("Les enfants jouent dans le jardin"),
        terms("@anna look http://example.com/a 🎉 #party soooo gr8"),
        terms("الأطفال في الحديقة"),
    ]);
}

#[test]
fn a_background_table_gives_the_frequencies() {
    let place = Place::new();
    place.write(
        "a.jsonl",
        "{\"text\": \"house garden house\"}\n{\"text\": \"house\"}\n",
    );
    place.write("b.jsonl", "{\"text\": \"garden tree\"}\n");
    place.run("background a.jsonl -o a.table").ok();
    let merged = place.run("background a.table b.jsonl -o merged.table").ok();
    assert!(
        merged.stderr.contains("3 terms from 6 words of 3 texts"),
        "{}",
        merged.stderr
    );
    place.run("background a.jsonl b.jsonl -o whole.table").ok();
    let bytes = |name: &str| std::fs::read(place.path().join(name)).unwrap();
    assert_eq!(bytes("merged.table"), bytes("whole.table"));
    place.write("text.jsonl", "{\"text\": \"tree house unheard\"}\n");
    let lines = place
        .run("inspect text.jsonl --method terms --background whole.table")
        .ok()
        .json();
    let frequency = |term: usize| lines[1]["terms"][term]["frequency"].as_u64().unwrap();
    assert_eq!([frequency(0), frequency(1), frequency(2)], [1, 3, 0]);
    assert_eq!(lines[0]["groups"]["noun"]["max"], 3);
}

#[test]
fn a_table_that_cannot_be_used_says_why() {
    let place = Place::new();
    place.write("a.jsonl", "{\"text\": \"house garden house\"}\n");
    place.run("background a.jsonl -o a.table").ok();
    let failed = |arguments: &str, part: &str| {
        let ran = place.run(arguments);
        assert_eq!(ran.status, 2);
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    };
    failed(
        "pairs a.jsonl --method terms --background a.jsonl",
        "no background table",
    );
    failed(
        "pairs a.jsonl --method terms --background a.table --numbers token",
        "other options",
    );
    let mut bytes = std::fs::read(place.path().join("a.table")).unwrap();
    bytes.truncate(bytes.len() - 3);
    place.write("cut.table", bytes);
    failed(
        "pairs a.jsonl --method terms --background cut.table",
        "damaged or cut off",
    );
    failed("background a.jsonl -o a.jsonl", "never written over");
    failed(
        "pairs a.jsonl --weights a.toml",
        "goes with `--method terms`",
    );
    failed(
        "pairs a.jsonl --method terms --metric coverage",
        "knows degree, resemblance",
    );
    failed("pairs a.jsonl --method terms --features 0", "--features");
    failed(
        "clusters a.jsonl --method terms --linkage star --transitivity on",
        "leaves out pairs that `--linkage star` needs",
    );
    failed("pairs a.jsonl --method terms --gram 0", "give 1 to 1000");
    failed(
        "pairs a.jsonl --method terms --lang xx",
        "give auto or one of",
    );
    place.write("bad.toml", "noun = [2, 1]\n");
    failed(
        "pairs a.jsonl --method terms --weights bad.toml",
        "bad.toml",
    );
}

#[test]
fn weights_come_from_a_file_and_run_either_way() {
    let place = Place::new();
    place.write(
        "a.jsonl",
        "{\"text\": \"in the garden is a garden with a tree\"}\n",
    );
    place.write("w.toml", "noun = [1, 2]\n");
    let weights = |more: &str| {
        let arguments = format!("inspect a.jsonl --method terms --weights w.toml {more}");
        let lines = place.run(&arguments).ok().json();
        let weight = |term: usize| lines[1]["terms"][term]["weight"].as_f64().unwrap();
        [weight(2), weight(8)]
    };
    assert_eq!(weights(""), [12.0, 4.0]);
    assert_eq!(weights("--weighting idf"), [6.0, 8.0]);
}

#[test]
fn elongated_words_meet_when_folded() {
    let place = Place::new();
    place.write("a.jsonl", "{\"id\": 1, \"text\": \"soooo goood\"}\n{\"id\": 2, \"text\": \"so god\"}\n{\"id\": 3, \"text\": \"sooooooo goooood\"}\n");
    let count = |more: &str| {
        let arguments = format!("pairs a.jsonl --method terms {more}");
        place.run(&arguments).ok().json().len()
    };
    assert_eq!(count(""), 0);
    assert_eq!(count("--fold-elongation"), 3);
}

#[test]
fn texts_are_compared_with_references() {
    let place = Place::new();
    place.write("new.jsonl", "{\"id\": \"n1\", \"text\": \"the ferry leaves at 7:40\"}\n{\"id\": \"n2\", \"text\": \"library closes early today\"}\n");
    place.write("old.jsonl", "{\"id\": \"o1\", \"text\": \"The ferry leaves at 8:15!\"}\n{\"id\": \"o2\", \"text\": \"the ferry leaves at 9:05\"}\n");
    let pairs = place
        .run("pairs new.jsonl --against old.jsonl --method terms")
        .ok()
        .json();
    let found: Vec<_> = pairs.iter().map(ends).collect();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(found, [pair("n1", "o1"), pair("n1", "o2")]);
    place
        .run("dedup new.jsonl --against old.jsonl --method terms -o out")
        .ok();
    assert_eq!(place.lines("out/kept.jsonl")[0]["id"], "n2");
    assert_eq!(place.lines("out/kept.jsonl").len(), 1);
}

#[test]
fn compare_shows_shared_terms_and_weights() {
    let place = Place::new();
    place.write("a.txt", "meeting moved to Thursday 3pm\n");
    place.write("b.txt", "meeting moved to Thursday 4pm!\n");
    let ran = place.run("compare a.txt b.txt --method terms").ok();
    for part in [
        "terms in both",
        "in A only",
        "in B only",
        "at or above the threshold of 0.65",
        "the common terms weigh",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let json = &place
        .run("compare a.txt b.txt --method terms --json")
        .ok()
        .json()[0];
    assert_eq!(json["metric"], "degree");
    let terms = json["terms"].as_array().unwrap();
    let both = terms.iter().filter(|term| term["in"] == "both").count();
    assert_eq!(both as u64, json["common"].as_u64().unwrap());
    place.write("c.txt", "library closes early\n");
    assert_eq!(place.run("compare a.txt c.txt --method terms").status, 1);
}

#[test]
fn csv_and_parquet_have_a_column_for_the_degree() {
    let place = Place::new();
    let arguments = format!("pairs {} --method terms -o pairs.csv", messages());
    place.run(&arguments).ok();
    let csv = place.read("pairs.csv");
    let header = csv.lines().next().unwrap();
    assert!(header.ends_with(",degree"), "{header}");
    let columns = header.split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns));
    place
        .run(&format!(
            "pairs {} --method terms -o pairs.parquet",
            messages()
        ))
        .ok();
    assert!(place.exists("pairs.parquet"));
}
