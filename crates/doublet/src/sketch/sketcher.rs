//! Sketches of any kind: how they are made, how far two agree, and the keys by which they meet.

use std::num::NonZeroU64;

use super::permutations::agreeing;
use super::{Banding, Modulo, Permutations, SketchKind, SketchOptions, Smallest, modulo, smallest};
use crate::hash::{finish, start, step};

/// Makes sketches of one kind.
#[derive(Clone, Debug)]
pub enum Sketcher {
    /// The least value under each permutation.
    Permutations(Permutations),
    /// The least values under one permutation, and how many.
    Smallest(Smallest, usize),
    /// The values that are 0 modulo a number.
    Modulo(Modulo),
}

/// The sketch of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// The value of each permutation, in their order.
    minima: Vec<u32>,
    /// The values under one permutation, in rising order.
    values: Vec<u64>,
}

impl Sketch {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.minima.len() + self.values.len()
    }

    /// Whether there is no value: the text has no shingle, or none that is 0 modulo the number.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values.
    pub fn values(&self) -> impl Iterator<Item = u64> {
        let minima = self.minima.iter().map(|&value| u64::from(value));
        minima.chain(self.values.iter().copied())
    }
}

impl Sketcher {
    /// Makes sketches as the options say.
    pub fn new(options: &SketchOptions) -> Self {
        let (size, seed) = (options.size.max(1), options.seed);
        match options.kind {
            SketchKind::Permutations => Self::Permutations(Permutations::new(size, seed)),
            SketchKind::Smallest => Self::Smallest(Smallest::new(size, seed), size),
            SketchKind::Modulo => {
                let number = NonZeroU64::new(size as u64).unwrap_or(NonZeroU64::MIN);
                Self::Modulo(Modulo::new(number, seed))
            }
        }
    }

    /// The sketch of the shingles of a text, into `sketch`. A text without shingles has an empty one.
    pub fn sketch(&self, shingles: &[u64], sketch: &mut Sketch) {
        sketch.minima.clear();
        sketch.values.clear();
        match self {
            Self::Permutations(_) if shingles.is_empty() => {}
            Self::Permutations(permutations) => {
                sketch.minima.resize(permutations.count(), 0);
                permutations.sketch(shingles, &mut sketch.minima);
            }
            Self::Smallest(smallest, _) => smallest.sketch(shingles, &mut sketch.values),
            Self::Modulo(modulo) => modulo.sketch(shingles, &mut sketch.values),
        }
    }

    /// How many values of two sketches agree, and of how many: an unbiased estimate of the resemblance.
    pub fn agreement(&self, a: &Sketch, b: &Sketch) -> (u32, u32) {
        match self {
            Self::Permutations(_) if a.is_empty() || b.is_empty() => (0, 0),
            Self::Permutations(_) => (agreeing(&a.minima, &b.minima), a.minima.len() as u32),
            Self::Smallest(_, size) => smallest::estimate(&a.values, &b.values, *size),
            Self::Modulo(_) => modulo::estimate(&a.values, &b.values),
        }
    }
}

impl Sketch {
    /// The keys of the values: texts that agree in a value have its key in common. Values of different permutations never do.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        let minima = self.minima.iter().enumerate();
        let minima = minima.map(|(place, &value)| step(start(place), u64::from(value)));
        let values = self.values.iter().copied();
        minima.chain(values).map(finish)
    }
}

/// The keys of the bands of a sketch: texts that agree in all rows of a band have its key in common.
pub fn band_keys(minima: &[u32], banding: Banding) -> impl Iterator<Item = u64> {
    let rows = banding.rows as usize;
    let bands = minima.chunks_exact(rows).take(banding.bands as usize);
    bands.enumerate().map(|(band, values)| {
        let words = values.iter().map(|&value| u64::from(value));
        finish(words.fold(start(band), step))
    })
}
