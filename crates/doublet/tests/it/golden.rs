//! Files of earlier versions besides indexes: tables of frequencies, which stay good, and states of runs, which only the version
//! that kept them continues. Indexes have `index/golden.rs`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use doublet::Error;
use doublet::batch::{
    CheckpointOptions, CountOptions, JoinOptions, find_matches, write_background,
};
use doublet::method::Method;
use doublet::method::sentences::word_signature;
use doublet::method::terms::background::{Background, Totals, is_table};
use doublet::method::terms::segment_signature;
use doublet::options::{NormalizeOptions, Numbers};
use doublet::progress::Silent;
use doublet::scores::Metric;
use xxhash_rust::xxh3::xxh3_64;

use crate::harness::{Texts, options};

const TEXTS: [&str; 6] = [
    "The ferry left the harbour at noon with twelve sheep on board",
    "the FERRY left at noon; nobody knew the captain",
    "Die Fähre verließ den Hafen um zwölf Uhr",
    "渡轮中午离开了港口，船上有十二只羊",
    "배는 정오에 항구를 떠났다",
    "",
];
const METHODS: [Method; 2] = [Method::Terms, Method::Sentences];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn texts() -> Texts {
    Texts::new(&TEXTS.map(str::to_owned), &[])
}

fn counting(method: Method) -> CountOptions {
    let options = options(Metric::Resemblance, "0.5", 5);
    CountOptions {
        method,
        // As the tables were made.
        normalize: NormalizeOptions {
            numbers: Numbers::Token,
            ..options.matching.normalize
        },
        terms: options.matching.terms,
        resources: options.resources,
        strict: false,
    }
}

/// Counts the texts, and what these tables say, into a new table; gives its bytes.
fn count(method: Method, with_texts: bool, tables: &[PathBuf]) -> (Vec<u8>, Totals) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("table");
    let texts = texts();
    let input = with_texts.then_some(&texts.source.input);
    let (totals, _) = write_background(input, tables, &path, &counting(method), &Silent).unwrap();
    (std::fs::read(path).unwrap(), totals)
}

fn table(method: Method) -> PathBuf {
    data(&format!("background-1/{method}.background"))
}

/// Makes the tables that are missing: `cargo test -p doublet --test it -- --ignored make_golden_files`. Those that were published stay.
#[test]
#[ignore = "writes into tests/data"]
fn make_golden_files() {
    for method in METHODS {
        if !table(method).exists() {
            std::fs::create_dir_all(data("background-1")).unwrap();
            std::fs::write(table(method), count(method, true, &[]).0).unwrap();
        }
    }
    let directory = data("run-1");
    if !directory.exists() {
        interrupted(&texts(), &directory);
        let manifest = directory.join("manifest");
        let text = std::fs::read_to_string(&manifest).unwrap();
        // As a version wrote it that is not this one, whichever this is.
        let version = format!("\"doublet\":\"{}\"", env!("CARGO_PKG_VERSION"));
        let body = text.replacen(&version, "\"doublet\":\"0.0.0\"", 1);
        let body = body.trim_end().rsplit_once('\n').unwrap().0;
        let text = format!("{body}\n{:016x}\n", xxh3_64(body.as_bytes()));
        std::fs::write(&manifest, text).unwrap();
    }
}

#[test]
fn tables_say_what_they_said() {
    for method in METHODS {
        assert!(is_table(&table(method)).unwrap());
        let counting = counting(method);
        let signature = match method {
            Method::Terms => segment_signature(&counting.normalize, &counting.terms),
            _ => word_signature(&counting.normalize),
        };
        let kept = Background::read(&table(method), &signature).unwrap();
        let totals = kept.totals;
        let expected = match method {
            Method::Terms => (6, 45, 38),
            _ => (6, 42, 35),
        };
        assert_eq!(
            (totals.texts, totals.tokens, totals.terms),
            expected,
            "{method}"
        );
        assert_eq!(kept.len() as u64, totals.terms);
    }
}

#[test]
fn tables_are_written_as_they_were() {
    for method in METHODS {
        let kept = std::fs::read(table(method)).unwrap();
        // Without a word of difference: a changed table without a changed version would be believed.
        assert!(count(method, true, &[]).0 == kept, "{method}");
        assert!(count(method, false, &[table(method)]).0 == kept, "{method}");
    }
}

#[test]
fn tables_can_be_added_to() {
    for method in METHODS {
        let (_, once) = count(method, false, &[table(method)]);
        let (_, twice) = count(method, true, &[table(method)]);
        assert_eq!(
            (twice.texts, twice.tokens),
            (2 * once.texts, 2 * once.tokens)
        );
        assert_eq!(twice.terms, once.terms);
    }
}

fn checkpointed(directory: &Path, resume: bool) -> JoinOptions {
    let mut options = options(Metric::Resemblance, "0.5", 2);
    let checkpoint = CheckpointOptions::new(directory.to_owned(), resume, Duration::ZERO);
    options.checkpoint = Some(checkpoint);
    options
}

/// A run that keeps its state and does not end.
fn interrupted(texts: &Texts, directory: &Path) {
    let options = checkpointed(directory, false);
    find_matches(&texts.source, &options, &Silent).unwrap();
    options.checkpoint.as_ref().unwrap().end(false).unwrap();
}

fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    };
    let mut files: Vec<_> = entries
        .map(read)
        .filter(|(name, _)| name != "lock")
        .collect();
    files.sort();
    files
}

#[test]
fn a_state_of_another_version_is_refused_and_left_alone() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("out.unfinished");
    std::fs::create_dir(&directory).unwrap();
    let kept = files(&data("run-1"));
    assert_eq!(kept.len(), 2, "a manifest and a state");
    for (name, bytes) in &kept {
        std::fs::write(directory.join(name), bytes).unwrap();
    }
    let options = checkpointed(&directory, true);
    let Err(Error::BadFile { reason, .. }) = find_matches(&texts().source, &options, &Silent)
    else {
        panic!("continued");
    };
    let begun = format!(
        "begun by doublet 0.0.0, and this is {}",
        env!("CARGO_PKG_VERSION")
    );
    assert!(reason.contains(&begun), "{reason}");
    drop(options);
    assert_eq!(files(&directory), kept);
}
