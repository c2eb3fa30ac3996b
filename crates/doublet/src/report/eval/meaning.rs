//! What each measure says, in plain words.

/// Of pairs: precision.
pub const PAIR_PRECISION: &str =
    "Of the pairs found, the share that are duplicates. The rest are false alarms.";
/// Of pairs: recall.
pub const PAIR_RECALL: &str =
    "Of the duplicate pairs, the share that is found. The rest are missed.";
/// Of pairs: F1.
pub const PAIR_F1: &str =
    "Precision and recall in one figure, their harmonic mean: high only where both are.";
/// Of pairs that share a cluster: precision.
pub const CLUSTER_PAIR_PRECISION: &str = "Of the pairs that stand in one cluster, linked directly or through others, the share that are duplicates.";
/// Of pairs that share a cluster: recall.
pub const CLUSTER_PAIR_RECALL: &str =
    "Of the duplicate pairs, the share that stands in one cluster.";
/// Of pairs that share a cluster: F1.
pub const CLUSTER_PAIR_F1: &str =
    "The two in one figure. A wrong link between two large clusters costs much here.";
/// The adjusted Rand index.
pub const ARI: &str = "The adjusted Rand index: how far the clusters agree with the truth. 1 is the same clusters, 0 what chance gives.";
/// B³ precision.
pub const B3_PRECISION: &str =
    "For a document on average, the share of its cluster that belongs with it.";
/// B³ recall.
pub const B3_RECALL: &str =
    "For a document on average, the share of those that belong with it which its cluster holds.";
/// B³ F1.
pub const B3_F1: &str =
    "The two in one figure. Each document counts the same, whatever the size of its cluster.";
/// Set accuracy.
pub const SET_ACCURACY: &str = "The share of documents whose duplicates are exactly those of the truth: none missing, none too many.";
/// Of documents: precision.
pub const DOCUMENT_PRECISION: &str = "Of the documents called copies, the share that are.";
/// Of documents: recall.
pub const DOCUMENT_RECALL: &str = "Of the documents that are copies, the share called so.";
/// Of documents: F1.
pub const DOCUMENT_F1: &str = "The two in one figure.";
