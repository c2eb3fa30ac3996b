//! Reads tables line by line, trusting nothing in them.

use std::io::{BufReader, Read};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::{END, Line, MAGIC, Totals, VERSION};
use crate::error::{Error, Result, io_error};
use crate::files::File;
use crate::method::terms::vocabulary::Votes;

/// A table being merged, and its next line.
pub(super) struct Source {
    pub(super) lines: Lines,
    pub(super) head: Option<Line>,
}

impl Source {
    pub(super) fn new(lines: Lines) -> Result<Self> {
        let mut source = Self { lines, head: None };
        source.advance()?;
        Ok(source)
    }

    fn advance(&mut self) -> Result<()> {
        let mut line = self.head.take().unwrap_or_default();
        if self.lines.next(&mut line)? {
            self.head = Some(line);
        }
        Ok(())
    }

    /// Adds this table's counts of the same form, if it is the next one.
    pub(super) fn add_to(&mut self, line: &mut Line) -> Result<()> {
        let Some(head) = self.head.as_ref().filter(|head| head.form == line.form) else {
            return Ok(());
        };
        line.documents = line.documents.saturating_add(head.documents);
        for (sum, more) in line.votes.iter_mut().zip(head.votes) {
            *sum = sum.saturating_add(more);
        }
        self.advance()
    }
}

/// The terms of a table in a file, one after the other; the checksum is looked at behind the last.
pub(super) struct Lines {
    path: std::path::PathBuf,
    file: BufReader<File>,
    checksum: Xxh3,
    options: String,
    last: Vec<u8>,
    pub(super) totals: Totals,
    read: u64,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(io_error("open", path))?;
        Self::start(file, path)
    }

    pub(super) fn start(file: File, path: &Path) -> Result<Self> {
        let mut lines = Self {
            path: path.to_owned(),
            file: BufReader::new(file),
            checksum: Xxh3::new(),
            options: String::new(),
            last: Vec::new(),
            totals: Totals::default(),
            read: 0,
        };
        let mut magic = [0; MAGIC.len()];
        let read = lines.bytes(&mut magic);
        if matches!(read, Err(Error::Io { .. })) {
            read?;
        } else if read.is_err() || magic != MAGIC {
            return Err(lines.bad("it is no background table; `doublet background` makes one"));
        }
        let mut version = [0; 4];
        lines.bytes(&mut version)?;
        let version = u32::from_le_bytes(version);
        if version != VERSION {
            return Err(lines.bad(&format!(
                "the table has format {version}, this version reads format {VERSION}: make it again with `doublet background`"
            )));
        }
        let length = lines.number()?;
        lines.options = String::from_utf8(lines.string(length)?).map_err(|_| {
            lines.bad("the table is damaged: make it again with `doublet background`")
        })?;
        Ok(lines)
    }

    /// The most bytes that the forms of a table of this size take in memory: forms share much with their neighbours, but not
    /// that much.
    pub(super) fn most_bytes(&self) -> Result<usize> {
        let file = self.file.get_ref().metadata();
        let bytes = file.map_err(io_error("read", &self.path))?.len();
        Ok((bytes as usize).saturating_mul(64))
    }

    pub(super) fn expect_options(&self, options: &str) -> Result<()> {
        if self.options == options {
            return Ok(());
        }
        Err(self.bad(&format!(
            "the table was made with other options ({}) than those in force ({options}): give the same to `doublet background`",
            self.options
        )))
    }

    /// Reads the next line over `line`; false at the end.
    pub(super) fn next(&mut self, line: &mut Line) -> Result<bool> {
        let shared = self.number()?;
        if shared == END {
            self.end()?;
            return Ok(false);
        }
        let damaged = || self.damaged();
        let shared = usize::try_from(shared).map_err(|_| damaged())?;
        if shared > self.last.len() {
            return Err(self.damaged());
        }
        let length = self.number()?;
        let rest = self.string(length)?;
        line.form.clear();
        line.form.extend_from_slice(&self.last[..shared]);
        line.form.extend_from_slice(&rest);
        let rising = self.read == 0 || self.last < line.form;
        line.documents = self.number()?;
        line.votes = Votes::default();
        let mut groups = [0];
        self.bytes(&mut groups)?;
        for _ in 0..groups[0] {
            let mut group = [0];
            self.bytes(&mut group)?;
            let votes = self.number()?;
            match line.votes.get_mut(usize::from(group[0])) {
                Some(count) => *count = votes,
                None => return Err(self.damaged()),
            }
        }
        if !rising || std::str::from_utf8(&line.form).is_err() {
            return Err(self.damaged());
        }
        self.last.clone_from(&line.form);
        self.read += 1;
        Ok(true)
    }

    fn end(&mut self) -> Result<()> {
        self.totals = Totals {
            texts: self.number()?,
            tokens: self.number()?,
            terms: self.number()?,
        };
        let expected = self.checksum.digest().to_le_bytes();
        let mut found = [0; 8];
        self.bytes(&mut found)?;
        let more = match self.file.read_exact(&mut [0]) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => false,
            read => read.map(|()| true).map_err(io_error("read", &self.path))?,
        };
        if found != expected || more || self.totals.terms != self.read {
            return Err(self.damaged());
        }
        Ok(())
    }

    pub(super) fn damaged(&self) -> Error {
        self.bad("the table is damaged or cut off: make it again with `doublet background`")
    }

    fn bad(&self, reason: &str) -> Error {
        Error::BadFile {
            path: self.path.clone(),
            reason: reason.to_owned(),
        }
    }

    fn bytes(&mut self, out: &mut [u8]) -> Result<()> {
        match self.file.read_exact(out) {
            Ok(()) => {
                self.checksum.update(out);
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(self.damaged()),
            Err(error) => Err(io_error("read", &self.path)(error)),
        }
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let mut byte = [0];
            self.bytes(&mut byte)?;
            number |= u64::from(byte[0] & 0x7F) << shift;
            if byte[0] < 0x80 {
                return Ok(number);
            }
        }
        Err(self.damaged())
    }

    fn string(&mut self, length: u64) -> Result<Vec<u8>> {
        // A damaged length must not ask for memory that the file cannot fill.
        let mut bytes = Vec::new();
        let mut left = length;
        while left > 0 {
            let now = left.min(1 << 16) as usize;
            let start = bytes.len();
            bytes.resize(start + now, 0);
            self.bytes(&mut bytes[start..])?;
            left -= now as u64;
        }
        Ok(bytes)
    }
}
