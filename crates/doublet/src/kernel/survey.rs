//! Looks at texts before any is prepared: what a task saw, for [`learn`](super::learn) to bring together.

use std::sync::Arc;

use super::Kernel;
use super::plan::Plan;
use crate::batch::common_words::count_words;
use crate::batch::first_pass::Reading;
use crate::batch::symmetric::SAMPLED;
use crate::candidates::frequency::sample_cell;
use crate::fingerprint::truncate;
use crate::method::minhash::sample::{self, SampledText};
use crate::method::sentences::ENOUGH_TEXTS;
use crate::method::sentences::words::{WordCutter, WordScratch};
use crate::method::shingles::Preparer;
use crate::method::terms::vocabulary::{Counted, Vocabulary};
use crate::method::terms::{Language, Scratch, TermSegmenter};
use crate::segment::terms::detect;
use crate::sketch::Permutations;

/// Bytes of text from which shingles are counted, at most.
const MOST_SHINGLED: u64 = 128 << 20;
/// Texts that are asked for their language, about.
const ASKED: u64 = 2000;
/// Bytes of a part before it is handed on.
const PART: usize = 4 << 20;
/// Bytes of counted terms before they are handed on.
const COUNTED: u64 = 64 << 20;

/// What a survey gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurveyKind {
    /// Bytes, to be put together in any order.
    Parts,
    /// Counts of forms by group, to be added up.
    Counts,
}

/// One text in so many is surveyed.
pub(super) fn sample_every(kernel: &Kernel, texts: u64, bytes: u64) -> u64 {
    match &kernel.plan {
        Plan::Prefixes { .. } | Plan::Probes { .. } => (bytes / MOST_SHINGLED).max(SAMPLED as u64),
        Plan::Sketches { .. } => {
            let every = sample::every(bytes);
            let megabytes = (bytes / every).div_ceil(1 << 20).max(1);
            let size = kernel.options.sketches.size;
            let most = sample::most_texts(size) as u64 * megabytes;
            every.max(texts.div_ceil(most.max(1)))
        }
        Plan::Terms(None) => texts.div_ceil(ASKED).max(1),
        Plan::Terms(Some(_)) | Plan::Weighed(_) | Plan::Sentences(_) => 1,
    }
}

/// The group of a row that counts texts, and of rows that count languages; others are numbers of groups of terms.
pub(super) const TEXTS: i32 = -1;
pub(super) const LANGUAGE: i32 = -2;

/// How often a form was seen in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormCount {
    /// The form, or a language's code.
    pub form: String,
    /// Number of the group; below 0 what is no term.
    pub group: i32,
    /// How often.
    pub occurrences: u64,
    /// Texts that have the form, in the first row of several.
    pub texts: u64,
}

/// What a survey has to hand on.
#[derive(Debug, Default)]
pub struct Surveyed {
    /// Bytes to be put together, where it gives [`SurveyKind::Parts`].
    pub parts: Vec<Vec<u8>>,
    /// Counts to be added up, where it gives [`SurveyKind::Counts`].
    pub counts: Vec<FormCount>,
}

/// The survey of one task.
pub struct Survey(Look);

enum Look {
    /// Cells of the counters that shingles fall into.
    Shingles {
        preparer: Arc<Preparer>,
        /// Bits of a fingerprint that count.
        bits: u32,
        reading: Box<Reading>,
        part: Vec<u8>,
    },
    /// Identity, size and sketch of each text.
    Sketches {
        preparer: Arc<Preparer>,
        permutations: Permutations,
        reading: Box<Reading>,
        part: Vec<u8>,
    },
    Languages(Vec<Language>),
    Terms {
        segmenter: Box<TermSegmenter>,
        scratch: Box<Scratch>,
        vocabulary: Vocabulary,
    },
    Words {
        cutter: Box<WordCutter>,
        scratch: Box<WordScratch>,
        vocabulary: Vocabulary,
        languages: Vec<Language>,
    },
    Nothing,
}

impl Survey {
    /// A survey that has seen nothing.
    pub fn new(kernel: &Kernel) -> Self {
        let options = &kernel.options;
        Self(match &kernel.plan {
            _ if kernel.survey_kind().is_none() => Look::Nothing,
            Plan::Prefixes { preparer, .. } | Plan::Probes { preparer, .. } => Look::Shingles {
                preparer: preparer.clone(),
                bits: options.shingle.bits,
                reading: Box::default(),
                part: Vec::new(),
            },
            Plan::Sketches { fitted, .. } => Look::Sketches {
                preparer: fitted.preparer().clone(),
                permutations: Permutations::new(options.sketches.size, options.sketches.seed),
                reading: Box::default(),
                part: Vec::new(),
            },
            Plan::Terms(None) => Look::Languages(Vec::new()),
            Plan::Terms(Some(segmenter)) => Look::Terms {
                segmenter: Box::new(segmenter.clone()),
                scratch: Box::default(),
                vocabulary: Vocabulary::default(),
            },
            Plan::Weighed(_) => Look::Nothing,
            Plan::Sentences(_) => Look::Words {
                cutter: Box::new(WordCutter::new(&options.normalize)),
                scratch: Box::default(),
                vocabulary: Vocabulary::default(),
                languages: Vec::new(),
            },
        })
    }

    /// Looks at a text; `out` gets what is to be handed on.
    pub fn add(&mut self, text: &str, out: &mut Surveyed) {
        match &mut self.0 {
            Look::Shingles {
                preparer,
                bits,
                reading,
                part,
            } => {
                reading.prepare(preparer, text);
                for &fingerprint in &reading.distinct {
                    part.extend(sample_cell(truncate(fingerprint, *bits)).to_le_bytes());
                }
                hand_on(part, PART, out);
            }
            Look::Sketches {
                preparer,
                permutations,
                reading,
                part,
            } => {
                reading.prepare(preparer, text);
                let size = reading.distinct.len() as u32;
                let prepared = &mut reading.prepared;
                let found = SampledText::new(preparer, permutations, prepared, size);
                found.iter().for_each(|text| text.write(part));
                hand_on(part, PART, out);
            }
            Look::Languages(languages) => languages.push(detect(text)),
            Look::Terms {
                segmenter,
                scratch,
                vocabulary,
            } => {
                vocabulary.begin_text();
                segmenter.terms(text, scratch, |term| {
                    vocabulary.add(term.form, term.group);
                });
                put_aside(vocabulary, COUNTED, out);
            }
            Look::Words {
                cutter,
                scratch,
                vocabulary,
                languages,
            } => {
                count_words(cutter, text, scratch, vocabulary);
                if (languages.len() as u64) < ENOUGH_TEXTS {
                    languages.push(detect(text));
                }
                put_aside(vocabulary, COUNTED, out);
            }
            Look::Nothing => {}
        }
    }

    /// Hands on what is left.
    pub fn finish(self, out: &mut Surveyed) {
        match self.0 {
            Look::Shingles { mut part, .. } | Look::Sketches { mut part, .. } => {
                hand_on(&mut part, 1, out);
            }
            Look::Languages(languages) => push_languages(&languages, out),
            Look::Terms { mut vocabulary, .. } => put_aside(&mut vocabulary, 0, out),
            Look::Words {
                mut vocabulary,
                languages,
                ..
            } => {
                put_aside(&mut vocabulary, 0, out);
                push_languages(&languages, out);
            }
            Look::Nothing => {}
        }
    }
}

/// Hands on a part that has at least so many bytes.
fn hand_on(part: &mut Vec<u8>, bytes: usize, out: &mut Surveyed) {
    if part.len() >= bytes {
        out.parts.push(std::mem::take(part));
    }
}

/// Hands on what was counted, if it takes so many bytes.
fn put_aside(vocabulary: &mut Vocabulary, bytes: u64, out: &mut Surveyed) {
    if vocabulary.bytes() >= bytes {
        push_counts(&std::mem::take(vocabulary).finish(), out);
    }
}

fn push_counts(counted: &Counted, out: &mut Surveyed) {
    for id in counted.sorted() {
        let votes = counted.votes(id);
        let mut texts = counted.documents(id);
        for (group, &occurrences) in (0..).zip(&votes) {
            if occurrences > 0 {
                out.counts.push(FormCount {
                    form: counted.form(id).to_owned(),
                    group,
                    occurrences,
                    texts: std::mem::take(&mut texts),
                });
            }
        }
    }
    if counted.texts > 0 {
        out.counts.push(FormCount {
            form: String::new(),
            group: TEXTS,
            occurrences: 0,
            texts: counted.texts,
        });
    }
}

fn push_languages(languages: &[Language], out: &mut Surveyed) {
    let mut languages = languages.to_vec();
    languages.sort_unstable();
    for same in languages.chunk_by(|x, y| x == y) {
        out.counts.push(FormCount {
            form: same[0].code().to_owned(),
            group: LANGUAGE,
            occurrences: same.len() as u64,
            texts: 0,
        });
    }
}

impl SampledText {
    fn write(&self, part: &mut Vec<u8>) {
        part.extend(self.identity.to_le_bytes());
        part.extend(self.size.to_le_bytes());
        for value in &self.sketch {
            part.extend(value.to_le_bytes());
        }
    }

    /// The texts of a part, with sketches of so many values; `None` if it is cut off.
    pub(super) fn read_all(part: &[u8], values: usize) -> Option<Vec<Self>> {
        let length = 16 + 4 + 4 * values;
        if !part.len().is_multiple_of(length) {
            return None;
        }
        let texts = part.chunks_exact(length).map(|text| {
            let (identity, rest) = text.split_first_chunk()?;
            let (size, sketch) = rest.split_first_chunk()?;
            Some(Self {
                identity: u128::from_le_bytes(*identity),
                size: u32::from_le_bytes(*size),
                sketch: bytemuck::pod_collect_to_vec(sketch),
            })
        });
        texts.collect()
    }
}

/// The cells of a part; `None` if it is cut off.
pub(super) fn read_cells(part: &[u8]) -> Option<Vec<u32>> {
    let whole = part.len().is_multiple_of(size_of::<u32>());
    whole.then(|| bytemuck::pod_collect_to_vec(part))
}

impl Surveyed {
    /// Whether nothing is to be handed on.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.counts.is_empty()
    }
}
