//! Which bits of two near fingerprints agree (Manku, Jain and Das Sarma, *Detecting near-duplicates for web crawling*, 2007).
//!
//! Cut into more blocks than the bits that may differ, two near fingerprints agree in some blocks as a whole: in at least
//! `blocks − distance` of them. For every choice of so many blocks there is a table in which those bits come first, and a near pair
//! stands under one key in at least one. Few blocks make few tables of short keys, under which many meet; many blocks make many
//! tables of long ones. A pair belongs to the first table in which it meets, which its differing bits alone tell.

use crate::method::simhash::BITS;

/// What it takes to put a fingerprint into a table and to sort it there, in comparisons of two.
const SORTING: f64 = 60.0;
/// Blocks beyond the distance that are thought of, and the most tables.
const MOST_AGREEING: u32 = 12;
const MOST_TABLES: u64 = 20_000;

/// How fingerprints are cut into blocks to find those within a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPlan {
    /// The most bits in which two near fingerprints differ.
    pub distance: u32,
    /// Blocks of the 64 bits, as even as can be.
    pub blocks: u32,
    /// Blocks that agree in a table; with none, all fingerprints are compared.
    pub agreeing: u32,
}

impl BlockPlan {
    /// The plan of least expected work for so many fingerprints, if they are spread evenly.
    pub(crate) fn new(distance: u32, fingerprints: usize) -> Self {
        let all = Self {
            distance,
            blocks: 1,
            agreeing: 0,
        };
        let cut = (1..=MOST_AGREEING).map(|agreeing| Self {
            distance,
            blocks: distance + agreeing,
            agreeing,
        });
        let cut = cut.filter(|plan| plan.blocks <= BITS && plan.tables() <= MOST_TABLES);
        let work = |plan: &Self| plan.work(fingerprints as f64);
        cut.fold(all, |best, plan| {
            if work(&plan) < work(&best) {
                plan
            } else {
                best
            }
        })
    }

    /// Expected comparisons, sorting among them.
    fn work(&self, fingerprints: f64) -> f64 {
        let keys = f64::from(self.bits()).exp2();
        let one = fingerprints * SORTING + fingerprints * fingerprints / 2.0 / keys;
        self.tables() as f64 * one
    }

    /// Number of tables: none at distance 0, where equal fingerprints are all there is to find.
    pub fn tables(&self) -> u64 {
        if self.distance == 0 {
            return 0;
        }
        // Past 64 bits there are too many in any case.
        let (blocks, agreeing) = (u64::from(self.blocks), u64::from(self.agreeing));
        (0..agreeing).fold(1u64, |count, at| {
            count.saturating_mul(blocks - at) / (at + 1)
        })
    }

    /// The least bits that agree in a table.
    pub fn bits(&self) -> u32 {
        let mut widths: Vec<u32> = (0..self.blocks).map(|block| self.block(block).1).collect();
        widths.sort_unstable();
        widths.iter().take(self.agreeing as usize).sum()
    }

    /// The lowest bit of a block, and how many it has.
    fn block(&self, block: u32) -> (u32, u32) {
        let start = |block: u32| BITS * block / self.blocks;
        (start(block), start(block + 1) - start(block))
    }

    /// Every table.
    pub(crate) fn each_table(self) -> impl Iterator<Item = Table> {
        let mut choice: Vec<u32> = (0..self.agreeing).collect();
        (0..self.tables()).map(move |_| {
            let table = Table::new(self, &choice);
            next_choice(&mut choice, self.blocks);
            table
        })
    }
}

/// The next choice of blocks in the order of a dictionary.
fn next_choice(choice: &mut [u32], blocks: u32) {
    let count = choice.len();
    let room = |at: usize| blocks - (count - at) as u32;
    if let Some(at) = (0..count).rev().find(|&at| choice[at] < room(at)) {
        choice[at] += 1;
        for next in at + 1..count {
            choice[next] = choice[next - 1] + 1;
        }
    }
}

/// One table: the fingerprints with the bits of the chosen blocks first.
#[derive(Debug)]
pub(crate) struct Table {
    /// The blocks in their order here, the first highest: lowest bit, and number of bits.
    order: Vec<(u32, u32)>,
    /// Bits of the chosen blocks.
    pub(crate) bits: u32,
    /// Where the blocks stand here that, if they agree, make a pair meet in a table before this one.
    earlier: Vec<u64>,
}

impl Table {
    fn new(plan: BlockPlan, choice: &[u32]) -> Self {
        let others = (0..plan.blocks).filter(|block| !choice.contains(block));
        let blocks: Vec<u32> = choice.iter().copied().chain(others).collect();
        let last = choice.last().copied().unwrap_or(0);
        let mut table = Self {
            order: blocks.iter().map(|&block| plan.block(block)).collect(),
            bits: choice.iter().map(|&block| plan.block(block).1).sum(),
            earlier: Vec::new(),
        };
        let mut left = BITS;
        for (place, &block) in blocks.iter().enumerate() {
            let width = plan.block(block).1;
            left -= width;
            if place >= choice.len() && block < last {
                table.earlier.push(ones(width) << left);
            }
        }
        table
    }

    /// A fingerprint as it stands in the table.
    #[inline]
    pub(crate) fn turn(&self, fingerprint: u64) -> u64 {
        match self.order[..] {
            [_] => fingerprint,
            _ => self.order.iter().fold(0, |turned, &(start, width)| {
                (turned << width) | (fingerprint >> start & ones(width))
            }),
        }
    }

    /// The bits that agree of two that meet here.
    pub(crate) fn key_mask(&self) -> u64 {
        !u64::MAX.checked_shr(self.bits).unwrap_or(0)
    }

    /// Whether a pair that meets here, and differs in these bits, meets in no table before.
    #[inline]
    pub(crate) fn is_first(&self, differing: u64) -> bool {
        self.earlier.iter().all(|block| differing & block != 0)
    }
}

/// So many bits.
fn ones(width: u32) -> u64 {
    u64::MAX.checked_shr(BITS - width).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plan(distance: u32, agreeing: u32) -> BlockPlan {
        BlockPlan {
            distance,
            blocks: distance + agreeing,
            agreeing,
        }
    }

    #[test]
    fn the_tables_of_the_paper() {
        for (agreeing, tables, bits) in [(1, 4, 16), (2, 10, 25), (3, 20, 31)] {
            let plan = plan(3, agreeing);
            assert_eq!((plan.tables(), plan.bits()), (tables, bits));
            assert_eq!(plan.each_table().count() as u64, tables);
        }
    }

    #[test]
    fn more_fingerprints_take_longer_keys() {
        let bits = |count: usize| BlockPlan::new(3, count).bits();
        assert_eq!(BlockPlan::new(3, 20).tables(), 1);
        assert!(bits(1000) <= bits(1_000_000) && bits(1_000_000) <= bits(1_000_000_000));
        assert!(bits(1_000_000_000) > 20);
        assert_eq!(BlockPlan::new(0, 1000).tables(), 0);
        for distance in 1..BITS {
            assert!((1..=MOST_TABLES).contains(&BlockPlan::new(distance, 100_000_000).tables()));
        }
    }

    proptest! {
        #[test]
        fn a_near_pair_has_one_first_table(
            value: u64,
            flips in prop::collection::vec(0u32..64, 0..9),
            more in 0u32..4,
            agreeing in 1u32..5,
        ) {
            let other = flips.iter().fold(value, |value, bit| value ^ 1 << bit);
            let plan = plan((value ^ other).count_ones() + more, agreeing);
            let firsts = plan.each_table().filter(|table| {
                let differing = table.turn(value) ^ table.turn(other);
                assert_eq!(differing.count_ones(), (value ^ other).count_ones());
                differing & table.key_mask() == 0 && table.is_first(differing)
            });
            prop_assert_eq!(firsts.count(), usize::from(plan.distance > 0));
        }
    }
}
