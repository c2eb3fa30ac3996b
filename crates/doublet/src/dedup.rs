//! The main job: one copy of everything, and files that say what happened and why.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::batch::{self, Documents, JoinOptions, Joined, Source, State};
use crate::cluster::{ClusterOptions, Clusters, cluster};
use crate::document::DocId;
use crate::error::{Error, Result, io_error};
use crate::prepare::Preparer;
use crate::progress::{Observer, Unit};
use crate::report::html::{self, Counts, ReportPage};
use crate::report::kept::write_kept;
use crate::report::output::OutputFile;
use crate::report::page::PageSource;
use crate::report::pairs::PairWriter;
use crate::report::records::{self, RecordLines};
use crate::report::summary::{self, Summary};

/// Past so many pairs, `pairs.jsonl` holds only those that connect the clusters: a thousand copies of one text make half a
/// million pairs that say nothing.
pub const MOST_PAIRS: u64 = 10_000_000;

/// How to deduplicate.
#[derive(Clone, Debug)]
pub struct DedupOptions {
    /// What makes two texts a match.
    pub join: JoinOptions,
    /// How matches become clusters, and which text of each stays.
    pub cluster: ClusterOptions,
    /// Where the results go.
    pub directory: PathBuf,
    /// Write into a directory that is not empty.
    pub force: bool,
    /// Write everything but the kept records.
    pub dry_run: bool,
    /// Leave records without a token out of the kept ones.
    pub drop_empty: bool,
    /// All options in words, for the summary and the page.
    pub described: serde_json::Map<String, serde_json::Value>,
}

/// Removes duplicates: writes `kept.*`, `removed.jsonl`, `pairs.jsonl`, `clusters.jsonl`, `rejected.jsonl`, `summary.json` and
/// `report.html`.
///
/// # Errors
/// As [`batch::find_matches`]; and when the directory is not empty, holds the input, or cannot be written.
pub fn dedup(source: &Source, options: &DedupOptions, observer: &dyn Observer) -> Result<Summary> {
    let start = Instant::now();
    prepare_directory(source, options)?;
    let joined = batch::find_matches(source, &options.join, observer)?;
    let clusters = cluster(&joined.documents, &joined.matches, &options.cluster);
    let mut run = Run {
        source,
        options,
        joined,
        clusters,
        fates: Vec::new(),
    };
    run.fates = run.fates();
    let mut summary = run.summary();
    observer.stage("writing", None, Unit::Count("files"));
    let mut figures = run.joined.figures.clone();
    figures.time("write", || run.write(observer, &mut summary))?;
    summary.stages = figures
        .stages
        .iter()
        .map(|(stage, seconds)| ((*stage).to_owned(), (*seconds).into()))
        .collect();
    summary.candidates = figures.candidates;
    summary.verifications = figures.verifications;
    summary.seconds = start.elapsed().as_secs_f64();
    summary.peak_memory = summary::peak_memory();
    run.write_page(&summary)?;
    summary.write(&options.directory.join("summary.json"))?;
    Ok(summary)
}

/// What happens to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Kept,
    Removed,
    Empty,
    Rejected,
}

struct Run<'a> {
    source: &'a Source,
    options: &'a DedupOptions,
    joined: Joined,
    clusters: Clusters,
    /// Of each record of the input.
    fates: Vec<Fate>,
}

impl Run<'_> {
    fn documents(&self) -> &Documents {
        &self.joined.documents
    }

    fn fates(&self) -> Vec<Fate> {
        let documents = self.documents();
        let mut fates: Vec<Fate> = (0..documents.references())
            .map(|text| match documents.state(DocId(text)) {
                State::Rejected => Fate::Rejected,
                State::Empty => Fate::Empty,
                State::Text => Fate::Kept,
            })
            .collect();
        for cluster in &self.clusters.0 {
            let others = cluster
                .members
                .iter()
                .filter(|m| **m != cluster.representative);
            for member in others {
                if let Some(fate) = fates.get_mut(member.index()) {
                    *fate = Fate::Removed;
                }
            }
        }
        fates
    }

    fn summary(&self) -> Summary {
        let count = |fate: Fate| self.fates.iter().filter(|f| **f == fate).count() as u64;
        let documents = self.documents();
        let mut summary = Summary {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            read: self.fates.len() as u64,
            kept: count(Fate::Kept),
            removed: count(Fate::Removed),
            empty: count(Fate::Empty),
            rejected: count(Fate::Rejected),
            references: documents.len() as u64 - u64::from(documents.references()),
            pairs: self.joined.matches.count(),
            clusters: self.clusters.0.len() as u64,
            tokens: documents.total_tokens(),
            bytes: documents.bytes(),
            options: self.options.described.clone(),
            ..Summary::default()
        };
        let largest = self
            .clusters
            .0
            .iter()
            .map(|cluster| cluster.members.len())
            .max();
        summary.warnings = summary::warnings(
            &summary,
            largest.unwrap_or(0),
            documents.median_tokens(),
            self.options.join.shingle.size,
        );
        summary
    }

    fn write(&self, observer: &dyn Observer, summary: &mut Summary) -> Result<()> {
        summary.pairs_written = self.write_pairs()?;
        if self.joined.figures.spanning {
            summary.warnings.push(
                "there are so many pairs that only those were compared that connect the clusters; `doublet pairs` finds all"
                    .to_owned(),
            );
        } else if summary.pairs_written < summary.pairs {
            summary.warnings.push(format!(
                "`pairs.jsonl` holds {} of {} pairs: those that connect the clusters; `doublet pairs` writes all",
                summary.pairs_written, summary.pairs
            ));
        }
        self.write_clusters(observer)?;
        let mut file = self.create("rejected.jsonl")?;
        let mut line = Vec::new();
        for (_, rejection) in self.documents().rejections() {
            line.clear();
            records::rejected(rejection, &mut line);
            file.write(&line)?;
        }
        file.finish()?;
        if self.options.dry_run {
            return Ok(());
        }
        let keep = |document: DocId| match self.fates.get(document.index()) {
            Some(Fate::Kept) => true,
            Some(Fate::Empty) => !self.options.drop_empty,
            _ => false,
        };
        write_kept(&self.source.input, &self.options.directory, &keep)?;
        Ok(())
    }

    fn create(&self, name: &str) -> Result<OutputFile> {
        OutputFile::create(&self.options.directory.join(name))
    }

    fn write_pairs(&self) -> Result<u64> {
        let path = self.options.directory.join("pairs.jsonl");
        let mut writer = PairWriter::create(&path, self.options.join.metric)?;
        let (documents, matches) = (self.documents(), &self.joined.matches);
        let mut count = 0;
        let mut write = |pair: batch::Match| {
            count += 1;
            let key = |document| documents.key(document, self.source);
            writer.write(&key(pair.a), &key(pair.b), &pair.scores)
        };
        if matches.count() > MOST_PAIRS {
            matches
                .spanning(documents)
                .into_iter()
                .try_for_each(&mut write)?;
        } else {
            matches.for_each(documents, &mut write)?;
        }
        writer.finish()?;
        Ok(count)
    }

    fn write_clusters(&self, observer: &dyn Observer) -> Result<()> {
        let scores = batch::scores_with_representatives(
            self.source,
            &self.joined,
            &self.options.join,
            &self.clusters,
            observer,
        )?;
        let lines = RecordLines {
            documents: self.documents(),
            source: self.source,
        };
        let mut clusters = self.create("clusters.jsonl")?;
        let mut removed = self.create("removed.jsonl")?;
        let mut line = Vec::new();
        for (number, (cluster, scores)) in self.clusters.0.iter().zip(&scores).enumerate() {
            line.clear();
            lines.cluster(number, cluster, scores, &mut line)?;
            clusters.write(&line)?;
            for (&member, &score) in cluster.members.iter().zip(scores) {
                if self.fates.get(member.index()) == Some(&Fate::Removed) {
                    line.clear();
                    lines.removed(number, member, cluster.representative, score, &mut line)?;
                    removed.write(&line)?;
                }
            }
        }
        clusters.finish()?;
        removed.finish()
    }

    fn write_page(&self, summary: &Summary) -> Result<()> {
        let join = &self.options.join;
        let preparer = Preparer::new(&join.normalize, &join.shingle)?;
        let names: Vec<&str> = self
            .source
            .input
            .files()
            .iter()
            .map(|f| f.name())
            .take(4)
            .collect();
        let mut page = ReportPage {
            title: names.join(", "),
            version: summary.version.clone(),
            command: "doublet dedup".to_owned(),
            counts: Counts {
                read: summary.read,
                kept: summary.kept,
                removed: summary.removed,
                empty: summary.empty,
                rejected: summary.rejected,
            },
            pairs: summary.pairs,
            clusters: summary.clusters,
            bytes: summary.bytes,
            seconds: summary.seconds,
            peak_memory: summary.peak_memory,
            method: join.method.to_string(),
            metric: join.metric.to_string(),
            threshold: join.threshold.value(),
            warnings: summary.warnings.clone(),
            stages: summary
                .stages
                .iter()
                .map(|(stage, seconds)| (stage.clone(), seconds.as_f64().unwrap_or(0.0)))
                .collect(),
            options: describe(&summary.options),
            ..ReportPage::default()
        };
        let source = PageSource {
            source: self.source,
            documents: self.documents(),
            matches: &self.joined.matches,
            clusters: &self.clusters,
            preparer: &preparer,
            metric: join.metric,
            threshold: join.threshold.value(),
        };
        source.fill(&mut page)?;
        let mut file = self.create("report.html")?;
        file.write(html::render(&page).as_bytes())?;
        file.finish()
    }
}

fn describe(options: &serde_json::Map<String, serde_json::Value>) -> Vec<(String, String)> {
    let plain = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    options
        .iter()
        .map(|(name, value)| (name.clone(), plain(value)))
        .collect()
}

/// Makes the directory, and refuses one that holds files or the input.
fn prepare_directory(source: &Source, options: &DedupOptions) -> Result<()> {
    let directory = &options.directory;
    std::fs::create_dir_all(directory).map_err(io_error("create", directory))?;
    let mut entries = std::fs::read_dir(directory).map_err(io_error("read", directory))?;
    if entries.next().is_some() && !options.force {
        return Err(Error::Option {
            option: "output",
            value: directory.display().to_string(),
            expected:
                "the directory is not empty; name a new one, or give `--force` to write into it"
                    .to_owned(),
        });
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let outputs = real(directory);
    let collections = std::iter::once(&source.input).chain(&source.references);
    for file in collections.flat_map(|collection| collection.files()) {
        if real(file.path()).starts_with(&outputs) {
            return Err(Error::Option {
                option: "output",
                value: directory.display().to_string(),
                expected: format!(
                    "it holds the input `{}`, which is never written over; name another directory",
                    file.name()
                ),
            });
        }
    }
    Ok(())
}
