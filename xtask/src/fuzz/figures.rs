//! What a target says while it runs, as figures.

use serde_json::{Value, json};

/// What a run of one target came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Figures {
    pub(super) target: String,
    pub(super) seconds: u64,
    pub(super) executions: u64,
    /// Edges of the program that were seen.
    pub(super) coverage: u64,
    /// Inputs that showed something new.
    pub(super) corpus: u64,
    /// The input that broke a law, if one did, and what was said about it.
    finding: Option<(String, String)>,
}

impl Figures {
    /// Read from what the target printed.
    pub(super) fn of(target: &str, said: &str, seconds: u64, success: bool) -> Self {
        let mut figures = Self {
            target: target.to_owned(),
            seconds,
            ..Self::default()
        };
        for line in said.lines() {
            if let Some(number) = line.strip_prefix("stat::number_of_executed_units:") {
                figures.executions = number.trim().parse().unwrap_or(0);
            } else if line.starts_with('#') {
                figures.progress(line);
            }
        }
        if !success {
            figures.finding = Some((written(said), reason(said)));
        }
        figures
    }

    /// A line such as `#4096 pulse  cov: 900 ft: 1200 corp: 80/10Kb …`.
    fn progress(&mut self, line: &str) {
        let after = |name: &str| {
            let rest = line.split_once(name)?.1.trim_start();
            let digits = rest.find(|c: char| !c.is_ascii_digit());
            rest[..digits.unwrap_or(rest.len())].parse().ok()
        };
        self.coverage = after(" cov:").unwrap_or(self.coverage);
        self.corpus = after(" corp:").unwrap_or(self.corpus);
        let number = line[1..].split_whitespace().next();
        let number = number.and_then(|number| number.parse().ok());
        self.executions = number.unwrap_or(self.executions);
    }

    /// Whether a law was broken, or the target ended in another way than it should.
    pub(super) fn is_finding(&self) -> bool {
        self.finding.is_some()
    }

    /// A row of a record: time, executions and findings with those of runs before, coverage and corpus as they are now.
    pub(super) fn to_json(&self, before: Option<&Value>) -> Value {
        let sum = |name: &str, more: u64| {
            let known = before.and_then(|before| before[name].as_u64());
            known.unwrap_or(0) + more
        };
        json!({
            "target": self.target,
            "seconds": sum("seconds", self.seconds),
            "executions": sum("executions", self.executions),
            "coverage": self.coverage,
            "corpus": self.corpus,
            "findings": sum("findings", u64::from(self.is_finding())),
        })
    }

    /// The finding in words.
    pub(super) fn told(&self) -> String {
        let target = &self.target;
        match &self.finding {
            None => format!("{target}: no finding"),
            Some((path, reason)) => format!(
                "{target}: {reason}\n  input: {path}\n  keep it: copy it to fuzz/findings/{target}/ under a name that says what it is\n  see it:  cargo test -p doublet-laws --test it {target}"
            ),
        }
    }
}

/// Where the input was written to.
fn written(said: &str) -> String {
    let path = said.lines().rev().find_map(|line| {
        line.split_once("Test unit written to ")
            .map(|(_, path)| path)
    });
    path.unwrap_or("none; fuzz/artifacts/ has the log")
        .to_owned()
}

/// Why the run ended: what the law said, or what the fuzzer did.
fn reason(said: &str) -> String {
    let mut lines = said.lines();
    let law = lines.by_ref().find(|line| line.contains("panicked at "));
    if let Some(place) = law {
        let words: Vec<&str> = lines
            .take(3)
            .take_while(|line| !line.starts_with("note:"))
            .collect();
        return format!("{}\n  {}", place.trim(), words.join("\n  "));
    }
    let told = said
        .lines()
        .find(|line| line.contains("ERROR: libFuzzer: ") || line.contains("SUMMARY: "));
    told.map_or("it ended without a word", str::trim).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAN: &str = "INFO: seed corpus: files: 7\n#8\tINITED cov: 900 ft: 1200 corp: 7/1Kb exec/s: 0 rss: 80Mb\n#4096\tpulse  cov: 950 ft: 1300 corp: 31/9Kb lim: 50 exec/s: 2048 rss: 90Mb\n";

    #[test]
    fn figures_are_those_of_the_last_line() {
        let said =
            format!("{RAN}Done 5000 runs in 3 second(s)\nstat::number_of_executed_units: 5000\n");
        let figures = Figures::of("xml", &said, 3, true);
        assert_eq!(
            (figures.executions, figures.coverage, figures.corpus),
            (5000, 950, 31)
        );
        assert!(!figures.is_finding());
    }

    #[test]
    fn a_finding_is_told_with_its_input() {
        let said = format!(
            "{RAN}thread '<unnamed>' (1) panicked at crates/doublet-laws/src/markup.rs:9:5:\nplaces fall: 3 and 2\nnote: run with `RUST_BACKTRACE=1`\n==1== ERROR: libFuzzer: deadly signal\nartifact_prefix='a/'; Test unit written to a/crash-1\n"
        );
        let figures = Figures::of("xml", &said, 3, false);
        assert_eq!(figures.executions, 4096);
        let told = figures.told();
        assert!(told.contains("places fall: 3 and 2"), "{told}");
        assert!(told.contains("input: a/crash-1"), "{told}");
    }

    #[test]
    fn a_row_adds_up_what_runs_did() {
        let first = Figures::of("xml", RAN, 3, true).to_json(None);
        let both = Figures::of("xml", RAN, 4, false).to_json(Some(&first));
        let expected = json!({"target": "xml", "seconds": 7, "executions": 8192, "coverage": 950, "corpus": 31, "findings": 1});
        assert_eq!(both, expected);
    }

    #[test]
    fn an_end_without_words_is_a_finding() {
        let figures = Figures::of("xml", RAN, 3, false);
        assert!(figures.is_finding());
        assert!(figures.told().contains("without a word"));
    }
}
