//! `doublet clusters`

use std::io::{BufWriter, Write};

use anyhow::{Result, bail};
use doublet::batch::{Joined, clusters, find_matches};
use doublet::report::clusters::ClusterLines;
use doublet::report::summary::warn_partly_compared;

use super::{end, output_path, spool_directory};
use crate::args::ClustersArguments;
use crate::console::Console;
use crate::{Status, display};

pub(crate) fn run(arguments: &ClustersArguments, console: &Console) -> Result<Status> {
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
    console.watch(common.resources.quiet);
    let spool = spool_directory(common.resources.temp_dir.as_deref())?;
    join.resources.temp_dir = spool.path().to_owned();
    join.checkpoint = common.resume.beside(common, arguments.output.as_deref())?;
    let source = common.open(console, Some(keep), spool.path())?;
    let output = output_path(arguments.output.as_deref(), &source)?;
    let find = || -> Result<Joined> {
        let mut joined = find_matches(&source, &join, console)?;
        let options = arguments.cluster.resolve(join.matching.metric);
        let found = clusters(&source, &mut joined, &join, &options, console)?;
        let lines = ClusterLines::new(&source, &joined, &join, found, console)?;
        console.finish();
        match output {
            Some(path) => lines.write(path)?,
            None => {
                let mut out = BufWriter::new(console.out());
                lines.try_for_each(|line| out.write_all(line))?;
                out.flush()?;
            }
        }
        Ok(joined)
    };
    let joined = find();
    console.finish();
    let joined = end(join.checkpoint.as_ref(), joined)?;
    if console.speaks(common.resources.quiet) {
        display::rejections(console, &joined.documents);
        display::search_of(console, &joined, &join);
        if let Some(warning) = warn_partly_compared(joined.figures.partly_compared) {
            console.warning(&warning);
        }
    }
    Ok(Status::Done)
}
