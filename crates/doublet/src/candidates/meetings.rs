//! Texts that share a key meet, and those that meet are compared at once.
//!
//! A method gives every text some keys; texts with a common key are a bucket. A pair that shares several keys is compared under
//! the least of them only. With transitivity a pair whose texts hang together already is passed over: buckets are taken in waves
//! of a fixed size, and what a wave found is known to the next, so the comparisons are the same for any number of threads.

use std::collections::HashMap;

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

/// What texts meet by, and how two that met are compared.
pub(crate) trait Meeting: Sync {
    /// Scratch of one thread.
    type Scratch: Default;

    /// Appends the keys of a text.
    fn keys(&self, text: u32, scratch: &mut Self::Scratch, keys: &mut Vec<u64>);

    /// Whether the two can be a match at all, by a look at their sizes.
    fn can_match(&self, a: u32, b: u32) -> bool;

    /// The match of two texts, if they are one.
    fn compare(&self, a: u32, b: u32) -> Option<Verified>;

    /// How many copies of a text there are, itself included.
    fn copies(&self, text: u32) -> u64;
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

/// Brings the `texts` together, and compares those that meet: all, or, with `transitivity`, as few as connect them.
pub(crate) fn meet<M: Meeting>(
    meeting: &M,
    texts: &[u32],
    documents: usize,
    wanted: Wanted,
    transitivity: bool,
    limits: &Limits<'_>,
) -> Result<Met> {
    let count = (texts.len() / PER_PARTITION)
        .next_power_of_two()
        .clamp(PARTITIONS.0, PARTITIONS.1);
    let buckets = Buckets {
        meeting,
        partitions: Partitions::new(count, limits.budget, limits.directory),
        wanted,
    };
    buckets.fill(texts, limits)?;
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
    wanted: Wanted,
}

impl<M: Meeting> Buckets<'_, M> {
    /// The part of a key that counts: the partition, and what stands in a posting.
    fn shorten(&self, key: u64) -> u64 {
        key >> (64 - KEY_BITS - self.partitions.count().trailing_zeros())
    }

    /// The keys of a text as they are compared, sorted, each once, after those in `keys`.
    fn keys(&self, text: u32, scratch: &mut M::Scratch, keys: &mut Vec<u64>) {
        let start = keys.len();
        self.meeting.keys(text, scratch, keys);
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

    fn fill(&self, texts: &[u32], limits: &Limits<'_>) -> Result<()> {
        parallel::for_each_with(
            limits.threads,
            texts.len().div_ceil(RUN),
            || (self.partitions.feeder(), M::Scratch::default(), Vec::new()),
            |(feeder, scratch, keys), run| {
                let start = run * RUN;
                for &text in &texts[start..texts.len().min(start + RUN)] {
                    keys.clear();
                    self.keys(text, scratch, keys);
                    for &key in keys.iter() {
                        let posting = key << KEY_BITS | u64::from(text);
                        feeder.push((key >> KEY_BITS) as usize, posting)?;
                    }
                }
                Ok(())
            },
            |(feeder, _, _)| feeder.finish(),
        )
    }

    /// Calls `each` with the key and the texts of every bucket of a partition that has several.
    fn for_each_bucket(
        &self,
        part: usize,
        mut each: impl FnMut(&mut Bucket<M::Scratch>) -> Result<()>,
    ) -> Result<()> {
        let mut postings = self.partitions.take(part)?;
        postings.sort_unstable();
        let mut bucket = Bucket::default();
        let runs = postings.chunk_by(|x, y| x >> KEY_BITS == y >> KEY_BITS);
        for run in runs.filter(|run| run.len() > 1) {
            bucket.key = (part as u64) << KEY_BITS | run[0] >> KEY_BITS;
            bucket.texts.clear();
            bucket
                .texts
                .extend(run.iter().map(|&posting| posting as u32));
            bucket.keys.clear();
            bucket.ends.clear();
            each(&mut bucket)?;
        }
        Ok(())
    }

    /// Compares all pairs of each bucket.
    fn all_pairs(&self, part: usize) -> Result<Met> {
        let mut met = Met::default();
        self.for_each_bucket(part, |bucket| {
            for second in 1..bucket.texts.len() {
                for first in 0..second {
                    self.try_pair(bucket, first, second, &mut met);
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
        let mut groups: Vec<(u32, Vec<usize>)> = Vec::new();
        self.for_each_bucket(part, |bucket| {
            groups.clear();
            for second in 0..bucket.texts.len() {
                let root = overlay.find(bucket.texts[second]);
                let mut own = match groups.iter().position(|(other, _)| *other == root) {
                    Some(group) => {
                        met.saved += self.meetings(bucket, second, &groups[group].1);
                        groups.remove(group)
                    }
                    None => (root, Vec::new()),
                };
                groups.retain_mut(|(other, members)| {
                    let found = members
                        .iter()
                        .position(|&first| self.try_pair(bucket, first, second, &mut met));
                    let Some(found) = found else { return true };
                    met.saved += self.meetings(bucket, second, &members[found + 1..]);
                    own.0 = overlay.union(own.0, *other);
                    own.1.append(members);
                    false
                });
                own.1.push(second);
                own.1.sort_unstable();
                let place = groups.partition_point(|(_, members)| members[0] < own.1[0]);
                groups.insert(place, own);
            }
            Ok(())
        })?;
        Ok(met)
    }

    /// Meetings of a text of a bucket and its copies with others and theirs.
    fn meetings(&self, bucket: &Bucket<M::Scratch>, text: usize, others: &[usize]) -> u64 {
        let copies = |index: usize| self.meeting.copies(bucket.texts[index]);
        let others: u64 = others.iter().map(|&other| copies(other)).sum();
        copies(text) * others
    }

    /// Compares two texts of a bucket, unless they met under a lesser key or cannot match. Whether they do.
    fn try_pair(
        &self,
        bucket: &mut Bucket<M::Scratch>,
        first: usize,
        second: usize,
        met: &mut Met,
    ) -> bool {
        let (a, b) = (bucket.texts[first], bucket.texts[second]);
        if !self.wanted.pair(a, b) || !self.meeting.can_match(a, b) {
            return false;
        }
        if bucket.ends.is_empty() {
            for &text in &bucket.texts {
                self.keys(text, &mut bucket.scratch, &mut bucket.keys);
                bucket.ends.push(bucket.keys.len());
            }
        }
        if !is_least(bucket.key, bucket.keys_of(first), bucket.keys_of(second)) {
            return false;
        }
        met.compared += 1;
        met.saved += self.meeting.copies(a) * self.meeting.copies(b) - 1;
        let found = self.meeting.compare(a, b);
        met.verified.extend(found);
        found.is_some()
    }
}

/// The texts of one key.
#[derive(Default)]
struct Bucket<S> {
    key: u64,
    texts: Vec<u32>,
    /// The keys of each text, made when they are first needed.
    keys: Vec<u64>,
    ends: Vec<usize>,
    scratch: S,
}

impl<S> Bucket<S> {
    fn keys_of(&self, index: usize) -> &[u64] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.keys[start..self.ends[index]]
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
