//! An evaluation as JSON.

use doublet::eval::{ClusterQuality, Measure, Quality};
use serde_json::{Map, Value, json};

use super::outcome::{Outcome, ShownError, SweepOutcome, SweepRow, Told, Work};
use crate::args::Setting;

/// Everything as one object.
pub(super) fn of(outcome: &Outcome) -> Value {
    let mut told = Map::new();
    let mut add = |name: &str, value: Value| told.insert(name.to_owned(), value);
    add("input", outcome.inputs.clone().into());
    if !outcome.methods.is_empty() {
        add("truth", json!({"file": outcome.truth}));
        add("methods", methods(outcome));
        return Value::Object(told);
    }
    add("truth", facts(outcome));
    add("options", Value::Object(outcome.options.clone()));
    if let Some(measures) = &outcome.measures {
        for (name, value) in measured(measures) {
            add(name, value);
        }
    }
    if let Some(sweep) = &outcome.sweep {
        add("sweep", swept(sweep));
    }
    if let Some(baseline) = &outcome.baseline {
        let documents = baseline.documents;
        add(
            "comparisons",
            json!({
                "documents": documents,
                "all_pairs": documents * documents.saturating_sub(1) / 2,
                "setting": work(&baseline.setting),
                "complete": work(&baseline.complete),
                "complete_by": baseline.name,
            }),
        );
    }
    if let Some(tuned) = &outcome.tuned {
        add("tuned", tuned.told.clone());
    }
    if matches!(outcome.measures, Some(Told::Documents(_))) {
        let wrong = outcome.texts.iter().map(|text| {
            json!({"id": text.id, "copy": text.is_copy, "share": text.share, "source": text.source})
        });
        add("errors", wrong.collect());
    } else {
        add(
            "errors",
            json!({
                "false_positives": errors(&outcome.false_positives),
                "false_negatives": errors(&outcome.false_negatives),
            }),
        );
    }
    add("notes", outcome.notes.clone().into());
    add("warnings", outcome.warnings.clone().into());
    add("seconds", outcome.seconds.into());
    add("judging_seconds", outcome.judging_seconds.into());
    add("peak_memory", outcome.peak_memory.into());
    Value::Object(told)
}

fn facts(outcome: &Outcome) -> Value {
    let facts = &outcome.facts;
    json!({
        "file": outcome.truth,
        "kind": facts.kind,
        "rows": facts.rows,
        "repeated": facts.repeated,
        "unsure": facts.unsure,
        "with_itself": facts.with_itself,
        "unknown": facts.unknown,
        "not_looked_for": facts.not_looked_for,
        "documents": facts.documents,
        "duplicates": facts.duplicates,
        "different": facts.different,
    })
}

/// The parts of a setting's measures, each with its name.
fn measured(measures: &Told) -> Vec<(&'static str, Value)> {
    match measures {
        Told::Pairs(measures) => {
            let mut parts = vec![("pairs", quality(&measures.pairs))];
            parts.extend(
                measures
                    .clusters
                    .as_ref()
                    .map(|found| ("clusters", clusters(found))),
            );
            parts
        }
        Told::Documents(found) => {
            let mut documents = quality(&found.texts);
            documents["first_source"] = measure(&found.first_source);
            vec![("documents", documents)]
        }
    }
}

fn measure(measure: &Measure) -> Value {
    json!({"value": measure.value, "low": measure.low, "high": measure.high})
}

fn quality(quality: &Quality) -> Value {
    json!({
        "precision": measure(&quality.precision),
        "recall": measure(&quality.recall),
        "f1": measure(&quality.f1),
        "true_positives": quality.true_positives,
        "false_positives": quality.false_positives,
        "false_negatives": quality.false_negatives,
        "true_negatives": quality.true_negatives,
    })
}

fn clusters(found: &ClusterQuality) -> Value {
    let mut told = quality(&found.pairs);
    if let Some(whole) = &found.whole {
        told["ari"] = measure(&whole.ari);
        told["b3_precision"] = measure(&whole.b3_precision);
        told["b3_recall"] = measure(&whole.b3_recall);
        told["b3_f1"] = measure(&whole.b3_f1);
        told["set_accuracy"] = measure(&whole.set_accuracy);
    }
    told
}

/// A setting as an object; numbers as numbers.
fn setting(setting: &Setting) -> Value {
    let value = |text: &String| match text.parse::<f64>() {
        Ok(_) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
        Err(_) => Value::String(text.clone()),
    };
    let options = setting
        .iter()
        .map(|(name, text)| (name.clone(), value(text)));
    Value::Object(options.collect())
}

fn row(row: &SweepRow) -> Value {
    let mut told = json!({"options": setting(&row.setting)});
    for (name, value) in measured(&row.all) {
        told[name] = value;
    }
    told["chosen_f1"] = row.chosen_f1.into();
    told["held_out"] = quality(&row.held_out);
    told["seconds"] = row.seconds.into();
    told
}

fn swept(sweep: &SweepOutcome) -> Value {
    let axes = sweep
        .axes
        .iter()
        .map(|axis| json!({"option": axis.name, "values": axis.values}));
    let best = &sweep.rows[sweep.best];
    json!({
        "axes": axes.collect::<Vec<_>>(),
        "rows": sweep.rows.iter().map(row).collect::<Vec<_>>(),
        "best": {
            "options": setting(&best.setting),
            "chosen_on": {"f1": best.chosen_f1},
            "held_out": quality(&best.held_out),
        },
        "given": sweep.given.as_ref().map(|(words, found)| json!({"setting": words, "held_out": quality(found)})),
    })
}

fn work(work: &Work) -> Value {
    json!({
        "pairs": work.pairs,
        "candidates": work.candidates,
        "verifications": work.verifications,
        "seconds": work.seconds,
    })
}

fn errors(errors: &[ShownError]) -> Vec<Value> {
    let error = |error: &ShownError| {
        let line = (error.line > 0).then_some(error.line);
        json!({"a": error.a, "b": error.b, "score": error.score, "line": line})
    };
    errors.iter().map(error).collect()
}

fn methods(outcome: &Outcome) -> Value {
    let methods = outcome.methods.iter().map(|method| match &method.told {
        Ok(told) => {
            let mut told = told.clone();
            told["method"] = method.name.clone().into();
            told
        }
        Err(reason) => json!({"method": method.name, "error": reason}),
    });
    methods.collect()
}
