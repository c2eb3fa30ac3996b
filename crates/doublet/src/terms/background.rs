//! The background table: how often each term occurs, in how many texts, and in which groups.
//!
//! One file, sorted by form: a head with the options that shape terms, then the terms, each as the bytes it shares with the
//! one before, its other bytes, its texts and its votes, numbers in seven bits a byte; a foot with the totals and a checksum.
//! Tables of the same options can be merged.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::segment::Group;
use super::vocabulary::{Counted, Votes, elect, merge};
use super::weights::FrequencyRange;
use crate::error::{Error, Result, io_error};
use crate::report::output::OutputFile;

const MAGIC: &[u8] = b"doublet background\n";
/// Version of the format.
const VERSION: u32 = 1;
/// Marks the end of the terms, where the bytes shared with the form before would stand.
const END: u64 = u64::MAX;

/// Totals of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Texts that were read.
    pub texts: u64,
    /// Terms, each time one occurs.
    pub tokens: u64,
    /// Distinct terms.
    pub terms: u64,
}

/// One term of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Line {
    form: Vec<u8>,
    documents: u64,
    votes: Votes,
}

/// A table in memory, sorted by form.
#[derive(Clone, Debug, Default)]
pub struct Background {
    forms: Vec<u8>,
    ends: Vec<usize>,
    frequencies: Vec<u64>,
    groups: Vec<Group>,
    ranges: [FrequencyRange; Group::ALL.len()],
    /// Totals of the table.
    pub totals: Totals,
}

impl Background {
    /// Reads a table that was made with `options`.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, is no table, or was made by another version or with other options.
    pub fn read(path: &Path, options: &str) -> Result<Self> {
        let mut lines = Lines::open(path)?;
        lines.expect_options(options)?;
        let mut table = Self::default();
        let mut line = Line::default();
        let most = lines.most_bytes()?;
        while lines.next(&mut line)? {
            if table.forms.len() + line.form.len() > most {
                return Err(lines.damaged());
            }
            let (group, frequency) = elect(&line.votes);
            table.forms.extend_from_slice(&line.form);
            table.ends.push(table.forms.len());
            table.frequencies.push(frequency);
            table.groups.push(group);
            table.ranges[group as usize].add(frequency);
        }
        table.totals = lines.totals;
        Ok(table)
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the table has no term.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The frequencies that the terms of a group lie between.
    pub fn range(&self, group: Group) -> FrequencyRange {
        self.ranges[group as usize]
    }

    pub(crate) fn form(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.forms[start..self.ends[index]]
    }

    pub(crate) fn entry(&self, index: usize) -> (Group, u64) {
        (self.groups[index], self.frequencies[index])
    }
}

/// Whether a file is a background table, by how it begins.
pub fn is_table(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    let mut read = |path: &Path| File::open(path)?.read_exact(&mut start);
    path.is_file() && read(path).is_ok() && start == MAGIC
}

/// That tables can be merged into one of these options.
///
/// # Errors
/// When a file cannot be read, is no table, or was made with other options.
pub fn check(tables: &[&Path], options: &str) -> Result<()> {
    let check = |table: &&Path| Lines::open(table)?.expect_options(options);
    tables.iter().try_for_each(check)
}

/// Writes a table of what vocabularies counted and of what other tables hold. `runs` are tables too, written by
/// [`write_run`].
///
/// # Errors
/// When a file cannot be read or written, or a table was made with other options.
pub fn write(
    path: &Path,
    options: &str,
    parts: &[Counted],
    tables: &[&Path],
    runs: Vec<File>,
) -> Result<Totals> {
    let mut sources = open_runs(runs, path)?;
    for table in tables {
        let lines = Lines::open(table)?;
        lines.expect_options(options)?;
        sources.push(Source::new(lines)?);
    }
    let mut writer = Writer::new(OutputFile::create(path)?, options)?;
    let orders: Vec<Vec<u32>> = parts.iter().map(Counted::sorted).collect();
    let mut result = Ok(());
    merge(parts, &orders, |form, votes, documents, _, _| {
        if result.is_ok() {
            let line = Line {
                form: form.as_bytes().to_vec(),
                documents,
                votes: *votes,
            };
            result = writer.merge(&mut sources, Some(line));
        }
    });
    result?;
    writer.merge(&mut sources, None)?;
    for part in parts {
        writer.totals.texts += part.texts;
        writer.totals.tokens += part.tokens;
    }
    for source in &sources {
        let (sum, more) = (&mut writer.totals, source.lines.totals);
        sum.texts = sum.texts.saturating_add(more.texts);
        sum.tokens = sum.tokens.saturating_add(more.tokens);
    }
    let totals = writer.totals;
    writer.end()?.finish()?;
    Ok(totals)
}

/// Runs as tables to merge; they are called by the place they lie in.
fn open_runs(runs: Vec<File>, place: &Path) -> Result<Vec<Source>> {
    let open = |mut run: File| {
        run.rewind()
            .map_err(io_error("read a temporary file for", place))?;
        Source::new(Lines::start(run, place)?)
    };
    runs.into_iter().map(open).collect()
}

/// Merges runs into one, so that few files are open.
///
/// # Errors
/// When a file cannot be read or written.
pub fn merge_runs(runs: Vec<File>, directory: &Path) -> Result<File> {
    let mut sources = open_runs(runs, directory)?;
    let mut writer = new_run(directory)?;
    writer.merge(&mut sources, None)?;
    for source in &sources {
        writer.totals.texts += source.lines.totals.texts;
        writer.totals.tokens += source.lines.totals.tokens;
    }
    end_run(writer, directory)
}

fn new_run(directory: &Path) -> Result<Writer<BufWriter<File>>> {
    let file = tempfile::tempfile_in(directory)
        .map_err(io_error("write a temporary file in", directory))?;
    Writer::new(BufWriter::new(file), "")
}

fn end_run(writer: Writer<BufWriter<File>>, directory: &Path) -> Result<File> {
    let file = writer.end()?.into_inner();
    file.map_err(|error| io_error("write a temporary file in", directory)(error.into_error()))
}

/// Writes what a vocabulary counted to a temporary file, to be merged later.
///
/// # Errors
/// When the file cannot be written.
pub fn write_run(part: &Counted, directory: &Path) -> Result<File> {
    let mut writer = new_run(directory)?;
    for id in part.sorted() {
        writer.line(&Line {
            form: part.form(id).as_bytes().to_vec(),
            documents: part.documents(id),
            votes: part.votes(id),
        })?;
    }
    writer.totals.texts = part.texts;
    writer.totals.tokens = part.tokens;
    end_run(writer, directory)
}

/// Where a table's bytes go.
trait Sink {
    fn put(&mut self, bytes: &[u8]) -> Result<()>;
}

impl Sink for OutputFile {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write(bytes)
    }
}

impl Sink for BufWriter<File> {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes)
            .map_err(io_error("write", "a temporary file"))
    }
}

struct Writer<S> {
    sink: S,
    checksum: Xxh3,
    last: Vec<u8>,
    buffer: Vec<u8>,
    totals: Totals,
}

impl<S: Sink> Writer<S> {
    fn new(sink: S, options: &str) -> Result<Self> {
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
    fn merge(&mut self, sources: &mut [Source], line: Option<Line>) -> Result<()> {
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

    fn line(&mut self, line: &Line) -> Result<()> {
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
    fn end(mut self) -> Result<S> {
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

/// A table being merged, and its next line.
struct Source {
    lines: Lines,
    head: Option<Line>,
}

impl Source {
    fn new(lines: Lines) -> Result<Self> {
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
    fn add_to(&mut self, line: &mut Line) -> Result<()> {
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
struct Lines {
    path: std::path::PathBuf,
    file: BufReader<File>,
    checksum: Xxh3,
    options: String,
    last: Vec<u8>,
    totals: Totals,
    read: u64,
}

impl Lines {
    fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(io_error("open", path))?;
        Self::start(file, path)
    }

    fn start(file: File, path: &Path) -> Result<Self> {
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
        let is_table = lines.bytes(&mut magic).is_ok() && magic == MAGIC;
        if !is_table {
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
    fn most_bytes(&self) -> Result<usize> {
        let file = self.file.get_ref().metadata();
        let bytes = file.map_err(io_error("read", &self.path))?.len();
        Ok((bytes as usize).saturating_mul(64))
    }

    fn expect_options(&self, options: &str) -> Result<()> {
        if self.options == options {
            return Ok(());
        }
        Err(self.bad(&format!(
            "the table was made with other options ({}) than those in force ({options}): give the same to `doublet background`",
            self.options
        )))
    }

    /// Reads the next line over `line`; false at the end.
    fn next(&mut self, line: &mut Line) -> Result<bool> {
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
        let rest = self.file.fill_buf().map_or(1, <[u8]>::len);
        if found != expected || rest > 0 || self.totals.terms != self.read {
            return Err(self.damaged());
        }
        Ok(())
    }

    fn damaged(&self) -> Error {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::terms::vocabulary::Vocabulary;

    fn vocabulary(texts: &[Vec<(String, Group)>]) -> Counted {
        let mut vocabulary = Vocabulary::default();
        for text in texts {
            vocabulary.begin_text();
            for (form, group) in text {
                vocabulary.add(form, *group);
            }
        }
        vocabulary.finish()
    }

    fn texts() -> impl Strategy<Value = Vec<Vec<(String, Group)>>> {
        let group = prop::sample::select(Group::ALL.to_vec());
        let term = ("[ab漢é]{1,6}", group);
        prop::collection::vec(prop::collection::vec(term, 0..8), 0..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn merged_tables_are_the_table_of_all(first in texts(), second in texts(), third in texts()) {
            let directory = tempfile::tempdir().unwrap();
            let place = |name: &str| directory.path().join(name);
            let parts = [&first, &second, &third].map(|texts| vocabulary(texts));
            write(&place("a"), "x", &parts[..1], &[], Vec::new()).unwrap();
            let run = write_run(&parts[1], directory.path()).unwrap();
            let run = merge_runs(vec![run], directory.path()).unwrap();
            write(&place("merged"), "x", &parts[2..], &[&place("a")], vec![run]).unwrap();
            let all: Vec<_> = first.into_iter().chain(second).chain(third).collect();
            let whole = [vocabulary(&all)];
            let totals = write(&place("whole"), "x", &whole, &[], Vec::new()).unwrap();
            prop_assert_eq!(std::fs::read(place("merged")).unwrap(), std::fs::read(place("whole")).unwrap());
            let table = Background::read(&place("whole"), "x").unwrap();
            prop_assert_eq!(table.totals, totals);
            prop_assert_eq!(totals.texts as usize, all.len());
            let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
            for (form, _) in all.iter().flatten() {
                *expected.entry(form).or_default() += 1;
            }
            let found: Vec<_> = (0..table.len()).map(|index| (std::str::from_utf8(table.form(index)).unwrap(), table.entry(index).1)).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn damage_is_an_error(texts in texts(), at in any::<prop::sample::Index>(), bit in 0u8..8, cut in any::<bool>()) {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("table");
            write(&path, "options", &[vocabulary(&texts)], &[], Vec::new()).unwrap();
            let mut bytes = std::fs::read(&path).unwrap();
            let at = at.index(bytes.len());
            if cut {
                bytes.truncate(at);
            } else {
                bytes[at] ^= 1u8 << bit;
            }
            std::fs::write(&path, &bytes).unwrap();
            prop_assert!(Background::read(&path, "options").is_err());
        }
    }

    #[test]
    fn other_options_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("table");
        write(&path, "one", &[], &[], Vec::new()).unwrap();
        assert!(is_table(&path));
        let error = Background::read(&path, "two").unwrap_err().to_string();
        assert!(error.contains("other options (one)"), "{error}");
        std::fs::write(&path, "text").unwrap();
        let error = Background::read(&path, "two").unwrap_err().to_string();
        assert!(error.contains("no background table"), "{error}");
    }
}
