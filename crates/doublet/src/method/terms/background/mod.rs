//! The background table: how often each term occurs, in how many texts, and in which groups.
//!
//! One file, sorted by form: a head with the options that shape terms, then the terms, each as the bytes it shares with the
//! one before, its other bytes, its texts and its votes, numbers in seven bits a byte; a foot with the totals and a checksum.
//! Tables of the same options can be merged.

mod lines;
mod writer;

use std::io::{Read, Seek};
use std::path::Path;

use lines::{Lines, Source};
use writer::{Run, Writer};

use super::vocabulary::{Counted, Votes, elect, merge};
use super::weights::FrequencyRange;
use crate::error::{Result, io_error};
use crate::files::File;
use crate::files::output::OutputFile;
use crate::segment::terms::Group;

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

    /// Forms one after the other, their lengths, frequencies and the numbers of their groups.
    pub(crate) fn columns(&self) -> (&[u8], Vec<u32>, &[u64], Vec<u8>) {
        let lengths = (0..self.len()).map(|index| self.form(index).len() as u32);
        let groups = self.groups.iter().map(|group| *group as u8);
        let (lengths, groups) = (lengths.collect(), groups.collect());
        (&self.forms, lengths, &self.frequencies, groups)
    }

    /// The table of such columns, without totals; `None` if they do not fit together.
    pub(crate) fn of_columns(
        forms: Vec<u8>,
        lengths: &[u32],
        frequencies: Vec<u64>,
        groups: &[u8],
    ) -> Option<Self> {
        let mut table = Self::default();
        let group = |group: &u8| Group::ALL.get(usize::from(*group)).copied();
        table.groups = groups.iter().map(group).collect::<Option<_>>()?;
        let mut end = 0usize;
        for &length in lengths {
            end = end.checked_add(length as usize)?;
            table.ends.push(end);
        }
        let terms = table.ends.len();
        if end != forms.len() || frequencies.len() != terms || table.groups.len() != terms {
            return None;
        }
        for (&group, &frequency) in table.groups.iter().zip(&frequencies) {
            table.ranges[group as usize].add(frequency);
        }
        (table.forms, table.frequencies) = (forms, frequencies);
        Some(table)
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

    /// The place of the first form that is not before this one, which is at `from` or behind it. Near ones are found sooner.
    pub(crate) fn place(&self, form: &[u8], from: usize) -> usize {
        let (mut low, mut step) = (from, 1);
        while low + step <= self.len() && self.form(low + step - 1) < form {
            low += step;
            step *= 2;
        }
        let mut high = (low + step).min(self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.form(middle) < form {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    pub(crate) fn form(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.forms[start..self.ends[index]]
    }

    pub(crate) fn entry(&self, index: usize) -> (Group, u64) {
        (self.groups[index], self.frequencies[index])
    }
}

/// Calls `each` with every word of a table and the number of texts it stands in.
///
/// # Errors
/// As [`Background::read`].
pub fn documents_of_words(
    path: &Path,
    options: &str,
    mut each: impl FnMut(&str, u64),
) -> Result<Totals> {
    let mut lines = Lines::open(path)?;
    lines.expect_options(options)?;
    let mut line = Line::default();
    while lines.next(&mut line)? {
        let form = std::str::from_utf8(&line.form).map_err(|_| lines.damaged())?;
        each(form, line.documents);
    }
    Ok(lines.totals)
}

/// Whether a file is a background table, by how it begins.
///
/// # Errors
/// When there is a file and it cannot be read.
pub fn is_table(path: &Path) -> Result<bool> {
    if !path.is_file() {
        return Ok(false);
    }
    let mut start = [0; MAGIC.len()];
    let mut file = File::open(path).map_err(io_error("open", path))?;
    match file.read_exact(&mut start) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(io_error("read", path)(error)),
        Ok(()) => Ok(start == MAGIC),
    }
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
    let mut writer = Writer::new(Run::create(directory)?, "")?;
    writer.merge(&mut sources, None)?;
    for source in &sources {
        writer.totals.texts += source.lines.totals.texts;
        writer.totals.tokens += source.lines.totals.tokens;
    }
    writer.end()?.finish()
}

/// Writes what a vocabulary counted to a temporary file, to be merged later.
///
/// # Errors
/// When the file cannot be written.
pub fn write_run(part: &Counted, directory: &Path) -> Result<File> {
    let mut writer = Writer::new(Run::create(directory)?, "")?;
    for id in part.sorted() {
        writer.line(&Line {
            form: part.form(id).as_bytes().to_vec(),
            documents: part.documents(id),
            votes: part.votes(id),
        })?;
    }
    writer.totals.texts = part.texts;
    writer.totals.tokens = part.tokens;
    writer.end()?.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::method::terms::vocabulary::Vocabulary;

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
        assert!(is_table(&path).unwrap());
        let error = Background::read(&path, "two").unwrap_err().to_string();
        assert!(error.contains("other options (one)"), "{error}");
        std::fs::write(&path, "text").unwrap();
        let error = Background::read(&path, "two").unwrap_err().to_string();
        assert!(error.contains("no background table"), "{error}");
    }
}
