//! The clusters of what hangs together, component by component.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::{Kernel, misfit};
use crate::batch::{Documents, Identical, Matches, Rank, Verified};
use crate::candidates::Wanted;
use crate::cluster::cluster_scored;
use crate::error::{Error, Result};
use crate::verify::Scores;

/// The component at hand: its texts in the order of the input, and its matches.
#[derive(Debug, Default)]
pub struct Component {
    numbers: HashMap<i64, u32>,
    docs: Vec<i64>,
    /// The first of the copies of each text.
    firsts: Vec<i64>,
    ranks: Vec<Option<Rank>>,
    matches: Vec<(u32, u32, f64)>,
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
    /// The lowest score among the matches within it.
    pub weakest: f64,
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

    /// Adds a match of two texts that are the first of their copies.
    ///
    /// # Errors
    /// When one of them is not in the component.
    pub fn add_match(&mut self, a: i64, b: i64, score: f64) -> Result<()> {
        let (a, b) = (self.number(a)?, self.number(b)?);
        self.matches.push((a.min(b), a.max(b), score));
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
        self.matches.retain(|(a, b, _)| a != b);
        self.matches.sort_by_key(|(a, b, _)| (*a, *b));
        self.matches.dedup_by_key(|(a, b, _)| (*a, *b));
        let verified = |(a, b, _): &(u32, u32, f64)| Verified::new(*a, *b, &Scores::default());
        let wanted = Wanted {
            references: texts as u32,
            across_only: false,
        };
        let pairs = self.matches.iter().map(verified).collect();
        let matches = Matches::new(identical, pairs, wanted);
        let score = |place: usize| self.matches[place].2;
        let clusters = cluster_scored(&documents, &matches, &kernel.cluster, score);
        for cluster in &clusters.0 {
            let doc = |text: crate::DocId| self.docs[text.index()];
            for (place, &member) in (0..).zip(&cluster.members) {
                out.push(Member {
                    cluster: doc(cluster.members[0]),
                    representative: doc(cluster.representative),
                    doc: doc(member),
                    place,
                    size: cluster.members.len() as u32,
                    weakest: cluster.weakest,
                });
            }
        }
        Ok(())
    }
}
