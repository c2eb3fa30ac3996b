//! Asks an index about every record of a collection, on all threads, in the order of the input.

use std::time::Instant;

use super::super::Index;
use super::{Answer, CheckOptions, Checker};
use crate::batch::scan::{self, Extent};
use crate::document::Key;
use crate::error::Result;
use crate::parallel::InOrder;
use crate::progress::{self, Observer, Unit};
use crate::read::{Block, Collection, Record, Rejection, expect_some};

/// What is asked about a collection.
#[derive(Clone, Copy, Debug)]
pub struct Checking {
    /// What is asked about each text.
    pub options: CheckOptions,
    /// Worker threads.
    pub threads: usize,
    /// Stop at the first bad record.
    pub strict: bool,
    /// Number the records instead of using their ids.
    pub renumber: bool,
}

/// A record that was asked about.
#[derive(Debug)]
pub struct CheckedRecord<'a> {
    /// Its id as JSON.
    pub id: Key<'a>,
    /// The record.
    pub record: &'a Record<'a>,
    /// Its bytes as they stand in the input.
    pub raw: &'a [u8],
    /// What the index says.
    pub answer: Answer,
    /// Seconds that the answer took.
    pub seconds: f64,
}

/// Asks about all records. `make` turns each into what is wanted of it, on the worker's thread, and `take` gets these in the order of
/// the input. Gives the records that could not be read.
///
/// # Errors
/// When the index is damaged, a file or every record cannot be read, a record is bad and `strict` is set, or the observer cancels.
pub fn check_collection<T: Send>(
    index: &Index,
    collection: &Collection,
    checking: &Checking,
    observer: &dyn Observer,
    make: impl Fn(&CheckedRecord<'_>) -> T + Sync,
    take: impl FnMut(T) -> Result<()> + Send,
) -> Result<Vec<Rejection>> {
    progress::begin(observer, "checking", collection.total_bytes(), Unit::Bytes)?;
    let queue = InOrder::new((take, 0, Vec::new()), checking.threads);
    let asking = Asking {
        collection,
        checking,
        make: &make,
    };
    scan::scan(
        collection,
        Extent::Whole,
        checking.threads,
        observer,
        || Checker::new(index),
        |checker, block| {
            queue.guarded(|| {
                let all = asking.block(block, checker)?;
                let count = block.len() as u32;
                queue.send(
                    block.first,
                    count,
                    all,
                    |(take, read, rejected), (made, more)| {
                        *read += made.len() as u64;
                        rejected.extend(more);
                        made.into_iter().try_for_each(&mut *take)
                    },
                )
            })
        },
    )?;
    let (_, read, rejected) = queue.into_sink();
    expect_some(read, rejected.len() as u64, rejected.first())?;
    Ok(rejected)
}

struct Asking<'a, M> {
    collection: &'a Collection,
    checking: &'a Checking,
    make: &'a M,
}

impl<T, M: Fn(&CheckedRecord<'_>) -> T> Asking<'_, M> {
    fn block(&self, block: &Block, checker: &mut Checker<'_>) -> Result<(Vec<T>, Vec<Rejection>)> {
        let (mut made, mut rejections) = (Vec::with_capacity(block.len()), Vec::new());
        let first = self.checking.renumber.then_some(0);
        for found in block.records(self.checking.strict) {
            let (index, record) = match found? {
                (index, Ok(record)) => (index, record),
                (_, Err(rejection)) => {
                    rejections.push(rejection);
                    continue;
                }
            };
            let start = Instant::now();
            let answer = checker.check(&record.text, &self.checking.options)?;
            let seconds = start.elapsed().as_secs_f64();
            let id = self.collection.key_of(block, index, &record, first);
            made.push((self.make)(&CheckedRecord {
                id,
                record: &record,
                raw: block.raw(index),
                answer,
                seconds,
            }));
        }
        Ok((made, rejections))
    }
}
