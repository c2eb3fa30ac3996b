//! Rabin's fingerprint: a string of bytes as a polynomial over GF(2), modulo an irreducible polynomial of degree 64.
//!
//! A shingle is the string of its words, each followed by a boundary byte. Because the fingerprint of a concatenation is
//! f(AB) = f(A)·x^(8|B|) + f(B), the window rolls a word at a time whatever the words' lengths. M. O. Rabin, Fingerprinting
//! by random polynomials, 1981; the paper on the IDS corpora uses it on its pentagrams.

/// The modulus without its leading x^64. Its irreducibility is a test.
const MODULUS: u64 = 0x76EC_35ED_359F_45CB;
const BOUNDARY: u8 = b' ';
/// Word lengths whose powers of x are kept ready; longer ones are multiplied together.
const POWERS: usize = 256;

/// Fingerprint and length in bytes of one word with its boundary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    value: u64,
    length: usize,
}

/// The tables of Rabin's method.
#[derive(Clone, Debug)]
pub struct Rabin {
    /// t·x^64 mod P for each byte t.
    byte: [u64; 256],
    /// t·x^64 mod P for each half byte t.
    nibble: [u64; 16],
    /// x^(8k) mod P.
    powers: Vec<u64>,
}

impl Default for Rabin {
    fn default() -> Self {
        let mut byte = [0; 256];
        for (value, entry) in byte.iter_mut().enumerate() {
            *entry = shift(value as u64, 64);
        }
        let nibble = std::array::from_fn(|value| byte[value]);
        let mut rabin = Self {
            byte,
            nibble,
            powers: Vec::with_capacity(POWERS),
        };
        let mut power = 1;
        for _ in 0..POWERS {
            rabin.powers.push(power);
            power = rabin.append(power, 0);
        }
        rabin
    }
}

impl Rabin {
    /// The fingerprint of a word's normal form and the boundary after it.
    pub fn word(&self, form: &[u8]) -> Word {
        let value = form
            .iter()
            .chain([&BOUNDARY])
            .fold(0, |value, &byte| self.append(value, byte));
        Word {
            value,
            length: form.len() + 1,
        }
    }

    /// Fingerprints of all runs of `size` words; of all words together when there are fewer.
    pub fn shingles(&self, words: &[Word], size: usize, out: &mut Vec<u64>) {
        let (first, rest) = words.split_at(size.min(words.len()));
        if first.is_empty() {
            return;
        }
        let (mut value, mut length) = (0, 0);
        for word in first {
            value = self.push(value, word);
            length += word.length;
        }
        out.push(value);
        for (old, new) in words.iter().zip(rest) {
            length -= old.length;
            value ^= self.multiply(old.value, self.power(length));
            value = self.push(value, new);
            length += new.length;
            out.push(value);
        }
    }

    fn push(&self, value: u64, word: &Word) -> u64 {
        self.multiply(value, self.power(word.length)) ^ word.value
    }

    fn append(&self, value: u64, byte: u8) -> u64 {
        (value << 8 | u64::from(byte)) ^ self.byte[(value >> 56) as usize]
    }

    fn power(&self, bytes: usize) -> u64 {
        let whole = self.powers[POWERS - 1];
        let mut power = self.powers[bytes % (POWERS - 1)];
        for _ in 0..bytes / (POWERS - 1) {
            power = self.multiply(power, whole);
        }
        power
    }

    /// Product of two polynomials modulo P, four bits at a time.
    fn multiply(&self, a: u64, b: u64) -> u64 {
        let mut multiples = [0; 16];
        for digit in 1..16 {
            multiples[digit] = if digit % 2 == 1 {
                multiples[digit - 1] ^ a
            } else {
                shift(multiples[digit / 2], 1)
            };
        }
        (0..16).rev().fold(0, |product: u64, digit| {
            let carried = (product << 4) ^ self.nibble[(product >> 60) as usize];
            carried ^ multiples[(b >> (4 * digit)) as usize & 15]
        })
    }
}

/// a·x^bits mod P, a bit at a time.
fn shift(a: u64, bits: u32) -> u64 {
    (0..bits).fold(a, |value, _| {
        (value << 1) ^ (MODULUS & (value >> 63).wrapping_neg())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn gcd(mut a: u128, mut b: u128) -> u128 {
        while b != 0 {
            while a != 0 && a.leading_zeros() <= b.leading_zeros() {
                a ^= b << (b.leading_zeros() - a.leading_zeros());
            }
            (a, b) = (b, a);
        }
        a
    }

    /// Rabin's test: x^(2^64) = x, and x^(2^32) − x shares no factor with P.
    #[test]
    fn the_modulus_is_irreducible() {
        let rabin = Rabin::default();
        let mut power = 2;
        for round in 1..=64 {
            power = rabin.multiply(power, power);
            if round == 32 {
                let whole = 1 << 64 | u128::from(MODULUS);
                assert_eq!(gcd(whole, u128::from(power ^ 2)), 1);
            }
        }
        assert_eq!(power, 2);
    }

    #[test]
    fn golden_values() {
        let rabin = Rabin::default();
        let golden = ["", "a", "doublet", "Straßenbahnhaltestelle"]
            .map(|text| format!("{:016x}", rabin.word(text.as_bytes()).value));
        insta::assert_compact_debug_snapshot!(golden);
    }

    proptest! {
        #[test]
        fn rolling_equals_the_whole_string(words in proptest::collection::vec("[a-zß]{1,300}", 0..12), size in 1usize..6) {
            let rabin = Rabin::default();
            let parts: Vec<_> = words.iter().map(|word| rabin.word(word.as_bytes())).collect();
            let mut rolled = Vec::new();
            rabin.shingles(&parts, size, &mut rolled);
            let windows: Vec<&[String]> = if words.is_empty() { Vec::new() } else { words.windows(size.min(words.len())).collect() };
            let whole: Vec<u64> = windows.iter().map(|window| rabin.word(window.join(" ").as_bytes()).value).collect();
            prop_assert_eq!(rolled, whole);
        }
    }
}
