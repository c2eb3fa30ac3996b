//! Checks a part from end to end.

use xxhash_rust::xxh3::xxh3_64;

use super::table::Table;
use super::texts::TextScratch;
use super::{Part, Posting};
use crate::error::Result;

impl Part {
    /// Checks everything: all checksums, that postings and ids stand in order and lead to documents, that every document is
    /// found by its id, and that all rows and texts can be read.
    ///
    /// # Errors
    /// When anything is not as it was written.
    pub(crate) fn verify(&self) -> Result<()> {
        self.file.check_all()?;
        self.verify_table(&self.places.postings, |posting| {
            posting.document < self.documents()
        })?;
        self.places.rows.verify(&self.file)?;
        self.verify_ids()?;
        self.verify_texts()
    }

    /// That records stand in order and as `right` says, and pages begin with their first keys.
    fn verify_table(&self, table: &Table, mut right: impl FnMut(&Posting) -> bool) -> Result<()> {
        let mut last = None;
        for record in table.records(&self.file, 0..table.count) {
            let record = record?;
            if last > Some(record) || !right(&record) {
                return Err(self.file.damaged("its postings or ids"));
            }
            last = Some(record);
        }
        for page in 0..table.pages() {
            let first = table.record(&self.file, page * table.per_page())?;
            if table.first_key(&self.file, page)? != first.key {
                return Err(self.file.damaged("the first keys of its pages"));
            }
        }
        Ok(())
    }

    /// That each document stands in the table of ids once, under the hash of its id; in order, it is found there.
    fn verify_ids(&self) -> Result<()> {
        let mut seen = vec![false; self.documents() as usize];
        self.verify_table(&self.places.ids, |record| {
            let new = seen.get_mut(record.document as usize);
            let new = new.is_some_and(|seen| !std::mem::replace(seen, true));
            let hash = |id: &str| u128::from(xxh3_64(id.as_bytes()));
            let row = self.document(record.document);
            new && row.is_ok_and(|row| hash(row.id) == record.key)
        })
    }

    /// That blocks of text follow one another without gaps, and all texts can be read.
    fn verify_texts(&self) -> Result<()> {
        let texts = self.places.texts;
        let (mut at, mut next) = (0, 0);
        let mut scratch = TextScratch::default();
        for index in 0..texts.blocks {
            let block = texts.block(&self.file, index)?;
            let end = block.first.checked_add(block.count);
            let end = end.filter(|&end| end <= self.documents() && block.count > 0);
            let Some(end) = end.filter(|_| block.at == at && block.first >= next) else {
                return Err(self.file.damaged("its blocks of text"));
            };
            for number in block.first..end {
                self.text(number, &mut scratch)?;
            }
            at += u64::from(block.stored);
            next = end;
        }
        if at != texts.bytes {
            return Err(self.file.damaged("its blocks of text"));
        }
        Ok(())
    }
}
