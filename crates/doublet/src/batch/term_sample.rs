//! Whether the complete search among terms is affordable, judged by a sample of the texts.

use hashbrown::HashMap;

use super::JoinedTerms;
use super::documents::Documents;
use super::term_store::ListOrder;
use crate::candidates::term_keys::{FeatureKeys, PrefixKeys, TermKeys, Terms};
use crate::error::Result;
use crate::options::Candidates;
use crate::terms::features::FeatureOptions;
use crate::verify::terms::{Bar, TermLists, total_weight};

/// Texts that are looked at, at most.
const SAMPLE: usize = 4096;
/// Texts among which the recall is measured: all their pairs may have to be compared.
const COMPARED: usize = 2048;
/// How many meetings of two texts cost as much as reading and segmenting a text.
const READING: f64 = 256.0;
/// How much dearer than the search by features the complete one may be.
const DEAREST: f64 = 5.0;

/// How the pairs of a run by terms are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TermSearch {
    /// The way taken.
    pub candidates: Candidates,
    /// The share of the pairs that it finds; `None` where a sample had too few to tell.
    pub recall: Option<f64>,
}

/// The sample.
pub(super) struct TermSample<'a> {
    pub(super) texts: &'a [u32],
    pub(super) documents: &'a Documents,
    pub(super) joined: &'a JoinedTerms,
    pub(super) terms: Terms<'a>,
    pub(super) features: FeatureOptions,
    pub(super) bar: Bar,
}

impl TermSample<'_> {
    /// The complete search, unless it would cost far more than the one by features.
    pub(super) fn choose(&self) -> Result<TermSearch> {
        let exact = TermSearch {
            candidates: Candidates::Exact,
            recall: Some(1.0),
        };
        if self.texts.len() <= SAMPLE {
            return Ok(exact);
        }
        let lists = self.lists(SAMPLE)?;
        let count = self.texts.len() as f64;
        let scale = (count / lists.count() as f64).powi(2);
        let cost = |keys: &[Vec<u64>]| count * READING + meetings(keys) * scale;
        let prefix = keys_of(&PrefixKeys(self.terms), &lists);
        if cost(&prefix) <= DEAREST * cost(&self.feature_keys(&lists)) {
            return Ok(exact);
        }
        Ok(TermSearch {
            candidates: Candidates::Features,
            recall: self.recall()?,
        })
    }

    /// The share of the pairs that the search by features finds, among those of a sample.
    pub(super) fn recall(&self) -> Result<Option<f64>> {
        let lists = self.lists(COMPARED)?;
        let keys = self.feature_keys(&lists);
        let lexicon = self.terms.lexicon;
        let size = |list: &[u32]| match self.terms.weighted {
            true => total_weight(lexicon, list),
            false => crate::verify::terms::distinct(list).count() as u64,
        };
        let sizes: Vec<u64> = (0..lists.count()).map(|text| size(lists.of(text))).collect();
        let (mut found, mut all) = (0u64, 0u64);
        for b in 0..lists.count() {
            for a in 0..b {
                let side = |text: u32| (lists.of(text), sizes[text as usize]);
                if self.bar.is_match(lexicon, side(a), side(b)) {
                    let [x, y] = [a, b].map(|text| &keys[text as usize]);
                    all += 1;
                    found += u64::from(x.iter().any(|key| y.binary_search(key).is_ok()));
                }
            }
        }
        Ok((all > 0).then(|| found as f64 / all as f64))
    }

    fn feature_keys(&self, lists: &TermLists) -> Vec<Vec<u64>> {
        let keys = FeatureKeys {
            terms: self.terms,
            options: self.features,
        };
        keys_of(&keys, lists)
    }

    /// The terms of some texts, evenly spread.
    fn lists(&self, most: usize) -> Result<TermLists> {
        let step = self.texts.len().div_ceil(most).max(1);
        let texts: Vec<u32> = self.texts.iter().copied().step_by(step).collect();
        let store = &self.joined.store;
        store.fetch(&texts, ListOrder::Ranks, self.documents)
    }
}

/// The sorted keys of each text.
fn keys_of<K: TermKeys>(keys: &K, lists: &TermLists) -> Vec<Vec<u64>> {
    let mut scratch = K::Scratch::default();
    let of = |text: u32| {
        let mut own = Vec::new();
        keys.keys(lists.of(text), &mut scratch, &mut own);
        own.sort_unstable();
        own.dedup();
        own
    };
    (0..lists.count()).map(of).collect()
}

/// How often two texts share a key.
fn meetings(keys: &[Vec<u64>]) -> f64 {
    let mut counts: HashMap<u64, u64> = HashMap::new();
    for key in keys.iter().flatten() {
        *counts.entry(*key).or_default() += 1;
    }
    let pairs: u64 = counts.values().map(|count| count * (count - 1) / 2).sum();
    pairs as f64
}
