//! Writes a part: texts as they come, everything else at the end.

use std::path::Path;

use super::batch::Batch;
use super::layout::{Contents, KIND};
use super::records::{Brief, Held, Posting, Width, sort};
use super::rows::{MOST_DOCUMENTS, RowsWriter};
use super::table::TableWriter;
use super::texts::{Block, Packer};
use super::{Part, PartFacts};
use crate::error::{Error, Result};
use crate::index::checked::CheckedWriter;

/// A part under way. Dropped before [`PartWriter::finish`], it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct PartWriter {
    sections: Sections,
    postings: Held,
}

impl PartWriter {
    /// Begins a part at `path`, where there must be no file.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub(crate) fn create(path: &Path, width: Width) -> Result<Self> {
        Ok(Self::of(Sections::create(path)?, width))
    }

    /// Begins a part that stays in memory.
    pub(crate) fn in_memory(width: Width) -> Self {
        Self::of(Sections::in_memory(), width)
    }

    fn of(sections: Sections, width: Width) -> Self {
        Self {
            sections,
            postings: Held::new(width),
        }
    }

    /// Appends the documents of a batch and gives the number of the first. Texts are written at once, the rest is held.
    ///
    /// # Errors
    /// When there are too many documents, or the disk is full or fails.
    pub(crate) fn append(&mut self, mut batch: Batch) -> Result<u32> {
        batch.finish()?;
        let first = self.sections.documents();
        match first.checked_add(batch.documents()) {
            Some(documents) if documents <= MOST_DOCUMENTS => {}
            _ => return Err(Error::TooManyDocuments),
        }
        if let Some(texts) = &batch.texts {
            self.sections.add_texts(texts, first)?;
        }
        let mut rest = batch.bytes.as_slice();
        for row in &batch.rows {
            let (id, after) = rest.split_at(row.id as usize);
            let (facts, after) = after.split_at(row.facts as usize);
            self.sections.add_document(id, facts, row.id_hash)?;
            rest = after;
        }
        self.postings.append(batch.postings, first);
        Ok(first)
    }

    /// Bytes of memory held, so that the caller can end the part in time.
    pub(crate) fn held(&self) -> u64 {
        self.postings.bytes() + self.sections.held()
    }

    /// Sorts the postings on `threads` threads, writes what is held and syncs the file.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub(crate) fn finish(self, threads: usize) -> Result<PartFacts> {
        self.write(threads)?.finish()
    }

    /// Ends a part that was begun in memory.
    ///
    /// # Errors
    /// None that is known: memory takes what it is given.
    pub(crate) fn hold(self) -> Result<Part> {
        self.write(1)?.hold()
    }

    fn write(self, threads: usize) -> Result<Whole> {
        let sections = self.sections;
        match self.postings {
            Held::Full(mut postings) => {
                sort(&mut postings, threads);
                let postings = postings.into_iter().map(|long| Ok(long.into()));
                sections.write(Width::Full, threads, postings)
            }
            Held::Short(mut postings) => {
                sort(&mut postings, threads);
                let postings = postings.into_iter().map(|brief| Ok(brief.into()));
                sections.write(Width::Short, threads, postings)
            }
        }
    }
}

/// A part with all its sections, but for what ends every file.
#[derive(Debug)]
pub(super) struct Whole {
    file: CheckedWriter,
    contents: Contents,
}

impl Whole {
    /// Ends and syncs the file.
    pub(super) fn finish(self) -> Result<PartFacts> {
        Ok(PartFacts {
            documents: self.contents.documents,
            postings: self.contents.postings,
            bytes: self.file.finish()?,
        })
    }

    /// Opens what was begun in memory.
    pub(super) fn hold(self) -> Result<Part> {
        Part::of(self.file.hold())
    }
}

/// All of a part but its postings. They come last, in order.
#[derive(Debug)]
pub(super) struct Sections {
    file: CheckedWriter,
    blocks: Vec<Block>,
    rows: RowsWriter,
    ids: Vec<Brief>,
}

impl Sections {
    pub(super) fn create(path: &Path) -> Result<Self> {
        Ok(Self::of(CheckedWriter::create(path, KIND)?))
    }

    pub(super) fn in_memory() -> Self {
        Self::of(CheckedWriter::in_memory(KIND))
    }

    fn of(file: CheckedWriter) -> Self {
        Self {
            file,
            blocks: Vec::new(),
            rows: RowsWriter::default(),
            ids: Vec::new(),
        }
    }

    pub(super) fn documents(&self) -> u32 {
        self.rows.documents()
    }

    fn held(&self) -> u64 {
        let ids = size_of_val(self.ids.as_slice());
        let blocks = size_of_val(self.blocks.as_slice());
        self.rows.held() + (ids + blocks) as u64
    }

    /// Writes packed blocks, whose documents count from `first`.
    pub(super) fn add_texts(&mut self, texts: &Packer, first: u32) -> Result<()> {
        let at = self.file.position();
        self.file.write(&texts.stored)?;
        for block in &texts.blocks {
            self.blocks.push(Block {
                first: block.first + first,
                at: block.at + at,
                ..*block
            });
        }
        Ok(())
    }

    /// Writes a block as it is, but for the number of its first document.
    pub(super) fn add_block(&mut self, block: &Block, stored: &[u8], first: u32) -> Result<()> {
        let at = self.file.position();
        self.file.write(stored)?;
        self.blocks.push(Block {
            first,
            at,
            ..*block
        });
        Ok(())
    }

    /// Adds a document and gives its number.
    pub(super) fn add_document(&mut self, id: &[u8], facts: &[u8], id_hash: u64) -> Result<u32> {
        let number = self.rows.push(id, facts)?;
        self.ids.push(Brief::new(id_hash, number));
        Ok(number)
    }

    /// Writes everything but the texts, which are there.
    pub(super) fn write(
        mut self,
        width: Width,
        threads: usize,
        postings: impl Iterator<Item = Result<Posting>>,
    ) -> Result<Whole> {
        let file = &mut self.file;
        let texts = file.position();
        let mut lines = Vec::new();
        for block in &self.blocks {
            block.encode(&mut lines);
        }
        file.write(&lines)?;
        let (count, posting_keys) = write_table(width, postings, file)?;
        sort(&mut self.ids, threads);
        let ids = self.ids.into_iter().map(|id| Ok(id.into()));
        let (_, id_keys) = write_table(Width::Short, ids, file)?;
        self.rows.end_group();
        for section in [&posting_keys, &id_keys, &self.rows.rows, &self.rows.groups] {
            file.write(section)?;
        }
        let contents = Contents {
            texts,
            rows: self.rows.rows.len() as u64,
            postings: count,
            documents: self.rows.documents(),
            // A block has a document at least, so that there are fewer blocks than a number can hold.
            blocks: self.blocks.len() as u32,
            width,
        };
        debug_assert_eq!(
            contents.places().map(|places| places.end),
            Some(file.position())
        );
        file.write(&contents.encode())?;
        Ok(Whole {
            file: self.file,
            contents,
        })
    }
}

/// Writes sorted records from the next page on; gives their number and the first keys of the pages.
fn write_table(
    width: Width,
    records: impl Iterator<Item = Result<Posting>>,
    file: &mut CheckedWriter,
) -> Result<(u64, Vec<u8>)> {
    file.align()?;
    let mut table = TableWriter::new(width);
    for record in records {
        table.push(record?, file)?;
    }
    table.finish(file)
}
