//! `doublet background`: word and document frequencies, for the weights of `terms` and the common words of `sentences`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use doublet::batch::{CountOptions, write_background};
use doublet::method::terms::background::{Totals, is_table};
use doublet::read::Collection;

use super::{expect_place, spool_directory};
use crate::args::BackgroundArguments;
use crate::console::Console;
use crate::display::{BOLD, count};
use crate::{Status, display};

pub(crate) fn run(arguments: &BackgroundArguments, console: &Console) -> Result<Status> {
    let mut resources = arguments.resources.resolve()?;
    console.watch(arguments.resources.quiet);
    let spool = spool_directory(arguments.resources.temp_dir.as_deref())?;
    resources.temp_dir = spool.path().to_owned();
    let read = arguments.read.resolve(None);
    let (mut tables, mut inputs): (Vec<PathBuf>, Vec<String>) = Default::default();
    for input in &arguments.inputs {
        match is_table(input.as_ref())? {
            true => tables.push(input.into()),
            false => inputs.push(input.clone()),
        }
    }
    let collection = match inputs.is_empty() {
        true => None,
        false => Some(console.open(&inputs, &read, spool.path())?),
    };
    expect_place(&arguments.output)?;
    refuse_input(arguments, collection.as_ref())?;
    let method = arguments.method;
    let options = CountOptions {
        method,
        normalize: arguments.text.normalize(method)?,
        terms: arguments.text.terms(),
        resources,
        strict: read.strict,
    };
    let written = write_background(
        collection.as_ref(),
        &tables,
        &arguments.output,
        &options,
        console,
    );
    console.finish();
    let (totals, rejections) = written?;
    if console.speaks(arguments.resources.quiet) {
        tell(console, arguments, &totals);
        display::rejection_list(console, &rejections);
    }
    Ok(Status::Done)
}

/// A text that is read is not written over; a table is, once it has been merged.
fn refuse_input(arguments: &BackgroundArguments, collection: Option<&Collection>) -> Result<()> {
    let Ok(output) = arguments.output.canonicalize() else {
        return Ok(());
    };
    let files = collection.into_iter().flat_map(Collection::files);
    let same = |path: &std::path::Path| path.canonicalize().is_ok_and(|path| path == output);
    if files.into_iter().any(|file| same(file.path())) {
        let name = arguments.output.display();
        bail!(
            "`--output {name}` is one of the inputs, which are never written over: name another file"
        );
    }
    Ok(())
}

fn tell(console: &Console, arguments: &BackgroundArguments, totals: &Totals) {
    let _ignored = writeln!(
        console.err(),
        "{BOLD}{}{BOLD:#}: {} terms from {} words of {} texts",
        arguments.output.display(),
        count(totals.terms),
        count(totals.tokens),
        count(totals.texts),
    );
}
