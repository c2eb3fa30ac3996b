//! Start, end, log, history.

use std::time::Duration;

use doublet_server::{LogFormat, LogRequests, ServeOptions, Server};
use serde_json::{Value, json};

use crate::harness::{NEWS, Place, Sent};

#[test]
fn what_is_in_flight_is_finished_before_the_end() {
    let mut place = Place::new();
    let mut idle = place.connect();
    idle.send(&Sent::new("GET", "/healthz"));
    idle.answer(false).ok(200);
    let mut stream = place.connect();
    stream.write(b"POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n");
    stream.write(b"19\r\n{\"id\": 1, \"text\": \"one\"}\n\r\n");
    place.wait_for("doublet_requests_at_work", 1.0);
    let server = place.take();
    let ending = std::thread::spawn(move || server.stop());
    assert!(idle.is_closed());
    stream.write(b"19\r\n{\"id\": 2, \"text\": \"two\"}\n\r\n0\r\n\r\n");
    assert_eq!(stream.answer(false).ok(200)["added"], 2);
    assert!(stream.is_closed());
    ending.join().unwrap().unwrap();
    let index = doublet::index::Index::open(&place.index()).unwrap();
    assert_eq!(index.info().documents, 2);
}

#[test]
fn what_does_not_end_is_given_up_after_the_grace() {
    let mut place = Place::with(|options| options.grace = Duration::from_millis(100));
    let mut stream = place.connect();
    stream.write(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
    place.wait_for("doublet_connections", 2.0);
    place.stop();
    assert!(stream.is_closed());
}

#[test]
fn a_survey_under_way_does_not_keep_the_service_from_ending() {
    let mut place = Place::new();
    let lines: Vec<String> = (0..2000)
        .map(|id| json!({"id": id, "text": format!("{NEWS} {id}")}).to_string())
        .collect();
    place
        .send(&Sent::new("POST", "/v1/documents").lines(lines.join("\n")))
        .ok(200);
    let mut asking = place.connect();
    asking.send(&Sent::new("GET", "/v1/clusters"));
    place.stop();
}

#[test]
fn one_service_at_a_time() {
    let place = Place::new();
    let options = ServeOptions {
        listen: "127.0.0.1:0".parse().unwrap(),
        ..ServeOptions::default()
    };
    let second = Server::start(&place.index(), options.clone())
        .unwrap_err()
        .to_string();
    assert!(second.contains("another process is writing"), "{second}");
    let nowhere = Server::start(&place.directory.path().join("none"), options.clone()).unwrap_err();
    assert!(nowhere.to_string().contains("index create"), "{nowhere}");
    let taken = ServeOptions {
        listen: place.address(),
        ..options
    };
    let taken = Server::start(&place.index(), taken)
        .unwrap_err()
        .to_string();
    assert!(taken.contains("listen at"), "{taken}");
}

#[test]
fn lines_of_the_log_hold_neither_texts_nor_ids() {
    let mut place = Place::with(|options| options.log.requests = LogRequests::All);
    let secret = "S3cretWord";
    let text =
        format!("{secret} stands in this text, which nobody may find in the log of the service.");
    let id = format!("id-{secret}");
    place
        .post("/v1/documents", json!({"id": id, "text": text}))
        .ok(201);
    place
        .post("/v1/check?add=true", json!({"id": id, "text": text}))
        .ok(200);
    place.get(&format!("/v1/documents/{id}")).ok(200);
    place.get(&format!("/v1/documents?prefix={secret}")).ok(200);
    place
        .get(&format!("/v1/documents/{secret}"))
        .problem(404, "no-document");
    place.get(&format!("/{secret}")).problem(404, "not-found");
    place
        .get(&format!("/v1/stats?{secret}=1"))
        .problem(422, "wrong-fields");
    place
        .post(
            "/v1/check",
            format!("{{\"text\": \"{secret}\", \"{secret}\": 1}}"),
        )
        .problem(422, "wrong-fields");
    place
        .post("/v1/check", format!("{{\"text\": \"{secret}\" {secret}"))
        .problem(400, "bad-json");
    place
        .send(&Sent::new("POST", "/v1/documents").lines(format!("{secret}\n")))
        .ok(200);
    place
        .send(
            &Sent::new(secret, "/v1/check")
                .header("User-Agent", secret)
                .header("Referer", secret),
        )
        .problem(405, "wrong-method");
    place.delete(&format!("/v1/documents/{id}")).ok(200);
    place.stop();
    let log = place.logged();
    assert!(!log.contains(secret), "{log}");
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let events: Vec<&str> = lines
        .iter()
        .map(|line| line["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        (events.first(), events.last()),
        (Some(&"listening"), Some(&"ended"))
    );
    let requests: Vec<&Value> = lines
        .iter()
        .filter(|line| line["event"] == "request")
        .collect();
    assert_eq!(requests.len(), 12);
    for name in [
        "time",
        "level",
        "request",
        "method",
        "route",
        "status",
        "micros",
        "bytes_in",
        "bytes_out",
    ] {
        assert!(
            requests.iter().all(|line| line.get(name).is_some()),
            "{name}"
        );
    }
    assert_eq!(requests[4]["problem"], "no-document");
}

#[test]
fn only_what_was_refused_is_logged_by_default() {
    let mut place = Place::with(|options| options.log.format = LogFormat::Text);
    place.get("/healthz").ok(200);
    place.get("/none").problem(404, "not-found");
    place.stop();
    let log = place.logged();
    assert_eq!(log.matches(" request ").count(), 1, "{log}");
    assert!(log.contains("status=404"), "{log}");
    let mut silent = Place::with(|options| options.log.format = LogFormat::Off);
    silent.get("/none").problem(404, "not-found");
    silent.stop();
    assert_eq!(silent.logged(), "");
}

#[test]
fn history_is_kept_beside_the_index() {
    let mut place = Place::new();
    place
        .post("/v1/documents", json!({"id": 1, "text": NEWS}))
        .ok(201);
    place.post("/v1/check", json!({"text": NEWS})).ok(200);
    place.stop();
    let directory = std::mem::replace(&mut place.directory, tempfile::tempdir().unwrap());
    assert!(directory.path().join("index/history").is_file());
    let place = Place::on(directory, |_| ());
    let history = place.get("/v1/stats").ok(200)["history"].clone();
    let sum = |name: &str| {
        history
            .as_array()
            .unwrap()
            .iter()
            .map(|point| point[name].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!((sum("checks"), sum("duplicates"), sum("added")), (1, 1, 1));
    assert_eq!(place.get("/readyz").status, 200);
}
