//! Why two texts are a pair: their scores and the passages they share, as ranges of the texts as given.

use std::collections::HashMap;
use std::ops::Range;

use crate::method::sentences::compare::SentenceText;
use crate::method::sentences::{Fingerprinter, Sentences};
use crate::method::shingles::{Preparer, Tokens, VerifyTexts};
use crate::method::terms::compare::{compare, total_weight};
use crate::method::terms::{Lexicon, Scratch, TermSegmenter};
use crate::scores::Scores;

/// Two texts side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The counts behind every score.
    pub scores: Scores,
    /// Shared passages of the first text, in bytes, in order, apart.
    pub passages_a: Vec<Range<usize>>,
    /// Shared passages of the second text.
    pub passages_b: Vec<Range<usize>>,
}

/// What explains pairs, as the method does.
#[derive(Clone, Copy, Debug)]
pub enum Explainer<'a> {
    /// By shingles.
    Shingles(&'a Preparer),
    /// By weighted terms.
    Terms(&'a TermSegmenter, &'a Lexicon),
    /// By sentences, but for those of the fingerprints given, which are in order.
    Sentences(&'a Fingerprinter, &'a [u128]),
}

impl Explainer<'_> {
    /// Scores two texts and finds what they share.
    pub fn explain(self, a: &str, b: &str) -> Explanation {
        match self {
            Self::Shingles(preparer) => explain(preparer, a, b),
            Self::Terms(segmenter, lexicon) => explain_terms(segmenter, lexicon, a, b),
            Self::Sentences(fingerprinter, boilerplate) => {
                explain_sentences(fingerprinter, boilerplate, a, b)
            }
        }
    }
}

impl<'a> Explainer<'a> {
    /// A text, prepared once, to find what many others share with it.
    pub(crate) fn beside(self, text: &str) -> Beside<'a> {
        match self {
            Self::Shingles(preparer) => {
                let mut texts = VerifyTexts::default();
                texts.push(preparer, text, None);
                Beside::Shingles(preparer, Box::new(texts))
            }
            Self::Terms(segmenter, lexicon) => {
                let ranks = sorted_ranks(&seen_terms(segmenter, lexicon, text));
                Beside::Terms(segmenter, lexicon, ranks)
            }
            Self::Sentences(fingerprinter, boilerplate) => {
                let text = SentenceText::new(fingerprinter, text, &mut Sentences::default());
                Beside::Sentences(fingerprinter, boilerplate, text)
            }
        }
    }
}

/// A text that others are laid beside.
pub(crate) enum Beside<'a> {
    Shingles(&'a Preparer, Box<VerifyTexts>),
    /// The ranks of its terms, in order.
    Terms(&'a TermSegmenter, &'a Lexicon, Vec<u32>),
    Sentences(&'a Fingerprinter, &'a [u128], SentenceText),
}

impl Beside<'_> {
    /// The passages of another text that this one shares, as [`Explanation::passages_b`].
    pub(crate) fn passages_of(&mut self, other: &str) -> Vec<Range<usize>> {
        match self {
            Self::Shingles(preparer, texts) => {
                texts.push(preparer, other, None);
                let (_, shared) = texts.shared_positions(preparer, 0, 1);
                texts.truncate(1);
                passages(&preparer.tokens(other), &shared, preparer.shingle_size())
            }
            Self::Terms(segmenter, lexicon, ranks) => {
                shared_runs(&seen_terms(segmenter, lexicon, other), ranks)
            }
            Self::Sentences(fingerprinter, boilerplate, text) => {
                let mut found = Sentences::default();
                let laid = SentenceText::new(fingerprinter, other, &mut found);
                if text.is_same(&laid) {
                    return vec![trimmed(other)];
                }
                shared_sentences(&found, &|key| {
                    text.has(key) && boilerplate.binary_search(key).is_err()
                })
            }
        }
    }
}

/// The passages of a text without the numbers in them that another text does not have in the same order.
pub(crate) fn without_other_numbers(
    text: &str,
    passages: &[Range<usize>],
    other: &str,
) -> Vec<Range<usize>> {
    let own: Vec<Range<usize>> = numbers(text).collect();
    let words: Vec<&str> = own.iter().map(|place| &text[place.clone()]).collect();
    let found = InOrder::new(numbers(other).map(|place| &other[place])).longest(&words);
    let mut others = own
        .into_iter()
        .zip(found)
        .filter(|(_, found)| !found)
        .peekable();
    let mut rest = Vec::new();
    for passage in passages {
        let mut start = passage.start;
        while others
            .next_if(|(number, _)| number.end <= passage.start)
            .is_some()
        {}
        while let Some((number, _)) = others.next_if(|(number, _)| number.start < passage.end) {
            rest.push(start..number.start.max(start));
            start = number.end.min(passage.end);
        }
        rest.push(start..passage.end);
    }
    rest.retain(|passage| !passage.is_empty());
    rest
}

/// The places of each word of a text, to find those that another text has in the same order.
pub(crate) struct InOrder(HashMap<String, Vec<u32>>);

/// Pairs of places with the same word that are looked at; where there are more, the first place that fits is taken.
const MOST_PLACES: usize = 1 << 18;

impl InOrder {
    pub(crate) fn new<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut places: HashMap<String, Vec<u32>> = HashMap::new();
        for (place, word) in (0..).zip(words) {
            places.entry(word.to_owned()).or_default().push(place);
        }
        Self(places)
    }

    /// Which of some words are in a longest sequence that the text has in the same order.
    pub(crate) fn longest(&self, words: &[&str]) -> Vec<bool> {
        let places = |word: &str| self.0.get(word).map_or(&[][..], Vec::as_slice);
        let pairs: usize = words.iter().map(|word| places(word).len()).sum();
        let mut found = vec![false; words.len()];
        if pairs > MOST_PLACES {
            let mut next = 0;
            for (word, found) in words.iter().zip(&mut found) {
                let places = places(word);
                let behind = places.partition_point(|place| *place < next);
                if let Some(place) = places.get(behind) {
                    (*found, next) = (true, place + 1);
                }
            }
            return found;
        }
        // Hunt and Szymanski: where a sequence of each length ends at the earliest, and its last pair; each pair names the word and the
        // pair before it.
        let mut ends: Vec<(u32, usize)> = Vec::new();
        let mut chain: Vec<(usize, Option<usize>)> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            for &place in places(word).iter().rev() {
                let length = ends.partition_point(|(end, _)| *end < place);
                let before = length.checked_sub(1).map(|before| ends[before].1);
                chain.push((at, before));
                let end = (place, chain.len() - 1);
                match ends.get_mut(length) {
                    Some(known) => *known = end,
                    None => ends.push(end),
                }
            }
        }
        let mut last = ends.last().map(|(_, pair)| *pair);
        while let Some(pair) = last {
            let (at, before) = chain[pair];
            found[at] = true;
            last = before;
        }
        found
    }
}

/// The runs of digits of a text.
fn numbers(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, _) = chars.find(|(_, c)| c.is_numeric())?;
        while chars.next_if(|(_, c)| c.is_numeric()).is_some() {}
        let end = chars.peek().map_or(text.len(), |(at, _)| *at);
        Some(start..end)
    })
}

/// Scores two texts by their terms and finds those they share. A term that the lexicon does not know is shared by none.
pub fn explain_terms(
    segmenter: &TermSegmenter,
    lexicon: &Lexicon,
    a: &str,
    b: &str,
) -> Explanation {
    let (seen_a, seen_b) = (
        seen_terms(segmenter, lexicon, a),
        seen_terms(segmenter, lexicon, b),
    );
    let (ranks_a, ranks_b) = (sorted_ranks(&seen_a), sorted_ranks(&seen_b));
    let weight = |ranks: &[u32]| total_weight(lexicon, ranks);
    let scores = compare(
        lexicon,
        (&ranks_a, weight(&ranks_a)),
        (&ranks_b, weight(&ranks_b)),
    );
    Explanation {
        scores,
        passages_a: shared_runs(&seen_a, &ranks_b),
        passages_b: shared_runs(&seen_b, &ranks_a),
    }
}

/// Scores two texts by their sentences and finds those they share. Sentences of the fingerprints in `boilerplate`, which are in
/// order, are shared by none, unless the texts are the same.
pub fn explain_sentences(
    fingerprinter: &Fingerprinter,
    boilerplate: &[u128],
    a: &str,
    b: &str,
) -> Explanation {
    let mut found = [Sentences::default(), Sentences::default()];
    let [list_a, list_b] = &mut found;
    let text_a = SentenceText::new(fingerprinter, a, list_a);
    let text_b = SentenceText::new(fingerprinter, b, list_b);
    let scores = text_a.compare(&text_b, boilerplate);
    if text_a.is_same(&text_b) {
        return Explanation {
            scores,
            passages_a: vec![trimmed(a)],
            passages_b: vec![trimmed(b)],
        };
    }
    let counts = |key: &u128| boilerplate.binary_search(key).is_err();
    Explanation {
        scores,
        passages_a: shared_sentences(&found[0], &|key| text_b.has(key) && counts(key)),
        passages_b: shared_sentences(&found[1], &|key| text_a.has(key) && counts(key)),
    }
}

/// The text without the white space around it.
fn trimmed(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// Stretches of text of sentences that are shared; neighbours are one.
fn shared_sentences(text: &Sentences, shared: &dyn Fn(&u128) -> bool) -> Vec<Range<usize>> {
    let runs = text.list.chunk_by(|x, y| shared(&x.key) == shared(&y.key));
    runs.filter(|run| shared(&run[0].key))
        .map(|run| run[0].start..run[run.len() - 1].end)
        .collect()
}

/// A term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenTerm {
    /// Where it stands, in bytes.
    pub place: Range<usize>,
    /// Its rank in the lexicon.
    pub rank: u32,
}

/// The terms of a text, in order, those the lexicon knows.
pub fn seen_terms(segmenter: &TermSegmenter, lexicon: &Lexicon, text: &str) -> Vec<SeenTerm> {
    let mut seen = Vec::new();
    segmenter.terms(text, &mut Scratch::default(), |term| {
        if let Some(rank) = lexicon.rank(term.form) {
            let place = term.start..term.end;
            seen.push(SeenTerm { place, rank });
        }
    });
    seen
}

fn sorted_ranks(seen: &[SeenTerm]) -> Vec<u32> {
    let mut ranks: Vec<u32> = seen.iter().map(|term| term.rank).collect();
    ranks.sort_unstable();
    ranks
}

/// The stretches of text of terms that the other text has too.
fn shared_runs(seen: &[SeenTerm], other: &[u32]) -> Vec<Range<usize>> {
    let shared = |term: &SeenTerm| other.binary_search(&term.rank).is_ok();
    let runs = seen.chunk_by(|x, y| shared(x) == shared(y));
    runs.filter(|run| shared(&run[0]))
        .map(|run| run[0].place.start..run[run.len() - 1].place.end)
        .collect()
}

/// Scores two texts by their shingles and finds what they share.
pub fn explain(preparer: &Preparer, a: &str, b: &str) -> Explanation {
    let mut texts = VerifyTexts::default();
    texts.push(preparer, a, None);
    texts.push(preparer, b, None);
    let scores = texts.compare(preparer, 0, 1);
    let (shared_a, shared_b) = texts.shared_positions(preparer, 0, 1);
    let size = preparer.shingle_size();
    Explanation {
        scores,
        passages_a: passages(&preparer.tokens(a), &shared_a, size),
        passages_b: passages(&preparer.tokens(b), &shared_b, size),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The length of a longest common sequence, by the table of all prefixes.
    fn longest(a: &[&str], b: &[&str]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut corner = 0;
            for (at, y) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if x == y {
                    corner + 1
                } else {
                    above.max(row[at])
                };
                corner = above;
            }
        }
        row[b.len()]
    }

    proptest::proptest! {
        #[test]
        fn the_longest_sequence_is_found(a in "[abc]{0,12}", b in "[abcd]{0,12}") {
            let (x, y): (Vec<&str>, Vec<&str>) = (a.split("").collect(), b.split("").collect());
            let found = InOrder::new(y.iter().copied()).longest(&x);
            let kept: Vec<&str> = x.iter().zip(&found).filter(|(_, found)| **found).map(|(word, _)| *word).collect();
            proptest::prop_assert_eq!(kept.len(), longest(&x, &y));
            proptest::prop_assert_eq!(longest(&kept, &y), kept.len());
        }
    }

    use crate::options::{NormalizeOptions, ShingleOptions};

    #[test]
    fn numbers_of_one_text_alone_are_not_shared() {
        let (a, b) = ("M1 rose 12 in week 7", "M1 rose 9 in week 14, or 7");
        let all = 0..a.len();
        let shared = without_other_numbers(a, std::slice::from_ref(&all), b);
        let shared: Vec<&str> = shared.into_iter().map(|place| &a[place]).collect();
        assert_eq!(shared, ["M1 rose ", " in week 7"]);
        assert!(without_other_numbers(a, &[], b).is_empty());
        assert!(without_other_numbers("12", std::slice::from_ref(&(0..2)), "").is_empty());
        assert_eq!(
            without_other_numbers("٣ and ３", std::slice::from_ref(&(0..10)), "３"),
            vec![2..10]
        );
    }

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
        let found = explain(&preparer(3), a, b);
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
            let preparer = preparer(size);
            let found = explain(&preparer, &a, &b);
            for (text, passages, covered) in [
                (&a, &found.passages_a, found.scores.covered_a),
                (&b, &found.passages_b, found.scores.covered_b),
            ] {
                let tokens: usize = passages.iter().map(|range| forms(&preparer, &text[range.clone()]).len()).sum();
                prop_assert_eq!(tokens, covered as usize);
            }
            // The same for one text after the other, beside one that is prepared once.
            let explainer = Explainer::Shingles(&preparer);
            let mut beside = explainer.beside(&a);
            for other in [&a, &b, &a] {
                prop_assert_eq!(beside.passages_of(other), explainer.explain(&a, other).passages_b);
            }
        }
    }
}
