//! What is kept of a run on the way, so that it can be continued when it is interrupted.
//!
//! A stage that took long enough leaves its state in the run's directory: one file with everything that the later stages
//! need, and a manifest that names it. A newer state takes the place of the older one. Whatever happens, the manifest on disk
//! names a state that is whole; all other files are left over and are swept by the next run. A state is read back only for the same
//! options and the same files, and only after its checksum was found right.

mod manifest;
mod signature;
mod state;
mod tables;

use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{Figures, Join, JoinOptions, SketchFigures};
use crate::candidates::partition::Partitions;
use crate::error::{Error, Result, io_error};
use crate::files::{self, File};
use crate::matches::Identical;
use crate::matches::{Documents, Source};
use crate::progress::{Observer, Unit};
use manifest::Manifest;
use signature::Signature;
pub(crate) use state::{StateReader, StateWriter};

/// The file that is locked while a run goes on.
const LOCK: &str = "lock";

/// Where the state of a run is kept, and when. Clones stand for the same run.
#[derive(Clone, Debug)]
pub struct CheckpointOptions {
    /// A directory of the run's own. It is made by the join, and removed by [`CheckpointOptions::end`].
    pub directory: PathBuf,
    /// Continue from the state that is there, if any.
    pub resume: bool,
    /// The state of a stage is kept when so much time went by since the run began or a state was kept.
    pub after: Duration,
    /// The lock of the directory, from when the run begins to when it ends.
    lock: Arc<Mutex<Option<File>>>,
}

impl CheckpointOptions {
    /// Keeps the state of a run in this directory.
    pub fn new(directory: PathBuf, resume: bool, after: Duration) -> Self {
        Self {
            directory,
            resume,
            after,
            lock: Arc::default(),
        }
    }

    /// Whether there is a state to continue from.
    pub fn is_kept(&self) -> bool {
        manifest::exists(&self.directory)
    }

    /// Removes what is left of an earlier run.
    ///
    /// # Errors
    /// When that run still goes on, or its files cannot be removed.
    pub(crate) fn discard(&self) -> Result<()> {
        self.begin()?;
        self.end(true)
    }

    /// Makes the directory this run's own until it ends.
    fn begin(&self) -> Result<()> {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        // A run that was tried before and did not end is over.
        *lock = None;
        make(&self.directory)?;
        let path = self.directory.join(LOCK);
        let file = File::create(&path).map_err(io_error("write", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Resume(format!(
                    "`{}` is in use by a run that goes on: wait until it is done, or name another output",
                    self.directory.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(io_error("lock", &path)(error)),
        }
        *lock = Some(file);
        Ok(())
    }

    /// Removes the directory when the run is done. When it is not, the directory stays if it has a state to continue from. Does
    /// nothing if the run never began: what is there is another's.
    ///
    /// # Errors
    /// When the run is done and the directory cannot be removed.
    pub fn end(&self, done: bool) -> Result<()> {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(_held) = lock.take() else {
            return Ok(());
        };
        if done || !self.is_kept() {
            let removed = remove(&self.directory);
            return if done { removed } else { Ok(()) };
        }
        manifest::sweep_unnamed(&self.directory);
        Ok(())
    }
}

/// Makes the directory of a run, if it is not there.
fn make(directory: &Path) -> Result<()> {
    match files::create_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map_err(io_error("create", directory)),
    }
}

/// Removes the directory of a run, the manifest first: without it the other files are nothing. Files of anybody else stay, and the
/// directory with them.
fn remove(directory: &Path) -> Result<()> {
    manifest::remove(directory)?;
    manifest::sweep_all(directory, None)?;
    let lock = directory.join(LOCK);
    files::if_there(files::remove_file(&lock)).map_err(io_error("remove", &lock))?;
    files::if_there(files::remove_dir(directory)).map_err(io_error("remove", directory))
}

/// What a kept state holds, besides the table of documents, which is in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    /// The texts are read: what the plan made of them.
    Read,
    /// The candidates are found: these, and the matches of an earlier round.
    Candidates,
    /// The matches.
    Matches,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Candidates => "candidates",
            Self::Matches => "matches",
        }
    }

    /// What is done once this state is there.
    fn done(self) -> &'static str {
        match self {
            Self::Read => "the texts were read",
            Self::Candidates => "candidates were found",
            Self::Matches => "matches were verified",
        }
    }
}

/// The figures of a run that go into a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct KeptFigures {
    candidates: u64,
    verifications: u64,
    spanning: bool,
    transitivity: bool,
    saved: u64,
    added_up: u64,
    sketches: Option<SketchFigures>,
}

impl KeptFigures {
    fn of(figures: &Figures) -> Self {
        Self {
            candidates: figures.candidates,
            verifications: figures.verifications,
            spanning: figures.spanning,
            transitivity: figures.transitivity,
            saved: figures.saved,
            added_up: figures.added_up,
            sketches: figures.sketches,
        }
    }

    fn figures(self) -> Figures {
        Figures {
            candidates: self.candidates,
            verifications: self.verifications,
            spanning: self.spanning,
            transitivity: self.transitivity,
            partly_compared: 0,
            // Runs by terms have no checkpoints.
            term_search: None,
            saved: self.saved,
            added_up: self.added_up,
            sketches: self.sketches,
            blocks: None,
            stages: Vec::new(),
        }
    }
}

/// A state that was kept, open behind the table of documents.
pub(crate) struct Kept {
    pub(crate) stage: Stage,
    pub(crate) figures: Figures,
    pub(crate) tables: Tables,
    pub(crate) state: StateReader,
}

/// What every plan knows of the texts when they are read.
pub(crate) struct Tables {
    pub(crate) documents: Documents,
    pub(crate) identical: Identical,
}

/// What a plan makes of its reading besides the tables, as it is kept.
pub(crate) trait Saved: Sized {
    /// Writes it.
    fn save(&self, tables: &Tables, state: &mut StateWriter) -> Result<()>;

    /// What an interrupted run wrote.
    fn restore(tables: &mut Tables, state: &mut StateReader, join: &Join<'_>) -> Result<Self>;
}

/// The directory of a run under way.
pub(crate) struct Checkpoint {
    directory: PathBuf,
    after: Duration,
    since: Instant,
    signature: Signature,
}

impl Checkpoint {
    /// Makes the directory ready, and reads the state that is to be continued.
    pub(crate) fn open(
        source: &Source,
        options: &JoinOptions,
        observer: &dyn Observer,
    ) -> Result<(Option<Self>, Option<Kept>)> {
        let Some(given) = &options.checkpoint else {
            return Ok((None, None));
        };
        let directory = &given.directory;
        if given.is_kept() && !given.resume {
            return Err(Error::Resume(format!(
                "`{0}` has the state of a run that was interrupted: continue it with `--resume`, or remove `{0}` to start anew",
                directory.display()
            )));
        }
        if source.is_fleeting() {
            return match given.resume {
                true => Err(Error::Resume(
                    "`--resume`: standard input (`-`) or data in memory is gone and cannot be read again: give files, or run without `--resume`".to_owned(),
                )),
                false => Ok((None, None)),
            };
        }
        given.begin()?;
        let method = options.matching.method;
        if !method.info().resumes {
            if given.resume {
                let note =
                    format!("the method `{method}` keeps no state: starting from the beginning");
                observer.note(&note);
            }
            return Ok((None, None));
        }
        let checkpoint = Self {
            directory: directory.clone(),
            after: given.after,
            since: Instant::now(),
            signature: Signature::of(source, options),
        };
        let kept = match given.resume {
            true => checkpoint.continued(source, observer)?,
            false => None,
        };
        let file = kept.as_ref().map(|(manifest, _)| manifest.file());
        manifest::sweep(directory, file);
        Ok((Some(checkpoint), kept.map(|(_, kept)| kept)))
    }

    /// The state that is there, if there is one; nothing but the very same run can use it.
    fn continued(
        &self,
        source: &Source,
        observer: &dyn Observer,
    ) -> Result<Option<(Manifest, Kept)>> {
        let Some(manifest) = Manifest::read(&self.directory)? else {
            observer.note("no state of an interrupted run is there: starting from the beginning");
            return Ok(None);
        };
        manifest
            .signature
            .ensure_same(&self.signature, &self.directory)?;
        let mut state = manifest.open(&self.directory)?;
        let documents = Documents::restore(&mut state)?;
        let identical = Identical::restore(&mut state, documents.len())?;
        observer.note(&format!(
            "continuing an interrupted run: {} already",
            manifest.stage.done()
        ));
        source.unpack(observer)?;
        let kept = Kept {
            stage: manifest.stage,
            figures: manifest.figures.figures(),
            tables: Tables {
                documents,
                identical,
            },
            state,
        };
        Ok(Some((manifest, kept)))
    }

    /// Writes a state and makes it the one to continue from.
    fn write(
        &mut self,
        stage: Stage,
        figures: &Figures,
        write: &mut dyn FnMut(&mut StateWriter) -> Result<()>,
    ) -> Result<()> {
        let mut state = StateWriter::create(&self.directory)?;
        write(&mut state)?;
        let state = state.finish(&self.directory, stage.name())?;
        let manifest = Manifest::new(stage, KeptFigures::of(figures), &self.signature, state);
        manifest.commit(&self.directory)?;
        manifest::sweep(&self.directory, Some(manifest.file()));
        Ok(())
    }
}

impl Join<'_> {
    /// Keeps the tables of documents and copies and what `write` adds to them, if enough time went by since the last time.
    pub(crate) fn keep(
        &mut self,
        stage: Stage,
        figures: &Figures,
        (documents, identical): (&Documents, &Identical),
        write: impl Fn(&mut StateWriter) -> Result<()>,
    ) -> Result<()> {
        let Some(checkpoint) = &mut self.checkpoint else {
            return Ok(());
        };
        if checkpoint.since.elapsed() < checkpoint.after {
            return Ok(());
        }
        self.observer
            .stage("keeping the state", None, Unit::Count("states"));
        let written = checkpoint.write(stage, figures, &mut |state| {
            documents.save(state)?;
            identical.save(state)?;
            write(state)
        });
        checkpoint.since = Instant::now();
        if let Err(error) = written {
            // The run can do without.
            manifest::sweep_unnamed(&checkpoint.directory);
            self.observer.note(&format!(
                "the state of the run could not be kept, and it goes on without: {error}"
            ));
        }
        Ok(())
    }

    /// What an interrupted run read, or else what `read` reads, which is kept.
    pub(crate) fn reading<T: Saved>(
        &mut self,
        read: impl FnOnce(&Self, &mut Figures) -> Result<(Tables, T)>,
    ) -> Result<(Tables, T)> {
        if let Some(kept) = self.kept.take_if(|kept| kept.stage == Stage::Read) {
            let Kept {
                mut tables,
                mut state,
                ..
            } = kept;
            let saved = T::restore(&mut tables, &mut state, self)?;
            return Ok((tables, saved));
        }
        let mut figures = std::mem::take(&mut self.figures);
        let (tables, done) = read(self, &mut figures)?;
        self.figures = figures;
        let both = (&tables.documents, &tables.identical);
        self.keep(Stage::Read, &Figures::default(), both, |state| {
            done.save(&tables, state)
        })?;
        Ok((tables, done))
    }

    /// The partitions of an interrupted run, which keep up to `budget` bytes in memory.
    pub(super) fn partitions_of(&self, state: &mut StateReader, budget: u64) -> Result<Partitions> {
        state.partitions(budget, self.temporary.path())
    }
}
