//! The law of readers: however bytes are handed over, the same records come out, and each stands where it is said to.
//!
//! A file is read in one pass and again, in blocks of other sizes, from standard input, and packed by gzip and zstd. Records are
//! fetched by their places, written down as `dedup` keeps them, and read once more.

use std::cell::RefCell;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use doublet::DocId;
use doublet::options::{Format, ReadOptions};
use doublet::progress::Silent;
use doublet::read::inside::{open_with_input, set_block_size};
use doublet::read::{Collection, Place};
use doublet::report::kept::{Cuts, write_kept};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::value::RawValue;
use tempfile::TempDir;

/// Inputs beyond this length are not read in small blocks, which takes time quadratic in their length.
const SMALL: usize = 16 << 10;

/// A record, or why it was rejected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) key: Option<String>,
    pub(crate) text: String,
    rank: Option<String>,
    pub(crate) reason: Option<String>,
    place: Place,
    raw: Vec<u8>,
}

impl Seen {
    /// Where it stands.
    pub(crate) fn place(&self) -> Place {
        self.place
    }
}

thread_local! {
    static SCRATCH: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

/// A directory for the files of one input: this thread's own, used again and again.
pub(crate) fn scratch() -> PathBuf {
    SCRATCH.with_borrow_mut(|kept| {
        let make = || tempfile::tempdir().expect("a directory for temporary files");
        kept.get_or_insert_with(make).path().to_owned()
    })
}

/// Writes a file into the directory of this thread and gives its path.
pub(crate) fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let path = scratch().join(name);
    std::fs::write(&path, bytes).expect("a temporary file");
    path
}

/// Reads bytes as a file of the format and holds the readings against each other. Gives the records, or nothing if the file was
/// refused as a whole.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Option<Vec<Seen>> {
    let path = write("input", bytes);
    let name = path.to_string_lossy().into_owned();
    let opened = open(&path, options);
    let from_input = open_with_input(&["-".to_owned()], options, &scratch(), &mut &*bytes);
    let mut collection = match opened {
        Ok(collection) => collection,
        Err(error) => {
            assert!(error.to_string().contains(&name), "no file named: {error}");
            assert!(
                from_input.is_err(),
                "standard input is not refused: {error}"
            );
            return None;
        }
    };
    let first = match pass(&collection) {
        Ok(first) => first,
        Err(error) => {
            assert!(error.contains(&name), "no file named: {error}");
            assert!(pass(&collection).is_err(), "the second pass is whole");
            return None;
        }
    };
    assert_eq!(pass(&collection).as_ref(), Ok(&first), "second pass");
    if bytes.len() <= SMALL {
        for size in [1, 7, 64] {
            set_block_size(&mut collection, size);
            assert_eq!(pass(&collection).as_ref(), Ok(&first), "blocks of {size}");
        }
    }
    fetch_again(&collection, &first);
    let unnamed = |seen: &Seen| Seen {
        key: None,
        ..seen.clone()
    };
    let again = from_input.map_err(|error| error.to_string());
    let again = again.and_then(|collection| pass(&collection));
    let again = again.unwrap_or_else(|error| panic!("standard input is refused: {error}"));
    assert!(
        again.iter().map(unnamed).eq(first.iter().map(unnamed)),
        "standard input: {again:?} and {first:?}"
    );
    keep(&collection, options, &first);
    Some(first)
}

/// Holds what is read from a packed file against what was read before.
pub(crate) fn read_packed(bytes: &[u8], options: &ReadOptions, first: &[Seen]) {
    // What is packed itself is unpacked once.
    if bytes.starts_with(b"\x1f\x8b") || bytes.starts_with(b"\x28\xb5\x2f\xfd") {
        return;
    }
    let packed = [("input.gz", gzip(bytes)), ("input.zst", zstd(bytes))];
    for (name, packed) in packed {
        let path = write(name, &packed);
        let collection = open(&path, options);
        let mut collection = collection.unwrap_or_else(|error| panic!("{name}: {error}"));
        set_block_size(&mut collection, 64);
        let seen = pass(&collection).unwrap_or_else(|error| panic!("{name}: {error}"));
        // A file that is one text is called by its name.
        let same = |(a, b): (&Seen, &Seen)| {
            Seen {
                key: None,
                ..a.clone()
            } == Seen {
                key: None,
                ..b.clone()
            }
        };
        let all = seen.len() == first.len() && seen.iter().zip(first).all(same);
        assert!(all, "{name}: {seen:?} and {first:?}");
        fetch_again(&collection, &seen);
    }
}

/// Opens one file.
pub(crate) fn open(path: &Path, options: &ReadOptions) -> doublet::Result<Collection> {
    let inputs = [path.to_string_lossy().into_owned()];
    Collection::open(&inputs, options, &scratch())
}

/// All records of a pass, or the error that ended it.
pub(crate) fn pass(collection: &Collection) -> Result<Vec<Seen>, String> {
    let told = |error: doublet::Error| error.to_string();
    let mut blocks = collection.blocks().map_err(told)?;
    let mut all: Vec<Seen> = Vec::new();
    while let Some(block) = blocks.next_block().map_err(told)? {
        assert_eq!(block.first as usize, all.len(), "numbers run through");
        assert!(!block.is_empty(), "a block without records");
        for i in 0..block.len() {
            let (place, raw) = (block.place(i), block.raw(i).to_vec());
            assert_eq!(place.length as usize, raw.len(), "the length of a record");
            let mut seen = Seen {
                key: None,
                text: String::new(),
                rank: None,
                reason: None,
                place,
                raw,
            };
            match block.decode(i) {
                Ok(record) => {
                    seen.key = record.key.map(|key| key.as_json().to_owned());
                    seen.text = record.text.into_owned();
                    seen.rank = record.rank.map(|rank| rank.into_owned());
                }
                Err(rejection) => {
                    assert_eq!(
                        rejection.line, place.line,
                        "a rejection is told by its line"
                    );
                    assert!(!rejection.reason.is_empty(), "a rejection has a reason");
                    seen.reason = Some(rejection.reason);
                }
            }
            all.push(seen);
        }
    }
    assert_eq!(
        Some(blocks.bytes_read()),
        collection.total_bytes(),
        "all bytes are read"
    );
    keys_are_json(&all);
    Ok(all)
}

/// That ids and ranks are scalars of JSON.
fn keys_are_json(all: &[Seen]) {
    for seen in all {
        for json in seen.key.iter().chain(&seen.rank) {
            let value: Result<&RawValue, _> = serde_json::from_str(json);
            assert!(value.is_ok(), "no JSON: {json}");
        }
    }
}

/// That records fetched by their places are those of the pass.
fn fetch_again(collection: &Collection, all: &[Seen]) {
    let good: Vec<&Seen> = all.iter().filter(|seen| seen.reason.is_none()).collect();
    let mut buffer = Vec::new();
    for seen in &good {
        let record = collection.fetch(&seen.place, &mut buffer);
        let record = record.unwrap_or_else(|error| panic!("not fetched: {error}"));
        assert_eq!(record.text, seen.text, "fetched text");
        let key = record.key.map(|key| key.as_json().to_owned());
        assert_eq!(key, seen.key, "fetched id");
    }
    let places: Vec<Place> = good.iter().map(|seen| seen.place).collect();
    let mut texts = Vec::new();
    let fetched = collection.fetch_run(&places, &mut buffer, &mut |index, record| {
        assert_eq!(index, texts.len(), "fetched in order");
        texts.push(record.map(|record| record.text.into_owned()));
    });
    assert!(fetched.is_ok(), "a run is not fetched");
    let expected = good.iter().map(|seen| Ok(seen.text.clone()));
    assert!(texts.into_iter().eq(expected), "texts of a run");
}

/// That records stand in the bytes where their places say, in order and apart; with `lines`, on the lines that they say.
pub(crate) fn stand_in_place(bytes: &[u8], all: &[Seen], lines: bool) {
    let mut end = 0;
    for seen in all {
        let start = seen.place.offset as usize;
        assert!(start >= end, "records overlap");
        end = start + seen.raw.len();
        assert_eq!(
            bytes.get(start..end),
            Some(&*seen.raw),
            "a record stands elsewhere"
        );
        if lines {
            let before = bytes[..start].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(seen.place.line, before as u64 + 1, "the line of a record");
        }
    }
}

/// Bytes of the byte order mark at the front, which belongs to no record.
pub(crate) fn mark(bytes: &[u8]) -> usize {
    match bytes.starts_with(b"\xef\xbb\xbf") {
        true => 3,
        false => 0,
    }
}

/// What stands between records: nothing but what `is_nothing` allows.
pub(crate) fn nothing_between(
    bytes: &[u8],
    all: &[Seen],
    from: usize,
    is_nothing: impl Fn(u8) -> bool,
) {
    let mut end = from;
    for seen in all {
        let start = seen.place.offset as usize;
        let between = bytes.get(end..start).unwrap_or_default();
        assert!(
            between.iter().all(|byte| is_nothing(*byte)),
            "passed over: {between:?}"
        );
        end = start + seen.raw.len();
    }
    let rest = bytes.get(end..).unwrap_or_default();
    assert!(
        rest.iter().all(|byte| is_nothing(*byte)),
        "passed over at the end: {rest:?}"
    );
}

/// Whether records of a format can lose passages.
fn can_be_cut(format: Option<Format>) -> bool {
    matches!(
        format,
        Some(Format::JsonLines | Format::Csv | Format::Tsv | Format::Lines | Format::Text)
    )
}

/// That what is kept of a collection reads as it did, without the passages that left it.
fn keep(collection: &Collection, options: &ReadOptions, all: &[Seen]) {
    let stays = |number: usize| all[number].reason.is_none() && number % 3 != 1;
    let mut cuts = Cuts::default();
    let mut expected = Vec::new();
    for (number, seen) in all.iter().enumerate().filter(|(number, _)| stays(*number)) {
        let parts = match can_be_cut(options.format) && number % 2 == 0 {
            true => passages(&seen.text),
            false => Vec::new(),
        };
        let document = DocId(number as u32);
        cuts.0.extend(
            parts
                .iter()
                .map(|part| (document, part.start as u32, part.end as u32)),
        );
        expected.push((seen.key.clone(), without(&seen.text, &parts)));
    }
    let directory = scratch().join("kept");
    let _may_be_missing = std::fs::remove_dir_all(&directory);
    std::fs::create_dir(&directory).expect("a temporary directory");
    let kept = write_kept(
        collection,
        &directory,
        &|id| stays(id.index()),
        &cuts,
        &Silent,
    );
    let kept = match kept {
        Ok(kept) => kept,
        // Columns that nobody had to read so far may be damaged.
        Err(_) if options.format == Some(Format::Parquet) => return,
        Err(error) => panic!("nothing kept: {error}"),
    };
    let whole_files = matches!(
        options.format,
        Some(Format::Text | Format::Html | Format::Xml)
    );
    let mut found = Vec::new();
    for path in kept.iter().flat_map(|path| files_in(path)) {
        let seen = open(&path, options).map_err(|error| error.to_string());
        let seen = seen.and_then(|collection| pass(&collection));
        let seen = seen.unwrap_or_else(|error| panic!("what was kept is refused: {error}"));
        found.extend(seen);
    }
    assert!(
        found.iter().all(|seen| seen.reason.is_none()),
        "kept and rejected: {found:?}"
    );
    let key = |key: Option<String>| key.filter(|_| !whole_files);
    let found = found.into_iter().map(|seen| (key(seen.key), seen.text));
    let found: Vec<_> = found.collect();
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(id, text)| (key(id), text))
        .collect();
    assert_eq!(found, expected, "what was kept reads differently");
}

/// A file, or the files below a directory.
fn files_in(path: &Path) -> Vec<PathBuf> {
    match std::fs::read_dir(path) {
        Ok(entries) => entries
            .flatten()
            .flat_map(|entry| files_in(&entry.path()))
            .collect(),
        Err(_) => vec![path.to_owned()],
    }
}

/// Some passages of a text: every third character, and a stretch in its middle.
fn passages(text: &str) -> Vec<Range<usize>> {
    let places: Vec<(usize, char)> = text.char_indices().collect();
    let middle = places.len() / 3..places.len() / 2;
    let leaves = |(number, _): &(usize, &(usize, char))| number % 3 == 1 || middle.contains(number);
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (_, (start, c)) in places.iter().enumerate().filter(leaves) {
        let end = start + c.len_utf8();
        match parts.last_mut() {
            Some(last) if last.end == *start => last.end = end,
            _ => parts.push(*start..end),
        }
    }
    parts
}

fn without(text: &str, parts: &[Range<usize>]) -> String {
    let mut left = String::new();
    let mut from = 0;
    for part in parts {
        left.push_str(&text[from..part.start]);
        from = part.end;
    }
    left + &text[from..]
}

/// Bytes packed by gzip, in two members where there are enough of them.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let member = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
        written.expect("gzip in memory")
    };
    [member(first), member(second)].concat()
}

/// Bytes packed by zstd, in two frames.
pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let frame = |bytes: &[u8]| zstd::bulk::compress(bytes, 1).expect("zstd in memory");
    [frame(first), frame(second)].concat()
}
