//! Clusters as JSON lines, for whoever wants nothing else.

use std::path::Path;

use super::records::RecordLines;
use crate::batch::{JoinOptions, Joined, scores_with_representatives};
use crate::cluster::Clusters;
use crate::error::Result;
use crate::files::output::OutputFile;
use crate::matches::Source;
use crate::progress::Observer;
use crate::scores::{Metric, Scores};

/// Clusters with the scores of their members, to be written one a line.
#[derive(Debug)]
pub struct ClusterLines<'a> {
    source: &'a Source,
    joined: &'a Joined,
    clusters: Clusters,
    scores: Vec<Vec<Scores>>,
    metric: Metric,
}

impl<'a> ClusterLines<'a> {
    /// The clusters of a join.
    ///
    /// # Errors
    /// When a text cannot be read again.
    pub fn new(
        source: &'a Source,
        joined: &'a Joined,
        options: &JoinOptions,
        mut clusters: Clusters,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let scores = scores_with_representatives(source, joined, options, &mut clusters, observer)?;
        Ok(Self {
            source,
            joined,
            clusters,
            scores,
            metric: options.matching.metric,
        })
    }

    /// Calls `each` with every line.
    ///
    /// # Errors
    /// The first of `each`.
    pub fn try_for_each<E>(&self, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let lines = RecordLines {
            documents: &self.joined.documents,
            source: self.source,
        };
        let mut line = Vec::new();
        for (number, (cluster, scores)) in self.clusters.0.iter().zip(&self.scores).enumerate() {
            line.clear();
            let scores: Vec<f64> = scores.iter().map(|own| own.score(self.metric)).collect();
            lines.cluster(number, cluster, &scores, &mut line);
            each(&line)?;
        }
        Ok(())
    }

    /// Writes them to a file that appears whole.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut file = OutputFile::create(path)?;
        self.try_for_each(|line| file.write(line))?;
        file.finish()
    }
}
