//! The join over fingerprints of 64 bits: read, search, list.
//!
//! The fingerprint is the definition: two texts are a match when their fingerprints differ in few enough bits, and the texts are not
//! looked at again. With terms the texts are read twice, the first time for the counts that the weights follow from. Texts of one
//! fingerprint are one in the search; where there are very many pairs and only what hangs together is asked for, few of theirs
//! are listed.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_128;

use super::background::count_terms;
use super::first_pass::Reading;
use super::{CountOptions, Join, Joined};
use crate::candidates::blocks::BlockPlan;
use crate::candidates::near::{Near, NearSearch};
use crate::error::Result;
use crate::matches::{BlockRows, Documents, TextCounts};
use crate::matches::{CandidatePair, Identical, Matches, Verified, Wanted};
use crate::method::Method;
use crate::method::simhash::{Voters, Votes, most_distance, scores};
use crate::method::terms::{Lexicon, Scratch, TermSegmenter};
use crate::read::Block;
use crate::scores::Scores;

/// The fingerprints of a run.
#[derive(Debug)]
pub struct JoinedSimhash {
    /// Of each text; 0 for those that have none.
    pub(crate) fingerprints: Vec<u64>,
    /// What made terms of the texts and weighed them, if those voted.
    pub(crate) terms: Option<(TermSegmenter, Lexicon)>,
}

impl JoinedSimhash {
    /// The scores of two texts, each the first of its copies.
    pub(crate) fn scores(&self, pair: CandidatePair) -> Scores {
        let of = |text: u32| self.fingerprints[text as usize];
        scores(Some(of(pair.a)), Some(of(pair.b)))
    }
}

/// A text and its fingerprint.
type Fingerprinted = (u32, u64);

impl Join<'_> {
    pub(crate) fn simhash(mut self) -> Result<Joined> {
        let mut figures = std::mem::take(&mut self.figures);
        let terms = match self.options.simhash.voters {
            Voters::Shingles => None,
            Voters::Terms => Some(figures.time("count", || self.count_terms())?),
        };
        let (documents, identical, fingerprints) = match self.kept_reading() {
            Some(mut kept) => {
                let fingerprints: Vec<u64> = kept.state.column_of(kept.documents.len())?;
                (kept.documents, kept.identical, fingerprints)
            }
            None => {
                let (mut documents, fingerprints) =
                    figures.time("read", || self.read_votes(terms.as_ref()))?;
                let identical = Identical::take(&mut documents);
                let tables = (&documents, &identical);
                self.keep_reading(tables, |state| state.numbers(&fingerprints))?;
                (documents, identical, fingerprints)
            }
        };
        let texts = (0..).zip(&documents.tokens).zip(&fingerprints);
        let found = texts.filter(|((_, tokens), _)| **tokens > 0);
        let found = found.map(|((text, _), fingerprint)| (text, *fingerprint));
        let groups = Groups::new(found.collect(), &identical, self.wanted(&documents));
        let plan = BlockPlan::new(
            most_distance(self.options.threshold),
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
            terms: None,
            sentences: None,
            simhash: Some(JoinedSimhash {
                fingerprints,
                terms,
            }),
        })
    }

    /// Reads all texts: the table of documents, and the fingerprint of each text.
    fn read_votes(
        &self,
        terms: Option<&(TermSegmenter, Lexicon)>,
    ) -> Result<(Documents, Vec<u64>)> {
        let (documents, found) = match terms {
            None => self.read_shingle_votes(),
            Some((segmenter, lexicon)) => self.read_term_votes(segmenter, lexicon),
        }?;
        documents.check_keys(self.source)?;
        let mut fingerprints = vec![0; documents.len()];
        for (text, fingerprint) in found {
            fingerprints[text as usize] = fingerprint;
        }
        Ok((documents, fingerprints))
    }

    fn count_terms(&self) -> Result<(TermSegmenter, Lexicon)> {
        let options = CountOptions {
            method: Method::Terms,
            normalize: self.options.normalize.clone(),
            terms: self.options.terms.clone(),
            resources: self.options.resources.clone(),
            strict: self.options.strict,
        };
        let collections: Vec<_> = self.collections().collect();
        count_terms(&collections, &options, self.observer)
    }

    /// Reads all texts, of which the shingles vote.
    fn read_shingle_votes(&self) -> Result<(Documents, Vec<Fingerprinted>)> {
        let mut all = Vec::new();
        let documents = self.read_documents(
            || (Reading::default(), Votes::default(), Vec::new()),
            |(reading, votes, found), block, part| {
                reading.block(block, &self.preparer, self.options, |reading, number| {
                    votes.clear();
                    votes.add_all(&reading.distinct);
                    let fingerprint = votes.fingerprint();
                    found.extend(fingerprint.map(|bits| (part.base + number, bits)));
                    Ok(())
                })
            },
            |(reading, _, found)| {
                all.extend(found);
                Ok(reading.blocks)
            },
        )?;
        Ok((documents, all))
    }

    /// Reads all texts, of which the terms vote.
    fn read_term_votes(
        &self,
        segmenter: &TermSegmenter,
        lexicon: &Lexicon,
    ) -> Result<(Documents, Vec<Fingerprinted>)> {
        let mut all = Vec::new();
        let documents = self.read_documents(
            TermReading::default,
            |reading, block, part| reading.block(block, (segmenter, lexicon), self, part.base),
            |reading| {
                all.extend(reading.found);
                Ok(reading.rows)
            },
        )?;
        Ok((documents, all))
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

/// One thread's state where terms vote.
#[derive(Default)]
struct TermReading {
    scratch: Scratch,
    ranks: Vec<u32>,
    hashes: Vec<u64>,
    votes: Votes,
    rows: Vec<BlockRows>,
    found: Vec<Fingerprinted>,
}

impl TermReading {
    fn block(
        &mut self,
        block: &Block,
        (segmenter, lexicon): (&TermSegmenter, &Lexicon),
        join: &Join<'_>,
        base: u32,
    ) -> Result<()> {
        let mut rows = BlockRows::new(block);
        for index in 0..block.len() {
            match block.decode(index) {
                Ok(record) => {
                    let number = base + block.first + index as u32;
                    let counts = self.text(&record.text, segmenter, lexicon);
                    let fingerprint = self.votes.fingerprint();
                    self.found.extend(fingerprint.map(|bits| (number, bits)));
                    rows.push_text(block, index, &record, counts, join.options.rank);
                }
                Err(rejection) => rows.push_rejected(block, index, rejection, join.options)?,
            }
        }
        self.rows.push(rows);
        Ok(())
    }

    /// Lets the terms of a text vote.
    fn text(&mut self, text: &str, segmenter: &TermSegmenter, lexicon: &Lexicon) -> TextCounts {
        self.ranks.clear();
        self.hashes.clear();
        self.votes.clear();
        segmenter.terms(text, &mut self.scratch, |term| {
            if let Some(rank) = lexicon.rank(term.form) {
                self.ranks.push(rank);
                self.hashes.push(lexicon.hash(rank));
            }
        });
        TextCounts {
            tokens: self.hashes.len() as u32,
            distinct: self.votes.add_terms(lexicon, &mut self.ranks),
            identity: xxh3_128(bytemuck::cast_slice(&self.hashes)),
        }
    }
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
