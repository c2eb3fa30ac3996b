//! An index that is asked and changed at the same time, as a service needs it.
//!
//! Whoever asks takes a snapshot, an [`Index`] of its own, and waits for nobody. Changes go through a queue to one thread, the
//! keeper, which makes all that wait at once: in memory, where they are small parts like those on disk, and in the journal, which
//! is synced once for all of them. Then they are published and answered. When memory has enough of them, another thread writes
//! them into a part on disk, the manifest names it, and the journal begins anew; parts of one size are merged in the same way.

mod background;
mod fresh;
pub(super) mod journal;
mod keeper;
mod open;
mod pending;
mod place;
mod queue;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use super::manifest::{Manifest, file_name};
use super::{Answer, CheckOptions, Index, lock};
use crate::error::{Error, Result, io_error};
use background::Finished;
pub use fresh::NewDocument;
use keeper::Keeper;
use queue::{Queue, Refused};

/// The longest text or id, and the largest change with all that is made of its texts: far less than the journal has numbers for.
const LONGEST: usize = 256 << 20;
const MOST_BYTES: usize = 2 << 30;

/// How a live index behaves.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// The most documents it takes; `None`: as many as there is room for.
    pub max_documents: Option<u64>,
    /// From so many documents in memory on they are written to a part.
    pub store_documents: u64,
    /// From so many bytes of the journal on what it has is written to a part.
    pub store_bytes: u64,
    /// How long to wait before writing a part or merging, which failed, is tried again, and for changes before a part is written that
    /// could be larger.
    pub patience: Duration,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self {
            max_documents: None,
            store_documents: 16_384,
            store_bytes: 32 << 20,
            patience: Duration::from_secs(5),
        }
    }
}

/// A change that is made as a whole or not at all.
#[derive(Debug)]
pub enum Write {
    /// Adds documents; each replaces the one of the same id.
    Add(Vec<NewDocument>),
    /// Removes documents by their ids, as JSON.
    Remove(Vec<String>),
    /// Asks about each document, in order, and adds those that are no copies: of what was there before, or of those before it.
    CheckAndAdd(Vec<NewDocument>, CheckOptions),
}

/// What became of one document or id of a [`Write`], in its order.
#[derive(Debug)]
pub enum Outcome {
    /// It was added; whether it replaced another.
    Added {
        /// Whether there was a document of the same id.
        replaced: bool,
    },
    /// Whether there was one to remove.
    Removed {
        /// Whether there was a document of this id.
        found: bool,
    },
    /// What the index says of it; it was added unless it is a copy.
    Checked {
        /// What the index says.
        answer: Answer,
        /// Whether it was added.
        added: bool,
        /// Whether it replaced another.
        replaced: bool,
    },
}

/// Why a change was not made.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// Too many changes wait already: try again in a moment.
    Busy,
    /// There would be more documents than allowed.
    Full {
        /// How many are allowed.
        most: u64,
    },
    /// The index is being closed.
    Closed,
    /// The disk is full or fails, or the index is damaged. Nothing was changed.
    Failed(Error),
}

/// Figures of what goes on inside.
#[derive(Clone, Copy, Debug, Default)]
pub struct LiveFigures {
    /// Changes that wait.
    pub waiting: u64,
    /// Times that changes were synced to disk, each for as many as waited.
    pub commits: u64,
    /// Bytes of the journal.
    pub journal_bytes: u64,
    /// Documents that only the journal and memory hold so far.
    pub fresh_documents: u64,
    /// Parts that were merged away, and the seconds it took.
    pub merged_parts: u64,
    /// Seconds spent on merging.
    pub merge_seconds: f64,
    /// Whether changes are refused until the service is started again, for the disk failed.
    pub read_only: bool,
}

/// Called with what became of a change.
type Done = Box<dyn FnOnce(Result<Vec<Outcome>, WriteError>) + Send>;

/// What the keeper is asked to do.
enum Job {
    Write(Write, Done),
    Finished(Finished),
}

/// What all threads of a live index share.
struct Shared {
    published: RwLock<Arc<Index>>,
    queue: Queue<Job>,
    next_file: AtomicU64,
    /// Merges are given up.
    stop: AtomicBool,
    read_only: AtomicBool,
    commits: AtomicU64,
    journal: AtomicU64,
    fresh: AtomicU64,
    merged: AtomicU64,
    merge_micros: AtomicU64,
}

impl Shared {
    fn new(index: &Index, next_file: u64) -> Self {
        Self {
            published: RwLock::new(Arc::new(index.clone())),
            queue: Queue::new(),
            next_file: AtomicU64::new(next_file),
            stop: AtomicBool::new(false),
            read_only: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            journal: AtomicU64::new(0),
            fresh: AtomicU64::new(0),
            merged: AtomicU64::new(0),
            merge_micros: AtomicU64::new(0),
        }
    }

    fn publish(&self, index: Index) {
        let index = Arc::new(index);
        let published = self.published.write();
        let mut published = published.unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *published, index);
        drop(published);
        // Last, for it may be the last who knows some parts.
        drop(before);
    }

    fn new_number(&self) -> u64 {
        self.next_file.fetch_add(1, Ordering::Relaxed)
    }

    fn new_file(&self, kind: &str) -> String {
        file_name(self.new_number(), kind)
    }
}

/// An index that is asked and changed at the same time. Threads share it by reference; dropped, it ends like [`LiveIndex::close`].
pub struct LiveIndex {
    shared: Arc<Shared>,
    keeper: Option<JoinHandle<Result<()>>>,
}

impl std::fmt::Debug for LiveIndex {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "LiveIndex({:?})", self.snapshot().directory())
    }
}

impl LiveIndex {
    /// Opens an index to ask and change it. Changes of an earlier process that only its journal has are there too.
    ///
    /// # Errors
    /// When another process is writing to it, or as [`Index::open`].
    pub fn open(directory: &Path, options: LiveOptions) -> Result<Self> {
        // So that a directory without an index does not get a lock.
        Manifest::read(directory)?;
        let lock = lock(directory)?;
        let (index, journal, next_file) = open::recover(directory)?;
        let shared = Arc::new(Shared::new(&index, next_file));
        let keeper = Keeper::new(Arc::clone(&shared), options, index, journal, lock);
        let thread = std::thread::Builder::new().name("doublet-keeper".to_owned());
        let thread = thread.spawn(move || keeper.run());
        Ok(Self {
            shared,
            keeper: Some(thread.map_err(io_error("begin a thread for", directory))?),
        })
    }

    /// The index as it is now, with every change that was answered. Never waits for a change or a merge.
    pub fn snapshot(&self) -> Arc<Index> {
        let published = self.shared.published.read();
        Arc::clone(&published.unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes a document ready to be added: the work is done on this thread. The id is JSON.
    ///
    /// # Errors
    /// When it is too long for an index.
    pub fn document(&self, id: String, text: String) -> Result<NewDocument> {
        let longest = id.len().max(text.len());
        if longest > LONGEST {
            return Err(Error::BadFile {
                path: self.snapshot().directory.clone(),
                reason: format!(
                    "a document of {longest} bytes is too long to be added to an index in use, which takes {LONGEST}: cut it into several, or add it with `doublet index add`"
                ),
            });
        }
        NewDocument::new(&self.snapshot().model, id, text)
    }

    /// Makes a change, soon, and calls `done` when it is safe on disk and every new [`LiveIndex::snapshot`] has it. Does not
    /// wait; `done` is called on another thread, or on this one if the change is refused, and must be quick.
    pub fn submit(
        &self,
        write: Write,
        done: impl FnOnce(Result<Vec<Outcome>, WriteError>) + Send + 'static,
    ) {
        let bytes = write.bytes();
        if bytes > MOST_BYTES {
            return done(Err(WriteError::Failed(Error::BadFile {
                path: self.snapshot().directory.clone(),
                reason: format!(
                    "a change of {bytes} bytes is too large to be made at once: make several of it"
                ),
            })));
        }
        let refused = match self
            .shared
            .queue
            .push(Job::Write(write, Box::new(done)), bytes)
        {
            Ok(()) => return,
            Err(refused) => refused,
        };
        let (job, error) = match refused {
            Refused::Busy(job) => (job, WriteError::Busy),
            Refused::Closed(job) => (job, WriteError::Closed),
        };
        if let Job::Write(_, done) = job {
            done(Err(error));
        }
    }

    /// Makes a change and waits until it is safe on disk.
    ///
    /// # Errors
    /// When it was not made.
    pub fn write(&self, write: Write) -> Result<Vec<Outcome>, WriteError> {
        let (send, receive) = std::sync::mpsc::channel();
        self.submit(write, move |written| {
            let _gone = send.send(written);
        });
        receive.recv().unwrap_or(Err(WriteError::Closed))
    }

    /// What goes on inside.
    pub fn figures(&self) -> LiveFigures {
        let number = |from: &AtomicU64| from.load(Ordering::Relaxed);
        let shared = &self.shared;
        LiveFigures {
            waiting: shared.queue.len() as u64,
            commits: number(&shared.commits),
            journal_bytes: number(&shared.journal),
            fresh_documents: number(&shared.fresh),
            merged_parts: number(&shared.merged),
            merge_seconds: number(&shared.merge_micros) as f64 / 1e6,
            read_only: shared.read_only.load(Ordering::Relaxed),
        }
    }

    /// Makes the changes that wait, writes everything into parts and ends.
    ///
    /// # Errors
    /// When the disk is full or fails. What was answered is in the journal then, and there when the index is opened again.
    pub fn close(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        let Some(keeper) = self.keeper.take() else {
            return Ok(());
        };
        self.shared.queue.close();
        keeper.join().unwrap_or_else(|_panicked| {
            Err(Error::BadFile {
                path: self.snapshot().directory.clone(),
                reason: "the thread that writes to the index failed: what was answered is in its journal, and there when it is opened again".to_owned(),
            })
        })
    }
}

impl Drop for LiveIndex {
    fn drop(&mut self) {
        // Whoever wants to know calls `close`.
        let _unknown = self.end();
    }
}

impl Write {
    fn bytes(&self) -> usize {
        match self {
            Self::Add(documents) | Self::CheckAndAdd(documents, _) => {
                documents.iter().map(NewDocument::bytes).sum()
            }
            Self::Remove(ids) => ids.iter().map(|id| id.len() + 64).sum(),
        }
    }
}
