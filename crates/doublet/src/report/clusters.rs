//! Clusters as JSON lines, for whoever wants nothing else.

use std::path::Path;

use super::output::OutputFile;
use super::records::RecordLines;
use crate::batch::{JoinOptions, Joined, Source, scores_with_representatives};
use crate::cluster::Clusters;
use crate::error::Result;
use crate::progress::Observer;

/// The clusters, one a line.
///
/// # Errors
/// When a text cannot be read again.
pub fn to_lines(
    source: &Source,
    joined: &Joined,
    options: &JoinOptions,
    clusters: &mut Clusters,
    observer: &dyn Observer,
) -> Result<Vec<u8>> {
    let scores = scores_with_representatives(source, joined, options, clusters, observer)?;
    let lines = RecordLines {
        documents: &joined.documents,
        source,
    };
    let mut out = Vec::new();
    for (number, (cluster, scores)) in clusters.0.iter().zip(&scores).enumerate() {
        lines.cluster(number, cluster, scores, options.metric, &mut out);
    }
    Ok(out)
}

/// Writes lines to a file that appears whole.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, lines: &[u8]) -> Result<()> {
    let mut file = OutputFile::create(path)?;
    file.write(lines)?;
    file.finish()
}
