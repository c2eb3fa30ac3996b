//! Stage 8, report: the records that stay, in the input's own format.
//!
//! In: the collection and which documents stay. Out: `kept.*`, byte for byte as the records stood: one more pass over the
//! blocks that copies and decodes nothing. Files of one format and packing go into one file; one text a file goes into the
//! directory `kept/` under its own name. Everything is written under a temporary name, synced, and renamed at the end.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::NamedTempFile;

use super::kept_parquet::RowFilter;
use crate::document::DocId;
use crate::error::{Result, io_error};
use crate::options::Format;
use crate::read::{Block, Collection, Compression, SourceFile};

/// Writes `kept.*` into `dir`. `keep` tells which records stay; it must not say so of a rejected record. Returns the files
/// written; a format of which nothing stays has its file all the same.
pub fn write_kept(
    collection: &Collection,
    dir: &Path,
    keep: &dyn Fn(DocId) -> bool,
) -> Result<Vec<PathBuf>> {
    let mut writer = KeptWriter {
        collection,
        dir,
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
}

struct KeptWriter<'a> {
    collection: &'a Collection,
    dir: &'a Path,
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
            Format::Parquet => Kind::Rows(Box::new(RowFilter::create(temporary, file.path())?)),
            _ => Kind::Stream(Box::new(Packer::new(temporary, file.compression(), &path)?)),
        };
        let mut output = Output {
            path,
            kind,
            format: file.format(),
            compression: file.compression(),
            header: file.header_row().map(<[u8]>::to_vec),
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
            match target {
                Target::OwnFile if stays => self.copy_file(block.file())?,
                Target::OwnFile => {}
                Target::Output(index) => {
                    if let Some(output) = self.outputs.get_mut(index) {
                        output.record(self.collection, block, i, stays)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Copies a file that is one text, as it is on disk.
    fn copy_file(&mut self, number: u32) -> Result<()> {
        let Some(file) = self.collection.files().get(number as usize) else {
            return Ok(());
        };
        let path = self.dir.join("kept").join(self.own_name(file));
        let parent = path.parent().unwrap_or(self.dir);
        std::fs::create_dir_all(parent).map_err(io_error("create", parent))?;
        let mut copy = temporary(parent)?;
        let mut source = File::open(file.path()).map_err(io_error("open", file.path()))?;
        std::io::copy(&mut source, &mut copy).map_err(io_error("write", &path))?;
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

    /// Takes the next record: writes it when it stays.
    fn record(
        &mut self,
        collection: &Collection,
        block: &Block,
        i: usize,
        stays: bool,
    ) -> Result<()> {
        if let Kind::Rows(rows) = &mut self.kind {
            let path = collection.files().get(block.file() as usize);
            // A damaged file ends in a record that is no row.
            return match path {
                Some(file) if block.fault(i).is_none() => rows.row(file.path(), stays),
                _ => Ok(()),
            };
        }
        if !stays {
            return Ok(());
        }
        match self.format {
            Format::Warc => self.warc_record(block.raw(i)),
            _ => self.line(block.raw_with_ending(i)),
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<()> {
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

/// Syncs a file and gives it its name.
fn persist(file: NamedTempFile, path: &Path) -> Result<()> {
    file.as_file().sync_all().map_err(io_error("write", path))?;
    file.persist(path)
        .map_err(|error| io_error("write", path)(error.error))?;
    Ok(())
}

/// A temporary file in `dir` with the permissions of a new file.
fn temporary(dir: &Path) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kept-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
        .tempfile_in(dir)
        .map_err(io_error("create a file in", dir))
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

type Buffered = BufWriter<NamedTempFile>;

/// Writes plain or packed.
enum Packer {
    Plain(Buffered),
    Gzip(Option<flate2::write::GzEncoder<Buffered>>),
    Zstd(zstd::stream::write::Encoder<'static, Buffered>),
}

impl Packer {
    fn new(file: NamedTempFile, compression: Compression, path: &Path) -> Result<Self> {
        let file = BufWriter::with_capacity(1 << 18, file);
        Ok(match compression {
            Compression::None => Packer::Plain(file),
            Compression::Gzip => Packer::Gzip(Some(gzip(file))),
            Compression::Zstd => {
                let encoder = zstd::stream::write::Encoder::new(file, 3);
                Packer::Zstd(encoder.map_err(io_error("write", path))?)
            }
        })
    }

    /// Ends a gzip member and begins another.
    fn end_member(&mut self, path: &Path) -> Result<()> {
        if let Packer::Gzip(encoder) = self
            && let Some(member) = encoder.take()
        {
            let file = member.finish().map_err(io_error("write", path))?;
            *encoder = Some(gzip(file));
        }
        Ok(())
    }

    fn finish(self, path: &Path) -> Result<NamedTempFile> {
        let failed = || io_error("write", path);
        let buffered = match self {
            Packer::Plain(file) => file,
            Packer::Gzip(Some(encoder)) => encoder.finish().map_err(failed())?,
            Packer::Gzip(None) => return Err(failed()(std::io::ErrorKind::BrokenPipe.into())),
            Packer::Zstd(encoder) => encoder.finish().map_err(failed())?,
        };
        buffered
            .into_inner()
            .map_err(|error| failed()(error.into_error()))
    }
}

fn gzip(file: Buffered) -> flate2::write::GzEncoder<Buffered> {
    flate2::write::GzEncoder::new(file, flate2::Compression::default())
}

impl Write for Packer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Packer::Plain(file) => file.write(bytes),
            Packer::Gzip(Some(encoder)) => encoder.write(bytes),
            Packer::Gzip(None) => Err(std::io::ErrorKind::BrokenPipe.into()),
            Packer::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Packer::Plain(file) => file.flush(),
            Packer::Gzip(Some(encoder)) => encoder.flush(),
            Packer::Gzip(None) => Ok(()),
            Packer::Zstd(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::options::ReadOptions;

    /// Writes the files, keeps the records whose numbers are given, and returns what was written, by name.
    fn kept(
        files: &[(&str, &[u8])],
        format: Option<Format>,
        numbers: &[u32],
    ) -> Vec<(String, Vec<u8>)> {
        let dir = tempfile::tempdir().unwrap();
        let input = dir.path().join("in");
        for (name, bytes) in files {
            let path = input.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let out = dir.path().join("out");
        std::fs::create_dir(&out).unwrap();
        let options = ReadOptions {
            format,
            ..ReadOptions::default()
        };
        let inputs = [input.to_string_lossy().into_owned()];
        let collection = Collection::open(&inputs, &options, dir.path()).unwrap();
        let written = write_kept(&collection, &out, &|doc| numbers.contains(&doc.0)).unwrap();
        assert!(written.iter().all(|path| path.exists()));
        let mut all: Vec<(String, Vec<u8>)> = walkdir::WalkDir::new(&out)
            .into_iter()
            .filter_map(|entry| entry.ok().filter(|entry| entry.file_type().is_file()))
            .map(|entry| {
                let name = entry.path().strip_prefix(&out).unwrap();
                let bytes = std::fs::read(entry.path()).unwrap();
                (name.to_string_lossy().into_owned(), bytes)
            })
            .collect();
        all.sort();
        all
    }

    fn file(name: &str, bytes: &[u8]) -> (String, Vec<u8>) {
        (name.to_owned(), bytes.to_vec())
    }

    #[test]
    fn lines_stay_byte_for_byte() {
        let a = b"\xef\xbb\xbf{\"text\": \"a\"}\r\n\n{\"text\":\"b\"}\n";
        let b = b"{\"text\":\"c\",  \"x\":1}";
        let files: [(&str, &[u8]); 2] = [("a.jsonl", a), ("b.jsonl", b)];
        let expected = b"{\"text\": \"a\"}\r\n{\"text\":\"c\",  \"x\":1}\n";
        assert_eq!(kept(&files, None, &[0, 2]), [file("kept.jsonl", expected)]);
        assert_eq!(kept(&files, None, &[]), [file("kept.jsonl", b"")]);
        let lines: [(&str, &[u8]); 1] = [("a", b"x\ny\n\nz")];
        let expected = [file("kept.txt", b"x\n\nz\n")];
        assert_eq!(kept(&lines, Some(Format::Lines), &[0, 2, 3]), expected);
    }

    #[test]
    fn rows_follow_their_header() {
        let files: [(&str, &[u8]); 3] = [
            ("a.csv", b"id,text\n1,\"a\nb\"\n2,c\n"),
            ("b.csv", b"id,text\r\n3,d"),
            ("c.csv", b"text\ne\n"),
        ];
        let expected = [
            file("kept-2.csv", b"text\ne\n"),
            file("kept.csv", b"id,text\n1,\"a\nb\"\n3,d\n"),
        ];
        assert_eq!(kept(&files, None, &[0, 2, 3]), expected);
    }

    #[test]
    fn packing_is_kept() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed
            .write_all(b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n")
            .unwrap();
        let packed = packed.finish().unwrap();
        let frame = zstd::encode_all(&b"{\"text\":\"c\"}\n"[..], 3).unwrap();
        let all = kept(
            &[("a.jsonl.gz", &packed), ("b.jsonl.zst", &frame)],
            None,
            &[1, 2],
        );
        assert_eq!(all.len(), 2);
        assert_eq!(
            (&*all[0].0, &*all[1].0),
            ("kept.jsonl.gz", "kept.jsonl.zst")
        );
        let mut text = String::new();
        let mut reader = flate2::read::MultiGzDecoder::new(&*all[0].1);
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "{\"text\":\"b\"}\n");
        assert_eq!(zstd::decode_all(&*all[1].1).unwrap(), b"{\"text\":\"c\"}\n");
    }

    #[test]
    fn texts_keep_their_names() {
        let files: [(&str, &[u8]); 3] = [
            ("a.txt", b"\xef\xbb\xbfx"),
            ("s/a.txt", b"y"),
            ("s/b.html", b"<p>z"),
        ];
        let expected = [
            file("kept/a.txt", b"\xef\xbb\xbfx"),
            file("kept/s/b.html", b"<p>z"),
        ];
        assert_eq!(kept(&files, None, &[0, 2]), expected);
    }

    #[test]
    fn archives_keep_their_records() {
        let record = |text: &str| {
            format!(
                "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
                text.len()
            )
        };
        let all = [record("one"), record("two")].concat();
        let expected = record("two");
        let written = kept(&[("a.warc", all.as_bytes())], None, &[1]);
        assert_eq!(written, [file("kept.warc", expected.as_bytes())]);
    }

    #[test]
    fn parquet_keeps_its_schema() {
        use arrow::array::{ArrayRef, AsArray, Int32Array, LargeStringArray, RecordBatch};
        use parquet::arrow::ArrowWriter;
        use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
        use std::sync::Arc;

        let text: ArrayRef = Arc::new(LargeStringArray::from(vec![Some("a"), None, Some("c")]));
        let other: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
        let columns = [("text", text, true), ("other", other, true)];
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let written = kept(
            &[("a.parquet", &bytes), ("b.parquet", &bytes)],
            None,
            &[2, 3],
        );
        assert_eq!(written.len(), 1);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        std::fs::write(&path, &written[0].1).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
        assert_eq!(reader.schema(), &batch.schema());
        let mut kept = Vec::new();
        for batch in reader.build().unwrap() {
            let batch = batch.unwrap();
            kept.extend_from_slice(
                batch
                    .column(1)
                    .as_primitive::<arrow::datatypes::Int32Type>()
                    .values(),
            );
        }
        assert_eq!(kept, [3, 1]);
    }
}
