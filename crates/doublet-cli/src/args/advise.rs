//! The arguments of `advise`, and the command lines that it prints.

use clap::Args;
use doublet::advise::{AdviseOptions, Recommendation};

use super::{ReadArguments, ResourceArguments};

/// Look at a collection and say which method, metric, threshold and options go with it, and why
#[derive(Debug, Args)]
#[command(
    after_help = "All records are read once; a sample of the texts is then compared with the others. Nothing is written but
the report, on standard output.

Examples:
  doublet advise crawl.jsonl.gz
  doublet advise posts.csv --text-field body --id-field url
  doublet advise messages.jsonl --json | jq -r .recommendation.command"
)]
pub(crate) struct AdviseArguments {
    /// Files, directories, globs or `-`: JSON lines, CSV, TSV, Parquet, text, HTML, XML, WARC; .gz and .zst anywhere
    #[arg(value_name = "INPUT", required = true)]
    pub(crate) inputs: Vec<String>,
    /// Print what was found and what is advised as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Texts that are compared with all others, at most
    #[arg(long, value_name = "TEXTS", default_value_t = AdviseOptions::SAMPLE)]
    pub(crate) sample: usize,
    /// Where the random numbers of the sample begin
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    #[command(flatten)]
    pub(crate) resources: ResourceArguments,
}

impl AdviseArguments {
    /// What is advised as a command that can be pasted into a shell.
    pub(crate) fn command(&self, advised: &Recommendation) -> String {
        let mut words = vec!["doublet".to_owned(), advised.command.to_owned()];
        words.extend(self.inputs.iter().cloned());
        words.extend(self.read.words());
        words.extend(advised.arguments());
        // Given to this command already.
        if self.read.renumber {
            words.retain(|word| word != "--renumber");
            words.push("--renumber".to_owned());
        }
        words.push("-o".to_owned());
        words.push(match advised.command {
            "dedup" => "clean".to_owned(),
            command => format!("{command}.jsonl"),
        });
        let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        quoted.join(" ")
    }
}

impl ReadArguments {
    /// The options that were given, but for `--renumber`.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(format) = self.format {
            words.extend(["--format".to_owned(), format.name().to_owned()]);
        }
        for (name, field, default) in [
            ("--text-field", &self.text_field, "text"),
            ("--id-field", &self.id_field, "id"),
        ] {
            if field != default {
                words.extend([name.to_owned(), field.clone()]);
            }
        }
        if self.strict {
            words.push("--strict".to_owned());
        }
        words
    }
}

/// A word as a shell takes it for one.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_asks_for_it() {
        for (word, expected) in [
            ("news.jsonl", "news.jsonl"),
            ("my news.jsonl", "'my news.jsonl'"),
            ("*.txt", "'*.txt'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
            ("größe/文.jsonl", "größe/文.jsonl"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
