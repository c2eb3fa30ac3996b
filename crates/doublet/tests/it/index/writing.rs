//! What a writer does when something is in its way, and what it settles when.

use std::sync::atomic::{AtomicU64, Ordering};

use doublet::index::{IndexOptions, IndexWriter, snapshot};
use doublet::method::Method;
use doublet::method::terms::{Candidates, Language};
use doublet::progress::{Observer, Silent, Unit};
use doublet::scores::Metric;

use super::{Place, add, adding, check, ids, index_options, numbered};
use crate::harness::options;

fn sentences() -> IndexOptions {
    let mut options = options(Metric::ContainmentCoverage, "0.5", 5);
    options.matching.method = Method::Sentences;
    index_options(&options, true)
}

fn terms() -> IndexOptions {
    let mut options = options(Metric::Degree, "0.65", 5);
    options.matching.method = Method::Terms;
    options.matching.terms.candidates = Candidates::Exact;
    options.matching.terms.language = Language::English;
    index_options(&options, true)
}

fn minhash() -> IndexOptions {
    let mut options = options(Metric::Resemblance, "0.8", 5);
    options.matching.method = Method::Minhash;
    index_options(&options, true)
}

fn texts(count: u32) -> Vec<(String, String)> {
    let text = |n: u32| {
        format!("The ferry number {n} left the harbour at noon. It came back with {n} sheep.")
    };
    numbered(&(0..count).map(text).collect::<Vec<_>>())
}

#[test]
fn there_is_one_writer() {
    let place = Place::with(&sentences(), &texts(3));
    let writer = IndexWriter::open(&place.index()).unwrap();
    let error = IndexWriter::open(&place.index()).unwrap_err().to_string();
    assert!(
        error.contains("another process is writing to this index"),
        "{error}"
    );
    drop(writer);
    IndexWriter::open(&place.index()).unwrap();
}

#[test]
fn an_index_is_made_once() {
    let place = Place::with(&sentences(), &texts(3));
    let error = IndexWriter::create(&place.index(), &sentences(), None).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("an index in this directory already"),
        "{error}"
    );
    assert_eq!(ids(&place.open()).len(), 3);
    std::fs::create_dir(place.0.path().join("other")).unwrap();
    std::fs::write(place.0.path().join("other/letter"), "").unwrap();
    let error = IndexWriter::create(&place.0.path().join("other"), &sentences(), None).unwrap_err();
    assert!(error.to_string().contains("`letter`"), "{error}");
}

/// Bytes of what a run left behind are told apart by their names and contents.
fn state(place: &Place) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| {
        let bytes = std::fs::read(place.index().join(&name)).unwrap_or_default();
        (name, bytes)
    };
    place.files().into_iter().map(read).collect()
}

#[test]
fn a_commit_that_fails_changes_nothing() {
    for options in [sentences(), terms(), minhash()] {
        let place = Place::new();
        let mut writer = IndexWriter::create(&place.index(), &options, None).unwrap();
        let blocked = place.index().join("manifest.new");
        std::fs::create_dir(&blocked).unwrap();
        let before = state(&place);
        add(&mut writer, &place, &texts(40)).unwrap_err();
        assert_eq!(state(&place), before);
        // What the first texts settle is not settled.
        assert!(check(writer.index(), "The ferry").is_ok());
        std::fs::remove_dir(&blocked).unwrap();
        add(&mut writer, &place, &texts(40)).unwrap();
        add(&mut writer, &place, &texts(10)).unwrap();
        place.verify().unwrap();

        std::fs::create_dir(&blocked).unwrap();
        let before = state(&place);
        add(&mut writer, &place, &texts(50)).unwrap_err();
        writer.remove(&["\"3\"".to_owned()], &Silent).unwrap_err();
        writer.compact(&Silent).unwrap_err();
        assert_eq!(state(&place), before);
        std::fs::remove_dir(&blocked).unwrap();
        place.verify().unwrap();
        assert_eq!(writer.index().info().documents, 40);
        writer.remove(&["\"3\"".to_owned()], &Silent).unwrap();
        writer.compact(&Silent).unwrap();
        add(&mut writer, &place, &texts(50)).unwrap();
        place.verify().unwrap();
        assert_eq!(ids(&place.open()).len(), 50);
    }
}

#[test]
fn the_first_texts_settle_the_words() {
    for options in [sentences(), terms()] {
        let place = Place::new();
        let mut writer = IndexWriter::create(&place.index(), &options, None).unwrap();
        // No text, a bad record and an empty file settle nothing and leave nothing.
        for lines in ["", "{\"id\": 1}\n", "\n\n"] {
            let before = state(&place);
            match writer.add(&place.lines(lines), &adding(), &Silent) {
                Ok(added) => assert_eq!(added.added, 0),
                Err(error) => {
                    assert!(matches!(
                        error,
                        doublet::Error::NothingRead { rejected: 1, .. }
                    ));
                    assert!(lines.contains("id"));
                }
            }
            assert_eq!(state(&place), before);
            place.verify().unwrap();
        }
        add(&mut writer, &place, &texts(20)).unwrap();
        let words = |names: Vec<String>| {
            names
                .into_iter()
                .filter(|name| name.ends_with("words"))
                .collect::<Vec<_>>()
        };
        let settled = words(place.files());
        assert_eq!(settled.len(), 1);
        add(&mut writer, &place, &texts(30)).unwrap();
        assert_eq!(words(place.files()), settled);
        place.verify().unwrap();
    }
}

#[test]
fn a_bad_record_ends_a_strict_run_at_the_last_commit() {
    let place = Place::new();
    let mut writer = IndexWriter::create(&place.index(), &sentences(), None).unwrap();
    let mut strict = adding();
    strict.strict = true;
    let good = "{\"id\": 1, \"text\": \"The ferry left.\"}\n{\"id\": 2, \"text\": \"The ferry came back.\"}\n";
    let lines = format!("{good}not a record\n");
    writer
        .add(&place.lines(&lines), &strict, &Silent)
        .unwrap_err();
    assert_eq!(place.files(), ["manifest"]);
    strict.commit_every = Some(1);
    writer
        .add(&place.lines(&lines), &strict, &Silent)
        .unwrap_err();
    assert_eq!(ids(&place.open()), ["1", "2"]);
    place.verify().unwrap();
    // The writer goes on from there.
    add(&mut writer, &place, &texts(5)).unwrap();
    assert_eq!(place.verify().unwrap().documents, 7);
}

#[test]
fn numbers_are_given_once() {
    let place = Place::new();
    let mut writer = IndexWriter::create(&place.index(), &sentences(), None).unwrap();
    let mut numbering = adding();
    numbering.renumber = true;
    let lines = "{\"text\": \"One ferry.\"}\nnot a record\n{\"text\": \"Two ferries.\"}\n";
    for (every, count) in [(None, 2), (Some(1), 4), (Some(2), 6)] {
        numbering.commit_every = every;
        let added = writer
            .add(&place.lines(lines), &numbering, &Silent)
            .unwrap();
        assert_eq!(
            (added.added, added.replaced, added.rejections.len()),
            (2, 0, 1)
        );
        assert_eq!(place.verify().unwrap().documents, count);
    }
    assert_eq!(ids(&place.open()), ["0", "2", "3", "5", "6", "8"]);
}

/// Cancels after some calls.
struct Impatient(AtomicU64);

impl Observer for Impatient {
    fn stage(&self, _: &'static str, _: Option<u64>, _: Unit) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= 3
    }
}

#[test]
fn an_interrupted_run_leaves_the_last_commit() {
    let place = Place::with(&sentences(), &texts(7));
    // Blocks of a megabyte, so that there are some to be interrupted between.
    let filler = "Sheep graze on the hill behind the harbour. ".repeat(5000);
    let many: Vec<_> = (0..40)
        .map(|n| (format!("long {n}"), format!("{filler}{n}")))
        .collect();
    let mut writer = IndexWriter::open(&place.index()).unwrap();
    let before = state(&place);
    let collection = place.collection(&many);
    writer
        .add(&collection, &adding(), &Impatient(AtomicU64::new(0)))
        .unwrap_err();
    assert_eq!(state(&place), before);
    let mut often = adding();
    often.commit_every = Some(1);
    writer
        .add(&collection, &often, &Impatient(AtomicU64::new(0)))
        .unwrap_err();
    let count = place.verify().unwrap().documents;
    assert!((7..47).contains(&count), "{count}");
    assert_eq!(writer.index().info().documents, count);
    add(&mut writer, &place, &many).unwrap();
    assert_eq!(place.verify().unwrap().documents, 47);
}

#[test]
fn every_change_hears_a_request_to_end() {
    let place = Place::with(&sentences(), &texts(7));
    let at_once = || Impatient(AtomicU64::new(3));
    let interrupted = |error: doublet::Error| matches!(error, doublet::Error::Interrupted);
    let mut writer = IndexWriter::open(&place.index()).unwrap();
    let before = state(&place);
    let removed = writer.remove(&["\"3\"".to_owned()], &at_once());
    assert!(removed.is_err_and(interrupted));
    assert_eq!(state(&place), before);
    let copy = place.0.path().join("copy");
    let copied = snapshot(&place.index(), &copy, &at_once());
    assert!(copied.is_err_and(interrupted) && !copy.exists());
    let other = Place::new();
    let made = IndexWriter::create_watched(&other.index(), &sentences(), None, &at_once());
    assert!(made.is_err_and(interrupted));
    assert_eq!(other.files(), [""; 0]);
    IndexWriter::create(&other.index(), &sentences(), None).unwrap();
}

#[test]
fn a_table_of_other_options_makes_no_index() {
    let place = Place::new();
    let table = place.0.path().join("table");
    std::fs::write(&table, "no table").unwrap();
    IndexWriter::create(&place.index(), &terms(), Some(&table)).unwrap_err();
    assert_eq!(place.files(), [""; 0]);
    IndexWriter::create(&place.index(), &terms(), None).unwrap();
    place.verify().unwrap();
}

#[test]
fn long_and_odd_ids_are_ids() {
    let odd = [
        "",
        "\"",
        "\\",
        "\n",
        "é",
        "e\u{301}",
        "null",
        "1",
        "a/b",
        &"x".repeat(300_000),
    ];
    let records: Vec<_> = odd
        .iter()
        .map(|id| ((*id).to_owned(), format!("Text of {}.", id.len())))
        .collect();
    let place = Place::with(&sentences(), &records);
    let mut writer = IndexWriter::open(&place.index()).unwrap();
    for id in odd {
        let id = serde_json::json!(id).to_string();
        assert!(writer.index().contains(&id).unwrap(), "{id:.20}");
    }
    for id in odd {
        let id = serde_json::json!(id).to_string();
        assert_eq!(
            writer.remove(std::slice::from_ref(&id), &Silent).unwrap(),
            [true],
            "{id:.20}"
        );
        assert!(!writer.index().contains(&id).unwrap());
        place.verify().unwrap();
    }
}
