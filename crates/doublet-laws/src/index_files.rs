//! The law of damaged indexes: whatever happens to the files, what an index says is right or an error that names one of them.
//!
//! Harm is done to an index that was made once. Half of the inputs make the checksums good again, as somebody would who means harm:
//! then nothing can tell that an answer is wrong, but still nothing panics or asks for memory because a number in a file says so.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use doublet::index::{
    AddOptions, Answer, CheckOptions, Checker, Index, IndexOptions, IndexWriter, verify,
};
use doublet::method::terms::Language;
use doublet::method::{MatchOptions, Method};
use doublet::options::{ReadOptions, Resources};
use doublet::progress::Silent;
use doublet::threshold::Threshold;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::reading::{open, scratch, write};

const METHODS: [Method; 5] = [
    Method::Sentences,
    Method::Shingles,
    Method::Terms,
    Method::Minhash,
    Method::Imatch,
];
/// Bytes that share a checksum, and those of the foot of a part.
const PAGE: usize = 4096;
const FOOT: usize = 64;

/// Documents with their texts.
pub(crate) type Documents = Vec<(String, Option<String>)>;

/// The files of an index, and what it says.
struct Whole {
    files: Vec<(String, Vec<u8>)>,
    answers: Vec<Answer>,
    documents: Documents,
}

/// The `number`th of texts that share a sentence each with the next.
pub(crate) fn report(number: u32) -> String {
    let sentence = |n: u32| {
        format!(
            "The bridge number {n} over the river {} was closed. ",
            n * 7
        )
    };
    format!("Report {number} is by inspector {}. ", number * 31)
        + &sentence(number)
        + &sentence(number + 1)
}

fn questions() -> [String; 3] {
    [
        report(3),
        report(9) + &report(14),
        "Nothing of this was said before.".to_owned(),
    ]
}

/// An index of a method, in a directory that is not there yet.
pub(crate) fn create(directory: &Path, method: Method) -> IndexWriter {
    let mut matching = MatchOptions::new(method);
    matching.threshold = Threshold::new(0.6).expect("a threshold");
    matching.shingle.size = 3;
    matching.terms.language = Language::English;
    let options = IndexOptions {
        matching,
        texts: true,
    };
    IndexWriter::create(directory, &options, None).expect("a new index")
}

/// Adds reports of these numbers.
pub(crate) fn add(writer: &mut IndexWriter, numbers: std::ops::Range<u32>) {
    let line = |number: u32| json!({ "id": number, "text": report(number) }).to_string() + "\n";
    let path = write(
        "added.jsonl",
        numbers.map(line).collect::<String>().as_bytes(),
    );
    let collection = open(&path, &ReadOptions::default()).expect("records");
    let options = AddOptions {
        resources: Resources {
            threads: 1,
            memory: 1 << 30,
            temp_dir: scratch(),
        },
        strict: true,
        renumber: false,
        commit_every: None,
    };
    writer.add(&collection, &options, &Silent).expect("added");
}

/// The files of a directory, but for its lock.
pub(crate) fn files_of(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(directory).expect("the directory of an index");
    let names = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name != "lock").collect();
    names.sort();
    let read = |name: String| {
        let bytes = std::fs::read(directory.join(&name)).expect("a file of an index");
        (name, bytes)
    };
    names.into_iter().map(read).collect()
}

/// Writes files into a directory that has nothing else.
pub(crate) fn place_files(name: &str, files: &[(String, Vec<u8>)]) -> PathBuf {
    let directory = scratch().join(name);
    let _may_be_missing = std::fs::remove_dir_all(&directory);
    std::fs::create_dir(&directory).expect("a temporary directory");
    for (name, bytes) in files {
        std::fs::write(directory.join(name), bytes).expect("a temporary file");
    }
    directory
}

pub(crate) fn documents(index: &Index) -> doublet::Result<Documents> {
    let mut documents = Vec::new();
    index.for_each_document(|id, text| {
        documents.push((id.to_owned(), text.map(str::to_owned)));
        Ok(())
    })?;
    Ok(documents)
}

fn check(index: &Index, text: &str) -> doublet::Result<Answer> {
    Checker::new(index).check(text, &CheckOptions::of(index.options()))
}

impl Whole {
    /// Two parts, both with dead documents, and words where the method has some.
    fn new(method: Method) -> Self {
        let place = tempfile::tempdir().expect("a temporary directory");
        let directory = place.path().join("index");
        let mut writer = create(&directory, method);
        add(&mut writer, 0..12);
        add(&mut writer, 10..16);
        writer
            .remove(&["3".to_owned(), "11".to_owned()], &Silent)
            .expect("removed");
        let index = writer.index();
        let answers = questions()
            .iter()
            .map(|text| check(index, text).expect("an answer"))
            .collect();
        Self {
            answers,
            documents: documents(index).expect("all documents"),
            files: files_of(&directory),
        }
    }

    fn of(choice: u8) -> &'static Self {
        static ALL: [LazyLock<Whole>; METHODS.len()] = [
            LazyLock::new(|| Whole::new(METHODS[0])),
            LazyLock::new(|| Whole::new(METHODS[1])),
            LazyLock::new(|| Whole::new(METHODS[2])),
            LazyLock::new(|| Whole::new(METHODS[3])),
            LazyLock::new(|| Whole::new(METHODS[4])),
        ];
        &ALL[usize::from(choice) % METHODS.len()]
    }
}

/// Harm to the files of an index: the method, whether checksums are made good again and a writer is let in, then steps of five bytes.
pub fn index_files(data: &[u8]) {
    let [method, mend, steps @ ..] = data else {
        return;
    };
    let whole = Whole::of(*method);
    let mut files = whole.files.clone();
    for step in steps.chunks_exact(5).take(16) {
        hurt(&mut files, step);
    }
    if mend % 2 == 1 {
        let directory = place_files("index", &mended(files));
        ask_for_everything(&directory, mend & 2 != 0);
        return;
    }
    let is_hurt = files != whole.files;
    let directory = place_files("index", &files);
    let right = ask(&directory, whole);
    assert!(right || is_hurt, "a whole index errs");
    let verified = verify(&directory, &Silent);
    assert_eq!(verified.is_err(), is_hurt, "{:?}", verified.err());
    if let Err(error) = verified {
        names_a_file(&error, &directory);
    }
    // A writer errs too, or leaves what is right.
    if mend & 2 != 0
        && let Ok(mut writer) = IndexWriter::open(&directory)
        && writer.compact(&Silent).is_ok()
    {
        ask(&directory, whole);
    }
}

fn names_a_file(error: &doublet::Error, directory: &Path) {
    let name = directory.to_string_lossy();
    assert!(error.to_string().contains(&*name), "no file named: {error}");
}

/// Does harm to one file: which, how, where, and with what.
fn hurt(files: &mut Vec<(String, Vec<u8>)>, step: &[u8]) {
    let [file, how, high, low, value] = *step else {
        return;
    };
    let count = files.len().max(1);
    let other = files.get(usize::from(value) % count).cloned();
    let Some((_, bytes)) = files.get_mut(usize::from(file) % count) else {
        return;
    };
    let length = bytes.len().max(1);
    let at = usize::from(u16::from_be_bytes([high, low])) % length;
    match (how % 10, bytes.get_mut(at)) {
        (0..=2, Some(byte)) => *byte = value,
        // Numbers stand at the ends of files as well.
        (3 | 4, Some(_)) => bytes[length - 1 - at] = value,
        (5, Some(_)) => bytes[at..]
            .iter_mut()
            .take(8)
            .for_each(|byte| *byte = value),
        (6, _) => bytes.truncate(at),
        (7, _) => bytes.extend_from_slice(&[value, high, low]),
        (8, _) => {
            if let Some((_, content)) = other {
                *bytes = content;
            }
        }
        (9, _) => {
            files.remove(usize::from(file) % count);
        }
        _ => {}
    }
}

/// Asks a damaged index everything; whether all that it said was right.
fn ask(directory: &Path, whole: &Whole) -> bool {
    let index = match Index::open(directory) {
        Ok(index) => index,
        Err(error) => {
            names_a_file(&error, directory);
            return false;
        }
    };
    let mut right = true;
    for (text, answer) in questions().iter().zip(&whole.answers) {
        match check(&index, text) {
            Ok(found) => assert_eq!(found, *answer, "a wrong answer"),
            Err(error) => {
                names_a_file(&error, directory);
                right = false;
            }
        }
    }
    match documents(&index) {
        Ok(found) => assert_eq!(found, whole.documents, "other documents"),
        Err(error) => {
            names_a_file(&error, directory);
            right = false;
        }
    }
    right
}

/// Asks an index whose checksums are good whatever its files say: nothing must panic.
fn ask_for_everything(directory: &Path, changes: bool) {
    if let Ok(index) = Index::open(directory) {
        for text in questions() {
            let _any_answer = check(&index, &text);
        }
        let _any_documents = documents(&index);
        for id in ["0", "3", "15", "\"a\""] {
            let (found, document) = (index.contains(id), index.document(id));
            if let (Ok(found), Ok(document)) = (found, document) {
                assert_eq!(found, document.is_some(), "there and not there");
            }
        }
        let _any_figures = index.info();
    }
    let _any_verdict = verify(directory, &Silent);
    if changes && let Ok(mut writer) = IndexWriter::open(directory) {
        let _any_outcome = writer.compact(&Silent);
    }
}

/// The files with checksums that are those of their bytes.
fn mended(mut files: Vec<(String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
    for (name, bytes) in &mut files {
        if name.ends_with(".part") {
            mend_part(bytes);
        }
    }
    let facts: Vec<(String, Value)> = files
        .iter()
        .map(|(name, bytes)| {
            let sum = match name.ends_with(".part") && bytes.len() >= 8 {
                true => u64::from_le_bytes(*bytes.last_chunk().unwrap_or(&[0; 8])),
                false => xxh3_64(bytes),
            };
            (
                name.clone(),
                json!({ "bytes": bytes.len(), "checksum": format!("{sum:016x}") }),
            )
        })
        .collect();
    for (name, bytes) in &mut files {
        if name == "manifest" {
            mend_manifest(bytes, &facts);
        }
    }
    files
}

/// Makes the table and the foot of a part good.
fn mend_part(bytes: &mut [u8]) {
    let Some(before) = bytes.len().checked_sub(FOOT) else {
        return;
    };
    let pages = before.div_ceil(PAGE + 8);
    let Some(length) = before.checked_sub(8 * pages) else {
        return;
    };
    let table: Vec<u8> = bytes[..length]
        .chunks(PAGE)
        .flat_map(|page| xxh3_64(page).to_le_bytes())
        .collect();
    if table.len() != 8 * pages {
        return;
    }
    bytes[length..before].copy_from_slice(&table);
    let foot = &mut bytes[before..];
    foot[..8].copy_from_slice(&(length as u64).to_le_bytes());
    foot[8..16].copy_from_slice(&(pages as u64).to_le_bytes());
    foot[16..24].copy_from_slice(&xxh3_64(&table).to_le_bytes());
    let sum = xxh3_64(&foot[..56]);
    foot[56..].copy_from_slice(&sum.to_le_bytes());
}

/// Makes a manifest name the sizes and checksums that the files have, and its own.
fn mend_manifest(bytes: &mut Vec<u8>, facts: &[(String, Value)]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let Some((body, _)) = text.trim_end().rsplit_once('\n') else {
        return;
    };
    let Some((head, json)) = body.split_once('\n') else {
        return;
    };
    let json = match serde_json::from_str::<Value>(json) {
        Ok(mut manifest) => {
            mend_entries(&mut manifest, facts);
            manifest.to_string()
        }
        Err(_) => json.to_owned(),
    };
    *bytes = sealed(head, &json);
}

/// A manifest with its checksum.
pub(crate) fn sealed(head: &str, json: &str) -> Vec<u8> {
    let body = format!("{head}\n{json}");
    format!("{body}\n{:016x}\n", xxh3_64(body.as_bytes())).into_bytes()
}

fn mend_entries(value: &mut Value, facts: &[(String, Value)]) {
    match value {
        Value::Object(entry) => {
            let known = facts
                .iter()
                .find(|(name, _)| entry.get("file").and_then(Value::as_str) == Some(name));
            if let Some((_, Value::Object(fact))) = known {
                entry.extend(fact.clone());
            }
            entry
                .values_mut()
                .for_each(|value| mend_entries(value, facts));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| mend_entries(value, facts)),
        _ => {}
    }
}
