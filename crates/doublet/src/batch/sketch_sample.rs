//! Reads a sample of the sketches of a collection.

use super::Join;
use super::first_pass::Reading;
use super::scan::{self, Extent};
use crate::error::Result;
use crate::method::minhash::sample::{self, Sample, SampledText};
use crate::read::Collection;
use crate::sketch::{MeetBy, Permutations};

impl Join<'_> {
    pub(super) fn sample_sketches(&self) -> Result<Sampled> {
        let every = sample::every(self.expected_bytes());
        scan::announce(self.source, self.observer, "sampling", every)?;
        let options = &self.options.matching.sketches;
        // Only bands are chosen by sketches; for anything else the number of texts is enough.
        let size = match (options.meet_by, options.bands) {
            (MeetBy::Bands, None) => options.size,
            _ => 0,
        };
        let permutations = Permutations::new(size, options.seed);
        let (mut texts, mut sampled) = (Vec::new(), Sampled::default());
        for collection in self.collections() {
            let blocks = self.sample_collection(collection, every as usize, &permutations)?;
            for block in blocks {
                sampled.records += block.records;
                sampled.bytes += block.bytes;
                texts.extend(block.texts);
            }
        }
        sampled.texts = Sample::new(texts);
        Ok(sampled)
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
                let most = sample::most_texts(permutations.count());
                for (_, record) in block.readable().take(most) {
                    reading.prepare(&self.preparer, &record.text);
                    let size = reading.distinct.len() as u32;
                    let prepared = &mut reading.prepared;
                    let text = SampledText::new(&self.preparer, permutations, prepared, size);
                    sampled.texts.extend(text);
                }
                blocks.push(sampled);
                Ok(())
            },
        )?;
        let blocks = states.into_iter().flat_map(|(_, blocks)| blocks);
        let mut blocks: Vec<SampledBlock> = blocks.collect();
        blocks.sort_unstable_by_key(|block| block.first);
        Ok(blocks)
    }
}

/// What a block of the sample has.
struct SampledBlock {
    first: u32,
    records: u64,
    bytes: u64,
    texts: Vec<SampledText>,
}

/// A sample, and what was read for it.
#[derive(Default)]
pub(super) struct Sampled {
    pub(super) texts: Sample,
    records: u64,
    bytes: u64,
}

impl Sampled {
    /// Texts in so many bytes.
    pub(super) fn expected_texts(&self, bytes: u64) -> f64 {
        let each = self.bytes as f64 / self.records.max(1) as f64;
        (bytes as f64 / each.max(1.0)).max(self.texts.len() as f64)
    }
}
