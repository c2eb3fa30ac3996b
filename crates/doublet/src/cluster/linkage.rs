//! The three ways to group matches, and the choice of the text that stays.
//!
//! Identical texts always fall into one cluster, so grouping works on groups of them. `connected` joins whatever a chain of
//! matches joins; `star` asks that every text matches the representative; `complete` that all match one another.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
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
    let grouping = Grouping::new(documents, matches, options);
    let root_of = match options.linkage {
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
    grouping.clusters(&root_of)
}

struct Grouping<'a> {
    documents: &'a Documents,
    matches: &'a Matches,
    options: &'a ClusterOptions,
    /// The groups that match something or have several texts: first text, and the text that would stay.
    nodes: BTreeMap<u32, u32>,
}

impl<'a> Grouping<'a> {
    fn new(documents: &'a Documents, matches: &'a Matches, options: &'a ClusterOptions) -> Self {
        let of_pairs = matches.verified.iter().flat_map(|pair| [pair.a, pair.b]);
        let of_copies = matches.identical.members.keys().copied();
        let of_copies = of_copies.filter(|&first| first < documents.references());
        let best = |first: u32| {
            let group = matches.identical.group(&first).iter().copied();
            group
                .min_by(|&a, &b| options.keep.order(documents, a, b))
                .unwrap_or(first)
        };
        let firsts: BTreeSet<u32> = of_pairs.chain(of_copies).collect();
        let nodes = firsts.into_iter().map(|first| (first, best(first)));
        Self {
            documents,
            matches,
            options,
            nodes: nodes.collect(),
        }
    }

    /// The smallest group of the set that each group is connected with.
    fn connected(&self) -> HashMap<u32, u32> {
        let mut sets = UnionFind::new(self.documents.len());
        for pair in &self.matches.verified {
            sets.union(pair.a, pair.b);
        }
        self.nodes
            .keys()
            .map(|&first| (first, sets.find(first)))
            .collect()
    }

    /// Takes groups in the order in which they are to be kept; each one not yet taken gathers those of its matches that
    /// `joins` lets in.
    fn greedy(&self, joins: impl Fn(&[u32], u32) -> bool) -> HashMap<u32, u32> {
        let keep = &self.options.keep;
        let mut order: Vec<(u32, u32)> = self
            .nodes
            .iter()
            .map(|(&first, &best)| (first, best))
            .collect();
        order.sort_unstable_by(|x, y| keep.order(self.documents, x.1, y.1));
        let mut root_of = HashMap::new();
        for (root, _) in order {
            if root_of.contains_key(&root) {
                continue;
            }
            root_of.insert(root, root);
            let mut members = vec![root];
            let found = self
                .matches
                .of(root, self.documents)
                .into_iter()
                .map(|(other, _)| other);
            let mut found: Vec<u32> = found.filter(|other| !root_of.contains_key(other)).collect();
            found.sort_unstable_by(|x, y| keep.order(self.documents, self.nodes[x], self.nodes[y]));
            for other in found {
                if joins(&members, other) {
                    root_of.insert(other, root);
                    members.push(other);
                }
            }
        }
        root_of
    }

    fn clusters(&self, root_of: &HashMap<u32, u32>) -> Clusters {
        let mut members: BTreeMap<u32, Vec<DocId>> = BTreeMap::new();
        for first in self.nodes.keys() {
            let group = self.matches.identical.group(first).iter();
            members
                .entry(root_of[first])
                .or_default()
                .extend(group.map(|&text| DocId(text)));
        }
        let weakest = self.weakest(root_of);
        let keep = &self.options.keep;
        let mut clusters: Vec<Cluster> = members
            .into_iter()
            .filter(|(_, members)| members.len() > 1)
            .filter_map(|(root, mut members)| {
                members.sort_unstable();
                let best = members
                    .iter()
                    .min_by(|a, b| keep.order(self.documents, a.0, b.0))?;
                Some(Cluster {
                    representative: *best,
                    weakest: weakest.get(&root).copied().unwrap_or(1.0),
                    members,
                })
            })
            .collect();
        clusters.sort_unstable_by_key(|cluster| cluster.members[0]);
        Clusters(clusters)
    }

    fn weakest(&self, root_of: &HashMap<u32, u32>) -> HashMap<u32, f64> {
        let mut weakest = HashMap::new();
        for pair in &self.matches.verified {
            let root = root_of[&pair.a];
            if root == root_of[&pair.b] {
                let score = pair.scores(self.documents).score(self.options.metric);
                let lowest = weakest.entry(root).or_insert(score);
                *lowest = f64::min(*lowest, score);
            }
        }
        weakest
    }
}
