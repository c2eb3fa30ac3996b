//! Stage 1, read: one file of a collection.
//!
//! A file is looked at when the collection is opened: its compression, its format, its header row. From then on it hands
//! out streams of its unpacked bytes and the cutter that goes with them. What is wrong with it as a whole (no such column,
//! a damaged footer) is an error at once, before any work is done.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use super::columnar::Rows;
use super::cut::{Cut, Lines, Whole};
use super::decode::{Decoder, Fields};
use super::delimited::{self, Header};
use super::detect::{Compression, by_content, by_ending};
use super::expand::Found;
use super::spool::{Backing, Spool};
use super::stream::Stream;
use super::table::{Table, TableRows};
use super::warc::Records;
use crate::error::{Error, Result, io_error};
use crate::options::{Format, ReadOptions};

/// First bytes that tell what a file is.
const HEAD: usize = 4096;

/// One file of a collection.
#[derive(Debug)]
pub struct SourceFile {
    path: PathBuf,
    compression: Compression,
    pub(crate) size: u64,
    /// When it was last changed, if it is a file on disk and the system says so.
    pub(crate) modified: Option<SystemTime>,
    pub(super) decoder: Arc<Decoder>,
    spool: Mutex<Option<Arc<Spool>>>,
    /// The file itself, open for fetching.
    handle: OnceLock<Arc<Backing>>,
    /// Data in memory, which is no file.
    pub(super) rows: Option<Arc<TableRows>>,
}

impl SourceFile {
    /// Bytes of the file, unpacked, as far as its size tells.
    pub fn expected_bytes(&self) -> u64 {
        let packed = !self.is_plain();
        // Text packs to a quarter, about.
        if packed {
            self.size.saturating_mul(4)
        } else {
            self.size
        }
    }

    pub(super) fn open(found: Found, options: &ReadOptions, fields: &Arc<Fields>) -> Result<Self> {
        let path = found.path;
        let metadata = std::fs::metadata(&path).map_err(io_error("open", &path))?;
        let size = metadata.len();
        let modified = metadata.modified().ok().filter(|_| metadata.is_file());
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
            modified,
            decoder: Arc::new(decoder),
            spool: Mutex::new(None),
            handle: OnceLock::new(),
            rows: None,
        })
    }

    /// A table in memory under this name. Without ids its rows are numbered from `first_number` on.
    pub(super) fn of_table(
        name: String,
        table: &Table,
        fields: &Arc<Fields>,
        first_number: u64,
    ) -> Result<Self> {
        let rows = TableRows::new(&name, table, fields, first_number)?;
        let decoder = Decoder {
            name,
            format: Format::Parquet,
            fields: fields.clone(),
            header: None,
        };
        Ok(SourceFile {
            path: PathBuf::new(),
            compression: Compression::None,
            size: rows.bytes,
            modified: None,
            decoder: Arc::new(decoder),
            spool: Mutex::new(None),
            handle: OnceLock::new(),
            rows: Some(Arc::new(rows)),
        })
    }

    /// That the file is what it was when it was opened.
    ///
    /// # Errors
    /// When its size or the time of its last change is another, or it is gone.
    pub(crate) fn expect_unchanged(&self) -> Result<()> {
        let Some(before) = self.modified else {
            return Ok(());
        };
        let now = std::fs::metadata(&self.path).ok();
        let same = |now: &Metadata| now.len() == self.size && now.modified().ok() == Some(before);
        if now.as_ref().is_some_and(same) {
            return Ok(());
        }
        let what = match now {
            None => "it is gone".to_owned(),
            Some(now) if now.len() == self.size => "it was written to".to_owned(),
            Some(now) => format!("it had {} bytes and has {}", self.size, now.len()),
        };
        Err(Error::BadFile {
            path: PathBuf::from(self.name()),
            reason: format!(
                "the file changed during the run ({what}): run again when nothing writes to it"
            ),
        })
    }

    /// What the file is called: as the user gave it, or its path in a directory that is the only input.
    pub fn name(&self) -> &str {
        &self.decoder.name
    }

    /// The format it is read in; data in memory counts as Parquet, whose rows have columns too.
    pub fn format(&self) -> Format {
        self.decoder.format
    }

    /// Whether it is data in memory, and no file.
    pub fn is_in_memory(&self) -> bool {
        self.rows.is_some()
    }

    /// The rows of data in memory.
    pub(crate) fn rows_in_memory(&self) -> Option<u64> {
        self.rows.as_ref().map(|rows| rows.len())
    }

    /// Where it is; for standard input, the copy; for data in memory, nowhere.
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

    /// The column or field of the text.
    pub(crate) fn text_field(&self) -> &str {
        &self.decoder.fields.text
    }

    /// The fields that are read, in words.
    pub(crate) fn fields(&self) -> String {
        format!("{:?}", self.decoder.fields)
    }

    /// Whether records can be fetched: from the file itself, or from a spool that is whole.
    pub(super) fn is_ready(&self) -> bool {
        self.is_plain() || self.finished_spool().is_some()
    }

    /// Whether records are read again from the file itself, not from a spool.
    pub(super) fn is_plain(&self) -> bool {
        let columnar = self.format() == Format::Parquet && self.rows.is_none();
        self.compression == Compression::None && !columnar
    }

    /// What records are read again from. `keep_open`: the file stays open for the next time.
    pub(super) fn backing(&self, keep_open: bool) -> Result<Held> {
        if !self.is_plain() {
            return self.spool().map(Held::Spool).ok_or_else(|| Error::BadFile {
                path: self.path.clone(),
                reason: "a record was fetched before the file was read".to_owned(),
            });
        }
        if let Some(handle) = self.handle.get() {
            return Ok(Held::File(handle.clone()));
        }
        let handle = Arc::new(Backing::open(&self.path)?);
        if keep_open {
            return Ok(Held::File(self.handle.get_or_init(|| handle).clone()));
        }
        Ok(Held::File(handle))
    }

    fn spool(&self) -> Option<Arc<Spool>> {
        let spool = self.spool.lock().unwrap_or_else(PoisonError::into_inner);
        spool.clone()
    }

    fn finished_spool(&self) -> Option<Arc<Spool>> {
        self.spool().filter(|spool| spool.finished.get().is_some())
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

/// A backing, kept open while it is in use.
pub(super) enum Held {
    File(Arc<Backing>),
    Spool(Arc<Spool>),
}

impl Held {
    pub(super) fn get(&self) -> &Backing {
        match self {
            Held::File(backing) => backing,
            Held::Spool(spool) => &spool.backing,
        }
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
