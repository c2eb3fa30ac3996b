//! Laws of options: arguments are refused in words, or resolve to options that, given again, resolve to the same.

use std::ffi::OsString;

use doublet_cli::inside::understood;
use doublet_cli::resolve_dedup;
use serde_json::{Map, Value};

/// Options that only some methods have.
const OF_METHODS: [(&str, &[&str]); 19] = [
    ("bands", &["minhash"]),
    ("candidates", &["minhash", "terms"]),
    ("df-cutoff", &["imatch", "sentences"]),
    ("distance", &["simhash"]),
    ("estimate", &["minhash"]),
    ("features", &["terms"]),
    ("gram", &["terms"]),
    ("max-occurrences", &["imatch", "sentences"]),
    ("min-common", &["minhash"]),
    ("min-sentences", &["imatch", "sentences"]),
    ("min-share", &["imatch", "sentences"]),
    ("min-words", &["sentences"]),
    ("recall", &["minhash"]),
    ("reorder", &["sentences"]),
    ("short", &["terms"]),
    ("sketch", &["minhash"]),
    ("sketch-size", &["minhash"]),
    ("transitivity", &["terms"]),
    ("voters", &["simhash"]),
];

/// Options, a word a line; the first decides whether they are those of `dedup` or of any command.
pub fn options(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // Neither files nor what clap cannot take.
    let words: Vec<&str> = text
        .lines()
        .filter(|word| !word.contains(['/', '\0']))
        .collect();
    let arguments: Vec<OsString> = words.iter().map(Into::into).collect();
    match understood(&arguments) {
        Ok(meaning) => assert_eq!(
            understood(&arguments).ok(),
            Some(meaning),
            "understood otherwise"
        ),
        Err(failure) => assert!(
            !failure.to_string().trim().is_empty(),
            "refused without a word"
        ),
    }
    match resolve_dedup(&arguments) {
        Err(failure) => assert!(
            !failure.to_string().trim().is_empty(),
            "refused without a word"
        ),
        Ok(resolved) => {
            belong_together(&words, &resolved.described);
            let line = line_of(&resolved.described);
            let again = resolve_dedup(&line.iter().map(Into::into).collect::<Vec<OsString>>());
            let again = again
                .unwrap_or_else(|failure| panic!("refused when given again: {failure} {line:?}"));
            assert_eq!(
                again.described, resolved.described,
                "other options when given again: {line:?}"
            );
            assert_eq!(
                again.join.matching.threshold, resolved.join.matching.threshold,
                "another threshold"
            );
            assert_eq!(
                again.join.matching.method, resolved.join.matching.method,
                "another method"
            );
            assert_eq!(
                format!("{:?}", again.join.matching.normalize),
                format!("{:?}", resolved.join.matching.normalize),
                "other words"
            );
        }
    }
}

/// That options of other methods, and such that say two things, were not taken.
fn belong_together(words: &[&str], described: &Map<String, Value>) {
    let options = words.iter().take_while(|word| **word != "--");
    let names = options.filter_map(|word| word.strip_prefix("--"));
    let names: Vec<&str> = names
        .map(|name| name.split_once('=').map_or(name, |(name, _)| name))
        .collect();
    let method = described["method"].as_str().unwrap_or_default();
    for (name, methods) in OF_METHODS {
        // Terms may vote in simhash.
        let taken = names.contains(&name) && method != "simhash";
        assert!(
            !taken || methods.contains(&method),
            "`--{name}` with `{method}`"
        );
    }
    assert!(
        !(names.contains(&"bands") && names.contains(&"recall")),
        "`--bands` and `--recall`"
    );
    assert!(
        !(names.contains(&"resume") && names.contains(&"force")),
        "`--resume` and `--force`"
    );
}

/// The options as words of a command line.
fn line_of(described: &Map<String, Value>) -> Vec<String> {
    let method = described["method"].as_str().unwrap_or_default();
    let mut line = Vec::new();
    for (name, value) in described {
        let passed_over = match name.as_str() {
            "input" => true,
            // They follow from others.
            "recall" => described.get("bands").is_some_and(|bands| !bands.is_null()),
            "reorder" | "min-words" => method == "imatch",
            _ => false,
        };
        if passed_over {
            continue;
        }
        match value {
            Value::Null | Value::Bool(false) => {}
            Value::Bool(true) => line.push(format!("--{name}")),
            Value::Array(values) => {
                let one =
                    |value: &Value| format!("--{name}={}", value.as_str().unwrap_or_default());
                line.extend(values.iter().map(one));
            }
            Value::String(word) => line.push(format!("--{name}={word}")),
            other => line.push(format!("--{name}={other}")),
        }
    }
    // The first is given by whoever resolves them.
    let inputs = described["input"].as_array();
    let others = inputs.into_iter().flatten().skip(1);
    line.push("--".to_owned());
    line.extend(others.filter_map(Value::as_str).map(str::to_owned));
    line
}
