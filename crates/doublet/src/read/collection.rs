//! Stage 1, read: a collection of files, read in passes and by place.
//!
//! In: the inputs of the command line. Out: blocks, pass after pass, and single records again, by any thread. A pass opens
//! files anew; fetching goes by offset, into the file itself or into its spool.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::block::{Block, BlockReader};
use super::decode::Fields;
use super::expand::{expand, is_stream};
use super::source::SourceFile;
use super::table::Tables;
use super::{Place, Record, Rejection};
use crate::document::Key;
use crate::error::{Error, Result, io_error};
use crate::files::{self, File, TemporaryFile, TemporaryPath};
use crate::options::ReadOptions;

/// Bytes of a block, about.
const BLOCK: usize = 1 << 20;
/// With more files than this, those that are read again are opened anew each time.
const MOST_OPEN: usize = 256;
/// Records closer together than this are fetched by one read …
const GAP: u64 = 8 << 10;
/// … of at most this many bytes, unless one record is longer.
const RUN: u64 = 4 << 20;

/// An input, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPath {
    /// As it was typed: a file, a directory, a glob, `-`.
    pub given: String,
    /// The absolute path; none of what cannot be read again: standard input, a pipe, data in memory.
    pub path: Option<String>,
}

impl InputPath {
    fn new(given: &str, tables: &Tables) -> Self {
        let is_lasting = !tables.contains_key(given) && !is_stream(given);
        let path = is_lasting.then(|| std::path::absolute(given).ok());
        Self {
            given: given.to_owned(),
            path: path
                .flatten()
                .map(|path| path.to_string_lossy().into_owned()),
        }
    }
}

/// The texts of one run: files that can be read several times.
#[derive(Debug)]
pub struct Collection {
    files: Vec<SourceFile>,
    /// The inputs.
    inputs: Vec<InputPath>,
    /// The inputs that are directories, as they were given.
    directories: Vec<String>,
    pub(super) temp_dir: PathBuf,
    pub(super) block_size: usize,
    /// Copies of standard input and other streams, which go with it.
    copies: Vec<TemporaryPath>,
}

impl Collection {
    /// Finds and opens the files that `inputs` name: files, directories, globs, and `-` for standard input, which is copied
    /// into `temp_dir` first, as pipes and devices are. Files that need unpacking are unpacked into `temp_dir` by the first full pass.
    pub fn open(inputs: &[String], options: &ReadOptions, temp_dir: &Path) -> Result<Collection> {
        Self::open_among(inputs, options, temp_dir, &Tables::new(), 0)
    }

    /// Opens inputs of which those that are the name of a table are that table. Its rows, if they have no ids, are numbered from
    /// `first_number` on.
    pub fn open_among(
        inputs: &[String],
        options: &ReadOptions,
        temp_dir: &Path,
        tables: &Tables,
        first_number: u64,
    ) -> Result<Collection> {
        // Not locked: whoever reads no standard input must not wait for one who does.
        let input = &mut std::io::stdin();
        Self::open_with(inputs, options, temp_dir, (tables, first_number), input)
    }

    /// Opens with another standard input.
    pub(super) fn open_with(
        inputs: &[String],
        options: &ReadOptions,
        temp_dir: &Path,
        (tables, first_number): (&Tables, u64),
        standard_input: &mut dyn std::io::Read,
    ) -> Result<Collection> {
        let fields = Arc::new(Fields::new(options));
        let mut files = Vec::new();
        let (mut copies, mut standard_input) = (Vec::new(), Some(standard_input));
        let mut numbered = first_number;
        for mut found in expand(inputs, options.format.is_some(), tables)? {
            if let Some(table) = &found.table {
                let file = SourceFile::of_table(found.name, table, &fields, numbered)?;
                numbered += file.rows_in_memory().unwrap_or(0);
                files.push(file);
                continue;
            }
            if found.is_stream {
                let copy = match found.standard_input {
                    true => {
                        let input = standard_input.take().ok_or(Error::SecondStandardInput)?;
                        copy_stream(input, Path::new("standard input"), temp_dir)?
                    }
                    false => {
                        let input = File::open(&found.path);
                        let mut input = input.map_err(io_error("open", &found.path))?;
                        copy_stream(&mut input, &found.path, temp_dir)?
                    }
                };
                found.path = copy.path().to_owned();
                copies.push(copy);
            }
            files.push(SourceFile::open(found, options, &fields)?);
        }
        let is_directory =
            |input: &&String| !tables.contains_key(*input) && Path::new(input).is_dir();
        Ok(Collection {
            files,
            inputs: inputs
                .iter()
                .map(|input| InputPath::new(input, tables))
                .collect(),
            directories: inputs.iter().filter(is_directory).cloned().collect(),
            temp_dir: temp_dir.to_owned(),
            block_size: BLOCK,
            copies,
        })
    }

    /// The files, in the order in which they are read.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The inputs, so that another program can find them.
    pub fn inputs(&self) -> &[InputPath] {
        &self.inputs
    }

    /// The inputs that are directories, as they were given; all files in them are read that have a known ending.
    pub fn directories(&self) -> &[String] {
        &self.directories
    }

    /// Rows of the tables in memory.
    pub fn rows_in_memory(&self) -> u64 {
        let rows = self.files.iter().filter_map(SourceFile::rows_in_memory);
        rows.sum()
    }

    /// Bytes on disk of all files, for progress.
    pub fn total_bytes(&self) -> Option<u64> {
        Some(self.files.iter().map(|file| file.size).sum())
    }

    /// Whether one of the files is the copy of a stream, or data in memory, which another run cannot read.
    pub(crate) fn is_fleeting(&self) -> bool {
        !self.copies.is_empty() || self.files.iter().any(SourceFile::is_in_memory)
    }

    /// Bytes on disk of the files that have yet to be unpacked before records can be fetched.
    pub(crate) fn packed_bytes(&self) -> u64 {
        let packed = self.files.iter().filter(|file| !file.is_ready());
        packed.map(|file| file.size).sum()
    }

    /// Unpacks those files, as the first full pass would. `advance` gets the bytes on disk that are used up and may end it.
    pub(crate) fn unpack(&self, advance: &mut dyn FnMut(u64) -> Result<()>) -> Result<()> {
        let mut piece = Vec::new();
        for file in self.files.iter().filter(|file| !file.is_ready()) {
            let mut stream = file.stream(&self.temp_dir, 0)?;
            let mut ended = false;
            while !ended {
                let before = stream.used();
                piece.clear();
                ended = stream.fill(&mut piece, self.block_size)?;
                advance(stream.used().saturating_sub(before))?;
            }
        }
        Ok(())
    }

    /// A pass over all records. Each pass gives the same blocks with the same numbers.
    pub fn blocks(&self) -> Result<BlockReader<'_>> {
        Ok(BlockReader::new(self, 1))
    }

    /// A pass over about one block in `every`, spread evenly, for sampling. Numbers and lines mean nothing there.
    pub fn sample_blocks(&self, every: usize) -> Result<BlockReader<'_>> {
        Ok(BlockReader::new(self, every))
    }

    /// Reads one record again. Places come from a full pass; any thread may fetch at any time after its block was read.
    ///
    /// # Errors
    /// The file cannot be read any more, or the place is that of a rejected record.
    pub fn fetch<'a>(&'a self, place: &Place, buffer: &'a mut Vec<u8>) -> Result<Record<'a>> {
        self.fetch_with_raw(place, buffer).map(|(record, _)| record)
    }

    /// Reads one record again, and gives its raw bytes along with it.
    pub(crate) fn fetch_with_raw<'a>(
        &'a self,
        place: &Place,
        buffer: &'a mut Vec<u8>,
    ) -> Result<(Record<'a>, &'a [u8])> {
        let file = self.file_of(place)?;
        let bad = |rejection: Rejection| Error::BadFile {
            path: match file.is_in_memory() {
                true => PathBuf::from(file.name()),
                false => file.path().to_owned(),
            },
            reason: format!("line {}: {}", rejection.line, rejection.reason),
        };
        if let Some(rows) = &file.rows {
            let record = rows.decode(place.offset).map_err(bad)?;
            return Ok((record, rows.raw(place.offset)));
        }
        let backing = file.backing(self.files.len() <= MOST_OPEN)?;
        buffer.clear();
        buffer.resize(place.length as usize, 0);
        backing
            .get()
            .read_exact_at(buffer, place.offset)
            .map_err(io_error("read again", file.path()))?;
        let record = file.decoder.decode(buffer, place.line).map_err(bad)?;
        Ok((record, buffer))
    }

    /// Reads many records again. Places in rising order that lie close together in a file are read at once; `f` gets each
    /// record with its index in `places`, in order.
    pub fn fetch_run(
        &self,
        places: &[Place],
        buffer: &mut Vec<u8>,
        f: &mut dyn FnMut(usize, Result<Record<'_>, Rejection>),
    ) -> Result<()> {
        let mut from = 0;
        while let Some(first) = places.get(from) {
            let file = self.file_of(first)?;
            if let Some(rows) = &file.rows {
                f(from, rows.decode(first.offset));
                from += 1;
                continue;
            }
            let (count, bytes) = run_length(&places[from..]);
            let backing = file.backing(self.files.len() <= MOST_OPEN)?;
            buffer.clear();
            buffer.resize(usize::try_from(bytes).unwrap_or(usize::MAX), 0);
            backing
                .get()
                .read_exact_at(buffer, first.offset)
                .map_err(io_error("read again", file.path()))?;
            for (index, place) in places.iter().enumerate().skip(from).take(count) {
                let start = usize::try_from(place.offset - first.offset).unwrap_or(usize::MAX);
                let raw = &buffer[start..start + place.length as usize];
                f(index, file.decoder.decode(raw, place.line));
            }
            from += count;
        }
        Ok(())
    }

    /// What a record of a block is called: by its number, where they are numbered from `first` on, or by its id, or by its place.
    pub fn key_of<'r>(
        &self,
        block: &Block,
        index: usize,
        record: &'r Record<'_>,
        first: Option<u64>,
    ) -> Key<'r> {
        match (first, &record.key) {
            (Some(first), _) => {
                let number = first + u64::from(block.first) + index as u64;
                Key(number.to_string().into())
            }
            (None, Some(key)) => Key::from_json(key.as_json()),
            (None, None) => Key::from_text(&self.name_of(&block.place(index))),
        }
    }

    /// `file:line`, the name of a record without an id.
    pub fn name_of(&self, place: &Place) -> String {
        let name = self
            .files
            .get(place.file as usize)
            .map_or("?", SourceFile::name);
        format!("{name}:{}", place.line)
    }

    fn file_of(&self, place: &Place) -> Result<&SourceFile> {
        let file = self.files.get(place.file as usize);
        file.ok_or_else(|| Error::NoInput(format!("file number {}", place.file)))
    }
}

/// How many of the places can be read at once, and how many bytes that takes.
fn run_length(places: &[Place]) -> (usize, u64) {
    let Some(first) = places.first() else {
        return (0, 0);
    };
    let mut end = first.offset + u64::from(first.length);
    let mut count = 1;
    for place in &places[1..] {
        let next = place.offset + u64::from(place.length);
        let near = place.offset >= first.offset && place.offset <= end.saturating_add(GAP);
        if place.file != first.file || !near || next.max(end) - first.offset > RUN {
            break;
        }
        end = end.max(next);
        count += 1;
    }
    (count, end - first.offset)
}

/// Copies a stream into a file. What cannot be read is told from what cannot be written.
fn copy_stream(input: &mut dyn Read, name: &Path, dir: &Path) -> Result<TemporaryPath> {
    let mut copy = TemporaryFile::private(dir, "stdin-")
        .map_err(io_error("create a temporary file in", dir))?;
    let unwritten = io_error("write a temporary file in", dir);
    files::copy_all(input, &mut copy, io_error("read", name), unwritten)?;
    Ok(copy.into_path())
}
