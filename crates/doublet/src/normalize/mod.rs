//! Stage 2, normalise: what two spellings must share to be one token.
//!
//! [`class`] says which characters make tokens, [`form`] gives a word its normal form, [`stop_words`] holds the lists of words
//! to leave out. Normalising never moves text: every token keeps its place in the original (see [`crate::segment`]).

pub mod class;
pub mod form;
pub mod stop_words;
