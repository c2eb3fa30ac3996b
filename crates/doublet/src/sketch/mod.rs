//! Sketches: a short list of numbers that stands for the shingles of a text, and says how much two texts resemble each other.
//!
//! `permutations` keeps the least value under each of many permutations, `smallest` the m least values under one (F_m), `modulo`
//! those that are 0 modulo n (V_n). `bands` chooses which values of a sketch bring texts together, for a threshold and a
//! recall.

pub mod bands;
mod merge;
pub mod modulo;
pub mod one_pass;
pub mod permutations;
mod shuffle;
mod sketcher;
pub mod smallest;
#[cfg(test)]
mod trials;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::names::named;
use crate::threshold::Threshold;
pub use bands::Banding;
pub use modulo::Modulo;
pub use permutations::Permutations;
pub use sketcher::{Sketch, Sketcher, band_keys};
pub use smallest::Smallest;

/// Version of the values of sketches and of the keys of their bands: of all that decides, besides the hash, by which keys texts meet.
pub const SKETCH_VERSION: u32 = 1;

/// Which numbers a sketch keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SketchKind {
    /// The least value under each of several permutations.
    #[default]
    Permutations,
    /// The least values under one permutation.
    Smallest,
    /// The values under one permutation that are 0 modulo a number.
    Modulo,
}

named!(SketchKind:
    Permutations = "permutations",
    Smallest = "smallest",
    Modulo = "modulo",
);

impl SketchKind {
    /// The size unless another is given: how many values, or what they are divisible by.
    pub fn default_size(self) -> usize {
        match self {
            Self::Permutations | Self::Smallest => 200,
            Self::Modulo => 4,
        }
    }
}

/// By what texts meet that may be alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeetBy {
    /// Several values in a row.
    #[default]
    Bands,
    /// Single values, of which a pair must share many.
    Values,
}

named!(MeetBy: Bands = "bands", Values = "values");

/// How sketches are made and brought together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SketchOptions {
    /// Which numbers are kept.
    pub kind: SketchKind,
    /// How many; of [`SketchKind::Modulo`] what they are divisible by.
    pub size: usize,
    /// Where the permutations come from.
    pub seed: u64,
    /// By what texts meet.
    pub meet_by: MeetBy,
    /// The least probability with which a pair at the threshold is found.
    pub recall: f64,
    /// Values that a pair must share, instead of the number that the recall asks for.
    pub least: Option<u32>,
    /// The bands, instead of those that the recall asks for.
    pub bands: Option<Banding>,
}

impl Default for SketchOptions {
    fn default() -> Self {
        Self::new(SketchKind::default())
    }
}

impl SketchOptions {
    /// The options of a kind of sketch unless others are given.
    pub fn new(kind: SketchKind) -> Self {
        Self {
            kind,
            size: kind.default_size(),
            seed: 1,
            meet_by: match kind {
                SketchKind::Permutations => MeetBy::Bands,
                SketchKind::Smallest | SketchKind::Modulo => MeetBy::Values,
            },
            recall: 0.99,
            least: None,
            bands: None,
        }
    }

    /// That such sketches can be made.
    ///
    /// # Errors
    /// When an option is out of range, or does not go with another.
    pub fn check(&self) -> Result<()> {
        let refuse = |option, value: String, expected: &str| {
            Err(Error::Option {
                option,
                value,
                expected: expected.to_owned(),
            })
        };
        if !(1..=bands::MOST_VALUES as usize).contains(&self.size) {
            let size = self.size.to_string();
            return refuse("sketch-size", size, "give 1 to 10000");
        }
        if !(self.recall > 0.0 && self.recall < 1.0) {
            let expected =
                "give a number between 0 and 1, such as 0.99; `--method shingles` misses nothing";
            return refuse("recall", self.recall.to_string(), expected);
        }
        if self.meet_by == MeetBy::Bands && self.kind != SketchKind::Permutations {
            let expected = "bands are made of permutations; with other sketches give `values`";
            return refuse("candidates", "bands".to_owned(), expected);
        }
        if let Some(bands) = self.bands {
            let given = || bands.to_string();
            if self.meet_by != MeetBy::Bands {
                let expected = "goes with `--candidates bands`, which permutations have";
                return refuse("bands", given(), expected);
            }
            if bands.values() > self.size {
                let expected = "bands have no more values than a sketch: give fewer, or a larger `--sketch-size`";
                return refuse("bands", given(), expected);
            }
        }
        match self.least {
            Some(0) => refuse("min-common", "0".to_owned(), "give 1 or more"),
            Some(least) if self.meet_by == MeetBy::Bands => {
                let expected = "goes with `--candidates values`; bands follow from the recall, or from `--bands`";
                refuse("min-common", least.to_string(), expected)
            }
            Some(least) if self.kind != SketchKind::Modulo && least as usize > self.size => {
                let expected =
                    "a pair shares no more than a sketch has: give at most `--sketch-size`";
                refuse("min-common", least.to_string(), expected)
            }
            _ => Ok(()),
        }
    }

    /// The bands where there is no sample to ask: those given, or the sharpest for the recall.
    ///
    /// # Errors
    /// When there are not enough values for the recall.
    pub fn sharpest(&self, threshold: Threshold) -> Result<Banding> {
        match self.bands {
            Some(bands) => Ok(bands),
            None => Banding::sharpest(threshold, self.recall, self.size),
        }
    }

    /// Single values as bands of one row, where texts meet by those and sketches have as many values as the options say.
    ///
    /// # Errors
    /// When there are not enough values for the recall.
    pub fn values(&self, threshold: Threshold) -> Result<Option<Banding>> {
        match (self.meet_by, self.kind) {
            (MeetBy::Bands, _) | (_, SketchKind::Modulo) => Ok(None),
            (MeetBy::Values, kind) => {
                let mut all = Banding::of_values(threshold, self.recall, self.size, self.least)?;
                if kind == SketchKind::Smallest && self.least.is_none() {
                    // The least values of two texts that have few more are drawn without being put back: a pair at the threshold
                    // may share no more than its share of them.
                    all.least = all
                        .least
                        .min(threshold.floor(self.size as u64) as u32)
                        .max(1);
                }
                Ok(Some(all))
            }
        }
    }
}
