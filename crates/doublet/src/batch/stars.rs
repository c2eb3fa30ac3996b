//! The matches that stars need, where a join compared only as much as connects its texts.
//!
//! A star asks that every text matches its representative, which chains of matches do not show. What is connected is taken
//! piece by piece: in a small piece all pairs are compared; in a large one, representative after representative is compared with all
//! texts that have none yet. The number of comparisons is a fixed multiple of the number of texts, whatever the texts are.

use std::collections::VecDeque;

use super::matches::Verified;
use super::{JoinOptions, Joined, Source, pair_of, score_pairs};
use crate::candidates::{CandidatePair, Wanted};
use crate::cluster::{ClusterOptions, Clusters, Keep, Linkage, MostLost, UnionFind, cluster};
use crate::error::Result;
use crate::progress::{self, Observer, Unit};

/// Texts of a piece of which all pairs are compared.
const SMALL: usize = 32;
/// Comparisons for each text of a larger piece, at most: about as many as in the largest of the small ones.
const MOST_PER_TEXT: usize = SMALL / 2;
/// Pairs that are compared together.
const BATCH: usize = 1 << 20;

/// The clusters of a join. Its matches are completed first, as far as the linkage asks for it.
///
/// # Errors
/// When a text cannot be read again, or the observer cancels the run.
pub fn clusters(
    source: &Source,
    joined: &mut Joined,
    join: &JoinOptions,
    how: &ClusterOptions,
    observer: &dyn Observer,
) -> Result<Clusters> {
    let is_partial = joined.figures.spanning || joined.figures.transitivity;
    if is_partial && how.linkage == Linkage::Star {
        let mut completion = Completion {
            source,
            join,
            keep: &how.keep,
            most_lost: how.most_lost,
            observer,
            joined,
        };
        completion.run()?;
    }
    Ok(cluster(&joined.documents, &joined.matches, how))
}

struct Completion<'a> {
    source: &'a Source,
    join: &'a JoinOptions,
    keep: &'a Keep,
    most_lost: Option<MostLost>,
    observer: &'a dyn Observer,
    joined: &'a mut Joined,
}

/// A large piece: its texts in the order in which they become representatives.
struct Large {
    /// References, which are representatives before all texts; the next one is last.
    references: Vec<u32>,
    /// Texts without a representative.
    open: VecDeque<u32>,
    /// Comparisons that are left to it.
    budget: usize,
}

impl Completion<'_> {
    fn run(&mut self) -> Result<()> {
        let (small, mut large): (Vec<_>, Vec<_>) = self
            .pieces()
            .into_iter()
            .partition(|piece| piece.len() <= SMALL);
        let unit = Unit::Count("pairs");
        progress::begin(self.observer, "choosing representatives", None, unit)?;
        self.compare_all(&small)?;
        large.iter_mut().for_each(|piece| self.order(piece));
        let documents = &self.joined.documents;
        let large = large.into_iter().map(|piece| {
            let budget = piece.len() * MOST_PER_TEXT;
            let is_reference = |text: &u32| *text >= documents.references();
            let (mut references, open): (Vec<u32>, Vec<u32>) =
                piece.into_iter().partition(is_reference);
            references.reverse();
            Large {
                references,
                open: open.into(),
                budget,
            }
        });
        let left = self.compare_leaders(large.collect())?;
        self.joined.figures.partly_compared = left;
        Ok(())
    }

    /// The texts that matches connect, each the first of its copies, piece by piece.
    fn pieces(&self) -> Vec<Vec<u32>> {
        let verified = &self.joined.matches.verified;
        let mut sets = UnionFind::new(self.joined.documents.len());
        let mut texts: Vec<u32> = Vec::new();
        for pair in verified {
            sets.union(pair.a, pair.b);
            texts.extend([pair.a, pair.b]);
        }
        texts.sort_unstable();
        texts.dedup();
        let mut rooted: Vec<(u32, u32)> = texts
            .into_iter()
            .map(|text| (sets.find(text), text))
            .collect();
        rooted.sort_unstable();
        let pieces = rooted.chunk_by(|x, y| x.0 == y.0);
        pieces
            .map(|piece| piece.iter().map(|(_, text)| *text).collect())
            .collect()
    }

    /// Compares all pairs of small pieces.
    fn compare_all(&mut self, pieces: &[Vec<u32>]) -> Result<()> {
        let mut found = Vec::new();
        let mut batch = Vec::new();
        for (place, piece) in pieces.iter().enumerate() {
            for (index, &a) in piece.iter().enumerate() {
                let pairs = piece[index + 1..].iter().map(|&b| CandidatePair { a, b });
                batch.extend(pairs.filter(|pair| self.is_unknown(*pair)));
            }
            if batch.len() >= BATCH || place + 1 == pieces.len() {
                found.extend(self.matches(&batch)?);
                batch.clear();
            }
        }
        self.joined.matches.add(found);
        Ok(())
    }

    /// Compares the references of each large piece, then the first of its open texts, with all texts that are open, until each has a
    /// representative or no comparisons are left. Gives the number of texts of which too few were made.
    fn compare_leaders(&mut self, mut pieces: Vec<Large>) -> Result<u64> {
        let mut found = Vec::new();
        let mut left = 0;
        pieces.retain(|piece| !piece.open.is_empty());
        while !pieces.is_empty() {
            let mut batch = Vec::new();
            let mut covered = Vec::new();
            for piece in &mut pieces {
                let leader = piece.references.pop().or_else(|| piece.open.pop_front());
                let Some(leader) = leader else { continue };
                for &text in &piece.open {
                    let pair = pair_of(leader, text);
                    match self.joined.matches.find(pair) {
                        Some(known) if self.may_remove(leader, known) => covered.push(text),
                        None if self.wanted().pair(pair.a, pair.b) => batch.push(pair),
                        _ => {}
                    }
                }
                piece.budget = piece.budget.saturating_sub(piece.open.len());
            }
            let matches = self.matches(&batch)?;
            for pair in &matches {
                covered.extend([pair.a, pair.b].into_iter().filter(|&text| {
                    let leader = if text == pair.a { pair.b } else { pair.a };
                    self.may_remove(leader, pair)
                }));
            }
            covered.sort_unstable();
            found.extend(matches);
            for piece in &mut pieces {
                piece
                    .open
                    .retain(|text| covered.binary_search(text).is_err());
                if piece.budget == 0 {
                    left += piece.open.len() as u64;
                    piece.open.clear();
                }
            }
            pieces.retain(|piece| !piece.open.is_empty());
        }
        self.joined.matches.add(found);
        Ok(left)
    }

    /// Whether the other text of a match may be removed for this one.
    fn may_remove(&self, kept: u32, pair: &Verified) -> bool {
        self.most_lost.is_none_or(|most| {
            let scores = pair.scores(&self.joined.documents);
            most.allows_removal(&if pair.a == kept {
                scores
            } else {
                scores.swapped()
            })
        })
    }

    /// Sorts a piece in the order in which its texts become representatives: references, then as the user wishes, or those with most
    /// known matches first.
    fn order(&self, piece: &mut [u32]) {
        let Joined {
            documents, matches, ..
        } = &*self.joined;
        let best = |first: u32| self.keep.best_copy(documents, matches, first);
        let mut ordered: Vec<(u32, u32)> = piece.iter().map(|&text| (best(text), text)).collect();
        ordered.sort_by(|x, y| self.keep.order(documents, x.0, y.0));
        for (place, (_, text)) in piece.iter_mut().zip(ordered) {
            *place = text;
        }
        if *self.keep == Keep::Central {
            let is_text = |text: u32| text < documents.references();
            let known = |text: u32| std::cmp::Reverse(matches.places_of(text).count());
            piece.sort_by_cached_key(|&text| (is_text(text), known(text)));
        }
    }

    fn wanted(&self) -> Wanted {
        self.joined.matches.wanted
    }

    fn is_unknown(&self, pair: CandidatePair) -> bool {
        self.wanted().pair(pair.a, pair.b) && self.joined.matches.find(pair).is_none()
    }

    /// Those of some pairs that are matches.
    fn matches(&mut self, pairs: &[CandidatePair]) -> Result<Vec<Verified>> {
        self.joined.figures.verifications += pairs.len() as u64;
        let mut found = Vec::new();
        for batch in pairs.chunks(BATCH) {
            let scored = score_pairs(self.source, self.joined, self.join, batch, self.observer)?;
            let matching = scored
                .into_iter()
                .filter(|(_, scores)| self.join.is_match(scores));
            found.extend(matching.map(|(pair, scores)| Verified::new(pair.a, pair.b, &scores)));
            progress::advance(self.observer, 0)?;
        }
        Ok(found)
    }
}
