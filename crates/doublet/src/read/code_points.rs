//! Offsets as users count them: in characters of the text as it stands in the input, markup included.

use super::{OffsetMap, Record};

/// Turns byte offsets of the text into code points of its source. Asked in rising order, it walks the source once.
#[derive(Debug)]
pub struct CodePoints<'a> {
    origin: Option<&'a OffsetMap>,
    source: &'a [u8],
    byte: usize,
    points: usize,
}

impl<'a> CodePoints<'a> {
    /// For the offsets of a record, given its raw bytes.
    pub fn new(record: &'a Record<'a>, raw: &'a [u8]) -> Self {
        let source = match record.origin {
            Some(_) => raw,
            None => record.text.as_bytes(),
        };
        Self {
            origin: record.origin.as_ref(),
            ..Self::of_bytes(source)
        }
    }

    /// For the offsets of a text that is its own source.
    pub fn of_text(text: &'a str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    fn of_bytes(source: &'a [u8]) -> Self {
        Self {
            origin: None,
            source,
            byte: 0,
            points: 0,
        }
    }

    /// Characters before the one that starts at this byte of the text.
    pub fn start(&mut self, offset: usize) -> usize {
        let byte = self.origin.map_or(offset, |map| map.source(offset));
        self.count(byte)
    }

    /// Characters up to the end of what ends at this byte of the text.
    pub fn end(&mut self, offset: usize) -> usize {
        let byte = self.origin.map_or(offset, |map| map.source_end(offset));
        self.count(byte)
    }

    fn count(&mut self, byte: usize) -> usize {
        let byte = byte.min(self.source.len());
        if byte < self.byte {
            (self.byte, self.points) = (0, 0);
        }
        let starts = |byte: &&u8| **byte & 0xC0 != 0x80;
        self.points += self.source[self.byte..byte].iter().filter(starts).count();
        self.byte = byte;
        self.points
    }
}
