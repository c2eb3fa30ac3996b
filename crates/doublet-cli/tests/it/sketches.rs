//! `--method minhash` of `check`, `index`, `inspect` and `compare`.

use serde_json::json;

use crate::harness::{FIVE, Place, sample};

fn articles() -> String {
    sample("articles.jsonl").display().to_string()
}

/// Two texts that share most of their words, and one that shares none.
fn texts() -> Place {
    let place = Place::new();
    let words = |from: u32| (from..from + 60).map(letters).collect::<Vec<_>>().join(" ");
    place
        .write("a.txt", words(0))
        .write("b.txt", words(3))
        .write("c.txt", words(500));
    place
}

/// A word of letters for a number.
fn letters(number: u32) -> String {
    let letter = |n: u32| char::from(b'a' + (n % 26) as u8);
    [
        letter(number / 676),
        letter(number / 26),
        letter(number),
        'x',
    ]
    .iter()
    .collect()
}

#[test]
fn copies_are_found_in_an_index_and_without_one() {
    let place = Place::new();
    place
        .run("index create news --method minhash --threshold 0.5 --shingle 3")
        .ok();
    place.run(&format!("index add news {} -q", articles())).ok();
    let asked = place
        .run(&format!("check {} --index news -q", articles()))
        .ok();
    for answer in asked.json() {
        assert_eq!(answer["sources"][0]["id"], answer["id"]);
        assert_eq!(answer["sources"][0]["score"], 1.0);
        assert_eq!(answer["sources"][0]["metric"], "resemblance");
    }
    let direct = place
        .run(&format!(
            "check {0} --against {0} -q --method minhash --threshold 0.5 --shingle 3",
            articles()
        ))
        .ok();
    assert_eq!(asked.stdout, direct.stdout);
}

#[test]
fn bands_may_be_given_instead_of_a_recall() {
    let place = Place::new();
    let dedup = |options: &str, output: &str| {
        let line = format!(
            "dedup {} --method minhash --shingle 2 --threshold 0.3 -q -o {output} {options}",
            articles()
        );
        place.run(&line).ok();
        let summary = place.summary(output);
        (
            summary["sketches"]["bands"].clone(),
            place.read(&format!("{output}/pairs.jsonl")),
        )
    };
    let (chosen, pairs) = dedup("", "chosen");
    let given: Vec<String> = chosen
        .as_array()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    let (bands, same) = dedup(&format!("--bands {}", given.join("x")), "given");
    assert_eq!((bands, same), (chosen, pairs));
    let (bands, _) = dedup("--bands 12x3x2", "others");
    assert_eq!(bands, json!([12, 3, 2]));
    place
        .run("index create news --method minhash --bands 30x4")
        .ok();
    let info = place.run("index info news --json").ok().json().remove(0);
    assert_eq!(info["options"]["bands"], 30);
    assert_eq!(info["options"]["rows"], 4);
}

#[test]
fn bands_that_cannot_be_are_refused() {
    let place = Place::new();
    place.write("five.jsonl", FIVE);
    for (line, told) in [
        ("pairs five.jsonl --method minhash --bands 5", "26x5"),
        (
            "pairs five.jsonl --method minhash --bands 100x3",
            "--sketch-size",
        ),
        (
            "pairs five.jsonl --method minhash --bands 20x5 --recall 0.9",
            "give one of them",
        ),
        (
            "pairs five.jsonl --method minhash --bands 20x5 --candidates values",
            "--candidates bands",
        ),
        ("pairs five.jsonl --bands 20x5", "--method minhash"),
        (
            "index create news --method minhash --bands 30x4x2",
            "third number",
        ),
    ] {
        let ran = place.run(line);
        assert_eq!(ran.status, 2, "{line}");
        assert!(ran.stderr.contains(told), "{line}: {}", ran.stderr);
    }
}

#[test]
fn an_index_says_how_its_texts_meet() {
    let place = Place::new();
    place.write("five.jsonl", FIVE);
    place.run("index create news --method minhash").ok();
    place.run("index add news five.jsonl -q").ok();
    let info = place.run("index info news --json").ok().json().remove(0);
    let options = &info["options"];
    assert_eq!(
        (&options["bands"], &options["rows"], &options["seed"]),
        (&json!(20), &json!(7), &json!(1))
    );
    // Twenty of four texts; one has no word.
    assert_eq!(info["entries"], 80);
    let chance = info["found_at_threshold"].as_f64().unwrap();
    assert!((chance - (1.0 - (1.0 - 0.8f64.powi(7)).powi(20))).abs() < 1e-9);
    let shown = place.run("index info news").ok().stdout;
    for line in ["bands  20", "rows  7", "found  99.10 %", "sketch-size  200"] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    place.run("index remove news a -q").ok();
    place.run("index compact news -q").ok();
    place.run("index verify news -q").ok();
    let ran = place.run("check five.jsonl --index news -q").ok();
    assert_eq!(ran.json()[0]["sources"][0]["id"], 2);
    assert_eq!(ran.json()[4]["duplicate"], false);
}

#[test]
fn a_threshold_below_the_promise_is_told() {
    let place = Place::new();
    place.write("five.jsonl", FIVE);
    place.run("index create news --method minhash").ok();
    place.run("index add news five.jsonl -q").ok();
    let asked = |options: &str| place.run(&format!("check five.jsonl --index news {options}"));
    let ran = asked("--threshold 0.5").ok();
    assert!(
        ran.stderr
            .contains("made for copies from 0.8 on: of those at 0.5 its bands find 14.5 %"),
        "{}",
        ran.stderr
    );
    for quiet in ["", "--threshold 0.9", "--threshold 0.5 -q"] {
        assert!(!asked(quiet).ok().stderr.contains("bands"), "{quiet}");
    }
}

#[test]
fn what_does_not_go_with_an_index_is_refused() {
    let place = Place::new();
    place.write("five.jsonl", FIVE);
    for (options, message) in [
        ("--method minhash --sketch smallest", "made of permutations"),
        ("--method minhash --sketch modulo", "made of permutations"),
        ("--method minhash --candidates values", "one of bands"),
        ("--method minhash --min-common 3", "--candidates values"),
        ("--method minhash --estimate", "answers by resemblance"),
        (
            "--method minhash --metric agreement",
            "answers by resemblance",
        ),
        ("--method minhash --threshold 0.01", "--sketch-size"),
        (
            "--method shingles --recall 0.9",
            "goes with `--method minhash`",
        ),
        ("--method minhash --no-texts", "reads the texts again"),
    ] {
        let ran = place.run(&format!("index create news {options}"));
        assert_eq!(ran.status, 2, "{options}");
        assert!(ran.stderr.contains(message), "{options}: {}", ran.stderr);
        assert!(!place.exists("news"), "{options}");
    }
    place.run("index create news --method minhash").ok();
    for fixed in [
        "--seed 2",
        "--sketch-size 100",
        "--recall 0.9",
        "--sketch permutations",
        "--estimate",
        "--min-common 2",
    ] {
        let ran = place.run(&format!("check five.jsonl --index news {fixed}"));
        assert_eq!(ran.status, 2, "{fixed}");
        assert!(ran.stderr.contains("was settled when"), "{}", ran.stderr);
    }
}

#[test]
fn inspect_shows_sketches() {
    let place = Place::new();
    place
        .write("a.txt", "one two three four")
        .write("b.txt", "...");
    let seen = |file: &str, options: &str| {
        let ran = place.run(&format!(
            "inspect {file} --method minhash --shingle 2 {options}"
        ));
        ran.ok().json().remove(0)
    };
    let permutations = seen("a.txt", "");
    assert_eq!(permutations["shingles"], json!({"count": 3, "distinct": 3}));
    let lengths = |name: &str, line: &serde_json::Value| {
        let values = line[name].as_array().unwrap().iter();
        values
            .map(|value| value.as_str().unwrap().len())
            .collect::<Vec<_>>()
    };
    assert_eq!(lengths("sketch", &permutations), vec![8; 200]);
    assert_eq!(lengths("bands", &permutations), vec![16; 20]);
    let few = seen("a.txt", "--sketch-size 50 --threshold 0.9");
    assert_eq!(
        few["sketch"].as_array().unwrap()[..],
        permutations["sketch"].as_array().unwrap()[..50]
    );
    let smallest = seen("a.txt", "--sketch smallest");
    assert_eq!(lengths("sketch", &smallest), vec![16; 3]);
    assert_eq!(smallest["bands"], json!(null));
    let all = seen("a.txt", "--sketch modulo --sketch-size 1");
    assert_eq!(lengths("sketch", &all), vec![16; 3]);
    let empty = seen("b.txt", "");
    assert_eq!(
        (&empty["sketch"], &empty["bands"]),
        (&json!([]), &json!([]))
    );
    let ran = place.run("inspect a.txt --sketch-size 50");
    assert!(
        ran.stderr.contains("goes with `--method minhash`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn compare_shows_how_far_sketches_agree() {
    let place = texts();
    let ran = place.run("compare a.txt b.txt --method minhash --json --shingle 2");
    let texts = &ran.json()[0];
    assert_eq!(texts["metric"], "resemblance");
    assert_eq!(texts["score"], texts["resemblance"]);
    assert_eq!(texts["compared"], 200);
    let (score, estimate) = (&texts["resemblance"], &texts["agreement"]);
    let apart = (score.as_f64().unwrap() - estimate.as_f64().unwrap()).abs();
    assert!(apart < 0.15, "{score} {estimate}");
    // The estimate decides if it is asked to.
    let ran = place.run(&format!(
        "compare a.txt b.txt --method minhash --estimate --json --shingle 2 --threshold {estimate}"
    ));
    let estimated = &ran.ok().json()[0];
    assert_eq!(estimated["metric"], "agreement");
    assert_eq!(&estimated["score"], estimate);
    assert_eq!(&estimated["resemblance"], score);
    let ran = place.run("compare a.txt c.txt --method minhash --estimate");
    assert_eq!(ran.status, 1);
    assert!(
        ran.stdout.contains("0 of 200 values of the sketches agree")
            && ran
                .stdout
                .contains("agreement 0.000000 is below the threshold of 0.8"),
        "{}",
        ran.stdout
    );
    // Of a text that is the same nothing needs an estimate, though its sketch may be empty.
    place.write("d.txt", "one word").write("e.txt", "One word!");
    place
        .run("compare d.txt e.txt --method minhash --sketch modulo --sketch-size 10000 --estimate")
        .ok();
}
