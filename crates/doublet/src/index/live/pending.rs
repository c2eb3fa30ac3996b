//! Documents of a group that are not in a part yet, so that many small changes share one.

use std::collections::HashMap;

use super::fresh::NewDocument;

#[derive(Debug, Default)]
pub(super) struct Pending {
    documents: Vec<Option<NewDocument>>,
    /// Where the document of an id is.
    places: HashMap<String, usize>,
    /// How many of them replace no other.
    more: u64,
}

impl Pending {
    pub(super) fn has(&self, id: &str) -> bool {
        self.places.contains_key(id)
    }

    /// Adds documents, so many of which replace no other. Of several with the same id the last stays.
    pub(super) fn add(&mut self, documents: Vec<NewDocument>, more: u64) {
        self.more += more;
        for document in documents {
            let place = self.documents.len();
            let earlier = self.places.insert(document.id().to_owned(), place);
            if let Some(earlier) = earlier {
                self.documents[earlier] = None;
            }
            self.documents.push(Some(document));
        }
    }

    /// How many documents there will be more.
    pub(super) fn more(&self) -> u64 {
        self.more
    }

    pub(super) fn take(&mut self) -> Vec<NewDocument> {
        self.places.clear();
        self.more = 0;
        self.documents.drain(..).flatten().collect()
    }

    pub(super) fn clear(&mut self) {
        self.take();
    }
}
