//! Copies an index while others may be writing to it.

use std::io::Write;
use std::path::Path;

use super::live::journal;
use super::manifest::{Manifest, journals};
use super::{Index, Info, TRIES, is_gone};
use crate::error::{Error, Result, io_error};
use crate::files::{self, File};
use crate::progress::{self, Observer, Unit};

/// Makes a copy of the index in `directory` at `target`, a directory that is new or empty. It has every change that was answered
/// before it began. Files that never change are linked where the file system allows it, so that it takes no room at first.
///
/// # Errors
/// When there is no index, it is damaged, the target is not empty or cannot be written, or the observer cancels. Then nothing is
/// left there.
pub fn snapshot(directory: &Path, target: &Path, observer: &dyn Observer) -> Result<Info> {
    let within = |place: &Path| {
        place
            .canonicalize()
            .is_ok_and(|place| is_within(&place, directory))
    };
    if target.ancestors().skip(1).any(within) {
        return Err(Error::BadFile {
            path: target.to_owned(),
            reason: "the copy would lie in the index itself: give a directory outside".to_owned(),
        });
    }
    let made = !target.exists();
    files::create_dir_all(target).map_err(io_error("make the directory", target))?;
    let empty = made || is_empty(target)?;
    if !empty {
        return Err(Error::BadFile {
            path: target.to_owned(),
            reason: "the directory is not empty: give a new or an empty one for the copy"
                .to_owned(),
        });
    }
    let copied = copy(directory, target, observer);
    let copied = copied.and_then(|()| Ok(Index::open(target)?.info()));
    if copied.is_err() {
        clear(target);
        if made {
            let _left = files::remove_dir(target);
        }
    }
    copied
}

fn is_empty(directory: &Path) -> Result<bool> {
    let mut entries = files::read_dir(directory).map_err(io_error("read", directory))?;
    Ok(entries.next().is_none())
}

fn is_within(place: &Path, directory: &Path) -> bool {
    let directory = directory.canonicalize();
    directory.is_ok_and(|directory| place.starts_with(directory))
}

/// Copies the last commit; once more if a writer took files away meanwhile.
fn copy(directory: &Path, target: &Path, observer: &dyn Observer) -> Result<()> {
    let mut tries = TRIES;
    loop {
        let manifest = Manifest::read(directory)?;
        let copied = copy_commit(directory, target, &manifest, observer);
        match copied {
            Err(error) if is_gone(&error) && tries > 0 => {
                if Manifest::read(directory)?.commit == manifest.commit {
                    return Err(error);
                }
                clear(target);
                tries -= 1;
            }
            copied => return copied,
        }
    }
}

fn copy_commit(
    directory: &Path,
    target: &Path,
    manifest: &Manifest,
    observer: &dyn Observer,
) -> Result<()> {
    progress::begin(observer, "copying", None, Unit::Count("files"))?;
    for file in manifest.files() {
        let (from, to) = (directory.join(file), target.join(file));
        if files::hard_link(&from, &to).is_err() {
            files::copy(&from, &to).map_err(io_error("copy", &from))?;
            sync(&to)?;
        }
        progress::advance(observer, 1)?;
    }
    if let Some(first) = manifest.journal {
        // Listed before any is read: what is in the list but for the last is complete.
        let journals = journals(directory, first)?;
        journal::expect_first(directory, first, &journals)?;
        for (_, from) in journals {
            let Some(name) = from.file_name() else {
                continue;
            };
            let to = target.join(name);
            let Some(bytes) = journal::whole_frames(&from)? else {
                continue;
            };
            let write = || File::create_new(&to)?.write_all(&bytes);
            write().map_err(io_error("write", &to))?;
            sync(&to)?;
            progress::advance(observer, 1)?;
        }
    }
    files::sync_directory(target).map_err(io_error("write to", target))?;
    manifest.commit(target)
}

fn sync(path: &Path) -> Result<()> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(io_error("write", path))
}

/// Removes the files of a copy that came to nothing.
fn clear(target: &Path) {
    for entry in files::read_dir(target).into_iter().flatten().flatten() {
        let _left = files::remove_file(entry.path());
    }
}
