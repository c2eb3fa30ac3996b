//! The first reading of a collection: every record becomes a row of the table, every text its fingerprints.

use super::JoinOptions;
use crate::error::Result;
use crate::fingerprint::distinct::DistinctSet;
use crate::matches::RankBy;
use crate::matches::{BlockRows, Rank, Row, State};
use crate::method::TextCounts;
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
        let rows = BlockRows::of(block, options, |number, text| {
            self.prepare(preparer, text);
            let counts = TextCounts {
                tokens: self.prepared.tokens,
                distinct: self.distinct.len() as u32,
                identity: self.prepared.identity(),
            };
            if counts.tokens > 0 {
                each(self, number)?;
            }
            Ok(counts)
        })?;
        self.blocks.push(rows);
        Ok(())
    }
}

impl BlockRows {
    /// The rows of a block. `each` gets every text with its number in the collection, and counts it.
    pub(crate) fn of(
        block: &Block,
        options: &JoinOptions,
        mut each: impl FnMut(u32, &str) -> Result<TextCounts>,
    ) -> Result<Self> {
        let mut rows = Self {
            first: block.first,
            bytes: block.bytes() as u64,
            rows: Vec::with_capacity(block.len()),
            ..Self::default()
        };
        for found in block.records(options.strict) {
            match found? {
                (index, Ok(record)) => {
                    let counts = each(block.first + index as u32, &record.text)?;
                    rows.push_text(block, index, &record, counts, options.rank);
                }
                (index, Err(bad)) => rows.push_rejected(block, index, bad, options.rank),
            }
        }
        Ok(rows)
    }

    /// Adds a record that was read.
    fn push_text(
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

    /// Adds a record that could not be read.
    fn push_rejected(&mut self, block: &Block, index: usize, rejection: Rejection, rank: RankBy) {
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
        if rank != RankBy::Nothing {
            self.ranks.push(None);
        }
    }
}
