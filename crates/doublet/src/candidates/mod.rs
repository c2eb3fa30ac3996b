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
//! `meetings` compares short texts that share a key; `crowded` finds keys that far too many texts share.

pub mod blocks;
mod crowded;
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
