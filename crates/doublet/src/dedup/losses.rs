//! What removals lose where scores do not say it: the texts are read again, and all their words are counted.

use hashbrown::HashSet;
use xxhash_rust::xxh3::xxh3_128;

use super::removals::{Context, Proposed};
use crate::document::DocId;
use crate::error::Result;
use crate::method::numbers::InOrder;
use crate::method::shingles::{Preparer, Tokens};
use crate::method::{Beside, MatchOptions};
use crate::options::{NormalizeOptions, Numbers};
use crate::parallel;
use crate::progress::{self, Observer, Unit};

/// Texts that are removed for one text and read together, at least.
const RUN: usize = 256;

impl Context<'_> {
    /// Reads the texts of which the scores do not say what is lost.
    pub(super) fn explain_losses(
        &self,
        found: &mut [Proposed],
        observer: &dyn Observer,
    ) -> Result<()> {
        let unknown: Vec<usize> = (0..found.len()).filter(|&at| !found[at].is_known).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let total = Some(unknown.len() as u64);
        progress::begin(observer, "counting lost words", total, Unit::Count("texts"))?;
        // Removals for one text are neighbours, so that it is read and prepared once for many.
        let representative = |at: &usize| found[*at].removal.representative;
        let runs = unknown.chunk_by(|x, y| representative(x) == representative(y));
        let tokens = |text: DocId| u64::from(self.joined.documents.tokens(text));
        let cost = |at: &usize| tokens(found[*at].removal.document);
        let runs: Vec<&[usize]> = runs
            .flat_map(|run| cut(run, cost, tokens(representative(&run[0]))))
            .collect();
        let words = Words::new(&self.options.join.matching)?;
        let losses = parallel::map(self.options.join.resources.threads, runs.len(), |at| {
            let text = self.text(representative(&runs[at][0]))?;
            let own = words.of(&text);
            let mut kept = KeptText {
                beside: self.joined.fitted.beside(&text),
                numbers: words.numbers.as_ref().map(|_| own.numbers_in_order()),
                words: own,
            };
            let losses = runs[at].iter().map(|&at| {
                let removed = self.text(found[at].removal.document)?;
                progress::advance(observer, 1)?;
                Ok(words.lost(&mut kept, &removed))
            });
            losses.collect::<Result<Vec<Loss>>>()
        })?;
        for (at, loss) in unknown.into_iter().zip(losses.into_iter().flatten()) {
            found[at].removal.lost = loss.lost;
            found[at].words = loss.words;
            found[at].identity = loss.identity;
            found[at].differs_in_numbers = loss.differs_in_numbers;
        }
        Ok(())
    }

    fn text(&self, document: DocId) -> Result<String> {
        self.source.text(document, &self.joined.documents)
    }
}

/// The removals for one text in runs that have at least as many tokens as that text, which is read for each of them.
fn cut(mut run: &[usize], cost: impl Fn(&usize) -> u64, least: u64) -> Vec<&[usize]> {
    let mut runs = Vec::new();
    while !run.is_empty() {
        let (mut count, mut sum) = (0, 0);
        while count < run.len() && (count < RUN || sum < least) {
            sum += cost(&run[count]);
            count += 1;
        }
        let (head, rest) = run.split_at(count);
        runs.push(head);
        run = rest;
    }
    runs
}

/// Cuts texts into words: as the run compares them, and with what it leaves out.
struct Words {
    run: Preparer,
    /// With numbers told apart; none if the run does.
    numbers: Option<Preparer>,
    /// Whether the run leaves numbers out.
    drops_numbers: bool,
    all: Preparer,
}

/// A text's words.
struct TextWords {
    run: Tokens,
    numbers: Tokens,
    all: Tokens,
    /// The different ones of all.
    forms: HashSet<String>,
}

/// A text that is kept.
struct KeptText {
    words: TextWords,
    beside: Box<dyn Beside>,
    /// Its numbers, where the run does not tell them apart.
    numbers: Option<InOrder>,
}

/// What the removal of a text loses.
struct Loss {
    lost: u32,
    /// Words of the text.
    words: u32,
    /// A hash of them.
    identity: u128,
    differs_in_numbers: bool,
}

impl Words {
    fn new(options: &MatchOptions) -> Result<Self> {
        let numbers = NormalizeOptions {
            numbers: Numbers::Keep,
            ..options.normalize.clone()
        };
        let all = NormalizeOptions {
            ascii: false,
            stop_words: Vec::new(),
            ..numbers.clone()
        };
        let preparer = |normalize| Preparer::new(normalize, &options.shingle);
        let tells_numbers_apart = options.normalize.numbers == Numbers::Keep;
        Ok(Self {
            run: preparer(&options.normalize)?,
            drops_numbers: options.normalize.numbers == Numbers::Drop,
            numbers: match tells_numbers_apart {
                true => None,
                false => Some(preparer(&numbers)?),
            },
            all: preparer(&all)?,
        })
    }

    fn of(&self, text: &str) -> TextWords {
        let all = self.all.tokens(text);
        let (run, numbers) = match &self.numbers {
            Some(numbers) => (self.run.tokens(text), numbers.tokens(text)),
            None => Default::default(),
        };
        TextWords {
            run,
            numbers,
            forms: (0..all.len()).map(|at| all.form(at).to_owned()).collect(),
            all,
        }
    }

    /// A word is lost unless it is in a passage that both texts share and the kept text has it too: methods that leave words out
    /// share passages over them. Where numbers are not told apart, a number must also occur in the same order.
    fn lost(&self, kept: &mut KeptText, removed: &str) -> Loss {
        let passages = kept.beside.passages_of(removed);
        let TextWords {
            run, numbers, all, ..
        } = self.of(removed);
        let mut passages = passages.iter().peekable();
        // Whether each number of the removed text is in the kept one, in the same order.
        let mut known_numbers = kept.numbers.as_ref().map(|numbers| {
            let forms = (0..all.len()).map(|at| all.form(at));
            let own: Vec<&str> = forms.filter(|form| is_number(form)).collect();
            numbers.longest(&own).into_iter()
        });
        let kept = &kept.words;
        let mut is_kept = |form: &str| match &mut known_numbers {
            Some(known) if is_number(form) => known.next().unwrap_or(false),
            _ => kept.forms.contains(form),
        };
        let lost = (0..all.len()).filter(|&at| {
            let (start, end) = (all.spans[at].0 as usize, all.spans[at].1 as usize);
            while passages.next_if(|passage| passage.end < end).is_some() {}
            let is_shared = passages
                .peek()
                .is_some_and(|passage| passage.start <= start);
            let form = all.form(at);
            // Passages go over numbers that are left out, but not to those at their ends.
            let within = is_shared || (self.drops_numbers && is_number(form));
            !(is_kept(form) && within)
        });
        Loss {
            lost: lost.count() as u32,
            words: all.len() as u32,
            identity: xxh3_128(&all.forms),
            differs_in_numbers: self.numbers.is_some()
                && have_same_forms(&kept.run, &run)
                && !have_same_forms(&kept.numbers, &numbers),
        }
    }
}

impl TextWords {
    fn numbers_in_order(&self) -> InOrder {
        let forms = (0..self.all.len()).map(|at| self.all.form(at));
        InOrder::new(forms.filter(|form| is_number(form)))
    }
}

fn is_number(form: &str) -> bool {
    form.starts_with(char::is_numeric)
}

fn have_same_forms(a: &Tokens, b: &Tokens) -> bool {
    a.forms == b.forms
}
