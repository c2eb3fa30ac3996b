//! The manifest: the one file that says what an index consists of. Replacing it is a commit.
//!
//! All other files are written once, under names that were never used before, and synced before the manifest names them. So
//! whatever happens, the manifest on disk is the last commit and everything it names is whole. Files that it does not name are
//! left over from a run that did not end and are swept by the next writer.
//!
//! Three parts: a line with the version of the format, JSON, and a line with the xxh3-64 of all before it.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::part::PartFacts;
use super::stored::StoredOptions;
use crate::error::{Error, Result, io_error};
use crate::files::output::replace;
use crate::files::{self, File, TEMPORARY};

/// Version of the format of an index. An index without a journal has the first, which older doublets know.
pub const FORMAT: u32 = 2;
const WITHOUT_JOURNAL: u32 = 1;
const NAME: &str = "manifest";
const NEW: &str = "manifest.new";
/// Ending of journals.
pub(crate) const JOURNAL: &str = "journal";
const HEAD: &str = "doublet index, format ";

/// What an index consists of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Number of this commit.
    pub(crate) commit: u64,
    /// Number of the next file.
    pub(crate) next_file: u64,
    /// Records that were ever read, of whole commits: the number of the next where documents are numbered.
    pub(crate) added: u64,
    pub(crate) options: StoredOptions,
    /// The common words of sentences, or the background table of terms, once they are settled.
    pub(crate) words: Option<FileEntry>,
    pub(crate) parts: Vec<PartEntry>,
    /// Number of the first journal whose changes are in no part yet; they follow those of the parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) journal: Option<u64>,
}

/// A small file that is read whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    pub(crate) file: String,
    pub(crate) bytes: u64,
    /// xxh3-64 in hexadecimal.
    pub(crate) checksum: String,
}

/// A part, and which of its documents are dead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartEntry {
    pub(crate) file: String,
    pub(crate) documents: u32,
    pub(crate) postings: u64,
    /// Postings that stand for a sentence, not for a whole text.
    pub(crate) sentences: u64,
    pub(crate) bytes: u64,
    /// Checksum of the file's foot, which has that of its pages.
    pub(crate) checksum: String,
    pub(crate) dead: Option<DeadEntry>,
}

/// The documents of a part that were removed or replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DeadEntry {
    pub(crate) count: u32,
    #[serde(flatten)]
    pub(crate) bits: FileEntry,
}

impl PartEntry {
    pub(crate) fn facts(&self) -> PartFacts {
        PartFacts {
            documents: self.documents,
            postings: self.postings,
            bytes: self.bytes,
        }
    }

    /// Documents that are not dead.
    pub(crate) fn live(&self) -> u32 {
        let dead = self.dead.as_ref().map_or(0, |dead| dead.count);
        self.documents.saturating_sub(dead)
    }
}

impl FileEntry {
    /// Writes a small file of its own and syncs it.
    pub(crate) fn write(directory: &Path, file: String, bytes: &[u8]) -> Result<Self> {
        let path = directory.join(&file);
        let write = || {
            let mut written = File::create_new(&path)?;
            written.write_all(bytes)?;
            written.sync_all()
        };
        write().map_err(io_error("write", &path))?;
        Ok(Self::of(file, bytes))
    }

    /// The entry of a file of these bytes.
    pub(crate) fn of(file: String, bytes: &[u8]) -> Self {
        Self {
            file,
            bytes: bytes.len() as u64,
            checksum: checksum(bytes),
        }
    }

    /// Reads the file, which is what it was or an error.
    pub(crate) fn read(&self, directory: &Path) -> Result<Vec<u8>> {
        let path = self.path(directory)?;
        let bytes = files::read(&path).map_err(io_error("read", &path))?;
        if bytes.len() as u64 != self.bytes || checksum(&bytes) != self.checksum {
            return Err(damaged(&path));
        }
        Ok(bytes)
    }

    pub(crate) fn path(&self, directory: &Path) -> Result<PathBuf> {
        path_of(directory, &self.file)
    }
}

/// The path of a file of the index; a manifest names nothing outside its directory.
pub(crate) fn path_of(directory: &Path, file: &str) -> Result<PathBuf> {
    if number_of(file).is_none() {
        return Err(damaged(&directory.join(NAME)));
    }
    Ok(directory.join(file))
}

/// The number in the name of a file that an index makes: `000012.part`.
fn number_of(file: &str) -> Option<u64> {
    let (number, kind) = file.split_once('.')?;
    let known = matches!(kind, "part" | "dead" | "words" | JOURNAL);
    let digits = number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
    (known && digits).then(|| number.parse().ok()).flatten()
}

/// The name of a new file.
pub(crate) fn file_name(number: u64, kind: &str) -> String {
    format!("{number:06}.{kind}")
}

/// The journals of a directory from a number on, in order.
pub(crate) fn journals(directory: &Path, first: u64) -> Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    let entries = files::read_dir(directory).map_err(io_error("read", directory))?;
    for entry in entries {
        let entry = entry.map_err(io_error("read", directory))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let number = number_of(name).filter(|_| name.ends_with(JOURNAL));
        if let Some(number) = number.filter(|&number| number >= first) {
            found.push((number, entry.path()));
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

pub(crate) fn damaged(path: &Path) -> Error {
    Error::Damaged {
        path: path.to_owned(),
        reason:
            "the file is damaged: restore the index from a copy, or make it anew from its sources"
                .to_owned(),
    }
}

impl Manifest {
    /// The last commit of the index in a directory.
    pub(crate) fn read(directory: &Path) -> Result<Self> {
        let path = directory.join(NAME);
        let bytes = match files::read(&path) {
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Err(no_index(directory));
            }
            read => read.map_err(io_error("read", &path))?,
        };
        let bad = |reason: String| Error::BadFile {
            path: path.clone(),
            reason,
        };
        let text = std::str::from_utf8(&bytes).map_err(|_| damaged(&path))?;
        let rest = text.strip_prefix(HEAD).ok_or_else(|| {
            bad("this is no manifest of a doublet index: name the directory of one".to_owned())
        })?;
        let (version, _) = rest.split_once('\n').ok_or_else(|| damaged(&path))?;
        match version.parse::<u32>() {
            Ok(WITHOUT_JOURNAL..=FORMAT) => {}
            Ok(version) if version > FORMAT => {
                return Err(bad(format!(
                    "the index has format {version}, and this doublet knows {FORMAT}: use a newer doublet"
                )));
            }
            _ => return Err(damaged(&path)),
        }
        let body = text
            .strip_suffix('\n')
            .and_then(|text| text.rsplit_once('\n'));
        let (body, sum) = body.ok_or_else(|| damaged(&path))?;
        if checksum(body.as_bytes()) != sum {
            return Err(damaged(&path));
        }
        let json = body.split_once('\n').map_or("", |(_, json)| json);
        serde_json::from_str(json).map_err(|_| damaged(&path))
    }

    /// Version of the format: the first that has what this needs.
    pub(crate) fn format(&self) -> u32 {
        match self.journal {
            Some(_) => FORMAT,
            None => WITHOUT_JOURNAL,
        }
    }

    /// Makes this the last commit. Everything it names must be synced already.
    pub(crate) fn commit(&self, directory: &Path) -> Result<()> {
        let (path, new) = (directory.join(NAME), directory.join(NEW));
        let json = serde_json::to_string_pretty(self)
            .map_err(|error| io_error("write", &path)(error.into()))?;
        let body = format!("{HEAD}{}\n{json}", self.format());
        let text = format!("{body}\n{}\n", checksum(body.as_bytes()));
        replace(&path, &new, text.as_bytes())
    }

    /// A name that no file of the index ever had.
    pub(crate) fn new_file(&mut self, kind: &str) -> String {
        let number = self.next_file;
        self.next_file = number.saturating_add(1);
        file_name(number, kind)
    }

    /// All files that it names, but for journals.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        let dead = self.parts.iter().filter_map(|part| part.dead.as_ref());
        let parts = self.parts.iter().map(|part| part.file.as_str());
        let words = self.words.iter().map(|words| words.file.as_str());
        parts
            .chain(dead.map(|dead| dead.bits.file.as_str()))
            .chain(words)
    }

    /// Removes files of the index that it does not name, and moves past their numbers. Best effort: what cannot be removed
    /// does no harm.
    pub(crate) fn sweep(&mut self, directory: &Path) -> Result<()> {
        let entries = files::read_dir(directory).map_err(io_error("read", directory))?;
        for entry in entries {
            let entry = entry.map_err(io_error("read", directory))?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            // A table of words is written under a temporary name.
            if name == NEW || name.starts_with(TEMPORARY) {
                let _left = files::remove_file(entry.path());
            }
            let Some(number) = number_of(name) else {
                continue;
            };
            let journal =
                name.ends_with(JOURNAL) && self.journal.is_some_and(|first| number >= first);
            if !journal && !self.files().any(|file| file == name) {
                let _left = files::remove_file(entry.path());
            }
            self.next_file = self.next_file.max(number.saturating_add(1));
        }
        Ok(())
    }

    /// Bytes of all files that it names, and its own.
    pub(crate) fn bytes(&self, directory: &Path) -> u64 {
        let parts = self.parts.iter().map(|part| {
            let dead = part.dead.as_ref().map_or(0, |dead| dead.bits.bytes);
            part.bytes + dead
        });
        let own = std::fs::metadata(directory.join(NAME)).map_or(0, |data| data.len());
        parts.sum::<u64>() + self.words.as_ref().map_or(0, |words| words.bytes) + own
    }
}

/// Removes the manifest of an index that came to nothing, if there is one.
pub(crate) fn remove(directory: &Path) -> std::io::Result<()> {
    files::if_there(files::remove_file(directory.join(NAME)))
}

/// Whether a directory holds an index, or at least its manifest.
pub(crate) fn exists(directory: &Path) -> bool {
    directory.join(NAME).exists()
}

fn no_index(directory: &Path) -> Error {
    let reason = if directory.is_dir() {
        "there is no index in this directory: make one with `doublet index create`"
    } else if directory.exists() {
        "it is no directory, as an index is: make one with `doublet index create`"
    } else {
        "there is no such directory: make an index with `doublet index create`"
    };
    Error::BadFile {
        path: directory.to_owned(),
        reason: reason.to_owned(),
    }
}
