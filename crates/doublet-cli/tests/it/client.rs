//! `--server`: what is sent to a service, what is made of its answers, and what happens when there are none.

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Place, Ran};
use crate::service::{Heard, Reply, Service, nothing_found, stats};
use crate::wait::wait_until;

/// Runs a command against a service.
fn run(place: &Place, service: &Service, arguments: &str) -> Ran {
    place.run(&format!("{arguments} --server {}", service.url()))
}

/// Answers a batch: each text has what `of` says.
fn answers(request: &Heard, of: impl Fn(&str) -> Value) -> Reply {
    let results: Vec<Value> = request.texts().iter().map(|text| of(text)).collect();
    Reply::json(json!({ "results": results }))
}

/// Records `{"id": n, "text": "text n"}`.
fn records(count: usize) -> String {
    let line = |n| format!("{{\"id\": {n}, \"text\": \"text {n}\"}}\n");
    (0..count).map(line).collect()
}

#[test]
fn answers_are_printed_in_the_order_of_the_input() {
    let came = Arc::new(AtomicUsize::new(0));
    let service = Service::new(move |request, number| {
        came.fetch_max(number, Ordering::SeqCst);
        // The first request is answered after all of three other blocks, one for each of the other threads: these may then wait
        // for its block to be printed.
        if number == 0 {
            wait_until("three other blocks", || came.load(Ordering::SeqCst) >= 9);
        }
        answers(request, |text| {
            let mut answer = nothing_found();
            answer["duplicate"] = text.ends_with('7').into();
            answer
        })
    });
    let place = Place::new();
    // Several files, for blocks do not go from one to the next.
    for file in 1..9 {
        let lines = records(250).replace("\"id\": ", &format!("\"id\": {file}"));
        place.write(&format!("in/{file}.jsonl"), lines);
    }
    let ran = run(&place, &service, "check in --threads 4").ok();
    let ids: Vec<u64> = ran
        .json()
        .iter()
        .map(|line| line["id"].as_u64().unwrap())
        .collect();
    let expected =
        (1..9).flat_map(|file| (0..250).map(move |n| format!("{file}{n}").parse().unwrap()));
    assert_eq!(ids, expected.collect::<Vec<u64>>());
    let copies = ran
        .json()
        .iter()
        .filter(|line| line["duplicate"] == true)
        .count();
    assert_eq!(copies, 8 * 25);
    let heard = service.heard();
    assert_eq!(heard.len(), 8 * 3);
    assert!(heard.iter().all(|request| request.line == "POST /v1/check"));
    assert!(heard.iter().all(|request| request.texts().len() <= 100));
}

#[test]
fn whoever_finds_the_service_busy_or_gone_asks_again() {
    let service = Service::new(|request, number| match number {
        0 => Reply::problem(429, "retry-after: 1\r\n", "too many requests"),
        1 => Reply::HangUp,
        2 => Reply::problem(503, "", "shutting down"),
        _ => answers(request, |_| nothing_found()),
    });
    let place = Place::new();
    place.write("a.jsonl", records(3));
    let start = Instant::now();
    let ran = run(&place, &service, "check a.jsonl");
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert_eq!(ran.json().len(), 3);
    assert_eq!(service.heard().len(), 4);
    assert!(start.elapsed() > Duration::from_secs(1));
}

#[test]
fn an_addition_whose_connection_broke_is_not_made_again() {
    let service = Service::new(|_, _| Reply::HangUp);
    let place = Place::new();
    place.write("a.jsonl", records(3));
    let ran = run(&place, &service, "index add a.jsonl");
    assert_eq!(ran.status, 2);
    assert_eq!(service.heard().len(), 1);
    assert!(
        ran.stderr.contains("the connection broke"),
        "{}",
        ran.stderr
    );
    let service = Service::new(|_, number| match number {
        0 => Reply::problem(429, "", "busy"),
        _ => Reply::json(json!({"added": 3, "replaced": 0})),
    });
    run(&place, &service, "index add a.jsonl").ok();
    assert_eq!(service.heard().len(), 2);
}

#[test]
fn what_the_service_refuses_is_said_with_a_remedy() {
    let place = Place::new();
    place
        .write("a.jsonl", records(1))
        .write("token", "a-token-of-sixteen\n");
    let refuse = |reply: fn() -> Reply, arguments: &str, expected: &[&str]| {
        let service = Service::new(move |_, _| reply());
        let ran = run(&place, &service, arguments);
        assert_eq!(ran.status, 2, "{}", ran.stdout);
        for expected in expected {
            assert!(ran.stderr.contains(expected), "{expected}: {}", ran.stderr);
        }
    };
    refuse(
        || Reply::problem(401, "www-authenticate: Bearer\r\n", "a token is needed"),
        "check a.jsonl",
        &[
            "401, request req-7",
            "a token is needed",
            "--token-file",
            "DOUBLET_TOKEN",
        ],
    );
    refuse(
        || Reply::problem(401, "", "wrong token"),
        "check a.jsonl --token-file token",
        &["wrong token", "is not one of the service's"],
    );
    refuse(
        || Reply::problem(403, "", "this token may only read"),
        "index add a.jsonl",
        &["403", "this token may only read"],
    );
    refuse(
        || Reply::problem(507, "", "\u{1b}[2Jthe disk is full"),
        "index add a.jsonl",
        &["507", "\u{FFFD}[2Jthe disk is full"],
    );
    refuse(
        || Reply::Page(404, ""),
        "check a.jsonl",
        &["404 Not Found", "is the address right?"],
    );
    refuse(
        || Reply::Page(301, "location: https://other.example/v1/check\r\n"),
        "check a.jsonl",
        &["sends elsewhere", "https://other.example/v1/check"],
    );
    refuse(
        || Reply::json(json!({"results": []})),
        "check a.jsonl",
        &["asked about 1 texts and answers about 0"],
    );
    refuse(
        || Reply::json(json!({"other": 1})),
        "check a.jsonl",
        &["cannot understand"],
    );
}

#[test]
fn a_service_that_is_not_there_is_told_at_once() {
    let place = Place::new();
    place.write("a.jsonl", records(1));
    // A port that is taken, where nobody listens: that of a client.
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = TcpStream::connect(other.local_addr().unwrap()).unwrap();
    let url = format!("http://{}", taken.local_addr().unwrap());
    let ran = place.run(&format!("check a.jsonl --server {url}"));
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("is `doublet serve` running there?"),
        "{}",
        ran.stderr
    );
    // Nor is one asked a second time that hangs up, or is not ready.
    let replies: [fn() -> Reply; 2] = [
        || Reply::HangUp,
        || Reply::problem(503, "", "not ready yet"),
    ];
    for reply in replies {
        let service = Service::always(reply);
        let ran = run(&place, &service, "check a.jsonl");
        assert_eq!(ran.status, 2, "{}", ran.stderr);
        assert_eq!(service.tries(), 1, "{}", ran.stderr);
    }
    for (arguments, expected) in [
        (
            "check a.jsonl --server localhost:8080",
            "no address of a service",
        ),
        (
            "check a.jsonl --server http://127.0.0.1:1 --token-file nowhere",
            "cannot read a token",
        ),
        (
            "check a.jsonl --server https://127.0.0.1:1 --ca a.jsonl",
            "holds no certificate",
        ),
        ("check a.jsonl --token-file a", "--server"),
        (
            "check a.jsonl --server http://127.0.0.1:1 --index a",
            "cannot be used with",
        ),
        (
            "check a.jsonl --server http://127.0.0.1:1 --against a",
            "cannot be used with",
        ),
        ("check --server http://127.0.0.1:1", "<INPUT>"),
        ("check a.jsonl --ping", "--ping"),
        ("check --ping", "--server"),
        ("index add", "or `--server URL` and the texts"),
        ("index add a.jsonl", "give the texts to add"),
        ("index remove", "or `--server URL` and the ids"),
        ("index remove a.jsonl", "give the ids of the texts"),
        (
            "index add a b --server http://127.0.0.1:1 --commit-every 5",
            "cannot be used with",
        ),
        (
            "index add a.jsonl --server http://127.0.0.1:1 --renumber",
            "--renumber",
        ),
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.status, 2, "{arguments}");
        assert!(ran.stderr.contains(expected), "{arguments}: {}", ran.stderr);
    }
}

#[test]
fn options_go_along_and_what_is_settled_is_refused() {
    let service = Service::new(|request, _| answers(request, |_| nothing_found()));
    let place = Place::new();
    place
        .write("a.jsonl", records(1))
        .write("token", "a-token-of-sixteen\n");
    run(
        &place,
        &service,
        "check a.jsonl --min-share 0.25 --min-sentences 5 --top 3 --token-file token",
    );
    run(
        &place,
        &service,
        "check a.jsonl --min-sentences off --top all",
    );
    run(&place, &service, "check a.jsonl");
    let heard = service.heard();
    let documents = json!([{"text": "text 0"}]);
    assert_eq!(
        heard[0].json(),
        json!({"documents": documents, "threshold": 0.25, "min_sentences": 5, "top": 3})
    );
    assert!(
        heard[0]
            .head
            .to_lowercase()
            .contains("authorization: bearer a-token-of-sixteen")
    );
    assert_eq!(
        heard[1].json(),
        json!({"documents": documents, "min_sentences": "off", "top": "all"})
    );
    assert!(!heard[1].head.to_lowercase().contains("authorization"));
    assert_eq!(heard[2].json(), json!({"documents": documents}));
    for (option, expected) in [
        (
            "--method shingles",
            "was settled when the index of the service was made",
        ),
        ("--max-occurrences 5", "goes with `--index`"),
        ("--stats s.json", "cannot be used with"),
    ] {
        let ran = run(&place, &service, &format!("check a.jsonl {option}"));
        assert_eq!(ran.status, 2);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
}

#[test]
fn the_token_may_come_from_the_environment_but_not_from_the_command_line() {
    let service = Service::new(|request, _| answers(request, |_| nothing_found()));
    let place = Place::new();
    place.write("a.jsonl", records(1));
    let mut command = place.command(&format!("check a.jsonl --server {}", service.url()));
    let output = command
        .env("DOUBLET_TOKEN", "from-the-environment")
        .output();
    assert_eq!(output.unwrap().status.code(), Some(1));
    let head = service.heard()[0].head.to_lowercase();
    assert!(
        head.contains("authorization: bearer from-the-environment"),
        "{head}"
    );
    let ran = run(&place, &service, "check a.jsonl --token secret");
    assert_eq!(ran.status, 2);
}

#[test]
fn passages_of_markup_stand_where_they_stand_in_the_input() {
    let page = "<html><body><p>Zürich &amp; <b>Bern</b> are towns.</p></body></html>";
    let service = Service::new(|request, _| {
        answers(request, |text| {
            let start = text.find("Bern").unwrap();
            let start = text[..start].chars().count();
            json!({"duplicate": true, "share": 0.5, "found": 3, "sources": [
                {"id": "x", "score": 0.5, "metric": "resemblance", "resemblance": 0.5, "coverage": 0.25,
                 "containment_a": 0.5, "containment_b": 1, "coverage_a": 0.0078125, "coverage_b": 0.333333,
                 "passages": [{"start": start, "end": start + 4, "source_start": 2, "source_end": 6}]},
                {"id": 1.50, "score": 0.25, "passages": []},
            ]})
        })
    });
    let place = Place::new();
    place.write("a.html", page);
    let ran = run(&place, &service, "check a.html").ok();
    let start = page.chars().count() - page[page.find("Bern").unwrap()..].chars().count();
    let expected = format!(
        "{{\"id\": \"a.html\", \"duplicate\": true, \"share\": 0.500000, \"sources\": [{{\"id\": \"x\", \"score\": 0.500000, \"metric\": \"resemblance\", \
         \"resemblance\": 0.500000, \"coverage\": 0.250000, \"containment_a\": 0.500000, \"containment_b\": 1.000000, \"coverage_a\": 0.007813, \"coverage_b\": 0.333333, \
         \"passages\": [{{\"start\": {start}, \"end\": {}, \"source_start\": 2, \"source_end\": 6}}]}}, {{\"id\": 1.5, \"score\": 0.250000, \"passages\": []}}]}}\n",
        start + 4
    );
    assert_eq!(ran.stdout.replace("\"a.html:1\"", "\"a.html\""), expected);
}

#[test]
fn texts_that_the_service_does_not_take_are_rejected() {
    let place = Place::new();
    let long = "word ".repeat(1000);
    let controls = "\u{1}".repeat(4000);
    let lines = [
        json!({"id": 1, "text": "short"}),
        json!({"id": 2, "text": long}),
        json!({"id": 3, "text": controls}),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    place.write("a.jsonl", lines + "not JSON\n");
    let mut limited = stats();
    limited["limits"]["body_bytes"] = 20_000.into();
    let service = Service::with_stats(limited, |request, _| match request.line.contains("check") {
        true => answers(request, |_| nothing_found()),
        false => Reply::json(json!({"added": 1, "replaced": 0})),
    });
    for command in ["check a.jsonl", "index add a.jsonl"] {
        let ran = run(&place, &service, command);
        assert!(
            ran.stderr.contains("3 records were rejected"),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr
                .contains("a.jsonl:2: the text has 5000 bytes and the service takes 4096"),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains("a.jsonl:3: written as JSON"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("a.jsonl:4: "), "{}", ran.stderr);
        let ran = run(&place, &service, &format!("{command} --strict"));
        assert_eq!(ran.status, 2);
        assert!(ran.stderr.contains("--strict"), "{}", ran.stderr);
    }
}

#[test]
fn additions_go_as_lines_in_order_and_say_what_came_of_them() {
    let place = Place::new();
    let many: String = (0..30_000)
        .map(|n| format!("{{\"id\": {n}, \"text\": \"{}\"}}\n", "a word ".repeat(40)))
        .collect();
    place
        .write("a.jsonl", &many)
        .write("b.txt", "a text \"with\" quotes");
    let mut stats = stats();
    stats["limits"]["body_bytes"] = (16 << 20).into();
    stats["documents"] = 29_999.into();
    let service = Service::with_stats(stats, |request, number| {
        let lines = request.body.lines().count();
        let mut answer = json!({"added": lines, "replaced": 0, "empty": 1});
        if number == 1 {
            answer = json!({"added": lines - 1, "replaced": 2, "rejected_count": 1,
                "rejected": [{"line": 3, "reason": "too odd"}]});
        }
        Reply::json(answer)
    });
    let ran = run(&place, &service, "index add a.jsonl b.txt").ok();
    let heard = service.heard();
    assert!(heard.len() > 1);
    let bodies: String = heard.iter().map(|request| request.body.as_str()).collect();
    let ids = bodies
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone());
    let mut expected: Vec<Value> = (0..30_000).map(Value::from).collect();
    expected.push("b.txt:1".into());
    assert_eq!(
        ids.map(|id| if id == "b.txt" { "b.txt:1".into() } else { id })
            .collect::<Vec<_>>(),
        expected
    );
    for request in &heard {
        assert_eq!(request.line, "POST /v1/documents");
        assert!(
            request
                .head
                .to_lowercase()
                .contains("content-type: application/x-ndjson")
        );
        assert!(request.body.len() <= 4 << 20);
    }
    let first = heard[0].body.lines().count();
    assert!(
        ran.stderr.contains(&format!(
            "30,000 texts added (2 replaced, {} without a word); the index holds 29,999",
            heard.len() - 1
        )),
        "{}",
        ran.stderr
    );
    let place_of_it = format!("a.jsonl:{}: too odd", first + 3);
    assert!(
        ran.stderr.contains(&place_of_it),
        "{place_of_it} {}",
        ran.stderr
    );
}

#[test]
fn what_was_added_before_an_error_is_said() {
    let place = Place::new();
    let lines: String = (0..9)
        .map(|n| format!("{{\"id\": {n}, \"text\": \"{}\"}}\n", "a word ".repeat(400)))
        .collect();
    place.write("a.jsonl", lines);
    let mut limited = stats();
    limited["limits"]["body_bytes"] = 10_000.into();
    let service = Service::with_stats(limited, |request, number| match number {
        0 => Reply::json(json!({"added": request.body.lines().count()})),
        _ => Reply::problem(507, "", "the disk is full: make room"),
    });
    let ran = run(&place, &service, "index add a.jsonl");
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr
            .contains("stopped after 3 texts added, which stay"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("the disk is full: make room"),
        "{}",
        ran.stderr
    );
}

#[test]
fn removals_name_ids_of_any_characters() {
    let place = Place::new();
    place.write("ids.txt", "c d\n");
    let service = Service::new(|request, _| match request.line.contains("gone") {
        true => Reply::problem(404, "", "no such document"),
        false => Reply::json(json!({"removed": true})),
    });
    let ran = run(&place, &service, "index remove a/b?ü gone --ids ids.txt").ok();
    let lines: Vec<String> = service
        .heard()
        .into_iter()
        .map(|request| request.line)
        .collect();
    assert_eq!(
        lines,
        [
            "DELETE /v1/documents?id=a%2Fb%3F%C3%BC",
            "DELETE /v1/documents?id=gone",
            "DELETE /v1/documents?id=c%20d"
        ]
    );
    assert!(
        ran.stderr.contains("2 texts removed; the index holds 5"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("no text has the id gone"),
        "{}",
        ran.stderr
    );
    assert_eq!(run(&place, &service, "index remove gone").status, 1);
    // Another service, which has no documents at all.
    let service = Service::new(|_, _| Reply::Page(404, ""));
    assert_eq!(run(&place, &service, "index remove x").status, 2);
}

#[test]
fn a_ping_asks_whether_the_service_is_ready() {
    let place = Place::new();
    let service = Service::new(|request, number| {
        assert_eq!(request.line, "GET /readyz");
        match number {
            0 => Reply::json(json!({})),
            _ => Reply::problem(503, "", "the disk failed: writes are refused"),
        }
    });
    run(&place, &service, "check --ping").ok();
    let ran = run(&place, &service, "check --ping");
    assert_eq!(ran.status, 1);
    assert!(
        ran.stderr.contains("is not ready: the disk failed"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        place.run("check --ping --server http://127.0.0.1:1").status,
        2
    );
}
