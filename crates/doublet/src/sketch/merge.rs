//! Counting what two sorted lists share.

use std::cmp::Ordering;

/// How many of the `most` smallest numbers of the union stand in both lists, and how many numbers that union has (at most
/// `most`). The lists are sorted and without repeats.
pub(super) fn common_of_union(a: &[u64], b: &[u64], most: usize) -> (u32, u32) {
    let (mut i, mut j) = (0, 0);
    let (mut common, mut union) = (0, 0);
    while union < most && i < a.len() && j < b.len() {
        let order = a[i].cmp(&b[j]);
        i += usize::from(order != Ordering::Greater);
        j += usize::from(order != Ordering::Less);
        common += u32::from(order == Ordering::Equal);
        union += 1;
    }
    // One list at most has anything left, and none of it is shared.
    let rest = (a.len() - i) + (b.len() - j);
    (common, (union + rest).min(most) as u32)
}
