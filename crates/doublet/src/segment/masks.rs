//! The classes of bytes, 64 at a time: one bit a byte, so that a run of letters is found by counting zeros.

use crate::fenced::classify::{BLOCK, Classes, classify_block};

/// What lies in the 64 bytes from a place on where no token is open.
pub(super) enum Runs {
    /// Runs of letters or of digits, each followed by something else in ASCII.
    Ascii(AsciiRuns),
    /// One run of letters or of digits that fills the block; its end.
    Long(usize),
    /// A character outside ASCII, or a run that touches one.
    Wide,
}

/// The runs of a block.
pub(super) struct AsciiRuns {
    base: usize,
    starts: u64,
    ends: u64,
    end: usize,
}

impl Runs {
    /// Looks at the bytes from `at` on.
    #[inline(always)]
    pub(super) fn new(bytes: &[u8], at: usize) -> Self {
        let Classes {
            mut letters,
            mut digits,
            wide,
        } = classify(bytes, at);
        let mut stop = BLOCK;
        if wide != 0 {
            stop = wide.trailing_zeros() as usize;
            let before = (1 << stop) - 1;
            letters &= before;
            digits &= before;
        }
        let starts = (letters & !(letters << 1)) | (digits & !(digits << 1));
        let mut runs = AsciiRuns {
            base: at,
            starts,
            ends: (!letters & (letters << 1)) | (!digits & (digits << 1)),
            end: at + stop,
        };
        // A run that touches the stop may go on: the next look starts with it.
        if stop > 0 && (letters | digits) >> (stop - 1) & 1 != 0 {
            runs.end = at + 63 - starts.leading_zeros() as usize;
            runs.ends &= !1u64.checked_shl(stop as u32).unwrap_or(0);
        }
        match (runs.end > at, stop) {
            (true, _) => Self::Ascii(runs),
            (false, BLOCK) => Self::long(bytes, at),
            (false, _) => Self::Wide,
        }
    }

    #[cold]
    fn long(bytes: &[u8], at: usize) -> Self {
        let is_digit = bytes[at].is_ascii_digit();
        let goes_on = |byte: &u8| {
            if is_digit {
                byte.is_ascii_digit()
            } else {
                byte.is_ascii_alphabetic()
            }
        };
        let length = bytes[at..].iter().position(|byte| !goes_on(byte));
        match length.map(|length| at + length) {
            Some(end) if bytes[end] >= 128 => Self::Wide,
            end => Self::Long(end.unwrap_or(bytes.len())),
        }
    }
}

impl AsciiRuns {
    /// Number of runs.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.ends.count_ones()
    }

    /// The next run; to be called `count` times.
    #[inline(always)]
    pub(super) fn next(&mut self) -> (usize, usize) {
        let start = self.base + self.starts.trailing_zeros() as usize;
        let end = self.base + self.ends.trailing_zeros() as usize;
        self.starts &= self.starts.wrapping_sub(1);
        self.ends &= self.ends.wrapping_sub(1);
        (start, end)
    }

    /// Where to look next.
    pub(super) fn end(&self) -> usize {
        self.end
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The runs of a text, each with what follows: another byte of ASCII, or a wide character.
    fn runs(text: &str) -> Vec<&str> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() {
            at = match Runs::new(text.as_bytes(), at) {
                Runs::Ascii(mut runs) => {
                    for _ in 0..runs.count() {
                        let (start, end) = runs.next();
                        found.push(&text[start..end]);
                    }
                    runs.end()
                }
                Runs::Long(end) => {
                    found.push(&text[at..end]);
                    end
                }
                Runs::Wide => {
                    let first = text[at..].find(|c: char| !c.is_ascii()).unwrap();
                    let length = text[at + first..].chars().next().unwrap().len_utf8();
                    found.push(&text[at..at + first + length]);
                    at + first + length
                }
            };
        }
        found
    }

    #[test]
    fn runs_are_found_across_blocks() {
        let long = "a".repeat(150);
        for before in 0..130 {
            let text = format!("{}{long} b2b 777{}x", "-".repeat(before), "é");
            assert_eq!(
                runs(&text),
                [long.as_str(), "b", "2", "b", "777é", "x"],
                "{before}"
            );
            let text = format!(
                "{}one two{} 64",
                "-".repeat(before),
                " ".repeat(130 - before)
            );
            assert_eq!(runs(&text), ["one", "two", "64"], "{before}");
        }
        assert_eq!(runs(&"a".repeat(64)), ["a".repeat(64)]);
        assert_eq!(
            runs(&format!("{}é", "a".repeat(64))),
            [format!("{}é", "a".repeat(64))]
        );
    }
}
