//! How much of a complete answer was found.

use std::collections::HashSet;

use super::finder::Pair;

/// Recall in two senses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Recall {
    /// Of the texts that the reference finds to be duplicates, those found. The paper counts texts too, but divides by the count
    /// alone, which is above 1 where more is found than the reference has.
    pub(crate) texts: f64,
    /// Pairs of the reference that were found.
    pub(crate) pairs: f64,
}

/// The recall of `found` against a reference. Of nothing, everything was found.
pub(crate) fn recall(found: &[Pair], reference: &[Pair]) -> Recall {
    let keys: HashSet<(u32, u32)> = found.iter().map(|pair| pair.key()).collect();
    let both = reference.iter().filter(|pair| keys.contains(&pair.key()));
    let (texts, sought) = (texts(found), texts(reference));
    Recall {
        texts: share(sought.intersection(&texts).count(), sought.len()),
        pairs: share(both.count(), reference.len()),
    }
}

/// How many texts are in a pair.
pub(crate) fn duplicates(pairs: &[Pair]) -> usize {
    texts(pairs).len()
}

fn texts(pairs: &[Pair]) -> HashSet<u32> {
    pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect()
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(keys: &[(u32, u32)]) -> Vec<Pair> {
        keys.iter().map(|&(a, b)| Pair::new(a, b, 1.0)).collect()
    }

    #[test]
    fn texts_and_pairs_are_counted_apart() {
        let reference = pairs(&[(0, 1), (0, 2), (1, 2), (3, 4)]);
        let found = pairs(&[(1, 0), (2, 1)]);
        let recall = recall(&found, &reference);
        assert_eq!((recall.texts, recall.pairs), (0.6, 0.5));
    }

    #[test]
    fn what_the_reference_does_not_have_does_not_count() {
        let recall = recall(&pairs(&[(0, 1), (2, 3)]), &pairs(&[(0, 1), (4, 5)]));
        assert_eq!((recall.texts, recall.pairs), (0.5, 0.5));
    }

    #[test]
    fn nothing_to_find_is_found() {
        let recall = recall(&[], &[]);
        assert_eq!((recall.texts, recall.pairs), (1.0, 1.0));
    }
}
