//! The weights of a tagger, their file format, and the table they are looked up in.
//!
//! A file is the magic, the version, the number of features, then the features by rising number: the difference to the one
//! before in seven-bit groups, low first, a mask of 16 bits saying which tags have a weight, and those weights, a byte each;
//! last the hash of all before. Numbers are little-endian. Weights of all features share one scale, so it need not be known.

use super::features::{boundary, transition};
use crate::hash::hash_bytes;

/// Tags that compete, and so the length of a row.
pub(super) const LANES: usize = 16;

const MAGIC: &[u8; 8] = b"DBLTTAGS";
const VERSION: u32 = 1;
const HEADER: usize = MAGIC.len() + 8;

/// Logarithm of the number of bits that tell which features there are.
const PRESENT_BITS: u32 = 18;

/// Most that the word itself can say for or against a tag; with the bounds of the others, four rows sum without overflow.
const OWN_BOUND: i16 = 1100;
/// The same of each neighbour and of the tags before.
const OTHER_BOUND: i16 = 310;

/// Scores of the tags times 16, ready to sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(32))]
pub(super) struct Scores(pub(super) [i16; LANES]);

impl Scores {
    /// A row from plain sums. The word's own row carries the numbers of the lanes in its low bits.
    pub(super) fn packed(sums: &[i16; LANES], own: bool) -> Self {
        let mut scores = [0; LANES];
        for (lane, score) in scores.iter_mut().enumerate() {
            *score = if own {
                sums[lane].clamp(-OWN_BOUND, OWN_BOUND) * 16 + (LANES - 1 - lane) as i16
            } else {
                sums[lane].clamp(-OTHER_BOUND, OTHER_BOUND) * 16
            };
        }
        Self(scores)
    }
}

/// Why bytes are no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file does not begin like one of these.
    #[error("not a tagger model")]
    Magic,
    /// Written by another version of the library; train it again.
    #[error("tagger model of version {found}, expected {VERSION}")]
    Version {
        /// The version the file names.
        found: u32,
    },
    /// The file was cut or changed.
    #[error("damaged tagger model")]
    Damaged,
}

/// The weights of a tagger.
#[derive(Debug)]
pub struct Model {
    /// Feature and row number by hash; row 0 marks an empty slot.
    slots: Vec<(u32, u32)>,
    rows: Vec<[i8; LANES]>,
    /// A bit for each feature, by its upper bits: most words ask for features that are not there.
    present: Vec<u64>,
    /// Features by rising number, as in the file.
    features: Vec<u32>,
    transitions: Vec<Scores>,
    /// Rows for no word before and no word after.
    pub(super) boundary: [Scores; 2],
    /// Tells models apart in a memo.
    pub(super) salt: u64,
}

impl Model {
    /// A model from rows of weights by feature; features must rise.
    pub(super) fn new(features: Vec<u32>, weights: &[[i8; LANES]]) -> Self {
        debug_assert!(features.is_sorted_by(|a, b| a < b));
        let mut slots = vec![(0, 0); (features.len() * 2).next_power_of_two().max(2)];
        let mut rows = vec![[0; LANES]];
        let mut present = vec![0; 1 << (PRESENT_BITS - 6)];
        for (&feature, row) in features.iter().zip(weights) {
            let mut at = feature as usize % slots.len();
            while slots[at].1 != 0 {
                at = (at + 1) % slots.len();
            }
            slots[at] = (feature, rows.len() as u32);
            present[(feature >> (38 - PRESENT_BITS)) as usize] |= 1 << present_bit(feature);
            rows.push(*row);
        }
        let mut model = Self {
            slots,
            rows,
            present,
            features,
            transitions: Vec::new(),
            boundary: [Scores::default(); 2],
            salt: 0,
        };
        model.boundary = [0, 1].map(|edge| model.sum(&[boundary(edge)]));
        let contexts = (0..=LANES).flat_map(|before| (0..=LANES).map(move |last| (last, before)));
        model.transitions = contexts
            .map(|(last, before)| model.sum(&transition(last, before)))
            .collect();
        model.salt = hash_bytes(&model.to_bytes());
        model
    }

    /// Reads a model as [`to_bytes`](Self::to_bytes) writes it.
    ///
    /// # Errors
    /// When the bytes are not such a model, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err(ModelError::Magic);
        }
        let found = number(bytes, MAGIC.len())?;
        if found != VERSION {
            return Err(ModelError::Version { found });
        }
        let count = number(bytes, MAGIC.len() + 4)? as usize;
        let (body, hash) = bytes.split_last_chunk::<8>().ok_or(ModelError::Damaged)?;
        if hash_bytes(body) != u64::from_le_bytes(*hash) {
            return Err(ModelError::Damaged);
        }
        let mut reader = Reader {
            rest: body.get(HEADER..).ok_or(ModelError::Damaged)?,
        };
        let (mut features, mut weights) = (Vec::new(), Vec::new());
        let mut feature = 0_u32;
        for read in 0..count {
            let step = reader.varint()?;
            if step == 0 && read > 0 {
                return Err(ModelError::Damaged);
            }
            feature = feature.checked_add(step).ok_or(ModelError::Damaged)?;
            features.push(feature);
            weights.push(reader.row()?);
        }
        if !reader.rest.is_empty() {
            return Err(ModelError::Damaged);
        }
        Ok(Self::new(features, &weights))
    }

    /// The model as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.features.len() as u32).to_le_bytes());
        let mut last = 0;
        for (feature, row) in self.features.iter().zip(&self.rows[1..]) {
            let mut step = feature - last;
            last = *feature;
            while step >= 0x80 {
                bytes.push(step as u8 | 0x80);
                step >>= 7;
            }
            bytes.push(step as u8);
            let mask = (0..LANES).fold(0, |mask, lane| mask | u16::from(row[lane] != 0) << lane);
            bytes.extend(mask.to_le_bytes());
            bytes.extend(row.iter().filter(|weight| **weight != 0).map(|w| *w as u8));
        }
        let hash = hash_bytes(&bytes);
        bytes.extend(hash.to_le_bytes());
        bytes
    }

    /// Features that have weights.
    pub fn features(&self) -> usize {
        self.features.len()
    }

    /// Whether the feature may have weights; false when it has none.
    #[inline(always)]
    pub(super) fn may_have(&self, feature: u32) -> bool {
        self.present[(feature >> (38 - PRESENT_BITS)) as usize] >> present_bit(feature) & 1 == 1
    }

    /// Adds the weights of a feature to `sums`.
    #[inline(always)]
    pub(super) fn add(&self, feature: u32, sums: &mut [i16; LANES]) {
        let mask = self.slots.len() - 1;
        let mut at = feature as usize & mask;
        while self.slots[at].1 != 0 {
            if self.slots[at].0 == feature {
                let row = &self.rows[self.slots[at].1 as usize];
                for lane in 0..LANES {
                    sums[lane] += i16::from(row[lane]);
                }
                return;
            }
            at = (at + 1) & mask;
        }
    }

    fn sum(&self, features: &[u32]) -> Scores {
        let mut sums = [0; LANES];
        for feature in features {
            self.add(*feature, &mut sums);
        }
        Scores::packed(&sums, false)
    }

    /// Number of the transition after a tag, from the one before it: the last two tags as digits to the base 17, 0 for none.
    #[inline(always)]
    pub(super) fn next_transition(transition: usize, lane: usize) -> usize {
        transition % (LANES + 1) * (LANES + 1) + lane + 1
    }

    /// What the tags before a word say of its own.
    #[inline(always)]
    pub(super) fn transition(&self, transition: usize) -> &Scores {
        &self.transitions[transition]
    }
}

#[inline(always)]
fn present_bit(feature: u32) -> u32 {
    feature >> (32 - PRESENT_BITS) & 63
}

fn number(bytes: &[u8], at: usize) -> Result<u32, ModelError> {
    let bytes = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    bytes.map(u32::from_le_bytes).ok_or(ModelError::Damaged)
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, ModelError> {
        let (byte, rest) = self.rest.split_first().ok_or(ModelError::Damaged)?;
        self.rest = rest;
        Ok(*byte)
    }

    fn varint(&mut self) -> Result<u32, ModelError> {
        let mut value = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return u32::try_from(value).map_err(|_| ModelError::Damaged);
            }
        }
        Err(ModelError::Damaged)
    }

    fn row(&mut self) -> Result<[i8; LANES], ModelError> {
        let mask = u16::from_le_bytes([self.byte()?, self.byte()?]);
        let mut row = [0; LANES];
        for (lane, weight) in row.iter_mut().enumerate() {
            if mask >> lane & 1 == 1 {
                *weight = self.byte()? as i8;
            }
        }
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Vec<u8> {
        let mut rows = [[0; LANES]; 3];
        (rows[0][0], rows[1][15], rows[2]) = (1, -127, [5; LANES]);
        Model::new(vec![0, 300, u32::MAX], &rows).to_bytes()
    }

    #[test]
    fn written_and_read() {
        let model = Model::from_bytes(&sample()).expect("a model");
        assert_eq!(model.features(), 3);
        assert_eq!(model.to_bytes(), sample());
        for (feature, expected) in [
            (0, [1, 0]),
            (300, [0, -127]),
            (u32::MAX, [5, 5]),
            (1, [0, 0]),
        ] {
            let mut sums = [0; LANES];
            model.add(feature, &mut sums);
            assert_eq!([sums[0], sums[15]], expected);
            assert!(model.may_have(feature) || expected == [0, 0]);
        }
        let empty = Model::new(Vec::new(), &[]);
        assert_eq!(
            Model::from_bytes(&empty.to_bytes()).map(|m| m.features()),
            Ok(0)
        );
    }

    #[test]
    fn foreign_files_are_errors() {
        assert_eq!(Model::from_bytes(b"").err(), Some(ModelError::Magic));
        assert_eq!(
            Model::from_bytes(b"PK\x03\x04 something").err(),
            Some(ModelError::Magic)
        );
        let mut bytes = sample();
        bytes[MAGIC.len()] = 9;
        assert_eq!(
            Model::from_bytes(&bytes).err(),
            Some(ModelError::Version { found: 9 })
        );
        for length in 0..sample().len() {
            assert!(Model::from_bytes(&sample()[..length]).is_err());
        }
    }

    proptest! {
        #[test]
        fn damage_is_an_error(at in 0..sample().len(), bits in 1..=255_u8) {
            let mut bytes = sample();
            bytes[at] ^= bits;
            prop_assert!(Model::from_bytes(&bytes).is_err());
        }

        #[test]
        fn a_right_hash_alone_is_not_trusted(count in 0..9_u32, body in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut bytes = MAGIC.to_vec();
            bytes.extend(VERSION.to_le_bytes());
            bytes.extend(count.to_le_bytes());
            bytes.extend(body);
            bytes.extend(hash_bytes(&bytes).to_le_bytes());
            let _ = Model::from_bytes(&bytes);
        }

        #[test]
        fn sums_of_rows_never_overflow(own in any::<[i16; LANES]>(), other in any::<[i16; LANES]>()) {
            let (own, other) = (Scores::packed(&own, true), Scores::packed(&other, false));
            for lane in 0..LANES {
                prop_assert!(own.0[lane].checked_add(other.0[lane]).and_then(|s| s.checked_add(other.0[lane])).and_then(|s| s.checked_add(other.0[lane])).is_some());
            }
        }
    }
}
