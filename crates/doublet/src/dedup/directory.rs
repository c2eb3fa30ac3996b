//! The directory of the results: made, refused, or cleared of an earlier run.

use std::path::Path;

use super::DedupOptions;
use crate::error::{Error, Result, io_error};
use crate::files::{self, TEMPORARY};
use crate::matches::Source;
use crate::report::kept::is_kept_file;

/// The files that every run writes, besides `kept.*`, and the page that `audit` makes of them. Its answers stay: they are work.
const RESULTS: [&str; 7] = [
    "removed.jsonl",
    "pairs.jsonl",
    "clusters.jsonl",
    "rejected.jsonl",
    "summary.json",
    "report.html",
    crate::report::audit::PAGE,
];

/// Makes the directory, and refuses one that holds files or the input, or lies in it. Gives whether it was made.
pub(super) fn prepare_directory(source: &Source, options: &DedupOptions) -> Result<bool> {
    let directory = &options.directory;
    let refuse = |expected: String| {
        Err(Error::Option {
            option: "output",
            value: directory.display().to_string(),
            expected,
        })
    };
    if directory.exists() && !directory.is_dir() {
        return refuse("there is a file of this name; name a directory".to_owned());
    }
    if let Some(input) = source.directory_around(directory) {
        return refuse(format!(
            "it lies in the input directory `{input}`, so that the next run would read its results; name a directory outside"
        ));
    }
    let made = !directory.exists();
    files::create_dir_all(directory).map_err(io_error("create", directory))?;
    if let Some(name) = source.file_within(directory) {
        return refuse(format!(
            "it holds the input `{name}`, which is never written over; name another directory"
        ));
    }
    if options.dry_run && holds_kept_records(directory)? {
        return refuse(
            "it holds the kept records of another run, which a dry run does not replace; name another directory"
                .to_owned(),
        );
    }
    let mut entries = files::read_dir(directory).map_err(io_error("read", directory))?;
    let unfinished = options.join.checkpoint.as_ref();
    let unfinished = unfinished.filter(|checkpoint| checkpoint.directory.exists());
    match unfinished {
        // What else is there is of the run that is continued, or was there before it.
        Some(checkpoint) if checkpoint.resume => sweep(directory),
        Some(checkpoint) if options.force => checkpoint.discard()?,
        Some(_) => {
            return refuse(
                "it holds a run that goes on or was interrupted; continue it with `--resume`, or start anew with `--force`"
                    .to_owned(),
            );
        }
        None if entries.next().is_some() && !options.force => {
            return refuse(
                "the directory is not empty; name a new one, or give `--force` to write into it"
                    .to_owned(),
            );
        }
        None => {}
    }
    Ok(made)
}

/// Whether an earlier run left kept records.
fn holds_kept_records(directory: &Path) -> Result<bool> {
    let mut entries = files::read_dir(directory).map_err(io_error("read", directory))?;
    Ok(entries.any(|entry| {
        entry.is_ok_and(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            is_kept_file(&name) || (name == "kept" && entry.path().is_dir())
        })
    }))
}

/// Removes files that a run was writing when it was killed. Best effort: what cannot be removed does no harm.
fn sweep(directory: &Path) {
    let entries = files::read_dir(directory).into_iter().flatten();
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(TEMPORARY) {
            let _left = files::remove_file(entry.path());
        }
    }
}

/// Removes what an earlier run wrote into the directory, so that no file tells of another run than the others.
pub(super) fn remove_earlier(directory: &Path) -> Result<()> {
    let entries = files::read_dir(directory).map_err(io_error("read", directory))?;
    for entry in entries.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        if is_kept_file(&name) || RESULTS.contains(&&*name) {
            files::remove_file(&path).map_err(io_error("remove", &path))?;
        } else if name == "kept" && path.is_dir() {
            files::remove_dir_all(&path).map_err(io_error("remove", &path))?;
        }
    }
    Ok(())
}
