//! Readers beside a writer: each sees one commit, whole.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use doublet::index::{Index, IndexOptions, IndexWriter};
use doublet::method::Method;
use doublet::options::Numbers;
use doublet::progress::Silent;

use super::{Place, add, check, ids, index_options};
use crate::harness::options;

fn text(number: u32) -> String {
    format!(
        "Alpha {number} left for harbour {number}. Omega {number} came back from mountain {number}. "
    )
}

/// What the index held at each commit.
type Commits = Mutex<BTreeMap<u64, BTreeSet<u32>>>;

/// That an index is what it was at its commit.
fn compare(index: &Index, commits: &Commits) {
    let held = commits.lock().unwrap()[&index.info().commit].clone();
    let found: BTreeSet<u32> = ids(index).iter().map(|id| id.parse().unwrap()).collect();
    assert_eq!(found, held);
    for number in (0..COUNT).step_by(17) {
        let answer = check(index, &text(number)).unwrap();
        assert_eq!(answer.duplicate, held.contains(&number), "{number}");
        let sources: Vec<String> = answer.sources.into_iter().map(|source| source.id).collect();
        assert!(!answer.duplicate || sources == [format!("\"{number}\"")]);
    }
}

const COUNT: u32 = 300;

#[test]
fn readers_see_whole_commits() {
    for method in [Method::Sentences, Method::Minhash] {
        let mut options = options(method.metrics()[0], "0.5", 5);
        options.matching.method = method;
        options.matching.normalize.numbers = Numbers::Keep;
        read_and_write(&index_options(&options, true));
    }
}

fn read_and_write(options: &IndexOptions) {
    let place = Place::new();
    let mut writer = IndexWriter::create(&place.index(), options, None).unwrap();
    let commits: Commits = Mutex::new(BTreeMap::from([(0, BTreeSet::new())]));
    let done = AtomicBool::new(false);
    let mut held = BTreeSet::new();
    let mut snapshots = Vec::new();
    std::thread::scope(|scope| {
        let reader = || {
            let mut seen = BTreeSet::new();
            loop {
                // The last look is at the last commit, also where a reader was never given time before.
                let last = done.load(Ordering::Relaxed);
                let index = Index::open(&place.index()).unwrap();
                compare(&index, &commits);
                seen.insert(index.info().commit);
                if last {
                    break seen;
                }
            }
        };
        let readers = [scope.spawn(reader), scope.spawn(reader)];
        // Written down before it happens, so that nobody sees what is not written down.
        let announce = |writer: &IndexWriter, held: &BTreeSet<u32>| {
            let commit = writer.index().info().commit + 1;
            commits.lock().unwrap().insert(commit, held.clone());
        };
        for start in (0..COUNT).step_by(10) {
            held.extend(start..start + 10);
            announce(&writer, &held);
            let records: Vec<_> = (start..start + 10)
                .map(|n| (n.to_string(), text(n)))
                .collect();
            add(&mut writer, &place, &records).unwrap();
            snapshots.push(Index::open(&place.index()).unwrap());
            if start % 30 == 0 {
                held.remove(&(start / 2));
                announce(&writer, &held);
                writer
                    .remove(&[format!("\"{}\"", start / 2)], &Silent)
                    .unwrap();
            }
            if start % 50 == 0 {
                announce(&writer, &held);
                writer.compact(&Silent).unwrap();
            }
        }
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            let seen = reader.join().unwrap();
            assert_eq!(seen.last(), Some(&writer.index().info().commit));
        }
    });
    // Their files are long gone.
    for snapshot in &snapshots {
        compare(snapshot, &commits);
    }
    place.verify().unwrap();
}
