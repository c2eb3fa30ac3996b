//! Readings that only count terms: for a background table, and for a look at the terms of a collection.

use std::path::{Path, PathBuf};

use super::JoinOptions;
use super::common_words::count_words;
use super::scan::{self, Extent};
use crate::error::{Result, io_error};
use crate::files::{File, TemporaryDirectory};
use crate::method::Method;
use crate::method::sentences::word_signature;
use crate::method::sentences::words::{WordCutter, WordScratch};
use crate::method::terms::background::{self, Totals};
use crate::method::terms::vocabulary::{Counted, Vocabulary};
use crate::method::terms::{self, Lexicon, Scratch, TermOptions, TermSegmenter, segment_signature};
use crate::options::{NormalizeOptions, Resources};
use crate::progress::{self, Observer, Unit};
use crate::read::{Block, Collection, Rejection, expect_some};

/// Temporary files of one thread before they are merged into one.
const MOST_RUNS: usize = 8;

/// How terms are counted.
#[derive(Clone, Debug)]
pub struct CountOptions {
    /// The method that counts are for: terms, or else the words of sentences.
    pub method: Method,
    /// How texts are normalised.
    pub normalize: NormalizeOptions,
    /// How they are cut into terms, and what those weigh.
    pub terms: TermOptions,
    /// Threads, memory and the place for temporary files.
    pub resources: Resources,
    /// Stop at the first bad record.
    pub strict: bool,
}

/// One thread's state.
#[derive(Default)]
struct Counting {
    scratch: Scratch,
    words: WordScratch,
    vocabulary: Vocabulary,
    runs: Vec<File>,
    /// Texts that were counted.
    read: u64,
    rejections: Vec<Rejection>,
}

/// What cuts texts into the words that are counted.
enum Cutter {
    Terms(TermSegmenter),
    Sentences(WordCutter),
}

impl Cutter {
    fn new(collection: &Collection, options: &CountOptions) -> Result<Self> {
        if options.method.unit().is_some() {
            return Ok(Self::Sentences(WordCutter::new(&options.normalize)));
        }
        let collections = [collection].into_iter();
        let segmenter =
            TermSegmenter::for_collections(&options.normalize, &options.terms, collections)?;
        Ok(Self::Terms(segmenter))
    }
}

impl Counting {
    fn block(&mut self, block: &Block, cutter: &Cutter, is_strict: bool) -> Result<()> {
        for found in block.records(is_strict) {
            match found?.1 {
                Ok(record) => {
                    self.read += 1;
                    let vocabulary = &mut self.vocabulary;
                    match cutter {
                        Cutter::Terms(segmenter) => {
                            vocabulary.begin_text();
                            segmenter.terms(&record.text, &mut self.scratch, |term| {
                                vocabulary.add(term.form, term.group);
                            });
                        }
                        Cutter::Sentences(cutter) => {
                            count_words(cutter, &record.text, &mut self.words, vocabulary);
                        }
                    }
                }
                Err(rejection) => self.rejections.push(rejection),
            }
        }
        Ok(())
    }

    /// Puts what was counted aside when it takes too much memory.
    fn relieve(&mut self, resources: &Resources) -> Result<()> {
        let share = resources.memory / 2 / resources.threads.max(1) as u64;
        if self.vocabulary.bytes() > share {
            let counted = std::mem::take(&mut self.vocabulary).finish();
            let run = background::write_run(&counted, &resources.temp_dir)?;
            self.runs.push(run);
            if self.runs.len() >= MOST_RUNS {
                let runs = std::mem::take(&mut self.runs);
                self.runs = vec![background::merge_runs(runs, &resources.temp_dir)?];
            }
        }
        Ok(())
    }
}

/// Counts the terms of a collection and of tables made before, and writes the table of all. Gives the totals and the records
/// that could not be read.
///
/// # Errors
/// When a file or every text cannot be read, a file cannot be written, or a table was made with other options.
pub fn write_background(
    collection: Option<&Collection>,
    tables: &[PathBuf],
    path: &Path,
    options: &CountOptions,
    observer: &dyn Observer,
) -> Result<(Totals, Vec<Rejection>)> {
    let directory = &options.resources.temp_dir;
    let temporary = TemporaryDirectory::create(directory, "doublet-")
        .map_err(io_error("make a temporary directory in", directory))?;
    let resources = Resources {
        temp_dir: temporary.path().to_owned(),
        ..options.resources.clone()
    };
    let tables: Vec<&Path> = tables.iter().map(PathBuf::as_path).collect();
    let signature = match options.method.unit() {
        Some(_) => word_signature(&options.normalize),
        None => segment_signature(&options.normalize, &options.terms),
    };
    background::check(&tables, &signature)?;
    let mut states = Vec::new();
    if let Some(collection) = collection {
        let cutter = Cutter::new(collection, options)?;
        let total = collection.total_bytes();
        progress::begin(observer, "counting words", total, Unit::Bytes)?;
        states = scan::scan(
            collection,
            Extent::Whole,
            resources.threads,
            observer,
            Counting::default,
            |counting, block| {
                counting.block(block, &cutter, options.strict)?;
                counting.relieve(&resources)
            },
        )?;
    }
    let (mut parts, mut runs, mut rejections) = (Vec::new(), Vec::new(), Vec::new());
    let mut read = 0;
    for state in states {
        read += state.read;
        parts.push(state.vocabulary.finish());
        runs.extend(state.runs);
        rejections.extend(state.rejections);
    }
    rejections.sort_by(|x, y| (&x.file, x.line).cmp(&(&y.file, y.line)));
    expect_some(read, rejections.len() as u64, rejections.first())?;
    progress::begin(observer, "writing the table", None, Unit::Count("terms"))?;
    let totals = background::write(path, &signature, &parts, &tables, runs)?;
    Ok((totals, rejections))
}

/// The terms of some collections with their weights.
pub(super) fn count_terms(
    collections: &[&Collection],
    options: &JoinOptions,
    observer: &dyn Observer,
) -> Result<terms::Fitted> {
    let (normalize, terms) = (&options.matching.normalize, &options.matching.terms);
    let segmenter = TermSegmenter::for_collections(normalize, terms, collections.iter().copied())?;
    let cutter = Cutter::Terms(segmenter.clone());
    let threads = options.resources.threads;
    let sizes = collections
        .iter()
        .map(|collection| collection.total_bytes());
    progress::begin(observer, "counting terms", sizes.sum(), Unit::Bytes)?;
    let mut parts: Vec<Counted> = Vec::new();
    for collection in collections {
        let states = scan::scan(
            collection,
            Extent::Whole,
            threads,
            observer,
            Counting::default,
            |counting, block| counting.block(block, &cutter, options.strict),
        )?;
        let counted = states.into_iter().map(|state| state.vocabulary.finish());
        parts.extend(counted);
    }
    let lexicon = Lexicon::of(&parts, terms, threads)?;
    Ok(terms::Fitted { segmenter, lexicon })
}
