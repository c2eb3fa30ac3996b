//! The terms of a run with their weights, numbered by rank.
//!
//! Rank 0 is the heaviest term; terms of one weight are in the order of their forms. So a text's terms sorted by rank are its
//! features in order, and everything after works on numbers alone.

use std::sync::{Arc, OnceLock};

use super::background::Background;
use super::vocabulary::{Counted, elect, merge};
use super::weights::{FrequencyRange, WeightOptions, weight};
use crate::error::Result;
use crate::hash::hash_bytes;
use crate::method::terms::TermOptions;
use crate::parallel;
use crate::segment::terms::Group;

/// All terms of a run, by rank.
#[derive(Debug, Default)]
pub struct Lexicon {
    forms: String,
    starts: Vec<usize>,
    lengths: Vec<u32>,
    groups: Vec<Group>,
    frequencies: Vec<u64>,
    documents: Vec<u32>,
    weights: Vec<u64>,
    hashes: Vec<u64>,
    ranges: [FrequencyRange; Group::ALL.len()],
    /// Whether each term is one of the background table.
    known: Vec<bool>,
    /// Whether its terms weigh the same whatever other texts are counted with them.
    settled: bool,
    by_hash: OnceLock<Vec<(u64, u32)>>,
}

/// The rank of each term of a vocabulary.
pub(crate) type Ranks = Vec<u32>;

/// A term on its way into the lexicon.
struct Weighed {
    start: usize,
    length: u32,
    documents: u32,
    group: Group,
    frequency: u64,
    hash: u64,
    weight: u64,
    known: bool,
}

impl Lexicon {
    /// The weighted terms of vocabularies, as the options say.
    ///
    /// # Errors
    /// When a thread fails.
    pub(crate) fn of(parts: &[Counted], options: &TermOptions, threads: usize) -> Result<Self> {
        let background = options.background.as_ref();
        Ok(Self::new(parts, background, &options.weights, threads)?.0)
    }

    /// Brings vocabularies together and weighs their terms; frequencies and groups are those of `background` if there is one,
    /// otherwise of the vocabularies themselves. Also gives the rank of each term of each vocabulary.
    ///
    /// # Errors
    /// When a thread fails.
    pub(crate) fn new(
        parts: &[Counted],
        background: Option<&Arc<Background>>,
        options: &WeightOptions,
        threads: usize,
    ) -> Result<(Self, Vec<Ranks>)> {
        let orders = parallel::map(threads, parts.len(), |part| Ok(parts[part].sorted()))?;
        let mut ranks: Vec<Ranks> = parts.iter().map(|part| vec![0; part.len()]).collect();
        let mut lexicon = Self {
            settled: background.is_some(),
            ..Self::default()
        };
        let mut counted: Vec<Weighed> = Vec::new();
        let mut at = 0;
        merge(parts, &orders, |form, votes, documents, hash, found| {
            for &(part, id) in found {
                ranks[part][id as usize] = counted.len() as u32;
            }
            let own = elect(votes);
            let mut known = false;
            let (group, frequency) = match background {
                None => own,
                Some(table) => {
                    at = table.place(form.as_bytes(), at);
                    known = at < table.len() && table.form(at) == form.as_bytes();
                    if known { table.entry(at) } else { (own.0, 0) }
                }
            };
            let is_split = votes.iter().filter(|votes| **votes > 0).count() > 1;
            lexicon.settled &= known || !is_split;
            if background.is_none() {
                lexicon.ranges[group as usize].add(frequency);
            }
            counted.push(Weighed {
                start: lexicon.forms.len(),
                length: form.len() as u32,
                documents: u32::try_from(documents).unwrap_or(u32::MAX),
                group,
                frequency,
                hash,
                weight: 0,
                known,
            });
            lexicon.forms.push_str(form);
        });
        drop(orders);
        if let Some(table) = background {
            lexicon.ranges = Group::ALL.map(|group| table.range(group));
        }
        for term in &mut counted {
            let form = &lexicon.forms[term.start..][..term.length as usize];
            let length = form.chars().count() as u64;
            term.weight = weight(options, term.group, &lexicon.ranges, term.frequency, length);
        }
        lexicon.take_by_rank(&counted, &mut ranks);
        Ok((lexicon, ranks))
    }

    /// Puts the terms, which are in the order of their forms, into the order of their ranks.
    fn take_by_rank(&mut self, counted: &[Weighed], ranks: &mut [Ranks]) {
        let mut order: Vec<u32> = (0..counted.len() as u32).collect();
        order.sort_by_key(|&term| std::cmp::Reverse(counted[term as usize].weight));
        let mut rank_of = vec![0; counted.len()];
        for (rank, &term) in order.iter().enumerate() {
            rank_of[term as usize] = rank as u32;
            let term = &counted[term as usize];
            self.starts.push(term.start);
            self.lengths.push(term.length);
            self.groups.push(term.group);
            self.frequencies.push(term.frequency);
            self.documents.push(term.documents);
            self.weights.push(term.weight);
            self.hashes.push(term.hash);
            self.known.push(term.known);
        }
        for rank in ranks.iter_mut().flatten() {
            *rank = rank_of[*rank as usize];
        }
    }

    /// All that texts are compared by, as columns: forms one after the other, their lengths, texts and weights, by rank.
    pub(crate) fn columns(&self) -> (String, &[u32], &[u32], &[u64]) {
        let ranks = 0..self.len() as u32;
        let forms = ranks.map(|rank| self.form(rank)).collect();
        (forms, &self.lengths, &self.documents, &self.weights)
    }

    /// The lexicon of such columns, without groups and frequencies; `None` if they do not fit together.
    pub(crate) fn of_columns(
        forms: String,
        lengths: Vec<u32>,
        documents: Vec<u32>,
        weights: Vec<u64>,
    ) -> Option<Self> {
        let terms = lengths.len();
        if documents.len() != terms || weights.len() != terms {
            return None;
        }
        let mut lexicon = Self {
            starts: Vec::with_capacity(terms),
            hashes: Vec::with_capacity(terms),
            groups: vec![Group::Other; terms],
            frequencies: vec![0; terms],
            known: vec![false; terms],
            ..Self::default()
        };
        let mut start = 0usize;
        for &length in &lengths {
            let form = forms.get(start..start.checked_add(length as usize)?)?;
            lexicon.starts.push(start);
            lexicon.hashes.push(hash_bytes(form.as_bytes()));
            start += form.len();
        }
        (start == forms.len()).then_some(Self {
            forms,
            lengths,
            documents,
            weights,
            ..lexicon
        })
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The normal form of a term.
    pub fn form(&self, rank: u32) -> &str {
        let start = self.starts[rank as usize];
        &self.forms[start..start + self.lengths[rank as usize] as usize]
    }

    /// The group that a term belongs to.
    pub fn group(&self, rank: u32) -> Group {
        self.groups[rank as usize]
    }

    /// How often a term occurs in the background.
    pub fn frequency(&self, rank: u32) -> u64 {
        self.frequencies[rank as usize]
    }

    /// In how many texts of the run a term stands.
    pub fn documents(&self, rank: u32) -> u32 {
        self.documents[rank as usize]
    }

    /// What a term weighs, in billionths.
    pub fn weight(&self, rank: u32) -> u64 {
        self.weights[rank as usize]
    }

    /// The hash of a term's form.
    pub fn hash(&self, rank: u32) -> u64 {
        self.hashes[rank as usize]
    }

    /// Whether a term is one of the background table, whose group and frequency it has.
    pub(crate) fn is_known(&self, rank: u32) -> bool {
        self.known[rank as usize]
    }

    /// Whether the terms weigh the same whatever other texts are counted with them: the background table has them, or all their
    /// occurrences are of one group.
    pub(crate) fn is_settled(&self) -> bool {
        self.settled
    }

    /// The frequencies that the terms of a group lie between.
    pub fn range(&self, group: Group) -> FrequencyRange {
        self.ranges[group as usize]
    }

    /// The rank of a term by its form.
    pub fn rank(&self, form: &str) -> Option<u32> {
        let table = self.by_hash.get_or_init(|| {
            let ranks = self.hashes.iter().enumerate();
            let mut table: Vec<(u64, u32)> =
                ranks.map(|(rank, &hash)| (hash, rank as u32)).collect();
            table.sort_unstable();
            table
        });
        let hash = hash_bytes(form.as_bytes());
        let start = table.partition_point(|entry| entry.0 < hash);
        let same = table[start..].iter().take_while(|entry| entry.0 == hash);
        same.map(|entry| entry.1)
            .find(|&rank| self.form(rank) == form)
    }
}
