//! Commands that change an index: whatever fails, it opens, is whole, and holds the last commit.

use std::collections::BTreeSet;
use std::path::Path;

use doublet::files::Operation::{Create, MakeDirectory, Read, Remove, Rename, Sync, Write};
use doublet::index::{Index, verify};
use doublet::progress::Silent;

use crate::case::{Case, corpus, files};
use crate::child::{Strike, Struck, run};
use crate::harness::Place;
use crate::laws::{self, does};

/// What an index holds: its documents with their texts.
pub(crate) type Held = BTreeSet<(String, Option<String>)>;

/// What the index in a directory holds, which must be whole.
pub(crate) fn held(directory: &Path) -> Result<Held, String> {
    let failed = |error: doublet::Error| format!("the index is damaged: {error}");
    verify(directory, &Silent).map_err(failed)?;
    let index = Index::open(directory).map_err(failed)?;
    let mut held = Held::new();
    let each = |id: &str, text: Option<&str>| {
        held.insert((id.to_owned(), text.map(str::to_owned)));
        Ok(())
    };
    index.for_each_document(each).map_err(failed)?;
    Ok(held)
}

/// An index with documents in several parts, some dead.
fn filled(options: &str) -> Place {
    let place = Place::new();
    place.write("in.jsonl", corpus(12));
    place.write("more.jsonl", corpus(20));
    let done = |arguments: &str| {
        let ran = run(&place, arguments, None).ran;
        assert_eq!(ran.status, 0, "{arguments}: {}", ran.stderr);
    };
    done(&format!("index create index {options}"));
    done("index add index in.jsonl -q");
    done("index add index in.jsonl -q --renumber");
    done("index remove index 3 -q");
    place
}

/// What the index holds after a command.
fn held_after(place: &Case, arguments: &str) -> Held {
    let scene = place.scene();
    let ran = run(&scene, arguments, None).ran;
    assert_eq!(ran.status, 0, "{arguments}: {}", ran.stderr);
    held(&scene.path().join("index")).unwrap()
}

/// Strikes a command that changes an index. `others` lead to its commits between the first and the last.
fn check(place: Place, arguments: &str, others: &[&str]) {
    let case = Case::new(place, &format!("{arguments} -q"));
    does(&case, &[Create, Read, Rename, Sync, Write]);
    let mut states = vec![held(&case.scene().path().join("index")).unwrap()];
    states.extend(others.iter().map(|other| held_after(&case, other)));
    states.push(held_after(&case, &case.arguments));
    let failed = case.hold_all(case.strikes(), |scene, struck, strike| {
        hold(&case, scene, struck, strike, &states)
    });
    assert!(failed > 8, "{arguments}");
}

fn hold(
    case: &Case,
    scene: &Place,
    struck: &Struck,
    strike: Strike,
    states: &[Held],
) -> Result<bool, String> {
    let directory = scene.path().join("index");
    let failed = struck.ran.status != case.status;
    laws::leaves_nothing(scene, &struck.ran.stderr)?;
    let holds = held(&directory)?;
    let known = match failed {
        true => states.contains(&holds),
        false => states.last() == Some(&holds),
    };
    if !known {
        return Err("what it holds is of no commit".to_owned());
    }
    if failed {
        laws::is_told(&struck.ran, strike)?;
    }
    // What could not be removed is swept by the next writer.
    let next = run(scene, "index compact index -q", None).ran;
    if next.status != 0 {
        return Err(format!("it cannot be changed any more: {}", next.stderr));
    }
    if held(&directory)? != holds {
        return Err("the next change is another one".to_owned());
    }
    let named = Index::open(&directory).unwrap().info().bytes;
    let there = files(&directory).into_values().flatten();
    match there.map(|bytes| bytes.len() as u64).sum::<u64>() == named {
        true => Ok(failed),
        false => Err("files of no commit are left".to_owned()),
    }
}

#[test]
fn add() {
    for options in ["", "--method minhash", "--no-texts"] {
        check(
            filled(options),
            "index add index more.jsonl --threads 1",
            &[],
        );
    }
}

#[test]
fn the_first_addition() {
    // It settles the common words, or the table of frequencies.
    for options in ["", "--method terms"] {
        let place = Place::new();
        place.write("in.jsonl", corpus(12));
        run(&place, &format!("index create index {options}"), None);
        check(place, "index add index in.jsonl --threads 1", &[]);
    }
}

#[test]
fn an_addition_of_several_commits() {
    let place = filled("");
    let more = corpus(20);
    let lines: Vec<&str> = more.split_inclusive('\n').collect();
    place.write("five.jsonl", lines[..5].concat());
    place.write("ten.jsonl", lines[..10].concat());
    place.write("fifteen.jsonl", lines[..15].concat());
    check(
        place,
        "index add index more.jsonl --commit-every 5 --threads 1",
        &[
            "index add index five.jsonl -q",
            "index add index ten.jsonl -q",
            "index add index fifteen.jsonl -q",
        ],
    );
}

#[test]
fn remove() {
    check(filled(""), "index remove index 4 5 9", &[]);
}

#[test]
fn compact() {
    check(filled(""), "index compact index", &[]);
}

#[test]
fn what_a_killed_process_left_is_swept() {
    let place = filled("--method terms");
    let left = [
        "index/.doublet-left",
        "index/manifest.new",
        "index/000099.part",
    ];
    for name in left {
        place.write(name, "half of it");
    }
    assert_eq!(run(&place, "index remove index 4 -q", None).ran.status, 0);
    assert!(left.iter().all(|name| !place.exists(name)));
    // Nor is it in the way of an index that was never made.
    place.write("other/.doublet-left", "half of it");
    assert_eq!(run(&place, "index create other", None).ran.status, 0);
    assert!(!place.exists("other/.doublet-left"));
}

#[test]
fn create() {
    let place = Place::new();
    place.write("in.jsonl", corpus(12));
    run(&place, "background in.jsonl -o words -q", None);
    let case = Case::new(
        place,
        "index create index --method terms --background words",
    );
    does(&case, &[Create, Rename, Sync, Write]);
    let failed = case.hold_all(case.strikes(), |scene, struck, strike| {
        laws::leaves_nothing(scene, &struck.ran.stderr)?;
        let directory = scene.path().join("index");
        if struck.ran.status == 0 {
            return held(&directory).map(|_| false);
        }
        laws::is_told(&struck.ran, strike)?;
        if held(&directory).is_ok() {
            return Ok(true);
        }
        // There is none, and nothing in the way of the next try.
        let next = run(scene, &case.arguments, None).ran;
        match next.status {
            0 => held(&directory).map(|_| true),
            _ => Err(format!("it cannot be made any more: {}", next.stderr)),
        }
    });
    assert!(failed > 4);
}

#[test]
fn snapshot() {
    let case = Case::new(filled(""), "index snapshot index copy -q");
    does(&case, &[Create, Rename, Sync, Write, MakeDirectory]);
    let whole = held(&case.scene().path().join("index")).unwrap();
    let failed = case.hold_all(case.strikes(), |scene, struck, strike| {
        laws::leaves_nothing(scene, &struck.ran.stderr)?;
        if held(&scene.path().join("index"))? != whole {
            return Err("the index has changed".to_owned());
        }
        let copy = scene.path().join("copy");
        if struck.ran.status == 0 {
            return match held(&copy)? == whole {
                true => Ok(false),
                false => Err("the copy is another index".to_owned()),
            };
        }
        laws::is_told(&struck.ran, strike)?;
        match strike.operation == Some(Remove) || !copy.exists() {
            true => Ok(true),
            false => Err("half a copy is left".to_owned()),
        }
    });
    assert!(failed > 4);
}
