//! A part that is open, with its dead documents. Snapshots of an index share parts; what dies in one stays alive in the others.

use std::path::Path;
use std::sync::Arc;

use super::manifest::{self, DeadEntry, FileEntry, PartEntry, path_of};
use super::model::SentenceFacts;
use super::part::{Part, PartFacts};
use crate::error::Result;
use crate::method::Method;

/// A part with its dead documents.
#[derive(Clone, Debug)]
pub(super) struct OpenPart {
    pub(super) part: Arc<Part>,
    /// Its line in the manifest; none while only memory and the journal have it.
    pub(super) entry: Option<Arc<PartEntry>>,
    /// Postings that stand for a sentence, not for a whole text.
    sentences: u64,
    /// One bit a document; empty if none is dead.
    dead: Arc<Vec<u8>>,
    dead_count: u32,
}

impl OpenPart {
    pub(super) fn open(directory: &Path, entry: &PartEntry) -> Result<Self> {
        let path = path_of(directory, &entry.file)?;
        let part = Part::open(&path, &entry.facts())?;
        if part.checksum() != entry.checksum {
            return Err(part.damaged("it is not the file that the index was made with"));
        }
        let (mut bits, mut count) = (Vec::new(), 0);
        if let Some(dead) = &entry.dead {
            bits = dead.bits.read(directory)?;
            count = bits.iter().map(|byte| byte.count_ones()).sum();
            if bits.len() != dead_bytes(entry.documents) || count != dead.count {
                return Err(manifest::damaged(&dead.bits.path(directory)?));
            }
        }
        Ok(Self {
            part: Arc::new(part),
            sentences: entry.sentences,
            entry: Some(Arc::new(entry.clone())),
            dead: Arc::new(bits),
            dead_count: count,
        })
    }

    /// A part that only memory has, with no dead document.
    pub(super) fn in_memory(part: Part, method: Method) -> Result<Self> {
        Ok(Self {
            sentences: sentences_of(&part, method)?,
            part: Arc::new(part),
            entry: None,
            dead: Arc::default(),
            dead_count: 0,
        })
    }

    /// The same part with another line in the manifest.
    pub(super) fn with_entry(&self, entry: Option<Arc<PartEntry>>) -> Self {
        Self {
            entry,
            ..self.clone()
        }
    }

    #[inline]
    pub(super) fn is_dead(&self, document: u32) -> bool {
        let byte = self.dead.get(document as usize / 8);
        byte.is_some_and(|byte| byte & (1 << (document % 8)) != 0)
    }

    /// Marks a document as dead and says whether it was alive. Snapshots made before do not see it.
    pub(super) fn kill(&mut self, document: u32) -> bool {
        let bytes = dead_bytes(self.part.documents());
        let bits = Arc::make_mut(&mut self.dead);
        bits.resize(bytes, 0);
        let Some(byte) = bits.get_mut(document as usize / 8) else {
            return false;
        };
        let bit = 1 << (document % 8);
        let alive = *byte & bit == 0;
        *byte |= bit;
        self.dead_count += u32::from(alive);
        alive
    }

    /// Marks the documents of an id as dead and says whether one was alive.
    pub(super) fn kill_id(&mut self, id: &str) -> Result<bool> {
        let mut any = false;
        for number in self.part.numbers_of(id)? {
            any |= self.kill(number);
        }
        Ok(any)
    }

    /// Documents that are not dead.
    pub(super) fn live(&self) -> u32 {
        self.part.documents().saturating_sub(self.dead_count)
    }

    /// Documents that are dead.
    pub(super) fn dead(&self) -> u32 {
        self.dead_count
    }

    pub(super) fn sentences(&self) -> u64 {
        self.sentences
    }

    /// Documents that are dead here and were alive in another snapshot of the same part.
    pub(super) fn dead_since<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = u32> + 'a {
        let all = match self.dead_count > before.dead_count {
            true => 0..self.part.documents(),
            false => 0..0,
        };
        all.filter(|&number| self.is_dead(number) && !before.is_dead(number))
    }

    /// Its line in a manifest, with the dead written to a file if there are more than the line says; none while only memory has it.
    pub(super) fn stored(
        &self,
        directory: &Path,
        new_file: &mut dyn FnMut(&str) -> String,
    ) -> Result<Option<Arc<PartEntry>>> {
        let Some(entry) = &self.entry else {
            return Ok(None);
        };
        if entry.dead.as_ref().map_or(0, |dead| dead.count) == self.dead_count {
            return Ok(Some(Arc::clone(entry)));
        }
        Ok(Some(Arc::new(PartEntry {
            dead: Some(DeadEntry {
                count: self.dead_count,
                bits: FileEntry::write(directory, new_file("dead"), &self.dead)?,
            }),
            ..(**entry).clone()
        })))
    }
}

/// Bytes of the dead bits of so many documents.
fn dead_bytes(documents: u32) -> usize {
    documents.div_ceil(8) as usize
}

/// The entry of a part that was just written.
pub(super) fn new_entry(
    directory: &Path,
    file: String,
    facts: &PartFacts,
    method: Method,
) -> Result<PartEntry> {
    let part = Part::open(&directory.join(&file), facts)?;
    Ok(PartEntry {
        file,
        documents: facts.documents,
        postings: facts.postings,
        sentences: sentences_of(&part, method)?,
        bytes: facts.bytes,
        checksum: part.checksum(),
        dead: None,
    })
}

/// Postings that stand for a sentence, not for a whole text.
fn sentences_of(part: &Part, method: Method) -> Result<u64> {
    let mut whole = part.postings();
    if method.unit().is_some() {
        whole = 0;
        for number in 0..part.documents() {
            whole += u64::from(SentenceFacts::has_words(part.document(number)?.facts));
        }
    }
    Ok(part.postings().saturating_sub(whole))
}
