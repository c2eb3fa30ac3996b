//! Makes one part of several, without the documents that are dead.
//!
//! Live documents keep their order: parts in the order given, documents in the order of their numbers. Rows are held in
//! memory, texts and postings only pass through.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::records::{Posting, Width};
use super::table::Records;
use super::texts::{BLOCK, Packer, TextScratch};
use super::writer::{Sections, Whole};
use super::{Part, PartFacts};
use crate::error::{Error, Result, io_error};

/// Stands for the number of a document that is left out.
const DEAD: u32 = u32::MAX;

/// Says of a document, by its part and its number there, whether it is dead.
pub(crate) type Dead<'a> = dyn Fn(usize, u32) -> bool + 'a;

/// Postings after which it is asked whether to go on.
const PATIENCE: usize = 1 << 12;

/// Writes the live documents of `parts` as a part at `path`, where there must be no file. `dead` is asked once for each document.
/// Of no parts it makes an empty one of full width. Given up when `stop` says so.
///
/// # Errors
/// When a part is damaged or of another width than the first, there are too many documents, the disk is full or fails, or it is
/// given up.
pub(crate) fn merge(
    parts: &[&Part],
    dead: &Dead<'_>,
    path: &Path,
    stop: &dyn Fn() -> bool,
) -> Result<PartFacts> {
    merge_into(Sections::create(path)?, parts, dead, path, stop)?.finish()
}

/// The live documents of `parts` as a part in memory.
///
/// # Errors
/// When a part is damaged or of another width than the first, or there are too many documents.
pub(crate) fn merge_in_memory(parts: &[&Part], dead: &Dead<'_>) -> Result<Part> {
    let sections = Sections::in_memory();
    merge_into(sections, parts, dead, Path::new("memory"), &|| false)?.hold()
}

fn merge_into(
    mut sections: Sections,
    parts: &[&Part],
    dead: &Dead<'_>,
    path: &Path,
    stop: &dyn Fn() -> bool,
) -> Result<Whole> {
    let width = parts.first().map_or(Width::Full, |part| part.width());
    if let Some(other) = parts.iter().find(|part| part.width() != width) {
        return Err(other.file.unfit(
            "its postings have another width than those of the parts it is to be merged with",
        ));
    }
    let mut numbers = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        numbers.push(add_documents(
            part,
            &|number| dead(index, number),
            &mut sections,
        )?);
    }
    let mut packing = Packing::new(path);
    for (part, numbers) in parts.iter().zip(&numbers) {
        if stop() {
            return Err(Error::Interrupted);
        }
        packing.add(part, numbers, &mut sections)?;
    }
    packing.flush(&mut sections)?;
    let postings = Merged::new(parts, &numbers)?;
    let postings = postings.enumerate().map(|(number, posting)| {
        match number.is_multiple_of(PATIENCE) && stop() {
            true => Err(Error::Interrupted),
            false => posting,
        }
    });
    sections.write(width, 1, postings)
}

/// Adds the live documents of a part and gives the new number of each.
fn add_documents(
    part: &Part,
    dead: &dyn Fn(u32) -> bool,
    sections: &mut Sections,
) -> Result<Vec<u32>> {
    let add = |number| {
        if dead(number) {
            return Ok(DEAD);
        }
        let row = part.document(number)?;
        let id = row.id.as_bytes();
        sections.add_document(id, row.facts, xxh3_64(id))
    };
    (0..part.documents()).map(add).collect()
}

/// Carries texts over.
struct Packing<'p> {
    path: &'p Path,
    packer: Packer,
    scratch: TextScratch,
}

impl<'p> Packing<'p> {
    fn new(path: &'p Path) -> Self {
        Self {
            path,
            packer: Packer::default(),
            scratch: TextScratch::default(),
        }
    }

    /// Copies the blocks of a part that are alive and half full at least; the texts of the others are packed again.
    fn add(&mut self, part: &Part, numbers: &[u32], sections: &mut Sections) -> Result<()> {
        let texts = part.places.texts;
        for index in 0..texts.blocks {
            let block = texts.block(&part.file, index)?;
            let start = block.first as usize;
            let ids = numbers
                .get(start..)
                .and_then(|n| n.get(..block.count as usize));
            let ids = ids.ok_or_else(|| part.file.damaged("its blocks of text"))?;
            let whole = !ids.contains(&DEAD) && block.raw as usize >= BLOCK / 2;
            if let (true, Some(&first)) = (whole, ids.first()) {
                self.flush(sections)?;
                sections.add_block(&block, texts.stored(&part.file, &block)?, first)?;
                continue;
            }
            for (number, &id) in (block.first..).zip(ids) {
                let text = match id {
                    DEAD => None,
                    _ => part.text(number, &mut self.scratch)?,
                };
                if let Some(text) = text {
                    let packed = self.packer.push(id, text);
                    packed.map_err(io_error("write", self.path))?;
                }
            }
            self.drain(sections)?;
        }
        Ok(())
    }

    /// Writes the blocks that are packed.
    fn drain(&mut self, sections: &mut Sections) -> Result<()> {
        sections.add_texts(&self.packer, 0)?;
        self.packer.blocks.clear();
        self.packer.stored.clear();
        Ok(())
    }

    /// Ends the block under way, so that what follows stands behind it.
    fn flush(&mut self, sections: &mut Sections) -> Result<()> {
        let packed = self.packer.finish();
        packed.map_err(io_error("write", self.path))?;
        self.drain(sections)
    }
}

/// The live postings of all parts, in order, with new numbers.
struct Merged<'p> {
    sources: Vec<Source<'p>>,
    /// The next posting of each source that has one.
    heads: BinaryHeap<Reverse<(Posting, usize)>>,
}

/// The postings of one part.
struct Source<'p> {
    part: &'p Part,
    records: Records<'p>,
    numbers: &'p [u32],
}

impl<'p> Merged<'p> {
    fn new(parts: &[&'p Part], numbers: &'p [Vec<u32>]) -> Result<Self> {
        let mut merged = Self {
            sources: Vec::new(),
            heads: BinaryHeap::new(),
        };
        for (index, (part, numbers)) in parts.iter().zip(numbers).enumerate() {
            let mut source = Source {
                part,
                records: part.postings_in(0..part.postings()),
                numbers,
            };
            if let Some(head) = source.next()? {
                merged.heads.push(Reverse((head, index)));
            }
            merged.sources.push(source);
        }
        Ok(merged)
    }

    fn step(&mut self) -> Result<Option<Posting>> {
        let Some(mut head) = self.heads.peek_mut() else {
            return Ok(None);
        };
        let Reverse((posting, source)) = *head;
        match self.sources[source].next()? {
            Some(next) => *head = Reverse((next, source)),
            None => drop(std::collections::binary_heap::PeekMut::pop(head)),
        }
        Ok(Some(posting))
    }
}

impl Iterator for Merged<'_> {
    type Item = Result<Posting>;

    fn next(&mut self) -> Option<Result<Posting>> {
        self.step().transpose()
    }
}

impl Source<'_> {
    /// The next live posting.
    fn next(&mut self) -> Result<Option<Posting>> {
        for posting in self.records.by_ref() {
            let posting = posting?;
            match self.numbers.get(posting.document as usize) {
                Some(&DEAD) => {}
                Some(&document) => {
                    return Ok(Some(Posting {
                        document,
                        ..posting
                    }));
                }
                None => return Err(self.part.file.damaged("a document it does not have")),
            }
        }
        Ok(None)
    }
}
