//! `/v1/documents`: added, given, listed, removed, streamed.

use serde_json::{Value, json};

use crate::harness::{NEWS, Place, Sent, encoded};

#[test]
fn documents_come_and_go() {
    let place = Place::new();
    let created = place.post("/v1/documents", json!({"id": "a/1", "text": NEWS}));
    assert_eq!(
        created.ok(201),
        json!({"added": 1, "replaced": 0, "empty": 0})
    );
    let at = created.header("location").unwrap().to_owned();
    assert_eq!(at, "/v1/documents/a%2F1");
    assert_eq!(
        place.get(&at).ok(200),
        json!({"id": "a/1", "text": NEWS, "characters": NEWS.len()})
    );
    let replaced = place.post("/v1/documents", json!({"id": "a/1", "text": "…"}));
    assert_eq!(
        replaced.ok(200),
        json!({"added": 1, "replaced": 1, "empty": 1})
    );
    let batch = json!({"documents": [{"id": 1, "text": "one"}, {"id": "1", "text": "string"}, {"id": 1.50, "text": "half"}]});
    place.post("/v1/documents", batch).ok(200);
    assert_eq!(place.get("/v1/documents/1").ok(200)["text"], "string");
    assert_eq!(
        place.delete("/v1/documents/1").ok(200),
        json!({"removed": true})
    );
    assert_eq!(
        place.get("/v1/documents/1").ok(200),
        json!({"id": 1, "text": "one", "characters": 3})
    );
    place.delete("/v1/documents?id=1").ok(200);
    place.delete("/v1/documents/1").problem(404, "no-document");
    place.get("/v1/documents/1").problem(404, "no-document");
    place.delete("/v1/documents").problem(422, "wrong-fields");
}

#[test]
fn ids_may_have_any_characters() {
    let place = Place::new();
    let long = "l\u{1F600}".repeat(500);
    let ids = [
        "",
        ".",
        "..",
        "a/b",
        "../../etc/passwd",
        "%2F",
        "a%00b",
        "\u{0}",
        "\"quoted\"",
        "back\\slash",
        "line\nbreak\r\n",
        "\u{1F600}",
        "é",
        "e\u{301}",
        "<script>alert(1)</script>",
        "?id=1&x=2",
        "#x",
        "+ plus",
        " ",
        "\u{202e}",
        "null",
        "true",
        "[1]",
        &long,
    ];
    for id in ids {
        let added = place.post(
            "/v1/documents",
            json!({"id": id, "text": format!("The text of {id:?}.")}),
        );
        added.ok(201);
        let at = added.header("location").unwrap().to_owned();
        assert_eq!(place.get(&at).ok(200)["id"], id);
    }
    for id in ids {
        let by_query = place
            .get(&format!("/v1/documents?id={}", encoded(id)))
            .ok(200);
        assert_eq!(by_query["text"], format!("The text of {id:?}."));
        if !id.is_empty() {
            assert_eq!(
                place.get(&format!("/v1/documents/{}", encoded(id))).ok(200),
                by_query
            );
        }
    }
    let mut listed = Vec::new();
    let mut path = "/v1/documents?limit=7".to_owned();
    loop {
        let page = place.get(&path).ok(200);
        listed.extend(
            page["documents"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["id"].as_str().unwrap().to_owned()),
        );
        match page["next"].as_str() {
            Some(next) => path = format!("/v1/documents?limit=7&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(listed.len(), ids.len());
    assert!(ids.iter().all(|id| listed.iter().any(|other| other == id)));
    for id in ids {
        place
            .delete(&format!("/v1/documents?id={}", encoded(id)))
            .ok(200);
    }
    assert_eq!(place.get("/v1/documents").ok(200), json!({"documents": []}));
}

#[test]
fn ids_are_one_however_they_are_escaped() {
    let place = Place::new();
    place
        .post("/v1/documents", r#"{"id": "a\u002d1\/x", "text": "one"}"#)
        .ok(201);
    let replaced = place
        .post("/v1/documents", r#"{"id": "a-1/x", "text": "two"}"#)
        .ok(200);
    assert_eq!(replaced["replaced"], 1);
    let answer = place.post("/v1/check", r#"{"id": 1.50, "text": "x"}"#);
    assert!(
        answer.text().starts_with("{\"id\": 1.50, "),
        "{}",
        answer.text()
    );
}

#[test]
fn ids_are_listed_by_prefix() {
    let place = Place::new();
    let documents: Vec<Value> = ["a-1", "a-2", "b-1"]
        .iter()
        .map(|id| json!({"id": id, "text": "x"}))
        .collect();
    place
        .post("/v1/documents", json!({"documents": documents}))
        .ok(200);
    let listed = place.get("/v1/documents?prefix=a-").ok(200);
    assert_eq!(listed, json!({"documents": [{"id": "a-1"}, {"id": "a-2"}]}));
    for bad in [
        "limit=0",
        "limit=1001",
        "limit=x",
        "cursor=x",
        "cursor=",
        "prefx=a",
        "id=a&prefix=b",
        "limit=1&limit=2",
    ] {
        place
            .get(&format!("/v1/documents?{bad}"))
            .problem(422, "wrong-fields");
    }
}

#[test]
fn a_stream_is_taken_line_by_line() {
    let place = Place::new();
    let mut lines = String::new();
    for id in 0..1000 {
        lines.push_str(
            &json!({"lang": "en", "id": id, "text": format!("Text {id} stands for itself."), "tags": [{"a": 1}]}).to_string(),
        );
        lines.push_str(if id % 2 == 0 { "\n" } else { "\r\n\n" });
    }
    lines.push_str("{\"id\": 1, \"text\": 5}\nnonsense\n{\"text\": \"no id\"}\n{\"id\": 0, \"text\": \"again\"}");
    let streamed = place
        .send(&Sent::new("POST", "/v1/documents").lines(lines.clone()))
        .ok(200);
    assert_eq!(
        (
            &streamed["added"],
            &streamed["replaced"],
            &streamed["rejected_count"]
        ),
        (&json!(1001), &json!(1), &json!(3))
    );
    let rejected = streamed["rejected"].as_array().unwrap();
    assert_eq!(rejected[0]["line"], 1501);
    assert!(
        rejected[2]["reason"]
            .as_str()
            .unwrap()
            .contains("needs an id")
    );
    assert_eq!(place.get("/v1/stats").ok(200)["documents"], 1000);
    let strict = place.send(&Sent::new("POST", "/v1/documents?strict=true").lines(lines));
    let problem = strict.problem(422, "wrong-fields");
    assert_eq!(
        (&problem["line"], &problem["added"]),
        (&json!(1501), &json!(768))
    );
    let empty = place
        .send(&Sent::new("POST", "/v1/documents").lines(""))
        .ok(200);
    assert_eq!(empty["added"], 0);
    let many = "x\n".repeat(500);
    let rejected = place
        .send(&Sent::new("POST", "/v1/documents").lines(many))
        .ok(200);
    assert_eq!(
        (
            rejected["rejected"].as_array().unwrap().len(),
            &rejected["rejected_count"]
        ),
        (100, &json!(500))
    );
}
