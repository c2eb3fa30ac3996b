//! The texts that a run removes: for which text each, by which score, and what is lost with it.

use hashbrown::{HashMap, HashSet};

use super::DedupOptions;
use crate::batch::{JoinOptions, Joined, Source};
use crate::cluster::{Clusters, lost_words};
use crate::document::DocId;
use crate::error::Result;
use crate::explain::Explainer;
use crate::options::{NormalizeOptions, Numbers};
use crate::parallel;
use crate::prepare::{Preparer, Tokens};
use crate::progress::{self, Observer, Unit};
use crate::verify::{Metric, Scores};

/// Texts that are removed for one text and looked at together.
const RUN: usize = 256;

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
        observer: &dyn Observer,
    ) -> Result<Removals> {
        let mut found = self.proposed(clusters, scores);
        self.explain_losses(&mut found, observer)?;
        let (list, spared): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|own| own.is_allowed(self));
        if !spared.is_empty() {
            let spared: HashSet<DocId> = spared.iter().map(|own| own.removal.document).collect();
            take_out(&spared, clusters, scores, self.options.join.metric);
        }
        let differing = list.iter().filter(|own| own.differs_in_numbers);
        let differ_in_numbers = differing.count() as u64;
        let mut list: Vec<Removal> = list.into_iter().map(|own| own.removal).collect();
        let numbers = number_clusters(clusters);
        for removal in &mut list {
            removal.cluster = numbers[&removal.representative];
        }
        list.sort_unstable_by_key(|removal| removal.document);
        Ok(Removals {
            differ_in_numbers,
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
                let lost = match (self.counts_every_word(), is_copy) {
                    (false, _) => None,
                    (true, true) => Some(0),
                    (true, false) => lost_words(scores),
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
                    differs_in_numbers: false,
                });
            }
        }
        found
    }

    /// Reads the texts of which the scores do not say what is lost.
    fn explain_losses(&self, found: &mut [Proposed], observer: &dyn Observer) -> Result<()> {
        let unknown: Vec<usize> = (0..found.len()).filter(|&at| !found[at].is_known).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let total = Some(unknown.len() as u64);
        progress::begin(observer, "counting lost words", total, Unit::Count("texts"))?;
        // Removals for one text are neighbours, so that it is read once for many.
        let representative = |at: &usize| found[*at].removal.representative;
        let runs = unknown.chunk_by(|x, y| representative(x) == representative(y));
        let runs: Vec<&[usize]> = runs.flat_map(|run| run.chunks(RUN)).collect();
        let words = Words::new(&self.options.join)?;
        let explainer = self.joined.explainer(&words.run);
        let losses = parallel::map(self.options.join.resources.threads, runs.len(), |at| {
            let kept = words.kept(self.text(representative(&runs[at][0]))?);
            let losses = runs[at].iter().map(|&at| {
                let removed = self.text(found[at].removal.document)?;
                Ok(words.lost(explainer, &kept, &removed))
            });
            let losses: Vec<Loss> = losses.collect::<Result<_>>()?;
            progress::advance(observer, losses.len() as u64)?;
            Ok(losses)
        })?;
        for (at, loss) in unknown.into_iter().zip(losses.into_iter().flatten()) {
            found[at].removal.lost = loss.lost;
            found[at].words = loss.words;
            found[at].differs_in_numbers = loss.differs_in_numbers;
        }
        Ok(())
    }

    fn text(&self, document: DocId) -> Result<String> {
        self.source.text(document, &self.joined.documents)
    }

    /// Whether the scores count every word that a text has, so that they say what is lost.
    fn counts_every_word(&self) -> bool {
        let JoinOptions {
            method, normalize, ..
        } = &self.options.join;
        let leaves_out = normalize.numbers != Numbers::Keep
            || normalize.ascii
            || !normalize.stop_words.is_empty();
        method.unit().is_none() && !leaves_out
    }
}

/// The words of texts: as the run compares them, and all of them.
struct Words {
    run: Preparer,
    all: Preparer,
    numbers: Numbers,
}

/// A text that is kept.
struct KeptText {
    text: String,
    run: Tokens,
    all: Tokens,
    forms: HashSet<String>,
}

/// What the removal of a text loses.
struct Loss {
    lost: u32,
    /// Words of the text.
    words: u32,
    differs_in_numbers: bool,
}

impl Words {
    fn new(join: &JoinOptions) -> Result<Self> {
        let all = NormalizeOptions {
            numbers: Numbers::Keep,
            ascii: false,
            stop_words: Vec::new(),
            ..join.normalize.clone()
        };
        Ok(Self {
            run: Preparer::new(&join.normalize, &join.shingle)?,
            all: Preparer::new(&all, &join.shingle)?,
            numbers: join.normalize.numbers,
        })
    }

    fn kept(&self, text: String) -> KeptText {
        let all = self.all.tokens(&text);
        KeptText {
            run: self.run.tokens(&text),
            forms: (0..all.len()).map(|at| all.form(at).to_owned()).collect(),
            all,
            text,
        }
    }

    /// A word is lost unless it is in a passage that both texts share and the kept text has it too: methods that leave words out
    /// share passages over them.
    fn lost(&self, explainer: Explainer<'_>, kept: &KeptText, removed: &str) -> Loss {
        let passages = explainer.explain(&kept.text, removed).passages_b;
        let all = self.all.tokens(removed);
        let mut passages = passages.iter().peekable();
        let lost = (0..all.len()).filter(|&at| {
            let (start, end) = (all.spans[at].0 as usize, all.spans[at].1 as usize);
            while passages.next_if(|passage| passage.end < end).is_some() {}
            let is_shared = passages
                .peek()
                .is_some_and(|passage| passage.start <= start);
            !(is_shared && kept.forms.contains(all.form(at)))
        });
        Loss {
            lost: lost.count() as u32,
            words: all.len() as u32,
            differs_in_numbers: self.numbers != Numbers::Keep
                && have_same_forms(&kept.run, &self.run.tokens(removed))
                && !have_same_forms(&kept.all, &all),
        }
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
    /// Whether the texts are the same but for their numbers.
    differs_in_numbers: bool,
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
