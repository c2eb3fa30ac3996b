//! Candidates for the one-sided metrics: containment, coverage and containment by coverage.
//!
//! A pair reaches the threshold only if one of its texts, the *prober*, is covered to that share by shingles of the other.
//! Shingles that stand in one text only cover nothing, and tokens that only such shingles touch are surely uncovered; most
//! texts have too many of them to be probers at all. A prober may leave `u` more tokens uncovered, so of any `u + r` tokens at
//! least `r` are covered. It chooses the tokens whose shingles are rarest and probes the index of all shared shingles with
//! what touches them; a pair is proposed when it shares as many probes as it takes to cover `r` tokens. Containment is the
//! same with shingles in the place of tokens.

use std::path::Path;

use super::frequency::{FrequencySample, SharedShingles};
use super::pairs::{Limits, PairSink, Round, Share, count_pairs, count_pushes, is_sampled};
use super::partition::{Feeder, Partitions};
use crate::error::Result;
use crate::fingerprint::distinct::DistinctSet;
use crate::fingerprint::truncate;
use crate::matches::{CandidatePair, Wanted};
use crate::parallel;
use crate::scores::Metric;
use crate::threshold::Threshold;

/// Postings in one partition, for the sort to stay within the cache.
const PER_PARTITION: u64 = 1 << 16;
/// Tokens (or shingles) probed beyond those needed, while they are rare: each raises the number of probes to be shared.
const EXTRA: usize = 40;
/// Bit of a posting that says that its text probes with this shingle.
const PROBE: u64 = 1 << 32;

/// What the share of a text is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Distinct shingles: containment.
    Shingles,
    /// Tokens under shared shingles: coverage.
    Tokens,
}

impl Counted {
    /// What a one-sided metric counts.
    pub(crate) fn by(metric: Metric) -> Self {
        match metric {
            Metric::Containment => Self::Shingles,
            _ => Self::Tokens,
        }
    }
}

/// Postings of all shared shingles of all texts.
pub(crate) struct ProbeIndex {
    postings: Partitions,
    bits: u32,
}

impl ProbeIndex {
    /// For about `shingles` shingles in all, shared or not.
    pub(crate) fn new(shingles: u64, budget: u64, directory: &Path) -> Self {
        let count = (shingles / 4 / PER_PARTITION)
            .clamp(1, 2048)
            .next_power_of_two();
        Self::of(Partitions::new(count as usize, budget, directory))
    }

    /// Over these postings, whose partitions are a power of two.
    pub(crate) fn of(postings: Partitions) -> Self {
        Self {
            bits: postings.count().trailing_zeros(),
            postings,
        }
    }

    /// The postings, by partition.
    pub(crate) fn postings(&self) -> &Partitions {
        &self.postings
    }

    /// A writer for one worker.
    pub(crate) fn writer<'a>(&'a self, rule: &'a ProbeRule<'a>) -> ProbeWriter<'a> {
        ProbeWriter {
            feeder: self.postings.feeder(),
            bits: self.bits,
            rule,
            selector: ProbeSelector::default(),
        }
    }

    /// Groups the postings by shingle. `least` holds for each text how many of its probes a partner must share, 0 when it
    /// does not probe.
    pub(crate) fn group(
        self,
        least: Vec<u32>,
        wanted: Wanted,
        limits: &Limits<'_>,
    ) -> Result<ProbeLists> {
        let pairs = parallel::map(limits.threads, self.postings.count(), |part| {
            let mut postings = self.postings.take(part)?;
            postings.sort_unstable();
            let (kept, pairs) = keep_probed(&mut postings);
            self.postings.append(part, &postings[..kept])?;
            (limits.tick)()?;
            Ok(pairs)
        })?;
        Ok(ProbeLists {
            postings: self.postings,
            least,
            wanted,
            expected: pairs.into_iter().sum(),
        })
    }
}

/// The texts of each shingle that is probed.
pub(crate) struct ProbeLists {
    postings: Partitions,
    least: Vec<u32>,
    wanted: Wanted,
    expected: u64,
}

impl ProbeLists {
    /// The most pairs that the shingles can make.
    pub(crate) fn expected(&self) -> u64 {
        self.expected
    }

    /// The candidates of a round.
    pub(crate) fn candidates(
        &self,
        round: Round<'_>,
        limits: &Limits<'_>,
    ) -> Result<Vec<CandidatePair>> {
        let accept = |prober: u32, _, count| count >= round.least(self.least[prober as usize]);
        let texts = self.least.len() as u32;
        let mut pairs = count_pairs(
            texts,
            self.postings.count(),
            self.expected,
            limits,
            &|part, sink| self.push_part(part, round, sink),
            &accept,
        )?;
        for pair in &mut pairs {
            (pair.a, pair.b) = (pair.a.min(pair.b), pair.a.max(pair.b));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }

    /// How many times two texts of a round share a probe.
    pub(crate) fn pushes(&self, round: Round<'_>, limits: &Limits<'_>) -> Result<u64> {
        let walk = |part: usize, sink: &mut dyn PairSink| self.push_part(part, round, sink);
        count_pushes(self.postings.count(), limits, &walk)
    }

    /// Pushes the pairs of one partition's shingles.
    fn push_part(&self, part: usize, round: Round<'_>, sink: &mut dyn PairSink) -> Result<()> {
        let postings = self.postings.copy(part)?;
        let mut others = Vec::new();
        let mut groups = postings.chunk_by(|x, y| x >> 33 == y >> 33);
        groups.try_for_each(|group| self.push_group(group, round, &mut others, sink))
    }

    /// Pushes the pairs of one shingle's texts.
    fn push_group(
        &self,
        group: &[u64],
        round: Round<'_>,
        others: &mut Vec<u32>,
        sink: &mut dyn PairSink,
    ) -> Result<()> {
        if round.is_done(group.iter().map(|&posting| posting as u32)) {
            return Ok(());
        }
        // Probers sort last.
        let first = group.partition_point(|&posting| posting & PROBE == 0);
        others.clear();
        others.extend(group.iter().map(|&posting| posting as u32));
        // By set where sets count; the texts of a share first.
        let set = |text: u32| match round {
            Round::All(Some(sets)) => sets[text as usize],
            Round::Share(Share::OneIn(step)) => u32::from(!is_sampled(text, step)),
            _ => 0,
        };
        others.sort_unstable_by_key(|&text| (set(text), text));
        for (position, &prober) in group.iter().enumerate().skip(first) {
            let prober = prober as u32;
            let mut push = |others: &[u32]| {
                let mut wanted = others.iter().filter(|&&other| {
                    prober != other && self.wanted.pair(prober, other) && round.wants(prober, other)
                });
                wanted.try_for_each(|&other| sink.push(prober, other))
            };
            match round {
                Round::Neighbours => {
                    let before = position.checked_sub(1).map(|before| group[before] as u32);
                    push(before.as_slice())?;
                }
                // What is in one set already is not looked at, however much it is.
                Round::All(Some(_)) => {
                    let own = set(prober);
                    let start = others.partition_point(|&other| set(other) < own);
                    let end = others.partition_point(|&other| set(other) <= own);
                    push(&others[..start])?;
                    push(&others[end..])?;
                }
                Round::All(None) => push(others)?,
                Round::Share(share) => push(partners(share, prober, others))?,
            }
        }
        Ok(())
    }
}

/// Those of others with whom a text makes pairs of a share. They are in order, those that are sampled before the rest.
fn partners(share: Share, text: u32, others: &[u32]) -> &[u32] {
    let from = |number: u32| others.partition_point(|&other| other < number);
    match share {
        Share::First(start, _) if text < start => &[],
        Share::First(start, end) if text < end => &others[from(start)..],
        Share::First(start, end) => &others[from(start)..from(end)],
        Share::OneIn(step) if is_sampled(text, step) => others,
        Share::OneIn(step) => &others[..others.partition_point(|&other| is_sampled(other, step))],
    }
}

/// Moves the postings of shingles that are probed and that several texts have to the front. Gives their number and the number
/// of pairs they make.
fn keep_probed(postings: &mut [u64]) -> (usize, u64) {
    let (mut kept, mut pairs, mut start) = (0, 0, 0);
    while start < postings.len() {
        let key = postings[start] >> 33;
        let mut end = start + 1;
        while end < postings.len() && postings[end] >> 33 == key {
            end += 1;
        }
        let group = &postings[start..end];
        let probers = group
            .iter()
            .filter(|&&posting| posting & PROBE != 0)
            .count();
        if probers > 0 && group.len() > 1 {
            pairs += (probers * (group.len() - 1)) as u64;
            postings.copy_within(start..end, kept);
            kept += end - start;
        }
        start = end;
    }
    (kept, pairs)
}

/// Decides which texts probe, and with which shingles.
pub(crate) struct ProbeRule<'a> {
    pub(crate) counted: Counted,
    pub(crate) threshold: Threshold,
    /// Words in a shingle.
    pub(crate) size: usize,
    /// Bits of the fingerprints that are used.
    pub(crate) bits: u32,
    /// Which shingles may stand in several texts; `None`: all may.
    pub(crate) shared: Option<&'a SharedShingles>,
    pub(crate) sample: &'a FrequencySample,
}

/// What is known of the text at hand.
#[derive(Default)]
struct Scratch {
    /// Each position: `u8::MAX` for a shingle of this text alone, else the level of its frequency.
    levels: Vec<u8>,
    /// Tokens (or shingles) that may be covered: level, then position.
    choice: Vec<(u8, u32)>,
    chosen: Vec<bool>,
    probes: Vec<u64>,
    others: Vec<u64>,
    weights: Vec<(u64, u32)>,
    distinct: Vec<u64>,
    positions: Vec<u64>,
}

const ALONE: u8 = u8::MAX;

impl ProbeRule<'_> {
    fn measure(&self, shingles: &[u64], levels: &mut Vec<u8>) {
        levels.clear();
        levels.extend(shingles.iter().map(|&fingerprint| {
            let may_be_shared = |shared: &SharedShingles| shared.may_be_shared(fingerprint);
            if self.shared.is_none_or(may_be_shared) {
                self.sample.level(fingerprint) as u8
            } else {
                ALONE
            }
        }));
    }

    /// Chooses `u + r` of the units that may be covered, the rarest first, for `u` that may stay uncovered, and marks them in
    /// `chosen`. Gives `r`, or `None` when too few may be covered to reach the threshold.
    fn choose(&self, units: usize, scratch: &mut Scratch) -> Option<usize> {
        let coverable = scratch.choice.len();
        let needed = self.threshold.least(units as u64) as usize;
        let spare = coverable.checked_sub(needed)?;
        scratch.choice.sort_unstable();
        let extra = scratch.choice[spare..]
            .iter()
            .take_while(|(class, _)| *class == 0);
        let extra = extra.take(EXTRA).count().max(1).min(coverable - spare);
        scratch.chosen.clear();
        scratch.chosen.resize(units, false);
        for &(_, unit) in &scratch.choice[..spare + extra] {
            scratch.chosen[unit as usize] = true;
        }
        Some(extra)
    }

    /// Splits the shared shingles of a text into probes and others. Gives how many probes a partner must share, 0 when the
    /// text does not probe.
    fn select(
        &self,
        tokens: usize,
        shingles: &[u64],
        set: &mut DistinctSet,
        scratch: &mut Scratch,
    ) -> u32 {
        match self.counted {
            Counted::Shingles => self.select_shingles(shingles, set, scratch),
            Counted::Tokens => self.select_tokens(tokens, shingles, set, scratch),
        }
    }

    fn select_shingles(
        &self,
        shingles: &[u64],
        set: &mut DistinctSet,
        scratch: &mut Scratch,
    ) -> u32 {
        let mut distinct = std::mem::take(&mut scratch.distinct);
        set.distinct(shingles, &mut distinct);
        for fingerprint in &mut distinct {
            *fingerprint = truncate(*fingerprint, self.bits);
        }
        self.measure(&distinct, &mut scratch.levels);
        scratch.choice.clear();
        let classes = scratch.levels.iter().zip(0u32..);
        let shared = classes.filter(|(class, _)| **class != ALONE);
        scratch
            .choice
            .extend(shared.map(|(&class, unit)| (class, unit)));
        let least = self.choose(distinct.len(), scratch);
        for (unit, &fingerprint) in distinct.iter().enumerate() {
            if scratch.levels[unit] == ALONE {
                continue;
            }
            let probe = least.is_some() && scratch.chosen[unit];
            let side = if probe {
                &mut scratch.probes
            } else {
                &mut scratch.others
            };
            side.push(fingerprint);
        }
        scratch.distinct = distinct;
        least.unwrap_or(0) as u32
    }

    fn select_tokens(
        &self,
        tokens: usize,
        shingles: &[u64],
        set: &mut DistinctSet,
        scratch: &mut Scratch,
    ) -> u32 {
        let size = self.size.min(tokens);
        let mut positions = std::mem::take(&mut scratch.positions);
        positions.clear();
        positions.extend(
            shingles
                .iter()
                .map(|&fingerprint| truncate(fingerprint, self.bits)),
        );
        self.measure(&positions, &mut scratch.levels);
        coverable(&scratch.levels, size, tokens, &mut scratch.choice);
        let least = self.choose(tokens, scratch);
        scratch.weights.clear();
        for (position, &fingerprint) in positions.iter().enumerate() {
            if scratch.levels[position] == ALONE {
                continue;
            }
            let weight = match least {
                Some(_) => scratch.chosen[position..position + size]
                    .iter()
                    .filter(|c| **c)
                    .count(),
                None => 0,
            };
            if weight > 0 {
                scratch.weights.push((fingerprint, weight as u32));
            } else {
                scratch.others.push(fingerprint);
            }
        }
        scratch.positions = positions;
        dedup(set, &mut scratch.others, &mut scratch.distinct);
        least.map_or(0, |least| take_probes(least, scratch))
    }
}

/// Lists the tokens that a possibly shared shingle touches, each with the highest class among those.
fn coverable(classes: &[u8], size: usize, tokens: usize, choice: &mut Vec<(u8, u32)>) {
    choice.clear();
    for token in 0..tokens {
        let first = (token + 1).saturating_sub(size);
        let last = token.min(classes.len() - 1);
        let touching = classes[first.min(last)..=last]
            .iter()
            .filter(|class| **class != ALONE);
        if let Some(&class) = touching.max() {
            choice.push((class, token as u32));
        }
    }
}

fn dedup(set: &mut DistinctSet, fingerprints: &mut Vec<u64>, spare: &mut Vec<u64>) {
    set.distinct(fingerprints, spare);
    std::mem::swap(fingerprints, spare);
}

/// Turns the weights into probes, one a fingerprint, and counts how many it takes at least to cover `tokens` tokens.
fn take_probes(tokens: usize, scratch: &mut Scratch) -> u32 {
    scratch.weights.sort_unstable();
    let mut weights: Vec<u32> = Vec::with_capacity(scratch.weights.len());
    for run in scratch.weights.chunk_by(|x, y| x.0 == y.0) {
        scratch.probes.push(run[0].0);
        weights.push(run.iter().map(|(_, weight)| weight).sum());
    }
    weights.sort_unstable_by(|x, y| y.cmp(x));
    let mut covered = 0;
    let enough = weights.iter().position(|&weight| {
        covered += weight as usize;
        covered >= tokens
    });
    enough.map_or(0, |position| position as u32 + 1)
}

/// Writes the postings of one worker's texts.
pub(crate) struct ProbeWriter<'a> {
    feeder: Feeder<'a>,
    bits: u32,
    rule: &'a ProbeRule<'a>,
    selector: ProbeSelector,
}

impl ProbeWriter<'_> {
    /// Adds a text by the shingle at each position. Gives how many of its probes a partner must share, 0 when it does not
    /// probe.
    pub(crate) fn add(&mut self, text: u32, tokens: usize, shingles: &[u64]) -> Result<u32> {
        let Probes {
            least,
            probes,
            others,
        } = self.selector.select(self.rule, tokens, shingles);
        for (fingerprints, flag) in [(probes, PROBE), (others, 0)] {
            for &fingerprint in fingerprints {
                let part = fingerprint.checked_shr(64 - self.bits).unwrap_or(0) as usize;
                let key = (fingerprint << self.bits) & !(u64::MAX >> 31);
                self.feeder.push(part, key | flag | u64::from(text))?;
            }
        }
        Ok(least)
    }

    /// Hands on what is held back.
    pub(crate) fn finish(self) -> Result<()> {
        self.feeder.finish()
    }
}

/// Selects the probes of texts, one after the other.
#[derive(Default)]
pub(crate) struct ProbeSelector {
    set: DistinctSet,
    scratch: Scratch,
}

/// The shared shingles of a text.
pub(crate) struct Probes<'a> {
    /// How many probes a partner must share; 0 when the text does not probe.
    pub(crate) least: u32,
    /// Those it probes with.
    pub(crate) probes: &'a [u64],
    /// Those it is only found by.
    pub(crate) others: &'a [u64],
}

impl ProbeSelector {
    /// The probes of a text of so many tokens, given the shingle at each position.
    pub(crate) fn select(
        &mut self,
        rule: &ProbeRule<'_>,
        tokens: usize,
        shingles: &[u64],
    ) -> Probes<'_> {
        let scratch = &mut self.scratch;
        scratch.probes.clear();
        scratch.others.clear();
        let least = match shingles.is_empty() {
            true => 0,
            false => rule.select(tokens, shingles, &mut self.set, scratch),
        };
        Probes {
            least,
            probes: &scratch.probes,
            others: &scratch.others,
        }
    }
}
