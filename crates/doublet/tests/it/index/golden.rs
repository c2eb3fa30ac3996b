//! Indexes of earlier versions, kept as files: they open, say what they said, and can be added to.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use doublet::index::{
    FORMAT, Index, IndexOptions, IndexWriter, LiveIndex, LiveOptions, Write as Change,
};
use doublet::method::Method;
use doublet::method::terms::Language;
use doublet::progress::Silent;

use super::{Place, add, check, files_of, ids, index_options, numbered};
use crate::harness::options;

/// The methods that have an index among the files.
const METHODS: [Method; 4] = [
    Method::Sentences,
    Method::Shingles,
    Method::Minhash,
    Method::Terms,
];

fn kept(format: u32, method: Method) -> PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    data.join(format!("index-{format}"))
        .join(method.to_string())
}

const FIRST: [&str; 6] = [
    "The ferry left the harbour at noon. Twelve sheep were on board. Nobody knew the captain.",
    "Rain fell on the islands all night. The ferry left the harbour at noon.",
    "Die Fähre verließ den Hafen um zwölf Uhr. Niemand kannte den Kapitän.",
    "渡轮中午离开了港口。船上有十二只羊。",
    "Twelve sheep were on board. Twelve sheep were on board.",
    "",
];
const SECOND: [&str; 3] = [
    "The lighthouse was built in 1871. Its keeper kept twelve sheep.",
    "Nobody knew the captain. The lighthouse was built in 1871.",
    "Rain fell on the islands all night, and the ferry stayed in the harbour.",
];
const QUESTIONS: [&str; 6] = [
    "At noon the ferry left the harbour. Nobody knew the captain! And so on.",
    "Rain fell on the islands all night. The ferry left the harbour at noon.",
    "Niemand kannte den Kapitän. 渡轮中午离开了港口。",
    "The lighthouse was built in 1871. Its keeper kept twelve sheep.",
    "Nothing of this was ever said before.",
    "",
];

fn records(texts: &[&str], from: usize) -> Vec<(String, String)> {
    let record =
        |(number, text): (usize, &&str)| (format!("text {}", from + number), (*text).to_owned());
    texts.iter().enumerate().map(record).collect()
}

fn golden_options(method: Method) -> IndexOptions {
    let mut options = options(method.metrics()[0], "0.4", 3);
    options.matching.method = method;
    options.matching.terms.language = Language::English;
    index_options(&options, true)
}

/// Makes the files of this format that are missing: `cargo test -p doublet --test it -- --ignored make_golden_indexes`. Those that
/// were published stay.
#[test]
#[ignore = "writes into tests/data"]
fn make_golden_indexes() {
    for method in METHODS {
        // An index without a journal is still of the first format.
        let directory = kept(1, method);
        if directory.exists() {
            continue;
        }
        let place = Place::new();
        let mut writer = IndexWriter::create(&directory, &golden_options(method), None).unwrap();
        add(&mut writer, &place, &records(&FIRST, 0)).unwrap();
        // One text is replaced, one removed.
        add(&mut writer, &place, &records(&SECOND, 5)).unwrap();
        writer.remove(&["\"text 2\"".to_owned()], &Silent).unwrap();
        drop(writer);
        std::fs::remove_file(directory.join("lock")).unwrap();
    }
    make_journal(&kept(FORMAT, Method::Sentences));
}

/// An index that was in use when its process was killed: the changes are in its journal alone.
fn make_journal(directory: &Path) {
    if directory.exists() {
        return;
    }
    let place = copied(1, Method::Sentences);
    let live = LiveIndex::open(&place.index(), LiveOptions::default()).unwrap();
    let text = "The lighthouse was built in 1871. Nobody knew the captain.";
    let document = live.document("\"new\"".to_owned(), text.to_owned());
    live.write(Change::Add(vec![document.unwrap()])).unwrap();
    live.write(Change::Remove(vec!["\"text 0\"".to_owned()]))
        .unwrap();
    std::fs::create_dir_all(directory).unwrap();
    for file in place.files() {
        let mut bytes = std::fs::read(place.index().join(&file)).unwrap();
        if file.ends_with(".journal") {
            // Without the zeros that were written ahead.
            let used = bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
            bytes.truncate(used.next_multiple_of(8));
        }
        std::fs::write(directory.join(file), bytes).unwrap();
    }
}

/// A copy of kept files, to be changed.
fn copied(format: u32, method: Method) -> Place {
    let place = Place::new();
    std::fs::create_dir(place.index()).unwrap();
    for file in files_of(&kept(format, method)) {
        std::fs::copy(kept(format, method).join(&file), place.index().join(&file)).unwrap();
    }
    place
}

/// All that an index says, in words.
fn said(index: &Index) -> String {
    let mut out = String::new();
    let info = index.info();
    let _ = writeln!(
        out,
        "{} documents, {} dead, {} entries, {} parts, commit {}",
        info.documents, info.dead, info.entries, info.parts, info.commit
    );
    let _ = writeln!(out, "{}", info.options);
    let list = |id: &str, text: Option<&str>| {
        let _ = writeln!(out, "{id}: {}", text.unwrap_or("-"));
        Ok(())
    };
    index.for_each_document(list).unwrap();
    for question in QUESTIONS {
        let answer = check(index, question).unwrap();
        let _ = writeln!(out, "\n> {question}");
        let _ = writeln!(
            out,
            "{} {:.4} {:?}",
            answer.duplicate, answer.share, answer.sentences
        );
        for source in answer.sources {
            let _ = writeln!(
                out,
                "{} {:.4} {:?}",
                source.id, source.score, source.sentences
            );
            for passage in source.passages {
                let _ = writeln!(
                    out,
                    "    {:?} = {:?}",
                    &question[passage.here], passage.there
                );
            }
        }
    }
    out
}

#[test]
fn indexes_of_every_format_say_what_they_said() {
    for method in METHODS {
        let directory = kept(1, method);
        doublet::index::verify(&directory, &Silent).unwrap();
        let index = Index::open(&directory).unwrap();
        insta::assert_snapshot!(format!("index-1-{method}"), said(&index));
        // Asking writes nothing.
        assert!(!directory.join("lock").exists());
    }
}

#[test]
fn indexes_of_every_format_can_be_added_to() {
    for method in METHODS {
        let place = copied(1, method);
        let mut writer = IndexWriter::open(&place.index()).unwrap();
        let before = said(writer.index());
        let more = ["The captain of the ferry knew nobody on the islands at all.".to_owned()];
        add(&mut writer, &place, &numbered(&more)).unwrap();
        assert_eq!(ids(&place.open()).len(), 8);
        let answer = check(&place.open(), &more[0]).unwrap();
        assert_eq!(
            (answer.sources[0].id.as_str(), answer.share),
            ("\"0\"", 1.0)
        );
        writer.remove(&["\"0\"".to_owned()], &Silent).unwrap();
        writer.compact(&Silent).unwrap();
        place.verify().unwrap();
        // All but the figures.
        let rest = |said: &str| said.split_once('\n').unwrap().1.to_owned();
        assert_eq!(rest(&said(writer.index())), rest(&before));
    }
}

#[test]
fn the_journal_of_a_killed_process_says_what_it_said() {
    let directory = kept(2, Method::Sentences);
    let manifest = std::fs::read_to_string(directory.join("manifest")).unwrap();
    assert!(manifest.starts_with("doublet index, format 2\n"));
    let index = Index::open(&directory).unwrap();
    insta::assert_snapshot!("index-2-sentences", said(&index));
    assert!(!directory.join("lock").exists());
}

#[test]
fn an_index_with_a_journal_is_closed_to_the_first_format() {
    let place = copied(2, Method::Sentences);
    // All but the figures, and in any order of the documents.
    let rest = |index: &Index| {
        let said = said(index);
        let (facts, answers) = said.split_once("\n\n").unwrap();
        let mut facts: Vec<String> = facts.lines().skip(1).map(str::to_owned).collect();
        facts.sort();
        (facts, answers.to_owned())
    };
    let before = rest(&place.open());
    let live = LiveIndex::open(&place.index(), LiveOptions::default()).unwrap();
    assert_eq!(rest(&live.snapshot()), before);
    live.close().unwrap();
    let manifest = std::fs::read_to_string(place.index().join("manifest")).unwrap();
    assert!(
        manifest.starts_with("doublet index, format 1\n"),
        "{manifest}"
    );
    place.verify().unwrap();
    assert_eq!(rest(&place.open()), before);
}
