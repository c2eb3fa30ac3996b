//! The second reading: which texts are like the sampled ones, and how like.
//!
//! A pair of texts is seen when one of them is sampled and the other is read, so that every pair has the same chance, whatever
//! its score: a sample of texts compared among themselves would hardly have any pair. Every sampled text is compared with every
//! text that is read, by way of a list of the sampled texts that have a feature; nothing is missed.

use hashbrown::HashMap;

use super::copies::CopyCounter;
use super::features::{Featurer, Features};
use super::histogram::{BINS, bin_of};
use super::reading::{base_preparer, identity};
use super::sample::Sampled;
use crate::batch::scan::{self, Extent};
use crate::error::Result;
use crate::method::shingles::{Prepared, Preparer};
use crate::progress::{self, Observer, Unit};
use crate::read::{Block, Collection, SourceFile};

/// What one text that is read counts for, divided among its copies.
const WHOLE: u64 = 1 << 20;
/// Bytes that are read at most, about.
const MOST_BYTES: u64 = 256 << 20;
/// The same where texts are cut into terms, which takes longer.
const MOST_BYTES_OF_TERMS: u64 = 32 << 20;
/// Features of sampled texts at most.
const MOST_FEATURES: usize = 6_000_000;
/// Steps of comparing at most, about.
const MOST_STEPS: f64 = 1e9;
/// Sampled texts that are compared at least.
const LEAST_TEXTS: usize = 64;
/// Features that more than this share of the sampled texts have are common …
const COMMON_SHARE: f64 = 0.05;
/// … if they are more than this many.
const COMMON_TEXTS: usize = 20;
/// Pairs below this resemblance may be copies in part.
const APART: f64 = 0.5;
/// A text whose shingles another has to this share lies within it.
const WITHIN: f64 = 0.7;
/// Shingles that make a passage of three sentences or so …
const PASSAGE: u64 = 50;
/// … if they are this share of the shorter text.
const PASSAGE_SHARE: f64 = 0.1;
/// Shingles that say that texts did not meet by chance.
const NOT_BY_CHANCE: u64 = 10;

/// What the second reading found.
#[derive(Debug, Default)]
pub(super) struct Partners {
    /// Sampled texts that were compared.
    pub(super) sampled: u64,
    /// Different texts that they were compared with.
    pub(super) compared: f64,
    /// Pairs seen by score; `WHOLE` each.
    seen: Vec<u64>,
    /// The best score of each sampled text.
    pub(super) best: Vec<f64>,
    /// Sampled texts that lie for the most part within a text that is much longer, or the other way round.
    pub(super) within: u64,
    /// Sampled texts that share a passage with a text that is otherwise another.
    pub(super) passages: u64,
    /// Share of the sampled texts' words in what many of them have.
    pub(super) common_share: f64,
}

impl Partners {
    /// Pairs that were seen, by score.
    pub(super) fn seen(&self) -> Vec<f64> {
        self.seen
            .iter()
            .map(|seen| *seen as f64 / WHOLE as f64)
            .collect()
    }

    /// Pairs by score, reckoned for so many different texts.
    pub(super) fn pairs(&self, distinct: f64) -> Vec<f64> {
        let chance = 2.0 * self.sampled as f64 * self.compared / (distinct * distinct).max(1.0);
        let each = WHOLE as f64 * chance.max(f64::MIN_POSITIVE);
        self.seen.iter().map(|seen| *seen as f64 / each).collect()
    }
}

/// Compares sampled texts with those of the collection.
pub(super) fn find_partners(
    collection: &Collection,
    sampled: &[Sampled],
    texts: &[String],
    featurer: &Featurer,
    wordings: &CopyCounter,
    threads: usize,
    observer: &dyn Observer,
) -> Result<Partners> {
    let files = collection.files().iter();
    let bytes: u64 = files.map(SourceFile::expected_bytes).sum();
    let most = match featurer {
        Featurer::Shingles { .. } => MOST_BYTES,
        Featurer::Terms { .. } => MOST_BYTES_OF_TERMS,
    };
    let every = bytes.div_ceil(most).max(1);
    let read = wordings.distinct() / every as f64;
    let index = Index::new(sampled, texts, featurer, read);
    let total = collection.total_bytes().map(|bytes| bytes / every);
    progress::begin(observer, "comparing", total, Unit::Bytes)?;
    let preparer = base_preparer()?;
    let states = scan::scan(
        collection,
        match every {
            1 => Extent::Whole,
            every => Extent::OneIn(every as usize),
        },
        threads,
        observer,
        || Comparing::new(&index),
        |comparing, block| {
            comparing.block(block, &index, featurer, wordings, &preparer);
            Ok(())
        },
    )?;
    let mut all = Comparing::new(&index);
    states
        .into_iter()
        .for_each(|comparing| all.merge(comparing));
    Ok(all.finish(&index))
}

/// Which sampled texts have a feature.
struct Index {
    lists: HashMap<u64, List>,
    texts: Vec<u32>,
    /// What the features of each sampled text weigh.
    totals: Vec<u64>,
    identities: Vec<u64>,
    /// How many shingles a feature stands for; none where passages are not looked for.
    scale: Option<u64>,
    common_share: f64,
}

#[derive(Clone, Copy)]
struct List {
    start: u32,
    end: u32,
    /// Whether so many texts have the feature that it says little about two of them.
    common: bool,
}

impl Index {
    /// Takes as many of the texts as can be compared with so many in short time.
    fn new(sampled: &[Sampled], texts: &[String], featurer: &Featurer, read: f64) -> Self {
        let mut postings: Vec<(u64, u32)> = Vec::new();
        let (mut totals, mut features) = (Vec::new(), Features::default());
        for text in texts {
            featurer.find(text, &mut features);
            let full = postings.len() + features.list.len() > MOST_FEATURES;
            if full && totals.len() >= LEAST_TEXTS {
                break;
            }
            let number = totals.len() as u32;
            postings.extend(features.list.iter().map(|(feature, _)| (*feature, number)));
            totals.push(features.total());
        }
        postings.sort_unstable();
        while totals.len() > LEAST_TEXTS && steps(&postings, totals.len(), read) > MOST_STEPS {
            let fewer = (totals.len() / 2).max(LEAST_TEXTS);
            totals.truncate(fewer);
            postings.retain(|(_, text)| (*text as usize) < fewer);
        }
        let many = (COMMON_SHARE * totals.len() as f64).max(COMMON_TEXTS as f64) as usize;
        let (mut lists, mut common) = (HashMap::new(), 0);
        let mut start = 0;
        for list in postings.chunk_by(|x, y| x.0 == y.0) {
            let is_common = list.len() > many;
            common += if is_common { list.len() } else { 0 };
            let end = start + list.len() as u32;
            let entry = List {
                start,
                end,
                common: is_common,
            };
            lists.insert(list[0].0, entry);
            start = end;
        }
        let scale = matches!(featurer, Featurer::Shingles { .. }).then(|| featurer.scale());
        // That many texts have a word says nothing.
        let common = if scale.is_some() { common } else { 0 };
        Self {
            lists,
            identities: sampled.iter().map(|text| text.identity).collect(),
            common_share: common as f64 / postings.len().max(1) as f64,
            texts: postings.into_iter().map(|(_, text)| text).collect(),
            totals,
            scale,
        }
    }
}

/// Steps it takes to compare texts like the sampled ones with these.
fn steps(postings: &[(u64, u32)], texts: usize, read: f64) -> f64 {
    let lists = postings.chunk_by(|x, y| x.0 == y.0);
    let squares: f64 = lists.map(|list| (list.len() as f64).powi(2)).sum();
    squares / texts.max(1) as f64 * read
}

/// One thread's state.
struct Comparing {
    found: Partners,
    within: Vec<bool>,
    passages: Vec<bool>,
    /// What texts that are read count for, in all.
    weight: u64,
    features: Features,
    prepared: Prepared,
    /// What the text at hand shares with each sampled one: the weight of all, and the number of those that are not common.
    shared: Vec<(u64, u32)>,
    touched: Vec<u32>,
}

impl Comparing {
    fn new(index: &Index) -> Self {
        let texts = index.totals.len();
        Self {
            found: Partners {
                seen: vec![0; BINS],
                best: vec![0.0; texts],
                ..Partners::default()
            },
            within: vec![false; texts],
            passages: vec![false; texts],
            weight: 0,
            features: Features::default(),
            prepared: Prepared::default(),
            shared: vec![(0, 0); texts],
            touched: Vec::new(),
        }
    }

    fn block(
        &mut self,
        block: &Block,
        index: &Index,
        featurer: &Featurer,
        wordings: &CopyCounter,
        preparer: &Preparer,
    ) {
        for (_, record) in block.readable() {
            let Some(identity) = identity(preparer, &record.text, &mut self.prepared) else {
                continue;
            };
            // Where only some texts were counted, only those are compared.
            let Some(copies) = wordings.count(identity) else {
                continue;
            };
            let weight = WHOLE / u64::from(copies.max(1));
            self.weight += weight;
            featurer.find(&record.text, &mut self.features);
            self.text(identity, weight, index);
        }
    }

    fn text(&mut self, identity: u64, weight: u64, index: &Index) {
        for (feature, weight) in &self.features.list {
            let Some(list) = index.lists.get(feature) else {
                continue;
            };
            for &text in &index.texts[list.start as usize..list.end as usize] {
                let shared = &mut self.shared[text as usize];
                if shared.0 == 0 {
                    self.touched.push(text);
                }
                shared.0 += weight;
                shared.1 += u32::from(!list.common);
            }
        }
        let total = self.features.total();
        let mut touched = std::mem::take(&mut self.touched);
        for &text in &touched {
            let (common, rare) = std::mem::take(&mut self.shared[text as usize]);
            if index.identities[text as usize] != identity {
                let whole = (index.totals[text as usize], total);
                self.pair(text as usize, common, whole, weight);
                if let Some(scale) = index.scale {
                    self.passage(text as usize, common, whole, u64::from(rare) * scale);
                }
            }
        }
        touched.clear();
        self.touched = touched;
    }

    fn pair(&mut self, text: usize, common: u64, (a, b): (u64, u64), weight: u64) {
        let union = a + b - common;
        self.found.seen[bin_of(common, union)] += weight;
        let best = &mut self.found.best[text];
        *best = best.max(common as f64 / union as f64);
    }

    fn passage(&mut self, text: usize, common: u64, (a, b): (u64, u64), rare: u64) {
        let resemblance = common as f64 / (a + b - common) as f64;
        if resemblance >= APART {
            return;
        }
        let containment = common as f64 / a.min(b) as f64;
        self.within[text] |= containment >= WITHIN && rare >= NOT_BY_CHANCE;
        self.passages[text] |= rare >= PASSAGE && containment >= PASSAGE_SHARE;
    }

    fn merge(&mut self, other: Self) {
        let sum = |a: &mut u64, b: u64| *a += b;
        let seen = self.found.seen.iter_mut().zip(other.found.seen);
        seen.for_each(|(a, b)| sum(a, b));
        let best = self.found.best.iter_mut().zip(other.found.best);
        best.for_each(|(a, b)| *a = a.max(b));
        let within = self.within.iter_mut().zip(other.within);
        within.for_each(|(a, b)| *a |= b);
        let passages = self.passages.iter_mut().zip(other.passages);
        passages.for_each(|(a, b)| *a |= b);
        self.weight += other.weight;
    }

    fn finish(self, index: &Index) -> Partners {
        let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count() as u64;
        Partners {
            sampled: index.totals.len() as u64,
            compared: self.weight as f64 / WHOLE as f64,
            within: count(&self.within),
            passages: count(&self.passages),
            common_share: index.common_share,
            ..self.found
        }
    }
}
