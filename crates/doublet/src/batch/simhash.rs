//! The join over fingerprints of 64 bits: read, search, list.
//!
//! The fingerprint is the definition: two texts are a match when their fingerprints differ in few enough bits, and the texts are not
//! looked at again. With terms the texts are read twice, the first time for the counts that the weights follow from. Texts of one
//! fingerprint are one in the search; where there are very many pairs and only what hangs together is asked for, few of theirs
//! are listed.

use std::ops::Range;
use std::sync::Arc;

use super::background::count_terms;
use super::checkpoint::{Saved, StateReader, StateWriter, Tables};
use super::{Held, Join, Joined};
use crate::candidates::blocks::BlockPlan;
use crate::candidates::near::{Near, NearSearch};
use crate::error::Result;
use crate::matches::BlockRows;
use crate::matches::{CandidatePair, Identical, Matches, Verified, Wanted};
use crate::method::simhash::{Simhasher, VoteScratch, most_distance, scores};
use crate::scores::Scores;

/// A text and its fingerprint.
type Fingerprinted = (u32, u64);

impl Join<'_> {
    pub(crate) fn simhash(mut self) -> Result<Joined> {
        let hasher = match self.options.matching.weighs_terms() {
            false => Simhasher::Shingles(Arc::clone(&self.preparer)),
            true => {
                let mut figures = std::mem::take(&mut self.figures);
                let terms = figures.time("count", || {
                    let collections: Vec<_> = self.collections().collect();
                    count_terms(&collections, self.options, self.observer)
                })?;
                self.figures = figures;
                Simhasher::of_terms(terms)
            }
        };
        let (
            Tables {
                documents,
                identical,
            },
            Read { fingerprints },
        ) = self.reading(|join, figures| figures.time("read", || join.read_votes(&hasher)))?;
        let mut figures = std::mem::take(&mut self.figures);
        let texts = (0..).zip(&documents.tokens).zip(&fingerprints);
        let found = texts.filter(|((_, tokens), _)| **tokens > 0);
        let found = found.map(|((text, _), fingerprint)| (text, *fingerprint));
        let groups = Groups::new(found.collect(), &identical, self.wanted(&documents));
        let plan = BlockPlan::new(
            most_distance(self.options.matching.threshold),
            groups.fingerprints.len(),
        );
        let (near, spanning) = figures.time("compare", || self.near(&groups, plan))?;
        figures.spanning = spanning;
        figures.candidates = near.compared;
        figures.verifications = near.compared;
        figures.blocks = Some(plan);
        Ok(Joined {
            matches: Matches::new(
                identical,
                groups.matches(&near.pairs, spanning),
                groups.wanted,
            ),
            documents,
            figures,
            fitted: hasher.into(),
            held: Held::Fingerprints(fingerprints),
            repeats: None,
        })
    }

    /// Reads all texts.
    fn read_votes(&self, hasher: &Simhasher) -> Result<(Tables, Read)> {
        let mut found: Vec<Fingerprinted> = Vec::new();
        let mut documents = self.read_documents(
            Reading::default,
            |reading, block, part| {
                let Reading {
                    scratch,
                    rows,
                    found,
                } = reading;
                rows.push(BlockRows::of(block, self.options, |number, text| {
                    let (counts, fingerprint) = hasher.vote(text, scratch);
                    found.extend(fingerprint.map(|bits| (part.base + number, bits)));
                    Ok(counts)
                })?);
                Ok(())
            },
            |reading| {
                found.extend(reading.found);
                Ok(reading.rows)
            },
        )?;
        documents.check_keys(self.source)?;
        let mut fingerprints = vec![0; documents.len()];
        for (text, fingerprint) in found {
            fingerprints[text as usize] = fingerprint;
        }
        let tables = Tables {
            identical: Identical::take(&mut documents),
            documents,
        };
        let read = Read { fingerprints };
        Ok((tables, read))
    }

    /// The near fingerprints, and whether only as many as connect them.
    fn near(&self, groups: &Groups, plan: BlockPlan) -> Result<(Near, bool)> {
        self.with_limits("comparing fingerprints", |limits| {
            let search = NearSearch {
                fingerprints: &groups.fingerprints,
                plan,
                weight: &|a, b| groups.pairs_between(a, b),
                limits,
            };
            let spanning = self.options.spanning.filter(|_| !self.options.across_only);
            let most = spanning.unwrap_or(limits.most_matches);
            match search.all(groups.pairs_within(), most)? {
                Some(near) => Ok((near, false)),
                None if spanning.is_none() => Err(self.too_many(most)),
                None => Ok((search.connecting()?, true)),
            }
        })
    }
}

/// What the reading leaves.
struct Read {
    /// Of each text; 0 for those that have none.
    fingerprints: Vec<u64>,
}

impl Saved for Read {
    fn save(&self, _: &Tables, state: &mut StateWriter) -> Result<()> {
        state.numbers(&self.fingerprints)
    }

    fn restore(tables: &mut Tables, state: &mut StateReader, _: &Join<'_>) -> Result<Self> {
        Ok(Self {
            fingerprints: state.column_of(tables.documents.len())?,
        })
    }
}

/// One thread's state in the reading.
#[derive(Default)]
struct Reading {
    scratch: VoteScratch,
    rows: Vec<BlockRows>,
    found: Vec<Fingerprinted>,
}

/// The texts to compare, the first of each group of copies, by fingerprint.
struct Groups {
    /// Rising, each once.
    fingerprints: Vec<u64>,
    /// The texts, by fingerprint, then in order: those of the input before references.
    texts: Vec<u32>,
    /// Where the texts of each fingerprint start, and the end of the last.
    starts: Vec<u32>,
    wanted: Wanted,
}

impl Groups {
    fn new(mut found: Vec<Fingerprinted>, identical: &Identical, wanted: Wanted) -> Self {
        found.retain(|&(text, _)| identical.is_first(text));
        found.sort_unstable_by_key(|&(text, fingerprint)| (fingerprint, text));
        let (mut fingerprints, mut starts) = (Vec::new(), Vec::new());
        for (place, &(_, fingerprint)) in (0..).zip(&found) {
            if fingerprints.last() != Some(&fingerprint) {
                fingerprints.push(fingerprint);
                starts.push(place);
            }
        }
        starts.push(found.len() as u32);
        Self {
            fingerprints,
            texts: found.into_iter().map(|(text, _)| text).collect(),
            starts,
            wanted,
        }
    }

    /// The texts of a fingerprint: those of the input, and references.
    fn of(&self, group: u32) -> (&[u32], &[u32]) {
        let range: Range<u32> = self.starts[group as usize]..self.starts[group as usize + 1];
        let texts = &self.texts[range.start as usize..range.end as usize];
        texts.split_at(texts.partition_point(|&text| text < self.wanted.references))
    }

    /// Pairs of texts of one fingerprint.
    fn pairs_within(&self) -> u64 {
        let groups = 0..self.fingerprints.len() as u32;
        let pairs = groups.map(|group| {
            let (input, references) = self.of(group);
            let (input, references) = (input.len() as u64, references.len() as u64);
            let own = match self.wanted.across_only {
                true => 0,
                false => input * input.saturating_sub(1) / 2,
            };
            own + input * references
        });
        pairs.fold(0, u64::saturating_add)
    }

    /// Pairs of texts of two fingerprints.
    fn pairs_between(&self, a: u32, b: u32) -> u64 {
        let count = |texts: (&[u32], &[u32])| (texts.0.len() as u64, texts.1.len() as u64);
        let ((input_a, references_a), (input_b, references_b)) =
            (count(self.of(a)), count(self.of(b)));
        let own = match self.wanted.across_only {
            true => 0,
            false => input_a * input_b,
        };
        own + input_a * references_b + references_a * input_b
    }

    /// The matches, given near fingerprints: all, or as many as connect the texts.
    fn matches(&self, near: &[CandidatePair], connecting: bool) -> Vec<Verified> {
        let mut matches = Vec::new();
        for (group, &fingerprint) in (0..).zip(&self.fingerprints) {
            let found = scores(Some(fingerprint), Some(fingerprint));
            let (input, references) = self.of(group);
            // Nothing hangs together by references alone; the first text connects all.
            let ones = if connecting { 1 } else { input.len() };
            for (place, &a) in input.iter().take(ones).enumerate() {
                let others = input[place + 1..].iter().chain(references);
                self.push_all(a, others, &found, &mut matches);
            }
        }
        for pair in near {
            let of = |place: u32| self.fingerprints[place as usize];
            let found = scores(Some(of(pair.a)), Some(of(pair.b)));
            let (left, right) = (self.of(pair.a), self.of(pair.b));
            let (left, right) = match connecting {
                true => (connected(left), connected(right)),
                false => (left, right),
            };
            for &a in left.0.iter().chain(left.1) {
                let others = right.0.iter().chain(right.1);
                self.push_all(a, others, &found, &mut matches);
            }
        }
        matches
    }

    /// Adds the pairs of a text with others that are asked for.
    fn push_all<'a>(
        &self,
        text: u32,
        others: impl Iterator<Item = &'a u32>,
        scores: &Scores,
        matches: &mut Vec<Verified>,
    ) {
        let wanted = others.filter(|&&other| self.wanted.pair(text, other));
        matches.extend(wanted.map(|&other| {
            let (a, b) = (text.min(other), text.max(other));
            Verified::new(a, b, scores)
        }));
    }
}

/// The texts of a fingerprint that connect all of them to others: one of the input, or all references if there is none.
fn connected<'a>((input, references): (&'a [u32], &'a [u32])) -> (&'a [u32], &'a [u32]) {
    match input {
        [] => (input, references),
        _ => (&input[..1], &[]),
    }
}
