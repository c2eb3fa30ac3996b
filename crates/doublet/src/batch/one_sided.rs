//! The join for containment and coverage: learn which shingles are shared, read again, group, verify.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::checkpoint::{Saved, StateReader, StateWriter, Tables};
use super::finish::Search;
use super::first_pass::Reading;
use super::scan::{self, Extent};
use super::{Figures, Join, Joined};
use crate::candidates::frequency::{FrequencySample, SharedShingles};
use crate::candidates::pairs::{Limits, Round};
use crate::candidates::probe::{Counted, ProbeIndex, ProbeLists, ProbeRule};
use crate::error::{Error, Result};
use crate::fingerprint::truncate;
use crate::matches::{CandidatePair, Identical};
use crate::matches::{Documents, State};
use crate::method::Fitted;
use crate::read::{Block, Collection, Place};

/// One text in so many is counted to learn which shingles are frequent.
const SAMPLED: u32 = 8;
/// The identities seen are kept in so many sets, each with its lock.
const SHARDS: usize = 64;

/// What the first reading learns.
struct Learned {
    shared: SharedShingles,
    sample: FrequencySample,
    seen: Vec<Mutex<HashSet<u128>>>,
}

impl Learned {
    /// Whether this is the first text with this identity in its collection. Copies would make every shingle of theirs look
    /// shared.
    fn is_new(&self, identity: u128) -> bool {
        let shard = &self.seen[identity as usize % SHARDS];
        shard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(identity)
    }
}

/// What both readings leave.
struct Read {
    /// How many probes a partner of each text must share.
    least: Vec<u32>,
    index: ProbeIndex,
}

impl Saved for Read {
    fn save(&self, _: &Tables, state: &mut StateWriter) -> Result<()> {
        state.numbers(&self.least)?;
        state.partitions(self.index.postings())
    }

    fn restore(tables: &mut Tables, state: &mut StateReader, join: &Join<'_>) -> Result<Self> {
        let budget = join.working_memory() / 2;
        Ok(Self {
            least: state.column_of(tables.documents.len())?,
            index: ProbeIndex::of(join.partitions_of(state, budget)?),
        })
    }
}

impl Search for ProbeLists {
    fn expected(&self) -> u64 {
        self.expected()
    }

    fn candidates(
        &self,
        _: &Join<'_>,
        round: Round<'_>,
        limits: &Limits<'_>,
    ) -> Result<Vec<CandidatePair>> {
        self.candidates(round, limits)
    }

    fn pushes(&self, round: Round<'_>, limits: &Limits<'_>) -> Result<u64> {
        self.pushes(round, limits)
    }
}

impl Join<'_> {
    pub(crate) fn one_sided(mut self) -> Result<Joined> {
        let fitted = Fitted::Shingles(Arc::clone(&self.preparer));
        if let Some(kept) = self.kept_found() {
            return self.finish_kept(kept, fitted);
        }
        let (
            Tables {
                documents,
                identical,
            },
            Read { least, index },
        ) = self.reading(Self::read_twice)?;
        let mut figures = std::mem::take(&mut self.figures);
        let wanted = self.wanted(&documents);
        let lists = figures.time("group", || {
            self.with_limits("grouping", |limits| index.group(least, wanted, limits))
        })?;
        self.figures = figures;
        self.finish((documents, identical), fitted, &lists)
    }

    /// Both readings.
    fn read_twice(&self, figures: &mut Figures) -> Result<(Tables, Read)> {
        let (mut documents, learned) = figures.time("read", || self.learn())?;
        let Learned {
            shared,
            sample,
            seen,
        } = learned;
        drop(seen);
        documents.check_keys(self.source)?;
        let identical = Identical::take(&mut documents);
        let index = ProbeIndex::new(
            self.expected_shingles(),
            self.working_memory() / 2,
            self.temporary.path(),
        );
        let least = figures.time("index", || {
            self.read_probes(&index, (&shared, &sample), &documents, &identical)
        })?;
        let tables = Tables {
            documents,
            identical,
        };
        Ok((tables, Read { least, index }))
    }

    /// First reading: the table of documents, and which shingles may be shared.
    fn learn(&self) -> Result<(Documents, Learned)> {
        let learned = Learned {
            shared: SharedShingles::new(self.expected_shingles(), self.working_memory() / 4),
            sample: FrequencySample::new(self.expected_shingles() / u64::from(SAMPLED)),
            seen: (0..SHARDS).map(|_| Mutex::default()).collect(),
        };
        let documents = self.read_documents(
            Reading::default,
            |reading, block, part| self.learn_block(&learned, part.which, reading, block),
            |reading| Ok(reading.blocks),
        )?;
        Ok((documents, learned))
    }

    fn learn_block(
        &self,
        learned: &Learned,
        which: usize,
        reading: &mut Reading,
        block: &Block,
    ) -> Result<()> {
        let bits = self.options.matching.shingle.bits;
        reading.block(block, &self.preparer, self.options, |reading, _| {
            let identity = reading.prepared.identity();
            // By content, so that it does not matter which of several copies comes first.
            let sampled = identity.is_multiple_of(u128::from(SAMPLED));
            if learned.is_new(identity ^ which as u128) {
                for fingerprint in &mut reading.distinct {
                    *fingerprint = truncate(*fingerprint, bits);
                }
                learned
                    .shared
                    .add_all(&reading.distinct, &mut reading.waiting);
                if sampled {
                    reading.distinct.iter().for_each(|&f| learned.sample.add(f));
                }
            }
            Ok(())
        })
    }

    /// Second reading: the postings. Gives how many probes a partner of each text must share.
    fn read_probes(
        &self,
        index: &ProbeIndex,
        (shared, sample): (&SharedShingles, &FrequencySample),
        documents: &Documents,
        identical: &Identical,
    ) -> Result<Vec<u32>> {
        let rule = ProbeRule {
            counted: Counted::by(self.options.matching.metric),
            threshold: self.options.matching.threshold,
            size: self.options.matching.shingle.size,
            bits: self.options.matching.shingle.bits,
            shared: Some(shared),
            sample,
        };
        let least: Vec<AtomicU32> = bytemuck::zeroed_vec(documents.len());
        scan::announce(self.source, self.observer, "indexing", 1)?;
        for (which, collection) in self.collections().enumerate() {
            let base = if which == 1 {
                documents.references()
            } else {
                0
            };
            let states = scan::scan(
                collection,
                Extent::Whole,
                self.options.resources.threads,
                self.observer,
                || (Reading::default(), index.writer(&rule)),
                |(reading, writer), block| {
                    for position in 0..block.len() {
                        let text = base + block.first + position as u32;
                        match documents.states.get(text as usize) {
                            Some(State::Text) if identical.is_first(text) => {}
                            Some(_) => continue,
                            None => return Err(changed(&block.place(position), collection)),
                        }
                        let Ok(record) = block.decode(position) else {
                            continue;
                        };
                        self.preparer.prepare(&record.text, &mut reading.prepared);
                        let prepared = &reading.prepared;
                        let probes =
                            writer.add(text, prepared.tokens as usize, &prepared.shingles)?;
                        least[text as usize].store(probes, Ordering::Relaxed);
                    }
                    Ok(())
                },
            )?;
            states
                .into_iter()
                .try_for_each(|(_, writer)| writer.finish())?;
        }
        Ok(least.into_iter().map(AtomicU32::into_inner).collect())
    }
}

/// The error for a file that is not what it was when it was read first.
pub(super) fn changed(place: &Place, collection: &Collection) -> Error {
    Error::BadFile {
        path: collection.name_of(place).into(),
        reason: "the file changed during the run".to_owned(),
    }
}
