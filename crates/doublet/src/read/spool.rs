//! Stage 1, read: files that are read again, at any offset.
//!
//! A plain file is its own backing. What is compressed or columnar is unpacked once, by the first pass, into a spool: a
//! file without a name in the temporary directory, which goes with its last handle, even when the run is killed.

#[cfg(not(unix))]
use std::io::{Read, Write};
use std::path::Path;
use std::sync::OnceLock;

use crate::error::{Result, io_error};
use crate::files::{self, File};

/// A file that is read at any offset, by any thread.
#[derive(Debug)]
pub(crate) struct Backing {
    file: File,
    #[cfg(not(unix))]
    turn: std::sync::Mutex<()>,
}

impl Backing {
    pub(crate) fn new(file: File) -> Self {
        Backing {
            file,
            #[cfg(not(unix))]
            turn: std::sync::Mutex::new(()),
        }
    }

    pub(super) fn open(path: &Path) -> Result<Self> {
        File::open(path)
            .map(Backing::new)
            .map_err(io_error("open", path))
    }

    /// Bytes in all.
    pub(super) fn bytes(&self) -> std::io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    #[cfg(unix)]
    pub(crate) fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }

    #[cfg(unix)]
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        self.file.read_at(buffer, offset)
    }

    #[cfg(unix)]
    pub(crate) fn write_all_at(&self, bytes: &[u8], offset: u64) -> std::io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    #[cfg(not(unix))]
    pub(crate) fn write_all_at(&self, bytes: &[u8], offset: u64) -> std::io::Result<()> {
        self.at(offset, |mut file| file.write_all(bytes))
    }

    #[cfg(not(unix))]
    pub(crate) fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
        self.at(offset, |mut file| file.read_exact(buffer))
    }

    #[cfg(not(unix))]
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        self.at(offset, |mut file| file.read(buffer))
    }

    /// Seeks and reads or writes while no one else does.
    #[cfg(not(unix))]
    fn at<T>(
        &self,
        offset: u64,
        work: impl FnOnce(&File) -> std::io::Result<T>,
    ) -> std::io::Result<T> {
        use std::io::{Seek, SeekFrom};
        let _turn = self.turn.lock();
        (&self.file).seek(SeekFrom::Start(offset))?;
        work(&self.file)
    }
}

/// What a file unpacks to, on disk for as long as the collection lives.
#[derive(Debug)]
pub(super) struct Spool {
    pub(super) backing: Backing,
    /// Set when the first pass has come to the end.
    pub(super) finished: OnceLock<Finished>,
}

/// How a spool ended.
#[derive(Clone, Debug)]
pub(super) struct Finished {
    pub(super) len: u64,
    pub(super) damage: Option<String>,
}

impl Spool {
    /// A new, empty spool: a file without a name in `dir`, which goes with its last handle.
    pub(super) fn create(dir: &Path) -> Result<Self> {
        let file = files::nameless(dir).map_err(io_error("create a temporary file in", dir))?;
        Ok(Spool {
            backing: Backing::new(file),
            finished: OnceLock::new(),
        })
    }
}
