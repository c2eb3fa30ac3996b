//! The three ways to group matches.
//!
//! Identical texts always fall into one cluster, so grouping works on groups of them. `connected` joins whatever a chain of
//! matches joins; `star` asks that every text matches the representative; `complete` that all match one another.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::star::stars;
use super::{Keep, RemovalRule};
use crate::document::DocId;
use crate::matches::{Documents, Matches, Verified};
use crate::method::MatchOptions;
use crate::names::named;
use crate::scores::{Metric, Scores};
use crate::union_find::UnionFind;

/// How matches become clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Chains of matches.
    Connected,
    /// Every text matches the representative.
    Star,
    /// Every text matches every other.
    Complete,
}

named!(Linkage: Connected = "connected", Star = "star", Complete = "complete");

/// How to cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClusterOptions {
    /// How matches become clusters.
    pub linkage: Linkage,
    /// Which text is kept.
    pub keep: Keep,
    /// The metric whose score is reported.
    pub metric: Metric,
    /// When a text may be removed for another, if clusters are made to remove all texts but the representative. `star` and
    /// `complete` respect it; `connected` does not.
    pub removal: Option<RemovalRule>,
}

impl ClusterOptions {
    /// Clusters to remove whole texts by, each for one that it matches.
    pub fn for_removal(matching: &MatchOptions) -> Self {
        let linkage = Linkage::Star;
        Self {
            linkage,
            keep: Keep::for_removal(linkage, matching.finds_parts()),
            metric: matching.metric,
            removal: None,
        }
    }

    /// Whether a text may represent the other one of a match, whose counts are seen from the first of the two.
    pub(crate) fn may_represent(&self, is_second: bool, scores: impl FnOnce() -> Scores) -> bool {
        let rule = self.removal.filter(RemovalRule::asks_more_than_a_match);
        rule.is_none_or(|rule| {
            let scores = scores();
            rule.allows(&if is_second { scores.swapped() } else { scores })
        })
    }
}

/// Texts that say the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The text that is kept.
    pub representative: DocId,
    /// All texts, the representative among them, in input order, references last.
    pub members: Vec<DocId>,
    /// The lowest score of a member against the representative; 1 until the scores are known, see
    /// [`crate::batch::scores_with_representatives`].
    pub weakest: f64,
}

/// The clusters of a run, ordered by their first member.
#[derive(Clone, Debug, Default)]
pub struct Clusters(pub Vec<Cluster>);

/// What linkages ask of the matches, which go by their place.
pub(crate) trait Edges {
    /// The score of a match.
    fn score(&self, place: usize) -> f64;

    /// Whether the other text of a match may be removed for this one, each the first of its copies.
    fn covers(&self, place: usize, kept: u32) -> bool;
}

/// The matches of a join.
struct Counted<'a> {
    documents: &'a Documents,
    verified: &'a [Verified],
    options: &'a ClusterOptions,
}

impl Edges for Counted<'_> {
    fn score(&self, place: usize) -> f64 {
        let scores = self.verified[place].scores(self.documents);
        scores.score(self.options.metric)
    }

    fn covers(&self, place: usize, kept: u32) -> bool {
        let pair = &self.verified[place];
        let scores = || pair.scores(self.documents);
        self.options.may_represent(pair.b == kept, scores)
    }
}

/// Groups the matches.
pub fn cluster(documents: &Documents, matches: &Matches, options: &ClusterOptions) -> Clusters {
    let edges = Counted {
        documents,
        verified: &matches.verified,
        options,
    };
    cluster_scored(documents, matches, options, &edges)
}

/// A match that puts a text under its representative.
pub(crate) struct Spoke {
    pub(crate) representative: u32,
    pub(crate) text: u32,
    pub(crate) pair: Verified,
}

/// The stars of some matches, each by its spokes.
pub(crate) fn spokes(
    documents: &Documents,
    matches: &Matches,
    options: &ClusterOptions,
) -> Vec<Spoke> {
    let verified = &matches.verified;
    let edges = Counted {
        documents,
        verified,
        options,
    };
    let grouping = Grouping::new(documents, matches, options);
    let centres = stars(&grouping, &edges);
    let represents = |x: u32, y: u32| centres[grouping.node(y) as usize] == grouping.node(x);
    let spoke = |pair: &Verified| {
        let (representative, text) = match (represents(pair.a, pair.b), represents(pair.b, pair.a))
        {
            (true, _) => (pair.a, pair.b),
            (_, true) => (pair.b, pair.a),
            (false, false) => return None,
        };
        Some(Spoke {
            representative,
            text,
            pair: *pair,
        })
    };
    verified.iter().filter_map(spoke).collect()
}

/// Groups the matches of which the representatives are known: pairs of a text and its representative, each the first of its copies.
pub(crate) fn cluster_around(
    documents: &Documents,
    matches: &Matches,
    options: &ClusterOptions,
    representatives: &[(u32, u32)],
) -> Clusters {
    let grouping = Grouping::new(documents, matches, options);
    let mut roots: Vec<u32> = (0..grouping.nodes.len() as u32).collect();
    for &(text, representative) in representatives {
        roots[grouping.node(text) as usize] = grouping.node(representative);
    }
    grouping.clusters(&roots)
}

/// Groups the matches, of which `edges` knows the scores.
pub(crate) fn cluster_scored(
    documents: &Documents,
    matches: &Matches,
    options: &ClusterOptions,
    edges: &impl Edges,
) -> Clusters {
    let grouping = Grouping::new(documents, matches, options);
    let roots = match options.linkage {
        Linkage::Connected => grouping.connected(),
        Linkage::Star => stars(&grouping, edges),
        Linkage::Complete => grouping.complete(edges),
    };
    grouping.clusters(&roots)
}

pub(super) struct Grouping<'a> {
    documents: &'a Documents,
    matches: &'a Matches,
    pub(super) options: &'a ClusterOptions,
    /// The groups of copies that match something or have several texts, in order.
    pub(super) nodes: Vec<Node>,
    /// The node of each text that is the first of one.
    node_of: Vec<u32>,
    /// Where the matches of each node begin, for linkages that go by neighbours.
    starts: Vec<(u32, u32)>,
}

/// A group of copies.
pub(super) struct Node {
    /// Its first text.
    pub(super) first: u32,
    /// The text that would stay.
    best: u32,
}

/// Stands for no node.
pub(super) const NONE: u32 = u32::MAX;

impl<'a> Grouping<'a> {
    fn new(documents: &'a Documents, matches: &'a Matches, options: &'a ClusterOptions) -> Self {
        let of_pairs = matches.verified.iter().flat_map(|pair| [pair.a, pair.b]);
        let of_copies = matches.identical.firsts_of_several();
        let of_copies = of_copies.filter(|&first| first < documents.references());
        let mut is_node = vec![false; documents.len()];
        for first in of_pairs.chain(of_copies) {
            is_node[first as usize] = true;
        }
        let firsts = (0..documents.len() as u32).filter(|&text| is_node[text as usize]);
        let nodes: Vec<Node> = firsts
            .map(|first| Node {
                first,
                best: options.keep.best_copy(documents, matches, first),
            })
            .collect();
        let mut node_of = vec![NONE; documents.len()];
        for (node, Node { first, .. }) in nodes.iter().enumerate() {
            node_of[*first as usize] = node as u32;
        }
        let starts = match options.linkage {
            Linkage::Connected => Vec::new(),
            Linkage::Star | Linkage::Complete => {
                matches.starts(nodes.iter().map(|node| node.first))
            }
        };
        Self {
            documents,
            matches,
            options,
            nodes,
            node_of,
            starts,
        }
    }

    fn node(&self, first: u32) -> u32 {
        self.node_of[first as usize]
    }

    /// For each node the first one that it is connected with.
    fn connected(&self) -> Vec<u32> {
        let mut sets = UnionFind::new(self.nodes.len());
        for pair in &self.matches.verified {
            sets.union(self.node(pair.a), self.node(pair.b));
        }
        (0..self.nodes.len() as u32)
            .map(|node| sets.find(node))
            .collect()
    }

    /// The nodes that match a node, and the places of the matches.
    pub(super) fn neighbours(&self, node: u32) -> impl Iterator<Item = (u32, usize)> + '_ {
        let first = self.nodes[node as usize].first;
        let (after, before) = self.starts[node as usize];
        let starts = (after as usize, before as usize);
        let found = self.matches.places_from(first, starts);
        found.map(|(other, place)| (self.node(other), place))
    }

    pub(super) fn is_reference(&self, node: u32) -> bool {
        self.nodes[node as usize].first >= self.documents.references()
    }

    /// Whether a node is to be kept rather than another, by the wish of the user.
    pub(super) fn comes_before(&self, node: u32, other: u32) -> bool {
        self.options.keep != Keep::Central && self.keep_order(node, other) == Ordering::Less
    }

    fn keep_order(&self, x: u32, y: u32) -> Ordering {
        let best = |node: u32| self.nodes[node as usize].best;
        let keep = &self.options.keep;
        keep.order(self.documents, best(x), best(y))
    }

    /// All nodes in the order in which they are to be kept.
    pub(super) fn in_keep_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_unstable_by(|&x, &y| self.keep_order(x, y));
        order
    }

    /// Takes nodes in the order in which they are to be kept; each one not yet taken gathers those of its matches that it may
    /// represent and that match all that it gathered.
    fn complete(&self, edges: &impl Edges) -> Vec<u32> {
        let pairs = self.matches.verified.iter();
        let pairs: HashSet<(u32, u32)> = pairs.map(|pair| (pair.a, pair.b)).collect();
        let first = |node: u32| self.nodes[node as usize].first;
        let mut roots = vec![NONE; self.nodes.len()];
        for root in self.in_keep_order() {
            if roots[root as usize] != NONE {
                continue;
            }
            roots[root as usize] = root;
            let mut members = vec![first(root)];
            let found = self.neighbours(root);
            let found = found.filter(|&(_, place)| edges.covers(place, first(root)));
            let mut found: Vec<u32> = found
                .map(|(other, _)| other)
                .filter(|&other| roots[other as usize] == NONE)
                .collect();
            found.sort_unstable_by(|&x, &y| self.keep_order(x, y));
            for other in found {
                let text = first(other);
                let is_match =
                    |&member: &u32| pairs.contains(&(member.min(text), member.max(text)));
                if members.iter().all(is_match) {
                    roots[other as usize] = root;
                    members.push(text);
                }
            }
        }
        roots
    }

    fn clusters(&self, roots: &[u32]) -> Clusters {
        let mut order: Vec<(u32, u32)> = (0..self.nodes.len() as u32)
            .map(|node| (roots[node as usize], node))
            .collect();
        order.sort_unstable();
        let clusters = order.chunk_by(|x, y| x.0 == y.0).filter_map(|nodes| {
            let firsts = nodes
                .iter()
                .map(|(_, node)| &self.nodes[*node as usize].first);
            let texts = firsts.flat_map(|first| self.matches.identical.group(first));
            self.cluster(nodes[0].0, texts.map(|&text| DocId(text)).collect())
        });
        let mut clusters: Vec<Cluster> = clusters.collect();
        clusters.sort_unstable_by_key(|cluster| cluster.members[0]);
        Clusters(clusters)
    }

    /// The cluster of a root, and which of its texts is kept: with stars the root's own, for it is the one that all match.
    fn cluster(&self, root: u32, mut members: Vec<DocId>) -> Option<Cluster> {
        if members.len() < 2 {
            return None;
        }
        members.sort_unstable();
        // References are last: a group of references alone is no cluster.
        if members[0].0 >= self.documents.references() {
            return None;
        }
        let keep = &self.options.keep;
        let best = || {
            let texts = members.iter();
            texts.min_by(|a, b| keep.order(self.documents, a.0, b.0))
        };
        let representative = match self.options.linkage {
            Linkage::Star => DocId(self.nodes[root as usize].best),
            Linkage::Connected | Linkage::Complete => *best()?,
        };
        Some(Cluster {
            representative,
            members,
            weakest: 1.0,
        })
    }
}
