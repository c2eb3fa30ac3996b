//! `doublet index`: sources that stay on disk.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use doublet::error::clip;
use doublet::files;
use doublet::index::{self, AddOptions, Index, IndexWriter, Info, verify};
use doublet::method::Method;
use serde_json::{Value, json};

use super::{server, spool_directory};
use crate::Status;
use crate::args::{
    IndexAddArguments, IndexArguments, IndexCommand, IndexCompactArguments, IndexCreateArguments,
    IndexInfoArguments, IndexRemoveArguments, IndexSnapshotArguments, IndexVerifyArguments,
};
use crate::client::Client;
use crate::console::Console;
use crate::display::{self, BOLD, DIM, count, plural};

pub(crate) fn run(arguments: &IndexArguments, console: &Console) -> Result<Status> {
    match &arguments.command {
        IndexCommand::Create(arguments) => create(arguments, console),
        IndexCommand::Add(arguments) => add(arguments, console),
        IndexCommand::Remove(arguments) => remove(arguments, console),
        IndexCommand::Info(arguments) => info(arguments, console),
        IndexCommand::Verify(arguments) => check(arguments, console),
        IndexCommand::Compact(arguments) => compact(arguments, console),
        IndexCommand::Snapshot(arguments) => snapshot(arguments, console),
    }
}

fn create(arguments: &IndexCreateArguments, console: &Console) -> Result<Status> {
    let matching = arguments.matching.or_sentences();
    let (options, table) = matching.index(!arguments.no_texts)?;
    console.watch(true);
    IndexWriter::create_watched(&arguments.dir, &options, table, console)?;
    Ok(Status::Done)
}

fn add(arguments: &IndexAddArguments, console: &Console) -> Result<Status> {
    let threads = arguments.resources.resolve()?.threads;
    if let Some(client) = Client::new(&arguments.server, console, threads)? {
        return server::index::add(arguments, &client, console);
    }
    let dir = arguments.dir.as_deref();
    let dir = dir.context(
        "give the directory of the index and the texts to add, or `--server URL` and the texts",
    )?;
    anyhow::ensure!(
        !arguments.inputs.is_empty(),
        "give the texts to add after the directory of the index: `doublet index add {} INPUT…`; those of a service need `--server URL`",
        dir.display()
    );
    console.watch(arguments.resources.quiet);
    let mut resources = arguments.resources.resolve()?;
    let spool = spool_directory(arguments.resources.temp_dir.as_deref())?;
    resources.temp_dir = spool.path().to_owned();
    let read = arguments.read.resolve(None);
    let mut writer = IndexWriter::open(dir)?;
    let collection = console.open(&arguments.inputs, &read, spool.path())?;
    let options = AddOptions {
        resources,
        strict: read.strict,
        renumber: read.renumber,
        commit_every: arguments.commit_every,
    };
    let added = writer.add(&collection, &options, console);
    console.finish();
    let added = added?;
    if console.speaks(arguments.resources.quiet) {
        let holds = writer.index().info().documents;
        let counts = [added.added, added.replaced, added.empty];
        tell_added(console, counts, Some(holds));
        display::rejection_list(console, &added.rejections);
    }
    Ok(Status::Done)
}

/// Says how many texts were added, and how many the index holds now, if that is known.
pub(crate) fn tell_added(
    console: &Console,
    [added, replaced, empty]: [u64; 3],
    holds: Option<u64>,
) {
    let mut notes = Vec::new();
    if replaced > 0 {
        notes.push(format!("{} replaced", count(replaced)));
    }
    if empty > 0 {
        notes.push(format!("{} without a word", count(empty)));
    }
    let notes = match notes.is_empty() {
        true => String::new(),
        false => format!(" ({})", notes.join(", ")),
    };
    let _ignored = writeln!(
        console.err(),
        "{BOLD}{}{BOLD:#} added{notes}{}",
        plural(added, "text"),
        held(holds),
    );
}

fn held(holds: Option<u64>) -> String {
    holds.map_or(String::new(), |holds| {
        format!("; the index holds {}", count(holds))
    })
}

/// The ids of a file, one a line; none without a file.
pub(crate) fn listed(path: Option<&Path>) -> Result<Vec<String>> {
    let Some(path) = path else {
        return Ok(Vec::new());
    };
    let mut text = String::new();
    let read = match path.as_os_str() == "-" {
        true => std::io::stdin().read_to_string(&mut text).map(|_| ()),
        false => files::read_to_string(path).map(|read| text = read),
    };
    read.with_context(|| format!("cannot read ids from `{}`", path.display()))?;
    let lines = text.lines().filter(|line| !line.is_empty());
    Ok(lines.map(str::to_owned).collect())
}

fn remove(arguments: &IndexRemoveArguments, console: &Console) -> Result<Status> {
    if let Some(client) = Client::new(&arguments.server, console, 1)? {
        return server::index::remove(arguments, &client, console);
    }
    let dir = arguments.dir.as_deref();
    let dir = dir.context(
        "give the directory of the index and the ids of the texts, or `--server URL` and the ids",
    )?;
    anyhow::ensure!(
        !arguments.id.is_empty() || arguments.ids.is_some(),
        "give the ids of the texts to remove after the directory of the index, or `--ids FILE`"
    );
    let mut names = arguments.id.clone();
    names.extend(listed(arguments.ids.as_deref())?);
    console.watch(true);
    let mut writer = IndexWriter::open(dir)?;
    let ids: Result<Vec<String>> = names
        .iter()
        .map(|name| id_of(name, writer.index()))
        .collect();
    let found = writer.remove(&ids?, console)?;
    let removal = Removal {
        names: &names,
        found: &found,
    };
    if console.speaks(arguments.quiet) {
        removal.tell(console, Some(writer.index().info().documents));
    }
    Ok(removal.status())
}

/// Texts that were to be removed, and which of them were there.
pub(crate) struct Removal<'a> {
    pub(crate) names: &'a [String],
    pub(crate) found: &'a [bool],
}

impl Removal<'_> {
    /// Says how many were removed, how many the index holds now, if that is known, and which were not there.
    pub(crate) fn tell(&self, console: &Console, holds: Option<u64>) {
        let removed = self.found.iter().filter(|found| **found).count() as u64;
        let _ignored = writeln!(
            console.err(),
            "{BOLD}{}{BOLD:#} removed{}",
            plural(removed, "text"),
            held(holds),
        );
        let missing: Vec<&str> = self
            .names
            .iter()
            .zip(self.found)
            .filter(|(_, found)| !**found)
            .map(|(name, _)| name.as_str())
            .collect();
        if !missing.is_empty() {
            let first: Vec<Cow<'_, str>> = missing.iter().take(5).map(|id| clip(id)).collect();
            let more = match missing.len() > first.len() {
                true => format!(" and {} more", missing.len() - first.len()),
                false => String::new(),
            };
            console.warning(&format!("no text has the id {}{more}", first.join(", ")));
        }
    }

    /// What the run ends with.
    pub(crate) fn status(&self) -> Status {
        match self.found.contains(&true) {
            true => Status::Done,
            false => Status::NotFound,
        }
    }
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

fn info(arguments: &IndexInfoArguments, console: &Console) -> Result<Status> {
    let index = match console.index() {
        Some(index) => index.clone(),
        None => Index::open(&arguments.dir)?,
    };
    let mut out = console.styled();
    if arguments.common_words {
        for word in index.common_words() {
            writeln!(out, "{word}")?;
        }
        return Ok(Status::Done);
    }
    let options = index.options();
    let chance = options.chance(options.matching.threshold)?;
    match arguments.json {
        true => writeln!(out, "{}", describe(index.info(), chance))?,
        false => rows(&mut out, index.info(), options.matching.method, chance)?,
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
        "format": info.format,
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
    row("format", info.format.to_string(), "")?;
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
                let name = match name.as_str() {
                    "texts" => "keeps texts".to_owned(),
                    name => name.replace('_', "-"),
                };
                row(&name, value, "")?;
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

fn check(arguments: &IndexVerifyArguments, console: &Console) -> Result<Status> {
    console.watch(arguments.quiet);
    let info = verify(&arguments.dir, console);
    console.finish();
    let info = info?;
    if console.speaks(arguments.quiet) {
        let _ignored = writeln!(
            console.err(),
            "{BOLD}whole{BOLD:#}: {}, {}, {} checked",
            plural(info.documents, "text"),
            plural(info.entries, "fingerprint"),
            indicatif::HumanBytes(info.bytes),
        );
    }
    Ok(Status::Done)
}

fn compact(arguments: &IndexCompactArguments, console: &Console) -> Result<Status> {
    console.watch(arguments.quiet);
    let mut writer = IndexWriter::open(&arguments.dir)?;
    let sizes = writer.compact(console);
    console.finish();
    let (before, after) = sizes?;
    if console.speaks(arguments.quiet) {
        let _ignored = writeln!(
            console.err(),
            "{} before, {BOLD}{}{BOLD:#} now",
            indicatif::HumanBytes(before),
            indicatif::HumanBytes(after),
        );
    }
    Ok(Status::Done)
}

fn snapshot(arguments: &IndexSnapshotArguments, console: &Console) -> Result<Status> {
    console.watch(true);
    let info = index::snapshot(&arguments.dir, &arguments.target, console)?;
    if console.speaks(arguments.quiet) {
        let _ignored = writeln!(
            console.err(),
            "{BOLD}{}{BOLD:#} copied to {}, {}",
            plural(info.documents, "text"),
            arguments.target.display(),
            indicatif::HumanBytes(info.bytes),
        );
    }
    Ok(Status::Done)
}
