//! What a part knows of each document: its id and its facts, in groups of 16 documents whose lengths stand together.

use super::layout::{push_number, take_number, u64_at};
use crate::error::{Error, Result};
use crate::index::checked::CheckedFile;

/// Documents of a group.
const GROUP: u32 = 16;
/// Most documents of a part. A number is left over, to mean none.
pub(crate) const MOST_DOCUMENTS: u32 = u32::MAX - 1;

/// What is kept of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DocumentRow<'p> {
    /// The id, as JSON.
    pub(crate) id: &'p str,
    /// What the method keeps.
    pub(crate) facts: &'p [u8],
}

/// Where the rows lie in their file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) at: u64,
    pub(super) bytes: u64,
    pub(super) groups_at: u64,
    pub(super) documents: u32,
}

impl Rows {
    fn groups(&self) -> u64 {
        u64::from(self.documents.div_ceil(GROUP))
    }

    /// Where the rows and the table of their groups end.
    pub(super) fn end(&self) -> Option<u64> {
        self.groups_at.checked_add(self.groups() * 8)
    }

    /// Where in the rows a group begins; past the last, where they end.
    fn start(&self, file: &CheckedFile, group: u64) -> Result<u64> {
        if group >= self.groups() {
            return Ok(self.bytes);
        }
        let at = self.groups_at + group * 8;
        let start = u64_at(file.bytes(at..at + 8)?, 0).unwrap_or(u64::MAX);
        if start > self.bytes {
            return Err(file.damaged("its rows"));
        }
        Ok(start)
    }

    /// The row of a document.
    pub(super) fn row<'f>(&self, file: &'f CheckedFile, number: u32) -> Result<DocumentRow<'f>> {
        if number >= self.documents {
            return Err(file.damaged("a document it does not have"));
        }
        let (bytes, count) = self.group(file, number / GROUP)?;
        let row = row_of(bytes, count, number % GROUP);
        row.ok_or_else(|| file.damaged("its rows"))
    }

    /// The bytes of a group, and how many documents it has.
    fn group<'f>(&self, file: &'f CheckedFile, group: u32) -> Result<(&'f [u8], u32)> {
        let start = self.start(file, u64::from(group))?;
        let end = self.start(file, u64::from(group) + 1)?;
        let count = GROUP.min(self.documents - group * GROUP);
        Ok((file.bytes(self.at + start..self.at + end)?, count))
    }

    /// Checks that the groups fill the rows, and their documents the groups, without gaps.
    pub(super) fn verify(&self, file: &CheckedFile) -> Result<()> {
        let mut end = 0;
        for group in 0..self.documents.div_ceil(GROUP) {
            let follows = self.start(file, u64::from(group))? == end;
            let (bytes, count) = self.group(file, group)?;
            if !follows || !is_filled(bytes, count) {
                return Err(file.damaged("its rows"));
            }
            end += bytes.len() as u64;
        }
        if end != self.bytes {
            return Err(file.damaged("its rows"));
        }
        Ok(())
    }
}

/// Whether the documents of a group take all of its bytes.
fn is_filled(group: &[u8], count: u32) -> bool {
    let mut rest = group;
    let lengths = (0..2 * count).map(|_| take_number(&mut rest).map(u64::from));
    lengths.sum::<Option<u64>>() == Some(rest.len() as u64)
}

/// One row of a group of `count`.
fn row_of(group: &[u8], count: u32, wanted: u32) -> Option<DocumentRow<'_>> {
    let mut rest = group;
    let (mut before, mut lengths) = (0u64, (0, 0));
    for number in 0..count {
        let (id, facts) = (take_number(&mut rest)?, take_number(&mut rest)?);
        if number < wanted {
            before += u64::from(id) + u64::from(facts);
        } else if number == wanted {
            lengths = (id as usize, facts as usize);
        }
    }
    let (id, rest) = rest
        .get(usize::try_from(before).ok()?..)?
        .split_at_checked(lengths.0)?;
    Some(DocumentRow {
        id: std::str::from_utf8(id).ok()?,
        facts: rest.get(..lengths.1)?,
    })
}

/// Rows under way, in memory.
#[derive(Debug, Default)]
pub(super) struct RowsWriter {
    pub(super) rows: Vec<u8>,
    /// Where each group begins, as it is stored.
    pub(super) groups: Vec<u8>,
    documents: u32,
    lengths: Vec<u8>,
    bodies: Vec<u8>,
}

impl RowsWriter {
    /// Number of documents.
    pub(super) fn documents(&self) -> u32 {
        self.documents
    }

    /// Bytes of memory held.
    pub(super) fn held(&self) -> u64 {
        (self.rows.len() + self.groups.len() + self.lengths.len() + self.bodies.len()) as u64
    }

    /// Appends a row and gives its number. The lengths fit in 32 bits: a batch has seen to that.
    pub(super) fn push(&mut self, id: &[u8], facts: &[u8]) -> Result<u32> {
        if self.documents == MOST_DOCUMENTS {
            return Err(Error::TooManyDocuments);
        }
        let number = self.documents;
        if number.is_multiple_of(GROUP) {
            self.end_group();
        }
        push_number(id.len() as u32, &mut self.lengths);
        push_number(facts.len() as u32, &mut self.lengths);
        self.bodies.extend_from_slice(id);
        self.bodies.extend_from_slice(facts);
        self.documents += 1;
        Ok(number)
    }

    /// Puts the lengths and bodies of the group together.
    pub(super) fn end_group(&mut self) {
        if self.lengths.is_empty() {
            return;
        }
        let start = self.rows.len() as u64;
        self.groups.extend_from_slice(&start.to_le_bytes());
        self.rows.append(&mut self.lengths);
        self.rows.append(&mut self.bodies);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_most_of_documents() {
        let mut rows = RowsWriter {
            documents: MOST_DOCUMENTS - 1,
            ..RowsWriter::default()
        };
        assert_eq!(rows.push(b"1", b"").unwrap(), MOST_DOCUMENTS - 1);
        let error = rows.push(b"2", b"").unwrap_err();
        assert!(matches!(error, Error::TooManyDocuments));
    }
}
