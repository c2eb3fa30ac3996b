//! The documents of one block of input, made ready by a worker thread: ids hashed, texts compressed.

use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use super::records::{Held, Posting, Width};
use super::texts::Packer;
use crate::error::{Error, Result, io_error};

/// The longest text, id or facts of a document: what 32 bits tell, less room for a block's own bytes.
pub(super) const LONGEST: usize = u32::MAX as usize - 64;

/// Documents on their way into a part. Their numbers are given when the batch is appended.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(super) rows: Vec<BatchRow>,
    /// Ids and facts, one after the other.
    pub(super) bytes: Vec<u8>,
    /// With documents counted from the batch's first.
    pub(super) postings: Held,
    pub(super) texts: Option<Packer>,
}

/// One document.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchRow {
    pub(super) id_hash: u64,
    pub(super) id: u32,
    pub(super) facts: u32,
}

impl Batch {
    /// An empty batch for a part of this width, which keeps the documents' texts or not.
    pub(crate) fn new(width: Width, texts: bool) -> Self {
        Self {
            rows: Vec::new(),
            bytes: Vec::new(),
            postings: Held::new(width),
            texts: texts.then(Packer::default),
        }
    }

    /// Adds a document: its id as JSON, what the method keeps of it, and its keys with their positions.
    ///
    /// # Errors
    /// When there are too many documents, or one is too long.
    pub(crate) fn push(
        &mut self,
        id: &str,
        facts: &[u8],
        text: &str,
        keys: impl Iterator<Item = (u128, u32)>,
    ) -> Result<()> {
        let longest = id.len().max(facts.len()).max(text.len());
        if longest > LONGEST {
            let most = LONGEST;
            return Err(Error::BadFile {
                path: PathBuf::from(id.chars().take(100).collect::<String>()),
                reason: format!(
                    "this document takes {longest} bytes, and an index holds at most {most}: cut it into several"
                ),
            });
        }
        let document = u32::try_from(self.rows.len()).map_err(|_| Error::TooManyDocuments)?;
        if let Some(texts) = &mut self.texts {
            let packed = texts.push(document, text);
            packed.map_err(io_error("compress the text of", id))?;
        }
        self.bytes.extend_from_slice(id.as_bytes());
        self.bytes.extend_from_slice(facts);
        self.rows.push(BatchRow {
            id_hash: xxh3_64(id.as_bytes()),
            id: id.len() as u32,
            facts: facts.len() as u32,
        });
        let posting = |(key, position)| Posting {
            key,
            document,
            position,
        };
        self.postings.extend(keys.map(posting));
        Ok(())
    }

    /// Compresses the last texts. What was not finished is when it is appended, on the writer's time.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub(crate) fn finish(&mut self) -> Result<()> {
        match &mut self.texts {
            Some(texts) => texts
                .finish()
                .map_err(io_error("compress texts for", "the index")),
            None => Ok(()),
        }
    }

    /// Number of documents.
    pub(crate) fn documents(&self) -> u32 {
        self.rows.len() as u32
    }
}
