//! The rules: from what was found to what is advised, each with its reason.
//!
//! `docs/choosing.md` has the measurements behind them.

use super::features::Compared;
use super::{Findings, PairFindings};
use crate::method::Method;
use crate::method::terms::Language;
use crate::scores::Metric;

/// Texts are short if half of them have fewer words.
const SHORT: u64 = 30;
/// From so many texts on sketches are cheaper.
const MANY: f64 = 100_000.0;
/// Share of texts that differ from another in numbers alone, from which numbers count.
const NUMBERS: f64 = 0.01;
/// Share of the texts that are copies in part, from which they are what matters …
const PARTIAL: f64 = 0.1;
/// … if they are so many times as many as those with a near-duplicate.
const PARTIAL_TIMES: f64 = 2.0;
/// Share of the texts' shingles that very many have, from which it is told.
const BOILERPLATE: f64 = 0.1;
/// Share of texts with markup from which it is told.
const MARKUP: f64 = 0.1;
/// Share of a language from which it is taken for that of all.
const ONE_LANGUAGE: f64 = 0.9;
/// Share of empty texts from which it is told.
const EMPTY: f64 = 0.01;
/// Texts that score higher may be duplicates; thresholds are no lower.
const LEAST_THRESHOLD: f64 = 0.5;
/// Thresholds are no higher: a pair just below says the same.
const MOST_THRESHOLD: f64 = 0.9;
/// The threshold for texts that lie within others: half of them.
const WITHIN_THRESHOLD: f64 = 0.5;
/// Rare kinds of pairs are told of from this share of texts on.
const SOME: f64 = 0.01;

/// What is advised.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// The command: `dedup`, or `pairs` where what is found should be looked at before anything goes.
    pub command: &'static str,
    /// The method.
    pub method: Method,
    /// The metric.
    pub metric: Metric,
    /// The threshold.
    pub threshold: f64,
    /// Further options by name, without dashes; those without a value are switches.
    pub options: Vec<(&'static str, Option<String>)>,
}

impl Recommendation {
    fn new(command: &'static str, method: Method, metric: Metric, threshold: f64) -> Self {
        Self {
            command,
            method,
            metric,
            threshold,
            options: Vec::new(),
        }
    }

    /// The options as they stand on the command line. A metric that is the method's own is left out.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--method".to_owned(), self.method.name().to_owned()];
        if self.method.metrics().first() != Some(&self.metric) {
            arguments.extend(["--metric".to_owned(), self.metric.name().to_owned()]);
        }
        arguments.extend(["--threshold".to_owned(), self.threshold.to_string()]);
        for (name, value) in &self.options {
            arguments.push(format!("--{name}"));
            arguments.extend(value.clone());
        }
        arguments
    }
}

/// Something else that may be wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// What for.
    pub purpose: String,
    /// How.
    pub recommendation: Recommendation,
}

/// What a run would take, about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Seconds of processor time.
    pub cpu_seconds: f64,
    /// Bytes of memory.
    pub memory: f64,
}

/// What is advised, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// What to do; `None` where there is no text.
    pub recommendation: Option<Recommendation>,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
    /// What else may be wanted.
    pub alternatives: Vec<Alternative>,
    /// What it would take, where that was measured.
    pub estimate: Option<Estimate>,
}

/// What texts like these are to be compared by.
pub(super) fn compared(findings: &Findings) -> Compared {
    if findings.words.median < SHORT {
        Compared::Terms
    } else {
        Compared::Shingles
    }
}

/// Share of the texts that repeat another but for their numbers.
fn differ_in_numbers(findings: &Findings) -> f64 {
    (findings.copies.but_for_numbers - findings.copies.words).max(0.0)
}

/// The highest score at which a valley is believed. The few words of short texts make scores of their own just below 1.
pub(super) fn highest_valley(compared: Compared) -> f64 {
    match compared {
        Compared::Terms => 0.75,
        Compared::Shingles => 0.86,
    }
}

/// What goes with a collection in which this was found.
pub fn recommend(findings: &Findings) -> Advice {
    let mut advice = Advice::default();
    let texts = findings.texts();
    if texts == 0 {
        let reason = "no record has a text with a word in it: is it in another field (`--text-field`) or format (`--format`)?";
        advice.reasons.push(reason.to_owned());
        return advice;
    }
    let mut chosen = method(findings, &mut advice.reasons);
    if let Some(pairs) = &findings.pairs {
        scores(pairs, findings, &mut chosen, &mut advice);
    } else {
        let reason = match texts {
            1 => "there is one text only: nothing to compare it with",
            _ => "all texts are the same, word by word: any method keeps one of them",
        };
        advice.reasons.push(reason.to_owned());
    }
    options(findings, &mut chosen, &mut advice.reasons);
    advice.estimate = estimate(findings, &chosen);
    inherit(&chosen, &mut advice.alternatives);
    advice.recommendation = Some(chosen);
    advice
}

/// The method by length and number of texts.
fn method(findings: &Findings, reasons: &mut Vec<String>) -> Recommendation {
    let median = findings.words.median;
    let chosen = |method: Method| {
        Recommendation::new(
            "dedup",
            method,
            method.metrics()[0],
            method.threshold().value(),
        )
    };
    if median < SHORT {
        reasons.push(format!(
            "terms: half of the texts have at most {}, too few for runs of five; weighted words tell what matters in them",
            plural(median, "word")
        ));
        return chosen(Method::Terms);
    }
    let texts = findings.copies.distinct;
    if texts >= MANY {
        reasons.push(format!(
            "minhash: from 100,000 different texts on (here {}) sketches take less time and memory than the complete search, and miss under 1 % of the pairs at the threshold",
            count(texts)
        ));
        return chosen(Method::Minhash);
    }
    reasons.push(format!(
        "shingles: half of the texts have {median} words or more, and {} are few enough for the complete search, which misses nothing",
        plural(texts as u64, "different text")
    ));
    chosen(Method::Shingles)
}

/// What the scores say: the threshold, and whether copies in part are the matter.
fn scores(
    pairs: &PairFindings,
    findings: &Findings,
    chosen: &mut Recommendation,
    advice: &mut Advice,
) {
    let reasons = &mut advice.reasons;
    threshold(pairs, chosen, reasons);
    let near = near_share(pairs, chosen.threshold);
    let likely = near_share(pairs, LEAST_THRESHOLD);
    reasons.push(if likely == 0.0 {
        let copies = match findings.copies.but_for_numbers {
            0.0 => "no copies were found either".to_owned(),
            share => format!(
                "what there is are exact copies, {} of the texts, which every method finds",
                percent(share)
            ),
        };
        format!("no two different texts of the sample score {LEAST_THRESHOLD} or more: {copies}")
    } else {
        format!(
            "{} of the different texts have a near-duplicate at {} or above",
            percent(near),
            chosen.threshold
        )
    });
    let partial = pairs.within.max(pairs.passages);
    // Where whole texts stand out, or everything shares its design, it is whole texts that are looked for.
    let by_design = pairs.boilerplate >= BOILERPLATE || findings.markup >= MARKUP;
    let prevails = partial >= PARTIAL.max(PARTIAL_TIMES * near);
    if prevails && !by_design && pairs.valley.is_none() {
        partial_copies(pairs, findings, chosen, advice);
    } else if partial >= SOME {
        advice.alternatives.push(Alternative {
            purpose: format!(
                "to find copied passages as well ({} of the texts share one with another text, or stand within it)",
                percent(partial)
            ),
            recommendation: by_sentences("pairs"),
        });
    }
    if pairs.boilerplate >= BOILERPLATE {
        advice.reasons.push(format!(
            "boilerplate: {} of what the texts say stands in more than a twentieth of them, and makes texts alike that are not; look at the pairs near the threshold",
            percent(pairs.boilerplate)
        ));
        let mut passages = by_sentences("dedup");
        let most = findings.texts().max(300).to_string();
        passages
            .options
            .push(("remove", Some("passages".to_owned())));
        passages.options.push(("max-occurrences", Some(most)));
        advice.alternatives.push(Alternative {
            purpose: "to take what is repeated out of the texts, the first one excepted".to_owned(),
            recommendation: passages,
        });
    }
}

/// The threshold in the valley, or the method's own.
fn threshold(pairs: &PairFindings, chosen: &mut Recommendation, reasons: &mut Vec<String>) {
    let Some(valley) = pairs.valley else {
        reasons.push(format!(
            "threshold {}: the method's own, for the scores have no valley, or too few pairs to tell",
            chosen.threshold
        ));
        return;
    };
    let rounded = (valley.at * 20.0).round() / 20.0;
    chosen.threshold = rounded.clamp(LEAST_THRESHOLD, MOST_THRESHOLD);
    let end = if rounded == chosen.threshold {
        String::new()
    } else {
        format!("; {} is the nearest that is sound", chosen.threshold)
    };
    reasons.push(format!(
        "threshold {}: scores have a valley at {:.2} between texts that have something in common and those that say the same{end}",
        chosen.threshold, valley.at
    ));
}

/// Share of the sampled texts whose best score is at least this.
fn near_share(pairs: &PairFindings, threshold: f64) -> f64 {
    let near = pairs.histogram.iter();
    let near = near.filter(|bin| bin.from >= threshold - 1e-9);
    near.map(|bin| bin.texts).sum::<u64>() as f64 / pairs.sampled.max(1) as f64
}

fn by_sentences(command: &'static str) -> Recommendation {
    let method = Method::Sentences;
    Recommendation::new(
        command,
        method,
        method.metrics()[0],
        method.threshold().value(),
    )
}

/// Copies in part are more than near-duplicates: those are looked for.
fn partial_copies(
    pairs: &PairFindings,
    findings: &Findings,
    chosen: &mut Recommendation,
    advice: &mut Advice,
) {
    let small = findings.copies.distinct < MANY;
    let near = chosen.clone();
    if pairs.within >= PARTIAL && small {
        *chosen = Recommendation::new(
            "pairs",
            Method::Shingles,
            Metric::Containment,
            WITHIN_THRESHOLD,
        );
        advice.reasons.push(format!(
            "containment: {} of the texts lie within another or have another in them, without resembling it as a whole",
            percent(pairs.within)
        ));
    } else {
        *chosen = by_sentences("pairs");
        advice.reasons.push(format!(
            "sentences: {} of the texts share a passage of three sentences or so with a text that is otherwise another",
            percent(pairs.passages)
        ));
    }
    advice.reasons.push(
        "pairs instead of dedup: a text that is copied in part should be looked at before it goes"
            .to_owned(),
    );
    advice.alternatives.push(Alternative {
        purpose: "to remove what is the same as a whole".to_owned(),
        recommendation: near,
    });
}

/// Options that follow from what the texts are like.
fn options(findings: &Findings, chosen: &mut Recommendation, reasons: &mut Vec<String>) {
    let numbers = differ_in_numbers(findings);
    if numbers >= NUMBERS {
        reasons.push(format!(
            "numbers: {} of the texts repeat another except for their numbers, and are kept; `--numbers token` treats them as copies",
            percent(numbers)
        ));
    }
    language(findings, chosen, reasons);
    if findings.markup >= MARKUP {
        reasons.push(format!(
            "markup: {} of the texts have tags in them, which count as words and make pages of one design alike; give the pages as files or WARC (`--format html`), or take the text out before",
            percent(findings.markup)
        ));
    }
    if findings.repeated_ids {
        chosen.options.push(("renumber", None));
        reasons.push("--renumber: ids are not unique, which is an error otherwise".to_owned());
    }
    let empty = findings.empty as f64 / findings.records.max(1) as f64;
    if empty >= EMPTY {
        reasons.push(format!(
            "{} of the records have no word in their text and match nothing; `--drop-empty` leaves them out",
            percent(empty)
        ));
    }
}

/// What the languages ask for.
fn language(findings: &Findings, chosen: &mut Recommendation, reasons: &mut Vec<String>) {
    let Some(first) = findings.languages.first() else {
        return;
    };
    let by_terms = chosen.method.info().weighs_terms;
    let of_words = chosen.method.unit().is_some() || by_terms;
    match first.language {
        Language::Auto => {}
        Language::Chinese | Language::Japanese | Language::Thai if !of_words => {
            reasons.push(format!(
                "{}: written without spaces, so that a shingle is five characters; `--shingle 8` asks for longer runs",
                first.language.code()
            ));
        }
        // The script tells what these are.
        Language::Chinese | Language::Japanese | Language::Korean | Language::Thai => {}
        Language::Greek | Language::Hebrew => {}
        language if by_terms && first.share >= ONE_LANGUAGE => {
            let code = language.code().to_owned();
            reasons.push(format!(
                "--lang {code}: {} of the texts are in it, and short ones may not tell",
                percent(first.share)
            ));
            chosen.options.push(("lang", Some(code)));
        }
        _ => {}
    }
}

/// Gives alternatives the options that do not depend on the method.
fn inherit(chosen: &Recommendation, alternatives: &mut [Alternative]) {
    for Alternative { recommendation, .. } in alternatives {
        let options = chosen.options.iter();
        let options = options.filter(|(name, _)| *name == "renumber");
        recommendation.options.extend(options.cloned());
    }
}

/// Bytes that a run takes however few the texts.
const EVERY_RUN: f64 = 120e6;

/// What a run would take, in proportion to the runs that `docs/choosing.md` names.
fn estimate(findings: &Findings, chosen: &Recommendation) -> Option<Estimate> {
    // Seconds of processor time a gigabyte, and bytes a record beside those that every run needs: 100,000 and 1,000,000 texts in
    // benchmarks/record, by `cargo xtask bench` and `terms-scaling`.
    const COSTS: [(Method, Metric, f64, f64); 6] = [
        (Method::Shingles, Metric::Resemblance, 13.7, 800.0),
        (Method::Shingles, Metric::Coverage, 68.0, 2010.0),
        (Method::Shingles, Metric::Containment, 68.0, 2010.0),
        (Method::Shingles, Metric::ContainmentCoverage, 68.0, 2010.0),
        (Method::Minhash, Metric::Resemblance, 7.1, 340.0),
        (Method::Terms, Metric::Degree, 94.0, 390.0),
    ];
    let mut costs = COSTS.into_iter();
    let own =
        |cost: &(Method, Metric, f64, f64)| (cost.0, cost.1) == (chosen.method, chosen.metric);
    let (_, _, seconds, bytes) = costs.find(own)?;
    Some(Estimate {
        cpu_seconds: findings.bytes as f64 / 1e9 * seconds,
        memory: EVERY_RUN + findings.records as f64 * bytes,
    })
}

/// A share in percent; what is there is not 0.
fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent > 0.0 && percent < 0.1 => "under 0.1 %".to_owned(),
        percent if percent < 99.95 => format!("{percent:.1} %"),
        _ if share < 1.0 => "over 99.9 %".to_owned(),
        _ => "100 %".to_owned(),
    }
}

fn plural(number: u64, what: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{} {what}{end}", count(number as f64))
}

/// A number with its thousands apart.
fn count(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
