//! The clusters of what hangs together, component by component.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::{Kernel, misfit};
use crate::cluster::{ClusterOptions, Edges, cluster_scored};
use crate::error::{Error, Result};
use crate::matches::{Documents, Identical, Matches, Rank, Verified, Wanted};
use crate::scores::Scores;

/// The component at hand: its texts in the order of the input, and its matches.
#[derive(Debug, Default)]
pub struct Component {
    numbers: HashMap<i64, u32>,
    docs: Vec<i64>,
    /// The first of the copies of each text.
    firsts: Vec<i64>,
    ranks: Vec<Option<Rank>>,
    matches: Vec<ScoredMatch>,
}

/// Two texts of the component in order, by their numbers.
#[derive(Clone, Copy, Debug)]
struct ScoredMatch {
    pair: (u32, u32),
    score: f64,
    /// The counts, seen from the first; weights may be missing.
    counts: Scores,
}

/// A text in a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The first text of its cluster.
    pub cluster: i64,
    /// The text that stays.
    pub representative: i64,
    /// The text.
    pub doc: i64,
    /// Its place in the cluster, in the order of the input.
    pub place: u32,
    /// How many texts the cluster has.
    pub size: u32,
}

/// Matches with their scores.
struct Scored<'a> {
    matches: &'a [ScoredMatch],
    options: &'a ClusterOptions,
}

impl Edges for Scored<'_> {
    fn score(&self, place: usize) -> f64 {
        self.matches[place].score
    }

    fn covers(&self, place: usize, kept: u32) -> bool {
        let ScoredMatch { pair, counts, .. } = self.matches[place];
        self.options.may_represent(pair.1 == kept, || counts)
    }
}

impl Component {
    /// Adds a text, which stands after those before it; `first` is the first of its copies, or itself.
    pub fn add_text(&mut self, doc: i64, first: i64, rank: Option<Rank>) {
        if let Entry::Vacant(vacant) = self.numbers.entry(doc) {
            vacant.insert(self.docs.len() as u32);
            self.docs.push(doc);
            self.firsts.push(first);
            self.ranks.push(rank);
        }
    }

    /// Adds a match of two texts that are the first of their copies: its score, and the counts behind it, seen from the first.
    ///
    /// # Errors
    /// When one of them is not in the component.
    pub fn add_match(&mut self, (a, b): (i64, i64), score: f64, counts: Scores) -> Result<()> {
        let (a, b) = (self.number(a)?, self.number(b)?);
        let (pair, counts) = match a <= b {
            true => ((a, b), counts),
            false => ((b, a), counts.swapped()),
        };
        self.matches.push(ScoredMatch {
            pair,
            score,
            counts,
        });
        Ok(())
    }

    fn number(&self, doc: i64) -> Result<u32> {
        let number = self.numbers.get(&doc).copied();
        number.ok_or_else(|| {
            misfit(format!(
                "the text {doc} of a match is not in its component: texts come before matches"
            ))
        })
    }

    /// Forgets all texts.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The clusters of the component, each member by member.
    ///
    /// # Errors
    /// When the first of the copies of a text is not in the component.
    pub fn clusters(&mut self, kernel: &Kernel, out: &mut Vec<Member>) -> Result<()> {
        let texts = self.docs.len();
        let firsts = self.firsts.iter().map(|&first| self.number(first));
        let identical = Identical::of_firsts(firsts.collect::<Result<_, Error>>()?);
        let documents = Documents::of_ranks(texts, std::mem::take(&mut self.ranks));
        self.matches.retain(|found| found.pair.0 != found.pair.1);
        self.matches.sort_by_key(|found| found.pair);
        self.matches.dedup_by_key(|found| found.pair);
        let verified =
            |found: &ScoredMatch| Verified::new(found.pair.0, found.pair.1, &Scores::default());
        let wanted = Wanted {
            references: texts as u32,
            across_only: false,
        };
        let pairs = self.matches.iter().map(verified).collect();
        let matches = Matches::new(identical, pairs, wanted);
        let edges = Scored {
            matches: &self.matches,
            options: kernel.cluster_options(),
        };
        let clusters = cluster_scored(&documents, &matches, kernel.cluster_options(), &edges);
        for cluster in &clusters.0 {
            let doc = |text: crate::DocId| self.docs[text.index()];
            for (place, &member) in (0..).zip(&cluster.members) {
                out.push(Member {
                    cluster: doc(cluster.members[0]),
                    representative: doc(cluster.representative),
                    doc: doc(member),
                    place,
                    size: cluster.members.len() as u32,
                });
            }
        }
        Ok(())
    }
}
