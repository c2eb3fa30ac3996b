//! Changes an index in memory: documents come in new parts there, others die. Also makes the changes of a journal again.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::manifest::journals;
use super::super::model::{Entries, Keys, Model};
use super::super::opened::OpenPart;
use super::super::part::{Batch, PartWriter, merge_in_memory};
use super::super::{Index, IndexOptions};
use super::journal::{self, Entry};
use crate::error::Result;
use crate::parallel;
use crate::read::Record;

/// Parts in memory of about one size that are merged into one.
const FAN: u32 = 8;
/// Parts in memory of so many documents are not merged any more: they wait to be written.
const LARGE: u32 = 1024;

/// A document on its way into an index: its text is cut and hashed already.
#[derive(Debug)]
pub struct NewDocument {
    id: String,
    text: String,
    keys: Keys,
    facts: Vec<u8>,
    empty: bool,
}

impl NewDocument {
    pub(super) fn new(model: &Model, id: String, text: String) -> Result<Self> {
        let mut entries = Entries::default();
        let record = Record::of_text(&text);
        model.entries(&record, text.as_bytes(), &mut entries)?;
        drop(record);
        entries.keys.shrink_to_fit();
        Ok(Self {
            id,
            text,
            keys: entries.keys,
            facts: entries.facts,
            empty: entries.empty,
        })
    }

    /// Its id as JSON.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it has no word: nothing is ever a copy of it.
    pub fn is_empty(&self) -> bool {
        self.empty
    }

    /// Bytes that it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.id.len() + self.text.len() + self.keys.bytes() + self.facts.len() + 64
    }
}

impl Index {
    /// Adds documents whose ids differ; the others of these ids die.
    pub(super) fn add_fresh(&mut self, documents: &[&NewDocument]) -> Result<()> {
        if documents.is_empty() {
            return Ok(());
        }
        for document in documents {
            self.kill(&document.id)?;
        }
        let part = part_of(documents, &self.options)?;
        self.parts
            .push(OpenPart::in_memory(part, self.options.matching.method)?);
        Ok(())
    }

    /// Marks the document of an id as dead and says whether there was one.
    pub(super) fn kill(&mut self, id: &str) -> Result<bool> {
        let mut any = false;
        for part in &mut self.parts {
            any |= part.kill_id(id)?;
        }
        Ok(any)
    }

    /// Merges small parts in memory, from the part of this number on, so that there are never many.
    pub(super) fn merge_fresh(&mut self, from: usize) -> Result<()> {
        let tier = |part: &OpenPart| part.live().max(1).ilog2() / FAN.ilog2();
        loop {
            let fresh = self.parts.get(from..).unwrap_or_default();
            let Some(last) = fresh.last().map(tier) else {
                return Ok(());
            };
            let small = |part: &&OpenPart| tier(part) <= last && part.live() < LARGE;
            let count = fresh.iter().rev().take_while(small).count();
            if count < FAN as usize {
                return Ok(());
            }
            let tail = self.parts.split_off(self.parts.len() - count);
            let open: Vec<_> = tail.iter().map(|part| &*part.part).collect();
            let dead = |part: usize, number: u32| tail[part].is_dead(number);
            let merged = merge_in_memory(&open, &dead)?;
            if merged.documents() > 0 {
                self.parts
                    .push(OpenPart::in_memory(merged, self.options.matching.method)?);
            }
        }
    }

    /// Makes the changes of its journals, of which `first` is the first, again.
    pub(in super::super) fn replay(&mut self, first: u64) -> Result<()> {
        self.replay_all(first).map(drop)
    }

    /// The same, and gives the number of the last journal and the bytes of its whole frames.
    pub(super) fn replay_all(&mut self, first: u64) -> Result<Option<(u64, u64)>> {
        let journals = journals(&self.directory, first)?;
        journal::expect_first(&self.directory, first, &journals)?;
        // What becomes of each id in the end, and when.
        let mut last: HashMap<String, (u64, Option<String>)> = HashMap::new();
        let (mut order, mut changes) = (0u64, 0u64);
        let end = journal::read_all(&journals, |entries| {
            changes += 1;
            for entry in entries {
                order += 1;
                let (id, text) = match entry {
                    Entry::Added { id, text } => (*id, Some((*text).to_owned())),
                    Entry::Removed { id } => (*id, None),
                };
                last.insert(id.to_owned(), (order, text));
            }
            Ok(())
        })?;
        let mut last: Vec<(u64, String, Option<String>)> = last
            .into_iter()
            .map(|(id, (order, text))| (order, id, text))
            .collect();
        last.sort_unstable_by_key(|(order, _, _)| *order);
        for (_, id, _) in &last {
            self.kill(id)?;
        }
        let model = Arc::clone(&self.model);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let documents = parallel::map(threads, last.len(), |number| {
            let (_, id, text) = &last[number];
            let text = text.as_ref().map(|text| (id.clone(), text.clone()));
            text.map(|(id, text)| NewDocument::new(&model, id, text))
                .transpose()
        })?;
        let documents: Vec<&NewDocument> = documents.iter().flatten().collect();
        if !documents.is_empty() {
            let part = part_of(&documents, &self.options)?;
            self.parts
                .push(OpenPart::in_memory(part, self.options.matching.method)?);
        }
        self.commit += changes;
        Ok(end)
    }
}

fn part_of(documents: &[&NewDocument], options: &IndexOptions) -> Result<super::super::part::Part> {
    let width = Model::width(options);
    let mut batch = Batch::new(width, options.texts);
    for document in documents {
        let keys = document.keys.iter();
        batch.push(&document.id, &document.facts, &document.text, keys)?;
    }
    let mut writer = PartWriter::in_memory(width);
    writer.append(batch)?;
    writer.hold()
}
