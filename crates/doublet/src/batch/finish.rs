//! The end of a join, the same for all plans that find candidates by lists: candidates, their verification, and matches.

use std::sync::atomic::Ordering;

use super::checkpoint::{Kept, Stage};
use super::documents::Documents;
use super::matches::{Identical, Matches, Verified};
use super::verify::Verifier;
use super::{Figures, Join, Joined};
use crate::candidates::CandidatePair;
use crate::candidates::pairs::{Limits, Round};
use crate::cluster::UnionFind;
use crate::error::Result;
use crate::progress::Unit;

/// What a candidate takes while it is verified.
const BYTES_A_CANDIDATE: u64 = 24;
/// Candidates that are verified together on the least memory: of fewer, the same texts would be read again and again.
const LEAST_BATCH: usize = 1 << 18;

/// Finds the candidates of a round.
type FindCandidates<'a> = &'a dyn Fn(Round<'_>, &Limits<'_>) -> Result<Vec<CandidatePair>>;

/// What is found so far of a join whose texts are read.
struct Found {
    documents: Documents,
    identical: Identical,
    figures: Figures,
    verified: Vec<Verified>,
}

impl Join<'_> {
    /// Finds and verifies candidates, and ends the join. `expected` is the most pairs that the candidates of a round are
    /// counted from.
    pub(super) fn finish(
        mut self,
        documents: Documents,
        identical: Identical,
        expected: u64,
        candidates: FindCandidates<'_>,
    ) -> Result<Joined> {
        let mut found = Found {
            documents,
            identical,
            figures: std::mem::take(&mut self.figures),
            verified: Vec::new(),
        };
        let mut sets = None;
        found.figures.spanning = self.options.spanning.is_some_and(|most| expected > most);
        if found.figures.spanning {
            let pairs = self.propose(Round::Neighbours, &mut found.figures, candidates)?;
            self.verify(&pairs, &mut found)?;
            sets = Some(found.sets());
        }
        let round = Round::All(sets.as_deref());
        let pairs = self.propose(round, &mut found.figures, candidates)?;
        drop(sets);
        self.keep(
            Stage::Candidates,
            &found.figures,
            (&found.documents, &found.identical),
            |state| {
                state.verified(&found.verified)?;
                state.pairs(&pairs)
            },
        )?;
        self.verify_last(pairs, found)
    }

    /// Ends a join that was interrupted when its candidates had been found.
    pub(super) fn finish_kept(self, mut kept: Kept) -> Result<Joined> {
        let texts = kept.documents.len();
        let found = Found {
            identical: kept.identical,
            verified: kept.state.verified(texts)?,
            documents: kept.documents,
            figures: kept.figures,
        };
        match kept.stage {
            Stage::Matches => Ok(self.joined(found)),
            _ => {
                let pairs = kept.state.pairs(texts)?;
                self.verify_last(pairs, found)
            }
        }
    }

    /// Verifies the candidates of the last round, and ends the join.
    fn verify_last(mut self, pairs: Vec<CandidatePair>, mut found: Found) -> Result<Joined> {
        self.verify(&pairs, &mut found)?;
        drop(pairs);
        let tables = (&found.documents, &found.identical);
        self.keep(Stage::Matches, &found.figures, tables, |state| {
            state.verified(&found.verified)
        })?;
        Ok(self.joined(found))
    }

    fn joined(&self, found: Found) -> Joined {
        let wanted = self.wanted(&found.documents);
        Joined {
            matches: Matches::new(found.identical, found.verified, wanted),
            documents: found.documents,
            figures: found.figures,
            terms: None,
            sentences: None,
            simhash: None,
        }
    }

    /// The candidates of a round.
    fn propose(
        &self,
        round: Round<'_>,
        figures: &mut Figures,
        candidates: FindCandidates<'_>,
    ) -> Result<Vec<CandidatePair>> {
        let found = figures.time("candidates", || {
            self.with_limits("finding candidates", |limits| candidates(round, limits))
        })?;
        figures.candidates += found.len() as u64;
        figures.added_up = self.added_up.load(Ordering::Relaxed);
        Ok(found)
    }

    /// Adds those candidates that are matches to what is found.
    fn verify(&self, pairs: &[CandidatePair], found: &mut Found) -> Result<()> {
        found.figures.verifications += pairs.len() as u64;
        let verifier = Verifier {
            source: self.source,
            documents: &found.documents,
            preparer: &self.preparer,
            threads: self.options.resources.threads,
            observer: self.observer,
            sketcher: self.options.sketcher(),
        };
        let total = pairs.len() as u64;
        self.observer
            .stage("verifying", Some(total), Unit::Count("candidates"));
        let (metric, threshold) = (self.options.metric, self.options.threshold);
        let most = self.options.resources.memory / 8 / BYTES_A_CANDIDATE;
        for batch in pairs.chunks((most as usize).max(LEAST_BATCH)) {
            let matches = || verifier.matches(batch, metric, threshold);
            found
                .verified
                .extend(found.figures.time("verify", matches)?);
        }
        Ok(())
    }
}

impl Found {
    /// The set of each text, by what its matches connect.
    fn sets(&self) -> Vec<u32> {
        let mut union = UnionFind::new(self.documents.len());
        for pair in &self.verified {
            union.union(pair.a, pair.b);
        }
        (0..self.documents.len() as u32)
            .map(|text| union.find(text))
            .collect()
    }
}
