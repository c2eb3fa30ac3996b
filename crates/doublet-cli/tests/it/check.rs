//! `check`, `index`, and `--method sentences` on the command line.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::harness::{Place, json_lines, sample};

fn articles() -> String {
    sample("articles.jsonl").display().to_string()
}

fn posts() -> String {
    sample("posts.jsonl").display().to_string()
}

fn texts(path: &str) -> BTreeMap<String, String> {
    let lines = json_lines(&std::fs::read_to_string(path).unwrap());
    let field = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
    lines
        .iter()
        .map(|line| (field(line, "id"), field(line, "text")))
        .collect()
}

fn cut(text: &str, passage: &Value, start: &str, end: &str) -> String {
    let place = |name: &str| passage[name].as_u64().unwrap() as usize;
    let characters = text.chars().skip(place(start));
    characters.take(place(end) - place(start)).collect()
}

/// That the posts are copies of what their truth file says, and that passages begin and end where sentences do.
fn expect_truth(answers: &[Value]) {
    let truth = std::fs::read_to_string(sample("posts-truth.jsonl")).unwrap();
    let truth = json_lines(&truth);
    let (posts, articles) = (texts(&posts()), texts(&articles()));
    assert_eq!(answers.len(), truth.len());
    for (answer, expected) in answers.iter().zip(&truth) {
        assert_eq!(answer["id"], expected["id"]);
        assert_eq!(answer["duplicate"], expected["duplicate"], "{answer}");
        let mut sources: Vec<&str> = Vec::new();
        for source in answer["sources"].as_array().unwrap() {
            let id = source["id"].as_str().unwrap();
            sources.push(id);
            for passage in source["passages"].as_array().unwrap() {
                let post = &posts[answer["id"].as_str().unwrap()];
                let here = cut(post, passage, "start", "end");
                let there = cut(&articles[id], passage, "source_start", "source_end");
                assert!(here.starts_with(|c: char| c.is_alphanumeric()), "{here}");
                assert_eq!(words(&here), words(&there));
            }
        }
        if answer["duplicate"] == true {
            let mut expected: Vec<&str> = expected["sources"]
                .as_array()
                .unwrap()
                .iter()
                .map(|id| id.as_str().unwrap())
                .collect();
            sources.sort_unstable();
            expected.sort_unstable();
            assert_eq!(sources, expected);
        }
    }
}

/// The words of a passage in order of the alphabet, but for those that the reworded samples add or drop.
fn words(passage: &str) -> Vec<String> {
    let separators = |c: char| !c.is_alphanumeric();
    let lower = passage.to_lowercase();
    let words = lower
        .split(separators)
        .filter(|word| !["", "some", "on", "for"].contains(word));
    let mut words: Vec<String> = words.map(str::to_owned).collect();
    words.sort_unstable();
    words
}

#[test]
fn the_posts_are_copies_of_the_articles_that_their_truth_file_names() {
    let place = Place::new();
    let direct = place
        .run(&format!("check {} --against {} -q", posts(), articles()))
        .ok();
    expect_truth(&direct.json());
    for texts in ["", "--no-texts"] {
        place.run(&format!("index create news{texts} {texts}")).ok();
        place
            .run(&format!("index add news{texts} {} -q", articles()))
            .ok();
        let asked = place
            .run(&format!(
                "check {} --index news{texts} -q --threads 3",
                posts()
            ))
            .ok();
        assert_eq!(asked.stdout, direct.stdout);
    }
}

#[test]
fn what_shapes_fingerprints_stays_with_the_index_and_what_decides_may_be_given() {
    let place = Place::new();
    place.run("index create news").ok();
    place.run(&format!("index add news {} -q", articles())).ok();
    for fixed in [
        "--method sentences",
        "--case keep",
        "--df-cutoff 0.5",
        "--reorder off",
        "--min-words 2",
        "--tokens characters",
        "--shingle 5",
    ] {
        let ran = place.run(&format!("check {} --index news {fixed}", posts()));
        assert_eq!(ran.status, 2, "{fixed}");
        assert!(
            ran.stderr.contains("was settled when the index was made"),
            "{}",
            ran.stderr
        );
    }
    let count = |options: &str| {
        let ran = place.run(&format!("check {} --index news -q {options}", posts()));
        let found = ran
            .json()
            .iter()
            .filter(|answer| answer["duplicate"] == true)
            .count();
        assert_eq!(ran.status, i32::from(found == 0), "{options}");
        found
    };
    assert_eq!(count(""), 6);
    assert_eq!(count("--min-sentences 1"), 7);
    assert_eq!(count("--min-sentences off --min-share 1"), 2);
    assert_eq!(count("--max-occurrences 0"), 0);
    let ran = place.run(&format!(
        "check {} --index news --min-share 0.5 --threshold 0.6",
        posts()
    ));
    assert!(ran.stderr.contains("are the same thing"), "{}", ran.stderr);
}

#[test]
fn texts_are_replaced_removed_and_counted() {
    let place = Place::new();
    place.run("index create news").ok();
    place.run(&format!("index add news {} -q", articles())).ok();
    let ran = place
        .run(&format!("index add news {} --commit-every 2", articles()))
        .ok();
    assert!(
        ran.stderr
            .contains("6 texts added (6 replaced); the index holds 6"),
        "{}",
        ran.stderr
    );
    let ran = place.run("index remove news mill-1 nobody").ok();
    assert!(
        ran.stderr.contains("no text has the id nobody"),
        "{}",
        ran.stderr
    );
    assert_eq!(place.run("index remove news mill-1 -q").status, 1);
    place.run("index compact news -q").ok();
    place.run("index verify news -q").ok();
    let info = place.run("index info news --json").ok().json().remove(0);
    assert_eq!(
        (&info["documents"], &info["removed"], &info["parts"]),
        (&5.into(), &0.into(), &1.into())
    );
    assert_eq!(info["options"]["method"], "sentences");
    let ran = place
        .run(&format!("check {} --index news -q", posts()))
        .ok();
    let pasted = &ran.json()[1];
    assert_eq!(pasted["sources"].as_array().unwrap().len(), 1, "{pasted}");
}

#[test]
fn a_missing_index_and_a_directory_in_the_way_are_told_apart() {
    let place = Place::new();
    place
        .write("full/file.txt", "x")
        .write("a.txt", "A text of some words.");
    for (arguments, message) in [
        ("check a.txt --index nowhere", "there is no such directory"),
        (
            "check a.txt --index full",
            "there is no index in this directory",
        ),
        (
            "index add full a.txt",
            "there is no index in this directory",
        ),
        (
            "index create full",
            "the directory is not empty (it holds `file.txt`)",
        ),
        (
            "index create news --method shingles --no-texts",
            "reads the texts again",
        ),
        ("check a.txt", "--index"),
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.status, 2, "{arguments}");
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
    }
    place.run("index create news").ok();
    let ran = place.run("index create news");
    assert!(
        ran.stderr
            .contains("there is an index in this directory already"),
        "{}",
        ran.stderr
    );
}

#[test]
fn every_method_has_an_index() {
    let place = Place::new();
    for method in ["shingles", "minhash", "terms", "imatch"] {
        place
            .run(&format!("index create {method} --method {method}"))
            .ok();
        place
            .run(&format!("index add {method} {} -q", articles()))
            .ok();
        let ran = place
            .run(&format!("check {} --index {method} -q", articles()))
            .ok();
        for (answer, id) in ran.json().iter().zip(texts(&articles()).keys()) {
            assert_eq!(answer["duplicate"], true, "{method} {id}");
            assert_eq!(answer["sources"][0]["id"], answer["id"], "{method}");
            assert_eq!(answer["sources"][0]["score"], 1.0, "{method}");
        }
    }
}

#[test]
fn inspect_and_compare_show_sentences() {
    let place = Place::new();
    let text = "U.S. to Reveal Some Rules on Security for Internet\n\nDr. Müller kam. Er ging.";
    let ran = place
        .write("a.txt", text)
        .run("inspect a.txt --method sentences --lang en")
        .ok();
    insta::assert_snapshot!("inspect-sentences", ran.stdout);
    place.write("b.txt", "U.S. to Reveal Security Rules for Internet");
    let ran = place.run("compare a.txt b.txt --method sentences");
    assert!(
        ran.stdout.contains("1 of 1 sentences of B"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_table_of_words_says_which_are_common() {
    let place = Place::new();
    let texts: String = (0..40)
        .map(|n| {
            format!("{{\"id\": {n}, \"text\": \"every report of item {n} mentions money\"}}\n")
        })
        .collect();
    place.write("texts.jsonl", texts);
    place
        .run("background texts.jsonl --method sentences -o words.table -q")
        .ok();
    place.run("index create news --background words.table").ok();
    let ran = place.run("index info news --common-words").ok();
    assert_eq!(ran.stdout, "every\nitem\nmentions\nmoney\nof\nreport\n");
    let ran = place.run("pairs texts.jsonl --method terms --background words.table");
    assert!(ran.stderr.contains("other options"), "{}", ran.stderr);
}

#[test]
fn a_snapshot_is_an_index_of_its_own() {
    let place = Place::new();
    place.run("index create news").ok();
    place.run(&format!("index add news {} -q", articles())).ok();
    let before = place
        .run(&format!("check {} --index news -q", posts()))
        .ok();
    let ran = place.run("index snapshot news kept").ok();
    assert!(
        ran.stderr.contains("6 texts copied to kept"),
        "{}",
        ran.stderr
    );
    assert!(
        place
            .run("index snapshot news empty -q")
            .ok()
            .stderr
            .is_empty()
    );
    place.run("index remove news mill-1 ferry-1 -q").ok();
    place.run("index compact news -q").ok();
    place.run("index verify kept -q").ok();
    let after = place
        .run(&format!("check {} --index kept -q", posts()))
        .ok();
    assert_eq!(after.stdout, before.stdout);
    // It can be written to, and the other does not notice.
    place.run("index remove kept mill-1 -q").ok();
    place.run("index verify news -q").ok();
    for (arguments, message) in [
        ("index snapshot news kept", "is not empty"),
        ("index snapshot nowhere other", "there is no such directory"),
        ("index snapshot empty/manifest other", "empty/manifest"),
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.status, 2, "{arguments}");
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
    }
    assert!(!place.exists("other"));
}

/// What a command shows on a terminal; nothing where there is no `script` to play one.
#[cfg(target_os = "linux")]
fn on_a_terminal(place: &Place, arguments: &str) -> Option<String> {
    let line = format!("'{}' {arguments}", env!("CARGO_BIN_EXE_doublet"));
    let ran = std::process::Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .env("TERM", "xterm")
        .current_dir(place.path())
        .stdin(std::process::Stdio::null())
        .output();
    let shown = ran.ok()?.stdout;
    Some(String::from_utf8_lossy(&shown).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn no_bar_is_drawn_among_results() {
    use crate::harness::{Dice, FIVE};
    let place = Place::new();
    let mut dice = Dice(1);
    let mut text = || {
        (0..60)
            .map(|_| format!("w{} ", dice.roll(3000)))
            .collect::<String>()
    };
    let lines: String = (0..4000)
        .map(|id| serde_json::json!({"id": id, "text": text()}).to_string() + "\n")
        .collect();
    place.write("in.jsonl", &lines).write("old.jsonl", FIVE);
    let Some(shown) = on_a_terminal(&place, "check in.jsonl --against old.jsonl --threads 1")
    else {
        return;
    };
    let first = shown.find("new").unwrap();
    assert_eq!(shown.matches("new").count(), 4000);
    assert!(!shown[first..].contains('━'), "a bar among the results");
}
