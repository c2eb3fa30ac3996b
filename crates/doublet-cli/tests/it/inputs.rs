//! Bad input is data: the record is rejected by name, and the run goes on.

use std::process::Stdio;
#[cfg(target_os = "linux")]
use std::{io::Write, process::Child};

use serde_json::json;

use crate::harness::{FIVE, Place, sample};
#[cfg(target_os = "linux")]
use crate::harness::{Ran, hang_up, send};

#[test]
fn bad_records_are_rejected_and_counted() {
    let place = Place::new();
    let mut bytes = FIVE.as_bytes().to_vec();
    bytes.extend_from_slice(b"{\"id\": 6, \"text\": \"broken\n");
    bytes.extend_from_slice(b"{\"id\": 7, \"title\": \"no text\"}\n");
    bytes.extend_from_slice(b"{\"id\": 8, \"text\": \"bad \xff utf-8\"}\n\n");
    bytes.extend_from_slice(b"{\"id\": 9, \"text\": \"fine and without a newline at the end\"}");
    place.write("in.jsonl", &bytes);
    place.run("dedup in.jsonl -o out --quiet").ok();
    let summary = place.summary("out");
    assert_eq!(
        (summary["read"].as_u64(), summary["rejected"].as_u64()),
        (Some(9), Some(3))
    );
    let rejected = place.lines("out/rejected.jsonl");
    let lines: Vec<_> = rejected
        .iter()
        .map(|line| line["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [6, 7, 8]);
    assert!(rejected.iter().all(|line| line["file"] == "in.jsonl"));
    assert!(
        rejected[1]["reason"].as_str().unwrap().contains("title"),
        "{}",
        rejected[1]
    );
    let strict = place.run("dedup in.jsonl -o strict --strict");
    assert_eq!(strict.status, 2);
    assert!(strict.stderr.contains("in.jsonl:6"), "{}", strict.stderr);
    assert!(!place.exists("strict/kept.jsonl"));
}

#[test]
fn a_collection_of_which_nothing_can_be_read_is_an_error() {
    let place = Place::new();
    place
        .write("in.jsonl", "{\"body\": \"one\"}\n{\"body\": \"two\"}\n")
        .write("good.jsonl", FIVE);
    place.run("index create index").ok();
    place.run("index add index good.jsonl -q").ok();
    let before = place.run("index info index --json").ok().stdout;
    for command in [
        "dedup in.jsonl -o out",
        "dedup good.jsonl --against in.jsonl -o out",
        "pairs in.jsonl -o pairs.jsonl",
        "pairs in.jsonl --metric coverage",
        "pairs in.jsonl --method minhash",
        "pairs in.jsonl --method simhash",
        "pairs in.jsonl --method terms",
        "pairs in.jsonl --method sentences",
        "clusters in.jsonl -o clusters.jsonl",
        "background in.jsonl -o words",
        "index add index in.jsonl",
        "check in.jsonl --index index",
        "check good.jsonl --against in.jsonl",
        "advise in.jsonl",
        "inspect in.jsonl",
    ] {
        let ran = place.run(command);
        assert_eq!(ran.status, 2, "{command}: {}", ran.stderr);
        for part in ["in.jsonl:1", "`body`", "--text-field", "--format"] {
            assert!(ran.stderr.contains(part), "{command}: {}", ran.stderr);
        }
        assert_eq!(ran.stdout, "", "{command}");
    }
    for name in ["out", "pairs.jsonl", "clusters.jsonl", "words"] {
        assert!(!place.exists(name), "{name}");
    }
    let after = place.run("index info index --json").ok().stdout;
    assert_eq!(after, before);
}

#[test]
fn an_empty_input_is_no_error() {
    let place = Place::new();
    place.write("in.jsonl", "").write("good.jsonl", FIVE);
    for command in [
        "dedup in.jsonl -o out -q",
        "dedup good.jsonl --against in.jsonl -o other -q",
        "pairs in.jsonl -q",
        "clusters in.jsonl -q",
        "inspect in.jsonl",
    ] {
        place.run(command).ok();
    }
    assert_eq!(place.summary("out")["read"], 0);
}

#[test]
fn a_truncated_gzip_file_loses_only_its_end() {
    let place = Place::new();
    place.write("in.jsonl", FIVE.repeat(200).replace("\"id\"", "\"was\""));
    let whole = std::process::Command::new("gzip")
        .arg("-k")
        .arg(place.path().join("in.jsonl"))
        .status();
    if !whole.is_ok_and(|status| status.success()) {
        return;
    }
    let packed = std::fs::read(place.path().join("in.jsonl.gz")).unwrap();
    // By content, not by name.
    place.write("cut.data", &packed[..packed.len() * 2 / 3]);
    place
        .run("dedup cut.data --format jsonl -o out --quiet")
        .ok();
    let summary = place.summary("out");
    assert!(summary["read"].as_u64().unwrap() > 100, "{summary}");
    let reason = place.lines("out/rejected.jsonl").last().unwrap()["reason"].to_string();
    assert!(reason.contains("truncated"), "{reason}");
}

#[test]
fn duplicate_ids_are_an_error_with_both_places() {
    let place = Place::new();
    place.write("in.jsonl", "{\"id\": \"x\", \"text\": \"one\"}\n{\"id\": \"y\", \"text\": \"two\"}\n{\"id\": \"x\", \"text\": \"three\"}\n");
    let ran = place.run("dedup in.jsonl -o out");
    assert_eq!(ran.status, 2);
    for part in ["\"x\"", "in.jsonl:1", "in.jsonl:3", "--renumber"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    place
        .run("dedup in.jsonl -o renumbered --renumber --quiet")
        .ok();
}

#[test]
fn long_ids_and_names_are_clipped_in_messages() {
    let place = Place::new();
    let long = "字".repeat(5000);
    let line = json!({"id": long, "text": "some words"}).to_string() + "\n";
    let other = json!({"id": 1, (long.as_str()): "some words"}).to_string() + "\n";
    place
        .write("twice.jsonl", line.repeat(2))
        .write("fields.jsonl", other)
        .write(
            "truth.jsonl",
            json!({"a": long, "b": "x", "label": 1}).to_string(),
        )
        .write("in.jsonl", FIVE);
    place.run("index create index").ok();
    for (command, status) in [
        ("dedup twice.jsonl -o out".to_owned(), 2),
        ("pairs fields.jsonl".to_owned(), 2),
        ("eval in.jsonl --truth truth.jsonl".to_owned(), 2),
        ("eval in.jsonl --truth truth.jsonl --strict".to_owned(), 2),
        (format!("pairs {long}"), 2),
        (format!("index remove index {long}"), 1),
    ] {
        let ran = place.run(&command);
        assert_eq!(ran.status, status, "{}", ran.stderr);
        assert!(ran.stderr.contains("字…"), "{}", ran.stderr);
        assert!(ran.stderr.chars().count() < 1000, "{}", ran.stderr);
    }
}

#[test]
fn missing_input_is_named() {
    let ran = Place::new().run("pairs nowhere.jsonl");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("nowhere.jsonl"), "{}", ran.stderr);
}

#[test]
fn standard_input_nested_fields_and_ids_of_any_type() {
    let place = Place::new();
    let lines = [
        json!({"meta": {"key": 1}, "body": {"text": "the same words in both of these texts here"}}),
        json!({"meta": {"key": "two"}, "body": {"text": "The same words in both of these texts here."}}),
        json!({"meta": {"key": true}, "body": {"text": "the SAME words in both of these texts here"}}),
    ];
    let input: String = lines.iter().map(|line| line.to_string() + "\r\n").collect();
    let ran = place
        .run_with(
            "pairs - --text-field body.text --id-field meta.key --quiet",
            input.as_bytes(),
        )
        .ok();
    let pairs: Vec<_> = ran
        .json()
        .iter()
        .map(|pair| (pair["a"].clone(), pair["b"].clone()))
        .collect();
    assert_eq!(
        pairs,
        [
            (json!(1), json!("two")),
            (json!(1), json!(true)),
            (json!("two"), json!(true))
        ]
    );
}

#[cfg(target_os = "linux")]
fn make_pipe(place: &Place, name: &str) {
    let made = std::process::Command::new("mkfifo")
        .arg(place.path().join(name))
        .status();
    assert!(made.unwrap().success());
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_are_read_as_the_files_they_stand_for() {
    let place = Place::new();
    place
        .write("in.jsonl", FIVE)
        .write("a.txt", "the same words here");
    for name in ["one", "two"] {
        make_pipe(&place, name);
    }
    let piped = |arguments: &str| {
        let named = |name: &&str| arguments.split(' ').any(|word| word == *name);
        for name in ["one", "two"].into_iter().filter(named) {
            let pipe = place.path().join(name);
            // Waits until it is read; left alone if it never is.
            std::thread::spawn(move || std::fs::write(pipe, FIVE));
        }
        place.run(arguments)
    };
    for (arguments, files) in [
        ("pairs one -q", "pairs in.jsonl -q"),
        ("pairs one --format jsonl -q", "pairs in.jsonl -q"),
        (
            "pairs one --against two --renumber -q",
            "pairs in.jsonl --against in.jsonl --renumber -q",
        ),
        (
            "check one --against two -q",
            "check in.jsonl --against in.jsonl -q",
        ),
    ] {
        let (piped, plain) = (piped(arguments).ok(), place.run(files).ok());
        assert_eq!(piped.stdout, plain.stdout, "{arguments}");
        assert!(!plain.stdout.is_empty(), "{arguments}");
    }
    let standard = place.run_with("pairs /dev/stdin -q", FIVE.as_bytes()).ok();
    assert_eq!(standard.stdout, place.run("pairs in.jsonl -q").ok().stdout);
    let compared = place
        .run_with("compare /dev/stdin a.txt", b"the same\nwords here")
        .ok();
    assert!(compared.stdout.contains("1.000000"), "{}", compared.stdout);
    piped("dedup one -o out -q").ok();
    place.run("dedup in.jsonl -o plain -q").ok();
    assert_eq!(place.read("out/kept.jsonl"), place.read("plain/kept.jsonl"));
    let again = place.run("dedup one -o again --resume");
    assert_eq!(again.status, 2);
    assert!(
        again.stderr.contains("cannot read `one` a second time"),
        "{}",
        again.stderr
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_that_nobody_writes_to_is_given_up_on_request() {
    let place = Place::new();
    place.write("tmp/x", "");
    make_pipe(&place, "pipe");
    let mut command = place.command("pairs pipe -q --temp-dir tmp");
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    place.wait_for_run("tmp");
    send("-TERM", &child);
    assert_eq!(Ran::new(&child.wait_with_output().unwrap()).status, 2);
    let left = std::fs::read_dir(place.path().join("tmp")).unwrap();
    assert_eq!(left.count(), 1);
}

#[test]
fn every_format_of_the_samples_is_read() {
    let place = Place::new();
    let small = sample("small");
    for (file, records) in [
        ("a.txt", 1),
        ("page.html", 1),
        ("article.xml", 1),
        ("crawl.warc", 2),
    ] {
        let path = small.join(file);
        let ran = place.run(&format!("inspect {}", path.display())).ok();
        assert_eq!(ran.json().len(), records, "{file}");
        assert!(
            ran.json()
                .iter()
                .all(|text| text["tokens"].as_array().unwrap().len() > 10),
            "{file}"
        );
    }
    let ran = place.run(&format!("dedup {} -o out --quiet", small.display()));
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(place.summary("out")["rejected"], 0);
}

#[test]
fn pairs_as_csv_and_parquet() {
    let place = Place::new();
    place.write("in.jsonl", FIVE);
    place
        .run("pairs in.jsonl --threshold 0.5 -o pairs.csv --quiet")
        .ok();
    let csv = place.read("pairs.csv");
    assert!(
        csv.starts_with("a,b,score,metric,resemblance,coverage,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 4);
    place
        .run("pairs in.jsonl --threshold 0.5 -o pairs.parquet --quiet")
        .ok();
    let back = place
        .run("inspect pairs.parquet --text-field metric --id-field a")
        .ok();
    let ids: Vec<_> = back.json().iter().map(|line| line["id"].clone()).collect();
    assert_eq!(ids, [json!("a"), json!("a"), json!("2")]);
}

#[test]
fn a_broken_pipe_is_no_error() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        (0..300)
            .map(|n| {
                json!({"id": n, "text": "the same text every time it is read"}).to_string() + "\n"
            })
            .collect::<String>(),
    );
    place.run_unread("pairs in.jsonl --quiet").ok();
}

/// A `pairs` that waits for its input, started by `sh` after `before`.
#[cfg(target_os = "linux")]
fn waiting(place: &Place, before: &str) -> Child {
    place.write("tmp/x", "");
    let pairs = "pairs - --format jsonl --threshold 0.5 -q --temp-dir tmp";
    let child = std::process::Command::new("sh")
        .arg("-c")
        .arg(format!("{before} exec \"$0\" {pairs}"))
        .arg(env!("CARGO_BIN_EXE_doublet"))
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    place.wait_for_run("tmp");
    child
}

/// Ends a `pairs` that waits for its input by a signal.
#[cfg(target_os = "linux")]
fn ended(before: &str, signal: &str) -> Ran {
    let place = Place::new();
    let mut child = waiting(&place, before);
    // It has to end while there is no input, nor an end of it.
    let input = child.stdin.take();
    send(signal, &child);
    let ran = Ran::new(&child.wait_with_output().unwrap());
    drop(input);
    ran
}

#[cfg(target_os = "linux")]
#[test]
fn a_hang_up_is_a_request_to_end_unless_it_is_ignored() {
    let place = Place::new();
    let mut child = waiting(&place, "trap '' HUP;");
    send("-HUP", &child);
    let mut input = child.stdin.take().unwrap();
    input.write_all(FIVE.as_bytes()).unwrap();
    drop(input);
    let under_nohup = Ran::new(&child.wait_with_output().unwrap()).ok();
    assert_eq!(under_nohup.json().len(), 3);
    for ran in [
        ended("", hang_up()),
        ended("", "-TERM"),
        ended("trap '' HUP;", "-TERM"),
        ended("trap '' HUP;", "-INT"),
    ] {
        assert_eq!(ran.status, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
    }
}

#[test]
fn pairs_that_are_too_many_leave_no_file() {
    let place = Place::new();
    let texts: String = (0..9)
        .map(|n| {
            format!(
                "{{\"id\": {n}, \"text\": \"the same words again, number {}\"}}\n",
                "!".repeat(n)
            )
        })
        .collect();
    place.write("all.jsonl", texts);
    for options in ["", " --method terms", " --method simhash"] {
        let arguments = format!("pairs all.jsonl --max-pairs 3 -o pairs.jsonl{options}");
        let ran = place.run(&arguments);
        assert_eq!(ran.status, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("more than 3 pairs"), "{}", ran.stderr);
        assert!(!place.exists("pairs.jsonl"));
    }
    let ran = place.run("clusters all.jsonl -o all.jsonl/within");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("all.jsonl/within"), "{}", ran.stderr);
}
