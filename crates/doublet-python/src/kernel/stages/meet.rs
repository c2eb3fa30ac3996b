//! Keys of texts to pairs that share them.

use std::sync::Arc;

use arrow_array::RecordBatch;
use doublet::Result;
use doublet::kernel::Kernel;
use doublet::kernel::meet::{Meet, MeetRow, Met, SentenceRow};

use super::Stage;
use crate::kernel::columns::{
    self, Columns, ROWS, batch, bytes_of_one, ints, longs, numbers, numbers_or,
};

/// Brings texts together.
pub(crate) struct MeetStage {
    kernel: Arc<Kernel>,
    meet: Meet,
    found: Vec<Met>,
}

impl MeetStage {
    pub(crate) fn new(kernel: Arc<Kernel>) -> Result<Self> {
        Ok(Self {
            meet: Meet::new(&kernel)?,
            kernel,
            found: Vec::new(),
        })
    }

    fn hand_on(&mut self, out: &mut Vec<RecordBatch>) -> Result<()> {
        for rows in self.found.chunks(4 * ROWS) {
            let mut columns: Columns = Vec::new();
            let by_sentences = self.kernel.has_sentences();
            if by_sentences {
                columns.push(("kind", bytes_of_one(rows.iter().map(|row| row.kind as u8))));
            }
            columns.push(("a", longs(rows.iter().map(|row| row.a))));
            columns.push(("b", longs(rows.iter().map(|row| row.b))));
            columns.push(("count", ints(rows.iter().map(|row| row.count))));
            if by_sentences {
                columns.push(("words_a", longs(rows.iter().map(|row| row.words.0 as i64))));
                columns.push(("words_b", longs(rows.iter().map(|row| row.words.1 as i64))));
            } else {
                columns.push(("least", ints(rows.iter().map(|row| row.least))));
            }
            out.push(batch(columns)?);
        }
        self.found.clear();
        Ok(())
    }
}

impl Stage for MeetStage {
    fn push(
        &mut self,
        input: &RecordBatch,
        from: usize,
        out: &mut Vec<RecordBatch>,
    ) -> Result<usize> {
        let (keys, docs) = (numbers(input, "key")?, numbers(input, "doc")?);
        let blocks = numbers_or(input, "block", 0)?;
        let sides = numbers_or(input, "side", 2)?;
        let traits = self.kernel.traits().iter();
        let traits: Vec<_> = traits
            .map(|number| numbers(input, number.name))
            .collect::<Result<_>>()?;
        let probes = match self.kernel.is_one_sided() {
            true => Some(columns::flags(input, "probe")?),
            false => None,
        };
        let sentences = match self.kernel.has_sentences() {
            true => Some((
                numbers(input, "rest")?,
                numbers(input, "words")?,
                numbers(input, "occurrences")?,
            )),
            false => None,
        };
        for row in from..input.num_rows() {
            let mut met = MeetRow {
                key: keys.value(row).cast_unsigned(),
                block: blocks[row] as i32,
                side: sides[row] as u8,
                doc: docs.value(row),
                ..MeetRow::default()
            };
            for (value, column) in met.traits.iter_mut().zip(&traits) {
                *value = column.value(row).cast_unsigned();
            }
            met.probe = probes.as_ref().is_some_and(|probes| probes.value(row));
            if let Some((rest, words, occurrences)) = &sentences {
                met.sentence = SentenceRow {
                    rest: rest.value(row).cast_unsigned(),
                    words: words.value(row) as u32,
                    occurrences: occurrences.value(row) as u32,
                };
            }
            if !self.meet.push(&met, &mut self.found) {
                self.hand_on(out)?;
                return Ok(row);
            }
        }
        if self.found.len() >= ROWS {
            self.hand_on(out)?;
        }
        Ok(input.num_rows())
    }

    fn finish(&mut self, out: &mut Vec<RecordBatch>) -> Result<bool> {
        let done = self.meet.finish(&mut self.found);
        self.hand_on(out)?;
        Ok(done)
    }
}

/// What [`MeetStage`] gives, as Spark writes schemas.
pub(crate) fn meet_schema(kernel: &Kernel) -> &'static str {
    match kernel.has_sentences() {
        true => "kind tinyint, a bigint, b bigint, count int, words_a bigint, words_b bigint",
        false => "a bigint, b bigint, count int, least int",
    }
}
