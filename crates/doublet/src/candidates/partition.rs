//! Numbers shared out among partitions, in memory up to a budget and in a temporary file past it.
//!
//! Workers push through a [`Feeder`], which collects a cache line's worth a partition before it takes the partition's lock.
//! A partition is taken out again as one vector, in no particular order: whoever needs an order sorts.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Result, io_error};
use crate::files::{self, File};

/// Numbers that a feeder holds back for each partition.
const LOCAL: usize = 32;
/// Numbers in one piece of memory: the most, and the least.
const CHUNK: (usize, usize) = (4096, 64);
// Entries of two and of four numbers stay whole: a feeder hands on, and a chunk holds, a multiple of them.
const _: () = assert!(LOCAL.is_multiple_of(4) && CHUNK.0.is_multiple_of(CHUNK.1));
const _: () = assert!(CHUNK.1.is_multiple_of(4));

/// Partitions of 64-bit numbers.
#[derive(Debug)]
pub(crate) struct Partitions {
    parts: Vec<Mutex<Part>>,
    /// Numbers in one piece of memory.
    chunk: usize,
    spill: Spill,
}

#[derive(Debug, Default)]
struct Part {
    chunks: Vec<Vec<u64>>,
    /// Offset and count of numbers in the spill file.
    spilled: Vec<(u64, usize)>,
}

/// Where partitions go when memory runs out.
#[derive(Debug)]
struct Spill {
    directory: PathBuf,
    file: Mutex<Option<File>>,
    held: AtomicU64,
    budget: u64,
}

impl Partitions {
    /// `count` empty partitions that keep up to `budget` bytes in memory; the rest goes to a temporary file in `directory`.
    pub(crate) fn new(count: usize, budget: u64, directory: &Path) -> Self {
        // Every partition holds a piece, also past the budget: all together they take half of it at most.
        let room = usize::try_from(budget / 16).unwrap_or(usize::MAX) / count.max(1);
        let chunk = room.clamp(CHUNK.1, CHUNK.0);
        Self {
            parts: (0..count).map(|_| Mutex::default()).collect(),
            chunk: chunk - chunk % CHUNK.1,
            spill: Spill {
                directory: directory.to_owned(),
                file: Mutex::default(),
                held: AtomicU64::new(0),
                budget,
            },
        }
    }

    /// Number of partitions.
    pub(crate) fn count(&self) -> usize {
        self.parts.len()
    }

    /// Adds numbers to a partition.
    pub(crate) fn append(&self, part: usize, mut numbers: &[u64]) -> Result<()> {
        let mut part = lock(&self.parts[part]);
        while !numbers.is_empty() {
            let room = part.chunks.last().map_or(0, |last| self.chunk - last.len());
            if room == 0 {
                if self.spill.is_full() {
                    let held = part.chunks.len() * self.chunk;
                    self.spill.write(&mut part)?;
                    self.spill.release(held);
                }
                part.chunks.push(Vec::with_capacity(self.chunk));
                self.spill.hold(self.chunk);
                continue;
            }
            let (now, later) = numbers.split_at(room.min(numbers.len()));
            if let Some(last) = part.chunks.last_mut() {
                last.extend_from_slice(now);
            }
            numbers = later;
        }
        Ok(())
    }

    /// Takes all numbers of a partition out, leaving it empty.
    pub(crate) fn take(&self, part: usize) -> Result<Vec<u64>> {
        let part = std::mem::take(&mut *lock(&self.parts[part]));
        let numbers = self.collect(&part);
        self.spill.release(self.chunk * part.chunks.len());
        numbers
    }

    /// A copy of all numbers of a partition, in the order in which they were appended.
    pub(crate) fn copy(&self, part: usize) -> Result<Vec<u64>> {
        self.collect(&lock(&self.parts[part]))
    }

    fn collect(&self, part: &Part) -> Result<Vec<u64>> {
        let spilled: usize = part.spilled.iter().map(|(_, count)| count).sum();
        let held: usize = part.chunks.iter().map(Vec::len).sum();
        // Room for all at once: to grow would take twice the memory for a moment.
        let mut numbers = Vec::with_capacity(spilled + held);
        numbers.resize(spilled, 0);
        self.spill.read(&part.spilled, &mut numbers)?;
        for chunk in &part.chunks {
            numbers.extend_from_slice(chunk);
        }
        Ok(numbers)
    }

    /// A feeder for one worker.
    pub(crate) fn feeder(&self) -> Feeder<'_> {
        Feeder {
            partitions: self,
            numbers: vec![0; self.parts.len() * LOCAL],
            lengths: vec![0; self.parts.len()],
        }
    }
}

impl Spill {
    fn hold(&self, numbers: usize) {
        self.held.fetch_add(8 * numbers as u64, Ordering::Relaxed);
    }

    fn release(&self, numbers: usize) {
        self.held.fetch_sub(8 * numbers as u64, Ordering::Relaxed);
    }

    fn is_full(&self) -> bool {
        self.held.load(Ordering::Relaxed) >= self.budget
    }

    fn write(&self, part: &mut Part) -> Result<()> {
        let fail = || io_error("write a temporary file in", &self.directory);
        let mut guard = lock(&self.file);
        if guard.is_none() {
            // A file without a name, which goes when it is closed.
            *guard = Some(files::nameless(&self.directory).map_err(fail())?);
        }
        let Some(file) = guard.as_mut() else {
            return Ok(());
        };
        let mut offset = file.seek(SeekFrom::End(0)).map_err(fail())?;
        for chunk in part.chunks.drain(..) {
            let bytes: &[u8] = bytemuck::cast_slice(&chunk);
            file.write_all(bytes).map_err(fail())?;
            part.spilled.push((offset, chunk.len()));
            offset += bytes.len() as u64;
        }
        Ok(())
    }

    fn read(&self, pieces: &[(u64, usize)], mut out: &mut [u64]) -> Result<()> {
        let mut guard = lock(&self.file);
        let Some(file) = guard.as_mut() else {
            return Ok(());
        };
        for &(offset, count) in pieces {
            let (now, later) = out.split_at_mut(count);
            file.seek(SeekFrom::Start(offset))
                .and_then(|_| file.read_exact(bytemuck::cast_slice_mut(now)))
                .map_err(io_error("read a temporary file in", &self.directory))?;
            out = later;
        }
        Ok(())
    }
}

/// One worker's way into the partitions. [`Feeder::finish`] must be called at the end.
pub(crate) struct Feeder<'a> {
    partitions: &'a Partitions,
    numbers: Vec<u64>,
    lengths: Vec<u8>,
}

impl Feeder<'_> {
    /// Adds a number to a partition.
    #[inline(always)]
    pub(crate) fn push(&mut self, part: usize, number: u64) -> Result<()> {
        let length = self.lengths[part] as usize;
        self.numbers[part * LOCAL + length] = number;
        self.lengths[part] = length as u8 + 1;
        if length + 1 == LOCAL {
            return self.flush(part);
        }
        Ok(())
    }

    #[cold]
    fn flush(&mut self, part: usize) -> Result<()> {
        let length = std::mem::take(&mut self.lengths[part]) as usize;
        let start = part * LOCAL;
        self.partitions
            .append(part, &self.numbers[start..start + length])
    }

    /// Hands on what is held back.
    pub(crate) fn finish(mut self) -> Result<()> {
        (0..self.lengths.len()).try_for_each(|part| self.flush(part))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out_whatever_the_budget() {
        for budget in [0, 100_000, u64::MAX] {
            let directory = tempfile::tempdir().unwrap();
            let partitions = Partitions::new(3, budget, directory.path());
            let mut feeder = partitions.feeder();
            for number in 0..100_000u64 {
                feeder.push((number % 3) as usize, number).unwrap();
            }
            feeder.finish().unwrap();
            for part in 0..3 {
                let mut numbers = partitions.take(part).unwrap();
                numbers.sort_unstable();
                let expected: Vec<u64> = (0..100_000).filter(|n| n % 3 == part as u64).collect();
                assert_eq!(numbers, expected);
            }
            assert_eq!(partitions.spill.held.load(Ordering::Relaxed), 0);
        }
    }
}
