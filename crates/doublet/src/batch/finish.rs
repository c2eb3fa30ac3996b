//! The end of a join, the same for all plans that find candidates by lists: candidates, their verification, and matches.

use std::sync::atomic::Ordering;

use super::checkpoint::{Kept, Stage};
use super::verify::Verifier;
use super::{Figures, Held, Join, Joined};
use crate::candidates::pairs::{Limits, Round};
use crate::error::{Error, Result};
use crate::matches::Documents;
use crate::matches::{CandidatePair, Identical, Matches, Verified};
use crate::method::Fitted;
use crate::progress::{self, Unit};
use crate::union_find::UnionFind;

/// What a candidate takes while it is verified.
const BYTES_A_CANDIDATE: u64 = 24;
/// Candidates that are verified together on the least memory: of fewer, the same texts would be read again and again.
const LEAST_BATCH: usize = 1 << 18;

/// How candidates are found in what was read.
pub(super) trait Search {
    /// The most times that two texts can share a key.
    fn expected(&self) -> u64;

    /// The candidates of a round.
    fn candidates(
        &self,
        join: &Join<'_>,
        round: Round<'_>,
        limits: &Limits<'_>,
    ) -> Result<Vec<CandidatePair>>;

    /// How many times two texts of a round share a key.
    fn pushes(&self, round: Round<'_>, limits: &Limits<'_>) -> Result<u64>;

    /// Whether the complete search took its place.
    fn gave_way(&self) -> bool {
        false
    }
}

/// What is found so far of a join whose texts are read.
pub(super) struct Found {
    pub(super) documents: Documents,
    pub(super) identical: Identical,
    /// What compares the texts.
    pub(super) fitted: Fitted,
    pub(super) figures: Figures,
    pub(super) verified: Vec<Verified>,
}

impl Join<'_> {
    /// Finds and verifies candidates, and ends the join.
    pub(super) fn finish(
        mut self,
        (documents, identical): (Documents, Identical),
        fitted: Fitted,
        search: &dyn Search,
    ) -> Result<Joined> {
        let mut found = Found {
            documents,
            identical,
            fitted,
            figures: std::mem::take(&mut self.figures),
            verified: Vec::new(),
        };
        self.check_count(found.count_of_copies(&self))?;
        let expected = search.expected();
        let mut sets = None;
        found.figures.spanning = self.options.spanning.is_some_and(|most| expected > most);
        if found.figures.spanning {
            let pairs = self.propose(Round::Neighbours, &mut found.figures, search)?;
            self.verify(&pairs, &mut found)?;
            sets = Some(found.sets());
        } else if expected > self.options.many
            && let Some(sink) = self.sink.take()
        {
            return self.stream(found, search, sink);
        }
        let round = Round::All(sets.as_deref());
        let pairs = self.propose(round, &mut found.figures, search)?;
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
    pub(super) fn finish_kept(self, kept: Kept, fitted: Fitted) -> Result<Joined> {
        let Kept {
            tables,
            figures,
            mut state,
            stage,
        } = kept;
        let texts = tables.documents.len();
        let found = Found {
            documents: tables.documents,
            identical: tables.identical,
            fitted,
            figures,
            verified: state.verified(texts)?,
        };
        match stage {
            Stage::Matches => Ok(self.joined(found)),
            _ => {
                let pairs = state.pairs(texts)?;
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

    pub(super) fn joined(&self, found: Found) -> Joined {
        let wanted = self.wanted(&found.documents);
        Joined {
            matches: Matches::new(found.identical, found.verified, wanted),
            documents: found.documents,
            figures: found.figures,
            fitted: found.fitted,
            held: Held::Nothing,
            repeats: None,
        }
    }

    /// The candidates of a round.
    pub(super) fn propose(
        &self,
        round: Round<'_>,
        figures: &mut Figures,
        search: &dyn Search,
    ) -> Result<Vec<CandidatePair>> {
        let found = figures.time("candidates", || {
            self.with_limits("finding candidates", |limits| {
                search.candidates(self, round, limits)
            })
        })?;
        figures.candidates += found.len() as u64;
        figures.added_up = self.added_up.load(Ordering::Relaxed);
        if let Some(sketches) = &mut figures.sketches {
            sketches.complete = search.gave_way();
        }
        Ok(found)
    }

    /// Ends the run if so many pairs are too many.
    pub(super) fn check_count(&self, pairs: u64) -> Result<()> {
        match self.options.most_pairs {
            Some(most) if pairs > most => Err(Error::TooManyPairs(most)),
            _ => Ok(()),
        }
    }

    /// Adds those candidates that are matches to what is found.
    pub(super) fn verify(&self, pairs: &[CandidatePair], found: &mut Found) -> Result<()> {
        found.figures.verifications += pairs.len() as u64;
        let verifier = Verifier {
            source: self.source,
            documents: &found.documents,
            fitted: &found.fitted,
            threads: self.options.resources.threads,
            observer: self.observer,
        };
        let total = pairs.len() as u64;
        let unit = Unit::Count("candidates");
        progress::begin(self.observer, "verifying", Some(total), unit)?;
        let decision = self.options.decision();
        let most = self.working_memory() / 8 / BYTES_A_CANDIDATE;
        for batch in pairs.chunks((most as usize).max(LEAST_BATCH)) {
            let matches = || verifier.matches(batch, &decision);
            found
                .verified
                .extend(found.figures.time("verify", matches)?);
            if found.verified.len() as u64 > self.most_matches() {
                return Err(self.too_many(self.most_matches()));
            }
        }
        Ok(())
    }
}

impl Found {
    /// Pairs of copies that are asked for.
    pub(super) fn count_of_copies(&self, join: &Join<'_>) -> u64 {
        match join.options.across_only {
            true => 0,
            false => self.identical.pairs(self.documents.references()),
        }
    }

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
