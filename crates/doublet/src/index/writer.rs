//! The one writer of an index: creates it, removes documents, compacts it. `add` has its own file.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use super::manifest::{self, DeadEntry, FileEntry, Manifest, PartEntry};
use super::model::SentenceFacts;
use super::part::{MOST_DOCUMENTS, Part, PartFacts, merge};
use super::stored::{IndexOptions, StoredOptions};
use super::{Index, OpenPart, dead_bytes, lock, open_model, path_of};
use crate::error::{Error, Result, io_error};
use crate::method::Method;
use crate::progress::{self, Observer, Unit};
use crate::report::output::sync_directory;
use crate::sentences::common::Cutoff;

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
        options.check()?;
        crate::prepare::Preparer::new(&options.normalize, &options.shingle)?;
        let stored = StoredOptions::new(options)?;
        std::fs::create_dir_all(directory).map_err(io_error("make the directory", directory))?;
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
        };
        manifest.sweep(directory)?;
        let written = write_given_words(directory, &mut manifest, options, table);
        // A table may turn out not to fit these options.
        let index = written.and_then(|()| Index::of(directory, manifest.clone()));
        let index = index.and_then(|index| manifest.commit(directory).map(|()| index));
        if index.is_err() {
            manifest.words = None;
            let _left = manifest.sweep(directory);
        }
        // The directory is an entry in another one, which may be new too.
        let _best_effort = sync_directory(&directory.join(".."));
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
        Ok(Self {
            index: Index::of(directory, manifest)?,
            _lock: held,
        })
    }

    /// The index as of the last commit.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Removes documents by their ids, as JSON, and says of each whether it was there.
    ///
    /// # Errors
    /// When the index is damaged, or the disk is full or fails. Then nothing is removed.
    pub fn remove(&mut self, ids: &[String]) -> Result<Vec<bool>> {
        let mut change = Change::new(&self.index);
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.push(change.kill(id)?);
        }
        if found.contains(&true) {
            let manifest = change.finish();
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
            observer.stage("merging", None, Unit::Count("parts"));
            let mut manifest = self.index.manifest.clone();
            let method = self.index.options.method;
            let merged = merge_parts(&self.index.parts, directory, method, &mut manifest);
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
        self.index = Index::with_model(&directory, manifest, self.index.options.clone(), model)?;
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
    if let Some(common) = &options.sentences.common {
        manifest.words = Some(write_words(directory, manifest, common.forms())?);
    } else if options.method.unit().is_some() && options.sentences.cutoff == Some(Cutoff::Off) {
        manifest.words = Some(write_words(directory, manifest, &[])?);
    }
    if let Some(table) = table {
        let bytes = std::fs::read(table).map_err(io_error("read", table))?;
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
    let entries = std::fs::read_dir(directory).map_err(io_error("read", directory))?;
    for entry in entries {
        let entry = entry.map_err(io_error("read", directory))?;
        let name = entry.file_name();
        // All that an interrupted `create` leaves. Parts without a manifest may be what is left of an index.
        let own = |name: &str| {
            let words = name.ends_with(".words") && path_of(directory, name).is_ok();
            words || name == "lock" || name == "manifest.new"
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
    /// New parts, which follow those of the index.
    new: Vec<(OpenPart, PartEntry)>,
    /// Dead bits of each part, those of the index first; `None` where nothing changed.
    dead: Vec<Option<Vec<u8>>>,
    pub(super) manifest: Manifest,
    pub(super) killed: u64,
}

impl<'a> Change<'a> {
    pub(super) fn new(index: &'a Index) -> Self {
        Self {
            index,
            new: Vec::new(),
            dead: vec![None; index.parts.len()],
            manifest: index.manifest.clone(),
            killed: 0,
        }
    }

    fn part(&self, number: usize) -> &OpenPart {
        let old = self.index.parts.len();
        match number.checked_sub(old) {
            None => &self.index.parts[number],
            Some(new) => &self.new[new].0,
        }
    }

    /// Marks all documents of an id as dead and says whether there was one.
    fn kill(&mut self, id: &str) -> Result<bool> {
        let mut any = false;
        for part in 0..self.dead.len() {
            for number in self.part(part).part.numbers_of(id)? {
                any |= self.mark(part, number);
            }
        }
        Ok(any)
    }

    fn mark(&mut self, part: usize, number: u32) -> bool {
        let bits = match self.dead[part].take() {
            Some(bits) => bits,
            None => {
                let open = self.part(part);
                let mut bits = open.dead.clone();
                bits.resize(dead_bytes(open.part.documents()), 0);
                bits
            }
        };
        let bits = self.dead[part].insert(bits);
        let (byte, bit) = (number as usize / 8, 1 << (number % 8));
        let alive = bits[byte] & bit == 0;
        bits[byte] |= bit;
        self.killed += u64::from(alive);
        alive
    }

    /// Adds a part; its documents replace those of the same ids, and of several in itself the last stays.
    pub(super) fn add_part(&mut self, file: String, facts: &PartFacts) -> Result<()> {
        let entry = new_entry(
            &self.index.directory,
            file,
            facts,
            self.index.options.method,
        )?;
        let open = OpenPart::open(&self.index.directory, &entry)?;
        let own = self.dead.len();
        let mut order = Vec::with_capacity(facts.documents as usize);
        for number in 0..facts.documents {
            order.push((open.part.document(number)?.id, number));
        }
        order.sort_unstable();
        let mut repeated = Vec::new();
        for same in order.chunk_by(|x, y| x.0 == y.0) {
            let (_, earlier) = same.split_last().unwrap_or((&same[0], &[]));
            repeated.extend(earlier.iter().map(|(_, number)| *number));
            self.kill(same[0].0)?;
        }
        drop(order);
        self.new.push((open, entry));
        self.dead.push(None);
        for number in repeated {
            self.mark(own, number);
        }
        Ok(())
    }

    /// The manifest with everything written that it names; parts of one size are merged.
    pub(super) fn finish(mut self) -> Result<Manifest> {
        let (directory, method) = (&self.index.directory, self.index.options.method);
        let mut entries = self.index.manifest.parts.clone();
        entries.extend(self.new.iter().map(|(_, entry)| entry.clone()));
        for (entry, dead) in entries.iter_mut().zip(&self.dead) {
            let Some(bits) = dead else { continue };
            let count = bits.iter().map(|byte| byte.count_ones()).sum();
            let name = self.manifest.new_file("dead");
            entry.dead = Some(DeadEntry {
                count,
                bits: FileEntry::write(directory, name, bits)?,
            });
        }
        entries.retain(|entry| entry.live() > 0);
        self.manifest.parts = entries;
        while let Some(start) = worth_merging(&self.manifest.parts) {
            let tail = self.manifest.parts.split_off(start);
            let open = tail.iter().map(|entry| OpenPart::open(directory, entry));
            let open: Vec<OpenPart> = open.collect::<Result<_>>()?;
            let merged = merge_parts(&open, directory, method, &mut self.manifest)?;
            self.manifest.parts.extend(merged);
        }
        Ok(self.manifest)
    }
}

/// Where the last parts begin that are to become one: as many as [`FAN`] of about one size.
fn worth_merging(parts: &[PartEntry]) -> Option<usize> {
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

/// One part of several, without the dead; none if all are dead.
fn merge_parts(
    parts: &[OpenPart],
    directory: &Path,
    method: Method,
    manifest: &mut Manifest,
) -> Result<Option<PartEntry>> {
    let file = manifest.new_file("part");
    let open: Vec<_> = parts.iter().map(|part| &part.part).collect();
    let dead = |part: usize, number: u32| parts[part].is_dead(number);
    let facts = merge(&open, &dead, &directory.join(&file))?;
    if facts.documents == 0 {
        return Ok(None);
    }
    new_entry(directory, file, &facts, method).map(Some)
}

/// The entry of a part that was just written.
fn new_entry(
    directory: &Path,
    file: String,
    facts: &PartFacts,
    method: Method,
) -> Result<PartEntry> {
    let part = Part::open(&directory.join(&file), facts)?;
    let mut whole = facts.postings;
    if method.unit().is_some() {
        whole = 0;
        for number in 0..facts.documents {
            whole += u64::from(SentenceFacts::has_words(part.document(number)?.facts));
        }
    }
    Ok(PartEntry {
        file,
        documents: facts.documents,
        postings: facts.postings,
        sentences: facts.postings.saturating_sub(whole),
        bytes: facts.bytes,
        checksum: part.checksum(),
        dead: None,
    })
}
