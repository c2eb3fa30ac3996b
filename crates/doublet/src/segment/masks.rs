//! The classes of bytes, 64 at a time: one bit a byte, so that a run of letters is found by counting zeros.

/// Bit masks of one block of 64 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Classes {
    letters: u64,
    digits: u64,
    /// Parts of characters outside ASCII.
    wide: u64,
}

/// Walks over the classes of a text's bytes.
pub(super) struct Masks<'a> {
    bytes: &'a [u8],
    block: usize,
    classes: Classes,
}

const BLOCK: usize = 64;

impl<'a> Masks<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            block: 0,
            classes: classify(bytes, 0),
        }
    }

    #[inline(always)]
    fn load(&mut self, at: usize) {
        if at / BLOCK != self.block {
            self.block = at / BLOCK;
            self.classes = classify(self.bytes, self.block * BLOCK);
        }
    }

    /// First byte from `at` on whose bit is set in the mask that `of` takes; the end of the text when there is none.
    #[inline(always)]
    fn find(&mut self, mut at: usize, of: impl Fn(Classes) -> u64) -> usize {
        while at < self.bytes.len() {
            self.load(at);
            let ahead = of(self.classes) >> (at % BLOCK);
            if ahead != 0 {
                return (at + ahead.trailing_zeros() as usize).min(self.bytes.len());
            }
            at = (self.block + 1) * BLOCK;
        }
        self.bytes.len()
    }

    /// First byte of a token from `at` on.
    #[inline(always)]
    pub(super) fn token(&mut self, at: usize) -> usize {
        self.find(at, |classes| {
            classes.letters | classes.digits | classes.wide
        })
    }

    /// End of the run of letters that `at` is in.
    #[inline(always)]
    pub(super) fn letters_end(&mut self, at: usize) -> usize {
        self.find(at, |classes| !classes.letters)
    }

    /// End of the run of digits that `at` is in.
    #[inline(always)]
    pub(super) fn digits_end(&mut self, at: usize) -> usize {
        self.find(at, |classes| !classes.digits)
    }
}

/// The masks of the 64 bytes from `start` on; what lies past the end is a boundary.
#[inline(always)]
fn classify(bytes: &[u8], start: usize) -> Classes {
    if let Some(block) = bytes
        .get(start..start + BLOCK)
        .and_then(|block| block.try_into().ok())
    {
        return classify_block(block);
    }
    let mut block = [0; BLOCK];
    let rest = bytes.get(start..).unwrap_or_default();
    block[..rest.len()].copy_from_slice(rest);
    classify_block(&block)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[expect(
    unsafe_code,
    reason = "the only unsafe block; benchmarks/README.md has what it gains"
)]
fn classify_block(block: &[u8; BLOCK]) -> Classes {
    // SAFETY: every x86-64 processor has SSE2.
    unsafe { classify_sse2(block) }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn classify_sse2(block: &[u8; BLOCK]) -> Classes {
    use std::arch::x86_64::{_mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8};
    let mut classes = Classes::default();
    let (quarters, _) = block.as_chunks::<16>();
    for (quarter, bytes) in quarters.iter().enumerate() {
        let half = |at: usize| bytes[at..at + 8].try_into().map_or(0, i64::from_le_bytes);
        let x = _mm_set_epi64x(half(8), half(0));
        let shift = 16 * quarter;
        classes.letters |=
            u64::from(within(_mm_or_si128(x, _mm_set1_epi8(0x20)), b'a', b'z')) << shift;
        classes.digits |= u64::from(within(x, b'0', b'9')) << shift;
        classes.wide |= u64::from(_mm_movemask_epi8(x) as u16) << shift;
    }
    classes
}

/// Which bytes lie in a range of ASCII. The comparison is signed: bytes outside ASCII are negative and in no range.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn within(x: std::arch::x86_64::__m128i, low: u8, high: u8) -> u16 {
    use std::arch::x86_64::{_mm_and_si128, _mm_cmpgt_epi8, _mm_movemask_epi8, _mm_set1_epi8};
    let above = _mm_cmpgt_epi8(x, _mm_set1_epi8(low as i8 - 1));
    let below = _mm_cmpgt_epi8(_mm_set1_epi8(high as i8 + 1), x);
    _mm_movemask_epi8(_mm_and_si128(above, below)) as u16
}

#[cfg(not(target_arch = "x86_64"))]
fn classify_block(block: &[u8; BLOCK]) -> Classes {
    classify_plainly(block)
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn classify_plainly(block: &[u8; BLOCK]) -> Classes {
    let mask = |belongs: fn(&u8) -> bool| {
        let bits = block.iter().enumerate();
        bits.fold(0, |mask, (bit, byte)| {
            mask | u64::from(belongs(byte)) << bit
        })
    };
    Classes {
        letters: mask(u8::is_ascii_alphabetic),
        digits: mask(u8::is_ascii_digit),
        wide: mask(|byte| *byte >= 128),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_falls_into_its_class() {
        for start in 0..=255u8 {
            let block = std::array::from_fn(|at| start.wrapping_add(at as u8));
            assert_eq!(classify_block(&block), classify_plainly(&block), "{start}");
        }
    }

    #[test]
    fn runs_go_on_over_blocks() {
        let text = format!("{}{} {}", "-".repeat(60), "a".repeat(150), "7".repeat(3));
        let mut masks = Masks::new(text.as_bytes());
        assert_eq!(masks.token(0), 60);
        assert_eq!(masks.letters_end(60), 210);
        assert_eq!(masks.token(210), 211);
        assert_eq!(masks.digits_end(211), 214);
        assert_eq!(masks.token(214), 214);
    }
}
