//! The one writer of an index: creates it, removes documents, compacts it. `add` has its own file.

use std::path::Path;
use std::sync::Arc;

use super::manifest::{self, FileEntry, Manifest, PartEntry};
use super::opened::{OpenPart, new_entry};
use super::part::{MOST_DOCUMENTS, PartFacts};
use super::store::{merge_parts, store};
use super::stored::{IndexOptions, StoredOptions};
use super::{Index, lock, open_model, path_of};
use crate::error::{Error, Result, io_error};
use crate::files::{self, File, TEMPORARY};
use crate::method::sentences::common::Cutoff;
use crate::progress::{self, Observer, Silent, Unit};

/// Parts of about one size that are merged into one.
const FAN: usize = 8;

/// Holds the lock of an index and may change it. Every method that changes something is one commit: all of it or nothing.
#[derive(Debug)]
pub struct IndexWriter {
    pub(super) index: Index,
    _lock: File,
}

impl IndexWriter {
    /// Makes an empty index in a directory, which is made too if need be.
    ///
    /// # Errors
    /// When an option is out of range, or the directory is not empty or cannot be written.
    pub fn create(directory: &Path, options: &IndexOptions, table: Option<&Path>) -> Result<Self> {
        Self::create_watched(directory, options, table, &Silent)
    }

    /// The same, for a caller who may want it to stop: a table may be large.
    ///
    /// # Errors
    /// As [`IndexWriter::create`], and when the observer cancels. Then there is no index.
    pub fn create_watched(
        directory: &Path,
        options: &IndexOptions,
        table: Option<&Path>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        options.check()?;
        crate::method::shingles::Preparer::new(
            &options.matching.normalize,
            &options.matching.shingle,
        )?;
        let stored = StoredOptions::new(options)?;
        files::create_dir_all(directory).map_err(io_error("make the directory", directory))?;
        refuse_other_files(directory)?;
        let held = lock(directory)?;
        // Another process may have made one until the lock was ours.
        refuse_other_files(directory)?;
        let mut manifest = Manifest {
            commit: 0,
            next_file: 1,
            added: 0,
            options: stored,
            words: None,
            parts: Vec::new(),
            journal: None,
        };
        manifest.sweep(directory)?;
        let look = || progress::advance(observer, 0);
        let written = write_given_words(directory, &mut manifest, options, table);
        // A table may turn out not to fit these options.
        let index = written.and_then(|()| {
            look()?;
            let index = Index::of(directory, manifest.clone())?;
            look()?;
            Ok(index)
        });
        let index = index.and_then(|index| manifest.commit(directory).map(|()| index));
        // The commit may fail when all but its last sync is done: nobody may find a manifest whose files are gone.
        if index.is_err() && manifest::remove(directory).is_ok() {
            manifest.words = None;
            let _left = manifest.sweep(directory);
        }
        // The directory is an entry in another one, which may be new too.
        let _best_effort = files::sync_directory(&directory.join(".."));
        Ok(Self {
            index: index?,
            _lock: held,
        })
    }

    /// Opens an index to change it.
    ///
    /// # Errors
    /// When another process is writing to it, or as [`Index::open`].
    pub fn open(directory: &Path) -> Result<Self> {
        // So that a directory without an index does not get a lock.
        Manifest::read(directory)?;
        let held = lock(directory)?;
        let mut manifest = Manifest::read(directory)?;
        manifest.sweep(directory)?;
        let mut writer = Self {
            index: Index::of(directory, manifest)?,
            _lock: held,
        };
        if writer.index.manifest.journal.is_some() {
            writer.store_journal()?;
        }
        Ok(writer)
    }

    /// Writes what the journal of a service has into a part, and ends the journal.
    fn store_journal(&mut self) -> Result<()> {
        let mut names = (*self.index.manifest).clone();
        let stored = store(&self.index, &mut |kind| names.new_file(kind), None);
        let manifest = stored.map(|stored| Manifest {
            next_file: names.next_file,
            ..stored.manifest
        });
        self.commit(manifest)
    }

    /// The index as of the last commit.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Removes documents by their ids, as JSON, and says of each whether it was there.
    ///
    /// # Errors
    /// When the index is damaged, the disk is full or fails, or the observer cancels. Then nothing is removed.
    pub fn remove(&mut self, ids: &[String], observer: &dyn Observer) -> Result<Vec<bool>> {
        let total = Some(ids.len() as u64);
        progress::begin(observer, "removing", total, Unit::Count("texts"))?;
        let mut change = Change::new(&self.index);
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.push(change.kill(id)?);
            progress::advance(observer, 1)?;
        }
        if found.contains(&true) {
            let manifest = change.finish(&|| observer.cancelled());
            self.commit(manifest)?;
        }
        Ok(found)
    }

    /// Merges all parts into one and leaves the dead documents out. Gives the bytes before and after.
    ///
    /// # Errors
    /// When the index is damaged, or the disk is full or fails. Then nothing changes.
    pub fn compact(&mut self, observer: &dyn Observer) -> Result<(u64, u64)> {
        let directory = &self.index.directory;
        let before = self.index.manifest.bytes(directory);
        let parts = &self.index.manifest.parts;
        let done = parts.len() <= 1 && parts.iter().all(|part| part.dead.is_none());
        if !done {
            progress::begin(observer, "merging", None, Unit::Count("parts"))?;
            let mut manifest = (*self.index.manifest).clone();
            let method = self.index.options.matching.method;
            let new_file = &mut |kind: &str| manifest.new_file(kind);
            let stop = || observer.cancelled();
            let merged = merge_parts(&self.index.parts, directory, method, new_file, &stop);
            let merged = merged.and_then(|merged| {
                manifest.parts = merged.into_iter().collect();
                progress::advance(observer, 1)?;
                Ok(manifest)
            });
            self.commit(merged)?;
        }
        Ok((before, self.index.manifest.bytes(&self.index.directory)))
    }

    /// Makes a manifest the last commit and goes on from there; what is no longer named is removed. If there is none, or it
    /// cannot be written, all is as before.
    pub(super) fn commit(&mut self, manifest: Result<Manifest>) -> Result<()> {
        let directory = self.index.directory.clone();
        let written = manifest.and_then(|mut manifest| {
            manifest.commit += 1;
            manifest.commit(&directory)?;
            Ok(manifest)
        });
        let mut manifest = written.inspect_err(|_| self.discard())?;
        let _left = manifest.sweep(&directory);
        let settled =
            |manifest: &Manifest| (manifest.words.clone(), manifest.options.fallback.clone());
        let model = match settled(&self.index.manifest) == settled(&manifest) {
            true => Arc::clone(&self.index.model),
            false => Arc::new(open_model(&directory, &manifest, &self.index.options)?),
        };
        let options = Arc::clone(&self.index.options);
        self.index = Index::with_model(&directory, manifest, options, model)?;
        Ok(())
    }

    /// Goes back to the last commit when a change came to nothing: removes its files and forgets what it settled. What is on disk
    /// decides which commit that is: one may fail when all but its last sync is done.
    pub(super) fn discard(&mut self) {
        let directory = self.index.directory.clone();
        if let Ok(mut manifest) = Manifest::read(&directory) {
            let _left = manifest.sweep(&directory);
            manifest.next_file = manifest.next_file.max(self.index.manifest.next_file);
            if let Ok(index) = Index::of(&directory, manifest) {
                self.index = index;
            }
        }
    }
}

/// Writes the words that are known before the first text.
fn write_given_words(
    directory: &Path,
    manifest: &mut Manifest,
    options: &IndexOptions,
    table: Option<&Path>,
) -> Result<()> {
    if let Some(common) = &options.matching.sentences.common {
        manifest.words = Some(write_words(directory, manifest, common.forms())?);
    } else if options.matching.method.unit().is_some()
        && options.matching.sentences.cutoff == Some(Cutoff::Off)
    {
        manifest.words = Some(write_words(directory, manifest, &[])?);
    }
    if let Some(table) = table {
        let bytes = files::read(table).map_err(io_error("read", table))?;
        let name = manifest.new_file("words");
        manifest.words = Some(FileEntry::write(directory, name, &bytes)?);
    }
    Ok(())
}

/// Writes a list of words.
pub(super) fn write_words(
    directory: &Path,
    manifest: &mut Manifest,
    words: &[String],
) -> Result<FileEntry> {
    let name = manifest.new_file("words");
    let mut text = words.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    FileEntry::write(directory, name, text.as_bytes())
}

fn refuse_other_files(directory: &Path) -> Result<()> {
    if manifest::exists(directory) {
        return Err(Error::BadFile {
            path: directory.to_owned(),
            reason: "there is an index in this directory already: add to it, or choose another directory".to_owned(),
        });
    }
    let entries = files::read_dir(directory).map_err(io_error("read", directory))?;
    for entry in entries {
        let entry = entry.map_err(io_error("read", directory))?;
        let name = entry.file_name();
        // All that an interrupted `create` leaves. Parts without a manifest may be what is left of an index.
        let own = |name: &str| {
            let words = name.ends_with(".words") && path_of(directory, name).is_ok();
            words || name == "lock" || name == "manifest.new" || name.starts_with(TEMPORARY)
        };
        if !name.to_str().is_some_and(own) {
            return Err(Error::BadFile {
                path: directory.to_owned(),
                reason: format!(
                    "the directory is not empty (it holds `{}`): give a new or an empty one",
                    name.to_string_lossy()
                ),
            });
        }
    }
    Ok(())
}

/// A new manifest under way: parts with documents that die.
pub(super) struct Change<'a> {
    index: &'a Index,
    /// The parts of the index, and new ones after them.
    parts: Vec<OpenPart>,
    pub(super) manifest: Manifest,
    pub(super) killed: u64,
}

impl<'a> Change<'a> {
    pub(super) fn new(index: &'a Index) -> Self {
        Self {
            index,
            parts: index.parts.clone(),
            manifest: (*index.manifest).clone(),
            killed: 0,
        }
    }

    /// Marks all documents of an id as dead and says whether there was one.
    fn kill(&mut self, id: &str) -> Result<bool> {
        let mut any = false;
        for part in &mut self.parts {
            let killed = part.kill_id(id)?;
            self.killed += u64::from(killed);
            any |= killed;
        }
        Ok(any)
    }

    /// Adds a part; its documents replace those of the same ids, and of several in itself the last stays.
    pub(super) fn add_part(&mut self, file: String, facts: &PartFacts) -> Result<()> {
        let entry = new_entry(
            &self.index.directory,
            file,
            facts,
            self.index.options.matching.method,
        )?;
        let mut open = OpenPart::open(&self.index.directory, &entry)?;
        let part = Arc::clone(&open.part);
        let mut order = Vec::with_capacity(facts.documents as usize);
        for number in 0..facts.documents {
            order.push((part.document(number)?.id, number));
        }
        order.sort_unstable();
        for same in order.chunk_by(|x, y| x.0 == y.0) {
            let (_, earlier) = same.split_last().unwrap_or((&same[0], &[]));
            for (_, number) in earlier {
                self.killed += u64::from(open.kill(*number));
            }
            self.kill(same[0].0)?;
        }
        self.parts.push(open);
        Ok(())
    }

    /// The manifest with everything written that it names; parts of one size are merged. Given up when `stop` says so.
    pub(super) fn finish(mut self, stop: &dyn Fn() -> bool) -> Result<Manifest> {
        let (directory, method) = (&self.index.directory, self.index.options.matching.method);
        let mut entries = Vec::with_capacity(self.parts.len());
        for part in self.parts.iter().filter(|part| part.live() > 0) {
            let new_file = &mut |kind: &str| self.manifest.new_file(kind);
            let entry = part.stored(directory, new_file)?;
            entries.extend(entry.map(|entry| (*entry).clone()));
        }
        self.manifest.parts = entries;
        while let Some(start) = worth_merging(&self.manifest.parts) {
            let tail = self.manifest.parts.split_off(start);
            let open = tail.iter().map(|entry| OpenPart::open(directory, entry));
            let open: Vec<OpenPart> = open.collect::<Result<_>>()?;
            let new_file = &mut |kind: &str| self.manifest.new_file(kind);
            let merged = merge_parts(&open, directory, method, new_file, stop)?;
            self.manifest.parts.extend(merged);
        }
        Ok(self.manifest)
    }
}

/// Where the last parts begin that are to become one: as many as [`FAN`] of about one size.
pub(super) fn worth_merging(parts: &[PartEntry]) -> Option<usize> {
    let tier = |part: &PartEntry| part.live().max(1).ilog2() / FAN.ilog2();
    let last = parts.last().map(tier)?;
    let same = parts.iter().rev().take_while(|part| tier(part) <= last);
    let count = same.count();
    let start = parts.len() - count;
    let documents: u64 = parts[start..]
        .iter()
        .map(|part| u64::from(part.live()))
        .sum();
    (count >= FAN && documents <= u64::from(MOST_DOCUMENTS)).then_some(start)
}
