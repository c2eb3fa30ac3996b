//! The scores of pairs by their texts, chunk by chunk: the texts of a chunk are made ready once, and every pair of it finds both.

use hashbrown::HashMap;

pub use super::sentences::{TextSums, scores_of_copy, scores_of_sums};

use super::plan::{Plan, SentencePlan, TermPlan};
use super::prepare::{TermScratch, not_learnt};
use super::{Kernel, misfit};
use crate::batch::first_pass::Reading;
use crate::error::Result;
use crate::method::sentences::Sentences;
use crate::method::sentences::compare::SentenceText;
use crate::method::shingles::{Preparer, VerifyTexts};
use crate::method::terms::compare::{TermLists, compare, total_weight};
use crate::scores::Scores;
use crate::sketch::{Sketch, Sketcher};

/// The texts of the chunk at hand.
pub struct Chunk {
    numbers: HashMap<i64, u32>,
    texts: Texts,
}

/// Texts ready to be compared.
enum Texts {
    Shingles(Box<VerifyTexts>),
    Sketches {
        sketcher: Sketcher,
        reading: Box<Reading>,
        sketches: Vec<SketchedText>,
    },
    Terms {
        scratch: Box<TermScratch>,
        lists: TermLists,
        weights: Vec<u64>,
    },
    Sentences {
        scratch: Box<Sentences>,
        texts: Vec<SentenceText>,
    },
}

/// A text that is compared by its sketch.
struct SketchedText {
    sketch: Sketch,
    distinct: u32,
    tokens: u32,
}

impl SketchedText {
    fn compare(&self, other: &Self, sketcher: &Sketcher) -> Scores {
        let (agreeing, compared) = sketcher.agreement(&self.sketch, &other.sketch);
        Scores {
            distinct_a: self.distinct,
            distinct_b: other.distinct,
            tokens_a: self.tokens,
            tokens_b: other.tokens,
            ..Scores::of_sketches(agreeing, compared)
        }
    }
}

impl Chunk {
    /// A chunk without texts.
    pub fn new(kernel: &Kernel) -> Self {
        let texts = match (&kernel.plan, kernel.options.sketcher()) {
            (Plan::Prefixes(_) | Plan::Probes(_), _) | (Plan::Sketches(_), None) => {
                Texts::Shingles(Box::default())
            }
            (Plan::Sketches(_), Some(sketcher)) => Texts::Sketches {
                sketcher,
                reading: Box::default(),
                sketches: Vec::new(),
            },
            (Plan::Terms(_), _) => Texts::Terms {
                scratch: Box::default(),
                lists: TermLists::with_capacity(0, 0),
                weights: Vec::new(),
            },
            (Plan::Sentences(_), _) => Texts::Sentences {
                scratch: Box::default(),
                texts: Vec::new(),
            },
        };
        Self {
            numbers: HashMap::new(),
            texts,
        }
    }

    /// Forgets all texts.
    pub fn clear(&mut self) {
        self.numbers.clear();
        match &mut self.texts {
            Texts::Shingles(texts) => texts.clear(),
            Texts::Sketches { sketches, .. } => sketches.clear(),
            Texts::Terms { lists, weights, .. } => {
                *lists = TermLists::with_capacity(0, 0);
                weights.clear();
            }
            Texts::Sentences { texts, .. } => texts.clear(),
        }
    }

    /// Makes a text ready; one that is there already counts.
    ///
    /// # Errors
    /// When what has to be learnt before is not.
    pub fn add(&mut self, kernel: &Kernel, doc: i64, text: &str) -> Result<()> {
        let number = self.numbers.len() as u32;
        if self.numbers.contains_key(&doc) {
            return Ok(());
        }
        match (&mut self.texts, &kernel.plan) {
            (
                Texts::Terms {
                    scratch,
                    lists,
                    weights,
                },
                Plan::Terms(plan),
            ) => {
                let lexicon = plan.lexicon.as_ref().ok_or_else(not_learnt)?;
                plan.ranks(text, scratch)?;
                lists.push(&scratch.ranks);
                weights.push(total_weight(lexicon, &scratch.ranks));
            }
            (Texts::Sentences { scratch, texts }, Plan::Sentences(plan)) => {
                let fingerprinter = plan.fingerprinter.as_ref().ok_or_else(not_learnt)?;
                texts.push(SentenceText::new(fingerprinter, text, scratch));
            }
            (texts, _) => {
                if let Some(preparer) = kernel.preparer() {
                    add_shingles(texts, preparer, text);
                }
            }
        }
        self.numbers.insert(doc, number);
        Ok(())
    }

    /// The scores of two texts of the chunk.
    ///
    /// # Errors
    /// When one is not there.
    pub fn compare(&mut self, kernel: &Kernel, a: i64, b: i64) -> Result<Scores> {
        let number = |doc: i64| {
            let number = self.numbers.get(&doc).copied();
            number.ok_or_else(|| {
                misfit(format!(
                    "the text {doc} of a pair is not in the chunk: texts come before pairs"
                ))
            })
        };
        let (a, b) = (number(a)?, number(b)?);
        let (x, y) = (a as usize, b as usize);
        match (&mut self.texts, &kernel.plan) {
            (
                Texts::Sketches {
                    sketcher, sketches, ..
                },
                _,
            ) => Ok(sketches[x].compare(&sketches[y], sketcher)),
            (Texts::Terms { lists, weights, .. }, Plan::Terms(plan)) => {
                let TermPlan { lexicon, .. } = &**plan;
                let lexicon = lexicon.as_ref().ok_or_else(not_learnt)?;
                let sides = ((lists.of(a), weights[x]), (lists.of(b), weights[y]));
                Ok(compare(lexicon, sides.0, sides.1))
            }
            (Texts::Sentences { texts, .. }, Plan::Sentences(plan)) => {
                let SentencePlan { boilerplate, .. } = &**plan;
                Ok(texts[x].compare(&texts[y], boilerplate))
            }
            (Texts::Shingles(texts), _) => {
                let preparer = kernel.preparer().ok_or_else(not_learnt)?;
                Ok(texts.compare(preparer, x, y))
            }
            _ => Err(not_learnt()),
        }
    }
}

fn add_shingles(texts: &mut Texts, preparer: &Preparer, text: &str) {
    match texts {
        Texts::Shingles(texts) => {
            texts.push(preparer, text, None);
        }
        Texts::Sketches {
            sketcher,
            reading,
            sketches,
        } => {
            reading.prepare(preparer, text);
            let mut sketch = Sketch::default();
            sketcher.sketch(preparer.mix(&mut reading.prepared), &mut sketch);
            sketches.push(SketchedText {
                sketch,
                distinct: reading.distinct.len() as u32,
                tokens: reading.prepared.tokens,
            });
        }
        Texts::Terms { .. } | Texts::Sentences { .. } => {}
    }
}

impl Kernel {
    /// What makes shingles of texts, where they are compared by those.
    fn preparer(&self) -> Option<&Preparer> {
        match &self.plan {
            Plan::Prefixes(plan) => Some(&plan.preparer),
            Plan::Probes(plan) => Some(&plan.preparer),
            Plan::Sketches(plan) => Some(&plan.preparer),
            Plan::Terms(_) | Plan::Sentences(_) => None,
        }
    }
}
