//! What waits for the writer: a queue that knows how much it holds, and refuses more than it should.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Changes and bytes of them that may wait.
const MOST: usize = 16_384;
const MOST_BYTES: usize = 256 << 20;

/// A queue between threads.
#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    some: Condvar,
}

#[derive(Debug)]
struct State<T> {
    waiting: VecDeque<(T, usize)>,
    bytes: usize,
    closed: bool,
}

/// Why something may not wait; it is given back.
#[derive(Debug)]
pub(super) enum Refused<T> {
    Busy(T),
    Closed(T),
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                bytes: 0,
                closed: false,
            }),
            some: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds something of so many bytes, if there is room.
    pub(super) fn push(&self, item: T, bytes: usize) -> Result<(), Refused<T>> {
        let mut state = self.state();
        if state.closed {
            return Err(Refused::Closed(item));
        }
        let full = state.waiting.len() >= MOST || state.bytes + bytes > MOST_BYTES;
        if full && !state.waiting.is_empty() {
            return Err(Refused::Busy(item));
        }
        state.bytes += bytes;
        state.waiting.push_back((item, bytes));
        drop(state);
        self.some.notify_one();
        Ok(())
    }

    /// Adds something ahead of all that waits, also after the end was told.
    pub(super) fn push_first(&self, item: T) {
        self.state().waiting.push_front((item, 0));
        self.some.notify_one();
    }

    /// Waits for something and takes all there is, which is nothing if it took too long; `None` once it is closed and empty.
    pub(super) fn take(&self, patience: Duration) -> Option<Vec<T>> {
        let mut state = self.state();
        loop {
            if !state.waiting.is_empty() {
                state.bytes = 0;
                return Some(state.waiting.drain(..).map(|(item, _)| item).collect());
            }
            if state.closed {
                return None;
            }
            let waited = self.some.wait_timeout(state, patience);
            let (after, late) = waited.unwrap_or_else(PoisonError::into_inner);
            state = after;
            if late.timed_out() && state.waiting.is_empty() && !state.closed {
                return Some(Vec::new());
            }
        }
    }

    pub(super) fn close(&self) {
        self.state().closed = true;
        self.some.notify_one();
    }

    /// Drops all that waits.
    pub(super) fn clear(&self) {
        let waiting = std::mem::take(&mut self.state().waiting);
        drop(waiting);
    }

    pub(super) fn len(&self) -> usize {
        self.state().waiting.len()
    }
}
