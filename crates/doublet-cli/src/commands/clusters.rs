//! `doublet clusters`

use std::io::Write;

use anyhow::{Context, Result, bail};
use doublet::batch::{Joined, find_matches};
use doublet::cluster::cluster;
use doublet::report::clusters::{to_lines, write};

use super::{end, output_path, spool_directory};
use crate::args::ClustersArguments;
use crate::progress::Display;
use crate::{Status, display};

pub(crate) fn run(arguments: &ClustersArguments) -> Result<Status> {
    let common = &arguments.common;
    if let Some(path) = &arguments.output {
        let ending = path.extension().and_then(|ending| ending.to_str());
        if let Some(ending @ ("csv" | "parquet")) = ending {
            bail!(
                "clusters are written as JSON lines, not `.{ending}`; `doublet pairs` writes `.{ending}`"
            );
        }
    }
    let keep = arguments.cluster.keep();
    let mut join = common.join(Some(&arguments.cluster), false)?;
    let progress = Display::new(common.resources.quiet);
    let spool = spool_directory(common.resources.temp_dir.as_deref())?;
    join.resources.temp_dir = spool.path().to_owned();
    join.checkpoint = common.resume.beside(common, arguments.output.as_deref())?;
    let source = common.open(Some(keep), spool.path())?;
    let output = output_path(arguments.output.as_deref(), &source)?;
    let find = || -> Result<Joined> {
        let joined = find_matches(&source, &join, &progress)?;
        let options = arguments.cluster.resolve(join.metric);
        let mut clusters = cluster(&joined.documents, &joined.matches, &options);
        let lines = to_lines(&source, &joined, &join, &mut clusters, &progress)?;
        progress.finish();
        match output {
            Some(path) => write(path, &lines)?,
            None => std::io::stdout()
                .write_all(&lines)
                .context("cannot write to standard output")?,
        }
        Ok(joined)
    };
    let joined = find();
    progress.finish();
    let joined = end(join.checkpoint.as_ref(), joined)?;
    if !common.resources.quiet {
        display::rejections(&joined.documents);
        display::sketches_of(&joined, &join);
    }
    Ok(Status::Done)
}
