//! Replays what the fuzzer begins with, what it ever found, and some inputs like these, and holds `fuzz/` against the list of laws.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod shake;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use doublet_laws::LAWS;
use shake::{Random, shaken};

/// Inputs like its seeds that a law is asked about.
const SHAKES: u32 = 200;

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

/// Asks a law about all inputs of a directory, and gives them.
fn replay(law: fn(&[u8]), directory: &Path) -> Vec<Vec<u8>> {
    let read = |name: &String| {
        let path = directory.join(name);
        let bytes = std::fs::read(&path).unwrap();
        let kept = std::panic::catch_unwind(|| law(&bytes)).is_ok();
        assert!(kept, "{} breaks the law", path.display());
        bytes
    };
    names(directory).iter().map(read).collect()
}

/// Asks a law about inputs that are nearly seeds. `LAW_SHAKES` asks for more of them than are quick.
fn shake(name: &str, law: fn(&[u8]), seeds: &[Vec<u8>]) {
    let asked = std::env::var("LAW_SHAKES").ok();
    let shakes = asked.and_then(|asked| asked.parse().ok()).unwrap_or(SHAKES);
    let mut random = Random::new(
        name.bytes()
            .fold(7, |sum, byte| 31 * (sum % (1 << 50)) + u64::from(byte)),
    );
    for _ in 0..shakes {
        let bytes = shaken(seeds, &mut random);
        let kept = std::panic::catch_unwind(|| law(&bytes)).is_ok();
        assert!(
            kept,
            "breaks the law: {:?}",
            bytes.escape_ascii().to_string()
        );
    }
}

/// A test a law, so that they run side by side and a failure names one.
macro_rules! replays {
    ($($law:ident)*) => {
        $(
            #[test]
            fn $law() {
                let name = stringify!($law);
                let seeds = replay(doublet_laws::$law, &fuzz().join("seeds").join(name));
                assert!(!seeds.is_empty(), "no seeds for {name}");
                replay(doublet_laws::$law, &fuzz().join("findings").join(name));
                doublet_laws::$law(&[]);
                shake(name, doublet_laws::$law, &seeds);
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
