//! Files that appear whole or not at all: written under a temporary name beside their place, synced, renamed.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{Result, io_error};

/// A file under way. Dropped before [`OutputFile::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl OutputFile {
    /// Begins a file at `path`.
    ///
    /// # Errors
    /// When its directory cannot be written to.
    pub fn create(path: &Path) -> Result<Self> {
        let file = BufWriter::with_capacity(1 << 18, temporary(directory_of(path))?);
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all(bytes)
            .map_err(io_error("write", &self.path))
    }

    /// Syncs the file and gives it its name.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn finish(self) -> Result<()> {
        let file = self
            .file
            .into_inner()
            .map_err(|error| io_error("write", &self.path)(error.into_error()))?;
        persist(file, &self.path)
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
pub(crate) fn persist(file: NamedTempFile, path: &Path) -> Result<()> {
    file.as_file().sync_all().map_err(io_error("write", path))?;
    file.persist(path)
        .map_err(|error| io_error("write", path)(error.error))?;
    Ok(())
}

/// A temporary file in `directory` with the permissions of a new file.
pub(crate) fn temporary(directory: &Path) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".doublet-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
        .tempfile_in(directory)
        .map_err(io_error("create a file in", directory))
}
