//! Files that appear whole or not at all: written under a temporary name beside their place, synced, renamed.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::{Result, io_error};
use crate::files::{self, File, TemporaryFile, sync_directory};

/// A file under way. Dropped before [`OutputFile::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct OutputFile {
    /// As it was given, for messages.
    name: PathBuf,
    /// Where it will be, behind links.
    path: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    /// A file that gets its name at the end.
    Temporary(BufWriter<TemporaryFile>),
    /// A device or pipe, which is written as it is.
    Special(BufWriter<File>),
}

impl OutputFile {
    /// Begins a file at `path`; a link is followed.
    ///
    /// # Errors
    /// When its directory cannot be written to.
    pub fn create(path: &Path) -> Result<Self> {
        let special = std::fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir());
        if special {
            let file = File::open_to_write(path).map_err(io_error("open", path))?;
            return Ok(Self {
                name: path.to_owned(),
                path: path.to_owned(),
                target: Target::Special(BufWriter::new(file)),
            });
        }
        let name = path.to_owned();
        let path = path.canonicalize().unwrap_or_else(|_| name.clone());
        let file = TemporaryFile::create(directory_of(&path)).map_err(io_error("create", &name))?;
        Ok(Self {
            name,
            path,
            target: Target::Temporary(BufWriter::with_capacity(1 << 18, file)),
        })
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.target {
            Target::Temporary(file) => file.write_all(bytes),
            Target::Special(file) => file.write_all(bytes),
        };
        written.map_err(io_error("write", &self.name))
    }

    /// Syncs the file and gives it its name.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn finish(self) -> Result<()> {
        match self.target {
            Target::Temporary(file) => {
                let file = file
                    .into_inner()
                    .map_err(|error| io_error("write", &self.name)(error.into_error()))?;
                file.persist(&self.path)
                    .map_err(io_error("write", &self.name))
            }
            Target::Special(mut file) => file.flush().map_err(io_error("write", &self.name)),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.target {
            Target::Temporary(file) => file.write(bytes),
            Target::Special(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.target {
            Target::Temporary(file) => file.flush(),
            Target::Special(file) => file.flush(),
        }
    }
}

/// The directory a file lies in.
fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Syncs a temporary file and gives it its name.
pub(crate) fn persist(file: TemporaryFile, path: &Path) -> Result<()> {
    file.persist(path).map_err(io_error("write", path))
}

/// Puts a file of these bytes in the place of another, by way of a name of its own beside it: after a crash one of the two is there,
/// whole.
pub(crate) fn replace(path: &Path, new: &Path, bytes: &[u8]) -> Result<()> {
    let directory = directory_of(path);
    let _listed = files::under_way(new);
    let write = || {
        let mut file = File::create(new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        sync_directory(directory)?;
        files::rename(new, path)?;
        sync_directory(directory)
    };
    write().map_err(|error| {
        let _left = files::remove_file(new);
        io_error("write", path)(error)
    })
}

/// A temporary file in `directory` with the permissions of a new file.
pub(crate) fn temporary(directory: &Path) -> Result<TemporaryFile> {
    TemporaryFile::create(directory).map_err(io_error("create a file in", directory))
}
