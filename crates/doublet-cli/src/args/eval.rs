//! The arguments of `eval`, as typed.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use clap::{ArgGroup, Args, CommandFactory, Parser, ValueEnum};
use doublet::eval::Unlabelled;
use doublet::method::Method;
use doublet::threshold::Threshold;
use serde::Serialize;

use super::choices::a_method;
use super::{Arguments, ClusterArguments, Command, CommonArguments};

/// Settings that one run may try.
const MOST_SETTINGS: usize = 1000;
/// Headings of the options that change what is found.
const MATCHING: [&str; 5] = ["Matching", "Words", "Terms", "Sketches", "Sentences"];

/// Judge what is found by what you know: precision, recall, F1, and which setting is best
#[derive(Clone, Debug, Args)]
#[command(
    args_override_self = true,
    mut_arg("resume", |argument| argument.hide(true)),
    mut_arg("checkpoint", |argument| argument.hide(true)),
    after_help = "The truth is a file of JSON lines, CSV, TSV or Parquet, told by its columns:
  a, b, label           pairs; labels 1 and 0, true and false, or words (see --positive)
  id, cluster           texts that belong together
  target, source        copied texts, and of what, for sources given by --against; without a
                        source a text is no copy. Also: id, duplicate, sources. Judged as
                        `doublet check` does, by sentences unless another method is given

Pairs that the truth does not name are not judged. But where it names duplicates alone, all
other pairs are different; --unlabelled says otherwise. Intervals are those in which 95 of 100
draws lie when the labelled pairs (or texts, or true clusters) are drawn again.

A sweep joins once for all thresholds, at the lowest. A setting is chosen by its F1 on one half
of the truth; what it is worth is measured on the other half. With --method sentences the share
decides, as in `dedup`, unless --min-sentences is given.

Examples:
  doublet eval corpus.jsonl --truth labels.csv
  doublet eval corpus.jsonl --truth labels.csv --sweep threshold=0.3..0.95:0.05 -o judged
  doublet eval corpus.jsonl --truth labels.csv --sweep threshold=0.3..0.9:0.1 --sweep shingle=1..5:1
  doublet eval corpus.jsonl --truth labels.csv --methods shingles,terms --sweep threshold=0.3..0.9:0.1
  doublet eval corpus.jsonl --truth labels.csv --pairs other-tool.tsv
  doublet eval posts.jsonl --against news.jsonl --truth copies.jsonl
  doublet eval corpus.jsonl --method minhash --baseline
  doublet eval messages.jsonl --truth labels.csv --method terms --tune weights -o judged"
)]
pub(crate) struct EvalArguments {
    #[command(flatten)]
    pub(crate) common: CommonArguments,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    #[command(flatten)]
    pub(crate) judging: JudgingArguments,
    /// Directory for eval.html, eval.json and the plot [default: none; doublet-eval for --sweep and --tune]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Args)]
#[command(
    next_help_heading = "Judging",
    group = ArgGroup::new("known").required(true).args(["truth", "baseline"])
)]
pub(crate) struct JudgingArguments {
    /// What is known: pairs, clusters, or copies with their sources
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: Option<PathBuf>,
    /// Judge by the complete join instead: what an approximate setting misses, and what it saves
    #[arg(long, conflicts_with_all = ["truth", "methods", "tune", "pairs"])]
    pub(crate) baseline: bool,
    /// Judge these pairs of another tool: a, b and, if it has one, score
    #[arg(long, value_name = "FILE", conflicts_with_all = ["methods", "tune"])]
    pub(crate) pairs: Option<PathBuf>,
    /// Score the labelled pairs and look for no others: the same figures where the search is complete, soon, and no clusters
    #[arg(long, conflicts_with_all = ["baseline", "pairs"])]
    pub(crate) labelled_only: bool,
    /// Column of the label
    #[arg(long, value_name = "FIELD", default_value = "label")]
    pub(crate) label_field: String,
    /// Labels that mean a duplicate; all others mean none [default: 1, true, yes, duplicate, same, match, exact, near, partial …]
    #[arg(long, value_name = "LABEL", value_delimiter = ',')]
    pub(crate) positive: Vec<String>,
    /// What pairs are that the truth does not name [default: ignored; different where it names duplicates alone]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) unlabelled: Option<UnlabelledArgument>,
    /// Try several values of an option: threshold=0.3..0.95:0.05, or shingle=1,3,5; twice for a grid
    #[arg(long, value_name = "OPTION=VALUES")]
    pub(crate) sweep: Vec<SweepArgument>,
    /// Compare methods, with time and memory
    #[arg(long, value_parser = a_method(), value_delimiter = ',', value_name = "METHOD", conflicts_with_all = ["method", "tune"])]
    pub(crate) methods: Vec<Method>,
    /// Fit the weights of terms to the labelled pairs, and write weights.toml
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "sweep")]
    pub(crate) tune: Option<TuneArgument>,
    /// Errors of each kind to show
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) errors: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnlabelledArgument {
    Ignore,
    Different,
}

impl UnlabelledArgument {
    pub(crate) fn value(self) -> Unlabelled {
        match self {
            Self::Ignore => Unlabelled::Ignore,
            Self::Different => Unlabelled::Different,
        }
    }
}

/// What can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TuneArgument {
    Weights,
}

/// An option and the values that are tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SweepArgument {
    /// The option without dashes.
    #[serde(rename = "option")]
    pub(crate) name: String,
    pub(crate) values: Vec<String>,
}

impl FromStr for SweepArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, values) = text
            .split_once('=')
            .ok_or("give an option and its values, such as threshold=0.3..0.95:0.05")?;
        let name = name.trim().trim_start_matches('-').to_owned();
        let values = match values.split_once("..") {
            Some((from, rest)) => range(from, rest)?,
            None => values
                .split(',')
                .map(|value| value.trim().to_owned())
                .collect(),
        };
        if name.is_empty() || values.iter().any(String::is_empty) {
            return Err("give an option and its values, such as shingle=1,3,5".to_owned());
        }
        Ok(Self { name, values })
    }
}

/// The values of `FROM..TO:STEP`, as a person would write them.
fn range(from: &str, rest: &str) -> Result<Vec<String>, String> {
    const EXPECTED: &str = "give FROM..TO:STEP, such as 0.3..0.95:0.05 or 1..5:1";
    let (to, step) = rest.split_once(':').ok_or(EXPECTED)?;
    let number = |text: &str| {
        let number: Option<f64> = text.trim().parse().ok();
        number.filter(|number| number.is_finite()).ok_or(EXPECTED)
    };
    let (first, last, width) = (number(from)?, number(to)?, number(step)?);
    if width <= 0.0 || last < first {
        return Err("give FROM..TO:STEP with FROM at most TO and STEP above 0".to_owned());
    }
    let steps = ((last - first) / width + 1e-9).floor();
    if steps >= MOST_SETTINGS as f64 {
        return Err(format!(
            "more than {MOST_SETTINGS} values: give a larger STEP"
        ));
    }
    let digits = |text: &str| {
        text.trim()
            .split_once('.')
            .map_or(0, |(_, digits)| digits.len())
    };
    let digits = digits(from).max(digits(step));
    let value = |at: u32| format!("{:.digits$}", first + f64::from(at) * width);
    Ok((0..=steps as u32).map(value).collect())
}

/// Options with the values they have in a setting.
pub(crate) type Setting = Vec<(String, String)>;

impl EvalArguments {
    /// The arguments of the command line with some options set otherwise.
    fn with(words: &[OsString], setting: &[(String, String)]) -> Result<Self> {
        let mut line = vec![OsString::from("doublet")];
        line.extend_from_slice(words);
        let end = line
            .iter()
            .position(|word| word == "--")
            .unwrap_or(line.len());
        let given = setting
            .iter()
            .map(|(name, value)| format!("--{name}={value}").into());
        line.splice(end..end, given);
        match Arguments::try_parse_from(line).map(|arguments| arguments.command) {
            Ok(Command::Eval(arguments)) => Ok(*arguments),
            Ok(_) => bail!("this is no `doublet eval`"),
            Err(error) => {
                let told = error.to_string();
                let told = told.lines().next().unwrap_or_default();
                let told = told.strip_prefix("error: ").unwrap_or(told);
                let words = setting
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"));
                bail!("`--sweep {}`: {told}", words.collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// The arguments of a setting, given those of the command: these, where nothing is set otherwise.
    pub(crate) fn of(
        &self,
        words: &[OsString],
        setting: &[(String, String)],
    ) -> Result<Cow<'_, Self>> {
        match setting {
            [] => Ok(Cow::Borrowed(self)),
            setting => Self::with(words, setting).map(Cow::Owned),
        }
    }

    /// The thresholds of a setting, each as it is written: those swept, or the one given.
    pub(crate) fn thresholds_or(
        &self,
        given: Threshold,
    ) -> Result<Vec<(Option<String>, Threshold)>> {
        let parse = |text: &String| {
            let threshold = text
                .parse()
                .with_context(|| format!("`--sweep threshold={text}`"))?;
            Ok((Some(text.clone()), threshold))
        };
        match self.thresholds() {
            Some(values) => values.iter().map(parse).collect(),
            None => Ok(vec![(None, given)]),
        }
    }

    /// All settings that the sweeps ask for, in order; the threshold is left to the caller.
    pub(crate) fn settings(&self) -> Result<Vec<Setting>> {
        let sweeps = &self.judging.sweep;
        let command = Arguments::command();
        let eval = command.find_subcommand("eval");
        let mut options = eval.into_iter().flat_map(clap::Command::get_arguments);
        for sweep in sweeps {
            let known = options.any(|option| {
                let matching = option
                    .get_help_heading()
                    .is_some_and(|heading| MATCHING.contains(&heading));
                matching
                    && option.get_long() == Some(&sweep.name)
                    && option.get_action().takes_values()
            });
            if !known {
                bail!(
                    "`--sweep {}=…`: give the name of an option with a value that changes which pairs are found, such as threshold, shingle, recall or distance",
                    sweep.name
                );
            }
            options = eval.into_iter().flat_map(clap::Command::get_arguments);
        }
        let names: Vec<&str> = sweeps.iter().map(|sweep| sweep.name.as_str()).collect();
        if sweeps.len() > 2 || names.len() == 2 && names[0] == names[1] {
            bail!("`--sweep`: give one option, or two different ones for a grid");
        }
        let mut settings: Vec<Setting> = vec![Vec::new()];
        for sweep in sweeps.iter().filter(|sweep| sweep.name != THRESHOLD) {
            let with = |setting: &Setting, value: &String| {
                let more = (sweep.name.clone(), value.clone());
                setting.iter().cloned().chain([more]).collect()
            };
            let values = sweep.values.iter();
            settings = values
                .flat_map(|value| settings.iter().map(move |setting| with(setting, value)))
                .collect();
        }
        let thresholds = self.thresholds().map_or(1, <[String]>::len);
        if settings.len() * thresholds > MOST_SETTINGS {
            bail!("`--sweep`: more than {MOST_SETTINGS} settings: give larger steps");
        }
        Ok(settings)
    }

    /// Puts the options of a setting into the order of the sweeps.
    pub(crate) fn in_order(&self, setting: &mut Setting) {
        let sweeps = &self.judging.sweep;
        setting.sort_by_key(|(name, _)| sweeps.iter().position(|sweep| sweep.name == *name));
    }

    /// The thresholds that are tried, if they are swept.
    pub(crate) fn thresholds(&self) -> Option<&[String]> {
        let mut sweeps = self.judging.sweep.iter();
        let sweep = sweeps.find(|sweep| sweep.name == THRESHOLD)?;
        Some(&sweep.values)
    }
}

/// The option whose sweep takes one join.
pub(crate) const THRESHOLD: &str = "threshold";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_written_as_people_do() {
        let values = |text: &str| text.parse::<SweepArgument>().map(|sweep| sweep.values);
        let found = values("threshold=0.3..0.5:0.05").unwrap();
        assert_eq!(found, ["0.30", "0.35", "0.40", "0.45", "0.50"]);
        assert_eq!(values("--shingle=1..3:1").unwrap(), ["1", "2", "3"]);
        assert_eq!(values("shingle=5, 3").unwrap(), ["5", "3"]);
        assert_eq!(
            values("threshold=0.5..0.95:0.2").unwrap(),
            ["0.5", "0.7", "0.9"]
        );
        for text in [
            "threshold",
            "=1",
            "a=",
            "a=1..2",
            "a=2..1:1",
            "a=1..2:0",
            "a=0..1:0.0001",
            "a=x..2:1",
        ] {
            assert!(values(text).is_err(), "{text}");
        }
    }
}
