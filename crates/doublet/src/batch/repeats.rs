//! Who repeats whom: the sentences of each text that stand in a text before it.
//!
//! In: the entries of each fingerprint, as the join over sentences brings them together. Out: for every text that repeats enough to
//! be a copy, its repeated fingerprints with the texts that keep them. References stand before all texts, and an exact copy of a
//! text before it is no source of anything: it goes as a whole.
//!
//! Two rounds: the first adds up what each text repeats, from which follows which texts are copies; the second names the sources,
//! which are the first text that has a sentence and those after it that are no copies, for both keep it.

use std::sync::atomic::{AtomicU32, Ordering};

use super::Join;
use super::sentences::{Entry, text_of, words_of};
use crate::candidates::partition::{Feeder, Partitions};
use crate::error::Result;
use crate::matches::{Documents, State};
use crate::parallel;

/// Sources of a sentence that are told.
const SOURCES: usize = 16;

/// What the texts of a run repeat.
#[derive(Debug)]
pub(crate) struct Repeats {
    /// Exact copies in the input and the first text of the same words, in input order.
    pub(crate) copies: Vec<(u32, u32)>,
    /// Texts that are copies in part.
    pub(crate) in_part: u64,
    order: InputOrder,
    /// By text: its number, the two halves of a fingerprint, and the place of a source in the order.
    entries: Partitions,
}

/// The order that decides: references, then the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputOrder {
    references: u32,
    texts: u32,
}

impl InputOrder {
    fn new(documents: &Documents) -> Self {
        Self {
            references: documents.references(),
            texts: documents.len() as u32,
        }
    }

    fn is_reference(self, text: u32) -> bool {
        text >= self.references
    }

    /// The place of a text.
    fn place(self, text: u32) -> u32 {
        match text.checked_sub(self.references) {
            Some(reference) => reference,
            None => text + (self.texts - self.references),
        }
    }

    /// The text at a place.
    fn text(self, place: u32) -> u32 {
        let references = self.texts - self.references;
        match place.checked_sub(references) {
            Some(text) => text,
            None => place + self.references,
        }
    }

    /// The entries of a group, which are in order of their numbers.
    fn arrange(self, group: &[Entry]) -> impl Iterator<Item = &Entry> {
        let input = group.partition_point(|entry| !self.is_reference(text_of(entry)));
        let (input, references) = group.split_at(input);
        references.iter().chain(input)
    }
}

/// One sentence of a text that is repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repeated {
    pub(crate) key: u128,
    /// Texts that have it and keep it, the first first.
    pub(crate) sources: Vec<u32>,
}

impl Repeats {
    /// Calls `each` with the texts that are copies in part and their repeated sentences, in order of the fingerprints; some texts
    /// at a time, in input order.
    pub(crate) fn for_each(
        &self,
        mut each: impl FnMut(Vec<(u32, Vec<Repeated>)>) -> Result<()>,
    ) -> Result<()> {
        for part in 0..self.entries.count() {
            let mut numbers = self.entries.take(part)?;
            let entries: &mut [Entry] = bytemuck::cast_slice_mut(&mut numbers);
            entries.sort_unstable();
            let texts = entries.chunk_by(|x, y| x[0] == y[0]);
            each(texts.map(|text| self.text(text)).collect())?;
        }
        Ok(())
    }

    fn text(&self, entries: &[Entry]) -> (u32, Vec<Repeated>) {
        let sentences = entries.chunk_by(|x, y| x[1..3] == y[1..3]);
        let repeated = sentences.map(|sources| Repeated {
            key: u128::from(sources[0][1]) << 64 | u128::from(sources[0][2]),
            sources: sources
                .iter()
                .map(|entry| self.order.text(entry[3] as u32))
                .collect(),
        });
        (entries[0][0] as u32, repeated.collect())
    }
}

/// The first round: what each text repeats.
pub(super) struct Counting {
    order: InputOrder,
    /// The first text of the same words, for each text.
    original: Vec<u32>,
    /// Distinct sentences of each text that stand in one before it, and their words.
    sentences: Vec<AtomicU32>,
    words: Vec<AtomicU32>,
    /// The entries of fingerprints that are repeated, together by fingerprint.
    groups: Partitions,
}

impl Counting {
    pub(super) fn new(documents: &Documents, groups: Partitions) -> Self {
        let order = InputOrder::new(documents);
        let zeros = || (0..documents.len()).map(|_| AtomicU32::new(0)).collect();
        Self {
            order,
            original: originals(documents, order),
            sentences: zeros(),
            words: zeros(),
            groups,
        }
    }

    pub(super) fn feeder(&self) -> Feeder<'_> {
        self.groups.feeder()
    }

    fn is_copy(&self, text: u32) -> bool {
        self.original[text as usize] != text
    }

    /// The texts of a fingerprint that may keep it, in order.
    fn holders<'a>(&'a self, group: &'a [Entry]) -> impl Iterator<Item = &'a Entry> {
        let arranged = self.order.arrange(group);
        arranged.filter(|entry| !self.is_copy(text_of(entry)))
    }

    /// Counts a fingerprint, whose entries are in order, and hands them on if it is repeated.
    pub(super) fn add(&self, group: &[Entry], feeder: &mut Feeder<'_>) -> Result<()> {
        // The identity of a text is no sentence.
        if group.len() < 2 || group[0][3] == 0 {
            return Ok(());
        }
        let mut repeated = false;
        for entry in self.holders(group).skip(1) {
            let text = text_of(entry);
            if !self.order.is_reference(text) {
                let index = text as usize;
                self.sentences[index].fetch_add(1, Ordering::Relaxed);
                self.words[index].fetch_add(words_of(entry), Ordering::Relaxed);
                repeated = true;
            }
        }
        if repeated {
            let part = group[0][0] as usize & (self.groups.count() - 1);
            let mut numbers = group.iter().flatten();
            numbers.try_for_each(|&number| feeder.push(part, number))?;
        }
        Ok(())
    }
}

/// The first text of the same words, for each text; references have no other.
fn originals(documents: &Documents, order: InputOrder) -> Vec<u32> {
    let mut same: Vec<(u128, u32)> = (0..documents.len() as u32)
        .filter(|&text| documents.states[text as usize] == State::Text)
        .map(|text| (documents.identities[text as usize], order.place(text)))
        .collect();
    same.sort_unstable();
    let mut original: Vec<u32> = (0..documents.len() as u32).collect();
    for group in same.chunk_by(|x, y| x.0 == y.0) {
        let first = order.text(group[0].1);
        for &(_, place) in &group[1..] {
            let text = order.text(place);
            if !order.is_reference(text) {
                original[text as usize] = first;
            }
        }
    }
    original
}

impl Join<'_> {
    /// The second round: the sources of what is repeated by texts that repeat enough.
    pub(super) fn sources(&self, counting: Counting, documents: &Documents) -> Result<Repeats> {
        let entries = self.partitions(documents.len() as u64 * 4, 8);
        let width = (documents.len() as u32)
            .div_ceil(entries.count() as u32)
            .max(1);
        let copies: Vec<bool> = (0..documents.len())
            .map(|text| self.repeats_enough(&counting, documents, text))
            .collect();
        self.with_limits("finding sources", |limits| {
            parallel::for_each_with(
                limits.threads,
                counting.groups.count(),
                || entries.feeder(),
                |feeder, part| {
                    let mut numbers = counting.groups.take(part)?;
                    let groups: &mut [Entry] = bytemuck::cast_slice_mut(&mut numbers);
                    groups.sort_unstable();
                    for group in groups.chunk_by(|x, y| x[..2] == y[..2]) {
                        push_sources(group, &counting, &copies, |entry| {
                            let part = entry[0] as usize / width as usize;
                            entry.iter().try_for_each(|&n| feeder.push(part, n))
                        })?;
                    }
                    (limits.tick)()
                },
                Feeder::finish,
            )
        })?;
        let copied = (0..).zip(&counting.original);
        Ok(Repeats {
            copies: copied
                .filter(|(text, original)| text != *original)
                .map(|(text, original)| (text, *original))
                .collect(),
            in_part: copies.iter().filter(|copy| **copy).count() as u64,
            order: counting.order,
            entries,
        })
    }

    /// Whether a text of the input repeats so much that it is a copy in part.
    fn repeats_enough(&self, counting: &Counting, documents: &Documents, text: usize) -> bool {
        let sentences = counting.sentences[text].load(Ordering::Relaxed);
        let words = counting.words[text].load(Ordering::Relaxed);
        let whole = documents.counted(text as u32);
        let share = (u64::from(words), u64::from(whole));
        let is_copy = self.options.decision().is_copy(sentences, share);
        sentences > 0 && !counting.is_copy(text as u32) && is_copy
    }
}

/// Sends each text that loses the sentence of a group, once for every source.
fn push_sources(
    group: &[Entry],
    counting: &Counting,
    copies: &[bool],
    mut push: impl FnMut(Entry) -> Result<()>,
) -> Result<()> {
    let mut sources: Vec<u32> = Vec::new();
    for entry in counting.holders(group) {
        let text = text_of(entry);
        let loses = !sources.is_empty() && copies[text as usize];
        if loses {
            for &place in &sources {
                push([u64::from(text), entry[0], entry[1], u64::from(place)])?;
            }
        } else if sources.len() < SOURCES {
            sources.push(counting.order.place(text));
        }
    }
    Ok(())
}
