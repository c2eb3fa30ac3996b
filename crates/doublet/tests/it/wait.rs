//! Waiting in tests: for a condition, never for a time.
//!
//! The tests of other crates include this file by its path.

use std::time::{Duration, Instant};

/// More than any step of a test takes on a slow core that does other work too.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// How long to sleep between two looks.
const STEP: Duration = Duration::from_millis(2);

/// Polls until there is a value, and returns it.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        let late = start.elapsed() > LIMIT;
        if let Some(found) = poll() {
            return found;
        }
        assert!(!late, "waited {} s in vain for {what}", LIMIT.as_secs());
        std::thread::sleep(STEP);
    }
}

/// Polls until a condition holds.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for(what, || condition().then_some(()));
}
