//! One minimum for each of k permutations: two texts agree in a place with a probability that is their resemblance.
//!
//! The universe is the high 32 bits of the fingerprints. Permutation i takes x to aᵢ·x + bᵢ mod 2³² with an odd aᵢ; it can be
//! undone, so equal minima mean equal 32-bit fingerprints. Number i (from 0) of the `SplitMix64` stream of the seed gives both:
//! aᵢ is its high half with the lowest bit set, bᵢ its low half. The first values of a sketch are therefore the sketch of
//! fewer permutations.
//!
//! The work is k multiplications a shingle. It is done in blocks of permutations whose minima stay in registers while all
//! shingles pass, with the widest instructions that the processor has; the values are the same on every machine.

#[cfg(target_arch = "x86_64")]
use crate::fenced::{Avx2, Avx512, Vectorized};

use super::one_pass::one_pass;
use super::shuffle::Stream;

/// Permutations of a whole block. 32 minima with their factors fill 12 of the 16 registers of AVX2.
const BLOCK: usize = 32;

/// Shingles whose high halves are taken out at a time; they lie on the stack.
const PIECE: usize = 256;

/// The factors of up to [`BLOCK`] permutations, and zeros behind the last.
#[derive(Clone, Copy, Debug)]
struct Block {
    multipliers: [u32; BLOCK],
    addends: [u32; BLOCK],
}

/// Which instructions scan the shingles.
#[derive(Clone, Copy, Debug)]
enum Path {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// k permutations of the 32-bit universe.
#[derive(Clone, Debug)]
pub struct Permutations {
    count: usize,
    blocks: Vec<Block>,
    path: Path,
}

impl Permutations {
    /// The first `k` permutations of a seed.
    pub fn new(k: usize, seed: u64) -> Self {
        Self::on_path(k, seed, widest())
    }

    /// The same permutations once for each kind of instructions this machine has, with its name, the widest first: for tests
    /// and measurements.
    pub fn on_every_path(k: usize, seed: u64) -> Vec<(&'static str, Self)> {
        paths()
            .map(|path| (path.name(), Self::on_path(k, seed, path)))
            .collect()
    }

    fn on_path(k: usize, seed: u64, path: Path) -> Self {
        let empty = Block {
            multipliers: [0; BLOCK],
            addends: [0; BLOCK],
        };
        let mut blocks = vec![empty; k.div_ceil(BLOCK)];
        let mut stream = Stream::new(seed);
        for i in 0..k {
            let number = stream.next();
            let block = &mut blocks[i / BLOCK];
            block.multipliers[i % BLOCK] = (number >> 32) as u32 | 1;
            block.addends[i % BLOCK] = number as u32;
        }
        Self {
            count: k,
            blocks,
            path,
        }
    }

    /// How many permutations there are, which is how many values a sketch has.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Writes the k minima of a text's shingles. Without shingles all are `u32::MAX`, as is whatever `out` has beyond k; a
    /// shorter `out` gets the first values.
    pub fn sketch(&self, shingles: &[u64], out: &mut [u32]) {
        out.fill(u32::MAX);
        let length = self.count.min(out.len());
        let mut values = [0; PIECE];
        for piece in shingles.chunks(PIECE) {
            let values = &mut values[..piece.len()];
            for (value, shingle) in values.iter_mut().zip(piece) {
                *value = (shingle >> 32) as u32;
            }
            self.path.scan(&self.blocks, values, &mut out[..length]);
        }
    }
}

/// In how many places two sketches agree. Two texts without shingles agree in all.
pub fn agreeing(a: &[u32], b: &[u32]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum()
}

impl Path {
    fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "avx512",
        }
    }

    /// Lowers the minima by more values.
    #[inline]
    fn scan(self, blocks: &[Block], values: &[u32], minima: &mut [u32]) {
        #[cfg(target_arch = "x86_64")]
        let wide = Scan {
            blocks,
            values,
            minima: &mut *minima,
        };
        match self {
            Self::Portable => scan(blocks, values, minima),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(proof) => proof.run(wide),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(proof) => proof.run(wide),
        }
    }
}

/// All paths of this machine, the widest first.
fn paths() -> impl Iterator<Item = Path> {
    #[cfg(target_arch = "x86_64")]
    let wide = {
        let avx512 = Avx512::detect().map(Path::Avx512);
        let avx2 = Avx2::detect().map(Path::Avx2);
        avx512.into_iter().chain(avx2)
    };
    #[cfg(not(target_arch = "x86_64"))]
    let wide = std::iter::empty();
    wide.chain([Path::Portable])
}

fn widest() -> Path {
    paths().next().unwrap_or(Path::Portable)
}

/// One [`scan`], for wider instructions.
#[cfg(target_arch = "x86_64")]
struct Scan<'a> {
    blocks: &'a [Block],
    values: &'a [u32],
    minima: &'a mut [u32],
}

#[cfg(target_arch = "x86_64")]
impl Vectorized for Scan<'_> {
    #[inline(always)]
    fn run(self) {
        scan(self.blocks, self.values, self.minima);
    }
}

/// Lowers the minima of all blocks. The last block is often a part of one, and then costs as much as its next power of two.
#[inline(always)]
fn scan(blocks: &[Block], values: &[u32], minima: &mut [u32]) {
    for (block, minima) in blocks.iter().zip(minima.chunks_mut(BLOCK)) {
        match minima.len() {
            0..=8 => scan_block::<8>(block, values, minima),
            9..=16 => scan_block::<16>(block, values, minima),
            _ => scan_block::<BLOCK>(block, values, minima),
        }
    }
}

/// Lowers up to `N` minima of one block.
#[inline(always)]
fn scan_block<const N: usize>(block: &Block, values: &[u32], minima: &mut [u32]) {
    let multipliers: [u32; N] = std::array::from_fn(|i| block.multipliers[i]);
    let addends: [u32; N] = std::array::from_fn(|i| block.addends[i]);
    let permuted = |i: usize, x: u32| x.wrapping_mul(multipliers[i]).wrapping_add(addends[i]);
    let mut slots = [u32::MAX; N];
    slots[..minima.len()].copy_from_slice(minima);
    one_pass(values.iter().copied(), permuted, &mut slots);
    minima.copy_from_slice(&slots[..minima.len()]);
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::trials::{Trials, golden_text};
    use super::*;

    fn sketch(permutations: &Permutations, shingles: &[u64]) -> Vec<u32> {
        let mut out = vec![0; permutations.count()];
        permutations.sketch(shingles, &mut out);
        out
    }

    /// The definition: every permutation by itself, one slot a time.
    fn brute_force(k: usize, seed: u64, shingles: &[u64]) -> Vec<u32> {
        let mut stream = Stream::new(seed);
        let mut minimum = || {
            let number = stream.next();
            let (a, b) = ((number >> 32) as u32 | 1, number as u32);
            let permuted =
                |_, shingle: u64| ((shingle >> 32) as u32).wrapping_mul(a).wrapping_add(b);
            let mut slot = [u32::MAX];
            one_pass(shingles.iter().copied(), permuted, &mut slot);
            slot[0]
        };
        (0..k).map(|_| minimum()).collect()
    }

    #[test]
    fn golden() {
        // Computed a second time in Python, from the descriptions.
        let expected = [
            0x01E7_7D87,
            0x022E_0C64,
            0x0109_A8A0,
            0x07B2_C5EC,
            0x0048_8689,
            0x0101_8457,
            0x06C3_D0F4,
            0x130F_3B4D,
            0x02BA_02A1,
            0x00CF_C38C,
        ];
        assert_eq!(sketch(&Permutations::new(10, 7), &golden_text()), expected);
    }

    #[test]
    fn without_shingles_all_values_are_infinity() {
        for (name, permutations) in Permutations::on_every_path(70, 1) {
            assert_eq!(sketch(&permutations, &[]), [u32::MAX; 70], "{name}");
        }
    }

    #[test]
    fn any_length_of_out_is_filled() {
        let permutations = Permutations::new(40, 3);
        let whole = sketch(&permutations, &golden_text());
        let mut short = [0; 35];
        permutations.sketch(&golden_text(), &mut short);
        assert_eq!(short, whole[..35]);
        let mut long = [0; 45];
        permutations.sketch(&golden_text(), &mut long);
        assert_eq!(long[..40], whole);
        assert_eq!(long[40..], [u32::MAX; 5]);
    }

    #[test]
    fn estimate_follows_theory() {
        for (common, union) in [(7, 10), (28, 40), (60, 200), (190, 200)] {
            let trials = Trials {
                common,
                union,
                count: 3000,
            };
            let permutations = Permutations::new(100, 5);
            let resemblance = trials.resemblance();
            let theory = resemblance * (1.0 - resemblance) / 100.0;
            trials.check(theory, |a, b| {
                (
                    agreeing(&sketch(&permutations, a), &sketch(&permutations, b)),
                    100,
                )
            });
        }
    }

    proptest! {
        #[test]
        fn every_path_is_the_slides_one_pass(
            shingles in vec(any::<u64>(), 0..600),
            k in 0..140_usize,
            seed in any::<u64>(),
        ) {
            let expected = brute_force(k, seed, &shingles);
            for (name, permutations) in Permutations::on_every_path(k, seed) {
                prop_assert_eq!(&sketch(&permutations, &shingles), &expected, "{}", name);
            }
            prop_assert_eq!(&sketch(&Permutations::new(k, seed), &shingles), &expected);
        }

        #[test]
        fn order_and_repeats_do_not_matter(shingles in vec(any::<u64>(), 1..100), extra in vec(any::<usize>(), 0..100)) {
            let permutations = Permutations::new(50, 9);
            let again = extra.iter().map(|i| shingles[i % shingles.len()]);
            let other: Vec<u64> = again.chain(shingles.iter().rev().copied()).collect();
            let (a, b) = (sketch(&permutations, &shingles), sketch(&permutations, &other));
            prop_assert_eq!(agreeing(&a, &b), 50);
        }

        #[test]
        fn fewer_permutations_are_the_first_ones(shingles in vec(any::<u64>(), 0..50), k in 0..100_usize) {
            let whole = sketch(&Permutations::new(100, 4), &shingles);
            prop_assert_eq!(&sketch(&Permutations::new(k, 4), &shingles), &whole[..k]);
        }

        #[test]
        fn equal_minima_are_equal_fingerprints(a in any::<u64>(), b in any::<u64>()) {
            let permutations = Permutations::new(30, 2);
            let agreeing = agreeing(&sketch(&permutations, &[a]), &sketch(&permutations, &[b]));
            prop_assert_eq!(agreeing, if a >> 32 == b >> 32 { 30 } else { 0 });
        }
    }
}
