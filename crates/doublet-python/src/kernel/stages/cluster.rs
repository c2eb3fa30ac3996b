//! Texts that hang together, and their matches, to clusters.

use std::sync::Arc;

use arrow_array::{Array, Float64Array, RecordBatch};
use doublet::Result;
use doublet::kernel::Kernel;
use doublet::kernel::cluster::{Component, Member};
use doublet::matches::Rank;
use doublet::scores::{Scores, Weights};

use super::Stage;
use crate::kernel::columns::{self, ROWS, Texts, batch, ints, longs, numbers, numbers_or};

/// Groups what hangs together.
pub(crate) struct ClusterStage {
    kernel: Arc<Kernel>,
    at: Option<i64>,
    component: Component,
    found: Vec<Member>,
}

/// What [`ClusterStage`] gives, as Spark writes schemas.
pub(crate) const CLUSTER_SCHEMA: &str =
    "cluster bigint, representative bigint, member bigint, place int, size int";

impl ClusterStage {
    pub(crate) fn new(kernel: Arc<Kernel>) -> Self {
        Self {
            kernel,
            at: None,
            component: Component::default(),
            found: Vec::new(),
        }
    }

    fn end_component(&mut self) -> Result<()> {
        if self.at.is_some() {
            self.component.clusters(&self.kernel, &mut self.found)?;
            self.component.clear();
        }
        Ok(())
    }

    fn hand_on(&mut self, out: &mut Vec<RecordBatch>) -> Result<()> {
        for rows in self.found.chunks(4 * ROWS) {
            out.push(batch(vec![
                ("cluster", longs(rows.iter().map(|row| row.cluster))),
                (
                    "representative",
                    longs(rows.iter().map(|row| row.representative)),
                ),
                ("member", longs(rows.iter().map(|row| row.doc))),
                ("place", ints(rows.iter().map(|row| row.place))),
                ("size", ints(rows.iter().map(|row| row.size))),
            ])?);
        }
        self.found.clear();
        Ok(())
    }
}

/// What texts are ranked by.
enum Ranks {
    None,
    Numbers(Float64Array),
    Texts(Texts),
}

impl Ranks {
    fn of(input: &RecordBatch) -> Result<Self> {
        if input.column_by_name("rank").is_none() {
            return Ok(Self::None);
        }
        Ok(match columns::is_number(input, "rank") {
            true => Self::Numbers(columns::scores(input, "rank")?),
            false => Self::Texts(Texts::of(input, "rank")?),
        })
    }

    fn get(&self, row: usize) -> Option<Rank> {
        match self {
            Self::None => None,
            Self::Numbers(numbers) => {
                let number = numbers.is_valid(row).then(|| numbers.value(row));
                number.filter(|number| number.is_finite()).map(Rank::Number)
            }
            Self::Texts(texts) => texts.get(row).map(Rank::from_text),
        }
    }
}

/// The counts of pairs, without weights.
struct Counts([Vec<i64>; 8]);

impl Counts {
    fn of(input: &RecordBatch) -> Result<Self> {
        let column = |name: &str| numbers_or(input, name, 0);
        Ok(Self([
            column("common")?,
            column("distinct_a")?,
            column("distinct_b")?,
            column("covered_a")?,
            column("covered_b")?,
            column("tokens_a")?,
            column("tokens_b")?,
            column("compared")?,
        ]))
    }

    fn get(&self, row: usize) -> Scores {
        let [
            common,
            distinct_a,
            distinct_b,
            covered_a,
            covered_b,
            tokens_a,
            tokens_b,
            compared,
        ] = self.0.each_ref().map(|column| column[row] as u32);
        Scores {
            common,
            distinct_a,
            distinct_b,
            covered_a,
            covered_b,
            tokens_a,
            tokens_b,
            compared,
            weights: Weights::default(),
        }
    }
}

impl Stage for ClusterStage {
    fn push(
        &mut self,
        input: &RecordBatch,
        _from: usize,
        out: &mut Vec<RecordBatch>,
    ) -> Result<usize> {
        let (components, kinds) = (numbers(input, "component")?, numbers(input, "kind")?);
        let docs = numbers(input, "doc")?;
        let (firsts, others) = (numbers_or(input, "first", 0)?, numbers_or(input, "b", 0)?);
        let scores = columns::scores(input, "score")?;
        let counts = Counts::of(input)?;
        let ranks = Ranks::of(input)?;
        for row in 0..input.num_rows() {
            if self.at != Some(components.value(row)) {
                self.end_component()?;
                self.at = Some(components.value(row));
            }
            let doc = docs.value(row);
            match kinds.value(row) {
                0 => self.component.add_text(doc, firsts[row], ranks.get(row)),
                _ => {
                    let pair = (doc, others[row]);
                    self.component
                        .add_match(pair, scores.value(row), counts.get(row))?;
                }
            }
        }
        if self.found.len() >= ROWS {
            self.hand_on(out)?;
        }
        Ok(input.num_rows())
    }

    fn finish(&mut self, out: &mut Vec<RecordBatch>) -> Result<bool> {
        self.end_component()?;
        self.at = None;
        self.hand_on(out)?;
        Ok(true)
    }
}
