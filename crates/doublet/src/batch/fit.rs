//! What a method learns of collections, which are read for it where they have to be.

use std::sync::Arc;

use super::background::count_terms;
use super::{JoinOptions, learn_common_words};
use crate::error::Result;
use crate::method::simhash::Simhasher;
use crate::method::{Fit, Fitted, sentences};
use crate::progress::Observer;
use crate::read::Collection;

/// What a method learns of some collections; of sentences the last tells which words are common.
///
/// # Errors
/// When an option is out of range, or a file cannot be read.
pub fn fit(
    options: &JoinOptions,
    collections: &[&Collection],
    observer: &dyn Observer,
) -> Result<Fitted> {
    let terms = || count_terms(collections, options, observer);
    Ok(match Fit::begin(&options.matching)? {
        Fit::Done(fitted) => fitted,
        Fit::Votes => Simhasher::of_terms(terms()?).into(),
        Fit::Terms => terms()?.into(),
        Fit::Words => without_common_words(options, collections, observer)?.into(),
    })
}

/// Sentences without the common words that are given, or else learnt from the last collection: that of the references, if there are
/// any.
pub(super) fn without_common_words(
    options: &JoinOptions,
    collections: &[&Collection],
    observer: &dyn Observer,
) -> Result<sentences::Fitted> {
    let matching = &options.matching;
    let common = match (&matching.sentences.common, collections.last()) {
        (Some(common), _) => Arc::clone(common),
        (None, None) => Arc::default(),
        (None, Some(sources)) => Arc::new(learn_common_words(
            sources,
            &matching.normalize,
            matching.sentences.cutoff,
            options.resources.threads,
            observer,
        )?),
    };
    Ok(sentences::Fitted::new(matching, common))
}
