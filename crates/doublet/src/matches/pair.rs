//! Pairs of texts before they are compared.

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
