//! What the page shows, as plain data.
//!
//! The caller may give more than the page lists: `render` cuts each list to its limit and says so.

use std::ops::Range;

/// Everything that one report shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportPage {
    /// What was looked at, for example the names of the inputs.
    pub title: String,
    /// The version of doublet.
    pub version: String,
    /// What was asked for, in words or as a command line.
    pub command: String,
    /// What became of the records.
    pub counts: Counts,
    /// Texts removed that score below the threshold against the text kept for them.
    pub below_threshold: u64,
    /// Words of removed texts that the kept ones do not share.
    pub words_lost: u64,
    /// Pairs at or above the threshold.
    pub pairs: u64,
    /// Groups of texts that these pairs link.
    pub clusters: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Seconds from start to end.
    pub seconds: f64,
    /// The most memory held at once, in bytes; 0 if not known.
    pub peak_memory: u64,
    /// The method, as `--method` names it.
    pub method: String,
    /// The metric of the scores, as `--metric` names it.
    pub metric: String,
    /// The least score that makes two texts a pair.
    pub threshold: f64,
    /// Results that look wrong, in full sentences; shown first.
    pub warnings: Vec<String>,
    /// Stages of the run in order, each with its seconds.
    pub stages: Vec<(String, f64)>,
    /// Scores: from, to, number of pairs. `from == to` is a bar for one value.
    pub score_histogram: Vec<(f64, f64, u64)>,
    /// Cluster sizes: from, to (inclusive), number of clusters.
    pub size_histogram: Vec<(u64, u64, u64)>,
    /// The largest clusters, largest first.
    pub largest: Vec<ClusterRow>,
    /// Pairs shown side by side, in sections: four at most, twenty pairs in each.
    pub views: Vec<ViewSection>,
    /// What was cut out of texts that stay; `None` where whole texts are removed and nothing else.
    pub passages: Option<CutPassages>,
    /// The first rejected records.
    pub rejected: Vec<RejectedRow>,
    /// The options that were in force: name and value.
    pub options: Vec<(String, String)>,
}

/// What became of the records. `read` is the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records read.
    pub read: u64,
    /// Texts kept.
    pub kept: u64,
    /// Texts removed because another one stands for them.
    pub removed: u64,
    /// Texts without a single word.
    pub empty: u64,
    /// Records that could not be read.
    pub rejected: u64,
}

/// Passages that were cut out of texts, because a text before them has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CutPassages {
    /// Texts that were shortened; they count as kept.
    pub texts: u64,
    /// Passages cut.
    pub passages: u64,
    /// Their sentences.
    pub sentences: u64,
    /// Their characters.
    pub characters: u64,
    /// The longest, longest first.
    pub longest: Vec<PassageRow>,
}

/// One passage in the list of the longest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassageRow {
    /// The text it was cut out of.
    pub key: String,
    /// The text that keeps it.
    pub source: String,
    /// Its sentences.
    pub sentences: u64,
    /// Its characters.
    pub characters: u64,
    /// How it begins.
    pub excerpt: String,
}

/// One cluster in the list of the largest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterRow {
    /// Its number, as in `clusters.jsonl`.
    pub number: u64,
    /// Key of the text that stands for the others.
    pub representative: String,
    /// How many texts it holds, the representative included.
    pub size: u64,
    /// The lowest score of a member against the representative.
    pub weakest: f64,
    /// How the representative begins.
    pub excerpt: String,
    /// Keys of the first few members; the representative is passed over if it is among them.
    pub members: Vec<String>,
    /// Members that `members` leaves out.
    pub more: u64,
}

/// Pairs that belong under one heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewSection {
    /// For example `Weakest pairs`.
    pub heading: String,
    /// A line on how these pairs were chosen and what to look for; may be empty.
    pub note: String,
    /// The pairs.
    pub views: Vec<PairView>,
}

/// Two texts side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairView {
    /// The text that stands first in the input.
    pub a: SideText,
    /// The other one.
    pub b: SideText,
    /// Their score.
    pub score: f64,
    /// Its metric.
    pub metric: String,
    /// All their scores by name.
    pub scores: Vec<(String, f64)>,
    /// A few words on the pair, for example what it is labelled and where; may be empty.
    pub note: String,
}

/// One text of a pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SideText {
    /// The user's id.
    pub key: String,
    /// The whole text; the page cuts long ones itself.
    pub text: String,
    /// Byte ranges of the passages that the other text shares: sorted, disjoint, on character boundaries. Ranges that
    /// are not are put right as far as they lie inside the text.
    pub shared: Vec<Range<usize>>,
    /// Whether the run removed this text.
    pub removed: bool,
}

/// A record that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RejectedRow {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 if the file has no lines.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}
