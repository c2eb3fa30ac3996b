//! The journal: changes that were answered and are in no part yet, in the order in which they were made.
//!
//! A file of frames, one a change, appended and synced before the change is answered. What follows the last whole frame was
//! never answered and is passed over; most of it are zeros that were written ahead, so that a sync has nothing to tell the file
//! system about and does not wait for what else is being written. All numbers are little endian:
//!
//! ```text
//! head     48 bytes: [16] "doublet journal\n", u32 version, u32 salt,
//!          u64 number of the journal before, or 0, u64 bytes of its whole frames, u64 xxh3-64 of the head up to here
//! frame    begins at a multiple of 8:
//!          u32 "dblJ", u32 bytes of the change, u64 bytes of this file that were synced before it was written,
//!          u64 xxh3-64, with the salt for its seed, of the frame but for itself, then the change and zeros up to a multiple of 8
//! change   u32 number of documents, each: u8 what (0 added, 1 removed), u32 bytes of the id, u32 bytes of the text, id, text
//! ```
//!
//! A frame that is not whole ends the journal, unless a later one was written when the bytes of it were synced already: then the
//! journal is damaged. The salt keeps a text from looking like a frame.

use std::hash::BuildHasher;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use xxhash_rust::xxh3::Xxh3;

use super::super::manifest::{self, JOURNAL, file_name};
use crate::error::{Error, Result, io_error};
use crate::files::{self, File};

const MAGIC: &[u8; 16] = b"doublet journal\n";
const VERSION: u32 = 1;
const HEAD: usize = 48;
const FRAME: &[u8; 4] = b"dblJ";
const FRAME_HEAD: usize = 24;
const ADDED: u8 = 0;
const REMOVED: u8 = 1;
/// Zeros that are written ahead at a time.
const ZEROS: usize = 4 << 20;
/// How often a journal that looks damaged is read again: it may have been written to meanwhile.
const READS: u32 = 20;

/// A change of one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry<'a> {
    Added { id: &'a str, text: &'a str },
    Removed { id: &'a str },
}

/// A change on its way into the journal.
#[derive(Debug, Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
}

impl Frames {
    /// Adds a change of several documents.
    pub(super) fn push<'a>(&mut self, entries: impl IntoIterator<Item = Entry<'a>>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&[0; FRAME_HEAD]);
        self.bytes.extend_from_slice(&[0; 4]);
        let mut count = 0u32;
        for entry in entries {
            let (what, id, text) = match entry {
                Entry::Added { id, text } => (ADDED, id, text),
                Entry::Removed { id } => (REMOVED, id, ""),
            };
            self.bytes.push(what);
            self.bytes
                .extend_from_slice(&(id.len() as u32).to_le_bytes());
            self.bytes
                .extend_from_slice(&(text.len() as u32).to_le_bytes());
            self.bytes.extend_from_slice(id.as_bytes());
            self.bytes.extend_from_slice(text.as_bytes());
            count += 1;
        }
        let body = start + FRAME_HEAD;
        self.bytes[body..body + 4].copy_from_slice(&count.to_le_bytes());
        let length = (self.bytes.len() - body) as u32;
        self.bytes[start..start + 4].copy_from_slice(FRAME);
        self.bytes[start + 4..start + 8].copy_from_slice(&length.to_le_bytes());
        let padded = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(padded, 0);
    }

    /// Writes into each frame how many bytes were synced before, and its checksum.
    fn seal(&mut self, synced: u64, salt: u32) {
        let mut start = 0;
        while start < self.bytes.len() {
            let length = u32_at(&self.bytes, start + 4) as usize;
            let end = start + FRAME_HEAD + length;
            self.bytes[start + 8..start + 16].copy_from_slice(&synced.to_le_bytes());
            let sum = frame_sum(&self.bytes[start..end], salt);
            self.bytes[start + 16..start + 24].copy_from_slice(&sum.to_le_bytes());
            start = end.next_multiple_of(8);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }
}

/// The journal that is being written.
#[derive(Debug)]
pub(super) struct Journal {
    pub(super) number: u64,
    path: PathBuf,
    file: File,
    salt: u32,
    /// Bytes of whole frames, all of them synced.
    synced: u64,
    /// Bytes of the file, with the zeros that follow the frames.
    size: u64,
}

impl Journal {
    /// Begins a journal after another, which is named by its number and the bytes of its whole frames.
    pub(super) fn create(
        directory: &Path,
        number: u64,
        before: Option<(u64, u64)>,
    ) -> Result<Self> {
        let path = directory.join(file_name(number, JOURNAL));
        let mut head = Vec::with_capacity(HEAD);
        head.extend_from_slice(MAGIC);
        head.extend_from_slice(&VERSION.to_le_bytes());
        let salt = std::hash::RandomState::new().hash_one(number) as u32;
        head.extend_from_slice(&salt.to_le_bytes());
        let (before, bytes) = before.unwrap_or_default();
        head.extend_from_slice(&before.to_le_bytes());
        head.extend_from_slice(&bytes.to_le_bytes());
        let sum = sum(&[&head], 0);
        head.extend_from_slice(&sum.to_le_bytes());
        let create = || {
            let mut file = File::create_new(&path)?;
            file.write_all(&head)?;
            file.sync_all()?;
            files::sync_directory(directory)?;
            Ok(file)
        };
        let file = create().map_err(|error| {
            let _left = files::remove_file(&path);
            io_error("write", &path)(error)
        })?;
        Ok(Self {
            number,
            path,
            file,
            salt,
            synced: HEAD as u64,
            size: HEAD as u64,
        })
    }

    /// Bytes of whole frames.
    pub(super) fn bytes(&self) -> u64 {
        self.synced
    }

    /// Whether it has no change yet.
    pub(super) fn is_empty(&self) -> bool {
        self.synced == HEAD as u64
    }

    /// Gives back the room that was taken ahead: nothing more comes.
    pub(super) fn end(self) {
        // Zeros do no harm.
        let _left = self.file.set_len(self.synced);
    }

    /// Appends changes and syncs them. After an error the journal is as before, or `broken`.
    pub(super) fn append(&mut self, frames: &mut Frames) -> Result<(), Failed> {
        frames.seal(self.synced, self.salt);
        match self.write(&frames.bytes) {
            Ok(()) => {
                self.synced += frames.bytes.len() as u64;
                Ok(())
            }
            Err(cause) => Err(Failed {
                broken: self.take_back().is_err(),
                cause: io_error("write", &self.path)(cause),
            }),
        }
    }

    /// Writes bytes behind what is synced, and syncs them.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let end = self.synced + bytes.len() as u64;
        if end > self.size && self.write_ahead(end).is_err() {
            // There may be room for the change all the same.
            self.file.set_len(self.size)?;
        }
        self.file.seek(SeekFrom::Start(self.synced))?;
        self.file.write_all(bytes)?;
        self.size = self.size.max(end);
        self.file.sync_data()
    }

    /// Writes zeros up to `end` and beyond.
    fn write_ahead(&mut self, end: u64) -> std::io::Result<()> {
        let zeros = (end - self.size) as usize + ZEROS;
        self.file.seek(SeekFrom::Start(self.size))?;
        self.file.write_all(&vec![0; zeros])?;
        self.size += zeros as u64;
        Ok(())
    }

    /// Cuts off what was not synced.
    fn take_back(&mut self) -> std::io::Result<()> {
        self.size = self.synced;
        self.file.set_len(self.synced)?;
        self.file.sync_data()
    }
}

/// A change that could not be written.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) cause: Error,
    /// Nobody knows what is in the file now.
    pub(super) broken: bool,
}

/// That the journals of a directory begin with the one that its manifest names.
pub(crate) fn expect_first(directory: &Path, first: u64, found: &[(u64, PathBuf)]) -> Result<()> {
    match found.first() {
        Some((number, _)) if *number == first => Ok(()),
        _ => {
            let path = directory.join(file_name(first, JOURNAL));
            Err(io_error("open", path)(std::io::ErrorKind::NotFound.into()))
        }
    }
}

/// The head and the whole frames of a journal, without what follows them; nothing if it was just begun.
pub(crate) fn whole_frames(path: &Path) -> Result<Option<Vec<u8>>> {
    let mut bytes = files::read(path).map_err(io_error("read", path))?;
    let mut end = Reader::new(path, &bytes).and_then(|reader| reader.end());
    for _ in 1..READS {
        if end.is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
        bytes = files::read(path).map_err(io_error("read", path))?;
        end = Reader::new(path, &bytes).and_then(|reader| reader.end());
    }
    if end.is_err() && bytes.len() <= HEAD {
        return Ok(None);
    }
    bytes.truncate(end?);
    Ok(Some(bytes))
}

/// Syncs a journal that another process has written.
pub(super) fn sync(directory: &Path, number: u64) -> Result<()> {
    let path = directory.join(file_name(number, JOURNAL));
    let file = File::open_to_write(&path);
    let synced = file.and_then(|file| file.sync_all());
    synced.map_err(io_error("write", &path))
}

/// Reads journals that follow one another, and gives the number of the last and the bytes of its whole frames. `each` gets the
/// entries of a change.
pub(super) fn read_all(
    journals: &[(u64, PathBuf)],
    mut each: impl FnMut(&[Entry<'_>]) -> Result<()>,
) -> Result<Option<(u64, u64)>> {
    let mut last: Option<(u64, u64)> = None;
    for (number, path) in journals {
        let Some(bytes) = whole_frames(path)? else {
            // It was begun when the process ended, or is being begun: no change can be in it. The first is there for sure.
            if last.is_some() && last_of(journals, *number) {
                continue;
            }
            return Err(manifest::damaged(path));
        };
        let reader = Reader::new(path, &bytes)?;
        if last.is_some_and(|last| last != reader.before) {
            // One that could not be begun, and not be removed.
            if bytes.len() == HEAD && last_of(journals, *number) {
                continue;
            }
            return Err(manifest::damaged(path));
        }
        let mut at = HEAD;
        while let Some((frame, _)) = reader.frame(at) {
            let entries = entries(&frame[FRAME_HEAD..]).ok_or_else(|| manifest::damaged(path))?;
            each(&entries)?;
            at += frame.len().next_multiple_of(8);
        }
        last = Some((*number, at as u64));
    }
    Ok(last)
}

fn last_of(journals: &[(u64, PathBuf)], number: u64) -> bool {
    journals.last().is_some_and(|(last, _)| *last == number)
}

/// Walks through the frames of a journal.
struct Reader<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    salt: u32,
    before: (u64, u64),
}

impl<'a> Reader<'a> {
    fn new(path: &'a Path, bytes: &'a [u8]) -> Result<Self> {
        let head = bytes.get(..HEAD).ok_or_else(|| manifest::damaged(path))?;
        let (body, check) = head.split_at(HEAD - 8);
        if !body.starts_with(MAGIC) || sum(&[body], 0) != u64_at(check, 0) {
            return Err(manifest::damaged(path));
        }
        let version = u32_at(body, MAGIC.len());
        if version != VERSION {
            return Err(Error::BadFile {
                path: path.to_owned(),
                reason: format!("made by a newer doublet (journal {version}): use a newer doublet"),
            });
        }
        Ok(Self {
            path,
            bytes,
            salt: u32_at(body, 20),
            before: (u64_at(body, 24), u64_at(body, 32)),
        })
    }

    /// Where the last whole frame ends.
    fn end(&self) -> Result<usize> {
        let mut at = HEAD;
        while let Some((frame, _)) = self.frame(at) {
            at += frame.len().next_multiple_of(8);
        }
        let later = (at..self.bytes.len()).step_by(8);
        let mut synced = later.filter_map(|later| self.frame(later));
        match synced.any(|(_, synced)| synced > at as u64) {
            true => Err(manifest::damaged(self.path)),
            false => Ok(at),
        }
    }

    /// The whole frame at a place, without its padding, and how many bytes were synced before it.
    fn frame(&self, at: usize) -> Option<(&'a [u8], u64)> {
        let rest = self.bytes.get(at..)?;
        if !rest.starts_with(FRAME) || rest.len() < FRAME_HEAD {
            return None;
        }
        let length = u32_at(rest, 4) as usize;
        let frame = rest.get(..FRAME_HEAD + length)?;
        // Written with its padding or not at all.
        rest.get(..frame.len().next_multiple_of(8))?;
        (frame_sum(frame, self.salt) == u64_at(rest, 16)).then(|| (frame, u64_at(rest, 8)))
    }
}

/// The documents of a change; nothing if it is none.
fn entries(mut bytes: &[u8]) -> Option<Vec<Entry<'_>>> {
    let count = u32::from_le_bytes(*bytes.split_off(..4)?.first_chunk()?);
    let mut entries = Vec::new();
    for _ in 0..count {
        let head = bytes.split_off(..9)?;
        let (id, text) = (u32_at(head, 1) as usize, u32_at(head, 5) as usize);
        let id = std::str::from_utf8(bytes.split_off(..id)?).ok()?;
        let text = std::str::from_utf8(bytes.split_off(..text)?).ok()?;
        entries.push(match head[0] {
            ADDED => Entry::Added { id, text },
            REMOVED => Entry::Removed { id },
            _ => return None,
        });
    }
    bytes.is_empty().then_some(entries)
}

fn frame_sum(frame: &[u8], salt: u32) -> u64 {
    sum(&[&frame[..16], &frame[FRAME_HEAD..]], salt)
}

fn sum(pieces: &[&[u8]], salt: u32) -> u64 {
    let mut hasher = Xxh3::with_seed(u64::from(salt));
    for piece in pieces {
        hasher.update(piece);
    }
    hasher.digest()
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
