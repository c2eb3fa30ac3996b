//! A live index against a plain map, and against what a crash leaves of it.

mod journal;
#[path = "../../../tests/it/wait.rs"]
mod wait;

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;
use tempfile::TempDir;

use super::super::{CheckScratch, IndexOptions, IndexWriter, Named, snapshot, verify};
use super::*;
use crate::method::{MatchOptions, Method};
use crate::progress::Silent;
use crate::threshold::Threshold;

fn options(method: Method) -> IndexOptions {
    let mut matching = MatchOptions::new(method);
    matching.threshold = Threshold::new(0.6).unwrap();
    IndexOptions {
        matching,
        texts: true,
    }
}

fn new_index(directory: &Path, method: Method) {
    IndexWriter::create(directory, &options(method), None).unwrap();
}

/// With parts so small that they are written and merged all the time.
fn small() -> LiveOptions {
    LiveOptions {
        store_documents: 5,
        patience: Duration::from_millis(1),
        ..LiveOptions::default()
    }
}

fn open(directory: &Path) -> LiveIndex {
    LiveIndex::open(directory, small()).unwrap()
}

fn json(id: &str) -> String {
    serde_json::Value::from(id).to_string()
}

fn add(live: &LiveIndex, id: &str, text: &str) -> bool {
    let document = live.document(json(id), text.to_owned()).unwrap();
    match live.write(Write::Add(vec![document])).unwrap()[0] {
        Outcome::Added { replaced } => replaced,
        ref other => panic!("{other:?}"),
    }
}

fn remove(live: &LiveIndex, id: &str) -> bool {
    match live.write(Write::Remove(vec![json(id)])).unwrap()[0] {
        Outcome::Removed { found } => found,
        ref other => panic!("{other:?}"),
    }
}

/// All documents of an index, by id.
fn documents(index: &Index) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let each = |id: &str, text: Option<&str>| {
        let twice = all.insert(id.to_owned(), text.unwrap_or("none").to_owned());
        assert_eq!(twice, None, "{id} is there twice");
        Ok(())
    };
    index.for_each_document(each).unwrap();
    assert_eq!(index.documents(), all.len() as u64);
    all
}

/// What a crash at this moment would leave.
fn crash(directory: &Path) -> TempDir {
    let files = || {
        let entries = std::fs::read_dir(directory).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        let names = names.filter(|name| !directory.join(name).is_dir());
        let read = names.map(|name| (std::fs::read(directory.join(&name)).ok(), name));
        let mut read: Vec<_> = read.collect();
        read.sort();
        read
    };
    // Files come and go meanwhile, and a crash is over in no time.
    let mut seen = files();
    loop {
        let again = files();
        if again == seen {
            break;
        }
        seen = again;
    }
    let copy = tempfile::tempdir().unwrap();
    for (bytes, name) in seen {
        std::fs::write(copy.path().join(name), bytes.unwrap()).unwrap();
    }
    copy
}

const TEXTS: [&str; 6] = [
    "The ferry leaves at nine from the north pier. Tickets are sold on board. Dogs are welcome.",
    "Das Schiff fährt um neun Uhr ab. Karten gibt es an Bord. Hunde dürfen mit.",
    "渡轮九点从北码头开出。船上售票。欢迎带狗。",
    "",
    "\r\n\u{0}👩‍👩‍👧 e\u{301}. One more sentence of words here!",
    "The ferry leaves at nine from the north pier. Another line. And one more of them.",
];

/// Something that happens to an index.
#[derive(Clone, Debug)]
enum Step {
    Add(Vec<(u8, usize)>),
    CheckAndAdd(Vec<(u8, usize)>),
    Remove(Vec<u8>),
    /// The process dies and another goes on.
    Crash,
    /// The process ends and another goes on.
    Restart,
    /// A command writes to it in between.
    Compact,
}

fn step() -> impl Strategy<Value = Step> {
    let some = || prop::collection::vec((0..9u8, 0..TEXTS.len()), 0..4);
    prop_oneof![
        6 => some().prop_map(Step::Add),
        4 => some().prop_map(Step::CheckAndAdd),
        3 => prop::collection::vec(0..9u8, 0..3).prop_map(Step::Remove),
        1 => Just(Step::Crash),
        1 => Just(Step::Restart),
        1 => Just(Step::Compact),
    ]
}

fn prepared(live: &LiveIndex, some: &[(u8, usize)]) -> Vec<NewDocument> {
    let some = some.iter();
    some.map(|(id, text)| live.document(json(&id.to_string()), TEXTS[*text].to_owned()))
        .map(Result::unwrap)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_live_index_is_a_map(
        method in select(&[Method::Sentences, Method::Shingles, Method::Minhash, Method::Terms][..]),
        steps in prop::collection::vec(step(), 1..25),
    ) {
        let mut home = tempfile::tempdir().unwrap();
        new_index(home.path(), method);
        let mut live = open(home.path());
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Add(some) => {
                    let outcomes = live.write(Write::Add(prepared(&live, &some))).unwrap();
                    prop_assert_eq!(outcomes.len(), some.len());
                    for ((id, text), outcome) in some.iter().zip(outcomes) {
                        let before = known.insert(json(&id.to_string()), TEXTS[*text].to_owned());
                        let right = matches!(outcome, Outcome::Added { replaced } if replaced == before.is_some());
                        prop_assert!(right);
                    }
                }
                Step::CheckAndAdd(some) => {
                    let asking = CheckOptions::of(live.snapshot().options());
                    let write = Write::CheckAndAdd(prepared(&live, &some), asking);
                    for ((id, text), outcome) in some.iter().zip(live.write(write).unwrap()) {
                        let Outcome::Checked { answer, added, replaced } = outcome else {
                            panic!("{outcome:?}");
                        };
                        // The same text is there as a whole, unless it has no word.
                        let there = known.values().any(|other| other == TEXTS[*text]);
                        prop_assert!(answer.duplicate || !there || TEXTS[*text].is_empty());
                        prop_assert_eq!(added, !answer.duplicate);
                        if added {
                            let before = known.insert(json(&id.to_string()), TEXTS[*text].to_owned());
                            prop_assert_eq!(before.is_some(), replaced);
                        }
                    }
                }
                Step::Remove(ids) => {
                    let names = ids.iter().map(|id| json(&id.to_string())).collect();
                    for (id, outcome) in ids.iter().zip(live.write(Write::Remove(names)).unwrap()) {
                        let there = known.remove(&json(&id.to_string())).is_some();
                        let right = matches!(outcome, Outcome::Removed { found } if found == there);
                        prop_assert!(right);
                    }
                }
                Step::Crash => {
                    let copy = crash(home.path());
                    prop_assert_eq!(&documents(&Index::open(copy.path()).unwrap()), &known);
                    drop(live);
                    home = copy;
                    live = open(home.path());
                }
                Step::Restart => {
                    live.close().unwrap();
                    live = open(home.path());
                }
                Step::Compact => {
                    let copy = crash(home.path());
                    let mut writer = IndexWriter::open(copy.path()).unwrap();
                    prop_assert_eq!(&documents(writer.index()), &known);
                    writer.compact(&Silent).unwrap();
                    prop_assert_eq!(&documents(writer.index()), &known);
                }
            }
            prop_assert_eq!(&documents(&live.snapshot()), &known);
        }
        let other = tempfile::tempdir().unwrap();
        snapshot(home.path(), other.path(), &Silent).unwrap();
        prop_assert_eq!(&documents(&Index::open(other.path()).unwrap()), &known);
        verify(other.path(), &Silent).unwrap();
        live.close().unwrap();
        verify(home.path(), &Silent).unwrap();
        prop_assert_eq!(&documents(&Index::open(home.path()).unwrap()), &known);
    }
}

/// Answers do not depend on how the documents came in.
#[test]
fn a_live_index_says_what_any_index_says() {
    for method in [Method::Sentences, Method::Shingles, Method::Terms] {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        new_index(one.path(), method);
        new_index(other.path(), method);
        let (live, at_once) = (open(one.path()), open(other.path()));
        for (number, text) in TEXTS.iter().enumerate() {
            add(&live, &number.to_string(), text);
        }
        let all: Vec<(u8, usize)> = (0..6).map(|number| (number as u8, number)).collect();
        at_once.write(Write::Add(prepared(&at_once, &all))).unwrap();
        at_once.close().unwrap();
        let (x, y) = (live.snapshot(), Index::open(other.path()).unwrap());
        let mut scratch = CheckScratch::default();
        for text in TEXTS {
            let mut asking = CheckOptions::of(x.options());
            asking.sources = Named::All;
            assert_eq!(
                x.check(text, &asking, &mut scratch).unwrap(),
                y.check(text, &asking, &mut scratch).unwrap(),
            );
        }
    }
}

/// Enough documents that parts are written and merged while others come and go.
#[test]
fn parts_are_written_and_merged_meanwhile() {
    let home = tempfile::tempdir().unwrap();
    new_index(home.path(), Method::Shingles);
    let live = LiveIndex::open(home.path(), LiveOptions::default()).unwrap();
    let mut known = BTreeMap::new();
    for round in 0..40u32 {
        let ids: Vec<u32> = (0..1500).map(|n| (round * 1000 + n * 7) % 40_000).collect();
        let text = |id: u32| format!("text {id} of round {round} has some words of its own");
        let some = ids
            .iter()
            .map(|id| live.document(json(&id.to_string()), text(*id)));
        let some: Result<Vec<_>> = some.collect();
        live.write(Write::Add(some.unwrap())).unwrap();
        known.extend(ids.iter().map(|id| (json(&id.to_string()), text(*id))));
        let gone: Vec<String> = ids
            .iter()
            .step_by(3)
            .map(|id| json(&id.to_string()))
            .collect();
        known.retain(|id, _| !gone.contains(id));
        live.write(Write::Remove(gone)).unwrap();
        assert_eq!(live.snapshot().documents(), known.len() as u64);
    }
    assert_eq!(documents(&live.snapshot()), known);
    let copy = crash(home.path());
    assert_eq!(documents(&Index::open(copy.path()).unwrap()), known);
    live.close().unwrap();
    let info = verify(home.path(), &Silent).unwrap();
    assert_eq!(info.documents, known.len() as u64);
    assert_eq!(documents(&Index::open(home.path()).unwrap()), known);
    let left = std::fs::read_dir(home.path()).unwrap();
    let left = left.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().ends_with(".journal")
    });
    assert_eq!(left.count(), 0);
}

/// Whole parts die while they are being merged with others.
#[test]
fn what_was_removed_stays_away() {
    let home = tempfile::tempdir().unwrap();
    new_index(home.path(), Method::Shingles);
    let live = open(home.path());
    let mut known = BTreeMap::new();
    for round in 0..400u32 {
        let ids: Vec<u32> = (0..5).map(|n| round * 5 + n).collect();
        for id in &ids {
            let text = format!(
                "text {id} has some words of its own {}",
                "x".repeat(*id as usize % 9)
            );
            add(&live, &id.to_string(), &text);
            known.insert(json(&id.to_string()), text);
        }
        if round % 3 > 0 {
            let gone: Vec<String> = ids.iter().map(|id| json(&(id - 5).to_string())).collect();
            known.retain(|id, _| !gone.contains(id));
            live.write(Write::Remove(gone)).unwrap();
        }
    }
    wait::wait_until("a merge", || live.figures().merged_parts > 0);
    assert_eq!(documents(&live.snapshot()), known);
    live.close().unwrap();
    verify(home.path(), &Silent).unwrap();
    assert_eq!(documents(&Index::open(home.path()).unwrap()), known);
}

/// The manifest cannot be written for a while: changes are refused once there is too much in memory, nothing that was answered is
/// lost, and changes are made again afterwards.
#[test]
fn commits_that_fail_lose_nothing() {
    let home = tempfile::tempdir().unwrap();
    new_index(home.path(), Method::Sentences);
    let live = open(home.path());
    let obstacle = home.path().join("manifest.new");
    let (mut known, mut number) = (BTreeMap::new(), 0);
    // Adds another document, and says whether it was taken.
    let mut is_taken = |known: &mut BTreeMap<String, String>| {
        number += 1;
        let (id, text) = (
            json(&number.to_string()),
            format!("Sentence {number} of this text. {}", TEXTS[1]),
        );
        let document = live.document(id.clone(), text.clone()).unwrap();
        match live.write(Write::Add(vec![document])) {
            Ok(_) => {
                known.insert(id, text);
                true
            }
            Err(WriteError::Failed(_)) => false,
            Err(other) => panic!("{other:?}"),
        }
    };
    let survives_a_crash = |known: &BTreeMap<String, String>| {
        let copy = crash(home.path());
        assert_eq!(documents(&Index::open(copy.path()).unwrap()), *known);
    };
    for _ in 0..6 {
        for _ in 0..50 {
            assert!(is_taken(&mut known));
        }
        // A file of this name is there while a manifest is written.
        wait::wait_until("a moment without a new manifest", || {
            std::fs::create_dir(&obstacle).is_ok()
        });
        wait::wait_until("a refusal", || !is_taken(&mut known));
        for _ in 0..20 {
            assert!(!is_taken(&mut known));
        }
        survives_a_crash(&known);
        std::fs::remove_dir(&obstacle).unwrap();
        wait::wait_until("a change that is made again", || is_taken(&mut known));
        survives_a_crash(&known);
    }
    assert_eq!(documents(&live.snapshot()), known);
    live.close().unwrap();
    verify(home.path(), &Silent).unwrap();
    assert_eq!(documents(&Index::open(home.path()).unwrap()), known);
}

/// Copies are made, and the index is opened by others, while it changes.
#[test]
fn snapshots_of_an_index_in_use_are_whole() {
    let home = tempfile::tempdir().unwrap();
    new_index(home.path(), Method::Sentences);
    let live = open(home.path());
    let added = AtomicU64::new(0);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..60 {
                let before = added.load(Ordering::Relaxed);
                let place = tempfile::tempdir().unwrap();
                let info = snapshot(home.path(), place.path(), &Silent).unwrap();
                assert!(info.documents >= before, "{} {before}", info.documents);
                let opened = Index::open(home.path()).unwrap();
                assert!(opened.documents() >= before);
                if round % 10 == 0 {
                    verify(place.path(), &Silent).unwrap();
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            let number = added.load(Ordering::Relaxed);
            add(&live, &number.to_string(), TEXTS[number as usize % 6]);
            added.store(number + 1, Ordering::Relaxed);
        }
    });
}

#[test]
fn of_identical_texts_sent_at_once_one_is_new() {
    let home = tempfile::tempdir().unwrap();
    new_index(home.path(), Method::Sentences);
    let live = open(home.path());
    let new = std::sync::atomic::AtomicU64::new(0);
    for round in 0..20 {
        let word = "x".repeat(round as usize + 1);
        let text = format!(
            "Round number {word} begins with this sentence. It goes on with another {word}."
        );
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (live, new, text) = (&live, &new, &text);
                scope.spawn(move || {
                    let id = json(&format!("{round}-{thread}"));
                    let document = live.document(id, text.clone()).unwrap();
                    let asking = CheckOptions::of(live.snapshot().options());
                    let written = live
                        .write(Write::CheckAndAdd(vec![document], asking))
                        .unwrap();
                    if matches!(written[0], Outcome::Checked { added: true, .. }) {
                        new.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(new.load(Ordering::Relaxed), round + 1);
    }
}

#[test]
fn there_is_room_for_so_many_and_no_more() {
    let home = tempfile::tempdir().unwrap();
    new_index(home.path(), Method::Sentences);
    let most = LiveOptions {
        max_documents: Some(3),
        ..LiveOptions::default()
    };
    let live = LiveIndex::open(home.path(), most).unwrap();
    assert!(!add(&live, "1", TEXTS[0]));
    assert!(!add(&live, "2", TEXTS[1]));
    let two = prepared(&live, &[(3, 2), (4, 2)]);
    let refused = live.write(Write::Add(two));
    assert!(
        matches!(refused, Err(WriteError::Full { most: 3 })),
        "{refused:?}"
    );
    assert!(add(&live, "2", TEXTS[5]));
    // The first of these has room, the second has not: neither is added.
    let asking = CheckOptions::of(live.snapshot().options());
    let two = prepared(&live, &[(5, 2), (6, 4)]);
    let refused = live.write(Write::CheckAndAdd(two, asking));
    assert!(
        matches!(refused, Err(WriteError::Full { .. })),
        "{refused:?}"
    );
    assert_eq!(live.snapshot().documents(), 2);
    assert!(!add(&live, "3", TEXTS[2]));
    assert!(add(&live, "3", TEXTS[1]));
    assert!(remove(&live, "3"));
    assert!(!remove(&live, "3"));
    assert!(!add(&live, "4", TEXTS[1]));
    let copy = crash(home.path());
    assert_eq!(
        documents(&Index::open(copy.path()).unwrap()),
        documents(&live.snapshot())
    );
}

#[test]
fn nobody_else_writes_meanwhile() {
    let home = tempfile::tempdir().unwrap();
    new_index(home.path(), Method::Sentences);
    let live = open(home.path());
    assert!(IndexWriter::open(home.path()).is_err());
    assert!(LiveIndex::open(home.path(), LiveOptions::default()).is_err());
    add(&live, "a", TEXTS[0]);
    assert_eq!(Index::open(home.path()).unwrap().documents(), 1);
    drop(live);
    assert_eq!(
        IndexWriter::open(home.path()).unwrap().index().documents(),
        1
    );
}

#[test]
fn ids_are_listed_in_order() {
    let home = tempfile::tempdir().unwrap();
    new_index(home.path(), Method::Sentences);
    let live = open(home.path());
    let ids = [
        "\"a\"", "\"a/b\"", "\"ab\"", "\"b\"", "\"é\"", "1", "12", "2", "\"1\"", "\"..\"",
    ];
    for (number, id) in ids.iter().enumerate() {
        let document = live.document((*id).to_owned(), TEXTS[number % 6].to_owned());
        live.write(Write::Add(vec![document.unwrap()])).unwrap();
    }
    remove(&live, "b");
    let index = live.snapshot();
    let listed =
        |prefix: &str, after: Option<&str>, limit| index.ids(prefix, after, limit).unwrap();
    let all = [
        "\"..\"", "\"1\"", "\"a\"", "\"a/b\"", "\"ab\"", "\"é\"", "1", "12", "2",
    ];
    assert_eq!(listed("", None, 100), all);
    assert_eq!(listed("a", None, 100), ["\"a\"", "\"a/b\"", "\"ab\""]);
    assert_eq!(listed("1", None, 100), ["\"1\"", "1", "12"]);
    assert_eq!(listed("zz", None, 100), [""; 0]);
    let mut seen = Vec::new();
    while let Some(next) = listed("", seen.last().map(String::as_str), 2).first() {
        seen.push(next.clone());
    }
    assert_eq!(seen, all);
    assert_eq!(listed("", Some("\"ab\""), 3), ["\"é\"", "1", "12"]);
    assert_eq!(index.called("a/b").unwrap().as_deref(), Some("\"a/b\""));
    assert_eq!(index.called("1").unwrap().as_deref(), Some("\"1\""));
    assert_eq!(index.called("12").unwrap().as_deref(), Some("12"));
    assert_eq!(index.called("é").unwrap().as_deref(), Some("\"é\""));
    assert_eq!(index.called("b").unwrap(), None);
}
