//! The manifest of a run's directory: which state is whole, and of which run it is. Replacing it is what keeps a state.
//!
//! Three parts, as in an index: a line with the version of the format, JSON, and a line with the xxh3-64 of all before it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::signature::Signature;
use super::state::StateReader;
use super::{KeptFigures, Stage};
use crate::error::{Error, Result, io_error};
use crate::files::output::replace;
use crate::files::{self, TEMPORARY};

/// Version of the format of a state.
const FORMAT: u32 = 1;
const NAME: &str = "manifest";
const NEW: &str = "manifest.new";
const HEAD: &str = "doublet run, format ";

/// What was kept of a run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The version of doublet that wrote it.
    doublet: String,
    pub(super) stage: Stage,
    pub(super) figures: KeptFigures,
    pub(super) signature: Signature,
    state: StateFile,
}

/// The file of a state.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StateFile {
    pub(super) file: String,
    pub(super) bytes: u64,
    /// xxh3-64 in hexadecimal.
    pub(super) checksum: String,
}

impl Manifest {
    pub(super) fn new(
        stage: Stage,
        figures: KeptFigures,
        signature: &Signature,
        state: StateFile,
    ) -> Self {
        Self {
            doublet: env!("CARGO_PKG_VERSION").to_owned(),
            stage,
            figures,
            signature: signature.clone(),
            state,
        }
    }

    /// The manifest in a directory, if there is one.
    pub(super) fn read(directory: &Path) -> Result<Option<Self>> {
        let path = directory.join(NAME);
        let bytes = match files::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(io_error("read", &path))?,
        };
        let manifest = parse(&bytes, &path)?;
        if manifest.doublet != env!("CARGO_PKG_VERSION") {
            let reason = format!(
                "the run was begun by doublet {}, and this is {}: continue it with that one, or {}",
                manifest.doublet,
                env!("CARGO_PKG_VERSION"),
                anew(directory)
            );
            return Err(Error::BadFile { path, reason });
        }
        Ok(Some(manifest))
    }

    /// The name of the state's file.
    pub(super) fn file(&self) -> &str {
        &self.state.file
    }

    /// Opens the state, which is whole or an error.
    pub(super) fn open(&self, directory: &Path) -> Result<StateReader> {
        if !is_state(self.file()) {
            return Err(damaged(&directory.join(NAME)));
        }
        StateReader::open(directory.join(self.file()), &self.state)
    }

    /// Makes this the state to continue from. The state must be synced already.
    pub(super) fn commit(&self, directory: &Path) -> Result<()> {
        let (path, new) = (directory.join(NAME), directory.join(NEW));
        let json =
            serde_json::to_string(self).map_err(|error| io_error("write", &path)(error.into()))?;
        let body = format!("{HEAD}{FORMAT}\n{json}");
        let text = format!("{body}\n{:016x}\n", xxh3_64(body.as_bytes()));
        replace(&path, &new, text.as_bytes())
    }
}

fn parse(bytes: &[u8], path: &Path) -> Result<Manifest> {
    let bad = |reason: String| Error::BadFile {
        path: path.to_owned(),
        reason,
    };
    let directory = path.parent().unwrap_or(path);
    let broken = || damaged(path);
    let text = std::str::from_utf8(bytes).map_err(|_| broken())?;
    let rest = text.strip_prefix(HEAD).ok_or_else(|| {
        bad(format!(
            "this is no state of a doublet run, or it is damaged: {}",
            anew(directory)
        ))
    })?;
    let (version, _) = rest.split_once('\n').ok_or_else(broken)?;
    match version.parse::<u32>() {
        Ok(FORMAT) => {}
        Ok(version) if version > FORMAT => {
            return Err(bad(format!(
                "the state has format {version}, and this doublet knows {FORMAT}: use a newer doublet, or {}",
                anew(directory)
            )));
        }
        _ => return Err(broken()),
    }
    let body = text
        .strip_suffix('\n')
        .and_then(|text| text.rsplit_once('\n'));
    let (body, sum) = body.ok_or_else(broken)?;
    if format!("{:016x}", xxh3_64(body.as_bytes())) != sum {
        return Err(broken());
    }
    let json = body.split_once('\n').map_or("", |(_, json)| json);
    serde_json::from_str(json).map_err(|_| broken())
}

/// The way out when a state is of no use.
pub(super) fn anew(directory: &Path) -> String {
    format!("remove `{}` and start anew", directory.display())
}

/// The error for a file of a state that is not what was written.
pub(super) fn damaged(path: &Path) -> Error {
    let directory = path.parent().unwrap_or(path);
    Error::BadFile {
        path: path.to_owned(),
        reason: format!(
            "the state of the interrupted run is damaged: {}",
            anew(directory)
        ),
    }
}

/// Whether a directory has a manifest.
pub(super) fn exists(directory: &Path) -> bool {
    directory.join(NAME).exists()
}

/// Removes the manifest, if there is one.
pub(super) fn remove(directory: &Path) -> Result<()> {
    let path = directory.join(NAME);
    files::if_there(files::remove_file(&path)).map_err(io_error("remove", &path))
}

/// Removes the files of a run that the manifest in the directory does not name. With a manifest that cannot be read, nothing goes.
pub(super) fn sweep_unnamed(directory: &Path) {
    match Manifest::read(directory) {
        Ok(manifest) => sweep(directory, manifest.as_ref().map(Manifest::file)),
        Err(_) => sweep_temporary(directory),
    }
}

/// Removes what a run leaves in its directory, but for the manifest and the state of this name. Best effort: what cannot be
/// removed does no harm.
pub(super) fn sweep(directory: &Path, named: Option<&str>) {
    let _left = sweep_all(directory, named);
}

/// The same, and says what cannot be removed.
pub(super) fn sweep_all(directory: &Path, named: Option<&str>) -> Result<()> {
    sweep_if(directory, |name| {
        is_temporary(name) || (is_state(name) && Some(name) != named)
    })
}

fn sweep_temporary(directory: &Path) {
    let _left = sweep_if(directory, is_temporary);
}

/// Removes what it can; gives the first error.
fn sweep_if(directory: &Path, goes: impl Fn(&str) -> bool) -> Result<()> {
    let entries = files::read_dir(directory).map_err(io_error("read", directory))?;
    let mut swept = Ok(());
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(&goes) {
            let path = entry.path();
            let removed = files::remove_file(&path).map_err(io_error("remove", path));
            swept = swept.and(removed);
        }
    }
    swept
}

fn is_temporary(name: &str) -> bool {
    name == NEW || name.starts_with(TEMPORARY)
}

/// Whether this is the name of a state: `read-1234.state`.
fn is_state(name: &str) -> bool {
    let stem = name.strip_suffix(".state");
    let parts = stem.and_then(|stem| stem.split_once('-'));
    parts.is_some_and(|(stage, number)| {
        ["read", "candidates", "matches"].contains(&stage)
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
