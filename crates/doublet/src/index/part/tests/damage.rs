//! Parts against damage: whatever a file holds, a part gives right answers or an error, and never panics.

use proptest::prelude::*;
use proptest::sample::Index;

use super::super::layout::KIND;
use super::*;
use crate::index::checked::CheckedWriter;

/// Calls everything, whatever comes of it.
fn exercise(part: &Part, path: &Path) {
    let mut scratch = TextScratch::default();
    for number in (0..part.documents().min(200)).chain([u32::MAX]) {
        let _ = part.text(number, &mut scratch);
        if let Ok(row) = part.document(number) {
            let _ = part.numbers_of(row.id);
        }
    }
    let all: Vec<Posting> = part
        .postings_in(0..part.postings())
        .map_while(Result::ok)
        .collect();
    for key in questions(&all) {
        let _ = part.find(key);
    }
    let _ = part.verify();
    let _ = merge(&[part], &|_, number| number % 3 == 1, path);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn damage_is_an_error_or_without_effect(
        batches in batches(),
        width in width(),
        at in any::<Index>(),
        change in 1u8..,
        kind in 0..3,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("part");
        let facts = write(&path, width, &batches, 1);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        match kind {
            0 => bytes.truncate(at),
            1 => bytes.push(change),
            _ => bytes[at] ^= change,
        }
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(part) = Part::open(&path, &facts) {
            prop_assert!(kind == 2);
            compare(&part, &flat(&batches), width, true);
            let merged = merge(&[&part], &|_, _| false, &directory.path().join("merged"));
            if let Ok(facts) = merged {
                let merged = Part::open(&directory.path().join("merged"), &facts).unwrap();
                compare(&merged, &flat(&batches), width, false);
            }
            prop_assert!(part.verify().is_err());
        }
    }

    #[test]
    fn nonsense_with_right_checksums_is_survived(
        batches in batches(),
        width in width(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>(), any::<bool>()), 1..40),
        counts in any::<bool>(),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("part");
        let mut facts = write(&path, width, &batches, 1);
        let part = Part::open(&path, &facts).unwrap();
        let mut data = part.file.bytes(0..part.file.length()).unwrap().to_vec();
        // Most changes go to the end, where the tables and the contents are.
        let length = data.len();
        for (at, byte, late) in changes {
            let from = if late { length.saturating_sub(300) } else { 0 };
            let until = if counts { length } else { length - 48 };
            let from = from.min(until.saturating_sub(1));
            if until > from {
                data[from + at.index(until - from)] = byte;
            }
        }
        let path = directory.path().join("nonsense");
        let mut writer = CheckedWriter::create(&path, KIND).unwrap();
        writer.write(&data).unwrap();
        facts.bytes = writer.finish().unwrap();
        if let Ok(part) = Part::open(&path, &facts) {
            exercise(&part, &directory.path().join("merged"));
        }
    }
}

/// Rewrites a part with some bytes changed and checksums to match.
fn forged(path: &Path, change: impl Fn(&mut [u8], &Part)) -> Result<Part> {
    let mut batches = keyed(600, scatter);
    batches[0].0 = true;
    batches[0].1[7].text = "text".repeat(5000);
    let original = path.with_extension("original");
    let mut facts = write(&original, Width::Full, &batches, 1);
    let part = Part::open(&original, &facts)?;
    let mut data = part.file.bytes(0..part.file.length())?.to_vec();
    change(&mut data, &part);
    let mut writer = CheckedWriter::create(path, KIND)?;
    writer.write(&data)?;
    facts.bytes = writer.finish()?;
    Part::open(path, &facts)
}

#[test]
fn verify_sees_what_checksums_do_not() {
    let directory = tempfile::tempdir().unwrap();
    type Change = fn(&mut [u8], &Part);
    fn flip(data: &mut [u8], at: u64) {
        data[at as usize] ^= 1;
    }
    let changes: [(&str, Change); 12] = [
        ("nothing", |_, _| {}),
        ("document", |data, part| {
            data[part.places.postings.pages_at as usize + 19] = 1
        }),
        ("order", |data, part| {
            let at = part.places.postings.pages_at as usize;
            let (one, two) = data[at..at + 48].split_at_mut(24);
            one.swap_with_slice(two);
        }),
        ("first key", |data, part| {
            flip(data, part.places.postings.keys_at)
        }),
        ("first id", |data, part| {
            flip(data, part.places.ids.keys_at + 9)
        }),
        ("id document", |data, part| {
            flip(data, part.places.ids.pages_at + 8)
        }),
        ("id hash", |data, part| flip(data, part.places.ids.pages_at)),
        ("id", |data, part| flip(data, part.places.rows.at + 32)),
        ("row length", |data, part| flip(data, part.places.rows.at)),
        ("row group", |data, part| {
            flip(data, part.places.rows.groups_at + 8)
        }),
        ("block", |data, part| {
            flip(data, part.places.texts.bytes + 20)
        }),
        ("text", |data, _| flip(data, 9)),
    ];
    for (name, change) in changes {
        let part = forged(&directory.path().join(name), change).unwrap();
        assert_eq!(part.verify().is_ok(), name == "nothing", "{name}");
        exercise(&part, &directory.path().join("merged"));
        let _ = std::fs::remove_file(directory.path().join("merged"));
    }
}
