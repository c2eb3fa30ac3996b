//! What a method learns of a collection, which is read for it where it has to be.

use std::sync::Arc;

use super::background::count_terms;
use super::{JoinOptions, learn_common_words};
use crate::error::Result;
use crate::method::simhash::Simhasher;
use crate::method::{Fit, Fitted, sentences};
use crate::progress::Observer;
use crate::read::Collection;

/// What a method learns of a collection.
///
/// # Errors
/// When an option is out of range, or a file cannot be read.
pub fn fit(
    options: &JoinOptions,
    collection: &Collection,
    observer: &dyn Observer,
) -> Result<Fitted> {
    options.matching.check()?;
    let terms = || count_terms(&[collection], options, observer);
    Ok(match Fit::begin(&options.matching)? {
        Fit::Done(fitted) => fitted,
        Fit::Votes => Simhasher::of_terms(terms()?).into(),
        Fit::Terms => terms()?.into(),
        Fit::Words => without_common_words(options, collection, observer)?.into(),
    })
}

/// Sentences without the common words that are given, or else learnt from `sources`.
pub(super) fn without_common_words(
    options: &JoinOptions,
    sources: &Collection,
    observer: &dyn Observer,
) -> Result<sentences::Fitted> {
    let matching = &options.matching;
    let common = match &matching.sentences.common {
        Some(common) => Arc::clone(common),
        None => Arc::new(learn_common_words(
            sources,
            &matching.normalize,
            matching.sentences.cutoff,
            options.resources.threads,
            observer,
        )?),
    };
    Ok(sentences::Fitted::new(matching, common))
}
