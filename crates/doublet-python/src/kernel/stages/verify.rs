//! Pairs to their scores: by their texts, by the sums of their sentences, or because they are copies.

use std::sync::Arc;

use arrow_array::RecordBatch;
use doublet::Result;
use doublet::kernel::Kernel;
use doublet::kernel::verify::{Chunk, TextSums, scores_of_copy, scores_of_sums};

use super::Stage;
use crate::kernel::columns::{Texts, misfit, numbers, numbers_or};
use crate::kernel::scored::Scored;

/// Compares the texts of pairs.
pub(crate) struct VerifyStage {
    kernel: Arc<Kernel>,
    at: Option<i64>,
    chunk: Chunk,
    all: bool,
    found: Scored,
}

impl VerifyStage {
    pub(crate) fn new(kernel: Arc<Kernel>, all: bool) -> Self {
        Self {
            at: None,
            chunk: Chunk::new(&kernel),
            all,
            found: Scored::pairs(&kernel),
            kernel,
        }
    }
}

impl Stage for VerifyStage {
    fn push(
        &mut self,
        input: &RecordBatch,
        _from: usize,
        out: &mut Vec<RecordBatch>,
    ) -> Result<usize> {
        let (chunks, kinds) = (numbers(input, "chunk")?, numbers(input, "kind")?);
        let docs = numbers(input, "a")?;
        let others = numbers_or(input, "b", 0)?;
        let texts = Texts::of(input, "text")?;
        for (row, &other) in others.iter().enumerate() {
            if self.at != Some(chunks.value(row)) {
                self.at = Some(chunks.value(row));
                self.chunk.clear();
            }
            let doc = docs.value(row);
            if kinds.value(row) == 0 {
                let text = texts.get(row).unwrap_or_default();
                self.chunk.add(doc, text)?;
                continue;
            }
            let scores = self.chunk.compare(doc, other)?;
            if self.all || self.kernel.is_match(&scores) {
                self.found.push((doc, other), &scores);
                self.found.hand_on_full(out)?;
            }
        }
        Ok(input.num_rows())
    }

    fn finish(&mut self, out: &mut Vec<RecordBatch>) -> Result<bool> {
        self.chunk.clear();
        self.found.hand_on(out)?;
        Ok(true)
    }
}

/// Decides about pairs whose sentences were added up.
pub(crate) struct DecideStage {
    kernel: Arc<Kernel>,
    all: bool,
    found: Scored,
}

impl DecideStage {
    pub(crate) fn new(kernel: Arc<Kernel>, all: bool) -> Self {
        Self {
            all,
            found: Scored::pairs(&kernel),
            kernel,
        }
    }
}

impl Stage for DecideStage {
    fn push(
        &mut self,
        input: &RecordBatch,
        _from: usize,
        out: &mut Vec<RecordBatch>,
    ) -> Result<usize> {
        if !self.kernel.has_sentences() {
            let method = self.kernel.options().method;
            return Err(misfit(format!("pairs of `{method}` are verified")));
        }
        let (a, b) = (numbers(input, "a")?, numbers(input, "b")?);
        let counts = numbers(input, "count")?;
        let side = |name: &str| -> Result<[Vec<i64>; 4]> {
            let column = |what: &str| numbers_or(input, &format!("{what}_{name}"), 0);
            // Those that must be there.
            numbers(input, &format!("words_{name}"))?;
            numbers(input, &format!("tokens_{name}"))?;
            Ok([
                column("words")?,
                column("distinct")?,
                column("tokens")?,
                column("boilerplate")?,
            ])
        };
        let (left, right) = (side("a")?, side("b")?);
        let sums = |columns: &[Vec<i64>; 4], row: usize| TextSums {
            covered: columns[0][row] as u64,
            distinct: columns[1][row] as u32,
            tokens: columns[2][row] as u32,
            boilerplate: columns[3][row] as u64,
        };
        for row in 0..input.num_rows() {
            let common = counts.value(row) as u64;
            let scores = scores_of_sums(common, &sums(&left, row), &sums(&right, row));
            if self.all || self.kernel.is_match(&scores) {
                self.found.push((a.value(row), b.value(row)), &scores);
                self.found.hand_on_full(out)?;
            }
        }
        Ok(input.num_rows())
    }

    fn finish(&mut self, out: &mut Vec<RecordBatch>) -> Result<bool> {
        self.found.hand_on(out)?;
        Ok(true)
    }
}

/// The scores of texts with copies of themselves.
pub(crate) struct IdenticalStage {
    found: Scored,
}

impl IdenticalStage {
    pub(crate) fn new(kernel: &Kernel) -> Self {
        Self {
            found: Scored::copies(kernel),
        }
    }
}

impl Stage for IdenticalStage {
    fn push(
        &mut self,
        input: &RecordBatch,
        _from: usize,
        out: &mut Vec<RecordBatch>,
    ) -> Result<usize> {
        let docs = numbers(input, "doc")?;
        let (tokens, distinct) = (numbers(input, "tokens")?, numbers(input, "distinct")?);
        let weights = numbers_or(input, "weight", 0)?;
        let boilerplate = numbers_or(input, "boilerplate", 0)?;
        for row in 0..input.num_rows() {
            let sums = TextSums {
                covered: 0,
                distinct: distinct.value(row) as u32,
                tokens: tokens.value(row) as u32,
                boilerplate: boilerplate[row] as u64,
            };
            let scores = scores_of_copy(&sums, weights[row] as u64);
            self.found.push((docs.value(row), 0), &scores);
            self.found.hand_on_full(out)?;
        }
        Ok(input.num_rows())
    }

    fn finish(&mut self, out: &mut Vec<RecordBatch>) -> Result<bool> {
        self.found.hand_on(out)?;
        Ok(true)
    }
}
