//! The figures of a run, as `summary.json` and for the page.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::batch::{JoinOptions, Joined, TermSearch};
use crate::candidates::blocks::BlockPlan;
use crate::error::Result;
use crate::files::output::OutputFile;
use crate::method::terms::Candidates;
use crate::read::{Collection, InputPath};
use crate::report::html::numbers::count;
use crate::sketch::Banding;

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
    /// Texts removed that score below the threshold against the text kept for them: none unless clusters are chains.
    pub below_threshold: u64,
    /// Words of removed texts that are in no passage shared with the text kept for them.
    pub words_lost: u64,
    /// Texts that would be removed as well without `--max-lost`.
    pub kept_for_loss: Option<u64>,
    /// Removed texts that differ from the text kept for them only in numbers.
    pub differ_in_numbers: u64,
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
    /// With terms, meetings of two texts that were not compared because they are copies or already in one cluster.
    pub comparisons_saved: u64,
    /// With terms, how the pairs were looked for: the candidates, and the share of the pairs that a sample says are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term_search: Option<TermSearchSummary>,
    /// What the sketches of `minhash` came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sketches: Option<SketchSummary>,
    /// With fingerprints of 64 bits, how those within the distance were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Blocks>,
    /// The most memory held at once, in bytes; 0 where the system does not tell.
    pub peak_memory: u64,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Seconds a stage.
    pub stages: serde_json::Map<String, serde_json::Value>,
    /// Of data in memory, the numbers of the rows that are kept; no file is written of it.
    #[serde(skip)]
    pub kept_rows: Vec<u64>,
    /// Results that look wrong.
    pub warnings: Vec<String>,
    /// The inputs, so that `audit` finds the removed texts.
    pub inputs: Vec<InputLine>,
    /// The references.
    pub against: Vec<InputLine>,
    /// All options in force.
    pub options: serde_json::Map<String, serde_json::Value>,
}

/// How the pairs of a run by terms were looked for.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TermSearchSummary {
    /// The candidates, as `--candidates` names them.
    pub candidates: &'static str,
    /// The share of the pairs that is found; `None` where a sample had too few pairs to estimate it.
    pub recall: Option<f64>,
}

impl TermSearchSummary {
    /// Of a search.
    pub fn of(search: TermSearch) -> Self {
        Self {
            candidates: search.candidates.name(),
            recall: search.recall,
        }
    }
}

/// An input of a run, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputLine {
    /// As it was typed.
    pub given: String,
    /// The absolute path; none of what cannot be read again, such as standard input.
    pub path: Option<String>,
}

impl InputLine {
    /// The inputs of a collection.
    pub fn of(collection: &Collection) -> Vec<Self> {
        let line = |input: &InputPath| Self {
            given: input.given.clone(),
            path: input.path.clone(),
        };
        collection.inputs().iter().map(line).collect()
    }
}

/// Sketches, how they were brought together, and what each of the seven steps of clustering by sketches gave.
#[derive(Clone, Debug, Serialize)]
pub struct SketchSummary {
    /// What a sketch keeps.
    pub sketch: &'static str,
    /// Its size.
    pub size: usize,
    /// Bands, rows, and bands that a pair must share.
    pub bands: Option<[u32; 3]>,
    /// Whether they brought together so many texts that the complete search took their place, which finds all pairs.
    pub complete: bool,
    /// The least probability with which a pair at the threshold is proposed, where it is the same for all texts.
    pub recall: Option<f64>,
    /// Resemblances, and the probability with which a pair is proposed there.
    pub curve: Vec<(f64, f64)>,
    /// Texts whose sketch has too few values to be found with the recall that was asked for.
    pub short_sketches: u64,
    /// What each step gave.
    pub steps: SketchSteps,
}

/// What the seven steps gave. Copies of a text are left out before the first.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SketchSteps {
    /// 1: sketches.
    pub sketches: u64,
    /// 2: values (or bands) of them.
    pub values: u64,
    /// 3: distinct values.
    pub distinct_values: u64,
    /// 3: values that several texts have.
    pub shared_values: u64,
    /// 4: two texts that share a value.
    pub triplets: u64,
    /// 5: pairs for which these were added up, without those that cannot reach the threshold anyway.
    pub pairs: u64,
    /// 6: pairs that reach the threshold.
    pub joined: u64,
    /// 7: clusters, those of copies alone included.
    pub clusters: u64,
}

impl SketchSummary {
    /// What the sketches of a run with so many clusters came to, if it made any.
    pub fn new(joined: &Joined, options: &JoinOptions, clusters: u64) -> Option<Self> {
        let figures = joined.figures.sketches?;
        let (banding, sketches) = (figures.banding, &options.matching.sketches);
        let by_values = || sketches.values(options.matching.threshold).ok().flatten();
        let proposed = banding.or_else(by_values);
        let threshold = options.matching.threshold.value();
        let complete = figures.complete;
        let found = |banding: Banding| match complete {
            true => 1.0,
            false => banding.found(threshold),
        };
        let mut curve = proposed.map_or_else(Vec::new, |banding| banding.curve());
        for (at, share) in &mut curve {
            if complete && *at >= threshold {
                *share = 1.0;
            }
        }
        Some(Self {
            sketch: sketches.kind.name(),
            size: sketches.size,
            bands: banding.map(Banding::to_array),
            complete,
            recall: proposed.map(found),
            curve,
            short_sketches: figures.short,
            steps: SketchSteps {
                sketches: figures.texts,
                values: figures.values,
                distinct_values: figures.distinct,
                shared_values: figures.shared,
                triplets: figures.triplets,
                pairs: joined.figures.added_up,
                joined: joined.matches.distinct_pairs(),
                clusters,
            },
        })
    }
}

/// How fingerprints of 64 bits were cut into blocks to find the near ones.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Blocks {
    /// The most bits in which the fingerprints of a match differ.
    pub distance: u32,
    /// Blocks of the 64 bits.
    pub blocks: u32,
    /// Blocks that agree in a table; none where all were compared with all.
    pub agreeing: u32,
    /// Tables, one for each choice of such blocks.
    pub tables: u64,
    /// The least bits that agree in a table.
    pub bits: u32,
}

impl Blocks {
    /// The figures of a plan.
    pub fn of(plan: &BlockPlan) -> Self {
        Self {
            distance: plan.distance,
            blocks: plan.blocks,
            agreeing: plan.agreeing,
            tables: plan.tables(),
            bits: plan.bits(),
        }
    }
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

/// The recall from which on a search misses few pairs.
const FEW_MISSED: f64 = 0.95;

/// The most memory this process has held, in bytes; 0 where the system does not tell.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// What is looked at for results that should make a user look again.
#[derive(Clone, Copy, Debug)]
pub struct Absurd<'a> {
    /// The figures of the run.
    pub summary: &'a Summary,
    /// Texts in the largest cluster.
    pub largest_cluster: u64,
    /// Whether clusters are chains of matches.
    pub by_chains: bool,
    /// Words of a text in the middle, by length; nothing if not known.
    pub median_tokens: Option<u32>,
    /// The fewest words of a text that can match in part.
    pub shingle: usize,
    /// Texts of very large clusters that were compared with some representatives only.
    pub partly_compared: u64,
}

/// Results that should make a user look again.
pub fn warnings(found: &Absurd<'_>) -> Vec<String> {
    let Absurd {
        summary,
        largest_cluster,
        by_chains,
        median_tokens,
        shingle,
        partly_compared,
    } = *found;
    let mut warnings = Vec::new();
    let mut warn = |absurd: bool, text: String| warnings.extend(absurd.then_some(text));
    let texts = summary.kept + summary.removed;
    let largest = largest_cluster.min(texts);
    // In a handful of texts any pair is a large share.
    let is_over = |part: u64, whole: u64, percent: u64| whole >= 50 && part * 100 > whole * percent;
    let remedy = match by_chains {
        true => "; `--linkage star` removes only texts that match the one kept",
        false => "",
    };
    warn(
        is_over(largest_cluster, texts, 5),
        format!(
            "one cluster has {} of {} texts (over 5 %): check it before you rely on the result{remedy}",
            count(largest),
            count(texts)
        ),
    );
    warn(
        is_over(summary.removed, texts, 60),
        format!(
            "{} of {} texts were removed (over 60 %): raise the threshold, or strip boilerplate first",
            count(summary.removed),
            count(texts)
        ),
    );
    warn(
        summary.below_threshold * 100 > summary.removed,
        format!(
            "{} of {} removed texts score below the threshold against the kept text (over 1 %){remedy}",
            count(summary.below_threshold),
            count(summary.removed)
        ),
    );
    warn(
        summary.rejected * 10 > summary.read,
        format!(
            "{} of {} records were rejected (over 10 %): see `rejected.jsonl`",
            count(summary.rejected),
            count(summary.read)
        ),
    );
    warn(
        texts > 0 && median_tokens.is_some_and(|median| (median as usize) < shingle),
        format!(
            "half of the texts have fewer than {shingle} words, and such texts match only as a whole: try a smaller `--shingle`"
        ),
    );
    warn(
        summary.differ_in_numbers > 0,
        format!(
            "{} from the kept text only in numbers: `--numbers keep` compares numbers like other words",
            counted(
                summary.differ_in_numbers,
                "removed text differs",
                "removed texts differ"
            )
        ),
    );
    warnings.extend(warn_partly_compared(partly_compared));
    warnings.extend(summary.term_search.and_then(warn_missed_pairs));
    warnings
}

/// A warning about pairs that a search by features misses, if it misses more than a few.
pub fn warn_missed_pairs(search: TermSearchSummary) -> Option<String> {
    if search.candidates == Candidates::Exact.name() {
        return None;
    }
    let by = search.candidates;
    match search.recall {
        Some(recall) if recall >= FEW_MISSED => None,
        Some(recall) => Some(format!(
            "`--candidates {by}` finds an estimated {:.0} % of the pairs: `--candidates exact` finds all pairs, but may take longer",
            100.0 * recall
        )),
        None => Some(format!(
            "`--candidates {by}` may miss pairs; its recall is unknown: `--candidates exact` finds all pairs, but may take longer"
        )),
    }
}

/// A warning about the texts of very large clusters that were compared with some representatives only, if there are any.
pub fn warn_partly_compared(texts: u64) -> Option<String> {
    (texts > 0).then(|| {
        format!(
            "{} compared with only some of its representatives, because the cluster is very large: duplicates may have been kept",
            counted(texts, "text was", "texts were")
        )
    })
}

/// A number with the word for one or for several.
fn counted(number: u64, one: &str, several: &str) -> String {
    format!(
        "{} {}",
        count(number),
        if number == 1 { one } else { several }
    )
}
