//! `doublet index`: sources that stay on disk.

use std::io::{Read, Write};

use anyhow::{Context, Result};
use doublet::index::{AddOptions, Index, IndexWriter, Info, verify};
use doublet::method::Method;
use doublet::read::Collection;
use serde_json::{Value, json};

use super::spool_directory;
use crate::Status;
use crate::args::{
    IndexAddArguments, IndexArguments, IndexCommand, IndexCompactArguments, IndexCreateArguments,
    IndexInfoArguments, IndexRemoveArguments, IndexVerifyArguments,
};
use crate::display::{self, BOLD, DIM, count, plural};
use crate::progress::Display;

pub(crate) fn run(arguments: &IndexArguments) -> Result<Status> {
    match &arguments.command {
        IndexCommand::Create(arguments) => create(arguments),
        IndexCommand::Add(arguments) => add(arguments),
        IndexCommand::Remove(arguments) => remove(arguments),
        IndexCommand::Info(arguments) => info(arguments),
        IndexCommand::Verify(arguments) => check(arguments),
        IndexCommand::Compact(arguments) => compact(arguments),
    }
}

fn create(arguments: &IndexCreateArguments) -> Result<Status> {
    let matching = arguments.matching.or_sentences();
    let (options, table) = matching.index(!arguments.no_texts)?;
    IndexWriter::create(&arguments.dir, &options, table)?;
    Ok(Status::Done)
}

fn add(arguments: &IndexAddArguments) -> Result<Status> {
    let progress = Display::new(arguments.resources.quiet);
    let mut resources = arguments.resources.resolve()?;
    let spool = spool_directory(arguments.resources.temp_dir.as_deref())?;
    resources.temp_dir = spool.path().to_owned();
    let read = arguments.read.resolve(None);
    let mut writer = IndexWriter::open(&arguments.dir)?;
    let collection = Collection::open(&arguments.inputs, &read, spool.path())?;
    let options = AddOptions {
        resources,
        strict: read.strict,
        renumber: read.renumber,
        commit_every: arguments.commit_every,
    };
    let added = writer.add(&collection, &options, &progress);
    progress.finish();
    let added = added?;
    if !arguments.resources.quiet {
        let mut notes = Vec::new();
        if added.replaced > 0 {
            notes.push(format!("{} replaced", count(added.replaced)));
        }
        if added.empty > 0 {
            notes.push(format!("{} without a word", count(added.empty)));
        }
        let notes = match notes.is_empty() {
            true => String::new(),
            false => format!(" ({})", notes.join(", ")),
        };
        let _ignored = writeln!(
            anstream::stderr(),
            "{BOLD}{}{BOLD:#} added{notes}; the index holds {}",
            plural(added.added, "text"),
            count(writer.index().info().documents),
        );
        display::rejection_list(&added.rejections);
    }
    Ok(Status::Done)
}

fn remove(arguments: &IndexRemoveArguments) -> Result<Status> {
    let mut names = arguments.id.clone();
    if let Some(path) = &arguments.ids {
        let mut text = String::new();
        let read = match path.as_os_str() == "-" {
            true => std::io::stdin().read_to_string(&mut text).map(|_| ()),
            false => std::fs::read_to_string(path).map(|read| text = read),
        };
        read.with_context(|| format!("cannot read ids from `{}`", path.display()))?;
        names.extend(
            text.lines()
                .filter(|line| !line.is_empty())
                .map(str::to_owned),
        );
    }
    let mut writer = IndexWriter::open(&arguments.dir)?;
    let ids: Result<Vec<String>> = names
        .iter()
        .map(|name| id_of(name, writer.index()))
        .collect();
    let found = writer.remove(&ids?)?;
    let missing: Vec<&str> = names
        .iter()
        .zip(&found)
        .filter(|(_, found)| !**found)
        .map(|(name, _)| name.as_str())
        .collect();
    if !arguments.quiet {
        let removed = found.iter().filter(|found| **found).count() as u64;
        let _ignored = writeln!(
            anstream::stderr(),
            "{BOLD}{}{BOLD:#} removed; the index holds {}",
            plural(removed, "text"),
            count(writer.index().info().documents),
        );
        if !missing.is_empty() {
            let first: Vec<&str> = missing.iter().take(5).copied().collect();
            let more = match missing.len() > first.len() {
                true => format!(" and {} more", missing.len() - first.len()),
                false => String::new(),
            };
            display::warning(&format!("no text has the id {}{more}", first.join(", ")));
        }
    }
    Ok(match found.contains(&true) {
        true => Status::Done,
        false => Status::NotFound,
    })
}

/// An id as the index has it: a string, or what stands there, if that is JSON that the index has.
fn id_of(name: &str, index: &Index) -> Result<String> {
    let scalar = serde_json::from_str::<Value>(name)
        .is_ok_and(|value| !value.is_array() && !value.is_object());
    if scalar && index.contains(name)? {
        return Ok(name.to_owned());
    }
    Ok(json!(name).to_string())
}

fn info(arguments: &IndexInfoArguments) -> Result<Status> {
    let index = Index::open(&arguments.dir)?;
    let mut out = anstream::stdout().lock();
    if arguments.common_words {
        for word in index.common_words() {
            writeln!(out, "{word}")?;
        }
        return Ok(Status::Done);
    }
    let options = index.options();
    let chance = options.chance(options.threshold)?;
    match arguments.json {
        true => writeln!(out, "{}", describe(index.info(), chance))?,
        false => rows(&mut out, index.info(), options.method, chance)?,
    }
    Ok(Status::Done)
}

/// The figures of an index as JSON; `chance` is the probability that a source at the threshold is found, if it is not certain.
fn describe(info: Info, chance: Option<f64>) -> Value {
    let mut line = json!({
        "documents": info.documents,
        "removed": info.dead,
        "entries": info.entries,
        "sentences": info.sentences,
        "common_words": info.common_words,
        "parts": info.parts,
        "bytes": info.bytes,
        "commit": info.commit,
        "format": doublet::index::FORMAT,
        "options": info.options,
    });
    if let Some(chance) = chance {
        line["found_at_threshold"] = chance.into();
    }
    line
}

/// The same, for people.
fn rows(out: &mut impl Write, info: Info, method: Method, chance: Option<f64>) -> Result<()> {
    let mut row = |name: &str, value: String, note: &str| {
        writeln!(out, "{name:>16}  {BOLD}{value}{BOLD:#}  {DIM}{note}{DIM:#}")
    };
    row("texts", count(info.documents), "")?;
    if info.dead > 0 {
        let note = "still on disk; `doublet index compact` drops them";
        row("removed", count(info.dead), note)?;
    }
    row("fingerprints", count(info.entries), "")?;
    if info.common_words > 0 {
        row(
            "common words",
            count(info.common_words),
            "left out; --common-words lists them",
        )?;
    }
    let size = indicatif::HumanBytes(info.bytes).to_string();
    let each = info.bytes as f64 / info.entries.max(1) as f64;
    row("size", size, &format!("{each:.1} bytes a fingerprint"))?;
    row("parts", count(info.parts), "")?;
    row("commits", count(info.commit), "")?;
    row("format", doublet::index::FORMAT.to_string(), "")?;
    if let Some(chance) = chance {
        let value = format!("{:.2} %", 100.0 * chance);
        row("found", value, "of the copies at the threshold")?;
    }
    let of_others = others(method);
    if let Value::Object(options) = info.options {
        for (name, value) in &options {
            let unset = value.is_null() || value == &json!([]);
            if !unset && !of_others.contains(&name.as_str()) {
                let value = value.to_string().replace('"', "");
                row(&name.replace('_', "-"), value, "")?;
            }
        }
    }
    Ok(())
}

/// Options that say nothing about an index of this method, or that are too long to show.
fn others(method: Method) -> &'static [&'static str] {
    match method.unit() {
        Some(_) => &[
            "fallback",
            "fingerprint",
            "fingerprint_bits",
            "fold_elongation",
            "lang",
            "shingle",
            "weighting",
            "weights",
        ],
        None => &[
            "df_cutoff",
            "max_occurrences",
            "min_sentences",
            "min_words",
            "reorder",
            "sketch_version",
            "weights",
        ],
    }
}

fn check(arguments: &IndexVerifyArguments) -> Result<Status> {
    let progress = Display::new(arguments.quiet);
    let info = verify(&arguments.dir, &progress);
    progress.finish();
    let info = info?;
    if !arguments.quiet {
        let _ignored = writeln!(
            anstream::stderr(),
            "{BOLD}whole{BOLD:#}: {}, {}, {} checked",
            plural(info.documents, "text"),
            plural(info.entries, "fingerprint"),
            indicatif::HumanBytes(info.bytes),
        );
    }
    Ok(Status::Done)
}

fn compact(arguments: &IndexCompactArguments) -> Result<Status> {
    let progress = Display::new(arguments.quiet);
    let mut writer = IndexWriter::open(&arguments.dir)?;
    let sizes = writer.compact(&progress);
    progress.finish();
    let (before, after) = sizes?;
    if !arguments.quiet {
        let _ignored = writeln!(
            anstream::stderr(),
            "{} before, {BOLD}{}{BOLD:#} now",
            indicatif::HumanBytes(before),
            indicatif::HumanBytes(after),
        );
    }
    Ok(Status::Done)
}
