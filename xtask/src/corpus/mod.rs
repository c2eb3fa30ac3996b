//! `cargo xtask corpus`: collections of any size, made of real text, with known duplicates.
//!
//! `source` reads and indexes real text, `walk` makes new texts of it, `edit` makes copies, `plan`
//! decides which text is what, `stats` measures the result. Texts are made in blocks on all cores
//! and written as they come: memory holds the source and a few blocks, whatever the size asked for.

mod edit;
mod plan;
pub(crate) mod random;
mod source;
pub(crate) mod stats;
mod walk;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use crate::workspace;
use plan::{Plan, Shape};
use source::Source;

/// Real text of the project's data folder, looked for beside the workspace.
const DOCUMENT_SOURCES: [&str; 4] = ["reuters21578", "bbc_news", "gnad_test", "manpages"];
const SHORT_SOURCES: [&str; 1] = ["nus_sms"];
const DATA: &str = "../shared/data";
const LAST_RESORT: &str = "samples/collection.jsonl";
/// Texts made by a thread at a time.
const BLOCK: usize = 4096;

/// What to make.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// How many texts to make
    #[arg(long, default_value_t = 100_000)]
    pub(crate) documents: usize,
    /// Words per text, on average [default: 190, or 12 for short ones]
    #[arg(long)]
    pub(crate) words: Option<usize>,
    /// Articles, or messages of about 64 bytes
    #[arg(long, value_enum, default_value_t = Kind::Documents)]
    pub(crate) kind: Kind,
    /// JSON lines with a `text` to draw on, or folders of them (Zstandard is understood)
    #[arg(long, num_args = 1.., value_name = "FILE|DIR")]
    pub(crate) from: Vec<PathBuf>,
    /// The same seed makes the same bytes, on every machine
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Measure the collection afterwards and print what was found
    #[arg(long)]
    pub(crate) stats: bool,
    /// Where to write; beside it go FILE.truth.jsonl and FILE.info.json (counts)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// The two kinds of collection.
#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub(crate) enum Kind {
    Documents,
    Short,
}

/// Make the collection, its truth file, and perhaps its statistics.
pub(crate) fn run(args: &Args) -> Result<()> {
    ensure!(args.documents > 0, "`--documents` must be at least 1");
    let files = sources(args)?;
    let source = Source::read(&files)?;
    println!(
        "source: {} words from {} file(s)",
        source.len(),
        files.len()
    );
    write_collection(
        &Plan::new(&source, args.seed, args.documents, shape(args)),
        &source,
        &args.output,
    )?;
    println!("wrote {}", args.output.display());
    if args.stats {
        stats::print(&args.output, &truth_path(&args.output))?;
    }
    Ok(())
}

/// The truth file that belongs to a collection.
pub(crate) fn truth_path(collection: &Path) -> PathBuf {
    beside(collection, ".truth.jsonl")
}

/// The file with the counts of a collection.
pub(crate) fn info_path(collection: &Path) -> PathBuf {
    beside(collection, ".info.json")
}

fn beside(collection: &Path, ending: &str) -> PathBuf {
    let mut path = collection.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

fn shape(args: &Args) -> Shape {
    match args.kind {
        Kind::Documents => Shape {
            words: args.words.unwrap_or(190) as f64,
            sigma: 0.5,
            least: 20.0,
            most: 2000.0,
            overrun: 20,
        },
        Kind::Short => Shape {
            words: args.words.unwrap_or(12) as f64,
            sigma: 0.6,
            least: 2.0,
            most: 60.0,
            overrun: 4,
        },
    }
}

/// The files to draw on: those given, or the data folder's, or the sample.
fn sources(args: &Args) -> Result<Vec<PathBuf>> {
    if !args.from.is_empty() {
        return source::find_files(&args.from);
    }
    let root = workspace::root();
    let names: &[&str] = match args.kind {
        Kind::Documents => &DOCUMENT_SOURCES,
        Kind::Short => &SHORT_SOURCES,
    };
    let folders = names.iter().map(|name| root.join(DATA).join(name));
    let present: Vec<PathBuf> = folders.filter(|folder| folder.is_dir()).collect();
    if present.is_empty() {
        return source::find_files(&[root.join(LAST_RESORT)]);
    }
    source::find_files(&present)
}

/// The lines of some texts, and of the truth about them.
#[derive(Default)]
struct Block {
    texts: Vec<u8>,
    truth: Vec<u8>,
    words: usize,
}

fn write_collection(plan: &Plan<'_>, source: &Source, output: &Path) -> Result<()> {
    if let Some(folder) = output.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut words = 0;
    let mut texts = create(output)?;
    let mut truth = create(&truth_path(output))?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let starts: Vec<usize> = (0..plan.texts()).step_by(BLOCK).collect();
    for wave in starts.chunks(threads) {
        for block in make_blocks(plan, source, wave)? {
            texts.write_all(&block.texts)?;
            truth.write_all(&block.truth)?;
            words += block.words;
        }
    }
    texts.flush()?;
    truth.flush()?;
    write_info(output, plan.texts(), words)
}

/// What a collection holds, for those who would have to count it again.
fn write_info(output: &Path, texts: usize, words: usize) -> Result<()> {
    let info = serde_json::json!({
        "documents": texts,
        "words": words,
        "bytes": std::fs::metadata(output)?.len(),
    });
    std::fs::write(info_path(output), format!("{info:#}\n"))?;
    Ok(())
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    let file = File::create(path).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(BufWriter::with_capacity(1 << 20, file))
}

/// One block a thread, in the order of their texts.
fn make_blocks(plan: &Plan<'_>, source: &Source, starts: &[usize]) -> Result<Vec<Block>> {
    thread::scope(|scope| {
        let spawn = |&start: &usize| {
            let end = (start + BLOCK).min(plan.texts());
            scope.spawn(move || make_block(plan, source, start..end))
        };
        let workers: Vec<_> = starts.iter().map(spawn).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().ok().context("a thread panicked")?)
            .collect()
    })
}

fn make_block(plan: &Plan<'_>, source: &Source, numbers: Range<usize>) -> Result<Block> {
    let mut block = Block::default();
    let mut text = String::new();
    for number in numbers {
        text.clear();
        let words = plan.words(number);
        write_words(source, &words, &mut text);
        block.words += words.iter().map(|&word| source.count(word)).sum::<usize>();
        write!(block.texts, r#"{{"id": "{}", "text": "#, id(number))?;
        serde_json::to_writer(&mut block.texts, &text)?;
        block.texts.extend_from_slice(b"}\n");
        if let Some(copy) = plan.copy(number) {
            writeln!(
                block.truth,
                r#"{{"a": "{}", "b": "{}", "kind": "{}", "rate": {}}}"#,
                id(copy.original),
                id(number),
                copy.kind.name(),
                copy.rate
            )?;
        }
    }
    Ok(block)
}

fn id(number: usize) -> String {
    format!("d{:07}", number + 1)
}

fn write_words(source: &Source, words: &[source::Word], text: &mut String) {
    for (index, &word) in words.iter().enumerate() {
        if index > 0 {
            text.push_str(if words[index - 1].ends_paragraph() {
                "\n\n"
            } else {
                " "
            });
        }
        text.push_str(source.form(word));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;

    const TEXTS: [&str; 3] = [
        "The \"cat\" sat on the mat. The dog sat on the cat. A cat on the mat ran.",
        "The mat on the cat was the mat of the dog. No dog ran on the mat.",
        "Die Katze saß auf der Matte. Der Hund lief.",
    ];

    fn make(seed: u64, documents: usize) -> (String, String) {
        let source = Source::from_texts(&TEXTS);
        let shape = Shape {
            words: 40.0,
            sigma: 0.5,
            least: 20.0,
            most: 2000.0,
            overrun: 20,
        };
        let plan = Plan::new(&source, seed, documents, shape);
        let mut whole = Block::default();
        for start in (0..documents).step_by(700) {
            let block = make_block(&plan, &source, start..(start + 700).min(documents))
                .expect("memory is writable");
            whole.texts.extend(block.texts);
            whole.truth.extend(block.truth);
        }
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (text(whole.texts), text(whole.truth))
    }

    fn parse(lines: &str) -> Vec<Value> {
        let line = |line| serde_json::from_str(line).expect("JSON");
        lines.lines().map(line).collect()
    }

    #[test]
    fn a_seed_makes_the_same_collection() {
        assert_eq!(make(1, 1500), make(1, 1500));
        assert_ne!(make(1, 100), make(2, 100));
    }

    #[test]
    fn the_truth_speaks_of_texts_that_exist() {
        let (texts, truth) = make(1, 2000);
        let (texts, truth) = (parse(&texts), parse(&truth));
        let ids: HashSet<&str> = texts.iter().filter_map(|t| t["id"].as_str()).collect();
        assert_eq!(ids.len(), 2000);
        assert!((300..500).contains(&truth.len()), "{}", truth.len());
        for row in &truth {
            let (a, b) = (row["a"].as_str(), row["b"].as_str());
            assert!(a < b && a.is_some_and(|a| ids.contains(a)));
            assert!(b.is_some_and(|b| ids.contains(b)));
        }
    }

    #[test]
    fn an_exact_copy_is_the_same_text() {
        let (texts, truth) = make(3, 2000);
        let texts = parse(&texts);
        let find = |id: &Value| texts.iter().find(|text| text["id"] == *id);
        let truth = parse(&truth);
        let mut exact = truth.iter().filter(|row| row["kind"] == "exact");
        assert!(exact.clone().count() > 20);
        assert!(exact.all(|row| {
            find(&row["a"]).map(|text| &text["text"]) == find(&row["b"]).map(|text| &text["text"])
        }));
    }
}
