//! Shingles: runs of tokens as fingerprints, and the exact scores of two texts by them.

mod compare;
pub(crate) mod fitted;
mod prepare;

pub use compare::VerifyTexts;
pub use prepare::{Prepared, Preparer, TokenBuffer, Tokens};
