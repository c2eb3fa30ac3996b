//! How many removals of a run were wrong? Draws a sample for a person to judge, and estimates the share from the answers.
//!
//! A [`Run`] is the directory that `dedup` wrote. An [`Audit`] is that run with its input, a stratified sample of its removals and the
//! answers about them. The input is read again, because it alone holds the removed texts. `strata` draws the sample and `estimate` turns
//! answers into a share with an interval; both are pure. `answers` is the file of labels, `view` a pair of texts side by side.

mod answers;
mod estimate;
mod removals;
mod strata;
mod texts;
mod view;

use std::path::{Path, PathBuf};

pub use crate::report::audit::Piece;
pub use answers::{ANSWERS, Answers, Verdict};
use answers::{Sample, parts};
pub use estimate::{Share, Tally, wrong_share};
pub use removals::{Removed, Run};
pub use strata::Stratum;
use strata::{Traits, assign, sequence};
use texts::Texts;
use view::Comparer;
pub use view::{Extent, Pair, Side};

use crate::document::Key;
use crate::error::{Error, Result};
use crate::files::output::OutputFile;
use crate::matches::Source;
use crate::progress::Observer;
use crate::report::audit::{AuditPage, PAGE, QuestionView};
use crate::report::pairs::plain_key;

/// How much of a text the page shows.
const ON_THE_PAGE: Extent = Extent {
    shared: 30,
    own: 300,
};

/// How to audit.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// Removals in the sample.
    pub sample: usize,
    /// Threads that read the input.
    pub threads: usize,
}

impl AuditOptions {
    /// The default number of removals in a sample.
    pub const SAMPLE: usize = 100;
    /// The default seed.
    pub const SEED: u64 = 1;
}

/// A removal to be judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The removal.
    pub removed: Removed,
    /// Why it is in the sample.
    pub stratum: Stratum,
    /// Texts in its cluster, the kept one included.
    pub cluster_size: u64,
}

/// The estimate from the answers so far.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Removals of the run.
    pub removals: u64,
    /// Those whose text is the kept one, white space aside; they are right.
    pub same_text: u64,
    /// Questions.
    pub sample: usize,
    /// The answers by stratum that is asked about; strata without removals are left out.
    pub strata: Vec<(Stratum, Tally)>,
    /// The share of wrong removals, without undecided ones.
    pub wrong: Option<Share>,
    /// The same if every undecided removal is right, and if every one is wrong; nothing if all are decided.
    pub bounds: Option<(Share, Share)>,
    /// Wrong removals, those of the lowest score first.
    pub examples: Vec<Question>,
}

impl Outcome {
    /// All answers of these strata.
    pub fn all(&self) -> Tally {
        let mut all = Tally::default();
        for (_, tally) in &self.strata {
            all.removals += tally.removals;
            all.right += tally.right;
            all.wrong += tally.wrong;
            all.unsure += tally.unsure;
        }
        all
    }
}

/// A run, its input, the sample and the answers.
#[derive(Debug)]
pub struct Audit {
    run: Run,
    source: Source,
    texts: Texts,
    comparer: Comparer,
    strata: Vec<Stratum>,
    questions: Vec<Question>,
    sample: Sample,
    answers: Answers,
}

impl Audit {
    /// Reads the input of a run and draws the sample.
    ///
    /// # Errors
    /// When the source cannot be read or is not what the run read, or the answers are about another sample.
    pub fn new(
        run: Run,
        source: Source,
        answers: Answers,
        options: &AuditOptions,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let sample = Sample {
            run: run.id.clone(),
            seed: run.seed,
        };
        answers.expect(&sample)?;
        let texts = Texts::find(&run, &source, options.threads, observer)?;
        let traits = traits(&run, &texts);
        let mut audit = Self {
            comparer: Comparer::new(&run),
            strata: assign(&traits),
            questions: Vec::new(),
            run,
            source,
            texts,
            sample,
            answers,
        };
        // What was asked before stays in the sample.
        let most = options.sample.max(audit.answers.len());
        let asked = sequence(&traits, &audit.strata, most);
        audit.questions = audit.questions_about(&asked)?;
        Ok(audit)
    }

    fn questions_about(&self, asked: &[usize]) -> Result<Vec<Question>> {
        let removed = self.run.removed(asked)?.into_iter();
        let question = |(removed, &at): (Removed, &usize)| Question {
            cluster_size: self.run.cluster_size(removed.cluster),
            stratum: self.strata[at],
            removed,
        };
        Ok(removed.zip(asked).map(question).collect())
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The questions, in the order in which they are asked.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Whether as many bytes were read as by the run; if not, texts may have changed.
    pub fn is_as_long(&self) -> bool {
        self.texts.bytes == self.run.bytes()
    }

    /// The answer to a question.
    pub fn verdict(&self, question: usize) -> Option<Verdict> {
        let question = self.questions.get(question)?;
        self.answers.verdict(&question.removed.id)
    }

    /// How many questions have an answer.
    pub fn answered(&self) -> usize {
        let all = 0..self.questions.len();
        all.filter(|&at| self.verdict(at).is_some()).count()
    }

    /// Answers about removals that are not in the sample, which count for nothing.
    pub fn left_over(&self) -> usize {
        self.answers.len().saturating_sub(self.answered())
    }

    /// Answers a question, and saves all answers.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn answer(&mut self, question: usize, verdict: Verdict) -> Result<()> {
        if let Some(question) = self.questions.get(question) {
            self.answers.give(question, &self.sample, verdict);
        }
        self.answers.save()
    }

    /// Takes the answers of another file, such as a page wrote, and saves all. Gives how many it has, and how many of these are new
    /// or differ.
    ///
    /// # Errors
    /// When the file cannot be read, is about another sample, or the answers cannot be written.
    pub fn take_answers(&mut self, path: &Path) -> Result<(usize, usize)> {
        let others = Answers::read(path.to_owned())?;
        if others.is_empty() {
            return Err(Error::BadFile {
                path: path.to_owned(),
                reason: "the file contains no answers".to_owned(),
            });
        }
        others.expect(&self.sample)?;
        let changed = self.answers.take(&others);
        if changed > 0 {
            self.answers.save()?;
        }
        Ok((others.len(), changed))
    }

    /// The texts of a question.
    ///
    /// # Errors
    /// When they cannot be read again.
    pub fn pair(&self, question: usize) -> Result<Pair> {
        let Some(Question { removed, .. }) = self.questions.get(question) else {
            return Ok(Pair::default());
        };
        let text = self.texts.removed(&self.source, &removed.id)?;
        let mut best: Option<Pair> = None;
        for kept in self.texts.kept(&self.source, &removed.representative)? {
            let pair = self.comparer.compare(kept, text.clone())?;
            if best
                .as_ref()
                .is_none_or(|best| pair.removed.own() < best.removed.own())
            {
                best = Some(pair);
            }
        }
        Ok(best.unwrap_or_default())
    }

    /// The estimate from the answers so far.
    pub fn outcome(&self) -> Outcome {
        let strata = self.tallies();
        let tallies: Vec<Tally> = strata.iter().map(|(_, tally)| *tally).collect();
        let same = self
            .strata
            .iter()
            .filter(|own| **own == Stratum::SameText)
            .count() as u64;
        let undecided = tallies.iter().any(|tally| tally.unsure > 0);
        let with = |change: fn(Tally) -> Tally| {
            let changed: Vec<Tally> = tallies.iter().copied().map(change).collect();
            wrong_share(&changed, same)
        };
        let bounds = with(Tally::with_unsure_right).zip(with(Tally::with_unsure_wrong));
        Outcome {
            removals: self.run.len() as u64,
            same_text: same,
            sample: self.questions.len(),
            wrong: wrong_share(&tallies, same),
            bounds: bounds.filter(|_| undecided),
            examples: self.wrong(),
            strata,
        }
    }

    /// The answers by stratum, of the strata that are asked about.
    fn tallies(&self) -> Vec<(Stratum, Tally)> {
        let mut tallies = Stratum::ASKED.map(|stratum| (stratum, Tally::default()));
        let mut of = |stratum: Stratum, change: &dyn Fn(&mut Tally)| {
            let found = tallies.iter_mut().find(|(other, _)| *other == stratum);
            if let Some((_, tally)) = found {
                change(tally);
            }
        };
        for &stratum in &self.strata {
            of(stratum, &|tally| tally.removals += 1);
        }
        for (at, question) in self.questions.iter().enumerate() {
            of(question.stratum, &|tally| match self.verdict(at) {
                Some(Verdict::Right) => tally.right += 1,
                Some(Verdict::Wrong) => tally.wrong += 1,
                Some(Verdict::Unsure) => tally.unsure += 1,
                None => {}
            });
        }
        let found = tallies.into_iter();
        found.filter(|(_, tally)| tally.removals > 0).collect()
    }

    fn wrong(&self) -> Vec<Question> {
        let all = self.questions.iter().enumerate();
        let wrong = all.filter(|(at, _)| self.verdict(*at) == Some(Verdict::Wrong));
        let mut wrong: Vec<Question> = wrong.map(|(_, question)| question.clone()).collect();
        let score = |question: &Question| question.removed.score.unwrap_or(0.0);
        wrong.sort_by(|a, b| score(a).total_cmp(&score(b)));
        wrong
    }

    /// Writes the page into the directory and gives its path.
    ///
    /// # Errors
    /// When a text cannot be read again, or the page cannot be written.
    pub fn write_page(&self) -> Result<PathBuf> {
        let path = self.run.directory().join(PAGE);
        let view = |at: usize| self.view(at);
        let page = AuditPage {
            directory: self.run.directory().display().to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sample: format!("{}-{}", self.sample.run, self.sample.seed),
            removals: self.run.len() as u64,
            questions: (0..self.questions.len()).map(view).collect::<Result<_>>()?,
        };
        let mut file = OutputFile::create(&path)?;
        file.write(page.render().as_bytes())?;
        file.finish()?;
        Ok(path)
    }

    fn view(&self, at: usize) -> Result<QuestionView> {
        let question = &self.questions[at];
        let pair = self.pair(at)?;
        Ok(QuestionView {
            kept: plain(&question.removed.representative),
            removed: plain(&question.removed.id),
            stratum: question.stratum.words().to_owned(),
            score: question.removed.score,
            metric: self.run.option("metric").unwrap_or_default().to_owned(),
            threshold: self.run.number("threshold"),
            cluster_size: question.cluster_size,
            words: (pair.kept.words() as u64, pair.removed.words() as u64),
            lost: question.removed.lost,
            kept_text: pair.kept.pieces(ON_THE_PAGE),
            removed_text: pair.removed.pieces(ON_THE_PAGE),
            answer: self.verdict(at).map(|verdict| verdict.word().to_owned()),
            line: parts(question, &self.sample),
        })
    }
}

/// An id as a person writes it.
pub fn plain(id: &str) -> String {
    plain_key(&Key::from_json(id))
}

fn traits(run: &Run, texts: &Texts) -> Vec<Traits> {
    let of = |removal: &removals::Removal| Traits {
        same: texts.is_same(removal.id, removal.representative),
        score: removal.score,
        lost: removal.lost,
        cluster: run.cluster_size(removal.cluster),
        lot: removal.lot,
    };
    run.removals.iter().map(of).collect()
}
