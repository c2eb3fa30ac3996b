//! Stage 7, cluster: from matches to groups, each with the one text that stays.

mod linkage;
mod union_find;

pub(crate) use linkage::cluster_scored;
pub use linkage::{Cluster, ClusterOptions, Clusters, Keep, Linkage, cluster};
pub(crate) use union_find::UnionFind;
