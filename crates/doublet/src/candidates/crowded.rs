//! Keys that very many texts have, though few of these texts match: those of a passage that stands in every text.
//!
//! Every two texts of such a key would be looked at. A text that has one is put under its complete keys instead, of which two
//! texts that match share one at least; so nothing is missed that would have met. A sample says which keys are crowded, and
//! whether the complete ones bring fewer texts together.

use hashbrown::{HashMap, HashSet};

use super::meetings::Meeting;
use crate::error::Result;

/// Texts under one key past which it is crowded.
pub(super) const CROWDED: usize = 4096;
/// Texts that are looked at, about, and how many of them must have a key at least.
const SAMPLE: usize = 1024;
const LEAST: usize = 8;
/// Texts that are held at a time.
const HELD: usize = 256;

/// The crowded keys of a run, as they are compared.
#[derive(Debug, Default)]
pub(super) struct Crowded {
    /// Those under which no text is put.
    left: HashSet<u64>,
    /// Those under which texts are put all the same, the complete ones among them.
    kept: Vec<u64>,
}

impl Crowded {
    /// Looks at a sample of the texts. `most`: texts under a key that is not crowded; `shorten`: the part of a key that counts.
    pub(super) fn find<M: Meeting>(
        meeting: &M,
        most: usize,
        shorten: impl Fn(u64) -> u64,
    ) -> Result<Self> {
        if meeting.count() <= most {
            return Ok(Self::default());
        }
        let step = (meeting.count() / SAMPLE).max(1);
        let least = (most / step).max(LEAST);
        let places: Vec<u32> = (0..meeting.count() as u32).step_by(step).collect();
        let own = Counts::of(meeting, &places, |meeting, held, index, scratch, keys| {
            meeting.keys(held, index, scratch, keys);
            keys.iter_mut().for_each(|key| *key = shorten(*key));
        })?;
        let crowded: HashSet<u64> = own.above(least).collect();
        if crowded.is_empty() {
            return Ok(Self::default());
        }
        let complete = Counts::of(meeting, &places, |meeting, held, index, scratch, keys| {
            meeting.keys(held, index, scratch, keys);
            let is_crowded = keys.iter().any(|key| crowded.contains(&shorten(*key)));
            keys.clear();
            if is_crowded {
                meeting.complete_keys(held, index, scratch, keys);
                keys.iter_mut().for_each(|key| *key = shorten(*key));
            }
        })?;
        // Texts without complete keys would meet nobody.
        let fewer = !complete.0.is_empty() && complete.pairs() < own.pairs_of(&crowded) / 2;
        Ok(match fewer {
            true => Self {
                left: crowded,
                kept: complete.above(least).collect(),
            },
            false => Self {
                left: HashSet::new(),
                kept: crowded.into_iter().collect(),
            },
        })
    }

    /// Whether texts are put under all their keys.
    pub(super) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// Whether no text is put under this key of its own.
    pub(super) fn contains(&self, key: u64) -> bool {
        self.left.contains(&key)
    }

    /// The crowded keys under which texts are put, in no particular order.
    pub(super) fn kept(&self) -> impl Iterator<Item = u64> {
        self.kept.iter().copied()
    }
}

/// How many texts of a sample have each key.
struct Counts(HashMap<u64, u32>);

impl Counts {
    fn of<M: Meeting>(
        meeting: &M,
        places: &[u32],
        keys_of: impl Fn(&M, &M::Held, u32, &mut M::Scratch, &mut Vec<u64>),
    ) -> Result<Self> {
        let mut counts = HashMap::new();
        let (mut scratch, mut keys) = (M::Scratch::default(), Vec::new());
        for places in places.chunks(HELD) {
            let held = meeting.hold(places)?;
            for index in 0..places.len() as u32 {
                keys.clear();
                keys_of(meeting, &held, index, &mut scratch, &mut keys);
                keys.sort_unstable();
                keys.dedup();
                for &key in &keys {
                    *counts.entry(key).or_default() += 1;
                }
            }
        }
        Ok(Self(counts))
    }

    /// The keys that more than `most` texts have.
    fn above(&self, most: usize) -> impl Iterator<Item = u64> {
        let keys = self.0.iter();
        keys.filter(move |(_, count)| **count as usize > most)
            .map(|(key, _)| *key)
    }

    /// Pairs of texts that have a key in common, each time they do.
    fn pairs(&self) -> u64 {
        self.0.values().copied().map(pairs).sum()
    }

    /// The same for some of the keys.
    fn pairs_of(&self, keys: &HashSet<u64>) -> u64 {
        let counts = keys.iter().filter_map(|key| self.0.get(key));
        counts.copied().map(pairs).sum()
    }
}

fn pairs(count: u32) -> u64 {
    let count = u64::from(count);
    count * count.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use proptest::prelude::*;

    use super::*;
    use crate::candidates::meetings::meet;
    use crate::candidates::pairs::Limits;
    use crate::error::Error;
    use crate::hash::finish;
    use crate::matches::{Verified, Wanted};
    use crate::scores::Scores;

    /// Texts of some numbers, of which a match shares two; all have a key in common.
    struct Passages(Vec<Vec<u64>>);

    impl Passages {
        fn matches(&self, a: u32, b: u32) -> bool {
            let other = &self.0[b as usize];
            let shared = self.0[a as usize].iter().filter(|n| other.contains(n));
            shared.count() > 1
        }
    }

    impl Meeting for Passages {
        type Scratch = ();
        type Held = Vec<u32>;
        type Look = ();

        fn count(&self) -> usize {
            self.0.len()
        }

        fn text(&self, place: u32) -> u32 {
            place
        }

        fn copies(&self, _: u32) -> u64 {
            1
        }

        fn bytes(&self, _: u32) -> u64 {
            100
        }

        fn hold_all(&self, _: u64) -> Result<Option<Vec<u32>>> {
            Ok(Some((0..self.0.len() as u32).collect()))
        }

        fn hold(&self, places: &[u32]) -> Result<Vec<u32>> {
            Ok(places.to_vec())
        }

        fn keys(&self, held: &Vec<u32>, index: u32, (): &mut (), keys: &mut Vec<u64>) {
            let place = held[index as usize];
            keys.push(finish(u64::MAX));
            keys.push(finish(1_000 + u64::from(place / 2)));
        }

        fn complete_keys(&self, held: &Vec<u32>, index: u32, (): &mut (), keys: &mut Vec<u64>) {
            let own = self.0[held[index as usize] as usize].iter();
            keys.extend(own.map(|number| finish(*number)));
        }

        fn look(&self, _: &Vec<u32>, _: u32) -> ((), u64) {
            ((), 0)
        }

        fn largest_match(&self, _: u64) -> u64 {
            u64::MAX
        }

        fn can_match(&self, (): &(), (): &()) -> bool {
            true
        }

        fn compare(&self, _: &Vec<u32>, _: (u32, u32), (a, b): (u32, u32)) -> Option<Verified> {
            self.matches(a, b)
                .then(|| Verified::new(a, b, &Scores::default()))
        }
    }

    fn met(texts: &Passages) -> (Vec<(u32, u32)>, u64) {
        let directory = tempfile::tempdir().unwrap();
        let limits = Limits {
            threads: 2,
            budget: 1 << 20,
            directory: directory.path(),
            added_up: &AtomicU64::new(0),
            most_matches: u64::MAX,
            too_many: &Error::TooManyPairs,
            tick: &|| Ok(()),
        };
        let wanted = Wanted {
            references: u32::MAX,
            across_only: false,
        };
        let found = meet(texts, texts.0.len(), wanted, false, &limits).unwrap();
        let pairs = found.verified.iter().map(|pair| (pair.a, pair.b));
        let mut pairs: Vec<(u32, u32)> = pairs.collect();
        pairs.sort_unstable();
        (pairs, found.compared)
    }

    proptest! {
        #[test]
        fn nothing_is_missed_and_each_pair_is_compared_once(
            texts in prop::collection::vec(prop::collection::btree_set(0u64..60, 0..4), 0..120),
        ) {
            let texts = Passages(texts.into_iter().map(|set| set.into_iter().collect()).collect());
            let count = texts.0.len() as u32;
            let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
            let expected: Vec<_> = pairs.filter(|&(a, b)| texts.matches(a, b)).collect();
            prop_assert_eq!(met(&texts).0, expected);
        }
    }

    #[test]
    fn texts_of_a_crowded_key_meet_by_their_own() {
        let texts = (0..600).map(|text| vec![2 * text % 997, 2 * text % 997 + 1]);
        let (pairs, compared) = met(&Passages(texts.collect()));
        let expected: Vec<(u32, u32)> = Vec::new();
        assert_eq!(pairs, expected);
        // Neighbours meet by a key of their own, few others do.
        assert!((300..1_000).contains(&compared), "{compared}");
    }
}
