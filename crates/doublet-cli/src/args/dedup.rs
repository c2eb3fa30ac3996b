//! What the arguments of `doublet dedup` alone come to.

use doublet::batch::JoinOptions;
use doublet::dedup::Remove;
use serde_json::{Map, Value};

use super::{ClusterArguments, DedupArguments};

impl DedupArguments {
    /// What is removed.
    pub(crate) fn remove(&self) -> Remove {
        self.remove.value()
    }

    /// All options in force, by their names on the command line.
    pub(crate) fn describe(
        &self,
        cluster: &ClusterArguments,
        join: &JoinOptions,
    ) -> Map<String, Value> {
        let mut options = self.common.describe(cluster, join);
        options.insert("remove".to_owned(), self.remove.word().into());
        options
    }
}
