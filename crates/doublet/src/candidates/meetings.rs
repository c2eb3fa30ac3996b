//! Texts that share a key meet, and those that meet are compared at once.
//!
//! A method gives every text some keys; texts with a common key are a bucket. A pair that shares several keys is compared under
//! the least of them only. With transitivity a pair whose texts hang together already is passed over: buckets are taken in waves
//! of a fixed size, and what a wave found is known to the next, so the comparisons are the same for any number of threads.

use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;

use super::Wanted;
use super::pairs::Limits;
use super::partition::Partitions;
use crate::batch::Verified;
use crate::cluster::UnionFind;
use crate::error::Result;
use crate::parallel;

/// Texts in a partition, about, and the least and the most partitions.
const PER_PARTITION: usize = 4096;
const PARTITIONS: (usize, usize) = (256, 4096);
/// Partitions in a wave.
const WAVE: usize = 16;
/// Texts whose keys are made in one go.
const RUN: usize = 4096;
/// Bits of a key that stand beside the text in a posting.
const KEY_BITS: u32 = 32;

/// What texts meet by, and how two that met are compared. Texts go by their place among those to be compared.
pub(crate) trait Meeting: Sync {
    /// Scratch of one thread.
    type Scratch: Default;

    /// How many texts there are.
    fn count(&self) -> usize;

    /// The number of a text; it rises with its place.
    fn text(&self, place: u32) -> u32;

    /// Appends the keys of a text.
    fn keys(&self, place: u32, scratch: &mut Self::Scratch, keys: &mut Vec<u64>);

    /// Whether the two can be a match at all, by a quick look.
    fn can_match(&self, a: u32, b: u32) -> bool;

    /// The match of two texts, if they are one.
    fn compare(&self, a: u32, b: u32) -> Option<Verified>;

    /// How many copies of a text there are, itself included.
    fn copies(&self, place: u32) -> u64;
}

/// What came of all meetings.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// The matches found.
    pub(crate) verified: Vec<Verified>,
    /// Pairs that were compared.
    pub(crate) compared: u64,
    /// Meetings of two texts that hung together already and were not compared, those of copies of compared texts among them. A
    /// pair with several keys counts under each.
    pub(crate) saved: u64,
}

impl Met {
    fn append(&mut self, other: Self) {
        self.verified.extend(other.verified);
        self.compared += other.compared;
        self.saved += other.saved;
    }
}

/// Brings the texts together, and compares those that meet: all, or, with `transitivity`, as few as connect them.
pub(crate) fn meet<M: Meeting>(
    meeting: &M,
    documents: usize,
    wanted: Wanted,
    transitivity: bool,
    limits: &Limits<'_>,
) -> Result<Met> {
    let count = (meeting.count() / PER_PARTITION)
        .next_power_of_two()
        .clamp(PARTITIONS.0, PARTITIONS.1);
    let mut buckets = Buckets {
        meeting,
        partitions: Partitions::new(count, limits.budget, limits.directory),
        keys: Vec::new(),
        wanted,
    };
    buckets.keys = buckets.fill(limits)?;
    let mut met = Met::default();
    if !transitivity {
        let parts = parallel::map(limits.threads, count, |part| {
            let found = buckets.all_pairs(part)?;
            (limits.tick)()?;
            Ok(found)
        })?;
        parts.into_iter().for_each(|part| met.append(part));
        return Ok(met);
    }
    let mut sets = UnionFind::new(documents);
    for wave in 0..count.div_ceil(WAVE) {
        let parts = parallel::map(limits.threads, WAVE.min(count), |part| {
            let found = buckets.connect(wave * WAVE + part, &sets)?;
            (limits.tick)()?;
            Ok(found)
        })?;
        for part in parts {
            for pair in &part.verified {
                sets.union(pair.a, pair.b);
            }
            met.append(part);
        }
    }
    Ok(met)
}

struct Buckets<'a, M> {
    meeting: &'a M,
    partitions: Partitions,
    /// The keys of all texts, by runs of them.
    keys: Vec<RunKeys>,
    wanted: Wanted,
}

/// The keys of a run of texts, sorted within each.
#[derive(Default)]
struct RunKeys {
    keys: Vec<u64>,
    ends: Vec<usize>,
}

impl RunKeys {
    fn of(&self, place: usize) -> &[u64] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.keys[start..self.ends[place]]
    }
}

impl<M: Meeting> Buckets<'_, M> {
    /// The part of a key that counts: the partition, and what stands in a posting.
    fn shorten(&self, key: u64) -> u64 {
        key >> (64 - KEY_BITS - self.partitions.count().trailing_zeros())
    }

    /// The keys of a text as they are compared, sorted, each once, after those in `keys`.
    fn push_keys(&self, place: u32, scratch: &mut M::Scratch, keys: &mut Vec<u64>) {
        let start = keys.len();
        self.meeting.keys(place, scratch, keys);
        let own = &mut keys[start..];
        own.iter_mut().for_each(|key| *key = self.shorten(*key));
        own.sort_unstable();
        let mut end = start;
        for at in start..keys.len() {
            if at == start || keys[at] != keys[end - 1] {
                keys[end] = keys[at];
                end += 1;
            }
        }
        keys.truncate(end);
    }

    /// Puts every text under its keys, and gives the keys back.
    fn fill(&self, limits: &Limits<'_>) -> Result<Vec<RunKeys>> {
        let count = self.meeting.count();
        let runs: Vec<Mutex<RunKeys>> =
            (0..count.div_ceil(RUN)).map(|_| Mutex::default()).collect();
        parallel::for_each_with(
            limits.threads,
            runs.len(),
            || (self.partitions.feeder(), M::Scratch::default(), Vec::new()),
            |(feeder, scratch, keys), run| {
                keys.clear();
                let mut ends = Vec::with_capacity(RUN);
                for place in run * RUN..count.min((run + 1) * RUN) {
                    let start = keys.len();
                    self.push_keys(place as u32, scratch, keys);
                    ends.push(keys.len());
                    for &key in &keys[start..] {
                        let posting = key << KEY_BITS | place as u64;
                        feeder.push((key >> KEY_BITS) as usize, posting)?;
                    }
                }
                let mut cell = runs[run].lock().unwrap_or_else(PoisonError::into_inner);
                *cell = RunKeys {
                    keys: keys.clone(),
                    ends,
                };
                Ok(())
            },
            |(feeder, _, _)| feeder.finish(),
        )?;
        let runs = runs.into_iter().map(Mutex::into_inner);
        Ok(runs
            .map(|run| run.unwrap_or_else(PoisonError::into_inner))
            .collect())
    }

    fn is_reference(&self, place: u32) -> bool {
        self.meeting.text(place) >= self.wanted.references
    }

    fn keys(&self, place: u32) -> &[u64] {
        let place = place as usize;
        self.keys[place / RUN].of(place % RUN)
    }

    /// Calls `each` with the key and the texts of every bucket of a partition that has several.
    fn for_each_bucket(
        &self,
        part: usize,
        mut each: impl FnMut(u64, &[u32]) -> Result<()>,
    ) -> Result<()> {
        let mut postings = self.partitions.take(part)?;
        postings.sort_unstable();
        let mut texts = Vec::new();
        let runs = postings.chunk_by(|x, y| x >> KEY_BITS == y >> KEY_BITS);
        for run in runs.filter(|run| run.len() > 1) {
            texts.clear();
            texts.extend(run.iter().map(|&posting| posting as u32));
            // References stand last: where the first is one, all are.
            if self.is_reference(texts[0]) {
                continue;
            }
            each((part as u64) << KEY_BITS | run[0] >> KEY_BITS, &texts)?;
        }
        Ok(())
    }

    /// Compares all pairs of each bucket.
    fn all_pairs(&self, part: usize) -> Result<Met> {
        let mut met = Met::default();
        self.for_each_bucket(part, |key, texts| {
            let inputs = texts.partition_point(|&place| !self.is_reference(place));
            for (index, &second) in texts.iter().enumerate() {
                for &first in &texts[..index.min(inputs)] {
                    self.try_pair(key, first, second, &mut met);
                }
            }
            Ok(())
        })?;
        Ok(met)
    }

    /// Compares as many pairs of each bucket as connect what belongs together, beyond what `sets` connects.
    fn connect(&self, part: usize, sets: &UnionFind) -> Result<Met> {
        let mut met = Met::default();
        let mut overlay = Overlay {
            sets,
            parents: HashMap::new(),
        };
        let mut groups: Vec<Group> = Vec::new();
        self.for_each_bucket(part, |key, texts| {
            // Most buckets have two texts, and need no groups.
            if let &[first, second] = texts {
                self.connect_two(key, first, second, &mut overlay, &mut met);
                return Ok(());
            }
            groups.clear();
            for &second in texts {
                let root = overlay.find(self.meeting.text(second));
                let copies = self.meeting.copies(second);
                let mut own = match groups.iter().position(|group| group.root == root) {
                    Some(group) => {
                        met.saved += copies * groups[group].copies;
                        groups.remove(group)
                    }
                    None => Group::new(root, second),
                };
                groups.retain_mut(|group| {
                    let mut firsts = group.members.iter();
                    let found =
                        firsts.position(|&first| self.try_pair(key, first, second, &mut met));
                    let Some(found) = found else { return true };
                    let tried = group.members[..=found].iter();
                    let tried: u64 = tried.map(|&first| self.meeting.copies(first)).sum();
                    met.saved += copies * (group.copies - tried);
                    own.root = overlay.union(own.root, group.root);
                    own.take(group);
                    false
                });
                own.members.push(second);
                own.copies += copies;
                let place = groups.partition_point(|group| group.first < own.first);
                groups.insert(place, own);
            }
            Ok(())
        })?;
        Ok(met)
    }

    fn connect_two(&self, key: u64, a: u32, b: u32, overlay: &mut Overlay<'_>, met: &mut Met) {
        let root = |place: u32| overlay.find(self.meeting.text(place));
        let (x, y) = (root(a), root(b));
        if x == y {
            met.saved += self.meeting.copies(a) * self.meeting.copies(b);
        } else if self.try_pair(key, a, b, met) {
            overlay.union(x, y);
        }
    }

    /// Compares two texts that meet under a key, unless they cannot match or met under a lesser one. Whether they do match.
    fn try_pair(&self, key: u64, a: u32, b: u32, met: &mut Met) -> bool {
        let meeting = self.meeting;
        if !meeting.can_match(a, b) || !self.wanted.pair(meeting.text(a), meeting.text(b)) {
            return false;
        }
        if !is_least(key, self.keys(a), self.keys(b)) {
            return false;
        }
        met.compared += 1;
        met.saved += meeting.copies(a) * meeting.copies(b) - 1;
        let found = meeting.compare(a, b);
        met.verified.extend(found);
        found.is_some()
    }
}

/// Texts of a bucket that hang together. What order the members have follows from the bucket alone.
struct Group {
    root: u32,
    /// The least member, which the groups of a bucket are ordered by.
    first: u32,
    members: Vec<u32>,
    /// Members and their copies.
    copies: u64,
}

impl Group {
    fn new(root: u32, first: u32) -> Self {
        Self {
            root,
            first,
            members: Vec::new(),
            copies: 0,
        }
    }

    /// Takes the members of another group, the fewer ones to the more.
    fn take(&mut self, other: &mut Self) {
        if self.members.len() < other.members.len() {
            std::mem::swap(&mut self.members, &mut other.members);
        }
        self.members.append(&mut other.members);
        self.first = self.first.min(other.first);
        self.copies += other.copies;
    }
}

/// Whether two sorted lists share nothing below `key`.
fn is_least(key: u64, a: &[u64], b: &[u64]) -> bool {
    let (mut i, mut j) = (0, 0);
    loop {
        match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) if x < key && y < key => {
                if x == y {
                    return false;
                }
                i += usize::from(x < y);
                j += usize::from(y < x);
            }
            _ => return true,
        }
    }
}

/// Sets, and what one task has joined since.
struct Overlay<'a> {
    sets: &'a UnionFind,
    parents: HashMap<u32, u32>,
}

impl Overlay<'_> {
    fn find(&self, text: u32) -> u32 {
        let mut root = self.sets.root(text);
        while let Some(&parent) = self.parents.get(&root) {
            root = parent;
        }
        root
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parents.insert(a.max(b), a.min(b));
        }
        a.min(b)
    }
}
