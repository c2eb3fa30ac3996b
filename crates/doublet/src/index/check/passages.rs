//! Answers of methods that compare whole texts: the sources found, and passages of texts whose units, shingles or terms, are at
//! hand as numbers.

use std::borrow::Cow;
use std::ops::Range;

use super::super::Index;
use super::{Answer, CheckOptions, CheckScratch, FoundSource, Passage};
use crate::error::Result;
use crate::method::sentences::align::{Run, align};
use crate::read::CodePoints;
use crate::scores::Scores;

/// What cuts texts into units.
pub(super) trait Cut {
    /// A text as numbers.
    fn units(&self, text: &str) -> Units;

    /// The words of a text, all together.
    fn words(&self, text: &str) -> Words;
}

/// The words of a text: how many, and where the first begins and the last ends, in bytes.
#[derive(Debug, Default)]
pub(super) struct Words {
    count: usize,
    start: usize,
    end: usize,
}

impl Words {
    fn of(units: &Units) -> Self {
        Self {
            count: units.words.len(),
            start: units.words.first().map_or(0, |word| word.0 as usize),
            end: units.words.last().map_or(0, |word| word.1 as usize),
        }
    }

    /// Adds the next word.
    pub(super) fn push(&mut self, (start, end): (u32, u32)) {
        if self.count == 0 {
            self.start = start as usize;
        }
        self.end = end as usize;
        self.count += 1;
    }
}

/// A text as numbers.
pub(super) struct Units {
    /// Its units, in order.
    pub(super) keys: Vec<u64>,
    /// Its words, in bytes.
    pub(super) words: Vec<(u32, u32)>,
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
        self.words[words.start].0 as usize..self.words[words.end - 1].1 as usize
    }
}

impl Index {
    /// What is said of a text by sources that reach the threshold, in any order.
    pub(super) fn answer(
        &self,
        text: &str,
        mut found: Vec<(u64, Scores)>,
        options: &CheckOptions,
        scratch: &mut CheckScratch,
        cut: &impl Cut,
    ) -> Result<Answer> {
        if found.is_empty() {
            return Ok(Answer::default());
        }
        let metric = self.options.matching.metric;
        found.sort_by(|x, y| {
            let order = y.1.score(metric).total_cmp(&x.1.score(metric));
            order.then(x.0.cmp(&y.0))
        });
        let mut passages = Passages::new(text, cut);
        // The last source. A copy of it has the same passages; one that is named stands before those that are not.
        let mut last = None::<Cow<'_, str>>;
        let mut sources = Vec::new();
        for (rank, (source, scores)) in found.iter().enumerate() {
            let named = options.sources.wants(rank, || true);
            if passages.all_covered && !named {
                // Nor is any after it, and none covers more.
                break;
            }
            let other = self.text_of(*source, &mut scratch.texts)?;
            if last.as_deref() != Some(other) {
                passages.find(other, named);
                last = Some(match other == text {
                    true => Cow::Borrowed(text),
                    false => Cow::Owned(other.to_owned()),
                });
            }
            if named {
                sources.push(FoundSource {
                    id: self.id_of(*source)?,
                    score: scores.score(metric),
                    sentences: None,
                    scores: Some(*scores),
                    passages: passages.last.clone(),
                });
            }
        }
        Ok(Answer {
            duplicate: true,
            share: passages.share(),
            found: found.len(),
            sources,
            ..Answer::default()
        })
    }
}

/// The passages that a text has from one source after the other.
struct Passages<'t, C> {
    text: &'t str,
    cut: &'t C,
    words: Option<Words>,
    /// The text as numbers, once a source asks for them.
    units: Option<Units>,
    /// Words of the text that stand in sources.
    covered: Vec<Range<usize>>,
    /// Whether a source has all of them.
    all_covered: bool,
    /// Passages from the last source that is named.
    last: Vec<Passage>,
}

impl<'t, C: Cut> Passages<'t, C> {
    fn new(text: &'t str, cut: &'t C) -> Self {
        Self {
            text,
            cut,
            words: None,
            units: None,
            covered: Vec::new(),
            all_covered: false,
            last: Vec::new(),
        }
    }

    /// Finds those from a source, and keeps them if it is named.
    fn find(&mut self, other: &str, named: bool) {
        self.last.clear();
        if self.text == other {
            self.find_whole(named);
            return;
        }
        let text = self.units.get_or_insert_with(|| self.cut.units(self.text));
        let words = self.words.get_or_insert_with(|| Words::of(text));
        let (other, mut points) = (self.cut.units(other), CodePoints::of_text(other));
        for run in runs(&text.keys, &other.keys) {
            let here = text.words_of(run.here.start, run.here.len());
            if named {
                let there = other.bytes_of(&other.words_of(run.there, run.here.len()));
                self.last.push(Passage {
                    here: text.bytes_of(&here),
                    there: points.start(there.start) as u64..points.end(there.end) as u64,
                });
            }
            self.all_covered |= here.len() == words.count;
            self.covered.push(here);
        }
    }

    /// The same for a source with the same text, which takes far less memory.
    fn find_whole(&mut self, named: bool) {
        let words = self.words.get_or_insert_with(|| self.cut.words(self.text));
        if named {
            let mut points = CodePoints::of_text(self.text);
            self.last.push(Passage {
                here: words.start..words.end,
                there: points.start(words.start) as u64..points.end(words.end) as u64,
            });
        }
        self.all_covered = true;
        self.covered.push(0..words.count);
    }

    /// The share of the words that stands in some source.
    fn share(self) -> f64 {
        match self.words.map_or(0, |words| words.count) {
            0 => 0.0,
            all => united(self.covered) as f64 / all as f64,
        }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::method::shingles::Preparer;
    use crate::method::terms::{Language, TermOptions};
    use crate::options::{NormalizeOptions, ShingleOptions};

    /// Of a copy the same is said as of any other source.
    fn check_copy(text: &str, cut: &impl Cut) {
        let (mut quick, mut slow) = (Passages::new(text, cut), Passages::new(text, cut));
        quick.find_whole(true);
        let units = cut.units(text);
        let mut points = CodePoints::of_text(text);
        for run in runs(&units.keys, &units.keys) {
            let here = units.words_of(run.here.start, run.here.len());
            let there = units.bytes_of(&units.words_of(run.there, run.here.len()));
            slow.last.push(Passage {
                here: units.bytes_of(&here),
                there: points.start(there.start) as u64..points.end(there.end) as u64,
            });
            slow.covered.push(here);
        }
        assert_eq!(quick.last, slow.last);
        assert_eq!(quick.covered, slow.covered);
        assert_eq!(quick.share(), 1.0);
    }

    proptest! {
        #[test]
        fn a_copy_is_one_passage(text in "(a rose is |[ab漢é] |\\PC){0,30}word\\PC{0,3}", size in 1usize..6) {
            let (normalize, shingle) = (NormalizeOptions::default(), ShingleOptions { size, ..ShingleOptions::default() });
            check_copy(&text, &Preparer::new(&normalize, &shingle).unwrap());
            let english = Language::from_code("en").unwrap();
            let terms = crate::index::check::TermTexts::new(&normalize, TermOptions::default(), english);
            if terms.words(&text).count > 0 {
                check_copy(&text, &terms);
            }
        }
    }
}
