//! What hangs together already: the groups of a bucket, and the sets of a run with what one task has joined since.

use hashbrown::HashMap;

use crate::union_find::UnionFind;

/// Texts of a bucket that hang together. What order the members have follows from the bucket alone.
pub(super) struct Group {
    pub(super) root: u32,
    /// The least member, which the groups of a bucket are ordered by.
    pub(super) first: u32,
    pub(super) members: Vec<u32>,
    /// Members and their copies.
    pub(super) copies: u64,
}

impl Group {
    pub(super) fn new(root: u32, first: u32) -> Self {
        Self {
            root,
            first,
            members: Vec::new(),
            copies: 0,
        }
    }

    /// Takes the members of another group, the fewer ones to the more.
    pub(super) fn take(&mut self, other: &mut Self) {
        if self.members.len() < other.members.len() {
            std::mem::swap(&mut self.members, &mut other.members);
        }
        self.members.append(&mut other.members);
        self.first = self.first.min(other.first);
        self.copies += other.copies;
    }
}

/// Sets, and what one task has joined since.
pub(super) struct Overlay<'a> {
    pub(super) sets: &'a UnionFind,
    pub(super) parents: HashMap<u32, u32>,
}

impl Overlay<'_> {
    pub(super) fn find(&self, text: u32) -> u32 {
        let mut root = self.sets.root(text);
        while let Some(&parent) = self.parents.get(&root) {
            root = parent;
        }
        root
    }

    pub(super) fn union(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parents.insert(a.max(b), a.min(b));
        }
        a.min(b)
    }
}
