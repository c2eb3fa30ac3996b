//! The slides' one-pass algorithm: a slot for each function, and every slot keeps the smallest value it has seen.

/// Scans the rows in any order, and lowers each slot to its function's value at a row if that is smaller. `function(i, row)`
/// is the value of function `i`. Whoever starts puts infinity into the slots; whoever goes on leaves them as they are.
///
/// The compiler keeps a fixed number of slots in registers, so this is also the kernel of
/// [`Permutations`](super::Permutations).
#[inline(always)]
pub fn one_pass<Row, Value, const SLOTS: usize>(
    rows: impl IntoIterator<Item = Row>,
    function: impl Fn(usize, Row) -> Value,
    slots: &mut [Value; SLOTS],
) where
    Row: Copy,
    Value: Ord + Copy,
{
    for row in rows {
        for (i, slot) in slots.iter_mut().enumerate() {
            *slot = (*slot).min(function(i, row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFINITY: u32 = u32::MAX;

    /// Numbers of the rows (from 1) where a column has a 1.
    fn rows<const ROWS: usize>(column: [u8; ROWS]) -> Vec<u32> {
        (1..)
            .zip(column)
            .filter(|&(_, bit)| bit == 1)
            .map(|(row, _)| row)
            .collect()
    }

    /// Common rows and all rows of two columns.
    fn common_and_all(a: &[u32], b: &[u32]) -> (usize, usize) {
        let common = a.iter().filter(|row| b.contains(row)).count();
        (common, a.len() + b.len() - common)
    }

    /// The slides' signature: for each permutation the number of the first row, in permuted order, with a 1.
    fn signature(column: &[u32], orders: [[u32; 5]; 3]) -> [u32; 3] {
        let place = |i: usize, row| orders[i].iter().position(|&other| other == row).unwrap();
        let mut slots = [usize::MAX; 3];
        one_pass(column.iter().copied(), place, &mut slots);
        std::array::from_fn(|i| orders[i][slots[i]])
    }

    #[test]
    fn slides_jaccard_of_two_columns() {
        let first = rows([0, 1, 1, 0, 1, 0]);
        let second = rows([1, 0, 1, 0, 1, 1]);
        assert_eq!(common_and_all(&first, &second), (2, 5));
    }

    #[test]
    fn slides_three_permutations() {
        let columns = [
            rows([1, 0, 1, 1, 0]),
            rows([0, 1, 0, 0, 1]),
            rows([1, 1, 0, 1, 0]),
        ];
        let orders = [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 4, 5, 1, 2]];
        let [s1, s2, s3] = columns.clone().map(|column| signature(&column, orders));
        // The slides print a row for each permutation and a column for each signature.
        assert_eq!([s1[0], s2[0], s3[0]], [1, 2, 1]);
        assert_eq!([s1[1], s2[1], s3[1]], [4, 5, 4]);
        assert_eq!([s1[2], s2[2], s3[2]], [3, 5, 4]);

        let [c1, c2, c3] = &columns;
        assert_eq!(common_and_all(c1, c2), (0, 5));
        assert_eq!(common_and_all(c1, c3), (2, 4));
        assert_eq!(common_and_all(c2, c3), (1, 4));
        let agreeing = super::super::permutations::agreeing;
        assert_eq!(agreeing(&s1, &s2), 0);
        assert_eq!(agreeing(&s1, &s3), 2);
        assert_eq!(agreeing(&s2, &s3), 0);
    }

    #[test]
    fn slides_slots_step_by_step() {
        let columns = [rows([1, 0, 1, 1, 0]), rows([0, 1, 1, 0, 1])];
        let function = |i: usize, x: u32| [x % 5, (2 * x + 1) % 5][i];
        let steps = [
            [[1, 3], [INFINITY, INFINITY]],
            [[1, 3], [2, 0]],
            [[1, 2], [2, 0]],
            [[1, 2], [2, 0]],
            [[1, 2], [0, 0]],
        ];
        let mut slots = [[INFINITY; 2]; 2];
        for (row, step) in (1..).zip(steps) {
            for (column, slots) in columns.iter().zip(&mut slots) {
                let ones = column.iter().copied().filter(|&other| other == row);
                one_pass(ones, function, slots);
            }
            assert_eq!(slots, step, "after row {row}");
        }
        for (column, expected) in columns.iter().zip(slots) {
            let mut slots = [INFINITY; 2];
            one_pass(column.iter().rev().copied(), function, &mut slots);
            assert_eq!(slots, expected, "rows in another order");
        }
    }
}
