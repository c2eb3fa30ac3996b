//! Pairs with their scores, on their way into batches.

use arrow_array::RecordBatch;
use doublet::Result;
use doublet::kernel::Kernel;
use doublet::report::pairs::{score_columns, score_of_name};
use doublet::scores::{Metric, Scores};

use super::columns::{Columns, ROWS, batch, doubles, ints, longs};

/// A column by its name, and what of the scores stands in it.
type Named<T> = (&'static str, fn(&Scores) -> T);

/// Pairs, or texts with copies of themselves, and their scores.
pub(crate) struct Scored {
    metric: Metric,
    /// The scores that have a name, as in `pairs.jsonl`.
    names: &'static [&'static str],
    is_pairs: bool,
    texts: Vec<(i64, i64)>,
    scores: Vec<Scores>,
}

impl Scored {
    /// Pairs.
    pub(crate) fn pairs(kernel: &Kernel) -> Self {
        let options = kernel.options();
        Self {
            metric: options.metric,
            names: score_columns(options.method, options.metric),
            is_pairs: true,
            texts: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// Texts with copies of themselves.
    pub(crate) fn copies(kernel: &Kernel) -> Self {
        Self {
            is_pairs: false,
            ..Self::pairs(kernel)
        }
    }

    pub(crate) fn push(&mut self, texts: (i64, i64), scores: &Scores) {
        self.texts.push(texts);
        self.scores.push(*scores);
    }

    /// Gives a batch if there are rows enough for one.
    pub(crate) fn hand_on_full(&mut self, out: &mut Vec<RecordBatch>) -> Result<()> {
        match self.texts.len() >= ROWS {
            true => self.hand_on(out),
            false => Ok(()),
        }
    }

    /// Gives what there is.
    pub(crate) fn hand_on(&mut self, out: &mut Vec<RecordBatch>) -> Result<()> {
        if self.texts.is_empty() {
            return Ok(());
        }
        let first = longs(self.texts.iter().map(|texts| texts.0));
        let mut columns: Columns = match self.is_pairs {
            true => {
                let second = longs(self.texts.iter().map(|texts| texts.1));
                vec![("a", first), ("b", second)]
            }
            false => vec![("doc", first)],
        };
        let scores = || self.scores.iter();
        let metric = self.metric;
        columns.push(("score", doubles(scores().map(|s| s.score(metric)))));
        for name in self.names {
            let value = |scores: &Scores| score_of_name(scores, name).unwrap_or(0.0);
            columns.push((name, doubles(scores().map(value))));
        }
        let counts: [Named<u32>; 8] = [
            ("common", |s| s.common),
            ("distinct_a", |s| s.distinct_a),
            ("distinct_b", |s| s.distinct_b),
            ("covered_a", |s| s.covered_a),
            ("covered_b", |s| s.covered_b),
            ("tokens_a", |s| s.tokens_a),
            ("tokens_b", |s| s.tokens_b),
            ("compared", |s| s.compared),
        ];
        for (name, count) in counts {
            columns.push((name, ints(scores().map(count))));
        }
        let weights: [Named<u64>; 3] = [
            ("weight_common", |s| s.weights.common),
            ("weight_a", |s| s.weights.a),
            ("weight_b", |s| s.weights.b),
        ];
        for (name, weight) in weights {
            columns.push((name, longs(scores().map(|s| weight(s).cast_signed()))));
        }
        out.push(batch(columns)?);
        self.texts.clear();
        self.scores.clear();
        Ok(())
    }

    /// What it gives, as Spark writes schemas.
    pub(crate) fn schema(&self) -> String {
        let texts = if self.is_pairs {
            "a bigint, b bigint"
        } else {
            "doc bigint"
        };
        let names = self.names.iter().map(|name| format!(", {name} double"));
        let names: String = names.collect();
        format!(
            "{texts}, score double{names}, common int, distinct_a int, distinct_b int, covered_a int, covered_b int, tokens_a int, tokens_b int, compared int, weight_common bigint, weight_a bigint, weight_b bigint"
        )
    }
}
