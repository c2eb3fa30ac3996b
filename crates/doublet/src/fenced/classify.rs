//! The classes of bytes, 64 at a time: one bit a byte.

/// Bit masks of one block of 64 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Classes {
    pub(crate) letters: u64,
    pub(crate) digits: u64,
    /// Parts of characters outside ASCII.
    pub(crate) wide: u64,
}

pub(crate) const BLOCK: usize = 64;

/// Classes of 64 bytes at a time.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn classify_block(block: &[u8; BLOCK]) -> Classes {
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

/// Classes of 64 bytes at a time.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn classify_block(block: &[u8; BLOCK]) -> Classes {
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
}
