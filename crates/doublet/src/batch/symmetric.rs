//! The join for resemblance: sample, read, group, verify.

use super::documents::Documents;
use super::first_pass::Reading;
use super::matches::Identical;
use super::scan::{self, Extent};
use super::{Join, Joined};
use crate::candidates::frequency::{FrequencyClasses, FrequencySample};
use crate::candidates::prefix::PrefixIndex;
use crate::error::Result;
use crate::fingerprint::truncate;

/// One block in so many is read beforehand to learn which shingles are frequent.
const SAMPLED: usize = 8;

impl Join<'_> {
    pub(crate) fn symmetric(mut self) -> Result<Joined> {
        let mut figures = std::mem::take(&mut self.figures);
        let classes = figures.time("sample", || self.sample())?;
        let resources = &self.options.resources;
        let index = PrefixIndex::new(
            self.expected_shingles(),
            self.options.threshold,
            resources.memory / 2,
            self.temporary.path(),
        );
        let (documents, ends) = figures.time("read", || self.read_prefixes(&index, &classes))?;
        drop(classes);
        documents.check_keys(self.source)?;
        let identical = Identical::find(&documents);
        let sizes = (0..documents.len() as u32)
            .map(|text| {
                if identical.is_first(text) {
                    documents.distinct[text as usize]
                } else {
                    0
                }
            })
            .collect();
        let wanted = self.wanted(&documents);
        let lists = figures.time("group", || {
            self.with_limits("grouping", |limits| {
                index.group((sizes, ends), wanted, limits)
            })
        })?;
        self.figures = figures;
        self.finish(documents, identical, lists.expected(), &|round, limits| {
            lists.candidates(round, limits)
        })
    }

    fn sample(&self) -> Result<FrequencyClasses> {
        let sample = FrequencySample::new(self.expected_shingles() / SAMPLED as u64);
        let bits = self.options.shingle.bits;
        scan::announce(self.source, self.observer, "sampling", SAMPLED as u64);
        for collection in self.collections() {
            scan::scan(
                collection,
                Extent::OneIn(SAMPLED),
                self.options.resources.threads,
                self.observer,
                Reading::default,
                |reading, block| {
                    for record in (0..block.len()).filter_map(|index| block.decode(index).ok()) {
                        reading.prepare(&self.preparer, &record.text);
                        reading
                            .distinct
                            .iter()
                            .for_each(|&f| sample.add(truncate(f, bits)));
                    }
                    Ok(())
                },
            )?;
        }
        Ok(sample.finish())
    }

    /// Reads all texts: the table of documents, the postings, and where each prefix ends.
    fn read_prefixes(
        &self,
        index: &PrefixIndex,
        classes: &FrequencyClasses,
    ) -> Result<(Documents, Vec<u32>)> {
        let bits = self.options.shingle.bits;
        let mut prefix_ends = Vec::new();
        let documents = self.read_documents(
            || (Reading::default(), index.writer(classes)),
            |(reading, writer), block, part| {
                reading.block(block, &self.preparer, self.options, |reading, number| {
                    for fingerprint in &mut reading.distinct {
                        *fingerprint = truncate(*fingerprint, bits);
                    }
                    writer.add(part.base + number, &reading.distinct)
                })
            },
            |(reading, writer)| {
                prefix_ends.extend(writer.finish()?);
                Ok(reading.blocks)
            },
        )?;
        let mut ends = vec![0; documents.len()];
        for (text, end) in prefix_ends {
            ends[text as usize] = end;
        }
        Ok((documents, ends))
    }
}
