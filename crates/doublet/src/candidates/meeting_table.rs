//! The texts that a meeting compares, held with their keys: all of them where they fit, else those of some buckets.

use std::sync::OnceLock;

use super::meetings::Meeting;
use crate::error::Result;

/// Texts whose keys are made in one go.
pub(super) const RUN: usize = 4096;

/// Texts that are held. What is asked of one goes by its place.
pub(super) struct Table<'a, M: Meeting> {
    pub(super) meeting: &'a M,
    pub(super) held: M::Held,
    pub(super) texts: Held,
}

/// Which texts a table has, and their keys as they are compared: sorted, each once.
pub(super) enum Held {
    /// All, with their keys by runs of texts.
    All(Vec<RunKeys>),
    /// Those at these places, which rise, with the keys of those that were asked for.
    Some(Vec<u32>, Vec<OnceLock<Vec<u64>>>),
}

/// The keys of a run of texts, sorted within each.
#[derive(Default)]
pub(super) struct RunKeys {
    pub(super) keys: Vec<u64>,
    pub(super) ends: Vec<usize>,
}

impl RunKeys {
    fn of(&self, index: usize) -> &[u64] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.keys[start..self.ends[index]]
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        8 * (self.keys.len() + self.ends.len()) as u64
    }
}

impl<'a, M: Meeting> Table<'a, M> {
    /// The texts at these places, which rise.
    pub(super) fn of(meeting: &'a M, places: Vec<u32>) -> Result<Self> {
        let held = meeting.hold(&places)?;
        let keys = places.iter().map(|_| OnceLock::new()).collect();
        Ok(Self {
            meeting,
            held,
            texts: Held::Some(places, keys),
        })
    }

    /// The index among those that are held of the text at a place.
    #[inline]
    pub(super) fn index(&self, place: u32) -> u32 {
        match &self.texts {
            Held::All(_) => place,
            Held::Some(places, _) => places.partition_point(|&own| own < place) as u32,
        }
    }

    /// The number of a text.
    #[inline]
    pub(super) fn text(&self, place: u32) -> u32 {
        self.meeting.text(place)
    }

    /// How many copies of a text there are, itself included.
    #[inline]
    pub(super) fn copies(&self, place: u32) -> u64 {
        self.meeting.copies(place)
    }

    /// The keys of a text by its index; `make` makes them where they are not known.
    #[inline]
    pub(super) fn keys(&self, index: u32, make: impl FnOnce(&M::Held, u32) -> Vec<u64>) -> &[u64] {
        let at = index as usize;
        match &self.texts {
            Held::All(runs) => runs[at / RUN].of(at % RUN),
            Held::Some(_, keys) => keys[at].get_or_init(|| make(&self.held, index)),
        }
    }
}
