//! The index from outside: what was added is found, by every method, after any change, damage or not.

mod batch;
mod damage;
mod golden;
mod minhash;
mod model;
mod readers;
mod terms;
mod writing;

use std::path::{Path, PathBuf};

use doublet::Result;
use doublet::batch::JoinOptions;
use doublet::index::{
    AddOptions, Added, Answer, CheckOptions, Checker, Index, IndexOptions, IndexWriter, Info,
};
use doublet::method::Method;
use doublet::options::{ReadOptions, Resources};
use doublet::progress::Silent;
use doublet::read::Collection;
use serde_json::json;
use tempfile::TempDir;

/// The methods that have an index.
const METHODS: [Method; 5] = [
    Method::Shingles,
    Method::Minhash,
    Method::Terms,
    Method::Sentences,
    Method::Imatch,
];

/// A directory for one index and what is added to it.
struct Place(TempDir);

/// Ids with texts.
type Records<'a> = &'a [(String, String)];

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn index(&self) -> PathBuf {
        self.0.path().join("index")
    }

    /// Records in a file, as a collection.
    fn collection(&self, records: Records<'_>) -> Collection {
        let line = |(id, text): &(String, String)| json!({ "id": id, "text": text }).to_string();
        let lines: Vec<String> = records.iter().map(line).collect();
        self.lines(&(lines.join("\n") + "\n"))
    }

    fn lines(&self, lines: &str) -> Collection {
        let path = self.0.path().join("records.jsonl");
        std::fs::write(&path, lines).unwrap();
        let path = path.to_str().unwrap().to_owned();
        Collection::open(&[path], &ReadOptions::default(), self.0.path()).unwrap()
    }

    /// An index with these texts, added at once.
    fn with(options: &IndexOptions, records: Records<'_>) -> Self {
        let place = Self::new();
        let mut writer = IndexWriter::create(&place.index(), options, None).unwrap();
        let collection = place.collection(records);
        writer.add(&collection, &adding(), &Silent).unwrap();
        place
    }

    fn open(&self) -> Index {
        Index::open(&self.index()).unwrap()
    }

    fn verify(&self) -> Result<Info> {
        doublet::index::verify(&self.index(), &Silent)
    }

    /// The files of the index, without its lock.
    fn files(&self) -> Vec<String> {
        files_of(&self.index())
    }
}

fn files_of(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != "lock").collect();
    names.sort();
    names
}

fn adding() -> AddOptions {
    AddOptions {
        resources: Resources {
            threads: 1,
            memory: 1 << 30,
            temp_dir: std::env::temp_dir(),
        },
        strict: false,
        renumber: false,
        commit_every: None,
    }
}

fn add(writer: &mut IndexWriter, place: &Place, records: Records<'_>) -> Result<Added> {
    writer.add(&place.collection(records), &adding(), &Silent)
}

/// An index that sees texts as a run does.
fn index_options(options: &JoinOptions, texts: bool) -> IndexOptions {
    IndexOptions {
        matching: options.matching.clone(),
        texts,
    }
}

fn check(index: &Index, text: &str) -> Result<Answer> {
    Checker::new(index).check(text, &CheckOptions::of(index.options()))
}

/// The ids of all documents, in order.
fn ids(index: &Index) -> Vec<String> {
    let mut ids = Vec::new();
    let push = |id: &str, _: Option<&str>| {
        ids.push(id.trim_matches('"').to_owned());
        Ok(())
    };
    index.for_each_document(push).unwrap();
    ids
}

/// Records of these texts, with numbers for ids.
fn numbered(texts: &[String]) -> Vec<(String, String)> {
    let ids = (0..).map(|number: u32| number.to_string());
    ids.zip(texts.iter().cloned()).collect()
}
