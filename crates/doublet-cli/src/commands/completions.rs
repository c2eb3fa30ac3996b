//! `doublet completions`: what a shell has to know of the command line, from the definitions that parse it.

use anyhow::Result;
use clap::CommandFactory;

use crate::Status;
use crate::args::{Arguments, CompletionsArguments};
use crate::console::Console;

pub(crate) fn run(arguments: &CompletionsArguments, console: &Console) -> Result<Status> {
    let mut script = Vec::new();
    // The generator panics where it cannot write, as when its reader went away; memory takes it all.
    clap_complete::generate(
        arguments.shell,
        &mut Arguments::command(),
        "doublet",
        &mut script,
    );
    console.out().write_all(&script)?;
    Ok(Status::Done)
}
