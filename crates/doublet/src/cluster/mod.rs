//! Stage 7, cluster: from matches to groups, each with the one text that is kept.

mod keep;
mod linkage;
mod removal;
mod star;

#[cfg(test)]
mod tests;

pub use keep::Keep;
pub use linkage::{Cluster, ClusterOptions, Clusters, Linkage, cluster};
pub(crate) use linkage::{Edges, Spoke, cluster_around, cluster_scored, spokes};
pub use removal::{MostLost, RemovalRule, lost_words};
