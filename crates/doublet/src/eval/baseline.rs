//! The complete join that an approximate setting is held against.

use crate::batch::JoinOptions;
use crate::error::{Error, Result};
use crate::method::Method;
use crate::method::terms::Candidates;
use crate::scores::Metric;

/// The options of the complete join: `shingles` by the same metric for sketches and sentences, every candidate for `terms`. For
/// `simhash`, whose scores mean something else, it is `shingles` at its own threshold.
///
/// # Errors
/// When the setting is complete itself.
pub fn complete(options: &JoinOptions) -> Result<JoinOptions> {
    let mut complete = options.clone();
    let matching = &mut complete.matching;
    let info = matching.method.info();
    let candidates = matching.terms.candidates;
    let by_features = matches!(candidates, Candidates::Features | Candidates::Baseline);
    if info.weighs_terms && by_features {
        matching.terms.candidates = Candidates::Exact;
        return Ok(complete);
    }
    if info.is_exact {
        return Err(Error::Option {
            option: "method",
            value: matching.method.to_string(),
            expected: "misses nothing here, so that `--baseline` has nothing to compare: give minhash, simhash, sentences, imatch, or terms by features".to_owned(),
        });
    }
    if !shares_threshold(matching.method) {
        matching.threshold = Method::Shingles.threshold();
    }
    matching.method = Method::Shingles;
    if matching.metric == Metric::Agreement {
        matching.metric = Metric::Resemblance;
    }
    Ok(complete)
}

/// Whether the threshold of a setting is that of the complete join too.
pub fn shares_threshold(method: Method) -> bool {
    method.metrics() != [Metric::Agreement]
}
