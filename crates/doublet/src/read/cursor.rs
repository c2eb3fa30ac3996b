//! Stage 1, read: a pass over one file.
//!
//! In: the stream of a file and its cutter. Out: blocks, one after the other. What the cutter leaves is the start of the
//! next block; when it finds no record, twice as much is read, so that long records cost no more than their length.

use super::block::Block;
use super::collection::Collection;
use super::cut::{Cut, Cuts, MAX_RECORD, too_long};
use super::source::SourceFile;
use super::stream::Stream;
use crate::error::Result;

/// A pass over one file.
pub(super) struct Cursor<'a> {
    collection: &'a Collection,
    pub(super) source: &'a SourceFile,
    number: u32,
    pub(super) stream: Stream,
    cutter: Box<dyn Cut>,
    /// What has been read and not been cut yet, and where it starts in the stream.
    rest: Vec<u8>,
    base: u64,
    /// Bytes before the first record: a header row.
    preamble: usize,
    ended: bool,
    /// Whether the start of the next record was too long and has been let go.
    given_up: bool,
    /// Whether a pass that only samples may jump ahead to any line.
    pub(super) seekable: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn open(
        collection: &'a Collection,
        source: &'a SourceFile,
        number: u32,
    ) -> Result<Self> {
        Ok(Cursor {
            collection,
            source,
            number,
            stream: source.stream(&collection.temp_dir, 0)?,
            cutter: source.cutter(),
            rest: Vec::new(),
            base: 0,
            preamble: source.preamble(),
            ended: false,
            given_up: false,
            seekable: source.seekable(),
        })
    }

    /// The next block of the file, or `None` at its end.
    pub(super) fn next(&mut self, block_size: usize) -> Result<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut want = block_size.max(self.preamble + 4);
        while !self.ended {
            self.ended = self.stream.fill(&mut bytes, want)?;
            self.drop_preamble(&mut bytes);
            let mut cuts = self.cut(&bytes);
            if !cuts.bounds.is_empty() {
                self.rest = bytes.split_off(cuts.consumed);
                let block = Block::new(
                    self.number,
                    self.base,
                    bytes,
                    &mut cuts,
                    &self.source.decoder,
                );
                self.base += cuts.consumed as u64;
                return Ok(Some(block));
            }
            bytes.drain(..cuts.consumed);
            self.base += cuts.consumed as u64;
            if bytes.len() as u64 > MAX_RECORD {
                self.give_up(&mut bytes);
            }
            want = block_size.max(bytes.len().saturating_mul(2));
        }
        Ok(None)
    }

    fn cut(&mut self, bytes: &[u8]) -> Cuts {
        let mut cuts = Cuts::default();
        let damage = self.stream.damage();
        let whole = self.ended && damage.is_none();
        self.cutter.cut(bytes, whole, &mut cuts);
        if let Some(reason) = damage {
            // What follows the last whole record cannot be trusted, even where it looks like one.
            let rest = bytes.len() - cuts.consumed;
            cuts.fault(cuts.consumed, rest, self.cutter.line(), reason.to_owned());
            cuts.consumed = bytes.len();
        }
        if self.given_up && !cuts.bounds.is_empty() {
            self.given_up = false;
            cuts.faults.insert(0, (0, too_long()));
        }
        cuts
    }

    /// Lets go of the start of a record that does not end: its last piece will be rejected for all of it.
    fn give_up(&mut self, bytes: &mut Vec<u8>) {
        self.given_up = true;
        self.base += bytes.len() as u64;
        bytes.clear();
        self.cutter.forget();
    }

    /// Jumps `skip` bytes ahead, to the start of a line. Returns what is left to be passed over in the next file.
    pub(super) fn pass_over(&mut self, skip: u64) -> Result<u64> {
        let left = self.source.unpacked_len().saturating_sub(self.base);
        self.rest.clear();
        if skip >= left {
            self.ended = true;
            return Ok(skip - left);
        }
        self.base += skip;
        self.stream = self.source.stream(&self.collection.temp_dir, self.base)?;
        self.cutter = self.source.cutter();
        loop {
            self.ended = self
                .stream
                .fill(&mut self.rest, self.collection.block_size.min(1 << 16))?;
            let lf = memchr::memchr(b'\n', &self.rest);
            let count = lf.map_or(self.rest.len(), |lf| lf + 1);
            self.rest.drain(..count);
            self.base += count as u64;
            if lf.is_some() || self.ended {
                // What is left may hold the last lines of the file: let them be cut.
                self.ended &= self.rest.is_empty();
                return Ok(0);
            }
        }
    }

    /// Takes off a byte order mark or a header row, once.
    fn drop_preamble(&mut self, bytes: &mut Vec<u8>) {
        if self.base > 0 || bytes.is_empty() {
            return;
        }
        let mark = if bytes.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        let count = self.preamble.max(mark).min(bytes.len());
        bytes.drain(..count);
        self.base += count as u64;
        self.preamble = 0;
    }
}
