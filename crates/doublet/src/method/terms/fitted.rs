//! Texts of weighted terms: compared, explained and shown.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::compare::{TermLists, compare, total_weight};
use super::vocabulary::{Counted, Vocabulary};
use super::weights::UNIT;
use super::{Group, Lexicon, Scratch, TermOptions, TermSegmenter};
use crate::error::Result;
use crate::method::MatchOptions;
use crate::method::fitted::{
    Beside, Comparer, Detail, Explanation, Fields, FittedMethod, Inspector,
};
use crate::options::NormalizeOptions;
use crate::read::CodePoints;
use crate::scores::Scores;
use crate::threshold::Threshold;

/// What cuts texts into terms, and all terms with their weights. A term that was not counted is shared by no texts.
#[derive(Debug)]
pub struct Fitted {
    /// What cuts texts into terms.
    pub(crate) segmenter: TermSegmenter,
    /// The terms with their weights.
    pub(crate) lexicon: Lexicon,
}

impl Fitted {
    /// The terms of a few texts.
    pub(crate) fn of_texts(
        normalize: &NormalizeOptions,
        options: &TermOptions,
        texts: &[&str],
    ) -> Result<Self> {
        let segmenter = TermSegmenter::for_texts(normalize, options, texts);
        Ok(Self {
            lexicon: learn_terms_of(&segmenter, texts, options)?,
            segmenter,
        })
    }

    /// The terms of a text, in order.
    pub(crate) fn seen(&self, text: &str) -> Vec<SeenTerm> {
        seen_terms(&self.segmenter, &self.lexicon, text)
    }

    /// The different terms of a text, the heaviest first.
    pub(crate) fn distinct(&self, text: &str) -> Vec<u32> {
        let mut ranks = sorted_ranks(&self.seen(text));
        ranks.dedup();
        ranks
    }

    /// A term with its group, frequency and weight.
    pub(crate) fn describe(&self, rank: u32) -> Value {
        SideTerm::new(&self.lexicon, rank).to_json()
    }

    /// What there is to show of the terms of two texts.
    pub(crate) fn sides(&self, a: &str, b: &str) -> Detail {
        let (a, b) = (self.distinct(a), self.distinct(b));
        let terms = |of: &[u32], others: &[u32], shared: bool| {
            let chosen = of.iter().copied();
            let chosen = chosen.filter(|rank| others.binary_search(rank).is_ok() == shared);
            chosen
                .map(|rank| SideTerm::new(&self.lexicon, rank))
                .collect()
        };
        Detail::Terms(Sides {
            shared: terms(&a, &b, true),
            only_a: terms(&a, &b, false),
            only_b: terms(&b, &a, false),
        })
    }
}

/// The distinct terms of two texts, the heaviest first: shared ones, and those of either alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Sides {
    /// Those of both.
    pub shared: Vec<SideTerm>,
    /// Those of the first alone.
    pub only_a: Vec<SideTerm>,
    /// Those of the second alone.
    pub only_b: Vec<SideTerm>,
}

/// A term, for people.
#[derive(Clone, Debug, PartialEq)]
pub struct SideTerm {
    /// Its form.
    pub form: String,
    /// Its group.
    pub group: Group,
    /// How often it occurs in the background.
    pub frequency: u64,
    /// What it weighs.
    pub weight: f64,
}

impl SideTerm {
    fn new(lexicon: &Lexicon, rank: u32) -> Self {
        Self {
            form: lexicon.form(rank).to_owned(),
            group: lexicon.group(rank),
            frequency: lexicon.frequency(rank),
            weight: lexicon.weight(rank) as f64 / UNIT as f64,
        }
    }

    /// It as an object of JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "term": self.form,
            "group": self.group.name(),
            "frequency": self.frequency,
            "weight": self.weight,
        })
    }
}

impl FittedMethod for Fitted {
    fn comparer(self: Arc<Self>) -> Box<dyn Comparer> {
        Box::new(Termed {
            fitted: self,
            scratch: Scratch::default(),
            ranks: Vec::new(),
            lists: TermLists::with_capacity(0, 0),
            weights: Vec::new(),
        })
    }

    fn beside(self: Arc<Self>, text: &str) -> Box<dyn Beside> {
        Box::new(TermsBeside {
            ranks: sorted_ranks(&self.seen(text)),
            fitted: self,
        })
    }

    fn explain(&self, a: &str, b: &str) -> Explanation {
        explain_terms(&self.segmenter, &self.lexicon, a, b)
    }

    fn details(&self, a: &str, b: &str) -> Vec<Detail> {
        vec![self.sides(a, b)]
    }

    fn inspector(self: Arc<Self>, options: &MatchOptions) -> Box<dyn Inspector> {
        Box::new(TermInspector {
            fitted: self,
            options: options.terms.clone(),
            threshold: options.threshold,
        })
    }
}

/// Terms of texts side by side.
struct Termed {
    fitted: Arc<Fitted>,
    scratch: Scratch,
    ranks: Vec<u32>,
    lists: TermLists,
    weights: Vec<u64>,
}

impl Comparer for Termed {
    fn clear(&mut self) {
        self.lists = TermLists::with_capacity(0, 0);
        self.weights.clear();
    }

    fn push(&mut self, text: &str, _: Option<u32>) -> u32 {
        let Fitted { segmenter, lexicon } = &*self.fitted;
        let ranks = &mut self.ranks;
        ranks.clear();
        segmenter.terms(text, &mut self.scratch, |term| {
            ranks.extend(lexicon.rank(term.form));
        });
        ranks.sort_unstable();
        self.lists.push(ranks);
        self.weights.push(total_weight(lexicon, ranks));
        ranks.len() as u32
    }

    fn score(&mut self, a: usize, b: usize) -> Scores {
        let side = |text: usize| (self.lists.of(text as u32), self.weights[text]);
        compare(&self.fitted.lexicon, side(a), side(b))
    }
}

/// A text that others are laid beside, by the ranks of its terms, in order.
struct TermsBeside {
    fitted: Arc<Fitted>,
    ranks: Vec<u32>,
}

impl Beside for TermsBeside {
    fn passages_of(&mut self, other: &str) -> Vec<Range<usize>> {
        shared_runs(&self.fitted.seen(other), &self.ranks)
    }
}

struct TermInspector {
    fitted: Arc<Fitted>,
    options: TermOptions,
    threshold: Threshold,
}

impl Inspector for TermInspector {
    /// The groups: their intervals, and the frequencies their terms lie between.
    fn head(&self) -> Option<Value> {
        let one = |group: Group| {
            let interval = self.options.weights.interval(group);
            let range = self.fitted.lexicon.range(group);
            let described =
                json!({"a": interval.a(), "b": interval.b(), "max": range.max, "min": range.min});
            (group.name().to_owned(), described)
        };
        let groups: Map<String, Value> = Group::ALL.into_iter().map(one).collect();
        Some(json!({ "groups": groups }))
    }

    /// The terms, and the features and fingerprints made of them.
    fn text(&self, text: &str, points: &mut CodePoints<'_>) -> Fields {
        let lexicon = &self.fitted.lexicon;
        let seen = self.fitted.seen(text);
        let terms = seen.iter().map(|term| {
            let mut described = self.fitted.describe(term.rank);
            described["start"] = points.start(term.place.start).into();
            described["end"] = points.end(term.place.end).into();
            described
        });
        let terms: Value = terms.collect();
        let mut ranks = sorted_ranks(&seen);
        ranks.dedup();
        let weights: Vec<u64> = ranks.iter().map(|&rank| lexicon.weight(rank)).collect();
        let options = self.options.features;
        ranks.truncate(options.features(&weights, self.threshold));
        let features: Value = ranks.iter().map(|&rank| lexicon.form(rank)).collect();
        let hashes: Vec<u64> = ranks.iter().map(|&rank| lexicon.hash(rank)).collect();
        let mut fingerprints = Vec::new();
        options.fingerprints(&hashes, |f| fingerprints.push(format!("{f:016x}")));
        vec![
            ("terms", terms),
            ("features", features),
            ("fingerprints", fingerprints.into()),
        ]
    }
}

/// Scores two texts by their terms and finds those they share. A term that the lexicon does not know is shared by none.
pub(crate) fn explain_terms(
    segmenter: &TermSegmenter,
    lexicon: &Lexicon,
    a: &str,
    b: &str,
) -> Explanation {
    let (seen_a, seen_b) = (
        seen_terms(segmenter, lexicon, a),
        seen_terms(segmenter, lexicon, b),
    );
    let (ranks_a, ranks_b) = (sorted_ranks(&seen_a), sorted_ranks(&seen_b));
    let weight = |ranks: &[u32]| total_weight(lexicon, ranks);
    let scores = compare(
        lexicon,
        (&ranks_a, weight(&ranks_a)),
        (&ranks_b, weight(&ranks_b)),
    );
    Explanation {
        scores,
        passages_a: shared_runs(&seen_a, &ranks_b),
        passages_b: shared_runs(&seen_b, &ranks_a),
    }
}

/// A term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeenTerm {
    /// Where it stands, in bytes.
    pub(crate) place: Range<usize>,
    /// Its rank in the lexicon.
    pub(crate) rank: u32,
}

/// The terms of a text, in order, those the lexicon knows.
pub(crate) fn seen_terms(
    segmenter: &TermSegmenter,
    lexicon: &Lexicon,
    text: &str,
) -> Vec<SeenTerm> {
    let mut seen = Vec::new();
    segmenter.terms(text, &mut Scratch::default(), |term| {
        if let Some(rank) = lexicon.rank(term.form) {
            let place = term.start..term.end;
            seen.push(SeenTerm { place, rank });
        }
    });
    seen
}

fn sorted_ranks(seen: &[SeenTerm]) -> Vec<u32> {
    let mut ranks: Vec<u32> = seen.iter().map(|term| term.rank).collect();
    ranks.sort_unstable();
    ranks
}

/// The stretches of text of terms that the other text has too.
fn shared_runs(seen: &[SeenTerm], other: &[u32]) -> Vec<Range<usize>> {
    let shared = |term: &SeenTerm| other.binary_search(&term.rank).is_ok();
    let runs = seen.chunk_by(|x, y| shared(x) == shared(y));
    runs.filter(|run| shared(&run[0]))
        .map(|run| run[0].place.start..run[run.len() - 1].place.end)
        .collect()
}

/// The terms of a few texts with their weights.
///
/// # Errors
/// When a thread fails.
pub(crate) fn learn_terms_of(
    segmenter: &TermSegmenter,
    texts: &[&str],
    options: &TermOptions,
) -> Result<Lexicon> {
    let counted = count_texts(segmenter, texts, |_, _| {});
    Lexicon::of(&[counted], options, 1)
}

/// The same, and the terms of each text by rank, sorted.
pub(crate) fn rank_terms_of(
    segmenter: &TermSegmenter,
    texts: &[&str],
    options: &TermOptions,
) -> Result<(Lexicon, Vec<Vec<u32>>)> {
    let mut lists = vec![Vec::new(); texts.len()];
    let counted = count_texts(segmenter, texts, |text, term| lists[text].push(term));
    let background = options.background.as_ref();
    let (lexicon, ranks) = Lexicon::new(&[counted], background, &options.weights, 1)?;
    for list in &mut lists {
        for term in &mut *list {
            *term = ranks[0][*term as usize];
        }
        list.sort_unstable();
    }
    Ok((lexicon, lists))
}

/// Counts the terms of some texts; `each` gets the text and the number of each of its terms.
fn count_texts(
    segmenter: &TermSegmenter,
    texts: &[&str],
    mut each: impl FnMut(usize, u32),
) -> Counted {
    let mut vocabulary = Vocabulary::default();
    for (number, text) in texts.iter().enumerate() {
        vocabulary.begin_text();
        segmenter.terms(text, &mut Scratch::default(), |term| {
            each(number, vocabulary.add(term.form, term.group).0);
        });
    }
    vocabulary.finish()
}
