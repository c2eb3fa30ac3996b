//! Which errors to look at: the strongest pairs that are wrong, and the weakest duplicates that were not found.

use std::collections::HashSet;

use super::judge::{Components, Duplicates, Judge, JudgedPair, Known};
use super::tally::Found;
use crate::batch::{JoinOptions, Joined, score_between};
use crate::document::DocId;
use crate::error::Result;
use crate::matches::Source;
use crate::progress::Observer;
use crate::report::html::PairView;
use crate::report::page;
use crate::scores::Metric;

/// Duplicates that were not found whose scores are computed, at most.
const SCORED: usize = 2000;

/// A pair that was judged wrongly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mistake {
    /// The text that stands first.
    pub a: DocId,
    /// The other.
    pub b: DocId,
    /// The score of the pair.
    pub score: f64,
    /// The line of the truth that says otherwise; 0 where none does.
    pub line: u64,
}

/// Both kinds of errors, the worst first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mistakes {
    /// Pairs that were found and are wrong, by falling score.
    pub false_positives: Vec<Mistake>,
    /// Duplicates that were not found, by rising score.
    pub false_negatives: Vec<Mistake>,
    /// Duplicates that were not found and not looked at either, because there are too many.
    pub not_scored: u64,
}

impl Mistake {
    /// The two texts side by side; `None` where one is too long to be shown.
    ///
    /// # Errors
    /// When a text cannot be read again.
    pub fn view(
        &self,
        source: &Source,
        joined: &Joined,
        metric: Metric,
    ) -> Result<Option<PairView>> {
        let documents = &joined.documents;
        if !page::is_short(documents, self.a) || !page::is_short(documents, self.b) {
            return Ok(None);
        }
        page::view(source, documents, &joined.fitted, metric, (self.a, self.b)).map(Some)
    }
}

impl Judge {
    /// The `most` worst errors of each kind.
    ///
    /// # Errors
    /// When a text cannot be read again.
    pub fn mistakes(
        &self,
        found: &Found<'_>,
        (source, joined, options): (&Source, &Joined, &JoinOptions),
        most: usize,
        observer: &dyn Observer,
    ) -> Result<Mistakes> {
        let missed = self.missed(found);
        // Spread over all of them.
        let step = missed.len().div_ceil(SCORED).max(1);
        let looked_at: Vec<&JudgedPair> = missed.iter().step_by(step).collect();
        let not_scored = (missed.len() - looked_at.len()) as u64;
        let pairs: Vec<(DocId, DocId)> = looked_at.iter().map(|pair| (pair.a, pair.b)).collect();
        let scores = score_between(source, joined, options, &pairs, observer)?;
        let mut false_negatives: Vec<Mistake> = looked_at
            .iter()
            .zip(scores)
            .map(|(pair, scores)| Mistake {
                a: pair.a,
                b: pair.b,
                score: scores.map_or(0.0, |scores| scores.score(options.matching.metric)),
                line: pair.line,
            })
            .collect();
        false_negatives.sort_by(|x, y| {
            x.score
                .total_cmp(&y.score)
                .then((x.a, x.b).cmp(&(y.a, y.b)))
        });
        false_negatives.truncate(most);
        Ok(Mistakes {
            false_positives: self.wrong(found, options.matching.metric, most),
            false_negatives,
            not_scored,
        })
    }

    /// The duplicates that were not found.
    fn missed(&self, found: &Found<'_>) -> Vec<JudgedPair> {
        let pairs = match &self.known {
            Known::Pairs(pairs) => pairs,
            Known::All(components) => match &components.duplicates {
                Duplicates::Pairs(pairs) => pairs,
                Duplicates::Clusters => return components.missed(found),
            },
        };
        let missed = pairs.iter().filter(|pair| pair.duplicate);
        missed
            .filter(|pair| !found.has(pair.a, pair.b))
            .copied()
            .collect()
    }

    /// The found pairs that are wrong, by falling score.
    fn wrong(&self, found: &Found<'_>, metric: Metric, most: usize) -> Vec<Mistake> {
        let mut wrong = match &self.known {
            Known::Pairs(pairs) => {
                let wrong = pairs.iter().filter(|pair| !pair.duplicate);
                let wrong = wrong.filter_map(|pair| {
                    Some(Mistake {
                        a: pair.a,
                        b: pair.b,
                        score: found.score(pair.a, pair.b, metric)?,
                        line: pair.line,
                    })
                });
                wrong.collect()
            }
            Known::All(components) => components.wrong(found, metric),
        };
        wrong.sort_by(|x: &Mistake, y| {
            y.score
                .total_cmp(&x.score)
                .then((x.a, x.b).cmp(&(y.a, y.b)))
        });
        wrong.truncate(most);
        wrong
    }
}

impl Components {
    /// Pairs of a true cluster that were not found; of each text those with the next few of its cluster, or the list would be all of
    /// a large one.
    fn missed(&self, found: &Found<'_>) -> Vec<JudgedPair> {
        let mut missed = Vec::new();
        for texts in &self.members(found.documents.len()) {
            for (at, &a) in texts.iter().enumerate() {
                let later = texts[at + 1..].iter().take(SIDE);
                let others = later.filter(|&&b| !found.has(DocId(a), DocId(b)));
                missed.extend(others.map(|&b| JudgedPair {
                    a: DocId(a),
                    b: DocId(b),
                    duplicate: true,
                    line: 0,
                    half: self.halves[self.of[a as usize] as usize],
                }));
            }
        }
        missed
    }

    /// The texts of each component that are judged.
    fn members(&self, texts: usize) -> Vec<Vec<u32>> {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.halves.len()];
        for text in 0..texts as u32 {
            if let Some(component) = self.judged(text, None) {
                members[component as usize].push(text);
            }
        }
        members
    }

    /// One wrong pair of each two groups of copies, and of each group.
    fn wrong(&self, found: &Found<'_>, metric: Metric) -> Vec<Mistake> {
        let named: HashSet<(DocId, DocId)> = match &self.duplicates {
            Duplicates::Pairs(pairs) => pairs.iter().map(|pair| (pair.a, pair.b)).collect(),
            Duplicates::Clusters => HashSet::new(),
        };
        let is_right = |a: u32, b: u32| match self.duplicates {
            Duplicates::Pairs(_) => named.contains(&(DocId(a.min(b)), DocId(a.max(b)))),
            Duplicates::Clusters => self.of[a as usize] == self.of[b as usize],
        };
        let matches = found.matches;
        let judged = |group: &[u32]| -> Vec<u32> {
            let texts = group.iter().copied();
            texts
                .filter(|&text| self.judged(text, None).is_some())
                .take(SIDE)
                .collect()
        };
        let mistake = |x: u32, y: u32, score: f64| Mistake {
            a: DocId(x.min(y)),
            b: DocId(x.max(y)),
            score,
            line: 0,
        };
        let mut wrong = Vec::new();
        for pair in matches.between_distinct_texts(found.documents) {
            let (a, b) = (pair.a.0, pair.b.0);
            let (xs, ys) = (
                judged(matches.identical.group(&a)),
                judged(matches.identical.group(&b)),
            );
            let mut both = xs.iter().flat_map(|&x| ys.iter().map(move |&y| (x, y)));
            let pair_of = both.find(|&(x, y)| !is_right(x, y));
            wrong.extend(pair_of.map(|(x, y)| mistake(x, y, pair.scores.score(metric))));
        }
        for first in matches.identical.firsts_of_several() {
            let texts = judged(matches.identical.group(&first));
            let mut others = texts.iter().skip(1);
            if matches.wanted.pair(first, first)
                && let Some(&other) = others.find(|&&text| !is_right(texts[0], text))
            {
                wrong.push(mistake(texts[0], other, 1.0));
            }
        }
        wrong
    }
}

/// Texts of a group of copies, or of a true cluster after each, that are looked at.
const SIDE: usize = 20;
