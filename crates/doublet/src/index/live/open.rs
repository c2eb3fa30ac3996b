//! Opens an index to change it for as long as a service runs.

use std::path::Path;
use std::sync::Arc;

use super::super::manifest::{Manifest, journals};
use super::super::writer::write_words;
use super::super::{Index, open_model};
use super::journal::{self, Journal};
use crate::error::{Error, Result, io_error};
use crate::files;
use crate::method::Method;
use crate::method::terms::Language;

/// The index with everything that was ever answered, a journal for what comes, and the number of the next file. The lock must be
/// held.
pub(super) fn recover(directory: &Path) -> Result<(Index, Journal, u64)> {
    let mut manifest = Manifest::read(directory)?;
    manifest.sweep(directory)?;
    let options = manifest.options.resolve();
    let options = options.map_err(|reason| Error::BadFile {
        path: directory.to_owned(),
        reason,
    })?;
    let settled = settle_words(directory, &mut manifest, options.matching.method)?;
    let model = Arc::new(open_model(directory, &manifest, &options)?);
    let first = manifest.journal;
    let mut index = Index::with_model(directory, manifest, Arc::new(options), model)?;
    let end = match first {
        Some(first) => index.replay_all(first)?,
        None => None,
    };
    if let Some((last, _)) = end {
        // A process that was killed may have written what it never synced, and from now on it counts.
        journal::sync(directory, last)?;
        // What was begun after it and holds nothing.
        for (_, path) in journals(directory, last.saturating_add(1))? {
            files::remove_file(&path).map_err(io_error("remove", &path))?;
        }
    }
    let mut manifest = (*index.manifest).clone();
    let number = manifest.next_file;
    manifest.next_file = number.saturating_add(1);
    let journal = Journal::create(directory, number, end)?;
    if first.is_none() || settled {
        manifest.journal.get_or_insert(number);
        manifest.commit(directory)?;
        index.manifest = Arc::new(manifest.clone());
    }
    Ok((index, journal, manifest.next_file))
}

/// Settles what a collection would decide about, where there is none: no word is common. Says whether something changed.
fn settle_words(directory: &Path, manifest: &mut Manifest, method: Method) -> Result<bool> {
    if method.unit().is_some() && manifest.words.is_none() {
        manifest.words = Some(write_words(directory, manifest, &[])?);
        return Ok(true);
    }
    if method.info().weighs_terms && manifest.options.fallback.is_none() {
        manifest.options.fallback = Some(Language::default().code().to_owned());
        return Ok(true);
    }
    Ok(false)
}
