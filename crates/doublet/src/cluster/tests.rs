//! Stars over random graphs, held against a slow and obvious way to make them.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::Keep;
use super::linkage::{Cluster, ClusterOptions, Clusters, Edges, Linkage, cluster_scored};
use crate::matches::{Documents, Identical, Matches, Rank, Verified, Wanted};
use crate::scores::{Metric, Scores};
use crate::union_find::UnionFind;

/// Matches between texts that have no copies, of which the last `references` are references.
#[derive(Clone, Debug)]
struct Graph {
    texts: u32,
    references: u32,
    lengths: Vec<u32>,
    /// Two texts in order, their score, and whether the first may be removed for the second and the other way round.
    edges: Vec<(u32, u32, f64, [bool; 2])>,
}

impl Graph {
    fn clusters(&self, linkage: Linkage, keep: Keep) -> Clusters {
        let all = self.texts + self.references;
        let ranks = self.lengths.iter().map(|&n| Some(Rank::Number(n.into())));
        let documents = Documents::of_ranks(self.texts as usize, ranks.collect());
        let identical = Identical::of_firsts((0..all).collect());
        let verified =
            |&(a, b, ..): &(u32, u32, f64, [bool; 2])| Verified::new(a, b, &Scores::default());
        let wanted = Wanted {
            references: self.texts,
            across_only: false,
        };
        let matches = Matches::new(identical, self.edges.iter().map(verified).collect(), wanted);
        let options = ClusterOptions {
            linkage,
            keep,
            metric: Metric::Resemblance,
            removal: None,
        };
        cluster_scored(&documents, &matches, &options, &Known(&self.edges))
    }

    fn edge(&self, x: u32, y: u32) -> Option<(f64, [bool; 2])> {
        let found = self
            .edges
            .iter()
            .find(|(a, b, ..)| (*a, *b) == (x.min(y), x.max(y)));
        found.map(|(_, _, score, covers)| (*score, *covers))
    }

    /// Whether a text may be removed for another.
    fn covers(&self, kept: u32, removed: u32) -> bool {
        let edge = self.edge(kept, removed);
        removed < self.texts && edge.is_some_and(|(_, covers)| covers[usize::from(kept < removed)])
    }

    /// The kept texts by the obvious way: always the text that covers most of those that are left, or the first by `order`.
    fn centres(&self, order: Option<&[u32]>) -> BTreeSet<u32> {
        let all = self.texts + self.references;
        let mut left: BTreeSet<u32> = (0..all).collect();
        let mut centres = BTreeSet::new();
        while let Some(&first) = left.first() {
            let gain = |kept: u32| left.iter().filter(|&&text| self.covers(kept, text)).count();
            let reference = left.iter().copied().find(|text| *text >= self.texts);
            let next = match (reference, order) {
                (Some(reference), None) => reference,
                (_, Some(order)) => order
                    .iter()
                    .copied()
                    .find(|text| left.contains(text))
                    .unwrap_or(first),
                (None, None) => left
                    .iter()
                    .copied()
                    .max_by_key(|&text| (gain(text), std::cmp::Reverse(text)))
                    .unwrap_or(first),
            };
            centres.insert(next);
            left.retain(|&text| text != next && !self.covers(next, text));
        }
        centres
    }
}

struct Known<'a>(&'a [(u32, u32, f64, [bool; 2])]);

impl Edges for Known<'_> {
    fn score(&self, place: usize) -> f64 {
        self.0[place].2
    }

    fn covers(&self, place: usize, kept: u32) -> bool {
        let (a, _, _, covers) = self.0[place];
        covers[usize::from(kept == a)]
    }
}

/// Graphs of some density; with `both`, every text may be removed for any that it matches.
fn graphs(both: bool) -> impl Strategy<Value = Graph> {
    (2u32..14, 0u32..4, 0.05f64..0.9).prop_flat_map(move |(texts, references, density)| {
        let all = texts + references;
        let pairs: Vec<(u32, u32)> = (0..texts)
            .flat_map(|a| (a + 1..all).map(move |b| (a, b)))
            .collect();
        let edge = (prop::option::weighted(density, 0u8..5), any::<[bool; 2]>());
        let edges = prop::collection::vec(edge, pairs.len());
        let lengths = prop::collection::vec(0u32..5, all as usize);
        (edges, lengths).prop_map(move |(edges, lengths)| Graph {
            texts,
            references,
            lengths,
            edges: pairs
                .iter()
                .zip(edges)
                .filter_map(|(&(a, b), (score, covers))| {
                    let score = f64::from(score?) / 10.0 + 0.5;
                    let covers = if both { [true; 2] } else { covers };
                    Some((a, b, score, covers))
                })
                .collect(),
        })
    })
}

fn keeps() -> impl Strategy<Value = Keep> {
    let field = |smallest| Keep::Field {
        name: "length".to_owned(),
        smallest,
    };
    let (largest, smallest) = (field(false), field(true));
    let others = [Keep::Central, Keep::First, Keep::Last, Keep::Longest];
    prop::sample::select([&others[..], &[largest, smallest]].concat())
}

/// The texts that are removed, each with the text that is kept for it.
fn removed<'a>(graph: &'a Graph, clusters: &'a Clusters) -> impl Iterator<Item = (u32, u32)> + 'a {
    let of = move |cluster: &'a Cluster| {
        let kept = cluster.representative.0;
        let members = cluster.members.iter().map(|member| member.0);
        members
            .filter(move |&member| member != kept && member < graph.texts)
            .map(move |member| (member, kept))
    };
    clusters.0.iter().flat_map(of)
}

/// The texts in the order in which they are to be kept.
fn keep_order(graph: &Graph, keep: &Keep) -> Vec<u32> {
    let mut order: Vec<u32> = (0..graph.texts + graph.references).collect();
    let length = |text: u32| i64::from(graph.lengths[text as usize]);
    order.sort_by_key(|&text| match keep {
        Keep::Last => (text < graph.texts, 0, u32::MAX - text),
        Keep::Longest => (text < graph.texts, -length(text), text),
        Keep::Field { smallest: true, .. } => (text < graph.texts, length(text), text),
        Keep::Field { .. } => (text < graph.texts, -length(text), text),
        Keep::Central | Keep::First => (text < graph.texts, 0, text),
    });
    order
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_removed_text_matches_the_text_kept_for_it(graph in graphs(false), keep in keeps()) {
        let clusters = graph.clusters(Linkage::Star, keep);
        let gone: BTreeSet<u32> = removed(&graph, &clusters).map(|(text, _)| text).collect();
        for (text, kept) in removed(&graph, &clusters) {
            prop_assert!(graph.covers(kept, text), "{text} is removed for {kept}");
            prop_assert!(!gone.contains(&kept), "{kept} is removed itself");
        }
    }

    #[test]
    fn representatives_are_those_of_the_obvious_way(graph in graphs(false), keep in keeps()) {
        let clusters = graph.clusters(Linkage::Star, keep.clone());
        let gone: BTreeSet<u32> = removed(&graph, &clusters).map(|(text, _)| text).collect();
        let kept: BTreeSet<u32> = (0..graph.texts + graph.references).filter(|text| !gone.contains(text)).collect();
        let order = keep_order(&graph, &keep);
        let order = (keep != Keep::Central).then_some(&order[..]);
        prop_assert_eq!(kept, graph.centres(order));
    }

    #[test]
    fn no_two_kept_texts_match(graph in graphs(true), keep in keeps()) {
        let clusters = graph.clusters(Linkage::Star, keep);
        let gone: BTreeSet<u32> = removed(&graph, &clusters).map(|(text, _)| text).collect();
        for (a, b, ..) in &graph.edges {
            prop_assert!(gone.contains(a) || gone.contains(b), "{a} and {b} match and are both kept");
        }
    }

    #[test]
    fn a_text_is_removed_for_one_that_is_to_be_kept_before_it(graph in graphs(true), keep in keeps()) {
        prop_assume!(keep != Keep::Central);
        let order = keep_order(&graph, &keep);
        let place = |text: u32| order.iter().position(|&other| other == text);
        let clusters = graph.clusters(Linkage::Star, keep);
        for (text, kept) in removed(&graph, &clusters) {
            prop_assert!(place(kept) < place(text), "{text} is removed for {kept}");
        }
    }

    #[test]
    fn a_text_is_removed_for_the_best_of_those_kept(graph in graphs(true)) {
        let clusters = graph.clusters(Linkage::Star, Keep::Central);
        let centres = graph.centres(None);
        for (text, kept) in removed(&graph, &clusters) {
            let rank = |centre: u32| Some((centre >= graph.texts, graph.edge(text, centre)?.0));
            for &centre in &centres {
                prop_assert!(rank(centre).is_none_or(|other| Some(other) <= rank(kept)), "{text}: {kept}, not {centre}");
            }
        }
    }

    #[test]
    fn members_of_complete_clusters_match_one_another(graph in graphs(true), keep in keeps()) {
        for cluster in &graph.clusters(Linkage::Complete, keep).0 {
            for (at, a) in cluster.members.iter().enumerate() {
                let others = &cluster.members[at + 1..];
                let is_match = |b: &crate::DocId| a.0 >= graph.texts || graph.edge(a.0, b.0).is_some();
                prop_assert!(others.iter().all(is_match), "{:?}", cluster);
            }
        }
    }

    #[test]
    fn connected_clusters_are_what_chains_connect(graph in graphs(true), keep in keeps()) {
        let mut sets = UnionFind::new((graph.texts + graph.references) as usize);
        graph.edges.iter().for_each(|(a, b, ..)| { sets.union(*a, *b); });
        for cluster in &graph.clusters(Linkage::Connected, keep).0 {
            let root = sets.find(cluster.members[0].0);
            let size = (0..graph.texts + graph.references).filter(|&text| sets.find(text) == root).count();
            prop_assert_eq!(size, cluster.members.len());
        }
    }
}

#[test]
fn the_centre_of_a_chain_is_kept() {
    // 1 matches 0 and 2, which do not match.
    let graph = Graph {
        texts: 3,
        references: 0,
        lengths: vec![0; 3],
        edges: vec![(0, 1, 0.8, [true; 2]), (1, 2, 0.9, [true; 2])],
    };
    let kept = |linkage, keep| {
        let clusters = graph.clusters(linkage, keep).0;
        clusters
            .into_iter()
            .map(|cluster| (cluster.representative.0, cluster.members.len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(Linkage::Star, Keep::Central), [(1, 3)]);
    assert_eq!(kept(Linkage::Star, Keep::First), [(0, 2)]);
    assert_eq!(kept(Linkage::Connected, Keep::First), [(0, 3)]);
}
