//! Answers of methods that compare whole texts: the sources found, and passages of texts whose units, shingles or terms, are at
//! hand as numbers.

use std::ops::Range;

use super::super::Index;
use super::{Answer, CheckOptions, CheckScratch, FoundSource, Passage};
use crate::error::Result;
use crate::read::CodePoints;
use crate::sentences::align::{Run, align};
use crate::verify::Scores;

/// A text as numbers.
pub(super) struct Units {
    /// Its units, in order.
    pub(super) keys: Vec<u64>,
    /// Its words, in bytes.
    pub(super) words: Vec<Range<usize>>,
    /// Words that a unit covers, from the one of its number on.
    pub(super) size: usize,
}

impl Units {
    /// The words of so many units.
    fn words_of(&self, first: u32, count: usize) -> Range<usize> {
        let first = first as usize;
        first..self.words.len().min(first + count - 1 + self.size)
    }

    fn bytes_of(&self, words: &Range<usize>) -> Range<usize> {
        self.words[words.start].start..self.words[words.end - 1].end
    }
}

impl Index {
    /// What is said of a text by sources that reach the threshold, in any order; `units_of` makes numbers of a source.
    pub(super) fn answer(
        &self,
        text: &Units,
        mut found: Vec<(u64, Scores)>,
        options: &CheckOptions,
        scratch: &mut CheckScratch,
        units_of: impl Fn(&str) -> Units,
    ) -> Result<Answer> {
        let metric = self.options.metric;
        found.sort_by(|x, y| {
            let order = y.1.score(metric).total_cmp(&x.1.score(metric));
            order.then(x.0.cmp(&y.0))
        });
        let (mut covered, mut sources) = (Vec::new(), Vec::new());
        // The passages of the last source. A copy of it has the same; one that is named stands before those that are not.
        let (mut last, mut passages) = (None::<String>, Vec::new());
        let mut all_covered = false;
        for (rank, (source, scores)) in found.iter().enumerate() {
            let named = options.sources.wants(rank, || true);
            if all_covered && !named {
                // Nor is any after it, and none covers more.
                break;
            }
            let other = self.text_of(*source, &mut scratch.texts)?;
            if last.as_deref() != Some(other) {
                passages.clear();
                let (units, mut points) = (units_of(other), CodePoints::of_text(other));
                for run in runs(&text.keys, &units.keys) {
                    let here = text.words_of(run.here.start, run.here.len());
                    if named {
                        let there = units.bytes_of(&units.words_of(run.there, run.here.len()));
                        passages.push(Passage {
                            here: text.bytes_of(&here),
                            there: points.start(there.start) as u64..points.end(there.end) as u64,
                        });
                    }
                    all_covered |= here.len() == text.words.len();
                    covered.push(here);
                }
                last = Some(other.to_owned());
            }
            if named {
                sources.push(FoundSource {
                    id: self.id_of(*source)?,
                    score: scores.score(metric),
                    sentences: None,
                    scores: Some(*scores),
                    passages: passages.clone(),
                });
            }
        }
        Ok(Answer {
            duplicate: !found.is_empty(),
            share: match text.words.len() {
                0 => 0.0,
                all => united(covered) as f64 / all as f64,
            },
            found: found.len(),
            sources,
            ..Answer::default()
        })
    }
}

/// Where the units of `a` stand in `b`, as runs.
fn runs(a: &[u64], b: &[u64]) -> Vec<Run> {
    let mut order: Vec<(u64, u32)> = b.iter().copied().zip(0..).collect();
    order.sort_unstable();
    let places: Vec<u32> = order.iter().map(|(_, place)| *place).collect();
    let range = |unit: u64| {
        let start = order.partition_point(|(other, _)| *other < unit);
        let end = order.partition_point(|(other, _)| *other <= unit);
        start..end
    };
    let ranges: Vec<Range<usize>> = a.iter().map(|&unit| range(unit)).collect();
    align(a.len() as u32, |unit| {
        &places[ranges[unit as usize].clone()]
    })
}

/// How many units of a text lie in any of some ranges of them.
fn united(mut ranges: Vec<Range<usize>>) -> usize {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let (mut sum, mut last) = (0, 0);
    for range in ranges {
        let start = range.start.max(last);
        sum += range.end.saturating_sub(start);
        last = last.max(range.end);
    }
    sum
}
