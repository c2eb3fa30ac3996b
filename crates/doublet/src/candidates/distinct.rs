//! The distinct fingerprints of one text.

/// A set that is emptied for every text and keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct DistinctSet {
    slots: Vec<u64>,
}

impl DistinctSet {
    /// Writes each of `fingerprints` once into `out`, in the order of first occurrence.
    pub(crate) fn distinct(&mut self, fingerprints: &[u64], out: &mut Vec<u64>) {
        out.clear();
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
        fn each_once_in_order(values in proptest::collection::vec(0u64..50, 0..200)) {
            let mut expected = values.clone();
            let mut seen = std::collections::HashSet::new();
            expected.retain(|value| seen.insert(*value));
            let mut found = Vec::new();
            let mut set = DistinctSet::default();
            set.distinct(&[1, 2, 3], &mut found);
            set.distinct(&values, &mut found);
            prop_assert_eq!(found, expected);
        }
    }
}
