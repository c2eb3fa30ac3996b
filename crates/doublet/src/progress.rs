//! How a run tells what it is doing, and is told to stop. The library prints nothing itself.

use crate::error::{Error, Result};

/// What the amounts of a stage count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of input.
    Bytes,
    /// Things named by the word, in the plural.
    Count(&'static str),
}

/// Watches a run.
///
/// Stages follow one another: a stage ends when the next one begins, or with the run.
pub trait Observer: Sync {
    /// A stage begins; `total` is how much there is to do, if known. The run waits until this returns.
    fn stage(&self, name: &'static str, total: Option<u64>, unit: Unit);
    /// So much more of the stage is done.
    fn advance(&self, amount: u64);
    /// Something that the person who started the run will want to know.
    fn note(&self, _text: &str) {}
    /// Whether the run should stop.
    fn cancelled(&self) -> bool;
}

/// Watches nothing and never stops a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn stage(&self, _: &'static str, _: Option<u64>, _: Unit) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        false
    }
}

/// Begins a stage, or ends the run when it was cancelled.
pub(crate) fn begin(
    observer: &dyn Observer,
    name: &'static str,
    total: Option<u64>,
    unit: Unit,
) -> Result<()> {
    observer.stage(name, total, unit);
    go_on(observer)
}

/// Counts progress, or ends the run when it was cancelled.
pub(crate) fn advance(observer: &dyn Observer, amount: u64) -> Result<()> {
    observer.advance(amount);
    go_on(observer)
}

/// Ends the run when it was cancelled.
fn go_on(observer: &dyn Observer) -> Result<()> {
    if observer.cancelled() {
        return Err(Error::Interrupted);
    }
    Ok(())
}
