//! Texts and their sketches: compared, explained and shown.

use std::sync::Arc;

use serde_json::Value;

use crate::fingerprint::distinct::DistinctSet;
use crate::method::MatchOptions;
use crate::method::fitted::{
    Beside, Comparer, Detail, Explanation, Fields, FittedMethod, Inspector,
};
use crate::method::shingles::fitted::fields;
use crate::method::shingles::{Prepared, Preparer};
use crate::read::CodePoints;
use crate::scores::Scores;
use crate::sketch::{Banding, MeetBy, Sketch, SketchKind, Sketcher, band_keys};

/// What makes shingles and sketches of texts.
#[derive(Debug)]
pub struct Fitted {
    preparer: Arc<Preparer>,
    sketcher: Sketcher,
    /// Whether sketches decide, and not the texts themselves.
    decides: bool,
}

impl Fitted {
    pub(crate) fn new(preparer: Arc<Preparer>, options: &MatchOptions) -> Self {
        Self {
            preparer,
            sketcher: Sketcher::new(&options.sketches),
            decides: options.by_sketches(),
        }
    }

    /// What makes the shingles.
    pub(crate) fn preparer(&self) -> &Arc<Preparer> {
        &self.preparer
    }

    fn sketch(&self, prepared: &mut Prepared) -> Sketch {
        let mut sketch = Sketch::default();
        self.sketcher
            .sketch(self.preparer.mix(prepared), &mut sketch);
        sketch
    }
}

impl FittedMethod for Fitted {
    fn comparer(self: Arc<Self>) -> Box<dyn Comparer> {
        match self.decides {
            true => Box::new(Sketched::new(self)),
            false => Arc::clone(&self.preparer).comparer(),
        }
    }

    fn beside(self: Arc<Self>, text: &str) -> Box<dyn Beside> {
        Arc::clone(&self.preparer).beside(text)
    }

    fn explain(&self, a: &str, b: &str) -> Explanation {
        self.preparer.explain(a, b)
    }

    fn details(&self, a: &str, b: &str) -> Vec<Detail> {
        let [a, b] = [a, b].map(|text| {
            let mut prepared = Prepared::default();
            self.preparer.prepare(text, &mut prepared);
            self.sketch(&mut prepared)
        });
        let (agreeing, compared) = self.sketcher.agreement(&a, &b);
        vec![Detail::Sketch(agreeing, compared)]
    }

    fn inspector(self: Arc<Self>, options: &MatchOptions) -> Box<dyn Inspector> {
        let banding = options.sketches.sharpest(options.threshold).ok();
        Box::new(SketchInspector {
            fitted: self,
            bits: options.shingle.bits,
            kind: options.sketches.kind,
            banding: banding.filter(|_| options.sketches.meet_by == MeetBy::Bands),
        })
    }
}

/// Sketches of texts side by side.
struct Sketched {
    fitted: Arc<Fitted>,
    prepared: Prepared,
    set: DistinctSet,
    distinct: Vec<u64>,
    texts: Vec<SketchedText>,
}

struct SketchedText {
    identity: u128,
    sketch: Sketch,
    distinct: u32,
    tokens: u32,
}

impl Sketched {
    fn new(fitted: Arc<Fitted>) -> Self {
        Self {
            fitted,
            prepared: Prepared::default(),
            set: DistinctSet::default(),
            distinct: Vec::new(),
            texts: Vec::new(),
        }
    }
}

impl Comparer for Sketched {
    fn clear(&mut self) {
        self.texts.clear();
    }

    fn push(&mut self, text: &str, distinct: Option<u32>) -> u32 {
        let prepared = &mut self.prepared;
        self.fitted.preparer.prepare(text, prepared);
        let distinct = distinct.unwrap_or_else(|| {
            self.set.distinct(&prepared.shingles, &mut self.distinct);
            self.distinct.len() as u32
        });
        self.texts.push(SketchedText {
            identity: prepared.identity(),
            sketch: self.fitted.sketch(prepared),
            distinct,
            tokens: prepared.tokens,
        });
        prepared.tokens
    }

    fn score(&mut self, a: usize, b: usize) -> Scores {
        let (a, b) = (&self.texts[a], &self.texts[b]);
        // Copies have the scores of one text, as in a run, which compares none.
        if a.identity == b.identity && a.tokens > 0 {
            return Scores::identical(a.distinct, a.tokens, 0);
        }
        let (agreeing, compared) = self.fitted.sketcher.agreement(&a.sketch, &b.sketch);
        Scores {
            distinct_a: a.distinct,
            distinct_b: b.distinct,
            tokens_a: a.tokens,
            tokens_b: b.tokens,
            ..Scores::of_sketches(agreeing, compared)
        }
    }
}

struct SketchInspector {
    fitted: Arc<Fitted>,
    /// Bits of a fingerprint that count.
    bits: u32,
    kind: SketchKind,
    /// The bands that an index of these options has.
    banding: Option<Banding>,
}

impl Inspector for SketchInspector {
    fn text(&self, text: &str, points: &mut CodePoints<'_>) -> Fields {
        let preparer = &self.fitted.preparer;
        let mut fields = fields(&preparer.tokens(text), self.bits, points);
        let mut prepared = Prepared::default();
        preparer.prepare(text, &mut prepared);
        let values: Vec<u64> = self.fitted.sketch(&mut prepared).values().collect();
        let width = match self.kind {
            SketchKind::Permutations => 8,
            SketchKind::Smallest | SketchKind::Modulo => 16,
        };
        let hex = values.iter().map(|value| format!("{value:0width$x}"));
        fields.push(("sketch", hex.collect()));
        if let Some(banding) = self.banding {
            let minima: Vec<u32> = values.iter().map(|&value| value as u32).collect();
            let keys = band_keys(&minima, banding).map(|key| format!("{key:016x}"));
            fields.push(("bands", keys.collect::<Value>()));
        }
        fields
    }
}
