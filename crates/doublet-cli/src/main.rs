//! The command line of doublet: parse, resolve, run.

mod args;
mod client;
mod commands;
mod display;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a run ended with, as the exit status says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It ran, and found what was asked for.
    Done = 0,
    /// It ran, and what was asked for was not found.
    NotFound = 1,
    /// It could not run.
    Failed = 2,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Dedup(arguments) => commands::dedup::run(&arguments),
        Command::Pairs(arguments) => commands::pairs::run(&arguments),
        Command::Clusters(arguments) => commands::clusters::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Index(arguments) => commands::index::run(&arguments),
        Command::Serve(arguments) => commands::serve::run(&arguments),
        Command::Inspect(arguments) => commands::inspect::run(&arguments),
        Command::Background(arguments) => commands::background::run(&arguments),
        Command::Eval(arguments) => commands::eval::run(&arguments),
        Command::Advise(arguments) => commands::advise::run(&arguments),
    };
    let status = result.unwrap_or_else(|error| {
        if display::is_broken_pipe(&error) {
            return Status::Done;
        }
        display::error(&error);
        Status::Failed
    });
    ExitCode::from(status as u8)
}
