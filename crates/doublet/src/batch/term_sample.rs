//! Whether the complete search among terms is affordable, judged by a sample of the texts.

use hashbrown::HashMap;

use super::term_store::{ListOrder, TermStore};
use crate::candidates::pairs::is_sampled;
use crate::error::Result;
use crate::matches::Documents;
use crate::matches::Wanted;
use crate::method::terms::Candidates;
use crate::method::terms::compare::{Bar, TermLists, distinct, total_weight};
use crate::method::terms::features::FeatureOptions;
use crate::method::terms::keys::{FeatureKeys, FeatureScratch, PrefixKeys, TermKeys, Terms};
use crate::parallel;

/// Texts that are looked at, and their terms, at most.
const SAMPLE: usize = 4096;
const SAMPLED_TERMS: u64 = 1 << 18;
/// Texts whose pairs show the recall, at least and at most, and the comparisons that this may take, about.
const LEAST_ASKED: f64 = 32.0;
const MOST_ASKED: f64 = 1024.0;
const COMPARISONS: f64 = 5e7;
/// The fewest pairs that show a recall.
const LEAST_PAIRS: u64 = 20;
/// How many meetings of two texts cost as much as reading and segmenting a text.
const READING: f64 = 256.0;
/// How much dearer than the search by features the complete one may be.
const DEAREST: f64 = 5.0;

/// How the pairs of a run by terms are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TermSearch {
    /// The way taken.
    pub candidates: Candidates,
    /// The share of the pairs that it finds; `None` where a sample had too few pairs to estimate it.
    pub recall: Option<f64>,
}

/// The sample.
pub(super) struct TermSample<'a> {
    pub(super) texts: &'a [u32],
    pub(super) documents: &'a Documents,
    pub(super) store: &'a TermStore,
    pub(super) terms: Terms<'a>,
    pub(super) features: FeatureOptions,
    pub(super) bar: Bar,
    pub(super) wanted: Wanted,
    pub(super) threads: usize,
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
        let lists = self.lists(&self.spread(self.within(SAMPLE)))?;
        if lists.count() == 0 {
            return Ok(exact);
        }
        let count = self.texts.len() as f64;
        let scale = (count / f64::from(lists.count())).powi(2);
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

    /// The share of the pairs that the search by features finds, among all pairs of the texts of a sample.
    pub(super) fn recall(&self) -> Result<Option<f64>> {
        let asked = Asked::new(self, &self.spread(self.within(self.most_asked()?)))?;
        let chunks = self.chunks();
        let counts = parallel::map(self.threads, chunks.len(), |at| {
            asked.pairs_with(self, chunks[at])
        })?;
        let (found, all) = counts
            .iter()
            .fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        Ok((all >= LEAST_PAIRS).then(|| found as f64 / all as f64))
    }

    /// All texts, as many together as have no more than [`SAMPLED_TERMS`], or one.
    fn chunks(&self) -> Vec<&[u32]> {
        let mut chunks = Vec::new();
        let (mut start, mut terms) = (0, 0);
        for (at, &text) in self.texts.iter().enumerate() {
            let own = u64::from(self.documents.tokens[text as usize]);
            if at > start && terms + own > SAMPLED_TERMS {
                chunks.push(&self.texts[start..at]);
                (start, terms) = (at, 0);
            }
            terms += own;
        }
        chunks.push(&self.texts[start..]);
        chunks
    }

    /// How many texts are compared with all others: few where a text meets very many.
    fn most_asked(&self) -> Result<usize> {
        let lists = self.lists(&self.spread(self.within(SAMPLE)))?;
        let scale = self.texts.len() as f64 / f64::from(lists.count());
        let each = 2.0 * meetings(&keys_of(&PrefixKeys(self.terms), &lists))
            / f64::from(lists.count())
            * scale;
        Ok((COMPARISONS / each.max(1.0)).clamp(LEAST_ASKED, MOST_ASKED) as usize)
    }

    fn feature_keys(&self, lists: &TermLists) -> Vec<Vec<u64>> {
        (0..lists.count())
            .map(|text| self.features_of(lists.of(text)))
            .collect()
    }

    fn features_of(&self, list: &[u32]) -> Vec<u64> {
        let keys = FeatureKeys {
            terms: self.terms,
            options: self.features,
        };
        sorted_keys(&keys, list, &mut FeatureScratch::default())
    }

    /// Up to `texts` texts, with at most [`SAMPLED_TERMS`] terms, but at least [`LEAST_ASKED`] texts.
    fn within(&self, texts: usize) -> usize {
        let terms = self.documents.total_tokens().max(1);
        let fitting = SAMPLED_TERMS * self.texts.len() as u64 / terms;
        texts.min(fitting as usize).max(LEAST_ASKED as usize)
    }

    /// About `count` of the texts.
    fn spread(&self, count: usize) -> Vec<u32> {
        let step = self.texts.len().div_ceil(count).max(1) as u32;
        let texts = self.texts.iter().copied();
        texts.filter(|&text| is_sampled(text, step)).collect()
    }

    fn lists(&self, texts: &[u32]) -> Result<TermLists> {
        self.store.fetch(texts, ListOrder::Ranks, self.documents)
    }

    /// What a text weighs, as the metric counts.
    fn size(&self, list: &[u32]) -> u64 {
        match self.terms.weighted {
            true => total_weight(self.terms.lexicon, list),
            false => distinct(list).count() as u64,
        }
    }
}

/// Texts that are compared with all others that they may match.
struct Asked {
    texts: Vec<u32>,
    lists: TermLists,
    sizes: Vec<u64>,
    features: Vec<Vec<u64>>,
    /// Those under each key of their prefixes.
    by_prefix: HashMap<u64, Vec<u32>>,
}

impl Asked {
    fn new(sample: &TermSample<'_>, texts: &[u32]) -> Result<Self> {
        let lists = sample.lists(texts)?;
        let mut by_prefix: HashMap<u64, Vec<u32>> = HashMap::new();
        for (own, keys) in (0..).zip(keys_of(&PrefixKeys(sample.terms), &lists)) {
            for key in keys {
                by_prefix.entry(key).or_default().push(own);
            }
        }
        Ok(Self {
            texts: texts.to_vec(),
            sizes: (0..lists.count())
                .map(|own| sample.size(lists.of(own)))
                .collect(),
            features: sample.feature_keys(&lists),
            by_prefix,
            lists,
        })
    }

    /// How many pairs with some texts the search by features finds, and how many there are.
    fn pairs_with(&self, sample: &TermSample<'_>, texts: &[u32]) -> Result<(u64, u64)> {
        let lists = sample.lists(texts)?;
        let prefixes = keys_of(&PrefixKeys(sample.terms), &lists);
        let (mut found, mut all) = (0, 0);
        let mut met: Vec<u32> = Vec::new();
        for (other, keys) in (0..).zip(&prefixes) {
            met.clear();
            met.extend(
                keys.iter()
                    .filter_map(|key| self.by_prefix.get(key))
                    .flatten(),
            );
            met.sort_unstable();
            met.dedup();
            let (text, list) = (texts[other as usize], lists.of(other));
            let side = (list, sample.size(list));
            let mut features = None;
            for &own in &met {
                let asked = (self.lists.of(own), self.sizes[own as usize]);
                let asked_for = self.texts[own as usize];
                let (first, second) = (asked_for.min(text), asked_for.max(text));
                let is_wanted = first < second && sample.wanted.pair(first, second);
                if is_wanted && sample.bar.is_match(sample.terms.lexicon, asked, side) {
                    let features = features.get_or_insert_with(|| sample.features_of(list));
                    let shares = |key: &u64| features.binary_search(key).is_ok();
                    all += 1;
                    found += u64::from(self.features[own as usize].iter().any(shares));
                }
            }
        }
        Ok((found, all))
    }
}

/// The sorted keys of each text.
fn keys_of<K: TermKeys>(keys: &K, lists: &TermLists) -> Vec<Vec<u64>> {
    let mut scratch = K::Scratch::default();
    let of = |text: u32| sorted_keys(keys, lists.of(text), &mut scratch);
    (0..lists.count()).map(of).collect()
}

fn sorted_keys<K: TermKeys>(keys: &K, list: &[u32], scratch: &mut K::Scratch) -> Vec<u64> {
    let mut own = Vec::new();
    keys.keys(list, scratch, &mut own);
    own.sort_unstable();
    own.dedup();
    own
}

/// How often two texts share a key.
fn meetings(keys: &[Vec<u64>]) -> f64 {
    let mut all = keys.concat();
    all.sort_unstable();
    let counts = all.chunk_by(|x, y| x == y).map(|same| same.len() as u64);
    counts.map(|count| count * (count - 1) / 2).sum::<u64>() as f64
}
