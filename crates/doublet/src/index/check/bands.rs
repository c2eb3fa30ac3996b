//! Bands of sketches: documents that share one are compared word by word, so that every score is exact. What shares none is not
//! found, which the recall allows for.

use super::super::{Index, IndexOptions};
use super::shingles::Asked;
use super::{Answer, CheckOptions, CheckScratch};
use crate::error::Result;
use crate::method::shingles::Preparer;
use crate::sketch::{Banding, Permutations, band_keys};

/// What makes the keys of texts from the bands of their sketches.
#[derive(Debug)]
pub(crate) struct BandTexts {
    preparer: Preparer,
    permutations: Permutations,
    banding: Banding,
}

impl BandTexts {
    /// The bands of an index.
    pub(crate) fn new(options: &IndexOptions) -> Result<Self> {
        let banding = options.banding()?;
        let matching = &options.matching;
        Ok(Self {
            preparer: Preparer::new(&matching.normalize, &matching.shingle)?,
            permutations: Permutations::new(banding.values(), matching.sketches.seed),
            banding,
        })
    }

    /// What makes shingles of texts.
    pub(crate) fn preparer(&self) -> &Preparer {
        &self.preparer
    }

    /// The keys of the text of these shingles, which are mixed for it; none if there is no shingle. `minima` is room for the
    /// sketch.
    pub(crate) fn keys(
        &self,
        shingles: &mut [u64],
        minima: &mut Vec<u32>,
    ) -> impl Iterator<Item = u64> {
        self.preparer.mix_shingles(shingles);
        minima.resize(self.permutations.count(), 0);
        self.permutations.sketch(shingles, minima);
        if shingles.is_empty() {
            minima.clear();
        }
        band_keys(minima, self.banding)
    }
}

impl Index {
    pub(super) fn check_bands(
        &self,
        bands: &BandTexts,
        text: &str,
        options: &CheckOptions,
        scratch: &mut CheckScratch,
    ) -> Result<Answer> {
        let preparer = bands.preparer();
        let mut prepared = std::mem::take(&mut scratch.prepared);
        preparer.prepare(text, &mut prepared);
        prepared.shingles.sort_unstable();
        prepared.shingles.dedup();
        let asked = Asked::new(&prepared, preparer);
        let sources = self.sharing_bands(bands, &mut prepared.shingles, scratch)?;
        scratch.keep(prepared);
        let shared = sources.into_iter().map(|source| asked.all_of(source));
        let candidates = self.candidates(&asked, shared, options.threshold)?;
        self.compare_words(preparer, (text, &asked), &candidates, options, scratch)
    }

    /// Documents that share a band with the text of these shingles, in order.
    fn sharing_bands(
        &self,
        bands: &BandTexts,
        shingles: &mut [u64],
        scratch: &mut CheckScratch,
    ) -> Result<Vec<u64>> {
        let mut sources = Vec::new();
        for key in bands.keys(shingles, &mut scratch.minima) {
            self.find(u128::from(key), &mut scratch.ranges)?;
            self.for_each_live(&scratch.ranges, |source, _| {
                sources.push(source);
                true
            })?;
        }
        sources.sort_unstable();
        sources.dedup();
        Ok(sources)
    }
}
