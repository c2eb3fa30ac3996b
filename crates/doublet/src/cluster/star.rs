//! Stars: every text matches the representative that is kept for it.
//!
//! Representatives are chosen one after the other; each covers those of its matches that have none yet and may be removed for
//! it. So every text that may be removed for a representative has one. Two representatives match only if the removal rule keeps
//! both, or both are references. Choosing the text that covers most others first keeps few texts (a greedy dominating set);
//! where the user says what to keep, that order decides, and a text is only ever removed for one that comes before it.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::Keep;
use super::linkage::{Edges, Grouping, NONE};

/// For each node the one that is kept for it, or itself.
pub(super) fn stars(grouping: &Grouping<'_>, edges: &impl Edges) -> Vec<u32> {
    let mut stars = Stars {
        grouping,
        edges,
        has_centre: vec![false; grouping.nodes.len()],
        centres: Vec::new(),
    };
    match grouping.options.keep {
        Keep::Central => stars.by_degree(),
        _ => stars.by_keep(),
    }
    stars.nearest_centres()
}

struct Stars<'a, E> {
    grouping: &'a Grouping<'a>,
    edges: &'a E,
    /// Whether a node is a centre or is covered by one.
    has_centre: Vec<bool>,
    centres: Vec<u32>,
}

impl<E: Edges> Stars<'_, E> {
    /// The nodes that one may cover, and the places of the matches.
    fn covered_by(&self, centre: u32) -> impl Iterator<Item = (u32, usize)> + '_ {
        let found = self.grouping.neighbours(centre);
        found.filter(move |&(other, place)| self.covers(centre, other, place))
    }

    /// Whether a node may be removed for another that it matches.
    fn covers(&self, centre: u32, other: u32, place: usize) -> bool {
        let first = |node: u32| self.grouping.nodes[node as usize].first;
        !self.grouping.is_reference(other) && self.edges.covers(place, first(centre))
    }

    /// Makes a node a centre, and gives those that it newly covers.
    fn take(&mut self, centre: u32) -> Vec<u32> {
        let covered = self.covered_by(centre).map(|(other, _)| other);
        let covered = covered.filter(|&other| !self.has_centre[other as usize]);
        let covered: Vec<u32> = covered.collect();
        for &node in covered.iter().chain([&centre]) {
            self.has_centre[node as usize] = true;
        }
        self.centres.push(centre);
        covered
    }

    /// In the order in which texts are to be kept; references come first.
    fn by_keep(&mut self) {
        for node in self.grouping.in_keep_order() {
            if !self.has_centre[node as usize] {
                self.take(node);
            }
        }
    }

    /// Always the node that covers most of those without a centre, references before all.
    fn by_degree(&mut self) {
        let count = self.grouping.nodes.len() as u32;
        let (references, texts): (Vec<u32>, Vec<u32>) =
            (0..count).partition(|&node| self.grouping.is_reference(node));
        for node in references {
            self.take(node);
        }
        let uncovered = |stars: &Self, node: u32| {
            let found = stars.covered_by(node).map(|(other, _)| other);
            found
                .filter(|&other| !stars.has_centre[other as usize])
                .count() as u32
        };
        let mut degrees = vec![0; count as usize];
        let mut queue = BinaryHeap::with_capacity(texts.len());
        for node in texts {
            if !self.has_centre[node as usize] {
                degrees[node as usize] = uncovered(self, node);
                queue.push((degrees[node as usize], Reverse(node)));
            }
        }
        while let Some((degree, Reverse(node))) = queue.pop() {
            if self.has_centre[node as usize] {
                continue;
            }
            if degree > degrees[node as usize] {
                queue.push((degrees[node as usize], Reverse(node)));
                continue;
            }
            let covered = self.take(node);
            for &gone in covered.iter().chain([&node]) {
                for (other, place) in self.grouping.neighbours(gone) {
                    if self.covers(other, gone, place) {
                        degrees[other as usize] = degrees[other as usize].saturating_sub(1);
                    }
                }
            }
        }
    }

    /// Gives every covered node the centre that it matches best: references before texts, then the first.
    fn nearest_centres(self) -> Vec<u32> {
        let count = self.grouping.nodes.len();
        let mut best: Vec<(u32, f64)> = vec![(NONE, 0.0); count];
        self.centres
            .iter()
            .for_each(|&centre| best[centre as usize] = (centre, f64::INFINITY));
        let mut centres = self.centres.clone();
        centres.sort_unstable();
        for centre in centres {
            let is_reference = self.grouping.is_reference(centre);
            for (node, place) in self.covered_by(centre) {
                if self.grouping.comes_before(node, centre) {
                    continue;
                }
                let score = self.edges.score(place);
                let (known, known_score) = best[node as usize];
                let is_better = known == NONE
                    || match is_reference.cmp(&self.grouping.is_reference(known)) {
                        Ordering::Equal => score > known_score,
                        by_kind => by_kind == Ordering::Greater,
                    };
                if known != node && is_better {
                    best[node as usize] = (centre, score);
                }
            }
        }
        let own = |(node, (centre, _)): (u32, (u32, f64))| match centre {
            NONE => node,
            centre => centre,
        };
        (0..).zip(best).map(own).collect()
    }
}
