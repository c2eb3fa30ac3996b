//! The main job: one copy of everything, and files that say what happened and why.

mod directory;
mod losses;
mod passages;
mod removals;

use std::cmp::Ordering;
use std::path::PathBuf;
use std::time::Instant;

use crate::batch::{self, Figures, JoinOptions, Joined};
use crate::cluster::{ClusterOptions, Clusters, Linkage, MostLost};
use crate::document::DocId;
use crate::error::Result;
use crate::files;
use crate::files::output::OutputFile;
use crate::matches::{Documents, Match, Source, State};
use crate::names::named;
use crate::options::Numbers;
use crate::progress::{self, Observer, Unit};
use crate::report::html::{self, Counts, ReportPage};
use crate::report::kept::{Cuts, write_kept};
use crate::report::page::{self, PageSource};
use crate::report::pairs::PairWriter;
use crate::report::records::{self, RecordLines, RemovedLine};
use crate::report::summary::{
    self, Absurd, Blocks, InputLine, SketchSummary, Summary, TermSearchSummary,
};
use crate::scores::Scores;
use directory::{prepare_directory, remove_earlier};
use passages::Cut;
use removals::{Context, Removals};

/// Past so many pairs, `pairs.jsonl` holds only those that connect the clusters: a thousand copies of one text make half a
/// million pairs that say nothing.
pub const MOST_PAIRS: u64 = 10_000_000;
/// The same past so many bytes, as far as ids tell.
const MOST_PAIR_BYTES: u64 = 2_500_000_000;

/// Pairs between two looks at whether to stop.
const STEP: u64 = 10_000;

/// What is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remove {
    /// Whole texts, each for the representative of its cluster.
    #[default]
    Documents,
    /// The sentences of a text that a text before it has: `--method sentences`.
    Passages,
}

named!(Remove: Documents = "documents", Passages = "passages");

/// How to deduplicate.
#[derive(Clone, Debug)]
pub struct DedupOptions {
    /// What makes two texts a match.
    pub join: JoinOptions,
    /// How matches become clusters, and which text of each is kept. Where whole texts are removed, `removal` follows from the other
    /// options.
    pub cluster: ClusterOptions,
    /// How much the removal of a text may lose; `None`: any number of words.
    pub most_lost: Option<MostLost>,
    /// Whether whole texts are removed, or what they repeat.
    pub remove: Remove,
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

impl DedupOptions {
    /// Removes whole texts, each for one that it matches, and writes into an empty directory.
    pub fn new(mut join: JoinOptions, directory: PathBuf) -> Self {
        let cluster = ClusterOptions::for_removal(&join.matching);
        join.rank = cluster.keep.rank_by();
        Self {
            join,
            cluster,
            most_lost: None,
            remove: Remove::default(),
            directory,
            force: false,
            dry_run: false,
            drop_empty: false,
            described: serde_json::Map::new(),
        }
    }

    /// How matches become clusters, with what is asked of removals.
    fn clustering(&self) -> ClusterOptions {
        let removal = match self.remove {
            Remove::Documents => Some(self.join.removal_rule(self.most_lost)),
            Remove::Passages => None,
        };
        ClusterOptions {
            removal,
            ..self.cluster.clone()
        }
    }
}

/// Removes duplicates: writes `kept.*`, `removed.jsonl`, `pairs.jsonl`, `clusters.jsonl`, `rejected.jsonl`, `summary.json` and
/// `report.html`.
///
/// # Errors
/// As [`batch::find_matches`]; and when the directory is not empty, holds the input, lies in it, or cannot be written, or passages
/// cannot be removed by these options or from this input.
pub fn dedup(source: &Source, options: &DedupOptions, observer: &dyn Observer) -> Result<Summary> {
    passages::check(source, options)?;
    let made = prepare_directory(source, options)?;
    let mut summary = run(source, options, observer);
    if let Some(checkpoint) = &options.join.checkpoint
        && let Err(error) = checkpoint.end(summary.is_ok())
    {
        summary = Err(error);
    }
    if summary.is_err() && made {
        // Only if nothing is in it.
        let _kept = files::remove_dir(&options.directory);
    }
    summary
}

fn run(source: &Source, options: &DedupOptions, observer: &dyn Observer) -> Result<Summary> {
    let start = Instant::now();
    let join = JoinOptions {
        repeats: options.remove == Remove::Passages,
        ..options.join.clone()
    };
    let mut joined = batch::find_matches(source, &join, observer)?;
    let mut figures = joined.figures.clone();
    let clusters = figures.time("cluster", || {
        let how = options.clustering();
        batch::clusters(source, &mut joined, &join, &how, observer)
    })?;
    figures.verifications = joined.figures.verifications;
    let mut run = Run {
        source,
        options,
        joined,
        clusters,
        scores: Vec::new(),
        removals: Removals::default(),
        cut: None,
        fates: Vec::new(),
    };
    remove_earlier(&options.directory)?;
    let written = write_results(&mut run, figures, start, observer);
    if written.is_err() {
        // Some files of a run without the others would pass for all of them.
        let _left = remove_earlier(&options.directory);
    }
    written
}

fn write_results(
    run: &mut Run<'_>,
    mut figures: Figures,
    start: Instant,
    observer: &dyn Observer,
) -> Result<Summary> {
    let options = run.options;
    if options.remove == Remove::Passages {
        run.cut = Some(figures.time("passages", || passages::cut(run, observer))?);
    }
    figures.time("removals", || run.settle(observer))?;
    run.fates = run.fates();
    let mut summary = run.summary(&figures);
    figures.time("write", || run.write(observer, &mut summary))?;
    // Kept records are copied from the input.
    run.source.expect_unchanged()?;
    summary.candidates = figures.candidates;
    summary.verifications = figures.verifications;
    summary.comparisons_saved = figures.saved;
    summary.sketches = SketchSummary::new(&run.joined, &options.join, summary.clusters);
    summary.blocks = figures.blocks.as_ref().map(Blocks::of);
    let note = |summary: &mut Summary, figures: &Figures| {
        let stages = figures.stages.iter();
        summary.stages = stages
            .map(|(stage, seconds)| ((*stage).to_owned(), (*seconds).into()))
            .collect();
        summary.seconds = start.elapsed().as_secs_f64();
        summary.peak_memory = summary::peak_memory();
    };
    note(&mut summary, &figures);
    progress::begin(observer, "writing the report", None, Unit::Count("pages"))?;
    figures.time("report", || run.write_page(&summary))?;
    note(&mut summary, &figures);
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
    /// The scores of the members of each cluster against the representative.
    scores: Vec<Vec<Scores>>,
    /// Whole texts that are removed for another.
    removals: Removals,
    /// What leaves texts in part, where passages are removed.
    cut: Option<Cut>,
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
        let mut remove = |text: DocId| {
            if let Some(fate) = fates.get_mut(text.index()) {
                *fate = Fate::Removed;
            }
        };
        if let Some(cut) = &self.cut {
            cut.removed.iter().copied().for_each(remove);
            return fates;
        }
        let removals = self.removals.list.iter();
        removals.for_each(|removal| remove(removal.document));
        fates
    }

    /// Scores the members of the clusters against their representatives, and decides which are removed.
    fn settle(&mut self, observer: &dyn Observer) -> Result<()> {
        self.scores = batch::scores_with_representatives(
            self.source,
            &self.joined,
            &self.options.join,
            &mut self.clusters,
            observer,
        )?;
        if self.cut.is_none() {
            for (cluster, scores) in self.clusters.0.iter_mut().zip(&self.scores) {
                cluster.weakest = removals::weakest(scores, self.options.join.matching.metric);
            }
            let context = Context {
                source: self.source,
                joined: &self.joined,
                options: self.options,
            };
            self.removals = context.removals(&mut self.clusters, &mut self.scores, observer)?;
        }
        Ok(())
    }

    /// The cluster of each text; the largest number for those in none.
    fn cluster_numbers(&self) -> Vec<u32> {
        let mut numbers = vec![u32::MAX; self.documents().len()];
        for (number, cluster) in (0..).zip(&self.clusters.0) {
            for member in &cluster.members {
                numbers[member.index()] = number;
            }
        }
        numbers
    }

    fn summary(&self, figures: &Figures) -> Summary {
        let count = |fate: Fate| self.fates.iter().filter(|f| **f == fate).count() as u64;
        let documents = self.documents();
        let against = self.source.references.as_ref();
        let mut summary = Summary {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            read: self.fates.len() as u64,
            kept: count(Fate::Kept),
            removed: count(Fate::Removed),
            below_threshold: self.removals.count_below(),
            words_lost: self.removals.words_lost(),
            kept_for_loss: self.removals.kept_for_loss,
            differ_in_numbers: self.removals.differ_in_numbers,
            empty: count(Fate::Empty),
            rejected: count(Fate::Rejected),
            references: documents.len() as u64 - u64::from(documents.references()),
            pairs: self.joined.matches.count(),
            clusters: self.clusters.0.len() as u64,
            tokens: documents.total_tokens(),
            bytes: documents.bytes(),
            options: self.options.described.clone(),
            inputs: InputLine::of(&self.source.input),
            against: against.map_or_else(Vec::new, InputLine::of),
            term_search: figures.term_search.map(TermSearchSummary::of),
            ..Summary::default()
        };
        let sizes = self.clusters.0.iter().map(|cluster| cluster.members.len());
        let mut largest = sizes.max();
        if let Some(cut) = &self.cut {
            summary.shortened = cut.figures.texts;
            summary.passages = cut.figures.passages;
            summary.sentences_removed = cut.figures.sentences;
            summary.characters_removed = cut.figures.characters;
            // Clusters remove nothing here, however large.
            largest = None;
        }
        summary.warnings = summary::warnings(&Absurd {
            summary: &summary,
            largest_cluster: largest.unwrap_or(0) as u64,
            by_chains: self.options.cluster.linkage == Linkage::Connected,
            median_tokens: Some(documents.median_tokens()),
            shingle: self.options.join.matching.shortest_text(),
            partly_compared: self.joined.figures.partly_compared,
        });
        summary
    }

    /// Whether so many pairs are more than anybody reads.
    fn are_too_many(&self, pairs: u64) -> bool {
        let bytes = pairs.saturating_mul(self.documents().mean_pair_bytes());
        pairs > MOST_PAIRS || bytes > MOST_PAIR_BYTES
    }

    fn write(&mut self, observer: &dyn Observer, summary: &mut Summary) -> Result<()> {
        let pairs = Some(summary.pairs);
        progress::begin(observer, "writing pairs", pairs, Unit::Count("pairs"))?;
        let Figures {
            spanning,
            transitivity,
            ..
        } = self.joined.figures;
        let is_star = self.options.cluster.linkage == Linkage::Star;
        if spanning || (transitivity && is_star) {
            let pairs = self.pairs_with_representatives();
            summary.pairs_written =
                self.write_pairs(observer, |write| pairs.iter().copied().try_for_each(write))?;
            summary.pairs = summary.pairs_written;
            // Texts that meet often are no pairs yet.
            let several = (summary.pairs > 0).then_some(
                "too many pairs to list: `pairs.jsonl` has only each text with its representative; `doublet pairs` finds all",
            );
            summary.warnings.extend(several.map(str::to_owned));
        } else if transitivity || self.are_too_many(summary.pairs) {
            let pairs = self.joined.matches.spanning(self.documents());
            summary.pairs_written =
                self.write_pairs(observer, |write| pairs.iter().copied().try_for_each(write))?;
            if transitivity {
                summary.pairs = summary.pairs_written;
            } else {
                summary.warnings.push(format!(
                    "`pairs.jsonl` holds {} of {} pairs: those that connect the clusters; `doublet pairs` writes all",
                    summary.pairs_written, summary.pairs
                ));
            }
        } else {
            let matches = &self.joined.matches;
            summary.pairs_written =
                self.write_pairs(observer, |write| matches.for_each(self.documents(), write))?;
        }
        let clusters = Some(self.clusters.0.len() as u64);
        progress::begin(observer, "writing", clusters, Unit::Count("clusters"))?;
        self.write_clusters(observer)?;
        let mut file = self.create("rejected.jsonl")?;
        let mut line = Vec::new();
        for (_, rejection) in self.documents().rejections() {
            line.clear();
            records::rejected(rejection, &mut line);
            file.write(&line)?;
        }
        file.finish()?;
        progress::advance(observer, 0)?;
        let keep = |document: DocId| match self.fates.get(document.index()) {
            Some(Fate::Kept) => true,
            Some(Fate::Empty) => !self.options.drop_empty,
            _ => false,
        };
        summary.kept_rows = self.kept_rows(&keep);
        if self.options.dry_run {
            return Ok(());
        }
        let none = Cuts::default();
        let cuts = self.cut.as_ref().map_or(&none, |cut| &cut.cuts);
        let (input, directory) = (&self.source.input, &self.options.directory);
        write_kept(input, directory, &keep, cuts, observer)?;
        Ok(())
    }

    /// The rows of data in memory that stay. Several tables are counted through.
    fn kept_rows(&self, keep: &dyn Fn(DocId) -> bool) -> Vec<u64> {
        let mut before = 0;
        let mut starts = Vec::new();
        for file in self.source.input.files() {
            let rows = file.rows_in_memory();
            starts.push(rows.map(|_| before));
            before += rows.unwrap_or(0);
        }
        let documents = self.documents();
        let kept = (0..documents.references())
            .map(DocId)
            .filter(|document| keep(*document));
        kept.filter_map(|document| {
            let place = documents.place(document);
            Some((*starts.get(place.file as usize)?)? + place.offset)
        })
        .collect()
    }

    fn create(&self, name: &str) -> Result<OutputFile> {
        OutputFile::create(&self.options.directory.join(name))
    }

    /// Every text with the representative of its cluster, in input order.
    fn pairs_with_representatives(&self) -> Vec<Match> {
        let mut pairs = Vec::new();
        for (cluster, scores) in self.clusters.0.iter().zip(&self.scores) {
            for (&member, &scores) in cluster.members.iter().zip(scores) {
                let representative = cluster.representative;
                match member.cmp(&representative) {
                    Ordering::Equal => {}
                    Ordering::Less => pairs.push(Match {
                        a: member,
                        b: representative,
                        scores: scores.swapped(),
                    }),
                    Ordering::Greater => pairs.push(Match {
                        a: representative,
                        b: member,
                        scores,
                    }),
                }
            }
        }
        pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
        pairs
    }

    /// Writes the pairs that `all` hands over.
    fn write_pairs(
        &self,
        observer: &dyn Observer,
        all: impl FnOnce(&mut dyn FnMut(Match) -> Result<()>) -> Result<()>,
    ) -> Result<u64> {
        let path = self.options.directory.join("pairs.jsonl");
        let mut writer = PairWriter::create(
            &path,
            self.options.join.matching.method,
            self.options.join.matching.metric,
        )?;
        let mut count = 0;
        all(&mut |pair| {
            count += 1;
            if count % STEP == 0 {
                progress::advance(observer, STEP)?;
            }
            let key = |document| self.documents().key(document, self.source);
            writer.write(&key(pair.a), &key(pair.b), &pair.scores)
        })?;
        writer.finish()?;
        Ok(count)
    }

    /// Writes the clusters, and what they remove.
    fn write_clusters(&self, observer: &dyn Observer) -> Result<()> {
        let metric = self.options.join.matching.metric;
        let lines = RecordLines {
            documents: self.documents(),
            source: self.source,
        };
        let mut file = self.create("clusters.jsonl")?;
        let mut line = Vec::new();
        for (number, (cluster, scores)) in self.clusters.0.iter().zip(&self.scores).enumerate() {
            line.clear();
            let scores = scores.iter().map(|scores| match self.options.remove {
                Remove::Documents => scores.removal_score(metric),
                Remove::Passages => scores.score(metric),
            });
            let scores: Vec<f64> = scores.collect();
            lines.cluster(number, cluster, &scores, &mut line);
            file.write(&line)?;
            progress::advance(observer, 1)?;
        }
        file.finish()?;
        if self.cut.is_some() {
            return Ok(());
        }
        let mut file = self.create("removed.jsonl")?;
        for removal in &self.removals.list {
            line.clear();
            let removed = RemovedLine {
                cluster: Some(removal.cluster as usize),
                document: removal.document,
                representative: removal.representative,
                score: removal.score,
                lost: removal.lost,
            };
            lines.removed(&removed, &mut line);
            file.write(&line)?;
        }
        file.finish()
    }

    fn write_page(&self, summary: &Summary) -> Result<()> {
        let join = &self.options.join;
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
            below_threshold: summary.below_threshold,
            words_lost: summary.words_lost,
            pairs: summary.pairs,
            clusters: summary.clusters,
            bytes: summary.bytes,
            seconds: summary.seconds,
            peak_memory: summary.peak_memory,
            method: join.matching.method.to_string(),
            metric: join.matching.metric.to_string(),
            threshold: join.decision().least_score(),
            warnings: summary.warnings.clone(),
            stages: summary
                .stages
                .iter()
                .map(|(stage, seconds)| (stage.clone(), seconds.as_f64().unwrap_or(0.0)))
                .collect(),
            options: describe(&summary.options),
            passages: self.cut.as_ref().map(|cut| cut.figures.clone()),
            ..ReportPage::default()
        };
        let source = PageSource {
            source: self.source,
            documents: self.documents(),
            matches: &self.joined.matches,
            clusters: &self.clusters,
            fitted: &self.joined.fitted,
            numbers_differ: join.matching.normalize.numbers != Numbers::Keep
                || !join.matching.method.info().compares_order,
            worst: self
                .removals
                .worst(page::SHOWN)
                .into_iter()
                .map(|own| (own.document, own.representative, own.lost))
                .collect(),
            metric: join.matching.metric,
            threshold: join.decision().least_score(),
            spanning: self
                .joined
                .figures
                .transitivity
                .then_some(summary.pairs_written),
            removed: &|document| self.fates.get(document.index()) == Some(&Fate::Removed),
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
