//! `doublet pairs`

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use doublet::batch::{JoinOptions, Joined, Match, Source, find_matches};
use doublet::report::pairs::{PairWriter, json_line};
use doublet::verify::Metric;

use super::{end, output_path, spool_directory};
use crate::args::PairsArguments;
use crate::console::Console;
use crate::{Status, display};

pub(crate) fn run(arguments: &PairsArguments, console: &Console) -> Result<Status> {
    let common = &arguments.common;
    let mut options = common.join(None, false)?;
    console.watch(common.resources.quiet);
    let spool = spool_directory(console, common.resources.temp_dir.as_deref())?;
    options.resources.temp_dir = spool.path().to_owned();
    options.checkpoint = common.resume.beside(common, arguments.output.as_deref())?;
    let source = common.open(console, None, spool.path())?;
    let output = output_path(arguments.output.as_deref(), &source)?;
    let joined = find(&source, &options, output, console);
    console.finish();
    let joined = end(options.checkpoint.as_ref(), joined)?;
    if console.speaks(common.resources.quiet) {
        display::rejections(console, &joined.documents);
        display::sketches_of(console, &joined, &options);
    }
    Ok(Status::Done)
}

/// Finds the pairs and writes them.
fn find(
    source: &Source,
    options: &JoinOptions,
    output: Option<&Path>,
    console: &Console,
) -> Result<Joined> {
    let joined = find_matches(source, options, console)?;
    console.finish();
    match output {
        Some(path) => {
            let mut writer = PairWriter::create(path, options.method, options.metric)?;
            let key = |document| joined.documents.key(document, source);
            joined.matches.for_each(&joined.documents, |pair| {
                writer.write(&key(pair.a), &key(pair.b), &pair.scores)
            })?;
            writer.finish()?;
        }
        None => print(console, &joined, source, options.metric)
            .context("cannot write to standard output")?,
    }
    Ok(joined)
}

fn print(console: &Console, joined: &Joined, source: &Source, metric: Metric) -> Result<()> {
    let mut out = BufWriter::new(console.out());
    let mut line = Vec::new();
    joined.matches.for_each(&joined.documents, |pair: Match| {
        let key = |document| joined.documents.key(document, source);
        line.clear();
        json_line(&key(pair.a), &key(pair.b), &pair.scores, metric, &mut line);
        line.push(b'\n');
        out.write_all(&line)
    })?;
    Ok(out.flush()?)
}
