//! `doublet dedup`

use anyhow::Result;
use doublet::dedup::{DedupOptions, Remove, dedup};

use super::{end, spool_directory};
use crate::args::DedupArguments;
use crate::console::Console;
use crate::{Status, display};

pub(crate) fn run(arguments: &DedupArguments, console: &Console) -> Result<Status> {
    let common = &arguments.common;
    let cluster = arguments.clustering();
    let whole = arguments.remove() == Remove::Documents;
    let mut join = common.join(Some(&cluster), whole)?;
    let most_lost = arguments.most_lost()?;
    let unfinished = arguments.output.join(".unfinished");
    join.checkpoint = common.resume.resolve(common, Some(unfinished))?;
    console.watch(common.resources.quiet);
    let spool = spool_directory(common.resources.temp_dir.as_deref())?;
    join.resources.temp_dir = spool.path().to_owned();
    let source = common.open(console, Some(cluster.keep()), spool.path())?;
    let options = DedupOptions {
        cluster: cluster.resolve(join.matching.metric),
        most_lost,
        remove: arguments.remove(),
        directory: arguments.output.clone(),
        force: arguments.force,
        dry_run: arguments.dry_run,
        drop_empty: arguments.drop_empty,
        described: arguments.describe(&cluster, &join),
        join,
    };
    let mut summary = dedup(&source, &options, console);
    console.finish();
    if source.input.files().iter().any(|file| file.is_in_memory())
        && let Ok(summary) = &mut summary
    {
        console.keep(std::mem::take(&mut summary.kept_rows));
    }
    let checkpoint = options.join.checkpoint.as_ref();
    let summary = end(checkpoint, summary.map_err(Into::into))?;
    if console.speaks(common.resources.quiet) {
        display::summary(console, &summary, &arguments.output);
    }
    Ok(Status::Done)
}
