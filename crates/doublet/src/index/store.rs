//! Writes what only memory has into files, and makes the manifest that names them.

use std::path::Path;
use std::sync::Arc;

use super::Index;
use super::manifest::{Manifest, PartEntry};
use super::opened::{OpenPart, new_entry};
use super::part::merge;
use crate::error::Result;
use crate::files;
use crate::method::Method;

/// An index all of whose parts are files that are written and synced. Its manifest is not yet the last commit.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) manifest: Manifest,
    /// Its parts, in order. Those that were files before are the same as before.
    pub(super) parts: Vec<OpenPart>,
    /// The files that were written for it.
    pub(super) made: Vec<String>,
}

/// Writes the parts in memory as one file, and the dead of the others. What cannot be used after an error is removed.
///
/// # Errors
/// When the disk is full or fails.
pub(super) fn store(
    index: &Index,
    new_file: &mut dyn FnMut(&str) -> String,
    journal: Option<u64>,
) -> Result<Stored> {
    let mut made = Vec::new();
    let stored = store_parts(index, &mut |kind| {
        let name = new_file(kind);
        made.push(name.clone());
        name
    });
    let parts = stored.inspect_err(|_| remove(&index.directory, &made))?;
    let entries = parts.iter().filter_map(|part| part.entry.as_deref());
    let manifest = Manifest {
        commit: index.commit,
        parts: entries.cloned().collect(),
        journal,
        ..(*index.manifest).clone()
    };
    Ok(Stored {
        manifest,
        parts,
        made,
    })
}

/// Removes files that nobody names. What cannot be removed is swept by the next writer.
pub(super) fn remove(directory: &Path, files: &[String]) {
    for file in files {
        let _left = files::remove_file(directory.join(file));
    }
}

fn store_parts(index: &Index, new_file: &mut dyn FnMut(&str) -> String) -> Result<Vec<OpenPart>> {
    let (directory, method) = (&index.directory, index.options.matching.method);
    let mut parts = Vec::with_capacity(index.parts.len());
    let mut held = Vec::new();
    for part in index.parts.iter().filter(|part| part.live() > 0) {
        match part.stored(directory, new_file)? {
            Some(entry) => parts.push(part.with_entry(Some(entry))),
            None => held.push(part.clone()),
        }
    }
    if !held.is_empty() {
        let entry = merge_parts(&held, directory, method, new_file, &|| false)?;
        let opened = entry.map(|entry| OpenPart::open(directory, &entry));
        parts.extend(opened.transpose()?);
    }
    Ok(parts)
}

/// One part of several, without the dead; none if all are dead. Given up when `stop` says so.
pub(super) fn merge_parts(
    parts: &[OpenPart],
    directory: &Path,
    method: Method,
    new_file: &mut dyn FnMut(&str) -> String,
    stop: &dyn Fn() -> bool,
) -> Result<Option<PartEntry>> {
    let file = new_file("part");
    let open: Vec<_> = parts.iter().map(|part| &*part.part).collect();
    let dead = |part: usize, number: u32| parts[part].is_dead(number);
    let path = directory.join(&file);
    let facts = merge(&open, &dead, &path, stop)?;
    if facts.documents == 0 {
        let _left = files::remove_file(&path);
        return Ok(None);
    }
    new_entry(directory, file, &facts, method).map(Some)
}

/// Whether two parts are the same file, or the same memory.
pub(super) fn same(x: &OpenPart, y: &OpenPart) -> bool {
    Arc::ptr_eq(&x.part, &y.part)
}
