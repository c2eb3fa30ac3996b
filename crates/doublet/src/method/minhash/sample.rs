//! A sample of the sketches of a collection, from which the cost of finding its pairs is guessed.

use crate::error::Result;
use crate::method::shingles::{Prepared, Preparer};
use crate::sketch::bands::Expected;
use crate::sketch::{Banding, Permutations, SketchOptions, band_keys};
use crate::threshold::Threshold;

/// One part in so many of the bytes is sampled, but at least and at most so many: in a larger collection a pair of the sample stands for
/// more pairs, and chance would weigh more.
const SAMPLED: u64 = 256;
const LEAST_SAMPLE: u64 = 8 << 20;
const MOST_SAMPLE: u64 = 64 << 20;
/// Values of sketches that a megabyte adds to the sample: those of 1,000 texts, or of fewer if sketches are longer than usual.
const VALUES_A_BLOCK: usize = 200_000;
/// Past so many meetings in the sample a choice is not looked at further.
const MOST_MEETINGS: usize = 1 << 20;

/// One text in so many is sampled, or one part of the collection, of so many bytes.
pub(crate) fn every(bytes: u64) -> u64 {
    (bytes / (bytes / SAMPLED).clamp(LEAST_SAMPLE, MOST_SAMPLE)).max(1)
}

/// Texts of a megabyte that are sampled at most, with sketches of so many values.
pub(crate) fn most_texts(values: usize) -> usize {
    match values {
        0 => 0,
        values => VALUES_A_BLOCK / values.max(200),
    }
}

/// A text of the sample.
#[derive(Clone, Debug)]
pub(crate) struct SampledText {
    /// Equal for texts of the same tokens.
    pub(crate) identity: u128,
    /// Distinct shingles.
    pub(crate) size: u32,
    pub(crate) sketch: Vec<u32>,
}

impl SampledText {
    /// A text that is prepared, of so many distinct shingles; none if it has no token.
    pub(crate) fn new(
        preparer: &Preparer,
        permutations: &Permutations,
        prepared: &mut Prepared,
        size: u32,
    ) -> Option<Self> {
        if prepared.tokens == 0 {
            return None;
        }
        let identity = prepared.identity();
        let mut sketch = vec![0; permutations.count()];
        permutations.sketch(preparer.mix(prepared), &mut sketch);
        Some(Self {
            identity,
            size,
            sketch,
        })
    }
}

/// Texts of a collection, from which the cost of finding its pairs is guessed.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    texts: Vec<SampledText>,
}

impl Sample {
    /// Of these texts; copies are left out.
    pub(crate) fn new(mut texts: Vec<SampledText>) -> Self {
        texts.sort_by_key(|text| text.identity);
        texts.dedup_by_key(|text| text.identity);
        Self { texts }
    }

    /// Number of texts.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The bands that are given, or else the cheapest for a collection of so many texts.
    pub(crate) fn choose_bands(
        &self,
        options: &SketchOptions,
        threshold: Threshold,
        texts: f64,
    ) -> Result<Banding> {
        if let Some(bands) = options.bands {
            return Ok(bands);
        }
        let choices = Banding::choices(threshold, options.recall, options.size)?;
        let look = |banding: &Banding| self.look(banding, threshold, texts);
        Ok(Banding::cheapest(choices, texts, look))
    }

    /// What a choice would lead to, for so many texts.
    fn look(&self, banding: &Banding, threshold: Threshold, texts: f64) -> Expected {
        let mut keys: Vec<(u64, u32)> =
            Vec::with_capacity(self.texts.len() * banding.bands as usize);
        for (number, text) in (0..).zip(&self.texts) {
            keys.extend(band_keys(&text.sketch, *banding).map(|key| (key, number)));
        }
        keys.sort_unstable();
        let mut meetings = 0u64;
        let mut pairs = Vec::new();
        let size = |number: u32| u64::from(self.texts[number as usize].size);
        for group in keys.chunk_by(|x, y| x.0 == y.0) {
            for (i, &(_, a)) in group.iter().enumerate() {
                if pairs.len() > MOST_MEETINGS {
                    meetings += (group.len() - i - 1) as u64;
                    continue;
                }
                for &(_, b) in &group[i + 1..] {
                    meetings += 1;
                    if threshold.reached(size(a).min(size(b)), size(a).max(size(b))) {
                        pairs.push((a.min(b), a.max(b)));
                    }
                }
            }
        }
        pairs.sort_unstable();
        let runs = pairs.chunk_by(|x, y| x == y);
        let candidates = runs.filter(|run| run.len() as u32 >= banding.least).count();
        let scale = (texts / self.texts.len().max(1) as f64).powi(2);
        Expected {
            texts,
            meetings: meetings as f64 * scale,
            candidates: candidates as f64 * scale,
        }
    }
}
