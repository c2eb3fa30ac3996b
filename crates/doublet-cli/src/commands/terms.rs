//! What `inspect` and `compare` say of weighted terms.

use std::io::Write;

use anyhow::Result;
use doublet::method::explain::{Explanation, SeenTerm, seen_terms};
use doublet::method::terms::features::FeatureOptions;
use doublet::method::terms::weights::{UNIT, WeightOptions};
use doublet::method::terms::{Group, Lexicon, TermSegmenter};
use doublet::threshold::Threshold;
use serde_json::{Map, Value, json};

use crate::display::{BOLD, DIM, SHARED};

/// Terms listed under one heading of a comparison.
const LISTED: usize = 30;

/// A weight as people read it.
fn weight_of(lexicon: &Lexicon, rank: u32) -> f64 {
    lexicon.weight(rank) as f64 / UNIT as f64
}

/// The groups: their intervals, and the frequencies their terms lie between.
pub(crate) fn groups(lexicon: &Lexicon, weights: &WeightOptions) -> Value {
    let one = |group: Group| {
        let (interval, range) = (weights.interval(group), lexicon.range(group));
        let described =
            json!({"a": interval.a(), "b": interval.b(), "max": range.max, "min": range.min});
        (group.name().to_owned(), described)
    };
    let groups: Map<String, Value> = Group::ALL.into_iter().map(one).collect();
    json!({ "groups": groups })
}

/// The terms of a text, its features and fingerprints; `offset` turns byte ranges into code points.
pub(crate) fn describe(
    id: &str,
    lexicon: &Lexicon,
    seen: &[SeenTerm],
    (options, threshold): (FeatureOptions, Threshold),
    mut offset: impl FnMut(&SeenTerm) -> (usize, usize),
) -> String {
    let terms: Vec<Value> = seen
        .iter()
        .map(|term| {
            let (start, end) = offset(term);
            let mut described = named(lexicon, term.rank);
            described["start"] = start.into();
            described["end"] = end.into();
            described
        })
        .collect();
    let mut ranks: Vec<u32> = seen.iter().map(|term| term.rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let weights: Vec<u64> = ranks.iter().map(|&rank| lexicon.weight(rank)).collect();
    ranks.truncate(options.features(&weights, threshold));
    let features: Vec<&str> = ranks.iter().map(|&rank| lexicon.form(rank)).collect();
    let hashes: Vec<u64> = ranks.iter().map(|&rank| lexicon.hash(rank)).collect();
    let mut fingerprints = Vec::new();
    options.fingerprints(&hashes, |f| fingerprints.push(format!("{f:016x}")));
    format!(
        r#"{{"id": {id}, "terms": {}, "features": {}, "fingerprints": {}}}"#,
        json!(terms),
        json!(features),
        json!(fingerprints)
    )
}

/// A term with its group, frequency and weight.
pub(super) fn named(lexicon: &Lexicon, rank: u32) -> Value {
    json!({
        "term": lexicon.form(rank),
        "group": lexicon.group(rank).name(),
        "frequency": lexicon.frequency(rank),
        "weight": weight_of(lexicon, rank),
    })
}

/// The distinct terms of two texts, the heaviest first: shared ones, and those of either alone.
pub(crate) struct Sides {
    shared: Vec<u32>,
    only_a: Vec<u32>,
    only_b: Vec<u32>,
}

impl Sides {
    pub(crate) fn new(segmenter: &TermSegmenter, lexicon: &Lexicon, a: &str, b: &str) -> Self {
        let ranks = |text: &str| {
            let seen = seen_terms(segmenter, lexicon, text);
            let mut ranks: Vec<u32> = seen.iter().map(|term| term.rank).collect();
            ranks.sort_unstable();
            ranks.dedup();
            ranks
        };
        let (a, b) = (ranks(a), ranks(b));
        let in_b = |rank: &u32| b.binary_search(rank).is_ok();
        let in_a = |rank: &u32| a.binary_search(rank).is_ok();
        Self {
            shared: a.iter().copied().filter(in_b).collect(),
            only_a: a.iter().copied().filter(|rank| !in_b(rank)).collect(),
            only_b: b.iter().copied().filter(|rank| !in_a(rank)).collect(),
        }
    }

    /// The terms as JSON, with where they stand.
    pub(crate) fn to_json(&self, lexicon: &Lexicon) -> Value {
        let sides = [
            ("both", &self.shared),
            ("a", &self.only_a),
            ("b", &self.only_b),
        ];
        let terms = sides.into_iter().flat_map(|(side, ranks)| {
            ranks.iter().map(move |&rank| {
                let mut term = named(lexicon, rank);
                term["in"] = side.into();
                term
            })
        });
        terms.collect()
    }

    /// Prints the terms with their weights.
    pub(crate) fn print(&self, out: &mut impl Write, lexicon: &Lexicon) -> Result<()> {
        let sections = [
            ("in both", &self.shared),
            ("in A only", &self.only_a),
            ("in B only", &self.only_b),
        ];
        for (index, (heading, ranks)) in sections.into_iter().enumerate() {
            let sum = ranks
                .iter()
                .fold(0.0, |sum, &rank| sum + weight_of(lexicon, rank));
            let noun = if ranks.len() == 1 { "term" } else { "terms" };
            writeln!(
                out,
                "\n{BOLD}{} {noun} {heading}{BOLD:#}, weight {sum:.3}",
                ranks.len()
            )?;
            for &rank in ranks.iter().take(LISTED) {
                let form: String = lexicon.form(rank).chars().take(60).collect();
                let (weight, group) = (weight_of(lexicon, rank), lexicon.group(rank).name());
                let form = match index {
                    0 => format!("{SHARED}{form}{SHARED:#}"),
                    _ => form,
                };
                writeln!(out, "{weight:>10.3}  {DIM}{group:<12}{DIM:#}  {form}")?;
            }
            if ranks.len() > LISTED {
                writeln!(out, "{:>10}  and {} more", "", ranks.len() - LISTED)?;
            }
        }
        Ok(())
    }
}

/// What is behind the duplicate degree.
pub(crate) fn degree_detail(found: &Explanation) -> String {
    let weights = &found.scores.weights;
    let plain = |weight: u64| weight as f64 / UNIT as f64;
    let union = (weights.a - weights.common).saturating_add(weights.b);
    format!(
        "the common terms weigh {:.3} of {:.3}",
        plain(weights.common),
        plain(union)
    )
}
