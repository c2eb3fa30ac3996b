//! A sample of the sketches of a collection, from which the cost of finding its pairs is guessed.

use super::Join;
use super::first_pass::Reading;
use super::scan::{self, Extent};
use crate::error::Result;
use crate::read::Collection;
use crate::sketch::bands::Expected;
use crate::sketch::{Banding, MeetBy, Permutations, band_keys};
use crate::threshold::Threshold;

/// One part in so many of the bytes is sampled, but at least and at most so many: in a larger collection a pair of the sample stands for
/// more pairs, and chance would weigh more.
const SAMPLED: u64 = 256;
const LEAST_SAMPLE: u64 = 8 << 20;
const MOST_SAMPLE: u64 = 64 << 20;
/// Values of sketches that a block adds to the sample: those of 1,000 texts, or of fewer if sketches are longer than usual.
const VALUES_A_BLOCK: usize = 200_000;
/// Past so many meetings in the sample a choice is not looked at further.
const MOST_MEETINGS: usize = 1 << 20;

impl Join<'_> {
    /// The cheapest bands for a collection of which this is a sample.
    pub(super) fn choose_bands(&self, sample: &Sample) -> Result<Banding> {
        let options = &self.options.sketches;
        let threshold = self.options.threshold;
        let choices = Banding::choices(threshold, options.recall, options.size)?;
        let texts = sample.texts(self.expected_bytes());
        let look = |banding: &Banding| sample.look(banding, threshold, texts);
        Ok(Banding::cheapest(choices, texts, look))
    }

    pub(super) fn sample_sketches(&self) -> Result<Sample> {
        let bytes = self.expected_bytes();
        let every = (bytes / (bytes / SAMPLED).clamp(LEAST_SAMPLE, MOST_SAMPLE)).max(1);
        scan::announce(self.source, self.observer, "sampling", every);
        let options = &self.options.sketches;
        // Only bands are chosen by sketches; for anything else the number of texts is enough.
        let size = match options.meet_by {
            MeetBy::Bands => options.size,
            MeetBy::Values => 0,
        };
        let permutations = Permutations::new(size, options.seed);
        let mut sample = Sample::default();
        for collection in self.collections() {
            sample.add(self.sample_collection(collection, every as usize, &permutations)?);
        }
        sample.finish();
        Ok(sample)
    }

    fn sample_collection(
        &self,
        collection: &Collection,
        every: usize,
        permutations: &Permutations,
    ) -> Result<Vec<SampledBlock>> {
        let states = scan::scan(
            collection,
            Extent::OneIn(every),
            self.options.resources.threads,
            self.observer,
            || (Reading::default(), Vec::new()),
            |(reading, blocks), block| {
                let mut sampled = SampledBlock {
                    first: block.first,
                    records: block.len() as u64,
                    bytes: block.bytes() as u64,
                    texts: Vec::new(),
                };
                let most = VALUES_A_BLOCK / permutations.count().max(200);
                let most = if permutations.count() == 0 { 0 } else { most };
                let records = (0..block.len()).filter_map(|index| block.decode(index).ok());
                for record in records.take(most) {
                    reading.prepare(&self.preparer, &record.text);
                    if reading.prepared.tokens == 0 {
                        continue;
                    }
                    let mut sketch = vec![0; permutations.count()];
                    let identity = reading.prepared.identity();
                    permutations.sketch(self.preparer.mix(&mut reading.prepared), &mut sketch);
                    sampled.texts.push(SampledText {
                        identity,
                        size: reading.distinct.len() as u32,
                        sketch,
                    });
                }
                blocks.push(sampled);
                Ok(())
            },
        )?;
        let blocks = states.into_iter().flat_map(|(_, blocks)| blocks);
        Ok(blocks.collect())
    }
}

/// What a block of the sample has.
struct SampledBlock {
    first: u32,
    records: u64,
    bytes: u64,
    texts: Vec<SampledText>,
}

struct SampledText {
    identity: u128,
    /// Distinct shingles.
    size: u32,
    sketch: Vec<u32>,
}

/// Texts of a collection, from which the cost of finding its pairs is guessed.
#[derive(Default)]
pub(super) struct Sample {
    texts: Vec<SampledText>,
    records: u64,
    bytes: u64,
}

impl Sample {
    fn add(&mut self, mut blocks: Vec<SampledBlock>) {
        blocks.sort_unstable_by_key(|block| block.first);
        for block in blocks {
            self.records += block.records;
            self.bytes += block.bytes;
            self.texts.extend(block.texts);
        }
    }

    /// Leaves out copies.
    fn finish(&mut self) {
        self.texts.sort_by_key(|text| text.identity);
        self.texts.dedup_by_key(|text| text.identity);
    }

    /// Texts in so many bytes.
    pub(super) fn texts(&self, bytes: u64) -> f64 {
        let each = self.bytes as f64 / self.records.max(1) as f64;
        (bytes as f64 / each.max(1.0)).max(self.texts.len() as f64)
    }

    /// What a choice would lead to, for so many texts.
    fn look(&self, banding: &Banding, threshold: Threshold, texts: f64) -> Expected {
        let mut keys: Vec<(u64, u32)> =
            Vec::with_capacity(self.texts.len() * banding.bands as usize);
        for (number, text) in (0..).zip(&self.texts) {
            keys.extend(band_keys(&text.sketch, *banding).map(|key| (key, number)));
        }
        keys.sort_unstable();
        let mut meetings = 0u64;
        let mut pairs = Vec::new();
        let size = |number: u32| u64::from(self.texts[number as usize].size);
        for group in keys.chunk_by(|x, y| x.0 == y.0) {
            for (i, &(_, a)) in group.iter().enumerate() {
                if pairs.len() > MOST_MEETINGS {
                    meetings += (group.len() - i - 1) as u64;
                    continue;
                }
                for &(_, b) in &group[i + 1..] {
                    meetings += 1;
                    if threshold.reached(size(a).min(size(b)), size(a).max(size(b))) {
                        pairs.push((a.min(b), a.max(b)));
                    }
                }
            }
        }
        pairs.sort_unstable();
        let runs = pairs.chunk_by(|x, y| x == y);
        let candidates = runs.filter(|run| run.len() as u32 >= banding.least).count();
        let scale = (texts / self.texts.len().max(1) as f64).powi(2);
        Expected {
            texts,
            meetings: meetings as f64 * scale,
            candidates: candidates as f64 * scale,
        }
    }
}
