//! The keys by which texts of sketches meet: bands of them, or single values, and how many of them a pair must share.

use crate::error::Result;
use crate::sketch::bands::likely_hits;
use crate::sketch::{
    Banding, Permutations, Sketch, SketchKind, SketchOptions, Sketcher, band_keys,
};
use crate::threshold::Threshold;

/// Bytes of text for one shingle, about.
const BYTES_A_SHINGLE: f64 = 6.0;

/// By which keys texts meet.
#[derive(Debug)]
pub(crate) enum SketchKeys {
    /// Those of bands.
    Bands(Banding, Permutations),
    /// Those of single values.
    Values(Sketcher),
}

/// Room for a sketch.
#[derive(Debug, Default)]
pub(crate) struct SketchScratch {
    minima: Vec<u32>,
    sketch: Sketch,
}

impl SketchKeys {
    /// The keys of these bands.
    pub(crate) fn of_bands(banding: Banding, seed: u64) -> Self {
        Self::Bands(banding, Permutations::new(banding.values(), seed))
    }

    /// The keys of single values.
    pub(crate) fn of_values(options: &SketchOptions) -> Self {
        Self::Values(Sketcher::new(options))
    }

    /// The bands, where texts meet by those.
    pub(crate) fn banding(&self) -> Option<Banding> {
        match self {
            Self::Bands(banding, _) => Some(*banding),
            Self::Values(_) => None,
        }
    }

    /// Keys of one text, about.
    pub(crate) fn each(&self, options: &SketchOptions, bytes_a_text: f64) -> f64 {
        match (self, options.kind) {
            (Self::Bands(banding, _), _) => f64::from(banding.bands),
            (Self::Values(_), SketchKind::Permutations) => options.size as f64,
            (Self::Values(_), kind) => {
                let shingles = bytes_a_text / BYTES_A_SHINGLE;
                match kind {
                    SketchKind::Modulo => shingles / options.size as f64,
                    _ => shingles.min(options.size as f64),
                }
            }
        }
    }

    /// Calls `each` with the keys of a text of these mixed shingles, and gives the number of values in its sketch.
    pub(crate) fn try_for_each(
        &self,
        shingles: &[u64],
        scratch: &mut SketchScratch,
        each: impl FnMut(u64) -> Result<()>,
    ) -> Result<u32> {
        match self {
            Self::Bands(banding, permutations) => {
                let minima = &mut scratch.minima;
                minima.resize(permutations.count(), 0);
                permutations.sketch(shingles, minima);
                band_keys(minima, *banding).try_for_each(each)?;
                Ok(minima.len() as u32)
            }
            Self::Values(sketcher) => {
                sketcher.sketch(shingles, &mut scratch.sketch);
                scratch.sketch.keys().try_for_each(each)?;
                Ok(scratch.sketch.len() as u32)
            }
        }
    }
}

/// Keys that a pair must share.
#[derive(Debug)]
pub(crate) enum LeastKeys {
    /// So many.
    Fixed(u32),
    /// Of the m smallest values so many; of texts that have fewer, the overlap that the threshold asks for.
    Smallest {
        full: u32,
        least: u32,
        threshold: Threshold,
    },
    /// As many as the smaller sketch leaves: by its size, as far as it is known.
    BySize {
        least: Vec<u32>,
        threshold: Threshold,
        recall: f64,
    },
}

impl LeastKeys {
    /// Of bands as many as they say. Of single values all that the options ask for, or as many as the sizes of the sketches
    /// leave.
    ///
    /// # Errors
    /// When there are not enough values for the recall.
    pub(crate) fn new(
        options: &SketchOptions,
        threshold: Threshold,
        banding: Option<Banding>,
    ) -> Result<Self> {
        if let Some(banding) = banding {
            return Ok(Self::Fixed(banding.least));
        }
        Ok(match (options.values(threshold)?, options.kind) {
            (Some(all), SketchKind::Smallest) if options.least.is_none() => Self::Smallest {
                full: all.bands,
                least: all.least,
                threshold,
            },
            (Some(all), _) => Self::Fixed(all.least),
            (None, _) => match options.least {
                Some(least) => Self::Fixed(least),
                None => Self::BySize {
                    least: Vec::new(),
                    threshold,
                    recall: options.recall,
                },
            },
        })
    }

    /// Finds out what sketches of up to so many values ask for.
    pub(crate) fn know(&mut self, largest: u32) {
        if let Self::BySize {
            least,
            threshold,
            recall,
        } = self
        {
            let likely = |size| likely_hits(size, threshold.value(), *recall);
            least.extend((least.len() as u32..=largest).map(likely));
        }
    }

    /// What two texts must share, given their sizes and those of their sketches, which are known.
    pub(crate) fn of(&self, (size_a, sketch_a): (u32, u32), (size_b, sketch_b): (u32, u32)) -> u32 {
        match self {
            Self::Fixed(least) => *least,
            Self::Smallest {
                full, threshold, ..
            } if size_a.max(size_b) < *full => {
                threshold.least_overlap(u64::from(size_a) + u64::from(size_b)) as u32
            }
            Self::Smallest { least, .. } => *least,
            Self::BySize { least, .. } => least[sketch_a.min(sketch_b) as usize],
        }
    }
}
