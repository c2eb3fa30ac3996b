//! The complete join that an approximate setting is held against.

use crate::batch::JoinOptions;
use crate::error::{Error, Result};
use crate::method::Method;
use crate::method::terms::Candidates;
use crate::scores::Metric;
use crate::threshold::Threshold;

/// The options of the complete join: `shingles` by the same metric for sketches and sentences, every candidate for `terms`. For
/// `simhash`, whose scores mean something else, it is `shingles` at its own threshold.
///
/// # Errors
/// When the setting is complete itself.
pub fn complete(options: &JoinOptions) -> Result<JoinOptions> {
    let mut complete = options.clone();
    complete.method = Method::Shingles;
    match options.method {
        Method::Minhash => complete.metric = Metric::Resemblance,
        Method::Simhash => {
            complete.metric = Metric::Resemblance;
            complete.threshold = Threshold::new(Method::Shingles.threshold())?;
        }
        Method::Sentences | Method::Imatch => {}
        Method::Terms
            if matches!(
                options.terms.candidates,
                Candidates::Features | Candidates::Baseline
            ) =>
        {
            complete.method = Method::Terms;
            complete.terms.candidates = Candidates::Exact;
        }
        Method::Terms | Method::Shingles => {
            return Err(Error::Option {
                option: "method",
                value: options.method.to_string(),
                expected: "misses nothing here, so that `--baseline` has nothing to compare: give minhash, simhash, sentences, imatch, or terms by features".to_owned(),
            });
        }
    }
    Ok(complete)
}

/// Whether the threshold of a setting is that of the complete join too.
pub fn shares_threshold(method: Method) -> bool {
    method != Method::Simhash
}
