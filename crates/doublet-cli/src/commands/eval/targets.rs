//! Judges copied texts, as `doublet check` finds them.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use doublet::eval::{CheckedTarget, Half, TargetJudge, Truth};
use doublet::index::{CheckOptions, CheckedRecord, Checking, Index, Named, check_collection};
use doublet::options::Resources;
use doublet::read::Collection;
use doublet::report::pairs::plain_key;
use doublet::report::summary::peak_memory;
use doublet::threshold::Threshold;

use super::super::spool_directory;
use super::outcome::{Outcome, SweepOutcome, SweepRow, Told, WrongText, in_words};
use super::print;
use crate::args::{EvalArguments, Setting, THRESHOLD};
use crate::console::Console;
use crate::display;

pub(super) fn run(arguments: &EvalArguments, truth: &Truth, console: &Console) -> Result<Outcome> {
    let start = Instant::now();
    let common = &arguments.common;
    ensure!(
        !common.against.is_empty(),
        "the truth tells of texts and their sources: give the sources by `--against`"
    );
    ensure!(
        arguments.judging.tune.is_none() && arguments.judging.pairs.is_none(),
        "`--tune` and `--pairs` need a truth of pairs, with the columns a, b and label"
    );
    ensure!(
        !arguments.judging.labelled_only,
        "`--labelled-only` needs a truth of pairs, with the columns a, b and label"
    );
    let seed = common.matching.seed();
    let unlabelled = arguments.judging.unlabelled.map(|word| word.value());
    let judge = TargetJudge::new(truth, unlabelled, seed)?;
    let mut trial = Trial {
        arguments,
        judge,
        console,
        rows: Vec::new(),
        best: None,
        given: None,
        rejections_told: false,
        joining: 0.0,
    };
    for setting in arguments.settings()? {
        trial.setting(setting)?;
    }
    let mut outcome = trial.outcome()?;
    outcome.seconds = start.elapsed().as_secs_f64();
    outcome.judging_seconds = outcome.seconds - trial.joining;
    outcome.peak_memory = peak_memory();
    Ok(outcome)
}

struct Trial<'a> {
    arguments: &'a EvalArguments,
    judge: TargetJudge<'a>,
    console: &'a Console,
    rows: Vec<SweepRow>,
    /// The row of the best setting, its threshold, and what was said of the texts.
    best: Option<(usize, Threshold, Vec<CheckedTarget>)>,
    given: Option<(String, doublet::eval::Quality)>,
    rejections_told: bool,
    joining: f64,
}

impl Trial<'_> {
    /// Makes an index of the sources with a setting, and asks it at each threshold.
    fn setting(&mut self, setting: Setting) -> Result<()> {
        let arguments = &*self.arguments.of(self.console.arguments(), &setting)?;
        let start = Instant::now();
        let spool = spool_directory(arguments.common.resources.temp_dir.as_deref())?;
        let mut resources = arguments.common.resources.resolve()?;
        resources.temp_dir = spool.path().to_owned();
        let index = index_of(arguments, &resources, self.console)?;
        let read = arguments.common.read.resolve(None);
        let collection = self
            .console
            .open(&arguments.common.inputs, &read, spool.path())?;
        let given = CheckOptions::of(index.options()).threshold;
        let indexing = start.elapsed().as_secs_f64();
        let thresholds = self.arguments.thresholds_or(given)?;
        for (text, threshold) in thresholds {
            let asked = Instant::now();
            let checked = self.check(&index, &collection, &resources, threshold)?;
            let seconds = indexing + asked.elapsed().as_secs_f64();
            self.joining += asked.elapsed().as_secs_f64();
            let mut setting = setting.clone();
            setting.extend(text.map(|text| (THRESHOLD.to_owned(), text)));
            self.arguments.in_order(&mut setting);
            self.add(setting, threshold, checked, seconds);
        }
        if self.given.is_none() && !self.arguments.judging.sweep.is_empty() && setting.is_empty() {
            let checked = self.check(&index, &collection, &resources, given)?;
            let held_out = self.judge.measure(&checked, Some(Half::HeldOut));
            let words = in_words(&vec![(THRESHOLD.to_owned(), given.to_string())]);
            self.given = Some((words, held_out.texts));
        }
        self.joining += indexing;
        Ok(())
    }

    fn add(
        &mut self,
        setting: Setting,
        threshold: Threshold,
        checked: Vec<CheckedTarget>,
        seconds: f64,
    ) {
        let chosen = self.judge.measure(&checked, Some(Half::Chosen));
        let chosen_f1 = chosen.texts.f1.value.unwrap_or(0.0);
        let row = SweepRow {
            setting,
            all: Told::Documents {
                documents: Box::new(self.judge.measure(&checked, None)),
            },
            chosen_f1,
            held_out: self.judge.measure(&checked, Some(Half::HeldOut)).texts,
            seconds,
        };
        let best = self
            .best
            .as_ref()
            .map_or(-1.0, |(row, ..)| self.rows[*row].chosen_f1);
        if chosen_f1 > best {
            self.best = Some((self.rows.len(), threshold, checked));
        }
        self.rows.push(row);
    }

    fn check(
        &mut self,
        index: &Index,
        collection: &Collection,
        resources: &Resources,
        threshold: Threshold,
    ) -> Result<Vec<CheckedTarget>> {
        let read = &self.arguments.common.read.resolve(None);
        let checking = Checking {
            options: CheckOptions {
                threshold,
                sources: Named::Best(1),
                ..CheckOptions::of(index.options())
            },
            threads: resources.threads,
            strict: read.strict,
            renumber: read.renumber,
        };
        let mut all = Vec::new();
        let make = |checked: &CheckedRecord<'_>| CheckedTarget {
            id: plain_key(&checked.id),
            duplicate: checked.answer.duplicate,
            share: checked.answer.share,
            source: checked
                .answer
                .sources
                .first()
                .map(|source| plain_key(&doublet::Key::from_json(&source.id))),
        };
        let rejections =
            check_collection(index, collection, &checking, self.console, make, |text| {
                all.push(text);
                Ok(())
            })?;
        if !self.rejections_told && self.console.speaks(self.arguments.common.resources.quiet) {
            self.console.finish();
            display::rejection_list(self.console, &rejections);
            self.rejections_told = true;
        }
        Ok(all)
    }

    fn outcome(&mut self) -> Result<Outcome> {
        let (row, threshold, checked) = self.best.take().context("there is no setting to try")?;
        let strict = self.arguments.common.read.resolve(None).strict;
        let facts = self.judge.facts(&checked, strict)?;
        let arguments = self.arguments;
        let matching = arguments.common.matching.or_sentences();
        let mut outcome = Outcome {
            inputs: arguments.common.inputs.clone(),
            truth: arguments.truth_name(),
            measures: Some(self.rows[row].all.clone()),
            texts: self.wrong(&checked),
            notes: print::notes(&facts, facts.different.is_some()),
            warnings: print::warnings(&facts),
            facts,
            ..Outcome::default()
        };
        outcome.options = serde_json::Map::from_iter([
            ("input".to_owned(), arguments.common.inputs.clone().into()),
            (
                "against".to_owned(),
                arguments.common.against.clone().into(),
            ),
            ("method".to_owned(), matching.method().name().into()),
            ("metric".to_owned(), matching.metric().name().into()),
            (THRESHOLD.to_owned(), threshold.value().into()),
        ]);
        for (name, value) in &self.rows[row].setting {
            outcome.options.insert(name.clone(), value.clone().into());
        }
        if !arguments.judging.sweep.is_empty() {
            outcome.sweep = Some(SweepOutcome {
                axes: arguments.judging.sweep.clone(),
                rows: std::mem::take(&mut self.rows),
                best: row,
                given: self.given.take(),
            });
        }
        Ok(outcome)
    }

    /// The texts that were judged wrongly: those with most in some source first among the wrong copies, those with least first among the
    /// missed ones.
    fn wrong(&self, checked: &[CheckedTarget]) -> Vec<WrongText> {
        let mut wrong: Vec<WrongText> = Vec::new();
        for text in checked {
            let is_copy = self.judge.is_copy(&text.id);
            if is_copy.is_some_and(|is_copy| is_copy != text.duplicate) {
                wrong.push(WrongText {
                    id: text.id.clone(),
                    is_copy: is_copy == Some(true),
                    share: text.share,
                    source: text.source.clone(),
                });
            }
        }
        let order = |text: &WrongText| {
            if text.is_copy {
                text.share
            } else {
                -text.share
            }
        };
        wrong.sort_by(|x, y| {
            let by_kind = x.is_copy.cmp(&y.is_copy);
            by_kind.then(order(x).total_cmp(&order(y)))
        });
        wrong
    }
}

/// An index of the sources, which lasts as long as the directory for temporary files.
fn index_of(arguments: &EvalArguments, resources: &Resources, console: &Console) -> Result<Index> {
    let common = &arguments.common;
    let references = crate::commands::check::References {
        against: &common.against,
        read: &common.read,
        matching: &common.matching,
        quiet: common.resources.quiet,
    };
    references.index(resources, console)
}
