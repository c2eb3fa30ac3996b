//! The methods, and which stages each combines.

use std::fmt;

/// How duplicates are found. A closed set: each method has its arm in [`crate::batch::find_matches`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// The complete similarity matrix over word shingles (Kupietz 2005). Candidates by prefix filter or probing, scores
    /// exact.
    #[default]
    Shingles,
}

impl Method {
    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shingles => "shingles",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
