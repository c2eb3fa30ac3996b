//! `doublet audit`: the questions, the answers, and what they come to.

#[cfg(target_os = "linux")]
mod terminal;

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Dice, Place, ended};
use crate::wait::wait_until;

/// Removals of the collection that are not the same text.
const ASKED: usize = 36;

/// A number in letters.
fn letters(number: u64) -> String {
    let digits = number.to_string().into_bytes();
    let letter = |digit: &u8| char::from(digit - b'0' + b'a');
    digits.iter().map(letter).collect()
}

/// Twelve texts, each with three near copies and one that differs in white space.
fn collection() -> String {
    let mut lines = String::new();
    for number in 0..12 {
        let mut dice = Dice(number + 1);
        let words: Vec<String> = (0..40).map(|_| letters(dice.roll(90_000))).collect();
        let mut push = |id: String, text: &str| {
            let _ = writeln!(lines, "{}", json!({ "id": id, "text": text }));
        };
        push(format!("{number}-kept"), &words.join(" "));
        for copy in 0..3 {
            let mut changed = words.clone();
            for place in 0..=copy {
                changed[12 * place + 3] =
                    format!("other{}{}", letters(number), letters(copy as u64));
            }
            push(format!("{number}-near{copy}"), &changed.join(" "));
        }
        push(format!("{number}-same"), &words.join("  \n"));
    }
    lines
}

/// A directory with the collection and a run of it in `out`.
fn place() -> Place {
    let place = Place::new();
    place.write("in.jsonl", collection());
    place.run("dedup in.jsonl -o out -q --threshold 0.3").ok();
    place
}

fn labels(place: &Place) -> Vec<Value> {
    let label = |line: &Value| line["label"].clone();
    place.lines("out/audit.jsonl").iter().map(label).collect()
}

fn estimate(place: &Place, options: &str) -> Value {
    let ran = place.run(&format!("audit out --json -q {options}")).ok();
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn all_answers_end_in_an_estimate() {
    let place = place();
    let keys = "r".repeat(30) + "wwwwu" + "r";
    let ran = place.run_with("audit out -q", keys.as_bytes()).ok();
    assert!(ran.stdout.contains("1 of 36"), "{}", ran.stdout);
    assert!(ran.stdout.contains("36 of 36"), "{}", ran.stdout);
    assert!(ran.stdout.contains("[-other"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("of the removals are wrong"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("leaves out 1 unsure answer"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("Judged wrong"), "{}", ran.stdout);
    let lines = place.lines("out/audit.jsonl");
    assert_eq!(lines.len(), ASKED);
    for line in &lines {
        let (a, b) = (line["a"].as_str().unwrap(), line["b"].as_str().unwrap());
        assert!(a.ends_with("-kept") && b.contains("-near"), "{line}");
        assert_eq!(a.split('-').next(), b.split('-').next());
    }
    let found = estimate(&place, "");
    for (name, expected) in [
        ("removals", 48),
        ("same_text", 12),
        ("sample", 36),
        ("answered", 36),
        ("right", 31),
        ("wrong", 4),
        ("unsure", 1),
    ] {
        assert_eq!(found[name], expected, "{name}");
    }
    let share = |name: &str, end: &str| found[name][end].as_f64().unwrap();
    // All but one are known: 4 or 5 of 48.
    assert!((4.0 / 48.0..=5.0 / 48.0).contains(&share("wrong_share", "value")));
    assert!((share("if_unsure_right", "value") - 4.0 / 48.0).abs() < 1e-9);
    assert!((share("if_unsure_wrong", "high") - 5.0 / 48.0).abs() < 1e-9);
    assert_eq!(found["wrong_examples"].as_array().unwrap().len(), 4);
}

#[test]
fn removals_of_the_same_text_are_right() {
    let place = Place::new();
    let line =
        |id: u32| json!({"id": id, "text": "one text that occurs three times"}).to_string() + "\n";
    place.write("in.jsonl", (0..3).map(line).collect::<String>());
    place.run("dedup in.jsonl -o out -q").ok();
    let found = estimate(&place, "");
    assert_eq!(
        (&found["same_text"], &found["wrong_share"]),
        (&json!(2), &json!({"low": 0.0, "value": 0.0, "high": 0.0})),
        "{found}"
    );
}

#[test]
fn scores_are_compared_as_they_are_written() {
    let place = Place::new();
    let lines = [(1, "alpha beta"), (2, "alpha gamma")];
    let lines = lines.map(|(id, text)| json!({"id": id, "text": text}).to_string() + "\n");
    place.write("in.jsonl", lines.concat());
    place
        .run("dedup in.jsonl -o out -q --shingle 1 --threshold 0.3333333")
        .ok();
    let ran = place.run_with("audit out -q", b"q").ok();
    assert!(ran.stdout.contains("0.333"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("below"), "{}", ran.stdout);
}

#[test]
fn the_next_run_continues() {
    let place = place();
    let ran = place
        .run_with("audit out -q --sample 10", b"r\nw\nq\n")
        .ok();
    assert!(ran.stdout.contains("8 questions left"), "{}", ran.stdout);
    assert_eq!(labels(&place), [json!(1), json!(0)]);
    let first = place.read("out/audit.jsonl");
    let ran = place.run_with("audit out -q --sample 10", b"uuuu").ok();
    assert!(ran.stdout.starts_with("3 of 10"), "{}", ran.stdout);
    assert_eq!(labels(&place).len(), 6);
    assert!(place.read("out/audit.jsonl").starts_with(&first));
    // A larger sample begins with the smaller one, and one that is smaller than the answers keeps them.
    let more = place.run_with("audit out -q --sample 20", b"").ok();
    assert!(more.stdout.starts_with("7 of 20"), "{}", more.stdout);
    assert_eq!(estimate(&place, "--sample 2")["sample"], 6);
}

#[test]
fn back_returns_to_the_question_before() {
    let place = place();
    let ran = place.run_with("audit out -q --sample 4", b"rrbwrr").ok();
    assert!(ran.stdout.contains("Your answer: right"), "{}", ran.stdout);
    assert_eq!(labels(&place), [json!(1), json!(0), json!(1), json!(1)]);
    // Nothing is before the first, other keys do nothing.
    let other = place.run_with("audit out -q --sample 5", b"zRx").ok();
    assert!(
        other.stdout.contains("5 questions answered"),
        "{}",
        other.stdout
    );
    assert_eq!(labels(&place).len(), 5);
}

#[test]
fn the_last_answer_can_be_changed() {
    let place = place();
    place.run_with("audit out -q --sample 2", b"rrbw").ok();
    assert_eq!(labels(&place), [json!(1), json!(0)]);
}

#[test]
fn eval_reads_the_answers() {
    let place = place();
    let keys = "r".repeat(33) + "wwu";
    place.run_with("audit out -q", keys.as_bytes()).ok();
    let ran = place
        .run("eval in.jsonl --truth out/audit.jsonl --threshold 0.3 --json -q")
        .ok();
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let truth = &found["truth"];
    assert_eq!(
        (&truth["duplicates"], &truth["different"]),
        (&json!(33), &json!(2))
    );
    assert_eq!(truth["unsure"], 1);
    let only_right = place
        .read("out/audit.jsonl")
        .replace("\"label\":0", "\"label\":1");
    place.write("right.jsonl", only_right);
    let ran = place
        .run("eval in.jsonl --truth right.jsonl --threshold 0.3 -q")
        .ok();
    assert!(
        ran.stdout.contains("Only the labelled pairs are judged"),
        "{}",
        ran.stdout
    );
}

#[test]
fn answers_of_another_run_are_refused() {
    let place = place();
    place.run_with("audit out -q", b"rr").ok();
    place.run("dedup in.jsonl -o other -q --threshold 0.7").ok();
    let answers = place.path().join("out/audit.jsonl");
    std::fs::copy(&answers, place.path().join("other/audit.jsonl")).unwrap();
    let ran = place.run("audit other");
    assert_eq!(ran.status, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("another run"), "{}", ran.stderr);
    std::fs::remove_file(place.path().join("other/audit.jsonl")).unwrap();
    let ran = place.run("audit other --answers out/audit.jsonl");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("another run"), "{}", ran.stderr);
    let ran = place.run("audit out --seed 2");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("--seed 1"), "{}", ran.stderr);
}

#[test]
fn a_seed_is_remembered() {
    let place = place();
    place.run_with("audit out -q --seed 7", b"rr").ok();
    assert_eq!(estimate(&place, "")["answered"], 2);
    assert_eq!(place.lines("out/audit.jsonl")[0]["seed"], 7);
}

#[test]
fn the_labels_of_a_page_are_taken() {
    let place = place();
    place.run_with("audit out -q --sample 6", b"rrr").ok();
    let mut lines = place
        .read("out/audit.jsonl")
        .replacen("\"label\":1", "\"label\":0", 1);
    lines.truncate(lines.trim_end().rfind('\n').unwrap() + 1);
    place.write("labels.jsonl", lines);
    let ran = place
        .run("audit out --answers labels.jsonl --sample 6")
        .ok();
    assert!(
        ran.stderr.contains("2 answers read, 1 of them"),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.contains("3 questions left"), "{}", ran.stdout);
    assert_eq!(labels(&place), [json!(0), json!(1), json!(1)]);
    place.write("bad.jsonl", "{\"a\": 1}\n");
    let ran = place.run("audit out --answers bad.jsonl");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("bad.jsonl`: line 1"), "{}", ran.stderr);
}

#[test]
fn the_page_asks_the_same_questions() {
    let place = place();
    let ran = place.run("audit out --page --sample 5 -q").ok();
    assert!(ran.stdout.contains("audit.html"), "{}", ran.stdout);
    place.run_with("audit out -q --sample 5", b"rrrrr").ok();
    let page = place.read("out/audit.html");
    let mut rest = page.as_str();
    for line in place.read("out/audit.jsonl").lines() {
        let (head, tail) = line.split_once("\"label\":1").unwrap();
        let escaped = |part: &str| part.replace('"', "&quot;");
        let found = format!("data-head=\"{}&quot;label&quot;:\"", escaped(head));
        let at = rest.find(&found).unwrap_or_else(|| panic!("{found}"));
        rest = &rest[at..];
        assert!(rest.contains(&format!("data-tail=\"{}\"", escaped(tail))));
    }
    assert_eq!(page.matches("<article").count(), 5);
    assert!(!page.contains("http://") && !page.contains("src="));
    let again = place.run("audit out --page --sample 5 -q").ok();
    assert_eq!(again.status, 0);
    assert_eq!(
        place
            .read("out/audit.html")
            .matches("data-answer=\"right\" aria")
            .count(),
        5
    );
}

#[test]
fn a_new_run_takes_the_page_away_and_keeps_the_answers() {
    let place = place();
    place.run("audit out --page -q").ok();
    place.run_with("audit out -q", b"rr").ok();
    place.run("dedup in.jsonl -o out -q --force").ok();
    assert!(!place.exists("out/audit.html"));
    assert!(place.exists("out/audit.jsonl"));
}

#[test]
fn the_input_is_found_where_the_run_found_it() {
    let place = place();
    // From another directory.
    let out = place.path().join("out");
    let elsewhere = Place::new();
    let ran = elsewhere
        .run(&format!("audit {} --json -q", out.display()))
        .ok();
    assert!(ran.stdout.contains("\"removals\": 48"), "{}", ran.stdout);
    std::fs::rename(
        place.path().join("in.jsonl"),
        place.path().join("moved.jsonl"),
    )
    .unwrap();
    let ran = place.run("audit out");
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("doublet audit DIR INPUT"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("in.jsonl"), "{}", ran.stderr);
    place.run("audit out moved.jsonl --json -q").ok();
}

#[test]
fn another_input_is_refused() {
    let place = place();
    let refused = |name: &str, part: &str| {
        let ran = place.run(&format!("audit out {name} --json -q"));
        assert_eq!(ran.status, 2, "{name}: {}", ran.stdout);
        assert!(ran.stderr.contains(part), "{name}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("doublet audit DIR INPUT"),
            "{}",
            ran.stderr
        );
    };
    let lines = collection();
    place.write(
        "shorter.jsonl",
        lines
            .replacen('{', "\n{", 1)
            .lines()
            .skip(2)
            .collect::<Vec<_>>()
            .join("\n"),
    );
    refused("shorter.jsonl", "59 records, the run read 60");
    place.write("removed.jsonl", lines.replacen("3-near1", "3-near9", 1));
    refused("removed.jsonl", "\"3-near1\", which was removed");
    place.write("kept.jsonl", lines.replacen("3-kept", "3-keep", 1));
    refused("kept.jsonl", "\"3-kept\", which was kept");
    place.write("longer.jsonl", lines.replacen(" ", "   ", 1));
    let ran = place.run("audit out longer.jsonl --json").ok();
    assert!(
        ran.stderr.contains("size of the input changed"),
        "{}",
        ran.stderr
    );
}

#[test]
fn standard_input_has_to_be_given_as_a_file() {
    let place = Place::new();
    place.write("in.jsonl", collection());
    place
        .run_with("dedup - --format jsonl -o out -q", collection().as_bytes())
        .ok();
    let ran = place.run("audit out");
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("`-`, which cannot be read again"),
        "{}",
        ran.stderr
    );
    place.run("audit out in.jsonl --json -q").ok();
    let ran = place.run("audit out -");
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("standard input has the keys"),
        "{}",
        ran.stderr
    );
}

#[test]
fn texts_without_ids_are_found_again() {
    let place = Place::new();
    let text = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["text"].as_str().unwrap().replace('\n', " ")
    };
    let texts: Vec<String> = collection().lines().map(text).collect();
    place.write("old/a/x.txt", texts[..30].join("\n"));
    place.write("old/b/x.txt", texts[30..].join("\n"));
    let dedup = "dedup old/a/x.txt old/b/x.txt --format lines -o out -q --threshold 0.3";
    place.run(dedup).ok();
    assert_eq!(estimate(&place, "")["same_text"], 12);
    std::fs::rename(place.path().join("old"), place.path().join("new")).unwrap();
    let moved = "audit out new/a/x.txt new/b/x.txt -q --sample 1";
    let ran = place.run_with(moved, b"r").ok();
    assert!(ran.stdout.contains("1 of 1"), "{}", ran.stdout);
    // The other way round they have other numbers.
    let ran = place
        .run("audit out new/b new/a --format lines --json -q")
        .ok();
    assert!(ran.stdout.contains("\"same_text\": 12"), "{}", ran.stdout);
    let numbered = dedup
        .replace("-o out", "-o numbered --renumber")
        .replace("old/", "new/");
    place.run(&numbered).ok();
    let ran = place.run("audit numbered --json -q").ok();
    assert!(ran.stdout.contains("\"same_text\": 12"), "{}", ran.stdout);
}

#[test]
fn references_are_found_too() {
    let place = Place::new();
    let lines = collection();
    let of = |wanted: &str| -> String {
        let own = lines.lines().filter(|line| line.contains(wanted));
        own.map(|line| line.to_owned() + "\n").collect()
    };
    // A reference and a text of the input have the same id.
    let kept = of("-kept").replace("-kept", "");
    place.write("old.jsonl", &kept);
    place.write("new.jsonl", of("-near1").replace("\"0-near1\"", "\"1\""));
    place
        .run("dedup new.jsonl --against old.jsonl -o out -q --threshold 0.3")
        .ok();
    let ran = place
        .run_with("audit out -q", "r".repeat(12).as_bytes())
        .ok();
    assert!(ran.stdout.contains("0 % (0 % – 0 %)"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("40 words lost"), "{}", ran.stdout);
    let ran = place.run("audit out new.jsonl --against new.jsonl --json");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("--against"), "{}", ran.stderr);
}

#[test]
fn what_is_no_run_is_refused() {
    let place = Place::new();
    place.write("in.jsonl", "{\"text\": \"alone\"}\n");
    let refused = |arguments: &str, part: &str| {
        let ran = place.run(arguments);
        assert_eq!(ran.status, 2, "{arguments}");
        assert!(ran.stderr.contains(part), "{arguments}: {}", ran.stderr);
    };
    refused("audit .", "not a directory of `doublet dedup` results");
    refused(
        "audit nowhere",
        "not a directory of `doublet dedup` results",
    );
    place.run("dedup in.jsonl -o out -q").ok();
    let ran = place.run("audit out").ok();
    assert!(ran.stdout.contains("Nothing to judge"), "{}", ran.stdout);
    refused("audit out --sample 0", "--sample 0");
    let passages = "dedup in.jsonl -o cut -q --method sentences --remove passages";
    place.run(passages).ok();
    refused("audit cut", "--remove passages");
}

#[test]
fn two_at_a_time_do_not_overwrite_each_other() {
    let place = place();
    place.run_with("audit out -q", b"r").ok();
    let mut child = spawn(&place, "audit out -q");
    press(&mut child, b"r\n");
    wait_for_lines(&place, 2);
    place.run_with("audit out -q", b"r").ok();
    press(&mut child, b"r\n");
    let ran = crate::harness::Ran::new(&child.wait_with_output().unwrap());
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("another program has written to it"),
        "{}",
        ran.stderr
    );
    assert_eq!(labels(&place).len(), 3);
}

fn spawn(place: &Place, arguments: &str) -> std::process::Child {
    use std::process::Stdio;
    place
        .command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn press(child: &mut std::process::Child, keys: &[u8]) {
    use std::io::Write;
    child.stdin.as_mut().unwrap().write_all(keys).unwrap();
}

/// Waits until `count` answers are saved.
fn wait_for_lines(place: &Place, count: usize) {
    let path = place.path().join("out/audit.jsonl");
    wait_until("saved answers", || lines_of(&path) >= count);
}

fn lines_of(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn every_answer_survives_a_kill() {
    let place = place();
    let mut child = spawn(&place, "audit out -q");
    for (given, key) in (1..).zip([b"r\n", b"w\n", b"u\n"]) {
        press(&mut child, key);
        wait_for_lines(&place, given);
    }
    // What is killed while it saves has the answers before.
    press(&mut child, "r\n".repeat(20).as_bytes());
    child.kill().unwrap();
    ended(&mut child);
    let given = labels(&place);
    assert_eq!(given[..3], [json!(1), json!(0), json!("unsure")]);
    assert!(given[3..].iter().all(|label| *label == 1));
    let ran = place.run_with("audit out -q", b"r").ok();
    let next = format!("{} of 36", given.len() + 1);
    assert!(ran.stdout.starts_with(&next), "{}", ran.stdout);
}
