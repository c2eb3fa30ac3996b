//! Terms of short texts: cut and tagged, counted, weighed, and made into features.
//!
//! [`crate::segment::terms`] cuts a text into terms and says of each to which group of words it belongs; [`vocabulary`] counts them over a
//! collection, [`background`] keeps such counts in a file, [`weights`] says what a term weighs, and the [`Lexicon`] has all terms
//! of a run in the order of their weights. [`features`] are the heaviest terms of a text and the fingerprints made of them.

pub mod background;
pub(crate) mod compare;
pub mod features;
mod fitted;
pub(crate) mod keys;
mod lexicon;
mod open;
mod options;
pub mod vocabulary;
pub mod weights;

use xxhash_rust::xxh3::xxh3_128;

pub use crate::segment::terms::{Group, Language, Scratch, Term, TermSegmenter};
pub use fitted::{Fitted, SideTerm, Sides};
pub(crate) use fitted::{explain_terms, learn_terms_of, rank_terms_of};
pub use lexicon::Lexicon;
pub(crate) use lexicon::Ranks;
pub use open::{SEGMENT_VERSION, fallback_language, segment_signature};
pub use options::{Candidates, TermOptions};

/// Equal for texts of the same terms, given the hashes of these.
pub(crate) fn identity(hashes: &[u64]) -> u128 {
    xxh3_128(bytemuck::cast_slice(hashes))
}
