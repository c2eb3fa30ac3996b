//! The measures: from counts of right and wrong to precision, recall and their kin.

use serde::Serialize;

use super::bootstrap::{self, COLUMNS, Measure, Numbers};

/// What the numbers of a unit are. Found pairs are counted twice, once at each of their texts, so that those between two units are
/// shared by both.
pub(super) const FOUND: usize = 0;
/// Found pairs that are duplicates.
pub(super) const HITS: usize = 1;
/// Pairs that are duplicates.
pub(super) const TRUE: usize = 2;
/// Texts; labelled pairs that are different and not found, where those alone are judged.
pub(super) const SIZE: usize = 3;
/// The first three again, for pairs within clusters. A true cluster is whatever hangs together by the truth.
pub(super) const CLUSTER_FOUND: usize = 4;
pub(super) const CLUSTER_HITS: usize = 5;
pub(super) const CLUSTER_TRUE: usize = 6;
/// Sums over the texts: B³ precision, B³ recall, and those whose duplicates are just the found ones.
pub(super) const B3_PRECISION: usize = 7;
pub(super) const B3_RECALL: usize = 8;
pub(super) const SAME_SET: usize = 9;
/// Copied texts whose first source is one of theirs.
pub(super) const FIRST_SOURCE: usize = 10;
const _: () = assert!(FIRST_SOURCE < COLUMNS);

/// Precision, recall and F1, with the counts behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quality {
    /// The share of what was found that is right.
    pub precision: Measure,
    /// The share of what is right that was found.
    pub recall: Measure,
    /// Their harmonic mean.
    pub f1: Measure,
    /// Found, and right.
    pub true_positives: u64,
    /// Found, and wrong.
    pub false_positives: u64,
    /// Not found, though right.
    pub false_negatives: u64,
    /// Neither found nor right; `None` where all pairs are judged.
    pub true_negatives: Option<u64>,
}

/// How well clusters fit the true ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ClusterQuality {
    /// Of the pairs within found clusters.
    #[serde(flatten)]
    pub pairs: Quality,
    /// What needs the true cluster of every text; `None` where only some pairs are labelled.
    #[serde(flatten)]
    pub whole: Option<WholeQuality>,
}

/// Measures over whole clusterings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct WholeQuality {
    /// The adjusted Rand index.
    pub ari: Measure,
    /// B³ precision: the mean over the texts of how much of their found cluster is right.
    pub b3_precision: Measure,
    /// B³ recall: the mean over the texts of how much of their true cluster was found.
    pub b3_recall: Measure,
    /// Their harmonic mean.
    pub b3_f1: Measure,
    /// The share of texts whose found duplicates are just the true ones.
    pub set_accuracy: Measure,
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// 2·hits/(found + true): the harmonic mean of precision and recall, and 0 where nothing was found.
pub(super) fn f1(hits: f64, found: f64, truth: f64) -> Option<f64> {
    ratio(2.0 * hits, found + truth)
}

/// Precision, recall and F1 of the units by two of their columns.
pub(super) fn quality(units: &[Numbers], seed: u64, labelled_only: bool) -> Quality {
    // Nothing else may change what is drawn.
    let counted: Vec<Numbers> = units.iter().map(of_pairs).collect();
    let [precision, recall, f1] = bootstrap::measures(
        &counted,
        seed,
        [
            |sums| ratio(sums[HITS], sums[FOUND] / 2.0),
            |sums| ratio(sums[HITS], sums[TRUE]),
            |sums| f1(sums[HITS], sums[FOUND] / 2.0, sums[TRUE]),
        ],
    );
    let sums = bootstrap::sums(units);
    with_counts(
        [precision, recall, f1],
        [FOUND, HITS, TRUE],
        &sums,
        labelled_only,
    )
}

/// The numbers of a unit that are about pairs.
fn of_pairs(unit: &Numbers) -> Numbers {
    let mut counted = [0.0; COLUMNS];
    for column in [FOUND, HITS, TRUE] {
        counted[column] = unit[column];
    }
    counted
}

/// The same for pairs within found clusters.
pub(super) fn cluster_quality(units: &[Numbers], seed: u64, labelled_only: bool) -> ClusterQuality {
    let [precision, recall, f1] = bootstrap::measures(
        units,
        seed,
        [
            |sums| ratio(sums[CLUSTER_HITS], sums[CLUSTER_FOUND] / 2.0),
            |sums| ratio(sums[CLUSTER_HITS], sums[CLUSTER_TRUE]),
            |sums| {
                f1(
                    sums[CLUSTER_HITS],
                    sums[CLUSTER_FOUND] / 2.0,
                    sums[CLUSTER_TRUE],
                )
            },
        ],
    );
    let sums = bootstrap::sums(units);
    let columns = [CLUSTER_FOUND, CLUSTER_HITS, CLUSTER_TRUE];
    ClusterQuality {
        pairs: with_counts([precision, recall, f1], columns, &sums, labelled_only),
        whole: (!labelled_only).then(|| whole(units, seed)),
    }
}

fn with_counts(
    [precision, recall, f1]: [Measure; 3],
    columns: [usize; 3],
    sums: &Numbers,
    labelled_only: bool,
) -> Quality {
    let count = |number: f64| number.round() as u64;
    let [found, hits, truth] = columns.map(|column| sums[column]);
    let false_positives = count(found / 2.0 - hits);
    let different = count(sums[SIZE]);
    Quality {
        precision,
        recall,
        f1,
        true_positives: count(hits),
        false_positives,
        false_negatives: count(truth - hits),
        true_negatives: labelled_only.then(|| different.saturating_sub(false_positives)),
    }
}

fn whole(units: &[Numbers], seed: u64) -> WholeQuality {
    let b3_f1 = |sums: &Numbers| {
        f1(
            sums[B3_PRECISION] * sums[B3_RECALL],
            sums[B3_PRECISION] * sums[SIZE],
            sums[B3_RECALL] * sums[SIZE],
        )
    };
    let [ari, b3_precision, b3_recall, b3_f1, set_accuracy] = bootstrap::measures(
        units,
        seed,
        [
            adjusted_rand_index,
            |sums| ratio(sums[B3_PRECISION], sums[SIZE]),
            |sums| ratio(sums[B3_RECALL], sums[SIZE]),
            b3_f1,
            |sums| ratio(sums[SAME_SET], sums[SIZE]),
        ],
    );
    WholeQuality {
        ari,
        b3_precision,
        b3_recall,
        b3_f1,
        set_accuracy,
    }
}

/// By counts of pairs: together in both, in one, in neither. All alike is 1.
fn adjusted_rand_index(sums: &Numbers) -> Option<f64> {
    let all = sums[SIZE] * (sums[SIZE] - 1.0) / 2.0;
    let both = sums[CLUSTER_HITS];
    let (missed, wrong) = (sums[CLUSTER_TRUE] - both, sums[CLUSTER_FOUND] / 2.0 - both);
    let neither = all - both - missed - wrong;
    if sums[SIZE] < 1.0 {
        return None;
    }
    let whole = (both + missed) * (missed + neither) + (both + wrong) * (wrong + neither);
    Some(ratio(2.0 * (both * neither - missed * wrong), whole).unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(values: &[(usize, f64)]) -> Numbers {
        let mut unit = [0.0; COLUMNS];
        for &(column, value) in values {
            unit[column] = value;
        }
        unit
    }

    #[test]
    fn counts_by_hand() {
        // Ten found, eight of them right; two more were not found.
        let units = [unit(&[
            (FOUND, 20.0),
            (HITS, 8.0),
            (TRUE, 10.0),
            (SIZE, 90.0),
        ])];
        let found = quality(&units, 1, true);
        assert_eq!(found.precision.value, Some(0.8));
        assert_eq!(found.recall.value, Some(0.8));
        assert_eq!(found.f1.value, Some(0.8));
        let counts = (
            found.true_positives,
            found.false_positives,
            found.false_negatives,
        );
        assert_eq!(counts, (8, 2, 2));
        assert_eq!(found.true_negatives, Some(88));
    }

    #[test]
    fn nothing_found_has_no_precision_and_an_f1_of_nought() {
        let found = quality(&[unit(&[(TRUE, 5.0)])], 1, false);
        assert_eq!(found.precision.value, None);
        assert_eq!((found.recall.value, found.f1.value), (Some(0.0), Some(0.0)));
    }
}
