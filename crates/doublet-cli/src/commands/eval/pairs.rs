//! Judges pairs and clusters: joins once for all thresholds of a setting, and measures each.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use doublet::batch::{JoinOptions, Joined, find_matches};
use doublet::cluster::ClusterOptions;
use doublet::document::DocId;
use doublet::eval::{
    Cut, ForeignPairs, Half, Judge, JudgeOptions, JudgedPair, Mistake, SettingQuality, Truth,
    complete, shares_threshold, tune,
};
use doublet::matches::{Matches, RankBy, Source};
use doublet::report::pairs::plain_key;
use doublet::report::summary::peak_memory;
use doublet::scores::Metric;
use doublet::threshold::Threshold;
use serde_json::{Map, Value};

use super::super::spool_directory;
use super::outcome::{
    BaselineOutcome, Outcome, ShownError, SweepOutcome, SweepRow, Told, TuneOutcome, Work, in_words,
};
use crate::args::{EvalArguments, Setting, THRESHOLD};
use crate::console::Console;
use crate::display;

/// Errors of each kind that the page shows.
const ON_PAGE: usize = 12;

pub(super) fn run(
    arguments: &EvalArguments,
    truth: Option<&Truth>,
    console: &Console,
) -> Result<Outcome> {
    let start = Instant::now();
    let settings = arguments.settings()?;
    let spool = spool_directory(arguments.common.resources.temp_dir.as_deref())?;
    let keep = arguments.clustering().keep().clone();
    let source = arguments.common.open(console, Some(&keep), spool.path())?;
    let mut trial = Trial {
        arguments,
        truth,
        source,
        spool: spool.path(),
        console,
        judge: None,
        notes: Vec::new(),
        rows: Vec::new(),
        best: None,
        given: None,
        joining: 0.0,
    };
    for setting in settings {
        trial.setting(setting)?;
    }
    if !arguments.judging.sweep.is_empty() && trial.given.is_none() {
        trial.given_setting()?;
    }
    let mut outcome = trial.outcome()?;
    outcome.seconds = start.elapsed().as_secs_f64();
    outcome.judging_seconds = outcome.seconds - trial.joining;
    outcome.peak_memory = peak_memory();
    Ok(outcome)
}

/// A join and what it was made with.
struct Run {
    setting: Setting,
    joined: Joined,
    /// Pairs in the place of those of the join: those of another tool, or the labelled ones.
    others: Option<Matches>,
    options: JoinOptions,
    clustering: Option<ClusterOptions>,
    described: Map<String, Value>,
    /// The complete join, if that is the truth.
    complete: Option<(Joined, JoinOptions, f64)>,
    seconds: f64,
}

impl Run {
    /// What there is at a threshold.
    fn cut(&self, threshold: Threshold) -> Cut {
        let matches = self.others.as_ref().unwrap_or(&self.joined.matches);
        let options = at(&self.options, threshold);
        Cut::new(
            &self.joined.documents,
            matches,
            &options,
            self.clustering.as_ref(),
        )
    }
}

/// The best setting so far: its row, its threshold, and its join.
struct Best {
    row: usize,
    threshold: Threshold,
    run: Run,
}

/// An evaluation under way.
struct Trial<'a> {
    arguments: &'a EvalArguments,
    truth: Option<&'a Truth>,
    source: Source,
    spool: &'a Path,
    console: &'a Console,
    /// The truth, once there are records to lay it over; it does not change with the settings unless it is another join.
    judge: Option<Judge>,
    notes: Vec<String>,
    rows: Vec<SweepRow>,
    best: Option<Best>,
    /// The setting as given, on the held-out half.
    given: Option<(String, doublet::eval::Quality)>,
    /// Seconds of all joins.
    joining: f64,
}

impl Trial<'_> {
    /// Joins with a setting, and measures it at each threshold.
    fn setting(&mut self, setting: Setting) -> Result<()> {
        let arguments = &*self.arguments.of(self.console.arguments(), &setting)?;
        let mut options = arguments.join_options()?;
        let given = options.matching.threshold;
        let thresholds = self.arguments.thresholds_or(given)?;
        let lowest = thresholds.iter().map(|(_, threshold)| *threshold).min();
        options.matching.threshold = lowest.unwrap_or(given);
        let run = self.join(arguments, setting, options)?;
        let first = self.rows.len();
        for (text, threshold) in &thresholds {
            let quality = self.measure(&run, *threshold)?;
            let mut setting = run.setting.clone();
            setting.extend(text.iter().map(|text| (THRESHOLD.to_owned(), text.clone())));
            self.arguments.in_order(&mut setting);
            self.rows.push(SweepRow {
                setting,
                all: Told::Pairs(Box::new(quality.all)),
                chosen_f1: quality.chosen_f1,
                held_out: quality.held_out.pairs,
                seconds: run.seconds,
            });
        }
        if self.is_given(&run)? && given >= run.options.matching.threshold {
            let quality = self.measure(&run, given)?;
            self.given = Some((self.given_in_words(), quality.held_out.pairs));
        }
        let so_far = self
            .best
            .as_ref()
            .map_or(-1.0, |best| self.rows[best.row].chosen_f1);
        if let Some(row) = middle_of_best(&self.rows[first..], so_far) {
            self.best = Some(Best {
                row: first + row,
                threshold: thresholds[row].1,
                run,
            });
        }
        Ok(())
    }

    /// The setting as given, where no other has the same join.
    fn given_setting(&mut self) -> Result<()> {
        let options = self.arguments.join_options()?;
        let threshold = options.matching.threshold;
        let run = self.join(self.arguments, Setting::new(), options)?;
        let quality = self.measure(&run, threshold)?;
        self.given = Some((self.given_in_words(), quality.held_out.pairs));
        Ok(())
    }

    /// What the swept options are without a sweep.
    fn given_in_words(&self) -> String {
        if self.arguments.judging.pairs.is_some() && !self.arguments.common.matching.has_threshold()
        {
            return "all pairs".to_owned();
        }
        let described = self.arguments.described().unwrap_or_default();
        let sweeps = self.arguments.judging.sweep.iter();
        let value = |name: &str| match described.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => "as given".to_owned(),
        };
        let setting = sweeps.map(|sweep| (sweep.name.clone(), value(&sweep.name)));
        in_words(&setting.collect())
    }

    /// Whether a join is that of the arguments as given, but for the threshold.
    fn is_given(&self, run: &Run) -> Result<bool> {
        let mut given = self.arguments.described()?;
        let mut own = run.described.clone();
        given.remove(THRESHOLD);
        own.remove(THRESHOLD);
        Ok(given == own)
    }

    fn join(
        &mut self,
        arguments: &EvalArguments,
        setting: Setting,
        mut options: JoinOptions,
    ) -> Result<Run> {
        options.resources.temp_dir = self.spool.to_owned();
        let cluster = arguments.clustering();
        if !options.across_only {
            options.rank = cluster.keep().rank_by();
        }
        let has_clusters = !options.across_only && !self.arguments.judging.labelled_only;
        let clustering = has_clusters.then(|| ClusterOptions {
            removal: Some(options.removal_rule(None)),
            ..cluster.resolve(options.matching.metric)
        });
        let judging = &self.arguments.judging;
        let (joined, seconds) = match judging.pairs.is_some() || judging.labelled_only {
            // Only the records are wanted.
            true => self.find(&at(&options, Threshold::new(1.0)?))?,
            false => self.find(&options)?,
        };
        let complete = match self.truth {
            Some(_) => None,
            None => {
                let options = complete(&options)?;
                let (joined, seconds) = self.find(&options)?;
                Some((joined, options, seconds))
            }
        };
        let mut run = Run {
            setting,
            described: arguments.described()?,
            joined,
            others: None,
            options,
            clustering,
            complete,
            seconds,
        };
        if let Some(path) = &self.arguments.judging.pairs {
            let file = self.console.file(path, self.spool)?;
            let foreign = ForeignPairs::read(&file, &run.joined.documents, &self.source)?;
            if foreign.unknown > 0 {
                let unknown = display::plural(foreign.unknown, "pair");
                self.notes.push(format!(
                    "{unknown} of `{}` with an id that is not in the input: left out",
                    path.display()
                ));
            }
            run.others = Some(foreign.matches(&run.joined.documents));
            run.options.matching.metric = Metric::Agreement;
        }
        if let Some(truth) = self.truth.filter(|_| self.judge.is_none()) {
            let judging = JudgeOptions {
                unlabelled: self.arguments.judging.unlabelled.map(|word| word.value()),
                strict: run.options.strict,
                across_only: run.options.across_only,
                seed: self.arguments.common.matching.seed(),
            };
            let judge = Judge::new(truth, &run.joined.documents, &self.source, judging)?;
            self.judge = Some(judge);
            if self.console.speaks(self.arguments.common.resources.quiet) {
                self.console.finish();
                display::rejections(self.console, &run.joined.documents);
            }
        }
        if self.arguments.judging.labelled_only {
            let judge = self
                .judge
                .as_ref()
                .context("there is nothing to judge by")?;
            let matches = judge.scored(&self.source, &run.joined, &run.options, self.console)?;
            let expected = "`--labelled-only` needs pairs of both labels, or `--unlabelled ignore`";
            run.others = Some(matches.context(expected)?);
        }
        Ok(run)
    }

    fn find(&mut self, options: &JoinOptions) -> Result<(Joined, f64)> {
        let start = Instant::now();
        let joined = find_matches(&self.source, options, self.console)?;
        let seconds = start.elapsed().as_secs_f64();
        self.joining += seconds;
        Ok((joined, seconds))
    }

    /// Measures a join at a threshold.
    fn measure(&self, run: &Run, threshold: Threshold) -> Result<SettingQuality> {
        let cut = run.cut(threshold);
        let judge = self.judge(run, threshold)?;
        Ok(judge.setting(&cut.found(&run.joined.documents)))
    }

    /// The truth for a join at a threshold.
    fn judge(&self, run: &Run, threshold: Threshold) -> Result<std::borrow::Cow<'_, Judge>> {
        use std::borrow::Cow;
        if let Some(judge) = &self.judge {
            return Ok(Cow::Borrowed(judge));
        }
        let (joined, options, _) = run
            .complete
            .as_ref()
            .context("there is nothing to judge by")?;
        let cut = complete_cut(run, joined, options, threshold);
        let seed = self.arguments.common.matching.seed();
        let judge = Judge::of_found(&cut.found(&joined.documents), &self.source, seed)?;
        Ok(Cow::Owned(judge))
    }

    /// Everything about the best setting, and the others beside it.
    fn outcome(&mut self) -> Result<Outcome> {
        let best = self.best.take().context("there is no setting to try")?;
        let judge = self.judge(&best.run, best.threshold)?;
        let cut = best.run.cut(best.threshold);
        let asked = self.arguments.judging.errors;
        let errors = Errors {
            source: &self.source,
            run: &best.run,
            judge: &judge,
            most: match super::directory(self.arguments) {
                Some(_) => asked.max(ON_PAGE),
                None => asked,
            },
            console: self.console,
        };
        let shown = errors.find(&cut)?;
        let facts = judge.facts().clone();
        let mut options = best.run.described.clone();
        options.insert(THRESHOLD.to_owned(), best.threshold.value().into());
        if self.arguments.judging.pairs.is_some() {
            options.retain(|name, _| {
                ["input", "threshold", "linkage", "keep"].contains(&name.as_str())
            });
            options.insert("pairs".to_owned(), self.arguments.pairs_name().into());
        }
        let labelled_only = judge.is_labelled_only();
        let mut outcome = Outcome {
            inputs: self.arguments.common.inputs.clone(),
            truth: self.arguments.truth_name(),
            measures: Some(self.rows[best.row].all.clone()),
            options,
            baseline: baseline(&best.run, &cut, best.threshold),
            tuned: None,
            false_positives: shown.0,
            false_negatives: shown.1,
            not_scored: shown.2,
            notes: super::print::notes(&facts, labelled_only),
            facts,
            ..Outcome::default()
        };
        drop(judge);
        outcome.notes.append(&mut self.notes);
        if self.arguments.judging.labelled_only {
            outcome.notes.push("The labelled pairs were scored, not looked for: what a search would miss is not counted.".to_owned());
        }
        outcome.warnings = super::print::warnings(&outcome.facts);
        if self.arguments.judging.tune.is_some() {
            outcome.tuned = Some(self.tune(&best.run)?);
        }
        if !self.arguments.judging.sweep.is_empty() {
            outcome.sweep = Some(SweepOutcome {
                axes: self.arguments.judging.sweep.clone(),
                rows: std::mem::take(&mut self.rows),
                best: best.row,
                given: self.given.take(),
            });
        }
        Ok(outcome)
    }

    /// Fits the weights of terms to the truth.
    fn tune(&self, run: &Run) -> Result<TuneOutcome> {
        let judge = self.judge.as_ref().context("there is nothing to tune by")?;
        let labelled = judge
            .labelled_pairs()
            .context("`--tune weights` needs pairs of both labels: add some that are labelled 0")?;
        let pair = |known: &JudgedPair| tune::LabelledPair {
            a: known.a,
            b: known.b,
            duplicate: known.duplicate,
            tuning: known.half == Half::Chosen,
        };
        let pairs: Vec<tune::LabelledPair> = labelled.iter().map(pair).collect();
        let tuning = tune::TuneOptions {
            seed: self.arguments.common.matching.seed(),
        };
        let tuned = tune::tune(&run.joined, &run.options, &pairs, &tuning, self.console)?;
        Ok(TuneOutcome::new(&tuned))
    }
}

/// Of the settings that are better than all before, the best; of several as good, the middle one, which lies farthest from those that
/// are worse.
fn middle_of_best(rows: &[SweepRow], so_far: f64) -> Option<usize> {
    let most = rows.iter().map(|row| row.chosen_f1).fold(so_far, f64::max);
    let best: Vec<usize> = (0..rows.len())
        .filter(|&row| rows[row].chosen_f1 == most)
        .collect();
    (most > so_far).then(|| best[best.len() / 2])
}

/// What the complete join has at the threshold of a setting, or at its own.
fn complete_cut(run: &Run, joined: &Joined, options: &JoinOptions, threshold: Threshold) -> Cut {
    let threshold = match shares_threshold(run.options.matching.method) {
        true => threshold,
        false => options.matching.threshold,
    };
    Cut::new(
        &joined.documents,
        &joined.matches,
        &at(options, threshold),
        None,
    )
}

/// The same options with another threshold.
fn at(options: &JoinOptions, threshold: Threshold) -> JoinOptions {
    let mut options = options.clone();
    options.matching.threshold = threshold;
    options
}

/// What the two joins took, if there are two.
fn baseline(run: &Run, cut: &Cut, threshold: Threshold) -> Option<BaselineOutcome> {
    let (joined, options, seconds) = run.complete.as_ref()?;
    let complete = complete_cut(run, joined, options, threshold);
    let threshold = match shares_threshold(run.options.matching.method) {
        true => threshold,
        false => options.matching.threshold,
    };
    let work = |joined: &Joined, pairs: u64, seconds: f64| Work {
        pairs,
        candidates: joined.figures.candidates,
        verifications: joined.figures.verifications,
        seconds,
    };
    let by_features = options.matching.weighs_terms();
    Some(BaselineOutcome {
        name: match by_features {
            true => format!("{} with `--candidates exact`", options.matching.method),
            false => format!("{} at {threshold}", options.matching.method),
        },
        documents: joined.documents.len() as u64,
        setting: work(&run.joined, cut.pairs(), run.seconds),
        complete: work(joined, complete.pairs(), *seconds),
    })
}

/// Looks for errors to show.
struct Errors<'a> {
    source: &'a Source,
    run: &'a Run,
    judge: &'a Judge,
    most: usize,
    console: &'a Console,
}

impl Errors<'_> {
    /// Those found and wrong, those missed, and how many more were missed and not looked at.
    fn find(&self, cut: &Cut) -> Result<(Vec<ShownError>, Vec<ShownError>, u64)> {
        let run = self.run;
        if self.most == 0 {
            return Ok((Vec::new(), Vec::new(), 0));
        }
        let found = cut.found(&run.joined.documents);
        let context = (self.source, &run.joined, &run.options);
        let mistakes = self
            .judge
            .mistakes(&found, context, self.most, self.console)?;
        let show = |mistakes: &[Mistake]| -> Result<Vec<ShownError>> {
            let key = |text: DocId| plain_key(&run.joined.documents.key(text, self.source));
            let shown = |mistake: &Mistake| -> Result<ShownError> {
                Ok(ShownError {
                    a: key(mistake.a),
                    b: key(mistake.b),
                    score: mistake.score,
                    line: (mistake.line > 0).then_some(mistake.line),
                    view: mistake.view(self.source, &run.joined, run.options.matching.metric)?,
                })
            };
            mistakes.iter().map(shown).collect()
        };
        let wrong = show(&mistakes.false_positives)?;
        let missed = show(&mistakes.false_negatives)?;
        Ok((wrong, missed, mistakes.not_scored))
    }
}

impl EvalArguments {
    /// How clusters are made: as `dedup` makes them.
    pub(super) fn clustering(&self) -> crate::args::ClusterArguments {
        self.cluster.for_removal(&self.common.matching)
    }

    /// The join of the arguments: every pair, compared in full.
    fn join_options(&self) -> Result<JoinOptions> {
        let mut options = self.common.join(None, true)?;
        options.rank = RankBy::Nothing;
        if self.judging.pairs.is_some() {
            ensure!(
                !self.common.matching.has_method(),
                "`--pairs` judges pairs that were found elsewhere: leave out `--method`"
            );
            ensure!(
                self.judging
                    .sweep
                    .iter()
                    .all(|sweep| sweep.name == THRESHOLD),
                "`--pairs` judges pairs that were found elsewhere: only the threshold can be swept"
            );
            if self.common.matching.has_threshold() || self.thresholds().is_some() {
                return Ok(options);
            }
            options.matching.threshold = Threshold::new(1e-9)?;
        }
        Ok(options)
    }

    /// All options in force, by name.
    fn described(&self) -> Result<Map<String, Value>> {
        let options = self.join_options()?;
        Ok(self.common.describe(&self.clustering(), &options))
    }

    pub(super) fn truth_name(&self) -> String {
        match &self.judging.truth {
            Some(path) => path.display().to_string(),
            None => "the complete join".to_owned(),
        }
    }

    fn pairs_name(&self) -> String {
        let path = self.judging.pairs.as_ref();
        path.map_or_else(String::new, |path| path.display().to_string())
    }
}
