//! Texts of shingles: compared, explained and shown.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Preparer, Tokens, VerifyTexts};
use crate::fingerprint::truncate;
use crate::method::MatchOptions;
use crate::method::fitted::{Beside, Comparer, Explanation, Fields, FittedMethod, Inspector};
use crate::read::CodePoints;
use crate::scores::Scores;

impl FittedMethod for Preparer {
    fn comparer(self: Arc<Self>) -> Box<dyn Comparer> {
        Box::new(Shingled::new(self))
    }

    fn beside(self: Arc<Self>, text: &str) -> Box<dyn Beside> {
        let mut shingled = Shingled::new(self);
        shingled.push(text, None);
        Box::new(shingled)
    }

    fn explain(&self, a: &str, b: &str) -> Explanation {
        Self::explain(self, a, b)
    }

    fn inspector(self: Arc<Self>, options: &MatchOptions) -> Box<dyn Inspector> {
        Box::new(ShingleInspector {
            preparer: self,
            bits: options.shingle.bits,
        })
    }
}

/// Texts with what makes shingles of them.
struct Shingled {
    preparer: Arc<Preparer>,
    texts: VerifyTexts,
}

impl Shingled {
    fn new(preparer: Arc<Preparer>) -> Self {
        Self {
            preparer,
            texts: VerifyTexts::default(),
        }
    }
}

impl Comparer for Shingled {
    fn clear(&mut self) {
        self.texts.clear();
    }

    fn push(&mut self, text: &str, distinct: Option<u32>) -> u32 {
        self.texts.push(&self.preparer, text, distinct)
    }

    fn score(&mut self, a: usize, b: usize) -> Scores {
        self.texts.compare(&self.preparer, a, b)
    }
}

impl Beside for Shingled {
    fn passages_of(&mut self, other: &str) -> Vec<Range<usize>> {
        let Self { preparer, texts } = self;
        texts.push(preparer, other, None);
        let (_, shared) = texts.shared_positions(preparer, 0, 1);
        texts.truncate(1);
        passages(&preparer.tokens(other), &shared, preparer.shingle_size())
    }
}

impl Preparer {
    /// Scores two texts by their shingles and finds what they share.
    pub fn explain(&self, a: &str, b: &str) -> Explanation {
        let mut texts = VerifyTexts::default();
        texts.push(self, a, None);
        texts.push(self, b, None);
        let scores = texts.compare(self, 0, 1);
        let (shared_a, shared_b) = texts.shared_positions(self, 0, 1);
        let size = self.shingle_size();
        Explanation {
            scores,
            passages_a: passages(&self.tokens(a), &shared_a, size),
            passages_b: passages(&self.tokens(b), &shared_b, size),
        }
    }
}

/// The stretches of text under shingles at these rising positions.
fn passages(tokens: &Tokens, positions: &[u32], size: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for &position in positions {
        let start = position as usize;
        let end = (start + size).min(tokens.len());
        match runs.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            _ => runs.push(start..end),
        }
    }
    let place = |run: Range<usize>| {
        tokens.spans[run.start].0 as usize..tokens.spans[run.end - 1].1 as usize
    };
    runs.into_iter().map(place).collect()
}

struct ShingleInspector {
    preparer: Arc<Preparer>,
    bits: u32,
}

impl Inspector for ShingleInspector {
    fn text(&self, text: &str, points: &mut CodePoints<'_>) -> Fields {
        fields(&self.preparer.tokens(text), self.bits, points)
    }
}

/// The tokens and shingles of a text; `bits` of each fingerprint are shown.
pub(crate) fn fields(tokens: &Tokens, bits: u32, points: &mut CodePoints<'_>) -> Fields {
    let mut distinct = tokens.shingles.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let seen = (0..tokens.len()).map(|token| {
        let (start, end) = tokens.spans[token];
        let start = points.start(start as usize);
        json!({"text": tokens.form(token), "start": start, "end": points.end(end as usize)})
    });
    let seen: Value = seen.collect();
    let width = bits.div_ceil(4) as usize;
    let hex =
        |fingerprint: &u64| format!("{:0width$x}", truncate(*fingerprint, bits) >> (64 - bits));
    let shingles = json!({"count": tokens.shingles.len(), "distinct": distinct.len()});
    let fingerprints = tokens.shingles.iter().map(hex);
    vec![
        ("tokens", seen),
        ("shingles", shingles),
        ("fingerprints", fingerprints.collect()),
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::options::{NormalizeOptions, ShingleOptions};

    fn preparer(size: usize) -> Preparer {
        let shingle = ShingleOptions {
            size,
            ..ShingleOptions::default()
        };
        Preparer::new(&NormalizeOptions::default(), &shingle).unwrap()
    }

    fn forms(preparer: &Preparer, text: &str) -> Vec<String> {
        let tokens = preparer.tokens(text);
        (0..tokens.len())
            .map(|token| tokens.form(token).to_owned())
            .collect()
    }

    #[test]
    fn passages_are_cut_from_the_texts_as_given() {
        let (a, b) = (
            "So — The QUICK, brown fox; jumps!",
            "the quick brown fox jumps high",
        );
        let found = preparer(3).explain(a, b);
        assert_eq!(
            found
                .passages_a
                .iter()
                .map(|r| &a[r.clone()])
                .collect::<Vec<_>>(),
            ["The QUICK, brown fox; jumps"]
        );
        assert_eq!(
            found
                .passages_b
                .iter()
                .map(|r| &b[r.clone()])
                .collect::<Vec<_>>(),
            ["the quick brown fox jumps"]
        );
    }

    proptest! {
        #[test]
        fn every_passage_normalises_to_covered_tokens(
            a in "([abcäß漢ก]{1,2}[ ,.\u{301}]{0,2}){0,30}",
            b in "([abcäß漢ก]{1,2}[ ,.\u{301}]{0,2}){0,30}",
            size in 1usize..4,
        ) {
            let preparer = Arc::new(preparer(size));
            let found = preparer.explain(&a, &b);
            for (text, passages, covered) in [
                (&a, &found.passages_a, found.scores.covered_a),
                (&b, &found.passages_b, found.scores.covered_b),
            ] {
                let tokens: usize = passages.iter().map(|range| forms(&preparer, &text[range.clone()]).len()).sum();
                prop_assert_eq!(tokens, covered as usize);
            }
            // The same for one text after the other, beside one that is prepared once.
            let mut beside = Arc::clone(&preparer).beside(&a);
            for other in [&a, &b, &a] {
                prop_assert_eq!(beside.passages_of(other), preparer.explain(&a, other).passages_b);
            }
        }
    }
}
