//! Terms of short texts: cut and tagged, counted, weighed, and made into features.
//!
//! [`segment`] cuts a text into terms and says of each to which group of words it belongs; [`vocabulary`] counts them over a
//! collection, [`background`] keeps such counts in a file, [`weights`] says what a term weighs, and the [`Lexicon`] has all terms
//! of a run in the order of their weights. [`features`] are the heaviest terms of a text and the fingerprints made of them.

pub mod background;
pub mod features;
mod lexicon;
mod open;
pub mod segment;
pub mod vocabulary;
pub mod weights;

use xxhash_rust::xxh3::xxh3_128;

pub use lexicon::Lexicon;
pub(crate) use lexicon::Ranks;
pub use open::{SEGMENT_VERSION, fallback_language, segment_signature};
pub use segment::{Group, Language, Scratch, Term, TermSegmenter};

/// Equal for texts of the same terms, given the hashes of these.
pub(crate) fn identity(hashes: &[u64]) -> u128 {
    xxh3_128(bytemuck::cast_slice(hashes))
}
