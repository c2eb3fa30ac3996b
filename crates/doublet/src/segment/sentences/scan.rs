//! Finds the few bytes at which a sentence can end, 64 at a time.

/// Walks over the places in a text where a stop or a line end may begin, in order.
#[derive(Debug)]
pub(super) struct Candidates<'a> {
    bytes: &'a [u8],
    /// Where the block of `mask` begins.
    base: usize,
    /// The candidates of the block not yet handed out, one bit a byte.
    mask: u64,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut candidates = Self {
            bytes: text.as_bytes(),
            base: 0,
            mask: 0,
        };
        candidates.load();
        candidates
    }

    /// The first candidate at or after `from`, which never goes back.
    #[inline]
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        if from >= self.base + 64 {
            self.base = from & !63;
            self.load();
        }
        if from > self.base {
            self.mask &= u64::MAX << (from - self.base);
        }
        loop {
            while self.mask != 0 {
                let at = self.base + self.mask.trailing_zeros() as usize;
                self.mask &= self.mask - 1;
                if self.may_end(at) {
                    return Some(at);
                }
            }
            self.base += 64;
            if self.base >= self.bytes.len() {
                return None;
            }
            self.load();
        }
    }

    fn load(&mut self) {
        let rest = self.bytes.get(self.base..).unwrap_or_default();
        self.mask = match rest.first_chunk::<64>() {
            Some(block) => mask(block),
            None => {
                let mut block = [0; 64];
                block[..rest.len()].copy_from_slice(rest);
                mask(&block)
            }
        };
    }

    /// Whether the character at `at` can end a sentence. Lead bytes are shared by many that cannot.
    #[inline]
    fn may_end(&self, at: usize) -> bool {
        let byte = |offset: usize| self.bytes.get(at + offset).copied().unwrap_or(0);
        match byte(0) {
            0xC2 => byte(1) == 0x85,
            0xCD => byte(1) == 0xBE,
            0xD6 => byte(1) == 0x89,
            0xD8 => byte(1) == 0x9F,
            0xDB => byte(1) == 0x94,
            0xE0 => matches!(
                (byte(1), byte(2)),
                (0xA5, 0xA4 | 0xA5) | (0xBC, 0x8D | 0x8E)
            ),
            0xE1 => matches!(
                (byte(1), byte(2)),
                (0x81, 0x8B) | (0x8D, 0xA2 | 0xA7 | 0xA8) | (0x9F, 0x94 | 0x95)
            ),
            0xE2 => matches!(
                (byte(1), byte(2)),
                (0x80, 0xA6 | 0xA8 | 0xA9 | 0xBC) | (0x81, 0x87..=0x89)
            ),
            0xE3 => byte(1) == 0x80 && byte(2) == 0x82,
            0xEF => matches!(
                (byte(1), byte(2)),
                (0xBC, 0x81 | 0x8E | 0x9F) | (0xBD, 0xA1)
            ),
            // A semicolon asks a question in Greek, whose letters are not ASCII.
            b';' => at > 0 && self.bytes[at - 1] >= 0x80,
            _ => true,
        }
    }
}

/// The bytes that can begin a stop or a line end, one bit each, lowest first.
#[inline]
fn mask(block: &[u8; 64]) -> u64 {
    let mut hits = [0_u8; 64];
    for (hit, &byte) in hits.iter_mut().zip(block) {
        *hit = u8::from(
            (byte == b'.')
                | (byte == b'!')
                | (byte == b'?')
                | (byte == b';')
                | (byte.wrapping_sub(0x0A) < 4)
                | (byte.wrapping_sub(0xE0) < 4)
                | (byte == 0xEF)
                | (byte == 0xC2)
                | (byte == 0xCD)
                | (byte == 0xD6)
                | (byte == 0xD8)
                | (byte == 0xDB),
        );
    }
    let (words, _) = hits.as_chunks::<8>();
    words.iter().rev().fold(0, |mask, word| {
        // The product gathers the low bits of the eight bytes in its highest byte.
        let bits = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask << 8 | bits
    })
}
