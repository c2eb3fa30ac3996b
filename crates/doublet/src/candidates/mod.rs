//! Stage 5, candidates: which pairs of texts are worth verifying.
//!
//! `prefix` and `probe` are complete: no pair at or above the threshold is missed, they may only propose too many.
//! `prefix` is for resemblance, where both texts must share rare shingles; `probe` is for the metrics in which one text
//! may be a small part of the other. Both cut the fingerprints into `partition`s that fit the cache, and count how many
//! selected shingles a pair shares before they propose it.
//!
//! `lists` counts the keys that two texts share, whatever the keys are: `prefix` gives it shingles, `batch::minhash` bands or values of
//! sketches, which find a pair with a stated probability. `near` finds fingerprints of 64 bits within a distance, all of them.
//!
//! `term_keys` gives short texts the keys by which they meet, features of the paper's kind (which may miss pairs) or complete ones, and
//! `meetings` compares those that meet; `crowded` finds keys under which far too many would.

pub mod blocks;
mod crowded;
pub(crate) mod distinct;
pub(crate) mod frequency;
pub(crate) mod lists;
mod meeting_groups;
mod meeting_table;
pub(crate) mod meetings;
pub(crate) mod near;
pub(crate) mod pairs;
pub(crate) mod partition;
pub(crate) mod prefix;
pub(crate) mod probe;
pub(crate) mod sketch_keys;
pub(crate) mod term_keys;

/// Two texts that may be a match; `a < b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CandidatePair {
    /// The text that stands first in the input.
    pub a: u32,
    /// The other.
    pub b: u32,
}

/// Which pairs are asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Texts from this number on are references.
    pub(crate) references: u32,
    /// Only pairs of a text and a reference.
    pub(crate) across_only: bool,
}

impl Wanted {
    /// Whether the pair is asked for. Two references never are.
    #[inline(always)]
    pub(crate) fn pair(self, a: u32, b: u32) -> bool {
        let (a, b) = (a >= self.references, b >= self.references);
        if self.across_only { a != b } else { !(a && b) }
    }
}
