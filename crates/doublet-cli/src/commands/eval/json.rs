//! An evaluation as JSON.

use serde_json::{Value, json};

use super::outcome::{Outcome, SweepOutcome};

/// Everything as one object.
pub(super) fn of(outcome: &Outcome) -> Value {
    if !outcome.methods.is_empty() {
        let truth = json!({"file": outcome.truth});
        return json!({"input": outcome.inputs, "truth": truth, "methods": methods(outcome)});
    }
    let mut told = json!({
        "input": outcome.inputs,
        "truth": outcome.facts,
        "options": outcome.options,
        "errors": {
            "false_positives": outcome.false_positives,
            "false_negatives": outcome.false_negatives,
        },
        "notes": outcome.notes,
        "warnings": outcome.warnings,
        "seconds": outcome.seconds,
        "judging_seconds": outcome.judging_seconds,
        "peak_memory": outcome.peak_memory,
    });
    told["truth"]["file"] = outcome.truth.clone().into();
    if let Value::Object(parts) = json!(outcome.measures) {
        if parts.contains_key("documents") {
            told["errors"] = json!(outcome.texts);
        }
        for (name, value) in parts {
            told[name] = value;
        }
    }
    if let Some(sweep) = &outcome.sweep {
        told["sweep"] = swept(sweep);
    }
    if let Some(baseline) = &outcome.baseline {
        let documents = baseline.documents;
        told["comparisons"] = json!({
            "documents": documents,
            "all_pairs": documents * documents.saturating_sub(1) / 2,
            "setting": baseline.setting,
            "complete": baseline.complete,
            "complete_by": baseline.name,
        });
    }
    if let Some(tuned) = &outcome.tuned {
        told["tuned"] = tuned.told.clone();
    }
    told
}

fn swept(sweep: &SweepOutcome) -> Value {
    let mut best = json!(sweep.rows[sweep.best]);
    let given = sweep.given.as_ref();
    json!({
        "axes": sweep.axes,
        "rows": sweep.rows,
        "best": {
            "options": best["options"].take(),
            "chosen_on": {"f1": best["chosen_f1"].take()},
            "held_out": best["held_out"].take(),
        },
        "given": given.map(|(words, found)| json!({"setting": words, "held_out": found})),
    })
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
