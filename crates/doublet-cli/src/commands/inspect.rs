//! `doublet inspect`: how a text is seen.

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Result;
use doublet::batch::{CountOptions, learn_terms, sentence_fingerprinter};
use doublet::fingerprint::truncate;
use doublet::method::Method;
use doublet::method::explain::{SeenTerm, seen_terms};
use doublet::method::sentences::Fingerprinter;
use doublet::method::shingles::{Preparer, Tokens};
use doublet::method::simhash::Simhasher;
use doublet::method::terms::TermOptions;
use doublet::options::Resources;
use doublet::progress::Observer;
use doublet::read::{Block, CodePoints, Collection, Record, expect_some};
use serde_json::json;

use super::sketches::Sketching;
use super::{BadData, simhash, spool_directory, terms};
use crate::Status;
use crate::args::InspectArguments;
use crate::console::Console;

pub(crate) fn run(arguments: &InspectArguments, console: &Console) -> Result<Status> {
    let matching = &arguments.matching;
    console.watch(true);
    let spool = spool_directory(None)?;
    let options = arguments.read.resolve(None);
    let collection = console.open(&arguments.inputs, &options, spool.path())?;
    let mut out = BufWriter::new(console.out());
    let terms = matching.terms(false)?;
    matching.sketches()?;
    match matching.method() {
        Method::Terms => {
            let counting = counting(arguments, terms, spool.path())?;
            let (segmenter, lexicon) = learn_terms(&collection, &counting, console)?;
            let terms = &counting.terms;
            writeln!(out, "{}", terms::groups(&lexicon, &terms.weights))?;
            let features = (terms.features, matching.threshold()?);
            each_record(arguments, &collection, console, |id, record, raw| {
                let seen = seen_terms(&segmenter, &lexicon, &record.text);
                let mut offsets = CodePoints::new(record, raw);
                let offset = |term: &SeenTerm| {
                    let start = offsets.start(term.place.start);
                    (start, offsets.end(term.place.end))
                };
                let line = terms::describe(id, &lexicon, &seen, features, offset);
                Ok(writeln!(out, "{line}")?)
            })?;
        }
        Method::Simhash if matching.terms_vote() => {
            let counting = counting(arguments, terms, spool.path())?;
            let (segmenter, lexicon) = learn_terms(&collection, &counting, console)?;
            let hasher = Simhasher::Terms(&segmenter, &lexicon);
            each_record(arguments, &collection, console, |id, record, _| {
                let line = simhash::describe(id, hasher, &record.text);
                Ok(writeln!(out, "{line}")?)
            })?;
        }
        Method::Simhash => {
            let preparer = Preparer::new(&matching.normalize()?, &matching.shingle())?;
            let hasher = Simhasher::Shingles(&preparer);
            each_record(arguments, &collection, console, |id, record, _| {
                let line = simhash::describe(id, hasher, &record.text);
                Ok(writeln!(out, "{line}")?)
            })?;
        }
        method @ (Method::Sentences | Method::Imatch) => {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let fingerprinter = sentence_fingerprinter(
                method,
                &matching.normalize()?,
                &matching.sentences(false)?,
                &collection,
                threads,
                console,
            )?;
            each_record(arguments, &collection, console, |id, record, raw| {
                let line = describe_sentences(id, record, raw, &fingerprinter);
                Ok(writeln!(out, "{line}")?)
            })?;
        }
        Method::Shingles | Method::Minhash => {
            matching.sentences(false)?;
            let shingle = matching.shingle();
            let preparer = Preparer::new(&matching.normalize()?, &shingle)?;
            let sketching = Sketching::new(matching, &preparer)?;
            each_record(arguments, &collection, console, |id, record, raw| {
                let tokens = preparer.tokens(&record.text);
                let sketch = sketching.as_ref().map(|seen| seen.describe(&tokens));
                let sketch = sketch.unwrap_or_default();
                let line = describe(id, record, &tokens, raw, shingle.bits, &sketch);
                Ok(writeln!(out, "{line}")?)
            })?;
        }
    }
    out.flush()?;
    Ok(Status::Done)
}

/// How the terms of the collection are counted.
fn counting(
    arguments: &InspectArguments,
    terms: TermOptions,
    temporary: &Path,
) -> Result<CountOptions> {
    Ok(CountOptions {
        method: Method::Terms,
        normalize: arguments.matching.normalize()?,
        terms,
        resources: Resources {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: u64::MAX,
            temp_dir: temporary.to_owned(),
        },
        strict: arguments.read.resolve(None).strict,
    })
}

/// Calls `each` with the id, the record and its raw bytes, record by record.
fn each_record(
    arguments: &InspectArguments,
    collection: &Collection,
    console: &Console,
    mut each: impl FnMut(&str, &Record<'_>, &[u8]) -> Result<()>,
) -> Result<()> {
    let options = arguments.read.resolve(None);
    let mut blocks = collection.blocks()?;
    let (mut read, mut rejected, mut first) = (0, 0, None);
    while let Some(block) = blocks.next_block()? {
        if console.cancelled() {
            return Err(doublet::Error::Interrupted.into());
        }
        for index in 0..block.len() {
            match block.decode(index) {
                Ok(record) => {
                    let number = block.first as usize + index;
                    let id = id_of(&record, collection, &block, index, number, options.renumber);
                    each(&id, &record, block.raw(index))?;
                    read += 1;
                }
                Err(bad) if options.strict => return Err(BadData::of(&bad).into()),
                Err(bad) => {
                    console.warning(&bad.to_string());
                    rejected += 1;
                    first.get_or_insert(bad);
                }
            }
        }
    }
    Ok(expect_some(read, rejected, first.as_ref())?)
}

fn id_of(
    record: &Record<'_>,
    collection: &Collection,
    block: &Block,
    index: usize,
    number: usize,
    renumber: bool,
) -> String {
    if renumber {
        return number.to_string();
    }
    match &record.key {
        Some(key) => key.as_json().to_owned(),
        None => json!(collection.name_of(&block.place(index))).to_string(),
    }
}

/// One line of JSON; the id and the fields of the sketch stand in it as they are.
fn describe(
    id: &str,
    record: &Record<'_>,
    tokens: &Tokens,
    raw: &[u8],
    bits: u32,
    sketch: &str,
) -> String {
    let mut distinct = tokens.shingles.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let mut offsets = CodePoints::new(record, raw);
    let seen: Vec<_> = (0..tokens.len())
        .map(|token| {
            let (start, end) = tokens.spans[token];
            let start = offsets.start(start as usize);
            let end = offsets.end(end as usize);
            json!({"text": tokens.form(token), "start": start, "end": end})
        })
        .collect();
    let width = bits.div_ceil(4) as usize;
    let hex =
        |fingerprint: &u64| format!("{:0width$x}", truncate(*fingerprint, bits) >> (64 - bits));
    let shingles = json!({"count": tokens.shingles.len(), "distinct": distinct.len()});
    let fingerprints = json!(tokens.shingles.iter().map(hex).collect::<Vec<_>>());
    let seen = json!(seen);
    format!(
        r#"{{"id": {id}, "tokens": {seen}, "shingles": {shingles}, "fingerprints": {fingerprints}{sketch}}}"#
    )
}

/// One line of JSON: every sentence with the words that are left of it and their fingerprint, if it has one.
fn describe_sentences(
    id: &str,
    record: &Record<'_>,
    raw: &[u8],
    fingerprinter: &Fingerprinter,
) -> String {
    let mut points = CodePoints::new(record, raw);
    let mut sentences = Vec::new();
    fingerprinter.explain(&record.text, |range, words, key| {
        let start = points.start(range.start);
        sentences.push(json!({
            "text": &record.text[range.clone()],
            "start": start,
            "end": points.end(range.end),
            "words": words,
            "fingerprint": key.map(|key| format!("{key:032x}")),
        }));
    });
    format!(r#"{{"id": {id}, "sentences": {}}}"#, json!(sentences))
}
