//! Work shared out among threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};

/// Runs `work` on each of `threads` threads and gives back what each returned, in the order of the threads. After an error
/// the other threads see `stop` and end early, and of several errors that of the first thread is given back; one that says more
/// than that a thread was interrupted goes first, for whoever waits for a thread that failed is interrupted.
pub(crate) fn run<T: Send>(
    threads: usize,
    work: impl Fn(&AtomicBool) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let stop = AtomicBool::new(false);
    let guarded = || {
        let result = work(&stop);
        if result.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        result
    };
    if threads <= 1 {
        return Ok(vec![guarded()?]);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(guarded)).collect();
        let results = workers.into_iter().map(|worker| {
            worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        let mut results: Vec<Result<T>> = results.collect();
        let is_cause = |result: &Result<T>| {
            result
                .as_ref()
                .is_err_and(|error| !matches!(error, Error::Interrupted))
        };
        if let Some(cause) = results.iter().position(is_cause) {
            results.swap(0, cause);
        }
        results.into_iter().collect()
    })
}

/// Calls `each` with every number below `count`, on `threads` threads, and gives the results in order.
pub(crate) fn map<T: Send>(
    threads: usize,
    count: usize,
    each: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let parts = run(threads.min(count.max(1)), |stop| {
        let mut done = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let item = next.fetch_add(1, Ordering::Relaxed);
            if item >= count {
                break;
            }
            done.push((item, each(item)?));
        }
        Ok(done)
    })?;
    let mut all: Vec<(usize, T)> = parts.into_iter().flatten().collect();
    all.sort_unstable_by_key(|(item, _)| *item);
    Ok(all.into_iter().map(|(_, result)| result).collect())
}

/// Calls `each` with every number below `count` and the thread's own state, which `finish` takes at the end.
pub(crate) fn for_each_with<S>(
    threads: usize,
    count: usize,
    start: impl Fn() -> S + Sync,
    each: impl Fn(&mut S, usize) -> Result<()> + Sync,
    finish: impl Fn(S) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    run(threads.min(count.max(1)), |stop| {
        let mut state = start();
        while !stop.load(Ordering::Relaxed) {
            let item = next.fetch_add(1, Ordering::Relaxed);
            if item >= count {
                break;
            }
            each(&mut state, item)?;
        }
        finish(state)
    })
    .map(|_| ())
}

/// Brings what threads make of the pieces of an input back into its order, and hands it to one place.
pub(crate) struct InOrder<S, T> {
    inner: Mutex<Sequence<S, T>>,
    /// A piece that others waited for went in.
    turn: Condvar,
    /// Pieces that may wait for one before them.
    most: usize,
}

struct Sequence<S, T> {
    sink: S,
    waiting: BTreeMap<u32, (u32, T)>,
    next: u32,
    failed: bool,
}

impl<S, T> InOrder<S, T> {
    /// Begins with piece 0.
    pub(crate) fn new(sink: S, threads: usize) -> Self {
        Self {
            inner: Mutex::new(Sequence {
                sink,
                waiting: BTreeMap::new(),
                next: 0,
                failed: false,
            }),
            turn: Condvar::new(),
            most: 4 * threads,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Sequence<S, T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what was made of `count` pieces from `first` on; `take` gets it once all before it are taken. After an error, whoever
    /// waits is let go.
    pub(crate) fn send(
        &self,
        first: u32,
        count: u32,
        made: T,
        mut take: impl FnMut(&mut S, T) -> Result<()>,
    ) -> Result<()> {
        let mut inner = self.lock();
        while first != inner.next && inner.waiting.len() >= self.most && !inner.failed {
            inner = self
                .turn
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if inner.failed {
            return Err(Error::Interrupted);
        }
        inner.waiting.insert(first, (count, made));
        let mut taken = Ok(());
        while taken.is_ok() {
            let Sequence {
                sink,
                waiting,
                next,
                ..
            } = &mut *inner;
            let Some((count, made)) = waiting.remove(next) else {
                break;
            };
            *next += count;
            taken = take(sink, made);
        }
        inner.failed |= taken.is_err();
        self.turn.notify_all();
        taken
    }

    /// Does a thread's work, after which nobody waits for it if it failed, by an error or a panic.
    pub(crate) fn guarded<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        struct Guard<'q, S, T>(&'q InOrder<S, T>);
        impl<S, T> Drop for Guard<'_, S, T> {
            fn drop(&mut self) {
                self.0.fail();
            }
        }
        let guard = Guard(self);
        let result = work();
        if result.is_ok() {
            std::mem::forget(guard);
        }
        result
    }

    /// A thread gave up: nobody waits for it.
    fn fail(&self) {
        self.lock().failed = true;
        self.turn.notify_all();
    }

    /// What everything was handed to.
    pub(crate) fn into_sink(self) -> S {
        let inner = self.inner.into_inner();
        inner.unwrap_or_else(PoisonError::into_inner).sink
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn results_keep_their_order() {
        for threads in [1, 2, 7] {
            let squares = map(threads, 100, |n| Ok(n * n)).unwrap();
            assert!(
                squares
                    .iter()
                    .enumerate()
                    .all(|(n, &square)| square == n * n)
            );
        }
    }

    #[test]
    fn what_is_sent_out_of_order_arrives_in_order() {
        for threads in [1, 3] {
            let order = InOrder::new(Vec::new(), threads);
            map(threads, 200, |n| {
                let n = n as u32;
                order.send(2 * n, 2, n, |sink, n| {
                    sink.push(n);
                    Ok(())
                })
            })
            .unwrap();
            assert_eq!(order.into_sink(), (0..200).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn an_error_lets_the_waiting_go() {
        let order = InOrder::new((), 1);
        let result = map(3, 1000, |n| {
            if n == 0 {
                order.fail();
                return Err(Error::Interrupted);
            }
            order.send(n as u32, 1, (), |(), ()| Ok(()))
        });
        assert!(result.is_err());
    }

    #[test]
    fn the_cause_is_told_and_not_who_waited_for_it() {
        for failing in 0..20 {
            let order = InOrder::new((), 1);
            let result = map(4, 100, |n| {
                order.send(n as u32, 1, n, |(), n| match n == failing {
                    true => Err(Error::TooManyDocuments),
                    false => Ok(()),
                })
            });
            assert!(matches!(result, Err(Error::TooManyDocuments)));
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let result = map(3, 1000, |n| {
            if n == 5 {
                Err(Error::Interrupted)
            } else {
                Ok(())
            }
        });
        assert!(result.is_err());
    }
}
