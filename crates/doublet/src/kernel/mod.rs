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

use crate::batch::JoinOptions;
use crate::cluster::{ClusterOptions, Keep, Linkage};
use crate::error::{Error, Result};
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
    options: JoinOptions,
    cluster: ClusterOptions,
    model: Model,
    plan: Plan,
}

/// Refuses a limit of losses where tasks do not know them.
fn check_losses(options: &JoinOptions, cluster: &ClusterOptions) -> Result<()> {
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
fn counts_losses(options: &JoinOptions) -> bool {
    options.matching.counts_every_word() && !options.matching.by_sketches()
}

impl Kernel {
    /// A kernel of these options, and of what was learnt so far; at first that is nothing. Words that were read from files
    /// are taken from the model from then on, as is whatever else was.
    ///
    /// # Errors
    /// When an option is out of range or cannot be used this way, or the model is none or of another method.
    pub fn new(mut options: JoinOptions, cluster: ClusterOptions, model: &[u8]) -> Result<Self> {
        options.matching.check()?;
        check_losses(&options, &cluster)?;
        let model = match model.is_empty() {
            true => Model::new(&options),
            false => Model::read(model, options.matching.method)?,
        };
        model.restore(&mut options)?;
        Ok(Self {
            plan: Plan::new(&options.matching, &model)?,
            options,
            cluster,
            model,
        })
    }

    /// What was learnt so far, for [`Kernel::new`].
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
            by_chains: self.cluster.linkage == Linkage::Connected,
            median_tokens: None,
            shingle: 0,
            partly_compared: 0,
        });
        if summary.removed > 0 && self.options.matching.normalize.numbers != Numbers::Keep {
            warnings.push(
                "removed texts may differ from the kept text only in numbers: use `--numbers keep` to keep such texts".to_owned(),
            );
        }
        warnings
    }

    /// The columns of a pair with the score that counts when the first text is removed, and when the second is.
    pub fn removal_scores(&self) -> (&'static str, &'static str) {
        match self.options.matching.metric {
            Metric::Containment => ("containment_a", "containment_b"),
            Metric::ContainmentCoverage => ("coverage_a", "coverage_b"),
            Metric::Resemblance | Metric::Coverage | Metric::Degree | Metric::Agreement => {
                ("score", "score")
            }
        }
    }

    /// What makes two texts a match.
    pub fn options(&self) -> &JoinOptions {
        &self.options
    }

    /// How matches become clusters.
    pub fn cluster_options(&self) -> &ClusterOptions {
        &self.cluster
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
        self.options.decision().is_match(scores)
    }

    /// The options in force and what was learnt, in words.
    pub fn describe(&self) -> serde_json::Value {
        let options = &self.options;
        json!({
            "method": options.matching.method.name(),
            "metric": options.matching.metric.name(),
            "threshold": options.matching.threshold.value(),
            "linkage": self.cluster.linkage.name(),
            "keep": self.cluster.keep.to_string(),
            "bands": self.plan.banding().map(|banding| banding.to_string()),
            "language": self.model.head.language,
            "common_words": self.model.head.common.as_ref().map(Vec::len),
            "max_occurrences": options.matching.method.unit().map(|_| options.matching.sentences.rule.most),
        })
    }

    /// Which text of a cluster stays.
    pub fn keep(&self) -> &Keep {
        &self.cluster.keep
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
fn knows_common(options: &JoinOptions) -> bool {
    options.matching.sentences.common.is_some()
        || options.matching.sentences.cutoff == Some(Cutoff::Off)
}
