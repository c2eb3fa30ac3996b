//! An independent look at the exact answer, sharing no code with the tool.
//!
//! The resemblance of every pair that anyone proposed is computed again from the texts, over sets of
//! word 5-grams: the pairs of the tool, of each peer, and of the truth file (an original and its copy).
//! Those at or above the threshold must all be in the tool's answer, and nothing else, with the right
//! score. What nobody proposed stays unseen: this finds most gaps, not all.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::Result;

use super::pairs::Pairs;
use crate::corpus::stats;

pub(crate) const SHINGLE: usize = 5;
/// Scores are printed with at least six digits.
pub(crate) const TOLERANCE: f64 = 1e-6;

/// What the check found wrong.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Pairs at or above the threshold that the answer lacks.
    pub(crate) missing: Vec<(String, String)>,
    /// Pairs in the answer that lie below the threshold.
    pub(crate) below: Vec<(String, String)>,
    /// Pairs in the answer with another score than computed here.
    pub(crate) wrong_score: Vec<(String, String)>,
}

impl Findings {
    pub(crate) fn is_clean(&self) -> bool {
        *self == Self::default()
    }

    /// Name the first pairs of each kind.
    pub(crate) fn print(&self) {
        for (kind, pairs) in [
            ("missing", &self.missing),
            ("below", &self.below),
            ("wrong score", &self.wrong_score),
        ] {
            for (a, b) in pairs.iter().take(10) {
                println!("  {kind}: {a} {b}");
            }
        }
    }
}

/// The proposed pairs that reach the threshold, each with its resemblance.
pub(crate) fn verified(corpus: &Path, proposed: &[&Pairs], threshold: f64) -> Result<Pairs> {
    let sets = shingle_sets(corpus, proposed)?;
    let mut pairs = Pairs::new();
    for (pair, _) in proposed.iter().flat_map(|pairs| pairs.iter()) {
        if let (Some(a), Some(b)) = (sets.get(pair.0.as_str()), sets.get(pair.1.as_str()))
            && let Some(score) = resemblance(a, b, threshold)
        {
            pairs.insert(pair.clone(), Some(score));
        }
    }
    Ok(pairs)
}

/// Compare an answer with what was verified; scores that differ by more than the tolerance are wrong.
pub(crate) fn compare(answer: &Pairs, verified: &Pairs, tolerance: f64) -> Findings {
    let lacks = |a: &Pairs, b: &Pairs| {
        let keys = a.keys().filter(|pair| !b.contains_key(pair));
        keys.cloned().collect::<Vec<_>>()
    };
    let wrong =
        |(pair, score): &(&(String, String), &Option<f64>)| match (score, verified.get(pair)) {
            (Some(here), Some(Some(there))) => (here - there).abs() > tolerance,
            _ => false,
        };
    let wrong_score = answer.iter().filter(wrong);
    Findings {
        missing: lacks(verified, answer),
        below: lacks(answer, verified),
        wrong_score: wrong_score.map(|(pair, _)| pair.clone()).collect(),
    }
}

/// The shingles, as sorted hashes of 128 bits, of every text in a proposed pair.
fn shingle_sets(corpus: &Path, proposed: &[&Pairs]) -> Result<HashMap<String, Vec<u128>>> {
    let keys = proposed.iter().flat_map(|pairs| pairs.keys());
    let wanted: HashSet<&str> = keys.flat_map(|(a, b)| [a.as_str(), b.as_str()]).collect();
    let mut sets = HashMap::new();
    stats::each_text(corpus, |id, text| {
        if wanted.contains(id) {
            sets.insert(id.to_owned(), shingles(text));
        }
    })?;
    Ok(sets)
}

fn shingles(text: &str) -> Vec<u128> {
    let words = stats::words(text);
    let mut shingles: Vec<u128> = if words.is_empty() {
        Vec::new()
    } else {
        words
            .windows(SHINGLE.min(words.len()))
            .map(shingle_hash)
            .collect()
    };
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

/// A shingle as a number.
pub(crate) fn shingle_hash(words: &[String]) -> u128 {
    fnv(&words.join(" "))
}

/// FNV-1a with 128 bits.
fn fnv(text: &str) -> u128 {
    text.bytes()
        .fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
            (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        })
}

/// The resemblance, if it reaches the threshold; a pair that stands exactly on it does.
fn resemblance(a: &[u128], b: &[u128], threshold: f64) -> Option<f64> {
    let common = a.iter().filter(|s| b.binary_search(s).is_ok()).count();
    let union = a.len() + b.len() - common;
    // The threshold is a decimal fraction: compare as whole numbers.
    let millionths = (threshold * 1e6).round() as usize;
    (union > 0 && common * 1_000_000 >= millionths * union).then(|| common as f64 / union as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_on_the_threshold_is_in() {
        let a: Vec<u128> = (0..10).collect();
        assert_eq!(resemblance(&a, &a[..7], 0.7), Some(0.7));
        assert_eq!(resemblance(&a, &a[..6], 0.7), None);
        assert_eq!(resemblance(&[], &[], 0.7), None);
    }

    #[test]
    fn case_and_marks_make_no_difference_but_numbers_do() {
        let text = shingles("One 2 three FOUR five");
        assert_eq!(text, shingles("one 2 Three four, five!"));
        assert_ne!(text, shingles("one 17 Three four, five!"));
        assert_eq!(shingles("two words").len(), 1);
        assert!(shingles("--").is_empty());
    }

    #[test]
    fn findings_name_each_kind_of_error() {
        let pair = |a: &str, score| ((a.to_owned(), "z".to_owned()), Some(score));
        let answer = Pairs::from([pair("a", 0.8), pair("b", 0.9), pair("c", 0.7)]);
        let verified = Pairs::from([pair("a", 0.8), pair("b", 0.95), pair("d", 0.7)]);
        let findings = compare(&answer, &verified, TOLERANCE);
        assert_eq!(findings.missing, [("d".to_owned(), "z".to_owned())]);
        assert_eq!(findings.below, [("c".to_owned(), "z".to_owned())]);
        assert_eq!(findings.wrong_score, [("b".to_owned(), "z".to_owned())]);
        assert!(compare(&answer, &answer, 0.0).is_clean());
    }
}
