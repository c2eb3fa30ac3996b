//! A run that is interrupted and continued finds what an uninterrupted one finds, wherever it was interrupted; and what was kept is
//! taken for nothing else.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use doublet::batch::{CheckpointOptions, JoinOptions, Joined, SketchFigures, find_matches};
use doublet::matches::{RankBy, Source};
use doublet::method::Method;
use doublet::method::simhash::Voters;
use doublet::options::ReadOptions;
use doublet::progress::{Observer, Silent, Unit};
use doublet::read::Collection;
use doublet::scores::{Metric, Scores};
use doublet::sketch::MeetBy;
use doublet::{DocId, Error};
use tempfile::TempDir;

use crate::harness::options;

/// Cancels a run after so many steps, and remembers what it was told.
struct Stops {
    left: AtomicI64,
    notes: Mutex<Vec<String>>,
}

impl Stops {
    fn after(steps: i64) -> Self {
        Self {
            left: AtomicI64::new(steps),
            notes: Mutex::default(),
        }
    }
}

impl Observer for Stops {
    fn stage(&self, _: &'static str, _: Option<u64>, _: Unit) {}
    fn advance(&self, _: u64) {
        self.left.fetch_sub(1, Ordering::Relaxed);
    }
    fn note(&self, text: &str) {
        self.notes.lock().unwrap().push(text.to_owned());
    }
    fn cancelled(&self) -> bool {
        self.left.load(Ordering::Relaxed) < 0
    }
}

/// Files of texts with ids, without, with ranks and damaged ones, and what is kept of runs over them.
struct Files {
    directory: TempDir,
    inputs: Vec<String>,
    references: Vec<String>,
}

impl Files {
    fn new(packed: bool, with_references: bool) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, first: usize| {
            let lines: String = (first..first + 12).map(line).collect();
            let name = if packed {
                format!("{name}.gz")
            } else {
                name.to_owned()
            };
            let path = directory.path().join(name);
            let bytes = if packed {
                gzip(lines.as_bytes())
            } else {
                lines.into_bytes()
            };
            std::fs::write(&path, bytes).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let inputs = (0..4).map(|n| write(&format!("in{n}.jsonl"), 12 * n));
        let inputs = inputs.collect();
        let references = match with_references {
            true => (0..2)
                .map(|n| write(&format!("ref{n}.jsonl"), 40 + 12 * n))
                .collect(),
            false => Vec::new(),
        };
        Self {
            directory,
            inputs,
            references,
        }
    }

    fn open(&self) -> Source {
        let read = ReadOptions {
            rank_field: Some("rank".to_owned()),
            ..ReadOptions::default()
        };
        let open =
            |paths: &[String]| Collection::open(paths, &read, self.directory.path()).unwrap();
        Source {
            input: open(&self.inputs),
            references: (!self.references.is_empty()).then(|| open(&self.references)),
        }
    }

    fn state(&self) -> PathBuf {
        self.directory.path().join("out.unfinished")
    }

    fn options(&self, metric: Metric, resume: bool) -> JoinOptions {
        let mut options = options(metric, "0.4", 2);
        options.rank = RankBy::Field;
        let checkpoint = CheckpointOptions::new(self.state(), resume, Duration::ZERO);
        options.checkpoint = Some(checkpoint);
        options
    }

    /// Runs until it is cancelled after so many steps, and leaves what it leaves.
    fn interrupt(&self, options: &JoinOptions, steps: i64) -> bool {
        let run = find_matches(&self.open(), options, &Stops::after(steps));
        options.checkpoint.as_ref().unwrap().end(false).unwrap();
        match run {
            Ok(_) => false,
            Err(Error::Interrupted) => true,
            Err(error) => panic!("{error}"),
        }
    }

    /// The error of a run that is to be continued.
    fn refused(&self, options: &JoinOptions) -> String {
        match find_matches(&self.open(), options, &Silent) {
            Ok(_) => panic!("continued"),
            Err(error @ (Error::BadFile { .. } | Error::Resume(_))) => error.to_string(),
            Err(error) => panic!("another error: {error}"),
        }
    }

    /// Interrupts a run at the first step at which a state of this stage is kept.
    fn keep(&self, options: &JoinOptions, stage: &str) -> PathBuf {
        for steps in 0.. {
            let interrupted = self.interrupt(options, steps);
            let entries = std::fs::read_dir(self.state())
                .into_iter()
                .flatten()
                .flatten();
            let mut names = entries.map(|entry| entry.path());
            let is_state = |path: &PathBuf| {
                path.file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .starts_with(stage)
            };
            if let Some(path) = names.find(is_state) {
                return path;
            }
            assert!(interrupted, "no state `{stage}`");
            std::fs::remove_dir_all(self.state()).unwrap_or_default();
        }
        unreachable!()
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A word made of letters only.
fn letters(number: usize) -> String {
    let digits = number.to_string().into_bytes();
    let letter = |digit: &u8| char::from(digit - b'0' + b'a');
    digits.iter().map(letter).collect()
}

/// Texts that are copies, near copies, parts of others, empty and damaged.
fn line(n: usize) -> String {
    let base = n % 7;
    let words: Vec<String> = (0..14).map(|k| letters((base * 5 + k * k) % 23)).collect();
    let text = match n % 6 {
        0 | 3 => words.join(" "),
        1 => format!("{} end {}", words.join(" "), letters(n % 4)),
        2 => words[..6].join(" "),
        4 => String::new(),
        _ => format!("{} {}", letters(90 + n % 5), words[2..].join(" ")),
    };
    match n % 9 {
        0 => "{\"text\": damaged\n".to_owned(),
        1 => format!("{{\"text\": \"{text}\", \"rank\": \"r{}\"}}\n", n % 3),
        2 => format!(
            "{{\"id\": {n}, \"text\": \"{text}\", \"rank\": {}}}\n",
            n % 4
        ),
        _ => format!("{{\"id\": \"text {n}\", \"text\": \"{text}\"}}\n"),
    }
}

/// All that a join found, in a form that can be compared.
#[derive(Debug, PartialEq)]
struct Everything {
    pairs: Vec<(u32, u32, Scores)>,
    documents: Vec<String>,
    rejections: String,
    figures: (u64, u64, bool, u64, Option<SketchFigures>),
    bytes: u64,
}

fn everything(joined: &Joined, source: &Source) -> Everything {
    let documents = &joined.documents;
    let mut pairs = Vec::new();
    let push = |pair: doublet::matches::Match| {
        pairs.push((pair.a.0, pair.b.0, pair.scores));
        Ok::<(), ()>(())
    };
    joined.matches.for_each(documents, push).unwrap();
    let describe = |text: u32| {
        let id = DocId(text);
        let key = documents.key(id, source);
        let (state, place) = (documents.state(id), documents.place(id));
        format!(
            "{key:?} {state:?} {place:?} {:?} {}",
            documents.rank(id),
            documents.tokens(id)
        )
    };
    let figures = &joined.figures;
    Everything {
        pairs,
        documents: (0..documents.len() as u32).map(describe).collect(),
        rejections: format!("{:?} {}", documents.rejections(), documents.references()),
        figures: (
            figures.candidates,
            figures.verifications,
            figures.spanning,
            figures.added_up,
            figures.sketches,
        ),
        bytes: documents.bytes(),
    }
}

/// All stages that leave a state.
const STAGES: [&str; 3] = ["read", "candidates", "matches"];

/// Interrupts a run after every number of steps, continues it, interrupts that as well, and compares what comes of it in the end; then
/// once from each of these stages.
fn check(files: &Files, metric: Metric, stages: &[&str], change: impl Fn(&mut JoinOptions)) {
    let options = |resume: bool| {
        let mut options = files.options(metric, resume);
        change(&mut options);
        options
    };
    let mut plain = options(false);
    plain.checkpoint = None;
    let source = files.open();
    let expected = everything(&find_matches(&source, &plain, &Silent).unwrap(), &source);
    assert!(expected.pairs.len() > 10, "{}", expected.pairs.len());
    for steps in 0.. {
        if !files.interrupt(&options(false), steps) {
            assert!(steps > 4, "{steps}");
            std::fs::remove_dir_all(files.state()).unwrap();
            break;
        }
        files.interrupt(&options(true), steps % 5);
        let (source, resumed) = (files.open(), options(true));
        let joined = find_matches(&source, &resumed, &Silent).unwrap();
        assert_eq!(
            everything(&joined, &source),
            expected,
            "{metric} after {steps}"
        );
        resumed.checkpoint.unwrap().end(true).unwrap();
        assert!(!files.state().exists());
    }
    for stage in stages {
        files.keep(&options(false), stage);
        let (source, observer) = (files.open(), Stops::after(i64::MAX));
        let resumed = options(true);
        let joined = find_matches(&source, &resumed, &observer).unwrap();
        assert_eq!(
            everything(&joined, &source),
            expected,
            "{metric} from {stage}"
        );
        let notes = observer.notes.into_inner().unwrap();
        assert!(notes[0].contains("continuing"), "{notes:?}");
        resumed.checkpoint.unwrap().end(true).unwrap();
    }
}

#[test]
fn continues_to_the_same_result() {
    for &metric in Method::Shingles.metrics() {
        check(&Files::new(false, false), metric, &STAGES, |_| {});
    }
}

#[test]
fn continues_with_references_and_other_threads() {
    for &metric in Method::Shingles.metrics() {
        check(&Files::new(false, true), metric, &STAGES, |options| {
            options.across_only = true;
            if options.checkpoint.as_ref().is_some_and(|kept| kept.resume) {
                options.resources.threads = 3;
                options.resources.memory = 1 << 20;
            }
        });
    }
}

#[test]
fn continues_over_packed_files() {
    for metric in [Metric::Resemblance, Metric::Coverage] {
        check(&Files::new(true, true), metric, &STAGES, |_| {});
    }
}

#[test]
fn continues_where_pairs_are_passed_over() {
    for metric in [Metric::Resemblance, Metric::Containment] {
        // The second round has no candidate here, and so nothing to stop at behind them.
        check(
            &Files::new(false, false),
            metric,
            &["read", "matches"],
            |options| options.spanning = Some(0),
        );
    }
}

#[test]
fn continues_over_sketches() {
    for meet_by in [MeetBy::Bands, MeetBy::Values] {
        let files = Files::new(false, true);
        check(&files, Metric::Resemblance, &STAGES, |options| {
            options.matching.method = Method::Minhash;
            options.matching.sketches.meet_by = meet_by;
        });
    }
}

#[test]
fn continues_over_fingerprints_of_64_bits() {
    for voters in [Voters::Shingles, Voters::Terms] {
        let files = Files::new(false, false);
        // Only what was read is kept: the rest takes little time.
        check(&files, Metric::Agreement, &["read"], |options| {
            options.matching.method = Method::Simhash;
            options.matching.simhash.voters = voters;
        });
    }
}

#[test]
fn continues_over_sentences() {
    for method in [Method::Sentences, Method::Imatch] {
        let files = Files::new(false, true);
        check(&files, Metric::ContainmentCoverage, &["read"], |options| {
            options.matching.method = method;
            options.repeats = method == Method::Sentences;
        });
    }
}

#[test]
fn nothing_kept_is_a_note_and_no_error() {
    let files = Files::new(false, false);
    let observer = Stops::after(i64::MAX);
    let options = files.options(Metric::Resemblance, true);
    find_matches(&files.open(), &options, &observer).unwrap();
    let notes = observer.notes.into_inner().unwrap();
    assert!(notes[0].contains("from the beginning"), "{notes:?}");
}

#[test]
fn a_short_run_keeps_nothing() {
    let files = Files::new(false, false);
    let mut options = files.options(Metric::Resemblance, false);
    options.checkpoint.as_mut().unwrap().after = Duration::from_secs(1000);
    for steps in 0..5 {
        assert!(files.interrupt(&options, steps));
        assert!(!files.state().exists());
    }
}

#[test]
fn a_state_is_not_passed_over() {
    let files = Files::new(false, false);
    let options = files.options(Metric::Resemblance, false);
    files.keep(&options, "read");
    let error = files.refused(&options);
    assert!(
        error.contains("--resume") && error.contains("out.unfinished"),
        "{error}"
    );
}

#[test]
fn another_run_is_told_apart() {
    let files = Files::new(false, true);
    files.keep(&files.options(Metric::Coverage, false), "candidates");
    let with = |change: &dyn Fn(&mut JoinOptions)| {
        let mut options = files.options(Metric::Coverage, true);
        change(&mut options);
        files.refused(&options)
    };
    let error = with(&|options| options.matching.threshold = "0.5".parse().unwrap());
    assert!(
        error.contains("`threshold` was 0.4 and is 0.5") && error.contains("remove"),
        "{error}"
    );
    assert!(with(&|options| options.matching.normalize.ascii = true).contains("ascii"));
    assert!(with(&|options| options.matching.metric = Metric::Containment).contains("`metric`"));
    assert!(with(&|options| options.matching.shingle.size = 3).contains("`shingle`"));
    assert!(with(&|options| options.across_only = true).contains("across"));
    let options = files.options(Metric::Coverage, true);
    let changed = &files.references[1];
    let before = std::fs::metadata(changed).unwrap().modified().unwrap();
    let file = std::fs::File::options().append(true).open(changed).unwrap();
    file.set_modified(before + Duration::from_nanos(1000))
        .unwrap();
    let error = files.refused(&options);
    assert!(
        error.contains("ref1.jsonl") && error.contains("changed"),
        "{error}"
    );
    file.set_modified(before).unwrap();
    let mut fewer = Files::new(false, true);
    fewer.inputs = files.inputs[..3].to_vec();
    fewer.references.clone_from(&files.references);
    assert!(fewer.refused(&options).contains("stands where"));
    find_matches(&files.open(), &options, &Silent).unwrap();
}

/// Every byte changed, every length cut: an error, or the very same result.
fn check_damage(files: &Files, path: &Path, step: usize) {
    let options = files.options(Metric::Resemblance, true);
    let whole = std::fs::read(path).unwrap();
    for at in (0..whole.len()).step_by(step) {
        for bit in [0, 7] {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            std::fs::write(path, &bytes).unwrap();
            let error = files.refused(&options);
            assert!(error.contains("start anew"), "{at}: {error}");
        }
        std::fs::write(path, &whole[..at]).unwrap();
        let error = files.refused(&options);
        assert!(error.contains("start anew"), "{at}: {error}");
    }
    std::fs::write(path, [&whole[..], b"more"].concat()).unwrap();
    files.refused(&options);
    std::fs::remove_file(path).unwrap();
    if path.ends_with("manifest") {
        find_matches(&files.open(), &options, &Silent).unwrap();
    } else {
        files.refused(&options);
    }
}

#[test]
fn damage_is_an_error() {
    let files = Files::new(false, false);
    for stage in ["read", "candidates", "matches"] {
        std::fs::remove_dir_all(files.state()).unwrap_or_default();
        let path = files.keep(&files.options(Metric::Resemblance, false), stage);
        check_damage(&files, &path, 61);
    }
    std::fs::remove_dir_all(files.state()).unwrap();
    files.keep(&files.options(Metric::Resemblance, false), "read");
    check_damage(&files, &files.state().join("manifest"), 7);
}

#[test]
fn other_versions_are_told_apart() {
    let files = Files::new(false, false);
    let options = files.options(Metric::Resemblance, false);
    files.keep(&options, "read");
    let path = files.state().join("manifest");
    let text = std::fs::read_to_string(&path).unwrap();
    let options = files.options(Metric::Resemblance, true);
    std::fs::write(&path, text.replacen("format 1", "format 2", 1)).unwrap();
    let error = files.refused(&options);
    assert!(
        error.contains("format 2") && error.contains("newer doublet"),
        "{error}"
    );
    std::fs::write(&path, "something else").unwrap();
    assert!(
        files
            .refused(&options)
            .contains("no state of a doublet run")
    );
}

#[test]
fn what_a_killed_run_left_is_swept() {
    let files = Files::new(false, false);
    files.keep(&files.options(Metric::Resemblance, false), "read");
    for name in [".doublet-abc", "manifest.new", "matches-99999999.state"] {
        std::fs::write(files.state().join(name), "half").unwrap();
    }
    assert!(files.interrupt(&files.options(Metric::Resemblance, true), 0));
    let entries = std::fs::read_dir(files.state()).unwrap().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    // The manifest, the state it names, and the lock.
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(
        names[1] == "manifest" && names[2].starts_with("read-"),
        "{names:?}"
    );
}
