//! Stage 8, report: the records that stay, in the input's own format.
//!
//! In: the collection, which documents stay and what leaves their texts. Out: `kept.*`, byte for byte as the records stood but for
//! that: one more pass over the blocks that copies, and decodes only records that lose something. Files of one format and packing go into one file; one text a file goes into the
//! directory `kept/` under its own name; data in memory goes nowhere. Everything is written under a temporary name, synced, and renamed at the end.

mod packer;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use self::packer::Packer;
use super::kept_parquet::RowFilter;
use crate::document::DocId;
use crate::error::{Error, Result, io_error};
use crate::files::output::{persist, temporary};
use crate::files::{self, File};
use crate::options::Format;
use crate::progress::{self, Observer};
use crate::read::{Block, Collection, Compression, SourceFile};

/// The byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// What leaves the texts of records that stay: document, first byte, byte after the last; in order and apart.
#[derive(Debug, Default)]
pub struct Cuts(pub Vec<(DocId, u32, u32)>);

impl Cuts {
    /// What leaves a text.
    fn of(&self, document: DocId) -> Vec<Range<usize>> {
        let start = self.0.partition_point(|(other, ..)| *other < document);
        let own = self.0[start..].iter().take_while(|cut| cut.0 == document);
        own.map(|(_, start, end)| *start as usize..*end as usize)
            .collect()
    }
}

/// Writes `kept.*` into `dir`. `keep` tells which records stay; it must not say so of a rejected record. Returns the files
/// written; a format of which nothing stays has its file all the same. Of data in memory nothing is written.
pub fn write_kept(
    collection: &Collection,
    dir: &Path,
    keep: &dyn Fn(DocId) -> bool,
    cuts: &Cuts,
    observer: &dyn Observer,
) -> Result<Vec<PathBuf>> {
    let mut writer = KeptWriter {
        collection,
        dir,
        cuts,
        outputs: Vec::new(),
        names: BTreeSet::new(),
    };
    let targets = writer.open_all()?;
    let mut blocks = collection.blocks()?;
    while let Some(block) = blocks.next_block()? {
        let Some(target) = targets.get(block.file() as usize) else {
            continue;
        };
        writer.copy(&block, *target, keep)?;
        progress::advance(observer, 0)?;
    }
    writer.finish()
}

/// Where the records of a file go.
#[derive(Clone, Copy)]
enum Target {
    /// Into the output of this number.
    Output(usize),
    /// Into a file of their own.
    OwnFile,
    /// Nowhere: they are rows in memory.
    Nowhere,
}

struct KeptWriter<'a> {
    collection: &'a Collection,
    dir: &'a Path,
    cuts: &'a Cuts,
    outputs: Vec<Output>,
    /// Names given out in `kept/`, in small letters.
    names: BTreeSet<String>,
}

/// One file under way.
struct Output {
    path: PathBuf,
    kind: Kind,
    /// What files must share to be written into one.
    format: Format,
    compression: Compression,
    header: Option<Vec<u8>>,
    /// Whether something was written.
    begun: bool,
}

enum Kind {
    Stream(Box<Packer>),
    Rows(Box<RowFilter>),
}

impl KeptWriter<'_> {
    /// An output for every file, in order.
    fn open_all(&mut self) -> Result<Vec<Target>> {
        let files = self.collection.files();
        files.iter().map(|file| self.target(file)).collect()
    }

    fn target(&mut self, file: &SourceFile) -> Result<Target> {
        if file.is_in_memory() {
            return Ok(Target::Nowhere);
        }
        if matches!(file.format(), Format::Text | Format::Html | Format::Xml) {
            return Ok(Target::OwnFile);
        }
        let shared = self.outputs.iter().position(|output| output.takes(file));
        if let Some(index) = shared {
            return Ok(Target::Output(index));
        }
        let path = self.output_path(file);
        let temporary = temporary(self.dir)?;
        let kind = match file.format() {
            Format::Parquet => {
                Kind::Rows(Box::new(RowFilter::create(temporary, &path, file.path())?))
            }
            _ => Kind::Stream(Box::new(Packer::new(temporary, file.compression(), &path)?)),
        };
        let mut output = Output {
            path,
            kind,
            format: file.format(),
            compression: file.compression(),
            header: file.header_row().map(<[u8]>::to_vec),
            begun: false,
        };
        if let Some(header) = file.header_row() {
            output.write(header)?;
            output.write(b"\n")?;
        }
        self.outputs.push(output);
        Ok(Target::Output(self.outputs.len() - 1))
    }

    /// `kept.csv`, or `kept-2.csv` when that is taken by files that do not fit together.
    fn output_path(&self, file: &SourceFile) -> PathBuf {
        let ending = format!("{}{}", ending(file.format()), file.compression().ending());
        let same = |output: &&Output| {
            output.format == file.format() && output.compression == file.compression()
        };
        let name = match self.outputs.iter().filter(same).count() {
            0 => format!("kept.{ending}"),
            before => format!("kept-{}.{ending}", before + 1),
        };
        self.dir.join(name)
    }

    fn copy(&mut self, block: &Block, target: Target, keep: &dyn Fn(DocId) -> bool) -> Result<()> {
        for i in 0..block.len() {
            let doc = u32::try_from(i).map_or(u32::MAX, |i| block.first.saturating_add(i));
            let stays = block.fault(i).is_none() && keep(DocId(doc));
            let cut = match stays {
                true => self.cuts.of(DocId(doc)),
                false => Vec::new(),
            };
            match target {
                Target::OwnFile if stays => self.copy_file(block, i, &cut)?,
                Target::OwnFile | Target::Nowhere => {}
                Target::Output(index) => {
                    if let Some(output) = self.outputs.get_mut(index) {
                        output.record(self.collection, block, i, stays.then_some(cut))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Copies a file that is one text, as it is on disk unless parts of it are cut out.
    fn copy_file(&mut self, block: &Block, i: usize, cut: &[Range<usize>]) -> Result<()> {
        let Some(file) = self.collection.files().get(block.file() as usize) else {
            return Ok(());
        };
        let path = self.dir.join("kept").join(self.own_name(file));
        let parent = path.parent().unwrap_or(self.dir);
        files::create_dir_all(parent).map_err(io_error("create", parent))?;
        let mut copy = temporary(parent)?;
        if cut.is_empty() {
            let mut source = File::open(file.path()).map_err(io_error("open", file.path()))?;
            let unread = io_error("read", file.path());
            files::copy_all(&mut source, &mut copy, unread, io_error("write", &path))?;
        } else {
            let mut packer = Packer::new(copy, file.compression(), &path)?;
            let rest = shortened(self.collection, block, i, cut)?;
            // The text begins behind a byte order mark, if there is one; if it begins with one itself, there must be.
            let mark: &[u8] = match block.place(i).offset {
                0 if !rest.starts_with(MARK) => b"",
                _ => MARK,
            };
            let written = packer
                .write_all(mark)
                .and_then(|()| packer.write_all(&rest));
            written.map_err(io_error("write", &path))?;
            copy = packer.finish(&path)?;
        }
        // Renamed at once: a collection may have more files than may be open.
        persist(copy, &path)
    }

    /// The file's name, kept inside `kept/` and apart from the others.
    fn own_name(&mut self, file: &SourceFile) -> PathBuf {
        let inside: PathBuf = Path::new(file.name())
            .components()
            .filter(|component| matches!(component, Component::Normal(_)))
            .collect();
        let base = match file.name() {
            "-" => PathBuf::from(format!("stdin.{}", ending(file.format()))),
            _ => inside,
        };
        let mut name = base.clone();
        let mut copy = 1;
        while !self.names.insert(name.to_string_lossy().to_lowercase()) {
            copy += 1;
            let file = base.file_name().unwrap_or_default().to_string_lossy();
            let numbered = match file.split_once('.') {
                Some((stem, ending)) => format!("{stem}-{copy}.{ending}"),
                None => format!("{file}-{copy}"),
            };
            name = base.with_file_name(numbered);
        }
        name
    }

    fn finish(self) -> Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        if !self.names.is_empty() {
            written.push(self.dir.join("kept"));
        }
        for output in self.outputs {
            written.push(output.finish()?);
        }
        Ok(written)
    }
}

impl Output {
    /// Whether the records of `file` may follow those that are here.
    fn takes(&self, file: &SourceFile) -> bool {
        self.format == file.format()
            && self.compression == file.compression()
            && self.header.as_deref() == file.header_row()
            && match &self.kind {
                Kind::Rows(rows) => rows.takes(file.path()),
                _ => true,
            }
    }

    /// Takes the next record: writes it when it stays, without what is cut out of it.
    fn record(
        &mut self,
        collection: &Collection,
        block: &Block,
        i: usize,
        stays: Option<Vec<Range<usize>>>,
    ) -> Result<()> {
        if let Kind::Rows(rows) = &mut self.kind {
            let number = block.file();
            let file = collection.files().get(number as usize);
            // A damaged file ends in a record that is no row.
            return match file {
                Some(file) if block.fault(i).is_none() => rows.row((number, file), stays),
                _ => Ok(()),
            };
        }
        let Some(cut) = stays else {
            return Ok(());
        };
        match self.format {
            _ if !cut.is_empty() => self.line(&shortened(collection, block, i, &cut)?),
            Format::Warc => self.warc_record(block.raw(i)),
            _ => self.line(block.raw_with_ending(i)),
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<()> {
        // A mark at the front is the file's, and not a part of the first text.
        if !self.begun && self.format == Format::Lines && line.starts_with(MARK) {
            self.write(MARK)?;
        }
        self.write(line)?;
        match line.last() {
            Some(b'\n') => Ok(()),
            _ => self.write(b"\n"),
        }
    }

    fn warc_record(&mut self, raw: &[u8]) -> Result<()> {
        self.write(raw)?;
        if !raw.ends_with(b"\r\n\r\n") {
            self.write(b"\r\n\r\n")?;
        }
        // Archives are packed record by record, so that each can be read alone.
        match &mut self.kind {
            Kind::Stream(packer) => packer.end_member(&self.path),
            _ => Ok(()),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.begun = true;
        match &mut self.kind {
            Kind::Stream(packer) => packer
                .write_all(bytes)
                .map_err(io_error("write", &self.path)),
            _ => Ok(()),
        }
    }

    /// Flushes, syncs and gives the file its name.
    fn finish(self) -> Result<PathBuf> {
        let path = self.path;
        let file = match self.kind {
            Kind::Stream(packer) => packer.finish(&path)?,
            Kind::Rows(rows) => rows.finish()?,
        };
        persist(file, &path)?;
        Ok(path)
    }
}

/// A record without what is cut out of its text.
fn shortened(
    collection: &Collection,
    block: &Block,
    i: usize,
    cut: &[Range<usize>],
) -> Result<Vec<u8>> {
    block.without(i, cut).ok_or_else(|| Error::BadFile {
        path: PathBuf::from(collection.name_of(&block.place(i))),
        reason: "nothing can be cut out of this record".to_owned(),
    })
}

/// Whether a run writes kept records to a file of this name: `kept.jsonl`, `kept-2.csv.gz`.
pub(crate) fn is_kept_file(name: &str) -> bool {
    let Some((stem, rest)) = name.split_once('.') else {
        return false;
    };
    let is_stem = match stem.strip_prefix("kept") {
        Some("") => true,
        Some(number) => number
            .strip_prefix('-')
            .is_some_and(|number| number.parse::<u32>().is_ok()),
        None => false,
    };
    let formats = [
        Format::JsonLines,
        Format::Csv,
        Format::Tsv,
        Format::Parquet,
        Format::Lines,
        Format::Html,
        Format::Xml,
        Format::Warc,
    ];
    let compressions = [Compression::None, Compression::Gzip, Compression::Zstd];
    let is_ending = |format: &Format| {
        let own = ending(*format);
        compressions
            .iter()
            .any(|compression| rest.strip_suffix(compression.ending()) == Some(own))
    };
    is_stem && formats.iter().any(is_ending)
}

fn ending(format: Format) -> &'static str {
    match format {
        Format::JsonLines => "jsonl",
        Format::Csv => "csv",
        Format::Tsv => "tsv",
        Format::Parquet => "parquet",
        Format::Text | Format::Lines => "txt",
        Format::Html => "html",
        Format::Xml => "xml",
        Format::Warc => "warc",
    }
}
