//! Which text of a cluster is kept.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::cluster::Linkage;
use crate::document::DocId;
use crate::error::Error;
use crate::matches::{Documents, Matches, RankBy};
use crate::names::written_as_given;

/// Which text of a cluster is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The first in the input.
    First,
    /// The last in the input.
    Last,
    /// The one with most characters.
    Longest,
    /// The one that most others match, so that few texts are kept: see [`super::Linkage::Star`]. With the other
    /// linkages, and among copies, the first in the input.
    Central,
    /// The one with the largest value of a field, or the smallest.
    Field {
        /// Name or dotted path of the field.
        name: String,
        /// Whether the text with the smallest value is kept.
        smallest: bool,
    },
}

written_as_given!(Keep);

impl Keep {
    /// What has to be read along with the texts.
    pub fn rank_by(&self) -> RankBy {
        match self {
            Self::Central | Self::First | Self::Last => RankBy::Nothing,
            Self::Longest => RankBy::Length,
            Self::Field { .. } => RankBy::Field,
        }
    }

    /// `Less` when `a` is to be kept rather than `b`. References come before all texts; texts without the field come last;
    /// among equals the first in the input is kept.
    pub(crate) fn order(&self, documents: &Documents, a: u32, b: u32) -> Ordering {
        let is_text = |text: u32| text < documents.references();
        let by_rank = |smallest: bool| match (documents.rank(DocId(a)), documents.rank(DocId(b))) {
            (Some(x), Some(y)) if smallest => x.compare(y),
            (Some(x), Some(y)) => y.compare(x),
            (x, y) => y.is_some().cmp(&x.is_some()),
        };
        let by_rule = match self {
            Self::Central | Self::First => Ordering::Equal,
            Self::Last => b.cmp(&a),
            Self::Longest => by_rank(false),
            Self::Field { smallest, .. } => by_rank(*smallest),
        };
        is_text(a).cmp(&is_text(b)).then(by_rule).then(a.cmp(&b))
    }

    /// Of a text and its copies, given the first, the one to keep.
    pub(crate) fn best_copy(&self, documents: &Documents, matches: &Matches, first: u32) -> u32 {
        let copies = matches.identical.group(&first).iter().copied();
        let best = copies.min_by(|&a, &b| self.order(documents, a, b));
        best.unwrap_or(first)
    }
}

impl Keep {
    /// The rule for removing whole texts unless another is given. Where a match may be a short text within a longer one, the longest
    /// is kept, since it must not be removed for what it contains.
    pub fn for_removal(linkage: Linkage, finds_parts: bool) -> Self {
        match linkage {
            _ if finds_parts => Self::Longest,
            Linkage::Star => Self::Central,
            Linkage::Connected | Linkage::Complete => Self::First,
        }
    }
}

impl FromStr for Keep {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let field = |name: &str, smallest| Self::Field {
            name: name.to_owned(),
            smallest,
        };
        match (text, text.strip_prefix("field:")) {
            ("central", _) => Ok(Self::Central),
            ("first", _) => Ok(Self::First),
            ("last", _) => Ok(Self::Last),
            ("longest", _) => Ok(Self::Longest),
            (_, Some(name)) if !name.trim_start_matches('-').is_empty() => {
                Ok(match name.strip_prefix('-') {
                    Some(name) => field(name, true),
                    None => field(name, false),
                })
            }
            _ => Err(Error::Option {
                option: "keep",
                value: text.to_owned(),
                expected: "give central, first, last, longest, field:NAME (largest value) or field:-NAME (smallest)".to_owned(),
            }),
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Central => f.write_str("central"),
            Self::First => f.write_str("first"),
            Self::Last => f.write_str("last"),
            Self::Longest => f.write_str("longest"),
            Self::Field { name, smallest } => {
                write!(f, "field:{}{name}", if *smallest { "-" } else { "" })
            }
        }
    }
}
