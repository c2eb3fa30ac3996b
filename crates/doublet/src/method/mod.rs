//! The methods: what each learns of a collection, how it turns a text into keys, and how it compares two texts.

mod decision;
#[cfg(test)]
pub(crate) mod dummy;
mod fitted;
mod info;
pub mod minhash;
pub(crate) mod numbers;
mod options;
pub mod sentences;
pub mod shingles;
pub mod simhash;
pub mod terms;

use std::fmt;

pub use decision::Decision;
pub(crate) use fitted::{Beside, Comparer, Fit, FittedMethod};
pub use fitted::{Detail, Explanation, Fields, Fitted, Inspector};
pub use info::MethodInfo;
pub use options::MatchOptions;

/// What a text counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextCounts {
    pub(crate) tokens: u32,
    pub(crate) distinct: u32,
    /// Equal for texts of the same tokens.
    pub(crate) identity: u128,
}

/// How duplicates are found. A closed set: a `match` that names all methods is found by the compiler when there is a new one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The complete similarity matrix over word shingles (Kupietz 2005). Candidates by prefix filter or probing, scores
    /// exact.
    #[default]
    Shingles,
    /// Sketches of the shingle sets, for collections of web size (Broder; Radinsky, Manning and Raghavan). Candidates by bands that
    /// reach a stated recall, scores exact unless those of the sketches are asked for.
    Minhash,
    /// One fingerprint of 64 bits a text, compared bit by bit (Charikar 2002, Manku et al. 2007).
    Simhash,
    /// Weighted terms of short texts (Gong et al. 2008). Candidates by features, or complete by prefix filter; scores exact.
    Terms,
    /// Sentences as fingerprints, for texts that are copied in part (Yoon et al. 2012).
    Sentences,
    /// One fingerprint of the distinct words of a text that are not common (Chowdhury et al. 2002).
    Imatch,
    /// By letters, to show all that a method takes.
    #[cfg(test)]
    Dummy,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 6] = [
        Self::Shingles,
        Self::Minhash,
        Self::Simhash,
        Self::Terms,
        Self::Sentences,
        Self::Imatch,
    ];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
