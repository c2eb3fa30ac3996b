//! The join over sketches: sample, read, group, verify.
//!
//! A sample of the texts decides which bands are cheapest for the threshold and the recall. Then the texts are read once; of each
//! the keys of its bands are kept, not its sketch. Pairs that meet often enough are verified like those of any other method.
//!
//! The seven steps of the slides are the same join with other keys: every value of a sketch is one, and a pair must share many.

use serde::{Deserialize, Serialize};

use super::checkpoint::Kept;
use super::documents::Documents;
use super::first_pass::Reading;
use super::matches::Identical;
use super::{Figures, Join, Joined};
use crate::candidates::lists::{PostingFeeder, Postings, Rule};
use crate::error::Result;
use crate::sketch::bands::{fewest_values, likely_hits};
use crate::sketch::{
    Banding, MeetBy, Permutations, Sketch, SketchKind, SketchOptions, Sketcher, band_keys,
};
use crate::threshold::Threshold;
use crate::verify::Metric;

/// Bytes of text for one shingle, about.
const BYTES_A_SHINGLE: f64 = 6.0;

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
}

/// What the reading leaves.
struct Read {
    documents: Documents,
    identical: Identical,
    /// The bands, where texts meet by bands.
    banding: Option<Banding>,
    /// Values in the sketch of each text, where texts meet by those.
    sketch_sizes: Vec<u32>,
    postings: Postings,
}

/// By which keys texts meet.
enum Keys {
    /// Those of bands.
    Bands(Banding, Permutations),
    /// Those of single values.
    Values(Sketcher),
}

impl Keys {
    fn banding(&self) -> Option<Banding> {
        match self {
            Self::Bands(banding, _) => Some(*banding),
            Self::Values(_) => None,
        }
    }

    /// Keys of one text, about.
    fn each(&self, options: &SketchOptions, bytes_a_text: f64) -> f64 {
        match (self, options.kind) {
            (Self::Bands(banding, _), _) => f64::from(banding.bands),
            (Self::Values(_), SketchKind::Permutations) => options.size as f64,
            (Self::Values(_), kind) => {
                let shingles = bytes_a_text / BYTES_A_SHINGLE;
                match kind {
                    SketchKind::Modulo => shingles / options.size as f64,
                    _ => shingles.min(options.size as f64),
                }
            }
        }
    }
}

/// Makes the keys of texts, for one thread.
struct Signer<'a> {
    minima: Vec<u32>,
    sketch: Sketch,
    /// Texts with the sizes of their sketches, where those differ.
    sizes: Vec<(u32, u32)>,
    feeder: PostingFeeder<'a>,
}

impl<'a> Signer<'a> {
    fn new(keys: &Keys, feeder: PostingFeeder<'a>) -> Self {
        Self {
            minima: match keys {
                Keys::Bands(_, permutations) => vec![0; permutations.count()],
                Keys::Values(_) => Vec::new(),
            },
            sketch: Sketch::default(),
            sizes: Vec::new(),
            feeder,
        }
    }

    /// Hands over the keys of a text.
    fn sign(&mut self, text: u32, shingles: &[u64], keys: &Keys) -> Result<()> {
        let feeder = &mut self.feeder;
        match keys {
            Keys::Bands(banding, permutations) => {
                permutations.sketch(shingles, &mut self.minima);
                band_keys(&self.minima, *banding).try_for_each(|key| feeder.push(text, key))
            }
            Keys::Values(sketcher) => {
                sketcher.sketch(shingles, &mut self.sketch);
                self.sizes.push((text, self.sketch.len() as u32));
                let mut keys = self.sketch.keys();
                keys.try_for_each(|key| feeder.push(text, key))
            }
        }
    }
}

/// Which texts share enough keys.
struct SketchRule {
    /// Texts of which one has too few shingles for the other are no candidates, where the texts themselves are compared.
    threshold: Option<Threshold>,
    least: Least,
}

/// Keys that a pair must share.
enum Least {
    /// So many.
    Fixed(u32),
    /// Of the m smallest values so many; of texts that have fewer, the overlap that the threshold asks for.
    Smallest {
        full: u32,
        least: u32,
        threshold: Threshold,
    },
    /// As many as the smaller sketch leaves: by the sizes of the sketches.
    Sizes { sizes: Vec<u32>, least: Vec<u32> },
}

impl Least {
    /// Of single values: all that the options ask for, or as many as the sizes of the sketches leave.
    fn values(options: &SketchOptions, threshold: Threshold, sizes: Vec<u32>) -> Result<Self> {
        Ok(match (options.values(threshold)?, options.kind) {
            (Some(all), SketchKind::Smallest) if options.least.is_none() => Self::Smallest {
                full: all.bands,
                least: all.least,
                threshold,
            },
            (Some(all), _) => Self::Fixed(all.least),
            (None, _) => match options.least {
                Some(least) => Self::Fixed(least),
                None => {
                    let largest = sizes.iter().copied().max().unwrap_or(0);
                    let likely = |size| likely_hits(size, threshold.value(), options.recall);
                    let least = (0..=largest).map(likely).collect();
                    Self::Sizes { sizes, least }
                }
            },
        })
    }
}

impl Rule for SketchRule {
    fn largest(&self, size: u32) -> u64 {
        match self.threshold {
            Some(threshold) => threshold.largest(u64::from(size)),
            None => u64::MAX,
        }
    }

    fn least(&self, (a, size_a): (u32, u32), (b, size_b): (u32, u32)) -> u32 {
        match &self.least {
            Least::Fixed(least) => *least,
            Least::Smallest {
                full, threshold, ..
            } if size_a.max(size_b) < *full => {
                threshold.least_overlap(u64::from(size_a) + u64::from(size_b)) as u32
            }
            Least::Smallest { least, .. } => *least,
            Least::Sizes { sizes, least } => {
                let smaller = sizes[a as usize].min(sizes[b as usize]);
                least[smaller as usize]
            }
        }
    }
}

impl Join<'_> {
    pub(crate) fn minhash(mut self) -> Result<Joined> {
        self.options.sketches.check()?;
        self.options.sketches.values(self.options.threshold)?;
        let mut figures = std::mem::take(&mut self.figures);
        let Read {
            documents,
            identical,
            banding,
            sketch_sizes,
            postings,
        } = match self.kept_reading() {
            Some(kept) => self.kept_sketches(kept)?,
            None => {
                let read = self.read_keys(&mut figures)?;
                self.keep_reading((&read.documents, &read.identical), |state| {
                    state.numbers(&read.banding.map_or([0; 3], Banding::to_array))?;
                    state.numbers(&read.sketch_sizes)?;
                    state.partitions(read.postings.partitions())
                })?;
                read
            }
        };
        let sizes = identical.sizes(&documents);
        let texts = sizes.iter().filter(|size| **size > 0).count() as u64;
        let fewest = fewest_values(self.options.threshold, self.options.sketches.recall);
        let modulo = self.options.sketches.kind == SketchKind::Modulo;
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
        });
        self.figures = figures;
        let rule = self.rule(banding, sketch_sizes)?;
        self.finish(documents, identical, counts.pairs, &|round, limits| {
            lists.candidates(&rule, wanted, round, limits)
        })
    }

    /// Reads the texts, a sample of them before.
    fn read_keys(&self, figures: &mut Figures) -> Result<Read> {
        let options = &self.options.sketches;
        let sample = figures.time("sample", || self.sample_sketches())?;
        let keys = match options.meet_by {
            MeetBy::Bands => {
                let banding = figures.time("sample", || self.choose_bands(&sample))?;
                Keys::Bands(banding, Permutations::new(banding.values(), options.seed))
            }
            MeetBy::Values => Keys::Values(Sketcher::new(options)),
        };
        let texts = sample.texts(self.expected_bytes());
        let each = keys.each(options, self.expected_bytes() as f64 / texts.max(1.0));
        drop(sample);
        let postings = Postings::new(
            (texts * each) as u64,
            self.options.resources.memory / 2,
            self.temporary.path(),
        );
        let (mut documents, sketch_sizes) =
            figures.time("read", || self.read_sketches(&postings, &keys))?;
        documents.check_keys(self.source)?;
        Ok(Read {
            identical: Identical::take(&mut documents),
            documents,
            banding: keys.banding(),
            sketch_sizes,
            postings,
        })
    }

    /// What an interrupted run read.
    fn kept_sketches(&self, kept: Kept) -> Result<Read> {
        let Kept {
            documents,
            identical,
            mut state,
            ..
        } = kept;
        let numbers: Vec<u32> = state.column_of(3)?;
        let banding = match self.options.sketches.meet_by {
            MeetBy::Bands => Some(Banding {
                bands: numbers[0],
                rows: numbers[1],
                least: numbers[2],
            }),
            MeetBy::Values => None,
        };
        let sketch_sizes: Vec<u32> = match banding {
            Some(_) => state.column_of(0)?,
            None => state.column_of(documents.len())?,
        };
        let postings = self.kept_postings(&mut state)?;
        Ok(Read {
            documents,
            identical,
            banding,
            sketch_sizes,
            postings,
        })
    }

    fn rule(&self, banding: Option<Banding>, sketch_sizes: Vec<u32>) -> Result<SketchRule> {
        let threshold = self.options.threshold;
        Ok(SketchRule {
            threshold: (self.options.metric == Metric::Resemblance).then_some(threshold),
            least: match banding {
                Some(banding) => Least::Fixed(banding.least),
                None => Least::values(&self.options.sketches, threshold, sketch_sizes)?,
            },
        })
    }

    /// Reads all texts: the table of documents, their keys, and the sizes of their sketches where those differ.
    fn read_sketches(&self, postings: &Postings, keys: &Keys) -> Result<(Documents, Vec<u32>)> {
        let mut found = Vec::new();
        let documents = self.read_documents(
            || (Reading::default(), Signer::new(keys, postings.feeder())),
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
        let mut sizes = match keys {
            Keys::Bands(..) => Vec::new(),
            Keys::Values(_) => vec![0; documents.len()],
        };
        for (text, size) in found {
            sizes[text as usize] = size;
        }
        Ok((documents, sizes))
    }
}
