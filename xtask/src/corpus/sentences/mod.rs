//! A collection of the shape that the paper behind `sentences` has (Yoon et al., table 1): sources, and targets of which
//! some were clipped from them.
//!
//! `prose` writes sentences, `notices` knows the lines that stand under many texts, `sources` and `targets` decide what
//! each text is, `reword` changes sentences. All that is new is made from real text by the walk of the other kinds;
//! all that is copied is known, and the truth file says of each target how many sentences come from where.

mod notices;
mod prose;
mod reword;
mod sources;
mod targets;

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::random::Random;
use super::source::{Script, Source};
use super::{Args, beside, create, each_block, read_source, stats, truth_path, write_info};
use prose::Prose;
use sources::Sources;
use targets::Targets;

/// How many texts, sentences a text and words a sentence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) texts: usize,
    sentences: f64,
    words: f64,
}

/// The paper's sources.
const SOURCES: Shape = Shape {
    texts: 432_162,
    sentences: 11.57,
    words: 14.45,
};
/// The paper's targets, and how many of them are copies.
const TARGETS: Shape = Shape {
    texts: 19_076,
    sentences: 17.13,
    words: 11.34,
};
const DUPLICATES: usize = 924;
/// The deviation of the logarithm of the number of sentences in a text.
const SIGMA: f64 = 0.85;

impl Shape {
    /// The number of sentences of a text.
    fn draw_sentences(&self, random: &mut Random) -> usize {
        (random.log_normal(self.sentences, SIGMA) + 0.5).clamp(3.0, 120.0) as usize
    }
}

/// How many sources and targets: those asked for, the paper's, or targets in proportion.
pub(crate) fn sizes(sources: Option<usize>, targets: Option<usize>) -> (usize, usize) {
    let sources = sources.unwrap_or(SOURCES.texts);
    let in_proportion = || scaled(sources, TARGETS.texts, SOURCES.texts).max(1);
    (sources, targets.unwrap_or_else(in_proportion))
}

fn scaled(number: usize, share: usize, whole: usize) -> usize {
    (number * share + whole / 2) / whole
}

/// The targets that belong to a collection of sources.
pub(crate) fn targets_path(sources: &Path) -> PathBuf {
    beside(sources, ".targets.jsonl")
}

/// Make both, and what is known about them. The sources' info is written last.
pub(super) fn run(args: &Args) -> Result<()> {
    ensure!(
        args.words.is_none(),
        "`--words` is not for sentences: the paper's table gives their length"
    );
    let (sources, targets) = sizes(args.documents, args.targets);
    ensure!(
        sources > 0 && targets > 0,
        "`--documents` and `--targets` must be at least 1"
    );
    let source = read_source(args, Script::Spaced)?;
    make(&source, args.seed, (sources, targets), &args.output)
}

fn make(source: &Source, seed: u64, sizes: (usize, usize), output: &Path) -> Result<()> {
    let prose = Prose::new(source);
    let sources = Sources {
        prose: &prose,
        shape: Shape {
            texts: sizes.0,
            ..SOURCES
        },
        seed,
    };
    let duplicates = scaled(sizes.1, DUPLICATES, TARGETS.texts);
    let targets = Targets::new(
        &sources,
        Shape {
            texts: sizes.1,
            ..TARGETS
        },
        duplicates,
    );
    let targets_output = targets_path(output);
    let of_sources = write_texts(output, sizes.0, |texts| sources_block(&sources, texts))?;
    let of_targets = write_texts(&targets_output, sizes.1, |texts| {
        targets_block(&targets, texts)
    })?;
    let mut targets_info = info("sentences-targets", sizes.1, &of_targets, &targets_output)?;
    targets_info["duplicates"] = json!(duplicates);
    write_info(&targets_output, &targets_info)?;
    let mut sources_info = info("sentences", sizes.0, &of_sources, output)?;
    sources_info["targets"] = json!(sizes.1);
    sources_info["seed"] = json!(seed);
    write_info(output, &sources_info)
}

/// What some texts hold.
#[derive(Default)]
struct Counts {
    words: usize,
    sentences: usize,
    kinds: BTreeMap<&'static str, usize>,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.words += other.words;
        self.sentences += other.sentences;
        for (kind, count) in &other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
    }
}

/// The lines of some texts, of the truth about them, and what they hold.
#[derive(Default)]
struct Block {
    texts: Vec<u8>,
    truth: Vec<u8>,
    counts: Counts,
}

impl Block {
    fn add(&mut self, id: &str, text: &str, sentences: usize) -> Result<()> {
        writeln!(
            self.texts,
            r#"{{"id": "{id}", "text": {}}}"#,
            Value::from(text)
        )?;
        self.counts.words += stats::words(text).len();
        self.counts.sentences += sentences;
        Ok(())
    }

    fn count(&mut self, kind: &'static str) {
        *self.counts.kinds.entry(kind).or_default() += 1;
    }
}

fn write_texts(
    output: &Path,
    total: usize,
    make: impl Fn(Range<usize>) -> Result<Block> + Sync,
) -> Result<Counts> {
    let mut texts = create(output)?;
    let mut truth = create(&truth_path(output))?;
    let mut counts = Counts::default();
    each_block(total, make, |block| {
        texts.write_all(&block.texts)?;
        truth.write_all(&block.truth)?;
        counts.add(&block.counts);
        Ok(())
    })?;
    texts.flush()?;
    truth.flush()?;
    Ok(counts)
}

fn info(kind: &str, documents: usize, counts: &Counts, path: &Path) -> Result<Value> {
    let mean =
        |part: usize, whole: usize| (part as f64 / whole.max(1) as f64 * 1000.0).round() / 1000.0;
    Ok(json!({
        "kind": kind,
        "documents": documents,
        "sentences": counts.sentences,
        "words": counts.words,
        "sentences_per_text": mean(counts.sentences, documents),
        "words_per_sentence": mean(counts.words, counts.sentences),
        "kinds": counts.kinds,
        "bytes": std::fs::metadata(path)?.len(),
    }))
}

fn source_id(text: usize) -> String {
    format!("s{:07}", text + 1)
}

fn sources_block(sources: &Sources<'_>, texts: Range<usize>) -> Result<Block> {
    let mut block = Block::default();
    for text in texts {
        let id = source_id(text);
        let sentences = sources.sentences(text);
        block.add(&id, &sources.write(text, &sentences), sentences.len())?;
        if let Some(earlier) = sources.republishes(text) {
            let earlier = source_id(earlier);
            writeln!(
                block.truth,
                r#"{{"a": "{earlier}", "b": "{id}", "kind": "republished"}}"#
            )?;
            block.count("republished");
        }
    }
    Ok(block)
}

fn targets_block(targets: &Targets<'_>, texts: Range<usize>) -> Result<Block> {
    let mut block = Block::default();
    for text in texts {
        let id = format!("t{:07}", text + 1);
        let target = targets.make(text);
        block.add(&id, &targets.write(text, &target), target.sentences.len())?;
        block.count(target.kind.name());
        let source = |(source, sentences)| json!({"id": source_id(source), "sentences": sentences});
        let sources: Vec<Value> = target.sources().into_iter().map(source).collect();
        let (copied, changed) = target.copied();
        let truth = json!({
            "id": id,
            "duplicate": target.kind.is_duplicate(),
            "kind": target.kind.name(),
            "of": target.sentences.len(),
            "copied": copied,
            "changed": changed,
            "sources": sources,
        });
        writeln!(block.truth, "{truth}")?;
    }
    Ok(block)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Text in which words go on in many ways: 300 of them, some far more common than others, between articles.
    fn text() -> String {
        let mut random = Random::new(9, 9);
        let mut text = String::new();
        for sentence in 0..3_000 {
            text.push_str("The");
            for place in 0..4 + random.below(20) {
                let word = random.below(300).min(random.below(300));
                let letters = [word / 100, word / 10 % 10, word % 10];
                let letters = letters.map(|digit| {
                    ["ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu"][digit]
                });
                let article = if place % 3 == 2 { " the" } else { "" };
                text.push_str(&format!("{article} {}", letters.concat()));
            }
            text.push_str(if sentence % 9 == 0 { "!\n" } else { ". " });
        }
        text
    }

    /// A tenth of the paper's sources and 2,064 targets, of which 100 are copies.
    pub(super) fn check(test: impl Fn(&Sources<'_>, &Targets<'_>)) {
        let source = Source::from_texts(&[&text()]);
        let prose = Prose::new(&source);
        let sources = Sources {
            prose: &prose,
            shape: Shape {
                texts: 43_216,
                ..SOURCES
            },
            seed: 1,
        };
        let targets = Targets::new(
            &sources,
            Shape {
                texts: 2_064,
                ..TARGETS
            },
            100,
        );
        test(&sources, &targets);
    }

    fn within(found: f64, wanted: f64) {
        assert!(
            (found / wanted - 1.0).abs() < 0.03,
            "{found} instead of {wanted}"
        );
    }

    fn check_shape(counts: &Counts, shape: Shape, texts: usize) {
        within(counts.sentences as f64 / texts as f64, shape.sentences);
        within(counts.words as f64 / counts.sentences as f64, shape.words);
    }

    #[test]
    fn texts_have_the_paper_s_lengths() {
        check(|sources, targets| {
            let block = sources_block(sources, 0..4000).expect("memory is writable");
            check_shape(&block.counts, SOURCES, 4000);
            let block = targets_block(targets, 0..2064).expect("memory is writable");
            check_shape(&block.counts, TARGETS, 2064);
        });
    }

    #[test]
    fn a_seed_makes_the_same_collection_in_any_order() {
        check(|sources, targets| {
            let whole = sources_block(sources, 0..300).expect("memory is writable");
            let part = sources_block(sources, 200..300).expect("memory is writable");
            assert!(whole.texts.ends_with(&part.texts));
            let other = Sources {
                seed: 2,
                ..*sources
            };
            assert_ne!(sources.sentences(0), other.sentences(0));
            let whole = targets_block(targets, 0..300).expect("memory is writable");
            let part = targets_block(targets, 200..300).expect("memory is writable");
            assert!(whole.texts.ends_with(&part.texts) && whole.truth.ends_with(&part.truth));
        });
    }

    #[test]
    fn the_truth_has_a_line_for_each_target() {
        check(|_, targets| {
            let block = targets_block(targets, 0..500).expect("memory is writable");
            let lines = String::from_utf8(block.truth).expect("UTF-8");
            let rows: Vec<Value> = lines
                .lines()
                .map(|line| serde_json::from_str(line).expect("JSON"))
                .collect();
            assert_eq!(rows.len(), 500);
            for (number, row) in rows.iter().enumerate() {
                assert_eq!(row["id"], format!("t{:07}", number + 1));
                let sources = row["sources"].as_array().expect("a list");
                let listed: u64 = sources.iter().filter_map(|s| s["sentences"].as_u64()).sum();
                assert_eq!(row["copied"], listed);
                assert!(row["duplicate"] == false || listed > 0);
            }
        });
    }

    #[test]
    fn sizes_keep_the_paper_s_proportions() {
        assert_eq!(sizes(None, None), (432_162, 19_076));
        assert_eq!(sizes(Some(43_216), None), (43_216, 1_908));
        assert_eq!(sizes(Some(10), None), (10, 1));
        assert_eq!(sizes(None, Some(500)), (432_162, 500));
    }
}
