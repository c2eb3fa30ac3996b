//! Verifies candidates by reading their texts again.
//!
//! Texts are laid out so that those joined by candidates lie side by side, and cut into tiles of a few megabytes; the pairs of
//! two tiles are one task. A text is read about once, however many candidates it is in, unless more texts than a tile holds
//! hang together.

use std::sync::{Mutex, PoisonError};

use crate::document::DocId;
use crate::error::{Error, Result};
use crate::matches::{CandidatePair, Verified};
use crate::matches::{Documents, Source};
use crate::method::{Comparer, Decision, Fitted};
use crate::parallel;
use crate::progress::{self, Observer};
use crate::read::Place;
use crate::scores::Scores;
use crate::union_find::UnionFind;

/// Bytes of the texts of one tile, and of what is made of them.
const TILE: u64 = 8 << 20;

/// Scores pairs of texts of a source.
pub(crate) struct Verifier<'a> {
    pub(crate) source: &'a Source,
    pub(crate) documents: &'a Documents,
    pub(crate) fitted: &'a Fitted,
    pub(crate) threads: usize,
    pub(crate) observer: &'a dyn Observer,
}

/// The texts of some pairs, in order, and the place of each among them.
struct Places {
    texts: Vec<u32>,
    /// The place of every document; empty where the pairs are few beside the documents, which then cost nothing.
    table: Vec<u32>,
}

impl Places {
    fn new(documents: usize, pairs: &[CandidatePair]) -> Self {
        let of_pairs = pairs.iter().flat_map(|pair| [pair.a, pair.b]);
        if pairs.len() < documents / 16 {
            let mut texts: Vec<u32> = of_pairs.collect();
            texts.sort_unstable();
            texts.dedup();
            return Self {
                texts,
                table: Vec::new(),
            };
        }
        let mut table = vec![u32::MAX; documents];
        of_pairs.for_each(|text| table[text as usize] = 0);
        let mut texts = Vec::new();
        for (text, place) in (0..).zip(&mut table) {
            if *place == 0 {
                *place = texts.len() as u32;
                texts.push(text);
            }
        }
        Self { texts, table }
    }

    fn of(&self, text: u32) -> u32 {
        match self.table.get(text as usize) {
            Some(&place) => place,
            None => self.texts.partition_point(|&other| other < text) as u32,
        }
    }
}

impl Verifier<'_> {
    /// The candidates that reach the threshold.
    pub(crate) fn matches(
        &self,
        candidates: &[CandidatePair],
        decision: &Decision,
    ) -> Result<Vec<Verified>> {
        self.score(candidates, |pair, scores| {
            let found = decision.is_match(&scores);
            found.then(|| Verified::new(pair.a, pair.b, &scores))
        })
    }

    /// What `each` makes of every pair's scores; in no particular order.
    pub(crate) fn score<T: Send>(
        &self,
        pairs: &[CandidatePair],
        each: impl Fn(CandidatePair, Scores) -> Option<T> + Sync,
    ) -> Result<Vec<T>> {
        let mut order = self.by_tiles(pairs);
        order.sort_unstable();
        let tasks: Vec<_> = order.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)).collect();
        let found = Mutex::new(Vec::new());
        parallel::for_each_with(
            self.threads,
            tasks.len(),
            || Task {
                needed: Vec::new(),
                texts: self.fitted.comparer(),
                buffer: Vec::new(),
            },
            |state, task| {
                self.load(tasks[task], state)?;
                let pairs = tasks[task].iter();
                let scored = pairs.filter_map(|&(_, _, pair)| {
                    let (a, b) = (state.number(pair.a)?, state.number(pair.b)?);
                    each(pair, state.texts.score(a, b))
                });
                let scored: Vec<T> = scored.collect();
                found
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend(scored);
                progress::advance(self.observer, tasks[task].len() as u64)
            },
            |_| Ok(()),
        )?;
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The pairs, each after the tiles of its texts.
    fn by_tiles(&self, pairs: &[CandidatePair]) -> Vec<(u32, u32, CandidatePair)> {
        let places = Places::new(self.documents.len(), pairs);
        let tiles = self.tiles(&places, pairs);
        let tile = |text: u32| tiles[places.of(text) as usize];
        let tiled = pairs.iter().map(|&pair| (tile(pair.a), tile(pair.b), pair));
        tiled.collect()
    }

    /// The tile of each text that is in a pair.
    fn tiles(&self, places: &Places, pairs: &[CandidatePair]) -> Vec<u32> {
        let texts = &places.texts;
        let mut sets = UnionFind::new(texts.len());
        for pair in pairs {
            sets.union(places.of(pair.a), places.of(pair.b));
        }
        let mut order: Vec<(u32, u32)> = (0..texts.len() as u32)
            .map(|at| (sets.find(at), at))
            .collect();
        order.sort_unstable();
        let mut tiles = vec![0; texts.len()];
        let (mut tile, mut bytes) = (0, 0);
        for (_, at) in order {
            let text = texts[at as usize] as usize;
            let size = u64::from(self.documents.tokens[text]) * 8
                + u64::from(self.documents.places[text].length);
            if bytes + size > TILE {
                tile += 1;
                bytes = 0;
            }
            bytes += size;
            tiles[at as usize] = tile;
        }
        tiles
    }

    /// Reads the texts of a task's pairs and makes them ready.
    fn load(&self, task: &[(u32, u32, CandidatePair)], state: &mut Task) -> Result<()> {
        let Task {
            needed,
            texts,
            buffer,
        } = state;
        texts.clear();
        needed.clear();
        needed.extend(task.iter().flat_map(|(_, _, pair)| [pair.a, pair.b]));
        needed.sort_unstable();
        needed.dedup();
        let references = needed.partition_point(|&text| text < self.documents.references());
        for part in [&needed[..references], &needed[references..]] {
            let Some(&first) = part.first() else { continue };
            let places: Vec<Place> = part
                .iter()
                .map(|&text| self.documents.places[text as usize])
                .collect();
            let collection = self.source.collection(DocId(first), self.documents);
            let mut changed = None;
            collection.fetch_run(&places, buffer, &mut |index, record| match record {
                Ok(record) => {
                    let text = part[index] as usize;
                    let distinct = self.documents.distinct[text];
                    let tokens = texts.push(&record.text, Some(distinct));
                    if tokens != self.documents.tokens[text] {
                        changed = Some(collection.name_of(&places[index]));
                    }
                }
                Err(rejection) => changed = Some(format!("{}:{}", rejection.file, rejection.line)),
            })?;
            if let Some(name) = changed {
                return Err(Error::BadFile {
                    path: name.into(),
                    reason: "the record is not what it was when it was read first: the file changed during the run"
                        .to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// One thread's task at hand.
struct Task {
    /// The texts of the task, sorted.
    needed: Vec<u32>,
    texts: Box<dyn Comparer>,
    buffer: Vec<u8>,
}

impl Task {
    /// A text's number among those of the task.
    fn number(&self, text: u32) -> Option<usize> {
        self.needed.binary_search(&text).ok()
    }
}
