//! What stands in the way of `doublet index`: another writer, a directory that cannot be written to, a full disk.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Place, Ran, ended};

/// Reports of two sentences each.
fn reports(from: u32, to: u32) -> String {
    let line = |n: u32| {
        let text =
            format!("Ferry{n} left the harbour at noon. It came back with sheep{n} on board.");
        serde_json::json!({ "id": n, "text": text }).to_string() + "\n"
    };
    (from..to).map(line).collect()
}

/// An index in three parts, with a dead document.
fn filled(options: &str) -> Place {
    let place = Place::new();
    place.run(&format!("index create index {options}")).ok();
    for part in 0..3 {
        place.write("reports.jsonl", reports(20 * part, 20 * part + 25));
        place.run("index add index reports.jsonl -q").ok();
    }
    place.run("index remove index 7 -q").ok();
    place
}

/// The files of a directory with their bytes, without the lock.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap());
    let read = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, std::fs::read(entry.path()).unwrap_or_default())
    };
    let mut files: Vec<_> = entries
        .map(read)
        .filter(|(name, _)| name != "lock")
        .collect();
    files.sort();
    files
}

/// What an index says of a report, once it is found to be whole.
fn answer(place: &Place) -> String {
    place.run("index verify index").ok();
    place.write("asked.jsonl", reports(8, 9));
    place.run("check asked.jsonl --index index").stdout
}

fn is_whole(place: &Place) {
    assert!(
        answer(place).contains("\"duplicate\": true"),
        "{}",
        answer(place)
    );
}

#[test]
fn a_second_writer_is_told_of_the_first() {
    let place = filled("");
    let mut first = place
        .command("index add index - --format jsonl -q")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // More than a pipe holds: when all of it is written, the first is reading, and has the lock.
    let mut input = first.stdin.take().unwrap();
    let many = reports(200, 20_200);
    assert!(many.len() > 1 << 20);
    input.write_all(many.as_bytes()).unwrap();
    place.write("more.jsonl", reports(100, 101));
    for other in [
        "index add index more.jsonl",
        "index remove index 8",
        "index compact index",
    ] {
        let other = place.run(other);
        assert_eq!(other.status, 2);
        assert!(
            other
                .stderr
                .contains("another process is writing to this index"),
            "{}",
            other.stderr
        );
    }
    is_whole(&place);
    drop(input);
    assert!(ended(&mut first).success());
    place.run("index add index more.jsonl").ok();
    place.write("asked.jsonl", reports(100, 101) + &reports(201, 202));
    let answers = place.run("check asked.jsonl --index index").ok().json();
    assert!(answers.iter().all(|answer| answer["duplicate"] == true));
}

#[test]
fn what_cannot_be_written_is_said() {
    let place = filled("");
    let error = |arguments: &str, expected: &str| {
        let ran = place.run(arguments);
        assert_eq!(ran.status, 2, "{arguments}");
        assert!(ran.stderr.contains(expected), "{arguments}: {}", ran.stderr);
    };
    let no_directory = "there is no such directory";
    error("index add nowhere reports.jsonl", no_directory);
    error("index remove nowhere 7", no_directory);
    error("index compact nowhere", no_directory);
    error("index verify nowhere", no_directory);
    error("check reports.jsonl --index nowhere", no_directory);
    assert!(!place.exists("nowhere"));
    std::fs::create_dir(place.path().join("empty")).unwrap();
    error(
        "index add empty reports.jsonl",
        "there is no index in this directory",
    );
    assert_eq!(files(&place.path().join("empty")), []);
    error("index create reports.jsonl", "reports.jsonl");
    error("index create reports.jsonl/index", "reports.jsonl/index");
    // A directory in place of the lock is in the way of everybody.
    std::fs::remove_file(place.path().join("index/lock")).unwrap();
    std::fs::create_dir(place.path().join("index/lock")).unwrap();
    error(
        "index add index reports.jsonl",
        "cannot write to `index/lock`",
    );
    is_whole(&place);
}

#[test]
fn a_directory_that_is_read_only_can_be_asked() {
    let place = filled("");
    let index = place.path().join("index");
    let allow =
        |mode| std::fs::set_permissions(&index, std::fs::Permissions::from_mode(mode)).unwrap();
    std::fs::remove_file(index.join("lock")).unwrap();
    allow(0o555);
    // Whoever may do everything is not kept out by this.
    if std::fs::write(index.join("lock"), "").is_err() {
        is_whole(&place);
        for arguments in [
            "index add index reports.jsonl",
            "index remove index 8",
            "index compact index",
        ] {
            let ran = place.run(arguments);
            assert_eq!(ran.status, 2);
            assert!(
                ran.stderr.contains("cannot write to `index/lock`"),
                "{}",
                ran.stderr
            );
        }
        is_whole(&place);
    }
    allow(0o755);
}

/// Runs `doublet` where files cannot grow past so many kilobytes.
fn run_limited(place: &Place, arguments: &str, kilobytes: u32) -> Ran {
    let output = Command::new("bash")
        .arg("-c")
        .arg(format!(
            "trap '' XFSZ; ulimit -f {kilobytes}; exec \"$0\" \"$@\""
        ))
        .arg(env!("CARGO_BIN_EXE_doublet"))
        .args(arguments.split_whitespace())
        .current_dir(place.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Ran::new(&output)
}

/// Runs a command under rising limits until it succeeds; until then it errs and changes nothing. Gives the number of failures.
fn fails_cleanly(place: &Place, arguments: &str) -> u32 {
    let (before, answered) = (files(&place.path().join("index")), answer(place));
    for kilobytes in 0..200 {
        let ran = run_limited(place, arguments, kilobytes);
        if ran.status == 0 {
            assert_ne!(files(&place.path().join("index")), before);
            is_whole(place);
            return kilobytes;
        }
        assert_eq!(ran.status, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("cannot write"), "{}", ran.stderr);
        assert_eq!(
            files(&place.path().join("index")),
            before,
            "{arguments} {kilobytes}"
        );
        assert_eq!(answer(place), answered);
    }
    panic!("{arguments} fails however large files may be");
}

#[test]
fn a_full_disk_changes_nothing() {
    for options in ["", "--method terms --lang en", "--method minhash"] {
        let place = filled(options);
        place.write("reports.jsonl", reports(90, 120));
        assert!(fails_cleanly(&place, "index add index reports.jsonl") > 1);
        // What a removal writes is small; all but the least limit hits the manifest.
        assert!(fails_cleanly(&place, "index remove index 12") > 1);
        assert!(fails_cleanly(&place, "index compact index") > 1);
        assert!(place.run("index info index --json").ok().json()[0]["documents"] == 93);
    }
}

#[test]
fn a_disk_full_from_the_start_leaves_no_index() {
    let place = Place::new();
    let ran = run_limited(&place, "index create index", 0);
    assert_eq!(ran.status, 2);
    assert_eq!(files(&place.path().join("index")), []);
    place.run("index create index").ok();
    place.write("reports.jsonl", reports(0, 30));
    // The first addition writes the common words too.
    assert!(fails_cleanly(&place, "index add index reports.jsonl") > 1);
}
