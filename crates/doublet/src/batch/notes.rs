//! What a person will want to know of a collection while it is read: that it is hard on the method or on the memory.

use std::sync::atomic::Ordering;

use super::Join;
use crate::matches::Documents;
use crate::read::{Block, Collection};

/// What a text takes while it is read, in its own size: the record as it stands, its shingles, the distinct ones among them.
const TIMES: u64 = 6;
/// Texts of more terms than that, at the median, are long ones for the method `terms`, and so many of them take it long.
const LONG: u32 = 500;
const MANY: usize = 20_000;

impl Join<'_> {
    /// Tells of a text that takes more memory than there is to be used, once a run. It is read all the same.
    pub(super) fn note_long_text(&self, block: &Block, collection: &Collection) {
        let most = self.options.resources.memory / TIMES;
        // Most blocks are short themselves.
        if block.bytes() as u64 <= most {
            return;
        }
        let places = (0..block.len()).map(|index| block.place(index));
        let mut long = places.filter(|place| u64::from(place.length) > most);
        if let Some(place) = long.next()
            && !self.told_long.swap(true, Ordering::Relaxed)
        {
            self.observer.note(&format!(
                "`{}` is a record of {:.1} MB, which takes about {TIMES} times as much memory while it is read: more than `--memory` allows",
                collection.name_of(&place),
                f64::from(place.length) / 1e6,
            ));
        }
    }

    /// Tells of texts that are long for a method that is made for short ones.
    pub(super) fn note_long_terms(&self, documents: &Documents) {
        let median = documents.median_tokens();
        if median > LONG && documents.len() > MANY {
            self.observer.note(&format!(
                "half of the texts have {median} terms or more: `--method terms` is made for short texts and may take long; `--method minhash` or `shingles` is made for long ones"
            ));
        }
    }
}
