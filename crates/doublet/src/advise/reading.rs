//! The first reading: every record once, for what can be told of it alone.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::AdviseOptions;
use super::copies::CopyCounter;
use super::lengths::{Lengths, words_and_characters};
use super::sample::Sample;
use crate::batch::scan::{self, Extent};
use crate::error::Result;
use crate::method::shingles::{Prepared, Preparer};
use crate::options::{NormalizeOptions, Numbers, ShingleOptions};
use crate::progress::{self, Observer, Unit};
use crate::read::{Block, Collection, Rejection, expect_some};

/// Bad records that are told by name.
const NAMED: usize = 5;

/// What one reading of all records says.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) records: u64,
    pub(super) empty: u64,
    pub(super) rejected: u64,
    pub(super) rejections: Vec<(u32, Rejection)>,
    /// Bytes of the records, unpacked.
    pub(super) bytes: u64,
    pub(super) words: Lengths,
    pub(super) characters: Lengths,
    /// Different texts, byte by byte.
    pub(super) texts: CopyCounter,
    /// Different sequences of words, all numbers being one word.
    pub(super) wordings: CopyCounter,
    /// The same with numbers told apart.
    pub(super) numbers: CopyCounter,
    pub(super) ids: CopyCounter,
    pub(super) sample: Sample,
    prepared: Prepared,
    digits: Vec<u8>,
}

/// What makes identities, whatever is advised later. Numbers are told apart by themselves.
pub(super) fn base_preparer() -> Result<Preparer> {
    let normalize = NormalizeOptions {
        numbers: Numbers::Token,
        ..NormalizeOptions::default()
    };
    Preparer::new(&normalize, &ShingleOptions::default())
}

/// The number that texts of the same words share; all numbers are one word. `None` for a text without a word.
pub(super) fn identity(preparer: &Preparer, text: &str, prepared: &mut Prepared) -> Option<u64> {
    preparer.prepare(text, prepared);
    // What is left of 128 bits is as good: these are estimates.
    (prepared.tokens > 0).then(|| prepared.identity() as u64)
}

/// Reads the whole collection.
pub(super) fn read(
    collection: &Collection,
    options: &AdviseOptions,
    observer: &dyn Observer,
) -> Result<Reading> {
    let preparer = base_preparer()?;
    progress::begin(observer, "reading", collection.total_bytes(), Unit::Bytes)?;
    let states = scan::scan(
        collection,
        Extent::Whole,
        options.resources.threads,
        observer,
        || Reading::new(options),
        |reading, block| reading.block(block, &preparer, options),
    )?;
    let mut all = Reading::new(options);
    states.into_iter().for_each(|reading| all.merge(reading));
    let first = all.rejections.first().map(|(_, first)| first);
    expect_some(all.records - all.rejected, all.rejected, first)?;
    Ok(all)
}

impl Reading {
    fn new(options: &AdviseOptions) -> Self {
        Self {
            records: 0,
            empty: 0,
            rejected: 0,
            rejections: Vec::new(),
            bytes: 0,
            words: Lengths::default(),
            characters: Lengths::default(),
            texts: CopyCounter::default(),
            wordings: CopyCounter::default(),
            numbers: CopyCounter::default(),
            ids: CopyCounter::default(),
            sample: Sample::new(options.sample, options.seed),
            prepared: Prepared::default(),
            digits: Vec::new(),
        }
    }

    fn block(&mut self, block: &Block, preparer: &Preparer, options: &AdviseOptions) -> Result<()> {
        self.bytes += block.bytes() as u64;
        for found in block.records(options.strict) {
            self.records += 1;
            match found? {
                (index, Ok(record)) => {
                    if let Some(key) = &record.key {
                        self.ids.add(xxh3_64(key.as_json().as_bytes()));
                    }
                    self.text(block, index, &record.text, preparer);
                }
                (index, Err(rejection)) => {
                    self.rejected += 1;
                    self.rejections
                        .push((block.first + index as u32, rejection));
                    self.name_first_rejections();
                }
            }
        }
        Ok(())
    }

    fn text(&mut self, block: &Block, index: usize, text: &str, preparer: &Preparer) {
        let Some(identity) = identity(preparer, text, &mut self.prepared) else {
            self.empty += 1;
            return;
        };
        let (words, characters) = words_and_characters(text, self.prepared.tokens);
        self.words.add(words);
        self.characters.add(characters);
        self.texts.add(xxh3_64(text.as_bytes()));
        self.wordings.add(identity);
        numbers(text, &mut self.digits);
        self.numbers.add(xxh3_64_with_seed(&self.digits, identity));
        let number = block.first + index as u32;
        self.sample.add(identity, number, block.place(index));
    }

    fn name_first_rejections(&mut self) {
        self.rejections.sort_unstable_by_key(|(number, _)| *number);
        self.rejections.truncate(NAMED);
    }

    fn merge(&mut self, other: Self) {
        self.records += other.records;
        self.empty += other.empty;
        self.rejected += other.rejected;
        self.bytes += other.bytes;
        self.rejections.extend(other.rejections);
        self.name_first_rejections();
        self.words.merge(other.words);
        self.characters.merge(other.characters);
        self.texts.merge(other.texts);
        self.wordings.merge(other.wordings);
        self.numbers.merge(other.numbers);
        self.ids.merge(other.ids);
        self.sample.merge(other.sample);
    }
}

/// The numbers of a text, each followed by a space.
fn numbers(text: &str, out: &mut Vec<u8>) {
    out.clear();
    for byte in text.bytes() {
        if byte.is_ascii_digit() {
            out.push(byte);
        } else if out.last().is_some_and(u8::is_ascii_digit) {
            out.push(b' ');
        }
    }
}
