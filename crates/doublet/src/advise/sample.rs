//! A sample of the texts: those with the least random numbers, which follow from what the texts say.
//!
//! So every text has the same chance however often it is repeated, and the sample depends on neither order nor threads.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::error::{Error, Result};
use crate::read::{Collection, Place};

/// Bytes of sampled texts, about.
const MOST_BYTES: u64 = 64 << 20;

/// A sampled text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sampled {
    /// Its random number.
    priority: u64,
    /// Its number in the collection; of copies, the first.
    number: u32,
    /// Equal for texts of the same words.
    pub(super) identity: u64,
    place: Place,
}

/// The texts with the least random numbers so far.
#[derive(Debug)]
pub(super) struct Sample {
    list: Vec<Sampled>,
    most: usize,
    seed: u64,
    /// Greater numbers are no longer taken.
    bar: u64,
}

impl Sample {
    pub(super) fn new(most: usize, seed: u64) -> Self {
        Self {
            list: Vec::new(),
            most,
            seed,
            bar: u64::MAX,
        }
    }

    pub(super) fn add(&mut self, identity: u64, number: u32, place: Place) {
        let priority = xxh3_64_with_seed(&identity.to_le_bytes(), self.seed);
        if priority > self.bar {
            return;
        }
        self.list.push(Sampled {
            priority,
            number,
            identity,
            place,
        });
        if self.list.len() >= 4 * self.most.max(16) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.list
            .sort_unstable_by_key(|text| (text.priority, text.number));
        self.list.dedup_by_key(|text| text.priority);
        self.list.truncate(self.most);
        if let Some(last) = self.list.get(self.most.saturating_sub(1)) {
            self.bar = last.priority;
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.list.extend(other.list);
        self.cut();
    }

    /// The texts, in the order of their random numbers, so that the first few are a sample as well.
    pub(super) fn finish(mut self) -> Vec<Sampled> {
        self.cut();
        let mut bytes = 0;
        let fits = |text: &&Sampled| {
            let length = u64::from(text.place.length);
            let fits = bytes == 0 || bytes + length <= MOST_BYTES;
            bytes += if fits { length } else { 0 };
            fits
        };
        // One that is too long for the rest is passed over, and those after it are not.
        self.list.iter().filter(fits).cloned().collect()
    }
}

/// Reads sampled texts again.
pub(super) fn fetch(collection: &Collection, sampled: &[Sampled]) -> Result<Vec<String>> {
    let mut order: Vec<usize> = (0..sampled.len()).collect();
    order.sort_unstable_by_key(|&index| sampled[index].number);
    let places: Vec<Place> = order.iter().map(|&index| sampled[index].place).collect();
    let mut texts = vec![String::new(); sampled.len()];
    let mut bad = None;
    collection.fetch_run(&places, &mut Vec::new(), &mut |at, record| match record {
        Ok(record) => texts[order[at]] = record.text.into_owned(),
        Err(rejection) => bad = Some(rejection),
    })?;
    match bad {
        None => Ok(texts),
        Some(rejection) => Err(Error::BadFile {
            path: rejection.file.into(),
            reason: format!(
                "line {}: {}; has the file changed meanwhile?",
                rejection.line, rejection.reason
            ),
        }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_sample_is_that_of_the_texts(texts in prop::collection::vec(0u64..300, 0..600), most in 1usize..50, threads in 1usize..4) {
            let take = |threads: usize| {
                let mut samples: Vec<Sample> = (0..threads).map(|_| Sample::new(most, 1)).collect();
                for (number, text) in texts.iter().enumerate() {
                    samples[number % threads].add(*text, number as u32, Place::default());
                }
                let mut all = Sample::new(most, 1);
                samples.into_iter().for_each(|sample| all.merge(sample));
                all.finish()
            };
            let (one, several) = (take(1), take(threads));
            prop_assert_eq!(&one, &several);
            let distinct: std::collections::BTreeSet<u64> = texts.iter().copied().collect();
            prop_assert_eq!(one.len(), distinct.len().min(most));
            for text in one {
                let first = texts.iter().position(|other| *other == text.identity);
                prop_assert_eq!(first, Some(text.number as usize));
            }
        }
    }
}
