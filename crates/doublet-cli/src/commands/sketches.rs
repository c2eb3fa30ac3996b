//! Sketches of texts: as JSON for `inspect`, side by side for `compare`.

use std::io::Write;

use anyhow::Result;
use doublet::method::Method;
use doublet::method::shingles::{Preparer, Tokens};
use doublet::scores::{Metric, Scores};
use doublet::sketch::{Banding, MeetBy, Sketch, SketchKind, Sketcher, band_keys};
use serde_json::{Value, json};

use crate::args::MatchArguments;
use crate::display::{BOLD, DIM};

/// Makes the sketches of texts.
pub(super) struct Sketching<'a> {
    preparer: &'a Preparer,
    sketcher: Sketcher,
    kind: SketchKind,
    /// The bands that an index of these options has.
    banding: Option<Banding>,
}

impl<'a> Sketching<'a> {
    /// As the arguments say; nothing for a method without sketches.
    pub(super) fn new(matching: &MatchArguments, preparer: &'a Preparer) -> Result<Option<Self>> {
        let options = matching.sketches()?;
        if matching.method() != Method::Minhash {
            return Ok(None);
        }
        let banding = options.sharpest(matching.threshold()?);
        Ok(Some(Self {
            preparer,
            sketcher: Sketcher::new(&options),
            kind: options.kind,
            banding: banding.ok().filter(|_| options.meet_by == MeetBy::Bands),
        }))
    }

    fn sketch(&self, tokens: &Tokens) -> Sketch {
        let mut shingles = tokens.shingles.clone();
        self.preparer.mix_shingles(&mut shingles);
        let mut sketch = Sketch::default();
        self.sketcher.sketch(&shingles, &mut sketch);
        sketch
    }

    /// The sketch of a text and the keys of its bands, as further fields of an object of JSON.
    pub(super) fn describe(&self, tokens: &Tokens) -> String {
        let values: Vec<u64> = self.sketch(tokens).values().collect();
        let width = match self.kind {
            SketchKind::Permutations => 8,
            SketchKind::Smallest | SketchKind::Modulo => 16,
        };
        let hex: Vec<String> = values.iter().map(|v| format!("{v:0width$x}")).collect();
        let sketch = format!(r#", "sketch": {}"#, json!(hex));
        let Some(banding) = self.banding else {
            return sketch;
        };
        let minima: Vec<u32> = values.iter().map(|&value| value as u32).collect();
        let keys = band_keys(&minima, banding).map(|key| format!("{key:016x}"));
        format!(r#"{sketch}, "bands": {}"#, json!(keys.collect::<Vec<_>>()))
    }

    /// How far the sketches of two texts agree.
    pub(super) fn agreement(&self, a: &str, b: &str) -> Agreement {
        let (a, b) = (self.preparer.tokens(a), self.preparer.tokens(b));
        let (agreeing, compared) = self.sketcher.agreement(&self.sketch(&a), &self.sketch(&b));
        Agreement {
            agreeing,
            compared,
            same: !a.is_empty() && a.forms == b.forms,
        }
    }
}

/// How far two sketches agree.
pub(super) struct Agreement {
    agreeing: u32,
    compared: u32,
    /// Whether the words of the texts are the same.
    same: bool,
}

impl Agreement {
    /// What decides about two texts that have these scores: the sketches, if they are asked for, but not of texts that are the
    /// same, as in a run.
    pub(super) fn decisive(&self, texts: Scores, metric: Metric) -> Scores {
        match metric {
            Metric::Agreement if !self.same => Scores::of_sketches(self.agreeing, self.compared),
            _ => texts,
        }
    }

    fn score(&self) -> f64 {
        Scores::of_sketches(self.agreeing, self.compared).score(Metric::Agreement)
    }

    pub(super) fn describe(&self, line: &mut Value) {
        line["agreement"] = self.score().into();
        line["compared"] = self.compared.into();
    }

    pub(super) fn print(&self, out: &mut impl Write) -> Result<()> {
        Ok(writeln!(
            out,
            "{:>14}  {BOLD}{:.6}{BOLD:#}  {DIM}{} of {} values of the sketches agree{DIM:#}",
            "agreement",
            self.score(),
            self.agreeing,
            self.compared
        )?)
    }
}
