//! The arguments of `audit`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use doublet::audit::{AuditOptions, Run};
use doublet::options::{Format, ReadOptions};

use super::choices::one_of;

/// Estimate how many removals of a dedup run were wrong, by judging a sample
#[derive(Debug, Args)]
#[command(
    after_help = "Shows each removed text beside the text that was kept for it, and asks for one key:
  r  right: the kept text can replace the removed one
  w  wrong: the removed text should have been kept
  u  unsure
  b  back to the previous question
  v  view both texts in full
  q  quit; the next run continues here

Every answer is saved to DIR/audit.jsonl at once. At the end, audit prints the estimated share of
wrong removals with its 95 % interval. The answers are labels: doublet eval INPUT --truth
DIR/audit.jsonl, with the method and options of the run.

Without a terminal, keys are read from standard input.

Examples:
  doublet dedup news.jsonl -o clean && doublet audit clean
  doublet audit clean --page                              judge in a browser, then:
  doublet audit clean --answers audit-answers.jsonl
  doublet audit clean --json | jq .wrong_share
  doublet audit clean moved/news.jsonl                    the input was moved"
)]
pub(crate) struct AuditArguments {
    /// Directory that `doublet dedup -o DIR` wrote
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Input of the run, if it was moved or came from standard input [default: the files that the run read]
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// References of the run, if they were moved [default: those that the run read]
    #[arg(long, value_name = "REF")]
    pub(crate) against: Vec<String>,
    /// Number of removals in the sample; a larger sample contains the smaller one
    #[arg(long, value_name = "N", default_value_t = AuditOptions::SAMPLE)]
    pub(crate) sample: usize,
    /// Random seed of the sample [default: the seed of the existing answers, or 1]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Write DIR/audit.html, a page for judging in a browser, and exit
    #[arg(long, conflicts_with_all = ["answers", "json"])]
    pub(crate) page: bool,
    /// Add the labels that the page downloaded, print the estimate, and exit
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    /// Print the estimate from the answers so far as JSON, and exit
    #[arg(long)]
    pub(crate) json: bool,
    /// Read the inputs in this format [default: as the run did]
    #[arg(long, value_parser = one_of(Format::NAMES), help_heading = "Reading")]
    format: Option<Format>,
    /// Column or field of the text [default: as the run did]
    #[arg(long, value_name = "FIELD", help_heading = "Reading")]
    text_field: Option<String>,
    /// Column or field of the id [default: as the run did]
    #[arg(long, value_name = "FIELD", help_heading = "Reading")]
    id_field: Option<String>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", help_heading = "Running")]
    threads: Option<usize>,
    /// Directory for temporary files [default: the system's temporary directory]
    #[arg(long, value_name = "DIR", help_heading = "Running")]
    pub(crate) temp_dir: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(short, long, help_heading = "Running")]
    pub(crate) quiet: bool,
}

impl AuditArguments {
    /// How to audit.
    pub(crate) fn resolve(&self) -> Result<AuditOptions> {
        anyhow::ensure!(
            (1..=100_000).contains(&self.sample),
            "`--sample {}`: give 1 to 100000 removals",
            self.sample
        );
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or_else(cores);
        anyhow::ensure!(
            (1..=1024).contains(&threads),
            "`--threads {threads}`: give 1 to 1024"
        );
        Ok(AuditOptions {
            sample: self.sample,
            threads,
        })
    }

    /// How the run read its input, but for what is given.
    pub(crate) fn read_options(&self, run: &Run) -> ReadOptions {
        let defaults = ReadOptions::default();
        let word = run.option("format");
        let format = word.and_then(Format::from_name);
        let field = |given: &Option<String>, option: &str, default: String| {
            let recorded = || run.option(option).map(str::to_owned);
            given.clone().or_else(recorded).unwrap_or(default)
        };
        ReadOptions {
            format: self.format.or(format),
            text_field: field(&self.text_field, "text-field", defaults.text_field),
            id_field: field(&self.id_field, "id-field", defaults.id_field),
            renumber: run.is_on("renumber"),
            ..ReadOptions::default()
        }
    }
}
