//! `cargo xtask`: the project's automation, in Rust, so that nothing else has to be installed first.
//!
//! One file (or folder) per command: `test` runs every test, `corpus` makes collections with known
//! duplicates.

mod corpus;
mod test;
mod workspace;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Automation for doublet")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run every test of the project
    Test,
    /// Make a collection of natural-looking texts with known edited copies
    Corpus(corpus::Args),
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Test => test::run(),
        Command::Corpus(args) => corpus::run(&args),
    }
}
