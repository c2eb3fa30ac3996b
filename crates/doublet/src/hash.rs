//! The one hash of the library, version 1.
//!
//! `hash_bytes` reads little-endian words of eight bytes, the last padded with zeros, and folds each into the state by a
//! 64 × 64 → 128 bit multiplication whose halves are combined with exclusive or. The state starts with the length, so that
//! padding is no ambiguity. Shingles roll a polynomial in [`MULTIPLIER`] over the hashes of their words. Output is pinned by
//! golden values in the tests: a change is a change of format.

/// Version of the hash, stored wherever fingerprints are.
pub const HASH_VERSION: u32 = 1;

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const LENGTH: u64 = 0xA076_1D64_78BD_642F;
const WORD: u64 = 0xE703_7ED1_A0B4_28DB;
const FINISH: u64 = 0x8EBC_6AF0_9C88_C6E3;

/// Base of the polynomial that rolls word hashes into a shingle's.
pub const MULTIPLIER: u64 = 0x5851_F42D_4C95_7F2D;

/// Product of two 64-bit numbers, its halves combined.
#[inline(always)]
pub fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// State before the first word of a string of `length` bytes.
#[inline(always)]
pub fn start(length: usize) -> u64 {
    SEED ^ (length as u64).wrapping_mul(LENGTH)
}

/// State after one more word of eight bytes.
#[inline(always)]
pub fn step(state: u64, word: u64) -> u64 {
    fold(state ^ word, WORD)
}

/// Last step: spreads the state over all bits.
#[inline(always)]
pub fn finish(state: u64) -> u64 {
    fold(state ^ SEED, FINISH)
}

/// Hash of a string of bytes.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut state = start(bytes.len());
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = step(state, u64::from_le_bytes(*word));
    }
    if !rest.is_empty() || words.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        state = step(state, u64::from_le_bytes(word));
    }
    state
}

/// Hash of a word of ASCII letters at `start..end` of `text`, each byte or-ed with `case` (`0x20` folds the case of letters,
/// 0 leaves it). The same as `hash_bytes` of the folded word, without writing it anywhere.
#[inline(always)]
pub fn hash_ascii_word(text: &[u8], begin: usize, end: usize, case: u8) -> u64 {
    let length = end - begin;
    let mut state = start(length);
    let mut at = begin;
    let case = u64::from(case) * 0x0101_0101_0101_0101;
    while end - at > 8 {
        state = step(state, load(text, at) | case);
        at += 8;
    }
    let mask = u64::MAX >> (64 - 8 * (end - at) as u32);
    step(state, (load(text, at) | case) & mask)
}

/// Eight bytes from `at` on, zeros past the end.
#[inline(always)]
fn load(text: &[u8], at: usize) -> u64 {
    if let Some(word) = text.get(at..at + 8).and_then(|word| word.try_into().ok()) {
        return u64::from_le_bytes(word);
    }
    let rest = &text[at.min(text.len())..];
    let mut word = [0; 8];
    word[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn golden_values() {
        let golden = [
            "",
            "a",
            "doublet",
            "eight888",
            "nine99999",
            "Straßenbahnhaltestelle",
        ]
        .map(|text| format!("{:016x}", hash_bytes(text.as_bytes())));
        insta::assert_compact_debug_snapshot!(golden);
    }

    proptest! {
        #[test]
        fn a_word_in_place_hashes_like_its_copy(before in "[a-z ]{0,9}", word in "[a-zA-Z]{1,30}", after in "[ a-z]{0,9}") {
            let text = format!("{before}{word}{after}");
            let (begin, end) = (before.len(), before.len() + word.len());
            prop_assert_eq!(hash_ascii_word(text.as_bytes(), begin, end, 0x20), hash_bytes(word.to_ascii_lowercase().as_bytes()));
            prop_assert_eq!(hash_ascii_word(text.as_bytes(), begin, end, 0), hash_bytes(word.as_bytes()));
        }
    }
}
