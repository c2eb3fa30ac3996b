//! The matches that stars need, where a join compared only as many pairs as connect its texts.
//!
//! In a star every text matches its representative, which a chain of matches does not show. So each connected component is
//! compared again: all pairs of a small one; in a large one, representative after representative with all texts that have none
//! yet. The number of comparisons is at most a fixed multiple of the number of texts, whatever the texts are, and of the
//! matches only those of a text with its representative are kept.

use std::collections::VecDeque;

use super::{JoinOptions, Joined, pair_of, score_pairs};
use crate::cluster::{
    ClusterOptions, Clusters, Keep, Linkage, Spoke, cluster, cluster_around, spokes,
};
use crate::error::Result;
use crate::matches::{CandidatePair, Matches, Source, Verified, Wanted};
use crate::progress::{self, Observer, Unit};
use crate::union_find::UnionFind;

/// The most texts of a component of which all pairs are compared.
const SMALL: usize = 32;
/// The most comparisons for each text of a larger component: about as many as in the largest of the small ones.
const MOST_PER_TEXT: usize = SMALL / 2;
/// Pairs that are compared together.
const BATCH: usize = 1 << 20;

/// The clusters of a join. Its matches are completed first, as far as the linkage needs them.
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
        let mut search = StarSearch {
            source,
            join,
            how,
            observer,
            joined,
        };
        let representatives = search.run()?;
        let Joined {
            documents, matches, ..
        } = &*joined;
        return Ok(cluster_around(documents, matches, how, &representatives));
    }
    Ok(cluster(&joined.documents, &joined.matches, how))
}

struct StarSearch<'a> {
    source: &'a Source,
    join: &'a JoinOptions,
    how: &'a ClusterOptions,
    observer: &'a dyn Observer,
    joined: &'a mut Joined,
}

/// A large component: its texts in the order in which they become representatives.
struct Large {
    /// References, which are representatives before all texts; the next one is last.
    references: Vec<u32>,
    /// Texts without a representative.
    open: VecDeque<u32>,
    /// Comparisons that are left to it.
    budget: usize,
}

impl StarSearch<'_> {
    /// Reduces the matches to those of texts with their representatives, and gives both ends of each.
    fn run(&mut self) -> Result<Vec<(u32, u32)>> {
        let (small, large): (Vec<_>, Vec<_>) = self
            .components()
            .into_iter()
            .partition(|component| component.len() <= SMALL);
        let unit = Unit::Count("pairs");
        progress::begin(self.observer, "choosing representatives", None, unit)?;
        let mut stars: Vec<Spoke> = Vec::new();
        self.compare_all(&small, &mut stars)?;
        let large = large.into_iter().map(|component| self.ordered(component));
        let large: Vec<Large> = large.collect();
        let left = self.compare_representatives(large, &mut stars)?;
        self.joined.figures.partly_compared = left;
        let matches = &mut self.joined.matches;
        let identical = std::mem::take(&mut matches.identical);
        let pairs = stars.iter().map(|spoke| spoke.pair).collect();
        *matches = Matches::new(identical, pairs, matches.wanted);
        let ends = stars.iter().map(|spoke| (spoke.text, spoke.representative));
        Ok(ends.collect())
    }

    /// The texts that matches connect, each the first of its copies, component by component.
    fn components(&self) -> Vec<Vec<u32>> {
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
        let components = rooted.chunk_by(|x, y| x.0 == y.0);
        components
            .map(|component| component.iter().map(|(_, text)| *text).collect())
            .collect()
    }

    /// Compares all pairs of small components, and adds the matches of their stars.
    fn compare_all(&mut self, components: &[Vec<u32>], stars: &mut Vec<Spoke>) -> Result<()> {
        let pairs = |component: &Vec<u32>| component.len() * (component.len() - 1) / 2;
        let mut start = 0;
        while start < components.len() {
            let (mut end, mut count) = (start, 0);
            while end < components.len() && count < BATCH {
                count += pairs(&components[end]);
                end += 1;
            }
            self.compare_batch(&components[start..end], stars)?;
            start = end;
        }
        Ok(())
    }

    fn compare_batch(&mut self, components: &[Vec<u32>], stars: &mut Vec<Spoke>) -> Result<()> {
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for component in components {
            for (index, &a) in component.iter().enumerate() {
                for &b in &component[index + 1..] {
                    let pair = CandidatePair { a, b };
                    match self.joined.matches.find(pair) {
                        Some(known) => found.push(*known),
                        None if self.wanted().pair(a, b) => unknown.push(pair),
                        None => {}
                    }
                }
            }
        }
        found.extend(self.compare(&unknown)?);
        self.add_stars(found, stars);
        Ok(())
    }

    /// Adds the stars of some matches.
    fn add_stars(&mut self, matches: Vec<Verified>, stars: &mut Vec<Spoke>) {
        let wanted = self.wanted();
        let Joined {
            documents,
            matches: known,
            ..
        } = &mut *self.joined;
        let identical = std::mem::take(&mut known.identical);
        let matches = Matches::new(identical, matches, wanted);
        stars.extend(spokes(documents, &matches, self.how));
        known.identical = matches.identical;
    }

    /// Compares the references of each large component, then the first of its open texts, with all texts that are open, until each
    /// has a representative or no comparisons are left. Texts of which too few pairs were compared get representatives by the matches that are known; gives the
    /// number of these texts.
    fn compare_representatives(
        &mut self,
        mut components: Vec<Large>,
        stars: &mut Vec<Spoke>,
    ) -> Result<u64> {
        let (mut left, mut unused) = (Vec::new(), Vec::new());
        components.retain(|component| !component.open.is_empty());
        while !components.is_empty() {
            let (mut matches, mut unknown) = (Vec::new(), Vec::new());
            let mut leaders = Vec::new();
            for component in &mut components {
                let leader = component.references.pop();
                let Some(leader) = leader.or_else(|| component.open.pop_front()) else {
                    continue;
                };
                leaders.push(leader);
                for &text in &component.open {
                    let pair = pair_of(leader, text);
                    match self.joined.matches.find(pair) {
                        Some(known) => matches.push(*known),
                        None if self.wanted().pair(pair.a, pair.b) => unknown.push(pair),
                        None => {}
                    }
                }
                component.budget = component.budget.saturating_sub(component.open.len());
            }
            matches.extend(self.compare(&unknown)?);
            leaders.sort_unstable();
            let is_leader = |text: u32| leaders.binary_search(&text).is_ok();
            let documents = &self.joined.documents;
            matches.retain(|pair| {
                let scores = || pair.scores(documents);
                self.how.may_represent(is_leader(pair.b), scores)
            });
            let spoke = |pair: Verified| {
                let (representative, text) = match is_leader(pair.a) {
                    true => (pair.a, pair.b),
                    false => (pair.b, pair.a),
                };
                Spoke {
                    representative,
                    text,
                    pair,
                }
            };
            let before = stars.len();
            stars.extend(matches.into_iter().map(spoke));
            let mut covered: Vec<u32> = stars[before..].iter().map(|spoke| spoke.text).collect();
            covered.sort_unstable();
            for component in &mut components {
                let is_open = |text: &u32| covered.binary_search(text).is_err();
                component.open.retain(is_open);
                if component.budget == 0 {
                    left.extend(component.open.drain(..));
                    unused.append(&mut component.references);
                }
            }
            components.retain(|component| !component.open.is_empty());
        }
        left.sort_unstable();
        unused.sort_unstable();
        let is_left = |text: u32| left.binary_search(&text).is_ok();
        let is_candidate = |text: u32| is_left(text) || unused.binary_search(&text).is_ok();
        let known = self.joined.matches.verified.iter();
        // References come after all texts.
        let known = known.filter(|pair| is_left(pair.a) && is_candidate(pair.b));
        self.add_stars(known.copied().collect(), stars);
        Ok(left.len() as u64)
    }

    /// The texts of a component in the order in which they become representatives: references, then as the user wishes, or those
    /// with most known matches first.
    fn ordered(&self, mut component: Vec<u32>) -> Large {
        let Joined {
            documents, matches, ..
        } = &*self.joined;
        let keep = &self.how.keep;
        let best = |&first: &u32| keep.best_copy(documents, matches, first);
        if *keep == Keep::Central {
            let known = |text: &u32| std::cmp::Reverse(matches.places_of(*text).count());
            component.sort_by_cached_key(known);
        } else {
            let mut ordered: Vec<(u32, u32)> = component.iter().map(|t| (best(t), *t)).collect();
            ordered.sort_by(|x, y| keep.order(documents, x.0, y.0));
            component = ordered.into_iter().map(|(_, text)| text).collect();
        }
        let budget = component.len() * MOST_PER_TEXT;
        let is_reference = |text: &u32| *text >= documents.references();
        let (mut references, open): (Vec<u32>, Vec<u32>) =
            component.into_iter().partition(is_reference);
        references.reverse();
        Large {
            references,
            open: open.into(),
            budget,
        }
    }

    fn wanted(&self) -> Wanted {
        self.joined.matches.wanted
    }

    /// Those of some pairs that are matches.
    fn compare(&mut self, pairs: &[CandidatePair]) -> Result<Vec<Verified>> {
        self.joined.figures.verifications += pairs.len() as u64;
        let decision = self.join.decision();
        let mut found = Vec::new();
        for batch in pairs.chunks(BATCH) {
            let scored = score_pairs(self.source, self.joined, self.join, batch, self.observer)?;
            let matching = scored
                .into_iter()
                .filter(|(_, scores)| decision.is_match(scores));
            found.extend(matching.map(|(pair, scores)| Verified::new(pair.a, pair.b, &scores)));
            progress::advance(self.observer, 0)?;
        }
        Ok(found)
    }
}
