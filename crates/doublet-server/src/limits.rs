//! What the service takes at a time: requests at work or waiting, and the bytes of the bodies that it holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::problem::Problem;

/// A number of places, taken and given back.
#[derive(Debug)]
pub(crate) struct Places {
    most: usize,
    taken: AtomicUsize,
}

impl Places {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        let taken = AtomicUsize::new(0);
        Arc::new(Self { most, taken })
    }

    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// Takes so many, if there are.
    pub(crate) fn take(self: &Arc<Self>, count: usize) -> Option<Taken> {
        let mut taken = Taken {
            places: Arc::clone(self),
            count: 0,
        };
        taken.more(count).then_some(taken)
    }
}

/// Places that are taken until it is dropped.
#[derive(Debug)]
pub(crate) struct Taken {
    places: Arc<Places>,
    count: usize,
}

impl Taken {
    /// Takes so many more; whether there are.
    pub(crate) fn more(&mut self, count: usize) -> bool {
        let before = self.places.taken.fetch_add(count, Ordering::Relaxed);
        let fits = before.saturating_add(count) <= self.places.most;
        if fits {
            self.count += count;
        } else {
            self.places.taken.fetch_sub(count, Ordering::Relaxed);
        }
        fits
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.places.taken.fetch_sub(self.count, Ordering::Relaxed);
    }
}

/// The limits that all requests share.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) requests: Arc<Places>,
    pub(crate) bodies: Arc<Places>,
    streams: Arc<Places>,
}

/// Streams of documents at a time; each holds up to four times the longest text.
const STREAMS: usize = 16;

impl Limits {
    pub(crate) fn new(requests: usize, bodies: usize) -> Self {
        Self {
            requests: Places::new(requests),
            bodies: Places::new(bodies),
            streams: Places::new(STREAMS),
        }
    }

    /// Lets a request in that has work to do.
    pub(crate) fn admit(&self) -> Result<Taken, Problem> {
        let place = self.requests.take(1);
        place.ok_or_else(|| {
            Problem::overloaded(
                "too many requests wait already: try again after `Retry-After` seconds",
            )
        })
    }

    /// Lets a stream of documents in.
    pub(crate) fn stream(&self) -> Result<Taken, Problem> {
        let place = self.streams.take(1);
        place.ok_or_else(|| {
            Problem::overloaded("too many streams of documents are being taken already: try again after `Retry-After` seconds")
        })
    }

    /// Room for so many bytes of a body.
    pub(crate) fn hold(&self, bytes: usize) -> Result<Taken, Problem> {
        self.bodies.take(bytes).ok_or_else(no_room)
    }
}

/// That no more bodies are held.
pub(crate) fn no_room() -> Problem {
    Problem::overloaded(
        "too many bodies are being read already: try again after `Retry-After` seconds",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_given_back() {
        let places = Places::new(3);
        let mut first = places.take(2).unwrap();
        assert!(places.take(2).is_none());
        assert!(first.more(1));
        assert!(!first.more(1));
        assert_eq!(places.taken(), 3);
        drop(first);
        assert_eq!(places.taken(), 0);
        assert!(places.take(usize::MAX).is_none());
        assert_eq!(places.taken(), 0);
    }
}
