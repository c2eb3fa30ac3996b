//! Replays what the fuzzer begins with, and what it ever found, and holds `fuzz/` against the list of laws.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use doublet_laws::LAWS;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// Names in a directory; none if it is missing.
fn names(directory: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Asks a law about all inputs of a directory; gives how many there are.
fn replay(law: fn(&[u8]), directory: &Path) -> usize {
    let names = names(directory);
    for name in &names {
        let path = directory.join(name);
        let bytes = std::fs::read(&path).unwrap();
        let kept = std::panic::catch_unwind(|| law(&bytes)).is_ok();
        assert!(kept, "{} breaks the law", path.display());
    }
    names.len()
}

/// A test a law, so that they run side by side and a failure names one.
macro_rules! replays {
    ($($law:ident)*) => {
        $(
            #[test]
            fn $law() {
                let name = stringify!($law);
                let seeds = replay(doublet_laws::$law, &fuzz().join("seeds").join(name));
                assert!(seeds > 0, "no seeds for {name}");
                replay(doublet_laws::$law, &fuzz().join("findings").join(name));
                doublet_laws::$law(&[]);
            }
        )*

        const REPLAYED: &[&str] = &[$(stringify!($law)),*];
    };
}

replays! {
    json_lines delimited plain html xml warc parquet packed normalize sentences terms tagger_model
    background_table shingles index_files journal http_bodies query_parameters options truth
}

#[test]
fn every_law_has_a_target_and_is_replayed() {
    let laws: BTreeSet<String> = LAWS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let replayed: BTreeSet<String> = REPLAYED.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(replayed, laws);
    let targets = names(&fuzz().join("fuzz_targets"));
    let files: BTreeSet<String> = laws.iter().map(|name| format!("{name}.rs")).collect();
    assert_eq!(targets, files);
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for name in &laws {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
    for kind in ["seeds", "findings"] {
        let known = names(&fuzz().join(kind));
        assert!(known.is_subset(&laws), "{kind}: {known:?}");
    }
}
