//! Finds all pairs of fingerprints that differ in few bits: table by table, by sorting, exclusive or and counting bits.
//!
//! The fingerprints are all different. A table is partitioned by the bits that come first in it, each partition sorted, and those of
//! one key compared with one another; very long runs of one key are compared by all threads together. Where only what hangs
//! together is asked for, a run gives at most as many pairs as it takes to connect it, and what a table connects is known to the next.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::blocks::{BlockPlan, Table};
use super::pairs::Limits;
use super::partition::Partitions;
use crate::error::Result;
use crate::matches::CandidatePair;
use crate::parallel;
use crate::union_find::UnionFind;

/// Fingerprints in a partition that are sorted within the cache.
const PER_PARTITION: usize = 1 << 16;
const MOST_PARTITIONS: usize = 2048;
/// Fingerprints that a thread puts into partitions at a time.
const STEP: usize = 1 << 16;
/// Runs of one key that are longer are compared by all threads, so many rows at a time.
const LONG: usize = 1 << 13;
const ROWS: usize = 512;
/// Tasks of a long run between two looks at what is connected.
const WAVE: usize = 16;
/// Fingerprints that are looked at together before any is looked at alone.
const LANES: usize = 8;

/// What to look for.
pub(crate) struct NearSearch<'a> {
    /// All different.
    pub(crate) fingerprints: &'a [u64],
    pub(crate) plan: BlockPlan,
    /// How many pairs of texts a pair of fingerprints stands for; none if it is not asked for.
    pub(crate) weight: &'a (dyn Fn(u32, u32) -> u64 + Sync),
    pub(crate) limits: &'a Limits<'a>,
}

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Near {
    /// Pairs by the places of the fingerprints, in no particular order.
    pub(crate) pairs: Vec<CandidatePair>,
    /// Distances that were computed.
    pub(crate) compared: u64,
}

impl Near {
    fn append(&mut self, mut other: Self) {
        self.pairs.append(&mut other.pairs);
        self.compared += other.compared;
    }
}

/// Which pairs are kept.
#[derive(Clone, Copy)]
enum Mode<'a> {
    /// All, counted by their weight up to a number.
    All { counted: &'a AtomicU64, most: u64 },
    /// Those that connect what is not connected yet, given the set of each fingerprint.
    Connecting(&'a [u32]),
}

/// Fingerprints as they stand in a table, sorted, with their places.
#[derive(Default)]
struct Sorted {
    turned: Vec<u64>,
    places: Vec<u32>,
}

impl Sorted {
    fn new(entries: &mut [[u64; 2]]) -> Self {
        entries.sort_unstable();
        Self {
            turned: entries.iter().map(|entry| entry[0]).collect(),
            places: entries.iter().map(|entry| entry[1] as u32).collect(),
        }
    }

    /// The runs of one key of two and more.
    fn runs(&self, mask: u64) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        let runs = self.turned.chunk_by(move |x, y| (x ^ y) & mask == 0);
        let ranges = runs.map(move |run| {
            start += run.len();
            start - run.len()..start
        });
        ranges.filter(|run| run.len() > 1)
    }

    fn part(&self, range: Range<usize>) -> Self {
        Self {
            turned: self.turned[range.clone()].to_vec(),
            places: self.places[range].to_vec(),
        }
    }
}

impl NearSearch<'_> {
    /// All near pairs; nothing when they stand for more than `most` pairs of texts, besides `before`.
    pub(crate) fn all(&self, before: u64, most: u64) -> Result<Option<Near>> {
        if before > most {
            return Ok(None);
        }
        let counted = AtomicU64::new(before);
        let mut found = Near::default();
        let mode = Mode::All {
            counted: &counted,
            most,
        };
        for table in self.plan.each_table() {
            let (near, long) = self.short_runs(&table, mode)?;
            found.append(near);
            for run in long {
                let tasks = run.turned.len().div_ceil(ROWS);
                let parts = parallel::map(self.limits.threads, tasks, |task| {
                    self.rows(&table, &run, task, mode)
                })?;
                parts.into_iter().for_each(|part| found.append(part));
            }
            if counted.load(Ordering::Relaxed) > most {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// As many near pairs as connect what all of them connect.
    pub(crate) fn connecting(&self) -> Result<Near> {
        let mut found = Near::default();
        let mut connected = Connected::new(self.fingerprints.len());
        for table in self.plan.each_table() {
            let mode = Mode::Connecting(&connected.sets);
            let (near, long) = self.short_runs(&table, mode)?;
            connected.take(near, &mut found);
            for run in long {
                let tasks = run.turned.len().div_ceil(ROWS);
                for wave in (0..tasks).step_by(WAVE) {
                    let mode = Mode::Connecting(&connected.sets);
                    let count = WAVE.min(tasks - wave);
                    let parts = parallel::map(self.limits.threads, count, |task| {
                        self.rows(&table, &run, wave + task, mode)
                    })?;
                    let mut near = Near::default();
                    parts.into_iter().for_each(|part| near.append(part));
                    connected.take(near, &mut found);
                }
            }
        }
        Ok(found)
    }

    /// Puts all fingerprints into a table, and compares those of one key; gives back the runs that are long.
    fn short_runs(&self, table: &Table, mode: Mode<'_>) -> Result<(Near, Vec<Sorted>)> {
        let partitions = self.partition(table)?;
        let parts = parallel::map(self.limits.threads, partitions.count(), |part| {
            let mut numbers = partitions.take(part)?;
            let sorted = Sorted::new(numbers.as_chunks_mut().0);
            drop(numbers);
            let (mut near, mut long) = (Near::default(), Vec::new());
            for run in sorted.runs(table.key_mask()) {
                if run.len() > LONG {
                    long.push(sorted.part(run));
                } else {
                    let rows = 0..run.len();
                    let turned = &sorted.turned[run.clone()];
                    self.compare(table, turned, &sorted.places[run], rows, mode, &mut near);
                }
            }
            (self.limits.tick)()?;
            Ok((near, long))
        })?;
        let (mut found, mut all) = (Near::default(), Vec::new());
        for (near, long) in parts {
            found.append(near);
            all.extend(long);
        }
        Ok((found, all))
    }

    /// The fingerprints as they stand in the table, with their places, by the bits that come first.
    fn partition(&self, table: &Table) -> Result<Partitions> {
        let count = self.fingerprints.len();
        let wanted = (count / PER_PARTITION).clamp(1, MOST_PARTITIONS);
        let bits = wanted.next_power_of_two().ilog2().min(table.bits);
        let partitions = Partitions::new(1 << bits, self.limits.budget, self.limits.directory);
        parallel::for_each_with(
            self.limits.threads,
            count.div_ceil(STEP),
            || partitions.feeder(),
            |feeder, step| {
                let places = (step * STEP..count).take(STEP);
                places.into_iter().try_for_each(|place| {
                    let turned = table.turn(self.fingerprints[place]);
                    let part = turned.unbounded_shr(64 - bits) as usize;
                    feeder.push(part, turned)?;
                    feeder.push(part, place as u64)
                })
            },
            |feeder| feeder.finish(),
        )?;
        Ok(partitions)
    }

    /// One task of a long run: some rows with all that follow each.
    fn rows(&self, table: &Table, run: &Sorted, task: usize, mode: Mode<'_>) -> Result<Near> {
        let mut near = Near::default();
        let rows = task * ROWS..((task + 1) * ROWS).min(run.turned.len());
        self.compare(table, &run.turned, &run.places, rows, mode, &mut near);
        (self.limits.tick)()?;
        Ok(near)
    }

    /// Compares some fingerprints of a run with all that follow.
    fn compare(
        &self,
        table: &Table,
        turned: &[u64],
        places: &[u32],
        rows: Range<usize>,
        mode: Mode<'_>,
        near: &mut Near,
    ) {
        match mode {
            Mode::All { counted, most } => {
                if counted.load(Ordering::Relaxed) > most {
                    return;
                }
                let mut sum = 0;
                for row in rows {
                    near.compared += (turned.len() - row - 1) as u64;
                    self.near_to(turned, row, |other| {
                        let weight = (self.weight)(places[row], places[other]);
                        if weight > 0 && table.is_first(turned[row] ^ turned[other]) {
                            sum += weight;
                            near.pairs.push(pair(places[row], places[other]));
                        }
                    });
                }
                counted.fetch_add(sum, Ordering::Relaxed);
            }
            Mode::Connecting(sets) => {
                let mut local = LocalSets::new(places, sets);
                for row in rows {
                    if local.count <= 1 {
                        return;
                    }
                    near.compared += (turned.len() - row - 1) as u64;
                    self.near_to(turned, row, |other| {
                        let wanted = || (self.weight)(places[row], places[other]) > 0;
                        if local.are_apart(row, other) && wanted() {
                            local.connect(row, other);
                            near.pairs.push(pair(places[row], places[other]));
                        }
                    });
                }
            }
        }
    }

    /// Calls `each` with all after `row` that are near to it.
    #[inline(always)]
    fn near_to(&self, turned: &[u64], row: usize, mut each: impl FnMut(usize)) {
        let (one, most) = (turned[row], self.plan.distance);
        let is_near = |other: &u64| (one ^ other).count_ones() <= most;
        let (groups, rest) = turned[row + 1..].as_chunks::<LANES>();
        let mut at = row + 1;
        for group in groups {
            // Without a branch, so that several are counted by one instruction.
            if group.iter().fold(false, |any, other| any | is_near(other)) {
                let found = (0..LANES).filter(|&lane| is_near(&group[lane]));
                found.for_each(|lane| each(at + lane));
            }
            at += LANES;
        }
        let found = (0..rest.len()).filter(|&lane| is_near(&rest[lane]));
        found.for_each(|lane| each(at + lane));
    }
}

fn pair(x: u32, y: u32) -> CandidatePair {
    CandidatePair {
        a: x.min(y),
        b: x.max(y),
    }
}

/// What is connected so far.
struct Connected {
    union: UnionFind,
    sets: Vec<u32>,
}

impl Connected {
    fn new(count: usize) -> Self {
        Self {
            union: UnionFind::new(count),
            sets: (0..count as u32).collect(),
        }
    }

    /// Adds those pairs to `found` that connect something, in the order in which they come.
    fn take(&mut self, near: Near, found: &mut Near) {
        found.compared += near.compared;
        if near.pairs.is_empty() {
            return;
        }
        let pairs = near.pairs.into_iter();
        found
            .pairs
            .extend(pairs.filter(|pair| self.union.union(pair.a, pair.b)));
        for (place, set) in self.sets.iter_mut().enumerate() {
            *set = self.union.find(place as u32);
        }
    }
}

/// The sets of the fingerprints of one run.
struct LocalSets {
    union: UnionFind,
    count: usize,
}

impl LocalSets {
    fn new(places: &[u32], sets: &[u32]) -> Self {
        let set = |at: u32| sets[places[at as usize] as usize];
        let mut order: Vec<u32> = (0..places.len() as u32).collect();
        order.sort_unstable_by_key(|&at| (set(at), at));
        let mut local = Self {
            union: UnionFind::new(places.len()),
            count: places.len(),
        };
        for two in order.windows(2).filter(|two| set(two[0]) == set(two[1])) {
            local.connect(two[0] as usize, two[1] as usize);
        }
        local
    }

    fn are_apart(&mut self, x: usize, y: usize) -> bool {
        self.union.find(x as u32) != self.union.find(y as u32)
    }

    fn connect(&mut self, x: usize, y: usize) {
        self.count -= usize::from(self.union.union(x as u32, y as u32));
    }
}

#[cfg(test)]
mod tests;
