//! `doublet compare`: two texts side by side in the terminal.

use std::io::Write;
use std::ops::Range;

use anyhow::{Result, bail};
use doublet::batch::learn_terms_of;
use doublet::method::explain::{Explainer, Explanation};
use doublet::method::sentences::Fingerprinter;
use doublet::method::shingles::Preparer;
use doublet::method::simhash::Simhasher;
use doublet::method::terms::{Lexicon, TermSegmenter};
use doublet::method::{Decision, Method};
use doublet::options::Format;
use doublet::report::pairs::named_scores;
use doublet::scores::{Metric, Scores};
use doublet::threshold::Threshold;
use serde_json::{Value, json};

use super::side_by_side::side_by_side;
use super::simhash::Fingerprints;
use super::sketches::Sketching;
use super::terms::{Sides, degree_detail};
use super::{BadData, spool_directory};
use crate::Status;
use crate::args::{CompareArguments, MatchArguments};
use crate::console::Console;
use crate::display::{BOLD, DIM};

pub(crate) fn run(arguments: &CompareArguments, console: &Console) -> Result<Status> {
    let matching = &arguments.matching;
    let (metric, threshold) = (matching.metric(), matching.threshold()?);
    matching.method().expect_metric(metric)?;
    if arguments.a == "-" && arguments.b == "-" {
        return Err(doublet::Error::SecondStandardInput.into());
    }
    let a = read_one(console, &arguments.a, arguments)?;
    let b = read_one(console, &arguments.b, arguments)?;
    let normalize = matching.normalize()?;
    let preparer = Preparer::new(&normalize, &matching.shingle())?;
    let model = Model::new(matching, &[&a, &b])?;
    let explainer = model.explainer(&preparer);
    let found = explainer.explain(&a, &b);
    let sides = match &model {
        Model::Terms(segmenter, lexicon) => Some((Sides::new(segmenter, lexicon, &a, &b), lexicon)),
        Model::Shingles | Model::Sentences(_) => None,
    };
    let decision = Decision {
        metric,
        threshold,
        copies: match matching.method().unit() {
            Some(_) => Some(matching.sentences(false)?.rule),
            None => None,
        },
        one_way: false,
    };
    let fingerprints = model.fingerprints(matching, &preparer, &a, &b)?;
    let sketching = Sketching::new(matching, &preparer)?;
    let agreement = sketching.map(|sketching| sketching.agreement(&a, &b));
    let decisive = match (&fingerprints, &agreement) {
        (Some(fingerprints), _) => fingerprints.scores(),
        (None, Some(agreement)) => agreement.decisive(found.scores, metric),
        (None, None) => found.scores,
    };
    let duplicate = decision.is_match(&decisive);
    if arguments.json {
        let terms = sides.map(|(sides, lexicon)| sides.to_json(lexicon));
        let mut line = describe(arguments, &found, duplicate, (&a, &b), terms);
        line["score"] = decisive.score(metric).into();
        if let Some(fingerprints) = fingerprints {
            fingerprints.describe(&mut line);
        }
        if let Some(agreement) = agreement {
            agreement.describe(&mut line);
        }
        writeln!(console.out(), "{line}")?;
    } else {
        let mut out = console.styled();
        let left = (arguments.a.as_str(), a.as_str(), &found.passages_a[..]);
        let right = (arguments.b.as_str(), b.as_str(), &found.passages_b[..]);
        side_by_side(&mut out, left, right, usize::MAX)?;
        scores(&mut out, arguments, &found)?;
        if let Some((sides, lexicon)) = sides {
            sides.print(&mut out, lexicon)?;
        }
        if let Some(fingerprints) = fingerprints {
            fingerprints.print(&mut out)?;
        }
        if let Some(agreement) = agreement {
            agreement.print(&mut out)?;
        }
        verdict(&mut out, &decisive, metric, threshold)?;
        let common = found.scores.common;
        if decision.is_enough(common) {
            let why = "common sentences make it a copy, whatever their share";
            writeln!(out, "{common} {why}")?;
        }
    }
    Ok(if duplicate {
        Status::Done
    } else {
        Status::NotFound
    })
}

/// Says whether the score is high enough.
fn verdict(
    out: &mut impl Write,
    scores: &Scores,
    metric: Metric,
    threshold: Threshold,
) -> Result<()> {
    let reached = scores.reaches(metric, threshold);
    let verdict = if reached { "at or above" } else { "below" };
    let score = scores.score(metric);
    Ok(writeln!(
        out,
        "\n{metric} {BOLD}{score:.6}{BOLD:#} is {verdict} the threshold of {threshold}"
    )?)
}

/// What two texts are seen by.
enum Model {
    Shingles,
    Terms(TermSegmenter, Box<Lexicon>),
    Sentences(Fingerprinter),
}

impl Model {
    fn new(matching: &MatchArguments, texts: &[&str]) -> Result<Self> {
        let (normalize, terms) = (matching.normalize()?, matching.terms(false)?);
        let sentences = matching.sentences(false)?;
        Ok(match matching.method() {
            method if method == Method::Terms || matching.terms_vote() => {
                let segmenter = TermSegmenter::for_texts(&normalize, &terms, texts);
                let lexicon = learn_terms_of(&segmenter, texts, &terms)?;
                Self::Terms(segmenter, Box::new(lexicon))
            }
            Method::Sentences | Method::Imatch => {
                let common = sentences.common_of_texts(&normalize, texts);
                Self::Sentences(sentences.fingerprinter(matching.method(), &normalize, common))
            }
            Method::Shingles | Method::Minhash | Method::Simhash | Method::Terms => Self::Shingles,
        })
    }

    /// The fingerprints of the texts, if those decide.
    fn fingerprints(
        &self,
        matching: &MatchArguments,
        preparer: &Preparer,
        a: &str,
        b: &str,
    ) -> Result<Option<Fingerprints>> {
        let hasher = match self {
            Self::Terms(segmenter, lexicon) => Simhasher::Terms(segmenter, lexicon),
            Self::Shingles | Self::Sentences(_) => Simhasher::Shingles(preparer),
        };
        let decide = matching.method() == Method::Simhash;
        Ok(decide.then(|| Fingerprints::new(hasher, a, b)))
    }

    fn explainer<'a>(&'a self, preparer: &'a Preparer) -> Explainer<'a> {
        match self {
            Self::Shingles => Explainer::Shingles(preparer),
            Self::Terms(segmenter, lexicon) => Explainer::Terms(segmenter, lexicon),
            Self::Sentences(fingerprinter) => Explainer::Sentences(fingerprinter, &[]),
        }
    }
}

/// The one text of a file.
fn read_one(console: &Console, name: &str, arguments: &CompareArguments) -> Result<String> {
    let spool = spool_directory(None)?;
    let mut options = arguments.read.resolve(None);
    if name == "-" && options.format.is_none() {
        options.format = Some(Format::Text);
    }
    let collection = console.open(&[name.to_owned()], &options, spool.path())?;
    let mut blocks = collection.blocks()?;
    let mut texts = Vec::new();
    while let Some(block) = blocks.next_block()? {
        for index in 0..block.len() {
            let record = block.decode(index);
            let record = record.map_err(|bad| BadData::of(&bad))?;
            texts.push(record.text.into_owned());
            if texts.len() > 1 {
                bail!(BadData(format!(
                    "`{name}` holds several texts; `compare` takes two single ones, `doublet pairs` compares a collection"
                )));
            }
        }
    }
    texts
        .pop()
        .ok_or_else(|| BadData(format!("`{name}` holds no text")).into())
}

/// Everything as one object of JSON.
fn describe(
    arguments: &CompareArguments,
    found: &Explanation,
    duplicate: bool,
    (a, b): (&str, &str),
    terms: Option<Value>,
) -> Value {
    let metric = arguments.matching.metric();
    let passages = |text: &str, ranges: &[Range<usize>]| {
        let count = |end: usize| text[..end].chars().count();
        let one =
            |range: &Range<usize>| json!({"start": count(range.start), "end": count(range.end)});
        ranges.iter().map(one).collect::<Vec<_>>()
    };
    let counts = &found.scores;
    let mut line = json!({
        "a": arguments.a,
        "b": arguments.b,
        "score": counts.score(metric),
        "metric": metric.name(),
        "duplicate": duplicate,
        "common": counts.common,
        "distinct_a": counts.distinct_a,
        "distinct_b": counts.distinct_b,
        "covered_a": counts.covered_a,
        "covered_b": counts.covered_b,
        "tokens_a": counts.tokens_a,
        "tokens_b": counts.tokens_b,
        "passages_a": passages(a, &found.passages_a),
        "passages_b": passages(b, &found.passages_b),
    });
    for (name, value) in named_scores(counts, of_texts(metric)) {
        line[name] = value.into();
    }
    if let Some(terms) = terms {
        // Two texts without a term have no weight to show.
        line["degree"] = counts.score(Metric::Degree).into();
        line["terms"] = terms;
    }
    line
}

/// The metric by which the scores of the texts themselves are listed.
fn of_texts(metric: Metric) -> Metric {
    match metric {
        Metric::Agreement => Metric::Resemblance,
        other => other,
    }
}

fn scores(out: &mut impl Write, arguments: &CompareArguments, found: &Explanation) -> Result<()> {
    let (counts, metric) = (&found.scores, of_texts(arguments.matching.metric()));
    let union = counts.distinct_a + counts.distinct_b - counts.common;
    let unit = arguments.matching.word_method().info().unit_name;
    let tokens = arguments.matching.token_word();
    let detail = |name: &str| match name {
        "resemblance" => format!("{} of {union} distinct {unit}s are common", counts.common),
        "coverage" => format!(
            "{} of {} {tokens} lie under common {unit}s",
            counts.covered_a + counts.covered_b,
            counts.tokens_a + counts.tokens_b
        ),
        "containment_a" => format!("{} of {} {unit}s of A", counts.common, counts.distinct_a),
        "containment_b" => format!("{} of {} {unit}s of B", counts.common, counts.distinct_b),
        "degree" => degree_detail(found),
        "coverage_a" => format!("{} of {} {tokens} of A", counts.covered_a, counts.tokens_a),
        _ => format!("{} of {} {tokens} of B", counts.covered_b, counts.tokens_b),
    };
    writeln!(out)?;
    for (name, value) in named_scores(counts, metric) {
        writeln!(
            out,
            "{name:>14}  {BOLD}{value:.6}{BOLD:#}  {DIM}{}{DIM:#}",
            detail(name)
        )?;
    }
    Ok(())
}
