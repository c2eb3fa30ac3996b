//! An index that is changed while it is in use, as a service does: whatever fails, every change that was answered is there, and none
//! is there in part.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use doublet::files::{self, Operation};
use doublet::index::{LiveIndex, LiveOptions, Write};

use crate::case::{blow, numbers};
use crate::child::{self, Blow, EINTR, Strike};
use crate::harness::{Place, Ran};
use crate::indexes::held;

/// Documents that are added, one a change; some are removed again.
const ADDED: u32 = 24;
/// Where the child notes what was answered.
const NOTES: &str = "notes";

fn text(id: u32) -> String {
    let letter = |digit: char| char::from(digit as u8 - b'0' + b'a');
    let name: String = id.to_string().chars().map(letter).collect();
    format!("Ferry{name} left the harbour at noon. It came back with sheep{name} on board.")
}

/// What becomes of each document, by turns: added, and some removed.
fn changes() -> impl Iterator<Item = (bool, u32)> {
    (0..ADDED).flat_map(|id| {
        let removed = (id % 3 == 2).then(|| (false, id - 1));
        std::iter::once((true, id)).chain(removed)
    })
}

/// With parts so small that they are written and merged all the time.
fn open(directory: &Path) -> doublet::Result<LiveIndex> {
    let options = LiveOptions {
        store_documents: 4,
        patience: Duration::from_millis(1),
        ..LiveOptions::default()
    };
    LiveIndex::open(directory, options)
}

fn change(live: &LiveIndex, added: bool, id: u32) -> bool {
    let write = match added {
        true => Write::Add(vec![live.document(id.to_string(), text(id)).unwrap()]),
        false => Write::Remove(vec![id.to_string()]),
    };
    live.write(write).is_ok()
}

/// What a child does; nothing in any other process.
#[test]
#[ignore = "the other tests run it, in a process of its own"]
fn live_child() {
    let Some(plan) = child::plan() else { return };
    let mut notes = File::create(NOTES).unwrap();
    files::arm(plan);
    if let Ok(live) = open(Path::new("index")) {
        for (added, id) in changes() {
            let answered = change(&live, added, id);
            // At once and in one piece: the next change may be the end of this process, and so may a thread beside this one.
            let note = format!("{added} {id} {answered}\n");
            notes.write_all(note.as_bytes()).unwrap();
        }
        // What fails here fails after all was answered.
        let closed = live.close();
        writeln!(notes, "closed {}", closed.is_ok()).unwrap();
    }
    let counted = files::disarm();
    child::note(&counted);
}

fn run(place: &Place, strike: Option<Strike>) -> child::Struck {
    child::run_test(place, "live::live_child", "", strike)
}

/// Every document must be as the last change left it that was answered; one that was refused may have been made all the same.
fn check(place: &Place) -> Result<u32, String> {
    let (mut there, mut unsure) = (BTreeMap::new(), BTreeMap::new());
    let mut refused = 0;
    let notes = place.read(NOTES);
    let whole = notes.rfind('\n').map_or(0, |end| end + 1);
    let notes = &notes[..whole];
    for line in notes.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [added, id, answered] = words[..] else {
            continue;
        };
        let (id, added): (u32, bool) = (id.parse().unwrap(), added == "true");
        if answered == "true" {
            there.insert(id, added);
            unsure.remove(&id);
        } else {
            unsure.insert(id, ());
            refused += 1;
        }
    }
    // A process that was killed was in the middle of the next one.
    if let Some((_, id)) = changes().nth(notes.lines().count()) {
        unsure.insert(id, ());
    }
    let holds = held(&place.path().join("index"))?;
    for id in 0..ADDED {
        let found = holds.contains(&(id.to_string(), Some(text(id))));
        let expected = there.get(&id).copied().unwrap_or(false);
        if found != expected && !unsure.contains_key(&id) {
            return Err(format!("document {id} is lost or came back"));
        }
    }
    Ok(refused)
}

fn with_index() -> Place {
    let place = Place::new();
    child::run(&place, "index create index", None);
    place
}

/// How often each operation is done if nothing fails.
fn counts() -> files::Counts {
    let good = with_index();
    let (counts, _) = run(&good, None).counted.unwrap();
    assert_eq!(check(&good), Ok(0));
    counts
}

/// From the first operation at its start to the last one at its end.
#[test]
fn answered_changes_survive_a_kill() {
    let counts = counts();
    let mut broken = Vec::new();
    for operation in Operation::ALL {
        for number in numbers(counts[operation as usize]) {
            let strike = Strike {
                operation: Some(operation),
                number,
                blow: Blow::Kill,
                lasting: false,
            };
            let place = with_index();
            run(&place, Some(strike));
            if let Err(law) = check(&place).and_then(|_| goes_on(&place)) {
                broken.push(format!("{strike:?}: {law}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn answered_changes_last() {
    let counts = counts();
    let mut refused = 0;
    let mut broken = Vec::new();
    for operation in Operation::ALL {
        for (turn, number) in numbers(counts[operation as usize]).into_iter().enumerate() {
            let (blow, lasting) = blow(operation, turn);
            let strike = Strike {
                operation: Some(operation),
                number,
                blow,
                lasting,
            };
            let place = with_index();
            let ran: Ran = run(&place, Some(strike)).ran;
            assert_eq!(ran.status, 0, "{strike:?} {}", ran.stderr);
            match check(&place).and_then(|count| goes_on(&place).map(|()| count)) {
                Ok(count) if blow == Blow::Error(EINTR) && count > 0 => {
                    broken.push(format!("{strike:?}: it should have been tried again"));
                }
                Ok(count) => refused += count,
                Err(law) => broken.push(format!("{strike:?}: {law}")),
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(refused > 20, "{refused}");
}

/// That a later service takes it up, and a command after it. Both in processes of their own: a lock that is held here would pass
/// to whatever another test is starting.
fn goes_on(place: &Place) -> Result<(), String> {
    let again = run(place, None).ran;
    let closed = place.read(NOTES).ends_with("closed true\n");
    if again.status != 0 || !closed || check(place)? > 0 {
        return Err(format!("it cannot be changed any more: {}", again.stderr));
    }
    let command = child::run(place, "index compact index -q", None).ran;
    match command.status {
        0 => check(place).map(|_| ()),
        _ => Err(format!("it cannot be compacted: {}", command.stderr)),
    }
}
