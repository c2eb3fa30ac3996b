//! The index: sources that live on disk, so that any text can be asked about at once.
//!
//! A directory. Parts hold the documents and lead from fingerprints to them; they are immutable, mapped into memory, and
//! every page of them is checked before it is believed. The manifest names the parts of the last commit and is replaced as a
//! whole. An [`Index`] is a snapshot: it goes on seeing the commit it was opened at, whatever a writer does. An [`IndexWriter`] is
//! the only one at a time.

mod add;
mod check;
mod checked;
mod list;
mod live;
mod manifest;
mod model;
mod opened;
mod part;
mod snapshot;
mod store;
mod stored;
mod verify;
mod writer;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use add::{AddOptions, Added};
pub use check::{
    Answer, CheckOptions, CheckScratch, CheckedRecord, Checker, Checking, FoundSource, Named,
    Passage, check_collection,
};
pub use live::{LiveFigures, LiveIndex, LiveOptions, NewDocument, Outcome, Write, WriteError};
pub use manifest::FORMAT;
pub use snapshot::snapshot;
use stored::no_index;
pub use stored::{IndexOptions, SETTLED};
pub use verify::verify;
pub use writer::IndexWriter;

use crate::error::{Error, Result, io_error};
use crate::files::File;
use crate::method::sentences::common::CommonWords;
use crate::method::shingles::Preparer;
use crate::method::terms::background::Background;
use crate::method::terms::{Language, TermOptions, segment_signature};
use crate::method::{Explanation, FittedMethod, Method, sentences};
use check::{BandTexts, TermTexts};
use manifest::{Manifest, path_of};
use model::Model;
use opened::OpenPart;
use part::TextScratch;

/// How often a reader looks again when a file went away under it: a writer committed in between.
const TRIES: usize = 100;

/// An index at one commit. Any number of threads may ask it.
#[derive(Clone, Debug)]
pub struct Index {
    directory: PathBuf,
    /// The last commit on disk.
    manifest: Arc<Manifest>,
    options: Arc<IndexOptions>,
    model: Arc<Model>,
    /// Files first, then what only memory has.
    parts: Vec<OpenPart>,
    /// Number of the last change: that of the manifest, and one more for each in the journal.
    commit: u64,
    /// Changes since it was opened.
    changes: u64,
}

/// What an index keeps of a document.
#[derive(Clone, Debug)]
pub struct StoredDocument {
    /// Its text, where texts are kept.
    pub text: Option<String>,
}

/// Figures of an index.
#[derive(Clone, Debug)]
pub struct Info {
    /// How the index sees texts, in words.
    pub options: serde_json::Value,
    /// Version of the format it has on disk.
    pub format: u32,
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
        let journal = manifest.journal;
        let mut index = Self::with_model(directory, manifest, Arc::new(options), model)?;
        if let Some(first) = journal {
            index.replay(first)?;
        }
        Ok(index)
    }

    /// The index without what its journal has.
    fn with_model(
        directory: &Path,
        manifest: Manifest,
        options: Arc<IndexOptions>,
        model: Arc<Model>,
    ) -> Result<Self> {
        let parts = manifest.parts.iter();
        let parts: Result<Vec<OpenPart>> = parts
            .map(|entry| OpenPart::open(directory, entry))
            .collect();
        Ok(Self {
            directory: directory.to_owned(),
            parts: parts?,
            commit: manifest.commit,
            changes: 0,
            manifest: Arc::new(manifest),
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
        let parts = &self.parts;
        let sum = |each: fn(&OpenPart) -> u64| parts.iter().map(each).sum::<u64>();
        let held = parts.iter().filter(|part| part.entry.is_none());
        let held: u64 = held.map(|part| part.part.bytes()).sum();
        Info {
            options: self.manifest.options.to_json(),
            format: self.manifest.format(),
            commit: self.commit,
            documents: self.documents(),
            dead: sum(|part| u64::from(part.dead())),
            entries: sum(|part| part.part.postings()),
            sentences: sum(|part| part.sentences()),
            common_words: match &*self.model {
                Model::Sentences(fitted) => fitted.fingerprinter.common().forms().len() as u64,
                Model::Shingles(_) | Model::Bands(_) | Model::Terms(_) => 0,
            },
            parts: parts.len() as u64,
            bytes: self.manifest.bytes(&self.directory) + held,
        }
    }

    /// Documents that can be found.
    pub fn documents(&self) -> u64 {
        self.parts.iter().map(|part| u64::from(part.live())).sum()
    }

    /// Number of the last commit.
    pub fn commit(&self) -> u64 {
        self.commit
    }

    /// Changes of its documents since it was opened: two snapshots with the same number have the same ones.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// The words that are left out because they are common, in order.
    pub fn common_words(&self) -> &[String] {
        match &*self.model {
            Model::Sentences(fitted) => fitted.fingerprinter.common().forms(),
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

    /// The document of an id, as JSON.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn document(&self, id: &str) -> Result<Option<StoredDocument>> {
        for part in &self.parts {
            for number in part.part.numbers_of(id)? {
                if !part.is_dead(number) {
                    let mut scratch = TextScratch::default();
                    let text = part.part.text(number, &mut scratch)?.map(str::to_owned);
                    return Ok(Some(StoredDocument { text }));
                }
            }
        }
        Ok(None)
    }

    /// How it makes and weighs terms, with its table of frequencies, where it does.
    pub fn terms(&self) -> Option<TermOptions> {
        match &*self.model {
            Model::Terms(terms) => Some(terms.options().clone()),
            Model::Sentences(_) | Model::Shingles(_) | Model::Bands(_) => None,
        }
    }

    /// Two texts side by side, as this index sees them.
    ///
    /// # Errors
    /// When the texts have too many words.
    pub fn explain(&self, a: &str, b: &str) -> Result<Explanation> {
        Ok(match &*self.model {
            Model::Sentences(fitted) => fitted.explain(a, b),
            Model::Shingles(preparer) => preparer.explain(a, b),
            Model::Bands(bands) => bands.preparer().explain(a, b),
            Model::Terms(terms) => terms.explain(a, b)?,
        })
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
fn open_model(directory: &Path, manifest: &Manifest, settled: &IndexOptions) -> Result<Model> {
    let options = &settled.matching;
    let words = match &manifest.words {
        Some(entry) => Some((entry.path(directory)?, entry.read(directory)?)),
        None => None,
    };
    match options.method {
        Method::Simhash => Err(without_index(directory, options.method)),
        #[cfg(test)]
        Method::Dummy => Err(without_index(directory, options.method)),
        Method::Shingles => {
            let preparer = Preparer::new(&options.normalize, &options.shingle)?;
            Ok(Model::Shingles(preparer))
        }
        Method::Minhash => Ok(Model::Bands(Box::new(BandTexts::new(settled)?))),
        Method::Sentences | Method::Imatch => {
            let common = match words {
                None => CommonWords::default(),
                Some((path, bytes)) => {
                    let text = String::from_utf8(bytes).map_err(|_| manifest::damaged(&path))?;
                    CommonWords::new(text.lines().map(str::to_owned).collect())
                }
            };
            let fitted = sentences::Fitted::new(options, Arc::new(common));
            Ok(Model::Sentences(fitted))
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

fn without_index(directory: &Path, method: Method) -> Error {
    Error::BadFile {
        path: directory.to_owned(),
        reason: no_index(method),
    }
}

/// Takes the lock of an index; it is given back when the file is dropped, and by the system when the process ends.
fn lock(directory: &Path) -> Result<File> {
    let path = directory.join("lock");
    let file = File::open_or_create(&path).map_err(io_error("write to", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::BadFile {
            path: directory.to_owned(),
            reason: "another process is writing to this index: wait until it is done, or change it through the service (`--server URL`) if one is running on it; reading is possible meanwhile".to_owned(),
        }),
        Err(std::fs::TryLockError::Error(error)) => Err(io_error("lock", &path)(error)),
    }
}
