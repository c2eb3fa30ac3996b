//! The three ways to group matches, and the choice of the text that stays.
//!
//! Identical texts always fall into one cluster, so grouping works on groups of them. `connected` joins whatever a chain of
//! matches joins; `star` asks that every text matches the representative; `complete` that all match one another.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use super::UnionFind;
use crate::batch::{Documents, Matches, RankBy};
use crate::document::DocId;
use crate::error::Error;
use crate::verify::Metric;

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

/// Which text of a cluster stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The first in the input.
    First,
    /// The last in the input.
    Last,
    /// The one with most characters.
    Longest,
    /// The one with the largest value of a field, or the smallest.
    Field {
        /// Name or dotted path of the field.
        name: String,
        /// Whether the smallest value stays.
        smallest: bool,
    },
}

impl Keep {
    /// What has to be read along with the texts.
    pub fn rank_by(&self) -> RankBy {
        match self {
            Self::First | Self::Last => RankBy::Nothing,
            Self::Longest => RankBy::Length,
            Self::Field { .. } => RankBy::Field,
        }
    }

    /// `Less` when `a` is to be kept rather than `b`. References come before all texts; texts without the field come last;
    /// among equals the first in the input stays.
    fn order(&self, documents: &Documents, a: u32, b: u32) -> Ordering {
        let is_text = |text: u32| text < documents.references();
        let by_rank = |smallest: bool| match (documents.rank(DocId(a)), documents.rank(DocId(b))) {
            (Some(x), Some(y)) if smallest => x.compare(y),
            (Some(x), Some(y)) => y.compare(x),
            (x, y) => y.is_some().cmp(&x.is_some()),
        };
        let by_rule = match self {
            Self::First => Ordering::Equal,
            Self::Last => b.cmp(&a),
            Self::Longest => by_rank(false),
            Self::Field { smallest, .. } => by_rank(*smallest),
        };
        is_text(a).cmp(&is_text(b)).then(by_rule).then(a.cmp(&b))
    }
}

impl FromStr for Keep {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let field = |name: &str, smallest| Self::Field {
            name: name.to_owned(),
            smallest,
        };
        match (text, text.strip_prefix("field:")) {
            ("first", _) => Ok(Self::First),
            ("last", _) => Ok(Self::Last),
            ("longest", _) => Ok(Self::Longest),
            (_, Some(name)) if !name.trim_start_matches('-').is_empty() => {
                Ok(match name.strip_prefix('-') {
                    Some(name) => field(name, true),
                    None => field(name, false),
                })
            }
            _ => Err(Error::Option {
                option: "keep",
                value: text.to_owned(),
                expected: "give first, last, longest, field:NAME (largest value) or field:-NAME (smallest)".to_owned(),
            }),
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("first"),
            Self::Last => f.write_str("last"),
            Self::Longest => f.write_str("longest"),
            Self::Field { name, smallest } => {
                write!(f, "field:{}{name}", if *smallest { "-" } else { "" })
            }
        }
    }
}

/// How to cluster.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// How matches become clusters.
    pub linkage: Linkage,
    /// Which text stays.
    pub keep: Keep,
    /// The metric whose score is reported.
    pub metric: Metric,
}

/// Texts that say the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The text that stays.
    pub representative: DocId,
    /// All texts, the representative among them, in input order, references last.
    pub members: Vec<DocId>,
    /// The lowest score among the matches within the cluster.
    pub weakest: f64,
}

/// The clusters of a run, ordered by their first member.
#[derive(Clone, Debug, Default)]
pub struct Clusters(pub Vec<Cluster>);

/// Groups the matches.
pub fn cluster(documents: &Documents, matches: &Matches, options: &ClusterOptions) -> Clusters {
    let score = |pair: usize| {
        let scores = matches.verified[pair].scores(documents);
        scores.score(options.metric)
    };
    cluster_scored(documents, matches, options, score)
}

/// Groups the matches, whose scores are known by their place.
pub(crate) fn cluster_scored(
    documents: &Documents,
    matches: &Matches,
    options: &ClusterOptions,
    score: impl Fn(usize) -> f64,
) -> Clusters {
    let grouping = Grouping::new(documents, matches, options);
    let roots = match options.linkage {
        Linkage::Connected => grouping.connected(),
        Linkage::Star => grouping.greedy(|_, _| true),
        Linkage::Complete => {
            let pairs: HashSet<(u32, u32)> = matches
                .verified
                .iter()
                .map(|pair| (pair.a, pair.b))
                .collect();
            grouping.greedy(|members, other| {
                let mut members = members.iter();
                members.all(|&member| pairs.contains(&(member.min(other), member.max(other))))
            })
        }
    };
    grouping.clusters(&roots, score)
}

struct Grouping<'a> {
    documents: &'a Documents,
    matches: &'a Matches,
    options: &'a ClusterOptions,
    /// The groups of copies that match something or have several texts, in order.
    nodes: Vec<Node>,
    /// The node of each text that is the first of one.
    node_of: Vec<u32>,
}

/// A group of copies.
struct Node {
    /// Its first text.
    first: u32,
    /// The text that would stay.
    best: u32,
}

/// Stands for no node.
const NONE: u32 = u32::MAX;

impl<'a> Grouping<'a> {
    fn new(documents: &'a Documents, matches: &'a Matches, options: &'a ClusterOptions) -> Self {
        let of_pairs = matches.verified.iter().flat_map(|pair| [pair.a, pair.b]);
        let of_copies = matches.identical.firsts_of_several();
        let of_copies = of_copies.filter(|&first| first < documents.references());
        let mut is_node = vec![false; documents.len()];
        for first in of_pairs.chain(of_copies) {
            is_node[first as usize] = true;
        }
        let best = |first: u32| {
            let group = matches.identical.group(&first).iter().copied();
            group
                .min_by(|&a, &b| options.keep.order(documents, a, b))
                .unwrap_or(first)
        };
        let firsts = (0..documents.len() as u32).filter(|&text| is_node[text as usize]);
        let nodes: Vec<Node> = firsts
            .map(|first| Node {
                first,
                best: best(first),
            })
            .collect();
        let mut node_of = vec![NONE; documents.len()];
        for (node, Node { first, .. }) in nodes.iter().enumerate() {
            node_of[*first as usize] = node as u32;
        }
        Self {
            documents,
            matches,
            options,
            nodes,
            node_of,
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

    /// Takes groups in the order in which they are to be kept; each one not yet taken gathers those of its matches that
    /// `joins` lets in.
    fn greedy(&self, joins: impl Fn(&[u32], u32) -> bool) -> Vec<u32> {
        let by_keep = |x: &u32, y: &u32| {
            let best = |node: u32| self.nodes[node as usize].best;
            let keep = &self.options.keep;
            keep.order(self.documents, best(*x), best(*y))
        };
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_unstable_by(by_keep);
        let mut roots = vec![NONE; self.nodes.len()];
        for root in order {
            if roots[root as usize] != NONE {
                continue;
            }
            roots[root as usize] = root;
            let first = self.nodes[root as usize].first;
            let mut members = vec![first];
            let found = self.matches.of(first, self.documents).into_iter();
            let found = found.map(|(other, _)| self.node(other));
            let mut found: Vec<u32> = found
                .filter(|&other| roots[other as usize] == NONE)
                .collect();
            found.sort_unstable_by(by_keep);
            for other in found {
                let first = self.nodes[other as usize].first;
                if joins(&members, first) {
                    roots[other as usize] = root;
                    members.push(first);
                }
            }
        }
        roots
    }

    fn clusters(&self, roots: &[u32], score: impl Fn(usize) -> f64) -> Clusters {
        let weakest = self.weakest(roots, score);
        let mut order: Vec<(u32, u32)> = (0..self.nodes.len() as u32)
            .map(|node| (roots[node as usize], node))
            .collect();
        order.sort_unstable();
        let clusters = order.chunk_by(|x, y| x.0 == y.0).filter_map(|nodes| {
            let root = nodes[0].0 as usize;
            let firsts = nodes
                .iter()
                .map(|(_, node)| &self.nodes[*node as usize].first);
            let texts = firsts.flat_map(|first| self.matches.identical.group(first));
            self.cluster(texts.map(|&text| DocId(text)).collect(), weakest[root])
        });
        let mut clusters: Vec<Cluster> = clusters.collect();
        clusters.sort_unstable_by_key(|cluster| cluster.members[0]);
        Clusters(clusters)
    }

    fn cluster(&self, mut members: Vec<DocId>, weakest: f64) -> Option<Cluster> {
        if members.len() < 2 {
            return None;
        }
        members.sort_unstable();
        let keep = &self.options.keep;
        let best = members
            .iter()
            .min_by(|a, b| keep.order(self.documents, a.0, b.0));
        Some(Cluster {
            representative: *best?,
            members,
            weakest,
        })
    }

    /// The lowest score within the cluster of each root.
    fn weakest(&self, roots: &[u32], score: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut weakest = vec![1.0; self.nodes.len()];
        for (place, pair) in self.matches.verified.iter().enumerate() {
            let root_of = |first: u32| roots[self.node(first) as usize];
            let root = root_of(pair.a);
            if root == root_of(pair.b) {
                let lowest: &mut f64 = &mut weakest[root as usize];
                *lowest = lowest.min(score(place));
            }
        }
        weakest
    }
}
