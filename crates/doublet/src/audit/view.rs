//! A kept and a removed text side by side: what each has alone, and long stretches cut short.
//!
//! The words are compared as a reader would: numbers count, case and accents as the run took them, and no word is left out. A word
//! is shared if it lies in a run of three words that the other text has in the same order among its words, or in a passage that the
//! other text has elsewhere, or if both texts begin or end alike up to it. A number must always be in the same order.

use std::collections::HashMap;
use std::ops::Range;

use super::removals::Run;
use crate::error::Result;
use crate::method::shingles::{Preparer, Tokens};
use crate::options::{NormalizeOptions, Numbers, ShingleOptions, TokenKind};
use crate::report::audit::Piece;

/// Words of a run that both texts must have.
const RUN: usize = 3;
/// Words of a passage that both texts have, wherever it is in the other one; within shorter ones the order counts.
const MOVED: usize = 12;
/// Pairs of words, one of each text, up to which the order of words is compared.
const MOST_ALIGNED: usize = 1 << 23;

/// How much of a text is shown around what differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Words at each end of a stretch that both texts have.
    pub shared: usize,
    /// Words at each end of a stretch that one text has alone.
    pub own: usize,
}

impl Extent {
    /// Everything.
    pub const WHOLE: Self = Self {
        shared: usize::MAX,
        own: usize::MAX,
    };
}

/// A text of a pair, with the words that it has alone.
#[derive(Clone, Debug, Default)]
pub struct Side {
    text: String,
    /// The place of each word, and whether the other text shares it.
    words: Vec<(Range<usize>, bool)>,
}

/// A kept text and one that was removed for it.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// The kept text.
    pub kept: Side,
    /// The removed text.
    pub removed: Side,
}

/// Compares words as the run did, but for numbers and words that it left out.
#[derive(Clone, Debug)]
pub(super) struct Comparer {
    normalize: NormalizeOptions,
    shingle: usize,
}

impl Comparer {
    pub(super) fn new(run: &Run) -> Self {
        let tokens = match run.option("tokens") {
            Some("spaces") => TokenKind::Spaces,
            Some("characters") => TokenKind::Characters,
            _ => TokenKind::Words,
        };
        Self {
            normalize: NormalizeOptions {
                tokens,
                numbers: Numbers::Keep,
                fold_case: run.option("case") != Some("keep"),
                fold_accents: run.option("accents") == Some("fold"),
                ..NormalizeOptions::default()
            },
            // Three characters occur in nearly every text.
            shingle: match tokens {
                TokenKind::Characters => 2 * RUN,
                TokenKind::Words | TokenKind::Spaces => RUN,
            },
        }
    }

    /// Compares two texts.
    pub(super) fn compare(&self, kept: String, removed: String) -> Result<Pair> {
        let with = |size| {
            let shingle = ShingleOptions {
                size,
                ..ShingleOptions::default()
            };
            Preparer::new(&self.normalize, &shingle)
        };
        let preparer = with(self.shingle)?;
        let (a, b) = (preparer.tokens(&kept), preparer.tokens(&removed));
        let size = a.len().min(b.len()).clamp(1, self.shingle);
        let found = with(size)?.explain(&kept, &removed);
        let ends = Ends::of(&a, &b);
        let (of_a, of_b) = aligned(&a, &b, ends);
        Ok(Pair {
            kept: Side::new(kept, &a, &found.passages_a, (ends, &of_a)),
            removed: Side::new(removed, &b, &found.passages_b, (ends, &of_b)),
        })
    }
}

/// Words that two texts have in common at their beginnings and ends.
#[derive(Clone, Copy, Debug)]
struct Ends {
    first: usize,
    last: usize,
}

impl Ends {
    fn of(a: &Tokens, b: &Tokens) -> Self {
        let shorter = a.len().min(b.len());
        let alike = |at: &usize| a.form(*at) == b.form(*at);
        let first = (0..shorter).take_while(alike).count();
        let alike = |at: &usize| a.form(a.len() - 1 - at) == b.form(b.len() - 1 - at);
        let last = (0..shorter - first).take_while(alike).count();
        Self { first, last }
    }

    /// Whether word number `word` of `words` is one of them.
    fn have(self, word: usize, words: usize) -> bool {
        word < self.first || word + self.last >= words
    }
}

/// Which words of each text are in the longest sequence of words that both have in this order; all of them where that takes too long.
fn aligned(a: &Tokens, b: &Tokens, ends: Ends) -> (Vec<bool>, Vec<bool>) {
    let mut numbers = HashMap::new();
    let mut numbered = |tokens: &Tokens| -> Vec<usize> {
        let middle = ends.first..tokens.len() - ends.last;
        let forms = middle.map(|word| tokens.form(word).to_owned());
        forms
            .map(|form| {
                let next = numbers.len();
                *numbers.entry(form).or_insert(next)
            })
            .collect()
    };
    let (x, y) = (numbered(a), numbered(b));
    if x.len().saturating_mul(y.len()) > MOST_ALIGNED {
        return (vec![true; a.len()], vec![true; b.len()]);
    }
    // The longest sequences of what is left of both texts from each pair of words on.
    let width = y.len() + 1;
    let mut longest = vec![0u32; (x.len() + 1) * width];
    for i in (0..x.len()).rev() {
        for j in (0..y.len()).rev() {
            longest[i * width + j] = match x[i] == y[j] {
                true => longest[(i + 1) * width + j + 1] + 1,
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut of_a, mut of_b) = (vec![false; a.len()], vec![false; b.len()]);
    let (mut i, mut j) = (0, 0);
    while i < x.len() && j < y.len() {
        if x[i] == y[j] {
            (of_a[ends.first + i], of_b[ends.first + j]) = (true, true);
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    (of_a, of_b)
}

impl Side {
    fn new(
        text: String,
        tokens: &Tokens,
        passages: &[Range<usize>],
        (ends, aligned): (Ends, &[bool]),
    ) -> Self {
        let place = |at: usize| tokens.spans.partition_point(|span| (span.0 as usize) < at);
        let is_long = |passage: &Range<usize>| place(passage.end) - place(passage.start) >= MOVED;
        let passages = passages.iter().map(|passage| (passage, is_long(passage)));
        let mut passages = passages.peekable();
        let mut words = Vec::with_capacity(tokens.len());
        for (word, &(start, end)) in tokens.spans.iter().enumerate() {
            let (start, end) = (start as usize, end as usize);
            while passages
                .next_if(|(passage, _)| passage.end <= start)
                .is_some()
            {}
            let around = passages
                .peek()
                .filter(|(passage, _)| passage.start <= start);
            let is_number = || tokens.form(word).starts_with(char::is_numeric);
            let is_shared = around.is_some_and(|&(_, long)| aligned[word] || long && !is_number());
            words.push((start..end, is_shared || ends.have(word, tokens.len())));
        }
        Self { text, words }
    }

    /// Words in all.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Words that the other text does not have.
    pub fn own(&self) -> usize {
        self.words.iter().filter(|(_, shared)| !shared).count()
    }

    /// The text in pieces, as much of it as `extent` says. White space and punctuation between two stretches count as shared.
    pub fn pieces(&self, extent: Extent) -> Vec<Piece> {
        let mut pieces = Pieces {
            text: &self.text,
            list: Vec::new(),
        };
        let mut at = 0;
        for run in self.words.chunk_by(|a, b| a.1 == b.1) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else {
                continue;
            };
            pieces.push(at..first.0.start, true);
            at = last.0.end;
            let ends = if first.1 { extent.shared } else { extent.own };
            // A cut that saves no more than a few words is worth less than they are.
            if run.len() <= ends.saturating_mul(2).saturating_add(ends / 2 + 4) {
                pieces.push(first.0.start..at, first.1);
                continue;
            }
            let (head, tail) = (&run[..ends], &run[run.len() - ends..]);
            pieces.push_run(head, first.1);
            pieces.list.push(Piece::Cut(run.len() - 2 * ends));
            pieces.push_run(tail, first.1);
        }
        pieces.push(at..self.text.len(), true);
        pieces.list
    }
}

/// Pieces on their way; neighbours of a kind become one.
struct Pieces<'a> {
    text: &'a str,
    list: Vec<Piece>,
}

impl Pieces<'_> {
    fn push_run(&mut self, run: &[(Range<usize>, bool)], shared: bool) {
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            self.push(first.0.start..last.0.end, shared);
        }
    }

    fn push(&mut self, range: Range<usize>, shared: bool) {
        let Some(text) = self.text.get(range).filter(|text| !text.is_empty()) else {
            return;
        };
        match (self.list.last_mut(), shared) {
            (Some(Piece::Shared(last)), true) | (Some(Piece::Own(last)), false) => {
                last.push_str(text);
            }
            (_, true) => self.list.push(Piece::Shared(text.to_owned())),
            (_, false) => self.list.push(Piece::Own(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compare(kept: &str, removed: &str) -> Pair {
        let comparer = Comparer {
            normalize: NormalizeOptions {
                numbers: Numbers::Keep,
                ..NormalizeOptions::default()
            },
            shingle: RUN,
        };
        comparer
            .compare(kept.to_owned(), removed.to_owned())
            .unwrap()
    }

    /// Pieces as `wdiff` writes them.
    fn shown(side: &Side, extent: Extent) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Shared(text) => text.clone(),
            Piece::Own(text) => format!("[{text}]"),
            Piece::Cut(words) => format!("<{words}>"),
        };
        side.pieces(extent).iter().map(piece).collect()
    }

    #[test]
    fn words_of_one_text_alone_are_marked() {
        let pair = compare(
            "The money supply rose in week 12, the bank said.",
            "The money supply ROSE in week 13, the bank said today.",
        );
        assert_eq!(
            shown(&pair.removed, Extent::WHOLE),
            "The money supply ROSE in week [13], the bank said [today]."
        );
        assert_eq!((pair.removed.own(), pair.removed.words()), (2, 11));
        assert_eq!(
            shown(&pair.kept, Extent::WHOLE),
            "The money supply rose in week [12], the bank said."
        );
    }

    #[test]
    fn words_that_changed_places_are_marked() {
        let pair = compare(
            "The flat costs 500 euros and the garage costs 90 euros a month",
            "The flat costs 90 euros and the garage costs 500 euros a month",
        );
        assert_eq!(
            shown(&pair.removed, Extent::WHOLE),
            "The flat costs [90] euros and the garage costs [500] euros a month"
        );
        assert_eq!(
            shown(&pair.kept, Extent::WHOLE),
            "The flat costs [500] euros and the garage costs [90] euros a month"
        );
    }

    #[test]
    fn short_texts_are_compared_word_by_word() {
        let pair = compare("yes please", "No please");
        assert_eq!(shown(&pair.removed, Extent::WHOLE), "[No] please");
        let pair = compare("please", "No please");
        assert_eq!(shown(&pair.removed, Extent::WHOLE), "[No] please");
        let pair = compare("", "No please");
        assert_eq!(shown(&pair.removed, Extent::WHOLE), "[No please]");
    }

    #[test]
    fn long_stretches_are_cut() {
        let word = |number: u8| [b'a' + number / 10, b'a' + number % 10].map(char::from);
        let same: Vec<String> = (0..100).map(|at| word(at).iter().collect()).collect();
        let same = same.join(" ");
        let removed = format!("{same} only here {same}");
        let pair = compare(&same, &removed);
        let extent = Extent { shared: 2, own: 9 };
        assert_eq!(
            shown(&pair.removed, extent),
            "aa ab<96>ji jj [only here] aa ab<96>ji jj"
        );
        assert_eq!(shown(&pair.kept, extent), "aa ab<96>ji jj");
    }

    proptest! {
        #[test]
        fn pieces_lose_nothing_but_what_they_count(
            kept in "([abc]{1,2}[ ,.\u{301}漢]{0,2}){0,40}",
            removed in "([abc]{1,2}[ ,.\u{301}漢]{0,2}){0,40}",
            shared in 0usize..6, own in 0usize..6,
        ) {
            let pair = compare(&kept, &removed);
            for (side, text) in [(&pair.kept, &kept), (&pair.removed, &removed)] {
                let whole: String = side.pieces(Extent::WHOLE).iter().map(|piece| match piece {
                    Piece::Shared(text) | Piece::Own(text) => text.as_str(),
                    Piece::Cut(_) => "cut",
                }).collect();
                prop_assert_eq!(&whole, text);
                prop_assert!(side.own() <= side.words());
                let pieces = side.pieces(Extent { shared, own });
                let is_kind = |a: &Piece, b: &Piece| std::mem::discriminant(a) == std::mem::discriminant(b);
                let cuts_apart = |w: &[Piece]| !is_kind(&w[0], &w[1]) || matches!(w[0], Piece::Cut(_));
                prop_assert!(pieces.windows(2).all(cuts_apart));
            }
        }
    }
}
