//! `doublet dedup`

use anyhow::Result;
use doublet::dedup::{DedupOptions, dedup};

use super::spool_directory;
use crate::args::DedupArguments;
use crate::progress::Display;
use crate::{Status, display};

pub(crate) fn run(arguments: &DedupArguments) -> Result<Status> {
    let common = &arguments.common;
    let keep = arguments.cluster.keep();
    let mut join = common.join(Some(&arguments.cluster))?;
    let progress = Display::new(common.resources.quiet);
    let spool = spool_directory(common.resources.temp_dir.as_deref())?;
    join.resources.temp_dir = spool.path().to_owned();
    let source = common.open(Some(keep), spool.path())?;
    let options = DedupOptions {
        cluster: arguments.cluster.resolve(join.metric),
        directory: arguments.output.clone(),
        force: arguments.force,
        dry_run: arguments.dry_run,
        drop_empty: arguments.drop_empty,
        described: common.describe(&arguments.cluster, &join),
        join,
    };
    let summary = dedup(&source, &options, &progress);
    progress.finish();
    let summary = summary?;
    if !common.resources.quiet {
        display::summary(&summary, &arguments.output);
    }
    Ok(Status::Done)
}
