//! Where things are in a part, computed from a few counts at its end, and numbers of varying length.

use super::records::Width;
use super::rows::Rows;
use super::table::Table;
use super::texts::Texts;
use crate::error::Result;
use crate::index::checked::{CheckedFile, Kind, PAGE};

/// The kind and version of a part's file.
pub(super) const KIND: Kind = Kind {
    tag: *b"part\0\0\0\0",
    version: 1,
};

const MAGIC: &[u8; 8] = b"contents";
const BYTES: u64 = 48;

/// The counts from which all places follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) texts: u64,
    pub(super) rows: u64,
    pub(super) postings: u64,
    pub(super) documents: u32,
    pub(super) blocks: u32,
    pub(super) width: Width,
}

/// The sections of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) texts: Texts,
    pub(super) postings: Table,
    pub(super) ids: Table,
    pub(super) rows: Rows,
    /// Where the contents begin.
    pub(super) end: u64,
}

impl Contents {
    /// Reads the end of a part and checks that its sections fill it exactly.
    pub(super) fn read(file: &CheckedFile) -> Result<(Self, Places)> {
        let damaged = || file.damaged("its contents");
        let start = file.length().checked_sub(BYTES).ok_or_else(damaged)?;
        let bytes = file.bytes(start..file.length())?;
        let contents = Self::decode(bytes).ok_or_else(damaged)?;
        let places = contents.places().filter(|places| places.end == start);
        Ok((contents, places.ok_or_else(damaged)?))
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(BYTES as usize);
        for number in [self.texts, self.rows, self.postings] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.documents, self.blocks, self.width.bytes() as u32, 0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(MAGIC);
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let width = match u32_at(bytes, 32)? {
            24 => Width::Full,
            12 => Width::Short,
            _ => return None,
        };
        if u32_at(bytes, 36)? != 0 || bytes.get(40..)? != MAGIC {
            return None;
        }
        Some(Self {
            texts: u64_at(bytes, 0)?,
            rows: u64_at(bytes, 8)?,
            postings: u64_at(bytes, 16)?,
            documents: u32_at(bytes, 24)?,
            blocks: u32_at(bytes, 28)?,
            width,
        })
    }

    /// All places; nothing if the counts are beyond any file.
    pub(super) fn places(&self) -> Option<Places> {
        let texts = Texts {
            bytes: self.texts,
            blocks: self.blocks,
        };
        let documents = u64::from(self.documents);
        let postings_at = texts.end()?.checked_next_multiple_of(PAGE)?;
        let postings_end = postings_at.checked_add(Table::bytes(self.width, self.postings)?)?;
        let ids_at = postings_end.checked_next_multiple_of(PAGE)?;
        let ids_end = ids_at.checked_add(Table::bytes(Width::Short, documents)?)?;
        let postings = Table {
            width: self.width,
            count: self.postings,
            pages_at: postings_at,
            keys_at: ids_end,
        };
        let ids = Table {
            width: Width::Short,
            count: documents,
            pages_at: ids_at,
            keys_at: postings.keys_end()?,
        };
        let rows = Rows {
            at: ids.keys_end()?,
            bytes: self.rows,
            groups_at: ids.keys_end()?.checked_add(self.rows)?,
            documents: self.documents,
        };
        Some(Places {
            texts,
            postings,
            ids,
            rows,
            end: rows.end()?,
        })
    }
}

/// The number in the four bytes at `at`.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// The number in the eight bytes at `at`.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

/// Appends a number, seven bits a byte, low bits first.
pub(super) fn push_number(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front of `bytes`; nothing if it does not end or is too large.
#[inline]
pub(super) fn take_number(bytes: &mut &[u8]) -> Option<u32> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    if first < 0x80 {
        return Some(u32::from(first));
    }
    let mut number = u64::from(first & 0x7F);
    for shift in [7, 14, 21, 28] {
        let (&next, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(next & 0x7F) << shift;
        if next < 0x80 {
            return u32::try_from(number).ok();
        }
    }
    None
}
