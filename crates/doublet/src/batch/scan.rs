//! Passes over the texts of a run, on all threads.

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use crate::error::Result;
use crate::matches::Source;
use crate::parallel;
use crate::progress::{self, Observer, Unit};
use crate::read::{Block, BlockReader, Collection};

/// Which blocks a pass reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of them.
    Whole,
    /// One in so many, spread over the collection.
    OneIn(usize),
}

/// Reads blocks and hands each to `each` with the thread's own state, which is given back.
pub(crate) fn scan<S: Send>(
    collection: &Collection,
    extent: Extent,
    threads: usize,
    observer: &dyn Observer,
    start: impl Fn() -> S + Sync,
    each: impl Fn(&mut S, &Block) -> Result<()> + Sync,
) -> Result<Vec<S>> {
    let reader = Mutex::new(match extent {
        Extent::Whole => collection.blocks()?,
        Extent::OneIn(every) => collection.sample_blocks(every)?,
    });
    parallel::run(threads, |stop| {
        let mut state = start();
        while !stop.load(Ordering::Relaxed) {
            let Some(block) = next_block(&reader, observer)? else {
                break;
            };
            each(&mut state, &block)?;
        }
        Ok(state)
    })
}

fn next_block(reader: &Mutex<BlockReader<'_>>, observer: &dyn Observer) -> Result<Option<Block>> {
    let mut reader = reader
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let before = reader.bytes_read();
    let block = reader.next_block()?;
    progress::advance(observer, reader.bytes_read().saturating_sub(before))?;
    Ok(block)
}

/// Announces a stage that reads the source, or one part in `divisor` of it.
pub(crate) fn announce(
    source: &Source,
    observer: &dyn Observer,
    name: &'static str,
    divisor: u64,
) -> Result<()> {
    let input = source.input.total_bytes();
    let references = source
        .references
        .as_ref()
        .map_or(Some(0), Collection::total_bytes);
    let total = input.zip(references).map(|(a, b)| (a + b) / divisor);
    progress::begin(observer, name, total, Unit::Bytes)
}
