//! Counts how many keys each pair of texts shares.
//!
//! Pairs arrive one shared key at a time, are partitioned by their first text, on disk past the budget, sorted and counted.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::partition::{Feeder, Partitions};
use crate::error::{Error, Result};
use crate::matches::CandidatePair;
use crate::parallel;

/// Pairs in one partition that are sorted well within the cache.
const PER_PARTITION: u64 = 1 << 17;
const MOST_PARTITIONS: u64 = 2048;

/// Which pairs of a shingle's texts are pushed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Round<'a> {
    /// Each text with the next one only: enough to connect texts that share much.
    Neighbours,
    /// All, but for pairs whose texts are in one set already, if the set of each text is given.
    All(Option<&'a [u32]>),
    /// Those of some texts, with whomever.
    Share(Share),
}

/// Some of the texts, whose pairs are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Share {
    /// Pairs whose first text is from the one number up to the other.
    First(u32, u32),
    /// Pairs with a text that is one in so many, see [`is_sampled`].
    OneIn(u32),
}

/// Whether a text is one of the one in `step` that are looked at; by a mixed number, for collections may have a period.
pub(crate) fn is_sampled(text: u32, step: u32) -> bool {
    (text.wrapping_mul(0x9E37_79B9).rotate_right(16)).is_multiple_of(step)
}

/// How a text stands to a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Its pairs are looked for.
    Own,
    /// Its pairs with those are.
    Other,
    /// None of its pairs is.
    Out,
}

impl Share {
    /// How a text stands to it.
    pub(crate) fn side(self, text: u32) -> Side {
        match self {
            Share::First(start, _) if text < start => Side::Out,
            Share::First(_, end) if text < end => Side::Own,
            Share::OneIn(step) if is_sampled(text, step) => Side::Own,
            _ => Side::Other,
        }
    }

    /// Whether the pair is one of its own.
    pub(crate) fn wants(self, a: u32, b: u32) -> bool {
        let sides = [self.side(a), self.side(b)];
        sides.contains(&Side::Own) && !sides.contains(&Side::Out)
    }
}

impl Round<'_> {
    /// Whether the pair is still of interest.
    #[inline(always)]
    pub(crate) fn wants(self, a: u32, b: u32) -> bool {
        match self {
            Round::All(Some(sets)) => sets[a as usize] != sets[b as usize],
            Round::Share(share) => share.wants(a, b),
            _ => true,
        }
    }

    /// Whether no pair of these texts is of interest.
    pub(crate) fn is_done(self, mut texts: impl Iterator<Item = u32>) -> bool {
        match self {
            Round::All(Some(sets)) => {
                let first = texts.next().map(|text| sets[text as usize]);
                texts.all(|text| Some(sets[text as usize]) == first)
            }
            _ => false,
        }
    }

    /// How many of the least number of shared shingles a pair must have been pushed with. Neighbours of one shingle need not
    /// be neighbours of the next, and what is missed in that round is found in the other.
    pub(crate) fn least(self, least: u32) -> u32 {
        match self {
            Round::Neighbours => least.div_ceil(2),
            Round::All(_) | Round::Share(_) => least,
        }
    }
}

/// What a count may use.
pub(crate) struct Limits<'a> {
    pub(crate) threads: usize,
    /// Bytes for the pairs.
    pub(crate) budget: u64,
    /// Directory for temporary files.
    pub(crate) directory: &'a Path,
    /// Pairs that were counted so far.
    pub(crate) added_up: &'a AtomicU64,
    /// The most matches that may be found, and the error past them.
    pub(crate) most_matches: u64,
    pub(crate) too_many: &'a (dyn Fn(u64) -> Error + Sync),
    /// Called after every step; an error ends the count.
    pub(crate) tick: &'a (dyn Fn() -> Result<()> + Sync),
}

/// Where pairs are pushed.
pub(crate) trait PairSink {
    /// Takes one shared shingle of the pair, seen from `a`.
    fn push(&mut self, a: u32, b: u32) -> Result<()>;
}

/// Counts what is pushed and keeps none of it.
#[derive(Default)]
struct PushCount(u64);

impl PairSink for PushCount {
    fn push(&mut self, _: u32, _: u32) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
}

/// How many pairs `walk` pushes, going through all `parts`.
pub(crate) fn count_pushes(
    parts: usize,
    limits: &Limits<'_>,
    walk: &(dyn Fn(usize, &mut dyn PairSink) -> Result<()> + Sync),
) -> Result<u64> {
    let counts = parallel::map(limits.threads, parts, |part| {
        let mut sink = PushCount::default();
        walk(part, &mut sink)?;
        (limits.tick)()?;
        Ok(sink.0)
    })?;
    Ok(counts.into_iter().sum())
}

/// Goes through the shingles of all `parts` by `walk`, which pushes pairs into the sink it is given, and returns the pairs that
/// `accept` takes, given the number of times each was pushed; in order of the first text, then the second. `expected` is the
/// most pushes there can be.
pub(crate) fn count_pairs(
    texts: u32,
    parts: usize,
    expected: u64,
    limits: &Limits<'_>,
    walk: &(dyn Fn(usize, &mut dyn PairSink) -> Result<()> + Sync),
    accept: &(dyn Fn(u32, u32, u32) -> bool + Sync),
) -> Result<Vec<CandidatePair>> {
    let texts = texts.max(1);
    let width = texts.div_ceil((expected / PER_PARTITION).clamp(1, MOST_PARTITIONS) as u32);
    let count = texts.div_ceil(width) as usize;
    let partitions = Partitions::new(count, limits.budget, limits.directory);
    parallel::for_each_with(
        limits.threads,
        parts,
        || PairFeeder {
            feeder: partitions.feeder(),
            width,
        },
        |feeder, part| {
            walk(part, feeder)?;
            (limits.tick)()
        },
        |feeder| feeder.feeder.finish(),
    )?;
    let parts = parallel::map(limits.threads, count, |part| {
        let mut pairs = partitions.take(part)?;
        pairs.sort_unstable();
        let runs = pairs.chunk_by(|x, y| x == y);
        let mut counted = 0;
        let accepted = runs.filter_map(|run| {
            counted += 1;
            let (a, b) = ((run[0] >> 32) as u32, run[0] as u32);
            accept(a, b, run.len() as u32).then_some(CandidatePair { a, b })
        });
        let accepted: Vec<_> = accepted.collect();
        limits.added_up.fetch_add(counted, Ordering::Relaxed);
        Ok(accepted)
    })?;
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    // Each is freed once it is copied.
    parts.into_iter().for_each(|part| all.extend(part));
    Ok(all)
}

/// One worker's way into the partitions.
struct PairFeeder<'a> {
    feeder: Feeder<'a>,
    width: u32,
}

impl PairSink for PairFeeder<'_> {
    #[inline]
    fn push(&mut self, a: u32, b: u32) -> Result<()> {
        let pair = u64::from(a) << 32 | u64::from(b);
        self.feeder.push((a / self.width) as usize, pair)
    }
}
