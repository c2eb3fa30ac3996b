//! Seeds with a few bytes changed, the same ones in every run: a little of what a fuzzer does, without one.

/// Bytes that mean something to some format.
const TELLING: &[u8] =
    b"\0\n\r\t \"',&<>/=:;.-{}[]()\\#@%+*!?019aAzZ\x7f\x80\xc3\xa4\xe2\x80\xa9\xef\xbb\xbf\xff";

/// Numbers that look random, by the xorshift of Marsaglia.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// A seed with one to four changes; some bring in a piece of another seed.
pub(crate) fn shaken(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(16)).min(bytes.len());
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] = random.next() as u8,
            1 => bytes.insert(at, TELLING[random.below(TELLING.len())]),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            4 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let until = (from + random.below(24)).min(other.len());
                bytes.splice(at..at, other[from..until].iter().copied());
            }
            _ if at < bytes.len() => bytes[at] = TELLING[random.below(TELLING.len())],
            _ => bytes.truncate(at),
        }
    }
    bytes
}
