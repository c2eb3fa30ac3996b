//! The join of a whole collection: from a source to its matches.
//!
//! Resemblance reads the texts once (and a sample of them before): see `candidates::prefix`, and `minhash` for sketches. The
//! one-sided metrics read them twice, first to learn which shingles are shared: see `candidates::probe`. Either way the texts of
//! the candidates, and only those, are read once more to be verified. Terms, sentences and fingerprints of 64 bits are read
//! once, and compared as numbers: see `terms`, `sentences`, `simhash`. The result does not depend on threads or memory, nor on
//! whether the run was interrupted: see `checkpoint`.

mod background;
mod checkpoint;
pub(crate) mod common_words;
#[cfg(test)]
mod dummy;
mod finish;
pub(crate) mod first_pass;
mod fit;
mod minhash;
mod notes;
mod one_sided;
pub(crate) mod repeats;
pub(crate) mod scan;
mod sentences;
mod simhash;
mod sketch_sample;
mod stars;
mod stream;
pub(crate) mod symmetric;
mod term_sample;
mod term_store;
mod terms;
mod verify;

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Instant;

pub use background::{CountOptions, write_background};
pub use checkpoint::CheckpointOptions;
use checkpoint::{Checkpoint, Kept, Stage};
pub use common_words::learn_common_words;
pub use fit::fit;
pub use minhash::SketchFigures;
pub use stars::clusters;
pub use stream::{Expected, MatchSink, for_each_match};
pub use term_sample::TermSearch;

use crate::candidates::blocks::BlockPlan;
use crate::candidates::pairs::Limits;
use crate::cluster::{Clusters, MostLost, RemovalRule};
use crate::document::DocId;
use crate::error::{Error, Result, io_error};
use crate::files::TemporaryDirectory;
use crate::matches::{BlockRows, Documents, Matches, RankBy, Source, State, Verified};
use crate::matches::{CandidatePair, Wanted};
use crate::method::shingles::Preparer;
use crate::method::simhash::scores;
use crate::method::{self, Decision, Fitted, MatchOptions, Method};
use crate::options::Resources;
use crate::progress::{self, Observer, Unit};
use crate::read::{Block, Collection, SourceFile, expect_some};
use crate::scores::{Metric, Scores};
use repeats::Repeats;
use scan::Extent;
pub(crate) use term_store::TermStore;
use verify::Verifier;

/// Past so many pairs of texts that share a key there are very many: see [`JoinOptions::spanning`] and [`JoinOptions::many`].
pub const MANY_PAIRS: u64 = 50_000_000;

/// Matches that may be held, however little memory is given.
const LEAST_MATCHES: u64 = 10_000_000;

/// What to join, and how.
#[derive(Clone, Debug)]
pub struct JoinOptions {
    /// What makes two texts a match.
    pub matching: MatchOptions,
    /// Threads, memory and the place for temporary files.
    pub resources: Resources,
    /// With references: only pairs of a text and a reference.
    pub across_only: bool,
    /// What to remember of each text for `--keep`.
    pub rank: RankBy,
    /// Stop at the first bad record.
    pub strict: bool,
    /// Number the records instead of using their ids.
    pub renumber: bool,
    /// Only what is connected matters, not every pair: past so many pairs, those within what is connected already are passed
    /// over.
    pub spanning: Option<u64>,
    /// The most pairs that may be found; past them the run ends with an error.
    pub most_pairs: Option<u64>,
    /// Past so many pairs of texts that share a key they count as very many: pairs are handed on while they are found, and
    /// sketches give way to the complete search where that looks at far fewer.
    pub many: u64,
    /// With sentences: find out as well which sentences of each text stand in a text before it.
    pub repeats: bool,
    /// Where the state of the run is kept on the way, so that it can be continued; `None`: nowhere.
    pub checkpoint: Option<CheckpointOptions>,
}

impl JoinOptions {
    /// All pairs of a collection.
    pub fn new(matching: MatchOptions, resources: Resources) -> Self {
        Self {
            matching,
            resources,
            across_only: false,
            rank: RankBy::Nothing,
            strict: false,
            renumber: false,
            spanning: None,
            most_pairs: None,
            many: MANY_PAIRS,
            repeats: false,
            checkpoint: None,
        }
    }

    /// What makes two texts a match.
    pub fn decision(&self) -> Decision {
        self.matching.decision(self.across_only)
    }

    /// When a text may be removed for another that it matches; `most_lost` limits what a removal may lose.
    pub fn removal_rule(&self, most_lost: Option<MostLost>) -> RemovalRule {
        RemovalRule {
            decision: self.decision(),
            most_lost,
        }
    }
}

/// What a join found, and what it took.
#[derive(Debug)]
pub struct Joined {
    /// All records.
    pub documents: Documents,
    /// The matches.
    pub matches: Matches,
    /// Figures of the run.
    pub figures: Figures,
    /// What compares its texts.
    pub fitted: Fitted,
    /// What is held of its texts.
    pub(crate) held: Held,
    /// What each text repeats, if that was asked for.
    pub(crate) repeats: Option<Repeats>,
}

/// What a join holds of each text, so that pairs are scored without reading it again.
#[derive(Debug)]
pub(crate) enum Held {
    /// Nothing.
    Nothing,
    /// Its terms.
    Terms(TermStore),
    /// Its fingerprint of 64 bits; 0 for those that have none.
    Fingerprints(Vec<u64>),
}

impl Joined {
    /// The terms of its texts, if it compared those.
    pub(crate) fn terms(&self) -> Option<(&method::terms::Fitted, &TermStore)> {
        match (&self.fitted, &self.held) {
            (Fitted::Terms(fitted), Held::Terms(store)) => Some((fitted, store)),
            _ => None,
        }
    }
}

/// Figures of a run.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Pairs that were proposed; with terms those compared, and the meetings that were saved.
    pub candidates: u64,
    /// Pairs that were verified.
    pub verifications: u64,
    /// Whether pairs within what was connected already were passed over.
    pub spanning: bool,
    /// Whether texts that hung together already were not compared.
    pub transitivity: bool,
    /// Texts of very large clusters that were compared with some of the representatives only.
    pub partly_compared: u64,
    /// Meetings of such texts, and of copies, which are never compared.
    pub saved: u64,
    /// Pairs whose common keys were added up, where texts meet by keys.
    pub added_up: u64,
    /// How pairs were looked for among terms, if the method compares those.
    pub term_search: Option<TermSearch>,
    /// What the sketches came to, if the method makes them.
    pub sketches: Option<SketchFigures>,
    /// How fingerprints of 64 bits were cut into blocks, if such were compared.
    pub blocks: Option<BlockPlan>,
    /// Seconds that each stage took.
    pub stages: Vec<(&'static str, f64)>,
}

impl Figures {
    /// Runs a stage and adds up its time.
    pub fn time<T>(&mut self, stage: &'static str, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = run();
        let seconds = start.elapsed().as_secs_f64();
        match self.stages.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, sum)) => *sum += seconds,
            None => self.stages.push((stage, seconds)),
        }
        result
    }
}

/// Which collection a block belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// 0 for the input, 1 for the references.
    which: usize,
    /// Number of the collection's first text.
    base: u32,
}

/// One join under way.
pub(crate) struct Join<'a> {
    source: &'a Source,
    options: &'a JoinOptions,
    preparer: Arc<Preparer>,
    observer: &'a dyn Observer,
    temporary: TemporaryDirectory,
    figures: Figures,
    checkpoint: Option<Checkpoint>,
    /// Who takes pairs while they are found, if there are very many.
    sink: Option<Mutex<&'a mut (dyn MatchSink + 'a)>>,
    /// Pairs whose common keys were added up.
    added_up: AtomicU64,
    /// Whether a text was told to be too long for the memory.
    told_long: AtomicBool,
    /// What is left of an interrupted run that this one continues.
    kept: Option<Kept>,
}

/// Finds all matches of a source.
///
/// # Errors
/// When an option is out of range, a file or every record cannot be read, an id occurs twice, a record is bad and `strict` is
/// set, the observer cancels the run, or the run to be continued is another one or its state is damaged.
pub fn find_matches(
    source: &Source,
    options: &JoinOptions,
    observer: &dyn Observer,
) -> Result<Joined> {
    join(source, options, observer, None)
}

fn join<'a>(
    source: &'a Source,
    options: &'a JoinOptions,
    observer: &'a dyn Observer,
    sink: Option<&'a mut (dyn MatchSink + 'a)>,
) -> Result<Joined> {
    let matching = &options.matching;
    matching.check()?;
    let preparer = Preparer::new(&matching.normalize, &matching.shingle)?;
    let directory = &options.resources.temp_dir;
    let temporary = TemporaryDirectory::create(directory, "doublet-")
        .map_err(io_error("make a temporary directory in", directory))?;
    let (checkpoint, kept) = Checkpoint::open(source, options, observer)?;
    let join = Join {
        source,
        options,
        preparer: Arc::new(preparer),
        observer,
        temporary,
        figures: Figures::default(),
        checkpoint,
        sink: sink.map(Mutex::new),
        added_up: AtomicU64::new(0),
        told_long: AtomicBool::new(false),
        kept,
    };
    let joined = join.run();
    // Whatever came of a file that changed, that it changed says more.
    if !matches!(joined, Err(Error::Interrupted)) {
        source.expect_unchanged()?;
    }
    joined
}

impl Join<'_> {
    /// The plan of the method.
    fn run(self) -> Result<Joined> {
        let matching = &self.options.matching;
        match (matching.method, matching.metric) {
            (Method::Shingles, Metric::Resemblance) => self.symmetric(),
            (Method::Shingles, _) => self.one_sided(),
            (Method::Minhash, _) => self.minhash(),
            (Method::Simhash, _) => self.simhash(),
            (Method::Terms, _) => self.terms(),
            (Method::Sentences | Method::Imatch, _) => self.sentences(),
            #[cfg(test)]
            (Method::Dummy, _) => self.dummy(),
        }
    }

    /// What an interrupted run left that had found candidates, for the plans that look for them in lists.
    fn kept_found(&mut self) -> Option<Kept> {
        self.kept.take_if(|kept| kept.stage != Stage::Read)
    }
}

/// Each cluster's scores of its members against the representative, computed where they are not known yet. The weakest of a
/// cluster becomes the lowest of these.
///
/// # Errors
/// When a text cannot be read again.
pub fn scores_with_representatives(
    source: &Source,
    joined: &Joined,
    options: &JoinOptions,
    clusters: &mut Clusters,
    observer: &dyn Observer,
) -> Result<Vec<Vec<Scores>>> {
    let (documents, matches) = (&joined.documents, &joined.matches);
    let first = |document: DocId| matches.identical.first[document.index()];
    let mut unknown = Vec::new();
    for cluster in &clusters.0 {
        let representative = first(cluster.representative);
        let members = cluster.members.iter().map(|&member| first(member));
        let others = members.filter(|&member| member != representative);
        let pairs = others.map(|member| pair_of(member, representative));
        unknown.extend(pairs.filter(|pair| matches.find(*pair).is_none()));
    }
    unknown.sort_unstable();
    unknown.dedup();
    let mut computed = score_pairs(source, joined, options, &unknown, observer)?;
    computed.sort_unstable_by_key(|(pair, _)| *pair);
    // Seen from the representative.
    let scores_of = |representative: u32, member: u32| {
        if representative == member {
            return Ok(documents.identical_scores(member));
        }
        let pair = pair_of(representative, member);
        let known = matches
            .find(pair)
            .map(|verified| verified.scores(documents));
        let scores = known.or_else(|| {
            let found = computed.binary_search_by_key(&pair, |(pair, _)| *pair);
            found.ok().map(|index| computed[index].1)
        });
        match scores {
            Some(scores) if pair.a == representative => Ok(scores),
            Some(scores) => Ok(scores.swapped()),
            // Both texts had a token when they were read first.
            None => Err(one_sided::changed(
                &documents.place(DocId(member)),
                source.collection(DocId(member), documents),
            )),
        }
    };
    let mut all = Vec::new();
    for cluster in &mut clusters.0 {
        let representative = first(cluster.representative);
        let members = cluster.members.iter().map(|&member| first(member));
        let scores: Vec<Scores> = members
            .map(|member| scores_of(representative, member))
            .collect::<Result<_>>()?;
        let values = scores
            .iter()
            .map(|scores| scores.score(options.matching.metric));
        cluster.weakest = values.fold(1.0, f64::min);
        all.push(scores);
    }
    Ok(all)
}

/// The scores of some pairs of texts, seen from the first of each, whether they were found or not; `None` for those with a text
/// that has no token.
///
/// # Errors
/// When a text cannot be read again.
pub fn score_between(
    source: &Source,
    joined: &Joined,
    options: &JoinOptions,
    pairs: &[(DocId, DocId)],
    observer: &dyn Observer,
) -> Result<Vec<Option<Scores>>> {
    let documents = &joined.documents;
    let first = |text: DocId| joined.matches.identical.first[text.index()];
    let is_text = |text: DocId| documents.state(text) == State::Text;
    let firsts = |&(a, b): &(DocId, DocId)| {
        let (x, y) = (first(a), first(b));
        let pair = CandidatePair {
            a: x.min(y),
            b: x.max(y),
        };
        (is_text(a) && is_text(b)).then_some(pair)
    };
    let wanted: Vec<Option<CandidatePair>> = pairs.iter().map(firsts).collect();
    let mut different: Vec<CandidatePair> = wanted.iter().flatten().copied().collect();
    different.retain(|pair| pair.a != pair.b);
    different.sort_unstable();
    different.dedup();
    let mut scored = score_pairs(source, joined, options, &different, observer)?;
    scored.sort_unstable_by_key(|(pair, _)| *pair);
    let scores = |pair: CandidatePair| {
        if pair.a == pair.b {
            return Some(documents.identical_scores(pair.a));
        }
        let at = scored.binary_search_by_key(&pair, |(pair, _)| *pair);
        at.ok().map(|at| scored[at].1)
    };
    let seen = |(pair, &(a, b)): (Option<CandidatePair>, &(DocId, DocId))| {
        let found = scores(pair?)?;
        Some(if first(a) > first(b) {
            found.swapped()
        } else {
            found
        })
    };
    Ok(wanted.into_iter().zip(pairs).map(seen).collect())
}

fn pair_of(x: u32, y: u32) -> CandidatePair {
    CandidatePair {
        a: x.min(y),
        b: x.max(y),
    }
}

/// The scores of pairs of texts, each the first of its copies; in no particular order.
fn score_pairs(
    source: &Source,
    joined: &Joined,
    options: &JoinOptions,
    pairs: &[CandidatePair],
    observer: &dyn Observer,
) -> Result<Vec<(CandidatePair, Scores)>> {
    let documents = &joined.documents;
    if let Some((fitted, store)) = joined.terms() {
        return store.score_pairs(&fitted.lexicon, documents, pairs);
    }
    if let Held::Fingerprints(fingerprints) = &joined.held {
        let of = |text: u32| Some(fingerprints[text as usize]);
        let scores = |pair: &CandidatePair| (*pair, scores(of(pair.a), of(pair.b)));
        return Ok(pairs.iter().map(scores).collect());
    }
    let verifier = Verifier {
        source,
        documents,
        fitted: &joined.fitted,
        threads: options.resources.threads,
        observer,
    };
    verifier.score(pairs, |pair, scores| Some((pair, scores)))
}

impl Join<'_> {
    /// The input, then the references.
    fn collections(&self) -> impl Iterator<Item = &Collection> {
        std::iter::once(&self.source.input).chain(&self.source.references)
    }

    /// Reads the input, then the references, into the table of documents. `each` gets a thread's state, a block and where it belongs;
    /// `rows` takes the rows out of a state at the end.
    fn read_documents<S: Send>(
        &self,
        start: impl Fn() -> S + Sync,
        each: impl Fn(&mut S, &Block, Part) -> Result<()> + Sync,
        mut rows: impl FnMut(S) -> Result<Vec<BlockRows>>,
    ) -> Result<Documents> {
        let mut documents = Documents::new(self.options.renumber);
        scan::announce(self.source, self.observer, "reading", 1)?;
        for (which, collection) in self.collections().enumerate() {
            if which == 1 {
                documents.end_of_input();
            }
            let part = Part {
                which,
                base: documents.len() as u32,
            };
            let known = documents.rejections.len();
            let states = scan::scan(
                collection,
                Extent::Whole,
                self.options.resources.threads,
                self.observer,
                &start,
                |state, block| {
                    self.note_long_text(block, collection);
                    each(state, block, part)
                },
            )?;
            let mut blocks = Vec::new();
            for state in states {
                blocks.extend(rows(state)?);
            }
            documents.extend(blocks);
            let rejected = &documents.rejections[known..];
            let records = documents.len() as u64 - u64::from(part.base);
            let (count, first) = (rejected.len() as u64, rejected.first());
            expect_some(records - count, count, first.map(|(_, first)| first))?;
        }
        if self.source.references.is_none() {
            documents.end_of_input();
        }
        Ok(documents)
    }

    fn wanted(&self, documents: &Documents) -> Wanted {
        Wanted {
            references: documents.references(),
            across_only: self.options.across_only,
        }
    }

    /// What lists, pairs and texts under way may take together: a quarter of the memory is left to the table of records.
    fn working_memory(&self) -> u64 {
        let memory = self.options.resources.memory;
        memory - memory / 4
    }

    /// The most matches between distinct texts that are let stand: as many as are asked for, and fit into memory. As many as make
    /// very many always do, so that no plan that keeps below them fails by its memory.
    fn most_matches(&self) -> u64 {
        let fitting = self.options.resources.memory / size_of::<Verified>() as u64;
        let fitting = fitting.max(self.options.many).max(LEAST_MATCHES);
        self.options.most_pairs.unwrap_or(u64::MAX).min(fitting)
    }

    /// The error past so many matches.
    fn too_many(&self, matches: u64) -> Error {
        match self.options.most_pairs {
            Some(most) if most <= matches => Error::TooManyPairs(most),
            _ => Error::PairsTooLarge(matches),
        }
    }

    /// Bytes there may be to read.
    fn expected_bytes(&self) -> u64 {
        let files = self.collections().flat_map(Collection::files);
        files.map(SourceFile::expected_bytes).sum()
    }

    /// Shingles there may be in all, for the size of tables.
    fn expected_shingles(&self) -> u64 {
        self.expected_bytes() / 6
    }

    /// Gives a stage that works on partitions what it may use.
    fn with_limits<T>(
        &self,
        stage: &'static str,
        run: impl FnOnce(&Limits<'_>) -> Result<T>,
    ) -> Result<T> {
        progress::begin(self.observer, stage, None, Unit::Count("partitions"))?;
        run(&Limits {
            threads: self.options.resources.threads,
            budget: self.working_memory() / 4,
            directory: self.temporary.path(),
            added_up: &self.added_up,
            most_matches: self.most_matches(),
            too_many: &|matches| self.too_many(matches),
            tick: &|| progress::advance(self.observer, 1),
        })
    }
}
