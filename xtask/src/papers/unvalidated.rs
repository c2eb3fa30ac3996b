//! Scores of shingles by their fingerprints alone, as the first pass of paper 001 has them, beside those of the shingles themselves.
//!
//! Written a second time, without the tool: words and shingles are those of `bench/check.rs`. A fingerprint is a hash of 64 bits
//! modulo a prime, as in the paper; different shingles with the same remainder make texts look more alike.

use std::path::Path;

use anyhow::{Context, Result};

use crate::bench::check::{SHINGLE, shingle_hash};
use crate::corpus::stats;
use crate::terms::texts::{Texts, each_record};

/// A pair as the tool gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scored {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) resemblance: f64,
    pub(super) coverage: f64,
}

/// The pairs of a file that `doublet pairs` wrote.
pub(super) fn scored_pairs(path: &Path, texts: &Texts) -> Result<Vec<Scored>> {
    let mut pairs = Vec::new();
    each_record(path, |row| {
        let text = |field: &str| texts.number(row[field].as_str()?);
        let both = text("a").zip(text("b"));
        let (a, b) = both.context("a pair of unknown texts")?;
        let score = |field: &str| {
            let score = row[field].as_f64();
            score.with_context(|| format!("a pair without `{field}`"))
        };
        pairs.push(Scored {
            a,
            b,
            resemblance: score("resemblance")?,
            coverage: score("coverage")?,
        });
        Ok(())
    })?;
    Ok(pairs)
}

/// A text as a sequence of shingles.
#[derive(Clone, Debug, Default)]
pub(super) struct Shingled {
    /// Words of the text.
    tokens: usize,
    /// The hash of the shingle that begins at each word.
    hashes: Vec<u64>,
}

impl Shingled {
    pub(super) fn new(text: &str) -> Self {
        let words = stats::words(text);
        let hashes = if words.is_empty() {
            Vec::new()
        } else {
            let windows = words.windows(SHINGLE.min(words.len()));
            windows.map(|window| shingle_hash(window) as u64).collect()
        };
        Self {
            tokens: words.len(),
            hashes,
        }
    }

    /// The set of shingles, sorted, as fingerprints.
    fn set(&self, modulus: Option<u64>) -> Vec<u64> {
        let mut set: Vec<u64> = self
            .hashes
            .iter()
            .map(|&hash| reduced(hash, modulus))
            .collect();
        set.sort_unstable();
        set.dedup();
        set
    }

    /// How many words lie under a shingle whose fingerprint is among these.
    fn covered(&self, common: &[u64], modulus: Option<u64>) -> usize {
        let (mut covered, mut end) = (0, 0);
        let width = SHINGLE.min(self.tokens);
        for (start, &hash) in self.hashes.iter().enumerate() {
            if common.binary_search(&reduced(hash, modulus)).is_ok() {
                covered += start + width - end.max(start);
                end = start + width;
            }
        }
        covered
    }
}

fn reduced(hash: u64, modulus: Option<u64>) -> u64 {
    modulus.map_or(hash, |modulus| hash % modulus)
}

/// Scores of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scores {
    pub(super) resemblance: f64,
    pub(super) coverage: f64,
    /// Distinct shingles of both.
    pub(super) union: usize,
}

/// The scores of two texts, by fingerprints if there is a modulus.
pub(super) fn scores(a: &Shingled, b: &Shingled, modulus: Option<u64>) -> Scores {
    let (set_a, set_b) = (a.set(modulus), b.set(modulus));
    let common: Vec<u64> = set_a
        .iter()
        .copied()
        .filter(|hash| set_b.binary_search(hash).is_ok())
        .collect();
    let union = set_a.len() + set_b.len() - common.len();
    let covered = a.covered(&common, modulus) + b.covered(&common, modulus);
    Scores {
        resemblance: common.len() as f64 / union.max(1) as f64,
        coverage: covered as f64 / (a.tokens + b.tokens).max(1) as f64,
        union,
    }
}

/// The texts of a collection as shingles, by number; only those that are wanted.
pub(super) fn shingled(texts: &Texts, wanted: impl Fn(u32) -> bool) -> Result<Vec<Shingled>> {
    let mut all = vec![Shingled::default(); texts.len()];
    stats::each_text(&texts.path, |id, text| {
        if let Some(number) = texts.number(id).filter(|&number| wanted(number)) {
            all[number as usize] = Shingled::new(text);
        }
    })?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "Dieter Rulff freier Journalist Berlin langen Jahren taz zuletzt leitender Redakteur \
        Wochenzeitung Woche Interesse gilt seit langem Entwicklung deutschen Innen und Parteipolitik";
    const B: &str = "Dieter Rulff freier Journalist Berlin vielen Jahren taz zuletzt leitender Redakteur \
        Zeitung Woche Interesse gilt seit langem Entwicklung deutschen Innen und Parteipolitik";

    #[test]
    fn the_worked_example_is_the_papers() {
        let scores = scores(&Shingled::new(A), &Shingled::new(B), None);
        assert_eq!(scores.resemblance, 8.0 / 28.0);
        assert_eq!(scores.coverage, 40.0 / 44.0);
        assert_eq!(scores.union, 28);
    }

    #[test]
    fn fingerprints_make_texts_more_alike() {
        let (a, b) = (Shingled::new(A), Shingled::new(B));
        let exact = scores(&a, &b, None);
        let coarse = scores(&a, &b, Some(7));
        assert!(coarse.resemblance > exact.resemblance && coarse.coverage >= exact.coverage);
        assert_eq!(scores(&a, &b, Some(1)).resemblance, 1.0);
        assert_eq!(scores(&a, &b, Some(4_294_967_291)), exact);
    }

    #[test]
    fn short_and_empty_texts_have_scores() {
        let two = Shingled::new("two words");
        assert_eq!(scores(&two, &two, None).coverage, 1.0);
        let empty = Shingled::new("…");
        assert_eq!(scores(&empty, &two, None).resemblance, 0.0);
    }
}
