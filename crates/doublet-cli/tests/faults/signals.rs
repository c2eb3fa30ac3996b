//! Requests to end at any moment, and a place for temporary files that vanishes: the moments are operations on files, drawn by
//! lot.

use std::io::Write;
use std::process::Stdio;

use doublet::index::Index;

use crate::case::{Case, corpus, files};
use crate::child::{Blow, Strike, Struck, TEMPORARY, command, run};
use crate::harness::{Dice, Place, Ran, send};
use crate::indexes::held;
use crate::laws::{self, is_old_or_new, is_whole, leaves_nothing};
use crate::wait::wait_until;

/// Moments at which a command is told to end.
const MOMENTS: u64 = 8;

/// Moments of a case, drawn by lot, with what happens at each.
fn moments(case: &Case, blows: &[Blow]) -> Vec<Strike> {
    let operations: u64 = case.counts.iter().sum();
    let mut dice = Dice(operations);
    let strike = |turn: u64| Strike {
        operation: None,
        number: dice.roll(operations),
        blow: blows[turn as usize % blows.len()],
        lasting: false,
    };
    (0..MOMENTS).map(strike).collect()
}

/// A directory with texts and an index of some of them.
fn place() -> Place {
    let place = Place::new();
    place.write("in.jsonl", corpus(30));
    place.write("more.jsonl", corpus(60));
    place.write("pairs.jsonl", "old\n");
    for arguments in ["index create index", "index add index in.jsonl -q"] {
        assert_eq!(run(&place, arguments, None).ran.status, 0);
    }
    place
}

const COMMANDS: [&str; 12] = [
    "dedup in.jsonl -o out --checkpoint 0",
    "dedup in.jsonl -o out --memory 1M",
    "dedup in.jsonl -o out --method sentences --remove passages",
    "pairs in.jsonl -o pairs.jsonl",
    "pairs in.jsonl -o pairs.parquet --method terms",
    "clusters in.jsonl -o clusters.jsonl --method minhash",
    "background in.jsonl -o words",
    "check in.jsonl --against more.jsonl --stats stats.json",
    "index add index more.jsonl --commit-every 20",
    "index compact index",
    "index snapshot index copy",
    "index remove index 3 4",
];

/// That a run was through, or was interrupted and says so; says whether it was interrupted.
fn ended(case: &Case, ran: &Ran) -> Result<bool, String> {
    if ran.status == case.status {
        return Ok(false);
    }
    match ran.status == 2 && ran.stderr.contains("error: interrupted") {
        true => Ok(true),
        false => Err("it ended in another way".to_owned()),
    }
}

/// That the index is whole, and holds what one of the commits has.
fn index_is_whole(scene: &Place) -> Result<(), String> {
    let texts = held(&scene.path().join("index"))?.len();
    match [28, 30, 40, 60].contains(&texts) {
        true => Ok(()),
        false => Err(format!("{texts} texts are of no commit")),
    }
}

/// That nothing else lies beside the files of the index.
fn index_has_no_other_files(scene: &Place) -> Result<(), String> {
    let directory = scene.path().join("index");
    let index = Index::open(&directory).map_err(|error| error.to_string())?;
    let there = files(&directory).into_values().flatten();
    match there.map(|bytes| bytes.len() as u64).sum::<u64>() == index.info().bytes {
        true => Ok(()),
        false => Err("files of no commit are left".to_owned()),
    }
}

#[test]
fn a_request_to_end_leaves_nothing_half_done() {
    let mut interrupted = 0;
    for arguments in COMMANDS {
        let case = Case::new(place(), &format!("{arguments} -q"));
        let strikes = moments(&case, &[Blow::Terminate, Blow::Interrupt]);
        interrupted += case.hold_all(strikes, |scene, struck, _| {
            leaves_nothing(scene, &struck.ran.stderr)?;
            let stopped = ended(&case, &struck.ran)?;
            index_is_whole(scene)?;
            let found = files(scene.path());
            match (arguments.starts_with("index"), stopped) {
                (true, true) => index_has_no_other_files(scene)?,
                (true, false) => {}
                (false, true) => {
                    is_old_or_new(&case, &found)?;
                    let keeps = arguments.contains("--checkpoint");
                    if scene.exists("out") && !keeps {
                        return Err("a part of the output is left".to_owned());
                    }
                }
                (false, false) => is_whole(&case, &found)?,
            }
            Ok(stopped)
        });
    }
    assert!(interrupted > 30, "{interrupted}");
}

#[test]
fn a_second_request_ends_at_once_and_leaves_no_temporary_file() {
    let mut ended = 0;
    for arguments in &COMMANDS[..8] {
        let case = Case::new(place(), &format!("{arguments} -q"));
        ended += case.hold_all(moments(&case, &[Blow::Twice]), |scene, struck, _| {
            leaves_nothing(scene, &struck.ran.stderr)?;
            is_old_or_new(&case, &files(scene.path()))?;
            match struck.ran.status {
                // It may have been before a run was under way, or the last thing that was done.
                0 | 1 => Ok(false),
                2 if struck.ran.stderr.contains("interrupted") => Ok(true),
                130 => Ok(true),
                _ => Err("it ended in another way".to_owned()),
            }
        });
    }
    assert!(ended > 30, "{ended}");
}

#[test]
fn who_waits_for_standard_input_ends_at_once() {
    for arguments in [
        "pairs - --format jsonl -o pairs.jsonl",
        "background - --format jsonl -o words",
        "index add index - --format jsonl",
        "check - --format jsonl --index index",
    ] {
        let place = place();
        let mut child = command(&place, arguments, None)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"{\"text\": \"and no end").unwrap();
        wait_until("a copy of standard input", || is_copying(&place));
        send("-TERM", &child);
        let ran = Ran::new(&child.wait_with_output().unwrap());
        drop(input);
        assert_eq!(ran.status, 2, "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains("interrupted"), "{arguments}");
        leaves_nothing(&place, &ran.stderr).unwrap();
        assert_eq!(place.read("pairs.jsonl"), "old\n");
        held(&place.path().join("index")).unwrap();
    }
}

/// Whether a command has begun to copy its standard input.
fn is_copying(place: &Place) -> bool {
    let temporary = files(&place.path().join(TEMPORARY));
    temporary.keys().any(|name| name.contains("stdin-"))
}

#[test]
fn a_place_for_temporary_files_may_vanish() {
    let mut failed = 0;
    for arguments in &COMMANDS[..9] {
        let case = Case::new(place(), &format!("{arguments} -q"));
        failed += case.hold_all(moments(&case, &[Blow::Vanish]), |scene, struck, strike| {
            let Struck { ran, .. } = struck;
            index_is_whole(scene)?;
            if ran.status == case.status {
                return Ok(false);
            }
            laws::is_told(ran, strike)?;
            match ran.stderr.contains("--temp-dir") {
                true => Ok(true),
                false => Err("no other place is proposed".to_owned()),
            }
        });
    }
    assert!(failed > 8, "{failed}");
}
