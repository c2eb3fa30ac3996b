//! Finds the texts of a run in its input: those that were removed, and those that were kept for them.
//!
//! Only the input holds the removed texts, so all of it is read once more. For each text found, memory keeps its place and a hash.

use std::path::Path;

use hashbrown::{HashMap, HashSet};
use xxhash_rust::xxh3::Xxh3;

use super::removals::{Run, hash};
use crate::batch::scan::{Extent, announce, scan};
use crate::document::Key;
use crate::error::{Error, Result, clip};
use crate::matches::Source;
use crate::progress::Observer;
use crate::read::{Block, Collection, Place};

/// A text of the input or of the references.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    place: Place,
    /// Equal for texts that are the same, white space aside.
    text: u128,
}

/// Where the texts are; by the hashes of their ids.
#[derive(Debug, Default)]
pub(super) struct Texts {
    input: HashMap<u128, Found>,
    references: HashMap<u128, Found>,
    /// Bytes that were read.
    pub(super) bytes: u64,
}

/// What one thread found.
#[derive(Default)]
struct Part {
    found: Vec<(u128, Found)>,
    records: u64,
    bytes: u64,
}

impl Texts {
    /// Reads the source and finds every text that the run removed, and those kept for them.
    ///
    /// # Errors
    /// When the source cannot be read, or is not what the run read.
    pub(super) fn find(
        run: &Run,
        source: &Source,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<Self> {
        announce(source, observer, "reading", 1)?;
        let removed = run.removals.iter().map(|removal| removal.id);
        let kept = run.removals.iter().map(|removal| removal.representative);
        let wanted: HashSet<u128> = removed.chain(kept).collect();
        let mut texts = Self::default();
        let pass = Pass {
            run,
            wanted: &wanted,
            threads,
            observer,
        };
        let records;
        (texts.input, records) = pass.over(&source.input, 0, &mut texts.bytes)?;
        if let Some(references) = &source.references {
            (texts.references, _) = pass.over(references, records, &mut texts.bytes)?;
        }
        texts.expect_all(run, records)?;
        Ok(texts)
    }

    /// That this is what the run read.
    fn expect_all(&self, run: &Run, records: u64) -> Result<()> {
        let other = |what: String| {
            Err(Error::BadFile {
                path: run.directory().to_owned(),
                reason: format!(
                    "this is not the input of the run: {what}; give the unchanged input files of the run: `doublet audit DIR INPUT…`"
                ),
            })
        };
        if records != run.read() {
            return other(format!(
                "it has {records} records, the run read {}",
                run.read()
            ));
        }
        let is_there = |id| self.input.contains_key(&id);
        if let Some(at) = run.removals.iter().position(|r| !is_there(r.id)) {
            let id = &run.removed(&[at])?[0].id;
            return other(format!(
                "it has no record with the id {}, which was removed",
                clip(id)
            ));
        }
        let is_there = |id| self.input.contains_key(&id) || self.references.contains_key(&id);
        if let Some(at) = run
            .removals
            .iter()
            .position(|r| !is_there(r.representative))
        {
            let id = &run.removed(&[at])?[0].representative;
            return other(format!(
                "it has no record with the id {}, which was kept (references go with `--against`)",
                clip(id)
            ));
        }
        Ok(())
    }

    /// Whether a removed text is the kept one, white space aside.
    pub(super) fn is_same(&self, removed: u128, kept: u128) -> bool {
        let Some(removed) = self.input.get(&removed) else {
            return false;
        };
        let kept = [&self.input, &self.references].map(|side| side.get(&kept));
        kept.into_iter()
            .flatten()
            .any(|kept| kept.text == removed.text)
    }

    /// A text of the input.
    pub(super) fn removed(&self, source: &Source, id: &str) -> Result<String> {
        let found = self.input.get(&hash(id));
        found.map_or(Ok(String::new()), |found| fetch(&source.input, found))
    }

    /// The texts with this id, of which one was kept: a reference may have the id of a text.
    pub(super) fn kept(&self, source: &Source, id: &str) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        let references = source.references.as_ref();
        if let Some((found, references)) = self.references.get(&hash(id)).zip(references) {
            texts.push(fetch(references, found)?);
        }
        if let Some(found) = self.input.get(&hash(id)) {
            texts.push(fetch(&source.input, found)?);
        }
        Ok(texts)
    }
}

fn fetch(collection: &Collection, found: &Found) -> Result<String> {
    let mut buffer = Vec::new();
    let record = collection.fetch(&found.place, &mut buffer)?;
    Ok(record.text.into_owned())
}

/// A pass over a collection, for the texts that are wanted.
struct Pass<'a> {
    run: &'a Run,
    wanted: &'a HashSet<u128>,
    threads: usize,
    observer: &'a dyn Observer,
}

impl Pass<'_> {
    /// The texts that were found, and the number of records. Records are numbered from `first` on, where numbers are their ids.
    fn over(
        &self,
        collection: &Collection,
        first: u64,
        bytes: &mut u64,
    ) -> Result<(HashMap<u128, Found>, u64)> {
        let names = aliases(collection, self.run);
        let renumber = self.run.is_on("renumber");
        let id = |block: &Block, index: usize, key: Option<Key<'_>>| -> u128 {
            if renumber {
                let number = first + u64::from(block.first) + index as u64;
                return hash(&number.to_string());
            }
            match key {
                Some(key) => hash(key.as_json()),
                None => {
                    let name = &names[block.file() as usize];
                    let line = block.place(index).line;
                    hash(Key::from_text(&format!("{name}:{line}")).as_json())
                }
            }
        };
        let each = |part: &mut Part, block: &Block| {
            part.records += block.len() as u64;
            part.bytes += block.bytes() as u64;
            for (index, record) in block.readable() {
                let id = id(block, index, record.key);
                if self.wanted.contains(&id) {
                    let place = block.place(index);
                    let text = text_hash(&record.text);
                    part.found.push((id, Found { place, text }));
                }
            }
            Ok(())
        };
        let parts = scan(
            collection,
            Extent::Whole,
            self.threads,
            self.observer,
            Part::default,
            each,
        )?;
        *bytes += parts.iter().map(|part| part.bytes).sum::<u64>();
        let records = parts.iter().map(|part| part.records).sum();
        let found = parts.into_iter().flat_map(|part| part.found);
        Ok((found.collect(), records))
    }
}

/// Equal for texts that are the same, white space aside.
fn text_hash(text: &str) -> u128 {
    let mut hash = Xxh3::new();
    for word in text.split_whitespace() {
        hash.update(word.as_bytes());
        hash.update(b" ");
    }
    hash.digest128()
}

/// What each file was called in the run. Where ids are made of file names, a file that is named by another path now is the one that
/// shares the end of its path.
fn aliases(collection: &Collection, run: &Run) -> Vec<String> {
    let now: Vec<&str> = collection.files().iter().map(|file| file.name()).collect();
    let mut names: Vec<String> = now.iter().map(|&name| name.to_owned()).collect();
    let known: HashSet<&str> = now.iter().copied().collect();
    let then = run.names.iter().map(String::as_str);
    let moved: Vec<&str> = then.filter(|name| !known.contains(name)).collect();
    if moved.is_empty() {
        return names;
    }
    if let ([name], [then]) = (&mut names[..], &moved[..])
        && !run.names.contains(name)
    {
        (*then).clone_into(name);
        return names;
    }
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, name) in now.iter().enumerate() {
        if !run.names.contains(*name) {
            by_name.entry(last(name)).or_default().push(at);
        }
    }
    for then in moved {
        let like = by_name.get(last(then)).into_iter().flatten();
        if let Some(&at) = like.max_by_key(|&&at| common_end(now[at], then)) {
            then.clone_into(&mut names[at]);
        }
    }
    names
}

/// The name of a file without its directory.
fn last(name: &str) -> &str {
    let name = Path::new(name).file_name();
    name.and_then(|name| name.to_str()).unwrap_or_default()
}

/// How many parts two paths have in common at their ends.
fn common_end(a: &str, b: &str) -> usize {
    let parts = |path| Path::new(path).components().rev();
    parts(a).zip(parts(b)).take_while(|(a, b)| a == b).count()
}
