//! Stage 1, read: a Parquet file on disk, as its reader wants it.
//!
//! The reader of the format tells whatever goes wrong as damage. This remembers what the system refused, so that a failing disk is
//! not taken for a bad file.

use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use super::spool::Backing;
use crate::error::{Error, Result, io_error};

/// A file that is read at any offset. Clones are the same file.
#[derive(Clone, Debug)]
pub(crate) struct ParquetFile {
    backing: Arc<Backing>,
    bytes: u64,
    failed: Arc<OnceLock<i32>>,
}

impl ParquetFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let backing = Backing::open(path)?;
        let bytes = backing.bytes().map_err(io_error("read", path))?;
        Ok(Self {
            backing: Arc::new(backing),
            bytes,
            failed: Arc::default(),
        })
    }

    /// What the system said when it refused to read.
    pub(crate) fn failure(&self) -> Option<std::io::Error> {
        let code = self.failed.get()?;
        Some(std::io::Error::from_raw_os_error(*code))
    }

    /// The error of a step that failed: the system's own, or else what is wrong with the file.
    pub(crate) fn error(&self, path: &Path, damage: impl FnOnce() -> String) -> Error {
        match self.failure() {
            Some(cause) => io_error("read", path)(cause),
            None => Error::BadFile {
                path: path.to_owned(),
                reason: damage(),
            },
        }
    }
}

/// Reads on from an offset. There is always more to read in a whole file: who steps over what a damaged one announces must not take
/// its end for an empty step.
pub(crate) struct From {
    file: ParquetFile,
    offset: u64,
}

impl Read for From {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.backing.read_at(buffer, self.offset);
        match &read {
            Ok(0) if !buffer.is_empty() => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => self.offset += *count as u64,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => {
                let code = error.raw_os_error().unwrap_or_default();
                // The first one counts.
                let _later = self.file.failed.set(code);
            }
        }
        read
    }
}

impl Length for ParquetFile {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for ParquetFile {
    type T = BufReader<From>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(From {
            file: self.clone(),
            offset: start,
        }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        // A damaged footer may ask for any length.
        let there = (length as u64).min(self.bytes.saturating_sub(start));
        let mut buffer = Vec::with_capacity(there as usize);
        let from = From {
            file: self.clone(),
            offset: start,
        };
        let read = from.take(there).read_to_end(&mut buffer)?;
        if read != length {
            return Err(ParquetError::EOF(format!(
                "expected {length} bytes at {start}, found {read}"
            )));
        }
        Ok(buffer.into())
    }
}
