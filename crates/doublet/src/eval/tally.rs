//! What a run found, held against the truth: the numbers of each unit.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bootstrap::{self, COLUMNS, Measure, Numbers};
use super::judge::{Components, Duplicates, Half, Judge, Known};
use super::measures::{
    B3_PRECISION, B3_RECALL, CLUSTER_FOUND, CLUSTER_HITS, CLUSTER_TRUE, ClusterQuality, FOUND,
    HITS, Quality, SAME_SET, SIZE, TRUE, cluster_quality, f1, quality,
};
use crate::cluster::Clusters;
use crate::document::DocId;
use crate::matches::{CandidatePair, Documents, Matches};
use crate::scores::Metric;

/// Stands for no cluster.
const ALONE: u32 = u32::MAX;

/// What a run found: its pairs at the threshold in question, and their clusters.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// All records.
    pub documents: &'a Documents,
    /// The pairs.
    pub matches: &'a Matches,
    /// The clusters; `None` where there are none to judge.
    pub clusters: Option<&'a Clusters>,
}

/// The measures of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measures {
    /// Of the pairs.
    pub pairs: Quality,
    /// Of the clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<ClusterQuality>,
}

impl Found<'_> {
    /// Whether a pair of texts is among the pairs.
    pub(super) fn has(&self, a: DocId, b: DocId) -> bool {
        let first = |text: DocId| self.matches.identical.first[text.index()];
        let (x, y) = (first(a), first(b));
        if x == y {
            return self.matches.wanted.pair(a.0.min(b.0), a.0.max(b.0));
        }
        let pair = CandidatePair {
            a: x.min(y),
            b: x.max(y),
        };
        self.matches.find(pair).is_some()
    }

    /// The score of a pair that was found.
    pub(super) fn score(&self, a: DocId, b: DocId, metric: Metric) -> Option<f64> {
        let first = |text: DocId| self.matches.identical.first[text.index()];
        let (x, y) = (first(a), first(b));
        if x == y {
            return self.has(a, b).then_some(1.0);
        }
        let pair = CandidatePair {
            a: x.min(y),
            b: x.max(y),
        };
        let found = self.matches.find(pair)?;
        Some(found.scores(self.documents).score(metric))
    }

    /// The cluster of each text.
    fn cluster_of(&self) -> Option<Vec<u32>> {
        let mut of = vec![ALONE; self.documents.len()];
        for (number, cluster) in (0..).zip(&self.clusters?.0) {
            for member in &cluster.members {
                of[member.index()] = number;
            }
        }
        Some(of)
    }
}

impl Judge {
    /// Measures what was found, by all of the truth or by one half of it.
    pub fn measure(&self, found: &Found<'_>, half: Option<Half>) -> Measures {
        let units = self.units(found, half);
        let labelled_only = self.is_labelled_only();
        let mut measures = Measures {
            pairs: quality(&units, self.seed, labelled_only),
            clusters: found
                .clusters
                .map(|_| cluster_quality(&units, self.seed, labelled_only)),
        };
        if self.facts().different == Some(0) {
            // Nothing that was found could be wrong.
            let clusters = measures
                .clusters
                .iter_mut()
                .map(|clusters| &mut clusters.pairs);
            for quality in clusters.chain([&mut measures.pairs]) {
                (quality.precision, quality.f1) = (Measure::default(), Measure::default());
            }
        }
        measures
    }

    /// F1 of the pairs, without an interval.
    pub fn f1(&self, found: &Found<'_>, half: Option<Half>) -> f64 {
        // Clusters have no say in it.
        let pairs = Found {
            clusters: None,
            ..*found
        };
        let sums = bootstrap::sums(&self.units(&pairs, half));
        f1(sums[HITS], sums[FOUND] / 2.0, sums[TRUE]).unwrap_or(0.0)
    }

    fn units(&self, found: &Found<'_>, half: Option<Half>) -> Vec<Numbers> {
        match &self.known {
            Known::Pairs(_) => self.labelled_units(found, half),
            Known::All(components) => components.units(found, half),
        }
    }

    fn labelled_units(&self, found: &Found<'_>, half: Option<Half>) -> Vec<Numbers> {
        let clusters = found.cluster_of();
        let pairs = self.labelled_pairs().unwrap_or_default().iter();
        let pairs = pairs.filter(|pair| half.is_none_or(|half| pair.half == half));
        let number = |truth: bool| f64::from(u8::from(truth));
        let unit = |pair: &super::JudgedPair| {
            let mut unit = [0.0; COLUMNS];
            let is_found = found.has(pair.a, pair.b);
            unit[FOUND] = 2.0 * number(is_found);
            unit[HITS] = number(is_found && pair.duplicate);
            unit[TRUE] = number(pair.duplicate);
            unit[SIZE] = number(!pair.duplicate);
            if let Some(of) = &clusters {
                let (x, y) = (of[pair.a.index()], of[pair.b.index()]);
                let together = x == y && x != ALONE;
                unit[CLUSTER_FOUND] = 2.0 * number(together);
                unit[CLUSTER_HITS] = number(together && pair.duplicate);
                unit[CLUSTER_TRUE] = unit[TRUE];
            }
            unit
        };
        pairs.map(unit).collect()
    }
}

impl Components {
    /// The numbers of each component that is judged.
    fn units(&self, found: &Found<'_>, half: Option<Half>) -> Vec<Numbers> {
        let mut units = vec![[0.0; COLUMNS]; self.halves.len()];
        for text in 0..found.documents.len() as u32 {
            if let Some(component) = self.judged(text, half) {
                units[component as usize][SIZE] += 1.0;
            }
        }
        self.add_found(found, half, &mut units);
        self.add_true(found, half, &mut units);
        if let Some(clusters) = found.cluster_of() {
            self.add_clusters(&clusters, half, &mut units);
        }
        let judged = units.into_iter().zip(&self.halves);
        let judged = judged.filter(|(_, own)| half.is_none_or(|half| **own == half));
        judged.map(|(unit, _)| unit).collect()
    }

    /// Adds the pairs that were found; each counts at both of its texts. Copies have the same partners, so that each group of
    /// copies is counted once.
    fn add_found(&self, found: &Found<'_>, half: Option<Half>, units: &mut [Numbers]) {
        let (matches, documents) = (found.matches, found.documents);
        let texts = 0..documents.len() as u32;
        let first = |text: u32| matches.identical.first[text as usize];
        let mut judged = vec![0u64; documents.len()];
        for text in texts.clone() {
            judged[first(text) as usize] += u64::from(self.judged(text, half).is_some());
        }
        let mut partners = vec![0u64; documents.len()];
        for pair in &matches.verified {
            let (a, b) = (pair.a as usize, pair.b as usize);
            partners[a] += judged[b];
            partners[b] += judged[a];
        }
        for text in texts {
            let Some(component) = self.judged(text, half) else {
                continue;
            };
            let first = first(text);
            let is_with_copies = matches.wanted.pair(first, first);
            let copies = match is_with_copies {
                true => judged[first as usize] - 1,
                false => 0,
            };
            units[component as usize][FOUND] += (partners[first as usize] + copies) as f64;
        }
    }

    /// Adds the pairs that are duplicates, and those of them that were found.
    fn add_true(&self, found: &Found<'_>, half: Option<Half>, units: &mut [Numbers]) {
        match &self.duplicates {
            Duplicates::Pairs(pairs) => {
                for pair in pairs {
                    if let Some(component) = self.judged(pair.a.0, half) {
                        let unit = &mut units[component as usize];
                        unit[TRUE] += 1.0;
                        unit[HITS] += f64::from(u8::from(found.has(pair.a, pair.b)));
                    }
                }
            }
            Duplicates::Clusters => {
                for unit in &mut *units {
                    unit[TRUE] = pairs_of(unit[SIZE]);
                }
                self.add_hits(found, half, units);
            }
        }
    }

    /// Adds the found pairs within true clusters.
    fn add_hits(&self, found: &Found<'_>, half: Option<Half>, units: &mut [Numbers]) {
        let matches = found.matches;
        // How many texts of each component stand in each group of copies.
        let mut groups: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for text in 0..found.documents.len() as u32 {
            if let Some(component) = self.judged(text, half) {
                let first = matches.identical.first[text as usize];
                *groups.entry((first, component)).or_default() += 1;
            }
        }
        let of = |first: u32| {
            let group = groups.range((first, 0)..=(first, u32::MAX));
            group.map(|(&(_, component), &count)| (component, count))
        };
        for pair in &matches.verified {
            for (component, count) in of(pair.a) {
                let other = groups.get(&(pair.b, component)).copied().unwrap_or(0);
                units[component as usize][HITS] += (count * other) as f64;
            }
        }
        for (&(first, component), &count) in &groups {
            if matches.wanted.pair(first, first) {
                units[component as usize][HITS] += pairs_of(count as f64);
            }
        }
    }

    /// Adds what whole clusters come to. A text in no cluster is one of its own.
    fn add_clusters(&self, clusters: &[u32], half: Option<Half>, units: &mut [Numbers]) {
        let mut cells: Vec<(u32, u32)> = Vec::new();
        for (text, &cluster) in (0..).zip(clusters) {
            if let Some(component) = self.judged(text, half) {
                cells.push((cluster, component));
            }
        }
        cells.sort_unstable();
        for cluster in cells.chunk_by(|x, y| x.0 == y.0 && x.0 != ALONE) {
            let size = cluster.len() as f64;
            for cell in cluster.chunk_by(|x, y| x.1 == y.1) {
                let (both, unit) = (cell.len() as f64, &mut units[cell[0].1 as usize]);
                let truth = unit[SIZE];
                unit[CLUSTER_FOUND] += both * (size - 1.0);
                unit[CLUSTER_HITS] += pairs_of(both);
                unit[B3_PRECISION] += both * both / size;
                unit[B3_RECALL] += both * both / truth;
                if both == size && both == truth {
                    unit[SAME_SET] += both;
                }
            }
        }
        for unit in units {
            unit[CLUSTER_TRUE] = pairs_of(unit[SIZE]);
        }
    }
}

/// The pairs among so many texts.
fn pairs_of(texts: f64) -> f64 {
    texts * (texts - 1.0) / 2.0
}
