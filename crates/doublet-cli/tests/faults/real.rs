//! Faults that the system makes itself: devices that are full, limits, directories that are closed.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::case::{corpus, files};
use crate::harness::{Place, Ran};

fn place() -> Place {
    let place = Place::new();
    place.write("in.jsonl", corpus(400));
    place.write("pairs.jsonl", "old\n");
    place
}

/// Runs the program under a limit of the shell.
fn limited(place: &Place, limit: &str, arguments: &str) -> Ran {
    let output = Command::new("bash")
        .args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_doublet"))
        .args(arguments.split_whitespace())
        .current_dir(place.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Ran::new(&output)
}

#[test]
fn a_device_that_is_full() {
    let place = place();
    for arguments in [
        "pairs in.jsonl -q -o /dev/full",
        "clusters in.jsonl -q -o /dev/full",
        "background in.jsonl -q -o /dev/full",
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.status, 2, "{arguments}");
        let told =
            "cannot write `/dev/full`: No space left on device (os error 28); free some space";
        assert!(ran.stderr.contains(told), "{arguments}: {}", ran.stderr);
    }
    for arguments in [
        "pairs in.jsonl -q",
        "clusters in.jsonl -q",
        "check in.jsonl --against in.jsonl -q",
        "inspect in.jsonl",
        "advise in.jsonl",
        "man",
        "completions bash",
        "--help",
        "pairs -h",
        "--version",
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let mut command = place.command(arguments);
        let ran = Ran::new(&command.stdout(full.unwrap()).output().unwrap());
        assert_eq!(ran.status, 2, "{arguments}: {}", ran.stderr);
        let told = "error: cannot write to standard output: No space left on device";
        assert!(ran.stderr.contains(told), "{arguments}: {}", ran.stderr);
    }
}

#[test]
fn links_and_pipes_stay_what_they_are() {
    let place = place();
    for output in ["pairs.csv", "pairs.parquet"] {
        place.write(output, "old\n");
        let link = place.path().join(format!("link-{output}"));
        std::os::unix::fs::symlink(output, &link).unwrap();
        let arguments = format!("pairs in.jsonl -q -o link-{output}");
        place.run(&arguments).ok();
        assert!(link.is_symlink(), "{output}");
        assert_ne!(std::fs::read(place.path().join(output)).unwrap(), b"old\n");
    }
    std::os::unix::fs::symlink("/dev/full", place.path().join("full.parquet")).unwrap();
    let ran = place.run("pairs in.jsonl -q -o full.parquet");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("free some space"), "{}", ran.stderr);
}

/// Runs a command under rising limits until it succeeds; until then it errs, names the limit and leaves nothing.
fn until_it_succeeds(arguments: &str, limit: impl Fn(u32) -> String, remedy: &str) -> u32 {
    for size in 0..400 {
        let place = place();
        let before = files(place.path());
        let ran = limited(&place, &limit(size), arguments);
        if ran.status == 0 {
            return size;
        }
        // Some limits are too small for the program to start.
        if ran.status != 127 {
            assert_eq!(ran.status, 2, "{arguments} {size}: {}", ran.stderr);
            assert!(ran.stderr.contains(remedy), "{size}: {}", ran.stderr);
        }
        assert_eq!(files(place.path()), before, "{arguments} {size}");
    }
    panic!("{arguments} fails under all limits");
}

#[test]
fn files_that_may_not_grow() {
    for arguments in [
        "dedup in.jsonl -q -o out",
        "pairs in.jsonl -q -o pairs.jsonl",
        "pairs in.jsonl -q -o pairs.parquet",
        "background in.jsonl -q -o words",
    ] {
        let limit = |kilobytes| format!("ulimit -f {kilobytes}");
        assert!(until_it_succeeds(arguments, limit, "`ulimit -f`") > 1);
    }
}

#[test]
fn too_few_file_handles() {
    for arguments in [
        "dedup in.jsonl -q -o out --threads 1",
        "pairs in.jsonl -q -o pairs.jsonl --threads 1",
    ] {
        let limit = |handles| format!("ulimit -n {}", handles + 6);
        until_it_succeeds(arguments, limit, "`ulimit -n`");
    }
}

#[test]
fn a_directory_that_may_not_be_written_to() {
    let place = place();
    let closed = place.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, Permissions::from_mode(0o555)).unwrap();
    // Whoever may do everything is not kept out by this.
    if std::fs::write(closed.join("open"), "").is_err() {
        for arguments in [
            "dedup in.jsonl -q -o closed/out",
            "pairs in.jsonl -q -o closed/pairs.jsonl",
            "background in.jsonl -q -o closed/words",
            "index create closed/index",
        ] {
            let ran = place.run(arguments);
            assert_eq!(ran.status, 2, "{arguments}");
            assert!(ran.stderr.contains("`closed"), "{}", ran.stderr);
        }
        assert!(files(&closed).is_empty());
    }
    std::fs::set_permissions(&closed, Permissions::from_mode(0o755)).unwrap();
}
