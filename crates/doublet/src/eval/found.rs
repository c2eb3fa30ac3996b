//! Pairs in the place of those of a run, so that they are judged as it is: those of another tool, or the labelled ones.

use std::path::Path;

use super::judge::{Judge, Places};
use super::rows::{bad, each_row};
use super::truth::{Ids, scalar};
use crate::batch::{JoinOptions, Joined, score_between};
use crate::document::DocId;
use crate::error::{Result, clip};
use crate::matches::{Documents, Matches, Source};
use crate::progress::Observer;

/// What a file of pairs has.
const COLUMNS: &str = "give the columns `a` and `b`, the ids of two texts, and `score`";

/// Pairs of a file, laid over the records of a run.
#[derive(Clone, Debug, Default)]
pub struct ForeignPairs {
    /// The pairs with their scores; 1 where the file has none.
    pairs: Vec<(u32, u32, f64)>,
    /// Rows left out because an id of theirs is not in the input.
    pub unknown: u64,
}

impl Judge {
    /// The labelled pairs, scored, in the place of those of a run: what a complete search would find of them. `None` where all
    /// pairs are judged.
    ///
    /// # Errors
    /// When a text cannot be read again.
    pub fn scored(
        &self,
        source: &Source,
        joined: &Joined,
        options: &JoinOptions,
        observer: &dyn Observer,
    ) -> Result<Option<Matches>> {
        let Some(labelled) = self.labelled_pairs() else {
            return Ok(None);
        };
        let pairs: Vec<(DocId, DocId)> = labelled.iter().map(|pair| (pair.a, pair.b)).collect();
        let scores = score_between(source, joined, options, &pairs, observer)?;
        let scored = pairs.iter().zip(scores);
        let scored = scored.filter_map(|((a, b), scores)| Some((a.0, b.0, scores?)));
        let scored: Vec<_> = scored.collect();
        Ok(Some(Matches::of_scored(&joined.documents, &scored)))
    }
}

impl ForeignPairs {
    /// Reads pairs: JSON lines, CSV, TSV or Parquet with the columns `a`, `b` and, if there is one, `score`. A table without a header
    /// row has them in this order.
    ///
    /// # Errors
    /// When the file cannot be read, or a row has no two ids, or a score that is no number from 0 to 1.
    pub fn read(path: &Path, documents: &Documents, source: &Source) -> Result<Self> {
        let mut ids = Ids::default();
        let mut rows = Vec::new();
        each_row(path, &["a", "b", "score"], |line, row| {
            let mut id = |column: &str| {
                let value = row.get(column).filter(|value| !value.is_null());
                let text = value
                    .and_then(scalar)
                    .ok_or_else(|| bad(path, line, format!("no `{column}`; {COLUMNS}")))?;
                Ok(ids.number(text, value.map(ToString::to_string)))
            };
            let (a, b) = (id("a")?, id("b")?);
            let score = match row.get("score").and_then(scalar) {
                None => 1.0,
                Some(text) => {
                    let score = text.trim().parse().ok();
                    let score = score.filter(|score| (0.0..=1.0).contains(score));
                    score.ok_or_else(|| {
                        bad(
                            path,
                            line,
                            format!(
                                "the score `{}` is no number from 0 to 1; {COLUMNS}",
                                clip(&text)
                            ),
                        )
                    })?
                }
            };
            rows.push((a, b, score));
            Ok(())
        })?;
        let places = Places::find(&ids.list, documents, source);
        let mut found = Self::default();
        for (a, b, score) in rows {
            match places.pair(a, b) {
                Some((a, b)) if a != b => found.pairs.push((a.min(b), a.max(b), score)),
                Some(_) => {}
                None => found.unknown += 1,
            }
        }
        // The best score of a pair that is named twice.
        found
            .pairs
            .sort_unstable_by(|x, y| (x.0, x.1).cmp(&(y.0, y.1)).then(y.2.total_cmp(&x.2)));
        found.pairs.dedup_by_key(|pair| (pair.0, pair.1));
        Ok(found)
    }

    /// Number of pairs.
    pub fn count(&self) -> usize {
        self.pairs.len()
    }

    /// The pairs in the place of those of a run; their score is an agreement.
    pub fn matches(&self, documents: &Documents) -> Matches {
        Matches::of_foreign(documents, &self.pairs)
    }
}
