//! The randomness of sketches: a stream of numbers from a seed, and one permutation of all 64-bit numbers.

/// `SplitMix64` (Steele, Lea and Flood 2014): a counter that steps by the golden ratio, each state mixed into one number.
#[derive(Clone, Debug)]
pub(super) struct Stream(u64);

impl Stream {
    /// The stream of a seed. Its first number is that of the state one step after the seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// A permutation of the 64-bit numbers: exclusive or with a key, then the finisher of `MurmurHash3`. Every step can be undone,
/// so different numbers stay different.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shuffle {
    key: u64,
}

impl Shuffle {
    /// The permutation of a seed; the key is the first number of its stream.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            key: Stream::new(seed).next(),
        }
    }

    /// Where the permutation puts a number.
    #[inline(always)]
    pub(super) fn apply(self, number: u64) -> u64 {
        let mut x = number ^ self.key;
        x = (x ^ (x >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        x = (x ^ (x >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        x ^ (x >> 33)
    }

    /// Fills `out` with the places of the numbers, as far as they are to be kept, sorted and without repeats.
    #[inline(always)]
    pub(super) fn select(self, numbers: &[u64], out: &mut Vec<u64>, keep: impl Fn(u64) -> bool) {
        out.clear();
        let places = numbers.iter().map(|&number| self.apply(number));
        out.extend(places.filter(|&place| keep(place)));
        out.sort_unstable();
        out.dedup();
    }
}
