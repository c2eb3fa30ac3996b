//! The join over weighted terms: read and count, weigh, meet and compare.
//!
//! The texts are read once; after that each is a list of numbers. A term's rank is its place by falling weight.

use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::documents::{BlockRows, Documents, TextCounts};
use super::matches::{Identical, Matches, Verified};
use super::{Join, Joined, JoinedTerms};
use crate::candidates::meetings::{Meeting, Met, meet};
use crate::candidates::term_keys::{FeatureKeys, PrefixKeys, TermKeys, Terms, WordPairKeys};
use crate::error::{Error, Result};
use crate::options::Candidates;
use crate::parallel;
use crate::read::Block;
use crate::terms::vocabulary::{Counted, Vocabulary};
use crate::terms::{Lexicon, Ranks, Scratch, TermSegmenter};
use crate::verify::terms::{Bar, Sketch, TermLists, compare, distinct, total_weight};
use crate::verify::{Metric, Scores};

/// One thread's state in the reading.
#[derive(Default)]
struct TermReading {
    scratch: Scratch,
    vocabulary: Vocabulary,
    hashes: Vec<u64>,
    rows: Vec<BlockRows>,
    terms: Vec<BlockTerms>,
}

/// The terms of the texts of one block, in the order of the texts: first by their numbers in the thread's vocabulary, then by
/// rank.
#[derive(Default)]
struct BlockTerms {
    /// Number of the first text.
    first: u32,
    /// Which vocabulary the numbers belong to.
    part: usize,
    terms: Vec<u32>,
    ends: Vec<u32>,
    /// The terms in text order, where word pairs are asked for.
    ordered: Vec<u32>,
    distinct: Vec<u32>,
    weights: Vec<u64>,
}

impl BlockTerms {
    fn range(&self, text: usize) -> std::ops::Range<usize> {
        let start = if text == 0 { 0 } else { self.ends[text - 1] };
        start as usize..self.ends[text] as usize
    }

    /// Turns numbers into ranks, sorts them, and weighs the texts.
    fn rank(&mut self, ranks: &Ranks, lexicon: &Lexicon, keep_order: bool) {
        for term in &mut self.terms {
            *term = ranks[*term as usize];
        }
        if keep_order {
            self.ordered.clone_from(&self.terms);
        }
        for text in 0..self.ends.len() {
            let range = self.range(text);
            let terms = &mut self.terms[range];
            terms.sort_unstable();
            self.distinct.push(distinct(terms).count() as u32);
            self.weights.push(total_weight(lexicon, terms));
        }
    }
}

impl TermReading {
    fn block(
        &mut self,
        block: &Block,
        segmenter: &TermSegmenter,
        join: &Join<'_>,
        base: u32,
    ) -> Result<()> {
        let mut rows = BlockRows::new(block);
        let mut found = BlockTerms {
            first: base + block.first,
            ends: Vec::with_capacity(block.len()),
            ..BlockTerms::default()
        };
        for index in 0..block.len() {
            match block.decode(index) {
                Ok(record) => {
                    let start = found.terms.len();
                    self.vocabulary.begin_text();
                    self.hashes.clear();
                    segmenter.terms(&record.text, &mut self.scratch, |term| {
                        let (id, hash) = self.vocabulary.add(term.form, term.group);
                        self.hashes.push(hash);
                        found.terms.push(id);
                    });
                    let counts = TextCounts {
                        tokens: (found.terms.len() - start) as u32,
                        distinct: 0,
                        identity: xxh3_128(bytemuck::cast_slice(&self.hashes)),
                    };
                    rows.push_text(block, index, &record, counts, join.options.rank);
                }
                Err(rejection) => {
                    rows.push_rejected(block, index, rejection, join.options)?;
                }
            }
            let end = u32::try_from(found.terms.len()).map_err(|_| Error::TooManyDocuments)?;
            found.ends.push(end);
        }
        self.rows.push(rows);
        self.terms.push(found);
        Ok(())
    }
}

impl Join<'_> {
    pub(crate) fn terms(mut self) -> Result<Joined> {
        let mut figures = std::mem::take(&mut self.figures);
        let segmenter = TermSegmenter::for_collections(
            &self.options.normalize,
            &self.options.terms,
            self.collections(),
        )?;
        let (mut documents, parts, mut blocks) =
            figures.time("read", || self.read_terms(&segmenter))?;
        documents.check_keys(self.source)?;
        let lexicon = figures.time("weigh", || self.weigh(&parts, &mut blocks))?;
        drop(parts);
        let identical = Identical::find(&documents);
        let (lists, ordered) = collect(blocks, &mut documents, &identical);
        let terms = JoinedTerms {
            segmenter,
            lexicon,
            lists,
        };
        let mut met = figures.time("compare", || {
            self.meet_terms(&documents, &identical, &terms, &ordered)
        })?;
        met.saved += identical.pairs(documents.references());
        figures.candidates = met.compared + met.saved;
        figures.verifications = met.compared;
        figures.transitivity = self.options.terms.transitivity;
        figures.saved = met.saved;
        Ok(Joined {
            matches: Matches::new(identical, met.verified, self.wanted(&documents)),
            documents,
            figures,
            terms: Some(terms),
            sentences: None,
        })
    }

    fn read_terms(
        &self,
        segmenter: &TermSegmenter,
    ) -> Result<(Documents, Vec<Counted>, Vec<BlockTerms>)> {
        let (mut parts, mut blocks) = (Vec::new(), Vec::new());
        let documents = self.read_documents(
            TermReading::default,
            |reading, block, part| reading.block(block, segmenter, self, part.base),
            |mut reading| {
                let part = parts.len();
                reading.terms.iter_mut().for_each(|block| block.part = part);
                blocks.append(&mut reading.terms);
                parts.push(reading.vocabulary.finish());
                Ok(reading.rows)
            },
        )?;
        blocks.sort_unstable_by_key(|block| block.first);
        Ok((documents, parts, blocks))
    }

    /// Weighs all terms, and turns those of the texts into ranks.
    fn weigh(&self, parts: &[Counted], blocks: &mut Vec<BlockTerms>) -> Result<Lexicon> {
        let options = &self.options.terms;
        let threads = self.options.resources.threads;
        let (lexicon, ranks) = Lexicon::new(
            parts,
            options.background.as_ref(),
            &options.weights,
            threads,
        )?;
        let keep_order = options.candidates == Candidates::Baseline;
        let cells: Vec<Mutex<BlockTerms>> =
            std::mem::take(blocks).into_iter().map(Mutex::new).collect();
        parallel::map(threads, cells.len(), |index| {
            let mut block = cells[index].lock().unwrap_or_else(PoisonError::into_inner);
            let part = block.part;
            block.rank(&ranks[part], &lexicon, keep_order);
            Ok(())
        })?;
        let taken = cells.into_iter().map(Mutex::into_inner);
        *blocks = taken
            .map(|cell| cell.unwrap_or_else(PoisonError::into_inner))
            .collect();
        Ok(lexicon)
    }

    fn meet_terms(
        &self,
        documents: &Documents,
        identical: &Identical,
        terms: &JoinedTerms,
        ordered: &TermLists,
    ) -> Result<Met> {
        let options = &self.options.terms;
        let copies = identical.copies();
        let texts: Vec<u32> = (0..documents.len() as u32)
            .filter(|&text| identical.is_first(text) && documents.tokens[text as usize] > 0)
            .collect();
        let bar = Bar {
            metric: self.options.metric,
            threshold: self.options.threshold,
        };
        let gathered = Gathered {
            sketches: self.sketches(&texts, bar, terms)?,
            copies: texts.iter().map(|&text| copies[text as usize]).collect(),
            texts,
            documents,
            terms,
            bar,
        };
        let counted = Terms {
            lexicon: &terms.lexicon,
            lists: &terms.lists,
            weighted: self.options.metric == Metric::Degree,
            threshold: self.options.threshold,
        };
        match options.candidates {
            Candidates::Features => {
                let keys = FeatureKeys {
                    terms: counted,
                    options: options.features,
                };
                self.meet_by(keys, &gathered)
            }
            Candidates::Exact => self.meet_by(PrefixKeys(counted), &gathered),
            Candidates::Baseline => {
                let keys = WordPairKeys {
                    lexicon: &terms.lexicon,
                    lists: ordered,
                };
                self.meet_by(keys, &gathered)
            }
        }
    }

    /// Sketches of all texts.
    fn sketches(&self, texts: &[u32], bar: Bar, terms: &JoinedTerms) -> Result<Vec<Sketch>> {
        const RUN: usize = 1 << 14;
        let runs = parallel::map(
            self.options.resources.threads,
            texts.len().div_ceil(RUN),
            |run| {
                let texts = texts[run * RUN..].iter().take(RUN);
                let sketch = |&text: &u32| Sketch::new(&terms.lexicon, terms.lists.of(text), bar);
                Ok(texts.map(sketch).collect::<Vec<_>>())
            },
        )?;
        Ok(runs.concat())
    }

    fn meet_by<K: TermKeys>(&self, keys: K, gathered: &Gathered<'_>) -> Result<Met> {
        let meeting = TermMeeting { keys, gathered };
        let documents = gathered.documents;
        self.with_limits("comparing", |limits| {
            let transitivity = self.options.terms.transitivity;
            let wanted = self.wanted(documents);
            meet(&meeting, documents.len(), wanted, transitivity, limits)
        })
    }
}

/// Puts the terms of the blocks into one list; copies of a text have none. The second list is in text order, where that is kept.
fn collect(
    blocks: Vec<BlockTerms>,
    documents: &mut Documents,
    identical: &Identical,
) -> (TermLists, TermLists) {
    let terms = (0..documents.len())
        .filter(|&text| identical.is_first(text as u32))
        .map(|text| documents.tokens[text] as usize)
        .sum();
    let keep_order = blocks.iter().any(|block| !block.ordered.is_empty());
    let mut lists = TermLists::with_capacity(documents.len(), terms);
    let mut ordered = TermLists::with_capacity(0, 0);
    for block in blocks {
        for text in 0..block.ends.len() {
            let number = block.first + text as u32;
            let range = if identical.is_first(number) {
                block.range(text)
            } else {
                0..0
            };
            lists.push(&block.terms[range.clone()]);
            if keep_order {
                ordered.push(&block.ordered[range]);
            }
            documents.distinct[number as usize] = block.distinct[text];
            documents.weights.push(block.weights[text]);
        }
    }
    (lists, ordered)
}

/// The texts to compare: the first of each group of copies, if it has a term.
struct Gathered<'a> {
    texts: Vec<u32>,
    sketches: Vec<Sketch>,
    /// How often each text occurs.
    copies: Vec<u32>,
    documents: &'a Documents,
    terms: &'a JoinedTerms,
    bar: Bar,
}

/// Texts that meet by some keys and are compared by their terms.
struct TermMeeting<'a, K> {
    keys: K,
    gathered: &'a Gathered<'a>,
}

impl<K: TermKeys> Meeting for TermMeeting<'_, K> {
    type Scratch = K::Scratch;

    fn count(&self) -> usize {
        self.gathered.texts.len()
    }

    fn text(&self, place: u32) -> u32 {
        self.gathered.texts[place as usize]
    }

    fn keys(&self, place: u32, scratch: &mut K::Scratch, keys: &mut Vec<u64>) {
        self.keys.keys(self.text(place), scratch, keys);
    }

    fn can_match(&self, a: u32, b: u32) -> bool {
        let sketches = &self.gathered.sketches;
        self.gathered
            .bar
            .can_match(&sketches[a as usize], &sketches[b as usize])
    }

    fn copies(&self, place: u32) -> u64 {
        u64::from(self.gathered.copies[place as usize])
    }

    fn compare(&self, a: u32, b: u32) -> Option<Verified> {
        let Gathered {
            documents,
            terms,
            sketches,
            ..
        } = self.gathered;
        let side = |place: u32| {
            let size = sketches[place as usize].size;
            (terms.lists.of(self.text(place)), size)
        };
        let bar = self.gathered.bar;
        let found = bar.is_match(&terms.lexicon, side(a), side(b));
        let (a, b) = (self.text(a), self.text(b));
        found.then(|| Verified::new(a, b, &terms.scores(documents, a, b)))
    }
}

impl JoinedTerms {
    /// The scores of two texts, each the first of its copies.
    pub(crate) fn scores(&self, documents: &Documents, a: u32, b: u32) -> Scores {
        let side = |text: u32| (self.lists.of(text), documents.weights[text as usize]);
        compare(&self.lexicon, side(a), side(b))
    }
}
