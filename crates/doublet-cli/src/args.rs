//! The arguments as typed, and what they resolve to in the library.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand, ValueEnum};
use doublet::batch::{JoinOptions, MANY_PAIRS, Source};
use doublet::cluster::{ClusterOptions, Keep, Linkage};
use doublet::method::Method;
use doublet::normalize::stop_words;
use doublet::options::{
    Candidates, FingerprintKind, Format, NormalizeOptions, Numbers, ReadOptions, Resources,
    ShingleOptions, TermOptions,
};
use doublet::read::Collection;
use doublet::segment::Segmenter;
use doublet::terms::background::Background;
use doublet::terms::features::FeatureCount;
use doublet::terms::weights::Weighting;
use doublet::terms::{Language, segment_signature};
use doublet::threshold::Threshold;
use doublet::verify::Metric;
use serde_json::{Map, Value, json};

use crate::display;

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

Exit status: 0 done; 1 ran, but what was asked for was not found; 2 error.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Dedup(DedupArguments),
    Pairs(PairsArguments),
    Clusters(ClustersArguments),
    Compare(CompareArguments),
    Inspect(InspectArguments),
    Background(BackgroundArguments),
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
  doublet dedup posts.csv --text-field body --id-field url --keep field:date -o clean"
)]
pub(crate) struct DedupArguments {
    #[command(flatten)]
    pub(crate) common: CommonArguments,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    /// Directory for the results
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Write into a directory that is not empty
    #[arg(long)]
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
  doublet pairs new.jsonl --against old.jsonl -o pairs.csv")]
pub(crate) struct PairsArguments {
    #[command(flatten)]
    pub(crate) common: CommonArguments,
    /// File for the pairs; `.csv` and `.parquet` choose those formats [default: JSON lines on standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
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

/// Show how texts are seen: tokens and shingles, or terms and weights, with fingerprints, as one line of JSON a text
#[derive(Debug, Args)]
#[command(
    after_help = "Offsets count characters (code points) of the text as it stands in the input.

Examples:
  doublet inspect page.html
  doublet inspect messages.jsonl --method terms
  echo 'Im Jahr 2024' | doublet inspect - --numbers keep"
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

/// Count how often terms occur, for the weights of `terms`
#[derive(Debug, Args)]
#[command(
    after_help = "The table holds each term with its occurrences by group and the number of texts it stands in. Tables among the
inputs are merged into the new one; they must have been made with the same options.

Examples:
  doublet background archive/*.jsonl.gz -o archive.background
  doublet background archive.background today.jsonl -o archive.background
  doublet pairs messages.jsonl --method terms --background archive.background"
)]
pub(crate) struct BackgroundArguments {
    /// Files, directories, globs or `-`, and tables made before
    #[arg(value_name = "INPUT", required = true)]
    pub(crate) inputs: Vec<String>,
    /// File for the table
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    #[command(flatten)]
    pub(crate) text: TextArguments,
    #[command(flatten)]
    pub(crate) resources: ResourceArguments,
}

#[derive(Debug, Args)]
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
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadArguments {
    /// Read the inputs in this format [default: by ending and content]
    #[arg(long, value_enum)]
    format: Option<FormatArgument>,
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

#[derive(Debug, Args)]
#[command(next_help_heading = "Matching")]
pub(crate) struct MatchArguments {
    /// How duplicates are found
    #[arg(long, value_enum, default_value_t = MethodArgument::Shingles)]
    method: MethodArgument,
    /// What similarity means [default: resemblance; degree for terms]
    #[arg(long, value_enum)]
    metric: Option<MetricArgument>,
    /// Least score of a duplicate, above 0 and at most 1 [default: 0.8; 0.65 for terms]
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    threshold: Option<Threshold>,
    /// Words in a shingle
    #[arg(long, value_name = "WORDS", default_value_t = ShingleOptions::default().size)]
    shingle: usize,
    #[command(flatten)]
    text: TextArguments,
    /// Fingerprint function
    #[arg(long, value_enum, default_value_t = FingerprintArgument::Fold)]
    fingerprint: FingerprintArgument,
    /// Bits of a fingerprint, 16 to 64; the result is the same for all
    #[arg(long, value_name = "BITS", default_value_t = ShingleOptions::default().bits)]
    fingerprint_bits: u32,
    /// Seed of methods that draw random numbers; `shingles` and `terms` draw none
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    terms: TermArguments,
}

/// What makes two words one.
#[derive(Debug, Args)]
#[command(next_help_heading = "Words")]
pub(crate) struct TextArguments {
    /// What numbers become: one token for all, their digits, or nothing [default: token; keep for terms]
    #[arg(long, value_enum)]
    numbers: Option<NumbersArgument>,
    /// Whether `A` and `a` are one letter
    #[arg(long, value_enum, default_value_t = CaseArgument::Fold)]
    case: CaseArgument,
    /// Whether `é` and `e` are one letter
    #[arg(long, value_enum, default_value_t = AccentsArgument::Keep)]
    accents: AccentsArgument,
    /// Delete letters outside ASCII
    #[arg(long)]
    ascii: bool,
    /// Leave out these words: a language (de, en, fr, …) or a file with one word a line; may be repeated
    #[arg(long, value_name = "LANG|FILE")]
    stop_words: Vec<String>,
    /// Language of the texts: `auto` tells it text by text, or a code such as en; `shingles` treats all alike
    #[arg(long, value_name = "LANG", default_value = "auto")]
    lang: Language,
    /// One letter for a letter that stands three times or more in a row (`soooo` is `so`); for terms
    #[arg(long)]
    fold_elongation: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Terms")]
pub(crate) struct TermArguments {
    /// How pairs are found: by features, completely, or by two words in a row [default: features]
    #[arg(long, value_enum)]
    candidates: Option<CandidatesArgument>,
    /// Whether texts that hang together already are compared [default: on for connected clusters, off for pairs]
    #[arg(long, value_enum)]
    transitivity: Option<TransitivityArgument>,
    /// Table of term frequencies made by `doublet background` [default: the texts themselves]
    #[arg(long, value_name = "FILE")]
    background: Option<PathBuf>,
    /// Weight intervals of the groups, as TOML: `noun = [0.9, 1.0]`
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Which terms of a group weigh more: frequent ones, as in the paper, or rare ones [default: frequency]
    #[arg(long, value_enum)]
    weighting: Option<WeightingArgument>,
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

#[derive(Debug, Args)]
#[command(next_help_heading = "Clusters")]
pub(crate) struct ClusterArguments {
    /// What makes a cluster: chains of pairs, all match the one kept, or all match one another
    #[arg(long, value_enum, default_value_t = LinkageArgument::Connected)]
    linkage: LinkageArgument,
    /// Which text of a cluster stays: first, last, longest, field:NAME (largest value), field:-NAME (smallest)
    #[arg(long, value_name = "RULE", default_value = "first")]
    keep: Keep,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct ResourceArguments {
    /// Threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Memory for the working set, such as 500M or 8G [default: three quarters of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Where temporary files go [default: the system's place]
    #[arg(long, value_name = "DIR")]
    pub(crate) temp_dir: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// An enum of the command line: its words and the library's values.
macro_rules! choice {
    ($name:ident -> $target:ty { $($variant:ident = $word:literal => $value:expr),+ $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $(#[value(name = $word)] $variant),+ }

        impl $name {
            fn value(self) -> $target {
                match self { $(Self::$variant => $value),+ }
            }

            #[allow(dead_code, reason = "some are described by the library's own names")]
            fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

choice!(FormatArgument -> Format {
    Jsonl = "jsonl" => Format::JsonLines,
    Csv = "csv" => Format::Csv,
    Tsv = "tsv" => Format::Tsv,
    Parquet = "parquet" => Format::Parquet,
    Text = "text" => Format::Text,
    Lines = "lines" => Format::Lines,
    Html = "html" => Format::Html,
    Xml = "xml" => Format::Xml,
    Warc = "warc" => Format::Warc,
});
choice!(MethodArgument -> Method {
    Shingles = "shingles" => Method::Shingles,
    Terms = "terms" => Method::Terms,
});
choice!(CandidatesArgument -> Candidates {
    Features = "features" => Candidates::Features,
    Exact = "exact" => Candidates::Exact,
    Baseline = "baseline" => Candidates::Baseline,
});
choice!(TransitivityArgument -> bool { On = "on" => true, Off = "off" => false });
choice!(WeightingArgument -> Weighting {
    Frequency = "frequency" => Weighting::Frequency,
    Idf = "idf" => Weighting::Idf,
});
choice!(MetricArgument -> Metric {
    Resemblance = "resemblance" => Metric::Resemblance,
    Coverage = "coverage" => Metric::Coverage,
    Containment = "containment" => Metric::Containment,
    ContainmentCoverage = "containment-coverage" => Metric::ContainmentCoverage,
    Degree = "degree" => Metric::Degree,
});
choice!(NumbersArgument -> Numbers {
    Token = "token" => Numbers::Token,
    Keep = "keep" => Numbers::Keep,
    Drop = "drop" => Numbers::Drop,
});
choice!(CaseArgument -> bool { Fold = "fold" => true, Keep = "keep" => false });
choice!(AccentsArgument -> bool { Keep = "keep" => false, Fold = "fold" => true });
choice!(FingerprintArgument -> FingerprintKind {
    Fold = "fold" => FingerprintKind::Fold,
    Rabin = "rabin" => FingerprintKind::Rabin,
});
choice!(LinkageArgument -> Linkage {
    Connected = "connected" => Linkage::Connected,
    Star = "star" => Linkage::Star,
    Complete = "complete" => Linkage::Complete,
});

impl ReadArguments {
    pub(crate) fn resolve(&self, keep: Option<&Keep>) -> ReadOptions {
        ReadOptions {
            format: self.format.map(FormatArgument::value),
            text_field: self.text_field.clone(),
            id_field: self.id_field.clone(),
            rank_field: match keep {
                Some(Keep::Field { name, .. }) => Some(name.clone()),
                _ => None,
            },
            renumber: self.renumber,
            strict: self.strict,
        }
    }
}

impl MatchArguments {
    pub(crate) fn method(&self) -> Method {
        self.method.value()
    }

    pub(crate) fn metric(&self) -> Metric {
        let own = self.method().metrics()[0];
        self.metric.map_or(own, MetricArgument::value)
    }

    pub(crate) fn threshold(&self) -> Result<Threshold> {
        match self.threshold {
            Some(threshold) => Ok(threshold),
            None => Ok(Threshold::new(self.method().threshold())?),
        }
    }

    pub(crate) fn normalize(&self) -> Result<NormalizeOptions> {
        self.text.normalize(self.method())
    }

    /// The options of `terms`; `spanning` says whether connected texts need no further comparison.
    pub(crate) fn terms(&self, spanning: bool) -> Result<TermOptions> {
        let given = &self.terms;
        if self.method() != Method::Terms {
            given.refuse(self.method())?;
            return Ok(TermOptions::default());
        }
        let mut options = TermOptions {
            language: self.text.lang,
            fold_elongation: self.text.fold_elongation,
            ..TermOptions::default()
        };
        if let Some(path) = &given.weights {
            options.weights.read(path)?;
        }
        if let Some(weighting) = given.weighting {
            options.weights.weighting = weighting.value();
        }
        if let Some(count) = given.features {
            options.features.count = count;
        }
        if let Some(gram) = given.gram {
            options.features.gram = gram;
        }
        if let Some(short) = given.short {
            options.features.short = short;
        }
        if let Some(candidates) = given.candidates {
            options.candidates = candidates.value();
        }
        options.check()?;
        options.transitivity = given
            .transitivity
            .map_or(spanning, TransitivityArgument::value);
        if let Some(path) = &given.background {
            let signature = segment_signature(&self.normalize()?, &options);
            options.background = Some(Arc::new(Background::read(path, &signature)?));
        }
        Ok(options)
    }
}

impl TermArguments {
    /// Says which options another method does not have.
    fn refuse(&self, method: Method) -> Result<()> {
        let exact = self.candidates == Some(CandidatesArgument::Exact);
        let given = [
            ("candidates", self.candidates.is_some() && !exact),
            ("transitivity", self.transitivity.is_some()),
            ("background", self.background.is_some()),
            ("weights", self.weights.is_some()),
            ("weighting", self.weighting.is_some()),
            ("features", self.features.is_some()),
            ("gram", self.gram.is_some()),
            ("short", self.short.is_some()),
        ];
        for (name, given) in given {
            anyhow::ensure!(
                !given,
                "`--{name}` goes with `--method terms`; the method is `{method}`"
            );
        }
        Ok(())
    }
}

impl TextArguments {
    pub(crate) fn normalize(&self, method: Method) -> Result<NormalizeOptions> {
        let mut words = Vec::new();
        for list in &self.stop_words {
            words.extend(read_stop_words(list)?);
        }
        words.sort_unstable();
        words.dedup();
        Ok(NormalizeOptions {
            numbers: self
                .numbers
                .map_or(method.numbers(), NumbersArgument::value),
            fold_case: self.case.value(),
            fold_accents: self.accents.value(),
            ascii: self.ascii,
            stop_words: words,
        })
    }

    /// The options that shape terms, as `doublet background` needs them.
    pub(crate) fn terms(&self) -> TermOptions {
        TermOptions {
            language: self.lang,
            fold_elongation: self.fold_elongation,
            ..TermOptions::default()
        }
    }
}

impl MatchArguments {
    pub(crate) fn shingle(&self) -> ShingleOptions {
        ShingleOptions {
            size: self.shingle,
            fingerprint: self.fingerprint.value(),
            bits: self.fingerprint_bits,
        }
    }
}

impl MatchArguments {
    fn describe_terms(&self, join: &TermOptions, options: &mut Value) {
        let given = &self.terms;
        let candidates = given.candidates.unwrap_or(CandidatesArgument::Features);
        let weighting = given.weighting.unwrap_or(WeightingArgument::Frequency);
        options["fold-elongation"] = join.fold_elongation.into();
        options["candidates"] = candidates.word().into();
        options["transitivity"] = if join.transitivity { "on" } else { "off" }.into();
        options["background"] = json!(given.background);
        options["weights"] = json!(given.weights);
        options["weighting"] = weighting.word().into();
        options["features"] = join.features.count.to_string().into();
        options["gram"] = join.features.gram.into();
        options["short"] = join.features.short.into();
    }
}

fn numbers_word(numbers: Numbers) -> &'static str {
    let words = NumbersArgument::value_variants();
    let found = words.iter().find(|word| word.value() == numbers);
    found.map_or("", |word| word.word())
}

/// A language's list, or the list in a file.
fn read_stop_words(list: &str) -> Result<Vec<String>> {
    if stop_words::LANGUAGES.contains(&list) || !std::path::Path::new(list).exists() {
        return Ok(stop_words::stop_words(list)?);
    }
    let text = std::fs::read_to_string(list)
        .with_context(|| format!("cannot read stop words from `{list}`"))?;
    let words = stop_words::parse(&text);
    let segmenter = Segmenter::new(&NormalizeOptions::default());
    let tokens = |word: &String| {
        let mut count = 0;
        segmenter.tokens(word, |_| count += 1);
        count
    };
    let unusable: Vec<&str> = words
        .iter()
        .filter(|word| tokens(word) != 1)
        .map(String::as_str)
        .collect();
    if !unusable.is_empty() {
        display::warning(&format!(
            "stop words that are not one word each are passed over: {}",
            unusable.join(", ")
        ));
    }
    Ok(words)
}

impl ClusterArguments {
    pub(crate) fn keep(&self) -> &Keep {
        &self.keep
    }

    pub(crate) fn resolve(&self, metric: Metric) -> ClusterOptions {
        ClusterOptions {
            linkage: self.linkage.value(),
            keep: self.keep.clone(),
            metric,
        }
    }
}

impl ResourceArguments {
    pub(crate) fn resolve(&self) -> Result<Resources> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or_else(cores);
        anyhow::ensure!(
            (1..=1024).contains(&threads),
            "`--threads {threads}`: give 1 to 1024"
        );
        Ok(Resources {
            threads,
            memory: self.memory.unwrap_or_else(|| machine_memory() / 4 * 3),
            temp_dir: self.temp_dir.clone().unwrap_or_else(std::env::temp_dir),
        })
    }
}

impl CommonArguments {
    /// Opens the inputs and references; `temporary` holds what must be spooled.
    pub(crate) fn open(&self, keep: Option<&Keep>, temporary: &std::path::Path) -> Result<Source> {
        let options = self.read.resolve(keep);
        let is_standard = |input: &String| input == "-";
        if self.inputs.iter().any(is_standard) && self.against.iter().any(is_standard) {
            return Err(doublet::Error::SecondStandardInput.into());
        }
        let input = Collection::open(&self.inputs, &options, temporary)?;
        let references = match &self.against[..] {
            [] => None,
            against => Some(Collection::open(against, &options, temporary)?),
        };
        Ok(Source { input, references })
    }

    /// The join for a similarity matrix, or, with clusters, for what they need.
    pub(crate) fn join(&self, cluster: Option<&ClusterArguments>) -> Result<JoinOptions> {
        let keep = cluster.map(ClusterArguments::keep);
        let linkage = cluster.map(|cluster| cluster.linkage);
        let connected = linkage == Some(LinkageArgument::Connected);
        let transitivity = self.matching.terms.transitivity;
        if let Some(linkage) = linkage.filter(|_| !connected)
            && transitivity == Some(TransitivityArgument::On)
        {
            anyhow::bail!(
                "`--transitivity on` leaves out pairs that `--linkage {}` needs: give `--linkage connected`, or `--transitivity off`",
                linkage.word()
            );
        }
        Ok(JoinOptions {
            method: self.matching.method.value(),
            metric: self.matching.metric(),
            threshold: self.matching.threshold()?,
            normalize: self.matching.normalize()?,
            shingle: self.matching.shingle(),
            terms: self.matching.terms(connected)?,
            resources: self.resources.resolve()?,
            across_only: cluster.is_none() && !self.against.is_empty(),
            rank: keep.map_or(doublet::batch::RankBy::Nothing, Keep::rank_by),
            strict: self.read.strict,
            renumber: self.read.renumber,
            spanning: connected.then_some(MANY_PAIRS),
        })
    }

    /// All options in force, by their names on the command line.
    pub(crate) fn describe(
        &self,
        cluster: &ClusterArguments,
        join: &JoinOptions,
    ) -> Map<String, Value> {
        let (read, matching, text) = (&self.read, &self.matching, &self.matching.text);
        let mut options = json!({
            "input": self.inputs,
            "against": self.against,
            "format": read.format.map(FormatArgument::word),
            "text-field": read.text_field,
            "id-field": read.id_field,
            "renumber": read.renumber,
            "strict": read.strict,
            "method": matching.method.word(),
            "metric": join.metric.name(),
            "threshold": join.threshold.value(),
            "shingle": matching.shingle,
            "numbers": numbers_word(join.normalize.numbers),
            "case": text.case.word(),
            "accents": text.accents.word(),
            "ascii": text.ascii,
            "stop-words": text.stop_words,
            "lang": text.lang.code(),
            "fingerprint": matching.fingerprint.word(),
            "fingerprint-bits": matching.fingerprint_bits,
            "seed": matching.seed,
            "linkage": cluster.linkage.word(),
            "keep": cluster.keep.to_string(),
            "threads": join.resources.threads,
            "memory": join.resources.memory,
        });
        if join.method == Method::Terms {
            matching.describe_terms(&join.terms, &mut options);
        }
        match options {
            Value::Object(options) => options,
            _ => Map::new(),
        }
    }
}

/// A number of bytes: `500M`, `8G`, `1048576`.
fn parse_size(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_ascii_uppercase();
    let upper = upper.strip_suffix('B').unwrap_or(&upper);
    let upper = upper.strip_suffix('I').unwrap_or(upper);
    let (digits, unit) = match upper.char_indices().last() {
        Some((at, 'K')) => (&upper[..at], 1 << 10),
        Some((at, 'M')) => (&upper[..at], 1 << 20),
        Some((at, 'G')) => (&upper[..at], 1 << 30),
        Some((at, 'T')) => (&upper[..at], 1u64 << 40),
        _ => (upper, 1),
    };
    let number: f64 = digits
        .trim()
        .parse()
        .map_err(|_| "give a size such as 500M or 8G".to_owned())?;
    let bytes = number * unit as f64;
    if bytes >= (1 << 20) as f64 && bytes.is_finite() {
        Ok(bytes as u64)
    } else {
        Err("give at least 1M".to_owned())
    }
}

/// The machine's memory, or 4 GiB where it does not tell.
fn machine_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or(4 << 30, |kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("8G", 8 << 30),
            ("500m", 500 << 20),
            ("1.5GiB", 3 << 29),
            ("2048KB", 2 << 20),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        assert!(parse_size("lots").is_err());
        assert!(parse_size("12").is_err());
    }
}
