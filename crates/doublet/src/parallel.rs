//! Work shared out among threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::Result;

/// Runs `work` on each of `threads` threads and gives back what each returned, in the order of the threads. After an error
/// the other threads see `stop` and end early, and of several errors that of the first thread is given back.
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
        results.collect::<Vec<_>>().into_iter().collect()
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
