//! The first reading of a collection: every record becomes a row of the table, every text its fingerprints.

use super::JoinOptions;
use super::scan::strict;
use crate::error::Result;
use crate::fingerprint::distinct::DistinctSet;
use crate::matches::RankBy;
use crate::matches::{BlockRows, Rank, Row, State, TextCounts};
use crate::method::shingles::{Prepared, Preparer};
use crate::read::{Block, Record, Rejection};

/// One thread's state in a pass; reused from text to text.
#[derive(Default)]
pub(crate) struct Reading {
    pub(crate) prepared: Prepared,
    set: DistinctSet,
    pub(crate) distinct: Vec<u64>,
    /// Scratch for whoever takes the shingles.
    pub(crate) waiting: Vec<u64>,
    pub(crate) blocks: Vec<BlockRows>,
}

impl Reading {
    /// Prepares a text: its shingles in order and its distinct ones.
    pub(crate) fn prepare(&mut self, preparer: &Preparer, text: &str) {
        preparer.prepare(text, &mut self.prepared);
        self.set
            .distinct(&self.prepared.shingles, &mut self.distinct);
    }

    /// Turns a block into rows and hands every text with a token to `each` by its number in the collection.
    pub(crate) fn block(
        &mut self,
        block: &Block,
        preparer: &Preparer,
        options: &JoinOptions,
        mut each: impl FnMut(&mut Self, u32) -> Result<()>,
    ) -> Result<()> {
        let mut rows = BlockRows::new(block);
        for index in 0..block.len() {
            let number = block.first + index as u32;
            match block.decode(index) {
                Ok(record) => {
                    self.prepare(preparer, &record.text);
                    let counts = TextCounts {
                        tokens: self.prepared.tokens,
                        distinct: self.distinct.len() as u32,
                        identity: self.prepared.identity(),
                    };
                    rows.push_text(block, index, &record, counts, options.rank);
                    if self.prepared.tokens > 0 {
                        each(self, number)?;
                    }
                }
                Err(rejection) => rows.push_rejected(block, index, rejection, options)?,
            }
        }
        self.blocks.push(rows);
        Ok(())
    }
}

impl BlockRows {
    /// Room for the rows of a block.
    pub(crate) fn new(block: &Block) -> Self {
        Self {
            first: block.first,
            bytes: block.bytes() as u64,
            rows: Vec::with_capacity(block.len()),
            ..Self::default()
        }
    }

    /// Adds a record that was read.
    pub(crate) fn push_text(
        &mut self,
        block: &Block,
        index: usize,
        record: &Record<'_>,
        counts: TextCounts,
        rank: RankBy,
    ) {
        let empty = counts.tokens == 0;
        self.rows.push(Row {
            place: block.place(index),
            state: if empty { State::Empty } else { State::Text },
            tokens: counts.tokens,
            distinct: counts.distinct,
            identity: counts.identity,
        });
        self.keys
            .push(record.key.as_ref().map_or("", |key| key.as_json()));
        match rank {
            RankBy::Nothing => {}
            RankBy::Length => {
                let length = record.text.chars().count();
                self.ranks.push(Some(Rank::Number(length as f64)));
            }
            RankBy::Field => {
                let json = record.rank.as_deref();
                self.ranks.push(json.and_then(Rank::from_json));
            }
        }
    }

    /// Adds a record that could not be read; an error if the run is to stop there.
    pub(crate) fn push_rejected(
        &mut self,
        block: &Block,
        index: usize,
        rejection: Rejection,
        options: &JoinOptions,
    ) -> Result<()> {
        if options.strict {
            return Err(strict(&rejection));
        }
        self.rejections
            .push((block.first + index as u32, rejection));
        self.rows.push(Row {
            place: block.place(index),
            state: State::Rejected,
            tokens: 0,
            distinct: 0,
            identity: 0,
        });
        self.keys.push("");
        if options.rank != RankBy::Nothing {
            self.ranks.push(None);
        }
        Ok(())
    }
}
