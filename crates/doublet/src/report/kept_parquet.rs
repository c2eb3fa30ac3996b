//! Stage 8, report: the rows of Parquet files that stay.
//!
//! In: for each row in order, whether it stays. Out: a Parquet file with the schema of the input. Rows are told one by one
//! and files one after the other; when a file is done, it is read once more and filtered batch by batch.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::BooleanArray;
use arrow::compute::filter_record_batch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use tempfile::NamedTempFile;

use crate::error::{Error, Result, io_error};
use crate::read::guarded;

const BATCH: usize = 4096;

/// Filters the rows of files that share a schema into one file.
pub(super) struct RowFilter {
    writer: ArrowWriter<NamedTempFile>,
    schema: SchemaRef,
    /// The file whose rows are being told, and what was said of them.
    current: Option<(PathBuf, Vec<bool>)>,
}

impl RowFilter {
    /// Writes into `file`, with the schema and the compression of the file at `like`.
    pub(super) fn create(file: NamedTempFile, like: &Path) -> Result<Self> {
        let source = open(like)?;
        let schema = source.schema().clone();
        let groups = source.metadata().row_groups();
        let compression = groups
            .first()
            .and_then(|group| group.columns().first())
            .map_or(Compression::SNAPPY, |column| column.compression());
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .build();
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties))
            .map_err(|error| bad(like, &error))?;
        Ok(RowFilter {
            writer,
            schema,
            current: None,
        })
    }

    /// Whether the file has the schema that is being written.
    pub(super) fn takes(&self, path: &Path) -> bool {
        open(path).is_ok_and(|source| *source.schema() == self.schema)
    }

    /// Tells whether the next row, which is in the file at `path`, stays.
    pub(super) fn row(&mut self, path: &Path, stays: bool) -> Result<()> {
        match &mut self.current {
            Some((current, rows)) if current == path => rows.push(stays),
            _ => {
                self.write_current()?;
                self.current = Some((path.to_owned(), vec![stays]));
            }
        }
        Ok(())
    }

    fn write_current(&mut self) -> Result<()> {
        let Some((path, rows)) = self.current.take() else {
            return Ok(());
        };
        let source = open(&path)?.with_batch_size(BATCH);
        let mut batches = guarded(|| source.build()).map_err(|error| bad(&path, &error))?;
        let mut at = 0;
        // A file that breaks off was rejected from there on.
        let mut next = || guarded(|| batches.next().transpose().map_err(Into::into));
        for batch in std::iter::from_fn(|| next().ok().flatten()) {
            let told = rows.get(at..).unwrap_or_default();
            let stays: BooleanArray = (0..batch.num_rows())
                .map(|row| Some(told.get(row).copied().unwrap_or(false)))
                .collect();
            at += batch.num_rows();
            let kept =
                filter_record_batch(&batch, &stays).map_err(|error| bad(&path, &error.into()))?;
            self.writer
                .write(&kept)
                .map_err(|error| bad(&path, &error))?;
        }
        Ok(())
    }

    /// Writes the footer and gives the file back.
    pub(super) fn finish(mut self) -> Result<NamedTempFile> {
        self.write_current()?;
        self.writer
            .into_inner()
            .map_err(|error| bad(Path::new("kept.parquet"), &error))
    }
}

fn open(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let file = File::open(path).map_err(io_error("open", path))?;
    guarded(|| ParquetRecordBatchReaderBuilder::try_new(file)).map_err(|error| bad(path, &error))
}

fn bad(path: &Path, error: &ParquetError) -> Error {
    Error::BadFile {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}
