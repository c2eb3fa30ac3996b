//! What the arguments of `doublet dedup` alone come to.

use anyhow::Result;
use doublet::batch::JoinOptions;
use doublet::cluster::MostLost;
use doublet::dedup::Remove;
use serde_json::{Map, Value};

use super::{ClusterArguments, DedupArguments};

impl DedupArguments {
    /// What is removed.
    pub(crate) fn remove(&self) -> Remove {
        self.remove
    }

    /// The clusters' arguments with the defaults for what is removed.
    pub(crate) fn clustering(&self) -> ClusterArguments {
        match self.remove() {
            Remove::Documents => self.cluster.for_removal(&self.common.matching),
            Remove::Passages => self.cluster.clone(),
        }
    }

    /// How much a removal may lose.
    pub(crate) fn most_lost(&self) -> Result<Option<MostLost>> {
        anyhow::ensure!(
            self.max_lost.is_none() || self.remove() == Remove::Documents,
            "`--max-lost` needs `--remove documents`; with `--remove passages`, every removed sentence is kept in another document: omit `--max-lost`"
        );
        Ok(self.max_lost)
    }

    /// All options in force, by their names on the command line.
    pub(crate) fn describe(
        &self,
        cluster: &ClusterArguments,
        join: &JoinOptions,
    ) -> Map<String, Value> {
        let mut options = self.common.describe(cluster, join);
        options.insert("remove".to_owned(), self.remove.name().into());
        let most_lost = self.max_lost.map(|most| most.to_string());
        options.insert("max-lost".to_owned(), most_lost.into());
        options
    }
}
