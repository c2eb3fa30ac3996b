//! The commands as a library: what they say in memory, and tables in the place of files.

use std::ffi::OsString;
use std::sync::{Arc, Mutex, OnceLock};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use doublet::read::{Table, Tables};
use doublet_cli::{Console, FailureKind, Progress, Said, Status};

fn table(columns: Vec<(&str, ArrayRef)>) -> Arc<Table> {
    let columns = columns
        .into_iter()
        .map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    Arc::new(Table::new(batch.schema(), vec![batch]))
}

fn tables() -> Tables {
    let texts = vec![
        Some("the quick brown fox jumps over the lazy dog again"),
        None,
        Some("the quick brown fox jumps over the lazy dog again"),
        Some("nothing of this has ever been said by anybody else"),
    ];
    let data = table(vec![("text", Arc::new(StringArray::from(texts)))]);
    let truth = table(vec![
        ("a", Arc::new(Int64Array::from(vec![0, 0]))),
        ("b", Arc::new(Int64Array::from(vec![2, 3]))),
        ("label", Arc::new(Int64Array::from(vec![1, 0]))),
    ]);
    Tables::from([("data".to_owned(), data), ("truth".to_owned(), truth)])
}

fn run(line: &str) -> Result<(Status, Said), (FailureKind, String)> {
    let arguments = line.split(' ').map(OsString::from).collect();
    let console = Console::memory(Vec::new(), arguments, tables());
    match doublet_cli::run(&console) {
        Ok(status) => Ok((status, console.take())),
        Err(failure) => Err((failure.kind(), failure.to_string())),
    }
}

#[test]
fn a_table_is_an_input() {
    let (status, said) = run("pairs data -q").unwrap();
    assert_eq!(status, Status::Done);
    let output = String::from_utf8(said.output).unwrap();
    assert!(
        output.starts_with("{\"a\": 0, \"b\": 2, \"score\": 1.000000"),
        "{output}"
    );
    assert_eq!(output.lines().count(), 1);
    let rejected = "1 record was rejected:\n  data:2: text field `text` holds null, not a string";
    assert_eq!(said.warnings, [rejected]);
    assert_eq!(said.kept, None);
}

#[test]
fn dedup_tells_the_rows_that_stay() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    for more in ["", " --dry-run --force"] {
        let (_, said) = run(&format!("dedup data -o {}{more}", out.display())).unwrap();
        assert_eq!(said.kept, Some(vec![0, 3]));
    }
    let (_, said) = run("pairs data --against data").unwrap();
    let output = String::from_utf8(said.output).unwrap();
    assert!(output.contains("\"a\": 0, \"b\": 4,"), "{output}");
}

#[test]
fn a_table_is_a_truth() {
    let (_, said) = run("eval data --truth truth --json").unwrap();
    let told: serde_json::Value = serde_json::from_slice(&said.output).unwrap();
    assert_eq!(told["truth"]["kind"], "pairs", "{told}");
}

#[test]
fn failures_have_kinds() {
    let kinds = [
        ("pairs data --treshold 1", FailureKind::Options),
        ("pairs data --threshold 2", FailureKind::Options),
        ("pairs data --metric degree", FailureKind::Options),
        ("pairs data --text-field body", FailureKind::Input),
        ("pairs data --strict", FailureKind::Input),
        ("pairs nowhere.jsonl", FailureKind::File),
        ("serve --index nowhere", FailureKind::Options),
        ("compare data data", FailureKind::Input),
        (
            "eval data --truth truth --methods shingles",
            FailureKind::Options,
        ),
        (
            "index info --server http://127.0.0.1:9",
            FailureKind::Options,
        ),
        (
            "check data --server http://127.0.0.1:9",
            FailureKind::Service,
        ),
    ];
    for (line, kind) in kinds {
        let failure = run(line).unwrap_err();
        assert_eq!(failure.0, kind, "{line}: {}", failure.1);
        assert!(!failure.1.contains("Usage:"), "{}", failure.1);
    }
    let (status, said) = run("--version").unwrap();
    assert_eq!(
        (status, &said.output[..8]),
        (Status::Done, &b"doublet "[..])
    );
}

#[test]
fn a_run_that_is_told_to_stop_ends() {
    let arguments = ["pairs", "data"].map(OsString::from).into();
    let console = Console::memory(Vec::new(), arguments, tables());
    console.stop();
    let failure = doublet_cli::run(&console).unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Interrupted);
}

/// Runs a command and gives what its listener heard. It stops the run when it hears something for the `until`th time.
fn listen(line: &str, until: usize) -> (Result<Status, FailureKind>, Vec<Progress>) {
    let console = Arc::new(OnceLock::<Console>::new());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (stopped, hears) = (Arc::clone(&console), Arc::clone(&heard));
    let listener = move |progress| {
        let mut heard = hears.lock().unwrap();
        heard.push(progress);
        let console = stopped.get().unwrap();
        // Between the end of a stage and the start of the next there is nothing to ask for.
        assert_eq!(console.progress(), None);
        if heard.len() == until {
            console.stop();
        }
    };
    let arguments = line.split(' ').map(OsString::from).collect();
    let made = Console::memory(Vec::new(), arguments, tables()).with_listener(Box::new(listener));
    let ended = doublet_cli::run(console.get_or_init(|| made)).map_err(|failure| failure.kind());
    let heard = heard.lock().unwrap().clone();
    (ended, heard)
}

#[test]
fn every_stage_is_heard_of_at_its_start_and_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let line = format!("dedup data -o {}", out.display());
    let (ended, heard) = listen(&line, 0);
    assert_eq!(ended, Ok(Status::Done));
    let (stages, alone) = heard.as_chunks::<2>();
    assert!(alone.is_empty(), "{heard:?}");
    for [start, end] in stages {
        assert_eq!((start.stage, start.unit), (end.stage, end.unit));
        assert_eq!((start.done, end.total), (0, Some(end.done)));
        assert!(start.total.is_none_or(|total| total == end.done));
    }
    let names: Vec<&str> = stages.iter().map(|[start, _]| start.stage).collect();
    assert_eq!(names.first(), Some(&"sampling"));
    assert_eq!(names.last(), Some(&"writing the report"));
    std::fs::remove_dir_all(&out).unwrap();
    // Whoever stops the run when a stage starts hears of no other.
    for until in (0..heard.len()).step_by(2) {
        let (ended, told) = listen(&line, until + 1);
        assert_eq!(ended, Err(FailureKind::Interrupted), "{until}");
        assert_eq!(told, heard[..=until]);
        assert!(!out.exists(), "{until}");
    }
    let (ended, heard) = listen("pairs nowhere.jsonl", 0);
    assert_eq!((ended, heard), (Err(FailureKind::File), Vec::new()));
}
