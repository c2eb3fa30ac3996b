//! The join over sketches: sample, read, group, verify.
//!
//! A sample of the texts decides which bands are cheapest for the threshold and the recall. Then the texts are read once; of each
//! the keys of its bands are kept, not its sketch. Pairs that meet often enough are verified like those of any other method.
//!
//! The seven steps of the slides are the same join with other keys: every value of a sketch is one, and a pair must share many.

use std::cell::OnceCell;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::checkpoint::{Saved, StateReader, StateWriter, Tables};
use super::finish::Search;
use super::first_pass::Reading;
use super::symmetric::PrefixSearch;
use super::{Figures, Join, Joined};
use crate::candidates::lists::{Lists, PostingFeeder, Postings, Rule};
use crate::candidates::pairs::{Limits, Round};
use crate::error::Result;
use crate::matches::Documents;
use crate::matches::{CandidatePair, Identical, Wanted};
use crate::method::minhash::keys::{LeastKeys, SketchKeys, SketchScratch};
use crate::method::{Fitted, minhash};
use crate::scores::Metric;
use crate::sketch::bands::fewest_values;
use crate::sketch::{Banding, MeetBy, SketchKind};
use crate::threshold::Threshold;

/// The complete search takes the place of sketches where it looks at one pair in so many or fewer.
const FAR_FEWER: u64 = 4;

/// What the sketches of a run came to, by the steps of the slides. Copies of a text are not sketched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SketchFigures {
    /// The bands, where texts meet by bands.
    pub banding: Option<Banding>,
    /// Texts that have a sketch: step 1.
    pub texts: u64,
    /// Those whose sketch has too few values to be found with the recall that is asked for.
    pub short: u64,
    /// Values, or bands, of all sketches: step 2.
    pub values: u64,
    /// Distinct ones: step 3.
    pub distinct: u64,
    /// Those that several texts have: step 3.
    pub shared: u64,
    /// Two texts that share one, each time they do: step 4.
    pub triplets: u64,
    /// Whether the complete search took their place, which finds all pairs.
    #[serde(default)]
    pub complete: bool,
}

/// What the reading leaves.
struct Read {
    /// The bands, where texts meet by bands.
    banding: Option<Banding>,
    /// Values in the sketch of each text, where texts meet by those.
    sketch_sizes: Vec<u32>,
    postings: Postings,
}

impl Saved for Read {
    fn save(&self, _: &Tables, state: &mut StateWriter) -> Result<()> {
        state.numbers(&self.banding.map_or([0; 3], Banding::to_array))?;
        state.numbers(&self.sketch_sizes)?;
        state.partitions(self.postings.partitions())
    }

    fn restore(tables: &mut Tables, state: &mut StateReader, join: &Join<'_>) -> Result<Self> {
        let numbers: Vec<u32> = state.column_of(3)?;
        let banding = Banding {
            bands: numbers[0],
            rows: numbers[1],
            least: numbers[2],
        };
        let (banding, sized) = match join.options.matching.sketches.meet_by {
            MeetBy::Bands => (Some(banding), 0),
            MeetBy::Values => (None, tables.documents.len()),
        };
        let budget = join.working_memory() / 2;
        Ok(Self {
            banding,
            sketch_sizes: state.column_of(sized)?,
            postings: Postings::of(join.partitions_of(state, budget)?),
        })
    }
}

/// Hands over the keys of texts, for one thread.
struct Signer<'a> {
    scratch: SketchScratch,
    /// Texts with the sizes of their sketches, where those differ.
    sizes: Vec<(u32, u32)>,
    feeder: PostingFeeder<'a>,
}

impl Signer<'_> {
    fn sign(&mut self, text: u32, shingles: &[u64], keys: &SketchKeys) -> Result<()> {
        let feeder = &mut self.feeder;
        let push = |key| feeder.push(text, key);
        let size = keys.try_for_each(shingles, &mut self.scratch, push)?;
        if keys.banding().is_none() {
            self.sizes.push((text, size));
        }
        Ok(())
    }
}

/// Which texts share enough keys.
struct SketchRule {
    /// Texts of which one has too few shingles for the other are no candidates, where the texts themselves are compared.
    threshold: Option<Threshold>,
    least: LeastKeys,
    /// Values in the sketch of each text; none where they do not matter.
    sketch_sizes: Vec<u32>,
}

impl Rule for SketchRule {
    fn largest(&self, size: u32) -> u64 {
        match self.threshold {
            Some(threshold) => threshold.largest(u64::from(size)),
            None => u64::MAX,
        }
    }

    fn least(&self, (a, size_a): (u32, u32), (b, size_b): (u32, u32)) -> u32 {
        let sketch = |text: u32| self.sketch_sizes.get(text as usize).copied().unwrap_or(0);
        self.least.of((size_a, sketch(a)), (size_b, sketch(b)))
    }

    fn floor(&self, _: u32, _: u32) -> u32 {
        match self.least {
            LeastKeys::Fixed(least) => least,
            // It depends on the sketches, of which texts of one size have different ones.
            _ => 1,
        }
    }
}

/// The texts of each key of a sketch.
struct SketchSearch {
    lists: Lists,
    rule: SketchRule,
    wanted: Wanted,
    /// The complete search, once it is known whether it is needed.
    complete: OnceCell<Option<PrefixSearch>>,
}

impl Search for SketchSearch {
    fn expected(&self) -> u64 {
        self.lists.counts().pairs
    }

    fn candidates(
        &self,
        join: &Join<'_>,
        round: Round<'_>,
        limits: &Limits<'_>,
    ) -> Result<Vec<CandidatePair>> {
        match self.complete_for(join, round, limits)? {
            Some(complete) => complete.candidates(join, round, limits),
            None => self
                .lists
                .candidates(&self.rule, self.wanted, round, limits),
        }
    }

    fn pushes(&self, round: Round<'_>, limits: &Limits<'_>) -> Result<u64> {
        match self.complete.get() {
            Some(Some(complete)) => complete.pushes(round, limits),
            _ => self.lists.pushes(&self.rule, self.wanted, round, limits),
        }
    }

    fn gave_way(&self) -> bool {
        matches!(self.complete.get(), Some(Some(_)))
    }
}

impl SketchSearch {
    /// The complete search in place of this one, where it has far fewer pairs to look at. Texts that have a long passage in common
    /// and are yet no match meet by nearly every band; the complete search leaves them apart by counting. It finds no less.
    fn complete_for(
        &self,
        join: &Join<'_>,
        round: Round<'_>,
        limits: &Limits<'_>,
    ) -> Result<Option<&PrefixSearch>> {
        if let Some(known) = self.complete.get() {
            return Ok(known.as_ref());
        }
        let sets = match round {
            Round::Neighbours => return Ok(None),
            Round::All(sets) => sets,
            Round::Share(_) => None,
        };
        let by_bands = join.options.matching.sketches.meet_by == MeetBy::Bands;
        let mut complete = None;
        if by_bands && join.options.matching.metric == Metric::Resemblance {
            let met = self.lists.pairs_across(sets, limits)?;
            if met > join.options.many {
                let sizes = self.lists.sizes().to_vec();
                let other = join.prefix_search(sizes, self.wanted, limits)?;
                complete = (other.estimate(limits)? < met / FAR_FEWER).then_some(other);
            }
        }
        Ok(self.complete.get_or_init(|| complete).as_ref())
    }
}

impl Join<'_> {
    pub(crate) fn minhash(mut self) -> Result<Joined> {
        let preparer = Arc::clone(&self.preparer);
        let fitted = Fitted::Minhash(Arc::new(minhash::Fitted::new(
            preparer,
            &self.options.matching,
        )));
        if let Some(kept) = self.kept_found() {
            return self.finish_kept(kept, fitted);
        }
        let (
            Tables {
                documents,
                identical,
            },
            Read {
                banding,
                sketch_sizes,
                postings,
            },
        ) = self.reading(Self::read_keys)?;
        let mut figures = std::mem::take(&mut self.figures);
        let sizes = identical.sizes(&documents);
        let texts = sizes.iter().filter(|size| **size > 0).count() as u64;
        let fewest = fewest_values(
            self.options.matching.threshold,
            self.options.matching.sketches.recall,
        );
        let modulo = self.options.matching.sketches.kind == SketchKind::Modulo;
        let is_short = |(size, sketch): &(&u32, &u32)| modulo && **size > 0 && **sketch < fewest;
        let short = sizes.iter().zip(&sketch_sizes).filter(is_short).count() as u64;
        let wanted = self.wanted(&documents);
        let lists = figures.time("group", || {
            self.with_limits("grouping", |limits| postings.group(sizes, limits))
        })?;
        let counts = lists.counts();
        figures.sketches = Some(SketchFigures {
            banding,
            texts,
            short,
            values: counts.postings,
            distinct: counts.keys,
            shared: counts.shared_keys,
            triplets: counts.pairs,
            complete: false,
        });
        self.figures = figures;
        let rule = self.rule(banding, sketch_sizes)?;
        let search = SketchSearch {
            lists,
            rule,
            wanted,
            complete: OnceCell::new(),
        };
        self.finish((documents, identical), fitted, &search)
    }

    /// Reads the texts, a sample of them before.
    fn read_keys(&self, figures: &mut Figures) -> Result<(Tables, Read)> {
        let options = &self.options.matching.sketches;
        let sample = figures.time("sample", || self.sample_sketches())?;
        let texts = sample.expected_texts(self.expected_bytes());
        let keys = match options.meet_by {
            MeetBy::Bands => {
                let threshold = self.options.matching.threshold;
                let choose = || sample.texts.choose_bands(options, threshold, texts);
                SketchKeys::of_bands(figures.time("sample", choose)?, options.seed)
            }
            MeetBy::Values => SketchKeys::of_values(options),
        };
        let each = keys.each(options, self.expected_bytes() as f64 / texts.max(1.0));
        drop(sample);
        let postings = Postings::new(
            (texts * each) as u64,
            self.working_memory() / 2,
            self.temporary.path(),
        );
        let (mut documents, sketch_sizes) =
            figures.time("read", || self.read_sketches(&postings, &keys))?;
        documents.check_keys(self.source)?;
        let tables = Tables {
            identical: Identical::take(&mut documents),
            documents,
        };
        let read = Read {
            banding: keys.banding(),
            sketch_sizes,
            postings,
        };
        Ok((tables, read))
    }

    fn rule(&self, banding: Option<Banding>, sketch_sizes: Vec<u32>) -> Result<SketchRule> {
        let threshold = self.options.matching.threshold;
        let largest = sketch_sizes.iter().copied().max().unwrap_or(0);
        let mut least = LeastKeys::new(&self.options.matching.sketches, threshold, banding)?;
        least.know(largest);
        Ok(SketchRule {
            threshold: (self.options.matching.metric == Metric::Resemblance).then_some(threshold),
            least,
            sketch_sizes,
        })
    }

    /// Reads all texts: the table of documents, their keys, and the sizes of their sketches where those differ.
    fn read_sketches(
        &self,
        postings: &Postings,
        keys: &SketchKeys,
    ) -> Result<(Documents, Vec<u32>)> {
        let mut found = Vec::new();
        let documents = self.read_documents(
            || {
                let signer = Signer {
                    scratch: SketchScratch::default(),
                    sizes: Vec::new(),
                    feeder: postings.feeder(),
                };
                (Reading::default(), signer)
            },
            |(reading, signer), block, part| {
                reading.block(block, &self.preparer, self.options, |reading, number| {
                    let shingles = self.preparer.mix(&mut reading.prepared);
                    signer.sign(part.base + number, shingles, keys)
                })
            },
            |(reading, signer)| {
                signer.feeder.finish()?;
                found.extend(signer.sizes);
                Ok(reading.blocks)
            },
        )?;
        let mut sizes = match keys.banding() {
            Some(_) => Vec::new(),
            None => vec![0; documents.len()],
        };
        for (text, size) in found {
            sizes[text as usize] = size;
        }
        Ok((documents, sizes))
    }
}
