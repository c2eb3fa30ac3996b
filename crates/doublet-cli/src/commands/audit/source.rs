//! Where the texts of a run are now.

use std::path::Path;

use anyhow::{Context, Result, bail};
use doublet::audit::Run;
use doublet::matches::Source;
use doublet::report::summary::InputLine;

use crate::args::AuditArguments;
use crate::console::Console;

/// Opens what the run read: as the arguments say, or where the run found it.
pub(super) fn open(
    arguments: &AuditArguments,
    run: &Run,
    console: &Console,
    spool: &Path,
) -> Result<Source> {
    let options = arguments.read_options(run);
    let inputs = match &arguments.inputs[..] {
        [] => recorded(&run.inputs(false), "INPUT…")?,
        given => given.to_vec(),
    };
    let against = match &arguments.against[..] {
        [] => recorded(&run.inputs(true), "--against REF")?,
        given => given.to_vec(),
    };
    let moved = "cannot read the input of the run; if it was moved, give the new path: `doublet audit DIR INPUT…`, and `--against REF` for references";
    let input = console.open(&inputs, &options, spool).context(moved)?;
    let references = match &against[..] {
        [] => None,
        against => {
            let first = input.rows_in_memory();
            let opened = console.open_from(first, against, &options, spool);
            Some(opened.context(moved)?)
        }
    };
    Ok(Source { input, references })
}

/// The inputs that the run recorded: as they were typed, where that still leads to them.
fn recorded(inputs: &[InputLine], place: &str) -> Result<Vec<String>> {
    let input = |input: &InputLine| match &input.path {
        Some(path) => {
            let here = std::path::absolute(&input.given);
            let is_here = here.is_ok_and(|here| here == Path::new(path));
            Ok(if is_here { &input.given } else { path }.clone())
        }
        None => bail!(
            "the run read `{}`, which cannot be read again: save the same data to a file and run `doublet audit DIR {place}`",
            input.given
        ),
    };
    inputs.iter().map(input).collect()
}
