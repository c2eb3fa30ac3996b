//! Every route but those of documents, and what it refuses.

use doublet::method::Method;
use serde_json::{Value, json};

use crate::harness::{NEWS, Place, Sent, index_options};
use crate::wait::wait_for;

#[test]
fn a_text_is_new_once() {
    let place = Place::new();
    let asked = json!({"id": "a-1", "text": NEWS});
    let first = place.post("/v1/check", &asked).ok(200);
    assert_eq!(first["duplicate"], false);
    assert_eq!((&first["id"], &first["found"]), (&json!("a-1"), &json!(0)));
    assert!(first.get("added").is_none());
    let added = place.post("/v1/check?add=true", &asked).ok(200);
    assert_eq!(
        (&added["duplicate"], &added["added"], &added["replaced"]),
        (&json!(false), &json!(true), &json!(false))
    );
    let again = place
        .post("/v1/check?add=true", json!({"id": "a-2", "text": NEWS}))
        .ok(200);
    assert_eq!(
        (&again["duplicate"], &again["added"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(again["sources"][0]["id"], "a-1");
    assert_eq!(
        again["sources"][0]["passages"][0]["end"],
        NEWS.chars().count()
    );
    let nameless = place.post("/v1/check", json!({"text": NEWS})).ok(200);
    assert!(nameless.get("id").is_none());
    assert_eq!(nameless["share"], 1.0);
    assert_eq!(place.get("/v1/stats").ok(200)["documents"], 1);
}

#[test]
fn a_batch_is_answered_in_order() {
    let place = Place::new();
    let texts = [
        NEWS,
        "Something else altogether, and nothing that anybody wrote before.",
        NEWS,
    ];
    let documents: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(id, text)| json!({"id": id, "text": text}))
        .collect();
    let body = json!({"documents": documents, "top": "all"});
    let answers = place.post("/v1/check?add=true", &body).ok(200);
    let found: Vec<(Value, Value)> = answers["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| (answer["id"].clone(), answer["added"].clone()))
        .collect();
    assert_eq!(
        found,
        [
            (json!(0), json!(true)),
            (json!(1), json!(true)),
            (json!(2), json!(false))
        ]
    );
    let answers = place.post("/v1/check", &body).ok(200);
    assert!(
        answers["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|answer| answer["duplicate"] == true)
    );
}

#[test]
fn options_of_a_check_count() {
    let place = Place::new();
    for id in 0..15 {
        place
            .post("/v1/documents", json!({"id": id, "text": NEWS}))
            .ok(201);
    }
    let check = |more: Value| {
        let mut body = json!({"text": NEWS});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let answer = place.post("/v1/check", body).ok(200);
        assert_eq!(answer["found"], 15);
        answer["sources"].as_array().unwrap().len()
    };
    assert_eq!(check(json!({"top": 3})), 3);
    assert_eq!(check(json!({"top": "all"})), 15);
    assert_eq!(check(json!({})), 15);
    let part = format!(
        "{} Something new that nobody wrote, at some length, so that its share is the larger one.",
        &NEWS[..62]
    );
    let asked = |more: &str| {
        place
            .post("/v1/check", format!("{{\"text\": \"{part}\"{more}}}"))
            .ok(200)["duplicate"]
            == true
    };
    assert!(!asked(""));
    assert!(asked(", \"threshold\": 0.3"));
    assert!(asked(", \"min_sentences\": 1"));
    assert!(!asked(", \"min_sentences\": \"off\""));
}

#[test]
fn two_texts_are_compared_as_the_index_sees_them() {
    let place = Place::new();
    let b = format!("Ä new start. {}", &NEWS[63..]);
    let compared = place
        .post("/v1/compare", json!({"a": NEWS, "b": b}))
        .ok(200);
    assert_eq!(compared["metric"], "containment-coverage");
    assert_eq!(compared["common"], 2);
    assert_eq!(
        compared["passages_a"],
        json!([{"start": 63, "end": NEWS.len()}])
    );
    assert_eq!(
        compared["passages_b"],
        json!([{"start": 13, "end": b.chars().count()}])
    );
    assert_eq!(compared["duplicate"], true);
    let shingles = Place::of(&index_options(Method::Shingles), |_| ());
    let compared = shingles
        .post("/v1/compare", json!({"a": NEWS, "b": b, "threshold": 0.99}))
        .ok(200);
    assert_eq!(
        (&compared["metric"], &compared["duplicate"]),
        (&json!("resemblance"), &json!(false))
    );
    assert!(compared["containment_b"].as_f64().unwrap() > 0.5);
    let problem = shingles.post("/v1/check", json!({"text": NEWS, "min_sentences": 2}));
    problem.problem(422, "wrong-fields");
}

#[test]
fn clusters_are_found_when_asked_for() {
    let place = Place::new();
    assert_eq!(place.get("/v1/clusters").ok(200)["clusters_total"], 0);
    for id in 0..5 {
        place
            .post(
                "/v1/documents",
                json!({"id": format!("n{id}"), "text": NEWS}),
            )
            .ok(201);
    }
    for id in 0..2 {
        let text =
            "Quite another story was told by the fishermen of the northern coast last winter.";
        place
            .post(
                "/v1/documents",
                json!({"id": format!("f{id}"), "text": text}),
            )
            .ok(201);
    }
    let found = wait_for("the clusters of the index as it is", || {
        let found = place.get("/v1/clusters?members=2").ok(200);
        (found["stale"] == false && found["state"] == "ready").then_some(found)
    });
    assert_eq!(
        (&found["clusters_total"], &found["documents_in_clusters"]),
        (&json!(2), &json!(7))
    );
    let first = &found["clusters"][0];
    assert_eq!(
        (&first["size"], &first["representative"]),
        (&json!(5), &json!("n0"))
    );
    assert_eq!(
        first["members"],
        json!([{"id": "n0", "score": 1.0}, {"id": "n1", "score": 1.0}])
    );
    let next = first["next"].as_str().unwrap();
    let rest = place.get(&format!("/v1/clusters/0?cursor={next}")).ok(200);
    assert_eq!(rest["members"].as_array().unwrap().len(), 3);
    assert!(rest.get("next").is_none());
    let page = place.get("/v1/clusters?limit=1").ok(200);
    let next = page["next"].as_str().unwrap();
    let second = place
        .get(&format!("/v1/clusters?limit=1&cursor={next}"))
        .ok(200);
    assert_eq!(
        (
            &second["clusters"][0]["cluster"],
            &second["clusters"][0]["size"]
        ),
        (&json!(1), &json!(2))
    );
    for missing in ["2", "x", "-1", "99999999999999999999999", "0/1"] {
        place
            .get(&format!("/v1/clusters/{missing}"))
            .problem(404, "no-cluster");
    }
    place
        .get("/v1/clusters?cursor=c61")
        .problem(422, "wrong-fields");
    let sizes = place.get("/v1/stats").ok(200)["sizes"].clone();
    assert_eq!(
        sizes
            .as_array()
            .unwrap()
            .iter()
            .map(|size| size["documents"].as_u64().unwrap())
            .sum::<u64>(),
        7
    );
}

#[test]
fn an_index_without_texts_has_no_clusters() {
    let mut options = index_options(Method::Sentences);
    options.texts = false;
    let place = Place::of(&options, |_| ());
    place
        .post("/v1/documents", json!({"id": 1, "text": NEWS}))
        .ok(201);
    place.get("/v1/clusters").problem(409, "no-texts");
    place.get("/v1/clusters/0").problem(409, "no-texts");
    assert_eq!(place.get("/v1/documents/1").ok(200), json!({"id": 1}));
    assert_eq!(
        place.post("/v1/check", json!({"text": NEWS})).ok(200)["duplicate"],
        true
    );
}

#[test]
fn figures_tell_what_happened() {
    let place = Place::new();
    place
        .post("/v1/documents", json!({"id": 1, "text": NEWS}))
        .ok(201);
    place.post("/v1/check", json!({"text": NEWS})).ok(200);
    place.post("/v1/check", json!({"text": "new"})).ok(200);
    place.delete("/v1/documents/1").ok(200);
    let stats = place.get("/v1/stats?history=hours").ok(200);
    assert_eq!(stats["checks"], json!({"total": 2, "duplicates": 1}));
    assert_eq!(
        (&stats["documents"], &stats["rights"]),
        (&json!(0), &json!("write"))
    );
    assert_eq!(stats["limits"]["batch"], 1000);
    assert_eq!(stats["options"]["method"], "sentences");
    assert!(!stats["history"].as_array().unwrap().is_empty());
    place
        .get("/v1/stats?history=years")
        .problem(422, "wrong-fields");
    assert_eq!(place.metric("doublet_documents_added_total"), 1.0);
    assert_eq!(place.metric("doublet_documents_removed_total"), 1.0);
    let metrics = place.get("/metrics");
    assert!(
        metrics
            .header("content-type")
            .unwrap()
            .starts_with("text/plain; version=0.0.4")
    );
    let text = metrics.text();
    assert!(
        text.contains("doublet_requests_total{route=\"/v1/check\",status=\"200\"} 2"),
        "{text}"
    );
    assert!(text.contains("doublet_request_seconds_count{route=\"/v1/check\",status=\"2xx\"} 2"));
}

#[test]
fn operations_and_the_page_answer() {
    let place = Place::new();
    assert_eq!(place.get("/healthz").ok(200)["status"], "alive");
    assert_eq!(place.get("/readyz").ok(200)["status"], "ready");
    let page = place.get("/");
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    assert!(
        page.header("content-security-policy")
            .unwrap()
            .contains("script-src 'self'")
    );
    let tag = page.header("etag").unwrap();
    for known in [tag.to_owned(), format!("W/{tag}"), format!("\"x\", {tag}")] {
        let again = place.send(&Sent::new("GET", "/").header("If-None-Match", &known));
        assert_eq!((again.status, again.header("etag")), (304, Some(tag)));
    }
    place.get("/assets/nothing.js").problem(404, "not-found");
    place.get("/assets/../Cargo.toml").problem(404, "not-found");
}

#[test]
fn the_description_has_every_route_and_the_limits_in_force() {
    let place = Place::with(|options| {
        options.max_batch = 17;
        options.max_text = 12_345;
    });
    let described = place.get("/openapi.json").ok(200);
    assert_eq!(described["openapi"], "3.1.0");
    let schemas = &described["components"]["schemas"];
    assert_eq!(
        schemas["CheckBatch"]["properties"]["documents"]["maxItems"],
        17
    );
    assert_eq!(schemas["Text"]["maxLength"], 12_345);
    for path in [
        "/v1/check",
        "/v1/compare",
        "/v1/documents",
        "/v1/documents/{id}",
        "/v1/clusters",
        "/v1/clusters/{cluster}",
        "/v1/stats",
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
    ] {
        assert!(described["paths"].get(path).is_some(), "{path}");
    }
    references(&described, &described);
    for kind in described["x-problems"].as_array().unwrap() {
        let about = place.get(&format!("/problems/{}", kind["name"].as_str().unwrap()));
        assert_eq!(about.status, 303);
        assert!(
            about
                .header("location")
                .unwrap()
                .starts_with("/reference#problem-")
        );
    }
    place.get("/problems/none").problem(404, "not-found");
}

/// That whatever is referred to is there.
fn references(value: &Value, whole: &Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                assert!(whole.pointer(&reference[1..]).is_some(), "{reference}");
            }
            members.values().for_each(|value| references(value, whole));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, whole)),
        _ => (),
    }
}

#[test]
fn wrong_methods_and_paths_are_told() {
    let place = Place::new();
    for (method, path, allow) in [
        ("GET", "/v1/check", "POST, OPTIONS"),
        ("PUT", "/v1/documents/1", "GET, HEAD, DELETE, OPTIONS"),
        ("POST", "/v1/stats", "GET, HEAD, OPTIONS"),
        ("PATCH", "/v1/documents", "GET, HEAD, POST, DELETE, OPTIONS"),
        ("NONSENSE", "/", "GET, HEAD, OPTIONS"),
    ] {
        let answer = place.send(&Sent::new(method, path));
        answer.problem(405, "wrong-method");
        assert_eq!(answer.header("allow"), Some(allow));
        let options = place.send(&Sent::new("OPTIONS", path));
        assert_eq!(
            (options.status, options.header("allow")),
            (204, Some(allow))
        );
    }
    for path in [
        "/v1",
        "/v2/check",
        "/v1/check/",
        "/v1/documents/",
        "//",
        "/index.html",
        "/.git/config",
    ] {
        place.get(path).problem(404, "not-found");
    }
    let head = place.send(&Sent::new("HEAD", "/healthz"));
    assert_eq!(
        (head.status, head.body.len(), head.header("content-length")),
        (200, 0, Some("18"))
    );
    let head = place.send(&Sent::new("HEAD", "/v1/documents/none"));
    assert_eq!(head.status, 404);
}

#[test]
fn wrong_fields_are_named() {
    let place = Place::with(|options| options.max_batch = 3);
    for (path, body, field) in [
        ("/v1/check", json!({"text": 5}), "text"),
        ("/v1/check", json!({"text": null}), "text"),
        ("/v1/check", json!({}), "text"),
        ("/v1/check", json!([]), "body"),
        ("/v1/check", json!("text"), "body"),
        (
            "/v1/check",
            json!({"text": "", "documents": []}),
            "documents",
        ),
        ("/v1/check", json!({"documents": []}), "documents"),
        (
            "/v1/check",
            json!({"documents": [{"text": ""}, {"text": ""}, {"text": ""}, {"text": ""}]}),
            "documents",
        ),
        (
            "/v1/check",
            json!({"documents": [{"text": ""}, {"text": true}]}),
            "documents[1].text",
        ),
        ("/v1/check", json!({"documents": [["x"]]}), "documents[0]"),
        ("/v1/check", json!({"documents": {"text": ""}}), "documents"),
        (
            "/v1/check",
            json!({"documents": [{"text": ""}], "id": 1}),
            "id",
        ),
        ("/v1/check", json!({"text": "", "id": true}), "id"),
        (
            "/v1/check",
            json!({"text": "", "id": "x".repeat(1025)}),
            "id",
        ),
        (
            "/v1/check",
            json!({"text": "", "threshold": 0}),
            "threshold",
        ),
        (
            "/v1/check",
            json!({"text": "", "threshold": 1.1}),
            "threshold",
        ),
        (
            "/v1/check",
            json!({"text": "", "threshold": "high"}),
            "threshold",
        ),
        ("/v1/check", json!({"text": "", "top": 0}), "top"),
        ("/v1/check", json!({"text": "", "top": 10_001}), "top"),
        ("/v1/check", json!({"text": "", "top": -1}), "top"),
        ("/v1/check", json!({"text": "", "top": 1.5}), "top"),
        (
            "/v1/check",
            json!({"text": "", "min_sentences": 0}),
            "min_sentences",
        ),
        ("/v1/check?add=true", json!({"text": ""}), "id"),
        (
            "/v1/check?add=true",
            json!({"documents": [{"id": 1, "text": ""}, {"text": ""}]}),
            "documents[1].id",
        ),
        ("/v1/check?add=yes", json!({"text": ""}), "add"),
        ("/v1/check?ad=true", json!({"text": ""}), "ad"),
        ("/v1/documents", json!({"text": ""}), "id"),
        ("/v1/documents", json!({"id": 1}), "text"),
        (
            "/v1/documents",
            json!({"documents": [{"id": 1, "text": "", "x": 1}]}),
            "documents[0].x",
        ),
        ("/v1/compare", json!({"a": ""}), "body"),
        (
            "/v1/compare",
            json!({"a": "", "b": "", "threshold": 2}),
            "threshold",
        ),
    ] {
        let problem = place.post(path, &body).problem(422, "wrong-fields");
        assert_eq!(problem["path"], field, "{body}: {problem}");
    }
    let unknown = place
        .post("/v1/check", json!({"txet": ""}))
        .problem(422, "wrong-fields");
    assert!(
        unknown["detail"].as_str().unwrap().contains("`txet`"),
        "{unknown}"
    );
    assert_eq!(place.get("/v1/stats").ok(200)["documents"], 0);
}
