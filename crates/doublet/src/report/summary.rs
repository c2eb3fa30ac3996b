//! The figures of a run, as `summary.json` and for the page.

use std::path::Path;

use serde::Serialize;

use super::output::OutputFile;
use crate::error::Result;

/// What a run did. `kept`, `removed`, `empty` and `rejected` add up to `read`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Version of doublet.
    pub version: String,
    /// Records read from the input.
    pub read: u64,
    /// Texts kept.
    pub kept: u64,
    /// Texts removed.
    pub removed: u64,
    /// Texts among those kept that lost passages which stand in others.
    pub shortened: u64,
    /// Passages cut out of them.
    pub passages: u64,
    /// Sentences cut out of them.
    pub sentences_removed: u64,
    /// Characters cut out of them.
    pub characters_removed: u64,
    /// Records without a token; they stay in the output unless dropped.
    pub empty: u64,
    /// Records that could not be read.
    pub rejected: u64,
    /// Reference texts that the input was compared with.
    pub references: u64,
    /// Pairs at or above the threshold.
    pub pairs: u64,
    /// Pairs written to `pairs.jsonl`.
    pub pairs_written: u64,
    /// Clusters.
    pub clusters: u64,
    /// Tokens of all texts.
    pub tokens: u64,
    /// Bytes read, decompressed.
    pub bytes: u64,
    /// Pairs that were proposed.
    pub candidates: u64,
    /// Pairs whose scores were computed.
    pub verifications: u64,
    /// With terms, meetings of two texts that were not compared because they are copies or hung together already.
    pub comparisons_saved: u64,
    /// The most memory held at once, in bytes; 0 where the system does not tell.
    pub peak_memory: u64,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Seconds a stage.
    pub stages: serde_json::Map<String, serde_json::Value>,
    /// Results that look wrong.
    pub warnings: Vec<String>,
    /// All options in force.
    pub options: serde_json::Map<String, serde_json::Value>,
}

impl Summary {
    /// Writes the summary.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut file = OutputFile::create(path)?;
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        file.write(&bytes)?;
        file.finish()
    }
}

/// The most memory this process has held, in bytes; 0 where the system does not tell.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// What in the results should make a user look again.
pub(crate) fn warnings(
    summary: &Summary,
    largest_cluster: usize,
    median_tokens: u32,
    shingle: usize,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let texts = summary.kept + summary.removed;
    if summary.read > 0 && summary.rejected == summary.read {
        warnings.push("no record could be read: see `rejected.jsonl` for the reasons, and `--format`, `--text-field`".to_owned());
    }
    // In a handful of texts any pair is a large share.
    if texts >= 50 && largest_cluster as u64 * 20 > texts {
        warnings.push(format!(
            "one cluster holds {largest_cluster} of {texts} texts (over 5 %): look at it before you rely on the result; `--linkage star` asks that every removed text matches the one kept"
        ));
    }
    if texts >= 50 && summary.removed * 10 > texts * 6 {
        warnings.push(format!(
            "{} of {texts} texts would go (over 60 %): is the threshold too low, or is most of each text boilerplate?",
            summary.removed
        ));
    }
    if texts > 0 && (median_tokens as usize) < shingle {
        warnings.push(format!(
            "half of the texts have fewer than {shingle} words, and such texts match only as a whole: try a smaller `--shingle`"
        ));
    }
    warnings
}
