//! Advice: what a collection looks like, and which method, metric, threshold and options go with it.
//!
//! The collection is read once as a whole (`reading`: lengths, copies, ids) and then as far as needed to compare a sample of its
//! texts with the others (`partners`: scores, passages). What was found is plain data ([`Findings`]); `rules` turns it into a
//! [`Recommendation`] with reasons. Memory is bounded, and the outcome depends on neither threads nor memory.

mod copies;
mod features;
mod histogram;
mod languages;
mod lengths;
mod partners;
mod reading;
mod rules;
mod sample;
#[cfg(test)]
mod tests;

pub use features::Compared;
pub use histogram::{Bin, Valley};
pub use languages::LanguageShare;
pub use lengths::Quantiles;
pub use rules::{Advice, Alternative, Estimate, Recommendation, recommend};

use features::Featurer;
use reading::Reading;

use crate::error::Result;
use crate::options::Resources;
use crate::progress::Observer;
use crate::read::{Collection, Rejection};

/// How a collection is looked at.
#[derive(Clone, Debug)]
pub struct AdviseOptions {
    /// Threads, and the place for temporary files.
    pub resources: Resources,
    /// Stop at the first bad record.
    pub strict: bool,
    /// Which texts are sampled.
    pub seed: u64,
    /// Texts that are compared with all others, at most.
    pub sample: usize,
}

impl AdviseOptions {
    /// The default number of sampled texts.
    pub const SAMPLE: usize = 4000;
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Records, those without words and bad ones included.
    pub records: u64,
    /// Records without a word.
    pub empty: u64,
    /// Records that could not be read.
    pub rejected: u64,
    /// The first few of them.
    pub rejections: Vec<Rejection>,
    /// Bytes of the records, unpacked.
    pub bytes: u64,
    /// Words of a text.
    pub words: Quantiles,
    /// Characters of a text.
    pub characters: Quantiles,
    /// Copies among the texts.
    pub copies: Copies,
    /// Whether an id stands at several records.
    pub repeated_ids: bool,
    /// The languages of the sampled texts, the most frequent first.
    pub languages: Vec<LanguageShare>,
    /// Share of the sampled texts that have tags of HTML or XML in them.
    pub markup: f64,
    /// What comparing the sampled texts with others said; `None` where there are no two different texts.
    pub pairs: Option<PairFindings>,
}

impl Findings {
    /// Records with a word in them.
    pub fn texts(&self) -> u64 {
        self.records - self.empty - self.rejected
    }
}

/// How many texts repeat an earlier one, as shares of the texts with words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Copies {
    /// Byte by byte.
    pub bytes: f64,
    /// Word by word and number by number: punctuation, case and spaces aside.
    pub words: f64,
    /// Word by word, all numbers being alike.
    pub but_for_numbers: f64,
    /// Different texts, all numbers being alike.
    pub distinct: f64,
    /// Whether the shares are estimates, for there are too many different texts to keep them all in mind.
    pub estimated: bool,
}

/// What comparing sampled texts with others said.
#[derive(Clone, Debug, PartialEq)]
pub struct PairFindings {
    /// What was compared.
    pub compared: Compared,
    /// Texts that were compared with others.
    pub sampled: u64,
    /// Different texts that they were compared with, about.
    pub others: f64,
    /// Pairs by score, those of identical texts left out.
    pub histogram: Vec<Bin>,
    /// Where the histogram parts.
    pub valley: Option<Valley>,
    /// Share of the sampled texts that lie for the most part within a longer text, or have a shorter one in them.
    pub within: f64,
    /// Share of the sampled texts that share a long passage with a text that is otherwise another.
    pub passages: f64,
    /// Share of the sampled texts' shingles that very many of them have.
    pub boilerplate: f64,
}

/// Looks at a collection.
///
/// # Errors
/// When a file cannot be read, a record is bad and `strict` is set, or the observer cancels the run.
pub fn examine(
    collection: &Collection,
    options: &AdviseOptions,
    observer: &dyn Observer,
) -> Result<Findings> {
    let mut reading = reading::read(collection, options, observer)?;
    let sampled = std::mem::replace(&mut reading.sample, sample::Sample::new(0, 0)).finish();
    let texts = sample::fetch(collection, &sampled)?;
    let mut findings = describe(&reading, &texts);
    if sampled.len() < 2 {
        return Ok(findings);
    }
    let compared = rules::compared(&findings);
    let featurer = Featurer::new(compared, &texts, findings.words.mean)?;
    let found = partners::find_partners(
        collection,
        &sampled,
        &texts,
        &featurer,
        &reading.wordings,
        options.resources.threads,
        observer,
    )?;
    let histogram = histogram::bins(&found.pairs(findings.copies.distinct), &found.best);
    let best: Vec<f64> = histogram.iter().map(|bin| bin.texts as f64).collect();
    // Where pairs are few, a text with several partners shows better by its best one.
    let most = rules::highest_valley(compared);
    let valley = histogram::valley(&found.seen(), most).or_else(|| histogram::valley(&best, most));
    let share = |texts: u64| texts as f64 / found.sampled.max(1) as f64;
    findings.pairs = Some(PairFindings {
        compared,
        sampled: found.sampled,
        others: found.compared.round(),
        valley,
        histogram,
        within: share(found.within),
        passages: share(found.passages),
        boilerplate: found.common_share,
    });
    Ok(findings)
}

/// What the first reading and the sampled texts say.
fn describe(reading: &Reading, texts: &[String]) -> Findings {
    Findings {
        records: reading.records,
        empty: reading.empty,
        rejected: reading.rejected,
        rejections: reading
            .rejections
            .iter()
            .map(|(_, bad)| bad.clone())
            .collect(),
        bytes: reading.bytes,
        words: reading.words.quantiles(),
        characters: reading.characters.quantiles(),
        copies: Copies {
            bytes: reading.texts.repeated_share(),
            words: reading.numbers.repeated_share(),
            but_for_numbers: reading.wordings.repeated_share(),
            distinct: reading.wordings.distinct(),
            estimated: reading.texts.is_sample(),
        },
        repeated_ids: reading.ids.repeated_share() > 0.0,
        languages: languages::languages(texts),
        markup: languages::markup_share(texts),
        pairs: None,
    }
}
