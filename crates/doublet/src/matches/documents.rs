//! The table of all records of a run, in input order: what they are called, where they stand and what they count as.

use std::cmp::Ordering;
use std::path::{Component, Path, PathBuf};

use crate::document::{DocId, Key};
use crate::error::{Error, Result};
use crate::method::sentences::counted;
use crate::progress::{self, Observer, Unit};
use crate::read::{Collection, Place, Rejection, SourceFile};
use crate::scores::Scores;
use xxhash_rust::xxh3::xxh3_64;

/// What a record counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// It could not be read.
    Rejected,
    /// Its text has no token: it matches nothing.
    Empty,
    /// It has a text to compare.
    Text,
}

/// One record, as the first pass saw it.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) place: Place,
    pub(crate) state: State,
    pub(crate) tokens: u32,
    pub(crate) distinct: u32,
    pub(crate) identity: u128,
}

/// The records of one block.
#[derive(Debug, Default)]
pub(crate) struct BlockRows {
    pub(crate) first: u32,
    pub(crate) rows: Vec<Row>,
    pub(crate) ranks: Vec<Option<Rank>>,
    pub(crate) keys: Strings,
    pub(crate) rejections: Vec<(u32, Rejection)>,
    pub(crate) bytes: u64,
}

/// Strings one after the other; an empty one stands for none.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    pub(crate) bytes: String,
    pub(crate) ends: Vec<usize>,
}

impl Strings {
    pub(crate) fn push(&mut self, string: &str) {
        self.bytes.push_str(string);
        self.ends.push(self.bytes.len());
    }

    /// Makes room for so many strings, those of `others`.
    fn reserve<'a>(&mut self, count: usize, others: impl Iterator<Item = &'a Self>) {
        self.ends.reserve_exact(count);
        self.bytes
            .reserve_exact(others.map(|other| other.bytes.len()).sum());
    }

    fn append(&mut self, other: &Self) {
        let base = self.bytes.len();
        self.bytes.push_str(&other.bytes);
        self.ends.extend(other.ends.iter().map(|end| base + end));
    }

    /// Number of strings.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }
}

/// What the texts of a cluster are ranked by, so that it can be read along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankBy {
    /// Their order in the input.
    Nothing,
    /// Characters.
    Length,
    /// A field of the record.
    Field,
}

/// What `--keep` compares; numbers before strings.
#[derive(Clone, Debug, PartialEq)]
pub enum Rank {
    /// A number.
    Number(f64),
    /// Any other value, as text.
    Text(Box<str>),
}

impl Rank {
    /// From a JSON scalar; `null` has no rank.
    pub fn from_json(json: &str) -> Option<Self> {
        match serde_json::from_str(json) {
            Ok(serde_json::Value::Null) | Err(_) => None,
            Ok(serde_json::Value::Number(number)) => number.as_f64().map(Self::Number),
            // Numbers in CSV files are strings there.
            Ok(serde_json::Value::String(text)) => Some(Self::from_text(&text)),
            Ok(other) => Some(Self::Text(other.to_string().into())),
        }
    }

    /// From a value as a person writes it: a number, or any other text.
    pub fn from_text(text: &str) -> Self {
        match text.trim().parse() {
            Ok(number) if f64::is_finite(number) => Self::Number(number),
            _ => Self::Text(text.into()),
        }
    }

    /// Numbers by size, then texts by their characters.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Number(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(_)) => Ordering::Greater,
        }
    }
}

/// What the scores of a pair take in JSON lines, with the names of all fields.
const SCORE_BYTES: u64 = 200;

/// All records of a run. Numbers from [`Documents::references`] on are references.
#[derive(Debug, Default)]
pub struct Documents {
    pub(crate) places: Vec<Place>,
    pub(crate) states: Vec<State>,
    pub(crate) tokens: Vec<u32>,
    pub(crate) distinct: Vec<u32>,
    /// Empty once copies are known.
    pub(crate) identities: Vec<u128>,
    /// Tokens of each text that count for nothing; empty for methods that count all.
    pub(crate) boilerplate: Vec<u32>,
    /// What the terms of each text weigh; empty for methods without weights.
    pub(crate) weights: Vec<u64>,
    pub(crate) ranks: Vec<Option<Rank>>,
    pub(crate) keys: Strings,
    pub(crate) rejections: Vec<(u32, Rejection)>,
    pub(crate) references: u32,
    pub(crate) renumbered: bool,
    pub(crate) bytes: u64,
}

impl Documents {
    pub(crate) fn new(renumbered: bool) -> Self {
        Self {
            renumbered,
            ..Self::default()
        }
    }

    /// Texts of which only what `--keep` ranks them by is known; those from the number `references` on are references.
    pub(crate) fn of_ranks(references: usize, ranks: Vec<Option<Rank>>) -> Self {
        let texts = ranks.len();
        Self {
            places: vec![Place::default(); texts],
            states: vec![State::Text; texts],
            tokens: vec![0; texts],
            distinct: vec![0; texts],
            ranks,
            references: references as u32,
            ..Self::default()
        }
    }

    /// Adds the blocks of a pass over one collection.
    pub(crate) fn extend(&mut self, mut blocks: Vec<BlockRows>) {
        blocks.sort_unstable_by_key(|block| block.first);
        let base = self.places.len() as u32;
        let rows = blocks.iter().map(|block| block.rows.len()).sum();
        self.places.reserve_exact(rows);
        self.states.reserve_exact(rows);
        self.tokens.reserve_exact(rows);
        self.distinct.reserve_exact(rows);
        self.identities.reserve_exact(rows);
        self.keys
            .reserve(rows, blocks.iter().map(|block| &block.keys));
        for block in blocks {
            for row in &block.rows {
                self.places.push(row.place);
                self.states.push(row.state);
                self.tokens.push(row.tokens);
                self.distinct.push(row.distinct);
                self.identities.push(row.identity);
            }
            self.ranks.extend(block.ranks);
            self.keys.append(&block.keys);
            let rejections = block.rejections.into_iter();
            self.rejections
                .extend(rejections.map(|(index, rejection)| (base + index, rejection)));
            self.bytes += block.bytes;
        }
    }

    /// What follows is references.
    pub(crate) fn end_of_input(&mut self) {
        self.references = self.places.len() as u32;
    }

    /// Number of records, references included.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no record at all.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The number of the first reference; the number of input records.
    pub fn references(&self) -> u32 {
        self.references
    }

    /// Bytes of a pair in JSON lines, about: two ids and the scores.
    pub fn mean_pair_bytes(&self) -> u64 {
        2 * (self.keys.bytes.len() / self.len().max(1)) as u64 + SCORE_BYTES
    }

    /// What a record counts as.
    pub fn state(&self, document: DocId) -> State {
        self.states[document.index()]
    }

    /// Where a record stands.
    pub fn place(&self, document: DocId) -> Place {
        self.places[document.index()]
    }

    /// Tokens of a text.
    pub fn tokens(&self, document: DocId) -> u32 {
        self.tokens[document.index()]
    }

    /// The scores of a text with a copy of itself.
    pub(crate) fn identical_scores(&self, text: u32) -> Scores {
        let distinct = self.distinct[text as usize];
        Scores::identical(distinct, self.counted(text), self.weight(text))
    }

    /// Tokens of a text that count; all, if none would.
    pub(crate) fn counted(&self, text: u32) -> u32 {
        let tokens = self.tokens[text as usize];
        let boilerplate = self.boilerplate.get(text as usize).copied().unwrap_or(0);
        counted(tokens, boilerplate)
    }

    /// What the terms of a text weigh; 0 where they have no weights.
    pub(crate) fn weight(&self, text: u32) -> u64 {
        self.weights.get(text as usize).copied().unwrap_or(0)
    }

    /// All tokens of all texts.
    pub fn total_tokens(&self) -> u64 {
        self.tokens.iter().map(|&tokens| u64::from(tokens)).sum()
    }

    /// Bytes of input, decompressed.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Tokens of the middle text, of those that have any.
    pub fn median_tokens(&self) -> u32 {
        let mut tokens: Vec<u32> = self.tokens.iter().copied().filter(|&t| t > 0).collect();
        let middle = tokens.len() / 2;
        if tokens.is_empty() {
            return 0;
        }
        *tokens.select_nth_unstable(middle).1
    }

    /// The records that could not be read, in input order.
    pub fn rejections(&self) -> &[(u32, Rejection)] {
        &self.rejections
    }

    /// What `--keep` ranks a text by, if it has it.
    pub fn rank(&self, document: DocId) -> Option<&Rank> {
        self.ranks.get(document.index())?.as_ref()
    }

    /// The user's id of a record as JSON: the one it carries, or file and line.
    pub fn key(&self, document: DocId, source: &Source) -> Key<'_> {
        if self.renumbered {
            return Key(document.0.to_string().into());
        }
        match self.keys.get(document.index()) {
            "" => Key::from_text(&self.name(document, source)),
            json => Key::from_json(json),
        }
    }

    /// `file:line` of a record.
    pub fn name(&self, document: DocId, source: &Source) -> String {
        let place = &self.places[document.index()];
        source.collection(document, self).name_of(place)
    }

    /// Two records of the input with one id are an error; a reference may share its id with a text.
    pub(crate) fn check_keys(&self, source: &Source) -> Result<()> {
        if self.renumbered {
            return Ok(());
        }
        let references = self.references as usize;
        for range in [0..references, references..self.len()] {
            let mut hashes: Vec<(u64, u32)> = range
                .filter(|&index| !self.keys.get(index).is_empty())
                .map(|index| (xxh3_64(self.keys.get(index).as_bytes()), index as u32))
                .collect();
            hashes.sort_unstable();
            let twice = hashes.windows(2).filter(|pair| {
                pair[0].0 == pair[1].0
                    && self.keys.get(pair[0].1 as usize) == self.keys.get(pair[1].1 as usize)
            });
            if let Some(pair) = twice.min_by_key(|pair| pair[1].1) {
                let (first, second) = (DocId(pair[0].1), DocId(pair[1].1));
                if self.name(first, source) == self.name(second, source) {
                    return Err(Error::GivenTwice(self.name(first, source)));
                }
                return Err(Error::DuplicateKey {
                    key: self.keys.get(first.index()).to_owned(),
                    first: self.name(first, source),
                    second: self.name(second, source),
                });
            }
        }
        Ok(())
    }
}

/// Where the texts come from: the input and, if any, the references.
#[derive(Debug)]
pub struct Source {
    /// The input.
    pub input: Collection,
    /// Texts that are never removed, which the input is compared with.
    pub references: Option<Collection>,
}

impl Source {
    /// All files, of input and references.
    pub(crate) fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.collections().flat_map(|collection| collection.files())
    }

    /// That all files are what they were when they were opened.
    pub(crate) fn expect_unchanged(&self) -> Result<()> {
        self.files().try_for_each(SourceFile::expect_unchanged)
    }

    fn collections(&self) -> impl Iterator<Item = &Collection> {
        std::iter::once(&self.input).chain(&self.references)
    }

    /// Whether a part of it came in by standard input or is in memory, which cannot be read by another run.
    pub(crate) fn is_fleeting(&self) -> bool {
        self.collections().any(Collection::is_fleeting)
    }

    /// Unpacks what has to be, so that records can be fetched although the texts are not read.
    pub(crate) fn unpack(&self, observer: &dyn Observer) -> Result<()> {
        let packed = self.collections().map(Collection::packed_bytes).sum();
        if packed == 0 {
            return Ok(());
        }
        progress::begin(observer, "unpacking", Some(packed), Unit::Bytes)?;
        let mut advance = |bytes: u64| progress::advance(observer, bytes);
        self.collections()
            .try_for_each(|collection| collection.unpack(&mut advance))
    }

    /// The name of a file of the source that is this file, or lies in this directory. Such a place is not to be written to.
    pub fn file_within(&self, place: &Path) -> Option<&str> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let place = real(place);
        let mut files = self.files();
        files
            .find(|file| real(file.path()).starts_with(&place))
            .map(SourceFile::name)
    }

    /// The directory among the inputs that a place lies in, whether it is there yet or not. What is written there would be read
    /// by the next run, unless it is hidden.
    pub fn directory_around(&self, place: &Path) -> Option<&str> {
        let place = real(place);
        let is_around = |directory: &&String| {
            let inside = place.strip_prefix(real(Path::new(directory)));
            let hidden = |part: Component<'_>| {
                let name = part.as_os_str().to_string_lossy();
                name.starts_with('.')
            };
            inside.is_ok_and(|inside| {
                let mut parts = inside.components().peekable();
                parts.peek().is_some() && !parts.any(hidden)
            })
        };
        let mut directories = self.collections().flat_map(Collection::directories);
        directories.find(is_around).map(String::as_str)
    }

    /// A text, read again.
    pub(crate) fn text(&self, document: DocId, documents: &Documents) -> Result<String> {
        let place = documents.place(document);
        let mut buffer = Vec::new();
        let record = self
            .collection(document, documents)
            .fetch(&place, &mut buffer)?;
        Ok(record.text.into_owned())
    }

    /// The collection that a record belongs to.
    pub fn collection(&self, document: DocId, documents: &Documents) -> &Collection {
        match &self.references {
            Some(references) if document.0 >= documents.references => references,
            _ => &self.input,
        }
    }
}

/// A path as the system knows it, as far as it is there.
fn real(path: &Path) -> PathBuf {
    for known in path.ancestors() {
        let here = known.as_os_str().is_empty();
        let found = if here { Path::new(".") } else { known }.canonicalize();
        if let (Ok(mut found), Ok(rest)) = (found, path.strip_prefix(known)) {
            for part in rest.components() {
                match part {
                    Component::ParentDir => drop(found.pop()),
                    part => found.push(part),
                }
            }
            return found;
        }
    }
    path.to_owned()
}
