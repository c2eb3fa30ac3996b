//! What `inspect` and `compare` say of fingerprints of 64 bits.

use std::io::Write;

use anyhow::Result;
use doublet::method::explain::seen_terms;
use doublet::method::shingles::{Preparer, Tokens};
use doublet::method::simhash::{BITS, Simhasher, ballot, distance, scores};
use doublet::method::terms::{Lexicon, TermSegmenter};
use doublet::scores::{Metric, Scores};
use serde_json::{Value, json};

use super::terms::named;
use crate::display::{BOLD, DIM};

/// A fingerprint as people read it.
fn hex(fingerprint: u64) -> String {
    format!("{fingerprint:016x}")
}

/// One line of JSON: the fingerprint of a text, and the features that voted for it.
pub(crate) fn describe(id: &str, hasher: Simhasher<'_>, text: &str) -> String {
    let features = match hasher {
        Simhasher::Shingles(preparer) => shingles(preparer, &preparer.tokens(text)),
        Simhasher::Terms(segmenter, lexicon) => terms(segmenter, lexicon, text),
    };
    let fingerprint = hasher.fingerprint(text).map(hex);
    format!(
        r#"{{"id": {id}, "fingerprint": {}, "features": {}}}"#,
        json!(fingerprint),
        json!(features)
    )
}

/// The distinct shingles, in the order of the text, each with the bits it votes for.
fn shingles(preparer: &Preparer, tokens: &Tokens) -> Vec<Value> {
    let mut seen = std::collections::HashSet::new();
    let first = |(_, hash): &(usize, &u64)| seen.insert(**hash);
    let distinct = tokens.shingles.iter().enumerate().filter(first);
    let described = distinct.map(|(start, &hash)| {
        let end = (start + preparer.shingle_size()).min(tokens.len());
        let words: Vec<&str> = (start..end).map(|token| tokens.form(token)).collect();
        json!({"shingle": words.join(" "), "weight": 1, "hash": hex(ballot(hash))})
    });
    described.collect()
}

/// The distinct terms, the heaviest first, each with the bits it votes for.
fn terms(segmenter: &TermSegmenter, lexicon: &Lexicon, text: &str) -> Vec<Value> {
    let seen = seen_terms(segmenter, lexicon, text);
    let mut ranks: Vec<u32> = seen.iter().map(|term| term.rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let described = ranks.into_iter().map(|rank| {
        let mut term = named(lexicon, rank);
        term["hash"] = hex(ballot(lexicon.hash(rank))).into();
        term
    });
    described.collect()
}

/// The fingerprints of two texts, where they have one.
pub(crate) struct Fingerprints {
    a: Option<u64>,
    b: Option<u64>,
}

impl Fingerprints {
    pub(crate) fn new(hasher: Simhasher<'_>, a: &str, b: &str) -> Self {
        Self {
            a: hasher.fingerprint(a),
            b: hasher.fingerprint(b),
        }
    }

    /// What decides about the pair.
    pub(crate) fn scores(&self) -> Scores {
        scores(self.a, self.b)
    }

    /// Bits in which they differ.
    fn distance(&self) -> Option<u32> {
        self.a.zip(self.b).map(|(a, b)| distance(a, b))
    }

    /// Adds the fingerprints to a line of JSON.
    pub(crate) fn describe(&self, line: &mut Value) {
        line["agreement"] = self.scores().score(Metric::Agreement).into();
        line["distance"] = self.distance().into();
        line["fingerprint_a"] = self.a.map(hex).into();
        line["fingerprint_b"] = self.b.map(hex).into();
    }

    /// Prints the fingerprints and how far they agree.
    pub(crate) fn print(&self, out: &mut impl Write) -> Result<()> {
        let agreement = self.scores().score(Metric::Agreement);
        let detail = match self.distance() {
            Some(distance) => format!("{distance} of {BITS} bits of the fingerprints differ"),
            None => "a text without a word has no fingerprint".to_owned(),
        };
        writeln!(
            out,
            "{:>14}  {BOLD}{agreement:.6}{BOLD:#}  {DIM}{detail}{DIM:#}",
            "agreement"
        )?;
        for (name, fingerprint) in [("fingerprint A", self.a), ("fingerprint B", self.b)] {
            let shown = fingerprint.map_or("none".to_owned(), hex);
            writeln!(out, "{name:>14}  {shown}")?;
        }
        Ok(())
    }
}
