//! The pictures of the method chapters, each drawn from what the program says of the samples.
//!
//! What is in `docs/pictures` must be what is drawn here; `INSTA_UPDATE=always` writes it. So a picture cannot show what the program
//! no longer does.

use std::collections::BTreeSet;

use serde_json::Value;

use super::accepts;
use super::page::root;
use super::session::Session;
use super::svg::{
    Anchor, BLACK, BLUE, Drawing, GREEN, GREY, ORANGE, PALE_BLUE, PALE_GREY, PALE_ORANGE,
};

const FOLDER: &str = "docs/pictures";

/// Small words, and what stands beside something.
const SMALL: f64 = 13.0;

fn check(name: &str, drawn: &str) {
    let path = root().join(FOLDER).join(name);
    if accepts() {
        std::fs::write(&path, drawn).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == drawn,
        "{FOLDER}/{name} is not what the program draws; INSTA_UPDATE=always draws it"
    );
}

/// What a command prints, as JSON lines.
fn ask(session: &mut Session, command: &str) -> Vec<Value> {
    let said = session.run(command);
    let lines = said.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap()
}

fn strings(value: &Value, name: &str) -> Vec<String> {
    let strings = list(value, name).iter();
    strings
        .map(|one| one.as_str().unwrap().to_owned())
        .collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn the_way_of_a_text() {
    let mut session = Session::new();
    session.run("doublet dedup samples/collection.jsonl -q -o clean");
    let summary = ask(&mut session, "tr -d '\\n' < clean/summary.json").remove(0);
    let count = |name: &str| summary[name].to_string();
    let stages = [
        ("read", format!("{} records", count("read"))),
        ("segment", format!("{} words", count("tokens"))),
        ("fingerprint", "a number a shingle".to_owned()),
        (
            "candidates",
            format!("{} pairs proposed", count("candidates")),
        ),
        ("verify", format!("{} compared", count("verifications"))),
        ("cluster", format!("{} groups", count("clusters"))),
        ("report", format!("{} removed", count("removed"))),
    ];
    let mut drawing = Drawing::new(
        940.0,
        130.0,
        "The stages of a run, with the figures of the sample collection",
    );
    for (at, (stage, figure)) in stages.iter().enumerate() {
        let left = 10.0 + 132.0 * at as f64;
        drawing.rect((left, 20.0), (112.0, 44.0), PALE_BLUE);
        drawing.words((left + 56.0, 47.0), Anchor::Middle, (16.0, BLACK), stage);
        drawing.words((left + 56.0, 84.0), Anchor::Middle, (12.0, GREY), figure);
        if at > 0 {
            let tip = left - 4.0;
            drawing.line(&[(left - 16.0, 42.0), (tip, 42.0)], BLUE, 2.0);
            drawing.line(
                &[(tip - 5.0, 37.0), (tip, 42.0), (tip - 5.0, 47.0)],
                BLUE,
                2.0,
            );
        }
    }
    let below = "doublet dedup samples/collection.jsonl: identical texts become one before pairs are proposed";
    drawing.words((470.0, 116.0), Anchor::Middle, (12.0, GREY), below);
    check("flow.svg", &drawing.finish());
}

/// The words of a text from top to bottom, with its shingles beside them.
fn text_of_shingles(
    drawing: &mut Drawing,
    left: f64,
    turned: bool,
    text: &Value,
    common: &BTreeSet<String>,
) -> usize {
    let tokens = list(text, "tokens");
    let prints = strings(text, "fingerprints");
    let length = tokens.len() - prints.len() + 1;
    let top = |at: usize| 40.0 + 20.0 * at as f64;
    let mut covered = 0;
    for (at, token) in tokens.iter().enumerate() {
        let over = at.saturating_sub(length - 1)..=at.min(prints.len() - 1);
        let is_covered = over
            .into_iter()
            .any(|shingle| common.contains(&prints[shingle]));
        covered += usize::from(is_covered);
        let fill = if is_covered { PALE_BLUE } else { PALE_ORANGE };
        drawing.rect((left, top(at)), (130.0, 18.0), fill);
        let word = token["text"].as_str().unwrap();
        drawing.words(
            (left + 65.0, top(at) + 14.0),
            Anchor::Middle,
            (SMALL, BLACK),
            word,
        );
    }
    for (at, print) in prints.iter().enumerate() {
        let lane = 14.0 + 16.0 * (at % length) as f64;
        let x = if turned {
            left - lane - 6.0
        } else {
            left + 130.0 + lane
        };
        let colour = if common.contains(print) {
            BLUE
        } else {
            PALE_GREY
        };
        drawing.rect(
            (x, top(at) + 2.0),
            (6.0, 20.0 * length as f64 - 6.0),
            colour,
        );
    }
    covered
}

/// The shingles that both texts have, and the number of those of either.
fn common_shingles(a: &Value, b: &Value) -> (BTreeSet<String>, usize) {
    let set = |text| -> BTreeSet<String> { strings(text, "fingerprints").into_iter().collect() };
    let (a, b) = (set(a), set(b));
    (a.intersection(&b).cloned().collect(), a.union(&b).count())
}

#[test]
fn shingles() {
    let mut session = Session::new();
    let mut seen = |name: &str| {
        let command = format!("doublet inspect samples/{name} --stop-words de");
        ask(&mut session, &command).remove(0)
    };
    let (a, b) = (seen("rulff-a.txt"), seen("rulff-b.txt"));
    let (common, all) = common_shingles(&a, &b);
    let title = "Two texts of 22 words, their shingles of five words, and what is common";
    let mut drawing = Drawing::new(620.0, 560.0, title);
    drawing.words((75.0, 28.0), Anchor::Middle, (15.0, BLACK), "rulff-a.txt");
    drawing.words((545.0, 28.0), Anchor::Middle, (15.0, BLACK), "rulff-b.txt");
    let covered = text_of_shingles(&mut drawing, 10.0, false, &a, &common)
        + text_of_shingles(&mut drawing, 480.0, true, &b, &common);
    let words = list(&a, "tokens").len() + list(&b, "tokens").len();
    let said = [
        format!(
            "{} of {all} shingles are common (blue bars): resemblance {:.4}",
            common.len(),
            common.len() as f64 / all as f64
        ),
        format!(
            "{covered} of {words} words lie under them (blue words): coverage {:.4}",
            covered as f64 / words as f64
        ),
    ];
    for (at, line) in said.iter().enumerate() {
        drawing.words(
            (310.0, 510.0 + 22.0 * at as f64),
            Anchor::Middle,
            (14.0, BLACK),
            line,
        );
    }
    check("shingles.svg", &drawing.finish());

    // What is drawn is what the program says.
    let options = "--stop-words de --metric coverage --json";
    let command = format!("doublet compare samples/rulff-a.txt samples/rulff-b.txt {options}");
    let compared = ask(&mut session, &command).remove(0);
    assert_eq!(number(&compared["common"]), common.len() as f64);
    assert!((number(&compared["coverage"]) - covered as f64 / words as f64).abs() < 1e-9);
}

#[test]
fn sketches() {
    let mut session = Session::new();
    let size = 32;
    let options = format!("--stop-words de --method minhash --sketch-size {size}");
    let mut seen = |name: &str| {
        let command = format!("doublet inspect samples/{name} {options}");
        ask(&mut session, &command).remove(0)
    };
    let (a, b) = (seen("rulff-a.txt"), seen("rulff-b.txt"));
    let (common, all) = common_shingles(&a, &b);
    let (a, b) = (strings(&a, "sketch"), strings(&b, "sketch"));
    let mut drawing = Drawing::new(
        820.0,
        260.0,
        "The sketches of two texts, 32 values each, and where they agree",
    );
    let agree = a.iter().zip(&b).filter(|(one, other)| one == other).count();
    for (at, (one, other)) in a.iter().zip(&b).enumerate() {
        let (column, row) = ((at % 8) as f64, (at / 8) as f64);
        let place = (10.0 + 101.0 * column, 10.0 + 52.0 * row);
        let same = one == other;
        drawing.rect(
            place,
            (94.0, 44.0),
            if same { PALE_BLUE } else { "#f3f3f3" },
        );
        let colour = if same { BLUE } else { GREY };
        drawing.words(
            (place.0 + 47.0, place.1 + 18.0),
            Anchor::Middle,
            (SMALL, colour),
            one,
        );
        drawing.words(
            (place.0 + 47.0, place.1 + 36.0),
            Anchor::Middle,
            (SMALL, colour),
            other,
        );
    }
    let said = format!(
        "{agree} of {size} least values agree: {:.4} is estimated, {}/{all} = {:.4} is true. Above rulff-a.txt, below rulff-b.txt",
        agree as f64 / f64::from(size),
        common.len(),
        common.len() as f64 / all as f64
    );
    drawing.words((410.0, 244.0), Anchor::Middle, (14.0, BLACK), &said);
    check("sketches.svg", &drawing.finish());
}

/// The probability of being found by resemblance, for bands that are given or chosen.
fn curve(session: &mut Session, name: &str, options: &str) -> (String, Vec<(f64, f64)>) {
    session.run(&format!(
        "doublet dedup samples/collection.jsonl --method minhash {options} -q -o {name}"
    ));
    let summary = ask(session, &format!("tr -d '\\n' < {name}/summary.json")).remove(0);
    let sketches = &summary["sketches"];
    let bands = list(sketches, "bands");
    let points = list(sketches, "curve").iter();
    let points = points.map(|point| (number(&point[0]), number(&point[1])));
    (format!("{} × {}", bands[0], bands[1]), points.collect())
}

#[test]
fn bands() {
    let mut session = Session::new();
    let curves = [
        (curve(&mut session, "one", ""), BLUE),
        (curve(&mut session, "two", "--bands 9x3"), GREEN),
        (curve(&mut session, "three", "--bands 26x5"), ORANGE),
    ];
    let found = ask(
        &mut session,
        "doublet pairs samples/collection.jsonl --threshold 0.05 -q",
    );
    let (left, bottom, width, height) = (60.0, 330.0, 640.0, 290.0);
    let place = |(x, y): (f64, f64)| (left + width * x, bottom - height * y);
    let mut drawing = Drawing::new(
        820.0,
        420.0,
        "With which probability a pair is found, by its resemblance",
    );
    for step in 0..=5 {
        let at = f64::from(step) / 5.0;
        drawing.line(&[place((0.0, at)), place((1.0, at))], PALE_GREY, 1.0);
        let (x, y) = place((0.0, at));
        drawing.words(
            (x - 8.0, y + 5.0),
            Anchor::End,
            (SMALL, GREY),
            &format!("{at:.1}"),
        );
        let (x, y) = place((at, 0.0));
        drawing.words(
            (x, y + 46.0),
            Anchor::Middle,
            (SMALL, GREY),
            &format!("{at:.1}"),
        );
    }
    drawing.line(&[place((0.8, 0.0)), place((0.8, 1.0))], GREY, 1.0);
    drawing.words(
        (place((0.8, 0.0)).0, 30.0),
        Anchor::Middle,
        (SMALL, GREY),
        "threshold",
    );
    for (at, ((name, points), colour)) in curves.iter().enumerate() {
        let points: Vec<_> = [(0.0, 0.0)]
            .iter()
            .chain(points)
            .copied()
            .map(place)
            .collect();
        drawing.line(&points, colour, 2.5);
        let y = 120.0 + 24.0 * at as f64;
        drawing.line(&[(712.0, y - 4.0), (732.0, y - 4.0)], colour, 2.5);
        drawing.words((738.0, y), Anchor::Start, (SMALL, BLACK), name);
    }
    drawing.words((712.0, 96.0), Anchor::Start, (SMALL, GREY), "bands × rows");
    for pair in &found {
        let (x, _) = place((number(&pair["resemblance"]), 0.0));
        drawing.line(&[(x, bottom + 6.0), (x, bottom + 24.0)], BLUE, 1.5);
    }
    let said = format!(
        "resemblance; a stroke for each of the {} pairs of samples/collection.jsonl above 0.05",
        found.len()
    );
    drawing.words((380.0, 404.0), Anchor::Middle, (14.0, BLACK), &said);
    check("bands.svg", &drawing.finish());
}

#[test]
fn simhash() {
    let mut session = Session::new();
    let names = ["small/a.txt", "small/b.txt", "small/page.html"];
    let prints = names.map(|name| {
        let command = format!("doublet inspect samples/{name} --method simhash");
        let seen = ask(&mut session, &command).remove(0);
        let print = seen["fingerprint"].as_str().unwrap().to_owned();
        u64::from_str_radix(&print, 16).unwrap()
    });
    let title = "The fingerprints of three texts, bit by bit, and where they differ from the first";
    let mut drawing = Drawing::new(860.0, 190.0, title);
    for (row, (name, print)) in names.iter().zip(prints).enumerate() {
        let y = 20.0 + 46.0 * row as f64;
        drawing.words((10.0, y + 17.0), Anchor::Start, (SMALL, BLACK), name);
        for bit in 0..64 {
            let x = 128.0 + 9.6 * f64::from(bit);
            let differs = (prints[0] ^ print) >> (63 - bit) & 1 == 1;
            let fill = match (print >> (63 - bit) & 1 == 1, differs) {
                (true, false) => BLUE,
                (false, false) => PALE_BLUE,
                (true, true) => ORANGE,
                (false, true) => PALE_ORANGE,
            };
            drawing.rect((x, y), (8.4, 24.0), fill);
        }
        let differ = (prints[0] ^ print).count_ones();
        if row > 0 {
            drawing.words(
                (752.0, y + 17.0),
                Anchor::Start,
                (SMALL, ORANGE),
                &format!("{differ} bits differ"),
            );
        }
    }
    let said = "dark: 1, pale: 0; orange: not as in the first. a.txt and b.txt are near-duplicates, page.html is another text";
    drawing.words((430.0, 176.0), Anchor::Middle, (SMALL, GREY), said);
    check("simhash.svg", &drawing.finish());

    let command = "doublet compare samples/small/a.txt samples/small/b.txt --method simhash --json";
    let compared = ask(&mut session, command).remove(0);
    assert_eq!(compared["distance"], (prints[0] ^ prints[1]).count_ones());
}

#[test]
fn terms() {
    let mut session = Session::new();
    session.run("echo 'Meeting moved to Thursday 3pm, room 204, bring the budget draft' > a.txt");
    session.run("echo 'Hi! Meeting moved to Thursday 4 pm - pls bring the budget draft' > b.txt");
    let compared = ask(
        &mut session,
        "doublet compare a.txt b.txt --method terms --json",
    )
    .remove(0);
    let terms = list(&compared, "terms");
    let height = 80.0 + 24.0 * terms.len() as f64;
    let mut drawing = Drawing::new(
        760.0,
        height,
        "The terms of two messages by weight: common ones, and those of one alone",
    );
    let groups = [
        ("both", "in both", BLUE),
        ("a", "in A only", ORANGE),
        ("b", "in B only", GREEN),
    ];
    for (at, (_, name, colour)) in groups.iter().enumerate() {
        let x = 180.0 + 130.0 * at as f64;
        drawing.rect((x, 14.0), (14.0, 14.0), colour);
        drawing.words((x + 20.0, 26.0), Anchor::Start, (SMALL, BLACK), name);
    }
    let (mut common, mut all) = (0.0, 0.0);
    for (at, term) in terms.iter().enumerate() {
        let y = 40.0 + 24.0 * at as f64;
        let weight = number(&term["weight"]);
        let group = groups.iter().find(|group| term["in"] == group.0).unwrap();
        let word = format!(
            "{} ({})",
            term["term"].as_str().unwrap(),
            term["group"].as_str().unwrap()
        );
        drawing.words((170.0, y + 14.0), Anchor::End, (SMALL, BLACK), &word);
        drawing.rect((180.0, y), (60.0 * weight, 18.0), group.2);
        drawing.words(
            (186.0 + 60.0 * weight, y + 14.0),
            Anchor::Start,
            (SMALL, GREY),
            &format!("{weight:.1}"),
        );
        all += weight;
        common += if group.0 == "both" { weight } else { 0.0 };
    }
    let said = format!(
        "blue {common:.1} of {all:.1} in all: duplicate degree {:.4}",
        common / all
    );
    drawing.words((380.0, height - 12.0), Anchor::Middle, (14.0, BLACK), &said);
    check("terms.svg", &drawing.finish());
    assert!((number(&compared["degree"]) - common / all).abs() < 1e-9);
}

#[test]
fn sentences() {
    let mut session = Session::new();
    let command = "doublet check samples/posts.jsonl --against samples/articles.jsonl -q";
    let answers = ask(&mut session, command);
    let of = |answer: &&Value| answer["id"] == "pasted";
    let answer = answers.iter().find(of).unwrap();
    let texts = ask(
        &mut session,
        "cat samples/posts.jsonl samples/articles.jsonl",
    );
    let (scale, top) = (0.8, 40.0);
    let height = |id: &Value| {
        let of = |record: &&Value| record["id"] == *id;
        let text = texts.iter().find(of).unwrap()["text"].as_str().unwrap();
        scale * text.chars().count() as f64
    };
    let sources = list(answer, "sources");
    let all = sources.iter().map(|source| height(&source["id"]) + top);
    let title = "A post that was pasted together, and the passages of its two sources";
    let mut drawing = Drawing::new(720.0, all.sum::<f64>() + 20.0, title);
    let bar = |drawing: &mut Drawing, x: f64, y: f64, id: &Value| {
        drawing.rect((x, y), (110.0, height(id)), PALE_GREY);
        let name = id.as_str().unwrap();
        drawing.words((x + 55.0, y - 8.0), Anchor::Middle, (15.0, BLACK), name);
    };
    bar(&mut drawing, 30.0, top, &answer["id"]);
    let mut begin = top;
    for (source, colour) in sources.iter().zip([BLUE, ORANGE]) {
        bar(&mut drawing, 380.0, begin, &source["id"]);
        for passage in list(source, "passages") {
            let at = |name: &str, from: f64| from + scale * number(&passage[name]);
            let own = (at("start", top), at("end", top));
            let other = (at("source_start", begin), at("source_end", begin));
            drawing.rect((30.0, own.0), (110.0, own.1 - own.0), colour);
            drawing.rect((380.0, other.0), (110.0, other.1 - other.0), colour);
            drawing.ribbon((140.0, own.0, own.1), (380.0, other.0, other.1), colour);
        }
        let share = 100.0 * number(&source["score"]);
        let said = [
            format!("{} sentences,", source["sentences"]),
            format!("{share:.0} % of the words that count"),
        ];
        for (at, line) in said.iter().enumerate() {
            let place = (504.0, begin + 20.0 + 20.0 * at as f64);
            drawing.words(place, Anchor::Start, (14.0, colour), line);
        }
        begin += height(&source["id"]) + top;
    }
    check("sentences.svg", &drawing.finish());
}

#[test]
fn a_sweep() {
    let mut session = Session::new();
    let options = "--truth samples/truth.jsonl --sweep threshold=0.3..0.9:0.1 --errors 0";
    session.run(&format!(
        "doublet eval samples/collection.jsonl {options} -q -o judged"
    ));
    check("sweep.svg", &session.run("cat judged/sweep.svg"));
}
