//! The join over weighted terms: read and count, weigh, meet and compare.
//!
//! The texts are read once; after that each is a list of numbers, in memory or in a file: see `term_store`. A term's rank is its
//! place by falling weight.

use std::sync::{Mutex, PoisonError};

use super::term_sample::{TermSample, TermSearch};
use super::term_store::{BlockTerms, ListOrder, Shelf, TermStore, with_counts};
use super::{Held, Join, Joined};
use crate::candidates::meetings::{Meeting, Met, meet};
use crate::candidates::pairs::Limits;
use crate::error::{Error, Result};
use crate::matches::{BlockRows, Documents};
use crate::matches::{Identical, Matches, Verified};
use crate::method::TextCounts;
use crate::method::terms::compare::{Bar, Sketch, TermLists, compare};
use crate::method::terms::keys::{FeatureKeys, PrefixKeys, TermKeys, Terms, WordPairKeys};
use crate::method::terms::vocabulary::{Counted, Vocabulary};
use crate::method::terms::{Candidates, Fitted, Lexicon, Scratch, TermSegmenter, identity};
use crate::parallel;
use crate::read::Block;
use crate::scores::Metric;

/// One thread's state in the reading.
#[derive(Default)]
struct TermReading {
    scratch: Scratch,
    vocabulary: Vocabulary,
    hashes: Vec<u64>,
    /// The terms of the block at hand, by number.
    ids: Vec<u32>,
    rows: Vec<BlockRows>,
    terms: Vec<BlockTerms>,
}

impl TermReading {
    fn block(
        &mut self,
        block: &Block,
        segmenter: &TermSegmenter,
        join: &Join<'_>,
        (shelf, base): (&Shelf, u32),
    ) -> Result<()> {
        self.ids.clear();
        let rows = BlockRows::of(block, join.options, |_, text| {
            let start = self.ids.len();
            self.vocabulary.begin_text();
            self.hashes.clear();
            segmenter.terms(text, &mut self.scratch, |term| {
                let (id, hash) = self.vocabulary.add(term.form, term.group);
                self.hashes.push(hash);
                self.ids.push(id);
            });
            Ok(TextCounts {
                tokens: (self.ids.len() - start) as u32,
                distinct: 0,
                identity: identity(&self.hashes),
            })
        })?;
        u32::try_from(self.ids.len()).map_err(|_| Error::TooManyDocuments)?;
        let first = base + block.first;
        let found = BlockTerms::new(first, block.len(), &self.ids, shelf)?;
        self.rows.push(rows);
        self.terms.push(found);
        Ok(())
    }
}

impl Join<'_> {
    pub(crate) fn terms(mut self) -> Result<Joined> {
        let mut figures = std::mem::take(&mut self.figures);
        let matching = &self.options.matching;
        let segmenter = TermSegmenter::for_collections(
            &matching.normalize,
            &matching.terms,
            self.collections(),
        )?;
        let shelf = Shelf::new(self.working_memory() / 4, self.temporary.path())?;
        let (mut documents, parts, mut blocks) =
            figures.time("read", || self.read_terms(&segmenter, &shelf))?;
        documents.check_keys(self.source)?;
        self.note_long_terms(&documents);
        let lexicon = figures.time("weigh", || {
            self.weigh(&parts, &mut blocks, &mut documents, &shelf)
        })?;
        drop(parts);
        let identical = Identical::take(&mut documents);
        let fitted = Fitted { segmenter, lexicon };
        let store = TermStore::new(blocks, shelf, &documents, &identical);
        let found = figures.time("compare", || {
            self.meet_terms(&documents, &identical, (&fitted.lexicon, &store))
        })?;
        let mut met = found.met;
        met.saved += identical.pairs(documents.references());
        figures.candidates = met.compared + met.saved;
        figures.verifications = met.compared;
        figures.transitivity = found.transitivity;
        figures.term_search = Some(found.search);
        figures.saved = met.saved;
        Ok(Joined {
            matches: Matches::new(identical, met.verified, self.wanted(&documents)),
            documents,
            figures,
            fitted: fitted.into(),
            held: Held::Terms(store),
            repeats: None,
        })
    }

    fn read_terms(
        &self,
        segmenter: &TermSegmenter,
        shelf: &Shelf,
    ) -> Result<(Documents, Vec<Counted>, Vec<BlockTerms>)> {
        let (mut parts, mut blocks) = (Vec::new(), Vec::new());
        let documents = self.read_documents(
            TermReading::default,
            |reading, block, part| reading.block(block, segmenter, self, (shelf, part.base)),
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

    /// Weighs all terms and texts, and turns the terms of the texts into ranks.
    fn weigh(
        &self,
        parts: &[Counted],
        blocks: &mut Vec<BlockTerms>,
        documents: &mut Documents,
        shelf: &Shelf,
    ) -> Result<Lexicon> {
        let options = &self.options.matching.terms;
        let threads = self.options.resources.threads;
        let (lexicon, ranks) = Lexicon::new(
            parts,
            options.background.as_ref(),
            &options.weights,
            threads,
        )?;
        let keep_order = options.candidates == Candidates::Baseline;
        let counted = with_counts(std::mem::take(blocks), documents);
        let cells: Vec<_> = counted
            .into_iter()
            .map(|(block, counts)| Mutex::new((block, Some(counts))))
            .collect();
        parallel::map(threads, cells.len(), |index| {
            let mut cell = cells[index].lock().unwrap_or_else(PoisonError::into_inner);
            let (block, counts) = &mut *cell;
            let ranks = &ranks[block.part];
            match counts.take() {
                Some(counts) => block.rank(ranks, &lexicon, counts, (shelf, keep_order)),
                None => Ok(()),
            }
        })?;
        let taken = cells.into_iter().map(Mutex::into_inner);
        *blocks = taken
            .map(|cell| cell.unwrap_or_else(PoisonError::into_inner).0)
            .collect();
        Ok(lexicon)
    }

    fn meet_terms(
        &self,
        documents: &Documents,
        identical: &Identical,
        (lexicon, store): (&Lexicon, &TermStore),
    ) -> Result<MetTerms> {
        let matching = &self.options.matching;
        let options = &matching.terms;
        let texts: Vec<u32> = (0..documents.len() as u32)
            .filter(|&text| identical.is_first(text) && documents.tokens[text as usize] > 0)
            .collect();
        let bar = Bar {
            metric: matching.metric,
            threshold: matching.threshold,
        };
        let gathered = Gathered {
            threads: self.options.resources.threads,
            ordered: options.candidates == Candidates::Baseline,
            copies: {
                let copies = identical.copies();
                texts.iter().map(|&text| copies[text as usize]).collect()
            },
            texts,
            documents,
            lexicon,
            store,
            bar,
        };
        let counted = Terms {
            lexicon,
            weighted: matching.metric == Metric::Degree,
            threshold: matching.threshold,
        };
        let sample = TermSample {
            texts: &gathered.texts,
            documents,
            store,
            terms: counted,
            features: options.features,
            bar,
            wanted: self.wanted(documents),
            threads: self.options.resources.threads,
        };
        let search = match options.candidates {
            Candidates::Auto => sample.choose()?,
            Candidates::Exact => TermSearch {
                candidates: Candidates::Exact,
                recall: Some(1.0),
            },
            Candidates::Features => TermSearch {
                candidates: Candidates::Features,
                recall: sample.recall()?,
            },
            Candidates::Baseline => TermSearch {
                candidates: Candidates::Baseline,
                recall: None,
            },
        };
        let (met, transitivity) = match search.candidates {
            Candidates::Features => {
                let keys = FeatureKeys {
                    terms: counted,
                    options: options.features,
                };
                self.meet_by(keys, &gathered)?
            }
            Candidates::Auto | Candidates::Exact => self.meet_by(PrefixKeys(counted), &gathered)?,
            Candidates::Baseline => self.meet_by(WordPairKeys { lexicon }, &gathered)?,
        };
        Ok(MetTerms {
            met,
            transitivity,
            search,
        })
    }

    /// Compares texts that meet by some keys. Gives whether only as many as connect them: as asked for, or because all pairs are
    /// too many where that is enough.
    fn meet_by<K: TermKeys>(&self, keys: K, gathered: &Gathered<'_>) -> Result<(Met, bool)> {
        let meeting = TermMeeting { keys, gathered };
        let documents = gathered.documents;
        let wanted = self.wanted(documents);
        self.with_limits("comparing", |limits| {
            let connect = || meet(&meeting, documents.len(), wanted, true, limits);
            if self.options.matching.terms.transitivity {
                return Ok((connect()?, true));
            }
            let Some(spanning) = self.options.spanning else {
                return Ok((
                    meet(&meeting, documents.len(), wanted, false, limits)?,
                    false,
                ));
            };
            let bounded = Limits {
                most_matches: spanning.min(limits.most_matches),
                too_many: &Error::PairsTooLarge,
                ..*limits
            };
            match meet(&meeting, documents.len(), wanted, false, &bounded) {
                Err(Error::PairsTooLarge(_)) => Ok((connect()?, true)),
                met => Ok((met?, false)),
            }
        })
    }
}

/// What came of all meetings of texts of terms.
struct MetTerms {
    met: Met,
    transitivity: bool,
    search: TermSearch,
}

/// The texts to compare: the first of each group of copies, if it has a term.
struct Gathered<'a> {
    texts: Vec<u32>,
    /// How often each text occurs.
    copies: Vec<u32>,
    documents: &'a Documents,
    lexicon: &'a Lexicon,
    store: &'a TermStore,
    /// Whether the keys are made of terms in text order.
    ordered: bool,
    bar: Bar,
    threads: usize,
}

/// What some of the texts, or all, are compared by.
struct HeldTerms {
    sketches: Vec<Sketch>,
    /// By index; `None`: those of the store, by the numbers of the texts.
    lists: Option<HeldLists>,
}

/// The terms of texts that were fetched.
struct HeldLists {
    ranks: TermLists,
    /// In text order, where the keys are made of that.
    ordered: Option<TermLists>,
}

impl Gathered<'_> {
    /// Sketches of all texts, whose terms are in memory.
    fn sketches(&self, lists: &TermLists) -> Result<Vec<Sketch>> {
        const RUN: usize = 1 << 14;
        let runs = parallel::map(self.threads, self.texts.len().div_ceil(RUN), |run| {
            let texts = self.texts[run * RUN..].iter().take(RUN);
            let sketch = |&text: &u32| self.sketch(lists.of(text));
            Ok(texts.map(sketch).collect::<Vec<_>>())
        })?;
        Ok(runs.concat())
    }

    fn sketch(&self, ranks: &[u32]) -> Sketch {
        Sketch::new(self.lexicon, ranks, self.bar)
    }

    /// The terms of a text that is held.
    fn list<'h>(&'h self, held: &'h HeldTerms, index: u32, order: ListOrder) -> &'h [u32] {
        match &held.lists {
            Some(lists) => match (order, &lists.ordered) {
                (ListOrder::Text, Some(ordered)) => ordered.of(index),
                _ => lists.ranks.of(index),
            },
            None => {
                let whole = self.store.whole(order);
                whole.map_or(&[], |lists| lists.of(self.texts[index as usize]))
            }
        }
    }
}

/// Texts that meet by some keys and are compared by their terms.
struct TermMeeting<'a, K> {
    keys: K,
    gathered: &'a Gathered<'a>,
}

impl<K: TermKeys> Meeting for TermMeeting<'_, K> {
    type Scratch = K::Scratch;
    type Held = HeldTerms;
    type Look = Sketch;

    fn count(&self) -> usize {
        self.gathered.texts.len()
    }

    fn text(&self, place: u32) -> u32 {
        self.gathered.texts[place as usize]
    }

    fn copies(&self, place: u32) -> u64 {
        u64::from(self.gathered.copies[place as usize])
    }

    fn bytes(&self, place: u32) -> u64 {
        let text = self.text(place) as usize;
        let lists = 1 + u64::from(self.gathered.ordered);
        let list = 4 * u64::from(self.gathered.documents.tokens[text]) + 8;
        size_of::<Sketch>() as u64 + lists * list
    }

    fn hold_all(&self, most: u64) -> Result<Option<HeldTerms>> {
        let Some(lists) = self.gathered.store.whole(ListOrder::Ranks) else {
            return Ok(None);
        };
        if (self.count() * size_of::<Sketch>()) as u64 > most {
            return Ok(None);
        }
        Ok(Some(HeldTerms {
            sketches: self.gathered.sketches(lists)?,
            lists: None,
        }))
    }

    fn hold(&self, places: &[u32]) -> Result<HeldTerms> {
        let Gathered {
            documents, store, ..
        } = self.gathered;
        let texts: Vec<u32> = places.iter().map(|&place| self.text(place)).collect();
        let fetch = |order: ListOrder| store.fetch(&texts, order, documents);
        let ranks = fetch(ListOrder::Ranks)?;
        let ordered = self.gathered.ordered.then(|| fetch(ListOrder::Text));
        let indices = 0..places.len() as u32;
        let sketches = indices.map(|index| self.gathered.sketch(ranks.of(index)));
        Ok(HeldTerms {
            sketches: sketches.collect(),
            lists: Some(HeldLists {
                ordered: ordered.transpose()?,
                ranks,
            }),
        })
    }

    fn keys(&self, held: &HeldTerms, index: u32, scratch: &mut K::Scratch, keys: &mut Vec<u64>) {
        let order = match self.gathered.ordered {
            true => ListOrder::Text,
            false => ListOrder::Ranks,
        };
        let terms = self.gathered.list(held, index, order);
        self.keys.keys(terms, scratch, keys);
    }

    fn complete_keys(
        &self,
        held: &HeldTerms,
        index: u32,
        scratch: &mut K::Scratch,
        keys: &mut Vec<u64>,
    ) {
        let terms = self.gathered.list(held, index, ListOrder::Ranks);
        self.keys.complete(terms, scratch, keys);
    }

    fn look(&self, held: &HeldTerms, index: u32) -> (Sketch, u64) {
        let sketch = held.sketches[index as usize];
        (sketch, sketch.size)
    }

    fn largest_match(&self, size: u64) -> u64 {
        self.gathered.bar.threshold.largest(size)
    }

    fn can_match(&self, a: &Sketch, b: &Sketch) -> bool {
        self.gathered.bar.can_match(a, b)
    }

    fn compare(&self, held: &HeldTerms, (a, b): (u32, u32), texts: (u32, u32)) -> Option<Verified> {
        let Gathered {
            documents, lexicon, ..
        } = self.gathered;
        let list = |index: u32| self.gathered.list(held, index, ListOrder::Ranks);
        let size = |index: u32| held.sketches[index as usize].size;
        let (x, y) = (list(a), list(b));
        let bar = self.gathered.bar;
        if !bar.is_match(lexicon, (x, size(a)), (y, size(b))) {
            return None;
        }
        let weight = |text: u32| documents.weights[text as usize];
        let sides = ((x, weight(texts.0)), (y, weight(texts.1)));
        let scores = compare(lexicon, sides.0, sides.1);
        Some(Verified::new(texts.0, texts.1, &scores))
    }
}
