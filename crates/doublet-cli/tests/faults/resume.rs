//! `--resume`: runs that are killed at any operation on files come to the same files in the end.

use std::fmt::Write;

use serde_json::Value;

use crate::child::{Blow, Strike, Struck, run};
use crate::harness::{Dice, FIVE, Place, Ran};

/// Kills after which a run is left alone.
const KILLS: u32 = 40;
/// Runs after which it has to be done: each that is left alone goes on behind the one before it.
const TRIES: u32 = KILLS + 1;

/// A word made of letters only.
fn letters(number: u64) -> String {
    let digits = number.to_string().into_bytes();
    let letter = |digit: &u8| char::from(digit - b'0' + b'a');
    digits.iter().map(letter).collect()
}

/// Texts of which many are near copies, some bad.
fn corpus(texts: u64) -> String {
    let mut dice = Dice(7);
    let mut lines = String::new();
    for number in 0..texts {
        let mut words = Dice((number / 3 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut text: Vec<String> = (0..80).map(|_| letters(words.roll(5000))).collect();
        for _ in 0..dice.roll(4) {
            let place = dice.roll(80) as usize;
            text[place] = letters(5000 + dice.roll(100));
        }
        let line = match number % 97 {
            13 => "{ broken".to_owned(),
            _ => serde_json::json!({"id": number, "text": text.join(" "), "n": number % 5})
                .to_string(),
        };
        let _ = writeln!(lines, "{line}");
    }
    lines
}

/// A file of results without what time and memory put into it.
fn lasting(place: &Place, name: &str) -> String {
    let text = place.read(name);
    if name.ends_with("summary.json") {
        let mut summary: Value = serde_json::from_str(&text).unwrap();
        for passing in ["seconds", "stages", "peak_memory"] {
            summary.as_object_mut().unwrap().remove(passing);
        }
        return summary.to_string();
    }
    if name.ends_with("report.html") {
        return without_times(&text);
    }
    text
}

/// The page without the time of the run, its rate, its memory and its stages.
fn without_times(page: &str) -> String {
    let (before, rest) = page.split_once("<h3>Time by stage</h3>").unwrap();
    let (_, after) = rest.split_once("</figure>").unwrap();
    let passing = [">Time<", ">Texts a second<", ">Most memory used<"];
    let passes = |line: &&str| passing.iter().any(|name| line.contains(name));
    let lines = before.lines().chain(after.lines());
    lines.filter(|line| !passes(line)).collect()
}

/// The names of all files below a directory, sorted.
fn files(place: &Place, directory: &str) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(place.path().join(directory))
        .unwrap()
        .flatten()
    {
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    names
}

/// Runs a command again and again, killed at another operation on files each time, until it is done. Gives how often it was killed.
fn kill_until_done(place: &Place, arguments: &str, operations: u64, seed: u64) -> u32 {
    let mut dice = Dice(seed);
    for tries in 0..TRIES {
        let strike = Strike {
            operation: None,
            number: dice.roll(operations),
            blow: Blow::Kill,
            lasting: false,
        };
        // It may have been killed when all was done and only its end was left.
        let (_, out) = arguments.rsplit_once(" -o ").unwrap();
        let out = place.path().join(out);
        if out.join("summary.json").exists() && !out.join(".unfinished").exists() {
            return tries;
        }
        let resume = if tries == 0 { "" } else { "--resume" };
        let arguments = format!("{arguments} --checkpoint 0 {resume}");
        let ran = run(place, &arguments, (tries < KILLS).then_some(strike)).ran;
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        if ran.status >= 0 {
            ran.ok();
            return tries;
        }
    }
    panic!("never done")
}

/// Runs a command to its end; gives the number of its operations on files, which is about the same when it keeps its state.
fn run_through(place: &Place, arguments: &str) -> u64 {
    let Struck { ran, counted } = run(place, arguments, None);
    ran.ok();
    let (counts, _) = counted.unwrap();
    counts.iter().sum()
}

#[test]
fn dedup_killed_at_any_moment_ends_the_same() {
    let place = Place::new();
    place
        .write("in.jsonl", corpus(600))
        .write("old.jsonl", corpus(60));
    let mut killed = 0;
    for (number, options) in [
        "",
        "--metric coverage --against old.jsonl --keep field:n",
        "--metric containment --linkage star",
    ]
    .iter()
    .enumerate()
    {
        let arguments = format!("dedup in.jsonl --threshold 0.7 --threads 2 -q {options}");
        let operations = run_through(&place, &format!("{arguments} -o whole{number}"));
        let expected = files(&place, &format!("whole{number}"));
        for seed in 0..3 {
            let out = format!("out{number}-{seed}");
            let arguments = format!("{arguments} -o {out}");
            killed += kill_until_done(&place, &arguments, operations, seed + 1);
            assert_eq!(files(&place, &out), expected, "{options}");
            for file in &expected {
                let (whole, out) = (format!("whole{number}/{file}"), format!("{out}/{file}"));
                assert!(
                    lasting(&place, &whole) == lasting(&place, &out),
                    "{out} is not {whole}"
                );
            }
        }
    }
    assert!(killed > 3, "{killed} processes killed");
}

#[test]
fn pairs_and_clusters_killed_at_any_moment_end_the_same() {
    let place = Place::new();
    place.write("in.jsonl", corpus(600));
    for command in ["pairs", "clusters"] {
        let arguments = format!("{command} in.jsonl --threshold 0.7 -q");
        let operations = run_through(&place, &format!("{arguments} -o whole-{command}.jsonl"));
        for seed in 0..3 {
            let out = format!("{command}-{seed}.jsonl");
            let arguments = format!("{arguments} -o {out}");
            kill_until_done(&place, &arguments, operations, seed + 10);
            assert!(
                place.read(&out) == place.read(&format!("whole-{command}.jsonl")),
                "{out}"
            );
            assert!(!place.exists(&format!(".{out}.unfinished")));
        }
    }
}

/// Asks a run to end as soon as its state is kept.
fn end_when_kept(place: &Place, arguments: &str) -> Ran {
    let strike = Strike {
        operation: None,
        number: 0,
        blow: Blow::TerminateWhenKept,
        lasting: true,
    };
    run(place, &format!("{arguments} --checkpoint 0"), Some(strike)).ran
}

#[test]
fn a_request_to_end_keeps_the_state_and_says_so() {
    let place = Place::new();
    place.write("in.jsonl", corpus(300));
    let ran = end_when_kept(&place, "dedup in.jsonl -o out");
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("continue with `--resume`"),
        "{}",
        ran.stderr
    );
    let ran = place.run("dedup in.jsonl -o out");
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("--resume") && ran.stderr.contains("--force"),
        "{}",
        ran.stderr
    );
    let ran = place.run("dedup in.jsonl -o out --resume --threshold 0.9");
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("`threshold` was 0.8 and is 0.9"),
        "{}",
        ran.stderr
    );
    let ran = place.run("dedup in.jsonl -o out --resume").ok();
    assert!(
        ran.stderr.contains("continuing an interrupted run"),
        "{}",
        ran.stderr
    );
    place.run("dedup in.jsonl -o whole -q").ok();
    assert_eq!(
        place.read("out/pairs.jsonl"),
        place.read("whole/pairs.jsonl")
    );
    assert_eq!(files(&place, "out"), files(&place, "whole"));
}

#[test]
fn force_starts_anew() {
    let place = Place::new();
    place
        .write("in.jsonl", corpus(300))
        .write("five.jsonl", FIVE);
    let ran = end_when_kept(&place, "dedup in.jsonl -o out");
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(place.exists("out/.unfinished"));
    place.run("dedup five.jsonl -o out --force -q").ok();
    assert!(!place.exists("out/.unfinished"));
    assert_eq!(place.summary("out")["read"], 5);
    assert_eq!(
        place.run("dedup five.jsonl -o out --force --resume").status,
        2
    );
}

#[test]
fn a_file_of_pairs_has_its_state_beside_it() {
    let place = Place::new();
    place.write("in.jsonl", corpus(300));
    let pairs = "pairs in.jsonl -o pairs.csv";
    let ran = end_when_kept(&place, pairs);
    assert!(
        ran.stderr.contains("continue with `--resume`"),
        "{}",
        ran.stderr
    );
    let ran = place.run(pairs);
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("--resume") && ran.stderr.contains(".pairs.csv.unfinished"),
        "{}",
        ran.stderr
    );
    place.run(&format!("{pairs} --resume -q")).ok();
    assert!(place.exists("pairs.csv") && !place.exists(".pairs.csv.unfinished"));
}

#[test]
fn what_cannot_be_continued_is_refused() {
    let place = Place::new();
    place.write("in.jsonl", FIVE);
    let ran = place.run_with("pairs - -o pairs.jsonl --resume", FIVE.as_bytes());
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("standard input"), "{}", ran.stderr);
    for arguments in [
        "pairs in.jsonl --resume",
        "clusters in.jsonl --resume -o -",
        "pairs in.jsonl --resume -o /dev/null",
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.status, 2);
        assert!(ran.stderr.contains("--output"), "{}", ran.stderr);
    }
    assert_eq!(files(&place, "."), ["in.jsonl"]);
    let ran = place.run("dedup in.jsonl -o out --resume").ok();
    assert!(
        ran.stderr.contains("starting from the beginning"),
        "{}",
        ran.stderr
    );
    place
        .run("pairs in.jsonl -o /dev/null --checkpoint 0 -q")
        .ok();
    place
        .run_with("dedup - -o in --checkpoint 0 -q", FIVE.as_bytes())
        .ok();
    assert!(!place.exists("in/.unfinished"));
}
