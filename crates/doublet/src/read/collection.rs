//! Stage 1, read: a collection of files, read in passes and by place.
//!
//! In: the inputs of the command line. Out: blocks, pass after pass, and single records again. A file is told by its
//! content once, when the collection is opened; what is wrong with a file as a whole (no such column, a damaged footer) is
//! an error at once, before any work is done.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::block::BlockReader;
use super::columnar::Rows;
use super::cut::{Cut, Lines, Whole};
use super::decode::{Decoder, Fields};
use super::delimited::{self, Header};
use super::detect::{Compression, by_content, by_ending};
use super::expand::{Found, expand};
use super::spool::{Backing, Spool};
use super::stream::Stream;
use super::warc::Records;
use super::{Place, Record, Rejection};
use crate::error::{Error, Result, io_error};
use crate::options::{Format, ReadOptions};

/// Bytes of a block, about.
const BLOCK: usize = 1 << 20;
/// First bytes that tell what a file is.
const HEAD: usize = 4096;
/// With more files than this, those that are read again are opened anew each time.
const MOST_OPEN: usize = 256;
/// Records closer together than this are fetched by one read …
const GAP: u64 = 64 << 10;
/// … of at most this many bytes, unless one record is longer.
const RUN: u64 = 4 << 20;

/// The texts of one run: files that can be read several times.
#[derive(Debug)]
pub struct Collection {
    files: Vec<SourceFile>,
    pub(super) temp_dir: PathBuf,
    pub(super) block_size: usize,
    /// Keeps the copy of standard input.
    _input: Option<tempfile::TempPath>,
}

/// One file of a collection.
#[derive(Debug)]
pub struct SourceFile {
    path: PathBuf,
    compression: Compression,
    pub(super) size: u64,
    pub(super) decoder: Arc<Decoder>,
    spool: Mutex<Option<Arc<Spool>>>,
    /// The file itself, open for fetching.
    handle: OnceLock<Arc<Backing>>,
}

impl Collection {
    /// Finds and opens the files that `inputs` name: files, directories, globs, and `-` for standard input, which is copied
    /// into `temp_dir` first. Files that need unpacking are unpacked into `temp_dir` by the first full pass.
    pub fn open(inputs: &[String], options: &ReadOptions, temp_dir: &Path) -> Result<Collection> {
        Self::open_with(inputs, options, temp_dir, &mut std::io::stdin().lock())
    }

    /// Opens with another standard input.
    pub(super) fn open_with(
        inputs: &[String],
        options: &ReadOptions,
        temp_dir: &Path,
        standard_input: &mut dyn std::io::Read,
    ) -> Result<Collection> {
        let fields = Arc::new(Fields::new(options));
        let mut files = Vec::new();
        let mut input = None;
        for mut found in expand(inputs, options.format.is_some())? {
            if found.standard_input {
                if input.is_some() {
                    return Err(Error::NoInput("- (a second time)".to_owned()));
                }
                let copy = copy_input(standard_input, temp_dir)?;
                found.path = copy.to_path_buf();
                input = Some(copy);
            }
            files.push(SourceFile::open(found, options, &fields)?);
        }
        Ok(Collection {
            files,
            temp_dir: temp_dir.to_owned(),
            block_size: BLOCK,
            _input: input,
        })
    }

    /// The files, in the order in which they are read.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Bytes on disk of all files, for progress.
    pub fn total_bytes(&self) -> Option<u64> {
        Some(self.files.iter().map(|file| file.size).sum())
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
    pub fn fetch<'a>(&self, place: &Place, buffer: &'a mut Vec<u8>) -> Result<Record<'a>> {
        let file = self.file_of(place)?;
        let backing = self.backing(file)?;
        buffer.clear();
        buffer.resize(place.length as usize, 0);
        backing
            .get()
            .read_exact_at(buffer, place.offset)
            .map_err(io_error("read again", &file.path))?;
        let decoded = file.decoder.decode(buffer, place.line);
        decoded.map_err(|rejection| Error::BadFile {
            path: file.path.clone(),
            reason: format!("line {}: {}", rejection.line, rejection.reason),
        })
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
            let (count, bytes) = run_length(&places[from..]);
            let file = self.file_of(first)?;
            let backing = self.backing(file)?;
            buffer.clear();
            buffer.resize(usize::try_from(bytes).unwrap_or(usize::MAX), 0);
            backing
                .get()
                .read_exact_at(buffer, first.offset)
                .map_err(io_error("read again", &file.path))?;
            for (index, place) in places.iter().enumerate().skip(from).take(count) {
                let start = usize::try_from(place.offset - first.offset).unwrap_or(usize::MAX);
                let raw = &buffer[start..start + place.length as usize];
                f(index, file.decoder.decode(raw, place.line));
            }
            from += count;
        }
        Ok(())
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

    fn backing(&self, file: &SourceFile) -> Result<Held> {
        if !file.is_plain() {
            let spool = file
                .spool
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            return spool.map(Held::Spool).ok_or_else(|| Error::BadFile {
                path: file.path.clone(),
                reason: "a record was fetched before the file was read".to_owned(),
            });
        }
        if let Some(handle) = file.handle.get() {
            return Ok(Held::File(handle.clone()));
        }
        let handle = Arc::new(Backing::open(&file.path)?);
        if self.files.len() <= MOST_OPEN {
            return Ok(Held::File(file.handle.get_or_init(|| handle).clone()));
        }
        Ok(Held::File(handle))
    }
}

/// A backing, kept open while it is in use.
enum Held {
    File(Arc<Backing>),
    Spool(Arc<Spool>),
}

impl Held {
    fn get(&self) -> &Backing {
        match self {
            Held::File(backing) => backing,
            Held::Spool(spool) => &spool.backing,
        }
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

fn copy_input(input: &mut dyn std::io::Read, dir: &Path) -> Result<tempfile::TempPath> {
    let mut copy = tempfile::Builder::new()
        .prefix("stdin-")
        .tempfile_in(dir)
        .map_err(io_error("create a file in", dir))?;
    std::io::copy(input, &mut copy).map_err(io_error("copy", "standard input"))?;
    Ok(copy.into_temp_path())
}

impl SourceFile {
    fn open(found: Found, options: &ReadOptions, fields: &Arc<Fields>) -> Result<Self> {
        let path = found.path;
        let size = std::fs::metadata(&path)
            .map_err(io_error("open", &path))?
            .len();
        let mut head = Vec::new();
        let mut stream = Stream::file(&path, Compression::None, 0)?;
        let mut ended = stream.fill(&mut head, HEAD)?;
        let compression = Compression::of(&head);
        if compression != Compression::None {
            head.clear();
            stream = Stream::file(&path, compression, 0)?;
            ended = stream.fill(&mut head, HEAD)?;
        }
        let format = options
            .format
            .or_else(|| by_ending(&found.name).filter(|_| !found.standard_input))
            .unwrap_or_else(|| by_content(&head, found.standard_input));
        let bad = |reason: String| Error::BadFile {
            path: PathBuf::from(&found.name),
            reason,
        };
        let header = match delimiter(format) {
            Some(delimiter) => read_header(&mut stream, head, ended, delimiter, fields, &bad)?,
            None => {
                check_head(format, compression, &head).map_err(bad)?;
                None
            }
        };
        if format == Format::Parquet {
            Rows::open(&path, fields)?;
        }
        let decoder = Decoder {
            name: found.name,
            format,
            fields: fields.clone(),
            header,
        };
        Ok(SourceFile {
            path,
            compression,
            size,
            decoder: Arc::new(decoder),
            spool: Mutex::new(None),
            handle: OnceLock::new(),
        })
    }

    /// What the file is called: as the user gave it, or its path in a directory that is the only input.
    pub fn name(&self) -> &str {
        &self.decoder.name
    }

    /// The format it is read in.
    pub fn format(&self) -> Format {
        self.decoder.format
    }

    /// Where it is; for standard input, the copy.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it is compressed.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// The header row of CSV and TSV as it stands, without its line ending.
    pub(crate) fn header_row(&self) -> Option<&[u8]> {
        self.decoder
            .header
            .as_ref()
            .map(|header| header.raw.as_slice())
    }

    /// Whether records are read again from the file itself, not from a spool.
    pub(super) fn is_plain(&self) -> bool {
        self.compression == Compression::None && self.format() != Format::Parquet
    }

    fn finished_spool(&self) -> Option<Arc<Spool>> {
        let spool = self
            .spool
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        spool.filter(|spool| spool.finished.get().is_some())
    }

    /// Whether a pass may start at any line.
    pub(super) fn seekable(&self) -> bool {
        let lines = matches!(
            self.format(),
            Format::JsonLines | Format::Lines | Format::Parquet
        );
        lines && (self.is_plain() || self.finished_spool().is_some())
    }

    /// Bytes of the stream, where they are known.
    pub(super) fn unpacked_len(&self) -> u64 {
        let spool = self.finished_spool();
        let end = spool.as_ref().and_then(|spool| spool.finished.get());
        end.map_or(self.size, |end| end.len)
    }

    /// The bytes of the file, unpacked, from `offset` on; an offset is for files that are seekable. A file that has to be
    /// unpacked and has not been yet is written into a spool in `dir` on the way.
    pub(super) fn stream(&self, dir: &Path, offset: u64) -> Result<Stream> {
        if self.is_plain() {
            return Stream::file(&self.path, Compression::None, offset);
        }
        if let Some(spool) = self.finished_spool()
            && let Some(end) = spool.finished.get().cloned()
        {
            return Ok(Stream::replay(&self.path, spool, &end, self.size, offset));
        }
        let spool = Arc::new(Spool::create(dir)?);
        *self.spool.lock().unwrap_or_else(PoisonError::into_inner) = Some(spool.clone());
        let stream = if self.format() == Format::Parquet {
            Stream::rows(&self.path, Rows::open(&self.path, &self.decoder.fields)?)
        } else {
            Stream::file(&self.path, self.compression, 0)?
        };
        Ok(stream.spooled_into(spool))
    }

    pub(super) fn cutter(&self) -> Box<dyn Cut> {
        match self.format() {
            Format::JsonLines | Format::Parquet => Box::new(Lines::new(true)),
            Format::Lines => Box::new(Lines::new(false)),
            Format::Csv | Format::Tsv => {
                let (delimiter, lines) = match &self.decoder.header {
                    Some(header) => (header.delimiter, header.lines),
                    None => (b',', 0),
                };
                Box::new(delimited::Rows::new(delimiter, lines))
            }
            Format::Text | Format::Html | Format::Xml => Box::new(Whole),
            Format::Warc => Box::new(Records::default()),
        }
    }

    /// Bytes before the first record.
    pub(super) fn preamble(&self) -> usize {
        self.decoder
            .header
            .as_ref()
            .map_or(0, |header| header.bytes)
    }
}

fn delimiter(format: Format) -> Option<u8> {
    match format {
        Format::Csv => Some(b','),
        Format::Tsv => Some(b'\t'),
        _ => None,
    }
}

/// What can be told to be wrong from the first bytes.
fn check_head(format: Format, compression: Compression, head: &[u8]) -> Result<(), String> {
    let body = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let inside = body.trim_ascii_start().strip_prefix(b"[");
    if format == Format::JsonLines
        && inside.is_some_and(|inside| inside.trim_ascii_start().starts_with(b"{"))
    {
        return Err(
            "it holds a JSON array, not one object a line: convert it, e.g. by `jq -c '.[]'`"
                .to_owned(),
        );
    }
    if format == Format::Parquet && compression != Compression::None {
        return Err(
            "a Parquet file cannot be read through gzip or zstd: unpack it first".to_owned(),
        );
    }
    Ok(())
}

/// Reads on until the header row is all there.
fn read_header(
    stream: &mut Stream,
    mut head: Vec<u8>,
    mut ended: bool,
    delimiter: u8,
    fields: &Fields,
    bad: &dyn Fn(String) -> Error,
) -> Result<Option<Header>> {
    while !ended && !delimited::holds_row(&head, delimiter) {
        let want = head.len() * 2;
        if want > 1 << 24 {
            return Err(bad("the header row does not end".to_owned()));
        }
        ended = stream.fill(&mut head, want)?;
    }
    Header::parse(&head, delimiter, fields).map_err(bad)
}
