//! `doublet pairs`

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Result;
use doublet::batch::{Expected, JoinOptions, Joined, MANY_PAIRS, MatchSink, for_each_match};
use doublet::matches::{Documents, Match, Source};
use doublet::progress::Observer;
use doublet::report::pairs::{PairWriter, json_line};
use doublet::scores::Metric;

use super::{end, output_path, spool_directory};
use crate::args::PairsArguments;
use crate::console::Console;
use crate::{Status, display};

/// From so many pairs on, their number is told before they are written.
const TOLD: u64 = MANY_PAIRS / 10;

pub(crate) fn run(arguments: &PairsArguments, console: &Console) -> Result<Status> {
    let common = &arguments.common;
    let mut options = common.join(None, false)?;
    options.most_pairs = arguments.max_pairs;
    console.watch(common.resources.quiet);
    let spool = spool_directory(common.resources.temp_dir.as_deref())?;
    options.resources.temp_dir = spool.path().to_owned();
    options.checkpoint = common.resume.beside(common, arguments.output.as_deref())?;
    let source = common.open(console, None, spool.path())?;
    let output = output_path(arguments.output.as_deref(), &source)?;
    let speaks = console.speaks(common.resources.quiet);
    let joined = find(&source, &options, output, (console, speaks));
    console.finish();
    let joined = end(options.checkpoint.as_ref(), joined)?;
    if speaks {
        display::rejections(console, &joined.documents);
        display::search_of(console, &joined, &options);
    }
    Ok(Status::Done)
}

/// Finds the pairs and writes them.
fn find(
    source: &Source,
    options: &JoinOptions,
    output: Option<&Path>,
    (console, speaks): (&Console, bool),
) -> Result<Joined> {
    let target = match output {
        Some(path) => Target::File(Box::new(PairWriter::create(
            path,
            options.matching.method,
            options.matching.metric,
        )?)),
        None => Target::Standard(BufWriter::new(console.out()), options.matching.metric),
    };
    let mut sink = Writing {
        source,
        console,
        speaks,
        target,
        line: Vec::new(),
        written: Ok(()),
    };
    let joined = for_each_match(source, options, console, &mut sink);
    // What could not be written ended the run, and says why.
    std::mem::replace(&mut sink.written, Ok(()))?;
    let joined = joined?;
    sink.finish()?;
    Ok(joined)
}

/// Pairs on their way.
struct Writing<'a> {
    source: &'a Source,
    console: &'a Console,
    /// Whether it says how many there will be.
    speaks: bool,
    target: Target,
    line: Vec<u8>,
    /// What became of the lines on standard output.
    written: std::io::Result<()>,
}

enum Target {
    File(Box<PairWriter>),
    Standard(BufWriter<Box<dyn Write + Send>>, Metric),
}

impl Writing<'_> {
    fn finish(self) -> Result<()> {
        match self.target {
            Target::File(writer) => Ok(writer.finish()?),
            Target::Standard(mut out, _) => Ok(out.flush()?),
        }
    }
}

impl MatchSink for Writing<'_> {
    fn announce(&mut self, documents: &Documents, expected: Expected) -> doublet::Result<()> {
        match self.target {
            Target::File(_) => self.console.finish(),
            Target::Standard(..) => self.console.begin_results(),
        }
        if expected.pairs >= TOLD && self.speaks {
            let about = if expected.exact { "" } else { "about " };
            let each = documents.mean_pair_bytes();
            let bytes = display::bytes(expected.pairs.saturating_mul(each));
            self.console.warning(&format!(
                "there will be {about}{} pairs, some {bytes} of them; `--max-pairs` sets a limit, and `doublet clusters` and `doublet dedup` need not list them",
                display::count(expected.pairs)
            ));
        }
        Ok(())
    }

    fn take(&mut self, documents: &Documents, found: &Match) -> doublet::Result<()> {
        if self.console.cancelled() {
            return Err(doublet::Error::Interrupted);
        }
        let key = |document| documents.key(document, self.source);
        let (a, b) = (key(found.a), key(found.b));
        match &mut self.target {
            Target::File(writer) => writer.write(&a, &b, &found.scores),
            Target::Standard(out, metric) => {
                self.line.clear();
                json_line(&a, &b, &found.scores, *metric, &mut self.line);
                self.line.push(b'\n');
                self.written = out.write_all(&self.line);
                match &self.written {
                    Ok(()) => Ok(()),
                    // Nobody takes any more: there is nothing left to do.
                    Err(_) => Err(doublet::Error::Interrupted),
                }
            }
        }
    }
}
