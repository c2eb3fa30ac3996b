//! `doublet check`: are these texts copies of those, of which, and in which parts?

use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use doublet::files::output::OutputFile;
use doublet::index::{
    AddOptions, CheckOptions, CheckedRecord, Checking, FoundSource, Index, IndexOptions,
    IndexWriter, Named, check_collection,
};
use doublet::method::Method;
use doublet::options::Resources;
use doublet::read::{Collection, Rejection};
use doublet::report::answers::answer_line;
use doublet::threshold::Threshold;
use serde_json::{Value, json};

use super::{BadData, server, spool_directory};
use crate::Status;
use crate::args::{CheckArguments, MatchArguments, ReadArguments, Top};
use crate::client::Client;
use crate::console::Console;
use crate::display::{self, BOLD, DIM, SHARED};

/// Sources of a text that are named, unless others are asked for.
const IN_TABLE: usize = 3;
const IN_JSON: usize = 10;
/// Characters of a passage that a table shows.
const SHOWN: usize = 60;

pub(crate) fn run(arguments: &CheckArguments, console: &Console) -> Result<Status> {
    let threads = arguments.resources.resolve()?.threads;
    if let Some(client) = Client::new(&arguments.server, console, threads)? {
        return match arguments.ping {
            true => server::check::ping(&client, console),
            false => server::check::run(arguments, &client, console),
        };
    }
    let start = Instant::now();
    refuse(arguments)?;
    console.watch(arguments.resources.quiet);
    let mut resources = arguments.resources.resolve()?;
    let spool = spool_directory(arguments.resources.temp_dir.as_deref())?;
    resources.temp_dir = spool.path().to_owned();
    let read = arguments.read.resolve(None);
    let collection = console.open(&arguments.inputs, &read, spool.path())?;
    let (index, mut options) = open(arguments, &resources, console)?;
    let lines = Lines::new(arguments, console);
    options.sources = lines.named(arguments);
    let opened = start.elapsed();
    let checking = Checking {
        options,
        threads: resources.threads,
        strict: read.strict,
        renumber: read.renumber,
    };
    let mut tally = Tally::default();
    let printed = lines.print(&index, &collection, &checking, console, &mut tally);
    console.finish();
    let rejections = printed?;
    if console.speaks(arguments.resources.quiet) {
        display::rejection_list(console, &rejections);
        if lines.table {
            tally.tell(console);
        }
    }
    if let Some(path) = &arguments.stats {
        let stats = tally.stats(opened.as_secs_f64());
        let mut file = OutputFile::create(path)?;
        file.write(format!("{stats}\n").as_bytes())?;
        file.finish()?;
    }
    Ok(tally.status())
}

/// Says what cannot be asked.
fn refuse(arguments: &CheckArguments) -> Result<()> {
    let is_standard = |input: &String| input == "-";
    if arguments.inputs.iter().any(is_standard) && arguments.against.iter().any(is_standard) {
        return Err(doublet::Error::SecondStandardInput.into());
    }
    anyhow::ensure!(
        arguments.index.is_some() || !arguments.against.is_empty(),
        "give what to compare with: `--index DIR`, `--against REF…` or `--server URL`"
    );
    for reference in &arguments.against {
        anyhow::ensure!(
            !Path::new(reference).join("manifest").is_file(),
            "`--against {reference}` is an index: give it by `--index`"
        );
    }
    Ok(())
}

/// The index that is asked, and what.
fn open(
    arguments: &CheckArguments,
    resources: &Resources,
    console: &Console,
) -> Result<(Index, CheckOptions)> {
    let Some(directory) = &arguments.index else {
        let references = References {
            against: &arguments.against,
            read: &arguments.read,
            matching: &arguments.matching,
            quiet: arguments.resources.quiet,
        };
        let index = references.index(resources, console)?;
        let options = CheckOptions::of(index.options());
        return Ok((index, options));
    };
    let index = match console.index() {
        Some(index) => index.clone(),
        None => Index::open(directory)?,
    };
    let options = arguments.matching.check(&index)?;
    if console.speaks(arguments.resources.quiet) {
        warn_of_misses(console, index.options(), options.threshold)?;
    }
    Ok((index, options))
}

/// Tells that an index finds less than it was made to find, if so much less alike texts are asked for.
fn warn_of_misses(console: &Console, options: &IndexOptions, threshold: Threshold) -> Result<()> {
    let Some(chance) = options.chance(threshold)? else {
        return Ok(());
    };
    if chance < options.matching.sketches.recall {
        console.warning(&format!(
            "the index was made for copies from {} on: of those at {threshold} its bands find {:.1} %; make one with `--threshold {threshold}`, or by `--method shingles`, which finds all",
            options.matching.threshold,
            100.0 * chance
        ));
    }
    Ok(())
}

/// How answers are printed.
pub(crate) struct Lines {
    /// For people, not as JSON.
    table: bool,
    heading: bool,
    /// Whether the time of each answer is kept.
    timed: bool,
}

impl Lines {
    pub(crate) fn new(arguments: &CheckArguments, console: &Console) -> Self {
        let table = !arguments.json && console.is_terminal();
        Self {
            table,
            heading: table && console.speaks(arguments.resources.quiet),
            timed: arguments.stats.is_some(),
        }
    }

    pub(crate) fn is_table(&self) -> bool {
        self.table
    }

    /// Which sources are named.
    fn named(&self, arguments: &CheckArguments) -> Named {
        match arguments.top {
            Some(Top(named)) => named,
            None if self.table => Named::Best(IN_TABLE),
            None => Named::Telling(IN_JSON),
        }
    }

    /// The same, as a service is asked for them; nothing where it names them of itself.
    pub(crate) fn top(&self, arguments: &CheckArguments) -> Option<Value> {
        match self.named(arguments) {
            Named::All => Some("all".into()),
            Named::Best(most) => Some(most.into()),
            Named::Telling(_) => None,
        }
    }

    /// The first line of a table.
    pub(crate) fn heading(&self, method: Method, out: &mut impl Write) -> std::io::Result<()> {
        if !self.heading {
            return Ok(());
        }
        let sentences = method.unit().map_or("", |_| "sentences");
        let copied = "copied";
        writeln!(out, "{DIM}{copied:>13}  {sentences:<12}  text{DIM:#}")
    }

    /// Asks about all records and prints the answers; gives the records that could not be read.
    fn print(
        &self,
        index: &Index,
        collection: &Collection,
        checking: &Checking,
        console: &Console,
        tally: &mut Tally,
    ) -> Result<Vec<Rejection>> {
        let (method, metric) = (
            index.options().matching.method,
            index.options().matching.metric,
        );
        let make = |checked: &CheckedRecord<'_>| {
            let mut line = Vec::new();
            if self.table {
                row(checked, &mut line);
            } else {
                answer_line(checked, metric, &mut line);
                line.push(b'\n');
            }
            (line, checked.answer.duplicate, checked.seconds)
        };
        console.begin_results();
        let mut out = BufWriter::new(console.styled());
        self.heading(method, &mut out)?;
        let mut written = Ok(());
        let take = |(line, duplicate, seconds): (Vec<u8>, bool, f64)| {
            tally.add(duplicate, self.timed.then_some(seconds));
            if written.is_ok() {
                written = out.write_all(&line);
            }
            match &written {
                Ok(()) => Ok(()),
                // Nobody reads any more: there is nothing left to do.
                Err(_) => Err(doublet::Error::Interrupted),
            }
        };
        let rejections = check_collection(index, collection, checking, console, make, take);
        written?;
        out.flush()?;
        Ok(rejections?)
    }
}

/// Texts to compare with, as they are given.
pub(crate) struct References<'a> {
    pub(crate) against: &'a [String],
    pub(crate) read: &'a ReadArguments,
    pub(crate) matching: &'a MatchArguments,
    pub(crate) quiet: bool,
}

impl References<'_> {
    /// An index of them, by sentences unless a method is given, in the directory for temporary files.
    pub(crate) fn index(&self, resources: &Resources, console: &Console) -> Result<Index> {
        let (matching, spool) = (self.matching.or_sentences(), &resources.temp_dir);
        let (options, table) = matching.index(true)?;
        let read = self.read.resolve(None);
        let sources = console.open(self.against, &read, spool)?;
        let directory = spool.join("index");
        let lost = |error| temporary(error, &directory);
        let mut writer = IndexWriter::create(&directory, &options, table).map_err(lost)?;
        let adding = AddOptions {
            resources: resources.clone(),
            strict: read.strict,
            renumber: read.renumber,
            commit_every: None,
        };
        let added = writer.add(&sources, &adding, console);
        let added = added.inspect_err(|_| console.finish()).map_err(lost)?;
        if added.replaced > 0 {
            anyhow::bail!(BadData(format!(
                "ids occur twice among the texts given by `--against` ({} of them): make ids unique, choose another `--id-field`, or number the records with `--renumber`",
                added.replaced
            )));
        }
        if console.speaks(self.quiet) {
            display::rejection_list(console, &added.rejections);
        }
        Index::open(&directory).map_err(lost)
    }
}

/// An error about an index that nobody asked for.
fn temporary(error: doublet::Error, directory: &Path) -> anyhow::Error {
    use doublet::Error::{BadFile, Damaged, Io};
    match &error {
        Io { path, .. } | BadFile { path, .. } | Damaged { path, .. }
            if path.starts_with(directory) =>
        {
            let place = "cannot make a temporary index (choose another place with `--temp-dir`)";
            anyhow::Error::new(error).context(place)
        }
        _ => error.into(),
    }
}

/// Counts and times of a run.
#[derive(Default)]
pub(crate) struct Tally {
    texts: u64,
    duplicates: u64,
    seconds: Vec<f64>,
}

impl Tally {
    pub(crate) fn add(&mut self, duplicate: bool, seconds: Option<f64>) {
        self.texts += 1;
        self.duplicates += u64::from(duplicate);
        self.seconds.extend(seconds);
    }

    /// Texts that were asked about.
    pub(crate) fn texts(&self) -> u64 {
        self.texts
    }

    /// What the run ends with.
    pub(crate) fn status(&self) -> Status {
        match self.duplicates {
            0 => Status::NotFound,
            _ => Status::Done,
        }
    }

    pub(crate) fn tell(&self, console: &Console) {
        let (copies, all) = (self.duplicates, self.texts);
        let noun = if copies == 1 { "copy" } else { "copies" };
        let _ignored = writeln!(
            console.err(),
            "\n{BOLD}{}{BOLD:#} {noun} among {} texts",
            display::count(copies),
            display::count(all),
        );
    }

    fn stats(&self, opened: f64) -> serde_json::Value {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let micro = |seconds: f64| (seconds * 1e9).round() / 1e3;
        let quantile = |share: f64| {
            let at = (share * (sorted.len().max(1) - 1) as f64).round() as usize;
            sorted.get(at).map_or(0.0, |&seconds| micro(seconds))
        };
        let sum: f64 = sorted.iter().sum();
        json!({
            "texts": sorted.len(),
            "duplicates": self.duplicates,
            "open_ms": (opened * 1e6).round() / 1e3,
            "request_us": {
                "median": quantile(0.5),
                "p90": quantile(0.9),
                "p99": quantile(0.99),
                "max": quantile(1.0),
                "mean": micro(sum / sorted.len().max(1) as f64),
            },
        })
    }
}

/// A text and its best sources, for people.
pub(crate) fn row(checked: &CheckedRecord<'_>, out: &mut Vec<u8>) {
    let answer = &checked.answer;
    let percent = |share: f64| format!("{:>5.1} %", 100.0 * share);
    let id = checked.id.as_json().trim_matches('"');
    let verdict = match answer.duplicate {
        true => format!("{SHARED}copy{SHARED:#}"),
        false => format!("{DIM} new{DIM:#}"),
    };
    let sentences = match answer.sentences {
        Some((copied, of)) if answer.boilerplate > 0 => {
            let boilerplate = answer.boilerplate;
            format!("{copied} of {of}, {boilerplate} boilerplate")
        }
        Some((copied, of)) => format!("{copied} of {of}"),
        None => String::new(),
    };
    let line = format!(
        "{verdict}  {}  {sentences:<12}  {BOLD}{id}{BOLD:#}\n",
        percent(answer.share)
    );
    out.extend_from_slice(line.as_bytes());
    for source in &answer.sources {
        let sentences = match source.sentences {
            Some((copied, _)) => copied.to_string(),
            None => String::new(),
        };
        let id = source.id.trim_matches('"');
        let line = format!(
            "{:>4}  {}  {sentences:<12}  from {id}  {DIM}{}{DIM:#}\n",
            "",
            percent(source.score),
            first_passage(checked, source),
        );
        out.extend_from_slice(line.as_bytes());
    }
    let more = answer.found - answer.sources.len();
    if more > 0 {
        let noun = if more == 1 { "source" } else { "sources" };
        let line = format!("{:>4}  {DIM}and {more} more {noun}{DIM:#}\n", "");
        out.extend_from_slice(line.as_bytes());
    }
}

/// The start of the first passage that comes from a source.
fn first_passage(checked: &CheckedRecord<'_>, source: &FoundSource) -> String {
    let Some(passage) = source.passages.first() else {
        return String::new();
    };
    let text = &checked.record.text[passage.here.clone()];
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").replace(char::is_control, "");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("“{}…”", &text[..end]),
        None => format!("“{text}”"),
    }
}
