//! What takes longer than a change may wait for: writing what is in memory into parts, and merging parts. Both work from a
//! snapshot and change nothing in it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Instant;

use super::super::Index;
use super::super::manifest::{Manifest, journals};
use super::super::opened::OpenPart;
use super::super::store::{Stored, merge_parts, remove, store};
use super::{Job, Shared};
use crate::error::Result;
use crate::files;

/// What another thread made.
#[derive(Debug)]
pub(super) enum Finished {
    /// A snapshot was written, and its manifest is the last commit.
    Stored {
        before: Box<Index>,
        stored: Result<Box<Stored>>,
    },
    /// Parts became one, or none if all their documents were dead.
    Merged {
        before: Vec<OpenPart>,
        merged: Result<Option<OpenPart>>,
    },
}

/// Begins a thread that tells the keeper what came of its work, or that it `failed`; none if the system has none to give.
pub(super) fn begin(
    name: &str,
    shared: &Arc<Shared>,
    failed: Finished,
    work: impl FnOnce(&Shared) -> Finished + Send + 'static,
) -> Option<JoinHandle<()>> {
    let (thread, shared) = (std::thread::Builder::new(), Arc::clone(shared));
    let told = move || {
        let finished = catch_unwind(AssertUnwindSafe(|| work(&shared))).unwrap_or(failed);
        shared.queue.push_first(Job::Finished(finished));
    };
    thread.name(name.to_owned()).spawn(told).ok()
}

/// Writes an index and makes it the last commit, after which the journals from `journal` on are read.
pub(super) fn store_and_commit(index: Index, shared: &Shared, journal: Option<u64>) -> Finished {
    let stored = store(&index, &mut |kind| shared.new_file(kind), journal);
    let stored = stored.and_then(|mut stored| {
        stored.manifest.next_file = shared.next_file.load(Ordering::Relaxed);
        match stored.manifest.commit(&index.directory) {
            Ok(()) => {
                remove_others(&index.directory, &index.manifest, &stored.manifest);
                remove_journals(&index.directory, journal);
                Ok(Box::new(stored))
            }
            Err(error) => match Manifest::read(&index.directory) {
                // All but its last sync was done; what it no longer names stays, in case it is undone.
                Ok(manifest) if manifest == stored.manifest => Ok(Box::new(stored)),
                Ok(_) => {
                    remove(&index.directory, &stored.made);
                    Err(error)
                }
                // Nobody knows which commit is the last.
                Err(_) => Err(error),
            },
        }
    });
    Finished::Stored {
        before: Box::new(index),
        stored,
    }
}

/// Removes the files of one manifest that another does not name. What cannot be removed is swept by the next writer.
fn remove_others(directory: &Path, of: &Manifest, but: &Manifest) {
    for file in of.files() {
        if !but.files().any(|other| other == file) {
            let _left = files::remove_file(directory.join(file));
        }
    }
}

fn remove_journals(directory: &Path, before: Option<u64>) {
    let journals = journals(directory, 0).unwrap_or_default();
    for (number, path) in journals {
        if before.is_none_or(|before| number < before) {
            let _left = files::remove_file(path);
        }
    }
}

/// Makes one part of several.
pub(super) fn merge(index: &Index, before: Vec<OpenPart>, shared: &Shared) -> Finished {
    let start = Instant::now();
    let (directory, method) = (&index.directory, index.options.matching.method);
    let new_file = &mut |kind: &str| shared.new_file(kind);
    let merged = merge_parts(&before, directory, method, new_file, &|| {
        shared.stop.load(Ordering::Relaxed)
    });
    let merged = merged.and_then(|entry| {
        let opened = entry.map(|entry| OpenPart::open(directory, &entry));
        opened.transpose()
    });
    let micros = start.elapsed().as_micros().try_into().unwrap_or(u64::MAX);
    shared.merge_micros.fetch_add(micros, Ordering::Relaxed);
    let parts = before.len() as u64;
    shared.merged.fetch_add(parts, Ordering::Relaxed);
    Finished::Merged { before, merged }
}
