//! An immutable piece of an index: documents, and the postings that lead to them.
//!
//! A [`PartWriter`] takes [`Batch`]es and writes one file; [`Part`] reads it from many threads; [`merge()`] makes one part of
//! several. Documents are numbered within their part, from 0. A part is deterministic: the same batches make the same bytes.
//!
//! The data of a part, a [checked file](super::checked) of the kind `part`, numbers little endian, `varint` seven bits a byte,
//! low bits first:
//!
//! ```text
//! texts            blocks compressed by zstd, one after the other. A block of `count` texts is `count` varints,
//!                  the texts' lengths in bytes, and then the texts
//! text blocks      for each block, 24 bytes, by rising document:
//!                  u32 first document, u32 count, u64 where in texts, u32 bytes there, u32 bytes once decompressed
//! zeros            up to a page of 4096 bytes
//! postings         pages of 4096 bytes with as many records as fit, the last without padding, sorted:
//!                  full   u128 key, u32 document, u32 position   (24 bytes, 170 a page)
//!                  short  u64 key, u32 document                  (12 bytes, 341 a page)
//! zeros            up to a page
//! ids              as short postings: u64 xxh3-64 of the id, u32 document
//! first keys       of the pages of postings, u128 or u64 each
//! first keys       of the pages of ids, u64 each
//! rows             groups of 16 documents: for each the varint lengths of id and facts, then for each id and facts
//! row groups       u64 for each group, where in rows it begins
//! contents         48 bytes: u64 bytes of texts, u64 bytes of rows, u64 postings,
//!                  u32 documents, u32 text blocks, u32 bytes of a posting (24 or 12), u32 0, [8] "contents"
//! ```
//!
//! A page is what is checked, what the system reads and what is searched: a search looks through the first keys, then through
//! one page.

mod batch;
mod layout;
mod merge;
mod records;
mod rows;
mod table;
#[cfg(test)]
mod tests;
mod texts;
mod verify;
mod writer;

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use layout::{Contents, KIND, Places};

use super::checked::CheckedFile;
use crate::error::{Error, Result};

pub(crate) use batch::Batch;
pub(crate) use merge::{merge, merge_in_memory};
pub(crate) use records::{Posting, Width};
pub(crate) use rows::{DocumentRow, MOST_DOCUMENTS};
pub(crate) use table::Records;
pub(crate) use texts::TextScratch;
pub(crate) use writer::PartWriter;

/// What a manifest keeps of a part, to know it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartFacts {
    /// Number of documents.
    pub(crate) documents: u32,
    /// Number of postings.
    pub(crate) postings: u64,
    /// Size of the file.
    pub(crate) bytes: u64,
}

/// A finished part. Any number of threads may read it.
#[derive(Debug)]
pub(crate) struct Part {
    file: CheckedFile,
    contents: Contents,
    places: Places,
    /// No two parts of a process have the same: it tells a [`TextScratch`] whose block it holds.
    serial: u64,
    /// The documents by their ids, once somebody wants to list them.
    by_id: OnceLock<Vec<u32>>,
}

impl Part {
    /// Opens a part that a manifest knows by `facts`. Reads next to nothing: pages are checked when they are touched.
    ///
    /// # Errors
    /// When it cannot be read, is no part or another one, was made by another version, or is damaged.
    pub(crate) fn open(path: &Path, facts: &PartFacts) -> Result<Self> {
        let part = Self::of(CheckedFile::open(path, KIND, facts.bytes)?)?;
        let contents = &part.contents;
        if (contents.documents, contents.postings) != (facts.documents, facts.postings) {
            return Err(part.damaged("its counts are not those of the index"));
        }
        Ok(part)
    }

    /// The part in a file.
    fn of(file: CheckedFile) -> Result<Self> {
        static OPENED: AtomicU64 = AtomicU64::new(1);
        let (contents, places) = Contents::read(&file)?;
        Ok(Self {
            file,
            contents,
            places,
            serial: OPENED.fetch_add(1, Ordering::Relaxed),
            by_id: OnceLock::new(),
        })
    }

    /// The error of a part whose checksums hold but which makes no sense.
    pub(crate) fn damaged(&self, what: &str) -> Error {
        self.file.damaged(what)
    }

    /// Checksum of the file's foot, which tells parts apart.
    pub(crate) fn checksum(&self) -> String {
        format!("{:016x}", self.file.checksum())
    }

    /// Bytes of the file, or of memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.size()
    }

    /// Number of documents.
    pub(crate) fn documents(&self) -> u32 {
        self.contents.documents
    }

    /// Number of postings.
    pub(crate) fn postings(&self) -> u64 {
        self.contents.postings
    }

    /// What is kept of a posting.
    pub(crate) fn width(&self) -> Width {
        self.contents.width
    }

    /// The numbers of the postings with this key; of a short part, with its low 64 bits. An empty range if there is none.
    ///
    /// Takes O(log n) steps for any keys, and about one page for keys that are uniform hashes.
    ///
    /// # Errors
    /// When the part is damaged.
    #[inline]
    pub(crate) fn find(&self, key: u128) -> Result<Range<u64>> {
        self.places.postings.find(&self.file, key)
    }

    /// One posting.
    ///
    /// # Errors
    /// When there is none of this number, or the part is damaged.
    #[cfg(test)]
    pub(crate) fn posting(&self, number: u64) -> Result<Posting> {
        self.places.postings.record(&self.file, number)
    }

    /// The postings of a range of numbers, in order. After an error it ends.
    pub(crate) fn postings_in(&self, range: Range<u64>) -> Records<'_> {
        self.places.postings.records(&self.file, range)
    }

    /// Id and facts of a document.
    ///
    /// # Errors
    /// When there is none of this number, or the part is damaged.
    pub(crate) fn document(&self, number: u32) -> Result<DocumentRow<'_>> {
        self.places.rows.row(&self.file, number)
    }

    /// The text of a document, or `None` if the part keeps no text of it. Texts asked for in order with the same scratch are
    /// decompressed once a block.
    ///
    /// # Errors
    /// When there is no document of this number, or the part is damaged.
    pub(crate) fn text<'s>(
        &self,
        number: u32,
        scratch: &'s mut TextScratch,
    ) -> Result<Option<&'s str>> {
        if number >= self.documents() {
            return Err(self.file.damaged("a document it does not have"));
        }
        let texts = &self.places.texts;
        texts.text(&self.file, self.serial, number, scratch)
    }

    /// The numbers of all documents with this id, rising.
    ///
    /// # Errors
    /// When the part is damaged.
    pub(crate) fn numbers_of(&self, id: &str) -> Result<Vec<u32>> {
        let key = u128::from(xxh3_64(id.as_bytes()));
        let range = self.places.ids.find(&self.file, key)?;
        let mut numbers = Vec::new();
        for record in self.places.ids.records(&self.file, range) {
            let number = record?.document;
            if self.document(number)?.id == id {
                numbers.push(number);
            }
        }
        Ok(numbers)
    }

    /// The numbers of all documents, ordered by id. Sorted once, when it is first asked for.
    ///
    /// # Errors
    /// When the part is damaged.
    pub(crate) fn by_id(&self) -> Result<&[u32]> {
        if let Some(order) = self.by_id.get() {
            return Ok(order);
        }
        let ids: Result<Vec<(&str, u32)>> = (0..self.documents())
            .map(|number| Ok((self.document(number)?.id, number)))
            .collect();
        let mut ids = ids?;
        ids.sort_unstable();
        let order = ids.into_iter().map(|(_, number)| number).collect();
        Ok(self.by_id.get_or_init(|| order))
    }
}
