//! The command line of doublet: parse, resolve, run.
//!
//! The program calls [`main`] with a terminal. Another program calls [`run`] with a [`Console`] that keeps in memory what a command
//! says, and with tables in the place of files.

mod args;
mod client;
mod commands;
mod console;
mod display;
#[doc(hidden)]
pub mod inside;
mod requests;
mod terminal;

use std::ffi::OsString;
use std::fmt;
use std::io::{ErrorKind, Write};

use clap::{CommandFactory, Parser};
use doublet::batch::JoinOptions;
use doublet::cluster::ClusterOptions;
use doublet::dedup::Remove;
use serde_json::{Map, Value};

use args::{Arguments, Command};
pub use console::{Console, Listener, Progress, Said};

/// What a run ended with, as the exit status says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It ran, and found what was asked for.
    Done = 0,
    /// It ran, and what was asked for was not found.
    NotFound = 1,
    /// It could not run.
    Failed = 2,
}

/// Why a command did not run.
#[derive(Debug)]
pub enum Failure {
    /// The arguments are no command line.
    Usage(clap::Error),
    /// Anything else.
    Run(anyhow::Error),
}

/// What a failure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// An option, or options that do not go together.
    Options,
    /// Data that cannot be used.
    Input,
    /// A file that cannot be read or written.
    File,
    /// An index that is not as it was written.
    Index,
    /// A service that did not answer, or refused.
    Service,
    /// The run was told to stop.
    Interrupted,
}

impl Failure {
    /// What it is about.
    pub fn kind(&self) -> FailureKind {
        use doublet::Error;
        let Failure::Run(error) = self else {
            return FailureKind::Options;
        };
        for cause in error.chain() {
            if let Some(own) = cause.downcast_ref::<Error>() {
                return match own {
                    Error::Io { .. } | Error::NoInput(_) | Error::EmptyDirectory(_) => {
                        FailureKind::File
                    }
                    Error::Damaged { .. } => FailureKind::Index,
                    Error::Option { .. } | Error::UnusedOption { .. } | Error::Resume(_) => {
                        FailureKind::Options
                    }
                    Error::Interrupted => FailureKind::Interrupted,
                    _ => FailureKind::Input,
                };
            }
            if cause.is::<std::io::Error>() {
                return FailureKind::File;
            }
            if cause.is::<client::ServiceError>() {
                return FailureKind::Service;
            }
            if cause.is::<commands::BadData>() {
                return FailureKind::Input;
            }
        }
        FailureKind::Options
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(error) => {
                // What is wrong, without the usage of the command line.
                let text = error.to_string();
                let text = text.strip_prefix("error: ").unwrap_or(&text);
                let end = text
                    .find("\n\nUsage:")
                    .or_else(|| text.find("\n\nFor more"));
                out.write_str(text[..end.unwrap_or(text.len())].trim_end())
            }
            Failure::Run(error) => write!(out, "{error:#}"),
        }
    }
}

impl std::error::Error for Failure {}

/// Runs the command that the console's arguments say.
///
/// # Errors
/// When the arguments are no command line, and what the command returns. Whoever reads the output and went away is no error.
pub fn run(console: &Console) -> Result<Status, Failure> {
    let command = match parse(console.arguments()) {
        Ok(arguments) => arguments.command,
        // Help and the version are asked for.
        Err(Failure::Usage(error)) if console.is_memory() && !error.use_stderr() => {
            let written = write!(console.out(), "{error}");
            return written
                .map(|()| Status::Done)
                .map_err(|error| Failure::Run(error.into()));
        }
        Err(failure) => return Err(failure),
    };
    if !console.is_memory() {
        doublet::files::expect_limits();
        // A service has its own ways to end.
        if !matches!(command, Command::Serve(_)) {
            console.hear();
        }
    }
    let result = dispatch(&command, console).and_then(|status| {
        console.end_stage();
        console.out().flush()?;
        Ok(status)
    });
    match result {
        Err(error) if display::is_broken_pipe(&error) => Ok(Status::Done),
        // All else that reads or writes says what.
        Err(error) if error.chain().count() == 1 && error.is::<std::io::Error>() => {
            Err(Failure::Run(unwritten(error)))
        }
        result => result.map_err(Failure::Run),
    }
}

/// The error of results that cannot be written.
fn unwritten(cause: anyhow::Error) -> anyhow::Error {
    cause.context("cannot write to standard output")
}

/// The same for a person at the terminal: errors are printed, and the exit status is returned.
pub fn main(console: &Console) -> u8 {
    match run(console) {
        Ok(status) => status as u8,
        Err(Failure::Usage(error)) => {
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            if let Err(cause) = printed
                && !error.use_stderr()
                && cause.kind() != ErrorKind::BrokenPipe
            {
                display::error(&unwritten(cause.into()));
                return Status::Failed as u8;
            }
            u8::try_from(error.exit_code()).unwrap_or(Status::Failed as u8)
        }
        Err(Failure::Run(error)) => {
            display::error(&error);
            Status::Failed as u8
        }
    }
}

/// What the options of `doublet dedup` come to.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What makes two texts a match.
    pub join: JoinOptions,
    /// How matches become clusters, and which text of each stays.
    pub cluster: ClusterOptions,
    /// All options in words.
    pub described: Map<String, Value>,
}

/// Resolves options of `doublet dedup`, given without an input and an output, as it would.
///
/// # Errors
/// When the options are none of it, or do not go together.
pub fn resolve_dedup(options: &[OsString]) -> Result<Resolved, Failure> {
    let mut line: Vec<OsString> = ["dedup", "-", "--output", "-"].map(Into::into).into();
    line.extend_from_slice(options);
    let Command::Dedup(arguments) = parse(&line)?.command else {
        return Err(Failure::Run(anyhow::anyhow!(
            "these are options of `dedup`"
        )));
    };
    let cluster = arguments.clustering();
    let whole = arguments.remove() == Remove::Documents;
    let join = arguments.common.join(Some(&cluster), whole);
    let join = join.map_err(Failure::Run)?;
    let most_lost = arguments.most_lost().map_err(Failure::Run)?;
    Ok(Resolved {
        cluster: ClusterOptions {
            removal: Some(join.removal_rule(most_lost)),
            ..cluster.resolve(join.matching.metric)
        },
        described: arguments.describe(&cluster, &join),
        join,
    })
}

/// The definition of the command line: commands, options and what `--help` says of them.
pub fn command_line() -> clap::Command {
    Arguments::command()
}

fn parse(arguments: &[OsString]) -> Result<Arguments, Failure> {
    let line = std::iter::once(OsString::from("doublet")).chain(arguments.iter().cloned());
    Arguments::try_parse_from(line).map_err(Failure::Usage)
}

fn dispatch(command: &Command, console: &Console) -> anyhow::Result<Status> {
    if let Some(text) = command.text() {
        text.warn(console)?;
    }
    match command {
        Command::Dedup(arguments) => commands::dedup::run(arguments, console),
        Command::Audit(arguments) => commands::audit::run(arguments, console),
        Command::Pairs(arguments) => commands::pairs::run(arguments, console),
        Command::Clusters(arguments) => commands::clusters::run(arguments, console),
        Command::Compare(arguments) => commands::compare::run(arguments, console),
        Command::Check(arguments) => commands::check::run(arguments, console),
        Command::Index(arguments) => commands::index::run(arguments, console),
        Command::Serve(arguments) => commands::serve::run(arguments, console),
        Command::Inspect(arguments) => commands::inspect::run(arguments, console),
        Command::Background(arguments) => commands::background::run(arguments, console),
        Command::Eval(arguments) => commands::eval::run(arguments, console),
        Command::Advise(arguments) => commands::advise::run(arguments, console),
        Command::Completions(arguments) => commands::completions::run(arguments, console),
        Command::Man(arguments) => commands::man::run(arguments, console),
    }
}
