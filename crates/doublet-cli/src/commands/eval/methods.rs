//! Compares methods. Each runs as a process of its own, so that its time and memory are its own.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use doublet::read::is_stream;
use serde_json::Value;

use super::outcome::{MethodOutcome, Outcome};
use crate::args::EvalArguments;
use crate::console::Console;

pub(super) fn run(arguments: &EvalArguments, console: &Console) -> Result<Outcome> {
    let common = &arguments.common;
    let mut inputs = common.inputs.iter().chain(&common.against);
    ensure!(
        !inputs.any(|input| is_stream(input)),
        "`--methods` reads the input once for each method, and standard input (`-`) or a pipe can be read only once: give a file"
    );
    let tables = common.inputs.iter().chain(&common.against);
    let truth = judging_files(arguments);
    ensure!(
        !tables
            .map(String::as_str)
            .chain(truth)
            .any(|name| console.has_table(name)),
        "`--methods` starts a process for each method, which cannot see data in memory: give files"
    );
    let mut outcome = Outcome {
        inputs: common.inputs.clone(),
        truth: arguments.truth_name(),
        ..Outcome::default()
    };
    for method in &arguments.judging.methods {
        let name = method.name();
        if console.speaks(common.resources.quiet) {
            console.remark(&format!("{name} …"));
        }
        outcome.methods.push(MethodOutcome {
            name: name.to_owned(),
            told: told(name, console)?,
        });
    }
    let worked = |method: &&MethodOutcome| method.told.is_ok();
    if let Some(first) = outcome.methods.first()
        && !outcome.methods.iter().any(|method| worked(&method))
    {
        let reason = first.told.as_ref().err().map_or("", String::as_str);
        anyhow::bail!("no method ran; {}: {reason}", first.name);
    }
    Ok(outcome)
}

/// The files to judge by.
fn judging_files(arguments: &EvalArguments) -> impl Iterator<Item = &str> {
    let judging = &arguments.judging;
    let files = [judging.truth.as_deref(), judging.pairs.as_deref()];
    files.into_iter().flatten().filter_map(Path::to_str)
}

/// What an evaluation of one method tells, or why it did not run.
fn told(method: &str, console: &Console) -> Result<Result<Value, String>> {
    let program = console
        .program()
        .context("cannot find the program to run it again")?;
    let own = program.first().context("there is no program to run")?;
    let output = Command::new(own)
        .args(&program[1..])
        .args(line(console.arguments().iter().cloned(), method))
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("cannot start `{}`", own.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or("it ended without a word");
        let reason = last.strip_prefix("error: ").unwrap_or(last);
        return Ok(Err(reason.to_owned()));
    }
    let value = serde_json::from_slice(&output.stdout);
    Ok(Ok(value.with_context(|| {
        format!("`--method {method}` told no JSON")
    })?))
}

/// The command line with one method in the place of several, and with nothing but JSON to tell.
fn line(given: impl Iterator<Item = OsString>, method: &str) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut given = given.peekable();
    let mut end = None;
    while let Some(word) = given.next() {
        let text = word.to_string_lossy().into_owned();
        if end.is_none() && text == "--" {
            end = Some(words.len());
        }
        if end.is_none() && ["--methods", "-o", "--output"].contains(&text.as_str()) {
            given.next();
            continue;
        }
        let is_joined = text.starts_with("--methods=")
            || text.starts_with("--output=")
            || text.starts_with("-o") && !text.starts_with("--");
        if end.is_none() && (is_joined || text == "--json") {
            continue;
        }
        words.push(word);
    }
    let end = end.unwrap_or(words.len());
    let more = [
        format!("--method={method}"),
        "--json".into(),
        "--quiet".into(),
    ];
    words.splice(end..end, more.map(OsString::from));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_one_method_is_that_of_all_but_for_the_methods() {
        let given = "eval in.jsonl --truth t.csv --methods a,b -o out --json -- -o";
        let given = given.split(' ').map(OsString::from);
        let found = line(given, "terms");
        let expected = "eval in.jsonl --truth t.csv --method=terms --json --quiet -- -o";
        let expected: Vec<OsString> = expected.split(' ').map(OsString::from).collect();
        assert_eq!(found, expected);
        let given = ["eval", "--methods=a", "-oout", "--output=x", "in"].map(OsString::from);
        let found = line(given.into_iter(), "terms");
        assert_eq!(found[..2], ["eval", "in"].map(OsString::from));
    }
}
