//! Sizes, numbers, time-outs, overload.

use std::io::Write;
use std::time::Duration;

use serde_json::json;

use crate::harness::{NEWS, Place, Sent};
use crate::wait::wait_until;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

/// The head of a stream of JSON lines that has begun.
fn begun(place: &Place) -> crate::harness::Connection<std::net::TcpStream> {
    let mut connection = place.connect();
    connection.write(b"POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n");
    connection.write(b"1b\r\n{\"id\": 1, \"text\": \"begun\"}\n\r\n");
    connection
}

#[test]
fn bodies_and_texts_have_a_limit() {
    let place = Place::with(|options| {
        options.max_body = 10_000;
        options.max_text = 1000;
    });
    let text = |length: usize| json!({"id": 1, "text": "x".repeat(length)});
    place.post("/v1/check", text(1000)).ok(200);
    let problem = place
        .post("/v1/check", text(1001))
        .problem(413, "too-large");
    assert_eq!(problem["limit"], 1000);
    let batch = json!({"documents": [{"text": ""}, {"text": "x".repeat(1001)}]});
    assert_eq!(
        place.post("/v1/check", batch).problem(413, "too-large")["path"],
        "documents[1].text"
    );
    place
        .post("/v1/documents", text(1001))
        .problem(413, "too-large");
    place
        .post("/v1/compare", json!({"a": "", "b": "x".repeat(1001)}))
        .problem(413, "too-large");
    assert_eq!(
        place
            .post("/v1/check", text(10_000))
            .problem(413, "too-large")["limit"],
        10_000
    );
    let mut connection = place.connect();
    connection.write(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    for _ in 0..20 {
        connection.write(format!("400\r\n{}\r\n", " ".repeat(1024)).as_bytes());
    }
    connection.write(b"0\r\n\r\n");
    connection.answer(false).problem(413, "too-large");
    let lines = format!("{}\n{}\n{}\n", text(1001), "y".repeat(20_000), text(3));
    let streamed = place
        .send(&Sent::new("POST", "/v1/documents").lines(lines))
        .ok(200);
    assert_eq!(
        (&streamed["added"], &streamed["rejected_count"]),
        (&json!(1), &json!(2))
    );
}

#[test]
fn a_body_that_says_it_is_too_large_is_not_asked_for() {
    let place = Place::new();
    let mut connection = place.connect();
    connection.write(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n");
    connection.answer(false).problem(413, "too-large");
    assert!(connection.is_closed());
    let mut connection = place.connect();
    connection.write(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 13\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(connection.answer(true).status, 100);
    connection.write(b"{\"text\": \"x\"}");
    connection.answer(false).ok(200);
}

#[test]
fn packed_bodies_are_unpacked_within_the_limit() {
    let place = Place::with(|options| options.max_body = 100_000);
    let body = json!({"id": 1, "text": NEWS}).to_string();
    let post = |encoding: &str, body: Vec<u8>| {
        let request = Sent::new("POST", "/v1/check")
            .json("")
            .header("Content-Encoding", encoding);
        place.send(&request.body(body))
    };
    post("gzip", gzip(body.as_bytes())).ok(200);
    post("zstd", zstd(body.as_bytes())).ok(200);
    post("identity", body.clone().into_bytes()).ok(200);
    for (encoding, bomb) in [
        ("gzip", gzip(&vec![b' '; 50 << 20])),
        ("zstd", zstd(&vec![b' '; 50 << 20])),
    ] {
        assert!(bomb.len() < 100_000);
        post(encoding, bomb).problem(413, "too-large");
    }
    post("gzip", zstd(body.as_bytes())).problem(400, "bad-request");
    post("zstd", body.clone().into_bytes()).problem(400, "bad-request");
    let whole = gzip(body.as_bytes());
    post("gzip", whole[..whole.len() - 5].to_vec()).problem(400, "bad-request");
    for encoding in ["br", "deflate", "gzip, gzip", "", "gzip;q=1"] {
        post(encoding, whole.clone()).problem(415, "wrong-type");
    }
    let lines = "{\"id\": 1, \"text\": \"one\"}\n".repeat(3);
    for (encoding, packed) in [
        ("gzip", gzip(lines.as_bytes())),
        ("zstd", zstd(lines.as_bytes())),
    ] {
        let request = Sent::new("POST", "/v1/documents")
            .lines(packed)
            .header("Content-Encoding", encoding);
        assert_eq!(place.send(&request).ok(200)["added"], 3);
    }
    let bomb = Sent::new("POST", "/v1/documents")
        .lines(zstd(&vec![b' '; 50 << 20]))
        .header("Content-Encoding", "zstd");
    assert_eq!(place.send(&bomb).ok(200)["rejected_count"], 1);
}

#[test]
fn other_types_are_refused() {
    let place = Place::new();
    let body = json!({"text": "x"});
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json; charset=latin1",
        "",
    ] {
        let request = Sent::new("POST", "/v1/check")
            .json(&body)
            .header("Content-Type", kind);
        place.send(&request).problem(415, "wrong-type");
    }
    let lines = Sent::new("POST", "/v1/check").lines(body.to_string());
    place.send(&lines).problem(415, "wrong-type");
    place
        .send(&Sent::new("POST", "/v1/check").body("{}"))
        .problem(415, "wrong-type");
}

#[test]
fn what_is_too_much_is_refused_and_then_taken_again() {
    let place = Place::with(|options| options.max_requests = 1);
    let mut stream = begun(&place);
    place.wait_for("doublet_requests_at_work", 1.0);
    for _ in 0..10 {
        let refused = place.post("/v1/check", json!({"text": NEWS}));
        refused.problem(429, "overloaded");
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    place.get("/v1/documents").problem(429, "overloaded");
    place.get("/healthz").ok(200);
    stream.write(b"0\r\n\r\n");
    assert_eq!(stream.answer(false).ok(200)["added"], 1);
    place.wait_for("doublet_requests_at_work", 0.0);
    place.post("/v1/check", json!({"text": NEWS})).ok(200);
}

#[test]
fn bodies_that_are_held_have_a_limit_together() {
    let place = Place::with(|options| options.max_bodies = 20_000);
    let mut first = place.connect();
    first.write(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 15013\r\n\r\n");
    first.write(&[b' '; 15_000]);
    place.wait_for("doublet_body_bytes", 15_000.0);
    let body = json!({"text": "x".repeat(9000)});
    let refused = place.post("/v1/check", &body).problem(429, "overloaded");
    assert!(
        refused["detail"].as_str().unwrap().contains("bodies"),
        "{refused}"
    );
    place.post("/v1/check", json!({"text": NEWS})).ok(200);
    first.write(b"{\"text\": \"x\"}");
    first.answer(false).ok(200);
    place.wait_for("doublet_body_bytes", 0.0);
    place.post("/v1/check", &body).ok(200);
}

#[test]
fn streams_have_a_limit() {
    let place = Place::new();
    let mut open: Vec<_> = (0..16).map(|_| begun(&place)).collect();
    place.wait_for("doublet_requests_at_work", 16.0);
    let stream = Sent::new("POST", "/v1/documents").lines("{\"id\": 1, \"text\": \"x\"}");
    place.send(&stream).problem(429, "overloaded");
    place
        .post("/v1/documents", json!({"id": 2, "text": "x"}))
        .ok(201);
    for stream in &mut open {
        stream.write(b"0\r\n\r\n");
        stream.answer(false).ok(200);
    }
    place.send(&stream).ok(200);
}

#[test]
fn bodies_that_come_slowly_are_given_up() {
    let place = Place::with(|options| {
        options.body_timeout = Duration::from_millis(100);
        options.body_rate = 1_000_000;
    });
    let mut pausing = place.connect();
    pausing.write(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"te");
    pausing.answer(false).problem(408, "slow-body");
    assert!(pausing.is_closed());
    let mut dripping = place.connect();
    dripping.write(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n");
    dripping.stream.set_nonblocking(true).unwrap();
    // Never a long pause, but too few bytes a second.
    wait_until("an end of the dripping body", || {
        dripping.stream.write_all(b" ").is_err() || dripping.stream.peek(&mut [0]).is_ok()
    });
    dripping.stream.set_nonblocking(false).unwrap();
    if let Some(answer) = dripping.try_answer(false) {
        answer.problem(408, "slow-body");
    }
    let mut stream = begun(&place);
    let problem = stream.answer(false).problem(408, "slow-body");
    assert_eq!(problem["added"], 0);
    place.get("/healthz").ok(200);
}

#[test]
fn heads_that_come_slowly_are_given_up() {
    let place = Place::with(|options| {
        options.header_timeout = Duration::from_millis(500);
        options.idle_timeout = Duration::from_millis(700);
    });
    let mut silent = place.connect();
    assert!(silent.is_closed());
    let mut slow = place.connect();
    slow.write(b"GET /healthz HTTP/1.1\r\nHost: loc");
    assert!(slow.is_closed());
    let healthy = Sent::new("GET", "/healthz");
    let (mut idle, _) = place.persist(&healthy);
    assert!(idle.is_closed());
    let (mut second, _) = place.persist(&healthy);
    // Where the client is slower than the timeout, the connection is closed already.
    let _closed = second.stream.write_all(b"GET /healthz HTT");
    assert!(second.is_closed());
    let mut dripping = place.connect();
    wait_until("an end of the dripping head", || {
        dripping.stream.write_all(b"x").is_err()
    });
    place.wait_for("doublet_connections", 1.0);
}

#[test]
fn answers_that_nobody_takes_are_given_up() {
    let place = Place::with(|options| options.write_timeout = Duration::from_millis(100));
    let text = "x".repeat(4 << 20);
    place
        .post("/v1/documents", json!({"id": 1, "text": text}))
        .ok(201);
    let mut deaf = place.connect();
    for _ in 0..8 {
        deaf.send(&Sent::new("GET", "/v1/documents/1"));
    }
    place.wait_for("doublet_connections", 1.0);
}

#[test]
fn connections_have_a_limit() {
    let place = Place::with(|options| options.max_connections = 2);
    let mut open: Vec<_> = (0..2).map(|_| place.connect()).collect();
    for connection in &mut open {
        connection.send(&Sent::new("GET", "/healthz"));
        connection.answer(false).ok(200);
    }
    let mut third = place.connect();
    let refused = third.answer(false);
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (503, Some("1"))
    );
    drop(open.pop());
    place.persist(&Sent::new("GET", "/healthz"));
}

#[test]
fn heads_have_a_limit() {
    let place = Place::new();
    let with = |count: usize, length: usize| {
        let mut request = Sent::new("GET", "/healthz");
        for number in 0..count {
            request = request.header(&format!("X-{number}"), &"x".repeat(length));
        }
        place.send(&request)
    };
    with(60, 10).ok(200);
    with(70, 10).problem(431, "headers-too-large");
    with(4, 5000).problem(431, "headers-too-large");
    assert_eq!(with(200, 10).status, 431);
    assert_eq!(with(4, 50_000).status, 431);
    let path = format!("/v1/documents/{}", "x".repeat(17_000));
    place.get(&path).problem(431, "headers-too-large");
    let path = format!("/v1/documents/{}", "x".repeat(2000));
    place.get(&path).problem(422, "wrong-fields");
}

#[test]
fn the_index_holds_no_more_than_allowed() {
    let place = Place::with(|options| options.max_documents = Some(2));
    place
        .post("/v1/documents", json!({"id": 1, "text": "one"}))
        .ok(201);
    place
        .post(
            "/v1/documents",
            json!({"documents": [{"id": 2, "text": "two"}, {"id": 3, "text": "three"}]}),
        )
        .problem(507, "full");
    place
        .post("/v1/documents", json!({"id": 2, "text": "two"}))
        .ok(201);
    let problem = place
        .post("/v1/check?add=true", json!({"id": 3, "text": NEWS}))
        .problem(507, "full");
    assert_eq!(problem["limit"], 2);
    place
        .post("/v1/documents", json!({"id": 2, "text": "again"}))
        .ok(200);
    place.delete("/v1/documents/1").ok(200);
    place
        .post("/v1/documents", json!({"id": 3, "text": "three"}))
        .ok(201);
    assert_eq!(place.get("/v1/stats").ok(200)["documents"], 2);
}
