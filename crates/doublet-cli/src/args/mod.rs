//! The arguments as typed; those of `check` and `index` in `index`, those of `eval` in `eval`. `choices` has the words they choose from, `resolve`, `sentences` and
//! `dedup` what they come to in the library.

mod advise;
mod audit;
mod choices;
mod dedup;
mod documentation;
mod eval;
mod given;
mod index;
mod resolve;
mod resume;
mod sentences;
mod serve;
mod server;
mod simhash;
mod sketches;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};
use doublet::cluster::{Keep, Linkage, MostLost};
use doublet::dedup::Remove;
use doublet::method::Method;
use doublet::method::sentences::common::Cutoff;
use doublet::method::terms::Language;
use doublet::method::terms::features::FeatureCount;
use doublet::method::terms::weights::Weighting;
use doublet::options::{FingerprintKind, Format, Numbers, ShingleOptions, TokenKind};
use doublet::scores::Metric;
use doublet::sketch::{Banding, SketchKind};
use doublet::threshold::Threshold;

pub(crate) use advise::{AdviseArguments, quoted};
pub(crate) use audit::AuditArguments;
use choices::{ACCENTS, CASE, COUNTING, CandidatesBy, SWITCH, a_method, one_of};
pub(crate) use documentation::{CompletionsArguments, ManArguments};
pub(crate) use eval::{EvalArguments, Setting, SweepArgument, THRESHOLD};
use given::Given;
pub(crate) use index::{
    CheckArguments, IndexAddArguments, IndexArguments, IndexCommand, IndexCompactArguments,
    IndexCreateArguments, IndexInfoArguments, IndexRemoveArguments, IndexSnapshotArguments,
    IndexVerifyArguments,
};
use resolve::parse_size;
use resume::ResumeArguments;
pub(crate) use sentences::Top;
use sentences::{LeastSentences, parse_share};
pub(crate) use serve::ServeArguments;
pub(crate) use server::{ServerArguments, positional};
use simhash::SimhashArguments;

/// Finds exact, near and partial duplicates in collections of text, and says why each pair is one.
#[derive(Debug, Parser)]
#[command(
    name = "doublet",
    version,
    max_term_width = 100,
    propagate_version = true
)]
#[command(after_help = "Examples:
  doublet dedup crawl.jsonl.gz -o clean          one copy of everything, and a report to look at
  doublet pairs corpus/ --metric coverage        every pair of texts that cover each other to 0.8
  doublet dedup messages.jsonl --method terms -o clean    short texts: messages, titles, posts
  doublet compare a.txt b.txt                    two texts side by side, what they share in colour
  doublet check posts.jsonl --against news.jsonl         which posts are copied, in part or whole, and from where

Exit status: 0 done; 1 ran, but what was asked for was not found; 2 error, or told to end.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Dedup(DedupArguments),
    Audit(AuditArguments),
    Pairs(PairsArguments),
    Clusters(ClustersArguments),
    Compare(CompareArguments),
    Check(CheckArguments),
    Index(IndexArguments),
    Serve(Box<ServeArguments>),
    Inspect(InspectArguments),
    Background(BackgroundArguments),
    Eval(Box<EvalArguments>),
    Advise(AdviseArguments),
    Completions(CompletionsArguments),
    Man(ManArguments),
}

impl Command {
    /// What makes two words one, where a command reads words.
    pub(crate) fn text(&self) -> Option<&TextArguments> {
        Some(match self {
            Command::Dedup(arguments) => &arguments.common.matching.text,
            Command::Pairs(arguments) => &arguments.common.matching.text,
            Command::Clusters(arguments) => &arguments.common.matching.text,
            Command::Compare(arguments) => &arguments.matching.text,
            Command::Check(arguments) => &arguments.matching.text,
            Command::Index(arguments) => match &arguments.command {
                IndexCommand::Create(arguments) => &arguments.matching.text,
                _ => return None,
            },
            Command::Serve(arguments) => &arguments.matching.text,
            Command::Inspect(arguments) => &arguments.matching.text,
            Command::Background(arguments) => &arguments.text,
            Command::Eval(arguments) => &arguments.common.matching.text,
            Command::Audit(_) | Command::Advise(_) | Command::Completions(_) | Command::Man(_) => {
                return None;
            }
        })
    }
}

/// Keep one copy of everything: the main job
#[derive(Debug, Args)]
#[command(
    after_help = "Writes into DIR: kept.* (in the input's own format), removed.jsonl, pairs.jsonl, clusters.jsonl,
rejected.jsonl, summary.json and report.html.

Examples:
  doublet dedup news.jsonl -o clean
  doublet dedup crawl/ -o clean --metric coverage --threshold 0.9 --keep longest
  doublet dedup new.jsonl --against old.jsonl -o clean       remove what the old collection has already
  doublet dedup messages.csv --method terms -o clean         short texts, by weighted terms
  doublet dedup web.jsonl.zst --method minhash --recall 0.99 -o clean      very many texts, by sketches
  doublet dedup posts.csv --text-field body --id-field url --keep field:date -o clean
  doublet dedup crawl.jsonl --method sentences --remove passages -o clean      repeated paragraphs
  doublet dedup crawl/ -o clean --resume                     go on where a run was interrupted

With --remove passages, order decides: a sentence stays in the first document that has it
(references come before all) and leaves later ones that repeat --min-sentences of them (default 3)
or --min-share of their words. Sentences that occur more than --max-occurrences times stay
everywhere. kept.* has what is left of each document, removed.jsonl a line for every passage with
the document that keeps it. Not for HTML, XML and WARC. Two sentences are the same when their words
are, but for common ones and for the order; --df-cutoff off --reorder off asks for all of them."
)]
pub(crate) struct DedupArguments {
    #[command(flatten)]
    pub(crate) common: CommonArguments,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    /// Directory for the results
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// What to remove: whole documents, or passages that occur in an earlier document (needs `--method sentences`)
    #[arg(long, value_parser = one_of(Remove::NAMES), value_name = "WHAT", default_value = Remove::default().name())]
    remove: Remove,
    /// Keep a text if its removal would lose more than N words: words outside the passages that the kept text shares. N is a
    /// number of words, or a share of the removed text such as 0.05 [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_lost: Option<MostLost>,
    /// Write into a directory that is not empty, and replace the results of an earlier or interrupted run
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,
    /// Write everything but the kept records
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Leave out records whose text has no word
    #[arg(long)]
    pub(crate) drop_empty: bool,
}

/// Write the similarity matrix: every pair at or above the threshold
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  doublet pairs corpus.jsonl --threshold 0.5
  doublet pairs corpus.jsonl -o pairs.parquet --metric containment
  doublet pairs new.jsonl --against old.jsonl -o pairs.csv
  doublet pairs new.jsonl --against old.jsonl -o pairs.csv --resume      after an interrupt")]
pub(crate) struct PairsArguments {
    #[command(flatten)]
    pub(crate) common: CommonArguments,
    /// File for the pairs; `.csv` and `.parquet` choose those formats [default: JSON lines on standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Stop with an error when there are more pairs than this; nothing is left in FILE then
    #[arg(long, value_name = "N")]
    pub(crate) max_pairs: Option<u64>,
}

/// Write groups of texts that say the same
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  doublet clusters corpus.jsonl --linkage star
  doublet clusters corpus.jsonl -o clusters.jsonl --keep longest")]
pub(crate) struct ClustersArguments {
    #[command(flatten)]
    pub(crate) common: CommonArguments,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    /// File for the clusters [default: JSON lines on standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Show two texts side by side, what they share in colour, and every score
#[derive(Debug, Args)]
#[command(after_help = "Exit status 1 when the score is below the threshold.

Examples:
  doublet compare a.txt b.txt
  doublet compare samples/rulff-a.txt samples/rulff-b.txt --stop-words de --metric coverage")]
pub(crate) struct CompareArguments {
    /// The first text: a file, or `-`
    pub(crate) a: String,
    /// The second text: a file, or `-`
    pub(crate) b: String,
    /// Print scores and passages as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    #[command(flatten)]
    pub(crate) matching: MatchArguments,
}

/// Show how texts are seen: tokens and shingles, sketches, terms and weights, or sentences, with fingerprints, as one line of JSON a
/// text
#[derive(Debug, Args)]
#[command(
    after_help = "Offsets count characters (code points) of the text as it stands in the input.

Examples:
  doublet inspect page.html
  doublet inspect messages.jsonl --method terms
  doublet inspect news.jsonl --method sentences
  doublet inspect crawl.jsonl --method minhash --sketch-size 50
  echo 'Im Jahr 2024' | doublet inspect -"
)]
pub(crate) struct InspectArguments {
    /// Files, directories, globs or `-`
    #[arg(value_name = "INPUT", required = true)]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    #[command(flatten)]
    pub(crate) matching: MatchArguments,
}

/// Count how often words occur, for the weights of `terms` and the common words of `sentences`
#[derive(Debug, Args)]
#[command(
    after_help = "The table holds each term with its occurrences by group and the number of texts it stands in. Tables among the
inputs are merged into the new one; they must have been made with the same options.

Examples:
  doublet background archive/*.jsonl.gz -o archive.background
  doublet background archive.background today.jsonl -o archive.background
  doublet pairs messages.jsonl --method terms --background archive.background
  doublet background posts.jsonl --method sentences -o posts.background
  doublet index create news.index --background posts.background"
)]
pub(crate) struct BackgroundArguments {
    /// Files, directories, globs or `-`, and tables made before
    #[arg(value_name = "INPUT", required = true)]
    pub(crate) inputs: Vec<String>,
    /// File for the table
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The method that the table is for: it decides what a word is
    #[arg(long, value_parser = one_of(COUNTING), default_value = Method::Terms.name())]
    pub(crate) method: Method,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    #[command(flatten)]
    pub(crate) text: TextArguments,
    #[command(flatten)]
    pub(crate) resources: ResourceArguments,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct CommonArguments {
    /// Files, directories, globs or `-`: JSON lines, CSV, TSV, Parquet, text, HTML, XML, WARC; .gz and .zst anywhere
    #[arg(value_name = "INPUT", required = true)]
    pub(crate) inputs: Vec<String>,
    /// Compare with these texts, which are never removed
    #[arg(long, value_name = "REF", help_heading = "Matching")]
    pub(crate) against: Vec<String>,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    #[command(flatten)]
    pub(crate) matching: MatchArguments,
    #[command(flatten)]
    pub(crate) resources: ResourceArguments,
    #[command(flatten)]
    pub(crate) resume: ResumeArguments,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadArguments {
    /// Read the inputs in this format [default: by ending and content]
    #[arg(long, value_parser = one_of(Format::NAMES))]
    format: Option<Format>,
    /// Column or field of the text; dots lead into nested JSON
    #[arg(long, value_name = "FIELD", default_value = "text")]
    text_field: String,
    /// Column or field of the id; without it file name and line number
    #[arg(long, value_name = "FIELD", default_value = "id")]
    id_field: String,
    /// Number the records from 0 instead of using their ids
    #[arg(long)]
    renumber: bool,
    /// Stop at the first record that cannot be read
    #[arg(long)]
    strict: bool,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Matching")]
pub(crate) struct MatchArguments {
    /// Before the others, which take their values away.
    #[command(flatten)]
    given: Given,
    /// How duplicates are found [default: shingles; sentences for check and index]
    #[arg(long, value_parser = a_method())]
    method: Option<Method>,
    /// What similarity means [default: resemblance; degree for terms; containment-coverage for sentences; agreement for simhash]
    #[arg(long, value_parser = one_of(Metric::NAMES))]
    metric: Option<Metric>,
    /// Least score of a duplicate, above 0 and at most 1 [default: 0.8; 0.65 for terms; 0.7 for sentences; 61/64 for simhash]
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    threshold: Option<Threshold>,
    /// Tokens in a shingle
    #[arg(long, value_name = "WORDS", default_value_t = ShingleOptions::default().size)]
    shingle: usize,
    #[command(flatten)]
    text: TextArguments,
    /// Fingerprint function
    #[arg(long, value_parser = one_of(FingerprintKind::NAMES), default_value = ShingleOptions::default().fingerprint.name())]
    fingerprint: FingerprintKind,
    /// Bits of a fingerprint, 16 to 64; the result is the same for all
    #[arg(long, value_name = "BITS", default_value_t = ShingleOptions::default().bits)]
    fingerprint_bits: u32,
    /// Where the random numbers of sketches begin
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    terms: TermArguments,
    #[command(flatten)]
    sketches: SketchArguments,
    #[command(flatten)]
    sentences: SentenceArguments,
    #[command(flatten)]
    simhash: SimhashArguments,
}

/// What makes two words one.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Words")]
pub(crate) struct TextArguments {
    /// What a token is, and a shingle made of: a word, whatever stands between spaces, or a character; not for terms and sentences
    #[arg(long, value_parser = one_of(TokenKind::NAMES), default_value = TokenKind::default().name())]
    tokens: TokenKind,
    /// Numbers: keep (compare them like words), token (treat all numbers as one word), drop (ignore them) [default: keep]
    #[arg(long, value_parser = one_of(Numbers::NAMES))]
    numbers: Option<Numbers>,
    /// Whether `A` and `a` are one letter
    #[arg(long, action = ArgAction::Set, value_parser = one_of(CASE), default_value = CASE[0].1)]
    case: bool,
    /// Whether `é` and `e` are one letter
    #[arg(long, action = ArgAction::Set, value_parser = one_of(ACCENTS), default_value = ACCENTS[0].1)]
    accents: bool,
    /// Delete letters outside ASCII
    #[arg(long)]
    ascii: bool,
    /// Leave out these words: a language (de, en, fr, …) or a file with one word a line; may be repeated
    #[arg(long, value_name = "LANG|FILE")]
    stop_words: Vec<String>,
    /// Language of the texts: `auto` tells it text by text, or a code such as en; for terms
    #[arg(long, value_name = "LANG", default_value = "auto")]
    lang: Language,
    /// One letter for a letter that stands three times or more in a row (`soooo` is `so`); for terms
    #[arg(long)]
    fold_elongation: bool,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Terms")]
pub(crate) struct TermArguments {
    /// How to find pairs. terms: auto (exact, unless a sample shows that it costs over five times as much as features), exact,
    /// features, baseline (two consecutive words) [default: auto]; minhash: bands, values [default: bands; values for sketches
    /// other than permutations]
    #[arg(long, value_parser = one_of(CandidatesBy::NAMES))]
    candidates: Option<CandidatesBy>,
    /// Skip comparisons of texts that are already in the same cluster [default: on with --linkage connected, off otherwise]
    #[arg(long, value_parser = one_of(SWITCH))]
    transitivity: Option<bool>,
    /// Table of frequencies made by `doublet background`, for terms and sentences [default: the texts themselves]
    #[arg(long, value_name = "FILE")]
    background: Option<PathBuf>,
    /// Weight intervals of the groups, as TOML: `noun = [0.9, 1.0]`
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Which terms of a group weigh more: frequent ones, as in the paper, rare ones within the same intervals, or rare
    /// ones by the logarithm, whatever their group and length [default: frequency]
    #[arg(long, value_parser = one_of(Weighting::NAMES))]
    weighting: Option<Weighting>,
    /// Features of a text: a number, or k+3 for three more than the least [default: k+N, N being `--gram`]
    #[arg(long, value_name = "COUNT")]
    features: Option<FeatureCount>,
    /// Features in a fingerprint [default: 3]
    #[arg(long, value_name = "N")]
    gram: Option<usize>,
    /// Texts of at most so many terms also meet by pairs of terms, which misses none of them; 0 for features alone [default: 8]
    #[arg(long, value_name = "TERMS")]
    short: Option<usize>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Sketches")]
pub(crate) struct SketchArguments {
    /// What a sketch keeps: the least value of each permutation, the least values of one, or those that are 0 modulo a number
    /// [default: permutations]
    #[arg(long, value_parser = one_of(SketchKind::NAMES))]
    sketch: Option<SketchKind>,
    /// Values of a sketch, or the number that they are 0 modulo of [default: 200; 4 for modulo]
    #[arg(long, value_name = "N")]
    sketch_size: Option<usize>,
    /// Probability with which a pair at the threshold is found; bands and rows follow from it [default: 0.99]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    recall: Option<f64>,
    /// Bands and their rows, instead of those that the recall asks for, such as 26x5; 40x4x2 if a pair must share two
    #[arg(long, value_name = "BANDSxROWS")]
    bands: Option<Banding>,
    /// With `--candidates values`: values that a pair must share [default: as many as the recall leaves]
    #[arg(long, value_name = "N")]
    min_common: Option<u32>,
    /// Score pairs by their sketches instead of their texts: `--metric agreement`
    #[arg(long)]
    estimate: bool,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Sentences")]
pub(crate) struct SentenceArguments {
    /// Words in more texts than this are common and left out: a share of the texts, a number of texts, or off
    /// [default: 0.2; the function words of the languages where there are fewer than 1000 texts to count]
    #[arg(long, value_name = "SHARE|COUNT|off")]
    df_cutoff: Option<Cutoff>,
    /// Whether sentences of the same words in another order are one [default: on]
    #[arg(long, value_parser = one_of(SWITCH))]
    reorder: Option<bool>,
    /// A sentence of which fewer words are left counts only next to a copied one, and not for pairs [default: 3]
    #[arg(long, value_name = "N")]
    min_words: Option<usize>,
    /// So many copied sentences make a text a copy, whatever their share; or off [default: 3; off for dedup, unless it
    /// removes passages]
    #[arg(long, value_name = "N|off")]
    min_sentences: Option<LeastSentences>,
    /// Copied share of a text's words that makes it a copy, however few its sentences: the threshold by another name
    /// [default: 0.7]
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    min_share: Option<Threshold>,
    /// A sentence that occurs more often among the sources is boilerplate and counts for nothing [default: 300]
    #[arg(long, value_name = "N")]
    max_occurrences: Option<u64>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Clusters")]
pub(crate) struct ClusterArguments {
    /// How matches become clusters: star (every text matches the representative), connected (chains of matches), complete (all
    /// texts match one another) [default: star for dedup and eval, connected for clusters]
    #[arg(long, value_parser = one_of(Linkage::NAMES))]
    linkage: Option<Linkage>,
    /// Text to keep of each cluster: central (matches most others), first, last, longest, field:NAME (largest value),
    /// field:-NAME (smallest) [default: first for clusters; for dedup and eval longest with sentences, imatch and the containment
    /// metrics, otherwise central with star and first with other linkages]
    #[arg(long, value_name = "RULE")]
    keep: Option<Keep>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct ResourceArguments {
    /// Threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Memory for the working set, such as 500M or 8G [default: three quarters of what this process may use]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Directory for temporary files [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) temp_dir: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
