//! Writes tables, and merges others into them on the way.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::lines::Source;
use super::{END, Line, MAGIC, Totals, VERSION};
use crate::error::{Result, io_error};
use crate::files::output::OutputFile;
use crate::files::{self, File};

/// Where a table's bytes go.
pub(super) trait Sink {
    fn put(&mut self, bytes: &[u8]) -> Result<()>;
}

impl Sink for OutputFile {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write(bytes)
    }
}

/// A table in a temporary file, to be merged later.
pub(super) struct Run {
    file: BufWriter<File>,
    directory: PathBuf,
}

impl Run {
    pub(super) fn create(directory: &Path) -> Result<Self> {
        let file = files::nameless(directory);
        let file = file.map_err(io_error("write a temporary file in", directory))?;
        Ok(Self {
            file: BufWriter::new(file),
            directory: directory.to_owned(),
        })
    }

    /// Writes what is held back and gives the file.
    pub(super) fn finish(self) -> Result<File> {
        let directory = self.directory;
        let file = self.file.into_inner();
        file.map_err(|error| io_error("write a temporary file in", directory)(error.into_error()))
    }
}

impl Sink for Run {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all(bytes)
            .map_err(io_error("write a temporary file in", &self.directory))
    }
}

pub(super) struct Writer<S> {
    sink: S,
    checksum: Xxh3,
    last: Vec<u8>,
    buffer: Vec<u8>,
    pub(super) totals: Totals,
}

impl<S: Sink> Writer<S> {
    pub(super) fn new(sink: S, options: &str) -> Result<Self> {
        let mut writer = Self {
            sink,
            checksum: Xxh3::new(),
            last: Vec::new(),
            buffer: Vec::new(),
            totals: Totals::default(),
        };
        writer.buffer.extend_from_slice(MAGIC);
        writer.buffer.extend_from_slice(&VERSION.to_le_bytes());
        push_number(options.len() as u64, &mut writer.buffer);
        writer.buffer.extend_from_slice(options.as_bytes());
        writer.flush()?;
        Ok(writer)
    }

    fn flush(&mut self) -> Result<()> {
        self.checksum.update(&self.buffer);
        self.sink.put(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Writes the lines of the sources before `line`, and `line` with what they have of the same form; at the end all of them.
    pub(super) fn merge(&mut self, sources: &mut [Source], line: Option<Line>) -> Result<()> {
        loop {
            let heads = sources.iter().filter_map(|source| source.head.as_ref());
            let least = heads.map(|head| &head.form).min();
            let mut next = match (least, &line) {
                (None, None) => return Ok(()),
                (Some(form), Some(line)) if *form >= line.form => line.clone(),
                (None, Some(line)) => line.clone(),
                (Some(form), _) => Line {
                    form: form.clone(),
                    ..Line::default()
                },
            };
            for source in sources.iter_mut() {
                source.add_to(&mut next)?;
            }
            self.line(&next)?;
            if line.as_ref().is_some_and(|line| line.form == next.form) {
                return Ok(());
            }
        }
    }

    pub(super) fn line(&mut self, line: &Line) -> Result<()> {
        let same = self.last.iter().zip(&line.form);
        let shared = same.take_while(|(x, y)| x == y).count();
        push_number(shared as u64, &mut self.buffer);
        push_number((line.form.len() - shared) as u64, &mut self.buffer);
        self.buffer.extend_from_slice(&line.form[shared..]);
        push_number(line.documents, &mut self.buffer);
        let voted = || {
            line.votes
                .iter()
                .enumerate()
                .filter(|(_, votes)| **votes > 0)
        };
        self.buffer.push(voted().count() as u8);
        for (group, &votes) in voted() {
            self.buffer.push(group as u8);
            push_number(votes, &mut self.buffer);
        }
        self.last.clone_from(&line.form);
        self.totals.terms += 1;
        self.flush()
    }

    /// Writes the foot.
    pub(super) fn end(mut self) -> Result<S> {
        push_number(END, &mut self.buffer);
        for total in [self.totals.texts, self.totals.tokens, self.totals.terms] {
            push_number(total, &mut self.buffer);
        }
        self.flush()?;
        let checksum = self.checksum.digest().to_le_bytes();
        self.sink.put(&checksum)?;
        Ok(self.sink)
    }
}

fn push_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
