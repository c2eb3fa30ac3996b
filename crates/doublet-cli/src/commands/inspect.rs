//! `doublet inspect`: how a text is seen.

use std::io::{BufWriter, Write};

use anyhow::Result;
use doublet::batch::{JoinOptions, fit};
use doublet::options::Resources;
use doublet::progress::Observer;
use doublet::read::{CodePoints, Collection, Record, expect_some};

use super::{BadData, spool_directory};
use crate::Status;
use crate::args::InspectArguments;
use crate::console::Console;

pub(crate) fn run(arguments: &InspectArguments, console: &Console) -> Result<Status> {
    let matching = &arguments.matching;
    console.watch(true);
    let spool = spool_directory(None)?;
    let options = arguments.read.resolve(None);
    let collection = console.open(&arguments.inputs, &options, spool.path())?;
    let mut out = BufWriter::new(console.out());
    let options = JoinOptions {
        strict: options.strict,
        ..JoinOptions::new(matching.options(false)?, Resources::default())
    };
    let fitted = fit(&options, &collection, console)?;
    let inspector = fitted.inspector(&options.matching);
    if let Some(head) = inspector.head() {
        writeln!(out, "{head}")?;
    }
    each_record(arguments, &collection, console, |id, record, raw| {
        write!(out, r#"{{"id": {id}"#)?;
        let mut points = CodePoints::new(record, raw);
        for (name, value) in inspector.text(&record.text, &mut points) {
            write!(out, r#", "{name}": {value}"#)?;
        }
        Ok(writeln!(out, "}}")?)
    })?;
    out.flush()?;
    Ok(Status::Done)
}

/// Calls `each` with the id, the record and its raw bytes, record by record.
fn each_record(
    arguments: &InspectArguments,
    collection: &Collection,
    console: &Console,
    mut each: impl FnMut(&str, &Record<'_>, &[u8]) -> Result<()>,
) -> Result<()> {
    let options = arguments.read.resolve(None);
    let mut blocks = collection.blocks()?;
    let (mut read, mut rejected, mut first) = (0, 0, None);
    while let Some(block) = blocks.next_block()? {
        if console.cancelled() {
            return Err(doublet::Error::Interrupted.into());
        }
        for index in 0..block.len() {
            match block.decode(index) {
                Ok(record) => {
                    let first = options.renumber.then_some(0);
                    let id = collection.key_of(&block, index, &record, first);
                    each(id.as_json(), &record, block.raw(index))?;
                    read += 1;
                }
                Err(bad) if options.strict => return Err(BadData::of(&bad).into()),
                Err(bad) => {
                    console.warning(&bad.to_string());
                    rejected += 1;
                    first.get_or_insert(bad);
                }
            }
        }
    }
    Ok(expect_some(read, rejected, first.as_ref())?)
}
