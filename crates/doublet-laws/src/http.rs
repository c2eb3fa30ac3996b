//! Laws of requests: a body is refused with a problem that repeats little of it, or means what it says; in pieces it says the same.

use doublet_server::inside::{
    Packed, Refusal, check, compare, cursor, documents, line, lines, place_of, query,
};
use serde_json::{Value, json};

use crate::reading::{gzip, zstd};

/// The most of a line that is read.
const LONGEST: usize = 512;

/// Bodies of the requests that have one.
pub fn http_bodies(data: &[u8]) {
    means_what_it_says(
        data,
        &[
            "id",
            "text",
            "documents",
            "threshold",
            "top",
            "min_sentences",
        ],
        check,
    );
    means_what_it_says(data, &["id", "text", "documents"], documents);
    means_what_it_says(data, &["a", "b", "threshold"], compare);
    stream(data);
    packed(data);
}

/// That a body is refused, or said once more in other words is understood in the same way.
fn means_what_it_says(body: &[u8], names: &[&str], read: fn(&[u8]) -> Result<Value, Refusal>) {
    let value: Result<Value, _> = serde_json::from_slice(body);
    match read(body) {
        Ok(said) => {
            let again = read(said.to_string().as_bytes());
            assert_eq!(
                again,
                Ok(said.clone()),
                "said again it means something else"
            );
            let Ok(Value::Object(object)) = value else {
                // What is JSON but beyond the tables of serde_json.
                return;
            };
            assert!(
                object.keys().all(|name| names.contains(&name.as_str())),
                "unknown names"
            );
            for (name, value) in &object {
                let top = name == "top" || name == "threshold" || name == "documents";
                assert!(
                    top || said.get(name) == Some(value),
                    "`{name}` says something else"
                );
            }
        }
        Err(refusal) => is_a_problem(&refusal),
    }
}

/// That a refusal is an object of JSON with all that a problem has, short, and the fault of the caller.
fn is_a_problem(refusal: &Refusal) {
    let problem: Value = serde_json::from_slice(&refusal.body).expect("a problem is JSON");
    for member in ["type", "title", "detail", "instance"] {
        assert!(problem[member].is_string(), "no `{member}`: {problem}");
    }
    assert_eq!(problem["status"], json!(refusal.status), "two statuses");
    assert!((400..500).contains(&refusal.status), "{problem}");
    assert!(refusal.body.len() < 4096, "too much comes back: {problem}");
}

/// That a stream has the same lines in pieces of any size, and that its documents are those of a list.
fn stream(data: &[u8]) {
    let whole = lines(Packed::Plain, data, 1 << 16, LONGEST).expect("plain lines");
    for piece in [1, 3, 64] {
        let again = lines(Packed::Plain, data, piece, LONGEST).expect("plain lines");
        assert_eq!(again, whole, "pieces of {piece}");
    }
    let expected: Vec<&[u8]> = data.split(|byte| *byte == b'\n').collect();
    let expected = match expected.split_last() {
        Some(([], rest)) => rest.to_vec(),
        _ => expected,
    };
    assert_eq!(whole.len(), expected.len(), "another number of lines");
    let mut good = Vec::new();
    for (found, expected) in whole.iter().zip(expected) {
        assert_eq!(
            found.len() > LONGEST,
            expected.len() > LONGEST,
            "a long line is told"
        );
        assert!(expected.starts_with(found), "another line");
        match line(found) {
            Ok(document) => good.push(document),
            Err(refusal) => is_a_problem(&refusal),
        }
    }
    if !good.is_empty() {
        let body = json!({ "documents": good });
        let list = documents(body.to_string().as_bytes());
        assert_eq!(list, Ok(body), "a list of the same documents");
    }
}

/// That packed bodies unpack to what was packed, within the limit, and that any bytes are unpacked or refused.
fn packed(data: &[u8]) {
    for (how, bytes) in [(Packed::Gzip, gzip(data)), (Packed::Zstd, zstd(data))] {
        let most = data.len();
        let whole = how.unpack(&bytes, most).expect("packed here");
        assert_eq!(whole.as_deref(), Some(data), "unpacked to something else");
        if let Some(less) = most.checked_sub(1) {
            let refused = how.unpack(&bytes, less).expect("packed here");
            assert_eq!(refused, None, "more than is allowed");
        }
        let plain = lines(Packed::Plain, data, 1 << 16, LONGEST).expect("plain lines");
        let unpacked = lines(how, &bytes, 7, LONGEST).expect("packed here");
        assert_eq!(unpacked, plain, "other lines when packed");
        if let Ok(Some(found)) = how.unpack(data, 1 << 16) {
            assert!(found.len() <= 1 << 16, "more than is allowed");
        }
    }
}

/// Parameters behind the `?`, and cursors among them.
pub fn query_parameters(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    const KNOWN: [&str; 4] = ["cursor", "limit", "strict", "a b"];
    match query(&text, &KNOWN) {
        Ok(values) => {
            let pairs = KNOWN
                .iter()
                .zip(&values)
                .filter_map(|(name, value)| Some((*name, value.as_deref()?)));
            let written: Vec<String> = pairs
                .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
                .collect();
            assert_eq!(
                query(&written.join("&"), &KNOWN),
                Ok(values),
                "written again it says something else"
            );
        }
        Err(refusal) => is_a_problem_of(&refusal, data.len()),
    }
    let there = cursor(&text);
    assert_eq!(
        place_of(&format!("cursor={there}")),
        Ok(Some(text.clone().into_owned())),
        "a cursor leads elsewhere"
    );
    match place_of(&format!("cursor={}", encoded(&text))) {
        Ok(place) => {
            let small = text.to_ascii_lowercase();
            assert_eq!(
                place.map(|place| cursor(&place)),
                Some(small),
                "two cursors for one place"
            );
        }
        Err(refusal) => is_a_problem_of(&refusal, data.len()),
    }
}

/// The same for parameters, whose names come back.
fn is_a_problem_of(refusal: &Refusal, length: usize) {
    let problem: Value = serde_json::from_slice(&refusal.body).expect("a problem is JSON");
    assert!((400..500).contains(&refusal.status), "{problem}");
    // A control character is six bytes of JSON.
    assert!(
        refusal.body.len() < 1024 + 6 * length,
        "too much comes back: {problem}"
    );
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}
