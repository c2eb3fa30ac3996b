//! Terms: documents that share a heavy enough term are compared by all their terms.

use hashbrown::HashSet;

use super::super::Index;
use super::passages::{Cut, Units, Words};
use super::{Answer, CheckOptions, CheckScratch};
use crate::error::Result;
use crate::hash::hash_bytes;
use crate::method::Explanation;
use crate::method::terms::compare::{compare, total_weight};
use crate::method::terms::{
    Language, Lexicon, Scratch, TermOptions, TermSegmenter, explain_terms, learn_terms_of,
    rank_terms_of,
};
use crate::options::NormalizeOptions;
use crate::scores::{Metric, Scores};
use crate::threshold::Threshold;

/// Texts that are looked at together.
const TOGETHER: usize = 1024;
/// Bytes of a text beside which a far shorter one is not laid before a quick look.
const LONG: usize = if cfg!(test) { 64 } else { 1 << 20 };

/// What cuts texts into terms, and what those weigh.
#[derive(Debug)]
pub(crate) struct TermTexts {
    segmenter: TermSegmenter,
    options: TermOptions,
}

impl TermTexts {
    /// Terms of texts that are in `fallback` where they do not tell.
    pub(crate) fn new(
        normalize: &NormalizeOptions,
        options: TermOptions,
        fallback: Language,
    ) -> Self {
        let segmenter = TermSegmenter::with_fallback(normalize, &options, fallback);
        Self { segmenter, options }
    }

    /// The hashes of the terms of a text, in order.
    pub(crate) fn hashes(&self, text: &str, scratch: &mut Scratch, hashes: &mut Vec<u64>) {
        hashes.clear();
        self.segmenter.terms(text, scratch, |term| {
            hashes.push(hash_bytes(term.form.as_bytes()))
        });
    }

    /// How terms are made and weighed, with the table of the index.
    pub(crate) fn options(&self) -> &TermOptions {
        &self.options
    }

    /// Two texts side by side.
    pub(crate) fn explain(&self, a: &str, b: &str) -> Result<Explanation> {
        Ok(explain_terms(
            &self.segmenter,
            &self.lexicon(&[a, b])?,
            a,
            b,
        ))
    }

    fn lexicon(&self, texts: &[&str]) -> Result<Lexicon> {
        learn_terms_of(&self.segmenter, texts, &self.options)
    }
}

impl Cut for TermTexts {
    fn units(&self, text: &str) -> Units {
        let mut units = Units {
            keys: Vec::new(),
            words: Vec::new(),
            size: 1,
        };
        self.segmenter.terms(text, &mut Scratch::default(), |term| {
            units.keys.push(hash_bytes(term.form.as_bytes()));
            units.words.push((term.start as u32, term.end as u32));
        });
        units
    }

    fn words(&self, text: &str) -> Words {
        let mut words = Words::default();
        self.segmenter.terms(text, &mut Scratch::default(), |term| {
            words.push((term.start as u32, term.end as u32));
        });
        words
    }
}

impl Index {
    pub(super) fn check_terms(
        &self,
        terms: &TermTexts,
        text: &str,
        options: &CheckOptions,
        scratch: &mut CheckScratch,
    ) -> Result<Answer> {
        let (lexicon, ranks) = rank_terms_of(&terms.segmenter, &[text], &terms.options)?;
        let candidates = self.sharing_terms(&lexicon, options.threshold, scratch)?;
        let metric = self.options.matching.metric;
        let asked = Asked {
            terms,
            text,
            total: terms.total_of(&lexicon, metric),
            metric,
            threshold: options.threshold,
        };
        let same = || identical_scores(&lexicon, ranks[0].len());
        let mut found = self.score_sources(
            text,
            (&candidates, TOGETHER),
            &mut scratch.texts,
            same,
            |others| asked.score(others),
        )?;
        let decision = options.decision(&self.options);
        found.retain(|(_, scores)| decision.is_match(scores));
        self.answer(text, found, options, scratch, terms)
    }

    /// Documents that share one of the rarest terms of the text whose lexicon this is, in order. A term that the table does not know
    /// may weigh something else beside another text that has it, so all of these are looked up. What a copy shares weighs the
    /// threshold's share of the text at least; so it shares one of any terms without which the others weigh less.
    fn sharing_terms(
        &self,
        lexicon: &Lexicon,
        threshold: Threshold,
        scratch: &mut CheckScratch,
    ) -> Result<Vec<u64>> {
        let by_weight = self.options.matching.metric == Metric::Degree;
        let mut order = Vec::with_capacity(lexicon.len());
        // What the terms weigh that are looked up last, and what all weigh at least.
        let (mut rest, mut total) = (0u64, 0u64);
        for rank in 0..lexicon.len() as u32 {
            let weight = if by_weight { lexicon.weight(rank) } else { 1 };
            let hash = lexicon.hash(rank);
            let count = self.find(u128::from(hash), &mut scratch.ranges)?;
            let is_settled = !by_weight || lexicon.is_known(rank) || count == 0;
            if is_settled {
                rest = rest.saturating_add(weight);
                total = total.saturating_add(weight);
            }
            order.push((is_settled, count, hash, weight));
        }
        order.sort_unstable();
        let needed = threshold.least(total);
        let mut sources = Vec::new();
        for (is_settled, _, hash, weight) in order {
            if is_settled && rest < needed {
                break;
            }
            self.find(u128::from(hash), &mut scratch.ranges)?;
            self.for_each_live(&scratch.ranges, |source, _| {
                sources.push(source);
                true
            })?;
            if is_settled {
                rest = rest.saturating_sub(weight);
            }
        }
        sources.sort_unstable();
        sources.dedup();
        Ok(sources)
    }
}

/// A text that is compared with others.
struct Asked<'a> {
    terms: &'a TermTexts,
    text: &'a str,
    total: Option<Total>,
    metric: Metric,
    threshold: Threshold,
}

/// What the distinct terms of a text weigh together, at least and at most.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    least: u64,
    most: u64,
}

impl Asked<'_> {
    /// The scores with others; nothing in common with those that cannot reach the threshold.
    fn score(&self, others: &[String]) -> Result<Vec<Scores>> {
        let Self { terms, text, .. } = *self;
        let mut scores = vec![Scores::default(); others.len()];
        let can_match = |place: &usize| self.can_match(&others[*place]);
        let places: Vec<usize> = (0..others.len()).filter(can_match).collect();
        if places.is_empty() {
            return Ok(scores);
        }
        let likely = places.iter().map(|&place| others[place].as_str());
        let texts: Vec<&str> = std::iter::once(text).chain(likely).collect();
        let (lexicon, lists) = rank_terms_of(&terms.segmenter, &texts, &terms.options)?;
        let compared = match lexicon.is_settled() {
            true => compare_with_first(&lexicon, &lists),
            // Two texts weigh the same whatever others are compared as well.
            false => {
                let others = texts[1..].iter();
                let pair = |other: &&str| {
                    let pair = rank_terms_of(&terms.segmenter, &[text, other], &terms.options)?;
                    Ok(compare_with_first(&pair.0, &pair.1))
                };
                others.map(pair).collect::<Result<Vec<_>>>()?.concat()
            }
        };
        for (place, found) in places.into_iter().zip(compared) {
            scores[place] = found;
        }
        Ok(scores)
    }

    /// Whether another text can reach the threshold, by a quick look at texts of very different length: the union weighs as much
    /// as the heavier one, and the lighter one bounds what they share.
    fn can_match(&self, other: &str) -> bool {
        let (short, long) = match self.text.len() < other.len() {
            true => (self.text.len(), other.len()),
            false => (other.len(), self.text.len()),
        };
        let Some(own) = self.total.filter(|_| long > LONG && long / 8 > short) else {
            return true;
        };
        let too_much = |theirs: &Total| !self.threshold.reached(own.most, theirs.least);
        let theirs = self.terms.total(other, self.metric, too_much);
        theirs.is_none_or(|theirs| {
            !too_much(&theirs) && self.threshold.reached(theirs.most, own.least)
        })
    }
}

/// The scores of the first of some texts with each of the others.
fn compare_with_first(lexicon: &Lexicon, texts: &[Vec<u32>]) -> Vec<Scores> {
    let weighed = |ranks: &Vec<u32>| total_weight(lexicon, ranks);
    let Some((first, others)) = texts.split_first() else {
        return Vec::new();
    };
    let own = (first.as_slice(), weighed(first));
    let others = others.iter();
    others
        .map(|other| compare(lexicon, own, (other, weighed(other))))
        .collect()
}

impl Total {
    /// Adds a term, given what a character weighs.
    fn add(&mut self, form: &str, (least, most): (u64, u64), metric: Metric) {
        let length = match metric {
            Metric::Degree => form.chars().count() as u64,
            _ => 1,
        };
        self.least = self.least.saturating_add(least.saturating_mul(length));
        self.most = self.most.saturating_add(most.saturating_mul(length));
    }
}

impl TermTexts {
    /// What a term weighs for each of its characters at least and at most; where all terms count the same, what a term does.
    fn extremes(&self, metric: Metric) -> Option<(u64, u64)> {
        match metric {
            Metric::Degree => self.options.weights.extremes(),
            _ => Some((1, 1)),
        }
    }

    /// What the terms of a lexicon weigh; nothing if nothing can be said beforehand.
    fn total_of(&self, lexicon: &Lexicon, metric: Metric) -> Option<Total> {
        let extremes = self.extremes(metric)?;
        let mut total = Total::default();
        for rank in 0..lexicon.len() as u32 {
            total.add(lexicon.form(rank), extremes, metric);
        }
        Some(total)
    }

    /// The same for a text, until it is `enough`.
    fn total(&self, text: &str, metric: Metric, enough: impl Fn(&Total) -> bool) -> Option<Total> {
        let extremes = self.extremes(metric)?;
        let (mut total, mut seen) = (Total::default(), HashSet::new());
        let mut scratch = Scratch::default();
        for part in TermSegmenter::parts(text) {
            self.segmenter.terms(part, &mut scratch, |term| {
                if seen.insert(hash_bytes(term.form.as_bytes())) {
                    total.add(term.form, extremes, metric);
                }
            });
            if enough(&total) {
                break;
            }
        }
        Some(total)
    }
}

/// The scores of a text of so many terms, whose lexicon this is, with a copy of itself.
fn identical_scores(lexicon: &Lexicon, terms: usize) -> Scores {
    let distinct = lexicon.len() as u32;
    let weights = (0..distinct).map(|rank| lexicon.weight(rank));
    Scores::identical(distinct, terms as u32, weights.fold(0, u64::saturating_add))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::method::terms::weights::Weighting;

    proptest! {
        #[test]
        fn only_texts_that_cannot_match_are_passed_over(
            words in prop::collection::vec("[a-d]{1,6}|漢字|10%|@me", 0..12),
            more in "([a-f]{1,7} |漢字|è ){0,60}",
            threshold in 1u32..=100,
            by_terms: bool,
            log: bool,
        ) {
            let mut options = TermOptions::default();
            if log {
                options.weights.weighting = Weighting::Log;
            }
            let terms = TermTexts::new(&NormalizeOptions::default(), options, Language::from_code("en").unwrap());
            let metric = if by_terms { Metric::Resemblance } else { Metric::Degree };
            let threshold = Threshold::new(f64::from(threshold) / 100.0).unwrap();
            let text = words.join(" ");
            for (text, other) in [(&text, &more), (&more, &text)] {
                let asked = Asked {
                    terms: &terms,
                    text,
                    total: terms.total_of(&terms.lexicon(&[text]).unwrap(), metric),
                    metric,
                    threshold,
                };
                let lexicon = terms.lexicon(&[text, other]).unwrap();
                let scores = explain_terms(&terms.segmenter, &lexicon, text, other).scores;
                prop_assert!(asked.can_match(other) || !scores.reaches(metric, threshold));
                let found = asked.score(std::slice::from_ref(other)).unwrap();
                prop_assert!(found == [scores] || !asked.can_match(other));
            }
        }
    }

    #[test]
    fn a_text_of_many_words_is_passed_over() {
        let (normalize, options) = (NormalizeOptions::default(), TermOptions::default());
        let terms = TermTexts::new(&normalize, options, Language::from_code("en").unwrap());
        let metric = Metric::Degree;
        let text = "a short message about ducks";
        let asked = Asked {
            terms: &terms,
            text,
            total: terms.total_of(&terms.lexicon(&[text]).unwrap(), metric),
            metric,
            threshold: Threshold::new(0.9).unwrap(),
        };
        let long: Vec<String> = (0..1000).map(|number| format!("word{number}")).collect();
        assert!(!asked.can_match(&long.join(" ")));
        assert!(asked.can_match(&"a short message about ducks ".repeat(50)));
    }
}
