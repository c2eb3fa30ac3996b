//! `cargo xtask corpus`: collections of any size, made of real text, with known duplicates.
//!
//! `source` reads and indexes real text (Chinese with the help of `chinese`), `walk` makes new texts of it,
//! `edit` and `touch` make copies, `plan` decides which text is what, `stats` measures the result. Texts are
//! made in blocks on all cores and written as they come: memory holds the source and a few blocks, whatever
//! the size asked for. A collection in two languages has two plans, whose texts alternate. `sentences` makes sources and
//! targets that were clipped from them, by a plan of its own.

mod chinese;
mod edit;
mod plan;
pub(crate) mod random;
pub(crate) mod sentences;
mod source;
pub(crate) mod stats;
mod touch;
mod walk;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use serde_json::Value;

use crate::workspace;
use edit::{DOCUMENT_KINDS, MESSAGE_KINDS};
use plan::{Hubs, Plan, Shape};
pub(crate) use source::open;
use source::{Script, Source};

/// Real text of the project's data folder, looked for beside the workspace.
const DOCUMENT_SOURCES: [&str; 4] = ["reuters21578", "bbc_news", "gnad_test", "manpages"];
/// News alone, for sentences.
const NEWS_SOURCES: [&str; 2] = ["reuters21578", "bbc_news"];
const SHORT_SOURCES: [&str; 1] = ["nus_sms"];
const CHINESE_SOURCES: [&str; 2] = ["nus_sms", "zh_reviews"];
pub(crate) const DATA: &str = "../shared/data";
const LAST_RESORT: &str = "samples/collection.jsonl";
const DOCUMENTS: usize = 100_000;
/// Texts made by a thread at a time.
const BLOCK: usize = 4096;

/// What to make.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// How many texts to make [default: 100000; for sentences 432162, as in the paper]
    #[arg(long)]
    pub(crate) documents: Option<usize>,
    /// Texts to check against the others, only for sentences [default: 19076 for 432162 texts]
    #[arg(long)]
    pub(crate) targets: Option<usize>,
    /// Words per text, on average, in Chinese characters [default: 190, or what makes messages of 61 bytes]
    #[arg(long)]
    pub(crate) words: Option<usize>,
    /// Articles, messages of about 61 bytes, or articles and texts that were clipped from them
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

/// The kinds of collection.
#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Articles
    Documents,
    /// Messages in English
    Short,
    /// Messages in Chinese
    ShortZh,
    /// Messages, one in English, one in Chinese, and so on
    Messages,
    /// The same, half as long
    Titles,
    /// Articles, and blog posts of which some are clipped from them
    Sentences,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Documents => "documents",
            Self::Short => "short",
            Self::ShortZh => "short-zh",
            Self::Messages => "messages",
            Self::Titles => "titles",
            Self::Sentences => "sentences",
        }
    }

    /// The scripts of its texts.
    fn scripts(self) -> &'static [Script] {
        match self {
            Self::Documents | Self::Short | Self::Sentences => &[Script::Spaced],
            Self::ShortZh => &[Script::Chinese],
            Self::Messages | Self::Titles => &[Script::Spaced, Script::Chinese],
        }
    }
}

/// Make the collection, its truth file, and perhaps its statistics.
pub(crate) fn run(args: &Args) -> Result<()> {
    if args.kind == Kind::Sentences {
        sentences::run(args)?;
    } else {
        write_plans(args)?;
    }
    println!("wrote {}", args.output.display());
    if args.stats {
        stats::print(&args.output, &truth_path(&args.output))?;
    }
    Ok(())
}

fn write_plans(args: &Args) -> Result<()> {
    let documents = args.documents.unwrap_or(DOCUMENTS);
    ensure!(documents > 0, "`--documents` must be at least 1");
    ensure!(args.targets.is_none(), "`--targets` is for sentences");
    let scripts = args.kind.scripts();
    let sources = scripts
        .iter()
        .map(|&script| read_source(args, script))
        .collect::<Result<Vec<Source>>>()?;
    let plan = |(number, source): (usize, _)| {
        let texts = (documents - number.min(documents)).div_ceil(scripts.len());
        // Another seed for each, or the same places would be copies in all.
        let seed = args.seed.wrapping_add((number as u64) << 32);
        Plan::new(source, seed, texts, shape(args, source))
    };
    let plans: Vec<Plan<'_>> = sources.iter().enumerate().map(plan).collect();
    write_collection(&plans, args.kind, &args.output)
}

fn read_source(args: &Args, script: Script) -> Result<Source> {
    let files = files(args, script)?;
    let source = Source::read(&files, script)?;
    let (words, files) = (source.len(), files.len());
    println!("source: {words} words from {files} file(s)");
    Ok(source)
}

/// The truth file that belongs to a collection.
pub(crate) fn truth_path(collection: &Path) -> PathBuf {
    beside(collection, ".truth.jsonl")
}

/// The file with the counts of a collection.
fn info_path(collection: &Path) -> PathBuf {
    beside(collection, ".info.json")
}

fn beside(collection: &Path, ending: &str) -> PathBuf {
    let mut path = collection.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

fn shape(args: &Args, source: &Source) -> Shape {
    match (args.kind, source.script()) {
        (Kind::Documents, _) => document_shape(args.words.unwrap_or(190)),
        // A title of the paper has 31 bytes, a message 61.
        (Kind::Titles, Script::Spaced) => message_shape(args.words.unwrap_or(6)),
        (Kind::Titles, Script::Chinese) => message_shape(args.words.unwrap_or(10)),
        (_, Script::Spaced) => message_shape(args.words.unwrap_or(12)),
        // Characters, for words are not told apart in what the collection counts.
        (_, Script::Chinese) => message_shape(args.words.unwrap_or(19)),
    }
}

fn document_shape(words: usize) -> Shape {
    Shape {
        words: words as f64,
        sigma: 0.5,
        least: 20.0,
        most: 2000.0,
        overrun: 20,
        one_line: false,
        copies: 0.2,
        kinds: DOCUMENT_KINDS,
        // 20 to 100 copies each, over the whole collection.
        hubs: Hubs {
            every: 5_000,
            share: 0.005..0.020,
            skew: 1,
            stretch: usize::MAX,
        },
    }
}

fn message_shape(words: usize) -> Shape {
    Shape {
        words: words as f64,
        sigma: 0.6,
        least: words as f64 / 5.0,
        most: words as f64 * 5.0,
        overrun: words / 3,
        one_line: true,
        copies: 0.4,
        kinds: MESSAGE_KINDS,
        // 20 to 400 copies each, most of them few.
        hubs: Hubs {
            every: 2_000,
            share: 0.01..0.2,
            skew: 3,
            stretch: 100_000,
        },
    }
}

/// The files to draw on: those given, or the data folder's, or the sample.
fn files(args: &Args, script: Script) -> Result<Vec<PathBuf>> {
    if !args.from.is_empty() {
        return source::find_files(&args.from);
    }
    let root = workspace::root();
    let present = sources_in(&root.join(DATA), args.kind, script);
    if present.is_empty() {
        return source::find_files(&[sample()]);
    }
    source::find_files(&present)
}

/// The folders of a data folder that a kind of collection draws on for a script, as far as they are there.
fn sources_in(data: &Path, kind: Kind, script: Script) -> Vec<PathBuf> {
    let names: &[&str] = match (kind, script) {
        (Kind::Documents, _) => &DOCUMENT_SOURCES,
        (Kind::Sentences, _) => &NEWS_SOURCES,
        (_, Script::Spaced) => &SHORT_SOURCES,
        (_, Script::Chinese) => &CHINESE_SOURCES,
    };
    let folders = names.iter().map(|name| data.join(name));
    folders.filter(|folder| folder.is_dir()).collect()
}

/// All that a kind of collection finds to draw on in a data folder, or the sample if that is nothing.
pub(crate) fn material(data: &Path, kind: Kind) -> Vec<PathBuf> {
    let scripts = kind.scripts().iter();
    let mut folders: Vec<PathBuf> = scripts
        .flat_map(|&script| sources_in(data, kind, script))
        .collect();
    folders.sort();
    folders.dedup();
    if folders.is_empty() {
        folders.push(sample());
    }
    folders
}

/// The project's own texts.
pub(crate) fn sample() -> PathBuf {
    workspace::root().join(LAST_RESORT)
}

/// The lines of some texts, and of the truth about them.
#[derive(Default)]
struct Block {
    texts: Vec<u8>,
    truth: Vec<u8>,
    words: usize,
}

/// Where a text stands in the collection: plan by plan in turn.
#[derive(Clone, Copy)]
struct Place {
    plan: usize,
    text: usize,
    plans: usize,
}

impl Place {
    fn new(number: usize, plans: usize) -> Self {
        Self {
            plan: number % plans,
            text: number / plans,
            plans,
        }
    }

    /// The id of a text of the same plan.
    fn id(self, text: usize) -> String {
        format!("d{:07}", text * self.plans + self.plan + 1)
    }
}

fn write_collection(plans: &[Plan<'_>], kind: Kind, output: &Path) -> Result<()> {
    let total = plans.iter().map(Plan::texts).sum();
    let mut words = 0;
    let mut texts = create(output)?;
    let mut truth = create(&truth_path(output))?;
    let make = |numbers| make_block(plans, numbers);
    each_block(total, make, |block| {
        texts.write_all(&block.texts)?;
        truth.write_all(&block.truth)?;
        words += block.words;
        Ok(())
    })?;
    texts.flush()?;
    truth.flush()?;
    let info = serde_json::json!({
        "kind": kind.name(),
        "documents": total,
        "words": words,
        "bytes": std::fs::metadata(output)?.len(),
    });
    write_info(output, &info)
}

/// What a collection holds, for those who would have to count it again. It is written last: without it a
/// collection is incomplete.
fn write_info(output: &Path, info: &Value) -> Result<()> {
    std::fs::write(info_path(output), format!("{info:#}\n"))?;
    Ok(())
}

/// What was written about a collection; null if nothing was.
pub(crate) fn info(collection: &Path) -> Value {
    let info = std::fs::read(info_path(collection)).unwrap_or_default();
    serde_json::from_slice(&info).unwrap_or_default()
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let file = File::create(path).with_context(|| format!("cannot write `{}`", path.display()))?;
    Ok(BufWriter::with_capacity(1 << 20, file))
}

/// Make so many texts block by block on all cores, and take the blocks in the order of their texts.
fn each_block<B: Send>(
    total: usize,
    make: impl Fn(Range<usize>) -> Result<B> + Sync,
    mut take: impl FnMut(B) -> Result<()>,
) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let starts: Vec<usize> = (0..total).step_by(BLOCK).collect();
    for wave in starts.chunks(threads) {
        let blocks = thread::scope(|scope| {
            let make = &make;
            let spawn =
                |&start: &usize| scope.spawn(move || make(start..(start + BLOCK).min(total)));
            let workers: Vec<_> = wave.iter().map(spawn).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, Result<B>>| {
                worker.join().ok().context("a thread panicked")?
            };
            workers.into_iter().map(join).collect::<Result<Vec<B>>>()
        })?;
        blocks.into_iter().try_for_each(&mut take)?;
    }
    Ok(())
}

fn make_block(plans: &[Plan<'_>], numbers: Range<usize>) -> Result<Block> {
    let mut block = Block::default();
    for number in numbers {
        let place = Place::new(number, plans.len());
        let plan = &plans[place.plan];
        let id = place.id(place.text);
        let (text, words) = plan.text(place.text);
        block.words += words;
        write!(block.texts, r#"{{"id": "{id}", "text": "#)?;
        serde_json::to_writer(&mut block.texts, &text)?;
        block.texts.extend_from_slice(b"}\n");
        if let Some(copy) = plan.copy(place.text) {
            writeln!(
                block.truth,
                r#"{{"a": "{}", "b": "{id}", "kind": "{}", "rate": {}}}"#,
                place.id(copy.original),
                copy.kind.name(),
                copy.rate
            )?;
        }
    }
    Ok(block)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::slice;

    use super::*;

    const TEXTS: [&str; 3] = [
        "The \"cat\" sat on the mat. The dog sat on the cat. A cat on the mat ran.",
        "The mat on the cat was the mat of the dog. No dog ran on the mat.",
        "Die Katze saß auf der Matte. Der Hund lief.",
    ];

    fn make(seed: u64, documents: usize) -> (String, String) {
        let source = Source::from_texts(&TEXTS);
        let plan = Plan::new(&source, seed, documents, document_shape(40));
        let mut whole = Block::default();
        for start in (0..documents).step_by(700) {
            let block = make_block(slice::from_ref(&plan), start..(start + 700).min(documents))
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
    fn two_plans_alternate_and_copy_their_own() {
        let english = Source::from_texts(&TEXTS);
        let chinese = Source::of_script(&["我们明天去北京，你呢？"], Script::Chinese);
        let plans = [&english, &chinese].map(|s| Plan::new(s, 1, 300, message_shape(8)));
        let block = make_block(&plans, 0..600).expect("memory is writable");
        let texts = parse(&String::from_utf8(block.texts).expect("UTF-8"));
        let is_chinese = |text: &Value| text["text"].as_str().map(|t| t.contains('我'));
        assert!(
            texts
                .iter()
                .step_by(2)
                .all(|t| is_chinese(t) == Some(false))
        );
        assert_eq!(texts[599]["id"], "d0000600");
        for row in parse(&String::from_utf8(block.truth).expect("UTF-8")) {
            let number = |field: &str| {
                row[field]
                    .as_str()
                    .and_then(|id| id[1..].parse::<usize>().ok())
            };
            assert_eq!(number("a").map(|n| n % 2), number("b").map(|n| n % 2));
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
