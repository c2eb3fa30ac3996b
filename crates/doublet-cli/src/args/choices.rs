//! Options that choose from some names.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use doublet::method::Method;
use doublet::method::terms::Candidates;
use doublet::sketch::MeetBy;

/// Reads one of some names.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    names: &'static [(T, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let known = PossibleValuesParser::new(names.iter().map(|(_, name)| *name));
    known.try_map(|given: String| {
        let found = names.iter().find(|(_, name)| *name == given);
        found.map(|(value, _)| *value).ok_or("no such name")
    })
}

/// Reads the name of a method.
pub(super) fn a_method() -> impl TypedValueParser<Value = Method> {
    let known = PossibleValuesParser::new(Method::ALL.map(Method::name));
    known.try_map(|given: String| Method::from_name(&given).ok_or("no such name"))
}

/// The methods that tables of frequencies are made for.
pub(super) const COUNTING: &[(Method, &str)] = &[
    (Method::Terms, Method::Terms.name()),
    (Method::Sentences, Method::Sentences.name()),
];

/// Where candidates come from, and in which method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CandidatesBy {
    /// Those of `terms`.
    Terms(Candidates),
    /// Those of `minhash`.
    Sketches(MeetBy),
}

impl CandidatesBy {
    pub(super) const NAMES: &[(Self, &str)] = &[
        (Self::Terms(Candidates::Auto), Candidates::Auto.name()),
        (
            Self::Terms(Candidates::Features),
            Candidates::Features.name(),
        ),
        (Self::Terms(Candidates::Exact), Candidates::Exact.name()),
        (
            Self::Terms(Candidates::Baseline),
            Candidates::Baseline.name(),
        ),
        (Self::Sketches(MeetBy::Bands), MeetBy::Bands.name()),
        (Self::Sketches(MeetBy::Values), MeetBy::Values.name()),
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Terms(candidates) => candidates.name(),
            Self::Sketches(meet_by) => meet_by.name(),
        }
    }
}

/// Whether something is done.
pub(super) const SWITCH: &[(bool, &str)] = &[(true, "on"), (false, "off")];
/// Whether letters are folded into one; the default first.
pub(super) const CASE: &[(bool, &str)] = &[(true, "fold"), (false, "keep")];
pub(super) const ACCENTS: &[(bool, &str)] = &[(false, "keep"), (true, "fold")];

/// The name of a choice between two.
pub(super) fn name_of(names: &[(bool, &'static str)], value: bool) -> &'static str {
    let found = names.iter().find(|(other, _)| *other == value);
    found.map_or("", |(_, name)| name)
}
