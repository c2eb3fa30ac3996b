//! The join as the tasks of a cluster run it: each stage over whatever rows a task is given.
//!
//! An engine such as Spark reads, shuffles, sorts and writes; what happens to the rows in between is here, made of the functions
//! that [`batch`](crate::batch) is made of. The stages: [`survey`] texts and [`learn`] a model of them, [`prepare`] each text
//! to its keys, [`meet`] those that share keys, [`verify`] pairs by their texts, [`cluster`] what hangs together ([`components`]).
//! Texts go by handles of 64 bits. What a task gives depends on its rows alone, so that it may run again; and the rows may
//! be shared out among tasks in any way that keeps together what the stage says, so that no pair is lost or found twice.

pub mod cluster;
pub mod components;
pub mod learn;
pub mod meet;
mod model;
mod plan;
pub mod prepare;
mod sentences;
pub mod survey;
pub mod verify;

use serde_json::json;

use crate::cluster::{ClusterOptions, Keep, Linkage};
use crate::error::{Error, Result};
use crate::method::MatchOptions;
use crate::method::sentences::common::Cutoff;
use crate::options::Numbers;
use crate::report::summary::{self, Absurd, Summary};
use crate::scores::{Metric, Scores};
use model::Model;
use plan::Plan;
pub use survey::SurveyKind;

/// One of the numbers that go with every key of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trait {
    /// Its name.
    pub name: &'static str,
    /// Whether it takes 64 bits, not 32.
    pub wide: bool,
}

/// What the tasks of one run have in common.
#[derive(Debug)]
pub struct Kernel {
    options: MatchOptions,
    model: Model,
    plan: Plan,
}

/// Refuses a limit of losses where tasks do not know them.
fn check_losses(options: &MatchOptions, cluster: &ClusterOptions) -> Result<()> {
    let Some(most) = cluster.removal.and_then(|rule| rule.most_lost) else {
        return Ok(());
    };
    if cluster.linkage != Linkage::Connected && counts_losses(options) {
        return Ok(());
    }
    Err(Error::Option {
        option: "max-lost",
        value: most.to_string(),
        expected: "on a cluster, `--max-lost` needs `--linkage star` or `complete` and scores that count every word: remove it, or `--estimate`, `--stop-words`, `--ascii` and `--numbers`; with `--method sentences` or `imatch`, remove it".to_owned(),
    })
}

/// Whether the scores of pairs say how many words a removal loses. Where they do not, texts would have to be read again.
fn counts_losses(options: &MatchOptions) -> bool {
    options.counts_every_word() && !options.by_sketches()
}

impl Kernel {
    /// A kernel that has learnt nothing.
    ///
    /// # Errors
    /// When an option is out of range or cannot be used this way.
    pub fn new(options: MatchOptions, cluster: ClusterOptions) -> Result<Self> {
        check_losses(&options, &cluster)?;
        Self::of(Model::new(options, cluster))
    }

    /// The kernel of a model, which has the options, what they name of files, and what was learnt.
    ///
    /// # Errors
    /// When it is none, damaged, or of another version.
    pub fn of_model(model: &[u8]) -> Result<Self> {
        Self::of(Model::read(model)?)
    }

    fn of(model: Model) -> Result<Self> {
        let options = model.options()?;
        options.check()?;
        Ok(Self {
            plan: Plan::new(&options, &model)?,
            options,
            model,
        })
    }

    /// The options and what was learnt so far, for [`Kernel::of_model`].
    ///
    /// # Errors
    /// When it cannot be packed.
    pub fn model(&self) -> Result<Vec<u8>> {
        self.model.write()
    }

    /// Whether it is known how many words a removal loses.
    pub fn counts_losses(&self) -> bool {
        counts_losses(&self.options)
    }

    /// Warnings about a run of these figures. How many texts differ from the kept one only in numbers is not known, because the texts
    /// would have to be read again.
    pub fn warnings(&self, summary: &Summary, largest_cluster: u64) -> Vec<String> {
        let mut warnings = summary::warnings(&Absurd {
            summary,
            largest_cluster,
            by_chains: self.model.head.cluster.linkage == Linkage::Connected,
            median_tokens: None,
            shingle: 0,
            partly_compared: 0,
        });
        if summary.removed > 0 && self.options.normalize.numbers != Numbers::Keep {
            warnings.push(
                "removed texts may differ from the kept text only in numbers: use `--numbers keep` to keep such texts".to_owned(),
            );
        }
        warnings
    }

    /// The columns of a pair with the score that counts when the first text is removed, and when the second is.
    pub fn removal_scores(&self) -> (&'static str, &'static str) {
        match self.options.metric {
            Metric::Containment => ("containment_a", "containment_b"),
            Metric::ContainmentCoverage => ("coverage_a", "coverage_b"),
            Metric::Resemblance | Metric::Coverage | Metric::Degree | Metric::Agreement => {
                ("score", "score")
            }
        }
    }

    /// What makes two texts a match.
    pub fn options(&self) -> &MatchOptions {
        &self.options
    }

    /// How matches become clusters.
    pub fn cluster_options(&self) -> &ClusterOptions {
        &self.model.head.cluster
    }

    /// What a survey gives that is to be made next; `None`: all is learnt.
    pub fn survey_kind(&self) -> Option<SurveyKind> {
        self.plan.survey_kind()
    }

    /// One text in so many is surveyed of a collection of so many texts and bytes.
    pub fn sample_every(&self, texts: u64, bytes: u64) -> u64 {
        survey::sample_every(self, texts, bytes)
    }

    /// The numbers that go with every key of a text, as [`prepare`] gives them and [`meet`] takes them.
    pub fn traits(&self) -> &'static [Trait] {
        const fn number(name: &'static str, wide: bool) -> Trait {
            Trait { name, wide }
        }
        const SIZES: &[Trait] = &[number("size", false), number("mark", false)];
        const LEAST: &[Trait] = &[number("least", false)];
        const SKETCH: &[Trait] = &[
            number("size", true),
            number("light", true),
            number("heavy", true),
            number("all", true),
        ];
        match self.plan {
            Plan::Prefixes { .. } | Plan::Sketches { .. } => SIZES,
            Plan::Probes { .. } => LEAST,
            Plan::Terms(_) | Plan::Weighed(_) => SKETCH,
            Plan::Sentences(_) => &[],
        }
    }

    /// Whether texts meet with a direction: one probes, the other is found.
    pub fn is_one_sided(&self) -> bool {
        matches!(self.plan, Plan::Probes { .. })
    }

    /// Whether the keys of a text are sentences, whose sums decide without another look at the texts.
    pub fn has_sentences(&self) -> bool {
        matches!(self.plan, Plan::Sentences(_))
    }

    /// Whether a pair of these counts is a match.
    pub fn is_match(&self, scores: &Scores) -> bool {
        self.options.decision(false).is_match(scores)
    }

    /// All options in force, as an object of JSON; of tables that they name, a checksum.
    pub fn settings(&self) -> serde_json::Value {
        let ClusterOptions {
            linkage,
            keep,
            removal,
            ..
        } = self.cluster_options();
        let most_lost = removal.and_then(|rule| rule.most_lost);
        json!({
            "matching": self.options,
            "linkage": linkage,
            "keep": keep,
            "max_lost": most_lost,
            "tables": self.model.checksum(),
        })
    }

    /// The options in force and what was learnt, in words.
    pub fn describe(&self) -> serde_json::Value {
        let options = &self.options;
        json!({
            "method": options.method.name(),
            "metric": options.metric.name(),
            "threshold": options.threshold.value(),
            "linkage": self.model.head.cluster.linkage.name(),
            "keep": self.model.head.cluster.keep.to_string(),
            "bands": self.plan.banding().map(|banding| banding.to_string()),
            "language": self.model.head.language,
            "common_words": self.model.head.common.as_ref().map(Vec::len),
            "max_occurrences": options.method.unit().map(|_| options.sentences.rule.most),
        })
    }

    /// Which text of a cluster stays.
    pub fn keep(&self) -> &Keep {
        &self.model.head.cluster.keep
    }
}

/// That a method or a metric has no tasks.
fn refuse(option: &'static str, value: &str, expected: &str) -> Error {
    Error::Option {
        option,
        value: value.to_owned(),
        expected: expected.to_owned(),
    }
}

/// The error of rows or bytes that are not what a stage gives.
fn misfit(what: impl Into<String>) -> Error {
    Error::Task(what.into())
}

/// Whether the common words of sentences are known without counting.
fn knows_common(options: &MatchOptions) -> bool {
    options.sentences.common.is_some() || options.sentences.cutoff == Some(Cutoff::Off)
}
