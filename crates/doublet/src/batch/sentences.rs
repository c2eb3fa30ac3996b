//! The join over sentences: read and fingerprint, bring equal fingerprints together, add up what each pair shares.
//!
//! Where sentences stand plays no part here, so that short ones count for nothing. The texts are read once, after a look at which words are common. The fingerprints are shared out among partitions by their
//! value, and what the texts of one fingerprint share is shared out among partitions by the first text; both go to disk past the
//! budget.

use std::sync::{Arc, Mutex, PoisonError};

use super::checkpoint::{Saved, StateReader, StateWriter, Tables};
use super::repeats::Counting;
use super::{Figures, Held, Join, Joined, fit};
use crate::candidates::partition::{Feeder, Partitions};
use crate::error::Result;
use crate::matches::{BlockRows, Documents};
use crate::matches::{Identical, Matches, Verified, Wanted};
use crate::method::TextCounts;
use crate::method::sentences::common::CommonWords;
use crate::method::sentences::{Fingerprinter, Fitted, Sentences};
use crate::parallel;
use crate::read::Block;

/// Entries in one partition, about.
const PER_PARTITION: u64 = 1 << 16;
const MOST_PARTITIONS: u64 = 1024;
/// Memory that needs no more partitions than that: with half of it there are two at least, and so on.
const PLENTY: u64 = 4 << 30;
/// Entries of pairs for each text, about, to make the partitions by.
const PAIRS_A_TEXT: u64 = 32;
/// Bytes of text for one entry, about.
const BYTES_A_SENTENCE: u64 = 100;
/// In place of counted words: the texts are the same.
const SAME: u64 = u64::MAX;

/// One distinct fingerprint of a text, as four numbers: two halves of the fingerprint, the text and the words of its sentences,
/// and the number of these. The identity of a text is an entry of no sentence.
pub(super) type Entry = [u64; 4];

fn entry(key: u128, text: u32, words: u32, sentences: u32) -> Entry {
    let text = u64::from(text) << 32 | u64::from(words);
    [(key >> 64) as u64, key as u64, text, u64::from(sentences)]
}

fn key_of(entry: &Entry) -> u128 {
    u128::from(entry[0]) << 64 | u128::from(entry[1])
}

pub(super) fn text_of(entry: &Entry) -> u32 {
    (entry[2] >> 32) as u32
}

pub(super) fn words_of(entry: &Entry) -> u32 {
    entry[2] as u32
}

/// What the fingerprints of a run come to.
struct Together {
    /// What the texts of each fingerprint share, by their first texts.
    pairs: Partitions,
    boilerplate: Boilerplate,
    counting: Option<Counting>,
}

/// Sentences that occur too often to count.
struct Boilerplate {
    /// Their fingerprints.
    keys: Vec<u128>,
    /// Their words in each text.
    words: Vec<u32>,
}

impl Boilerplate {
    fn add(&mut self, group: &[Entry]) {
        self.keys.push(key_of(&group[0]));
        for entry in group {
            self.words[text_of(entry) as usize] += words_of(entry);
        }
    }
}

/// What the reading leaves.
struct Read {
    fitted: Fitted,
    /// The fingerprints of all texts.
    partitions: Partitions,
}

impl Saved for Read {
    fn save(&self, tables: &Tables, state: &mut StateWriter) -> Result<()> {
        state.strings(self.fitted.fingerprinter.common().forms())?;
        state.numbers(&tables.documents.identities)?;
        state.partitions(&self.partitions)
    }

    fn restore(tables: &mut Tables, state: &mut StateReader, join: &Join<'_>) -> Result<Self> {
        let common = CommonWords::new(state.strings()?);
        tables.documents.identities = state.column_of(tables.documents.len())?;
        let budget = join.working_memory() / 4;
        Ok(Self {
            partitions: join.partitions_of(state, budget)?,
            fitted: Fitted::new(&join.options.matching, Arc::new(common)),
        })
    }
}

/// One thread's state in the reading.
struct Reading<'a> {
    sentences: Sentences,
    order: Vec<(u128, u32)>,
    feeder: Feeder<'a>,
    rows: Vec<BlockRows>,
}

impl Join<'_> {
    pub(crate) fn sentences(mut self) -> Result<Joined> {
        let (
            Tables {
                mut documents,
                identical,
            },
            Read {
                mut fitted,
                partitions,
            },
        ) = self.reading(Self::read_all)?;
        let mut figures = std::mem::take(&mut self.figures);
        let together = figures.time("candidates", || {
            self.bring_together(&partitions, &documents, &identical)
        })?;
        documents.identities = Vec::new();
        documents.boilerplate = together.boilerplate.words;
        let repeats = match together.counting {
            Some(counting) => figures
                .time("candidates", || self.sources(counting, &documents))
                .map(Some)?,
            None => None,
        };
        let (verified, candidates) =
            figures.time("verify", || self.add_up(&together.pairs, &documents))?;
        figures.candidates = candidates;
        figures.verifications = candidates;
        fitted.boilerplate = together.boilerplate.keys;
        Ok(Joined {
            matches: Matches::new(identical, verified, self.wanted(&documents)),
            documents,
            figures,
            fitted: fitted.into(),
            held: Held::Nothing,
            repeats,
        })
    }

    /// Reads the texts, after a look at which words are common.
    fn read_all(&self, figures: &mut Figures) -> Result<(Tables, Read)> {
        // The references say which words are common, where there are any.
        let sources = self.source.references.as_ref();
        let sources = sources.unwrap_or(&self.source.input);
        let fitted = figures.time("count", || {
            fit::without_common_words(self.options, sources, self.observer)
        })?;
        let expected = self.expected_bytes() / BYTES_A_SENTENCE;
        let partitions = self.partitions(expected, 4);
        let fingerprinter = &fitted.fingerprinter;
        let documents = figures.time("read", || self.read_sentences(fingerprinter, &partitions))?;
        documents.check_keys(self.source)?;
        let tables = Tables {
            identical: Identical::find(&documents),
            documents,
        };
        let read = Read { fitted, partitions };
        Ok((tables, read))
    }

    /// Partitions for so many entries, which may take one part in `divisor` of the memory.
    pub(super) fn partitions(&self, expected: u64, divisor: u64) -> Partitions {
        let memory = self.working_memory();
        // On little memory partitions are more, for each is sorted in it, and how many pairs there are is not known before.
        let least = PLENTY / memory.max(1);
        let count = (expected / PER_PARTITION)
            .max(least)
            .clamp(1, MOST_PARTITIONS);
        let count = count.next_power_of_two() as usize;
        Partitions::new(count, memory / divisor, self.temporary.path())
    }

    fn read_sentences(
        &self,
        fingerprinter: &Fingerprinter,
        partitions: &Partitions,
    ) -> Result<Documents> {
        self.read_documents(
            || Reading {
                sentences: Sentences::default(),
                order: Vec::new(),
                feeder: partitions.feeder(),
                rows: Vec::new(),
            },
            |reading, block, part| {
                reading.block(block, fingerprinter, self, partitions.count(), part.base)
            },
            |reading| {
                reading.feeder.finish()?;
                Ok(reading.rows)
            },
        )
    }

    /// Sorts the entries by fingerprint: what the texts of each share, what is boilerplate, and what is repeated.
    fn bring_together(
        &self,
        partitions: &Partitions,
        documents: &Documents,
        identical: &Identical,
    ) -> Result<Together> {
        let wanted = self.wanted(documents);
        let count = partitions.count();
        let pairs = self.partitions(documents.len() as u64 * PAIRS_A_TEXT, 4);
        let width = (documents.len() as u32)
            .div_ceil(pairs.count() as u32)
            .max(1);
        let counting = self.options.repeats.then(|| {
            let groups = self.partitions(self.expected_bytes() / BYTES_A_SENTENCE, 8);
            Counting::new(documents, groups)
        });
        let boilerplate = Mutex::new(Boilerplate {
            keys: Vec::new(),
            words: vec![0; documents.len()],
        });
        self.with_limits("finding candidates", |limits| {
            parallel::for_each_with(
                limits.threads,
                count,
                || (pairs.feeder(), counting.as_ref().map(Counting::feeder)),
                |(feeder, repeated), part| {
                    let mut numbers = partitions.take(part)?;
                    let entries: &mut [Entry] = bytemuck::cast_slice_mut(&mut numbers);
                    entries.sort_unstable();
                    for group in entries.chunk_by(|x, y| x[..2] == y[..2]) {
                        if self.is_boilerplate(group, wanted) {
                            let found = boilerplate.lock();
                            found.unwrap_or_else(PoisonError::into_inner).add(group);
                            continue;
                        }
                        if let (Some(counting), Some(feeder)) = (&counting, repeated.as_mut()) {
                            counting.add(group, feeder)?;
                        }
                        push_pairs(group, identical, wanted, |a, pair| {
                            let partition = (a / width) as usize;
                            feeder.push(partition, pair[0])?;
                            feeder.push(partition, pair[1])
                        })?;
                    }
                    (limits.tick)()
                },
                |(feeder, repeated)| {
                    repeated.map_or(Ok(()), Feeder::finish)?;
                    feeder.finish()
                },
            )
        })?;
        let mut boilerplate = boilerplate
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        boilerplate.keys.sort_unstable();
        Ok(Together {
            pairs,
            boilerplate,
            counting,
        })
    }

    /// Whether a sentence occurs too often among the sources: the references where only they are compared with, or else all.
    fn is_boilerplate(&self, group: &[Entry], wanted: Wanted) -> bool {
        let is_source = |entry: &&Entry| !wanted.across_only || text_of(entry) >= wanted.references;
        let occurrences: u64 = group.iter().filter(is_source).map(|entry| entry[3]).sum();
        occurrences > self.options.matching.sentences.rule.most
    }

    /// The pairs that are copies, and how many shared anything.
    fn add_up(&self, pairs: &Partitions, documents: &Documents) -> Result<(Vec<Verified>, u64)> {
        let decision = self.options.decision();
        let found = self.with_limits("adding up", |limits| {
            parallel::map(limits.threads, pairs.count(), |part| {
                let mut numbers = pairs.take(part)?;
                let shared: &mut [[u64; 2]] = bytemuck::cast_slice_mut(&mut numbers);
                shared.sort_unstable();
                let (mut verified, mut candidates) = (Vec::new(), 0);
                for group in shared.chunk_by(|x, y| x[0] == y[0]) {
                    candidates += 1;
                    let pair = add_up_pair(group, documents);
                    if decision.is_match(&pair.scores(documents)) {
                        verified.push(pair);
                    }
                }
                (limits.tick)()?;
                Ok((verified, candidates))
            })
        })?;
        let candidates = found.iter().map(|(_, candidates)| candidates).sum();
        let verified = found.into_iter().flat_map(|(verified, _)| verified);
        Ok((verified.collect(), candidates))
    }
}

impl Reading<'_> {
    fn block(
        &mut self,
        block: &Block,
        fingerprinter: &Fingerprinter,
        join: &Join<'_>,
        partitions: usize,
        base: u32,
    ) -> Result<()> {
        let rows = BlockRows::of(block, join.options, |number, text| {
            fingerprinter.fingerprint_long(text, &mut self.sentences);
            Ok(TextCounts {
                tokens: self.sentences.words,
                distinct: self.send(base + number, partitions)?,
                identity: self.sentences.identity,
            })
        })?;
        self.rows.push(rows);
        Ok(())
    }

    /// Sends the entries of the text at hand, and gives the number of its distinct sentences.
    fn send(&mut self, text: u32, partitions: usize) -> Result<u32> {
        let Self {
            sentences,
            order,
            feeder,
            ..
        } = self;
        if sentences.words == 0 {
            return Ok(0);
        }
        let mut push = |entry: Entry| {
            let partition = entry[0] as usize & (partitions - 1);
            entry
                .iter()
                .try_for_each(|&number| feeder.push(partition, number))
        };
        let distinct = sentences.try_for_each_distinct(order, |key, words, sentences| {
            push(entry(key, text, words, sentences))
        })?;
        push(entry(sentences.identity, text, sentences.words, 0))?;
        Ok(distinct)
    }
}

/// Sends every pair of texts that have the fingerprint, with the words that it covers in each. Of identical texts the first stands
/// for all.
fn push_pairs(
    group: &[Entry],
    identical: &Identical,
    wanted: Wanted,
    mut push: impl FnMut(u32, [u64; 2]) -> Result<()>,
) -> Result<()> {
    let firsts: Vec<&Entry> = group
        .iter()
        .filter(|entry| identical.is_first(text_of(entry)))
        .collect();
    // Entries are in the order of their texts: input, then references.
    let references = firsts.partition_point(|entry| text_of(entry) < wanted.references);
    for (index, a) in firsts[..references].iter().enumerate() {
        let from = if wanted.across_only {
            references
        } else {
            index + 1
        };
        for b in &firsts[from..] {
            let (text_a, text_b) = (text_of(a), text_of(b));
            let words = match a[3] {
                0 => SAME,
                _ => u64::from(words_of(a)) << 32 | u64::from(words_of(b)),
            };
            push(text_a, [u64::from(text_a) << 32 | u64::from(text_b), words])?;
        }
    }
    Ok(())
}

/// The counts of a pair from what each of its common sentences covers.
fn add_up_pair(shared: &[[u64; 2]], documents: &Documents) -> Verified {
    let (a, b) = ((shared[0][0] >> 32) as u32, shared[0][0] as u32);
    if shared.iter().any(|[_, words]| *words == SAME) {
        return Verified::new(a, b, &documents.identical_scores(a));
    }
    Verified {
        a,
        b,
        common: shared.len() as u32,
        covered_a: shared.iter().map(|[_, words]| (words >> 32) as u32).sum(),
        covered_b: shared.iter().map(|[_, words]| *words as u32).sum(),
        compared: 0,
        weight: 0,
    }
}
