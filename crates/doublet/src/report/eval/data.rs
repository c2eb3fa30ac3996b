//! What the page shows, as plain data.
//!
//! A figure that could not be computed is `f64::NAN`: the page shows a dash.

use crate::report::chart::Axis;
use crate::report::html::ViewSection;

/// Everything that one evaluation shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvalPage {
    /// What was judged, for example the names of the inputs.
    pub title: String,
    /// The version of doublet.
    pub version: String,
    /// What was asked for, as a command line.
    pub command: String,
    /// The files that were read.
    pub input: Vec<String>,
    /// Facts about the truth: a name and a value each, for example `Labelled pairs`, `12,000`.
    pub truth: Vec<(String, String)>,
    /// How pairs without a label were treated, which rows were left out: full sentences.
    pub notes: Vec<String>,
    /// Results that look wrong, in full sentences; shown first.
    pub warnings: Vec<String>,
    /// The result in one sentence; without it, the baseline's is told.
    pub headline: Option<Headline>,
    /// The measures in groups.
    pub measures: Vec<MeasureGroup>,
    /// How the intervals were made, in a full sentence; may be empty.
    pub intervals: String,
    /// What was found and what is true.
    pub counts: Option<Confusion>,
    /// Several settings, compared.
    pub sweep: Option<Sweep>,
    /// Several methods, compared.
    pub methods: Vec<MethodRow>,
    /// Which of `methods` is the best.
    pub best_method: Option<usize>,
    /// An approximate setting against the complete join.
    pub baseline: Option<Baseline>,
    /// Errors side by side, in sections: four at most, twenty pairs in each.
    pub views: Vec<ViewSection>,
    /// The options that were in force: name and value.
    pub options: Vec<(String, String)>,
}

/// The result in one sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Headline {
    /// What is found, in the plural; `duplicates` if empty.
    pub things: String,
    /// The share of them that is found.
    pub recall: f64,
    /// The share of what is found that is right.
    pub precision: f64,
    /// The two in one figure.
    pub f1: f64,
}

/// Measures that belong under one heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasureGroup {
    /// For example `Pairs`.
    pub name: String,
    /// Its measures.
    pub rows: Vec<MeasureRow>,
}

/// One measure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasureRow {
    /// For example `Precision`.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The low end of its interval.
    pub low: Option<f64>,
    /// The high end of its interval.
    pub high: Option<f64>,
    /// What it says, in plain words; [`super::meaning`] has them.
    pub meaning: String,
}

/// What was found and what is true, in pairs or in documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// What is counted, in the plural; `pairs` if empty.
    pub things: String,
    /// Found, and duplicates.
    pub true_positives: u64,
    /// Found, and different.
    pub false_positives: u64,
    /// Not found, and duplicates.
    pub false_negatives: u64,
    /// Not found, and different; `None` where they were not counted.
    pub true_negatives: Option<u64>,
}

/// Several settings, compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweep {
    /// The options that were swept: one makes a line chart, two a heat map.
    pub axes: Vec<Axis>,
    /// The settings.
    pub rows: Vec<SweepRow>,
    /// Names of the columns `more` of the rows.
    pub more: Vec<String>,
    /// Which of `rows` is the best.
    pub best: Option<usize>,
    /// Which of `rows` is the setting that was given, or the default.
    pub given: Option<usize>,
    /// What the best setting reaches where it was not chosen.
    pub held_out: Option<HeldOut>,
}

/// One setting.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepRow {
    /// For each axis, which of its values.
    pub at: Vec<usize>,
    /// Its precision.
    pub precision: f64,
    /// Its recall.
    pub recall: f64,
    /// Its F1.
    pub f1: f64,
    /// The low end of the interval of F1.
    pub f1_low: Option<f64>,
    /// The high end of the interval of F1.
    pub f1_high: Option<f64>,
    /// Further columns, as they are to be shown.
    pub more: Vec<String>,
}

/// What the setting that is best on one half of the truth reaches on the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeldOut {
    /// The setting, for example `threshold 0.75`.
    pub setting: String,
    /// Its F1 on the half on which it was chosen.
    pub chosen_f1: f64,
    /// Its F1 on the other half.
    pub f1: f64,
    /// The low end of its interval.
    pub low: Option<f64>,
    /// The high end of its interval.
    pub high: Option<f64>,
    /// The setting to compare with.
    pub given: Option<Given>,
}

/// The setting that was given, or the default, on the held-out half.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// The setting, for example `threshold 0.8, the default`.
    pub setting: String,
    /// Its F1 on the held-out half.
    pub f1: f64,
    /// The low end of the interval of the difference: chosen less given.
    pub gain_low: Option<f64>,
    /// The high end of that interval.
    pub gain_high: Option<f64>,
}

/// One method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MethodRow {
    /// Its name.
    pub name: String,
    /// The least score that makes two texts a pair.
    pub threshold: Option<f64>,
    /// Its precision.
    pub precision: f64,
    /// Its recall.
    pub recall: f64,
    /// Its F1.
    pub f1: f64,
    /// The low end of the interval of F1.
    pub f1_low: Option<f64>,
    /// The high end of the interval of F1.
    pub f1_high: Option<f64>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Seconds of processor time, over all cores.
    pub cpu_seconds: Option<f64>,
    /// The most memory held at once, in bytes; 0 if not known.
    pub peak_memory: u64,
    /// Why there are no figures, or what else to know; may be empty.
    pub note: String,
}

/// An approximate setting against the complete join.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    /// The share of the complete join's pairs that the setting finds.
    pub recall: f64,
    /// The share of the setting's pairs that the complete join finds too.
    pub precision: f64,
    /// Texts.
    pub documents: u64,
    /// Pairs that these texts make.
    pub all_pairs: u64,
    /// The setting.
    pub setting: BaselineSide,
    /// The complete join.
    pub complete: BaselineSide,
}

/// What one of the two did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BaselineSide {
    /// What it is, for example `minhash, recall 0.95`.
    pub name: String,
    /// Pairs it found.
    pub pairs: u64,
    /// Pairs it proposed by fingerprints alone.
    pub candidates: Option<u64>,
    /// Pairs whose texts it compared.
    pub verifications: Option<u64>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// The most memory held at once, in bytes; 0 if not known.
    pub peak_memory: u64,
}
