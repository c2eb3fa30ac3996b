//! The collections of the side by side: generated documents, and real text as it is.

use std::fs::File;
use std::io::{BufRead, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::super::record::Collection;
use super::super::{Args, collections};
use crate::corpus;
use crate::workspace;

/// Real collections: a name, and its files in the folder of data.
const REAL: [(&str, &[&str]); 5] = [
    ("reuters21578", &["reuters21578/texts.jsonl.zst"]),
    ("nus_sms", &["nus_sms/texts.jsonl.zst"]),
    (
        "debian_html",
        &[
            "debian_html/boost.jsonl.zst",
            "debian_html/lo-help.jsonl.zst",
        ],
    ),
    ("laws_zh", &["laws_zh/texts.jsonl.zst"]),
    (
        "biblio",
        &["biblio/cora.jsonl.zst", "biblio/dblp_acm.jsonl.zst"],
    ),
];

/// The generated collections without which a page is not written.
const USUAL: [&str; 2] = ["documents-100000", "documents-1000000"];

/// A collection with a name.
pub(super) struct Text {
    pub(super) name: String,
    pub(super) collection: Collection,
}

/// The collections that are asked for and there, and whether they are all.
pub(super) fn all(args: &Args) -> Result<(Vec<Text>, bool)> {
    let data = args.side.data.clone();
    let data = data.unwrap_or_else(|| workspace::root().join(corpus::DATA));
    let only = &args.side.only;
    let is_wanted = |name: &str| only.is_empty() || only.iter().any(|wanted| wanted == name);
    let folder = args.doublet.folder()?;
    let mut texts = Vec::new();
    let mut known = Vec::new();
    for size in &args.sizes {
        let name = format!("{}-{}", size.kind.name(), size.documents);
        if is_wanted(&name) {
            texts.push(Text {
                name: name.clone(),
                collection: collections::make(&folder, size.kind, size.documents, &args.from)?,
            });
        }
        known.push(name);
    }
    for (name, files) in REAL {
        known.push(name.to_owned());
        if !is_wanted(name) {
            continue;
        }
        let files: Vec<PathBuf> = files.iter().map(|file| data.join(file)).collect();
        if let Some(missing) = files.iter().find(|file| !file.exists()) {
            println!(
                "{name} is left out: `{}` does not exist; name the folder with `--data`",
                missing.display()
            );
            continue;
        }
        texts.push(Text {
            name: name.to_owned(),
            collection: collections::describe(&convert(&folder, name, &files)?)?,
        });
    }
    if let Some(unknown) = only.iter().find(|name| !known.contains(name)) {
        bail!("`--only {unknown}`: there are {}", known.join(", "));
    }
    let has_usual_sizes = USUAL
        .iter()
        .all(|usual| known.iter().any(|name| name == usual));
    let is_whole = has_usual_sizes && texts.len() == known.len();
    Ok((texts, is_whole))
}

/// The files as one of plain JSON lines, unless it is there and newer than they are.
fn convert(folder: &Path, name: &str, files: &[PathBuf]) -> Result<PathBuf> {
    let output = folder.join(format!("{name}.jsonl"));
    if is_newer(&output, files) {
        return Ok(output);
    }
    let part = output.with_extension("part");
    let mut writer = BufWriter::new(File::create(&part)?);
    let mut count = 0;
    for file in files {
        let reader = corpus::open(file);
        let reader = reader.with_context(|| format!("cannot read `{}`", file.display()))?;
        for (number, line) in reader.lines().enumerate() {
            count += 1;
            let row = renumbered(&line?, name, count)
                .with_context(|| format!("`{}`, line {}: no text", file.display(), number + 1))?;
            writeln!(writer, "{row}")?;
        }
    }
    writer.flush()?;
    std::fs::rename(&part, &output)?;
    Ok(output)
}

/// A record with a number for an id: some ids occur twice, and some hold what a table cannot.
fn renumbered(line: &str, name: &str, number: usize) -> Option<Value> {
    let record: Value = serde_json::from_str(line).ok()?;
    let text = record["text"].as_str()?;
    Some(json!({"id": format!("{name}-{number:06}"), "text": text}))
}

/// Whether a file was made after all of its sources.
pub(super) fn is_newer(file: &Path, sources: &[PathBuf]) -> bool {
    let changed = |path: &Path| {
        std::fs::metadata(path)
            .and_then(|data| data.modified())
            .ok()
    };
    let made = changed(file);
    made.is_some() && sources.iter().all(|source| changed(source) <= made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_numbers() {
        let row = renumbered(r#"{"id":"a\tb","text":"x y","lang":"en"}"#, "sms", 7);
        assert_eq!(row, Some(json!({"id": "sms-000007", "text": "x y"})));
        assert_eq!(renumbered(r#"{"id":"a"}"#, "sms", 7), None);
        assert_eq!(renumbered("x", "sms", 7), None);
    }
}
