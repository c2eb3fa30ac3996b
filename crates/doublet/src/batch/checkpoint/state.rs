//! The file of a state: columns of numbers, one after the other, each with its length before it.
//!
//! Numbers stand as they do in memory. The order of bytes is part of the signature, so that no other machine takes them for its own.

use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use xxhash_rust::xxh3::Xxh3;

use super::manifest::{StateFile, damaged};
use crate::candidates::partition::Partitions;
use crate::error::{Result, io_error};
use crate::files::{File, TemporaryFile, output};

/// Bytes that are read or written at once.
const PIECE: usize = 1 << 20;
/// Numbers of a column that are gathered before they are written.
const GATHERED: usize = 4096;

/// A state under way: a temporary file that gets its name at the end.
pub(crate) struct StateWriter {
    file: BufWriter<TemporaryFile>,
    directory: PathBuf,
    hash: Xxh3,
    bytes: u64,
}

impl StateWriter {
    pub(super) fn create(directory: &Path) -> Result<Self> {
        Ok(Self {
            file: BufWriter::with_capacity(PIECE, output::temporary(directory)?),
            directory: directory.to_owned(),
            hash: Xxh3::new(),
            bytes: 0,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file
            .write_all(bytes)
            .map_err(io_error("write a state in", &self.directory))
    }

    /// Adds a single number.
    pub(crate) fn number(&mut self, number: u64) -> Result<()> {
        self.write(&number.to_ne_bytes())
    }

    /// Adds a column that lies in memory as it is.
    pub(crate) fn numbers<T: Pod>(&mut self, numbers: &[T]) -> Result<()> {
        self.number(numbers.len() as u64)?;
        self.write(bytemuck::cast_slice(numbers))
    }

    /// Adds a column that is made on the way.
    pub(crate) fn column<T: Pod>(
        &mut self,
        numbers: impl ExactSizeIterator<Item = T>,
    ) -> Result<()> {
        self.number(numbers.len() as u64)?;
        let mut gathered = Vec::with_capacity(GATHERED);
        for number in numbers {
            gathered.push(number);
            if gathered.len() == GATHERED {
                self.write(bytemuck::cast_slice(&gathered))?;
                gathered.clear();
            }
        }
        self.write(bytemuck::cast_slice(&gathered))
    }

    /// Adds all partitions, each as a column; they stay as they are.
    pub(crate) fn partitions(&mut self, partitions: &Partitions) -> Result<()> {
        self.number(partitions.count() as u64)?;
        (0..partitions.count()).try_for_each(|part| self.numbers(&partitions.copy(part)?))
    }

    /// Syncs the file and gives it a name that begins with `stage`.
    pub(super) fn finish(self, directory: &Path, stage: &str) -> Result<StateFile> {
        let file = format!("{stage}-{}.state", std::process::id());
        let path = directory.join(&file);
        let written = self.file.into_inner();
        let written = written.map_err(|error| io_error("write", &path)(error.into_error()))?;
        output::persist(written, &path)?;
        Ok(StateFile {
            file,
            bytes: self.bytes,
            checksum: format!("{:016x}", self.hash.digest()),
        })
    }
}

/// A state being read back. What does not hold what is asked for is damaged.
#[derive(Debug)]
pub(crate) struct StateReader {
    file: BufReader<File>,
    path: PathBuf,
    left: u64,
}

impl StateReader {
    /// Opens a state after it was read through: its length and its checksum must be these.
    pub(super) fn open(path: PathBuf, expected: &StateFile) -> Result<Self> {
        let mut file = File::open(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => damaged(&path),
            _ => io_error("open", &path)(error),
        })?;
        let mut hash = Xxh3::new();
        let mut piece = vec![0; PIECE];
        let mut bytes = 0;
        loop {
            let count = match file.read(&mut piece) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                read => read.map_err(io_error("read", &path))?,
            };
            if count == 0 {
                break;
            }
            bytes += count as u64;
            hash.update(&piece[..count]);
        }
        if bytes != expected.bytes || format!("{:016x}", hash.digest()) != expected.checksum {
            return Err(damaged(&path));
        }
        let file = File::open(&path).map_err(io_error("open", &path))?;
        Ok(Self {
            file: BufReader::with_capacity(PIECE, file),
            path,
            left: bytes,
        })
    }

    /// The error of a state that does not hold what it should.
    pub(crate) fn damaged(&self) -> crate::error::Error {
        damaged(&self.path)
    }

    /// That something holds of what was read.
    pub(crate) fn ensure(&self, holds: bool) -> Result<()> {
        if holds { Ok(()) } else { Err(self.damaged()) }
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<()> {
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| self.damaged())?;
        self.file
            .read_exact(bytes)
            .map_err(io_error("read", &self.path))
    }

    /// A single number.
    pub(crate) fn number(&mut self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.read(&mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// A column.
    pub(crate) fn column<T: Pod>(&mut self) -> Result<Vec<T>> {
        let count = self.number()?;
        let bytes = count.checked_mul(size_of::<T>() as u64);
        self.ensure(bytes.is_some_and(|bytes| bytes <= self.left))?;
        let mut numbers = bytemuck::zeroed_vec(count as usize);
        self.read(bytemuck::cast_slice_mut(&mut numbers))?;
        Ok(numbers)
    }

    /// A column of so many numbers.
    pub(crate) fn column_of<T: Pod>(&mut self, count: usize) -> Result<Vec<T>> {
        let column = self.column()?;
        self.ensure(column.len() == count)?;
        Ok(column)
    }

    /// Partitions, their number a power of two, that keep up to `budget` bytes in memory; the rest goes to a temporary file in
    /// `directory`.
    pub(crate) fn partitions(&mut self, budget: u64, directory: &Path) -> Result<Partitions> {
        let count = self.number()?;
        // Every partition takes at least the eight bytes of its length.
        self.ensure(count.is_power_of_two() && count <= self.left / 8)?;
        let partitions = Partitions::new(count as usize, budget, directory);
        for part in 0..count as usize {
            partitions.append(part, &self.column::<u64>()?)?;
        }
        Ok(partitions)
    }
}
