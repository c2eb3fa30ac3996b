//! One file a command: resolve the arguments, call the library, show what came of it.

pub(crate) mod advise;
pub(crate) mod audit;
pub(crate) mod background;
pub(crate) mod check;
pub(crate) mod clusters;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod dedup;
mod details;
pub(crate) mod eval;
pub(crate) mod index;
pub(crate) mod inspect;
pub(crate) mod man;
pub(crate) mod pairs;
pub(crate) mod serve;
mod server;
mod side_by_side;

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use doublet::batch::CheckpointOptions;
use doublet::files::TemporaryDirectory;
use doublet::matches::Source;
use doublet::read::Rejection;

/// Texts that a command cannot use, in words.
#[derive(Debug)]
pub(crate) struct BadData(pub(crate) String);

impl std::fmt::Display for BadData {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for BadData {}

impl BadData {
    /// A record that cannot be read.
    fn of(rejection: &Rejection) -> Self {
        BadData(rejection.to_string())
    }
}

/// A directory for everything that a command writes on the way; removed when dropped, and by a second Ctrl-C.
fn spool_directory(temp_dir: Option<&Path>) -> Result<TemporaryDirectory> {
    let place = temp_dir.map_or_else(std::env::temp_dir, Path::to_path_buf);
    TemporaryDirectory::create(&place, "doublet-").map_err(|error| {
        anyhow!(
            "cannot make a temporary directory in `{}` ({}): choose another with `--temp-dir`",
            place.display(),
            error.kind()
        )
    })
}

/// Where a command's lines go: a file, or standard output for none and for `-`. The input is never written over.
fn output_path<'a>(output: Option<&'a Path>, source: &Source) -> Result<Option<&'a Path>> {
    let Some(path) = output.filter(|path| path.as_os_str() != "-") else {
        return Ok(None);
    };
    expect_place(path)?;
    if path.exists() && source.file_within(path).is_some() {
        bail!(
            "`--output {}` is one of the inputs, which are never written over: name another file",
            path.display()
        );
    }
    Ok(Some(path))
}

/// That a file can be put at the place that `--output` names, as far as can be told before there is anything to write.
fn expect_place(path: &Path) -> Result<()> {
    if path.is_dir() {
        bail!("`--output {}` is a directory: name a file", path.display());
    }
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let is_there = |parent: &Path| match parent.metadata()?.is_dir() {
        true => Ok(()),
        false => Err(std::io::ErrorKind::NotADirectory.into()),
    };
    if let Some(Err(cause)) = parent.map(is_there) {
        bail!(doublet::Error::Io {
            doing: "create",
            path: path.to_owned(),
            cause,
        });
    }
    Ok(())
}

/// Ends a run that may have been kept on the way: what was kept goes when all is done, and stays to be continued when it is not.
fn end<T>(checkpoint: Option<&CheckpointOptions>, result: Result<T>) -> Result<T> {
    let Some(checkpoint) = checkpoint else {
        return result;
    };
    let ended = checkpoint.end(result.is_ok());
    match result {
        Err(error) if checkpoint.is_kept() && may_continue(&error) => Err(anyhow!(
            "{error:#}; what was done so far is kept: continue with `--resume`"
        )),
        Err(error) => Err(error),
        Ok(value) => Ok(ended.map(|()| value)?),
    }
}

/// Whether the same run may come further when it is tried again.
fn may_continue(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<doublet::Error>();
    matches!(
        error,
        Some(doublet::Error::Interrupted | doublet::Error::Io { .. })
    )
}
