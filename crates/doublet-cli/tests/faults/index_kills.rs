//! Processes that change an index are killed at any operation on files: what was committed is there, whole, and nothing else.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use doublet::index::{CheckOptions, Checker, Index, verify};
use doublet::progress::Silent;

use crate::child::{Blow, Strike, Struck, run};
use crate::harness::{Dice, Place};

/// Indexes that live at the same time, each several times over.
const THREADS: u64 = 4;
const LIVES: u32 = 14;
/// Processes of a life.
const CHANGES: u32 = 6;
/// Ids that documents have. They come again, so that documents are replaced.
const IDS: u32 = 60;
/// Documents of an addition, and of a commit.
const ADDED: u32 = 90;
const EVERY: u32 = 10;
/// Sentences of a document.
const SENTENCES: u32 = 4;

/// The version of each document that an index holds.
type Held = BTreeMap<u32, u32>;

/// A number in letters: figures would be words of their own, whose order does not count.
fn letters(number: u32) -> String {
    let digits = number.to_string().into_bytes();
    digits
        .iter()
        .map(|digit| char::from(digit - b'0' + b'a'))
        .collect()
}

/// Sentences that no other document has, nor another version.
fn text(id: u32, version: u32) -> String {
    let sentence = |place: u32| {
        let [id, place, version] = [id, place, version].map(letters);
        format!("Ferry{id} reached harbour{place} on journey{version} with sheep. ")
    };
    (0..SENTENCES).map(sentence).collect()
}

/// A change of an index, and what it holds after each of its commits.
struct Change {
    arguments: String,
    /// The first is what it holds before.
    states: Vec<Held>,
}

impl Change {
    fn add(place: &Place, held: &Held, start: u32, every: Option<u32>) -> Self {
        let mut states = vec![held.clone()];
        let (mut now, mut lines) = (held.clone(), String::new());
        for number in start..start + ADDED {
            let (id, version) = (number % IDS, number / IDS);
            let line = serde_json::json!({ "id": id, "text": text(id, version) });
            let _ = writeln!(lines, "{line}");
            now.insert(id, version);
            if every.is_some_and(|every| (number + 1 - start).is_multiple_of(every)) {
                states.push(now.clone());
            }
        }
        if every.is_none() {
            states.push(now);
        }
        place.write("records.jsonl", lines);
        let every = every.map_or(String::new(), |every| format!(" --commit-every {every}"));
        Self {
            arguments: format!("index add index records.jsonl -q --threads 2{every}"),
            states,
        }
    }

    fn remove(place: &Place, held: &Held, first: u32) -> Self {
        let ids: Vec<u32> = held
            .keys()
            .copied()
            .filter(|id| *id >= first && id % 2 == 0)
            .collect();
        let lines: Vec<String> = ids.iter().map(u32::to_string).collect();
        place.write("ids.txt", lines.join("\n"));
        let mut now = held.clone();
        now.retain(|id, _| !ids.contains(id));
        Self {
            arguments: "index remove index --ids ids.txt -q".to_owned(),
            states: vec![held.clone(), now],
        }
    }

    fn compact(held: &Held) -> Self {
        Self {
            arguments: "index compact index -q".to_owned(),
            states: vec![held.clone(), held.clone()],
        }
    }
}

fn open(place: &Place) -> Index {
    Index::open(&place.path().join("index")).unwrap()
}

/// That an index holds these documents with all their sentences, and nothing of any other.
fn compare(place: &Place, held: &Held) {
    let index = open(place);
    let mut ids = Vec::new();
    let push = |id: &str, text: Option<&str>| {
        ids.push((id.parse().unwrap(), text.map(str::to_owned)));
        Ok(())
    };
    index.for_each_document(push).unwrap();
    ids.sort();
    let expected = held
        .iter()
        .map(|(id, version)| (*id, Some(text(*id, *version))));
    assert_eq!(ids, expected.collect::<Vec<_>>());
    let mut checker = Checker::new(&index);
    let options = CheckOptions::of(index.options());
    let newest = held.values().copied().max().unwrap_or(0) + 1;
    for id in 0..IDS {
        for version in 0..=newest {
            let answer = checker.check(&text(id, version), &options).unwrap();
            let there = held.get(&id) == Some(&version);
            let copied = if there { SENTENCES } else { 0 };
            assert_eq!(
                answer.sentences,
                Some((copied, SENTENCES)),
                "{id} {version}"
            );
            assert_eq!(answer.found, usize::from(there));
        }
    }
    verify(index.directory(), &Silent).unwrap();
}

/// Copies an index.
fn copy(from: &Path, to: &Path) {
    let _old = std::fs::remove_dir_all(to);
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Runs a change that is killed at an operation on files, if it does so many.
fn kill_at(place: &Place, change: &Change, number: u64) {
    let strike = Strike {
        operation: None,
        number,
        blow: Blow::Kill,
        lasting: false,
    };
    let ran = run(place, &change.arguments, Some(strike)).ran;
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

/// How many operations on files the change does when nobody kills it.
fn operations(place: &Place, change: &Change) -> u64 {
    let Struck { ran, counted } = run(place, &change.arguments, None);
    ran.ok();
    counted.unwrap().0.iter().sum()
}

#[test]
fn whoever_is_killed_leaves_the_last_commit() {
    let within: u32 = std::thread::scope(|scope| {
        let lives: Vec<_> = (0..THREADS)
            .map(|seed| scope.spawn(move || kill(seed)))
            .collect();
        lives.into_iter().map(|life| life.join().unwrap()).sum()
    });
    assert!(within > 0, "no process was killed between two commits");
}

/// Kills processes; gives the number of those that had commits behind them and before them.
fn kill(seed: u64) -> u32 {
    let place = Place::new();
    place.run("index create index").ok();
    place.run("index create base").ok();
    let [index, base, full] = ["index", "base", "full"].map(|name| place.path().join(name));
    // What each kind does, of a first try; and an index to begin with, of several parts.
    let nothing = Held::new();
    let first = Change::add(&place, &nothing, 0, Some(EVERY));
    let add_every = operations(&place, &first);
    let filled = first.states.last().unwrap().clone();
    compare(&place, &filled);
    copy(&index, &full);
    let add_once = operations(&place, &Change::add(&place, &filled, ADDED, None));
    let removing = Change::remove(&place, &filled, 20);
    let remove = operations(&place, &removing);
    let compact = operations(&place, &Change::compact(&filled));

    let mut dice = Dice(seed);
    let mut within = 0;
    for _ in 0..LIVES {
        // Some lives begin with an empty index, where the first addition also settles the common words.
        let empty = dice.roll(4) == 0;
        copy(if empty { &base } else { &full }, &index);
        let mut held = if empty { Held::new() } else { filled.clone() };
        let mut start = if empty { 0 } else { ADDED };
        for _ in 0..CHANGES {
            let (change, whole) = match dice.roll(10) {
                0..=4 => (Change::add(&place, &held, start, Some(EVERY)), add_every),
                5..=6 => (Change::add(&place, &held, start, None), add_once),
                7 if !held.is_empty() => (
                    Change::remove(&place, &held, dice.roll(u64::from(IDS)) as u32),
                    remove,
                ),
                _ => (Change::compact(&held), compact),
            };
            start += ADDED;
            let before = open(&place).info().commit;
            kill_at(&place, &change, dice.roll(whole));
            let commits = (open(&place).info().commit - before) as usize;
            // A run that is through has nothing to commit after its last state.
            held = change.states[commits.min(change.states.len() - 1)].clone();
            within += u32::from(commits > 0 && commits + 1 < change.states.len());
            compare(&place, &held);
        }
        // Whatever was left over goes with the next change.
        let last = Change::add(&place, &held, start, Some(EVERY));
        place.run(&last.arguments).ok();
        compare(&place, last.states.last().unwrap());
        let named = open(&place).info().bytes;
        let files = std::fs::read_dir(&index)
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len());
        assert_eq!(files.sum::<u64>(), named);
    }
    within
}
