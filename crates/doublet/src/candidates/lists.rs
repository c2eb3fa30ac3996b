//! Which texts have a key, and which pairs of texts share enough keys.
//!
//! A key is a number by which texts meet: a shingle of a prefix, a band of a sketch, a value of it. Postings are shared out by the
//! high bits of their keys, sorted, and those of a key that one text has alone are dropped.

use std::cmp::Reverse;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::pairs::{Limits, PairSink, Round, Side, count_pairs, count_pushes};
use super::partition::{Feeder, Partitions};
use crate::error::Result;
use crate::matches::{CandidatePair, Wanted};
use crate::parallel;

/// Postings in one partition, for the sort to stay within the cache.
const PER_PARTITION: u64 = 1 << 16;
const MOST_PARTITIONS: u64 = 2048;
/// Texts of one set that are looked at one by one, whether they are in the same.
const LARGE_SET: usize = 64;

/// The postings of all texts, by the high bits of their keys.
#[derive(Debug)]
pub(crate) struct Postings {
    partitions: Partitions,
    bits: u32,
}

impl Postings {
    /// For about so many postings, of which `budget` bytes stay in memory.
    pub(crate) fn new(expected: u64, budget: u64, directory: &Path) -> Self {
        let count = (expected / PER_PARTITION)
            .clamp(1, MOST_PARTITIONS)
            .next_power_of_two();
        Self::of(Partitions::new(count as usize, budget, directory))
    }

    /// Those in these partitions, whose number is a power of two.
    pub(crate) fn of(partitions: Partitions) -> Self {
        Self {
            bits: partitions.count().trailing_zeros(),
            partitions,
        }
    }

    /// Where they are.
    pub(crate) fn partitions(&self) -> &Partitions {
        &self.partitions
    }

    /// A way in for one worker.
    pub(crate) fn feeder(&self) -> PostingFeeder<'_> {
        PostingFeeder {
            feeder: self.partitions.feeder(),
            bits: self.bits,
        }
    }

    /// Groups the postings by key, for texts of such sizes; those of size 0 are left out.
    pub(crate) fn group(self, sizes: Vec<u32>, limits: &Limits<'_>) -> Result<Lists> {
        let shared: Vec<AtomicU32> = bytemuck::zeroed_vec(sizes.len());
        let parts = parallel::map(limits.threads, self.partitions.count(), |part| {
            let mut postings = self.partitions.take(part)?;
            postings.retain(|&posting| sizes[posting as u32 as usize] > 0);
            postings.sort_unstable();
            let mut counts = KeyCounts {
                postings: postings.len() as u64,
                ..KeyCounts::default()
            };
            let kept = keep_shared(&mut postings, &shared, &mut counts);
            self.partitions.append(part, &postings[..kept])?;
            (limits.tick)()?;
            Ok(counts)
        })?;
        let mut counts = KeyCounts::default();
        parts.iter().for_each(|part| counts.add(part));
        Ok(Lists {
            shared: shared.into_iter().map(AtomicU32::into_inner).collect(),
            postings: self,
            sizes,
            counts,
        })
    }
}

/// Moves the postings of keys that several texts have to the front and counts them for each text. Gives their number.
fn keep_shared(postings: &mut [u64], shared: &[AtomicU32], counts: &mut KeyCounts) -> usize {
    let (mut kept, mut start) = (0, 0);
    while start < postings.len() {
        let key = postings[start] >> 32;
        let mut end = start + 1;
        while end < postings.len() && postings[end] >> 32 == key {
            end += 1;
        }
        let count = end - start;
        counts.keys += 1;
        if count > 1 {
            for &posting in &postings[start..end] {
                shared[posting as u32 as usize].fetch_add(1, Relaxed);
            }
            postings.copy_within(start..end, kept);
            kept += count;
            counts.shared_keys += 1;
            counts.pairs += (count as u64) * (count as u64 - 1) / 2;
        }
        start = end;
    }
    kept
}

/// One worker's way into the postings. [`PostingFeeder::finish`] must be called at the end.
pub(crate) struct PostingFeeder<'a> {
    feeder: Feeder<'a>,
    bits: u32,
}

impl PostingFeeder<'_> {
    /// Adds a key of a text. Kept are the bits that choose the partition and the 32 behind them.
    #[inline(always)]
    pub(crate) fn push(&mut self, text: u32, key: u64) -> Result<()> {
        let part = key.checked_shr(64 - self.bits).unwrap_or(0) as usize;
        let rest = key << self.bits >> 32;
        self.feeder.push(part, rest << 32 | u64::from(text))
    }

    /// Hands on what is held back.
    pub(crate) fn finish(self) -> Result<()> {
        self.feeder.finish()
    }
}

/// When two texts share enough keys.
pub(crate) trait Rule: Sync {
    /// The largest size of a text that one of this size, and no larger, can match.
    fn largest(&self, size: u32) -> u64;

    /// Keys that a pair must share; texts come with their sizes.
    fn least(&self, a: (u32, u32), b: (u32, u32)) -> u32;

    /// Keys that a pair of texts of these sizes must share at least, whichever texts they are.
    fn floor(&self, size_a: u32, size_b: u32) -> u32;
}

/// What the keys of a run come to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyCounts {
    /// Postings: a key of a text.
    pub(crate) postings: u64,
    /// Distinct keys.
    pub(crate) keys: u64,
    /// Keys that several texts have.
    pub(crate) shared_keys: u64,
    /// Pairs of texts for each of those.
    pub(crate) pairs: u64,
}

impl KeyCounts {
    fn add(&mut self, other: &Self) {
        self.postings += other.postings;
        self.keys += other.keys;
        self.shared_keys += other.shared_keys;
        self.pairs += other.pairs;
    }
}

/// The texts of each key that several have.
#[derive(Debug)]
pub(crate) struct Lists {
    postings: Postings,
    sizes: Vec<u32>,
    /// Keys of each text that another has too.
    shared: Vec<u32>,
    counts: KeyCounts,
}

impl Lists {
    /// What the keys come to.
    pub(crate) fn counts(&self) -> KeyCounts {
        self.counts
    }

    /// Distinct shingles of each text that is compared; 0 for the others.
    pub(crate) fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The candidates of a round under a rule.
    pub(crate) fn candidates(
        &self,
        rule: &impl Rule,
        wanted: Wanted,
        round: Round<'_>,
        limits: &Limits<'_>,
    ) -> Result<Vec<CandidatePair>> {
        let walk = self.walk(rule, wanted, round);
        let accept = |a: u32, b: u32, count: u32| count >= round.least(walk.least(a, b));
        count_pairs(
            self.sizes.len() as u32,
            self.postings.partitions.count(),
            self.counts.pairs,
            limits,
            &|part, sink| walk.push_part(part, sink),
            &accept,
        )
    }

    /// How many times two texts of a round share a key.
    pub(crate) fn pushes(
        &self,
        rule: &impl Rule,
        wanted: Wanted,
        round: Round<'_>,
        limits: &Limits<'_>,
    ) -> Result<u64> {
        let walk = self.walk(rule, wanted, round);
        let parts = self.postings.partitions.count();
        count_pushes(parts, limits, &|part, sink| walk.push_part(part, sink))
    }

    /// How many times two texts of different sets share a key.
    pub(crate) fn pairs_across(&self, sets: Option<&[u32]>, limits: &Limits<'_>) -> Result<u64> {
        let Some(sets) = sets else {
            return Ok(self.counts.pairs);
        };
        let pairs = |count: usize| (count as u64) * (count as u64).saturating_sub(1) / 2;
        let parts = &self.postings.partitions;
        let across = parallel::map(limits.threads, parts.count(), |part| {
            let postings = parts.copy(part)?;
            let mut own = Vec::new();
            let mut sum = 0;
            for group in postings.chunk_by(|x, y| x >> 32 == y >> 32) {
                own.clear();
                own.extend(group.iter().map(|&posting| sets[posting as u32 as usize]));
                own.sort_unstable();
                let within: u64 = own
                    .chunk_by(|x, y| x == y)
                    .map(|set| pairs(set.len()))
                    .sum();
                sum += pairs(group.len()) - within;
            }
            Ok(sum)
        })?;
        Ok(across.into_iter().sum())
    }

    fn walk<'a, R: Rule>(&'a self, rule: &'a R, wanted: Wanted, round: Round<'a>) -> Walk<'a, R> {
        Walk {
            lists: self,
            rule,
            wanted,
            round,
        }
    }
}

/// A text of a key's list.
#[derive(Clone, Copy)]
struct Member {
    size: u32,
    /// Keys that another text has too.
    shared: u32,
    text: u32,
}

impl Member {
    /// Members are in order of their size, those of one size by falling number of shared keys: behind one that shares too few there
    /// is none of its size that shares enough.
    fn order(&self) -> (u32, Reverse<u32>, u32) {
        (self.size, Reverse(self.shared), self.text)
    }
}

/// One look for candidates.
struct Walk<'a, R> {
    lists: &'a Lists,
    rule: &'a R,
    wanted: Wanted,
    round: Round<'a>,
}

impl<R: Rule> Walk<'_, R> {
    fn least(&self, a: u32, b: u32) -> u32 {
        let sizes = &self.lists.sizes;
        self.rule
            .least((a, sizes[a as usize]), (b, sizes[b as usize]))
    }

    /// Pushes the pairs of one partition's keys.
    fn push_part(&self, part: usize, sink: &mut dyn PairSink) -> Result<()> {
        let mut members = Vec::new();
        let postings = self.lists.postings.partitions.copy(part)?;
        let mut groups = postings.chunk_by(|x, y| x >> 32 == y >> 32);
        groups.try_for_each(|group| self.push_group(group, &mut members, sink))
    }

    /// Pushes the pairs of one key's texts.
    fn push_group(
        &self,
        group: &[u64],
        members: &mut Vec<Member>,
        sink: &mut dyn PairSink,
    ) -> Result<()> {
        let round = self.round;
        if round.is_done(group.iter().map(|&posting| posting as u32)) {
            return Ok(());
        }
        members.clear();
        members.extend(group.iter().map(|&posting| {
            let text = posting as u32;
            Member {
                size: self.lists.sizes[text as usize],
                shared: self.lists.shared[text as usize],
                text,
            }
        }));
        members.sort_unstable_by_key(Member::order);
        match round {
            Round::Neighbours | Round::All(None) => self.push_among(members, sink),
            Round::All(Some(sets)) => self.push_across(members, sets, sink),
            Round::Share(share) => {
                let of = |side: Side| {
                    let members = members.iter().copied();
                    members.filter(move |member| share.side(member.text) == side)
                };
                let own: Vec<Member> = of(Side::Own).collect();
                if own.is_empty() {
                    return Ok(());
                }
                let others: Vec<Member> = of(Side::Other).collect();
                self.push_among(&own, sink)?;
                self.push_between(&own, &others, sink)
            }
        }
    }

    /// Pushes the pairs of texts of different sets. What is in one large set already is not looked at, however much it is.
    fn push_across(
        &self,
        members: &mut [Member],
        sets: &[u32],
        sink: &mut dyn PairSink,
    ) -> Result<()> {
        if members.len() <= LARGE_SET {
            return self.push_among(members, sink);
        }
        let set = |member: &Member| sets[member.text as usize];
        members.sort_unstable_by_key(|member| (set(member), member.order()));
        let of_one_set = members.chunk_by(|x, y| set(x) == set(y));
        let (large, small): (Vec<_>, Vec<_>) = of_one_set.partition(|own| own.len() > LARGE_SET);
        let mut small = small.concat();
        small.sort_unstable_by_key(Member::order);
        self.push_among(&small, sink)?;
        for (place, own) in large.iter().enumerate() {
            self.push_between(own, &small, sink)?;
            let others = &mut large[place + 1..].iter();
            others.try_for_each(|other| self.push_between(own, other, sink))?;
        }
        Ok(())
    }

    /// Pushes the pairs of texts that are in order.
    fn push_among(&self, members: &[Member], sink: &mut dyn PairSink) -> Result<()> {
        let mut members = members
            .iter()
            .enumerate()
            .map(|(place, member)| (member, &members[place + 1..]));
        members.try_for_each(|(member, others)| self.push_larger(*member, others, sink))
    }

    /// Pushes the pairs of a text of these and one of those, both in order.
    fn push_between(
        &self,
        these: &[Member],
        those: &[Member],
        sink: &mut dyn PairSink,
    ) -> Result<()> {
        these
            .iter()
            .try_for_each(|member| self.push_larger(*member, those, sink))?;
        those.iter().try_for_each(|member| {
            let from = these.partition_point(|one| one.size <= member.size);
            self.push_larger(*member, &these[from..], sink)
        })
    }

    /// Pushes the pairs of a text with others, which are in order, as far as they are no smaller. Of a size none is looked at that
    /// shares too few keys with whomever: a passage that stands in every text is then no reason to compare them all.
    fn push_larger(&self, own: Member, others: &[Member], sink: &mut dyn PairSink) -> Result<()> {
        let largest = self.rule.largest(own.size);
        let mut rest = &others[others.partition_point(|other| other.size < own.size)..];
        while let Some(first) = rest.first() {
            if u64::from(first.size) > largest {
                break;
            }
            let floor = self.rule.floor(own.size, first.size);
            let of_size = |other: &&Member| other.size == first.size && other.shared >= floor;
            if own.shared >= floor {
                for other in rest.iter().take_while(of_size) {
                    let least = self
                        .rule
                        .least((own.text, own.size), (other.text, other.size));
                    if own.shared.min(other.shared) >= least
                        && own.text != other.text
                        && self.wanted.pair(own.text, other.text)
                        && self.round.wants(own.text, other.text)
                    {
                        sink.push(own.text.min(other.text), own.text.max(other.text))?;
                        if matches!(self.round, Round::Neighbours) {
                            return Ok(());
                        }
                    }
                }
            }
            rest = behind(rest, first.size);
        }
        Ok(())
    }
}

/// What is behind the members of this size, which stand first.
fn behind(members: &[Member], size: u32) -> &[Member] {
    match members.get(1) {
        Some(next) if next.size == size => {
            &members[members.partition_point(|member| member.size == size)..]
        }
        _ => &members[1..],
    }
}
