//! `cargo xtask`: the project's automation, in Rust, so that nothing else has to be installed first.
//!
//! One file (or folder) per command: `test` runs every test, `fuzz` looks for inputs that break a law, `corpus` makes collections with known
//! duplicates, `bench` measures the tool and its peers on them, `plot` draws what was measured, `terms` measures
//! the method for short texts after its paper, `sentences` the one for partial copies after its own, `sketches` the one by sketches, `serve` the service, `wheel` the Python package, `papers` redoes all
//! tables and figures of the papers and writes pages about them, `book` builds the documentation, `release` makes what is published and checks what is in it.

mod bench;
mod book;
mod corpus;
mod doublet;
mod draw;
mod fuzz;
mod golden;
mod labelled;
mod memory;
mod papers;
mod plot;
mod release;
mod segment;
mod sentences;
mod serve;
mod sketches;
mod stress;
mod terms;
mod test;
mod wheel;
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
    Test(test::Args),
    /// Make a collection of natural-looking texts with known edited copies
    Corpus(corpus::Args),
    /// Measure doublet and its peers side by side
    Bench(bench::Args),
    /// Draw run time and memory against tokens into docs/
    Plot(plot::Args),
    /// Measure `doublet dedup --method terms` on growing collections of messages, and draw it
    TermsScaling(terms::scaling::Args),
    /// Precision, recall and comparisons of `--method terms`, after the figures of its paper, and draw them
    TermsFigures(terms::figures::Args),
    /// Size, speed and quality of `--method sentences`, after the table and figures of its paper, and draw them
    SentencesFigures(sentences::figures::Args),
    /// Bias, spread and speed of sketches, and `--method minhash` on growing collections, and draw them
    SketchFigures(sketches::figures::Args),
    /// Measure the Python package beside the command line
    WheelFigures(wheel::figures::Args),
    /// Measure `doublet.spark` beside the command line and other tools on Spark
    SparkFigures(wheel::spark::Args),
    /// Redo every table and figure of the papers behind the methods, into docs/papers/
    Papers(papers::Args),
    /// Measure the peak memory of every method at several limits
    Memory(memory::Args),
    /// Put hostile collections through every method and command
    Stress(stress::Args),
    /// Compare doublet and its peers on sets with labels, and write docs/labelled.md
    Labelled(labelled::Args),
    /// Build the documentation as a book, into target/book
    Book(book::Args),
    /// Check licences, sources, duplicates and advisories of all crates by deny.toml, with cargo-deny
    Deny(release::deny::Args),
    /// Write docs/third-party.md, or the texts of all licences
    Licences(release::licences::Args),
    /// Make the release archive of a system
    Dist(release::dist::Args),
    /// Cut the Chinese of a collection into words and do nothing with them (a peer of `bench`)
    SegmentZh(segment::Args),
    /// Hash what every command writes with every method, to see that a change of the code changes no output
    Golden(golden::Args),
    /// Let a fuzzer look for inputs that break the laws in crates/doublet-laws
    Fuzz(fuzz::Args),
    /// Run a program and print what it used (a part of `bench`)
    #[command(hide = true)]
    Measure(bench::measure::Args),
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Test(args) => test::run(&args),
        Command::Corpus(args) => corpus::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::TermsScaling(args) => terms::scaling::run(&args),
        Command::TermsFigures(args) => terms::figures::run(&args),
        Command::SentencesFigures(args) => sentences::figures::run(&args),
        Command::SketchFigures(args) => sketches::figures::run(&args),
        Command::WheelFigures(args) => wheel::figures::run(&args),
        Command::SparkFigures(args) => wheel::spark::run(&args),
        Command::Papers(args) => papers::run(&args),
        Command::Memory(args) => memory::run(&args),
        Command::Stress(args) => stress::run(&args),
        Command::Labelled(args) => labelled::run(&args),
        Command::Book(args) => book::run(&args),
        Command::Deny(args) => release::deny::run(&args),
        Command::Licences(args) => release::licences::run(&args),
        Command::Dist(args) => release::dist::run(&args),
        Command::SegmentZh(args) => segment::run(&args),
        Command::Golden(args) => golden::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Measure(args) => bench::measure::run(&args),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Command lines of xtask in a text, each up to a comment, a quote or the end of the line.
    fn commands(text: &str) -> impl Iterator<Item = &str> {
        let lines = text.split("cargo xtask ").skip(1);
        lines.filter_map(|rest| rest.split(['`', '\n', '#', '(', ')']).next())
    }

    #[test]
    fn commands_in_the_documentation_exist() {
        let line = Cli::command();
        let mut seen = 0;
        for folder in ["docs", "docs/papers", "benchmarks", "."] {
            for entry in std::fs::read_dir(workspace::root().join(folder)).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_none_or(|ending| ending != "md") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                for command in commands(&text) {
                    let mut words = command.split_whitespace();
                    let name = words.next().unwrap_or_default();
                    // `...` and `test | corpus | …` stand for several.
                    let Some(sub) = line.find_subcommand(name.trim_end_matches([',', '.'])) else {
                        panic!("{}: `cargo xtask {command}`", path.display());
                    };
                    for long in words.filter_map(|word| word.strip_prefix("--")) {
                        let known = sub.get_arguments().any(|arg| arg.get_long() == Some(long));
                        assert!(known, "{}: `cargo xtask {command}`", path.display());
                    }
                    seen += 1;
                }
            }
        }
        assert!(seen > 50, "{seen} commands");
    }

    #[test]
    fn arguments_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }
}
