//! `doublet dedup`: what it writes, what it counts, and what it refuses.

use serde_json::{Value, json};

use crate::harness::{FIVE, Place};

fn counts_add_up(summary: &Value) {
    let count = |name: &str| summary[name].as_u64().unwrap();
    let parts = count("kept") + count("removed") + count("empty") + count("rejected");
    assert_eq!(count("read"), parts, "{summary}");
}

#[test]
fn writes_every_file_of_the_contract() {
    let place = Place::new();
    place.write("in.jsonl", FIVE);
    let ran = place
        .run("dedup in.jsonl -o out --threshold 0.6 --threads 2")
        .ok();
    assert!(ran.stderr.contains("report.html"), "{}", ran.stderr);
    let lines: Vec<&str> = FIVE.lines().collect();
    assert_eq!(
        place.read("out/kept.jsonl"),
        [lines[0], lines[3], lines[4], ""].join("\n")
    );
    insta::assert_snapshot!("dedup-pairs", place.read("out/pairs.jsonl"));
    insta::assert_snapshot!("dedup-clusters", place.read("out/clusters.jsonl"));
    insta::assert_snapshot!("dedup-removed", place.read("out/removed.jsonl"));
    assert_eq!(place.read("out/rejected.jsonl"), "");
    let summary = place.summary("out");
    counts_add_up(&summary);
    for (name, expected) in [
        ("read", 5),
        ("kept", 2),
        ("removed", 2),
        ("empty", 1),
        ("pairs", 3),
        ("clusters", 1),
    ] {
        assert_eq!(summary[name], expected, "{name}");
    }
    assert_eq!(summary["options"]["threshold"], 0.6);
    let page = place.read("out/report.html");
    assert!(
        page.contains("<mark>") && !page.contains("http://") && !page.contains("src="),
        "{page}"
    );
}

#[test]
fn keep_chooses_the_representative() {
    let place = Place::new();
    place.write("in.jsonl", FIVE);
    for (rule, expected) in [
        ("first", json!("a")),
        ("last", json!("c")),
        ("longest", json!("c")),
        ("field:date", json!(2)),
        ("field:-date", json!("a")),
        ("field:n", json!("c")),
        ("field:-n", json!(2)),
        ("field:missing", json!("a")),
    ] {
        let ran = place
            .run(&format!(
                "clusters in.jsonl --threshold 0.6 --quiet --keep {rule}"
            ))
            .ok();
        assert_eq!(ran.json()[0]["representative"], expected, "{rule}");
        assert_eq!(ran.json()[0]["size"], 3);
    }
    assert_eq!(place.run("clusters in.jsonl --keep field:").status, 2);
}

#[test]
fn linkage_decides_about_chains() {
    let place = Place::new();
    let text = |from: usize| {
        (from..from + 20)
            .map(|n| format!("w{} ", ["a", "b", "c", "d", "e"][n % 5].repeat(n / 5 + 1)))
            .collect::<String>()
    };
    let lines: String = [0, 4, 8]
        .map(|from| json!({"id": from, "text": text(from)}).to_string() + "\n")
        .concat();
    place.write("chain.jsonl", lines);
    let sizes = |linkage: &str| -> Vec<Value> {
        let ran = place
            .run(&format!(
                "clusters chain.jsonl --shingle 1 --threshold 0.6 --quiet --linkage {linkage}"
            ))
            .ok();
        ran.json()
            .iter()
            .map(|cluster| cluster["size"].clone())
            .collect()
    };
    assert_eq!(sizes("connected"), [3]);
    assert_eq!(sizes("star"), [2]);
    assert_eq!(sizes("complete"), [2]);
    let connected = place
        .run("clusters chain.jsonl --shingle 1 --threshold 0.6 --quiet")
        .ok();
    let cluster = &connected.json()[0];
    assert_eq!(cluster["weakest"], 0.428571);
    assert_eq!(
        cluster["members"][2]["score"], 0.428571,
        "scored against the representative, though below the threshold"
    );
}

#[test]
fn dry_run_writes_all_but_the_kept_records() {
    let place = Place::new();
    place.write("in.jsonl", FIVE);
    place.run("dedup in.jsonl -o out --dry-run --quiet").ok();
    assert!(
        !place.exists("out/kept.jsonl")
            && place.exists("out/pairs.jsonl")
            && place.exists("out/report.html")
    );
}

#[test]
fn drop_empty_leaves_empty_records_out() {
    let place = Place::new();
    place.write("in.jsonl", FIVE);
    place.run("dedup in.jsonl -o out --drop-empty --quiet").ok();
    assert!(!place.read("out/kept.jsonl").contains("..."));
    assert_eq!(place.summary("out")["empty"], 1);
}

#[test]
fn never_writes_over_what_is_there() {
    let place = Place::new();
    place
        .write("in.jsonl", FIVE)
        .write("out/precious.txt", "mine");
    let ran = place.run("dedup in.jsonl -o out");
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("not empty") && ran.stderr.contains("--force"),
        "{}",
        ran.stderr
    );
    place.run("dedup in.jsonl -o out --force --quiet").ok();
    assert_eq!(place.read("out/precious.txt"), "mine");
    place.write("data/kept.jsonl", FIVE);
    let ran = place.run("dedup data/kept.jsonl -o data --force");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("never written over"), "{}", ran.stderr);
    assert_eq!(place.read("data/kept.jsonl"), FIVE);
}

#[test]
fn results_never_go_into_an_input_directory() {
    let place = Place::new();
    place
        .write("data/in.jsonl", FIVE)
        .write("data/below/x", "")
        .write("other.jsonl", FIVE);
    for arguments in [
        "dedup data -o data/out",
        "dedup data/ -o ./data/below/../new/out",
        "dedup data -o data/not-there/../out",
        "dedup data -o not-there/../data/out",
        "dedup data -o data/below --force",
        "dedup other.jsonl --against data -o data/out",
        "dedup other.jsonl . -o out",
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.status, 2, "{arguments}");
        let told = ran.stderr.contains("lies in the input directory");
        assert!(told, "{arguments}: {}", ran.stderr);
    }
    assert!(!place.exists("data/out") && !place.exists("data/new") && !place.exists("out"));
    // Hidden files are not read, nor is what lies beside a file.
    for arguments in [
        "dedup data -o data/.out -q",
        "dedup data -o data-out -q",
        "dedup data/in.jsonl -o data/out -q",
    ] {
        place.run(arguments).ok();
    }
}

#[test]
fn lines_never_go_over_an_input() {
    let place = Place::new();
    place.write("in.jsonl", FIVE).write("old.jsonl", FIVE);
    for arguments in [
        "pairs in.jsonl -o in.jsonl",
        "clusters in.jsonl -o ./in.jsonl",
        "pairs in.jsonl --against old.jsonl -o old.jsonl",
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.status, 2, "{arguments}");
        assert!(ran.stderr.contains("never written over"), "{}", ran.stderr);
    }
    assert_eq!(
        (place.read("in.jsonl"), place.read("old.jsonl")),
        (FIVE.to_owned(), FIVE.to_owned())
    );
    assert_eq!(place.run("pairs in.jsonl -o -").ok().json().len(), 1);
}

#[test]
fn a_file_that_cannot_be_made_is_named_as_it_was_typed() {
    let place = Place::new();
    place.write("in.jsonl", FIVE).write("file", "");
    for (arguments, name) in [
        ("pairs in.jsonl -o nodir/x", "nodir/x"),
        ("pairs in.jsonl -o nodir/x.csv", "nodir/x.csv"),
        ("pairs in.jsonl -o nodir/x.parquet", "nodir/x.parquet"),
        ("pairs in.jsonl -o file/x", "file/x"),
        ("clusters in.jsonl -o nodir/x", "nodir/x"),
        ("background in.jsonl -o nodir/x", "nodir/x"),
        (
            "check in.jsonl --against in.jsonl --stats nodir/x",
            "nodir/x",
        ),
    ] {
        let ran = place.run(&format!("{arguments} -q"));
        assert_eq!(ran.status, 2, "{arguments}");
        let told = ran.stderr.contains(&format!("cannot create `{name}`: "));
        assert!(told, "{arguments}: {}", ran.stderr);
        let inner = ran.stderr.contains(".doublet-") || ran.stderr.contains("unfinished");
        assert!(!inner, "{arguments}: {}", ran.stderr);
        let remedy = ran.stderr.contains("make its directory first");
        assert!(remedy || name == "file/x", "{arguments}: {}", ran.stderr);
    }
}

#[test]
fn force_removes_what_an_earlier_run_left() {
    let place = Place::new();
    place
        .write("in.jsonl", FIVE)
        .write("in.csv", "id,text\n1,some words of a text\n");
    place.run("dedup in.jsonl -o out --quiet").ok();
    place.run("dedup in.csv -o out --force --quiet").ok();
    assert!(place.exists("out/kept.csv") && !place.exists("out/kept.jsonl"));
    let ran = place.run("dedup in.csv -o out --force --dry-run --quiet");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("kept records"), "{}", ran.stderr);
    assert!(place.exists("out/kept.csv") && place.exists("out/summary.json"));
    for name in [
        "kept.notes",
        "kept.tar.gz",
        "kept.backup.jsonl",
        "kept-old.csv",
    ] {
        place.write(&format!("out/{name}"), "mine");
    }
    place.run("dedup in.jsonl -o out --force --quiet").ok();
    for name in [
        "kept.notes",
        "kept.tar.gz",
        "kept.backup.jsonl",
        "kept-old.csv",
    ] {
        assert_eq!(place.read(&format!("out/{name}")), "mine");
    }
    assert!(place.exists("out/kept.jsonl") && !place.exists("out/kept.csv"));
    assert_eq!(place.run("dedup in.jsonl -o new --format csv").status, 2);
    assert!(!place.exists("new"), "a run that fails leaves no directory");
}

#[test]
fn a_parquet_file_may_be_given_twice() {
    let place = Place::new();
    // Ids without a word, which all stay as texts.
    let lines = ["!", "?", "."].map(|id| json!({"id": id, "text": "the same words"}).to_string());
    place.write("in.jsonl", lines.join("\n"));
    place.run("pairs in.jsonl -o rows.parquet -q").ok();
    place
        .run("dedup rows.parquet rows.parquet --text-field a --renumber -o out -q")
        .ok();
    assert_eq!(place.summary("out")["empty"], 6);
    let kept = place
        .run("inspect out/kept.parquet --text-field a --id-field b")
        .ok();
    let ids: Vec<Value> = kept.json().iter().map(|line| line["id"].clone()).collect();
    assert_eq!(ids, ["?", ".", ".", "?", ".", "."]);
}

#[test]
fn references_are_compared_and_never_touched() {
    let place = Place::new();
    let old = r#"{"id": "old", "text": "An entirely different text about the weather in the north of the country"}"#;
    place.write("in.jsonl", FIVE).write("old.jsonl", old);
    let pairs = place
        .run("pairs in.jsonl --against old.jsonl --quiet")
        .ok()
        .json();
    assert_eq!(pairs.len(), 1);
    assert_eq!(
        (&pairs[0]["a"], &pairs[0]["b"]),
        (&json!("d"), &json!("old"))
    );
    place
        .run("dedup in.jsonl --against old.jsonl -o out --quiet")
        .ok();
    let summary = place.summary("out");
    counts_add_up(&summary);
    assert_eq!(
        (summary["removed"].as_u64(), summary["references"].as_u64()),
        (Some(2), Some(1))
    );
    let removed = place.lines("out/removed.jsonl");
    assert!(
        removed
            .iter()
            .any(|line| line["id"] == "d" && line["representative"] == "old")
    );
    assert_eq!(place.read("old.jsonl"), old);
}

#[test]
fn output_is_the_same_for_any_threads_and_memory() {
    let place = Place::new();
    let lines: String = (0..400)
        .map(|n| {
            let words: String = (0..40)
                .map(|k| {
                    format!(
                        "word{} ",
                        ["x", "y", "z"][(n / 3 * 7 + k * k) % 3].repeat((n / 3 + k) % 17 + 1)
                    )
                })
                .collect();
            json!({"id": n, "text": format!("{words} {}", ["", "one", "two more"][n % 3])})
                .to_string()
                + "\n"
        })
        .collect();
    place.write("in.jsonl", lines);
    let files = [
        "kept.jsonl",
        "removed.jsonl",
        "pairs.jsonl",
        "clusters.jsonl",
        "rejected.jsonl",
    ];
    for metric in ["resemblance", "coverage"] {
        let outputs: Vec<Vec<String>> = [(1, "4G"), (2, "1M"), (8, "50M")]
            .iter()
            .map(|(threads, memory)| {
                let out = format!("{metric}-{threads}");
                place.run(&format!("dedup in.jsonl -o {out} --metric {metric} --threads {threads} --memory {memory} --quiet")).ok();
                files.iter().map(|file| place.read(&format!("{out}/{file}"))).collect()
            })
            .collect();
        assert!(outputs[0][2].lines().count() >= 100, "{metric}");
        assert!(
            outputs.iter().all(|output| *output == outputs[0]),
            "{metric}"
        );
    }
}

#[test]
fn absurd_results_speak_up() {
    let place = Place::new();
    let lines: String = (0..100)
        .map(|n| json!({"id": n, "text": "all the same"}).to_string() + "\n")
        .collect();
    place.write("in.jsonl", lines);
    let ran = place.run("dedup in.jsonl -o out").ok();
    for part in ["over 5 %", "over 60 %", "fewer than 5 words"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    let lines: String = (0..100)
        .map(|n| match n % 9 {
            0 => "{\"id\": 1}\n".to_owned(),
            _ => json!({"id": n, "text": format!("number {n}")}).to_string() + "\n",
        })
        .collect();
    place.write("bad.jsonl", lines);
    let ran = place.run("dedup bad.jsonl -o rejects").ok();
    let told = "12 of 100 records were rejected (over 10 %)";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

#[test]
fn a_few_removals_below_the_threshold_speak_up() {
    let place = Place::new();
    // A chain: each text shares most words with the next, and none with the one after four more.
    let text = |n: usize| {
        (4 * n..4 * n + 20)
            .map(|n| format!("w{n} "))
            .collect::<String>()
    };
    let lines: String = (0..12)
        .map(|n| json!({"id": n, "text": text(n)}).to_string() + "\n")
        .collect();
    place.write("in.jsonl", lines);
    let options = "--shingle 1 --threshold 0.6 -o out --linkage connected";
    let ran = place.run(&format!("dedup in.jsonl {options}")).ok();
    let told = "10 of 11 removed texts score below the threshold";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

/// All sentences of these texts are too short to count, so that the texts share only themselves.
#[test]
fn copies_of_a_text_of_short_sentences_score_one() {
    let place = Place::new();
    let line = |id: u32| json!({"id": id, "text": "Hello world."}).to_string() + "\n";
    place.write("in.jsonl", line(1) + &line(2));
    place.write("old.jsonl", line(3));
    for metric in [
        "containment-coverage",
        "coverage",
        "containment",
        "resemblance",
    ] {
        let method = format!("--method sentences --metric {metric} -q");
        place
            .run(&format!("dedup in.jsonl -o out --force {method}"))
            .ok();
        let removed = place.lines("out/removed.jsonl");
        assert_eq!(removed.len(), 1, "{metric}");
        assert_eq!(removed[0]["score"], 1.0, "{metric}");
        assert_eq!(
            place.lines("out/clusters.jsonl")[0]["weakest"],
            1.0,
            "{metric}"
        );
        place
            .run(&format!(
                "dedup in.jsonl --against old.jsonl -o out --force {method}"
            ))
            .ok();
        assert_eq!(place.lines("out/removed.jsonl").len(), 2, "{metric}");
    }
}

#[test]
fn numbers_that_changed_places_are_lost_and_not_shared() {
    let place = Place::new();
    let line = |id: u32, price: &str| {
        let text = format!("the price rose to {price} euros last week said the shop");
        json!({"id": id, "text": text}).to_string() + "\n"
    };
    place.write("in.jsonl", line(1, "3.50") + &line(2, "50.3"));
    let run = |options: &str| {
        place
            .run(&format!(
                "dedup in.jsonl -o out --force -q --numbers token {options}"
            ))
            .ok();
        place.lines("out/removed.jsonl")
    };
    assert_eq!(run("--max-lost 0").len(), 0);
    assert_eq!(place.summary("out")["kept_for_loss"], 1);
    let removed = run("");
    assert_eq!(removed.len(), 1);
    assert_eq!(removed[0]["lost"], 1);
    let page = place.read("out/report.html");
    assert!(!page.contains("100 % shared"), "{page}");
    let line = |id: u32, rents: [u32; 2]| {
        let [flat, garage] = rents;
        let text = format!("flat costs {flat} euros and garage costs {garage} euros per month");
        json!({"id": id, "text": text}).to_string() + "\n"
    };
    place.write("in.jsonl", line(1, [500, 90]) + &line(2, [90, 500]));
    place
        .run("dedup in.jsonl -o out --force -q --method terms")
        .ok();
    let page = place.read("out/report.html");
    assert!(!page.contains("100 % shared"), "{page}");
}

#[test]
fn only_numbers_that_the_kept_text_lacks_are_lost() {
    let place = Place::new();
    let lost = |kept: &str, removed: &str, numbers: &str| {
        let line = |id: u32, text: &str| json!({"id": id, "text": text}).to_string() + "\n";
        place.write("in.jsonl", line(1, kept) + &line(2, removed));
        let options = format!("--threshold 0.1 --keep first --numbers {numbers}");
        place
            .run(&format!("dedup in.jsonl -o out --force -q {options}"))
            .ok();
        place.lines("out/removed.jsonl")[0]["lost"].clone()
    };
    let table = |numbers: &[u32]| {
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        format!("Tokyo rubber prices of today {}", numbers.join(" "))
    };
    let kept = table(&[1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13]);
    let more = table(&[9, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17]);
    for numbers in ["token", "drop"] {
        assert_eq!(lost(&kept, &more, numbers), 3, "{numbers}");
        assert_eq!(lost(&more, &kept, numbers), 0, "{numbers}");
    }
    let shop = "The shop by the river sells bread for 7";
    let other = "The shop 12 by the river sells bread for 7";
    assert_eq!(lost(shop, other, "drop"), 1);
}
