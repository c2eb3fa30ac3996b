//! The terms of all texts of a run: in memory up to a budget, in a temporary file past it.
//!
//! The reading puts them in block by block, by the numbers of a thread's vocabulary; each block is then rewritten by rank where it
//! stands. A text has as many terms as it has tokens, so that the table of documents tells where its terms stand. If no block had
//! to go to the file, all lists become one in memory; otherwise some are fetched at a time, in the order of their texts.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Result, io_error};
use crate::files;
use crate::matches::{CandidatePair, Documents, Identical};
use crate::method::terms::compare::{TermLists, compare, distinct, total_weight};
use crate::method::terms::{Lexicon, Ranks};
use crate::read::Backing;
use crate::scores::Scores;

/// Texts from one mark of a block to the next.
const MARK: usize = 64;
/// Terms between two lists that are read over rather than around.
const GAP: usize = 1024;

/// Lists of numbers, in memory up to a budget and past it in a file without a name.
#[derive(Debug)]
pub(super) struct Shelf {
    directory: PathBuf,
    file: Backing,
    /// Bytes in the file.
    end: AtomicU64,
    /// Bytes in memory.
    held: AtomicU64,
    budget: u64,
}

/// Where a list of a shelf is.
#[derive(Debug)]
enum Kept {
    Memory(Vec<u32>),
    /// At this offset of the file.
    File(u64),
}

impl Shelf {
    /// An empty shelf whose file is in `directory`.
    pub(super) fn new(budget: u64, directory: &Path) -> Result<Self> {
        let file = files::nameless(directory);
        let file = file.map_err(io_error("write a temporary file in", directory))?;
        Ok(Self {
            directory: directory.to_owned(),
            file: Backing::new(file),
            end: AtomicU64::new(0),
            held: AtomicU64::new(0),
            budget,
        })
    }

    fn put(&self, numbers: &[u32]) -> Result<Kept> {
        let bytes = size_of_val(numbers) as u64;
        let held = self.held.fetch_add(bytes, Ordering::Relaxed);
        if held.saturating_add(bytes) <= self.budget {
            return Ok(Kept::Memory(numbers.to_vec()));
        }
        self.held.fetch_sub(bytes, Ordering::Relaxed);
        let offset = self.end.fetch_add(bytes, Ordering::Relaxed);
        self.write(numbers, offset)?;
        Ok(Kept::File(offset))
    }

    fn write(&self, numbers: &[u32], offset: u64) -> Result<()> {
        self.file
            .write_all_at(bytemuck::cast_slice(numbers), offset)
            .map_err(io_error("write a temporary file in", &self.directory))
    }

    /// Reads numbers from an offset of the file.
    fn read(&self, offset: u64, numbers: &mut [u32]) -> Result<()> {
        self.file
            .read_exact_at(bytemuck::cast_slice_mut(numbers), offset)
            .map_err(io_error("read a temporary file in", &self.directory))
    }
}

/// The terms of the texts of one block, in the order of the texts: first by their numbers in the thread's vocabulary, then by
/// rank.
#[derive(Debug)]
pub(super) struct BlockTerms {
    /// Number of the first text.
    pub(super) first: u32,
    /// Which vocabulary the numbers belong to.
    pub(super) part: usize,
    texts: usize,
    terms: Kept,
    /// The terms in text order, where word pairs are asked for.
    ordered: Option<Kept>,
    /// How many terms stand before every [`MARK`]th text.
    marks: Vec<u32>,
}

/// What the table of documents says of the texts of a block.
pub(super) struct BlockCounts<'a> {
    tokens: &'a [u32],
    distinct: &'a mut [u32],
    weights: &'a mut [u64],
}

impl BlockTerms {
    /// The terms of so many texts from `first` on.
    pub(super) fn new(first: u32, texts: usize, terms: &[u32], shelf: &Shelf) -> Result<Self> {
        Ok(Self {
            first,
            part: 0,
            texts,
            terms: shelf.put(terms)?,
            ordered: None,
            marks: Vec::new(),
        })
    }

    /// Turns numbers into ranks, sorts them, and weighs the texts.
    pub(super) fn rank(
        &mut self,
        ranks: &Ranks,
        lexicon: &Lexicon,
        counts: BlockCounts<'_>,
        (shelf, keep_order): (&Shelf, bool),
    ) -> Result<()> {
        let count = counts.tokens.iter().map(|&tokens| tokens as usize).sum();
        let mut terms = match &mut self.terms {
            Kept::Memory(terms) => std::mem::take(terms),
            Kept::File(offset) => {
                let mut terms = vec![0; count];
                shelf.read(*offset, &mut terms)?;
                terms
            }
        };
        for term in &mut terms {
            *term = ranks[*term as usize];
        }
        if keep_order {
            self.ordered = Some(shelf.put(&terms)?);
        }
        let mut start = 0;
        for (text, &tokens) in counts.tokens.iter().enumerate() {
            if text.is_multiple_of(MARK) {
                self.marks.push(start as u32);
            }
            let own = &mut terms[start..start + tokens as usize];
            start += tokens as usize;
            own.sort_unstable();
            counts.distinct[text] = distinct(own).count() as u32;
            counts.weights[text] = total_weight(lexicon, own);
        }
        match &mut self.terms {
            Kept::Memory(own) => *own = terms,
            Kept::File(offset) => shelf.write(&terms, *offset)?,
        }
        Ok(())
    }
}

/// Each block with its rows of the table of documents. The blocks are in order and leave no text out.
pub(super) fn with_counts<'a>(
    blocks: Vec<BlockTerms>,
    documents: &'a mut Documents,
) -> Vec<(BlockTerms, BlockCounts<'a>)> {
    documents.weights = vec![0; documents.len()];
    let mut tokens = documents.tokens.as_slice();
    let mut distinct = documents.distinct.as_mut_slice();
    let mut weights = documents.weights.as_mut_slice();
    let mut all = Vec::with_capacity(blocks.len());
    for block in blocks {
        let counts = BlockCounts {
            tokens: tokens.split_off(..block.texts).unwrap_or_default(),
            distinct: distinct.split_off_mut(..block.texts).unwrap_or_default(),
            weights: weights.split_off_mut(..block.texts).unwrap_or_default(),
        };
        all.push((block, counts));
    }
    all
}

/// Which order the terms of a text have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListOrder {
    /// By rank.
    Ranks,
    /// As they stand in the text; only where that was kept.
    Text,
}

/// The terms of all texts, by rank; copies of a text need have none.
#[derive(Debug)]
pub(crate) enum TermStore {
    /// All in memory.
    Whole {
        /// By rank, one list for each record.
        ranks: TermLists,
        /// In text order, where that is kept.
        ordered: TermLists,
    },
    /// In part in a file.
    Parts(StoredBlocks),
}

/// Blocks, in order of their texts, and where their terms are.
#[derive(Debug)]
pub(crate) struct StoredBlocks {
    blocks: Vec<BlockTerms>,
    shelf: Shelf,
}

/// Where the terms of a text stand in a block.
#[derive(Clone, Copy)]
struct Span {
    block: usize,
    start: usize,
    end: usize,
}

impl TermStore {
    /// The terms of these blocks, which are in order.
    pub(super) fn new(
        blocks: Vec<BlockTerms>,
        shelf: Shelf,
        documents: &Documents,
        identical: &Identical,
    ) -> Self {
        if shelf.end.load(Ordering::Relaxed) > 0 {
            return Self::Parts(StoredBlocks { blocks, shelf });
        }
        let terms = (0..documents.len())
            .filter(|&text| identical.is_first(text as u32))
            .map(|text| documents.tokens[text] as usize)
            .sum();
        let mut ranks = TermLists::with_capacity(documents.len(), terms);
        let mut ordered = TermLists::with_capacity(0, 0);
        for block in blocks {
            let texts = block.first..block.first + block.texts as u32;
            if let Some(kept) = &block.ordered {
                push_block(kept, texts.clone(), documents, identical, &mut ordered);
            }
            push_block(&block.terms, texts, documents, identical, &mut ranks);
        }
        Self::Whole { ranks, ordered }
    }

    /// The lists of all records, if they are in memory.
    pub(super) fn whole(&self, order: ListOrder) -> Option<&TermLists> {
        match self {
            Self::Whole { ranks, ordered } => Some(match order {
                ListOrder::Ranks => ranks,
                ListOrder::Text => ordered,
            }),
            Self::Parts(_) => None,
        }
    }

    /// The lists of some texts, each the first of its copies, by their place among these. The texts rise.
    pub(super) fn fetch(
        &self,
        texts: &[u32],
        order: ListOrder,
        documents: &Documents,
    ) -> Result<TermLists> {
        let tokens = |text: &u32| documents.tokens[*text as usize] as usize;
        let terms = texts.iter().map(tokens).sum();
        let mut lists = TermLists::with_capacity(texts.len(), terms);
        match self {
            Self::Whole { .. } => {
                let whole = self.whole(order);
                let own = whole.into_iter().flat_map(|whole| {
                    let texts = texts.iter();
                    texts.map(|&text| whole.of(text))
                });
                own.for_each(|terms| lists.push(terms));
            }
            Self::Parts(parts) => parts.fetch(texts, order, documents, &mut lists)?,
        }
        Ok(lists)
    }
}

/// Adds the lists of the texts in `range`, which stand one after the other in `kept`; copies of a text have none.
fn push_block(
    kept: &Kept,
    range: Range<u32>,
    documents: &Documents,
    identical: &Identical,
    lists: &mut TermLists,
) {
    let Kept::Memory(terms) = kept else { return };
    let mut start = 0;
    for text in range {
        let end = start + documents.tokens[text as usize] as usize;
        let own = identical.is_first(text);
        lists.push(if own { &terms[start..end] } else { &[] });
        start = end;
    }
}

impl TermStore {
    /// The scores of pairs of texts, each the first of its copies.
    pub(crate) fn score_pairs(
        &self,
        lexicon: &Lexicon,
        documents: &Documents,
        pairs: &[CandidatePair],
    ) -> Result<Vec<(CandidatePair, Scores)>> {
        let weight = |text: u32| documents.weights[text as usize];
        let mut scored = Vec::with_capacity(pairs.len());
        self.for_each_pair(documents, pairs, |pair, a, b| {
            let sides = ((a, weight(pair.a)), (b, weight(pair.b)));
            scored.push((pair, compare(lexicon, sides.0, sides.1)));
        })?;
        Ok(scored)
    }

    /// Calls `each` with the sorted terms of the texts of each pair, in order. Each text is the first of its copies, `a` stands before
    /// `b` or is the same.
    pub(crate) fn for_each_pair(
        &self,
        documents: &Documents,
        pairs: &[CandidatePair],
        mut each: impl FnMut(CandidatePair, &[u32], &[u32]),
    ) -> Result<()> {
        if let Some(lists) = self.whole(ListOrder::Ranks) {
            for pair in pairs {
                each(*pair, lists.of(pair.a), lists.of(pair.b));
            }
            return Ok(());
        }
        for pair in pairs {
            let two = [pair.a, pair.b];
            let texts = if pair.a == pair.b {
                &two[..1]
            } else {
                &two[..]
            };
            let lists = self.fetch(texts, ListOrder::Ranks, documents)?;
            each(*pair, lists.of(0), lists.of(texts.len() as u32 - 1));
        }
        Ok(())
    }
}

impl StoredBlocks {
    fn fetch(
        &self,
        texts: &[u32],
        order: ListOrder,
        documents: &Documents,
        lists: &mut TermLists,
    ) -> Result<()> {
        let spans = texts.iter().map(|&text| self.span(text, documents));
        let spans: Vec<Span> = spans.collect();
        let mut buffer = Vec::new();
        for run in spans.chunk_by(|x, y| x.block == y.block && y.start - x.end <= GAP) {
            let block = &self.blocks[run[0].block];
            let kept = match (order, &block.ordered) {
                (ListOrder::Text, Some(ordered)) => ordered,
                _ => &block.terms,
            };
            let (start, end) = (run[0].start, run[run.len() - 1].end);
            let (terms, base) = match kept {
                Kept::Memory(terms) => (terms.as_slice(), 0),
                Kept::File(offset) => {
                    buffer.resize(end - start, 0);
                    self.shelf.read(offset + 4 * start as u64, &mut buffer)?;
                    (buffer.as_slice(), start)
                }
            };
            for span in run {
                lists.push(&terms[span.start - base..span.end - base]);
            }
        }
        Ok(())
    }

    fn span(&self, text: u32, documents: &Documents) -> Span {
        let after = self.blocks.partition_point(|block| block.first <= text);
        let number = after.saturating_sub(1);
        let block = &self.blocks[number];
        let first = block.first as usize;
        let mark = (text as usize - first) / MARK;
        let before = documents.tokens[first + mark * MARK..text as usize].iter();
        let before: usize = before.map(|&tokens| tokens as usize).sum();
        let start = block.marks[mark] as usize + before;
        Span {
            block: number,
            start,
            end: start + documents.tokens[text as usize] as usize,
        }
    }
}
