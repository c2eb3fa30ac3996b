//! Very many pairs: handed on while they are found, and counted beforehand.
//!
//! Where texts share keys more often than could be held, the pairs of some first texts are found at a time, verified, and handed on in
//! order. How many there will be is told before, from the pairs of a few texts that stand evenly among all.

use std::sync::{Mutex, PoisonError};

use super::finish::{Found, Search};
use super::{Join, JoinOptions, Joined, join};
use crate::candidates::pairs::{Round, Share};
use crate::error::{Error, Result};
use crate::matches::{Documents, Identical, Match, Matches, Source, Verified};
use crate::progress::Observer;

/// Times that texts share a key, in a look at some of them.
const SAMPLED: u64 = 5_000_000;

/// How many pairs there will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Their number.
    pub pairs: u64,
    /// Whether that is their number, not one estimated from some texts.
    pub exact: bool,
}

/// Who takes the pairs of a collection, one after the other.
pub trait MatchSink: Send {
    /// Told once, before the first pair.
    ///
    /// # Errors
    /// Those of the one who takes them.
    fn announce(&mut self, documents: &Documents, expected: Expected) -> Result<()>;

    /// Takes a pair; they come in input order of the first text, then of the second.
    ///
    /// # Errors
    /// Those of the one who takes them.
    fn take(&mut self, documents: &Documents, found: &Match) -> Result<()>;
}

/// Finds all matches of a source and hands them on; what is given back has none of those that were handed on while others were
/// looked for.
///
/// # Errors
/// As [`find_matches`](super::find_matches), and those of the sink.
pub fn for_each_match(
    source: &Source,
    options: &JoinOptions,
    observer: &dyn Observer,
    sink: &mut dyn MatchSink,
) -> Result<Joined> {
    let mut watched = Watched {
        sink,
        expected: false,
    };
    let joined = join(source, options, observer, Some(&mut watched))?;
    if !watched.expected {
        let pairs = joined.matches.count();
        if let Some(most) = options.most_pairs.filter(|most| pairs > *most) {
            return Err(Error::TooManyPairs(most));
        }
        let documents = &joined.documents;
        sink.announce(documents, Expected { pairs, exact: true })?;
        joined
            .matches
            .for_each(documents, |found| sink.take(documents, &found))?;
    }
    Ok(joined)
}

/// A sink, and whether it was told what to expect.
struct Watched<'a> {
    sink: &'a mut dyn MatchSink,
    expected: bool,
}

impl MatchSink for Watched<'_> {
    fn announce(&mut self, documents: &Documents, expected: Expected) -> Result<()> {
        self.expected = true;
        self.sink.announce(documents, expected)
    }

    fn take(&mut self, documents: &Documents, found: &Match) -> Result<()> {
        self.sink.take(documents, found)
    }
}

/// One text in how many is looked at, for the look to end soon.
pub(super) fn step(expected: u64, texts: u32) -> u32 {
    let step = (2 * expected / SAMPLED).clamp(1, u64::from(texts / 8).max(1));
    step as u32
}

/// What all texts have, if the pairs with one text in `step` have so much.
pub(super) fn scale(some: u64, step: u32) -> u64 {
    let step = f64::from(step);
    (some as f64 / (2.0 / step - 1.0 / (step * step))) as u64
}

impl Join<'_> {
    /// Finds the matches of some first texts at a time and hands them on.
    pub(super) fn stream(
        &self,
        mut found: Found,
        search: &dyn Search,
        sink: Mutex<&mut (dyn MatchSink + '_)>,
    ) -> Result<Joined> {
        let sink = sink.into_inner().unwrap_or_else(PoisonError::into_inner);
        let texts = found.documents.len() as u32;
        let step = step(search.expected(), texts);
        let pairs = self.expected_pairs(&mut found, search, step)?;
        let expected = Expected {
            pairs,
            exact: false,
        };
        sink.announce(&found.documents, expected)?;
        let pushes = self.with_limits("counting pairs", |limits| {
            let some = search.pushes(Round::Share(Share::OneIn(step)), limits)?;
            Ok(scale(some, step))
        })?;
        let most = self.options.many.max(1);
        let rounds = (pushes / most + 1).min(u64::from(texts)) as u32;
        let (mut handed_on, mut start) = (0, 0);
        while start < texts {
            let end = start.saturating_add(texts.div_ceil(rounds)).min(texts);
            let end = self.end_of_round((start, end), most, search)?;
            let round = Round::Share(Share::First(start, end));
            let pairs = self.propose(round, &mut found.figures, search)?;
            self.verify(&pairs, &mut found)?;
            drop(pairs);
            let matches = Matches::new(
                found.identical,
                found.verified,
                self.wanted(&found.documents),
            );
            let documents = &found.documents;
            matches.for_each_from(start..end, documents, &mut |pair| {
                handed_on += 1;
                self.check_count(handed_on)?;
                sink.take(documents, &pair)
            })?;
            (found.identical, found.verified) = (matches.identical, matches.verified);
            let identical = &found.identical;
            found
                .verified
                .retain(|pair| is_needed(pair, identical, end));
            start = end;
        }
        found.verified = Vec::new();
        Ok(self.joined(found))
    }

    /// Where a round ends that begins with a text, at the latest with another: texts share keys so often in it at most, unless one
    /// alone does more.
    fn end_of_round(
        &self,
        (start, mut end): (u32, u32),
        most: u64,
        search: &dyn Search,
    ) -> Result<u32> {
        loop {
            let round = Round::Share(Share::First(start, end));
            let pushes =
                self.with_limits("counting pairs", |limits| search.pushes(round, limits))?;
            if pushes <= most || end - start <= 1 {
                return Ok(end);
            }
            end = start + (end - start) / 2;
        }
    }

    /// About how many pairs there are, from those of some texts.
    fn expected_pairs(&self, found: &mut Found, search: &dyn Search, step: u32) -> Result<u64> {
        let round = Round::Share(Share::OneIn(step));
        // They are found again, and counted then.
        let figures = found.figures.clone();
        let pairs = self.propose(round, &mut found.figures, search)?;
        self.verify(&pairs, found)?;
        found.figures = figures;
        let verified = std::mem::take(&mut found.verified);
        let of = |text: &u32| found.identical.group(text).len() as u64;
        let some: u64 = verified.iter().map(|pair| of(&pair.a) * of(&pair.b)).sum();
        self.check_count(some)?;
        Ok(scale(some, step) + found.count_of_copies(self))
    }
}

/// Whether a pair stands for others whose first text is this one or a later one.
fn is_needed(pair: &Verified, identical: &Identical, next: u32) -> bool {
    let groups = [identical.group(&pair.a), identical.group(&pair.b)];
    let later = |group: &&[u32]| group.last().is_some_and(|&last| last >= next);
    groups.iter().any(|group| group.len() > 1) && groups.iter().any(later)
}
