//! The distinct fingerprints of one text.

/// Highest bits of a fingerprint that choose its mark.
const MARK_BITS: u32 = 14;
/// Shingles of a text that is looked through by marks: few of them share one.
const MARKED: usize = 1000;
/// Shared marks that are looked into one by one.
const MOST_SHARED: usize = 24;
/// Shingles past which a table would take several times the room of the shingles: they are sorted.
const LONG: usize = if cfg!(test) { 1_100 } else { 1 << 20 };

/// A set that is emptied for every text and keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct DistinctSet {
    marks: Vec<u64>,
    shared: Vec<usize>,
    slots: Vec<u64>,
}

impl DistinctSet {
    /// Writes each of `fingerprints` once into `out`, in the order of first occurrence; those of a very long text in their own.
    pub(crate) fn distinct(&mut self, fingerprints: &[u64], out: &mut Vec<u64>) {
        out.clear();
        if fingerprints.len() > LONG {
            out.extend_from_slice(fingerprints);
            out.sort_unstable();
            out.dedup();
        } else if self.none_repeats(fingerprints) {
            out.extend_from_slice(fingerprints);
        } else {
            self.each_once(fingerprints, out);
        }
    }

    /// Whether all are different for sure: most texts end here. Only those that share a mark with one before are compared.
    fn none_repeats(&mut self, fingerprints: &[u64]) -> bool {
        if fingerprints.len() > MARKED {
            return false;
        }
        self.marks.clear();
        self.marks.resize(1 << (MARK_BITS - 6), 0);
        self.shared.clear();
        for (place, &fingerprint) in fingerprints.iter().enumerate() {
            let mark = fingerprint >> (64 - MARK_BITS);
            let word = &mut self.marks[(mark >> 6) as usize];
            let bit = 1 << (mark & 63);
            if *word & bit != 0 {
                self.shared.push(place);
            }
            *word |= bit;
        }
        let repeats = |&place: &usize| fingerprints[..place].contains(&fingerprints[place]);
        self.shared.len() <= MOST_SHARED && !self.shared.iter().any(repeats)
    }

    fn each_once(&mut self, fingerprints: &[u64], out: &mut Vec<u64>) {
        let size = (fingerprints.len() * 4).next_power_of_two().max(64);
        if self.slots.len() < size {
            self.slots.resize(size, 0);
        }
        let slots = &mut self.slots[..size];
        slots.fill(0);
        let mask = size - 1;
        let mut zero = false;
        for &fingerprint in fingerprints {
            if fingerprint == 0 {
                // Zero marks a free slot.
                if !std::mem::replace(&mut zero, true) {
                    out.push(0);
                }
                continue;
            }
            let mut slot = fingerprint as usize & mask;
            while slots[slot] != 0 && slots[slot] != fingerprint {
                slot = (slot + 1) & mask;
            }
            if slots[slot] == 0 {
                slots[slot] = fingerprint;
                out.push(fingerprint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_once_in_order(
            low in proptest::collection::vec(0u64..50, 0..200),
            high in proptest::collection::vec(any::<u64>(), 0..1200),
            again in proptest::collection::vec(any::<prop::sample::Index>(), 0..3),
        ) {
            let mut values = high;
            values.extend(&low);
            for index in again.iter().filter(|_| low.is_empty()) {
                if !values.is_empty() {
                    values.push(values[index.index(values.len())]);
                }
            }
            let mut expected = values.clone();
            let mut seen = std::collections::HashSet::new();
            expected.retain(|value| seen.insert(*value));
            let mut found = Vec::new();
            let mut set = DistinctSet::default();
            set.distinct(&[1, 2, 3], &mut found);
            set.distinct(&values, &mut found);
            if values.len() > LONG {
                expected.sort_unstable();
            }
            prop_assert_eq!(found, expected);
        }
    }
}
