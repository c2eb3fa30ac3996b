//! Passages of two texts whose units, shingles or terms, are at hand as numbers.

use std::ops::Range;

use super::Passage;
use crate::sentences::align::{Run, align};

/// Where the units of `a` stand in `b`, as runs.
pub(super) fn runs(a: &[u64], b: &[u64]) -> Vec<Run> {
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

/// Counts the characters of a source up to a byte. Asked in rising order, it walks the source once.
pub(super) struct Characters<'a> {
    source: &'a str,
    byte: usize,
    characters: u64,
}

impl<'a> Characters<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self {
            source,
            byte: 0,
            characters: 0,
        }
    }

    fn before(&mut self, byte: usize) -> u64 {
        if byte < self.byte {
            (self.byte, self.characters) = (0, 0);
        }
        self.characters += self.source[self.byte..byte].chars().count() as u64;
        self.byte = byte;
        self.characters
    }

    /// Ranges of two texts as a passage; that of the source in characters.
    pub(super) fn passage(&mut self, here: Range<usize>, there: Range<usize>) -> Passage {
        Passage {
            here,
            there: self.before(there.start)..self.before(there.end),
        }
    }
}

/// How many units of a text lie in any of some ranges of them.
pub(super) fn united(mut ranges: Vec<Range<usize>>) -> usize {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let (mut sum, mut last) = (0, 0);
    for range in ranges {
        let start = range.start.max(last);
        sum += range.end.saturating_sub(start);
        last = last.max(range.end);
    }
    sum
}
