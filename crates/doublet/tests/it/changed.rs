//! An input that changes while it is read ends the run with an error, and nothing is written.

use std::io::Write;
use std::path::{Path, PathBuf};

use doublet::batch::find_matches;
use doublet::dedup::{DedupOptions, dedup};
use doublet::matches::Source;
use doublet::options::ReadOptions;
use doublet::progress::{Observer, Silent, Unit};
use doublet::read::Collection;
use doublet::scores::Metric;

use crate::harness::options;

/// Changes a file when a stage begins.
struct Changes<'a> {
    stage: &'a str,
    path: &'a Path,
    change: fn(&Path),
}

impl Observer for Changes<'_> {
    fn stage(&self, name: &'static str, _: Option<u64>, _: Unit) {
        if name == self.stage {
            (self.change)(self.path);
        }
    }

    fn advance(&self, _: u64) {}

    fn cancelled(&self) -> bool {
        false
    }
}

fn cut(path: &Path) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_len(file.metadata().unwrap().len() / 3).unwrap();
}

fn append(path: &Path) {
    let mut file = std::fs::File::options().append(true).open(path).unwrap();
    writeln!(file, "{{\"text\": \"one more\"}}").unwrap();
}

fn remove(path: &Path) {
    std::fs::remove_file(path).unwrap();
}

fn input(directory: &Path) -> (PathBuf, Source) {
    let path = directory.join("in.jsonl");
    let line = |n: u32| format!("{{\"text\": \"text number {} of a few\"}}\n", n % 40);
    std::fs::write(&path, (0..60).map(line).collect::<String>()).unwrap();
    let inputs = [path.to_string_lossy().into_owned()];
    let input = Collection::open(&inputs, &ReadOptions::default(), directory).unwrap();
    let source = Source {
        input,
        references: None,
    };
    (path, source)
}

#[test]
fn kept_records_are_not_copied_from_a_file_that_changed() {
    for change in [cut as fn(&Path), append, remove] {
        for stage in ["reading", "writing pairs", "writing", "writing the report"] {
            let place = tempfile::tempdir().unwrap();
            let (path, source) = input(place.path());
            let join = options(Metric::Resemblance, "0.8", 2);
            let directory = place.path().join("out");
            let run = DedupOptions::new(join, directory.clone());
            let changes = Changes {
                stage,
                path: &path,
                change,
            };
            let ended = dedup(&source, &run, &changes);
            // The report is the last, and needs no more than what is there.
            if stage == "writing the report" {
                continue;
            }
            let said = ended.unwrap_err().to_string();
            assert!(said.contains("in.jsonl"), "{stage}: {said}");
            assert!(!directory.exists(), "{stage}");
        }
    }
}

#[test]
fn matches_of_a_file_that_changed_are_an_error() {
    let place = tempfile::tempdir().unwrap();
    let (path, source) = input(place.path());
    let join = options(Metric::Resemblance, "0.8", 2);
    assert!(find_matches(&source, &join, &Silent).is_ok());
    append(&path);
    let said = find_matches(&source, &join, &Silent)
        .unwrap_err()
        .to_string();
    assert!(said.contains("changed during the run"), "{said}");
}
