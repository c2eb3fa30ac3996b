//! What the arguments of `sentences`, of an index and of `check` come to.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Result;
use doublet::index::{CheckOptions, Index, IndexOptions, Named};
use doublet::method::Method;
use doublet::method::sentences::common::CommonWords;
use doublet::method::sentences::{SentenceOptions, word_signature};
use doublet::method::terms::Language;
use doublet::options::ShingleOptions;
use doublet::sketch::SketchOptions;
use doublet::threshold::Threshold;
use serde_json::{Map, Value};

use super::choices::{MethodArgument, ReorderArgument};
use super::{MatchArguments, SentenceArguments};

impl MatchArguments {
    /// The same arguments, by sentences unless a method is given.
    pub(crate) fn or_sentences(&self) -> Self {
        let mut arguments = self.clone();
        arguments.method.get_or_insert(MethodArgument::Sentences);
        arguments
    }

    /// How an index is made, and the background table that goes into it.
    pub(crate) fn index(&self, texts: bool) -> Result<(IndexOptions, Option<&Path>)> {
        self.simhash()?;
        let options = IndexOptions {
            method: self.method(),
            metric: self.metric(),
            threshold: self.threshold()?,
            normalize: self.normalize()?,
            shingle: self.shingle(),
            terms: self.terms(false)?,
            sketches: self.sketches()?,
            bands: None,
            sentences: self.sentences(false)?,
            texts,
        };
        let table = match self.method() {
            Method::Terms => self.terms.background.as_deref(),
            _ => None,
        };
        Ok((options, table))
    }

    /// What is asked of an index: as it was made for, but for what is given. What shapes fingerprints stays with the index.
    pub(crate) fn check(&self, index: &Index) -> Result<CheckOptions> {
        let mut options = CheckOptions::of(index.options());
        let method = index.options().method;
        if let Some(name) = self.fixed() {
            anyhow::bail!(
                "`--{name}` was settled when the index was made (`doublet index info {}` shows it): make another index, or leave it out",
                index.directory().display()
            );
        }
        if method.unit().is_none() {
            self.sentences.refuse(method)?;
        }
        self.simhash()?;
        if self.threshold.is_some() || self.sentences.min_share.is_some() {
            options.threshold = self.threshold()?;
        }
        if let Some(LeastSentences(least)) = self.sentences.min_sentences {
            options.rule.sentences = least;
        }
        if let Some(most) = self.sentences.max_occurrences {
            options.rule.most = most;
        }
        Ok(options)
    }

    /// What is asked of a service, as it takes it: nothing but what is given.
    pub(crate) fn asked(&self, method: Method) -> Result<Map<String, Value>> {
        if let Some(name) = self.fixed() {
            anyhow::bail!(
                "`--{name}` was settled when the index of the service was made: leave it out"
            );
        }
        if method.unit().is_none() {
            self.sentences.refuse(method)?;
        }
        self.simhash()?;
        anyhow::ensure!(
            self.sentences.max_occurrences.is_none(),
            "`--max-occurrences` goes with `--index`; a service takes it as its index has it"
        );
        let mut asked = Map::new();
        if self.threshold.is_some() || self.sentences.min_share.is_some() {
            asked.insert("threshold".to_owned(), self.threshold()?.value().into());
        }
        if let Some(LeastSentences(least)) = self.sentences.min_sentences {
            let least = least.map_or_else(|| "off".into(), Value::from);
            asked.insert("min_sentences".to_owned(), least);
        }
        Ok(asked)
    }

    /// That nothing is given that an index is made with, where none is made.
    pub(crate) fn refuse_without_create(&self) -> Result<()> {
        let sentences = &self.sentences;
        let asked = [
            ("threshold", self.threshold.is_some()),
            ("min-share", sentences.min_share.is_some()),
            ("min-sentences", sentences.min_sentences.is_some()),
            ("max-occurrences", sentences.max_occurrences.is_some()),
        ];
        let asked = asked.iter().find(|(_, given)| *given);
        let given = self.fixed().or(asked.map(|(name, _)| *name));
        if let Some(name) = given {
            anyhow::bail!(
                "`--{name}` goes with `--create`: an index keeps the options that it was made with"
            );
        }
        Ok(())
    }

    /// An option that is given and belongs to an index as a whole.
    fn fixed(&self) -> Option<&'static str> {
        let (text, terms, sketches) = (&self.text, &self.terms, &self.sketches);
        let shingle = ShingleOptions::default();
        let given = [
            ("method", self.method.is_some()),
            ("metric", self.metric.is_some()),
            ("shingle", self.shingle != shingle.size),
            (
                "fingerprint",
                self.fingerprint.value() != shingle.fingerprint,
            ),
            ("fingerprint-bits", self.fingerprint_bits != shingle.bits),
            ("numbers", text.numbers.is_some()),
            ("case", !text.case.value()),
            ("accents", text.accents.value()),
            ("ascii", text.ascii),
            ("stop-words", !text.stop_words.is_empty()),
            ("lang", text.lang != Language::Auto),
            ("fold-elongation", text.fold_elongation),
            ("candidates", terms.candidates.is_some()),
            ("transitivity", terms.transitivity.is_some()),
            ("background", terms.background.is_some()),
            ("weights", terms.weights.is_some()),
            ("weighting", terms.weighting.is_some()),
            ("features", terms.features.is_some()),
            ("gram", terms.gram.is_some()),
            ("short", terms.short.is_some()),
            ("seed", self.seed != SketchOptions::default().seed),
            ("sketch", sketches.sketch.is_some()),
            ("sketch-size", sketches.sketch_size.is_some()),
            ("recall", sketches.recall.is_some()),
            ("bands", sketches.bands.is_some()),
            ("min-common", sketches.min_common.is_some()),
            ("estimate", sketches.estimate),
            ("df-cutoff", self.sentences.df_cutoff.is_some()),
            ("reorder", self.sentences.reorder.is_some()),
            ("min-words", self.sentences.min_words.is_some()),
        ];
        let found = given.iter().find(|(_, given)| *given);
        found.map(|(name, _)| *name)
    }

    /// The options of `sentences`; `removes` says whether whole texts are removed for it.
    pub(crate) fn sentences(&self, removes: bool) -> Result<SentenceOptions> {
        let given = &self.sentences;
        let mut options = SentenceOptions::default();
        if self.method().unit().is_none() {
            given.refuse(self.method())?;
            return Ok(options);
        }
        if self.method() == Method::Imatch {
            for (name, given) in [
                ("reorder", given.reorder.is_some()),
                ("min-words", given.min_words.is_some()),
            ] {
                anyhow::ensure!(
                    !given,
                    "`--{name}` goes with `--method sentences`; `imatch` takes the distinct words of a text"
                );
            }
        }
        options.cutoff = given.df_cutoff;
        options.reorder = given.reorder.is_none_or(ReorderArgument::value);
        if let Some(least) = given.min_words {
            options.least = least;
        }
        if let Some(most) = given.max_occurrences {
            options.rule.most = most;
        }
        match given.min_sentences {
            Some(LeastSentences(least)) => options.rule.sentences = least,
            // A text is not removed for a few of its sentences.
            None if removes => options.rule.sentences = None,
            None => {}
        }
        if let Some(path) = &self.terms.background {
            let signature = word_signature(&self.normalize()?);
            let cutoff = given.df_cutoff.unwrap_or_default();
            let common = CommonWords::of_table(path, &signature, cutoff)?;
            options.common = Some(Arc::new(common));
        }
        Ok(options)
    }
}

impl SentenceArguments {
    /// Says which options another method does not have.
    fn refuse(&self, method: Method) -> Result<()> {
        let given = [
            ("df-cutoff", self.df_cutoff.is_some()),
            ("reorder", self.reorder.is_some()),
            ("min-words", self.min_words.is_some()),
            ("min-sentences", self.min_sentences.is_some()),
            ("min-share", self.min_share.is_some()),
            ("max-occurrences", self.max_occurrences.is_some()),
        ];
        for (name, given) in given {
            anyhow::ensure!(
                !given,
                "`--{name}` goes with `--method sentences`; the method is `{method}`"
            );
        }
        Ok(())
    }
}

/// How many sources are named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Top(pub(crate) Named);

impl FromStr for Top {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(most) => Ok(Self(Named::Best(most))),
            Err(_) if text == "all" => Ok(Self(Named::All)),
            Err(_) => Err("give a number, or all".to_owned()),
        }
    }
}

/// A share of a text.
pub(super) fn parse_share(text: &str) -> Result<Threshold, String> {
    text.parse()
        .map_err(|_| "give a share above 0 and at most 1, such as 0.7".to_owned())
}

/// A number of sentences, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeastSentences(pub(super) Option<u32>);

impl FromStr for LeastSentences {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(least @ 1..) => Ok(Self(Some(least))),
            _ if text == "off" => Ok(Self(None)),
            _ => Err("give a number of sentences from 1 on, or off".to_owned()),
        }
    }
}
