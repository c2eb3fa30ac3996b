//! `doublet pairs`

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use doublet::batch::{JoinOptions, Joined, Match, Source, find_matches};
use doublet::report::pairs::{PairWriter, json_line};
use doublet::verify::Metric;

use super::{end, output_path, spool_directory};
use crate::args::PairsArguments;
use crate::progress::Display;
use crate::{Status, display};

pub(crate) fn run(arguments: &PairsArguments) -> Result<Status> {
    let common = &arguments.common;
    let mut options = common.join(None, false)?;
    let progress = Display::new(common.resources.quiet);
    let spool = spool_directory(common.resources.temp_dir.as_deref())?;
    options.resources.temp_dir = spool.path().to_owned();
    options.checkpoint = common.resume.beside(common, arguments.output.as_deref())?;
    let source = common.open(None, spool.path())?;
    let output = output_path(arguments.output.as_deref(), &source)?;
    let joined = find(&source, &options, output, &progress);
    progress.finish();
    let joined = end(options.checkpoint.as_ref(), joined)?;
    if !common.resources.quiet {
        display::rejections(&joined.documents);
        display::sketches_of(&joined, &options);
    }
    Ok(Status::Done)
}

/// Finds the pairs and writes them.
fn find(
    source: &Source,
    options: &JoinOptions,
    output: Option<&Path>,
    progress: &Display,
) -> Result<Joined> {
    let joined = find_matches(source, options, progress)?;
    progress.finish();
    match output {
        Some(path) => {
            let mut writer = PairWriter::create(path, options.method, options.metric)?;
            let key = |document| joined.documents.key(document, source);
            joined.matches.for_each(&joined.documents, |pair| {
                writer.write(&key(pair.a), &key(pair.b), &pair.scores)
            })?;
            writer.finish()?;
        }
        None => {
            print(&joined, source, options.metric).context("cannot write to standard output")?
        }
    }
    Ok(joined)
}

fn print(joined: &Joined, source: &Source, metric: Metric) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
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
