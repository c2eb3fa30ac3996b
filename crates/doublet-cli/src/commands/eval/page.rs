//! An evaluation as the data of its page.

use std::ffi::OsString;

use doublet::eval::{Measure, Quality};
use doublet::report::chart::Axis;
use doublet::report::eval::{
    Baseline, BaselineSide, Confusion, EvalPage, Given, Headline, HeldOut, MeasureGroup,
    MeasureRow, MethodRow, Sweep, SweepRow, meaning,
};
use doublet::report::html::ViewSection;
use serde_json::Value;

use super::outcome::{BaselineOutcome, Outcome, ShownError, SweepOutcome, Told, Work, in_words};
use super::print::{MethodCells, best_method};
use crate::args::quoted;
use crate::display::count;

/// Everything that the page shows.
pub(super) fn of(outcome: &Outcome, arguments: &[OsString]) -> EvalPage {
    let quality = outcome.measures.as_ref().map(Told::main);
    let is_documents = matches!(outcome.measures, Some(Told::Documents { .. }));
    let things = if is_documents { "copies" } else { "duplicates" };
    EvalPage {
        title: outcome.inputs.join(", "),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: command(arguments),
        input: outcome.inputs.clone(),
        truth: truth(outcome),
        notes: notes(outcome),
        warnings: outcome.warnings.clone(),
        headline: quality.filter(|_| outcome.baseline.is_none()).map(|found| Headline {
            things: things.to_owned(),
            recall: number(&found.recall),
            precision: number(&found.precision),
            f1: number(&found.f1),
        }),
        measures: outcome.measures.as_ref().map(groups).unwrap_or_default(),
        intervals: "An interval holds 95 of 100 values that the measure takes when the labelled units are drawn again.".to_owned(),
        counts: quality.map(|found| Confusion {
            things: if is_documents { "texts" } else { "pairs" }.to_owned(),
            true_positives: found.true_positives,
            false_positives: found.false_positives,
            false_negatives: found.false_negatives,
            true_negatives: found.true_negatives,
        }),
        sweep: outcome.sweep.as_ref().map(sweep),
        methods: outcome.methods.iter().map(method).collect(),
        best_method: best_method(outcome),
        baseline: outcome.baseline.as_ref().zip(quality).map(|(told, found)| baseline(told, found, outcome)),
        views: views(outcome),
        options: outcome.options.iter().map(|(name, value)| (name.clone(), plain(value))).collect(),
    }
}

/// How the truth was taken, and whose figures these are.
fn notes(outcome: &Outcome) -> Vec<String> {
    let mut notes = outcome.notes.clone();
    if let Some(sweep) = &outcome.sweep {
        let setting = in_words(&sweep.rows[sweep.best].setting);
        notes.push(format!(
            "The figures above and below, but for the section on settings, are those of {setting}, by all of the truth."
        ));
    }
    if outcome.not_scored > 0 {
        let more = count(outcome.not_scored);
        notes.push(format!(
            "Of the missed duplicates {more} were not looked at."
        ));
    }
    notes
}

fn command(arguments: &[OsString]) -> String {
    let words = arguments.iter();
    let words = words.map(|word| quoted(&word.to_string_lossy()));
    format!("doublet {}", words.collect::<Vec<_>>().join(" "))
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "–".to_owned(),
        Value::Array(all) => all.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

fn number(measure: &Measure) -> f64 {
    measure.value.unwrap_or(f64::NAN)
}

fn truth(outcome: &Outcome) -> Vec<(String, String)> {
    let facts = &outcome.facts;
    if !outcome.methods.is_empty() {
        return vec![("Truth".to_owned(), outcome.truth.clone())];
    }
    let mut rows = vec![
        ("Truth".to_owned(), outcome.truth.clone()),
        ("Rows".to_owned(), count(facts.rows)),
        ("Duplicates".to_owned(), count(facts.duplicates)),
    ];
    rows.extend(
        facts
            .different
            .map(|number| ("Different".to_owned(), count(number))),
    );
    rows.push(("Texts".to_owned(), count(facts.documents)));
    rows
}

fn measure_row(name: &str, measure: &Measure, meaning: &str) -> MeasureRow {
    MeasureRow {
        name: name.to_owned(),
        value: number(measure),
        low: measure.low,
        high: measure.high,
        meaning: meaning.to_owned(),
    }
}

fn quality_rows(found: &Quality) -> Vec<MeasureRow> {
    vec![
        measure_row("Precision", &found.precision, meaning::PAIR_PRECISION),
        measure_row("Recall", &found.recall, meaning::PAIR_RECALL),
        measure_row("F1", &found.f1, meaning::PAIR_F1),
    ]
}

fn groups(measures: &Told) -> Vec<MeasureGroup> {
    let group = |name: &str, rows| MeasureGroup {
        name: name.to_owned(),
        rows,
    };
    match measures {
        Told::Pairs(measures) => {
            let mut groups = vec![group("Pairs", quality_rows(&measures.pairs))];
            if let Some(clusters) = &measures.clusters {
                let found = &clusters.pairs;
                let mut rows = vec![
                    measure_row(
                        "Precision",
                        &found.precision,
                        meaning::CLUSTER_PAIR_PRECISION,
                    ),
                    measure_row("Recall", &found.recall, meaning::CLUSTER_PAIR_RECALL),
                    measure_row("F1", &found.f1, meaning::CLUSTER_PAIR_F1),
                ];
                if let Some(whole) = &clusters.whole {
                    rows.extend([
                        measure_row("ARI", &whole.ari, meaning::ARI),
                        measure_row("B³ precision", &whole.b3_precision, meaning::B3_PRECISION),
                        measure_row("B³ recall", &whole.b3_recall, meaning::B3_RECALL),
                        measure_row("B³ F1", &whole.b3_f1, meaning::B3_F1),
                        measure_row("Set accuracy", &whole.set_accuracy, meaning::SET_ACCURACY),
                    ]);
                }
                groups.push(group("Clusters", rows));
            }
            groups
        }
        Told::Documents { documents: found } => {
            let texts = &found.texts;
            vec![group(
                "Texts",
                vec![
                    measure_row("Precision", &texts.precision, meaning::DOCUMENT_PRECISION),
                    measure_row("Recall", &texts.recall, meaning::DOCUMENT_RECALL),
                    measure_row("F1", &texts.f1, meaning::DOCUMENT_F1),
                    measure_row(
                        "First source",
                        &found.first_source,
                        "Of the copies found, the share whose first source is one that they were copied from.",
                    ),
                ],
            )]
        }
    }
}

fn sweep(told: &SweepOutcome) -> Sweep {
    let axes = told.axes.iter().map(|axis| Axis {
        name: axis.name.clone(),
        values: axis.values.clone(),
    });
    let row = |row: &super::outcome::SweepRow| {
        let found = row.all.main();
        let at = told.axes.iter().map(|axis| {
            let own = row.setting.iter().find(|(name, _)| *name == axis.name);
            let own =
                own.and_then(|(_, value)| axis.values.iter().position(|other| other == value));
            own.unwrap_or(0)
        });
        SweepRow {
            at: at.collect(),
            precision: number(&found.precision),
            recall: number(&found.recall),
            f1: number(&found.f1),
            f1_low: found.f1.low,
            f1_high: found.f1.high,
            more: vec![
                format!("{:.4}", row.chosen_f1),
                format!("{:.4}", number(&row.held_out.f1)),
            ],
        }
    };
    let best = &told.rows[told.best];
    let held_out = &best.held_out.f1;
    Sweep {
        axes: axes.collect(),
        rows: told.rows.iter().map(row).collect(),
        more: vec!["F1, one half".to_owned(), "F1, other half".to_owned()],
        best: Some(told.best),
        given: None,
        held_out: Some(HeldOut {
            setting: in_words(&best.setting),
            chosen_f1: best.chosen_f1,
            f1: number(held_out),
            low: held_out.low,
            high: held_out.high,
            given: told.given.as_ref().map(|(words, found)| Given {
                setting: words.clone(),
                f1: number(&found.f1),
                gain_low: None,
                gain_high: None,
            }),
        }),
    }
}

fn method(method: &super::outcome::MethodOutcome) -> MethodRow {
    match &method.told {
        Err(reason) => MethodRow {
            name: method.name.clone(),
            precision: f64::NAN,
            recall: f64::NAN,
            f1: f64::NAN,
            seconds: f64::NAN,
            note: reason.clone(),
            ..MethodRow::default()
        },
        Ok(told) => {
            let cells = MethodCells::of(told);
            MethodRow {
                name: method.name.clone(),
                threshold: None,
                precision: cells.precision.unwrap_or(f64::NAN),
                recall: cells.recall.unwrap_or(f64::NAN),
                f1: number(&cells.f1),
                f1_low: cells.f1.low,
                f1_high: cells.f1.high,
                seconds: cells.seconds,
                cpu_seconds: None,
                peak_memory: told["peak_memory"].as_u64().unwrap_or(0),
                note: cells.setting,
            }
        }
    }
}

fn baseline(told: &BaselineOutcome, found: &Quality, outcome: &Outcome) -> Baseline {
    let side = |name: String, work: &Work| BaselineSide {
        name,
        pairs: work.pairs,
        candidates: Some(work.candidates),
        verifications: Some(work.verifications),
        seconds: work.seconds,
        peak_memory: 0,
    };
    let documents = told.documents;
    let method = outcome.options.get("method").map(plain).unwrap_or_default();
    Baseline {
        recall: number(&found.recall),
        precision: number(&found.precision),
        documents,
        all_pairs: documents * documents.saturating_sub(1) / 2,
        setting: side(method, &told.setting),
        complete: side(told.name.clone(), &told.complete),
    }
}

fn views(outcome: &Outcome) -> Vec<ViewSection> {
    let section = |heading: &str, note: &str, errors: &[ShownError]| ViewSection {
        heading: heading.to_owned(),
        note: note.to_owned(),
        views: errors
            .iter()
            .filter_map(|error| view(error, outcome))
            .collect(),
    };
    let mut sections = vec![
        section(
            "Strongest false positives",
            "Found with a high score, though the truth says that they are different: is the label right?",
            &outcome.false_positives,
        ),
        section(
            "Weakest false negatives",
            "Duplicates by the truth that were not found, those with the lowest score first.",
            &outcome.false_negatives,
        ),
    ];
    sections.retain(|section| !section.views.is_empty());
    sections
}

fn view(error: &ShownError, outcome: &Outcome) -> Option<doublet::report::html::PairView> {
    let mut view = error.view.clone()?;
    view.score = error.score;
    view.note = match error.line {
        None => String::new(),
        Some(line) => format!("{}, line {line}", outcome.truth),
    };
    Some(view)
}
