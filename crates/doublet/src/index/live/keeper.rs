//! The one thread that changes a live index: takes all changes that wait, makes them in memory, syncs them to the journal at once,
//! and lets them be seen. What takes longer, writing parts and merging them, others do from snapshots; this thread puts what they
//! made in place.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::super::writer::worth_merging;
use super::super::{CheckScratch, Index, OpenPart};
use super::background::{self, Finished};
use super::fresh::NewDocument;
use super::journal::{Entry, Frames, Journal};
use super::pending::Pending;
use super::place::{files, place_merged, place_stored};
use super::{Done, Job, LiveOptions, Outcome, Shared, Write, WriteError};
use crate::error::{Error, Result};
use crate::files::File;

/// So many times what is worth a part, and changes wait until one is written, or are refused if none can be.
const AHEAD: u64 = 4;
/// A part of so many dead documents at least, more than it has live ones, is written anew without them.
const MANY_DEAD: u32 = 1024;

/// What became of a change, and whom to tell.
type Told = (Done, Result<Vec<Outcome>, WriteError>);

pub(super) struct Keeper {
    pub(super) shared: Arc<Shared>,
    pub(super) options: LiveOptions,
    /// With changes that are not synced yet.
    pub(super) index: Index,
    pub(super) journal: Journal,
    pub(super) lock: File,
    frames: Frames,
    scratch: CheckScratch,
    pending: Pending,
    /// Parts from here on may be merged in memory; those before are files, or about to be.
    frozen: usize,
    storing: Option<JoinHandle<()>>,
    merging: Option<JoinHandle<()>>,
    /// Parts were merged, or read from a journal: the manifest should learn of it.
    store_wanted: bool,
    /// Bytes of the journals before this one that are in no part.
    earlier_bytes: u64,
    retry_at: Option<Instant>,
    /// Why the last part could not be written.
    store_error: Option<Error>,
    /// The journal is not what it should be: nothing more is written to it.
    broken: Option<String>,
}

impl Keeper {
    pub(super) fn new(
        shared: Arc<Shared>,
        options: LiveOptions,
        index: Index,
        journal: Journal,
        lock: File,
    ) -> Self {
        let files = files(&index.parts);
        Self {
            shared,
            options,
            journal,
            lock,
            frames: Frames::default(),
            scratch: CheckScratch::default(),
            pending: Pending::default(),
            frozen: files,
            storing: None,
            merging: None,
            store_wanted: files < index.parts.len(),
            index,
            earlier_bytes: 0,
            retry_at: None,
            store_error: None,
            broken: None,
        }
    }

    /// Makes changes until the queue is closed, then writes everything into parts.
    pub(super) fn run(mut self) -> Result<()> {
        let _told = TellEnd(Arc::clone(&self.shared));
        self.begin_background();
        while let Some(jobs) = self.shared.queue.take(self.options.patience) {
            // Nobody changes anything: time to make the journal short, which is read at every start.
            self.store_wanted |= jobs.is_empty() && self.is_worth_an_idle_moment();
            self.jobs(jobs);
            self.begin_background();
            self.wait_if_far_ahead();
            self.tell_figures();
        }
        self.end()
    }

    fn jobs(&mut self, jobs: Vec<Job>) {
        let mut writes = Vec::with_capacity(jobs.len());
        for job in jobs {
            match job {
                Job::Write(write, done) => writes.push((write, done)),
                Job::Finished(finished) => self.install(finished),
            }
        }
        if !writes.is_empty() {
            self.group(writes);
        }
    }

    /// Makes changes, syncs them together and tells everybody.
    fn group(&mut self, writes: Vec<(Write, Done)>) {
        let before = self.index.clone();
        self.frames.clear();
        let mut told: Vec<Told> = Vec::with_capacity(writes.len());
        let mut failed = match (&self.broken, &self.store_error) {
            (Some(reason), _) => Err(self.failure(reason)),
            (None, Some(error)) if self.is_far_ahead() => Err(self.again(error)),
            _ => Ok(()),
        };
        for (write, done) in writes {
            let outcome = match &failed {
                Ok(()) => self.apply(write),
                // Nothing of the group is made.
                Err(_) => Ok(Vec::new()),
            };
            match outcome {
                Err(WriteError::Failed(error)) => {
                    failed = Err(error);
                    told.push((done, Ok(Vec::new())));
                }
                outcome => told.push((done, outcome)),
            }
        }
        let made = failed
            .and_then(|()| self.settle())
            .and_then(|()| self.sync());
        match made {
            Ok(()) if self.frames.is_empty() => {}
            Ok(()) => self.publish(),
            Err(error) => {
                self.pending.clear();
                self.index = before;
                for (_, outcome) in told.iter_mut().filter(|(_, outcome)| outcome.is_ok()) {
                    *outcome = Err(WriteError::Failed(self.again(&error)));
                }
            }
        }
        for (done, outcome) in told {
            done(outcome);
        }
    }

    fn failure(&self, reason: &str) -> Error {
        Error::BadFile {
            path: self.index.directory.clone(),
            reason: reason.to_owned(),
        }
    }

    /// The same error for someone else.
    fn again(&self, error: &Error) -> Error {
        match error {
            Error::Io { doing, path, cause } => Error::Io {
                doing,
                path: path.clone(),
                cause: match cause.raw_os_error() {
                    Some(code) => std::io::Error::from_raw_os_error(code),
                    None => cause.kind().into(),
                },
            },
            other => self.failure(&other.to_string()),
        }
    }

    /// Makes one change in memory and in the frames.
    fn apply(&mut self, write: Write) -> Result<Vec<Outcome>, WriteError> {
        match write {
            Write::Add(documents) => self.add(documents),
            Write::Remove(ids) => self.remove(&ids).map_err(WriteError::Failed),
            Write::CheckAndAdd(documents, options) => {
                self.settle().map_err(WriteError::Failed)?;
                let mut outcomes = Vec::with_capacity(documents.len());
                let mut added = Vec::new();
                // If there is no room for one, those before it go too.
                let before = self.index.clone();
                for document in &documents {
                    let checked = self.check_and_add(document, &options);
                    let outcome = checked.inspect_err(|_| self.index = before.clone())?;
                    if matches!(outcome, Outcome::Checked { added: true, .. }) {
                        added.push(document);
                    }
                    outcomes.push(outcome);
                }
                if !added.is_empty() {
                    self.frames.push(added.into_iter().map(added_entry));
                    self.count_change();
                }
                Ok(outcomes)
            }
        }
    }

    fn count_change(&mut self) {
        self.index.commit += 1;
        self.index.changes += 1;
    }

    fn add(&mut self, documents: Vec<NewDocument>) -> Result<Vec<Outcome>, WriteError> {
        let mut outcomes = Vec::with_capacity(documents.len());
        let mut more = 0;
        let mut own = std::collections::HashSet::new();
        for document in &documents {
            let known = self
                .index
                .contains(document.id())
                .map_err(WriteError::Failed)?;
            let replaced = known || self.pending.has(document.id()) || own.contains(document.id());
            more += u64::from(!replaced);
            own.insert(document.id());
            outcomes.push(Outcome::Added { replaced });
        }
        drop(own);
        self.expect_room(more)?;
        if !documents.is_empty() {
            self.frames.push(documents.iter().map(added_entry));
            self.count_change();
        }
        self.pending.add(documents, more);
        Ok(outcomes)
    }

    fn remove(&mut self, ids: &[String]) -> Result<Vec<Outcome>> {
        self.settle()?;
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.push(self.index.kill(id)?);
        }
        if found.contains(&true) {
            let gone = ids.iter().zip(&found).filter(|(_, found)| **found);
            self.frames.push(gone.map(|(id, _)| Entry::Removed { id }));
            self.count_change();
        }
        let outcomes = found.into_iter().map(|found| Outcome::Removed { found });
        Ok(outcomes.collect())
    }

    fn check_and_add(
        &mut self,
        document: &NewDocument,
        options: &super::CheckOptions,
    ) -> Result<Outcome, WriteError> {
        let checked = self
            .index
            .check(document.text(), options, &mut self.scratch);
        let answer = checked.map_err(WriteError::Failed)?;
        let (mut added, mut replaced) = (false, false);
        if !answer.duplicate {
            replaced = self
                .index
                .contains(document.id())
                .map_err(WriteError::Failed)?;
            self.expect_room(u64::from(!replaced))?;
            let made = self.index.add_fresh(&[document]);
            let made = made.and_then(|()| self.index.merge_fresh(self.frozen));
            made.map_err(WriteError::Failed)?;
            added = true;
        }
        Ok(Outcome::Checked {
            answer,
            added,
            replaced,
        })
    }

    fn expect_room(&self, more: u64) -> Result<(), WriteError> {
        let Some(most) = self.options.max_documents else {
            return Ok(());
        };
        match self.index.documents() + self.pending.more() + more <= most || more == 0 {
            true => Ok(()),
            false => Err(WriteError::Full { most }),
        }
    }

    /// Makes a part of the documents that wait to be one.
    fn settle(&mut self) -> Result<()> {
        let documents = self.pending.take();
        let documents: Vec<&NewDocument> = documents.iter().collect();
        self.index.add_fresh(&documents)?;
        self.index.merge_fresh(self.frozen)
    }

    /// Syncs what was made; nothing was if there is no frame.
    fn sync(&mut self) -> Result<()> {
        if self.frames.is_empty() {
            return Ok(());
        }
        let synced = self.journal.append(&mut self.frames);
        synced.map_err(|failed| {
            if failed.broken {
                self.broken = Some(format!(
                    "changes are refused since the journal could not be written ({}): mend the disk and start again; what was answered is safe",
                    failed.cause
                ));
                self.shared.read_only.store(true, Ordering::Relaxed);
            }
            failed.cause
        })?;
        self.shared.commits.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn publish(&self) {
        self.shared.publish(self.index.clone());
    }

    fn tell_figures(&self) {
        let fresh = self.index.parts.iter().skip(files(&self.index.parts));
        let fresh: u64 = fresh.map(|part| u64::from(part.live())).sum();
        self.shared.fresh.store(fresh, Ordering::Relaxed);
        self.shared
            .journal
            .store(self.journal.bytes(), Ordering::Relaxed);
    }

    /// Begins what is worth doing on the side.
    fn begin_background(&mut self) {
        if self.retry_at.is_some_and(|at| Instant::now() < at) {
            return;
        }
        self.retry_at = None;
        if self.storing.is_none() && (self.store_wanted || self.is_worth_a_part()) {
            self.begin_store();
        }
        let quiet = self.storing.is_none() && !self.store_wanted;
        if self.merging.is_none() && quiet {
            self.begin_merge();
        }
    }

    /// Whether enough came since the last part was begun.
    fn is_worth_a_part(&self) -> bool {
        documents(&self.index.parts[self.frozen..]) >= self.options.store_documents
            || self.journal.bytes() >= self.options.store_bytes
    }

    /// Whether enough came to write it while there is nothing else to do.
    fn is_worth_an_idle_moment(&self) -> bool {
        self.storing.is_none()
            && (documents(&self.index.parts[self.frozen..]) >= self.options.store_documents / 16
                || self.journal.bytes() >= self.options.store_bytes / 16)
    }

    /// Whether memory and journals have more than they should.
    fn is_far_ahead(&self) -> bool {
        let bytes = self.earlier_bytes + self.journal.bytes();
        documents(&self.index.parts[files(&self.index.parts)..])
            >= AHEAD * self.options.store_documents
            || bytes >= AHEAD * self.options.store_bytes
    }

    /// Lets what is being written catch up, so that memory stays bounded.
    fn wait_if_far_ahead(&mut self) {
        if self.is_far_ahead()
            && let Some(storing) = self.storing.take()
        {
            let _ended = storing.join();
        }
    }

    fn begin_store(&mut self) {
        if self.broken.is_some() {
            return;
        }
        // After a store that failed the journal may be as it was begun.
        if !self.journal.is_empty()
            && let Err(error) = self.begin_journal()
        {
            return self.store_failed(error);
        }
        self.store_wanted = false;
        // A commit has a number of its own, so that who opens the index can tell that files went.
        self.index.commit += 1;
        self.frozen = self.index.parts.len();
        let (index, number) = (self.index.clone(), self.journal.number);
        let failed = Finished::Stored {
            before: Box::new(index.clone()),
            stored: Err(Error::Interrupted),
        };
        self.storing = background::begin("doublet-store", &self.shared, failed, move |shared| {
            background::store_and_commit(index, shared, Some(number))
        });
        if self.storing.is_none() {
            self.store_failed(Error::Interrupted);
        }
    }

    fn begin_journal(&mut self) -> Result<()> {
        let number = self.shared.new_number();
        let before = Some((self.journal.number, self.journal.bytes()));
        let journal = Journal::create(&self.index.directory, number, before)?;
        self.earlier_bytes += self.journal.bytes();
        std::mem::replace(&mut self.journal, journal).end();
        Ok(())
    }

    fn store_failed(&mut self, error: Error) {
        self.store_wanted = true;
        self.frozen = files(&self.index.parts);
        self.retry_at = Some(Instant::now() + self.options.patience);
        self.store_error = Some(error);
    }

    fn begin_merge(&mut self) {
        let files = files(&self.index.parts);
        let entries = self.index.parts[..files].iter();
        let entries: Vec<_> = entries
            .filter_map(|part| part.entry.as_deref().cloned())
            .collect();
        let range = worth_merging(&entries).map(|start| start..files);
        let is_mostly_dead =
            |part: &OpenPart| part.dead() >= MANY_DEAD && part.dead() > part.live();
        let range = range.or_else(|| {
            let dead = self.index.parts[..files].iter().position(is_mostly_dead);
            dead.map(|part| part..part + 1)
        });
        let Some(range) = range else { return };
        let parts = self.index.parts[range].to_vec();
        let index = self.index.clone();
        let failed = Finished::Merged {
            before: Vec::new(),
            merged: Err(Error::Interrupted),
        };
        self.merging = background::begin("doublet-merge", &self.shared, failed, move |shared| {
            background::merge(&index, parts, shared)
        });
    }

    /// Puts in place what another thread made.
    fn install(&mut self, finished: Finished) {
        match finished {
            Finished::Stored { before, stored } => {
                self.storing = None;
                match stored {
                    Ok(stored) => {
                        let placed = place_stored(&self.index.parts, &before.parts, &stored);
                        match placed {
                            Ok(parts) => self.index.parts = parts,
                            // A part that was just written cannot be read: the one in memory stays.
                            Err(error) => return self.store_failed(error),
                        }
                        (self.store_error, self.earlier_bytes) = (None, 0);
                        self.index.manifest = Arc::new(stored.manifest);
                        self.frozen = files(&self.index.parts);
                        self.publish();
                    }
                    Err(error) => self.store_failed(error),
                }
            }
            Finished::Merged { before, merged } => {
                self.merging = None;
                let placed = merged.and_then(|part| place_merged(&self.index.parts, &before, part));
                match placed {
                    Ok(parts) => {
                        let fewer = self.index.parts.len() - parts.len();
                        self.frozen -= fewer.min(self.frozen);
                        self.index.parts = parts;
                        self.store_wanted = true;
                        self.publish();
                    }
                    Err(_) => self.retry_at = Some(Instant::now() + self.options.patience),
                }
            }
        }
    }

    /// Waits for the others, writes what is in memory into a part and ends the journal.
    fn end(mut self) -> Result<()> {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in [self.merging.take(), self.storing.take()] {
            let _ended = thread.map(JoinHandle::join);
        }
        if let Some(jobs) = self.shared.queue.take(Duration::ZERO) {
            self.jobs(jobs);
        }
        self.index.commit += 1;
        let finished = background::store_and_commit(self.index.clone(), &self.shared, None);
        let Finished::Stored { stored, .. } = finished else {
            return Ok(());
        };
        let stored = stored.map(drop);
        drop(self.lock);
        stored
    }
}

/// Whatever ends the keeper, nobody waits for it any more.
struct TellEnd(Arc<Shared>);

impl Drop for TellEnd {
    fn drop(&mut self) {
        self.0.read_only.store(true, Ordering::Relaxed);
        self.0.queue.close();
        self.0.queue.clear();
    }
}

/// Documents of parts, the dead too.
fn documents(parts: &[OpenPart]) -> u64 {
    let all = parts.iter().map(|part| u64::from(part.part.documents()));
    all.sum()
}

fn added_entry(document: &NewDocument) -> Entry<'_> {
    Entry::Added {
        id: document.id(),
        text: document.text(),
    }
}
