//! Everything that an evaluation comes to, before it is told.

use doublet::eval::tune::{self, GroupTuned, Judged, Tuned};
use doublet::eval::{DocumentQuality, Facts, Measures, Quality};
use doublet::method::terms::weights::Interval;
use doublet::report::html::PairView;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::args::{Setting, SweepArgument};

/// What an evaluation came to.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// What was read.
    pub(super) inputs: Vec<String>,
    /// The file of labels, or what stands for it.
    pub(super) truth: String,
    pub(super) facts: Facts,
    /// The setting that is told in full: all options in force.
    pub(super) options: Map<String, Value>,
    /// Its measures; none where methods are compared.
    pub(super) measures: Option<Told>,
    pub(super) sweep: Option<SweepOutcome>,
    pub(super) methods: Vec<MethodOutcome>,
    pub(super) baseline: Option<BaselineOutcome>,
    pub(super) tuned: Option<TuneOutcome>,
    pub(super) false_positives: Vec<ShownError>,
    pub(super) false_negatives: Vec<ShownError>,
    /// Duplicates that were not found and not looked at.
    pub(super) not_scored: u64,
    /// Copied texts that were judged wrongly.
    pub(super) texts: Vec<WrongText>,
    pub(super) notes: Vec<String>,
    pub(super) warnings: Vec<String>,
    /// Of the runs, and of judging them.
    pub(super) seconds: f64,
    pub(super) judging_seconds: f64,
    pub(super) peak_memory: u64,
}

/// The measures of one setting.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Told {
    Pairs(Box<Measures>),
    Documents { documents: Box<DocumentQuality> },
}

impl Told {
    /// The measures that settings are compared by.
    pub(super) fn main(&self) -> &Quality {
        match self {
            Self::Pairs(measures) => &measures.pairs,
            Self::Documents { documents } => &documents.texts,
        }
    }
}

/// Several settings, compared.
#[derive(Debug)]
pub(super) struct SweepOutcome {
    pub(super) axes: Vec<SweepArgument>,
    pub(super) rows: Vec<SweepRow>,
    /// The best by the half that settings are chosen on.
    pub(super) best: usize,
    /// The setting as given, in words, on the held-out half.
    pub(super) given: Option<(String, Quality)>,
}

/// One setting.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SweepRow {
    #[serde(rename = "options", serialize_with = "as_object")]
    pub(super) setting: Setting,
    #[serde(flatten)]
    pub(super) all: Told,
    pub(super) chosen_f1: f64,
    pub(super) held_out: Quality,
    /// Seconds of the join that it came from.
    pub(super) seconds: f64,
}

/// One method.
#[derive(Debug)]
pub(super) struct MethodOutcome {
    pub(super) name: String,
    /// What its own run told, or why it did not run.
    pub(super) told: Result<Value, String>,
}

/// An approximate setting beside the complete join.
#[derive(Clone, Debug)]
pub(super) struct BaselineOutcome {
    pub(super) name: String,
    pub(super) documents: u64,
    pub(super) setting: Work,
    pub(super) complete: Work,
}

/// What a join took.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Work {
    pub(super) pairs: u64,
    pub(super) candidates: u64,
    pub(super) verifications: u64,
    pub(super) seconds: f64,
}

/// Weights that were fitted.
#[derive(Debug)]
pub(super) struct TuneOutcome {
    pub(super) toml: String,
    pub(super) told: Value,
    /// The result in words, a line each.
    pub(super) lines: Vec<String>,
}

impl TuneOutcome {
    /// From what tuning found.
    pub(super) fn new(tuned: &Tuned) -> Self {
        let judged = |judged: &Judged| {
            json!({
                "precision": judged.precision,
                "recall": judged.recall,
                "f1": judged.f1,
                "average_precision": judged.average_precision,
            })
        };
        let quality = |quality: &tune::Quality| {
            json!({
                "threshold": quality.threshold,
                "tuned_on": judged(&quality.tuned_on),
                "held_out": judged(&quality.held_out),
            })
        };
        let interval = |interval: Interval| json!([interval.a(), interval.b()]);
        let group = |group: &GroupTuned| {
            json!({
                "group": group.group.name(),
                "evidence": group.evidence,
                "before": interval(group.before),
                "after": interval(group.after),
            })
        };
        let mut lines = vec![format!("Tuning weights: {}.", tuned.verdict())];
        for group in tuned
            .groups
            .iter()
            .filter(|group| group.before != group.after)
        {
            let name = group.group.name();
            let [a, b] =
                [group.before, group.after].map(|own| format!("[{}, {}]", own.a(), own.b()));
            lines.push(format!("{name:>22}  {a} → {b}"));
        }
        let (before, after) = (tuned.before.threshold, tuned.after.threshold);
        lines.push(match tuned.is_changed() {
            true => format!("These are the figures at the best thresholds: {before} before, {after} with these weights."),
            false => format!("This is the figure at the best threshold, {before}."),
        });
        Self {
            toml: tune::toml(tuned),
            told: json!({
                "helped": tuned.helped(),
                "changed": tuned.is_changed(),
                "before": quality(&tuned.before),
                "after": quality(&tuned.after),
                "groups": tuned.groups.iter().map(group).collect::<Vec<_>>(),
                "mended": tuned.mended,
                "broken": tuned.broken,
                "tried": tuned.steps,
            }),
            lines,
        }
    }
}

/// A pair that was judged wrongly.
#[derive(Debug, Serialize)]
pub(super) struct ShownError {
    pub(super) a: String,
    pub(super) b: String,
    pub(super) score: f64,
    /// The line of the truth that says otherwise, if one does.
    pub(super) line: Option<u64>,
    /// The texts, unless they are too long.
    #[serde(skip)]
    pub(super) view: Option<PairView>,
}

/// A text that was judged wrongly.
#[derive(Debug, Serialize)]
pub(super) struct WrongText {
    pub(super) id: String,
    #[serde(rename = "copy")]
    pub(super) is_copy: bool,
    pub(super) share: f64,
    pub(super) source: Option<String>,
}

/// Writes a setting as an object; numbers as numbers.
pub(super) fn as_object<S: Serializer>(setting: &Setting, to: S) -> Result<S::Ok, S::Error> {
    let value = |text: &String| match text.parse::<f64>() {
        Ok(_) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
        Err(_) => Value::String(text.clone()),
    };
    let options = setting.iter();
    to.collect_map(options.map(|(name, text)| (name, value(text))))
}

/// A setting in words.
pub(super) fn in_words(setting: &Setting) -> String {
    let words = setting
        .iter()
        .map(|(name, value)| format!("{name} {value}"));
    words.collect::<Vec<_>>().join(", ")
}
