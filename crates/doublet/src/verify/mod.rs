//! Stage 6, verify: the exact scores of a pair, from the real shingles.
//!
//! Texts are matched by fingerprint; wherever two agree, the words behind them are compared too, and should two different
//! shingles ever share a fingerprint, the pair is counted again by the words alone. So the scores are exact for any
//! fingerprint. Every score of a pair follows from seven counts, kept as [`Scores`].

mod scores;
pub(crate) mod sentences;
pub(crate) mod terms;
mod text;

pub use scores::{Metric, Scores, Weights};
pub use text::VerifyTexts;
