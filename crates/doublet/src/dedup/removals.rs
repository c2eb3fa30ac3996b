//! The texts that a run removes: for which text each, by which score, and what is lost with it.

use hashbrown::{HashMap, HashSet};

use super::DedupOptions;
use crate::batch::Joined;
use crate::cluster::{Cluster, ClusterOptions, Clusters, Linkage, cluster, lost_words};
use crate::document::DocId;
use crate::error::Result;
use crate::matches::Source;
use crate::progress::Observer;
use crate::scores::{Metric, Scores};

/// A text that is removed, and the text that is kept for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Removal {
    pub(super) document: DocId,
    pub(super) representative: DocId,
    /// The number of their cluster.
    pub(super) cluster: u32,
    pub(super) score: f64,
    /// Words of the text that are in no passage shared with the kept one, or that the kept one does not have.
    pub(super) lost: u32,
    /// Whether the two score below the threshold, as happens in chains.
    pub(super) is_below: bool,
}

/// All removals, in the order of the input, and what they come to.
#[derive(Debug, Default)]
pub(super) struct Removals {
    pub(super) list: Vec<Removal>,
    /// Texts that would be removed as well if removals could lose any number of words; `None` where only matches that lose little enough
    /// are known.
    pub(super) kept_for_loss: Option<u64>,
    /// Removed texts that differ from the kept one in numbers only.
    pub(super) differ_in_numbers: u64,
}

/// What is looked at for the removals.
pub(super) struct Context<'a> {
    pub(super) source: &'a Source,
    pub(super) joined: &'a Joined,
    pub(super) options: &'a DedupOptions,
}

impl Removals {
    pub(super) fn count_below(&self) -> u64 {
        self.list.iter().filter(|removal| removal.is_below).count() as u64
    }

    pub(super) fn words_lost(&self) -> u64 {
        self.list
            .iter()
            .map(|removal| u64::from(removal.lost))
            .sum()
    }

    /// The removals that lose most, the worst first.
    pub(super) fn worst(&self, count: usize) -> Vec<&Removal> {
        let mut worst: Vec<&Removal> = self.list.iter().filter(|own| own.lost > 0).collect();
        let by_loss = |own: &&Removal| (std::cmp::Reverse(own.lost), own.document);
        if worst.len() > count {
            worst.select_nth_unstable_by_key(count, by_loss);
            worst.truncate(count);
        }
        worst.sort_unstable_by_key(by_loss);
        worst
    }
}

impl Context<'_> {
    /// What the clusters remove, given the scores of their members against the representative. Texts that would lose too much
    /// leave their clusters, and clusters of which only one text remains are dropped.
    pub(super) fn removals(
        &self,
        clusters: &mut Clusters,
        scores: &mut Vec<Vec<Scores>>,
        observer: &dyn Observer,
    ) -> Result<Removals> {
        let mut found = self.proposed(clusters, scores);
        self.explain_losses(&mut found, observer)?;
        let (allowed, spared): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|own| own.is_allowed(self));
        let differing = allowed.iter().filter(|own| own.differs_in_numbers);
        let differ_in_numbers = differing.count() as u64;
        let mut list: Vec<Removal> = allowed.into_iter().map(|own| own.removal).collect();
        if !spared.is_empty() {
            self.take_out(&spared, clusters, scores);
            list.extend(self.cluster_copies(spared, clusters, scores));
            sort(clusters, scores);
        }
        let numbers = number_clusters(clusters);
        for removal in &mut list {
            removal.cluster = numbers[&removal.representative];
        }
        list.sort_unstable_by_key(|removal| removal.document);
        Ok(Removals {
            differ_in_numbers,
            kept_for_loss: self.kept_for_loss(list.len() as u64),
            list,
        })
    }

    /// How many more texts would be removed without a limit of losses.
    fn kept_for_loss(&self, removed: u64) -> Option<u64> {
        if self.options.most_lost.is_none() {
            return Some(0);
        }
        let figures = &self.joined.figures;
        let is_star = self.options.cluster.linkage == Linkage::Star;
        if is_star && (figures.spanning || figures.transitivity) {
            return None;
        }
        let unlimited = ClusterOptions {
            removal: Some(self.options.join.removal_rule(None)),
            ..self.options.cluster.clone()
        };
        let documents = &self.joined.documents;
        let clusters = cluster(documents, &self.joined.matches, &unlimited);
        let is_text = |text: &DocId| text.0 < documents.references();
        let removals = clusters.0.iter().map(|cluster| {
            let texts = cluster.members.iter().filter(|text| is_text(text)).count();
            texts - usize::from(is_text(&cluster.representative))
        });
        Some((removals.sum::<usize>() as u64).saturating_sub(removed))
    }

    /// Takes texts out of their clusters. What is left of a cluster is none if only one text or only references remain.
    fn take_out(
        &self,
        spared: &[Proposed],
        clusters: &mut Clusters,
        scores: &mut Vec<Vec<Scores>>,
    ) {
        let spared: HashSet<DocId> = spared.iter().map(|own| own.removal.document).collect();
        let is_left = |document: &DocId| !spared.contains(document);
        for (cluster, scores) in clusters.0.iter_mut().zip(&mut *scores) {
            let mut members = cluster.members.iter();
            scores.retain(|_| members.next().is_some_and(is_left));
            cluster.members.retain(is_left);
            cluster.weakest = weakest(scores, self.options.join.matching.metric);
        }
        let references = self.joined.documents.references();
        let remains =
            |cluster: &Cluster| cluster.members.len() > 1 && cluster.members[0].0 < references;
        let mut of_scores = clusters.0.iter();
        scores.retain(|_| of_scores.next().is_some_and(remains));
        clusters.0.retain(remains);
    }

    /// Clusters the copies among texts that were taken out: texts with the same words, all of them counted, lose nothing when one of
    /// them is kept for the others. Gives the removals.
    fn cluster_copies(
        &self,
        mut spared: Vec<Proposed>,
        clusters: &mut Clusters,
        scores: &mut Vec<Vec<Scores>>,
    ) -> Vec<Removal> {
        let Joined {
            documents, matches, ..
        } = self.joined;
        let words = |own: &Proposed| {
            let first = matches.identical.first[own.removal.document.index()];
            (first, own.identity)
        };
        spared.sort_unstable_by_key(|own| (words(own), own.removal.document));
        let (keep, metric) = (
            &self.options.cluster.keep,
            self.options.join.matching.metric,
        );
        let mut removals = Vec::new();
        for copies in spared.chunk_by(|x, y| words(x) == words(y)) {
            let members: Vec<DocId> = copies.iter().map(|own| own.removal.document).collect();
            let best = members
                .iter()
                .min_by(|a, b| keep.order(documents, a.0, b.0));
            let (Some(&representative), 2..) = (best, members.len()) else {
                continue;
            };
            let same = documents.identical_scores(words(&copies[0]).0);
            let others = members.iter().filter(|member| **member != representative);
            removals.extend(others.map(|&document| Removal {
                document,
                representative,
                cluster: 0,
                score: same.score(metric),
                lost: 0,
                is_below: false,
            }));
            scores.push(vec![same; members.len()]);
            clusters.0.push(Cluster {
                representative,
                members,
                weakest: weakest(&[same], metric),
            });
        }
        removals
    }

    /// Every text of the input with its representative, if that is another one.
    fn proposed(&self, clusters: &Clusters, scores: &[Vec<Scores>]) -> Vec<Proposed> {
        let join = &self.options.join;
        let decision = join.decision();
        let documents = &self.joined.documents;
        let first = |text: DocId| self.joined.matches.identical.first[text.index()];
        let mut found = Vec::new();
        for (cluster, scores) in clusters.0.iter().zip(scores) {
            let representative = cluster.representative;
            for (&document, scores) in cluster.members.iter().zip(scores) {
                if document == representative || document.0 >= documents.references() {
                    continue;
                }
                let is_copy = first(document) == first(representative);
                let is_match = decision.is_match(scores) && decision.allows_removal(scores);
                let lost = match (join.matching.counts_every_word(), is_copy) {
                    (false, _) => None,
                    (true, true) => Some(0),
                    (true, false) => lost_words(scores),
                };
                found.push(Proposed {
                    removal: Removal {
                        document,
                        representative,
                        cluster: 0,
                        score: scores.removal_score(join.matching.metric),
                        lost: lost.unwrap_or(0),
                        is_below: !is_copy && !is_match,
                    },
                    words: scores.tokens_b,
                    is_known: lost.is_some(),
                    identity: 0,
                    differs_in_numbers: false,
                });
            }
        }
        found
    }
}

/// A removal before it is known whether it loses too much.
pub(super) struct Proposed {
    pub(super) removal: Removal,
    /// Words of the text.
    pub(super) words: u32,
    /// Whether the scores say what is lost.
    pub(super) is_known: bool,
    /// A hash of all words of the text; 0 where the scores count them all, so that copies have the same words anyway.
    pub(super) identity: u128,
    /// Whether the texts are the same but for their numbers.
    pub(super) differs_in_numbers: bool,
}

impl Proposed {
    fn is_allowed(&self, context: &Context<'_>) -> bool {
        let most = context.options.most_lost;
        most.is_none_or(|most| most.allows(self.removal.lost, self.words))
    }
}

/// The lowest score of a member of a cluster against the representative.
pub(super) fn weakest(scores: &[Scores], metric: Metric) -> f64 {
    let values = scores.iter().map(|scores| scores.removal_score(metric));
    values.fold(1.0, f64::min)
}

/// Puts clusters and the scores of their members into the order of their first members.
fn sort(clusters: &mut Clusters, scores: &mut Vec<Vec<Scores>>) {
    let clusters = &mut clusters.0;
    let mut both: Vec<_> = clusters.drain(..).zip(scores.drain(..)).collect();
    both.sort_unstable_by_key(|(cluster, _)| cluster.members[0]);
    (*clusters, *scores) = both.into_iter().unzip();
}

/// The number of each cluster, by its representative.
fn number_clusters(clusters: &Clusters) -> HashMap<DocId, u32> {
    let representatives = clusters.0.iter().map(|cluster| cluster.representative);
    representatives.zip(0..).collect()
}
