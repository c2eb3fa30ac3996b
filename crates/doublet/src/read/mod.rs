//! Stage 1, read: from paths to records.
//!
//! A [`Collection`] hands out [`Block`]s: raw bytes that hold whole records, with each record's bounds. Cutting blocks is
//! serial and cheap (one reader behind a lock); decoding a record (JSON, CSV, markup) is done by the worker that took the
//! block, by [`Block::decode`]. What has been read once can be fetched again by its [`Place`].
//!
//! Every file is a stream of bytes: itself, or what its compression or its columns unpack to. The stream is cut by a rule
//! of its format (`cut`, `delimited`, `warc`), and what is not a plain file is kept in a spool, so that offsets stay good.

mod block;
mod code_points;
mod collection;
mod columnar;
mod cursor;
mod cut;
mod decode;
mod delimited;
mod detect;
mod encoding;
mod expand;
mod html;
#[doc(hidden)]
pub mod inside;
mod json;
mod json_fields;
mod offsets;
mod parquet_file;
mod rewrite;
mod source;
mod spool;
mod stream;
mod table;
mod warc;
mod warc_body;
mod xml;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use crate::document::Key;
use crate::error::{Error, Result};

pub(crate) use columnar::{ROWS, guarded, map_texts};
pub(crate) use parquet_file::ParquetFile;
pub(crate) use rewrite::without;
pub(crate) use spool::Backing;
pub(crate) use table::GROUP;

pub use block::{Block, BlockReader, Decoded};
pub use code_points::CodePoints;
pub use collection::{Collection, InputPath};
pub use detect::Compression;
pub use expand::is_stream;
pub use offsets::OffsetMap;
pub use source::SourceFile;
pub use table::{Table, Tables, write_parquet};

/// Where a record's raw bytes stand, so that it can be read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Number of the file in [`Collection::files`].
    pub file: u32,
    /// Bytes of the raw record.
    pub length: u32,
    /// Offset of the raw record in the backing of the file (the file itself, or its spool when it is compressed, columnar or
    /// standard input); of data in memory, the number of the row.
    pub offset: u64,
    /// Line on which the record starts, or its number in formats without lines; from 1.
    pub line: u64,
}

/// One record, decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<'a> {
    /// The user's id; `None` when the record has none, and always with `renumber`.
    pub key: Option<Key<'a>>,
    /// The text, markup removed.
    pub text: Cow<'a, str>,
    /// The value of the rank field as JSON, when one is asked for and present.
    pub rank: Option<Cow<'a, str>>,
    /// For marked-up text: where its pieces stand in the raw record. `None`: text and source are the same, or the source
    /// was in another encoding than UTF-8 and has no offsets to speak of.
    pub origin: Option<OffsetMap>,
}

impl<'a> Record<'a> {
    /// A record of nothing but text.
    pub(crate) fn of_text(text: impl Into<Cow<'a, str>>) -> Self {
        Record {
            key: None,
            text: text.into(),
            rank: None,
            origin: None,
        }
    }
}

/// A record that could not be read: data, not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Name of the file as the user gave it.
    pub file: String,
    /// Line or record number, from 1.
    pub line: u64,
    /// Why, and what was expected.
    pub reason: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.file, self.line, self.reason)
    }
}

/// Where records were rejected and none was read, the first of them is an error: the wrong field or format is the likely cause.
/// Without any record all is well.
///
/// # Errors
/// When all were rejected.
pub fn expect_some(read: u64, rejected: u64, first: Option<&Rejection>) -> Result<()> {
    match first {
        Some(first) if read == 0 => Err(Error::NothingRead {
            rejected,
            first: first.to_string(),
        }),
        _ => Ok(()),
    }
}
