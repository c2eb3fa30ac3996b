//! The arguments of `check` and `index`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{MatchArguments, ReadArguments, ResourceArguments, ServerArguments, Top};

/// Ask whether texts are copies, of which sources, and in which parts
#[derive(Debug, Args)]
#[command(
    after_help = "One line of JSON a text, or a table on a terminal. Offsets count characters (code points) of the texts as they stand
in the input; those in sources of shingles and terms, of the texts without markup. Exit status 1 when no text is a copy.

Examples:
  doublet check posts.jsonl --index news.index
  doublet check essay.txt --against originals/
  doublet check posts.jsonl --index news.index --min-sentences 5 --top 3
  doublet check posts.jsonl --server http://127.0.0.1:8080      (a running `doublet serve`)
  doublet check --ping --server http://127.0.0.1:8080"
)]
pub(crate) struct CheckArguments {
    /// Files, directories, globs or `-`: the texts to ask about
    #[arg(value_name = "INPUT", required_unless_present = "ping")]
    pub(crate) inputs: Vec<String>,
    /// Ask this index, made by `doublet index`
    #[arg(long, value_name = "DIR", conflicts_with = "server")]
    pub(crate) index: Option<PathBuf>,
    /// Sources to compare with, without an index that stays
    #[arg(long, value_name = "REF", conflicts_with_all = ["index", "server"], num_args = 1..)]
    pub(crate) against: Vec<String>,
    /// Ask nothing but whether the service is ready: exit status 0 if it is
    #[arg(long, requires = "server", conflicts_with = "inputs")]
    pub(crate) ping: bool,
    /// Print JSON also on a terminal
    #[arg(long)]
    pub(crate) json: bool,
    /// Name so many sources of a text, or all [default: the ten best, and every other that alone makes it a copy; 3 in a table]
    #[arg(long, value_name = "N|all")]
    pub(crate) top: Option<Top>,
    /// Write how long opening and answering took to this file, as JSON
    #[arg(long, value_name = "FILE", conflicts_with = "server")]
    pub(crate) stats: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    #[command(flatten)]
    pub(crate) matching: MatchArguments,
    #[command(flatten)]
    pub(crate) resources: ResourceArguments,
}

/// Keep sources in an index on disk, to ask about copies of them with `doublet check`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  doublet index create news.index
  doublet index add news.index archive/*.jsonl.gz
  doublet check posts.jsonl --index news.index
  doublet index remove news.index article-17 article-18

One process writes to an index at a time; any number read it meanwhile, each as of the last commit when it opened it.")]
pub(crate) struct IndexArguments {
    #[command(subcommand)]
    pub(crate) command: IndexCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    Create(IndexCreateArguments),
    Add(IndexAddArguments),
    Remove(IndexRemoveArguments),
    Info(IndexInfoArguments),
    Verify(IndexVerifyArguments),
    Compact(IndexCompactArguments),
    Snapshot(IndexSnapshotArguments),
}

/// Make an empty index; its options stay with it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  doublet index create news.index
  doublet index create news.index --no-texts --df-cutoff 0.1
  doublet index create pages.index --method shingles --metric coverage --threshold 0.7
  doublet index create crawl.index --method minhash --threshold 0.8 --recall 0.99
  doublet index create posts.index --background posts.background      (made with --method sentences)")]
pub(crate) struct IndexCreateArguments {
    /// Directory for the index: new, or empty
    pub(crate) dir: PathBuf,
    /// Keep no texts, only fingerprints and where they stand: for sentences and imatch
    #[arg(long)]
    pub(crate) no_texts: bool,
    #[command(flatten)]
    pub(crate) matching: MatchArguments,
}

/// Add texts; one with the id of another replaces it
#[derive(Debug, Args)]
#[command(
    override_usage = "doublet index add [OPTIONS] DIR INPUT…
       doublet index add [OPTIONS] --server URL INPUT…",
    after_help = "All texts are added at once when the last is read: after an error or a crash the index is as before. With
--commit-every, and with --server, what was added before stays.

Examples:
  doublet index add news.index archive/*.jsonl.gz
  zcat feed.jsonl.gz | doublet index add news.index - --format jsonl --commit-every 10000
  doublet index add --server http://127.0.0.1:8080 archive/*.jsonl.gz"
)]
pub(crate) struct IndexAddArguments {
    /// Directory of the index; not with `--server`
    pub(crate) dir: Option<PathBuf>,
    /// Files, directories, globs or `-`
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// Commit after every so many texts [default: once, at the end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "server")]
    pub(crate) commit_every: Option<u64>,
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    #[command(flatten)]
    pub(crate) resources: ResourceArguments,
}

/// Remove texts by their ids
#[derive(Debug, Args)]
#[command(
    override_usage = "doublet index remove [OPTIONS] DIR ID…
       doublet index remove [OPTIONS] --server URL ID…",
    after_help = "Exit status 1 when no text has any of the ids. `doublet index compact` gives their room back.

Examples:
  doublet index remove news.index article-17
  doublet index remove news.index --ids withdrawn.txt
  doublet index remove --server http://127.0.0.1:8080 article-17"
)]
pub(crate) struct IndexRemoveArguments {
    /// Directory of the index; not with `--server`
    pub(crate) dir: Option<PathBuf>,
    /// Ids of the texts
    #[arg(value_name = "ID")]
    pub(crate) id: Vec<String>,
    /// File with one id a line, or `-`
    #[arg(long, value_name = "FILE")]
    pub(crate) ids: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Show what an index holds, and its options
#[derive(Debug, Args)]
pub(crate) struct IndexInfoArguments {
    /// Directory of the index
    pub(crate) dir: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// List the words that are left out because they are common
    #[arg(long, conflicts_with = "json")]
    pub(crate) common_words: bool,
}

/// Check every byte of an index, and that its files fit together
#[derive(Debug, Args)]
pub(crate) struct IndexVerifyArguments {
    /// Directory of the index
    pub(crate) dir: PathBuf,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Merge the parts of an index into one, without what was removed or replaced
#[derive(Debug, Args)]
pub(crate) struct IndexCompactArguments {
    /// Directory of the index
    pub(crate) dir: PathBuf,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Copy an index as it is now, also while `doublet serve` or another process writes to it
#[derive(Debug, Args)]
#[command(
    after_help = "The copy has every change that was answered before it began, is an index of its own, and can be asked, served and put in
the place of the other. Files that never change are linked, not copied, where TARGET is on the same disk: against the loss of a
disk, copy TARGET to another.

Examples:
  doublet index snapshot news.index backup/news-monday
  doublet index verify backup/news-monday"
)]
pub(crate) struct IndexSnapshotArguments {
    /// Directory of the index
    pub(crate) dir: PathBuf,
    /// Directory for the copy: new, or empty
    pub(crate) target: PathBuf,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
