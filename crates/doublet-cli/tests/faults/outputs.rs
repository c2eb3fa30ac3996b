//! Commands that write files of results.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use doublet::files::Operation::Write as Writing;
use doublet::files::Operation::{self, Create, List, MakeDirectory, Open, Read, Rename, Sync};
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::case::{Case, corpus};
use crate::child::{Blow, ENOSPC, Strike, run};
use crate::harness::{Place, json_lines, sample};
use crate::laws::does;

/// What every command that writes a file does.
const USUAL: [Operation; 6] = [Open, Create, Read, Writing, Sync, Rename];

/// A directory with texts, and an old file of each name.
fn place(old: &[&str]) -> Place {
    let place = Place::new();
    place.write("in.jsonl", corpus(30));
    for name in old {
        place.write(name, "old\n");
    }
    place
}

/// Strikes a command that does these operations, among others.
fn check(place: Place, arguments: &str, does_also: &[Operation]) {
    let case = Case::new(place, &format!("{arguments} -q --threads 1"));
    does(&case, &USUAL);
    does(&case, does_also);
    assert!(case.strike_all() > 8, "{arguments}");
}

#[test]
fn dedup() {
    check(
        place(&[]),
        "dedup in.jsonl -o out --checkpoint 0",
        &[MakeDirectory, List],
    );
}

#[test]
fn dedup_over_old_results() {
    let old = ["out/kept.jsonl", "out/pairs.jsonl", "out/mine.txt"];
    check(place(&old), "dedup in.jsonl -o out --force", &[List]);
}

#[test]
fn dedup_of_standard_input() {
    let place = place(&[]);
    place.write("stdin", corpus(30));
    check(place, "dedup - --format jsonl -o out", &[]);
}

#[test]
fn dedup_of_packed_texts() {
    let place = Place::new();
    let mut packed = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(corpus(30).as_bytes()).unwrap();
    place.write("in.jsonl.gz", packed.finish().unwrap());
    check(place, "dedup in.jsonl.gz -o out", &[]);
}

/// The texts of the corpus, without ids.
fn texts() -> Vec<String> {
    let lines = json_lines(&corpus(30));
    let text = |line: &Value| line["text"].as_str().unwrap().to_owned();
    lines.iter().map(text).collect()
}

#[test]
fn dedup_of_columns() {
    let place = Place::new();
    let column: ArrayRef = Arc::new(StringArray::from(texts()));
    let batch = RecordBatch::try_from_iter([("text", column)]).unwrap();
    let path = place.path().join("in.parquet");
    doublet::read::write_parquet(batch.schema(), [Ok(batch)].into_iter(), &path).unwrap();
    check(place, "dedup in.parquet -o out", &[]);
}

#[test]
fn dedup_of_one_text_a_file() {
    let place = Place::new();
    for (number, text) in texts().iter().enumerate().take(8) {
        place.write(&format!("in/{number}.txt"), text);
    }
    check(place, "dedup in -o out", &[MakeDirectory]);
}

#[test]
fn manual_pages() {
    let place = Place::new();
    place.write("pages/doublet.1", "old\n");
    let case = Case::new(place, "man pages");
    does(&case, &[Create, Writing, Sync, Rename, MakeDirectory]);
    assert!(case.strike_all() > 8);
}

#[test]
fn dedup_of_passages() {
    check(
        place(&[]),
        "dedup in.jsonl -o out --method sentences --remove passages",
        &[],
    );
}

#[test]
fn dedup_that_is_continued() {
    let place = place(&[]);
    let first = "dedup in.jsonl -o out --checkpoint 0 -q --threads 1";
    let case = Case::new(place, first);
    // The last file but one cannot be written: by then all is found, and the state is kept.
    let strike = Strike {
        operation: Some(Rename),
        number: case.count(Rename) - 2,
        blow: Blow::Error(ENOSPC),
        lasting: true,
    };
    let (place, struck) = case.strike(strike);
    assert_eq!(struck.ran.status, 2, "{}", struck.ran.stderr);
    let told = &struck.ran.stderr;
    assert!(told.contains("continue with `--resume`"), "{told}");
    assert!(place.exists("out/.unfinished/manifest"));
    check(place, "dedup in.jsonl -o out --checkpoint 0 --resume", &[]);
}

#[test]
fn pairs() {
    for output in ["pairs.jsonl", "pairs.csv", "pairs.parquet"] {
        check(
            place(&[output]),
            &format!("pairs in.jsonl -o {output}"),
            &[],
        );
    }
}

#[test]
fn pairs_of_every_method() {
    for method in ["minhash", "simhash", "terms", "sentences"] {
        let arguments = format!("pairs in.jsonl -o pairs.jsonl --method {method}");
        check(place(&[]), &arguments, &[]);
    }
}

#[test]
fn pairs_that_need_more_than_memory() {
    for options in ["--threshold 0.3", "--metric coverage"] {
        let place = Place::new();
        place.write("in.jsonl", corpus(9000));
        let arguments =
            format!("pairs in.jsonl -o pairs.jsonl {options} --memory 1M -q --threads 1");
        let case = Case::new(place, &arguments);
        // Beside the output there is what was spilled.
        assert!(case.count(Create) > 2, "{options}");
        assert!(case.count(Writing) > 10, "{options}");
        assert!(case.strike_all() > 8, "{options}");
    }
}

#[test]
fn clusters() {
    check(
        place(&["clusters.jsonl"]),
        "clusters in.jsonl -o clusters.jsonl --checkpoint 0",
        &[],
    );
}

#[test]
fn background() {
    let place = place(&["words"]);
    run(&place, "background in.jsonl -o other -q", None);
    assert!(place.exists("other"));
    check(place, "background in.jsonl other -o words", &[]);
}

/// Texts of words that no other has.
fn many_words() -> String {
    let word = |number: u32| -> String {
        let letter = |place: u32| char::from(b'a' + (number / 10_u32.pow(place) % 10) as u8);
        (0..5).map(letter).collect()
    };
    let line = |number: u32| {
        let words: Vec<String> = (0..50).map(|place| word(number * 50 + place)).collect();
        serde_json::json!({ "text": words.join(" ") }).to_string() + "\n"
    };
    (0..1500).map(line).collect()
}

#[test]
fn background_that_needs_more_than_memory() {
    let place = Place::new();
    place.write("in.jsonl", many_words());
    let words = "background in.jsonl -o words --method sentences --memory 1M -q --threads 1";
    let case = Case::new(place, words);
    assert!(case.count(Create) > 1);
    assert!(case.strike_all() > 8);
}

#[test]
fn check_with_references() {
    let place = place(&["stats.json"]);
    place.write("asked.jsonl", corpus(6));
    check(
        place,
        "check asked.jsonl --against in.jsonl --stats stats.json",
        &[],
    );
}

#[test]
fn eval() {
    let place = place(&["out/eval.html", "out/sweep.svg"]);
    for name in ["collection.jsonl", "truth.jsonl"] {
        place.write(name, std::fs::read(sample(name)).unwrap());
    }
    check(
        place,
        "eval collection.jsonl --truth truth.jsonl --sweep threshold=0.7,0.8 -o out",
        &[],
    );
}

/// A run with a sample to judge, and a file of answers about it.
fn removals() -> Place {
    let place = place(&["out/audit.html"]);
    run(
        &place,
        "dedup in.jsonl -o out --threshold 0.5 -q --force",
        None,
    );
    place.write("out/audit.html", "old\n");
    place.write("stdin", "rw");
    run(&place, "audit out -q", None);
    place.write("answers.jsonl", place.read("out/audit.jsonl"));
    for name in ["stdin", "out/audit.jsonl"] {
        std::fs::remove_file(place.path().join(name)).unwrap();
    }
    place
}

#[test]
fn answers_of_an_audit() {
    check(removals(), "audit out --answers answers.jsonl", &[]);
}

#[test]
fn page_of_an_audit() {
    check(removals(), "audit out --page", &[]);
}
