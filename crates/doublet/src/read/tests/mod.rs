//! Tests of reading as a whole: files in, records out, for every format with its good and bad inputs.

mod formats;
mod laws;
mod memory;
mod packed;

use std::path::Path;

use super::{Collection, Place, Tables};
use crate::options::{Format, ReadOptions};

/// A record or the reason why it was rejected, with everything that a test may ask for.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    key: Option<String>,
    text: String,
    rank: Option<String>,
    reason: Option<String>,
    place: Place,
}

fn options(format: Option<Format>) -> ReadOptions {
    ReadOptions {
        format,
        ..ReadOptions::default()
    }
}

fn open(path: &Path, options: &ReadOptions, temp: &Path) -> Collection {
    Collection::open(&[path.to_string_lossy().into_owned()], options, temp).unwrap()
}

/// All records of one pass; checks that numbers run through.
fn pass(collection: &Collection) -> Vec<Seen> {
    let mut blocks = collection.blocks().unwrap();
    let mut all = Vec::new();
    while let Some(block) = blocks.next_block().unwrap() {
        assert_eq!(block.first as usize, all.len());
        assert!(!block.is_empty());
        for i in 0..block.len() {
            let place = block.place(i);
            all.push(match block.decode(i) {
                Ok(record) => Seen {
                    key: record.key.map(|key| key.as_json().to_owned()),
                    text: record.text.into_owned(),
                    rank: record.rank.map(|rank| rank.into_owned()),
                    reason: None,
                    place,
                },
                Err(rejection) => {
                    assert_eq!(rejection.line, place.line);
                    Seen {
                        key: None,
                        text: String::new(),
                        rank: None,
                        reason: Some(rejection.reason),
                        place,
                    }
                }
            });
        }
    }
    assert_eq!(Some(blocks.bytes_read()), collection.total_bytes());
    all
}

/// Reads bytes as a file of the format; checks that a second pass, other block sizes and fetching agree.
fn read(bytes: &[u8], options: &ReadOptions) -> Vec<Seen> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("input");
    std::fs::write(&path, bytes).unwrap();
    let mut collection = open(&path, options, dir.path());
    let first = pass(&collection);
    assert_eq!(pass(&collection), first, "second pass");
    for size in [1, 7, 64] {
        if bytes.len() < 10_000 {
            collection.block_size = size;
            assert_eq!(pass(&collection), first, "blocks of {size}");
        }
    }
    fetched(&collection, &first);
    first
}

/// Checks that what is fetched is what was decoded.
fn fetched(collection: &Collection, all: &[Seen]) {
    let mut buffer = Vec::new();
    let good: Vec<&Seen> = all.iter().filter(|seen| seen.reason.is_none()).collect();
    for seen in &good {
        let record = collection.fetch(&seen.place, &mut buffer).unwrap();
        assert_eq!(record.text, seen.text);
        assert_eq!(record.key.map(|key| key.as_json().to_owned()), seen.key);
    }
    let places: Vec<Place> = good.iter().map(|seen| seen.place).collect();
    let mut texts = Vec::new();
    collection
        .fetch_run(&places, &mut buffer, &mut |index, record| {
            assert_eq!(index, texts.len());
            texts.push(record.unwrap().text.into_owned());
        })
        .unwrap();
    assert!(texts.iter().eq(good.iter().map(|seen| &seen.text)));
}

fn read_as(format: Format, bytes: &[u8]) -> Vec<Seen> {
    read(bytes, &options(Some(format)))
}

fn texts(all: &[Seen]) -> Vec<&str> {
    all.iter().map(|seen| seen.text.as_str()).collect()
}

fn reason(seen: &Seen) -> &str {
    seen.reason.as_deref().unwrap_or("not rejected")
}
