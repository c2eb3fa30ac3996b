//! Texts that share a key meet, and those that meet are compared at once.
//!
//! A method gives every text some keys; texts with a common key are a bucket. A pair that shares several keys is compared under
//! the least of them only. With transitivity a pair whose texts hang together already is passed over: buckets are taken in waves
//! of a fixed size, and what a wave found is known to the next, so the comparisons are the same for any number of threads.
//!
//! Texts and keys are held in memory where they fit. Otherwise the buckets of a partition are taken some at a time, in order, and
//! their texts fetched for as long as they are compared; which pairs are compared is the same.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;

use super::crowded::{CROWDED, Crowded};
use super::meeting_groups::{Group, Overlay};
use super::meeting_table::{Held, RUN, RunKeys, Table};
use super::pairs::Limits;
use super::partition::{Feeder, Partitions};
use crate::error::Result;
use crate::matches::{Verified, Wanted};
use crate::parallel;
use crate::union_find::UnionFind;

/// Texts in a partition, about, and the least and the most partitions.
const PER_PARTITION: usize = 4096;
const PARTITIONS: (usize, usize) = (256, 4096);
/// Partitions in a wave.
const WAVE: usize = 16;
/// Partitions that are a wave of their own, at most.
const ALONE: usize = 64;
/// Bits of a key that stand beside the text in a posting.
const KEY_BITS: u32 = 32;

/// What texts meet by, and how two that met are compared. Texts go by their place among those to be compared, or by their index
/// among those that are held.
pub(crate) trait Meeting: Sync {
    /// Scratch of one thread.
    type Scratch: Default;
    /// What texts are compared by, for those that are held.
    type Held: Sync;
    /// A fixed-size summary of a text, which rules out most pairs.
    type Look: Copy;

    /// How many texts there are.
    fn count(&self) -> usize;

    /// The number of a text; it rises with its place.
    fn text(&self, place: u32) -> u32;

    /// How many copies of a text there are, itself included.
    fn copies(&self, place: u32) -> u64;

    /// Bytes that a text takes when it is held, without its keys.
    fn bytes(&self, place: u32) -> u64;

    /// Holds all texts, if that takes no more than `most` bytes. Their indices are their places.
    fn hold_all(&self, most: u64) -> Result<Option<Self::Held>>;

    /// Holds the texts at these places, which rise.
    fn hold(&self, places: &[u32]) -> Result<Self::Held>;

    /// Appends the keys of a text.
    fn keys(&self, held: &Self::Held, index: u32, scratch: &mut Self::Scratch, keys: &mut Vec<u64>);

    /// Appends keys of which any two texts that match share one; none where its keys cannot be bettered.
    fn complete_keys(
        &self,
        held: &Self::Held,
        index: u32,
        scratch: &mut Self::Scratch,
        keys: &mut Vec<u64>,
    );

    /// What is looked at of a text, and its size.
    fn look(&self, held: &Self::Held, index: u32) -> (Self::Look, u64);

    /// The largest text that can match one of this size. It rises with the size.
    fn largest_match(&self, size: u64) -> u64;

    /// Whether the two can be a match at all, by a quick look.
    fn can_match(&self, a: &Self::Look, b: &Self::Look) -> bool;

    /// The match of two texts, given by index and by number, if they are one.
    fn compare(
        &self,
        held: &Self::Held,
        indices: (u32, u32),
        texts: (u32, u32),
    ) -> Option<Verified>;
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
    let most_under_key = if cfg!(test) { 16 } else { CROWDED };
    let count = (meeting.count() / PER_PARTITION)
        .next_power_of_two()
        .clamp(PARTITIONS.0, PARTITIONS.1);
    let mut buckets = Buckets {
        meeting,
        partitions: Partitions::new(count, limits.budget, limits.directory),
        crowded: Crowded::default(),
        whole: None,
        share: limits.budget / limits.threads.max(1) as u64,
        key_bytes: 0,
        wanted,
    };
    buckets.crowded = Crowded::find(meeting, most_under_key, |key| buckets.shorten(key))?;
    buckets.fill(limits)?;
    let mut met = Met::default();
    if !transitivity {
        let matches = AtomicU64::new(0);
        let parts = parallel::map(limits.threads, count, |part| {
            let found = buckets.all_pairs(part, |new| {
                match matches.fetch_add(new, Ordering::Relaxed) + new > limits.most_matches {
                    true => Err((limits.too_many)(limits.most_matches)),
                    false => Ok(()),
                }
            })?;
            (limits.tick)()?;
            Ok(found)
        })?;
        let found = parts.iter().map(|part| part.verified.len()).sum();
        met.verified.reserve_exact(found);
        parts.into_iter().for_each(|part| met.append(part));
        return Ok(met);
    }
    let mut sets = UnionFind::new(documents);
    for wave in buckets.waves() {
        let parts = parallel::map(limits.threads, wave.len(), |part| {
            let found = buckets.connect(wave[part], &sets)?;
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

struct Buckets<'a, M: Meeting> {
    meeting: &'a M,
    partitions: Partitions,
    /// Keys of far too many texts, and what becomes of them.
    crowded: Crowded,
    /// All texts, if they fit.
    whole: Option<Table<'a, M>>,
    /// Bytes that the texts of some buckets may take otherwise.
    share: u64,
    /// Bytes that the keys of a text take, on average.
    key_bytes: u64,
    wanted: Wanted,
}

/// A text of a bucket.
struct Member<M: Meeting> {
    size: u64,
    place: u32,
    look: M::Look,
}

/// A bucket: postings that differ in their texts alone.
type Bucket<'p> = &'p [u64];
/// Buckets that fit into memory together, those after them, and a table for the first.
type Batch<'a, 'b, 'p, M> = (&'b [Bucket<'p>], &'b [Bucket<'p>], Table<'a, M>);

impl<'a, M: Meeting> Buckets<'a, M> {
    /// The partitions in the order in which they are connected. Those of crowded keys go first and one at a time, up to a number: many
    /// texts share several such keys, and what one connects need not be looked at under the others.
    fn waves(&self) -> Vec<Vec<usize>> {
        let mut first: Vec<usize> = self.crowded.kept().map(partition_of).collect();
        first.sort_unstable();
        first.dedup();
        first.truncate(ALONE);
        let mut waves: Vec<Vec<usize>> = first.iter().map(|&part| vec![part]).collect();
        let others = 0..self.partitions.count();
        let others = others.filter(|part| first.binary_search(part).is_err());
        let others: Vec<usize> = others.collect();
        waves.extend(others.chunks(WAVE).map(<[usize]>::to_vec));
        waves
    }

    /// The part of a key that counts: the partition, and what stands in a posting.
    fn shorten(&self, key: u64) -> u64 {
        key >> (64 - KEY_BITS - self.partitions.count().trailing_zeros())
    }

    /// The keys of a text as they are compared, sorted, each once, after those in `keys`.
    fn push_keys(&self, held: &M::Held, index: u32, scratch: &mut M::Scratch, keys: &mut Vec<u64>) {
        let start = keys.len();
        self.meeting.keys(held, index, scratch, keys);
        let shorten = |keys: &mut [u64]| keys.iter_mut().for_each(|key| *key = self.shorten(*key));
        shorten(&mut keys[start..]);
        if !self.crowded.is_empty() {
            let mut own = keys.split_off(start);
            let before = own.len();
            own.retain(|key| !self.crowded.contains(*key));
            keys.append(&mut own);
            if keys.len() < start + before {
                let added = keys.len();
                self.meeting.complete_keys(held, index, scratch, keys);
                shorten(&mut keys[added..]);
            }
        }
        keys[start..].sort_unstable();
        let mut end = start;
        for at in start..keys.len() {
            if at == start || keys[at] != keys[end - 1] {
                keys[end] = keys[at];
                end += 1;
            }
        }
        keys.truncate(end);
    }

    /// The keys of one text as they are compared.
    fn make_keys(&self, held: &M::Held, index: u32) -> Vec<u64> {
        let mut keys = Vec::new();
        self.push_keys(held, index, &mut M::Scratch::default(), &mut keys);
        keys
    }

    /// Puts every text under its keys, and holds texts and keys if they fit.
    fn fill(&mut self, limits: &Limits<'_>) -> Result<()> {
        let count = self.meeting.count();
        let held = self.meeting.hold_all(limits.budget / 2)?;
        let runs: Vec<Mutex<RunKeys>> =
            (0..count.div_ceil(RUN)).map(|_| Mutex::default()).collect();
        let bytes = AtomicU64::new(0);
        let fits = |bytes: u64| held.is_some() && bytes <= limits.budget / 2;
        parallel::for_each_with(
            limits.threads,
            runs.len(),
            || (self.partitions.feeder(), M::Scratch::default()),
            |(feeder, scratch), run| {
                let places = (run * RUN) as u32..count.min((run + 1) * RUN) as u32;
                let Some(held) = &held else {
                    let own = self.file_in_batches(places, feeder, scratch)?;
                    bytes.fetch_add(own, Ordering::Relaxed);
                    return Ok(());
                };
                let keys = self.file(places.clone(), (held, places.start), feeder, scratch)?;
                let own = keys.bytes();
                if fits(bytes.fetch_add(own, Ordering::Relaxed) + own) {
                    *runs[run].lock().unwrap_or_else(PoisonError::into_inner) = keys;
                }
                Ok(())
            },
            |(feeder, _)| feeder.finish(),
        )?;
        let bytes = bytes.into_inner();
        self.key_bytes = bytes / count.max(1) as u64;
        if fits(bytes) {
            let runs = runs.into_iter().map(Mutex::into_inner);
            let keys = runs.map(|run| run.unwrap_or_else(PoisonError::into_inner));
            self.whole = held.map(|held| Table {
                meeting: self.meeting,
                held,
                texts: Held::All(keys.collect()),
            });
        }
        Ok(())
    }

    /// Puts some texts under their keys, given those that are held and the index of the first; gives the keys.
    fn file(
        &self,
        places: Range<u32>,
        (held, first): (&M::Held, u32),
        feeder: &mut Feeder<'_>,
        scratch: &mut M::Scratch,
    ) -> Result<RunKeys> {
        let mut run = RunKeys::default();
        run.ends.reserve_exact(places.len());
        for (index, place) in (first..).zip(places) {
            let start = run.keys.len();
            self.push_keys(held, index, scratch, &mut run.keys);
            run.ends.push(run.keys.len());
            for &key in &run.keys[start..] {
                let posting = key << KEY_BITS | u64::from(place);
                feeder.push(partition_of(key), posting)?;
            }
        }
        run.keys.shrink_to_fit();
        Ok(run)
    }

    /// Fetches some texts, as many at a time as fit, and puts them under their keys; gives the bytes of these.
    fn file_in_batches(
        &self,
        places: Range<u32>,
        feeder: &mut Feeder<'_>,
        scratch: &mut M::Scratch,
    ) -> Result<u64> {
        let (mut start, mut bytes) = (places.start, 0);
        while start < places.end {
            let mut sum = 0u64;
            let fits = (start..places.end).take_while(|&place| {
                // Keys take about as much.
                sum = sum.saturating_add(2 * self.meeting.bytes(place));
                sum <= self.share
            });
            let batch = start..start + fits.count().max(1) as u32;
            let held = self.meeting.hold(&batch.clone().collect::<Vec<_>>())?;
            start = batch.end;
            bytes += self.file(batch, (&held, 0), feeder, scratch)?.bytes();
        }
        Ok(bytes)
    }

    fn is_reference(&self, text: u32) -> bool {
        text >= self.wanted.references
    }

    /// Calls `each` with the key and the texts of every bucket of a partition that has several, and a table that holds these
    /// texts; those of a bucket that is not `wanted` it need not hold.
    fn for_each_bucket(
        &self,
        part: usize,
        wanted: impl Fn(Bucket<'_>) -> bool,
        mut each: impl FnMut(&Table<'a, M>, u64, &[u32]) -> Result<()>,
    ) -> Result<()> {
        let mut postings = self.partitions.take(part)?;
        postings.sort_unstable();
        let prefix = (part as u64) << KEY_BITS;
        // References stand last: where the first is one, all are.
        let several = |bucket: &Bucket<'_>| {
            bucket.len() > 1 && !self.is_reference(self.meeting.text(bucket[0] as u32))
        };
        let buckets = postings.chunk_by(|x, y| x >> KEY_BITS == y >> KEY_BITS);
        let mut buckets = buckets.filter(several);
        let mut texts = Vec::new();
        let mut each = |table: &Table<'a, M>, bucket: Bucket<'_>| {
            texts.clear();
            texts.extend(bucket.iter().map(|&posting| posting as u32));
            each(table, prefix | bucket[0] >> KEY_BITS, &texts)
        };
        if let Some(whole) = &self.whole {
            return buckets.try_for_each(|bucket| each(whole, bucket));
        }
        let buckets: Vec<Bucket<'_>> = buckets.collect();
        let mut rest = buckets.as_slice();
        while !rest.is_empty() {
            let (batch, table);
            (batch, rest, table) = self.batch(rest, &wanted)?;
            batch.iter().try_for_each(|bucket| each(&table, bucket))?;
        }
        Ok(())
    }

    /// As many buckets as fit into memory together, at least one; the others; and a table for the first.
    fn batch<'b, 'p>(
        &self,
        buckets: &'b [Bucket<'p>],
        wanted: impl Fn(Bucket<'_>) -> bool,
    ) -> Result<Batch<'a, 'b, 'p, M>> {
        let bytes = |posting: &u64| self.meeting.bytes(*posting as u32) + self.key_bytes;
        let (mut sum, mut count) = (0u64, 0);
        let mut places = Vec::new();
        for bucket in buckets {
            if wanted(bucket) {
                sum = sum.saturating_add(bucket.iter().map(bytes).sum());
                if sum > self.share && !places.is_empty() {
                    break;
                }
                places.extend(bucket.iter().map(|&posting| posting as u32));
            }
            count += 1;
        }
        places.sort_unstable();
        places.dedup();
        let (batch, rest) = buckets.split_at(count);
        Ok((batch, rest, Table::of(self.meeting, places)?))
    }

    /// Compares all pairs of each bucket; `count` is told of new matches and may end it.
    fn all_pairs(&self, part: usize, count: impl Fn(u64) -> Result<()>) -> Result<Met> {
        let mut met = Met::default();
        let wanted = |_: Bucket<'_>| true;
        let (mut inputs, mut references) = (Vec::new(), Vec::new());
        self.for_each_bucket(part, wanted, |table, key, texts| {
            let first = texts.partition_point(|&place| !self.is_reference(table.text(place)));
            self.sort_by_size(table, &texts[..first], &mut inputs);
            self.sort_by_size(table, &texts[first..], &mut references);
            for (at, member) in inputs.iter().enumerate() {
                let before = met.verified.len();
                let most = self.meeting.largest_match(member.size);
                let larger = &inputs[at + 1..];
                let larger = larger.iter().take_while(|other| other.size <= most);
                let too_small =
                    |other: &Member<M>| self.meeting.largest_match(other.size) < member.size;
                let known = &references[references.partition_point(too_small)..];
                let known = known.iter().take_while(|other| other.size <= most);
                for other in larger.chain(known) {
                    if self.meeting.can_match(&member.look, &other.look) {
                        let pair = (member.place.min(other.place), member.place.max(other.place));
                        self.compare_once(table, key, pair, &mut met);
                    }
                }
                if met.verified.len() > before {
                    count((met.verified.len() - before) as u64)?;
                }
            }
            Ok(())
        })?;
        Ok(met)
    }

    /// Some texts of a bucket, the smallest first, side by side: most pairs of a large bucket are told apart by their sizes alone.
    fn sort_by_size(&self, table: &Table<'a, M>, texts: &[u32], members: &mut Vec<Member<M>>) {
        members.clear();
        members.extend(texts.iter().map(|&place| {
            let (look, size) = self.meeting.look(&table.held, table.index(place));
            Member { size, place, look }
        }));
        members.sort_unstable_by_key(|member| (member.size, member.place));
    }

    /// Compares as many pairs of each bucket as connect what belongs together, beyond what `sets` connects.
    fn connect(&self, part: usize, sets: &UnionFind) -> Result<Met> {
        let mut met = Met::default();
        let mut overlay = Overlay {
            sets,
            parents: HashMap::new(),
        };
        let mut groups: Vec<Group> = Vec::new();
        // Nobody compares texts that hang together.
        let wanted = |bucket: Bucket<'_>| {
            let mut roots = bucket
                .iter()
                .map(|&posting| self.root(posting as u32, sets));
            let first = roots.next();
            !roots.all(|root| Some(root) == first)
        };
        self.for_each_bucket(part, wanted, |table, key, texts| {
            // Most buckets have two texts, and need no groups.
            if let &[first, second] = texts {
                self.connect_two(table, key, (first, second), &mut overlay, &mut met);
                return Ok(());
            }
            groups.clear();
            for &second in texts {
                let root = overlay.find(table.text(second));
                let copies = table.copies(second);
                let mut own = match groups.iter().position(|group| group.root == root) {
                    Some(group) => {
                        met.saved += copies * groups[group].copies;
                        groups.remove(group)
                    }
                    None => Group::new(root, second),
                };
                groups.retain_mut(|group| {
                    let mut firsts = group.members.iter();
                    let found = firsts
                        .position(|&first| self.try_pair(table, key, (first, second), &mut met));
                    let Some(found) = found else { return true };
                    let tried = group.members[..=found].iter();
                    let tried: u64 = tried.map(|&first| table.copies(first)).sum();
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

    fn root(&self, place: u32, sets: &UnionFind) -> u32 {
        sets.root(self.meeting.text(place))
    }

    fn connect_two(
        &self,
        table: &Table<'_, M>,
        key: u64,
        (a, b): (u32, u32),
        overlay: &mut Overlay<'_>,
        met: &mut Met,
    ) {
        let root = |place: u32| overlay.find(table.text(place));
        let (x, y) = (root(a), root(b));
        if x == y {
            met.saved += table.copies(a) * table.copies(b);
        } else if self.try_pair(table, key, (a, b), met) {
            overlay.union(x, y);
        }
    }

    /// Compares two texts that meet under a key, unless they cannot match or met under a lesser one. Whether they do match.
    fn try_pair(&self, table: &Table<'_, M>, key: u64, pair: (u32, u32), met: &mut Met) -> bool {
        let look = |place: u32| self.meeting.look(&table.held, table.index(place)).0;
        self.meeting.can_match(&look(pair.0), &look(pair.1))
            && self.compare_once(table, key, pair, met)
    }

    /// Compares two texts that meet under a key, unless they met under a lesser one. Whether they match.
    fn compare_once(
        &self,
        table: &Table<'_, M>,
        key: u64,
        (a, b): (u32, u32),
        met: &mut Met,
    ) -> bool {
        let meeting = self.meeting;
        let (x, y) = (table.index(a), table.index(b));
        let texts = (table.text(a), table.text(b));
        if !self.wanted.pair(texts.0, texts.1) {
            return false;
        }
        let keys = |index: u32| table.keys(index, |held, index| self.make_keys(held, index));
        if !is_least(key, keys(x), keys(y)) {
            return false;
        }
        met.compared += 1;
        met.saved += table.copies(a) * table.copies(b) - 1;
        let found = meeting.compare(&table.held, (x, y), texts);
        met.verified.extend(found);
        found.is_some()
    }
}

/// The partition of a key as it is compared.
fn partition_of(key: u64) -> usize {
    (key >> KEY_BITS) as usize
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
