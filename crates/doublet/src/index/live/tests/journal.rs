//! Journals that are cut short, or damaged.

use std::path::Path;

use super::super::super::manifest::journals;
use super::super::journal::{Entry, Frames, Journal, read_all};
use crate::error::Result;

/// The whole frames of journals that are cut short or damaged.
fn read(directory: &Path) -> Result<Vec<String>> {
    let journals = journals(directory, 0)?;
    let mut ids = Vec::new();
    read_all(&journals, |entries| {
        ids.extend(entries.iter().map(|entry| match entry {
            Entry::Added { id, text } => format!("+{id}{text}"),
            Entry::Removed { id } => format!("-{id}"),
        }));
        Ok(())
    })?;
    Ok(ids)
}

#[test]
fn a_journal_cut_anywhere_has_what_was_synced() {
    let home = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(home.path(), 7, None).unwrap();
    let (mut ends, mut frames) = (vec![journal.bytes()], Frames::default());
    for number in 0..5 {
        let (id, text) = (number.to_string(), "x".repeat(number * 5));
        frames.clear();
        frames.push([Entry::Added {
            id: &id,
            text: &text,
        }]);
        frames.push([Entry::Removed { id: &id }]);
        journal.append(&mut frames).unwrap();
        ends.push(journal.bytes());
    }
    let path = home.path().join("000007.journal");
    let mut whole = std::fs::read(&path).unwrap();
    assert!(
        whole
            .split_off(journal.bytes() as usize)
            .iter()
            .all(|byte| *byte == 0)
    );
    let all = read(home.path()).unwrap();
    assert_eq!(all.len(), 10);
    for cut in ends[0] as usize..whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let synced = ends.iter().filter(|end| **end <= cut as u64).count() - 1;
        let left = read(home.path()).unwrap();
        assert!(left.len() >= 2 * synced, "{cut}");
        assert_eq!(left, all[..left.len()]);
    }
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 4;
        std::fs::write(&path, &bytes).unwrap();
        match read(home.path()) {
            // Damage in what came last looks like a change that was never answered.
            Ok(left) if place as u64 >= ends[4] => assert_eq!(left, all[..left.len()]),
            Ok(left) => {
                let padding = left == all;
                assert!(padding, "byte {place} may change unseen");
            }
            Err(error) => assert!(error.to_string().contains("damaged"), "{error}"),
        }
    }
}

#[test]
fn a_journal_that_lost_its_end_is_missed() {
    let home = tempfile::tempdir().unwrap();
    let mut first = Journal::create(home.path(), 3, None).unwrap();
    let mut frames = Frames::default();
    frames.push([Entry::Removed { id: "a" }]);
    first.append(&mut frames).unwrap();
    Journal::create(home.path(), 5, Some((3, first.bytes()))).unwrap();
    assert_eq!(read(home.path()).unwrap(), ["-a"]);
    // A journal that was just begun.
    std::fs::write(home.path().join("000006.journal"), b"doub").unwrap();
    assert_eq!(read(home.path()).unwrap(), ["-a"]);
    let path = home.path().join("000003.journal");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..first.bytes() as usize - 8]).unwrap();
    assert!(read(home.path()).is_err());
}
