//! Requests that mean harm, or are broken: each is refused or answered, and the service goes on.

use proptest::prelude::*;
use serde_json::json;

use crate::harness::{Answer, NEWS, Place, Sent};

/// Sends bytes and reads all answers until the connection is closed.
fn raw(place: &Place, bytes: &[u8]) -> Vec<Answer> {
    let mut connection = place.connect();
    connection.write(bytes);
    connection.end();
    std::iter::from_fn(|| connection.try_answer(false)).collect()
}

fn statuses(place: &Place, bytes: impl AsRef<[u8]>) -> Vec<u16> {
    raw(place, bytes.as_ref())
        .iter()
        .map(|answer| answer.status)
        .collect()
}

#[test]
fn broken_json_is_refused_with_its_place() {
    let place = Place::new();
    let deep = format!("{{\"text\": {}", "[".repeat(100_000));
    let deep_id = format!(
        "{{\"text\": \"\", \"id\": {}{}}}",
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    let nested = format!(
        "{}{}",
        "{\"documents\": [".repeat(5_000),
        "]}".repeat(5_000)
    );
    for (body, kinds) in [
        ("", &["bad-json"][..]),
        ("{", &["bad-json"]),
        ("{\"text\": \"x\"", &["bad-json"]),
        ("{\"text\": \"x\"} {}", &["bad-json"]),
        ("{\"text\": \"\\ud800\"}", &["bad-json"]),
        ("{\"text\": \"\u{1}\"}", &["bad-json"]),
        ("{'text': 'x'}", &["bad-json"]),
        ("{\"text\": NaN}", &["bad-json"]),
        ("nonsense", &["bad-json"]),
        (&deep, &["wrong-fields", "bad-json"]),
        (&deep_id, &["wrong-fields", "bad-json"]),
        (&nested, &["wrong-fields", "bad-json"]),
    ] {
        for path in [
            "/v1/check",
            "/v1/check?add=true",
            "/v1/documents",
            "/v1/compare",
        ] {
            let answer = place.post(path, body);
            let problem = answer.json();
            let kind = problem["type"]
                .as_str()
                .unwrap()
                .trim_start_matches("/problems/")
                .to_owned();
            assert!(
                kinds.contains(&&*kind)
                    || (path == "/v1/compare" && kind == "wrong-fields")
                    || (path == "/v1/documents" && kind == "wrong-fields"),
                "{path} {problem}"
            );
            assert!(problem["detail"].as_str().unwrap().len() < 1000);
        }
    }
    let problem = place
        .post("/v1/check", "{\n \"text\": x}")
        .problem(400, "bad-json");
    assert_eq!(
        (&problem["line"], &problem["column"]),
        (&json!(2), &json!(10))
    );
    let request = Sent::new("POST", "/v1/check")
        .json("")
        .body(b"{\"text\": \"\xff\"}".to_vec());
    place.send(&request).problem(400, "bad-json");
    let lines = Sent::new("POST", "/v1/documents")
        .lines(b"\xff\xfe\n{\"id\": 1, \"text\": \"\xc3\"}\n".to_vec());
    assert_eq!(place.send(&lines).ok(200)["rejected_count"], 2);
}

#[test]
fn broken_heads_are_refused() {
    let place = Place::new();
    for head in [
        "\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nHost localhost\r\n\r\n",
        "GET / HTTP/1.1\r\n: x\r\nHost: localhost\r\n\r\n",
        "GET /\u{0} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: local\u{0}host\r\n\r\n",
        "G\u{e9}T / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}",
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: +5\r\n\r\n{    }",
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    ] {
        let found = statuses(&place, head);
        assert!(
            found.iter().all(|status| (400..500).contains(status)),
            "{head:?}: {found:?}"
        );
        assert!(found.len() <= 1, "{head:?}: {found:?}");
    }
    place.get("/healthz").ok(200);
}

#[test]
fn no_second_request_is_smuggled_in() {
    let place = Place::new();
    let hidden = "DELETE /v1/documents/1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    place
        .post("/v1/documents", json!({"id": 1, "text": NEWS}))
        .ok(201);
    let head = "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let body = "{\"text\": \"x\"}";
    for request in [
        // Two lengths that differ.
        format!("{head}Content-Length: 13\r\nContent-Length: 99\r\n\r\n{body}{hidden}"),
        format!("{head}Content-Length: 13, 99\r\n\r\n{body}{hidden}"),
        // Length and chunks, in either order: what comes behind the chunks is not believed.
        format!("{head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{head}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n{hidden}"),
        format!(
            "{head}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n{hidden}"
        ),
        format!("{head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{hidden}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n-1\r\n{hidden}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\nd\r\n{body}{hidden}"),
        format!(
            "{}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}",
            head.replace("1.1", "1.0")
        ),
    ] {
        let found = statuses(&place, &request);
        assert!(found.len() <= 1, "{request:?}: {found:?}");
        assert!(
            found.iter().all(|status| *status >= 400),
            "{request:?}: {found:?}"
        );
        place.get("/v1/documents/1").ok(200);
    }
}

#[test]
fn requests_one_after_the_other_are_answered_in_order() {
    let place = Place::new();
    let mut many = Vec::new();
    for number in 0..50 {
        let request = match number % 3 {
            0 => Sent::new("POST", "/v1/check").json(json!({"id": number, "text": NEWS})),
            1 => Sent::new("GET", "/healthz").header("X-Request-Id", &format!("r{number}")),
            _ => Sent::new("POST", "/v1/check").json("{"),
        };
        many.extend(request.bytes());
    }
    let answers = raw(&place, &many);
    assert_eq!(answers.len(), 50);
    for (number, answer) in answers.iter().enumerate() {
        match number % 3 {
            0 => assert_eq!(answer.ok(200)["id"], number),
            1 => assert_eq!(answer.header("x-request-id"), Some(&*format!("r{number}"))),
            _ => drop(answer.problem(400, "bad-json")),
        }
    }
}

#[test]
fn nothing_that_is_sent_comes_back_as_markup() {
    let place = Place::new();
    let markup = "<script>alert(1)</script>";
    let answers = [
        place.get(&format!("/{}", crate::harness::encoded(markup))),
        place.get("/<script>alert(1)</script>"),
        place.get(&format!(
            "/v1/documents/{}",
            crate::harness::encoded(markup)
        )),
        place.get(&format!(
            "/v1/documents?{}=1",
            crate::harness::encoded(markup)
        )),
        place.post("/v1/check", format!("{{\"{markup}\": 1}}")),
        place.post(
            "/v1/check",
            format!("{{\"text\": \"x\", \"top\": \"{markup}\"}}"),
        ),
        place.post(
            "/v1/check",
            format!("{{\"id\": \"{markup}\", \"text\": \"{markup}\"}}"),
        ),
        place.send(&Sent::new("GET", "/healthz").header("X-Request-Id", markup)),
        place.send(&Sent::new(&"X".repeat(30), "/healthz")),
        place.send(&Sent::new("GET", "/healthz").header("Host", markup)),
        place.send(&Sent::new("GET", "/healthz").header("Origin", markup)),
        place.send(
            &Sent::new("POST", "/v1/check")
                .json("{}")
                .header("Content-Type", markup),
        ),
    ];
    for answer in answers {
        let kind = answer.header("content-type").unwrap_or_default();
        assert!(
            kind.starts_with("application/") || answer.body.is_empty(),
            "{answer:?}"
        );
        assert!(
            answer.headers.iter().all(|(_, value)| !value.contains('<')),
            "{answer:?}"
        );
        // What is no request at all is refused before anybody looks at it, by a head alone.
        let bare = answer.header("x-request-id").is_none();
        assert!(!bare || (answer.status == 400 && answer.body.is_empty()));
        assert!(bare || answer.header("x-content-type-options") == Some("nosniff"));
    }
}

#[test]
fn every_answer_has_what_keeps_browsers_safe() {
    let place = Place::new();
    let answers = [
        place.get("/"),
        place.get("/none"),
        place.get("/v1/stats"),
        place.get("/metrics"),
        place.get("/openapi.json"),
        place.get("/v1/documents?x=1"),
        place.send(&Sent::new("OPTIONS", "/v1/check")),
        place.send(&Sent::new("HEAD", "/")),
        place.send(&Sent::new("PUT", "/v1/check")),
        place.send(&Sent::new("GET", "/").header("Host", "evil.example")),
        place.post("/v1/check", "{"),
        place.post("/v1/check", json!({"text": NEWS})),
        place.post("/v1/documents", json!({"id": 1, "text": NEWS})),
    ];
    for answer in answers {
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{answer:?}"
        );
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert!(!policy.contains("unsafe"));
        assert!(answer.header("cache-control").is_some());
        assert!(answer.header("x-request-id").is_some());
        assert!(answer.header("server").is_none());
    }
    assert_eq!(
        place.get("/v1/stats").header("cache-control"),
        Some("no-store")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_is_sent_the_service_goes_on(bytes in proptest::collection::vec(any::<u8>(), 0..200), start in 0usize..5) {
        let place = place();
        let starts = ["", "GET / HTTP/1.1\r\n", "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 150\r\n\r\n",
            "POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n",
            "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Encoding: zstd\r\nContent-Length: 100\r\n\r\n"];
        let mut sent = starts[start].as_bytes().to_vec();
        sent.extend_from_slice(&bytes);
        for answer in raw(place, &sent) {
            prop_assert!(answer.status < 500, "{:?}", answer);
        }
        prop_assert_eq!(place.get("/healthz").status, 200);
    }
}

fn place() -> &'static Place {
    static PLACE: std::sync::OnceLock<Place> = std::sync::OnceLock::new();
    PLACE.get_or_init(Place::new)
}
