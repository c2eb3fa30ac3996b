//! `doublet eval`: judge what is found by what people know.
//!
//! `pairs` judges pairs and clusters, `targets` copied texts, `methods` several methods one after the other, `tune` fits weights. What
//! they come to is an [`Outcome`], which `json`, `print` and `page` tell.

mod json;
mod methods;
mod outcome;
mod page;
mod pairs;
mod print;
mod targets;

use std::path::{Path, PathBuf};

use anyhow::Result;
use doublet::eval::{Truth, TruthOptions};
use doublet::files;
use doublet::files::output::OutputFile;

use super::spool_directory;
use crate::Status;
use crate::args::EvalArguments;
use crate::console::Console;
use outcome::Outcome;

/// Where results go if a sweep is asked for and no directory is named.
const DIRECTORY: &str = "doublet-eval";

pub(crate) fn run(arguments: &EvalArguments, console: &Console) -> Result<Status> {
    refuse(arguments)?;
    console.watch(arguments.common.resources.quiet);
    let outcome = find_out(arguments, console);
    console.finish();
    let outcome = outcome?;
    let told = json::of(&outcome);
    // First, so that no figure is lost if a file cannot be written.
    if arguments.json {
        print::json(console, &told)?;
    } else {
        print::tell(console, &outcome, arguments.judging.errors)?;
    }
    if let Some(directory) = directory(arguments) {
        let files = write(&outcome, &told, &directory, console)?;
        if console.speaks(arguments.common.resources.quiet) {
            print::files(console, &files);
        }
    }
    Ok(Status::Done)
}

/// Says what cannot be asked.
fn refuse(arguments: &EvalArguments) -> Result<()> {
    anyhow::ensure!(
        !arguments.common.resume.is_asked_for(),
        "`--resume` goes with runs that write their results: `doublet dedup`, `pairs` and `clusters`"
    );
    if let Some(path) = directory(arguments).filter(|path| path.is_file()) {
        anyhow::bail!("`--output {}` is a file: name a directory", path.display());
    }
    let terms = arguments.common.matching.method().info().weighs_terms;
    anyhow::ensure!(
        arguments.judging.tune.is_none() || terms,
        "`--tune weights` fits the weights of terms: add `--method terms`"
    );
    Ok(())
}

fn find_out(arguments: &EvalArguments, console: &Console) -> Result<Outcome> {
    let judging = &arguments.judging;
    if !judging.methods.is_empty() {
        return methods::run(arguments, console);
    }
    let truth = match &judging.truth {
        Some(path) => {
            let options = TruthOptions {
                label_field: judging.label_field.clone(),
                positive: judging.positive.clone(),
            };
            let spool = spool_directory(arguments.common.resources.temp_dir.as_deref())?;
            Some(Truth::read(&console.file(path, spool.path())?, &options)?)
        }
        None => None,
    };
    match &truth {
        Some(truth) if truth.has_targets() => targets::run(arguments, truth, console),
        truth => pairs::run(arguments, truth.as_ref(), console),
    }
}

/// Where the results go.
fn directory(arguments: &EvalArguments) -> Option<PathBuf> {
    let judging = &arguments.judging;
    let by_default = !judging.sweep.is_empty() || judging.tune.is_some();
    let named = arguments.output.clone();
    named.or_else(|| (by_default && !arguments.json).then(|| DIRECTORY.into()))
}

/// Writes the page, the plot and the figures; gives their names.
fn write(
    outcome: &Outcome,
    told: &serde_json::Value,
    directory: &Path,
    console: &Console,
) -> Result<Vec<PathBuf>> {
    files::create_dir_all(directory).map_err(|cause| doublet::Error::Io {
        doing: "make the directory",
        path: directory.to_owned(),
        cause,
    })?;
    let page = page::of(outcome, console.arguments());
    let mut files = vec![
        ("eval.html", doublet::report::eval::render(&page)),
        ("eval.json", format!("{told:#}\n")),
    ];
    if let Some(chart) = page
        .sweep
        .as_ref()
        .and_then(doublet::report::eval::sweep_svg)
    {
        files.push(("sweep.svg", chart));
    }
    if let Some(tuned) = &outcome.tuned {
        files.push(("weights.toml", tuned.toml.clone()));
    }
    for name in ["sweep.svg", "weights.toml"] {
        // Of an earlier run; only if it is there.
        let _gone = files::remove_file(directory.join(name));
    }
    let mut names = Vec::new();
    for (name, content) in files {
        let path = directory.join(name);
        let mut file = OutputFile::create(&path)?;
        file.write(content.as_bytes())?;
        file.finish()?;
        names.push(path);
    }
    Ok(names)
}
