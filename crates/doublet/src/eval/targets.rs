//! Copied texts: which texts were found to be copies, held against which are.

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use serde::Serialize;

use super::bootstrap::{self, COLUMNS, Measure, Numbers};
use super::judge::{Facts, Half, Unlabelled};
use super::measures::{FIRST_SOURCE, FOUND, HITS, Quality, SIZE, TRUE, quality};
use super::truth::{Labels, Target, Truth};
use crate::error::{Error, Result, clip};

/// What was said of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedTarget {
    /// Its id, as a person writes it.
    pub id: String,
    /// Whether it is a copy.
    pub duplicate: bool,
    /// How much of it stands in some source.
    pub share: f64,
    /// The source that has most of it.
    pub source: Option<String>,
}

/// How well copies were told from other texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DocumentQuality {
    /// Of the texts.
    #[serde(flatten)]
    pub texts: Quality,
    /// Of the copies that were found, the share whose first source is one that they were copied from.
    pub first_source: Measure,
}

/// Copied texts, ready to judge by.
#[derive(Debug)]
pub struct TargetJudge<'a> {
    truth: &'a Truth,
    targets: &'a [Target],
    /// The targets by their ids.
    by_id: HashMap<&'a str, usize>,
    halves: Vec<Half>,
    unlabelled: Unlabelled,
    seed: u64,
}

impl<'a> TargetJudge<'a> {
    /// Takes a truth of targets. Texts that it does not name are ignored, or are no copies; by default the former, unless it names
    /// copies alone.
    ///
    /// # Errors
    /// When the truth tells of something else, or of no copy.
    pub fn new(truth: &'a Truth, unlabelled: Option<Unlabelled>, seed: u64) -> Result<Self> {
        let bad = |reason: &str| Error::BadFile {
            path: truth.path.clone(),
            reason: reason.to_owned(),
        };
        let Labels::Targets(targets) = &truth.labels else {
            return Err(bad("it tells of pairs, not of texts and their sources"));
        };
        let copies = targets.iter().filter(|target| target.duplicate).count();
        if copies == 0 {
            return Err(bad("it knows no copy, so there is no recall to measure"));
        }
        let by_default = match copies == targets.len() {
            true => Unlabelled::Different,
            false => Unlabelled::Ignore,
        };
        let id = |target: &Target| truth.ids[target.id as usize].text.as_str();
        let key = |target: &Target| {
            let hash = xxh3_64_with_seed(id(target).as_bytes(), seed);
            (target.duplicate, hash)
        };
        let mut order: Vec<((bool, u64), usize)> = targets.iter().map(key).zip(0..).collect();
        order.sort_unstable();
        let mut halves = vec![Half::Chosen; targets.len()];
        for (at, (_, target)) in order.into_iter().enumerate() {
            halves[target] = Half::alternating(at);
        }
        Ok(Self {
            truth,
            targets,
            by_id: targets.iter().map(id).zip(0..).collect(),
            halves,
            unlabelled: unlabelled.unwrap_or(by_default),
            seed,
        })
    }

    /// Figures of the truth, held against what was checked.
    ///
    /// # Errors
    /// When no copy of the truth was checked, or, if `strict` is set, when some text was not.
    pub fn facts(&self, checked: &[CheckedTarget], strict: bool) -> Result<Facts> {
        let mut seen = vec![false; self.targets.len()];
        for text in checked {
            if let Some(&target) = self.by_id.get(text.id.as_str()) {
                seen[target] = true;
            }
        }
        let count = |duplicate: bool| {
            let targets = self.targets.iter().zip(&seen);
            let targets = targets.filter(|(target, seen)| **seen && target.duplicate == duplicate);
            targets.count() as u64
        };
        let unknown = self.targets.iter().zip(&seen).filter(|(_, seen)| !**seen);
        let first = unknown
            .clone()
            .next()
            .map(|(target, _)| (self.truth.ids[target.id as usize].text.clone(), target.line));
        let facts = Facts {
            kind: self.truth.kind(),
            rows: self.targets.len() as u64,
            repeated: self.truth.repeated,
            unknown: unknown.count() as u64,
            first_unknown: first,
            documents: checked.len() as u64,
            duplicates: count(true),
            different: (self.unlabelled == Unlabelled::Ignore).then(|| count(false)),
            ..Facts::default()
        };
        let bad = |reason: String| Error::BadFile {
            path: self.truth.path.clone(),
            reason,
        };
        if let Some((id, line)) = &facts.first_unknown {
            let id = clip(id);
            if strict {
                return Err(bad(format!(
                    "line {line}: no record has the id `{id}` (`--strict` stops at the first)"
                )));
            }
            if facts.duplicates == 0 {
                return Err(bad(format!(
                    "no copy of it is a text of the input (line {line} has `{id}`): are ids in another field (`--id-field`), or is it the truth of another collection?"
                )));
            }
        }
        Ok(facts)
    }

    /// Measures what was said, by all of the truth or by one half of it.
    pub fn measure(&self, checked: &[CheckedTarget], half: Option<Half>) -> DocumentQuality {
        let units: Vec<Numbers> = checked
            .iter()
            .filter_map(|text| self.unit(text, half))
            .collect();
        let labelled_only = true;
        let first_source: fn(&Numbers) -> Option<f64> =
            |sums| (sums[HITS] > 0.0).then(|| sums[FIRST_SOURCE] / sums[HITS]);
        let [first_source] = bootstrap::measures(&units, self.seed, [first_source]);
        let knows_sources = self.targets.iter().any(|target| !target.sources.is_empty());
        DocumentQuality {
            texts: quality(&units, self.seed, labelled_only),
            first_source: if knows_sources {
                first_source
            } else {
                Measure::default()
            },
        }
    }

    /// Whether the truth holds a text for a copy; `None` where it does not judge it.
    pub fn is_copy(&self, id: &str) -> Option<bool> {
        match (self.by_id.get(id), self.unlabelled) {
            (Some(&target), _) => Some(self.targets[target].duplicate),
            (None, Unlabelled::Different) => Some(false),
            (None, Unlabelled::Ignore) => None,
        }
    }

    fn unit(&self, text: &CheckedTarget, half: Option<Half>) -> Option<Numbers> {
        let target = self.by_id.get(text.id.as_str());
        let duplicate = self.is_copy(&text.id)?;
        let own = match target {
            Some(&target) => self.halves[target],
            None => Half::alternating(xxh3_64_with_seed(text.id.as_bytes(), self.seed) as usize),
        };
        if half.is_some_and(|half| half != own) {
            return None;
        }
        let number = |truth: bool| f64::from(u8::from(truth));
        let is_source = |name: &String| {
            let sources = target.map(|&target| self.targets[target].sources.iter());
            let mut names = sources.into_iter().flatten();
            names.any(|&source| self.truth.ids[source as usize].text == *name)
        };
        let hit = duplicate && text.duplicate;
        let mut unit = [0.0; COLUMNS];
        unit[FOUND] = 2.0 * number(text.duplicate);
        unit[HITS] = number(hit);
        unit[TRUE] = number(duplicate);
        unit[SIZE] = number(!duplicate);
        unit[FIRST_SOURCE] = number(hit && text.source.as_ref().is_some_and(is_source));
        Some(unit)
    }
}
