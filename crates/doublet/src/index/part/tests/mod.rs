//! Parts against plain lists.

mod damage;

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

fn merge(parts: &[&Part], dead: &dyn Fn(usize, u32) -> bool, path: &Path) -> Result<PartFacts> {
    super::merge(parts, dead, path, &|| false)
}

/// A document as it goes into a part.
#[derive(Clone, Debug)]
struct Document {
    id: String,
    facts: Vec<u8>,
    text: String,
    keys: Vec<(u128, u32)>,
}

/// Documents in batches, each with texts or without.
type Batches = Vec<(bool, Vec<Document>)>;

fn document() -> impl Strategy<Value = Document> {
    let awkward = [
        "",
        "\"\"",
        "null",
        "7",
        "\"a\\\"b\"",
        "\"漢字\"",
        "\"é\\u0000\"",
    ];
    let id = prop_oneof![
        3 => select(awkward.to_vec()).prop_map(str::to_owned),
        3 => "\"[a-z漢]{0,9}\"",
        1 => "\"x{200,300}\"",
    ];
    let text = prop_oneof![
        2 => Just(String::new()),
        4 => "[a-c 漢é]{0,60}",
        1 => "[a-z漢]{5}".prop_map(|piece| piece.repeat(1000)),
        1 => "[a-z ]{20}".prop_map(|piece| piece.repeat(900)),
    ];
    let key = prop_oneof![
        select(vec![
            0,
            1,
            u128::MAX,
            1 << 64,
            u128::from(u64::MAX),
            5 << 70
        ]),
        any::<u128>(),
        any::<u64>().prop_map(u128::from),
        (0u128..4).prop_map(|key| key << 126),
    ];
    let keys = prop::collection::vec((key, 0u32..3), 0..9);
    let facts = prop::collection::vec(any::<u8>(), 0..40);
    (id, facts, text, keys).prop_map(|(id, facts, text, keys)| Document {
        id,
        facts,
        text,
        keys,
    })
}

fn batches() -> impl Strategy<Value = Batches> {
    let batch = (any::<bool>(), prop::collection::vec(document(), 0..20));
    prop::collection::vec(batch, 0..4)
}

fn width() -> impl Strategy<Value = Width> {
    select(vec![Width::Full, Width::Short])
}

fn write(path: &Path, width: Width, batches: &Batches, threads: usize) -> PartFacts {
    let mut writer = PartWriter::create(path, width).unwrap();
    let mut first = 0;
    for (texts, documents) in batches {
        let mut batch = Batch::new(width, *texts);
        for document in documents {
            let keys = document.keys.iter().copied();
            let pushed = batch.push(&document.id, &document.facts, &document.text, keys);
            pushed.unwrap();
        }
        assert_eq!(batch.documents() as usize, documents.len());
        assert_eq!(writer.append(batch).unwrap(), first);
        first += documents.len() as u32;
    }
    let facts = writer.finish(threads).unwrap();
    assert_eq!(facts.bytes, std::fs::metadata(path).unwrap().len());
    facts
}

/// Documents as a part gives them back, with whether it keeps their texts.
fn flat(batches: &Batches) -> Vec<(bool, Document)> {
    let documents = |(texts, documents): &(bool, Vec<Document>)| {
        let texts = *texts;
        let pair = move |document: &Document| (texts, document.clone());
        documents.iter().map(pair).collect::<Vec<_>>()
    };
    batches.iter().flat_map(documents).collect()
}

/// A part's postings by the book.
fn postings(documents: &[(bool, Document)], width: Width) -> Vec<Posting> {
    let mut postings = Vec::new();
    for (number, (_, document)) in documents.iter().enumerate() {
        for &(key, position) in &document.keys {
            postings.push(Posting {
                key: width.kept(key),
                document: number as u32,
                position: if width == Width::Full { position } else { 0 },
            });
        }
    }
    postings.sort();
    postings
}

/// Keys to look for: all there are, and their neighbours.
fn questions(postings: &[Posting]) -> Vec<u128> {
    let near = |posting: &Posting| {
        let key = posting.key;
        [key, key.wrapping_add(1), key.wrapping_sub(1), key ^ 1 << 90]
    };
    postings.iter().flat_map(near).collect()
}

/// Asks a part everything and compares each answer; an error passes if `damaged`.
fn compare(part: &Part, documents: &[(bool, Document)], width: Width, damaged: bool) {
    fn same<T: PartialEq + std::fmt::Debug>(found: Result<T>, expected: &T, damaged: bool) {
        match found {
            Ok(found) => assert_eq!(&found, expected),
            Err(error) => assert!(damaged, "{error}"),
        }
    }
    let all = postings(documents, width);
    assert_eq!(part.postings(), all.len() as u64);
    assert_eq!(part.documents(), documents.len() as u32);
    for key in questions(&all) {
        let key = width.kept(key);
        let start = all.partition_point(|posting| posting.key < key) as u64;
        let end = all.partition_point(|posting| posting.key <= key) as u64;
        same(part.find(key), &(start..end), damaged);
        let found = part.postings_in(start..end).collect::<Result<Vec<_>>>();
        same(found, &all[start as usize..end as usize].to_vec(), damaged);
    }
    for (number, posting) in all.iter().enumerate() {
        same(part.posting(number as u64), posting, damaged);
    }
    let mut scratch = TextScratch::default();
    let forth = 0..documents.len();
    for number in forth.clone().chain(forth.rev()) {
        let (texts, document) = &documents[number];
        let row = DocumentRow {
            id: &document.id,
            facts: &document.facts,
        };
        same(part.document(number as u32), &row, damaged);
        let text = texts.then_some(document.text.as_str());
        same(part.text(number as u32, &mut scratch), &text, damaged);
        let alike = |(number, (_, other)): (usize, &(bool, Document))| {
            (other.id == document.id).then_some(number as u32)
        };
        let numbers = documents.iter().enumerate().filter_map(alike).collect();
        same(part.numbers_of(&document.id), &numbers, damaged);
    }
    same(part.numbers_of("nobody"), &Vec::new(), damaged);
    assert!(part.posting(all.len() as u64).is_err());
    assert!(part.document(documents.len() as u32).is_err());
    assert!(part.text(u32::MAX, &mut scratch).is_err());
    assert!(
        part.postings_in(0..u64::MAX)
            .any(|posting| posting.is_err())
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_part_gives_back_what_went_in(batches in batches(), width in width()) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("part");
        let facts = write(&path, width, &batches, 1);
        let part = Part::open(&path, &facts).unwrap();
        part.verify().unwrap();
        prop_assert_eq!(part.width(), width);
        compare(&part, &flat(&batches), width, false);
    }

    #[test]
    fn merged_parts_are_their_living_documents(
        parts in prop::collection::vec(batches(), 0..4),
        width in width(),
        deaths in 1u32..6,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let open = |(index, batches): (usize, &Batches)| {
            let path = directory.path().join(index.to_string());
            let facts = write(&path, width, batches, 2);
            Part::open(&path, &facts).unwrap()
        };
        let opened: Vec<Part> = parts.iter().enumerate().map(open).collect();
        let dead = |part: usize, number: u32| deaths > 1 && (part as u32 + number).is_multiple_of(deaths);
        let path = directory.path().join("merged");
        let facts = merge(&opened.iter().collect::<Vec<_>>(), &dead, &path).unwrap();
        let mut expected = Vec::new();
        for (part, batches) in parts.iter().enumerate() {
            let documents = flat(batches).into_iter().enumerate();
            expected.extend(documents.filter(|(number, _)| !dead(part, *number as u32)).map(|(_, document)| document));
        }
        let merged = Part::open(&path, &facts).unwrap();
        merged.verify().unwrap();
        compare(&merged, &expected, merged.width(), false);
    }
}

/// Documents with keys of one's choosing, eight each.
fn keyed(count: u32, key: impl Fn(u32) -> u128) -> Batches {
    let document = |number: u32| Document {
        id: number.to_string(),
        facts: vec![number as u8],
        text: String::new(),
        keys: (0..8).map(|n| (key(number * 8 + n), n)).collect(),
    };
    vec![(false, (0..count).map(document).collect())]
}

/// A number that looks random.
fn scatter(number: u32) -> u128 {
    u128::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)
}

#[test]
fn keys_are_found_however_they_lie() {
    let directory = tempfile::tempdir().unwrap();
    type Spread = fn(u32) -> u128;
    let spreads: [(&str, Spread); 6] = [
        ("uniform", scatter),
        ("low", u128::from),
        ("steps", |n| u128::from(n / 1000) << 100),
        ("alike", |_| 42),
        ("halves", |n| {
            if n % 2 == 0 {
                u128::from(n)
            } else {
                u128::MAX - u128::from(n)
            }
        }),
        ("powers", |n| 1 << (n % 128)),
    ];
    for (name, key) in spreads {
        for width in [Width::Full, Width::Short] {
            let batches = keyed(1500, key);
            let path = directory.path().join(format!("{name}{width:?}"));
            let facts = write(&path, width, &batches, 1);
            let part = Part::open(&path, &facts).unwrap();
            let all = postings(&flat(&batches), width);
            for key in questions(&all).into_iter().map(|key| width.kept(key)) {
                let start = all.partition_point(|posting| posting.key < key) as u64;
                let end = all.partition_point(|posting| posting.key <= key) as u64;
                assert_eq!(part.find(key).unwrap(), start..end, "{name} {key}");
            }
            part.verify().unwrap();
        }
    }
}

#[test]
fn threads_change_no_byte() {
    let directory = tempfile::tempdir().unwrap();
    let batches = keyed(10_000, |number| scatter(number / 3));
    for width in [Width::Full, Width::Short] {
        let bytes = |threads: usize| {
            let path = directory.path().join(format!("{width:?}{threads}"));
            write(&path, width, &batches, threads);
            std::fs::read(path).unwrap()
        };
        let alone = bytes(1);
        assert!(
            [0, 2, 3, 8]
                .into_iter()
                .all(|threads| bytes(threads) == alone)
        );
    }
}

#[test]
fn a_scratch_serves_several_parts() {
    let directory = tempfile::tempdir().unwrap();
    let open = |text: &str| {
        let mut batches = keyed(3, scatter);
        batches[0].0 = true;
        batches[0].1[1].text = text.to_owned();
        let path = directory.path().join(text);
        let facts = write(&path, Width::Full, &batches, 1);
        Part::open(&path, &facts).unwrap()
    };
    let (one, two) = (open("one"), open("two"));
    let mut scratch = TextScratch::default();
    for _ in 0..2 {
        assert_eq!(one.text(1, &mut scratch).unwrap(), Some("one"));
        assert_eq!(one.text(2, &mut scratch).unwrap(), Some(""));
        assert_eq!(two.text(1, &mut scratch).unwrap(), Some("two"));
    }
}

/// A last page that is exactly full, of postings and of ids.
#[test]
fn full_pages_come_back() {
    let directory = tempfile::tempdir().unwrap();
    for width in [Width::Full, Width::Short] {
        for count in [169u32, 170, 171, 340, 341, 342, 682, 170 * 341] {
            let mut batch = Batch::new(width, false);
            for number in 0..count {
                let key = u128::from(number) << 64 | u128::from(number);
                batch
                    .push(&number.to_string(), &[], "", [(key, 0)].into_iter())
                    .unwrap();
            }
            let path = directory.path().join(format!("{width:?}-{count}"));
            let mut writer = PartWriter::create(&path, width).unwrap();
            writer.append(batch).unwrap();
            let facts = writer.finish(1).unwrap();
            let part = Part::open(&path, &facts).unwrap();
            part.verify().unwrap();
            assert_eq!(part.numbers_of("168").unwrap(), [168]);
        }
    }
}

#[test]
fn parts_of_two_widths_do_not_merge() {
    let directory = tempfile::tempdir().unwrap();
    let open = |width: Width| {
        let path = directory.path().join(format!("{width:?}"));
        let facts = write(&path, width, &keyed(1, scatter), 1);
        Part::open(&path, &facts).unwrap()
    };
    let path = directory.path().join("merged");
    let parts = [&open(Width::Full), &open(Width::Short)];
    let error = merge(&parts, &|_, _| false, &path).unwrap_err().to_string();
    assert!(error.contains("another width"), "{error}");
    assert!(!path.exists());
}

/// The format cannot change by accident: whoever changes it gives it a new version.
#[test]
fn golden_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let golden = |name: &str, width, texts| {
        let mut batches = keyed(40, scatter);
        batches[0].0 = texts;
        for (number, document) in batches[0].1.iter_mut().enumerate() {
            document.text = "duplicate ".repeat(number % 4);
        }
        // It has a block of its own.
        batches[0].1[20].text = "large ".repeat(texts::BLOCK);
        let path = directory.path().join(name);
        let facts = write(&path, width, &batches, 1);
        let bytes = std::fs::read(&path).unwrap();
        (facts.bytes, format!("{:016x}", xxh3_64(&bytes)))
    };
    assert_eq!(
        golden("full", Width::Full, false),
        (9062, "018ead37c5411762".to_owned())
    );
    assert_eq!(
        golden("short", Width::Short, false),
        (4934, "00c9d47c0dbcff5d".to_owned())
    );
    // With texts the bytes hang on zstd too: a new version of it may pack them otherwise, and then only this line changes.
    assert_eq!(
        golden("texts", Width::Full, true),
        (13166, "130f126d979e6606".to_owned())
    );
}

#[test]
fn a_part_of_nothing_works() {
    let directory = tempfile::tempdir().unwrap();
    for width in [Width::Full, Width::Short] {
        let path = directory.path().join(format!("{width:?}"));
        let facts = write(&path, width, &Vec::new(), 4);
        let part = Part::open(&path, &facts).unwrap();
        part.verify().unwrap();
        assert_eq!(part.find(7).unwrap(), 0..0);
        assert!(part.numbers_of("").unwrap().is_empty());
        assert_eq!((part.documents(), part.postings()), (0, 0));
    }
}
