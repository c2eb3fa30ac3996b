//! Edges to what they connect.

use arrow_array::RecordBatch;
use doublet::Result;
use doublet::kernel::components::Forest;

use super::Stage;
use crate::kernel::columns::{ROWS, batch, longs, numbers};

/// Connects edges: some at a time, or all at once.
pub(crate) struct ForestStage {
    forest: Forest,
    /// Whether a spanning forest is enough, which may be handed on before the end.
    contract: bool,
}

impl ForestStage {
    pub(crate) fn new(contract: bool) -> Self {
        Self {
            forest: Forest::default(),
            contract,
        }
    }

    /// Gives a batch; `false` once there is none.
    fn hand_on(&mut self, out: &mut Vec<RecordBatch>) -> Result<bool> {
        let mut found = Vec::new();
        let more = self.forest.take_some(4 * ROWS, &mut found);
        if self.contract {
            found.retain(|(doc, root)| doc != root);
        }
        if !found.is_empty() {
            let docs = longs(found.iter().map(|row| row.0));
            let roots = longs(found.iter().map(|row| row.1));
            out.push(batch(match self.contract {
                true => vec![("a", roots), ("b", docs)],
                false => vec![("doc", docs), ("root", roots)],
            })?);
        }
        Ok(more)
    }
}

impl Stage for ForestStage {
    fn push(
        &mut self,
        input: &RecordBatch,
        _from: usize,
        out: &mut Vec<RecordBatch>,
    ) -> Result<usize> {
        let (a, b) = (numbers(input, "a")?, numbers(input, "b")?);
        for (&a, &b) in a.values().iter().zip(b.values()) {
            self.forest.add(a, b);
        }
        if self.contract && self.forest.is_full() {
            while self.hand_on(out)? {}
        }
        Ok(input.num_rows())
    }

    fn finish(&mut self, out: &mut Vec<RecordBatch>) -> Result<bool> {
        Ok(!self.hand_on(out)?)
    }
}
