//! Sets that merge.

/// Disjoint sets of numbers; the smallest number stands for its set.
#[derive(Clone, Debug)]
pub(crate) struct UnionFind(Vec<u32>);

impl UnionFind {
    /// So many sets of one number each.
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// The number that stands for the set of `x`.
    pub(crate) fn find(&mut self, mut x: u32) -> u32 {
        while self.0[x as usize] != x {
            let parent = self.0[x as usize];
            self.0[x as usize] = self.0[parent as usize];
            x = parent;
        }
        x
    }

    /// The same without shortening the way, for many readers at once.
    pub(crate) fn root(&self, mut x: u32) -> u32 {
        while self.0[x as usize] != x {
            x = self.0[x as usize];
        }
        x
    }

    /// Merges two sets. `false` when they were one already.
    pub(crate) fn union(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}
