//! The join for resemblance: sample, read, group, verify.

use std::sync::Arc;

use super::checkpoint::{Saved, StateReader, StateWriter, Tables};
use super::finish::Search;
use super::first_pass::Reading;
use super::one_sided::changed;
use super::scan::{self, Extent};
use super::{Figures, Join, Joined, stream};
use crate::candidates::frequency::{FrequencyClasses, FrequencySample};
use crate::candidates::lists::{Lists, Postings};
use crate::candidates::pairs::{Limits, Round, Share};
use crate::candidates::prefix::{PrefixRule, PrefixWriter, expected_postings};
use crate::document::DocId;
use crate::error::Result;
use crate::fingerprint::truncate;
use crate::matches::Documents;
use crate::matches::{CandidatePair, Identical, Wanted};
use crate::method::Fitted;

/// One block in so many is read beforehand to learn which shingles are frequent.
pub(crate) const SAMPLED: usize = 8;

/// What the reading leaves.
struct Read {
    /// Where the prefix of each text ends.
    ends: Vec<u32>,
    postings: Postings,
}

impl Saved for Read {
    fn save(&self, _: &Tables, state: &mut StateWriter) -> Result<()> {
        state.numbers(&self.ends)?;
        state.partitions(self.postings.partitions())
    }

    fn restore(tables: &mut Tables, state: &mut StateReader, join: &Join<'_>) -> Result<Self> {
        let budget = join.working_memory() / 2;
        Ok(Self {
            ends: state.column_of(tables.documents.len())?,
            postings: Postings::of(join.partitions_of(state, budget)?),
        })
    }
}

/// The texts of each shingle of a prefix.
pub(super) struct PrefixSearch {
    lists: Lists,
    rule: PrefixRule,
    wanted: Wanted,
}

impl PrefixSearch {
    /// How often texts share a shingle of their prefixes, about, as far as that is looked at.
    pub(super) fn estimate(&self, limits: &Limits<'_>) -> Result<u64> {
        let step = stream::step(self.expected(), self.lists.sizes().len() as u32);
        let some = self.pushes(Round::Share(Share::OneIn(step)), limits)?;
        Ok(stream::scale(some, step))
    }
}

impl Search for PrefixSearch {
    fn expected(&self) -> u64 {
        self.lists.counts().pairs
    }

    fn candidates(
        &self,
        _: &Join<'_>,
        round: Round<'_>,
        limits: &Limits<'_>,
    ) -> Result<Vec<CandidatePair>> {
        self.lists
            .candidates(&self.rule, self.wanted, round, limits)
    }

    fn pushes(&self, round: Round<'_>, limits: &Limits<'_>) -> Result<u64> {
        self.lists.pushes(&self.rule, self.wanted, round, limits)
    }
}

impl Join<'_> {
    pub(crate) fn symmetric(mut self) -> Result<Joined> {
        let fitted = Fitted::Shingles(Arc::clone(&self.preparer));
        if let Some(kept) = self.kept_found() {
            return self.finish_kept(kept, fitted);
        }
        let (
            Tables {
                documents,
                identical,
            },
            Read { ends, postings },
        ) = self.reading(Self::read)?;
        let mut figures = std::mem::take(&mut self.figures);
        let sizes = identical.sizes(&documents);
        let wanted = self.wanted(&documents);
        let lists = figures.time("group", || {
            self.with_limits("grouping", |limits| postings.group(sizes, limits))
        })?;
        self.figures = figures;
        let threshold = self.options.matching.threshold;
        let search = PrefixSearch {
            lists,
            rule: PrefixRule { threshold, ends },
            wanted,
        };
        self.finish((documents, identical), fitted, &search)
    }

    /// The complete search among texts that were read for another plan, given their sizes.
    pub(super) fn prefix_search(
        &self,
        sizes: Vec<u32>,
        wanted: Wanted,
        limits: &Limits<'_>,
    ) -> Result<PrefixSearch> {
        let classes = self.sample()?;
        let postings = self.prefix_postings(self.working_memory() / 4);
        let (documents, ends) = self.read_prefixes(&postings, &classes)?;
        if documents.len() != sizes.len() {
            let last = DocId(documents.len().saturating_sub(1) as u32);
            let place = documents.places.last().copied().unwrap_or_default();
            return Err(changed(&place, self.source.collection(last, &documents)));
        }
        drop(documents);
        let threshold = self.options.matching.threshold;
        Ok(PrefixSearch {
            lists: postings.group(sizes, limits)?,
            rule: PrefixRule { threshold, ends },
            wanted,
        })
    }

    fn prefix_postings(&self, budget: u64) -> Postings {
        let expected = expected_postings(self.expected_shingles(), self.options.matching.threshold);
        Postings::new(expected, budget, self.temporary.path())
    }

    /// Reads the texts, a sample of them before.
    fn read(&self, figures: &mut Figures) -> Result<(Tables, Read)> {
        let classes = figures.time("sample", || self.sample())?;
        let postings = self.prefix_postings(self.working_memory() / 2);
        let (mut documents, ends) =
            figures.time("read", || self.read_prefixes(&postings, &classes))?;
        documents.check_keys(self.source)?;
        let tables = Tables {
            identical: Identical::take(&mut documents),
            documents,
        };
        let read = Read { ends, postings };
        Ok((tables, read))
    }

    fn sample(&self) -> Result<FrequencyClasses> {
        let sample = FrequencySample::new(self.expected_shingles() / SAMPLED as u64);
        let bits = self.options.matching.shingle.bits;
        scan::announce(self.source, self.observer, "sampling", SAMPLED as u64)?;
        for collection in self.collections() {
            scan::scan(
                collection,
                Extent::OneIn(SAMPLED),
                self.options.resources.threads,
                self.observer,
                Reading::default,
                |reading, block| {
                    for (_, record) in block.readable() {
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
        postings: &Postings,
        classes: &FrequencyClasses,
    ) -> Result<(Documents, Vec<u32>)> {
        let bits = self.options.matching.shingle.bits;
        let mut prefix_ends = Vec::new();
        let documents = self.read_documents(
            || {
                let threshold = self.options.matching.threshold;
                let writer = PrefixWriter::new(postings.feeder(), threshold, classes);
                (Reading::default(), writer)
            },
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
