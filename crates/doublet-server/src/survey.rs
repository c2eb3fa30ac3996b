//! The clusters of the index and the lengths of its texts: found on a thread of its own, from a snapshot, when somebody asks, and kept until
//! the index has changed and somebody asks again.

use std::io::{BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use doublet::Error;
use doublet::batch::{JoinOptions, MANY_PAIRS, find_matches, scores_with_representatives};
use doublet::cluster::{ClusterOptions, Keep, Linkage, cluster};
use doublet::files::{File, TemporaryDirectory};
use doublet::index::Index;
use doublet::matches::Source;
use doublet::method::sentences::common::CommonWords;
use doublet::options::{Format, ReadOptions, Resources};
use doublet::progress::{Observer, Unit};
use doublet::read::Collection;
use serde::Serialize;
use tokio::sync::Notify;

use crate::options::ServeOptions;

/// Memory for a survey; past it, it goes to disk.
const MEMORY: u64 = 512 << 20;
/// A survey pauses so many times as long as it took.
const PAUSES: u32 = 4;
/// Stages of a join, of which each is as good as any other for telling how far it is.
const STAGES: f64 = 5.0;

/// Finds clusters when asked.
#[derive(Debug)]
pub(crate) struct Survey {
    pause: Duration,
    temp_dir: PathBuf,
    state: Mutex<State>,
    ended: Notify,
    watch: Watch,
}

#[derive(Debug, Default)]
struct State {
    found: Option<Arc<Surveyed>>,
    failed: Option<String>,
    thread: Option<JoinHandle<()>>,
    running: bool,
    /// When the last ended, and how long it took.
    last: Option<(Instant, Duration)>,
}

/// What a survey found.
#[derive(Debug, Default)]
pub(crate) struct Surveyed {
    /// Changes of the index before it; none where there was no survey.
    changes: Option<u64>,
    /// Which survey it was, from 1 on.
    pub(crate) number: u64,
    pub(crate) commit: u64,
    /// Largest first.
    pub(crate) clusters: Vec<FoundCluster>,
    /// Documents in all of them.
    pub(crate) documents: usize,
    pub(crate) sizes: Vec<Size>,
}

/// Documents that say the same.
#[derive(Debug)]
pub(crate) struct FoundCluster {
    /// Its id as JSON.
    pub(crate) representative: String,
    /// Ids as JSON, in the order in which they were added, with their scores against the representative.
    pub(crate) members: Vec<(String, f64)>,
}

/// How many documents have so many characters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Size {
    /// The least.
    pub(crate) from: u64,
    /// The most.
    pub(crate) to: u64,
    pub(crate) documents: u64,
}

/// How it stands.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) found: Option<Arc<Surveyed>>,
    /// How far the one under way is.
    pub(crate) progress: Option<f64>,
    pub(crate) failed: Option<String>,
}

impl Survey {
    pub(crate) fn new(options: &ServeOptions) -> Self {
        Self {
            pause: options.survey_pause,
            temp_dir: options.temp_dir.clone(),
            state: Mutex::default(),
            ended: Notify::new(),
            watch: Watch::default(),
        }
    }

    /// How it stands with this index; begins another if it is time for one.
    pub(crate) fn ask(self: &Arc<Self>, index: &Arc<Index>) -> Standing {
        let mut state = self.lock();
        let current = state.found.as_ref();
        let stale = !current.is_some_and(|found| found.is_of(index));
        let paused = state
            .last
            .is_none_or(|(ended, took)| ended.elapsed() >= (took * PAUSES).max(self.pause));
        if stale && paused && !state.running && !self.watch.cancelled() {
            self.begin(&mut state, Arc::clone(index));
        }
        Standing {
            found: state.found.clone(),
            progress: state.running.then(|| self.watch.progress()),
            failed: state.failed.clone(),
        }
    }

    /// The same, but waits a while for a first one.
    pub(crate) async fn ask_patiently(
        self: &Arc<Self>,
        index: &Arc<Index>,
        most: Duration,
    ) -> Standing {
        let ended = self.ended.notified();
        let standing = self.ask(index);
        if standing.progress.is_none() || standing.found.is_some() {
            return standing;
        }
        let _or_not = tokio::time::timeout(most, ended).await;
        self.ask(index)
    }

    /// What was found last, without asking for more.
    pub(crate) fn found(&self) -> Option<Arc<Surveyed>> {
        self.lock().found.clone()
    }

    /// Ends the one under way, and begins no more.
    pub(crate) fn cancel(&self) {
        self.watch.cancelled.store(true, Ordering::Relaxed);
    }

    /// Waits until none is under way.
    pub(crate) fn join(&self) {
        let thread = self.lock().thread.take();
        if let Some(thread) = thread {
            let _ended = thread.join();
        }
    }

    fn begin(self: &Arc<Self>, state: &mut State, index: Arc<Index>) {
        self.watch.begin();
        let survey = Arc::clone(self);
        let thread = std::thread::Builder::new().name("survey".to_owned());
        let begun = thread.spawn(move || {
            let start = Instant::now();
            let work = || survey_of(&index, &survey.temp_dir, &survey.watch);
            let found = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Error::Interrupted));
            let mut state = survey.lock();
            match found {
                Ok(mut found) => {
                    found.number = 1 + state.found.as_ref().map_or(0, |before| before.number);
                    state.found = Some(Arc::new(found));
                    state.failed = None;
                }
                Err(error) => state.failed = Some(error.to_string()),
            }
            state.running = false;
            state.last = Some((Instant::now(), start.elapsed()));
            drop(state);
            survey.ended.notify_waiters();
        });
        match begun {
            Ok(thread) => {
                state.running = true;
                state.thread = Some(thread);
            }
            Err(error) => state.failed = Some(error.to_string()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Surveyed {
    /// Whether the index has not changed since.
    pub(crate) fn is_of(&self, index: &Arc<Index>) -> bool {
        self.changes == Some(index.changes())
    }
}

/// Finds the clusters of an index that keeps texts.
fn survey_of(index: &Arc<Index>, temp_dir: &Path, watch: &Watch) -> Result<Surveyed, Error> {
    let io = |doing: &'static str| {
        let path = temp_dir.to_owned();
        move |cause| Error::Io { doing, path, cause }
    };
    let place = TemporaryDirectory::create(temp_dir, "doublet-survey-");
    let place = place.map_err(io("make a temporary directory in"))?;
    let texts = place.path().join("texts.jsonl");
    let sizes = write_texts(index, &texts, watch)?;
    let read = ReadOptions {
        format: Some(Format::JsonLines),
        ..ReadOptions::default()
    };
    let options = join_options(index, place.path());
    let input = Collection::open(&[texts.to_string_lossy().into_owned()], &read, place.path())?;
    let source = Source {
        input,
        references: None,
    };
    let joined = find_matches(&source, &options, watch)?;
    let how = ClusterOptions {
        linkage: Linkage::Connected,
        keep: Keep::First,
        metric: options.matching.metric,
        removal: None,
    };
    let mut clusters = cluster(&joined.documents, &joined.matches, &how);
    let scores = scores_with_representatives(&source, &joined, &options, &mut clusters, watch)?;
    let id = |document| joined.documents.key(document, &source).as_json().to_owned();
    let mut clusters: Vec<FoundCluster> = clusters
        .0
        .iter()
        .zip(&scores)
        .map(|(cluster, scores)| {
            let scores = scores
                .iter()
                .map(|scores| scores.score(options.matching.metric));
            FoundCluster {
                representative: id(cluster.representative),
                members: cluster
                    .members
                    .iter()
                    .map(|&member| id(member))
                    .zip(scores)
                    .collect(),
            }
        })
        .collect();
    // They come in the order of their first members, which equals keep.
    clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.members.len()));
    Ok(Surveyed {
        changes: Some(index.changes()),
        number: 0,
        commit: index.info().commit,
        documents: clusters.iter().map(|cluster| cluster.members.len()).sum(),
        clusters,
        sizes,
    })
}

/// Writes the texts to a file, one a line, and counts their characters.
fn write_texts(index: &Index, path: &Path, watch: &Watch) -> Result<Vec<Size>, Error> {
    let io = |cause| Error::Io {
        doing: "write to",
        path: path.to_owned(),
        cause,
    };
    let mut file = BufWriter::new(File::create(path).map_err(io)?);
    let mut sizes = Sizes::default();
    watch.stage(
        "reading",
        Some(index.info().documents),
        Unit::Count("texts"),
    );
    index.for_each_document(|id, text| {
        let text = text.unwrap_or_default();
        sizes.add(text.chars().count() as u64);
        let written = file
            .write_all(b"{\"id\": ")
            .and_then(|()| file.write_all(id.as_bytes()))
            .and_then(|()| file.write_all(b", \"text\": "))
            .and_then(|()| Ok(serde_json::to_writer(&mut file, text)?))
            .and_then(|()| file.write_all(b"}\n"));
        written.map_err(io)?;
        watch.advance(1);
        match watch.cancelled() {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    })?;
    file.flush().map_err(io)?;
    Ok(sizes.list())
}

/// The join of all documents with one another, as the index sees them.
fn join_options(index: &Index, temp_dir: &Path) -> JoinOptions {
    let mut matching = index.options().matching.clone();
    if matching.method.unit().is_some() {
        let words = index.common_words().to_vec();
        matching.sentences.common = Some(Arc::new(CommonWords::new(words)));
    }
    if let Some(terms) = index.terms() {
        matching.terms = terms;
    }
    // The join chooses bands by a sample.
    matching.sketches.bands = None;
    let resources = Resources {
        threads: 1,
        memory: MEMORY,
        temp_dir: temp_dir.to_owned(),
    };
    JoinOptions {
        spanning: Some(MANY_PAIRS),
        ..JoinOptions::new(matching, resources)
    }
}

/// Counts by length, in steps of a third of ten.
#[derive(Default)]
struct Sizes(Vec<u64>);

impl Sizes {
    const STEPS: [u64; 3] = [1, 2, 5];

    /// The least length of a step: 0, 1, 2, 5, 10, 20, 50, 100 and so on.
    fn from(step: usize) -> u64 {
        match step.checked_sub(1) {
            None => 0,
            Some(step) => {
                Self::STEPS[step % 3].saturating_mul(10u64.saturating_pow((step / 3) as u32))
            }
        }
    }

    fn add(&mut self, characters: u64) {
        // Far beyond any text, so that a next step exists.
        let characters = characters.min(1 << 60);
        let mut step = 0;
        while Self::from(step + 1) <= characters {
            step += 1;
        }
        if self.0.len() <= step {
            self.0.resize(step + 1, 0);
        }
        self.0[step] += 1;
    }

    fn list(&self) -> Vec<Size> {
        let first = self.0.iter().position(|&documents| documents > 0);
        let steps = first.unwrap_or(0)..self.0.len();
        steps
            .map(|step| Size {
                from: Self::from(step),
                to: Self::from(step + 1) - 1,
                documents: self.0[step],
            })
            .collect()
    }
}

/// Watches the survey under way.
#[derive(Debug, Default)]
struct Watch {
    cancelled: AtomicBool,
    stages: AtomicU64,
    done: AtomicU64,
    total: AtomicU64,
}

impl Watch {
    fn begin(&self) {
        self.stages.store(0, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.total.store(0, Ordering::Relaxed);
    }

    /// How far it is, roughly, from 0 to 1.
    fn progress(&self) -> f64 {
        let get = |number: &AtomicU64| number.load(Ordering::Relaxed) as f64;
        let within = (get(&self.done) / get(&self.total).max(1.0)).min(1.0);
        ((get(&self.stages) - 1.0).max(0.0) + within).min(STAGES - 0.05) / STAGES
    }
}

impl Observer for Watch {
    fn stage(&self, _name: &'static str, total: Option<u64>, _unit: Unit) {
        self.stages.fetch_add(1, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.total
            .store(total.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn advance(&self, amount: u64) {
        self.done.fetch_add(amount, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_fall_into_steps() {
        let mut sizes = Sizes::default();
        for characters in [1, 2, 4, 5, 99, 100, 199, 200] {
            sizes.add(characters);
        }
        let found: Vec<(u64, u64, u64)> = sizes
            .list()
            .iter()
            .map(|size| (size.from, size.to, size.documents))
            .collect();
        assert_eq!(
            found,
            [
                (1, 1, 1),
                (2, 4, 2),
                (5, 9, 1),
                (10, 19, 0),
                (20, 49, 0),
                (50, 99, 1),
                (100, 199, 2),
                (200, 499, 1)
            ]
        );
        assert!(Sizes::default().list().is_empty());
        sizes.add(0);
        sizes.add(u64::MAX);
        assert_eq!(sizes.list()[0].from, 0);
    }
}
