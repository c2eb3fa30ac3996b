//! What `compare` shows besides the words of two texts: their terms, fingerprints and sketches.

use std::io::Write;

use anyhow::Result;
use doublet::method::simhash::{BITS, distance, hex, scores};
use doublet::method::terms::weights::UNIT;
use doublet::method::terms::{SideTerm, Sides};
use doublet::method::{Detail, Explanation};
use doublet::scores::{Metric, Scores};
use serde_json::Value;

use crate::display::{BOLD, DIM, SHARED};

/// Terms listed under one heading.
const LISTED: usize = 30;

/// Adds them to an object of JSON; `words` are the scores of the words.
pub(super) fn describe(details: &[Detail], words: &Scores, line: &mut Value) {
    for detail in details {
        match detail {
            Detail::Terms(sides) => {
                // Two texts without a term have no weight to show.
                line["degree"] = words.score(Metric::Degree).into();
                line["terms"] = terms(sides);
            }
            Detail::Bits(a, b) => {
                line["agreement"] = scores(*a, *b).score(Metric::Agreement).into();
                line["distance"] = a.zip(*b).map(|(a, b)| distance(a, b)).into();
                line["fingerprint_a"] = a.map(hex).into();
                line["fingerprint_b"] = b.map(hex).into();
            }
            Detail::Sketch(agreeing, compared) => {
                line["agreement"] = agreement(*agreeing, *compared).into();
                line["compared"] = (*compared).into();
            }
        }
    }
}

/// Prints them.
pub(super) fn print(details: &[Detail], out: &mut impl Write) -> Result<()> {
    for detail in details {
        match detail {
            Detail::Terms(sides) => print_terms(sides, out)?,
            Detail::Bits(a, b) => print_bits(*a, *b, out)?,
            Detail::Sketch(agreeing, compared) => {
                let score = agreement(*agreeing, *compared);
                let detail = format!("{agreeing} of {compared} values of the sketches agree");
                print_agreement(score, &detail, out)?;
            }
        }
    }
    Ok(())
}

fn agreement(agreeing: u32, compared: u32) -> f64 {
    Scores::of_sketches(agreeing, compared).score(Metric::Agreement)
}

fn print_agreement(score: f64, detail: &str, out: &mut impl Write) -> Result<()> {
    Ok(writeln!(
        out,
        "{:>14}  {BOLD}{score:.6}{BOLD:#}  {DIM}{detail}{DIM:#}",
        "agreement"
    )?)
}

fn print_bits(a: Option<u64>, b: Option<u64>, out: &mut impl Write) -> Result<()> {
    let detail = match a.zip(b) {
        Some((a, b)) => format!(
            "{} of {BITS} bits of the fingerprints differ",
            distance(a, b)
        ),
        None => "a text without a word has no fingerprint".to_owned(),
    };
    print_agreement(scores(a, b).score(Metric::Agreement), &detail, out)?;
    for (name, fingerprint) in [("fingerprint A", a), ("fingerprint B", b)] {
        let shown = fingerprint.map_or("none".to_owned(), hex);
        writeln!(out, "{name:>14}  {shown}")?;
    }
    Ok(())
}

/// The terms as JSON, with where they are.
fn terms(sides: &Sides) -> Value {
    let lists = [
        ("both", &sides.shared),
        ("a", &sides.only_a),
        ("b", &sides.only_b),
    ];
    let terms = lists.into_iter().flat_map(|(side, terms)| {
        terms.iter().map(move |term| {
            let mut term = term.to_json();
            term["in"] = side.into();
            term
        })
    });
    terms.collect()
}

/// Prints the terms with their weights.
fn print_terms(sides: &Sides, out: &mut impl Write) -> Result<()> {
    let sections: [(&str, &[SideTerm]); 3] = [
        ("in both", &sides.shared),
        ("in A only", &sides.only_a),
        ("in B only", &sides.only_b),
    ];
    for (index, (heading, terms)) in sections.into_iter().enumerate() {
        let sum = terms.iter().fold(0.0, |sum, term| sum + term.weight);
        let noun = if terms.len() == 1 { "term" } else { "terms" };
        writeln!(
            out,
            "\n{BOLD}{} {noun} {heading}{BOLD:#}, weight {sum:.3}",
            terms.len()
        )?;
        for term in terms.iter().take(LISTED) {
            let form: String = term.form.chars().take(60).collect();
            let (weight, group) = (term.weight, term.group.name());
            let form = match index {
                0 => format!("{SHARED}{form}{SHARED:#}"),
                _ => form,
            };
            writeln!(out, "{weight:>10.3}  {DIM}{group:<12}{DIM:#}  {form}")?;
        }
        if terms.len() > LISTED {
            writeln!(out, "{:>10}  and {} more", "", terms.len() - LISTED)?;
        }
    }
    Ok(())
}

/// What is behind the duplicate degree.
pub(super) fn degree_detail(found: &Explanation) -> String {
    let weights = &found.scores.weights;
    let plain = |weight: u64| weight as f64 / UNIT as f64;
    let union = (weights.a - weights.common).saturating_add(weights.b);
    format!(
        "the common terms weigh {:.3} of {:.3}",
        plain(weights.common),
        plain(union)
    )
}
