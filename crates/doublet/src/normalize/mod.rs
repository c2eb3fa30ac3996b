//! Stage 2, normalise: what two spellings must share to be one token.
//!
//! [`class`] says which characters make tokens, [`form`] gives a word its normal form, [`stop_words`] holds the lists of words
//! to leave out. Normalising never moves text: every token keeps its place in the original (see [`crate::segment`]).

pub mod class;
pub mod form;
pub mod stop_words;

use crate::hash::hash_bytes;
use crate::options::{NormalizeOptions, TokenKind};

/// The options in words, for files whose contents depend on them.
pub fn signature(options: &NormalizeOptions) -> String {
    let numbers = options.numbers.name();
    // Not said of words, so that older files stay good.
    let tokens = match options.tokens {
        TokenKind::Words => "",
        TokenKind::Spaces => "tokens spaces, ",
        TokenKind::Characters => "tokens characters, ",
    };
    let fold = |fold: bool| if fold { "fold" } else { "keep" };
    let stop_words = options.stop_words.join("\n");
    format!(
        "{tokens}numbers {numbers}, case {}, accents {}, ascii {}, stop words {:016x}",
        fold(options.fold_case),
        fold(options.fold_accents),
        options.ascii,
        hash_bytes(stop_words.as_bytes()),
    )
}
