//! Stage 7, cluster: from matches to groups, each with the one text that is kept.

mod keep;
mod linkage;
mod lost;
mod star;
mod union_find;

#[cfg(test)]
mod tests;

pub use keep::Keep;
pub use linkage::{Cluster, ClusterOptions, Clusters, Linkage, cluster};
pub(crate) use linkage::{Edges, cluster_scored};
pub use lost::{MostLost, lost_words};
pub(crate) use union_find::UnionFind;
