//! What a person will want to know of a collection while it is read: that it is hard on the method or on the memory.

use super::Join;
use super::documents::Documents;
use crate::read::{Block, Collection};

/// What a text takes while it is read, in its own size: the record as it stands, its shingles, the distinct ones among them.
const TIMES: u64 = 6;
/// Texts of more terms than that, at the median, are long ones for the method `terms`, and so many of them take it long.
const LONG: u32 = 500;
const MANY: usize = 20_000;

impl Join<'_> {
    /// Tells of a text that takes more memory than there is to be used. It is read all the same.
    pub(super) fn note_long_text(&self, block: &Block, collection: &Collection) {
        let memory = self.options.resources.memory;
        if block.bytes() as u64 <= memory / TIMES {
            return;
        }
        let places = (0..block.len()).map(|index| block.place(index));
        if let Some(place) = places.max_by_key(|place| place.length) {
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
