//! The texts that a run removes: for which text each, by which score, and what is lost with it.

use hashbrown::{HashMap, HashSet};

use super::DedupOptions;
use crate::batch::{Joined, Source};
use crate::cluster::{Clusters, lost_words};
use crate::document::DocId;
use crate::error::Result;
use crate::options::{NormalizeOptions, Numbers};
use crate::parallel;
use crate::prepare::{Preparer, Tokens};
use crate::verify::{Metric, Scores};

/// A text that is removed, and the text that is kept for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Removal {
    pub(super) document: DocId,
    pub(super) representative: DocId,
    /// The number of their cluster.
    pub(super) cluster: u32,
    pub(super) score: f64,
    /// Words of the text that are in no passage shared with the kept one.
    pub(super) lost: u32,
    /// Whether the two score below the threshold, as happens in chains.
    pub(super) is_below: bool,
}

/// All removals, in the order of the input, and what they come to.
#[derive(Debug, Default)]
pub(super) struct Removals {
    pub(super) list: Vec<Removal>,
    /// Texts that stay because their removal would lose too much.
    pub(super) spared: u64,
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
    ) -> Result<Removals> {
        let mut found = self.proposed(clusters, scores);
        self.explain_losses(&mut found)?;
        let (list, spared): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|own| own.is_allowed(self));
        if !spared.is_empty() {
            let spared: HashSet<DocId> = spared.iter().map(|own| own.removal.document).collect();
            take_out(&spared, clusters, scores, self.options.join.metric);
        }
        let mut list: Vec<Removal> = list.into_iter().map(|own| own.removal).collect();
        let numbers = number_clusters(clusters);
        for removal in &mut list {
            removal.cluster = numbers[&removal.representative];
        }
        list.sort_unstable_by_key(|removal| removal.document);
        Ok(Removals {
            differ_in_numbers: self.differ_in_numbers(&list)?,
            spared: spared.len() as u64,
            list,
        })
    }

    /// Every text of the input with its representative, if that is another one.
    fn proposed(&self, clusters: &Clusters, scores: &[Vec<Scores>]) -> Vec<Proposed> {
        let join = &self.options.join;
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
                let lost = match is_copy {
                    true => Some(0),
                    false => lost_words(scores),
                };
                found.push(Proposed {
                    removal: Removal {
                        document,
                        representative,
                        cluster: 0,
                        score: scores.score(join.metric),
                        lost: lost.unwrap_or(0),
                        is_below: !is_copy && !join.is_match(scores),
                    },
                    words: scores.tokens_b,
                    is_known: lost.is_some(),
                });
            }
        }
        found
    }

    /// Looks at the texts where only sketches or fingerprints were compared.
    fn explain_losses(&self, found: &mut [Proposed]) -> Result<()> {
        let unknown: Vec<usize> = (0..found.len()).filter(|&at| !found[at].is_known).collect();
        let preparer = self.preparer(self.options.join.normalize.numbers)?;
        let explainer = self.joined.explainer(&preparer);
        let threads = self.options.join.resources.threads;
        let explained = parallel::map(threads, unknown.len(), |at| {
            let removal = &found[unknown[at]].removal;
            let (kept, removed) = self.texts(removal)?;
            let scores = explainer.explain(&kept, &removed).scores;
            Ok((
                scores.tokens_b.saturating_sub(scores.covered_b),
                scores.tokens_b,
            ))
        })?;
        for (at, (lost, words)) in unknown.into_iter().zip(explained) {
            found[at].removal.lost = lost;
            found[at].words = words;
        }
        Ok(())
    }

    /// How many removed texts differ from the kept one in numbers only, where numbers are not told apart.
    fn differ_in_numbers(&self, list: &[Removal]) -> Result<u64> {
        let join = &self.options.join;
        if join.normalize.numbers == Numbers::Keep {
            return Ok(0);
        }
        let (run, strict) = (
            self.preparer(join.normalize.numbers)?,
            self.preparer(Numbers::Keep)?,
        );
        let same: Vec<&Removal> = list.iter().filter(|own| own.lost == 0).collect();
        let differ = parallel::map(join.resources.threads, same.len(), |at| {
            let (kept, removed) = self.texts(same[at])?;
            let are_same = |preparer: &Preparer| {
                have_same_forms(&preparer.tokens(&kept), &preparer.tokens(&removed))
            };
            Ok(u64::from(are_same(&run) && !are_same(&strict)))
        })?;
        Ok(differ.into_iter().sum())
    }

    fn texts(&self, removal: &Removal) -> Result<(String, String)> {
        let text = |document| self.source.text(document, &self.joined.documents);
        Ok((text(removal.representative)?, text(removal.document)?))
    }

    fn preparer(&self, numbers: Numbers) -> Result<Preparer> {
        let join = &self.options.join;
        let normalize = NormalizeOptions {
            numbers,
            ..join.normalize.clone()
        };
        Preparer::new(&normalize, &join.shingle)
    }
}

fn have_same_forms(a: &Tokens, b: &Tokens) -> bool {
    a.len() == b.len() && (0..a.len()).all(|at| a.form(at) == b.form(at))
}

/// A removal before it is known whether it loses too much.
struct Proposed {
    removal: Removal,
    /// Words of the text.
    words: u32,
    /// Whether the scores say what is lost.
    is_known: bool,
}

impl Proposed {
    fn is_allowed(&self, context: &Context<'_>) -> bool {
        let most = context.options.cluster.most_lost;
        most.is_none_or(|most| most.allows(self.removal.lost, self.words))
    }
}

/// Takes texts out of their clusters.
fn take_out(
    spared: &HashSet<DocId>,
    clusters: &mut Clusters,
    scores: &mut Vec<Vec<Scores>>,
    metric: Metric,
) {
    let stays = |document: &DocId| !spared.contains(document);
    for (cluster, scores) in clusters.0.iter_mut().zip(&mut *scores) {
        let mut members = cluster.members.iter();
        scores.retain(|_| members.next().is_some_and(stays));
        cluster.members.retain(stays);
        let values = scores.iter().map(|scores| scores.score(metric));
        cluster.weakest = values.fold(1.0, f64::min);
    }
    scores.retain(|scores| scores.len() > 1);
    clusters.0.retain(|cluster| cluster.members.len() > 1);
    let mut order: Vec<usize> = (0..clusters.0.len()).collect();
    order.sort_by_key(|&at| clusters.0[at].members[0]);
    clusters.0.sort_by_key(|cluster| cluster.members[0]);
    let mut sorted: Vec<Vec<Scores>> = order
        .iter()
        .map(|&at| std::mem::take(&mut scores[at]))
        .collect();
    std::mem::swap(scores, &mut sorted);
}

/// The number of each cluster, by its representative.
fn number_clusters(clusters: &Clusters) -> HashMap<DocId, u32> {
    let representatives = clusters.0.iter().map(|cluster| cluster.representative);
    representatives.zip(0..).collect()
}
