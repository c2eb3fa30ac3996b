//! Stage 1, read: blocks of whole records.
//!
//! In: the streams of a collection's files, or rows in memory, one after the other. Out: [`Block`]s of about a megabyte, numbered through, the
//! same in every pass. A [`BlockReader`] stands behind a lock that the workers share: it reads, unpacks and finds bounds;
//! decoding is the worker's own business.

use std::ops::Range;
use std::sync::Arc;

use super::collection::Collection;
use super::cursor::Cursor;
use super::cut::{Bound, Cuts};
use super::decode::Decoder;
use super::source::SourceFile;
use super::table::{RowCursor, TableRows};
use super::{Place, Record, Rejection};
use crate::error::{Error, Result};
use crate::options::Format;

/// Raw bytes that hold whole records, or rows in memory.
#[derive(Debug)]
pub struct Block {
    /// The document number of the block's first record; the others follow.
    pub first: u32,
    file: u32,
    /// Where `bytes` starts in the backing of the file.
    base: u64,
    bytes: Vec<u8>,
    bounds: Vec<Bound>,
    faults: Vec<(usize, String)>,
    decoder: Arc<Decoder>,
    rows: Option<Rows>,
}

/// Rows in memory, which have neither bytes of the block nor bounds.
#[derive(Debug)]
struct Rows {
    table: Arc<TableRows>,
    first: u64,
    count: usize,
    bytes: usize,
}

impl Rows {
    /// The number of row `i` in its table.
    fn number(&self, i: usize) -> Option<u64> {
        (i < self.count).then_some(self.first + i as u64)
    }
}

/// A record by its place in a block, or why it cannot be read.
pub type Decoded<'a> = (usize, Result<Record<'a>, Rejection>);

impl Block {
    /// A block that is not numbered yet.
    pub(super) fn new(
        file: u32,
        base: u64,
        bytes: Vec<u8>,
        cuts: &mut Cuts,
        decoder: &Arc<Decoder>,
    ) -> Self {
        Block {
            first: 0,
            file,
            base,
            bytes,
            bounds: std::mem::take(&mut cuts.bounds),
            faults: std::mem::take(&mut cuts.faults),
            decoder: decoder.clone(),
            rows: None,
        }
    }

    /// A block of rows, from number `first` of their table on, that is not numbered yet. `size`: rows, and bytes of their texts.
    pub(super) fn of_rows(
        file: u32,
        table: Arc<TableRows>,
        first: u64,
        (count, bytes): (usize, usize),
        decoder: &Arc<Decoder>,
    ) -> Self {
        let rows = Rows {
            table,
            first,
            count,
            bytes,
        };
        Block {
            rows: Some(rows),
            ..Block::new(file, 0, Vec::new(), &mut Cuts::default(), decoder)
        }
    }

    /// Number of records, rejected ones included.
    pub fn len(&self) -> usize {
        match &self.rows {
            Some(rows) => rows.count,
            None => self.bounds.len(),
        }
    }

    /// Whether there is no record; never so for a block from [`BlockReader::next_block`].
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of the file in [`Collection::files`] that the records come from.
    pub fn file(&self) -> u32 {
        self.file
    }

    /// Unpacked bytes of the block, for rates.
    pub fn bytes(&self) -> usize {
        match &self.rows {
            Some(rows) => rows.bytes,
            None => self.bytes.len(),
        }
    }

    /// Where record `i` stands.
    pub fn place(&self, i: usize) -> Place {
        if let Some(rows) = &self.rows {
            let row = rows.number(i);
            return row.map_or_else(Place::default, |row| rows.table.place(self.file, row));
        }
        let Some(bound) = self.bounds.get(i) else {
            return Place::default();
        };
        Place {
            file: self.file,
            length: bound.len,
            offset: self.base + bound.start as u64,
            line: bound.line,
        }
    }

    /// The records with their places in the block, or why they cannot be read, which ends a strict reading.
    pub fn records(&self, is_strict: bool) -> impl Iterator<Item = Result<Decoded<'_>>> {
        self.records_in(0..self.len(), is_strict)
    }

    /// The same for some of the places.
    pub(crate) fn records_in(
        &self,
        places: Range<usize>,
        is_strict: bool,
    ) -> impl Iterator<Item = Result<Decoded<'_>>> {
        places.map(move |index| match self.decode(index) {
            Err(rejection) if is_strict => Err(Error::Strict(rejection.to_string())),
            decoded => Ok((index, decoded)),
        })
    }

    /// The records that can be read.
    pub fn readable(&self) -> impl Iterator<Item = (usize, Record<'_>)> {
        (0..self.len()).filter_map(|index| Some((index, self.decode(index).ok()?)))
    }

    /// Decodes record `i`. Text without escapes is borrowed from the block.
    pub fn decode(&self, i: usize) -> Result<Record<'_>, Rejection> {
        if let Some(rows) = &self.rows
            && let Some(row) = rows.number(i)
        {
            return rows.table.decode(row);
        }
        let Some(bound) = self.bounds.get(i) else {
            return Err(self
                .decoder
                .reject(0, format!("the block has no record {i}")));
        };
        match self.fault(i) {
            Some(reason) => Err(self.decoder.reject(bound.line, reason.to_owned())),
            None => self.decoder.decode(self.raw(i), bound.line),
        }
    }

    /// The raw bytes of record `i`, without its line ending; of a row in memory, its text.
    pub fn raw(&self, i: usize) -> &[u8] {
        if let Some(rows) = &self.rows {
            return rows.number(i).map_or(&[], |row| rows.table.raw(row));
        }
        let Some(bound) = self.bounds.get(i) else {
            return &[];
        };
        let end = bound.start.saturating_add(bound.len as usize);
        self.bytes.get(bound.start..end).unwrap_or_default()
    }

    /// The raw bytes of record `i` with the line ending that it has.
    pub(crate) fn raw_with_ending(&self, i: usize) -> &[u8] {
        let Some(bound) = self.bounds.get(i) else {
            return &[];
        };
        let rest = self.bytes.get(bound.start..).unwrap_or_default();
        let ending = match rest.get(bound.len as usize..) {
            Some([b'\n', ..]) => 1,
            Some([b'\r', b'\n', ..]) => 2,
            // The end of the file, where a line needs no LF.
            Some([b'\r']) => 1,
            _ => 0,
        };
        &rest[..rest.len().min(bound.len as usize + ending)]
    }

    /// Record `i` without some parts of its text: ranges of the decoded text's bytes, in order and apart. Everything else is as it
    /// stood, the line ending too. `None` where a text cannot be cut: markup, and rows of columns.
    pub(crate) fn without(&self, i: usize, parts: &[Range<usize>]) -> Option<Vec<u8>> {
        let raw = self.raw(i);
        let mut record = self.decoder.without(raw, parts)?;
        let ending = &self.raw_with_ending(i)[raw.len()..];
        // The last character of the text must not become a part of the line ending.
        if self.decoder.format == Format::Lines
            && record.ends_with(b"\r")
            && !ending.starts_with(b"\r")
        {
            record.push(b'\r');
        }
        record.extend_from_slice(ending);
        Some(record)
    }

    /// Why record `i` was rejected when it was cut, if it was.
    pub(crate) fn fault(&self, i: usize) -> Option<&str> {
        let fault = self.faults.iter().find(|(index, _)| *index == i);
        fault.map(|(_, reason)| reason.as_str())
    }
}

/// A pass over one file.
enum Pass<'a> {
    File(Box<Cursor<'a>>),
    Rows(RowCursor<'a>),
}

impl<'a> Pass<'a> {
    fn open(collection: &'a Collection, source: &'a SourceFile, number: u32) -> Result<Self> {
        Ok(match &source.rows {
            Some(rows) => Pass::Rows(RowCursor::new(source, rows, number)),
            None => Pass::File(Box::new(Cursor::open(collection, source, number)?)),
        })
    }

    fn next(&mut self, block_size: usize) -> Result<Option<Block>> {
        match self {
            Pass::File(cursor) => cursor.next(block_size),
            Pass::Rows(cursor) => Ok(cursor.next(block_size)),
        }
    }

    /// Jumps ahead where that is possible. Returns what is left to be passed over.
    fn pass_over(&mut self, skip: u64) -> Result<u64> {
        match self {
            Pass::File(cursor) if cursor.seekable => cursor.pass_over(skip),
            Pass::File(_) => Ok(skip),
            Pass::Rows(cursor) => Ok(cursor.pass_over(skip)),
        }
    }

    fn size(&self) -> u64 {
        match self {
            Pass::File(cursor) => cursor.source.size,
            Pass::Rows(cursor) => cursor.source.size,
        }
    }

    /// Bytes on disk used up so far.
    fn used(&self) -> u64 {
        match self {
            Pass::File(cursor) => cursor.stream.used().min(cursor.source.size),
            Pass::Rows(cursor) => cursor.used,
        }
    }
}

/// One pass over a collection.
pub struct BlockReader<'a> {
    collection: &'a Collection,
    next_file: usize,
    cursor: Option<Pass<'a>>,
    next_doc: u32,
    /// Bytes on disk of the files that are done with.
    done: u64,
    /// For sampling: one block in so many, and the bytes still to be passed over.
    every: u64,
    skip: u64,
}

impl<'a> BlockReader<'a> {
    pub(super) fn new(collection: &'a Collection, every: usize) -> Self {
        BlockReader {
            collection,
            next_file: 0,
            cursor: None,
            next_doc: 0,
            done: 0,
            every: every.max(1) as u64,
            skip: 0,
        }
    }

    /// The next block, or `None` at the end of the collection.
    pub fn next_block(&mut self) -> Result<Option<Block>> {
        loop {
            if self.cursor.is_none() && !self.open_next()? {
                return Ok(None);
            }
            let Some(cursor) = &mut self.cursor else {
                continue;
            };
            if self.skip > 0 {
                self.skip = cursor.pass_over(self.skip)?;
            }
            match cursor.next(self.collection.block_size)? {
                Some(block) if self.skip > 0 => {
                    self.skip = self.skip.saturating_sub(block.bytes() as u64);
                }
                Some(mut block) => {
                    self.skip = (self.every - 1).saturating_mul(block.bytes() as u64);
                    self.number(&mut block)?;
                    return Ok(Some(block));
                }
                None => {
                    self.done += cursor.size();
                    self.cursor = None;
                }
            }
        }
    }

    /// Bytes on disk used up so far, for progress; of compressed files, the compressed bytes.
    pub fn bytes_read(&self) -> u64 {
        let current = self.cursor.as_ref();
        self.done + current.map_or(0, Pass::used)
    }

    fn open_next(&mut self) -> Result<bool> {
        let files = self.collection.files();
        while let Some(source) = files.get(self.next_file)
            && source.is_plain()
            && self.skip > source.size
        {
            self.skip -= source.size;
            self.done += source.size;
            self.next_file += 1;
        }
        let Some(source) = files.get(self.next_file) else {
            return Ok(false);
        };
        let number = u32::try_from(self.next_file).map_err(|_| Error::TooManyDocuments)?;
        self.next_file += 1;
        self.cursor = Some(Pass::open(self.collection, source, number)?);
        Ok(true)
    }

    fn number(&mut self, block: &mut Block) -> Result<()> {
        block.first = self.next_doc;
        self.next_doc = u32::try_from(block.len())
            .ok()
            .and_then(|count| self.next_doc.checked_add(count))
            .filter(|next| *next < u32::MAX)
            .ok_or(Error::TooManyDocuments)?;
        Ok(())
    }
}
