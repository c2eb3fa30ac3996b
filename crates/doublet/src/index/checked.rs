//! A file whose every page is checked before it is believed.
//!
//! Written once, from front to back, and never again. All numbers are little endian:
//!
//! ```text
//! data      any bytes
//! table     one xxh3-64 for each 4096 bytes of data, the last for what is left
//! foot      64 bytes:
//!    0  u64   bytes of data
//!    8  u64   pages, the numbers in the table
//!   16  u64   xxh3-64 of the table
//!   24  [8]   kind of the data, padded with zeros
//!   32  u32   version of the kind's format
//!   36  [20]  "\ndoublet index file\n"
//!   56  u64   xxh3-64 of the foot up to here
//! ```
//!
//! The foot keeps its size and order in all versions, so that any doublet can say which one made a file. Foot and table are
//! checked when the file is opened, a page of data when it is first touched.

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result, io_error};
use crate::fenced::map;
use crate::files::{self, File};

/// Bytes of data that share a checksum.
pub(crate) const PAGE: u64 = 4096;
const MAGIC: &[u8; 20] = b"\ndoublet index file\n";
const FOOT: usize = 64;
/// Where the parts of the foot begin.
const TABLE_HASH: usize = 16;
const KIND: usize = 24;
const VERSION: usize = 32;
const MAGIC_AT: usize = 36;
const FOOT_HASH: usize = 56;
/// Bytes gathered before they are written, whole pages.
const BUFFER: usize = 64 * PAGE as usize;
const REMEDY: &str = "restore it from a copy, or make the index anew from its sources";

/// What a file holds, and in which version of its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The name of the kind, padded with zeros.
    pub(crate) tag: [u8; 8],
    /// The version this program reads and writes.
    pub(crate) version: u32,
}

/// A file under way. Dropped before [`CheckedWriter::finish`], it is removed.
#[derive(Debug)]
pub(crate) struct CheckedWriter {
    path: PathBuf,
    kind: Kind,
    /// None when it is finished, and for what stays in memory.
    file: Option<File>,
    held: bool,
    buffer: Vec<u8>,
    /// Bytes of data that have left the buffer, whole pages.
    written: u64,
    table: Vec<u8>,
}

impl CheckedWriter {
    /// Begins a file at `path`, where there must be none: it has its name from the start, and whether anybody reads it is
    /// decided elsewhere.
    ///
    /// # Errors
    /// When there is a file already, or the directory cannot be written to.
    pub(crate) fn create(path: &Path, kind: Kind) -> Result<Self> {
        let file = File::create_new(path).map_err(io_error("create", path))?;
        Ok(Self {
            path: path.to_owned(),
            kind,
            file: Some(file),
            held: false,
            buffer: Vec::with_capacity(BUFFER),
            written: 0,
            table: Vec::new(),
        })
    }

    /// Begins what is no file yet: it stays in memory and ends by [`CheckedWriter::hold`].
    pub(crate) fn in_memory(kind: Kind) -> Self {
        Self {
            path: PathBuf::from("memory"),
            kind,
            file: None,
            held: true,
            buffer: Vec::new(),
            written: 0,
            table: Vec::new(),
        }
    }

    /// Bytes of data so far.
    pub(crate) fn position(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub(crate) fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !self.held && self.buffer.len() + bytes.len() >= BUFFER {
            let (now, later) = bytes.split_at(BUFFER - self.buffer.len());
            self.buffer.extend_from_slice(now);
            self.flush()?;
            bytes = later;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Appends zeros up to the next page.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub(crate) fn align(&mut self) -> Result<()> {
        let rest = self.position() % PAGE;
        if rest == 0 {
            return Ok(());
        }
        self.write(&[0; PAGE as usize][rest as usize..])
    }

    /// Hashes the pages of the buffer.
    fn hash_pages(&mut self) {
        for page in self.buffer.chunks(PAGE as usize) {
            self.table.extend_from_slice(&xxh3_64(page).to_le_bytes());
        }
    }

    /// Hashes and writes the buffer, which holds whole pages unless the data ends.
    fn flush(&mut self) -> Result<()> {
        self.hash_pages();
        let buffer = std::mem::take(&mut self.buffer);
        self.put(&buffer)?;
        self.written += buffer.len() as u64;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let write = |mut file: &File| file.write_all(bytes);
        let written = self.file.as_ref().map_or(Ok(()), write);
        written.map_err(io_error("write", &self.path))
    }

    /// Writes table and foot, syncs the file and gives its size. The directory is for the caller to sync, once for all files.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub(crate) fn finish(mut self) -> Result<u64> {
        self.flush()?;
        let table = std::mem::take(&mut self.table);
        let foot = foot(self.kind, self.written, &table);
        self.put(&table)?;
        self.put(&foot)?;
        if let Some(file) = &self.file {
            file.sync_all().map_err(io_error("write", &self.path))?;
        }
        self.file = None;
        Ok(self.written + (table.len() + foot.len()) as u64)
    }

    /// Ends what was begun in memory, to be read from there.
    pub(crate) fn hold(mut self) -> CheckedFile {
        self.hash_pages();
        let (mut bytes, table) = (
            std::mem::take(&mut self.buffer),
            std::mem::take(&mut self.table),
        );
        let (length, pages) = (bytes.len() as u64, table.len() as u64 / 8);
        bytes.extend_from_slice(&table);
        bytes.extend_from_slice(&foot(self.kind, length, &table));
        bytes.shrink_to_fit();
        let words = pages.div_ceil(64);
        CheckedFile {
            path: std::mem::take(&mut self.path),
            bytes: Bytes::Held(bytes),
            length,
            pages,
            // Nobody but this process had them: there is nothing to check.
            checked: (0..words).map(|_| AtomicU64::new(u64::MAX)).collect(),
        }
    }
}

/// The foot of a file of so much data.
fn foot(kind: Kind, length: u64, table: &[u8]) -> Vec<u8> {
    let mut foot = Vec::with_capacity(FOOT);
    foot.extend_from_slice(&length.to_le_bytes());
    foot.extend_from_slice(&(table.len() as u64 / 8).to_le_bytes());
    foot.extend_from_slice(&xxh3_64(table).to_le_bytes());
    foot.extend_from_slice(&kind.tag);
    foot.extend_from_slice(&kind.version.to_le_bytes());
    foot.extend_from_slice(MAGIC);
    foot.extend_from_slice(&xxh3_64(&foot).to_le_bytes());
    foot
}

impl Drop for CheckedWriter {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // What cannot be removed is swept with all files that no manifest names.
            let _ = files::remove_file(&self.path);
        }
    }
}

/// Where the bytes of a file are.
#[derive(Debug)]
enum Bytes {
    Mapped(Mmap),
    Held(Vec<u8>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Held(bytes) => bytes,
        }
    }
}

/// A finished file, mapped, or what will be one, in memory. Any number of threads may read it.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    path: PathBuf,
    bytes: Bytes,
    length: u64,
    pages: u64,
    /// One bit a page: whether it was found whole since the file was opened.
    checked: Vec<AtomicU64>,
}

impl CheckedFile {
    /// Opens a file of `kind` that should have `expected_bytes` in all; checks its foot and table.
    ///
    /// # Errors
    /// When it cannot be read, is no such file, was made by another version, or is damaged.
    pub(crate) fn open(path: &Path, kind: Kind, expected_bytes: u64) -> Result<Self> {
        let file = File::open(path).map_err(io_error("open", path))?;
        let bytes = file.metadata().map_err(io_error("open", path))?.len();
        if bytes < expected_bytes || bytes < FOOT as u64 {
            let expected = expected_bytes.max(FOOT as u64);
            return Err(damage(
                path,
                format!("cut short: it has {bytes} bytes and should have {expected}; {REMEDY}"),
            ));
        }
        let map = map(file.plain()).map_err(io_error("map", path))?;
        if bytes != expected_bytes || map.len() as u64 != bytes {
            let reason = format!("damaged: it has {bytes} bytes and should have {expected_bytes}");
            return Err(damage(path, format!("{reason}; {REMEDY}")));
        }
        let mut opened = Self {
            path: path.to_owned(),
            bytes: Bytes::Mapped(map),
            length: 0,
            pages: 0,
            checked: Vec::new(),
        };
        (opened.length, opened.pages) = opened.check_foot(kind)?;
        let words = opened.pages.div_ceil(64);
        opened.checked = (0..words).map(|_| AtomicU64::new(0)).collect();
        Ok(opened)
    }

    /// Bytes and pages of data, from a foot that is right in every respect.
    fn check_foot(&self, kind: Kind) -> Result<(u64, u64)> {
        let before = self.bytes.len() - FOOT;
        let foot = &self.bytes[before..];
        if &foot[MAGIC_AT..FOOT_HASH] != MAGIC {
            return Err(bad_file(&self.path, "no index file of doublet".to_owned()));
        }
        if number(foot, FOOT_HASH) != xxh3_64(&foot[..FOOT_HASH]) {
            return Err(self.damaged("its foot"));
        }
        if foot[KIND..VERSION] != kind.tag {
            let name = String::from_utf8_lossy(&foot[KIND..VERSION]);
            let name = name.trim_end_matches('\0');
            let reason = format!("an index file of another kind (`{name}`); {REMEDY}");
            return Err(bad_file(&self.path, reason));
        }
        let version = number(foot, VERSION) as u32;
        if version != kind.version {
            let reason = if version > kind.version {
                format!("made by a newer doublet (format {version}): use a newer doublet")
            } else {
                format!("of an old format ({version}): make the index anew from its sources")
            };
            return Err(bad_file(&self.path, reason));
        }
        let (length, pages) = (number(foot, 0), number(foot, 8));
        let table = pages.checked_mul(8);
        let sum = table.and_then(|table| length.checked_add(table));
        if pages != length.div_ceil(PAGE) || sum != Some(before as u64) {
            return Err(self.damaged("its lengths"));
        }
        if xxh3_64(&self.bytes[length as usize..before]) != number(foot, TABLE_HASH) {
            return Err(self.damaged("its table of checksums"));
        }
        Ok((length, pages))
    }

    /// The file's path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Checksum of the foot, which has those of all else.
    pub(crate) fn checksum(&self) -> u64 {
        number(&self.bytes, self.bytes.len() - FOOT + FOOT_HASH)
    }

    /// Bytes in all.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Bytes of data.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// A part of the data, whose pages are checked if they never were.
    ///
    /// # Errors
    /// When a page is damaged or the data ends before the range does.
    #[inline]
    pub(crate) fn bytes(&self, range: Range<u64>) -> Result<&[u8]> {
        if range.start > range.end || range.end > self.length {
            return Err(self.damaged("a reference past its end"));
        }
        if range.start < range.end {
            let last = (range.end - 1) / PAGE;
            for page in range.start / PAGE..=last {
                self.check_once(page)?;
            }
        }
        Ok(&self.bytes[range.start as usize..range.end as usize])
    }

    #[inline]
    fn check_once(&self, page: u64) -> Result<()> {
        let bit = 1 << (page % 64);
        let word = &self.checked[(page / 64) as usize];
        if word.load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        self.check(page)?;
        word.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }

    #[cold]
    fn check(&self, page: u64) -> Result<()> {
        let start = page * PAGE;
        let end = self.length.min(start + PAGE);
        let found = xxh3_64(&self.bytes[start as usize..end as usize]);
        if found == number(&self.bytes, (self.length + page * 8) as usize) {
            return Ok(());
        }
        Err(self.damaged(&format!("bytes {start} to {end}")))
    }

    /// Checks every page, also those that were found whole before.
    ///
    /// # Errors
    /// When a page is damaged.
    pub(crate) fn check_all(&self) -> Result<()> {
        (0..self.pages).try_for_each(|page| self.check(page))
    }

    /// The error for a file in which `what` is not as it was written.
    #[cold]
    pub(crate) fn damaged(&self, what: &str) -> Error {
        damage(&self.path, format!("damaged ({what}); {REMEDY}"))
    }

    /// The error for a file that is whole and yet cannot serve.
    #[cold]
    pub(crate) fn unfit(&self, reason: &str) -> Error {
        bad_file(&self.path, reason.to_owned())
    }
}

fn damage(path: &Path, reason: String) -> Error {
    Error::Damaged {
        path: path.to_owned(),
        reason,
    }
}

fn bad_file(path: &Path, reason: String) -> Error {
    Error::BadFile {
        path: path.to_owned(),
        reason,
    }
}

/// The eight bytes at `at` as a number; bytes past the end count as zeros.
fn number(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(bytes.iter().skip(at)) {
        *to = *from;
    }
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEST: Kind = Kind {
        tag: *b"test\0\0\0\0",
        version: 3,
    };

    fn write(path: &Path, pieces: &[Vec<u8>]) -> u64 {
        let mut writer = CheckedWriter::create(path, TEST).unwrap();
        for piece in pieces {
            writer.write(piece).unwrap();
        }
        writer.finish().unwrap()
    }

    fn reason(path: &Path, kind: Kind, bytes: u64) -> String {
        CheckedFile::open(path, kind, bytes)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn data_of_every_length_comes_back() {
        let directory = tempfile::tempdir().unwrap();
        for length in [0, 1, 4095, 4096, 4097, BUFFER - 1, BUFFER, 3 * BUFFER + 5] {
            let path = directory.path().join(length.to_string());
            let data: Vec<u8> = (0..length).map(|n| ((n * 31) >> 3) as u8).collect();
            let cut = length / 3;
            let bytes = write(&path, &[data[..cut].to_vec(), data[cut..].to_vec()]);
            let file = CheckedFile::open(&path, TEST, bytes).unwrap();
            assert_eq!(file.bytes(0..length as u64).unwrap(), data);
            assert_eq!(file.bytes(0..0).unwrap(), b"");
            assert!(file.bytes(0..length as u64 + 1).is_err());
            assert!(file.bytes(u64::MAX - 1..u64::MAX).is_err());
            file.check_all().unwrap();
        }
    }

    #[test]
    fn each_fault_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let bytes = write(&path, &[vec![7; 10_000]]);
        let other = |tag: &[u8; 8], version| Kind { tag: *tag, version };
        assert!(reason(&path, TEST, bytes + 1).contains("cut short"));
        assert!(reason(&path, TEST, bytes - 1).contains("damaged"));
        assert!(reason(&path, other(b"test\0\0\0\0", 2), bytes).contains("use a newer doublet"));
        assert!(reason(&path, other(b"test\0\0\0\0", 4), bytes).contains("old format (3)"));
        assert!(reason(&path, other(b"toast\0\0\0", 3), bytes).contains("another kind (`test`)"));
        assert!(CheckedWriter::create(&path, TEST).is_err());
        std::fs::write(&path, [b'x'; 100]).unwrap();
        assert!(reason(&path, TEST, 100).contains("no index file"));
        std::fs::write(&path, b"").unwrap();
        assert!(reason(&path, TEST, 0).contains("cut short"));
    }

    #[test]
    fn an_unfinished_file_goes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let mut writer = CheckedWriter::create(&path, TEST).unwrap();
        writer.write(&[1; 2 * BUFFER]).unwrap();
        assert!(path.exists());
        drop(writer);
        assert!(!path.exists());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_changed_byte_is_found(length in 0usize..20_000, at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("file");
            let bytes = write(&path, &[vec![42; length]]);
            let mut content = std::fs::read(&path).unwrap();
            let at = at.index(content.len());
            content[at] ^= 1 << bit;
            std::fs::write(&path, &content).unwrap();
            match CheckedFile::open(&path, TEST, bytes) {
                Err(_) => prop_assert!(at >= length),
                Ok(file) => {
                    prop_assert!(at < length);
                    prop_assert!(file.check_all().is_err());
                    for page in 0..file.pages {
                        let range = page * PAGE..file.length.min((page + 1) * PAGE);
                        prop_assert_eq!(file.bytes(range).is_err(), page == at as u64 / PAGE);
                    }
                }
            }
        }
    }
}
