//! The texts of a part, compressed in blocks of some kilobytes.

use std::io;

use zstd::bulk::{Compressor, Decompressor};

use super::layout::{push_number, take_number, u32_at, u64_at};
use crate::error::{Result, io_error};
use crate::index::checked::CheckedFile;

/// Bytes of a block before it is compressed; a text that is larger has one of its own.
pub(super) const BLOCK: usize = 16 << 10;
const LEVEL: i32 = 3;
/// Bytes of a line in the table of blocks.
const LINE: u64 = 24;
/// No block of zstd grows by more than this.
const MOST_GROWTH: u32 = 1 << 16;

/// One block of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The first of its documents.
    pub(super) first: u32,
    /// How many it has, with consecutive numbers.
    pub(super) count: u32,
    /// Where it begins.
    pub(super) at: u64,
    /// Its bytes.
    pub(super) stored: u32,
    /// Its bytes once decompressed.
    pub(super) raw: u32,
}

impl Block {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.first.to_le_bytes());
        out.extend_from_slice(&self.count.to_le_bytes());
        out.extend_from_slice(&self.at.to_le_bytes());
        out.extend_from_slice(&self.stored.to_le_bytes());
        out.extend_from_slice(&self.raw.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            first: u32_at(bytes, 0)?,
            count: u32_at(bytes, 4)?,
            at: u64_at(bytes, 8)?,
            stored: u32_at(bytes, 16)?,
            raw: u32_at(bytes, 20)?,
        })
    }

    fn has(&self, number: u32) -> bool {
        number >= self.first && number - self.first < self.count
    }
}

/// Packs texts into blocks. Texts of consecutive documents share one.
#[derive(Default)]
pub(super) struct Packer {
    /// Blocks that are packed, and where they begin in `stored`.
    pub(super) blocks: Vec<Block>,
    pub(super) stored: Vec<u8>,
    first: u32,
    count: u32,
    lengths: Vec<u8>,
    texts: Vec<u8>,
    compressor: Option<Compressor<'static>>,
}

impl Packer {
    /// Adds the text of a document. With its length in five bytes a text of [`LONGEST`](super::batch::LONGEST) bytes fits.
    pub(super) fn push(&mut self, number: u32, text: &str) -> io::Result<()> {
        let follows = u64::from(self.first) + u64::from(self.count) == u64::from(number);
        if !follows || self.lengths.len() + self.texts.len() + text.len() > BLOCK {
            self.finish()?;
        }
        if self.count == 0 {
            self.first = number;
        }
        self.count += 1;
        push_number(text.len() as u32, &mut self.lengths);
        if text.len() > BLOCK {
            // It has the block to itself, and is not copied twice.
            self.lengths.extend_from_slice(text.as_bytes());
            return self.finish();
        }
        self.texts.extend_from_slice(text.as_bytes());
        Ok(())
    }

    /// Compresses the texts that are not yet in a block.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let compressor = match &mut self.compressor {
            Some(compressor) => compressor,
            none => none.insert(Compressor::new(LEVEL)?),
        };
        self.lengths.append(&mut self.texts);
        let packed = compressor.compress(&self.lengths)?;
        let too_large = |_| io::Error::other("a block of texts is too large");
        self.blocks.push(Block {
            first: self.first,
            count: self.count,
            at: self.stored.len() as u64,
            stored: u32::try_from(packed.len()).map_err(too_large)?,
            raw: u32::try_from(self.lengths.len()).map_err(too_large)?,
        });
        self.stored.extend_from_slice(&packed);
        self.lengths.clear();
        self.lengths.shrink_to(2 * BLOCK);
        self.count = 0;
        Ok(())
    }
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Packer({} blocks)", self.blocks.len())
    }
}

/// Room for the texts of one block. It remembers whose they are, so that the next text of the same block costs nothing.
#[derive(Default)]
pub(crate) struct TextScratch {
    /// The part, by its serial number, and the block.
    holds: Option<(u64, Block)>,
    raw: Vec<u8>,
    /// Where each text ends.
    ends: Vec<u32>,
    /// Where the first text begins.
    start: u32,
    decompressor: Option<Decompressor<'static>>,
}

impl std::fmt::Debug for TextScratch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "TextScratch({:?})", self.holds)
    }
}

impl TextScratch {
    /// Decompresses a block; nothing if it is not what its line says.
    fn fill(&mut self, stored: &[u8], block: &Block) -> io::Result<Option<()>> {
        self.holds = None;
        self.raw.clear();
        if block.raw / MOST_GROWTH > block.stored {
            return Ok(None);
        }
        self.raw
            .try_reserve_exact(block.raw as usize)
            .map_err(io::Error::other)?;
        let decompressor = match &mut self.decompressor {
            Some(decompressor) => decompressor,
            none => none.insert(Decompressor::new()?),
        };
        let length = decompressor.decompress_to_buffer(stored, &mut self.raw);
        if length.ok() != Some(block.raw as usize) {
            return Ok(None);
        }
        Ok(self.read_lengths(block.count))
    }

    fn read_lengths(&mut self, count: u32) -> Option<()> {
        self.ends.clear();
        let mut rest = self.raw.as_slice();
        let mut end = 0u32;
        for _ in 0..count {
            end = end.checked_add(take_number(&mut rest)?)?;
            self.ends.push(end);
        }
        self.start = (self.raw.len() - rest.len()) as u32;
        (rest.len() == end as usize).then_some(())
    }

    /// A text of the block, by its place in it.
    fn text(&self, place: u32) -> Option<&str> {
        let place = place as usize;
        let begin = match place {
            0 => 0,
            _ => *self.ends.get(place - 1)?,
        };
        let end = *self.ends.get(place)?;
        let texts = self.raw.get(self.start as usize..)?;
        std::str::from_utf8(texts.get(begin as usize..end as usize)?).ok()
    }
}

/// Where the texts and their blocks lie in a file; they stand at its front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texts {
    pub(super) bytes: u64,
    pub(super) blocks: u32,
}

impl Texts {
    /// Where texts and blocks end.
    pub(super) fn end(&self) -> Option<u64> {
        self.bytes.checked_add(u64::from(self.blocks) * LINE)
    }

    /// The line of a block.
    pub(super) fn block(&self, file: &CheckedFile, block: u32) -> Result<Block> {
        let at = self.bytes + u64::from(block) * LINE;
        let block = Block::decode(file.bytes(at..at + LINE)?);
        block.ok_or_else(|| file.damaged("its blocks of text"))
    }

    /// The bytes of a block.
    pub(super) fn stored<'f>(&self, file: &'f CheckedFile, block: &Block) -> Result<&'f [u8]> {
        let end = block.at.checked_add(u64::from(block.stored));
        match end.filter(|&end| end <= self.bytes) {
            Some(end) => file.bytes(block.at..end),
            None => Err(file.damaged("its blocks of text")),
        }
    }

    /// The text of a document, if there is one.
    pub(super) fn text<'s>(
        &self,
        file: &CheckedFile,
        serial: u64,
        number: u32,
        scratch: &'s mut TextScratch,
    ) -> Result<Option<&'s str>> {
        let held = |(part, block): (u64, Block)| (part == serial).then_some(block);
        let held = scratch.holds.and_then(held);
        let block = match held.filter(|block| block.has(number)) {
            Some(block) => block,
            None => match self.block_of(file, number)? {
                None => return Ok(None),
                Some(block) => {
                    self.load(file, serial, &block, scratch)?;
                    block
                }
            },
        };
        let text = scratch.text(number - block.first);
        text.map(Some)
            .ok_or_else(|| file.damaged("a text is not UTF-8"))
    }

    /// Decompresses a block into the scratch.
    pub(super) fn load(
        &self,
        file: &CheckedFile,
        serial: u64,
        block: &Block,
        scratch: &mut TextScratch,
    ) -> Result<()> {
        let stored = self.stored(file, block)?;
        let filled = scratch.fill(stored, block);
        let filled = filled.map_err(io_error("decompress a text of", file.path()))?;
        filled.ok_or_else(|| file.damaged("a block of texts"))?;
        scratch.holds = Some((serial, *block));
        Ok(())
    }

    /// The block that has a document: the last that does not begin after it, if it reaches that far.
    fn block_of(&self, file: &CheckedFile, number: u32) -> Result<Option<Block>> {
        let (mut low, mut high) = (0, self.blocks);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.block(file, middle)?.first <= number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let Some(last) = low.checked_sub(1) else {
            return Ok(None);
        };
        let block = self.block(file, last)?;
        Ok(Some(block).filter(|block| block.has(number)))
    }
}
