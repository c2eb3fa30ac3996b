//! `doublet eval`: the samples by their truth, sweeps against separate runs, and what is refused.

use serde_json::Value;

use crate::harness::{self, Place};

/// A sample, as a word of a command line.
fn sample(name: &str) -> String {
    harness::sample(name).display().to_string()
}

/// What `eval` tells as JSON.
fn told(place: &Place, line: &str) -> Value {
    let mut lines = place.run(&format!("eval {line} --json -q")).ok().json();
    assert_eq!(lines.len(), 1);
    lines.remove(0)
}

fn counts(quality: &Value) -> [u64; 3] {
    ["true_positives", "false_positives", "false_negatives"]
        .map(|name| quality[name].as_u64().unwrap())
}

fn f1(quality: &Value) -> f64 {
    quality["f1"]["value"].as_f64().unwrap()
}

/// The collection of the samples and its truth.
fn collection() -> String {
    format!(
        "{} --truth {}",
        sample("collection.jsonl"),
        sample("truth.jsonl")
    )
}

#[test]
fn samples_are_judged_by_their_truth() {
    let place = Place::new();
    let found = told(
        &place,
        &format!("{} --threshold 0.5 --errors 20", collection()),
    );
    // 9 exact and 20 near pairs; 7 partial ones are missed, and one that differs in numbers.
    assert_eq!(counts(&found["pairs"]), [29, 0, 8]);
    assert_eq!(found["pairs"]["true_negatives"], 13);
    assert_eq!(found["truth"]["kind"], "pairs");
    assert_eq!(
        found["errors"]["false_negatives"].as_array().unwrap().len(),
        8
    );
    let strict = format!("{} --threshold 0.5 --positive exact,near", collection());
    assert_eq!(counts(&told(&place, &strict)["pairs"]), [29, 0, 1]);
    let table = place
        .run(&format!("eval {} --threshold 0.5", collection()))
        .ok();
    for part in [
        "29 of 37 duplicates were found",
        "Weakest duplicates",
        "es-006",
    ] {
        assert!(table.stdout.contains(part), "{part}: {}", table.stdout);
    }
}

#[test]
fn a_sweep_is_as_many_runs() {
    let place = Place::new();
    let swept = told(
        &place,
        &format!(
            "{} --sweep threshold=0.2..0.8:0.2 --sweep shingle=1,3",
            collection()
        ),
    );
    let rows = swept["sweep"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows {
        let (threshold, shingle) = (&row["options"]["threshold"], &row["options"]["shingle"]);
        let line = format!(
            "{} --threshold {threshold} --shingle {shingle}",
            collection()
        );
        let single = told(&place, &line);
        assert_eq!(row["pairs"], single["pairs"], "{line}");
        assert_eq!(row["clusters"], single["clusters"], "{line}");
    }
    let best = &swept["sweep"]["best"];
    let most = rows
        .iter()
        .map(|row| row["chosen_f1"].as_f64().unwrap())
        .fold(0.0, f64::max);
    assert_eq!(best["chosen_on"]["f1"].as_f64(), Some(most));
    assert!(
        swept["sweep"]["given"]["setting"]
            .as_str()
            .unwrap()
            .contains("threshold 0.8")
    );
}

#[test]
fn other_methods_sweep_alike() {
    let place = Place::new();
    for method in ["sentences", "simhash", "terms --candidates exact", "imatch"] {
        let line = format!("{} --method {method}", collection());
        let swept = told(&place, &format!("{line} --sweep threshold=0.5,0.8"));
        for row in swept["sweep"]["rows"].as_array().unwrap() {
            let threshold = &row["options"]["threshold"];
            let single = told(&place, &format!("{line} --threshold {threshold}"));
            assert_eq!(row["pairs"], single["pairs"], "{method} {threshold}");
        }
    }
}

#[test]
fn files_are_written_for_people_and_programs() {
    let place = Place::new();
    let line = format!(
        "eval {} --sweep threshold=0.3..0.9:0.3 -o judged -q",
        collection()
    );
    let ran = place.run(&line).ok();
    assert!(
        ran.stdout
            .contains("Best on one half of the truth: threshold 0.3"),
        "{}",
        ran.stdout
    );
    let page = place.read("judged/eval.html");
    for part in ["<svg", "threshold", "truth.jsonl"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(
        place.read("judged/sweep.svg").starts_with("<svg")
            || place.read("judged/sweep.svg").starts_with("<?xml")
    );
    let file: Value = serde_json::from_str(&place.read("judged/eval.json")).unwrap();
    assert_eq!(file["sweep"]["rows"].as_array().unwrap().len(), 3);
    // The same again, over the files that are there.
    place.run(&line).ok();
    assert_eq!(place.read("judged/eval.html"), page);
}

#[test]
fn methods_are_compared_in_one_table() {
    let place = Place::new();
    let line = format!(
        "{} --methods shingles,simhash,imatch --sweep threshold=0.3,0.7",
        collection()
    );
    let found = told(&place, &line);
    let methods = found["methods"].as_array().unwrap();
    let names: Vec<&str> = methods
        .iter()
        .map(|method| method["method"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["shingles", "simhash", "imatch"]);
    for method in methods {
        assert!(f1(&method["sweep"]["best"]["held_out"]) > 0.3);
        assert!(method["seconds"].as_f64().unwrap() > 0.0);
    }
    let table = place
        .run(&format!("eval {} --methods shingles,imatch", collection()))
        .ok();
    assert!(table.stdout.contains("imatch"), "{}", table.stdout);
    let standard = place.run(&format!(
        "eval - --truth {} --methods shingles",
        sample("truth.jsonl")
    ));
    assert_eq!(standard.status, 2);
    assert!(
        standard.stderr.contains("give a file"),
        "{}",
        standard.stderr
    );
}

#[test]
fn copies_are_judged_as_check_finds_them() {
    let place = Place::new();
    let line = format!(
        "{} --against {} --truth {}",
        sample("posts.jsonl"),
        sample("articles.jsonl"),
        sample("posts-truth.jsonl")
    );
    let found = told(&place, &line);
    assert_eq!(counts(&found["documents"]), [6, 0, 0]);
    assert_eq!(found["documents"]["first_source"]["value"], 1.0);
    let swept = told(
        &place,
        &format!("{line} --min-sentences off --sweep threshold=0.3,1"),
    );
    let rows = swept["sweep"]["rows"].as_array().unwrap();
    assert!(counts(&rows[0]["documents"])[0] > counts(&rows[1]["documents"])[0]);
    let alone = place.run(&format!(
        "eval {} --truth {}",
        sample("posts.jsonl"),
        sample("posts-truth.jsonl")
    ));
    assert!(alone.stderr.contains("--against"), "{}", alone.stderr);
}

#[test]
fn an_approximate_setting_is_held_against_the_complete_join() {
    let place = Place::new();
    let line = format!("{} --baseline --threshold 0.5", sample("collection.jsonl"));
    let found = told(&place, &format!("{line} --method minhash"));
    assert_eq!(found["truth"]["kind"], "baseline");
    let [hits, wrong, missed] = counts(&found["pairs"]);
    assert_eq!((hits + missed, wrong), (29, 0));
    let work = &found["comparisons"];
    assert_eq!(work["complete"]["pairs"], 29);
    assert_eq!(work["all_pairs"], 127 * 126 / 2);
    let swept = told(
        &place,
        &format!("{line} --method minhash --sweep threshold=0.5,0.8"),
    );
    let of = |row: usize| counts(&swept["sweep"]["rows"][row]["pairs"]);
    assert_eq!((of(0)[0] + of(0)[2], of(1)[0] + of(1)[2]), (29, 20));
    let refused = place.run(&format!("eval {line}"));
    assert_eq!(refused.status, 2);
    assert!(
        refused.stderr.contains("misses nothing"),
        "{}",
        refused.stderr
    );
}

#[test]
fn pairs_of_other_tools_are_judged_alike() {
    let place = Place::new();
    let pairs = place.run(&format!(
        "pairs {} --threshold 0.5 -o own.csv",
        sample("collection.jsonl")
    ));
    assert_eq!(pairs.status, 0);
    let own = told(&place, &format!("{} --pairs own.csv", collection()));
    assert_eq!(counts(&own["pairs"]), [29, 0, 8]);
    let high = told(
        &place,
        &format!("{} --pairs own.csv --threshold 0.8", collection()),
    );
    let found = told(&place, &format!("{} --threshold 0.8", collection()));
    assert_eq!(high["pairs"], found["pairs"]);
}

#[test]
fn labelled_pairs_alone_give_the_same_figures() {
    let place = Place::new();
    for method in [
        "shingles --metric coverage",
        "terms --candidates exact",
        "sentences",
    ] {
        let line = format!("{} --method {method} --threshold 0.4", collection());
        let searched = told(&place, &line);
        let scored = told(&place, &format!("{line} --labelled-only"));
        assert_eq!(scored["pairs"], searched["pairs"], "{method}");
        assert!(scored.get("clusters").is_none());
    }
}

#[test]
fn weights_are_tuned_and_written() {
    let place = Place::new();
    // Every text pairs with one that differs in a pronoun and one that differs in its noun.
    let nouns = [
        "boat", "house", "garden", "letter", "window", "river", "bridge", "market", "winter",
        "forest",
    ];
    let verbs = ["sold", "painted", "forgot", "carried", "opened", "watched"];
    let (mut lines, mut labels) = (Vec::new(), vec!["a,b,label".to_owned()]);
    for (number, (noun, verb)) in nouns
        .iter()
        .flat_map(|noun| verbs.map(|verb| (noun, verb)))
        .enumerate()
    {
        let other = nouns[(number / verbs.len() + 3) % nouns.len()];
        let texts = [
            format!("she {verb} the old {noun} by the sea"),
            format!("they {verb} the old {noun} by the sea"),
            format!("she {verb} the old {other} by the sea"),
        ];
        for (at, text) in texts.iter().enumerate() {
            lines.push(
                serde_json::json!({"id": format!("{number}-{at}"), "text": text}).to_string(),
            );
        }
        labels.push(format!("{number}-0,{number}-1,1"));
        labels.push(format!("{number}-0,{number}-2,0"));
    }
    place.write("texts.jsonl", lines.join("\n"));
    place.write("labels.csv", labels.join("\n"));
    let line = "eval texts.jsonl --truth labels.csv --method terms --lang en --tune weights";
    let ran = place.run(&format!("{line} -o tuned -q")).ok();
    assert!(ran.stdout.contains("Tuning weights:"), "{}", ran.stdout);
    // The file is one that `--weights` reads.
    place
        .run("pairs texts.jsonl --method terms --weights tuned/weights.toml -q")
        .ok();
    let refused = place.run("eval texts.jsonl --truth labels.csv --tune weights");
    assert!(
        refused.stderr.contains("--method terms"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_cannot_be_judged_is_refused_with_a_remedy() {
    let place = Place::new();
    let says = |truth: &str, more: &str, part: &str| {
        place.write("truth.csv", truth);
        let ran = place.run(&format!(
            "eval {} --truth truth.csv {more}",
            sample("collection.jsonl")
        ));
        assert_eq!(ran.status, 2, "{truth}");
        assert!(ran.stderr.contains(part), "{truth}: {}", ran.stderr);
    };
    says(
        "a,b,label\nen-001,en-002,1\nen-002,en-001,0\n",
        "",
        "are different here and duplicates on line 2",
    );
    says("a,b,label\nen-001,en-002,0\n", "", "it knows no duplicate");
    says(
        "a,b,label\nx,y,1\n",
        "",
        "no row is about texts of the input",
    );
    says(
        "a,b,label\nen-001,x,1\nen-001,en-002,1\n",
        "--strict",
        "no record has the id `x`",
    );
    says("a,b,label\nen-001,en-002,perhaps\n", "", "--positive");
    says(
        "a,b,label\nen-001,en-002,1\n",
        "--sweep colour=1,2",
        "give the name of an option",
    );
    says(
        "a,b,label\nen-001,en-002,1\n",
        "--sweep threshold=0.5,2",
        "above 0 and at most 1",
    );
    says(
        "a,b,label\nen-001,en-002,1\n",
        "--sweep shingle=0,2",
        "1 to 1000",
    );
    says(
        "a,b,label\nen-001,en-002,1\n",
        "--resume",
        "`--resume` goes with",
    );
    says(
        "a,b,label\nen-001,en-002,1\n",
        "--labelled-only",
        "--unlabelled ignore",
    );
    let missing = place.run(&format!(
        "eval {} --truth nowhere.csv",
        sample("collection.jsonl")
    ));
    assert!(missing.stderr.contains("nowhere.csv"), "{}", missing.stderr);
    let none = place.run(&format!("eval {}", sample("collection.jsonl")));
    assert!(none.stderr.contains("--truth"), "{}", none.stderr);
    // A row of an unknown id is left out, and told.
    place.write(
        "truth.csv",
        "a,b,label\nde-001,de-016,1\nde-001,x,1\nde-001,en-001,0\n",
    );
    let ran = place
        .run(&format!(
            "eval {} --truth truth.csv",
            sample("collection.jsonl")
        ))
        .ok();
    assert!(
        ran.stderr
            .contains("1 row of the truth with an id that is not in the input"),
        "{}",
        ran.stderr
    );
}

#[test]
fn tokens_may_be_characters() {
    let place = Place::new();
    let lines = [
        "{\"id\": 1, \"text\": \"operator+ (a, b)\"}",
        "{\"id\": 2, \"text\": \"operator- (a, b)\"}",
    ];
    place.write("texts.jsonl", lines.join("\n"));
    let count = |more: &str| {
        let line = format!("pairs texts.jsonl --shingle 3 {more}");
        place.run(&line).ok().json().len()
    };
    assert_eq!(count("--threshold 0.9"), 1);
    assert_eq!(count("--threshold 0.9 --tokens spaces"), 0);
    assert_eq!(count("--threshold 0.9 --tokens characters"), 0);
    assert_eq!(count("--threshold 0.6 --tokens characters"), 1);
    let refused = place.run("pairs texts.jsonl --method terms --tokens spaces");
    assert!(
        refused.stderr.contains("goes with shingles"),
        "{}",
        refused.stderr
    );
    let refused = place.run("pairs texts.jsonl --tokens spaces --numbers token");
    assert!(
        refused.stderr.contains("--tokens words"),
        "{}",
        refused.stderr
    );
}

#[test]
fn both_ways_to_judge_are_named() {
    let place = Place::new();
    place.write("in.jsonl", harness::FIVE);
    let ran = place.run("eval in.jsonl");
    assert_eq!(ran.status, 2);
    for option in ["--truth <FILE>", "--baseline"] {
        assert!(ran.stderr.contains(option), "{}", ran.stderr);
    }
}
