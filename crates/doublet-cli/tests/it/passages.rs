//! `doublet dedup --remove passages`: what leaves later documents, and what is told of it.

use serde_json::{Value, json};

use crate::harness::Place;

const BRIDGE: &str = "The bridge was opened on Monday. Hundreds of people came to watch. The mayor spoke for an hour.";
const STATION: &str = "Trains stopped at the new station. Tickets became cheaper than before. The old line was closed.";
const RUN: &str = "--method sentences --remove passages --quiet";

fn record(id: &str, text: &str) -> String {
    json!({"id": id, "text": text}).to_string() + "\n"
}

/// Two originals, one text with a paragraph of each, one of nothing else, one copy, and one other text.
fn six() -> String {
    let own = "Our reporter was there early. Coffee was hard to find.";
    let both = format!("{own}\n\n{BRIDGE}\n\nNobody had expected such crowds.\n\n{STATION}");
    [
        record("bridge", BRIDGE),
        record("station", STATION),
        record("both", &both),
        record("glued", &format!("{STATION}\n\n{BRIDGE}")),
        record("copy", &both),
        record(
            "other",
            "Snow fell in the mountains overnight. Roads stayed closed until noon.",
        ),
    ]
    .concat()
}

#[test]
fn later_documents_lose_what_earlier_ones_have() {
    let place = Place::new();
    place.write("in.jsonl", six());
    let ran = place
        .run("dedup in.jsonl -o out --method sentences --remove passages --threads 2")
        .ok();
    assert!(
        ran.stderr
            .contains("1 shortened by 2 passages: 6 sentences, "),
        "{}",
        ran.stderr
    );
    insta::assert_snapshot!("passages-kept", place.read("out/kept.jsonl"));
    insta::assert_snapshot!("passages-removed", place.read("out/removed.jsonl"));
    let summary = place.summary("out");
    for (name, expected) in [
        ("read", 6),
        ("kept", 4),
        ("removed", 2),
        ("empty", 0),
        ("rejected", 0),
        ("shortened", 1),
        ("passages", 2),
        ("sentences_removed", 6),
    ] {
        assert_eq!(summary[name], expected, "{name}");
    }
    assert_eq!(summary["options"]["remove"], "passages");
    assert_eq!(summary["options"]["min-sentences"], 3);
    assert!(place.exists("out/pairs.jsonl") && place.exists("out/clusters.jsonl"));
    let page = place.read("out/report.html");
    for part in [
        "Longest passages cut",
        "<strong>4 were kept</strong>, 1 of them shortened",
        "1 text lost 2 passages",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_few_shared_sentences_cut_nothing() {
    let place = Place::new();
    let mut own: String = (0..9)
        .map(|n| format!("Chapter {n} tells of another journey north. "))
        .collect();
    let (two, three) = (BRIDGE.rsplit_once(". ").unwrap().0, BRIDGE);
    let first = record("a", BRIDGE);
    place.write(
        "two.jsonl",
        first.clone() + &record("b", &format!("{own}{two}.")),
    );
    place.run(&format!("dedup two.jsonl -o two {RUN}")).ok();
    assert_eq!(place.read("two/kept.jsonl"), place.read("two.jsonl"));
    place.write(
        "three.jsonl",
        first + &record("b", &format!("{own}{three}")),
    );
    place.run(&format!("dedup three.jsonl -o three {RUN}")).ok();
    own.pop();
    assert_eq!(place.lines("three/kept.jsonl")[1]["text"], own);
    place
        .run(&format!(
            "dedup three.jsonl -o off {RUN} --min-sentences off"
        ))
        .ok();
    assert_eq!(place.summary("off")["shortened"], 0);
}

#[test]
fn references_come_first_and_are_never_touched() {
    let place = Place::new();
    place.write("in.jsonl", six());
    place.write("old.html", format!("<h1>News</h1><p>{STATION}</p>"));
    place
        .run(&format!("dedup in.jsonl --against old.html -o out {RUN}"))
        .ok();
    let removed = place.lines("out/removed.jsonl");
    assert_eq!(
        (&removed[0]["id"], &removed[0]["representative"]),
        (&json!("station"), &json!("old.html"))
    );
    let sources: Vec<&Value> = removed
        .iter()
        .map(|line| &line["source"])
        .filter(|source| source.is_string())
        .collect();
    assert_eq!(sources, ["bridge", "old.html"]);
    // The place of a passage is that in the page, markup counted.
    assert_eq!(removed[2]["source_start"], 16);
}

#[test]
fn a_dry_run_writes_all_but_the_kept_records() {
    let place = Place::new();
    place.write("in.jsonl", six());
    place
        .run(&format!("dedup in.jsonl -o out {RUN} --dry-run"))
        .ok();
    assert!(!place.exists("out/kept.jsonl"));
    assert_eq!(place.lines("out/removed.jsonl").len(), 4);
    assert_eq!(place.summary("out")["shortened"], 1);
}

#[test]
fn every_format_is_shortened_in_place() {
    let place = Place::new();
    let nested = |id: u32, text: &str| {
        let text = text.replace('é', "\\u00e9");
        format!("{{\"id\": {id},  \"a\":{{\"b\" : \"{text}\"}}, \"x\":[1.0]}}\r\n")
    };
    let (first, second) = (
        BRIDGE,
        format!("Été à la mer. {BRIDGE} Snow fell in the mountains overnight."),
    );
    let short = "Été à la mer. Snow fell in the mountains overnight.";
    place.write("in.jsonl", nested(1, first) + &nested(2, &second));
    place
        .run(&format!("dedup in.jsonl -o jsonl {RUN} --text-field a.b"))
        .ok();
    assert_eq!(
        place.read("jsonl/kept.jsonl"),
        nested(1, first) + &nested(2, short)
    );

    let row = |text: &str| format!("\"x, \"\"y\"\"\",\"{}\"\r\n", text.replace(". S", ".\nS"));
    place.write(
        "in.csv",
        format!("\u{feff}id,text\r\n1,{first}\r\n{}", row(&second)),
    );
    place.run(&format!("dedup in.csv -o csv {RUN}")).ok();
    assert_eq!(
        place.read("csv/kept.csv"),
        format!("id,text\n1,{first}\r\n{}", row(short))
    );

    place.write("in.tsv", format!("text\tid\n{first}\t1\n{second}\t2\n"));
    place.run(&format!("dedup in.tsv -o tsv {RUN}")).ok();
    assert_eq!(
        place.read("tsv/kept.tsv"),
        format!("text\tid\n{first}\t1\n{short}\t2\n")
    );

    place.write(
        "lines.txt",
        format!("{first}\r\n{second}\r\n{first}\r\n\r\n"),
    );
    place
        .run(&format!("dedup lines.txt -o lines {RUN} --format lines"))
        .ok();
    assert_eq!(
        place.read("lines/kept.txt"),
        format!("{first}\r\n{short}\r\n\r\n")
    );

    place
        .write("texts/a.txt", first)
        .write("texts/b.txt", format!("\u{feff}{second}\r\n"));
    place.run(&format!("dedup texts -o texts-out {RUN}")).ok();
    assert_eq!(place.read("texts-out/kept/a.txt"), first);
    assert_eq!(
        place.read("texts-out/kept/b.txt"),
        format!("\u{feff}{short}\r\n")
    );
}

#[test]
fn output_is_the_same_for_any_threads_and_memory() {
    let place = Place::new();
    let lines: String = (0..600)
        .map(|n| {
            let sentence = |k: usize| {
                format!(
                    "Sentence number {} speaks of town {}. ",
                    (n * 7 + k * k) % 211,
                    (n * 7 + k * k) % 211
                )
            };
            let text: String = (0..12).map(sentence).collect();
            record(&n.to_string(), &text)
        })
        .collect();
    place.write("in.jsonl", lines);
    let outputs: Vec<Vec<String>> = [(1, "4G"), (2, "1M"), (8, "50M")]
        .iter()
        .map(|(threads, memory)| {
            let out = format!("out-{threads}");
            place
                .run(&format!(
                    "dedup in.jsonl -o {out} {RUN} --threads {threads} --memory {memory}"
                ))
                .ok();
            let files = [
                "kept.jsonl",
                "removed.jsonl",
                "pairs.jsonl",
                "clusters.jsonl",
            ];
            files
                .iter()
                .map(|file| place.read(&format!("{out}/{file}")))
                .collect()
        })
        .collect();
    assert!(outputs[0][1].lines().count() >= 100);
    assert!(outputs.iter().all(|output| *output == outputs[0]));
    place
        .run(&format!("dedup out-1/kept.jsonl -o again {RUN}"))
        .ok();
    assert_eq!(place.read("again/removed.jsonl"), "");
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_written() {
    let place = Place::new();
    place
        .write("in.jsonl", six())
        .write("page.html", "<p>One.</p>");
    for (arguments, parts) in [
        (
            "in.jsonl --remove passages",
            ["--remove passages", "--method sentences"],
        ),
        (
            "in.jsonl --remove passages --method imatch",
            ["--method sentences", "imatch"],
        ),
        (
            "in.jsonl --remove passages --method sentences --keep longest",
            ["--keep longest", "order of the input"],
        ),
        (
            "in.jsonl --remove passages --method sentences --linkage star",
            ["--linkage star", "order of the input"],
        ),
        (
            "in.jsonl page.html --remove passages --method sentences",
            ["page.html", "markup"],
        ),
    ] {
        let ran = place.run(&format!("dedup {arguments} -o out"));
        assert_eq!(ran.status, 2, "{arguments}");
        for part in parts {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
        assert!(!place.exists("out"), "{arguments}");
    }
}
