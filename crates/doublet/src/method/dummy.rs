//! A method that only tests have, to show all that a new one takes: two texts are alike as far as their letters are.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::json;
use xxhash_rust::xxh3::xxh3_128;

use super::fitted::{Beside, Comparer, Explanation, Fields, FittedMethod, Inspector};
use super::{MatchOptions, TextCounts};
use crate::read::CodePoints;
use crate::scores::Scores;

/// Nothing is learnt.
#[derive(Debug)]
pub struct Fitted;

fn letters(text: &str) -> BTreeSet<char> {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

impl Fitted {
    pub(crate) fn count(text: &str) -> TextCounts {
        let letters = letters(text);
        TextCounts {
            tokens: letters.len() as u32,
            distinct: letters.len() as u32,
            identity: xxh3_128(text.as_bytes()),
        }
    }
}

impl FittedMethod for Fitted {
    fn comparer(self: Arc<Self>) -> Box<dyn Comparer> {
        Box::new(Letters(Vec::new()))
    }

    fn beside(self: Arc<Self>, text: &str) -> Box<dyn Beside> {
        Box::new(Letters(vec![letters(text)]))
    }

    fn explain(&self, a: &str, b: &str) -> Explanation {
        let mut texts = Letters(vec![letters(a), letters(b)]);
        Explanation {
            scores: texts.score(0, 1),
            passages_a: Letters(vec![letters(b)]).passages_of(a),
            passages_b: Letters(vec![letters(a)]).passages_of(b),
        }
    }

    fn inspector(self: Arc<Self>, _: &MatchOptions) -> Box<dyn Inspector> {
        Box::new(Letters(Vec::new()))
    }
}

struct Letters(Vec<BTreeSet<char>>);

impl Comparer for Letters {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn push(&mut self, text: &str, _: Option<u32>) -> u32 {
        self.0.push(letters(text));
        Fitted::count(text).tokens
    }

    fn score(&mut self, a: usize, b: usize) -> Scores {
        let (a, b) = (&self.0[a], &self.0[b]);
        let common = a.intersection(b).count() as u32;
        let (distinct_a, distinct_b) = (a.len() as u32, b.len() as u32);
        Scores {
            common,
            distinct_a,
            distinct_b,
            covered_a: common,
            covered_b: common,
            tokens_a: distinct_a,
            tokens_b: distinct_b,
            ..Scores::default()
        }
    }
}

impl Beside for Letters {
    fn passages_of(&mut self, other: &str) -> Vec<Range<usize>> {
        let shared = other.char_indices().filter(|(_, c)| self.0[0].contains(c));
        shared.map(|(at, c)| at..at + c.len_utf8()).collect()
    }
}

impl Inspector for Letters {
    fn text(&self, text: &str, _: &mut CodePoints<'_>) -> Fields {
        vec![("letters", json!(letters(text)))]
    }
}
