//! What the arguments of `minhash` come to.

use anyhow::Result;
use doublet::scores::Metric;
use doublet::sketch::SketchOptions;
use serde_json::Value;

use super::MatchArguments;
use super::choices::CandidatesBy;

impl MatchArguments {
    /// The options of `minhash`.
    pub(crate) fn sketches(&self) -> Result<SketchOptions> {
        let given = &self.sketches;
        let seed = self.seed;
        if !self.method().info().has_sketches {
            return Ok(SketchOptions {
                seed,
                ..SketchOptions::default()
            });
        }
        anyhow::ensure!(
            !given.estimate || self.metric() == Metric::Agreement,
            "`--estimate` is `--metric agreement` by another name: leave one of `--estimate` and `--metric {}` out",
            self.metric()
        );
        let kind = given.sketch.unwrap_or_default();
        let defaults = SketchOptions::new(kind);
        let options = SketchOptions {
            kind,
            size: given.sketch_size.unwrap_or(defaults.size),
            seed,
            meet_by: match self.terms.candidates {
                None => defaults.meet_by,
                Some(CandidatesBy::Sketches(meet_by)) => meet_by,
                Some(CandidatesBy::Terms(_)) => anyhow::bail!(
                    "`--candidates` of `minhash` are `bands` or `values`; `--method shingles` is complete"
                ),
            },
            recall: given.recall.unwrap_or(defaults.recall),
            least: given.min_common,
            bands: given.bands,
        };
        if let (Some(bands), Some(recall)) = (given.bands, given.recall) {
            anyhow::bail!(
                "`--bands {bands}` and `--recall {recall}` both say how many pairs are found: give one of them"
            );
        }
        options.check()?;
        Ok(options)
    }

    pub(super) fn describe_sketches(&self, sketches: &SketchOptions, options: &mut Value) {
        options["sketch"] = sketches.kind.name().into();
        options["sketch-size"] = sketches.size.into();
        options["candidates"] = sketches.meet_by.name().into();
        options["recall"] = sketches.recall.into();
        options["bands"] = sketches
            .bands
            .map_or(Value::Null, |bands| bands.to_string().into());
        options["min-common"] = sketches.least.map_or(Value::Null, Value::from);
    }
}
