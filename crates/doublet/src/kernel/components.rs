//! What hangs together, by edges between handles.

use hashbrown::HashMap;

/// Texts of a forest before it is handed on.
const MOST_TEXTS: usize = 1 << 20;

/// Sets of texts that edges connect.
#[derive(Debug, Default)]
pub struct Forest {
    numbers: HashMap<i64, u32>,
    docs: Vec<i64>,
    parents: Vec<u32>,
    /// So many texts were taken out.
    taken: usize,
}

impl Forest {
    /// Adds an edge; one from a text to itself says nothing.
    pub fn add(&mut self, a: i64, b: i64) {
        if a == b {
            return;
        }
        let (a, b) = (self.number(a), self.number(b));
        let (a, b) = (self.find(a), self.find(b));
        // The lesser handle stands for the set.
        if self.docs[a as usize] < self.docs[b as usize] {
            self.parents[b as usize] = a;
        } else {
            self.parents[a as usize] = b;
        }
    }

    /// Whether it has so many texts that its edges are better handed on.
    pub fn is_full(&self) -> bool {
        self.docs.len() >= MOST_TEXTS
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// All texts, each with the least that it is connected with, in the order in which they came.
    pub fn take(&mut self) -> Vec<(i64, i64)> {
        let mut found = Vec::with_capacity(self.len());
        while self.take_some(usize::MAX, &mut found) {}
        found
    }

    /// The next texts, at most so many; `false` once there are no more, after which it is empty. Nothing is to be added before.
    pub fn take_some(&mut self, most: usize, found: &mut Vec<(i64, i64)>) -> bool {
        let until = self.taken.saturating_add(most).min(self.len());
        for text in self.taken..until {
            let root = self.find(text as u32);
            found.push((self.docs[text], self.docs[root as usize]));
        }
        self.taken = until;
        if until < self.len() {
            return true;
        }
        *self = Self::default();
        false
    }

    fn number(&mut self, doc: i64) -> u32 {
        let next = self.docs.len() as u32;
        let number = *self.numbers.entry(doc).or_insert(next);
        if number == next {
            self.docs.push(doc);
            self.parents.push(next);
        }
        number
    }

    fn find(&mut self, mut text: u32) -> u32 {
        while self.parents[text as usize] != text {
            let parent = self.parents[text as usize];
            self.parents[text as usize] = self.parents[parent as usize];
            text = parent;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::union_find::UnionFind;

    proptest! {
        #[test]
        fn the_least_handle_stands_for_what_hangs_together(
            edges in prop::collection::vec((0u32..20, 0u32..20), 0..40), tasks in 1usize..5, salt in any::<i64>(),
        ) {
            // Handles that rise and fall.
            let doc = |text: u32| i64::from(text).wrapping_mul(0x1E37_79B9_7F4A_7C15) ^ salt;
            let mut sets = UnionFind::new(20);
            let mut whole = Forest::default();
            for task in edges.chunks(edges.len().div_ceil(tasks).max(1)) {
                let mut part = Forest::default();
                for &(a, b) in task {
                    sets.union(a, b);
                    part.add(doc(a), doc(b));
                }
                part.take().into_iter().for_each(|(text, root)| whole.add(root, text));
            }
            let found: BTreeMap<i64, i64> = whole.take().into_iter().collect();
            let mut expected = BTreeMap::new();
            for text in (0..20).filter(|&text| edges.iter().any(|&(a, b)| a != b && (a == text || b == text))) {
                let same = (0..20).filter(|&other| sets.root(other) == sets.root(text));
                expected.insert(doc(text), same.map(doc).min().unwrap());
            }
            prop_assert_eq!(found, expected);
        }
    }
}
