//! What the arguments of `sentences`, of an index and of `check` come to.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Result;
use doublet::index::{CheckOptions, Index, IndexOptions, Named, SETTLED};
use doublet::method::Method;
use doublet::method::sentences::common::CommonWords;
use doublet::method::sentences::{SentenceOptions, word_signature};
use doublet::threshold::Threshold;
use serde_json::{Map, Value};

use super::MatchArguments;

impl MatchArguments {
    /// The same arguments, by sentences unless a method is given.
    pub(crate) fn or_sentences(&self) -> Self {
        let mut arguments = self.clone();
        arguments.method.get_or_insert(Method::Sentences);
        arguments
    }

    /// How an index is made, and the background table that goes into it.
    pub(crate) fn index(&self, texts: bool) -> Result<(IndexOptions, Option<&Path>)> {
        let options = IndexOptions {
            matching: self.options(false)?,
            texts,
        };
        let table = self.terms.background.as_deref();
        let table = table.filter(|_| self.method().info().weighs_terms);
        Ok((options, table))
    }

    /// What is asked of an index: as it was made for, but for what is given. What shapes fingerprints stays with the index.
    pub(crate) fn check(&self, index: &Index) -> Result<CheckOptions> {
        let mut options = CheckOptions::of(index.options());
        let method = index.options().matching.method;
        if let Some(name) = self.settled() {
            anyhow::bail!(
                "`--{name}` was settled when the index was made (`doublet index info {}` shows it): make another index, or leave it out",
                index.directory().display()
            );
        }
        self.expect_options(method)?;
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
        if let Some(name) = self.settled() {
            anyhow::bail!(
                "`--{name}` was settled when the index of the service was made: leave it out"
            );
        }
        self.expect_options(method)?;
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
        let asked = ["threshold", "min-share", "min-sentences", "max-occurrences"];
        let given = self.given.first_of(SETTLED.into_iter().chain(asked));
        if let Some(name) = given {
            anyhow::bail!(
                "`--{name}` goes with `--create`: an index keeps the options that it was made with"
            );
        }
        Ok(())
    }

    /// An option that is given and belongs to an index as a whole.
    fn settled(&self) -> Option<&'static str> {
        self.given.first_of(SETTLED)
    }

    /// The options of `sentences`; `removes` says whether whole texts are removed for it.
    pub(crate) fn sentences(&self, removes: bool) -> Result<SentenceOptions> {
        let given = &self.sentences;
        let mut options = SentenceOptions::default();
        if self.method().unit().is_none() {
            return Ok(options);
        }
        options.cutoff = given.df_cutoff;
        options.reorder = given.reorder.unwrap_or(true);
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
