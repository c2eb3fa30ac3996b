//! The index: sources that live on disk, so that any text can be asked about at once.
//!
//! A directory. Parts hold the documents and lead from fingerprints to them; they are immutable, mapped into memory, and
//! every page of them is checked before it is believed. The manifest names the parts of the last commit and is replaced as a
//! whole. An [`Index`] is a snapshot: it goes on seeing the commit it was opened at, whatever a writer does. An [`IndexWriter`] is
//! the only one at a time.

mod add;
mod check;
mod checked;
mod manifest;
mod model;
mod part;
mod stored;
mod verify;
mod writer;

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use add::{AddOptions, Added};
pub use check::{
    Answer, CheckOptions, CheckedRecord, Checker, Checking, FoundSource, Named, Passage,
    check_collection,
};
pub use manifest::FORMAT;
pub use stored::IndexOptions;
pub use verify::verify;
pub use writer::IndexWriter;

use crate::error::{Error, Result, io_error};
use crate::method::Method;
use crate::prepare::Preparer;
use crate::sentences::common::CommonWords;
use crate::terms::background::Background;
use crate::terms::{Language, segment_signature};
use check::{BandTexts, TermTexts};
use manifest::{Manifest, PartEntry, path_of};
use model::Model;
use part::{Part, TextScratch};

/// How often a reader looks again when a file went away under it: a writer committed in between.
const TRIES: usize = 100;

/// An index at one commit. Any number of threads may ask it.
#[derive(Debug)]
pub struct Index {
    directory: PathBuf,
    manifest: Manifest,
    options: IndexOptions,
    model: Arc<Model>,
    parts: Vec<OpenPart>,
}

/// A part with its dead documents.
#[derive(Debug)]
struct OpenPart {
    part: Part,
    /// One bit a document; empty if none is dead.
    dead: Vec<u8>,
}

impl OpenPart {
    fn open(directory: &Path, entry: &PartEntry) -> Result<Self> {
        let path = path_of(directory, &entry.file)?;
        let part = Part::open(&path, &entry.facts())?;
        if part.checksum() != entry.checksum {
            return Err(part.damaged("it is not the file that the index was made with"));
        }
        let dead = match &entry.dead {
            None => Vec::new(),
            Some(dead) => {
                let bits = dead.bits.read(directory)?;
                let count: u32 = bits.iter().map(|byte| byte.count_ones()).sum();
                if bits.len() != dead_bytes(entry.documents) || count != dead.count {
                    return Err(manifest::damaged(&dead.bits.path(directory)?));
                }
                bits
            }
        };
        Ok(Self { part, dead })
    }

    #[inline]
    fn is_dead(&self, document: u32) -> bool {
        let byte = self.dead.get(document as usize / 8);
        byte.is_some_and(|byte| byte & (1 << (document % 8)) != 0)
    }
}

/// Bytes of the dead bits of so many documents.
fn dead_bytes(documents: u32) -> usize {
    documents.div_ceil(8) as usize
}

/// Figures of an index.
#[derive(Clone, Debug)]
pub struct Info {
    /// How the index sees texts, in words.
    pub options: serde_json::Value,
    /// Number of the last commit.
    pub commit: u64,
    /// Documents that can be found.
    pub documents: u64,
    /// Documents that were removed or replaced, and are still on disk.
    pub dead: u64,
    /// Fingerprints, each time one occurs; those of dead documents too.
    pub entries: u64,
    /// Fingerprints of sentences among them; the others stand for whole texts.
    pub sentences: u64,
    /// Words that are left out because they are common.
    pub common_words: u64,
    /// Immutable files the index consists of.
    pub parts: u64,
    /// Size on disk.
    pub bytes: u64,
}

impl Index {
    /// Opens the last commit.
    ///
    /// # Errors
    /// When there is no index, it is damaged, or another version made it.
    pub fn open(directory: &Path) -> Result<Self> {
        let mut last = Self::open_once(directory);
        for _ in 0..TRIES {
            match last {
                Err((Some(commit), error)) if is_gone(&error) => {
                    let now = Manifest::read(directory)?.commit;
                    if now == commit {
                        return Err(error);
                    }
                    last = Self::open_once(directory);
                }
                other => return other.map_err(|(_, error)| error),
            }
        }
        last.map_err(|(_, error)| error)
    }

    /// Opens what the manifest names at this moment; an error comes with the commit it belongs to.
    fn open_once(directory: &Path) -> std::result::Result<Self, (Option<u64>, Error)> {
        let manifest = Manifest::read(directory).map_err(|error| (None, error))?;
        let commit = manifest.commit;
        Self::of(directory, manifest).map_err(|error| (Some(commit), error))
    }

    fn of(directory: &Path, manifest: Manifest) -> Result<Self> {
        let options = manifest
            .options
            .resolve()
            .map_err(|reason| Error::BadFile {
                path: directory.to_owned(),
                reason,
            })?;
        let model = Arc::new(open_model(directory, &manifest, &options)?);
        Self::with_model(directory, manifest, options, model)
    }

    fn with_model(
        directory: &Path,
        manifest: Manifest,
        options: IndexOptions,
        model: Arc<Model>,
    ) -> Result<Self> {
        let parts = manifest.parts.iter();
        let parts: Result<Vec<OpenPart>> = parts
            .map(|entry| OpenPart::open(directory, entry))
            .collect();
        Ok(Self {
            directory: directory.to_owned(),
            parts: parts?,
            manifest,
            options,
            model,
        })
    }

    /// How it sees texts.
    pub fn options(&self) -> &IndexOptions {
        &self.options
    }

    /// Where it lies.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Its figures.
    pub fn info(&self) -> Info {
        let parts = &self.manifest.parts;
        let sum = |each: fn(&PartEntry) -> u64| parts.iter().map(each).sum::<u64>();
        let documents = sum(|part| u64::from(part.live()));
        Info {
            options: self.manifest.options.to_json(),
            commit: self.manifest.commit,
            documents,
            dead: sum(|part| u64::from(part.documents)) - documents,
            entries: sum(|part| part.postings),
            sentences: sum(|part| part.sentences),
            common_words: match &*self.model {
                Model::Sentences(fingerprinter) => fingerprinter.common().forms().len() as u64,
                Model::Shingles(_) | Model::Bands(_) | Model::Terms(_) => 0,
            },
            parts: parts.len() as u64,
            bytes: self.manifest.bytes(&self.directory),
        }
    }

    /// The words that are left out because they are common, in order.
    pub fn common_words(&self) -> &[String] {
        match &*self.model {
            Model::Sentences(fingerprinter) => fingerprinter.common().forms(),
            Model::Shingles(_) | Model::Bands(_) | Model::Terms(_) => &[],
        }
    }

    /// Whether a document of this id is in it.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn contains(&self, id: &str) -> Result<bool> {
        for part in &self.parts {
            let numbers = part.part.numbers_of(id)?;
            if numbers.iter().any(|&number| !part.is_dead(number)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Calls `each` with the id of every document, in the order in which they were added, and its text where texts are kept.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn for_each_document(
        &self,
        mut each: impl FnMut(&str, Option<&str>) -> Result<()>,
    ) -> Result<()> {
        let mut scratch = TextScratch::default();
        for part in &self.parts {
            for number in 0..part.part.documents() {
                if !part.is_dead(number) {
                    let row = part.part.document(number)?;
                    each(row.id, part.part.text(number, &mut scratch)?)?;
                }
            }
        }
        Ok(())
    }
}

fn is_gone(error: &Error) -> bool {
    matches!(error, Error::Io { cause, .. } if cause.kind() == ErrorKind::NotFound)
}

/// What turns texts into keys, as far as the manifest has settled it.
fn open_model(directory: &Path, manifest: &Manifest, options: &IndexOptions) -> Result<Model> {
    let words = match &manifest.words {
        Some(entry) => Some((entry.path(directory)?, entry.read(directory)?)),
        None => None,
    };
    match options.method {
        Method::Shingles | Method::Simhash => {
            let preparer = Preparer::new(&options.normalize, &options.shingle)?;
            Ok(Model::Shingles(preparer))
        }
        Method::Minhash => Ok(Model::Bands(Box::new(BandTexts::new(options)?))),
        Method::Sentences | Method::Imatch => {
            let common = match words {
                None => CommonWords::default(),
                Some((path, bytes)) => {
                    let text = String::from_utf8(bytes).map_err(|_| manifest::damaged(&path))?;
                    CommonWords::new(text.lines().map(str::to_owned).collect())
                }
            };
            let sentences = &options.sentences;
            let fingerprinter =
                sentences.fingerprinter(options.method, &options.normalize, Arc::new(common));
            Ok(Model::Sentences(fingerprinter))
        }
        Method::Terms => {
            let mut terms = options.terms.clone();
            if let Some((path, _)) = words {
                let signature = segment_signature(&options.normalize, &terms);
                terms.background = Some(Arc::new(Background::read(&path, &signature)?));
            }
            let fallback = manifest.options.fallback.as_deref();
            let fallback = fallback.and_then(Language::from_code);
            Ok(Model::Terms(Box::new(TermTexts::new(
                &options.normalize,
                terms,
                fallback.unwrap_or_default(),
            ))))
        }
    }
}

/// Takes the lock of an index; it is given back when the file is dropped, and by the system when the process ends.
fn lock(directory: &Path) -> Result<File> {
    let path = directory.join("lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(io_error("write to", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::BadFile {
            path: directory.to_owned(),
            reason: "another process is writing to this index: wait until it is done; reading is possible meanwhile".to_owned(),
        }),
        Err(std::fs::TryLockError::Error(error)) => Err(io_error("lock", &path)(error)),
    }
}
